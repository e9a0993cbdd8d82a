"""Where a study comes from, in words: the report's last section (reStructuredText)."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from fidelity_study.report.findings import escape

VERIFIED = """\
Every table names all of this in its metadata; ``{folder}/provenance.json`` has the checksum of
every table and figure. ``python -m fidelity_study verify`` (``make verify``) computes all checksums
again and says what differs.
"""


def section(records: dict[str, dict], published: dict[str, str], folder: str) -> str:
    """Return the section.

    Args:
        records: path of each table -> its record; see :func:`fidelity_study.run.provenance.record`.
        published: path of a file that was downloaded -> its address.
        folder: where the study's results are.
    """
    found = variants(records.values())
    versions = [told for kind, told in found.items() if kind not in ("config", "seed", "commit")]
    parts = {
        "Config": f"{_several(found['config'])}; as it was used, in {folder}/config.yaml",
        "Seed": _several(found["seed"]),
        "Commit": _several(found["commit"]),
        "Versions": ", ".join(map(_several, versions)),
    }
    lines = "\n".join(f"- **{name}**: {escape(told)}" for name, told in parts.items())
    told = VERIFIED.format(folder=folder)
    return f"Provenance\n----------\n\n{lines}\n\n{_data(records, published, folder)}\n{told}"


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


def _data(records: dict[str, dict], published: dict[str, str], folder: str) -> str:
    files: dict[str, str | None] = {}
    without = []
    for path, record in records.items():
        read = {
            each: checksum
            for each, checksum in record["inputs"].items()
            if not each.startswith((f"{folder}/", "workflow/"))
        }
        files |= read
        if path.endswith("/outcomes.parquet") and not record["inputs"]:
            without.append(Path(path).parent.name)
    rows = "".join(
        f"- {escape(path)}{_link(published.get(path))}: SHA-256 {checksum}\n"
        for path, checksum in sorted(files.items())
    )
    text = f"**Files read.**\n\n{rows}\n" if rows else ""
    if without:
        text += (
            f"**No files.** {escape(', '.join(without))}: the data come with an installed package"
            " named above, or are drawn.\n"
        )
    return text


def _link(address: str | None) -> str:
    return "" if address is None else f" (`published here <{escape(address)}>`__)"
