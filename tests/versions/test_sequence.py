"""A study that is looked at while data come in, against the library on the files' arrays."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import town
from tabular_step import step

import fidelity
from fidelity import Responses
from fidelity.means import discrepancy_sequence, drift_evidence
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.steps import cases as steps_cases
from fidelity_study.steps import people as steps_people
from fidelity_study.steps import sequence
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.unanswered import answered
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import metadata
from fidelity_study.tables.read_write import read as read_table

TABLE = "results/looks/town/comparison/{}.csv"
FINDINGS = "results/looks/town/findings.md"
SIMULATORS = ("model", "uniform")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The study of the how-to."""
    folder = tmp_path_factory.mktemp("looks")
    town.write(folder)
    text = town.guide("looking_early")
    *_, config = town.BLOCK.findall(text)
    (folder / "looks.yaml").write_text(config, encoding="utf-8")
    (command,) = town.commands(text)
    town.run(folder, *command, "--cores", "1", TABLE.format("sequence"), FINDINGS)
    return folder


def table(folder, name, study="looks"):
    return pd.read_csv(folder / TABLE.format(name).replace("looks", study), dtype={"k": str})


def bounds(folder, names):
    """Return each simulator's bounds of the questions in an order, by the library on the files."""
    people = pd.read_csv(folder / "people.csv")
    model = pd.read_csv(folder / "model_1.csv")
    at = [town.NAMES.index(name) for name in names]
    counts = people["count"].to_numpy().reshape(-1, 3)[at]
    q = {"model": model["probability"].to_numpy().reshape(-1, 3)[at]}
    q["uniform"] = np.full_like(q["model"], 1 / 3)
    each = {
        name: fidelity.discrepancy_bounds(counts, q[name], discrepancy="tv") for name in SIMULATORS
    }
    pair = fidelity.means.difference_bounds(counts, q["uniform"], q["model"], discrepancy="tv")
    return each, pair


def stated(rows, simulator, other=None):
    own = rows[(rows["k"] == "stated") & (rows["simulator"] == simulator)]
    return own[own["other"].isna()] if other is None else own[own["other"] == other]


