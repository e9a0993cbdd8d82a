"""Arguments of public functions, checked and lined up.

Numbers come as lists, arrays of any type of number, masked arrays or labelled tables (anything with
``index`` and ``columns``, such as pandas' DataFrame and Series). Masked entries, None and NA count
as missing, like NaN. float32 and float16 are read as the decimals that they print as: .3 is .3.

Labels decide where there are any. Among arguments that belong together, all labelled ones are put
in the order of the first labelled one, and the result is an array in that order. Sets of labels
that differ are refused. Arguments without labels go by position.

Every refusal is a ValueError or TypeError with the name of the argument, the allowed values and the
value found.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fidelity.arrays import BoolArray, FloatArray, IntArray
from fidelity.levels import ExactLevels, rational

Kind = TypeVar("Kind")

SUM_TOLERANCE = 1e-6
WHOLE_TOLERANCE = 1e-9
FLOAT = np.dtype(float)
SHOWN = 3


class Domain(NamedTuple):
    """Which numbers are allowed: one and several in words, and a test of each.

    Those of an interval without NaN are all allowed if the smallest and the largest are.
    """

    one: str
    many: str
    holds: Callable[[Any], Any]
    is_interval: bool = False


def _domain(where: str, holds: Callable[[Any], Any], adjective: str = "") -> Domain:
    one, many = f"a {adjective}number{where}", f"{adjective}numbers{where}"
    return Domain(one, many, holds, is_interval=not holds(np.nan))


REAL = _domain(" other than NaN", lambda x: x == x)
FINITE = _domain("", np.isfinite, "finite ")
NOT_NEGATIVE = _domain(" of at least 0", lambda x: x >= 0)
FINITE_NOT_NEGATIVE = _domain(" of at least 0", lambda x: (x >= 0) & (x < np.inf), "finite ")
NOT_NEGATIVE_OR_UNKNOWN = _domain(
    " of at least 0, NaN where it is not known", lambda x: (x != x) | (x >= 0)
)
POSITIVE = _domain("", lambda x: x > 0, "positive ")
FINITE_POSITIVE = _domain("", lambda x: (x > 0) & (x < np.inf), "positive finite ")
UNIT = _domain(" in [0, 1]", lambda x: (x >= 0) & (x <= 1))
SHARE = _domain(" in [0, 1]", lambda x: (x >= 0) & (x <= 1 + SUM_TOLERANCE))
SHARE_OR_NOTHING = _domain(
    " in [0, 1], NaN where there is no such option", lambda x: (x != x) | SHARE.holds(x)
)
FINITE_OR_NOTHING = _domain(
    ", NaN where there is no such option", lambda x: (x != x) | (abs(x) < np.inf), "finite "
)
COUNTS = _domain(
    " of at least 0, NaN where there is no such option",
    lambda x: (x != x) | ((x >= 0) & (x < np.inf)),
    "finite ",
)
TRUE_OR_FALSE = Domain(
    "0 or 1 (False or True)", "entries 0 or 1 (False or True)", lambda x: (x == 0) | (x == 1)
)
INSIDE = _domain(" strictly between 0 and 1", lambda x: (x > 0) & (x < 1))
ABOVE_ZERO = _domain(" in (0, 1]", lambda x: (x > 0) & (x <= 1))
BELOW_ONE = _domain(" in [0, 1)", lambda x: (x >= 0) & (x < 1))


def aligned(*, across: tuple[str, ...] = (), columns: bool = True, **arguments: Any) -> list[Any]:
    """Return the arguments in their order, the labelled ones as arrays that are lined up.

    Args:
        across: names of the arguments that, if they are vectors, have an entry per column of the
            tables, as options' scores do.
        columns: whether tables have the same columns.
        arguments: vectors and tables, labelled or not, whose rows are scenarios (or cases). None
            and single numbers pass.

    Raises:
        ValueError: if two sets of labels differ, or labels repeat and stand in another order.
    """
    return Lineup().add(across=across, columns=columns, **arguments)


class Lineup:
    """The labels of rows and columns, in the order of the first argument that has any."""

    def __init__(self) -> None:
        """Start without labels."""
        self.rows, self.columns = _Order("row"), _Order("column")

    def add(
        self, *, across: tuple[str, ...] = (), columns: bool = True, **arguments: Any
    ) -> list[Any]:
        """Return the arguments in order, as :func:`aligned`."""
        lined_up = []
        for name, values in arguments.items():
            index, heads = _labels(values, "index"), _labels(values, "columns")
            if name in across and axes(name, values) == 1:
                index, heads = None, index
            if index is not None:
                values = _unlabelled(name, values).take(self.rows.places(name, index), 0)
            if heads is not None and columns:
                values = _unlabelled(name, values).take(self.columns.places(name, heads), -1)
            lined_up.append(values)
        return lined_up

    def copy(self) -> "Lineup":
        """Return one with the same labels, to which others can be added."""
        lineup = Lineup()
        lineup.rows.first, lineup.columns.first = self.rows.first, self.columns.first
        return lineup


class _Order:
    """The labels of rows or columns in the order of the first argument that has any."""

    def __init__(self, axis: str):
        self.axis = axis
        self.first: tuple[str, list[Any]] | None = None

    def places(self, name: str, labels: list[Any]) -> IntArray:
        """Return where the labels of the first argument stand among those of this one."""
        if self.first is None:
            self.first = name, labels
        first, wanted = self.first
        if labels == wanted:
            return np.arange(len(labels))
        place = {label: i for i, label in enumerate(labels)}
        odd = sorted(map(repr, set(labels) ^ set(wanted)))
        if odd:
            raise ValueError(
                f"{name} must have the same {self.axis} labels as {first}; only one of them has "
                f"{', '.join(odd[:SHOWN])}{', ...' if len(odd) > SHOWN else ''} (arrays without "
                "labels go by position)"
            )
        if not len(place) == len(labels) == len(wanted):
            raise ValueError(
                f"{name} must have the {self.axis} labels of {first} in the same order, "
                "since some of them repeat"
            )
        return np.array([place[label] for label in wanted])


def _labels(values: Any, axis: str) -> list[Any] | None:
    """Return the labels of a table's rows or columns, None if it has none; pandas isn't needed."""
    labels = getattr(values, axis, None)
    if labels is None or callable(labels):
        return None
    labels = list(labels)
    return labels if all(getattr(label, "__hash__", None) for label in labels) else None


def _unlabelled(name: str, values: Any) -> NDArray[Any]:
    """Return a labelled table as an array; entries that are missing become NaN or None."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must have rows of equal length") from None
    if array.dtype.kind == "O" and hasattr(values, "isna"):
        array = array.copy()
        array[np.asarray(values.isna())] = None
    return array


