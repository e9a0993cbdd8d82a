"""Needs the pseudo-discrepancies at the last n, and the scenarios' clusters.

Makes mean scores with error bars, paired differences between simulators, and the ranks that they
leave open. Why two scores: the plug-in discrepancy is what evaluations report, the upper one what
is certain of people.
"""


rule error_bars:
    """Put error bars on mean scores and on their differences."""
    input:
        scenarios="results/{dataset}/scenarios.parquet",
        pseudo_discrepancy=lambda wildcards: study.last_path(
            wildcards.dataset, "pseudo_discrepancy/n{n}.parquet"
        ),
    output:
        means="results/{dataset}/comparison/means.parquet",
        differences="results/{dataset}/comparison/differences.parquet",
        ranks="results/{dataset}/comparison/ranks.parquet",
        csv=report(
            "results/{dataset}/comparison/differences.csv",
            caption="../report/differences.rst",
            category=title,
            labels={"what": "differences with error bars", "form": "table"},
        ),
    log:
        "logs/{dataset}/error_bars.log",
    benchmark:
        "benchmarks/{dataset}/error_bars.tsv"
    conda:
        "../../environment.yml"
    params:
        step=lambda wildcards: study.step("scripts/error_bars.py", wildcards.dataset),
    script:
        "../../scripts/error_bars.py"
