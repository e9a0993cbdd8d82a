"""Unanswered questions, for and against a simulator: against every answer that there could be."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from called_step import call_step
from scipy.stats import beta

import fidelity
from fidelity import Responses, people_reference
from fidelity.comparison.error_bars import mean_error_bar
from fidelity.curves.envelope import EnvelopeBounds
from fidelity.discrepancies.base import DISCREPANCIES, Extrema
from fidelity.means import discrepancy_bounds, mean_interval, person_errors
from fidelity.responses import Answers
from fidelity.sets.bounds import confidence_bounds
from fidelity_study import compare
from fidelity_study.steps import envelope, samples
from fidelity_study.steps import mean_discrepancy as means
from fidelity_study.steps.arrays import Scale, labels, lists, optional
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.cases import Case
from fidelity_study.steps.cluster_warning import warning_of
from fidelity_study.steps.design import Sizes
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.limits import list_rows
from fidelity_study.steps.people import People
from fidelity_study.steps.people_reference import PEOPLE_REFERENCE, main, reference_rows
from fidelity_study.steps.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.steps.question_bounds import question_bounds
from fidelity_study.steps.unanswered import Answered
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS

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


def case_of(counts, own, discrepancy, limits=None, scores=SCORES):
    names = [f"s{j}" for j in range(len(counts))]
    responses = Responses(counts, scores=scores, sizes=counts.sum(1), limits=limits)
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
    lowest = case.missing.bounds(bounds._replace(lower=-bounds.reach))
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
    rows = means.mean_rows(draws, 0.05, 2)
    said = [(row["answers"], row.get("familywise_upper") is not None) for row in rows]
    assert said == [("drawn", True), ("drawn", True), ("drawn", False), *[("true", False)] * 2]
    for name, limits in (("kl", None), ("absolute", (-np.inf, np.inf))):
        rows = list(means.mean_rows(case_of(counts, given(q, u), name, limits), 0.05, 2))
        assert not any(row.get("familywise_upper") is not None for row in rows)
        assert not any(row.get("missing_upper") is not None for row in rows)


def scenarios_of(m):
    own = [str(j) for j in range(m)]
    return pa.table({"cluster": own, "people": own})


def cell_of(upper, discrepancy="tv"):
    m = len(upper)
    keys = {"cluster": None, "simulator": "model", "k": STATED_FORM, "discrepancy": discrepancy}
    keys["confidence_set"] = "witness"
    lower, clusters = np.zeros(upper.shape), np.arange(m).astype(str)
    return keys, np.arange(m), EnvelopeBounds(lower, upper, 0.05, clusters)


def certified(cell, own, many, discrepancy="tv", m=None):
    """Return what is certain of one cell at a tolerance of .3."""
    _, rows, bounds = cell
    table = scenarios_of(m or len(rows))
    case = case_of(np.ones((len(table), 3)), own, discrepancy)
    family = envelope.familywise(cell, case, table, many)
    of_all = np.full(101, np.nan) if family is None else family.certified_curve(envelope.TAU)
    drawn = bounds.curves(envelope.TAU)._asdict() | {"familywise_upper": of_all}
    (row,) = envelope.shares(cell, family, drawn, [0.3])
    assert row["familywise_var_90"] == envelope.finite(of_all[envelope.NINETY])
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
    expected = fidelity.certified_envelope_share(cell[2].upper, 0.05 / 4, threshold=0.3)
    assert of_four["familywise_share"] == expected < alone["certified_share"]
    (expected,) = fidelity.exact_envelope_curve(cell[2].upper, [0.9], 0.05 / 4)
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


COUNTS = np.array([[12.0, 5.0, 3.0], [46.0, 29.0, 25.0]])
STEP = {
    "dataset": "town",
    "pairs": {"tv": ["witness"], "kl": ["multinomial_kl"], "median": ["bootstrap"]},
    "smoothed": ["kl"],
    "test": {"alpha": 0.1},
}


def people(counts=COUNTS, sizes=None, **known):
    names = [f"q{j}" for j in range(len(counts))]
    responses = Responses(counts, sizes=counts.sum(1), **known)
    return People(names, responses, False, ("town",), sizes)


def rows_of(found: People, step=STEP):
    return {(row["discrepancy"], row["people"]): row for row in reference_rows(found, step)}


@pytest.mark.parametrize("discrepancy", ["tv", "kl"])
@pytest.mark.parametrize("sample_size", [50, 150, 500])
def test_rows_are_the_librarys_distances_but_of_parameters(discrepancy, sample_size):
    found = rows_of(people())
    expected = people_reference(COUNTS, sample_size, discrepancy=discrepancy, level=0.9)
    row = found[discrepancy, sample_size]
    ends = [None if np.isnan(end) else end for end in expected[:3]]
    assert [row["mean"], row["ci_lower"], row["ci_upper"]] == ends
    assert (row["ci_lower"] is None) == (discrepancy == "kl")  # there are 20 people
    assert {name for name, _ in found} == {"tv", "kl"}


def test_shares_are_smoothed_as_the_config_says():
    assert rows_of(people(), STEP | {"smoothed": []})["kl", 50]["mean"] == np.inf


def test_people_of_a_design_are_worth_fewer_and_are_left_out_whole():
    answers = Answers(
        person=np.arange(100),
        scenario=np.zeros(100, int),
        option=np.repeat([0, 1, 2], [46, 29, 25]),
        weight=0.5,
        psu=np.repeat(range(10), 10),
    )
    counts = COUNTS[1:]
    sizes = Sizes(np.array([100.0]), np.array([50.0]), np.array([9.0]))
    known = people(
        counts / 2, sizes, df=sizes.df, answers=answers._replace(scenario=np.zeros(100, int))
    )
    alike = people_reference(Responses(counts, sizes=[50.0]), 25, discrepancy="tv", level=0.9)
    row = rows_of(known)["tv", 50]
    assert row["mean"] == pytest.approx(alike.mean, rel=1e-12)
    assert row["ci_upper"] - row["ci_lower"] > 1.5 * (alike.ci_upper - alike.ci_lower)


def test_errors_by_replicate_weights_are_taken_over():
    apart = np.array([[[0.02, -0.01], [-0.02, 0.0], [0.0, 0.01]]])
    share = COUNTS[1:] / 100
    known = people(COUNTS[1:], replicates=share[..., None] + apart)
    same = people_reference(known.responses, 150, discrepancy="tv", level=0.9)
    plain = people_reference(COUNTS[1:], 150, discrepancy="tv", level=0.9)
    assert rows_of(known)["tv", 150]["ci_upper"] == same.ci_upper != plain.ci_upper


def test_a_question_with_one_answer_leaves_the_cells_empty():
    row = rows_of(people(np.array([[1.0, 0.0], [30.0, 70.0]])))["tv", 150]
    assert row["mean"] is None and row["ci_lower"] is None and row["ci_upper"] is None


def test_the_step_reads_and_writes_tables(tmp_path):
    described = {
        "cluster": "none",
        "kind": "categorical",
        "value": [1.0, 2.0, 3.0],
        "weighted": False,
        "respondents_repeat": False,
    }
    names = ["q0", "q1"]
    sizes = COUNTS.sum(1).tolist()
    tables = {
        "scenarios": (
            [
                {**described, "scenario": name, "people": name, "n_human": n, "n_effective": n}
                for name, n in zip(names, sizes, strict=True)
            ],
            SCENARIOS,
        ),
        "human": (
            [
                {"scenario": name, "replicate": 0, "n_j": n, "count": row.tolist()}
                for name, n, row in zip(names, sizes, COUNTS, strict=True)
            ],
            HUMAN_SAMPLE,
        ),
        "respondents": ([], RESPONDENTS),
    }
    tables = {name: pa.Table.from_pylist(*table) for name, table in tables.items()}
    made = call_step(main, tmp_path, STEP, tables, "people_reference", "people_reference_csv")
    table = pq.read_table(made["people_reference"])
    assert table.schema.names == PEOPLE_REFERENCE.names
    assert table["people"].to_pylist() == [50, 150, 500] * 2
    expected = people_reference(COUNTS, 500, discrepancy="tv", level=0.9)
    assert table["mean"].to_pylist()[2] == pytest.approx(expected.mean, rel=1e-12)
    assert made["people_reference_csv"].read_text().startswith("discrepancy,people,mean")


OF_TWO = {"a": [30.0, 10.0], "b": [12.0, 88.0]}
MODEL = {"a": [0.6, 0.4], "b": [0.5, 0.5]}


@pytest.fixture(scope="module")
def found():
    """Rows of two questions with two options, of which tables are in no order."""
    n = {name: sum(count) for name, count in OF_TWO.items()}
    about = {"value": [0.0, 1.0], "option": ["no", "yes"], "n_options": 2}
    scenarios = [
        {"scenario": name, "n_human": n[name], "n_effective": n[name], **about} for name in OF_TWO
    ]
    people = [
        {"scenario": name, "replicate": replicate, "n_j": n[name], "count": OF_TWO[name]}
        for name in reversed(OF_TWO)
        for replicate in (0, 1)
    ]
    model = {"simulator": "model", "replicate": 0, "k": "stated", "k_j": None}
    simulated = [{"scenario": name, "share": share, **model} for name, share in MODEL.items()]
    table = question_bounds(
        pa.Table.from_pylist(scenarios, SCENARIOS),
        pa.Table.from_pylist(people, HUMAN_SAMPLE),
        pa.Table.from_pylist(simulated, SIMULATED_SAMPLE),
        {"tv": "witness"},
        [],
        "study",
        0.05,
    )
    assert table.schema.names == PSEUDO_DISCREPANCY.names
    return {row["scenario"]: row for row in table.to_pylist()}


@pytest.mark.parametrize("name", OF_TWO)
def test_a_question_has_clopper_and_pearsons_bound_at_95_percent(found, name):
    x, q = np.array(OF_TWO[name]), np.array(MODEL[name])
    n = x.sum()
    upper = max(beta.ppf(0.95, x + 1, n - x) - q)
    lower = max(0.0, max(beta.ppf(0.025, x, n - x + 1) - q))
    row = found[name]
    assert row["gamma"] == "0.95"
    assert row["plugin"] == pytest.approx(np.abs(x / n - q).sum() / 2)
    assert row["upper"] == pytest.approx(upper, abs=1e-9)
    assert row["lower"] == pytest.approx(lower, abs=1e-9)


N, STUDIES, LEVEL = 100, 4_000, 0.05
RARE, TOLERANCE = 0.02, 0.0099


def case(counts, scores, q, discrepancy, limits):
    counts, scores = np.array(counts, float), np.array(scores, float)
    return case_of(counts, given(q, np.zeros(len(q))), discrepancy, limits, scores)


def test_a_number_that_nobody_gave_may_still_be_given():
    """People say .5, and 2 % of them 0: .01 from a simulator that always says .5."""
    rare = np.random.default_rng(0).binomial(N, RARE, STUDIES)
    counts = np.stack([N - rare, rare], 1)
    scores = np.where(rare[:, None] > 0, [0.5, 0.0], [0.5, 0.6])
    q = np.tile([1.0, 0.0], (STUDIES, 1))
    limits = 0.0, 1.0
    found = case(counts, scores, q, "absolute", limits)
    p = np.array([row["p_within"] for row in list_rows(found, [TOLERANCE], LEVEL)])
    assert (p < LEVEL).mean() <= LEVEL + 3 * np.sqrt(LEVEL * (1 - LEVEL) / STUDIES)
    unlimited = case(counts, scores, q, "absolute", None)
    p = np.array([row["p_within"] for row in list_rows(unlimited, [TOLERANCE], LEVEL)])
    assert (p < LEVEL).mean() > 2 * LEVEL  # as if no other number could be given


def test_a_few_missing_answers_count_as_the_worst():
    """Of 100 answers 5 are missing: within .15 whatever they are, but not within .05."""
    found = case([[600.0, 400.0]], [[0.0, 1.0]], [[0.6, 0.4]], "tv", None)
    lost = replace(found, own=replace(found.own, unanswered=np.array([0.05])))
    few, much = (
        [row["p_within"] for row in list_rows(each, [0.15], LEVEL)] for each in (found, lost)
    )
    assert few < much and much[0] < LEVEL
    (row,) = list_rows(lost, [0.05], LEVEL)
    assert row["p_within"] > LEVEL


@pytest.mark.parametrize(
    ("discrepancy", "limits", "rows"),
    [
        ("absolute", (0.0, 1.0), 1),
        ("squared", (0.0, 1.0), 1),
        ("w1", (0.0, 1.0), 0),
        ("w1", None, 1),
        ("absolute", (-np.inf, np.inf), 0),
    ],
)
def test_what_has_no_valid_p_value_is_on_no_list(discrepancy, limits, rows):
    found = case([[30.0, 70.0]], [[0.2, 0.8]], [[0.4, 0.6]], discrepancy, limits)
    assert len(list(list_rows(found, [0.1], LEVEL))) == rows


PERSONS, QUESTIONS = 150, 6
STATED = np.array([0.8, 0.15, 0.05])


@pytest.mark.slow
def test_intervals_of_weighted_persons_are_those_of_the_library(tmp_path):
    """Persons answer all questions much alike; every fifth leaves one out."""
    generator = np.random.default_rng(3)
    leaning = generator.normal(size=(PERSONS, 1))
    noise = generator.normal(size=(PERSONS, QUESTIONS)) / 3
    names = [f"q{question}" for question in range(QUESTIONS)]
    people = pd.DataFrame(np.digitize(leaning + noise, [-0.3, 0.6]), columns=names).astype("Int64")
    people.loc[::5, "q4"] = pd.NA
    weight = generator.uniform(0.2, 3.0, PERSONS)
    simulated = pd.DataFrame(
        [(name, "model", value, p) for name in names for value, p in enumerate(STATED)],
        columns=["scenario", "simulator", "value", "probability"],
    )
    given = {"weight": "weight", "kind": "categorical", "quiet": True, "folder": tmp_path}
    found = compare(people.assign(weight=weight), simulated, **given)
    (row,) = (
        found.table("comparison/mean_discrepancy")
        .query("simulator == 'model' and discrepancy == 'tv' and target == 'asked' and tail == 1")
        .itertuples()
    )
    scenario, person = np.nonzero(people.notna().to_numpy().T)
    option = people.to_numpy()[person, scenario].astype(int)
    counts = np.zeros((QUESTIONS, len(STATED)))
    np.add.at(counts, (scenario, option), weight[person])
    sizes = counts.sum(1) ** 2 / np.bincount(scenario, weight[person] ** 2)
    q = np.tile(STATED, (QUESTIONS, 1))
    bounds = discrepancy_bounds(Responses(counts, sizes=sizes), q, discrepancy="tv")
    answers = Answers(person, scenario, option, weight[person])
    errors = person_errors(Responses(counts, answers=answers), q, discrepancy="tv")
    expected = mean_interval(bounds, errors=errors)
    assert (row.ci_lower, row.ci_upper) == pytest.approx((expected.ci_lower, expected.ci_upper))
    assert "whole persons left out" in row.method


@pytest.mark.parametrize(
    ("scores", "clusters", "words"),
    [
        (np.arange(1001.0), np.repeat([0, 1], [1000, 1]), "no interval: one cluster has nearly"),
        (np.full(30, 0.1), np.arange(30), "no interval: all scores, or the means of all clusters"),
        (np.arange(10.0), np.arange(10) // 2, "5 effective clusters, fewer than 10"),
    ],
)
def test_a_missing_interval_has_its_reason(scores, clusters, words):
    assert warning_of(mean_error_bar(scores, clusters, level=0.7)).startswith(words)


def test_many_clusters_that_vary_have_no_warning():
    assert warning_of(mean_error_bar(np.arange(30.0), np.arange(30))) is None


@pytest.fixture
def family():
    """Return what is known of five questions with three options."""
    people = np.random.default_rng(1).multinomial(50, [0.5, 0.3, 0.2], 5).astype(float)
    known = confidence_bounds(people, confidence_set="witness", discrepancy="tv", gamma=0.5)
    columns = {
        "scenario": labels([f"q{j}" for j in range(5)], np.arange(5)),
        "share": lists(known.share),
        "support": lists(known.support),
        **{name: optional(getattr(known, name)) for name in ("lower", "upper", "radius")},
        "n_j": np.full(5, 50.0),
    }
    names = [f"q{j}" for j in range(5)]
    scale = Scale(3, None, None)
    bounds = pa.table(columns)
    return samples.Family(np.arange(5), names, scale, "tv", "witness", bounds, bounds)


def test_extrema_take_some_rows_at_once_and_lose_none(family, monkeypatch):
    monkeypatch.setattr(samples, "ROWS_AT_ONCE", 4)
    taken = []

    def extrema_of(known, q, **measure):
        taken.append(len(q))
        value = known.share[:, 0] + 10.0 * q[:, 0]
        return Extrema(value, value + 1.0, value + 2.0)

    i = np.array([4, 0, 0, 1, 3, 2, 2, 2, 1, 0, 4])
    q = np.arange(33.0).reshape(11, 3)
    lower, upper, gap = family.extrema(extrema_of, i, q)
    expected = np.array(family.bounds["share"].to_pylist())[i, 0] + 10.0 * q[:, 0]
    assert taken == [4, 4, 3]
    np.testing.assert_array_equal([lower, upper - 1.0, gap - 2.0], [expected] * 3)
