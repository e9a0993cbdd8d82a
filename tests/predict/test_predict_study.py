"""Questions nobody was asked, through the whole step: by hand, by brute force, and refused."""

from fractions import Fraction
from math import ceil

import numpy as np
import pandas as pd
import pytest
from asked_and_new import BASE, TOWN, files_of, names, write
from scipy.stats import beta, binom
from sklearn.feature_extraction.text import TfidfVectorizer
from small_study import copy_project

from fidelity.correction import halve_persons, tempered_mixture
from fidelity.prediction import localised_bound
from fidelity.stream import stream


def raw(folder, options=("no", "yes")) -> tuple[np.ndarray, pd.DataFrame]:
    """Return people's counts of the questions asked, and what the model states of all."""
    people = wide(folder, "people", "count")
    order = sorted(people.index, key=lambda name: int(name[1:]))
    model = wide(folder, "model", "probability")
    return people.loc[order, list(options)].to_numpy(float), model[list(options)]


def wide(folder, file, values) -> pd.DataFrame:
    table = pd.read_csv(folder / f"{file}.csv")
    return table.pivot(index="scenario", columns="value", values=values)


def upper_by_hand(counts: np.ndarray, q: np.ndarray, gamma: float) -> np.ndarray:
    """Return one-sided Clopper-Pearson bounds of |p - q| for the share of the last option."""
    x, n = counts[:, 1], counts.sum(1)
    high = [1.0 if a == b else beta.ppf(gamma, a + 1, b - a) for a, b in zip(x, n, strict=True)]
    low = [0.0 if a == 0 else beta.ppf(1 - gamma, a, b - a + 1) for a, b in zip(x, n, strict=True)]
    return np.maximum(np.array(high) - q, q - np.array(low))


def order_statistic(upper: np.ndarray, miss: Fraction) -> float:
    """Return the value of rank ceil((m + 1)(1 - miss))."""
    return float(np.sort(upper)[ceil((len(upper) + 1) * (1 - miss)) - 1])


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def town(predicted):
    return predicted("town")


@pytest.mark.slow
def test_a_prediction_is_what_raw_counts_give_by_hand(town):
    counts, stated = raw(town["folder"])
    q = stated["yes"].loc[names(1, 60)].to_numpy()
    bound = order_statistic(upper_by_hand(counts, q, 0.95), Fraction(95, 1000))
    table = town["predictions"].query("simulator == 'model' and statement == 'marginal'")
    assert table["bound"].to_numpy() == pytest.approx(bound, abs=1e-12)
    assert len(table) == 20 and table["main"].all()
    for name in names(61, 70):
        row = table.query("scenario == @name and option == 'yes'").iloc[0]
        own = stated.loc[name, "yes"]
        assert row["q"] == pytest.approx(own, abs=1e-12)
        ends = max(own - bound, 0.0), min(own + bound, 1.0)
        assert (row["lower"], row["upper"]) == pytest.approx(ends, abs=1e-9)


@pytest.mark.slow
def test_the_exact_statement_is_the_order_statistic_that_the_binomial_allows(town):
    counts, stated = raw(town["folder"])
    q = stated["yes"].loc[names(1, 60)].to_numpy()
    upper = np.sort(upper_by_hand(counts, q, 0.95))
    # r is enough if P(Bin(60, u) <= 60 - r) <= 0.05 at u = gamma * alpha, the share above U_(r)
    ranks = [r for r in range(1, 61) if binom.cdf(60 - r, 60, 0.095) <= 0.05]
    table = town["predictions"].query("simulator == 'model' and statement == 'exact'")
    assert table["bound"].to_numpy() == pytest.approx(upper[min(ranks) - 1], abs=1e-12)
    assert not table["main"].any()


@pytest.mark.slow
def test_fitted_baselines_predict_nothing_and_say_why(town):
    assert set(town["predictions"]["simulator"]) == {"model", "uniform"}
    (reason,) = town["held_out"].query("simulator == 'pooled'")["reason"]
    assert reason.startswith("pooled learns from people's answers")


def cosines(folder) -> np.ndarray:
    """Return how alike the wording of all 70 questions is, half by words and half by letters."""
    texts = pd.read_csv(folder / "questions.csv")["question"].tolist()
    words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b", sublinear_tf=True)
    letters = TfidfVectorizer(ngram_range=(3, 5), analyzer="char_wb", sublinear_tf=True)
    found = [each.fit_transform(texts) for each in (words, letters)]
    return sum((each @ each.T).toarray() for each in found) / 2


