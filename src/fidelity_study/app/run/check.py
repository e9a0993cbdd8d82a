"""Whether what a finished study shows meets conditions that were set before."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.levels import rational
from fidelity_study.app.run import comment
from fidelity_study.errors import DataError, there_are
from fidelity_study.report.formats import percent, range_text
from fidelity_study.report.page.words import plain
from fidelity_study.tables.read_write import refuse_others, write_text
from fidelity_study.verdict_file import Evaluation, JudgedUse, Simulator, UseOnEval, Verdict, View

HOLDS, FAILS, OPEN = 0, 1, 2
WORDS = {HOLDS: "holds", FAILS: "does not hold", OPEN: "cannot be told"}


@dataclass(frozen=True)
class Conditions:
    """What has to hold, and of whom.

    Attributes:
        mean_at_most: the largest mean discrepancy over these questions.
        within: the smallest share of these questions that are within the tolerance.
        closer_than: the simulator or baseline that has to be farther from people.
        use: the uses that have to be within their limits, at one error rate.
        dataset, simulator, discrepancy, tolerance: the only one to check; None for all datasets,
            for all simulators under test, and for the first view of each dataset.
    """

    mean_at_most: float | None = None
    within: float | None = None
    closer_than: str | None = None
    use: tuple[str, ...] = ()
    dataset: str | None = None
    simulator: str | None = None
    discrepancy: str | None = None
    tolerance: float | None = None


class Finding(NamedTuple):
    """Whether one condition holds of one simulator.

    Attributes:
        status: ``HOLDS``, ``FAILS`` or ``OPEN``.
        about: dataset, simulator and discrepancy.
        text: why.
    """

    status: int
    about: str
    text: str


def check(verdict: Verdict, conditions: Conditions) -> list[Finding]:
    """Return whether each condition holds of each simulator.

    A condition on a number is decided by the end of its interval that holds for all simulators of
    the dataset at once, as the page's verdict is. The estimate decides nothing.

    Raises:
        DataError: there is no such dataset, simulator or discrepancy, or nothing to check.
    """
    findings = [*_of_uses(verdict, conditions)]
    on_views = (conditions.mean_at_most, conditions.within, conditions.closer_than)
    if findings and on_views == (None, None, None):
        if (conditions.discrepancy, conditions.tolerance) != (None, None):
            raise DataError(
                "--discrepancy, --tolerance: these are of means and shares of questions, and a use"
                " has its own limit; leave them out"
            )
        return findings
    findings += [
        Finding(status, f"{plain(dataset)}, {plain(simulator.label)} ({view.discrepancy})", text)
        for dataset, view in checked_views(verdict, conditions)
        for simulator in _simulators(dataset, view, conditions)
        for status, text in _decided(view, simulator, conditions)
    ]
    if not findings:
        raise DataError("no simulator is under test: there are baselines only; see --simulator")
    return findings


def _of_uses(verdict: Verdict, conditions: Conditions) -> Iterator[Finding]:
    """Yield whether each simulator may be used as asked, as the card of uses says.

    Raises:
        DataError: there is no such dataset, use or simulator.
    """
    if not conditions.use:
        return
    parts = verdict.parts
    if conditions.dataset is not None:
        _refuse_unknown("--dataset", conditions.dataset, [part.name for part in parts])
        parts = [part for part in parts if part.name == conditions.dataset]
    names = list(dict.fromkeys(use.use for part in parts for use in part.uses))
    if not names:
        alone = "scores are compared of two or more models, and there is one"
        of_scores = any(isinstance(part, Evaluation) for part in parts)
        raise DataError(f"--use: {alone if of_scores else 'no use is on the card'}")
    for name in conditions.use:
        _refuse_unknown("--use", name, names)
    for part in parts:
        uses = [use for use in part.uses if use.use in conditions.use]
        simulators = list(dict.fromkeys(use.simulator for use in uses))
        if conditions.simulator is not None and uses:
            _refuse_unknown(f"--simulator of {part.name}", conditions.simulator, simulators)
            simulators = [conditions.simulator]
        for simulator in simulators:
            of_one = [use for use in uses if use.simulator == simulator]
            for use in sorted(of_one, key=lambda use: conditions.use.index(use.use)):
                yield _use(part.name, use)


def _use(dataset: str, use: JudgedUse) -> Finding:
    where = [dataset, use.eval] if isinstance(use, UseOnEval) else [dataset]
    about = ", ".join(map(plain, dict.fromkeys([*where, use.simulator])))
    status = {"within": HOLDS, "beyond": FAILS}.get(use.verdict, OPEN)
    ends = [end for end in (use.lower, use.upper) if end is not None]
    if use.verdict == "not measured":
        text = f"{use.use}: not measured; bring {use.needs}"
    elif use.verdict == "not asked":
        text = f"{use.use}: the config declares other uses"
    else:
        known = range_text(ends) if len(ends) == 2 else "unknown"
        at = "at " * (use.verdict == "open")
        text = f"{use.use}: {use.verdict} {at}the limit {use.limit:g}"
        text += f"; its own 95 % interval is {known}"
        if use.alone != use.verdict:
            text += f", {use.alone} by itself, but all verdicts hold together"
    return Finding(status, about, text)


def status_of(findings: list[Finding]) -> int:
    """Return 1 if a condition does not hold, else 2 if one cannot be told, else 0."""
    statuses = {finding.status for finding in findings}
    return next(status for status in (FAILS, OPEN, HOLDS) if status in statuses)


def checked_views(verdict: Verdict, conditions: Conditions) -> Iterator[tuple[str, View]]:
    """Yield each dataset's name with the view that is checked.

    Raises:
        DataError: there is none.
    """
    judged = {dataset.name: dataset.views for dataset in verdict.datasets if dataset.views}
    if not judged:
        more = "; of scores of evaluations --use scores" if verdict.evaluations else ""
        raise DataError(f"{verdict.study}: has no dataset with curves, and these are checked{more}")
    names = list(judged) if conditions.dataset is None else [conditions.dataset]
    for name in names:
        _refuse_unknown("--dataset", name, list(judged))
        view = next((view for view in judged[name] if _is_wanted(view, conditions)), None)
        if view is None:
            there = ", ".join(f"{one.discrepancy} ({one.tolerance})" for one in judged[name])
            raise DataError(
                f"--discrepancy, --tolerance: {name} has none such; there are, with the tolerance"
                f" in brackets: {there}"
            )
        yield name, view


def _is_wanted(view: View, conditions: Conditions) -> bool:
    return conditions.discrepancy in (None, view.discrepancy) and (
        conditions.tolerance in (None, view.tolerance)
    )


def _simulators(dataset: str, view: View, conditions: Conditions) -> list[Simulator]:
    names = [simulator.name for simulator in view.simulators]
    for option, name in (
        ("--simulator", conditions.simulator),
        ("--closer-than", conditions.closer_than),
    ):
        if name is not None:
            _refuse_unknown(f"{option} of {dataset}", name, names)
    if conditions.simulator is not None:
        return [one for one in view.simulators if one.name == conditions.simulator]
    tested = [one for one in view.simulators if one.kind == "simulator"]
    return [one for one in tested if one.name != conditions.closer_than]


def _refuse_unknown(place: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise DataError(f"{place}: there is no {name}; {there_are(name, known)}")


def _decided(view: View, simulator: Simulator, conditions: Conditions) -> Iterator[tuple[int, str]]:
    if conditions.mean_at_most is not None:
        _refuse_other_unit(view.discrepancy, conditions)
        yield _mean(simulator, conditions.mean_at_most)
    if conditions.within is not None:
        yield _share(view, simulator, conditions.within)
    if conditions.closer_than is not None:
        yield _closer(view, simulator, conditions.closer_than)


def _refuse_other_unit(discrepancy: str, conditions: Conditions) -> None:
    """Raise DataError if the largest mean may be in the unit of the page, not of the tables."""
    most = conditions.mean_at_most or 0.0
    if DISCREPANCIES[discrepancy].is_square and conditions.discrepancy is None:
        raise DataError(
            f"--mean-at-most {most:g}: of what? Means of {discrepancy} are compared, and the page "
            f"shows their roots. For {most:g} on the page: --mean-at-most {most**2:g} "
            f"--discrepancy {discrepancy}"
        )
    if discrepancy == "tv" and most > 1.0:
        raise DataError(
            f"--mean-at-most {most:g}: tv is at most 1. For {most:g} answers of 100: "
            f"--mean-at-most {most / 100.0:g}"
        )


def _mean(simulator: Simulator, most: float) -> tuple[int, str]:
    asked = f"mean at most {most:g}"
    if simulator.familywise is None:
        return OPEN, f"{asked}: the mean has no interval"
    lower, upper = simulator.familywise
    ends = f"its interval {range_text(simulator.familywise)}, for all simulators at once,"
    if upper <= most:
        return HOLDS, f"{asked}: {ends} ends at or below it"
    if lower > most:
        return FAILS, f"{asked}: {ends} begins above it"
    return OPEN, f"{asked}: {ends} has it inside, and the estimate decides nothing"


def _share(view: View, simulator: Simulator, least: float) -> tuple[int, str]:
    asked = f"within the tolerance on {percent(least)} of these questions"
    if simulator.within is None or simulator.beyond is None:
        return OPEN, f"{asked}: no question is tested; a tolerance in the config makes the lists"
    within, beyond, all_ = len(simulator.within), len(simulator.beyond), simulator.questions
    lists = f"{within} of {all_} are listed as within {view.tolerance:g}, {beyond} as beyond it"
    if within >= rational(least) * all_:
        return HOLDS, f"{asked}: {lists}"
    if beyond > (1 - rational(least)) * all_:
        return FAILS, f"{asked}: {lists}"
    return OPEN, f"{asked}: {lists}, and the others are open"


def _closer(view: View, simulator: Simulator, other: str) -> tuple[int, str]:
    asked = f"closer to people than {other}"
    names = {simulator.name, other}
    pair = next((pair for pair in view.pairs if {pair.simulator, pair.other} == names), None)
    if pair is None or pair.lower is None or pair.upper is None:
        return OPEN, f"{asked}: the two cannot be compared"
    sign = 1 if pair.simulator == simulator.name else -1
    low, high = sorted((sign * pair.lower, sign * pair.upper))
    ends = f"the difference is {low:+.3f} to {high:+.3f}"
    if pair.closer is None:
        return OPEN, f"{asked}: {ends}, which settles nothing"
    return (HOLDS if pair.closer == simulator.name else FAILS), f"{asked}: {ends}"


def lines(findings: list[Finding]) -> Iterator[str]:
    """Yield a line for each finding, then what the exit status is, and why."""
    for finding in findings:
        yield f"{WORDS[finding.status]}: {finding.about}: {finding.text}"
    status = status_of(findings)
    count = sum(finding.status == status for finding in findings)
    if findings[1:]:
        few = f"{count} of" if count < len(findings) else "all"
        plural = {HOLDS: "hold", FAILS: "do not hold" if count > 1 else "does not hold"}
        why = f"{few} {len(findings)} conditions {plural.get(status, WORDS[status])}"
    else:
        why = f"the condition {WORDS[status]}"
    yield f"Exit status {status}: {why}."


def main(results: Path, conditions: Conditions, out: Path | None) -> int:
    """Say whether the conditions hold, and write it as Markdown; return the exit status."""
    verdict = Verdict.read(results)
    if out is not None:
        refuse_others(out, comment.BEGIN)
    findings = check(verdict, conditions)
    *rows, why = lines(findings)
    if out is not None:
        chosen = [one for one in verdict.datasets if conditions.dataset in (None, one.name)]
        has_views = any(dataset.views for dataset in chosen)
        parts = comment.sections(checked_views(verdict, conditions)) if has_views else ()
        write_text(out, comment.text(verdict.study, rows, why, parts))
    print(*rows, why, sep="\n")
    return status_of(findings)
