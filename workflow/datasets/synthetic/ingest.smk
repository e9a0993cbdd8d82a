"""Needs nothing: the data are drawn. Makes the tables of the ingest step."""


rule ingest_synthetic:
    """Draw a population whose truth is known, and simulators of it."""
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("synthetic"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/synthetic/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
