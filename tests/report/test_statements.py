"""What a study says is true, of made-up tables: weights, people, wordings, limits and draws.

``test_sentences_hold.py`` holds the sentences of drawn studies against their tables.
"""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from fidelity.baselines.base import BASELINES
from fidelity_study.report.figures import style
from fidelity_study.report.page.certainty import assumptions
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.render import findings, statement
from fidelity_study.report.page.statement import Statement
from fidelity_study.report.results import Results
from fidelity_study.steps.draws import is_from_people, levels, usable
from fidelity_study.tables import ingest
from fidelity_study.tables.read_write import write_rows

NO_NOTES = SimpleNamespace(draws="", smoothing="", weights="")


def results_of(tmp_path, weighting_effect=None, persons=(), **columns):
    """Return results that have nothing but scenarios, 100 and 400 people, and their numbers."""
    rows = [
        {"scenario": name, "cluster": "c", "n_human": n, "n_effective": n, "weighted": True}
        for name, n in (("a", 100.0), ("b", 400.0))
    ]
    rows = [{**row, **{key: each(row) for key, each in columns.items()}} for row in rows]
    path = tmp_path / "scenarios.parquet"
    write_rows(path, rows, ingest.SCENARIOS, {})
    step = {"weighting_effect": weighting_effect, "cluster": "topic"}
    own = {"scenario": "a", "value": 1.0, "weight": 1.0}
    answers = [{**own, "respondent": person} for person in persons]
    write_rows(tmp_path / "respondents.parquet", answers, ingest.RESPONDENTS, {})
    files = {"scenarios": [path], "respondents": [tmp_path / "respondents.parquet"]}
    return Results({**step, "noun": ["question", "questions"]}, files)


@pytest.mark.parametrize(
    ("weighting_effect", "over", "note", "sizes"),
    [
        (2.0, 2.0, "the config's weighting_effect of 2", ", effectively 50 to 200"),
        (None, 1.6, "Kish's effective number", ", effectively 62 to 250"),
        (None, 1.0, "Counts of people have fractions, as percentages or weights leave them.", ""),
    ],
)
def test_the_weights_note_says_which_number_of_people_was_used(
    tmp_path, weighting_effect, over, note, sizes
):
    found = results_of(tmp_path, weighting_effect, n_effective=lambda row: row["n_human"] / over)
    assert note in found.notes.weights
    assert found.sizes("all") == f"all people (100 to 400 a question{sizes})"


@pytest.mark.parametrize(
    ("told", "beginning"),
    [
        (True, "The same people answer several questions, which makes all of them dependent:"),
        (None, "It is not known whether the same people answer several questions"),
        (False, ""),
    ],
)
def test_it_is_said_whether_the_same_people_answer(tmp_path, told, beginning):
    people = {True: "the same", False: None, None: None}[told]
    found = results_of(tmp_path, respondents_repeat=lambda row: told, people=lambda row: people)
    assert found.respondents_repeat is told
    assert found.notes.dependence.startswith(beginning)
    assert bool(found.notes.dependence) == (told is not False)


@pytest.mark.parametrize(
    ("labels", "repeat", "said"),
    [
        (("a", "b"), False, "500 in all"),
        (("the same", "the same"), True, "at least 400 in all"),
        (("a", "b"), True, "at least 500 in all"),
        ((None, None), None, "at least 400 in all"),
    ],
)
def test_the_statement_says_how_many_people_there_are(tmp_path, labels, repeat, said):
    """Scenarios with different labels have nobody in common; 100 and 400 answered them."""
    label = dict(zip("ab", labels, strict=True))
    found = results_of(
        tmp_path,
        people=lambda row: label[row["scenario"]],
        respondents_repeat=lambda row: repeat,
    )
    found.step.update(about={}, curves=True)
    found.__dict__["nonresponse"] = []
    told = dict(Statement(Dataset("d", found), {}, "").people)
    assert told["Number of people"] == f"100 to 400 for each question, {said}"


