"""The cell tables of the package popfidelity: each option's share among ``n`` answers of a cell.

Columns ``cell_id, question, option, share`` and, if known, ``n, source, mode, replicate``. A
scenario is a question in a cell; its options are in the order of the table.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from fidelity_study.errors import IN_CONFIG, Remedy
from fidelity_study.reading.tabular.answers import Answers, summing_to_one
from fidelity_study.reading.tabular.columns import (
    Joined,
    Labels,
    amounts,
    as_name,
    in_order,
    names,
    numbers,
)
from fidelity_study.reading.tabular.files import Batch, Sheet
from fidelity_study.reading.tabular.forms import rows_of, simulators
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.personas import personas
from fidelity_study.tables.ingest import HUMAN, REASONS

WHOLE = 1e-6
RUN = ["scenario", "source", "replicate"]


def cells(sheet: Sheet, layout: Layout, source: str | None) -> list[Answers]:
    """Read a cell table.

    Simulators are the modes, or the sources if there are no modes. Simulators that ``layout`` lists
    as stated have probabilities, for any ``n``, and their replicates are averaged. All others gave
    share × n answers, as people did, and their replicates are pooled.
    """
    question, cell, option, share = (
        layout.needed(sheet, role) for role in ("question", "cell_id", "option", "share")
    )
    replicate = layout.column(sheet, "replicate")
    modes = layout.simulators("mode" if "mode" in layout.columns_of(sheet) else "source")
    who = simulators(sheet, layout, source, [] if source else modes)
    persona = personas(sheet, layout.personas if source == HUMAN else [])
    optional = [name for name in (replicate, layout.column(sheet, "n")) if name]
    others = [*optional, *who.columns, *persona.columns]
    batch = sheet.whole(*zip([question, cell, option, share, *others]))
    scenario = Joined([question, cell], as_name, "|".join)
    answer: Labels[str | int] = Labels(layout.meaning, range(len(REASONS)))
    label = in_order(answer.codes(batch, option).of_row, answer.entries, len(REASONS))
    rows = pd.DataFrame(
        {
            "scenario": rows_of(batch, scenario),
            "source": rows_of(batch, who),
            "label": label,
            "reason": -1,
            "number": amounts(batch, share),
            "at": np.arange(batch.size),
            "replicate": names(batch, replicate).codes if replicate else 0,
            "persona": rows_of(batch, persona),
        }
    )
    parts = (names(batch, column) for column in (question, cell))
    table = Answers(sheet, option, rows, False, True, _described(layout, rows, *parts))
    if (label.codes < 0).any():
        row = rows[label.codes < 0].iloc[0]
        raise table.fault("option-without-name", "an option needs a name; name it", row=row)
    _check_once(table)
    table = summing_to_one(table, rounded=layout.rounded)
    rows = table.rows
    is_stated = rows["source"].isin(layout.stated).to_numpy() & (source != HUMAN)
    by_kind = []
    if is_stated.any():
        by_kind.append(replace(table, rows=_averaged(rows[is_stated]), stated=True))
    if not is_stated.all():
        counted = _counted(table, batch, layout, ~is_stated)
        by_kind.append(
            replace(table, rows=counted, by_persona=counted if persona.columns else None)
        )
    return by_kind


def _check_once(answers: Answers) -> None:
    """Raise DataError if an option of a run is there twice."""
    again = answers.rows[answers.rows.duplicated([*RUN, "label"])]
    if not again.empty:
        row = again.iloc[0]
        raise answers.fault(
            "answer-twice",
            f"the answer {row['label']!r} of {row['source']!r} in scenario {row['scenario']!r} is "
            "there a second time; name the columns that tell them apart: columns: {...}",
            row=row,
        )


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


def _counted(table: Answers, batch: Batch, layout: Layout, here: np.ndarray) -> pd.DataFrame:
    """Return the rows ``here`` with share × n answers; a simulator's must be whole."""
    n_column = layout.needed(table.sheet, "n")
    part = np.flatnonzero(here)
    n = numbers(batch, n_column, part)
    rows = table.rows.iloc[part].assign(n=n)
    differs = rows.groupby(RUN, observed=True, sort=False)["n"].transform("nunique") > 1
    for wrong, what in (
        (n < 1, "is below 1; it is the number of answers behind the shares"),
        (differs.to_numpy(), "differs between the options of one cell; give all of them the same"),
    ):
        if wrong.any():
            at = int(rows["at"].to_numpy()[wrong][0])
            raise table.sheet.fault("n-not-whole", what, at=at, column=n_column)
    count = (rows["number"] * n).to_numpy()
    partial = np.abs(count - count.round()) > WHOLE
    simulated = (rows["source"] != HUMAN).to_numpy()
    if (partial & simulated).any():
        row = rows[partial & simulated].iloc[0]
        raise table.fault(
            "share-of-n-not-whole",
            f"the share of {row['label']!r} times n is {row['number'] * row['n']:.6g}, no whole "
            f"number of answers; if {row['source']!r} states probabilities, put ",
            Remedy({"stated": [row["source"]]}),
            IN_CONFIG,
            row=row,
        )
    return rows.assign(number=np.where(partial, count, count.round()))
