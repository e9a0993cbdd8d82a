"""Draw one figure of a finished study for a paper, with its caption as text beside it."""

from pathlib import Path

from fidelity_study.app.run.finished import Finished, evaluated, finished
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError, there_are
from fidelity_study.report import model_scores
from fidelity_study.report.figures.source import Drawing, Source, drawing
from fidelity_study.tables.read_write import refuse_others, write_text

MM = 25.4


def drawn(there: Finished, name: str, source: Source) -> Drawing:
    """Return a figure of a dataset with its caption.

    Raises:
        DataError: there is no such figure, or the dataset lacks what it needs.
    """
    refuse_undrawable(there.study, name, there.name)
    from fidelity_study.report.figures import drawer

    known = there.study.drawable[name]
    return drawing(source, drawer(name, known.own_path), known.title, known.caption)


def refuse_undrawable(study: Study, name: str, dataset: str) -> None:
    """Raise DataError if there is no such figure, or if the dataset lacks what it needs."""
    if name not in study.drawable:
        raise DataError(f"figure: {name!r} is unknown; {there_are(name, study.drawable)}")
    if lacking := study.lacks(dataset, name):
        raise DataError(f"figure: {name} {lacking}")


def main(
    results: Path,
    name: str,
    width: int,
    suffix: str,
    output: Path | None,
    distance: str | None,
    simulator: str | None,
) -> int:
    """Draw a figure, say where it and its caption are; return the exit status.

    Args:
        results: the folder of a study, or of one of its datasets.
        name: of the figure, one of the project's or of the study's extensions.
        width: in mm.
        suffix: of the format, without a dot.
        output: the file; None for one in this folder.
        distance: the name of a discrepancy; None for the first of the config.
        simulator: whom the figure is about; None for the closest.

    Raises:
        DataError: this cannot be drawn, the figure would be empty, or the file cannot be written.
    """
    scores = evaluated(results)
    if scores is not None:
        figure, caption = model_scores.figure(scores.evaluations, name, width / MM)
        made = f"fidelity-curves {scores.software}, {scores.study}"
        _save(Drawing(figure, caption), scores.study, name, made, suffix, output)
        return 0
    there = finished(results)
    shown = drawn(there, name, Source(there.dataset, width / MM, distance, simulator))
    if not shown.figure.axes:
        reason = " ".join(" ".join(text.get_text() for text in shown.figure.texts).split())
        raise DataError(f"figure: {name} of {there.name} would be empty. {reason}")
    _save(shown, there.name, name, there.made, suffix, output)
    return 0


def _save(
    shown: Drawing, owner: str, name: str, made: str, suffix: str, output: Path | None
) -> None:
    """Write a figure and its caption, and say where they are."""
    output = output or Path(f"{owner}_{name}.{suffix}")
    if output.suffix not in (".pdf", ".svg", ".png"):
        raise DataError(f"--output: {output} names no format; end it in .pdf, .svg or .png")
    from fidelity_study.report.figures import style

    caption = output.with_suffix(".txt")
    refuse_others(caption, shown.caption.partition(".")[0])
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        style.save(shown.figure, made, str(output), dpi=style.PRINT)
        write_text(str(caption), f"{shown.caption}\n")
    except OSError as error:
        raise DataError(f"--output: {output} cannot be written ({error}); name another") from None
    print(output, caption, sep="\n")
    if note := style.font_note():
        print(f"note: {note}")
