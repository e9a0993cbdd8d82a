"""One figure of a finished study for a paper, by one command."""

import json
import os
import shutil
import subprocess
import sys
from copy import deepcopy

import pytest
import yaml
from PIL import Image
from small_study import STUDY
from test_figures import OWN

from fidelity_study.config.project import figures

CONFIG = ("--config", "config/config.yaml")


def run(project, *arguments, status=0):
    """Run the command in a study's folder, check its exit status, return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "fidelity_study", "figure", *map(str, arguments)],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": str(project.root / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return " ".join((done.stdout if status == 0 else done.stderr).split())


@pytest.fixture(scope="module")
def finished(small_study, tmp_path_factory):
    """The small study, finished, in a folder of which tests may change a copy."""
    return small_study.finished(tmp_path_factory.mktemp("finished"))


@pytest.fixture
def changed(small_study, finished, tmp_path):
    """Return the study with another config, whose tables are as they were."""

    def with_config(config):
        for name in ("data", "results"):
            shutil.copytree(finished.folder / name, tmp_path / name)
        return small_study.elsewhere(tmp_path, config)

    return with_config


@pytest.mark.slow
def test_a_figure_is_drawn_as_pdf_and_png_with_its_caption(finished, tmp_path):
    said = run(finished, "curves", "--dataset", "personality", *CONFIG, "--out", tmp_path / "new")
    paths = [tmp_path / "new" / f"personality_curves.{suffix}" for suffix in ("pdf", "png")]
    assert sorted((tmp_path / "new").iterdir()) == paths
    assert paths[0].read_bytes().startswith(b"%PDF")
    picture = Image.open(paths[1])
    assert picture.width == round(7.2 * 300)
    assert f"seed {STUDY['seed']}" in picture.text["Description"]
    assert said.startswith(f"{paths[0]} {paths[1]} Curves of all simulators")
    assert " ".join(figures()["curves"].caption.split()) in said
    assert "Personality items: how far is each simulator from people?" in said
    assert "m = " in said


@pytest.mark.slow
def test_a_figure_that_the_config_does_not_name_is_drawn_in_this_folder(finished):
    assert not (finished.folder / "results/default/ratings/figures/bands.png").exists()
    run(finished, "bands", "--dataset", "ratings")
    assert (finished.folder / "ratings_bands.pdf").is_file()
    assert (finished.folder / "ratings_bands.png").is_file()


@pytest.mark.slow
def test_a_figure_of_the_users_own_is_drawn(changed, tmp_path):
    only = {**deepcopy(STUDY), "datasets": {"ratings": STUDY["datasets"]["ratings"]}}
    project = changed({**only, "extensions": ["people.py"]})
    (tmp_path / "people.py").write_text(OWN, encoding="utf-8")
    assert "How many people answered." in run(project, "people")
    assert (tmp_path / "ratings_people.png").stat().st_size > 5_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("curve", "--dataset", "survey"), ["'curve' is unknown; did you mean curves?"]),
        (("xyz", "--dataset", "survey"), ["'xyz' is unknown; there are: curves, means"]),
        (("curves", "--dataset", "surveys"), ["'surveys' is unknown; did you mean survey?"]),
        (("curves",), ["--dataset: config/config.yaml has several", "survey, ratings"]),
        (("curves", "--dataset", ""), ["--dataset: '' is unknown; there are: personality"]),
        (("curves", "--dataset", "sur"), ["'sur' is unknown; did you mean survey?"]),
        (
            ("curves", "--dataset", "survey", "--out", "config/config.yaml"),
            ["--out: config/config.yaml cannot hold the files", "name another"],
        ),
        (
            ("plan", "--dataset", "ratings"),
            ["plan needs the key datasets.ratings.plan, {} for its defaults"],
        ),
        (
            ("reliability", "--dataset", "survey"),
            ["reliability needs the key datasets.survey.calibration"],
        ),
        (
            ("reliability", "--dataset", "ratings"),
            ["for outcomes that are options, and those of ratings are numbers"],
        ),
        (
            ("guarantees", "--dataset", "ratings"),
            [
                "guarantees of ratings would be empty",
                "The same people answer",
                "Draw means instead",
            ],
        ),
    ],
)
def test_what_cannot_be_drawn_is_told_in_one_line(finished, arguments, words):
    said = run(finished, *arguments, status=1)
    assert "Traceback" not in said
    for each in words:
        assert each in said


@pytest.mark.slow
def test_a_config_that_is_not_there_is_told(finished):
    assert "none.yaml is no file" in run(finished, "curves", "--config", "none.yaml", status=2)


@pytest.mark.slow
def test_missing_tables_are_told_with_the_command_that_makes_them(changed, tmp_path):
    project = changed(STUDY)
    (tmp_path / "results/default/survey/scenarios.parquet").unlink()
    (tmp_path / "results/default/survey/comparison/mean_differences.parquet").unlink()
    said = run(project, "curves", "--dataset", "survey", status=1)
    assert said == (
        "results/default/survey/scenarios.parquet: is missing, and 1 more of its tables; "
        "run the study: fidelity-curves run config/config.yaml See docs/howto/figure.md"
    )
    run(project, "curves", "--dataset", "ratings")


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"draws": 50}, {"title": "Another title"}])
def test_tables_of_other_settings_are_no_figure(changed, changes):
    config = deepcopy(STUDY)
    config["datasets"]["personality"] |= changes
    status = 0 if "title" in changes else 1
    said = run(changed(config), "curves", "--dataset", "personality", status=status)
    if status:
        assert "personality has other settings than when its tables" in said
        assert "fidelity-curves run config/config.yaml" in said
    else:
        assert "Another title: how far" in said


@pytest.mark.slow
def test_a_fault_of_the_config_is_told(changed, tmp_path):
    project = changed(STUDY)
    (tmp_path / "config/config.yaml").write_text("datasets: {survey: [", encoding="utf-8")
    said = run(project, "curves", status=1)
    assert said.startswith("config/config.yaml: the config has faults")
    (tmp_path / "config/config.yaml").write_text(json.dumps({**STUDY, "sed": 1}), encoding="utf-8")
    assert "did you mean seed?" in run(project, "curves", status=1)


@pytest.mark.slow
def test_the_kept_config_serves_as_well(finished, tmp_path):
    kept = "results/default/config.yaml"
    assert yaml.safe_load((finished.folder / kept).read_text("utf-8"))["study"] == "default"
    run(finished, "means", "--dataset", "survey", "--config", kept, "--out", tmp_path)
    assert (tmp_path / "survey_means.pdf").is_file()
