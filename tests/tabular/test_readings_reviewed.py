"""What a review of tables of percentages and of vectors found: each was read wrongly, or ended."""

import numpy as np
import pandas as pd
import pytest
from tabular_step import looked

from fidelity_study.app.start.faults import FaultsError
from fidelity_study.reading.tabular.exports import crosstab
from fidelity_study.reading.tabular.multiple_choice import _own_apart
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.reading import Reading
from fidelity_study.reading.tabular.scenarios import Described
from fidelity_study.reading.tabular.vectors import opened_answers, times_of, vectors_of


def table(sheet) -> pd.DataFrame:
    cells = sheet.cells(sheet.columns)
    return pd.DataFrame({name: column.to_pylist() for name, column in cells.items()}).fillna("")


def test_vectors_are_named_by_row(tmp_path):
    numbers = np.arange(200) / 4
    rows = [f"{'long name ' * 9 if i < 3 else 'q'},{x},{-x}" for i, x in enumerate(numbers)]
    path = tmp_path / "h.csv"
    path.write_text("\n".join(["scenario,x1,x2", *rows]) + "\n", encoding="utf-8")
    sheet = opened_answers(str(path), Reading(vectors=True))
    named = table(sheet)["value"].tolist()
    assert named == [f"{path}:{row}" for row in range(200)]
    ((_, vectors),) = vectors_of([named], {})
    assert np.array_equal(vectors, np.column_stack([numbers, -numbers]))


