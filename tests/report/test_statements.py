"""What a study says is true, of made-up tables: weights, people, wordings, limits and draws.

``test_sentences_hold.py`` holds the sentences of drawn studies against their tables.
"""

import re
from copy import deepcopy
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jinja2.environment import Environment
from markdown_it import MarkdownIt
from small_study import STUDY

from fidelity.baselines.base import BASELINES
from fidelity_study import user_cache
from fidelity_study.ask.prompts import ANSWERS
from fidelity_study.config.params import statement_step
from fidelity_study.report import formats, notes, paper_tables
from fidelity_study.report.figures import curve, source, style
from fidelity_study.report.formats import Table
from fidelity_study.report.page import render, words
from fidelity_study.report.page.certainty import assumptions, unanswered
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.provenance import provenance
from fidelity_study.report.page.render import Study, findings, page, statement
from fidelity_study.report.page.statement import CODED, Simulator, Statement
from fidelity_study.report.results import Results
from fidelity_study.report.sample import fewest_people
from fidelity_study.report.summaries import Difference, estimate_of
from fidelity_study.steps.draws import is_from_people, levels, usable
from fidelity_study.steps.proper_scores import PROPER_SCORES
from fidelity_study.tables import ingest
from fidelity_study.tables.ingest import RESPONDENTS
from fidelity_study.tables.read_write import write_rows

NO_NOTES = SimpleNamespace(draws="", smoothing="", weights="")


def results_of(tmp_path, weighting_effect=None, persons=(), **columns):
    """Return results that have nothing but scenarios, 100 and 400 people, and their numbers."""
    rows = [
        {"scenario": name, "cluster": "c", "n_human": n, "n_effective": n, "weighted": True}
        for name, n in (("a", 100.0), ("b", 400.0))
    ]
    rows = [{**row, **{key: each(row) for key, each in columns.items()}} for row in rows]
    own = {"scenario": "a", "value": 1.0, "weight": 1.0}
    answers = [{**own, "respondent": person} for person in persons]
    step = {"weighting_effect": weighting_effect, "cluster": "topic", "about": {}, "curves": True}
    return written(tmp_path, rows, answers, **step)


def written(folder, scenarios, people, **step):
    """Return results that have nothing but scenarios and answers of people, by their tables."""
    tables = {"scenarios": (scenarios, ingest.SCENARIOS), "respondents": (people, RESPONDENTS)}
    for name, table in tables.items():
        write_rows(folder / f"{name}.parquet", *table, {})
    files = {name: [folder / f"{name}.parquet"] for name in tables}
    known = {"noun": ["question", "questions"], "weighting_effect": None}
    return Results({**known, **step}, files)


def stated_of(results):
    """Return the statement on results."""
    return Statement(Dataset("d", results), {}, "made")


def unanswered_by(source=ingest.HUMAN, **numbers):
    """Return a row on how many answers are missing for each reason."""
    return {"source": source, **dict.fromkeys(ingest.REASONS, 0), **numbers}


@pytest.mark.parametrize(
    ("weighting_effect", "over", "note"),
    [
        (2.0, 2.0, "the config's weighting_effect of 2"),
        (None, 1.6, "Kish's effective number"),
        (None, 1.0, "Counts of people have fractions, as percentages or weights leave them."),
    ],
)
def test_the_weights_note_says_which_number_of_people_was_used(
    tmp_path, weighting_effect, over, note
):
    found = results_of(tmp_path, weighting_effect, n_effective=lambda row: row["n_human"] / over)
    assert note in notes.weights(found)


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
    assert notes.dependence(found).startswith(beginning)
    assert bool(notes.dependence(found)) == (told is not False)


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
    found.__dict__["nonresponse"] = []
    told = dict(stated_of(found).people)
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
    asked = {"asked": 10, "answered": 7, ingest.UNDECIDED: 2, "missing": 1}
    found.__dict__["nonresponse"] = [unanswered_by(**asked)]
    told = dict(stated_of(found).people)
    assert told["Number of people"] == f"100 to 400 for each question, {said}"
    assert (
        told["Answers missing"]
        == "3 of 10, 30 % (no or another reason 1, don't know 2); shares leave them out"
    )


def test_a_name_is_no_wording(tmp_path):
    texts = {"a": "a", "b": "Is it fair?"}
    known = {"question": lambda row: texts[row["scenario"]], "option": lambda row: ["yes", "no"]}
    stated = stated_of(results_of(tmp_path, **known))
    assert stated.questions.rows == [["a", "not stated"], ["b", "Is it fair?"]]
    assert stated.common_options == "yes; no"


def test_options_that_differ_stand_beside_their_questions(tmp_path):
    options = {"a": ["yes", "no"], "b": ["no"]}
    stated = stated_of(results_of(tmp_path, option=lambda row: options[row["scenario"]]))
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
    assert stated_of(found).limits == said


def test_verdict_findings_and_statement_say_once_that_each_question_is_compared_by_itself(tmp_path):
    """The sentence of each dataset; of the parts of a page, those that have an answer to give."""
    results = results_of(tmp_path, kind=lambda row: "categorical")
    results.step.update(title="d", about={}, simulators=[], smoothed=[], pairs={})
    vars(results).update(nonresponse=[], summary=[], _curves={})
    dataset = Dataset("d", results)
    vars(dataset).update(views=[], label_doubts=[])
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
    assert re.search(expected, notes.draws(results))


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
    curves = dict.fromkeys(("cell", i) for i in range(5))
    vars(found).update(_curves=curves, scenarios_of=lambda name: found.m)
    told = [each.text for each in assumptions(found) if "at random 5 times" in each.text]
    assert len(told) == bool(said) and said in " ".join(told)


@pytest.mark.parametrize(
    ("over", "is_weighted"), [(1.0, False), (1.6, True)], ids=["fractions", "weights"]
)
def test_people_whose_counts_have_fractions_alone_are_not_called_weighted(
    tmp_path, over, is_weighted
):
    found = results_of(tmp_path, n_effective=lambda row: row["n_human"] / over)
    assert found.has_weights == is_weighted
    assert ("People are weighted" in notes.weights(found)) == is_weighted
    told = stated_of(found).about("weighting")
    assert ("counts with the weight" in told) == is_weighted


@pytest.mark.parametrize(
    ("discrepancy", "lower", "upper", "ends", "expected"),
    [
        ("tv", 0.1, 0.2, (0.05, 0.25), 0.15),
        ("squared", 0.03, 0.05, (0.01, 0.07), 0.03),  # its lower end has no bias
        ("l2", 0.03, 0.05, (0.01, 0.07), 0.03),
        ("w1", -0.03, 0.01, (0.0, 0.02), 0.0),  # below 0, which no mean is
        ("tv", 0.1, 0.2, (None, None), None),
    ],
)
def test_the_estimate_has_no_bias_or_is_the_middle_and_lies_inside_of_its_interval(
    discrepancy, lower, upper, ends, expected
):
    limits = dict(zip(("ci_lower", "ci_upper"), ends, strict=True))
    row = {"lower": lower, "upper": upper, "discrepancy": discrepancy, **limits}
    found = estimate_of(row)
    assert found == (None if expected is None else pytest.approx(expected))


def stated(folder, units=None, **step):
    """Return the statement on two questions, of people sampled by a design if there are units."""
    rows = [
        {"scenario": name, "n_human": n, "n_effective": n / effect, "df": df, "weighted": True}
        for name, n, effect, df in (("a", 120.0, 1.5, 14.0), ("b", 100.0, 2.0, 12.0))
    ]
    people = [
        {"respondent": i} | {name: of[i] for name, of in (units or {}).items()} for i in range(4)
    ]
    return stated_of(written(folder, rows, people, **step))


