"""A survey file of Qualtrics beside answers: wording, options, and labels in the place of codes.

The survey has the layout of public ones: github.com/psych251/porter_2016_1_rescue, survey.qsf (its
answers are in data/full_anonymized.csv), and github.com/fflewddur/sp, libsp/data_test.go.
"""

import json

import pandas as pd
import pytest
from tabular_step import answers, looked, read

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular import qsf
from fidelity_study.reading.tabular.multiple_choice import parts_of
from fidelity_study.reading.tabular.opening import opened

AGREE = {"1": "Agree", "2": "Neither", "3": "Disagree"}
WAYS = {"1": "Bus, tram", "2": "Bike", "4": "On foot"}


def question(number: int, tag: str, text: str, kind: str, selector: str, **more) -> dict:
    """Return an element of a survey."""
    payload = {"QuestionText": text, "DataExportTag": tag, "QuestionType": kind}
    payload |= {"Selector": selector, "QuestionID": f"QID{number}", **more}
    return {"Element": "SQ", "PrimaryAttribute": f"QID{number}", "Payload": payload}


def shown(texts: dict[str, str]) -> dict:
    """Return options as a survey has them."""
    return {number: {"Display": text} for number, text in texts.items()}


QUESTIONS = [
    question(0, "intro", "Welcome!", "DB", "TB", ChoiceOrder=[]),
    question(
        *(1, "trust", "Do you <b>trust</b>&nbsp;banks?", "MC", "SAVR"),
        Choices=shown({"1": "Never", "2": "Always", "3": "Sometimes", "4": "Don't know"}),
        ChoiceOrder=[1, 3, "2", 4],
        RecodeValues={"1": "10", "3": "20", "2": "30", "4": "99"},
    ),
    question(
        *(2, "rate", "Rate", "Matrix", "Likert"),
        SubSelector="SingleAnswer",
        Choices=shown({"1": "Pay", "2": "Hours"}),
        ChoiceDataExportTags={"2": "rate_hours"},
        Answers=shown(AGREE),
        AnswerOrder=["1", "2", "3"],
    ),
    question(3, "ways", "How do you travel?", "MC", "MAVR", Choices=shown(WAYS)),
    question(4, "age", "How old are you?", "TE", "SL"),
    question(5, "trust", "Thrown away", "MC", "SAVR", Choices=shown({"1": "a", "2": "b"})),
    question(6, "warm", "How warm?", "Slider", "HSLIDER", Choices=shown({"1": "Feeling"})),
]
TRASH = {"1": {"Type": "Trash", "BlockElements": [{"Type": "Question", "QuestionID": "QID5"}]}}
BLOCKS = {"Element": "BL", "PrimaryAttribute": "Survey Blocks", "Payload": TRASH}
CODES = pd.DataFrame(
    {
        "ResponseId": ["R_1", "R_2", "R_3", "R_4"],
        "trust": ["10", "30", "99", "10"],
        "rate_1": ["1", "3", "1", "1"],
        "rate_hours": ["3", "1", "", "3"],
        "ways": ["1,4", "2", "4", "1"],
        "age": ["33", "41", "27", "60"],
        "warm_1": ["70", "20", "55", "90"],
    }
)
TEXTS = CODES.assign(
    trust=["Never", "Always", "Don't know", "Never"],
    rate_1=["Agree", "Disagree", "Agree", "Agree"],
    rate_hours=["Disagree", "Agree", "", "Disagree"],
    ways=["Bus, tram,On foot", "Bike", "On foot", "Bus, tram"],
)
LONG = pd.DataFrame(
    [("trust", "10"), ("trust", "20"), ("rate_1", "2"), ("rate_hours", "3"), ("ways", "1,2")],
    columns=["scenario", "value"],
).assign(simulator="long")


@pytest.fixture
def folder(tmp_path):
    """Go to a folder with the files."""
    text = json.dumps({"SurveyEntry": {}, "SurveyElements": [BLOCKS, *QUESTIONS]})
    (tmp_path / "survey.qsf").write_text("\ufeff" + text, encoding="utf-8")
    for name, table in {"codes": CODES, "texts": TEXTS, "long": LONG}.items():
        table.to_csv(f"{name}.csv", index=False)
    return tmp_path


