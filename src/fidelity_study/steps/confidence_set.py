"""The bounds of a confidence set for samples with the same answer scale.

Tables:
    CONFIDENCE_SET: each set's bounds on people: `scenario`, `replicate`, `n_j`, `confidence_set`,
        `gamma` (label), `gamma_j` (its value at n_j), `functionals` (what is bounded: `mean`,
        `variance`, `median`, `option_subsets`, `score_slopes`, or `options` and `kernel` for none),
        `share` (p̂), `support` (upper bounds on the functionals), `lower`, `upper` (interval of the
        one number that matters, if it is one), `radius` (of the KL ball in nats, of the W1 ball in
        the unit of the scores; for `kernel` log(1/δ)/n, on which Chernoff's bounds of all
        functionals depend)
"""

import numpy as np
import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.extrema.functionals import ENUMERATED, MOST_OPTIONS
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import confidence_bounds
from fidelity.sets.gamma import Coverage, parse_sides
from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import Scale, Scenarios, codes, dense, labels, lists, optional
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.design import Sizes
from fidelity_study.tables.common import LABEL, NUMBERS, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write

CONFIDENCE_SET = pa.schema(
    [
        ("scenario", LABEL),
        ("replicate", pa.int16()),
        ("n_j", pa.float64()),
        *columns(LABEL, "confidence_set", "gamma"),
        ("gamma_j", pa.float64()),
        ("functionals", LABEL),
        *columns(NUMBERS, "share", "support"),
        *columns(pa.float64(), "lower", "upper", "radius"),
    ]
)


def refuse_many_options(scenarios: Scenarios, pairs: dict) -> None:
    """Raise DataError where a scenario has more options than its discrepancy can enumerate."""
    listed = [name for name in pairs if DISCREPANCIES[name].on in ENUMERATED]
    for name, scale in zip(scenarios.names, scenarios.scales, strict=True):
        if listed and scale.n_options > MOST_OPTIONS and scale.limits is None:
            raise DataError(
                f"scenario {name!r} has {scale.n_options} options, but {listed[0]} takes at most "
                f"{MOST_OPTIONS}; merge options, drop the scenario, or choose another discrepancy"
            )


def known_bounds(
    described: pa.Table,
    samples: pa.Table,
    coverages: list[Coverage],
    pairs: dict,
    key: tuple,
    sigma: float | None = None,
) -> pa.Table:
    """Return the bounds of every sample by each set of ``pairs``, at each coverage.

    The more certain a set is to be, the fewer people a design's sample is worth.
    """
    scenarios, sizes = Scenarios.from_table(described), Sizes.of(described)
    position = codes(samples["scenario"], scenarios.names)
    wanted = {
        (DISCREPANCIES[discrepancy].on, chosen): discrepancy
        for discrepancy, sets in pairs.items()
        for chosen in sets
    }
    parts = []
    for members, scale in scenarios.groups():
        there = np.flatnonzero(np.isin(position, members))
        part, worth = samples.take(there), sizes.of_rows(position[there])
        parts += [
            bounds_table(part, scale, coverages, worth, key, sigma, *pair)
            for pair in wanted.items()
        ]
    return pa.concat_tables(parts)


def bounds_table(
    samples: pa.Table,
    scale: Scale,
    coverages: list[Coverage],
    sizes: Sizes,
    key: tuple,
    sigma: float | None,
    family,
    discrepancy,
) -> pa.Table:
    """Return the bounds of one confidence set for samples with the same answer scale."""
    functionals, confidence_set = family
    sample = np.repeat(np.arange(len(samples)), len(coverages))
    level = np.tile(np.arange(len(coverages)), len(samples))
    counts, n = dense(samples["count"]), samples["n_j"].to_numpy()
    gamma_j = np.stack([coverage.at(n) for coverage in coverages], 1).ravel()
    n_j = sizes.of_rows(sample).at(n[sample], gamma_j)
    bounds = confidence_bounds(
        counts[sample] * (n_j / n[sample])[:, np.newaxis],
        confidence_set=confidence_set,
        discrepancy=discrepancy,
        gamma=gamma_j,
        scores=scale.scores,
        limits=scale.limits,
        sigma=sigma,
        generator=streams(samples, key, confidence_set, sample),
    )
    repeated = samples.take(sample)
    constant = np.zeros(len(sample), int)
    columns = {
        "scenario": repeated["scenario"],
        "replicate": repeated["replicate"],
        "n_j": n_j,
        "confidence_set": labels([confidence_set], constant),
        "gamma": labels([coverage.label for coverage in coverages], level),
        "gamma_j": gamma_j,
        "functionals": labels([functionals], constant),
        "share": lists(bounds.share),
        "support": lists(bounds.support),
        "lower": optional(bounds.lower),
        "upper": optional(bounds.upper),
        "radius": optional(bounds.radius),
    }
    return pa.table(columns).select(CONFIDENCE_SET.names).unify_dictionaries()


def streams(samples: pa.Table, key: tuple, confidence_set: str, sample: np.ndarray) -> list | None:
    """Return a random stream for each row if the set draws."""
    if not CONFIDENCE_SETS[confidence_set].draws:
        return None
    scenario, replicate = (samples[name].to_pylist() for name in ("scenario", "replicate"))
    return [stream(*key, scenario[i], replicate[i], confidence_set) for i in sample]


def main(snakemake):
    """Bound what people answer."""
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    refuse_many_options(Scenarios.from_table(scenarios), step["pairs"])
    sides = [parse_sides(gamma) for gamma in step["gamma"]]
    coverages = list(dict.fromkeys(end for pair in sides for end in (pair.upper, pair.lower)))
    samples = read(snakemake.input.human, HUMAN_SAMPLE)
    key = (step["seed"], step["dataset"], f"n={step['n']}")
    bounds = known_bounds(
        scenarios, samples, coverages, step["pairs"], key, step["outcome"].get("sigma")
    )
    write(snakemake.output[0], bounds, CONFIDENCE_SET, step)
