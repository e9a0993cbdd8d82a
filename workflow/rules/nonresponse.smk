"""Needs the answers and how many are missing.

Makes a table of missing answers of people and simulators, and why they are missing. A simulator that
refuses must not look like one that answers.
"""


rule nonresponse:
    """Count the answers that each source was asked for and did not give."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=answers_of("outcomes"),
        stated=answers_of("stated"),
        missing=answers_of("missing"),
        asked=of_dataset("simulate"),
    output:
        **files_of("nonresponse"),
    log:
        "<logs>/{dataset}/nonresponse.log",
    benchmark:
        "<benchmarks>/{dataset}/nonresponse.tsv"
    params:
        step=step("nonresponse"),
    script:
        "../../scripts/step.py"
