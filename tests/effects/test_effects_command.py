"""The command effects: files of effects, means of arms and persons, in all combinations."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from small_study import REPOSITORY

from fidelity.effects import arm_effects, compare_effects, stated_effects
from fidelity_study.__main__ import main
from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.request import Request
from fidelity_study.errors import DataError

MIRROR = Path(os.environ.get("FIDELITY_DATA_MIRROR", REPOSITORY.parent / "shared" / "data"))
MORAL = MIRROR / "moral_machine_amce"
EFFECTS = {"control": 0.0, "a": 2.0, "b": -1.0, "c": 0.5, "d": 0.0}


@pytest.fixture
def people(tmp_path, monkeypatch):
    """60 persons in each arm, with two outcomes, some of them missing; and models' files."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    arm = np.repeat([*EFFECTS], 60)
    rows = pd.DataFrame({"condition": arm})
    for outcome in ("like", "buy"):
        rows[outcome] = np.repeat([*EFFECTS.values()], 60) + rng.normal(size=300)
    rows.loc[rng.random(300) < 0.1, "buy"] = np.nan
    rows.to_csv("persons.csv", index=False)
    long = rows.melt("condition", var_name="outcome", value_name="y").dropna()
    means = long.groupby(["condition", "outcome"])["y"].agg(mean="mean", sd="std", n="count")
    means.to_csv("means.csv")
    means[["mean"]].to_csv("points.csv")
    stated = [(arm, name, 2 * EFFECTS[arm]) for arm in "abcd" for name in ("like", "buy")]
    model = pd.DataFrame(stated, columns=["condition", "outcome", "effect"])
    model.to_csv("model.csv", index=False)
    model.assign(se=0.1).to_csv("errors.csv", index=False)
    return rows


def tables(*files):
    assert main(["effects", *files, "--control", "control"]) == 0
    return pd.read_csv("effects.csv"), pd.read_csv("effect_summary.csv").set_index("outcome")


def test_persons_against_stated_effects(people, capsys):
    effects, summary = tables("persons.csv", "model.csv")
    there = people.dropna()
    expected = arm_effects(there["buy"], there["condition"], control="control")
    rows = effects[effects["outcome"] == "buy"]
    np.testing.assert_allclose(rows["people"], expected.estimate, atol=1e-12)
    np.testing.assert_allclose(rows[["people_lower", "people_upper"]], expected.intervals())
    assert "effect_lower" not in rows
    model = stated_effects([4.0, -2.0, 1.0, 0.0], expected.labels)
    slope = compare_effects(expected, model).slope
    ends = summary.loc["buy", ["slope", "slope_lower", "slope_upper"]]
    assert ends["slope"] == pytest.approx(slope.estimate, abs=1e-9)
    assert ends["slope_lower"] < 0.5 < ends["slope_upper"]
    assert "certainly 3" in capsys.readouterr().out


def test_means_with_sd_and_n_say_what_persons_do(people):
    of_persons, _ = tables("persons.csv", "model.csv")
    of_means, summary = tables("means.csv", "model.csv")
    columns = ["people", "people_lower", "people_upper"]
    np.testing.assert_allclose(of_means[columns], of_persons[columns], atol=1e-9)
    assert of_means["direction"].tolist() == of_persons["direction"].tolist()
    assert summary["slope_lower"].notna().all() and summary["lacking"].isna().all()


def test_without_errors_there_are_points_only(people, capsys):
    effects, summary = tables("points.csv", "model.csv")
    assert "direction" not in effects and "people_lower" not in effects
    assert "slope_lower" not in summary and (summary["correlation"] > 0.9).all()
    assert "no intervals: effects of people have no errors" in capsys.readouterr().out


def test_errors_in_common_that_nobody_knows(people):
    effects, summary = tables("persons.csv", "errors.csv")
    assert (effects["direction"] == "same").sum() >= 4
    assert "slope_lower" not in summary
    assert summary["lacking"].str.contains("depend on each other").all()


