"""A small study run for real: its files, its numbers, and what runs again when something changes.

Rules are run in a copy of the project; see the fixture ``small_study``.
"""

import re
import shutil
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import yaml
from small_study import ECHO, REPOSITORY, STUDY, TWIN

import fidelity
from fidelity_study import tables
from fidelity_study.config import figures
from fidelity_study.errors import DataError

pytestmark = pytest.mark.slow

DATASETS = list(STUDY["datasets"])
NS = ["40", "all"]
SCHEDULE = "1-n^-1/3"
CELL = ["simulator", "replicate", "k", "confidence_set", "gamma", "discrepancy"]
SAMPLE = ["scenario", "simulator", "replicate", "k"]
CONTRACT = {
    "outcomes.parquet": ["scenario", "source", "value", "count"],
    "scenarios.parquet": tables.SCENARIOS.names,
    "stated.parquet": ["scenario", "source", "value", "probability"],
    "bootstrap/simulators.parquet": [*SAMPLE, "k_j", "share"],
    "bootstrap/n{n}.parquet": ["scenario", "replicate", "n_j", "count"],
    "confidence_set/n{n}.parquet": tables.CONFIDENCE_SET.names,
    "pseudo_discrepancy/n{n}.parquet": [
        *("scenario", *CELL, "n_j", "k_j", "gamma_j"),
        *("plugin", "lower", "upper", "oracle"),
    ],
    "quantile/n{n}.parquet": [
        *(*CELL, "tau"),
        *("lower", "plugin", "upper", "certified_upper", "oracle"),
    ],
    "quantile/summary_n{n}.parquet": tables.SUMMARY.names,
    "summary.csv": [
        *("dataset", "simulator", "n", "k", "confidence_set", "gamma", "discrepancy"),
        *("m", "n_short", "replicates", "auc", "var_90", "cvar_90", "auc_sd"),
        *("guarantee", "guarantee_level", "certified_var_90"),
        *("auc_plugin", "auc_oracle", "cvar_90_oracle"),
    ],
    "pairwise/n{n}.parquet": tables.PAIRWISE.names,
    "comparison/curves.parquet": tables.COMPARISON.names,
    "comparison/shares.csv": ["n", "simulator", "other", *CELL[1:], "m", "share", "plugin_share"],
}
TAU = [Fraction(i, 100) for i in range(101)]


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("path", CONTRACT)
def test_tables_have_the_columns_they_promise(small_study, dataset, path):
    for n in NS:
        table = small_study.table(f"{dataset}/{path.format(n=n)}")
        assert sorted(table.columns) == sorted(CONTRACT[path])
        assert len(table) > 0


def test_the_readme_of_the_results_names_every_file_and_column(small_study):
    readme = (REPOSITORY / "results" / "README.md").read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", readme))
    columns = {column for each in CONTRACT.values() for column in each}
    assert columns - words <= {"dataset", "replicates", "m"}
    results = small_study.folder / "results"
    made = {path.relative_to(results) for path in results.rglob("*") if path.is_file()}
    made = {path.relative_to(path.parts[0]) if len(path.parts) > 1 else path for path in made}
    for path in made:
        shown = re.sub(r"n(40|all)\.parquet$", "n<n>.parquet", path.as_posix())
        assert f"`{shown}`" in readme or shown.startswith("figures/"), path


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_figure_is_there_for_screen_and_print(small_study, dataset):
    folder = small_study.folder / "results" / dataset / "figures"
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        f"{name}.{suffix}" for name in figures() for suffix in ("png", "pdf")
    )
    for path in folder.iterdir():
        assert path.read_bytes()[:4] in (b"\x89PNG", b"%PDF")


def test_nothing_half_written_is_left(small_study):
    assert list((small_study.folder / "results").rglob("*.partial*")) == []


