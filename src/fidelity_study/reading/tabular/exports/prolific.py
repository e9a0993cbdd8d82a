"""Prolific: a submission's status beside the answers.

Only approved ones count, or those that await a review where none was approved yet. Where more await
a review than were approved, both count, and the column of states is asked about.
"""

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import cells_of, in_states
from fidelity_study.reading.tabular.files import Sheet

APPROVED, AWAITING = "approved", "awaitingreview"
STATUS = {APPROVED, AWAITING, "returned", "timedout", "rejected", "active", "reserved"}
STATUS |= {"screenedout", "partiallyapproved"}
OF_PROLIFIC = {"participantid", "prolificid", "prolificpid", "submissionid", "sessionid"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the rows of valid submissions."""
    kinds = [squashed(name) for name in sheet.columns]
    if "status" not in kinds or not OF_PROLIFIC & {*kinds}:
        return None
    place = kinds.index("status")
    status = [squashed(text or "") for text in cells_of(sheet, place)]
    approved, awaiting = map(status.count, (APPROVED, AWAITING))
    if not (approved or awaiting) or not {*status} <= STATUS:
        return None
    is_open = 0 < approved < awaiting
    valid = {APPROVED, AWAITING} if is_open else {APPROVED if approved else AWAITING}
    counts = [f"{approved} approved"] if approved else []
    counts += [f"{awaiting} awaiting review"] if AWAITING in valid else []
    what = f"submissions of Prolific: {' and '.join(counts)}"
    kept = [state in valid for state in status]
    return in_states(sheet, place, kept, what, is_open=is_open)
