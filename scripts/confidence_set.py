"""Bound what people answer: each confidence set, at each coverage, for each human sample."""

from fidelity.sets.gamma import parse_sides
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import Scenarios
from fidelity_study.steps.confidence_set import known_bounds, refuse_many_options
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.confidence_set import CONFIDENCE_SET
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write


def main(snakemake):
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    refuse_many_options(Scenarios.from_table(scenarios), step["pairs"])
    sides = [parse_sides(gamma) for gamma in step["gamma"]]
    coverages = list(dict.fromkeys(each for pair in sides for each in (pair.upper, pair.lower)))
    samples = read(snakemake.input.human, HUMAN_SAMPLE)
    key = (step["seed"], step["dataset"], f"n={step['n']}")
    bounds = known_bounds(scenarios, samples, coverages, step["pairs"], key)
    write(snakemake.output[0], bounds, CONFIDENCE_SET, step)


run(main, snakemake)