def test_tables_carry_the_settings_they_were_made_with(small_study):
    path = small_study.folder / "results" / "personality" / "bootstrap" / "n40.parquet"
    settings = tables.metadata(path)
    assert (settings["dataset"], settings["n"]) == ("personality", 40)
    assert (settings["seed"], settings["replicates"]) == (STUDY["seed"], 2)
    kept = small_study.folder / "results" / "config.yaml"
    assert yaml.safe_load(kept.read_text(encoding="utf-8")) == STUDY


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
            {"tv": ["multinomial_kl_paper", "witness"]},
            {TWIN: ["20", "all", "stated"], ECHO: ["20", "all"]},
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
        for n in NS
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


def people(project, dataset):
    """Return everyone's counts, scenario -> (d,), in the order of the options."""
    outcomes = project.table(f"{dataset}/outcomes.parquet").query("source == 'human'")
    counts = outcomes.set_index(["scenario", "value"])["count"]
    scenarios = project.table(f"{dataset}/scenarios.parquet").set_index("scenario")
    return {
        name: np.array([counts.get((name, value), 0.0) for value in scenarios.loc[name, "value"]])
        for name in scenarios.index
    }


def answers(project, dataset, simulator, k, replicate):
    """Return a simulator's shares, scenario -> (d,): as stated, or as sampled."""
    if k == "stated":
        stated = project.table(f"{dataset}/stated.parquet").query("source == @simulator")
        return {
            name: rows.sort_values("value")["probability"].to_numpy()
            for name, rows in stated.groupby("scenario")
        }
    samples = project.table(f"{dataset}/bootstrap/simulators.parquet")
    samples = samples.query("simulator == @simulator and k == @k and replicate == @replicate")
    return samples.set_index("scenario")["share"].to_dict()


