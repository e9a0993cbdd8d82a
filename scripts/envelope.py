"""Curves, certified shares and pairwise bounds that need no choice of a coverage γ."""

import pyarrow as pa

from fidelity_study.run.script import run
from fidelity_study.steps import envelope as steps
from fidelity_study.steps.arrays import Scenarios, first_replicate, human
from fidelity_study.steps.confidence_set import known_bounds
from fidelity_study.steps.pairwise import all_pairs
from fidelity_study.steps.pseudo_discrepancy import pseudo_discrepancies
from fidelity_study.steps.samples import families
from fidelity_study.steps.unanswered import Options, answered, unanswered
from fidelity_study.tables.bootstrap import HUMAN_SAMPLE
from fidelity_study.tables.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.tables.curves import curve_rows
from fidelity_study.tables.envelope import ENVELOPE, ENVELOPE_SHARES
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.nonresponse import NONRESPONSE
from fidelity_study.tables.pairwise import PAIRWISE
from fidelity_study.tables.read_write import read, write, write_csv, write_rows


def main(snakemake):
    step, files, output = snakemake.params.step, snakemake.input, snakemake.output
    table = read(files.scenarios, SCENARIOS)
    scenarios = Scenarios.from_table(table)
    counts = scenarios.counts(human(read(files.outcomes, OUTCOMES)), "count")
    people = first_replicate(read(files.human, HUMAN_SAMPLE))
    simulated = first_replicate(read(files.simulated, SIMULATED_SAMPLE))
    key = (step["seed"], step["dataset"], f"n={step['n'][-1]}")
    bounds = known_bounds(table, people, steps.COVERAGES, step["pairs"], key)
    parts = [
        pseudo_discrepancies(family, counts, step["smoothed"])
        for family in families(scenarios, bounds, simulated, step["pairs"])
    ]
    options = Options.of(table)
    lost = unanswered(read(files.nonresponse, NONRESPONSE), scenarios.names)
    given = list(answered(simulated, scenarios.names, options.exists.shape[1], lost))
    effects = steps.effects(given, options, step["pairs"], step["smoothed"])
    curves, shares = [ENVELOPE.empty_table()], []
    for cell in steps.cells(pa.concat_tables(parts), table):
        family = steps.familywise(cell, table, effects, len(step["simulators"]))
        drawn = steps.curves(cell, family)
        curves.append(curve_rows(cell.keys, ENVELOPE, **drawn))
        shares += steps.shares(cell, drawn, family, step["tolerance"])
    write(output.curves, pa.concat_tables(curves), ENVELOPE, step)
    write_rows(output.shares, shares, ENVELOPE_SHARES, step)
    write_csv(output.shares_csv, shares, ENVELOPE_SHARES.names)
    together = families(scenarios, bounds, simulated, step["compared"])
    write(output.pairs, all_pairs(together, step["simulators"], step["smoothed"]), PAIRWISE, step)


run(main, snakemake)
