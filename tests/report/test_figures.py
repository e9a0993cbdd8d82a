"""The figures stay readable whatever the simulators are called."""

from io import BytesIO
from itertools import combinations
from types import SimpleNamespace
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from small_study import ECHO, EVERYWHERE, OTHER_KINDS, STUDY, TWIN

from fidelity_study.config.params import places
from fidelity_study.config.study import Study
from fidelity_study.report.figures import bands, drawer, guarantees, style
from fidelity_study.report.results import Results

pytestmark = pytest.mark.slow

SMALLEST_PANEL = 0.9


@pytest.fixture(scope="module", params=[*EVERYWHERE, "plan"])
def figure(request, small_study):
    """A figure of the survey, whose simulators have long names with markup."""
    return drawn(request.param, small_study.results(STUDY, "survey"))


def drawn(name, results):
    """Return a figure."""
    return drawer(name)(results)


OWN = '''"""People of each scenario

How many people answered. More is better.
"""

from matplotlib.figure import Figure

from fidelity_study.report.figures import style


def draw(results):
    figure = Figure()
    figure.subplots().plot(range(results.m), color=style.COLOURS[0])
    return figure
'''


def test_a_figure_is_added_by_one_file(small_study, tmp_path):
    file = small_study.root / "src" / "fidelity_study" / "report" / "figures" / "people.py"
    project = small_study.finished(tmp_path)
    file.write_text(OWN, encoding="utf-8")
    try:
        project.run("results/default/ratings/figures/people.png")
        assert project.planned("results/default/ratings/figures/people.pdf") == {}
    finally:
        file.unlink()
    drawn = project.folder / "results" / "default" / "ratings" / "figures"
    assert (drawn / "people.png").stat().st_size > 5_000
    assert (drawn / "people.rst").read_text() == "How many people answered. More is better.\n"


def test_a_figure_of_a_user_is_drawn_from_its_file(small_study, tmp_path):
    file = tmp_path / "people.py"
    file.write_text(OWN, encoding="utf-8")
    drawn = drawer("people", str(file))(small_study.results(STUDY, "survey"))
    (line,) = drawn.axes[0].lines
    assert len(line.get_xdata()) == 12


def test_names_are_drawn_as_they_are(figure):
    """In titles, a line may end between two words of a name."""
    shown = " ".join(texts(figure)).split()
    for name in (TWIN, ECHO):
        words = name.split()
        starts = range(len(shown) - len(words) + 1)
        assert any(shown[i : i + len(words)] == words for i in starts), name


def texts(figure):
    """Return all texts of a figure as they are drawn."""
    page = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(page, format="svg")
    return [each.text for each in ElementTree.fromstring(page.getvalue()).iter() if each.text]


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


def test_a_figure_is_as_wide_as_a_page_and_its_words_are_large_enough(figure):
    assert figure.get_figwidth() <= 7.2
    assert min(text.get_fontsize() for text, _ in written(figure)) >= 7


def test_no_words_lie_on_others(figure):
    texts = [(text.get_text(), place) for text, place in written(figure)]
    for (one, first), (other, second) in combinations(texts, 2):
        shared = Bbox.intersection(first, second)
        both = shared.width * shared.height if shared else 0.0
        smaller = min(first.width * first.height, second.width * second.height)
        assert both <= 0.1 * smaller, (one, other)


def test_no_words_lie_beyond_the_page(figure):
    for text, place in written(figure):
        page = figure.get_window_extent()
        assert page.x0 - 1 <= place.x0 <= place.x1 <= page.x1 + 1, text
        assert page.y0 - 1 <= place.y0 <= place.y1 <= page.y1 + 1, text


def quiet():
    """Return results of which there is nothing to note."""
    notes = SimpleNamespace(draws="", smoothing="", weights="")
    nouns = {"noun": "question", "nouns": "questions"}
    return SimpleNamespace(step={"title": "t"}, median_answers=300.0, notes=notes, **nouns)


@pytest.mark.parametrize("simulators", [1, 4, 9, 20])
def test_the_panels_of_many_simulators_fit_a_page(simulators):
    figure = style.curve_panels(
        quiet(),
        "heading",
        rows=[("total variation", ())],
        columns=[(f"mistral-large-{i}b, each question by itself", (i,)) for i in range(simulators)],
        panel=lambda axis, i: axis.plot([0, 1], [0, i + 1], label="this simulator"),
        notes=["A note that says what is drawn."] * 8,
    )
    width, height = figure.get_size_inches()
    assert width <= 7.2
    assert height <= 9.7
    FigureCanvasAgg(figure).draw()
    for axis in figure.axes:
        size = axis.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        assert min(size.width, size.height) >= SMALLEST_PANEL


