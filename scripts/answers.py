"""Count what the language models of a dataset answered, stated, and did not answer."""

from fidelity_study import tables
from fidelity_study.ask import collect
from fidelity_study.run.script import run

MADE = {
    "outcomes": (collect.outcomes, tables.OUTCOMES),
    "stated": (collect.stated, tables.STATED),
    "stated_by_persona": (collect.stated_by_persona, tables.STATED_BY_PERSONA),
    "missing": (collect.missing, tables.MISSING),
}


def main(snakemake):
    step = snakemake.params.step
    asked = {
        simulator: tables.read(path, tables.ASKED)
        for simulator, path in zip(step["asked"], snakemake.input, strict=True)
    }
    for simulator, table in asked.items():
        collect.check_usable(simulator, table)
    for name, (rows_of, schema) in MADE.items():
        rows = [row for simulator, table in asked.items() for row in rows_of(simulator, table)]
        tables.write_rows(snakemake.output[name], rows, schema, step)


run(main, snakemake)
