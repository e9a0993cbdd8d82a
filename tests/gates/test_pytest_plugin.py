"""The fixture fidelity_study, in a run of pytest by itself."""

import subprocess
import sys

import pytest
from verdicts import simulator, verdict

TEST = """
def test_fidelity(fidelity_study):
    fidelity_study.check({arguments})
"""


@pytest.fixture
def project(tmp_path):
    """A folder with a finished study, and with a configuration that names it."""
    (tmp_path / "results" / "town").mkdir(parents=True)
    text = verdict(simulator()).text()
    (tmp_path / "results" / "town" / "verdict.json").write_text(text, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nfidelity_study = results/town\n", "utf-8")
    return tmp_path


def outcome(project, arguments, *options):
    """Return the last line that pytest prints, and all of it."""
    (project / "test_it.py").write_text(TEST.format(arguments=arguments), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True)
    return done.stdout.strip().splitlines()[-1], done.stdout


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("arguments", "ends", "told"),
    [
        ("mean_at_most=0.1, within=0.8", "1 passed", ""),
        ("mean_at_most=0.02", "1 failed", "begins above it"),
        ("mean_at_most=0.05", "1 failed", "cannot be told: survey, model (tv)"),
        ("mean_at_most=0.05, undecided='skip'", "1 skipped", "the condition cannot be told"),
        ("mean_at_most=0.02, undecided='skip'", "1 failed", "does not hold"),
        ("mean_at_most=0.1, undecided='pass'", "1 failed", "undecided is 'fail' or 'skip'"),
        ("mean_at_most=0.1, simulator='nobody'", "1 failed", "there is no nobody"),
    ],
)
def test_a_study_is_a_test(project, arguments, ends, told):
    last, printed = outcome(project, arguments)
    assert last.startswith(ends), printed
    assert told in printed


@pytest.mark.slow
def test_the_option_names_another_study(project):
    (project / "elsewhere").mkdir()
    far = verdict(simulator(lower=0.5, upper=0.6)).text()
    (project / "elsewhere" / "verdict.json").write_text(far, encoding="utf-8")
    last, _ = outcome(project, "mean_at_most=0.1", "--fidelity-study", "elsewhere")
    assert last.startswith("1 failed")
