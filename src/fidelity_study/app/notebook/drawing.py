"""A figure of a study with its caption, as notebooks show it."""

from base64 import b64encode
from collections.abc import Callable
from html import escape
from io import BytesIO
from typing import NamedTuple

import matplotlib
from matplotlib.figure import Figure

DOTS_PER_INCH = 130


class Drawing(NamedTuple):
    """A figure of a study.

    Attributes:
        figure: of matplotlib, without title.
        caption: its title, what it shows, and notes.
    """

    figure: Figure
    caption: str

    def savefig(self, *args, **more) -> None:
        """Save the figure as :meth:`matplotlib.figure.Figure.savefig` does."""
        with _own_settings():
            self.figure.savefig(*args, **more)

    def _repr_html_(self) -> str:
        picture = BytesIO()
        self.savefig(picture, format="png", dpi=DOTS_PER_INCH)
        data = b64encode(picture.getvalue()).decode()
        paragraphs = "".join(f"<p>{escape(part)}</p>" for part in self.caption.split("\n\n"))
        return (
            f'<figure style="margin:0;max-width:60em"><img style="max-width:100%;background:white"'
            f' alt="" src="data:image/png;base64,{data}"><figcaption>{paragraphs}</figcaption>'
            "</figure>"
        )


def drawing(draw: Callable[[], tuple[Figure, str]]) -> Drawing:
    """Return what is drawn, with this project's settings of matplotlib, and leave the user's."""
    with _own_settings():
        return Drawing(*draw())


def _own_settings():
    context = matplotlib.rc_context()
    with context:
        from fidelity_study.report.figures.style import SETTINGS
    return matplotlib.rc_context(SETTINGS)
