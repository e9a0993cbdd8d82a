"""From people's tables to ``outcomes``, ``scenarios`` and ``stated``: the last look at raw data.

A dataset's ``ingest.py`` builds a :class:`Responses` and calls :func:`save`, which refuses
anything the later steps could not trust. Nothing downstream sees an individual response.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity.inputs import SUM_TOLERANCE
from fidelity_study.errors import refusal
from fidelity_study.reading.ingest.baselines import with_baselines
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.reading.settings import NUMBERS, POINTS, WITHOUT_OPTIONS
from fidelity_study.tables.ingest import (
    FACTS,
    GIVEN,
    HUMAN,
    MISSING,
    OUTCOMES,
    PERSONAS,
    REASONS,
    RESPONDENTS,
    RUNS,
    SCENARIOS,
    STATED,
    STATED_BY_PERSONA,
    UNSCORED,
)
from fidelity_study.tables.read_write import write

MOST_ANSWERS = 1e9
LARGEST = 1e50
FEWEST_REAL = 2
ROUNDING = 1e-6


def save(snakemake, responses: Responses) -> None:
    """Add the baselines, check everything, and write the tables of the ingest step."""
    study, origin = dict(snakemake.params.step), responses.origin
    kind = study["outcome"]["kind"]
    if kind not in WITHOUT_OPTIONS:
        responses = with_baselines(study, responses)
    responses = replace(responses, scenarios=in_clusters(responses.scenarios, study))
    has_curves = study.get("curves", True)
    check_scenarios(responses.scenarios, kind, curves=has_curves, origin=origin)
    weighted = "n_effective" in responses.scenarios
    outcomes = _numeric(responses.outcomes, ["value", "count"], origin)
    stated = _numeric(responses.stated, ["value", "probability"], origin)
    check_outcomes(outcomes, responses.scenarios, weighted=weighted, origin=origin)
    check_stated(stated, responses.scenarios, origin=origin)
    missing = _numeric(responses.missing, ["count"], origin)
    people = responses.respondents
    personas = responses.personas if people is None else people.rows(responses.scenarios)
    personas = _numeric(personas, ["value", "count"], origin)
    by_persona = _numeric(responses.stated_by_persona, ["value", "probability"], origin)
    check_missing(missing, responses.scenarios, origin=origin)
    check_personas(personas, responses.scenarios, origin=origin)
    check_stated(by_persona, responses.scenarios, by=["persona"], origin=origin)
    outcomes = outcomes[outcomes["count"] > 0]
    check_simulators(outcomes, stated, study["simulators"], origin=origin)
    by_respondent = responses.by_respondent
    if by_respondent is None:
        by_respondent = pd.DataFrame(columns=RESPONDENTS.names)
    else:
        by_respondent = by_respondent.assign(weight=by_respondent.get("weight", 1.0))
        check_respondents(by_respondent, outcomes, origin=origin)
        by_respondent = _with_all_columns(by_respondent, RESPONDENTS)
    runs = responses.runs[responses.runs["source"].isin(study["simulators"] or ())]
    check_runs(runs, outcomes, origin=origin)
    scenarios = completed(responses.scenarios, outcomes, kind)
    _refuse(
        scenarios[~(scenarios["n_human"] > 0)],
        origin,
        "has no human responses; drop the scenario or add its people",
    )
    _refuse(
        scenarios[(scenarios["n_human"] < FEWEST_REAL) & (kind == "real") & has_curves],
        origin,
        "has a single human response; sets for real outcomes are resampled and need 2: drop the "
        "scenario, add people, or put curves: false into the config for scores alone",
    )
    of_real = outcomes[outcomes["source"].eq(HUMAN) & (kind == "real") & has_curves]
    _refuse(
        of_real[of_real["count"] % 1 != 0],
        origin,
        "weights make counts of people fractions; sets for real outcomes are resampled and need "
        "whole ones: say between which numbers answers are, as kind bounded with bounds, or leave "
        "the weights out",
    )
    for name, frame, schema in (
        ("outcomes", outcomes, OUTCOMES),
        ("scenarios", scenarios, SCENARIOS),
        ("stated", stated, STATED),
        ("missing", missing[missing["count"] > 0], MISSING),
        ("personas", personas[personas["count"] > 0], PERSONAS),
        ("stated_by_persona", by_persona, STATED_BY_PERSONA),
        ("respondents", by_respondent, RESPONDENTS),
        ("runs", _with_all_columns(runs, RUNS), RUNS),
        ("facts", responses.facts, FACTS),
    ):
        write(snakemake.output[name], _table(frame, schema), schema, study)
    if given := getattr(snakemake.output, "given", None):
        write(given, _table(responses.given, GIVEN), GIVEN, study)


def in_clusters(scenarios: pd.DataFrame, study: dict) -> pd.DataFrame:
    """Return scenarios with their clusters; each is its own where none are wanted."""
    return scenarios if study["clustered"] else scenarios.assign(cluster=scenarios["scenario"])


def _with_all_columns(frame: pd.DataFrame, schema: pa.Schema) -> pd.DataFrame:
    """Return a table with empty columns in the place of those that it lacks."""
    return frame.assign(**dict.fromkeys(name for name in schema.names if name not in frame))


def _table(frame: pd.DataFrame, schema: pa.Schema) -> pa.Table:
    return pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)


def completed(scenarios: pd.DataFrame, outcomes: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the scenarios with all columns of their table."""
    scenarios = scenarios.copy()
    scenarios["kind"] = kind
    scenarios["n_options"] = scenarios["value"].map(len)
    if "score" not in scenarios:
        scenarios["score"] = scenarios["value"].map(DEFAULT_SCORES[kind])
    for column, end in (("lower", min), ("upper", max)):
        if column not in scenarios or kind not in NUMBERS:  # options' ends are those of scores
            has_scores = DEFAULT_SCORES[kind] is not without_scores
            scenarios[column] = scenarios["score"].map(end) if has_scores else np.nan
    if "people" in scenarios:
        scenarios["respondents_repeat"] = bool(scenarios["people"].duplicated().any())
    else:
        scenarios["people"] = _people(scenarios)
    if "question" not in scenarios:
        scenarios["question"] = scenarios["description"]
    people = outcomes[outcomes["source"] == HUMAN].groupby("scenario")["count"].sum()
    scenarios["n_human"] = scenarios["scenario"].map(people).fillna(0.0).astype(float)
    scenarios["weighted"] = "n_effective" in scenarios
    if "n_effective" not in scenarios:
        scenarios["n_effective"] = scenarios["n_human"]
    for column, empty in (("df", np.nan), ("square", None), ("replicates", None)):
        if column not in scenarios:
            scenarios[column] = empty
    return scenarios


