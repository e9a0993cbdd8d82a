"""Logs of evaluations as tables of scores, each read once."""

import os
from functools import lru_cache

from fidelity_study.reading.evals.files import HARNESS, INSPECT, kind_of
from fidelity_study.reading.evals.harness import read_samples
from fidelity_study.reading.evals.inspect_logs import read_log
from fidelity_study.reading.evals.samples import Run

READERS = {INSPECT: read_log, HARNESS: read_samples}
MOST_KEPT = 16


def run_of(path: str) -> Run | None:
    """Return a log as a table of scores; None of a table.

    Raises:
        DataError: with what is wrong.
    """
    kind = kind_of(path)
    if kind not in READERS:
        return None
    about = os.stat(path)
    return _run_of(path, kind, (about.st_mtime_ns, about.st_size))


@lru_cache(MOST_KEPT)
def _run_of(path: str, kind: str, _: tuple[int, int]) -> Run:
    return READERS[kind](path)
