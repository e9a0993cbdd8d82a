"""Six language models that answered personality questionnaires, against thousands of people.

Of people's answers, and of those of each model in each prompt mode, a row is a person or a run, and
a column an item.
"""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from fidelity_study.reading.ingest.answers import (
    check_known,
    count_columns,
    long_rows,
    missing_rows,
    respondent_rows,
    survey_responses,
)
from fidelity_study.tables.ingest import HUMAN

CYCLED = "03--with-history-questions-cycled"
MODES = {
    "01--baseline": "baseline",
    "02--with-history": "history",
    CYCLED: "cycled",
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
ID_TEN_TOO_HIGH = (12, 22, 32, 42)  # the second items of four traits, in questionnaire_cycled.json


def items(path: Path, questionnaire: str) -> pd.DataFrame:
    """Return the questionnaire's items: their column in people's table, wording and trait."""
    (part,) = json.loads(path.read_text(encoding="utf-8"))
    questions = pd.DataFrame(part["questions"])
    place = questions.groupby("dimension").cumcount() + 1
    if questionnaire == "big_5":
        column = questions["dimension"].str[0].str.upper() + place.astype(str)
    else:
        column = "Q" + questions["id"].astype(str)
    return pd.DataFrame(
        {
            "scenario": column,
            "description": questions["content"],
            "wording": questions["content"],
            "item": column,
            "trait": questions["dimension"],
            "alike": questions["dimension"],
            "people": "the same",
        }
    )


def people_answers(path: Path, names: pd.Series, not_answered: float) -> pd.DataFrame:
    """Return people's answers, one column an item, NaN where there is none."""
    table = pd.read_csv(path, skipinitialspace=True)
    return table[names].replace(not_answered, np.nan)


def model_answers(path: Path, names: pd.Series, mode: str) -> pd.DataFrame:
    """Return a model's answers, one column an item, named as in people's table.

    Columns are taken by their position, since headers of big_5 are wrong: columns are in the order
    of the ids under which a run kept its answers. That is the questionnaire's order, but for the
    cycled questionnaire, which gives the second items of four traits an id ten too high.
    """
    table = pd.read_csv(path, skipinitialspace=True)
    ids = [i + 10 * (mode == CYCLED and i in ID_TEN_TOO_HIGH) for i in range(1, len(names) + 1)]
    return table.set_axis(names.to_numpy()[np.argsort(ids)], axis=1)[names]


def responses(step, files):
    questionnaire = step["options"]["questionnaire"]
    options = OPTIONS[questionnaire]
    models = {}
    for path in map(Path, files.models):
        name = path.stem.removeprefix("raw.")
        models[f"{name} ({MODES[path.parent.name]})"] = path
    check_known(step, models)
    scenarios = items(Path(files.questionnaire), questionnaire)
    names = scenarios["scenario"]
    people = people_answers(files.people, names, NOT_ANSWERED[questionnaire])
    counts, lost = count_columns(people, list(options), origin="survey.csv")
    answered = survey_responses(
        step,
        scenarios,
        counts,
        options,
        by_respondent=respondent_rows(people, list(options)),
        origin=f"LLM-Questionnaires {questionnaire}",
    )
    runs = [answered.runs]
    outcomes, missing = [answered.outcomes], [missing_rows(names, HUMAN, "missing", lost)]
    for model, path in models.items():
        if model in step["simulators"]:
            mode = path.parent.name
            table = model_answers(path, names, mode)
            counts, lost = count_columns(table, list(options), origin=f"{mode}/{path.name}")
            outcomes.append(long_rows(names, list(options), counts, model, "count"))
            missing.append(missing_rows(names, model, "unparsable", lost))
            rows = respondent_rows(table, list(options)).rename(columns={"respondent": "run"})
            runs.append(rows.assign(source=model, respondent=None))
    return replace(
        answered,
        outcomes=pd.concat(outcomes, ignore_index=True),
        missing=pd.concat(missing, ignore_index=True),
        runs=pd.concat([table.astype({"scenario": object}) for table in runs], ignore_index=True),
    )
