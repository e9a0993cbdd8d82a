"""Needs people's answers, and the simulators': their draws, or the probabilities that they state.

Makes mean proper scores and their paired differences, with error bars by clusters. Why a step beside
error_bars: with one answer in each scenario, discrepancies and their bounds say next to nothing, but
proper scores do.
"""


rule proper_scores:
    """Score what simulators state or draw by people's answers."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes=lambda wildcards: study.answers(wildcards.dataset, "outcomes"),
        stated=lambda wildcards: study.answers(wildcards.dataset, "stated"),
        given=lambda wildcards: study.given_paths(wildcards.dataset),
    output:
        scores="<results>/{dataset}/comparison/proper_scores.parquet",
        scores_csv=report(
            "<results>/{dataset}/comparison/proper_scores.csv",
            caption="../report/proper_scores.rst",
            category=title,
            labels={"result": "proper scores (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/proper_scores.log",
    benchmark:
        "<benchmarks>/{dataset}/proper_scores.tsv"
    params:
        step=lambda wildcards: study.step("scripts/proper_scores.py", wildcards.dataset),
    script:
        "../../scripts/proper_scores.py"
