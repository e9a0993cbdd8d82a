"""Measure the guarantees of curves in their worst case, and catch formulas known to be wrong."""

from fidelity.stream import stream
from fidelity_audit.coverage import KNOWN_WRONG, STATEMENTS, WrongSet, curve_coverage
from fidelity_study.audit.rows import curve_row, set_row
from fidelity_study.run.script import run
from fidelity_study.tables.audit import AUDIT
from fidelity_study.tables.audit_curves import AUDIT_CURVES
from fidelity_study.tables.read_write import write_rows

SCENARIOS = [60, 235]
COVERAGES = [0.5, 0.9]
TIED = (0.95, 0.3)
OWN_COVERAGES = ("weighted_exact", "weighted_marginal", "asymptotic")


def main(snakemake):
    step = snakemake.params.step
    key = (step["seed"], "audit", "curves")
    curves, known_wrong = [], []
    for name in STATEMENTS:
        for m in SCENARIOS:
            for gamma in coverages_of(name):
                generator = stream(*key, name, m, str(gamma))
                found = curve_coverage(name, m, gamma, step["studies"], generator)
                curves += [curve_row(entry, m, gamma, known_wrong=False) for entry in found]
    for name, wrong in KNOWN_WRONG.items():
        found = wrong.coverage(step["studies"], stream(*key, name))
        if isinstance(wrong, WrongSet):
            known_wrong += [
                set_row(wrong.population, name, wrong.discrepancy, str(wrong.gamma), entry)
                for entry in found
            ]
        else:
            curves += [curve_row(entry, wrong.m, wrong.gamma, known_wrong=True) for entry in found]
    write_rows(snakemake.output.curves, curves, AUDIT_CURVES, step)
    write_rows(snakemake.output.known_wrong, known_wrong, AUDIT, step)


def coverages_of(statement: str) -> list:
    """Return the coverages to try: the paper's guarantee has ½ only, others let them differ."""
    if statement == "paper":
        return [0.5]
    return [*COVERAGES, TIED] if statement in OWN_COVERAGES else COVERAGES


run(main, snakemake)
