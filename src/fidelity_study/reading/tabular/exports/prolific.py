"""Prolific: a submission's status beside the answers; only approved ones count."""

from collections import Counter

import numpy as np

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import Table, cells_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

APPROVED = "approved"
STATUS = {APPROVED, "returned", "timedout", "rejected", "awaitingreview", "active", "reserved"}
STATUS |= {"screenedout", "partiallyapproved"}
OF_PROLIFIC = {"participantid", "prolificid", "prolificpid", "submissionid", "sessionid"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the rows whose submission was approved."""
    kinds = [squashed(name) for name in sheet.columns]
    if "status" not in kinds or not OF_PROLIFIC & {*kinds}:
        return None
    texts = cells_of(sheet, kinds.index("status"))
    status = [squashed(text or "") for text in texts]
    approved = np.array([text == APPROVED for text in status])
    if not (approved.any() and {*status} <= STATUS):
        return None
    others = Counter(text for text, is_in in zip(texts, approved, strict=True) if not is_in)
    left = [f"{number} {text}" for text, number in others.items()]
    what = f"submissions of Prolific: {int(approved.sum())} approved"
    what += f"; left out: {shown(left, how=str)}" if left else ""
    places = [place for place, kind in enumerate(kinds) if kind != "status"]
    return Table(sheet, places, rows=approved).sheet(what)
