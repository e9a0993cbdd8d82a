"""The paper's surveys as its authors released them: answers as scores, by question, in pickles.

Their pickles hold dicts from question to answers; an answer is the score of an option. What
differs between the surveys, which questions there are and what their options are, is told by a
table of questions; see :func:`survey`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
from paper_pickles import load

from fidelity_study.errors import refusal
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.tables.ingest import HUMAN

PRINTED = 1e-6


def read_json(path: str | Path) -> dict | list:
    """Return what a JSON file holds."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def pinned(path: str | Path, sources: str | Path) -> str:
    """Return the SHA-256 that sources.yaml has of a file; DataError if it has none."""
    files = yaml.safe_load(Path(sources).read_text(encoding="utf-8"))["files"]
    for name, source in files.items():
        if Path(path).as_posix().endswith(f"/{name}"):
            return source["sha256"]
    raise refusal(
        "no-checksum", "is not read, as sources.yaml has no checksum of it; add it there", file=path
    )


def read_answers(path: str | Path, sources: str | Path) -> dict[str, Any]:
    """Return the answers in a pickle whose SHA-256 ``sources`` pins, by question as text."""
    answers: Any = load(path, pinned(path, sources))
    return {str(question): answer for question, answer in answers.items()}


def question_names(files) -> list[str]:
    """Return the questions in use, by the ingest's input ``questions``."""
    return [str(name) for name in np.load(files.questions).tolist()]


def people_column(files, column: str) -> dict[str, pd.Series]:
    """Return one column of people's table of each question in use, by the ingest's inputs."""
    surveys = read_answers(files.people, files.sources)
    used = {name: surveys[name] for name in question_names(files) if name in surveys}
    return {name: table[column] for name, table in used.items()}


def tally(answers: Any, scores: list[float]) -> tuple[np.ndarray, int]:
    """Count how often each score was given.

    Args:
        answers: scores, (n,); a missing one is NaN or None.
        scores: those of the options, (d,); answers may differ from them by rounding.

    Returns:
        The counts, (d,), and how many answers are missing.
    """
    given = np.asarray(answers)
    there = given[~pd.isna(given)].astype(float)
    nearest = np.abs(there[:, None] - np.asarray(scores)).argmin(axis=1)
    return np.bincount(nearest, minlength=len(scores)), len(given) - len(there)


def survey(questions: pd.DataFrame, people: Mapping[str, object], files) -> Responses:
    """Put together answers, and check people's with the numbers that the authors print.

    Args:
        questions: one row each; columns ``scenario, cluster, description, value, option, score``.
        people: their answers by question.
        files: the ingest's inputs; of ``simulators`` a question that one lacks is left out for it.

    Raises:
        DataError: a number is another than the authors print.
    """
    tallies = [*_tallies(questions, HUMAN, people)]
    for path in files.simulators:  # simulators/<name>.pkl
        answers = read_answers(path, files.sources)
        tallies += _tallies(questions, Path(path).name.removesuffix(".pkl"), answers)
    values = questions.set_index("scenario")["value"].to_dict()
    outcomes = [
        (scenario, source, value, count)
        for scenario, source, counts, _ in tallies
        for value, count in zip(values[scenario], counts.tolist(), strict=True)
    ]
    missing = [(scenario, source, "missing", many) for scenario, source, _, many in tallies]
    responses = Responses(
        origin=files.people,
        outcomes=pd.DataFrame(outcomes, columns=["scenario", "source", "value", "count"]),
        scenarios=questions.assign(respondents_repeat=True),
        missing=pd.DataFrame(missing, columns=["scenario", "source", "reason", "count"]),
    )
    verify(people_found(responses), files.sources, origin=files.people)
    return responses


def _tallies(questions, source, answers) -> Iterator[tuple]:
    """Yield scenario, source, counts of the options, (d,), and how many answers are missing."""
    for row in questions.itertuples():
        if row.scenario in answers:
            yield row.scenario, source, *tally(answers[row.scenario], row.score)


def people_found(responses: Responses) -> dict[str, float]:
    """Return what the authors print of people: ``scenarios``, and ``<question> n`` and ``mean``."""
    scenarios = responses.scenarios
    figures: dict[str, float] = {"scenarios": len(scenarios)}
    score = {
        (row.scenario, value): score
        for row in scenarios.itertuples()
        for value, score in zip(row.value, row.score, strict=True)
    }
    people = responses.outcomes[responses.outcomes["source"] == HUMAN]
    for scenario, rows in people.groupby("scenario", sort=False):
        n = rows["count"].sum()
        total = sum(
            score[scenario, value] * count
            for value, count in zip(rows["value"], rows["count"], strict=True)
        )
        figures |= {f"{scenario} n": n, f"{scenario} mean": total / n if n else np.nan}
    return figures


def verify(figures: Mapping[str, float], sources: str | Path, *, origin: str) -> None:
    """Compare with the values that the authors print, ``checks`` in sources.yaml.

    Raises:
        DataError: if one is another; the message has both.
    """
    checks = yaml.safe_load(Path(sources).read_text(encoding="utf-8")).get("checks", {})
    for name, printed in checks.items():
        value = figures.get(name, np.nan)
        if not abs(value - printed) <= PRINTED:
            raise refusal(
                "other-numbers",
                f"{name} is {value:.8g}, but its authors print {printed:.8g}; these are not their "
                "data, or they are read wrongly. The printed values are in sources.yaml",
                file=origin,
            )
