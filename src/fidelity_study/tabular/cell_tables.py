"""The cell tables of the package popfidelity: each option's share among ``n`` answers of a cell.

Columns ``cell_id, question, option, share`` and ``n, source, mode, replicate`` as far as known.
A scenario is a question in a cell; its options are in the order of the table.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity_study.ingest import HUMAN
from fidelity_study.tabular.columns import answers, names, numbers
from fidelity_study.tabular.files import Sheet
from fidelity_study.tabular.forms import (
    Answers,
    amounts,
    check_once,
    check_sums,
    constant,
    joined,
    sources,
)
from fidelity_study.tabular.layout import Layout

WHOLE = 1e-6
RUN = ["scenario", "source", "replicate"]


def cells(sheet: Sheet, layout: Layout, source: str | None) -> list[Answers]:
    """Read a cell table.

    Simulators are the modes, or the sources if there are no modes. Those that ``layout`` calls
    stated have probabilities, whatever their ``n``, and their replicates are averaged. All others
    gave share × n answers, as people did, and their replicates are pooled.
    """
    question, cell = (names(sheet, layout.needed(sheet, role)) for role in ("question", "cell_id"))
    option, share = (layout.needed(sheet, role) for role in ("option", "share"))
    label, reason = answers(sheet, [option], layout.reasons, layout.known)
    replicate = layout.column(sheet, "replicate")
    size = sheet.table.num_rows
    if source is None:
        who = sources(
            sheet, None, layout.simulators("mode" if "mode" in sheet.columns else "source")
        )
    else:
        who = constant(source, size)
    rows = pd.DataFrame(
        {
            "scenario": joined([question, cell], "|"),
            "source": who,
            "label": label,
            "reason": reason,
            "number": amounts(sheet, share),
            "at": np.arange(size),
            "weight": np.nan,
            "respondent": -1,
            "replicate": names(sheet, replicate).codes if replicate else 0,
        }
    )
    table = Answers(sheet, option, rows, False, True, _described(layout, rows, question, cell))
    if (reason >= 0).any():
        raise table.fault("an option needs a name; name it", rows[reason >= 0].iloc[0])
    check_once(table, [*RUN, "label"], "name the columns that tell them apart: columns: {...}")
    check_sums(table)
    is_stated = rows["source"].isin(layout.stated).to_numpy() & (source != HUMAN)
    found = []
    if is_stated.any():
        found.append(replace(table, rows=_averaged(rows[is_stated]), stated=True))
    if not is_stated.all():
        found.append(replace(table, rows=_counted(table, layout, ~is_stated)))
    return found


def _described(layout: Layout, rows: pd.DataFrame, *parts: pd.Categorical) -> pd.DataFrame:
    """Return description and cluster of each scenario, whose parts are question and cell."""
    question, cell = (pd.Series(part.astype(object)) for part in parts)
    described = pd.DataFrame({"description": question + ": " + cell})
    if layout.cluster in ("question", "cell", "cell_id"):
        described["cluster"] = question if layout.cluster == "question" else cell
    first = ~rows["scenario"].duplicated()
    return described[first].set_index(pd.Index(rows["scenario"][first].astype(object)))


def _averaged(rows: pd.DataFrame) -> pd.DataFrame:
    """Return stated shares, averaged over the replicates that a scenario has."""
    keys = ["scenario", "source"]
    runs = rows.groupby(keys, observed=True, sort=False)["replicate"].transform("nunique")
    return rows.assign(number=rows["number"] / runs)


def _counted(table: Answers, layout: Layout, here: np.ndarray) -> pd.DataFrame:
    """Return the rows ``here`` with share × n answers; a simulator's must be whole."""
    n_column = layout.needed(table.sheet, "n")
    part = np.flatnonzero(here)
    n = numbers(table.sheet, n_column, part)
    rows = table.rows.iloc[part].assign(n=n)
    differs = rows.groupby(RUN, observed=True, sort=False)["n"].transform("nunique") > 1
    for wrong, what in (
        (n < 1, "is below 1; it is the number of answers behind the shares"),
        (differs.to_numpy(), "differs between the options of one cell; give all of them the same"),
    ):
        if wrong.any():
            at = int(rows["at"].to_numpy()[wrong][0])
            raise table.sheet.fault(what, at=at, column=n_column)
    count = (rows["number"] * n).to_numpy()
    partial = np.abs(count - count.round()) > WHOLE
    simulated = (rows["source"] != HUMAN).to_numpy()
    if (partial & simulated).any():
        row = rows[partial & simulated].iloc[0]
        raise table.fault(
            f"the share of {row['label']!r} times n is {row['number'] * row['n']:.6g}, no whole "
            f"number of answers; if {row['source']!r} states probabilities, put "
            f"stated: [{row['source']}] in the config",
            row,
        )
    return rows.assign(number=np.where(partial, count, count.round()))
