"""Needs people's samples at the last n, and who answered what.

Makes the distance of 50, 150 and 500 other people, a yardstick for the simulators' distances. Why a
step beside mean_discrepancy: it needs no simulator, so that new answers of simulators don't renew it.
"""


rule people_reference:
    """Compute how far other people would be from these."""
    input:
        scenarios=ingested["scenarios"],
        human=last_of("bootstrap"),
        respondents=ingested["respondents"],
    output:
        **files_of("people_reference"),
    log:
        "<logs>/{dataset}/people_reference.log",
    benchmark:
        "<benchmarks>/{dataset}/people_reference.tsv"
    params:
        step=step("people_reference"),
    script:
        "../../scripts/step.py"
