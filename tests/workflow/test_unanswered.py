"""Unanswered questions, for and against a simulator: against every answer that there could be."""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import fidelity
from fidelity import Responses
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.steps import envelope
from fidelity_study.steps import mean_discrepancy as means
from fidelity_study.steps.cases import Case
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.people import People
from fidelity_study.steps.unanswered import Answered

METRIC = [name for name, each in DISCREPANCIES.items() if each.metric_root]
SCORES = np.array([-1.0, 0.2, 1.0])
GRID = np.array([each for each in product(np.arange(21) / 20, repeat=3) if sum(each) == 1.0])


def effect_of(own, name, limits=None, scores=SCORES):
    """Return what is unanswered, beside people of whom only the options matter."""
    people = Responses(np.ones((len(own.unanswered), 3)), scores=scores, limits=limits)
    return own.effect(people, name, own.q)


def given(q, unanswered, rows=None, k=STATED_FORM, simulator="model"):
    rows = np.arange(len(q)) if rows is None else np.array(rows)
    draws = np.full(len(q), np.nan if k == STATED_FORM else float(k))
    return Answered(simulator, k, rows, np.array(q), draws, np.array(unanswered, float))


def case_of(counts, own, discrepancy, limits=None):
    names = [f"s{j}" for j in range(len(counts))]
    responses = Responses(counts, scores=SCORES, sizes=counts.sum(1), limits=limits)
    people = People(names, responses, False, (1, "test", "mean discrepancy"))
    return Case(people, own, discrepancy, False)


def of_all(case, alpha, many):
    """Return the rows of the mean over all scenarios, by target."""
    rows = means.mean_rows(case, alpha, many)
    return {row["target"]: row for row in rows if row["tail"] == 1.0}


def drawn(seed, m=4):
    """Return people's and a simulator's shares, and how much it left open, of m scenarios."""
    generator = np.random.default_rng(seed)
    p, q = generator.dirichlet([0.7] * 3, (2, m))
    return p, q, generator.uniform(0.05, 0.9, m)


def test_which_discrepancies_are_powers_of_metrics_is_known():
    others = {name for name in DISCREPANCIES if name not in METRIC}
    assert {"kl", "chi2", "variance", "median"} <= others
    assert set(METRIC) >= {"tv", "absolute", "w1", "squared", "l2", "hellinger", "js", "mmd_delta"}


@pytest.mark.parametrize("name", METRIC)
def test_their_roots_obey_the_triangle_and_they_are_convex(name):
    measure = DISCREPANCIES[name]
    generator = np.random.default_rng(3)
    p, q, r = generator.dirichlet([0.4] * 3, (3, 5000))
    p[:300], r[300:600] = np.eye(3)[generator.integers(3, size=(2, 300))]

    def root(one, two):
        return measure.between(one, two, SCORES) ** (1.0 / measure.metric_root)

    assert (root(p, r) <= root(p, q) + root(q, r) + 1e-12).all()
    assert root(p, q) == pytest.approx(root(q, p))
    if measure.metric_root > 1:
        squares = root(p, r) ** 2 <= root(p, q) ** 2 + root(q, r) ** 2 + 1e-12
        assert not squares.all(), "the discrepancy itself is a metric"
    u = generator.uniform(size=5000)
    mixed = measure.between(p, (1 - u)[:, None] * q + u[:, None] * r, SCORES)
    apart = (1 - u) * measure.between(p, q, SCORES) + u * measure.between(p, r, SCORES)
    assert (mixed <= apart + 1e-12).all()


