"""The experiments of Twin-2K-500: who was in which condition, and published sizes of effects."""

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from mirror import MIRROR, mirrored
from tabular_step import folder_step, tables_of
from test_effects_step import STEP

from fidelity_study.config.project import input_files
from fidelity_study.reading.ingest.folder import responses
from fidelity_study.steps.effects import effect_tables
from fidelity_study.steps.experiment import Answered, Experiment

EXPERIMENTS = MIRROR / "twin2k_experiments"
pytestmark = mirrored(EXPERIMENTS)
COLUMNS = {"green_default": "OPTIN_Green", "organ_default": "OPTIN_Organ"}
TWO_ARMS = (
    *("default_eric", "affective_priming", "digital_certification"),
    *("targeting_fairness", "obedient_twins"),
)
INGEST = folder_step("twin2k_experiments", "bounded", "study", ["twin"])


@pytest.fixture(scope="module")
def ingested(tmp_path_factory):
    """What is read of all studies; surveys' exports are made anew of their conditions."""
    folder = tmp_path_factory.mktemp("twin2k")
    arms = pd.read_csv(EXPERIMENTS / "derived/conditions.csv.gz", dtype=str)
    files = json.loads(json.dumps(input_files(INGEST)).replace("resources/", f"{folder}/"))
    for path in map(Path, files["answers"]):
        (path.parent / "people").mkdir(parents=True)
        (there,) = (EXPERIMENTS / "mega_study_evaluation" / path.parent.name).rglob("*level.csv.gz")
        path.write_bytes(gzip.decompress(there.read_bytes()))
        study = arms[arms["study"] == path.parent.name]
        wide = study.pivot(index="TWIN_ID", columns="factor", values="arm").rename(columns=COLUMNS)
        wide = wide.replace({"opt-in": "1", "opt-out": ""}).reset_index()
        labels = pd.DataFrame([[name] * 2 for name in wide], index=wide.columns).T
        pd.concat([labels, wide]).to_csv(path.parent / "people" / "response.csv", index=False)
    return responses(INGEST, SimpleNamespace(**files))


def published():
    """Return the sizes of effects of people and twins by outcome, without their signs."""
    paths = [
        path
        for study in TWO_ARMS
        for path in (EXPERIMENTS / "mega_study_evaluation" / study).rglob("*meta analysis.csv")
    ]
    table = pd.concat(map(pd.read_csv, paths)).set_index("variable name")
    return table.filter(like="effect size").dropna().abs()


def test_published_sizes_of_effects(ingested):
    """All 15 of both sides; published signs follow the order of rows and are left out."""
    sizes = {}
    for side, rows in (("human", ingested.by_respondent), ("twin", ingested.runs)):
        arms = rows.groupby("scenario")["value"].agg(["mean", "var", "size"])
        for question, part in arms.groupby(arms.index.str.rpartition(" | ").get_level_values(0)):
            if len(part) == 2:
                pooled = np.average(part["var"], weights=part["size"] - 1)
                sizes[question, side] = abs(part["mean"].diff().iloc[1]) / np.sqrt(pooled)
    expected = published()
    assert len(expected) == 15
    for side in ("human", "twin"):
        ours = [sizes[question, side] for question in expected.index]
        np.testing.assert_allclose(ours, expected[f"effect size based on {side}"], atol=1e-6)


@pytest.mark.slow
def test_effects_of_people_and_twins(ingested):
    step = STEP | {"simulators": ["twin"], "outcome": {"kind": "bounded"}}
    step["effects"] = STEP["effects"] | {"control": "control"}
    tables = tables_of(ingested, "bounded")
    del tables["facts"]
    experiment = Experiment.of(tables.pop("scenarios"), step)
    made = {name: rows for name, (rows, _) in effect_tables(Answered(experiment, **tables)).items()}
    assert len(made["effects"]) == 68
    by = {(row["outcome"], row["condition"]): row for row in made["effects"]}
    passport = by["DV1", "1"]
    assert passport["people"] > 0.0 > passport["effect"] and not passport["agrees"]
    green = by["target_behavior_green", "opt-out"]
    assert green["people"] == pytest.approx(0.6067 - 0.36, abs=1e-4)
    assert green["effect"] == pytest.approx(0.4633 - 0.3933, abs=1e-4)
    people, twins = (by["PPV", "BT"][side] for side in ("people", "effect"))
    assert people == pytest.approx((5.4691 - 1.7437) / 6, abs=1e-4)
    assert twins == pytest.approx((4.6031 - 1.0) / 6, abs=1e-4)
    (these,) = (
        row
        for row in made["effect_summary"]
        if row["target"] == "these" and row["simulator"] == "twin"
    )
    assert these["slope_lower"] > 0.0
