"""The prompts in which a simulator was asked: the worst, the average, and how much they differ.

Tables:
    PROMPTS: if a language model is asked in several prompts, a row per `simulator` of the config, k
        and discrepancy, on the m scenarios that all `prompts` answered: `worst`, the prompt that is
        farthest from people; `worst_lower`, `worst_upper` hold for all simulators of the study at
        once and so for the truly farthest prompt, `worst_is_settled` if it is certainly farther
        than each other prompt. `average_lower`, `average_upper` bound the mean over prompts,
        `average_ci_lower` and `average_ci_upper` are its interval. `between` is the variance over
        prompts of a scenario's discrepancy, the mean over `m_variance` scenarios, without the
        chance in the answers (by halves of these; no bias, may be negative), with an interval
        `between_lower`, `between_upper` for new scenarios and these prompts; `total` the variance
        observed in half of the answers, `chance` the rest; `of_means` the variance of the prompts'
        means. `reason` says why cells are empty
"""

from collections.abc import Iterator
from functools import reduce

import numpy as np
import pyarrow as pa

from fidelity.comparison.between_variance import variance_between
from fidelity.comparison.few_clusters import grouped
from fidelity.means import DiscrepancyBounds, discrepancy_bounds, worst_and_average
from fidelity.means.average import ASKED
from fidelity_study.ask.collect import read_asked
from fidelity_study.steps.arrays import Scenarios, finite, row_of
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.cases import Case, cases, people_and_simulators
from fidelity_study.steps.cluster_warning import warning
from fidelity_study.steps.halves import Splits, splits_of
from fidelity_study.steps.mean_discrepancy import MEAN_DIFFERENCES
from fidelity_study.steps.samples import first_samples
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

PROMPTS = pa.schema(
    [
        ("simulator", LABEL),
        ("prompts", pa.int32()),
        *columns(LABEL, "k", "discrepancy"),
        ("m", pa.int32()),
        ("worst", LABEL),
        *columns(pa.float64(), "worst_lower", "worst_upper"),
        ("worst_is_settled", pa.bool_()),
        *columns(pa.float64(), "average_lower", "average_upper", "average_ci_lower"),
        ("average_ci_upper", pa.float64()),
        ("m_variance", pa.int32()),
        *columns(pa.float64(), "total", "chance", "between", "between_lower", "between_upper"),
        ("of_means", pa.float64()),
        *columns(LABEL, "reason", "warning"),
    ]
)

FEWEST = 3
TOO_FEW = (
    "fewer than 3 questions have usable answers to every prompt that can be halved; more personas"
    " (at least twice as many as options), or more draws of each, give some"
)
INFINITE = "infinite where people chose what a prompt's answers give no share"


def prompt_rows(
    cases: list[Case], splits: dict[str, Splits], differences: list[dict], step: dict
) -> Iterator[dict]:
    """Yield a row of ``PROMPTS`` for each simulator, number of draws and discrepancy.

    Args:
        cases: of all simulators.
        splits: of each simulator that is asked in several prompts: its answers in halves.
        differences: rows of differences between simulators' means.
        step: what the step depends on.
    """
    alpha, many = step["test"]["alpha"], len(step["simulators"])
    for stem, names in step["prompted"].items():
        of_stem = [case for case in cases if case.own.simulator in names]
        for k, discrepancy in dict.fromkeys((case.own.k, case.discrepancy) for case in of_stem):
            alike = [case for case in of_stem if (case.own.k, case.discrepancy) == (k, discrepancy)]
            if len(alike) < len(names):
                continue
            form = {"simulator": stem, "prompts": len(names), "k": k, "discrepancy": discrepancy}
            key = k, discrepancy
            known = [row for row in differences if (row["k"], row["discrepancy"]) == key]
            is_smoothed = any(case.is_smoothed for case in alike)
            variance = variance_of(splits[stem], discrepancy, is_smoothed, alpha)
            yield row_of(PROMPTS, **(variance | means_of(alike, known, alpha, many) | form))


def means_of(cases: list[Case], differences: list[dict], alpha: float, many: int) -> dict:
    """Return the worst and the average prompt, on the scenarios that all prompts answered.

    The interval of the worst holds for all ``many`` simulators at once.
    """
    answers = cases[0].answers[0]
    rows = np.sort(reduce(np.intersect1d, (case.own.rows for case in cases)))
    if not len(rows):
        return {"m": 0}
    bounds = [_bounds(case, answers, rows) for case in cases]
    people = cases[0].people.responses.only(rows)
    made = worst_and_average(people, bounds, level=1.0 - alpha, of_worst=1.0 - alpha / many)
    known = {"m": len(rows), "average": made.average}
    known |= {"average_lower": made.average.lower, "average_upper": made.average.upper}
    if made.worst is None:
        return known
    worst = cases[made.worst].own.simulator
    closer = {row["closer"] for row in _pairs(differences, worst, cases)}
    is_settled = bool(closer) and not closer & {None, worst}
    ends = {"worst_lower": made.lower, "worst_upper": made.upper}
    return known | {"worst": worst, "worst_is_settled": is_settled, **ends}


def _bounds(case: Case, answers: str, rows: np.ndarray) -> DiscrepancyBounds:
    at = case.own.places(rows)
    people, simulator = case.responses.only(at).alike(), case.simulator(answers).only(at)
    return discrepancy_bounds(people, simulator, discrepancy=case.discrepancy)


def _pairs(differences: list[dict], worst: str, cases: list[Case]) -> Iterator[dict]:
    """Yield the difference between the worst prompt and each other one, over these scenarios."""
    others = {case.own.simulator for case in cases} - {worst}
    for row in differences:
        pair = {row["simulator"], row["other"]}
        is_pair = worst in pair and pair - {worst} <= others
        if is_pair and row["target"] == ASKED:
            yield row


def variance_of(splits: Splits, discrepancy: str, is_smoothed: bool, alpha: float) -> dict:
    """Return how much the prompt moves the discrepancy of a scenario, beyond chance."""
    rows = splits.rows
    if len(rows) < FEWEST:
        return {"m_variance": len(rows), "reason": TOO_FEW}
    scores = splits.scores(discrepancy, is_smoothed)
    if not np.isfinite(scores).all():
        return {"m_variance": len(rows), "reason": INFINITE}
    clusters = grouped(splits.clusters[rows])
    variance = variance_between(*scores, clusters=clusters, level=1.0 - alpha)
    ends = {"between_lower": finite(variance.lower), "between_upper": finite(variance.upper)}
    few = None if clusters is None else warning(variance.effective_clusters)
    return {**variance._asdict(), "m_variance": variance.m, **ends, "warning": few}


def main(snakemake):
    """Compare the prompts in which each language model was asked."""
    step, files = snakemake.params.step, snakemake.input
    described, human = read(files.scenarios, SCENARIOS), read(files.human, HUMAN_SAMPLE)
    people, given = people_and_simulators(files, step)
    names = [name for several in step["prompted"].values() for name in several]
    prompted = [simulator for simulator in given if simulator.simulator in names]
    asked = read_asked(names, files.asked)
    shares = first_samples(human, Scenarios.from_table(described))
    rows = prompt_rows(
        list(cases(people, prompted, step)),
        splits_of(described, shares, asked, step),
        read(files.differences, MEAN_DIFFERENCES).to_pylist(),
        step,
    )
    write_tables(snakemake.output, {"prompts": (rows, PROMPTS)}, step)
