"""Make Snakemake's self-contained HTML report of the study, with its findings as the first page."""

import json
import os
import subprocess
import sys
from pathlib import Path

from fidelity_study.errors import DataError
from fidelity_study.report.provenance_section import section
from fidelity_study.run.origin import STUDY, config_text
from fidelity_study.run.provenance import checksum
from fidelity_study.run.script import run
from fidelity_study.tables.read_write import complete, metadata


def main(snakemake):
    step = snakemake.params.step
    folder = Path(snakemake.output.provenance).parent.as_posix()
    sections = [Path(path).read_text(encoding="utf-8") for path in snakemake.input.sections]
    made = [path for path in snakemake.input.tables if path.endswith(".parquet")]
    records = {path: metadata(path)["provenance"] for path in made}
    sections.append(section(records, step["published"], folder))
    with complete(snakemake.output.findings) as partial:
        partial.write_text("\n\n".join(sections), encoding="utf-8")
    with complete(snakemake.output.config) as partial:
        partial.write_text(config_text(step["config"]), encoding="utf-8")
    with complete(snakemake.output.html) as partial:
        command = [sys.executable, "-m", "snakemake", *snakemake.input.shown]
        command += ["--report", str(partial), "--report-stylesheet", snakemake.input.stylesheet]
        command += json.loads(os.environ[STUDY])
        command += ["--cores", "1", "--nolock", "--workflow-profile", "none"]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            raise DataError(f"Snakemake could not make the report:\n{made.stderr}")
        mended = Path(snakemake.input.search).read_text(encoding="utf-8")
        with partial.open("a", encoding="utf-8") as page:
            page.write(f"\n<script>\n{mended}</script>\n")
    finished = all_files(step["provenance"], snakemake.output, folder)
    with complete(snakemake.output.provenance) as partial:
        partial.write_text(json.dumps(finished, indent=1), encoding="utf-8")


def all_files(record, output, folder) -> dict:
    """Return what the report was made with, and the checksum of every file of the study."""
    files = {path: was for path, was in record["inputs"].items() if path.startswith(f"{folder}/")}
    files |= {path: checksum(path) for path in (output.findings, output.config, output.html)}
    told = {key: record[key] for key in record if key != "inputs"}
    return {**told, "folder": folder, "files": files}


run(main, snakemake)
