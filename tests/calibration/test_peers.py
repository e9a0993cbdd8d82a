"""Calibration as netcal, scikit-learn and uncertainty-toolbox measure it, to 1e-12.

Their numbers are in tests/reference/calibration.json, made by tests/reference/calibration.py.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from reference import calibration
from small_study import REPOSITORY

from fidelity.calibration import (
    brier_score,
    density_log_score,
    equal_mass_edges,
    equal_width_edges,
    expected_calibration_error,
    interval_coverage,
    log_score,
    maximum_calibration_error,
    normal_crps,
    reliability,
    top_label,
)

FOUND = json.loads(Path(calibration.__file__).with_name("calibration.json").read_text("utf-8"))
STATED, HAPPENED = calibration.forecasts()
BOTH = np.column_stack([1.0 - STATED, STATED])
LOC, SCALE, OUTCOME = calibration.numbers()
EXACT = 1e-12


@pytest.mark.parametrize("bins", calibration.BINS)
def test_bins_of_equal_width_give_netcals_errors_and_scikit_learns_curve(bins):
    peer = FOUND["bins"][str(bins)]
    diagram = reliability(STATED, HAPPENED, equal_width_edges(bins))
    assert expected_calibration_error(diagram) == pytest.approx(peer["ece"], abs=EXACT)
    assert maximum_calibration_error(diagram) == pytest.approx(peer["mce"], abs=EXACT)
    came, said = (np.array(each) for each in peer["curve"])
    assert diagram.frequency[~diagram.empty] == pytest.approx(came, abs=EXACT)
    assert diagram.confidence[~diagram.empty] == pytest.approx(said, abs=EXACT)
    top = reliability(*top_label(BOTH, HAPPENED), equal_width_edges(bins))
    assert expected_calibration_error(top) == pytest.approx(peer["ece_top"], abs=EXACT)


@pytest.mark.parametrize("bins", calibration.BINS)
def test_adaptive_bins_differ_by_where_their_edges_lie_alone(bins):
    peer = FOUND["bins"][str(bins)]
    theirs = np.quantile(STATED, np.linspace(0, 1, bins + 1))
    theirs[[0, -1]] = 0.0, 1.0
    diagram = reliability(STATED, HAPPENED, theirs)
    assert expected_calibration_error(diagram) == pytest.approx(peer["ece_adaptive"], abs=EXACT)
    assert diagram.frequency == pytest.approx(np.array(peer["curve_adaptive"][0]), abs=EXACT)
    ours = equal_mass_edges(STATED, bins)
    assert np.isin(ours[1:-1], STATED).all()
    error = expected_calibration_error(reliability(STATED, HAPPENED, ours))
    assert error == pytest.approx(peer["ece_adaptive"], abs=0.002)


def test_scores_are_scikit_learns_and_its_brier_score_is_half_of_ours():
    assert brier_score(BOTH, HAPPENED) / 2 == pytest.approx(FOUND["brier"], abs=EXACT)
    assert log_score(BOTH, HAPPENED) == pytest.approx(FOUND["log_loss"], abs=EXACT)


def test_picp_is_uncertainty_toolboxs_and_so_is_the_area_between_it_and_the_levels():
    level, theirs = (np.array(FOUND[name]) for name in ("expected", "observed"))
    measured = interval_coverage(LOC, SCALE, OUTCOME, level[1:-1])
    assert measured.coverage == pytest.approx(theirs[1:-1], abs=EXACT)
    ours = np.concatenate([theirs[:1], measured.coverage, theirs[-1:]])
    area = np.trapezoid(np.abs(ours - level), level)
    assert area == pytest.approx(FOUND["miscalibration_area"], abs=EXACT)


def test_scores_of_numbers_are_uncertainty_toolboxs():
    assert normal_crps(LOC, SCALE, OUTCOME).mean() == pytest.approx(FOUND["crps"], abs=EXACT)
    assert density_log_score(LOC, SCALE, OUTCOME).mean() == pytest.approx(FOUND["nll"], abs=EXACT)
    measured = interval_coverage(LOC, SCALE, OUTCOME, np.linspace(0.01, 0.99, 99))
    assert measured.score.sum() == pytest.approx(FOUND["interval_score"], rel=EXACT)


def test_the_guide_names_the_packages_by_the_versions_that_were_run():
    guide = (REPOSITORY / "docs" / "howto" / "calibration.md").read_text("utf-8")
    for name in ("netcal", "scikit-learn", "uncertainty-toolbox"):
        assert f"| {name} {FOUND['versions'][name]} |" in guide
