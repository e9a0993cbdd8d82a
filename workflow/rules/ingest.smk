"""Needs the files that a dataset's sources.yaml and its config name. Makes the tables of the ingest step.

A dataset's folder whose rule differs has an ingest.smk, which takes the place of the rule here.
"""

from fidelity_study.config.project import ROOMS, input_files

has = lambda room, file: (ROOMS / room / file).exists()
published = lambda room: (
    {"sources": workflow.source_path(f"../datasets/{room}/sources.yaml")}
    if has(room, "sources.yaml")
    else {}
)

for room in [room for room in study.rooms() if has(room, "ingest.smk")]:

    include: f"../datasets/{room}/ingest.smk"


for room in [room for room in study.rooms() if not has(room, "ingest.smk")]:

    rule:
        """Read answers, and let baselines answer."""
        name:
            f"ingest_{room}"
        input:
            unpack(lambda wildcards: input_files(study.datasets[wildcards.dataset])),
            **published(room),
        output:
            **ingested,
        log:
            "<logs>/{dataset}/ingest.log",
        benchmark:
            "<benchmarks>/{dataset}/ingest.tsv"
        wildcard_constraints:
            dataset=study.datasets_of(room),
        params:
            step=step("ingest"),
        script:
            "../../scripts/step.py"
