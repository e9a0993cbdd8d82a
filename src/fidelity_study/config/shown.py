"""Where the tables are that report and figures read."""

from pathlib import Path

from fidelity_study.config.study import Study
from fidelity_study.steps.registry import SHOWN, STEPS


def report_files(study: Study, dataset: str, folder: str | Path = ".") -> dict[str, list[str]]:
    """Return the paths of the tables that report and figures read of a dataset.

    Args:
        study: the checked config.
        dataset: its name.
        folder: the study's, as seen from where the paths are read.

    Returns:
        What report and figures call a table -> its path, or that for each n; none where the config
        doesn't ask for it.
    """
    return {
        name: [
            str(Path(folder, dataset, table.files[table.name].format(**run)))
            for run in STEPS[table.step].runs(study.datasets[dataset])
        ]
        for name, table in SHOWN.items()
    }
