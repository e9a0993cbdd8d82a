"""Needs people's samples at the last n, the simulators' answers, and the order of the scenarios.

Makes intervals that hold after every unit, whenever the study stops, for each simulator and for its
difference from the closest; and a test of whether the first and the second half of the data differ.
"""


rule sequence:
    """Say what was known after each unit, while data came in."""
    input:
        scenarios=ingested["scenarios"],
        human=last_of("bootstrap"),
        simulated=rules.bootstrap_simulators.output[0],
    output:
        **files_of("sequence"),
    log:
        "<logs>/{dataset}/sequence.log",
    benchmark:
        "<benchmarks>/{dataset}/sequence.tsv"
    params:
        step=step("sequence"),
    script:
        "../../scripts/step.py"
