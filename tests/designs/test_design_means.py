"""Errors of a study's mean by its sampling design: R's survey, samples drawn anew, and the step.

EXPECTED is what R's survey prints: the mean over questions of people's mean scores, and its
standard error; see test_against_r.py.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.special import ndtr
from surveyed import OPTIONS, QUESTIONS, people, with_replicates, write
from tabular_step import read
from test_against_r import EXPECTED as PRINTED_BY_R
from test_against_r import numbers

from fidelity.designs import effective_size, linearised_mean, replicate_factors
from fidelity.means import (
    discrepancy_bounds,
    mean_interval,
    person_errors,
    replicate_errors,
)
from fidelity.means.estimates import errors_of_people
from fidelity.responses import Answers, Responses, Simulator
from fidelity_study.reading.ingest.save import completed
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.cases import Case
from fidelity_study.steps.people import People
from fidelity_study.steps.unanswered import Answered
from fidelity_study.tables.ingest import RESPONDENTS, SCENARIOS

EXPECTED = {
    name.removeprefix("mean "): each
    for name, each in numbers(PRINTED_BY_R).items()
    if name.startswith("mean")
}
TABLE = people()
SCORES = np.tile([-1.0, 0.0, 1.0], (3, 1))
LOWEST, HIGHEST = np.tile([1.0, 0.0, 0.0], (3, 1)), np.tile([0.0, 0.0, 1.0], (3, 1))
REPLICATED = {
    "brr": {},
    "fay": {"fay": 0.3},
    "bootstrap": {"scale": 2 / 15, "rscales": np.arange(1, 17) / 20},
}


def answered(table):
    """Return who answered what: persons, questions and options by number."""
    said = table[list(QUESTIONS)].to_numpy()[:, :, np.newaxis] == OPTIONS
    person, scenario, option = np.nonzero(said)
    return {"person": person, "scenario": scenario, "option": option}


def summed(told, weight, questions=3):
    """Return sums of weights by question and option; of several sets of weights, (N, R)."""
    found = np.zeros((questions, 3, *weight.shape[1:]))
    np.add.at(found, (told["scenario"], told["option"]), weight[told["person"]])
    return found


def sampled(table: pd.DataFrame) -> Responses:
    """Return the answers of people in strata and PSUs."""
    told, weight = answered(table), table["w"].to_numpy()
    answers = Answers(
        **told, weight=weight[told["person"]], strata=table["stratum"], psu=table["psu"]
    )
    sizes = np.full(3, 50.0)
    return Responses(summed(told, weight), scores=SCORES, sizes=sizes, answers=answers)


def estimated(name: str) -> np.ndarray:
    """Return our mean and standard error, of the distance from people who all say the lowest."""
    how, domain = name.split()
    lonely = how in ("certainty", "average", "adjust")
    table = TABLE[~((TABLE["stratum"] == "s0") & (TABLE["psu"] == 1))] if lonely else TABLE
    weight, told = table["w"].to_numpy(), answered(table)
    if domain == "group":
        inside = ((table["sex"] == "female") & (table["age"] == "18-34")).to_numpy()
        told = {key: each[inside[told["person"]]] for key, each in told.items()}
    counts = summed(told, weight)
    given = {"scores": SCORES, "sizes": np.full(3, 50.0)}
    people = Responses(counts, **given)
    mean = discrepancy_bounds(people, LOWEST, discrepancy="absolute").upper.mean() - 1
    if how in REPLICATED:
        sets = with_replicates(TABLE).filter(regex="^rep").to_numpy()
        factors = replicate_factors(how, sets.shape[1], **REPLICATED[how])
        sums = summed(told, sets)
        found = replicate_errors(
            people, LOWEST, replicates=sums, factors=factors, discrepancy="absolute"
        )
        return np.array([mean, found[1]])
    strata = table["stratum"]
    psu = [f"{stratum} {psu}" for stratum, psu in zip(strata, table["psu"], strict=True)]
    design = {
        "psus": {"psu": psu},
        "plain": {"psu": np.arange(len(table))},
    }.get(how, {"strata": strata, "psu": table["psu"], **({"lonely_psu": how} if lonely else {})})
    answers = Answers(**told, weight=weight[told["person"]], **design)
    people = Responses(counts, answers=answers, **given)
    found = person_errors(people, LOWEST, discrepancy="absolute")
    return np.array([mean, found[1]])


@pytest.mark.parametrize("name", EXPECTED)
def test_the_error_of_a_mean_over_questions_is_that_of_r(name):
    """Of a distance that is linear in people's shares."""
    np.testing.assert_allclose(estimated(name), EXPECTED[name], rtol=1e-9)


