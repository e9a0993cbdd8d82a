"""Effects of published experiments, from the means, spreads and sizes of their arms.

Three comparisons of two arms in the Twin-2K-500 mega-study, of people and of language models
as their twins (arXiv 2509.19088, Apache-2.0); and the Moral Machine's effects of 9 attributes,
of people (Awad et al. 2018) and of a language model (Takemoto 2026, MIT).
"""

import numpy as np
import pandas as pd
import pytest
from mirror import MIRROR, mirrored

from fidelity.effects import compare_points, directions, effects_of_means, stated_effects
from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.request import Request
from fidelity_study.errors import DataError

MORAL = MIRROR / "moral_machine_amce"

# outcome: the arms' n and people's mean and SD, twins' mean and SD; published Cohen's d of both
ARMS = {
    "gratitude": (
        (257, 4.82458, 1.15381, 4.39462, 1.11227),
        (251, 5.21281, 1.22909, 4.89708, 1.04896),
        (-0.325812, -0.464617),
    ),
    "target_behavior_green": (
        (300, 0.36, 0.480802, 0.393333, 0.489306),
        (300, 0.606667, 0.489306, 0.463333, 0.499487),
        (-0.508515, -0.141579),
    ),
    "DV1": (
        (298, 4.66331, 1.46425, 4.85459, 0.725591),
        (302, 4.80574, 1.58335, 4.44261, 0.844181),
        (0.093374, -0.523139),
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


def test_start_says_where_stated_effects_are_compared(here):
    persons = {"arm": ["placebo", "fear"] * 20, "trust": [1, 2, 3, 4] * 10}
    pd.DataFrame(persons).to_csv("people.csv", index=False)
    pd.DataFrame({"arm": ["fear"], "effect": [0.5]}).to_csv("model.csv", index=False)
    options = {"condition": "arm", "control": "placebo"}
    request = Request.of("people.csv", ("model.csv",), options=options, name="it")
    with pytest.raises(DataError, match=r"docs/howto/experiments\.md"):
        understood(request, [].extend)


@pytest.mark.slow
@mirrored(MORAL)
def test_moral_machine():
    """Effects of 9 attributes, of people and 75 models, are published without errors."""
    (path,) = MORAL.rglob("table_S2.csv")
    table = pd.read_csv(path).set_index("Label")
    labels = [("", name) for name in table.index]
    people = stated_effects(table.pop("Human"), labels)
    points = {name: compare_points(people, stated_effects(table[name], labels)) for name in table}
    assert len(points) == 75
    correlation = pd.Series({name: point.correlation for name, point in points.items()})
    assert correlation.mean() == pytest.approx(0.507, abs=5e-4)
    assert correlation.idxmax() == "DeepSeek R1 0528 Qwen3 8B"
    assert correlation.agg(["min", "max"]).tolist() == pytest.approx([-0.499, 0.859], abs=5e-4)
    agree = sum(point.agree for point in points.values())
    assert agree / (9 * 75) == pytest.approx(0.667, abs=5e-4)
