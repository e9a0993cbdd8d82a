"""Put the audit of tests into a table, a figure and words."""

from fidelity_study.audit import hypothesis_tests as audited_tests
from fidelity_study.figures import style
from fidelity_study.run import provenance
from fidelity_study.run.script import run
from fidelity_study.tables.audit_tests import AUDIT_TESTS
from fidelity_study.tables.read_write import complete, read, write_csv


def main(snakemake):
    rows = read(snakemake.input[0], AUDIT_TESTS).to_pylist()
    judged = audited_tests.table(rows)
    write_csv(snakemake.output.table, judged, audited_tests.TABLE)
    made = provenance.line(snakemake.params.step["provenance"])
    style.save(audited_tests.draw(rows), made, snakemake.output.png, snakemake.output.pdf)
    with complete(snakemake.output.findings) as partial:
        partial.write_text(audited_tests.findings(rows), encoding="utf-8")


run(main, snakemake)
