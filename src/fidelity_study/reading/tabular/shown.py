"""Names in messages: the first few of many."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches

from fidelity_study.errors import shortened

MOST_SHOWN, LONGEST = 10, 100


def shown(names: Iterable[str], most: int = MOST_SHOWN, how: Callable[[str], str] = repr) -> str:
    """Return the first names, each as ``how`` writes it, and how many more there are.

    Of several long ones, such as whole prompts, their beginnings.
    """
    names = list(names)
    if names[1:]:
        names = [shortened(name, LONGEST) if isinstance(name, str) else name for name in names]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(how, names[:most])) + more


def meant(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """Say which of some names may be meant, or else ``otherwise``, by default which there are."""
    known = list(names)
    close = get_close_matches(name, known, n=1)
    hint = otherwise or f"there are: {shown(known, how=str)}"
    return f"did you mean {close[0]!r}?" if close else hint
