"""Needs the tables of the steps that measure a use. Makes the table of what simulators may be used for."""


rule uses:
    """Judge all uses of simulators at one error rate."""
    input:
        lambda wildcards: [
            file
            for rule, name in MEASURING.items()
            for file in made_by(rule, name, dataset=wildcards.dataset)
        ],
    output:
        **files_of("uses"),
    log:
        "<logs>/{dataset}/uses.log",
    benchmark:
        "<benchmarks>/{dataset}/uses.tsv"
    params:
        step=step("uses"),
    script:
        "../../scripts/step.py"
