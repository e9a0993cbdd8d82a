"""What the page says of an evaluation: counts, limits of the answer, and its chart."""

import re

import numpy as np
import pytest
from test_score_files import HEADER, evaluated, written

from fidelity_study.report.page.evaluation import SCHEMAS, Evaluation
from fidelity_study.report.page.forest import Mark, forest
from fidelity_study.report.page.render import evaluation_findings
from fidelity_study.report.page.words import markdown
from fidelity_study.steps.evaluation import (
    difference_rows,
    mean_rows,
    missing_rows,
    power_rows,
    use_rows,
)

TEST = {"alpha": 0.05, "power": 0.8, "effect": None}


def page(evals: dict, *logs: dict, **of_all) -> Evaluation:
    """Return what the page shows of files."""
    of = evaluated(evals, **{"test": TEST, **of_all})
    rows = {
        "logs": logs,
        "means": mean_rows(of),
        "differences": difference_rows(of),
        "power": power_rows(of),
        "missing": missing_rows(of),
        "uses": use_rows(of),
    }
    whole = {
        name: [{**dict.fromkeys(SCHEMAS[name].names), **row} for row in each]
        for name, each in rows.items()
    }
    return Evaluation("name", of.step, whole)


def drawn(folder, name: str, models: dict[str, float], m: int, seed: int = 0, **more) -> dict:
    """Write right and wrong answers with probabilities; return the eval."""
    generator = np.random.default_rng(seed)
    rows = [
        f"q{i},{model},{generator.random() < share:d},p{i // 5}\n"
        for model, share in models.items()
        for i in range(m)
    ]
    text = "question,model,score,page\n" + "".join(rows)
    return {name: {"files": written(folder, text, f"{name}.csv"), **more}}


def test_comparisons_are_counted_in_each_eval(tmp_path):
    evals = {
        **drawn(tmp_path, "x", {"A": 0.9, "B": 0.6, "C": 0.65}, 40),
        **drawn(tmp_path, "y", {"A": 0.9, "D": 0.6}, 40),
    }
    shown = page(evals)
    told = " ".join(shown.assumptions)
    assert len(shown.pairs) == 4 and "(3 on x, 1 on y)" in told
    assert "all 4" not in told


def test_lost_samples_and_absent_models_are_told(tmp_path):
    rows = "a,A,1,1\na,A,,2\nb,A,0,1\nb,A,1,2\na,B,1,1\na,B,1,2\nb,B,,1\nb,B,,2\n"
    path = written(tmp_path, "question,model,score,epoch\n" + rows)
    evals = {"x": {"files": path}}
    for name in "yz":
        evals |= drawn(tmp_path, name, {"A": 0.5}, 6)
    told = [markdown(each) for each in page(evals).missing]
    assert told == [
        "**B** has no score on **y** and **z**; rows over several evals leave this model out.",
        "**A** has no score on 1 sample of 1 question of **x**: no score (a).",
        "**B** has no score on 1 question of **x**: no score (b).",
    ]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("value", "told"),
    [(-0.00047, "−0.05"), (0.0004, "+0.04"), (0.0, "0.0"), (-0.0, "0.0"), (-0.065, "−6.5")],
)
def test_a_difference_near_zero_keeps_its_sign(tmp_path, value, told):
    shown = page(drawn(tmp_path, "x", {"A": 0.6, "B": 0.5}, 40))
    assert shown.signed(value) == told
    row = {"eval": "x", "lower": value, "upper": 0.5}
    digits = len(told.partition(".")[2])
    assert shown.interval(row) == f"({told}, +{50:.{digits}f})"


def test_unfinished_logs_and_other_questions_are_in_findings(tmp_path):
    generator = np.random.default_rng(5)
    rows = "".join(
        f"q{i},{model},{generator.random() < 0.5:d}\n"
        for model, m in (("A", 40), ("B", 40), ("C", 22))
        for i in range(m)
    )
    log = {"eval": "x", "file": "c.eval", "models": "C", "samples": 22, "unscored": 0}
    unfinished = "did not finish: its status is error, and it has 22 of 40 questions"
    shown = page(
        {"x": {"files": written(tmp_path, HEADER + rows)}}, {**log, "unfinished": unfinished}
    )
    said = evaluation_findings(shown)
    assert f"A log of **C** on **x** {unfinished}." in said
    assert "have scores on different questions, so that their means" in said
    assert "| 22 of 40 |" in said and "| 40 |" in said
    assert shown.of_questions(shown.means[-1]) == " (22 of 40 questions)"


