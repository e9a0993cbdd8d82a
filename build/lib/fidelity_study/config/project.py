"""What the project's folders hold: the config's schema, the figures, and the rooms of datasets."""

from functools import cache
from pathlib import Path

import yaml

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.sets.base import CONFIDENCE_SETS

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
CAPTIONS = ROOT / "workflow" / "report" / "captions.yaml"
FIGURES = ROOT / "src" / "fidelity_study" / "figures"
ROOMS = ROOT / "workflow" / "datasets"


def config_schema() -> dict:
    """Return the config's schema, with the names of the discrepancies and sets that there are."""
    found = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    for key, names in (("discrepancy", DISCREPANCIES), ("confidence_set", CONFIDENCE_SETS)):
        found["$defs"][key] = {"enum": list(names), "allowed": f"one of {', '.join(names)}"}
    return found


@cache
def figures() -> dict[str, dict]:
    """Return the figures by name, each with the title and caption that the report shows.

    A figure is a module in ``fidelity_study.figures`` with an entry in captions.yaml; the entries
    are in the order of the report, which sorts titles as texts: so the numbers are aligned.
    """
    return {
        name: {"figure_title": f"{i:>2}. {each['title']}", "caption": each["caption"]}
        for i, (name, each) in enumerate(described_figures().items(), start=1)
    }


@cache
def described_figures() -> dict[str, dict]:
    """Return what captions.yaml says of each figure."""
    return yaml.safe_load(CAPTIONS.read_text(encoding="utf-8"))


def rooms() -> list[str]:
    """Return the folders of datasets."""
    return sorted(folder.parent.name for folder in ROOMS.glob("*/ingest.smk"))


def room_keys(room: str) -> dict:
    """Return the schema of the settings that only this room's ingest knows."""
    path = ROOMS / room / "options.schema.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


@cache
def sources(room: str) -> dict:
    """Return where a room's files come from: ``url``, and ``path`` and ``sha256`` in ``files``."""
    path = ROOMS / room / "sources.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {"files": {}}
