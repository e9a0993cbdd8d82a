"""Studies drawn from populations in which a hypothesis is true, or false by a known effect.

Each function draws ``studies`` independent studies, S on the first axis of the arrays it returns.
At
``effect`` 0 the hypothesis is true by the smallest possible margin: equal means are those of
unequal and skew distributions, and shares lie on the boundary. Scores are like discrepancies,
positive and skew, and simulators share the difficulty of a scenario.

:data:`DESIGNS` are the clusters of the default study, and worse ones. A quarter of the studies in
them each have an intraclass correlation of 0, .1, .3 and .6.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.random import Generator
from scipy.special import betaincinv, ndtr

from fidelity_audit.rejection import Studies, StudyPopulation

SCENARIOS = 100
SIZES = np.tile([2, 4, 6, 8, 10], 6)
CLUSTERS = np.repeat(np.arange(30), SIZES)
FEW_CLUSTERS = CLUSTERS[CLUSTERS < 10]
OF_DIFFERENCE = np.sqrt(1.25)
BETWEEN = 2.0
GAMMA = 0.5
CORRELATIONS = (0.0, 0.1, 0.3, 0.6)
DESIGNS = {
    name: np.repeat(np.arange(len(sizes)), sizes)
    for name, sizes in {
        "3": [96] * 3,
        "4": [51] * 4,
        "7": [34, 32, 31, 30, 28, 27, 25],
        "68": [5] * 5 + [4] * 5 + [3] * 6 + [2] * 22 + [1] * 30,
        "uneven": [40, 30, 20, 20, 10, 10, 10, 8, 6, 5, 4, 3, 2],
        "half": [60, *[12] * 5],
        "most": [108, 3, 3, 2, 2, 2],
    }.items()
}
TWO_LARGE = np.repeat(np.arange(10), [40, 40, *[1] * 8])
TOPICS = {
    "3 clusters": (10, 20, 60),
    "4 clusters": (12, 24, 48, 96),
    "7 clusters": (3, 5, 8, 12, 20, 30, 60),
    "68 clusters": (*[1] * 20, *[2] * 20, *[4] * 18, *[8] * 8, 20, 20),
    "60 clusters": (3,) * 60,
}
SPREAD, PEOPLE, ALIKE = 0.05, 50, 0.3
LEAST, MOST = 0.6, 0.95  # range of the probability stated for the more likely option
BRIER_IN_TOPICS = MOST + LEAST - 2.0 / 3.0 * (MOST**2 + MOST * LEAST + LEAST**2)


def one_score(studies: int, effect: float, generator: Generator, m: int = SCENARIOS) -> Studies:
    """Return skew scores with mean ``effect`` and standard deviation 1, (S, m)."""
    return (_skew((studies, m), generator) - 1.0 + effect,)


def paired_scores(studies: int, effect: float, generator: Generator, m: int = SCENARIOS) -> Studies:
    """Return two scores per scenario, (S, m) each, one of them less skew than the other.

    ``effect``: the difference of their means in standard deviations of the difference.
    """
    difficulty = _skew((studies, m), generator)
    scores, other = _skew((studies, m), generator), _less_skew((studies, m), generator)
    return difficulty + scores + effect * OF_DIFFERENCE, difficulty + other


def clustered_scores(
    studies: int, effect: float, generator: Generator, clusters: np.ndarray = CLUSTERS
) -> Studies:
    """Return :func:`paired_scores` in clusters: differences with an intraclass correlation of .6.

    ``effect``: as there, in standard deviations within a cluster.
    """
    scores, other = paired_scores(studies, effect, generator, len(clusters))
    return scores + _deviation((studies,), clusters, BETWEEN, generator), other


def designed_scores(
    studies: int,
    effect: float,
    generator: Generator,
    clusters: np.ndarray,
    simulators: int = 2,
    skew_clusters: bool = False,
) -> Studies:
    """Return the scores of some simulators in clusters, (S, m) of each, means and variances equal.

    The first half of the simulators has skewer scores. The part that scenarios of a cluster have in
    common is normal or exponential.

    ``effect``: how much larger the first one's mean is, in true standard errors: of its mean, or
    with several simulators of the difference.
    """
    shape = (studies, len(clusters))
    sizes = np.bincount(clusters)
    correlation = np.resize(CORRELATIONS, studies)[:, None]
    difficulty = _skew(shape, generator) if simulators > 1 else 0.0
    scores = []
    for simulator in range(simulators):
        within = _skew(shape, generator) - 1.0
        if 2 * simulator >= max(2, simulators):
            within = 2.0 * (_less_skew(shape, generator) - 1.0)
        law = _skew if skew_clusters else _normal
        common = law((studies, len(sizes)), generator) - float(skew_clusters)
        scores.append(
            np.sqrt(1.0 - correlation) * within
            + np.sqrt(correlation) * common[:, clusters]
            + difficulty
        )
    alike = (sizes**2).sum() / len(clusters) ** 2
    variance = min(simulators, 2) * (correlation * alike + (1.0 - correlation) / len(clusters))
    scores[0] = scores[0] + effect * np.sqrt(variance)
    return tuple(scores)


def two_valued(studies: int, effect: float, generator: Generator, clusters: np.ndarray) -> Studies:
    """Return scores that are 1 in a half of all clusters, and -1 in the others, (S, m)."""
    common = generator.choice([-1.0, 1.0], (studies, clusters.max() + 1))
    return (common[:, clusters] + effect,)


def several_designed_scores(
    studies: int, effect: float, generator: Generator, clusters: np.ndarray
) -> Studies:
    """Return :func:`designed_scores` of four simulators, (S, m, 4)."""
    return (np.stack(designed_scores(studies, effect, generator, clusters, 4), axis=-1),)


def same_people(studies: int, effect: float, generator: Generator, clusters: np.ndarray) -> Studies:
    """Return the distances of two simulators from people who answer in all clusters, (S, m) each.

    The same 51 groups of people answer four questions. A third of the variance of their shares'
    sampling errors is common to all questions. Each simulator has errors of its own: one per
    scenario, as large as the sampling error, and one per question, half as large. ``effect``: how
    much farther the first one is.
    """
    shape, groups = (studies, len(clusters)), len(clusters) // (clusters.max() + 1)
    person = np.tile(_normal((studies, groups), generator), clusters.max() + 1)
    people = 0.05 * (np.sqrt(1 / 3) * person + np.sqrt(2 / 3) * _normal(shape, generator))
    scores, other = (
        np.abs(
            people
            - _deviation((studies,), clusters, 0.025**2, generator)
            - 0.05 * _normal(shape, generator)
        )
        for _ in range(2)
    )
    return scores + effect, other


def unpaired_scores(studies: int, effect: float, generator: Generator) -> Studies:
    """Return skew scores of 80 scenarios, (S, 80), and less skew ones of 120 others, (S, 120).

    ``effect``: the difference of their means in standard deviations of the first.
    """
    return _skew((studies, 80), generator) + effect, _less_skew((studies, 120), generator)


def unpaired_clustered_scores(studies: int, effect: float, generator: Generator) -> Studies:
    """Return scores in 30 clusters, (S, 180), and less skew ones in 10 others, (S, 60).

    ``effect``: the difference of their means in standard deviations of the first in a cluster.
    """
    scores = _skew((studies, len(CLUSTERS)), generator) + effect
    other = _less_skew((studies, len(FEW_CLUSTERS)), generator)
    return (
        scores + _deviation((studies,), CLUSTERS, 1.0, generator),
        other + _deviation((studies,), FEW_CLUSTERS, 0.25, generator),
    )


def several_scores(studies: int, effect: float, generator: Generator) -> Studies:
    """Return the scores of six simulators, (S, m, 6), the last three less skew.

    ``effect``: how much larger the last one's mean is, in standard deviations of its difference
    from the first.
    """
    return (_several(studies, effect, SCENARIOS, generator),)


def several_clustered_scores(studies: int, effect: float, generator: Generator) -> Studies:
    """Return :func:`several_scores` in clusters, differences correlated as in a pair."""
    scores = _several(studies, effect, len(CLUSTERS), generator)
    common = _deviation((studies, 6), CLUSTERS, BETWEEN / 2.0, generator)
    return (scores + np.moveaxis(common, 1, 2),)


def not_certified(studies: int, effect: float, generator: Generator) -> Studies:
    """Return which scenarios aren't certified, (S, m), in the worst case.

    Where simulator 1 is farther, its certificate is false with the allowed probability 1 - γ. Where
    it is closer, it always has one. ``effect``: the share on which it is closer, beyond ½.
    """
    return (_missed(studies, effect, SCENARIOS, generator),)


def not_certified_in_clusters(studies: int, effect: float, generator: Generator) -> Studies:
    """Return :func:`not_certified` where all scenarios of a cluster agree, (S, 180)."""
    return (_missed(studies, effect, len(SIZES), generator)[:, CLUSTERS],)


def not_certified_pairs(studies: int, effect: float, generator: Generator) -> Studies:
    """Return :func:`not_certified` of ordered pairs of three simulators, (S, 3, 3, m).

    ``effect``: the share by which the first one's discrepancies, uniform on [0, 1], are smaller.
    """
    discrepancy = generator.random((studies, 3, SCENARIOS))
    discrepancy[:, 0] *= 1.0 - effect
    farther = discrepancy[:, :, None] >= discrepancy[:, None]
    return (farther & (generator.random(farther.shape) < GAMMA),)


def stated_probabilities(
    studies: int, effect: float, generator: Generator, n: int = 100
) -> Studies:
    """Return stated probabilities of three options, (S, n, 3), and the true one, (S, n).

    ``effect``: the share of answers that are random, independent of the stated probabilities.
    """
    stated = generator.dirichlet(np.ones(3), (studies, n))
    return stated, _answers(stated + effect * (1.0 / 3.0 - stated), generator)


def repeated_answers(studies: int, effect: float, generator: Generator) -> Studies:
    """Return :func:`stated_probabilities` of 25 questions, each with four equal answers."""
    stated, truth = stated_probabilities(studies, effect, generator, 25)
    return np.repeat(stated, 4, axis=1), np.repeat(truth, 4, axis=1)


def rare_probabilities(studies: int, effect: float, generator: Generator, n: int = 20) -> Studies:
    """Return stated probabilities of two options, (S, n, 2), and the true one, (S, n).

    The second option has 2 % on average. ``effect``: the share of random answers.
    """
    rare = generator.beta(4.0, 196.0, (studies, n))
    stated = np.stack([1.0 - rare, rare], axis=-1)
    return stated, _answers(stated + effect * (0.5 - stated), generator)


def answers_in_clusters(
    studies: int,
    effect: float,
    generator: Generator,
    topics: tuple[int, ...],
    people: int = PEOPLE,
    alike: float = 0.0,
) -> Studies:
    """Return the likelier option's stated probability, and how many choose it, (S, m) each.

    Scenarios come in clusters of the sizes ``topics``. True shares are beta around the stated ones,
    with SD .05 at ½, half of their variance between clusters. Each scenario is answered by
    ``people`` of its own. With ``alike`` above 0 the same people answer all scenarios, and it is
    the share of the variance of their inclinations that all scenarios have in common. ``effect``:
    how much too high the stated probabilities are.
    """
    clusters = clusters_of(topics)
    common = generator.standard_normal((studies, len(topics)))[:, clusters]
    within = generator.standard_normal((studies, len(clusters)))
    stated = LEAST + (MOST - LEAST) * ndtr(0.8 * common + 0.6 * within)
    common = generator.standard_normal((studies, len(topics)))[:, clusters]
    within = generator.standard_normal((studies, len(clusters)))
    moved = ndtr(np.sqrt(0.5) * (common + within))
    precision = 0.25 / SPREAD**2 - 1.0
    true = betaincinv(stated * precision, (1.0 - stated) * precision, moved) - effect
    if alike == 0.0:
        return stated, generator.binomial(people, np.clip(true, 0.0, 1.0)).astype(float)
    traits = np.sqrt(alike) * generator.standard_normal((studies, people))
    chosen = np.zeros_like(true)
    for trait in traits.T:
        answer = trait[:, None] + np.sqrt(1.0 - alike) * generator.standard_normal(true.shape)
        chosen += ndtr(answer) < true
    return stated, chosen


def clusters_of(topics: tuple[int, ...]) -> np.ndarray:
    """Return the cluster of each scenario, (m,), from the number of scenarios of each."""
    return np.repeat(np.arange(len(topics)), topics)


def events(studies: int, effect: float, generator: Generator, n: int = 200) -> Studies:
    """Return the stated probability of an event and whether it happened, (S, n) each.

    ``effect``: how far true probabilities lie from the stated ones towards ½.
    """
    stated = generator.beta(2.0, 2.0, (studies, n))
    true = stated + effect * (0.5 - stated)
    return stated, (generator.random((studies, n)) < true).astype(float)


def normal_predictions(studies: int, effect: float, generator: Generator, n: int = 200) -> Studies:
    """Return stated means and standard deviations, and outcomes, (S, n) each.

    ``effect``: by what share the true standard deviation is larger.
    """
    loc, scale = generator.standard_normal((studies, n)), _less_skew((studies, n), generator)
    return loc, scale, loc + (1.0 + effect) * scale * generator.standard_normal((studies, n))


def clustered_predictions(
    studies: int, effect: float, generator: Generator, topics: tuple[int, ...]
) -> Studies:
    """Return stated means and standard deviations, and outcomes of 20 people, (S, m, 20) each.

    Scenarios in clusters of the sizes ``topics`` have means with an error of SD .6, half of its
    variance between clusters. So standard deviations 1.166 times those of the people have the right
    coverage on average. ``effect``: the share by which people's are larger than that.
    """
    clusters = clusters_of(topics)
    common = generator.normal(0.0, np.sqrt(0.18), (studies, len(topics)))[:, clusters]
    off = common + generator.normal(0.0, np.sqrt(0.18), common.shape)
    shape = (*off.shape, 20)
    outcome = off[..., None] + (1.0 + effect) * generator.standard_normal(shape)
    return np.zeros(shape), np.full(shape, np.sqrt(1.36)), outcome


def _skew(shape: tuple, generator: Generator) -> np.ndarray:
    """Return positive numbers with mean 1, variance 1 and skewness 2."""
    return generator.exponential(1.0, shape)


def _less_skew(shape: tuple, generator: Generator) -> np.ndarray:
    """Return positive numbers with mean 1, variance ¼ and skewness 1."""
    return generator.gamma(4.0, 0.25, shape)


def _normal(shape: tuple, generator: Generator) -> np.ndarray:
    return generator.standard_normal(shape)


def _deviation(shape: tuple, clusters, variance: float, generator) -> np.ndarray:
    """Return the part that the scenarios of a cluster have in common, normal, (*shape, m)."""
    common = generator.normal(0.0, np.sqrt(variance), (*shape, clusters.max() + 1))
    return common[..., clusters]


def _several(studies: int, effect: float, m: int, generator) -> np.ndarray:
    scores = np.concatenate(
        [_skew((studies, m, 3), generator), _less_skew((studies, m, 3), generator)], axis=2
    )
    scores += _skew((studies, m, 1), generator)
    scores[..., -1] += effect * OF_DIFFERENCE
    return scores


def _missed(studies: int, effect: float, m: int, generator) -> np.ndarray:
    farther = generator.random((studies, m)) >= 0.5 + effect
    return farther & (generator.random((studies, m)) < GAMMA)


def _answers(probability: np.ndarray, generator: Generator) -> np.ndarray:
    below = probability.cumsum(-1)[..., :-1] < generator.random((*probability.shape[:-1], 1))
    return below.sum(-1)


def _always(draw: Callable, effect: float) -> Callable:
    """Return a draw in which some hypotheses are false by that effect, and the others true."""
    return lambda studies, _, generator: draw(studies, effect, generator)


DIFFERENCE = "SD between the means"
CLOSER = "closer, beyond one half"
SMALLER = "smaller discrepancies"
AT_RANDOM = "of answers at random"
EQUAL_MEANS, EACH_PAIR = "equal means", "equal means of each pair of six simulators"
NOT_CLOSER = "closer on at most half of the scenarios"
EACH_ORDERED_PAIR = f"{NOT_CLOSER}, each ordered pair of three simulators"
CALIBRATED = "stated probabilities are calibrated"
IN_SCENARIOS, IN_CLUSTERS = "100 scenarios", "180 scenarios, 30 clusters"

MEAN = StudyPopulation("the mean is 0", IN_SCENARIOS, DIFFERENCE, one_score)
PAIRED = StudyPopulation(EQUAL_MEANS, IN_SCENARIOS, DIFFERENCE, paired_scores)
PAIRED_10 = StudyPopulation(EQUAL_MEANS, "10 scenarios", DIFFERENCE, partial(paired_scores, m=10))
PAIRED_CLUSTERED = StudyPopulation(EQUAL_MEANS, IN_CLUSTERS, DIFFERENCE, clustered_scores)
PAIRED_FEW_CLUSTERS = StudyPopulation(
    EQUAL_MEANS,
    "60 scenarios, 10 clusters",
    DIFFERENCE,
    partial(clustered_scores, clusters=FEW_CLUSTERS),
)
MEAN_TWO_VALUES = StudyPopulation(
    "the mean is 0",
    "10 clusters, two of 40",
    "of the clusters' effect",
    partial(two_valued, clusters=TWO_LARGE),
)
IN_ERRORS = "true SE apart"
SAID = {
    "3": "3 clusters of 96",
    "4": "4 clusters of 51",
    "7": "7 clusters of 25 to 34",
    "68": "68 clusters of 1 to 5",
    "uneven": "13 clusters of 2 to 40",
    "half": "6 clusters, 50 % in one",
    "most": "6 clusters, 90 % in one",
}
MEAN_DESIGNED, PAIRED_DESIGNED, SEVERAL_DESIGNED = (
    {
        name: StudyPopulation(hypothesis, SAID[name], IN_ERRORS, partial(draw, clusters=clusters))
        for name, clusters in DESIGNS.items()
    }
    for hypothesis, draw in (
        ("the mean is 0", partial(designed_scores, simulators=1)),
        (EQUAL_MEANS, partial(designed_scores)),
        ("equal means of each pair of four simulators", partial(several_designed_scores)),
    )
)
MEAN_SKEW_CLUSTERS = StudyPopulation(
    "the mean is 0",
    "7 clusters of 25 to 34, exponential",
    IN_ERRORS,
    partial(designed_scores, clusters=DESIGNS["7"], simulators=1, skew_clusters=True),
)
SAME_PEOPLE = StudyPopulation(
    EQUAL_MEANS,
    "4 clusters of 51, same people",
    "larger distance",
    partial(same_people, clusters=DESIGNS["4"]),
)
UNPAIRED = StudyPopulation(EQUAL_MEANS, "80 and 120 scenarios", DIFFERENCE, unpaired_scores)
UNPAIRED_CLUSTERED = StudyPopulation(
    EQUAL_MEANS, "30 and 10 clusters", DIFFERENCE, unpaired_clustered_scores
)
SEVERAL = StudyPopulation(EACH_PAIR, IN_SCENARIOS, DIFFERENCE, several_scores)
SEVERAL_CLUSTERED = StudyPopulation(EACH_PAIR, IN_CLUSTERS, DIFFERENCE, several_clustered_scores)
SEVERAL_ONE_DIFFERS = StudyPopulation(
    f"{EACH_PAIR}, where five are",
    "100 scenarios, 1 of 6 differs",
    DIFFERENCE,
    _always(several_scores, 1.0),
)
CERTIFIED = StudyPopulation(NOT_CLOSER, IN_SCENARIOS, CLOSER, not_certified)
CERTIFIED_CLUSTERED = StudyPopulation(NOT_CLOSER, IN_CLUSTERS, CLOSER, not_certified_in_clusters)
CERTIFIED_PAIRS = StudyPopulation(EACH_ORDERED_PAIR, IN_SCENARIOS, SMALLER, not_certified_pairs)
CERTIFIED_PAIRS_ONE_CLOSER = StudyPopulation(
    f"{EACH_ORDERED_PAIR}, where four aren't",
    "100 scenarios, 1 of 3 closer",
    SMALLER,
    _always(not_certified_pairs, 0.95),
)
ANSWERS = {
    n: StudyPopulation(CALIBRATED, f"{n} answers", AT_RANDOM, partial(stated_probabilities, n=n))
    for n in (20, 100, 400)
}
REPEATED_ANSWERS = StudyPopulation(
    CALIBRATED, "25 questions, 4 equal answers each", AT_RANDOM, repeated_answers
)
RARE_ANSWERS = StudyPopulation(
    CALIBRATED, "20 answers, an option of 2 %", AT_RANDOM, rare_probabilities
)
CALIBRATED_ON_AVERAGE = "stated probabilities are calibrated on average over clusters"
TOO_HIGH = "too high"
IN_TOPICS = {
    name: StudyPopulation(
        CALIBRATED_ON_AVERAGE,
        f"{sum(topics)} scenarios, {name}",
        TOO_HIGH,
        partial(answers_in_clusters, topics=topics),
    )
    for name, topics in TOPICS.items()
}
SAME_PEOPLE_CALIBRATED = StudyPopulation(
    CALIBRATED_ON_AVERAGE,
    "the same 50 people",
    TOO_HIGH,
    partial(answers_in_clusters, topics=(12,) * 7, alike=ALIKE),
)
OFF_IN_TOPICS = {
    name: StudyPopulation(
        "90 % intervals hold 90 % of the outcomes on average over clusters",
        f"{sum(TOPICS[name])} scenarios, {name}",
        "wider than stated",
        partial(clustered_predictions, topics=TOPICS[name]),
    )
    for name in ("7 clusters", "60 clusters")
}
EVENTS = StudyPopulation(CALIBRATED, "200 events", "of the way from stated to ½", events)
NORMALS = StudyPopulation(
    "90 % intervals hold 90 % of the outcomes",
    "200 outcomes",
    "wider than stated",
    normal_predictions,
)
