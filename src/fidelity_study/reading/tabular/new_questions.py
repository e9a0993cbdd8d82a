"""Questions that people were not asked, and simulators' answers to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fidelity_study.errors import refusal, there_are
from fidelity_study.reading.ingest.save import DEFAULT_SCORES, completed, in_clusters
from fidelity_study.reading.settings import NUMBERS
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.assemble import (
    answers_of,
    meant_by,
    read_files,
    responses,
    tallied,
    tallied_statements,
)
from fidelity_study.reading.tabular.codebook import of_survey, with_codebook
from fidelity_study.reading.tabular.columns import as_label, as_number, names, texts
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.options import Options, fixed_options, labels_seen
from fidelity_study.reading.tabular.remedies import BOUNDS, LEVELS
from fidelity_study.reading.tabular.scenarios import Described, described
from fidelity_study.reading.tabular.shown import meant, shown
from fidelity_study.reading.tabular.unasked import unasked

TABULAR, UNIFORM, CLUSTER = "tabular", "uniform", "cluster"
WORDING, MANY_OPTIONS = "question", "n_options"
BUILT_IN = (WORDING, MANY_OPTIONS, CLUSTER)


@dataclass(frozen=True)
class NewQuestions:
    """Questions that nobody was asked.

    Attributes:
        questions: a row each, the columns of ``QUESTIONS``.
        outcomes, stated: simulators' answers, in the form that ingest writes.
        features: a row for each question, asked or new, and each column that the config names.
        notes: notes for the user, one line each.
    """

    questions: pd.DataFrame
    outcomes: pd.DataFrame
    stated: pd.DataFrame
    features: pd.DataFrame
    notes: list[str]


def new_questions(step: dict, asked: pd.DataFrame) -> NewQuestions:
    """Read the questions to be predicted, and the simulators' answers to them.

    Args:
        step: the settings that the step depends on.
        asked: the scenarios that people answered, as ingest wrote them.

    Raises:
        DataError: with the first fault of the files.
    """
    outcome, wanted = step["outcome"], set(step["simulators"])
    layout, scenario_file, all_answers, notes = _read_of_study(step, asked)
    listed = dict.fromkeys(name for answers in all_answers for name in answers.questions)
    table = _described(list(listed), scenario_file, asked, _origin(step))
    notes += _new_clusters(table, asked)
    all_answers = [meant_by(answers, outcome, table, {}, layout) for answers in all_answers]
    known = _options(all_answers, table, asked, outcome)
    # By options' labels, even where their codes were given.
    all_answers = [
        answers.with_meanings(
            {(name, label): _placed(label, known[name]) for name, label, _ in answers.first_uses}
        )
        for answers in all_answers
    ]
    questions = _completed(table, known, asked, outcome)
    sampled = tallied(
        [answers.rows for answers in all_answers if not answers.stated], known, "count"
    )
    stated = tallied_statements([answers.rows for answers in all_answers if answers.stated], known)
    there = {*sampled["source"], *stated["source"]}
    if UNIFORM in wanted - there and outcome["kind"] not in NUMBERS:
        stated = pd.concat([stated, _uniform(questions)], ignore_index=True)
    return NewQuestions(
        questions,
        sampled[sampled["count"] > 0],
        stated,
        _features(step, layout, [*asked["scenario"], *listed]),
        notes,
    )


def questions_asked(step: dict) -> pd.DataFrame:
    """Return the scenarios that people answered in a user's files, as ingest writes them.

    Args:
        step: the settings that the step and that of ingest depend on.
    """
    ingested = responses({**step, "simulators": None})
    return completed(
        in_clusters(ingested.scenarios, step), ingested.outcomes, step["outcome"]["kind"]
    )


def check_readable(step: dict) -> None:
    """Raise DataError with the first fault of the files that needs no question asked to be seen.

    Args:
        step: the settings that the step depends on.
    """
    _read_of_study(step, pd.DataFrame(columns=["scenario"]))


def _origin(step: dict) -> str:
    return step["predict"]["questions"] or step["options"]["human"]


def _read_of_study(
    step: dict, asked: pd.DataFrame
) -> tuple[Layout, Described | None, list[Answers], list[str]]:
    """Return what :func:`_read` does, of the study's simulators only, and notes on the others."""
    layout, scenario_file, all_answers = _read(step, asked)
    wanted = set(step["simulators"])
    strangers = {
        name for answers in all_answers for name in answers.rows["source"].unique()
    } - wanted
    all_answers = [answers.of_sources(wanted) for answers in all_answers]
    if not any(len(answers.rows) for answers in all_answers):
        raise refusal(
            "no-new-answer",
            "no simulator of the study answers a new question; there are: "
            f"{shown(step['simulators'])}",
            file=_origin(step),
        )
    note = f"not predicted by, as the config does not name them: {shown(sorted(strangers))}"
    return layout, scenario_file, all_answers, [note] if strangers else []