def test_a_difference_of_two_simulators_has_the_error_of_the_design_too():
    """|mean - lowest| - |mean - highest| is twice the mean."""
    found = person_errors(sampled(TABLE), LOWEST, HIGHEST, discrepancy="absolute")
    np.testing.assert_allclose(found, 2 * EXPECTED["strata all"][1], rtol=1e-9)


def test_psus_where_nobody_answers_count():
    """As two more PSUs in a stratum, with a total of 0; by the formula of stratum totals."""
    told = {
        "person": np.arange(8),
        "scenario": np.zeros(8, int),
        "option": [0, 0, 1, 1, 1, 0, 0, 0],
    }
    psu = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 5])
    people = Responses([[5, 3]], answers=Answers(**told, psu=psu), sizes=[8.0])
    found = person_errors(people, [[1.0, 0.0]], discrepancy="absolute")
    totals = np.bincount(psu, [*(np.array(told["option"]) - 3 / 8) / 8, 0.0, 0.0])
    np.testing.assert_allclose(found, np.sqrt(6 / 5 * (totals**2).sum()))


def test_labels_are_of_persons_by_number():
    told = {"person": [0, 1, 2], "scenario": [0, 0, 0], "option": [0, 1, 1]}
    how = {"simulator": [[0.5, 0.5]], "discrepancy": "tv"}
    with pytest.raises(ValueError, match="a label for each person"):
        Responses([[1, 2]], answers=Answers(**told, psu=[0, 1]))
    with pytest.raises(ValueError, match="single PSU"):
        answers = Answers(**told, strata=[0, 0, 1], psu=[0, 1, 2])
        person_errors(Responses([[1, 2]], answers=answers), **how)
    with pytest.raises(ValueError, match="replicates must have the shape"):
        replicate_errors([[1, 2]], **how, replicates=[[1, 2]])
    with pytest.raises(ValueError, match="is 0 for all answers"):
        replicate_errors([[1, 2]], **how, replicates=[[[1, 0], [2, 0]]])


STRATA, PSUS, IN_PSU, ASKED = 8, 6, 12, 6
LEVELS, SLOPES, CUTS = (
    np.linspace(-1, 1, STRATA),
    np.linspace(0.4, 0.8, ASKED),
    np.array([-0.5, 0.6]),
)
SHARE = np.where(np.arange(STRATA) % 2, 1.5, 0.5) / STRATA


def true_shares() -> np.ndarray:
    """Return the population's shares, (questions, 3), by integration over PSUs and people."""
    sd = np.sqrt(SLOPES**2 * 1.36 + 1)[:, None]
    below = [ndtr((CUTS - SLOPES[:, None] * level) / sd) for level in LEVELS]
    return np.diff(SHARE @ np.array(below).swapaxes(0, 1), axis=1, prepend=0, append=1)


def new_sample(rng):
    """Return answers (people, questions), strata, PSUs and weights of a sample of the design."""
    leaning = LEVELS[:, None, None] + rng.normal(0, 0.6, (STRATA, PSUS, 1))
    leaning = (leaning + rng.normal(0, 1, (STRATA, PSUS, IN_PSU))).reshape(-1, 1)
    said = np.digitize(SLOPES * leaning + rng.normal(size=(len(leaning), ASKED)), CUTS)
    psu = np.repeat(np.arange(STRATA * PSUS), IN_PSU)
    return said, psu // PSUS, psu, SHARE[psu // PSUS] * STRATA


