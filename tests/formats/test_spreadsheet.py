"""Sheets of Excel files that openpyxl and XlsxWriter wrote, and those that sheets.py made."""

import datetime
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import python_calamine
import xlsxwriter
import yaml
from tabular_step import answers, read

from fidelity_study.__main__ import main
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.files import missing_files, named_files
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.reading import Reading

HERE = Path(__file__).parent
HUMAN = [("q1", "q2"), (1, "yes"), (2, "no"), (1, "yes")]
SIMULATED = [("simulator", "q1", "q2"), ("model", 1, "no"), ("model", 2, "yes")]


@pytest.fixture(autouse=True)
def in_a_folder(here):
    """Work in an empty folder of a user's."""


def book(path="book.xlsx", merged=(), **sheets):
    """Write a file of sheets."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    made.save(path)
    return path


def cells(path, column):
    return opened(path).cells([column])[column].to_pylist()


def refused(path, *columns, reading=None):
    with pytest.raises(DataError) as error:
        sheet = opened(path, reading or Reading())
        sheet.cells(columns or sheet.columns)
    return str(error.value)


def test_numbers_are_written_as_the_sheet_shows_them():
    day = datetime.date(2024, 5, 1)
    rows = [
        ("a", "b", 3, "d"),
        (1, True, 0.5, day),
        (1.25, False, -2, datetime.datetime(2024, 5, 1, 7, 30)),
        (10**6, "x ", None, datetime.time(7, 30)),
    ]
    book(S=rows)
    assert opened("book.xlsx").columns == ["a", "b", "3", "d"]
    assert cells("book.xlsx", "a") == ["1", "1.25", "1000000"]
    assert cells("book.xlsx", "b") == ["TRUE", "FALSE", "x "]
    assert cells("book.xlsx", "3") == ["0.5", "-2", None]
    assert cells("book.xlsx", "d") == ["2024-05-01", "2024-05-01 07:30:00", "07:30:00"]


def test_a_study_of_two_sheets():
    book(people=HUMAN, models=SIMULATED)
    found = read(human="book.xlsx#people", simulated="book.xlsx#models")
    assert answers(found, "human") == {"q1": {"1": 2, "2": 1}, "q2": {"yes": 2, "no": 1}}
    assert answers(found, "model") == {"q1": {"1": 1, "2": 1}, "q2": {"yes": 1, "no": 1}}


def test_a_long_sheet_and_a_sheet_of_scenarios_by_the_key():
    long = [("scenario", "value", "count"), ("s1", "yes", 3), ("s1", "no", 2)]
    book("human.xlsx", other=[("x",), (1,)], answers=long)
    book("scenarios.xlsx", Sheet=[("scenario", "options"), ("s1", "no | yes | perhaps")])
    found = read(
        human="human.xlsx", scenarios="scenarios.xlsx", sheet="answers", simulators=["uniform"]
    )
    assert answers(found, "human") == {"s1": {"yes": 3, "no": 2}}
    assert found.scenarios["option"]["s1"] == ["no", "yes", "perhaps"]


def test_several_sheets_are_refused_with_their_names():
    book(people=HUMAN, models=SIMULATED, empty=[])
    told = refused("book.xlsx")
    assert "several sheets: 'people', 'models'; name one, as in book.xlsx#people" in told
    assert "has no sheet 'x'; there are: 'people', 'models'" in refused(
        "book.xlsx", reading=Reading(sheet="x")
    )
    assert "has no sheet 'x'" in refused("book.xlsx#x")


def test_one_sheet_with_cells_needs_no_name():
    book(people=HUMAN, empty=[])
    assert cells("book.xlsx", "q1") == ["1", "2", "1"]


def test_snakemake_and_checksums_know_the_file():
    book(people=HUMAN, models=SIMULATED)
    named = named_files({"human": "book.xlsx#people", "simulated": "book.xlsx#models"})
    assert named == ["book.xlsx"] and not missing_files("datasets.a", named)


@pytest.mark.parametrize(
    ("rows", "merged", "parts"),
    [
        ([("q", None), ("a", "b"), (1, 2)], ["A1:B1"], ["row 1", "A1:B1", "unmerge"]),
        ([("a", "b"), (1, 2), (None, 3)], ["A2:A3"], ["row 2", "A2:A3", "unmerge and fill"]),
        ([(None, None), (1, 2)], [], ["row 1: is empty"]),
        ([("a", None), (1, 2)], [], ["column 2 has no name"]),
        ([("Table 1", None, None), ("a", "", "c"), (1, 2, 3)], [], ["first row has one cell"]),
        ([("a", "a"), (1, 2)], [], ["column 'a': appears twice"]),
        ([("a", "b"), (1, "=1+1")], [], ["row 2, column 'b': holds a formula without"]),
        ([("a", "b"), (1, "#N/A")], [], ["row 2, column 'b': is the error #N/A"]),
        ([("a", "b")], [], ["no rows"]),
        ([], [], ["is empty"]),
    ],
)
def test_what_would_be_misread_is_refused(rows, merged, parts):
    book(merged=merged, S=rows)
    told = refused("book.xlsx")
    assert told.startswith("book.xlsx") and all(part in told for part in parts)


def test_a_cell_far_from_the_others_is_refused():
    made = openpyxl.Workbook()
    made.active.append(("scenario", "yes"))
    made.active["XFD1048576"] = "x"
    made.save("book.xlsx")
    assert "XFD1048576" in refused("book.xlsx")


def test_columns_that_nobody_reads_may_have_errors_and_merged_cells():
    book(merged=["B2:B3"], S=[("a", "b", "c"), (1, 2, "#N/A"), (2, None, "=1+1"), (3, 3, 3)])
    sheet = opened("book.xlsx")
    assert sheet.size == 3


def test_columns_and_rows_without_cells_are_left_out():
    empty = (None,) * 4
    book(S=[("a", None, "b", None), (1, None, 2, None), empty, (3, None, 4, None), empty])
    sheet = opened("book.xlsx")
    assert (sheet.columns, cells("book.xlsx", "b")) == (["a", "b"], ["2", "4"])
    assert sheet.recognised == ("rows without a cell are left out: 3",)
    assert sheet.fault("", at=1).faults[0].place.row == 4


def test_the_values_of_formulas_are_read():
    with xlsxwriter.Workbook("made.xlsx") as made:
        sheet = made.add_worksheet("Any name")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_formula(1, 0, "=1+1", None, 2)
        sheet.write_formula(1, 1, "=1/0", None, "#DIV/0!")
        sheet.write_formula(2, 0, '="y"&"es"', None, "yes")
    assert cells("made.xlsx", "a") == ["2", "yes"]
    assert "row 2, column 'b': is the error #DIV/0!" in refused("made.xlsx")


def test_old_excel_and_opendocument():
    for path in (str(HERE / "old.xls"), str(HERE / "open.ods")):
        assert cells(path, "q1") == ["1", "2", "1"]
        assert cells(path, "q2") == ["yes", "no", "yes"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"a,b\n1,2\n"])
def test_a_broken_file_is_told(content):
    Path("broken.xlsx").write_bytes(content)
    assert "broken.xlsx: cannot be read as a spreadsheet" in refused("broken.xlsx")


def test_a_missing_library_is_told(monkeypatch):
    assert python_calamine.__name__ in sys.modules
    book(S=HUMAN)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert "python-calamine, which is not installed; run make install-formats" in refused(
        "book.xlsx"
    )


@pytest.mark.slow
def test_start_takes_sheets(capsys):
    book("town.xlsx", people=HUMAN, gpt=[row[1:] for row in SIMULATED])
    assert main(["start", "town.xlsx", "town.xlsx#gpt"]) == 1
    assert "several sheets" in capsys.readouterr().err
    assert main(["start", "town.xlsx#people", "town.xlsx#gpt", "--name", "town"]) == 0
    settings = yaml.safe_load(Path("town.yaml").read_text())["datasets"]["town"]
    assert settings["human"] == "town.xlsx#people"
    assert settings["simulated"] == {"gpt": "town.xlsx#gpt"}


OFTEN = pd.CategoricalDtype(["never", "sometimes", "often", "always"], ordered=True)
PEOPLE = {"q1": ["often", "never", None, "often"], "q2": ["sometimes", "often", "often", "never"]}


def people(dtype=OFTEN, **how):
    pd.DataFrame(PEOPLE).astype(dtype).to_parquet("people.parquet", **how)


@pytest.mark.parametrize("how", [{}, {"row_group_size": 1}])
def test_levels_of_ordered_categories_are_options(how):
    people(**how)
    found = read(human="people.parquet", simulators=["uniform"], outcome={"kind": "ordinal"})
    assert found.scenarios["option"]["q1"] == list(OFTEN.categories)
    assert answers(found, "human")["q1"] == {"often": 2, "never": 1}
    assert any(
        "ordered categories of 'q1', 'q2' are the options" in each for each in map(str, found.notes)
    )


def test_categories_without_an_order_say_nothing():
    people(pd.CategoricalDtype(OFTEN.categories))
    with pytest.raises(DataError, match="their order is unknown"):
        read(human="people.parquet", simulators=["uniform"], outcome={"kind": "ordinal"})


def test_levels_of_the_config_and_the_file_of_scenarios_come_first():
    people()
    rows = "scenario,options\nq1,\nq2,never | sometimes | often\n"
    Path("scenarios.csv").write_text(rows)
    levels = ["never", "sometimes", "often"]
    asked = {"human": "people.parquet", "simulators": ["uniform"]}
    found = read(**asked, outcome={"kind": "ordinal", "levels": levels})
    assert found.scenarios["option"]["q1"] == levels
    found = read(**asked, outcome={"kind": "ordinal"}, scenarios="scenarios.csv")
    assert found.scenarios["option"].map(len).to_dict() == {"q1": 4, "q2": 3}


def scenarios(*options):
    frame = pd.DataFrame({"scenario": ["q1", "q2"], "options": list(options)})
    frame.to_parquet("scenarios.parquet")
    pd.DataFrame(PEOPLE).to_csv("people.csv", index=False)
    return read(human="people.csv", scenarios="scenarios.parquet", simulators=["uniform"])


def test_lists_of_options():
    few = ["often", "sometimes", "never"]
    found = scenarios([*few, "always"], few)
    assert found.scenarios["option"].to_dict() == {"q1": [*few, "always"], "q2": few}


def test_lists_that_cannot_be_written_are_refused():
    with pytest.raises(DataError, match=r"scenarios\.parquet, column 'options': .*'a\|b'"):
        scenarios(["a|b", "c"], ["d", "e"])


def test_lists_of_texts_are_answers_with_several_options_and_other_lists_are_none():
    chosen, calls = [["often", "never"], ["often"], None, []], [[{"role": "user"}]] * 4
    frame = pd.DataFrame({"value": chosen, "raw.calls": calls})
    frame.to_parquet("people.parquet")
    sheet = opened("people.parquet")
    assert sheet.recognised == ("left out, as neither texts nor numbers: 'raw.calls'",)
    assert sheet.cells(["value"])["value"].to_pylist() == [
        *('["often", "never"]', '["often"]', None, "[]")
    ]
    frame.assign(value=calls).to_parquet("people.parquet")
    with pytest.raises(DataError, match="column 'value': holds list"):
        opened("people.parquet").cells(["value"])


TYPES = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64())
LOWEST = {"signed": (-128, -3, 0, 1), "unsigned": (0, 1, 192)}


@pytest.mark.sampled
@pytest.mark.parametrize("kind", TYPES, ids=str)
@pytest.mark.parametrize("steps", [1, 2, 63, 64, 200], ids=lambda steps: f"up to {steps} more")
def test_cells_are_the_numbers_as_text(tmp_path, kind, steps):
    generator = np.random.default_rng(steps)
    for low in LOWEST["unsigned" if pa.types.is_unsigned_integer(kind) else "signed"]:
        if low + steps > {"int8": 127, "uint8": 255}.get(str(kind), 1 << 30):
            continue
        columns = {
            name: [
                None if generator.random() < empty else int(low + steps * generator.integers(0, 2))
                for _ in range(150)
            ]
            for name, empty in (("full", 0.0), ("some", 0.4), ("hardly any", 0.99), ("none", 1.0))
        }
        columns["some"][:70] = [None] * 70
        table = pa.table(columns, schema=pa.schema(dict.fromkeys(columns, kind)))
        pq.write_table(table, tmp_path / "t.parquet", row_group_size=40)
        sheet = opened(str(tmp_path / "t.parquet"))
        wanted = {name: texts(numbers) for name, numbers in columns.items()}
        for name in columns:
            cells = sheet.cells([name])[name]
            assert cells.to_pylist() == wanted[name]
            assert {*cells.dictionary.to_pylist()} == {*wanted[name]} - {None}
        both = sheet.cells(["full", "some"]).values()
        first = [cell for cells in both for cell in cells.to_pylist()]
        half = len(first) // 2
        assert first == wanted["full"][:half] + wanted["some"][:half]


def texts(numbers: list[int | None]) -> list[str | None]:
    return [None if number is None else str(number) for number in numbers]


def test_the_ends_of_a_type_are_not_mixed_up(tmp_path):
    table = pa.table({"a": pa.array([-128, 127, None, 5], pa.int8())})
    pq.write_table(table, tmp_path / "t.parquet")
    cells = opened(str(tmp_path / "t.parquet")).cells(["a"])["a"]
    assert cells.to_pylist() == ["-128", "127", None, "5"]


def test_a_column_of_nothing_in_several_parts_is_empty(tmp_path):
    pq.write_table(pa.table({"a": ["x", "y"], "b": pa.nulls(2)}), tmp_path / "t.parquet", 1)
    assert opened(str(tmp_path / "t.parquet")).cells(["b"])["b"].to_pylist() == [None, None]


def test_two_columns_of_a_name_are_refused(tmp_path):
    columns = [pa.array(["x"]), pa.array(["y"])]
    pq.write_table(pa.Table.from_arrays(columns, ["scenario", "scenario"]), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="column 'scenario': appears twice"):
        opened(str(tmp_path / "t.parquet"))
