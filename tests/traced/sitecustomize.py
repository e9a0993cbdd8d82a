"""Notes whose functions a step of a study calls: with this folder on the path Python runs it first.

A step is a fork of a fork of Snakemake's process. The bodies of modules and classes are left out:
what is imported and never called changes nothing.
"""

import atexit
import inspect
import json
import os
import sys
import threading
from pathlib import Path


def begin() -> None:
    """Note the file of each function that this fork calls, from its script on."""
    executed, scripts = set(), []

    def watch(frame, event, _):
        """Note the file of each function that is called, but for those that an import calls."""
        file = frame.f_code.co_filename
        if event != "call" or file in executed:
            return
        if file == sys.argv[0]:
            scripts.append(frame.f_globals)
        if not scripts or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return
        while frame is not None and "importlib" not in frame.f_code.co_filename:
            frame = frame.f_back
        if frame is None:
            executed.add(file)

    def note():
        """Leave what was executed, and for which step it was."""
        if scripts:
            job = scripts[0]["snakemake"]
            name = Path(sys.argv[0]).name.partition(".")[2]  # Snakemake's copy: a random word first
            told = {
                "script": str(Path(job.scriptdir, name).resolve()),
                **{key: job.params.step.get(key) for key in ("main", "dataset")},
                "files": sorted(executed),
            }
            path = Path(os.environ["FIDELITY_TRACES"], f"{os.getpid()}.json")
            path.write_text(json.dumps(told), encoding="utf-8")

    sys.setprofile(watch)
    threading.setprofile(watch)
    atexit.register(note)


if "FIDELITY_TRACES" in os.environ:
    os.register_at_fork(after_in_child=begin)
