"""A small study run for real: its files, its numbers, and what runs again when something changes.

Rules are run in a copy of the project; see the fixture ``small_study``.
"""

import runpy
import shutil
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest
import yaml
from scipy.spatial.distance import pdist, squareform
from scipy.stats import norm, wasserstein_distance
from small_study import (
    ECHO,
    SIDED,
    STUDY,
    TWIN,
    figures_of,
)
from snakemake.iocontainers import InputFiles, OutputFiles

import fidelity
from fidelity.comparison import (
    certified_closer_share,
    closer_share_p_value,
    clustered_closer_share,
    score_error_bar,
)
from fidelity.comparison.equivalent_sample_size import pooled_sample_size
from fidelity.curves.envelope import GAMMA_GRID
from fidelity.curves.target import cluster_weights
from fidelity.planning import clusters_needed
from fidelity.responses import Responses, Simulator
from fidelity.sets.gamma import parse_sides
from fidelity.stream import stream
from fidelity_study.config.params import step as step_of
from fidelity_study.config.project import figures
from fidelity_study.errors import DataError
from fidelity_study.steps.comparison import certainty
from fidelity_study.steps.registry import STEPS, TABLES
from fidelity_study.tables.ingest import OUTCOMES, SCENARIOS
from fidelity_study.tables.read_write import metadata, read, write

pytestmark = pytest.mark.slow

DATASETS = list(STUDY["datasets"])
NS = {
    name: [str(n) for n in settings["grid"].get("n", STUDY["grid"]["n"])]
    for name, settings in STUDY["datasets"].items()
}
WITH_40 = [name for name in DATASETS if "40" in NS[name]]
EACH_N = sum(len(ns) for ns in NS.values())
FIGURES = {f"figure_{name}": 1 for name in DATASETS}
SCHEDULE = "1-n^-1/3"
SIDES = "0.5, lower 0.9"
CELL = ["simulator", "replicate", "k", "confidence_set", "gamma", "discrepancy"]
SAMPLE = ["scenario", "simulator", "replicate", "k"]
OF_CSV = {
    "nonresponse.csv": [
        *("source", "scenarios", "others", "asked", "answered", "nonresponse"),
        *("missing", "refused", "unparsable", "failed", "undecided"),
        *("worst_nonresponse", "worst_scenario", "elsewhere"),
    ],
    "summary.csv": [
        *("dataset", "simulator", "n", "k", "confidence_set", "gamma", "discrepancy"),
        *("m", "n_short", "k_short", "k_fewest", "k_most"),
        *("replicates", "auc", "var_90", "cvar_90", "auc_sd"),
        *("guarantee", "guarantee_level", "certified_var_90"),
        *("auc_plugin", "auc_oracle", "cvar_90_oracle"),
    ],
    "comparison/shares.csv": [
        *("n", "simulator", "other", *CELL[1:], "m", "clusters"),
        *("share", "plugin_share", "certified_share", "p_value"),
    ],
}
OF_RUNS = ("associations", "pair_tables", "scales", "dispersion", "group_differences")
WITHOUT_RUNS = {
    *("missing", "runs", "stated_by_persona", "structure/twins", "structure/twins_by"),
    *(f"structure/{name}" for name in OF_RUNS),
}
WITHOUT_PERSONS = WITHOUT_RUNS | {"personas", "respondents", "sample_size"}
NO_USES = {"facts", "uses/of_persons", "uses/of_relations"}
OF_SIMULATORS = {"uses/of_new_questions", "uses/of_probabilities", "uses/uses"}
EMPTY = {
    "personality": WITHOUT_RUNS | {"structure/structure"} | NO_USES | OF_SIMULATORS,
    "survey": WITHOUT_PERSONS | {"comparison/by_cluster"} | NO_USES,
    "ratings": WITHOUT_PERSONS | {"stated"} | NO_USES,
}
TAU = [Fraction(i, 100) for i in range(101)]


@pytest.mark.parametrize("dataset", DATASETS)
def test_tables_are_there_with_the_columns_they_promise(small_study, dataset):
    settings, empty = small_study.study(STUDY).datasets[dataset], set()
    for table in TABLES:
        for run in STEPS[table.step].runs(settings):
            for path in table.files.values():
                made = small_study.table(f"{dataset}/{path.format(**run)}")
                promised = OF_CSV.get(path) or table.read_schema().names
                assert sorted(made.columns) == sorted(promised), path
                if made.empty:
                    empty.add(table.path)
    assert empty == EMPTY[dataset]


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_figure_is_there_for_screen_and_print(small_study, dataset):
    folder = small_study.folder / "results" / "default" / dataset / "figures"
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        f"{name}.{suffix}" for name in figures_of(dataset) for suffix in ("png", "pdf", "txt")
    )
    begins = {".png": b"\x89PNG", ".pdf": b"%PDF", ".txt": b""}
    for path in folder.iterdir():
        assert path.read_bytes().startswith(begins[path.suffix])
    for name in figures_of(dataset):
        text = (folder / f"{name}.txt").read_text(encoding="utf-8")
        assert text == figures()[name].caption + "\n"


def test_nothing_half_written_is_left(small_study):
    assert list((small_study.folder / "results" / "default").rglob("*.partial*")) == []


def test_tables_carry_the_settings_they_were_made_with(small_study):
    path = small_study.folder / "results" / "default" / "personality" / "bootstrap" / "n40.parquet"
    settings = metadata(path)
    assert (settings["dataset"], settings["n"]) == ("personality", 40)
    assert (settings["seed"], settings["replicates"]) == (STUDY["seed"], 2)
    kept = small_study.folder / "results" / "default" / "config.yaml"
    assert yaml.safe_load(kept.read_text(encoding="utf-8")) == {**STUDY, "study": "default"}


