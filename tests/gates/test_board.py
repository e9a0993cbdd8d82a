"""The board: ranks and intervals beside an independent computation, failed runs, and its files."""

import csv
import gzip
import json
import os
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from small_study import REPOSITORY
from verdicts import simulator, verdict

from fidelity_study.__main__ import main
from fidelity_study.app.board import public
from fidelity_study.app.board.ranking import groups_of
from fidelity_study.verdict_file import Evaluation

MIRROR = Path(os.environ.get("FIDELITY_DATA_MIRROR", REPOSITORY.parent / "shared" / "data"))
MODELS = {"a": 0.2, "b": 0.22, "c": 0.4, "uniform-baseline": 0.3}
FLAT = [0.25] * 4


def write_run(folder, provider, distances, shares=(0.7, 0.1, 0.1, 0.1), uniform=(), packed=False):
    """Write a run as a public board has it; ``uniform`` are questions with uniform answers."""
    rows = [
        {"key": key, "jsd": jsd, "model_distribution": FLAT if key in uniform else list(shares)}
        for key, jsd in distances.items()
    ]
    config = {"dataset": "survey", "provider": provider}
    text = json.dumps(
        {"benchmark": "b", "timestamp": "2026-04-12T07", "config": config, "per_question": rows}
    )
    path = folder / f"{provider}_{len(list(folder.iterdir()))}.json"
    if packed:
        path.with_suffix(".json.gz").write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def distances_of(mean, questions=60, seed=0):
    rng = np.random.default_rng(seed)
    hard = np.random.default_rng(99).uniform(0, 0.2, 200)[:questions]
    return {f"q{i}": float(x) for i, x in enumerate(mean + hard + rng.normal(0, 0.02, questions))}


