"""Steps that start no Python: each is a fork of a process that has imported what steps import.

Snakemake finds this package by its name; the option ``--executor fidelity`` asks for it. Jobs,
logs, benchmarks and exit statuses are those of Snakemake's local executor. So is all on systems
other than Linux, where a fork of a process that has imported NumPy may hang.
"""

import subprocess
import sys
from contextlib import nullcontext
from functools import partialmethod
from typing import TYPE_CHECKING

from snakemake.benchmark import benchmarked
from snakemake.exceptions import WorkflowError
from snakemake.executors.local import Executor as LocalExecutor
from snakemake.executors.local import common_settings
from snakemake.script import PythonScript

if TYPE_CHECKING:
    from snakemake_executor_plugin_fidelity.forks import Forks

__all__ = ["Executor", "common_settings"]

PATH = sys.path[not sys.flags.safe_path :]  # as scripts have it: Snakemake will add its own folders


class Executor(LocalExecutor):
    """Runs jobs on this machine, those of Python scripts as forks."""

    forks: "Forks | None" = None

    def __post_init__(self) -> None:
        """Start the process that is forked, before any job runs."""
        super().__post_init__()
        if sys.platform == "linux":
            from snakemake_executor_plugin_fidelity.forks import Forks

            rules = {job.rule.name for job in self.workflow.dag.needrun_jobs()}
            self.forks = Forks(PATH, [f"fidelity_study.steps.{rule}" for rule in sorted(rules)])
            PythonScript.execute_script = partialmethod(run, self.forks)

    def shutdown(self) -> None:
        """Wait for jobs, and end the process that is forked."""
        super().shutdown()
        if self.forks:
            self.forks.close()

    cancel = shutdown


def run(script: PythonScript, forks: "Forks", name: str, edit: bool = False) -> None:
    """Run a script to its end, in place of Snakemake's method, which starts Python.

    Raises:
        CalledProcessError: if it fails.
        WorkflowError: if it is killed.
    """
    with forks.fork(name, script.threads, script.resources.get("tmpdir")) as fork:
        record = script.bench_record
        with nullcontext() if record is None else benchmarked(fork.pid, record):
            status = fork.run()
    if status is None:
        raise WorkflowError("the step was killed by a signal, as it is if memory runs out")
    if status:
        raise subprocess.CalledProcessError(status, f"{sys.executable} {name}")
