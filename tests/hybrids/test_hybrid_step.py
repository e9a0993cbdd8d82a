"""The step: known populations, who may be seen and who judges, and what is refused."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from small_study import STUDY

from fidelity.hybrids import hybrid_bounds, taking_part
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.report.page.hybrids import hybrids
from fidelity_study.report.tables import having
from fidelity_study.steps.hybrids import discrepancies, hybrid_rows
from fidelity_study.steps.interviewed import Asked
from fidelity_study.steps.unanswered import Answered
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS

STEP = {
    "seed": 1,
    "dataset": "study",
    "pairs": {"tv": ["witness"]},
    "smoothed": ["kl", "chi2"],
    "test": {"alpha": 0.05},
    "uses": {"declared": [], "limits": {}},
    "hybrids": {"sizes": [5, 40]},
}
OF = {"k": "stated", "discrepancy": "tv", "target": "asked"}


def stated(name, q):
    m = len(q)
    return Answered(name, "stated", np.arange(m), q, np.full(m, np.nan), np.zeros(m))


def asked(counts, clusters=None, **changes):
    """Return people of their own in each scenario."""
    m = len(counts)
    names = [f"q{j}" for j in range(m)]
    return Asked(
        **{
            "names": names,
            "counts": np.asarray(counts, float),
            "scores": None,
            "clusters": np.array(names if clusters is None else clusters),
            "people": np.array(names),
            "answers": None,
            "is_apart": True,
            "key": (1, "study", "hybrids"),
            **changes,
        }
    )


def population(kappa, m, n, rng):
    q = rng.dirichlet([3.0, 3.0, 3.0], m)
    shares = np.array([rng.dirichlet(kappa * row) for row in q])
    return rng.multinomial(n, shares).astype(float), q


@pytest.fixture(scope="module")
def known():
    """Rows of a simulator that is worth 20 people, of one that is right, and of a shuffled one."""
    rng = np.random.default_rng(0)
    counts, q = population(20.0, 120, 300, rng)
    right = counts / counts.sum(1, keepdims=True)
    given = [stated("model", q), stated("right", right), stated("shuffled", rng.permutation(q))]
    return list(hybrid_rows(asked(counts), given, STEP))


def test_what_a_simulator_is_worth_is_found(known):
    of_new = {**OF, "target": "new"}
    own = having(known, {**of_new, "simulator": "model", "source": "hybrid"})
    assert [row["n0"] for row in own] == [5, 40]
    assert all(row["verdict"] == "gain" for row in own)
    # In 15 such studies the estimates had the means 21.6 and 20.2, and these standard deviations.
    for row, deviation in zip(own, (3.4, 1.7), strict=True):
        assert row["kappa"] == pytest.approx(20, abs=4 * deviation)
    # With p ~ Dirichlet(κ q) n + κ people alone are as near, by squared differences, as both.
    assert all(row["saved_lower"] < 20 < row["saved_upper"] for row in own)


@pytest.mark.parametrize("target", ["asked", "new"])
def test_a_shuffled_simulator_saves_interviews_but_has_no_gain(known, target):
    of = {**OF, "target": target, "source": "hybrid", "n0": 5}
    (model,), (shuffled,) = (
        having(known, {**of, "simulator": name}) for name in ("model", "shuffled")
    )
    assert shuffled["saved_lower"] > 0 and model["beyond_lower"] > 0
    assert (shuffled["verdict"], model["verdict"]) == ("no gain", "gain")
    assert shuffled["beyond"] < model["beyond"] < model["saved"]


def test_each_source_has_its_rows(known):
    own = having(known, {**OF, "simulator": "model"})
    sizes = {source: [r["n0"] for r in having(own, {"source": source})] for source in SOURCES}
    assert sizes["people"] == [1, 2, 3, 4, 5, 6, 8, 11, 16, 23, 32, 40, 45, 64, 91, 128, 150]
    assert sizes["simulator"] == sizes["hybrid"] == sizes["corrected"] == [5, 40]
    alone = having(own, {"source": "simulator"})
    assert alone[0]["upper"] == alone[1]["upper"]
    assert {row["m"] for row in own} == {120}
    assert {row.get("most") for row in having(own, {"source": "hybrid"})} == {150}


SOURCES = ("people", "simulator", "hybrid", "corrected")


def test_a_right_simulator_saves_all_and_a_shuffled_one_what_shrinking_does(
    known,
):
    for row in having(known, {**OF, "simulator": "right", "source": "hybrid"}):
        assert row["saved"] == pytest.approx(row["most"] - row["n0"])
    # Shares of other scenarios lie E|p - q'|² = 2/21 + 1/15 from people's, who vary by 4/(7n).
    worth = (4 / 7) / (2 / 21 + 1 / 15)
    of_new = {**OF, "target": "new", "simulator": "shuffled", "source": "hybrid"}
    for row in having(known, of_new):
        assert row["saved_lower"] < worth < row["saved_upper"]


def persons(rng, many=90, m=12):
    """Return answers of persons to questions of two years, nobody in both, and some none."""
    years = np.repeat(["a", "b"], m // 2)
    answers = rng.integers(0, 3, (many, m)).astype(float)
    answers[rng.random(answers.shape) < 0.2] = np.nan
    answers[: many // 2, years == "b"] = np.nan
    answers[many // 2 :, years == "a"] = np.nan
    counts = (answers[:, :, None] == np.arange(3)).sum(0)
    return answers, counts, years


@pytest.mark.slow
def test_kappa_and_hybrids_know_nothing_of_those_who_judge():
    answers, counts, years = persons(np.random.default_rng(4))
    rows, q = np.arange(len(years)), np.full((len(years), 3), 1 / 3)
    alone = asked(counts, years, people=years, answers=answers).alone(rows, "tv", [2, 5])
    before = hybrid_bounds(alone, q).hybrid.kappa
    alone.rest[:] = alone.rest[..., ::-1].copy()
    assert np.array_equal(hybrid_bounds(alone, q).hybrid.kappa, before)


def test_how_people_are_split_is_said():
    counts = np.full((4, 3), 10.0)
    assert asked(counts).split == "each scenario's people split"
    unknown = asked(counts, is_apart=False).split
    assert unknown == "each scenario's people split, as if different people answered each"


@pytest.mark.minutes
def test_where_it_is_not_known_who_answered_no_correction_and_no_fitted_baseline():
    counts, q = population(20.0, 30, 90, np.random.default_rng(5))
    given = [stated("model", q), stated("pooled", q), stated("uniform", np.full(q.shape, 1 / 3))]
    unknown = list(hybrid_rows(asked(counts, is_apart=False), given, STEP))
    assert {row["simulator"] for row in unknown} == {"model", "uniform"}
    assert {row["source"] for row in unknown} == {"people", "simulator", "hybrid"}
    assert all("as if different people" in row["method"] for row in unknown)
    apart = list(hybrid_rows(asked(counts), given, STEP))
    assert {row["simulator"] for row in apart} == {"model", "pooled", "uniform"}
    assert {row["source"] for row in apart} == set(SOURCES)


@pytest.mark.slow
def test_fitted_baselines_are_left_out_where_persons_answer_several_scenarios():
    answers, counts, years = persons(np.random.default_rng(4))
    q = np.full((len(years), 3), 1 / 3)
    step = {**STEP, "hybrids": {"sizes": [2, 5]}}
    own = asked(counts, years, people=years, answers=answers)
    rows = list(hybrid_rows(own, [stated("pooled", q), stated("uniform", q)], step))
    assert {row["simulator"] for row in rows} == {"uniform"}
    assert {row["method"] for row in rows} == {"persons split", "CR2, persons split"}


def test_sizes_of_other_scenarios_change_nothing_for_who_answers_those_with_many_people():
    """The guesses of 5 people were taken for those of 40 of the same scenarios, and it stopped."""
    counts, q = population(20.0, 24, np.repeat([60, 300], 12), np.random.default_rng(7))
    rows = np.arange(12, 24)
    given = [Answered("model", "stated", rows, q[rows], np.full(12, np.nan), np.zeros(24))]

    def of_40(sizes):
        made = hybrid_rows(asked(counts), given, STEP | {"hybrids": {"sizes": sizes}})
        return [row for row in made if row["n0"] == 40 and row["source"] == "hybrid"]

    assert of_40([5, 40]) == of_40([40]) != []


@pytest.mark.minutes
def test_scenarios_with_too_few_people_are_left_out_and_counted():
    counts, q = population(20.0, 30, 200, np.random.default_rng(6))
    counts[:12] = np.round(counts[:12] / 6)
    parts = [(len(rows), sizes) for rows, sizes in taking_part(counts, [5, 10, 20, 50, 100])]
    assert parts == [(30, [5, 10]), (18, [20, 50])]
    step = {**STEP, "hybrids": {"sizes": [5, 10, 20, 50, 100]}}
    rows = list(hybrid_rows(asked(counts), [stated("model", q)], step))
    hybrids = having(rows, {**OF, "source": "hybrid"})
    assert [(r["n0"], r["m"], r["left_out"]) for r in hybrids] == [
        *[(5, 30, 0), (10, 30, 0)],
        *[(20, 18, 12), (50, 18, 12)],
    ]
    people = [row["n0"] for row in having(rows, {**OF, "source": "people"})]
    assert people == sorted(set(people))
    assert list(taking_part(counts[:9], [5])) == []


@pytest.mark.slow
def test_a_single_cluster_or_few_answers_of_a_simulator_give_no_rows():
    counts, q = population(20.0, 30, 200, np.random.default_rng(6))
    assert list(hybrid_rows(asked(counts, ["one"] * 30), [stated("model", q)], STEP)) == []
    few = Answered("few", "stated", np.arange(9), q[:9], np.full(9, np.nan), np.zeros(30))
    assert list(hybrid_rows(asked(counts), [few], STEP)) == []


@pytest.mark.minutes
def test_scenarios_may_have_different_options_and_any_order():
    rng = np.random.default_rng(7)
    counts, q = population(20.0, 20, 150, rng)
    for table in (counts, q):
        table[::2, 1] += table[::2, 2]
        table[::2, 2] = np.nan
    drawn = np.where(np.isnan(q), np.nan, rng.multinomial(40, np.nan_to_num(q)) / 40)
    scores = np.where(np.isnan(q), np.nan, [0.0, 0.5, 1.0])
    own = asked(counts, scores=scores)
    order = rng.permutation(20)
    given = [
        Answered("model", "40", rows, drawn[rows], np.full(20, 40.0), np.zeros(20))
        for rows in (np.arange(20), order)
    ]
    step = {**STEP, "pairs": {"tv": [], "w1": [], "kl": []}, "hybrids": {"sizes": [5]}}
    one, two = (list(hybrid_rows(own, [each], step)) for each in given)
    assert {row["discrepancy"] for row in one} == {"tv", "w1"}
    assert all(row["lower"] <= row["upper"] for row in one)
    for name in ("lower", "upper", "saved_lower"):
        assert [row.get(name, 0.0) for row in one] == pytest.approx([r.get(name, 0.0) for r in two])


def tables(weighted):
    names = [f"q{j}" for j in range(3)]
    scenarios = {
        name: [None] * 3 if name not in ("scenario", "cluster", "people") else names
        for name in SCENARIOS.names
    }
    scenarios |= {"value": [[0.0, 1.0]] * 3, "weighted": [weighted] * 3, "score": [None] * 3}
    scenarios |= {"respondents_repeat": [True] * 3, "kind": ["categorical"] * 3}
    outcomes = {
        "scenario": [name for name in names for _ in range(2)],
        "source": ["human"] * 6,
        "value": [0.0, 1.0] * 3,
        "count": [2.0, 1.0] * 3,
    }
    respondents = dict.fromkeys(RESPONDENTS.names, [None] * 9) | {
        "scenario": [name for name in names for _ in range(3)],
        "respondent": [0, 1, 2] * 3,
        "value": [0.0, 1.0, 0.0] * 3,
        "weight": [1.0] * 9,
    }
    return (
        pa.Table.from_pydict(scenarios, SCENARIOS),
        pa.Table.from_pydict(outcomes, OUTCOMES),
        pa.Table.from_pydict(respondents, RESPONDENTS),
    )


def test_tables_are_taken_over_and_weighted_people_refused():
    found = Asked.of(*tables(False), STEP)
    assert found.answers.tolist() == [[0.0] * 3, [1.0] * 3, [0.0] * 3]
    assert found.counts.tolist() == [[2.0, 1.0]] * 3
    assert found.is_apart
    scenarios, outcomes, respondents = tables(False)
    assert not Asked.of(scenarios, outcomes, respondents.slice(0, 0), STEP).is_apart
    with pytest.raises(DataError, match=r"datasets\.study\.hybrids: people are weighted, .*away"):
        Asked.of(*tables(True), STEP)


def config(**changes):
    survey = {**STUDY["datasets"]["survey"], "ingest": "tabular", "hybrids": {}}
    own = {"human": "a.csv", "simulated": "b.csv", "simulators": ["model"], "plan": None}
    settings = {**survey, **own, **changes}
    return {"datasets": {"s": {key: each for key, each in settings.items() if each is not None}}}


def test_sizes_are_complete_and_grow():
    own = lambda **changes: Study(config(**changes)).datasets["s"]["hybrids"]  # noqa: E731
    assert own() == {"sizes": [5, 10, 25, 50, 100]}
    assert own(hybrids={"sizes": [20, 4]}) == {"sizes": [4, 20]}
    assert own(hybrids=None) is None
    assert discrepancies({"tv": [], "kl": [], "chi2": [], "squared": []}) == ["tv", "squared"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"grid": {"discrepancy": ["kl"]}}, "kl can be infinite; add tv to grid.discrepancy"),
        ({"outcome": {"kind": "bounded"}}, "bounded outcomes are numbers, and hybrids are of"),
        ({"curves": False}, "hybrids are for datasets with curves; take hybrids away"),
        ({"hybrids": {"sizes": [1]}}, "1 is not a whole number, 2 or more"),
    ],
)
def test_configs_that_cannot_be_are_refused(changes, fault):
    with pytest.raises(DataError) as refused:
        Study(config(**changes))
    (line,) = [each for each in str(refused.value).splitlines() if "hybrids" in each]
    assert fault in line


def test_a_figure_of_hybrids_needs_the_key():
    assert "hybrids" in Study(config()).figures("s")
    lacks = Study(config(hybrids=None)).lacks("s", "hybrids")
    assert lacks.startswith("needs the key datasets.s.hybrids, {} for its defaults")


CELL = {"k": "stated", "discrepancy": "tv", "source": "hybrid", "kappa": 7.0, "most": 200}
ABOUT = {"m": 60, "left_out": 0, "splits": 10, "method": "persons split"}


def row(name, target, n0, saved, beyond, verdict):
    ends = zip(("", "_lower", "_upper"), saved, strict=True)
    own = {f"saved{end}": value for end, value in ends}
    own |= {f"beyond{e}": v for e, v in zip(("", "_lower", "_upper"), beyond, strict=True)}
    cell = CELL | ABOUT | {"simulator": name, "target": target, "n0": n0, "verdict": verdict}
    return cell | own


def page(rows):
    every = [
        SimpleNamespace(
            name=name,
            label=name,
            cell={"simulator": name, "k": "stated"},
            is_baseline=name == "uniform",
        )
        for name in dict.fromkeys(each["simulator"] for each in rows)
    ]
    results = SimpleNamespace(hybrids=rows, noun="question", nouns="questions")
    return hybrids(SimpleNamespace(every=every, results=results, discrepancy="tv"))


def said(name, saved, beyond, verdict):
    """Return what is said first of a simulator, of these questions and of new ones alike."""
    rows = [row(name, target, 5, saved, beyond, verdict) for target in ("asked", "new")]
    return page(rows).said[0]


def test_a_gain_is_told_with_what_is_saved_beyond_a_uniform_guess():
    (first,) = said("model", (6.1, 4.2, 9.0), (2.3, 1.0, 3.9), "gain")
    assert first.endswith(
        "saves 6.1 (4.2 to 9.0) interviews, 2.3 (1.0 to 3.9) of them beyond a uniform guess."
    )


def test_a_uniform_guess_saves_interviews_and_gains_nothing():
    (first,) = said("uniform", (3.2, 2.1, 4.0), (0.0, -1.0, 0.5), "no gain")
    assert first.endswith("which knows nothing of people, saves 3.2 (2.1 to 4.0) interviews.")


def test_a_simulator_without_gain_is_not_told_to_save_interviews():
    found = said("shuffled", (2.7, 1.1, 3.0), (-0.5, -2.0, 0.9), "no gain")
    assert not any("saves" in each for each in found)
