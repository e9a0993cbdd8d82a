"""How far a study is: a live bar on a terminal, a line for each step in a log."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import monotonic
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from snakemake_interface_logger_plugins.common import LogEvent

from fidelity_study.progress import FOLDER, duration, states, steps

A_SECOND = 4  # how often the bar is drawn
A_MINUTE = 60.0
MOST_CELLS = 8
SILENT = "is empty, as when the job was killed; it may have run out of memory"
EACH_ROUND = "Select jobs to execute..."


class Log(logging.Handler):
    """Shows Snakemake's events in a log: a line after each step, and what fails or is doubtful.

    Steps that tell how far they are (:mod:`fidelity_study.progress`) do so once in a minute.
    """

    on_terminal: bool | None = False  # whatever the variables of a notebook force

    def __init__(self, formatter: logging.Formatter | None):
        """Messages that stay are put into words by ``formatter``."""
        super().__init__()
        self.setFormatter(formatter)
        self._running: dict[int, str] = {}
        self._logs: dict[int, list[str]] = {}
        self._done = self._total = 0
        self._start: float | None = None
        self._last = ""
        self._told = TemporaryDirectory(prefix="fidelity-progress-")
        os.environ[FOLDER] = self._told.name
        self._console = Console(stderr=True, force_terminal=self.on_terminal)
        self._ended = Event()

    def emit(self, record: Any) -> None:
        """Take in one message of Snakemake's."""
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO:
                self._total = record.stats["total"]
                if self._start is None:
                    self._start = monotonic()
                    self._begin()
            case LogEvent.JOB_INFO:
                self._running[record.jobid] = cell(record.rule_name, record.wildcards)
                self._logs[record.jobid] = record.log
            case LogEvent.JOB_FINISHED:
                self._last = self._running.pop(record.job_id, "")
                for _, text in said(self._logs.pop(record.job_id, [])):
                    self._say(text, "yellow")
            case LogEvent.PROGRESS:
                self._done, self._total = record.done, record.total
                self._step()
            case None if record.msg != EACH_ROUND:
                self._print(record)
            case LogEvent.JOB_ERROR:
                name = self._running.pop(record.jobid, record.rule_name)
                self._say(failure(name, record.log), "red")
            case LogEvent.ERROR | LogEvent.GROUP_ERROR:
                self._print(record)

    def close(self) -> None:
        """Say how many steps were done."""
        if self._start is not None:
            self._end()
            took = duration(monotonic() - self._start)
            self._say(f"{steps(self._done, self._total)} done in {took}")
            self._start = None
        self._told.cleanup()
        super().close()

    def _begin(self) -> None:
        self._say(steps(0, self._total))
        Thread(target=self._each_minute, daemon=True).start()

    def _step(self) -> None:
        self._say(f"{steps(self._done, self._total)}: {self._last}")

    def _end(self) -> None:
        self._ended.set()

    def _each_minute(self) -> None:
        while not self._ended.wait(A_MINUTE):
            for state in states(Path(self._told.name)):
                self._say(state)

    def _print(self, record: logging.LogRecord) -> None:
        color = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}
        if message := self.format(record):
            self._say(message, color.get(record.levelname, ""))

    def _say(self, text: str, color: str = "") -> None:
        self._console.print(Text(text, style=color), soft_wrap=True)


class Bar(Log):
    """Shows them as a bar on a terminal, which is gone in the end; errors and warnings stay."""

    on_terminal = None  # it is looked at

    def __init__(self, formatter: logging.Formatter | None):
        """Messages that stay are put into words by ``formatter``."""
        super().__init__(formatter)
        self._live = Live(
            get_renderable=self._drawn,
            console=self._console,
            refresh_per_second=A_SECOND,
            transient=True,
        )

    def _begin(self) -> None:
        self._live.start()

    def _step(self) -> None:
        """Leave it to the bar."""

    def _end(self) -> None:
        self._live.stop()

    def _drawn(self) -> Group:
        line = Table.grid(padding=(0, 1), expand=True)
        line.add_column(ratio=1)
        line.add_column(no_wrap=True)
        line.add_row(
            ProgressBar(total=max(self._total, 1), completed=self._done),
            f"{steps(self._done, self._total)}, {self._left()}",
        )
        cells = [*self._running.values(), *states(Path(self._told.name))]
        lines = [
            Text(f"  {name}", no_wrap=True, overflow="ellipsis") for name in cells[:MOST_CELLS]
        ]
        if len(cells) > MOST_CELLS:
            lines.append(Text(f"  and {len(cells) - MOST_CELLS} more"))
        return Group(line, *lines)

    def _left(self) -> str:
        if not self._done or self._start is None:
            return "starting"
        elapsed = monotonic() - self._start
        return f"about {duration(elapsed / self._done * (self._total - self._done))} left"


def cell(rule: str, wildcards: dict) -> str:
    """Return a job's rule, and the cell of the study that it computes."""
    return " ".join([rule, *(f"{name}={value}" for name, value in wildcards.items())])


def failure(name: str, logs: list[str]) -> str:
    """Return that a job has failed, and what it left in its logs."""
    texts = dict(said(logs))
    lines = [
        f"{path} says:\n{texts[path]}" if path in texts else f"{path} {SILENT}" for path in logs
    ]
    return "\n".join([f"{name} failed", *lines])


def said(logs: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the logs that hold anything, and what they hold."""
    for path in logs:
        try:
            text = Path(path).read_text(encoding="utf-8", errors="replace").strip()
        except FileNotFoundError:
            continue
        if text:
            yield path, text
