"""Average marginal component effects (AMCE) of a conjoint, clustered by respondent.

A profile's answer is regressed on indicators of the levels of all attributes, each but its base
level. A level's coefficient is its AMCE where attributes were drawn independently of each other
(Hainmueller, Hopkins and Yamamoto 2014). The error is clustered by respondent: CR1, with
G/(G - 1)·(N - 1)/(N - K), and Student's t with G - 1 degrees of freedom.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy as sp

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, IntArray
from fidelity.effects.estimates import Effects, Label
from fidelity.structure.estimates import TooFewError

LEAST = 1e-9


def marginal_effects(
    answers: ArrayLike,
    attributes: Mapping[str, ArrayLike],
    *,
    outcomes: ArrayLike | None = None,
    respondents: ArrayLike | None = None,
    bases: Mapping[str, str] | None = None,
    weights: ArrayLike | None = None,
) -> Effects:
    """Return the AMCE of each level of each attribute against the attribute's base.

    Args:
        answers: of the profiles, such as 1 where it was chosen and 0 where not, (N,).
        attributes: name -> the level of each profile, (N,).
        outcomes: what each row answers, (N,); one outcome by default.
        respondents: who saw the profile, (N,); by default somebody else each time.
        bases: attribute -> base level; by default the first in order.
        weights: of the profiles, above 0, (N,).

    Returns:
        Effects labelled (attribute, level); with ``outcomes``, (outcome, attribute, level).

    Raises:
        TooFewError: if levels can't be told apart, or there are fewer than 2 respondents.

    Examples:
        >>> import numpy as np
        >>> from fidelity.effects import marginal_effects
        >>> price = np.repeat(["high", "low", "high", "low"], 50)
        >>> brand = np.repeat(["ours", "theirs"], 100)
        >>> chosen = np.tile([1, 0, 0, 1, 1], 40) * (price == "low")
        >>> effects = marginal_effects(chosen, {"price": price, "brand": brand})
        >>> effects.labels, effects.estimate.round(6).tolist()
        ([('price', 'low'), ('brand', 'theirs')], [0.6, 0.0])
    """
    y = inputs.vector("answers", answers, inputs.FINITE)
    n = len(y)
    w = np.ones(n) if weights is None else inputs.vector("weights", weights, inputs.POSITIVE, n)
    unit: AnyArray = np.arange(n)
    if respondents is not None:
        unit = np.unique(inputs.labels("respondents", respondents, n), return_inverse=True)[1]
    levels = {
        name: inputs.labels(f"attributes[{name!r}]", values, n).astype(str)
        for name, values in attributes.items()
    }
    if outcomes is None:
        return _regression(y, levels, unit, bases or {}, w)
    outcome = inputs.labels("outcomes", outcomes, n).astype(str)
    parts = []
    for name in np.unique(outcome).tolist():
        at = outcome == name
        here = {attribute: values[at] for attribute, values in levels.items()}
        part = _regression(y[at], here, unit[at], bases or {}, w[at], int(unit.max()) + 1)
        parts.append(replace(part, labels=[(name, *label) for label in part.labels]))
    return Effects(
        [label for part in parts for label in part.labels],
        np.concatenate([part.estimate for part in parts]),
        np.concatenate([part.influence for part in parts], 1),
        np.concatenate([part.df for part in parts]),
        of_persons=True,
    )


def _regression(
    y: FloatArray,
    attributes: Mapping[str, AnyArray],
    unit: IntArray,
    bases: Mapping[str, str],
    w: FloatArray,
    units: int | None = None,
) -> Effects:
    """Return effects of levels on one outcome; ``units`` are those of all outcomes."""
    n = len(y)
    labels: list[Label] = []
    columns = [np.ones(n)]
    for name, of_row in attributes.items():
        levels = np.unique(of_row).tolist()
        base = bases.get(name, levels[0])
        if base not in levels:
            raise ValueError(f"bases[{name!r}] must be one of {', '.join(levels)}, not {base!r}")
        for level in levels:
            if level != base:
                labels.append((str(name), str(level)))
                columns.append((of_row == level).astype(float))
    x = np.stack(columns, 1)
    bread = np.linalg.inv(_invertible(x.T @ (x * w[:, None])))
    beta = bread @ (x.T @ (w * y))
    scores = x * (w * (y - x @ beta))[:, None]
    many = len(np.unique(unit))
    if many < 2:
        raise TooFewError("there must be 2 respondents or more")
    shape = (units or int(unit.max()) + 1, n)
    by_unit = sp.sparse.csr_array((np.ones(n), (unit, np.arange(n))), shape) @ scores
    factor = np.sqrt(many / (many - 1.0) * (n - 1.0) / max(n - x.shape[1], 1))
    influence = (by_unit @ bread * factor)[:, 1:]
    df = np.full(len(labels), many - 1.0)
    return Effects(labels, beta[1:], influence, df, of_persons=True)


def _invertible(square: np.ndarray) -> np.ndarray:
    scale = np.sqrt(np.diag(square))
    if np.linalg.eigvalsh(square / np.outer(scale, scale))[0] < LEAST:
        raise TooFewError("levels of attributes can't be told apart: some always go together")
    return square
