"""What a study says of a mean's interval that rests on few answers, or that there is none of."""

from types import SimpleNamespace

import pytest

from fidelity import mean_discrepancy
from fidelity.means.average import ASKED
from fidelity_study.steps.mean_discrepancy import MEAN_DISCREPANCY
from fidelity_study.steps.mean_intervals import FEW_ANSWERS, error_of, interval_columns, said
from fidelity_study.steps.people import OF_REPLICATES
from fidelity_study.steps.persons import OF_PERSONS, OF_PSUS


@pytest.mark.parametrize(
    ("people", "warning"),
    [
        ([[98, 2]], FEW_ANSWERS),
        ([[50, 50]], None),
        ([[1, 1]], "no interval: a scenario has fewer than three people, or draws"),
    ],
)
def test_the_warning_tells_where_an_interval_is_weak(people, warning):
    found = mean_discrepancy(people, [[0.9, 0.1]], discrepancy="tv")
    text = said(found, ASKED, None)
    assert text is None if warning is None else text.startswith(warning)
    assert set(interval_columns(found)) < set(MEAN_DISCREPANCY.names)


@pytest.mark.parametrize(
    ("discrepancies", "unit", "computed"),
    [
        (["tv"], None, "jackknife, lower end by resampling"),
        (["tv"], OF_PERSONS, "jackknife, lower end by resampling"),
        (["tv"], OF_PSUS, "jackknife"),
        (["w1"], OF_REPLICATES, "jackknife"),
        (["tv", "tv"], None, "resampling"),
        (["tv", "tv"], OF_PERSONS, "jackknife"),
        (["squared"], None, "jackknife"),
        (["kl", "kl"], None, "jackknife"),
    ],
)
def test_a_table_says_resampling_only_where_answers_are_drawn_anew(discrepancies, unit, computed):
    cases = [SimpleNamespace(discrepancy=name) for name in discrepancies]
    assert error_of(cases, unit) == computed
