"""Put the audit of coverage into a table, a figure and words."""

from fidelity_study import tables
from fidelity_study.audit.coverage import TABLE, Audit, draw
from fidelity_study.figures import style
from fidelity_study.run import provenance
from fidelity_study.run.script import run


def main(snakemake):
    read = {
        "sets": [(path, tables.AUDIT) for path in snakemake.input.sets],
        "known_wrong": [(snakemake.input.known_wrong, tables.AUDIT)],
        "curves": [(snakemake.input.curves, tables.AUDIT_CURVES)],
    }
    audit = Audit(
        **{
            name: [row for file in files for row in tables.read(*file).to_pylist()]
            for name, files in read.items()
        }
    )
    rows = [{key: row[key] for key in TABLE} for row in audit.table]
    tables.write_csv(snakemake.output.table, rows, TABLE)
    made = provenance.line(snakemake.params.step["provenance"])
    style.save(draw(audit), made, snakemake.output.png, snakemake.output.pdf)
    with tables.complete(snakemake.output.findings) as partial:
        partial.write_text(audit.findings, encoding="utf-8")


run(main, snakemake)
