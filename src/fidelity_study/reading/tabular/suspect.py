"""Simulators that look like people's own answers or like failed calls: their distance is nothing.

A copy has a distance of 0. A failed call that is stored as uniform shares, or as always the first
option, can be nearer to people than any model is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betainc, gammainc

from fidelity_study.errors import Note
from fidelity_study.reading.tabular.answers import Answers, places
from fidelity_study.reading.tabular.shown import shown

COPY, FAILED = "copy-of-people", "failed-calls"
SAME_SHARE, FEWEST = 1e-4, 2
MOST_ALIKE, CHANCE = 0.8, 1e-6
FEWEST_EXPECTED, HALF = 5.0, 0.5
UNIFORM, UNIFORM_OF_TWO, FEWEST_OF_TWO, ENOUGH = 0.05, 0.5, 3, 20


@dataclass(frozen=True)
class Shares:
    """What one source answers.

    Attributes:
        shares: of the options of each question, (K,).
        sizes: how many answers they are of; infinite for stated probabilities.
    """

    shares: Mapping[Any, np.ndarray]
    sizes: Mapping[Any, float]


def suspicious(people: Shares, simulator: Shares) -> str:
    """Say what is suspicious about a simulator; empty if nothing is."""
    return "; ".join(filter(None, [copied(people, simulator), failed(simulator)]))


def copied(people: Shares, simulator: Shares) -> str:
    """Say that a simulator has people's shares, or nearly; empty if it doesn't.

    Nearly: in most questions it is closer than a second sample of the same people would be. By
    chance that happens less than once in a million times, if questions are asked of other people
    and the simulator answers as people do; somewhat more often if the same people's answers to all
    of many questions correlate.
    """
    pairs = [
        (shares, people.shares[question], people.sizes[question])
        for question, shares in simulator.shares.items()
        if question in people.shares
    ]
    if len(pairs) < FEWEST:
        return ""
    if all(np.abs(one - two).max() < SAME_SHARE for one, two, _ in pairs):
        return (
            f"has people's very shares in all {len(pairs)} questions that it answers; is it a copy "
            "of people's answers?"
        )
    chance = np.sort([_chance(*pair) for pair in pairs])
    many = int(np.ceil(MOST_ALIKE * len(pairs)))
    if betainc(many, len(pairs) - many + 1, chance[many - 1]) >= CHANCE:
        return ""
    return (
        f"is nearer to people's shares in {many} of {len(pairs)} questions than a second sample of "
        "the same people would be; is it made from people's answers?"
    )


def _chance(stated: np.ndarray, people: np.ndarray, size: float) -> float:
    """Return how often a sample of people's size is as near to what the simulator states.

    By Pearson's statistic, which is about chi-squared where five answers or more are expected.
    Neighbouring options are put together until so many are, which depends on what is stated alone:
    so numbers that hardly repeat are compared by the ranges that they lie in. 1 where all lie in
    one range. Answers are whole: half of one in each range is no difference.
    """
    starts, held = [0], 0.0
    for place, expected in enumerate(size * stated):
        if held >= FEWEST_EXPECTED:
            starts, held = [*starts, place], 0.0
        held += expected
    starts = starts[: len(starts) - (held < FEWEST_EXPECTED)] or [0]
    expected, given = (np.add.reduceat(size * shares, starts) for shares in (stated, people))
    with np.errstate(over="ignore"):  # counts like 1e308
        distance = (((given - expected) ** 2 + HALF**2) / expected).sum()
    degrees = len(starts) - 1
    return float(gammainc(degrees / 2, distance / 2)) if degrees else 1.0


def failed(simulator: Shares) -> str:
    """Say that answers look like those of failed calls; empty if they don't."""
    shares = simulator.shares
    chosen = {int(share.argmax()) for share in shares.values()}
    whole = all(share.max() >= 1 - SAME_SHARE for share in shares.values())
    if len(shares) > FEWEST and len(chosen) == 1 and whole:
        place = chosen.pop() + 1
        return (
            f"gives option {place} every time, in all {len(shares)} questions, as failed calls do"
        )
    for several, least, most in ((True, UNIFORM, FEWEST), (False, UNIFORM_OF_TWO, FEWEST_OF_TWO)):
        asked = [
            share
            for question, share in shares.items()
            if len(share) > 1
            and (len(share) > 2) == several
            and simulator.sizes[question] >= ENOUGH
        ]
        uniform = sum(np.abs(share - 1 / len(share)).max() < SAME_SHARE for share in asked)
        if uniform >= most and uniform > least * len(asked):
            return (
                f"gives all options exactly the same share in {uniform} of {len(shares)} "
                "questions, as failed calls do"
            )
    return ""


def notes(
    people: Answers, simulated: Sequence[Answers], options: Mapping[str, Sequence[str]]
) -> Iterator[Note]:
    """Yield notes on suspicious simulators.

    Args:
        people: people's answers.
        simulated: simulators' answers, by file.
        options: the labels of each question, in order.
    """
    ways = ["number", *(["weight"] if "weight" in people.rows else [])]
    known = [_of(people.rows, options, way, stated=False) for way in ways]
    for answers in simulated:
        for source, rows in answers.rows.groupby("source", observed=True, sort=False):
            theirs = _of(rows, options, "number", stated=answers.stated)
            same = next(filter(None, (copied(of_people, theirs) for of_people in known)), "")
            for code, what in ((COPY, same), (FAILED, failed(theirs))):
                if what:
                    yield answers.sheet.note(code, f"{shown([str(source)])} {what}")
        for source, number in answers.zeros.items():
            yield answers.sheet.note(
                FAILED,
                f"{shown([source])} gives every option a probability of 0 in {number} statements, "
                "as failed calls do; these are left out",
            )


def _of(
    rows: pd.DataFrame, options: Mapping[str, Sequence[str]], amount: str, *, stated: bool
) -> Shares:
    """Return the shares of one source's answers.

    Args:
        rows: of answers, see :class:`Answers`.
        options: the labels of each question, in order.
        amount: the column of the numbers that are added up.
        stated: whether these are probabilities.
    """
    given = rows[(rows["reason"] < 0) & (rows["number"] > 0)]
    of_options: dict[Any, dict[str, float]] = {}
    squares: dict[Any, float] = {}
    asked = zip(*(given[name] for name in places(given)), strict=True)
    square_of = given["square"] if amount == "weight" else given[amount]
    for question, label, number, square in zip(
        asked, given["label"], given[amount], square_of, strict=True
    ):
        sums = of_options.setdefault(question, dict.fromkeys(options[question[0]], 0.0))
        sums[label] += number
        squares[question] = squares.get(question, 0.0) + square
    shares, sizes = {}, {}
    for question, sums in of_options.items():
        total = sum(sums.values())
        if total > 0:
            shares[question] = np.array([*sums.values()]) / total
            sizes[question] = np.inf if stated else total * (total / squares[question])
    return Shares(shares, sizes)


def without_zeros(answers: Answers) -> Answers:
    """Return stated probabilities without statements that give 0 to every option.

    A simulator that does so everywhere keeps its rows, and is refused.
    """
    rows = answers.rows
    keys = [rows["source"].astype(str), *(rows[name].astype(str) for name in places(rows))]
    none = rows["number"].groupby(keys).transform("sum") <= 0
    some = ~none.groupby(keys[0]).transform("all")
    left = rows[none & some].drop_duplicates(["source", *places(rows)])
    if left.empty:
        return answers
    zeros = {
        str(name): int(number) for name, number in left["source"].value_counts().items() if number
    }
    return replace(answers, rows=rows[~(none & some)].reset_index(drop=True), zeros=zeros)
