"""Count what the language models of a dataset answered, stated, and did not answer."""

from fidelity_study.ask import collect
from fidelity_study.run.script import run
from fidelity_study.tables.ingest import MISSING, OUTCOMES, STATED, STATED_BY_PERSONA
from fidelity_study.tables.read_write import read, write_rows
from fidelity_study.tables.simulate import ASKED

MADE = {
    "outcomes": (collect.outcomes, OUTCOMES),
    "stated": (collect.stated, STATED),
    "stated_by_persona": (collect.stated_by_persona, STATED_BY_PERSONA),
    "missing": (collect.missing, MISSING),
}


def main(snakemake):
    step = snakemake.params.step
    asked = {
        simulator: read(path, ASKED)
        for simulator, path in zip(step["asked"], snakemake.input, strict=True)
    }
    for simulator, table in asked.items():
        collect.check_usable(simulator, table)
    for name, (rows_of, schema) in MADE.items():
        rows = [row for simulator, table in asked.items() for row in rows_of(simulator, table)]
        write_rows(snakemake.output[name], rows, schema, step)


run(main, snakemake)
