"""What the page says of simulators corrected by people's answers to other scenarios."""

from collections.abc import Iterator
from functools import cached_property

from fidelity.correction.gain import GAIN, LOSS
from fidelity.means.average import ASKED, NEW
from fidelity_study.report.formats import range_text
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.summaries import ComparisonTable, Difference, interval_of
from fidelity_study.report.tables import having
from fidelity_study.steps.corrections import DIFFERENCES, MEANS
from fidelity_study.steps.judges import EACH, NOBODY, PERSONS

FEW_NAMED = 4
TOGETHER = "all simulators together"
WHAT = {
    "tempered": "The simulator is made more or less certain, and mixed with a uniform guess and"
    " pooled answers.",
    "ridge": "A regression of people's shares on the shares of all simulators, and on the wording.",
    "stacked": "A mixture of all simulators and a uniform guess.",
}
SPLITS = {
    PERSONS: "Persons were split into two halves. Corrections were fitted to one half and judged by"
    " the other, then the reverse.",
    EACH: "The people of each {noun} were split into two halves. Corrections were fitted to one"
    " half and judged by the other, then the reverse.",
    NOBODY: "People could not be split into those whom corrections are fitted to and those who"
    " judge: this assumes that different people answered each {unit}.",
}


class Corrections:
    """All corrections of a dataset by one discrepancy."""

    def __init__(self, table: ComparisonTable):
        """Take over the results."""
        self._of = table
        self._table = having(table.results.corrections, {"discrepancy": table.discrepancy})

    @cached_property
    def rows(self) -> list[dict]:
        """Rows over these scenarios: gains first, then the closest corrected simulator.

        Each has the columns of the table, with the simulator's plain ``label``, what the correction
        does, the simulator ``beside`` it, where it is made of several, its name in a sentence, and
        intervals of means and of differences, which hold for all corrections at once.
        """
        return self._rows(ASKED)

    def _rows(self, target: str) -> list[dict]:
        rows = [self._row(row) for row in having(self._table, {"target": target})]
        return sorted(rows, key=lambda row: (row["verdict"] != GAIN, _middle(row["corrected"])))

    def _row(self, row: dict) -> dict:
        results, single = self._of.results, row["simulator"] is not None
        label = results.named(row["simulator"]) if single else TOGETHER
        return {
            **row,
            "label": label,
            "name": f"{named(label) if single else label} ({row['correction']})",
            "what": WHAT[row["correction"]],
            "beside": "" if single else results.named(row["nearest"]),
            **{name: interval_of(row, f"{name}_ci_") for name in (*MEANS, *DIFFERENCES)},
        }

    @property
    def sentences(self) -> list[str]:
        """What corrections gain, in words."""
        refused = [row["warning"] for row in self._table if row["target"] is None]
        if not self.rows:
            return [f"No correction can be judged: {refused[0]}."] if refused else []
        noun = self._of.results.noun
        unit = self._unit("cluster", noun)
        split = SPLITS[self._table[0]["split"]].format(noun=noun, unit=unit)
        return [*self._of_best(), *self._of_others(), *self._of_new(), split]

    def _unit(self, cluster: str, scenario: str) -> str:
        """Return what corrections are judged on: clusters by their column, or scenarios."""
        results = self._of.results
        return f"{cluster} (by {results.step['cluster']})" if results.clustered else scenario

    def _of_best(self) -> Iterator[str]:
        best, nouns, many = self.rows[0], self._of.results.nouns, len(self.rows)
        by = f"by people's answers to other {self._unit('clusters', nouns)}"
        if best["verdict"] == GAIN:
            of_them = f"the closest of them as it is, {named(best['beside'])}"
            yield (
                f"Corrected {by}, {best['name']} is {_nearer(best['over_simulator'])} to"
                f" people on these {nouns} than {of_them if best['beside'] else 'as it is'}."
            )
            yield (
                f"It is {_nearer(best['over_people'])} than a prediction from these answers without"
                " any simulator."
            )
            yield (
                f"Both statements hold with {self._of.results.level} confidence, whichever of the"
                f" {many} corrections is picked."
            )
            return
        yield f"Correcting {by} shows no gain on these {nouns}."
        none = "The correction is not" if many == 1 else f"Not one of {many} corrections is"
        yield (
            f"{none} certainly closer than both the simulator as it is and a prediction from these"
            " answers without any simulator."
        )
        if best["corrected"] and best["uncorrected"] and best["from_people"]:
            alone = named(best["beside"] or best["label"])
            yield (
                f"The closest, {best['name']}, is {range_text(best['corrected'])} from people. As"
                f" it is, {alone} is {range_text(best['uncorrected'])} from people; that prediction"
                f" is {range_text(best['from_people'])}."
            )
        if best["over_simulator"] and best["over_simulator"][1] < 0.0:
            yield "So correcting brings it closer, but people's answers alone may explain that."

    def _of_others(self) -> Iterator[str]:
        gains = [row["name"] for row in self.rows[1:] if row["verdict"] == GAIN]
        losses = [row["name"] for row in self.rows if row["verdict"] == LOSS]
        if gains:
            yield f"A gain is shown for {listed(gains, most=FEW_NAMED)}, too."
        if losses:
            worse = listed(losses, most=FEW_NAMED)
            yield f"The correction certainly takes {worse} farther from people."

    def _of_new(self) -> Iterator[str]:
        results = self._of.results
        rows = self._rows(NEW)
        if not rows:
            return
        new = "new clusters" if results.clustered else f"new {results.nouns}"
        if gains := [row["name"] for row in rows if row["verdict"] == GAIN]:
            yield f"For {new} a gain is shown for {listed(gains, most=FEW_NAMED)}."
        elif self.rows[0]["verdict"] == GAIN:
            many = results.n_clusters if results.clustered else results.m
            yield (
                f"Whether the gain holds for {new} is open: the choice of these {many} may"
                " explain it."
            )
        else:
            yield f"No gain is shown for {new}."


def _nearer(ends: tuple[float, float] | None) -> str:
    """Say by how much a difference is below 0; without ends it is infinite."""
    far = Difference(None, ends).reversed.ends
    return "infinitely closer" if far is None else f"{range_text(far)} closer"


def _middle(ends: tuple[float, float] | None) -> float:
    return float("inf") if ends is None else sum(ends)
