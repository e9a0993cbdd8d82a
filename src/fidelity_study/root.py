"""Where the workflow lies: ``workflow/``, ``scripts/`` and ``profiles/`` are below one folder."""

from pathlib import Path

INSTALLED = Path(__file__).parent / "project"
"""Where a wheel puts them."""

ROOT = INSTALLED if INSTALLED.is_dir() else Path(__file__).parents[2]
"""The installed folder, or that of the checkout."""

ROOMS = ROOT / "workflow" / "datasets"
