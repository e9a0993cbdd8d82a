"""Needs the confidence sets and the simulators' answers; the full human sample for the oracle.

Makes the largest and smallest discrepancy that each set allows, for every scenario and simulator.
"""


rule pseudo_discrepancy:
    """Find the extrema of the discrepancy over each confidence set."""
    input:
        outcomes=ingested["outcomes"],
        scenarios=ingested["scenarios"],
        confidence_set=rules.confidence_set.output[0],
        simulated=rules.bootstrap_simulators.output[0],
    output:
        **files_of("pseudo_discrepancy"),
    log:
        "<logs>/{dataset}/pseudo_discrepancy/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/pseudo_discrepancy/n{n}.tsv"
    params:
        step=step("pseudo_discrepancy"),
    script:
        "../../scripts/step.py"
