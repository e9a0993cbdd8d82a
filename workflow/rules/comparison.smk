"""Needs the confidence sets and the simulators' answers.

Makes the extrema of L(u, q1) - L(u, q2) for every pair of simulators, their curves over
scenarios, and the share of scenarios on which one simulator is at least as close as the other.
"""


rule pairwise:
    """Compare simulators in pairs, scenario by scenario."""
    input:
        scenarios=ingested["scenarios"],
        confidence_set=rules.confidence_set.output[0],
        simulated=rules.bootstrap_simulators.output[0],
    output:
        **files_of("pairwise"),
    log:
        "<logs>/{dataset}/pairwise/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/pairwise/n{n}.tsv"
    params:
        step=step("pairwise"),
    script:
        "../../scripts/step.py"


rule comparison:
    """Draw the pairwise curves and find the shares."""
    input:
        scenarios=ingested["scenarios"],
        pairwise=of_dataset("pairwise"),
        envelope=of_dataset("envelope", "pairs"),
    output:
        **files_of("comparison"),
    log:
        "<logs>/{dataset}/comparison.log",
    benchmark:
        "<benchmarks>/{dataset}/comparison.tsv"
    params:
        step=step("comparison"),
    script:
        "../../scripts/step.py"
