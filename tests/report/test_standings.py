"""What the page's table shows of baselines is what simulators are compared with."""

import pytest
from small_study import ECHO, STUDY, TWIN

from fidelity_study.page.standings import standings
from fidelity_study.steps.draws import STATED_FORM


@pytest.fixture(scope="module")
def beside_a_guess(small_study, tmp_path_factory):
    """Return the standings of the survey's dataset with these simulators and a uniform guess."""

    def of(*simulators):
        own = {**STUDY["datasets"]["survey"], "simulators": [*simulators, "uniform"]}
        own = {key: value for key, value in own.items() if key not in ("plan", "sequential")}
        grid = {"n": ["all"], "k": [20, "all"], "gamma": [0.5], "replicates": 1}
        config = {"seed": 50, "grid": grid, "datasets": {"survey": own}}
        project = small_study.elsewhere(tmp_path_factory.mktemp("guess"), config)
        project.run("results/default/survey/findings.md")
        return next(standings(project.results(config, "survey")))

    return of


@pytest.mark.slow
@pytest.mark.parametrize(
    ("simulators", "shown"),
    [([ECHO], "30"), ([TWIN, ECHO], STATED_FORM)],
)
def test_a_baseline_is_shown_as_it_is_compared(beside_a_guess, simulators, shown):
    found = beside_a_guess(*simulators)
    guess = found.named("uniform")
    assert guess.form == shown
    for name in simulators:
        own = found.named(name)
        pair = found.pair(name, "uniform")
        assert pair["k"] == own.form
        told = found.results.mean_of("uniform", own.form, found.discrepancy)
        assert found.interval_beside(guess, own) == (told["ci_lower"], told["ci_upper"])
