"""Needs people's and simulators' answers, and who answered what where that is known.

Makes simulators that are corrected by people's answers to other clusters of scenarios, fitted to all
people. Measures whether they are nearer to people than without the correction, and than a prediction
from the same people without a simulator: fitted to half of the people, judged by the other half.
"""


rule correct:
    """Correct simulators by people's answers to other scenarios, and judge what that gains."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        respondents=ingested["respondents"],
        simulated=rules.bootstrap_simulators.output[0],
    output:
        **files_of("correct"),
    log:
        "<logs>/{dataset}/correct.log",
    benchmark:
        "<benchmarks>/{dataset}/correct.tsv"
    params:
        step=step("correct"),
    script:
        "../../scripts/step.py"
