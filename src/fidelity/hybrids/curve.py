"""Distances from people of a few people, a simulator, and both together; and interviews saved.

People are split several times at random (:mod:`fidelity.hybrids.people`). Each of the three is
measured as a simulator is (:mod:`fidelity.means`): in every scenario E Λ ≤ L(p, p̃) ≤ E Δ̂.

*Interviews saved* at n₀ are n₊ - n₀, where people alone at n₊ are as near as the hybrid is at n₀.
The discrepancies compared are the middles of the two bounds. People alone are measured at sizes no
more than √2 apart, and the curve between them is taken as straight in log n. (For a curve 1/n this
gives at most 1.5 % too many.)

The interval of n₊ holds the sizes at which the mean difference between people alone and the hybrid
is not significantly different from 0.

A uniform guess saves interviews, too: it pulls the extreme shares of few people towards the middle.
What a simulator saves *beyond* is n₊ - n₀, where the hybrid of a uniform guess at n₊, with a κ̂ of
its own, is as near as the simulator's hybrid at n₀. The interval inverts the same test.

A simulator may also know no more than what people answer on average, which the n₀ people of other
clusters tell, too: the mixture of a uniform guess and pooled shares of
:func:`fidelity.correction.people_elsewhere`. There is a gain exactly where people alone at n₀, the
hybrid of the uniform guess and that of this mixture are all significantly farther than the
simulator's hybrid. So a gain is false no more often than a single test (an intersection-union test,
Berger 1982).

The error depends on which mean is asked for:

- *asked*: of these very scenarios. Only people are random, those seen and those who judge. Let s²
  be the variance between splits of a split's mean. The mean over S splits has the part s²/S, and a
  part that all splits of N people have in common. The latter is (n₀/(N - n₀)) s² if the answers of
  those seen just add up, and less otherwise. So SE² = (1/S + n₀/r) s² with r people who judge, and
  Student's t has S - 1 degrees of freedom. In simulated studies of 80 and 200 people, each with
  people of its own or the same ones, the true variance lay between 1/S and 1/S + n₀/r times s².
- *new*: of the population that the scenarios, or their clusters, are drawn from: CR2 and Student's
  t. Where persons answer several scenarios, the same few are seen in all and the same others judge,
  and the variance above is added.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, Floats, IntArray
from fidelity.comparison.error_bars import mean_error_bar
from fidelity.comparison.few_clusters import too_few
from fidelity.correction.folds import Corrected
from fidelity.correction.gain import GAIN, LOSS, NO_GAIN
from fidelity.correction.mixture import tempered_mixture
from fidelity.hybrids.people import PeopleAlone
from fidelity.hybrids.strength import hybrid, prior_strength
from fidelity.means.average import ASKED, NEW, TARGETS, DiscrepancyBounds, mean_interval, possible

ROUNDING = 1e-12


class MeanDiscrepancies(NamedTuple):
    """Mean discrepancies at K sizes, between two bounds, (K,) each.

    Attributes:
        lower, upper: their expectations enclose the mean discrepancy.
        ci_lower, ci_upper: ends of confidence intervals, one for each size.

    Examples:
        >>> from fidelity.hybrids import MeanDiscrepancies
        >>> MeanDiscrepancies._fields
        ('lower', 'upper', 'ci_lower', 'ci_upper')
    """

    lower: FloatArray
    upper: FloatArray
    ci_lower: FloatArray
    ci_upper: FloatArray


class Together(NamedTuple):
    """Few people and a simulator together, against the number of people seen, (K,) each.

    Attributes:
        kappa: the median of κ̂ over scenarios and splits.
        means: of (x⁰ + κ̂ q̂)/(n₀ + κ̂).
        saved: interviews saved at n₀; negative where people alone are nearer.
        saved_lower, saved_upper: ends of their confidence intervals.
        beyond: how many are saved beyond the hybrid of a uniform guess.
        beyond_lower, beyond_upper: ends of their confidence intervals.
        verdict: ``gain`` where people alone at n₀, and their hybrids with guesses that need no
            simulator, are all farther than the simulator's hybrid; ``loss`` where people alone are
            nearer; otherwise ``no gain``, where none is shown, as always for new scenarios of fewer
            than 4 effective clusters.

    Examples:
        >>> from fidelity.hybrids import Together
        >>> Together._fields[:2]
        ('kappa', 'means')
    """

    kappa: FloatArray
    means: MeanDiscrepancies
    saved: FloatArray
    saved_lower: FloatArray
    saved_upper: FloatArray
    beyond: FloatArray
    beyond_lower: FloatArray
    beyond_upper: FloatArray
    verdict: tuple[str, ...]


class HybridCurve(NamedTuple):
    """People alone, a simulator alone and both together.

    Attributes:
        sizes: n₀ of hybrids, (K,).
        people_sizes: of people alone, (G,), with all of ``sizes`` among them. Interviews saved are
            at most the last of them less n₀; where they are equal to that, read "or more".
        people: of people's shares alone, at ``people_sizes``.
        simulator: of the simulator alone, (1,).
        hybrid: of both together, at ``sizes``.
        corrected: the same of the corrected simulator; None without a correction.
        m: scenarios.

    Examples:
        >>> from fidelity.hybrids import HybridCurve
        >>> HybridCurve._fields[:2]
        ('sizes', 'people_sizes')
    """

    sizes: IntArray
    people_sizes: IntArray
    people: MeanDiscrepancies
    simulator: MeanDiscrepancies
    hybrid: Together
    corrected: Together | None
    m: int


def hybrid_curve(
    people: PeopleAlone,
    q: ArrayLike,
    *,
    target: str = NEW,
    level: float = 0.95,
    clusters: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    correction: Callable[..., Corrected] | None = None,
) -> HybridCurve:
    """Return mean discrepancies against n₀, and interviews saved, with intervals.

    κ̂ of a scenario is fitted on the n₀ people seen in other clusters. All intervals are
    approximate. They were tried in 150 simulated studies each of 60 scenarios, in 5 or 12 clusters
    or without any. For new scenarios, 95 % intervals of interviews saved missed 1 to 4 % of the
    true values. Where the same persons answer all scenarios they missed fewer, for both targets.

    Args:
        target: ``new``, the mean over the population of the scenarios or their clusters, or
            ``asked``, the mean over these very scenarios.
        level: of the intervals.
        people, q, clusters, draws, correction: as :func:`hybrid_bounds`.

    Raises:
        ValueError: on malformed arrays, fewer than 2 clusters, or 1 split where the variance
            between splits is needed: for ``asked``, and where persons answer several scenarios.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import hybrid_curve, people_alone
        >>> rng = np.random.default_rng(0)
        >>> model = rng.dirichlet([3.0, 3.0, 3.0], 60)
        >>> shares = np.array([rng.dirichlet(20.0 * row) for row in model])  # worth 20 people
        >>> answers = rng.multinomial(400, shares)
        >>> people = people_alone(answers, discrepancy="tv", sizes=[5, 50], generator=rng)
        >>> found = hybrid_curve(people, model).hybrid
        >>> found.verdict, bool(10 < found.saved[0] < 30)
        (('gain', 'gain'), True)
    """
    bounds = hybrid_bounds(people, q, clusters=clusters, draws=draws, correction=correction)
    return bounds.curve(target, level)


class Measured(NamedTuple):
    """A few people and a simulator together, measured by those who judge.

    Attributes:
        kappa: κ̂ of each split, size and scenario, (splits, K, m).
        bounds: on discrepancies, (splits, K, F, m), as :class:`fidelity.hybrids.PeopleAlone` has.

    Examples:
        >>> from fidelity.hybrids import Measured
        >>> Measured._fields
        ('kappa', 'bounds')
    """

    kappa: FloatArray
    bounds: FloatArray


class Guesses(NamedTuple):
    """People together with guesses that need no simulator.

    Attributes:
        sizes: at which the uniform guess is measured, all of ``people_sizes`` from 2 on, (G,): one
            answer each tells nothing of κ.
        uniform: with the uniform guess, at these sizes.
        elsewhere: with what the n₀ people of other clusters answered,
            :func:`fidelity.correction.people_elsewhere`, at the sizes of hybrids.

    Examples:
        >>> from fidelity.hybrids import Guesses
        >>> Guesses._fields
        ('sizes', 'uniform', 'elsewhere')
    """

    sizes: IntArray
    uniform: Measured
    elsewhere: Measured


class HybridBounds(NamedTuple):
    """People alone, a simulator alone and both together in each split, before any mean is taken.

    Attributes:
        people: alone.
        clusters: one label per scenario, (m,), or None.
        guesses: people and guesses that need no simulator together.
        simulator: bounds on its discrepancies, (splits, 1, F, m).
        hybrid: both together.
        corrected: the same of the corrected simulator; None without a correction.

    Examples:
        >>> from fidelity.hybrids import HybridBounds
        >>> HybridBounds._fields[2:]
        ('guesses', 'simulator', 'hybrid', 'corrected')
    """

    people: PeopleAlone
    clusters: AnyArray | None
    guesses: "Guesses"
    simulator: FloatArray
    hybrid: Measured
    corrected: Measured | None

    def curve(self, target: str = NEW, level: float = 0.95) -> HybridCurve:
        """Return means, interviews saved and intervals; see :func:`hybrid_curve`."""
        inputs.one_of("target", target, TARGETS)
        level = inputs.number("level", level, inputs.INSIDE)
        people = self.people
        if len(people.rest) < 2 and (target == ASKED or people.people is not None):
            raise ValueError("splits must be 2 or more, to know how much they vary; there is 1")
        over = _Means(people, self.clusters, target, level)
        return HybridCurve(
            sizes=people.sizes,
            people_sizes=people.people_sizes,
            people=over.means(people.bounds, people.people_sizes),
            simulator=over.means(self.simulator, [0]),
            hybrid=over.together(self.hybrid, self.guesses),
            corrected=None
            if self.corrected is None
            else over.together(self.corrected, self.guesses),
            m=people.rest.shape[1],
        )


def hybrid_bounds(
    people: PeopleAlone,
    q: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    draws: ArrayLike | None = None,
    correction: Callable[..., Corrected] | None = None,
    guesses: Guesses | None = None,
) -> HybridBounds:
    """Return the bounds that :func:`hybrid_curve` takes means of, for both of its targets.

    Args:
        people: as :func:`people_alone` gives them; the same for all simulators.
        q: the simulator's probabilities, (m, d).
        clusters: one label per scenario, (m,); None if scenarios are independent.
        draws: how many draws q is the shares of, for κ̂ alone; q is compared as it stands.
        correction: a function that corrects the simulator by the n₀ people seen, such as
            :func:`fidelity.correction.tempered_mixture`. It is given their answers, q, and
            ``clusters``, and must not use answers from a scenario's own cluster.
        guesses: what :func:`guess_hybrids` returns for the same people and clusters, which is the
            same for all simulators; made here if None.

    Raises:
        ValueError: on malformed arrays, fewer than 2 clusters.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import hybrid_bounds, people_alone
        >>> rng = np.random.default_rng(0)
        >>> answers = rng.multinomial(400, rng.dirichlet([3.0, 3.0, 3.0], 20))
        >>> how = {"discrepancy": "tv", "sizes": [5, 50], "splits": 4}
        >>> people = people_alone(answers, generator=rng, **how)
        >>> found = hybrid_bounds(people, [[1 / 3] * 3] * 20)  # a uniform guess
        >>> both = found.curve("asked").hybrid
        >>> print(bool(both.saved_lower[0] > 0), abs(round(both.beyond[0], 3)), both.verdict[0])
        True 0.0 no gain
    """
    splits, m, d = people.rest.shape
    q, clusters, draws = inputs.aligned(q=q, clusters=clusters, draws=draws)
    q = inputs.table("q", q, inputs.SHARE_OR_NOTHING, (m, d))
    if clusters is not None:
        clusters = inputs.labels("clusters", clusters, m)
    corrected = None
    if correction is not None:
        learn = correction
        corrected = _measured(
            people, lambda seen: learn(seen, q, clusters=clusters).probabilities, clusters
        )
    return HybridBounds(
        people,
        clusters,
        guess_hybrids(people, clusters) if guesses is None else guesses,
        np.stack([people.judged(split, q) for split in range(splits)])[:, None],
        _measured(people, lambda _: q, clusters, draws),
        corrected,
    )


def guess_hybrids(people: PeopleAlone, clusters: ArrayLike | None = None) -> Guesses:
    """Return people together with guesses that need no simulator.

    Args:
        people, clusters: as :func:`hybrid_bounds`.

    Examples:
        >>> import numpy as np
        >>> from fidelity.hybrids import guess_hybrids, people_alone
        >>> rng = np.random.default_rng(0)
        >>> answers = rng.multinomial(400, rng.dirichlet([3.0, 3.0, 3.0], 20))
        >>> people = people_alone(answers, discrepancy="tv", sizes=[5], generator=rng, splits=3)
        >>> guess_hybrids(people).elsewhere.kappa.shape  # splits, sizes, scenarios
        (3, 1, 20)
    """
    exists = ~np.isnan(people.rest[0])
    uniform = np.where(exists, 1.0 / exists.sum(1, keepdims=True), np.nan)
    labels = None if clusters is None else inputs.labels("clusters", clusters, len(uniform))

    def elsewhere(seen: FloatArray) -> FloatArray:
        return tempered_mixture(seen, uniform, clusters=labels, starts=[1.0]).probabilities

    sizes = people.people_sizes[people.people_sizes > 1]
    return Guesses(
        sizes,
        _measured(people, lambda _: uniform, labels, sizes=sizes),
        _measured(people, elsewhere, labels),
    )


def _measured(
    alone: PeopleAlone,
    stated: Callable[[FloatArray], FloatArray],
    clusters: AnyArray | None,
    draws: ArrayLike | None = None,
    sizes: IntArray | None = None,
) -> Measured:
    """Return a few people together with a simulator, whose probabilities depend on those seen."""
    at = np.searchsorted(alone.people_sizes, alone.sizes if sizes is None else sizes)
    shape = (len(alone.rest), len(at))
    kappa = np.empty((*shape, alone.bounds.shape[-1]))
    bounds = np.empty((*shape, *alone.bounds.shape[-2:]))
    for split, size in np.ndindex(shape):
        seen = alone.seen[split, at[size]]
        shares = stated(seen)
        kappa[split, size] = prior_strength(seen, shares, clusters, draws=draws)
        bounds[split, size] = alone.judged(split, hybrid(seen, shares, kappa[split, size]))
    return Measured(kappa, bounds)


class _Means(NamedTuple):
    """How means over scenarios and splits are taken."""

    alone: PeopleAlone
    clusters: AnyArray | None
    target: str
    level: float

    def together(self, measured: Measured, guesses: Guesses) -> Together:
        """Return means, interviews saved, and verdicts."""
        alone = self.alone
        saved, (above, below) = self.saved(alone.bounds, alone.people_sizes, measured)
        beyond, (above_guess, _) = self.saved(guesses.uniform.bounds, guesses.sizes, measured)
        apart = _middles(guesses.elsewhere.bounds) - _middles(measured.bounds)
        mean, half = self.differences(apart, alone.sizes)
        certain = [gain > ROUNDING for gain in (above, above_guess, mean - half)]
        verdicts = np.select([np.all(certain, axis=0), below < -ROUNDING], [GAIN, LOSS], NO_GAIN)
        if self.target == NEW and too_few(self.clusters):
            verdicts[:] = NO_GAIN
        return Together(
            np.median(measured.kappa, axis=(0, 2)),
            self.means(measured.bounds, alone.sizes),
            *(saved[0], saved[1], saved[2], beyond[0], beyond[1], beyond[2]),
            tuple(verdicts.tolist()),
        )

    def saved(
        self, bounds: FloatArray, sizes: IntArray, measured: Measured
    ) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
        """Return how many more people another estimate needs to be as near as the hybrid at n₀.

        Args:
            bounds: of the other at G sizes, (splits, G, F, m).
            sizes: these, (G,), with those of hybrids among them.
            measured: the hybrid.

        Returns:
            The number with the ends of its interval, (3, K), and by how much the other is farther
            at n₀ at least and at most, (K,) each.
        """
        seen_sizes = self.alone.sizes
        apart = _middles(bounds)[:, None] - _middles(measured.bounds)[:, :, None]
        curves = self.falling(apart)
        at = np.arange(len(seen_sizes)), np.searchsorted(sizes, seen_sizes)
        more = np.array([_crossing(curve, sizes) - seen_sizes for curve in curves])
        return more, (curves[1][at], curves[2][at])

    def means(self, bounds: FloatArray, sizes: ArrayLike) -> MeanDiscrepancies:
        """Return means over scenarios and splits, with intervals, of bounds (splits, K, F, m).

        ``sizes``: how many people are seen, (K,).
        """
        is_new = self.target == NEW
        how: dict[str, Any] = {
            "target": self.target,
            "clusters": self.clusters if is_new else None,
            "respondents": self.alone.people,
            "level": self.level,
        }
        half = self.quantile * self.people_se(_middles(bounds), sizes)
        ends = []
        for row, seen in zip(bounds.mean(0), half, strict=True):
            size_bounds = DiscrepancyBounds(*row)
            interval = mean_interval(size_bounds, **how)
            interval = interval._replace(
                ci_lower=interval.lower - np.hypot(interval.lower - interval.ci_lower, seen),
                ci_upper=interval.upper + np.hypot(interval.ci_upper - interval.upper, seen),
            )
            ends.append(possible(interval, size_bounds)[:4])
        return MeanDiscrepancies(*np.array(ends).T)

    def falling(self, apart: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return mean differences and the ends of their intervals, made to fall in n, (K, G) each.

        Args:
            apart: people alone less both together, (splits, K, G, m).
        """
        mean, half = self.differences(apart, self.alone.sizes[:, None])
        return (
            np.minimum.accumulate(mean, axis=1),
            np.minimum.accumulate(mean - half, axis=1),
            np.maximum.accumulate((mean + half)[:, ::-1], axis=1)[:, ::-1],
        )

    def differences(self, apart: FloatArray, seen: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return mean differences and half the widths of their intervals, (...) each.

        Args:
            apart: differences, (splits, ..., m).
            seen: how many people are seen, (...).
        """
        mean, se = apart.mean((0, -1)), self.people_se(apart, seen)
        if self.target == NEW:
            of_scenarios = np.moveaxis(apart.mean(0), -1, 0)
            se = np.hypot(se, mean_error_bar(of_scenarios, self.clusters, level=self.level).se)
        return mean, self.quantile * se

    def people_se(self, scores: FloatArray, seen: ArrayLike) -> FloatArray:
        """Return the error of the mean of scores (splits, ..., m) that people cause, (...).

        0 for new scenarios, each with people of its own, since scenarios' variation includes it.

        Args:
            scores: of each split.
            seen: how many people are seen, (...).
        """
        if self.target == NEW and self.alone.people is None:
            return np.zeros(scores.shape[1:-1])
        fewest = np.nansum(self.alone.rest, axis=-1).min()
        share = 1.0 / len(scores) + np.asarray(seen, float) / fewest
        return np.sqrt(share) * scores.mean(-1).std(0, ddof=1)

    @property
    def quantile(self) -> float:
        """Student's t."""
        splits, m, _ = self.alone.rest.shape
        df: Floats = splits - 1.0
        if self.target == NEW:
            df = mean_error_bar(np.arange(float(m)), self.clusters, level=self.level).df
        return float(sp.special.stdtrit(df, (1.0 + self.level) / 2.0))


def _middles(bounds: FloatArray) -> FloatArray:
    """Return the middles of lower and upper bounds (..., F, m), (..., m)."""
    return bounds[..., :2, :].mean(-2)


def _crossing(falling: FloatArray, sizes: IntArray) -> FloatArray:
    """Return where each row, (K, G), falls through 0, on a logarithmic scale; or the end."""
    log_n = np.log(sizes)
    return np.exp([np.interp(0.0, row[::-1], log_n[::-1]) for row in falling])
