"""Abortion items of the General Social Survey, 1972-2018: one scenario per item and year."""

from fidelity_study.reading.ingest.answers import AGES, in_ranges, items_responses, package_data

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
SEX_WORDS = {"Male": "a man", "Female": "a woman"}
SCHOOL_WORDS = {  # by years of school
    11: ", who did not finish high school",
    12: ", who finished high school",
    15: ", with some college",
    100: ", with a college degree",
}
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


def describe(scenarios):
    item, year = scenarios["item"], scenarios["year"].astype(str)
    case = item.map(ITEMS)
    return scenarios.assign(
        scenario=item + "|" + year,
        description="Should it be possible to obtain a legal abortion if "
        + case
        + "? ("
        + year
        + ")",
        question=(
            "It is " + year + ". Should it be possible for a pregnant woman to obtain a legal "
            "abortion if " + case + "?"
        ),
        alike=item,
        series=item,
        time=scenarios["year"],
        people=year,
    )


def responses(step, files):
    people = package_data("stevedata", "gss_abortion")
    words = {
        "sex": people["sex"].map(SEX_WORDS),
        "age": in_ranges(people["age"], AGES),
        "race": people["race"].map(RACE_WORDS),
        "school": in_ranges(people["educ"], SCHOOL_WORDS),
        "party": people["partyid"].map(PARTY_WORDS),
    }
    return items_responses(
        step, people, ITEMS, ["year"], OPTIONS, describe, origin=ORIGIN, words=words
    )
