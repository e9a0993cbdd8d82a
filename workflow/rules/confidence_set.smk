"""Needs the human subsamples.

Makes, for each of them, every confidence set at every coverage, as bounds on what people answer.
Why a step of its own: the bounds don't depend on simulators or k, and are computed once for all.
"""


rule confidence_set:
    """Bound what people answer."""
    input:
        scenarios=ingested["scenarios"],
        human=rules.bootstrap.output[0],
    output:
        **files_of("confidence_set"),
    log:
        "<logs>/{dataset}/confidence_set/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/confidence_set/n{n}.tsv"
    params:
        step=step("confidence_set"),
    script:
        "../../scripts/step.py"
