"""Effects, their errors and AMCE, against regressions written out, and against R's lm."""

import json
from pathlib import Path

import numpy as np
import pytest

from fidelity.effects import (
    arm_effects,
    effects_of_means,
    expected_clear,
    marginal_effects,
    stated_effects,
)

REFERENCE = json.loads((Path(__file__).parents[1] / "reference/effects.json").read_text())
RNG = np.random.default_rng(0)
ARM = np.repeat(["c", "t", "u"], [30, 20, 25])
Y = RNG.normal(size=75) + (ARM == "t")


def sandwich(x, y, w, clusters=None):
    """Return coefficients and covariance: CR1 by cluster, HC2 without."""
    bread = np.linalg.inv((x.T * w) @ x)
    beta = bread @ (x.T * w) @ y
    scores = x * (w * (y - x @ beta))[:, None]
    if clusters is None:
        leverage = np.einsum("ij,jk,ik->i", x, bread, x) * w
        meat = (scores.T / (1 - leverage)) @ scores
        return beta, bread @ meat @ bread
    sums = np.stack([scores[clusters == c].sum(0) for c in np.unique(clusters)])
    g, (n, k) = len(sums), x.shape
    return beta, bread @ (sums.T @ sums) @ bread * g / (g - 1) * (n - 1) / (n - k)


def test_between_persons_is_hc2():
    effects = arm_effects(Y, ARM, control="c")
    x = np.stack([np.ones(75), ARM == "t", ARM == "u"], 1).astype(float)
    beta, covariance = sandwich(x, Y, np.ones(75))
    assert effects.labels == [("", "t"), ("", "u")]
    np.testing.assert_allclose(effects.estimate, beta[1:], atol=1e-12)
    np.testing.assert_allclose(effects.covariance, covariance[1:, 1:], atol=1e-12)
    one, two = (np.var(Y[arm == ARM], ddof=1) / (arm == ARM).sum() for arm in "tc")
    assert effects.df[0] == pytest.approx((one + two) ** 2 / (one**2 / 19 + two**2 / 29))


@pytest.mark.parametrize("is_weighted", [False, True])
def test_clustered_is_cr1_of_the_two_arms(is_weighted):
    person = RNG.integers(0, 25, 75)
    weights = RNG.uniform(0.5, 2.0, 75) if is_weighted else np.ones(75)
    effects = arm_effects(Y, ARM, control="c", respondents=person, weights=weights)
    for row, arm in enumerate("tu"):
        at = (arm == ARM) | (ARM == "c")
        x = np.stack([np.ones(at.sum()), ARM[at] == arm], 1).astype(float)
        beta, covariance = sandwich(x, Y[at], weights[at], person[at])
        assert effects.estimate[row] == pytest.approx(beta[1], abs=1e-12)
        assert effects.se[row] == pytest.approx(np.sqrt(covariance[1, 1]), abs=1e-12)
        assert effects.df[row] == len(np.unique(person[at])) - 1


def test_weighted_means_are_linearised():
    weights = RNG.uniform(0.5, 2.0, 75)
    effects = arm_effects(Y, ARM, control="c", weights=weights)
    variance = 0.0
    for arm in "tc":
        y, w = Y[arm == ARM], weights[arm == ARM]
        away = w * (y - np.average(y, weights=w)) / w.sum()
        variance += len(y) / (len(y) - 1) * (away**2).sum()
    assert effects.se[0] == pytest.approx(np.sqrt(variance), abs=1e-12)
    same = arm_effects(Y, ARM, control="c", weights=np.full(75, 3.0))
    np.testing.assert_allclose(same.se, arm_effects(Y, ARM, control="c").se)


def test_means_give_what_answers_give():
    arms = ["t", "u", "c"]
    means, spreads, sizes = zip(
        *((y.mean(), y.std(ddof=1), len(y)) for y in (Y[arm == ARM] for arm in arms)), strict=True
    )
    effects = effects_of_means(means, spreads, sizes, arms, control="c")
    answered = arm_effects(Y, ARM, control="c")
    np.testing.assert_allclose(effects.estimate, answered.estimate, atol=1e-12)
    np.testing.assert_allclose(effects.covariance, answered.covariance, atol=1e-12)
    np.testing.assert_allclose(effects.df, answered.df)


def test_several_outcomes_of_the_same_persons_are_correlated():
    y = RNG.normal(size=75) + 3 * Y
    effects = arm_effects(
        [*Y, *y],
        [*ARM, *ARM],
        control="c",
        outcomes=np.repeat(["one", "two"], 75),
        respondents=np.tile(np.arange(75), 2),
    )
    at = [effects.labels.index((outcome, "t")) for outcome in ("one", "two")]
    arms = [np.cov(Y[arm == ARM], y[arm == ARM]) / (arm == ARM).sum() for arm in "tc"]
    np.testing.assert_allclose(effects.covariance[np.ix_(at, at)], sum(arms), atol=1e-12)


