"""The section on how answers go together: its numbers, its picture, and what is not measured."""

import re
from types import SimpleNamespace

import pytest

from fidelity_study.report.figures import relations as figure_of_relations
from fidelity_study.report.figures import style
from fidelity_study.report.figures.source import NothingToDrawError
from fidelity_study.report.page.charts import chart
from fidelity_study.report.page.structure import sentences, structure, unmeasured
from fidelity_study.report.plot import relations
from fidelity_study.steps.structure import PEOPLE_UNKNOWN, REPLICATES, RUNS_UNKNOWN


def ends(name, estimate, reach=0.02):
    if estimate is None:
        return {f"{name}{end}": None for end in ("", "_lower", "_upper")}
    return {name: estimate, f"{name}_lower": estimate - reach, f"{name}_upper": estimate + reach}


def row(name, slope=0.487, congruence=0.99, topic=None, lacking=None):
    known = {**ends("slope", slope), **ends("congruence", congruence), **ends("same_sign", 1.0)}
    about = {"simulator": name, "topic": topic, "pairs": 3, "clear": 2, "lacking": lacking}
    about["warning"] = "weights count; errors are rough" if name == "rough" else None
    return {**known, **about} if lacking is None else about


def twins_row(name):
    about = {
        "simulator": name,
        "topic": None,
        "measure": "hits",
        "own": 0.36,
        "others": 0.2,
        "p_value": 0.0001,
    }
    return {**about, **ends("excess", 0.16), **ends("most_frequent", -0.1)}


def results_of(*rows, scales=(), groups=(("vote", 1.3, 1.8), ("age", None, None))):
    names = list(dict.fromkeys(row["simulator"] for row in rows))
    found = SimpleNamespace(
        structure=list(rows),
        associations=[
            {"simulator": name, "people_r": r, "r": r} for name in names for r in (0.1, 0.5, None)
        ],
        scales=list(scales),
        dispersion=[
            {"simulator": name, "question": None, **ends("variance_ratio", 0.62)} for name in names
        ],
        group_differences=[
            {"simulator": name, "question": None, "grouping": grouping, "few_answers": slope == 0.3}
            | ends("slope", slope)
            | ends("ratio", ratio)
            for name in names
            for grouping, slope, ratio in groups
        ],
        twins=[twins_row(name) for name in names],
        simulators=names,
        nouns="questions",
        level="95 %",
        colour=lambda name: "#123456",
        named=lambda name: name,
        under_test=lambda simulators: simulators,
    )
    known = {row["simulator"]: row for row in reversed(rows) if not row["lacking"]}
    found.relations = lambda name: known.get(name, {})
    return found


def table_of(*rows, **more):
    found = results_of(*rows, **more)
    tested = [SimpleNamespace(name=name) for name in found.simulators]
    return SimpleNamespace(results=found, tested=tested)


def test_numbers_of_the_section():
    alpha = {**ends("people_alpha", 0.85), **ends("alpha", -0.14, 0.1)}
    scale = {"scale": "trust", "simulator": "model", "questions": 3, "reversed": 1, **alpha}
    scale |= ends("variance_ratio", 0.32)
    by_topic = [row("model", 0.5, topic="courts"), row("model", -0.004, topic="between topics")]
    section = structure(table_of(row("model"), *by_topic, scales=[scale]))
    (kept,) = section.kept
    texts = [text for text, _ in kept.cells]
    assert texts == ["49 % [47 to 51 %]", "50 %", "0 %", "0.99", "100 % of 2"]
    assert section.topics == ["courts", "between topics"]
    (alphas,) = section.alphas
    assert alphas.label == "trust (3 questions, 1 reversed)"
    expected = ["0.85 [0.83, 0.87]", "−0.14 [−0.24, −0.04]"]
    assert [text for text, _ in alphas.cells] == expected
    (twins,) = section.twins
    texts = [text for text, _ in twins.cells]
    assert texts == ["36 %", "20 %", "16 % [14 to 18 %]", "< 0.001", "−10 % [−12 to −8 %]"]
    said = [
        "has 62 % [60 to 64 %] of the variance of people's answers, 32 % [30 to 34 %] of that of"
        " the sum trust. It keeps 130 % [128 to 132 %] of people's differences between groups by"
        " vote; the variance between these groups is 180 % [178 to 182 %] of people's."
    ]
    assert [line.split(" ", 1)[1] for line in section.apart] == said
    assert section.panels[0].text == "slope 0.49 [0.47, 0.51]"
    assert section.unmeasured == ""


