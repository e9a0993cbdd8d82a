"""What an answer is: told by the answers, never silently."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

from fidelity_study.app.start.request import Request
from fidelity_study.app.start.syntax import OptionSyntax
from fidelity_study.errors import BLANK, Remedy, refusal
from fidelity_study.reading.settings import VECTOR
from fidelity_study.reading.tabular.columns import as_label, as_number
from fidelity_study.reading.tabular.doubtful import (
    MOST_LEVELS,
    NOTHING,
    codes_of_nothing,
    far,
    is_no_answer,
)
from fidelity_study.reading.tabular.options import in_order
from fidelity_study.reading.tabular.remedies import TEXTS, no_answer
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.vector_columns import AS_PATHS
from fidelity_study.reading.tabular.word_scales import in_steps

SHOWN, HUNDRED = 6, 100


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
    own_words: bool = False,
    timed: bool = False,
    none: Container[str] = (),
) -> Kind:
    """Return what an answer is.

    Args:
        request: what the user says of it.
        labels: all different answers.
        stated: whether simulators state probabilities.
        ordered: whether people's file says that the options of each question have an order.
        known: whether it lists the options of each question.
        own_words: whether people seem to answer most questions in their own words.
        timed: whether a column has times that nothing reads.
        none: the texts that stand for no answer.

    Raises:
        DataError: if nothing tells; it says what to add.
    """
    syntax = request.syntax
    if request["kind"]:
        if request.why_kind:
            return Kind(request["kind"], request.why_kind, syntax.option("kind", "categorical"))
        table = syntax.table.format("questions")
        return Kind(request["kind"], f"as {syntax.name('kind')} or {table} says")
    if request["bounds"]:
        why = f"as {syntax.name('bounds')} gives the range of the numbers"
        return Kind("bounded", why, syntax.option("kind", "real"))
    labels = in_order(dict.fromkeys([*map(as_label, request["levels"]), *labels]))
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    named = f"the answers are {few(labels)}"
    if set(labels) == {"0", "1"} or (stated and len(labels) == 1 and labels[0] in ("0", "1")):
        other = _either(syntax, "categorical", "ordinal")
        return Kind("binary", "as the answers are 0 and 1", other)
    if ordered and known and len(labels) > 2:
        why = f"as {syntax.file(request.human)} says that its options have an order"
        return Kind("ordinal", why, syntax.option("kind", "categorical"))
    if known and len(labels) > 2:
        why = f"as {syntax.file(request.human)} lists the options, not all as in order"
        return Kind("categorical", why, syntax.option("kind", "ordinal"))
    if own_words:
        raise refusal(
            "own-words",
            f"hardly two answers are alike ({few(labels)}); if they are people's own words, put ",
            TEXTS,
            "; if they are options, put ",
            Remedy({"outcome.kind": "categorical"}),
            file=request.human,
        )
    if len(numbers) < len(labels):
        return _of_texts(syntax, labels, numbers, named)
    are_whole = all(number % 1 == 0 for number in numbers)
    if request["levels"] or (are_whole and len(labels) <= MOST_LEVELS):
        return Kind(
            "ordinal",
            f"as {named}: {'levels in order' if request['levels'] else 'few whole numbers'}",
            _either(syntax, "categorical", "bounded", "real"),
            (*_gaps(numbers), *([_timed(syntax)] if timed else [])),
        )
    if stated:
        why = f"as simulators state probabilities of options, which are {few(labels)}"
        return Kind("categorical", why, syntax.option("kind", "ordinal"))
    if codes := codes_of_nothing(labels):
        raise refusal(
            "code-among-numbers",
            f"{shown(codes)} {'stand' if len(codes) > 1 else 'stands'} apart from the other "
            "answers, as codes for no answer do; if they are such codes, put ",
            no_answer(*codes),
            "; if they are answers, give the range of the numbers: ",
            Remedy({"outcome.kind": "bounded", "outcome.bounds": [BLANK]}),
            file=request.human,
        )
    bounds: list[Any] = [*of_hundred(numbers, none)] or [BLANK]
    steps = ("; if they are steps of a scale, put ", Remedy({"outcome.kind": "ordinal"}))
    raise refusal(
        "kind-unclear",
        f"the answers are {len(labels)} different numbers from {labels[0]} to {labels[-1]} "
        f"({few(labels)}), and it is not clear what they are; if they have a known range, put ",
        Remedy({"outcome.kind": "bounded", "outcome.bounds": bounds}),
        "; if not, put ",
        Remedy({"outcome.kind": "real"}),
        *(steps if are_whole else ()),
        *(AS_PATHS if timed else ()),
        file=request.human,
    )


def of_hundred(numbers: Iterable[float], none: Container[str]) -> list[int]:
    """Return the range of numbers that are of a hundred; nothing if they are others."""
    lowest = 1 if "0" in none else 0
    valid = [lowest, *(number for number in numbers if number not in NOTHING)]
    return [lowest, HUNDRED] if (min(valid), max(valid)) == (lowest, HUNDRED) else []


def _of_texts(syntax: OptionSyntax, labels: list[str], numbers: list[float], named: str) -> Kind:
    if len(labels) == 2:
        other = syntax.option("kind", "categorical")
        return Kind("binary", f"as {named} everywhere", other)
    none = [label for label in labels if is_no_answer(label)]
    steps, _ = in_steps(label for label in labels if label not in none) or ([], False)
    of_steps = {"levels": steps, "missing": none} if none else {"levels": steps}
    other = syntax.options(kind="ordinal", **(of_steps if steps else {}))
    texts = [label for label in labels if as_number(label) is None]
    doubt = f"{few(texts)} stands among numbers"
    if all(map(is_no_answer, texts)):
        doubt += f"; if no answer is meant: {syntax.option('missing', texts)}"
    return Kind("categorical", f"as {named}", other, (doubt,) if len(numbers) > len(texts) else ())


def _gaps(numbers: list[float]) -> tuple[str, ...]:
    """Say which numbers may stand for no answer."""
    codes = far(numbers)
    if not codes:
        return ()
    stand = "stands" if len(codes) == 1 else "stand"
    return (f"{' and '.join(codes)} {stand} far from the other answers",)


def _timed(syntax: OptionSyntax) -> str:
    return f"times are not read; if rows are points of one path: {syntax.kind(VECTOR)}"


def _either(syntax: OptionSyntax, *kinds: str) -> str:
    *others, last = map(syntax.kind, kinds)
    return f"{', '.join(others)} or {last}"


def few(labels: list[str]) -> str:
    """Return the first answers in words."""
    return shown(labels, SHOWN, str)
