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

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.curves.envelope import GAMMA_GRID, EnvelopeBounds
from fidelity.uses import USES
from fidelity_study.steps.arrays import (
    Scenarios,
    dependent_scenarios,
    finite,
    first_replicate,
    human,
    row_of,
    scale_of,
)
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.cases import Case, people_and_simulators
from fidelity_study.steps.cells import COVERAGES, at_coverages
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.curves import TAIL, TAU, curve_rows
from fidelity_study.steps.limits import tolerances_of
from fidelity_study.steps.pairwise import PAIRWISE, all_pairs
from fidelity_study.steps.pseudo_discrepancy import pseudo_discrepancies
from fidelity_study.steps.samples import families
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

FEWEST = 10
NEW, SAME, LOWER = "new", "same clusters", GAMMA_GRID.index(0.95)
NINETY = TAU.index(1 - TAIL)


Cell = tuple[dict, np.ndarray, EnvelopeBounds]
"""The columns that name it, with its cluster, None for all; positions of its scenarios; bounds."""


def bounds_of(
    simulator: str, rows: np.ndarray, *ends: np.ndarray, scenarios: pa.Table, eta: float
) -> EnvelopeBounds:
    """Return bounds in the scenarios at ``rows``, with what the table says of these."""
    some = scenarios.select(["cluster", "people"]).take(rows)
    clusters, people = (np.array(some[name].to_pylist()) for name in ("cluster", "people"))
    lower, upper = ends
    return EnvelopeBounds(lower, upper, eta, clusters, dependent_scenarios(people, [simulator]))


def cells(table: pa.Table, scenarios: pa.Table, eta: float) -> Iterator[Cell]:
    """Yield each simulator's bounds in all scenarios, then in those of each large cluster.

    Statements of all its clusters hold together.
    """
    names = scenarios["scenario"].to_pylist()
    for keys, rows, *ends in at_coverages(table, names, ["lower", "upper"]):
        name = keys["simulator"]
        bounds = bounds_of(name, rows, *ends, scenarios=scenarios, eta=eta)
        yield {"cluster": None, **keys}, rows, bounds
        clusters = np.asarray(bounds.clusters)
        labels, sizes = np.unique(clusters, return_counts=True)
        labels = labels[(sizes >= FEWEST) & (len(labels) > 1)]
        for label in labels:
            inside = [part[clusters == label] for part in (rows, *ends)]
            of_cluster = bounds_of(name, *inside, scenarios=scenarios, eta=eta / len(labels))
            yield {"cluster": label, **keys}, inside[0], of_cluster


def familywise(cell: Cell, case: Case, scenarios: pa.Table, many: int) -> EnvelopeBounds | None:
    """Return bounds whose statements hold for ``many`` simulators at once, with missing answers.

    They are of scenarios without any answer of the simulator, too. None for a cluster, and where it
    isn't known how much the unanswered questions could change the discrepancy.
    """
    (keys, rows, bounds), missing = cell, case.missing
    if keys["cluster"] is not None or not (missing.is_none or missing.is_bounded):
        return None
    if missing.is_none:
        return replace(bounds, eta=bounds.eta / many)
    upper = np.empty(bounds.upper.shape)
    upper[case.own.places(rows)] = bounds.upper
    raised, name = missing.raised(upper), case.own.simulator
    ends = np.full(raised.shape, np.nan), raised
    return bounds_of(name, case.own.asked, *ends, scenarios=scenarios, eta=bounds.eta / many)


