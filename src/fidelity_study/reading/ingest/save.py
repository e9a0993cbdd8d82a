"""From people's tables to ``outcomes``, ``scenarios`` and ``stated``: the last look at raw data.

A dataset's ``ingest.py`` builds a :class:`Responses` and calls :func:`save`, which refuses
anything the later steps could not trust. Nothing downstream sees an individual response.
"""

from collections.abc import Iterator, Sequence
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
    refuse(origin, wrong_scenarios(responses.scenarios, kind, curves=has_curves))
    weighted = "n_effective" in responses.scenarios
    outcomes = _numeric(responses.outcomes, ["value", "count"], origin)
    stated = _numeric(responses.stated, ["value", "probability"], origin)
    refuse(origin, wrong_outcomes(outcomes, responses.scenarios, weighted=weighted))
    refuse(origin, wrong_stated(stated, responses.scenarios))
    missing = _numeric(responses.missing, ["count"], origin)
    people = responses.respondents
    personas = responses.personas if people is None else people.rows(responses.scenarios)
    personas = _numeric(personas, ["value", "count"], origin)
    by_persona = _numeric(responses.stated_by_persona, ["value", "probability"], origin)
    refuse(origin, wrong_missing(missing, responses.scenarios))
    refuse(origin, _wrong_values(personas, responses.scenarios, ["scenario", "persona"], "count"))
    refuse(origin, wrong_stated(by_persona, responses.scenarios, by=["persona"]))
    outcomes = outcomes[outcomes["count"] > 0]
    check_simulators(outcomes, stated, study["simulators"], origin=origin)
    by_respondent = responses.by_respondent
    if by_respondent is None:
        by_respondent = pd.DataFrame(columns=RESPONDENTS.names)
    else:
        by_respondent = by_respondent.assign(weight=by_respondent.get("weight", 1.0))
        refuse(origin, wrong_respondents(by_respondent, outcomes))
        by_respondent = _with_all_columns(by_respondent, RESPONDENTS)
    runs = responses.runs[responses.runs["source"].isin(study["simulators"] or ())]
    refuse(origin, wrong_runs(runs, outcomes))
    scenarios = completed(responses.scenarios, outcomes, kind)
    refuse(origin, _wrong_people(scenarios, outcomes, is_real=kind == "real" and has_curves))
    for name, frame, schema in (
        ("outcomes", outcomes, OUTCOMES),
        ("scenarios", scenarios, SCENARIOS),
        ("stated", _with_all_columns(stated, STATED), STATED),
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


Wrong = Iterator[tuple[pd.DataFrame, str]]
"""Rows that may be wrong, if there are any, and why."""


def refuse(origin: str, wrong: Wrong) -> None:
    """Raise a DataError that names the first of the first wrong rows, if there are any."""
    for rows, why in wrong:
        if rows.empty:
            continue
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
        why = f"column {column!r} is missing or not a finite number; drop the row or mend it"
        refuse(origin, iter([(frame[~np.isfinite(number)], why)]))
        frame[column] = number
    return frame


def _wrong_people(scenarios: pd.DataFrame, outcomes: pd.DataFrame, *, is_real: bool) -> Wrong:
    """Yield scenarios whose people are too few, or cannot be resampled where that ``is_real``."""
    none = scenarios[~(scenarios["n_human"] > 0)]
    yield none, "has no human responses; drop the scenario or add its people"
    single = scenarios[(scenarios["n_human"] < FEWEST_REAL) & is_real]
    yield (
        single,
        "has a single human response; sets for real outcomes are resampled and need 2: drop the "
        "scenario, add people, or put curves: false into the config for scores alone",
    )
    of_real = outcomes[outcomes["source"].eq(HUMAN) & is_real]
    yield (
        of_real[of_real["count"] % 1 != 0],
        "weights make counts of people fractions; sets for real outcomes are resampled and need "
        "whole ones: say between which numbers answers are, as kind bounded with bounds, or leave "
        "the weights out",
    )


def wrong_scenarios(scenarios: pd.DataFrame, kind: str, *, curves: bool = True) -> Wrong:
    """Yield scenarios that are not described once, or lack options.

    Where no curves are wanted, all may have given the same number.
    """
    for column in ("scenario", "cluster", "description"):
        why = f"column {column!r} is empty; name it, or drop the scenario"
        yield scenarios[scenarios[column].isna()], why
    twice = scenarios[scenarios["scenario"].duplicated()]
    yield twice, "the scenario appears twice; give each scenario one row"
    n_options = scenarios["value"].map(len)
    few = scenarios[(n_options < 2) & (curves or kind not in NUMBERS)]
    yield few, "has fewer than two options, so nothing can differ; drop it or list all its options"
    many = scenarios[(n_options != 2) & (kind == "binary")]
    why = (
        "is declared binary but has more than two options; use outcome kind ordinal or categorical"
    )
    yield many, why
    again = scenarios[scenarios["value"].map(lambda values: len(set(values))) != n_options]
    yield again, "lists an option code twice in column 'value'; give each option its own code"
    nameless = scenarios[scenarios["option"].map(len) != n_options]
    why = "has not as many texts in column 'option' as codes in column 'value'; name each option"
    yield nameless, why
    if "score" in scenarios:
        sound = [
            np.shape(score) == (len(values),) and np.isfinite(score).all() and np.ptp(score) > 0
            for score, values in zip(scenarios["score"], scenarios["value"], strict=True)
        ]
        why = "needs one finite number for each option in column 'score', not all equal"
        yield scenarios[~np.array(sound)], why
    yield from _wrong_sizes(scenarios, kind)
    if kind == "bounded":
        known = {"lower", "upper"} <= set(scenarios)
        within = [
            known and row["lower"] <= min(row["value"]) and max(row["value"]) <= row["upper"]
            for _, row in scenarios.iterrows()
        ]
        why = (
            "needs columns 'lower' and 'upper', the range its outcomes can have, around all values"
        )
        yield scenarios[~np.array(within, bool)], why
    if "n_effective" in scenarios:
        yield (
            scenarios[~(scenarios["n_effective"] >= 1)],
            "has an effective number of people below 1 in column 'n_effective'; check the weights "
            "and the weighting_effect, or drop the scenario",
        )


def _wrong_sizes(scenarios: pd.DataFrame, kind: str) -> Wrong:
    """Yield scenarios whose outcomes differ by numbers, or squares, that no computer has."""
    columns = {"ordinal": ["score"], "bounded": ["value", "lower", "upper"], "real": ["value"]}
    for column in (column for column in columns.get(kind, []) if column in scenarios):
        numbers = scenarios[column].map(lambda given: np.atleast_1d(np.asarray(given, float)))
        beyond = scenarios[numbers.map(lambda given: (np.abs(given) > LARGEST).any())]
        yield beyond, f"column {column!r} holds a number beyond {LARGEST:g}; use another unit"
        near = scenarios[numbers.map(lambda given: 0 < np.ptp(given) < 1 / LARGEST)]
        yield near, f"the numbers differ by less than {1 / LARGEST:g}; use another unit"


def _wrong_values(
    frame: pd.DataFrame, scenarios: pd.DataFrame, keys: list[str], number: str
) -> Wrong:
    """Yield rows that don't tell who answers where, whose option is no one of it, or comes again.

    Args:
        frame: columns ``keys``, ``value`` and ``number``.
        scenarios: with their options.
        keys: who answers where.
        number: a column of numbers, none below 0.
    """
    if frame.empty:
        return
    for column in keys:
        yield frame[frame[column].isna()], f"column {column!r} is empty; fill it or drop the row"
    options = scenarios[["scenario", "value"]].explode("value").astype({"value": float})
    pairs = pd.MultiIndex.from_frame(frame[["scenario", "value"]])
    strangers = frame[pd.MultiIndex.from_frame(options).get_indexer(pairs) < 0]
    if not strangers.empty:
        first = strangers.iloc[0]
        allowed = options.loc[options["scenario"] == first["scenario"], "value"].tolist()
        allowed = allowed or "none: the scenario itself is unknown"
        yield (
            strangers,
            f"column 'value' holds {first['value']:g}, which is no option of this scenario "
            f"(options: {allowed}); recode it or add the option",
        )
    again = frame[frame.duplicated([*keys, "value"])]
    yield again, f"the same {', '.join(keys)} and value appear twice; add up their counts"
    yield frame[frame[number] < 0], f"column {number!r} is negative; mend it or drop the row"


def wrong_outcomes(outcomes: pd.DataFrame, scenarios: pd.DataFrame, *, weighted: bool) -> Wrong:
    """Yield counts that cannot be trusted.

    Only people's counts may be fractions, and only if they are ``weighted``.
    """
    yield from _wrong_values(outcomes, scenarios, ["scenario", "source"], "count")
    may_be_fractional = (outcomes["source"] == HUMAN) & weighted
    yield (
        outcomes[(outcomes["count"] % 1 != 0) & ~may_be_fractional],
        "column 'count' is not a whole number; only survey-weighted people may have fractions, "
        "with a column 'n_effective' in scenarios and a weighting_effect in the config",
    )
    by_source = outcomes.groupby(["scenario", "source"], observed=True, sort=False)
    yield (
        outcomes[by_source["count"].transform("sum") >= MOST_ANSWERS],
        "column 'count' adds up to a billion or more, beyond what can be subsampled; check the "
        "unit, or lower draws",
    )


def wrong_respondents(by_respondent: pd.DataFrame, outcomes: pd.DataFrame) -> Wrong:
    """Yield respondents' answers that do not add up to the counts of people."""
    twice = by_respondent[by_respondent.duplicated(["scenario", "respondent"])]
    yield twice, "a respondent answers this scenario twice; keep one row"
    people = outcomes[outcomes["source"] == HUMAN]
    more = _more(by_respondent, people, ["scenario"])
    apart = more[more.abs() > ROUNDING].reset_index()
    yield apart, "respondents' answers do not add up to the counts of people; check the ingest"


def wrong_runs(runs: pd.DataFrame, outcomes: pd.DataFrame) -> Wrong:
    """Yield answers of runs that are not among those of their simulators."""
    twice = runs[runs.duplicated(["scenario", "source", "run"])]
    yield twice, "a run answers this scenario twice; keep one row"
    more = _more(runs.assign(weight=1.0), outcomes, ["scenario", "source"])
    more = more[more > ROUNDING].reset_index()
    yield more, "runs answer more often than their simulator; check the ingest"


def _more(answers: pd.DataFrame, outcomes: pd.DataFrame, names: list[str]) -> pd.Series:
    """Return by how much the weights of answers add up to more than the counts of outcomes."""
    types = {**dict.fromkeys(names, str), "value": float}
    weights, counts = (
        table.astype(types).groupby([*types], observed=True)[amount].sum()
        for table, amount in ((answers, "weight"), (outcomes, "count"))
    )
    return weights.sub(counts, fill_value=0.0)


def wrong_stated(stated: pd.DataFrame, scenarios: pd.DataFrame, *, by: Sequence[str] = ()) -> Wrong:
    """Yield stated vectors that are no probability vectors.

    Of each scenario and source there is one, or one for each of the columns ``by``.
    """
    keys = ["scenario", "source", *by]
    yield from _wrong_values(stated, scenarios, keys, "probability")
    total = stated.groupby(keys, as_index=False)["probability"].sum()
    off = total[(total["probability"] - 1).abs() > SUM_TOLERANCE]
    named = off.set_index(["scenario"], drop=False)
    yield named, "stated probabilities do not sum to one; normalise them"


def wrong_missing(missing: pd.DataFrame, scenarios: pd.DataFrame) -> Wrong:
    """Yield rows that don't tell what is missing, where and why."""
    unknown = missing[~missing["scenario"].isin(scenarios["scenario"])]
    yield unknown, "is no scenario of this dataset; drop the row or add the scenario"
    below = missing[missing["count"] < 0]
    yield below, "column 'count' is negative; mend it or drop the row"
    strange = missing[~missing["reason"].isin(REASONS)]
    yield strange, f"column 'reason' of what is missing is not among {', '.join(REASONS)}"
    twice = missing[missing.duplicated(["scenario", "source", "reason"])]
    yield twice, "the same scenario, source and reason are missing twice; add up their counts"


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
