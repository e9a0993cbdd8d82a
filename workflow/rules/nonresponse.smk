"""Needs the answers and how many are missing.

Makes a table of missing answers of people and simulators, and why they are missing. A simulator that
refuses must not look like one that answers.
"""


rule nonresponse:
    """Count the answers that each source was asked for and did not give."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes=lambda wildcards: study.answers(wildcards.dataset, "outcomes"),
        missing=lambda wildcards: study.answers(wildcards.dataset, "missing"),
        asked=lambda wildcards: study.asked_paths(wildcards.dataset),
    output:
        table="<results>/{dataset}/nonresponse.parquet",
        csv=report(
            "<results>/{dataset}/nonresponse.csv",
            caption="../report/nonresponse.rst",
            category=title,
            labels={"result": "missing answers (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/nonresponse.log",
    benchmark:
        "<benchmarks>/{dataset}/nonresponse.tsv"
    params:
        step=lambda wildcards: study.step("scripts/nonresponse.py", wildcards.dataset),
    script:
        "../../scripts/nonresponse.py"