def test_missing_answers_and_small_arms_are_left_out():
    effects = arm_effects([1, 2, np.nan, 4, 3, 3], list("tttccu"), control="c")
    assert effects.labels == [("", "t")]
    assert effects.estimate.tolist() == [-2.0]
    with pytest.raises(ValueError, match="no condition has two answers"):
        arm_effects([1, 2, 3], list("tcc"), control="c")
    with pytest.raises(ValueError, match="no condition has two answers"):
        arm_effects([1, 2, 3], list("tcc"), control="placebo")


def conjoint():
    data = REFERENCE["conjoint"]
    return {name: np.array(values) for name, values in data.items()}


@pytest.mark.parametrize("is_weighted", [False, True])
def test_amce_is_the_clustered_regression_of_r(is_weighted):
    data = conjoint()
    weights = data["weight"] if is_weighted else None
    effects = marginal_effects(
        data["chosen"],
        {"price": data["price"], "brand": data["brand"]},
        respondents=data["person"],
        bases={"price": "low"},
        weights=weights,
    )
    expected = REFERENCE["weighted" if is_weighted else "plain"]
    assert effects.labels == [tuple(label) for label in expected["labels"]]
    np.testing.assert_allclose(effects.estimate, expected["estimate"], atol=1e-9)
    np.testing.assert_allclose(effects.se, expected["se"], atol=1e-9)
    x = [np.ones(len(data["chosen"]))]
    x += [(data[name] == level).astype(float) for name, level in effects.labels]
    w = np.ones(len(x[0])) if weights is None else weights
    beta, covariance = sandwich(np.stack(x, 1), data["chosen"], w, data["person"])
    np.testing.assert_allclose(effects.estimate, beta[1:], atol=1e-12)
    np.testing.assert_allclose(effects.covariance, covariance[1:, 1:], atol=1e-12)


def test_amce_of_several_outcomes_of_the_same_persons():
    data = conjoint()
    shown = {name: np.tile(data[name], 2) for name in ("price", "brand")}
    other = data["chosen"] + 0.5 * (data["price"] == "low") + RNG.normal(size=len(data["chosen"]))
    both = marginal_effects(
        np.concatenate([data["chosen"], other]),
        shown,
        outcomes=np.repeat(["chosen", "rating"], len(other)),
        respondents=np.tile(data["person"], 2),
    )
    for place, answers in enumerate((data["chosen"], other)):
        shown = {name: data[name] for name in ("price", "brand")}
        alone = marginal_effects(answers, shown, respondents=data["person"])
        rows = slice(3 * place, 3 * place + 3)
        assert both.labels[rows] == [(("chosen", "rating")[place], *one) for one in alone.labels]
        np.testing.assert_allclose(both.estimate[rows], alone.estimate, atol=1e-12)
        np.testing.assert_allclose(both.covariance[rows, rows], alone.covariance, atol=1e-12)
    assert np.abs(both.covariance[:3, 3:]).max() > 0.0


def test_amce_refuses_what_it_cannot_tell():
    with pytest.raises(ValueError, match="can't be told apart"):
        marginal_effects([1, 0, 1, 0], {"a": list("xyxy"), "b": list("pqpq")})
    with pytest.raises(ValueError, match="must be one of x, y"):
        marginal_effects([1, 0, 1, 0], {"a": list("xyxy")}, bases={"a": "z"})
    with pytest.raises(ValueError, match="2 respondents"):
        marginal_effects([1, 0, 1, 0], {"a": list("xyxy")}, respondents=[1] * 4)


def test_between_effects_agree_with_r():
    expected = REFERENCE["between"]
    effects = arm_effects(expected["y"], expected["arm"], control="c")
    np.testing.assert_allclose(effects.estimate, expected["estimate"], atol=1e-9)
    np.testing.assert_allclose(effects.se, expected["se"], atol=1e-9)
    np.testing.assert_allclose(effects.df, expected["df"], atol=1e-7)


def test_deviations_are_from_the_mean_over_subgroups():
    labels = [(outcome, group, "t") for outcome in ("a", "b") for group in ("old", "young")]
    effects = stated_effects([1.0, 3.0, 0.0, 1.0], labels)
    apart = effects.deviations(1)
    assert apart.labels == labels
    assert apart.estimate.tolist() == [-1.0, 1.0, -0.5, 0.5]
    single = stated_effects([1.0], [("a", "old", "t")]).deviations(1)
    assert single.labels == []


@pytest.mark.slow
def test_expected_share_of_certain_effects_by_simulation():
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(100):
        true = rng.normal(0.3, 0.5, 30)
        means, sizes = [0.0, *true], [4000] + [40] * 30
        arms = ["c", *map(str, range(30))]
        effects = effects_of_means(means, [2.0] * 31, sizes, arms, control="c")
        z = np.abs(true + rng.normal(0, 1, 30) * effects.se) / effects.se
        noisy = effects_of_means(
            [0.0, *(true + rng.normal(0, 1, 30) * effects.se)], [2.0] * 31, sizes, arms, control="c"
        )
        shares.append(((z > 1.959964).mean(), expected_clear(noisy, 1.0)))
    seen, expected = np.mean(shares, 0)
    assert expected == pytest.approx(seen, abs=0.02)
