"""Digital twins of 1,784 people, in 19 studies that the people took part in.

Every outcome is put on the range from 0 to 1. Each run of the simulator is the twin of a person.
"""

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.answers import missing_rows
from fidelity_study.reading.ingest.responses import Responses, drawn_answers
from fidelity_study.tables.ingest import HUMAN

TWIN = "twin"
UNIFORM = "uniform"
PERSON = "TWIN_ID"
PEOPLE_RATE_1_TO_9 = [f"rating_{i}_1" for i in range(1, 11)]
MEAN_OF_THREE = "DV1"
NOT_GATHERED = "creativity_rating_byhuman"
DECIMALS = 9


def outcome_ranges(path: str) -> pd.DataFrame:
    """Return study, smallest and largest value of each outcome that has a documented range.

    Two documented ranges are wrong: ratings go to 9, and DV1 is a mean of three answers from 1 to 7
    but documented as their sum.
    """
    ranges = pd.read_csv(path).set_index("DV_variable").dropna().drop(index=NOT_GATHERED)
    ranges.loc[PEOPLE_RATE_1_TO_9, "DV_max"] = 9.0
    ranges.loc[MEAN_OF_THREE, ["DV_min", "DV_max"]] = 1.0, 7.0
    return ranges.rename(columns={"study_name": "study", "DV_min": "lowest", "DV_max": "highest"})


def on_unit_range(table: pd.DataFrame, ranges: pd.DataFrame) -> pd.DataFrame:
    """Return the outcomes on the range from 0 to 1."""
    scaled = (table[ranges.index] - ranges["lowest"]) / (ranges["highest"] - ranges["lowest"])
    return scaled.clip(0.0, 1.0)


def value_rows(table: pd.DataFrame, source: str) -> pd.DataFrame:
    """Return how often each value of each outcome occurs."""
    long = person_rows(table)[["scenario", "value"]]
    return long.value_counts(sort=False).reset_index(name="count").assign(source=source)


def person_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return what each person answered, by the number of the row."""
    numbered = table.reset_index(drop=True).melt(
        var_name="scenario", value_name="value", ignore_index=False
    )
    numbered["value"] = numbered["value"].round(DECIMALS) + 0.0
    return numbered.dropna().rename_axis("respondent").reset_index()


def uniform_rows(ranges: pd.DataFrame) -> pd.DataFrame:
    """Return the same probability for each whole number of an outcome's range."""
    steps = (ranges["highest"] - ranges["lowest"]).round().astype(int)
    rows = pd.DataFrame({"scenario": steps.index, "source": UNIFORM, "steps": steps.to_numpy()})
    rows["value"] = [(np.arange(many + 1) / many).round(DECIMALS) for many in rows["steps"]]
    rows = rows.explode("value", ignore_index=True).astype({"value": float})
    return rows.assign(probability=1 / (rows["steps"] + 1)).drop(columns="steps")


def distinct_values(rows: pd.DataFrame, names: pd.Series) -> pd.Series:
    """Return the sorted values that occur in each scenario."""
    distinct = rows.groupby("scenario")["value"].agg(lambda values: sorted(set(values)))
    return names.map(distinct)


def responses(step, files):
    if step["outcome"]["kind"] != "bounded":
        raise DataError(f"dataset {step['dataset']}, outcome: the kind is bounded here")
    ranges = outcome_ranges(files.ranges)
    people, twins = (pd.read_csv(path).set_index(PERSON) for path in (files.people, files.twins))
    real = on_unit_range(people, ranges)
    simulated = on_unit_range(twins, ranges).where(real.notna())
    lost = (real.notna() & simulated.isna()).sum().to_numpy(float)
    stated = uniform_rows(ranges if UNIFORM in step["simulators"] else ranges[:0])
    outcomes = pd.concat(
        [value_rows(real, HUMAN), value_rows(simulated, TWIN), drawn_answers(step, stated)],
        ignore_index=True,
    )
    scenarios = ranges.reset_index(names="outcome")
    scenarios["scenario"] = scenarios["outcome"]
    values = distinct_values(pd.concat([outcomes, stated]), scenarios["scenario"])
    scenarios = scenarios.assign(
        cluster=scenarios[step["cluster"]],
        description=scenarios["study"] + ": " + scenarios["outcome"],
        value=values,
        option=values.map(lambda numbers: [f"{value:g}" for value in numbers]),
        lower=0.0,
        upper=1.0,
        respondents_repeat=True,
    )
    return Responses(
        origin="Twin-2K-500 mega-study",
        outcomes=outcomes,
        scenarios=scenarios,
        stated=stated,
        by_respondent=person_rows(real),
        runs=person_rows(simulated).assign(source=TWIN, run=lambda rows: rows["respondent"]),
        missing=missing_rows(scenarios["scenario"], TWIN, "missing", lost),
    )
