"""Tables on disk: whole or absent, and of the columns that the next step expects."""

import csv

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fidelity_study.errors import DataError
from fidelity_study.tables import read_write
from fidelity_study.tables.ingest import OUTCOMES
from fidelity_study.tables.read_write import (
    complete,
    metadata,
    read,
    read_csv,
    write,
    write_csv,
    write_tables,
)

ROWS = pa.table({"count": [3.0], "value": [1], "source": ["human"], "scenario": ["s"], "more": [0]})


class Killed(BaseException):
    """Stands for whatever ends a job in the middle."""


def test_a_table_is_written_with_exactly_its_schema_and_the_studys_settings(tmp_path):
    path = tmp_path / "outcomes.parquet"
    write(path, ROWS, OUTCOMES, {"seed": 1, "by": ["x"]})
    table = read(path, OUTCOMES)
    assert table.schema.names == ["scenario", "source", "value", "count"]
    assert table.to_pylist() == [{"scenario": "s", "source": "human", "value": 1.0, "count": 3.0}]
    assert metadata(path) == {"seed": 1, "by": ["x"]}
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).compression == "ZSTD"


@pytest.mark.parametrize(
    "table",
    [
        ROWS.drop_columns(["count"]),
        ROWS.set_column(1, "value", [["many"]]),
    ],
    ids=["missing column", "text for a number"],
)
def test_a_table_of_another_schema_is_not_written(tmp_path, table):
    with pytest.raises((pa.ArrowException, KeyError)):
        write(tmp_path / "outcomes.parquet", table, OUTCOMES, {})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.append_column("more", [[0]]),
        lambda table: table.drop_columns(["count"]),
        lambda table: table.rename_columns(["scenario", "source", "value", "number"]),
        lambda table: table.set_column(3, "count", [[3]]),
        lambda table: table.select(["source", "scenario", "value", "count"]),
    ],
    ids=["further column", "missing column", "renamed column", "other type", "other order"],
)
def test_a_file_of_another_schema_is_refused_with_a_remedy(tmp_path, change):
    path = tmp_path / "outcomes.parquet"
    sound = ROWS.select(OUTCOMES.names).cast(OUTCOMES)
    pq.write_table(change(sound), path)
    with pytest.raises(DataError, match=r"delete the file and run again") as refusal:
        read(path, OUTCOMES)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize("before", [None, "old"])
def test_an_end_in_the_middle_leaves_no_part_of_a_file(tmp_path, before):
    path = tmp_path / "findings.rst"
    if before is not None:
        path.write_text(before)
    with pytest.raises(Killed), complete(path) as partial:
        partial.write_text("half of")
        raise Killed
    there = {each.name: each.read_text() for each in tmp_path.iterdir()}
    assert there == ({} if before is None else {"findings.rst": before})


def test_the_place_to_write_to_is_beside_the_file_and_of_its_kind(tmp_path):
    path = tmp_path / "curves.png"
    with complete(path) as partial:
        assert (partial.parent, partial.suffix) == (tmp_path, ".png")
        assert partial != path
        partial.write_text("whole")
        assert not path.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["curves.png"]


def test_a_table_that_cannot_be_written_leaves_no_part_of_a_file(tmp_path, monkeypatch):
    def write_half(table, place, **_):
        place.write_bytes(b"PAR1")
        raise OSError("disk full")

    monkeypatch.setattr(read_write.pq, "write_table", write_half)
    with pytest.raises(OSError, match="disk full"):
        write(tmp_path / "outcomes.parquet", ROWS, OUTCOMES, {})
    assert list(tmp_path.iterdir()) == []


def test_csv_is_quoted_where_needed_and_replaced_as_a_whole(tmp_path):
    path = tmp_path / "summary.csv"
    write_csv(path, [{"simulator": 'a, "b"', "auc": 0.1}], ["simulator", "auc"])
    assert path.read_text(encoding="utf-8").splitlines() == ["simulator,auc", '"a, ""b""",0.1']
    with pytest.raises(ValueError, match="not in fieldnames"):
        write_csv(path, [{"strange": 1}], ["simulator", "auc"])
    assert path.read_text(encoding="utf-8").startswith("simulator,auc")
    assert [each.name for each in tmp_path.iterdir()] == ["summary.csv"]


def test_a_steps_tables_are_written_where_its_rule_has_paths(tmp_path):
    rows = [{"scenario": "s", "source": "human", "value": 1.0, "count": 3.0}]
    names = ("few.parquet", "few.csv", "whole.parquet")
    few, few_csv, whole = (tmp_path / name for name in names)
    made = {
        "few": (iter(rows), OUTCOMES),
        "whole": (pa.Table.from_pylist(rows, OUTCOMES), OUTCOMES),
    }
    write_tables({"few": few, "few_csv": few_csv, "whole": whole}, made, {"seed": 1})
    assert read(few, OUTCOMES).to_pylist() == read(whole, OUTCOMES).to_pylist() == rows
    assert read_csv(few_csv) == [{key: str(value) for key, value in rows[0].items()}]
    assert metadata(few) == metadata(whole) == {"seed": 1}
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(names)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
@example("=1+1")
@example("'=1+1")
@example("''@x")
@example("'")
@example("-2")
@example("\tx")
def test_a_text_is_no_formula_in_csv_and_is_read_as_it_was(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("csv") / "summary.csv"
    write_csv(path, [{"simulator": text, "auc": -0.5}], ["simulator", "auc"])
    with path.open(encoding="utf-8", newline="") as file:
        _, (name, auc) = csv.reader(file)
    assert not name.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert auc == "-0.5"
    assert read_csv(path) == [{"simulator": text, "auc": "-0.5"}]
