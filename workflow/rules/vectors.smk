"""Needs answers that are texts or vectors, of people and simulators.

Makes tables of the share of answers whose source a classifier can tell, of distances and their curves, of the words or
columns that tell most, of the nearest and the farthest answers, a projection of all, and quartiles of paths in time.
"""

from fidelity_study.provenance import checksum


rule vectors:
    """Compare answers that are points."""
    input:
        lambda wildcards: map(local, tabular_files[wildcards.dataset]),
        unpack(lambda wildcards: input_files(study.datasets[wildcards.dataset])),
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        respondents=ingested["respondents"],
        runs=ingested["runs"],
    output:
        **files_of("vectors"),
    log:
        "<logs>/{dataset}/vectors.log",
    benchmark:
        "<benchmarks>/{dataset}/vectors.tsv"
    params:
        step=step("vectors"),
        checksums=lambda wildcards: [checksum(file) for file in tabular_files[wildcards.dataset]],
    script:
        "../../scripts/step.py"
