"""Needs the tables and figures of all datasets.

Makes the report: one page that says whether the simulators can stand in for people, the same in
short, and a record of what all of this was made with.
"""


rule report:
    """Make the page that answers the study's question."""
    input:
        shown=shown,
        tables=study.tables() + audit_tables,
        audit=audit_findings,
    output:
        html="<results>/report.html",
        findings="<results>/findings.md",
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
