"""Needs people's and simulators' answers in data/<dataset>.csv. Makes the three ingest tables."""


rule ingest_survey:
    """Read a survey whose questions have different numbers of options."""
    input:
        "data/{dataset}.csv",
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("survey"),
    params:
        step=step("workflow/datasets/survey/ingest.py"),
    script:
        "ingest.py"