def shares(
    cell: Cell, family: EnvelopeBounds | None, drawn: dict, tolerances: list[float | None]
) -> Iterator[dict]:
    """Yield the certified share of one cell, for each tolerance of its discrepancy.

    Args:
        cell: the bounds.
        family: the bounds that hold for all simulators at once, see :func:`familywise`.
        drawn: its curves, by their names.
        tolerances: of its discrepancy; None where it has none.
    """
    keys, _, bounds = cell
    known = {
        "m": len(bounds.upper),
        "shared_people": bounds.shared,
        "scenarios": NEW if bounds.alike and keys["cluster"] is None else SAME,
        "var_90": drawn["upper"][NINETY],
        "certified_var_90": finite(drawn["certified_upper"][NINETY]),
        "familywise_var_90": finite(drawn["familywise_upper"][NINETY]),
    }
    for tolerance in tolerances:
        within = [
            None if one is None or tolerance is None else one.share_within(tolerance)
            for one in (bounds, family)
        ]
        known |= zip(("certified_share", "familywise_share"), within, strict=True)
        yield row_of(ENVELOPE_SHARES, bounds, tolerance=tolerance, **keys, **known)


def use_rows(
    chosen: dict[str, tuple[EnvelopeBounds, EnvelopeBounds, float]], limit: float
) -> Iterator[dict]:
    """Yield on how many new questions of the kind each simulator is beyond the tolerance.

    With any answers to questions that it left unanswered.
    """
    for name, (bounds, family, tolerance) in chosen.items():
        is_same = len(family.upper) == len(bounds.upper)
        how: dict = {"lower": bounds.lower[:, LOWER] if is_same else None}
        how |= {"lower_gamma": GAMMA_GRID[LOWER], "tolerance": tolerance, "limit": limit}
        use = USES["new_questions"].measure(family.upper, **how, **family.dependence)
        if use.lower > 0.0 or use.upper < 1.0:  # else so few questions tell nothing
            yield measured(name, use)


def main(snakemake):
    """Find the envelope of the curves over coverages."""
    step, files = snakemake.params.step, snakemake.input
    table = read(files.scenarios, SCENARIOS)
    scenarios = Scenarios.from_table(table)
    counts = scenarios.counts(human(read(files.outcomes, OUTCOMES)), "count")
    samples = first_replicate(read(files.human, HUMAN_SAMPLE))
    simulated = first_replicate(read(files.simulated, SIMULATED_SAMPLE))
    people, answered = people_and_simulators(files, step)
    key = (step["seed"], step["dataset"], f"n={step['n'][-1]}")
    sigma, smoothed = step["outcome"].get("sigma"), step["smoothed"]
    known = known_bounds(table, samples, COVERAGES, step["pairs"], key, sigma)
    allowed, together = (
        families(scenarios, known, simulated, step[pairs]) for pairs in ("pairs", "compared")
    )
    by_form = {(one.simulator, one.k): one for one in answered}
    first, sets = next(iter(step["pairs"].items()))
    headline = {"discrepancy": first, "confidence_set": headline_set(sets), "cluster": None}
    drawn, rows, chosen, scale = [], [], {}, scale_of(table)
    for cell in cells(pseudo_discrepancies(allowed, counts, smoothed), table, step["eta"]):
        keys, _, bounds = cell
        simulator, k, discrepancy = (keys[key] for key in ("simulator", "k", "discrepancy"))
        tolerances = tolerances_of(step["tolerance"], discrepancy, scale)
        is_smoothed = by_form[simulator, k].is_smoothed(discrepancy, smoothed)
        case = Case(people, by_form[simulator, k], discrepancy, is_smoothed)
        family = familywise(cell, case, table, len(step["simulators"]))
        of_all = np.full(len(TAU), np.nan) if family is None else family.certified_curve(TAU)
        drawn.append((keys, bounds.curves(TAU)._asdict() | {"familywise_upper": of_all}))
        rows += shares(cell, family, drawn[-1][1], tolerances or [None])
        is_tested = tolerances and family is not None and simulator not in BASELINES
        if is_tested and keys.items() >= headline.items():
            chosen[simulator] = bounds, family, tolerances[0]  # the last has the most draws
    made = {
        "curves": (curve_rows(drawn, ENVELOPE), ENVELOPE),
        "shares": (rows, ENVELOPE_SHARES),
        "pairs": (all_pairs(together, step["simulators"], smoothed), PAIRWISE),
        "of_new_questions": (use_rows(chosen, limit_of(step["uses"], "new_questions")), MEASURED),
    }
    write_tables(snakemake.output, made, step)
