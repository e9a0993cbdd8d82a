"""Figures for a journal: sizes, fonts, colours, captions; nothing longer than it is."""

import re
from io import BytesIO
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from small_study import STUDY

from fidelity_study.errors import DataError
from fidelity_study.report import palette
from fidelity_study.report.figures import BY_DEFAULT, curve, drawer, ranking, scatter, source, style
from fidelity_study.report.figures import cards as cards_figure
from fidelity_study.report.page import charts
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.explorer import Questions
from fidelity_study.report.page.first_screen import OptionRow, QuestionCard, RankingRow
from fidelity_study.report.plot import Axis, Line, Plot, shorten
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import Counts
from fidelity_study.report.units import ANSWERS, Unit

KINDS = BY_DEFAULT[:6]
UNIT = Unit(ANSWERS, "tv", 100.0, 0, (0.0, 1.0))


def row(kind, ends, **more):
    known = {"name": kind, "label": f"the {kind}", "describe": "", "kind": kind, "rank": "1"}
    known |= {"colour": "#0072B2", "is_highlighted": kind == "simulator", "questions": 30}
    known |= {"estimate": sum(ends) / 2, "lower": ends[0], "upper": ends[1], "unanswered": 0.0}
    return RankingRow(**known | {"counts": Counts(3, 20, 7)} | more)


def stub(rows, width=style.NARROW):
    """Return a source with a ranking."""
    screen = SimpleNamespace(
        ranking=rows, unit=UNIT, limit=10.0, largest=60.0, drawn_to=60.0, has_counts=True,
        axis_texts=[(0.0, "0"), (20.0, "20")],
    )  # fmt: skip
    results = SimpleNamespace(nouns="questions", level="95 %", step={"test": {"alpha": 0.05}})
    return SimpleNamespace(screen=screen, width=width, results=results, asked="30 questions.")


def intervals(axis):
    """Return the drawn lines with two different ends."""
    return [line for line in axis.lines if len(set(line.get_xdata())) == 2]


@pytest.mark.sampled
@pytest.mark.parametrize("ends", [(1.81, 1.94), (10.0, 30.0)])
@pytest.mark.parametrize("width", [style.NARROW, style.WIDE])
def test_an_interval_is_drawn_as_long_as_it_is(ends, width):
    figure, _ = ranking.draw(stub([row("simulator", ends)], width))
    (line,) = intervals(figure.axes[0])
    assert list(line.get_xdata()) == list(ends)
    assert line.get_solid_capstyle() == "butt"


def test_people_are_black_baselines_grey_and_the_closest_in_colour():
    kinds = {"people": {}, "baseline": {"colour": palette.GREYS[0]}, "simulator": {}}
    rows = [row(kind, (i, i + 3.0), **more) for i, (kind, more) in enumerate(kinds.items())]
    rows.append(row("simulator", (9.0, 12.0), is_highlighted=False))
    figure, _ = ranking.draw(stub(rows))
    found = [line.get_color() for line in intervals(figure.axes[0])]
    assert found == [palette.PEOPLE, palette.GREYS[0], "#0072B2", style.SOFT]


def test_the_counts_beside_a_simulator_are_the_page_s():
    figure, notes = ranking.draw(stub([row("simulator", (1.0, 3.0))]))
    bars = [bar.get_width() * 30 for bar in figure.axes[1].patches]
    assert bars == pytest.approx([3, 20, 7])
    assert [text.get_text() for text in figure.axes[1].texts] == ["3", "7"]
    assert "Tolerance: 10." in notes


def captioned(words, notes):
    """Return the caption of a figure with notes."""
    drawn = source.drawing(None, lambda _: (None, notes), "Title", words)
    return drawn.caption


def test_a_caption_has_at_most_120_words_and_only_whole_sentences():
    long = "word " * 99 + "word."
    assert captioned("Text.", [long, "A last note."]) == f"Title. Text. {long} A last note."
    assert captioned(long, [long, "A last note."]) == f"Title. {long} A last note."


