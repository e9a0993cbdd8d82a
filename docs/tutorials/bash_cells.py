"""Let cells of a tutorial be commands, in a folder of their own with the example files named.

A tutorial runs it in a hidden cell: ``%run bash_cells.py human.csv``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from IPython.core.magic import register_cell_magic

EXAMPLE = Path(__file__).parents[2] / "config" / "example"


@register_cell_magic
def bash(line: str, cell: str) -> None:
    """Run commands as from a script, and print all that they print."""
    done = subprocess.run(
        ["bash", "-c", cell], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    print(done.stdout + done.stderr)
    done.check_returncode()


folder = Path(tempfile.mkdtemp())
for name in sys.argv[1:]:
    shutil.copy(EXAMPLE / name, folder)
os.chdir(folder)
os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
os.environ["COLUMNS"] = "76"
