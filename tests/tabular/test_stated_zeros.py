"""A study of simulators that state 0 for answers which people give: they are certainly farther."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import yaml
from small_study import copy_project

pytestmark = pytest.mark.slow

STATED = {"fair": (0.3, 0.4, 0.3), "sure": (0.0, 0.6, 0.4), "silent": (0.5, 0.5, 0.0)}
MANY = 40
CONFIG = {
    "grid": {"n": ["all"], "k": ["all"], "gamma": [0.5], "replicates": 1},
    "datasets": {
        "town": {
            "ingest": "tabular",
            "human": "data/human.csv",
            "simulated": "data/stated.csv",
            "outcome": {"kind": "categorical"},
            "cluster": "none",
            "respondents_repeat": False,
            "simulators": list(STATED),
            "grid": {"discrepancy": ["kl", "chi2"]},
        }
    },
}


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """Forty questions of three options; everybody chose every option somewhere."""
    project = copy_project(tmp_path_factory.mktemp("town"))
    generator = np.random.default_rng(1)
    counts = generator.multinomial(200, [0.3, 0.4, 0.3], MANY)
    assert (counts > 0).all()
    scenarios = [f"q{j}" for j in range(MANY)]
    people = pd.DataFrame(counts, index=scenarios, columns=list("abc")).rename_axis("scenario")
    people = people.reset_index().melt("scenario", var_name="value", value_name="count")
    people.to_csv(project.folder / "data/human.csv", index=False)
    rows = [
        (scenario, simulator, option, probability)
        for scenario in scenarios
        for simulator, stated in STATED.items()
        for option, probability in zip("abc", stated, strict=True)
    ]
    names = ["scenario", "simulator", "value", "probability"]
    pd.DataFrame(rows, columns=names).to_csv(project.folder / "data/stated.csv", index=False)
    (project.folder / "config/config.yaml").write_text(yaml.safe_dump(CONFIG), encoding="utf-8")
    project.run(
        "results/default/town/comparison/shares.csv",
        "results/default/town/comparison/means.parquet",
        "results/default/town/findings.md",
    )
    return project


def of_pair(table, discrepancy, simulator, other):
    chosen = table[
        (table["discrepancy"] == discrepancy)
        & (table["simulator"] == simulator)
        & (table["other"] == other)
    ]
    assert len(chosen)
    return chosen


@pytest.mark.parametrize("discrepancy", ["kl", "chi2"])
def test_who_states_0_for_what_people_chose_is_farther_in_every_scenario(town, discrepancy):
    """No scenario fails to be certified: Clopper-Pearson of none in 40, at 5 % over six pairs."""
    pairwise = town.table("town/pairwise/nall.parquet")
    shares = town.table("town/comparison/shares.csv")
    none = 1 - (0.05 / 6) ** (1 / MANY)
    for excludes in ("sure", "silent"):
        rows = of_pair(pairwise, discrepancy, excludes, "fair")
        assert (rows[["lower", "plugin", "upper"]] == np.inf).all(axis=None)
        assert (rows["gap"] == 0).all()
        rows = of_pair(pairwise, discrepancy, "fair", excludes)
        assert (rows[["lower", "plugin", "upper"]] == -np.inf).all(axis=None)
        (row,) = of_pair(shares, discrepancy, "fair", excludes).to_dict("records")
        assert (row["m"], row["share"], row["plugin_share"]) == (MANY, 1.0, 1.0)
        assert row["certified_share"] == pytest.approx(1 - none / 0.5, abs=1e-9)
        assert row["p_value"] < 1e-3
        (row,) = of_pair(shares, discrepancy, excludes, "fair").to_dict("records")
        assert (row["share"], row["plugin_share"], row["certified_share"]) == (0.0, 0.0, 0.0)
        assert row["p_value"] == 1.0


@pytest.mark.parametrize("discrepancy", ["kl", "chi2"])
def test_nothing_is_claimed_of_two_that_both_state_0(town, discrepancy):
    pairwise = town.table("town/pairwise/nall.parquet")
    shares = town.table("town/comparison/shares.csv")
    for pair in permutations(("sure", "silent")):
        rows = of_pair(pairwise, discrepancy, *pair)
        assert (rows["lower"] == -np.inf).all()
        assert (rows[["upper", "gap"]] == np.inf).all(axis=None)
        assert rows["plugin"].isna().all()
        (row,) = of_pair(shares, discrepancy, *pair).to_dict("records")
        assert (row["share"], row["certified_share"], row["p_value"]) == (0.0, 0.0, 1.0)


def test_curves_of_pairs_are_minus_infinity_or_infinity(town):
    curves = town.table("town/comparison/curves.parquet")
    for excludes in ("sure", "silent"):
        assert (of_pair(curves, "kl", "fair", excludes)["upper"] == -np.inf).all()
        assert (of_pair(curves, "kl", excludes, "fair")["upper"] == np.inf).all()


def test_means_leave_out_who_is_infinitely_far(town):
    means = town.table("town/comparison/means.parquet")
    assert set(means["simulator"]) == {"fair"}
    assert np.isfinite(means["estimate"]).all()
