"""Baseline simulators: the study adds those that the config wants and the data allow."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity.baselines.base import BASELINES, Asked, Baseline
from fidelity_study.errors import DataError, refusal
from fidelity_study.reading.ingest.answers import long_rows
from fidelity_study.reading.ingest.responses import Responses, drawn_answers
from fidelity_study.reading.settings import WITHOUT_OPTIONS
from fidelity_study.tables.ingest import HUMAN

USUAL = ("uniform", "pooled")
NEEDS = {
    "wording": "the wording of questions, which is missing; add it as a column question to the "
    "file of scenarios",
    "series": "earlier answers to the same question; add a column series that names the question",
    "time": "earlier answers to the same question; add a column time that says when it was asked",
    "features": "respondents' covariates, which this dataset lacks; choose another dataset",
    "by_person": "each respondent's answers, which this dataset lacks; choose another dataset",
}


def with_baselines(step: dict, responses: Responses) -> Responses:
    """Add the baselines that the config wants and that the data don't have, stated and drawn.

    Each is fitted among the scenarios with the same options, and has no answer where these teach it
    nothing.

    Args:
        step: the ingest's params.
        responses: of binary, ordinal or categorical outcomes.

    Raises:
        DataError: if a baseline has nothing to learn from, or needs what the dataset doesn't tell.
    """
    answers = (responses.outcomes, responses.stated, responses.missing)
    there = {name for table in answers for name in table["source"].unique()}
    names = [name for name in step["simulators"] if name in BASELINES and name not in there]
    if not names:
        return responses
    groups = list(_alike(responses))
    stated, by_persona = [responses.stated], [responses.stated_by_persona]
    for name in names:
        tables = _taught(name, groups, responses.origin)
        by_persona += [
            _by_persona(name, *table, responses.respondents.text)
            for table in tables
            if table[2].ndim == 3 and responses.respondents is not None
        ]
        stated += [_stated(name, *table) for table in tables]
    added = pd.concat(stated[1:], ignore_index=True)
    answered = drawn_answers(step, added)
    return replace(
        responses,
        outcomes=pd.concat([responses.outcomes, answered], ignore_index=True),
        stated=pd.concat(stated, ignore_index=True),
        stated_by_persona=pd.concat(by_persona, ignore_index=True),
    )


def allowed(step: dict, responses: Responses) -> list[str]:
    """Return the usual baselines that have something to learn from and no simulator's name.

    Args:
        step: the ingest's params.
        responses: of any outcomes.
    """
    if step["outcome"]["kind"] in WITHOUT_OPTIONS:
        return []
    sources = (responses.outcomes["source"], responses.stated["source"])
    there = {name for source in sources for name in source.unique()}
    groups = list(_alike(responses))
    working = []
    for name in USUAL:
        with suppress(DataError):
            if name not in there:
                _taught(name, groups, responses.origin)
                working.append(name)
    return working


def _taught(
    name: str, groups: list[tuple[pd.DataFrame, Asked]], origin: str
) -> list[tuple[pd.DataFrame, Asked, np.ndarray]]:
    """Return groups of scenarios with what a baseline states of each; DataError if of none."""
    baseline = BASELINES[name]
    _check_needs(baseline, groups[0][1], origin)
    try:
        tables = [(scenarios, asked, baseline.state(asked)) for scenarios, asked in groups]
    except ValueError as error:
        raise refusal(
            "baseline-fails", f"{error}; take {name} out of simulators", file=origin
        ) from None
    if all(_stated(name, *table).empty for table in tables):
        raise refusal(
            "nothing-to-learn",
            f"the simulator {name} has nothing to learn from, as {baseline.no_teacher}; take "
            "it out",
            file=origin,
        )
    return tables


def _alike(responses: Responses) -> Iterator[tuple[pd.DataFrame, Asked]]:
    """Yield the scenarios with the same options, and what baselines may know of them."""
    outcomes, scenarios = responses.outcomes, responses.scenarios.reset_index(drop=True)
    people = outcomes[outcomes["source"] == HUMAN].set_index(["scenario", "value"])["count"]
    options = [scenarios["value"].map(tuple), scenarios["option"].map(tuple)]
    for (values, _), group in scenarios.groupby(options):
        cells = pd.MultiIndex.from_product([group["scenario"], values])
        counts = people.reindex(cells, fill_value=0.0).to_numpy(float).reshape(len(group), -1)

        def told(*names, group=group):
            columns = [group[name].to_numpy() for name in names if name in group]
            return columns[0] if columns else None

        who = responses.respondents
        wording = told("wording", "question")
        yield (
            group,
            Asked(
                counts=counts,
                alike=told("alike", "cluster").astype(str),
                series=told("series"),
                time=told("time"),
                wording=None if wording is None else wording.tolist(),
                features=None if who is None else who.features,
                by_person=None if who is None else who.counts[group.index],
            ),
        )


def _check_needs(baseline: Baseline, asked: Asked, origin: str) -> None:
    for need in baseline.needs:
        if getattr(asked, need) is None:
            raise refusal(
                "nothing-to-learn",
                f"the simulator {baseline.name} learns from {NEEDS[need]}, or take the simulator "
                "out",
                file=origin,
            )


def _stated(name: str, scenarios: pd.DataFrame, asked: Asked, table: np.ndarray) -> pd.DataFrame:
    """Return rows of ``stated``, none for scenarios where nothing is known."""
    if table.ndim == 3:
        table = asked.averaged(table)
    return long_rows(scenarios["scenario"], scenarios["value"].iloc[0], table, name, "probability")


def _by_persona(
    name: str, scenarios: pd.DataFrame, asked: Asked, table: np.ndarray, text: np.ndarray
) -> pd.DataFrame:
    """Return rows of ``stated_by_persona``, of the personas who answered the scenario."""
    assert asked.by_person is not None
    values = np.array(scenarios["value"].iloc[0], float)
    j, p = np.nonzero(asked.by_person.any(axis=2) & ~np.isnan(table).any(axis=2))
    return pd.DataFrame(
        {
            "scenario": scenarios["scenario"].to_numpy()[j].repeat(len(values)),
            "source": name,
            "persona": text[p].repeat(len(values)),
            "value": np.tile(values, len(j)),
            "probability": table[j, p].ravel(),
        }
    )
