"""A ridge regression of people's shares on what simulators state and on features of scenarios.

Options mean different things in different scenarios, so one regression serves all options of all
scenarios. Of option i in scenario j with d options it takes the base terms

    b = (q̂¹_ij - 1/d, ..., q̂^S_ij - 1/d, c_i, c_i² less its mean),    c_i = i/(d-1) - ½,

and their products with 1, 1/d and the scenario's features, to predict p̂_ij - 1/d. Base terms add up
to 0 over a scenario's options, so that predicted shares add up to 1; the nearest point of the
simplex makes them probabilities.
"""

from collections.abc import Sequence

import numpy as np

from fidelity import inputs
from fidelity.arrays import ArrayLike, BoolArray, FloatArray, IntArray
from fidelity.baselines.from_wording import text_similarity
from fidelity.correction.folds import Answered, Corrected

PENALTIES = np.logspace(1, -5, 13)


def corrected_ridge(
    counts: ArrayLike,
    simulators: Sequence[ArrayLike],
    *,
    features: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Corrected:
    """Return people's shares as predicted by a ridge regression, projected onto the simplex.

    The regression is linear in the simulators' probabilities of the option and in its position, and
    in products of these with the number of options and with the scenario's features. It is weighted
    by how many people answered. With a very large penalty nothing is learned, and a uniform guess
    remains. The penalty is chosen among ``PENALTIES`` by cross-validation: each fold other than the
    scenario's own is left out in turn, and the smallest squared error wins. With only two folds it
    is the largest penalty.

    **No people twice**: as :func:`fidelity.correction.tempered_mixture`. Where the same people
    answer many scenarios, split the people, too.

    Source: the simulator-augmented regression of [QC]; penalties as in ridge regression with
    standardised terms (Hastie, Tibshirani & Friedman 2009, section 3.4).

    Args:
        counts: people's answers, (m, d), as for :func:`fidelity.correction.tempered_mixture`.
        simulators: each one's probabilities, (m, d), at least one.
        features: numbers that describe each scenario, (m, f), such as
            :func:`fidelity.correction.wording_features`; they must not come from people's answers.
        clusters: one label per scenario, (m,).

    Returns:
        Probabilities, and for each fold ``penalty``, (folds,), and ``coefficients`` of the
        standardised terms, (folds, (simulators + 2)·(features + 2)).

    Raises:
        ValueError: if shapes do not fit together, there is no simulator, or fewer than two clusters
            have answers.

    Examples:
        >>> import numpy as np
        >>> from fidelity.correction import corrected_ridge
        >>> p = np.random.default_rng(0).dirichlet(np.ones(3), 60)
        >>> timid = (p + 1) / 4  # a simulator that is too near to uniform
        >>> found = corrected_ridge(500 * p, [timid])
        >>> print(np.abs(found.probabilities - p).max() < 0.01)
        True
    """
    given = Answered.of_several(counts, simulators, clusters, features)
    terms = _standardised(_terms(given), given.exists)
    total = given.counts.sum(1, keepdims=True)
    shares = np.divide(given.counts, total, out=given.uniform, where=total > 0)
    y, weight = shares - given.uniform, total[:, 0]
    folds = [np.flatnonzero(given.fold == fold) for fold in given.folds]
    gram = np.stack([np.einsum("j,jif,jig->fg", weight[f], terms[f], terms[f]) for f in folds])
    cross = np.stack([np.einsum("j,jif,ji->f", weight[f], terms[f], y[f]) for f in folds])
    spread = np.array([(weight[f] * (y[f] ** 2).sum(1)).sum() for f in folds])
    people = np.array([weight[f].sum() for f in folds])

    penalties, coefficients = [], []
    probabilities = np.zeros(y.shape)
    for out, rows in enumerate(folds):
        others = np.arange(len(folds)) != out
        known = gram[others], cross[others], spread[others], people[others]
        penalty = PENALTIES[_errors(*known).argmin()]
        beta = _solved(known[0].sum(0), known[1].sum(0), penalty * known[3].sum())
        raw = given.uniform[rows] + terms[rows] @ beta
        probabilities[rows] = _projected(raw, given.exists[rows])
        penalties.append(penalty)
        coefficients.append(beta)
    return given.finished(probabilities, {"penalty": penalties, "coefficients": coefficients})


def wording_features(texts: list[str], rank: int = 5) -> FloatArray:
    """Return the leading principal coordinates of the wordings' similarity, (m, rank).

    They are eigenvectors of the cosines of TF-IDF vectors, times the roots of their eigenvalues.
    Questions with a similar wording have similar numbers. No answers are used. Signs are arbitrary.

    Args:
        texts: the wording of each scenario's question, (m,).
        rank: how many, at most m.

    Raises:
        ValueError: if no text has a letter or digit, or the rank is not in 1..m.

    Examples:
        >>> from fidelity.correction import wording_features
        >>> texts = ["Should taxes rise?", "Should taxes on fuel rise?", "Should we ban cars?"]
        >>> wording_features(texts, rank=1).round(1).ravel() ** 2
        array([0.81, 0.81, 0.16])
    """
    rank = inputs.whole("rank", rank, 1, len(texts))
    value, vector = np.linalg.eigh(text_similarity(list(texts)))
    coordinates = vector[:, ::-1][:, :rank] * np.sqrt(np.maximum(value[::-1][:rank], 0.0))
    signs = np.sign(coordinates[np.abs(coordinates).argmax(0), np.arange(rank)])
    return np.asarray(coordinates * np.where(signs == 0.0, 1.0, signs), float)


def _terms(given: Answered) -> FloatArray:
    """Return base terms times 1, 1/d and features, (m, d, terms); 0 where there is no option."""
    d = given.exists.sum(1, keepdims=True)
    place = (np.cumsum(given.exists, axis=1) - 1) / (d - 1) - 0.5
    bend = place**2 - (np.where(given.exists, place**2, 0.0).sum(1, keepdims=True) / d)
    base = np.stack([*(given.stated - given.uniform), place, bend], axis=2)
    base = np.where(given.exists[..., None], base, 0.0)
    of_scenario = np.hstack([np.ones((len(d), 1)), _centred(1.0 / d), _centred(given.features)])
    products = base[..., None] * of_scenario[:, None, None, :]
    return products.reshape(*given.exists.shape, -1)


def _centred(columns: FloatArray) -> FloatArray:
    """Return columns with mean 0 and standard deviation 1; 0 where they don't vary."""
    varies = np.ptp(columns, axis=0) > 0.0
    scaled = (columns - columns.mean(0)) / np.where(varies, columns.std(0), 1.0)
    return np.asarray(np.where(varies, scaled, 0.0), float)


def _standardised(terms: FloatArray, exists: BoolArray) -> FloatArray:
    """Return the terms divided by their root mean square over options; no answers are used."""
    size = np.sqrt((terms**2).sum((0, 1)) / exists.sum())
    return terms / np.where(size > 0.0, size, 1.0)


def _solved(gram: FloatArray, cross: FloatArray, penalty: float) -> FloatArray:
    """Return the coefficients that minimise the weighted squares plus the penalty."""
    beta = np.linalg.solve(gram + penalty * np.eye(len(gram)), cross)
    return beta.astype(float, copy=False)


def _errors(
    gram: FloatArray, cross: FloatArray, spread: FloatArray, people: FloatArray
) -> FloatArray:
    """Return each penalty's squared error with every fold left out in turn, (penalties,).

    All are 0 with a single fold, where nothing is left to learn from; then the first is taken.
    """
    errors = np.zeros(len(PENALTIES))
    if len(gram) < 2:
        return errors
    for p, penalty in enumerate(PENALTIES):
        for g, c, s, n in zip(gram, cross, spread, people, strict=True):
            scaled_penalty = penalty * (people.sum() - n)
            beta = _solved(gram.sum(0) - g, cross.sum(0) - c, scaled_penalty or 1.0)
            errors[p] += s - 2.0 * beta @ c + beta @ g @ beta
    return errors


def _projected(values: FloatArray, exists: BoolArray) -> FloatArray:
    """Return the nearest probabilities on the options that exist, (m, d), 0 elsewhere."""
    held = np.where(exists, values, -np.inf)
    ranked = -np.sort(-held, axis=1)
    above = np.cumsum(np.where(np.isfinite(ranked), ranked, 0.0), axis=1) - 1.0
    size: IntArray = np.arange(1, values.shape[1] + 1)
    kept = (ranked * size > above).sum(1)
    amount = above[np.arange(len(values)), kept - 1] / kept
    return np.maximum(held - amount[:, None], 0.0)