@pytest.mark.parametrize("name", METRIC)
@pytest.mark.parametrize("seed", range(5))
def test_no_answers_are_farther_than_the_bounds_say(name, seed):
    p, q, u = drawn(seed)
    measure, effect = DISCREPANCIES[name], effect_of(given(q, u), name)
    root, places = 1.0 / measure.metric_root, np.arange(4)
    farthest, now = effect.farthest(p, places), measure.between(p, q, SCORES)
    upper = now[:, None] + np.array([0.0, 0.01, 0.1])
    raised = effect.raised(upper)
    for j in range(4):
        could = (1 - u[j]) * q[j] + u[j] * GRID
        found = measure.between(np.tile(p[j], (len(GRID), 1)), could, SCORES)
        assert farthest[j] == pytest.approx(found.max(), abs=1e-12)
        assert np.abs(found**root - now[j] ** root).max() <= effect.shift[j] + 1e-12
        moved = measure.between(np.tile(q[j], (len(GRID), 1)), could, SCORES)
        assert effect.shift[j] == pytest.approx(moved.max() ** root, abs=1e-12)
        assert found.max() <= raised[j, 0] + 1e-12
        assert raised[j, -1] <= effect.largest[j] + 1e-12
    every = measure.between(
        *(each.reshape(-1, 3) for each in np.broadcast_arrays(np.eye(3)[:, None], np.eye(3)[None])),
        SCORES,
    )
    assert effect.largest == pytest.approx(np.full(4, every.max()))


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["tv", "w1", "absolute", "mmd_delta", "squared", "l2"])
@pytest.mark.parametrize("seed", range(4))
def test_a_mean_lies_in_its_limits_whatever_was_missing(name, seed):
    """With as many people that no sampling error is left."""
    p, q, u = drawn(seed, m=3)
    measure = DISCREPANCIES[name]
    row = next(means.mean_rows(case_of(1e9 * p, given(q, u), name), 0.05, 1))
    now = measure.between(p, q, SCORES).mean()
    single = [np.eye(3)[list(each)] for each in product(range(3), repeat=3)]
    mixed = list(np.random.default_rng(seed).dirichlet([0.5] * 3, (300, 3)))
    could = np.array(
        [
            measure.between(p, (1 - u)[:, None] * q + u[:, None] * r, SCORES).mean()
            for r in [*single, *mixed, q]
        ]
    )
    assert row["familywise_lower"] <= could.min() + 1e-4
    assert could.max() <= row["familywise_upper"] + 1e-4
    assert row["familywise_upper"] == pytest.approx(could.max(), abs=1e-3)
    assert row["familywise_lower"] < now < row["familywise_upper"]


@pytest.mark.parametrize("name", ["tv", "absolute"])
def test_the_lowest_bound_is_within_reach_whatever_was_missing(name):
    p, q, u = drawn(5)
    case = case_of(100 * p, given(q, u), name)
    bounds = case.bounds[case.answers[0]]
    lowest = case.missing.bounds(case.responses, bounds._replace(lower=-bounds.reach))
    assert (lowest.lower < -bounds.reach).all() and (-lowest.lower <= lowest.reach).all()


@pytest.mark.parametrize("name", ["absolute", "w1", "squared"])
def test_of_numbers_in_a_range_any_may_be_missing_seen_or_not(name):
    seen, between = np.array([0.2, 0.5, 0.6]), np.linspace(0.0, 1.0, 101)
    p, q, u = drawn(7, m=2)
    effect = effect_of(given(q, u), name, limits=(0.0, 1.0), scores=seen)
    measure = DISCREPANCIES[name]
    scores = np.append(seen, between)
    for j in range(2):
        r = np.eye(len(scores))[3:]
        p_own, q_own = (np.tile(np.pad(each[j], (0, 101)), (101, 1)) for each in (p, q))
        found = measure.between(p_own, (1 - u[j]) * q_own + u[j] * r, scores)
        assert effect.farthest(p, np.arange(2))[j] == pytest.approx(found.max())
    assert effect.largest == pytest.approx(np.ones(2))


@pytest.mark.parametrize("target", ["asked", "new"])
@pytest.mark.parametrize("name", ["tv", "squared"])
def test_a_scenario_without_any_answer_counts_as_wholly_open(name, target):
    generator = np.random.default_rng(2)
    p, q = generator.dirichlet([1.0] * 3, (2, 12))
    counts = generator.multinomial(200, p).astype(float)
    own = given(q[:9], [0.0] * 9 + [1.0] * 3, rows=range(9))
    row = of_all(case_of(counts, own, name), 0.05, 1)[target]
    measure, share = DISCREPANCIES[name], counts / 200
    most = [max(measure.between(np.tile(p, (3, 1)), np.eye(3), SCORES)) for p in share[9:]]
    plugin = np.sum(measure.between(share[:9], q[:9], SCORES)) + np.sum(most)
    assert plugin / 12 < row["familywise_upper"]
    if target == "asked":
        assert row["familywise_upper"] < plugin / 12 + 0.05
        assert row["familywise_lower"] == pytest.approx(row["ci_lower"] * 9 / 12)