def axes(name: str, values: Any) -> int:
    """Return 0 for one number, 1 for a vector, 2 for a table."""
    return _unlabelled(name, values).ndim


def array(name: str, values: Any) -> FloatArray:
    """Return numbers as an array of floats; missing entries become NaN.

    Raises:
        TypeError: if there is anything other than numbers.
        ValueError: if rows have different lengths.
    """
    if type(values) is np.ndarray and values.dtype == FLOAT:
        return values
    missing = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    numbers = _unlabelled(name, values)
    if numbers.dtype.kind == "O":
        if part := next((part for part in ("counts", "shares") if hasattr(values, part)), None):
            raise TypeError(
                f"{name} must be numbers, not {type(values).__name__}: give its .{part}"
            )
        numbers = _from_objects(name, numbers)
    elif numbers.dtype.kind not in "fiub":
        kind = f"entries of type {numbers.dtype}" if numbers.ndim else repr(values)
        raise TypeError(f"{name} must be numbers, not {kind}")
    if numbers.dtype.kind == "f" and numbers.dtype.itemsize < 8:
        numbers = _as_printed(numbers)
    numbers = numbers.astype(float)
    if missing is not None and missing.any():
        numbers = np.where(missing, np.nan, numbers)
    return numbers


def _from_objects(name: str, entries: NDArray[Any]) -> FloatArray:
    numbers = np.empty(entries.shape)
    for place, value in np.ndenumerate(entries):
        if value is None and entries.ndim:
            value = np.nan
        if not isinstance(value, Real | Decimal | np.bool_):
            raise TypeError(f"{name} must be numbers; {_at(name, place)} is {value!r}")
        numbers[place] = float(value)
    return numbers


