"""The one exception for what a user can mend, and how several of them are told at once."""

from collections.abc import Iterator
from contextlib import contextmanager


class DataError(ValueError):
    """Something in the user's data or config is wrong; the message says where and what to do.

    Scripts print it without a traceback and end with exit code 1.
    """


class Faults:
    """What several checks refuse, to be told in one answer.

    Attributes:
        told: the faults so far, one line each.
    """

    def __init__(self) -> None:
        """Start with none."""
        self.told: list[str] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keep what is refused inside, and go on."""
        try:
            yield
        except DataError as error:
            self.told += str(error).splitlines()

    def refuse(self) -> None:
        """Raise DataError with all faults, if there are any."""
        if self.told:
            raise DataError("\n".join(dict.fromkeys(self.told)))
