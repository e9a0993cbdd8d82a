"""FaultsError of files: as many as can be found at once, each with the options that mend it."""

import re
from time import monotonic

from fidelity_study.errors import DataError
from fidelity_study.start.files import Files
from fidelity_study.start.look import Look, answers, labels_of, layout_of, look
from fidelity_study.start.remedies import Known, ignorable, in_place, missing_codes, options
from fidelity_study.start.request import Request

MOST, SECONDS = 30, 20
DATASET, COLUMN = re.compile(r"^datasets\.\w+\."), re.compile(r"^columns\.(\w+): ")


class FaultsError(DataError):
    """Several faults, and what is known of the files."""

    def __init__(self, messages: list[str], known: Known):
        """Keep both."""
        super().__init__("\n".join(messages))
        self.messages, self.known = messages, known


def understood(request: Request, files: Files) -> Look:
    """Read the files; where a column or a cell is a fault, go on without it to find the others.

    Raises:
        FaultsError: what is wrong. What is found after a fault of another sort may be its
            consequence, and is not told.
    """
    found: list[str] = []
    begun, tried = monotonic(), request
    while True:
        try:
            known = look(tried, files)
        except DataError as error:
            message = str(error)
        else:
            if not found:
                return known
            break
        without = tried.without(ignorable(message), missing_codes(message))
        if without == tried:
            found = found or message.splitlines()
            break
        found.append(message)
        tried = without
        if len(found) == MOST or monotonic() - begun > SECONDS:
            break
    raise FaultsError(found, _known(tried, files))


def told(messages: list[str], known: Known) -> str:
    """Return faults, one a line, and below them the options of ``start`` that mend them."""
    pairs = options(messages, known)
    messages = [_seen(message, known) for message in messages]
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


def _known(request: Request, files: Files) -> Known:
    given = (request.spelling.option("kind", request.kind),) if request.kind else ()
    return Known(tuple(files.sheets.values()), _labels(request, files), given, request.spelling)


def _labels(request: Request, files: Files) -> tuple[str, ...]:
    """Return the different answers, none if they cannot be read."""
    try:
        people, simulated = answers(request, files, layout_of(request))
    except DataError:
        return ()
    return tuple(labels_of([people, *simulated]))
