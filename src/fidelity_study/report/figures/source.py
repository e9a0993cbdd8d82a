"""What figures are drawn from, and a figure with its caption."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from fidelity_study.errors import DataError, there_are
from fidelity_study.report.page.dataset import Dataset, View
from fidelity_study.report.page.first_screen import FirstScreen
from fidelity_study.report.page.forecast import without_curves
from fidelity_study.report.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_WORDS = 120
MM = 1 / 25.4
NARROW, WIDE = 89 * MM, 183 * MM


class NothingToDrawError(DataError):
    """A dataset has no curves, or too few answers for any."""


class Drawing(NamedTuple):
    """A figure with its caption."""

    figure: "Figure"
    caption: str


@dataclass(frozen=True)
class Source:
    """A dataset as figures are drawn from it.

    Attributes:
        dataset: as the page shows it.
        width: of the figure, in inches.
        distance: the name of a discrepancy; None for the first.
        simulator: whom the figure is about; None for the closest.
    """

    dataset: Dataset
    width: float
    distance: str | None = None
    simulator: str | None = None

    @property
    def results(self) -> Results:
        """The dataset's tables."""
        return self.dataset.results

    @property
    def view(self) -> View:
        """The dataset by one discrepancy.

        Raises:
            NothingToDrawError: the dataset has none.
            DataError: it has not this one.
        """
        views = {view.of.discrepancy: view for view in reversed(self.dataset.views)}
        if not views:
            reason = without_curves(self.results)
            raise NothingToDrawError(f"{self.dataset.name} cannot have this figure. {reason}")
        if self.distance not in (None, *views):
            raise DataError(f"--distance: {there_are(str(self.distance), views)}")
        return self.dataset.views[0] if self.distance is None else views[self.distance]

    @property
    def screen(self) -> FirstScreen:
        """Its simulators, questions and topics as the page's first screen has them."""
        return self.view.screen

    @property
    def subject(self) -> str:
        """The simulator that the figure is about.

        Raises:
            DataError: there is no such simulator.
        """
        if self.simulator not in (None, *self.results.simulators):
            raise DataError(
                f"--simulator: {there_are(str(self.simulator), self.results.simulators)}"
            )
        return self.simulator or self.view.of.best.name

    @property
    def subjects(self) -> list[str]:
        """The simulators of a figure: two columns have those under test, one has the subject."""
        if self.width <= NARROW or self.simulator is not None:
            return [self.subject]
        return [summary.name for summary in self.view.of.tested] or [self.subject]

    @property
    def asked(self) -> str:
        """How many questions were asked of how many people."""
        results, people = self.results, self.dataset.people
        to_each = " each" if results.m > 1 and not results.is_conjoint else ""
        of_people = f", {people} people{to_each}" if people else ""
        return f"{results.m:,} {results.nouns}{of_people}."


def drawing(
    source: Source, draw: Callable[[Source], tuple["Figure", list[str]]], title: str, caption: str
) -> Drawing:
    """Return a figure with its caption, of at most so many words as a journal allows.

    The caption is title and text of the figure's file, and what the figure says of its data; of
    that the last sentences are left out if there are too many words.
    """
    figure, notes = draw(source)
    text = f"{title}. {' '.join(caption.split())}"
    for note in filter(None, notes):
        if len(f"{text} {note}".split()) <= MOST_WORDS:
            text = f"{text} {note}"
    return Drawing(figure, text.replace(r"\$", "$"))
