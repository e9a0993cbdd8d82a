"""Needs people's answers, and the simulators': their draws, or the probabilities that they state.

Makes plans of a next study with this one as its pilot, for datasets whose config has the key plan: how
many people bring the interval of the mean within a width, and how many scenarios, people and draws bring
a calibrated curve's mean within a width of the truth; and at what cost.
"""


rule plan:
    """Find the cheapest studies that come near the truth."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes=lambda wildcards: study.answers(wildcards.dataset, "outcomes"),
        stated=lambda wildcards: study.answers(wildcards.dataset, "stated"),
        human=lambda wildcards: study.last_path(wildcards.dataset, "bootstrap/n{n}.parquet"),
        respondents="<results>/{dataset}/respondents.parquet",
        simulated="<results>/{dataset}/bootstrap/simulators.parquet",
        nonresponse="<results>/{dataset}/nonresponse.parquet",
    output:
        means="<results>/{dataset}/plan/means.parquet",
        means_csv="<results>/{dataset}/plan/means.csv",
        plans="<results>/{dataset}/plan/plans.parquet",
        iso_width="<results>/{dataset}/plan/iso_width.parquet",
        plans_csv=report(
            "<results>/{dataset}/plan/plans.csv",
            caption="../report/plans.rst",
            category=title,
            labels={"result": "plans of a next study (table, {dataset})"},
        ),
    log:
        "<logs>/{dataset}/plan.log",
    benchmark:
        "<benchmarks>/{dataset}/plan.tsv"
    params:
        step=lambda wildcards: study.step("scripts/plan.py", wildcards.dataset),
    script:
        "../../scripts/plan.py"
