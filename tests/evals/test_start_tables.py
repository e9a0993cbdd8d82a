"""The command ``start`` on tables of scores: what it takes from them, asks, writes and refuses."""

import csv
import re
import shlex
from io import StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from fidelity_study.__main__ import main
from fidelity_study.config.study import Study
from fidelity_study.reading.evals.direction import of_table
from fidelity_study.reading.evals.read import read_eval
from fidelity_study.reading.evals.samples import mean_score
from fidelity_study.reading.evals.score_tables import words_of

GENERATOR = np.random.default_rng(5)
MODELS = {"gpt-4o": 0.8, "claude-3": 0.7, "llama-3-8b": 0.4}
ITEMS = [f"item {i}" for i in range(20)]
RIGHT = pd.DataFrame({m: (GENERATOR.random(20) < p).astype(int) for m, p in MODELS.items()}, ITEMS)
SHARES = pd.DataFrame({m: GENERATOR.random(20).round(3) for m in MODELS}, ITEMS)
LETTERED = RIGHT.set_axis([f"Assistant {letter}" for letter in "ABC"], axis=1)
LARGE = RIGHT.rename(columns={"gpt-4o": "Mistral Large"})
TOPICS = ["a", "b", "c", "d"] * 5
WIDE, LONG = "table.csv", "scores.csv"


def wide(table: pd.DataFrame, **columns) -> str:
    return table.rename_axis("item").reset_index().assign(**columns).to_csv(index=False)


def long(table: pd.DataFrame, score: str = "score", model: str = "model", **columns) -> str:
    rows = table.rename_axis("question_id").reset_index().assign(**columns)
    melted = rows.melt(["question_id", *columns], var_name=model, value_name=score)
    return melted.to_csv(index=False)


def of_one(model: str, score: str = "is_correct", values: pd.DataFrame = RIGHT) -> str:
    rows = pd.DataFrame({"id": ITEMS, "prompt": [f"How much is {i}?" for i in range(20)]})
    return rows.assign(response="4", **{score: values[model].to_numpy()}).to_csv(index=False)


def words(right: str, wrong: str) -> pd.DataFrame:
    return RIGHT.replace({1: right, 0: wrong}).astype(str)


def samples() -> str:
    """Return two samples of each question by points, of which some are missing."""
    points = pd.DataFrame({m: GENERATOR.integers(2, 11, 40) for m in MODELS}, ITEMS * 2)
    rows = points.rename_axis("prompt_id").reset_index().assign(run=[1] * 20 + [2] * 20)
    melted = rows.melt(["prompt_id", "run"], var_name="model", value_name="rating").astype(object)
    melted.loc[::17, "rating"] = np.nan
    return melted.to_csv(index=False)


SAMPLES = samples()
OF_SAMPLES = pd.read_csv(StringIO(SAMPLES)).groupby(["model", "prompt_id"])["rating"]
WHICH, TOP, TOPIC = "questions direction higher", "questions upper 10", "columns use topic"
CASES = {
    "a column for each model": ({WIDE: wide(RIGHT, topic=TOPICS)}, RIGHT, *(TOPIC, WHICH)),
    "models with their providers, beside numbers of items": (
        {
            WIDE: wide(RIGHT.add_prefix("some/").set_index(pd.Index(range(20)))).replace(
                "item", "id"
            )
        },
        RIGHT.add_prefix("some/"),
        WHICH,
    ),
    "models without numbers beside prompts": (
        {WIDE: wide(LARGE, Prompt=ITEMS).replace("item,", "ID,")},
        LARGE,
        WHICH,
    ),
    "benchmarks": ({WIDE: wide(RIGHT).replace("item,", "benchmark,")}, RIGHT, WHICH),
    "a row for each answer": ({LONG: long(SHARES, topic=TOPICS)}, SHARES, TOPIC),
    "percentages": ({WIDE: wide((SHARES * 100).map("{:.1f}%".format))}, SHARES, WHICH),
    "numbers of a hundred": (
        {WIDE: wide((SHARES * 100).round(1))},
        SHARES * 100,
        *("questions lower 0", "questions upper 100", WHICH),
    ),
    "losses": (
        {LONG: long(SHARES, "brier", "model_name")},
        SHARES,
        *("questions lower 0", "questions upper 1"),
    ),
    "times, and errors that there were none of": (
        {LONG: long(RIGHT, "correct", latency_s=1.5, error="")},
        RIGHT,
    ),
    "a scorer's words": (
        {LONG: long(words("C", "I"), "score_choice", error="")},
        RIGHT,
    ),
    "JSON Lines": (
        {
            "runs.jsonl": pd.read_csv(StringIO(long(RIGHT, "em"))).to_json(
                orient="records", lines=True
            )
        },
        RIGHT,
    ),
    "a topic that is called subject": (
        {WIDE: wide(RIGHT, subject=["anatomy", "virology"] * 10)},
        RIGHT,
        WHICH,
    ),
    "systems with letters": ({WIDE: wide(LETTERED).replace("item,", "task,")}, LETTERED, WHICH),
    "errors": ({LONG: long(1 - RIGHT, "error", "system")}, 1 - RIGHT),
    "what may be a loss": ({LONG: long(RIGHT, "hallucinated")}, RIGHT, "questions direction lower"),
    "a file for each model": ({f"{m}.csv": of_one(m) for m in MODELS}, RIGHT),
    "words": ({LONG: long(words("CORRECT", "INCORRECT"), "grade")}, RIGHT),
    "letters": ({WIDE: wide(words("C", "I"))}, RIGHT),
    "truths": ({LONG: long(words("True", "False"), "is_correct")}, RIGHT),
    "yes and no": ({LONG: long(words("yes", "no"), "verdict")}, RIGHT, WHICH),
    "a title above, and means below": (
        {
            WIDE: "Results of November;;;\n;;;\n"
            + pd.concat([RIGHT, RIGHT.mean().to_frame("Average").T])
            .rename_axis("Question")
            .to_csv(sep=";")
        },
        RIGHT,
        WHICH,
    ),
    "points of two samples": (
        {LONG: SAMPLES},
        OF_SAMPLES.mean().unstack(0),
        *("questions lower 0", TOP, WHICH),
    ),
}
LOWER = {"losses", "errors", "what may be a loss"}


