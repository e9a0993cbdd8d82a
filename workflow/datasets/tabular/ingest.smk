"""Needs the files that the config names. Makes the tables of the ingest step.

Why their checksums are params: so that a file is read again that was replaced by an older one.
"""

from fidelity_study.provenance import checksum
from fidelity_study.reading.tabular.vectors import files_read

tabular_files = {
    name: files_read(settings["options"], settings["outcome"]["kind"])
    for name, settings in study.datasets.items()
    if settings["ingest"] == "tabular"
}

with_given = {run["dataset"] for run in study.runs("ingest_tabular_given")}


rule ingest_tabular:
    """Read answers from tables in files, of any form."""
    input:
        lambda wildcards: map(local, tabular_files[wildcards.dataset]),
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset="|".join(name for name in tabular_files if name not in with_given) or "none",
    params:
        step=step("workflow/datasets/tabular/ingest.py"),
        checksums=lambda wildcards: [checksum(file) for file in tabular_files[wildcards.dataset]],
    script:
        "ingest.py"


use rule ingest_tabular as ingest_tabular_given with:
    output:
        **ingested,
        **files_of("ingest_tabular_given"),
    wildcard_constraints:
        dataset="|".join(name for name in tabular_files if name in with_given) or "none",