def _as_printed(values: NDArray[np.floating]) -> FloatArray:
    """Return the decimals with as many digits as the type holds, if they give the same number."""
    wide = values.astype(float)
    digits = np.finfo(values.dtype).precision
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scale = 10.0 ** (digits - np.floor(np.log10(np.abs(wide))))
        decimal = np.rint(wide * scale) / scale
        same = (decimal.astype(values.dtype) == values) & (wide % 1 != 0)
    return np.where(same, decimal, wide)


def _at(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]" if place else "it"


def _within(name: str, values: FloatArray, domain: Domain, what: str) -> FloatArray:
    """Return the numbers; ValueError names the first one that is not allowed."""
    if domain.is_interval and values.size:  # two numbers tell, without temporary arrays
        ends = (values.min(), values.max()) if values.ndim else (values,)
        if all(domain.holds(end) for end in ends):
            return values
    allowed = domain.holds(values)
    if not np.all(allowed):
        place = tuple(np.argwhere(~allowed)[0])
        raise ValueError(f"{name} must be {what}; {_at(name, place)} is {values[place]:.9g}")
    return values


def number(name: str, value: Any, domain: Domain) -> float:
    """Return one number."""
    entry = array(name, value)
    if entry.ndim != 0:
        raise ValueError(f"{name} must be {domain.one}, not an array of shape {entry.shape}")
    return float(_within(name, entry, domain, domain.one))


def vector(name: str, values: Any, domain: Domain, m: int | None = None) -> FloatArray:
    """Return a vector, (m,); of any length but 0 if m is not given."""
    entries = array(name, values)
    what = f"a vector of {'' if m is None else f'{m} '}{domain.many}"
    if entries.ndim != 1 or len(entries) == 0 or m not in (None, len(entries)):
        raise ValueError(f"{name} must be {what}, not of shape {entries.shape}")
    return _within(name, entries, domain, what)


def each(name: str, values: Any, domain: Domain, m: int) -> FloatArray:
    """Return one number for each of m rows, (m,), from one or m."""
    entries = array(name, values)
    what = f"{domain.one}, or a vector of {m}"
    if entries.shape not in ((), (m,)):
        raise ValueError(f"{name} must be {what}, not of shape {entries.shape}")
    return np.broadcast_to(_within(name, entries, domain, what), m)


def numbers(name: str, values: Any, domain: Domain) -> FloatArray:
    """Return numbers in an array of any shape, none if it has none."""
    return _within(name, array(name, values), domain, domain.many)


def broadcast(**arrays: FloatArray) -> tuple[FloatArray, ...]:
    """Return arrays broadcast to one shape."""
    try:
        return np.broadcast_arrays(*arrays.values())
    except ValueError:
        shapes = " and ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes must fit together, not {shapes}") from None


def mixture(name: str, values: Any, m: int | None = None) -> FloatArray:
    """Return weights as shares of their sum, (m,)."""
    weights = vector(name, values, FINITE_NOT_NEGATIVE, m)
    if not weights.any():
        raise ValueError(f"{name} must have a number above 0; all are 0")
    return weights / weights.sum()


def one_or_more(name: str, values: Any, domain: Domain) -> FloatArray:
    """Return one number, (), or a vector, (m,)."""
    entries = array(name, values)
    if entries.ndim > 1 or entries.size == 0:
        raise ValueError(f"{name} must be {domain.one}, or a vector, not of shape {entries.shape}")
    return _within(name, entries, domain, domain.one if entries.ndim == 0 else domain.many)


