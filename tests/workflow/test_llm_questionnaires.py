"""Models' answers to the Big Five: their files' headers are wrong, the columns' places count."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from small_answers import ASKED, CYCLED, HEADERS, write_answers
from small_study import REPOSITORY

from fidelity_study.config.project import input_files
from fidelity_study.reading.ingest.folder import responses

FOLDER = REPOSITORY / "workflow" / "datasets" / "llm_questionnaires"
MIRROR = Path(os.environ.get("FIDELITY_DATA_MIRROR", REPOSITORY.parent / "shared" / "data"))
MODES = {"01--baseline": "baseline", "02--with-history": "history", CYCLED: "cycled"}
MODELS = (
    *("llama3.1-8b", "llama3.3-70b", "mistral-7b", "mistral-large-123b"),
    *("qwen2.5-7b", "qwen2.5-72b"),
)
SIMULATORS = {
    f"{m} ({word})": f"{mode}/raw.{m}.csv" for m in MODELS for mode, word in MODES.items()
}


def ingest(mirror) -> pd.DataFrame:
    """Return the counts of the Big Five, from the files in a mirror."""
    step = {
        "ingest": "llm_questionnaires",
        "seed": 1,
        "dataset": "big_five",
        "outcome": {"kind": "ordinal"},
        "cluster": "trait",
        "clustered": True,
        "simulators": list(SIMULATORS),
        "draws": 10,
        "weighting_effect": None,
        "options": {"questionnaire": "big_5"},
    }
    files = json.loads(json.dumps(input_files(step)).replace("resources/", f"{mirror}/"))
    outcomes = responses(step, SimpleNamespace(**files)).outcomes
    return outcomes.pivot_table(
        index=["source", "scenario"], columns="value", values="count", fill_value=0
    )


def test_columns_are_read_by_position_since_headers_are_wrong(tmp_path):
    """The order of a run's ids, in which the published files were written, is written out."""
    write_answers(tmp_path, FOLDER.parent)
    counts = ingest(tmp_path)
    for simulator, file in SIMULATORS.items():
        table = pd.read_csv(tmp_path / "llm_questionnaires" / "big_5" / file)
        cycled = file.startswith(CYCLED)
        assert list(table) == HEADERS[cycled] != ASKED[cycled]
        for place, item in enumerate(ASKED[cycled]):
            column = table.iloc[:, place]
            np.testing.assert_array_equal(
                counts.loc[(simulator, item)], [(column == value).sum() for value in range(1, 6)]
            )


@pytest.mark.slow
@pytest.mark.skipif(not MIRROR.is_dir(), reason="the published files are not here")
def test_models_answer_as_people_do_item_by_item():
    """By the headers' labels item means correlate with people's at -.16 to .17."""
    counts = ingest(MIRROR)
    means = (counts * counts.columns).sum(axis=1) / counts.sum(axis=1)
    items = means.unstack("scenario")
    found = items.T.corr()["human"].drop("human")
    assert set(SIMULATORS) <= set(found.index)
    assert found[list(SIMULATORS)].min() > 0.45
