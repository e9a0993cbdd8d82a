"""The paper's own study, from files of the release's layouts to the report."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from small_release import MODELS, VALUES_MODELS, write_release
from small_study import REPOSITORY, Project, copy_project, vouch_for

from fidelity.baselines.from_wording import question_ridge
from fidelity_study.config.study import Study

PAPER = yaml.safe_load((REPOSITORY / "config" / "paper.yaml").read_text(encoding="utf-8"))
ORIGINALS = {
    "worldvaluesbench": "paper_values",
    "eedi": "paper_eedi",
    "opinionqa": "paper_opinionqa",
    "umar": "umar",
}

LEARNED = "question_ridge"
SIMULATORS = {
    "worldvaluesbench": ["gpt4o", "uniform"],
    "eedi": ["gpt-4o", "random", LEARNED],
    "opinionqa": ["gpt-4o", "random"],
    "umar": ["linear", "tree", "mlp"],
}


def small_config(mirror: Path) -> dict:
    """The paper's settings for the four data sets, at a size for tests."""
    datasets = {room: {**PAPER["datasets"][name]} for room, name in ORIGINALS.items()}
    for room, names in SIMULATORS.items():
        datasets[room]["simulators"] = names
        datasets[room]["grid"] = {**datasets[room]["grid"], "n": ["all"], "k": [20]}
    datasets["worldvaluesbench"]["grid"]["n"] = [20, "all"]
    datasets["umar"] |= {"draws": 40, "figures": ["curve"]}
    return {**PAPER, "data_mirror": str(mirror), "datasets": datasets}


class Release:
    """A small release, a copy of the project that vouches for it, and a study's folder."""

    def __init__(self, root: Path):
        """Write everything below ``root``."""
        self.mirror = root / "mirror"
        self.content = write_release(self.mirror)
        self.copy = copy_project(root / "project")
        self.checks = {room: each["checks"] for room, each in self.content.items()}
        self.vouch()

    def vouch(self, **checks):
        """Accept the files as they are now, with these check values."""
        vouch_for(self.copy.root / "workflow" / "datasets", self.mirror, self.checks | checks)

    def study(self, folder: Path, config: dict | None = None) -> Project:
        """Return the study in a folder of its own."""
        return self.copy.elsewhere(folder, config or small_config(self.mirror))


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Release:
    return Release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def study(release, tmp_path_factory) -> Project:
    """The four data sets, from the files to the report, in one run."""
    project = release.study(tmp_path_factory.mktemp("paper"))
    project.run()
    return project


def counts_of(outcomes: pd.DataFrame) -> dict:
    """Return the counts of each scenario and source by option."""
    return {
        cell: dict(zip(rows["value"].astype(int), rows["count"].astype(int), strict=True))
        for cell, rows in outcomes.groupby(["scenario", "source"])
    }


def by_hand(release: Release, room: str) -> dict:
    """Return the same as it was written, of the simulators that are studied."""
    return {
        (scenario, source): dict(count)
        for (scenario, source), count in release.content[room]["counts"].items()
        if source in ("human", *SIMULATORS[room])
    }


@pytest.mark.minutes
@pytest.mark.parametrize("room", ["worldvaluesbench", "eedi", "opinionqa"])
def test_answers_are_those_counted_by_hand(study, release, room):
    outcomes = study.table(f"{room}/outcomes.parquet")
    found = counts_of(outcomes[outcomes["source"] != LEARNED])
    assert found == by_hand(release, room)


@pytest.mark.minutes
def test_a_baseline_learns_from_the_wording(study):
    outcomes = study.table("eedi/outcomes.parquet")
    people = outcomes[outcomes["source"] == "human"].pivot(
        index="scenario", columns="value", values="count"
    )
    texts = study.table("eedi/scenarios.parquet").set_index("scenario")["description"]
    expected = question_ridge(people.to_numpy(), texts[people.index].tolist())
    stated = study.table("eedi/stated.parquet")
    found = stated.pivot(index="scenario", columns="value", values="probability")
    np.testing.assert_allclose(found.loc[people.index], expected)
    assert set(stated["source"]) == {LEARNED}


@pytest.mark.minutes
def test_options_and_scores_are_those_of_the_release(study, release):
    content = release.content["worldvaluesbench"]
    scenarios = study.table("worldvaluesbench/scenarios.parquet").set_index("scenario")
    assert list(scenarios.index) == list(content["codes"])
    for name, row in scenarios.iterrows():
        scored = {
            str(int(code)): score for code, score in zip(row["value"], row["score"], strict=True)
        }
        assert scored == content["scores"][name]
        assert list(row["score"]) == sorted(row["score"])
        assert (row["lower"], row["upper"]) == (-1, 1)
    assert scenarios["cluster"].nunique() == 2
    assert scenarios["respondents_repeat"].all()
    assert scenarios.loc["Q1", "description"] == "On a scale, Q1?"
    opinions = study.table("opinionqa/scenarios.parquet")
    np.testing.assert_allclose(opinions["score"][0], [-1, -1 / 3, 0, 1 / 3, 1])
    assert list(opinions["option"][0]) == ["Not at all", "Not much", "Refused", "Some", "A lot"]
    assert set(opinions["cluster"]) == {"W26", "W54", "W92"}
    tests = study.table("eedi/scenarios.parquet")
    assert tests["description"][1] == "What is 2?"
    assert (tests["kind"] == "binary").all()


