"""Needs who answered what, of people and in each run of simulators, and facts on them.

Makes tables of the slopes of regressions on both sides, and of how far they lie apart.
"""


rule regressions:
    """Compare slopes of regressions on facts about persons."""
    input:
        scenarios=ingested["scenarios"],
        respondents=ingested["respondents"],
        runs=ingested["runs"],
        facts=ingested["facts"],
    output:
        **files_of("regressions"),
    log:
        "<logs>/{dataset}/regressions.log",
    benchmark:
        "<benchmarks>/{dataset}/regressions.tsv"
    params:
        step=step("regressions"),
    script:
        "../../scripts/step.py"
