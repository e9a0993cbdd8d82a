"""Hybrids: splits, the strength of a simulator, curves and intervals against other ways."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import binom, dirichlet_multinomial, hypergeom, t

from fidelity import discrepancy_bounds, mean_discrepancy, paired_error_bar
from fidelity.correction import people_elsewhere, tempered_mixture
from fidelity.hybrids import (
    dirichlet_multinomial_fit,
    guess_hybrids,
    hybrid,
    hybrid_bounds,
    hybrid_curve,
    people_alone,
    prediction_powered_mean,
    prior_strength,
    split_people,
    split_persons,
)
from fidelity.hybrids.strength import UNIFORM
from fidelity.responses import Responses


def population(kappa, m, n, generator, d=3, spread=2.0):
    """Return counts of n people, and a simulator that is worth κ of them; and people's shares."""
    q = generator.dirichlet(np.full(d, spread), m)
    shares = np.array([generator.dirichlet(kappa * row) for row in q])
    return generator.multinomial(n, shares), q, shares


def smooth(q):
    return (1 - UNIFORM) * q + UNIFORM / q.shape[1]


def test_a_split_has_n0_people_and_all_the_others():
    rng = np.random.default_rng(0)
    counts = rng.multinomial(50, [0.5, 0.3, 0.2], 8)
    found = split_people(counts, [5, 10, 30], rng)
    assert found.seen.sum(2).tolist() == [[5] * 8, [10] * 8, [30] * 8]
    assert (np.diff(found.seen, axis=0) >= 0).all()
    assert (found.seen[-1] + found.rest == counts).all()
    one = split_people(counts, 5, np.random.default_rng(1))
    assert one.seen.shape == counts.shape
    assert (one.seen + one.rest == counts).all()


def test_a_split_is_hypergeometric():
    """Also of the smallest of nested ones."""
    counts = np.tile([[7, 13]], (4000, 1))
    for n0, at in ((5, 0), (8, 1)):
        seen = split_people(counts, [5, 8], np.random.default_rng(n0)).seen[at][:, 0]
        expected = hypergeom(20, 7, n0).pmf(np.arange(n0 + 1))
        assert np.bincount(seen.astype(int), minlength=n0 + 1) / 4000 == pytest.approx(
            expected, abs=0.035
        )


def test_options_that_do_not_exist_stay_so():
    found = split_people([[5, 5, np.nan], [4, 4, 4]], 3, np.random.default_rng(0))
    assert np.isnan(found.seen[0, 2])
    assert np.isnan(found.rest[0, 2])
    assert np.nansum(found.seen, axis=1).tolist() == [3, 3]


def test_persons_who_are_seen_judge_nowhere():
    """Each person's answer is the person: whose answers are seen, and whose judge."""
    rng = np.random.default_rng(3)
    answers = np.tile(np.arange(60.0)[:, None], (1, 5))
    answers[rng.random(answers.shape) < 0.3] = np.nan
    seen, rest = split_persons(answers, [4, 8], rng, options=60)
    assert seen.sum(2).tolist() == [[4] * 5, [8] * 5]
    assert (seen[0] <= seen[1]).all()
    assert not (seen[1].any(0) & rest.any(0)).any()
    assert (seen[1] + rest <= 1).all()


def test_splits_refuse_what_they_cannot_split():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="whole"):
        split_people([[1.5, 2.5]], 1, rng)
    with pytest.raises(ValueError, match="judge in each row"):
        split_people([[9, 9], [2, 3]], 5, rng)
    with pytest.raises(ValueError, match="that grow"):
        split_people([[9, 9]], [3, 3], rng)
    with pytest.raises(ValueError, match="judge in each scenario"):
        split_persons([[0, 1], [1, 1], [0, np.nan]], 2, rng, options=2)
    with pytest.raises(ValueError, match="options from 0 to 1"):
        split_persons([[0, 2]], 1, rng, options=2)


@pytest.mark.parametrize("kappa", [0.8, 6.0, 40.0])
def test_kappa_is_what_an_optimiser_finds(kappa):
    seen, q, _ = population(kappa, 80, 15, np.random.default_rng(5))
    found = dirichlet_multinomial_fit(seen, q)
    best = minimize_scalar(
        lambda x: -dirichlet_multinomial.logpmf(seen, np.exp(x) * smooth(q), 15).sum(),
        bounds=(-4, 9),
        method="bounded",
        options={"xatol": 1e-8},
    )
    assert found.kappa == pytest.approx(np.exp(best.x), rel=2e-3)


