"""How wide bounds for new questions are: python -m fidelity_audit.prediction_widths

Prints a table of bounds by split conformal and localised ones. On its questions a
simulator does worse, the larger a number x is. Features are x, and others that tell nothing. The
table has the coverage of the easiest and the hardest third of new questions, and median bounds.
"""

import argparse

import numpy as np
from numpy.random import Generator

from fidelity.prediction.conformal import conformal_bound
from fidelity.prediction.localised import localised_bound
from fidelity.prediction.similarity import gaussian_similarity
from fidelity_audit.predictions import of_kinds

ALPHA = 0.1
THIRD = 1.0 / 3.0
FEATURES = {"tells": 1, "says nothing": 1, "four say nothing": 4}
BANDWIDTHS = {"median": None, "0.3": 0.3}
COLUMNS = ("all", "easy", "hard", "bound", "bound, easy", "bound, hard")


def bounds(
    features: str, bandwidth: float | None, studies: int, generator: Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return new questions' x and discrepancies, (S,), and bounds, split and localised, (2, S)."""
    delta, x, _ = of_kinds(studies, 0.0, generator)
    described = x[..., None]
    if features != "tells":
        described = generator.standard_normal((*x.shape, FEATURES[features]))
    split = [conformal_bound(row[:-1], alpha=ALPHA) for row in delta]
    localised = [
        localised_bound(
            row[:-1], gaussian_similarity(feature, bandwidth=bandwidth), alpha=ALPHA
        ).bound
        for row, feature in zip(delta, described, strict=True)
    ]
    return x[:, -1], delta[:, -1], np.array([split, localised], float)


def summary(x: np.ndarray, delta: np.ndarray, bound: np.ndarray) -> list[float]:
    """Return coverage of all, easy and hard new questions, and median bounds of the same."""
    groups = [np.full(x.shape, True), x < THIRD, x > 1.0 - THIRD]
    covered = [float((delta <= bound)[group].mean()) for group in groups]
    return covered + [float(np.median(bound[group])) for group in groups]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=4000, help="how many of each")
    studies = parser.parse_args().studies
    print("| feature | statement | " + " | ".join(COLUMNS) + " |")
    print("|---|---|" + "---:|" * len(COLUMNS))
    for features in FEATURES:
        for said, bandwidth in BANDWIDTHS.items():
            x, delta, both_bounds = bounds(features, bandwidth, studies, np.random.default_rng(1))
            names = ("split", f"localised, h {said}")
            for name, bound in zip(names, both_bounds, strict=True):
                if name != "split" or bandwidth is None:
                    shown = " | ".join(f"{value:.3f}" for value in summary(x, delta, bound))
                    print(f"| {features} | {name} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
