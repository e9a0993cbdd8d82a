"""Slopes, their errors and degrees of freedom: by matrices, and R's packages."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, ndtr, stdtrit

from fidelity.designs import replicate_factors
from fidelity.effects import arm_effects
from fidelity.regression import (
    Covariates,
    average_marginal_effects,
    compare_slopes,
    linear_slopes,
    slopes_of_others,
)
from fidelity.regression.comparison import Both, paired
from fidelity.simultaneous import joint_level
from fidelity.structure import TooFewError

REFERENCE = json.loads((Path(__file__).parents[1] / "reference/regression.json").read_text())
DATA = {name: np.array(REFERENCE[name]) for name in ("age", "woman", "rare", "weight", "psu", "y")}
YES = np.array(REFERENCE["yes"])
NAMES = ["age", "woman", "rare"]
X = np.stack([DATA[name] for name in NAMES], 1)
Y, WEIGHT, PSU = (DATA[name] for name in ("y", "weight", "psu"))
STRATUM = (PSU - 1) // 6
CLOSE = {"rtol": 1e-8, "atol": 1e-10}


def facts(**how):
    return Covariates(X, names=NAMES, **how)


def of_r(name):
    told = REFERENCE[name]
    covariance = np.array(told["covariance"]).reshape(4, 4)
    return np.array(told["estimate"]), covariance, told["df"]


def by_matrices(x, y, w, units, strata=None):
    """Return slopes, covariance and degrees of freedom, with the full matrix of residuals."""
    x = np.column_stack([np.ones(len(x)), x])
    n, w = len(x), np.diag(w)
    bread = np.linalg.inv(x.T @ w @ x)
    maker = np.eye(n) - x @ bread @ x.T @ w
    forms = []
    for unit in np.unique(units):
        rows = np.flatnonzero(units == unit)
        values, axes = np.linalg.eigh((maker @ maker.T)[np.ix_(rows, rows)])
        root = axes @ np.diag([v**-0.5 if v > 1e-9 else 0.0 for v in values]) @ axes.T
        forms.append((bread @ x.T @ w)[1:, rows] @ root @ maker[rows])
    forms = np.stack(forms)
    if strata is not None:
        first = [np.flatnonzero(units == unit)[0] for unit in np.unique(units)]
        for stratum in np.unique(strata):
            inside = strata[first] == stratum
            many = inside.sum()
            forms[inside] -= forms[inside].mean(0)
            forms[inside] *= np.sqrt(many / (many - 1))
    influence = np.einsum("ujn,n->uj", forms, y)
    products = np.einsum("ujn,vjn->juv", forms, forms)
    means = np.trace(products, axis1=1, axis2=2)
    true = np.diag(bread @ x.T @ w @ w @ x @ bread)[1:]
    influence /= np.sqrt(means / true)
    beta = bread @ x.T @ w @ y
    return beta[1:], influence.T @ influence, means**2 / (products**2).sum((1, 2))


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_errors_and_degrees_of_freedom_are_clubsandwichs(clustered, weighted):
    how = {"weights": WEIGHT if weighted else None, "clusters": PSU if clustered else None}
    slopes = linear_slopes(facts(**how), Y)
    name = {(0, 0): "persons", (1, 0): "clusters", (0, 1): "weighted", (1, 1): "weighted clusters"}
    estimate, covariance, df = of_r(name[clustered, weighted])
    np.testing.assert_allclose(slopes.estimate, estimate[1:], **CLOSE)
    np.testing.assert_allclose(slopes.covariance, covariance[1:, 1:], **CLOSE)
    np.testing.assert_allclose(slopes.df, df[1:], **CLOSE)


@pytest.mark.parametrize("strata", [None, STRATUM])
@pytest.mark.parametrize("weights", [np.ones(90), WEIGHT])
@pytest.mark.parametrize("units", [np.arange(90), PSU])
def test_as_by_matrices(units, weights, strata):
    slopes = linear_slopes(facts(weights=weights, clusters=units, strata=strata), Y)
    estimate, covariance, df = by_matrices(X, Y, weights, units, strata)
    np.testing.assert_allclose(slopes.estimate, estimate, **CLOSE)
    np.testing.assert_allclose(slopes.covariance, covariance, **CLOSE)
    np.testing.assert_allclose(slopes.df, df, rtol=1e-8)


def test_replicate_weights_as_in_survey():
    left = np.stack([WEIGHT * np.where(k == PSU, 0.0, 18 / 17) for k in range(1, 19)], 1)
    how = {"replicates": left, "factors": replicate_factors("jk1", 18)}
    slopes = linear_slopes(facts(weights=WEIGHT, **how), Y)
    estimate, covariance, _ = of_r("replicates")
    np.testing.assert_allclose(slopes.estimate, estimate[1:], **CLOSE)
    np.testing.assert_allclose(slopes.covariance, covariance[1:, 1:], **CLOSE)
    assert slopes.df.tolist() == [17.0] * 3
    some = X[:, :2]
    effects = average_marginal_effects(Covariates(some, weights=WEIGHT, **how), YES)
    clustered = average_marginal_effects(Covariates(some, weights=WEIGHT, clusters=PSU), YES)
    np.testing.assert_allclose(effects.se, clustered.se, rtol=0.2)


def test_an_arm_has_welchs_error():
    rng = np.random.default_rng(2)
    arm = np.repeat(["control", "new"], [40, 25])
    y = rng.normal(size=65) * np.where(arm == "new", 2.0, 1.0)
    slopes = linear_slopes(Covariates((arm == "new")[:, None].astype(float)), y)
    effects = arm_effects(y, arm, control="control")
    np.testing.assert_allclose(slopes.estimate, effects.estimate, atol=1e-12)
    np.testing.assert_allclose(slopes.se, effects.se, atol=1e-12)


def test_several_outcomes_and_missing_answers():
    both = np.stack([Y, np.where(np.arange(90) % 7 == 0, np.nan, Y**2)], 1)
    slopes = linear_slopes(facts(clusters=PSU), pd.DataFrame(both, columns=["a", "b"]))
    assert slopes.labels == [(name, column) for name in "ab" for column in NAMES]
    there = ~np.isnan(both[:, 1])
    for rows, some, y in ((there | True, np.s_[:3], Y), (there, np.s_[3:], Y**2)):
        alone = linear_slopes(
            Covariates(X[rows], names=NAMES, clusters=PSU[rows]), y[rows], outcomes=["q"]
        )
        np.testing.assert_allclose(slopes.estimate[some], alone.estimate, **CLOSE)
        np.testing.assert_allclose(slopes.covariance[some, some], alone.covariance, **CLOSE)
        np.testing.assert_allclose(slopes.df[some], alone.df, **CLOSE)
    assert slopes.persons.tolist() == [90.0] * 3 + [77.0] * 3
    sd = X.std(0, ddof=1) / Y.std(ddof=1)
    np.testing.assert_allclose(slopes.scale[:3], sd, **CLOSE)


def test_units_are_people_of_both_outcomes_together():
    twice = linear_slopes(facts(), np.stack([Y, 3.0 * Y], 1))
    np.testing.assert_allclose(twice.covariance[:3, 3:], 3.0 * twice.covariance[:3, :3], **CLOSE)


def test_a_term_explains_the_same_whatever_its_base():
    rng = np.random.default_rng(3)
    level = rng.integers(0, 4, 200)
    y = rng.normal(size=200) + level
    explained = []
    for base in range(4):
        columns = np.stack([level == other for other in range(4) if other != base], 1)
        slopes = linear_slopes(Covariates(columns, terms=["region"] * 3), y)
        explained.append(float(((slopes.roots @ slopes.estimate) ** 2).sum()))
    means = np.array([y[level == k].mean() for k in level])
    np.testing.assert_allclose(explained, means.var(ddof=1) / y.var(ddof=1), rtol=1e-8)


def effects_by_hand(beta, x, w):
    """Return average marginal effects: age's by a small step, the levels' by switching them."""
    x = np.column_stack([np.ones(len(x)), x])
    ends = []
    for column, (less, more) in ((1, (-1e-5, 1e-5)), (2, (0, 1)), (3, (0, 1))):
        sides = []
        for value in (less, more):
            other = x.copy()
            other[:, column] = x[:, column] + value if column == 1 else value
            sides.append(np.average(expit(other @ beta), weights=w))
        ends.append((sides[1] - sides[0]) / (more - less))
    return np.array(ends)


@pytest.mark.parametrize("clusters", [None, PSU])
def test_average_marginal_effects_have_the_errors_of_clubsandwich(clusters):
    over = Covariates(X[::2], names=NAMES, weights=WEIGHT[::2])
    effects = average_marginal_effects(facts(clusters=clusters), YES, over=over)
    beta, covariance, _ = of_r("logit" if clusters is None else "logit clusters")

    def by_hand(coefficients):
        return effects_by_hand(coefficients, X[::2], WEIGHT[::2])

    np.testing.assert_allclose(effects.estimate, by_hand(beta), atol=1e-8)
    steps = 1e-4 * np.eye(4)
    change = np.stack([(by_hand(beta + s) - by_hand(beta - s)) / 2e-4 for s in steps])
    close = 1e-4 if clusters is None else 2e-3  # of clusters, another root of the same covariance
    np.testing.assert_allclose(effects.covariance, change.T @ covariance @ change, rtol=close)


def test_a_logit_with_whole_weights_is_that_of_repeated_rows():
    times = np.arange(90) % 3 + 1
    rows = np.repeat(np.arange(90), times)
    effects = average_marginal_effects(facts(weights=times), YES)
    repeated = average_marginal_effects(Covariates(X[rows], names=NAMES), YES[rows])
    np.testing.assert_allclose(effects.estimate, repeated.estimate, atol=1e-8)


def test_levels_of_a_factor_are_set_against_the_base():
    rng = np.random.default_rng(4)
    level = rng.integers(0, 3, 400)
    columns = np.stack([level == 1, level == 2], 1).astype(float)
    yes = rng.random(400) < np.array([0.2, 0.5, 0.7])[level]
    effects = average_marginal_effects(Covariates(columns, terms=["region"] * 2), yes)
    shares = np.array([yes[level == k].mean() for k in range(3)])
    np.testing.assert_allclose(effects.estimate, shares[1:] - shares[0], atol=1e-9)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (np.ones((9, 1)), "'x1' is constant"),
        (np.stack([np.arange(9.0), 2.0 * np.arange(9.0)], 1), "'x2' is a sum"),
        ([[1.0], [np.nan], [2.0], [3.0]], "finite"),
        ([[1.0], [np.inf], [2.0], [3.0]], "finite"),
        (np.zeros((0, 2)), "not of shape"),
    ],
)
def test_columns_that_tell_nothing_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        Covariates(columns)


def test_too_few_persons_and_slopes_that_rest_on_one():
    with pytest.raises(TooFewError, match="3 slopes need 5 persons or more, not 4"):
        linear_slopes(facts(), [*Y[:4], *[np.nan] * 86])
    with pytest.raises(TooFewError, match="3 slopes need 5 persons or more, not 4"):
        Covariates(X[:4])
    with pytest.raises(ValueError, match="'one' rests on one person"):
        linear_slopes(Covariates(np.eye(90)[:, :1], names=["one"]), Y)
    with pytest.raises(ValueError, match="rests on one person, or one cluster"):
        linear_slopes(Covariates((PSU == 1)[:, None].astype(float), clusters=PSU), Y)
    with pytest.raises(ValueError, match="'rare' is constant"):
        linear_slopes(facts(), np.where(X[:, 2] == 1, np.nan, Y))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"names": ["a"]}, "names must be 3 words"),
        ({"weights": [-1.0] * 90}, "weights"),
        ({"clusters": [1, 2]}, "clusters"),
        ({"replicates": np.ones((90, 3))}, "together"),
        ({"replicates": np.ones((90, 3)), "factors": [1] * 3, "clusters": PSU}, "in place of"),
        ({"lonely_psu": "no"}, "lonely_psu must be one of"),
    ],
)
def test_malformed_arguments_are_refused(how, message):
    with pytest.raises(ValueError, match=message):
        Covariates(X, **{"names": NAMES, **how})


def test_a_logit_without_solution_is_refused():
    with pytest.raises(ValueError, match="separation"):
        average_marginal_effects(facts(), X[:, 0] > 0.1)
    with pytest.raises(ValueError, match="separation"):
        average_marginal_effects(facts(), np.zeros(90))
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        average_marginal_effects(facts(), Y)
    with pytest.raises(ValueError, match="over must have the columns"):
        average_marginal_effects(facts(), YES, over=Covariates(X))


def test_a_lonely_stratum_is_refused_or_left_out():
    alone = np.where(PSU == 1, 9, STRATUM)
    with pytest.raises(ValueError, match="lonely_psu"):
        linear_slopes(facts(clusters=PSU, strata=alone), Y)
    slopes = linear_slopes(facts(clusters=PSU, strata=alone, lonely_psu="certainty"), Y)
    assert np.isfinite(slopes.se).all() and (slopes.df < 15).all()


def test_labelled_tables_are_matched_by_their_labels():
    order = np.random.default_rng(5).permutation(90)
    table = pd.DataFrame(X, columns=NAMES)
    answers = pd.DataFrame({"q": Y})
    weights = pd.Series(WEIGHT)
    plain = linear_slopes(Covariates(table, weights=weights), answers)
    mixed = linear_slopes(Covariates(table, weights=weights.iloc[order]), answers.iloc[order])
    assert plain.labels == mixed.labels == [("q", name) for name in NAMES]
    np.testing.assert_allclose(mixed.estimate, plain.estimate, **CLOSE)
    np.testing.assert_allclose(mixed.covariance, plain.covariance, **CLOSE)
    with pytest.raises(ValueError, match="answers must have the same row labels as values"):
        linear_slopes(Covariates(table), answers.set_axis(np.arange(90) + 1, axis=0))


RNG = np.random.default_rng(0)
N = 300
DESIGN = np.column_stack([RNG.normal(size=(N, 2)), RNG.random(N) < 0.3])
SLOPES = ["age", "income", "woman"]
BETA, GAMMA = np.array([0.4, 0.0, 0.3]), np.array([0.6, 0.0, 0.0])


def side(beta=BETA, n=N, seed=1, **how):
    """Return slopes of new persons."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.normal(size=(n, 2)), rng.random(n) < 0.3])
    return linear_slopes(Covariates(x, names=SLOPES, **how), x @ beta + rng.normal(size=n))


