"""Needs nothing but the config.

Measures whether promises hold: the coverage of the sets and discrepancies in use, on synthetic
populations whose truth is known, and the coverage of curves' guarantees in their worst case. If
audit.tests is true, also how often tests reject true and false hypotheses. Formulas and uses of tests
that are known to be wrong are measured beside them, and have to be caught.
"""


rule audit:
    """Measure the coverage of all confidence sets on one population."""
    output:
        "<results>/audit/sets_{population}.parquet",
    log:
        "<logs>/audit/sets_{population}.log",
    benchmark:
        "<benchmarks>/audit/sets_{population}.tsv"
    params:
        step=lambda wildcards: study.audit_step("scripts/audit.py", wildcards.population),
    script:
        "../../scripts/audit.py"


rule audit_curves:
    """Measure the coverage of the curves' guarantees, and of formulas known to be wrong."""
    output:
        curves="<results>/audit/curves.parquet",
        known_wrong="<results>/audit/known_wrong.parquet",
    log:
        "<logs>/audit/curves.log",
    benchmark:
        "<benchmarks>/audit/curves.tsv"
    params:
        step=study.audit_step("scripts/audit_curves.py"),
    script:
        "../../scripts/audit_curves.py"


rule audit_report:
    """Put the audit of coverage into a table, a figure and words."""
    input:
        sets=audits,
        curves="<results>/audit/curves.parquet",
        known_wrong="<results>/audit/known_wrong.parquet",
    output:
        table=report(
            "<results>/audit/audit.csv",
            caption="../report/audit.rst",
            category="Audit of the coverage",
            labels={"result": "all cells (table)"},
        ),
        png=report(
            "<results>/audit/audit.png",
            caption="../report/audit.rst",
            category="Audit of the coverage",
            labels={"result": "coverage and tightness (figure)"},
        ),
        pdf="<results>/audit/audit.pdf",
        findings="<results>/audit/findings.txt",
    log:
        "<logs>/audit/report.log",
    benchmark:
        "<benchmarks>/audit/report.tsv"
    params:
        step=study.audit_step("scripts/audit_report.py"),
    script:
        "../../scripts/audit_report.py"


rule audit_tests:
    """Measure type I error and power of all tests."""
    output:
        "<results>/audit/tests.parquet",
    log:
        "<logs>/audit/tests.log",
    benchmark:
        "<benchmarks>/audit/tests.tsv"
    params:
        step=study.audit_step("scripts/audit_tests.py"),
    script:
        "../../scripts/audit_tests.py"


rule audit_tests_report:
    """Put the audit of tests into a table, a figure and words."""
    input:
        "<results>/audit/tests.parquet",
    output:
        table=report(
            "<results>/audit/tests.csv",
            caption="../report/audit_tests.rst",
            category="Audit of the tests",
            labels={"result": "all tests (table)"},
        ),
        png=report(
            "<results>/audit/tests.png",
            caption="../report/audit_tests.rst",
            category="Audit of the tests",
            labels={"result": "type I error and power (figure)"},
        ),
        pdf="<results>/audit/tests.pdf",
        findings="<results>/audit/tests.txt",
    log:
        "<logs>/audit/tests_report.log",
    benchmark:
        "<benchmarks>/audit/tests_report.tsv"
    params:
        step=study.audit_step("scripts/audit_tests_report.py"),
    script:
        "../../scripts/audit_tests_report.py"
