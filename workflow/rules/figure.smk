"""Needs the curves, summaries and pairwise shares of a dataset.

Makes its figures: each is a module in src/fidelity_study/figures, found by its name, with a
caption in workflow/report/captions.yaml.
"""


rule figure:
    """Draw one figure."""
    input:
        curves=lambda wildcards: study.paths(wildcards.dataset, "quantile/n{n}.parquet"),
        summaries=lambda wildcards: study.paths(wildcards.dataset, "quantile/summary_n{n}.parquet"),
        shares="results/{dataset}/comparison/shares.csv",
        scenarios="results/{dataset}/scenarios.parquet",
        guarantee=lambda wildcards: study.last_path(wildcards.dataset, "guarantee/n{n}.parquet"),
        levels=lambda wildcards: study.last_path(wildcards.dataset, "guarantee/levels_n{n}.parquet"),
        means="results/{dataset}/comparison/means.parquet",
        ranks="results/{dataset}/comparison/ranks.parquet",
        calibration=lambda wildcards: study.calibration_paths(wildcards.dataset),
        plan=lambda wildcards: study.plan_paths(wildcards.dataset),
    output:
        png=report(
            "results/{dataset}/figures/{figure}.png",
            caption="../report/figure.rst",
            category=title,
            labels=figure_label,
        ),
        pdf="results/{dataset}/figures/{figure}.pdf",
    log:
        "logs/{dataset}/figure/{figure}.log",
    benchmark:
        "benchmarks/{dataset}/figure/{figure}.tsv"
    conda:
        "../../environment.yml"
    params:
        step=lambda wildcards: study.figure_step(wildcards.dataset, wildcards.figure),
    script:
        "../../scripts/figure.py"
