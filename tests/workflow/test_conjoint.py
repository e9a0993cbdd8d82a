"""A conjoint: from files of profiles to effects of levels, against a regression written out."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from called_step import call_step
from tabular_step import step as ingest_step
from tabular_step import tables_of
from test_effects_step import STEP, results_of

from fidelity_study.app.start.config import config
from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.request import Request
from fidelity_study.config.params import findings_step, report_step
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.reading.codebook.tables import Codebook
from fidelity_study.reading.settings import with_levels
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.report.page.effects import effect_section
from fidelity_study.report.sample import Sample
from fidelity_study.steps.effects import main

LEVELS = {"price": ["500", "1200", "800"], "brand": ["ours", "theirs"]}
UTILITY = {"800": -0.4, "1200": -1.0, "theirs": 0.3}
NAMES = [("price", "800"), ("price", "1200"), ("brand", "theirs")]
OF_LEVELS = {"attributes": ["price", "brand"], "bases": {}}
TABLES = ("effects", "effect_summary", "effect_plan", "of_effects")


def profiles(persons, times=1.0, seed=0, **more):
    """Return choices between two profiles, in four tasks of each person."""
    rng, shape = np.random.default_rng(seed), (persons, 4, 2)
    shown = {name: rng.choice(levels, shape) for name, levels in LEVELS.items()}
    utility = rng.gumbel(size=shape) + rng.normal(size=(persons, 1, 1)) * (shown["price"] == "500")
    for levels in shown.values():
        utility += times * np.vectorize(lambda level: UTILITY.get(level, 0.0))(levels)
    person, task, profile = (place.ravel() for place in np.indices(shape))
    rows = {"respondent": person, "task": task, "profile": profile}
    chosen = (utility == utility.max(2, keepdims=True)).astype(int)
    shown = {name: levels.ravel() for name, levels in shown.items()}
    return pd.DataFrame({**rows, **shown, "chosen": chosen.ravel(), **more})


def regression(rows, names=NAMES, weights=None):
    """Return coefficients and errors as of R's lm, clustered by respondent (CR1)."""
    x = [np.ones(len(rows)), *((rows[name] == level).astype(float) for name, level in names)]
    x, y = np.stack(x, 1), rows["chosen"].to_numpy(float)
    w = np.ones(len(rows)) if weights is None else weights
    bread = np.linalg.inv((x.T * w) @ x)
    beta = bread @ (x.T * w) @ y
    scores = pd.DataFrame(x * (w * (y - x @ beta))[:, None])
    sums = scores.groupby(rows["respondent"].to_numpy()).sum().to_numpy()
    g, (n, k) = len(sums), x.shape
    covariance = bread @ sums.T @ sums @ bread * g / (g - 1) * (n - 1) / (n - k)
    return beta[1:], np.sqrt(np.diag(covariance))[1:]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """People's choices, and those of a simulator whose effects are too large, as CSV."""
    monkeypatch.chdir(tmp_path)
    people, model = profiles(150, seed=1), profiles(90, 2.0, seed=2, model="sharp")
    people["w"] = np.random.default_rng(3).uniform(0.5, 2.0, 150)[people["respondent"]].round(3)
    people.drop(columns="w").to_csv("people.csv", index=False)
    people.to_csv("weighted.csv", index=False)
    model.to_csv("models.csv", index=False)
    return people, model


def read(**settings):
    """Return what the files hold, and the dataset's settings."""
    wanted = {"human": "people.csv", "simulated": "models.csv", "effects": OF_LEVELS, **settings}
    wanted["columns"] = {"simulator": "model", **settings.get("columns", {})}
    complete = with_levels({"outcome": {"kind": "binary"}, "simulators": ["sharp"], **wanted})
    step = ingest_step(**{key: value for key, value in complete.items() if key != "effects"})
    return responses(step), complete


def effects_of(folder, **settings):
    """Return the tables of effects of the files, and the params of the step."""
    found, complete = read(**settings)
    tables = tables_of(found, "binary")
    names = {"simulators": ["sharp"], "groups": complete["groups"], "outcome": {"kind": "binary"}}
    step = STEP | names | {"effects": complete["effects"]}
    made = call_step(main, folder, step, tables, *TABLES)
    return {name: pq.read_table(made[name]).to_pylist() for name in TABLES}, step, tables


def of_side(rows, name):
    """Return estimates and half the intervals' lengths, in the order of NAMES."""
    by = {row["condition"]: row for row in rows}
    ordered = [by[f"{attribute}: {level}"] for attribute, level in NAMES]
    return np.array([[row[name], row[f"{name}_upper"] - row[name]] for row in ordered]).T