def table(name: str, values: Any, domain: Domain, shape: tuple[int | str, int | str]) -> FloatArray:
    """Return a table; where its ``shape`` has a word, any number but 0 is allowed."""
    entries = array(name, values)
    what = f"a table of {domain.many}, ({shape[0]}, {shape[1]})"
    fits = entries.ndim == 2 and all(
        have > 0 if isinstance(size, str) else have == size
        for size, have in zip(shape, entries.shape, strict=True)
    )
    if not fits:
        raise ValueError(f"{name} must be {what}, not of shape {entries.shape}")
    return _within(name, entries, domain, what)


def square(name: str, values: Any) -> FloatArray:
    """Return a table of truth values of pairs; labelled columns in the order of the rows."""
    index, heads = _labels(values, "index"), _labels(values, "columns")
    if index is not None and heads is not None:
        order = _Order("row and column")
        order.places(f"rows of {name}", index)
        values = _unlabelled(name, values).take(order.places(f"columns of {name}", heads), 1)
    entries = table(name, values, TRUE_OR_FALSE, ("simulators", "simulators"))
    if entries.shape[0] != entries.shape[1]:
        raise ValueError(f"{name} must have as many rows as columns, not the shape {entries.shape}")
    return entries


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return a whole number in low..high."""
    entry = array(name, value)
    least = entry.ndim == 0 and entry >= low and entry % 1 == 0
    if not least or (high is not None and entry > high):
        allowed = f"of at least {low}" if high is None else f"in {low}..{high}"
        shown = f"{entry:.9g}" if entry.ndim == 0 else f"an array of shape {entry.shape}"
        raise ValueError(f"{name} must be a whole number {allowed}, not {shown}")
    return int(entry)


def level(name: str, value: Any, domain: Domain = UNIT) -> Fraction:
    """Return the exact rational that a level stands for: a number, a string or a Fraction."""
    value = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    known = isinstance(value, str | Real | Decimal)
    try:
        fraction = rational(value) if known else None
    except (ValueError, OverflowError, ZeroDivisionError):
        fraction = None
    if fraction is None or not domain.holds(fraction):
        raise ValueError(f"{name} must be {domain.one}, not {value!r}")
    return fraction


def levels(name: str, values: Any, domain: Domain = UNIT) -> ExactLevels:
    """Return one or more levels."""
    if isinstance(values, ExactLevels) and domain is UNIT:
        return values
    one = isinstance(values, str | Fraction)
    listed = [values] if one else np.atleast_1d(_unlabelled(name, values))
    if len(listed) == 0 or axes(name, listed) > 1:
        raise ValueError(
            f"{name} must be {domain.one}, or several, not of shape {np.shape(listed)}"
        )
    if np.ma.is_masked(values):
        raise ValueError(f"{name} must be {domain.one}, or several, none of them missing (masked)")
    return ExactLevels(level(name, value, domain) for value in listed)


def labels(name: str, values: Any, m: int | None = None) -> NDArray[Any]:
    """Return one label per row, (m,), none of them missing, of one type that can be sorted."""
    column = _unlabelled(name, values)
    what = f"a vector of {'' if m is None else f'{m} '}labels, one per row"
    if column.ndim != 1 or len(column) == 0 or m not in (None, len(column)):
        raise ValueError(f"{name} must be {what}, not of shape {column.shape}")
    mixed = isinstance(values, list | tuple) or column.dtype.kind == "O"
    entries = values if isinstance(values, list | tuple) else column.tolist() if mixed else []
    missing = any(entry is None or entry != entry for entry in entries)
    can_miss = not mixed and column.dtype.kind in "fcmM"
    if missing or np.ma.is_masked(values) or (can_miss and (column != column).any()):
        raise ValueError(f"{name} must be {what}, none of them missing (NaN)")
    kinds = {Real if isinstance(entry, Real) else type(entry) for entry in entries}
    if len(kinds) > 1:
        listed = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise TypeError(f"{name} must be {what}, all of one type, not of several ({listed})")
    return column


def numbered(labels: NDArray[Any]) -> tuple[NDArray[Any], IntArray, IntArray]:
    """Return the different labels in order, the place of each row's among them, and their rows.

    As :func:`numpy.unique`, without its sorting where labels are whole numbers near each other.
    """
    if labels.dtype.kind in "iu":
        low, high = labels.min(), labels.max()
        if int(high) - int(low) <= 2 * len(labels):
            place = labels.astype(np.int64) - low.astype(np.int64)
            rows = np.bincount(place)
            if rows.all():
                return np.arange(len(rows)).astype(labels.dtype) + low, place, rows
            distinct = np.flatnonzero(rows)
            number = np.cumsum(rows > 0) - 1
            return distinct.astype(labels.dtype) + low, number[place], rows[distinct]
    distinct, member, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return distinct, member, sizes


def optional_labels(name: str, values: Any, m: int) -> NDArray[Any] | None:
    """Return one label per row, or None."""
    return None if values is None else labels(name, values, m)


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return one of several names."""
    allowed = list(allowed)
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    return value


