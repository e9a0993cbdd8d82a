"""The ten uses: each from what the library computes, and by hand."""

import numpy as np
import pyarrow as pa
import pytest
import scipy as sp
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import binom

from fidelity import Simulator, certified_envelope_share, holm, mean_discrepancies, mean_discrepancy
from fidelity.calibration import calibration_length
from fidelity.comparison import non_inferiority, score_difference
from fidelity.curves.envelope import GAMMA_GRID
from fidelity.effects import arm_effects, compare_effects, regret, stated_effects
from fidelity.hybrids import hybrid_bounds, people_alone
from fidelity.registry import Registry
from fidelity.regression import Covariates, compare_slopes, linear_slopes
from fidelity.structure import (
    AnswerTable,
    Interval,
    TooFewError,
    associations,
    compare_associations,
    gap_errors,
    misses_over_others,
    pooled_agreement,
    twin_agreement,
)
from fidelity.uses import USES, Use, UseKind, as_normal, card
from fidelity.uses.base import verdict_of
from fidelity.uses.ends import around_value
from fidelity_study.reading.evals.rows import SCORES
from fidelity_study.steps.evaluation import evaluation, use_rows

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


def test_several_outcomes_have_a_pick_for_each():
    arms = np.tile(["a", "b"], 40)
    effects = arm_effects(
        RNG.normal(size=80), arms, control="a", outcomes=np.repeat(["x", "y"], 40)
    )
    with pytest.raises(ValueError, match="one outcome"):
        regret(effects, effects)
    model = stated_effects([0.5, -0.5], effects.labels)  # picks b for x, and a for y
    parts = [USES["choices"].measure(effects.take([row]), model.take([row])) for row in (0, 1)]
    use = USES["choices"].measure(effects, model)
    assert use.parts == tuple(parts) and use.p_within == max(part.p_within for part in parts)


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


NAMES = [
    *("choices", "effects", "groups", "interviews", "new_questions"),
    *("persons", "probabilities", "regressions", "relations", "scores", "shares"),
]
GROUPS = USES["groups"]


def normal(estimate, se):
    """Return the ends of a normal estimate of an error."""
    reach = ndtri(0.975) * se
    return as_normal(Interval(estimate, estimate - reach, estimate + reach))


def use(estimate, se, limit=0.1, kind=GROUPS):
    return kind.judged(normal(estimate, se), limit)


def test_all_kinds_are_there_with_what_a_reader_needs():
    assert [*USES] == NAMES and isinstance(USES, Registry)
    for kind in USES.values():
        assert kind.question.endswith("?") and kind.unit and kind.brings and kind.limit > 0


@pytest.mark.parametrize("estimate", [-0.02, 0.03, 0.0999, 0.12, 0.3])
@pytest.mark.parametrize("se", [0.001, 0.02, 0.1])
def test_p_values_are_those_of_a_normal_estimate(estimate, se):
    judged = use(estimate, se)
    p = float(ndtr((estimate - 0.1) / se))
    expected = [max(one, 1e-9) if one < 0.4999 else 1.0 for one in (p, 1.0 - p)]
    np.testing.assert_allclose([judged.p_within, judged.p_beyond], expected, rtol=1e-4)


def test_a_use_alone_is_within_exactly_where_its_interval_ends_below_the_limit():
    for estimate in np.linspace(0.0, 0.2, 81):
        judged = use(estimate, 0.03)
        expected = {(True, False): "within", (False, True): "beyond"}
        sides = judged.upper < 0.1, judged.lower > 0.1
        assert judged.verdict == expected.get(sides, "open")
        assert [row.verdict for row in card({"one": [judged]})] == [judged.verdict]


def test_limits_in_the_unit_of_the_answers_are_shares_of_their_range():
    assert GROUPS.limit_of(None, 4.0) == pytest.approx(0.2) and GROUPS.limit_of(0.3, 4.0) == 0.3
    assert USES["regressions"].limit_of(None, 4.0) == 0.1
    with pytest.raises(ValueError, match="limit must be a positive finite number"):
        GROUPS.limit_of(0.0)


def test_holm_by_hand_over_uses_and_simulators():
    kinds = [USES[name] for name in ("groups", "effects", "choices")]
    rng = np.random.default_rng(0)
    sides = {
        name: [
            use(abs(z), 0.03, kind=kind)
            for kind, z in zip(kinds, rng.normal(size=3) / 9, strict=True)
        ]
        for name in "abcd"
    }
    listed = [each for side in sides.values() for each in side]
    rows = card(sides)
    for name in ("p_within", "p_beyond"):
        expected = holm([getattr(each, name) for each in listed])
        np.testing.assert_allclose([getattr(row, name) for row in rows], expected)
    for row in rows:
        assert row.verdict == verdict_of(row.p_within, row.p_beyond, 0.025)
    assert {row.verdict for row in rows} == {"within", "open"}
    assert any(row.verdict == "open" and row.use.verdict == "within" for row in rows)
    assert [(row.simulator, row.use) for row in rows] == [
        (name, each) for name, side in sides.items() for each in side
    ]


