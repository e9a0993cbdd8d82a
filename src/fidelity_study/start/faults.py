"""Faults of files: as many as can be found at once, each with the options that mend it."""

import re
from collections.abc import Callable, Iterable
from time import monotonic

from fidelity_study.errors import DataError
from fidelity_study.start.files import Files, read
from fidelity_study.start.look import Look, answers, labels_of, layout_of, look
from fidelity_study.start.remedies import (
    Known,
    columns_of,
    ignorable,
    in_place,
    missing_codes,
    options,
    probabilities_of,
    recoded,
    separator_of,
    together,
)
from fidelity_study.start.request import Request
from fidelity_study.start.summary import of_files

MOST, SECONDS = 30, 20
DATASET, COLUMN = re.compile(r"^datasets\.\w+\."), re.compile(r"^columns\.(\w+): ")


class FaultsError(DataError):
    """Several faults, and the facts known of the files."""

    def __init__(self, messages: list[str], known: Known):
        """Keep both."""
        super().__init__("\n".join(messages))
        self.messages, self.known = messages, known


def understood(request: Request, say: Callable[[Iterable[str]], None]) -> Look:
    """Read the files; where a fault has a remedy, go on with it to find the others.

    Args:
        request: which files, and how to read them.
        say: takes what is said of the files' forms.

    Raises:
        FaultsError: what is wrong. What is found after a fault without a remedy may be its
            consequence, and is not told.
    """
    found: list[str] = []
    begun, tried, files = monotonic(), request, None
    while True:
        try:
            layout = layout_of(tried)
            files = read(tried, layout)
            if tried is request:
                say(of_files(request, files, layout))
            known = look(tried, files)
        except DataError as error:
            message = str(error)
        else:
            if not found:
                return known
            break
        mended = tried.mended(
            ignorable(message),
            missing_codes(message),
            columns_of(message),
            recoded(message),
            separator_of(message),
            probabilities_of(message),
            predict="predict: {}" in message,
        )
        if mended == tried:
            found = found or message.splitlines()
            break
        found += message.splitlines()
        tried = mended
        if len(found) >= MOST or monotonic() - begun > SECONDS:
            break
    raise FaultsError(found, _known(tried, files))


def told(messages: list[str], known: Known) -> str:
    """Return faults, one a line, and below them the options of ``start`` that mend them."""
    pairs = options(messages, known)
    messages = together(_seen(message, known) for message in messages)
    if not pairs:
        return "\n".join(messages)
    width = max(len(option) for option, _ in pairs)
    lines = [f"  {option:<{width}}  {_purpose(key, known)}".rstrip() for option, key in pairs]
    return "\n".join([*messages, "", f"As {known.spelling.those}, each where it is right:", *lines])


def _purpose(key: str, known: Known) -> str:
    """Return which key of the messages an option stands for, or where they have it, only why."""
    return key.partition(", ")[2] if known.spelling.in_place else f"for {key}"


def _seen(message: str, known: Known) -> str:
    """Return a fault with options in place of keys of a config, as far as its spelling wants it."""
    message = DATASET.sub("", message)
    message = COLUMN.sub(lambda found: f"{known.spelling.name(found[1])}: ", message)
    return in_place(message, known) if known.spelling.in_place else message


def _known(request: Request, files: Files | None) -> Known:
    given = (request.spelling.option("kind", request.kind),) if request.kind else ()
    if files is None:
        return Known(given=given, spelling=request.spelling)
    return Known(tuple(files.sheets.values()), _labels(request, files), given, request.spelling)


def _labels(request: Request, files: Files) -> tuple[str, ...]:
    """Return the different answers, none if they cannot be read."""
    try:
        people, simulated = answers(request, files, layout_of(request))
    except DataError:
        return ()
    return tuple(labels_of([people, *simulated]))