@pytest.mark.parametrize("name", KINDS)
def test_what_a_caption_always_says_leaves_room_for_its_notes(name):
    module = __import__(f"fidelity_study.report.figures.{name}", fromlist=["draw"])
    assert len(module.__doc__.split()) <= 75


def test_another_font_is_never_taken_silently(monkeypatch):
    monkeypatch.setattr(style, "font", lambda: style.OTHER)
    assert "no font like Helvetica is installed" in style.font_note()
    monkeypatch.setattr(style, "font", lambda: "Arimo")
    assert style.font_note() == ""


def test_a_text_is_cut_to_a_width_and_broken_between_words():
    text = "a simulator with a very long name"
    (fitted,) = style.names([text], 0.8)
    assert fitted.endswith("…") and text.startswith(fitted[:-1])
    assert style.width_of(fitted, style.NORMAL) <= 0.8
    lines = style.broken(text, 0.8, style.NORMAL).split("\n")
    assert len(lines) > 1 and " ".join(lines) == text


def test_two_columns_show_four_simulators_and_one_column_the_closest():
    tested = [SimpleNamespace(name=f"s{i}") for i in range(6)]
    axis = Axis(1.0, [(0.0, "0%")], "share")
    screen = SimpleNamespace(
        scatter=lambda name, top=0.0: Plot("scatter", axis, axis, colour="#0072B2"),
        tendency=lambda name: "Flattens.",
    )
    shown = SimpleNamespace(
        screen=screen, simulator=None, subject="s0", asked="30 questions.",
        view=SimpleNamespace(of=SimpleNamespace(tested=tested)),
        results=SimpleNamespace(named=str.upper),
    )  # fmt: skip
    shown.width = style.WIDE
    shown.subjects = source.Source.subjects.fget(shown)
    figure, notes = scatter.draw(shown)
    assert [axis.get_title("right") for axis in figure.axes] == ["S0", "S1", "S2", "S3"]
    assert notes[-1] == "S0, S1, S2 and S3: Flattens."
    shown.width = style.NARROW
    shown.subjects = source.Source.subjects.fget(shown)
    assert [axis.get_title("right") for axis in scatter.draw(shown)[0].axes] == ["S0"]


def test_at_most_four_curves_have_names_and_the_others_are_thin(monkeypatch):
    axis = Axis(1.0, [(0.0, "0%")], "share")
    lines = [Line((0, 1), (i, i + 1), f"#00000{i}", f"s{i}") for i in range(6)]
    axes = {
        most: Plot("lines", axis, axis._replace(high=7.0), lines=lines[:most]) for most in (4, 6)
    }
    results = SimpleNamespace(
        m=30, envelope={}, gammas=["0.5"], ns=["all"], respondents_repeat=False, nouns="items"
    )
    view = SimpleNamespace(curves=lambda most=4: axes[min(most, 6)])
    shown = SimpleNamespace(view=view, width=style.NARROW, results=results, asked="")
    figure, notes = curve.draw(shown)
    (axis,) = figure.axes
    assert [text.get_text() for text in axis.texts] == ["s0", "s1", "s2", "s3"]
    assert [line.get_color() for line in axis.lines].count(curve.OTHERS) == 2
    assert "Thin grey curves are of further simulators." in notes
    assert not any("Dotted" in note for note in notes)


def test_an_unknown_simulator_or_distance_is_refused_with_a_guess():
    results = SimpleNamespace(simulators=["model", "uniform"])
    view = SimpleNamespace(of=SimpleNamespace(discrepancy="tv"), results=results)
    dataset = SimpleNamespace(results=results, views=[view], name="town")
    with pytest.raises(DataError, match="--simulator: did you mean model"):
        _ = source.Source(dataset, 3.5, simulator="modell").subject
    with pytest.raises(DataError, match="--distance: there are: tv"):
        _ = source.Source(dataset, 3.5, distance="absolute").view


def test_a_dataset_without_curves_says_why_it_has_no_picture():
    results = SimpleNamespace(step={"curves": False})
    dataset = SimpleNamespace(results=results, views=[], name="town")
    with pytest.raises(source.NothingToDrawError, match=r"cannot .* says curves: false"):
        _ = source.Source(dataset, 3.5).view


