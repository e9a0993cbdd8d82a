"""The figures stay readable whatever the simulators are called."""

from importlib import import_module
from io import BytesIO
from xml.etree import ElementTree

import matplotlib
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from small_study import ECHO, STUDY, TWIN

from fidelity_study import config as study_config
from fidelity_study.config import figures

pytestmark = pytest.mark.slow

SMALLEST_PANEL = 0.9


@pytest.fixture(scope="module", params=figures())
def figure(request, small_study):
    """A figure of the survey, whose simulators have long names with markup."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_config, "ROOMS", small_study.root / "workflow" / "datasets")
        results = small_study.results(STUDY, "survey")
    return import_module(f"fidelity_study.figures.{request.param}").draw(results)


def test_names_are_drawn_as_they_are(figure):
    page = BytesIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(page, format="svg")
    drawn = [each.text for each in ElementTree.fromstring(page.getvalue()).iter() if each.text]
    assert TWIN in drawn
    assert ECHO in drawn


def test_long_names_leave_room_for_the_panels(figure):
    FigureCanvasAgg(figure).draw()
    for axis in figure.axes:
        if axis.get_label() != "<colorbar>":
            size = axis.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
            assert min(size.width, size.height) >= SMALLEST_PANEL