@pytest.mark.slow
def test_effects_are_those_of_the_regression_clustered_by_respondent(files, tmp_path):
    made, *_ = effects_of(tmp_path)
    for name, rows, t in zip(("people", "effect"), files, (1.976013, 1.986979), strict=True):
        beta, se = regression(rows)
        estimate, reach = of_side(made["effects"], name)
        np.testing.assert_allclose(estimate, beta, atol=1e-9)
        np.testing.assert_allclose(reach, t * se, rtol=1e-6)
    controls = {row["condition"]: row["control"] for row in made["effects"]}
    assert controls["price: 1200"] == "price: 500"  # the lowest number
    row = next(row for row in made["effects"] if row["condition"] == "brand: theirs")
    assert row["n"] == (files[0]["brand"] == "theirs").sum()
    assert row["draws_control"] == (files[1]["brand"] == "ours").sum()


@pytest.mark.slow
def test_weights_are_those_of_the_regression(files, tmp_path):
    made, *_ = effects_of(tmp_path, human="weighted.csv", weight="w")
    people = files[0]
    beta, se = regression(people, weights=people["w"].to_numpy())
    estimate, reach = of_side(made["effects"], "people")
    np.testing.assert_allclose(estimate, beta, atol=1e-9)
    np.testing.assert_allclose(reach, 1.976013 * se, rtol=1e-6)


@pytest.mark.slow
def test_the_summary_and_the_page_speak_of_levels(files, tmp_path):
    made, step, tables = effects_of(tmp_path)
    (row,) = [row for row in made["effect_summary"] if row["simulator"] == "sharp"]
    assert row["target"] == "these" and row["same"] >= 1 and row["opposite"] == 0
    assert row["spread_ratio"] > 1.0 > row["slope"]
    assert 0.0 < row["mean_lower"] <= row["mean_upper"]
    assert made["effect_plan"][0]["people"] == 150.0
    results = results_of(made)
    results.scenarios = tables["scenarios"]
    results.step = step
    section = effect_section(results)
    assert (section.noun, section.control) == ("level", "price: 500, brand: ours")
    assert len(section.size[0].cells) == 5  # without that of new conditions


@pytest.mark.slow
def test_another_base_turns_effects_around(files, tmp_path):
    of_levels = OF_LEVELS | {"bases": {"price": 1200, "brand": "theirs"}}
    made, *_ = effects_of(tmp_path, effects=of_levels)
    by = {row["condition"]: row["people"] for row in made["effects"]}
    names = [("price", "500"), ("price", "800"), ("brand", "ours")]
    beta, _ = regression(files[0], names)
    np.testing.assert_allclose([by[f"{a}: {b}"] for a, b in names], beta, atol=1e-9)
    with pytest.raises(DataError, match="no level '700'; there are: 500, 800, 1200"):
        effects_of(tmp_path, effects=OF_LEVELS | {"bases": {"price": "700"}})


def test_levels_are_groups_and_profiles_are_of_persons(files):
    found, _ = read()
    assert set(found.scenarios["scenario"]) >= {"chosen | price | 500", "chosen | brand | ours"}
    assert len(found.scenarios) == 5
    assert found.by_respondent["respondent"].nunique() == 1200
    assert found.by_respondent["psu"].nunique() == 150
    assert found.runs["run"].nunique() == 720 and found.runs["psu"].nunique() == 90
    assert found.runs["respondent"].isna().all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"effects": {"attributes": ["prise"]}}, "no column 'prise'.*did you mean 'price'"),
        ({"human": "nobody.csv"}, "who saw a profile"),
        ({"form": "long"}, "a row for each profile"),
    ],
)
def test_what_is_no_conjoint_is_refused(files, settings, message):
    files[0].drop(columns=["w", "respondent"]).to_csv("nobody.csv", index=False)
    files[0].drop(columns="w").to_csv("people.csv", index=False)
    with pytest.raises(DataError, match=message):
        read(**settings)


@pytest.mark.slow
def test_start_writes_the_attributes(files):
    options = {"attribute": ("price", "brand"), "base_level": (("price", "1200"),)}
    options |= {"simulator": ("model",), "name": "phones"}
    request = Request.of("people.csv", ("models.csv",), options=options, name="phones")
    said = []
    settings = config(understood(request, said.extend), Codebook())["datasets"]["phones"]
    assert settings["effects"] == {"attributes": ["price", "brand"], "bases": {"price": "1200"}}
    assert settings["cluster"] == "attribute" and "groups" not in settings


@pytest.mark.slow
def test_page_and_findings_count_persons(files, tmp_path):
    settings = {"ingest": "tabular", "human": "people.csv", "simulated": "models.csv"}
    settings |= {"outcome": {"kind": "binary"}, "columns": {"simulator": "model"}}
    settings |= {"effects": OF_LEVELS, "simulators": ["sharp"]}
    wanted = {"datasets": {"phones": settings}}
    study = Study(wanted)
    _, _, tables = effects_of(tmp_path)
    paths = {name: [tmp_path / f"{name}.parquet"] for name in ("scenarios", "respondents")}
    for name, (path,) in paths.items():
        pq.write_table(tables[name], path)
    for step in (findings_step(study, "phones"), report_step(study, wanted)["datasets"]["phones"]):
        assert Sample(step, paths).persons == 150
