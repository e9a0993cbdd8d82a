"""Features of questions that will be asked, and of those that were."""

import pandas as pd

from fidelity_study.errors import refusal, there_are
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.new_questions import (
    CLUSTER,
    MANY_OPTIONS,
    WORDING,
    column_cells,
    layout_of,
)
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.scenarios import described
from fidelity_study.reading.tabular.shown import shown

LENGTH = "length"
Columns = dict[str, list]


def target_features(step: dict, asked: pd.DataFrame) -> tuple[Columns, Columns]:
    """Return feature -> numbers or texts, of the questions asked and of those that will be.

    Args:
        step: the settings that the step depends on.
        asked: the scenarios that people answered, as ingest wrote them.

    Raises:
        DataError: if a question lacks a feature, or there is none that will be asked.
    """
    wanted, layout = step["target_questions"], layout_of(step)
    sheet = opened(wanted["questions"], layout.reading)
    about = described(sheet, layout).rows
    coming = about[~about.index.isin(asked["scenario"])]
    if coming.empty:
        raise sheet.fault(
            "no-new-question", "has only questions that people were asked; add others"
        )
    chosen = step["options"].get("scenarios")
    sheets = [*([opened(chosen, layout.reading)] if chosen else []), sheet]
    both = asked.set_index("scenario"), coming
    features: tuple[Columns, Columns] = {}, {}
    for name in wanted["features"]:
        columns = _of_files(name, sheets, layout, both) or _built_in(name, both)
        if columns is None:
            there = dict.fromkeys(column for file in sheets for column in file.columns)
            known = [*there, LENGTH, MANY_OPTIONS, CLUSTER]
            raise _refused(step, "no-column", f"{name!r} is no feature; {there_are(name, known)}")
        for values, frame, column in zip(features, both, columns, strict=True):
            lacking = frame.index[column.isna()].tolist()
            if lacking:
                raise _refused(
                    step,
                    "no-value",
                    f"{name!r} is not known of {shown(lacking)}; fill a column "
                    f"{name!r} for every question in {sheet.path} or the file of scenarios",
                )
            values[name] = column.tolist()
        texts = [as_number(str(value)) for values in features for value in values[name]]
        convert = str if None in texts else lambda value: as_number(str(value))
        for values in features:
            values[name] = [convert(value) for value in values[name]]
    return features


def _of_files(
    name: str, sheets: list[Sheet], layout: Layout, both: tuple[pd.DataFrame, pd.DataFrame]
) -> list[pd.Series] | None:
    """Return a column of the files for the questions of both tables; None if no file has it."""
    if not any(name in sheet.columns for sheet in sheets):
        return None
    by_scenario = {}
    for sheet in sheets:
        by_scenario.update(column_cells(sheet, layout, name))
    return [frame.index.to_series().map(by_scenario) for frame in both]


def _built_in(name: str, both: tuple[pd.DataFrame, pd.DataFrame]) -> list[pd.Series] | None:
    """Return a feature that every study knows, or may know, of its questions."""
    empty = [pd.Series(None, frame.index, dtype=object) for frame in both]

    def columns(key: str) -> list[pd.Series]:
        return [frame.get(key, none) for frame, none in zip(both, empty, strict=True)]

    if name == CLUSTER:
        return columns(CLUSTER)
    if name == LENGTH:
        return [
            texts.map(lambda text: len(text.split()), na_action="ignore")
            for texts in columns(WORDING)
        ]
    if name == MANY_OPTIONS:
        listed = columns("options")[1].map(len, na_action="ignore")
        return [both[0]["value"].map(len), columns(MANY_OPTIONS)[1].fillna(listed)]
    return None


def _refused(step: dict, code: str, what: str) -> Exception:
    return refusal(code, what, key=f"datasets.{step['dataset']}.target")
