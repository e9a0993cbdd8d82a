"""Corrected simulators as the step makes them: on people whose shares are known, and by hand."""

from copy import deepcopy

import numpy as np
import pytest
from surveyed_people import STEP, outcomes, respondents, survey, too_certain

from fidelity.correction import people_elsewhere, stacked, tempered_mixture
from fidelity.means import discrepancy_bounds
from fidelity.stream import stream
from fidelity_study.config.params import step
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.steps.correct import (
    Correction,
    Questions,
    corrected,
    features,
    for_new,
    shown,
    wanted,
)
from fidelity_study.steps.corrections import CORRECTIONS, Corrections
from fidelity_study.steps.judges import EACH, NOBODY, PERSONS, Judges
from fidelity_study.steps.people import People
from fidelity_study.steps.unanswered import Answered
from fidelity_study.tables.ingest import RESPONDENTS

M, D, PERSON_COUNT = 36, 4, 300
TOPICS = np.arange(M) // 3
TRUTH = np.random.default_rng(0).dirichlet(np.ones(D), M)
TEMPERED = STEP | {"correct": ["tempered"]}


def answered(name, q, k="stated"):
    nothing = np.zeros(len(q))
    return Answered(name, k, np.arange(len(q)), q, np.full(len(q), np.nan), nothing)


def made(town, simulators, step=STEP, *, told=True):
    """Return all corrections, as the script makes them."""
    none = RESPONDENTS.empty_table()
    judges = Judges.of(town.scenarios, outcomes(town), respondents(town) if told else none, step)
    people = People.who_gave(judges.everybody, town.scenarios, step)
    asked = list(wanted(simulators, step["correct"]))
    return Corrections(people, judges, Questions.of(town.scenarios), asked)


def town_of(seed, **known):
    """Return the survey of a seed."""
    given = {"p": TRUTH, "persons": PERSON_COUNT, "topics": TOPICS, **known}
    return survey(np.random.default_rng(seed), **given)


def too_certain_by(**powers):
    """Return simulators that are too certain."""
    return [answered(name, too_certain(TRUTH, power)) for name, power in powers.items()]


CERTAIN = too_certain_by(certain=3)


def row_of(found, kind, target, step=STEP):
    (row,) = [
        row for row in found.rows(step) if (row["correction"], row["target"]) == (kind, target)
    ]
    return row


@pytest.mark.slow
@pytest.mark.parametrize("repeat", [True, False])
def test_a_simulator_that_is_too_certain_is_corrected_and_gains(repeat):
    town = town_of(1, repeat=repeat)
    found = made(town, CERTAIN, TEMPERED, told=repeat)
    shares = (town.chosen[..., None] == np.arange(D)).mean(0)
    assert found.judges.split == (PERSONS if repeat else EACH)
    for target in ("asked", "new"):
        row = row_of(found, "tempered", target)
        assert row["verdict"] == "gain"
        assert row["temperature"] == pytest.approx(1 / 3, abs=0.05)
        assert row["weight"] > 0.9
        assert row["corrected_upper"] < 0.06 < 0.15 < row["uncorrected_lower"]
        assert row["from_people_lower"] > 0.15
        assert row["over_simulator_ci_upper"] < -0.1
    assert np.abs(found.kept[0].probabilities - shares).sum(1).mean() / 2 < 0.06


@pytest.mark.slow
@pytest.mark.parametrize("repeat", [True, False])
def test_intervals_cover_what_the_corrections_of_halves_are_from_the_truth(repeat):
    """Given the halves, a corrected simulator is fixed, and its true distance known."""
    covered = []
    for seed in range(20):
        town = town_of(seed, persons=120, repeat=repeat)
        found = made(town, CERTAIN, TEMPERED, told=repeat)
        row = row_of(found, "tempered", "asked")
        fits = [
            each.fitted(x, Questions.of(town.scenarios))
            for each in found.wanted
            for x in found.judges.teaching
        ]
        far = np.mean([np.abs(each.probabilities - TRUTH).sum(1).mean() / 2 for each in fits])
        covered.append(row["corrected_ci_lower"] <= far <= row["corrected_ci_upper"])
    assert np.mean(covered) >= 0.95


@pytest.mark.slow
def test_random_answers_gain_nothing():
    claims = []
    for seed in range(5):
        generator = np.random.default_rng(100 + seed)
        town = survey(generator, TRUTH, PERSON_COUNT, TOPICS)
        random = [answered(name, generator.dirichlet(np.ones(D), M)) for name in ("a", "b", "c")]
        rows = list(made(town, random).rows(STEP))
        assert {row["correction"] for row in rows} == {"tempered", "ridge", "stacked"}
        claims.append(any(row["verdict"] == "gain" for row in rows))
        nearer = [row for row in rows if row["over_simulator_ci_upper"] < 0]
        assert nearer, "pooled answers alone bring a random simulator nearer"
    assert not any(claims)


