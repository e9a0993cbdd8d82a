"""How far other people would be from these, by each discrepancy: a yardstick for simulators."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means import people_reference
from fidelity_study.steps import persons
from fidelity_study.steps.arrays import or_none
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.mean_discrepancy import People
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

PEOPLE_REFERENCE = pa.schema(
    [
        ("discrepancy", LABEL),
        ("people", pa.int32()),
        *columns(pa.float64(), "mean", "ci_lower", "ci_upper"),
    ]
)
SAMPLE_SIZES = 50, 150, 500


def reference_rows(people: People, step: dict) -> Iterator[dict]:
    """Yield the mean distance of other people, in several numbers, by each convex discrepancy."""
    rows = np.arange(len(people.names))
    responses = people.responses(rows)
    if people.answers is not None:
        responses = persons.with_answers(responses, people.answers)
    effects = 1.0 if people.sizes is None else people.sizes.people / people.sizes.effective
    for discrepancy in step["pairs"]:
        if DISCREPANCIES[discrepancy].is_parameter:
            continue
        for sample_size in SAMPLE_SIZES:
            reference = people_reference(
                responses,
                sample_size,
                discrepancy=discrepancy,
                smoothed=discrepancy in step["smoothed"],
                design_effects=effects,
                replicates=people.replicates if people.answers is None else None,
                level=1.0 - step["test"]["alpha"],
                df=people.df(rows),
            )
            yield {
                "discrepancy": discrepancy,
                "people": sample_size,
                "mean": or_none(reference.mean),
                "ci_lower": or_none(reference.ci_lower),
                "ci_upper": or_none(reference.ci_upper),
            }


def main(snakemake):
    """Compute how far other people would be, from people's answers alone."""
    step, files = snakemake.params.step, snakemake.input
    people = People.of(
        read(files.scenarios, SCENARIOS),
        read(files.human, HUMAN_SAMPLE),
        step | {"seed": None},  # nothing is drawn by it
        read(files.respondents, RESPONDENTS),
    )
    write_tables(
        snakemake.output,
        {"people_reference": (reference_rows(people, step), PEOPLE_REFERENCE)},
        step,
    )
