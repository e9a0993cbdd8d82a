"""The columns of a mean discrepancy, or of a difference of two, and how its interval was made."""

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import has_test
from fidelity.curves.clusters import effective_clusters
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means.average import ASKED, NEW, DiscrepancyInterval
from fidelity.means.estimates import Estimate
from fidelity_study.steps.arrays import row_of
from fidelity_study.steps.cases import Case
from fidelity_study.steps.cluster_warning import warning
from fidelity_study.steps.draws import is_from_people
from fidelity_study.steps.people import OF_REPLICATES, People
from fidelity_study.steps.persons import OF_PSUS
from fidelity_study.tables.common import LABEL, columns

FORM = columns(LABEL, "k", "discrepancy", "answers", "target")
INTERVAL = [
    ("m", pa.int32()),
    *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper", "effective_clusters"),
    *columns(LABEL, "method", "warning"),
]
FEW_ANSWERS = (
    "hardly anybody, or no draw, chose some options; the interval is longer since more may do so"
)
JACKKNIFE = "jackknife"


def mean_columns(
    cases: list[Case], mean: Estimate, target: str, limits: DiscrepancyInterval
) -> dict:
    """Return the columns of an interval of a mean, of one case or the difference of two."""
    people, clusters = cases[0].people, mean.clusters
    several = clusters if target == NEW else None
    independent = "betting" if mean.is_exact(target) else "CLT"
    unit = None if mean.errors is None else people.unit
    return {
        "target": target,
        **row_of(pa.schema(INTERVAL[:5]), limits),
        "effective_clusters": None if several is None else effective_clusters(several),
        "method": method(people, cases, target, independent, clusters, unit),
        "warning": said(limits, target, clusters),
    }


def is_untestable(row: dict) -> bool:
    """Return whether :func:`mean_columns` are of too few clusters for a test."""
    effective = row["effective_clusters"]
    return effective is not None and not has_test(effective)


def method(
    people: People,
    cases: list[Case],
    target: str,
    independent: str = "CLT",
    clusters: np.ndarray | None = None,
    unit: str | None = None,
    error: str | None = None,
) -> str:
    """Return a description of how an interval was made, and in which ways it is approximate.

    ``unit`` says what the errors that people cause come from, where it isn't counts alone, and
    ``error`` how they are computed, if not as :func:`error_of` says.
    """
    of_scenarios = independent if clusters is None else "CR2"
    parts = [(error or error_of(cases, unit)) if target == ASKED else of_scenarios]
    if people.weighted:
        parts.append("effective number of people")
    if unit is not None:
        parts.append(unit)
    may_repeat = people.responses.respondents is not None
    if may_repeat and any(is_from_people(case.own.simulator) for case in cases):
        parts.append("fitted to the same people elsewhere")
    return ", ".join(parts)


def error_of(cases: list[Case], unit: str | None) -> str:
    """Return how the errors of ``asked`` are computed, of a mean or of a difference of two."""
    of_distances = {DISCREPANCIES[case.discrepancy].metric_root for case in cases} == {1}
    if not of_distances or unit in (OF_PSUS, OF_REPLICATES):
        return JACKKNIFE
    if len(cases) == 1:
        return f"{JACKKNIFE}, lower end by resampling"
    return "resampling" if unit is None else JACKKNIFE


def said(limits: DiscrepancyInterval, target: str, clusters: np.ndarray | None) -> str | None:
    """Return why there is no interval, or a note on its basis."""
    if np.isnan(limits.upper):
        return "no mean: in a scenario both are infinitely far from people"
    if np.isnan([limits.ci_lower, limits.ci_upper]).any():
        return (
            "no interval: a scenario has fewer than three people, or draws, which does not tell how"
            " much its bounds vary"
        )
    doubts = []
    if target == NEW and clusters is not None:
        doubts.append(warning(effective_clusters(clusters)))
    if limits.few_answers:
        doubts.append(FEW_ANSWERS)
    return "; ".join(filter(None, doubts)) or None