def test_kappa_reaches_both_ends():
    q = np.full((30, 2), 0.5)
    assert dirichlet_multinomial_fit([[5, 5]] * 30, q).kappa == 1e6
    assert dirichlet_multinomial_fit([[10, 0], [0, 10]] * 15, q).kappa == 0.0


def test_one_answer_each_tells_nothing():
    found = dirichlet_multinomial_fit([[1, 0], [0, 1]], [[0.5, 0.5]] * 2)
    assert np.isnan(found.kappa)
    assert found.reason
    assert np.isnan(prior_strength([[1, 0], [0, 1]], [[0.5, 0.5]] * 2)).all()


def test_an_impossible_answer_does_not_decide():
    q = np.array([[1.0, 0.0]] * 20)
    seen = np.array([[9, 1], [7, 3], [10, 0], [8, 2]] * 5)
    assert 0.0 < dirichlet_multinomial_fit(seen, q).kappa < 1e6
    drawn = dirichlet_multinomial_fit(seen, q, draws=20).kappa
    assert drawn == pytest.approx(
        dirichlet_multinomial_fit(seen, ((20 * q + 0.5) / 21 - UNIFORM / 2) / (1 - UNIFORM)).kappa
    )


def test_kappa_is_fitted_without_the_scenarios_cluster():
    seen, q, _ = population(6.0, 30, 15, np.random.default_rng(6))
    clusters = np.repeat(["a", "b", "c"], [5, 10, 15])
    found = prior_strength(seen, q, clusters)
    for name in "abc":
        others = clusters != name
        expected = dirichlet_multinomial_fit(seen[others], q[others]).kappa
        assert found[~others] == pytest.approx(expected)
    with pytest.raises(ValueError, match="at least 2"):
        prior_strength(seen, q, ["a"] * 30)


def test_hybrid_by_hand_and_between_its_ends():
    q = np.array([[0.5, 0.5], [0.2, 0.8]])
    seen = np.array([[8, 2], [0, 5]])
    assert hybrid(seen, q, 0) == pytest.approx(seen / seen.sum(1, keepdims=True))
    assert hybrid(seen, q, 1e12) == pytest.approx(q)
    assert hybrid(seen, q, [10, 5])[1] == pytest.approx([0.1, 0.9])
    assert hybrid([[0, 0]], [[0.3, 0.7]], 2) == pytest.approx(np.array([[0.3, 0.7]]))
    with pytest.raises(ValueError, match="above 0 in each row"):
        hybrid([[0, 0]], [[0.3, 0.7]], 0)


def curve(counts, q, generator, *, discrepancy="tv", sizes=(5, 50), splits=10, of=None, **how):
    """Return the curve of one simulator; ``of``: who answered what."""
    people = people_alone(
        counts, discrepancy=discrepancy, generator=generator, sizes=sizes, splits=splits,
        **(of or {}),
    )  # fmt: skip
    return hybrid_curve(people, q, **how)


def interviews_saved(counts, q, generator, *, clusters=None, target="new", **how):
    """Return what :func:`curve` says of the hybrid, but for what it saves beyond a guess.

    That needs guesses at all sizes, which take most of the time; verdicts need them at n₀ alone.
    """
    people = people_alone(counts, discrepancy="tv", generator=generator, **how)
    at = np.searchsorted(people.people_sizes, people.sizes)
    of = {"seen": people.seen[:, at], "bounds": people.bounds[:, at]}
    guesses = guess_hybrids(replace(people, people_sizes=people.sizes, **of), clusters)
    return hybrid_bounds(people, q, clusters=clusters, guesses=guesses).curve(target).hybrid


def test_a_curve_of_one_split_is_made_of_mean_discrepancies():
    counts, q, _ = population(8.0, 30, 80, np.random.default_rng(7))
    clusters = np.arange(30) // 3
    rng = np.random.default_rng(1)
    found = curve(counts, q, rng, sizes=[5, 20], splits=1, clusters=clusters)
    grid = [1, 2, 3, 4, 5, 6, 8, 11, 16, 20, 23, 32, 40]
    assert found.people_sizes.tolist() == grid
    seen, rest = split_people(counts, grid, np.random.default_rng(1))
    judges, of = Responses(rest, clusters=clusters), {"discrepancy": "tv", "target": "new"}
    kappa = prior_strength(seen[9], q, clusters)
    expected = mean_discrepancy(judges, hybrid(seen[9], q, kappa), **of)
    assert [each[1] for each in found.hybrid.means] == pytest.approx(expected[:4])
    alone = mean_discrepancy(judges, seen[9] / 20, **of)
    assert [each[9] for each in found.people] == pytest.approx(alone[:4])
    simulator = mean_discrepancy(judges, q, **of)
    assert [each[0] for each in found.simulator] == pytest.approx(simulator[:4])
    assert found.hybrid.kappa[1] == pytest.approx(np.median(kappa))
    assert (found.corrected, found.m) == (None, 30)