@pytest.mark.slow
def test_the_nearest_questions_are_those_of_the_most_similar_wording(town):
    cosine = cosines(town["folder"])
    nearest = town["nearest"].query("simulator == 'model'").sort_values(["scenario", "rank"])
    for j in range(60, 70):
        expected = [f"q{i + 1:02}" for i in np.argsort(-cosine[j, :60], kind="stable")[:3]]
        assert nearest.query(f"scenario == 'q{j + 1}'")["nearest"].tolist() == expected


@pytest.mark.slow
def test_localised_bounds_rest_on_the_wording_of_those_asked_and_the_new_one(town):
    squared = 2.0 - 2.0 * cosines(town["folder"])
    np.fill_diagonal(squared, 0.0)
    apart = np.sqrt(squared[np.triu_indices(70, 1)].clip(0.0))
    near = np.exp(-squared / (2.0 * np.median(apart) ** 2))
    counts, stated = raw(town["folder"])
    upper = upper_by_hand(counts, stated["yes"].loc[names(1, 60)].to_numpy(), 0.95)
    table = town["predictions"].query("simulator == 'model' and statement == 'localised'")
    assert len(table) == 20 and not table["main"].any()
    for j in range(60, 70):
        at = [*range(60), j]
        found = localised_bound(upper, near[np.ix_(at, at)], alpha=0.095)
        rows = table.query(f"scenario == 'q{j + 1}'")
        assert rows["bound"].to_numpy() == pytest.approx(found.bound, abs=1e-12)
        assert rows["neighbours"].to_numpy() == pytest.approx(found.neighbours, rel=1e-4)


@pytest.mark.slow
def test_weights_bound_as_tibshirani_does(predicted):
    found = predicted("weighted")
    counts, stated = raw(found["folder"])
    q = stated["yes"].loc[names(1, 60)].to_numpy()
    upper = upper_by_hand(counts, q, 0.95)
    ratio = pd.read_csv(found["folder"] / "questions.csv").set_index("scenario")["ratio"]
    weights = ratio.loc[names(1, 60)].to_numpy()
    table = found["predictions"].query("simulator == 'model' and option == 'yes'")
    for name, bound in zip(table["scenario"], table["bound"], strict=True):
        total = weights.sum() + ratio[name]
        mass = [weights[upper <= t].sum() / total for t in np.sort(upper)]
        enough = [t for t, own in zip(np.sort(upper), mass, strict=True) if own >= 1 - 0.095]
        assert bound == pytest.approx(min(enough, default=np.inf), abs=1e-12)


@pytest.mark.slow
def test_clusters_say_which_statement_holds_of_which_question(predicted):
    found = predicted("clusters")
    table = found["predictions"].query("simulator == 'model'")
    new_topic = table[table["scenario"] == "q110"]
    assert new_topic["statement"].isna().all()
    assert new_topic["reason"].str.contains("per_cluster: needs 10 clusters, and there are 5").all()
    others = table[table["scenario"] != "q110"]
    assert set(others["about"]) == {"questions of the same clusters"}
    assert set(others["statement"]) == {"marginal", "exact"}
    counts, stated = raw(found["folder"])
    q = stated["yes"].loc[names(1, 100)].to_numpy()
    upper = np.sort(upper_by_hand(counts, q, 0.95))
    # 5 topics of 20: each question weighs 1/5/21, and what is unknown 1/21
    above = int(np.floor((0.095 - 1 / 21) * 5 * 21 + 1e-9))
    bound = others.query("statement == 'marginal'")["bound"]
    assert bound.to_numpy() == pytest.approx(upper[-1 - above], abs=1e-12)


UNTOLD = {
    "colour": ({"predict": {"features": ["colour"]}}, "'colour'"),
    "shade": (
        {"predict": {"features": ["shade"]}},
        "no file of scenarios has a 'shade' for 'q01'",
    ),
    "topic": (
        {"predict": {"weights": "topic"}},
        "'topic' is not a number above 0 of every question",
    ),
    "options": (
        {"outcome": {"kind": "categorical"}, "simulated": "data/options/drawn.csv"},
        "new question 'q61': its options are not known; list them",
    ),
}


@pytest.mark.slow
def test_what_files_do_not_tell_is_asked_for(project, tmp_path):
    towns = {
        name: {**TOWN, "simulators": ["model"], **files_of(name), **change}
        for name, (change, _) in UNTOLD.items()
    }
    study = project.elsewhere(tmp_path, {**BASE, "datasets": towns})
    for name in towns:
        folder = study.folder / "data" / name
        write(folder)
        asked = pd.read_csv(folder / "questions.csv")
        shaded = asked.assign(shade=[None, *["dark"] * (len(asked) - 1)])
        shaded.to_csv(folder / "questions.csv", index=False)
    model = pd.read_csv(folder / "model.csv")
    model["value"] = model["value"].where(model["scenario"] < "q61", "perhaps")
    drawn = model.drop(columns="probability").drop_duplicates().assign(count=30)
    drawn.to_csv(folder / "drawn.csv", index=False)
    made = [f"results/default/{name}/predict/questions.parquet" for name in towns]
    said = study.run("--keep-going", *made, status=1)
    assert [message for _, message in UNTOLD.values() if message not in said] == []


