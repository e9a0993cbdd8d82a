"""Exports of survey programs as published: read with the published figures, and told in a line.

The files of ``qualtrics_exports``, ``twin2k_multiselect`` and ``maxdiff_quantux`` are public; see
their SOURCE.txt in the data mirror.
"""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mirror import MIRROR, mirrored
from tabular_step import read

from fidelity_study.app.notebook.frames import parquet
from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.request import Request
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.exports.table import cells_of
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.question_file import describes_questions

QUALTRICS, TWINS = MIRROR / "qualtrics_exports", MIRROR / "twin2k_multiselect"
STUDY, MAXDIFF = QUALTRICS / "twin2k_megastudy" / ".dat", MIRROR / "maxdiff_quantux"
SAMPLES = QUALTRICS / "QualtricsTools" / "data" / "Sample Surveys"

pytestmark = mirrored(QUALTRICS)

FILES = {
    STUDY / "privacy/raw_data/response.csv.gz": (3, 1200, 0),
    STUDY / "recommendation_algorithms/raw_data/response.csv.gz": (3, 598, 0),
    STUDY / "targeting_fairness/raw_data/response.csv": (3, 357, 0),
    STUDY / "default_eric/raw_data/response.csv": (3, 600, 0),
    QUALTRICS / "projoint/inst/extdata/mummolo_nall_replication.csv.gz": (3, 518, 35),
    QUALTRICS / "qualtRics/inst/extdata/sample.csv": (3, 1, 0),
    QUALTRICS / "qualtRics/inst/extdata/sample_legacy.csv": (2, 1, 0),
    SAMPLES / "Many Different Question Types/Sample_Survey.csv": (2, 5, 0),
    SAMPLES / "Many Different Question Types/Sample_Survey (Insights).csv": (3, 5, 0),
    SAMPLES / "Multiple Answer Matrix Questions/Multiple_Answer_Matrix_Questions (Insights).csv": (
        3,
        5,
        0,
    ),
    SAMPLES
    / "Multiple Answer Multiple Choices Questions"
    / "Multiple_Answer_MC_Questions (Insights).csv": (3, 5, 0),
}
PERSONAL = ("IPAddress", "RecipientEmail", "RecipientFirstName", "RecipientLastName", "V4", "V6")
PERSONAL += ("LocationLatitude", "LocationLongitude", "V3", "V5")


def count(path: Path, column: str) -> dict[str, int]:
    """Return how often each answer stands in a column of an export."""
    sheet = opened(str(path))
    cells = pd.Series(cells_of(sheet, sheet.columns.index(column)), dtype=object)
    return cells.dropna().value_counts().to_dict()


@pytest.mark.sampled
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_published_export_has_its_people_and_no_row_of_its_header(path):
    header, rows, unfinished = FILES[path]
    sheet = opened(str(path))
    told, *_ = sheet.recognised
    kept = rows - unfinished
    assert told.startswith(f"an export of Qualtrics with {header} rows of header: {kept} people")
    assert (f"left out: {unfinished} unfinished" in told) == bool(unfinished)
    assert len(cells_of(sheet, 0)) == kept
    assert not {*PERSONAL} & {*sheet.columns} and not {*PERSONAL} & {*(sheet.questions or ())}
    assert sheet.questions and len({*sheet.columns}) == len(sheet.columns)
    wordings = sheet.about(list(sheet.questions))
    assert all(each.wording for each in wordings.values())


def test_published_counts_are_found():
    groups = {"PSA": 222, "UA": 218, "NANT": 199, "BT": 194, "CT": 187, "PSB": 180}
    assert count(STUDY / "privacy/raw_data/response.csv.gz", "Group") == groups
    green = STUDY / "default_eric/raw_data/response.csv"
    assert count(green, "OPTOUT_Green") == {"1": 182, "2": 118}
    assert count(green, "OPTIN_Green") == {"1": 192, "2": 108}
    target = count(STUDY / "targeting_fairness/raw_data/response.csv", "target")
    assert target == {"broad": 179, "female": 178}


def test_unfinished_rows_are_left_out_and_all_others_counted():
    path = QUALTRICS / "projoint/inst/extdata/mummolo_nall_replication.csv.gz"
    whole = pd.read_csv(path, dtype=str).iloc[2:]
    assert whole["Q4.2"].value_counts().to_dict() == {"Community A": 242, "Community B": 172}
    done = whole[whole["Finished"] != "False"]
    assert count(path, "Q4.2") == done["Q4.2"].value_counts().to_dict()


