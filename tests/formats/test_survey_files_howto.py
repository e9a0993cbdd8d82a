"""The commands of docs/howto/survey_files.md, on files as it describes them."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pandas as pd
import pyreadstat
import pytest
from small_study import REPOSITORY

from fidelity_study.__main__ import main

HERE = Path(__file__).parent
HOWTO = (REPOSITORY / "docs" / "howto" / "survey_files.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    \.venv/bin/fidelity-curves (start .*)$", HOWTO, re.MULTILINE)
IN_R = re.findall(r"^    (Rscript -e .*)$", HOWTO, re.MULTILINE)
PEOPLE = "scenario,value\ns1,yes\ns1,no\ns2,yes\ns2,no\n"


@pytest.fixture(autouse=True)
def files(here):
    for file in HERE.glob("survey.*"):
        shutil.copy(file, here)
    Path("answers.csv").write_text("trust,news\nnever,often\nalways,never\n")
    Path("people.csv").write_text(PEOPLE)
    said = [{"scenario": f"s{j}", "simulator": "gpt", "value": "yes"} for j in (1, 2)]
    Path("answers.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in said))
    body = {"choices": [{"message": {"content": "Yes."}}]}
    response = {"status_code": 200, "body": body}
    batch = [{"custom_id": f"s{j}|gpt|1", "response": response} for j in (1, 2)]
    Path("batch.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in batch))
    book = openpyxl.Workbook()
    book.active.title = "people"
    for name in ("people", "model"):
        sheet = book[name] if name in book.sheetnames else book.create_sheet(name)
        for row in (("q1", "q2"), (1, 2), (2, 2), (1, 1)):
            sheet.append(row)
    book.save("town.xlsx")


@pytest.mark.sampled
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_howto_writes_a_config(command):
    assert main(shlex.split(command)) == 0
    assert list(Path().glob("*.yaml"))


def test_there_is_a_command_for_each_kind_of_file():
    suffixes = {suffix for suffix in ("sav", "dta", "xlsx", "jsonl") if suffix in str(COMMANDS)}
    assert len(suffixes) == 4 and "--custom-id" in str(COMMANDS) and len(IN_R) == 1


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("Rscript"), reason="there is no R")
def test_factors_of_r_keep_their_levels():
    made = 'saveRDS(data.frame(q = factor("no", c("no", "yes"))), "survey.rds")'
    subprocess.run(["Rscript", "-e", made], check=True)
    if subprocess.run(shlex.split(IN_R[0]), capture_output=True).returncode:
        pytest.skip("R lacks haven")
    table, about = pyreadstat.read_sav("survey.sav")
    pd.testing.assert_frame_equal(table, pd.DataFrame({"q": [1.0]}))
    assert about.variable_value_labels == {"q": {1: "no", 2: "yes"}}
