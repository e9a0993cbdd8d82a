"""Mean discrepancies: standard errors respondent by respondent, targets, differences, betting."""

import numpy as np
import pytest
from scipy.stats import norm, t

from fidelity import (
    DISCREPANCIES,
    difference_bounds,
    discrepancy_bounds,
    mean_difference,
    mean_discrepancy,
    mean_error_bar,
)
from fidelity.means import mean_interval, person_errors
from fidelity.means.leave_one_out import leave_one_out
from fidelity.responses import Answers, Responses

SCORES = np.array([-1.0, 0.2, 1.0])
COUNTS = np.array([[12.0, 5, 3], [6, 9, 5], [9, 1, 0], [3, 3, 3], [8, 2, 20], [2, 1, 0]])
Q = np.array([[0.2, 0.3, 0.5], [0.4, 0.35, 0.25], [0.6, 0.3, 0.1]])[[0, 1, 2, 0, 1, 2]]
OTHER = np.roll(Q, 1, axis=0)
CONVEX = [name for name, each in DISCREPANCIES.items() if not each.is_parameter]


def respondents(counts):
    """Return each respondent's answer, as options' indicators."""
    return np.repeat(np.eye(len(counts)), counts.astype(int), axis=0)


@pytest.mark.parametrize("name", CONVEX)
def test_standard_errors_are_those_without_each_respondent(name):
    found = discrepancy_bounds(Responses(COUNTS, scores=SCORES), Q, discrepancy=name)
    measure = DISCREPANCIES[name]
    for j, (counts, q) in enumerate(zip(COUNTS, Q, strict=True)):
        answers = respondents(counts)
        fewer = np.array([np.delete(answers, i, 0).sum(0) for i in range(len(answers))])
        stated = np.tile(q, (len(fewer), 1))
        plugins = measure.between(fewer / fewer.sum(1, keepdims=True), stated, SCORES)
        expected = np.sqrt(((plugins - plugins.mean()) ** 2).sum())
        if name == "absolute":
            expected = max(expected, np.std(answers @ SCORES, ddof=1) / np.sqrt(len(answers)))
        assert found.upper_se[j] == pytest.approx(expected)
        if measure.metric_root == 1:
            continue  # drawn anew: see test_mean_errors.py
        lower = leave_one_out(fewer, stated, measure, SCORES)
        expected = np.sqrt(((lower - lower.mean()) ** 2).sum())
        assert found.lower_se[j] == pytest.approx(expected)


def test_noise_is_the_variance_of_a_mean_score():
    found = discrepancy_bounds(Responses(COUNTS, scores=SCORES), Q, discrepancy="squared")
    for counts, noise in zip(COUNTS, found.noise, strict=True):
        values = respondents(counts) @ SCORES
        assert noise == pytest.approx(np.var(values, ddof=1) / len(values))
    assert not discrepancy_bounds(
        Responses(COUNTS, scores=SCORES), Q, discrepancy="absolute"
    ).noise.any()
    assert not difference_bounds(
        Responses(COUNTS, scores=SCORES), Q, OTHER, discrepancy="l2"
    ).noise.any()


@pytest.mark.parametrize("discrepancy", ["absolute", "tv", "w1", "mmd_delta"])
def test_people_exactly_as_the_simulator_do_not_make_it_certain(discrepancy):
    """The distance is the same without any one of them, so that the jackknife sees no error."""
    found = mean_discrepancy([[50, 50]], [[0.5, 0.5]], discrepancy=discrepancy)
    unit = DISCREPANCIES[discrepancy].between(np.eye(2)[:1], np.eye(2)[1:], np.array([0.0, 1.0]))
    assert found.ci_upper == pytest.approx(norm.ppf(0.975) * unit[0] * 0.5 / np.sqrt(99))