def written(files: dict[str, str]) -> list[str]:
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    return list(files)


def started(capsys, *arguments: str) -> tuple[int, str]:
    """Return the exit status, and what is printed."""
    status = main(["start", *arguments])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def cells(table: str) -> list[dict[str, str]]:
    (path,) = Path().glob(f"*_codebook/{table}.csv")
    return list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))


def change(name: str, table: str, cell: str, wanted: str) -> None:
    """Change the first such cell of a codebook."""
    path = Path(f"{name}_codebook/{table}.csv")
    path.write_text(path.read_text("utf-8-sig").replace(cell, wanted, 1), "utf-8")


def open_cells() -> list[str]:
    """Return table, column and proposal of the cells that nobody has decided."""
    left = []
    for table in ("columns", "questions", "labels"):
        for row in cells(table):
            names = [name for name, cell in row.items() if cell == "?" and name != "decided by"]
            proposed = zip(names, row["proposal"].split(" | "), strict=False)
            left += [" ".join(filter(None, [table, *each])) for each in proposed]
    return left


def evals() -> dict[str, dict]:
    """Return the evals of the config that was written, complete."""
    (path,) = Path().glob("*.yaml")
    (evaluation,) = Study(yaml.safe_load(path.read_text("utf-8"))).evaluations.values()
    return evaluation["evals"]


def means(name: str, settings: dict) -> tuple[dict[str, float], set[str | None]]:
    """Return the mean score of each model, and which score is better."""
    by_model: dict[str, list] = {}
    logs = read_eval(name, settings)
    for sample in (sample for log in logs for sample in log.samples):
        by_model.setdefault(sample.model, []).append(sample)
    return {m: mean_score(of) for m, of in by_model.items()}, {log.better for log in logs}


def taken(capsys, *arguments: str) -> tuple[str, dict, dict[str, float]]:
    """Start; return what is printed, the settings of the only eval, and each model's mean."""
    status, told = started(capsys, *arguments)
    assert status == 0, told
    ((name, settings),) = evals().items()
    return told, settings, means(name, settings)[0]


@pytest.mark.parametrize("case", CASES)
def test_tables_of_scores_become_an_evaluation(here, capsys, case):
    files, truth, *asked = CASES[case]
    paths = written(files)
    if asked:
        status, told = started(capsys, *paths)
        assert status == 3 and not list(here.glob("*.yaml"))
        assert open_cells() == asked and "Decide " in told
    status, told = started(capsys, *paths, "--accept")
    assert status == 0, told
    assert open_cells() == []
    ((name, settings),) = evals().items()
    as_read, which = means(name, settings)
    assert as_read == pytest.approx(
        dict(truth.mean()), abs=6e-4 if "%" in files[paths[0]] else 1e-9
    )
    assert which == {"lower" if case in LOWER else "higher"}
    for model, mean in as_read.items():
        assert f"{model}: 20 questions" in told and f"{mean:.3f} on average" in told


def test_what_groups_questions_is_named_by_a_cell(here, capsys):
    text = long(SHARES, topic=TOPICS)
    rows = [f"{row},{at % 7},{at % 5 + 3}" for at, row in enumerate(text.splitlines()[1:])]
    paths = written({LONG: f"{text.splitlines()[0]},reply,reference\n" + "\n".join(rows)})
    assert started(capsys, *paths)[0] == 3 and open_cells() == [TOPIC]
    change("scores", "columns", "topic,?", "topic,ignore")
    _, told = started(capsys, *paths)
    assert "of those in columns.csv" in told and not next(iter(evals().values()))["cluster"]
    change("scores", "columns", "topic,ignore", "topic,topic")
    told, settings, _ = taken(capsys, *paths, "--force")
    assert "groups of questions: 4, by topic" in told
    assert "decided by you (1): scores.csv, topic: topic" in told
    assert settings["cluster"] == "topic"


def test_words_that_nobody_knows_are_asked_for(here, capsys):
    paths = written({LONG: long(words("good", "bad"), "score")})
    for _ in range(2):
        status, told = started(capsys, *paths, "--accept")
        assert status == 3 and "good: say what score it stands for, or missing" in told
    change("scores", "labels", "bad,?", "bad,missing")
    change("scores", "labels", "good,?", "good,1")
    _, settings, as_read = taken(capsys, *paths)
    assert settings["recode"] == {"good": 1, "bad": "missing"}
    assert set(as_read.values()) == {1.0}
    change("scores", "labels", "good,1", "good,fine")
    status, told = started(capsys, *paths, "--force")
    assert status == 1 and "'fine' is no score; write a number, or missing" in told