def declared(said, strata, psu, w, how):
    """Return the interval of one simulator's mean."""
    weight = np.ones(len(psu)) if how == "ignored" else w
    person, scenario = (each.ravel() for each in np.indices(said.shape))
    told = {"person": person, "scenario": scenario, "option": said.ravel()}
    counts, sizes, df = summed(told, weight, ASKED), weight.sum() ** 2 / (weight**2).sum(), np.inf
    design = {"psu": {"psu": psu}, "full": {"psu": psu, "strata": strata}}.get(how, {})
    sizes = np.full(ASKED, sizes)
    if design:
        found = [linearised_mean(each[:, None] == [0, 1, 2], w, **design) for each in said.T]
        sizes = [effective_size(each.estimate, each.covariance, len(psu)) for each in found]
        df = found[0].df
    answers = Answers(**told, weight=weight[person], **design)
    people = Responses(counts, sizes=sizes, answers=answers)
    errors = person_errors(people, SIMULATED, discrepancy="tv")
    bounds = discrepancy_bounds(people, SIMULATED, discrepancy="tv")
    return mean_interval(bounds, errors=errors, df=df)


SIMULATED = np.tile([0.5, 0.3, 0.2], (ASKED, 1))
DECLARED = ("ignored", "psu", "full")


@pytest.fixture(scope="module")
def samples():
    """Return, for each declaration, the intervals of 60 new samples."""
    drawn = [new_sample(np.random.default_rng((7, each))) for each in range(60)]
    return {how: [declared(*each, how) for each in drawn] for how in DECLARED}


def test_intervals_by_the_full_design_hold_and_others_do_not_or_are_longer(samples):
    truth = (np.abs(true_shares() - SIMULATED).sum(1) / 2).mean()
    covered, length = (
        {how: np.mean([of(each) for each in found]) for how, found in samples.items()}
        for of in (
            lambda each: each.ci_lower <= truth <= each.ci_upper,
            lambda each: each.ci_upper - each.ci_lower,
        )
    )
    assert covered["full"] >= 0.9  # of 300 samples .953, and .763 where the design is ignored
    assert covered["ignored"] < 0.85
    assert length["full"] < 0.85 * length["psu"]


@pytest.fixture
def files(here):
    write()


def people_of(**settings) -> People:
    """Return what the step knows of people, from the files to the tables."""
    outcome = {"kind": "categorical", "levels": OPTIONS.tolist()}
    how = {"outcome": outcome, "ignore": ["sex", "age"], "simulators": ["uniform"]}
    return tables_of(read(weight="w", **{**how, **settings}))


def tables_of(found) -> People:
    """Return the same from an ingest's responses."""
    scenarios = completed(found.scenarios, found.outcomes, "categorical")
    described = pa.Table.from_pandas(scenarios[SCENARIOS.names], SCENARIOS, preserve_index=False)
    by_scenario = found.outcomes[found.outcomes["source"] == "human"].groupby("scenario")
    rows = []
    named = scenarios[["scenario", "n_effective", "value"]].itertuples(index=False, name=None)
    for name, size, values in named:
        given = by_scenario.get_group(name).set_index("value")["count"]
        counts = given.reindex(values, fill_value=0.0).to_numpy()
        rows.append({"scenario": name, "count": counts * size / counts.sum(), "replicate": 0})
    sample = pa.Table.from_pylist(rows, HUMAN_SAMPLE)
    respondents = None
    if found.by_respondent is not None:
        lacking = [name for name in RESPONDENTS.names if name not in found.by_respondent]
        table = found.by_respondent.assign(**dict.fromkeys(lacking))
        respondents = pa.Table.from_pandas(table, RESPONDENTS, preserve_index=False)
    return People.of(described, sample, {"seed": 1, "dataset": "town"}, respondents)


def distance(told: People, rows=slice(None)) -> np.ndarray:
    """Return the errors of the mean distance from people who all say the lowest."""
    rows = np.arange(3)[rows]
    return errors_of_people(scored(told, rows), Simulator(LOWEST[rows]), discrepancy="absolute")


def scored(told: People, rows) -> Responses:
    """Return people whose options have scores."""
    responses = told.responses.only(rows)
    responses.scores = SCORES[0]
    return responses