@pytest.mark.slow
def test_each_look_is_that_of_the_library_in_the_order_asked(folder):
    rows, order = table(folder, "sequence"), town.NAMES[::-1]
    each, pair = bounds(folder, order)
    for name in SIMULATORS:
        own = stated(rows, name)
        assert own["name"].tolist() == order
        assert own["m"].tolist() == list(range(1, len(order) + 1))
        expected = discrepancy_sequence(each[name], eta=0.05 / 2)
        np.testing.assert_allclose(own["ci_lower"], np.maximum(expected.lower, 0.0), atol=1e-12)
        np.testing.assert_allclose(own["ci_upper"], expected.upper, atol=1e-12)
        until = [each[name].upper[: t + 1].mean() for t in range(len(order))]
        np.testing.assert_allclose(own["upper"], until, atol=1e-12)
    own = stated(rows, "uniform", "model")
    expected = discrepancy_sequence(pair, eta=0.05, difference=True)
    np.testing.assert_allclose(own["ci_lower"], np.clip(expected.lower, -1.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(own["ci_upper"], np.clip(expected.upper, -1.0, 1.0), atol=1e-12)


@pytest.mark.slow
def test_intervals_hold_the_truth_at_every_look_and_never_widen(folder):
    own = stated(table(folder, "sequence"), "model")
    assert (own["ci_lower"] <= town.OLD_OFF).all()
    assert (own["ci_upper"] >= town.OLD_OFF).all()
    assert (own["ci_upper"].diff().dropna() <= 0.0).all()


@pytest.mark.slow
def test_halves_are_compared_and_the_order_is_told(folder):
    rows = table(folder, "drift")
    each, _ = bounds(folder, town.NAMES[::-1])
    own = rows[(rows["simulator"] == "model")].iloc[0]
    expected = drift_evidence(each["model"].upper)
    assert own["first"] == pytest.approx(expected.first)
    assert own["second"] == pytest.approx(expected.second)
    assert own["p_value"] == pytest.approx(expected.p_value)
    assert (own["order"], own["at_random"], own["unit_is"]) == ("place", True, "scenario")
    said = " ".join((folder / FINDINGS).read_text(encoding="utf-8").split())
    assert "After 40 questions, these intervals hold the mean distance" in said
    assert "drawn at random, as the config says. These intervals hold at every look" in said
    assert "Tests find no difference between the first and the second half" in said


@pytest.fixture(scope="module")
def case(folder):
    """The model's answers beside people's, from the tables of the study."""
    own = folder / "results" / "looks" / "town"
    made = own / "comparison" / "sequence.parquet"
    scenarios = read_table(own / "scenarios.parquet", SCENARIOS)
    human = read_table(own / "bootstrap" / "nall.parquet", HUMAN_SAMPLE)
    simulated = read_table(own / "bootstrap" / "simulators.parquet", SIMULATED_SAMPLE)
    people = steps_people.People.of(scenarios, human, metadata(made))
    given = [each for each in answered(simulated, people.names, 3, {}) if each.simulator == "model"]
    (found,) = steps_cases.cases(people, given, metadata(made))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("labels", "repeat", "why"),
    [
        ([f"own {name}" for name in town.NAMES], True, None),
        (["the same"] * len(town.NAMES), True, sequence.SAME_PEOPLE),
        (["the same"] * len(town.NAMES), None, None),
        (["pair", "pair", *town.NAMES[2:]], True, sequence.SAME_PEOPLE),
    ],
)
def test_units_that_share_people_have_no_intervals(case, labels, repeat, why):
    counts = case.people.responses.counts
    topics = case.people.clusters

    def people(clusters):
        known = {"sizes": counts.sum(1), "clusters": clusters, "respondents": labels}
        return replace(case.people, responses=Responses(counts, **known))

    linked = replace(case, people=people(topics))
    assert sequence.reason(linked, repeat) == why
    assert bool(list(sequence.sequence_rows([linked], 0.05, repeat))) == (why is None)
    paired = people(["pair", "pair", *town.NAMES[2:]])
    of_pairs = sequence.reason(replace(linked, people=paired), repeat)
    assert of_pairs == (None if labels[0] == "pair" else why)


@pytest.mark.slow
def test_a_discrepancy_without_limits_has_a_reason(case):
    (row,) = sequence.drift_rows(
        [replace(case, discrepancy="kl")], {"at_random": True, "order": None}, False
    )
    assert row["reason"] == sequence.NO_LARGEST
    assert row["p_value"] is None


def config(**settings):
    dataset = {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "sequential": {}, **settings}
    return {"datasets": {"items": dataset}}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {"grid": {"discrepancy": ["kl"]}},
            "datasets.items.sequential: kl has no limits that are known before, and intervals that",
        ),
        ({"curves": False}, "datasets.items.sequential: looks are at mean discrepancies; take"),
        ({"sequential": {"random": True}}, "unknown key 'random'"),
        (
            {"ingest": "tabular", "human": "people.csv", "outcome": {"kind": "real"}},
            "sequential: real outcomes have no largest value",
        ),
    ],
)
def test_what_cannot_be_looked_at_is_refused(settings, said):
    with pytest.raises(DataError, match=said):
        Study(config(**settings))


def test_only_studies_that_ask_for_it_have_the_tables():
    asked, plain = config(), config()
    del plain["datasets"]["items"]["sequential"]
    assert Study(asked).runs("sequence") == [{"dataset": "items"}]
    assert Study(plain).runs("sequence") == []


@pytest.fixture
def files(here):
    town.write(here)


def read(**settings):
    named = {"human": "people.csv", "simulated": {"model": "model_1.csv"}, **settings}
    return responses(step(**named)).scenarios["scenario"].tolist()


def test_scenarios_come_in_the_order_of_a_column(files):
    assert read(scenarios="questions.csv") == town.NAMES
    assert read(scenarios="questions.csv", order="place") == town.NAMES[::-1]


@pytest.mark.parametrize(
    ("change", "settings", "said"),
    [
        (
            None,
            {"order": "palce"},
            "questions.csv: has no column 'palce', named under order; did you mean 'place'",
        ),
        ((3, "40"), {"order": "place"}, "row 5, column 'place': is 40 a second time"),
        ((3, "soon"), {"order": "place"}, "row 5, column 'place': is 'soon'"),
    ],
)
def test_an_order_that_is_none_is_refused(files, change, settings, said):
    if change is not None:
        at, value = change
        questions = pd.read_csv("questions.csv", dtype=str)
        questions.loc[at, "place"] = value
        questions.to_csv("questions.csv", index=False)
    with pytest.raises(DataError, match=said):
        read(scenarios="questions.csv", **settings)


def test_an_order_without_a_file_of_scenarios_is_refused(files):
    with pytest.raises(DataError, match="order: 'place' is a column of the file of scenarios"):
        read(order="place")
