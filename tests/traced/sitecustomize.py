"""Notes whose functions a step of a study calls: with this folder on the path Python runs it first.

The bodies of modules and classes are left out: what is imported and never called changes nothing.
"""

import atexit
import inspect
import json
import os
import sys
import threading
from pathlib import Path


def note() -> None:
    """Leave what this process executed, and for which step it did."""
    job = sys.modules["__main__"].snakemake
    told = {
        "script": str(Path(job.scriptdir, SCRIPT.name.partition(".")[2]).resolve()),
        "dataset": job.params.step.get("dataset"),
        "files": sorted(executed),
    }
    path = Path(os.environ["FIDELITY_TRACES"], f"{os.getpid()}.json")
    path.write_text(json.dumps(told), encoding="utf-8")


SCRIPT = Path(sys.orig_argv[-1])  # Snakemake's copy: a random word, a dot, and the script's name

if "FIDELITY_TRACES" in os.environ and SCRIPT.parent.match(".snakemake/scripts"):
    executed = set()

    def watch(frame, event, _):
        """Note the file of each function that is called, but for those that an import calls."""
        file = frame.f_code.co_filename
        if event != "call" or file in executed or not frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return
        while frame is not None and "importlib" not in frame.f_code.co_filename:
            frame = frame.f_back
        if frame is None:
            executed.add(file)

    sys.setprofile(watch)
    threading.setprofile(watch)
    atexit.register(note)