def test_what_was_not_declared_is_not_asked_and_does_not_count():
    sides = {"a": [use(0.05, 0.023), use(0.0, 0.001, kind=USES["effects"])]}
    assert [row.verdict for row in card(sides)] == ["within", "within"]
    rows = card(sides, declared=["groups"])
    assert [row.verdict for row in rows] == ["within", "not asked"]
    assert np.isnan(rows[1].p_within) and rows[1].needs == ""
    # a declared use counts though it isn't there
    (row,) = card({"a": [sides["a"][0]]}, declared=["groups", "persons", "shares"])
    assert row.verdict == "open"
    assert row.p_within == pytest.approx(3 * sides["a"][0].p_within)


def test_what_is_malformed_is_refused():
    with pytest.raises(ValueError, match="once for each simulator"):
        card({"a": [use(0.0, 0.1), use(0.1, 0.1)]})
    with pytest.raises(ValueError, match="declared must be one of"):
        card({"a": [use(0.0, 0.1)]}, declared=["love"])
    with pytest.raises(ValueError, match="level"):
        card({}, level=1.0)
    assert card({}) == []
    with pytest.raises(TypeError, match="no use"):
        USES.add(dict)


def test_a_use_of_two_parts_is_within_if_both_are_and_beyond_if_one_is_at_half_the_level():
    z = float(ndtri(0.975))
    both = GROUPS.both(use(0.05, 0.05 / z / 1.001), use(0.0, 0.01))
    assert both.verdict == "within" and both.upper == pytest.approx(0.1, rel=1e-3)
    assert GROUPS.both(use(0.05, 0.05 / z * 1.001), use(0.0, 0.01)).verdict == "open"
    one = use(0.15, 0.05 / z / 1.001)
    assert one.verdict == "beyond" and GROUPS.both(one, use(0.0, 0.01)).verdict == "open"
    assert one.lower > one.limit >= GROUPS.both(one, use(0.0, 0.01)).lower
    stronger = use(0.15, 0.05 / float(ndtri(1 - 0.0125)) / 1.001)
    assert GROUPS.both(stronger, use(0.0, 0.01)).verdict == "beyond"
    assert GROUPS.both(stronger, use(0.0, 0.01)).lower > one.limit


def test_how_much_more_would_settle_a_use():
    """Power .8 of a normal estimate, by its formula."""
    estimate, se = 0.06, 0.03
    open_use = use(estimate, se)
    expected = ((ndtri(0.975) + ndtri(0.8)) * se / (0.1 - estimate)) ** 2
    assert open_use.verdict == "open" and open_use.needs == GROUPS.more
    assert open_use.times == pytest.approx(expected, rel=1e-3)
    beyond = use(0.16, 0.04)
    expected = ((ndtri(0.975) + ndtri(0.8)) * 0.04 / 0.06) ** 2
    assert beyond.times == pytest.approx(expected, rel=1e-3)
    assert use(0.1, 0.03).times == np.inf
    assert np.isnan(use(0.0, 0.01).times)
    rows = card({name: [use(estimate, se)] for name in "abc"})
    expected = ((ndtri(1 - 0.025 / 3) + ndtri(0.8)) * se / (0.1 - estimate)) ** 2
    assert rows[0].times == pytest.approx(expected, rel=1e-3)
    both = GROUPS.both(use(estimate, se), use(0.05, 0.03))
    assert both.times == pytest.approx(open_use.times)


def test_distances_from_a_value():
    ends = around_value(as_normal(Interval(0.8, 0.7, 1.1)), 1.0)
    assert tuple(ends.observed(0.95)) == pytest.approx((0.2, 0.0, 0.3))
    ends = around_value(as_normal(Interval(1.5, 1.4, 1.6)), 1.0)
    assert tuple(ends.observed(0.95)) == pytest.approx((0.5, 0.4, 0.6))
    nothing = around_value(as_normal(Interval(np.nan, -np.inf, np.inf)), 1.0).observed(0.95)
    assert nothing.lower == 0.0 and nothing.upper == np.inf


