"""Needs the pseudo-discrepancies and the scenarios' clusters.

Makes the upper curve under each guarantee, the share of scenarios that each guarantees at the 90 %
point, and how many people each simulator is worth.
"""


rule guarantee:
    """Find what the curves guarantee."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        pseudo_discrepancy="<results>/{dataset}/pseudo_discrepancy/n{n}.parquet",
    output:
        curves="<results>/{dataset}/guarantee/n{n}.parquet",
        levels="<results>/{dataset}/guarantee/levels_n{n}.parquet",
    log:
        "<logs>/{dataset}/guarantee/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/guarantee/n{n}.tsv"
    params:
        step=lambda wildcards: study.step("scripts/guarantee.py", wildcards.dataset, wildcards.n),
    script:
        "../../scripts/guarantee.py"


rule sample_size:
    """Find how many people each simulator is worth."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes=lambda wildcards: study.answers(wildcards.dataset, "outcomes"),
    output:
        "<results>/{dataset}/sample_size.parquet",
    log:
        "<logs>/{dataset}/sample_size.log",
    benchmark:
        "<benchmarks>/{dataset}/sample_size.tsv"
    params:
        step=lambda wildcards: study.step("scripts/sample_size.py", wildcards.dataset),
    script:
        "../../scripts/sample_size.py"