def test_a_study_of_an_export_has_its_shares_wordings_and_no_personal_column(tmp_path):
    path = STUDY / "default_eric/raw_data/response.csv"
    found = read(simulators=None, human=str(path), outcome={"kind": "categorical"})
    assert list(found.scenarios["scenario"]) == [
        *("OPTOUT_Green", "OPTIN_Green", "OPTIN_Organ", "OPTOUT_Organ")
    ]
    outcomes = found.outcomes.set_index(["scenario", "value"])["count"]
    assert outcomes["OPTOUT_Green", 1] == 182 and outcomes["OPTIN_Green", 2] == 108
    assert found.scenarios["question"].iloc[0].startswith("Imagine you have to relocate")
    assert any("an export of Qualtrics" in str(note) for note in found.notes)


@pytest.mark.slow
def test_ticked_boxes_of_an_export_are_those_of_pandas(tmp_path):
    path = STUDY / "recommendation_algorithms/raw_data/response.csv.gz"
    raw = pd.read_csv(path, dtype=str).iloc[2:]
    repeated = [name for name in raw if name.endswith(".1")]
    boxes = [*(f"Platform Use_{i}" for i in (2, 3, 4, 6, 7, 8)), *repeated]
    found = read(
        simulators=None,
        human=str(path),
        questions=boxes,
        outcome={"kind": "binary"},
        cluster="question",
    )
    assert len(repeated) > 10
    ticked = found.outcomes[found.outcomes["value"] == 1].set_index("scenario")["count"]
    assert ticked.to_dict() == {name: float(raw[name].notna().sum()) for name in boxes}
    sums = found.outcomes.groupby("scenario")["count"].sum()
    assert (sums == 598).all()
    assert found.scenarios["cluster"].unique().tolist() == [
        "Platform Use",
        *(f"{loop}_{name}.1" for loop in (1, 2) for name in ("Q16", "Q20")),
    ]


def test_a_name_that_comes_twice_is_two_questions():
    path = STUDY / "recommendation_algorithms/raw_data/response.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8-sig") as file:
        header = next(file).rstrip("\n").split(",")
    first, second = [at for at, name in enumerate(header) if name == "1_Q16_1"]
    raw = pd.read_csv(path, dtype=str, header=None, skiprows=1).iloc[2:]
    for name, at in (("1_Q16_1", first), ("1_Q16_1.1", second)):
        assert count(path, name) == raw[at].dropna().value_counts().to_dict()


@pytest.mark.slow
def test_check_all_that_apply_of_people_and_twins_has_the_published_means():
    name = "recommendation systems default persona meta analysis individual level.csv.gz"
    path = TWINS / "mega_study_evaluation" / "recommendation_algorithms" / "test" / name
    given = {"scenario": "variable_name", "respondent": "TWIN_ID"}
    told: list[str] = []
    request = Request(str(path), name="twins", out=Path("twins.yaml"), options=given)
    look = understood(request, told.extend)
    assert "rows whose 'respondent_type' is 'human' are people's" in told[0]
    found = look.responses.outcomes.assign(sum=lambda rows: rows["value"] * rows["count"])
    sums = found.groupby(["scenario", "source"])[["sum", "count"]].sum()
    assert sums["count"].sum() == 6260 and look.simulators == ["twin"]
    mean = sums["sum"] / sums["count"]
    published = {
        "algo_knowledge_TikTok": (0.9017, 0.9957),
        "algo_knowledge_Netflix": (0.9311, 0.9974),
        "strategization_type1_TikTok": (0.5299, 0.7821),
        "strategization_type1_Netflix": (0.5434, 0.9949),
        "strategization_type2_TikTok": (0.5085, 0.9573),
        "strategization_type2_Netflix": (0.3112, 0.9388),
    }
    for scenario, (human, twin) in published.items():
        assert mean[scenario, "human"] == pytest.approx(human, abs=5e-5)
        assert mean[scenario, "twin"] == pytest.approx(twin, abs=5e-5)
    # each question has its own scale: 1 to 5, 0 or 1, and up to six boxes
    options = look.responses.scenarios.set_index("scenario")["option"]
    assert list(options["usage_TikTok"]) == list("12345")
    assert list(options["algo_knowledge_TikTok"]) == list("01")
    assert list(options["pref_control_TikTok"]) == list("0123456")


