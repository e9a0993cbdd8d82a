"""The first screen's numbers, words and drawings, from what they are made of."""

import re
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from fidelity import mean_discrepancy
from fidelity.baselines.base import BASELINES
from fidelity.comparison.selection import certified_scenarios, scenario_p_values
from fidelity.comparison.tendency import tendency
from fidelity.means.average import ASKED
from fidelity.responses import Responses
from fidelity_study.report import plot
from fidelity_study.report.page import charts
from fidelity_study.report.page.first_screen import FirstScreen
from fidelity_study.report.page.labels import item_means, label_doubts, suspicions
from fidelity_study.report.palette import COLOURS, GREYS, PEOPLE, colour
from fidelity_study.report.sample import Sample
from fidelity_study.report.summaries import ComparisonTable
from fidelity_study.report.tendency import tendency_text
from fidelity_study.report.units import ANSWERS, PLAIN, POINTS, Unit
from fidelity_study.steps.cases import DRAWN, TRUE, Case
from fidelity_study.steps.limits import STEPS, limit_rows, tolerance_at, tolerances_of
from fidelity_study.steps.mean_discrepancy import MEAN_DISCREPANCY
from fidelity_study.steps.mean_intervals import FEW_ANSWERS, error_of, said
from fidelity_study.steps.people import OF_REPLICATES, People
from fidelity_study.steps.persons import OF_PERSONS, OF_PSUS
from fidelity_study.steps.unanswered import Answered

SCALE = (1.0, 5.0)


UNSCORED = (-1.0, 1.0)


def results_of(kind="categorical", scale=(np.nan, np.nan), codes=None):
    return SimpleNamespace(kind=kind, scale=scale, codes=codes)


@pytest.mark.parametrize(
    ("discrepancy", "kind", "scale", "value", "unit", "text"),
    [
        ("tv", "categorical", (np.nan, np.nan), 0.054, ANSWERS, "5"),
        ("absolute", "binary", (0.0, 1.0), 0.125, ANSWERS, "13"),
        ("squared", "binary", (0.0, 1.0), 0.01, ANSWERS, "10"),
        ("absolute", "ordinal", SCALE, 0.4, POINTS, "0.40"),
        ("squared", "ordinal", SCALE, 0.16, POINTS, "0.40"),
        ("w1", "bounded", (0.0, 100.0), 12.34, POINTS, "12.3"),
        ("kl", "categorical", (np.nan, np.nan), 0.1234, PLAIN, "0.12"),
    ],
)
def test_distances_are_in_people_s_units(discrepancy, kind, scale, value, unit, text):
    found = Unit.of(results_of(kind, scale), discrepancy)
    assert found.kind == unit
    assert found.text(found.value(value)) == text
    assert not re.search(r"\.\d{3}", found.text(found.value(value / 7)))


@pytest.mark.parametrize(
    ("options", "codes", "text", "axis"),
    [
        ([[1, 2, 3, 4, 5]] * 2, (1.0, 5.0), "0.40", "on 1 to 5"),
        ([[*range(11)]], (0.0, 10.0), "1.00", "on 0 to 10"),
        ([[1, 2, 3], [1, 2, 3, 4, 5]], None, "10.0", "on 0 to 100"),
        ([[1, 2, 4]], None, "10.0", "on 0 to 100"),  # as far apart as steps, not as codes
    ],
)
def test_steps_without_scores_are_shown_on_the_survey_s_own_scale(options, codes, text, axis):
    sample = Sample.__new__(Sample)
    scores = [np.linspace(*UNSCORED, len(values)).tolist() for values in options]
    many = [1.0] * len(options)
    sample.scenarios = pa.table(
        {"value": options, "score": scores, "lower": [-1.0] * len(many), "upper": many}
    )
    assert sample.codes == codes
    for discrepancy, value in (("absolute", 0.2), ("squared", 0.04), ("w1", 0.2)):
        unit = Unit.of(results_of("ordinal", UNSCORED, sample.codes), discrepancy)
        assert unit.text(unit.value(value)) == text
        assert unit.axis.endswith(axis)
    given = Unit.of(results_of("ordinal", (0.0, 1.0), sample.codes), "absolute")
    assert given.axis.endswith("on 0 to 1")  # scores that the config gives stay
    without_range = Unit.of(results_of("real", (np.nan, np.nan), None), "absolute")
    assert without_range.axis == "Points from people's mean"


