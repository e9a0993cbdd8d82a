"""Mixtures: of a simulator, a uniform guess and people's answers elsewhere, or of all simulators.

Weights maximise the likelihood of people's answers, Σ_j Σ_i x_ij log Σ_c w_c q_ij^c, which is
concave in them. The EM step w_c ← w_c·(mean over answers of q^c/mixture) never lowers it. The
largest of these means, less 1, bounds the distance of the mean log-likelihood from its maximum.
"""

from collections.abc import Sequence

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray
from fidelity.correction.folds import Answered, Corrected

SHORT_OF_MAXIMUM = 1e-7
STEPS = 10_000
TEMPERATURES = (0.02, 20.0)
STARTS = (0.1, 0.4, 1.0, 3.0)
FIRST = np.array([0.8, 0.1, 0.1])
NEGLIGIBLE = 1e-6
FLOOR = 1e-12


def tempered_mixture(
    counts: ArrayLike,
    q: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    starts: ArrayLike = STARTS,
) -> Corrected:
    """Return a simulator's probabilities, corrected by people's answers to other questions.

    w₁·q^τ/Σq^τ + w₂·uniform + w₃·pooled, fitted to people's answers elsewhere.

    There are three free parameters, so few scenarios suffice. The temperature τ < 1 flattens a
    simulator that is too certain, and τ > 1 sharpens one that is too vague. The weights, on the
    simplex, mix it with a uniform guess and with pooled shares: the mean shares of other scenarios
    with options in the same columns (a uniform guess where there are none). All maximise the
    likelihood of the counts. The pooled shares that a scenario is fitted with leave out its own
    fold, too.

    Compare the result with pooled shares, too. Its gain over the simulator may come from other
    people's answers alone; then w₁ is near 0, or q^τ near uniform.

    **No people twice.** A scenario's row depends on no answer to a scenario of its own cluster (on
    none of its own answers, without clusters). Where the same people answer many scenarios, that is
    not enough: the correction learns the peculiarities of this sample of people, and looks better
    than it is. Then split the people, correct with the counts of one half and judge with those of
    the other.

    Args:
        counts: people's answers, (m, d), fractional if weighted; NaN where a scenario lacks an
            option. All 0 for a scenario that nobody was asked: it gets a correction, too.
        q: the simulator's probabilities, (m, d), NaN likewise.
        clusters: one label per scenario, (m,), such as its topic or wave.
        starts: temperatures from which the maximum is sought, as the likelihood may have several;
            fewer are quicker.

    Returns:
        Probabilities, and for each fold ``temperature`` τ, (folds,), and ``weights`` w₁ to w₃,
        (folds, 3). τ lies in [0.02, 20], and is 1 where the simulator's weight is 0.

    Raises:
        ValueError: if shapes do not fit together, or fewer than two clusters have answers.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import tempered_mixture
        >>> p = np.random.default_rng(0).dirichlet(np.ones(4), 60)
        >>> certain = p**3 / (p**3).sum(1, keepdims=True)  # an overconfident simulator
        >>> found = tempered_mixture(1000 * p, certain)
        >>> found.parameters["temperature"].round(2).max()
        np.float64(0.33)
    """
    given = Answered.of(counts, {"q": q}, clusters)
    begin = inputs.vector("starts", starts, inputs.FINITE_POSITIVE)
    if len(np.unique(begin)) < len(begin):
        raise ValueError(f"starts must be different temperatures, not {begin}")
    probabilities = np.zeros(given.counts.shape)
    temperatures, weights = [], []
    for fold in given.folds:
        pooled, others = given.pooled(int(fold)), given.fold != fold
        parts = np.stack([given.stated[0], given.uniform, pooled])
        temperature, weight = _fitted(given.counts[others], parts[:, others], begin)
        parts[0] = tempered(given.stated[0], temperature)
        probabilities[~others] = np.tensordot(weight, parts, 1)[~others]
        temperatures.append(temperature)
        weights.append(weight)
    return given.finished(probabilities, {"temperature": temperatures, "weights": weights})


