"""ForecastBench: a set of resolutions, and a model's set of forecasts.

A question on a series of data is asked for several dates, each a scenario, in one cluster. One on a
market has one date, which forecasts need not name.
"""

from dataclasses import replace

import pandas as pd

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.exports.table import rewritten
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
    names = [*QUESTION, "resolved_to", "resolved", "forecast", "model"]
    rows = sheet.frame(name for name in names if name in at).fillna("")
    rows = rows.reindex(columns=names, fill_value="")
    clusters = (rows["id"] + " " + rows["direction"]).str.strip()
    dates = rows["resolution_date"].str[:10].mask(rows["source"].isin(MARKETS), "")
    columns = pd.DataFrame({"scenario": (clusters + " " + dates).str.strip()})
    if is_forecast:
        columns["probability"] = rows["forecast"]
        if "model" in at:
            columns["simulator"] = rows["model"]
        what = f"forecasts of ForecastBench: {len(rows)}"
        return replace(rewritten(sheet, columns, what), spare=True)
    came = rows["resolved_to"].map(as_number).map(EVENT).where(rows["resolved"] == "true")
    columns["value"], columns["cluster"], known = came, clusters, came.count()
    what = f"resolutions of ForecastBench: {known} are known; left out: {len(rows) - known} that"
    return rewritten(sheet, columns, f"{what} are not")
