"""A town's survey, and two versions of a model of which the second is worse by a known amount."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from small_study import REPOSITORY

OPTIONS = ["yes", "no", "maybe"]
TOPICS, EACH, PEOPLE, DRAWS = 10, 4, 1000, 60
NAMES = [f"q{j:02d}" for j in range(TOPICS * EACH)]
WORSE = NAMES[: len(NAMES) // 2]
OLD_OFF, NEW_OFF = 0.05, 0.2
RISE = (NEW_OFF - OLD_OFF) / 2
BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shares() -> dict[str, np.ndarray]:
    """Return people's true shares of the options of each question."""
    rng = np.random.default_rng(3)
    return {name: rng.dirichlet([30.0, 30.0, 30.0]) for name in NAMES}


def stated(worse: list[str]) -> dict[str, np.ndarray]:
    """Return what a model states: by total variation .05 off, on some questions .2.

    It is off in two directions: in one, the rise would be the largest that any people could make,
    at which intervals end.
    """
    old, new = OLD_OFF * np.array([1, 0, -1]), NEW_OFF * np.array([1, -1, 0])
    return {name: p + (new if name in worse else old) for name, p in shares().items()}


def long(rows: dict[str, np.ndarray], column: str) -> pd.DataFrame:
    """Return a row for each question and option."""
    return pd.DataFrame(
        [
            {"scenario": name, "value": option, column: value}
            for name, values in rows.items()
            for option, value in zip(OPTIONS, values, strict=True)
        ]
    )


def drawn(seed: int) -> dict[str, np.ndarray]:
    """Return answers of the first version, sampled."""
    rng = np.random.default_rng(seed)
    return {name: rng.multinomial(DRAWS, q / q.sum()) for name, q in stated([]).items()}


def write(folder: Path) -> None:
    """Write the files of answers, and that of questions, whose places run backwards."""
    rng = np.random.default_rng(4)
    people = {name: rng.multinomial(PEOPLE, p) for name, p in shares().items()}
    long(people, "count").to_csv(folder / "people.csv", index=False)
    for version, worse in ((1, []), (2, WORSE)):
        long(stated(worse), "probability").to_csv(folder / f"model_{version}.csv", index=False)
        long(drawn(version), "count").to_csv(folder / f"sampled_{version}.csv", index=False)
    pd.DataFrame(
        {
            "scenario": NAMES,
            "topic": [f"topic {j // EACH}" for j in range(len(NAMES))],
            "place": range(len(NAMES), 0, -1),
        }
    ).to_csv(folder / "questions.csv", index=False)


def guide(name: str) -> str:
    """Return a how-to."""
    return (REPOSITORY / "docs" / "howto" / f"{name}.md").read_text(encoding="utf-8")


def commands(text: str) -> list[list[str]]:
    """Return the commands of a how-to, without the program's name."""
    found = re.findall(r"^    \.venv/bin/fidelity-curves (.*)$", text, re.MULTILINE)
    return [command.split() for command in found]


def run(folder: Path, *arguments: str, status: int = 0) -> str:
    """Run a command in a folder, check its exit status, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "fidelity_study", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr
