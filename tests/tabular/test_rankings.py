"""Rankings as first choices and pairs; pandas counts the same.

Forms are those of public exports: a column of ranks for each item (Qualtrics), items in order in
one cell (Google Forms, EDSL's QuestionRank, whose answers are Python lists).
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from tabular_step import answers, read

from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.request import Request
from fidelity_study.errors import DataError

ITEMS = ["q7_1", "q7_2", "q7_3", "q7_4"]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def ranks(size, seed):
    """Return everybody's ranks of the items, of some only of the best two, of one none."""
    generator = np.random.default_rng(seed)
    orders = np.argsort(generator.random((size, len(ITEMS))), axis=1) + 1
    frame = pd.DataFrame(orders, columns=ITEMS).astype(float)
    frame.iloc[:5] = frame.iloc[:5].where(frame.iloc[:5] <= 2)
    frame.iloc[5] = np.nan
    return frame.assign(vote=generator.choice(["yes", "no"], size))


def counted(frame, prefix="q7"):
    """Return the true counts of first choices and pairs."""
    table = frame[ITEMS]
    first = table.dropna(how="all").idxmin(axis=1).value_counts()
    truth = {f"{prefix}: first": first.to_dict()}
    for one, two in combinations(ITEMS, 2):
        a, b = (table[name].fillna(np.inf) for name in (one, two))
        counts = {"1": (a < b).sum(), "0": (a > b).sum()}
        truth[f"{prefix}: {one} over {two}"] = {k: n for k, n in counts.items() if n}
    return truth


def found(**settings):
    known = read(human="people.csv", simulated={"model": "model.csv"}, **settings)
    return known, [answers(known, s) for s in ("human", "model")]


def same(counts, truth):
    for name, expected in truth.items():
        one = {k: n for k, n in counts[name].items() if n}
        assert one == {k: float(n) for k, n in expected.items()}, name


def test_columns_of_ranks_are_read_as_pandas_counts_them():
    people, model = ranks(60, 1), ranks(40, 2)
    people.to_csv("people.csv", index=False)
    model.to_csv("model.csv", index=False)
    known, (of_people, of_model) = found(ranking=["q7*"], cluster="question")
    same(of_people, counted(people))
    same(of_model, counted(model))
    assert len(of_people) == 8
    clusters = known.scenarios.set_index("scenario")["cluster"]
    assert clusters.drop("vote").eq("q7").all()


def test_items_in_order_are_refused_with_the_option_that_reads_them():
    cells = ["cost > care > fun", "fun > cost > care", "care > fun > cost"] * 10
    for name in ("people", "model"):
        pd.DataFrame({"q7": cells, "vote": ["yes", "no"] * 15}).to_csv(f"{name}.csv", index=False)
    with pytest.raises(DataError, match=r"items in order, .*ranking: \[q7\]"):
        found()
    _, (of_people, _) = found(ranking=["q7"])
    assert of_people["q7: first"] == {"cost": 10.0, "fun": 10.0, "care": 10.0}


@pytest.mark.sampled
@pytest.mark.parametrize("join", ["; ".join, lambda items: str(list(items))])
def test_items_in_one_cell_are_a_ranking(join):
    people, model = ranks(60, 1), ranks(40, 2)
    for name, frame in (("people", people), ("model", model)):
        orders = [row.dropna().sort_values().index for _, row in frame[ITEMS].iterrows()]
        cells = [join(order) if len(order) else "" for order in orders]
        pd.DataFrame({"q7": cells, "vote": frame["vote"]}).to_csv(f"{name}.csv", index=False)
    _, sides = found(ranking=["q7"])
    for counts, frame in zip(sides, (people, model), strict=True):
        assert {k: n for k, n in counts["q7: first"].items() if n} == counted(frame)["q7: first"]
        for one, two in combinations(ITEMS, 2):
            name = f"q7: {one} over {two}"
            assert counts[name] == counted(frame)[name]


def test_a_pair_of_which_all_prefer_one_has_two_options():
    frame = pd.DataFrame({"q7_1": [1] * 30, "q7_2": [2] * 30, "vote": ["yes", "no"] * 15})
    frame.to_csv("people.csv", index=False)
    frame.to_csv("model.csv", index=False)
    request = Request.of("people.csv", ("model.csv",), options={"ranking": ("q7*",)})
    found = understood(request, [].extend).responses
    options = found.scenarios.set_index("scenario")["option"]
    assert list(options["q7: q7_1 over q7_2"]) == ["0", "1"]
    assert "'q7': a ranking of 2 items, read as the first choice and 1 pairs" in str(found.notes[0])


@pytest.mark.parametrize(("cell", "said"), [("first", "no rank from 1"), ("0", "no rank from 1")])
def test_a_cell_that_is_no_rank_is_refused(cell, said):
    frame = ranks(20, 1).astype(object)
    frame.iloc[7, 0] = cell
    frame.to_csv("people.csv", index=False)
    frame.to_csv("model.csv", index=False)
    with pytest.raises(DataError, match=f"row 9, column 'q7_1': is '{cell}', {said}"):
        found(ranking=["q7*"])


def test_a_pattern_without_columns_is_refused():
    ranks(20, 1).to_csv("people.csv", index=False)
    ranks(20, 2).to_csv("model.csv", index=False)
    with pytest.raises(DataError, match="no column that fits ranking"):
        found(ranking=["q8*"])
