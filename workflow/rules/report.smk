"""Needs the tables and figures of all datasets.

Makes the report: one page that says whether the simulators can stand in for people; findings, a short
form for each dataset; the verdict as JSON, for other programs; a statement on each dataset for an
appendix; and a record of config, seed, code, packages and files.
"""


rule findings:
    """Write the findings: whether a dataset's simulators can stand in for people."""
    input:
        unpack(lambda wildcards: report_files(study, wildcards.dataset, "<results>")),
    output:
        "<results>/{dataset}/findings.md",
    log:
        "<logs>/{dataset}/findings.log",
    benchmark:
        "<benchmarks>/{dataset}/findings.tsv"
    params:
        step=lambda wildcards: params_of.findings_step(study, wildcards.dataset),
    script:
        "../../scripts/step.py"


rule statement:
    """Write the statement for an appendix: who was asked and how, and how certain results are."""
    input:
        unpack(lambda wildcards: report_files(study, wildcards.dataset, "<results>")),
        raw=of_dataset("simulate"),
    output:
        "<results>/{dataset}/statement.md",
    log:
        "<logs>/{dataset}/statement.log",
    benchmark:
        "<benchmarks>/{dataset}/statement.tsv"
    params:
        step=lambda wildcards: params_of.statement_step(study, wildcards.dataset),
    script:
        "../../scripts/step.py"


rule report:
    """Make the page that answers the study's question."""
    input:
        tables=made_by_all(),
        findings=[*made_by("findings"), *made_by("evaluation_findings")],
        statements=made_by("statement"),
    output:
        html="<results>/report.html",
        findings="<results>/findings.md",
        verdict="<results>/verdict.json",
        config="<results>/config.yaml",
        provenance="<results>/provenance.json",
    log:
        "<logs>/report.log",
    benchmark:
        "<benchmarks>/report.tsv"
    localrule: True
    params:
        step=params_of.report_step(study, config),
    script:
        "../../scripts/step.py"
