"""How often people's answers lie in intervals that a simulator states, or fitted to its answers."""

from fidelity.calibration.intervals import FITS
from fidelity_study.errors import DataError
from fidelity_study.run.script import run
from fidelity_study.steps.arrays import clusters_of, human, may_answer_several, only
from fidelity_study.steps.given import distributions, given
from fidelity_study.steps.intervals import answers, measured
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.intervals import INTERVALS
from fidelity_study.tables.read_write import read, write_csv, write_rows


def main(snakemake):
    step = snakemake.params.step
    scenarios = read(snakemake.input.scenarios, SCENARIOS)
    names = scenarios["scenario"].to_pylist()
    clusters, several = clusters_of(scenarios), may_answer_several(scenarios)
    outcomes = read(snakemake.input.outcomes, OUTCOMES)
    people, stated = answers(human(outcomes), names), given(snakemake.input.given)
    rows = []
    for simulator in step["simulators"]:
        own = answers(only(outcomes, source=simulator), names)
        told = distributions(stated, simulator, names).families
        fits = told or {
            family: {j: fit(*own[j]) for j in own if j in people} for family, fit in FITS.items()
        }
        for family, of in fits.items():
            found = measured(people, of, clusters, several, family, step["calibration"]["levels"])
            rows += [{"simulator": simulator, **row} for row in found]
    if not rows:
        raise DataError(
            f"dataset {step['dataset']}, calibration: intervals need a simulator whose answers "
            "differ within a scenario, or that states distributions, in at least 2 scenarios; "
            "take the key calibration away"
        )
    write_rows(snakemake.output.intervals, rows, INTERVALS, step)
    write_csv(snakemake.output.csv, rows, INTERVALS.names)


run(main, snakemake)
