"""Needs the logs or tables of scores that the config names under evaluations.

Makes models' mean scores with error bars, their paired differences, what more questions and more
samples of each question would show, and the findings in words. Why apart from the other steps: a score has no
people to compare with, so no confidence set and no discrepancy.
"""


rule evaluation_scores:
    """Read the scores of an evaluation."""
    input:
        lambda wildcards: study.score_files(wildcards.evaluation),
    output:
        scores="<results>/{evaluation}/scores.parquet",
        logs="<results>/{evaluation}/logs.parquet",
        reported="<results>/{evaluation}/reported.parquet",
        logs_csv="<results>/{evaluation}/logs.csv",
        reported_csv="<results>/{evaluation}/reported.csv",
    log:
        "<logs>/{evaluation}/evaluation_scores.log",
    benchmark:
        "<benchmarks>/{evaluation}/evaluation_scores.tsv"
    params:
        step=lambda wildcards: params_of.evaluation_step(
            study, "evaluation_scores", wildcards.evaluation
        ),
    script:
        "../../scripts/step.py"


rule evaluation:
    """Put error bars on scores and on their differences."""
    input:
        scores=rules.evaluation_scores.output.scores,
    output:
        means="<results>/{evaluation}/means.parquet",
        differences="<results>/{evaluation}/differences.parquet",
        power="<results>/{evaluation}/power.parquet",
        samples="<results>/{evaluation}/samples.parquet",
        missing="<results>/{evaluation}/missing.parquet",
        uses="<results>/{evaluation}/uses.parquet",
        means_csv="<results>/{evaluation}/means.csv",
        differences_csv="<results>/{evaluation}/differences.csv",
        power_csv="<results>/{evaluation}/power.csv",
        samples_csv="<results>/{evaluation}/samples.csv",
        missing_csv="<results>/{evaluation}/missing.csv",
        uses_csv="<results>/{evaluation}/uses.csv",
    log:
        "<logs>/{evaluation}/evaluation.log",
    benchmark:
        "<benchmarks>/{evaluation}/evaluation.tsv"
    params:
        step=lambda wildcards: params_of.evaluation_step(study, "evaluation", wildcards.evaluation),
    script:
        "../../scripts/step.py"


rule evaluation_findings:
    """Write the findings: which models score better."""
    input:
        lambda wildcards: tables(
            made_by("evaluation_scores", **wildcards) + made_by("evaluation", **wildcards)
        ),
    output:
        "<results>/{evaluation}/findings.md",
    log:
        "<logs>/{evaluation}/evaluation_findings.log",
    benchmark:
        "<benchmarks>/{evaluation}/evaluation_findings.tsv"
    params:
        step=lambda wildcards: params_of.evaluation_page_step(study, wildcards.evaluation),
    script:
        "../../scripts/step.py"
