"""How far a long step is: a bar on a terminal, lines in a log, or a word to the study's own bar."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm

FOLDER = "FIDELITY_PROGRESS"  # the variable that names where a study's bar looks
STEPS = re.compile(r"(\d+) of (\d+) steps")
BETWEEN_LINES = 10.0
WIDTH = 100


def bar(description: str, **more) -> tqdm:
    """Return a bar to be updated; ``more`` is what tqdm takes: ``total, initial, unit``."""
    from tqdm import tqdm  # takes a third of a second, and most steps need none

    folder = Path(os.environ.get(FOLDER, ""))
    if FOLDER in os.environ and folder.is_dir():  # on another node it is not
        return tqdm(desc=description, file=State(folder), ncols=WIDTH, leave=False, **more)
    if sys.stderr.isatty():
        return tqdm(desc=description, mininterval=0.2, maxinterval=BETWEEN_LINES, **more)
    pace = {"mininterval": BETWEEN_LINES, "maxinterval": BETWEEN_LINES}
    return tqdm(desc=description, file=Lines(), ncols=WIDTH, **pace, **more)


def states(folder: Path) -> list[str]:
    """Return the progress that running steps report."""
    found = []
    for path in sorted(folder.glob("*[0-9]")):
        try:
            found.append(path.read_text(encoding="utf-8"))
        except FileNotFoundError:  # it has just ended
            continue
    return found


def steps(done: int, total: int) -> str:
    """Return how many steps of a study are done in words, which :data:`STEPS` reads."""
    return f"{done} of {total} steps"


def duration(seconds: float) -> str:
    """Return a time in words, such as ``2 min 05 s``."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


class Lines:
    """A stream on which each state of a progress bar is a line, as in a log file."""

    def write(self, text: str) -> None:
        """Write a state as a line."""
        if state := text.strip():
            print(state, file=sys.stderr, flush=True)

    def flush(self) -> None:
        """Do nothing: each line is flushed."""


class State:
    """A stream of which only the last state is kept, in a file of this process."""

    def __init__(self, folder: Path):
        """The file is in ``folder``."""
        self._path = folder / str(os.getpid())

    def write(self, text: str) -> None:
        """Keep a state; a bar that has ended leaves none."""
        if state := text.strip():
            beside = self._path.with_suffix(".new")
            beside.write_text(state, encoding="utf-8")
            beside.replace(self._path)
        else:
            self._path.unlink(missing_ok=True)

    def flush(self) -> None:
        """Do nothing: each state is written at once."""