def test_strata_and_psus_are_told(tmp_path):
    units = {"stratum": [0, 0, 1, 1], "psu": [0, 1, 2, 2]}
    of = stated(tmp_path, units, design={"strata": "region", "psu": "town"})
    assert dict(of._design()) == {
        "Strata": "2, column region",
        "Primary sampling units (PSUs)": "3, column town",
    }


def test_a_design_is_told_where_respondents_are_not_kept(tmp_path):
    of = stated(tmp_path, design={"psu": "town"})
    assert dict(of._design()) == {
        "Strata": "none",
        "Primary sampling units (PSUs)": "column town",
    }
    of = stated(tmp_path, design={"replicate_weights": ["rep*"], "method": "brr"})
    assert dict(of._design()) == {"Replicate weights": "columns rep*, brr"}


def test_how_texts_of_files_were_coded_is_told(tmp_path):
    coding = {
        "recode": {"Never": "never", "1": "yes"},
        "unlisted": "unparsable",
        "missing": {"refused": [-1], "undecided": [-8]},
        "missing_in": {"q1": [9]},
        "custom_id": "{scenario}",
    }
    assert list(stated(tmp_path, coding=coding).coding) == [
        f"Replies to the batch: {CODED[ANSWERS]}.",
        "Read as another answer: Never as never and 1 as yes.",
        "Texts that are none of the options count as unparsable.",
        "Counted as no answer: -1, -8 and what missing_in of the config names.",
    ]
    assert not list(stated(tmp_path).coding)


def test_the_number_of_missing_answers_of_one_reason_is_told_once(tmp_path):
    of = stated(tmp_path)
    of.results.__dict__["nonresponse"] = [unanswered_by(asked=9, answered=6, refused=3)]
    assert of._missing("human") == "3 of 9, 33 % (all refused); shares leave them out"


def conjoint(folder, units, **design):
    """Return the statement on two levels of each of two attributes, four profiles of two people."""
    names = [f"chosen | {attribute} | {level}" for attribute in "xy" for level in "ab"]
    rows = [
        {"scenario": name, "n_human": 2.0, "n_effective": 2.0, "df": 1.0, "weighted": True}
        for name in names
    ]
    people = [
        {"scenario": names[place], "value": 1.0, "respondent": i, "weight": 1.0, "psu": units[i]}
        for i in range(4)
        for place in (i % 2, 2 + i // 2)
    ]
    step = {"effects": {"attributes": ["x", "y"]}, "design": {"psu": "person"} | design}
    results = written(folder, rows, people, **step, noun=["level", "levels"], about={})
    worst = {"worst_nonresponse": 0.5, "worst_scenario": names[0]}
    results.__dict__["nonresponse"] = [unanswered_by(asked=8, answered=6, missing=2, **worst)]
    return stated_of(results)


def test_a_conjoint_counts_persons_and_profiles(tmp_path):
    of = conjoint(tmp_path, [0, 0, 1, 1])
    assert of._number == "2; 2 profiles with each level" and of.dataset.people == "2"
    assert of._missing("human").startswith("1 of 4, 25 %")
    (text,) = (note.text for note in unanswered(of.results))
    assert text.startswith("1 of people's 4 possible answers are missing (25 %")
    assert dict(of._design()) == {"Errors": "by person, since each saw several profiles"}
    assert of.about("weighting") == "not stated" and not of.results.has_weights
    assert "people" not in notes.weights(of.results)


def test_persons_of_a_conjoint_are_unknown_in_towns(tmp_path):
    of = conjoint(tmp_path, [0, 0, 0, 0], psu="town")
    assert of._number == "2 profiles with each level" and of.dataset.people == ""


def many(simulators, questions):
    """Return a statement, made up, with so many simulators and questions of 20 words each."""
    text = " ".join(["word"] * 20)
    facts = [("Dates of asking", "not stated"), ("Model", text)]
    own = [
        Simulator(f"model {i}", [*facts, ("Description", f"{text} {i}")], [("Prompt", text)])
        for i in range(simulators)
    ]
    dataset = SimpleNamespace(
        title="Town",
        label_doubts=[],
        by_itself="Each question is compared by itself.",
        views=[],
        forecast=None,
        telling=None,
        results=SimpleNamespace(m=questions, nouns="questions", noun="question", clustered=False),
    )
    of = SimpleNamespace(
        dataset=dataset,
        distances=[],
        simulators=own,
        common=Statement.common.fget(SimpleNamespace(simulators=own)),
        baselines=[],
        told=[("Mode", "By post")],
        outcome="one of two options",
        coding=[],
        common_options="",
        questions=Table(
            ["name", "wording", "options"], [[f"q{i}", text, "yes; no"] for i in range(questions)]
        ),
        assumptions=[],
        limits="None.",
        references=["QC"],
        made="made",
    )
    return statement(of)


def test_a_statement_has_at_most_1000_words():
    small = many(2, 3)
    assert "| q2 | word" in small and "    word" in small and "### model 1" in small
    assert small.count("Dates of asking") == small.count("Model, of every simulator") == 1
    for simulators, questions in ((2, 60), (25, 60), (80, 60)):
        text = many(simulators, questions)
        assert len(text.split()) <= 1000
        assert "`scenarios.parquet` has the wording" in text
    assert "### model" not in many(80, 60)
    assert "`config.yaml` has the prompts." in many(25, 60)


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1)
HOSTILE = [
    "<b>twin</b> {{ 6 * 7 }} *x* `y`_ $a_b$",
    "<script>document.title = 'oops'</script>",
    "[a](http://example.org) ![b](c) http://example.org/a_b me@example.org",
    "| cell | # heading",
    "\\",
    "&amp; &lt;",
    "1. first",
    "\u2068marks\u2069 of ours",
    "~~gone~~ ^up^ ==high== --- +++",
]


