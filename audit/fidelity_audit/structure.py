"""Coverage of the intervals of :mod:`fidelity.structure`, in studies whose truth is known.

Questions have a general factor and one for each topic, and are cut into options. So correlations of
answers are integrals over two factors, computed here by quadrature. The table of all cells:

    python -m fidelity_audit.structure 2000
"""

import sys
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.special import ndtr

from fidelity.structure import (
    AnswerTable,
    all_pairs,
    associations,
    compare_associations,
    compare_scale,
    first_eigenvalue,
    group_differences,
    twin_agreement,
    variance_ratios,
)

CUTS = {"even": (-1.2, -0.4, 0.4, 1.2), "skew": (0.3, 1.0, 1.6, 2.1), "two": (0.3,)}
STEP = 0.05
GENERAL = np.arange(-6.0 + STEP / 2.0, 6.0, STEP)
SHARES = np.exp(-(GENERAL**2) / 2.0) / np.exp(-(GENERAL**2) / 2.0).sum()
NODES, MASSES = np.polynomial.hermite_e.hermegauss(24)
MASSES = MASSES / MASSES.sum()
EIGENVALUES = 10  # every tenth study, since it takes long


class Cell(NamedTuple):
    """A kind of study.

    Attributes:
        n, k: persons, runs of the simulator.
        questions: how many.
        simulator: ``same`` as people; ``flat``, loadings times .6; ``other`` loadings.
        extra: ``missing`` answers (20 % and 10 %), ``weights`` related to the answers, or nothing.
        options: names of :data:`CUTS`.
    """

    n: int
    k: int
    questions: int
    simulator: str
    extra: str
    options: str


CELLS = (
    Cell(100, 100, 5, "flat", "", "even"),
    Cell(100, 100, 5, "same", "missing", "skew"),
    Cell(100, 100, 20, "other", "weights", "even"),
    Cell(100, 100, 60, "flat", "missing", "two"),
    Cell(300, 200, 5, "other", "weights", "skew"),
    Cell(300, 200, 20, "flat", "missing", "skew"),
    Cell(300, 200, 20, "same", "", "even"),
    Cell(300, 200, 60, "other", "", "skew"),
    Cell(1000, 500, 5, "same", "weights", "two"),
    Cell(1000, 500, 20, "other", "missing", "even"),
    Cell(1000, 500, 20, "flat", "weights", "even"),
    Cell(3000, 1000, 20, "flat", "", "skew"),
    Cell(3000, 1000, 60, "same", "missing", "even"),
)


class FactorPopulation(NamedTuple):
    """Answers 0, 1, ... to Q questions.

    Attributes:
        general, special: loadings on the general and on the topic's factor, (Q,).
        topics: of questions by number, (Q,).
        cuts: between options of the normal variable behind the answers.
    """

    general: np.ndarray
    special: np.ndarray
    topics: np.ndarray
    cuts: tuple[float, ...]

    @property
    def _rest(self) -> np.ndarray:
        return np.sqrt(1.0 - self.general**2 - self.special**2)

    def draw(self, n: int, generator: Generator, select: bool = False):
        """Return answers, weights and groups (the sign of the general factor) of n persons.

        Selected are those below its mean three times as often as those above.
        """
        general = np.abs(generator.standard_normal(n))
        low = generator.random(n) < (0.75 if select else 0.5)
        general[low] *= -1.0
        special = generator.standard_normal((n, int(self.topics.max()) + 1))[:, self.topics]
        noise = self._rest * generator.standard_normal((n, len(self.topics)))
        hidden = self.general * general[:, None] + self.special * special + noise
        answers = np.searchsorted(self.cuts, hidden.ravel()).reshape(hidden.shape).astype(float)
        return answers, np.where(low, 1.0, 3.0) if select else None, low

    def _means(self) -> np.ndarray:
        """Return the mean answers at values of both factors, (Q, values, nodes)."""
        at = self.general[:, None, None] * GENERAL[:, None] + self.special[:, None, None] * NODES
        cut = np.array(self.cuts)[:, None, None, None]
        return ndtr((at - cut) / self._rest[:, None, None]).sum(0)

    def covariance(self) -> np.ndarray:
        """Return the covariance of answers, (Q, Q)."""
        means = self._means()
        of_general = means @ MASSES
        mean = of_general @ SHARES
        apart = np.einsum("ag,bg,g->ab", of_general, of_general, SHARES)
        within = np.einsum("agt,bgt,g,t->ab", means, means, SHARES, MASSES, optimize=True)
        covariance = np.where(self.topics[:, None] == self.topics, within, apart) - np.outer(
            mean, mean
        )
        shares = np.diff([0.0, *ndtr(self.cuts), 1.0])
        values = np.arange(len(shares))
        np.fill_diagonal(covariance, shares @ values**2 - (shares @ values) ** 2)
        return covariance

    def difference(self) -> np.ndarray:
        """Return the difference of the means of both groups, (Q,)."""
        of_general = self._means() @ MASSES
        return 2.0 * of_general @ (SHARES * np.sign(GENERAL))