def test_of_several_columns_of_scores_one_counts(here, capsys):
    paths = written({LONG: long(RIGHT, "correct").replace("correct", "log_loss,correct", 1)})
    text = Path(LONG).read_text("utf-8").splitlines()
    rows = [text[0], *(line.replace(line[-2:], f",0.25{line[-2:]}") for line in text[1:])]
    Path(LONG).write_text("\n".join(rows), encoding="utf-8")
    status, _ = started(capsys, *paths)
    assert status == 3
    asked = [cell for cell in open_cells() if cell.startswith("columns")]
    assert asked == ["columns use", "columns use"]
    table = Path("scores_codebook/columns.csv")
    chosen = table.read_text("utf-8-sig").replace("correct,?", "correct,score")
    for cell, option in ((chosen, ()), ("", ("--score", "correct"))):
        table.write_text(cell, encoding="utf-8")
        _, settings, as_read = taken(capsys, *paths, *option, "--force")
        assert settings["columns"]["score"] == "correct"
        assert as_read == pytest.approx(dict(RIGHT.mean()))


def test_columns_of_any_name_are_models_scores_where_they_are_named(here, capsys):
    paths = written({WIDE: wide(RIGHT.set_axis(["A", "B", "C"], axis=1))})
    chosen = [part for name in "AB" for part in ("--score", name)]
    _, _, as_read = taken(capsys, *paths, *chosen, "--better", "higher")
    assert list(as_read) == ["A", "B"]


ARMS = "conversation_id,user_id,variant,resolved\n" + "".join(
    f"{at},u{at // 4},{'ab'[at // 4 % 2]},{'yes' if at % 3 else 'no'}\n" for at in range(40)
)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (ARMS, ("--accept",)),
        (ARMS, ("--simulator", "variant", "--cluster", "user_id")),
        (ARMS.replace("variant", "arm"), ("--simulator", "arm")),
    ],
)
def test_models_of_different_questions_are_compared_as_two_samples(here, capsys, text, arguments):
    paths = written({"export.csv": text})
    score = ("--score", "resolved", "--better", "higher")
    status, told = started(capsys, *paths, *score, *arguments)
    assert status == 0, told
    assert "a: 20 questions" in told and "compared as independent samples of questions" in told
    (evaluation,) = Study(
        yaml.safe_load(Path("export.yaml").read_text("utf-8"))
    ).evaluations.values()
    assert evaluation["unpaired"] is True


@pytest.mark.parametrize("score", ["is_correct", "outcome"])
def test_files_of_pandas_with_one_column_of_scores_are_asked_about(here, capsys, score):
    for model in ("base", "tuned"):
        right = RIGHT["gpt-4o"].astype(bool).to_numpy() ^ (model == "base")
        pd.DataFrame({"area": TOPICS, score: right}).to_csv(f"{model}.csv")
    files = ("base.csv", "tuned.csv")
    assert started(capsys, *files)[0] == 3
    assert {*open_cells()} >= {"columns use score", "columns use question"}
    _, settings, as_read = taken(capsys, *files, "--accept")
    assert settings["columns"] == {"question": "index", "score": score}
    right = RIGHT["gpt-4o"].mean()
    assert as_read == pytest.approx({"base": 1 - right, "tuned": right})
    change("base", "columns", f"{score},score", f"{score},question")
    assert "people: 20 for each question" in started(capsys, *files, "--accept", "--force")[1]


@pytest.mark.parametrize(
    ("columns", "arguments"),
    [
        ("faithfulness,recall", ("--score", "faithfulness", "--score", "recall")),
        ("one,two", ("--score", "one", "--score", "two")),
    ],
)
def test_several_metrics_of_a_file_for_each_model_are_no_models(here, capsys, columns, arguments):
    rows = "".join(f"q{at},0.{at},0.5\n" for at in range(9))
    paths = written(dict.fromkeys(("bm25.csv", "dense.csv"), f"user_input,{columns}\n{rows}"))
    status, told = started(capsys, *paths, *arguments)
    assert status == 1 and "these may be several metrics" in told


def test_each_table_of_several_models_is_an_eval(here, capsys):
    paths = written({"sums.csv": long(RIGHT), "facts.csv": long(SHARES)})
    assert started(capsys, *paths)[0] == 0
    assert list(evals()) == ["sums", "facts"]


SYSTEMS = "".join(f"{row}\n" for row in ("id,a,b", "1,3,4", "2,4,4"))


