"""Mean discrepancies: standard errors respondent by respondent, targets, differences, betting."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import norm, t

import fidelity
from fidelity import (
    DISCREPANCIES,
    Responses,
    Simulator,
    difference_bounds,
    discrepancy_bounds,
    mean_difference,
    mean_discrepancy,
    mean_error_bar,
)
from fidelity.means import (
    confidence_sequence,
    discrepancy_sequence,
    drift_evidence,
    mean_interval,
    person_errors,
)
from fidelity.means.leave_one_out import leave_one_out
from fidelity.responses import Answers

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
            continue  # drawn anew: see test_leave_one_out.py
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


@pytest.mark.parametrize("draws", [None, 97])
def test_one_answer_beside_a_tie_hardly_moves_what_a_mean_lies_between(draws):
    model = Simulator([[69 / 97, 28 / 97]], draws=draws)
    found = [mean_discrepancy([[124 - few, few]], model, discrepancy="tv") for few in (35, 36, 37)]
    middles = [(one.lower + one.upper) / 2 for one in found]
    assert np.ptp(middles) < 0.02
    assert all(one.ci_lower <= max(one.lower, 0.0) <= one.upper <= one.ci_upper for one in found)


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
    assert (found.lower, found.upper) == (bounds.smooth_lower.mean(), bounds.upper.mean())
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


def test_parameters_are_refused():
    with pytest.raises(ValueError, match="is not convex in people's shares"):
        discrepancy_bounds(Responses(COUNTS, scores=SCORES), Q, discrepancy="variance")


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


ETA = 0.05


def capital(values, mean, eta=ETA):
    """Return the largest capital so far of bets that the mean is more, one value at a time."""
    spread, centre, logs, largest = 0.25, 0.5, 0.0, []
    total, squares = 0.5, 0.25
    for time, x in enumerate(values, 1):
        bet = np.sqrt(2 * np.log(2 / eta) / (spread * time * np.log(1 + time)))
        logs += np.log(1 + min(bet, 0.75 / mean) * (x - mean))
        largest.append(logs)
        total += x
        centre = total / (time + 1)
        squares += (x - centre) ** 2
        spread = squares / (time + 1)
    return np.exp(np.maximum.accumulate(largest))


def test_a_bound_is_the_largest_mean_that_the_gambler_refutes():
    values = np.random.default_rng(0).beta(2, 5, 60)
    found = confidence_sequence(values)
    for time in (9, 29, 59):
        ends = (found.lower[time], values), (1 - found.upper[time], 1 - values)
        for bound, own in ends:
            if bound > 1e-9:
                assert capital(own[: time + 1], bound)[-1] == pytest.approx(2 / ETA, rel=1e-6)
                assert capital(own[: time + 1], bound * 1.01)[-1] < 2 / ETA


def test_what_comes_later_changes_no_earlier_interval():
    values = np.random.default_rng(1).random(80)
    whole, part = confidence_sequence(values), confidence_sequence(values[:30])
    assert (whole.lower[:30] == part.lower).all()
    assert (whole.upper[:30] == part.upper).all()
    assert (np.diff(whole.lower) >= 0).all()
    assert (np.diff(whole.upper) <= 0).all()


def test_both_sides_mirror_each_other_and_move_with_the_unit():
    values = np.random.default_rng(2).beta(2, 5, 50)
    found, mirrored = confidence_sequence(values), confidence_sequence(1 - values)
    assert found.lower == pytest.approx(1 - mirrored.upper)
    scaled = confidence_sequence(10 * values - 3, low=-3, high=7)
    assert scaled.upper == pytest.approx(10 * found.upper - 3)
    assert scaled.lower == pytest.approx(10 * found.lower - 3)


def test_long_sequences_are_cut_into_blocks_without_a_trace(monkeypatch):
    values = np.random.default_rng(3).random(40)
    whole = confidence_sequence(values)
    monkeypatch.setattr("fidelity.means.looking_early.NUMBERS_AT_ONCE", 200)
    assert confidence_sequence(values).upper == pytest.approx(whole.upper, abs=1e-12)


def test_discrepancies_have_the_sequences_of_their_bounds():
    rng = np.random.default_rng(6)
    people, q = rng.multinomial(60, [0.5, 0.3, 0.2], 40), rng.dirichlet([4, 3, 2], 40)
    bounds = discrepancy_bounds(people, q, discrepancy="tv")
    found = discrepancy_sequence(bounds)
    assert found.upper == pytest.approx(confidence_sequence(bounds.upper).upper)
    assert found.lower == pytest.approx(confidence_sequence(bounds.lower, low=-1).lower)
    other = difference_bounds(people, q, q[::-1], discrepancy="tv")
    changed = discrepancy_sequence(other, difference=True)
    assert changed.upper == pytest.approx(confidence_sequence(other.upper, low=-2, high=2).upper)
    with pytest.raises(ValueError, match="largest value"):
        discrepancy_sequence(discrepancy_bounds(people, q, discrepancy="kl"))


def test_values_out_of_range_are_refused():
    with pytest.raises(ValueError, match=r"entry 1 is 1\.2"):
        confidence_sequence([0.5, 1.2])
    with pytest.raises(ValueError, match="low must be below high"):
        confidence_sequence([0.5], low=1, high=1)
    with pytest.raises(ValueError, match="one in each half"):
        drift_evidence([0.5])


def test_drift_by_hand():
    """One pair: λ_1 = sqrt(2 log 20/(1·¼)) is cut at 3/2; differences of .4 and -.4 in [0, 1]."""
    found = drift_evidence([0.1, 0.9])
    assert found.first == 0.1
    assert found.second == 0.9
    assert found.capital == pytest.approx(max(1, ((1 + 1.5 * 0.4) + (1 - 1.5 * 0.4)) / 2))
    assert found.p_value == 1 / found.capital
