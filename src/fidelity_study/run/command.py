"""How this project calls Snakemake."""

import subprocess
import sys
from collections.abc import Iterable

from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.errors import DataError
from fidelity_study.guides import with_page
from fidelity_study.root import ROOT

WORKFLOW = str(ROOT / "workflow" / "Snakefile")


def snakemake(options: Iterable[str]) -> list[str]:
    """Return the command with the project's profile and progress bar, unless options say other."""
    profile = str(ROOT / "profiles" / "default")
    ours = ["--logger", "fidelity", "--workflow-profile", profile]
    return [sys.executable, "-m", "snakemake", *ours, *options]


def run(config: str, options: Iterable[str]) -> int:
    """Run the study of a config file in this folder; return Snakemake's exit status."""
    try:
        refuse_unreadable([config])
    except DataError as error:
        refusal = f"the config cannot be read; nothing was run\n{error}"
        print(with_page(refusal, "run"), file=sys.stderr)
        return 1
    named = ["--snakefile", WORKFLOW, "--configfile", config]
    return subprocess.run(snakemake([*named, *options])).returncode
