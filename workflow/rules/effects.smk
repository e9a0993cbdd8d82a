"""Needs people's and simulators' answers in the conditions of an experiment; effects: in the config names them.

Makes tables of the effects of conditions against the control: of both sides with intervals, and whether a simulator's
are people's in direction, size and order.
"""


rule effects:
    """Compare effects of conditions with people's."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        stated=ingested["stated"],
        respondents=ingested["respondents"],
        runs=ingested["runs"],
    output:
        **files_of("effects"),
    log:
        "<logs>/{dataset}/effects.log",
    benchmark:
        "<benchmarks>/{dataset}/effects.tsv"
    params:
        step=step("effects"),
    script:
        "../../scripts/step.py"
