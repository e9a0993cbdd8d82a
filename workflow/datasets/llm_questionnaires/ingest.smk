"""Needs the questionnaire, people's answers and the models' answers, which the rule fetch gets.

Makes the tables of the ingest step.
"""


rule ingest_llm_questionnaires:
    """Read a personality questionnaire, answered by people and by six language models."""
    input:
        lambda wildcards: study.resources(
            wildcards.dataset,
            study.datasets[wildcards.dataset]["options"]["questionnaire"] + "/*",
        ),
    output:
        **ingested,
    log:
        "<logs>/{dataset}/ingest.log",
    benchmark:
        "<benchmarks>/{dataset}/ingest.tsv"
    wildcard_constraints:
        dataset=study.datasets_of("llm_questionnaires"),
    params:
        step=lambda wildcards: study.step(
            "workflow/datasets/llm_questionnaires/ingest.py", wildcards.dataset
        ),
    script:
        "ingest.py"
