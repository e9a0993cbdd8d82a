"""The guide on evaluations: what it says to run runs, and gives what it says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from fidelity_study.__main__ import main

REPOSITORY = Path(__file__).resolve().parents[2]
GUIDE = (REPOSITORY / "docs" / "howto" / "evaluations.md").read_text("utf-8")


COMMANDS = re.findall(r"^    \.venv/bin/fidelity-curves (.+)$", GUIDE, re.MULTILINE)
LOGS = Path(__file__).parent / "logs"


def test_its_command_on_a_table(here, capsys):
    (command,) = (each for each in COMMANDS if each.startswith("start config"))
    shutil.copytree(REPOSITORY / "config", here / "config")
    assert main(command.split()) == 0
    assert "Galleon: 60 questions" in (said := capsys.readouterr().out) and "by passage" in said


@pytest.mark.slow
def test_its_command(tmp_path):
    (command,) = (each for each in COMMANDS if each.startswith("run "))
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    called = [sys.executable, "-m", "fidelity_study", *command.split(), "--cores", "2"]
    done = subprocess.run(called, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = (tmp_path / "results" / "evaluations" / "findings.md").read_text("utf-8")
    said = " ".join(said.replace("**", "").split())
    told = " ".join(GUIDE.split())
    assert "| reading | Galleon | Dreadnought | +18.3 (8.2) | (+1.2, +35.5) | better |" in said
    assert "better on reading (95 %: 1.2 to 35.5 points)" in told
    assert "on sums it is not settled" in said
    assert (tmp_path / "results/evaluations/report.html").is_file()
    assert (tmp_path / "results/evaluations/reading_and_sums/means.csv").is_file()


def test_it_shows_the_config_in_the_folder():
    assert "```{literalinclude} ../../config/evaluations.yaml\n" in GUIDE


def test_its_python(capsys):
    code, _ = re.findall(r"```python\n(.+?)```", GUIDE, re.DOTALL)
    exec(code, {})
    assert re.fullmatch(r"\+0\.25, .+; r = 0\.58\n", capsys.readouterr().out)


def test_its_python_on_several_evals_takes_no_question_for_one_of_another_eval(here):
    generator, rows, parts = np.random.default_rng(6), [], []
    for name, m in (("reading", 40), ("sums", 25)):
        scores = (generator.random((2, m)) < [[0.8], [0.5]]).astype(float)
        parts.append(scores[0] - scores[1])
        for model, own in zip(("Galleon", "Dreadnought"), scores, strict=True):
            rows += [(name, model, str(i), None, score) for i, score in enumerate(own)]
    folder = here / "results" / "evaluations" / "reading_and_sums"
    folder.mkdir(parents=True)
    columns = ["eval", "model", "question", "cluster", "score"]
    pd.DataFrame(rows, columns=columns).to_parquet(folder / "scores.parquet")
    code = re.findall(r"```python\n(.+?)```", GUIDE, re.DOTALL)[1]
    found: dict = {}
    exec(code, found)
    *of_evals, pooled, macro = (row.bar for row in found["differences"])
    for bar, part in zip(of_evals, parts, strict=True):
        expected = stats.ttest_1samp(part, 0).confidence_interval()
        assert (bar.lower, bar.upper) == pytest.approx(tuple(expected))
    assert macro.estimate == pytest.approx(np.mean([part.mean() for part in parts]))
    assert (pooled.n, pooled.estimate) == (65, pytest.approx(np.concatenate(parts).mean()))
    squares = sum((len(part) * part.std(ddof=1)) ** 2 / len(part) for part in parts)
    assert pooled.se == pytest.approx(np.sqrt(squares) / 65)


def test_the_readme_of_the_results_names_every_column():
    from fidelity_study.reading.evals import rows
    from fidelity_study.steps import evaluation

    readme = (REPOSITORY / "results" / "README.md").read_text("utf-8")
    schemas = [each for each in vars(evaluation).values() if isinstance(each, pa.Schema)]
    names = {name for schema in [*schemas, rows.LOGS] for name in schema.names}
    assert names - set(re.findall(r"\w+", readme)) <= {"of", "margin"}