@pytest.mark.parametrize(
    ("dataset", "gammas", "pairs", "forms"),
    [
        (
            "personality",
            ["0.5", SCHEDULE],
            {"squared": ["hoeffding", "witness"], "tv": ["multinomial_kl_paper", "witness"]},
            {"uniform": ["20", "30", "stated"], "pooled": ["20", "30", "stated"]},
        ),
        (
            "survey",
            ["0.5", SCHEDULE],
            {
                "tv": ["multinomial_kl_paper", "witness"],
                "kl": ["multinomial_kl_paper", "multinomial_kl"],
            },
            {TWIN: ["20", "30", "60", "stated"], ECHO: ["20", "30"]},
        ),
        (
            "ratings",
            [SIDES, "0.5", "0.9"],
            {"absolute": ["betting", "witness"], "w1": ["w1"]},
            {"rule": ["20"], "model": ["20"]},
        ),
    ],
)
def test_the_summary_has_one_row_for_each_cell_of_the_grid(
    small_study, dataset, gammas, pairs, forms
):
    summary = small_study.table(f"{dataset}/summary.csv")
    keys = ["simulator", "n", "k", "confidence_set", "gamma", "discrepancy"]
    found = list(summary[keys].itertuples(index=False, name=None))
    assert sorted(found) == sorted(
        (simulator, n, k, chosen, gamma, discrepancy)
        for simulator, ks in forms.items()
        for n in NS[dataset]
        for k in ks
        for discrepancy, sets in pairs.items()
        for chosen in sets
        for gamma in gammas
    )
    assert set(summary["replicates"]) == {2}
    answered = summary.groupby("simulator")["m"].agg(["min", "max"])
    m = len(small_study.table(f"{dataset}/scenarios.parquet"))
    for simulator in forms:
        lacking = 1 if simulator == ECHO else 0
        assert answered.loc[simulator].tolist() == [m - lacking, m - lacking]


def counts_of(project, dataset, source="human"):
    """Return all of a source's counts, scenario -> (d,), in the order of the options."""
    outcomes = project.table(f"{dataset}/outcomes.parquet").query("source == @source")
    counts = outcomes.set_index(["scenario", "value"])["count"]
    scenarios = project.table(f"{dataset}/scenarios.parquet").set_index("scenario")
    return {
        name: np.array([counts.get((name, value), 0.0) for value in scenarios.loc[name, "value"]])
        for name in scenarios.index
    }


def answers(project, dataset, simulator, k, replicate, discrepancy):
    """Return a simulator's shares, scenario -> (d,): as stated, or as sampled and smoothed."""
    if k == "stated":
        stated = project.table(f"{dataset}/stated.parquet").query("source == @simulator")
        return {
            name: rows.sort_values("value")["probability"].to_numpy()
            for name, rows in stated.groupby("scenario")
        }
    samples = project.table(f"{dataset}/bootstrap/simulators.parquet")
    samples = samples.query("simulator == @simulator and k == @k and replicate == @replicate")
    if discrepancy != "kl":
        return samples.set_index("scenario")["share"].to_dict()
    return {
        row.scenario: (row.share * row.k_j + 0.5) / (row.k_j + len(row.share) / 2)
        for row in samples.itertuples()
    }


def mean_of(p, scores):
    return p @ scores / p.sum()


def variance_of(p, scores):
    return p @ (scores - mean_of(p, scores)) ** 2 / p.sum()


def median_of(p, scores):
    return scores[np.argmax(np.cumsum(p) >= p.sum() / 2 - 1e-12)]


def relative_entropy(p, q, _):
    chosen = p > 0
    return np.inf if (q[chosen] == 0).any() else p[chosen] @ np.log(p[chosen] / q[chosen])


def laplace_mmd(p, q, scores):
    gaps = pdist(scores[:, None], "cityblock")
    return np.sqrt((p - q) @ np.exp(-squareform(gaps) / np.median(gaps)) @ (p - q))


PLUGIN = {
    "squared": lambda p, q, s: (mean_of(p, s) - mean_of(q, s)) ** 2,
    "absolute": lambda p, q, s: abs(mean_of(p, s) - mean_of(q, s)),
    "variance": lambda p, q, s: abs(variance_of(p, s) - variance_of(q, s)),
    "median": lambda p, q, s: abs(median_of(p, s) - median_of(q, s)),
    "tv": lambda p, q, _: np.abs(p - q).sum() / 2,
    "kl": relative_entropy,
    "w1": lambda p, q, s: wasserstein_distance(s, s, p, q),
    "mmd_laplace": laplace_mmd,
}
CASES = {
    "ordinal": ("personality", "pooled", 1, "30", "witness", "0.5", "squared"),
    "stated": ("personality", "uniform", 0, "stated", "hoeffding", "0.5", "squared"),
    "scheduled": ("personality", "pooled", 0, "20", "multinomial_kl_paper", SCHEDULE, "tv"),
    "categorical": ("survey", TWIN, 1, "stated", "witness", SCHEDULE, "tv"),
    "missing scenario": ("survey", ECHO, 0, "30", "witness", "0.5", "tv"),
    "smoothed": ("survey", ECHO, 1, "20", "multinomial_kl", SCHEDULE, "kl"),
    "stated zero": ("survey", TWIN, 0, "stated", "multinomial_kl", "0.5", "kl"),
    "bounded, sided": ("ratings", "model", 1, "20", "betting", SIDES, "absolute"),
    "bounded, distribution": ("ratings", "rule", 0, "20", "w1", "0.9", "w1"),
    "real, mean": ("delays", "model", 0, "20", "bootstrap_percentile", "0.5", "absolute"),
    "real, variance": ("delays", "rule", 0, "20", "bootstrap_bca", "0.5", "variance"),
    "real, median": ("delays", "model", 0, "20", "bootstrap_bca", "0.5", "median"),
    "3 or 4 options, w1": ("grades", ECHO, 0, "20", "witness", "0.5", "w1"),
    "3 or 4 options, kl": ("grades", TWIN, 0, "20", "multinomial_kl", "0.5", "kl"),
    "3 or 4 options, mmd": ("grades", ECHO, 0, "20", "witness", "0.5", "mmd_laplace"),
}
GAMMAS = {SCHEDULE: {"schedule": "1/3"}, SIDES: SIDED, "0.5": 0.5, "0.9": 0.9}


@pytest.fixture
def project_of(small_study, other_kinds):
    """Return a function that finds the project of a dataset."""
    return lambda dataset: small_study if dataset in DATASETS else other_kinds


