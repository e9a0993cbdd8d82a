"""Means and differences of several simulators at once, and lists at many tolerances."""

from itertools import combinations, product

import numpy as np
import pytest

import fidelity
from fidelity import Responses, Simulator
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.responses import Answers

M, N = 12, 80


def study(seed, m=M, n=N):
    """Return people's counts and shares, and three simulators' probabilities."""
    generator = np.random.default_rng(seed)
    p, *q = generator.dirichlet([2.0] * 3, (4, m))
    return generator.multinomial(n, p), p, dict(zip("abc", q, strict=True))


@pytest.mark.parametrize("target", ["asked", "new"])
def test_limits_of_several_means_are_single_intervals_at_a_share_of_the_error(target):
    counts, _, models = study(0)
    found = fidelity.mean_discrepancies(counts, models, discrepancy="tv", target=target, level=0.9)
    for name, q in models.items():
        how = {"discrepancy": "tv", "target": target, "level": 1 - 0.1 / 3}
        assert found[name] == pytest.approx(fidelity.mean_discrepancy(counts, q, **how))


@pytest.mark.parametrize("target", ["asked", "new"])
def test_differences_are_single_intervals_at_a_share_of_the_error(target):
    counts, _, models = study(1)
    found = fidelity.mean_differences(counts, models, discrepancy="tv", target=target)
    assert [*found] == [*combinations("abc", 2)]
    for pair, row in found.items():
        how = {"discrepancy": "tv", "target": target, "level": 1 - 0.05 / 3}
        alone = fidelity.mean_difference(counts, *(models[name] for name in pair), **how)
        assert row.interval == pytest.approx(alone)
        expected = pair[0] if alone.ci_upper < 0 else pair[1] if alone.ci_lower > 0 else None
        assert row.closer == expected and row.draws_to_settle is None


def test_people_who_may_have_answered_several_leave_no_more_than_both_means_do():
    counts, _, models = study(2)
    people = Responses(counts, respondents=np.zeros(M))
    found = fidelity.mean_differences(people, models, discrepancy="tv")
    ends = {
        name: fidelity.mean_discrepancy(people, q, discrepancy="tv", level=1 - 0.025 / 3)
        for name, q in models.items()
    }
    for (one, two), row in found.items():
        assert row.interval.ci_lower >= ends[one].ci_lower - ends[two].ci_upper - 1e-12
        assert row.interval.ci_upper <= ends[one].ci_upper - ends[two].ci_lower + 1e-12


def test_persons_who_are_known_have_their_errors():
    """All persons answer alike in all scenarios: one question's error, not that of twelve."""
    choice = np.random.default_rng(0).integers(3, size=N)
    counts = np.tile(np.bincount(choice, minlength=3), (M, 1))
    answers = Answers(np.tile(range(N), M), np.repeat(range(M), N), np.tile(choice, M))
    q = np.tile([0.8, 0.1, 0.1], (M, 1))
    found = fidelity.mean_discrepancies(
        Responses(counts, answers=answers), {"a": q}, discrepancy="tv"
    )["a"]
    alone = fidelity.mean_discrepancy(counts[:1], q[:1], discrepancy="tv")
    assert found.ci_upper - found.upper == pytest.approx(alone.ci_upper - alone.upper, rel=0.1)


@pytest.mark.parametrize("name", ["tv", "squared"])
def test_limits_allow_for_whatever_was_left_out(name):
    """Of three scenarios one is left out wholly, with so many people that no error is left."""
    _, p, models = study(3, m=3)
    left, scores = np.array([0.1, 1.0, 0.3]), np.array([-1.0, 0.0, 1.0])
    measure, q = DISCREPANCIES[name], models["a"]
    (found,) = fidelity.mean_discrepancies(
        Responses(np.rint(1e9 * p), scores=scores),
        {"a": Simulator(q, unanswered=left)},
        discrepancy=name,
    ).values()
    mixed = np.random.default_rng(4).dirichlet([0.5] * 3, (300, 3))
    single = [np.eye(3)[list(options)] for options in product(range(3), repeat=3)]
    could = [
        measure.between(p, (1 - left)[:, None] * q + left[:, None] * r, scores).mean()
        for r in [*single, *mixed]
    ]
    assert found.ci_lower <= min(could) + 1e-4
    assert found.ci_upper == pytest.approx(max(could), abs=1e-3)


def test_what_is_not_known_of_missing_answers_is_left_open():
    counts, _, models = study(5)
    drawn = Simulator(models["a"], draws=40, unanswered=0.1)
    asked = {"discrepancy": "tv"}
    (found,) = fidelity.mean_discrepancies(counts, {"a": drawn}, **asked).values()
    assert np.isnan([found.ci_lower, found.ci_upper]).all() and found.lower < found.upper
    with pytest.raises(ValueError, match="a left all of them out"):
        nothing = Simulator(models["a"], unanswered=1.0)
        fidelity.mean_discrepancies(counts, {"a": nothing}, **asked)
    with pytest.raises(ValueError, match="simulators must be a dict"):
        fidelity.mean_discrepancies(counts, models["a"], **asked)
    clusters = Responses(counts, clusters=["one"] * M)
    for several in (fidelity.mean_discrepancies, fidelity.mean_differences):
        with pytest.raises(ValueError, match="at least 2 clusters"):
            several(clusters, models, target="new", **asked)


