"""Logs of inspect_ai: its own numbers again, and what is refused. Needs the extra evals."""

import json
import shutil
from pathlib import Path

import pytest
from inspect_ai.log import EvalError, read_eval_log, write_eval_log
from inspect_ai.scorer import value_to_float
from test_score_files import settings, studied

from fidelity_study.errors import DataError
from fidelity_study.reading.evals.inspect_logs import value_of
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.reading.evals.samples import mean_score
from fidelity_study.steps.evaluation import difference_rows, mean_rows, missing_rows

LOGS = Path(__file__).parent / "logs"
TOLD = json.loads((LOGS / "reference.json").read_text("utf-8"))["inspect_ai"]


@pytest.mark.parametrize("task", ["sums", "sums_thrice"])
def test_error_bars_of_its_own(task):
    files, given = str(LOGS / f"{task}_[gd]*.eval"), {"cluster": "passage"}
    rows = list(mean_rows(studied(files, given, standard_error="cr1")))
    assert [row["model"] for row in rows] == ["mockllm/dreadnought", "mockllm/galleon"]
    for row in rows:
        name = f"{task}_{row['model'].removeprefix('mockllm/')}.eval"
        printed = read_eval_log(str(LOGS / name), header_only=True).results.scores[0].metrics
        told = TOLD[name]["match"]
        assert {key: each.value for key, each in printed.items()} == told
        assert row["estimate"] == pytest.approx(told["accuracy"], abs=1e-12)
        assert row["se_clt"] == pytest.approx(told["stderr"], abs=1e-12)
        assert row["se_cr1"] == pytest.approx(told["stderr2"], abs=1e-12)
        few_differ = "nearly all scores are equal" in (row["warning"] or "")
        assert row["se"] > row["se_cr1"] if few_differ else row["se"] == row["se_cr1"]
        assert row["samples_most"] == (3 if task == "sums_thrice" else 1)


@pytest.mark.parametrize(
    ("score", "scorer", "mean"),
    [("graded", "graded", "accuracy"), ("stated.probability", "probability", "mean")],
)
def test_one_of_several_scores(score, scorer, mean):
    of = studied(str(LOGS / "several_*.eval"), {"columns": {"score": score}, "better": "higher"})
    for row in mean_rows(of):
        told = TOLD[f"several_{row['model'].removeprefix('mockllm/')}.eval"][scorer]
        assert row["estimate"] == pytest.approx(told[mean], abs=1e-12)
        assert row["se_clt"] == pytest.approx(told["stderr"], abs=1e-12)
    (told,) = missing_rows(of)
    assert (told["model"], told["question"]) == ("mockllm/dreadnought", "q07")
    assert told["reason"] == "error: ValueError('the tool timed out')"
    (row,) = difference_rows(of)
    assert (row["questions"], row["unmatched"], row["unmatched_baseline"]) == (23, 0, 1)


def test_scores_and_tasks_are_not_guessed():
    with pytest.raises(DataError, match=r"several scores: graded, stated\.probability"):
        studied(str(LOGS / "several_*.eval"))
    with pytest.raises(DataError, match="no column 'grade' for the score; did you mean graded"):
        studied(str(LOGS / "several_*.eval"), {"columns": {"score": "grade"}})
    both = [str(LOGS / "sums_galleon.eval"), str(LOGS / "sums_thrice_galleon.eval")]
    with pytest.raises(DataError, match="several tasks: sums, sums_thrice; name the files of one"):
        studied(both)


def changed(folder, change, name: str = "sums") -> str:
    """Write the log of galleon, changed; return its path."""
    log = read_eval_log(str(LOGS / f"{name}_galleon.eval"))
    change(log)
    write_eval_log(log, str(folder / "changed.eval"))
    return str(folder / "changed.eval")


def failed(sample) -> None:
    sample.scores, sample.error = None, EvalError(message="429", traceback="", traceback_ansi="")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("status", "change", "told"),
    [
        (
            "error",
            failed,
            "none of its 24 samples has a score, and its status is error: 24 failed, the first by "
            "429; mend the cause and run it again (inspect eval-retry LOG), or leave it out",
        ),
        ("success", failed, "mend the cause and run it again (inspect eval), or leave it out"),
        (
            "success",
            lambda sample: setattr(sample, "scores", None),
            "its status is success: it was not scored; score it (inspect score LOG)",
        ),
        ("cancelled", lambda sample: setattr(sample, "scores", {}), "its status is cancelled; "),
    ],
)
def test_a_log_without_a_score_is_told_with_its_status(tmp_path, status, change, told):
    def of_all(log):
        log.status = status
        for each in log.samples:
            change(each)

    with pytest.raises(DataError) as error:
        studied(changed(tmp_path, of_all))
    assert told in str(error.value) and "several" not in str(error.value)


