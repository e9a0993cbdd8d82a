"""The envelope of the curves over coverages γ, of all scenarios and of each cluster.

The statements are in :mod:`fidelity.curves.envelope`. Those of a dataset's clusters hold together.

Tables:
    ENVELOPE: where `grid.gamma` has `envelope`: at the last n, first replicate, curves of the
        smallest bound over coverages from 0.1 to 0.99, at `tau`: `lower` and `upper` hold as
        scenarios become many, each point of `certified_upper` with probability 1 - η at this number
        of scenarios (uniformly in γ), all points of `simultaneous_upper` together (empty where
        scenarios are not independent), each point of `familywise_upper` for all simulators at once
        and whatever their missing answers were (empty where `familywise_var_90` always is).
        `cluster`: empty for all scenarios; certified curves of single clusters, those with at least
        10 scenarios, hold for all of these together
    ENVELOPE_SHARES: the certified bounds of these curves: `var_90` and `certified_var_90`, the
        curves at 0.9 (empty where m is too small); `certified_share`, the least share of scenarios
        on which the simulator is within the `tolerance` (of the config, if it has one);
        `familywise_var_90` and `familywise_share`, the same for all simulators at once and whatever
        their missing answers were (over all scenarios; empty for clusters, and where answers are
        missing for `kl`, `chi2` and parameters); `scenarios`: of `new` ones, or of more of the
        `same clusters`; `m`, `n_clusters`, `shared_people` as in `guarantee/levels_n<n>.parquet`
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.comparison.few_clusters import grouped
from fidelity.curves.envelope import (
    GAMMA_GRID,
    certified_envelope_share,
    envelope_curve,
    exact_envelope_curve,
    lower_envelope_curve,
    simultaneous_envelope_curve,
)
from fidelity.means.unanswered import Unanswered
from fidelity.responses import Responses
from fidelity.sets.gamma import Coverage, parse_coverage
from fidelity.uses import USES
from fidelity_study.steps.arrays import (
    Scenarios,
    cell_slices,
    codes,
    dependent_scenarios,
    finite,
    first_replicate,
    human,
    numbers,
    scale_of,
)
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.curves import TAIL, TAU, curve_rows
from fidelity_study.steps.limits import tolerances_of
from fidelity_study.steps.nonresponse import NONRESPONSE
from fidelity_study.steps.pairwise import PAIRWISE, all_pairs
from fidelity_study.steps.people import People
from fidelity_study.steps.pseudo_discrepancy import pseudo_discrepancies
from fidelity_study.steps.samples import families
from fidelity_study.steps.unanswered import Answered, answered, unanswered
from fidelity_study.tables.common import LABEL, columns, headline_set
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import MEASURED, limit_of, measured

FORM = columns(LABEL, "cluster", "simulator", "k", "confidence_set", "discrepancy")
ENVELOPE = pa.schema(
    [
        *FORM,
        *columns(pa.float64(), "tau", "lower", "upper", "certified_upper", "simultaneous_upper"),
        ("familywise_upper", pa.float64()),
    ]
)
ENVELOPE_SHARES = pa.schema(
    [
        *FORM,
        *columns(pa.int32(), "m", "n_clusters", "shared_people"),
        ("scenarios", LABEL),
        *columns(pa.float64(), "var_90", "certified_var_90", "tolerance", "certified_share"),
        *columns(pa.float64(), "familywise_var_90", "familywise_share"),
    ]
)

COVERAGES: list[Coverage] = [parse_coverage(gamma) for gamma in GAMMA_GRID]
LABELS = [coverage.label for coverage in COVERAGES]
CELL = ["simulator", "k", "confidence_set", "discrepancy"]
FEWEST = 10
NEW, SAME, LOWER = "new", "same clusters", "0.95"
NINETY = TAU.index(1 - TAIL)


class Cell(NamedTuple):
    """The bounds of one simulator at every coverage, in all scenarios or in those of a cluster.

    Attributes:
        keys: the columns that name it, with its cluster, None for all.
        rows: positions of the scenarios, (m,).
        lower, upper: (m, G).
        clusters: a label for each scenario, (m,).
        shared: the largest number of scenarios that depend on each other.
        eta: the error of each statement, with which those of all clusters hold together.
    """

    keys: dict
    rows: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    clusters: np.ndarray
    shared: int
    eta: float

    @property
    def certainty(self) -> dict:
        """The dependence between scenarios, as arguments of the library."""
        return {"shared": self.shared, "alike": grouped(self.clusters) is None}


def at_coverages(table: pa.Table, names: list[str], columns: list[str]) -> Iterator[tuple]:
    """Yield a cell's keys, its scenarios' positions (m,), and each column as (m, G).

    ``table`` has a row for each scenario and coverage of a cell: of a simulator or a pair of them.
    """
    keys = [key for key in ["other", *CELL] if key in table.column_names]
    ordered, slices = cell_slices(table, keys)
    place, level = codes(ordered["scenario"], names), codes(ordered["gamma"], LABELS)
    values = [numbers(ordered[name]) for name in columns]
    for cell, rows in slices:
        there, row = np.unique(place[rows], return_inverse=True)
        by_coverage = np.full((len(values), len(there), len(LABELS)), np.nan)
        by_coverage[:, row, level[rows]] = [column[rows] for column in values]
        yield cell, there, *by_coverage


def cells(table: pa.Table, scenarios: pa.Table, eta: float) -> Iterator[Cell]:
    """Yield each simulator's bounds in all scenarios, then in those of each large cluster."""
    names = scenarios["scenario"].to_pylist()
    clusters, people = (np.array(scenarios[name].to_pylist()) for name in ("cluster", "people"))
    for keys, there, lower, upper in at_coverages(table, names, ["lower", "upper"]):
        of_cluster, simulator = clusters[there], [keys["simulator"]]
        shared = dependent_scenarios(people[there], simulator)
        yield Cell({"cluster": None, **keys}, there, lower, upper, of_cluster, shared, eta)
        labels, sizes = np.unique(of_cluster, return_counts=True)
        labels = labels[(sizes >= FEWEST) & (len(labels) > 1)]
        for label in labels:
            at = of_cluster == label
            shared = dependent_scenarios(people[there[at]], simulator)
            bounds = there[at], lower[at], upper[at], of_cluster[at]
            yield Cell({"cluster": label, **keys}, *bounds, shared, eta / len(labels))


