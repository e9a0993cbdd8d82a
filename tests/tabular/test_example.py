"""The example of the README as a real workflow: config and CSV files, no code."""

import os

import pandas as pd
import pytest
import yaml
from small_study import REPOSITORY, copy_project

from fidelity_study.config import table

EXAMPLE = "config/example"
ARGUMENTS = ("--configfile", f"{EXAMPLE}.yaml")


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("example"))
    path = project.root / f"{EXAMPLE}.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    config["datasets"]["town_survey"]["figures"] = ["curve"]
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    project.run(*ARGUMENTS)
    return project


def test_its_files_are_as_short_as_the_readme_says():
    for name in ("human", "simulated", "scenarios"):
        lines = (REPOSITORY / EXAMPLE / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        assert len(lines) <= 20
    assert "invented" in (REPOSITORY / f"{EXAMPLE}.yaml").read_text(encoding="utf-8")


def test_the_readme_explains_every_key():
    assert table.TABULAR.read_text(encoding="utf-8") == table.tabular_page()
    assert table.CODEBOOK.read_text(encoding="utf-8") == table.codebook_page()


@pytest.mark.slow
def test_it_runs_to_the_report(example):
    assert (example.folder / "results" / "example" / "report.html").is_file()
    summary = example.table("town_survey/summary.csv", "example")
    assert set(summary["simulator"]) == {"language_model", "uniform", "pooled"}
    assert set(summary.loc[summary["simulator"] == "language_model", "k"]) == {"40"}
    counts = pd.read_csv(REPOSITORY / EXAMPLE / "human.csv")
    people = example.table("town_survey/scenarios.parquet", "example").set_index("scenario")
    n = counts.dropna().groupby("scenario")["count"].sum()
    pd.testing.assert_series_equal(
        people["n_human"].sort_index(), n.astype(float), check_names=False
    )
    assert people.loc["library_hours", "option"].tolist() == ["agree", "disagree", "don't know"]
    missing = example.table("town_survey/missing.parquet", "example")
    rows = sorted(missing.itertuples(index=False, name=None))
    assert rows == [
        ("bus_fares", "human", "missing", 4.0),
        ("market_day", "language_model", "missing", 2.0),
    ]
    findings = (example.folder / "results/example/town_survey/findings.md").read_text(
        encoding="utf-8"
    )
    assert "**language_model**" in findings


@pytest.mark.slow
def test_only_a_changed_file_is_read_again(example):
    assert example.planned(*ARGUMENTS) == {}
    for name in ("human", "simulated", "scenarios"):
        file = example.root / EXAMPLE / f"{name}.csv"
        content, times = file.read_bytes(), file.stat()
        file.write_bytes(content.replace(b"\n", b"\r\n"))
        if name != "human":
            os.utime(file, (0, 0))  # content counts, however old it is
        assert example.planned(*ARGUMENTS)["ingest_tabular"] == 1, name
        file.write_bytes(content)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert example.planned(*ARGUMENTS) == {}


@pytest.mark.slow
def test_a_fault_in_a_file_stops_the_run_with_its_message_and_nothing_written(example, tmp_path):
    config = yaml.safe_load((example.root / f"{EXAMPLE}.yaml").read_text(encoding="utf-8"))
    settings = config["datasets"]["town_survey"]
    project = example.elsewhere(tmp_path, config)
    for name in ("human", "simulated", "scenarios"):
        settings[name] = f"data/{name}.csv"
        text = (example.root / EXAMPLE / f"{name}.csv").read_text(encoding="utf-8")
        if name == "simulated":
            text = text.replace(
                "market_day,language_model,agree,31", "market_day,language_model,agree,3.1"
            )
        (tmp_path / "data" / f"{name}.csv").write_text(text, encoding="utf-8")
    (tmp_path / "config/config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    printed = project.run(status=1)
    assert (
        "data/simulated.csv, row 8, column 'count': is 3.1, not a whole number; mend it; if the "
        "simulator states probabilities, call the column probability\n"
    ) in printed
    assert "nothing was run" in printed
    assert "Traceback" not in printed
    assert not (tmp_path / "results").exists()
