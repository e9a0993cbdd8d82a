"""What the project's folders hold: the config's schema, the figures, and the rooms of datasets."""

from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
CAPTIONS = ROOT / "workflow" / "report" / "captions.yaml"
FIGURES = ROOT / "src" / "fidelity_study" / "figures"
ROOMS = ROOT / "workflow" / "datasets"


@cache
def figures() -> dict[str, dict]:
    """Return the figures by name: each with its title, its caption and what it needs.

    A figure is a module in ``fidelity_study.figures`` with an entry in captions.yaml; the entries
    are in the order of the report, which sorts titles as texts: so the numbers are aligned.
    """
    described = yaml.safe_load(CAPTIONS.read_text(encoding="utf-8"))
    return {
        name: {**each, "title": f"{i:>2}. {each['title']}"}
        for i, (name, each) in enumerate(described.items(), start=1)
    }


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