def instance(name: str, value: Any, kind: type[Kind], made_by: str) -> Kind:
    """Return an object that another function made."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be what {made_by} returns, not {type(value).__name__}")
    return value


def generator(name: str, value: Any) -> np.random.Generator:
    """Return a source of randomness."""
    if not isinstance(value, np.random.Generator):
        raise TypeError(
            f"{name} must be a numpy.random.Generator, such as numpy.random.default_rng(0), "
            f"not {type(value).__name__}"
        )
    return value


def generators(name: str, value: Any, m: int) -> list[np.random.Generator]:
    """Return a source of randomness for each of m rows, which may share one."""
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str):
        if len(value) != m:
            raise ValueError(f"{name} must be one generator or {m}, not {len(value)}")
        return [generator(name, source) for source in value]
    return [generator(name, value)] * m


def answered(name: str, values: Any) -> FloatArray:
    """Return counts of answers, (m, d), at least one in every scenario."""
    counts = table(name, values, FINITE_NOT_NEGATIVE, ("scenarios", "options"))
    nobody = counts.sum(1) == 0
    if nobody.any():
        raise ValueError(
            f"{name} must have at least one answer in each scenario; row {nobody.argmax()} has none"
        )
    return counts


def sized(name: str, counts: FloatArray, sizes_name: str, sizes: Any) -> FloatArray:
    """Return counts that add up to the sizes; without sizes the counts, which must be whole.

    NaN stand for options that don't exist.
    """
    if sizes is None:
        instead = (
            f"Of shares or weighted counts give {sizes_name} too: how many people answered, or "
            "with survey weights w the effective number (Σw)²/Σw²"
        )
        return whole_counts(name, counts, instead)
    sizes = each(sizes_name, sizes, FINITE_POSITIVE, len(counts))
    total = np.nansum(counts, axis=1)
    if not total.all():
        raise ValueError(f"{name} must have at least one number above 0 in row {total.argmin()}")
    return counts * (sizes / total)[:, None]


def whole_counts(name: str, counts: FloatArray, instead: str) -> FloatArray:
    """Return counts as whole numbers; ``instead`` tells what to do with others. NaN are kept."""
    rounded = np.rint(counts)
    off = np.abs(counts - rounded) > WHOLE_TOLERANCE * np.maximum(counts, 1.0)
    if off.any():
        place = tuple(np.argwhere(off)[0])
        raise ValueError(
            f"{name} must be whole numbers of answers; {_at(name, place)} is "
            f"{counts[place]:.9g}. {instead}"
        )
    return rounded


def probabilities(
    name: str, values: Any, shape: tuple[int | str, int | str] | None = None
) -> FloatArray:
    """Return the options' probabilities of one or more scenarios, (d,) or (m, d).

    NaN stand for options that a scenario does not have, where no shape is given.
    """
    if shape is not None:
        return sums_to_one(name, np.minimum(table(name, values, SHARE, shape), 1.0))
    entries = array(name, values)
    what = f"a table of {SHARE.many}, (scenarios, options), or one row of it"
    if entries.ndim not in (1, 2) or 0 in entries.shape:
        raise ValueError(f"{name} must be {what}, not of shape {entries.shape}")
    return sums_to_one(name, np.minimum(_within(name, entries, SHARE_OR_NOTHING, what), 1.0))


def options_of(first: str, table: FloatArray, others: dict[str, FloatArray]) -> BoolArray:
    """Return which options each scenario has, (m, d): those that are not NaN, the same in all.

    Raises:
        ValueError: if an option is NaN in one table and a number in another, or a scenario has
            fewer than 2 options.
    """
    exists = ~np.isnan(table)
    for name, values in others.items():
        differs = np.isnan(values) == exists
        if differs.any():
            place = tuple(np.argwhere(differs)[0])
            raise ValueError(
                f"{first} and {name} must have numbers for the same options of each scenario, NaN "
                f"for options that it does not have; {_at(first, place)} is {table[place]:.9g}, "
                f"{_at(name, place)} is {values[place]:.9g}"
            )
    return _two_or_more(first, exists)


def existing(options: Any, counts: FloatArray, shares: dict[str, FloatArray]) -> BoolArray:
    """Return which options each scenario has, (m, d): as given, or those that are not NaN."""
    if options is None:
        return options_of("counts", counts, shares)
    exists: BoolArray = table("options", options, TRUE_OR_FALSE, counts.shape) == 1.0
    for name, values in {"counts": counts, **shares}.items():
        only_where(name, values, exists)
    return exists


def only_where(name: str, values: FloatArray, exists: BoolArray) -> None:
    """Refuse a missing number where an option exists, and one above 0 where it doesn't."""
    wrong = np.where(exists, np.isnan(values), values > 0)
    if wrong.any():
        place = tuple(np.argwhere(wrong)[0])
        raise ValueError(
            f"{name} must be numbers where options is True, and NaN or 0 elsewhere; "
            f"{_at(name, place)} is {values[place]:.9g}"
        )
    _two_or_more("options", exists)


