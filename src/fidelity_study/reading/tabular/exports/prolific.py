"""Prolific: a submission's status beside the answers.

Only approved ones count, or those that await a review where none was approved yet. Where more await
a review than were approved, both count, and the column of states is asked about.
"""

from collections import Counter
from dataclasses import replace

import numpy as np

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import Table, cells_of
from fidelity_study.reading.tabular.files import STATE, Sheet
from fidelity_study.reading.tabular.shown import shown

APPROVED, AWAITING = "approved", "awaitingreview"
STATUS = {APPROVED, AWAITING, "returned", "timedout", "rejected", "active", "reserved"}
STATUS |= {"screenedout", "partiallyapproved"}
OF_PROLIFIC = {"participantid", "prolificid", "prolificpid", "submissionid", "sessionid"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the rows of valid submissions."""
    kinds = [squashed(name) for name in sheet.columns]
    if "status" not in kinds or not OF_PROLIFIC & {*kinds}:
        return None
    texts = cells_of(sheet, kinds.index("status"))
    status = [squashed(text or "") for text in texts]
    approved, awaiting = map(status.count, (APPROVED, AWAITING))
    if not (approved or awaiting) or not {*status} <= STATUS:
        return None
    is_open = 0 < approved < awaiting
    valid = {APPROVED, AWAITING} if is_open else {APPROVED if approved else AWAITING}
    kept = np.array([text in valid for text in status])
    others = Counter(text for text, is_in in zip(texts, kept, strict=True) if not is_in)
    left = [f"{number} {text}" for text, number in others.items()]
    counts = [f"{approved} approved"] if approved else []
    counts += [f"{awaiting} awaiting review"] if AWAITING in valid else []
    what = f"submissions of Prolific: {' and '.join(counts)}"
    what += f"; left out: {shown(left, how=str)}" if left else ""
    places = [place for place, kind in enumerate(kinds) if is_open or kind != "status"]
    roles = {STATE: sheet.columns[kinds.index("status")]} if is_open else {}
    return replace(Table(sheet, places, rows=kept).sheet(what), roles=roles)
