"""Needs people's answers, and the simulators': their draws, or the probabilities that they state.

Makes plans of a next study with this one as its pilot, for datasets whose config has the key plan: how
many people bring the interval of the mean within a width, and how many scenarios, people and draws bring
a calibrated curve's mean within a width of the truth; and at what cost.
"""


rule plan:
    """Find the cheapest studies that come near the truth."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=answers_of("outcomes"),
        stated=answers_of("stated"),
        human=last_of("bootstrap"),
        respondents=ingested["respondents"],
        simulated=rules.bootstrap_simulators.output[0],
        nonresponse=rules.nonresponse.output.table,
    output:
        means="<results>/{dataset}/plan/means.parquet",
        means_csv="<results>/{dataset}/plan/means.csv",
        plans="<results>/{dataset}/plan/plans.parquet",
        iso_width="<results>/{dataset}/plan/iso_width.parquet",
        plans_csv="<results>/{dataset}/plan/plans.csv",
    log:
        "<logs>/{dataset}/plan.log",
    benchmark:
        "<benchmarks>/{dataset}/plan.tsv"
    params:
        step=step("scripts/plan.py"),
    script:
        "../../scripts/plan.py"
