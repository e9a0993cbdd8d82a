"""The pages that the code itself gives: tables of the registries, and lists of public names."""

import inspect
from collections.abc import Iterable
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import fidelity
from fidelity.registry import Registry
from fidelity.sets import meaningful

KINDS = ("binary", "ordinal", "categorical", "bounded", "real")


def pages() -> dict[str, str]:
    """Return the text of each page by its path: reStructuredText, as the docstrings are."""
    rooms = {
        each.name: import_module(f"fidelity.{each.name}")
        for each in iter_modules(fidelity.__path__)
        if each.ispkg
    }
    shown = [name for room in rooms.values() for name in getattr(room, "__all__", ())]
    alone = [name for name in fidelity.__all__ if name not in shown and name != "__version__"]
    return {
        "generated/discrepancies.inc": discrepancies(),
        "generated/confidence_sets.inc": confidence_sets(),
        "generated/pairs.inc": pairs(),
        "generated/details.inc": details(),
        "generated/fidelity.rst": room_page(fidelity, alone),
        **{
            f"generated/fidelity.{name}.rst": room_page(room, getattr(room, "__all__", ()))
            for name, room in rooms.items()
        },
    }


def discrepancies() -> str:
    """Return the table of discrepancies."""
    return table(
        ("Name", "Label", "Definition", "Outcome kinds"),
        [
            (linked(name, each), each.label, summary(each), ", ".join(kinds(name)))
            for name, each in fidelity.DISCREPANCIES.items()
        ],
    )


def kinds(discrepancy: str) -> list[str]:
    """Return the outcome kinds for which some set bounds a discrepancy."""
    return [kind for kind in KINDS if sets_for(discrepancy, kind)]


def sets_for(discrepancy: str, kind: str) -> list[str]:
    """Return the names of the sets that bound a discrepancy for an outcome kind."""
    return [name for name in fidelity.CONFIDENCE_SETS if meaningful(name, discrepancy, kind)]


def confidence_sets() -> str:
    """Return the table of confidence sets."""
    return table(
        ("Name", "Label", "Definition", "Outcome kinds", "Bounds", "Coverage γ is"),
        [
            (
                linked(name, each),
                each.label,
                summary(each),
                ", ".join(each.kinds),
                names(bounded_by(name)),
                each.guarantee,
            )
            for name, each in fidelity.CONFIDENCE_SETS.items()
        ],
    )


def bounded_by(confidence_set: str) -> list[str]:
    """Return the names of the discrepancies that a set bounds for some outcome kind."""
    return [
        name
        for name in fidelity.DISCREPANCIES
        if any(meaningful(confidence_set, name, kind) for kind in KINDS)
    ]


def pairs() -> str:
    """Return the table of the sets that bound each discrepancy, by outcome kind."""
    return table(
        ("Discrepancy", *KINDS),
        [
            (f"``{measure}``", *(names(sets_for(measure, kind)) for kind in KINDS))
            for measure in fidelity.DISCREPANCIES
        ],
    )


def linked(name: str, thing: object) -> str:
    """Return a name that leads to the docstring of its class."""
    return f":class:`{name} <{type(thing).__module__}.{type(thing).__qualname__}>`"


def details() -> str:
    """Return the docstrings of all discrepancies and confidence sets."""
    things = [*fidelity.DISCREPANCIES.values(), *fidelity.CONFIDENCE_SETS.values()]
    return "\n".join(
        f".. autoclass:: {type(each).__module__}.{type(each).__qualname__}\n" for each in things
    )


def names(these: Iterable[str]) -> str:
    """Return names of the code in one line."""
    return ", ".join(f"``{each}``" for each in these)


def summary(thing: object) -> str:
    """Return the first paragraph of a class's docstring, its formulas as they stand."""
    paragraph = inspect.getdoc(type(thing)).partition("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", r"\|")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table with a row of headings."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        first, *others = (f"- {cell}".rstrip() for cell in row)
        lines += [f"   * {first}", *(f"     {each}" for each in others)]
    return "\n".join(lines) + "\n"


def room_page(room: ModuleType, public: Iterable[str]) -> str:
    """Return a package's page: what it is for, its public names, and notes on its modules."""
    title = room.__name__
    lines = [title, "=" * len(title), "", f".. automodule:: {title}", "   :no-members:", ""]
    listed = [name for name in public if not isinstance(getattr(room, name), Registry)]
    if listed:
        lines += [".. currentmodule:: fidelity", ""]
        lines += [".. autosummary::", "   :toctree:", "   :nosignatures:", ""]
        lines += [f"   ~{place(name, room)}{name}" for name in listed] + [""]
    lines += ["Notes on its modules", "--------------------", ""]
    for each in iter_modules(room.__path__):
        if not each.ispkg:
            full = f"{title}.{each.name}"
            lines += [full, "^" * len(full), "", f".. automodule:: {full}", "   :no-members:", ""]
    return "\n".join(lines)


def place(name: str, room: ModuleType) -> str:
    """Return the subpackage to import a public name from; nothing if fidelity itself has it."""
    return "" if name in fidelity.__all__ else room.__name__.removeprefix("fidelity.") + "."
