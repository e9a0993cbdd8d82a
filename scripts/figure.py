"""Draw the figures of a dataset, as PNG for screens and PDF for print, with their captions."""

from fidelity_study import provenance
from fidelity_study.app.run.script import run
from fidelity_study.report.figures import drawer, style
from fidelity_study.report.results import Results
from fidelity_study.tables.read_write import write_text


def main(snakemake):
    step, output = snakemake.params.step, snakemake.output
    results = Results(step, dict(snakemake.input.items()))
    made = provenance.line(step["provenance"])
    places = zip(step["figures"].items(), output.png, output.pdf, output.caption, strict=True)
    for (name, figure), png, pdf, caption in places:
        draw = drawer(name, figure["path"])
        style.save(draw(results), made, png, pdf)
        write_text(caption, figure["caption"] + "\n")


run(main, snakemake)