CASES = {
    "personality": ("pooled", 1, "30", "witness", "0.5", "squared"),
    "stated": ("uniform", 0, "stated", "hoeffding", "0.5", "squared"),
    "scheduled": ("pooled", 0, "20", "multinomial_kl_paper", SCHEDULE, "tv"),
    "survey": (TWIN, 1, "stated", "witness", SCHEDULE, "tv"),
    "missing scenario": (ECHO, 0, "all", "witness", "0.5", "tv"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_cells_numbers_come_from_the_outcomes_through_the_public_library(small_study, case):
    simulator, replicate, k, confidence_set, label, discrepancy = CASES[case]
    dataset = "survey" if simulator in (TWIN, ECHO) else "personality"
    counts = people(small_study, dataset)
    q = answers(small_study, dataset, simulator, k, replicate)
    n = np.array([counts[name].sum() for name in q])
    gamma = fidelity.parse_coverage({"schedule": "1/3"} if label == SCHEDULE else float(label))
    gamma = gamma.at(n)
    scores = np.linspace(-1, 1, 6) if discrepancy == "squared" else None
    lower, upper = np.transpose(
        [
            fidelity.pseudo_discrepancy(
                counts[name][None],
                q[name][None],
                confidence_set=confidence_set,
                discrepancy=discrepancy,
                gamma=coverage,
                scores=scores,
            )
            for name, coverage in zip(q, gamma, strict=True)
        ]
    )[0]
    if discrepancy == "squared":
        plugin = [(counts[s] / counts[s].sum() @ scores - q[s] @ scores) ** 2 for s in q]
    else:
        plugin = [np.abs(counts[s] / counts[s].sum() - q[s]).sum() / 2 for s in q]
    cell = dict(zip(CELL, CASES[case], strict=True))

    rows = of_cell(small_study.table(f"{dataset}/pseudo_discrepancy/nall.parquet"), cell)
    rows = rows.set_index("scenario").loc[list(q)]
    assert len(rows) == len(q)
    expected = {"n_j": n, "gamma_j": gamma, "lower": lower, "upper": upper}
    expected |= {"plugin": plugin, "oracle": plugin}
    for column, values in expected.items():
        np.testing.assert_allclose(rows[column], values, rtol=1e-9, atol=1e-12, err_msg=column)

    curves = of_cell(small_study.table(f"{dataset}/quantile/nall.parquet"), cell)
    np.testing.assert_array_equal(curves["tau"], np.arange(101) / 100)
    smallest = Fraction(1, 2)
    expected = {
        "upper": fidelity.quantile_curve(upper, gamma, TAU),
        "lower": fidelity.lower_quantile_curve(lower, gamma, TAU),
        "plugin": fidelity.empirical_quantile(plugin, TAU),
        "oracle": fidelity.empirical_quantile(plugin, TAU),
        "certified_upper": fidelity.certified_curve(upper, smallest, TAU, 0.05),
    }
    for column, values in expected.items():
        np.testing.assert_allclose(curves[column], values, rtol=1e-9, atol=1e-12, err_msg=column)

    summary = of_cell(small_study.table(f"{dataset}/quantile/summary_nall.parquet"), cell)
    (row,) = summary.to_dict("records")
    tenth = Fraction(1, 10)
    assert row["m"] == len(q)
    assert row["auc"] == pytest.approx(fidelity.area_under_curve(upper, gamma))
    assert row["var_90"] == pytest.approx(fidelity.value_at_risk(upper, gamma, tenth))
    assert row["cvar_90"] == pytest.approx(fidelity.tail_mean(upper, gamma, tenth))
    assert row["auc_plugin"] == pytest.approx(np.mean(plugin))
    assert row["guarantee"] == ("exact" if label == "0.5" else "simultaneous")
    if label == "0.5":
        rank = int(np.ceil(len(q) * 0.95 - 1e-9))
        level = fidelity.exact_level(len(q), smallest, rank, 0.05)
        assert row["guarantee_level"] == pytest.approx(level)


def of_cell(table, cell):
    for key, value in cell.items():
        table = table[table[key] == value]
    return table


def test_the_summary_is_the_mean_over_replicates(small_study):
    keys = ["simulator", "k", "confidence_set", "gamma", "discrepancy"]
    values = ["auc", "var_90", "cvar_90", "guarantee_level", "auc_oracle"]
    each = small_study.table("personality/quantile/summary_n40.parquet")
    means = each.groupby(keys)[values].mean()
    told = small_study.table("personality/summary.csv").query("n == '40'").set_index(keys)
    np.testing.assert_allclose(told[values], means.loc[told.index], rtol=1e-12)
    spread = each.groupby(keys)["auc"].std()
    np.testing.assert_allclose(told["auc_sd"], spread.loc[told.index], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("dataset", DATASETS)
def test_subsamples_are_n_of_those_who_answered(small_study, dataset):
    everyone = people(small_study, dataset)
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
    short = sum(counts.sum() < 40 for counts in people(small_study, "survey").values())
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
        there = given[row.simulator, row.scenario]
        assert row.k_j == (there if row.k == "all" else int(row.k))
        drawn = row.share * row.k_j
        np.testing.assert_allclose(drawn, np.round(drawn), atol=1e-9)
        assert drawn.sum() == pytest.approx(row.k_j)


@pytest.mark.parametrize("dataset", DATASETS)
def test_stated_probabilities_take_no_draws(small_study, dataset):
    samples = small_study.table(f"{dataset}/bootstrap/simulators.parquet").query("k == 'stated'")
    stated = small_study.table(f"{dataset}/stated.parquet")
    assert set(samples["simulator"]) == set(stated["source"])
    assert samples["k_j"].isna().all()
    shares = stated.sort_values("value").groupby(["source", "scenario"])["probability"].agg(list)
    for row in samples.itertuples():
        np.testing.assert_array_equal(row.share, shares[row.simulator, row.scenario])


def test_a_datasets_folder_is_found_without_touching_another_file(small_study):
    added = [
        path.relative_to(small_study.root).as_posix()
        for part in ("workflow", "scripts", "src")
        for path in sorted((small_study.root / part).rglob("*"))
        if path.is_file()
        and "__pycache__" not in path.parts
        and not (REPOSITORY / path.relative_to(small_study.root)).exists()
    ]
    assert added == ["workflow/datasets/survey/ingest.py", "workflow/datasets/survey/ingest.smk"]
    assert len(small_study.table("survey/scenarios.parquet")) == 12


def test_a_second_run_does_nothing(small_study):
    assert small_study.planned() == {}


def test_another_coverage_samples_nobody_again(small_study, config):
    config["grid"]["gamma"][0] = 0.6
    planned = small_study.planned_with(config)
    assert planned["confidence_set"] == 4
    assert planned["quantile"] == 4
    assert not {rule for rule in planned if rule.startswith(("ingest", "bootstrap"))}


def test_another_number_of_people_leaves_the_others_alone(small_study, config):
    config["grid"]["n"] = [30, 40, "all"]
    planned = small_study.planned_with(config)
    assert {rule: planned[rule] for rule in ("bootstrap", "confidence_set", "quantile")} == {
        "bootstrap": 2,
        "confidence_set": 2,
        "quantile": 2,
    }
    assert "bootstrap_simulators" not in planned


@pytest.mark.parametrize(
    ("swap", "rerun", "kept"),
    [
        (
            {"seed": 60, "draws": 50},
            {"ingest_bfi": 1, "ingest_survey": 1, "bootstrap": 4, "bootstrap_simulators": 2},
            set(),
        ),
        (
            {"k": [30, 20]},
            {"bootstrap_simulators": 1, "pseudo_discrepancy": 2, "figure": 7},
            {"ingest_bfi", "ingest_survey", "bootstrap", "confidence_set"},
        ),
    ],
    ids=["seed and draws", "order of k"],
)
def test_values_that_swap_places_run_again_what_depends_on_them(
    small_study, config, swap, rerun, kept
):
    config["seed"] = swap.get("seed", config["seed"])
    config["datasets"]["personality"]["draws"] = swap.get("draws", 60)
    config["grid"]["k"] = swap.get("k", config["grid"]["k"])
    planned = small_study.planned_with(config)
    assert {rule: planned.get(rule) for rule in rerun} == rerun
    assert not kept & set(planned)


@pytest.mark.parametrize(
    ("path", "rerun", "kept"),
    [
        (
            "src/fidelity/kl_ball.py",
            {"confidence_set": 4, "pseudo_discrepancy": 4, "figure": 14},
            {"ingest_bfi", "ingest_survey", "bootstrap", "bootstrap_simulators"},
        ),
        (
            "src/fidelity/quantile.py",
            {"quantile": 4, "comparison": 2, "report": 1},
            {"ingest_bfi", "bootstrap", "confidence_set", "pseudo_discrepancy", "pairwise"},
        ),
        (
            "scripts/bootstrap.py",
            {"bootstrap": 4, "confidence_set": 4},
            {"ingest_bfi", "ingest_survey", "bootstrap_simulators"},
        ),
        (
            "src/fidelity_study/figures/curves.py",
            {"figure": 2, "report": 1},
            {"quantile", "summary", "comparison", "findings"},
        ),
    ],
)
def test_an_edited_module_runs_again_what_depends_on_it(small_study, path, rerun, kept):
    with small_study.edited(path):
        planned = small_study.planned()
    assert {rule: planned.get(rule) for rule in rerun} == rerun
    assert not kept & set(planned)


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_a_deleted_figure_is_made_again_and_no_other(small_study, tmp_path, suffix):
    figure = small_study.folder / f"results/personality/figures/tightness.{suffix}"
    shutil.move(figure, tmp_path)
    try:
        assert small_study.planned() == {"figure": 1, "report": 1, "all": 1}
    finally:
        shutil.move(tmp_path / figure.name, figure)


@pytest.mark.parametrize(
    ("table", "step"),
    [
        ("outcomes.parquet", "ingest_bfi"),
        ("bootstrap/n40.parquet", "bootstrap"),
        ("confidence_set/nall.parquet", "confidence_set"),
        ("pairwise/n40.parquet", "pairwise"),
    ],
)
def test_a_table_that_a_failed_job_left_missing_is_made_again(small_study, tmp_path, table, step):
    path = small_study.folder / "results/personality" / table
    shutil.move(path, tmp_path)
    try:
        assert small_study.planned()[step] == 1
    finally:
        shutil.move(tmp_path / path.name, path)


def test_a_truncated_table_is_named_with_the_remedy(tmp_path):
    path = tmp_path / "outcomes.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"outcomes.parquet: cannot be read; delete it and run"):
        tables.read(path, tables.OUTCOMES)


def tables_below(folder):
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".parquet", ".csv")
    )


def test_one_core_in_another_folder_gives_the_same_tables(small_study, tmp_path, config):
    other = small_study.elsewhere(tmp_path, config)
    files = ["summary.csv", "comparison/shares.csv"]
    other.run(*(f"results/{name}/{file}" for name in DATASETS for file in files), cores=1)
    names = tables_below(other.folder / "results")
    assert names == tables_below(small_study.folder / "results")
    for name in names:
        pd.testing.assert_frame_equal(other.table(name), small_study.table(name), check_exact=True)


def test_draws_depend_on_nothing_else_that_is_studied(small_study, tmp_path, config):
    """One simulator less here, one scenario more there, other n and k, and other names first."""
    config["grid"] |= {"n": [40, 35], "k": [10, 20]}
    config["comparison"] = {}
    config["datasets"]["personality"]["simulators"] = ["pooled"]
    config["datasets"]["survey"]["simulators"] = [ECHO, TWIN]
    other = small_study.elsewhere(tmp_path, config, scenarios=13)
    other.run(
        "results/survey/bootstrap/simulators.parquet",
        "results/survey/bootstrap/n40.parquet",
        "results/personality/comparison/shares.csv",
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


def test_more_draws_than_answers_are_refused_in_plain_words(small_study, tmp_path, config):
    config["datasets"]["survey"]["grid"] = {"k": [31]}
    other = small_study.elsewhere(tmp_path, config)
    printed = other.run("results/survey/bootstrap/simulators.parquet", status=1)
    log = (other.folder / "logs/survey/bootstrap/simulators.log").read_text(encoding="utf-8")
    assert log.count("\n") == 1
    assert log.strip() in printed
    assert "Traceback" not in printed
    for words in (repr(ECHO), "30 answers", "'q88'", "31", "lower k", "draws"):
        assert words in log
    assert tables_below(other.folder / "results") == [
        f"survey/{name}.parquet" for name in ("outcomes", "scenarios", "stated")
    ]
    assert list((other.folder / "results/survey/bootstrap").glob(".*")) == []


def test_a_fault_of_the_config_stops_everything_in_plain_words(small_study, tmp_path, config):
    config["sede"] = 1
    config["grid"]["n"] = [0]
    other = small_study.elsewhere(tmp_path, config)
    printed = other.run(status=1)
    assert "\nconfig: unknown key 'sede'; did you mean seed?\n" in printed
    assert "\ngrid.n[0]: 0 is not a whole number from 1 to a billion, or all\n" in printed
    assert "Traceback" not in printed
    assert {path.name for path in other.folder.iterdir()} - {".snakemake"} == {"config", "data"}


def test_the_workflow_is_found_from_another_folder(small_study, tmp_path):
    from_afar = small_study.elsewhere(tmp_path, STUDY)
    assert from_afar.planned("--directory", small_study.folder) == {}


def test_another_config_may_be_named(small_study, tmp_path, config):
    del config["datasets"]["survey"]
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    assert small_study.planned("--configfile", path) == {"report": 1, "all": 1}
