"""Is taking a bribe justifiable? World Values Survey, waves 1-6, by country.

Countries are told apart by their code ``s003`` and ordered in time by wave.
"""

import pandas as pd

from fidelity_study.reading.ingest.answers import count_answers, package_data, survey_responses

ORIGIN = "stevedata::wvs_justifbribe"
OPTIONS = {float(code): str(code) for code in range(1, 11)} | {
    1.0: "1 Never justifiable",
    10.0: "10 Always justifiable",
}


def country_names(people):
    """Name each country code; the code is added where the name is missing or not unique."""
    name = people.groupby("s003")["country"].first()
    unclear = name.isna() | name.duplicated(keep=False)
    coded = name.fillna("Unnamed") + " (" + name.index.astype(str) + ")"
    return name.mask(unclear, coded)


def responses(step, files):
    people = package_data("stevedata", "wvs_justifbribe")
    answers = pd.DataFrame(
        {
            "country": people["s003"].map(country_names(people)),
            "time": people["s002"],
            "answer": people["f117"],
        }
    )
    scenarios, counts = count_answers(answers, ["country", "time"], list(OPTIONS), origin=ORIGIN)
    country, wave = scenarios["country"], "wave " + scenarios["time"].astype(str)
    scenarios = scenarios.assign(
        wave=wave,
        scenario=country + "|" + wave,
        description=(
            "Someone accepting a bribe in the course of their duties, 1 = never justifiable, "
            "10 = always: " + country + ", " + wave
        ),
        alike=scenarios["time"],
        series=country,
        people=country + "|" + wave,
    )
    return survey_responses(step, scenarios, counts, OPTIONS, origin=ORIGIN)