def test_twins_have_the_errors_of_one_regression_of_differences():
    facts = Covariates(DESIGN, names=SLOPES, weights=RNG.choice([1.0, 3.0], N))
    common = RNG.normal(size=N)
    one, two = (DESIGN @ BETA + common + RNG.normal(size=N) for _ in range(2))
    people, simulator = (linear_slopes(facts, y) for y in (one, two))
    both = Both(people, simulator, True)
    alone = linear_slopes(facts, two - one)
    np.testing.assert_allclose(both.apart, alone.estimate, atol=1e-12)
    np.testing.assert_allclose(both.covariance, alone.covariance, rtol=1e-10)
    np.testing.assert_allclose(both.df, alone.df)
    found = compare_slopes(people, simulator, same_persons=True)
    ends = alone.intervals(together=True).T
    np.testing.assert_allclose([found.difference.lower, found.difference.upper], ends)
    apart = compare_slopes(people, simulator)
    assert (apart.standardised.upper > found.standardised.upper).all()
    assert apart.root_mean_square.upper > found.root_mean_square.upper


def test_different_persons_are_joined_as_welch_does():
    people, simulator = side(), side(n=60, seed=2)
    both = Both(*paired(people, simulator), False)
    np.testing.assert_allclose(both.covariance, people.covariance + simulator.covariance)
    one, two = people.se**2, simulator.se**2
    welch = (one + two) ** 2 / (one**2 / people.df + two**2 / simulator.df)
    np.testing.assert_allclose(both.df, welch)
    given = Both(people, simulator.as_given(), False)
    np.testing.assert_allclose(given.covariance, people.covariance)
    np.testing.assert_allclose(given.df, people.df)


