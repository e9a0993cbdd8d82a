"""The ten uses: each from what the library computes, and by hand."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import stdtrit
from scipy.stats import binom

from fidelity import (
    Simulator,
    certified_envelope_share,
    mean_discrepancies,
    mean_discrepancy,
)
from fidelity.calibration import calibration_length
from fidelity.curves.envelope import GAMMA_GRID
from fidelity.effects import arm_effects, compare_effects, regret, stated_effects
from fidelity.hybrids import hybrid_bounds, people_alone
from fidelity.regression import Covariates, compare_slopes, linear_slopes
from fidelity.structure import (
    AnswerTable,
    TooFewError,
    associations,
    compare_associations,
    gap_errors,
    misses_over_others,
    pooled_agreement,
    twin_agreement,
)
from fidelity.uses import USES

RNG = np.random.default_rng(0)


def ends(use):
    return use.error, use.lower, use.upper


def test_shares_are_the_mean_discrepancy():
    people = RNG.multinomial(300, [0.5, 0.3, 0.2], 12)
    model = np.tile([0.45, 0.33, 0.22], (12, 1))
    judged = USES["shares"].measure(people, model)
    told = mean_discrepancy(people, model, discrepancy="tv")
    assert ends(judged)[1:] == (told.ci_lower, told.ci_upper)
    assert judged.error == pytest.approx((told.lower + told.upper) / 2)
    assert judged.verdict == "within" and judged.limit == 0.1
    far = USES["shares"].measure(people, np.tile([0.2, 0.3, 0.5], (12, 1)))
    assert far.verdict == "beyond" and far.p_beyond < 1e-4
    left = Simulator(model, unanswered=0.1)
    told = mean_discrepancies(people, {"one": left}, discrepancy="tv")["one"]
    assert ends(USES["shares"].measure(people, left))[1:] == (told.ci_lower, told.ci_upper)
    drawn = Simulator(model, draws=100, unanswered=0.1)  # of which nothing is known
    assert ends(USES["shares"].measure(people, drawn))[1:] == (0.0, np.inf)
    how = {"discrepancy": "absolute", "span": 4.0}
    scored = USES["shares"].measure(people[:, :2], model[:, :2] / 0.78, **how)
    assert scored.limit == pytest.approx(0.4)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("many", "gamma", "verdict"),
    [(36, GAMMA_GRID, "open"), (66, GAMMA_GRID, "within"), (36, (0.99,), "within")],
)
def test_new_questions_by_the_envelope_or_by_one_coverage(many, gamma, verdict):
    upper = np.tile(np.linspace(0.01, 0.05, many)[:, None], (1, len(gamma)))
    judged = USES["new_questions"].measure(upper, tolerance=0.1, gamma=gamma)
    share = certified_envelope_share(upper, 0.025, gamma, threshold=0.1)
    assert (judged.lower, judged.upper) == pytest.approx((0.0, 1 - share))
    assert judged.verdict == verdict
    at_p = certified_envelope_share(upper, judged.p_within, gamma, threshold=0.1)
    assert at_p == pytest.approx(0.9, abs=1e-4)
    assert verdict == "within" or 1.0 < judged.times < 3.0


def test_new_questions_that_share_people():
    upper = np.tile(np.linspace(0.01, 0.2, 300)[:, None], (1, 2))
    how = {"gamma": (0.9, 0.99), "shared": 2}
    judged = USES["new_questions"].measure(upper, tolerance=0.19, **how)
    share = certified_envelope_share(upper, 0.025, threshold=0.19, **how)
    assert judged.upper == pytest.approx(1 - share)
    at_p = certified_envelope_share(upper, judged.p_within, threshold=0.19, **how)
    assert at_p == pytest.approx(0.9, abs=1e-6)


def test_new_questions_that_are_surely_beyond():
    """32 of 40 bounds of coverage .95 are beyond: the binomial limit, freed of the misses."""
    upper = np.ones((40, 1))
    lower = np.where(np.arange(40) < 32, 0.2, 0.0)
    use = USES["new_questions"].measure(upper, tolerance=0.1, gamma=(0.95,), lower=lower)
    binomial = brentq(lambda share: binom.sf(31, 40, share) - 0.025, 0.01, 0.99)
    assert use.lower == pytest.approx((binomial - 0.05) / 0.95, abs=1e-9)
    assert use.upper == 1.0 and use.verdict == "beyond"


def test_a_gap_of_two_groups_is_the_difference_of_two_differences():
    group = np.arange(200) % 2
    people, model = RNG.normal(size=(2, 200, 1)) + group[:, None] * [[[0.5]], [[0.9]]]
    length = gap_errors(people, model, group, group)
    apart = [side[group == 1].mean() - side[group == 0].mean() for side in (people, model)]
    errors = [
        side[group == g].var(ddof=1) / (group == g).sum()
        for side in (people, model)
        for g in (0, 1)
    ]
    assert np.linalg.norm(length.vector) == pytest.approx(abs(apart[1] - apart[0]))
    assert length.noise == pytest.approx(sum(errors), rel=0.03)  # by groups' shares
    use = USES["groups"].measure(people, model, group, group, span=4.0)
    assert ends(use) == tuple(length.root(0.95)) and use.limit == pytest.approx(0.2)
    with pytest.raises(TooFewError):
        gap_errors(np.full((4, 1), np.nan), model, [0, 1, 0, 1], group)


def test_associations_need_both_their_strength_and_their_pattern():
    rng = np.random.default_rng(1)
    trait = rng.normal(size=(3, 900, 1))
    people = associations(trait[0] + rng.normal(size=(900, 8)))
    faithful = associations(trait[1] + rng.normal(size=(900, 8)))
    turned = np.where(np.arange(8) < 4, 1.0, -1.0)
    other = associations(trait[2] * turned + rng.normal(size=(900, 8)))
    use = USES["relations"].measure(people, faithful)
    told = compare_associations(people, faithful)[0]
    slope, pattern = use.parts
    assert slope.error == pytest.approx(abs(told.slope.estimate - 1))
    assert slope.upper == pytest.approx(max(told.slope.upper - 1, 1 - told.slope.lower))
    assert (pattern.lower, pattern.upper) == pytest.approx(
        (1 - told.congruence.upper, 1 - told.congruence.lower)
    )
    assert use.verdict == "within" and use.p_within == max(part.p_within for part in use.parts)
    wrong = USES["relations"].measure(people, other)
    assert [part.verdict for part in wrong.parts] == ["beyond", "beyond"]
    assert wrong.verdict == "beyond"
    same = USES["relations"].measure(people, people, same_persons=True)
    assert same.parts[1].verdict == "within"


def test_regressions_are_the_root_mean_square_of_slopes():
    x = RNG.normal(size=(2, 500, 2))
    sides = [
        linear_slopes(Covariates(one), one @ beta + RNG.normal(size=500))
        for one, beta in zip(x, ([0.3, 0.1], [0.3, -0.5]), strict=True)
    ]
    use = USES["regressions"].measure(*sides)
    assert ends(use) == tuple(compare_slopes(*sides).root_mean_square)
    assert use.verdict == "beyond"


def test_sizes_of_effects_are_the_root_mean_square_of_differences():
    arms = np.repeat(list("abcd"), 60)
    people = arm_effects(RNG.normal(size=240) + (arms == "b"), arms, control="a")
    model = arm_effects(RNG.normal(size=240) + 2 * (arms == "b"), arms, control="a")
    use = USES["effects"].measure(people, model, span=4.0)
    square = compare_effects(people, model).mean_squared
    np.testing.assert_allclose(ends(use), np.sqrt(np.maximum(square, 0.0)))
    assert use.limit == pytest.approx(0.2)


def test_the_regret_of_a_pick_by_hand():
    arms = np.repeat(list("abc"), 50)
    y = RNG.normal(size=150) + np.select([arms == "b", arms == "c"], [0.4, 1.0])
    people = arm_effects(y, arms, control="a")
    found = regret(people, stated_effects([0.5, 0.1], people.labels))  # picks b
    b, c = (y[arms == name] for name in "bc")
    error = np.sqrt((b.var(ddof=1) + c.var(ddof=1)) / 50)
    assert found.estimate == pytest.approx(c.mean() - b.mean())
    reach = stdtrit(found_df(people), 0.975) * error
    assert found.upper == pytest.approx(found.estimate + reach, rel=1e-6)
    assert 0 < found.estimate - found.lower > reach  # several arms might be the best
    twins = regret(people, stated_effects([0.5, 0.1], people.labels), same_persons=True)
    assert twins.upper - twins.estimate == pytest.approx(found.estimate - found.lower)
    best = regret(people, stated_effects([0.1, 0.5], people.labels))
    assert best.estimate == best.lower == 0.0
    least = regret(people, stated_effects([0.1, 0.5], people.labels), best="lowest")
    assert least.estimate == pytest.approx(max(0.0, -people.estimate.min()))
    tie = regret(people, stated_effects([0.5, 0.5], people.labels))
    assert tie.estimate == pytest.approx((c.mean() - b.mean()) / 2)
    many = regret(people, stated_effects([0.5, 0.1], people.labels), times=4.0)
    assert many.upper - many.estimate == pytest.approx(reach / 2, rel=1e-6)


def found_df(people):
    apart = people.combined(np.array([[1.0, 0.0], [0.0, 1.0]]), people.labels)
    return apart.df.min()


def test_several_outcomes_have_no_one_pick():
    arms = np.tile(["a", "b"], 40)
    effects = arm_effects(
        RNG.normal(size=80), arms, control="a", outcomes=np.repeat(["x", "y"], 40)
    )
    with pytest.raises(ValueError, match="one outcome"):
        regret(effects, effects)


def test_single_persons_are_misses_of_own_twins_over_those_of_others():
    rng = np.random.default_rng(2)
    people, guesses = rng.integers(0, 4, size=(2, 300, 8))
    twins = np.where(rng.random(people.shape) < 0.5, people, guesses)
    agreement = twin_agreement(people, twins, generator=rng)
    use = USES["persons"].measure(agreement)
    assert use.error == pytest.approx((1 - agreement.own) / (1 - agreement.others), rel=0.01)
    assert use.verdict == "within"
    halves = [
        twin_agreement(people[:, part], twins[:, part], generator=rng)
        for part in (np.s_[:4], np.s_[4:])
    ]
    pooled = misses_over_others(pooled_agreement(halves))
    np.testing.assert_allclose(pooled, misses_over_others(agreement), rtol=1e-6)
    alike = np.zeros((40, 2)) + (np.arange(40)[:, None] == 0)
    rare = twin_agreement(alike, alike, generator=rng)
    assert USES["persons"].measure(rare).verdict == "open"
    assert misses_over_others(rare).upper == np.inf


@pytest.mark.slow
def test_interviews_are_what_is_still_needed():
    rng = np.random.default_rng(3)
    model = rng.dirichlet([3.0, 3.0, 3.0], 60)
    answers = rng.multinomial(400, [rng.dirichlet(60.0 * row) for row in model])
    people = people_alone(answers, discrepancy="tv", sizes=[5, 50], generator=rng, splits=5)
    bounds = hybrid_bounds(people, model)
    use = USES["interviews"].measure(bounds, 5)
    saved = bounds.curve().hybrid
    assert use.error == pytest.approx(5 / (5 + saved.saved[0]))
    assert use.upper == pytest.approx(5 / (5 + saved.saved_lower[0]))
    assert use.verdict == "within" and use.limit == 0.9
    assert np.isnan(use.factor(0.01))
    most = USES["interviews"].measure(bounds, 50)  # as near as nobody's answers were measured
    assert (most.lower == 0.0) == (50 + saved.saved_upper[1] >= people.people_sizes[-1] - 1e-6)
    with pytest.raises(ValueError, match="size must be one of 5, 50"):
        USES["interviews"].measure(bounds, 7)


def calibrated(n, off, generator):
    stated = generator.beta(2.0, 3.0, n)
    happened = generator.random(n) < stated + off * (0.5 - stated)
    return stated, happened


def test_probabilities_that_come_true_are_within():
    stated, happened = calibrated(6000, 0.0, np.random.default_rng(4))
    assert USES["probabilities"].measure(stated, happened).verdict == "within"
    wrong = calibrated(6000, 0.8, np.random.default_rng(4))
    assert USES["probabilities"].measure(*wrong).verdict == "beyond"
    few_events = USES["probabilities"].measure(stated[:200], happened[:200])
    assert few_events.verdict == "open" and few_events.needs == "events" and few_events.times > 1
    with pytest.raises(TooFewError, match="30 events"):
        calibration_length(stated[:20], happened[:20])


def test_a_bin_without_events_is_not_sure():
    stated = np.linspace(0.001, 0.02, 60)
    length = calibration_length(stated, np.zeros(60))
    assert length.root(0.95).upper > 0.03
    assert length.vector @ length.vector == pytest.approx(
        np.mean([stated[:30].mean() ** 2, stated[30:].mean() ** 2])
    )


def test_events_of_a_cluster_count_together():
    stated, happened = calibrated(600, 0.0, np.random.default_rng(5))
    twice = np.repeat(stated, 2), np.repeat(happened, 2)
    clustered = calibration_length(*twice, clusters=np.repeat(np.arange(600), 2))
    alone = calibration_length(stated, happened)
    np.testing.assert_allclose(clustered.vector, alone.vector, atol=0.01)
    np.testing.assert_allclose(clustered.noise, alone.noise, rtol=0.05)
    assert calibration_length(*twice).noise == pytest.approx(alone.noise / 2, rel=0.05)


def test_an_answer_table_with_weights_has_wider_gaps():
    group = np.arange(200) % 2
    y, z = RNG.normal(size=(2, 200, 2))
    even, uneven = (
        gap_errors(AnswerTable(y, weights), z, group, group).noise
        for weights in (np.ones(200), np.where(np.arange(200) % 4 < 2, 1.0, 8.0))
    )
    assert uneven > 1.1 * even
