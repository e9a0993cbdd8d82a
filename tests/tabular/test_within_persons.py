"""An experiment within persons: a respondent has a row in several conditions."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tabular_step import read

from fidelity.effects import arm_effects
from fidelity_study.errors import DataError
from fidelity_study.reading.settings import with_levels

ARMS = ["placebo", "a", "b"]
EFFECTS = {"effects": {"condition": "arm", "control": "placebo"}, "groups": ["arm"]}


@pytest.fixture
def people(tmp_path, monkeypatch):
    """40 persons in each of three conditions; beside it a model that plays 20 others."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        [(f"p{i}", arm, 1 + rng.binomial(4, 0.5)) for i in range(40) for arm in ARMS],
        columns=["respondent", "arm", "liked"],
    )
    rows.to_csv("people.csv", index=False)
    model = rows.head(60).assign(simulator="model")
    model.assign(respondent="q" + model["respondent"]).to_csv("models.csv", index=False)
    return rows


def answers(form, rows=None, **settings):
    if rows is not None:
        rows.to_csv("people.csv", index=False)
    if form == "long":
        for path in ("people.csv", "models.csv"):
            table = pd.read_csv(path).rename(columns={"liked": "value"})
            table.assign(scenario="liked").to_csv(path, index=False)
    files = {"human": "people.csv", "simulated": "models.csv", "outcome": {"kind": "ordinal"}}
    return read(
        **{
            key: value
            for key, value in with_levels(files | EFFECTS | settings).items()
            if key != "effects"
        }
    )


@pytest.mark.sampled
@pytest.mark.parametrize("form", ["wide", "long"])
def test_persons_are_the_same_in_all_conditions(people, form):
    read_in = answers(form)
    given = read_in.by_respondent
    assert given["respondent"].nunique() == 40 and len(given) == 120
    assert read_in.scenarios["respondents_repeat"].all() and "people" not in read_in.scenarios
    arms = given["scenario"].str.removeprefix("liked | ")
    effects = arm_effects(given["value"], arms, control="placebo", respondents=given["respondent"])
    wide = people.pivot(index="respondent", columns="arm", values="liked")
    for row, (_, arm) in enumerate(effects.labels):
        expected = stats.ttest_rel(wide[arm], wide["placebo"]).statistic
        assert effects.estimate[row] / effects.se[row] == pytest.approx(expected, abs=1e-9)
    assert read_in.runs["psu"].nunique() == 20


@pytest.mark.parametrize("form", ["wide", "long"])
def test_a_person_answers_once_in_a_condition(people, form):
    again = pd.concat([people, people.iloc[[4]]])
    with pytest.raises(DataError, match=r"'p1' .*second time in condition 'a'") as error:
        answers(form, again)
    assert "respondent-twice" in str(error.value.faults[0].code)
    with pytest.raises(DataError, match=r"'p0' .*second time"):
        answers(form, effects={})


def test_conditions_with_other_persons_stay_apart(people):
    apart = people.iloc[[*range(0, 39, 3), *range(40, 81, 3), *range(83, 120, 3)]]
    apart = apart.assign(shared=apart["liked"])
    pd.read_csv("models.csv").assign(shared=1).to_csv("models.csv", index=False)
    assert answers("wide", apart).scenarios["people"].nunique() == 3