@pytest.mark.slow
def test_nobody_of_a_scenarios_own_cluster_taught_its_correction():
    simulators = too_certain_by(a=3, b=2)
    town, other = town_of(2), town_of(2)
    own = TOPICS == 4
    anew = np.random.default_rng(20).integers(0, D, (PERSON_COUNT, own.sum()))
    other.chosen[:, own] = anew
    fits = [
        [
            each.fitted(counts, Questions.of(one.scenarios)).probabilities
            for each in found.wanted
            for counts in (found.people.responses.counts, *found.judges.teaching)
        ]
        for one in (town, other)
        for found in [made(one, simulators)]
    ]
    assert len(fits[0]) == 12
    for before, after in zip(*fits, strict=True):
        np.testing.assert_array_equal(before[own], after[own])
        assert not np.array_equal(before[~own], after[~own])


@pytest.mark.parametrize("repeat", [True, False])
def test_nobody_who_judges_a_correction_taught_it(repeat):
    """Other answers of the judging half leave what the teaching half is fitted to as it is."""
    found = made(town_of(3, repeat=repeat), CERTAIN, told=repeat)
    judges = found.judges
    for taught, judged in zip(judges.teaching, judges.judging, strict=True):
        np.testing.assert_array_equal(taught + judged, found.people.responses.counts)
        assert np.abs(taught.sum() - judged.sum()) <= M
    if not repeat:
        return
    answers = judges.answers
    assert not set(answers[0].person) & set(answers[1].person)
    changed = town_of(3)
    rows = np.unique(answers[0].person)
    changed.chosen[rows] = D - 1 - changed.chosen[rows]
    other = made(changed, CERTAIN)
    for each, same in zip(found._fitted, other._fitted, strict=True):
        np.testing.assert_array_equal(each[0], same[0])
        assert not np.array_equal(each[1], same[1])


@pytest.mark.slow
def test_a_row_is_what_the_library_says_of_both_halves():
    town = town_of(4, persons=90, repeat=False)
    (q,) = (each.q for each in CERTAIN)
    row = row_of(made(town, CERTAIN, TEMPERED, told=False), "tempered", "asked")
    counts = (town.chosen[..., None] == np.arange(D)).sum(0)
    first = np.array(
        [
            stream(1, "town", "halves", name).multivariate_hypergeometric(
                own, own.sum() // 2, method="marginals"
            )
            for name, own in zip(town.names, counts, strict=True)
        ]
    )
    topics = [str(each) for each in TOPICS]
    ends = []
    for taught, judged in ((first, counts - first), (counts - first, first)):
        fit = tempered_mixture(taught, q, clusters=topics).probabilities
        guess = people_elsewhere(taught, clusters=topics)
        shares = judged / judged.sum(1, keepdims=True)
        away = [np.abs(shares - each).sum(1).mean() / 2 for each in (fit, q, guess)]
        lower = [
            discrepancy_bounds(judged, each, discrepancy="tv").smooth_lower.mean()
            for each in (fit, q, guess)
        ]
        ends.append([*away, away[0] - lower[1], lower[0] - away[2]])
    names = ["corrected_upper", "uncorrected_upper", "from_people_upper"]
    names += ["over_simulator_upper", "over_people_lower"]
    assert [row[name] for name in names] == pytest.approx(np.mean(ends, axis=0))


@pytest.mark.slow
def test_who_cannot_be_split_is_assumed_to_be_different():
    for repeat, weighted in ((True, False), (False, True)):
        found = made(town_of(5, repeat=repeat, weighted=weighted), CERTAIN, told=False)
        assert found.judges.split == NOBODY
        row = row_of(found, "tempered", "asked")
        assert row["split"] == NOBODY
        assert row["method"].endswith("people assumed different, corrections taken as fixed")
        np.testing.assert_array_equal(found._fitted[0][0], found.kept[0].probabilities)


@pytest.mark.slow
def test_all_differences_hold_at_once():
    alone, both = (
        row_of(made(town_of(6), CERTAIN, STEP | {"correct": kinds}), "tempered", "asked")
        for kinds in (["tempered"], ["tempered", "ridge"])
    )
    for name in ("over_simulator", "over_people"):
        assert both[f"{name}_ci_lower"] < alone[f"{name}_ci_lower"]
        assert both[f"{name}_ci_upper"] > alone[f"{name}_ci_upper"]
        assert both[f"{name}_upper"] == alone[f"{name}_upper"]


@pytest.mark.slow
def test_of_several_simulators_the_hardest_to_beat_is_shown():
    town, simulators = town_of(7), too_certain_by(a=5, b=2)
    row = row_of(made(town, simulators, STEP | {"correct": ["stacked"]}), "stacked", "asked")
    assert (row["simulator"], row["nearest"], row["simulators"]) == (None, "b", 2)
    counts = (town.chosen[..., None] == np.arange(D)).sum(0)
    topics = [str(each) for each in TOPICS]
    found = stacked(counts, [each.q for each in simulators], clusters=topics)
    assert row["weight_uniform"] == pytest.approx(found.parameters["weights"][:, -1].mean())


