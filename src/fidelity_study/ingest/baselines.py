"""Baseline simulators that any dataset with options can have: they need people's answers only."""

from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity.baselines import from_answers as simulator
from fidelity_study.errors import DataError
from fidelity_study.ingest.answers import LEARNED, Simulators, drawn_answers, learned, stated_rows
from fidelity_study.ingest.responses import HUMAN, Responses

BASELINES = ("uniform", "pooled", *LEARNED)
NOTHING_TO_LEARN_FROM = {
    "pooled": "no two scenarios of a cluster have the same options",
    **dict.fromkeys(LEARNED, "no two questions with the same options are in different folds"),
}


def with_baselines(step: dict, responses: Responses) -> Responses:
    """Add the baselines that the config wants and that the data don't have, stated and drawn.

    Each is fitted among the scenarios with the same options, and has no answer where these teach it
    nothing: ``uniform``; ``pooled``, the shares of the other scenarios of the cluster;
    ``nearest_questions`` and ``question_ridge``, which learn from the wording in ``question``.

    Args:
        step: the ingest's params.
        responses: of binary, ordinal or categorical outcomes.

    Raises:
        DataError: if a baseline has nothing to learn from, or the wording is not told.
    """
    answers = (responses.outcomes, responses.stated, responses.missing)
    there = {name for table in answers for name in table["source"].unique()}
    wanted = [name for name in step["simulators"] if name in BASELINES and name not in there]
    if not wanted:
        return responses
    for name in wanted:
        if name in LEARNED and "question" not in responses.scenarios:
            raise DataError(
                f"{responses.origin}: the simulator {name} learns from the wording of questions, "
                "which is not told; add it as a column question to the file of scenarios, or take "
                "the simulator out"
            )
    try:
        stated = _stated(wanted, responses)
    except ValueError as error:
        raise DataError(
            f"{responses.origin}: {error}; take {' and '.join(LEARNED)} out of simulators"
        ) from None
    for name, why in NOTHING_TO_LEARN_FROM.items():
        if name in wanted and name not in set(stated["source"]):
            raise DataError(
                f"{responses.origin}: the simulator {name} has nothing to learn from, as {why}; "
                "take it out"
            )
    return replace(
        responses,
        outcomes=pd.concat([responses.outcomes, drawn_answers(step, stated)], ignore_index=True),
        stated=pd.concat([responses.stated, stated], ignore_index=True),
    )


def _stated(wanted: list[str], responses: Responses) -> pd.DataFrame:
    """Fit the baselines in each group of scenarios with the same options."""
    outcomes, scenarios = responses.outcomes, responses.scenarios
    people = outcomes[outcomes["source"] == HUMAN].set_index(["scenario", "value"])["count"]
    alike = scenarios.groupby([scenarios["value"].map(tuple), scenarios["option"].map(tuple)])
    tables = []
    for (values, _), group in alike:
        cells = pd.MultiIndex.from_product([group["scenario"], values])
        counts = people.reindex(cells, fill_value=0.0).to_numpy(float).reshape(len(group), -1)
        simulators = _simulators(counts, group)
        tables.append(stated_rows({"simulators": wanted}, group["scenario"], values, simulators))
    return pd.concat(tables, ignore_index=True)


def _simulators(counts: np.ndarray, scenarios: pd.DataFrame) -> Simulators:
    simulators = {
        "uniform": lambda: simulator.uniform(counts),
        "pooled": lambda: simulator.pooled(counts, scenarios["cluster"].to_numpy(str)),
    }
    if "question" not in scenarios:
        return simulators
    return simulators | learned(counts, scenarios["question"].tolist())
