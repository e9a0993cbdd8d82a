"""Needs the confidence sets and the simulators' answers.

Makes the extrema of L(u, q1) - L(u, q2) for every pair of simulators, their curves over
scenarios, and the share of scenarios on which one simulator is at least as close as the other.
"""


rule pairwise:
    """Compare simulators in pairs, scenario by scenario."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        confidence_set="<results>/{dataset}/confidence_set/n{n}.parquet",
        simulated="<results>/{dataset}/bootstrap/simulators.parquet",
    output:
        "<results>/{dataset}/pairwise/n{n}.parquet",
    log:
        "<logs>/{dataset}/pairwise/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/pairwise/n{n}.tsv"
    params:
        step=lambda wildcards: study.step("scripts/pairwise.py", wildcards.dataset),
    script:
        "../../scripts/pairwise.py"


rule comparison:
    """Draw the pairwise curves and find the shares."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        pairwise=lambda wildcards: study.compared_paths(wildcards.dataset, "pairwise/n{n}.parquet"),
        envelope=lambda wildcards: study.envelope_paths(wildcards.dataset, "envelope/pairs"),
    output:
        curves="<results>/{dataset}/comparison/curves.parquet",
        shares=report(
            "<results>/{dataset}/comparison/shares.csv",
            caption="../report/shares.rst",
            category=title,
            labels={"result": "pairwise shares (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/comparison.log",
    benchmark:
        "<benchmarks>/{dataset}/comparison.tsv"
    params:
        step=lambda wildcards: study.step("scripts/comparison.py", wildcards.dataset),
    script:
        "../../scripts/comparison.py"
