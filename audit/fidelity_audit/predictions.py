"""Bounds for questions that nobody was asked, with studies in which they may miss.

A study has questions that people were asked and, last, a new one. It rejects where the bound from
the others is below the new question's discrepancy, or where people's shares lie outside the
intervals made from it. For comparison there are the same bounds made wrongly.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.random import Generator
from synthetic.populations import dirichlet, population_named

from fidelity.prediction.conformal import conformal_bound
from fidelity.prediction.intervals import prediction_intervals
from fidelity.prediction.localised import localised_bound, one_per_cluster
from fidelity.prediction.similarity import gaussian_similarity
from fidelity.pseudo_discrepancies import between, pseudo_discrepancy
from fidelity_audit.rejection import (
    ALPHA,
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    all_at_once,
    approximately,
    at_most,
    exactly,
    one_by_one,
    wrong,
)

OPINIONS = "opinionqa_like"
LIKE = {OPINIONS: "tv", "worldvalues_like": "squared", "eedi_like": "absolute"}
ASKED, FEW, FEWEST = 119, 20, 19  # (119 + 1)·.05 and (19 + 1)·.05 are whole numbers
TOPICS, BATTERY, TOLD_ERROR = 19, 80, 0.1
OPTIONS, GAMMA, BANDWIDTH = 4, 0.5, 0.3
NEAREST, FARTHEST = 80.0, 4.0
ROUNDING = 1e-12


def of_population(studies: int, effect: float, generator: Generator, name: str) -> Studies:
    """Return counts, people's shares and a good simulator of a population of the audit."""
    population = population_named(name).draw(generator, studies * (ASKED + 1))
    q = population.answers(generator)["good"]
    counts = generator.multinomial(population.n, population.p).astype(float)
    return tuple(_of_studies(table, ASKED + 1) for table in (counts, population.p, q))


def of_kinds(
    studies: int,
    effect: float,
    generator: Generator,
    asked: int = ASKED,
    informative: bool = True,
    shifted: bool = False,
) -> Studies:
    """Return discrepancies and a feature, (S, asked + 1) each, and the feature's density ratio.

    A simulator is nearer to people, the smaller x is, uniform between 0 and 1. The feature is x, or
    a number unrelated to x. If ``shifted``, x of new questions has density 3x².
    """
    x = generator.random((studies, asked + 1))
    if shifted:
        x[:, -1] = np.cbrt(x[:, -1])
    feature = x if informative else generator.random(x.shape)
    nearness = NEAREST * (FARTHEST / NEAREST) ** x
    return _discrepancies(nearness, generator), feature, 3.0 * feature**2


def of_topics(studies: int, effect: float, generator: Generator) -> Studies:
    """Return discrepancies, topics and a feature of each topic, (S, m + 1) each.

    In each topic a simulator is near people or not. The feature tells which, with an error. The
    first topic has many questions, each other one or two. The new question is of a new topic. NaN
    fills up shorter rows, before the new question.
    """
    number = generator.integers(1, 3, (studies, TOPICS))
    number[:, 0] = BATTERY
    topic = np.full((studies, BATTERY + 2 * TOPICS), -1)
    for row, sizes in zip(topic, number, strict=True):
        row[: sizes.sum()] = np.repeat(np.arange(TOPICS), sizes)
    topic[:, -1] = TOPICS
    x = generator.random((studies, TOPICS + 1))
    nearness = NEAREST * (FARTHEST / NEAREST) ** np.take_along_axis(x, topic, 1)
    delta = np.where(topic >= 0, _discrepancies(nearness, generator), np.nan)
    feature = x + generator.normal(0.0, TOLD_ERROR, x.shape)
    return delta, topic, np.take_along_axis(feature, topic, 1)


def _of_studies(rows: np.ndarray, m: int) -> np.ndarray:
    return rows.reshape(-1, m, *rows.shape[1:])


def _discrepancies(nearness: np.ndarray, generator: Generator) -> np.ndarray:
    """Return the total variation of people and a simulator at this nearness, in its shape."""
    p = dirichlet(np.full((*nearness.shape, OPTIONS), 2.0), generator)
    q = dirichlet(nearness[..., None] * p + 0.2, generator)
    distance: np.ndarray = np.abs(p - q).sum(-1) / 2.0
    return distance