NAME = "model, corrected (tempered)"


def stated_by_hand(teaching, stated):
    """Return what the corrected model states, (70, 2), the first 60 of questions asked."""
    q = stated.loc[names(1, 70)].to_numpy()
    counts = np.vstack([teaching, np.zeros((10, 2))])
    return tempered_mixture(counts, q, clusters=np.arange(70)).probabilities


def agrees(found, own, bound):
    rows = found["predictions"].query("simulator == @NAME and statement == 'marginal'")
    assert rows["bound"].to_numpy() == pytest.approx(bound, abs=1e-9)
    assert set(rows["scenario"]) == set(names(61, 70)) and rows["main"].all()
    shares = rows.query("option == 'yes'").set_index("scenario")
    for j, name in enumerate(names(61, 70), start=60):
        row = shares.loc[name]
        assert row["q"] == pytest.approx(own[j, 1], abs=1e-9)
        ends = max(own[j, 1] - bound, 0.0), min(own[j, 1] + bound, 1.0)
        assert (row["lower"], row["upper"]) == pytest.approx(ends, abs=1e-9)


@pytest.mark.slow
def test_where_each_question_has_its_own_people_all_teach_and_bound(predicted):
    found = predicted("corrected")
    counts, stated = raw(found["folder"])
    own = stated_by_hand(counts, stated)
    upper = upper_by_hand(counts, own[:60, 1], 0.95)
    agrees(found, own, order_statistic(upper, Fraction(95, 1000)))
    table = found["predictions"]
    assert set(table["simulator"]) == {
        *("model", "uniform", NAME),
        "all simulators, corrected (ridge)",
    }
    assert set(table.query("simulator == @NAME")["statement"]) == {"marginal"}
    assert table.groupby("simulator")["method"].count()["model"] == 0
    (method,) = table.query("simulator == @NAME")["method"].unique()
    assert method.startswith("approximate") and "people of its own" in method
    held = found["held_out"].query("simulator == @NAME").set_index("statement")
    assert "nothing exact holds" in held.loc["exact", "reason"]
    bounds = [order_statistic(np.delete(upper, i), Fraction(95, 1000)) for i in range(len(upper))]
    assert held.loc["marginal", "covered_upper"] == pytest.approx(np.mean(upper <= bounds))
    nearest = found["nearest"].query("simulator == @NAME and rank == 1").set_index("scenario")
    for name, row in nearest.iterrows():
        assert row["upper"] == pytest.approx(upper[int(row["nearest"][1:]) - 1], abs=1e-9), name


@pytest.mark.slow
def test_one_half_of_the_persons_teaches_and_the_other_bounds(predicted):
    found = predicted("halves")
    answers = found["respondents"]
    half = halve_persons(answers["respondent"].to_numpy(), stream(3, "halves", "halves"))
    teaching, bounding = (
        answers[half == which]
        .groupby(["scenario", "value"], observed=True)
        .size()
        .unstack(fill_value=0)
        .loc[names(1, 60)]
        .to_numpy(float)
        for which in range(2)
    )
    assert (teaching + bounding).sum() == 150 * 60
    own = stated_by_hand(teaching, wide(found["folder"], "model", "probability")[["no", "yes"]])
    # The same people: 0.1 - (1 - 0.95) is left for the bounds.
    agrees(
        found, own, order_statistic(upper_by_hand(bounding, own[:60, 1], 0.95), Fraction(5, 100))
    )
    (method,) = found["predictions"].query("simulator == @NAME")["method"].unique()
    assert "one half of the persons teaches" in method
    held = found["held_out"].query("simulator == @NAME and statement == 'marginal'").iloc[0]
    assert held["checked_people"] == 0 and held["checked_upper"] == 60


@pytest.mark.slow
def test_people_who_may_have_answered_several_and_are_not_told_apart_are_refused(predicted):
    found = predicted("untold")
    assert set(found["predictions"]["simulator"]) == {"model", "uniform"}
    (reason,) = found["held_out"].query("simulator == @NAME")["reason"]
    assert "those who teach a correction may not bound it" in reason
    assert "respondents_repeat: false" in reason
