"""promptfoo: what providers score in tests, as JSON, as JSON Lines, or as a table.

A table has a column for each prompt and provider, with ``[PASS] (1.00)`` before each answer, or
with columns ``Status`` and ``Score`` behind it.
"""

import re

import pandas as pd

from fidelity_study.reading.tabular.exports.table import columns_of, numbered, rewritten
from fidelity_study.reading.tabular.files import Sheet

OF_RECORDS = ["provider.id", "provider.label", "prompt.label", "failureReason", "score", "success"]
VARIABLE, TESTS = "vars.", ("testCase.description", "testIdx")
ERROR, OF_ERROR, COLUMNS = "error", "2", ["test_case", "model", "epoch", "test_score", "passed"]
OUTPUT, AGAIN = re.compile(r"\[([^\]]+)\] (.*)", re.DOTALL), re.compile(r"\.\d+$")
GRADED = re.compile(r"\[(PASS|FAIL|ERROR)\] \((-?[\d.]+)[,)]")
PASSED = {"PASS": "true", "FAIL": "false", "ERROR": ERROR}


def records(whole: dict) -> list[dict] | None:
    """Return the results in an object that a file is; None if it has none."""
    results = whole.get("results")
    rows = results.get("results") if isinstance(results, dict) else None
    return rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else None


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each result: the test, by its variables, who answers, and the score."""
    names = [AGAIN.sub("", name) for name in sheet.columns]
    outputs = [at for at, name in enumerate(names) if OUTPUT.fullmatch(name)]
    if {*names} >= {"testIdx", "provider.id", "score", "success"}:
        tests = [at for at, name in enumerate(names) if name.startswith(VARIABLE)]
        tests += [names.index(name) for name in TESTS[: 1 if tests else 2] if name in names]
        results = _of_records(sheet)
    elif outputs:
        tests = [*range(outputs[0])]
        results = pd.concat([_of_output(sheet, names, at) for at in outputs])
    else:
        return None
    cells = dict(zip([names[at] for at in tests], columns_of(sheet, tests), strict=True))
    variables = pd.DataFrame(cells, dtype=object).fillna("")
    results = results.dropna(subset="passed").join(variables.add_prefix(VARIABLE))
    several = results.groupby("provider")["prompt"].nunique().max() > 1
    results["model"] = results["provider"] + (" | " + results["prompt"] if several else "")
    asked = variables.agg(lambda row: " | ".join(filter(None, row)), axis=1)
    results["test_case"] = asked[results.index]
    results["epoch"] = numbered(results[["test_case", "model"]])
    what = f"results of promptfoo: {asked.nunique()} tests, by their variables; several results of "
    what += "a model in one are its samples"
    columns = [*COLUMNS, *variables.add_prefix(VARIABLE)]
    return rewritten(sheet, results[columns], what) if len(results) else None


def _of_records(sheet: Sheet) -> pd.DataFrame:
    """Return the results of a table with a row for each."""
    there = [name for name in OF_RECORDS if name in sheet.columns]
    cells = sheet.frame(there).reindex(columns=OF_RECORDS)
    is_error = cells["failureReason"] == OF_ERROR
    scores = cells[["score", "success"]].mask(is_error, ERROR)
    provider = cells["provider.label"].fillna(cells["provider.id"])
    prompt = cells["prompt.label"].fillna("").str.split().str.join(" ")
    return scores.set_axis(["test_score", "passed"], axis=1).assign(
        provider=provider, prompt=prompt
    )


def _of_output(sheet: Sheet, names: list[str], at: int) -> pd.DataFrame:
    """Return the results in a column of answers, or beside it."""
    if names[at + 1 : at + 3] == ["Status", "Score"]:
        graded = pd.DataFrame(dict(enumerate(columns_of(sheet, [at + 1, at + 2]))))
    else:
        graded = pd.Series(columns_of(sheet, [at])[0]).str.extract(GRADED)
    provider, prompt = OUTPUT.sub(r"\1\n\2", names[at]).split("\n", 1)
    passed = graded[0].map(PASSED)
    score = graded[1].mask(passed == ERROR, ERROR)
    prompt = " ".join(prompt.split())
    return pd.DataFrame(
        {"test_score": score, "passed": passed, "provider": provider, "prompt": prompt}
    )
