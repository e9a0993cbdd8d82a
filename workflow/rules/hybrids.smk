"""Needs people's answers, who gave them where that is known, and the simulators' answers.

Makes the table of hybrids, for datasets whose config has the key hybrids: how near a few people
alone, a simulator alone, and both together come to all other people, and how many interviews the
simulator saves.
"""


rule hybrids:
    """Measure a few people, each simulator, and both together."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes="<results>/{dataset}/outcomes.parquet",
        respondents="<results>/{dataset}/respondents.parquet",
        simulated="<results>/{dataset}/bootstrap/simulators.parquet",
    output:
        hybrids="<results>/{dataset}/comparison/hybrids.parquet",
        hybrids_csv=report(
            "<results>/{dataset}/comparison/hybrids.csv",
            caption="../report/hybrids.rst",
            category=title,
            labels={"result": "interviews saved (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/hybrids.log",
    benchmark:
        "<benchmarks>/{dataset}/hybrids.tsv"
    params:
        step=lambda wildcards: study.step("scripts/hybrids.py", wildcards.dataset),
    script:
        "../../scripts/hybrids.py"
