"""Needs the human subsamples.

Makes, for each of them, every confidence set at every coverage, as bounds on what people answer.
Why a step of its own: the bounds don't depend on simulators or k, and are computed once for all.
"""


rule confidence_set:
    """Bound what people answer."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        human="<results>/{dataset}/bootstrap/n{n}.parquet",
    output:
        "<results>/{dataset}/confidence_set/n{n}.parquet",
    log:
        "<logs>/{dataset}/confidence_set/n{n}.log",
    benchmark:
        "<benchmarks>/{dataset}/confidence_set/n{n}.tsv"
    params:
        step=lambda wildcards: study.step(
            "scripts/confidence_set.py", wildcards.dataset, wildcards.n
        ),
    script:
        "../../scripts/confidence_set.py"