def answering(simulators, forms):
    """Return results of simulators of which each form has some."""
    results = Results({"simulators": simulators}, {})
    results.__dict__["_answering"] = {form: set(names) for form, names in forms.items()}
    return results


@pytest.mark.parametrize(
    ("forms", "shown"),
    [
        ({"40": ["uniform"], "stated": ["uniform"]}, {"uniform": "stated"}),
        ({"40": ["uniform"], "stated": ["uniform", "lm"]}, {"uniform": "stated", "lm": "stated"}),
        ({"40": ["uniform", "lm"], "stated": ["uniform"]}, {"uniform": "stated", "lm": "40"}),
        ({"20": ["lm", "other"], "40": ["lm"], "stated": ["uniform"]}, {"lm": "40", "other": "20"}),
    ],
)
def test_who_states_is_shown_so_and_the_others_by_all_their_draws(forms, shown):
    found = answering(list(shown), forms)
    assert {name: found.main_form(name) for name in shown} == shown
    drawn = [form for form in shown.values() if form != "stated"]
    assert found.compared_at(*shown) == min(drawn, default="stated")


@pytest.mark.parametrize("lowest", [-0.2, 0.0, 0.3])
def test_no_interval_is_cut_off_at_0(lowest):
    axis = Figure().subplots()
    axis.plot([lowest, 0.8], [0, 0])
    style.show_zero(axis)
    left, right = axis.get_xlim()
    assert left < min(lowest, 0.0) < 0.8 < right


def written(figure):
    """Return all texts that are drawn, with their places."""
    FigureCanvasAgg(figure).draw()
    hidden = {label for axes in figure.axes for label in not_drawn(axes)}
    found = figure.findobj(lambda each: isinstance(each, Text) and each.get_visible())
    shown = [each for each in found if each.get_text().strip() and each not in hidden]
    return [(each, each.get_window_extent()) for each in shown]


def not_drawn(axes):
    """Return the texts of panels that are not there, and of ticks beyond the ends of an axis."""
    if not axes.get_visible():
        return axes.findobj(Text)
    found = []
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        beyond = [tick for tick in ticks if not low <= tick.get_loc() <= high]
        found += [label for tick in beyond for label in (tick.label1, tick.label2)]
    return found


def texts(figure):
    """Return all texts of a figure."""
    figure.savefig(BytesIO(), format="pdf")
    return [each.get_text() for each in figure.findobj(Text) if each.get_text()]


def assert_fits(figure):
    """No word lies on another, or beyond the page."""
    places = written(figure)
    page = figure.get_window_extent()
    for text, place in places:
        assert page.x0 - 2 <= place.x0 <= place.x1 <= page.x1 + 2, text
        assert page.y0 - 2 <= place.y0 <= place.y1 <= page.y1 + 2, text
        assert 5 <= text.get_fontsize() <= 7, text
    for (one, first), (other, second) in combinations(places, 2):
        shared = Bbox.intersection(first, second)
        both = shared.width * shared.height if shared else 0.0
        smaller = min(first.width * first.height, second.width * second.height)
        assert both <= 0.1 * smaller, (one, other)


@pytest.mark.slow
@pytest.mark.parametrize("width", [style.NARROW, style.WIDE])
@pytest.mark.parametrize("name", KINDS)
def test_figures_of_simulators_with_long_names_fit(small_study, name, width):
    dataset = Dataset("survey", small_study.results(STUDY, "survey"))
    figure, _ = drawer(name)(source.Source(dataset, width))
    assert figure.get_figwidth() == pytest.approx(width)
    assert_fits(figure)


OWN = '''"""People of each scenario

How many people answered. More is better.
"""

from fidelity_study.report.figures import style


def draw(source):
    figure = style.new(source.width, 2)
    figure.subplots().plot(range(source.results.m), color=style.INK)
    return figure, []
'''


