"""promptfoo: what providers score in tests, as JSON, as JSON Lines, or as a table.

A table has a column for each prompt and provider, with ``[PASS] (1.00)`` before each answer, or
with columns ``Status`` and ``Score`` behind it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fidelity_study.reading.tabular.exports.table import columns_of, numbered, rewritten
from fidelity_study.reading.tabular.files import Sheet

NEEDED = {"testIdx", "score", "success", "provider.id"}
VARIABLE, DESCRIPTION, NUMBER = "vars.", "testCase.description", "testIdx"
ERROR, OF_ERROR = "error", "2"
OUTPUT, AGAIN = re.compile(r"\[([^\]]+)\] (.*)", re.DOTALL), re.compile(r"\.\d+$")
GRADED = re.compile(r"\[(PASS|FAIL|ERROR)\] \((-?[\d.]+)[,)]")
PASSED = {"PASS": "true", "FAIL": "false", "ERROR": ERROR}


class Result(NamedTuple):
    """What a provider scores in a test.

    Attributes:
        row: the position of the test's row.
        provider: its label, or else its id.
        prompt: the label of the prompt.
        score: as text.
        passed: true, false, or that there was an error.
    """

    row: int
    provider: str
    prompt: str
    score: str
    passed: str


def records(whole: dict) -> list[dict] | None:
    """Return the results in an object that a file is; None if it has none."""
    results = whole.get("results")
    rows = results.get("results") if isinstance(results, dict) else None
    return rows if isinstance(rows, list) and all(isinstance(row, dict) for row in rows) else None


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a row for each result: the test, by its variables, who answers, and the score."""
    at = {name: place for place, name in enumerate(sheet.columns)}
    if {*at} >= NEEDED:
        tests = [name for name in at if name.startswith(VARIABLE) or name == DESCRIPTION]
        results = [*_of_records(sheet, at)]
    else:
        results = [*_of_outputs(sheet)]
        outputs = [place for name, place in at.items() if OUTPUT.fullmatch(name)]
        tests = [name for name, place in at.items() if place < min(outputs, default=0)]
    if not results:
        return None
    tests = tests or [NUMBER]
    cells = columns_of(sheet, [at[name] for name in tests])
    asked = [" | ".join(filter(None, row)) for row in zip(*cells, strict=True)]
    prompts = {(result.provider, result.prompt) for result in results}
    are_alone = len({provider for provider, _ in prompts}) == len(prompts)
    models = [one.provider if are_alone else f"{one.provider} | {one.prompt}" for one in results]
    of_result = [asked[result.row] for result in results]
    columns: dict[str, Sequence[str | None]] = {
        "test_case": of_result,
        "model": models,
        "epoch": numbered(zip(of_result, models, strict=True)),
        "test_score": [result.score for result in results],
        "passed": [result.passed for result in results],
    }
    for name, texts in zip(tests, cells, strict=True):
        named = f"{VARIABLE}{name.removeprefix(VARIABLE)}"
        columns[named] = [texts[result.row] for result in results]
    what = f"results of promptfoo: {len({*asked})} tests, by their variables; several results of a "
    what += "model in one are its samples"
    return rewritten(sheet, columns, what)


def _of_records(sheet: Sheet, at: Mapping[str, int]) -> Iterator[Result]:
    """Yield the results of a table with a row for each."""
    names = ("provider.label", "provider.id", "prompt.label", "failureReason", "score", "success")
    places = [at.get(name, at["score"]) for name in names]
    rows = zip(*columns_of(sheet, places), strict=True)
    for row, (label, provider, prompt, reason, score, passed) in enumerate(rows):
        is_error = "failureReason" in at and reason == OF_ERROR
        name = label if "provider.label" in at and label else provider
        scores = (ERROR, ERROR) if is_error else (score or "", passed or "")
        yield Result(row, name or "", " ".join((prompt or "").split()), *scores)


def _of_outputs(sheet: Sheet) -> Iterator[Result]:
    """Yield the results of a table with a row for each test."""
    names = [AGAIN.sub("", name) for name in sheet.columns]
    for place, name in enumerate(names):
        match = OUTPUT.fullmatch(name)
        if match is None:
            continue
        provider, prompt = match[1], " ".join(match[2].split())
        if names[place + 1 : place + 3] == ["Status", "Score"]:
            graded = [*zip(*columns_of(sheet, [place + 1, place + 2]), strict=True)]
        else:
            (texts,) = columns_of(sheet, [place])
            matches = [GRADED.match(text or "") for text in texts]
            graded = [match.groups() if match else (None, None) for match in matches]
        for row, (status, score) in enumerate(graded):
            passed = PASSED.get(status or "")
            if passed:
                scored = ERROR if passed == ERROR else f"{float(score or 'nan'):g}"
                yield Result(row, provider, prompt, scored, passed)
