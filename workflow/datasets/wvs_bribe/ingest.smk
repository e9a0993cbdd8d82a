"""Needs nothing: the data come with a pip package. Makes the tables of the ingest step."""


rule ingest_wvs_bribe:
    """Read the bribe item of the World Values Survey, and fit simulators to other countries and waves."""
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("wvs_bribe"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/wvs_bribe/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
