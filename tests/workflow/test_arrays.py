"""How rows line up between tables and arrays."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