def test_intervals_hold_together_at_the_level_of_the_largest():
    people = side()
    one = joint_level(people.covariance, 0.95)
    assert 0.95 < one <= 1 - 0.05 / 3
    reach = stdtrit(people.df, (1 + one) / 2) * people.se
    ends = people.intervals(0.95, together=True)
    np.testing.assert_allclose(ends[:, 1] - people.estimate, reach)
    errors = np.random.default_rng(3).multivariate_normal(np.zeros(3), people.covariance, 200_000)
    critical = stdtrit(np.inf, (1 + one) / 2)
    assert (np.abs(errors / people.se).max(1) <= critical).mean() == pytest.approx(0.95, abs=0.003)


@pytest.mark.parametrize("many", [1, 2, 10])
def test_the_level_of_independent_and_of_equal_errors(many):
    independent = 0.95 ** (1 / many)
    assert joint_level(np.eye(many), 0.95) == pytest.approx(independent, rel=6e-4)
    assert joint_level(np.ones((many, many)), 0.95) == pytest.approx(0.95, abs=3e-3)
    assert joint_level(np.diag([*[0.0] * 3, *[2.0] * many]), 0.95) == joint_level(np.eye(many))
    one_sided = joint_level(np.eye(many), 0.95, sides=1)
    assert one_sided == pytest.approx(independent, rel=6e-4)


