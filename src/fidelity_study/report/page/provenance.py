"""Where a study comes from: config, seed, code, packages and files."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Read(NamedTuple):
    """A file that was read."""

    path: str
    sha256: str | None
    url: str | None


class Provenance(NamedTuple):
    """What all tables of a study were made with.

    Attributes:
        facts: (name, what) pairs.
        files: the files that were read.
        without: datasets that come with an installed package, or are drawn at random.
    """

    facts: list[tuple[str, str]]
    files: list[Read]
    without: list[str]


def provenance(records: dict[str, dict], published: dict[str, str], folder: str) -> Provenance:
    """Return what tables were made with.

    Args:
        records: path of each table -> its record; see :func:`fidelity_study.provenance.record`.
        published: path of a file that was downloaded -> its address.
        folder: where the study's results are.
    """
    found = variants(records.values())
    versions = [told for kind, told in found.items() if kind not in ("config", "seed", "commit")]
    facts = [
        ("Config", _several(found["config"])),
        ("Seed", _several(found["seed"])),
        ("Commit", _several(found["commit"])),
        ("Versions", ", ".join(map(_several, versions))),
    ]
    files: dict[str, str | None] = {}
    without = []
    for path, record in records.items():
        files |= {
            each: checksum
            for each, checksum in record["inputs"].items()
            if not each.startswith((f"{folder}/", "workflow/"))
        }
        if path.endswith("/outcomes.parquet") and not record["inputs"]:
            without.append(Path(path).parent.name)
    read = [Read(path, checksum, published.get(path)) for path, checksum in sorted(files.items())]
    return Provenance(facts, read, without)


def variants(records: Iterable[dict]) -> dict[str, Counter]:
    """Return how many tables were made with which config, seed, commit and package, in words."""
    found: dict[str, Counter[str]] = {"config": Counter(), "seed": Counter(), "commit": Counter()}
    for record in records:
        changed = " with changes that are not in it" if record["changed"] else ""
        found["config"][_config(record["config"])] += 1
        found["seed"][str(record["seed"])] += 1
        found["commit"][f"{record['commit'] or 'unknown, not a git checkout'}{changed}"] += 1
        for package, version in record["packages"].items():
            found.setdefault(package, Counter())[f"{package} {version}"] += 1
    return found


def _config(config: dict | None) -> str:
    if config is None:
        return "unknown"
    files = " and ".join(config["files"])
    return f"{files}; as used ({config['kept']}), SHA-256 {config['sha256']}"


def _several(told: Counter) -> str:
    """Return the only value, or each with the number of tables that have it."""
    if len(told) == 1:
        return next(iter(told))
    return "; ".join(f"{value} (tables: {many})" for value, many in told.most_common())
