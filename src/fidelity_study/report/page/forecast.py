"""Who forecasts best, and who is calibrated: a dataset without curves, by scores of its outcomes.

The rule is in docs/howto/calibration.md. Differences of proper scores hold for all pairs at once,
since the best forecaster is chosen after looking.

Scenarios with a few answers each, such as one event, are scored, too. A confidence set for one
answer holds nearly every distribution. The bound is then little else than the distance between the
simulator's answer and that one answer. A curve is made of the largest bounds, so that a uniform
guess can have the lowest curve.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from operator import itemgetter

import numpy as np
from scipy.special import stdtrit

from fidelity_study.reading.tabular.one_vs_rest import one_vs_rest_note
from fidelity_study.report.formats import (
    Table,
    number,
    percent,
    range_text,
    signed,
    signed_range,
    upper_first,
)
from fidelity_study.report.page import certainty
from fidelity_study.report.page.uses import GUESS, Card
from fidelity_study.report.page.verdict import FEW_NAMED
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.scores import HEADINGS, NAMES, UNMEASURED, Scores, difference_cell
from fidelity_study.report.summaries import Difference
from fidelity_study.report.tables import grouped, having
from fidelity_study.steps.arrays import numbers, only
from fidelity_study.steps.draws import MOST_PAIRED
from fidelity_study.steps.given import given

MEANING = {
    "brier": "The mean over outcomes of Σ over options of (p − o)²: p was stated, o is 1 for the"
    " option that happened and 0 for others. With two options it is twice the usual score. Lower"
    " is better.",
    "log": "The mean of −log of the probability stated for the outcome, in nats; for numbers, of"
    " the density. Lower is better.",
    "crps": "The mean over outcomes of the squared distance between the stated distribution"
    " function and that of the outcome, in the outcome's unit. Lower is better.",
}
OTHERWISE = {
    -1: "The {score} settles that {best} is better than {other}.",
    0: "The {score} does not settle whether {best} is better than {other}.",
    1: "By the {score} {best} is worse than {other}.",
}
FEWEST, UNTESTED, ROUNDING = 30, "skce_p_value: ", 1e-9
FEWEST_ANSWERS = 5


def without_curves(results: Results) -> str:
    """Say why no curve of discrepancies is drawn; empty where there is one."""
    if not results.step["curves"]:
        return "No curve of discrepancies is drawn, because the config says curves: false."
    many = results.median_answers
    if many >= FEWEST_ANSWERS:
        return ""
    answers = "one answer" if many == 1 else f"{many:.3g} answers"
    return (
        f"No curve of discrepancies is drawn, because the median {results.noun} has {answers}: too"
        " few for discrepancies and their bounds to rank simulators. Proper scores do."
    )


@dataclass(frozen=True)
class Forecast(Scores):
    """What the page says of a dataset without curves."""

    @cached_property
    def scores(self) -> list[str]:
        """The scores that there are; the first, which most simulators have, decides the verdict."""
        return sorted(self.means, key=lambda score: -len(self.means[score]))

    @property
    def lead(self) -> str:
        """The score of the verdict."""
        return self.scores[0]

    @cached_property
    def order(self) -> list[str]:
        """The simulators, the best first; those without the leading score last.

        The best has the fewest others before it on the questions that both forecast. With the same
        questions for all it has the best mean.
        """
        means = self.means[self.lead]
        known = self._by_pairs(means)
        return [*known, *(name for name in self.results.simulators if name not in means)]

    @cached_property
    def tested(self) -> list[str]:
        """Those under test, the best of them first."""
        names = self.results.under_test(self.order)
        known = self._by_pairs([name for name in names if name in self.means[self.lead]])
        return [*known, *(name for name in names if name not in known)]

    def _by_pairs(self, names: Iterable[str]) -> list[str]:
        """Return forecasters in order of how many of the others are before them, then by means."""
        means, among = self.means[self.lead], [*names]
        pairs = self._of_lead if len(means) <= MOST_PAIRED else {}
        behind = Counter(
            one
            for one, two in permutations(among, 2)
            if (pair := pairs.get((one, two))) and (pair.estimate or 0) > 0
        )
        return sorted(among, key=lambda name: (behind[name], means[name]["estimate"]))

    @property
    def alpha(self) -> float:
        """How often a statement may fail."""
        return float(self.results.step["test"]["alpha"])

    def pairs(self, score: str) -> dict[tuple[str, str], Difference]:
        """Return how each two forecasters differ, in both orders."""
        rows = self.difference_rows[score]
        differences = {}
        for (one, two), row in rows.items():
            ends = None
            if row["lower"] is not None:
                half = row["se"] * float(stdtrit(row["df"], 1 - self.alpha / 2 / len(rows)))
                middle = (row["lower"] + row["upper"]) / 2
                ends = (middle - half, middle + half)
            difference = Difference(row["estimate"], ends, row["effective_clusters"] >= FEWEST)
            differences[one, two], differences[two, one] = difference, difference.reversed
        return differences

    @cached_property
    def _of_lead(self) -> dict[tuple[str, str], Difference]:
        return self.pairs(self.lead)

    def sign(self, one: str, two: str) -> int:
        """Return -1 if the first forecasts better than the other, 1 if worse, else 0."""
        pair = self._of_lead.get((one, two))
        return pair.sign if pair else 0

    @property
    def best(self) -> str:
        """The best forecaster under test."""
        return self.tested[0]

    @cached_property
    def card(self) -> Card | None:
        """What the best forecaster may be used for; None if that isn't measured."""
        card = Card(self.results, self.best) if self.tested else None
        return card if card and card.rows else None

    @property
    def _as_good(self) -> list[str]:
        return [name for name in self.tested[1:] if self.sign(self.best, name) >= 0]

    @property
    def _baseline(self) -> str | None:
        """The best baseline, which a forecaster must beat."""
        return next((name for name in self.order if name not in self.tested), None)

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        best, guess = self._name(self.best), self._baseline
        beside = "" if guess is None else self._label(guess)
        sign = 0 if guess is None else self.sign(self.best, guess)
        if len(self.tested) == 1:
            if guess is None:
                return f"{best} is the only forecaster here: there is nothing to compare it with."
            if sign == 0:
                return f"Not settled: {best} may or may not forecast better than {beside}."
            return f"{best} forecasts {'better' if sign < 0 else 'worse'} than {beside}."
        unmatched = [name for name in self._as_good if (self.best, name) not in self._of_lead]
        if unmatched:
            names = listed(list(map(self._name, unmatched)), most=FEW_NAMED)
            return (
                f"It is not settled who forecasts best: {best} and {names} forecast no"
                f" {self.results.noun} in common."
            )
        if self._as_good:
            names = listed([best, *map(self._name, self._as_good)], most=FEW_NAMED)
            is_worse = guess is not None and all(self.sign(one, guess) == 1 for one in self.tested)
            worse = f", and worse than {beside}" if is_worse else ""
            return f"It is not settled who forecasts best: {names} cannot be told apart{worse}."
        others = self._name(self.tested[1]) if len(self.tested) == 2 else "all others"
        if guess is not None and sign >= 0:
            return (
                f"{best} forecasts better than {others}, but "
                f"{'worse than' if sign > 0 else 'not shown to be better than'} {beside}."
            )
        beside = f" and than {beside}" if guess is not None else ""
        return f"{best} forecasts best: better than {others}{beside}."

    @property
    def sentences(self) -> list[str]:
        """What the headline rests on, and who is calibrated."""
        said = (self._by_how_much(), self._covered(), *self._by_others(), *self._believed())
        return [*filter(None, said)]

    def _by_how_much(self) -> str:
        row = self.means[self.lead].get(self.best)
        if row is None:
            return ""
        mean_text = f"{NAMES[self.lead]} of {self._name(self.best)} is {number(row['estimate'])}"
        parts = [
            f"{_apart(pair)} {self._name(other)}{self._in_common(other)}"
            for other in (*self.tested[1:2], *filter(None, [self._baseline]))
            if (pair := self._of_lead.get((self.best, other))) and pair.ends
        ]
        if not parts:
            return f"The {mean_text}."
        at_once = ", for all pairs at once" if len(self._of_lead) > 2 else ""
        return f"The {mean_text}, {listed(parts)} ({self.results.level} confidence{at_once})."

    def _in_common(self, other: str) -> str:
        """Say on how many questions the best and another are compared; empty if on all of both."""
        rows, pair = self.difference_rows[self.lead], (self.best, other)
        many = (rows.get(pair) or rows[pair[::-1]])["m"]
        is_all = all(self.means[self.lead][name]["m"] == many for name in pair)
        return "" if is_all else f" on the {many} {self.results.nouns} of both"

    def _covered(self) -> str:
        """Say who has a forecast of some questions only."""
        many = {name: row["m"] for name, row in self.means[self.lead].items()}
        some = [name for name in self.tested if many.get(name, 0) < self.results.m]
        parts = [f"{self._name(name)} forecasts {many.get(name, 0)}" for name in some]
        if not parts:
            return ""
        return (
            f"Of the {self.results.m} {self.results.nouns} {listed(parts, most=FEW_NAMED)}; two are"
            " compared on those that both forecast."
        )

    def _by_others(self) -> Iterator[str]:
        """Say where another score does not agree on who is best."""
        best = self._name(self.best)
        for score in self.scores[1:]:
            signs = {
                other: pair.sign
                for (one, other), pair in self.pairs(score).items()
                if one == self.best and other in (*self.tested[1:2], self._baseline)
            }
            for sign, how in OTHERWISE.items():
                names = [
                    self._name(name)
                    for name, shown in signs.items()
                    if shown == sign != self.sign(self.best, name)
                ]
                if names:
                    yield how.format(score=NAMES[score], best=best, other=listed(names))

    def _believed(self) -> Iterator[str]:
        if self.results.step["calibration"] is None:
            yield UNMEASURED
            return
        describe = self.of_probabilities if self.results.calibrated else self.of_intervals
        for name in self.tested[:FEW_NAMED]:
            yield describe(name)
        if len(self.tested) > FEW_NAMED:
            yield "The table below has the calibration of the others."

    def of_probabilities(self, name: str) -> str:
        """Say whether the probabilities of a simulator come true; empty if it states none."""
        row = self.results.calibrated.get(name)
        if row is None:
            return ""
        p_value, noise = row["skce_p_value"], row["ece_if_calibrated"]
        error = f"ECE {number(row['ece'])}"
        if noise is not None:
            error += f", where noise alone would give {number(noise)}"
        who, lean, level = self._name(name), self._lean(row), self.alpha / len(self.tested)
        if p_value is None:
            why = [part for part in row["reason"].split("; ") if part.startswith(UNTESTED)]
            because = f": {why[0].removeprefix(UNTESTED)}" if why else ""
            return f"Whether {who} is calibrated cannot be tested here{because} ({error}).{lean}"
        tested = f"p = {number(p_value)}; {error}"
        if p_value < level:
            if noise is not None and row["ece"] <= noise:
                return (
                    f"{who} is not calibrated (p = {number(p_value)}). The size of its errors alone"
                    f" does not show this ({error}).{lean}"
                )
            return f"{who} is not calibrated ({tested}).{lean}"
        if lean:
            return (
                f"{who} is not calibrated in one respect.{lean} The general test, by a kernel, does"
                f" not show it ({tested}; level {level:.2g})."
            )
        return f"{who} shows no miscalibration ({tested})."

    def _lean(self, row: dict) -> str:
        """Say whether probabilities of the event, and of the likeliest option, are too high."""
        said = ""
        if _side_of_0(row, "event_excess"):
            stated = row["event_share"] + row["event_excess"]
            said = (
                f" It states {percent(stated)} for {self.results.event} on average, which came in"
                f" {percent(row['event_share'])} of cases."
            )
        if side := _side_of_0(row, "overconfidence"):
            said += (
                f" It is {'overconfident' if side > 0 else 'underconfident'}: it states"
                f" {percent(row['accuracy'] + row['overconfidence'])} for its most likely option on"
                f" average, which happened in {percent(row['accuracy'])} of cases."
            )
        return said

    def of_intervals(self, name: str) -> str:
        """Say whether the widest intervals of a simulator hold the share that they should."""
        rows = having(self.results.intervals, {"simulator": name})
        parts = []
        for family, families in grouped(rows, "family").items():
            row = max(families, key=itemgetter("level"))
            lower, upper, level = row["clustered_lower"], row["clustered_upper"], row["level"]
            state = "no fault found"
            if upper < level:
                state = "too few, so it is overconfident"
            elif lower > level:
                state = "too many, so it is underconfident"
            parts.append(
                f"the {percent(level)} intervals of {self._name(name)} ({family}) hold"
                f" {_percent(row['coverage'])} of outcomes"
                f" ({_percent(lower)} to {_percent(upper)}): {state}"
            )
        return f"{upper_first('; '.join(parts))}." if parts else ""

    @property
    def open(self) -> list[str]:
        """What is not settled beyond the scenarios of the study."""
        results = self.results
        independent, many = float(results.m), f"{results.m} {results.nouns}"
        if results.clustered:
            independent = results.effective_clusters
            many = f"{independent:.3g} effective clusters of {results.nouns}"
        if independent >= FEWEST:
            return []
        return [
            f"There are only {many}: with fewer than {FEWEST} no difference is called settled,"
            " whatever the intervals say."
        ]

    @property
    def table(self) -> list[dict]:
        """A row for each simulator: its scores, the best first."""
        rows = [row for by_name in self.means.values() for row in by_name.values()]
        many = {row["simulator"]: row["m"] for row in reversed(rows)}
        return [
            {
                "label": self.results.named(name),
                "describe": self.results.described(name),
                "baseline": name not in self.tested,
                "cells": [self.mean_cell(score, name) for score in self.scores],
                "m": many.get(name, self.results.m),
            }
            for name in self.order
        ]

    @property
    def findings(self) -> Table:
        """The table as texts."""
        header = ["simulator", *(HEADINGS[score] for score in self.scores), self.results.nouns]
        rows = [[row["label"], *map(str, row["cells"]), str(row["m"])] for row in self.table]
        return Table(header, rows)

    @property
    def headings(self) -> list[tuple[str, str]]:
        """The scores' names and meaning."""
        return [(HEADINGS[score], MEANING[score]) for score in self.scores]

    @property
    def differences(self) -> list[dict]:
        """A row for each two simulators: how their scores differ, and who is better."""
        differences = {score: self.pairs(score) for score in self.scores}
        return [
            {
                "one": self.results.named(one),
                "two": self.results.named(two),
                "cells": [difference_cell(pair) for pair in compared],
                "better": self._better(one, two),
            }
            for one, two in combinations(self.order, 2)
            if any(compared := [differences[score].get((one, two)) for score in self.scores])
        ]

    def _better(self, one: str, two: str) -> str:
        sign = self.sign(one, two)
        return self.results.named(one if sign < 0 else two) if sign else "not settled"

    @property
    def no_curve(self) -> str:
        """Why there is no curve."""
        return without_curves(self.results)

    @property
    def notes(self) -> list[str]:
        """How statements were prepared before they were scored."""
        few = self.no_curve if self.results.step["curves"] else ""
        said = filter(None, [few, self.drawn, self._few_differ()])
        return [*self._sums(), *self._families(), *said]

    def _sums(self) -> Iterator[str]:
        table = given(self.results.files["given"])
        for name in self.results.simulators:
            total = numbers(only(table, source=name)["total"])
            total = total[~np.isnan(total)]
            if len(total):
                yield f"{upper_first(one_vs_rest_note(self.results.named(name), total))}."

    def _few_differ(self) -> str:
        """Say whose intervals allow for scores that were not seen, and so are not symmetric."""
        names = []
        for name, row in self.means[self.lead].items():
            half = row["se"] and row["se"] * stdtrit(row["df"], 1 - self.alpha / 2)
            if row["upper"] and abs(row["upper"] - half - row["estimate"]) > ROUNDING:
                names.append(self._name(name))
        if not names:
            return ""
        return (
            f"Too few outcomes went against what {listed(names)} stated to show how much the"
            f" {NAMES[self.lead]} varies. The interval is as if one {self.results.noun} more, or"
            " one cluster more, had the lowest score that there can be, and another the highest."
        )

    def _families(self) -> Iterator[str]:
        table = given(self.results.files["given"])
        stated = [
            f"{self.results.named(name)} {family}"
            for name in self.results.simulators
            for family in dict.fromkeys(only(table, source=name)["family"].drop_null().to_pylist())
        ]
        if stated:
            what = "by location and scale"
            if self.results.kind == "binary":
                what = "of the margin, whose probability above 0 is scored"
            yield f"Simulators state a distribution {what}: {listed(stated)}."

    @property
    def assumptions(self) -> list[certainty.Assumption]:
        """What the numbers assume."""
        return certainty.of_outcomes(self.results)

    def _label(self, name: str) -> str:
        label = self.results.named(name)
        return f"a {label}" if name == GUESS and label == "uniform guess" else named(label)

    def _name(self, name: str) -> str:
        return named(self.results.named(name))


def _side_of_0(row: dict, name: str) -> int:
    """Return on which side of 0 a number of enough questions certainly lies; 0 if neither."""
    ends = row[f"{name}_lower"], row[f"{name}_upper"]
    known = None if ends[0] is None else ends
    return Difference(None, known, row["effective_clusters"] >= FEWEST).sign


def _apart(difference: Difference) -> str:
    """Say by how much a score is lower or higher than another's; empty without an interval."""
    estimate, ends = difference.estimate, difference.ends
    if estimate is None or ends is None:
        return ""
    if ends[0] <= 0.0 <= ends[1]:
        return f"{signed(estimate)} ({signed_range(ends)}) from that of"
    low, high = sorted(map(abs, ends))
    way = "lower" if estimate < 0 else "higher"
    return f"{way} by {number(abs(estimate))} ({range_text((low, high))}) than that of"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
