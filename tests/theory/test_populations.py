"""The synthetic populations: what was asked for, and as adversarial as they say."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.stats import binom
from synthetic.populations import ONE_SIDED, OPINION_PROFILES, POPULATIONS, population_named

from fidelity.binomial import clopper_pearson_lower, clopper_pearson_upper
from fidelity.pseudo_discrepancies import between

ROOM = Path(__file__).parents[2] / "workflow" / "datasets" / "synthetic"
LIKE = ("opinionqa_like", "worldvalues_like", "eedi_like")
ADVERSARIAL = tuple(name for name in POPULATIONS if name not in LIKE)
SIZES = {"opinionqa_like": 385, "worldvalues_like": 235, "eedi_like": 412}
K = {"opinionqa_like": 100, "worldvalues_like": 200, "eedi_like": 50}


def draw(name, m, seed=0):
    return population_named(name).draw(np.random.default_rng(seed), m=m)


def agree(sample, expected):
    """Tell whether means agree within five standard errors, column by column."""
    error = 5 * sample.std(0) / np.sqrt(len(sample)) + 1e-12
    return (np.abs(sample.mean(0) - expected) <= error).all()


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("m", [1, 50])
def test_every_population_is_one(name, m):
    population = draw(name, m)
    assert (population.name, population.kind) == (name, POPULATIONS[name].kind)
    d = population.p.shape[1]
    assert population.n.shape == (m,)
    assert (population.n >= 3).all()
    assert np.issubdtype(population.n.dtype, np.integer)
    for table in (population.p, *population.simulators.values()):
        assert table.shape == (m, d)
        assert (table >= 0).all()
        np.testing.assert_allclose(table.sum(1), 1, atol=1e-12)
    assert (population.scores is None) == (population.kind in ("binary", "categorical"))
    assert (population.limits is None) == (population.kind != "bounded")
    assert d == 2 or population.kind in ("ordinal", "categorical")


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_generator_decides_everything(name):
    first, again, other = draw(name, 20), draw(name, 20), draw(name, 20, seed=1)
    np.testing.assert_array_equal(first.p, again.p)
    np.testing.assert_array_equal(first.n, again.n)
    assert (first.n != other.n).any() or (first.p != other.p).any()


def test_unknown_populations_are_refused():
    with pytest.raises(ValueError, match="opinionqa_like"):
        population_named("opinionqa")


def test_the_room_knows_the_same_populations():
    schema = yaml.safe_load((ROOM / "options.schema.yaml").read_text(encoding="utf-8"))
    choice = schema["properties"]["population"]
    assert choice["enum"] == list(POPULATIONS)
    readme = (ROOM / "README.md").read_text(encoding="utf-8")
    for name, (kind, _) in POPULATIONS.items():
        assert f"| `{name}` | {kind} |" in readme


@pytest.mark.parametrize("name", LIKE)
def test_default_sizes_are_those_of_the_studies(name):
    population = POPULATIONS[name].draw(np.random.default_rng(0))
    assert (len(population.p), population.k) == (SIZES[name], K[name])
    assert list(population.simulators) == ["good", "biased", "poor", "uniform"]


@pytest.mark.parametrize("name", LIKE)
def test_simulators_answer_k_times(name):
    population = draw(name, 2000)
    answers = population.answers(np.random.default_rng(1))
    assert list(answers) == list(population.simulators)
    for simulator, share in answers.items():
        np.testing.assert_allclose(share * population.k, np.rint(share * population.k), atol=1e-9)
        assert agree(share - population.simulators[simulator], 0)


@pytest.mark.parametrize("name", LIKE)
def test_simulators_have_the_means_of_their_dirichlet_distributions(name):
    population = draw(name, 20_000)
    p, d = population.p, population.p.shape[1]
    tilted = p * np.linspace(0.2, 1.8, d)
    tilted /= tilted.sum(1, keepdims=True)
    for simulator, concentration in {
        "good": 60 * p + 0.3,
        "biased": 25 * tilted + 0.3,
        "poor": 6 * (0.4 * p + 0.6 / d) + 0.2,
    }.items():
        mean = concentration / concentration.sum(1, keepdims=True)
        variance = mean * (1 - mean) / (concentration.sum(1, keepdims=True) + 1)
        q = population.simulators[simulator]
        assert agree(q - mean, 0)
        assert agree((q - mean) ** 2 - variance, 0)
    np.testing.assert_allclose(population.simulators["uniform"], 1 / d)


def test_opinion_questions_have_one_of_five_profiles():
    population = draw("opinionqa_like", 20_000)
    assert agree(population.p, (12 * OPINION_PROFILES.mean(0) + 0.15) / 12.75)
    second = [(a * (a + 1) / (12.75 * 13.75)).tolist() for a in 12 * OPINION_PROFILES + 0.15]
    assert agree(population.p**2, np.mean(second, axis=0))
    assert population.n.min() >= 20
    assert population.n.max() <= 2000
    assert np.median(population.n) == pytest.approx(200, rel=0.05)


def test_countries_have_normal_locations():
    population = draw("worldvalues_like", 20_000)
    location = np.random.default_rng(5).normal(0.1, 0.8, (200_000, 1))
    weight = np.exp(-((np.linspace(-1, 1, 5) - location) ** 2) / 0.72)
    expected = (25 * (weight / weight.sum(1, keepdims=True)) + 0.2) / 26
    np.testing.assert_allclose(population.p.mean(0), expected.mean(0), atol=0.006)
    assert (population.n.min(), population.n.max()) == (450, 500)
    np.testing.assert_array_equal(population.scores, [-1, -0.5, 0, 0.5, 1])


def test_items_have_beta_distributed_difficulty():
    population = draw("eedi_like", 20_000)
    success = population.p[:, 1]
    assert agree(success, 4 / 6.5)
    assert success.var() == pytest.approx(4 * 2.5 / (6.5**2 * 7.5), rel=0.05)
    assert population.n.min() >= 100
    assert population.n.max() <= 2000


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_simulators_state_people_and_people_with_mass_moved(name):
    population = draw(name, 100)
    answers = population.answers(np.random.default_rng(1))
    assert list(answers) == ["exact", "first", "last"]
    np.testing.assert_array_equal(answers["exact"], population.p)
    for simulator, option in (("first", 0), ("last", -1)):
        moved = between(population.p, answers[simulator], discrepancy="tv")
        np.testing.assert_allclose(moved, 0.9 * (1 - population.p[:, option]), atol=1e-12)


def test_few_answers_are_three_in_nine_scenarios_of_ten():
    population = draw("few_answers", 5000)
    assert (population.p == [0.7, 0.3]).all()
    assert np.mean(population.n == 3) == pytest.approx(0.9, abs=0.02)
    assert set(population.n) == {3, 2000}


def test_worst_proportions_leave_a_one_sided_bound_no_slack():
    """All outcomes enumerated: at one of the levels the bound covers that level and no more."""
    population = draw("worst_proportion", 60)
    for (_, success), n in zip(population.p, population.n, strict=True):
        count = np.arange(n + 1)
        mass = binom.pmf(count, n, success)
        slack = [
            (mass @ held - level)
            for level in ONE_SIDED
            for held in (
                clopper_pearson_upper(count, n, level) >= success,
                clopper_pearson_lower(count, n, level) <= success,
            )
        ]
        assert min(slack) >= -1e-9
        assert min(slack) <= 1e-3


def test_near_vertices_show_the_other_options_a_few_times_in_any_size():
    population = draw("near_vertex", 3000)
    largest = population.p.max(1)
    assert (largest >= 0.4 - 1e-12).all()
    large = population.n == 1000
    assert np.mean(large) == pytest.approx(1 / 3, abs=0.05)
    assert np.mean(population.n <= 10) == pytest.approx(1 / 3, abs=0.05)
    assert ((1 - largest[large]) * 1000).max() <= 5
    assert np.bincount(population.p.argmax(1)).min() > 500


def test_rare_options_are_mostly_not_seen():
    population = draw("rare_options", 1000)
    counts = np.random.default_rng(1).multinomial(population.n, population.p)
    assert np.mean((counts == 0).sum(1)) > 5
    assert (population.p.max(1) >= 0.6 - 1e-12).all()


def test_two_points_often_show_only_one():
    population = draw("two_points", 2000)
    counts = np.random.default_rng(1).multinomial(population.n, population.p)
    assert np.mean((counts == 0).any(1)) > 0.25
    assert ((population.p.min(1) >= 0.005) & (population.p.min(1) <= 0.03)).all()
    assert np.mean(population.p[:, 1] < 0.5) == pytest.approx(0.5, abs=0.05)
