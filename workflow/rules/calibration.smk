"""Needs people's answers and the probabilities that simulators state.

Makes scores, calibration errors and reliability diagrams of what is stated, for datasets whose config
has the key calibration.
"""


rule calibration:
    """Measure whether what simulators state comes true."""
    input:
        scenarios="results/{dataset}/scenarios.parquet",
        outcomes="results/{dataset}/outcomes.parquet",
        stated=lambda wildcards: study.answers(wildcards.dataset, "stated"),
    output:
        scores="results/{dataset}/calibration/scores.parquet",
        reliability="results/{dataset}/calibration/reliability.parquet",
        csv=report(
            "results/{dataset}/calibration/scores.csv",
            caption="../report/calibration.rst",
            category=title,
            labels={"what": "calibration of stated probabilities", "form": "table"},
        ),
    log:
        "logs/{dataset}/calibration.log",
    benchmark:
        "benchmarks/{dataset}/calibration.tsv"
    conda:
        "../../environment.yml"
    params:
        step=lambda wildcards: study.step("scripts/calibration.py", wildcards.dataset),
    script:
        "../../scripts/calibration.py"