@pytest.mark.parametrize(
    ("text", "arguments", "words"),
    [
        (long(RIGHT), ("--kind", "binary"), "as tables of scores do"),
        (long(RIGHT.rename(columns={"gpt-4o": "human"})), (), "as tables of scores do"),
        (long(SHARES).replace(",0.", ",0.x", 1), (), "say what score it stands for"),
        (long(RIGHT) + "item 0,gpt-4o,1\n", (), "is there twice"),
        (
            long(RIGHT, note=""),
            ("--score", "note", "--better", "higher"),
            "none of its samples has a score",
        ),
        (SYSTEMS, ("--score", "a", "b"), "b: no files, but columns of scores.csv; name --score"),
        (SYSTEMS, ("--better", "lower"), "--better: of models' scores, and no column is known"),
        (
            long((SHARES * 100).map("{:.0f}%".format)).replace("%", "", 1),
            ("--accept", "--range", "0", "100"),
            "per cent",
        ),
        (long(RIGHT, "helpfulness"), (), "--score COL, as in docs/howto/evaluations.md"),
        (long(RIGHT, model="kind"), ("--score", "score"), "name it: --simulator COL"),
        (long(RIGHT), ("--score", "score", "--simulator", "arm"), "has no column 'arm'"),
        (long(RIGHT, "value").replace("question_id", "task"), (), "name their scores: --score"),
        *(
            (long(RIGHT, score, **{name: cells * 10}), arguments, "for one each, make a file each")
            for score, name, cells, arguments in (
                ("value", "metric", ["acc", "brier_score"], ()),
                ("outcome", "Metric", ["acc", "bits_per_byte"], ("--score", "outcome")),
                ("score", "Direction", ["\u2191", "\u2193"], ("--accept",)),
            )
        ),
    ],
)
def test_what_is_refused(here, capsys, text, arguments, words):
    (path,) = written({LONG: text})
    status, told = started(capsys, path, *arguments)
    assert status in (1, 3) and words in told
    assert not list(here.glob("*.yaml"))


SURVEY = "id,ai_trust,ai_use,llm_use\n" + "".join(f"p{i},{i % 5},{i % 4},1\n" for i in range(9))
OF_PERSONS = "id,correct\n" + "".join(f"p{i},{i % 2}\n" for i in range(9))
PHONES = "model,rating,id\n" + "".join(f"{m},{i % 5},p{i}\n" for i in range(9) for m in "AB")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "files",
    [
        {WIDE: wide(RIGHT.rename(columns={"gpt-4o": "people"}))},
        {"human.csv": OF_PERSONS, "gpt-4.csv": OF_PERSONS},
        {"wave1.csv": OF_PERSONS, "wave2.csv": OF_PERSONS},
        {"survey.csv": SURVEY},
        {"survey.csv": PHONES},
        {"survey.csv": "person_id,variant,score\n" + "".join(f"{i},{i % 2},1\n" for i in range(9))},
        {"p.csv": "question_id,yes,no\n" + "".join(f"q{i},0.{i},0.{9 - i}\n" for i in range(9))},
        {"survey.csv": SURVEY.replace("ai_trust,ai_use,llm_use", "math_score,read_score,x")},
    ],
)
def test_answers_of_people_are_no_scores(here, capsys, files):
    """Questions on models, ratings of products, and turned answers with people in them."""
    assert "on average" not in started(capsys, *written(files))[1]


def test_other_numbers_of_the_same_models_are_no_scores(here, capsys):
    for sign, other in (("_", "tokens"), ("/", "latency_s"), (".", "output_tokens")):
        others = {f"{m}{sign}{other}": SHARES[m].to_numpy() for m in MODELS}
        (path,) = written({WIDE: wide(RIGHT.add_suffix(f"{sign}correct"), **others)})
        told, _, as_read = taken(capsys, path, "--better", "higher", "--force")
        assert f"{other}:" not in told and told.count(" on average") == len(MODELS)
        assert list(as_read) == [f"{m}{sign}correct" for m in MODELS]


def test_a_column_that_may_be_a_models_is_asked_about(here, capsys):
    more = {"ours": RIGHT["gpt-4o"].to_numpy(), "Average": RIGHT["gpt-4o"].to_numpy()}
    (path,) = written({WIDE: wide(RIGHT, **more, year=2025)})
    status, told = started(capsys, path, "--better", "higher")
    assert status == 3 and open_cells() == ["columns use score"]
    assert "ours: may be scores, too" in told
    change("table", "columns", "ours,?", "ours,score")
    assert list(taken(capsys, path, "--better", "higher")[2]) == [*MODELS, "ours"]
    change("table", "columns", "ours,score", "ours,ignore")
    assert list(taken(capsys, path, "--better", "higher", "--force")[2]) == [*MODELS]


def test_a_sheet_that_is_named_by_an_option_and_cells_make_scores_of_a_survey(here, capsys):
    rows = [(f"A{i}", m, j, 1 + i % 7, 2) for i in range(9) for m in "xy" for j in "pq"]
    table = pd.DataFrame(rows, columns=["Article", "System", "Judge", "Style (1-7)", "Fun (1-7)"])
    with pd.ExcelWriter("book.xlsx") as book:
        table.to_excel(book, sheet_name="Key", index=False)
        table.to_excel(book, sheet_name="Some", index=False)
    by_option = ("book.xlsx", "--sheet", "Some", "--score", "Style (1-7)", "--name", "a")
    by_cells = ("book.xlsx#Some", "--name", "b")
    started(capsys, *by_cells)
    for name, use in (("Article", "question"), ("System", "simulator"), ("Style (1-7)", "score")):
        path = Path("b_codebook/columns.csv")
        text = re.sub(rf"(#Some,{re.escape(name)}),[^,]*", rf"\1,{use}", path.read_text("utf-8"))
        path.write_text(text, "utf-8")
    for arguments in (by_option, by_cells):
        assert started(capsys, *arguments, "--accept")[0] == 0
    one, other = (yaml.safe_load(Path(f"{n}.yaml").read_text("utf-8")) for n in "ab")
    assert one["evaluations"]["a"]["evals"] == other["evaluations"]["b"]["evals"]
    (settings,) = other["evaluations"]["b"]["evals"].values()
    parts = {"question": "Article", "model": "System", "epoch": "Judge", "score": "Style (1-7)"}
    assert settings["columns"] == parts and settings["range"] == [1, 7]


