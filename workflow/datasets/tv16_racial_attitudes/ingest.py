"""Four racial attitudes in the Cooperative Congressional Election Study 2016, by state.

The items are coded in opposite directions, so nothing is pooled across them.
"""

from fidelity_study.reading.ingest.answers import AGES, in_ranges, items_responses, package_data

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


def describe(scenarios):
    item, state = scenarios["item"], scenarios["state"]
    return scenarios.assign(
        scenario=item + "|" + state,
        description=item.map(ITEMS) + ": " + state,
        alike=item,
        people=state,
    )


def responses(step, files):
    people = package_data("stevedata", "TV16")
    words = {
        "sex": people["female"].map(SEX_WORDS),
        "age": in_ranges(people["age"], AGES),
        "race": ", " + people["racef"],
        "school": people["collegeed"].map(SCHOOL_WORDS),
        "party": people["pid7na"].map(PARTY_WORDS),
    }
    return items_responses(
        step, people, ITEMS, ["state"], OPTIONS, describe, origin=ORIGIN, words=words
    )
