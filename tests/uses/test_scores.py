"""The use of scores: against Student's t, and by the step of an evaluation."""

import numpy as np
import pyarrow as pa
import pytest
import scipy as sp

from fidelity.comparison import non_inferiority, score_difference
from fidelity.uses import USES
from fidelity_study.reading.evals.rows import SCORES
from fidelity_study.steps.evaluation import evaluation, use_rows

KIND = USES["scores"]


def step(**settings):
    """Return the settings of an evaluation of one eval."""
    return {
        "evals": {"x": {"range": [0.0, 10.0]}},
        "baseline": None,
        "margin": None,
        "standard_error": "cr2",
        "unpaired": False,
        "test": {"alpha": 0.05},
        **settings,
    }


def rows_of(scores, better="higher", clusters=None, **settings):
    """Return the uses of models by name; ``scores`` has a row for each model."""
    names = "ABCDE"[: len(scores)]
    table = [
        {
            **dict.fromkeys(SCORES.names),
            "eval": "x",
            "model": name,
            "question": f"q{i:04}",
            "cluster": None if clusters is None else f"c{clusters[i]}",
            "score": None if np.isnan(score) else float(score),
            "reason": "lost" if np.isnan(score) else None,
            "better": better,
        }
        for name, row in zip(names, scores, strict=True)
        for i, score in enumerate(row)
    ]
    study = evaluation(pa.Table.from_pylist(table, SCORES), step(**settings))
    return {row["simulator"]: row for row in use_rows(study)}


def drawn(means, m=60, seed=0):
    rng = np.random.default_rng(seed)
    return np.clip(np.array(means)[:, None] + rng.normal(size=(len(means), m)), 0.0, 10.0)


def test_p_values_are_those_of_the_t_test_of_each_other_model():
    model, one, two = drawn([5.0, 4.9, 5.2])
    bars = [
        lambda level, other=other: score_difference(other, model, level=level)
        for other in (one, two)
    ]
    use = KIND.measure(*bars, span=10.0)
    assert use.limit == 0.5
    gains = [score_difference(model, other) for other in (one, two)]
    expected = [non_inferiority(gain, 0.5).p_value for gain in gains]
    np.testing.assert_allclose([part.p_within for part in use.parts], expected, rtol=1e-4)
    assert use.p_within == pytest.approx(max(expected), rel=1e-4)
    t, df = (two - model).mean() / sp.stats.sem(two - model), 59
    ends = (two - model).mean() * (1 + sp.stats.t.ppf([0.025, 0.975], df) / t)
    assert use.upper == pytest.approx(ends[1])
    assert ends[0] < 0.0 == use.lower, "who is ahead is not behind"


def test_the_best_is_behind_nobody_and_the_worst_behind_one_at_least():
    rows = rows_of(drawn([8.0, 5.0, 7.9], m=400))
    assert [rows[name]["verdict"] for name in "ABC"] == ["within", "beyond", "within"]
    assert rows["A"]["error"] == 0.0 or rows["C"]["error"] == 0.0
    assert rows["B"]["lower"] > 0.5 and rows["B"]["limit"] == 0.5
    turned = rows_of(drawn([8.0, 5.0, 7.9], m=400), better="lower")
    assert [turned[name]["verdict"] for name in "ABC"] == ["beyond", "within", "beyond"]


def test_a_baseline_is_the_only_rival_and_the_margin_is_the_limit():
    rows = rows_of(drawn([8.0, 5.0, 4.9], m=400), baseline="B", margin=0.3)
    assert set(rows) == {"A", "C"} and rows["C"]["limit"] == 0.3
    assert rows["A"]["verdict"] == "within"
    strict = rows_of(drawn([8.0, 5.0], m=400), margin=0.0)
    assert [strict[name]["verdict"] for name in "AB"] == ["within", "beyond"]


def test_without_an_interval_beside_a_model_nothing_is_within():
    scores = drawn([8.0, 5.0, 8.0], m=400)
    scores[2, 1:] = np.nan  # one question shows no error
    rows = rows_of(scores)
    assert rows["A"]["verdict"] == "open" and rows["A"]["detail"] == "no interval beside C"
    assert rows["A"]["upper"] == np.inf
    assert rows["B"]["verdict"] == "beyond", "it is behind A, whatever else"


def test_an_open_use_is_settled_by_more_questions():
    open_ = rows_of(drawn([5.0, 5.3], m=60))["A"]
    assert open_["verdict"] == "open" and open_["needs"] == "questions"
    times = open_["times"]
    model, other = drawn([5.0, 5.3], m=60)
    bar = score_difference(other, model)
    power = sp.special.ndtri(0.8) + sp.special.ndtri(0.975)
    far = (0.5 - bar.estimate) / bar.se
    assert times == pytest.approx((power / far) ** 2, rel=0.2)
