"""Needs the confidence sets and the simulators' answers; the full human sample for the oracle.

Makes the largest and smallest discrepancy that each set allows, for every scenario and simulator.
"""


rule pseudo_discrepancy:
    """Find the extrema of the discrepancy over each confidence set."""
    input:
        outcomes="<results>/{dataset}/outcomes.parquet",
        scenarios="<results>/{dataset}/scenarios.parquet",
        confidence_set="<results>/{dataset}/confidence_set/n{n}.parquet",
        simulated="<results>/{dataset}/bootstrap/simulators.parquet",
    output:
        "<results>/{dataset}/pseudo_discrepancy/n{n}.parquet",
    log:
        "<logs>/{dataset}/pseudo_discrepancy/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/pseudo_discrepancy/n{n}.tsv"
    params:
        step=lambda wildcards: study.step(
            "scripts/pseudo_discrepancy.py", wildcards.dataset, wildcards.n
        ),
    script:
        "../../scripts/pseudo_discrepancy.py"
