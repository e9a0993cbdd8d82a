"""Two runs of one study, an old and a new one: on the same questions, is a simulator worse now?

The change is L(p, new) - L(p, old), with the same people on both sides. For sampled answers it is
the change for the probabilities that they are drawn from. Otherwise two runs of one and the same
model would differ by the chance in its answers. For the same reason single questions are tested
only
where both versions state probabilities.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.comparison.lists import can_be_listed, with_ends
from fidelity.comparison.versions import compare_versions
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means import average as means
from fidelity.means.estimates import Estimate
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import among, codes, first_replicate, or_none
from fidelity_study.steps.cases import TRUE, Both, Case
from fidelity_study.steps.limits import tested
from fidelity_study.steps.mean_intervals import INTERVAL, is_untestable, mean_columns
from fidelity_study.steps.people import People
from fidelity_study.steps.unanswered import answered, fullest, padded, unanswered
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

WORSE, BETTER, NO_WORSE, OPEN = "worse", "better", "no worse", "not settled"
UNDECIDED = "undecided"
ALL_ALIKE = "all changes are equal, which does not show how much they vary"
SAME_SHARE = 1e-12
TABLES = ("scenarios", "human", "respondents", "simulated", "nonresponse")
CHANGING = tuple(set(means.DiscrepancyBounds._fields) - {"reach", "noise"})
SAME = {
    "kind": "the kind of outcome",
    "question": "the wording",
    "option": "the options",
    "value": "the values of the options",
    "score": "the scores of the options",
    "lower": "the smallest possible answer",
    "upper": "the largest possible answer",
    "cluster": "the cluster",
    "people": "which questions have people in common",
    "respondents_repeat": "whether people answer several questions",
}


@dataclass(frozen=True)
class Version:
    """A dataset of one run, with the tables behind its mean discrepancies.

    Attributes:
        name: of the run, for messages.
        step: the settings that the step depended on.
        discrepancies: in the order of the config, those that are convex.
        scenarios, human, respondents, simulated, nonresponse: the tables that it read.
    """

    name: str
    step: dict
    discrepancies: list[str]
    scenarios: pa.Table
    human: pa.Table
    respondents: pa.Table
    simulated: pa.Table
    nonresponse: pa.Table

    @property
    def names(self) -> list[str]:
        """The questions, in the order of the table."""
        return self.scenarios["scenario"].to_pylist()

    def on(self, names: list[str]) -> "Version":
        """Return the same with these questions only, in this order."""
        kept = {}
        for name in TABLES:
            table = getattr(self, name)
            kept[name] = table.filter(among(table["scenario"], names))
        order = np.argsort(codes(kept["scenarios"]["scenario"], names))
        return replace(self, **{**kept, "scenarios": kept["scenarios"].take(order)})

    def case(self, people: People, simulator: str, discrepancy: str) -> Case | None:
        """Return a simulator's best answers: stated probabilities, else the most draws."""
        lost = unanswered(self.nonresponse, people.names)
        options = people.responses.counts.shape[1]
        given = answered(self.simulated, people.names, options, lost)
        for best in fullest(form for form in given if form.simulator == simulator):
            is_smoothed = best.is_smoothed(discrepancy, self.step["smoothed"])
            return Case(people, best, discrepancy, is_smoothed)
        return None


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
        return {
            "dataset": self.dataset,
            "simulator": self.simulator,
            "new_name": self.new_name,
            "discrepancy": self.both.one.discrepancy,
            "k_old": self.both.two.own.k,
            "k_new": self.both.one.own.k,
        }

    @cached_property
    def is_same(self) -> np.ndarray:
        """Whether both state the same probabilities for a question, (N,).

        Equal sampled answers needn't come from equal probabilities.
        """
        one, two = self.both.one.q[self.both.i], self.both.two.q[self.both.j]
        is_same = np.isclose(one, two, rtol=0.0, atol=SAME_SHARE, equal_nan=True).all(1)
        return is_same & self.is_stated

    @cached_property
    def bounds(self) -> means.DiscrepancyBounds:
        """Bounds on each question's change: exactly 0 where both are the same."""
        bounds = self.both.estimate(TRUE).bounds
        return bounds._replace(
            **{name: np.where(self.is_same, 0.0, getattr(bounds, name)) for name in CHANGING}
        )

    def measured(self, at: np.ndarray) -> float:
        """Return the mean change as measured over the questions at ``at``: between plug-ins."""
        new, old = (case.bounds[TRUE].upper for case in (self.both.one, self.both.two))
        with np.errstate(invalid="ignore"):
            return float((new[self.both.i[at]] - old[self.both.j[at]]).mean())

    def errors(self, at: np.ndarray) -> np.ndarray | None:
        """Return the errors of the mean bounds over the questions at ``at``, (2,); None if unknown.

        Questions where both are the same add nothing to them.
        """
        changed = at[~self.is_same[at]]
        errors = self.both.estimate(TRUE, changed).errors if len(changed) else None
        return None if errors is None else errors * len(changed) / len(at)

    @property
    def is_stated(self) -> bool:
        """Whether both state probabilities."""
        return self.both.one.is_stated and self.both.two.is_stated

    @property
    def is_tested(self) -> bool:
        """Whether there are tests of single questions."""
        measure = DISCREPANCIES[self.both.one.discrepancy]
        can_be = measure.on != "kernel" and can_be_listed(self.both.responses, measure)
        return self.is_stated and can_be


