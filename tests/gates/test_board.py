"""The board: its groups, ranks and files, and the recipe for the files of a public board."""

import csv
import gzip
import json
import re

import pytest
import yaml
from guides import page
from verdicts import evaluation, left, simulator, verdict

from fidelity_study.__main__ import main
from fidelity_study.app.board.ranking import groups_of
from fidelity_study.reading.evals.score_tables import read_table

FLAT = [0.25] * 4


def write_run(folder, provider, many_uniform, packed):
    """Write a run of 60 questions as a public board has it, some with exactly uniform answers."""
    rows = [
        {
            "key": f"q{i}",
            "jsd": 0.2 + i / 1000,
            "model_distribution": FLAT if i < many_uniform else [0.7, 0.1, 0.1, 0.1],
        }
        for i in range(60)
    ]
    config = {"dataset": "survey", "provider": provider}
    text = json.dumps({"benchmark": "b", "config": config, "per_question": rows})
    if packed:
        (folder / f"{provider}.json.gz").write_bytes(gzip.compress(text.encode()))
    else:
        (folder / f"{provider}.json").write_text(text, encoding="utf-8")


def test_the_recipe_makes_a_table_of_scores_without_failed_runs(here):
    text = page("howto/board")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (config,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    (settings,) = yaml.safe_load(config)["evaluations"]["board"]["evals"].values()
    folder = here / "leaderboard-results"
    folder.mkdir()
    for i, (provider, many_uniform) in enumerate({"a": 0, "few": 6, "failed": 7}.items()):
        write_run(folder, provider, many_uniform, packed=i % 2 == 0)
    exec(code, {})
    log = read_table("survey.csv", {**settings, "cluster": None, "model": None, "recode": {}})
    assert log.notes == []
    rows = {(row.model, row.question): row.score for row in log.samples}
    assert len(log.samples) == len(rows) == 2 * 60
    assert {model for model, _ in rows} == {"a", "few"}
    assert rows["few", "q7"] == 0.2 + 7 / 1000


def test_a_group_ends_where_all_before_are_closer_than_all_after():
    closer = {("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")}
    assert groups_of(list("abcd"), closer) == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert groups_of(list("abcd"), closer - {("b", "d")}) == dict.fromkeys("abcd", 1)


def board(tmp_path, *folders):
    out = tmp_path / "out"
    assert main(["board", *map(str, folders), "--out", str(out)]) == 0
    return {path.name: path.read_text("utf-8") for path in sorted(out.iterdir())}


def studies(tmp_path):
    """Yield the folders of two studies of two models: one is closer in both, by .05 at least."""
    for name, far in (("one", 0.3), ("two", 0.36)):
        pairs = [("near", "far", -0.2, -0.05, "near"), ("near", "uniform", -0.1, 0.1, None)]
        entries = [simulator("near"), simulator("far", far, far + 0.1, unanswered=0.05)]
        pairs.append(("far", "uniform", -0.2, 0.3, None))
        yield left(tmp_path / name, verdict(*entries, study=name, pairs=pairs))


def test_a_board_of_studies_is_the_same_whenever_it_is_made(tmp_path):
    (tmp_path / "README.md").write_text("No study.")
    folders = [*studies(tmp_path), tmp_path / "README.md"]
    files = board(tmp_path, *folders)
    assert sorted(files) == ["board.csv", "board.html", "board.json"]
    assert board(tmp_path, *folders) == files
    assert '<a href="../one/report.html">near</a>' in files["board.html"]
    assert "Closest: near or uniform." in files["board.html"]
    over = [
        row for row in csv.DictReader(files["board.csv"].splitlines()) if "All 2" in row["ranking"]
    ]
    assert [row["name"] for row in over] == ["near", "uniform", "far"]
    far = over[-1]
    assert (float(far["lower"]), float(far["upper"])) == pytest.approx((0.33, 0.43))
    assert (far["first_rank"], far["last_rank"]) == ("2", "3")
    assert json.loads(files["board.json"])[0]["settled"] == [{"closer": "near", "farther": "far"}]


def test_topics_are_shown_where_they_are_known(tmp_path):
    topics = [
        {"name": name, "questions": 5, "estimate": far, "lower": far - 0.1, "upper": far + 0.1}
        for name, far in (("tax", 0.2), ("health", 0.3))
    ]
    files = board(tmp_path, left(tmp_path / "town", verdict(simulator("model", topics=topics))))
    rows = list(csv.DictReader(files["board.csv"].splitlines()))
    by_topic = {row["topic"]: row for row in rows if row["topic"]}
    assert list(by_topic) == ["tax", "health"]
    assert (by_topic["health"]["name"], by_topic["health"]["first_rank"]) == ("model", "")
    assert (by_topic["tax"]["lower"], by_topic["tax"]["measure"]) == ("0.1", "total variation")
    assert "<th>tax<th>health" in files["board.html"]


def test_who_left_much_unanswered_has_no_rank(tmp_path):
    made = verdict(simulator("lazy", unanswered=0.2), simulator("model"))
    files = board(tmp_path, left(tmp_path / "town", made))
    rows = list(csv.DictReader(files["board.csv"].splitlines()))
    assert {row["name"]: row["first_rank"] for row in rows}["lazy"] == ""
    assert "20 % of what it was asked" in next(row["flag"] for row in rows if row["name"] == "lazy")


def test_a_folder_without_results_is_refused(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["board", str(tmp_path / "empty")]) == 1
    assert "no finished study" in capsys.readouterr().err


def test_names_cannot_act_on_the_page(tmp_path):
    name = "<script>alert(1)</script>{{ 7 * 7 }}"
    page = board(tmp_path, left(tmp_path / "town", verdict(simulator(name))))["board.html"]
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}" in page


