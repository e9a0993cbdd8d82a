"""Needs the pseudo-discrepancies and the scenarios.

Makes quantile curves over scenarios, their summaries with the guarantee that each has, and one
table of all summaries to read.
"""


rule quantile:
    """Draw the quantile curves of every cell."""
    input:
        pseudo_discrepancy=rules.pseudo_discrepancy.output[0],
        scenarios=ingested["scenarios"],
    output:
        **files_of("quantile"),
    log:
        "<logs>/{dataset}/quantile/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/quantile/n{n}.tsv"
    params:
        step=step("quantile"),
    script:
        "../../scripts/step.py"


rule summary:
    """Gather the summaries of all n."""
    input:
        of_dataset("quantile", "summary"),
    output:
        **files_of("summary"),
    log:
        "<logs>/{dataset}/summary.log",
    benchmark:
        "<benchmarks>/{dataset}/summary.tsv"
    params:
        step=step("summary"),
    script:
        "../../scripts/step.py"
