"""Discrepancies, sets and baselines by name: each is registered where it is defined."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing")


class Registry(Mapping[str, Thing], Generic[Thing]):
    """Things by their name: those that a package's modules define, and those that users add.

    A class with a ``name`` that is decorated with :meth:`add` is in it. The package's modules are
    imported when the first name is looked up.

    Args:
        kind: a word for one of them, for messages.
        base: the class of all of them.
        package: the package whose modules define the built-in ones.

    Examples:
        >>> from fidelity import BASELINES, CONFIDENCE_SETS, DISCREPANCIES
        >>> DISCREPANCIES["tv"].label
        'total variation'
        >>> "pooled" in BASELINES
        True
        >>> [name for name, each in CONFIDENCE_SETS.items() if each.guarantee == "approximate"]
        ['bootstrap_bca', 'bootstrap_percentile']
    """

    def __init__(self, kind: str, base: type[object], package: str):
        """Start with nothing."""
        self.kind = kind
        self.base = base
        self.package = package
        self._things: dict[str, Thing] = {}
        self._complete = False

    def add(self, cls: Any) -> Any:
        """Add a thing of this class under its name.

        Raises:
            TypeError: if the class is not derived from ``base``.
            ValueError: if another class has the name.
        """
        if self.base not in cls.__mro__:
            raise TypeError(f"{cls!r} is no {self.kind}; derive it from {self.base.__qualname__}")
        built_in = self._is_built_in(cls)
        there = (self._things if built_in else self._all()).get(cls.name)
        owner = cls if there is None else type(there)
        is_again = owner.__qualname__ == cls.__qualname__ and self._is_built_in(owner) == built_in
        if not is_again:
            raise ValueError(f"{cls.name!r} is the name of {owner.__qualname__} already")
        self._things[cls.name] = cls()
        return cls

    def _is_built_in(self, cls: type[object]) -> bool:
        return cls.__module__.startswith(f"{self.package}.")

    def of(self, thing: str | Thing) -> Thing:
        """Return a thing, or that of a name; ValueError lists the names there are."""
        if isinstance(thing, str):
            if thing in self:
                return self[thing]
        elif isinstance(thing, self.base):
            return thing
        raise ValueError(f"unknown {self.kind} {thing!r}; there are: {', '.join(self)}")

    def __getitem__(self, name: str) -> Thing:
        """Return the thing of a name."""
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names in alphabetical order, for any order of imports."""
        return iter(sorted(self._all()))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._all())

    def _all(self) -> dict[str, Thing]:
        if not self._complete:
            self._complete = True
            for module in iter_modules(import_module(self.package).__path__):
                import_module(f"{self.package}.{module.name}")
        return self._things