def curves(cell: Cell, family: Cell | None) -> dict[str, np.ndarray]:
    """Return the curves of one cell.

    Args:
        cell: the bounds. None are simultaneous in τ where its scenarios are not independent.
        family: the bounds that hold for all simulators at once, see :func:`familywise`.
    """
    simultaneous = np.full(len(TAU), np.nan)
    if cell.certainty == {"shared": 1, "alike": True}:
        simultaneous = simultaneous_envelope_curve(cell.upper, TAU, cell.eta)
    return {
        "lower": lower_envelope_curve(cell.lower, TAU),
        "upper": envelope_curve(cell.upper, TAU),
        "certified_upper": exact_curve(cell),
        "simultaneous_upper": simultaneous,
        "familywise_upper": np.full(len(TAU), np.nan) if family is None else exact_curve(family),
    }


def exact_curve(cell: Cell) -> np.ndarray:
    """Return the curve each point of which fails with probability at most the cell's eta."""
    return exact_envelope_curve(cell.upper, TAU, cell.eta, **cell.certainty)


def effects(
    given: list[Answered], people: Responses, discrepancies: Iterable[str], smoothed: list[str]
) -> dict[tuple, tuple[Answered, Unanswered]]:
    """Return how much unanswered questions could change, by simulator, k and discrepancy."""
    effects = {}
    for answers in given:
        for discrepancy in discrepancies:
            q = answers.measured(answers.is_smoothed(discrepancy, smoothed))
            key = answers.simulator, answers.k, discrepancy
            effects[key] = answers, answers.effect(people, discrepancy, q)
    return effects


def familywise(
    cell: Cell, scenarios: pa.Table, effects: dict[tuple, tuple[Answered, Unanswered]], many: int
) -> Cell | None:
    """Return a cell whose statements hold for ``many`` simulators at once, with missing answers.

    It includes scenarios without any answer of the simulator. None for a cluster, and where it
    isn't known how much the unanswered questions could change the discrepancy.
    """
    keys = cell.keys
    own, effect = effects[keys["simulator"], keys["k"], keys["discrepancy"]]
    if keys["cluster"] is not None or not (effect.is_none or effect.is_bounded):
        return None
    cell = cell._replace(eta=cell.eta / many)
    if effect.is_none:
        return cell
    upper = np.empty(cell.upper.shape)
    upper[own.places(cell.rows)] = cell.upper
    rows = own.asked
    clusters, people = (
        np.array(scenarios[name].to_pylist())[rows] for name in ("cluster", "people")
    )
    return cell._replace(
        rows=rows,
        lower=np.full((len(rows), len(LABELS)), np.nan),
        upper=effect.raised(upper),
        clusters=clusters,
        shared=dependent_scenarios(people, [keys["simulator"]]),
    )