def test_what_is_said_of_each_slope():
    many = 4000
    people = side([0.5, 0.4, 0.0], many)
    found = compare_slopes(people, side([0.5, -0.4, 0.0], many, 2))
    assert found.signs == ["same", "opposite", "open"]
    assert found.sizes == ["within", "beyond", "within"]
    found = compare_slopes(people, side([0.0, 0.4, 0.8], many, 3))
    assert found.signs == ["only in people", "same", "only in the simulator"]
    few = compare_slopes(side(n=40), side(n=40, seed=5))
    assert set(few.sizes) == {"open"}


def test_units_of_x_and_y_do_not_matter():
    rng = np.random.default_rng(8)
    y = [DESIGN @ BETA + rng.normal(size=N), DESIGN @ BETA[::-1] + rng.normal(size=N)]
    scaled = DESIGN * [10.0, 0.1, 2.0] + 3.0
    plain, other = (
        compare_slopes(*(linear_slopes(Covariates(x, names=SLOPES), c * z) for z in y))
        for x, c in ((DESIGN, 1.0), (scaled, 7.0))
    )
    for name in ("root_mean_square", "slope"):
        np.testing.assert_allclose(getattr(plain, name), getattr(other, name), rtol=1e-9)
    np.testing.assert_allclose(plain.standardised, other.standardised, rtol=1e-9)
    assert plain.sizes == other.sizes and plain.signs == other.signs


