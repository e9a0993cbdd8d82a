"""A dataset of a finished study, found by its folder of results."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fidelity_study.config.params import figure_step
from fidelity_study.config.read import study_of
from fidelity_study.config.shown import report_files
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.provenance import line
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.results import Results
from fidelity_study.tables.read_write import metadata
from fidelity_study.verdict_file import NAME as VERDICT
from fidelity_study.verdict_file import Verdict

KEPT = "config.yaml"


@dataclass(frozen=True)
class Finished:
    """A dataset and its tables.

    Attributes:
        study: the config, as it was when the tables were made.
        name: of the dataset.
        folder: of the study's results.
    """

    study: Study
    name: str
    folder: Path

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset as the page shows it.

        Raises:
            DataError: tables are missing.
        """
        files = report_files(self.study, self.name, self.folder)
        paths = [path for entry in files.values() for path in entry]
        missing = [path for path in paths if not Path(path).is_file()]
        if missing:
            more = f", and {len(missing) - 1} more of its tables" if missing[1:] else ""
            raise DataError(
                f"{missing[0]}: is missing{more}; run the study: fidelity-curves run "
                f"{self.folder / KEPT}"
            )
        return Dataset(self.name, Results(figure_step(self.study, self.name), files))

    @property
    def made(self) -> str:
        """What its tables were made from, in one line."""
        return line(metadata(str(self.dataset.results.files["scenarios"][-1]))["provenance"])


def evaluated(results: Path) -> Verdict | None:
    """Return what a finished study of evaluations alone concludes; None of another study."""
    verdict = Verdict.read(results) if (results / VERDICT).is_file() else None
    return verdict if verdict is not None and not verdict.datasets else None


def finished(results: Path) -> Finished:
    """Return the dataset whose results a folder has.

    Args:
        results: the folder of a study with one dataset, or that of a dataset in it.

    Raises:
        DataError: there is no finished study, no such dataset, or the folder has several.
    """
    is_study = (results / KEPT).is_file()
    folder, name = (results, "") if is_study else (results.parent, results.name)
    if not (folder / KEPT).is_file():
        raise DataError(
            f"{results}: has no {KEPT}, so it is no finished study; name a folder such as "
            "results/example"
        )
    study = study_of(folder / KEPT)
    there = list(study.datasets)
    if not there:
        raise DataError(f"{folder}: has evaluations only, and no dataset")
    if not name and len(there) > 1:
        raise DataError(
            f"{folder}: has several datasets; name one: "
            + ", ".join(str(folder / dataset) for dataset in there)
        )
    name = name or there[0]
    if name not in there:
        raise DataError(f"{results}: is no dataset of this study; there are: {', '.join(there)}")
    return Finished(study, name, folder)
