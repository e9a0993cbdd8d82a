"""Questions that people were not asked, and simulators' answers to them."""

import pyarrow as pa

from fidelity_study.run.script import run, tell
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS, STATED
from fidelity_study.tables.predict import FEATURES, QUESTIONS
from fidelity_study.tables.read_write import read, write
from fidelity_study.tabular.new_questions import new_questions


def main(snakemake):
    step = snakemake.params.step
    asked = read(snakemake.input.scenarios, SCENARIOS).to_pandas()
    found = new_questions(step, asked)
    for name, frame, schema in (
        ("questions", found.questions, QUESTIONS),
        ("outcomes", found.outcomes, OUTCOMES),
        ("stated", found.stated, STATED),
        ("features", found.features, FEATURES),
    ):
        table = pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)
        write(snakemake.output[name], table, schema, step)
    tell(snakemake, found.notes)


run(main, snakemake)
