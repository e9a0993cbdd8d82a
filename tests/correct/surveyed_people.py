"""Tables of a survey whose truth is known, and a simulator that is too certain."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa

from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS

STEP = {
    "seed": 1,
    "dataset": "town",
    "simulators": ["certain", "uniform"],
    "pairs": {"tv": ["witness"]},
    "smoothed": [],
    "test": {"alpha": 0.05},
    "correct": ["tempered", "ridge", "stacked"],
}


def survey(generator, p, persons, topics, *, repeat=True, weighted=False, texts=None):
    """Return tables of people's answers to m scenarios, and the answers, (persons, m).

    Args:
        p: their shares, (m, d).
        persons: how many; the same in all scenarios if they ``repeat``.
        topics: the cluster of each scenario.
        weighted: whether they are said to be weighted.
        texts: the questions' wordings; the names if there are none.
    """
    m, d = p.shape
    names = [f"q{j:02}" for j in range(m)]
    own, of_person = generator.random((persons, m)), generator.random((persons, 1))
    u = (of_person + 0.7 * own) % 1.0 if repeat else own
    chosen = (u[..., None] > p.cumsum(1)[None, :, :-1]).sum(-1)
    described = [
        {
            "scenario": names[j],
            "cluster": str(topics[j]),
            "kind": "categorical",
            "n_options": d,
            "question": texts[j] if texts else names[j],
            "value": [float(option) for option in range(d)],
            "score": [float(option) for option in range(d)],
            "n_human": float(persons),
            "n_effective": float(persons),
            "weighted": weighted,
            "respondents_repeat": repeat,
            "people": "the same" if repeat else names[j],
        }
        for j in range(m)
    ]
    return SimpleNamespace(
        scenarios=pa.Table.from_pylist(described, SCENARIOS), chosen=chosen, names=names, d=d
    )


def outcomes(town) -> pa.Table:
    """Return how many people chose each option."""
    counts = (town.chosen[..., None] == np.arange(town.d)).sum(0)
    rows = [
        {"scenario": name, "source": "human", "value": float(option), "count": float(count)}
        for name, row in zip(town.names, counts, strict=True)
        for option, count in enumerate(row)
        if count
    ]
    return pa.Table.from_pylist(rows, OUTCOMES)


def respondents(town) -> pa.Table:
    """Return who answered what."""
    rows = [
        {"scenario": town.names[j], "respondent": who, "value": float(option), "weight": 1.0}
        for who, answers in enumerate(town.chosen)
        for j, option in enumerate(answers)
    ]
    return pa.Table.from_pylist(rows, RESPONDENTS)


def too_certain(p, power=3.0):
    """Return p^power, as probabilities."""
    raised = p**power
    return raised / raised.sum(1, keepdims=True)
