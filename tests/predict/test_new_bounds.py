"""Statements about new questions: why they are refused, and how often they were right."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import rel_entr
from scipy.stats import beta

from fidelity_study.steps.arrays import Scale, Scenarios
from fidelity_study.steps.new_bounds import Asked, RefusedError, bounds
from fidelity_study.steps.new_questions import UnusableError, answering
from fidelity_study.steps.predict import Measured, _checked, _share


def asked(m: int, *, same_people: bool, clusters: np.ndarray | None = None) -> Asked:
    return Asked(
        upper=np.linspace(0.1, 0.4, m),
        clusters=clusters,
        drawn=np.arange(m),
        same_people=same_people,
        taught=False,
        shared=1,
        weights=None,
        place=np.arange(m),
        alike=None,
        alpha=Fraction("0.1"),
        gamma=Fraction("0.95"),
        eta=0.05,
    )


def refused(statement: str, given: Asked) -> str:
    with pytest.raises(RefusedError) as caught:
        bounds(statement, given)
    return str(caught.value)


def with_alpha(given: Asked, alpha: str) -> Asked:
    return replace(given, alpha=Fraction(alpha), gamma=1 - Fraction(alpha) / 2)


@pytest.mark.parametrize(
    ("m", "same_people", "alpha"), [(9, False, "0.15"), (5, False, "0.2"), (9, True, "0.2")]
)
def test_too_few_questions_are_told_with_the_alpha_that_they_are_enough_for(m, same_people, alpha):
    given = asked(m, same_people=same_people)
    assert given.miss == (Fraction(1, 20) if same_people else Fraction(19, 200))
    told = refused("marginal", given)
    assert told.endswith(f"or put predict: {{alpha: {alpha}}} in the config")
    assert np.isfinite(bounds("marginal", with_alpha(given, alpha))(-1, 1.0).value)


def test_no_alpha_is_named_where_none_is_large_enough():
    assert "alpha" not in refused("marginal", asked(1, same_people=True))


def test_clusters_with_too_few_questions_are_told_with_such_an_alpha():
    given = asked(8, same_people=False, clusters=np.repeat([0, 1], 4))
    told = refused("marginal", given)
    assert "predict: {alpha: 0.25} in the config, or put cluster: none" in told
    assert np.isfinite(bounds("marginal", with_alpha(given, "0.25"))(-1, 1.0).value)


def test_coverage_of_questions_left_out_is_counted_with_its_exact_interval():
    given = asked(20, same_people=False)
    people = np.repeat([50, 100], 10)  # too few people say little about a true discrepancy
    judged = Measured(
        None, "", "", given.place, given.upper, given.upper, given.upper, given.upper, people, None
    )
    checked = _checked(given, "marginal", judged, given.place, 0.05)
    # The largest of 19 others bounds a question: all but the largest of 20 are covered.
    for name, inside, m in (("upper", 19, 20), ("people", 9, 10)):
        assert checked[f"checked_{name}"] == m
        assert checked[f"covered_{name}"] == pytest.approx(inside / m)
        low, high = beta.ppf([0.025, 0.975], [inside, inside + 1], [m - inside + 1, m - inside])
        assert checked[f"covered_{name}_low"] == pytest.approx(low)
        assert checked[f"covered_{name}_high"] == pytest.approx(high)
    assert checked["infinite"] == 0


def test_coverage_of_clusters_left_out_is_the_mean_of_their_shares():
    covered, groups = np.array([True, True, True, False, True, True]), np.array([0, 0, 0, 1, 1, 2])
    checked = _share("upper", covered, groups, 0.05)
    assert checked["covered_upper"] == pytest.approx(2.5 / 3)
    for end in (checked["covered_upper_low"], checked["covered_upper_high"]):
        spent = rel_entr([2.5 / 3, 0.5 / 3], [end, 1 - end]).sum()
        assert spent == pytest.approx(np.log(40) / 3)
    assert _share("people", covered[:0], groups[:0], 0.05) == {"checked_people": 0}


def test_new_questions_are_answered_as_often_as_those_asked_or_refused():
    asked = pa.table({"simulator": ["model"] * 2, "k": ["20", "50"], "k_j": [20.0, 50.0]})
    new = Scenarios(["next"], [[1.0, 2.0]], [Scale(2, None, None)])

    def answered(many: float):
        rows = {"scenario": ["next"] * 2, "source": ["model"] * 2, "value": [1.0, 2.0]}
        tables = (pa.table({**rows, name: [many - 4.0, 4.0]}) for name in ("count", "probability"))
        outcomes, stated = tables
        return answering("model", asked, new, (outcomes, stated.slice(0, 0)), (1,))

    assert (answered(30.0).k, answered(30.0).draws) == ("20", {0: 20.0})
    assert answered(50.0).shares[0] == pytest.approx([46 / 50, 4 / 50])
    with pytest.raises(UnusableError, match="gave 19 answers to a new question, and at least 20"):
        answered(19.0)
