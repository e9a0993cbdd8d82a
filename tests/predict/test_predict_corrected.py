"""Corrected simulators predict new questions: by hand, in simulated studies, and refused."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from asked_and_new import names
from test_predict_study import order_statistic, raw, upper_by_hand

from fidelity.correction import halve_persons, tempered_mixture
from fidelity.stream import stream
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.new_questions import FEATURES, QUESTIONS
from fidelity_study.steps.predict import Study, measured, prediction_rows
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS, STATED

NAME = "model, corrected (tempered)"
M, NEW, D, PEOPLE = 40, 15, 3, 400
STEP = {
    "seed": 1,
    "dataset": "town",
    "simulators": ["certain"],
    "smoothed": [],
    "eta": 0.05,
    "test": {"alpha": 0.05},
    "correct": ["tempered"],
    "predict": {
        "pairs": {"tv": ["witness"]},
        "alpha": 0.1,
        "gamma": 0.95,
        "statement": ["marginal"],
        "weights": None,
        "features": None,
    },
}


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


def study(generator, *, repeat):
    """Return a study of questions alike, whose simulator is too certain, and the true shares.

    It errs besides, more on some questions than on others.
    """
    p = generator.dirichlet(np.ones(D), M + NEW)
    errors = generator.normal(0.0, 1.0, p.shape) * generator.exponential(0.5, (M + NEW, 1))
    q = (p * np.exp(errors)) ** 3
    q /= q.sum(1, keepdims=True)
    own, of_person = generator.random((PEOPLE, M)), generator.random((PEOPLE, 1))
    u = (of_person + 0.7 * own) % 1.0 if repeat else own
    chosen = (u[..., None] > p[:M].cumsum(1)[None, :, :-1]).sum(-1)
    counts = (chosen[..., None] == np.arange(D)).sum(0).astype(float)
    every = names(1, M + NEW)
    form = {
        "kind": "categorical",
        "value": [0.0, 1.0, 2.0],
        "score": None,
        "option": ["a", "b", "c"],
    }
    described = [
        {
            **form,
            "scenario": name,
            "cluster": name,
            "n_options": D,
            "question": name,
            "n_human": float(PEOPLE),
            "n_effective": float(PEOPLE),
            "weighted": False,
            "respondents_repeat": repeat,
            "people": "the same" if repeat else name,
        }
        for name in every[:M]
    ]
    new = [{**form, "scenario": name, "cluster": name} for name in every[M:]]
    cells = [(j, i) for j in range(M + NEW) for i in range(D)]
    stated = [
        {"scenario": every[j], "source": "certain", "value": float(i), "probability": q[j, i]}
        for j, i in cells[M * D :]
    ]
    outcomes = [
        {"scenario": every[j], "source": "human", "value": float(i), "count": counts[j, i]}
        for j, i in cells[: M * D]
    ]
    told = [
        {"scenario": every[j], "respondent": who, "value": float(i), "weight": 1.0}
        for who, answers in enumerate(chosen)
        for j, i in enumerate(answers)
        if repeat
    ]
    first = {"replicate": 0}
    sample = [
        {**first, "scenario": name, "n_j": float(PEOPLE), "count": each}
        for name, each in zip(every, counts, strict=False)
    ]
    simulated = [
        {**first, "scenario": name, "simulator": "certain", "k": "stated", "share": each}
        for name, each in zip(every[:M], q, strict=False)
    ]
    tables = (
        (described, SCENARIOS),
        (sample, HUMAN_SAMPLE),
        (outcomes, OUTCOMES),
        (simulated, SIMULATED_SAMPLE),
        (new, QUESTIONS),
    )
    made = [pa.Table.from_pylist(rows, schema) for rows, schema in tables]
    given = OUTCOMES.empty_table(), pa.Table.from_pylist(stated, STATED)
    respondents = pa.Table.from_pylist(told, RESPONDENTS)
    return Study(*made, given, FEATURES.empty_table(), respondents, STEP), p[M:]


@pytest.mark.slow
@pytest.mark.parametrize("repeat", [False, True])
def test_bounds_of_corrected_simulators_cover_as_promised_and_are_narrower(repeat):
    """Coverage within three standard errors of the promise, over studies."""
    covered, narrower = [], []
    for seed in range(30):
        own, truth = study(np.random.default_rng(seed), repeat=repeat)
        found, refused = measured(own)
        assert not refused
        bounds, inside = {}, []
        for each in found:
            rows = list(prediction_rows(own, each, None))
            bounds[each.answering.simulator] = rows[0]["bound"]
            if each.method is not None:
                far = [np.abs(q - truth[j]).sum() / 2 for j, q in each.answering.shares.items()]
                inside = np.array(far) <= rows[0]["bound"]
        covered.append(np.mean(inside))
        narrower.append(bounds["certain, corrected (tempered)"] < bounds["certain"])
    error = np.std(covered, ddof=1) / np.sqrt(len(covered))
    assert 0.9 - 3 * error <= np.mean(covered) < 0.99
    assert np.mean(narrower) >= 0.9
