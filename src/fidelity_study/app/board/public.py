"""Rankings of a public board's results: files with a distance for each question and provider."""

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity_study.app.board.ranking import BASELINE, SIMULATOR, Entry, Ranking
from fidelity_study.errors import DataError
from fidelity_study.reading.evals.direction import LOWER
from fidelity_study.reading.evals.rows import SCORES
from fidelity_study.report.formats import percent
from fidelity_study.report.page.evaluation import Evaluation
from fidelity_study.report.summaries import MOST_UNANSWERED
from fidelity_study.steps import evaluation as steps
from fidelity_study.tables.common import as_read

KEYS = {"benchmark", "config", "per_question"}
UNIFORM = "uniform guess"
OVER = steps.COMBINED[steps.MACRO]
ALIKE = 1.5e-4  # shares are rounded to four digits
MEASURE = "Jensen-Shannon divergence, base 2"
STEP: dict[str, Any] = {
    "baseline": None,
    "margin": None,
    "standard_error": "cr2",
    "unpaired": False,
    "test": {"alpha": 0.05, "power": 0.8, "effect": None},
}
ONE = (
    "Intervals of 95 % are by Student's t over questions, taken as a sample of such questions. Two"
    " entries are told apart by a paired test on the questions that both have (Holm, all pairs at"
    " once). They stand in the order of their mean difference from all others on these. How many"
    " people answered is not published, so that their chance is not in the intervals. Exactly"
    " uniform answers of failed calls tell what a uniform guess gets on these questions."
)
SEVERAL = "Over all datasets: their means, each counting the same, with intervals as below."


@dataclass(frozen=True)
class Run:
    """A run of a provider on a dataset.

    Attributes:
        dataset, provider, date: as the file has them.
        path: of the file.
        distances: question -> distance.
        uniform: questions with an exactly uniform answer.
        empty: how many questions have no answer at all.
        tokens: of prompts and answers, per question; None if the file doesn't say.
    """

    dataset: str
    provider: str
    date: str
    path: Path
    distances: dict[str, float]
    uniform: set[str]
    empty: int
    tokens: float | None

    @property
    def failed(self) -> float:
        """The share of answers that are exactly uniform, or none: failed calls look like that."""
        return (len(self.uniform) + self.empty) / len(self.distances)


def files_of(folder: Path) -> list[Path]:
    """Return the files of a public board in a folder."""
    files = sorted([*folder.rglob("*.json"), *folder.rglob("*.json.gz")])
    return [path for path in files if {*_content(path)} >= KEYS]