@pytest.mark.slow
def test_a_question_nobody_was_asked_is_corrected_as_if_it_had_a_cluster_of_its_own():
    counts = (town_of(8).chosen[..., None] == np.arange(D)).sum(0).astype(float)
    q, texts = too_certain(TRUTH), [f"What of {word}?" for word in "abcdefghi" * 4]
    asked, new = np.arange(M) < 30, np.arange(M) >= 30
    for kind in ("tempered", "ridge", "stacked"):
        stated = [q] if kind == "tempered" else [q, TRUTH[::-1]]
        questions = Questions(TOPICS, features(texts))
        found = for_new(
            kind, counts[asked], [x[asked] for x in stated], questions, [x[new] for x in stated]
        )
        without = np.where(new[:, None], 0.0, counts)
        whole = corrected(kind, without, stated, questions).probabilities
        np.testing.assert_array_equal(found, whole)
        assert found.sum(1) == pytest.approx(1.0)


def test_a_simulator_is_corrected_in_the_form_in_which_it_is_shown():
    q = np.full((2, 2), 0.5)
    given = [
        *(answered("drawn", q, k) for k in ("20", "100", "400")),
        *(answered("few", q, k) for k in ("20", "100")),
        *(answered("both", q, k) for k in ("20", "100", "stated")),
    ]
    assert [(each.simulator, each.k) for each in shown(given)] == [
        ("drawn", "100"),
        ("few", "100"),
        ("both", "stated"),
    ]
    baseline = answered("uniform", q, "20")
    assert {each.form["k"] for each in wanted([*given, baseline], ["ridge"])} == {"mixed"}


@pytest.mark.slow
def test_scenarios_of_one_cluster_are_each_their_own_and_one_alone_is_refused():
    rows = list(made(town_of(9, topics=["only"] * M), CERTAIN, TEMPERED).rows(STEP))
    assert [(row["target"], row["verdict"]) for row in rows] == [("asked", "gain")]
    single, ridge = town_of(9, p=TRUTH[:1], topics=["only"]), STEP | {"correct": ["ridge"]}
    (row,) = made(single, [answered("certain", TRUTH[:1])], ridge).rows(STEP)
    assert row["target"] is None
    assert row["warning"].startswith("no interval: fewer than 2 clusters")


@pytest.mark.slow
def test_rows_have_the_columns_of_their_table():
    town = town_of(10, texts=[f"Is {j} good for topic {TOPICS[j]}?" for j in range(M)])
    found = made(town, [*CERTAIN, answered("b", TRUTH[::-1])])
    assert found._questions.features.shape == (M, 5)
    assert {key for row in found.rows(STEP) for key in row} == set(CORRECTIONS.names)
    stated = list(found.stated_rows(town.scenarios))
    assert len(stated) == 4 * M * D
    assert isinstance(found.wanted[0], Correction)


CONFIG = {
    "datasets": {
        "town": {
            "ingest": "ces_2024",
            "outcome": {"kind": "categorical"},
            "cluster": "question",
            "simulators": ["ntp", "fa", "uniform"],
        }
    }
}


def study(**changes):
    config = deepcopy(CONFIG)
    config["datasets"]["town"] |= changes
    return Study(config)


@pytest.mark.parametrize(
    ("correct", "simulators", "made"),
    [
        (True, ["ntp", "fa", "uniform"], ["tempered", "ridge", "stacked"]),
        (True, ["ntp", "uniform"], ["tempered", "ridge"]),
        (["stacked", "tempered"], ["ntp", "fa"], ["stacked", "tempered"]),
        (False, ["ntp", "fa"], []),
        (None, ["ntp", "fa"], []),
    ],
)
def test_true_is_every_correction_that_makes_sense(correct, simulators, made):
    asked = {} if correct is None else {"correct": correct}
    found = study(simulators=simulators, **asked)
    assert found.datasets["town"]["correct"] == made
    assert step(found, "correct", "town")["correct"] == made
    assert found.runs("correct") == ([{"dataset": "town"}] if made else [])


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"simulators": ["uniform", "pooled"]},
            "all simulators are baselines, which corrected ones are held against; add a simulator",
        ),
        ({"curves": False}, "which curves: false leaves out; take one of the two away"),
        (
            {"correct": ["tempered", "stacked"], "simulators": ["ntp", "uniform"]},
            "stacked mixes simulators, and ntp is the only one to test; take stacked away",
        ),
        (
            {
                "outcome": {"kind": "bounded"},
                "ingest": "twin2k_megastudy",
                "cluster": "study",
                "simulators": ["twin"],
            },
            "bounded outcomes are numbers, and options are corrected; take correct away",
        ),
        ({"correct": ["warmed"]}, "'warmed'"),
    ],
)
def test_what_cannot_be_corrected_is_refused_with_the_reason(changes, fault):
    with pytest.raises(DataError) as told:
        study(**{"correct": True, **changes})
    assert [line for line in str(told.value).splitlines() if "correct" in line and fault in line]