def _two_or_more(name: str, exists: BoolArray) -> BoolArray:
    few = exists.sum(1) < 2
    if few.any():
        raise ValueError(f"{name} must have at least 2 options in each row; not so {few.argmax()}")
    return exists


def scores_of(scores: Any, shape: tuple[int, int]) -> FloatArray | None:
    """Return the options' scores, (d,) or (m, d), NaN where there is no such option; or None."""
    if scores is None:
        return None
    if axes("scores", scores) == 2:
        return table("scores", scores, FINITE_OR_NOTHING, shape)
    return vector("scores", scores, FINITE, shape[1])


def scales(
    exists: BoolArray, scores: FloatArray | None
) -> Iterator[tuple[IntArray, IntArray, FloatArray | None]]:
    """Yield scenarios with the same options and scores: their rows, the options, the scores.

    Args:
        exists: which options each scenario has, (m, d).
        scores: (d,), or (m, d), or None.
    """
    key = exists if scores is None or scores.ndim == 1 else np.hstack([exists, scores])
    _, first, member = np.unique(np.nan_to_num(key), axis=0, return_index=True, return_inverse=True)
    for group in np.argsort(first):
        rows = np.flatnonzero(member.ravel() == group)
        there = np.flatnonzero(exists[rows[0]])
        row_scores = scores if scores is None or scores.ndim == 1 else scores[rows[0]]
        yield rows, there, None if row_scores is None else row_scores[there]


def sums_to_one(name: str, shares: FloatArray) -> FloatArray:
    """Return probabilities whose rows (the last axis) sum to 1 within 10⁻⁶, of any float type.

    Rounding to float32 changes sums by less than 3·10⁻⁷, for 3 to 1000 options. NaN stand for
    options that don't exist.
    """
    sums = np.atleast_1d(np.nansum(shares, axis=-1))
    off = np.abs(sums - 1.0) > SUM_TOLERANCE
    if off.any():
        place = tuple(np.argwhere(off)[0])
        row = f" in row {', '.join(map(str, place))}" if shares.ndim > 1 else ""
        raise ValueError(
            f"{name} must be probabilities that sum to 1 within {SUM_TOLERANCE:g} over the options "
            f"of each scenario (the columns), not to {sums[place]:.9g}{row}; divide each row by "
            "its sum, as fidelity.normalised does"
        )
    return shares