def test_a_figure_without_anything_certain_says_so():
    results = quiet()
    results.gammas, results.shown, results.guarantee_curves = ["0.5"], ["model"], {}
    results.notes.dependence, results.notes.fitted = "People answer several.", ""
    few = "Nothing is certain with this number of questions. "
    for results.all_share_people, said in ((False, few), (True, "")):
        drawn = guarantees.draw(results)
        assert not drawn.axes
        assert f"{said}People answer several." in " ".join(texts(drawn))
        assert (few in " ".join(texts(drawn))) == bool(said)


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


def test_means_say_that_the_same_people_answered(small_study):
    results = small_study.results(STUDY, "ratings")
    assert results.notes.dependence
    assert results.notes.dependence in style.undressed(drawn("means", results))[1]


def test_a_legend_lists_what_is_in_its_row():
    figure = style.curve_panels(
        quiet(),
        "heading",
        rows=[("one", (["_a", "b"],)), ("other", (["b", "c"],))],
        columns=[("left", (0,)), ("right", (1,))],
        panel=lambda axis, names, i: axis.plot([0, 1], [0, 1], label=names[i]),
        notes=[],
        also=[style.ORACLE],
        same=False,
    )
    listed = [[text.get_text() for text in part.legends[0].get_texts()] for part in figure.subfigs]
    assert listed == [["_a", "b"], ["b", "c"]]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["oracle"]


@pytest.mark.parametrize(
    ("dataset", "listed"),
    [
        ("ratings", ["rule", "model", "estimate", "mean"]),
        ("survey", [style.plain(TWIN), ECHO, "estimate", "bound, 95 % confidence", "mean"]),
    ],
)
def test_a_legend_that_is_right_for_all_panels_is_there_once(small_study, dataset, listed):
    """Of the ratings nothing is certain: their scenarios are linked by people in common."""
    figure = drawn("curves", small_study.results(STUDY, dataset))
    assert [each.get_legend() for each in figure.axes] == [None, None]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == listed


@pytest.mark.parametrize(
    ("areas", "chosen"),
    [
        ({"a": 0.4, "b": 0.3, "c": 0.2, "pooled": 0.1, "uniform": 0.0}, ["a", "c"]),
        ({"a": 0.4, "uniform": 0.1, "pooled": 0.2}, ["a", "pooled"]),
        ({"uniform": 0.1, "pooled": 0.2, "demographic": 0.3}, ["pooled", "demographic"]),
        ({"a": 0.2, "uniform": 0.1}, ["a", "uniform"]),
        ({"uniform": 0.1}, ["uniform"]),
    ],
)
def test_bands_are_of_those_under_test_and_of_a_uniform_guess_last(areas, chosen):
    results = SimpleNamespace(
        shown=list(areas),
        summary_rows=lambda **_: [
            {"simulator": name, "k": "20", "auc": areas[name]} for name in areas
        ],
        main_form=lambda name: "20",
        under_test=lambda names: Results.under_test(None, names),
    )
    assert bands.two(results, "all", "witness", "0.5", "tv") == chosen


@pytest.mark.parametrize("lowest", [-0.2, 0.0, 0.3])
def test_no_interval_is_cut_off_at_0(lowest):
    axis = Figure().subplots()
    axis.plot([lowest, 0.8], [0, 0])
    style.show_zero(axis)
    left, right = axis.get_xlim()
    assert left < min(lowest, 0.0) < 0.8 < right


def test_the_plans_axes_are_named_by_what_they_count(small_study):
    figure = drawn("plan", small_study.results(STUDY, "survey"))
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert {axis.get_ylabel() for axis in shown} <= {"questions m", ""}
    assert "questions m" in {axis.get_ylabel() for axis in shown}


def test_long_names_leave_room_for_the_panels(figure):
    FigureCanvasAgg(figure).draw()
    for axis in figure.axes:
        if axis.get_label() != "<colorbar>":
            size = axis.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
            assert min(size.width, size.height) >= SMALLEST_PANEL


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_long_title_is_drawn_whole(small_study, name):
    results = small_study.results(STUDY, "survey")
    results.step["title"] = "WHICH DIGITAL TWINS, EACH AGAINST ITS OWN PERSON, MISLEAD US MOST $"
    figure = drawn(name, results)
    FigureCanvasAgg(figure).draw()
    (title,) = [each for each in figure.texts if "DIGITAL" in each.get_text()]
    drawn_at, page = title.get_window_extent(), figure.get_window_extent()
    assert page.x0 <= drawn_at.x0 < drawn_at.x1 <= page.x1
    assert drawn_at.y1 <= page.y1
    assert drawn_at.y0 > max(axis.get_window_extent().y1 for axis in figure.axes)


