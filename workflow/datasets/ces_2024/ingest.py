"""A language model against the Cooperative Election Study 2024, by question and demographic cell.

Reads the people's and the model's shares from the package ``popfidelity``. Writes outcomes,
scenarios and stated probabilities. The people are survey-weighted, so their counts are fractional.
"""

from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import yaml

from fidelity_study.errors import DataError
from fidelity_study.ingest.answers import check_step
from fidelity_study.ingest.responses import Responses
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run
from fidelity_study.tables.ingest import HUMAN

SAMPLED = "fa"
STATED = "ntp"
WHOLE = 1e-6


def package_folder():
    """Return where ``popfidelity`` keeps the study's files, without importing it."""
    package = find_spec("popfidelity")
    if package is None:
        raise DataError("the package popfidelity is not installed: pip install popfidelity==0.1.2")
    return Path(package.submodule_search_locations[0]) / "data" / "ces"


def read_shares(path, questions):
    """Return the shares in ``path`` with each row's scenario and option code, in option order."""
    code = {
        (question, option): position
        for question, entry in questions.items()
        for position, option in enumerate(entry["options"], start=1)
    }
    shares = pd.read_csv(path)
    keys = list(zip(shares["question"], shares["option"], strict=True))
    strangers = [key for key in keys if key not in code]
    if strangers:
        raise DataError(f"{path}: {strangers[0]} is no question and option of questions.yaml")
    shares["value"] = [float(code[key]) for key in keys]
    shares["scenario"] = shares["question"] + "|" + shares["cell_id"]
    return shares.sort_values(["scenario", "value"], ignore_index=True)


def scenario_rows(people, questions, step):
    """Return one row per scenario; ``n_effective`` is n over the weighting_effect, 1 if unknown."""
    rows = people.drop_duplicates("scenario").reset_index(drop=True)
    entries = rows["question"].map(questions)
    wording = [
        entry["text"].format(
            options=", ".join(entry["options"][:-1]) + " or " + entry["options"][-1]
        )
        for entry in entries
    ]
    return rows[["scenario"]].assign(
        cluster=rows[{"question": "question", "cell": "cell_id"}[step["cluster"]]],
        description=wording,
        question=pd.Series(wording) + " " + rows["cell_id"].str.replace("|", ", "),
        value=[list(range(1, len(entry["options"]) + 1)) for entry in entries],
        option=[entry["options"] for entry in entries],
        n_effective=rows["n"] / (step["weighting_effect"] or 1.0),
        people=rows["cell_id"],
        alike=rows["question"],
    )


def sampled_counts(model, path):
    """Return how often the model gave each answer, from shares of its ``n`` sampled answers."""
    count = model["share"] * model["n"]
    whole = count.round()
    if ((count - whole).abs() > WHOLE).any():
        raise DataError(f"{path}: the shares of mode {SAMPLED!r} are no whole numbers of answers")
    return model[["scenario", "value"]].assign(source=SAMPLED, count=whole)


def main(snakemake):
    step = snakemake.params.step
    check_step(step, simulators=(SAMPLED, STATED))
    folder = package_folder()
    entries = yaml.safe_load((folder / "questions.yaml").read_text(encoding="utf-8"))["questions"]
    questions = {entry["id"]: entry for entry in entries}
    people = read_shares(folder / "survey_cells.csv", questions)
    people = people.assign(source=HUMAN, count=people["share"] * people["n"])
    model = read_shares(folder / "model_cells.csv", questions)
    columns = ["scenario", "source", "value"]
    outcomes = [people[[*columns, "count"]]]
    stated = pd.DataFrame(columns=[*columns, "probability"])
    if SAMPLED in step["simulators"]:
        sampled = model[model["mode"] == SAMPLED]
        outcomes.append(sampled_counts(sampled, folder / "model_cells.csv"))
    if STATED in step["simulators"]:
        by_token = model[model["mode"] == STATED].assign(source=STATED)
        stated = by_token.rename(columns={"share": "probability"})[[*columns, "probability"]]
    save(
        snakemake,
        Responses(
            origin="popfidelity CES 2024",
            outcomes=pd.concat(outcomes, ignore_index=True),
            scenarios=scenario_rows(people, questions, step),
            stated=stated,
        ),
    )


run(main, snakemake)
