"""Ends of scales are those of the scores that options get, whatever numbers people saw."""

import pandas as pd
import pytest

from fidelity_study.reading.ingest.save import completed

ENDS = {"lower": [1.0, 0.0], "upper": [7.0, 1.0]}  # as the codebook says


def scales(kind, **more):
    """Return the ends of two scenarios, of 7 options and of 2."""
    values = [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [0.0, 1.0]]
    scenarios = pd.DataFrame(
        {"scenario": ["a", "b"], "cluster": ["a", "b"], "description": ["a", "b"], "value": values}
        | ENDS
        | more
    )
    outcomes = pd.DataFrame({"source": ["human"], "scenario": ["a"], "value": [1.0], "count": [9]})
    made = completed(scenarios, outcomes, kind)
    return made["lower"].tolist(), made["upper"].tolist()


@pytest.mark.parametrize(
    ("kind", "more", "ends"),
    [
        ("ordinal", {}, ([-1.0, -1.0], [1.0, 1.0])),
        ("ordinal", {"score": [[0.0, 1, 2, 3, 4, 5, 6], [0.0, 6.0]]}, ([0.0, 0.0], [6.0, 6.0])),
        ("bounded", {}, ([1.0, 0.0], [7.0, 1.0])),
    ],
)
def test_ends_are_those_of_scores(kind, more, ends):
    assert scales(kind, **more) == ends
