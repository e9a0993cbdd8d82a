"""Prolific: a submission's status beside the answers.

Only approved ones count, or those that await a review where none was approved yet.
"""

from collections import Counter

import numpy as np

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import Table, cells_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.shown import shown

VALID = {"approved": "approved", "awaitingreview": "awaiting review"}
STATUS = {*VALID, "returned", "timedout", "rejected", "active", "reserved"}
STATUS |= {"screenedout", "partiallyapproved"}
OF_PROLIFIC = {"participantid", "prolificid", "prolificpid", "submissionid", "sessionid"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the rows of valid submissions."""
    kinds = [squashed(name) for name in sheet.columns]
    if "status" not in kinds or not OF_PROLIFIC & {*kinds}:
        return None
    texts = cells_of(sheet, kinds.index("status"))
    status = [squashed(text or "") for text in texts]
    valid = next((kind for kind in VALID if kind in status), None)
    if valid is None or not {*status} <= STATUS:
        return None
    kept = np.array([text == valid for text in status])
    others = Counter(text for text, is_in in zip(texts, kept, strict=True) if not is_in)
    left = [f"{number} {text}" for text, number in others.items()]
    what = f"submissions of Prolific: {int(kept.sum())} {VALID[valid]}"
    what += f"; left out: {shown(left, how=str)}" if left else ""
    places = [place for place, kind in enumerate(kinds) if kind != "status"]
    return Table(sheet, places, rows=kept).sheet(what)
