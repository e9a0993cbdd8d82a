"""Forms that are refused with a line of pandas: what that line makes of them is read right."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tabular_step import answers, read

from fidelity_study.errors import DataError

CELLS = (
    "cell_id,question,option,share,n\n"
    "A,q,yes,.25,8\nA,q,no,.75,8\nB,q,yes,.375,16\nB,q,no,.625,16\n"
)
MODES = (
    "cell_id,question,option,share,n,simulator\n"
    "A,q,yes,.4,5,fa\nA,q,no,.6,5,fa\nB,q,yes,.2,5,fa\nB,q,no,.8,5,fa\n"
)


FILES = {"human": "human.csv", "simulated": "simulated.csv"}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def write(**texts: str) -> None:
    """Write CSV files."""
    for name, text in texts.items():
        Path(f"{name}.csv").write_text(text)


def mended(code: str, **settings):
    """Return what is read after each refused file is turned by the line of its refusal."""
    with pytest.raises(DataError) as error:
        read(**settings)
    for fault in error.value.faults:
        assert fault.code == code
        (name,) = fault.place.files
        line = re.search("in pandas, `(.+?)`", str(fault))[1]
        table = eval(line, {"table": pd.read_csv(name), "pd": pd, "np": np})
        table.to_csv(name, index=False)
    return read(**settings)


def test_cells_of_people_are_counts():
    write(human=CELLS, simulated=MODES)
    found = mended("cell-table", **FILES, simulators=["fa"])
    assert answers(found, "human") == {"q|A": {"yes": 2, "no": 6}, "q|B": {"yes": 6, "no": 10}}
    assert answers(found, "fa") == {"q|A": {"yes": 2, "no": 3}, "q|B": {"yes": 1, "no": 4}}
