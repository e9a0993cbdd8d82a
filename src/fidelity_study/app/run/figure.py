"""Draw one figure of a finished study for a paper: as PDF, as PNG, and its caption as text."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from fidelity_study.config.params import figure_step
from fidelity_study.config.read import study_of
from fidelity_study.config.shown import figure_files
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError, there_are
from fidelity_study.provenance import line
from fidelity_study.tables.read_write import metadata

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WORDS = {"title", "names", "noun", "figures"}
DOTS_PER_INCH = 300
AGAIN = "run the study: fidelity-curves run"


def figure(name: str, dataset: str | None, config: Path, out: Path) -> tuple[list[Path], str]:
    """Draw a figure from the tables of a finished study.

    Title and notes are not on the figure but in its caption, as journals want it.

    Args:
        name: of the figure, one of the project's or of the config's extensions.
        dataset: of the config; None if it has one only.
        config: the study's.
        out: the folder for the files; made if it is not there.

    Returns:
        The paths written, ``<out>/<dataset>_<name>.pdf`` and ``.png``, and the caption.

    Raises:
        DataError: there is no such figure or dataset, the dataset lacks what the figure needs, the
            figure would be empty, tables are missing or were made with other settings, or ``out``
            cannot be written.
    """
    study = study_of(config)
    if not study.datasets:
        raise DataError(
            f"{config}: has evaluations only, and figures are of datasets; the report draws those "
            "of evaluations"
        )
    if dataset is None and len(study.datasets) > 1:
        there = ", ".join(study.datasets)
        raise DataError(f"--dataset: {config} has several; name one of {there}")
    dataset = next(iter(study.datasets)) if dataset is None else dataset
    _refuse_unknown("--dataset", dataset, study.datasets)
    refuse_undrawable(study, name, dataset)
    files = figure_files(study, dataset, study.folder)
    _refuse_missing(files, config)
    _refuse_changed(study, dataset, config)
    drawing, caption = drawn(study, name, dataset, files)
    paths = [out / f"{dataset}_{name}.{suffix}" for suffix in ("pdf", "png")]
    _save(drawing, line(metadata(str(files["scenarios"]))["provenance"]), paths)
    return paths, caption


def refuse_undrawable(study: Study, name: str, dataset: str) -> None:
    """Raise DataError if there is no such figure, or if the dataset lacks what it needs."""
    _refuse_unknown("figure", name, study.drawable)
    if lacking := study.lacks(dataset, name):
        raise DataError(f"figure: {name} {lacking}")


def _refuse_unknown(place: str, name: str, known: Iterable[str]) -> None:
    if name not in known:
        raise DataError(f"{place}: {name!r} is unknown; {there_are(name, known)}")


def _refuse_missing(files: dict[str, str | list[str]], config: Path) -> None:
    paths = [
        path for entry in files.values() for path in ([entry] if isinstance(entry, str) else entry)
    ]
    missing = [path for path in paths if not Path(path).is_file()]
    if missing:
        more = f", and {len(missing) - 1} more of its tables" if missing[1:] else ""
        raise DataError(f"{missing[0]}: is missing{more}; {AGAIN} {config}")


def _refuse_changed(study: Study, dataset: str, config: Path) -> None:
    """Raise DataError if a study's tables were made with other settings of the dataset."""
    kept = Path(study.folder, "config.yaml")
    if kept.is_file() and _of_tables(study_of(kept), dataset) != _of_tables(study, dataset):
        raise DataError(
            f"{config}: {dataset} has other settings than when its tables in {study.folder} were "
            f"made; {AGAIN} {config}"
        )


def _of_tables(study: Study, dataset: str) -> tuple[int, dict]:
    settings = study.datasets.get(dataset, {})
    return study.seed, {key: settings[key] for key in settings.keys() - WORDS}


def drawn(study: Study, name: str, dataset: str, files: dict) -> "tuple[Figure, str]":
    """Return a figure of a dataset's tables, and its caption, which has its title and notes."""
    from fidelity_study.report.figures import drawer, style
    from fidelity_study.report.results import Results

    known = study.drawable[name]
    drawing = drawer(name, known.own_path)(Results(figure_step(study, dataset), files))
    title, notes = style.undressed(drawing)
    if not drawing.axes:
        raise DataError(f"figure: {name} of {dataset} would be empty. {notes} Draw means instead")
    caption = [known.title, title, " ".join(known.caption.split()), notes]
    return drawing, "\n\n".join(part for part in caption if part)


def _save(drawing: "Figure", made: str, paths: list[Path]) -> None:
    from fidelity_study.report.figures import style

    out = paths[0].parent
    try:
        out.mkdir(parents=True, exist_ok=True)
        style.save(drawing, made, *map(str, paths), dpi=DOTS_PER_INCH)
    except OSError as error:
        raise DataError(f"--out: {out} cannot hold the files ({error}); name another") from None


def main(name: str, dataset: str | None, config: Path, out: Path) -> int:
    """Draw a figure, say where it is and what its caption is; return the exit status."""
    paths, caption = figure(name, dataset, config, out)
    print(*paths, "", caption, sep="\n")
    return 0