def tables(human: str, *simulated: str, kind: str = "categorical", **settings):
    """Return what a study takes from files beside the survey."""
    settings |= {"simulated": [*simulated]} if simulated else {}
    outcome = {"kind": kind, **({"bounds": [0, 100]} if kind == "bounded" else {})}
    return read(human=human, scenarios="survey.qsf", outcome=outcome, simulators=None, **settings)


def counts(result, name: str, source: str = "human") -> dict[str, int]:
    """Return how often each option was chosen."""
    row = result.scenarios.set_index("scenario").loc[name]
    rows = result.outcomes.query("scenario == @name and source == @source")
    number = rows.set_index("value")["count"]
    pairs = zip(row["option"], row["value"], strict=True)
    return {option: int(number.get(value, 0)) for option, value in pairs}


@pytest.mark.sampled
@pytest.mark.parametrize("human", ["codes.csv", "texts.csv"])
def test_codes_and_texts_are_the_same_options_in_the_order_of_the_survey(folder, human):
    result = tables(human)
    trust = {"Never": 2, "Sometimes": 0, "Always": 1, "Don't know": 1}
    assert [*counts(result, "trust").items()] == [*trust.items()]
    assert counts(result, "rate_1") == {"Agree": 3, "Neither": 0, "Disagree": 1}
    assert counts(result, "rate_hours") == {"Agree": 1, "Neither": 0, "Disagree": 2}
    wording = result.scenarios.set_index("scenario")["question"]
    assert wording["trust"] == "Do you trust banks?"
    assert wording["rate_hours"] == "Rate: Hours"


@pytest.mark.sampled
@pytest.mark.parametrize("human", ["codes.csv", "texts.csv"])
def test_several_options_in_a_cell_are_parted_by_the_survey(folder, human):
    result = tables(human)
    chosen = {option: counts(result, f"ways: {option}")["1"] for option in WAYS.values()}
    assert chosen == {"Bus, tram": 2, "Bike": 1, "On foot": 2}


def test_only_questions_with_options_are_read(folder):
    names = {*tables("codes.csv").scenarios["scenario"]}
    assert {name.partition(":")[0] for name in names} == {"trust", "rate_1", "rate_hours", "ways"}


def test_a_mark_of_no_answer_may_be_the_label_of_a_code(folder):
    result = tables("codes.csv", missing=["Don't know"])
    assert counts(result, "trust") == {"Never": 2, "Sometimes": 0, "Always": 1}
    assert "Don't know" not in result.scenarios.set_index("scenario").loc["trust", "option"]
    missing = result.missing.query("scenario == 'trust'").set_index("reason")["count"]
    assert missing.to_dict() == {"undecided": 1}


@pytest.mark.sampled
@pytest.mark.parametrize("human", ["codes.csv", "texts.csv"])
def test_a_simulators_long_file_has_codes_beside_peoples_texts(folder, human):
    result = tables(human, "long.csv")
    assert counts(result, "trust", "long")["Sometimes"] == 1
    assert counts(result, "rate_hours", "long")["Disagree"] == 1
    assert counts(result, "ways: Bike", "long") == {"0": 0, "1": 1}


def test_numbers_stay_numbers(folder):
    result = tables("codes.csv", kind="bounded", questions=["warm_1", "age"])
    people = result.outcomes.query("scenario == 'warm_1'")
    assert sorted(people["value"]) == [20, 55, 70, 90]


@pytest.mark.slow
def test_a_survey_among_the_answers_is_the_file_of_questions(folder):
    files = ("texts.csv", "survey.qsf")
    look, _ = looked("codes.csv", *files)
    assert look.request["scenarios"] == "survey.qsf"
    assert counts(look.responses, "trust", "texts")["Never"] == 2


