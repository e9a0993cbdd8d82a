"""Needs nothing: the data come with a pip package. Makes the tables of the ingest step."""


rule ingest_tv16_racial_attitudes:
    """Read the racial-attitude items of CCES 2016, and fit simulators to other states."""
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("tv16_racial_attitudes"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/tv16_racial_attitudes/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
