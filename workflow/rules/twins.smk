"""Needs who answered what, of people and in each run of simulators, and runs that have names of persons.

Makes tables of what twins know of their persons, beyond the twins of others in the same group. They have no rows where
no run has a person's name.
"""


rule twins:
    """Compare twins with their persons."""
    input:
        scenarios=ingested["scenarios"],
        respondents=ingested["respondents"],
        runs=ingested["runs"],
    output:
        **files_of("twins"),
    log:
        "<logs>/{dataset}/twins.log",
    benchmark:
        "<benchmarks>/{dataset}/twins.tsv"
    params:
        step=step("twins"),
    script:
        "../../scripts/step.py"
