"""How this project calls Snakemake."""

import sys
from collections.abc import Iterable

from fidelity_study.root import ROOT

WORKFLOW = str(ROOT / "workflow" / "Snakefile")


def snakemake(options: Iterable[str]) -> list[str]:
    """Return the command with the project's profile and progress bar, unless options say other."""
    profile = str(ROOT / "profiles" / "default")
    ours = ["--logger", "fidelity", "--workflow-profile", profile]
    return [sys.executable, "-m", "snakemake", *ours, *options]
