"""Scores in tables and samples of lm-evaluation-harness: what is read, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import fidelity
from fidelity_study.config.defaults import complete_evaluation
from fidelity_study.errors import DataError
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.reading.evals.rows import SCORES, score_rows
from fidelity_study.steps.evaluation import (
    difference_rows,
    evaluation,
    mean_rows,
    missing_rows,
    power_rows,
)

LOGS = Path(__file__).parent / "logs"
REFERENCE = json.loads((LOGS / "reference.json").read_text("utf-8"))
TOLD, TOLD_BY_STATSMODELS = REFERENCE["lm_eval"], REFERENCE["statsmodels"]
HEADER = "question,model,score\n"
POINTS, PAGES = "question,model,points\na,A,1\n", {"cluster": "page"}


def settings(files, **given) -> dict:
    """Return the settings of one eval, complete."""
    evals = {"eval": {"files": files, **given}}
    return complete_evaluation({"evals": evals}, "name")


def studied(files, given: dict | None = None, **of_all):
    """Return the evaluation of files."""
    return evaluated({"eval": {"files": files, **(given or {})}}, **of_all)


def evaluated(evals: dict, **of_all):
    """Return the evaluation of several evals."""
    import pyarrow as pa

    step = {**complete_evaluation({"evals": evals}, "name"), **of_all}
    rows = [
        row
        for name, settings in step["evals"].items()
        for row in score_rows(name, read_eval(name, settings))
    ]
    return evaluation(pa.Table.from_pylist(rows, SCORES), step)


def written(folder: Path, text: str, name: str = "scores.csv") -> str:
    """Write a file; return its path."""
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def with_epochs(
    folder: Path, generator, most: int, chance, columns: str = "", of=lambda i: ""
) -> str:
    """Write scores, 0 or 1, of 40 questions, A and B in so many epochs; return the path."""
    rows = [
        f"q{i},{model},{int(generator.random() < chance(i))},{epoch}{of(i)}\n"
        for i in range(40)
        for model in "AB"
        for epoch in range(most)
    ]
    return written(folder, f"question,model,score,epoch{columns}\n" + "".join(rows))


def refused(folder: Path, text: str, **given) -> str:
    """Return what is said of a table that is refused."""
    path = written(folder, text)
    with pytest.raises(DataError) as error:
        read_eval("eval", settings(path, **given)["evals"]["eval"])
    return str(error.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("text", "given", "told"),
    [
        (f"{HEADER}a,A,1\na,A,0\n", {}, "row 3: question 'a' of A is there twice, first in row 2"),
        (f"{HEADER}a,A,1\na,A,0\n", {}, "the question is the column 'question'; if another one"),
        (f"{HEADER}a,A,x\n", {}, "row 2, column 'score': is 'x', not a number"),
        (f"{HEADER}a,A,1.5\n", {}, "row 2: the score 1.5 is outside 0 to 1"),
        (f"{HEADER}a,A,inf\n", {}, "is 'inf', not a number"),
        (f"{HEADER},A,1\n", {}, "row 2, column 'question': is empty"),
        (HEADER, {}, "has a header but no rows"),
        (POINTS, {}, "has no column 'score' for the score"),
        (POINTS, {}, "columns: {score: ...}"),
        (
            POINTS,
            {"columns": {"score": "points", "cluster": "page"}},
            "no column 'page' for the cl",
        ),
        ("question,model,score,page\na,A,1,1\na,B,1,2\n", PAGES, "is in cluster '2', but in '1'"),
    ],
)
def test_hostile_tables_are_refused(tmp_path, text, given, told):
    assert told in refused(tmp_path, text, **given)


def test_many_faults_are_told_in_short(tmp_path):
    told = refused(tmp_path, HEADER + "".join(f"q{i},A,2\n" for i in range(20)))
    assert len(told.splitlines()) == 6 and "15 more like it" in told


def test_names_of_columns_ranges_and_epochs(tmp_path):
    path = written(tmp_path, "id,llm,points,try\na,A,7,1\na,A,9,2\nb,A,true,1\nb,A,,2\n")
    given = {
        "columns": {"question": "id", "model": "llm", "score": "points", "epoch": "try"},
        "range": [0, 10],
        "better": "higher",
    }
    (row,) = mean_rows(studied(path, given))
    assert row["estimate"] == (8 + 1) / 2 and row["questions"] == 2
    assert (row["samples_fewest"], row["samples_most"]) == (1, 2)


def test_parquet_is_read_as_csv(tmp_path):
    import pandas as pd

    rows = "".join(f"q{i},{model},{i % 3 / 2}\n" for i in range(9) for model in "AB")
    path = written(tmp_path, HEADER + rows)
    pd.read_csv(path).to_parquet(tmp_path / "scores.parquet")
    same = [list(mean_rows(studied(each))) for each in (path, str(tmp_path / "scores.parquet"))]
    assert same[0] == same[1]


def test_no_score_is_told_not_counted(tmp_path):
    path = written(tmp_path, HEADER + "a,A,1\nb,A,NaN\nc,A,0\na,B,1\nc,B,\nd,B,1\n")
    of = studied(path)
    rows = {row["model"]: row for row in mean_rows(of)}
    assert [rows["A"][key] for key in ("questions", "estimate", "missing")] == [2, 0.5, 2]
    told = {(row["model"], row["question"]): row["reason"] for row in missing_rows(of)}
    assert told == {
        ("A", "b"): "no score",
        ("A", "d"): "not in its logs",
        ("B", "b"): "not in its logs",
        ("B", "c"): "no score",
    }
    (row,) = difference_rows(of)
    assert (row["questions"], row["unmatched"], row["unmatched_baseline"]) == (1, 1, 1)
    assert "one question" in row["warning"] and row["lower"] is None


def test_one_model_one_question_equal_scores(tmp_path):
    of = studied(written(tmp_path, HEADER + "a,A,1\n"))
    (row,) = mean_rows(of)
    assert (
        row["wilson_lower"] == pytest.approx(0.2065, abs=1e-4) and "one question" in row["warning"]
    )
    assert difference_rows(of) == [] == list(power_rows(of))
    rows = "".join(f"q{i},{model},1\n" for i in range(5) for model in "AB")
    of = studied(written(tmp_path, HEADER + rows))
    (row,) = difference_rows(of)
    one_more_each = stats.ttest_1samp([0] * 5 + [1, -1], 0).confidence_interval()
    assert row["estimate"] == 0 and "nearly all scores are equal" in row["warning"]
    assert (row["lower"], row["upper"]) == pytest.approx(tuple(one_more_each))
    assert all(row["wilson_upper"] == 1 for row in mean_rows(of))
    assert [row["total"] for row in power_rows(of)] == [0, 0, 0]


def test_no_question_in_common(tmp_path):
    (row,) = difference_rows(studied(written(tmp_path, HEADER + "a,A,1\nb,B,1\n")))
    assert row["questions"] == 0 and "no question" in row["warning"]


def test_a_baseline_that_is_no_model(tmp_path):
    path = written(tmp_path, HEADER + "a,Galleon,1\nb,Galleon,1\n")
    with pytest.raises(DataError, match="did you mean Galleon"):
        studied(path, baseline="Galeon")


def test_all_pairs_with_holm(tmp_path):
    generator = np.random.default_rng(0)
    rows = [
        f"q{i},{model},{int(generator.random() < p)}\n"
        for i in range(80)
        for model, p in (("A", 0.9), ("B", 0.6), ("C", 0.6))
    ]
    found = difference_rows(studied(written(tmp_path, HEADER + "".join(rows))))
    assert [(row["model"], row["baseline"]) for row in found] == [
        ("A", "B"),
        ("A", "C"),
        ("B", "C"),
    ]
    p_values = sorted(row["p_value"] for row in found)
    adjusted = np.maximum.accumulate([p_values[0] * 3, p_values[1] * 2, p_values[2]])
    np.testing.assert_allclose(sorted(row["p_holm"] for row in found), np.minimum(adjusted, 1))


@pytest.mark.parametrize(
    ("seed", "is_clipped", "estimator"), [(3, True, "cr2"), (3, True, "miller"), (1, False, "cr2")]
)
def test_a_plan_has_at_least_the_variance_of_samples(tmp_path, seed, is_clipped, estimator):
    path = with_epochs(tmp_path, np.random.default_rng(seed), 3, lambda i: 0.5)
    given = {"alpha": 0.05, "power": 0.8, "effect": 0.1}
    of = studied(path, test=given, standard_error=estimator)
    (row,) = (each for each in power_rows(of) if each["baseline"])
    sampled = (row["within"] + row["within_baseline"]) / 3
    assert (row["total"] < sampled) == is_clipped == row["clipped"]
    variance, df = max(row["total"], sampled), 39 if estimator == "cr2" else np.inf
    z = 1.959964 + 0.841621
    assert row["questions_by_formula"] == np.ceil(z**2 * variance / 0.1**2)
    needed = fidelity.scenarios_needed(0.1, variance, variance_df=df)
    assert row["questions_needed"] == np.ceil(needed)
    smallest = fidelity.minimum_detectable_effect(40, variance, df=df, variance_df=df)
    assert row["minimum_detectable_effect"] == pytest.approx(smallest)


def test_a_variance_by_clusters_below_that_of_independent_questions_is_not_planned_with(tmp_path):
    generator = np.random.default_rng(4)
    for side, is_below in ((0.0, True), (0.5, False)):
        rows, clustered = [], generator.random(6)
        for i in range(60):
            hard = side * clustered[i % 6] + (1 - side) * (0.1 + 0.8 * (i // 6 % 2))
            rows += [f"q{i},A,{generator.random() < hard},{i % 6}\n", f"q{i},B,0,{i % 6}\n"]
        path = written(tmp_path, "question,model,score,page\n" + "".join(rows))
        given = {"alpha": 0.05, "power": 0.8, "effect": 0.1}
        (row,) = (
            each
            for each in power_rows(studied(path, {"cluster": "page"}, test=given))
            if each["baseline"]
        )
        assert (row["cluster_inflation"] < 1) == is_below
        independent = fidelity.scenarios_needed(0.1, row["total"], variance_df=59)
        assert row["questions_in_clusters"] == 10 * row["clusters_needed"]
        if is_below:
            assert row["questions_in_clusters"] >= independent
            assert row["minimum_detectable_effect"] > fidelity.minimum_detectable_effect(
                60, row["total"], variance_df=59
            )
        else:
            assert row["clusters_needed"] > independent / 10


def test_lost_samples_are_told_though_their_question_has_a_score(tmp_path):
    rows = "a,A,1,1\na,A,,2\nb,A,1,1\nb,A,0,2\na,B,1,1\na,B,1,2\nb,B,,1\nb,B,,2\n"
    of = studied(written(tmp_path, "question,model,score,epoch\n" + rows))
    assert [(row["model"], row["missing"], row["unscored"]) for row in mean_rows(of)] == [
        ("A", 0, 1),
        ("B", 1, 2),
    ]
    told = {(row["model"], row["question"]): row for row in missing_rows(of)}
    assert [told["A", "a"][key] for key in ("unscored", "scored")] == [1, 1]
    assert [told["B", "b"][key] for key in ("unscored", "scored")] == [2, 0]
    assert len(told) == 2


def test_evals_on_the_same_passages_are_clustered_together(tmp_path):
    shared = TOLD_BY_STATSMODELS["shared clusters"]
    evals = {}
    for name, scores, clusters in zip("xy", shared["scores"], shared["clusters"], strict=True):
        rows = [
            f"q{i},A,{score},{page}\nq{i},B,0,{page}\n"
            for i, (score, page) in enumerate(zip(scores, clusters, strict=True))
        ]
        path = written(tmp_path, "question,model,score,page\n" + "".join(rows), f"{name}.csv")
        evals[name] = {"files": path, "cluster": "page", "range": [-9, 9]}
    of = evaluated(evals, standard_error="cr0")
    for rows in (difference_rows(of), [row for row in mean_rows(of) if row["model"] == "A"]):
        found = {row["of"]: row for row in rows}
        assert found["all questions"]["se"] == pytest.approx(shared["pooled"], abs=1e-12)
        assert found["mean of evals"]["se"] == pytest.approx(shared["macro"], abs=1e-12)
        assert found["all questions"]["n_clusters"] == 14
        assert found["all questions"]["shared_clusters"] == 6
    apart = {**evals, "y": {**evals["y"], "cluster": None}}
    (row,) = (
        row
        for row in difference_rows(evaluated(apart, standard_error="cr0"))
        if row["of"] == "all questions"
    )
    assert row["shared_clusters"] == 0 and row["n_clusters"] == 39


def test_ids_that_pandas_wrote_with_a_point_are_the_same_questions(tmp_path):
    whole = written(tmp_path, HEADER + "0,A,1\n1,A,0\n10,A,1\n", "a.csv")
    floats = written(tmp_path, HEADER + "0.0,B,0\n1.0,B,0\n10.0,B,1\n", "b.csv")
    (row,) = difference_rows(studied([whole, floats]))
    assert (row["questions"], row["unmatched"], row["unmatched_baseline"]) == (3, 0, 0)
    assert row["estimate"] == pytest.approx(1 / 3)
    told = [log.notes for log in read_eval("eval", settings([whole, floats])["evals"]["eval"])]
    assert told == [[], ["has whole numbers with a point for the question; 0.0 counts as 0"]]
    versions = written(tmp_path, HEADER + "1.0,B,0\n1.1,B,0\n", "c.csv")
    logs = read_eval("eval", settings([whole.replace("a.csv", "[a]*"), versions])["evals"]["eval"])
    assert logs[1].questions == {"1.0", "1.1"} and not logs[1].notes


def test_passages_that_pandas_wrote_with_a_point_are_the_same(tmp_path):
    header = "question,model,score,page\n"
    whole = written(tmp_path, header + "a,A,1,1\nb,A,0,2\n", "a.csv")
    floats = written(tmp_path, header + "a,B,0,1.0\nb,B,0,2.0\n", "b.csv")
    (scores,) = studied([whole, floats], {"cluster": "page"}).compared.evals
    assert scores.clusters == {"a": "1", "b": "2"}


def test_an_eval_of_equal_scores_leaves_means_over_evals_their_interval(tmp_path):
    sure = "".join(f"q{i},{model},1\n" for i in range(20) for model in "AB")
    open_ = "".join(f"q{i},A,{i % 2}\nq{i},B,{i % 3 // 2}\n" for i in range(30))
    evals = {
        name: {"files": written(tmp_path, HEADER + text, f"{name}.csv")}
        for name, text in (("sure", sure), ("open", open_))
    }
    of = evaluated(evals)
    a, b = np.arange(30) % 2, np.arange(30) % 3 // 2
    # 20 equal scores, with one more at each end of what they can be
    for rows, certain, other in (
        (mean_rows(of), [1.0] * 20 + [0, 1], a),
        (difference_rows(of), [0.0] * 20 + [-1, 1], a - b),
    ):
        found = {row["of"]: row for row in rows if row["model"] == "A"}
        for kind, share in (("all questions", 0.4), ("mean of evals", 0.5)):
            parts = np.array([share * stats.sem(certain), (1 - share) * stats.sem(other)]) ** 2
            df = parts.sum() ** 2 / (parts**2 / [21, 29]).sum()
            middle = share * np.mean(certain) + (1 - share) * other.mean()
            half = stats.t.ppf(0.975, df) * np.sqrt(parts.sum())
            ends = found[kind]["lower"], found[kind]["upper"]
            assert ends == pytest.approx((middle - half, middle + half))
            assert found[kind]["estimate"] == pytest.approx(
                share * certain[0] + (1 - share) * other.mean()
            )


STRICT = {"columns": {"score": "exact_match,strict"}}
HARNESS = {"files": [str(LOGS / model / "samples_sums_written_*.jsonl") for model in TOLD]}


@pytest.mark.parametrize("name", ["strict", "flexible"])
def test_samples_of_the_harness(name):
    of = studied(
        HARNESS["files"], {"columns": {"score": f"exact_match,{name}"}, "cluster": "passage"}
    )
    for row in mean_rows(of):
        told = TOLD[row["model"]]["sums_written"]
        assert row["estimate"] == pytest.approx(told[f"exact_match,{name}"], abs=1e-12)
        assert row["se_clt"] == pytest.approx(told[f"exact_match_stderr,{name}"], abs=1e-12)
        assert row["n_clusters"] == 6


def test_several_metrics_and_filters_are_not_guessed():
    with pytest.raises(DataError, match=r"several scores: exact_match,strict, exact_match,flexi"):
        studied(HARNESS["files"])
    chosen = [str(LOGS / model / "samples_sums_chosen_*.jsonl") for model in TOLD]
    with pytest.raises(DataError, match=r"acc, acc_norm; name the one .* columns: {score: acc}"):
        studied(chosen)
    with pytest.raises(DataError, match="did you mean acc_norm"):
        studied(chosen, {"columns": {"score": "acc_nor"}})
    rows = list(mean_rows(studied(chosen, {"columns": {"score": "acc"}})))
    for row in rows:
        told = TOLD[row["model"]]["sums_chosen"]
        assert row["se_clt"] == pytest.approx(told["acc_stderr,none"], abs=1e-12)


@pytest.mark.parametrize("repeats", [1, 3])
def test_repeats_of_the_harness_are_told_as_they_have_one_score(tmp_path, repeats):
    (source,) = (LOGS / "galleon").glob("samples_sums_written_*")
    rows = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    rows = [{**row, "resps": [each * repeats for each in row["resps"]]} for row in rows]
    path = written(tmp_path, "\n".join(map(json.dumps, rows)), "samples_x_2026.jsonl")
    of = settings([path], **STRICT, models={"*": "A"})["evals"]["eval"]
    (log,) = read_eval("eval", of)
    told = [note for note in log.notes if note.startswith("has up to 3 answers to a question")]
    assert len(told) == (repeats > 1)
    assert len(log.samples) == len(log.questions) == 24


def test_damaged_samples_are_refused(tmp_path):
    (source,) = (LOGS / "galleon").glob("samples_sums_written_*")
    lines = source.read_text("utf-8").splitlines()

    def told(text: str, **given) -> str:
        path = written(tmp_path, text, "samples_x_2026.jsonl")
        with pytest.raises(DataError) as error:
            studied(path, given)
        return str(error.value)

    assert "line 2: is not JSON" in told(f"{lines[0]}\n{lines[1][:40]}")
    assert "has no doc_id and no metrics and no filter" in told('{"a": 1}')
    assert "is empty" in told("\n")
    listed = json.dumps({**json.loads(lines[0]), "exact_match": [1, 2]})
    assert "of 'exact_match,strict' none is a number for each question" in told(listed)
    unscored = json.dumps({**json.loads(lines[0]), "metrics": []})
    assert "has no metrics, as its run was not scored; run it again" in told(unscored)
    assert "does not say which model" in told(lines[0])
    assert "has no column 'page' for the cluster" in told(
        "\n".join(lines), **STRICT, cluster="page", models={"*": "A"}
    )
    other = [line.replace('"doc_hash": "', '"doc_hash": "f') for line in lines]
    path = written(tmp_path, "\n".join(other), "samples_x_2026.jsonl")
    with pytest.raises(DataError, match="question '0' is another one"):
        studied([str(source), path], {**STRICT, "models": {path: "B"}})