@pytest.mark.slow
def test_utilities_of_best_worst_scaling_have_the_published_means(tmp_path):
    (path,) = (MAXDIFF / "ground_truth_maxdiff_comparison" / "maxdiff_data").glob("*.xlsx")
    sheet = opened(str(path))
    items = [name for name in sheet.columns if name not in sheet.columns[:2] and name != "Anchor"]
    found = read(simulators=None, human=str(path), questions=items, outcome={"kind": "real"})
    rows = found.outcomes.assign(sum=lambda rows: rows["value"] * rows["count"])
    sums = rows.groupby("scenario")[["sum", "count"]].sum()
    assert len(sums) == 14 and (sums["count"] == 308).all()
    mean = (sums["sum"] / sums["count"]).sort_values(ascending=False)
    assert np.allclose(mean.iloc[:4].round(3), [2.942, 2.428, 2.404, 2.309])
    assert np.allclose(mean.iloc[-2:].round(3), [0.346, -0.292])


def test_personal_columns_of_a_frame_are_not_kept(tmp_path):
    frame = pd.DataFrame(
        {"IP Address": ["192.0.2.1"], "e-mail": ["a@example.org"], "Latitude": [1.5], "q": ["yes"]}
    )
    content = parquet(frame, "human")
    (tmp_path / "human.parquet").write_bytes(content)
    found = pd.read_parquet(tmp_path / "human.parquet")
    assert found.drop(columns="q").isna().all(axis=None) and found["q"].tolist() == ["yes"]


# The header of a public export of SurveyMonkey, reduced: fivethirtyeight/data at commit 807f9ae,
# star-wars-survey/StarWars.csv (CC BY 4.0); the rows are made up.
SURVEYMONKEY = """\
RespondentID,IP Address,Have you seen any of the films?,Which of the films have you seen?,,,Please \
state how you view the characters.,,Gender
,,Response,Episode I,Episode II,Episode III,Han Solo,Yoda,Response
3292879998,192.0.2.1,Yes,Episode I,Episode II,,Very favorably,Unfamiliar,Male
3292879538,192.0.2.2,No,,,,,,Female
3292765271,192.0.2.3,Yes,,Episode II,Episode III,Unfamiliar,Very favorably,Female
"""
# Columns as LimeSurvey's own test of its CSV export expects them; the rows are made up.
LIMESURVEY = """\
id,Completed,Last page seen,Start language,IP address,Q1,2 [SQ001],2 [SQ002],Q1 - comment
1,2024-05-01 10:00,5,en,192.0.2.1,yes,Y,,hm
2,,2,en,192.0.2.2,no,,,
3,2024-05-01 11:00,5,de,192.0.2.3,no,Y,Y,
"""
# The form of GeckoRobotics/gecko-sustainability, components/Form.tsx; the answers are made up.
GOOGLE_FORMS = """\
Timestamp,Email Address,How do you travel?,Do you like it?
2022/06/22 11:07:29 AM AST,a@example.org,Bus;Train,Yes
2022/06/22 11:07:33 AM AST,b@example.org,Bus,No
2022/06/22 11:07:36 AM AST,c@example.org,Bus;Car;Train,Yes
"""
# OuhscBbmc/REDCapR at commit a629c55, inst/test-data/project-color-boxes/color-boxes-data.csv.
REDCAP = """\
id,redcap_data_access_group,color___r,color___g,color___b,color___p,thisform_complete
"1","",1,0,0,0,0
"2","",0,0,1,0,0
"3","",0,1,1,0,0
"4","",0,0,0,0,0
"""
MADE = {
    "SurveyMonkey": (SURVEYMONKEY, 3, 7, "IP Address"),
    "LimeSurvey": (LIMESURVEY, 2, 3, "IP address"),
    "Google Forms": (GOOGLE_FORMS, 3, 2, "Email Address"),
    "REDCap": (REDCAP, 4, 4, "thisform_complete"),
}