@pytest.mark.parametrize("target", ["asked", "new"])
@pytest.mark.parametrize("name", ["tv", "squared", "kl"])
def test_one_simulator_that_answers_all_keeps_its_interval_to_the_last_bit(name, target):
    p, q, _ = drawn(5, m=20)
    counts = np.random.default_rng(1).multinomial(80, p).astype(float)
    case = case_of(counts, given(q, np.zeros(20)), name)
    row = of_all(case, 0.05, 1)[target]
    assert row["familywise_lower"] == row["ci_lower"]
    assert row["familywise_upper"] == row["ci_upper"]
    of_five, at_one_percent = (of_all(case, *how)[target] for how in ((0.05, 5), (0.01, 1)))
    assert of_five["familywise_upper"] == at_one_percent["ci_upper"]
    assert of_five["ci_upper"] == row["ci_upper"]


def test_what_cannot_be_said_is_left_empty():
    p, q, u = drawn(1)
    counts = np.random.default_rng(1).multinomial(80, p).astype(float)
    draws = case_of(counts, given(q, u, k="40"), "tv")
    said = [(row["answers"], "familywise_upper" in row) for row in means.mean_rows(draws, 0.05, 2)]
    assert said == [("drawn", True), ("drawn", True), ("drawn", False), *[("true", False)] * 2]
    for name, limits in (("kl", None), ("absolute", (-np.inf, np.inf))):
        rows = list(means.mean_rows(case_of(counts, given(q, u), name, limits), 0.05, 2))
        assert not any("familywise_upper" in row for row in rows)
        assert not any("missing_upper" in row for row in rows)


def scenarios_of(m):
    own = [str(j) for j in range(m)]
    return pa.table({"cluster": own, "people": own})


def cell_of(upper, discrepancy="tv"):
    m = len(upper)
    keys = {"cluster": None, "simulator": "model", "k": STATED_FORM, "discrepancy": discrepancy}
    keys["confidence_set"] = "witness"
    lower, clusters = np.zeros(upper.shape), np.arange(m).astype(str)
    return envelope.Cell(keys, np.arange(m), lower, upper, clusters, 1, 0.05)


def certified(cell, own, many, discrepancy="tv", m=None):
    """Return what is certain of one cell at a tolerance of .3."""
    table = scenarios_of(m or len(cell.rows))
    people = Responses(np.ones((len(table), 3)), scores=SCORES)
    of = envelope.effects([own], people, [discrepancy], [])
    family = envelope.familywise(cell, table, of, many)
    drawn = envelope.curves(cell, family)
    (row,) = envelope.shares(cell, drawn, family, {discrepancy: [0.3]})
    assert row["familywise_var_90"] == envelope.finite(drawn["familywise_upper"][envelope.NINETY])
    return row


def uppers(m=150):
    return np.sort(np.random.default_rng(4).beta(2, 12, (m, 11)), axis=1)


@pytest.mark.slow
def test_certified_shares_of_several_simulators_divide_the_error():
    cell = cell_of(uppers())
    q = np.full((150, 3), 1 / 3)
    alone, of_four = (certified(cell, given(q, np.zeros(150)), many) for many in (1, 4))
    assert alone["familywise_share"] == alone["certified_share"] > 0.5
    assert alone["familywise_var_90"] == alone["certified_var_90"]
    expected = fidelity.certified_envelope_share(cell.upper, 0.05 / 4, threshold=0.3)
    assert of_four["familywise_share"] == expected < alone["certified_share"]
    (expected,) = fidelity.exact_envelope_curve(cell.upper, [0.9], 0.05 / 4)
    assert of_four["familywise_var_90"] == expected
    assert of_four["certified_share"] == alone["certified_share"]


@pytest.mark.slow
def test_certified_shares_allow_for_what_was_unanswered():
    """TV: both bounds by hand, and three scenarios of 150 without any answer."""
    upper = uppers()[:147]
    q = np.tile([0.5, 0.3, 0.2], (147, 1))
    u = np.r_[np.full(60, 0.1), np.zeros(87), np.ones(3)]
    found = certified(cell_of(upper), given(q, u), 2, m=150)
    by_hand = upper.copy()
    by_hand[:60] = np.minimum(upper[:60] + 0.1 * 0.8, 0.9 * upper[:60] + 0.1)
    by_hand = np.vstack([by_hand, np.ones((3, 11))])
    share = fidelity.certified_envelope_share(by_hand, 0.05 / 2, threshold=0.3)
    assert found["familywise_share"] == pytest.approx(share)
    assert share < found["certified_share"]
    (expected,) = fidelity.exact_envelope_curve(by_hand, [0.9], 0.05 / 2)
    assert found["familywise_var_90"] == pytest.approx(expected)
    unknown = certified(cell_of(upper, "kl"), given(q, u), 2, "kl", m=150)
    assert unknown["familywise_share"] is None
    assert unknown["familywise_var_90"] is None
