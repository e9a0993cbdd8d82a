"""Needs outcomes.parquet, scenarios.parquet and stated.parquet of a dataset.

Makes subsamples: n people per scenario, and k answers of each simulator, in every replicate.
Why two rules: simulators' answers don't depend on n, so a new n leaves them alone.
"""


rule bootstrap:
    """Subsample n people in each scenario."""
    input:
        outcomes=ingested["outcomes"],
        scenarios=ingested["scenarios"],
    output:
        **files_of("bootstrap"),
    log:
        "<logs>/{dataset}/bootstrap/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/bootstrap/n{n}.tsv"
    params:
        step=step("bootstrap"),
    script:
        "../../scripts/step.py"


rule bootstrap_simulators:
    """Take k answers of each simulator in each scenario."""
    input:
        outcomes=answers_of("outcomes"),
        scenarios=ingested["scenarios"],
        stated=answers_of("stated"),
    output:
        **files_of("bootstrap_simulators"),
    log:
        "<logs>/{dataset}/bootstrap/simulators.log",
    benchmark:
        "<benchmarks>/{dataset}/bootstrap/simulators.tsv"
    params:
        step=step("bootstrap_simulators"),
    script:
        "../../scripts/step.py"
