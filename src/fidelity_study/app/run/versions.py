"""Compare two finished runs of a study: is a simulator farther from people than it was?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity_study.app.run.verify import finished
from fidelity_study.errors import DataError, there_are
from fidelity_study.extensions import load
from fidelity_study.report.formats import percent
from fidelity_study.report.page.words import listed, plain
from fidelity_study.steps import versions as steps
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.mean_discrepancy import MEAN_DISCREPANCY
from fidelity_study.steps.nonresponse import NONRESPONSE
from fidelity_study.steps.same_questions import Version, same_questions
from fidelity_study.steps.versions import BY_CLUSTER, DIFFERENCES, QUESTIONS
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import metadata, read, refuse_others, write_csv, write_text

MADE = "comparison/mean_discrepancy.parquet"
BOTH_SAME, IS_WORSE = 0, 1
MOST_NAMED = 20
TABLES = {"differences": DIFFERENCES, "by_cluster": BY_CLUSTER, "questions": QUESTIONS}


@dataclass(frozen=True)
class Options:
    """What is compared, and how.

    Attributes:
        dataset, simulator, discrepancy: the only one to compare; None for all, and for the first
            discrepancy of each dataset.
        renamed: simulators' old names -> new ones.
        margin: by how much a mean may rise.
        level: the confidence of all intervals of means together.
    """

    dataset: str | None = None
    simulator: str | None = None
    discrepancy: str | None = None
    renamed: tuple[tuple[str, str], ...] = ()
    margin: float = 0.0
    level: float = 0.95


@dataclass(frozen=True)
class Compared:
    """What was found.

    Attributes:
        old, new: folders of both runs.
        options: what was asked for.
        notes: what was left out.
        changes: each simulator in both runs.
        rows: rows of each table, by its name.
    """

    old: Path
    new: Path
    options: Options
    notes: list[str]
    changes: list[steps.Change]
    rows: dict[str, list[dict]]

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        """Each simulator of a dataset with the verdict on these questions."""
        return [
            (f"{plain(row['simulator'])} on {plain(row['dataset'])}", row["verdict"])
            for row in self.rows["differences"]
            if row["target"] == "asked"
        ]


def versions(old: Path, new: Path, options: Options) -> Compared:
    """Compare two finished runs on the same questions and people.

    Raises:
        DataError: if a run is not finished, if questions or people differ, or if there is nothing
            to compare.
    """
    was, now, folders = _datasets(old), _datasets(new), (old, new)
    names = _both("dataset", was, now, options.dataset, folders)
    notes = _left_out("dataset", was, now, folders) if options.dataset is None else []
    changes: list[steps.Change] = []
    for name in names:
        one, two = was[name], now[name]
        for version in (one, two):
            load(version.step["extensions"])
        questions = same_questions(one, two)
        notes += _left_out("question", one.names, two.names, folders, name)
        in_dataset, left_out = _changes(one.on(questions), two.on(questions), options)
        notes += left_out
        changes += in_dataset
    _refuse_unused(options, [was, now], changes)
    error = 1.0 - options.level
    alpha, margin = error / len(changes), options.margin
    rows = {
        "differences": [row for one in changes for row in steps.change_rows(one, margin, alpha)],
        "by_cluster": [row for one in changes for row in steps.cluster_rows(one, alpha)],
        "questions": [row for one in changes for row in steps.question_rows(one, error)],
    }
    return Compared(old, new, options, notes, changes, rows)


def _datasets(results: Path) -> dict[str, Version]:
    """Return the datasets of a run that have mean discrepancies."""
    record, datasets = finished(results), {}
    folder = record["folder"]
    for path in record["files"]:
        dataset = path.removeprefix(f"{folder}/").removesuffix(f"/{MADE}")
        if path == f"{folder}/{dataset}/{MADE}":
            datasets[dataset] = _version(results, folder, dataset)
    if not datasets and list(results.glob("*/scores.parquet")):
        raise DataError(
            f"{results}: has scores of evaluations, which are compared in its report; for a test in"
            " continuous integration see docs/howto/evaluations.md"
        )
    if not datasets:
        raise DataError(
            f"{results}: has no dataset with mean discrepancies, and these are what is compared;"
            " name a study of answers with curves"
        )
    return datasets


def _version(results: Path, folder: str, dataset: str) -> Version:
    place = results / dataset
    made = place / MADE
    if not made.is_file():
        raise DataError(f"{made}: is missing; run the study to its end: fidelity-curves run CONFIG")
    step = metadata(made)
    sample = next(
        path.removeprefix(f"{folder}/")
        for path in step["provenance"]["inputs"]
        if path.startswith(f"{folder}/{dataset}/bootstrap/n")
    )
    return Version(
        str(results),
        step,
        list(dict.fromkeys(read(made, MEAN_DISCREPANCY)["discrepancy"].to_pylist())),
        read(place / "scenarios.parquet", SCENARIOS),
        read(results / sample, HUMAN_SAMPLE),
        read(place / "respondents.parquet", RESPONDENTS),
        read(place / "bootstrap" / "simulators.parquet", SIMULATED_SAMPLE),
        read(place / "nonresponse.parquet", NONRESPONSE),
    )


def _both(
    what: str,
    one: Iterable[str],
    two: Iterable[str],
    wanted: str | None,
    folders: tuple[Path, Path],
) -> list[str]:
    """Return what both runs have, or the one that is wanted; DataError if there is none."""
    there = [list(one), list(two)]
    if wanted is not None:
        for names, folder in zip(there, folders, strict=True):
            _refuse_unknown(f"--{what}", wanted, names, folder)
        return [wanted]
    common = [name for name in there[0] if name in there[1]]
    if not common:
        raise DataError(
            f"no {what} in common: {folders[0]} has {listed(there[0])}, {folders[1]} has"
            f" {listed(there[1])}; run both with the same names"
        )
    return common


def _refuse_unknown(place: str, name: str, known: Iterable[str], where: object) -> None:
    there = list(known)
    if name not in there:
        raise DataError(f"{place}: {where} has no {name}; {there_are(name, there)}")


def _left_out(
    what: str, one: Iterable[str], two: Iterable[str], folders: tuple[Path, Path], dataset: str = ""
) -> list[str]:
    """Say what only one of the runs has."""
    there = [list(one), list(two)]
    return [
        note
        for names, others, folder in zip(there, there[::-1], folders, strict=True)
        for note in _only(what, [name for name in names if name not in others], folder, dataset)
    ]


def _only(what: str, names: list[str], folder: object, dataset: str) -> Iterator[str]:
    if names:
        several = "s" if names[1:] else ""
        before = f"{dataset}: " if dataset else ""
        which = listed(names, most=MOST_NAMED)
        yield f"{before}left out {len(names)} {what}{several} of {folder} only: {which}"


def _changes(old: Version, new: Version, options: Options) -> tuple[list[steps.Change], list[str]]:
    """Return each simulator that both versions of a dataset have, and which ones are left out."""
    dataset = old.step["dataset"]
    discrepancy = _discrepancy(old, new, options)
    people, renamed = old.people, dict(options.renamed)
    only = options.simulator
    other = None if only is None else renamed.get(only, only)
    was = [name for name in old.step["simulators"] if _is_wanted(name, only)]
    now = [name for name in new.step["simulators"] if _is_wanted(name, other)]
    free = [name for name in was if name in renamed or name not in renamed.values()]
    pairs = {name: renamed.get(name, name) for name in free if renamed.get(name, name) in now}
    changes = [steps.change(old, new, people, pair, discrepancy) for pair in pairs.items()]
    without = [name for name in was if name not in pairs]
    added = [name for name in now if name not in pairs.values()]
    return changes, [
        *_only("simulator", without, old.name, dataset),
        *_only("simulator", added, new.name, dataset),
    ]


def _is_wanted(name: str, only: str | None) -> bool:
    """Return whether a simulator is compared; baselines, made of people, only if they are named."""
    return name not in BASELINES if only is None else name == only


def _discrepancy(old: Version, new: Version, options: Options) -> str:
    """Return the discrepancy that a dataset is compared by: the first of the old run by default."""
    dataset = old.step["dataset"]
    if not old.discrepancies:
        raise DataError(
            f"{dataset}: {old.name} has no discrepancy that is convex in people's shares, such as"
            " tv; add one to grid.discrepancy, and run both again"
        )
    chosen = options.discrepancy or old.discrepancies[0]
    for version in (old, new):
        _refuse_discrepancy(chosen, version)
    if (chosen in old.step["smoothed"]) != (chosen in new.step["smoothed"]):
        raise DataError(
            f"{dataset}: {chosen} is of smoothed answers in one run only; give both the same"
            " grid.smoothed"
        )
    return chosen


def _refuse_discrepancy(name: str, version: Version) -> None:
    """Raise DataError if a run lacks a discrepancy, with what the config must have to have it."""
    there, dataset = version.discrepancies, version.step["dataset"]
    where = f"{dataset} of {version.name}"
    if name in there or name not in DISCREPANCIES:
        _refuse_unknown("--discrepancy", name, there, where)
        return
    kinds = sorted(set(version.scenarios["kind"].to_pylist()))
    known = DISCREPANCIES[name]
    if known.is_parameter or not all(map(known.is_for, kinds)):
        raise DataError(
            f"--discrepancy: {name} cannot compare versions on {listed(kinds)} answers; {where} has"
            f" {', '.join(there)}"
        )
    raise DataError(
        f"--discrepancy: {where} has no {name}, only {', '.join(there)}; in the config of each run"
        f" that lacks it, write under datasets, {dataset}, grid: {{discrepancy:"
        f" [{', '.join([*there, name])}]}}, and run it again"
    )


def _refuse_unused(
    options: Options, runs: list[dict[str, Version]], changes: list[steps.Change]
) -> None:
    """Raise DataError if nothing is left to compare, or an option names an unknown simulator."""
    known = [
        dict.fromkeys(name for version in run.values() for name in version.step["simulators"])
        for run in runs
    ]
    for was, now in options.renamed:
        _refuse_unknown("--rename", was, known[0], "the old run")
        _refuse_unknown("--rename", now, known[1], "the new run")
    if options.simulator is not None:
        _refuse_unknown("--simulator", options.simulator, known[0], "the old run")
    if not changes:
        raise DataError(
            f"no simulator in common: the old run has {listed(list(known[0]))}, the new one"
            f" {listed(list(known[1]))}; say by --rename OLD=NEW which ones belong together"
        )


def text(runs: Compared) -> Iterator[str]:
    """Yield the findings, one line each."""
    yield (
        f"{runs.new} (new) against {runs.old} (old): new minus old, above 0 is farther from people"
    )
    yield from runs.notes
    for change in runs.changes:
        yield ""
        yield from _of_change(runs, change)
    yield ""
    level = percent(runs.options.level)
    together = f" at once for all {len(runs.changes)} simulators" if runs.changes[1:] else ""
    yield (
        f"The intervals of these questions hold{together} with {level} confidence; so do those of"
        f" new ones, and those of clusters. Of each list of questions on average at most"
        f" {percent(1 - runs.options.level)} is wrong."
    )
    yield _summary(runs)


def _of_change(runs: Compared, change: steps.Change) -> Iterator[str]:
    own_columns = change.columns.items()
    rows = {
        name: [row for row in table if row.items() >= own_columns]
        for name, table in runs.rows.items()
    }
    by_target = {row["target"]: row for row in rows["differences"]}
    asked, margin = by_target["asked"], runs.options.margin
    name = plain(change.simulator)
    name += f" -> {plain(change.new_name)}" if change.new_name != change.simulator else ""
    said = {
        steps.WORSE: f"worse by more than {margin:g}",
        steps.BETTER: f"better by more than {margin:g}",
        steps.NO_WORSE: f"no worse by more than {margin:g}",
        steps.OPEN: f"not settled at {margin:g}",
    }
    label = DISCREPANCIES[asked["discrepancy"]].label
    yield f"{plain(change.dataset)}, {name}: {said[asked['verdict']]} ({label})"
    yield f"  mean difference over these {asked['m']} questions: {_ends(asked)}"
    if new := by_target.get("new"):
        is_warned = new["warning"] and new["ci_lower"] is not None
        warned = f" ({new['warning']})" if is_warned else ""
        yield f"  over new questions: {_ends(new)}{warned}"
    for row in rows["by_cluster"]:
        yield f"  {plain(row['cluster'])}: {_ends(row)} ({row['m']} questions)"
    yield from _lists(change, rows["questions"])
    left = [asked["unanswered_old"], asked["unanswered_new"]]
    if any(left):
        yield (
            f"  left unanswered: old {percent(left[0])}, new {percent(left[1])}; compared on what"
            " both answered"
        )


def _lists(change: steps.Change, rows: list[dict]) -> Iterator[str]:
    if not change.of_models.is_tested:
        why = "for this discrepancy" if change.of_models.is_stated else "of sampled answers"
        yield f"  no tests of single questions are known {why}"
        return
    for verdict, words in ((steps.WORSE, "farther"), (steps.BETTER, "closer")):
        names = [plain(row["scenario"]) for row in rows if row["verdict"] == verdict]
        which = f": {listed(names, most=MOST_NAMED)}" if names else ""
        yield f"  certainly {words} on {len(names)} of {len(rows)} questions{which}"


def _ends(row: dict) -> str:
    lower, upper = row["ci_lower"], row["ci_upper"]
    if lower is None or upper is None:
        return f"no interval ({row['warning']})"
    measured = "" if row["measured"] is None else f"; {row['measured']:+.4f} as measured"
    return f"{lower:+.4f} to {upper:+.4f}{measured}"


def _summary(runs: Compared) -> str:
    names = [f"{name}: {verdict}" for name, verdict in runs.verdicts]
    worse = [verdict for _, verdict in runs.verdicts].count(steps.WORSE)
    by = f"worse by more than {runs.options.margin:g}"
    head = f"{worse} of {len(names)} certainly {by}" if worse else f"None is certainly {by}"
    return f"{head}. {'; '.join(names)}."


def markdown(runs: Compared) -> str:
    """Return the same as Markdown."""
    return "\n".join(["# Versions", "", "```text", *text(runs), "```", ""])


def save(runs: Compared, out: Path) -> list[Path]:
    """Write the tables as CSV, and what was found as Markdown; return the paths."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        refuse_others(out / "versions.md", "# Versions")
        for name, schema in TABLES.items():
            refuse_others(out / f"{name}.csv", ",".join(schema.names))
            rows: list[dict[str, Any]] = runs.rows[name]
            write_csv(out / f"{name}.csv", rows, schema.names)
        write_text(out / "versions.md", markdown(runs))
    except OSError as error:
        raise DataError(f"--out: {out} cannot hold the files ({error}); name another") from None
    return [*(out / f"{name}.csv" for name in TABLES), out / "versions.md"]