class Text(HTMLParser):
    """Collects a page's text and the names of its elements."""

    def __init__(self, page):
        """Read the page."""
        super().__init__()
        self.text, self.elements = "", []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        """Remember the element."""
        self.elements.append(tag)

    def handle_data(self, data):
        """Remember the text."""
        self.text += data


def examples(function):
    for name in HOSTILE:
        function = example(name)(function)
    return function


@given(NAMES)
@examples
def test_a_name_is_shown_as_it_is(name):
    shown = words.plain(name)
    sentence = f"With all of it, {words.named(name)} is closest: 0.1 to 0.2 (95 % confidence)."
    told = f"With all of it, {shown} is closest: 0.1 to 0.2 (95 % confidence)."
    page = Text(str(words.html(sentence)))
    assert (page.text, page.elements) == (words.unbroken(told), ["b"])
    page = Text(MarkdownIt("gfm-like", {"linkify": False}).render(words.markdown(sentence)))
    assert " ".join(page.text.split()) == " ".join(told.split())
    assert set(page.elements) <= {"p", "strong"}


@given(NAMES)
@examples
def test_a_name_fits_into_a_cell(name):
    row = words.cell(f"{words.named(name)} is closest")
    page = Text(MarkdownIt("gfm-like", {"linkify": False}).render(f"|a|b|\n|-|-|\n|{row}|c|"))
    told = [f"{words.plain(name)} is closest", "c"]
    assert [each for each in page.text.split("\n") if each.strip()] == ["a", "b", *told]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('"Like those asked": q1 | west', '"Like those asked": q1 | west'),
        ("language_model, γ = 0.5, C#, R&D > 3, {x}", "language_model, γ = 0.5, C#, R&D > 3, {x}"),
        ("_echo # 1 &amp; {{x}} a==b", r"\_echo \# 1 \&amp; \{\{x\}\} a\=\=b"),
    ],
)
def test_only_what_would_act_is_escaped(text, written):
    assert words.markdown(text) == written
    assert words.cell(text) == written.replace("|", "\\|")