def counted(draws):
    """Return the different draws and how often each came: equal studies are made once."""
    return zip(*np.unique(draws, return_counts=True), strict=True)


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["one", "alike", "persons"])
@pytest.mark.parametrize("name", ["squared", "l2", "kl", "hellinger", "js"])
def test_an_interval_holds_where_people_happen_to_be_near_the_simulator(name, how):
    """Δ is 1.5 standard errors from 0: one question, or six that everybody answers alike."""
    rng, n, m = np.random.default_rng(6), 300, 1 if how == "one" else 6
    p = np.array([0.7, 0.3])
    q = np.tile(p + np.array([1, -1]) * 1.5 * np.sqrt(p.prod() / n), (m, 1))
    truth = DISCREPANCIES[name].between(p[None], q[:1], np.array([0.0, 1.0]))[0]
    told = {"person": np.tile(np.arange(n), m), "scenario": np.repeat(np.arange(m), n)}
    held, studies = 0, 400
    for x, times in counted(rng.binomial(n, p[1], studies)):
        answers = np.repeat([0, 1], [n - x, x])
        counts = np.tile([n - x, x], (m, 1))
        bounds = discrepancy_bounds(counts, q, discrepancy=name)
        known = {"respondents": np.zeros(m)} if how == "alike" else {}
        if how == "persons":
            people = Responses(counts, answers=Answers(**told, option=np.tile(answers, m)))
            known = {"errors": person_errors(people, q, discrepancy=name)}
        found = mean_interval(bounds, **known)
        held += times * (found.ci_lower <= truth <= found.ci_upper)
    assert held / studies >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / studies)


def test_a_bound_never_exceeds_its_reach():
    for name in CONVEX:
        corners = np.eye(3)[[0, 1, 2, 0, 1, 2]]
        for counts in (COUNTS, 7.0 * corners):
            for q in (Q, corners[::-1]):
                with np.errstate(all="ignore"):
                    found = discrepancy_bounds(
                        Responses(counts, scores=SCORES), q, discrepancy=name
                    )
                for bound in (found.lower, found.upper):
                    assert (np.abs(bound) <= found.reach * (1 + 1e-12))[np.isfinite(bound)].all()


@pytest.mark.parametrize("people", [None, ["a", "a", "b", "b", "b", "c"]])
def test_asked_adds_the_errors_of_people(people):
    bounds = discrepancy_bounds(Responses(COUNTS, scores=SCORES), Q, discrepancy="w1")
    found = mean_discrepancy(
        Responses(COUNTS, scores=SCORES, clusters=[1] * 6, respondents=people),
        Q,
        discrepancy="w1",
        level=0.9,
    )
    errors = []
    for end in ("lower", "upper"):
        known, unseen = (
            np.square(se if people is None else [se[:2].sum(), se[2:5].sum(), se[5]])
            for se in (getattr(bounds, f"{end}_se"), getattr(bounds, f"{end}_unseen_se"))
        )
        errors.append(np.sqrt(known.sum() + (unseen**2).sum() / unseen.sum()) / 6)
    z = norm.ppf(0.95)
    below = bounds.smooth_lower.mean() - z * errors[0]
    assert found.ci_lower == pytest.approx(max(below, 0.0))
    assert mean_interval(bounds, respondents=people, level=0.9).ci_lower == pytest.approx(below)
    assert found.ci_upper == pytest.approx(bounds.upper.mean() + z * errors[1])
    assert (found.lower, found.upper) == (bounds.lower.mean(), bounds.upper.mean())
    assert found.m == 6


def test_one_scenario_says_nothing_of_new_ones():
    assert mean_discrepancy(COUNTS[:1], Q[:1], discrepancy="tv").m == 1
    with pytest.raises(ValueError, match="the target new takes at least 2 scenarios, not 1"):
        mean_discrepancy(COUNTS[:1], Q[:1], discrepancy="tv", target="new")


