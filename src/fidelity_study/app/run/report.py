"""The files that a study ends with: findings, statements, and the report with its provenance."""

import json
from pathlib import Path

import pyarrow.compute as pc

from fidelity_study.app.run.origin import config_text
from fidelity_study.ask.collect import read_asked
from fidelity_study.provenance import checksum, line
from fidelity_study.report.page import machine, render
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.evaluation import loaded
from fidelity_study.report.page.provenance import provenance
from fidelity_study.report.page.statement import Statement
from fidelity_study.report.results import Results
from fidelity_study.tables.read_write import metadata, write_text


def findings(snakemake) -> None:
    """Write the findings: what a dataset's simulators may be used for."""
    step = snakemake.params.step
    results = Results(step, dict(snakemake.input.items()))
    write_text(snakemake.output[0], render.findings(Dataset(step["dataset"], results)))


def evaluation_findings(snakemake) -> None:
    """Write an evaluation's findings: which models score better, and how certain that is."""
    step = snakemake.params.step
    shown = loaded(step["evaluation"], step, list(snakemake.input))
    write_text(snakemake.output[0], render.evaluation_findings(shown))


def statement(snakemake) -> None:
    """Write the statement for an appendix: who was asked and how, and how certain results are."""
    step = snakemake.params.step
    dataset = Dataset(step["dataset"], Results(step, dict(snakemake.input.items())))
    asked = read_asked(step["asked"], snakemake.input.get("raw", []))
    served = {
        name: sorted(filter(None, pc.unique(table["model"]).to_pylist()))
        for name, table in asked.items()
    }
    text = render.statement(Statement(dataset, served, line(step["provenance"])))
    write_text(snakemake.output[0], text)


def report(snakemake) -> None:
    """Make the study's report, one page that needs nothing else, and its short forms."""
    step, output, tables = snakemake.params.step, snakemake.output, snakemake.input.tables
    folder = Path(output.provenance).parent
    records = {path: metadata(path)["provenance"] for path in tables if path.endswith(".parquet")}
    statements = {
        Path(path).parent.name: Path(path).read_text(encoding="utf-8")
        for path in snakemake.input.statements
    }
    study = render.Study(
        folder.name,
        [
            Dataset(name, _results(step, folder, name), statements[name])
            for name in step["datasets"]
        ],
        provenance(records, step["published"], folder.as_posix()),
        [
            loaded(name, settings, [path for path in tables if Path(path).parent.name == name])
            for name, settings in step["evaluations"].items()
        ],
    )
    write_text(output.html, render.page(study))
    software = step["provenance"]["packages"].get("fidelity-curves", "unknown")
    write_text(output.verdict, machine.verdict_of(study, software).text())
    sections = [Path(path).read_text(encoding="utf-8") for path in snakemake.input.findings]
    write_text(output.findings, "\n".join([f"# {study.title}\n", *sections]))
    write_text(output.config, config_text(step["config"]))
    finished = _all_files(step["provenance"], output, folder.as_posix())
    write_text(output.provenance, json.dumps(finished, indent=1))


def _results(step: dict, folder: Path, dataset: str) -> Results:
    inside = {
        name: [folder / path for path in paths] if isinstance(paths, list) else folder / paths
        for name, paths in step["files"][dataset].items()
    }
    return Results(step["datasets"][dataset], inside)


def _all_files(record: dict, output, folder: str) -> dict:
    """Return the report's provenance, and the checksum of every file of the study."""
    files = {path: was for path, was in record["inputs"].items() if path.startswith(f"{folder}/")}
    files |= {
        path: checksum(path)
        for path in (output.findings, output.config, output.html, output.verdict)
    }
    provenance = {key: record[key] for key in record if key != "inputs"}
    return {**provenance, "folder": folder, "files": files}
