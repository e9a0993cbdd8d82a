"""Effects of published experiments, from the means, spreads and sizes of their arms.

15 comparisons of two arms in the Twin-2K-500 mega-study, of people and of language models
as their twins (arXiv 2509.19088, Apache-2.0); and the Moral Machine's effects of 9 attributes,
of people (Awad et al. 2018) and of a language model (Takemoto 2026, MIT).
"""

import numpy as np
import pytest

from fidelity.effects import compare_points, directions, effects_of_means, stated_effects

# outcome: the arms' n and people's mean and SD, twins' mean and SD; published Cohen's d of both
ARMS = {
    "gratitude": (
        (257, 4.82458, 1.15381, 4.39462, 1.11227),
        (251, 5.21281, 1.22909, 4.89708, 1.04896),
        (-0.325812, -0.464617),
    ),
    "lack of control": (
        (236, 3.83222, 0.762761, 3.91849, 0.602537),
        (256, 4.04801, 0.686563, 4.38194, 0.67633),
        (0.298020, 0.721891),
    ),
    "gratitude_manipulation_check": (
        (257, 5.18936, 1.55861, 4.34112, 1.17036),
        (251, 6.00398, 1.32815, 5.67331, 0.706447),
        (-0.562064, -1.374371),
    ),
    "lack_of_control_manipulation_check": (
        (236, 5.19491, 1.15946, 5.20904, 0.861904),
        (256, 4.87891, 1.29305, 4.20833, 0.949716),
        (-0.256752, -1.101297),
    ),
    "target_behavior_green": (
        (300, 0.36, 0.480802, 0.393333, 0.489306),
        (300, 0.606667, 0.489306, 0.463333, 0.499487),
        (-0.508515, -0.141579),
    ),
    "target_behavior_organ": (
        (301, 0.564784, 0.496611, 0.54485, 0.498814),
        (299, 0.608696, 0.48886, 0.882943, 0.322027),
        (-0.089113, -0.804752),
    ),
    "DV1": (
        (298, 4.66331, 1.46425, 4.85459, 0.725591),
        (302, 4.80574, 1.58335, 4.44261, 0.844181),
        (0.093374, -0.523139),
    ),
    "log_WTP": (
        (298, 5.00386, 0.801997, 5.83616, 0.264137),
        (302, 5.2547, 0.861934, 5.87323, 0.302962),
        (0.301226, 0.130358),
    ),
    "fair1": (
        (179, 6.37989, 2.16998, 6.49721, 0.795876),
        (178, 7.47191, 1.83248, 7.30337, 0.779751),
        (-0.543618, -1.023210),
    ),
    "task 2 - S1": (
        (501, 2.96906, 1.17496, 2.82834, 1.19519),
        (500, 3.451, 1.22887, 2.969, 1.18082),
        (0.400883, 0.118395),
    ),
    "task 2 - S2": (
        (501, 3.14671, 1.23771, 2.81936, 1.36007),
        (500, 4.366, 1.33926, 3.452, 1.51535),
        (-0.945600, -0.439415),
    ),
    "task 2 - S3": (
        (501, 2.59281, 1.47033, 2.21258, 0.712897),
        (500, 2.71, 1.46396, 2.78, 0.941474),
        (0.079873, 0.679608),
    ),
    "task 3 - S1": (
        (501, 3.58283, 1.85354, 4.51896, 1.50404),
        (500, 3.714, 1.88874, 4.366, 1.46845),
        (-0.070097, 0.102910),
    ),
    "task 3 - S2": (
        (501, 4.11976, 1.82582, 3.37325, 1.02879),
        (500, 4.376, 1.82133, 3.184, 0.957066),
        (-0.140514, 0.190471),
    ),
    "task 3 - S3": (
        (500, 4.26, 1.88667, 4.956, 1.36887),
        (501, 3.37924, 1.84496, 4.4012, 1.34191),
        (-0.472026, -0.409314),
    ),
}


def effect_of(outcome, side):
    """Return the effect of the second arm, in the first place people's, in the second twins'."""
    one, two, _ = ARMS[outcome]
    means, spreads = ([arm[1 + 2 * side + at] for arm in (one, two)] for at in (0, 1))
    return effects_of_means(means, spreads, [one[0], two[0]], ["0", "1"], control="0")


@pytest.mark.parametrize("outcome", ARMS)
@pytest.mark.parametrize("side", [0, 1])
def test_published_sizes_of_effects(outcome, side):
    """Cohen's d, whose published sign is arbitrary."""
    one, two, published = ARMS[outcome]
    weights = np.array([one[0] - 1, two[0] - 1])
    pooled = np.sqrt(np.average([arm[2 + 2 * side] ** 2 for arm in (one, two)], weights=weights))
    effect = effect_of(outcome, side)
    assert abs(effect.estimate[0] / pooled) == pytest.approx(abs(published[side]), abs=2e-5)


def test_a_published_effect_whose_direction_twins_miss():
    people, twins = (effect_of("DV1", side) for side in (0, 1))
    assert people.estimate[0] > 0.0 > twins.estimate[0]
    signs = directions(people, twins)
    assert not signs.agree[0] and not signs.opposite[0]  # people's own sign is open
    green = [effect_of("target_behavior_green", side) for side in (0, 1)]
    assert directions(*green).agree[0]


ATTRIBUTES = [
    "Age",
    "Fitness",
    "Gender",
    "Intervention",
    "Law",
    "No. Characters",
    "Relation to AV",
    "Social Status",
    "Species",
]
PEOPLE = [0.497, 0.16, 0.119, 0.061, 0.353, 0.651, 0.097, 0.345, 0.585]
MODEL = [0.515122, -0.094408, 0.449164, 0.164773, 0.547495, 0.93019, 0.417471, 0.171201, 0.969098]


def test_effects_published_without_errors_are_points():
    labels = [("", attribute) for attribute in ATTRIBUTES]
    people, model = (stated_effects(side, labels) for side in (PEOPLE, MODEL))
    points = compare_points(people, model)
    assert points.distance == pytest.approx(0.762262, abs=1e-3)
    assert points.correlation == pytest.approx(np.corrcoef(PEOPLE, MODEL)[0, 1])
    with pytest.raises(ValueError, match="have no errors"):
        directions(people, model)
