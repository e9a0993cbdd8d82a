"""Parts of the statement for an appendix: estimates, designs, coding, and at most 1000 words."""

from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fidelity_study.ask.prompts import ANSWERS
from fidelity_study.report.formats import Table
from fidelity_study.report.page.certainty import unanswered
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.render import statement
from fidelity_study.report.page.statement import CODED, Simulator, Statement
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import estimate_of
from fidelity_study.tables import ingest
from fidelity_study.tables.read_write import write_rows


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
    write_rows(folder / "scenarios.parquet", rows, ingest.SCENARIOS, {})
    people = {"respondent": [0, 1, 2, 3]} | ({} if units is None else units)
    pq.write_table(pa.table(people), folder / "respondents.parquet")
    files = {name: [folder / f"{name}.parquet"] for name in ("scenarios", "respondents")}
    results = Results({"noun": ["question", "questions"], "weighting_effect": None, **step}, files)
    return Statement(Dataset("d", results), {}, "made")


def test_strata_psus_and_design_effects_are_told(tmp_path):
    units = {"stratum": [0, 0, 1, 1], "psu": [0, 1, 2, 2]}
    of = stated(tmp_path, units, design={"strata": "region", "psu": "town"})
    assert dict(of._design()) == {
        "Strata": "2, column region",
        "Primary sampling units (PSUs)": "3, column town",
    }
    ((what, told),) = of._worth()
    assert what == "Design effect, people divided by their effective number"
    assert told == "1.50 to 2.00 (Korn and Graubard, with 12 to 14 degrees of freedom)"


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
    assert stated(tmp_path, coding=coding).coding == [
        f"Replies to the batch: {CODED[ANSWERS]}.",
        "Read as another answer: Never as never and 1 as yes.",
        "Texts that are none of the options count as unparsable.",
        "Counted as no answer: -1, -8 and what missing_in of the config names.",
    ]
    assert stated(tmp_path).coding == []


def test_the_number_of_missing_answers_of_one_reason_is_told_once(tmp_path):
    of = stated(tmp_path)
    row = {"source": "human", "asked": 9, "answered": 6, **dict.fromkeys(ingest.REASONS, 0)}
    of.results.__dict__["nonresponse"] = [row | {"refused": 3}]
    assert of._missing("human") == "3 of 9, 33 % (all refused); shares leave them out"


def conjoint(folder, units, **design):
    """Return the statement on two levels of each of two attributes, four profiles of two people."""
    names = [f"chosen | {attribute} | {level}" for attribute in "xy" for level in "ab"]
    rows = [
        {"scenario": name, "n_human": 2.0, "n_effective": 2.0, "df": 1.0, "weighted": True}
        for name in names
    ]
    write_rows(folder / "scenarios.parquet", rows, ingest.SCENARIOS, {})
    people = [
        {"scenario": names[place], "value": 1.0, "respondent": i, "weight": 1.0, "psu": units[i]}
        for i in range(4)
        for place in (i % 2, 2 + i // 2)
    ]
    write_rows(folder / "respondents.parquet", people, ingest.RESPONDENTS, {})
    files = {name: [folder / f"{name}.parquet"] for name in ("scenarios", "respondents")}
    step = {"effects": {"attributes": ["x", "y"]}, "design": {"psu": "person"} | design}
    step |= {"noun": ["level", "levels"], "weighting_effect": None, "about": {}}
    results = Results(step, files)
    row = {"source": "human", "asked": 8, "answered": 6, **dict.fromkeys(ingest.REASONS, 0)}
    row |= {"worst_nonresponse": 0.5, "worst_scenario": names[0]}
    results.__dict__["nonresponse"] = [row | {"missing": 2}]
    return Statement(Dataset("d", results), {}, "made")


def test_a_conjoint_counts_persons_and_profiles(tmp_path):
    of = conjoint(tmp_path, [0, 0, 1, 1])
    assert of._number == "2; 2 profiles with each level" and of.dataset.people == "2"
    assert of._missing("human").startswith("1 of 4, 25 %")
    (text,) = (note.text for note in unanswered(of.results))
    assert text.startswith("1 of people's 4 possible answers are missing (25 %")
    assert dict(of._design()) == {"Errors": "by person, since each saw several profiles"}
    assert of.about("weighting") == "not stated" and not of.results.has_weights
    assert "people" not in of.results.notes.weights


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
        few=[],
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
