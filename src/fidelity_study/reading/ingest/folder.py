"""A dataset's folder: the answers that its ``ingest.py`` reads."""

import runpy
from typing import Any

from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.reading.ingest.save import save
from fidelity_study.root import ROOMS


def responses(step: dict, files: Any) -> Responses:
    """Return what the function ``responses`` of a dataset's ``ingest.py`` makes of its files.

    Args:
        step: the ingest's params.
        files: the paths of its input files by name.

    Raises:
        DataError: if the config has levels, scores or bounds of outcomes, which the dataset knows.
    """
    for key in step["outcome"]:
        if key != "kind":
            raise DataError(
                f"dataset {step['dataset']}, outcome: {key!r} is not known; possible: kind"
            )
    path = ROOMS / step["ingest"] / "ingest.py"
    return runpy.run_path(str(path))["responses"](step, files)


def main(snakemake):
    """Read a dataset's answers, let baselines answer, and write the tables of the ingest step."""
    save(snakemake, responses(snakemake.params.step, snakemake.input))
