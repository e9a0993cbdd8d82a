"""Call a step by itself, on tables in files, for tests."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq


def call_step(
    main: Callable, folder: Path, step: dict, tables: Mapping[str, pa.Table], *made: str
) -> dict[str, Path]:
    """Call a step's main; return where its outputs are, as CSV those whose names end so."""
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    suffix = {True: ".csv", False: ".parquet"}
    outputs = {name: folder / f"made_{name}{suffix[name.endswith('_csv')]}" for name in made}
    main(
        SimpleNamespace(
            params=SimpleNamespace(step=step),
            input=SimpleNamespace(**{name: folder / f"{name}.parquet" for name in tables}),
            output=outputs,
        )
    )
    return outputs