@pytest.mark.parametrize("case", CASES)
def test_a_cells_numbers_come_from_the_outcomes_through_the_public_library(project_of, case):
    dataset, simulator, replicate, k, confidence_set, label, discrepancy = CASES[case]
    project = project_of(dataset)
    counts = counts_of(project, dataset)
    q = answers(project, dataset, simulator, k, replicate, discrepancy)
    n = np.array([counts[name].sum() for name in q])
    sides = parse_sides(GAMMAS[label])
    scenarios = project.table(f"{dataset}/scenarios.parquet").set_index("scenario")
    key = (STUDY["seed"], dataset, "n=all")

    def bounds(side):
        found = []
        for name, coverage in zip(q, side.at(n), strict=True):
            row = scenarios.loc[name]
            (lower,), (upper,), (gap,) = fidelity.pseudo_discrepancy(
                counts[name][None],
                q[name][None],
                confidence_set=confidence_set,
                discrepancy=discrepancy,
                gamma=coverage,
                scores=row["score"],
                limits=(row["lower"], row["upper"]) if row["kind"] == "bounded" else None,
                generator=stream(*key, name, replicate, confidence_set),
            )
            found.append((lower, upper, gap))
        return np.transpose(found)

    by_side = {side.label: bounds(side) for side in (sides.lower, sides.upper)}
    score = scenarios["score"]
    plugin = [PLUGIN[discrepancy](counts[s] / counts[s].sum(), q[s], score[s]) for s in q]
    cell = dict(zip(CELL, CASES[case][1:], strict=True))

    everything = project.table(f"{dataset}/pseudo_discrepancy/nall.parquet")
    for side in (sides.lower, sides.upper):
        rows = of_cell(everything, cell | {"gamma": side.label})
        rows = rows.set_index("scenario").loc[list(q)]
        assert len(rows) == len(q)
        expected = dict(zip(("lower", "upper", "gap"), by_side[side.label], strict=True))
        expected |= {"n_j": n, "gamma_j": side.at(n), "plugin": plugin, "oracle": plugin}
        for column, values in expected.items():
            np.testing.assert_allclose(rows[column], values, rtol=1e-9, atol=1e-12, err_msg=column)

    lower, upper = by_side[sides.lower.label][0], by_side[sides.upper.label][1]
    gamma, smallest = sides.upper.at(n), Fraction(1, 2) if label != "0.9" else Fraction(9, 10)
    shared = dependent_of(scenarios, list(q), cell["simulator"])
    certified = fidelity.weighted_certified_curve(upper, gamma, smallest, TAU, 0.05)
    if label != SCHEDULE or shared > 1:
        certified = fidelity.certified_curve(upper, smallest, TAU, 0.05, shared)
    curves = of_cell(project.table(f"{dataset}/quantile/nall.parquet"), cell)
    np.testing.assert_array_equal(curves["tau"], np.arange(101) / 100)
    expected = {
        "upper": fidelity.quantile_curve(upper, gamma, TAU),
        "lower": fidelity.lower_quantile_curve(lower, sides.lower.at(n), TAU),
        "plugin": fidelity.empirical_quantile(plugin, TAU),
        "oracle": fidelity.empirical_quantile(plugin, TAU),
        "certified_upper": certified,
    }
    for column, values in expected.items():
        np.testing.assert_allclose(curves[column], values, rtol=1e-9, atol=1e-12, err_msg=column)

    summary = of_cell(project.table(f"{dataset}/quantile/summary_nall.parquet"), cell)
    (row,) = summary.to_dict("records")
    tenth = Fraction(1, 10)
    assert row["m"] == len(q)
    assert row["auc"] == pytest.approx(fidelity.area_under_curve(upper, gamma))
    assert row["var_90"] == pytest.approx(fidelity.value_at_risk(upper, gamma, tenth))
    assert row["cvar_90"] == pytest.approx(fidelity.tail_mean(upper, gamma, tenth))
    assert row["auc_plugin"] == pytest.approx(np.mean(plugin))
    if label == SCHEDULE and shared > 1:
        assert pd.isna(row["guarantee"])
    else:
        assert row["guarantee"] == ("simultaneous" if label == SCHEDULE else "exact")
    if label != SCHEDULE:
        rank = int(np.ceil(len(q) * (1 - smallest / 10)))
        level = fidelity.exact_level(len(q), smallest, rank, 0.05, shared)
        assert row["guarantee_level"] == pytest.approx(level)


def dependent_of(scenarios, names, *simulators):
    """Return how many scenarios may depend on each other: people answer several, or "pooled" does.

    Those of unknown people may depend on any.
    """
    if "pooled" in simulators:
        return len(names)
    people = scenarios.loc[names, "people"]
    known = people.value_counts()
    return int(people.isna().sum() + (known.max() if len(known) else 0))


def of_cell(table, cell):
    for key, value in cell.items():
        table = table[table[key] == value]
    return table


def step_again(project, script, sources, folder, names, **changes):
    """Run a step of the survey at n = all once more, with changed settings; return its tables."""
    step = step_of(project.study(STUDY), script, "survey", "all")
    assert set(changes) <= set(step)
    results = project.folder / "results" / "default"
    output = OutputFiles(fromdict={name: str(folder / f"{name}.parquet") for name in names})
    snakemake = SimpleNamespace(
        params=SimpleNamespace(step=step | changes),
        input=InputFiles(fromdict={name: str(results / path) for name, path in sources.items()}),
        output=output,
        log=[str(folder / "log")],
        rule=script,
        wildcards={},
    )
    path = str(project.root / "scripts" / "step.py")
    runpy.run_path(path, init_globals={"snakemake": snakemake})
    return [project.table(path) for path in output]