def test_a_log_that_ended_before_its_first_sample_is_told_with_its_error(tmp_path):
    def empty(log):
        log.status, log.samples = "error", []
        log.error = EvalError(message="no  such model", traceback="", traceback_ansi="")

    with pytest.raises(DataError, match="has no samples, and its status is error: no such model;"):
        studied(changed(tmp_path, empty))


def test_a_model_twice_is_told(tmp_path):
    other = str(shutil.copy(LOGS / "sums_galleon.eval", tmp_path / "again.eval"))
    files = [str(LOGS / "sums_galleon.eval"), other]
    with pytest.raises(DataError, match="is there twice"):
        studied(files)
    (row,) = difference_rows(studied(files, {"models": {other: "Galleon, again"}}))
    assert row["estimate"] == 0 and row["correlation"] == pytest.approx(1)


def test_a_part_of_a_run_is_left_out_where_a_whole_one_is_there(tmp_path):
    def cancel(log):
        log.status, log.samples = "cancelled", log.samples[:5]

    part, whole = changed(tmp_path, cancel), str(LOGS / "sums_galleon.eval")
    first, other = read_eval("sums", settings([part, whole])["evals"]["eval"])
    assert (first.samples, first.unfinished) == ([], "") and len(other.questions) == 24
    (told,) = first.notes
    assert "its status is cancelled" in told and f"left out, as {whole} is whole" in told
    (row,) = mean_rows(studied([part, whole]))
    assert row["questions"] == 24


def test_what_is_no_log_is_refused(tmp_path):
    whole = (LOGS / "sums_galleon.eval").read_bytes()
    for content in (b"", b"text", whole[: len(whole) // 2]):
        (tmp_path / "cut.eval").write_bytes(content)
        with pytest.raises(DataError, match=r"cut\.eval: cannot be read as a log of inspect_ai"):
            read_eval("eval", settings(str(tmp_path / "cut.eval"))["evals"]["eval"])
    with pytest.raises(DataError, match="has no column 'page' for the cluster"):
        studied(str(LOGS / "sums_galleon.eval"), {"cluster": "page"})


@pytest.mark.parametrize(
    "value", ["C", "I", "P", "N", "yes", "No", "TRUE", "false", "0.25", "1e-3", 0, 1, 0.5, True]
)
def test_values_are_those_of_inspect(value):
    assert value_of(value) == value_to_float()(value)


@pytest.mark.parametrize("value", ["maybe", "nan", float("nan"), [1], {"a": 1}, "", float("inf")])
def test_no_number_is_no_score(value):
    assert value_of(value) is None


REDUCERS = ["mean", "median", "mode", "max", "at_least_2", "pass_at_2"]
REDUCED = [str(LOGS / f"sums_reduced_{model}.eval") for model in ("dreadnought", "galleon")]


def test_what_a_log_states_by_its_reducers_is_told_beside_the_mean():
    for path, log in zip(
        REDUCED, read_eval("eval", settings(REDUCED)["evals"]["eval"]), strict=True
    ):
        told = {by: TOLD[Path(path).name][f"match {by}"]["accuracy"] for by in REDUCERS}
        assert mean_score(log.samples) == pytest.approx(told.pop("mean"))
        (stated,) = (note for note in log.notes if note.startswith("states accuracy"))
        for by, accuracy in told.items():
            assert f"{accuracy:.3f} by {by}, " in stated


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("score", "change", "better"),
    [
        ("match", str, "higher"),
        ("stated.probability", str, None),
        ("stated.length", str, None),
        ("graded", lambda name: name.replace("graded", "error_rate"), None),
    ],
)
def test_which_score_is_better_is_asked_unless_right_and_wrong_say_it(
    tmp_path, score, change, better
):
    def rename(log):
        for each in log.samples:
            each.scores = {change(key): value for key, value in each.scores.items()}

    path = changed(tmp_path, rename, "sums" if score == "match" else "several")
    given = {"columns": {"score": change(score)}}
    if better is None:
        with pytest.raises(DataError) as error:
            studied(path, given)
        fault, *_ = error.value.faults
        assert fault.code == "direction-unknown"
        assert {each.settings["better"] for each in fault.remedies} == {"higher", "lower"}
    else:
        (row,) = mean_rows(studied(path, given))
        assert row["better"] == better
    (row,) = mean_rows(studied(path, {**given, "better": "lower", "range": [0, 9]}))
    assert row["better"] == "lower"
