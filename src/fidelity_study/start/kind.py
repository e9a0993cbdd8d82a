"""What an answer is: told by the answers, never silently."""

from collections.abc import Iterable
from dataclasses import dataclass

from fidelity_study.errors import DataError
from fidelity_study.start.request import Request
from fidelity_study.start.spelling import REST, Spelling
from fidelity_study.tabular.columns import as_label, as_number
from fidelity_study.tabular.shown import shown

MOST_LEVELS = 11
SHOWN = 6
LEAST_GAP = 2


@dataclass(frozen=True)
class Kind:
    """What an answer is.

    Attributes:
        name: binary, ordinal, categorical, bounded or real.
        why: the reason.
        other: what to add if it is wrong; empty if the user said it.
        doubts: what looks strange.
    """

    name: str
    why: str
    other: str = ""
    doubts: tuple[str, ...] = ()


def kind_of(
    request: Request,
    labels: list[str],
    *,
    stated: bool,
    ordered: bool = False,
    known: bool = False,
) -> Kind:
    """Return what an answer is.

    Args:
        request: what the user says of it.
        labels: all different answers.
        stated: whether simulators state probabilities.
        ordered: whether people's file says that the options of each question have an order.
        known: whether it lists the options of each question.

    Raises:
        DataError: if nothing tells; it says what to add.
    """
    spelling = request.spelling
    if request.kind:
        return Kind(request.kind, request.why_kind or f"as {spelling.name('kind')} says")
    if request.bounds:
        why = f"as {spelling.name('bounds')} gives the range of the numbers"
        return Kind("bounded", why, spelling.option("kind", "real"))
    labels = in_order(dict.fromkeys([*map(as_label, request.levels), *labels]))
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    named = f"the answers are {few(labels)}"
    if set(labels) == {"0", "1"}:
        other = _either(spelling, "categorical", "ordinal")
        return Kind("binary", "as the answers are 0 and 1", other)
    if ordered and known and len(labels) > 2:
        why = f"as {request.human} says that its options have an order"
        return Kind("ordinal", why, spelling.option("kind", "categorical"))
    if known and len(labels) > 2:
        why = f"as {request.human} lists the options and says of no order"
        return Kind("categorical", why, spelling.option("kind", "ordinal"))
    if len(numbers) < len(labels):
        return _of_texts(spelling, labels, numbers, named)
    are_whole = all(number % 1 == 0 for number in numbers)
    if request.levels or (are_whole and len(labels) <= MOST_LEVELS):
        return Kind(
            "ordinal",
            f"as {named}: {'levels in order' if request.levels else 'few whole numbers'}",
            _either(spelling, "categorical", "bounded", "real"),
            _gaps(spelling, numbers),
        )
    if stated:
        why = f"as simulators state probabilities of options, which are {few(labels)}"
        return Kind("categorical", why, spelling.option("kind", "ordinal"))
    raise DataError(
        f"{request.human}: the answers are {len(labels)} different numbers from {labels[0]} to "
        f"{labels[-1]} ({few(labels)}), and it is not clear what they are; if they have a known "
        "range, put outcome: {kind: bounded, bounds: [...]} in the config; if not, put outcome: "
        "{kind: real}"
        + ("; if they are steps of a scale, put outcome: {kind: ordinal}" if are_whole else "")
    )


def _of_texts(spelling: Spelling, labels: list[str], numbers: list[float], named: str) -> Kind:
    if len(labels) == 2:
        other = spelling.option("kind", "categorical")
        return Kind("binary", f"as {named} everywhere", other)
    levels = spelling.levels(["LOWEST", REST, "HIGHEST"])
    other = spelling.together(spelling.option("kind", "ordinal"), levels)
    texts = [label for label in labels if as_number(label) is None]
    missing = spelling.option("missing", *texts)
    doubt = f"{few(texts)} stands among numbers; if no answer is meant: {missing}"
    return Kind("categorical", f"as {named}", other, (doubt,) if len(numbers) > len(texts) else ())


def far(numbers: Iterable[float]) -> list[str]:
    """Return the numbers that stand far from most others, as codes of missing answers do."""
    inner = sorted(numbers)
    width, at = max(((inner[i] - inner[i - 1], i) for i in range(1, len(inner))), default=(0, 0))
    most, rest = sorted((inner[:at], inner[at:]), key=len, reverse=True)
    if len(most) < 2 or width <= max(LEAST_GAP, most[-1] - most[0]):
        return []
    return [f"{number:g}" for number in rest]


def _gaps(spelling: Spelling, numbers: list[float]) -> tuple[str, ...]:
    """Say which numbers may stand for no answer."""
    codes = far(numbers)
    if not codes:
        return ()
    stand = "stands" if len(codes) == 1 else "stand"
    return (
        f"{' and '.join(codes)} {stand} far from the other answers; if no answer is meant: "
        f"{spelling.option('missing', *codes)}",
    )


def kind_option(spelling: Spelling, kind: str) -> str:
    """Return the option that says what an answer is, for bounded numbers with their range."""
    option = spelling.option("kind", kind)
    return spelling.together(option, spelling.blank("bounds")) if kind == "bounded" else option


def _either(spelling: Spelling, *kinds: str) -> str:
    *others, last = (kind_option(spelling, kind) for kind in kinds)
    return f"{', '.join(others)} or {last}"


def in_order(labels: Iterable[str]) -> list[str]:
    """Return answers sorted, numbers by their size and before texts."""
    return sorted(labels, key=lambda label: (_size(label), label))


def _size(label: str) -> float:
    number = as_number(label)
    return float("inf") if number is None else number


def few(labels: list[str]) -> str:
    """Return the first answers in words."""
    return shown(labels, SHOWN, str)
