"""Needs people's answers, and the simulators': their draws, or the probabilities that they state.

Makes mean proper scores and their paired differences, with error bars by clusters. Why a step beside
error_bars: with one answer in each scenario, discrepancies and their bounds say next to nothing, but
proper scores do.
"""


rule proper_scores:
    """Score what simulators state or draw by people's answers."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=answers_of("outcomes"),
        stated=answers_of("stated"),
        given=of_dataset("ingest_tabular_given", "given"),
    output:
        **files_of("proper_scores"),
    log:
        "<logs>/{dataset}/proper_scores.log",
    benchmark:
        "<benchmarks>/{dataset}/proper_scores.tsv"
    params:
        step=step("proper_scores"),
    script:
        "../../scripts/step.py"