def test_a_use_of_ones_own_is_added_by_its_class():
    kinds = Registry("use", UseKind, "fidelity.uses")

    @kinds.add
    class Own(UseKind):
        name, question, unit, limit, brings = "own", "May it?", "unit", 1.0, "data"

        def ends(self, value):
            return normal(value, 0.1)

    judged = kinds["own"].measure(0.5)
    assert isinstance(judged, Use) and judged.verdict == "within" and judged.limit == 1.0
    assert kinds["own"].measure(0.5, limit=0.4).verdict == "open"


KIND = USES["scores"]


def step(**settings):
    """Return the settings of an evaluation of one eval."""
    return {
        "evals": {"x": {"range": [0.0, 10.0]}},
        "baseline": None,
        "margin": None,
        "standard_error": "cr2",
        "unpaired": False,
        "test": {"alpha": 0.05},
        **settings,
    }


def rows_of(scores, better="higher", clusters=None, **settings):
    """Return the uses of models by name; ``scores`` has a row for each model."""
    names = "ABCDE"[: len(scores)]
    table = [
        {
            **dict.fromkeys(SCORES.names),
            "eval": "x",
            "model": name,
            "question": f"q{i:04}",
            "cluster": None if clusters is None else f"c{clusters[i]}",
            "score": None if np.isnan(score) else float(score),
            "reason": "lost" if np.isnan(score) else None,
            "better": better,
        }
        for name, row in zip(names, scores, strict=True)
        for i, score in enumerate(row)
    ]
    study = evaluation(pa.Table.from_pylist(table, SCORES), step(**settings))
    return {row["simulator"]: row for row in use_rows(study)}


def drawn(means, m=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.clip(np.array(means)[:, None] + rng.normal(size=(len(means), m)), 0.0, 10.0)


def test_p_values_are_those_of_the_t_test_of_each_other_model():
    model, one, two = drawn([5.0, 4.9, 5.2])
    bars = [
        lambda level, other=other: score_difference(other, model, level=level)
        for other in (one, two)
    ]
    use = KIND.measure(*bars, span=10.0)
    assert use.limit == 0.5
    gains = [score_difference(model, other) for other in (one, two)]
    expected = [non_inferiority(gain, 0.5).p_value for gain in gains]
    np.testing.assert_allclose([part.p_within for part in use.parts], expected, rtol=1e-4)
    assert use.p_within == pytest.approx(max(expected), rel=1e-4)
    t, df = (two - model).mean() / sp.stats.sem(two - model), 59
    ends = (two - model).mean() * (1 + sp.stats.t.ppf([0.025, 0.975], df) / t)
    assert use.upper == pytest.approx(ends[1])
    assert ends[0] < 0.0 == use.lower, "who is ahead is not behind"


def test_the_best_is_behind_nobody_and_the_worst_behind_one_at_least():
    rows = rows_of(drawn([8.0, 5.0, 7.9], m=400))
    assert [rows[name]["verdict"] for name in "ABC"] == ["within", "beyond", "within"]
    assert rows["A"]["error"] == 0.0 or rows["C"]["error"] == 0.0
    assert rows["B"]["lower"] > 0.5 and rows["B"]["limit"] == 0.5
    turned = rows_of(drawn([8.0, 5.0, 7.9], m=400), better="lower")
    assert [turned[name]["verdict"] for name in "ABC"] == ["beyond", "within", "beyond"]


def test_a_baseline_is_the_only_rival_and_the_margin_is_the_limit():
    rows = rows_of(drawn([8.0, 5.0, 4.9], m=400), baseline="B", margin=0.3)
    assert set(rows) == {"A", "C"} and rows["C"]["limit"] == 0.3
    assert rows["A"]["verdict"] == "within"
    strict = rows_of(drawn([8.0, 5.0], m=400), margin=0.0)
    assert [strict[name]["verdict"] for name in "AB"] == ["within", "beyond"]


def test_without_an_interval_beside_a_model_nothing_is_within():
    scores = drawn([8.0, 5.0, 8.0], m=400)
    scores[2, 1:] = np.nan  # one question shows no error
    rows = rows_of(scores)
    assert rows["A"]["verdict"] == "open" and rows["A"]["detail"] == "no interval beside C"
    assert rows["A"]["upper"] == np.inf
    assert rows["B"]["verdict"] == "beyond", "it is behind A, whatever else"


def test_an_open_use_is_settled_by_more_questions():
    open_ = rows_of(drawn([5.0, 5.3], m=60))["A"]
    assert open_["verdict"] == "open" and open_["needs"] == "questions"
    times = open_["times"]
    model, other = drawn([5.0, 5.3], m=60)
    bar = score_difference(other, model)
    power = sp.special.ndtri(0.8) + sp.special.ndtri(0.975)
    far = (0.5 - bar.estimate) / bar.se
    assert times == pytest.approx((power / far) ** 2, rel=0.2)
