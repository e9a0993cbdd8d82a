"""Put the audit of tests into a table, a figure and words."""

from fidelity_study import tables
from fidelity_study.audit import hypothesis_tests as audited_tests
from fidelity_study.figures import style
from fidelity_study.run import provenance
from fidelity_study.run.script import run


def main(snakemake):
    rows = tables.read(snakemake.input[0], tables.AUDIT_TESTS).to_pylist()
    judged = audited_tests.table(rows)
    tables.write_csv(snakemake.output.table, judged, audited_tests.TABLE)
    made = provenance.line(snakemake.params.step["provenance"])
    style.save(audited_tests.draw(rows), made, snakemake.output.png, snakemake.output.pdf)
    with tables.complete(snakemake.output.findings) as partial:
        partial.write_text(audited_tests.findings(rows), encoding="utf-8")


run(main, snakemake)