def test_the_summary_is_the_mean_over_replicates(small_study):
    keys = ["simulator", "k", "confidence_set", "gamma", "discrepancy"]
    values = ["auc", "var_90", "cvar_90", "guarantee_level", "auc_oracle"]
    each = small_study.table("personality/quantile/summary_n40.parquet")
    means = each.groupby(keys)[values].mean()
    told = small_study.table("personality/summary.csv").query("n == '40'").set_index(keys)
    np.testing.assert_allclose(told[values], means.loc[told.index], rtol=1e-12)
    spread = each.groupby(keys)["auc"].std()
    np.testing.assert_allclose(told["auc_sd"], spread.loc[told.index], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("index", ["mean", "min"])
def test_the_index_of_the_config_reaches_the_curves(small_study, tmp_path, index):
    cells = "survey/pseudo_discrepancy/nall.parquet"
    sources = {"scenarios": "survey/scenarios.parquet", "pseudo_discrepancy": cells}
    curves, summaries = step_again(
        small_study, "quantile", sources, tmp_path, ["quantile", "summary"], index=index
    )
    guaranteed, levels = step_again(
        small_study, "guarantee", sources, tmp_path, ["guarantee", "levels"], index=index
    )
    cell = dict(zip(CELL, (TWIN, 0, "stated", "witness", SCHEDULE, "tv"), strict=True))
    rows = of_cell(small_study.table(cells), cell)
    upper, lower, gamma = (rows[name].to_numpy() for name in ("upper", "lower", "gamma_j"))
    expected = {
        "upper": fidelity.quantile_curve(upper, gamma, TAU, index=index),
        "lower": fidelity.lower_quantile_curve(lower, gamma, TAU, index=index),
    }
    for side, curve in expected.items():
        np.testing.assert_array_equal(of_cell(curves, cell)[side], curve)
        weighted = of_cell(small_study.table("survey/quantile/nall.parquet"), cell)[side]
        assert (curve != weighted.to_numpy()).any()
    (summary,) = of_cell(summaries, cell).to_dict("records")
    area = fidelity.area_under_curve(upper, gamma, index=index)
    assert summary["auc"] == pytest.approx(area)
    asymptotic = of_cell(guaranteed, cell | {"guarantee": "asymptotic"})["upper"]
    np.testing.assert_array_equal(asymptotic, expected["upper"])
    assert (of_cell(levels, cell)["var_90"] == expected["upper"][90]).all()


def guarantees_of(project, dataset, cell):
    """Return a cell's curves and levels, the discrepancies they are made of, and their clusters."""
    rows = of_cell(project.table(f"{dataset}/pseudo_discrepancy/nall.parquet"), cell)
    scenarios = project.table(f"{dataset}/scenarios.parquet").set_index("scenario")
    curves = of_cell(project.table(f"{dataset}/guarantee/nall.parquet"), cell)
    levels = of_cell(project.table(f"{dataset}/guarantee/levels_nall.parquet"), cell)
    assert levels["guarantee"].is_unique
    by_name = {}
    for name, curve in curves.groupby("guarantee"):
        np.testing.assert_array_equal(curve["tau"], np.arange(101) / 100)
        by_name[name] = curve["upper"].to_numpy()
    clusters = scenarios.loc[rows["scenario"], "cluster"].to_numpy()
    return by_name, levels.set_index("guarantee"), rows, clusters


def test_guarantees_come_from_the_discrepancies_through_the_public_library(small_study):
    cell = dict(zip(CELL, ("uniform", 0, "30", "witness", "0.5", "squared"), strict=True))
    curves, levels, rows, clusters = guarantees_of(small_study, "personality", cell)
    upper, half, eta, m, rank = rows["upper"].to_numpy(), Fraction(1, 2), 0.05, 50, 48
    key = (STUDY["seed"], "personality", "all", "uniform", "0", "30", "witness", "squared", "0.5")
    scenarios = small_study.table("personality/scenarios.parquet").set_index("scenario")
    shared = dependent_of(scenarios, list(rows["scenario"]))
    assert 1 < shared < m
    expected = {
        "asymptotic": fidelity.quantile_curve(upper, 0.5, TAU),
        "exact": fidelity.certified_curve(upper, half, TAU, eta, shared),
    }
    assert set(curves) == set(expected)
    for name, curve in expected.items():
        np.testing.assert_array_equal(curves[name], curve, err_msg=name)

    oracle, tenth = rows["oracle"].to_numpy(), Fraction(1, 10)
    held_out = fidelity.held_out_coverage(
        oracle, upper, np.full(m, 0.5), tenth, stream(*key, "levels"), 100
    )
    expected = {
        "asymptotic": 0.9,
        "exact": fidelity.exact_level(m, half, rank, eta, shared),
        "held_out": held_out.mean,
    }
    assert levels["level"].to_dict() == pytest.approx(expected)
    spread = levels["standard_error"].dropna().to_dict()
    assert spread == pytest.approx({"held_out": held_out.standard_error})
    known = {
        "m": m,
        "shared_people": shared,
        "n_clusters": 5,
        "icc": fidelity.intraclass_correlation(upper, clusters),
        "design_effect": fidelity.design_effect(upper, clusters),
        "var_90": np.sort(upper)[rank - 1],
    }
    for name, value in known.items():
        assert levels[name].to_numpy() == pytest.approx(value), name


def test_scenarios_in_one_cluster_have_no_guarantee_for_new_clusters(small_study):
    curves = small_study.table("survey/guarantee/nall.parquet")
    levels = small_study.table("survey/guarantee/levels_nall.parquet")
    assert set(curves["guarantee"]) == {"asymptotic", "exact", "simultaneous", "marginal"}
    assert not {"design_effect", "new_cluster"} & set(levels["guarantee"])
    assert (levels["n_clusters"] == 1).all()
    assert levels[["icc", "design_effect"]].isna().all(axis=None)


def test_of_a_simulator_fitted_to_people_nothing_is_certain(small_study):
    cell = dict(zip(CELL, ("pooled", 0, "30", "witness", "0.5", "squared"), strict=True))
    curves, levels, rows, _ = guarantees_of(small_study, "personality", cell)
    assert levels.loc["exact", "shared_people"] == len(rows)
    assert levels.loc["exact", "level"] == 0
    assert np.isposinf(curves["exact"][1:]).all()
    shares = small_study.table("personality/envelope/shares.parquet")
    fitted = shares[(shares["simulator"] == "pooled") & shares["cluster"].isna()]
    assert fitted["certified_var_90"].isna().all()


def test_means_over_one_cluster_speak_of_that_cluster(small_study):
    for dataset, target in (("survey", "same cluster"), ("personality", "new")):
        for table in ("means", "variance"):
            found = small_study.table(f"{dataset}/comparison/{table}.parquet")
            assert set(found["target"]) == {target}
    text = (small_study.folder / "results/default/survey/findings.md").read_text(encoding="utf-8")
    assert "are of one cluster (by topic): nothing is known of others" in text


def test_a_target_of_its_own_weighs_the_scenarios_by_cluster(other_kinds):
    cell = ("rule", 0, "20", "bootstrap_bca", "0.5", "absolute")
    cell = dict(zip(CELL, cell, strict=True))
    curves, _, rows, clusters = guarantees_of(other_kinds, "delays", cell)
    weights = cluster_weights(clusters, {"page 0": 5, "page 1": 1, "page 2": 1, "page 3": 0})
    curve = fidelity.weighted_quantile_curve(rows["upper"].to_numpy(), 0.5, TAU, weights)
    np.testing.assert_array_equal(curves["target"], curve)
    assert (curve != curves["asymptotic"]).any()


def pooled(project, dataset, simulator, weighting_effect=1.0):
    """Return how many people a simulator is worth, over scenarios with three or four options."""
    people, simulated = (counts_of(project, dataset, source) for source in ("human", simulator))
    parts = []
    for d in (4, 3):
        there = [name for name in people if len(people[name]) == d and simulated[name].any()]
        counted = np.stack([people[name] for name in there])
        answered = np.stack([simulated[name] for name in there])
        parts.append(
            fidelity.equivalent_human_sample_size(
                *(counted, answered, np.linspace(-1, 1, d)),
                orders=20,
                seed=STUDY["seed"],
                human_sizes=counted.sum(1) / weighting_effect,
            )
        )
    return pooled_sample_size(parts)


def test_a_simulators_worth_is_pooled_over_scenarios_with_different_options(other_kinds):
    row = other_kinds.table("grades/sample_size.parquet").set_index("simulator").loc[ECHO]
    assert (row["m"], row["k_max"]) == (11, 30)
    assert row["k_hat"] == pooled(other_kinds, "grades", ECHO).k_hat > 3


def test_numbers_without_bounds_have_no_equivalent_sample_size(other_kinds):
    assert other_kinds.table("delays/sample_size.parquet").empty


@pytest.mark.parametrize("dataset", WITH_40)
def test_subsamples_are_n_of_those_who_answered(small_study, dataset):
    everyone = counts_of(small_study, dataset)
    samples = small_study.table(f"{dataset}/bootstrap/n40.parquet")
    assert len(samples) == 2 * len(everyone)
    for row in samples.to_dict("records"):
        whole, drawn = everyone[row["scenario"]], row["count"]
        assert drawn.sum() == row["n_j"] == min(40, whole.sum())
        assert (drawn >= 0).all()
        assert (drawn <= whole).all()
        assert (drawn % 1 == 0).all()
    for row in small_study.table(f"{dataset}/bootstrap/nall.parquet").to_dict("records"):
        np.testing.assert_array_equal(row["count"], everyone[row["scenario"]])


def test_replicates_of_a_subsample_differ(small_study):
    samples = small_study.table("personality/bootstrap/n40.parquet")
    both = samples.groupby("scenario")["count"].agg(list)
    assert sum((one == other).all() for one, other in both) < len(both) / 5


def test_scenarios_with_fewer_people_are_counted(small_study):
    summary = small_study.table("survey/summary.csv")
    short = sum(counts.sum() < 40 for counts in counts_of(small_study, "survey").values())
    found = summary.groupby(["simulator", "n"])["n_short"].unique()
    assert 0 < short < 12
    assert found[TWIN, "40"].tolist() == [short]
    assert found[ECHO, "40"].tolist() == [short - 1]
    assert found[TWIN, "all"].tolist() == [0]


@pytest.mark.parametrize("dataset", DATASETS)
def test_simulators_answers_are_k_of_those_they_gave(small_study, dataset):
    outcomes = small_study.table(f"{dataset}/outcomes.parquet").query("source != 'human'")
    given = outcomes.groupby(["source", "scenario"])["count"].sum()
    samples = small_study.table(f"{dataset}/bootstrap/simulators.parquet").query("k != 'stated'")
    for row in samples.itertuples():
        assert row.k_j == min(int(row.k), given[row.simulator, row.scenario])
        drawn = row.share * row.k_j
        np.testing.assert_allclose(drawn, np.round(drawn), atol=1e-9)
        assert drawn.sum() == pytest.approx(row.k_j)


@pytest.mark.parametrize("dataset", ["personality", "survey"])
def test_stated_probabilities_take_no_draws(small_study, dataset):
    samples = small_study.table(f"{dataset}/bootstrap/simulators.parquet").query("k == 'stated'")
    stated = small_study.table(f"{dataset}/stated.parquet")
    assert set(samples["simulator"]) == set(stated["source"])
    assert samples["k_j"].isna().all()
    shares = stated.sort_values("value").groupby(["source", "scenario"])["probability"].agg(list)
    for row in samples.itertuples():
        np.testing.assert_array_equal(row.share, shares[row.simulator, row.scenario])


@pytest.mark.parametrize(
    ("path", "rerun", "kept"),
    [
        (
            "src/fidelity/extrema/kl_ball.py",
            {
                "confidence_set": EACH_N,
                "pseudo_discrepancy": EACH_N,
                "pairwise": EACH_N,
                **FIGURES,
            },
            {"ingest_bfi", "ingest_survey", "bootstrap", "bootstrap_simulators"},
        ),
        (
            "src/fidelity_study/steps/bootstrap.py",
            {"bootstrap": EACH_N, "confidence_set": EACH_N},
            {"ingest_bfi", "ingest_survey", "bootstrap_simulators", "sample_size"},
        ),
        (
            "src/fidelity_study/report/figures/curve.py",
            {**FIGURES, "report": 1},
            {"quantile", "summary", "comparison", "findings", "guarantee"},
        ),
    ],
)
def test_an_edited_module_runs_again_what_depends_on_it(small_study, path, rerun, kept):
    with small_study.edited(path):
        planned = small_study.planned()
    assert {rule: planned.get(rule) for rule in rerun} == rerun
    assert not kept & set(planned)


def test_a_comment_in_any_file_runs_nothing_again_from_any_folder(small_study, tmp_path):
    from_afar = small_study.elsewhere(tmp_path, STUDY)
    with ExitStack() as stack:
        for path in small_study.root.rglob("*.py"):
            stack.enter_context(small_study.edited(path, "# edited"))
        assert from_afar.planned("--directory", small_study.folder) == {}


@contextmanager
def missing(project, folder, *names):
    """Take files of the results away for a while."""
    for i, name in enumerate(names):
        shutil.move(project.folder / "results/default" / name, folder / f"{i}")
    try:
        yield
    finally:
        for i, name in enumerate(names):
            shutil.move(folder / f"{i}", project.folder / "results/default" / name)


def test_a_deleted_figure_is_made_again_with_those_of_its_dataset(small_study, tmp_path):
    deleted = "personality/figures/ranking.png", "survey/figures/ranking.pdf"
    made = {"figure_personality": 1, "figure_survey": 1, "report": 1, "all": 1}
    with missing(small_study, tmp_path, *deleted):
        assert small_study.planned() == made


def test_a_table_that_a_failed_job_left_missing_is_made_again(small_study, tmp_path):
    """And what follows from it: all of the ratings, and of the personality at one n."""
    names = ["ratings/outcomes.parquet"]
    names += [f"personality/{name}.parquet" for name in ("bootstrap/n40", "confidence_set/nall")]
    of_survey = "guarantee/nall", "pairwise/n40", "plan/iso_width", "sample_size"
    names += [f"survey/{name}.parquet" for name in of_survey]
    with missing(small_study, tmp_path, *names):
        planned = small_study.planned()
    expected = {"ingest_survey": 1, "bootstrap": 2, "confidence_set": 3, "pairwise": 4}
    expected |= {"guarantee": 3, "sample_size": 2, "plan": 1}
    assert {rule: planned.get(rule) for rule in expected} == expected


def test_a_truncated_table_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "outcomes.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"outcomes.parquet: cannot be read; delete it and run"):
        read(path, OUTCOMES)


def test_draws_depend_on_nothing_else_that_is_studied(small_study, tmp_path, config):
    """One simulator less here, one scenario more there, other n and k, and other names first."""
    config["grid"] |= {"n": [40, 35], "k": [10, 20]}
    config["comparison"] = {}
    config["datasets"]["personality"]["simulators"] = ["pooled"]
    config["datasets"]["survey"]["simulators"] = [ECHO, TWIN]
    config["datasets"]["ratings"]["grid"] |= {
        "gamma": [0.9, 0.5],
        "discrepancy": ["squared"],
        "confidence_set": ["witness", "betting"],
    }
    other = small_study.elsewhere(tmp_path, config, scenarios=13)
    other.run(
        "results/default/survey/bootstrap/simulators.parquet",
        "results/default/survey/bootstrap/n40.parquet",
        "results/default/personality/comparison/shares.csv",
        "results/default/ratings/confidence_set/nall.parquet",
    )
    assert other.table("personality/comparison/shares.csv").empty
    for path, keys, value in [
        ("survey/outcomes.parquet", ["scenario", "source", "value"], "count"),
        ("personality/outcomes.parquet", ["scenario", "source", "value"], "count"),
        ("survey/bootstrap/n40.parquet", ["scenario", "replicate"], "count"),
        ("survey/bootstrap/simulators.parquet", SAMPLE, "share"),
        ("personality/bootstrap/simulators.parquet", SAMPLE, "share"),
    ]:
        before, after = (each.table(path).set_index(keys)[value] for each in (small_study, other))
        shared = before.index.intersection(after.index)
        assert len(shared) > 20
        for key in shared:
            np.testing.assert_array_equal(before[key], after[key], err_msg=f"{path} {key}")
    assert other.table("survey/scenarios.parquet")["scenario"][0] == "q87"
    keys = ["scenario", "replicate", "confidence_set", "gamma"]
    before, after = (
        of_cell(each.table("ratings/confidence_set/nall.parquet"), {"confidence_set": "betting"})
        .set_index(keys)[["lower", "upper"]]
        .sort_index()
        for each in (small_study, other)
    )
    assert (len(before), len(after)) == (2 * 2 * 12, 2 * 2 * 13)
    pd.testing.assert_frame_equal(before, after.loc[before.index], check_exact=True)


def scores_of(project, dataset, cell, score="upper"):
    """Return scenario × simulator, the scores of one cell at the last n in the first replicate."""
    table = project.table(f"{dataset}/pseudo_discrepancy/n{NS[dataset][-1]}.parquet")
    return of_cell(table, {**cell, "replicate": 0}).pivot(
        index="scenario", columns="simulator", values=score
    )


@pytest.mark.parametrize("score", ["plugin", "upper"])
def test_means_have_error_bars_that_are_robust_to_clusters(small_study, score):
    cell = {"k": "20", "confidence_set": "witness", "gamma": "0.5", "discrepancy": "tv"}
    scores = scores_of(small_study, "personality", cell, score)
    cluster = small_study.table("personality/scenarios.parquet").set_index("scenario")["cluster"]
    found = of_cell(small_study.table("personality/comparison/means.parquet"), cell)
    found = found[found["score"] == score].set_index("simulator")
    for name, values in scores.items():
        row, bar = found.loc[name], score_error_bar(values.to_numpy(), cluster[values.index])
        assert (row["m"], row["n_clusters"], row["target"]) == (len(values), 5, "new")
        assert "fewer than 10" in row["warning"]
        for column in ("estimate", "se", "df", "upper", "effective_clusters"):
            assert row[column] == pytest.approx(float(getattr(bar, column))), column
        assert row["se_clt"] == pytest.approx(values.std() / np.sqrt(len(values)))


def test_differences_are_paired(small_study):
    cell = {"k": "stated", "confidence_set": "witness", "gamma": "0.5", "discrepancy": "tv"}
    scores = scores_of(small_study, "personality", cell)
    found = of_cell(small_study.table("personality/comparison/differences.parquet"), cell)
    (row,) = found[found["score"] == "upper"].to_dict("records")
    first, second = scores[row["simulator"]], scores[row["other"]]
    assert row["estimate"] == pytest.approx((first - second).mean())
    assert row["correlation"] == pytest.approx(first.corr(second))
    table = small_study.table("personality/comparison/differences.csv")
    assert len(table) == len(small_study.table("personality/comparison/differences.parquet"))


def pairs_compared(project, dataset, discrepancy):
    """Yield the rows of shares.csv at n = all, and the upper differences of their scenarios."""
    shares = project.table(f"{dataset}/comparison/shares.csv")
    shares = shares[(shares["n"] == "all") & (shares["discrepancy"] == discrepancy)]
    shares = shares[shares["gamma"] != "envelope"]
    assert len(shares)
    pairwise = project.table(f"{dataset}/pairwise/nall.parquet")
    keys = ["simulator", "other", "replicate", "k", "confidence_set", "gamma", "discrepancy"]
    for row in shares.to_dict("records"):
        yield row, of_cell(pairwise, {key: row[key] for key in keys}).set_index("scenario")["upper"]


@pytest.mark.parametrize(
    ("dataset", "discrepancy"), [("survey", "tv"), ("personality", "tv"), ("ratings", "w1")]
)
def test_certified_shares_hold_for_all_pairs_at_once(small_study, dataset, discrepancy):
    """At 0.05 over the number of ordered pairs; scenarios that share people count once.

    The survey's scenarios are all in one cluster, which groups nothing.
    """
    scenarios = small_study.table(f"{dataset}/scenarios.parquet").set_index("scenario")
    for row, upper in pairs_compared(small_study, dataset, discrepancy):
        shared = dependent_of(scenarios, list(upper.index), row["simulator"], row["other"])
        of = len(upper), Fraction(1, 2)
        assert np.isnan(row["clusters"])
        certified = certified_closer_share(int((upper > 0).sum()), *of, 0.05 / 2, shared)
        assert row["certified_share"] == pytest.approx(certified, abs=1e-9)
        assert row["certified_share"] <= row["share"] + 1e-9
        closer = closer_share_p_value(int((upper >= 0).sum()), *of, shared=shared)
        assert closer - 1e-12 <= row["p_value"] <= min(1.0, 2 * closer) + 1e-12


@pytest.mark.parametrize("dataset", ["personality", "survey"])
def test_the_envelope_of_pairs_comes_through_the_public_library(small_study, dataset):
    """Each coverage's certificates at the level that all have together, the best of them."""
    shares = small_study.table(f"{dataset}/comparison/shares.csv")
    shares = shares[(shares["gamma"] == "envelope") & (shares["discrepancy"] == "tv")]
    assert len(shares)
    pairs = small_study.table(f"{dataset}/envelope/pairs.parquet")
    scenarios = small_study.table(f"{dataset}/scenarios.parquet").set_index("scenario")
    keys = ["simulator", "other", "k", "confidence_set", "discrepancy"]
    for row in shares.to_dict("records"):
        own = of_cell(pairs, {key: row[key] for key in keys})
        upper = own.pivot(index="scenario", columns="gamma", values="upper").to_numpy()
        assert upper.shape[1] == len(GAMMA_GRID)
        assert row["share"] == pytest.approx(fidelity.envelope_closer_share(upper))
        assert row["plugin_share"] == pytest.approx(
            (own.groupby("scenario")["plugin"].first() <= 0).mean()
        )
        of = own["scenario"].unique().tolist()
        shared = dependent_of(scenarios, of, row["simulator"], row["other"])
        if np.isnan(row["clusters"]):
            certified = fidelity.certified_envelope_share(upper, 0.05 / 2, shared=shared)
            assert row["certified_share"] == pytest.approx(certified, abs=1e-12)
        assert 0.0 <= row["certified_share"] <= row["share"] + 1e-9
        assert 0.0 < row["p_value"] <= 1.0


@pytest.mark.parametrize("dataset", ["personality", "survey"])
def test_means_between_bounds_come_through_the_public_library(small_study, dataset):
    """People's and a simulator's answers of each scenario, read from the tables by other means."""
    means = small_study.table(f"{dataset}/comparison/mean_discrepancy.csv")
    human = small_study.table(f"{dataset}/bootstrap/nall.parquet")
    human = human[human["replicate"] == 0].set_index("scenario")["count"]
    simulated = small_study.table(f"{dataset}/bootstrap/simulators.parquet")
    simulated = simulated[simulated["replicate"] == 0]
    rows = means[
        (means["discrepancy"] == "tv") & (means["target"] == "asked") & (means["tail"] == 1)
    ]
    assert len(rows)
    for row in rows.to_dict("records"):
        own = of_cell(simulated, {"simulator": row["simulator"], "k": str(row["k"])})
        own = own.set_index("scenario")
        ends = []
        for scenario, answer in own.iterrows():
            counts, q = np.array([human[scenario]]), np.array([answer["share"]])
            draws = None if row["answers"] == "drawn" or row["k"] == "stated" else answer["k_j"]
            found = fidelity.discrepancy_bounds(
                Responses(counts, sizes=counts.sum(1)), Simulator(q, draws=draws), discrepancy="tv"
            )
            ends.append((found.smooth_lower[0], found.smooth_upper[0]))
        assert [row["lower"], row["upper"]] == pytest.approx(np.mean(ends, axis=0))
        assert row["ci_lower"] <= row["lower"] + 1e-9 or row["ci_lower"] <= row["upper"]
        assert row["m"] == len(own)
    differences = small_study.table(f"{dataset}/comparison/mean_differences.csv")
    assert len(differences)
    lists = small_study.table(f"{dataset}/comparison/lists.csv")
    assert set(lists.loc[lists["discrepancy"] == "tv", "tolerance"]) == {0.1, 0.3}
    assert set(lists["verdict"]) <= {"within", "beyond", "open"}
    assert (lists.loc[lists["verdict"] == "within", "p_within"] <= 0.05).all()


def variance_rows(project, discrepancy):
    table = project.table("personality/comparison/variance.parquet")
    assert len(project.table("personality/comparison/variance.csv")) == len(table)
    return table[table["discrepancy"] == discrepancy].set_index(["k", "simulator", "other"])


@pytest.mark.parametrize("k", ["20", "30", "stated"])
def test_the_total_variance_is_that_of_the_very_scores(small_study, k):
    """What draws make is in the scores already, and is not added to them."""
    cell = {"k": k, "discrepancy": "squared", "confidence_set": "hoeffding", "gamma": "0.5"}
    scores = scores_of(small_study, "personality", cell, "plugin")
    rows = variance_rows(small_study, "squared")
    pairs = [("uniform", "pooled")] if k == "stated" else []  # baselines are compared by these
    for simulator, other in [("pooled", None), ("uniform", None), *pairs]:
        row = rows.loc[(k, simulator, np.nan if other is None else other)]
        values = scores[simulator] - (0 if other is None else scores[other])
        assert row["m"] == len(values)
        assert row["estimate"] == pytest.approx(values.mean())
        assert row["total"] == pytest.approx(values.var(ddof=1))
        drawn = row["within"] + (0 if other is None else row["within_other"])
        assert (drawn == 0) == (k == "stated")
        assert row["between"] == pytest.approx(max(0.0, row["total"] - drawn))
        assert row["clipped"] == (row["total"] < drawn)


def test_without_further_answers_the_draws_variance_is_left_out_and_said(small_study):
    """`echo` gives 30 answers: one set of all, and one of 20. A closed form exists for squares."""
    table = small_study.table("survey/comparison/variance.parquet")
    rows = table[(table["simulator"] == ECHO) & table["other"].isna()]
    assert set(rows["k"]) == {"20", "30"}
    assert rows[["within", "between", "clipped"]].isna().all(axis=None)
    assert rows["reason"].str.contains("2k answers per scenario").all()
    assert (rows["total"] > 0).all()


def test_nothing_is_claimed_of_a_pair_where_both_may_be_infinitely_far(small_study, tmp_path):
    sources = {
        "scenarios": "survey/scenarios.parquet",
        "confidence_set": "survey/confidence_set/nall.parquet",
        "simulated": "survey/bootstrap/simulators.parquet",
    }
    (made,) = step_again(small_study, "pairwise", sources, tmp_path, ["pairs"], smoothed=[])
    both = {"scenario": "q97", "k": "20", "confidence_set": "multinomial_kl", "discrepancy": "kl"}
    rows = of_cell(made, both)
    assert len(rows) == 2
    assert (rows["lower"] == -np.inf).all()
    assert (rows["upper"] == np.inf).all()
    told = of_cell(small_study.table("survey/pairwise/nall.parquet"), both).set_index("simulator")
    # Smoothed draws are never infinitely far, stated zeros are.
    assert (told.loc[TWIN, ["lower", "upper"]] == np.inf).all()
    assert (told.loc[ECHO, ["lower", "upper"]] == -np.inf).all()


def test_weighted_people_make_a_simulator_worth_by_their_effective_number(
    small_study, other_kinds, tmp_path
):
    folder = other_kinds.folder / "results" / "default" / "grades"
    table = read(folder / "scenarios.parquet", SCENARIOS)
    fewer = pc.divide(table["n_effective"], 8.0)
    place = table.schema.get_field_index("n_effective")
    weighted = table.set_column(place, "n_effective", fewer)
    write(tmp_path / "scenarios.parquet", weighted, SCENARIOS, {})
    sources = {"scenarios": tmp_path / "scenarios.parquet", "outcomes": folder / "outcomes.parquet"}
    (made,) = step_again(small_study, "sample_size", sources, tmp_path, ["sizes"])
    row = made.set_index("simulator").loc[ECHO]
    assert row["k_hat"] == pooled(other_kinds, "grades", ECHO, weighting_effect=8.0).k_hat
    assert row["k_hat"] != pooled(other_kinds, "grades", ECHO).k_hat


def test_scenarios_are_taken_by_cluster_where_nobody_answers_two_of_them():
    upper, clusters = np.where(np.arange(40) < 35, -1.0, 1.0), np.arange(40) // 4
    found, shared = (certainty(upper, clusters, many, Fraction(1, 2)) for many in (1, 2))
    assert (found["clusters"], shared["clusters"]) == (10, None)
    expected = clustered_closer_share(upper > 0, clusters, Fraction(1, 2), 0.05)
    assert found["certified_share"](0.05) == expected


def test_intervals_are_those_of_the_simulators_own_answers(small_study):
    outcomes = small_study.table("ratings/outcomes.parquet")
    people, own = (
        outcomes[outcomes["source"] == name].groupby("scenario") for name in ("human", "model")
    )
    spread = own.apply(lambda rows: np.repeat(rows["value"], rows["count"].astype(int)).std())
    table = small_study.table("ratings/calibration/intervals.parquet")
    cell = table.set_index(["simulator", "family", "level"]).loc[("model", "normal", 0.9)]
    asked = people["count"].sum()
    assert (cell["m"], cell["people"]) == (len(spread), asked.sum())
    widths = 2 * norm.ppf(0.95) * spread[asked.index]
    assert cell["width"] == pytest.approx(np.average(widths, weights=asked))


def test_detectable_effects_and_clusters_needed_are_those_of_the_library(small_study):
    rows = variance_rows(small_study, "tv")
    row = rows.loc[("stated", "uniform", "pooled")]
    m, se, df = row["m"], row["se"], row["df"]
    effect = fidelity.minimum_detectable_effect(m, m * se**2, df=df, variance_df=df)
    assert row["minimum_detectable_effect"] == pytest.approx(effect)
    needed = clusters_needed(0.05, se, row["n_clusters"], df, se_df=df)
    assert (row["stated_effect"], row["clusters_needed"]) == (0.05, np.ceil(needed))
    assert np.isnan(row["scenarios_needed"])
    assert np.isnan(rows.loc[("stated", "uniform", np.nan)]["clusters_needed"])
    assert variance_rows(small_study, "squared")["clusters_needed"].isna().all()


def test_calibration_is_measured_where_the_config_asks_for_it(small_study):
    scores = small_study.table("personality/calibration/scores.parquet").set_index("simulator")
    people = np.stack(list(counts_of(small_study, "personality").values()))
    shares, uniform = people.sum(0) / people.sum(), scores.loc["uniform"]
    assert (uniform["stated_for"], uniform["people"]) == ("scenario", people.sum())
    assert uniform["brier"] == pytest.approx((5 / 6) ** 2 + 5 / 36)
    assert uniform["classwise_ece"] == pytest.approx(np.abs(shares - 1 / 6).mean())
    # a uniform guess means the first option, which a sixth of the people would choose
    assert uniform["overconfidence"] == pytest.approx(1 / 6 - shares[0])
    bins = small_study.table("personality/calibration/reliability.parquet")
    top = bins[bins["value"].isna()]
    for name, rows in top.groupby("simulator"):
        error = (rows["share"] * (rows["confidence"] - rows["frequency"]).abs()).sum()
        assert len(rows) == 5 and scores.loc[name, "ece"] == pytest.approx(error)
    assert not (small_study.folder / "results/default/survey/calibration").exists()
