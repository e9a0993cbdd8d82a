"""Put the audit of coverage into a table, a figure and words."""

from fidelity_study.audit.coverage import TABLE, Audit, draw
from fidelity_study.figures import style
from fidelity_study.run import provenance
from fidelity_study.run.script import run
from fidelity_study.tables.audit import AUDIT
from fidelity_study.tables.audit_curves import AUDIT_CURVES
from fidelity_study.tables.read_write import complete, read, write_csv


def main(snakemake):
    made = {
        "sets": [(path, AUDIT) for path in snakemake.input.sets],
        "known_wrong": [(snakemake.input.known_wrong, AUDIT)],
        "curves": [(snakemake.input.curves, AUDIT_CURVES)],
    }
    audit = Audit(
        **{
            name: [row for file in files for row in read(*file).to_pylist()]
            for name, files in made.items()
        }
    )
    rows = [{key: row[key] for key in TABLE} for row in audit.table]
    write_csv(snakemake.output.table, rows, TABLE)
    made = provenance.line(snakemake.params.step["provenance"])
    style.save(draw(audit), made, snakemake.output.png, snakemake.output.pdf)
    with complete(snakemake.output.findings) as partial:
        partial.write_text(audit.findings, encoding="utf-8")


run(main, snakemake)
