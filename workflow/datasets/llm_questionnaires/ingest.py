"""Six language models that answered personality questionnaires, against thousands of people.

Reads people's answers, the questionnaire and the answers of each model in each prompt mode, one
row a person or a run, one column an item. Writes outcomes, scenarios, stated probabilities and how
many answers are missing. The key ``questionnaire`` says which one: big_5 or humor_styles.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError
from fidelity_study.ingest.answers import (
    check_step,
    count_columns,
    long_rows,
    missing_rows,
    respondent_rows,
    survey_responses,
)
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run
from fidelity_study.tables.ingest import HUMAN

MODES = {
    "01--baseline": "baseline",
    "02--with-history": "history",
    "03--with-history-questions-cycled": "cycled",
}
OPTIONS = {
    "big_5": {
        1.0: "Disagree",
        2.0: "Slightly disagree",
        3.0: "Neutral",
        4.0: "Slightly agree",
        5.0: "Agree",
    },
    "humor_styles": {
        1.0: "Never or very rarely true",
        2.0: "Rarely true",
        3.0: "Sometimes true",
        4.0: "Often true",
        5.0: "Very often or always true",
    },
}
NOT_ANSWERED = {"big_5": 0.0, "humor_styles": -1.0}


def items(path: Path, questionnaire: str) -> pd.DataFrame:
    """Return the questionnaire's items: their column in people's table, wording and trait."""
    (part,) = json.loads(path.read_text(encoding="utf-8"))
    found = pd.DataFrame(part["questions"])
    place = found.groupby("dimension").cumcount() + 1
    if questionnaire == "big_5":
        column = found["dimension"].str[0].str.upper() + place.astype(str)
    else:
        column = "Q" + found["id"].astype(str)
    return pd.DataFrame(
        {"scenario": column, "description": found["content"], "trait": found["dimension"]}
    )


def answers(path: Path, names: pd.Series) -> pd.DataFrame:
    """Return the answers in a file, one column an item, named as in people's table.

    The models' files prefix an item of humor_styles by its trait: AFL1 is Q1.
    """
    table = pd.read_csv(path, skipinitialspace=True)
    if names.iloc[0].startswith("Q"):
        table.columns = table.columns.str.replace(r"^[A-Z]{3}(?=\d)", "Q", regex=True)
    lacking = sorted(set(names) - set(table))
    if lacking:
        raise DataError(f"{path}: has no column for item {lacking[0]}; fetch the file again")
    return table[names]


def main(snakemake):
    step = snakemake.params.step
    questionnaire = step["options"]["questionnaire"]
    options, folder = OPTIONS[questionnaire], f"/{questionnaire}/"
    files = {path.partition(folder)[2]: Path(path) for path in snakemake.input}
    models = {
        f"{name.removeprefix('raw.').removesuffix('.csv')} ({MODES[mode]})": f"{mode}/{name}"
        for mode, _, name in (file.partition("/") for file in files)
        if mode in MODES
    }
    check_step(step, simulators=models)
    scenarios = items(files["questionnaire.json"], questionnaire)
    scenarios["item"] = scenarios["scenario"]
    names = scenarios["scenario"]
    people = answers(files["survey.csv"], names).replace(NOT_ANSWERED[questionnaire], np.nan)
    counts, lost = count_columns(people, list(options), origin="survey.csv")
    responses = survey_responses(
        step,
        scenarios.assign(alike=scenarios["trait"], wording=scenarios["description"]),
        counts,
        options,
        people=pd.Series("the same", names.index),
        by_respondent=respondent_rows(people, list(options)),
        origin=f"LLM-Questionnaires {questionnaire}",
    )
    outcomes, missing = [responses.outcomes], [missing_rows(names, HUMAN, "missing", lost)]
    for model, file in models.items():
        if model in step["simulators"]:
            given, lost = count_columns(answers(files[file], names), list(options), origin=file)
            outcomes.append(long_rows(names, list(options), given, model, "count"))
            missing.append(missing_rows(names, model, "unparsable", lost))
    save(
        snakemake,
        replace(
            responses,
            outcomes=pd.concat(outcomes, ignore_index=True),
            missing=pd.concat(missing, ignore_index=True),
        ),
    )


run(main, snakemake)
