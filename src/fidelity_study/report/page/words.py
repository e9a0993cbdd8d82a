"""Names in the page's sentences.

A name from the config or the data is put between two invisible marks, which templates turn into
bold type: :func:`html` and :func:`markdown` escape everything else.
"""

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

OPEN, CLOSE = "\u2068", "\u2069"
MARKED = re.compile(f"{OPEN}(.*?){CLOSE}", re.DOTALL)
MARKS = str.maketrans("", "", OPEN + CLOSE)
PERCENT = re.compile(r"(?<=\d) %")
ACTING = re.compile(
    r"[\\`*\[<~$@]"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|(?<![^\s#])#|&(?=#|\w+;)"
    r"|[{](?={)|(?<={)[{]|[}](?=})|(?<=})[}]|=(?==)|(?<==)="
    r"|^[>=]|^[-+](?=\s)"
)


def named(name: str) -> str:
    """Mark a name, to be set in bold."""
    return f"{OPEN}{plain(name)}{CLOSE}"


def plain(text: str) -> str:
    """Return a text from data or config without the marks of names, on one line."""
    return " ".join(text.translate(MARKS).split())


def html(sentence: str) -> Markup:
    """Return a sentence as HTML."""
    return Markup(MARKED.sub(r'<b translate="no">\1</b>', str(escape(unbroken(sentence)))))


def unbroken(text: str) -> str:
    """Return a text in which no line ends between a number and its per cent sign."""
    return PERCENT.sub("\u00a0%", text)


def markdown(sentence: str) -> str:
    """Return a sentence as Markdown, where nothing from data can act as markup."""
    return MARKED.sub(r"**\1**", ACTING.sub(r"\\\g<0>", sentence))


def cell(sentence: str) -> str:
    """Return a sentence as a cell of a table in Markdown."""
    return markdown(sentence).replace("|", "\\|")


def quoted(text: str) -> str:
    """Return a text of several lines as Markdown shows it unchanged: indented."""
    return "\n".join(f"    {line}" for line in text.translate(MARKS).splitlines())


def listed(names: Sequence[str], last: str = "and", most: int | None = None) -> str:
    """Return names as "a, b and c"; of many only the first ones, and the number of others."""
    shown = list(names)
    if most is not None and len(shown) > most:
        shown = [*shown[: most - 1], f"{len(names) - most + 1} others"]
    return f" {last} ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
