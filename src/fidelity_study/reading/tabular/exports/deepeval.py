"""DeepEval: the scores of each test case by several metrics, in a test run's JSON.

A model is named by the run's hyperparameters, or else by the file or its folder.
"""

from contextlib import suppress

import pandas as pd

from fidelity_study.reading.tabular.exports.table import numbered, rewritten
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.words import OF_MODELS

CASES, METRICS, RUN = ("testCases", "conversationalTestCases"), "metricsData", "deepeval"
CASE = ("name", "input", "expectedOutput", "success")


def records(whole: dict) -> list[dict] | None:
    """Return a row for each test case in the object that a test run is; None if it is another."""
    with suppress(AttributeError, KeyError, TypeError):  # another program's
        cases = [case for name in CASES for case in whole.get(name) or ()]
        known = whole.get("hyperparameters") or {}
        model = next((known[name] for name in known if name.casefold() in OF_MODELS), None)
        return [
            {
                **{name: case.get(name) for name in CASE},
                RUN: {"model": model},
                METRICS: {metric["name"]: metric["score"] for metric in case[METRICS] or ()},
            }
            for case in cases
        ] or None
    return None


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each test case: by its input, who answers, and a column for each metric."""
    metrics = [name for name in sheet.columns if name.startswith(f"{METRICS}.")]
    if not ({"success", f"{RUN}.model"} <= {*sheet.columns} and metrics):
        return None
    cells = sheet.frame(name for name in (*CASE, f"{RUN}.model") if name in sheet.columns)
    cells = cells.reindex(columns=[*CASE, f"{RUN}.model"])
    asked, model = cells["input"].fillna(cells["name"]), cells[f"{RUN}.model"]
    several = cells["expectedOutput"].fillna("").groupby(asked).nunique().max() > 1
    rows = pd.DataFrame({"test_case": cells["name"] if several else asked})
    rows["epoch"] = numbered(rows)
    if model.notna().all():
        rows["model"] = model
    scores = sheet.frame(metrics)
    rows = rows.join(scores.set_axis([name.partition(".")[2] for name in metrics], axis=1))
    what = f"a test run of DeepEval: {rows['test_case'].nunique()} test cases, by "
    what += f"{'their names' if several else 'their input'}, and {len(metrics)} metrics"
    return rewritten(sheet, rows.assign(passed=cells["success"]), what)
