"""Which questions asked are nearest to a new one."""

import numpy as np

from fidelity_study.steps.predict import nearest_first


def test_equally_near_questions_come_by_name():
    near = np.array([0.2, 0.5, 0.3 + 0.2, 0.1 + 0.2 + 0.2, 0.9])
    names = ["a", "d", "c", "b", "e"]
    assert [names[i] for i in nearest_first(near, names)] == ["e", "b", "c", "d", "a"]