def test_differences_of_groups_that_are_turned_round_are_not_kept():
    groups = ("age", -0.5, 0.9), ("sex", 0.3, None), ("age | sex", -0.4, None)
    results = results_of(row("model"), groups=groups)
    (said,) = sentences(results, "model")
    assert said.endswith(" turns people's differences between groups by age round.")
    (apart,) = structure(table_of(row("model"), groups=groups)).apart
    assert (
        "It turns people's differences between groups by age round (−50 % [−52 to −48 %] of them);"
        " the variance between these groups is 90 % [88 to 92 %] of people's."
    ) in apart
    assert (
        "It keeps 30 % [28 to 32 %] of people's differences between groups by sex, by few" in apart
    )
    assert "groups by age × sex round" in apart


def test_what_errors_do_not_know_is_told_once():
    section = structure(table_of(row("rough"), row("rough", topic="courts")))
    assert section.cautions == ["Weights count.", "Errors are rough."]


def test_another_pattern_is_told():
    _, second = sentences(results_of(row("model", congruence=0.5)), "model")
    assert second == "And it has another pattern: the congruence is 0.50."
    (first,) = sentences(results_of(row("model")), "model")
    assert "keeps 49 % [47 to 51 %] of the strength of people's relations" in first


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row("a", lacking=PEOPLE_UNKNOWN)], "not measured; give people's answers with a row"),
        ([row("a", lacking=REPLICATES)], "not measured; it never is with replicate weights"),
        ([row("a", lacking=RUNS_UNKNOWN), row("b")], "not measured of some; give simulators'"),
        ([row("a")], ""),
        ([], "was not measured."),
    ],
)
def test_what_was_not_measured_is_told_with_what_to_bring(rows, said):
    told = unmeasured(results_of(*rows))
    assert said in told and bool(told) == bool(said)


def test_without_any_measured_there_is_no_section():
    assert structure(table_of(row("model", lacking=RUNS_UNKNOWN))) is None


def test_dots_and_the_line_of_equality_have_one_scale():
    plot = relations([(0.5, 0.5), (-0.1, 0.4)], [0.5, 0.4, 0.6], (-0.1, 0.5), "red")
    drawn = str(chart(plot))
    assert (plot.x.low, plot.x.high, plot.y.low, plot.y.high) == (-0.2, 0.6, -0.2, 0.6)
    assert [text for _, text in plot.x.ticks] == ["−0.2", "0.0", "0.2", "0.4", "0.6"]
    (path,) = re.findall(r'class="points" d="([^"]+)"', drawn)
    dots = [tuple(map(float, dot.split())) for dot in re.findall(r"M([\d. ]+)h0", path)]
    (equal,) = re.findall(r'class="line bound" d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"', drawn)
    x1, y1, x2, y2 = map(float, equal)
    at = (dots[0][0] - x1) / (x2 - x1)
    assert dots[0][1] == pytest.approx(y1 + at * (y2 - y1), abs=0.6)  # r = s is on the line
    assert at == pytest.approx((0.5 + 0.2) / 0.8, abs=0.003)
    assert len(plot.band) == 6 and plot.lines[1].y == (-0.1, 0.3)


def test_the_figure_has_the_closest_simulators_and_says_what_they_keep():
    results = results_of(row("model"), row("other", slope=None), row("third", lacking=RUNS_UNKNOWN))
    asked = SimpleNamespace(
        results=results,
        subjects=["third", "model", "other"],
        width=style.WIDE,
        asked="3 questions.",
        dataset=SimpleNamespace(name="town"),
    )
    figure, notes = figure_of_relations.draw(asked)
    assert [axis.get_title("right") for axis in figure.axes] == ["model", "other"]
    assert figure.axes[0].get_xlim() == figure.axes[0].get_ylim() == (0.0, 0.6)
    assert [len(axis.lines) for axis in figure.axes] == [3, 2]  # no slope of the second
    assert "49 % [47 to 51 %]" in notes[1]
    asked.subjects = ["third"]
    with pytest.raises(NothingToDrawError, match="was not measured of some"):
        figure_of_relations.draw(asked)
