"""The proper scores of a dataset's simulators, as tables have them; a lower score is better."""

from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isinf

from fidelity_study.report.formats import DASH, Cell, number, range_text, signed, signed_range
from fidelity_study.report.results import Results
from fidelity_study.report.summaries import Difference, interval_of
from fidelity_study.report.tables import grouped, having
from fidelity_study.steps.draws import DRAWN_FORM

HEADINGS = {"brier": "Brier score", "log": "Log score (nats)", "crps": "CRPS"}
NAMES = {"brier": "Brier score", "log": "log score", "crps": "CRPS"}
UNMEASURED = (
    "Whether stated probabilities come true is not measured; to measure it, give the dataset the"
    " key calibration: {} in the config."
)


@dataclass(frozen=True)
class Scores:
    """The scores of all simulators, and of every two on the scenarios that both answer."""

    results: Results

    @cached_property
    def means(self) -> dict[str, dict[str, dict]]:
        """Score -> simulator -> its row."""
        rows = grouped(having(self.results.proper_scores, {"other": None}), "score")
        return {score: {row["simulator"]: row for row in part} for score, part in rows.items()}

    @cached_property
    def difference_rows(self) -> dict[str, dict[tuple[str, str], dict]]:
        """Score -> (simulator, other) -> the row of how they differ."""
        rows = [row for row in self.results.proper_scores if row["other"] is not None]
        by_score = grouped(rows, "score")
        return {
            score: {(row["simulator"], row["other"]): row for row in by_score.get(score, [])}
            for score in self.means
        }

    @property
    def drawn(self) -> str:
        """Say which simulators are scored by the shares of their draws; empty if none is."""
        rows = self.means[next(iter(self.means))].values()
        names = "; ".join(
            f"{self.results.named(row['simulator'])} ({self.results.draws(row)})"
            for row in rows
            if row["form"] == DRAWN_FORM
        )
        if not names:
            return ""
        smoothed = " For the log score half an answer was added to each option."
        return (
            "Some simulators are scored by the shares of their sampled answers, whose noise counts"
            f" against them (in brackets the answers to each {self.results.noun}): {names}."
            f"{smoothed if 'log' in self.means else ''}"
        )

    def mean_cell(self, score: str, simulator: str) -> Cell:
        """Return a simulator's mean score with its interval."""
        row = self.means[score].get(simulator)
        if row is None:
            return Cell(DASH)
        if isinf(row["estimate"]):
            return Cell("∞", f"0 stated {row['m_infinite']:,} times")
        ends = interval_of(row, "")
        return Cell(number(row["estimate"]), (ends and range_text(ends)) or "", row["estimate"])


def difference_cell(difference: Difference | None) -> Cell:
    """Return how two scores differ, with its interval."""
    if difference is None or difference.estimate is None or not isfinite(difference.estimate):
        return Cell(DASH)
    small = signed_range(difference.ends) if difference.ends else ""
    return Cell(signed(difference.estimate), small, difference.estimate)