def population(questions: int, options: str, seed: int = 1, times: float = 1.0) -> FactorPopulation:
    """Return a population; a third of the questions is worded against the others."""
    generator = np.random.default_rng(seed)
    sign = np.where(np.arange(questions) % 3 == 0, -1.0, 1.0) * 0.5 * times
    general, special = sign * generator.uniform(0.6, 1.0, (2, questions))
    return FactorPopulation(
        general, special, np.arange(questions) % max(1, questions // 5), CUTS[options]
    )


def populations(cell: Cell) -> tuple[FactorPopulation, FactorPopulation]:
    """Return people and the simulator."""
    people = population(cell.questions, cell.options)
    if cell.simulator == "same":
        return people, people
    if cell.simulator == "flat":
        return people, population(cell.questions, cell.options, times=0.6)
    order = np.random.default_rng(3).permutation(cell.questions)
    return people, people._replace(general=people.general[order], topics=people.topics[order])


def truths(cell: Cell) -> dict[str, float]:
    """Return what the intervals are for."""
    sides = populations(cell)
    covariances = [side.covariance() for side in sides]
    scales = [np.sqrt(np.diag(each)) for each in covariances]
    pairs = tuple(all_pairs(cell.questions).T)
    r, s = (c[pairs] / np.outer(d, d)[pairs] for c, d in zip(covariances, scales, strict=True))
    sign = np.sign(sides[0].general)
    keyed = [each * np.outer(sign, sign) for each in covariances]
    many = cell.questions / (cell.questions - 1.0)
    alphas = [many * (1.0 - np.trace(each) / each.sum()) for each in keyed]
    apart = [(side.difference() / scales[0]) ** 2 for side in sides]
    table = covariances[0] / np.outer(scales[0], scales[0])
    return {
        "slope": float(r @ s / (r @ r)),
        "congruence": float(r @ s / np.sqrt((r @ r) * (s @ s))),
        "mean_squared": float(((r - s) ** 2).mean()),
        "people": float(r @ r / len(r)),
        "alpha": float(alphas[0]),
        "alpha difference": float(alphas[1] - alphas[0]),
        "variance of the sum": float(keyed[1].sum() / keyed[0].sum()),
        "dispersion": float(np.exp(2.0 * np.log(scales[1] / scales[0]).mean())),
        "groups": float(apart[1].sum() / apart[0].sum()),
        "first eigenvalue": float(np.linalg.eigvalsh(table)[-1] / cell.questions),
    }


def intervals(cell: Cell, studies: int, seed: int = 0) -> Iterator[dict[str, tuple]]:
    """Yield the intervals of simulated studies, and the naive slope."""
    people, simulator = populations(cell)
    sign = np.sign(people.general)
    for number in range(studies):
        generator = np.random.default_rng([seed, cell.n, cell.questions, number])
        x, weights, x_group = people.draw(cell.n, generator, cell.extra == "weights")
        y, _, y_group = simulator.draw(cell.k, generator)
        if cell.extra == "missing":
            x[generator.random(x.shape) < 0.2] = np.nan
            y[generator.random(y.shape) < 0.1] = np.nan
        one, two = AnswerTable(x, weights), AnswerTable(y)
        sides = associations(one), associations(two)
        (found,) = compare_associations(*sides)
        scale = compare_scale(AnswerTable(x * sign, weights), y * sign)
        products = np.nansum([sides[0].r * sides[1].r, sides[0].r ** 2], axis=1)
        every = {name: getattr(found, name) for name in list(truths_of_pairs())}
        every |= {
            "alpha": scale.people,
            "alpha difference": scale.difference,
            "variance of the sum": scale.variance_ratio,
            "dispersion": variance_ratios(one, two)[1],
            "groups": group_differences(one, two, x_group, y_group).ratio,
            "naive": (products[0] / products[1], np.nan, np.nan),
        }
        if number % EIGENVALUES == 0:
            every["first eigenvalue"] = first_eigenvalue(one, generator=generator).share
        yield every


def truths_of_pairs() -> tuple[str, ...]:
    """Return the names of what :func:`compare_associations` estimates."""
    return ("slope", "congruence", "mean_squared", "people")


class Coverage(NamedTuple):
    """Of the studies with an estimate: its mean, and the share whose interval misses the truth.

    Attributes:
        true: the truth.
        mean: of the estimates.
        known: the share of studies with an estimate.
        above, below: the share of all studies whose interval lies above, or below, the truth.
    """

    true: float
    mean: float
    known: float
    above: float
    below: float


def coverage(cell: Cell, studies: int, seed: int = 0) -> dict[str, Coverage]:
    """Return the coverage of each interval."""
    true = truths(cell)
    found: dict[str, list[tuple]] = {}
    for study in intervals(cell, studies, seed):
        for name, interval in study.items():
            found.setdefault(name, []).append(tuple(interval))
    result = {}
    for name, rows in found.items():
        estimate, lower, upper = np.array(rows).T
        aim = true["slope" if name == "naive" else name]
        known = np.isfinite(estimate)
        beside = float((lower > aim + 1e-9).mean()), float((upper < aim - 1e-9).mean())
        mean = float(estimate[known].mean()) if known.any() else float("nan")
        result[name] = Coverage(aim, mean, float(known.mean()), *beside)
    return result


def twin_coverage(n: int, questions: int, knows: float, studies: int) -> tuple[Coverage, float]:
    """Return the coverage of the excess of twins, and how often p ≤ .05.

    Half of the twins know their persons: they repeat an answer with probability 2·knows. Persons
    are in two conditions with different shares.
    """
    shares = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    true = knows * float((1.0 - (shares**2).sum(1)).mean())
    condition = np.arange(n) % 2
    limits = shares[condition].cumsum(1)[:, None]
    rows, p_values = [], []
    for number in range(studies):
        generator = np.random.default_rng([n, questions, number])
        people, others = (
            (generator.random((n, questions, 1)) > limits).sum(2).astype(float) for _ in range(2)
        )
        known = (generator.random((n, 1)) < 0.5) & (generator.random(people.shape) < 2.0 * knows)
        twins = np.where(known, people, others)
        found = twin_agreement(people, twins, strata=condition, generator=generator, permuted=99)
        rows.append(tuple(found.excess))
        p_values.append(found.p_value)
    estimate, lower, upper = np.array(rows).T
    beside = float((lower > true).mean()), float((upper < true).mean())
    covered = Coverage(true, float(estimate.mean()), 1.0, *beside)
    return covered, float((np.array(p_values) <= 0.05).mean())


def main(studies: int, first: int = 0, step: int = 1) -> None:
    """Print the table."""
    for number, cell in zip(count(), CELLS, strict=False):
        if number % step == first:
            for name, each in coverage(cell, studies).items():
                held = 1.0 - each.above - each.below
                print(
                    *cell, name, *(f"{value:.3f}" for value in (held, *each)), sep="\t", flush=True
                )
    if first == 0:
        for n, questions, knows in ((60, 4, 0.3), (300, 10, 0.1), (300, 10, 0.0)):
            each, rejected = twin_coverage(n, questions, knows, studies)
            held = 1.0 - each.above - each.below
            print("twins", n, questions, knows, held, *each, "p <= .05:", rejected, sep="\t")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
