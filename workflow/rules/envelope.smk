"""Needs people's samples at the last n, the simulators' answers, and how many are missing.

Makes curves that hold although the best coverage γ is picked after looking, their certified bounds
for all scenarios and each cluster, and bounds of pairs' differences at all these coverages.
"""


rule envelope:
    """Find the envelope of the curves over coverages."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        human=last_of("bootstrap"),
        simulated=rules.bootstrap_simulators.output[0],
        nonresponse=rules.nonresponse.output.nonresponse,
    output:
        **files_of("envelope"),
    log:
        "<logs>/{dataset}/envelope.log",
    benchmark:
        "<benchmarks>/{dataset}/envelope.tsv"
    params:
        step=step("envelope"),
    script:
        "../../scripts/step.py"
