"""Bound what people answer: each confidence set, at each coverage, for each human sample."""

import numpy as np
import pyarrow as pa

from fidelity.confidence_set import confidence_bounds
from fidelity.coverage import parse_coverage
from fidelity.discrepancy import DISCREPANCIES, MOST_OPTIONS
from fidelity_study import tables
from fidelity_study.arrays import Scenarios, codes, dense, labels, lists, optional
from fidelity_study.errors import DataError
from fidelity_study.script import run


def main(snakemake):
    step = snakemake.params.step
    scenarios = Scenarios.from_table(tables.read(snakemake.input.scenarios, tables.SCENARIOS))
    samples = tables.read(snakemake.input.human, tables.HUMAN_SAMPLE)
    refuse_many_options(scenarios, step["pairs"])
    coverages = [parse_coverage(gamma) for gamma in step["gamma"]]
    position = codes(samples["scenario"], scenarios.names)
    wanted = {
        (DISCREPANCIES[discrepancy].on, chosen): discrepancy
        for discrepancy, sets in step["pairs"].items()
        for chosen in sets
    }
    parts = [
        bounds_table(
            samples.take(np.flatnonzero(np.isin(position, members))), scores, coverages, *each
        )
        for members, scores in scenarios.groups()
        for each in wanted.items()
    ]
    tables.write(snakemake.output[0], pa.concat_tables(parts), tables.CONFIDENCE_SET, step)


def refuse_many_options(scenarios: Scenarios, pairs: dict) -> None:
    """Raise DataError where a discrepancy over option subsets meets too many options."""
    by_subsets = [name for name in pairs if DISCREPANCIES[name].on == "option_subsets"]
    for name, values in zip(scenarios.names, scenarios.values, strict=True):
        if by_subsets and len(values) > MOST_OPTIONS:
            raise DataError(
                f"scenario {name!r} has {len(values)} options, but {by_subsets[0]} takes at most "
                f"{MOST_OPTIONS}; merge options, drop the scenario, or choose another discrepancy"
            )


def bounds_table(samples, scores, coverages, family, discrepancy) -> pa.Table:
    """Return the bounds of one confidence set for samples with the same answer scale."""
    functionals, confidence_set = family
    sample = np.repeat(np.arange(len(samples)), len(coverages))
    level = np.tile(np.arange(len(coverages)), len(samples))
    counts = dense(samples["count"])
    gamma_j = np.stack([each.at(samples["n_j"].to_numpy()) for each in coverages], 1).ravel()
    bounds = confidence_bounds(
        counts[sample],
        confidence_set=confidence_set,
        discrepancy=discrepancy,
        gamma=gamma_j,
        scores=scores,
    )
    repeated = samples.take(sample)
    constant = np.zeros(len(sample), int)
    columns = {
        "scenario": repeated["scenario"],
        "replicate": repeated["replicate"],
        "n_j": repeated["n_j"],
        "confidence_set": labels([confidence_set], constant),
        "gamma": labels([each.label for each in coverages], level),
        "gamma_j": gamma_j,
        "functionals": labels([functionals], constant),
        "share": lists(bounds.share),
        "support": lists(bounds.support),
        "lower": optional(bounds.lower),
        "upper": optional(bounds.upper),
        "radius": optional(bounds.radius),
    }
    return pa.table(columns).select(tables.CONFIDENCE_SET.names).unify_dictionaries()


run(main, snakemake)
