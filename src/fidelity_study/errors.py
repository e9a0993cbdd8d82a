"""The one exception for what a user can mend, and how several of them are told at once."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches


class DataError(ValueError):
    """Something in the user's data or config is wrong; the message says where and what to do.

    Scripts print it without a traceback and end with exit code 1.
    """


def there_are(name: object, names: Iterable[str]) -> str:
    """Say which name may be meant, or else which there are."""
    known = list(names)
    guess = get_close_matches(str(name), known, n=1)
    return f"did you mean {guess[0]}?" if guess else f"there are: {', '.join(known) or 'none'}"


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
