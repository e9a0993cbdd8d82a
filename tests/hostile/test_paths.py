"""Paths that lead nowhere: one message for each, no traceback, and nothing written."""

import pytest
import yaml
from small_study import REPOSITORY

from fidelity_study.__main__ import main
from fidelity_study.app.run import resume
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

LONG = "n" * 300
PEOPLE = "scenario,value,count\nq1,yes,8\nq1,no,4\nq2,yes,3\nq2,no,9\n"
UNREADABLE = "/proc/self/mem"  # is there, and gives an error to whoever reads it, root too


@pytest.fixture
def here(here):
    (here / "people.csv").write_text(PEOPLE)
    (here / "loop.csv").symlink_to("loop.csv")
    (here / "loop").symlink_to("loop")
    for name in ("bad.csv", "bad.csv.gz", "bad.json", "bad.yaml"):
        (here / name).symlink_to(UNREADABLE)
    return here


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("start bad.csv", "bad.csv: cannot be read: Input/output error"),
        ("start bad.csv.gz", "bad.csv.gz: cannot be read: Input/output error"),
        ("start people.csv bad.csv", "bad.csv: cannot be read: Input/output error"),
        ("start people.csv --scenarios bad.csv", "bad.csv: cannot be read: Input/output error"),
        ("run bad.yaml", "bad.yaml: cannot be read: Input/output error"),
        ("start loop.csv", "loop.csv is not there"),
        ("start people.csv loop.csv", "loop.csv is not there"),
        ("start loop", "loop is not there"),
        ("run loop.csv", "loop.csv is no file"),
        ("resume --configfile loop.csv", "loop.csv is no file"),
        ("verify loop", "Too many levels of symbolic links"),
        (f"start {LONG}", "File name too long"),
        (f"start people.csv {LONG}.csv", "File name too long"),
        (f"run {LONG}.yaml", "File name too long"),
        (f"resume --configfile {LONG}.yaml", "is no file"),
        (f"verify {LONG}", "File name too long"),
        (f"verify {LONG}.yaml", "File name too long"),
    ],
)
def test_a_path_that_leads_nowhere_is_told_in_one_message(here, capsys, command, wanted):
    before = sorted(here.iterdir())
    assert main(command.split()) in (1, 2)
    told = capsys.readouterr().err
    assert told.count(wanted) == 1
    assert "Traceback" not in told
    assert sorted(here.iterdir()) == before


def study(**changed):
    config = yaml.safe_load((REPOSITORY / "config" / "example.yaml").read_text(encoding="utf-8"))
    (settings,) = config["datasets"].values()
    for key in ("human", "simulated", "scenarios"):
        settings[key] = str(REPOSITORY / settings[key])
    settings |= {key: each for key, each in changed.items() if key != "study"}
    return config | {key: each for key, each in changed.items() if key == "study"}


@pytest.mark.parametrize("name", [LONG, "n" * 61])
def test_a_name_too_long_for_a_folder_is_a_fault_of_the_config(name):
    with pytest.raises(DataError, match=r"^study: 'nnn.* is not at most 60 letters"):
        Study(study(study=name))
    Study(study(study="n" * 60))


def test_a_file_that_a_config_names_and_nobody_can_read_is_a_fault_of_it(here):
    with pytest.raises(DataError, match=rf"^{UNREADABLE}: cannot be read: Input/output error$"):
        Study(study(human=UNREADABLE), looks=True)


def test_a_study_with_a_name_of_sixty_chinese_letters_is_kept_to_one_process(here):
    (here / ".snakemake").mkdir()
    assert not resume.is_running(f"results/{'研' * 60}")
