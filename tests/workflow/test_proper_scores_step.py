"""The step of proper scores, on one answer in each scenario, and where curves are kept."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from called_step import call_step
from scipy import stats
from sklearn.metrics import log_loss

from fidelity_study.report.page.forecast import without_curves
from fidelity_study.steps.arrays import Scale, Scenarios
from fidelity_study.steps.proper_scores import main, scored
from fidelity_study.tables.ingest import HUMAN, OUTCOMES, SCENARIOS, STATED

M, DRAWS = 40, 25
RNG = np.random.default_rng(7)
LDA = RNG.dirichlet([1.0, 2.0, 1.0], M)
TRUTH = np.array([RNG.choice(3, p=share) for share in LDA])
COUNTS = RNG.multinomial(DRAWS, LDA)
SAID = {"lda": LDA, "certain": np.eye(3)[LDA.argmax(1)], "uniform": np.full((M, 3), 1 / 3)}
VALUES = [1.0, 2.0, 3.0]
STEP = {"simulators": [*SAID, "drawn"], "test": {"alpha": 0.05}}


def long(source, table, number):
    """Return a row for each scenario and option."""
    return [
        {"scenario": f"q{j}", "source": source, "value": value, number: float(each)}
        for j, row in enumerate(table)
        for value, each in zip(VALUES, row, strict=True)
    ]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Rows by score, simulator and the other one of a difference."""
    asked = {"kind": "categorical", "value": VALUES}
    scenarios = [{**asked, "scenario": f"q{j}", "cluster": f"c{j % 10}"} for j in range(M)]
    people = long(HUMAN, np.eye(3)[TRUTH], "count")
    stated = [row for name, table in SAID.items() for row in long(name, table, "probability")]
    tables = {
        "scenarios": pa.Table.from_pylist(scenarios, SCENARIOS),
        "outcomes": pa.Table.from_pylist(people + long("drawn", COUNTS, "count"), OUTCOMES),
        "stated": pa.Table.from_pylist(stated, STATED),
    }
    made = call_step(main, tmp_path_factory.mktemp("scores"), STEP, tables, "proper_scores")
    rows = pq.read_table(made["proper_scores"]).to_pylist()
    return {(row["score"], row["simulator"], row["other"]): row for row in rows}


def test_means_are_those_of_scikit_learn_and_infinite_where_0_was_stated(found):
    smoothed = (COUNTS + 0.5) / (DRAWS + 1.5)
    for name, shares in {"lda": LDA, "drawn": smoothed}.items():
        assert found["log", name, None]["estimate"] == pytest.approx(log_loss(TRUTH, shares))
    row = found["log", "certain", None]
    assert (row["estimate"], row["m_infinite"]) == (np.inf, (LDA.argmax(1) != TRUTH).sum())
    assert ("log", "lda", "certain") not in found
    row = found["brier", "drawn", None]
    apart = COUNTS / DRAWS - np.eye(3)[TRUTH]
    assert row["estimate"] == pytest.approx((apart**2).sum(1).mean())
    assert (row["form"], row["k_fewest"], row["k_most"], row["m"]) == ("draws", DRAWS, DRAWS, M)


def test_a_difference_has_the_t_test_of_equal_clusters(found):
    row = found["brier", "lda", "uniform"]
    brier = [((SAID[name] - np.eye(3)[TRUTH]) ** 2).sum(1) for name in ("lda", "uniform")]
    means = (brier[0] - brier[1]).reshape(-1, 10).mean(0)
    expected = stats.ttest_1samp(means, 0.0)
    assert row["estimate"] == pytest.approx(means.mean())
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert [row["lower"], row["upper"]] == pytest.approx([*expected.confidence_interval()])
    assert (row["n_clusters"], row["df"]) == (10, pytest.approx(9))


def test_numbers_are_scored_by_the_pairs_of_an_ensemble():
    members, truth = np.array([0.0, 2.0, 5.0]), 2.0
    scenarios = Scenarios(["q"], [members.tolist()], [Scale(3, tuple(members), None)])
    (crps,), _ = scored("crps", scenarios, [np.ones(3)], [(members == truth) * 1.0], "draws")
    pairs = np.abs(members[:, None] - members).mean() / 2
    assert crps == pytest.approx(np.abs(members - truth).mean() - pairs)


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["survey", "ratings", "personality"])
def test_studies_with_answers_enough_keep_their_curves(small_study, config, dataset):
    results = small_study.results(config, dataset)
    assert without_curves(results) == ""
    table = small_study.table(f"{dataset}/comparison/proper_scores.parquet")
    assert set(table["score"]) == ({"crps"} if dataset == "ratings" else {"brier", "log"})
