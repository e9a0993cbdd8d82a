"""The step of texts and vectors: what is planted is found, and what the page says of it."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from point_files import CHAT, POLISH, ingested, text_files, vector_files
from sklearn.feature_extraction.text import TfidfVectorizer

from fidelity.vectors import embedded_texts
from fidelity.vectors.texts import COMPONENTS, WORD
from fidelity_study.report.page import machine
from fidelity_study.report.page.telling import Telling
from fidelity_study.report.page.words import plain
from fidelity_study.steps.registry import STEPS
from fidelity_study.steps.vectors import DISTANCES, FEW, TOLD, WEIGHTED, vector_tables
from fidelity_study.tables.ingest import RESPONDENTS, RUNS

TEXTS = ["alike", "polished"]


def step(kind, simulators, **outcome):
    return {
        "seed": 1,
        "dataset": "town",
        "outcome": {"kind": kind, **outcome},
        "simulators": simulators,
        "options": {},
        "test": {"alpha": 0.05},
    }


def made(tables, settings):
    found = vector_tables(*(tables[name] for name in tables), settings)
    for rows, schema in found.values():
        pa.Table.from_pylist(rows, schema)
    return {name: rows for name, (rows, _) in found.items()}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return ingested(text_files(tmp_path_factory.mktemp("texts")), "text", TEXTS)


@pytest.fixture(scope="module")
def of_texts(texts):
    return made(texts, step("text", TEXTS))


def test_the_planted_words_tell(of_texts):
    told = {row["simulator"]: row for row in of_texts["told"] if row.get("scenario") is None}
    assert told["polished"]["told_lower"] > 0.9
    assert (told["polished"]["questions"], told["polished"]["told_questions"]) == (2, 2)
    assert told["alike"]["told_lower"] <= 0.5 <= told["alike"]["told_upper"]
    assert told["alike"]["told_questions"] == 0
    features = [row for row in of_texts["features"] if row["scenario"] == "city"]
    assert {row["simulator"] for row in features} == {"polished"}
    more = {row["feature"] for row in features if row["statistic"] > 0}
    assert (more, {row["feature"] for row in features} - more) == ({*CHAT}, {*POLISH})
    assert all(row["mean"] == 0.0 for row in features if row["feature"] in CHAT)
    for words in (CHAT, POLISH):
        clear = [abs(row["statistic"]) for row in features if row["feature"] in words]
        assert clear == sorted(clear, reverse=True) and clear[0] > clear[-1]


def test_what_is_said_of_a_simulator_does_not_depend_on_the_order_of_others(texts, of_texts):
    alone = made(texts, step("text", TEXTS[::-1]))
    for name in ("told", "features"):
        mine = [row for row in of_texts[name] if row["simulator"] == "polished"]
        assert [row for row in alone[name] if row["simulator"] == "polished"] == mine


def test_texts_are_points_by_tf_idf():
    said = ["a b", "b c c", "a c", "d a", "b d"]
    embedding = embedded_texts(said)
    expected = TfidfVectorizer(sublinear_tf=True, token_pattern=WORD).fit_transform(said)
    assert embedding.points == pytest.approx(expected.toarray())
    assert list(embedding.names) == ["a", "b", "c", "d"]
    assert embedding.features.toarray()[1].tolist() == [0, 1, 1, 0]


def test_words_of_languages_without_spaces_are_signs():
    embedding = embedded_texts(["更多parks don't", "公園 parks", "更公 don't"])
    assert {*embedding.names} == {"更", "多", "公", "園", "parks", "don't"}


def test_many_words_become_few_dimensions_of_length_one():
    rng = np.random.default_rng(0)
    said = [" ".join(f"w{i}" for i in rng.choice(200, 8)) for _ in range(150)]
    embedding = embedded_texts([*said, ""])
    points, radius = embedding.points, embedding.radius
    assert points.shape == (151, COMPONENTS)
    assert np.linalg.norm(points[:-1], axis=1) == pytest.approx(np.full(150, radius))
    assert radius == 1.0
    assert not points[-1].any()
    assert not embedded_texts(["x", "y"] + ["z"] * 12).points.sum(1)[:2].any()


def test_distances_and_curves_have_both_ends(of_texts):
    rows = [row for row in of_texts["distances"] if row.get("scenario") is None]
    assert len(rows) == 2 * 3 * 2
    assert all(row["ci_lower"] <= row["lower"] <= row["upper"] <= row["ci_upper"] for row in rows)
    assert all(row["ci_lower"] > 0 for row in rows if row["simulator"] == "polished")
    assert {row["distance"] for row in of_texts["curves"]} == {"mmd", "energy", "sliced_w1"}
    assert all(row["lower"] <= row["upper"] for row in of_texts["curves"])


def test_examples_are_ordered_by_their_distance(of_texts):
    for simulator in TEXTS:
        for place, sign in (("nearest", 1), ("farthest", -1)):
            rows = [
                sign * row["distance"]
                for row in of_texts["examples"]
                if (row["simulator"], row["scenario"]) == (simulator, "work")
                and (row["side"], row["place"]) == ("human", place)
            ]
            assert rows == sorted(rows) and len(rows) == 3


def test_unknown_persons_and_runs_are_each_their_own(texts, of_texts):
    unknown = {**texts, "respondents": RESPONDENTS.empty_table(), "runs": RUNS.empty_table()}
    again = made(unknown, step("text", TEXTS))
    by = {(row["simulator"], row.get("scenario")): row for row in again["told"]}
    assert by["polished", "work"]["people"] == 60
    assert by["polished", None]["people"] == 120
    assert by["polished", None]["told_lower"] > 0.9


def test_weights_are_said_to_be_left_out(texts):
    place = RESPONDENTS.get_field_index("weight")
    weights = pa.array(np.linspace(0.5, 1.5, len(texts["respondents"])))
    weighted = texts["respondents"].set_column(place, "weight", weights)
    found = made({**texts, "respondents": weighted}, step("text", TEXTS))
    assert {row["warning"] for row in found["told"]} == {WEIGHTED}


@pytest.mark.slow
def test_vectors(tmp_path):
    names = ["alike", "moved", "absent"]
    tables = ingested(vector_files(tmp_path), "vector", names[:2])
    found = made(tables, step("vector", names))
    told = {row["simulator"]: row for row in found["told"] if row.get("scenario") is None}
    assert told["moved"]["told_lower"] > 0.6
    assert not told["alike"]["can_be_told"]
    assert told["absent"]["lacking"] == FEW
    assert {row["feature"] for row in found["features"]} == {"x3"}
    assert {row["distance"] for row in found["curves"]} == {"mmd"}
    radius = made(tables, step("vector", names, radius=10.0))
    assert {row["distance"] for row in radius["curves"]} == {"mmd", "energy", "sliced_w1"}
    assert [list(row) for row in found["projection"][:1]] == [["scenario", "source", "x", "y"]]


def telling(found, kind="text"):
    results = SimpleNamespace(
        told_shares=[dict.fromkeys(TOLD.names) | row for row in found["told"]],
        distances=[dict.fromkeys(DISTANCES.names) | row for row in found["distances"]],
        telling_features=found["features"],
        examples=found["examples"],
        projection=found["projection"],
        paths=found["paths"],
        named=lambda name: name,
        noun="question",
        nouns="questions",
        level="95 %",
        kind=kind,
        colour=lambda name: "#123456",
        step={"test": {"alpha": 0.05}},
        nonresponse=[],
    )
    return Telling(results)


def test_the_page_says_first_whether_answers_can_be_told(of_texts):
    section = telling(of_texts)
    assert [row["label"] for row in section.ranking] == ["alike", "polished"]
    headline = plain(section.headline)
    assert headline.endswith("Guessing gives 50 %.")
    assert "can be told in 100 % of cases" in headline
    assert "too few answers to know whether a classifier can tell alike" in headline
    assert section.table[1].cells[1][0] == "2 of 2"
    assert len(section.headings) == 3
    (of_people, of_simulator) = {name: sides for name, _, sides in section.words}["work"]
    assert "furthermore (0 % : " in of_simulator
    assert "honestly" in of_people
    assert len(section.examples) == 16 and len(section.pictures) == 2
    assert section.findings.rows[0][0] == "alike"


def overall(simulator, lower, upper, **more):
    settled = {"told": (lower + upper) / 2, "can_be_told": lower > 0.5, "total_variation": 0.0}
    about = {"simulator": simulator, "questions": 1, "told_questions": 0, "dimensions": 3}
    return {**about, "told_lower": lower, "told_upper": upper, **settled, **more}


def distance(simulator, lower):
    about = {"simulator": simulator, "distance": "sliced_w1", "estimand": "model"}
    return {**about, "lower": 0.4, "upper": 0.5, "ci_lower": lower, "ci_upper": 0.9}


@pytest.mark.parametrize(
    ("told", "far", "words"),
    [
        ((0.36, 0.54), 0.02, "farther from people's than chance allows (Sliced W1)"),
        ((0.36, 0.54), -0.02, "A classifier can't tell people's answers from those of"),
        ((0.40, 0.65), -0.02, "too few answers to know whether a classifier can tell"),
        ((0.55, 0.65), -0.02, "Whose answer it is can be told in 60 % of cases"),
    ],
)
def test_the_headline_rests_on_the_classifier_and_the_distances(of_texts, told, far, words):
    nothing = {name: [] for name in of_texts}
    rows = {"told": [overall("alike", *told)], "distances": [distance("alike", far)]}
    section = telling({**nothing, **rows}, "vector")
    assert words in plain(section.headline)
    both = {"told": [*rows["told"], overall("polished", 0.9, 0.95)]}
    assert plain(telling({**nothing, **rows, **both}).headline).startswith("Whose answer it is")


def test_a_share_near_guessing_is_hardly_told_and_asks_for_no_change(of_texts):
    nothing = {name: [] for name in of_texts}
    rows = [
        overall("alike", 0.501, 0.59, total_variation=0.002),
        overall("polished", 0.85, 0.95, total_variation=0.7),
    ]
    section = telling({**nothing, "told": rows})
    headline = (
        "Whose answer it is can be told in 90 % of cases for polished, hardly for alike (55 %)."
    )
    assert plain(section.headline) == f"{headline} Guessing gives 50 %."
    assert (
        plain(section.lead) == "To match people, at least 70 % of polished's answers must change."
    )
    assert section.todo == "read what tells them apart, below."


def test_the_side_with_fewer_answers_is_to_answer_more(of_texts):
    nothing = {name: [] for name in of_texts}
    for people, draws, words in (
        (50, 80, "of people; there are 50"),
        (80, 50, "there are 50 runs"),
    ):
        row = overall("alike", 0.4, 0.65, people=people, draws=draws)
        assert words in telling({**nothing, "told": [row]}).todo


def test_the_page_says_what_a_vector_is_and_what_a_negative_distance_means(of_texts):
    nothing = {name: [] for name in of_texts}
    rows = {"told": [overall("alike", 0.4, 0.6)], "distances": [distance("alike", -0.1)]}
    section = telling({**nothing, **rows}, "vector")
    assert any("a vector of 3 numbers" in note for note in section.notes)
    assert sum("below 0" in note for note in section.notes) == 1
    words = " ".join(section.sentences)
    assert "columns and their squares" in words
    assert "calls at most 5 % different, and each distance at most 2.5 %" in words


def test_other_programs_get_the_same_headline(of_texts):
    section = telling(of_texts)
    section.results.m, section.results.n_clusters, section.results.uses = 2, 2, []
    dataset = SimpleNamespace(
        **{"name": "d", "title": "d", "people": "60", "views": [], "forecast": None},
        results=section.results,
        telling=section,
        assumptions=section.assumptions,
    )
    record = machine._dataset(dataset)
    assert record.headline == plain(section.headline)
    assert [one.text for one in record.assumptions] == [one.text for one in section.assumptions]


def test_the_page_of_too_few_answers(of_texts):
    nothing = {name: [] for name in of_texts}
    rows = [{"simulator": "alike", "questions": 0, "lacking": FEW}]
    section = telling({**nothing, "told": rows})
    assert "too few" in section.headline
    assert any("Not compared: alike" in note for note in section.notes)


def test_points_have_this_step_and_no_scores():
    settings = {"outcome": {"kind": "text"}, "curves": False}
    assert STEPS["vectors"].runs(settings) == [{}]
    assert STEPS["proper_scores"].runs(settings) == []
    assert STEPS["vectors"].runs({"outcome": {"kind": "ordinal"}, "curves": True}) == []
