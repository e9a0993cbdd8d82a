"""Notes which files a step of a study executes: with this folder on the path Python runs it first.

A function can run only in a process that has executed its file, at an import or otherwise; of each
such file Python tells the hook here.
"""

import atexit
import json
import os
import sys
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
    sys.addaudithook(
        lambda event, details: executed.add(details[0].co_filename) if event == "exec" else None
    )
    atexit.register(note)