STRATIFIED = {"strata": "stratum", "psu": "psu", "nested": True}


def test_a_study_that_declares_strata_and_psus_keeps_who_is_in_which(files):
    told = people_of(human="people.csv", design=STRATIFIED)
    np.testing.assert_allclose(distance(told)[1], EXPECTED["strata all"][1], rtol=1e-9)
    assert told.responses.df == 8
    assert told.unit == "whole PSUs left out within strata"


def test_a_psu_where_nobody_answered_is_not_lost(files):
    table = TABLE.copy()
    table.loc[(table["stratum"] == "s3") & (table["psu"] == 2), list(QUESTIONS)] = None
    table.to_csv("people.csv", index=False)
    expected = person_errors(sampled(table), LOWEST, discrepancy="absolute")
    found = distance(people_of(human="people.csv", design=STRATIFIED))
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


def test_a_study_with_replicate_weights_uses_them_for_its_mean(files):
    design = {"replicate_weights": ["rep*"], "method": "brr"}
    told = people_of(human="replicates.csv", design=design)
    np.testing.assert_allclose(distance(told)[1], EXPECTED["brr all"][1], rtol=1e-9)
    assert told.unit == "replicate weights"


def without_names(unit=1.0) -> People:
    """People of whom it is not known who answered what: weights 1 and 9 by what they say."""
    rows = pd.DataFrame({"scenario": ["q1"] * 95 + ["q2"] * 40, "value": "never", "weight": 1.0})
    rows.loc[90:94, ["value", "weight"]] = "often", 9.0
    rows.loc[95:110, "value"] = "sometimes"
    rows.assign(weight=unit * rows["weight"]).to_csv("weights.csv", index=False)
    outcome = {"kind": "categorical", "levels": OPTIONS.tolist()}
    return tables_of(read(human="weights.csv", outcome=outcome, simulators=["uniform"]))


def test_without_names_squared_weights_are_kept_by_option(here):
    """In the unit of effective people, whatever the unit of the weights."""
    for unit in (1.0, 5.0):
        told = without_names(unit)
        assert told.responses.answers is None
        assert told.unit is None
        total, squares = 90 + 45, 90 + 405
        kish = total**2 / squares
        counts = np.array([[90, 0, 45], [24, 16, 0]]) * [[kish / total], [1.0]]
        squares = np.array([[90, 0, 405], [24, 16, 0]]) * [[(kish / total) ** 2], [1.0]]
        expected = Responses(counts, sizes=[kish, 40.0], squares=squares)
        np.testing.assert_allclose(told.responses.counts, counts)
        np.testing.assert_allclose(told.responses.times, expected.times)


def test_without_names_a_simulators_error_allows_for_weights_that_depend_on_answers(here):
    """Without a person of weight w the mean moves by w(x - mean)/(W - w)."""
    told = without_names()
    stated = np.array([[1.0, 0.0, 0.0]] * 2)
    own = Answered("model", "stated", np.arange(2), stated, np.full(2, np.inf), np.zeros(2))
    bounds = Case(told, own, "tv", False).bounds["true"]
    weight = np.repeat([1.0, 9.0], [90, 5])
    apart = (weight > 1) - 45 / 135
    expected = np.sqrt(((weight * apart / (135 - weight)) ** 2).sum())
    np.testing.assert_allclose(bounds.upper_se[0], expected, rtol=1e-9)


def test_a_group_of_people_has_the_error_of_its_domain_in_the_whole_design(files):
    """Whose PSUs count although nobody of the group lives there; by R."""
    groups = {"groups": ["sex", "age"], "cluster": "question", "clustered": True, "ignore": []}
    files = {"human": "people.csv", "simulated": "model.csv", "simulators": ["model"]}
    told = people_of(**files, design=STRATIFIED, **groups)
    rows = np.array([told.names.index(f"{question} | female | 18-34") for question in QUESTIONS])
    people, model_of_all = scored(told, np.sort(rows)), Simulator(LOWEST)
    found = errors_of_people(people, model_of_all, discrepancy="absolute")
    np.testing.assert_allclose(found[1], EXPECTED["strata group"][1], rtol=1e-9)