def shares(
    cell: Cell,
    drawn: dict[str, np.ndarray],
    family: Cell | None,
    tolerances: dict[str, list[float | None]],
) -> Iterator[dict]:
    """Yield the certified share of one cell, for each tolerance of its discrepancy.

    Args:
        cell: the bounds.
        drawn: its :func:`curves`.
        family: the bounds that hold for all simulators at once, see :func:`familywise`.
        tolerances: of each discrepancy; None where it has none.
    """
    row = {
        **cell.keys,
        "m": len(cell.upper),
        "n_clusters": len(np.unique(cell.clusters)),
        "shared_people": cell.shared,
        "scenarios": NEW if cell.certainty["alike"] and cell.keys["cluster"] is None else SAME,
        "var_90": drawn["upper"][NINETY],
        "certified_var_90": finite(drawn["certified_upper"][NINETY]),
        "familywise_var_90": finite(drawn["familywise_upper"][NINETY]),
    }
    for tolerance in tolerances[cell.keys["discrepancy"]]:
        yield {
            **row,
            "tolerance": tolerance,
            "certified_share": share_within(cell, tolerance),
            "familywise_share": share_within(family, tolerance),
        }


def share_within(cell: Cell | None, tolerance: float | None) -> float | None:
    """Return a lower bound on the share of scenarios within a tolerance; None without either."""
    if cell is None or tolerance is None:
        return None
    return certified_envelope_share(cell.upper, cell.eta, threshold=tolerance, **cell.certainty)


def new_question_uses(
    pseudo: pa.Table, table: pa.Table, missing: dict, step: dict, tolerances: dict
) -> Iterator[dict]:
    """Yield on how many new questions of the kind each simulator is beyond the tolerance.

    By the first discrepancy and the set of the headline, of all its answers, with any answers to
    questions that it left unanswered.
    """
    discrepancy, sets = next(iter(step["pairs"].items()))
    (tolerance, *_) = tolerances[discrepancy]
    if tolerance is None:
        return
    limit = limit_of(step["uses"], "new_questions")
    wanted = {"discrepancy": discrepancy, "confidence_set": headline_set(sets), "cluster": None}
    chosen: dict[str, Cell] = {}
    for cell in cells(pseudo, table, step["eta"]):
        if cell.keys.items() >= wanted.items():  # the last has the most draws
            chosen[cell.keys["simulator"]] = cell
    place = LABELS.index(LOWER) if LOWER in LABELS else len(LABELS) // 2
    for name, cell in chosen.items():
        family = familywise(cell, table, missing, 1)
        if family is None or cell.keys["simulator"] in BASELINES:
            continue
        lower = cell.lower[:, place] if len(family.rows) == len(cell.rows) else None
        use = USES["new_questions"].measure(
            family.upper,
            tolerance=tolerance,
            lower=lower,
            lower_gamma=GAMMA_GRID[place],
            limit=limit,
            **family.certainty,
        )
        if use.lower > 0.0 or use.upper < 1.0:  # else so few questions tell nothing
            yield measured(name, use)


def main(snakemake):
    """Find the envelope of the curves over coverages."""
    step, files = snakemake.params.step, snakemake.input
    table = read(files.scenarios, SCENARIOS)
    scenarios = Scenarios.from_table(table)
    counts = scenarios.counts(human(read(files.outcomes, OUTCOMES)), "count")
    people = first_replicate(read(files.human, HUMAN_SAMPLE))
    simulated = first_replicate(read(files.simulated, SIMULATED_SAMPLE))
    key = (step["seed"], step["dataset"], f"n={step['n'][-1]}")
    bounds = known_bounds(
        table, people, COVERAGES, step["pairs"], key, step["outcome"].get("sigma")
    )
    allowed = families(scenarios, bounds, simulated, step["pairs"])
    pseudo = pseudo_discrepancies(allowed, counts, step["smoothed"])
    asked = People.of(table, people, step)
    lost = unanswered(read(files.nonresponse, NONRESPONSE), scenarios.names)
    options = asked.responses.counts.shape[1]
    given = answered(simulated, scenarios.names, options, lost)
    missing = effects(given, asked.responses, step["pairs"], step["smoothed"])
    curves_of_cells, rows = [], []
    tolerances = {
        name: tolerances_of(step["tolerance"], name, scale_of(table)) or [None]
        for name in step["pairs"]
    }
    for cell in cells(pseudo, table, step["eta"]):
        family = familywise(cell, table, missing, len(step["simulators"]))
        drawn = curves(cell, family)
        curves_of_cells.append((cell.keys, drawn))
        rows += shares(cell, drawn, family, tolerances)
    together = families(scenarios, bounds, simulated, step["compared"])
    made = {
        "curves": (curve_rows(curves_of_cells, ENVELOPE), ENVELOPE),
        "shares": (rows, ENVELOPE_SHARES),
        "pairs": (all_pairs(together, step["simulators"], step["smoothed"]), PAIRWISE),
        "of_new_questions": (
            new_question_uses(pseudo, table, missing, step, tolerances),
            MEASURED,
        ),
    }
    write_tables(snakemake.output, made, step)
