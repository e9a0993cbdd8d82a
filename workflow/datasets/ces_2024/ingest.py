"""A language model against the Cooperative Election Study 2024, by question and demographic cell.

Reads the people's and the model's shares from the package ``popfidelity``, cell tables as the
dataset ``tabular`` knows them. The people are survey-weighted, so their counts are fractional.
"""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import yaml

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.assemble import responses as tabular_responses


def package_folder():
    """Return where ``popfidelity`` keeps the study's files, without importing it."""
    package = find_spec("popfidelity")
    if package is None:
        raise DataError("the package popfidelity is not installed: pip install popfidelity==0.1.2")
    return Path(package.submodule_search_locations[0]) / "data" / "ces"


def wordings(path):
    """Return the wording of each question, with its options in it."""
    questions = yaml.safe_load(path.read_text(encoding="utf-8"))["questions"]
    return {
        question["id"]: question["text"].format(
            options=", ".join(question["options"][:-1]) + " or " + question["options"][-1]
        )
        for question in questions
    }


def responses(step, files):
    folder = package_folder()
    cells = {
        "human": str(folder / "survey_cells.csv"),
        "simulated": str(folder / "model_cells.csv"),
    }
    tables = tabular_responses({**step, "options": cells, "weighting_effect": None})
    scenarios = tables.scenarios.sort_values("scenario", ignore_index=True)
    parts = scenarios["scenario"].str.partition("|")
    wording = parts[0].map(wordings(folder / "questions.yaml"))
    return replace(
        tables,
        origin="popfidelity CES 2024",
        outcomes=tables.outcomes.sort_values(
            ["source", "scenario", "value"], ascending=[False, True, True]
        ),
        stated=tables.stated.sort_values(["scenario", "value"]),
        scenarios=scenarios.assign(
            description=wording,
            question=wording + " " + parts[2].str.replace("|", ", "),
            n_effective=scenarios["n_effective"].round() / (step["weighting_effect"] or 1.0),
            people=parts[2],
            alike=parts[0],
        ),
    )