def failing(runs: Compared, *, unless_shown: bool) -> list[str]:
    """Return the simulators that are worse, or with ``unless_shown`` not shown not to be."""
    passing = {steps.BETTER, steps.NO_WORSE} | (set() if unless_shown else {steps.OPEN})
    return [name for name, verdict in runs.verdicts if verdict not in passing]


def status(runs: Compared, *, unless_shown: bool) -> int:
    """Return 1 if any simulator is :func:`failing`."""
    return IS_WORSE if failing(runs, unless_shown=unless_shown) else BOTH_SAME


def gate(runs: Compared, *, unless_shown: bool) -> str:
    """Say what the exit status is, and why."""
    failed = failing(runs, unless_shown=unless_shown)
    which, are = listed(failed, most=MOST_NAMED), "are" if failed[1:] else "is"
    by = f"by more than {runs.options.margin:g}"
    if not unless_shown:
        verdict = f"{which} {are} certainly worse" if failed else "none is certainly worse"
        return f"Exit status {status(runs, unless_shown=unless_shown)}: {verdict} {by}."
    verdict = f"{which} {are} not shown" if failed else "each is shown"
    met = "not met" if failed else "met"
    return (
        f"Exit status {status(runs, unless_shown=unless_shown)}: the condition of --unless-shown is"
        f" {met}, as {verdict} to be no worse {by}."
    )


def main(old: Path, new: Path, options: Options, out: Path | None, unless_shown: bool) -> int:
    """Compare two runs, say what was found, and write it; return the exit status."""
    runs = versions(old, new, options)
    paths = [] if out is None else save(runs, out)
    verdict = gate(runs, unless_shown=unless_shown)
    print(*text(runs), *(f"wrote {path}" for path in paths), verdict, sep="\n")
    return status(runs, unless_shown=unless_shown)
