"""Tables of towns whose questions are predicted, all of one study."""

import pandas as pd
import pytest
from asked_and_new import BASE, TOWN, files_of, persons, write
from once import once_for_all_workers
from small_study import Project, copy_project

CORRECTED = {"simulators": ["model", "uniform"], "correct": ["tempered", "ridge"]}
TABLES = ("predictions", "held_out", "nearest")
# name -> settings, and how its files are
TOWNS = {
    "town": ({}, {}),
    "weighted": ({"predict": {"weights": "ratio", "statement": ["weighted"]}}, {}),
    "clusters": ({"cluster": "topic"}, {"asked": 100}),
    "corrected": (CORRECTED | {"predict": {"statement": ["marginal", "exact"]}}, {}),
    "halves": (CORRECTED | {"respondents_repeat": True}, {}),
    "untold": (CORRECTED | {"respondents_repeat": True}, {}),
}


@pytest.fixture(scope="session")
def predicted(tmp_path_factory):
    """Return a function that gives the tables of a town by its name, and its folder of files."""

    def build(folder):
        towns = {
            name: {**TOWN, **files_of(name), **settings} for name, (settings, _) in TOWNS.items()
        }
        study = copy_project(folder / "copy").elsewhere(
            folder / "study", {**BASE, "datasets": towns}
        )
        for name, (_, how) in TOWNS.items():
            write(study.folder / "data" / name, **how)
        persons(study.folder / "data" / "halves")
        study.run(*(f"results/default/{name}/predict/predictions.parquet" for name in TOWNS))

    built = once_for_all_workers(tmp_path_factory, "predicted", build)
    study = Project(built / "copy", built / "study")

    def tables(name: str) -> dict[str, pd.DataFrame]:
        found = {each: study.table(f"{name}/predict/{each}.parquet") for each in TABLES}
        answers = study.table(f"{name}/respondents.parquet")
        return found | {"folder": study.folder / "data" / name, "respondents": answers}

    return tables
