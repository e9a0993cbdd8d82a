"""The command ``start`` on logs of evaluations: what it says and writes, and what it refuses."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml
from inspect_ai.log import read_eval_log, write_eval_log

from fidelity_study.__main__ import main
from fidelity_study.config.study import Study
from fidelity_study.reading.evals.read import read_eval

LOGS = Path(__file__).parent / "logs"
CHOICES = ("--score", "acc", "--score", "exact_match,strict", "--score", "graded")


@pytest.fixture
def here(here):
    """A folder of logs in the folder that a user works in."""
    shutil.copytree(LOGS, here / "logs", ignore=shutil.ignore_patterns("reference.json"))
    return here


def start(capsys, *arguments: str) -> tuple[int, str, str]:
    """Return the exit status, what is printed, and what is printed as an error."""
    status = main(["start", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def pair(name: str) -> list[str]:
    return [f"logs/{name}_{model}.eval" for model in ("dreadnought", "galleon")]


@pytest.mark.slow
def test_a_folder_of_all_kinds_of_logs_becomes_a_config_with_an_eval_of_each_task(here, capsys):
    status, told, _ = start(capsys, "logs", *CHOICES)
    assert status == 0
    assert "sums_thrice: 2 files of inspect_ai" in told
    assert "  mockllm/galleon: 24 questions, 0.792 on average" in told  # inspect_ai's accuracy
    assert "  mockllm/galleon: 18 questions, 54 samples" in told
    assert "  galleon: 24 questions, 0.417 on average" in told
    assert "1 without a score" in told
    study = Study(yaml.safe_load(Path("evals.yaml").read_text("utf-8")))
    evals = study.evaluations["evals"]["evals"]
    assert sorted(evals) == [
        *("several", "sums", "sums_chosen", "sums_reduced", "sums_thrice", "sums_written")
    ]
    for name, settings in evals.items():
        assert all(log.samples for log in read_eval(name, settings))


def test_what_is_given_is_in_the_config(here, capsys):
    given = ("--baseline", "mockllm/galleon", "--margin", "0.1", "--effect", "0.2")
    more = ("--cluster", "passage", "--range", "0", "2", "--name", "Sums, again")
    status, told, _ = start(capsys, *pair("sums"), *given, *more)
    assert status == 0
    assert "groups of questions: 6, by passage" in told
    assert "compared: each model with mockllm/galleon" in told
    config = yaml.safe_load(Path("Sums_again.yaml").read_text("utf-8"))
    assert config["evaluations"]["Sums_again"] == {
        "title": "Sums, again",
        "baseline": "mockllm/galleon",
        "margin": 0.1,
        "power": {"effect": 0.2},
        "evals": {
            "sums": {
                **{"files": pair("sums"), "cluster": "passage"},
                **{"better": "higher", "range": [0, 2]},
            }
        },
    }


def test_what_one_has_to_choose_is_asked_of_all_logs_at_once(here, capsys):
    status, _, told = start(capsys, "logs")
    assert status == 3
    assert not Path("evals.yaml").exists()
    for line in (
        "several_dreadnought.eval, stated.length: one of several metrics; name the one that counts:"
        " --score stated.length",
        ".jsonl, exact_match,strict: one of several metrics; name the one that counts: --score "
        "exact_match,strict",
        "Decide 7 cells of the tables in evals_codebook",
        "several_dreadnought.eval, graded: ...?",
    ):
        assert line in told
    assert "in the config" not in told


def change(name: str, column: str, key: str, **cells: str) -> None:
    """Change cells of a row of the codebook."""
    table = Path("evals_codebook") / f"{name}.csv"
    rows = pd.read_csv(table, dtype=str, keep_default_na=False)
    rows.loc[rows[column] == key, [*cells]] = [*cells.values()]
    rows.to_csv(table, index=False)


@pytest.mark.parametrize(
    ("score", "arguments", "chosen"),
    [
        ("graded", (), {"columns": {"score": "graded"}, "better": "higher"}),
        ("stated.probability", ("--accept",), {"columns": {"score": "stated.probability"}}),
        ("stated.length", ("--better", "lower", "--range", "0", "inf"), {"better": "lower"}),
    ],
)
def test_a_cell_settles_what_logs_leave_open(here, capsys, score, arguments, chosen):
    assert start(capsys, *pair("several"))[0] == 3
    change("columns", "column", score, use="score")
    status, told, _ = start(capsys, *pair("several"), *arguments)
    assert status == 0 and "codebook: tables in evals_codebook" in told
    (config,) = Path().glob("*.yaml")
    (evaluation,) = yaml.safe_load(config.read_text("utf-8"))["evaluations"].values()
    settings = evaluation["evals"]["several"]
    assert settings.pop("files") == pair("several") and chosen.items() <= settings.items()


def test_a_cell_and_an_option_name_one_score(here, capsys):
    assert start(capsys, *pair("several"))[0] == 3
    change("columns", "column", "stated.probability", use="score")
    status, _, told = start(capsys, *pair("several"), "--score", "graded")
    assert status == 1 and "that of each, 'score' in columns.csv" in told


def test_a_range_and_a_direction_that_nobody_knows_are_asked(here, capsys):
    command = (*pair("several"), "--score", "stated.length")
    status, _, asked = start(capsys, *command)
    assert status == 3
    assert "say which scores there can be: --range LOWEST HIGHEST" in asked
    assert "say which score is better: --better higher or --better lower" in asked
    cells = {"direction": "lower", "lower": "0", "upper": "inf"}
    change("questions", "question", "several", **cells)
    status, told, _ = start(capsys, *command)
    assert status == 0 and "  better: the lower score" in told
    config = yaml.safe_load(next(Path().glob("*.yaml")).read_text("utf-8"))
    (evaluation,) = config["evaluations"].values()
    assert evaluation["evals"]["several"]["range"] == [0, float("inf")]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*pair("sums"), "--baseline", "Galleon"], "there are: mockllm/dreadnought"),
        ([*pair("sums"), "--levels", "x"], "--levels: of files of answers"),
        ([*pair("sums"), "people.csv"], "people.csv: no log of an evaluation, as the other"),
        ([*pair("sums"), "gone.eval"], "gone.eval is not there"),
        (
            [*pair("sums"), "--cluster", "page"],
            "has no column 'page' for the cluster",
        ),
        ([*pair("sums"), "--margin", "0.1"], "--margin: needs a baseline"),
        ([*pair("sums"), "--model", "agin.eval", "A"], "--model agin.eval: is none of the logs"),
        ([*pair("sums"), "--model", "*.log", "A"], "--model *.log: is none of the logs"),
        ([*pair("sums"), "--score", "mtach"], "is no score of the logs; did you mean match?"),
        ([*pair("sums"), "--effect", "3"], "--effect: 3 is more than two scores can differ, 1; st"),
        ([*pair("sums_reduced"), "--better", "more"], "--better more: must be higher or lower"),
        ([*pair("sums"), "logs/again.eval"], "models apart; --model FILE NAME"),
        (["logs/alone"], "name it: --model logs/alone/samples_sums_written_2.jsonl NAME"),
        (["people.csv", "--baseline", "x"], "--baseline: of models' scores, and no column"),
        (["empty"], "empty is a folder"),
    ],
)
def test_what_is_refused(here, capsys, arguments, words):
    Path("people.csv").write_text("scenario,value\nq1,yes\n", encoding="utf-8")
    Path("empty").mkdir()
    shutil.copy("logs/sums_galleon.eval", "logs/again.eval")
    Path("logs/alone").mkdir()
    (written,) = Path("logs/galleon").glob("samples_sums_written*")
    shutil.copy(written, "logs/alone/samples_sums_written_2.jsonl")
    choice = ["--score", "exact_match,strict"] if "alone" in arguments[0] else []
    status, _, told = start(capsys, *arguments, *choice)
    assert status == 1
    assert words in told
    assert not list(here.glob("*.yaml"))


def test_models_that_files_do_not_name_apart_are_named(here, capsys):
    shutil.copy("logs/sums_galleon.eval", "logs/again.eval")
    apart = ("--model", "logs/again.eval", "Galleon again")
    status, told, _ = start(capsys, *pair("sums"), "logs/again.eval", *apart)
    assert status == 0
    assert "  Galleon again: 24 questions" in told


def test_a_pattern_names_the_model_of_several_files(here, capsys):
    named = ("--model", "*_galleon.eval", "Galleon", "--model", "logs/*", "Another")
    status, told, _ = start(capsys, *pair("sums"), *pair("sums_thrice"), *named)
    assert status == 0
    assert told.count("  Galleon: ") == told.count("  Another: ") == 2


def test_a_model_twice_is_told_in_one_line_for_each_pair_of_files(here, capsys):
    shutil.copy("logs/sums_galleon.eval", "logs/again.eval")
    status, _, told = start(capsys, *pair("sums"), "logs/again.eval")
    assert status == 1
    assert told.splitlines()[1:] == ["See docs/howto/evaluations.md"]
    assert "24 of its samples are in logs/sums_galleon.eval" in told
    assert "epoch if both" not in told
    stopped = read_eval_log("logs/again.eval")
    stopped.status, stopped.samples = "error", stopped.samples[:9]
    write_eval_log(stopped, "logs/again.eval")
    status, told, _ = start(capsys, *pair("sums"), "logs/again.eval")
    did_not = "again.eval did not finish: its status is error, and it has 9 of 24 questions"
    assert status == 0 and f"{did_not}; it was left out, as logs/sums_galleon.eval is whole" in told
    apart = ("--model", "again.eval", "Galleon again", "--force")
    status, told, _ = start(capsys, *pair("sums"), "logs/again.eval", *apart)
    assert status == 0
    assert "models were asked different questions, so that averages can't be compared" in told
    assert "again.eval did not finish" in told


def test_a_limited_run_is_told(here, capsys):
    log = read_eval_log("logs/sums_galleon.eval")
    log.samples, log.eval.config.limit = log.samples[:9], 9
    write_eval_log(log, "logs/sums_galleon.eval")
    _, told, _ = start(capsys, *pair("sums"))
    assert "has 9 of 24 questions of its dataset, as its run was limited" in told
    (samples,) = Path("logs/galleon").glob("samples_sums_written*")
    rows = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    kept = [json.dumps(row) for row in rows if row["doc_id"] < 5]
    samples.write_text("\n".join(kept), encoding="utf-8")
    files = [str(path) for path in Path("logs").glob("*/samples_sums_written*")]
    _, told, _ = start(capsys, *files, "--score", "exact_match,strict", "--name", "x")
    assert "has 5 of the 24 questions of its task" in told


def test_what_groups_the_questions_is_a_cell(here, capsys):
    _, told, _ = start(capsys, *pair("sums"))
    assert "none (--cluster COL, of those in columns.csv, names what groups them" in told
    table = Path("evals_codebook/columns.csv")
    text = table.read_text("utf-8-sig")
    for use, words in (("topic", "groups of questions: 6, by passage"), ("weight", "write ignore")):
        table.write_text(text.replace("passage,ignore", f"passage,{use}"), encoding="utf-8")
        _, told, refused = start(capsys, *pair("sums"), "--force")
        assert words in told + refused
    assert "of logs none" in " ".join(started_help().split())


def test_json_logs_in_a_folder_are_found(here, capsys):
    Path("json").mkdir()
    for path in pair("sums"):
        write_eval_log(read_eval_log(path), f"json/{Path(path).stem}.json")
    Path("json/other.json").write_text("{}", encoding="utf-8")
    status, told, _ = start(capsys, "json", "--cluster", "passage")
    assert status == 0 and "sums: 2 files of inspect_ai" in told


def started_help() -> str:
    """Return what ``start --help`` says."""
    from click.testing import CliRunner

    from fidelity_study.app.start.command import start as command

    return CliRunner().invoke(command, ["--help"]).output


def test_what_a_log_states_otherwise_is_told(here, capsys):
    status, told, _ = start(capsys, *pair("sums_reduced"), "--name", "mean")
    assert status == 0
    assert "  note: logs/sums_reduced_galleon.eval states accuracy 0.833 by median, " in told
    assert "accuracy 0.944 by pass_at_2, and the mean of its scores is 0.778" in told