@pytest.mark.parametrize(
    ("persons", "said"),
    [
        ([*range(100), *range(50, 450)], "450 in all"),
        ([*range(100), *range(50, 449)], "at least 400 in all"),
    ],
)
def test_persons_are_counted_where_each_answer_is_known_to_be_someones(tmp_path, persons, said):
    found = results_of(tmp_path, persons=persons, people=lambda row: "the same")
    found.step.update(about={}, curves=True)
    asked = {
        "asked": 10,
        "answered": 7,
        **dict.fromkeys(ingest.REASONS, 0),
        ingest.UNDECIDED: 2,
        "missing": 1,
    }
    found.__dict__["nonresponse"] = [{"source": ingest.HUMAN, **asked}]
    told = dict(Statement(Dataset("d", found), {}, "").people)
    assert told["Number of people"] == f"100 to 400 for each question, {said}"
    assert (
        told["Answers missing"]
        == "3 of 10, 30 % (no or another reason 1, don't know 2); shares leave them out"
    )


def test_a_name_is_no_wording(tmp_path):
    texts = {"a": "a", "b": "Is it fair?"}
    found = results_of(
        tmp_path,
        question=lambda row: texts[row["scenario"]],
        option=lambda row: ["yes", "no"],
    )
    stated = Statement(Dataset("d", found), {}, "")
    assert stated.questions.rows == [["a", "not stated"], ["b", "Is it fair?"]]
    assert stated.common_options == "yes; no"


def test_options_that_differ_stand_beside_their_questions(tmp_path):
    options = {"a": ["yes", "no"], "b": ["no"]}
    stated = Statement(
        Dataset("d", results_of(tmp_path, option=lambda row: options[row["scenario"]])), {}, ""
    )
    assert [row[2] for row in stated.questions.rows] == ["yes; no", "no"]
    assert stated.common_options == ""


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ("ab", "The shares of people's answers to other questions."),
        ("cc", "The shares of people's answers to other questions of the same cluster (by topic)."),
    ],
)
def test_pooled_answers_are_described_by_what_the_study_has(tmp_path, clusters, said):
    label = dict(zip("ab", clusters, strict=True))
    found = results_of(tmp_path, cluster=lambda row: label[row["scenario"]])
    found.step["names"] = {"pooled": {"describe": BASELINES["pooled"].describe}}
    assert found.described("pooled") == said
    found.step["names"] = {"pooled": {"describe": "Mine."}}
    assert found.described("pooled") == "Mine."


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("One town.", "As the authors state them: One town."),
        (None, "Not stated by the authors."),
    ],
)
def test_limits_are_those_that_authors_state(tmp_path, limits, said):
    found = results_of(tmp_path)
    found.step["about"] = {"limits": limits} if limits else {}
    assert Statement(Dataset("d", found), {}, "").limits == said


def test_verdict_findings_and_statement_say_once_that_each_question_is_compared_by_itself(tmp_path):
    """The sentence of each dataset; of the parts of a page, those that have an answer to give."""
    results = results_of(tmp_path, kind=lambda row: "categorical")
    results.step.update(title="d", about={}, simulators=[], smoothed=[], pairs={})
    vars(results).update(nonresponse=[], summary=[], _curves={})
    dataset = Dataset("d", results)
    vars(dataset).update(views=[], few=["Few answers."], label_doubts=[])
    vars(dataset).update(forecast=None, telling=None)
    said = "Each question is compared by itself. Whether a simulator's answers go together as"
    assert dataset.by_itself.startswith(said)
    for text in (findings(dataset), statement(Statement(dataset, {}, "us"))):
        assert text.count(said) == 1
    alone = SimpleNamespace(m=1, noun="question")
    assert Dataset("d", alone).by_itself == ""


def test_baselines_take_as_many_draws_as_the_simulators_under_test():
    given = {"uniform": [1000, 1000, 1000], "a": [50, 40, 0], "b": [0, 45, 50], "c": [0, 0, 0]}
    found = usable({name: np.array(many) for name, many in given.items()})
    assert {name: many.tolist() for name, many in found.items()} == {
        **given,
        "uniform": [50, 45, 50],
    }
    alone = {"uniform": np.array([1000, 1000]), "pooled": np.array([1000, 0])}
    assert usable(alone) == alone
    assert set(BASELINES) == {"uniform", *filter(is_from_people, BASELINES)}