def _people(scenarios: pd.DataFrame) -> pd.Series:
    """Return whose scenarios they are, as far as ``respondents_repeat`` tells; it is completed."""
    if "respondents_repeat" not in scenarios:
        scenarios["respondents_repeat"] = None
    repeat = scenarios["respondents_repeat"]
    separate = scenarios["scenario"].where(repeat.eq(False))
    return separate.mask(repeat.eq(True), "the same").astype(object).where(repeat.notna(), None)


def without_scores(values: list[float]) -> None:
    """Return no scores."""


DEFAULT_SCORES = {
    "binary": lambda values: [0.0, 1.0],
    "ordinal": lambda values: np.linspace(*UNSCORED, len(values)).tolist(),
    "categorical": without_scores,
    **dict.fromkeys(POINTS, without_scores),
    "bounded": lambda values: values,
    "real": lambda values: values,
}


def _refuse(rows: pd.DataFrame, origin: str, why: str) -> None:
    """Raise a DataError that names the first offending row, if there is any."""
    if rows.empty:
        return
    first = rows.iloc[0]
    where = [origin]
    if isinstance(rows.index[0], (int, np.integer)):
        where.append(f"row {rows.index[0] + 1}")
    where += [f"{key} {first[key]!r}" for key in ("scenario", "source") if key in rows]
    more = f" ({len(rows) - 1} more like it)" if len(rows) > 1 else ""
    raise refusal("wrong-rows", f"{why}{more}", file=", ".join(where))


def _numeric(frame: pd.DataFrame, columns: list[str], origin: str) -> pd.DataFrame:
    """Return ``frame`` with numbers in ``columns``; refuse cells that are no numbers."""
    frame = frame.copy()
    for column in columns:
        number = pd.to_numeric(frame[column], errors="coerce").astype(float)
        _refuse(
            frame[~np.isfinite(number)],
            origin,
            f"column {column!r} is missing or not a finite number; drop the row or mend it",
        )
        frame[column] = number
    return frame


