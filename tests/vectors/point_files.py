"""Files of answers that are texts or vectors, with a planted difference, for tests."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from tabular_step import step

from fidelity_study.reading.ingest.save import save
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.reading.tabular.vectors import vectors_of
from fidelity_study.tables.ingest import INGESTED

THINGS = {
    "work": ["more pay", "shorter hours", "a better boss", "less stress", "fewer meetings"],
    "city": ["too many cars", "high rents", "dirty streets", "noise at night", "no parks"],
}
CHAT, POLISH = ["maybe", "honestly", "guess"], ["furthermore", "overall", "importantly"]
NEEDED = ("scenarios", "outcomes", "respondents", "runs")


class Outputs(dict):
    """A step's paths by name."""

    given = None


def text_files(folder: Path, people: int = 60, runs: int = 40, seed: int = 0) -> dict[str, str]:
    """Write people's texts, and those of a simulator like them and of one with other words."""
    rng = np.random.default_rng(seed)

    def said(name, source, extra):
        return {
            "scenario": name,
            "respondent": source,
            "value": f"{rng.choice(extra)} {' and '.join(rng.choice(THINGS[name], 2))}",
        }

    human = [said(name, f"p{i}", CHAT) for i in range(people) for name in THINGS]
    simulated = [
        {"simulator": model, **said(name, f"r{i}", extra)}
        for model, extra in (("alike", CHAT), ("polished", POLISH))
        for i in range(runs)
        for name in THINGS
    ]
    return _written(folder, human, simulated)


def vector_files(folder: Path, shift: float = 2.0, seed: int = 0) -> dict[str, str]:
    """Write people's vectors in three columns, and those of two simulators, one moved."""
    rng = np.random.default_rng(seed)
    rows = {
        source: [
            {"scenario": name, "respondent": f"{source}{i}"}
            | {f"x{d + 1}": rng.normal() + far * (d == 2) for d in range(3)}
            for i in range(40)
            for name in ("a", "b")
        ]
        for source, far in (("p", 0.0), ("alike", 0.0), ("moved", shift))
    }
    simulated = [{"simulator": name, **row} for name in ("alike", "moved") for row in rows[name]]
    return _written(folder, rows["p"], simulated)


def _written(folder: Path, human: list[dict], simulated: list[dict]) -> dict[str, str]:
    files = {"human": str(folder / "people.csv"), "simulated": str(folder / "models.csv")}
    for path, rows in zip(files.values(), (human, simulated), strict=True):
        pd.DataFrame(rows).to_csv(path, index=False)
    return files


def ingested(
    files: dict[str, str], kind: str, simulators: list[str], **options: object
) -> dict[str, pa.Table]:
    """Return the tables of the ingest step that the step needs."""
    about = {"outcome": {"kind": kind}, "simulators": simulators, "curves": False}
    settings = step(**files, **options, **about)
    folder = Path(files["human"]).parent
    output = {name: folder / f"{name}.parquet" for name in INGESTED}
    save(
        SimpleNamespace(params=SimpleNamespace(step=settings), output=Outputs(output)),
        responses(settings),
    )
    return {name: pq.read_table(output[name]) for name in NEEDED}


def waiting_times(customers: int, runs: int, arrival, service, seed: int) -> np.ndarray:
    """Return the waiting times of customers in single queues (Lindley's recursion), (runs, n)."""
    rng = np.random.default_rng(seed)
    waits = np.zeros((runs, customers))
    for at in range(1, customers):
        step_ = service(rng, runs) - arrival(rng, runs)
        waits[:, at] = np.maximum(waits[:, at - 1] + step_, 0.0)
    return waits


def queue_files(folder: Path) -> dict[str, str]:
    """Write waiting times in a G/G/1 queue, simulated by the same and by an M/M/1 queue."""

    def gamma(mean, shape):
        return lambda rng, runs: rng.gamma(shape, mean / shape, runs)

    real, again, simple = (
        waiting_times(30, runs, gamma(1.0, shape), gamma(0.8, shape), seed)
        for runs, shape, seed in ((80, 4.0, 1), (60, 4.0, 2), (60, 1.0, 3))
    )

    def rows(waits, **about):
        return [
            {"scenario": "queue", **about, "respondent": f"day{run}", "time": at, "value": wait}
            for run, path in enumerate(waits)
            for at, wait in enumerate(path)
        ]

    simulated = [*rows(again, simulator="GG1"), *rows(simple, simulator="MM1")]
    return _written(folder, rows(real), simulated)


def vectors_in(tables: dict[str, pa.Table], options: dict | None = None) -> list:
    """Return the names of the dimensions and the vectors of each scenario."""
    return list(vectors_of(tables["scenarios"]["option"].to_pylist(), options or {}))
