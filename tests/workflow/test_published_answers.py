"""Published answers of language models: what the ingests make of files of their layouts.

The headers of the Big Five's files are wrong, so that the columns' places count.
"""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from mirror import MIRROR
from small_answers import ASKED, CYCLED, HEADERS, PAIRS, write_answers
from tabular_step import folder_step

from fidelity_study.config.project import input_files
from fidelity_study.reading.ingest.folder import responses
from fidelity_study.root import ROOMS

MODES = {"01--baseline": "baseline", "02--with-history": "history", CYCLED: "cycled"}
MODELS = (
    *("llama3.1-8b", "llama3.3-70b", "mistral-7b", "mistral-large-123b"),
    *("qwen2.5-7b", "qwen2.5-72b"),
)
SIMULATORS = {
    f"{m} ({word})": f"{mode}/raw.{m}.csv" for m in MODELS for mode, word in MODES.items()
}


def ingest(mirror, *simulators, room="llm_questionnaires", cluster="trait", **options):
    """Return what a room reads from the files in a mirror."""
    kind = "bounded" if cluster == "study" else "ordinal"
    step = folder_step(room, kind, cluster, simulators, options=options)
    files = json.loads(json.dumps(input_files(step)).replace("resources/", f"{mirror}/"))
    return responses(step, SimpleNamespace(**files))


def counts_of(found) -> pd.DataFrame:
    """Return counts by source and scenario, with a column for each value."""
    return found.outcomes.pivot_table(
        index=["source", "scenario"], columns="value", values="count", fill_value=0
    )


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    """A folder with small files in the layouts of the published ones."""
    folder = tmp_path_factory.mktemp("mirror")
    write_answers(folder, ROOMS)
    return folder


def read(mirror, name):
    return pd.read_csv(mirror / name, skipinitialspace=True)


def test_columns_are_read_by_position_since_headers_are_wrong(mirror):
    """The order of a run's ids, in which the published files were written, is written out."""
    found = ingest(mirror, *SIMULATORS, questionnaire="big_5")
    counts = counts_of(found)
    lost = found.missing.set_index(["source", "scenario"])["count"]
    for simulator, file in SIMULATORS.items():
        table = read(mirror, f"llm_questionnaires/big_5/{file}")
        cycled = file.startswith(CYCLED)
        assert list(table) == HEADERS[cycled] != ASKED[cycled]
        for place, item in enumerate(ASKED[cycled]):
            column = table.iloc[:, place]
            np.testing.assert_array_equal(
                counts.loc[(simulator, item)], [(column == value).sum() for value in range(1, 6)]
            )
            assert lost.get((simulator, item), 0) == column.isna().sum()
    assert lost["human"].sum() == 7


def test_the_items_of_models_and_people_are_lined_up(mirror):
    """The models' files name the items in their own way."""
    name = "llama3.1-8b (baseline)"
    found = ingest(mirror, name, questionnaire="humor_styles")
    counts = counts_of(found).loc[name]
    model = read(mirror, f"llm_questionnaires/humor_styles/{SIMULATORS[name]}")
    for column, item in (("AFL1", "Q1"), ("SED12", "Q12"), ("AGE31", "Q31")):
        assert counts.loc[item].to_dict() == model[column].value_counts().to_dict()
    scenarios = found.scenarios.set_index("scenario")
    assert scenarios.loc["Q12", "cluster"] == "selfdefeating"
    assert scenarios.loc["Q1", "description"] == "Statement Q1."


def test_the_twins_are_those_of_the_people_asked_on_their_own_ranges(mirror):
    found = ingest(mirror, "twin", room="twin2k_megastudy", cluster="study")
    assert (len(found.scenarios), found.scenarios["cluster"].nunique()) == (35, 8)
    counts = found.outcomes.groupby(["source", "scenario"])["count"].sum()
    pd.testing.assert_series_equal(counts["human"], counts["twin"])
    assert counts["human"].max() == PAIRS > counts["human"].min()
    assert (found.runs["run"] == found.runs["respondent"]).all()
    assert len(found.runs) == counts["twin"].sum()
    ranges = read(mirror, "twin2k_megastudy/dv_variables_summary.csv").set_index("DV_variable")
    ranges = ranges.drop(index="creativity_rating_byhuman").dropna(subset=["DV_max"])
    low, high = ranges["DV_min"].copy(), ranges["DV_max"].copy()
    high[[f"rating_{i}_1" for i in range(1, 11)]] = 9
    low["DV1"], high["DV1"] = 1, 7
    people, twins = (
        (read(mirror, f"twin2k_megastudy/combined_dv_{who}.csv")[low.index] - low) / (high - low)
        for who in ("human", "llm")
    )
    of_answers = found.outcomes.assign(sum=found.outcomes["value"] * found.outcomes["count"])
    sums = of_answers.groupby(["source", "scenario"])["sum"].sum()
    for source, table in (("human", people), ("twin", twins.where(people.notna()))):
        expected = table.sum().loc[sums[source].index]
        np.testing.assert_allclose(sums[source], expected, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.skipif(not MIRROR.is_dir(), reason="the published files are not here")
def test_models_answer_as_people_do_item_by_item():
    """By the headers' labels item means correlate with people's at -.16 to .17."""
    counts = counts_of(ingest(MIRROR, *SIMULATORS, questionnaire="big_5"))
    means = (counts * counts.columns).sum(axis=1) / counts.sum(axis=1)
    items = means.unstack("scenario")
    found = items.T.corr()["human"].drop("human")
    assert set(SIMULATORS) <= set(found.index)
    assert found[list(SIMULATORS)].min() > 0.45