def stacked(
    counts: ArrayLike, simulators: Sequence[ArrayLike], *, clusters: ArrayLike | None = None
) -> Corrected:
    """Return the mixture of simulators and a uniform guess that fits people's answers elsewhere.

    The weights, on the simplex, maximise the likelihood of the counts by EM. They are within 10⁻⁷
    of the largest mean log-likelihood of an answer wherever 10,000 steps suffice. The uniform guess
    keeps the likelihood positive where somebody chose an option that all simulators exclude.

    **No people twice**: as :func:`fidelity.correction.tempered_mixture`. Where the same people
    answer many scenarios, split the people, too.

    Args:
        counts: people's answers, (m, d), as for :func:`fidelity.correction.tempered_mixture`.
        simulators: each one's probabilities, (m, d), at least one.
        clusters: one label per scenario, (m,).

    Returns:
        Probabilities, and for each fold ``weights``, (folds, simulators + 1), the uniform guess's
        last.

    Raises:
        ValueError: if shapes do not fit together, there is no simulator, or fewer than two clusters
            have answers.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import stacked
        >>> generator = np.random.default_rng(0)
        >>> good, bad = generator.dirichlet(np.ones(3), (2, 50))
        >>> people = 100 * (0.8 * good + 0.2 / 3)
        >>> stacked(people, [good, bad]).parameters["weights"][0].round(2)
        array([0.8, 0. , 0.2])
    """
    given = Answered.of_several(counts, simulators, clusters)
    parts = np.concatenate([given.stated, given.uniform[None]])
    probabilities, weights = np.zeros(given.counts.shape), []
    for fold in given.folds:
        others = given.fold != fold
        weight = mixture_weights(given.counts[others], parts[:, others])
        probabilities[~others] = np.tensordot(weight, parts, 1)[~others]
        weights.append(weight)
    return given.finished(probabilities, {"weights": weights})


def mixture_weights(counts: FloatArray, parts: FloatArray) -> FloatArray:
    """Return the weights of largest likelihood, (C,), by EM from equal ones.

    Args:
        counts: (m, d).
        parts: probabilities of C components, (C, m, d), one of them above 0 wherever counts are.
    """
    chosen = counts > 0
    share, q = counts[chosen] / counts.sum(), parts[:, chosen]
    weights = np.full(len(parts), 1.0 / len(parts))
    for _ in range(STEPS):
        gain = q @ (share / (weights @ q))
        if gain.max() - 1.0 < SHORT_OF_MAXIMUM:
            break
        weights = weights * gain
    return weights


def tempered(q: FloatArray, temperature: float) -> FloatArray:
    """Return q^τ/Σq^τ, (m, d); 0 stays 0."""
    with np.errstate(divide="ignore"):
        log = temperature * np.log(q)
    raised = np.exp(log - log.max(1, keepdims=True))
    return raised / raised.sum(1, keepdims=True)


def _fitted(counts: FloatArray, parts: FloatArray, starts: FloatArray) -> tuple[float, FloatArray]:
    """Return τ and the three weights of largest likelihood, the best of several starts.

    Args:
        counts: (m, d).
        parts: the simulator, uniform and pooled probabilities, (3, m, d).
    """
    # Imported here because it takes longer than most steps of the workflow.
    from scipy.optimize import minimize

    chosen = counts > 0
    share, fixed = counts[chosen] / counts.sum(), parts[1:, chosen]
    log = np.log(np.maximum(parts[0], FLOOR))
    positive = parts[0] > 0

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the mean log-likelihood at (log τ, w), and its gradient."""
        q = tempered(parts[0], float(np.exp(x[0])))
        typical = (q * np.where(positive, log, 0.0)).sum(1, keepdims=True)
        bend = np.where(positive, q * (log - typical), 0.0)[chosen] * np.exp(x[0])
        components = np.concatenate([q[chosen][None], fixed])
        # Sums that are the same on any number of cores, as BLAS's are not.
        mixed = np.maximum(np.einsum("i,ij->j", x[1:], components), FLOOR)
        pull = share / mixed
        value = -float((share * np.log(mixed)).sum())
        slopes = np.einsum("ij,j->i", components, pull)
        return value, -np.concatenate([[x[1] * (pull * bend).sum()], slopes])

    fits = [
        minimize(
            loss,
            np.concatenate([[np.log(temperature)], FIRST]),
            jac=True,
            method="SLSQP",
            bounds=[tuple(np.log(TEMPERATURES)), *[(0.0, 1.0)] * 3],
            constraints={
                "type": "eq",
                "fun": lambda x: x[1:].sum() - 1.0,
                "jac": lambda x: np.array([0.0, 1.0, 1.0, 1.0]),
            },
            options={"ftol": 1e-10, "maxiter": 300},
        )
        for temperature in starts
    ]
    best = min(fits, key=lambda fit: float(fit.fun)).x
    weights = np.where(best[1:] > NEGLIGIBLE, best[1:], 0.0)
    temperature = float(np.exp(best[0])) if weights[0] > 0.0 else 1.0
    return temperature, weights / weights.sum()
