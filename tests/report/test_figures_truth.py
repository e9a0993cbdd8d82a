"""Figures are as the tables: lengths of intervals, the order of shares, ranks, draws."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fidelity_study.report.figures import error_bars, means, pairwise, style
from fidelity_study.report.page.advice import _use
from fidelity_study.report.page.verdict import ON_THESE
from fidelity_study.report.summaries import ComparisonTable


def one_axis():
    figure = Figure(figsize=(6, 1), dpi=200)
    return figure, figure.add_axes((0, 0, 1, 1))


def drawn_pixels(figure):
    """Return how many columns of a picture are coloured."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())[..., :3].astype(int)
    coloured = np.ptp(picture, axis=2) > 40
    return int(coloured.any(axis=0).sum())


@pytest.mark.parametrize("ends", [(0.0181, 0.0194), (0.1, 0.3), (0.2, 0.2)])
@pytest.mark.parametrize("width", [3.0, 0.9])
def test_an_interval_of_a_mean_is_drawn_as_long_as_it_is(ends, width):
    """1,200 pixels for a range of .6."""
    figure, axis = one_axis()
    means.bar(axis, {"ci_lower": ends[0], "ci_upper": ends[1]}, 0.0, {"color": "r", "lw": width})
    axis.set(xlim=(0.0, 0.6), ylim=(-1.0, 1.0))
    axis.axis("off")
    exact = 2000 * (ends[1] - ends[0])
    assert 1 <= drawn_pixels(figure) <= exact + 2.5


def test_shares_of_pairs_stand_as_on_the_page_measured_first_then_certified():
    _, axis = one_axis()
    shares = np.array([[np.nan, 0.409], [np.nan, np.nan]])
    plugin = np.array([[np.nan, 0.76], [0.24, np.nan]])
    results = SimpleNamespace(named=str.title)
    pairwise.show(axis, results, ["a", "b"], shares, plugin, True, 1.5)
    assert [each.get_text() for each in axis.texts] == ["76 %\n(40 %)", "24 %"]


def test_ranks_in_the_figure_are_those_of_the_page():
    """The first is surely closer than both others."""
    names, cell = ["a", "b", "c"], {"discrepancy": "tv", "target": "asked", "k": "stated"}
    row = {"m": 30, "se_clt": 0.01, "estimate": 0.2, "lower": 0.1, "upper": 0.3}
    results = SimpleNamespace(
        simulators=names,
        mean_differences=[
            cell | {"simulator": one, "other": two, "answers": "true", "closer": closer}
            for one, two, closer in (("a", "b", "a"), ("a", "c", "a"), ("b", "c", None))
        ],
        states=lambda name: True,
        compared_at=lambda *names: "stated",
        means=lambda *cell: row,
        named=str,
    )
    ranks, (_, axis) = ComparisonTable(results, "tv", None), one_axis()
    error_bars.panel(axis, results, names, ("tv", "0.5"), "upper", 0.05, ranks)
    shown = [each.get_text() for each in axis.texts]
    assert shown == [ranks.ranks(name) for name in names] == ["1", "2–3", "2–3"]


@pytest.mark.parametrize(
    ("rows", "title"),
    [
        ([(200, 200)], "k = 200 draws"),
        ([(43, 50), (47, 50)], "k = 43 to 50 draws"),
        ([], "k = 200 draws"),
    ],
)
def test_a_figure_names_the_draws_that_were_made(rows, title):
    results = SimpleNamespace(
        main_form=lambda name: "200",
        summary_rows=lambda **cell: [{"k_fewest": few, "k_most": most} for few, most in rows],
    )
    assert style.form_title(results, "model") == title


def test_advice_points_to_the_list_wherever_it_stands():
    results = SimpleNamespace(nouns="questions")
    of = SimpleNamespace(results=results, tolerance=0.1)
    best = SimpleNamespace(label="model")
    (said,) = _use(of, SimpleNamespace(verdict=ON_THESE), best)
    assert "below" not in said and "the list of questions shows which these are" in said
