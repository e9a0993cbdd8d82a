"""What the page's table shows of baselines is what simulators are compared with."""

from types import SimpleNamespace

import pytest

from fidelity_study.report.summaries import ComparisonTable
from fidelity_study.steps.cases import DRAWN, TRUE


def standing_of(closer, answers):
    """Return standings of a model that draws beside a guess that states, from these rows."""
    cell = {"simulator": "model", "other": "uniform", "k": "20", "discrepancy": "tv"}
    rows = [
        {**cell, "target": "asked", "answers": each, "closer": name}
        for each, name in zip(answers, closer, strict=True)
    ]
    results = SimpleNamespace(
        mean_differences=rows,
        states=lambda name: name == "uniform",
        compared_at=lambda *names: "20",
    )
    return ComparisonTable(results, "tv", None)


@pytest.mark.parametrize(
    ("closer", "answers", "settled"),
    [
        ([None], [TRUE], None),
        (["uniform"], [TRUE], "uniform"),
        (["model"], [TRUE], "model"),
        ([None], [DRAWN], None),
    ],
)
def test_the_noise_of_few_draws_settles_nothing_against_a_simulator(closer, answers, settled):
    found = standing_of(closer, answers)
    assert found.certainly_closer("model", "uniform") == (settled == "model")
    assert found.certainly_closer("uniform", "model") == (settled == "uniform")
