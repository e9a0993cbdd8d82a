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
        twins="<results>/{dataset}/structure/twins.parquet",
        twins_csv="<results>/{dataset}/structure/twins.csv",
        twins_by="<results>/{dataset}/structure/twins_by.parquet",
        twins_by_csv="<results>/{dataset}/structure/twins_by.csv",
    log:
        "<logs>/{dataset}/twins.log",
    benchmark:
        "<benchmarks>/{dataset}/twins.tsv"
    params:
        step=step("scripts/twins.py"),
    script:
        "../../scripts/twins.py"
