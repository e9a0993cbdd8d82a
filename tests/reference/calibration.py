"""Calibration as other packages measure it, into calibration.json.

Run it where netcal, scikit-learn and uncertainty-toolbox are installed:
``python tests/reference/calibration.py``.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

BINS = [5, 10, 15]
CASES = 500
LEVELS = 50


def forecasts() -> tuple[np.ndarray, np.ndarray]:
    """Return stated probabilities of an event, with six digits, and whether it happened."""
    generator = np.random.default_rng(20)
    truth = generator.beta(0.8, 0.8, CASES)
    stated = (1.0 / (1.0 + np.exp(-1.7 * np.log(truth / (1.0 - truth))))).round(6)
    return stated.clip(0.001, 0.999), (generator.random(CASES) < truth).astype(int)


def numbers() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return locations, scales and outcomes."""
    generator = np.random.default_rng(21)
    loc, scale = generator.normal(50, 10, CASES).round(6), generator.uniform(2, 8, CASES).round(6)
    return loc, scale, (loc + 1.4 * scale * generator.normal(size=CASES)).round(6)


def main() -> None:
    """Write what the packages find."""
    import uncertainty_toolbox as toolbox
    from netcal.metrics import ECE, MCE
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss, log_loss

    stated, happened = forecasts()
    both = np.column_stack([1.0 - stated, stated])
    top, right = both.max(1), (both.argmax(1) == happened).astype(int)
    loc, scale, outcome = numbers()
    expected, observed = toolbox.get_proportion_lists_vectorized(
        loc, scale, outcome, num_bins=LEVELS, prop_type="interval"
    )
    bins = {str(number): {} for number in BINS}
    for number, found in bins.items():
        many = int(number)
        found["ece"] = float(ECE(many).measure(stated, happened))
        found["mce"] = float(MCE(many).measure(stated, happened))
        found["ece_adaptive"] = float(ECE(many, equal_intervals=False).measure(stated, happened))
        found["ece_top"] = float(ECE(many).measure(top, right))
        found["curve"] = [
            each.tolist() for each in calibration_curve(happened, stated, n_bins=many)
        ]
        found["curve_adaptive"] = [
            each.tolist()
            for each in calibration_curve(happened, stated, n_bins=many, strategy="quantile")
        ]
    packages = ("netcal", "scikit-learn", "uncertainty-toolbox", "numpy", "scipy")
    made = {
        "versions": {name: version(name) for name in packages},
        "bins": bins,
        "brier": float(brier_score_loss(happened, stated)),
        "log_loss": float(log_loss(happened, stated)),
        "expected": np.asarray(expected).tolist(),
        "observed": np.asarray(observed).tolist(),
        "miscalibration_area": float(
            toolbox.miscalibration_area(
                loc, scale, outcome, num_bins=LEVELS, vectorized=True, prop_type="interval"
            )
        ),
        "crps": float(toolbox.crps_gaussian(loc, scale, outcome)),
        "nll": float(toolbox.nll_gaussian(loc, scale, outcome)),
        "interval_score": float(toolbox.interval_score(loc, scale, outcome, scaled=False)),
    }
    place = Path(__file__).with_name("calibration.json")
    place.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