def _true(name: str, p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return discrepancies from people's true shares, (S, m + 1)."""
    d, scores = p.shape[-1], population_named(name).draw(np.random.default_rng(0), 1).scores
    flat = (table.reshape(-1, d) for table in (p, q))
    return between(*flat, discrepancy=LIKE[name], scores=scores).reshape(p.shape[:-1])


def _upper(name: str, counts: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the witness's upper pseudo-discrepancies of the questions asked, (S, m)."""
    d, scores = counts.shape[-1], population_named(name).draw(np.random.default_rng(0), 1).scores
    flat = (table[:, :-1].reshape(-1, d) for table in (counts, q))
    bounds = pseudo_discrepancy(
        *flat, confidence_set="witness", discrepancy=LIKE[name], gamma=GAMMA, scores=scores
    )
    return bounds.upper.reshape(-1, counts.shape[1] - 1)


def _of_people(local: bool, name: str, with_true: bool) -> Decision:
    """Return the test of a population, from true discrepancies or from people's answers."""

    def rejects(data: Studies, generator: Generator) -> np.ndarray:
        counts, p, q = data
        delta = _true(name, p, q)
        if with_true:
            return np.array(delta[:, -1] > _bounds(local, delta[:, :-1], q, 1.0))
        bounds = _bounds(local, _upper(name, counts, q), q, GAMMA)
        return np.array(delta[:, -1] > bounds + ROUNDING)

    return Decision(localised_bound if local else conformal_bound, rejects)


@all_at_once(prediction_intervals)
def _intervals(data: Studies, generator: Generator) -> np.ndarray:
    """Tell whether a share of the new question lies outside its range."""
    counts, p, q = data
    bounds = _bounds(False, _upper(OPINIONS, counts, q), q, GAMMA)
    interval = prediction_intervals(q[:, -1], bounds, discrepancy=LIKE[OPINIONS])
    outside = (p[:, -1] < interval.lower - ROUNDING) | (p[:, -1] > interval.upper + ROUNDING)
    return np.array(outside.any(-1))


def _bounds(local: bool, upper: np.ndarray, q: np.ndarray, gamma: float) -> np.ndarray:
    """Return each study's bound, (S,); the feature is the simulator's largest probability."""
    if not local:
        return np.array([conformal_bound(row, alpha=ALPHA, gamma=gamma) for row in upper])
    return np.array(
        [
            localised_bound(row, _near(feature), alpha=ALPHA, gamma=gamma).bound
            for row, feature in zip(upper, q.max(-1), strict=True)
        ]
    )


def _near(feature: np.ndarray) -> np.ndarray:
    return gaussian_similarity(feature[:, None], bandwidth=BANDWIDTH)


@one_by_one(conformal_bound)
def _split(delta, feature, ratio, generator):
    return delta[-1] > conformal_bound(delta[:-1], alpha=ALPHA)


@one_by_one(localised_bound)
def _localised(delta, feature, ratio, generator):
    return delta[-1] > localised_bound(delta[:-1], _near(feature), alpha=ALPHA).bound


@one_by_one(conformal_bound)
def _weighted(delta, feature, ratio, generator):
    weights = {"weights": ratio[:-1], "new_weight": ratio[-1]}
    return delta[-1] > conformal_bound(delta[:-1], alpha=ALPHA, **weights)


@one_by_one(conformal_bound)
def _by_topics(delta, topic, feature, generator):
    asked = np.isfinite(delta[:-1])
    clusters = topic[:-1][asked]
    return delta[-1] > conformal_bound(delta[:-1][asked], alpha=ALPHA, clusters=clusters)


@one_by_one(one_per_cluster)
def _one_per_topic(delta, topic, feature, generator):
    chosen = _chosen(delta, topic, generator)
    return delta[-1] > conformal_bound(delta[chosen], alpha=ALPHA)


@one_by_one(one_per_cluster)
def _localised_per_topic(delta, topic, feature, generator):
    chosen = _chosen(delta, topic, generator)
    near = _near(feature[[*chosen, -1]])
    return delta[-1] > localised_bound(delta[chosen], near, alpha=ALPHA).bound


def _chosen(delta: np.ndarray, topic: np.ndarray, generator: Generator) -> np.ndarray:
    """Return a question of each topic that was asked about, by number."""
    asked = np.flatnonzero(np.isfinite(delta[:-1]))
    return asked[one_per_cluster(topic[asked], generator)]


def plug_in_quantile(upper: np.ndarray) -> float:
    """Return the empirical quantile at 1-α, of rank ceil(m(1-α)): too low by a question's share."""
    return float(np.quantile(upper, 1.0 - ALPHA, method="inverted_cdf"))


def unattained_level(upper: np.ndarray, similarity: np.ndarray) -> float:
    """Return a localised bound with the infimum of Guan's levels, which isn't attained.

    For every value v of the new question's U, the quantile is taken at the level that is just not
    enough. The bound is the largest v that this accepts.
    """
    m = len(upper)
    rank = int(np.ceil((m + 1) * (1.0 - ALPHA) - 1e-9))
    accepted = -np.inf
    for v in (*upper, np.inf):
        values = np.append(upper, v)
        weights = similarity / similarity.sum(1, keepdims=True)
        position = (weights * (values < values[:, None])).sum(1)
        level = np.sort(position)[rank - 1]
        order = np.argsort(values, kind="stable")
        reached = np.cumsum(weights[-1, order]) >= level - ROUNDING
        if v <= values[order][reached.argmax()]:
            accepted = max(accepted, v)
    return float(accepted)


@one_by_one(plug_in_quantile)
def _plug_in(delta, feature, ratio, generator):
    return delta[-1] > plug_in_quantile(delta[:-1])


@one_by_one(unattained_level)
def _unattained(delta, feature, ratio, generator):
    return delta[-1] > unattained_level(delta[:-1], _near(feature))


@one_by_one(conformal_bound)
def _ignoring_topics(delta, topic, feature, generator):
    asked = delta[:-1][np.isfinite(delta[:-1])]
    return delta[-1] > conformal_bound(asked, alpha=ALPHA)


SHORT = {OPINIONS: "opinions", "worldvalues_like": "values", "eedi_like": "test items"}
HELD, SHARES_HELD = "the bound holds of a new question", "shares of a new question are in range"
OF_POPULATION = {
    name: StudyPopulation(HELD, f"{ASKED} {said}", "", partial(of_population, name=name))
    for name, said in SHORT.items()
}
SHARES = StudyPopulation(
    SHARES_HELD, f"{ASKED} opinions", "", partial(of_population, name=OPINIONS)
)
TOLD, UNTOLD, SHIFTED, TWENTY, NINETEEN = (
    StudyPopulation(HELD, cases, "", partial(of_kinds, **how))
    for cases, how in (
        (f"{ASKED} questions, telling feature", {}),
        (f"{ASKED} questions, idle feature", {"informative": False}),
        (f"{ASKED} questions, shifted", {"shifted": True}),
        (f"{FEW} questions", {"asked": FEW}),
        (f"{FEWEST} questions", {"asked": FEWEST}),
    )
)
IN_TOPICS = StudyPopulation(
    "the bound holds of a question of a new topic", f"{TOPICS} topics, one large", "", of_topics
)


def tests() -> Iterator[HypothesisTest]:
    """Yield each statement, and the wrong ones."""
    near = approximately(0.03, ALPHA)
    question, local = "new question", "new question, localised"
    for name, population in OF_POPULATION.items():
        for is_local, promise, title in ((False, exactly, question), (True, near, local)):
            which = f"predict_{'localised' if is_local else 'split'}_{name.removesuffix('_like')}"
            of_true, of_people = (_of_people(is_local, name, true) for true in (True, False))
            yield promise(which, title, population, of_true)
            title = f"{title}, people"
            yield at_most(f"{which}_people", title, population, of_people, studies=1000)
    yield at_most("predict_intervals", "new question, ranges", SHARES, _intervals, studies=1000)
    for which, population in (("told", TOLD), ("untold", UNTOLD), ("fewest", NINETEEN)):
        yield near(f"predict_localised_{which}", local, population, _localised)
    one_each, by_topics = "new topic, one of each", "new topic, by topics"
    yield at_most("predict_weighted", "new question, weighted", SHIFTED, _weighted)
    yield at_most("predict_hierarchical", by_topics, IN_TOPICS, _by_topics)
    yield exactly("predict_one_per_topic", one_each, IN_TOPICS, _one_per_topic)
    title = "new topic, localised"
    yield near("predict_localised_per_topic", title, IN_TOPICS, _localised_per_topic)
    for name, title, population, decision in (
        ("plug_in", "new question, plug-in quantile", TWENTY, _plug_in),
        ("unattained", "new question, level not attained", NINETEEN, _unattained),
        ("shift_ignored", "new question, unweighted", SHIFTED, _split),
        ("topics_ignored", "new topic, by questions", IN_TOPICS, _ignoring_topics),
    ):
        yield wrong(f"predict_{name}", title, population, decision)
