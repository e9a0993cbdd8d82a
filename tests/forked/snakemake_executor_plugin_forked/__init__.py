"""Runs each script in a fork of Snakemake's process, which has imported what scripts import.

For tests: the scripts, their jobs, rules, logs and exit statuses are those of Snakemake's local
executor. Only Python's start and its imports are spared, which take most of a small study's time.
"""

import atexit
import gc
import os
import signal
import subprocess
import sys
import traceback
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from types import ModuleType

from snakemake.benchmark import benchmarked
from snakemake.executors.local import Executor, common_settings
from snakemake.script import PythonScript

__all__ = ["Executor", "common_settings"]

IMPORTED = (
    "jsonschema", "matplotlib.figure", "matplotlib.backends.backend_agg", "pandas",
    "pyarrow.parquet", "scipy.optimize", "scipy.special", "scipy.stats",
)  # fmt: skip


@cache
def imported() -> None:
    """Import what takes long."""
    for name in IMPORTED:
        import_module(name)
    gc.freeze()


def execute_script(job: PythonScript, name: str, edit: bool = False) -> None:
    """Run a script, and wait for it; raise CalledProcessError if it fails."""
    imported()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        _run(name)
    record = job.bench_record
    with nullcontext() if record is None else benchmarked(child, record):
        _, status = os.waitpid(child, 0)
    if code := os.waitstatus_to_exitcode(status):
        raise subprocess.CalledProcessError(code, f"{sys.executable} {name}")


def _run(name: str) -> None:
    """Run a script as Python would that has just been started; don't return."""
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        atexit._clear()
        sys.argv = [name]
        sys.modules["__main__"] = main = ModuleType("__main__")
        main.__file__ = name
        with open(name, encoding="utf-8") as file:
            exec(compile(file.read(), name, "exec"), main.__dict__)
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else bool(ended.code)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


PythonScript.execute_script = execute_script
