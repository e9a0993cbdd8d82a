"""Tables on disk: whole or absent, and of the columns that the next step expects."""

import csv
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fidelity_study.config.table import RESULTS, results_page
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import (
    Scale,
    Scenarios,
    among,
    cell_slices,
    codes,
    dense,
    join,
    labels,
    lists,
    numbers,
    optional,
    short_of,
    where,
)
from fidelity_study.steps.quantile import SUMMARY
from fidelity_study.steps.registry import (
    OF_EVALUATIONS,
    SHOWN,
    STEPS,
    TABLES,
    TABLES_OF_EVALUATIONS,
)
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


KEYS = st.lists(st.integers(0, 4), max_size=12).map(lambda keys: np.array(keys, np.int64))
DICTIONARY = pa.dictionary(pa.int32(), pa.string())


def chunked(*chunks, encoded=True):
    """Return a string column whose chunks each have a dictionary of their own."""
    arrays = [pa.array(chunk, pa.string()) for chunk in chunks]
    return pa.chunked_array([each.dictionary_encode() if encoded else each for each in arrays])


@pytest.mark.slow
@given(KEYS, KEYS)
def test_join_finds_all_pairs_with_the_same_key_in_order(left, right):
    i, j = join(left, right)
    expected = [(a, b) for b in range(len(right)) for a in range(len(left)) if left[a] == right[b]]
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == expected


def test_cells_cover_the_table_and_keep_the_order_of_rows():
    table = pa.table(
        {
            "simulator": chunked(["b", "a", "b"], ["c", "a"]),
            "replicate": pa.chunked_array([[0, 1, 0], [1, 1]], pa.int16()),
            "row": [0, 1, 2, 3, 4],
        }
    )
    ordered, slices = cell_slices(table, ["simulator", "replicate"])
    row = ordered["row"].to_pylist()
    cells = {(cell["simulator"], cell["replicate"]): row[rows] for cell, rows in slices}
    assert cells == {("b", 0): [0, 2], ("a", 1): [1, 4], ("c", 1): [3]}


def test_a_table_without_rows_has_no_cells():
    ordered, slices = cell_slices(SUMMARY.empty_table(), ["simulator", "k"])
    assert (len(ordered), list(slices)) == (0, [])


@pytest.mark.parametrize("encoded", [True, False])
def test_codes_are_positions_among_the_names(encoded):
    column = chunked(["b", "a"], ["c", "b"], encoded=encoded)
    assert codes(column, ["c", "b", "a"]).tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize("encoded", [True, False])
def test_entries_among_some_names(encoded):
    column = chunked(["b", "a"], ["c", "b"], encoded=encoded)
    assert among(column, ["b", "z"]).to_pylist() == [True, False, False, True]
    assert among(column, []).to_pylist() == [False] * 4


def test_numbers_and_nulls():
    column = pa.chunked_array([[1, None], [3]], pa.float64())
    np.testing.assert_array_equal(numbers(column), [1, np.nan, 3])
    assert optional(np.array([1, np.nan, np.inf])).to_pylist() == [1, None, np.inf]


def test_labels_are_names_by_position():
    column = labels(["x", "y"], np.array([1, 0, 1]))
    assert column.type == DICTIONARY
    assert column.to_pylist() == ["y", "x", "y"]


@pytest.mark.parametrize("shape", [(3, 2), (1, 1), (2, 0), (0, 3)])
def test_rows_become_lists_and_come_back(shape):
    rows = np.arange(np.prod(shape), dtype=float).reshape(shape)
    column = pa.chunked_array([lists(rows)])
    assert column.to_pylist() == rows.tolist()
    if rows.size:
        np.testing.assert_array_equal(dense(column), rows)


def test_lists_in_several_chunks_become_one_array():
    column = pa.chunked_array([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]])
    np.testing.assert_array_equal(dense(column.slice(1)), [[3, 4], [5, 6]])
    np.testing.assert_array_equal(dense(column), [[1, 2], [3, 4], [5, 6]])