@pytest.mark.parametrize(
    ("names", "most", "said"),
    [
        ([], None, ""),
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c", "d"], 3, "a, b and 2 others"),
    ],
)
def test_lists_of_names(names, most, said):
    assert words.listed(names, most=most) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.1234, "0.123"),
        (0.01234, "0.0123"),
        (-1e-9, "0.0000"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "∞"),
        (1234.5, "1,234"),
    ],
)
def test_numbers(value, said):
    assert formats.number(value) == said


def test_lower_bounds_of_shares_are_rounded_down():
    assert formats.share(0.8999) == "89 %"
    assert formats.share(0.9) == "90 %"
    assert re.fullmatch(r"0\.4 %", formats.percent(0.004))


def test_people_who_gave_several_answers_are_counted_once():
    scenarios = [{"people": "the same", "n_human": n} for n in (100.0, 90.0)]
    assert fewest_people(scenarios) == 100.0
    apart = [{"people": name, "n_human": n} for name, n in (("a", 100.0), ("b", 90.0))]
    assert fewest_people(apart) == 190.0


def test_templates_are_compiled_once_and_again_if_what_was_kept_is_broken(tmp_path, monkeypatch):
    compiled, compile_ = [], Environment.compile
    monkeypatch.setattr(user_cache, "FOLDER", tmp_path)
    monkeypatch.setattr(
        Environment, "compile", lambda *a, **k: compiled.append(1) or compile_(*a, **k)
    )

    def text() -> str:
        return str(render._environment(html=True).get_template("parts.html").module)

    first = text()
    assert text() == first and len(compiled) == 1
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:-9])
    assert text() == first and len(compiled) == 2


NAMED = re.compile(
    r"(?<![\d.])(0\.95(?!\d)|95(?:[\s\u202f]|&nbsp;)?%)"
    r"|(?<![\d.])(0\.9(?!\d)|90(?:[\s\u202f]|&nbsp;)?%)"
)


def with_eta(config, eta, **comparison):
    config = deepcopy(config)
    config["grid"]["eta"] = eta
    config.setdefault("comparison", {}).update(comparison)
    return config


def words_of(project, config):
    """Return all words of a study by what they are in: page, findings, statement, tables."""
    datasets = [Dataset(name, project.results(config, name)) for name in config["datasets"]]
    for dataset in datasets:
        dataset.results.step.update(statement_step(project.study(config), dataset.name))
    html = page(Study("default", datasets, provenance({}, {}, "results")))
    html = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    words = {"page": re.sub(r'style="[^"]*"', "", html)}
    for dataset in datasets:
        words[f"{dataset.name} findings"] = findings(dataset)
        words[f"{dataset.name} statement"] = statement(Statement(dataset, {}, ""))
        first = dataset.results.simulators[0]
        for kind in ("ranking", "questions"):
            table = paper_tables.made(dataset, kind, first)
            words[f"{dataset.name} {kind}"] = f"{list(table.intervals)} {table.caption}"
        drawn = source.Source(dataset, style.WIDE)
        words[f"{dataset.name} curve"] = " ".join(curve.draw(drawn)[1])
    return words


def named(words):
    """Return how often 95 and 90 are named as a confidence or a share."""
    hits = [match.lastindex for match in NAMED.finditer(words)]
    return hits.count(1), hits.count(2)


@pytest.mark.slow
def test_no_statement_names_another_confidence_than_that_of_the_config(small_study):
    usual = words_of(small_study, STUDY)
    assert named(usual["page"])[0] > 20
    for name, said in words_of(small_study, with_eta(STUDY, 0.1)).items():
        assert named(said)[0] == 0, name
        assert named(said)[1] >= sum(named(usual[name])), name


@pytest.mark.slow
def test_bounds_name_eta_and_means_name_alpha(small_study):
    config = with_eta(STUDY, 0.1, alpha=0.02)
    words = words_of(small_study, config)
    assert named(" ".join(words.values()))[0] == 0
    assert "98 % intervals" in words["page"].replace("&nbsp;", " ")
    dataset = Dataset("survey", small_study.results(config, "survey"))
    assert dataset.results.bound_level == "90 %"
    assert dataset.results.level == "98 %"


