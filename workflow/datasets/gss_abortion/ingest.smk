"""Needs nothing: the data come with a pip package. Makes the tables of the ingest step."""


rule ingest_gss_abortion:
    """Read the abortion items of the General Social Survey, and fit simulators to earlier years."""
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("gss_abortion"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/gss_abortion/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