def test_a_total_below_is_left_out_and_no_score(here, capsys):
    total = RIGHT.sum().to_frame("Total").T
    (path,) = written({WIDE: wide(pd.concat([RIGHT, total]))})
    told, settings, as_read = taken(capsys, path, "--accept")
    assert "has means of its rows: 'Total'; not read" in told
    assert as_read == pytest.approx(dict(RIGHT.mean()))
    assert settings["range"] == [0, 1]


def test_a_question_that_is_called_a_total_is_one(here, capsys):
    renamed = SHARES.rename(index={ITEMS[-1]: "total"})
    (path,) = written({WIDE: wide(renamed)})
    assert taken(capsys, path, "--accept")[2] == pytest.approx(dict(SHARES.mean()))


def test_an_option_counts_more_than_what_was_accepted(here, capsys):
    (path,) = written({LONG: long(RIGHT, "rating")})
    assert started(capsys, path, "--accept")[0] == 0
    _, settings, _ = taken(capsys, path, "--better", "lower", "--range", "0", "2", "--force")
    assert (settings["better"], settings["range"]) == ("lower", [0, 2])


def test_a_first_column_without_a_name_has_the_questions(here, capsys):
    nameless = wide(SHARES, question="What is this?").replace("item,", ",", 1)
    told, settings, as_read = taken(capsys, *written({WIDE: nameless}), "--accept")
    assert "its first column has no name, and another text in each row" in told
    assert settings["columns"]["question"] == "id"
    assert as_read == pytest.approx(dict(SHARES.mean()))


def test_a_number_of_the_row_is_no_question(here, capsys):
    rows = long(SHARES).splitlines()
    numbered = [f"index,{rows[0]}", *(f"{i},{row}" for i, row in enumerate(rows[1:]))]
    _, settings, _ = taken(capsys, *written({LONG: "\n".join(numbered)}))
    assert settings["columns"]["question"] == "question_id"


def test_at_a_terminal_enter_takes_what_is_proposed(here, capsys, monkeypatch):
    monkeypatch.setattr("fidelity_study.app.start.flow.is_terminal", lambda: True)
    monkeypatch.setattr("click.confirm", lambda *_, **__: False)
    asked = []
    monkeypatch.setattr(
        "click.prompt", lambda text, default, **_: asked.append((text, default)) or default
    )
    (path,) = written(CASES["points of two samples"][0])
    _, settings, _ = taken(capsys, path)
    assert [text.partition(" of ")[0] for text, _ in asked] == ["lower", "upper", "direction"]
    assert (settings["range"], settings["better"]) == ([0, 10], "higher")


def test_scores_in_a_codebook_of_answers_are_refused(here, capsys):
    files = written({"human.csv": "q1,q2\n1,0\n0,1\n1,1\n", "llm.csv": "q1,q2\n1,0\n0,1\n1,0\n"})
    assert started(capsys, *files)[0] == 0
    change("human", "columns", ",question", ",epoch")
    status, told = started(capsys, *files, "--force")
    assert status == 1 and "is of tables of scores, and human.csv has answers" in told


@pytest.mark.parametrize(
    ("name", "better"),
    [
        *((name, "higher") for name in ("score", "is_correct", "accuracy", "exact_match", "pass")),
        *((name, "lower") for name in ("loss", "log_loss", "errorRate", "Brier score", "ppl")),
        *((name, None) for name in ("log_score", "toxicity_score", "accuracy_loss", "rating")),
    ],
)
def test_the_direction_by_a_columns_name(name, better):
    assert of_table(name) == better


@pytest.mark.parametrize(
    ("file", "score", "columns", "better"),
    [
        ("results.csv", "value", {"metric": "brier_score"}, "lower"),
        ("results.csv", "value", {"metric": "acc_norm"}, "higher"),
        ("results.csv", "score", {"Metric": "bits_per_byte", "Direction": "\u2193"}, "lower"),
        ("results.csv", "score", {"higher_is_better": "False"}, "lower"),
        *(
            ("results.csv", "score", {column: word}, better)
            for column, word, better in (
                ("higher_is_better", "yes", "higher"),
                ("lower_is_better", "TRUE", "lower"),
                ("direction", "Lower is better", "lower"),
                ("better", "higher is better", "higher"),
                ("direction", "descending", "?"),
            )
        ),
        ("wer.csv", "value", {"metric": "wer"}, "lower"),
        ("toxic_frac.csv", "value", {"metric": "toxic_frac"}, "?"),
        ("brier_score.csv", "value", {}, "lower"),
        ("exact_match.csv", "value", {}, "?"),
        ("errors.csv", "accuracy", {}, "higher"),
    ],
)
def test_the_direction_by_metric_file_and_a_column(here, capsys, file, score, columns, better):
    (path,) = written({file: long(SHARES, score, **columns)})
    status, told = started(capsys, path, "--score", score, "--range", "0", "1")
    assert status == (3 if better == "?" else 0), told
    assert cells("questions")[0]["direction"] == better