def _new_clusters(table: pd.DataFrame, asked: pd.DataFrame) -> list[str]:
    """Return notes on clusters of new questions that no question asked belongs to."""
    known = list(asked[CLUSTER].unique())
    if len(known) in (1, len(asked)):
        return []
    new = [name for name in table[CLUSTER].dropna().unique() if name not in known]
    without = list(table.index[table[CLUSTER].isna()])
    notes = []
    if new:
        hint = meant(new[0], known, f"there are: {shown(known)}")
        notes.append(f"new questions are of clusters that nobody was asked: {shown(new)}; {hint}")
    if without:
        notes.append(f"new questions without a cluster, taken as of none asked: {shown(without)}")
    return notes


def _read(step: dict, asked: pd.DataFrame) -> tuple[Layout, Described | None, list[Answers]]:
    """Return the layout of the files, and their new questions and answers."""
    predict = step["predict"]
    if step["unasked"]:
        layout, survey = read_files(step)
        new = unasked(survey)
        scenario_file, all_answers = new.described, new.simulated
    else:
        layout = layout_of(step)
        sheet = opened(predict["questions"], layout.reading)
        scenario_file, all_answers = None, []
    if predict["scenarios"] is not None:
        about = opened(predict["scenarios"], layout.reading)
        scenario_file = described(about, layout)
        scenario_file = replace(
            scenario_file,
            rows=scenario_file.rows[~scenario_file.rows.index.isin(asked["scenario"])],
        )
        layout = with_codebook(layout, scenario_file)
    if not step["unasked"]:
        all_answers = answers_of(sheet, layout.form_of(sheet), layout, None)
        _refuse_asked(all_answers, set(asked["scenario"]))
    if scenario_file is not None:
        scenario_file = of_survey(scenario_file, all_answers, layout)
    return layout, scenario_file, all_answers


def layout_of(step: dict) -> Layout:
    """Return the layout of the files of new questions: the dataset's own, if it has files."""
    if step["ingest"] == TABULAR:
        return Layout.of(step)
    return Layout.of({**step, "options": {}, "cluster": CLUSTER})


def _refuse_asked(all_answers: list[Answers], asked: set[str]) -> None:
    for answers in all_answers:
        rows = answers.rows[answers.rows["scenario"].isin(asked)]
        if len(rows):
            name = rows["scenario"].iloc[0]
            raise answers.sheet.fault(
                "question-not-new",
                f"people answered {name!r}, so it is not new; delete its rows, or give the new "
                "question another name",
                at=int(rows["at"].iloc[0]) if answers.column is not None else None,
            )


def _described(
    listed: list[str], scenario_file: Described | None, asked: pd.DataFrame, origin: str
) -> pd.DataFrame:
    """Return the facts on each new question, in the order of the simulators' answers.

    A question without a cluster belongs to none of those asked.
    """
    table = pd.DataFrame(index=pd.Index(listed, dtype=object))
    if scenario_file is not None:
        strangers = scenario_file.rows.index.difference(table.index)
        if len(strangers):
            raise scenario_file.sheet.fault(
                "described-not-answered",
                f"no simulator of the study answers {shown(list(strangers))}; delete the rows, or "
                f"add answers to {origin}",
            )
        table = scenario_file.rows.reindex(table.index)
    table["scenario"] = table.index
    for column in (CLUSTER, "description", WORDING):
        if column not in table:
            table[column] = None
    is_single = asked["cluster"].nunique() == 1
    if is_single:
        table[CLUSTER] = asked["cluster"].iloc[0]
    return table


