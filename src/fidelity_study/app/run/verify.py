"""Say whether a finished study's tables were made from the files that are there.

Computes the SHA-256 of everything again: of what the study made, of what its tables were made from,
and of downloaded files. Ends with status 0 if nothing differs, else with 1, and says what does.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from fidelity_study.app.run.origin import content_digest
from fidelity_study.config.read import study_of
from fidelity_study.errors import DataError, ErrorList, there_are
from fidelity_study.provenance import checksum
from fidelity_study.report.page.provenance import variants
from fidelity_study.root import ROOT
from fidelity_study.tables.read_write import metadata

FINISHED = "provenance.json"
STUDY = "the study"
AGAIN = "run the study to its end: fidelity-curves run CONFIG"

Claims = dict[str, list[tuple[str, str]]]


def verify(results: Path) -> tuple[list[str], list[str], list[str]]:
    """Compare a finished study with the files that are there.

    Returns:
        The paths of its tables; what differs; and what is worth knowing, but no difference.

    Raises:
        DataError: if the study was not finished.
    """
    record = finished(results)
    folder, files = record["folder"], record["files"]
    place = partial(_place, results.resolve(), folder)
    now = {path: _now(place(path)) for path in files}
    made = [path for path in files if path.endswith(".parquet")]
    records = {
        path: metadata(place(path))["provenance"] for path in made if now[path] == files[path]
    }
    claims = _claims(files, records)
    for path in [path for path in claims if path.startswith("resources/")]:
        claims[path] += _published(path, place)
    now |= {path: _now(place(path)) for path in claims if path not in now}
    faults = [_fault(path, claims[path], now[path]) for path in sorted(claims)]
    contents = (record.get("config") or {}).get("contents", {})
    faults += [  # a config that is not there says nothing else: the whole is among the results
        f"{path}: says something else than when the study was run; run it again"
        for path, was in contents.items()
        if content_digest(place(path)) not in (None, was)
    ]
    return (
        made,
        [fault for fault in faults if fault],
        _notes(results, folder, made, records.values()),
    )


def finished(results: Path) -> dict[str, Any]:
    """Return a study's record: its ``folder`` as its run saw it; path -> SHA-256 of its ``files``.

    Raises:
        DataError: if the study was not finished.
    """
    path = results / FINISHED
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        record = {**content, "folder": str(content["folder"]), "files": dict(content["files"])}
    except FileNotFoundError:
        if not results.is_dir():
            beside = sorted(str(path.parent) for path in results.parent.glob(f"*/{FINISHED}"))
            way = there_are(results, beside) if beside else AGAIN
            what = f"there is no such folder, seen from {Path.cwd()}; {way}"
            raise DataError(f"{results}: {what}") from None
        raise DataError(f"{path}: is missing; {AGAIN}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); {AGAIN}") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{path}: is damaged; {AGAIN}") from None
    if not record["files"]:
        raise DataError(f"{path}: names no files; {AGAIN}")
    return record


def _place(results: Path, folder: str, path: str) -> Path:
    """Return where a file is that is named from the study's folder or, if it is ours, from ours."""
    if path.startswith(f"{folder}/"):
        return results / path.removeprefix(f"{folder}/")
    here = results.joinpath(*[".." for _ in Path(folder).parts], path)
    return ROOT / path if path.startswith("workflow/") and not here.exists() else here


def _now(path: Path) -> str | OSError:
    try:
        return checksum(path)
    except OSError as error:
        return error


def _claims(files: dict[str, str], records: dict[str, dict]) -> Claims:
    """Return which SHA-256 each file had, and by whom: the study as a whole, or a table's name."""
    claims = defaultdict(list)
    for path, was in files.items():
        claims[path].append((was, STUDY))
    for table, record in records.items():
        for path, was in record["inputs"].items():
            claims[path].append((was, table))
    return claims


def _published(path: str, place: Callable[[str], Path]) -> list[tuple[str, str]]:
    """Return which SHA-256 a downloaded file should have, and the file that says so."""
    _, room, name = path.split("/", 2)
    sources = f"workflow/datasets/{room}/sources.yaml"
    if not place(sources).is_file():
        return []
    files = yaml.safe_load(place(sources).read_text(encoding="utf-8"))["files"]
    return [(files[name]["sha256"], sources)] if name in files else []


def _fault(path: str, claims: list[tuple[str, str]], now: str | OSError) -> str:
    """Say how a file differs from the records of it; empty if it agrees with all of them."""
    wrong = [by for was, by in claims if was != now]
    of_it = [by for by in wrong if by.endswith(".parquet")]
    said = []
    if isinstance(now, FileNotFoundError):
        said.append("is missing")
    elif isinstance(now, OSError):
        said.append(f"cannot be read ({now.strerror})")
    elif of_it or STUDY in wrong:
        said.append("has changed")
    if of_it:
        version = "it" if isinstance(now, OSError) else "another version of it"
        said.append(f"made from {version}: {', '.join(of_it)}")
    if not isinstance(now, OSError):
        said += [f"is not the file that {by} names" for by in wrong if by.endswith(".yaml")]
    return f"{path}: {'; '.join(said)}" if said else ""


def _notes(results: Path, folder: str, made: list[str], records: Iterable[dict]) -> list[str]:
    """Say whether tables were made at different times, and which ones the study doesn't know."""
    notes = [
        f"{kind} differs between tables: "
        + "; ".join(f"{value} ({many})" for value, many in counts.most_common())
        for kind, counts in variants(records).items()
        if len(counts) > 1
    ]
    tables = results.rglob("*.parquet")
    there = (f"{folder}/{path.relative_to(results).as_posix()}" for path in tables)
    strange = sorted(set(there) - set(made))
    return notes + ([f"not of this study: {', '.join(strange)}"] if strange else [])


def main(results: Path) -> int:
    """Verify a study, or all whose folders are in one; return the exit status.

    Args:
        results: a folder of results, one of several such folders, or a config.

    Raises:
        DataError: with the studies that were not finished, after what is said of the others.
    """
    if results.suffix in (".yaml", ".yml") and results.is_file():
        results = Path(study_of(results).folder)
    several = any(results.glob(f"*/{FINISHED}"))
    folders = sorted(path for path in results.iterdir() if path.is_dir()) if several else [results]
    unfinished, status = ErrorList(), 0
    for folder in folders:
        with unfinished.collected():
            status |= _say(folder, *verify(folder))
    unfinished.refuse()
    return status


def _say(results: Path, made: list[str], faults: list[str], notes: list[str]) -> int:
    """Say what differs in one study; return the exit status."""
    for fault in faults:
        print(fault)
    if faults:
        print(f"{results}: differing files: {len(faults)}; tables of the study: {len(made)}")
    else:
        print(f"{results}: {len(made)} tables, all made from the files that are there")
    for note in notes:
        print(f"note: {note}")
    return int(bool(faults))
