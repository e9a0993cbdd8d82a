"""Needs people's samples at the last n, the simulators' answers, and how many are missing.

Makes curves that hold although the best coverage γ is picked after looking, their certified bounds
for all scenarios and each cluster, and bounds of pairs' differences at all these coverages.
"""


rule envelope:
    """Find the envelope of the curves over coverages."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes="<results>/{dataset}/outcomes.parquet",
        human=lambda wildcards: study.last_path(wildcards.dataset, "bootstrap/n{n}.parquet"),
        simulated="<results>/{dataset}/bootstrap/simulators.parquet",
        nonresponse="<results>/{dataset}/nonresponse.parquet",
    output:
        curves="<results>/{dataset}/envelope/curves.parquet",
        shares="<results>/{dataset}/envelope/shares.parquet",
        pairs="<results>/{dataset}/envelope/pairs.parquet",
        shares_csv=report(
            "<results>/{dataset}/envelope/shares.csv",
            caption="../report/envelope.rst",
            category=title,
            labels={"result": "what is certain of most scenarios (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/envelope.log",
    benchmark:
        "<benchmarks>/{dataset}/envelope.tsv"
    params:
        step=lambda wildcards: study.step("scripts/envelope.py", wildcards.dataset),
    script:
        "../../scripts/envelope.py"
