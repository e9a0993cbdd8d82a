"""Needs nothing: the data come with a pip package. Makes the three tables of the ingest step."""


rule ingest_gss_abortion:
    """Read the abortion items of the General Social Survey, and fit simulators to earlier years."""
    output:
        outcomes="results/{dataset}/outcomes.parquet",
        scenarios="results/{dataset}/scenarios.parquet",
        stated="results/{dataset}/stated.parquet",
    log:
        "logs/{dataset}/ingest.log",
    benchmark:
        "benchmarks/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("gss_abortion"),
    conda:
        "../../../environment.yml"
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/gss_abortion/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
