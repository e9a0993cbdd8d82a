"""Published answers of language models, in small: what the ingests make of files of their layouts,
and three curves of the study computed again by hand, from the raw files, with closed forms.
"""

import numpy as np
import pandas as pd
import pytest
import yaml
from small_answers import ASKED, PAIRS, PEOPLE, RUNS, write_answers
from small_study import REPOSITORY, copy_project, vouch_for

pytestmark = pytest.mark.minutes

ROOMS = ("llm_questionnaires", "twin2k_megastudy")
HISTORY = "mistral-7b (history)"
BASELINE = "llama3.1-8b (baseline)"
OTHERS = [
    *("llama3.3-70b (history)", "mistral-large-123b (cycled)", "qwen2.5-7b (baseline)"),
    *("qwen2.5-7b (history)", "qwen2.5-72b (baseline)"),
]
GAMMA = 0.5
DRAWS = 300
MADE = [
    "results/default/big_five/comparison/mean_discrepancy.parquet",
    "results/default/big_five/nonresponse.csv",
    "results/default/big_five/quantile/summary_nall.parquet",
    "results/default/humor_styles/outcomes.parquet",
    "results/default/twins/findings.md",
]


def reduced() -> dict:
    """Return the study of config/llm.yaml, smaller: one n, one γ, a few simulators."""
    config = yaml.safe_load((REPOSITORY / "config" / "llm.yaml").read_text(encoding="utf-8"))
    config["grid"] = {"n": ["all"], "k": ["all"], "gamma": [GAMMA], "replicates": 1}
    hoeffding = {"discrepancy": ["absolute"], "confidence_set": ["hoeffding"]}
    config["datasets"]["big_five"] |= {
        "simulators": [BASELINE, HISTORY, *OTHERS, "uniform", "question_ridge"],
        "grid": {"discrepancy": ["squared"], "confidence_set": ["hoeffding"]},
        "draws": DRAWS,
    }
    config["datasets"]["humor_styles"] |= {"simulators": [BASELINE, "nearest_questions"]}
    config["datasets"]["humor_styles"]["grid"] = {"discrepancy": ["tv"]}
    config["datasets"]["twins"]["grid"] = hoeffding
    return config


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    """Return a folder with small files in the layouts of the published ones."""
    folder = tmp_path_factory.mktemp("mirror")
    write_answers(folder, REPOSITORY / "workflow" / "datasets")
    return folder


@pytest.fixture(scope="module")
def study(mirror, tmp_path_factory):
    """Return the reduced study, run on a copy of the project that vouches for the small files."""
    config = reduced() | {"data_mirror": str(mirror)}
    copy = copy_project(tmp_path_factory.mktemp("copy"))
    vouch_for(copy.root / "workflow" / "datasets", mirror, dict.fromkeys(ROOMS))
    project = copy.elsewhere(tmp_path_factory.mktemp("llm"), config)
    project.run(*MADE)
    return project


def read(mirror, name):
    return pd.read_csv(mirror / name, skipinitialspace=True)