def same_questions(old: Version, new: Version) -> list[str]:
    """Return the questions of both runs, in the order of the old one.

    Raises:
            DataError: if there are none, or if a question or people's answers to it differ.
    """
    there = set(new.names)
    names = [name for name in old.names if name in there]
    dataset = old.step["dataset"]
    if not names:
        raise DataError(
            f"{dataset}: {old.name} and {new.name} have no question in common; compare runs on the"
            " same questions"
        )
    one, two = old.on(names), new.on(names)
    for column, what in SAME.items():
        for name, was, now in zip(
            names, one.scenarios[column].to_pylist(), two.scenarios[column].to_pylist(), strict=True
        ):
            if was != now:
                raise DataError(
                    f"{dataset}, {name}: {what} differs: {was!r} in {old.name}, {now!r} in"
                    f" {new.name}; give a changed question another name, and run the study again"
                )
    for name, was, is_now in zip(names, _people(one), _people(two), strict=True):
        if not np.allclose(was, is_now):
            raise DataError(
                f"{dataset}, {name}: people's answers differ: {was.sum():g} in {old.name},"
                f" {is_now.sum():g} in {new.name}, or other ones; run both with the same people,"
                " grid.n, seed and weights"
            )
    return names


def _people(version: Version) -> list[np.ndarray]:
    sample = first_replicate(version.human)
    counts = padded(sample["count"].to_pylist())
    order = np.argsort(codes(sample["scenario"], version.names))
    return list(np.nan_to_num(counts[order], nan=-1.0))


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
    share = {
        "unanswered_old": float(change.both.two.own.unanswered.mean()),
        "unanswered_new": float(change.both.one.own.unanswered.mean()),
    }
    for row in _intervals(change, np.arange(len(change.both.rows)), means.TARGETS, alpha):
        known = {"margin": margin, "verdict": verdict(row, margin)}
        yield {**change.columns, **row, **known, **share}


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
    if grouped(labels) is None:
        return
    names = np.unique(labels)
    for name in names:
        at = np.flatnonzero(labels == name)
        for row in _intervals(change, at, [means.ASKED], alpha / len(names)):
            yield {"cluster": name, **change.columns, **row}


def _intervals(
    change: Change, at: np.ndarray, targets: Iterable[str], alpha: float
) -> Iterator[dict]:
    """Yield the columns of each target's interval over the questions at some places of both."""
    both, bounds = change.both, means.DiscrepancyBounds(*(bound[at] for bound in change.bounds))
    mean = Estimate(both.responses.only(at), bounds, change.errors(at), True)
    for target in targets:
        if not mean.exists(target):
            continue
        limits = mean.interval(target, 1.0 - alpha)
        row = mean_columns([both.one, both.two], mean, target, limits)
        is_certain = row["ci_lower"] is not None and row["ci_lower"] == row["ci_upper"]
        if target == means.NEW and is_certain:
            row |= {"ci_lower": None, "ci_upper": None, "warning": ALL_ALIKE}
        yield {"measured": or_none(change.measured(at)), **row}


def question_rows(change: Change, alpha: float) -> Iterator[dict]:
    """Yield each question with bounds on its change, p-values, and the list that it is on.

    There are no p-values where there are no tests. The versions are compared on what both answered.
    """
    both, columns = change.both, change.columns
    names = [both.one.people.names[row] for row in both.rows]
    rows = [
        {"scenario": name, **columns, "lower": float(lower), "upper": float(upper)}
        for name, lower, upper in zip(names, change.bounds.lower, change.bounds.upper, strict=True)
    ]
    if not change.is_tested:
        yield from rows
        return
    simulators = both.one.q[both.i], both.two.q[both.j]
    people, new, old = with_ends(tested(both.one, both.i, alpha), *simulators)
    comparison = compare_versions(
        people,
        old,
        new,
        discrepancy=both.one.discrepancy,
        level=1.0 - alpha,
        false_discovery_rate=alpha,
        dependent=both.responses.respondents is not None,
    )
    verdicts = np.select([comparison.got_worse, comparison.got_better], [WORSE, BETTER], UNDECIDED)
    tests = comparison.worse_p.tolist(), comparison.better_p.tolist(), verdicts.tolist()
    for row, *values in zip(rows, *tests, strict=True):
        yield row | dict(zip(("p_worse", "p_better", "verdict"), values, strict=True))
