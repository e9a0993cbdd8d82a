"""Whole numbers of Parquet files are the texts that they would be in a CSV."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.opening import opened

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
