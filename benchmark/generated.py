"""A study of any size, from a fixed seed: people's and simulators' answers as tables of counts."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

OPTIONS, CLUSTERS = 4, 50
GRID = {"n": ["all"], "k": ["all"], "gamma": [0.5], "discrepancy": ["squared"], "replicates": 1}


def write(folder: Path, m: int, simulators: int, n: tuple[int, int], grid: dict) -> Path:
    """Write the answers of ``m`` scenarios and a config; return the config's path.

    Args:
        folder: where to.
        m: number of scenarios.
        simulators: their number; each gives 100 answers to each scenario.
        n: from how many to how many people answer a scenario.
        grid: what differs from a single cell.
    """
    folder.mkdir()
    generator = np.random.default_rng(0)
    p = generator.dirichlet(np.ones(OPTIONS), m)
    people = generator.multinomial(generator.integers(*n, m, endpoint=True), p)
    pq.write_table(_counts(people), folder / "human.parquet")
    names = [f"model{s}" for s in range(simulators)]
    answers = []
    for name in names:
        q = 0.9 * p + 0.1 * generator.dirichlet(np.ones(OPTIONS), m)
        table = _counts(generator.multinomial(100, q / q.sum(1, keepdims=True)))
        answers.append(table.append_column("simulator", pa.array([name] * len(table))))
    pq.write_table(pa.concat_tables(answers), folder / "simulated.parquet")
    config = folder / "config.yaml"
    dataset = {
        "ingest": "tabular",
        "human": "human.parquet",
        "simulated": "simulated.parquet",
        "outcome": {"kind": "ordinal", "levels": [*range(1, OPTIONS + 1)]},
        "cluster": "topic",
        "simulators": names,
        "figures": ["curve"],
    }
    study = {"grid": {**GRID, **grid}, "datasets": {"generated": dataset}}
    config.write_text(yaml.safe_dump(study), encoding="utf-8")
    return config


def _counts(counts: np.ndarray) -> pa.Table:
    """Return a table of counts (m, OPTIONS), those of 0 left out."""
    scenario, option = np.nonzero(counts)
    names = pa.array([f"question {j}" for j in range(len(counts))])
    topics = pa.array([f"topic {j % CLUSTERS}" for j in range(len(counts))])
    return pa.table(
        {
            "scenario": names.take(pa.array(scenario)),
            "topic": topics.take(pa.array(scenario)),
            "value": option + 1,
            "count": counts[scenario, option],
        }
    )