@pytest.mark.minutes
def test_missing_answers_are_counted(study, release):
    missing = study.table("worldvaluesbench/missing.parquet").set_index(["scenario", "source"])
    expected = {cell: n for cell, n in release.content["worldvaluesbench"]["missing"].items() if n}
    assert missing["count"].to_dict() == expected
    assert (study.table("opinionqa/missing.parquet")["count"] == 1).all()


@pytest.mark.minutes
def test_temperatures_are_those_computed_by_hand(study, release):
    outcomes = study.table("umar/outcomes.parquet")
    people = outcomes[outcomes["source"] == "human"]
    expected = release.content["umar"]["temperatures"]
    assert set(people["scenario"]) == set(expected)
    for name, rows in people.groupby("scenario"):
        found = np.repeat(rows["value"], rows["count"].astype(int))
        np.testing.assert_allclose(np.sort(found), np.sort(expected[name]), rtol=0, atol=1e-9)
    simulated = outcomes[outcomes["source"] != "human"]
    assert (simulated.groupby(["scenario", "source"])["count"].sum() == 40).all()
    linear = simulated[simulated["source"] == "linear"]
    mean = np.average(linear["value"], weights=linear["count"])
    assert mean == pytest.approx(np.mean(np.concatenate(list(expected.values()))), abs=0.3)


@pytest.mark.minutes
def test_the_report_has_all_four(study):
    report = (study.folder / "results" / "default" / "report.html").read_text(encoding="utf-8")
    for room in ORIGINALS:
        assert study.table(f"{room}/summary.csv")["auc"].notna().all()
        (figure,) = (study.folder / "results/default" / room / "figures").glob("curve*.png")
        assert figure.stat().st_size > 10_000
    for title in ["Values, Figure 3", "EEDI", "OpinionQA", "UMAR"]:
        assert title in report
    assert not study.planned(), "a finished study has nothing to do"


def test_the_paper_is_planned_with_its_settings():
    datasets = Study(PAPER).datasets
    third, half = {"schedule": "1/3"}, {"schedule": "1/2"}
    assert {settings["grid"]["index"] for settings in datasets.values()} == {"mean", "weights"}
    settings = {
        name: (each["grid"]["n"], each["grid"]["k"], each["grid"]["gamma"], each["grid"]["pairs"])
        for name, each in datasets.items()
    }
    hoeffding = {"squared": ["hoeffding"]}
    assert settings["paper_values"] == ([500], [200], [third], hoeffding)
    assert settings["paper_values_by_n"] == ([50, 500, 5000, 10000], [200], [third], hoeffding)
    assert settings["paper_tightness_fixed"] == ([50, 500, 1000, 5000], [200], [0.5], hoeffding)
    assert settings["paper_eedi"] == (["all"], [50], [half], {"absolute": ["bernoulli_kl"]})
    assert settings["paper_opinionqa"][3] == {"tv": ["multinomial_kl_paper"]}
    assert settings["paper_opinionqa"][:3] == (["all"], [100], [half])
    assert settings["umar"][1:] == ([200], [third], {"variance": ["bootstrap_percentile"]})
    assert datasets["paper_eedi"]["simulators"] == MODELS
    assert datasets["paper_values"]["simulators"] == VALUES_MODELS
    assert "witness" in settings["values"][3]["squared"]


@pytest.mark.slow
def test_the_whole_paper_is_one_command(release, tmp_path):
    """With the settings as they are, one dry-run plans every file and figure."""
    project = release.study(tmp_path)
    planned = project.planned("--configfile", REPOSITORY / "config" / "paper.yaml")
    assert planned["ingest_worldvaluesbench"] == 9
    assert planned["fetch"] == 35


def test_printed_values_are_in_the_rooms():
    rooms = REPOSITORY / "workflow" / "datasets"
    checks = {
        room: yaml.safe_load((rooms / room / "sources.yaml").read_text(encoding="utf-8"))["checks"]
        for room in ORIGINALS
    }
    assert checks["worldvaluesbench"]["Q90 mean"] == -0.032856
    assert checks["worldvaluesbench"]["Q2 n"] == 95910
    assert [checks[room]["scenarios"] for room in ORIGINALS] == [235, 412, 385, 192]
