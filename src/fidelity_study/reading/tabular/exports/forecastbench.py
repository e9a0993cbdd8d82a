"""ForecastBench: a set of resolutions, and a model's set of forecasts.

A question on a series of data is asked for several dates, each a scenario, in one cluster. One on a
market has one date, which forecasts need not name.
"""

from dataclasses import replace

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import columns_of, rewritten
from fidelity_study.reading.tabular.files import Sheet

QUESTION = ("id", "source", "direction", "resolution_date")
MARKETS = {"manifold", "metaculus", "polymarket", "infer"}
EVENT = {0.0: "0", 1.0: "1"}


def recognised(sheet: Sheet) -> Sheet | None:
    """Return outcomes or forecasts of questions."""
    at = {name: place for place, name in enumerate(sheet.columns)}
    is_resolved, is_forecast = ({*s} <= {*at} for s in (("resolved_to", "resolved"), ("forecast",)))
    if not {"id", "source", "resolution_date"} <= {*at} or is_resolved == is_forecast:
        return None
    size = len(columns_of(sheet, [at["id"]])[0])
    more = ("resolved_to", "resolved") if is_resolved else ("forecast", "model")
    cells = [
        columns_of(sheet, [at[name]])[0] if name in at else [None] * size
        for name in (*QUESTION, *more)
    ]
    rows = list(zip(*cells, strict=True))
    clusters = [" ".join(filter(None, (row[0], row[2]))) for row in rows]
    scenarios = [
        cluster if row[1] in MARKETS or not row[3] else f"{cluster} {row[3][:10]}"
        for cluster, row in zip(clusters, rows, strict=True)
    ]
    columns: dict[str, list[str | None]] = {"scenario": [*scenarios]}
    if is_forecast:
        columns["probability"] = [row[4] for row in rows]
        if "model" in at:
            columns["simulator"] = [row[5] for row in rows]
        what = f"forecasts of ForecastBench: {size}"
        return replace(rewritten(sheet, columns, what), spare=True)
    columns["value"] = [_outcome(row[4], row[5]) for row in rows]
    columns["cluster"] = [*clusters]
    known = sum(value is not None for value in columns["value"])
    what = f"resolutions of ForecastBench: {known} are known; left out: {size - known} that are not"
    return rewritten(sheet, columns, what)


def _outcome(resolved_to: str | None, is_resolved: str | None) -> str | None:
    """Return whether an event came true; None where that is not known yet."""
    number = as_number(resolved_to or "")
    return EVENT.get(number) if is_resolved == "true" and number is not None else None
