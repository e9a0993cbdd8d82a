"""Needs the authors' files, fetched by sources.yaml, or the people's official file instead of theirs.

Makes the tables of the ingest step.
"""


rule ingest_worldvaluesbench:
    """Read the World Values Survey, wave 7, and the answers of four language models."""
    input:
        sources=workflow.source_path("sources.yaml"),
        questions="resources/worldvaluesbench/questions.json",
        scores="resources/worldvaluesbench/scores.json",
        wording="resources/worldvaluesbench/wording.json",
        people=lambda wildcards: study.datasets[wildcards.dataset]["options"].get(
            "people", "resources/worldvaluesbench/people.pkl"
        ),
        adjustment=lambda wildcards: (
            "resources/worldvaluesbench/answer_adjustment.json"
            if "people" in study.datasets[wildcards.dataset]["options"]
            else []
        ),
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
        dataset=study.datasets_of("worldvaluesbench"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/worldvaluesbench/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
