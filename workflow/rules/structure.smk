"""Needs who answered what, of people and in each run of simulators.

Makes tables of how answers to different questions go together: correlations of pairs of questions, tables of pairs,
and scales; and of how far answers, and groups of people, lie apart. They have no rows on sides whose answers are not known by person; the first says what is lacking.
"""


rule structure:
    """Compare how answers to different questions go together."""
    input:
        scenarios=ingested["scenarios"],
        respondents=ingested["respondents"],
        runs=ingested["runs"],
    output:
        **files_of("structure"),
    log:
        "<logs>/{dataset}/structure.log",
    benchmark:
        "<benchmarks>/{dataset}/structure.tsv"
    params:
        step=step("structure"),
    script:
        "../../scripts/step.py"
