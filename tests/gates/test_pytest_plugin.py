"""The fixture fidelity_study, in a run of pytest by itself."""

import subprocess
import sys

import pytest
from verdicts import left, simulator, verdict

TEST = """
def test_fidelity_{number}(fidelity_study):
    fidelity_study.check({arguments})
"""


@pytest.fixture
def project(tmp_path):
    """A folder with a finished study, and with a configuration that names it."""
    left(tmp_path / "results" / "town")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfidelity_study = results/town\n", "utf-8")
    return tmp_path


def printed(project, *options):
    """Return what pytest prints."""
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *options]
    return subprocess.run(command, cwd=project, capture_output=True, text=True).stdout


CASES = [
    ("mean_at_most=0.1, within=0.8", "PASSED", ""),
    ("mean_at_most=0.02", "FAILED", "begins above it"),
    ("mean_at_most=0.05", "FAILED", "cannot be told: survey, model (tv)"),
    ("mean_at_most=0.05, undecided='skip'", "SKIPPED", "the condition cannot be told"),
    ("mean_at_most=0.02, undecided='skip'", "FAILED", "does not hold"),
    ("mean_at_most=0.1, undecided='pass'", "FAILED", "undecided is 'fail' or 'skip'"),
    ("mean_at_most=0.1, simulator='nobody'", "FAILED", "there is no nobody"),
]


@pytest.mark.slow
def test_a_study_is_a_test(project):
    tests = [TEST.format(number=i, arguments=arguments) for i, (arguments, *_) in enumerate(CASES)]
    (project / "test_it.py").write_text("".join(tests), encoding="utf-8")
    all_of_it = printed(project, "-rs")
    for i, (_, ends, told) in enumerate(CASES):
        assert f"test_it.py::test_fidelity_{i} {ends}" in all_of_it, all_of_it
        assert told in all_of_it


@pytest.mark.slow
def test_a_missing_study_is_told_in_one_line(project):
    (project / "results" / "town" / "verdict.json").unlink()
    (project / "test_it.py").write_text(TEST.format(number=0, arguments="within=0.8"), "utf-8")
    told = printed(project)
    assert "Traceback" not in told and "plugin.py" not in told
    (line,) = (line for line in told.splitlines() if line.startswith(str(project)))
    assert line.endswith("is missing; name the folder of a finished study, such as results/example")


@pytest.mark.slow
def test_the_option_names_another_study(project):
    left(project / "elsewhere", verdict(simulator(lower=0.5, upper=0.6)))
    test = TEST.format(number=0, arguments="mean_at_most=0.1")
    (project / "test_it.py").write_text(test, encoding="utf-8")
    assert "test_fidelity_0 FAILED" in printed(project, "--fidelity-study", "elsewhere")
