"""Needs nothing: the data come with a pip package. Makes the tables of the ingest step."""


rule ingest_ces_2024:
    """Read the Cooperative Election Study 2024 and the answers of qwen3-vl-2b."""
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("ces_2024"),
    params:
        step=lambda wildcards: study.step("workflow/datasets/ces_2024/ingest.py", wildcards.dataset),
    script:
        "ingest.py"