@pytest.fixture
def ragged():
    """Return scenarios of two, three and two options; two and three have scores."""
    return Scenarios(
        ["two", "three", "other two", "unscored"],
        [[0.0, 1.0], [1.0, 2.0, 9.0], [5.0, 6.0], [1.0, 2.0]],
        [
            Scale(2, (0.0, 1.0), None),
            Scale(3, (-1.0, 0.0, 1.0), None),
            Scale(2, (0.0, 1.0), None),
            Scale(2, None, None),
        ],
    )


def test_counts_of_options_in_their_own_order(ragged):
    table = pa.table(
        {
            "scenario": chunked(["three", "other two"], ["three", "two"]),
            "value": [9.0, 5.0, 1.0, 1.0],
            "count": [4.0, 2.5, 1.0, 7.0],
        }
    )
    counts = [each.tolist() for each in ragged.counts(table, "count")]
    assert counts == [[0, 7], [1, 0, 4], [2.5, 0], [0, 0]]


def test_scenarios_with_one_answer_scale_form_a_group(ragged):
    groups = [(members.tolist(), scale.scores, scale.limits) for members, scale in ragged.groups()]
    assert groups == [([0, 2], (0, 1), None), ([1], (-1, 0, 1), None), ([3], None, None)]


def test_scenarios_come_from_their_table():
    table = pa.table(
        {
            "scenario": ["a", "b", "c"],
            "value": [[0.0, 1.0], [1.0], [2.5, 3.0]],
            "score": [[0.0, 1.0], None, [2.5, 3.0]],
            "kind": ["binary", "categorical", "bounded"],
            "lower": [0.0, None, 0.0],
            "upper": [1.0, None, 10.0],
        }
    )
    scenarios = Scenarios.from_table(table)
    assert scenarios.names == ["a", "b", "c"]
    assert scenarios.values == [[0.0, 1.0], [1.0], [2.5, 3.0]]
    assert scenarios.scales == [
        Scale(2, (0.0, 1.0), None),
        Scale(1, None, None),
        Scale(2, (2.5, 3.0), (0.0, 10.0)),
    ]


def test_scenarios_with_fewer_people_than_asked_for_are_counted():
    people = np.array([49.999999999999, 49.0, 50.0, 20.0])
    assert short_of(50, people) == 2
    assert short_of("all", people) == 0


def test_a_table_is_copied_only_where_rows_are_left_out():
    table = pa.table({"a": pa.chunked_array([[1, 2], [3]])})
    assert where(table, pa.chunked_array([[True, True], [True]])) is table
    assert where(table, pa.chunked_array([[True, False], [True]]))["a"].to_pylist() == [1, 3]


README = RESULTS.read_text(encoding="utf-8")
ENDS = r"(_ci)?_(lower|upper|low|high)$"  # of intervals, which the page names by their middle


def test_the_page_of_results_is_made_from_what_modules_say_of_their_tables():
    assert results_page() == README


@pytest.mark.parametrize("table", [*TABLES, *TABLES_OF_EVALUATIONS], ids=str)
def test_a_table_has_a_step_and_its_columns_are_in_the_readme_of_the_results(table):
    assert table.step in {**STEPS, **OF_EVALUATIONS}
    words = set(re.findall(r"\w+", README))
    columns = [] if table.path.endswith(".csv") else table.read_schema().names
    assert [name for name in columns if not {name, re.sub(ENDS, "", name)} & words] == []


def test_tables_have_paths_and_names_of_their_own():
    paths = [path for table in TABLES for path in table.files.values()]
    assert len(paths) == len(set(paths))
    outputs = [(table.step, name) for table in TABLES for name in table.files]
    assert len(outputs) == len(set(outputs))
    assert len(SHOWN) == len([table for table in TABLES if table in SHOWN.values()])
