"""Needs people's answers, and what simulators state or answer; for datasets with the key calibration.

Where people choose options: scores, calibration errors and reliability diagrams of the probabilities
that simulators state. Where they give numbers: how often these lie in the intervals that a
simulator states, or that its own answers suggest.
"""


rule calibration:
    """Measure whether what simulators state comes true."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes="<results>/{dataset}/outcomes.parquet",
        personas="<results>/{dataset}/personas.parquet",
        stated=lambda wildcards: study.answers(wildcards.dataset, "stated"),
        stated_by_persona=lambda wildcards: study.answers(wildcards.dataset, "stated_by_persona"),
    output:
        scores="<results>/{dataset}/calibration/scores.parquet",
        reliability="<results>/{dataset}/calibration/reliability.parquet",
        csv=report(
            "<results>/{dataset}/calibration/scores.csv",
            caption="../report/calibration.rst",
            category=title,
            labels={"result": "calibration of stated probabilities (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/calibration.log",
    benchmark:
        "<benchmarks>/{dataset}/calibration.tsv"
    conda:
        "../envs/environment.yml"
    params:
        step=lambda wildcards: study.step("scripts/calibration.py", wildcards.dataset),
    script:
        "../../scripts/calibration.py"


rule intervals:
    """Measure how often people's answers lie in the intervals that simulators suggest."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes="<results>/{dataset}/outcomes.parquet",
        given=lambda wildcards: study.given_paths(wildcards.dataset),
    output:
        intervals="<results>/{dataset}/calibration/intervals.parquet",
        csv=report(
            "<results>/{dataset}/calibration/intervals.csv",
            caption="../report/intervals.rst",
            category=title,
            labels={"result": "coverage of intervals (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/intervals.log",
    benchmark:
        "<benchmarks>/{dataset}/intervals.tsv"
    conda:
        "../envs/environment.yml"
    params:
        step=lambda wildcards: study.step("scripts/intervals.py", wildcards.dataset),
    script:
        "../../scripts/intervals.py"
