"""Names in messages: the first few of many."""

from collections.abc import Callable, Iterable

MOST_SHOWN = 10


def shown(names: Iterable[str], most: int = MOST_SHOWN, how: Callable[[str], str] = repr) -> str:
    """Return the first names, each as ``how`` writes it, and how many more there are."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(how, names[:most])) + more
