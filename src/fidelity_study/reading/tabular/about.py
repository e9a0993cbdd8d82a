"""Information on a column that a file holds besides its cells."""

from dataclasses import dataclass


@dataclass(frozen=True)
class About:
    """Information on a column of answers that its file holds besides the cells.

    Attributes:
        wording: of the question, or None.
        options: the labels of all options in their order; none if the file doesn't say them.
        ends: the smallest and largest number that could be answered, or None.
        is_ordinal: whether the file says that the options have an order.
    """

    wording: str | None = None
    options: tuple[str, ...] = ()
    ends: tuple[float, float] | None = None
    is_ordinal: bool = False
