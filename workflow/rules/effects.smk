"""Needs people's and simulators' answers in the conditions of an experiment; effects: in the config names them.

Makes tables of the effects of conditions against the control: of both sides with intervals, and whether a simulator's
are people's in direction, size and order.
"""


rule effects:
    """Compare effects of conditions with people's."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        stated=ingested["stated"],
        respondents=ingested["respondents"],
        runs=ingested["runs"],
    output:
        effects="<results>/{dataset}/effects/effects.parquet",
        effects_csv="<results>/{dataset}/effects/effects.csv",
        effect_summary="<results>/{dataset}/effects/effect_summary.parquet",
        effect_summary_csv="<results>/{dataset}/effects/effect_summary.csv",
        effect_plan="<results>/{dataset}/effects/effect_plan.parquet",
        effect_plan_csv="<results>/{dataset}/effects/effect_plan.csv",
    log:
        "<logs>/{dataset}/effects.log",
    benchmark:
        "<benchmarks>/{dataset}/effects.tsv"
    params:
        step=step("scripts/effects.py"),
    script:
        "../../scripts/effects.py"
