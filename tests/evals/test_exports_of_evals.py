"""The command ``start`` on files of promptfoo, DeepEval, RAGAS, SWE-bench and HumanEval."""

import csv
import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
import yaml
from test_start_tables import cells, evals, means, open_cells, started, taken

from fidelity_study.config.study import Study

pytestmark = pytest.mark.usefixtures("here")

GPT, CLAUDE = "openai:gpt-4o", "anthropic:messages:claude-3-5-haiku-20241022"
METRIC = "columns use"
PROMPTFOO = ["columns use score", "columns use ignore"]
ERROR = "labels means"


def written(files: dict[str, str]) -> list[str]:
    """Write files, also in folders."""
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    return list(files)


def table(rows: list[list]) -> str:
    """Return rows as CSV."""
    text = StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def lines(rows: list[dict]) -> str:
    """Return rows as JSON Lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def results(models: dict[str, list[float]], *, times: int = 1, failed: int = -1) -> list[dict]:
    """Return what promptfoo says of two tests' scores; one may have failed with an error."""
    return [
        {
            "gradingResult": {"pass": score == 1, "componentResults": [{"pass": score == 1}]},
            "prompt": {"raw": f"Answer: {at}", "label": "Answer: {{q}}"},
            "promptIdx": place,
            "provider": {"id": model, "label": ""},
            "response": {"output": "x\ny"},
            "score": score,
            "success": score == 1,
            "failureReason": 2 if at == failed else int(score < 1),
            "testCase": {"vars": {"q": f"q{at}"}, "assert": [{"type": "equals"}]},
            "testIdx": at * times + time,
            "vars": {"q": f"q{at}", "lang": "fr"},
        }
        for at in range(len(next(iter(models.values()))))
        for time in range(times)
        for place, (model, scores) in enumerate(models.items())
        for score in [scores[at]]
    ]


def promptfoo(*args, **more) -> str:
    """Return the same as promptfoo writes it to a file."""
    inner = {"version": 3, "prompts": [{"raw": "x"}], "results": results(*args, **more)}
    return json.dumps(
        {"evalId": "eval-1", "results": {**inner, "stats": {}}, "config": {}}, indent=1
    )


def output(score: float) -> str:
    """Return a cell of promptfoo's older table."""
    return f"[{'PASS' if score == 1 else 'FAIL'}] ({score:.2f})\n\nOne (score 7)\n\nReason: x"


def report(**lists: int) -> str:
    """Return a report of SWE-bench, with a status of so many instances one after another."""
    ids, at = {}, 0
    for name, many in lists.items():
        ids[f"{name}_ids"] = [f"django__django-{i}" for i in range(at, at + many)]
        at += many
    submitted = [one for name in ids if name != "incomplete_ids" for one in ids[name]]
    return json.dumps({"total_instances": at, "submitted_ids": submitted, **ids})


def run_of_tests(model: str, scores: list[float], *, hyper: bool) -> str:
    """Return a test run of DeepEval with two metrics."""
    cases = [
        {
            "name": f"test_case_{at}",
            "input": f"q{at}",
            "expectedOutput": "x",
            "retrievalContext": ["x"],
            "success": score > 0.5,
            "metricsData": [
                {"name": name, "threshold": 0.5, "score": one, "success": True, "reason": "x"}
                for name, one in (("Tone [GEval]", score), ("Faithfulness", 1 - score / 2))
            ],
        }
        for at, score in enumerate(scores)
    ]
    known = {"model": model, "prompt": 3} if hyper else None
    return json.dumps({"testCases": cases, "conversationalTestCases": [], "hyperparameters": known})


