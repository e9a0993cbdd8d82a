"""Go on with the study that ran last in this folder.

Arguments are handed on to Snakemake. With ``--configfile`` among them, that study is resumed; what
``--config`` overrides is added to the study that ran last. Studies of one folder may run at once,
each in one process; a lock of the system, which ends with that process, keeps others out, so that a
killed run leaves nothing to unlock.
"""

import errno
import fcntl
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TextIO

from fidelity_study.app.run.command import WORKFLOW, followed
from fidelity_study.errors import DataError

RECORD = Path(".snakemake", "fidelity_study.json")
LOCKS = Path(".snakemake", "fidelity_locks")
NAME_IT = "--configfile FILE (and --snakefile FILE if it is not in this folder)"
FOUND = ("Snakefile", "snakefile", "workflow/Snakefile", "workflow/snakefile")
LISTS = ("targets", "configfile", "config")
LAST = "last"

_held: list[TextIO] = []


def remember(
    folder: str,
    snakefile: str | Path,
    configfiles: Iterable[str | Path],
    config: Iterable[str],
    targets: Iterable[str],
):
    """Note which study starts here.

    Args:
        folder: of its results.
        snakefile: the workflow.
        configfiles: where its config is read from.
        config: what overrides it, as ``--config`` takes it: ``key=value``.
        targets: the rules or files that are asked for; none for the whole study.
    """
    study = {
        "snakefile": _seen_from_here(snakefile),
        "targets": sorted(targets),
        "configfile": _each_once(configfiles),
        "config": list(config),
    }
    partial = RECORD.with_suffix(".partial")
    with _lock("record") as record:
        with suppress(OSError):
            fcntl.lockf(record, fcntl.LOCK_EX)
        studies = {**_noted()[0], folder: study}
        partial.write_text(json.dumps({LAST: folder, "studies": studies}), encoding="utf-8")
        os.replace(partial, RECORD)


def refuse_anothers(folder: str, configfiles: Iterable[str | Path]) -> None:
    """Raise DataError if a folder holds the results of another study, which has the same name."""
    studies, _ = _noted()
    if folder in studies and os.path.exists(folder):
        theirs, ours = studies[folder]["configfile"], _each_once(configfiles)
        if theirs != ours:
            raise DataError(
                f"study: {folder} holds the results of {' '.join(theirs)}, and this is "
                f"{' '.join(ours)}; write the key study, with another name, or with the same "
                "if it is the same study"
            )


def claim(folder: str) -> None:
    """Keep a study to this process until it ends, however it does.

    Other studies may run in the same folder meanwhile. Where the file system has no locks, nobody
    is kept out.

    Args:
        folder: of its results.

    Raises:
        DataError: if another process runs this study.
    """
    running = _lock(folder)
    _held.append(running)  # a file that is closed holds no lock
    if _is_anothers(running):
        raise DataError(f"{folder}: this study runs already, in another process; wait for its end")


def is_running(folder: str) -> bool:
    """Return whether another process runs the study whose results are in ``folder``."""
    with _lock(folder) as file:
        return _is_anothers(file)


def _is_anothers(file: TextIO) -> bool:
    """Take the lock on a file, unless another process has it; return whether one has."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EAGAIN)
    return False


def _lock(name: str) -> TextIO:
    LOCKS.mkdir(parents=True, exist_ok=True)
    return (LOCKS / blake2b(name.encode(), digest_size=16).hexdigest()).open("a+", encoding="utf-8")


def _seen_from_here(file: str | Path) -> str:
    """Return a path that stays right when the folder is moved: relative only if it is inside."""
    path = os.path.relpath(file)
    return os.path.abspath(file) if path.startswith(os.pardir) else path


def _each_once(files: Iterable[str | Path]) -> list[str]:
    """Return config files as seen from here; a workflow and a command may name the same one."""
    return list(dict.fromkeys(map(_seen_from_here, files)))


def arguments(handed_on: list[str]) -> list[str]:
    """Return Snakemake's arguments for the study to be resumed; Snakemake's default if none ran.

    Raises:
        DataError: if no study ran here, it is not known which one, or one of its files is gone.
    """
    chosen, others = _parsed(handed_on)
    elsewhere = not (chosen.snakefile or any(map(os.path.exists, FOUND)))
    if chosen.configfile:
        return [*handed_on, *(["--snakefile", WORKFLOW] if elsewhere else [])]
    if not RECORD.exists():
        if elsewhere:
            raise DataError(
                "no study ran in this folder yet; start one: fidelity-curves run CONFIG"
            )
        return handed_on
    studies, last = _noted()
    folders = [os.path.normpath(word) for word in others[:1] if os.path.isdir(word)]
    if folders:
        last, others = studies.get(folders[0]), others[1:]
        if last is None:
            raise DataError(
                f"{folders[0]}: no study with its results there is known to have run in "
                f"{Path.cwd()}; name the study's config"
            )
    if last is None:
        raise DataError(
            f"{RECORD}: is damaged, so it is not known which study ran last in this folder; "
            f"name it: {NAME_IT}"
        )
    snakefile = chosen.snakefile or last["snakefile"]
    for file in (snakefile, *last["configfile"]):
        if not os.path.exists(file):
            raise DataError(
                f"{file}: is gone, and the study that ran last in this folder needs it; put it "
                f"back, or name a study: {NAME_IT}"
            )
    options = {"configfile": last["configfile"], "config": [*last["config"], *chosen.config]}
    named = [word for name, words in options.items() if words for word in (f"--{name}", *words)]
    return [*last["targets"], *others, "--snakefile", snakefile, *named]


def _parsed(handed_on: list[str]) -> tuple[Namespace, list[str]]:
    """Return those of Snakemake's arguments that name a study, and the others."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", default=[])
    parser.add_argument("--config", "-C", nargs="*", action="extend", default=[])
    parser.add_argument("--snakefile", "-s")
    return parser.parse_known_args(handed_on)


def _noted() -> tuple[dict[str, dict], dict | None]:
    """Return what was noted of each study by the folder of its results, and of the last one.

    Nothing if the record is damaged.
    """
    try:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        studies = {folder: study for folder, study in record["studies"].items() if _is_whole(study)}
        return studies, studies.get(record[LAST])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, None


def _is_whole(study: dict) -> bool:
    lists = [study[key] for key in LISTS]
    texts = [study["snakefile"], *(text for words in lists for text in words)]
    are_lists = all(isinstance(words, list) for words in lists)
    return are_lists and all(isinstance(text, str) for text in texts)


def main(handed_on: list[str]) -> int:
    """Run Snakemake for the study to be resumed; return its exit status."""
    for file in _parsed(handed_on)[0].configfile:
        if not os.path.isfile(file):
            raise DataError(f"{file} is no file, seen from {Path.cwd()}; name the study's config")
    chosen = arguments(handed_on)
    print("resuming: snakemake", *chosen, file=sys.stderr, flush=True)
    return followed(chosen)