def check_scenarios(
    scenarios: pd.DataFrame, kind: str, *, curves: bool = True, origin: str
) -> None:
    """Raise :class:`DataError` unless every scenario is described once and has its options.

    Where no curves are wanted, all may have given the same number.
    """
    for column in ("scenario", "cluster", "description"):
        _refuse(
            scenarios[scenarios[column].isna()],
            origin,
            f"column {column!r} is empty; name it, or drop the scenario",
        )
    _refuse(
        scenarios[scenarios["scenario"].duplicated()],
        origin,
        "the scenario appears twice; give each scenario one row",
    )
    n_options = scenarios["value"].map(len)
    _refuse(
        scenarios[(n_options < 2) & (curves or kind not in NUMBERS)],
        origin,
        "has fewer than two options, so nothing can differ; drop it or list all its options",
    )
    _refuse(
        scenarios[(n_options != 2) & (kind == "binary")],
        origin,
        "is declared binary but has more than two options; use outcome kind ordinal or categorical",
    )
    _refuse(
        scenarios[scenarios["value"].map(lambda values: len(set(values))) != n_options],
        origin,
        "lists an option code twice in column 'value'; give each option its own code",
    )
    _refuse(
        scenarios[scenarios["option"].map(len) != n_options],
        origin,
        "has not as many texts in column 'option' as codes in column 'value'; name each option",
    )
    if "score" in scenarios:
        sound = [
            np.shape(score) == (len(values),) and np.isfinite(score).all() and np.ptp(score) > 0
            for score, values in zip(scenarios["score"], scenarios["value"], strict=True)
        ]
        _refuse(
            scenarios[~np.array(sound)],
            origin,
            "needs one finite number for each option in column 'score', not all equal",
        )
    _check_sizes(scenarios, kind, origin)
    if kind == "bounded":
        known = {"lower", "upper"} <= set(scenarios)
        within = [
            known and row["lower"] <= min(row["value"]) and max(row["value"]) <= row["upper"]
            for _, row in scenarios.iterrows()
        ]
        _refuse(
            scenarios[~np.array(within, bool)],
            origin,
            "needs columns 'lower' and 'upper', the range its outcomes can have, around all values",
        )
    if "n_effective" in scenarios:
        _refuse(
            scenarios[~(scenarios["n_effective"] >= 1)],
            origin,
            "has an effective number of people below 1 in column 'n_effective'; check the weights "
            "and the weighting_effect, or drop the scenario",
        )


def _check_sizes(scenarios: pd.DataFrame, kind: str, origin: str) -> None:
    """Check that differences of outcomes, and their squares, are numbers that a computer has."""
    columns = {"ordinal": ["score"], "bounded": ["value", "lower", "upper"], "real": ["value"]}
    for column in columns.get(kind, []):
        if column not in scenarios:
            continue
        numbers = scenarios[column].map(lambda given: np.atleast_1d(np.asarray(given, float)))
        _refuse(
            scenarios[numbers.map(lambda given: (np.abs(given) > LARGEST).any())],
            origin,
            f"column {column!r} holds a number beyond {LARGEST:g}; use another unit",
        )
        _refuse(
            scenarios[numbers.map(lambda given: 0 < np.ptp(given) < 1 / LARGEST)],
            origin,
            f"the numbers differ by less than {1 / LARGEST:g}; use another unit",
        )


def _check_values(
    frame: pd.DataFrame, scenarios: pd.DataFrame, keys: list[str], number: str, origin: str
) -> None:
    """Check that who answers where is told, each option is one of the scenario's, and named once.

    Args:
        frame: columns ``keys``, ``value`` and ``number``.
        scenarios: with their options.
        keys: who answers where.
        number: a column of numbers, none below 0.
        origin: the data's name in error messages.
    """
    if frame.empty:
        return
    for column in keys:
        _refuse(
            frame[frame[column].isna()],
            origin,
            f"column {column!r} is empty; fill it or drop the row",
        )
    options = scenarios[["scenario", "value"]].explode("value").astype({"value": float})
    pairs = pd.MultiIndex.from_frame(frame[["scenario", "value"]])
    known = pd.MultiIndex.from_frame(options).get_indexer(pairs)
    strangers = frame[known < 0]
    if not strangers.empty:
        first = strangers.iloc[0]
        allowed = options.loc[options["scenario"] == first["scenario"], "value"].tolist()
        allowed = allowed or "none: the scenario itself is unknown"
        _refuse(
            strangers,
            origin,
            f"column 'value' holds {first['value']:g}, which is no option of this scenario "
            f"(options: {allowed}); recode it or add the option",
        )
    _refuse(
        frame[frame.duplicated([*keys, "value"])],
        origin,
        f"the same {', '.join(keys)} and value appear twice; add up their counts",
    )
    _refuse(
        frame[frame[number] < 0], origin, f"column {number!r} is negative; mend it or drop the row"
    )


