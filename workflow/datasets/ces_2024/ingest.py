"""A language model against the Cooperative Election Study 2024, by question and demographic cell.

Reads the people's and the model's shares from the package ``popfidelity``: a row for each option of
a question in a cell. The people are survey-weighted, so their counts are fractional.
"""

from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import yaml

from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.answers import check_known
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.tables.ingest import HUMAN

SAMPLED, STATED = "fa", "ntp"
WHOLE = 1e-6


def package_folder():
    """Return where ``popfidelity`` keeps the study's files, without importing it."""
    package = find_spec("popfidelity")
    if package is None:
        raise DataError("the package popfidelity is not installed: pip install popfidelity==0.1.2")
    return Path(package.submodule_search_locations[0]) / "data" / "ces"


def wording(question):
    """Return the wording of a question, with its options in it."""
    *options, last = question["options"]
    return question["text"].format(options=f"{', '.join(options)} or {last}")


def shares(path, questions):
    """Return the rows of a file, sorted, with their scenario, the option's code and the count."""
    codes = {
        (name, option): float(code)
        for name, question in questions.items()
        for code, option in enumerate(question["options"], 1)
    }
    rows = pd.read_csv(path)
    answers = zip(rows["question"], rows["option"], strict=True)
    count = rows["share"] * rows["n"]
    whole = count.round()
    rows = rows.assign(
        scenario=rows["question"] + "|" + rows["cell_id"],
        value=[codes[answer] for answer in answers],
        count=count.mask((count - whole).abs() <= WHOLE, whole),
    )
    return rows.sort_values(["scenario", "value"], ignore_index=True)


def responses(step, files):
    check_known(step, [SAMPLED, STATED])
    folder = package_folder()
    listed = yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))["questions"]
    questions = {question["id"]: question for question in listed}
    people = shares(folder / "survey_cells.csv", questions).assign(source=HUMAN)
    model = shares(folder / "model_cells.csv", questions)
    model = model.assign(source=model["mode"])[model["mode"].isin(step["simulators"])]
    is_stated = model["source"] == STATED
    outcomes = pd.concat([people, model[~is_stated]], ignore_index=True)
    cells = people.drop_duplicates("scenario")
    question = cells["question"]
    asked = question.map({name: wording(listed) for name, listed in questions.items()})
    options = question.map({name: listed["options"] for name, listed in questions.items()})
    scenarios = pd.DataFrame(
        {
            "scenario": cells["scenario"],
            "cluster": question if step["cluster"] == "question" else cells["cell_id"],
            "description": asked,
            "question": asked + " " + cells["cell_id"].str.replace("|", ", "),
            "n_effective": cells["n"] / (step["weighting_effect"] or 1.0),
            "people": cells["cell_id"],
            "alike": question,
            "option": options,
            "value": options.map(lambda texts: [float(code) for code in range(1, len(texts) + 1)]),
            "respondents_repeat": None,
        }
    )
    return Responses(
        origin="popfidelity CES 2024",
        outcomes=outcomes[["scenario", "source", "value", "count"]],
        scenarios=scenarios.reset_index(drop=True),
        stated=model[is_stated].rename(columns={"share": "probability"})[
            ["scenario", "source", "value", "probability"]
        ],
    )