@pytest.fixture
def results(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for seed, (name, mean) in enumerate(MODELS.items()):
        write_run(folder, name, distances_of(mean, seed=seed), packed=seed % 2 == 0)
    return folder


def holm(p_values):
    """Return Holm's adjusted p-values, as they are defined."""
    order = np.argsort(p_values)
    scaled = np.array(p_values)[order] * (len(p_values) - np.arange(len(p_values)))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted


def independent(means):
    """Return intervals, and who is closer than whom, by SciPy from questions' distances."""
    ends, pairs = {}, list(combinations(sorted(means), 2))
    for name, of_model in means.items():
        values = np.array(list(of_model.values()))
        ends[name] = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    p_values, gaps = [], []
    shared_by = {pair: sorted(means[pair[0]].keys() & means[pair[1]].keys()) for pair in pairs}
    pairs = [pair for pair in pairs if len(shared_by[pair]) > 1]
    for one, two in pairs:
        shared = shared_by[one, two]
        first, other = (np.array([means[x][key] for key in shared]) for x in (one, two))
        p_values.append(stats.ttest_rel(first, other).pvalue)
        gaps.append((first - other).mean())
    return ends, {
        pair if gap < 0 else pair[::-1]
        for pair, gap, p in zip(pairs, gaps, holm(p_values), strict=True)
        if p <= 0.05
    }


def averaged(runs):
    """Return provider -> question -> the mean over its runs."""
    values: dict = {}
    for run in runs:
        for key, jsd in run.distances.items():
            values.setdefault(run.provider, {}).setdefault(key, []).append(jsd)
    return {name: {k: float(np.mean(v)) for k, v in of.items()} for name, of in values.items()}


def assert_as_by_scipy(ranking, means):
    ends, closer = independent(means)
    assert ranking.closer == closer
    names = {entry.name for entry in ranking.entries}
    assert names == set(means)
    for entry in ranking.entries:
        assert (entry.lower, entry.upper) == pytest.approx(ends[entry.name], abs=1e-9)
        assert entry.first_rank == 1 + sum((other, entry.name) in closer for other in names)
        behind = sum((entry.name, other) in closer for other in names)
        assert entry.last_rank == len(names) - behind


def test_ranks_and_intervals_are_those_of_an_independent_computation(results):
    (ranking,) = public.rankings(results, "")
    assert_as_by_scipy(ranking, averaged(map(public.read, public.files_of(results))))
    assert [entry.name for entry in ranking.entries][-2:] == ["uniform-baseline", "c"]


@pytest.mark.parametrize("dataset", ["opinionsqa", "subpop", "globalopinionqa"])
def test_so_they_are_for_the_public_results(dataset, published):
    rankings, runs = published
    (ranking,) = (each for each in rankings if each.name == dataset)
    means = averaged(run for run in runs if run.dataset == dataset and run.failed <= 0.1)
    guess = {
        key: run.distances[key] for run in runs if run.dataset == dataset for key in run.uniform
    }
    assert_as_by_scipy(ranking, {**means, "uniform guess": guess})


def test_failed_runs_of_the_public_results_have_no_rank(published):
    rankings, _ = published
    failed = {(ranking.name, entry.name) for ranking in rankings for entry in ranking.unranked}
    sonnet = "synthpanel/openrouter/anthropic/claude-sonnet-4"
    assert {("globalopinionqa", sonnet), ("subpop", sonnet), ("opinionsqa", sonnet)} < failed
    assert ("subpop", "synthpanel/claude-haiku-4-5-20251001") in failed


@pytest.fixture(scope="module")
def published():
    folder = MIRROR / "synthbench_leaderboard"
    if not folder.is_dir() and "CI" not in os.environ:
        pytest.skip("the public results are not here: FIDELITY_DATA_MIRROR")
    return public.rankings(folder, ""), [public.read(path) for path in public.files_of(folder)]


@pytest.mark.parametrize(("many", "is_ranked"), [(6, True), (7, False)])
def test_a_run_with_uniform_answers_is_flagged_and_they_become_the_uniform_row(
    results, many, is_ranked
):
    uniform = {f"q{i}" for i in range(many)}
    write_run(results, "failed", distances_of(0.01), uniform=uniform)
    (ranking,) = public.rankings(results, "")
    assert ("failed" in {entry.name for entry in ranking.entries}) == is_ranked
    assert [entry.name for entry in ranking.unranked] == ([] if is_ranked else ["failed"])
    (guess,) = (entry for entry in ranking.entries if entry.name == "uniform guess")
    assert guess.questions == many
    assert guess.kind == "baseline"


def test_two_runs_of_one_provider_are_samples_of_each_question(results):
    write_run(results, "a", distances_of(0.26, seed=9))
    (ranking,) = public.rankings(results, "")
    assert_as_by_scipy(ranking, averaged(map(public.read, public.files_of(results))))


def test_a_group_ends_where_all_before_are_closer_than_all_after():
    closer = {("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")}
    assert groups_of(list("abcd"), closer) == {"a": 1, "b": 1, "c": 2, "d": 2}
    assert groups_of(list("abcd"), closer - {("b", "d")}) == dict.fromkeys("abcd", 1)


def board(tmp_path, *folders):
    out = tmp_path / "out"
    assert main(["board", *map(str, folders), "--out", str(out)]) == 0
    return {path.name: path.read_text("utf-8") for path in sorted(out.iterdir())}


def studies(tmp_path):
    """Write two studies of two models: one is closer in both, by .05 at least."""
    for name, far in (("one", 0.3), ("two", 0.36)):
        pairs = [("near", "far", -0.2, -0.05, "near"), ("near", "uniform", -0.1, 0.1, None)]
        entries = [simulator("near"), simulator("far", far, far + 0.1, unanswered=0.05)]
        made = verdict(*entries, study=name, pairs=[*pairs, ("far", "uniform", -0.2, 0.3, None)])
        (tmp_path / name).mkdir()
        (tmp_path / name / "verdict.json").write_text(made.text(), encoding="utf-8")
    return tmp_path / "one", tmp_path / "two"


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


def test_topics_and_tokens_are_shown_where_they_are_known(tmp_path, results):
    topics = [
        {"name": name, "questions": 5, "estimate": far, "lower": far - 0.1, "upper": far + 0.1}
        for name, far in (("tax", 0.2), ("health", 0.3))
    ]
    made = verdict(simulator("model", topics=topics))
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "verdict.json").write_text(made.text(), encoding="utf-8")
    (path,) = results.glob("c_*")
    run = json.loads(gzip.decompress(path.read_bytes()))
    run["aggregate"] = {"token_usage": {"input_tokens": 5900, "output_tokens": 100}}
    path.write_bytes(gzip.compress(json.dumps(run).encode()))
    files = board(tmp_path, tmp_path / "town", results)
    rows = list(csv.DictReader(files["board.csv"].splitlines()))
    by_topic = {row["topic"]: row for row in rows if row["topic"]}
    assert list(by_topic) == ["tax", "health"]
    assert (by_topic["health"]["name"], by_topic["health"]["first_rank"]) == ("model", "")
    assert (by_topic["tax"]["lower"], by_topic["tax"]["measure"]) == ("0.1", "total variation")
    assert {row["name"]: row["tokens"] for row in rows}["c"] == "100.0"
    assert "<th>tax<th>health" in files["board.html"]
    assert files["board.html"].count("tokens for a question") == 1


