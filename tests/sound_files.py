"""Sound files of answers for tests that break them, and how they are broken."""

import io

import pandas as pd

HUMAN = "scenario,value,count\ns1,yes,4\ns1,no,6\ns2,yes,5\ns2,no,5\n"
SIMULATED = "scenario,simulator,value,count\ns1,model,yes,2\ns1,model,no,8\ns2,model,no,10\n"
STATED = (
    "scenario,simulator,value,probability\n"
    "s1,model,yes,.25\ns1,model,no,.75\ns2,model,yes,.5\ns2,model,no,.5\n"
)
RATINGS = "scenario,value\ns1,1\ns1,4\ns2,2\ns2,5\n"
RATED = "scenario,simulator,value\ns1,model,1\ns2,model,5\n"
CELLS = "cell_id,question,option,share,n\nA,q,yes,.25,8\nA,q,no,.75,8\nB,q,yes,.5,8\nB,q,no,.5,8\n"


def parquet(**columns) -> bytes:
    """Return a Parquet file of these columns."""
    written = io.BytesIO()
    pd.DataFrame(columns).to_parquet(written)
    return written.getvalue()


def changed(text: str, old: str, new: str) -> str:
    """Return a text with ``new`` in the place of the first ``old``, which must be there."""
    assert old in text
    return text.replace(old, new, 1)