@pytest.mark.parametrize(
    ("file", "columns", "proposed"),
    [
        ("toxic_frac.csv", {"metric": "toxic_frac"}, "lower"),
        ("runtime.csv", {"metric": "runtime"}, ""),
        ("results.csv", {"metric": "loss", "direction": "descending"}, ""),
    ],
)
def test_a_direction_is_proposed_only_by_what_a_metric_says(here, capsys, file, columns, proposed):
    (path,) = written({file: long(RIGHT, "value", **columns)})
    status, _ = started(capsys, path, "--score", "value", "--range", "0", "1")
    assert status == 3 and open_cells() == [f"questions direction {proposed}".strip()]


def test_each_metric_of_a_table_is_an_eval_once_it_has_a_file(here, capsys):
    made = {name: long(SHARES, "value", metric=name) for name in ("acc", "brier_score")}
    paths = written({f"{name}.csv": text for name, text in made.items()})
    assert started(capsys, *paths, "--accept")[0] == 0
    assert {name: settings["better"] for name, settings in evals().items()} == {
        "acc": "higher",
        "brier_score": "lower",
    }


def test_losses_with_a_decimal_comma_are_read(here, capsys):
    values = {m: [f"{1 + at % 7 / 4:g}".replace(".", ",") for at in range(20)] for m in MODELS}
    texts = {m: "\n".join(f"{at};{text}" for at, text in enumerate(values[m])) for m in MODELS}
    paths = written({f"{m}.csv": f"doc_id;loss\n{texts[m]}\n" for m in MODELS})
    assert started(capsys, *paths, "--score", "loss", "--separator", ";")[0] == 1
    _, _, as_read = taken(capsys, *paths, "--decimal", ",", "--range", "0", "9")
    mean = np.mean([1 + at % 7 / 4 for at in range(20)])
    assert as_read == pytest.approx(dict.fromkeys(MODELS, mean))


@pytest.mark.parametrize("signs", [".,", ",."])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_numbers_with_thousands_and_decimals_are_read(here, capsys, separator, signs):
    values = {
        m: [90.5 * (at + 1) * (place + 3) for at in range(20)] for place, m in enumerate("xy")
    }
    table = pd.DataFrame({"item": ITEMS, **{f"gpt-{m}": values[m] for m in "xy"}})
    texts = table.map(lambda v: v if isinstance(v, str) else f"{v:,.1f}")
    plain = str.maketrans(",.", signs)
    texts.iloc[:, 1:] = texts.iloc[:, 1:].map(lambda text: text.translate(plain))
    name = "table.tsv" if separator == "\t" else WIDE
    texts.to_csv(name, sep=separator, index=False)
    told, _, as_read = taken(capsys, name, "--better", "higher", "--range", "0", "9999")
    assert "before decimals" in told
    assert as_read == pytest.approx({f"gpt-{m}": np.mean(values[m]) for m in "xy"})


def test_letters_of_two_meanings_are_none():
    assert words_of(["P", "F"]) == {"p": 1.0, "f": 0.0}
    assert words_of(["P", "C"]) == {"p": 0.5, "c": 1.0}
    assert (
        words_of(["P", "N"]) == {}
        and words_of(["P", ""]) == {}
        and words_of(["correct", "yes"]) == {}
    )


