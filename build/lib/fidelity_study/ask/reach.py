"""Whether the language models that a run has to ask can be asked, told before anything runs."""

from collections.abc import Iterator, Set

from fidelity_study.ask.client import ready
from fidelity_study.ask.store import KEPT, PARTS
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError


def unreachable(study: Study, planned: Set[str]) -> Iterator[str]:
    """Say for which models a library, the model itself or the key is missing, one line each.

    Models with answers from an earlier run are left out: these may be all that is wanted, and no
    key is needed then.

    Args:
        study: with the models.
        planned: the files that the run will make.
    """
    for dataset in study.datasets:
        for simulator, path in zip(
            study.datasets[dataset]["asked"], study.asked_paths(dataset), strict=True
        ):
            if path not in planned or any((KEPT / dataset / simulator).glob(PARTS)):
                continue
            try:
                ready(study.simulate_step(dataset, simulator)["runs"])
            except DataError as error:
                yield f"datasets.{dataset}.simulate.{simulator}: {error}"
