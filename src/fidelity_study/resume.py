"""Go on with the study that ran last in this folder: ``python -m fidelity_study.resume``.

Arguments are handed on to Snakemake. With ``--configfile`` among them, that study is resumed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

RECORD = Path(".snakemake", "fidelity_study.json")
OWN_CONFIG = ("--configfile", "--configfiles", "--config", "-C")


def remember(configfiles: Iterable[str | Path], config: Iterable[str], targets: Iterable[str]):
    """Note which study starts here.

    Args:
        configfiles: where its config is read from.
        config: what overrides it, as ``--config`` takes it: ``key=value``.
        targets: the rules or files that are asked for; none for the whole study.
    """
    files = [os.path.relpath(file) for file in configfiles]
    told = {"targets": sorted(targets), "configfile": files, "config": list(config)}
    RECORD.parent.mkdir(exist_ok=True)
    RECORD.write_text(json.dumps(told), encoding="utf-8")


def arguments(handed_on: list[str]) -> list[str]:
    """Return Snakemake's arguments for the study to be resumed; Snakemake's default if none ran."""
    given = {each.partition("=")[0] for each in handed_on}
    if given & set(OWN_CONFIG) or not RECORD.exists():
        return handed_on
    told = json.loads(RECORD.read_text(encoding="utf-8"))
    options = ([f"--{key}", *told[key]] for key in ("configfile", "config") if told[key])
    return [*told["targets"], *handed_on, *(each for option in options for each in option)]


def main(handed_on: list[str]) -> int:
    """Take Snakemake's lock away and run it; return its exit status."""
    chosen = arguments(handed_on)
    snakemake = [sys.executable, "-m", "snakemake"]
    print("resuming: snakemake", *chosen, file=sys.stderr, flush=True)
    unlocked = subprocess.run([*snakemake, "--unlock", *chosen]).returncode
    return unlocked or subprocess.run([*snakemake, *chosen]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
