"""The audit of coverage as a table and words."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial

from synthetic.populations import population_named

from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.gamma import parse_coverage
from fidelity.stream import stream
from fidelity_audit.coverage import (
    KNOWN_WRONG,
    SIGNIFICANCE,
    STATEMENTS,
    CurveCoverage,
    Measured,
    SetCoverage,
    WrongSet,
    curve_coverage,
    set_coverage,
)
from fidelity_audit.plan import Plan

SCENARIOS = (60, 235)
TIED = (0.95, 0.3)
COVERAGES = [0.5, 0.9]
OTHER_COVERAGES: dict[str, list] = {
    "paper": [0.5],
    "weighted_exact": [*COVERAGES, TIED],
    "weighted_marginal": [*COVERAGES, TIED],
    "asymptotic": [*COVERAGES, TIED],
}
TABLE = (
    *("what", "where", "bound", "gamma", "known_wrong", "nominal", "coverage", "standard_error"),
    *("worst_nominal", "worst", "worst_low", "worst_high", "p_value", "fails", "auc_ratio"),
    *("auc_ratio_error", "gap", "claimed", "covered"),
)


def jobs(plan: Plan) -> Iterator[partial]:
    """Yield functions that each return some rows of the table, from streams of their own."""
    for cell in plan.cells:
        for gamma in plan.gamma:
            yield partial(_of_set, plan, *cell, gamma)
    for name in STATEMENTS:
        for m in SCENARIOS:
            for gamma in OTHER_COVERAGES.get(name, COVERAGES):
                yield partial(_of_statement, plan, name, m, gamma)
    for name in KNOWN_WRONG:
        yield partial(_of_wrong, plan, name)


def _of_set(
    plan: Plan, population: str, name: str, discrepancy: str, gamma: float | dict
) -> list[dict]:
    key = (plan.seed, "audit", population)
    drawn = population_named(population).draw(stream(*key), m=plan.scenarios)
    coverage = parse_coverage(gamma)
    generator = stream(*key, name, discrepancy, coverage.label)
    entries = set_coverage(drawn, name, discrepancy, coverage, plan.replicates, generator)
    known = CONFIDENCE_SETS[name]
    about = {"title": known.label, "known_wrong": False, "is_proven": known.guarantee == "proven"}
    cell = (name, discrepancy, population, coverage.label)
    return [_set_row(entry, *cell, about) for entry in entries]


def _of_statement(plan: Plan, name: str, m: int, gamma: float | tuple) -> list[dict]:
    generator = stream(plan.seed, "audit", "curves", name, m, str(gamma))
    title, is_proven = name.replace("_", ", "), name != "asymptotic"
    about = {"title": title, "known_wrong": False, "is_proven": is_proven}
    entries = curve_coverage(name, m, gamma, plan.studies, generator)
    return [_curve_row(entry, m, gamma, about) for entry in entries]


def _of_wrong(plan: Plan, name: str) -> list[dict]:
    wrong, generator = KNOWN_WRONG[name], stream(plan.seed, "audit", "curves", name)
    about = {"title": wrong.title, "known_wrong": True, "is_proven": False}
    if isinstance(wrong, WrongSet):
        cell = (name, wrong.discrepancy, wrong.population, str(wrong.gamma))
        sets = wrong.coverage(plan.studies, generator)
        return [_set_row(entry, *cell, about) for entry in sets]
    curves = wrong.coverage(plan.studies, generator)
    return [_curve_row(entry, wrong.m, wrong.gamma, about) for entry in curves]


def _set_row(
    entry: SetCoverage, name: str, discrepancy: str, population: str, gamma: str, about: dict
) -> dict:
    return _row(entry.coverage) | {
        "what": f"{name}, {discrepancy}",
        "where": f"{population}, {entry.simulator}",
        "bound": entry.bound,
        "gamma": gamma,
        "auc_ratio": entry.ratio,
        "auc_ratio_error": entry.ratio_error,
        "gap": entry.gap,
        **about,
    }


def _curve_row(entry: CurveCoverage, m: int, gamma: object, about: dict) -> dict:
    shown = f"{gamma[0]} to {gamma[1]}, tied to Δ" if isinstance(gamma, tuple) else str(gamma)
    return _row(entry.coverage) | {
        "what": entry.guarantee,
        "where": f"m = {m}" + ("" if entry.tau is None else f", τ = {entry.tau}"),
        "bound": "curve",
        "gamma": shown,
        "claimed": entry.claimed,
        "covered": entry.covered,
        **about,
    }


def _row(coverage: Measured) -> dict:
    return asdict(coverage) | {"coverage": coverage.average}


def judged(rows: list[dict]) -> list[dict]:
    """Return the rows with a verdict that allows for their number (Bonferroni)."""
    level = SIGNIFICANCE / max(1, len(rows))
    return [{**row, "fails": row["p_value"] < level} for row in rows]


def broken(rows: list[dict]) -> list[str]:
    """Return the proven promises that are refuted."""
    promised = (row for row in rows if row["is_proven"] and row["fails"])
    return [f"{row['what']} ({row['where']})" for row in promised]


def missed(rows: list[dict]) -> list[str]:
    """Return what is known to be wrong and is not caught."""
    wrong = [row for row in rows if row["known_wrong"]]
    caught = {row["title"] for row in wrong if row["fails"]}
    return [title for title in dict.fromkeys(row["title"] for row in wrong) if title not in caught]


def findings(rows: list[dict]) -> str:
    """Return the audit's result in sentences."""
    checks = f"{sum(row['is_proven'] for row in rows)} checks of proven statements"
    verdict = f"All {checks} agree with them within Monte Carlo error"
    if failing := broken(rows):
        verdict = f"{len(failing)} of {checks} fail, the first: {failing[0]}"
    control = f"Of {len(KNOWN_WRONG)} formulas known to be wrong, all are caught by the same test"
    if passing := missed(rows):
        control = f"Not caught, though known to be wrong: {'; '.join(passing)}"
    return (
        "Measured on synthetic populations whose truth is known, adversarial ones among them,"
        f" and on curves in their worst case. {verdict}. {control}."
        " All cells are in coverage.csv."
    )
