"""Needs people's samples at the last n, who answered what, and simulators' answers and gaps, of questions put to groups.

Makes tables of how far simulators are from each group of people, by each column of groups and by several together, and
of the differences between groups.
"""


rule groups:
    """Compare how far simulators are from groups of people."""
    input:
        scenarios=ingested["scenarios"],
        human=last_of("bootstrap"),
        respondents=ingested["respondents"],
        simulated=rules.bootstrap_simulators.output[0],
        nonresponse=rules.nonresponse.output.nonresponse,
    output:
        **files_of("groups"),
    log:
        "<logs>/{dataset}/groups.log",
    benchmark:
        "<benchmarks>/{dataset}/groups.tsv"
    params:
        step=step("groups"),
    script:
        "../../scripts/step.py"