def check_outcomes(
    outcomes: pd.DataFrame, scenarios: pd.DataFrame, *, weighted: bool, origin: str
) -> None:
    """Raise :class:`DataError` unless every count can be trusted.

    Only people's counts may be fractions, and only if they are ``weighted``.
    """
    _check_values(outcomes, scenarios, ["scenario", "source"], "count", origin)
    may_be_fractional = (outcomes["source"] == HUMAN) & weighted
    _refuse(
        outcomes[(outcomes["count"] % 1 != 0) & ~may_be_fractional],
        origin,
        "column 'count' is not a whole number; only survey-weighted people may have fractions, "
        "with a column 'n_effective' in scenarios and a weighting_effect in the config",
    )
    by_source = outcomes.groupby(["scenario", "source"], observed=True, sort=False)
    answers = by_source["count"].transform("sum")
    _refuse(
        outcomes[answers >= MOST_ANSWERS],
        origin,
        "column 'count' adds up to a billion or more, beyond what can be subsampled; check the "
        "unit, or lower draws",
    )


def check_respondents(by_respondent: pd.DataFrame, outcomes: pd.DataFrame, *, origin: str) -> None:
    """Raise :class:`DataError` unless respondents' answers add up to the counts of people."""
    keys = ["scenario", "value"]
    twice = by_respondent.duplicated(["scenario", "respondent"])
    _refuse(by_respondent[twice], origin, "a respondent answers this scenario twice; keep one row")
    people = outcomes[outcomes["source"] == HUMAN].astype({"scenario": str})
    summed = by_respondent.groupby(keys, observed=True)["weight"].sum().reset_index()
    summed = summed.astype({"scenario": str}).set_index(keys)["weight"]
    apart = people.set_index(keys)["count"].sub(summed, fill_value=0.0)
    _refuse(
        apart[apart.abs() > ROUNDING].reset_index(),
        origin,
        "respondents' answers do not add up to the counts of people; check the ingest",
    )


def check_runs(runs: pd.DataFrame, outcomes: pd.DataFrame, *, origin: str) -> None:
    """Raise :class:`DataError` unless the answers of runs are among those of their simulators."""
    keys = ["scenario", "source", "value"]
    twice = runs.duplicated(["scenario", "source", "run"])
    _refuse(runs[twice], origin, "a run answers this scenario twice; keep one row")
    names = {"scenario": str, "source": str}
    known = outcomes.astype(names).set_index(keys)["count"]
    of_runs = runs.astype({**names, "value": float}).groupby(keys, observed=True).size()
    more = of_runs.sub(known, fill_value=0.0)
    _refuse(
        more[more > ROUNDING].reset_index(),
        origin,
        "runs answer more often than their simulator; check the ingest",
    )


def check_stated(
    stated: pd.DataFrame, scenarios: pd.DataFrame, *, by: Sequence[str] = (), origin: str
) -> None:
    """Raise :class:`DataError` unless every stated vector is a probability vector.

    Of each scenario and source there is one, or one for each of the columns ``by``.
    """
    keys = ["scenario", "source", *by]
    _check_values(stated, scenarios, keys, "probability", origin)
    total = stated.groupby(keys, as_index=False)["probability"].sum()
    _refuse(
        total[(total["probability"] - 1).abs() > SUM_TOLERANCE].set_index(["scenario"], drop=False),
        origin,
        "stated probabilities do not sum to one; normalise them",
    )


def check_missing(missing: pd.DataFrame, scenarios: pd.DataFrame, *, origin: str) -> None:
    """Raise :class:`DataError` unless it is clear what is missing, where and why."""
    _check_known(missing, scenarios, origin)
    _refuse(
        missing[~missing["reason"].isin(REASONS)],
        origin,
        f"column 'reason' of what is missing is not among {', '.join(REASONS)}",
    )
    _refuse(
        missing[missing.duplicated(["scenario", "source", "reason"])],
        origin,
        "the same scenario, source and reason are missing twice; add up their counts",
    )


def check_personas(personas: pd.DataFrame, scenarios: pd.DataFrame, *, origin: str) -> None:
    """Raise :class:`DataError` unless each persona is a text, and answers a known scenario."""
    _check_values(personas, scenarios, ["scenario", "persona"], "count", origin)


def _check_known(rows: pd.DataFrame, scenarios: pd.DataFrame, origin: str) -> None:
    _refuse(
        rows[~rows["scenario"].isin(scenarios["scenario"])],
        origin,
        "is no scenario of this dataset; drop the row or add the scenario",
    )
    _refuse(rows[rows["count"] < 0], origin, "column 'count' is negative; mend it or drop the row")


def check_simulators(
    outcomes: pd.DataFrame, stated: pd.DataFrame, simulators: list[str], *, origin: str
) -> None:
    """Raise :class:`DataError` if a simulator of the config answers in no scenario."""
    present = (set(outcomes["source"]) | set(stated["source"])) - {HUMAN}
    missing = [name for name in simulators if name not in present]
    if missing:
        raise refusal(
            "simulator-not-there",
            f"simulator {missing[0]!r} answers in no scenario; there are: "
            f"{', '.join(sorted(present)) or 'none'}",
            file=origin,
        )
