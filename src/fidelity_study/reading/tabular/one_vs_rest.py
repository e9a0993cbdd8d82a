"""Probabilities of separate models, one for each option, divided by their sum."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from fidelity_study.errors import Note
from fidelity_study.reading.tabular.answers import Answers, places, refuse_nameless

GIVEN = ["scenario", "source", "family", "loc", "scale", "total"]


def divided(answers: Answers) -> Answers:
    """Return one-vs-rest probabilities divided by their sum in each scenario; sums in ``given``.

    Raises:
        DataError: if one is above 1, or all of a scenario are 0.
    """
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
    return replace(
        answers, rows=rows.assign(number=rows["number"] / total), given=given.reindex(columns=GIVEN)
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
