"""Two runs of one study, an old and a new one: on the same questions, is a simulator worse now?

The change is L(p, new) - L(p, old), with the same people on both sides. For sampled answers it is
the change for the probabilities that they are drawn from. Otherwise two runs of one and the same
model would differ by the chance in its answers. For the same reason single questions are tested
only where both versions state probabilities.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.comparison.lists import with_ends
from fidelity.comparison.versions import BETTER, UNDECIDED, WORSE, VersionChange, compare_versions
from fidelity.means.average import ASKED, NEW, TARGETS
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import or_none, row_of
from fidelity_study.steps.cases import TRUE, Both
from fidelity_study.steps.limits import tested
from fidelity_study.steps.mean_intervals import INTERVAL, is_untestable, mean_columns
from fidelity_study.steps.people import People
from fidelity_study.steps.same_questions import Version
from fidelity_study.tables.common import LABEL, columns

CHANGE = columns(LABEL, "dataset", "simulator", "new_name", "discrepancy", "k_old", "k_new")
MEASURED = ("measured", pa.float64())
DIFFERENCES = pa.schema(
    [
        *CHANGE,
        ("target", LABEL),
        MEASURED,
        *INTERVAL,
        ("margin", pa.float64()),
        ("verdict", LABEL),
        *columns(pa.float64(), "unanswered_old", "unanswered_new"),
    ]
)
BY_CLUSTER = pa.schema([("cluster", LABEL), *CHANGE, ("target", LABEL), MEASURED, *INTERVAL])
QUESTIONS = pa.schema(
    [
        ("scenario", LABEL),
        *CHANGE,
        *columns(pa.float64(), "lower", "upper", "p_worse", "p_better"),
        ("verdict", LABEL),
    ]
)

NO_WORSE, OPEN = "no worse", "not settled"
ALL_ALIKE = "all changes are equal, which does not show how much they vary"


@dataclass(frozen=True)
class Change:
    """A simulator of one dataset in both runs.

    Attributes:
        dataset, simulator, new_name: the names.
        both: the new one first.
    """

    dataset: str
    simulator: str
    new_name: str
    both: Both

    @property
    def columns(self) -> dict:
        """The columns that all tables of changes have."""
        new, old = self.both.one, self.both.two
        ks = {"k_old": old.own.k, "k_new": new.own.k}
        return row_of(pa.schema(CHANGE), new, self, **ks)

    @cached_property
    def of_models(self) -> VersionChange:
        """The change of the models, not of the answers that they happened to give."""
        new, old = self.both.simulators(TRUE)
        return VersionChange(self.both.responses, old, new, self.both.one.discrepancy)


def change(
    old: Version, new: Version, people: People, names: tuple[str, str], discrepancy: str
) -> Change:
    """Return a simulator in both runs, in the form in which they can be compared.

    Args:
        old, new: both on the same questions.
        people: of these.
        names: its name in each run.
        discrepancy: its name.

    Raises:
        DataError: if both never answered the same question. Also if answers are sampled and the
            discrepancy has no bounds for the probabilities behind them.
    """
    before, after = (
        run.case(people, name, discrepancy) for run, name in zip((old, new), names, strict=True)
    )
    dataset = old.step["dataset"]
    both = None if before is None or after is None else Both.of(after, before)
    if both is None or not len(both.rows):
        raise DataError(
            f"{dataset}: {names[0]} of {old.name} and {names[1]} of {new.name} answer no question"
            " in common; choose others by --simulator"
        )
    for name, case in zip(names, (both.two, both.one), strict=True):
        if TRUE not in case.answers:
            raise DataError(
                f"{dataset}: {name} gave sampled answers, of which {discrepancy} cannot tell"
                " another model from another sample; choose another --discrepancy, such as tv"
            )
    return Change(dataset, *names, both)


def change_rows(change: Change, margin: float, alpha: float) -> Iterator[dict]:
    """Yield the mean change over these questions, and over new ones, each with its verdict."""
    new, old = (float(case.own.unanswered.mean()) for case in (change.both.one, change.both.two))
    for row in _intervals(change, np.arange(len(change.both.rows)), TARGETS, alpha):
        known = {"margin": margin, "verdict": verdict(row, margin)}
        yield {**row, **known, "unanswered_old": old, "unanswered_new": new}


def verdict(row: dict, margin: float) -> str:
    """Return whether a mean rose by more than a margin, fell by more, rose by no more, or none."""
    lower, upper = row["ci_lower"], row["ci_upper"]
    if lower is None or upper is None or is_untestable(row):
        return OPEN
    if lower > margin:
        return WORSE
    if upper < -margin:
        return BETTER
    return NO_WORSE if upper <= margin else OPEN


def cluster_rows(change: Change, alpha: float) -> Iterator[dict]:
    """Yield the mean change over the questions of each cluster; all hold together."""
    labels = change.both.one.people.clusters[change.both.rows]
    names = np.unique([] if grouped(labels) is None else labels)
    for name in names:
        for row in _intervals(change, np.flatnonzero(labels == name), [ASKED], alpha / len(names)):
            yield {"cluster": name, **row}


def _intervals(
    change: Change, at: np.ndarray, targets: Iterable[str], alpha: float
) -> Iterator[dict]:
    """Yield the columns of each target's interval over the questions at some places of both."""
    mean, measured = change.of_models.mean(at), or_none(float(change.of_models.plugin[at].mean()))
    for target in filter(mean.exists, targets):
        limits = mean.interval(target, 1.0 - alpha)
        row = mean_columns([change.both.one, change.both.two], mean, target, limits)
        is_certain = row["ci_lower"] is not None and row["ci_lower"] == row["ci_upper"]
        if target == NEW and is_certain:
            row |= {"ci_lower": None, "ci_upper": None, "warning": ALL_ALIKE}
        yield {**change.columns, "measured": measured, **row}


def question_rows(change: Change, alpha: float) -> Iterator[dict]:
    """Yield each question with bounds on its change, p-values, and the list that it is on.

    There are no p-values where there are no tests. The versions are compared on what both answered.
    """
    both, of_models = change.both, change.of_models
    names = [both.one.people.names[row] for row in both.rows]
    known = {"scenario": names, "lower": of_models.bounds.lower, "upper": of_models.bounds.upper}
    if of_models.is_tested:
        comparison = compare_versions(
            *with_ends(tested(both.one, both.i, alpha), of_models.old.shares, of_models.new.shares),
            discrepancy=both.one.discrepancy,
            level=1.0 - alpha,
            false_discovery_rate=alpha,
            dependent=both.responses.respondents is not None,
        )
        lists = [comparison.got_worse, comparison.got_better]
        known |= {"p_worse": comparison.worse_p, "p_better": comparison.better_p}
        known["verdict"] = np.select(lists, [WORSE, BETTER], UNDECIDED)
    for values in zip(*known.values(), strict=True):
        yield row_of(QUESTIONS, **change.columns, **dict(zip(known, values, strict=True)))
