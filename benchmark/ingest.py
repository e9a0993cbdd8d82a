"""How fast and in how much memory a big file is read, against DuckDB and Polars: seconds and MB.

The file: an answer of each of 96,220 people to each of 235 questions, 3 % of them missing, from a
fixed seed; long and wide, as CSV and as Parquet. DuckDB and Polars count the answers of each
scenario and value, with their defaults. Our ingest job does what its rule does: it checks every
cell, counts, and writes its tables. Each run is a process of its own, in which imports are not
counted. The shortest of five rounds counts, in which all take turns; of the memory, the highest.

Run it with ``make benchmark``, or with ``pip install -e ".[benchmark]"`` in an environment of your
own. DuckDB and Polars are left out where they are not installed.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from types import SimpleNamespace

PEOPLE, QUESTIONS, OPTIONS, MISSING = 96_220, 235, 5, 0.03
FILES = ("long.csv", "wide.csv", "long.parquet", "wide.parquet")
ROUNDS, GOAL, MOST_MEMORY = 5, 1.5, 600
TABLES = ("outcomes", "scenarios", "stated", "stated_by_persona", "missing", "personas")
TABLES += ("respondents", "runs")
Counts = dict[tuple[str, int | None], int]


def generate(folder: Path) -> None:
    """Write the files, and one of a simulator that answers each question once."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    generator = np.random.default_rng(0)
    answer = generator.integers(1, OPTIONS + 1, (PEOPLE, QUESTIONS), dtype=np.int8)
    none = generator.random((PEOPLE, QUESTIONS), dtype=np.float32) < MISSING
    names = [f"Q{j + 1}" for j in range(QUESTIONS)]
    place = pa.array(np.tile(np.arange(QUESTIONS, dtype=np.int32), PEOPLE))
    tables = {
        "long": pa.table(
            {
                "scenario": pa.DictionaryArray.from_arrays(place, names).cast(pa.string()),
                "value": pa.array(answer.ravel(), mask=none.ravel()),
            }
        ),
        "wide": pa.table(
            {name: pa.array(answer[:, j], mask=none[:, j]) for j, name in enumerate(names)}
        ),
    }
    plain = pa.csv.WriteOptions(quoting_style="none")
    for form, table in tables.items():
        pa.csv.write_csv(table, folder / f"{form}.csv", plain)
        pq.write_table(table, folder / f"{form}.parquet")
    rows = "".join(f"{name},model,{j % OPTIONS + 1}\n" for j, name in enumerate(names))
    (folder / "simulated.csv").write_text(f"scenario,simulator,value\n{rows}", encoding="utf-8")


def duckdb(path: Path) -> Callable[[], Counts]:
    """Return a function that counts with DuckDB."""
    import duckdb

    rows = f"FROM '{path}'"
    if path.stem == "wide":
        rows = f"FROM ({rows}) UNPIVOT INCLUDE NULLS (value FOR scenario IN (COLUMNS(*)))"
    query = f"SELECT scenario, value, count(*) {rows} GROUP BY ALL"
    return lambda: {(name, value): n for name, value, n in duckdb.sql(query).fetchall()}


def polars(path: Path) -> Callable[[], Counts]:
    """Return a function that counts with Polars."""
    import polars

    def count() -> Counts:
        rows = polars.scan_csv(path) if path.suffix == ".csv" else polars.scan_parquet(path)
        if path.stem == "wide":
            rows = rows.unpivot(variable_name="scenario", value_name="value")
        table = rows.group_by("scenario", "value").len().collect()
        return {(name, value): n for name, value, n in table.iter_rows()}

    return count


def ingest(path: Path) -> Callable[[], Counts]:
    """Return a function that runs our ingest job, and reads the tables that it wrote."""
    from fidelity_study.reading.ingest.save import save
    from fidelity_study.reading.tabular.assemble import responses
    from fidelity_study.tables.ingest import MISSING, OUTCOMES
    from fidelity_study.tables.read_write import read

    folder = path.parent
    job = SimpleNamespace(
        output={name: str(folder / f"made_{name}.parquet") for name in TABLES},
        params=SimpleNamespace(
            step={
                "seed": 1,
                "dataset": "benchmark",
                "outcome": {"kind": "categorical"},
                "cluster": "none",
                "clustered": False,
                "provenance": {},
                "simulators": ["model"],
                "draws": 20,
                "weighting_effect": None,
                "options": {"human": str(path), "simulated": str(folder / "simulated.csv")},
            }
        ),
    )

    def count() -> Counts:
        save(job, responses(job.params.step))
        counts: Counts = {}
        for name, schema, column in (
            ("outcomes", OUTCOMES, "value"),
            ("missing", MISSING, "reason"),
        ):
            table = read(job.output[name], schema)
            for row in table.to_pylist():
                if row["source"] == "human":
                    value = None if column == "reason" else int(row["value"])
                    counts[row["scenario"], value] = int(row["count"])
        return counts

    return count


READERS = {"ingest": ingest, "duckdb": duckdb, "polars": polars}


def measure(reader: str, path: Path) -> None:
    """Count, and print how long it took, the peak of the memory in MB, and the counts."""
    count = READERS[reader](path)
    start = perf_counter()
    counts = count()
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([seconds, peak, sorted([*key, n] for key, n in counts.items() if key[1])]))


def in_own_process(*arguments: str | Path) -> str:
    """Return what a process prints that runs a part of this script."""
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def compared(path: Path, readers: list[str]) -> dict[str, tuple[float, float]]:
    """Return the shortest time of each, and its highest memory; their counts must be the same."""
    seconds: dict[str, list[float]] = {reader: [] for reader in readers}
    peaks: dict[str, list[float]] = {reader: [] for reader in readers}
    agreed = None
    for _ in range(ROUNDS):
        for reader in readers:
            took, peak, counts = json.loads(in_own_process(reader, path))
            agreed = counts if agreed is None else agreed
            if counts != agreed:
                sys.exit(f"{reader} counts something else in {path.name} than {readers[0]}")
            seconds[reader].append(took)
            peaks[reader].append(peak)
    return {reader: (min(seconds[reader]), max(peaks[reader])) for reader in readers}


def main() -> None:
    """Print the table."""
    readers = [name for name in READERS if name == "ingest" or find_spec(name)]
    absent = [name for name in READERS if name not in readers]
    if absent:
        print(f"not installed, so left out: {', '.join(absent)}; pip install -e '.[benchmark]'")
    print(f"{PEOPLE * QUESTIONS:,} answers; goal: {GOAL} x the faster one, {MOST_MEMORY} MB")
    print(f"{'file':14}{'MB':>6}  " + "".join(f"{name:>18}" for name in readers) + f"{'ratio':>8}")
    with TemporaryDirectory() as folder:
        # A process takes over the peak of the one that starts it, so that this one must stay small.
        in_own_process("generate", folder)
        for name in FILES:
            path = Path(folder) / name
            found = compared(path, readers)
            line = f"{name:14}{path.stat().st_size / 1e6:6.0f}  "
            line += "".join(f"{took:8.2f} s {peak:5.0f} MB" for took, peak in found.values())
            others = [took for reader, (took, _) in found.items() if reader != "ingest"]
            ratio = f"{found['ingest'][0] / min(others):8.2f}" if others else ""
            print(line + ratio, flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            main()
        case ["generate", folder]:
            generate(Path(folder))
        case [reader, path]:
            measure(reader, Path(path))
