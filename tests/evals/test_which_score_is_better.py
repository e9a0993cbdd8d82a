"""Scores of which the lower is better: read as such, and never told as if higher were better."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from test_evaluation_page import TEST, page
from test_score_files import HEADER, evaluated, settings, studied, written

from fidelity_study.errors import DataError
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.report.page.render import evaluation_findings
from fidelity_study.steps.evaluation import difference_rows, mean_rows

ERRORS = {"Careful": 0.1, "Hasty": 0.4}
M = 60
SLIPS = "".join(f"q{i},A,{i % 2}\nq{i},B,{i % 20 // 19}\n" for i in range(200))


def values(share: float, seed: int = 3) -> np.ndarray:
    """Return which of M questions are answered wrongly."""
    return (np.random.default_rng(seed).random(M) < share).astype(float)


def samples(
    folder: Path, better: object, metric: str = "slips", stated: object = None, of: dict = ERRORS
) -> list[str]:
    """Write the samples that lm_eval logs of each model, and its results; return the files."""
    paths = []
    for model, share in of.items():
        own = folder / model
        own.mkdir(parents=True)
        scores = values(share)
        lines = [
            {"doc_id": i, "doc": {}, "filter": "none", "metrics": [metric], metric: score}
            for i, score in enumerate(scores)
        ]
        path = own / "samples_task_2026.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        results = {
            "model_name": model,
            "higher_is_better": {"task": {metric: better}},
            "results": {"task": {f"{metric},none": scores.mean() if stated is None else stated}},
        }
        (own / "results_2026.json").write_text(json.dumps(results), encoding="utf-8")
        paths.append(str(path))
    return paths


@pytest.mark.parametrize(("better", "expected"), [(False, "lower"), (True, "higher")])
def test_lm_evals_direction_is_read(tmp_path, better, expected):
    of = studied(samples(tmp_path, better))
    assert {row["better"] for row in [*mean_rows(of), *difference_rows(of)]} == {expected}


@pytest.mark.parametrize(
    ("better", "metric", "stated", "why"),
    [
        (None, "slips", None, ""),
        (True, "ter", None, "lm_eval says higher, but ter sounds as if lower were"),
        (False, "perplexity", 11.5, "have 11.5, which is not the mean of its scores"),
        ("missing", "slips", None, ""),
    ],
)
def test_a_direction_that_lm_eval_does_not_say_of_the_samples_is_asked_for(
    tmp_path, better, metric, stated, why
):
    files = samples(tmp_path, None if better == "missing" else better, metric, stated)
    if better == "missing":
        for path in files:
            beside = Path(path).with_name("results_2026.json")
            beside.write_text(json.dumps({"model_name": Path(path).parent.name}), encoding="utf-8")
    with pytest.raises(DataError) as error:
        studied(files)
    told = str(error.value)
    assert f"does not say whether a higher or a lower {metric} is better" in told and why in told
    assert told.endswith("say it: better: higher in the config or better: lower in the config")
    assert told.startswith(f"{files[0]} (and 1 more): does not say")
    for wanted in ("higher", "lower"):
        assert mean_rows(studied(files, {"better": wanted}))


def test_fewer_errors_are_told_as_better(tmp_path):
    shown = page({"slips": {"files": samples(tmp_path, False)}}, baseline="Hasty", margin=0.05)
    found = evaluation_findings(shown).replace("**", "")
    difference = values(0.1) - values(0.4)
    far = -100 * difference.mean()
    assert (
        f"Careful scores {far:.1f} points lower, and so better, than Hasty on slips (95 %:" in found
    )
    assert "slips (lower is better)" in found
    assert "A lower score is better." in shown.assumptions
    assert shown.standing(shown.differences[0]) == "better"
    assert not any(word in found for word in ("higher", "above"))


@pytest.mark.parametrize(("better", "sign"), [("higher", 1), ("lower", -1)])
def test_no_worse_is_by_what_is_worse(tmp_path, better, sign):
    first, second = values(0.3, 1), values(0.33, 2)
    rows = "".join(
        f"q{i},A,{a}\nq{i},B,{b}\n" for i, (a, b) in enumerate(zip(first, second, strict=True))
    )
    path = written(tmp_path, HEADER + rows)
    (row,) = difference_rows(studied(path, {"better": better}, baseline="B", margin=0.1))
    test = stats.ttest_1samp(sign * (first - second), -0.1, alternative="greater")
    assert row["p_non_inferior"] == pytest.approx(test.pvalue)
    limit = sign * test.confidence_interval(0.95).low
    assert row["one_sided_limit"] == pytest.approx(limit)
    assert row["estimate"] == pytest.approx((first - second).mean())


def test_a_model_with_more_errors_is_not_said_to_be_no_worse(tmp_path):
    evals = {"slips": {"files": written(tmp_path, HEADER + SLIPS), "better": "lower"}}
    shown = page(evals, baseline="B", margin=0.1)
    assert shown.headline.startswith("\u2068A\u2069 scores 45.0 points higher, and so worse,")
    assert shown.standing(shown.differences[0]) == "worse"
    shown = page(evals, baseline="B", margin=0.55)
    assert shown.standing(shown.differences[0]) == "worse by less than 55.0"


def test_evals_of_both_directions_are_not_averaged(tmp_path):
    path = written(tmp_path, HEADER + SLIPS)
    evals = {"points": {"files": path}, "slips": {"files": path, "better": "lower"}}
    of = evaluated(evals, test=TEST)
    assert {row["of"] for row in [*mean_rows(of), *difference_rows(of)]} == {"eval"}
    shown = page(evals)
    assert shown.headline.replace("\u2068", "").replace("\u2069", "") == (
        "A scores higher than B on points and slips (lower is better)."
    )
    assert any(
        "A lower score is better on slips, a higher one on all others." in told
        for told in shown.assumptions
    )
    both = evaluated({name: {**own, "better": "lower"} for name, own in evals.items()})
    assert {row["of"] for row in mean_rows(both)} == {"eval", "all questions", "mean of evals"}


def test_files_that_differ_on_what_is_better_are_refused(tmp_path):
    files = [
        *samples(tmp_path / "a", False, of={"Careful": 0.1}),
        *samples(tmp_path / "b", True, of={"Hasty": 0.4}),
    ]
    with pytest.raises(DataError, match="its files differ on which score is better, higher in"):
        studied(files)
    (log, other) = read_eval("eval", settings(files, better="lower")["evals"]["eval"])
    assert (log.better, other.better) == ("lower", "lower")
    assert other.notes[-1] == (
        "has a score of which higher is better; the config says lower, which counts"
    )


@pytest.mark.parametrize("name", ["mistakes", "hallucinated", "harmful", "points", "of_a_user"])
def test_the_direction_of_a_column_without_a_known_name_is_asked_for(tmp_path, name):
    path = written(tmp_path, f"question,model,{name}\na,A,1\nb,A,0\n")
    with pytest.raises(DataError, match=f"a higher or a lower {name} is better; say it"):
        studied(path, {"columns": {"score": name}})
    (row,) = mean_rows(studied(path, {"columns": {"score": name}, "better": "lower"}))
    assert row["better"] == "lower"
