"""Needs the authors' sensor tables, fetched by sources.yaml. Makes the tables of the ingest step."""


rule ingest_umar:
    """Read the temperature of a room in the building UMAR, and fit three models that forecast it."""
    input:
        sources=workflow.source_path("sources.yaml"),
        raw=lambda wildcards: study.resources(wildcards.dataset, "raw/*"),
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("umar"),
    params:
        step=lambda wildcards: study.step("workflow/datasets/umar/ingest.py", wildcards.dataset),
    script:
        "ingest.py"
