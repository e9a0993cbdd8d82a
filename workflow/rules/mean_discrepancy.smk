"""Needs people's samples at the last n, who answered what, and simulators' answers and gaps.

Makes bounds of mean discrepancies that need no confidence set: two bounds that hold in expectation,
and an interval, for these questions and for new ones. The same for clusters, the worst tenth, and
differences between simulators. Also makes the lists of scenarios on which a simulator is certainly
within a tolerance, or farther.
"""


rule mean_discrepancy:
    """Bound mean discrepancies and their differences; list scenarios within tolerances."""
    input:
        scenarios=ingested["scenarios"],
        human=last_of("bootstrap"),
        respondents=ingested["respondents"],
        simulated=rules.bootstrap_simulators.output[0],
        nonresponse=rules.nonresponse.output.nonresponse,
    output:
        **files_of("mean_discrepancy"),
    log:
        "<logs>/{dataset}/mean_discrepancy.log",
    benchmark:
        "<benchmarks>/{dataset}/mean_discrepancy.tsv"
    params:
        step=step("mean_discrepancy"),
    script:
        "../../scripts/step.py"
