"""25 personality items of five traits, one scenario per item or per item and group of people."""

from fidelity_study.reading.ingest.answers import AGES, in_ranges, items_responses, package_data

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
GENDER_WORDS = {1: "a man", 2: "a woman"}
SCHOOL_WORDS = {
    1: ", who did not finish high school",
    2: ", who finished high school",
    3: ", with some college",
    4: ", with a college degree",
    5: ", with a graduate degree",
}


def responses(step, files):
    by = list(step["options"].get("by", []))
    people = package_data("psych", "bfi")

    def describe(scenarios):
        item = scenarios["item"]
        trait, wording = item.str[0], item.map(ITEMS)
        groups = [scenarios[name].astype(int).map(GROUPS[name]) for name in by]
        return scenarios.assign(
            trait=trait,
            scenario=item.str.cat(groups, sep="|"),
            description=wording.str.cat(groups, sep=", "),
            question="How accurately does this statement describe you? " + wording + ".",
            wording=wording,
            alike=item if by else trait,
            people=groups[0].str.cat(groups[1:], sep="|") if by else "the same",
        )

    words = {
        "gender": people["gender"].map(GENDER_WORDS),
        "age": in_ranges(people["age"], AGES),
        "education": people["education"].map(SCHOOL_WORDS),
    }
    return items_responses(
        step, people, ITEMS, by, OPTIONS, describe, origin="psych::bfi", words=words
    )
