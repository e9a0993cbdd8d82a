"""Make the study's report, one page that needs nothing else, and its short form in Markdown."""

import json
from pathlib import Path

from fidelity_study.page.dataset import Dataset
from fidelity_study.page.evaluation import loaded
from fidelity_study.page.provenance import provenance
from fidelity_study.page.render import Study, page
from fidelity_study.report.results import Results
from fidelity_study.run.origin import config_text
from fidelity_study.run.provenance import checksum
from fidelity_study.run.script import run
from fidelity_study.tables.read_write import complete, metadata


def main(snakemake):
    step, output = snakemake.params.step, snakemake.output
    folder = Path(output.provenance).parent
    made = [path for path in snakemake.input.tables if path.endswith(".parquet")]
    records = {path: metadata(path)["provenance"] for path in made}
    study = Study(
        folder.name,
        [Dataset(name, results(step, folder, name)) for name in step["datasets"]],
        provenance(records, step["published"], folder.as_posix()),
        [evaluation(step, snakemake.input.tables, name) for name in step["evaluations"]],
    )
    write(output.html, page(study))
    sections = [Path(path).read_text(encoding="utf-8") for path in snakemake.input.findings]
    write(output.findings, "\n".join([f"# {study.title}\n", *sections]))
    write(output.config, config_text(step["config"]))
    finished = all_files(step["provenance"], output, folder.as_posix())
    write(output.provenance, json.dumps(finished, indent=1))


def results(step, folder, dataset) -> Results:
    """Return a dataset's tables."""
    inside = {
        name: [folder / path for path in paths] if isinstance(paths, list) else folder / paths
        for name, paths in step["files"][dataset].items()
    }
    return Results(step["datasets"][dataset], inside)


def evaluation(step, tables, name):
    """Return an evaluation with its tables."""
    own = [path for path in tables if Path(path).parent.name == name]
    return loaded(name, step["evaluations"][name], own)


def write(path, text) -> None:
    """Write a text file, whole or not at all."""
    with complete(path) as partial:
        partial.write_text(text, encoding="utf-8")


def all_files(record, output, folder) -> dict:
    """Return the report's provenance, and the checksum of every file of the study."""
    files = {path: was for path, was in record["inputs"].items() if path.startswith(f"{folder}/")}
    files |= {path: checksum(path) for path in (output.findings, output.config, output.html)}
    told = {key: record[key] for key in record if key != "inputs"}
    return {**told, "folder": folder, "files": files}


run(main, snakemake)
