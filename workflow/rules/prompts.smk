"""Needs the raw answers of simulators that were asked in several prompts, people's samples at the
last n, and the differences between simulators.

Makes a comparison of each simulator's prompts: the worst, the average, and how much a question's
discrepancy varies between prompts, beyond the chance in the answers.
"""


rule prompts:
    """Compare the prompts in which each language model was asked."""
    input:
        scenarios=ingested["scenarios"],
        human=last_of("bootstrap"),
        simulated=rules.bootstrap_simulators.output[0],
        differences=rules.mean_discrepancy.output.mean_differences,
        asked=lambda wildcards: [
            path
            for names in study.datasets[wildcards.dataset]["prompted"].values()
            for name in names
            for path in made_by("simulate", dataset=wildcards.dataset, asked=name)
        ],
    output:
        **files_of("prompts"),
    log:
        "<logs>/{dataset}/prompts.log",
    benchmark:
        "<benchmarks>/{dataset}/prompts.tsv"
    params:
        step=step("prompts"),
    script:
        "../../scripts/step.py"