def test_who_left_much_unanswered_has_no_rank(tmp_path):
    made = verdict(simulator("lazy", unanswered=0.2), simulator("model"))
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "verdict.json").write_text(made.text(), encoding="utf-8")
    rows = list(csv.DictReader(board(tmp_path, tmp_path / "town")["board.csv"].splitlines()))
    assert {row["name"]: row["first_rank"] for row in rows}["lazy"] == ""
    assert "20 % of what it was asked" in next(row["flag"] for row in rows if row["name"] == "lazy")


def test_a_folder_without_results_is_refused(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    assert main(["board", str(tmp_path / "empty")]) == 1
    assert "no finished study, and no file of a public board" in capsys.readouterr().err


def test_names_cannot_act_on_the_page(tmp_path):
    name = "<script>alert(1)</script>{{ 7 * 7 }}"
    made = verdict(simulator(name), study="town")
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "verdict.json").write_text(made.text(), encoding="utf-8")
    page = board(tmp_path, tmp_path / "town")["board.html"]
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}" in page


def test_finished_studies_without_distances_are_named_as_left_out(tmp_path, capsys):
    made = verdict(simulator("near"), study="with")
    forecasts = made.datasets[0].model_copy(update={"views": [], "title": "Events"})
    scores = Evaluation(
        name="maths",
        title="Maths",
        headline="",
        confidence=0.95,
        scores=[],
        differences=[],
        assumptions=[],
    )
    both = made.model_copy(
        update={"datasets": [*made.datasets, forecasts], "evaluations": [scores]}
    )
    (tmp_path / "with").mkdir()
    (tmp_path / "with" / "verdict.json").write_text(both.text(), encoding="utf-8")
    files = board(tmp_path, tmp_path / "with")
    told = capsys.readouterr().out
    for name in ("with: Events", "with: Maths"):
        assert f"{name}: left out, as it has no distances" in told
        assert name in files["board.html"]


def test_an_entry_over_datasets_has_the_labels_that_it_has_in_each(tmp_path):
    for name, label in (("one", "previous year"), ("two", "previous wave")):
        made = verdict(
            simulator("near"), simulator("persistence", 0.1, 0.2, label=label), study=name
        )
        (tmp_path / name).mkdir()
        (tmp_path / name / "verdict.json").write_text(made.text(), encoding="utf-8")
    rows = csv.DictReader(
        board(tmp_path, tmp_path / "one", tmp_path / "two")["board.csv"].splitlines()
    )
    over = {row["name"]: row["label"] for row in rows if "All 2" in row["ranking"]}
    assert over["persistence"] == "previous year / previous wave"
    assert over["near"] == "near"