@pytest.mark.slow
def test_the_root_mean_square_is_that_of_terms_without_noise():
    many = 100_000
    people, simulator = side(n=many), side(GAMMA, n=many, seed=2)
    found = compare_slopes(people, simulator)
    spread = np.sqrt(0.16 + 0.09 * 0.21 + 1.0)
    expected = np.array([0.2, 0.0, 0.3 * np.sqrt(0.21)]) / spread
    np.testing.assert_allclose([term.estimate for term in found.by_term], expected, atol=0.02)
    assert found.root_mean_square.estimate == pytest.approx(np.sqrt((expected**2).mean()), abs=0.01)
    gamma = GAMMA * [1, 1, np.sqrt(0.21)]
    beta = BETA * [1, 1, np.sqrt(0.21)]
    assert found.slope.estimate == pytest.approx(gamma @ beta / (beta @ beta), abs=0.02)
    assert found.slope.lower < found.slope.estimate < found.slope.upper


@pytest.mark.slow
def test_noise_is_subtracted():
    """Of a perfect simulator the mean square is 0 on average, and the slope is 1."""
    squares, slopes = [], []
    for seed in range(100):
        found = compare_slopes(side(seed=seed), side(seed=1000 + seed))
        both = Both(*paired(side(seed=seed), side(seed=1000 + seed)), False)
        root = both.people.roots / np.sqrt(3)
        squares.append(((root @ both.apart) ** 2).sum() - np.trace(root @ both.covariance @ root))
        slopes.append(found.slope.estimate)
        assert found.root_mean_square.lower <= found.root_mean_square.estimate
    assert abs(np.mean(squares)) < 3 * np.std(squares) / np.sqrt(100)
    assert abs(np.nanmean(slopes) - 1.0) < 3 * np.nanstd(slopes) / np.sqrt(100)