def test_fewer_vectors_beside_a_table_than_rows_are_refused(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("scenario\n" + "question\n" * 200, encoding="utf-8")
    np.save(tmp_path / "h.npy", np.ones((5, 2)))
    with pytest.raises(ValueError, match=r"has 200 rows, and h\.npy 5"):
        table(opened_answers(str(path), Reading(vectors=True)))


@pytest.mark.parametrize("start", [0, 1_700_000_000, 20_240_101, 0.125])
def test_times_of_paths_keep_all_their_digits(tmp_path, start):
    times = [start, start + 1, start + 2]
    path = tmp_path / "h.csv"
    rows = [f"q,p1,{time!r},{value}" for value, time in enumerate(times)]
    path.write_text("\n".join(["scenario,respondent,time,value", *rows]) + "\n", "utf-8")
    named = table(opened_answers(str(path), Reading(vectors=True)))["value"].tolist()
    ((names, vectors),) = vectors_of([named], {})
    assert times_of(names) == times
    assert vectors.tolist() == [[0, 1, 2]]


def test_a_base_that_one_question_lacks_is_left_to_the_user(tmp_path):
    path = tmp_path / "h.csv"
    rows = ["q1,yes,60", "q1,no,40", "q1,base,500", "q2,yes,30", "q2,no,70"]
    path.write_text("\n".join(["question,answer,total", *rows]) + "\n", encoding="utf-8")
    sheet = opened(str(path))
    cells = table(sheet)
    assert cells["base"].tolist() == ["500", "500", "", ""]
    assert cells["percent"].tolist() == ["60", "40", "30", "70"]


def test_an_empty_cell_among_questions_of_one_row_is_no_merged_one(tmp_path):
    path = tmp_path / "h.csv"
    path.write_text("scenario,value\nq1,yes\nq2,no\n,yes\nq4,no\n", encoding="utf-8")
    assert crosstab.recognised(opened(str(path))) is None
    assert table(opened(str(path)))["scenario"].tolist() == ["q1", "q2", "", "q4"]
    path.write_text("scenario,value\nq1,yes\n,no\nq2,yes\n,no\n", encoding="utf-8")
    assert table(opened(str(path)))["scenario"].tolist() == ["q1", "q1", "q2", "q2"]


def refused(tmp_path, **files: str) -> list[dict]:
    """Return the settings of the remedies with which files are refused."""
    for name, content in files.items():
        (tmp_path / f"{name}.csv").write_text(content, encoding="utf-8")
    human, *simulated = (str(tmp_path / f"{name}.csv") for name in files)
    with pytest.raises(FaultsError) as error:
        looked(human, *simulated)
    return [remedy.settings for fault in error.value.faults for remedy in fault.remedies]


@pytest.mark.slow
def test_the_base_of_percentages_is_offered_by_its_name(tmp_path):
    human = "scenario,value,pct,Sample size\nq1,yes,60%,500\nq1,no,40%,500\n"
    model = "scenario,simulator,value\nq1,m,yes\nq1,m,no\n"
    wanted = {"columns.percent": "pct", "base": "Sample size"}
    assert wanted in refused(tmp_path, h=human, m=model)


@pytest.mark.slow
@pytest.mark.parametrize("before", ["prob ", "I say "])
def test_options_behind_a_word_are_recoded(tmp_path, before):
    human = "scenario,value\nq1,agree\nq1,always\nq1,never\nq1,agree\n"
    rows = [f"q1,m,{before}{option},50" for option in ("agree", "always", "never")]
    model = "\n".join(["scenario,simulator,value,count", *rows]) + "\n"
    pairs = {f"{before}{option}": option for option in ("agree", "always", "never")}
    assert {"recode": pairs} in refused(tmp_path, h=human, m=model)


@pytest.mark.slow
def test_a_question_of_multiple_choice_is_no_fact_on_people():
    areas = ["law", "maps", "text", "sound", "health", "games"]
    answers = {f"q{j}": [str(1 + (i + j) % 3) for i in range(63)] for j in range(8)}
    chosen = [[area for j, area in enumerate(areas) if i >> j & 1] for i in range(1, 64)]
    table = pd.DataFrame({**answers, "areas": [";".join(some) for some in chosen]})
    for name in ("h.csv", "m.csv"):
        table.to_csv(name, index=False)
    look, _ = looked("h.csv", "m.csv", multiple=("areas",))
    people = look.responses.outcomes.query("source == 'human'").set_index(["scenario", "value"])
    for area in areas:
        assert people.loc[(f"areas: {area}", 1.0), "count"] == 32


def test_names_of_questions_that_differ_in_capitals_are_one_and_told(tmp_path):
    rows = "yes,no\nno,yes\nyes,yes\n"
    (tmp_path / "h.csv").write_text(f"Q1,Q 2\n{rows}", encoding="utf-8")
    (tmp_path / "m.csv").write_text(f"q01,q_2\n{rows}", encoding="utf-8")
    look, _ = looked(str(tmp_path / "h.csv"), str(tmp_path / "m.csv"))
    assert set(look.responses.outcomes["scenario"]) == {"Q1", "Q 2"}
    assert "'q01' is 'Q1', 'q_2' is 'Q 2'" in " ".join(map(str, look.responses.notes))


@pytest.mark.slow
@pytest.mark.parametrize(("people", "model"), [("Q11", "Q1.1"), ("Q1,q01", "q1,Q01")])
def test_names_that_may_be_two_questions_are_not_taken_for_one(tmp_path, people, model):
    for name, columns in (("h.csv", people), ("m.csv", model)):
        header, row = f"{columns},other", "yes," * (columns.count(",") + 1) + "no"
        lines = [header, row, row.replace("no", "maybe"), row.replace("yes", "no")]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(FaultsError):
        looked(str(tmp_path / "h.csv"), str(tmp_path / "m.csv"))


@pytest.mark.parametrize(("names", "rows"), [("a,b", ["1,2", "3,4"]), ("a", ["1", "a", "3"])])
def test_only_where_there_are_several_columns_their_names_are_no_row(tmp_path, names, rows):
    path = tmp_path / "joined.csv"
    path.write_text("\n".join([names, rows[0], names, rows[-1]]) + "\n", encoding="utf-8")
    read = table(opened(str(path), Reading()))
    assert read.to_csv(index=False, lineterminator="\n").splitlines() == [names, *rows]


def test_options_that_became_questions_keep_the_row_of_their_question():
    rows = pd.DataFrame({"question": ["a?", "b?", None, "d?"]}, index=list("abcd"))
    apart = _own_apart(Described(None, rows), "b", {"b: x": "x", "b: y": "y"})
    assert apart.rows["question"].tolist()[:3] == ["a?", "b?: x", "b?: y"]
    places = {name: apart.place(i) for i, name in enumerate(apart.rows.index)}
    assert places == {"a": 0, "b: x": 1, "b: y": 1, "c": 2, "d": 3}