def test_total_variation_is_the_answers_of_100_that_would_have_to_change():
    people, simulator = np.array([50, 30, 20]), np.array([20, 30, 50])
    moved = np.maximum(people - simulator, 0).sum()
    unit = Unit.of(results_of(), "tv")
    assert unit.value(np.abs(people - simulator).sum() / 200) == moved == 30


def test_an_interval_shorter_than_one_has_a_decimal_and_no_length_is_lost():
    unit = Unit.of(results_of(), "tv")
    assert unit.range(4.4, 6.2) == "4–6"
    assert unit.range(33.9, 34.3) == "33.9–34.3" and unit.range(34.0, 34.0) == "34.0"
    assert unit.difference((-0.032, 0.014)) == "−3 to +1"


def test_a_difference_of_squares_keeps_its_unit():
    unit = Unit.of(results_of("ordinal", SCALE), "squared")
    assert unit.difference((-0.25, 0.0)) == "−0.25 to 0.00"


@pytest.mark.parametrize(
    ("name", "scale", "tolerance"),
    [
        ("tv", (np.nan, np.nan), 0.1),
        ("absolute", (0.0, 1.0), 0.1),
        ("absolute", SCALE, 0.4),
        ("squared", SCALE, 0.16),
        ("w1", (0.0, 10.0), 1.0),
        ("w1", (np.nan, np.nan), None),
        ("kl", SCALE, None),
        ("l2", SCALE, None),
    ],
)
def test_a_tolerance_that_nobody_names_is_a_tenth_of_the_answers_or_of_the_scale(
    name, scale, tolerance
):
    assert tolerances_of({}, name, scale) == ([] if tolerance is None else [tolerance])
    assert tolerances_of({name: [0.7]}, name, scale) == [0.7]


