"""Needs the authors' files, fetched by sources.yaml. Makes the tables of the ingest step."""


rule ingest_eedi:
    """Read pupils' answers to mathematics questions, right or wrong, and those of seven models."""
    input:
        sources=workflow.source_path("sources.yaml"),
        questions="resources/eedi/questions.npy",
        wording="resources/eedi/wording.json",
        people="resources/eedi/people.pkl",
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
        dataset=study.datasets_of("eedi"),
    params:
        step=lambda wildcards: study.step("workflow/datasets/eedi/ingest.py", wildcards.dataset),
    script:
        "ingest.py"
