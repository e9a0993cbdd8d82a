"""What the page's table shows of baselines is what simulators are compared with."""

from functools import cache
from types import SimpleNamespace

import pytest
from small_study import ECHO, STUDY, TWIN

from fidelity_study.report.summaries import ComparisonTable, comparison_tables
from fidelity_study.report.tables import first
from fidelity_study.steps.cases import DRAWN, TRUE
from fidelity_study.steps.draws import STATED_FORM


@pytest.fixture(scope="module")
def beside_a_guess(small_study, tmp_path_factory):
    """Return the standings of the survey's dataset with these simulators and a uniform guess."""

    @cache
    def of(*simulators, seed=50):
        own = {**STUDY["datasets"]["survey"], "simulators": [*simulators, "uniform"]}
        own = {key: value for key, value in own.items() if key not in ("plan", "sequential")}
        grid = {"n": ["all"], "k": ["all"], "gamma": [0.5], "replicates": 1}
        config = {"seed": seed, "grid": grid, "datasets": {"survey": own}}
        project = small_study.elsewhere(tmp_path_factory.mktemp("guess"), config)
        project.run("results/default/survey/findings.md")
        return next(comparison_tables(project.results(config, "survey")))

    return of


@pytest.mark.slow
@pytest.mark.parametrize("simulators", [[ECHO], [TWIN, ECHO]])
def test_baselines_are_shown_and_compared_by_what_they_state(beside_a_guess, simulators):
    """The difference is between what is shown: its interval holds that of the two plug-ins."""
    found = beside_a_guess(*simulators)
    guess = found.named("uniform")
    assert guess.form == STATED_FORM and not guess.draws
    for name in simulators:
        own, pair = found.named(name), found.pair(name, "uniform")
        assert pair["k"] == own.form
        sign = 1 if pair["simulator"] == name else -1
        apart = sign * (own.mean["upper"] - guess.mean["upper"])
        assert pair["ci_lower"] < apart < pair["ci_upper"]


@pytest.mark.slow
def test_no_luck_of_drawing_decides_who_is_closer(beside_a_guess):
    """Other seeds draw other answers from the guess; its rows and differences stay the same."""
    one, two = (beside_a_guess(ECHO, seed=seed) for seed in (50, 51))
    cell = {"simulator": "uniform", "k": "30", "discrepancy": "tv", "target": "asked", "tail": 1.0}
    drawn = [first(found.results.mean_discrepancies, **cell)["upper"] for found in (one, two)]
    assert drawn[0] != drawn[1]
    assert one.named("uniform").interval == two.named("uniform").interval
    assert one.pair(ECHO, "uniform") == two.pair(ECHO, "uniform")


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
