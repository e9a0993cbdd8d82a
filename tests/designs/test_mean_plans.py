"""Plans of a study's mean: they agree with its interval, its design, and studies so planned."""

import numpy as np
import pytest
from surveyed import write
from test_design_means import STRATIFIED, people_of

from fidelity import Responses, mean_discrepancy, people_needed
from fidelity.planning.people import LargerStudies
from fidelity.stream import stream
from fidelity_study.steps.cases import Case
from fidelity_study.steps.mean_discrepancy import mean_rows
from fidelity_study.steps.people import People
from fidelity_study.steps.plan import mean_plans
from fidelity_study.steps.unanswered import Answered

STATED = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.5, 0.2, 0.3]])
BRR = {"replicate_weights": ["rep*"], "method": "brr"}
KNOWN = {
    "strata and PSUs": {"human": "people.csv", "design": STRATIFIED},
    "replicate weights": {"human": "replicates.csv", "design": BRR},
    "persons": {"human": "people.csv", "ignore": ["sex", "age", "stratum", "psu"]},
}
PRICES = {"scenario": 7.0, "answer": 2.0, "draw": 0.01}


@pytest.fixture(params=KNOWN)
def case(request, here):
    write()
    return case_of(people_of(**KNOWN[request.param]))


def case_of(known):
    own = Answered("model", "stated", np.arange(3), STATED, np.full(3, np.nan), np.zeros(3))
    return Case(known, own, "tv", False)


def step(*widths):
    return {"plan": {"width": widths, "costs": PRICES}, "test": {"alpha": 0.05}}


def shown(case):
    """Return half the length of the interval that the page shows."""
    (row,) = (
        row for row in mean_rows(case, 0.05, 1) if (row["target"], row["tail"]) == ("asked", 1)
    )
    return (row["ci_upper"] - row["ci_lower"]) / 2


def larger(case, times):
    generator = stream(*case.people.key, "plan", "stated", "model")
    how = {"discrepancy": "tv", "level": 0.95, "generator": generator}
    return LargerStudies.of(case.estimate("true"), case.q, **how).half_length(times)


@pytest.mark.slow
def test_the_mean_that_is_planned_is_the_one_that_is_shown(case):
    half = shown(case)
    assert larger(case, 1.0) == pytest.approx(
        half, rel=0.3
    )  # of one sample, and of samples like it
    reached, wanted = mean_plans([case], step(1.01 * half, half / 2))
    for row in (reached, wanted):
        assert row["half_length"] == pytest.approx(half)
        assert row["m"] == 3
        assert row["cost"] == pytest.approx(3 * (7 + 2 * row["n"]))
    assert reached["times"] == 1
    assert larger(case, wanted["times"]) <= half / 2
    assert larger(case, 0.8 * wanted["times"]) > half / 2


def test_what_is_reached_is_never_out_of_reach_and_takes_no_more_people(case):
    n = case.people.sizes.people.mean()
    for row in mean_plans([case], step(0.999, shown(case) + 1e-9)):
        assert (row["times"], row["n"]) == (1, np.ceil(n))


def test_four_times_as_many_people_leave_half_of_the_error_that_holds_or_less(case):
    """Less where degrees of freedom are few, and where a simulator is near people on an option."""
    assert 0.2 < larger(case, 4.0) / larger(case, 1.0) < 0.55


def test_a_width_that_no_number_of_people_reaches_has_no_plan(case):
    (row,) = mean_plans([case], step(1e-6))
    assert (row["n"], row["times"], row["cost"]) == (None, None, None)


def test_studies_with_as_many_people_have_the_width_that_was_planned():
    """Drawn anew from the pilot's shares, each question with people of its own."""
    generator = np.random.default_rng(8)
    shares = generator.dirichlet([4, 3, 2], 12)
    counts, q = generator.multinomial(80, shares).astype(float), np.tile([0.5, 0.3, 0.2], (12, 1))
    known = People([f"q{j}" for j in range(12)], Responses(counts), False, (1, "town"))
    own = Answered("model", "stated", np.arange(12), q, np.full(12, np.nan), np.zeros(12))
    case = Case(known, own, "tv", False)
    (row,) = mean_plans([case], step(0.02))
    n = round(80 * row["times"])
    assert row["n"] == pytest.approx(n, abs=1)
    known = {"discrepancy": "tv", "generator": np.random.default_rng(0)}
    assert people_needed(counts, q, 0.02, **known) == pytest.approx(row["times"], rel=0.1)
    assert people_needed(counts, q, 1.0, **known) == 1.0
    assert people_needed(counts, q, 1e-6, **known) is None
    drawn = (generator.multinomial(n, counts / 80) for _ in range(40))
    found = [mean_discrepancy(each, q, discrepancy="tv") for each in drawn]
    half = np.mean([(each.ci_upper - each.ci_lower) / 2 for each in found])
    assert half == pytest.approx(0.02, rel=0.1)
