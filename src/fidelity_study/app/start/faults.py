"""Faults of files: as many as can be found at once, each with the options that mend it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic
from typing import Any

from fidelity_study.app.start.files import Files, read
from fidelity_study.app.start.kind import in_order
from fidelity_study.app.start.look import Look, answers, labels_of, layout_of, look
from fidelity_study.app.start.request import Request, proposed_columns
from fidelity_study.app.start.summary import of_files
from fidelity_study.app.start.syntax import OptionSyntax
from fidelity_study.errors import BLANK, DataError, Fault, Remedy
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import far
from fidelity_study.reading.tabular.reading_options import BY_KEY

MOST, SECONDS = 30, 20
MOST_STEPS = 21
LISTS = ("ignore", "missing")


class FaultsError(DataError):
    """Faults, and the options of a request that mend them."""

    def __init__(self, faults: Iterable[Fault], request: Request, labels: tuple[str, ...] = ()):
        """Keep all; ``labels`` are the different answers, as far as they are known."""
        super().__init__(*faults)
        self.request, self.labels = request, labels

    def __str__(self) -> str:
        """Return the faults as the user can mend them."""
        return told(self.faults, self.request, self.labels)


def understood(request: Request, say: Callable[[Iterable[str]], None]) -> Look:
    """Read the files; where a fault has a remedy, go on with it to find the others.

    Args:
        request: which files, and how to read them.
        say: takes what is said of the files' forms.

    Raises:
        FaultsError: what is wrong. What is found after a fault without a remedy may be its
            consequence, and is not told.
    """
    faults: list[Fault] = []
    begun, tried, files = monotonic(), request, None
    while True:
        try:
            layout = layout_of(tried)
            files = read(tried, layout)
            if tried is request:
                say(of_files(request, files, layout))
            known = look(tried, files)
        except DataError as error:
            more = list(error.faults)
        else:
            if not faults:
                return known
            break
        fixed = tried.with_fixes([remedy for each in more for remedy in each.remedies])
        if fixed == tried:
            faults = faults or more
            break
        faults += more
        tried = fixed
        if len(faults) >= MOST or monotonic() - begun > SECONDS:
            break
    raise FaultsError(faults, request, _labels(tried, files))


def told(faults: Sequence[Fault], request: Request, labels: Sequence[str] = ()) -> str:
    """Return faults, one a line, and below them the options of ``start`` that mend them.

    Args:
        faults: what is wrong.
        request: what was asked; its syntax writes the options.
        labels: the different answers, as far as they are known.
    """
    syntax = request.syntax
    lines = syntax.together(faults)
    pairs = list(dict.fromkeys(_options(faults, request, labels)))
    if not pairs:
        return "\n".join(lines)
    width = max(len(option) for option, _ in pairs)
    options = [f"  {option:<{width}}  {purpose}".rstrip() for option, purpose in pairs]
    return "\n".join([*lines, "", f"As {syntax.those}, each where it is right:", *options])


def _options(
    faults: Sequence[Fault], request: Request, labels: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield the options that faults propose, each with its purpose.

    Columns to ignore, and cells that are no answers, are together in one. Of a column that may be
    read or not, only the option that reads it is there.
    """
    syntax = request.syntax
    remedies = [remedy for each in faults for remedy in each.remedies if remedy.is_offered]
    lists: dict[str, dict[Any, None]] = {key: {} for key in LISTS}
    for remedy in remedies:
        for key, value in _settings(remedy, labels):
            if key in lists and remedy.is_sure:
                lists[key] |= dict.fromkeys(value)
            elif key != "outcome.kind" or value != request["kind"]:
                yield _written(syntax, remedy, key, value), syntax.purpose(key, remedy.why)
    for each in faults:
        for name in proposed_columns(each.remedies).values():
            lists["ignore"].pop(name, None)
    for key, values in lists.items():
        if values:
            yield syntax.option(key, list(values)), syntax.purpose(key, "")


def _settings(remedy: Remedy, labels: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield what a remedy sets by options, with a likely value where it is left to the user."""
    for key, value in remedy.settings.items():
        if key == "outcome.bounds" and remedy.settings.get("outcome.kind") == "bounded":
            continue
        if key in BY_KEY:
            likely = levels_of(labels) if key == "outcome.levels" else remedy.likely
            yield key, likely if value in (BLANK, [BLANK]) else value


def _written(syntax: OptionSyntax, remedy: Remedy, key: str, value: Any) -> str:
    if key == "outcome.kind" and "outcome.bounds" in remedy.settings:
        return syntax.kind(value)
    return syntax.written(BY_KEY[key], value)


def levels_of(labels: Sequence[str]) -> Any:
    """Return the likely options: those that were chosen, and what is between; ``...`` of words."""
    labels = in_order(set(labels))
    numbers = _numbers(labels)
    if 2 * len(numbers) > len(labels):
        codes = far(numbers)
        labels = [each for each in labels if as_number(each) is not None and each not in codes]
        numbers = _numbers(labels)
    if len(numbers) < len(labels):
        return BLANK  # the order of words is the user's to say
    if numbers and all(each % 1 == 0 for each in numbers):
        steps = range(int(numbers[0]), int(numbers[-1]) + 1)
        labels = [str(step) for step in steps] if len(steps) <= MOST_STEPS else labels
    return labels if 2 <= len(labels) <= MOST_STEPS else BLANK


def _numbers(labels: Iterable[str]) -> list[float]:
    return [number for label in labels if (number := as_number(label)) is not None]


def _labels(request: Request, files: Files | None) -> tuple[str, ...]:
    """Return the different answers, none if they cannot be read."""
    if files is None:
        return ()
    try:
        people, simulated = answers(request, files, layout_of(request))
    except DataError:
        return ()
    return tuple(labels_of([people, *simulated]))
