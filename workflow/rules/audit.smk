"""Needs nothing but the config.

Measures whether the promised coverage is there: sets and discrepancies in use on synthetic
populations whose truth is known, and the guarantees of curves in their worst case, beside formulas
that are known to be wrong and have to be caught.
"""


rule audit:
    """Measure the coverage of all confidence sets on one population."""
    output:
        "results/audit/sets_{population}.parquet",
    log:
        "logs/audit/sets_{population}.log",
    benchmark:
        "benchmarks/audit/sets_{population}.tsv"
    conda:
        "../../environment.yml"
    params:
        step=lambda wildcards: study.audit_step("scripts/audit.py", wildcards.population),
    script:
        "../../scripts/audit.py"


rule audit_curves:
    """Measure the coverage of the curves' guarantees, and of what is known to be wrong."""
    output:
        curves="results/audit/curves.parquet",
        known_wrong="results/audit/known_wrong.parquet",
    log:
        "logs/audit/curves.log",
    benchmark:
        "benchmarks/audit/curves.tsv"
    conda:
        "../../environment.yml"
    params:
        step=study.audit_step("scripts/audit_curves.py"),
    script:
        "../../scripts/audit_curves.py"


rule audit_report:
    """Put the audit into a table, a figure and words."""
    input:
        sets=audits,
        curves="results/audit/curves.parquet",
        known_wrong="results/audit/known_wrong.parquet",
    output:
        table=report(
            "results/audit/audit.csv",
            caption="../report/audit.rst",
            category="Audit of the coverage",
            labels={"what": "all cells", "form": "table"},
        ),
        png=report(
            "results/audit/audit.png",
            caption="../report/audit.rst",
            category="Audit of the coverage",
            labels={"what": "coverage and tightness", "form": "figure"},
        ),
        pdf="results/audit/audit.pdf",
        findings="results/audit/findings.rst",
    log:
        "logs/audit/report.log",
    benchmark:
        "benchmarks/audit/report.tsv"
    conda:
        "../../environment.yml"
    params:
        step=study.audit_step("scripts/audit_report.py"),
    script:
        "../../scripts/audit_report.py"
