"""Scores that nearly all agree: their intervals hold the truth, although little varies."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from test_score_files import HEADER, evaluated, studied, written

from fidelity_study.steps.evaluation import difference_rows, mean_rows


def rows(wrong: dict[str, int], m: int, of: str = "", size: int = 1) -> str:
    """Return scores of m questions: each model is wrong on its first few."""
    return "".join(
        f"q{i},{model},{int(i >= many)}{f',{of}{i // size}' if of else ''}\n"
        for i, (model, many) in product(range(m), wrong.items())
    )


@pytest.mark.sampled
@pytest.mark.parametrize("m", [20, 50, 100])
def test_intervals_of_rare_mistakes_hold_the_truth(tmp_path, m):
    """Enumerated: a model is wrong on a rate of questions, the other on none."""
    ends = {"mean": [], "difference": []}
    for wrong in range(13):
        of = studied(written(tmp_path, HEADER + rows({"A": wrong, "B": 0}, m)))
        (difference,) = difference_rows(of)
        mean = next(row for row in mean_rows(of) if row["model"] == "A")
        for name, row in (("mean", mean), ("difference", difference)):
            ends[name].append((row["lower"] or row["estimate"], row["upper"] or row["estimate"]))
    for rate in (0.005, 0.01, 0.02, 0.03, 0.05):
        for name, truth in (("mean", 1 - rate), ("difference", -rate)):
            lower, upper = np.array(ends[name]).T
            covers = (lower <= truth) & (truth <= upper)
            assert stats.binom.pmf(np.arange(13), m, rate) @ covers >= 0.93


def test_a_difference_that_is_the_same_on_all_questions_is_settled(tmp_path):
    """B is right on all of 30 questions, A on none: the sign test's p is 2⁻²⁹."""
    (row,) = difference_rows(studied(written(tmp_path, HEADER + rows({"A": 30, "B": 0}, 30))))
    assert row["estimate"] == -1
    assert row["upper"] < -0.8
    assert row["p_value"] < 1e-9


def test_rare_mistakes_in_clusters_count_as_clusters(tmp_path):
    """3 wrong answers in one of 20 topics: a topic in 20 may be like that, and all wrong."""
    text = "question,model,score,topic\n" + rows({"A": 3, "B": 0}, 100, "t", 5)
    of = studied(written(tmp_path, text), {"cluster": "topic"})
    (difference,) = difference_rows(of)
    sums = np.r_[-3, np.zeros(19), -5, 5]
    half = stats.t.ppf(0.975, 21) * stats.sem(sums) / 5
    middle = sums.mean() / 5
    assert (difference["lower"], difference["upper"]) == pytest.approx(
        (middle - half, middle + half)
    )
    assert difference["p_value"] > 0.3
    assert "nearly all scores are equal" in difference["warning"]


def test_no_margin_is_kept_by_questions_of_which_few_differ(tmp_path):
    """1 of 40 differs: with a true difference of .075, the margin, that has probability .19."""
    table = written(tmp_path, HEADER + rows({"A": 1, "B": 0}, 40))
    (row,) = difference_rows(studied(table, baseline="B", margin=0.075))
    assert row["p_non_inferior"] > 0.05


def test_evals_in_shared_clusters_have_no_interval_where_nearly_all_scores_agree(tmp_path):
    header = "question,model,score,passage\n"
    evals = {
        name: {
            "files": written(tmp_path, header + rows(wrong, 60, "p", 2), f"{name}.csv"),
            "cluster": "passage",
        }
        for name, wrong in (("rare", {"A": 2, "B": 0}), ("usual", {"A": 30, "B": 0}))
    }
    over = [row for row in difference_rows(evaluated(evals)) if row["of"] != "eval"]
    assert len(over) == 2
    for row in over:
        assert (row["lower"], row["p_value"]) == (None, None)
        assert "rare has none" in row["warning"]
