"""How two simulators differ, and how that is written, the same everywhere."""

import pyarrow as pa
import pytest

from fidelity_study.report import formats
from fidelity_study.report.results import Results
from fidelity_study.report.single_answers import Table, section
from fidelity_study.report.summaries import Difference
from fidelity_study.steps.proper_scores import PROPER_SCORES
from fidelity_study.tables.read_write import write_rows


@pytest.mark.parametrize(
    ("ends", "can_settle", "sign"),
    [
        ((-0.3, -0.1), True, -1),
        ((0.1, 0.3), True, 1),
        ((-0.1, 0.3), True, 0),
        ((0.0, 0.3), True, 0),
        ((-0.3, -0.1), False, 0),
        (None, True, 0),
    ],
)
def test_only_an_interval_beside_0_that_can_settle_it_tells_who_is_closer(ends, can_settle, sign):
    difference = Difference(0.2, ends, can_settle)
    assert difference.sign == sign
    assert difference.reversed.sign == -sign
    assert difference.reversed.reversed == difference


@pytest.mark.parametrize(
    ("ends", "said", "signed"),
    [
        ((-0.0315, 0.668), "-0.032 to 0.668", "−0.032 to +0.668"),
        ((-0.668, -0.0315), "-0.668 to -0.032", "−0.668 to −0.032"),
        ((0.0, 0.0123), "0.0000 to 0.0123", "0.0000 to +0.0123"),
        ((-1e-9, float("inf")), "0.000 to ∞", "0.000 to +∞"),
        (None, "–", "–"),
    ],
)
def test_both_ends_of_an_interval_have_as_many_digits(ends, said, signed):
    assert formats.range_text(ends) == said
    assert formats.signed_range(ends) == signed


def test_a_span_is_one_number_where_all_are_equal():
    assert formats.span([43, 50]) == "43 to 50"
    assert formats.span([1000, 1000]) == "1,000"


def row(simulator, estimate, other=None, form=None, **columns):
    half = {"lower": estimate - 0.1, "upper": estimate + 0.1} | columns
    many = {"m": 9, "n_clusters": 9, "effective_clusters": 9.0}
    named = {"score": "brier", "simulator": simulator, "other": other, "form": form}
    return {**named, "estimate": estimate, **many, **half}


def test_proper_scores_of_few_answers_are_told_with_their_differences(tmp_path):
    """A table of means, the best first, who was scored by draws, and a table of differences."""
    drawn = {"form": "draws", "k_fewest": 20, "k_most": 25}
    write_rows(
        tmp_path / "proper_scores.parquet",
        [
            row("a", 0.5, form="stated"),
            row("b", 0.3, **drawn),
            row("c", float("inf"), form="stated", lower=None, upper=None, m_infinite=3),
            row("a", 0.2, other="b", p_value=0.01),
            row("b", -0.05, other="c", p_value=0.4),
        ],
        PROPER_SCORES,
        {},
    )
    step = {
        "names": {name: {"label": name.upper(), "describe": ""} for name in "abc"},
        "cluster": "topic",
        "test": {"alpha": 0.05},
        "noun": ["question", "questions"],
        "n": ["all"],
        "calibration": {},
    }
    results = Results(step, {"proper_scores": [tmp_path / "proper_scores.parquet"]})
    vars(results)["scenarios"] = pa.table({"n_effective": [1.0]})
    tables = [part for part in section(results) if isinstance(part, Table)]
    means, differences = (table.rows for table in tables)
    assert means == [
        ["B", "0.300 (0.200 to 0.400)", "9"],
        ["A", "0.500 (0.400 to 0.600)", "9"],
        ["C", "∞ (0 stated 3 times)", "9"],
    ]
    assert differences == [
        ["A minus B", "+0.200 (+0.100 to +0.300): worse"],
        ["B minus C", "−0.050 (−0.150 to +0.050): not told apart"],
    ]
    told = " ".join(part for part in section(results) if isinstance(part, str))
    assert "(in brackets the answers to each question): B (20 to 25)." in told
    assert "with 95 % intervals for new scenarios." in told
