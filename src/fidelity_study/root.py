"""Where the workflow lies: ``workflow/``, ``scripts/`` and ``profiles/`` are below one folder.

What several datasets share is a module beside their folders.
"""

import sys
from pathlib import Path

INSTALLED = Path(__file__).parent / "project"
"""Where a wheel puts them."""

ROOT = INSTALLED if INSTALLED.is_dir() else Path(__file__).parents[2]
"""The installed folder, or that of the checkout."""

ROOMS = ROOT / "workflow" / "datasets"
if str(ROOMS) not in sys.path:
    sys.path.append(str(ROOMS))