def test_new_adds_what_people_who_answer_several_have_in_common():
    clusters, people = [1, 1, 2, 2, 3, 3], ["a", "b", "a", "b", "a", "b"]
    bounds = discrepancy_bounds(COUNTS, Q, discrepancy="tv")
    found = mean_discrepancy(
        Responses(COUNTS, clusters=clusters, respondents=people), Q, discrepancy="tv", target="new"
    )
    bar = mean_error_bar(bounds.upper, np.array(clusters))
    known, unseen = (
        np.square([se[::2].sum(), se[1::2].sum()])
        for se in (bounds.upper_se, bounds.upper_unseen_se)
    )
    of_people = np.sqrt(known.sum() + (unseen**2).sum() / unseen.sum()) / 6
    half = t.ppf(0.975, bar.df) * np.hypot(bar.se, of_people)
    assert found.ci_upper == pytest.approx(bar.estimate + half)


def test_people_of_two_simulators_are_the_same():
    """Where both are on one side of everybody the difference of means knows no sampling error."""
    first, second = [[0.9, 0.1]] * 3, [[0.8, 0.2]] * 3
    counts = [[40, 60], [30, 50], [20, 30]]
    found = difference_bounds(counts, first, second, discrepancy="absolute")
    np.testing.assert_allclose(found.lower, 0.1)
    np.testing.assert_allclose(found.upper_se, 0.0, atol=1e-12)


def test_somebody_who_chose_the_impossible_makes_the_mean_infinite():
    found = mean_discrepancy([[3, 1], [2, 2]], [[1.0, 0.0], [0.5, 0.5]], discrepancy="kl")
    assert found[:4] == (np.inf,) * 4


def test_two_infinite_ones_have_no_difference():
    people, sure, even = [[3, 1], [2, 2]], [[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]
    for target in ("asked", "new"):
        given = {"discrepancy": "kl", "target": target}
        assert mean_difference(people, sure, even, **given)[:4] == (np.inf,) * 4
        assert mean_difference(people, even, sure, **given)[:4] == (-np.inf,) * 4
        assert np.isnan(mean_difference(people, sure, sure, **given)[:4]).all()


def test_one_respondent_tells_no_error():
    found = mean_discrepancy([[3, 1], [0, 1]], [[0.9, 0.1], [0.5, 0.5]], discrepancy="tv")
    assert np.isnan([found.ci_lower, found.ci_upper]).all()
    assert np.isfinite(found.upper)
    for target in ("asked", "new"):
        found = mean_discrepancy(
            [[3, 1], [0, 1], [2, 2]],
            [[0.9, 0.1], [0.5, 0.5], [0.5, 0.5]],
            discrepancy="squared",
            target=target,
        )
        assert np.isnan([found.lower, found.ci_lower]).all()


def test_betting_narrows_with_scenarios_and_knows_its_range():
    rng = np.random.default_rng(3)
    widths = []
    for m in (50, 500):
        p = rng.dirichlet([2, 2, 2], m)
        counts = rng.multinomial(80, p).astype(float)
        found = mean_discrepancy(
            counts, np.full((m, 3), 1 / 3), discrepancy="tv", target="new", betting=rng
        )
        assert -1.0 <= found.ci_lower < found.lower <= found.upper < found.ci_upper <= 1.0
        widths.append(found.ci_upper - found.ci_lower)
    assert widths[1] < widths[0] / 2
    js = mean_discrepancy(COUNTS, Q, discrepancy="js", target="new", betting=rng)
    assert np.isnan(js.ci_lower)


@pytest.mark.parametrize(
    "wrong",
    [{"target": "asked"}, {"clusters": [1, 1, 2, 2, 3, 3]}, {"respondents": list("abcabc")}],
)
def test_betting_is_refused_where_it_does_not_hold(wrong):
    given = {"target": "new", "betting": np.random.default_rng(0), **wrong}
    bounds = discrepancy_bounds(COUNTS, Q, discrepancy="tv")
    with pytest.raises(ValueError, match="betting is for the target new"):
        mean_interval(bounds, **given)


@pytest.mark.parametrize("name", ["variance"])
def test_parameters_are_refused(name):
    with pytest.raises(ValueError, match="is not convex in people's shares"):
        discrepancy_bounds(Responses(COUNTS, scores=SCORES), Q, discrepancy=name)
