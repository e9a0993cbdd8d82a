"""Whether a gain from correcting a simulator is claimed wrongly, and whether a true one is found.

A study has people's answers in two halves, one to correct with and one to judge by. It rejects
where :func:`fidelity.correction.correction_gain` claims a gain. For comparison there are wrong
claims. One compares with the simulator only, not with forecasts from people's answers. Another is
judged by the people and questions that the correction was fitted to.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.random import Generator
from synthetic.populations import dirichlet

from fidelity.correction.gain import correction_gain, people_elsewhere
from fidelity.correction.mixture import tempered, tempered_mixture
from fidelity.correction.ridge import corrected_ridge
from fidelity.means.average import NEW, mean_difference
from fidelity.responses import Responses
from fidelity_audit.rejection import (
    Decision,
    HypothesisTest,
    Studies,
    StudyPopulation,
    all_at_once,
    at_most,
    one_by_one,
    wrong,
)

QUESTIONS, TOPICS, HALF = 48, 8, 80
TOPIC = np.arange(QUESTIONS) // (QUESTIONS // TOPICS)
PROFILE = np.array([0.4, 0.3, 0.2, 0.1])
OPTIONS = len(PROFILE)
UNIFORM = np.full((QUESTIONS, OPTIONS), 1.0 / OPTIONS)
IN_TOPIC, IN_QUESTION, ABOUT_ANYTHING, ABOUT_MEAN, ABOUT_PEOPLE = 12.0, 10.0, 4.0, 20.0, 60.0
MEASURE, FEATURES = "tv", 40
Correction = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, list[np.ndarray]]]


def blind(studies: int, effect: float, generator: Generator, knows_mean: bool = False) -> Studies:
    """Return counts of people in two halves and a simulator, (S, m, d) each.

    At ``effect`` 0 the simulator is independent of the question: drawn around a uniform guess, or
    around people's average answers. Otherwise it states people's shares to the power ``effect``, so
    that it is too certain, with an error.
    """
    of_topic = dirichlet(np.broadcast_to(IN_TOPIC * PROFILE, (studies, TOPICS, OPTIONS)), generator)
    p = dirichlet(IN_QUESTION * of_topic[:, TOPIC] + 0.2, generator)
    about = ABOUT_MEAN * PROFILE if knows_mean else ABOUT_ANYTHING * UNIFORM[0]
    if effect:
        certain = tempered(p.reshape(-1, OPTIONS), effect).reshape(p.shape)
        about = ABOUT_PEOPLE * certain + 0.2
    q = dirichlet(np.broadcast_to(about, p.shape), generator)
    halves = (generator.multinomial(HALF, p).astype(float) for _ in range(2))
    return (*halves, q)


def _mixed(counts: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the corrected simulator, and the guesses learned without it."""
    alone = people_elsewhere(counts, clusters=TOPIC)
    return tempered_mixture(counts, q, clusters=TOPIC).probabilities, [alone]


def _regressed(counts: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    corrected, uninformed = (
        corrected_ridge(counts, [probabilities], clusters=TOPIC).probabilities
        for probabilities in (q, UNIFORM)
    )
    return corrected, [people_elsewhere(counts, clusters=TOPIC), uninformed]


def _claims(correct: Correction) -> Decision:
    def rejects(fitted, judging, q, generator):
        corrected, alone = correct(fitted, q)
        people, how = Responses(judging, clusters=TOPIC), {"discrepancy": MEASURE}
        return correction_gain(people, corrected, simulators=[q], from_people=alone, **how).claimed

    return one_by_one(correction_gain)(rejects)


@one_by_one(mean_difference)
def _over_the_simulator(fitted, judging, q, generator):
    """Claim a gain where the corrected simulator is nearer than the simulator."""
    people, how = Responses(judging, clusters=TOPIC), {"discrepancy": MEASURE, "target": NEW}
    return mean_difference(people, _mixed(fitted, q)[0], q, **how).ci_upper < 0.0


def fitted_to_judges(
    counts: np.ndarray, q: np.ndarray, features: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return pooled shares and a regression on q times the questions' features, none left out."""
    alone = people_elsewhere(counts, clusters=TOPIC)
    terms = ((q - UNIFORM)[..., None] * features[:, None]).reshape(-1, features.shape[1])
    distance = counts / counts.sum(1, keepdims=True) - alone
    slopes = np.linalg.lstsq(terms, distance.ravel(), rcond=None)[0]
    positive = np.maximum(alone + (terms @ slopes).reshape(q.shape), 0.0)
    return positive / positive.sum(1, keepdims=True), [alone]


@all_at_once(fitted_to_judges)
def _by_those_fitted_to(data: Studies, generator: Generator) -> np.ndarray:
    first, second, q = data
    features = generator.standard_normal((QUESTIONS, FEATURES))
    correct = partial(fitted_to_judges, features=features)
    return _claims(correct).rejects((first + second, first + second, q), generator)


CASES = f"{QUESTIONS} questions, {TOPICS} topics"
BLIND, BLIND_TO_MORE = (
    StudyPopulation(
        f"a simulator {which}, has no gain", f"{CASES}{said}", "times too certain", draw
    )
    for which, said, draw in (
        ("that knows nothing, once corrected", "", blind),
        (
            "that knows people's average only, once corrected",
            ", mean known",
            partial(blind, knows_mean=True),
        ),
    )
)


def tests() -> Iterator[HypothesisTest]:
    """Yield each statement, and the wrong ones."""
    for name, population, correct, effects in (
        ("mixture", BLIND, _mixed, (2.0,)),
        ("mixture_average", BLIND_TO_MORE, _mixed, ()),
        ("ridge", BLIND, _regressed, (2.5,)),
    ):
        title = f"gain, {name.split('_')[0]}"
        yield at_most(f"gain_{name}", title, population, _claims(correct), effects, studies=500)
    for name, title, decision in (
        ("simulator_only", "gain over the simulator alone", _over_the_simulator),
        ("fitted", "gain, judged by those fitted to", _by_those_fitted_to),
    ):
        yield wrong(f"gain_{name}", title, BLIND, decision, studies=200)