@pytest.mark.slow
def test_the_corrected_hybrid_is_made_of_the_seen_alone():
    counts, q, _ = population(8.0, 30, 80, np.random.default_rng(7))
    clusters = np.arange(30) // 3
    how = {"sizes": [5, 20], "splits": 1, "clusters": clusters, "correction": tempered_mixture}
    found = curve(counts, q, np.random.default_rng(1), **how)
    seen, rest = split_people(counts, found.people_sizes.tolist(), np.random.default_rng(1))
    own = tempered_mixture(seen[9], q, clusters=clusters).probabilities
    mixed = hybrid(seen[9], own, prior_strength(seen[9], own, clusters))
    expected = mean_discrepancy(
        Responses(rest, clusters=clusters), mixed, discrepancy="tv", target="new"
    )
    assert [each[1] for each in found.corrected.means] == pytest.approx(expected[:4])


@pytest.mark.slow
def test_people_alone_of_some_scenarios_are_the_same():
    counts, q, _ = population(8.0, 30, 80, np.random.default_rng(7))
    streams = lambda: [np.random.default_rng(j) for j in range(30)]  # noqa: E731
    how = {"discrepancy": "tv", "sizes": [5, 20], "splits": 2}
    every = people_alone(counts, generator=streams(), **how)
    rows = np.array([3, 4, 11, 20])
    some = people_alone(counts[rows], generator=[streams()[j] for j in rows], **how)
    one, two = (hybrid_curve(each, q[rows]).hybrid for each in (every.at(rows), some))
    assert one.verdict == two.verdict
    assert np.concatenate(one[2:5]) == pytest.approx(np.concatenate(two[2:5]))
    assert np.stack(one.means) == pytest.approx(np.stack(two.means))


@pytest.mark.slow
def test_verdicts_are_paired_tests_of_what_needs_no_simulator_against_both():
    """At n₀ itself, whatever the curve does elsewhere."""
    counts, q, _ = population(8.0, 40, 120, np.random.default_rng(12))
    clusters = np.arange(40) // 4
    found = curve(counts, q, np.random.default_rng(1), sizes=[5, 50], splits=1, clusters=clusters)
    seen, rest = split_people(counts, found.people_sizes.tolist(), np.random.default_rng(1))
    for size, n in enumerate([5, 50]):
        own = seen[found.people_sizes.tolist().index(n)]
        guesses = np.full_like(q, 1 / 3), people_elsewhere(own, clusters=clusters)
        middles = [
            np.mean(discrepancy_bounds(rest, each, discrepancy="tv")[:2], axis=0)
            for each in (
                own / n,
                *(hybrid(own, each, prior_strength(own, each, clusters)) for each in (*guesses, q)),
            )
        ]
        alone, *others = (paired_error_bar(each, middles[-1], clusters) for each in middles[:-1])
        expected = "loss" if alone.upper < 0 else "no gain"
        if all(bar.lower > 0 for bar in (alone, *others)):
            expected = "gain"
        assert found.hybrid.verdict[size] == expected
        assert (found.hybrid.saved_lower[size] > 1e-9) == (alone.lower > 0)
        assert (found.hybrid.beyond_lower[size] > 1e-9) == (others[0].lower > 0)


def test_what_is_saved_beyond_a_guess_lies_on_the_curve_of_its_hybrids():
    counts, q, _ = population(20.0, 40, 120, np.random.default_rng(12))
    found = curve(counts, q, np.random.default_rng(1), sizes=[5], splits=1)
    grid = found.people_sizes[1:]
    seen, rest = split_people(counts, found.people_sizes.tolist(), np.random.default_rng(1))

    def far(own, stated):
        mixed = hybrid(own, stated, prior_strength(own, stated))
        return np.mean(discrepancy_bounds(rest, mixed, discrepancy="tv")[:2])

    uniform = np.full_like(q, 1 / 3)
    curve_of_guess = np.array([far(own, uniform) for own in seen[1:]])
    apart = np.minimum.accumulate(curve_of_guess - far(seen[4], q))
    assert found.people_sizes[4] == 5
    assert found.hybrid.beyond == pytest.approx(falling_through(apart, grid) - 5)
    assert 0 < found.hybrid.beyond[0] < found.hybrid.saved[0]


