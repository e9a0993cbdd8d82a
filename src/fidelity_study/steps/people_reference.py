"""How far other people would be from these, by each discrepancy: a yardstick for simulators.

Tables:
    PEOPLE_REFERENCE: at the last n, first replicate: how far other people would be from these, a
        row per discrepancy that is convex and number of other `people` (50, 150, 500) asked each
        question. `mean` over these scenarios of E L(p, p̂), with p̂ the shares of that many people,
        drawn by the same design, in the discrepancy's unit; the bias of people's few answers is
        taken away. [`ci_lower`, `ci_upper`] holds it with a probability of about 1 - alpha. Shares
        of discrepancies under `smoothed` are smoothed as those of draws are; without smoothing `kl`
        and `chi2` are inf. Empty where a scenario has one answer, which does not tell how people
        differ, and the interval where one has fewer than three. A yardstick, no floor: a simulator
        may be nearer than any number of people. Not made without curves, as of forecasts, nor for
        evaluations, where a rerun of the same model is the reference
"""

from collections.abc import Iterator

import pyarrow as pa

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means import people_reference
from fidelity_study.steps.arrays import row_of
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.people import People
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
    responses = people.responses
    if responses.answers is not None:
        responses = responses.alike()
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
                level=1.0 - step["test"]["alpha"],
            )
            known = {"discrepancy": discrepancy, "people": sample_size}
            yield row_of(PEOPLE_REFERENCE, reference, **known)


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
