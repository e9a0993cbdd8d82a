"""Runs the scripts of all jobs one after the other in Snakemake's own process, and times them.

So a study takes what its computations take, without the start of a process for each job. Only for
benchmarks: the rule and the seconds of each job are appended to the file that
``FIDELITY_TIMES`` names.
"""

import json
import os
import runpy
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

import pandas  # noqa: F401  (some scripts forbid its first import, which others need)
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.settings import CommonSettings

common_settings = CommonSettings(
    non_local_exec=False,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    pass_envvar_declarations_to_cmd=False,
    auto_deploy_default_storage_provider=False,
)


class Executor(RealExecutor):
    """Runs a job where it stands."""

    def run_job(self, job) -> None:
        """Run the job's script, if it has one, and keep the time."""
        submitted = SubmittedJobInfo(job)
        self.report_job_submission(submitted)
        if job.rule.script:
            self.workflow.async_run(job.prepare())
            took = _seconds(job)
            Path(job.benchmark).touch()  # Snakemake misses it else
            with open(os.environ["FIDELITY_TIMES"], "a", encoding="utf-8") as times:
                times.write(json.dumps([job.rule.name, took]) + "\n")
        self.report_job_success(submitted)

    def get_python_executable(self) -> str:
        """Nothing is started."""
        raise NotImplementedError

    def get_exec_mode(self) -> str:
        """Nothing is started."""
        raise NotImplementedError

    def get_job_exec_prefix(self, job) -> str:
        """Nothing is started."""
        raise NotImplementedError

    cores = 1

    def cancel(self) -> None:
        """Nothing is left to be cancelled."""

    def shutdown(self) -> None:
        """Nothing is left to be ended."""


def _seconds(job) -> float:
    files = {name: getattr(job, name)._plainstrings() for name in ("input", "output", "log")}
    given = SimpleNamespace(
        rule=job.rule.name,
        params=job.params,
        wildcards=job.wildcards,
        threads=job.threads,
        resources=job.resources,
        **files,
    )
    script = os.path.join(os.path.dirname(job.rule.snakefile), job.rule.script)
    start = perf_counter()
    runpy.run_path(script, init_globals={"snakemake": given})
    return perf_counter() - start
