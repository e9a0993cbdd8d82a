"""Needs people's answers, who gave them where that is known, and the simulators' answers.

Makes the table of hybrids, for datasets whose config has the key hybrids: how near a few people
alone, a simulator alone, and both together come to all other people, and how many interviews the
simulator saves.
"""


rule hybrids:
    """Measure a few people, each simulator, and both together."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        respondents=ingested["respondents"],
        simulated=rules.bootstrap_simulators.output[0],
    output:
        **files_of("hybrids"),
    log:
        "<logs>/{dataset}/hybrids.log",
    benchmark:
        "<benchmarks>/{dataset}/hybrids.tsv"
    params:
        step=step("hybrids"),
    script:
        "../../scripts/step.py"