# name | columns | a row for each question and who | who | cells that are asked about | options
TABLE = """
a judge's ratings of systems | prompt_id,system,judge,rating |
  p{at},{m},{judge},{1 + (at + len(m + judge)) % 5} | m=base tuned judge=ann bea |
  columns use epoch; columns use score; questions direction higher; questions lower 1;
  questions upper 5
a number that may stand for none | task_id,model,score | {at},{m},{-1 if at == 3 else at % 2} |
  m=x y | labels means missing
a loss without an end | id,model,nll | {at},{m},{at % 7 / 2} | m=x y |
  questions lower 0; questions upper inf
shares of models, in a column of any name | model,seed,task_id,unit_tests |
  m{m},{run},t{at},{at % 7 * int(m) + int(run)}.5% | m=1 2 run=0 1 |
  columns use score; questions direction higher
several metrics of each model | example_id,base/nll,lora/nll,base/brier,lora/brier |
  {at},{at}.5,{at}.25,0.{at},0.1 | | columns use
a score whose name has its ends | Article,System,Judge,Fun (1-10),Style (1-10) |
  A{at},{m},{judge},{2 + at % 7},{3 + at % 5} | m=a b judge=x y |
  columns use epoch; questions direction higher | --score 'Fun (1-10)'
word errors, as wer | id,model,wer | {at},{m},{at % 7 / 8} | m=x y |
  questions lower 0; questions upper inf
word errors, as CER | id,model,CER | {at},{m},{at % 7}.5% | m=x y |
  questions lower 0; questions upper inf
word errors, as Word Error Rate (%) | id,model,Word Error Rate (%) | {at},{m},{at % 7 * 20} |
  m=x y | questions lower 0; questions upper inf
a loss with its sign turned | id,model,loss | {at},gpt-{m},{-1 - at % 7 / 2} | m=4 5 |
  questions direction higher; questions lower; questions upper
what is free of errors | id,model,error_free | {at},{m},{at % 3 < 2} | m=x y |
  columns use score; questions direction higher
shares of models without versions | case_ref,gpt,claude | c{at},{at % 7 / 7:.3f},{at % 5 / 5} | |
  questions direction higher
shares of a model and another | case_ref,gpt-4o,ours | c{at},{at % 7 / 7:.3f},{at % 5 / 5} | |
  columns use score; questions direction higher
ranks of models | question_id,model,rank | {at},{m},{1 + (at + ord(m)) % 3} | m=x y z |
  columns use score; questions direction lower; questions lower 1; questions upper 3
variants of a prompt, each run twice | item_id,variant,run,judge_model,judge_score |
  {at},v{m},{run},judge,{(at + int(m)) % 2} | m=1 2 run=a b | columns use simulator
a conversation of each variant | conversation_id,variant,score | {at},{'ab'[at % 2]},{at % 3 % 2} |
  | columns use simulator
columns of models and one metric | sample,lgbm_abs_error,catboost_abs_error |
  {at},{at % 7 / 2},{at % 5 / 2} | |
  columns use score; questions direction lower; questions lower; questions upper
recognisers of speech beside utterances | utt_id,speaker,seconds,n_words,whisper-small,wav2vec2 |
  u{at},s{at // 5},{at + 0.5},{at},{at % 7 / 5},{at % 4 / 8} | |
  columns use score; questions direction higher; questions lower 0; questions upper
recognisers beside numbers of any size, in a file called after a loss |
  id,speaker,audio,n_words,whisper,parakeet |
  u{at},s{at // 5},{at + 9.5},{at},{at % 7 / 5},{at % 4 / 8} | | columns use; columns use score
systems of which one is named | id,length,one,another,f1 |
  u{at},{at + 9.5},{at % 7 / 8},{at % 4 / 8},{at % 3 / 4} | | columns use | --score one
benchmarks beside ids | benchmark,id,model,correct | {'ab'[at % 2]},{at},{m},{at % 3 % 2} | m=x y |
  columns use ignore
ids that begin anew in each task | task,idx,model,correct | {task},{at},{m},{at % 2} |
  task=a b m=x y | columns use question
words of passing beside times and costs | task_id,model,run,status,latency_ms,cost_usd |
  {at},{m},{run},{('PASS', 'FAIL', 'PASS', 'TIMEOUT')[(at + int(run)) % 4]},7{at},0.1 |
  m=x y run=0 1 | columns use score; labels means
criteria of a rubric, and their total | prompt_id,model,accuracy,clarity,total,judge,n_turns |
  {at},gpt-{m},{1 + at % 5},{1 + at % 3},{2 + at % 5 + at % 3},one,{1 + at % 4} | m=4 5 |
  columns use ignore; columns use score; questions direction higher; questions lower 0;
  questions upper
criteria from 0 to 1, and their total | prompt_id,model,accuracy,clarity,overall |
  {at},gpt-{m},{at % 5 / 4},{at % 3 / 2},{(at % 5 / 4 + at % 3 / 2) / 2:g} | m=4 5 |
  columns use ignore; columns use score; questions direction higher
criteria that are met or not, and their total | prompt_id,model,accuracy,clarity,total |
  {at},gpt-{m},{at % 2},{at % 3 % 2},{at % 2 + at % 3 % 2} | m=4 5 |
  columns use ignore; columns use score; questions direction higher; questions lower 0;
  questions upper
metrics, of which one is called Correctness [GEval] | id,model,Correctness [GEval],Faithfulness |
  c{at},{m},{(at + len(m)) % 7 / 10},{(at + len(m)) % 4 / 3:.2f} | m=gpt-4o claude-3 | columns use
metrics, of which one is called Tonalit\u00e4t | test_case,model,Tonalit\u00e4t,Faithfulness |
  c{at},{m},{(at + len(m)) % 7 / 10},{(at + len(m)) % 4 / 3:.2f} | m=gpt-4o claude-3 | columns use
metrics, of which one is called polite | input,model,polite,Faithfulness |
  c{at},{m},{(at + len(m)) % 3 > 1},{(at + len(m)) % 4 / 3:.2f} | m=gpt-4o claude-3 | columns use
metrics, of which one is called helpfulness_score | task,model,helpfulness_score,Faithfulness |
  c{at},{m},{1 + (at + len(m)) % 5},{(at + len(m)) % 4 / 3:.2f} | m=gpt-4o claude-3 | columns use
an id within documents | model,seed,doc_id,chunk_id,score | {m},{run},d{at // 3},c{at},1 |
  m=x y run=1 2 | columns use question
ratings of people beside those of a judge | item_id,Rater: Ann,Rater: Bea,LLM judge |
  i{at},{1 + at % 4},{1 + at % 5},{5 - at % 2} | | columns use |
  --score 'Rater: Ann' --score 'Rater: Bea' --score 'LLM judge'
pass and fail in columns of any name | Test case,Area,v1,v2 |
  T{at},{'ab'[at % 2]},{'Pass' if at % 3 else 'Fail'},Pass | | columns use score
words of a score that is named | Test case,v1,v2 | T{at},{'Blocked' if at == 2 else 'Pass'},Fail | |
  labels means | --score v1 --score v2
an error among a model's scores | item,gpt-4o,claude-3 |
  {at},{at % 2},{at % 3 % 2 if at else 'timeout'} | | labels means | --better higher
"""


def filled(row: str, who: str) -> list[str]:
    """Return a row's text for each of 20 questions, and each of those whom ``who`` names."""
    named = {name: some.split() for name, some in re.findall(r"(\w+)=([^=]+)(?= \w+=|$)", who)}
    pairs = product(range(20), *named.values())
    return [eval(f"f{row!r}", dict(zip(("at", *named), pair, strict=True))) for pair in pairs]


