"""Plans of a next study: recomputed by hand from the raw tables."""

from math import ceil, inf, isnan

import numpy as np
import pandas as pd
import pytest
from small_study import ECHO, STUDY, TWIN

from fidelity import Costs, Pilot, study_error
from fidelity.planning.plan import planned_scenarios, scenarios_for_width
from fidelity_study.steps.plan import DRAWS, ISO_WIDTH, PEOPLE, PLANS, mark_cheapest

pytestmark = pytest.mark.slow

PLAN = STUDY["datasets"]["survey"]["plan"]
KEYS = ["simulator", "discrepancy", "confidence_set", "gamma", "width"]
ERROR = ["bias", "calibration", "excess", "noise", "scenario_sd"]


def plans_of(project, dataset):
    return project.table(f"{dataset}/plan/plans.parquet")


def shares(table, source, number, values, scenarios):
    """Return one row of shares for each of the scenarios; NaN where the source answers none."""
    rows = table[table["source"] == source]
    wide = rows.pivot_table(index="scenario", columns="value", values=number, observed=True)
    wide = wide.reindex(index=scenarios, columns=values).fillna(0.0).to_numpy()
    with np.errstate(invalid="ignore"):
        return wide / wide.sum(1, keepdims=True)


def pilot_of(project, dataset, row):
    """Return the pilot of a row, in how many scenarios its simulator answers, and if it states."""
    scenarios = project.table(f"{dataset}/scenarios.parquet")
    outcomes, stated = (
        project.table(f"{dataset}/{name}.parquet") for name in ("outcomes", "stated")
    )
    first = scenarios["n_options"].value_counts(sort=False).idxmax()
    group = scenarios[scenarios["n_options"] == first]
    values, names = group["value"].iloc[0], group["scenario"].tolist()
    states = row["simulator"] in set(stated["source"])
    form = (stated, "probability") if states else (outcomes, "count")
    q = shares(form[0], row["simulator"], form[1], values, names)
    there = ~np.isnan(q).any(1)
    p = shares(outcomes, "human", "count", values, names)
    answered = form[0].loc[form[0]["source"] == row["simulator"], "scenario"].nunique()
    scores = group["score"].iloc[0]
    pilot = Pilot(
        *(p[there], q[there], row["discrepancy"], row["confidence_set"], row["gamma"]),
        tail=row["tail"],
        scores=scores if row["discrepancy"] == "absolute" else None,
    )
    return pilot, answered, states


def test_there_is_a_plan_or_a_reason_for_every_cell(small_study):
    plans = plans_of(small_study, "survey")
    assert list(plans[KEYS].itertuples(index=False, name=None)) == [
        (simulator, "tv", chosen, "0.5", width)
        for chosen in ("multinomial_kl_paper", "witness")
        for width in PLAN["width"]
        for simulator in (TWIN, ECHO)
    ]
    none = plans["m"].isna()
    assert none.any()
    assert not none.all()
    assert plans.loc[none, ["n", "k", "cost"]].replace("nan", np.nan).isna().all(axis=None)
    assert (plans["cheapest"] == ~none).all()
    assert (plans.loc[none, "width"] <= plans.loc[none, "smallest_width"]).all()
    assert (plans.loc[~none, "width"] > plans.loc[~none, "bias"]).all()
    csv = small_study.table("survey/plan/plans.csv")
    pd.testing.assert_frame_equal(csv[ERROR], plans[ERROR])
    for name, schema in (("plans", PLANS), ("iso_width", ISO_WIDTH)):
        assert list(small_study.table(f"survey/plan/{name}.parquet").columns) == schema.names


def test_plans_come_from_the_raw_tables_through_the_public_library(small_study):
    costs = Costs(PLAN["costs"]["scenario"], 1.0, 0.01)
    lines = small_study.table("survey/plan/iso_width.parquet")
    for row in plans_of(small_study, "survey").to_dict("records"):
        pilot, answered, states = pilot_of(small_study, "survey", row)
        assert (row["pilot_scenarios"], row["of_scenarios"]) == (len(pilot.p), answered)
        assert answered - len(pilot.p) in (5, 6)
        studies, smallest = [], inf
        for n in PEOPLE.tolist():
            for k in [inf] if states else DRAWS.tolist():
                error = study_error(pilot, n, k)
                smallest = min(smallest, error.bias)
                needed = scenarios_for_width(error, row["width"], PLAN["probability"])
                m = max(needed, ceil(3 / 0.5))
                studies.append((costs.of(m, n, k), n, k, m, error))
        cost, n, k, m, error = min(studies, key=lambda study: study[0])
        assert row["smallest_width"] == pytest.approx(smallest)
        line = lines[(lines[KEYS] == [row[key] for key in KEYS]).all(axis=1)]
        if cost == inf:
            assert isnan(row["m"])
            assert line.empty
            error = min((each[-1] for each in studies), key=lambda error: error.bias)
        else:
            assert (row["m"], row["n"], row["cost"]) == pytest.approx((m, n, cost))
            assert row["k"] == ("stated" if states else str(int(k)))
            assert set(line["k"]) == {row["k"]}
            of_sizes = study_error(pilot, PEOPLE, k)
            smallest_m = planned_scenarios(pilot, of_sizes, row["width"], PLAN["probability"])
            there = smallest_m < inf
            np.testing.assert_array_equal(line["n"], PEOPLE[there])
            np.testing.assert_array_equal(line["m"], smallest_m[there])
        assert [row[name] for name in ERROR] == pytest.approx(list(error), abs=1e-12)


def test_the_cheapest_coverage_of_each_simulator_and_width_is_marked():
    cell = {"discrepancy": "tv", "confidence_set": "witness"}
    costs = {("a", 0.1): [9.0, 5.0, 5.0], ("b", 0.1): [3.0, 4.0, None], ("a", 0.2): [None] * 3}
    rows = [
        {**cell, "simulator": name, "width": width} | ({} if cost is None else {"cost": cost})
        for (name, width), own in costs.items()
        for cost in own
    ]
    mark_cheapest(rows)
    marked = [row["cheapest"] for row in rows]
    assert marked == [*(False, True, False), *(True, False, False), *[False] * 3]