def _content(path: Path) -> dict:
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def read(path: Path) -> Run:
    """Return what a file has.

    Raises:
        DataError: it has no distances.
    """
    content = _content(path)
    rows = content["per_question"]
    try:
        distances = {row["key"]: float(row["jsd"]) for row in rows}
        shares = {row["key"]: np.asarray(row["model_distribution"], float) for row in rows}
        config = content["config"]
        run = Run(
            config["dataset"],
            config["provider"],
            str(content.get("timestamp", ""))[:10],
            path,
            distances,
            {key for key, of_key in shares.items() if of_key.any() and np.ptp(of_key) < ALIKE},
            sum(not of_key.any() for of_key in shares.values()),
            _tokens(content, len(rows)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}: has no distance for each question ({error})") from None
    if not distances:
        raise DataError(f"{path}: has no question")
    return run


def _tokens(content: dict, questions: int) -> float | None:
    usage = content.get("aggregate", {}).get("token_usage") or {}
    used = [usage[side] for side in ("input_tokens", "output_tokens") if side in usage]
    return sum(used) / questions if len(used) == 2 else None


def rankings(folder: Path, prefix: str) -> list[Ranking]:
    """Return the ranking of each dataset of a public board, and that over all.

    Runs of one provider on the same questions count as samples: their mean is taken for each
    question. Runs of which more than a tenth failed have no rank.

    Args:
        folder: with its files.
        prefix: what links to files begin with.
    """
    runs = [read(path) for path in files_of(folder)]
    sound = [run for run in runs if _is_ranked(run)]
    shown = _evaluated(sound, list(_uniform_rows(runs)))
    overall = [row["eval"] for row in shown.means if row["of"] == steps.MACRO]
    names = [*dict.fromkeys(overall), *shown.evals]
    return [_ranking(shown, name, runs, prefix) for name in names]


def _is_ranked(run: Run) -> bool:
    return run.failed <= MOST_UNANSWERED


def _uniform_rows(runs: Iterable[Run]) -> Iterator[dict]:
    """Yield what a uniform guess would get, on questions to which some run gave just that."""
    known = {(run.dataset, key): run.distances[key] for run in runs for key in sorted(run.uniform)}
    for (dataset, key), distance in sorted(known.items()):
        yield _row(dataset, UNIFORM, key, "", distance)


def _row(dataset: str, model: str, question: str, epoch: str, score: float) -> dict:
    labels = {"eval": dataset, "model": model, "question": question, "epoch": epoch}
    return {**labels, "score": score, "better": LOWER}


def _evaluated(runs: list[Run], more: list[dict]) -> Evaluation:
    """Return means and paired differences, as of an evaluation of which lower is better."""
    rows = [
        _row(run.dataset, run.provider, key, run.path.name, distance)
        for run in runs
        for key, distance in run.distances.items()
    ]
    names = sorted({run.dataset for run in runs})
    step = {**STEP, "title": "", "evals": {name: {"range": [0, 1]} for name in names}}
    study = steps.evaluation(pa.Table.from_pylist([*rows, *more], SCORES), step)
    tables = {
        "means": as_read(steps.mean_rows(study), steps.MEANS),
        "differences": as_read(steps.difference_rows(study), steps.DIFFERENCES),
    }
    return Evaluation("board", step, tables)


def _ranking(shown: Evaluation, name: str, runs: list[Run], prefix: str) -> Ranking:
    differences = [
        row for row in shown.differences if row["eval"] == name and row["estimate"] is not None
    ]
    closer = frozenset(
        (row["model"], row["baseline"])[:: 1 if row["estimate"] < 0 else -1]
        for row in differences
        if shown.is_settled(row)
    )
    beyond: dict[str, list[float]] = defaultdict(list)
    for row in differences:
        beyond[row["model"]].append(row["estimate"])
        beyond[row["baseline"]].append(-row["estimate"])
    here = [run for run in runs if name in (run.dataset, OVER)]
    entries = [
        _entry(
            row, [run for run in here if run.provider == row["model"] and _is_ranked(run)], prefix
        )
        for row in shown.means
        if row["eval"] == name
    ]
    order = sorted(entries, key=lambda entry: (np.mean(beyond[entry.name] or [0.0]), entry.name))
    is_dataset = name in shown.evals
    failed = [_failed(run, prefix) for run in here if is_dataset and not _is_ranked(run)]
    failed = list({(entry.name, entry.estimate): entry for entry in failed}.values())
    title = name if is_dataset else f"All {len(shown.evals)} datasets"
    how = ONE if is_dataset else SEVERAL
    return Ranking(title, MEASURE, how, (*order, *failed), closer)


def _entry(row: dict, runs: list[Run], prefix: str) -> Entry:
    latest = max(runs, key=lambda run: (run.date, run.path.name), default=None)
    name = row["model"]
    return Entry(
        name,
        BASELINE if name == UNIFORM or name.endswith("-baseline") else SIMULATOR,
        row["estimate"],
        row["lower"],
        row["upper"],
        row["questions"],
        max((run.failed for run in runs), default=0.0),
        "",
        f"{prefix}{latest.path.name}" if latest else "",
        latest.date if latest else "",
        latest.tokens if latest and latest.dataset == row["eval"] else None,
    )


def _failed(run: Run, prefix: str) -> Entry:
    text = f"{percent(run.failed)} of its answers are exactly uniform, or none: failed calls"
    mean = float(np.mean(list(run.distances.values())))
    return Entry(
        run.provider,
        SIMULATOR,
        mean,
        None,
        None,
        len(run.distances),
        run.failed,
        "",
        f"{prefix}{run.path.name}",
        run.date,
        run.tokens,
        flag=text,
    )
