"""Paths in time: read off at common times, and dynamic simulators told by them."""

import re

import numpy as np
import pandas as pd
import pytest
from guides import page
from point_files import ingested, queue_files, vectors_in
from test_vector_step import made, step

from fidelity_study.errors import DataError

SIMULATORS = ["GG1", "MM1"]


@pytest.fixture
def files(tmp_path):
    return queue_files(tmp_path)


@pytest.mark.slow
def test_paths_with_the_same_times_are_read_off_there(files):
    tables = ingested(files, "vector", SIMULATORS)
    ((names, vectors),) = vectors_in(tables)
    assert names[:2] == ["time 0", "time 1"]
    expected = [pd.read_csv(path)["value"].to_numpy().reshape(-1, 30) for path in files.values()]
    assert vectors == pytest.approx(np.concatenate(expected), abs=1e-5)
    assert len(tables["respondents"]) == 80
    counted = {
        row["values"]: row["counts"] for row in tables["runs"]["source"].value_counts().to_pylist()
    }
    assert counted == {"GG1": 60, "MM1": 60}


@pytest.mark.slow
def test_the_column_of_values_may_have_another_name(files):
    expected = vectors_in(ingested(files, "vector", SIMULATORS))
    for path in files.values():
        pd.read_csv(path).rename(columns={"value": "wait"}).to_csv(path, index=False)
    with pytest.raises(DataError) as error:
        ingested(files, "vector", SIMULATORS)
    assert {fault.code for fault in error.value.faults} == {"no-values-of-paths"}
    tables = ingested(files, "vector", SIMULATORS, columns={"value": "wait"})
    ((names, vectors),) = vectors_in(tables, {"columns": {"value": "wait"}})
    assert names == expected[0][0]
    assert vectors == pytest.approx(expected[0][1])
    wait = {**step("vector", SIMULATORS), "options": {"columns": {"value": "wait"}}}
    assert made(tables, wait)["told"]


@pytest.mark.slow
def test_other_times_are_reached_by_straight_lines_with_the_line_of_the_refusal(files):
    frame = pd.read_csv(files["simulated"])
    frame[frame["time"] % 2 == 1].sample(frac=1.0, random_state=0).to_csv(
        files["simulated"], index=False
    )
    first = pd.read_csv(files["human"])["value"].to_numpy()[:30]
    with pytest.raises(DataError) as error:
        vectors_in(ingested(files, "vector", SIMULATORS))
    (fault,) = error.value.faults
    assert fault.code == "times-differ"
    line = re.search("in pandas, `(.+?)`", str(fault))[1]
    times = eval(re.search(r"such as (np\..+\))", str(fault))[1], {"np": np})
    assert len(times) == 50 and (times[0], times[-1]) == (1, 29)
    for path in files.values():
        table = pd.read_csv(path)
        turned = eval(line, {"table": table, "times": times, "pd": pd, "np": np})
        turned.to_csv(path, index=False)
    ((names, vectors),) = vectors_in(ingested(files, "vector", SIMULATORS))
    assert (len(names), names[0], names[-1]) == (50, "time 1", "time 29")
    expected = np.interp(times, np.arange(30), first)
    assert any(row == pytest.approx(expected, abs=1e-5) for row in vectors)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda frame: frame.assign(value=frame["value"].mask(frame.index == 3)), "not-a-path"),
        (lambda frame: frame.assign(time=frame["time"].replace(7, 6)), "not-a-path"),
        (lambda frame: frame.assign(time=frame["time"] + 100), "no-common-time"),
        (lambda frame: frame.assign(respondent=np.arange(len(frame))), "no-paths"),
        (lambda frame: frame[["time", "value"]], "no-scenario-column"),
        (lambda frame: frame.assign(value=frame["value"] * 1e200), "not-a-path"),
    ],
)
def test_refusals(files, change, code):
    change(pd.read_csv(files["simulated"])).to_csv(files["simulated"], index=False)
    with pytest.raises(DataError) as error:
        vectors_in(ingested(files, "vector", SIMULATORS))
    assert [fault.code for fault in error.value.faults] == [code]


@pytest.mark.slow
def test_the_queue_of_the_guide(here):
    """The right simulator's energy distance has an interval around 0, that of M/M/1 lies above."""
    (code,) = re.findall(r"```python\n(.*?)```", page("howto/vectors"), re.DOTALL)
    exec(code, {})
    files = {"human": str(here / "real.csv"), "simulated": str(here / "simulated.csv")}
    names = ["G/G/1", "M/M/1"]
    found = made(ingested(files, "vector", names), step("vector", names))
    right, wrong = (
        row
        for row in found["distances"]
        if (row["distance"], row["estimand"]) == ("energy", "model") and row.get("scenario") is None
    )
    assert right["ci_lower"] < 0.0 < right["ci_upper"]
    assert wrong["ci_lower"] > 0.0
    one, other = (row["told"] for row in found["told"] if row.get("scenario") is None)
    assert one < other