SCORES = {GPT: [1, 0.5, 0, 1], CLAUDE: [1, 1, 0.25, 1]}
MEANS = {GPT: 0.625, CLAUDE: 0.8125}
HEADS = [f"[{model}] Answer: {{{{q}}}}" for model in SCORES]
BESIDE = ["Status", "Score", "Named Scores", "Metric: x", "Grader Reason", "Comment"]
PAIRS = [*zip(*SCORES.values(), strict=True)]
RAGAS = ["user_input", "retrieved_contexts", "response", "faithfulness", "context_recall"]
SAMPLES = {"a": [[1, 0, 1], [0, 0, 0]], "b": [[1, 1, 1], [0, 1, 0]]}
CODE = {
    model: lines(
        [
            {
                "task_id": f"HumanEval/{at}",
                "completion": " x\n",
                "result": "x",
                "passed": passed == 1,
            }
            for at, several in enumerate(tasks)
            for passed in several
        ]
    )
    for model, tasks in SAMPLES.items()
}
FILES = {
    "promptfoo": ({"out.json": promptfoo(SCORES)}, MEANS, *PROMPTFOO),
    "promptfoo's JSON Lines": ({"out.jsonl": lines(results(SCORES))}, MEANS, *PROMPTFOO),
    "promptfoo, each test several times": (
        {"out.json": promptfoo(SCORES, times=3)},
        MEANS,
        *PROMPTFOO,
    ),
    "promptfoo, a file a model": (
        {f"{at}.json": promptfoo({model: SCORES[model]}) for at, model in enumerate(SCORES)},
        MEANS,
        *PROMPTFOO,
    ),
    "promptfoo with an error": (
        {"errors.json": promptfoo(SCORES, failed=2)},
        {GPT: 2.5 / 3, CLAUDE: 1.0},
        *(*PROMPTFOO, "labels means missing"),
    ),
    "promptfoo's older table": (
        {
            "out.csv": table(
                [["q", *HEADS], *([f"q{i}", *map(output, p)] for i, p in enumerate(PAIRS))]
            )
        },
        MEANS,
        *PROMPTFOO,
    ),
    "promptfoo's table": (
        {
            "out.csv": table(
                [["q", *(name for head in HEADS for name in (head, *BESIDE))]]
                + [
                    [f"q{i}"]
                    + [
                        cell
                        for score in pair
                        for cell in ("x\ny", "PASS" if score == 1 else "FAIL", score, "", 1, "", "")
                    ]
                    for i, pair in enumerate(PAIRS)
                ]
            )
        },
        MEANS,
        *PROMPTFOO,
    ),
    **{
        f"DeepEval, {'named' if hyper else 'in folders'}": (
            {
                f"runs/{model}/test_run_2026010{at}_120000.json": run_of_tests(
                    model, scores, hyper=hyper
                )
                for at, (model, scores) in enumerate(
                    {"old": [1, 0.5, 0, 1], "new": [0, 1, 1, 1]}.items()
                )
            },
            {"old": 0.625, "new": 0.75},
            *(METRIC, METRIC, METRIC),
        )
        for hyper in (True, False)
    },
    "RAGAS": (
        {
            f"runs/{model}.csv": table(
                [RAGAS, *([f"q{i}", "['a', 'b']", "x\ny", s, 1] for i, s in enumerate(scores))]
            )
            for model, scores in {"a": [1, 0.5, ""], "b": [0.25, 0, 1]}.items()
        },
        {"a": 0.75, "b": 1.25 / 3},
        *(METRIC, METRIC),
    ),
    "SWE-bench": (
        {
            "gpt-4o.run1.json": report(resolved=2, unresolved=3, empty_patch=2, error=1),
            "tuned.run1.json": report(resolved=4, unresolved=4),
        },
        {"gpt-4o.run1": 0.25, "tuned.run1": 0.5},
    ),
    "SWE-bench, in part": (
        {f"{name}.json": report(resolved=2, unresolved=3, incomplete=5) for name in "ab"},
        None,
        ERROR,
    ),
    "reports of instances": (
        {
            f"logs/{model}/django-{at}/report.json": json.dumps(
                {f"django-{at}": {"patch_exists": True, "resolved": at < many, "tests_status": {}}}
            )
            for model, many in {"gpt-4o": 1, "tuned": 3}.items()
            for at in range(4)
        },
        {"gpt-4o": 0.25, "tuned": 0.75},
    ),
    "HumanEval": (
        {f"{model}.jsonl_results.jsonl": text for model, text in CODE.items()},
        {"a": 1 / 3, "b": 2 / 3},
    ),
    "OpenAI's evals": (
        {
            f"{model}.jsonl": lines(
                [
                    {"spec": {"completion_fns": [model], "eval_name": "sums"}},
                    *(
                        {"run_id": model, "event_id": 2 * at + step, "sample_id": f"sums.{at}"}
                        | {"type": kind, "data": data}
                        for at, right in enumerate(several)
                        for step, (kind, data) in enumerate(
                            [
                                ("sampling", {"prompt": "1+1", "sampled": ["2"]}),
                                ("match", {"correct": right == 1, "expected": "2"}),
                            ]
                        )
                    ),
                    {"final_report": {"accuracy": 0.1}, "run_id": model},
                ]
            )
            for model, several in {"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}.items()
        },
        {"a": 0.75, "b": 0.25},
    ),
    "a list of records": (
        {
            "scores.json": json.dumps(
                [
                    {"question_id": f"q{at}", "model": model, "correct": right}
                    for model, several in {"a": [1, 0, 1, 1], "b": [0, 0, 1, 0]}.items()
                    for at, right in enumerate(several)
                ]
            )
        },
        {"a": 0.75, "b": 0.25},
    ),
    "MLflow": (
        {
            f"{model}.csv": table(
                [
                    ["inputs", "outputs", "exact_match/v1/score", "latency"],
                    *([f"q{at}", "x", right, 0.5] for at, right in enumerate(several)),
                ]
            )
            for model, several in {"gpt-4o": [1, 0, 1, 1], "gpt-5": [0, 0, 1, 0]}.items()
        },
        {"gpt-4o": 0.75, "gpt-5": 0.25},
        "questions direction higher",
    ),
    "HumanEval in folders": (
        {f"{model}/samples.jsonl_results.jsonl": text for model, text in CODE.items()},
        {"a": 1 / 3, "b": 2 / 3},
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_what_programs_of_evaluations_write_is_read(capsys, case):
    files, truth, *asked = FILES[case]
    paths = written(files)
    if asked:
        status, told = started(capsys, *paths)
        assert (status, open_cells()) == (3, asked), told
    options = ["--score", "faithfulness"] if case == "RAGAS" else []
    options += ["--score", "Tone [GEval]", "--better", "higher"] if "DeepEval" in case else []
    status, told = started(capsys, *paths, "--accept", *options)
    if truth is None:
        assert status == 3 and open_cells() == [ERROR]
        return
    assert status == 0, told
    ((name, settings),) = evals().items()
    as_read, better = means(name, settings)
    assert better == {"higher"}
    assert as_read == pytest.approx(truth)
    assert cells("questions")[0]["direction"] == "higher"


def test_a_folder_of_what_a_program_wrote_is_read(capsys):
    written(FILES["DeepEval, named"][0])
    status, told = started(capsys, "runs")
    assert status == 3 and open_cells() == [METRIC] * 3, told
    table_ = Path("runs_codebook/columns.csv")
    text = table_.read_text("utf-8-sig").replace("passed,?", "passed,score")
    table_.write_text(text, encoding="utf-8")
    status, told = started(capsys, "runs")
    assert status == 0 and "old: 4 questions, 0.500 on average" in told


def test_a_folder_of_other_json_says_which_table_to_write(capsys):
    written({"runs/a.json": '{"a": [1]}'})
    status, told = started(capsys, "runs")
    assert status == 1 and "its *.json, such as runs/a.json, are of no program" in told
    assert "write a table with the columns question, model and score" in told


@pytest.mark.parametrize("case", ["RAGAS", "SWE-bench", "HumanEval"])
def test_a_file_of_one_model_alone_is_refused(capsys, case):
    path, *_ = written(FILES[case][0])
    status, told = started(capsys, path)
    assert status == 1 and "has scores of one model" in told


@pytest.mark.parametrize("sheets", [("gpt-4o", "Claude 3"), ("a", "b.json")])
def test_sheets_of_a_workbook_are_files(capsys, sheets):
    scores = {sheets[0]: [1, 0, 1, 1], sheets[1]: [0, 0, 1, 0]}
    with pd.ExcelWriter("book.xlsx") as book:
        for name, right in scores.items():
            rows = pd.DataFrame({"task_id": range(4), "correct": right})
            rows.to_excel(book, sheet_name=name, index=False)
    paths = (f"book.xlsx#{name}" for name in sheets)
    assert taken(capsys, *paths, "--score", "correct")[2] == {sheets[0]: 0.75, sheets[1]: 0.25}
    (config,) = Path().glob("*.yaml")
    study = Study(yaml.safe_load(config.read_text("utf-8")))
    assert study.score_files(next(iter(study.evaluations))) == ["book.xlsx"]


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        ("model_id,location,output_type,output_type_id,value", "A,US,quantile,{level},{at}"),
        ("model,location,quantile_level,predicted", "A,US,{level},{at}"),
        ("id,model,q0.1,q0.5,q0.9,outcome", "{at},A,1,4,8,5"),
        ("id,model,p10,p50,p90,actual", "{at},A,1,4,8,5"),
        ("id,model,.1,.5,.9,y_true", "{at},A,1,4,8,5"),
    ],
)
def test_quantiles_are_refused_with_what_scores_them(capsys, names, rows):
    levels = (0.025, 0.5, 0.975)
    lines = [rows.format(at=at, level=levels[at % 3]) for at in range(9)]
    status, told = started(capsys, *written({"forecasts.csv": "\n".join([names, *lines])}))
    assert status == 1 and "score each forecast by the pinball loss" in told