@pytest.mark.parametrize(
    ("ends", "can_settle", "sign"),
    [
        ((-0.3, -0.1), True, -1),
        ((0.1, 0.3), True, 1),
        ((-0.1, 0.3), True, 0),
        ((0.0, 0.3), True, 0),
        ((-0.3, -0.1), False, 0),
        (None, True, 0),
    ],
)
def test_only_an_interval_beside_0_that_can_settle_it_tells_who_is_closer(ends, can_settle, sign):
    difference = Difference(0.2, ends, can_settle)
    assert difference.sign == sign
    assert difference.reversed.sign == -sign
    assert difference.reversed.reversed == difference


@pytest.mark.parametrize(
    ("ends", "said", "signed"),
    [
        ((-0.0315, 0.668), "-0.032 to 0.668", "−0.032 to +0.668"),
        ((-0.668, -0.0315), "-0.668 to -0.032", "−0.668 to −0.032"),
        ((0.0, 0.0123), "0.0000 to 0.0123", "0.0000 to +0.0123"),
        ((-1e-9, float("inf")), "0.000 to ∞", "0.000 to +∞"),
        (None, "–", "–"),
    ],
)
def test_both_ends_of_an_interval_have_as_many_digits(ends, said, signed):
    assert formats.range_text(ends) == said
    assert formats.signed_range(ends) == signed


def test_a_span_is_one_number_where_all_are_equal():
    assert formats.span([43, 50]) == "43 to 50"
    assert formats.span([1000, 1000]) == "1,000"


def row(simulator, estimate, other=None, form=None, **columns):
    half = {"lower": estimate - 0.1, "upper": estimate + 0.1, "se": 0.05, "df": 8.0} | columns
    many = {"m": 9, "n_clusters": 9, "effective_clusters": 9.0}
    named = {"score": "brier", "simulator": simulator, "other": other, "form": form}
    return {**named, "estimate": estimate, **many, **half}


def test_few_answers_to_each_question_are_scored_as_forecasts(tmp_path):
    """A table of means, the best first, who was scored by draws, and why there is no curve."""
    drawn = {"form": "draws", "k_fewest": 20, "k_most": 25}
    write_rows(
        tmp_path / "proper_scores.parquet",
        [
            row("a", 0.5, form="stated"),
            row("b", 0.3, **drawn),
            row("c", float("inf"), form="stated", lower=None, upper=None, m_infinite=3),
            row("a", 0.2, other="b", p_value=0.01),
            row("b", -0.05, other="c", p_value=0.4),
        ],
        PROPER_SCORES,
        {},
    )
    step = {
        "simulators": [*"abc"],
        "names": {name: {"label": name.upper(), "describe": ""} for name in "abc"},
        "cluster": "topic",
        "test": {"alpha": 0.05},
        "noun": ["question", "questions"],
        "n": ["all"],
        "calibration": {},
        "curves": True,
    }
    files = {"proper_scores": [tmp_path / "proper_scores.parquet"], "given": []}
    results = Results(step, files)
    vars(results)["scenarios"] = pa.table({"n_effective": [1.0], "kind": ["binary"]})
    town = Dataset("town", results)
    assert town.views == []
    assert town.forecast.findings.rows == [
        ["B", "0.300 (0.200 to 0.400)", "9"],
        ["A", "0.500 (0.400 to 0.600)", "9"],
        ["C", "∞ (0 stated 3 times)", "9"],
    ]
    told = " ".join(town.forecast.notes)
    assert "the median question has one answer: too few" in told
    assert "(in brackets the answers to each question): B (20 to 25)." in told
    vars(results)["scenarios"] = pa.table({"n_effective": [5.0], "kind": ["binary"]})
    assert Dataset("town", results).forecast is None