def test_a_figure_of_a_user_is_drawn_from_its_file(tmp_path):
    file = tmp_path / "people.py"
    file.write_text(OWN, encoding="utf-8")
    results = SimpleNamespace(m=12)
    figure, _ = drawer("people", str(file))(SimpleNamespace(results=results, width=style.WIDE))
    (line,) = figure.axes[0].lines
    assert np.size(line.get_xdata()) == 12


def says(shown, label):
    """Whether a cut label may stand for another: dots are in place of any text."""
    return re.fullmatch(".*".join(map(re.escape, shown.split("…"))), label) is not None


WORDS = st.sampled_from(["gotten", "somewhat", "much", "better", "worse", "a_b", "the", "same"])


@pytest.mark.slow
@given(st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8))
def test_a_label_that_is_cut_stands_for_no_other(labels):
    shown = shorten(labels, lambda text: len(text) <= 26)
    for text, label in zip(shown, labels, strict=True):
        assert text == label if len(label) <= 26 else len(text) <= 26 and says(text, label)
    cut = [(text, label) for text, label in zip(shown, labels, strict=True) if "…" in text]
    both = [(text, label, other) for text, label in cut for other in labels if other != label]
    assert not [one for one in both if says(one[0], one[2])]


SCALE = ["Gotten much better", "Gotten somewhat better", "Stayed about the same",
         "Gotten somewhat worse", "Gotten much worse"]  # fmt: skip


def test_options_and_questions_of_cards_keep_what_tells_them_apart():
    wording = "Do you agree that the government should do more about {}, even if taxes rise?"
    options = [OptionRow(label, 0.2, 0.1, 0.3, 0.25) for label in SCALE]
    cards = [
        QuestionCard(i, wording.format(about), "", "", 90.0, 0.1, None, None, None, options)
        for i, about in enumerate(("the asylum of refugees", "the asylum of others"))
    ]
    screen = SimpleNamespace(
        cards=lambda _: cards, topic_texts={}, unit=UNIT, row=lambda _: row("simulator", (1, 2))
    )
    results = SimpleNamespace(named=str, nouns="questions", bound_level="95 %")
    stub_source = SimpleNamespace(
        screen=screen, subject="s", width=style.NARROW, results=results, asked="2 questions."
    )
    figure, _ = cards_figure.draw(stub_source)
    shown = [text.get_text() for text in figure.axes[0].texts]
    for texts in (SCALE, [card.heading for card in cards]):
        drawn = [" ".join(text.split()) for text in shown]
        for label in texts:
            fitting = [text for text in drawn if "…" in text and says(text, label)]
            assert label in drawn or fitting
            assert not [x for text in fitting for x in texts if x != label and says(text, x)]


def test_names_of_lines_keep_what_tells_them_apart():
    names = [f"opt-out, target behaviour {name}" for name in ("organs", "green energy")]
    lines = [Line((0.0, 1.0), (0.1, 0.1 + i), "#0072B2", name) for i, name in enumerate(names)]
    axis = Axis(1.0, [(0.0, "0")], "share")
    drawn = charts.chart(Plot("lines", axis, axis, (), lines))
    texts = re.findall("<text[^>]*>([^<]*…[^<]*)<", drawn)
    assert [[says(text, name) for name in names] for text in texts] == [
        [True, False],
        [False, True],
    ][2 - len(texts) :]


@pytest.mark.parametrize("scores", [range(1990, 2021), range(10**6, 10**6 + 33), [1 / 3] * 16])
def test_bins_of_numbers_have_labels_that_differ(scores):
    labels, place = Questions._bins([str(score) for score in scores], [float(x) for x in scores])
    ends = [[float(end) for end in label.split(" to ")] for label in labels]
    width = (max(scores) - min(scores)) / len(labels)
    assert [high - low for low, high in ends] == pytest.approx([width] * len(ends), rel=0.03)
    assert place is not None
    for score, i in zip(scores, place, strict=True):
        assert ends[i][0] - 0.01 * width <= score <= ends[i][1] + 0.01 * width or width == 0.0
