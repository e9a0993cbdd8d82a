"""Needs who answered what, of people and in each run of simulators.

Makes tables of how answers to different questions go together: correlations of pairs of questions, tables of pairs,
and scales; and of how far answers, and groups of people, lie apart. They have no rows on sides whose answers are not known by person; the first says what is lacking.
"""


rule structure:
    """Compare how answers to different questions go together."""
    input:
        scenarios=ingested["scenarios"],
        respondents=ingested["respondents"],
        runs=ingested["runs"],
    output:
        structure="<results>/{dataset}/structure/structure.parquet",
        structure_csv="<results>/{dataset}/structure/structure.csv",
        associations="<results>/{dataset}/structure/associations.parquet",
        associations_csv="<results>/{dataset}/structure/associations.csv",
        pair_tables="<results>/{dataset}/structure/pair_tables.parquet",
        pair_tables_csv="<results>/{dataset}/structure/pair_tables.csv",
        scales="<results>/{dataset}/structure/scales.parquet",
        scales_csv="<results>/{dataset}/structure/scales.csv",
        dispersion="<results>/{dataset}/structure/dispersion.parquet",
        dispersion_csv="<results>/{dataset}/structure/dispersion.csv",
        group_differences="<results>/{dataset}/structure/group_differences.parquet",
        group_differences_csv="<results>/{dataset}/structure/group_differences.csv",
    log:
        "<logs>/{dataset}/structure.log",
    benchmark:
        "<benchmarks>/{dataset}/structure.tsv"
    params:
        step=step("scripts/structure.py"),
    script:
        "../../scripts/structure.py"
