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

from fidelity_study.errors import DataError, refusal
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.tables.ingest import HUMAN

SAME_SCORE = 1e-6
OF_PARTS = (list, tuple, dict, np.ndarray, pd.Index, pd.Series, pd.DataFrame)
PRINTED = 1e-6


def read_json(path: str | Path) -> dict | list:
    """Return what a JSON file holds; DataError if it is none."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        hint = "is it a Git LFS pointer? " if Path(path).stat().st_size < 200 else ""
        raise refusal(
            "not-json",
            f"is no JSON ({error}); {hint}delete it and run again to download it",
            file=path,
        ) from None


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
    return columns(used, column, files.people)


def columns(surveys: Mapping[str, pd.DataFrame], column: str, origin: str) -> dict[str, pd.Series]:
    """Return one column of each question's table."""
    for question, table in surveys.items():
        if not isinstance(table, pd.DataFrame) or column not in table:
            raise DataError(f"{origin}, question {question}: has no column {column!r}")
    return {question: table[column] for question, table in surveys.items()}


def tally(
    answers: object, scores: list[float], *, origin: str, question: str
) -> tuple[np.ndarray, int]:
    """Count how often each score was given.

    Args:
        answers: scores, (n,); a missing one is NaN or None.
        scores: those of the options, (d,); answers may differ from them by rounding.
        origin: the file's name in error messages.
        question: the question's name there.

    Returns:
        The counts, (d,), and how many answers are missing.

    Raises:
        DataError: if an answer is no number, or no option has its score.
    """
    where = f"{origin}, question {question}"
    nested = isinstance(answers, list) and any(isinstance(answer, OF_PARTS) for answer in answers)
    given = None if nested else np.asarray(answers)
    if given is None or given.ndim != 1:
        raise refusal(
            "no-list-of-answers",
            f"holds no list of answers but a {type(answers).__name__}",
            file=where,
        )
    there = given[~pd.isna(given)]
    try:
        number = there.astype(float)
    except (TypeError, ValueError):
        raise refusal(
            "not-a-number", "holds an answer that is no number; recode it", file=where
        ) from None
    known = np.asarray(scores, float)
    nearest = np.abs(number[:, None] - known).argmin(axis=1)
    strange = ~(np.abs(number - known[nearest]) <= SAME_SCORE)
    if strange.any():
        raise refusal(
            "no-option",
            f"holds {number[strange][0]:g}, which is no option's score "
            f"({', '.join(f'{score:g}' for score in known)}); recode it or add the option",
            file=where,
        )
    return np.bincount(nearest, minlength=len(known)), len(given) - len(there)


def survey(
    questions: pd.DataFrame,
    people: Mapping[str, object],
    simulators: Mapping[str, str | Path],
    sources: str | Path,
    *,
    origin: str,
) -> Responses:
    """Put together what people and simulators answered.

    Args:
        questions: one row each; columns ``scenario, cluster, description, value, option, score``.
        people: their answers by question, from the file ``origin``.
        simulators: name and pickle of each; a question that one lacks is left out for it.
        sources: sources.yaml, which pins their checksums.
        origin: the name of the people's file in error messages.
    """
    absent = [name for name in questions["scenario"] if name not in people]
    if absent:
        raise refusal(
            "no-column", f"has no question {absent[0]} ({len(absent)} in all)", file=origin
        )
    tallies = _tallies(questions, HUMAN, people, origin)
    simulated = simulator_tallies(questions, simulators, sources)
    return counted(questions, [*tallies, *simulated], origin=origin)


def verified_survey(questions: pd.DataFrame, people: Mapping[str, object], files) -> Responses:
    """Return :func:`survey`; people's answers are checked with the numbers that the authors print.

    ``files`` are the ingest's inputs: ``people``, ``simulators`` and ``sources``.
    """
    simulators = named_by_file(files.simulators)
    responses = survey(questions, people, simulators, files.sources, origin=files.people)
    verify(people_found(responses), files.sources, origin=files.people)
    return responses


def simulator_tallies(
    questions: pd.DataFrame, simulators: Mapping[str, str | Path], sources: str | Path
) -> Iterator[tuple]:
    """Count what simulators answered, as :func:`counted` takes it; arguments as :func:`survey`."""
    for name, path in simulators.items():
        yield from _tallies(questions, name, read_answers(path, sources), str(path))


def counted(questions: pd.DataFrame, tallies: list[tuple], *, origin: str) -> Responses:
    """Put together counts: (scenario, source, counts of the options (d,), {reason: missing})."""
    values = questions.set_index("scenario")["value"].to_dict()
    outcomes = [
        (scenario, source, value, count)
        for scenario, source, counts, _ in tallies
        for value, count in zip(values[scenario], counts.tolist(), strict=True)
    ]
    missing = [
        (scenario, source, reason, count)
        for scenario, source, _, reasons in tallies
        for reason, count in reasons.items()
    ]
    return Responses(
        origin=origin,
        outcomes=pd.DataFrame(outcomes, columns=["scenario", "source", "value", "count"]),
        scenarios=questions.assign(respondents_repeat=True),
        missing=pd.DataFrame(missing, columns=["scenario", "source", "reason", "count"]),
    )


def _tallies(questions, source, answers, origin) -> Iterator[tuple]:
    for row in questions.itertuples():
        if row.scenario in answers:
            counts, missing = tally(
                answers[row.scenario], row.score, origin=origin, question=row.scenario
            )
            yield row.scenario, source, counts, {"missing": missing}


def named_by_file(paths: list[str]) -> dict[str, str]:
    """Return the simulators' files by name, ``simulators/<name>.pkl``."""
    return {Path(path).name.removesuffix(".pkl"): path for path in paths}


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
