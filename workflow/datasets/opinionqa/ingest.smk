"""Needs the authors' files, fetched by sources.yaml. Makes the tables of the ingest step."""


rule ingest_opinionqa:
    """Read the answers of the American Trends Panel, and those of seven language models."""
    input:
        sources=workflow.source_path("sources.yaml"),
        questions="resources/opinionqa/questions.npy",
        scores="resources/opinionqa/scores.json",
        people="resources/opinionqa/people.pkl",
        simulators=lambda wildcards: [
            path
            for name in study.datasets[wildcards.dataset]["simulators"]
            for path in study.resources(wildcards.dataset, f"simulators/{name}.pkl")
        ],
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("opinionqa"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/opinionqa/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
