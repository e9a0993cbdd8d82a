"""Needs the outcomes of people and twins and the outcomes' ranges, which the rule fetch gets.

Makes the tables of the ingest step.
"""


rule ingest_twin2k_megastudy:
    """Read the outcomes of 1,784 people and of their digital twins in 19 studies."""
    input:
        people="resources/twin2k_megastudy/combined_dv_human.csv",
        twins="resources/twin2k_megastudy/combined_dv_llm.csv",
        ranges="resources/twin2k_megastudy/dv_variables_summary.csv",
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("twin2k_megastudy"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/twin2k_megastudy/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