def _options(
    all_answers: list[Answers], table: pd.DataFrame, asked: pd.DataFrame, outcome: dict
) -> dict[str, Options]:
    """Return the options of each new question.

    They are its own, the config's, those that all questions asked share, or simulators' labels.

    Raises:
        DataError: if none of these tells them, or an answer is not among them.
    """
    seen = labels_seen(all_answers)
    if outcome["kind"] in NUMBERS:
        return {name: _numbers(seen.get(name, []), name) for name in table.index}
    known = fixed_options(outcome, table)
    of_stated = labels_seen(answers for answers in all_answers if answers.stated)
    shared = _shared(asked)
    for name in table.index:
        if name in known:
            continue
        given, stated = seen.get(name, []), of_stated.get(name, [])
        if shared is not None and all(_placed(label, shared) is not None for label in given):
            known[name] = shared
        elif stated and set(given) <= set(stated) and _is_ordered(stated, outcome["kind"]):
            known[name] = Options.of(stated, outcome["kind"])
        else:
            raise refusal(
                "new-options-unknown",
                "its options are not known; list them in the column options of a file of "
                "scenarios, predict: {scenarios: FILE}, or, ",
                LEVELS,
                key=f"new question {name!r}",
            )
    _refuse_strangers(all_answers, known)
    return known


def _shared(asked: pd.DataFrame) -> Options | None:
    """Return the options of the questions asked, None if they differ."""
    forms = {
        (tuple(values), tuple(labels))
        for values, labels in zip(asked["value"], asked["option"], strict=True)
    }
    if len(forms) > 1:
        return None
    ((values, labels),) = forms
    return Options(list(values), [as_label(label) for label in labels])


def _placed(label: str, options: Options) -> str | None:
    """Return the option with this name or this code; None if there is none."""
    if label in options.labels:
        return label
    code = as_number(label)
    return options.labels[options.values.index(code)] if code in options.values else None


def _is_ordered(labels: Iterable[str], kind: str) -> bool:
    """Return whether stated options come in their order: numbers do, and in files of categories."""
    numbers = [as_number(label) for label in labels]
    known = [number for number in numbers if number is not None]
    return kind == "categorical" or (len(known) == len(numbers) and known == sorted(known))


def _refuse_strangers(all_answers: list[Answers], known: Mapping[str, Options]) -> None:
    for answers in all_answers:
        for name, label, at in answers.first_uses:
            if _placed(label, known[name]) is None:
                raise answers.fault(
                    "no-option",
                    f"{label!r} is no option of the new question {name!r} "
                    f"({', '.join(known[name].labels)}); mend it, or list it",
                    row=answers.rows.iloc[at],
                )


def _numbers(labels: list[str], name: str) -> Options:
    wrong = next((label for label in labels if as_number(label) is None), None)
    if wrong is not None:
        raise refusal(
            "new-number",
            f"the answer {wrong!r} is no number; mend it",
            key=f"new question {name!r}",
        )
    return Options.of(sorted(labels, key=float), "real")


def _completed(
    table: pd.DataFrame, known: Mapping[str, Options], asked: pd.DataFrame, outcome: dict
) -> pd.DataFrame:
    """Return the columns of ``QUESTIONS``."""
    kind = outcome["kind"]
    questions = table.assign(
        kind=kind,
        value=[known[name].values for name in table.index],
        option=[known[name].labels for name in table.index],
    )
    questions["score"] = [_scores(values, outcome, asked) for values in questions["value"]]
    limits = outcome.get("bounds", [np.nan, np.nan])
    for column, limit, end in zip(("lower", "upper"), limits, (min, max), strict=True):
        if kind != "bounded":
            questions[column] = [
                np.nan if scores is None else end(scores) for scores in questions["score"]
            ]
            continue
        common = asked[column].iloc[0] if asked[column].nunique() == 1 else np.nan
        per_question = (
            questions[column] if column in questions else pd.Series(np.nan, questions.index)
        )
        questions[column] = per_question.astype(float).fillna(limit).fillna(common)
    _check_ranges(questions, kind)
    questions["question"] = questions["question"].fillna(questions["description"])
    questions["description"] = questions["description"].fillna(questions["scenario"])
    return questions


def _scores(values: list[float], outcome: dict, asked: pd.DataFrame) -> Any:
    """Return the scores of a new question's options: the config's, the asked ones', or the usual.

    Raises:
        DataError: where those asked have other scores than the usual ones, and other options.
    """
    if scores := outcome.get("scores"):
        return list(map(float, scores))
    usual = DEFAULT_SCORES[outcome["kind"]]
    if outcome["kind"] not in ("binary", "ordinal"):
        return usual(values)
    of_asked = {
        tuple(codes): tuple(score)
        for codes, score in zip(asked["value"], asked["score"], strict=True)
    }
    if tuple(values) in of_asked:
        return list(of_asked[tuple(values)])
    if any(not np.allclose(score, usual(list(codes))) for codes, score in of_asked.items()):
        raise refusal(
            "scores-of-own",
            "the questions asked have scores of their own, and a new one has other options; "
            "give the config outcome.scores",
            key="predict",
        )
    return usual(values)