@pytest.mark.parametrize(
    ("wanted", "most", "expected"),
    [
        ([50, 200], {"a": 1000, "uniform": 1000}, {"a": [50, 200], "uniform": [50, 200]}),
        ([50, 200], {"a": 50, "b": 999}, {"a": [50], "b": [50, 200]}),
        ([200], {"a": 50, "uniform": 50}, {"a": [50], "uniform": [50]}),
        (
            [50, 200],
            {"a": 120, "b": 150, "uniform": 150},
            {"a": [50, 120], "b": [50, 120, 150], "uniform": [50, 120, 150]},
        ),
        (
            ["all"],
            {"a": 516, "b": 996, "c": 1000, "pooled": 1000},
            {"a": [516], "b": [516, 996], "c": [516, 1000], "pooled": [516, 996, 1000]},
        ),
        (["all", 20], {"a": 30}, {"a": [20, 30]}),
        (["all", 20], {}, {}),
    ],
)
def test_simulators_are_compared_at_numbers_that_they_gave(wanted, most, expected):
    assert levels(most, wanted) == expected


@pytest.mark.parametrize(
    ("answering", "expected"),
    [
        (
            {"56": {"a", "b"}, "60": {"b"}},
            "by as many answers to each question, at least 56. .*up to 60",
        ),
        ({"50": {"a", "b", "pooled"}, "60": {"pooled"}, "stated": {"pooled"}}, "^$"),
        ({"50": {"a", "b"}, "60": {"b"}, "stated": {"b"}}, "^$"),
        ({"stated": {"a"}}, "^$"),
    ],
)
def test_a_random_part_of_more_answers_is_told(tmp_path, answering, expected):
    results = results_of(tmp_path)
    names = sorted(set().union(*answering.values()))
    results.step["simulators"] = names
    vars(results).update(_answering=answering, summary=[])
    assert re.search(expected, results.notes.draws)


@pytest.mark.parametrize(
    ("n", "forms", "said"),
    [
        (["all"], ["50"], ""),
        (["all"], ["stated"], ""),
        ([50, "all"], ["stated"], "a part of the people, that part was drawn at random 5 times."),
        (["all"], ["50", "60"], "a part of the simulated answers, that part was drawn at random 5"),
        (
            [50, "all"],
            ["50", "60"],
            "a part of the people or simulated answers, that part was drawn",
        ),
    ],
)
def test_random_subsamples_are_told_only_where_there_are_some(tmp_path, n, forms, said):
    found = results_of(tmp_path)
    found.step.update(n=n, simulators=["a"], smoothed=[], pairs={})
    answering = {form: {"a"} for form in forms}
    vars(found).update(_answering=answering, summary=[], nonresponse=[])
    vars(found).update(_curves={"cell": range(5)}, scenarios_of=lambda name: found.m)
    told = [each.text for each in assumptions(found) if "at random 5 times" in each.text]
    assert len(told) == bool(said) and said in " ".join(told)


def test_no_panel_cuts_off_what_is_drawn():
    """The first panel of a row is the lowest one."""
    quiet = {"notes": NO_NOTES, "median_answers": 300.0, "nouns": "questions"}
    figure = style.curve_panels(
        SimpleNamespace(step={"title": "t"}, pairs={"tv": []}, **quiet),
        style.WIDE,
        columns={"1": "low", "3": "high"},
        panel=lambda axis, _, top: axis.plot([0.0, 1.0], [0.5, float(top)]),
    )
    assert all(axis.get_ylim()[0] == 0 < 3.0 <= axis.get_ylim()[1] for axis in figure.axes)


@pytest.mark.parametrize(
    ("over", "is_weighted"), [(1.0, False), (1.6, True)], ids=["fractions", "weights"]
)
def test_people_whose_counts_have_fractions_alone_are_not_called_weighted(
    tmp_path, over, is_weighted
):
    found = results_of(tmp_path, n_effective=lambda row: row["n_human"] / over)
    found.step.update(about={}, curves=True)
    assert found.has_weights == is_weighted
    assert ("People are weighted" in found.notes.weights) == is_weighted
    told = Statement(Dataset("d", found), {}, "").about("weighting")
    assert ("counts with the weight" in told) == is_weighted
