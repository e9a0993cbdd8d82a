"""A live bar on a terminal: steps done, what is running, and the time that is left."""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from snakemake_interface_logger_plugins.common import LogEvent

from fidelity_study.run.progress import FOLDER, duration, states, steps

A_SECOND = 4  # how often it is drawn
MOST_CELLS = 8
SILENT = "is empty, as when the job was killed; it may have run out of memory"
EACH_ROUND = "Select jobs to execute..."


class Bar(logging.Handler):
    """Shows Snakemake's events as a bar; errors and warnings stand above it and stay.

    Steps that tell how far they are (:mod:`fidelity_study.run.progress`) are shown with it.
    """

    on_terminal: bool | None = None  # it is looked at

    def __init__(self, formatter: logging.Formatter | None):
        """Messages that stay are put into words by ``formatter``."""
        super().__init__()
        self.setFormatter(formatter)
        self._running: dict[int, str] = {}
        self._logs: dict[int, list[str]] = {}
        self._done = self._total = 0
        self._start = monotonic()
        self._told = TemporaryDirectory(prefix="fidelity-progress-")
        os.environ[FOLDER] = self._told.name
        self._console = Console(stderr=True, force_terminal=self.on_terminal)
        self._live = Live(
            get_renderable=self._drawn,
            console=self._console,
            refresh_per_second=A_SECOND,
            transient=True,
        )

    def emit(self, record: Any) -> None:
        """Take in one message of Snakemake's."""
        match getattr(record, "event", None):
            case LogEvent.RUN_INFO:
                self._total = record.stats["total"]
                self._start = monotonic()
                self._live.start()
            case LogEvent.JOB_INFO:
                self._running[record.jobid] = cell(record.rule_name, record.wildcards)
                self._logs[record.jobid] = record.log
            case LogEvent.JOB_FINISHED:
                self._running.pop(record.job_id, None)
                for _, text in said(self._logs.pop(record.job_id, [])):
                    self._console.print(Text(text, style="yellow"), soft_wrap=True)
            case LogEvent.PROGRESS:
                self._done, self._total = record.done, record.total
            case None if record.msg != EACH_ROUND:
                self._print(record)
            case LogEvent.JOB_ERROR:
                name = self._running.pop(record.jobid, record.rule_name)
                self._console.print(Text(failure(name, record.log), style="red"), soft_wrap=True)
            case LogEvent.ERROR | LogEvent.GROUP_ERROR:
                self._print(record)

    def close(self) -> None:
        """Take the bar away and print how many steps were done."""
        if self._live.is_started:
            self._live.stop()
            took = duration(monotonic() - self._start)
            self._console.print(f"{steps(self._done, self._total)} done in {took}")
        self._told.cleanup()
        super().close()

    def _print(self, record: logging.LogRecord) -> None:
        message = self.format(record)
        if message:
            color = {"WARNING": "yellow", "ERROR": "red", "CRITICAL": "red"}.get(record.levelname)
            self._console.print(Text(message, style=color or ""), soft_wrap=True)

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
        if not self._done:
            return "starting"
        elapsed = monotonic() - self._start
        return f"about {duration(elapsed / self._done * (self._total - self._done))} left"


class Steps(Bar):
    """Says in a line after each step how many are done, for a program that reads it."""

    on_terminal = False  # whatever the variables of a notebook force

    def emit(self, record: Any) -> None:
        """Take in one message of Snakemake's."""
        super().emit(record)
        if getattr(record, "event", None) in (LogEvent.RUN_INFO, LogEvent.PROGRESS):
            print(steps(self._done, self._total), file=sys.stderr, flush=True)


def cell(rule: str, wildcards: dict) -> str:
    """Return a job's rule, and the cell of the study that it computes."""
    return " ".join([rule, *(f"{name}={value}" for name, value in wildcards.items())])


def failure(name: str, logs: list[str]) -> str:
    """Return that a job has failed, and what it left in its logs."""
    told = dict(said(logs))
    lines = [f"{path} says:\n{told[path]}" if path in told else f"{path} {SILENT}" for path in logs]
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