@pytest.mark.parametrize(("study", "dataset"), [(STUDY, "ratings"), (OTHER_KINDS, "delays")])
def test_numbers_have_all_figures(small_study, other_kinds, study, dataset):
    project = small_study if study is STUDY else other_kinds
    results = project.results(study, dataset)
    assert results.simulators == ["rule", "model"]
    for name in EVERYWHERE:
        figure = drawn(name, results)
        shown, nothing = " ".join(texts(figure)), not figure.axes
        assert nothing == (name == "guarantees" and dataset == "ratings")
        assert nothing or {"rule", "model"} & set(shown.split())


def test_a_coverage_for_each_side_is_named_for_both(small_study):
    shown = texts(drawn("gamma", small_study.results(STUDY, "ratings")))
    assert {"γ = 0.5 above, γ = 0.9 below", "γ = 0.5", "γ = 0.9"} <= set(shown)


def test_the_figure_of_a_plan_says_what_is_cheapest_and_what_no_curve_reaches(small_study):
    shown = texts(drawn("plan", small_study.results(STUDY, "survey")))
    plans = small_study.table("survey/plan/plans.parquet")
    plans = plans[plans["confidence_set"] == "witness"]
    assert len(plans) == 4
    for row in plans.to_dict("records"):
        told = f"{row['width']:g}: by no curve, {row['smallest_width']:.2g} at best"
        if row["cheapest"]:
            draws = "" if row["k"] == "stated" else f", k = {int(row['k']):,}"
            told = f"m = {row['m']:,.0f}, n = {row['n']:,.0f}{draws}; cost {row['cost']:,.0f}"
            told = f"{row['width']:g}: {told}"
        assert told in shown
    assert "total variation, witness, γ = 0.5" in "".join(shown)


@pytest.mark.parametrize(("dataset", "repeat"), [("ratings", True), ("survey", False)])
def test_the_figure_of_guarantees_says_where_the_same_people_answer(small_study, dataset, repeat):
    shown = " ".join(texts(drawn("guarantees", small_study.results(STUDY, dataset))))
    assert ("which makes all of them dependent" in shown) == repeat
    assert ("curves are not certain for other questions" in shown) == repeat
    assert ("exact, each point" in shown) != repeat
    assert ("marginal (conformal)" in shown) != repeat


def test_the_figure_of_error_bars_warns_of_few_clusters(small_study):
    """Items of 5 traits; the survey's 12 questions are in one cluster, and taken as independent."""
    shown, alone = (
        " ".join(texts(drawn("error_bars", small_study.results(STUDY, dataset))))
        for dataset in ("personality", "survey")
    )
    assert "Few clusters (5 effective ones)" in shown
    assert "95\xa0% intervals of the mean over new " in shown
    assert "Few clusters" not in alone


def study_of(**simulators):
    files = {"ingest": "tabular", "human": "people.csv", "simulated": "models.csv"}
    own = files | {"outcome": {"kind": "categorical"}}
    return Study({"datasets": {name: own | {"simulators": of} for name, of in simulators.items()}})


def colours(study, dataset):
    names = study.datasets[dataset]["simulators"]
    results = SimpleNamespace(shown=names, step={"places": places(study, dataset)})
    return {name: style.colour(results, name) for name in names}


def test_a_simulator_has_one_colour_in_all_datasets():
    first, second = ["model", "uniform", "pooled"], ["uniform", "persistence", "pooled"]
    study = study_of(a=first, b=second)
    of_first, of_second = colours(study, "a"), colours(study, "b")
    assert of_first == dict(zip(["uniform", "pooled", "model"], style.COLOURS, strict=False))
    assert of_second == {
        "uniform": of_first["uniform"],
        "persistence": style.COLOURS[3],
        "pooled": of_first["pooled"],
    }


def test_those_of_several_datasets_keep_their_colours_among_many():
    many = [f"model {i}" for i in range(18)]
    study = study_of(a=[*many, "uniform", "model 19"], b=[many[0], many[15], "uniform"])
    results = [
        SimpleNamespace(shown=shown, step={"places": places(study, dataset)})
        for dataset, shown in (
            ("a", [*many[:6], many[15], "uniform"]),
            ("b", [many[15], "uniform"]),
        )
    ]
    for name in (many[15], "uniform"):
        assert style.colour(results[0], name) == style.colour(results[1], name)


def test_the_simulators_of_a_dataset_have_different_colours():
    many = [f"model {i}" for i in range(20)]
    of_all = places(study_of(a=many), "a")
    for shown in (many[:8], many[::3], [*many[:4], *many[8:12]], many[10:18]):
        results = SimpleNamespace(shown=shown, step={"places": of_all})
        assert len({style.colour(results, name) for name in shown}) == len(shown)
    results = SimpleNamespace(shown=[many[0], many[8], many[1]], step={"places": of_all})
    found = [style.colour(results, name) for name in results.shown]
    assert found == [style.COLOURS[0], style.COLOURS[2], style.COLOURS[1]]
