"""The commands, config and code of docs/howto/hybrid.md, on files as it describes them."""

import re
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import binom
from small_study import REPOSITORY

from fidelity.hybrids import hybrid_intervals, split_people
from fidelity_study.report.page.words import MARKED

HOWTO = (REPOSITORY / "docs" / "howto" / "hybrid.md").read_text(encoding="utf-8")
(CONFIG,) = re.findall(r"^```yaml\n(.*?)^```", HOWTO, re.MULTILINE | re.DOTALL)
(COMMAND,) = re.findall(r"^    \.venv/bin/fidelity-curves (run .*)$", HOWTO, re.MULTILINE)
CODE = re.findall(r"^```python\n(.*?)^```", HOWTO, re.MULTILINE | re.DOTALL)
QUESTIONS, PERSONS, KAPPA = 24, 150, 25.0
OPTIONS = ["no", "perhaps", "yes"]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A finished study: persons who answer all questions but some, a simulator worth 25 people."""
    folder = tmp_path_factory.mktemp("interviews")
    rng = np.random.default_rng(8)
    names = [f"q{j + 1:02}" for j in range(QUESTIONS)]
    model = rng.dirichlet([3.0, 3.0, 3.0], QUESTIONS)
    shares = np.array([rng.dirichlet(KAPPA * row) for row in model])
    answers = (rng.random((PERSONS, QUESTIONS, 1)) > shares.cumsum(1)[None]).sum(2)
    table = pd.DataFrame(np.array(OPTIONS)[np.minimum(answers, 2)], columns=names)
    table.mask(rng.random(table.shape) < 0.1).to_csv(folder / "people.csv", index=False)
    stated = pd.DataFrame(model, names, OPTIONS).rename_axis("scenario").reset_index()
    rows = stated.melt("scenario", var_name="value", value_name="probability")
    rows.assign(simulator="model").to_csv(folder / "model.csv", index=False)
    config = yaml.safe_load(CONFIG)
    config["grid"] |= {"n": ["all"], "replicates": 1}
    config["datasets"]["interviews"]["figures"] = ["hybrids"]
    (folder / "interviews.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    command = [sys.executable, "-m", "fidelity_study", *shlex.split(COMMAND), "--cores", "1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "results" / "interviews"


@pytest.fixture(scope="module")
def table(study):
    return pd.read_csv(study / "interviews" / "comparison" / "hybrids.csv", dtype={"k": str})


@pytest.mark.minutes
def test_the_table_has_what_the_page_says_of_it(table):
    assert set(table["source"]) == {"people", "simulator", "hybrid", "corrected"}
    assert set(table["target"]) == {"asked", "new"}
    assert set(table["verdict"].dropna()) <= {"gain", "no gain", "loss"}
    assert set(table["simulator"]) == {"model", "uniform"}
    own = table[(table["source"] == "hybrid") & (table["target"] == "asked")]
    assert own["n0"].tolist() == [5, 10, 20] * (len(own) // 3)
    assert (own["m"] == QUESTIONS).all()
    assert set(own["method"]) == {"persons split"}


@pytest.mark.minutes
def test_page_and_findings_quote_the_table(study, table):
    cell = {"source": "hybrid", "simulator": "model", "target": "asked", "n0": 5}
    (row,) = table[(table[list(cell)] == pd.Series(cell)).all(axis=1)].to_dict("records")
    count = lambda x: f"{x:,.0f}" if abs(x) >= 10 else f"{x:.1f}"  # noqa: E731
    sentence = (
        f"saves {count(row['saved'])} ({count(row['saved_lower'])} to {count(row['saved_upper'])}"
    )
    page = (study / "report.html").read_text(encoding="utf-8")
    assert "How many interviews does the simulator save?" in page
    findings = (study / "interviews" / "findings.md").read_text(encoding="utf-8")
    for text in (re.sub("<.*?>", "", page), findings):
        assert sentence in MARKED.sub(r"\1", text).replace("**", "").replace("\\", "")
    assert (study / "interviews" / "figures" / "hybrids.pdf").stat().st_size > 5_000


@pytest.mark.slow
def test_the_code_runs_and_says_what_the_page_says(capsys):
    found: dict = {}
    for block in CODE:
        exec(block, found)
    *lines, shares, twins = capsys.readouterr().out.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["5", "10", "20"]
    assert all(line.endswith(": gain") for line in lines)
    low, high = (float(each) for each in re.findall(r"0\.\d+", shares)[::3])
    assert 0.2 < low < 0.5 < high < 0.9
    assert twins.startswith("2.") and int(twins.split()[-2]) > 50
    assert found["kappa"] == pytest.approx(12, rel=0.4)


@pytest.mark.slow
def test_intervals_of_a_new_question_hold_its_people_often_enough():
    """500 studies of 40 questions, in which the simulator is worth 3 or 60 people."""
    rng, missed, studies = np.random.default_rng(2), 0, 500
    for _ in range(studies):
        q = rng.dirichlet([2.0, 2.0, 2.0], 41)
        worth = rng.choice([3.0, 60.0], 41)
        shares = np.array([rng.dirichlet(k * row) for k, row in zip(worth, q, strict=True)])
        seen, rest = split_people(rng.multinomial(60, shares), 10, rng)
        found = hybrid_intervals(
            seen[:1], q[:1], seen=seen[1:], rest=rest[1:], q=q[1:], kappa=8.0, alpha=0.2, gamma=0.8
        )
        missed += bool(((shares[:1] < found.lower) | (shares[:1] > found.upper)).any())
    assert binom.sf(missed - 1, studies, 0.2) > 1e-3


def test_intervals_of_a_new_question_need_as_many_people_everywhere():
    rng = np.random.default_rng(0)
    seen, rest = split_people(np.full((40, 2), 30), 10, rng)
    others = {"seen": seen, "rest": rest, "q": np.full((40, 2), 0.5)}
    with pytest.raises(ValueError, match="as many people in each question, not of 9 to 10"):
        hybrid_intervals([[4, 5]], [[0.5, 0.5]], **others, kappa=5.0, alpha=0.1, gamma=0.9)
