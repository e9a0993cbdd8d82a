"""Needs the raw answers of simulators that were asked in several prompts, people's samples at the
last n, and the differences between simulators.

Makes a comparison of each simulator's prompts: the worst, the average, and how much a question's
discrepancy varies between prompts, beyond the chance in the answers.
"""


rule prompts:
    """Compare the prompts in which each language model was asked."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        human=lambda wildcards: study.last_path(wildcards.dataset, "bootstrap/n{n}.parquet"),
        simulated="<results>/{dataset}/bootstrap/simulators.parquet",
        differences="<results>/{dataset}/comparison/mean_differences.parquet",
        asked=lambda wildcards: study.prompted_paths(wildcards.dataset),
    output:
        prompts="<results>/{dataset}/comparison/prompts.parquet",
        prompts_csv=report(
            "<results>/{dataset}/comparison/prompts.csv",
            caption="../report/prompts.rst",
            category=title,
            labels={"result": "prompts (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/prompts.log",
    benchmark:
        "<benchmarks>/{dataset}/prompts.tsv"
    params:
        step=lambda wildcards: study.step("scripts/prompts.py", wildcards.dataset),
    script:
        "../../scripts/prompts.py"