def test_finished_studies_without_distances_are_named_as_left_out(tmp_path, capsys):
    made = verdict(simulator("near"), study="with")
    forecasts = made.datasets[0].model_copy(update={"views": [], "title": "Events"})
    scores = evaluation(scores=[("alone", 0.5)])
    both = made.model_copy(
        update={"datasets": [*made.datasets, forecasts], "evaluations": [scores]}
    )
    files = board(tmp_path, left(tmp_path / "with", both))
    told = capsys.readouterr().out
    for name, why in (("with: Events", "scores of forecasts"), ("with: Maths", "scores of one")):
        assert f"left out: {name} has {why}" in told
        assert name in files["board.html"]


def test_an_entry_over_datasets_has_the_labels_that_it_has_in_each(tmp_path):
    folders = []
    for name, label in (("one", "previous year"), ("two", "previous wave")):
        both = simulator("near"), simulator("persistence", 0.1, 0.2, label=label)
        folders.append(left(tmp_path / name, verdict(*both, study=name)))
    rows = csv.DictReader(board(tmp_path, *folders)["board.csv"].splitlines())
    over = {row["name"]: row["label"] for row in rows if "All 2" in row["ranking"]}
    assert over["persistence"] == "previous year / previous wave"
    assert over["near"] == "near"


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_models_of_an_evaluation_are_ranked_by_what_is_settled(tmp_path, capsys, better):
    sign = 1 if better == "higher" else -1
    scores = [("bad", -0.3 * sign), ("good", 0.6 * sign), ("fair", 0.5 * sign)]
    made = evaluation(scores=scores, settled=[("good", "bad"), ("fair", "bad")], better=better)
    only = verdict().model_copy(update={"datasets": [], "evaluations": [made]})
    files = board(tmp_path, left(tmp_path / "evals", only))
    told = capsys.readouterr().out
    assert "town: Maths, x: Ahead: good or fair. The order of 1 of 2 pairs of neighbours" in told
    rows = list(csv.DictReader(files["board.csv"].splitlines()))
    ranks = {row["name"]: (row["first_rank"], row["last_rank"]) for row in rows}
    assert ranks == {"good": ("1", "2"), "fair": ("1", "2"), "bad": ("3", "3")}
    assert rows[0]["measure"] == f"mean score, {better} is better"
    (of_json,) = json.loads(files["board.json"])
    assert {"better": "good", "worse": "bad"} in of_json["settled"]
    assert "mean score<th>" in files["board.html"] and ">10 %<" in files["board.html"]
    places = [float(x) for x in re.findall(r'cx="([\d.]+)"', files["board.html"])]
    assert len(set(places)) == 3 and all(5.0 <= place <= 295.0 for place in places)
