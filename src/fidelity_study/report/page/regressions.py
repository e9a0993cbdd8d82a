"""What the page says of regressions: slopes of people and simulators side by side."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from fidelity_study.report.formats import dashed
from fidelity_study.report.page.forest import Mark, forest
from fidelity_study.report.page.structure import Row
from fidelity_study.report.page.words import listed, named
from fidelity_study.report.results import Results
from fidelity_study.report.tables import having, labelled
from fidelity_study.steps.arrays import ENDS

HUNDREDTHS, MOST_DRAWN = 100.0, 16
SIGNS = {
    "same": "same sign",
    "opposite": "opposite sign",
    "only in people": "only in people",
    "only in the simulator": "only in the simulator",
    "open": "",
}
BRING = {
    "people by person": "people's answers by person",
    "answers by run": "its answers by run, not shares",
}


@dataclass(frozen=True)
class RegressionSection:
    """The section.

    Attributes:
        lead: what was found of the simulator whose slopes are drawn.
        drawn: its label.
        slopes: the picture of its slopes beside people's.
        rows: a row of the table for each simulator, over all regressions.
        formulas: of the regressions.
        cautions: what was left out, and which facts differ; may be empty.
        unmeasured: what was lacking of others; may be empty.
    """

    lead: str
    drawn: str
    slopes: Markup
    rows: list[Row]
    formulas: list[str]
    cautions: list[str]
    unmeasured: list[str]


def over_all(results: Results, name: str) -> dict:
    """Return the row of a simulator over all of its regressions; empty without any."""
    rows = having(results.regressions, {"simulator": name, "lacking": None})
    return next((row for row in rows if row["regression"] is None), rows[0] if rows else {})


def regression_section(results: Results, name: str) -> RegressionSection | None:
    """Return the section; None where nothing was fitted.

    Args:
        results: the dataset's tables.
        name: the simulator whose slopes are drawn, or else the one that is nearest.
    """
    fitted = {row["simulator"]: row for row in results.regressions if not row["lacking"]}
    whole = {one: over_all(results, one) for one in fitted}
    if not whole:
        return None
    order = sorted(whole, key=lambda one: whole[one]["root_mean_square"])
    name = name if name in whole else order[0]
    return RegressionSection(
        " ".join(sentences(results, name)),
        results.named(name),
        _forest(results, name),
        [_row(results, whole[one]) for one in order],
        list(dict.fromkeys(row["formula"] for row in results.regressions if row["formula"])),
        list(_cautions(results)),
        list(_unmeasured(results)),
    )


def sentences(results: Results, name: str) -> Iterator[str]:
    """Say how a simulator's slopes compare with people's; nothing where none was fitted."""
    row = over_all(results, name)
    if not row:
        return
    if row["slopes"] > 1:
        opposite = f" and {row['opposite']} certainly the opposite one" if row["opposite"] else ""
        same = f"{row['same']} have certainly people's sign"
        yield f"Of {row['slopes']} slopes, {same}{opposite}."
    elif row["opposite"] or row["same"]:
        sign = "the opposite sign" if row["opposite"] else "people's sign"
        yield f"The slope has certainly {sign}."
    if turned := having(results.slopes, {"simulator": name, "sign": "opposite"}):
        names = [named(labelled(row, "column", "question", results.slopes)) for row in turned]
        yield f"It turns {listed(names, most=4)} round."


def _row(results: Results, row: dict) -> Row:
    ends = [HUNDREDTHS * row[f"root_mean_square{end}"] for end in ENDS[1:]]
    slope = [row[f"slope{end}"] for end in ENDS]
    known = all(end is not None and abs(end) < 10 for end in slope)
    strength = "{:.2f} [{:.2f}, {:.2f}]".format(*slope) if known else "cannot be told"
    counts = ("same", "opposite", "only_people", "only_simulator")
    cells: list[tuple[str, float | None]] = [
        (dashed(*ends), row["root_mean_square"]),
        (strength.replace("-", "−"), slope[0]),
        *((str(row[name]), row[name]) for name in counts),
        (
            f"{row['within']} / {row['slopes'] - row['within'] - row['beyond']} / {row['beyond']}",
            row["within"],
        ),
        (f"{HUNDREDTHS * row['others']:.1f}", row["others"]),
    ]
    return Row(results.named(row["simulator"]), cells)


def _forest(results: Results, name: str) -> Markup:
    rows = [
        (label, sign, [Mark("people", *people), Mark("simulated", *simulated)])
        for label, sign, people, simulated in slopes_of(results, name)
    ]
    return forest(rows, "standardised slope", results.colour(name))


def slopes_of(results: Results, name: str) -> list[tuple[str, str, list[float], list[float]]]:
    """Return the slopes of a simulator that differ most: label, sign, people's and its own.

    Both sides with the ends of their intervals, standardised.
    """
    rows = having(results.slopes, {"simulator": name})
    rows = sorted(rows, key=lambda row: -abs(row["standardised"]))[:MOST_DRAWN]
    return [
        (
            labelled(row, "column", "question", results.slopes),
            SIGNS[row["sign"]],
            [row["scale"] * row[f"people{end}"] for end in ENDS],
            [row["scale"] * row[f"slope{end}"] for end in ENDS],
        )
        for row in rows
    ]


def _cautions(results: Results) -> Iterator[str]:
    for row in results.regressions:
        if row["warning"] and (row["regression"] or not row["formula"]):
            yield f"{named(results.named(row['simulator']))}: {row['warning']}."


def _unmeasured(results: Results) -> Iterator[str]:
    for why in dict.fromkeys(row["lacking"] for row in results.regressions if row["lacking"]):
        rows = having(results.regressions, {"lacking": why})
        names = dict.fromkeys(named(results.named(row["simulator"])) for row in rows)
        yield f"No regression of {listed(list(names), most=4)}; lacking: {BRING.get(why, why)}."