@pytest.mark.slow
def test_no_gain_is_shown_for_new_clusters_that_are_too_few():
    counts, q, _ = population(30.0, 60, 300, np.random.default_rng(8))
    how = {"sizes": [5], "splits": 2, "target": "new"}
    few, many = (
        curve(counts, q, np.random.default_rng(2), clusters=np.arange(60) // size, **how).hybrid
        for size in (20, 5)
    )
    assert few.saved_lower[0] > 0
    assert (few.verdict, many.verdict) == (("no gain",), ("gain",))


@pytest.mark.slow
def test_a_curve_of_persons_splits_persons():
    rng = np.random.default_rng(9)
    q = rng.dirichlet([3.0, 3.0], 6)
    answers = (rng.random((120, 6)) > q[:, 0]).astype(float)
    counts = (answers[:, :, None] == np.arange(2)).sum(0)
    of = {"answers": answers}
    found = curve(counts, q, rng, sizes=[5, 10], splits=2, of=of)
    assert np.isfinite(found.hybrid.saved).all()
    with pytest.raises(ValueError, match="counts must be those of answers"):
        curve(counts + 1, q, rng, sizes=[5], splits=2, of=of)
    with pytest.raises(ValueError, match="splits must be 2 or more"):
        curve(counts, q, rng, sizes=[5], splits=1, of=of)
    with pytest.raises(ValueError, match="splits must be 2 or more"):
        curve(counts, q, rng, sizes=[5], splits=1, target="asked")


def test_groups_of_persons_are_split_by_themselves():
    """Each group's split is what its persons alone give; a rare question costs one group only."""
    rng = np.random.default_rng(13)
    years = np.array(["a", "b", "a", "b", "b"])
    answers = np.full((200, 5), np.nan)
    answers[:120, years == "a"] = rng.integers(0, 3, (120, 2))
    answers[120:, years == "b"] = rng.integers(0, 3, (80, 3))
    answers[np.ix_(rng.permutation(120)[:90], [0])] = np.nan
    streams = lambda: [np.random.default_rng(j) for j in range(2)]  # noqa: E731
    found = split_persons(answers, [4, 10], streams(), options=3, groups=years)
    for name, own in zip("ab", (slice(None, 120), slice(120, None)), strict=True):
        part = answers[own][:, years == name]
        alone = split_persons(part, [4, 10], streams()["ab".index(name)], options=3)
        assert np.array_equal(found.seen[:, years == name], alone.seen)
        assert np.array_equal(found.rest[years == name], alone.rest)
    assert (found.rest[years == "b"].sum(1) == 70).all()
    answers[0, 1] = 2.0
    with pytest.raises(ValueError, match="person 0 answers scenarios of 2"):
        split_persons(answers, 4, rng, options=3, groups=years)


def test_curves_refuse_what_they_cannot_judge():
    counts, q, _ = population(8.0, 10, 30, np.random.default_rng(7))
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="leave 2 people"):
        curve(counts, q, rng, sizes=[5, 30])
    with pytest.raises(ValueError, match="infinite"):
        curve(counts, q, rng, discrepancy="kl", sizes=[5])
    with pytest.raises(ValueError, match="sizes must be"):
        curve(counts, q, rng, sizes=[10, 5])


def persons_of(shares, n, leaning, generator):
    """Return answers of n persons, who lean to the first or last option in all scenarios alike."""
    lean = generator.normal(0.0, leaning, (n, 1, 1)) * np.array([-1.0, 0.0, 1.0])
    utility = np.log(shares) + lean + generator.gumbel(size=(n, *shares.shape))
    return utility.argmax(2).astype(float)


