"""Draw the figures of a dataset, as PNG for screens and PDF for print, with their captions."""

from fidelity_study import provenance
from fidelity_study.report.figures import drawer, style
from fidelity_study.report.figures.source import NothingToDrawError, Source
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.results import Results
from fidelity_study.tables.read_write import write_text


def main(snakemake):
    """Draw a dataset's figures."""
    step, output = snakemake.params.step, snakemake.output
    dataset = Dataset(step["dataset"], Results(step, dict(snakemake.input.items())))
    source, made = Source(dataset, style.WIDE), provenance.line(step["provenance"])
    places = zip(step["figures"].items(), output.png, output.pdf, output.caption, strict=True)
    for (name, known), png, pdf, caption in places:
        try:
            figure, _ = drawer(name, known["path"])(source)
        except NothingToDrawError as reason:
            figure = style.words(source.width, str(reason))
        style.save(figure, made, png, pdf)
        write_text(caption, known["caption"] + "\n")
    return [note] if (note := style.font_note()) else []
