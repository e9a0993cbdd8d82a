"""Needs the user's file of questions that will be asked; people's and simulators' answers, and their gaps.

Makes curves and means for these questions, by weighting those asked to the same features.
"""

from fidelity_study.config.user_files import target_files
from fidelity_study.provenance import checksum


rule target:
    """Estimate curves and means for the questions that will be asked next."""
    input:
        lambda wildcards: map(local, target_files(study.datasets[wildcards.dataset])),
        scenarios=ingested["scenarios"],
        human=last_of("bootstrap"),
        respondents=ingested["respondents"],
        simulated=rules.bootstrap_simulators.output[0],
        pseudo_discrepancy=last_of("pseudo_discrepancy"),
    output:
        **files_of("target"),
    log:
        "<logs>/{dataset}/target.log",
    benchmark:
        "<benchmarks>/{dataset}/target.tsv"
    params:
        step=step("target"),
        checksums=lambda wildcards: [
            checksum(file) for file in target_files(study.datasets[wildcards.dataset])
        ],
    script:
        "../../scripts/step.py"