def test_findings_say_what_difference_would_have_been_found(tmp_path):
    evals = drawn(tmp_path, "x", {"A": 0.6, "B": 0.5}, 40, cluster="page")
    shown = page(evals, test={**TEST, "effect": 0.05})
    (power,) = shown.powers
    smallest = f"{100 * power['minimum_detectable_effect']:.1f}"
    many, clusters = power["questions_in_clusters"], power["clusters_needed"]
    assert many == 5 * clusters
    said = evaluation_findings(shown)
    assert "| difference found with 80 % probability | questions to find 5.0 |" in said
    assert f"| x | A | B | {smallest} | {many:,} in {clusters:,} clusters |" in said


def test_no_difference_is_found_that_no_scores_can_have(tmp_path):
    rows = [
        f"q{i},{model},{score},{i // 20}\n"
        for i in range(40)
        for model, score in (("A", i // 20 or i % 2), ("B", i % 2))
    ]
    text = "question,model,score,page\n" + "".join(rows)
    shown = page({"x": {"files": written(tmp_path, text), "cluster": "page"}})
    (row,) = shown.powers
    assert row["minimum_detectable_effect"] is None
    assert "| x | A | B | – |\n" in evaluation_findings(shown)


@pytest.mark.slow
def test_who_is_ahead_are_those_whom_none_is_settled_to_beat(tmp_path):
    """A and B are alike and above C on x; nobody is told apart on y."""
    evals = {
        **drawn(tmp_path, "x", {"A": 0.9, "B": 0.88, "C": 0.3}, 80),
        **drawn(tmp_path, "y", {"A": 0.5, "B": 0.5, "C": 0.5}, 20, seed=3),
    }
    shown = page(evals)
    told = {first["eval"]: shown.settled(rows) for first, _, rows in shown.overview}
    assert told["x"] == "A or B" and told["y"] == "not settled"
    assert markdown(shown.headline) == (
        "2 of 6 differences between models on one evaluation are settled."
        " Ahead in the mean over evals: **A** or **B**."
    )
    against = page(evals, baseline="C")
    assert [against.settled(rows) for _, _, rows in against.overview][:2] == [
        "A better; B better",
        "not settled",
    ]


def test_a_sentence_has_the_direction_of_the_table(tmp_path):
    behind = page(drawn(tmp_path, "x", {"A": 0.2, "B": 0.9}, 80))
    (row,) = behind.differences
    far = 100 * (row["estimate"])
    assert f"**A** scores {-far:.1f} points lower than **B** on **x**" in markdown(behind.headline)
    still = page(drawn(tmp_path, "y", {"A": 0.48, "B": 0.5}, 80, seed=4))
    (row,) = still.differences
    ends = still.interval(row).strip("()").replace("+", "").replace(", ", " to ")
    assert f"the difference **A** − **B** is {ends} points" in markdown(still.headline)


def test_why_there_is_no_interval_is_said_once(tmp_path):
    rows = "".join(f"q{i},{model},{model == 'A':d},one\n" for i in range(12) for model in "AB")
    path = written(tmp_path, "question,model,score,topic\n" + rows)
    shown = page({"x": {"files": path, "cluster": "topic"}})
    assert "This difference has no interval: one cluster" in shown.headline
    said = evaluation_findings(shown)
    assert said.count("A dash (–) stands for") == 1
    settled = page(drawn(tmp_path, "y", {"A": 0.8, "B": 0.5}, 40))
    assert "A dash" not in evaluation_findings(settled)


def test_warnings_say_of_what_they_are(tmp_path):
    evals = drawn(tmp_path, "x", {"A": 0.6, "B": 0.5}, 40, cluster="page")
    shown = page(evals)
    (told,) = shown.warnings
    assert markdown(told).startswith(
        "**A**, **B** and **A** − **B** on **x**: 8 effective clusters"
    )
    assert any("rest on little" in each for each in shown.cautions)


def test_models_of_different_questions_are_no_reason_for_a_warning(tmp_path):
    rows = "".join(f"q{at},{'AB'[at % 2]},{at % 3 % 2},p{at}\n" for at in range(200))
    path = written(tmp_path, "question,model,score,page\n" + rows)
    shown = page({"x": {"files": path}}, unpaired=True)
    assert shown.incomparable == [] and not any("rest on" in each for each in shown.cautions)
    assert any("without any as two samples of questions" in each for each in shown.assumptions)


def test_that_runs_were_not_compared_is_said_where_there_is_one_score_of_each(tmp_path):
    what = "how much scores vary from run to run was not measured"
    once = page(drawn(tmp_path, "x", {"A": 0.6, "B": 0.5}, 40))
    assert any(what in said for said in once.cautions)
    rows = "".join(
        f"q{i},{model},{epoch},{(i + epoch) % 2}\n"
        for i in range(12)
        for model in "AB"
        for epoch in (1, 2)
    )
    path = written(tmp_path, "question,model,epoch,score\n" + rows)
    assert not any(what in said for said in page({"y": {"files": path}}).cautions)


def test_what_would_settle_an_open_difference(tmp_path):
    still = drawn(tmp_path, "y", {"A": 0.5, "B": 0.5}, 60)
    shown = page(still)
    (row,) = shown.powers
    assert markdown(shown.todo) == (
        f"60 questions on **y** find differences of {100 * row['minimum_detectable_effect']:.1f};"
        " state the difference that matters, as --effect, to plan for it."
    )
    planned = page(still, test={**TEST, "effect": 0.1})
    (row,) = planned.powers
    many = row["questions_in_clusters"] or row["questions_needed"]
    assert markdown(planned.todo) == (
        f"to find a difference of 10.0 on **y** takes {many:,} questions in all, 60 so far."
    )
    clusters = page(
        drawn(tmp_path, "x", {"A": 0.55, "B": 0.5}, 80, cluster="page"),
        test={**TEST, "effect": 0.1},
    )
    (row,) = clusters.powers
    assert f"questions in {row['clusters_needed']:,} clusters in all, 80 so far" in clusters.todo
    settled = page(drawn(tmp_path, "z", {"A": 0.9, "B": 0.2}, 60))
    assert settled.todo == "compare again when a model changes."
    assert f"Next: {settled.todo}" in evaluation_findings(settled)


def test_places_in_the_chart_are_proportional():
    rows = [
        ("a <b>", "", [Mark("filled", 2.0, -13.0, 31.0)]),
        ("c", "", [Mark("", 5.0, 1.0, 9.0)]),
    ]
    drawing = str(forest(rows, "points"))
    assert "a &lt;b&gt;" in drawing and "<b>" not in drawing.replace("<b ", "")
    ticks = [
        (float(text.replace("−", "-")), float(at))
        for at, text in re.findall(r'<i style="left:([\d.]+)%">([−\d.]+)</i>', drawing)
    ]
    (low, _), (high, _) = ticks[0], ticks[-1]
    assert low <= -13 and high >= 31 and ticks[0][1] == 0 and ticks[-1][1] == 100
    dots = [float(at) for at in re.findall(r'<b class="[a-z]*" style="left:([\d.]+)%"', drawing)]
    lines = re.findall(
        r'<s class="[a-z]*" style="left:([\d.]+)%;right:calc\(100% - ([\d.]+)%\)"', drawing
    )
    drawn_at = [*dots, *(float(end) for line in lines for end in line)]
    told = [2, 5, -13, 31, 1, 9, *(value for value, _ in ticks)]
    places = [*drawn_at, *(at for _, at in ticks)]
    for value, at in zip(told, places, strict=True):
        assert at == pytest.approx(100 * (value - low) / (high - low), abs=0.01)
    assert forest([], "") == ""


def test_the_card_says_who_scores_as_well_as_the_best_or_as_the_baseline(tmp_path):
    shares = drawn(tmp_path, "x", {"A": 0.9, "B": 0.4, "C": 0.9}, 400)
    of = page(shares)
    words = evaluation_findings(of)
    assert (
        "Which models are behind the best by less than the limit? The limit is a twentieth" in words
    )
    verdicts = {row[1]: row[4] for row in of.card.rows}
    assert verdicts["B"] == "beyond" and "beyond" not in (verdicts["A"], verdicts["C"])
    (row,) = (row for row in of.card.rows if row[1] == "B")
    assert re.search(r"^\| x \| B \| \d+\.\d to \d+\.\d \| 5\.0 \| beyond \|", words, re.MULTILINE)
    assert row[3] == "5.0"
    beside = page(shares, baseline="B", margin=0.1)
    assert "behind **B** by less than the limit? The limit is the margin" in evaluation_findings(
        beside
    )
    assert [(row[1], row[3], row[4]) for row in beside.card.rows] == [
        ("A", "10.0", "within"),
        ("C", "10.0", "within"),
    ]