def calibrated(upper: np.ndarray) -> np.ndarray:
    """Return the curve at τ = 0, 0.01, ..., 1 by its definition, in whole numbers."""
    m, ordered = len(upper), np.sort(upper)
    ranks = [-(-m * (100 + i) // 200) for i in range(101)]
    return ordered[np.array(ranks) - 1]


def hoeffding(n: np.ndarray, width: float) -> np.ndarray:
    return width * np.sqrt(np.log(2 / (1 - GAMMA)) / (2 * n))


def curve(study, dataset, simulator, discrepancy, column="upper", k=None):
    """Return a curve in the form k, or else with all the answers that the simulator gave."""
    table = study.table(f"{dataset}/quantile/nall.parquet")
    chosen = (table["simulator"] == simulator) & (table["discrepancy"] == discrepancy)
    k = k or str(max(table["k"][chosen & (table["k"] != "stated")].astype(int)))
    return table[chosen & (table["k"] == k)].sort_values("tau")[column].to_numpy()


def test_the_curve_of_a_model_by_hand(study, mirror):
    people = read(mirror, "llm_questionnaires/big_5/survey.csv")
    model = read(mirror, "llm_questionnaires/big_5/01--baseline/raw.llama3.1-8b.csv")
    model = model.set_axis(ASKED[False], axis=1)
    people = people[model.columns].where(people[model.columns] > 0)
    score = {code: (code - 3) / 2 for code in range(1, 6)}
    p, q = people.replace(score).mean(), model.replace(score).mean()
    half = hoeffding(people.notna().sum().to_numpy(), 2.0)
    low, high = np.maximum(p - half, -1), np.minimum(p + half, 1)
    upper = np.maximum((q - low) ** 2, (q - high) ** 2).to_numpy()
    np.testing.assert_allclose(
        curve(study, "big_five", BASELINE, "squared"), calibrated(upper), rtol=1e-9
    )
    plugin = np.sort((p - q) ** 2)[
        np.maximum(np.ceil(np.arange(101) / 2 - 1e-9), 1).astype(int) - 1
    ]
    found = curve(study, "big_five", BASELINE, "squared", "plugin")
    np.testing.assert_allclose(found, plugin, rtol=1e-9)


def test_the_curve_of_the_twins_by_hand(study, mirror):
    people, twins = (
        read(mirror, f"twin2k_megastudy/combined_dv_{who}.csv") for who in ("human", "llm")
    )
    ranges = read(mirror, "twin2k_megastudy/dv_variables_summary.csv").set_index("DV_variable")
    ranges = ranges.drop(index="creativity_rating_byhuman").dropna(subset=["DV_max"])
    low, high = ranges["DV_min"].copy(), ranges["DV_max"].copy()
    high[[f"rating_{i}_1" for i in range(1, 11)]] = 9
    low["DV1"], high["DV1"] = 1, 7
    y, z = ((table[low.index] - low) / (high - low) for table in (people, twins))
    z = z.where(y.notna())
    n = y.notna().sum().to_numpy()
    p, q, half = y.mean().to_numpy(), z.mean().to_numpy(), hoeffding(n, 1.0)
    upper = np.maximum(np.abs(q - np.maximum(p - half, 0)), np.abs(q - np.minimum(p + half, 1)))
    np.testing.assert_allclose(
        curve(study, "twins", "twin", "absolute"), calibrated(upper), rtol=1e-7
    )


def test_missing_answers_are_counted_for_each_simulator(study, mirror):
    rows = study.table("big_five/nonresponse.csv").set_index("source")
    assert set(rows.index) == {"human", BASELINE, HISTORY, *OTHERS, "uniform", "question_ridge"}
    assert rows.loc["human", ["asked", "missing"]].tolist() == [PEOPLE * 50, 7]
    lost = read(mirror, "llm_questionnaires/big_5/02--with-history/raw.mistral-7b.csv")
    lost = lost.set_axis(ASKED[False], axis=1).isna().sum()
    row = rows.loc[HISTORY]
    assert (row["asked"], row["unparsable"]) == (RUNS * 50, lost.sum())
    assert row["nonresponse"] == pytest.approx(lost.sum() / (RUNS * 50))
    assert (row["worst_scenario"], row["worst_nonresponse"]) == (lost.idxmax(), lost.max() / RUNS)
    assert rows.loc["uniform", ["asked", "nonresponse"]].tolist() == [50 * DRAWS, 0]


def test_the_items_of_models_and_people_are_lined_up(study, mirror):
    """The models' files name the items in their own way."""
    outcomes = study.table("humor_styles/outcomes.parquet")
    counts = outcomes[outcomes["source"] == BASELINE].set_index(["scenario", "value"])["count"]
    model = read(mirror, "llm_questionnaires/humor_styles/01--baseline/raw.llama3.1-8b.csv")
    for column, item in (("AFL1", "Q1"), ("SED12", "Q12"), ("AGE31", "Q31")):
        assert counts[item].to_dict() == model[column].value_counts().to_dict()
    scenarios = study.table("humor_styles/scenarios.parquet").set_index("scenario")
    assert scenarios.loc["Q12", "cluster"] == "selfdefeating"
    assert scenarios.loc["Q1", "description"] == "Statement Q1."
    big = study.table("big_five/scenarios.parquet").set_index("scenario")
    assert big.loc["C1", "description"] == "Statement C1."
    assert big.loc["A1", "description"] == "Statement A1."


def test_the_twins_are_those_of_the_people_asked(study):
    scenarios = study.table("twins/scenarios.parquet")
    assert (len(scenarios), scenarios["cluster"].nunique()) == (35, 8)
    outcomes = study.table("twins/outcomes.parquet")
    counts = outcomes.groupby(["source", "scenario"])["count"].sum()
    pd.testing.assert_series_equal(counts["human"], counts["twin"])
    assert scenarios[["lower", "upper"]].drop_duplicates().to_numpy().tolist() == [[0.0, 1.0]]
    rows = study.table("twins/runs.parquet")
    assert (rows["run"] == rows["respondent"]).all() and len(rows) == counts["twin"].sum()
    assert counts["human"].max() == PAIRS > counts["human"].min()


def test_figures_show_the_first_and_the_closest_of_many_simulators(study):
    results = study.results(reduced(), "big_five")
    area = {
        name: curve(study, "big_five", name, "squared", k=k).mean()
        for names, k in (((HISTORY, *OTHERS), None), (("uniform", "question_ridge"), "stated"))
        for name in names
    }
    farthest = max(area, key=area.get)
    assert set(results.simulators) - set(results.shown) == {farthest}
    assert results.shown == [name for name in results.simulators if name != farthest]
    assert "8 of 9 simulators" in results.notes.shown


def test_one_simulator_is_not_compared(small_study):
    config = reduced()
    assert "pairs" in small_study.study(config).figures("twins")
    config["datasets"]["twins"]["simulators"] = ["twin"]
    assert "pairs" not in small_study.study(config).figures("twins")


def test_nothing_is_fetched_or_read_again(study):
    assert study.planned(*MADE) == {}


def test_the_wrong_file_in_the_mirror_is_refused(small_study, tmp_path):
    wrong = tmp_path / "mirror" / "twin2k_megastudy"
    wrong.mkdir(parents=True)
    for name in ("combined_dv_human.csv", "combined_dv_llm.csv", "dv_variables_summary.csv"):
        (wrong / name).write_text("TWIN_ID,Q1\n1,2\n", encoding="utf-8")
    config = reduced() | {"data_mirror": str(wrong.parent)}
    project = small_study.elsewhere(tmp_path / "project", config)
    said = project.run("results/default/twins/outcomes.parquet", status=1)
    assert "is not the file this dataset was made for" in said
    assert "nothing was kept" in said
    assert not list(project.folder.rglob("resources/**/*.csv"))