def test_the_same_answers_differ_by_nothing():
    people = side()
    assert tuple(compare_slopes(people, people, same_persons=True).root_mean_square) == (0, 0, 0)


def test_an_answer_that_never_changes_has_no_slopes():
    constant = linear_slopes(Covariates(DESIGN, names=SLOPES), np.full(N, 3.0))
    found = compare_slopes(side(n=4000), constant)
    assert found.signs[0] == "only in people" and found.simulator.upper[0] == pytest.approx(0)
    assert found.root_mean_square.lower > 0.1
    with pytest.raises(TooFewError, match="people all answer the question alike"):
        compare_slopes(constant, side())


def test_slopes_of_one_side_are_left_out():
    people, simulator = side(), side(seed=2)
    some = simulator.take([("", "woman"), ("", "age")])
    assert compare_slopes(people, some).labels == [("", "age"), ("", "woman")]
    with pytest.raises(ValueError, match="slopes of the same outcomes"):
        compare_slopes(
            people,
            linear_slopes(Covariates(DESIGN, names=list("abc")), DESIGN @ BETA + RNG.random(N)),
        )
    with pytest.raises(ValueError, match="the same persons"):
        compare_slopes(people, side(n=200), same_persons=True)
    with pytest.raises(ValueError, match="limit"):
        compare_slopes(people, simulator, limit=0.0)


@pytest.mark.slow
def test_how_near_other_people_would_come():
    """Against other people who are really drawn."""
    people, square, signs = [side(seed=seed) for seed in range(150)], [], []
    for seed, these in enumerate(people):
        others = side(n=100, seed=5000 + seed)
        apart = these.roots @ (others.estimate - BETA)
        square.append((apart**2).mean())
        signs.append((np.sign(others.estimate) == np.sign(these.estimate)).mean())
    said = [slopes_of_others(these, 100) for these in people]
    squares = np.array([one.root_mean_square**2 for one in said])
    assert squares.mean() == pytest.approx(np.mean(square), rel=0.15)
    share = np.mean([one.same_signs for one in said])
    assert abs(share - np.mean(signs)) < 0.02 + 3 * np.std(signs) / np.sqrt(150)
    many = [slopes_of_others(people[0], n).root_mean_square for n in (50, 200)]
    assert many[0] == pytest.approx(2 * many[1])


def test_signs_of_one_slope_by_hand():
    people = side().take([("", "age")])
    z = people.estimate[0] / people.se[0]
    expected = ndtr(z / np.sqrt(1 + N / 100))
    assert slopes_of_others(people, 100).same_signs == pytest.approx(expected)
