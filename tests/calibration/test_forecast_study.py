"""Studies of forecasts with known truth: the verdict names who is better, and who is calibrated."""

import re

import numpy as np
import pandas as pd
import pytest
from howto_files import GUIDE, written
from small_study import copy_project

EVENTS, FEW_EVENTS, WEEKS = 2_000, 800, 600
OF_EVENTS = {
    "ingest": "tabular",
    "columns": {"scenario": "question"},
    "outcome": {"kind": "binary"},
    "curves": False,
    "calibration": {},
    "figures": [],
}
CONFIG = {
    "seed": 5,
    "datasets": {
        "known": {
            **OF_EVENTS,
            "human": "data/known.csv",
            "simulated": "data/known_forecasts.csv",
            "simulators": ["sharp", "overconfident", "too_high", "uniform"],
        },
        "equal": {
            **OF_EVENTS,
            "human": "data/equal.csv",
            "simulated": "data/equal_forecasts.csv",
            "simulators": ["anna", "ben", "uniform", "pooled"],
        },
        "weeks": {
            "ingest": "tabular",
            "human": "data/weeks.csv",
            "simulated": "data/weeks_forecasts.csv",
            "columns": {"family": "family"},
            "outcome": {"kind": "real"},
            "calibration": {"levels": [0.5, 0.9]},
            "figures": [],
        },
    },
}


def logit(share: np.ndarray) -> np.ndarray:
    return np.log(share / (1.0 - share))


def shown(logits: np.ndarray) -> np.ndarray:
    return (1.0 / (1.0 + np.exp(-logits))).round(6)


def long(name: str, forecasts: dict[str, np.ndarray]) -> pd.DataFrame:
    """Return a row for each forecast."""
    parts = [
        pd.DataFrame(
            {"question": [f"e{j}" for j in range(len(each))], "simulator": who, name: each}
        )
        for who, each in forecasts.items()
    ]
    return pd.concat(parts)


