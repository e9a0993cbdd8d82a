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
        nonresponse=rules.nonresponse.output.nonresponse,
    output:
        **files_of("plan"),
    log:
        "<logs>/{dataset}/plan.log",
    benchmark:
        "<benchmarks>/{dataset}/plan.tsv"
    params:
        step=step("plan"),
    script:
        "../../scripts/step.py"