def answered(discrepancy, scores=None, seed=0):
    """Return a case of 30 questions of three options, what people gave, and shares, (30, 3)."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet([3, 3, 3], 30)
    counts = np.array([rng.multinomial(400, share) for share in truth])
    q = 0.4 * truth + 0.6 * rng.dirichlet([3, 3, 3], 30)
    own = Answered("model", "stated", np.arange(30), q, np.full(30, np.nan), np.zeros(30))
    responses = Responses(counts, scores=scores)
    people = People([f"q{j}" for j in range(30)], responses, False, ("a",))
    return Case(people, own, discrepancy, False), responses, q


@pytest.mark.parametrize(("discrepancy", "scores"), [("tv", None), ("squared", [1.0, 3.0, 5.0])])
def test_the_lists_at_every_step_of_the_slider_are_those_of_the_tests(discrepancy, scores):
    case, people, q = answered(discrepancy, scores)
    rows = list(limit_rows([case], SCALE, 0.05, 3))
    assert [row["scenario"] for row in rows] == case.people.names
    for step in range(STEPS):
        t = tolerance_at(step, discrepancy, SCALE)
        p = scenario_p_values(people, q, discrepancy=discrepancy, tolerance=t)
        for way, level in (("within", 0.05 / 3), ("beyond", 0.05)):
            listed = [sum(at <= step for at in row[way]) % 2 == 1 for row in rows]
            assert listed == certified_scenarios(getattr(p, way), level).tolist()
    assert any(row["within"] for row in rows) and any(row["beyond"] for row in rows)


def shares_of(m=40, seed=1):
    rng = np.random.default_rng(seed)
    return list(rng.dirichlet([4, 4, 4, 4], m))


def described(simulator, people, positions=None, sizes=1e9):
    m = len(people)
    return tendency(people, np.full(m, sizes), simulator, [str(j) for j in range(m)], positions)


def test_a_simulator_that_sharpens_exaggerates_and_one_that_evens_out_flattens():
    people = shares_of()
    sharp = [share**2 / (share**2).sum() for share in people]
    even = [0.5 * share + 0.125 for share in people]
    assert described(sharp, people).exaggerates and not described(sharp, people).flattens
    text = tendency_text(described(sharp, people))
    said = re.fullmatch(
        r"Exaggerates: its shares differ ([\d.]+) times as much as people's\.", text
    )
    away = [sum(abs(shares - 0.25).sum() for shares in side) for side in (sharp, people)]
    assert float(said[1]) == pytest.approx(away[0] / away[1], abs=0.1) and away[0] > away[1]
    assert described(even, people).flattens and not described(even, people).exaggerates
    assert described(even, people).slope.estimate == pytest.approx(0.5)


def test_shares_that_vary_as_peoples_and_do_not_follow_them_are_not_flat():
    people, other = shares_of(200), shares_of(200, 9)
    found = described(other, people)
    assert not found.flattens and found.spread.lower < 1.0 < found.spread.upper
    assert tendency_text(found) == "Its shares hardly follow people's."
    halves = [(one + two) / 2 for one, two in zip(people, other, strict=True)]
    assert tendency_text(described(halves, people)).startswith(
        "Flattens: its shares differ 0.7 times"
    )


def test_the_noise_of_few_people_does_not_make_a_perfect_simulator_flatten():
    rng = np.random.default_rng(3)
    truth = shares_of(400, 4)
    seen = [rng.multinomial(30, share) / 30 for share in truth]
    found = described(truth, seen, sizes=30)
    assert not found.flattens and not found.exaggerates
    assert found.slope.lower < 1.0 < found.slope.upper


def test_a_simulator_leans_to_the_end_that_it_prefers():
    people = shares_of()
    positions = [np.linspace(0, 1, 4)] * len(people)
    high = [0.8 * share + 0.2 * np.eye(4)[3] for share in people]
    low = [0.8 * share + 0.2 * np.eye(4)[0] for share in people]
    assert described(high, people, positions).leans == 1
    assert described(low, people, positions).leans == -1
    assert described(people, people, positions).leans == 0


def test_nothing_is_said_of_few_questions():
    people = shares_of(8)
    assert described(people, people).slope is None


def numbers_in(svg, tag, *names):
    found = re.findall(rf"<{tag} [^>]*>", str(svg))
    return [[float(re.search(rf'{name}="([\d.]+)', one)[1]) for name in names] for one in found]


def test_an_interval_is_drawn_as_long_as_it_is():
    ((start, end),) = numbers_in(charts.dot(1.85, 1.81, 1.94, 40.0, "2"), "line", "x1", "x2")
    assert end - start == pytest.approx(100 * 0.13 / 40, abs=0.011)


def test_a_box_is_people_s_interval_and_a_dot_the_simulator_s_share():
    boxes, ticks, gaps, dots = re.findall(
        r'd="([^"]*)"', str(charts.shares([(0.4, 0.35, 0.46, 0.52), (0.6, 0.54, 0.65, None)]))
    )
    assert boxes == "M35 5H46M54 15H65"
    assert ticks == "M40 1v8M60 11v8"
    assert gaps == "M40 5H52" and dots == "M52 5h0"


@pytest.mark.parametrize("largest", [0.03, 1.0, 7.0, 42.0, 100.0, 3e4])
def test_an_axis_has_few_round_numbers(largest):
    at = plot.ticks(largest)
    assert at[0] == 0 and at[-1] <= largest and 3 <= len(at) <= 7


def test_equal_shares_lie_on_the_line_of_the_scatter():
    drawn = str(charts.chart(plot.scatter([(0.2, 0.2), (0.5, 0.5)], 0.1, "#123456")))
    line = re.search(r'class="line" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"', drawn)
    x0, y0, x1, y1 = map(float, line.groups())
    dots = re.findall(r"M([\d.]+) ([\d.]+)h0", drawn)
    assert len(dots) == 2
    for x, y in dots:  # a dot stands on a whole unit of the 300 that the drawing is wide
        on_line = y0 + (float(x) - x0) / (x1 - x0) * (y1 - y0)
        assert abs(float(y) - on_line) <= 1.1


def test_labels_of_lines_do_not_overlap():
    places = plot.apart([100.0, 101.0, 102.0, 20.0], charts.APART, 300.0)
    assert min(np.diff(sorted(places))) >= charts.APART
    assert max(plot.apart([298.0, 299.0, 20.0], charts.APART, 300.0)) <= 300.0


def test_no_two_kinds_share_a_colour():
    assert {colour(name, 0) for name in BASELINES} <= {*GREYS}
    many = {colour("model", place) for place in range(2 * len(COLOURS))}
    assert len({*many, *GREYS, PEOPLE}) == 2 * len(COLOURS) + len(GREYS) + 1


def test_other_people_stand_in_the_ranking_where_their_distance_puts_them():
    rows = [
        {"discrepancy": "tv", "people": n, "mean": far, "ci_lower": far, "ci_upper": far}
        for n, far in ((50, 0.09), (60, 0.08), (150, 0.05), (500, 0.03))
    ]
    results = SimpleNamespace(
        people_reference=rows, kind="categorical", scale=SCALE, m=3, is_conjoint=False
    )
    of = SimpleNamespace(results=results, discrepancy="tv", tolerance=0.1, every=[])
    screen = FirstScreen(of, None)
    assert [row.label for row in screen.ranking] == [f"{n} other people" for n in (500, 150, 50)]
    assert [row.estimate for row in screen.ranking] == pytest.approx([3, 5, 9])


@pytest.mark.parametrize(
    ("discrepancy", "named", "limit", "cards"),
    [
        ("tv", {}, "default", "of 100 people"),
        ("tv", {"tv": [0.2]}, "chosen", "of 100 people"),
        ("squared", {"tv": [0.2]}, "default", "points; right: of 100 people"),
        ("kl", {}, "default", "Kullback-Leibler divergence (nats); right: of 100 people"),
    ],
)
def test_the_limit_names_who_chose_it_and_the_cards_their_unit(discrepancy, named, limit, cards):
    results = SimpleNamespace(step={"tolerance": named}, kind="ordinal", scale=SCALE)
    screen = FirstScreen(ComparisonTable(results, discrepancy, None), None)
    assert (screen.chosen_by, screen.unit_of_cards) == (limit, cards)


@pytest.mark.parametrize(
    ("people", "warning"),
    [
        ([[98, 2]], FEW_ANSWERS),
        ([[50, 50]], None),
        ([[1, 1]], "no interval: a scenario has fewer than three people, or draws"),
    ],
)
def test_the_warning_tells_where_an_interval_is_weak(people, warning):
    found = mean_discrepancy(people, [[0.9, 0.1]], discrepancy="tv")
    text = said(found, ASKED, None)
    assert text is None if warning is None else text.startswith(warning)
    assert {*found._fields[:5]} < {*MEAN_DISCREPANCY.names}


@pytest.mark.parametrize(
    ("discrepancies", "unit", "computed"),
    [
        (["tv"], None, "jackknife, lower end by resampling"),
        (["tv"], OF_PERSONS, "jackknife, lower end by resampling"),
        (["tv"], OF_PSUS, "jackknife"),
        (["w1"], OF_REPLICATES, "jackknife"),
        (["tv", "tv"], None, "resampling"),
        (["tv", "tv"], OF_PERSONS, "jackknife"),
        (["squared"], None, "jackknife"),
        (["kl", "kl"], None, "jackknife"),
    ],
)
def test_a_table_says_resampling_only_where_answers_are_drawn_anew(discrepancies, unit, computed):
    cases = [SimpleNamespace(discrepancy=name) for name in discrepancies]
    assert error_of(cases, unit) == computed


def standing_of(closer, answers):
    """Return standings of a model that draws beside a guess that states, from these rows."""
    cell = {"simulator": "model", "other": "uniform", "k": "20", "discrepancy": "tv"}
    rows = [
        {**cell, "target": "asked", "answers": each, "closer": name}
        for each, name in zip(answers, closer, strict=True)
    ]
    results = SimpleNamespace(
        mean_differences=rows,
        states=lambda name: name == "uniform",
        compared_at=lambda *names: "20",
    )
    return ComparisonTable(results, "tv", None)


@pytest.mark.parametrize(
    ("closer", "answers", "settled"),
    [
        ([None], [TRUE], None),
        (["uniform"], [TRUE], "uniform"),
        (["model"], [TRUE], "model"),
        ([None], [DRAWN], None),
    ],
)
def test_the_noise_of_few_draws_settles_nothing_against_a_simulator(closer, answers, settled):
    found = standing_of(closer, answers)
    assert found.certainly_closer("model", "uniform") == (settled == "model")
    assert found.certainly_closer("uniform", "model") == (settled == "uniform")


NAMES = [f"{letter}{i}" for letter in "ACE" for i in range(1, 11)]
RAISED = np.where((np.arange(30) + np.arange(30) // 10) % 2, 0.7, 0.3)
M = len(NAMES)
SCORES = [1.0, 2.0, 4.0]


def shares(seed):
    """Return shares of three options, whose means follow one pattern, (30, 3)."""
    last = RAISED + 0.1 * np.random.default_rng(seed).uniform(-1, 1, M)
    return np.stack([0.9 - last, np.full(M, 0.1), last], axis=1)


def questions(given, scores=SCORES, kind="ordinal"):
    """Return what the page knows of two simulators and of people: the second gives ``given``."""
    tables = {"right": shares(1), "uniform": shares(1), "doubtful": given}
    bounds = {"lower": [1.0] * M, "upper": [5.0] * M}
    results = SimpleNamespace(
        simulators=list(tables),
        scenarios=pa.table({"score": [scores] * M, **bounds, "n_effective": [200.0] * M}),
        drawing=set(),
        scenario_names=NAMES,
        clusters=["none"] * M,
        named=lambda name: f"model {name}",
        nouns="questions",
        kind=kind,
    )
    return SimpleNamespace(
        results=results,
        counts=200 * shares(0),
        given=lambda name: (range(M), list(tables[name]), [np.nan] * M),
    )


def test_exchanged_blocks_are_told_in_words_with_both_correlations():
    (text,) = label_doubts(questions(shares(2)[[*range(10, 20), *range(10), *range(20, 30)]]))
    assert (
        "\u2068model doubtful\u2069: over the questions of \u2068A\u2069 and \u2068C\u2069" in text
    )
    assert "model right" not in text
    assert "the labels of the two are probably exchanged in one of the files" in text
    assert "Compare the wording of a few of these questions" in text
    before, after = text.partition("correlate with people's at ")[2].split(" as labelled, and at ")
    assert float(before) < -0.5
    assert float(after.split()[0]) > 0.8


def test_a_reversed_scale_is_told_in_words():
    (text,) = label_doubts(questions(shares(2)[:, ::-1]))
    assert "model doubtful\u2069: over all questions mean answers" in text
    assert "in one of the files the scale probably runs the other way" in text


def test_nothing_is_told_of_right_labels_or_of_options_without_scores():
    assert label_doubts(questions(shares(2))) == []
    assert label_doubts(questions(shares(2)[:, ::-1], scores=None)) == []


def test_item_means_are_shares_of_the_way_from_lowest_to_highest():
    asked = questions(shares(2))
    people, simulators = item_means(asked, ["doubtful"])
    assert people == pytest.approx((shares(0) @ SCORES - 1) / 4)
    assert simulators[0] == pytest.approx((shares(2) @ SCORES - 1) / 4)


def test_a_copy_of_people_and_failed_calls_are_told():
    people = shares(0) / shares(0).sum(axis=1, keepdims=True)
    (copy,) = suspicions(questions(people))
    assert copy == (
        "\u2068model doubtful\u2069 has people's very shares in all 30 questions that it answers; "
        "is it a copy of people's answers?"
    )
    (uniform,) = suspicions(questions(np.full((M, 3), 1 / 3)))
    assert "exactly the same share in 30 of 30 questions, as failed calls do." in uniform
    assert not suspicions(questions(shares(2)))
