"""Bounds on the discrepancy of a question that nobody was asked, by each statement.

A statement is about certain new questions, and γ is fixed in advance. Where the same people may
have answered several questions, α is reduced by the confidence sets' own misses
(:func:`fidelity.prediction.allowed_miss`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import ceil, log, log1p

import numpy as np

from fidelity.curves.guarantee import certified_curve
from fidelity.prediction import allowed_miss, conformal_bound, questions_needed, same_clusters_bound
from fidelity.prediction.localised import LocalisedBound, localised_bound

STATEMENTS = ("marginal", "exact", "per_cluster", "weighted", "localised")
LIKE_ASKED = "questions like those asked"
SAME_CLUSTERS = "questions of the same clusters"
NEW_CLUSTERS = "questions of new clusters"
AS_WEIGHTED = "questions as the weights say"
LARGER = ("0.15", "0.2", "0.25", "0.3", "0.4", "0.5")


class RefusedError(ValueError):
    """The reason why a statement cannot be made, and the way out."""


Alike = Callable[[np.ndarray], np.ndarray]
Bounds = Callable[[int], LocalisedBound]
"""What bounds a new question, given its place among all; +inf where nothing is known."""


@dataclass(frozen=True)
class Asked:
    """Questions that people and one simulator answered.

    Attributes:
        upper: their upper pseudo-discrepancies, (m,).
        clusters: a label each, (m,); None where nothing groups them.
        drawn: positions of one question of each cluster, drawn before looking.
        same_people: whether somebody may have answered several.
        taught: whether the simulator was corrected by people's answers to these questions.
        shared: the largest number of questions that people in common connect.
        weights: the density ratio of all questions, asked and new; None if the config names none.
        place: of each among all questions, (m,).
        alike: returns the similarity of questions at given places; None without features.
        alpha, gamma: miss probability, and coverage of ``upper``.
        eta: how often ``exact`` may fail.
    """

    upper: np.ndarray
    clusters: np.ndarray | None
    drawn: np.ndarray
    same_people: bool
    taught: bool
    shared: int
    weights: np.ndarray | None
    place: np.ndarray
    alike: Alike | None
    alpha: Fraction
    gamma: Fraction
    eta: float

    @property
    def miss(self) -> Fraction:
        """How often the upper pseudo-discrepancy of a new question may exceed V."""
        return allowed_miss(alpha=self.alpha, gamma=self.gamma, same_people=self.same_people)

    def among(self, kept: np.ndarray) -> "Asked":
        """Return some of the questions, by a mask."""
        number = np.cumsum(kept) - 1
        return replace(
            self,
            upper=self.upper[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
            drawn=number[self.drawn[kept[self.drawn]]],
            place=self.place[kept],
        )

    def about(self, statement: str) -> str:
        """Return a description of the new questions that a statement is about."""
        if statement == "weighted":
            return AS_WEIGHTED
        if self.clusters is None:
            return LIKE_ASKED
        return NEW_CLUSTERS if statement in ("per_cluster", "localised") else SAME_CLUSTERS

    def holds(self, statement: str, cluster: str | None) -> bool:
        """Return whether a statement applies to a new question of a cluster."""
        if self.clusters is None:
            return True
        return (self.about(statement) == NEW_CLUSTERS) != (cluster in self.clusters)


def bounds(statement: str, asked: Asked) -> Bounds:
    """Return the function that bounds a new question, given its place among all.

    Raises:
        RefusedError: if the questions asked don't allow the statement.
    """
    return MADE[statement](asked)


def _same_for_all(value: float, many: int) -> Bounds:
    return lambda place: LocalisedBound(float(value), float(many))


def _marginal(asked: Asked) -> Bounds:
    m = len(asked.upper)
    if asked.clusters is None:
        _require(m, asked, "questions")
        return _same_for_all(conformal_bound(asked.upper, alpha=asked.miss).item(), m)
    _, sizes = np.unique(asked.clusters, return_counts=True)
    lost = sum(Fraction(int(n), m) / (int(n) + 1) for n in sizes)
    if lost > asked.miss:
        raise RefusedError(
            f"clusters have too few questions for a statement about more of the same: about"
            f" {ceil(1 / asked.miss) - 1} in each are needed, and they have {m / len(sizes):.3g} on"
            f" average; ask people more in each{_larger_alpha(asked, lambda miss: lost <= miss)},"
            " or put cluster: none if clusters don't matter"
        )
    return _same_for_all(same_clusters_bound(asked.upper, asked.clusters, alpha=asked.miss), m)


def _exact(asked: Asked) -> Bounds:
    m = len(asked.upper)
    if asked.taught:
        raise RefusedError(
            "a corrected simulator was fitted to the very questions that its bound comes from, so"
            " that nothing exact holds; take marginal"
        )
    if asked.shared == m > 1:
        raise RefusedError(
            "the same people may have answered all questions, so that nothing exact holds for"
            " others; take marginal, or write respondents_repeat: false if nobody answered several"
        )
    tau = [1 - asked.alpha]
    (value,) = certified_curve(asked.upper, asked.gamma, tau, asked.eta, asked.shared)
    needed = ceil(asked.shared * log(asked.eta) / log1p(-float(asked.gamma * asked.alpha)))
    if m < needed:
        alone = " as the same people answered several" if asked.shared > 1 else ""
        raise RefusedError(
            f"needs {needed} questions{alone}, and {m} were asked; ask people about more"
        )
    return _same_for_all(float(value), m)


def _per_cluster(asked: Asked) -> Bounds:
    if asked.clusters is None:
        raise RefusedError("questions come in no clusters; take marginal")
    many = len(np.unique(asked.clusters))
    _require(many, asked, "clusters")
    value = conformal_bound(asked.upper, alpha=asked.miss, clusters=asked.clusters).item()
    return _same_for_all(value, many)


def _weighted(asked: Asked) -> Bounds:
    if asked.weights is None:
        raise RefusedError("the config names no weights")
    if asked.clusters is not None:
        raise RefusedError(
            "weights are for questions without clusters; put cluster: none if they hold"
        )
    all_weights = asked.weights
    weights = all_weights[asked.place]
    worth = float(weights.sum() ** 2 / (weights**2).sum())
    weighted = partial(conformal_bound, asked.upper, alpha=asked.miss, weights=weights)
    return lambda place: LocalisedBound(weighted(new_weight=all_weights[place]).item(), worth)


def _localised(asked: Asked) -> Bounds:
    if asked.alike is None:
        raise RefusedError(
            "questions have no wording that resembles; give them one (question), or name features"
        )
    rows = np.arange(len(asked.upper)) if asked.clusters is None else asked.drawn
    _require(len(rows), asked, "questions" if asked.clusters is None else "clusters")
    alike = asked.alike

    def bound(place: int) -> LocalisedBound:
        near = alike(np.append(asked.place[rows], place))
        return localised_bound(asked.upper[rows], near, alpha=asked.miss)

    return bound


MADE: dict[str, Callable[[Asked], Bounds]] = {
    "marginal": _marginal,
    "exact": _exact,
    "per_cluster": _per_cluster,
    "weighted": _weighted,
    "localised": _localised,
}


def _require(many: int, asked: Asked, what: str) -> None:
    """Refuse a statement for which so many questions or clusters are too few."""
    needed = questions_needed(alpha=asked.miss)
    if many < needed:
        more = _larger_alpha(asked, lambda miss: questions_needed(alpha=miss) <= many)
        raise RefusedError(
            f"needs {needed} {what}, and there are {many}; ask people about more{more}"
        )


def _larger_alpha(asked: Asked, suffices: Callable[[Fraction], bool]) -> str:
    """Return the advice to put a larger alpha into the config, empty if none helps.

    The coverage γ of the confidence sets grows with alpha, unless the config fixes it.

    Args:
        asked: the questions asked.
        suffices: whether the share of misses that γ leaves is large enough.
    """
    follows = asked.gamma == 1 - asked.alpha / 2
    for alpha in map(Fraction, LARGER):
        gamma = 1 - alpha / 2 if follows else asked.gamma
        miss = allowed_miss(alpha=alpha, gamma=gamma, same_people=asked.same_people)
        if alpha > asked.alpha and miss > 0 and suffices(miss):
            return f", or put predict: {{alpha: {float(alpha):g}}} in the config"
    return ""
