"""What a config may say of corrections, and what is made then."""

from copy import deepcopy

import pytest

from fidelity_study.config.params import step
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

CONFIG = {
    "datasets": {
        "town": {
            "ingest": "ces_2024",
            "outcome": {"kind": "categorical"},
            "cluster": "question",
            "simulators": ["ntp", "fa", "uniform"],
        }
    }
}


def study(**changes):
    config = deepcopy(CONFIG)
    config["datasets"]["town"] |= changes
    return Study(config)


@pytest.mark.parametrize(
    ("correct", "simulators", "made"),
    [
        (True, ["ntp", "fa", "uniform"], ["tempered", "ridge", "stacked"]),
        (True, ["ntp", "uniform"], ["tempered", "ridge"]),
        (["stacked", "tempered"], ["ntp", "fa"], ["stacked", "tempered"]),
        (False, ["ntp", "fa"], []),
    ],
)
def test_true_is_every_correction_that_makes_sense(correct, simulators, made):
    found = study(correct=correct, simulators=simulators)
    assert found.datasets["town"]["correct"] == made
    assert found.runs("correct") == ([{"dataset": "town"}] if made else [])
    assert ("corrections" in found.figures("town")) == bool(made)


def test_without_the_key_nothing_is_corrected():
    assert study().datasets["town"]["correct"] == []
    assert step(study(correct=True), "correct", "town")["correct"] != []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        (
            {"simulators": ["uniform", "pooled"]},
            "all simulators are baselines, which corrected ones are held against; add a simulator",
        ),
        ({"curves": False}, "which curves: false leaves out; take one of the two away"),
        (
            {"correct": ["tempered", "stacked"], "simulators": ["ntp", "uniform"]},
            "stacked mixes simulators, and ntp is the only one to test; take stacked away",
        ),
        (
            {
                "outcome": {"kind": "bounded"},
                "ingest": "twin2k_megastudy",
                "cluster": "study",
                "simulators": ["twin"],
            },
            "bounded outcomes are numbers, and options are corrected; take correct away",
        ),
        ({"correct": ["warmed"]}, "'warmed'"),
    ],
)
def test_what_cannot_be_corrected_is_refused_with_the_reason(changes, fault):
    with pytest.raises(DataError) as told:
        study(**{"correct": True, **changes})
    assert [line for line in str(told.value).splitlines() if "correct" in line and fault in line]


def test_the_figure_says_which_key_it_needs():
    assert study().lacks("town", "corrections") == (
        "needs the key datasets.town.correct, true for its defaults; write it into the config and "
        "run the study again"
    )
    assert study(correct=True).lacks("town", "corrections") == ""
    assert study(calibration={}, plan={}).lacks("town", "plan") == ""
