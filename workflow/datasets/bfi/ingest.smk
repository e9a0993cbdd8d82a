"""Needs nothing: the data come with a pip package. Makes the tables of the ingest step."""


rule ingest_bfi:
    """Read the 25 personality items of psych::bfi; small, for tests."""
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("bfi"),
    params:
        step=lambda wildcards: study.step("workflow/datasets/bfi/ingest.py", wildcards.dataset),
    script:
        "ingest.py"
