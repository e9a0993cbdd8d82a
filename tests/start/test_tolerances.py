"""A tolerance that every simulator would meet is refused before anything is computed."""

import numpy as np
import pytest

from fidelity import DISCREPANCIES
from fidelity_study.config.study import Study
from fidelity_study.config.tolerances import tolerance_fault
from fidelity_study.errors import DataError


@pytest.mark.parametrize(
    ("discrepancy", "scores", "largest"),
    [
        ("tv", None, 1.0),
        ("absolute", (0.0, 1.0), 1.0),
        ("absolute", (-1.0, 0.5, 1.0), 2.0),
        ("squared", (-1.0, 1.0), 4.0),
        ("w1", (0.0, 3.0, 10.0), 10.0),
        ("hellinger", None, 1.0),
        ("js", None, np.log(2.0)),
        ("l2", None, 2.0),
        ("mmd_delta", None, np.sqrt(2.0)),
        ("kl", None, np.inf),
        ("chi2", None, np.inf),
        ("variance", (0.0, 1.0), np.inf),
    ],
)
def test_each_discrepancy_knows_its_largest_possible_value(discrepancy, scores, largest):
    """Closed forms; no two of 10,000 distributions near corners and inside are farther apart."""
    measure = DISCREPANCIES[discrepancy]
    d = 3 if scores is None else len(scores)
    found = measure.largest(d, scores)
    assert found == pytest.approx(largest)
    if np.isfinite(found):
        generator = np.random.default_rng(7)
        p, q = (generator.dirichlet(np.full(d, 0.1), 10_000) for _ in range(2))
        far = measure.between(p, q, None if scores is None else np.array(scores)).max()
        assert 0.95 * found < far <= found * (1 + 1e-12)


@pytest.mark.parametrize(
    ("discrepancy", "tolerance", "outcome", "said"),
    [
        ("tv", 5, {"kind": "categorical"}, "total variation is 1; did you mean 0.05?"),
        ("tv", 1, {"kind": "categorical"}, "total variation is 1"),
        ("tv", 0.99, {"kind": "categorical"}, ""),
        ("tv", 10, {"kind": "ordinal"}, "did you mean 0.1?"),
        ("absolute", 3, {"kind": "binary"}, "of means is 1; did you mean 0.03?"),
        ("absolute", 1.5, {"kind": "ordinal"}, ""),
        ("absolute", 2, {"kind": "ordinal"}, "of means is 2"),
        ("squared", 4.5, {"kind": "ordinal"}, "is 4"),
        ("squared", 4.5, {"kind": "ordinal", "scores": [1, 2, 3, 4, 5]}, ""),
        ("w1", 12, {"kind": "bounded", "bounds": [0, 10]}, "of scores is 10"),
        ("absolute", 8, {"kind": "bounded", "bounds": [0, 10]}, ""),
        ("absolute", 1e9, {"kind": "bounded"}, ""),
        ("absolute", 1e9, {"kind": "real"}, ""),
    ],
)
def test_a_tolerance_that_allows_any_answers_is_no_tolerance(discrepancy, tolerance, outcome, said):
    found = tolerance_fault(discrepancy, tolerance, outcome)
    assert found.endswith(said) and bool(found) == bool(said)


def test_scores_that_a_dataset_brings_itself_are_not_guessed():
    outcome = {"kind": "ordinal"}
    assert tolerance_fault("squared", 9, outcome) and not tolerance_fault(
        "squared", 9, outcome, usual=False
    )


def test_a_config_whose_tolerance_is_in_percent_is_refused():
    """Of the distances that the dataset's grid has; a study's tolerances may be of others, too."""
    town = {"ingest": "tabular", "human": "h.csv", "simulated": "s.csv", "cluster": "none"}
    town |= {"outcome": {"kind": "categorical"}, "simulators": ["model", "uniform"]}
    config = {"comparison": {"tolerance": {"tv": [0.1, 5]}}, "datasets": {"town": town}}
    with pytest.raises(DataError) as refused:
        Study(config)
    assert str(refused.value).splitlines() == [
        "datasets.town.comparison.tolerance.tv: 5 of tv allows any answers, as the largest possible"
        " total variation is 1; did you mean 0.05?"
    ]
    Study({**config, "comparison": {"tolerance": {"tv": 0.05, "absolute": 5}}})