def test_answers_that_may_be_codes_or_labels_are_refused(folder):
    scale = shown({str(number): str(number - 1) for number in range(1, 12)})
    survey = {"SurveyElements": [question(1, "nps", "Recommend?", "MC", "SAVR", Choices=scale)]}
    (folder / "survey.qsf").write_text(json.dumps(survey))
    pd.DataFrame({"nps": ["3", "7", "7"]}).to_csv("nps.csv", index=False)
    with pytest.raises(DataError) as refused:
        tables("nps.csv")
    assert [fault.code for fault in refused.value.faults] == ["codes-or-labels"]
    pd.DataFrame({"nps": ["3", "0", "7"]}).to_csv("nps.csv", index=False)
    assert counts(tables("nps.csv"), "nps")["3"] == 1
    pd.DataFrame({"nps": ["3", "11", "7"]}).to_csv("nps.csv", index=False)
    assert counts(tables("nps.csv"), "nps")["2"] == 1


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"SurveyElements": 3}', '{"a": []}'])
def test_what_is_no_survey_is_refused(tmp_path, text):
    path = tmp_path / "survey.qsf"
    path.write_text(text)
    with pytest.raises(DataError) as refused:
        qsf.read(str(path))
    assert refused.value.faults[0].code == "unreadable"


def test_loops_and_questions_that_share_a_tag(tmp_path):
    path = tmp_path / "survey.qsf"
    twice = [question(n, "q", f"Text {n}", "MC", "SAVR", Choices=shown(AGREE)) for n in (1, 2)]
    loop = question(3, "liked", "Liked?", "MC", "SAVR", Choices=shown(AGREE))
    path.write_text(json.dumps({"SurveyElements": [*twice, loop]}))
    book = qsf.read(str(path))
    assert book.of("q") is None
    assert book.of("QID2").wording == "Text 2"
    assert book.of("2_liked").labels == AGREE


PEOPLE = 12
LIKED = "Did you\u00a0like  it?"
WISH = "What do you wish for?"
COSTS = ["Cost (fees, licences), Speed", "Speed", "Cost (fees, licences)"]


def form(wishes: list[str], rows: int = PEOPLE) -> pd.DataFrame:
    """Return an export of Google Forms."""
    stamps = [f"3/9/2023 13:{minute:02}:06" for minute in range(rows)]
    liked = ["Yes", "No", "Yes"] * (rows // 3)
    ways = COSTS * (rows // 3)
    return pd.DataFrame({"Timestamp": stamps, LIKED: liked, WISH: wishes, "Why?": ways})


WISHES = [f"I would wish for number {i} of all the things there are" for i in range(PEOPLE)]
LINES = [f"One\n{i}" for i in range(PEOPLE)]


@pytest.mark.sampled
@pytest.mark.parametrize("wishes", [WISHES, LINES])
def test_answers_in_own_words_are_left_out_and_told_also_where_a_model_has_few(wishes):
    form(wishes).to_csv("human.csv", index=False)
    form(wishes[:1] * 6, rows=6).to_csv("model.csv", index=False)
    (_, told) = opened("human.csv").recognised
    assert told == f"left out, as answered in own words: {WISH!r}"
    settings = {"outcome": {"kind": "categorical"}, "multiple": ["Why?"], "simulators": ["m"]}
    found = read(human="human.csv", simulated={"m": "model.csv"}, **settings)
    assert answers(found, "human") == {
        "Did you like it?": {"Yes": 8, "No": 4},
        "Why?: Cost (fees, licences)": {"0": 4, "1": 8},
        "Why?: Speed": {"0": 4, "1": 8},
    }
    assert answers(found, "m")["Did you like it?"] == {"Yes": 4, "No": 2}


@pytest.mark.parametrize(
    "wishes",
    [
        ["A long answer that is one of three options", "Another one of the three", "b"] * 4,
        [str(i) for i in range(PEOPLE)],
    ],
)
def test_options_and_numbers_are_no_own_words(wishes):
    form(wishes).to_csv("human.csv", index=False)
    assert opened("human.csv").in_own_words == ()
    assert WISH in opened("human.csv").questions


@pytest.mark.parametrize(
    "cell, parts",
    [
        ("A (x, y, z), B (q), C", ["A (x, y, z)", "B (q)", "C"]),
        ("(a, (b, c), d)", ["(a, (b, c), d)"]),
        ("A (x, B, C", ["A (x", "B", "C"]),
        ("a), b (c, d", ["a)", "b (c", "d"]),
        ("A, , B", ["A", "B"]),
    ],
)
def test_a_comma_in_brackets_is_no_sign_between_options(cell, parts):
    assert parts_of(cell, ",") == parts
