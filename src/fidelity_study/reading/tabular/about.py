"""Information on a column that a file holds besides its cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class About:
    """Information on a column of answers that its file holds besides the cells.

    Attributes:
        wording: of the question, or None.
        options: the labels of all options in their order; none if the file doesn't say them.
        ends: the smallest and largest number that could be answered, or None.
        is_ordinal: whether the file says that the options have an order.
        labels: the label of each code that is an answer, empty where it has none.
        by_code: whether these codes are the answers.
        missing: the label of each code that is no answer, empty where it has none.
    """

    wording: str | None = None
    options: tuple[str, ...] = ()
    ends: tuple[float, float] | None = None
    is_ordinal: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    by_code: bool = False
    missing: Mapping[str, str] = field(default_factory=dict)