@pytest.mark.slow
def test_tiers_of_the_silicon_sample_benchmark(people):
    """Persons with texts beside, means with prediction intervals, and effects called ate."""
    people.assign(profile_id="x", party="none").to_csv("T1.csv", index=False)
    pd.read_csv("points.csv").assign(pi_lower=0, pi_upper=1).to_csv("T2.csv", index=False)
    points = pd.read_csv("model.csv").rename(columns={"effect": "ate"})
    points.assign(pi_lower=0, pi_upper=1).to_csv("T3.csv", index=False)
    chosen = ("--outcome", "like", "--outcome", "buy")
    _, summary = tables("persons.csv", "T1.csv", "T2.csv", "T3.csv", *chosen)
    assert set(summary["simulator"]) == {"T1", "T2", "T3"}
    slopes = summary.set_index("simulator")["slope"]
    assert slopes["T1"].between(0.9, 1.2).all() and slopes["T3"].between(0.4, 0.6).all()
    assert summary["slope_lower"].notna().all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["persons.csv", "model.csv"], "need a control"),
        (["persons.csv", "model.csv", "--condition", "arm"], "no column 'arm'"),
        (["persons.csv", "model.csv", "--control", "placebo"], "control 'placebo'"),
        (["points.csv", "other.csv", "--control", "control"], "the same labels"),
        (["twice.csv", "other.csv", "--control", "control"], "'a' is there twice"),
    ],
)
def test_what_cannot_be_compared(people, arguments, message, capsys):
    other = pd.DataFrame({"condition": ["z"], "outcome": "like", "effect": 1.0})
    other.to_csv("other.csv", index=False)
    points = pd.read_csv("points.csv")
    pd.concat([points, points]).to_csv("twice.csv", index=False)
    assert main(["effects", *arguments]) == 1
    assert message in capsys.readouterr().err


def test_start_names_the_command(people):
    options = {"condition": "condition", "control": "control", "name": "it"}
    request = Request.of("persons.csv", ("model.csv",), options=options, name="it")
    with pytest.raises(DataError, match=r"fidelity-curves effects persons\.csv model\.csv"):
        understood(request, [].extend)


@pytest.mark.slow
@pytest.mark.skipif(
    not MORAL.is_dir() and "CI" not in os.environ, reason=f"no data mirror at {MORAL}"
)
def test_moral_machine(tmp_path, monkeypatch, capsys):
    """Effects of 9 attributes, of people and 75 models, are published without errors."""
    monkeypatch.chdir(tmp_path)
    (path,) = MORAL.rglob("table_S2.csv")
    table = pd.read_csv(path).rename(columns={"Label": "condition"})
    table[["condition", "Human"]].set_axis(["condition", "ate"], axis=1).to_csv("people.csv")
    models = table.drop(columns="Human").melt("condition", var_name="simulator", value_name="ate")
    models.to_csv("models.csv", index=False)
    assert main(["effects", "people.csv", "models.csv"]) == 0
    summary = pd.read_csv("effect_summary.csv")
    assert len(summary) == 75 and "slope_lower" not in summary
    correlation = summary.set_index("simulator")["correlation"]
    assert correlation.mean() == pytest.approx(0.507, abs=5e-4)
    assert correlation.idxmax() == "DeepSeek R1 0528 Qwen3 8B"
    assert correlation.agg(["min", "max"]).tolist() == pytest.approx([-0.499, 0.859], abs=5e-4)
    assert summary["agree"].sum() / (9 * 75) == pytest.approx(0.667, abs=5e-4)
    assert "effects of people have no errors" in capsys.readouterr().out


def test_a_file_that_is_read_is_not_written_over(people, capsys):
    Path("errors.csv").rename("effects.csv")
    before = Path("effects.csv").read_bytes()
    assert main(["effects", "persons.csv", "effects.csv", "--control", "control"]) == 1
    assert "--out: effects.csv is read and would be written over" in capsys.readouterr().err
    assert Path("effects.csv").read_bytes() == before
    assert (
        main(["effects", "persons.csv", "effects.csv", "--control", "control", "--out", "x"]) == 0
    )


@pytest.mark.parametrize("se", ["", "-0.1"])
def test_an_effect_with_a_wrong_error_is_not_certain(people, se, capsys):
    Path("stated.csv").write_text(f"condition,effect,se\na,0.1,0.02\nb,0.3,{se}\n")
    assert main(["effects", "stated.csv", "stated.csv"]) == 1
    assert "se of 'b' is" in capsys.readouterr().err
