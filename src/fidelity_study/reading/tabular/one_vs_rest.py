"""Probabilities of separate models, one for each option, divided by their sum."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity_study.errors import Note
from fidelity_study.reading.tabular.answers import STATEMENT, Answers, places, refuse_nameless
from fidelity_study.reading.tabular.remedies import leaving_out, unclear
from fidelity_study.reading.tabular.shown import shown

CUT_OFF, LEAST = "cut-off", 0.01
"""So much of an option that is not listed is told."""
GIVEN = ["scenario", "source", "family", "loc", "scale", "total"]


def divided(answers: Answers) -> Answers:
    """Return one-vs-rest probabilities divided by their sum in each scenario; sums in ``given``.

    Raises:
        DataError: if one is above 1, or all of a scenario are 0.
    """
    rows = answers.rows
    refuse_above_one(answers)
    keys = [*places(rows), "source"]
    total = rows.groupby(keys, observed=True, sort=False)["number"].transform("sum")
    if (total <= 0).any():
        row = rows[total <= 0].iloc[0]
        raise answers.sheet.fault(
            "all-probabilities-zero",
            f"{row['source']!r} gives every option of scenario {row['scenario']!r} a probability "
            "of 0, which cannot be divided; mend them, or delete these rows",
            at=int(row["at"]),
        )
    given = rows[keys].astype(object).assign(total=total).drop_duplicates(keys)
    rows = rows.assign(number=rows["number"] / total)
    if answers.sheet.divides:
        rows = _with_rest(rows, (1.0 - total).clip(lower=0.0), keys)
    return replace(answers, rows=rows, given=given.reindex(columns=GIVEN))


def refuse_above_one(answers: Answers) -> None:
    """Raise DataError if a share is above 1, or has no option."""
    rows = answers.rows
    refuse_nameless(answers)
    if (rows["number"] > 1).any():
        row = rows[rows["number"] > 1].iloc[0]
        percent = "; percentages must be divided by 100" if row["number"] <= 100 else ""
        raise answers.sheet.fault(
            "not-a-probability",
            f"is {row['number']:g}, no probability, as it is above 1{percent}",
            at=int(row["at"]),
        )


def _with_rest(rows: pd.DataFrame, rest: pd.Series, keys: list[str]) -> pd.DataFrame:
    """Return shares with the mean probability of what statements don't list, as ``rest``.

    And with that of the statements that lack an option, as ``lost``.
    """
    by, is_first = [name for name in keys if name != STATEMENT], ~rows.duplicated(keys)
    rows = rows.assign(rest=rest, first=is_first, whole=rest.where(is_first, 0.0))
    sums = rows.groupby(by, observed=True)[["first", "whole"]].transform("sum")
    alike = rows.groupby([*by, "label"], observed=True, dropna=False)
    whole, listed = (
        part / sums["first"] for part in (sums["whole"], alike["rest"].transform("sum"))
    )
    return rows.drop(columns=["first", "whole"]).assign(rest=whole, lost=whole - listed)


def cut_off(
    simulated: Iterable[Answers], options: Mapping[str, Sequence[str]], sure: Container[str]
) -> Iterator[Note]:
    """Yield a note on questions some of whose options may be among what statements don't list.

    Args:
        simulated: simulators' answers, by file.
        options: the labels of each question.
        sure: questions that are compared all the same.
    """
    for answers in (part for part in simulated if "rest" in part.rows):
        most: dict[str, float] = {}
        of_whom = answers.rows.groupby([*places(answers.rows), "source"], observed=True)
        for (name, *_), rows in of_whom:
            lost = rows.groupby("label", observed=True)["lost"].min()
            rest = [lost.get(label, rows["rest"].max()) for label in options.get(name, ())]
            most[name] = max([most.get(name, 0.0), *rest])
        names = [name for name in most if most[name] > LEAST and name not in sure]
        if names:
            yield answers.sheet.note(
                CUT_OFF,
                f"{shown(names)}: an option that is not listed counts as 0, and could have up to "
                f"{100 * max(most[name] for name in names):.3g} percent, which the listed ones "
                "leave; list it everywhere, or write compare where 0 is right",
                also=[leaving_out(*names) if most.keys() - {*names} else unclear(*names)],
            )


def notes(simulated: Iterable[Answers]) -> Iterator[Note]:
    """Yield a note for each simulator whose probabilities were divided by their sum."""
    for answers in simulated:
        if answers.given is None or answers.given["total"].isna().all():
            continue
        for source, total in answers.given.groupby("source", sort=False)["total"]:
            what = one_vs_rest_note(str(source), total.to_numpy(float))
            yield answers.sheet.note("divided-by-sum", what)


def one_vs_rest_note(source: str, total: np.ndarray) -> str:
    """Return a note with the range of a simulator's sums."""
    return (
        f"warning: probabilities of {source!r} sum to {total.min():.3g} to {total.max():.3g} "
        f"(median {np.median(total):.3g}), not to one; each was divided by its sum (one_vs_rest)"
    )