def falling_through(rows, grid):
    """Return where rows (K, G) fall through 0, on a logarithmic scale, by the first such step."""
    found = []
    for row in np.atleast_2d(rows):
        after = int(np.argmax(row < 0.0)) if (row < 0.0).any() else len(grid) - 1
        share = row[after - 1] / (row[after - 1] - row[after])
        found.append(grid[after - 1] * (grid[after] / grid[after - 1]) ** share)
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("leaning", [pytest.param(0.0, marks=pytest.mark.release), 0.7])
def test_intervals_of_interviews_saved_on_these_scenarios_cover(leaning):
    """Persons answer all of 30 scenarios; the truth by 300 samples of them, judged by 40,000."""
    rng, sizes, grid, studies = np.random.default_rng(5), [5, 15], np.arange(1, 31), 20
    q = rng.dirichlet([2.0, 2.0, 2.0], 30)
    shares = np.array([rng.dirichlet(15.0 * row + 0.05) for row in q])
    everyone = persons_of(shares, 40_000, leaning, rng)
    true_shares = np.stack([(everyone == i).mean(0) for i in range(3)], axis=1)
    near, both = np.zeros(len(grid)), np.zeros(2)
    for _ in range(300):
        seen = persons_of(shares, 30, leaning, rng)
        counts = (seen[:, :, None] == np.arange(3)).cumsum(0)
        near += np.abs(counts / grid[:, None, None] - true_shares).sum(2).mean(1) / 600
        for i, n in enumerate(sizes):
            own = counts[n - 1]
            mixed = hybrid(own, q, prior_strength(own, q))
            both[i] += np.abs(mixed - true_shares).sum(1).mean() / 600
    true = falling_through(near - both[:, None], grid) - sizes
    missed = np.zeros(2)
    for _ in range(studies):
        answers = persons_of(shares, 100, leaning, rng)
        counts = (answers[:, :, None] == np.arange(3)).sum(0)
        how = {"sizes": sizes, "splits": 6, "answers": answers, "target": "asked"}
        found = interviews_saved(counts, q, rng, **how)
        missed += (found.saved_lower > true) | (found.saved_upper < true)
    assert (binom.sf(missed - 1, studies, 0.05) > 1e-3).all()


PAIRS = [3.1, 2.4, 4.0, 3.3, 2.9, 3.8, 1.9, 3.5], [3.6, 2.7, 4.1, 3.9, 3.0, 4.4, 2.9, 3.4]
OTHERS = [2.1, 3.3, 4.6, 3.8, 2.2, 3.1, 4.9, 2.5, 3.7, 3.6, 4.2, 2.8]
OF_PPI_PY = 3.08086862  # ppi_mean_pointestimate of ppi-python 0.2.3, its covariance over n


def test_means_with_twins_agree_with_ppi_py():
    found = prediction_powered_mean(*PAIRS, OTHERS)
    people, twins = map(np.array, PAIRS)
    weight = found.weight * 7 / 8
    theirs = weight * np.mean(OTHERS) + (people - weight * twins).mean()
    assert theirs == pytest.approx(OF_PPI_PY, abs=1e-8)


def test_without_what_twins_tell_people_alone_remain():
    people = [1.0, 2.0, 4.0, 4.0, 3.0]
    found = prediction_powered_mean(people, [5.0] * 5, [5.0, 5.0])
    half = t.ppf(0.975, 4) * np.std(people, ddof=1) / np.sqrt(5)
    assert found[:3] == pytest.approx((2.8, 2.8 - half, 2.8 + half))
    assert found[3:5] == pytest.approx((0.0, 5.0))
    with pytest.raises(ValueError, match="pairs, 3 or more"):
        prediction_powered_mean([1.0, 2.0], [1.0, 2.0], [1.0])


def test_a_share_that_nobody_chose_is_not_known_to_be_0():
    twins, others = np.zeros(100), np.repeat([0.0, 1.0], [95, 5])
    found = prediction_powered_mean(np.zeros(100), twins, others)
    half = t.ppf(0.975, 99) * np.sqrt(2 / 104 * 102 / 104 / 104)  # of 2 in 104
    assert found[:3] == pytest.approx((0.0, 2 / 104 - half, 2 / 104 + half))
    assert found.few_answers
    stated, of_others = np.linspace(0.0, 0.1, 100), np.full(50, 0.05)  # probabilities
    for guesses, rest in ((twins, np.zeros(50)), (stated, of_others)):
        assert prediction_powered_mean(np.zeros(100), guesses, rest)[:3] == pytest.approx(found[:3])
    alike = prediction_powered_mean(np.full(100, 5.0), np.full(100, 5.0), np.full(50, 5.0))
    assert alike[:3] == (5.0, -np.inf, np.inf)
