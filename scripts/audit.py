"""Measure the coverage of every confidence set and discrepancy in use on one population."""

import numpy as np

from fidelity.sets.gamma import parse_sides
from fidelity.stream import stream
from fidelity_audit.coverage import SetCoverage, set_coverage
from fidelity_audit.populations import population_named
from fidelity_study.audit.rows import set_row
from fidelity_study.run.script import run
from fidelity_study.tables.audit import AUDIT
from fidelity_study.tables.read_write import write_rows


def main(snakemake):
    step = snakemake.params.step
    key = (step["seed"], "audit", step["population"])
    drawn = population_named(step["population"]).draw(stream(*key), m=step["scenarios"])
    sides = [parse_sides(gamma) for gamma in step["gamma"]]
    coverages = {each.label: each for pair in sides for each in (pair.upper, pair.lower)}
    rows = [
        set_row(step["population"], chosen, discrepancy, label, entry)
        for chosen, discrepancy in step["pairs"]
        for label, coverage in coverages.items()
        for entry in measure(drawn, chosen, discrepancy, coverage, step["replicates"], key)
    ]
    write_rows(snakemake.output[0], rows, AUDIT, step)


def measure(drawn, chosen, discrepancy, coverage, replicates, key) -> list[SetCoverage]:
    """Return the measured coverage of one cell, from a stream of its own."""
    generator: np.random.Generator = stream(*key, chosen, discrepancy, coverage.label)
    return set_coverage(drawn, chosen, discrepancy, coverage, replicates, generator)


run(main, snakemake)