def events(many: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return true probabilities, and what happened."""
    generator = np.random.default_rng(seed)
    truth = generator.beta(1.0, 1.0, many).round(6).clip(0.001, 0.999)
    return truth, (generator.random(many) < truth).astype(int)


def known() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return what happened, and what one calibrated and two other forecasters state."""
    truth, happened = events(EVENTS, 1)
    return happened, {
        "sharp": truth,
        "overconfident": shown(2.0 * logit(truth)),
        "too_high": shown(logit(truth) + 0.5),
    }


def write(folder) -> None:
    """Write the files of all datasets."""
    happened, forecasts = known()
    truth, other = events(FEW_EVENTS, 2)
    noise = np.random.default_rng(3).normal(0.0, 0.5, (2, FEW_EVENTS))
    equal = {
        name: shown(logit(truth) + each) for name, each in zip(("anna", "ben"), noise, strict=True)
    }
    for name, came, given in (("known", happened, forecasts), ("equal", other, equal)):
        answers = pd.DataFrame({"question": [f"e{j}" for j in range(len(came))], "value": came})
        answers.to_csv(folder / f"{name}.csv", index=False)
        long("probability", given).to_csv(folder / f"{name}_forecasts.csv", index=False)
    generator = np.random.default_rng(4)
    loc, scale = generator.normal(100, 20, WEEKS), generator.uniform(2, 6, WEEKS)
    value = loc + scale * generator.normal(size=WEEKS)
    weeks = pd.DataFrame({"scenario": [f"w{j}" for j in range(WEEKS)], "value": value.round(6)})
    weeks.to_csv(folder / "weeks.csv", index=False)
    stated = [
        weeks[["scenario"]].assign(simulator=name, loc=loc.round(6), scale=each, family=family)
        for name, each, family in (
            ("right", scale.round(6), "normal"),
            ("narrow", (scale / 2).round(6), "normal"),
            ("heavy", scale.round(6), "cauchy"),
        )
    ]
    pd.concat(stated).to_csv(folder / "weeks_forecasts.csv", index=False)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def study(copy, tmp_path_factory):
    project = copy.elsewhere(tmp_path_factory.mktemp("forecasts"), CONFIG)
    write(project.folder / "data")
    project.run()
    return project


def verdict(study, dataset: str) -> str:
    """Return the findings on a dataset, on one line."""
    path = study.folder / f"results/default/{dataset}/findings.md"
    return " ".join(path.read_text(encoding="utf-8").replace("\\", "").replace("*", "").split())


@pytest.mark.minutes
def test_the_verdict_names_the_sharper_forecaster_and_who_is_overconfident(study):
    text = verdict(study, "known")
    assert "sharp forecasts best: better than all others and than a uniform guess." in text
    assert "The log score does not settle" not in text and "By the log score" not in text
    assert "sharp shows no miscalibration (p = 0." in text
    assert "overconfident is not calibrated (p = 0.0010; ECE" in text
    assert re.search(
        r"It is overconfident: it states 8\d % for its most likely option on average", text
    )
    assert "It is underconfident" not in text


@pytest.mark.minutes
def test_the_card_of_the_best_forecaster_is_on_the_page_and_in_the_findings(study):
    uses = pd.read_csv(study.folder / "results/default/known/uses/uses.csv")
    row = uses[uses["use"].eq("probabilities")].set_index("simulator").loc["sharp"]
    assert row["verdict"] in ("within", "open")
    title = "Probabilities that come true"
    assert re.search(rf"{title} [^|]*\| [^|]+ \| 5 \| {row['verdict']} \|", verdict(study, "known"))
    page = study.report().read_text(encoding="utf-8")
    assert "What may sharp be used for?" in page
    assert title not in verdict(study, "weeks")


@pytest.mark.minutes
def test_an_event_that_is_stated_too_often_is_told(study):
    """The diagram and its error are of the event, not of the likeliest option."""
    happened, forecasts = known()
    stated = forecasts["too_high"]
    scores = pd.read_parquet(study.folder / "results/default/known/calibration/scores.parquet")
    row = scores.set_index("simulator").loc["too_high"]
    assert row["event_share"] == pytest.approx(happened.mean(), abs=1e-12)
    assert row["event_excess"] == pytest.approx((stated - happened).mean(), abs=1e-12)
    bins = pd.Series(np.ceil(10 * stated))
    gaps = pd.DataFrame({"gap": stated - happened}).groupby(bins.to_numpy())["gap"]
    assert row["ece"] == pytest.approx(gaps.sum().abs().sum() / EVENTS, abs=1e-9)
    text = verdict(study, "known")
    told = f"It states {100 * stated.mean():.0f} % for the event on average, which came in"
    assert f"{told} {100 * happened.mean():.0f} % of cases." in text
    assert text.count("for the event on average") == 1


@pytest.mark.minutes
def test_of_equal_forecasters_none_is_called_best(study):
    text = verdict(study, "equal")
    assert re.search(r"not settled who forecasts best: (anna and ben|ben and anna) cannot", text)
    assert re.search(r"[−+]0\.\d+ \(−0\.\d+ to \+0\.\d+\) from that of (anna|ben)", text)


@pytest.mark.minutes
def test_a_baseline_learned_from_the_other_outcomes_has_no_adaptive_error(study):
    scores = pd.read_parquet(study.folder / "results/default/equal/calibration/scores.parquet")
    scores = scores.set_index("simulator")
    assert scores.loc["pooled", "ece"] < 0.05
    assert scores["ece_adaptive"].isna().to_dict() == {
        "anna": False,
        "ben": False,
        "uniform": False,
        "pooled": True,
    }
    assert "ece_adaptive: it learns from" in scores.loc["pooled", "reason"]


@pytest.mark.minutes
def test_intervals_of_numbers_hold_what_they_should_or_are_called_too_narrow(study):
    text = verdict(study, "weeks")
    assert text.index("right forecasts best: better than all others.")
    assert re.search(
        r"90 % intervals of right \(normal\) hold [89]\d\.\d % .*?: no fault found", text
    )
    assert re.search(r"intervals of narrow \(normal\) hold [56]\d\.\d % .*?overconfident", text)
    assert re.search(r"intervals of heavy \(cauchy\) hold 100\.0 % .*?underconfident", text)
    scores = study.table("weeks/comparison/proper_scores.parquet")
    assert set(scores.query("simulator == 'heavy' and form == 'stated'")["score"]) == {"log"}
    assert set(scores.query("simulator == 'right' and form == 'stated'")["score"]) == {
        "crps",
        "log",
    }
    table = study.table("weeks/calibration/intervals.parquet").set_index(["simulator", "level"])
    assert table.loc[("narrow", 0.9), "coverage"] < 0.7 < table.loc[("right", 0.9), "coverage"]


@pytest.mark.minutes
def test_no_curve_is_made_and_the_page_stays_small(study):
    made = {path.name for path in (study.folder / "results/default").rglob("*.parquet")}
    assert not {"curves.parquet", "mean_discrepancy.parquet", "nall.parquet"} & made
    page = (study.folder / "results/default/report.html").read_text(encoding="utf-8")
    assert "Who forecasts best, and who is calibrated?" in page
    assert "may simulators be used for" not in page
    assert len(page) < 1_500_000
    for heading in ("ECE, equal width", "ECE, adaptive", "Log score (nats)", "CRPS"):
        assert heading in page


@pytest.mark.minutes
def test_the_configs_of_the_guide_run_and_tell_what_it_says(copy, tmp_path_factory):
    configs = written(tmp_path_factory.mktemp("guide"))
    assert list(configs) == ["forecasts.yaml", "numbers.yaml", "margins.yaml", "colours.yaml"]
    datasets = {
        name.removesuffix(".yaml"): {**next(iter(config["datasets"].values())), "figures": []}
        for name, config in configs.items()
    }
    folder = tmp_path_factory.mktemp("guide_study")
    project = copy.elsewhere(folder, {"datasets": datasets})
    written(project.folder)
    project.run()
    assert "It is not settled who forecasts best: anna and ben" in verdict(project, "forecasts")
    assert "with fewer than 30 no difference is called settled" in verdict(project, "forecasts")
    assert "with fewer than 30 questions" in GUIDE.lower()
    assert "probabilities of 'ovr' sum to 0.7 to 1.4" in verdict(project, "colours")
    page = (project.folder / "results/default/report.html").read_text(encoding="utf-8")
    assert "Warning: probabilities of &#39;ovr&#39; sum to" in page
    assert (
        "a distribution of the margin, whose probability above 0 is scored: cauchit cauchy"
        in verdict(project, "margins")
    )
    table = project.table("numbers/calibration/intervals.csv")
    assert set(table["family"]) == {"normal", "cauchy"} and set(table["level"]) == {0.5, 0.9}
