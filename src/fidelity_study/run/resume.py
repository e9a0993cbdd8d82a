"""Go on with the study that ran last in this folder.

Arguments are handed on to Snakemake. With ``--configfile`` among them, that study is resumed; what
``--config`` overrides is added to the study that ran last.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path

from fidelity_study.errors import DataError
from fidelity_study.run.command import WORKFLOW, snakemake

RECORD = Path(".snakemake", "fidelity_study.json")
NAME_IT = "--configfile FILE (and --snakefile FILE if it is not in this folder)"
FOUND = ("Snakefile", "snakefile", "workflow/Snakefile", "workflow/snakefile")
LISTS = ("targets", "configfile", "config")


def remember(
    snakefile: str | Path,
    configfiles: Iterable[str | Path],
    config: Iterable[str],
    targets: Iterable[str],
):
    """Note which study starts here.

    Args:
        snakefile: the workflow.
        configfiles: where its config is read from.
        config: what overrides it, as ``--config`` takes it: ``key=value``.
        targets: the rules or files that are asked for; none for the whole study.
    """
    told = {
        "snakefile": _seen_from_here(snakefile),
        "targets": sorted(targets),
        "configfile": [_seen_from_here(file) for file in configfiles],
        "config": list(config),
    }
    RECORD.parent.mkdir(exist_ok=True)
    partial = RECORD.with_suffix(".partial")
    partial.write_text(json.dumps(told), encoding="utf-8")
    os.replace(partial, RECORD)


def _seen_from_here(file: str | Path) -> str:
    """Return a path that stays right when the folder is moved: relative only if it is inside."""
    path = os.path.relpath(file)
    return os.path.abspath(file) if path.startswith(os.pardir) else path


def arguments(handed_on: list[str]) -> list[str]:
    """Return Snakemake's arguments for the study to be resumed; Snakemake's default if none ran.

    Raises:
        DataError: if no study ran here, it is not known which one, or one of its files is gone.
    """
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+")
    parser.add_argument("--config", "-C", nargs="*", action="extend", default=[])
    parser.add_argument("--snakefile", "-s")
    own, others = parser.parse_known_args(handed_on)
    elsewhere = not (own.snakefile or any(map(os.path.exists, FOUND)))
    if own.configfile:
        return [*handed_on, *(["--snakefile", WORKFLOW] if elsewhere else [])]
    if not RECORD.exists():
        if elsewhere:
            raise DataError(
                "no study ran in this folder yet; start one: python -m fidelity_study run CONFIG"
            )
        return handed_on
    told = _recorded()
    snakefile = own.snakefile or told["snakefile"]
    for file in (snakefile, *told["configfile"]):
        if not os.path.exists(file):
            raise DataError(
                f"{file}: is gone, and the study that ran last in this folder needs it; put it "
                f"back, or name a study: {NAME_IT}"
            )
    named = study(snakefile, told["configfile"], [*told["config"], *own.config])
    return [*told["targets"], *others, *named]


def study(snakefile: str, configfiles: Iterable[str], config: Iterable[str]) -> list[str]:
    """Return the options of Snakemake that name a study; see :func:`remember`."""
    options = {"snakefile": [snakefile], "configfile": configfiles, "config": config}
    return [
        each
        for key, values in options.items()
        if values
        for each in (f"--{key}", *map(str, values))
    ]


def _recorded() -> dict:
    """Return what was noted; raise DataError if it is damaged."""
    try:
        told = json.loads(RECORD.read_text(encoding="utf-8"))
        whole = isinstance(told["snakefile"], str) and all(
            isinstance(told[key], list) and all(isinstance(each, str) for each in told[key])
            for key in LISTS
        )
    except (OSError, ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise DataError(
            f"{RECORD}: is damaged, so it is not known which study ran last in this folder; "
            f"name it: {NAME_IT}"
        )
    return told


def main(handed_on: list[str]) -> int:
    """Take Snakemake's lock away and run it; return its exit status."""
    try:
        chosen = arguments(handed_on)
    except DataError as error:
        print(error, file=sys.stderr)
        return 1
    print("resuming: snakemake", *chosen, file=sys.stderr, flush=True)
    unlocked = subprocess.run(snakemake(["--unlock", *chosen])).returncode
    return unlocked or subprocess.run(snakemake(chosen)).returncode