@pytest.mark.parametrize("program", MADE)
def test_an_export_of_another_program_is_recognised(tmp_path, program):
    text, people, asked, unread = MADE[program]
    path = tmp_path / "human.csv"
    path.write_text(text, encoding="utf-8")
    sheet = opened(str(path))
    told, *_ = sheet.recognised
    assert told.startswith(f"an export of {program}") and f"{asked} questions" in told
    assert len(sheet.questions) == asked and unread not in sheet.questions
    assert len(cells_of(sheet, 0)) == people


def test_boxes_and_rows_of_surveymonkey_are_questions_in_one_cluster(tmp_path):
    path = tmp_path / "human.csv"
    path.write_text(SURVEYMONKEY, encoding="utf-8")
    films = ["Which of the films have you seen?: Episode I*"]
    found = read(
        simulators=None,
        human=str(path),
        questions=films,
        outcome={"kind": "binary"},
        cluster="question",
    )
    ticked = found.outcomes[found.outcomes["value"] == 1].set_index("scenario")["count"]
    assert ticked.tolist() == [1.0, 2.0, 1.0]
    assert found.scenarios["cluster"].unique().tolist() == ["Which of the films have you seen?"]


def test_unsubmitted_rows_of_limesurvey_are_left_out_and_boxes_are_read(tmp_path):
    path = tmp_path / "human.csv"
    path.write_text(LIMESURVEY, encoding="utf-8")
    found = read(
        simulators=None, human=str(path), outcome={"kind": "categorical"}, cluster="question"
    )
    counts = found.outcomes.groupby("scenario")["count"].sum()
    assert counts.to_dict() == {"Q1": 2.0, "2 [SQ001]": 2.0, "2 [SQ002]": 2.0}
    assert any("left out: 1 unfinished" in str(note) for note in found.notes)


def test_percentages_of_pollsters_are_counts_of_the_people_asked(tmp_path):
    path = tmp_path / "human.csv"
    rows = ["Fares,Agree,47%,50%", ",Disagree,41%,40%", ",Neither,13%,10%", ",Net agree,6%,10%"]
    rows += [',Unweighted base,"1,043",500', ",Weighted base,1050,501"]
    rows += ["Lanes,Agree,38%,1%", ",Disagree,49%,1%", ",Neither,13%,1%", ",Unweighted base,512,9"]
    path.write_text("\n".join(["Question,Answer,Total,Men", *rows]) + "\n", encoding="utf-8")
    found = read(simulators=None, human=str(path), outcome={"kind": "categorical"})
    sizes = found.outcomes.groupby("scenario")["count"].sum()
    assert sizes.to_dict() == pytest.approx({"Fares": 1043, "Lanes": 512})
    assert found.scenarios["option"].map(len).tolist() == [3, 3]
    counts = found.outcomes.query("scenario == 'Lanes'").sort_values("value")["count"]
    assert counts.tolist() == pytest.approx([0.49 * 512, 0.13 * 512, 0.38 * 512])
    assert any("out: 'Net agree', 'Weighted base', 'Men'" in str(note) for note in found.notes)


def test_a_base_that_is_no_number_is_named_as_its_file_does(tmp_path):
    path = tmp_path / "human.csv"
    path.write_text('Answer,Total\nAgree,47\nDisagree,53\nN,"1,04"\n')
    with pytest.raises(DataError, match="column 'N': is '1,04'"):
        read(simulators=None, human=str(path), outcome={"kind": "categorical"})


def test_counts_of_pollsters_are_read(tmp_path):
    path = tmp_path / "human.csv"
    path.write_text("question,answer,Total,Men,Women\nq,yes,60,30,30\nq,no,75,35,40\n")
    found = read(simulators=None, human=str(path), outcome={"kind": "categorical"})
    assert found.outcomes.sort_values("value")["count"].tolist() == [75, 60]


@pytest.mark.parametrize("column", ["variable", "column", "name", "question id", "Item_ID"])
def test_a_key_and_a_file_of_questions_call_their_questions_alike(tmp_path, column):
    (tmp_path / "key.csv").write_text(f"{column},code,label\na,1,Yes\na,2,No\n", encoding="utf-8")
    (tmp_path / "texts.csv").write_text(f"{column},wording\na,Why?\nb,How?\n", encoding="utf-8")
    key, texts = (opened(str(tmp_path / name)) for name in ("key.csv", "texts.csv"))
    assert key.codebook is not None and set(key.codebook.questions) == {"a"}
    assert describes_questions(texts)
