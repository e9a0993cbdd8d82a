"""Needs people's and simulators' answers, or stated probabilities; for datasets with calibration.

Where people choose options: scores, calibration errors and reliability diagrams of the probabilities
that simulators state. Where they give numbers: how often these lie in the intervals that a
simulator states, or that are fitted to its own answers.
"""


rule calibration:
    """Measure whether the probabilities that simulators state come true."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        personas=ingested["personas"],
        stated=answers_of("stated"),
        stated_by_persona=answers_of("stated_by_persona"),
    output:
        **files_of("calibration"),
    log:
        "<logs>/{dataset}/calibration.log",
    benchmark:
        "<benchmarks>/{dataset}/calibration.tsv"
    params:
        step=step("calibration"),
    script:
        "../../scripts/step.py"


rule intervals:
    """Measure how often people's answers lie in simulators' intervals."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        given=of_dataset("ingest_tabular_given", "given"),
    output:
        **files_of("intervals"),
    log:
        "<logs>/{dataset}/intervals.log",
    benchmark:
        "<benchmarks>/{dataset}/intervals.tsv"
    params:
        step=step("intervals"),
    script:
        "../../scripts/step.py"
