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
    config, seed, commit, *packages = map(_several, variants(records.values()).values())
    versions = ", ".join(packages)
    facts = [("Config", config), ("Seed", seed), ("Commit", commit), ("Versions", versions)]
    files: dict[str, str | None] = {}
    without = []
    for path, record in records.items():
        files |= {
            file: checksum
            for file, checksum in record["inputs"].items()
            if not file.startswith((f"{folder}/", "workflow/"))
        }
        if path.endswith("/outcomes.parquet") and not record["inputs"]:
            without.append(Path(path).parent.name)
    read = [Read(path, checksum, published.get(path)) for path, checksum in sorted(files.items())]
    return Provenance(facts, read, without)


def variants(records: Iterable[dict]) -> dict[str, Counter]:
    """Return how many tables were made with which config, seed, commit and package, in words."""
    counts: dict[str, Counter[str]] = {"config": Counter(), "seed": Counter(), "commit": Counter()}
    for record in records:
        changed = " with changes that are not in it" if record["changed"] else ""
        counts["config"][_config(record["config"])] += 1
        counts["seed"][str(record["seed"])] += 1
        counts["commit"][f"{record['commit'] or 'unknown, not a git checkout'}{changed}"] += 1
        for package, version in record["packages"].items():
            counts.setdefault(package, Counter())[f"{package} {version}"] += 1
    return counts


def _config(config: dict | None) -> str:
    if config is None:
        return "unknown"
    files = " and ".join(config["files"])
    return f"{files}; as used ({config['kept']}), SHA-256 {config['sha256']}"


def _several(counts: Counter) -> str:
    """Return the only value, or each with the number of tables that have it."""
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{value} (tables: {many})" for value, many in counts.most_common())
