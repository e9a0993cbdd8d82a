"""Corrected simulators predict new questions: by hand, and refused."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from asked_and_new import names
from test_predict_study import order_statistic, raw, upper_by_hand

from fidelity.correction import halve_persons, tempered_mixture
from fidelity.stream import stream

NAME = "model, corrected (tempered)"


def stated_by_hand(teaching, stated):
    """Return what the corrected model states, (70, 2), the first 60 of questions asked."""
    q = stated.loc[names(1, 70)].to_numpy()
    counts = np.vstack([teaching, np.zeros((10, 2))])
    return tempered_mixture(counts, q, clusters=np.arange(70)).probabilities


def agrees(found, own, bound):
    rows = found["predictions"].query("simulator == @NAME and statement == 'marginal'")
    assert rows["bound"].to_numpy() == pytest.approx(bound, abs=1e-9)
    assert set(rows["scenario"]) == set(names(61, 70)) and rows["main"].all()
    shares = rows.query("option == 'yes'").set_index("scenario")
    for j, name in enumerate(names(61, 70), start=60):
        row = shares.loc[name]
        assert row["q"] == pytest.approx(own[j, 1], abs=1e-9)
        ends = max(own[j, 1] - bound, 0.0), min(own[j, 1] + bound, 1.0)
        assert (row["lower"], row["upper"]) == pytest.approx(ends, abs=1e-9)


@pytest.mark.slow
def test_where_each_question_has_its_own_people_all_teach_and_bound(predicted):
    found = predicted("corrected")
    counts, stated = raw(found["folder"])
    own = stated_by_hand(counts, stated)
    upper = upper_by_hand(counts, own[:60, 1], 0.95)
    agrees(found, own, order_statistic(upper, Fraction(95, 1000)))
    table = found["predictions"]
    assert set(table["simulator"]) == {
        *("model", "uniform", NAME),
        "all simulators, corrected (ridge)",
    }
    assert set(table.query("simulator == @NAME")["statement"]) == {"marginal"}
    assert table.groupby("simulator")["method"].count()["model"] == 0
    (method,) = table.query("simulator == @NAME")["method"].unique()
    assert method.startswith("approximate") and "people of its own" in method
    held = found["held_out"].query("simulator == @NAME").set_index("statement")
    assert "nothing exact holds" in held.loc["exact", "reason"]
    bounds = [order_statistic(np.delete(upper, i), Fraction(95, 1000)) for i in range(len(upper))]
    assert held.loc["marginal", "covered_upper"] == pytest.approx(np.mean(upper <= bounds))
    nearest = found["nearest"].query("simulator == @NAME and rank == 1").set_index("scenario")
    for name, row in nearest.iterrows():
        assert row["upper"] == pytest.approx(upper[int(row["nearest"][1:]) - 1], abs=1e-9), name


@pytest.mark.slow
def test_one_half_of_the_persons_teaches_and_the_other_bounds(predicted):
    found = predicted("halves")
    answers = found["respondents"]
    half = halve_persons(answers["respondent"].to_numpy(), stream(3, "halves", "halves"))
    teaching, bounding = (
        answers[half == which]
        .groupby(["scenario", "value"], observed=True)
        .size()
        .unstack(fill_value=0)
        .loc[names(1, 60)]
        .to_numpy(float)
        for which in range(2)
    )
    assert (teaching + bounding).sum() == 150 * 60
    stated = pd.read_csv(found["folder"] / "model.csv").pivot(
        index="scenario", columns="value", values="probability"
    )
    own = stated_by_hand(teaching, stated[["no", "yes"]])
    # The same people: 0.1 - (1 - 0.95) is left for the bounds.
    agrees(
        found, own, order_statistic(upper_by_hand(bounding, own[:60, 1], 0.95), Fraction(5, 100))
    )
    (method,) = found["predictions"].query("simulator == @NAME")["method"].unique()
    assert "one half of the persons teaches" in method
    held = found["held_out"].query("simulator == @NAME and statement == 'marginal'").iloc[0]
    assert held["checked_people"] == 0 and held["checked_upper"] == 60


@pytest.mark.slow
def test_people_who_may_have_answered_several_and_are_not_told_apart_are_refused(predicted):
    found = predicted("untold")
    assert set(found["predictions"]["simulator"]) == {"model", "uniform"}
    (reason,) = found["held_out"].query("simulator == @NAME")["reason"]
    assert "those who teach a correction may not bound it" in reason
    assert "respondents_repeat: false" in reason