def test_as_many_draws_as_are_said_settle_who_is_closer():
    counts = np.tile([300, 400, 300], (M, 1))
    shares = {"near": [0.35, 0.4, 0.25], "far": [0.5, 0.3, 0.2]}

    def found(draws):
        models = {name: Simulator(np.tile(q, (M, 1)), draws=draws) for name, q in shares.items()}
        return fidelity.mean_differences(counts, models, discrepancy="tv")["near", "far"]

    few = found(10)
    assert few.closer is None
    assert found(few.draws_to_settle).closer == "near"
    assert found(few.draws_to_settle // 4).closer is None


@pytest.mark.parametrize("dependent", [False, True])
def test_lists_are_those_of_p_values_at_each_tolerance(dependent):
    counts, _, models = study(6)
    simulator, tolerances = Simulator(models["a"], unanswered=0.02), [0.05, 0.2, 0.4]
    people = Responses(counts, respondents=np.zeros(M) if dependent else None)
    found = fidelity.scenario_lists(people, simulator, tolerances, discrepancy="tv", simulators=3)
    for at, tolerance in enumerate(tolerances):
        p = fidelity.scenario_p_values(
            counts, models["a"], discrepancy="tv", tolerance=tolerance, unanswered=[0.02] * M
        )
        assert found.p_within[at] == pytest.approx(p.within)
        assert found.p_beyond[at] == pytest.approx(p.beyond)
        within = fidelity.certified_scenarios(p.within, 0.05 / 3, dependent=dependent)
        farther = fidelity.certified_scenarios(p.beyond, dependent=dependent)
        assert (found.within[at] == within).all() and (found.beyond[at] == farther).all()
    assert found.within.any() and found.beyond.any()


def test_numbers_that_nobody_gave_are_on_lists_of_means_only():
    counts, q, scores = [[60, 40]], [[0.6, 0.4]], [0.4, 0.6]
    how = {"tolerances": [0.1], "discrepancy": "absolute"}
    few = fidelity.scenario_lists(Responses(counts, scores=scores), q, **how)
    many = fidelity.scenario_lists(Responses(counts, scores=scores, limits=(0, 1)), q, **how)
    assert few.p_within < many.p_within
    for discrepancy, limits in (("w1", (0, 1)), ("absolute", (-np.inf, np.inf))):
        with pytest.raises(ValueError, match="any number can be answered"):
            people = Responses(counts, scores=scores, limits=limits)
            fidelity.scenario_lists(people, q, [0.1], discrepancy=discrepancy)


def test_some_scenarios_of_responses_and_simulators():
    _, _, models = study(7)
    answers = Answers([0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 1, 0])
    people = Responses(
        [[1, 0], [0, 2], [1, 0]], answers=answers, clusters=list("xxy"), df=[3, 4, 9]
    )
    part = people.only([2, 1])
    assert part.counts.tolist() == [[1, 0], [0, 2]] and part.clusters.tolist() == ["y", "x"]
    assert part.answers.scenario.tolist() == [1, 1, 0] and part.answers.who.tolist() == [0, 1, 2]
    assert part.answers.cell.tolist() == [3, 3, 0] and part.respondents is None
    assert people.respondents is not None and part.df == 9
    simulator = Simulator(models["a"], draws=np.arange(1, M + 1)).only([3, 0])
    assert simulator.draws.tolist() == [4, 1] and (simulator.shares[1] == models["a"][0]).all()


def test_what_is_not_counted_is_refused():
    people, shares = [[60, 40], [30, 70]], [[0.5, 0.5], [0.4, 0.6]]
    weighted = Responses(people, replicates=np.ones((2, 2, 3)))
    left_out = Simulator(shares, unanswered=0.9)
    for refused in (
        lambda: fidelity.mean_discrepancy(weighted, shares, discrepancy="tv"),
        lambda: fidelity.mean_difference(weighted, shares, shares, discrepancy="tv"),
        lambda: fidelity.mean_discrepancy(people, left_out, discrepancy="tv"),
        lambda: fidelity.mean_differences(people, {"a": left_out, "b": shares}, discrepancy="tv"),
    ):
        with pytest.raises(ValueError, match="mean_discrepancies"):
            refused()
    for wrong in ({"replicates": np.ones((3, 2, 3))}, {"df": 0}, {"limits": (0, 1, 2)}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Responses(people, **wrong)