def in_table(table: str) -> dict[str, tuple[str, str, list[str]]]:
    """Return by the cases' names the text of each file, what is asked, and options."""
    cases = {}
    for line in table.replace("\n  ", " ").strip().splitlines():
        name, columns, row, who, asked, options, *_ = map(str.strip, f"{line} | ".split("|"))
        cases[name] = "\n".join([columns, *filled(row, who)]), asked, shlex.split(options)
    return cases


ASKED = in_table(TABLE)


@pytest.mark.parametrize("case", ASKED)
def test_what_a_table_of_scores_does_not_say_is_asked(here, capsys, case):
    text, asked, options = ASKED[case]
    (path,) = written({"wer.csv" if "called after" in case else LONG: text})
    status, told = started(capsys, path, *options)
    assert status == 3 and "decided by you" not in told
    assert "; ".join(sorted({*open_cells()})) == asked


def test_what_is_the_same_for_a_question_or_a_model_is_no_metric(here, capsys):
    rows = [
        f"q{at},{m},{len(m) / 20},{at % 3 / 2},{at % 2 > 0},{at % 5 / 9},{(at + len(m)) % 2}"
        for at in range(20)
        for m in MODELS
    ]
    head = "item,model,temperature,hard,is_adversarial,confidence,correct\n"
    (path,) = written({LONG: head + "\n".join(rows)})
    status, told = started(capsys, path)
    assert status == 0 and "not read: temperature, hard, is_adversarial, confidence" in told


@pytest.mark.parametrize("name", ["doc_id", "item_id", "Dokument-Nr"])
@pytest.mark.parametrize("by_cell", [False, True])
def test_what_groups_questions_names_none(here, capsys, name, by_cell):
    rows = [f"c{at},d{at // 2},{m},{at % 2}" for at in range(20) for m in MODELS]
    (path,) = written({LONG: f"chunk_id,{name},model,score\n" + "\n".join(rows)})
    status, told = started(capsys, path, *(() if by_cell else ("--cluster", name)))
    if by_cell:
        change("scores", "columns", f"{name},ignore", f"{name},topic")
        status, told = started(capsys, path, "--force")
    assert status == 0 and "20 questions" in told and f"10, by {name}" in told
    assert next(iter(evals().values()))["columns"]["question"] == "chunk_id"


@pytest.mark.parametrize(("name", "status"), [("case_ref", 3), ("respondent", 0)])
def test_what_may_be_scores_or_answers_of_people_is_told_as_both(here, capsys, name, status):
    rows = [f"c{at},{at % 3 % 2},{at % 2}" for at in range(20)]
    (path,) = written({WIDE: f"{name},gpt,claude\n" + "\n".join(rows)})
    ended, told = started(capsys, path)
    assert ended == status and ("if these are models' scores" in told) == bool(status)


def test_another_score_than_the_one_proposed_is_one_cell(here, capsys):
    (path,) = written({LONG: ASKED["criteria of a rubric, and their total"][0]})
    started(capsys, path)
    change("scores", "columns", "clarity,?", "clarity,score")
    _, settings, _ = taken(capsys, path, "--range", "0", "10", "--accept")
    assert settings["columns"]["score"] == "clarity"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "Model,Size,MMLU,GSM8K,Average \u2191\na,9B,71.2,80.1,76\nb,8B,66.9,78.2,73\n",
            "for each model, with its means; what is due to chance is known from scores of single "
            "questions: give a row for each model and question; if its columns are such questions, "
            "in pandas, `table.melt(['Model'], ['MMLU', 'GSM8K', 'Average \u2191'], 'question', "
            "'score')`",
        ),
        (
            "prompt_id,model,judge_1,judge_2\n1,a,2,3\n2,a,1,2\n",
            "`table.melt(['prompt_id', 'model'], ['judge_1', 'judge_2'], 'judge', 'rating')`",
        ),
        ("item,model,a,b,judge\n1,x,2,3,j\n1,y,2,3,j\n", "['a', 'b'], 'grader', 'rating')`"),
        ("fold,SVC,Forest\n1,0.81,0.84\n2,0.79,0.85\n", "has scores of folds"),
        ("fold,model,accuracy\n1,a,0.81\n1,b,0.84\n2,a,0.8\n2,b,0.85\n", "cross_val_predict"),
        ("question_id,model_a,model_b,winner\n1,x,y,model_a\n2,x,y,tie\n", "compares two models"),
    ],
)
def test_tables_without_scores_of_questions_are_refused(here, capsys, text, why):
    (path,) = written({LONG: text})
    chosen = ("--score", "a", "--score", "b") if "grader" in why else ()
    status, told = started(capsys, path, *chosen)
    assert status == 1 and why in told


def test_ids_that_begin_anew_in_each_dataset_are_questions_with_it(here, capsys):
    rows = [f"{name},{at},{model},{at % 2}" for name in "ab" for at in range(20) for model in "xy"]
    (path,) = written({LONG: "dataset,idx,model,correct\n" + "\n".join(rows)})
    status, told = started(capsys, path)
    assert status == 3 and "for name, rows in table.groupby('dataset'): rows.to_csv(" in told
    status, told = started(capsys, path, "--accept")
    assert status == 0 and "x: 40 questions, 0.500 on average" in told