def _check_ranges(questions: pd.DataFrame, kind: str) -> None:
    if kind != "bounded":
        return
    for _, row in questions.iterrows():
        if not row["lower"] <= min(row["value"]) <= max(row["value"]) <= row["upper"]:
            raise refusal(
                "new-range",
                "its range is not known, or an answer is outside of it; put lower and upper into "
                "the file of scenarios, or ",
                BOUNDS,
                key=f"new question {row['scenario']!r}",
            )


def _uniform(questions: pd.DataFrame) -> pd.DataFrame:
    """Return the probabilities of a uniform guess."""
    rows = questions[["scenario", "value"]].explode("value").astype({"value": float})
    many = questions["value"].map(len).to_numpy()
    return rows.assign(source=UNIFORM, probability=1.0 / np.repeat(many, many))


def refuse_unknown_columns(step: dict) -> None:
    """Raise DataError if no file of scenarios has a column that ``predict`` names.

    Args:
        step: a dataset's settings, complete, and its name, ``dataset``.
    """
    sheets = _files_of_scenarios(step, layout_of(step))
    there = dict.fromkeys(column for sheet in sheets for column in sheet.columns)
    where = " or ".join(sheet.path for sheet in sheets)
    for name in _wanted_columns(step["predict"]):
        if name not in there:
            way = (
                f"is no column of {where}; {there_are(name, there)}"
                if sheets
                else "is a column of no file; name one that describes the questions, asked and "
                "new: predict: {scenarios: FILE}"
            )
            raise refusal("no-column", f"{name!r} {way}", key=f"datasets.{step['dataset']}.predict")


def _wanted_columns(predict: dict) -> list[str]:
    """Return the columns of the files of scenarios that the config names, each once."""
    features = [name for name in predict["features"] or [] if name not in BUILT_IN]
    return list(dict.fromkeys([*features, *filter(None, [predict["weights"]])]))


def _files_of_scenarios(step: dict, layout: Layout) -> list[Sheet]:
    paths = [step["options"].get("scenarios"), step["predict"]["scenarios"]]
    return [opened(path, layout.reading) for path in dict.fromkeys(filter(None, paths))]


def _features(step: dict, layout: Layout, scenarios: list[str]) -> pd.DataFrame:
    """Return the columns of the files of scenarios that the config names, of every question.

    Raises:
        DataError: if a question lacks one.
    """
    predict = step["predict"]
    sheets = _files_of_scenarios(step, layout)
    parts = [pd.DataFrame(columns=["scenario", "feature", "number", "text"])]
    for name in _wanted_columns(predict):
        by_scenario = {}
        for sheet in sheets:
            by_scenario.update(column_cells(sheet, layout, name))
        lacking = [scenario for scenario in scenarios if scenario not in by_scenario]
        if lacking:
            raise refusal(
                "no-value",
                f"no file of scenarios has a {name!r} for {shown(lacking)}; fill a column "
                f"{name!r} for every question, new or asked, in the file of scenarios (predict: "
                "{scenarios: FILE})",
                key=f"datasets.{step['dataset']}.predict",
            )
        cells = [by_scenario[scenario] for scenario in scenarios]
        numbers = [as_number(cell) for cell in cells]
        are_numbers = None not in numbers
        are_weights = all(number is not None and number > 0 for number in numbers)
        if name == predict["weights"] and not are_weights:
            raise refusal(
                "weight-not-positive",
                f"{name!r} is not a number above 0 of every question; mend the column",
                key=f"datasets.{step['dataset']}.predict.weights",
            )
        parts.append(
            pd.DataFrame(
                {
                    "scenario": scenarios,
                    "feature": name,
                    "number": numbers if are_numbers else np.nan,
                    "text": None if are_numbers else cells,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def column_cells(sheet: Sheet, layout: Layout, column: str) -> dict[str, str]:
    """Return the filled cells of a column by scenario."""
    if column not in sheet.columns:
        return {}
    key = layout.needed(sheet, "scenario")
    pairs = zip(names(sheet, key), texts(sheet, column), strict=True)
    return {scenario: as_label(text) for scenario, text in pairs if isinstance(text, str)}
