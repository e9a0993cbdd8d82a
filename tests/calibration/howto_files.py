"""The files and configs of docs/howto/calibration.md, as it shows them."""

import re
import textwrap
from pathlib import Path

import yaml
from small_study import REPOSITORY

GUIDE = (REPOSITORY / "docs" / "howto" / "calibration.md").read_text(encoding="utf-8")
FILE = re.compile(r"`(\w+\.csv)`[^`]*?:\n\n((?:    .*\n)+)")
CONFIG = re.compile(r"`(\w+\.yaml)`:\n\n```yaml\n(.*?)```", re.DOTALL)


def written(folder: Path) -> dict[str, dict]:
    """Write all files below a folder; return the configs by their names."""
    for name, text in FILE.findall(GUIDE):
        (folder / name).write_text(textwrap.dedent(text), encoding="utf-8")
    configs = dict(CONFIG.findall(GUIDE))
    for name, text in configs.items():
        (folder / name).write_text(text, encoding="utf-8")
    return {name: yaml.safe_load(text) for name, text in configs.items()}
