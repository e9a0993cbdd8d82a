"""The step of calibration on small tables: peers' numbers, and where cells are empty.

Reference numbers by netcal 1.4.0 (ECE) and scikit-learn 1.9.1 (log_loss), one row per person.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy as sp
from known_calibration import PEOPLE, STATED

from fidelity.calibration import PredictionKernel, StatedProbabilities, asymptotic_test
from fidelity_study.config.keys import Calibration
from fidelity_study.steps.calibration import CALIBRATION, calibrated
from fidelity_study.steps.intervals import measured
from fidelity_study.tables import ingest
from fidelity_study.tables.ingest import HUMAN, OUTCOMES, PERSONAS, SCENARIOS, STATED_BY_PERSONA

NETCAL, LOG_LOSS = 0.18144268292682866, 1.617684580034496
WANTED = {**Calibration.defaults(), "closed": "left"}
THREES = np.arange(12) // 3


def scores(stated=STATED, people=PEOPLE, clusters=THREES, *, repeat=False, codes=None, **chosen):
    """Run the step on what is stated and chosen, a vector per scenario; return the only row."""
    names = [f"s{j}" for j in range(len(stated))]
    values = codes or [list(np.arange(1.0, len(each) + 1)) for each in stated]
    scenarios = [
        {
            "scenario": name,
            "cluster": str(cluster),
            "value": value,
            "kind": "categorical",
            "respondents_repeat": repeat,
        }
        for name, cluster, value in zip(names, clusters, values, strict=True)
    ]

    def rows(number, source, vectors):
        return [
            {"scenario": name, "source": source, "value": code, number: float(each)}
            for name, value, vector in zip(names, values, vectors, strict=True)
            for code, each in zip(value, vector, strict=True)
        ]

    step = {"seed": 1, "dataset": "d", "simulators": ["model"], "test": {"alpha": 0.05}}
    step |= {"calibration": WANTED | chosen, "uses": {"declared": [], "limits": {}}}
    found, *_ = calibrated(
        pa.Table.from_pylist(scenarios, SCENARIOS),
        pa.Table.from_pylist(rows("count", HUMAN, people), OUTCOMES),
        PERSONAS.empty_table(),
        [
            pa.Table.from_pylist(rows("probability", "model", stated), ingest.STATED),
            STATED_BY_PERSONA.empty_table(),
        ],
        step,
    )
    return pa.Table.from_pylist(found, CALIBRATION).to_pandas().iloc[0]


def test_the_kernel_and_its_test_are_the_configs():
    chosen = {"kernel": "squared_exponential", "kernel_distance": "euclidean", "kernel_scale": 3}
    found = scores(kernel_test="asymptotic", **chosen)
    there = PEOPLE > 0
    stated = np.repeat(STATED, there.sum(1), axis=0)
    kernel = PredictionKernel("squared_exponential", "euclidean", 3.0)
    predictions = StatedProbabilities(stated, there.nonzero()[1], kernel, counts=PEOPLE[there])
    test = asymptotic_test(predictions, np.random.default_rng(0))
    assert found["skce"] == pytest.approx(test.estimate, rel=1e-12)
    assert found["skce_p_value"] == pytest.approx(test.p_value, abs=0.03)
    assert "asymptotic, as if all answers were independent" in found["reason"]
    usual = scores()
    assert usual["skce"] != found["skce"] and usual["skce_people"] == found["skce_people"]


def test_headline_error_is_netcals_and_log_score_scikit_learns():
    """The error of all options as events, printed before, is a third smaller."""
    found = scores()
    assert found["ece"] == pytest.approx(NETCAL, abs=1e-12)
    assert found["log_score"] == pytest.approx(LOG_LOSS, abs=1e-12)
    assert found["stated_zero"] == 0
    top = STATED.argmax(1)
    right = PEOPLE[np.arange(12), top].sum() / PEOPLE.sum()
    assert found["accuracy"] == pytest.approx(right)
    stated = PEOPLE.sum(1) @ STATED.max(1) / PEOPLE.sum()
    assert found["overconfidence"] == pytest.approx(stated - right)
    signs = {"reliability": 1, "resolution": -1, "uncertainty": 1}
    signs |= {"within_variance": 1, "within_covariance": -1}
    total = sum(sign * found[f"brier_{name}"] for name, sign in signs.items())
    squares = ((STATED[:, None] - np.eye(4)) ** 2).sum(2)
    assert found["brier"] == pytest.approx((PEOPLE * squares).sum() / PEOPLE.sum())
    assert total == pytest.approx(found["brier"], abs=1e-12)


def test_a_stated_zero_that_came_true_is_an_infinite_score_without_an_interval():
    stated = np.tile([0.0, 0.5, 0.5, 0.0], (12, 1))
    found = scores(stated)
    assert found["log_score"] == np.inf
    assert np.isnan([found["log_score_lower"], found["log_score_upper"]]).all()
    assert found["stated_zero"] == pytest.approx(PEOPLE[:, [0, 3]].sum() / PEOPLE.sum())
    assert "log_score_lower, log_score_upper: somebody chose" in found["reason"]
    assert np.isfinite([found["brier"], found["brier_lower"], found["brier_upper"]]).all()


def test_sets_of_options_are_taken_apart_and_their_own_are_not_compared():
    codes = [[1.0, 2.0, 3.0, 4.0]] * 6 + [[5.0, 6.0, 7.0, 8.0]] * 6
    both = scores(codes=codes)
    each = [scores(STATED[i], PEOPLE[i], np.arange(6) // 3) for i in (slice(6), slice(6, 12))]
    share = PEOPLE[:6].sum() / PEOPLE.sum()
    for name in ("classwise_ece", "brier_reliability", "brier_uncertainty"):
        assert both[name] == pytest.approx(share * each[0][name] + (1 - share) * each[1][name])
    assert np.isnan(both["skce"])
    assert both["reason"].count("skce: scenarios have different options") == 1
    codes[0] = [9.0, 10.0, 11.0, 12.0]
    own = scores(codes=codes)
    assert np.isnan([own["classwise_ece"], own["brier_reliability"]]).all()
    assert "some scenario has options of its own" in own["reason"]


def test_p_value_needs_clusters_and_people_who_answer_once():
    few = scores()
    assert np.isnan(few["skce_p_value"])
    assert "skce_p_value: fewer than 6 clusters" in few["reason"]
    many = scores(STATED, PEOPLE, np.arange(12) // 2)
    assert many["n_clusters"] == 6
    assert many["skce_p_value"] * 32 == pytest.approx(round(many["skce_p_value"] * 32))
    assert "skce_p_value" not in many["reason"]
    repeated = scores(STATED, PEOPLE, np.arange(12) // 2, repeat=True)
    assert repeated["brier_upper"] - repeated["brier"] > many["brier_upper"] - many["brier"]
    alone = scores(STATED, PEOPLE, np.arange(12))
    assert alone["n_clusters"] == 12
    assert alone["ece_if_calibrated"] > 0 or "ece_if_calibrated" in alone["reason"]


def test_one_scenario_has_scores_and_no_interval():
    found = scores(STATED[:1], PEOPLE[:1], [0])
    assert found["n_clusters"] == 1
    assert found["brier"] == pytest.approx(0.75)
    intervals = [name for name in found.index if name.endswith(("_lower", "_upper"))]
    assert found[intervals].isna().all()
    assert "one cluster" in found["reason"]


def test_intervals_of_forecasts_that_all_come_true_count_a_topic_that_does_not():
    """24 forecasts in 12 topics, .9 stated of each: as if there were a topic more at each end."""
    found = scores([[0.1, 0.9]] * 24, [[0, 1]] * 24, np.arange(24) // 2)
    for name, value, otherwise in (
        ("brier", 0.02, 1.62),
        ("overconfidence", -0.1, 0.9),
        ("log_score", -np.log(0.9), -np.log(0.1)),
    ):
        assert found[name] == pytest.approx(value)
        topics = np.r_[np.full(13, value), otherwise]
        ends = sp.stats.ttest_1samp(topics, 0).confidence_interval()
        ends = np.clip(ends, np.floor(value), otherwise)
        assert [found[f"{name}_lower"], found[f"{name}_upper"]] == pytest.approx(list(ends))
    assert found["ece"] == pytest.approx(0.1)
    assert pd.isna([found["ece_lower"], found["ece_upper"], found["skce_p_value"]]).all()
    assert "intervals of ece: the same for all people" in found["reason"]
    assert "skce_p_value: fewer than 20 surprises" in found["reason"]
    assert found["accuracy"] == 1
    assert found["accuracy_lower"] < 1


def test_intervals_leave_out_scenarios_where_the_simulator_always_gives_the_same_answer():
    people = {j: (np.array([-1.0, 0.5, 3.0]), np.array([1.0, 2.0, 1.0])) for j in range(3)}
    fits = {0: (0.0, 1.0), 1: (0.0, 0.0), 2: (0.0, 5.0)}
    step = {"calibration": {"levels": [0.5]}, "test": {"alpha": 0.05}}
    (row,) = measured(people, fits, np.arange(3), False, "normal", step)
    # half of a normal distribution is within .674 standard deviations: .5 twice, and then all
    assert (row["m"], row["m_constant"], row["people"]) == (2, 1, 8.0)
    assert row["coverage"] == pytest.approx((2 + 4) / 8)


@pytest.mark.parametrize("m", [40, 100])
def test_as_many_independent_events_as_a_limit_are_not_fewer(m):
    """32 of 40 got the interval of fewer than 40 clusters, since 1/Σ(1/40)² is 40 - 1e-14."""
    right = np.arange(m) < 0.8 * m
    stated = np.tile([0.2, 0.8], (m, 1))
    found = scores(stated, np.column_stack([~right, right]).astype(float), np.arange(m))
    # Clopper and Pearson's at Korn and Graubard's number: CR2's variance, and t for the normal
    share, t = 0.8, sp.stats.t.ppf(0.975, m - 1)
    n = (m - 1) * (sp.stats.norm.ppf(0.975) / t) ** 2
    ends = sp.stats.beta.ppf([0.025, 0.975], [share * n, share * n + 1], [0.2 * n + 1, 0.2 * n])
    assert [found["accuracy_lower"], found["accuracy_upper"]] == pytest.approx(list(ends), abs=1e-9)
    assert found["effective_clusters"] == m
