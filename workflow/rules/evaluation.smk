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
        **files_of("evaluation_scores", "{evaluation}"),
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
        **files_of("evaluation", "{evaluation}"),
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
