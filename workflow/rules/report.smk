"""Needs the tables and figures of all datasets.

Makes the findings in words, dataset by dataset, the self-contained HTML report, and a record of
what all of this was made with.
"""


rule findings:
    """Put into words what a dataset's tables say."""
    input:
        curves=lambda wildcards: study.paths(wildcards.dataset, "quantile/n{n}.parquet"),
        summaries=lambda wildcards: study.paths(wildcards.dataset, "quantile/summary_n{n}.parquet"),
        envelope_shares=lambda wildcards: study.envelope_paths(wildcards.dataset, "envelope/shares"),
        mean_discrepancy="<results>/{dataset}/comparison/mean_discrepancy.parquet",
        mean_differences="<results>/{dataset}/comparison/mean_differences.parquet",
        shares="<results>/{dataset}/comparison/shares.csv",
        ranks="<results>/{dataset}/comparison/ranks.parquet",
        scenarios="<results>/{dataset}/scenarios.parquet",
        levels=lambda wildcards: study.last_path(wildcards.dataset, "guarantee/levels_n{n}.parquet"),
        sample_size="<results>/{dataset}/sample_size.parquet",
        nonresponse="<results>/{dataset}/nonresponse.csv",
        proper_scores="<results>/{dataset}/comparison/proper_scores.parquet",
        plan=lambda wildcards: study.plan_paths(wildcards.dataset),
        pseudo_discrepancy=lambda wildcards: study.paths(
            wildcards.dataset, "pseudo_discrepancy/n{n}.parquet"
        )[-1],
    output:
        "<results>/{dataset}/findings.rst",
    log:
        "<logs>/{dataset}/findings.log",
    benchmark:
        "<benchmarks>/{dataset}/findings.tsv"
    conda:
        "../envs/environment.yml"
    params:
        step=lambda wildcards: study.step("scripts/findings.py", wildcards.dataset),
    script:
        "../../scripts/findings.py"


rule report:
    """Make the HTML report."""
    input:
        shown=shown,
        tables=study.tables() + audit_tables,
        sections=[introduction, *findings, *audit_findings],
        stylesheet=workflow.source_path("../report/style.css"),
        search=workflow.source_path("../report/search.js"),
    output:
        html="<results>/report.html",
        findings="<results>/findings.rst",
        config="<results>/config.yaml",
        provenance="<results>/provenance.json",
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    localrule: True
    conda:
        "../envs/environment.yml"
    params:
        step=study.report_step(config),
    script:
        "../../scripts/report.py"
