"""The smallest study of files: two questions, people's counts and a model's."""

from pathlib import Path

HUMAN = "scenario,value,count\na,yes,{}\na,no,6\nb,yes,5\nb,no,5\n"
SIMULATED = "scenario,simulator,value,count\na,model,yes,2\na,model,no,8\nb,model,no,10\n"
SETTINGS = {
    "ingest": "tabular",
    "human": "human.csv",
    "simulated": "simulated.csv",
    "outcome": {"kind": "binary"},
    "cluster": "none",
    "simulators": ["model"],
}


def config(dataset: str, **settings) -> dict:
    """Return the config of a study of one dataset."""
    grid = {"n": ["all"], "k": ["all"], "gamma": [0.5]}
    return {"seed": 1, "grid": grid, "datasets": {dataset: {**SETTINGS, **settings}}}


def write(folder: Path, yes: int = 4) -> None:
    """Write the files of answers."""
    (folder / "human.csv").write_text(HUMAN.format(yes), encoding="utf-8")
    (folder / "simulated.csv").write_text(SIMULATED, encoding="utf-8")
