"""Needs the pseudo-discrepancies and the scenarios' clusters.

Makes the upper curve under each guarantee, the share of scenarios that each guarantees at the 90 %
point, and how many people each simulator is worth.
"""


rule guarantee:
    """Find what the curves guarantee."""
    input:
        scenarios=ingested["scenarios"],
        pseudo_discrepancy=rules.pseudo_discrepancy.output[0],
    output:
        **files_of("guarantee"),
    log:
        "<logs>/{dataset}/guarantee/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/guarantee/n{n}.tsv"
    params:
        step=step("guarantee"),
    script:
        "../../scripts/step.py"


rule sample_size:
    """Find how many people each simulator is worth."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=answers_of("outcomes"),
    output:
        **files_of("sample_size"),
    log:
        "<logs>/{dataset}/sample_size.log",
    benchmark:
        "<benchmarks>/{dataset}/sample_size.tsv"
    params:
        step=step("sample_size"),
    script:
        "../../scripts/step.py"
