"""Make Snakemake's self-contained HTML report of the study, with its findings as the first page."""

import subprocess
import sys
from pathlib import Path

import yaml

from fidelity_study import tables
from fidelity_study.errors import DataError
from fidelity_study.script import run


def main(snakemake):
    step = snakemake.params.step
    sections = [Path(path).read_text(encoding="utf-8") for path in snakemake.input.sections]
    with tables.complete(snakemake.output.findings) as partial:
        partial.write_text("\n\n".join(sections), encoding="utf-8")
    with tables.complete(snakemake.output.config) as partial:
        partial.write_text(yaml.safe_dump(step["config"], sort_keys=False), encoding="utf-8")
    with tables.complete(snakemake.output.html) as partial:
        command = [sys.executable, "-m", "snakemake", "artifacts", "--report", str(partial)]
        command += ["--snakefile", step["snakefile"], "--configfile", snakemake.output.config]
        command += ["--report-stylesheet", snakemake.input.stylesheet]
        command += ["--cores", "1", "--nolock", "--workflow-profile", "none"]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            raise DataError(f"Snakemake could not make the report:\n{made.stderr}")


run(main, snakemake)
