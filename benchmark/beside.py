"""The same job by fidelity and by the package that a user would take instead: how near, how fast.

Each job is done in turn by both, in one process, again and again. The ratio is the median over
pairs of neighbouring runs, so that other work on the machine slows both. The last job has a known
truth: how often does an interval for the mean discrepancy hold it? Run it with ``make benchmark``.
``--plot FILE`` draws the ratios. Packages that are not installed are named and left out.
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import bootstrap, ttest_rel

import fidelity
from fidelity.calibration import normal_crps
from fidelity.calibration.reliability import Reliability
from fidelity.comparison.error_bars import cr1_standard_error
from fidelity.comparison.proper_scores import crps_by_scenario

PEOPLE, SCENARIOS, TOPICS, OPTIONS, BINS = 20_000, 2000, 100, 5, 10
STUDIES, ASKED, RESAMPLES = 200, 300, 1000
TRUTH, SIZES = 0.05, (30, 300, 3000)
SECONDS = 2.0
TICKS = (0.2, 0.5, 1, 2, 5)
GENERATOR = np.random.default_rng(20261124)


@dataclass
class Job:
    """A job and its two ways; ``rival`` imports its package, and returns what does the job."""

    name: str
    package: str
    rival: Callable[[], Callable[[], np.ndarray]]
    ours: Callable[[], np.ndarray]


@dataclass
class Result:
    """How far both are apart at most, and the rival's time as a multiple of ours, by quartiles."""

    job: Job
    apart: float
    ours: float
    ratio: np.ndarray


STATED = GENERATOR.dirichlet(np.full(OPTIONS, 0.7), PEOPLE)
TRUE = 0.7 * STATED + 0.3 / OPTIONS
CHOSEN = (TRUE.cumsum(1) < GENERATOR.random(PEOPLE)[:, None]).sum(1)
CONFIDENCE, HIT = fidelity.top_label(STATED, CHOSEN)
TOPIC = GENERATOR.integers(TOPICS, size=SCENARIOS)
FIRST, SECOND = 0.1 * GENERATOR.random((2, TOPICS))[:, TOPIC] + GENERATOR.random((2, SCENARIOS))
CENTRE, OUTCOME = GENERATOR.normal(size=(2, PEOPLE))
SPREAD = GENERATOR.uniform(0.5, 2.0, PEOPLE)
LEVELS = np.arange(1, 100) / 100


def netcal_error() -> Callable[[], np.ndarray]:
    """Return netcal's expected calibration error of the most likely option."""
    from netcal.metrics import ECE

    return lambda: ECE(BINS).measure(STATED, CHOSEN)


def sklearn_curve() -> Callable[[], np.ndarray]:
    """Return scikit-learn's reliability diagram."""
    from sklearn.calibration import calibration_curve

    return lambda: np.array(calibration_curve(HIT, CONFIDENCE, n_bins=BINS))


def sklearn_brier() -> Callable[[], np.ndarray]:
    """Return scikit-learn's Brier score of all options."""
    from sklearn.metrics import brier_score_loss

    return lambda: brier_score_loss(CHOSEN, STATED, scale_by_half=False)


def sklearn_log() -> Callable[[], np.ndarray]:
    """Return scikit-learn's log loss."""
    from sklearn.metrics import log_loss

    return lambda: log_loss(CHOSEN, STATED)


def statsmodels_error() -> Callable[[], np.ndarray]:
    """Return statsmodels' error of a mean over clusters, by least squares on a constant."""
    from statsmodels.api import OLS

    constant = np.ones(SCENARIOS)

    def error() -> np.ndarray:
        return OLS(FIRST, constant).fit(cov_type="cluster", cov_kwds={"groups": TOPIC}).bse[0]

    return error


def scipy_paired() -> Callable[[], np.ndarray]:
    """Return SciPy's interval of a mean paired difference."""
    return lambda: np.array(ttest_rel(FIRST, SECOND).confidence_interval(0.95))


def numpy_quantiles() -> Callable[[], np.ndarray]:
    """Return NumPy's quantiles of the inverted distribution function."""
    return lambda: np.quantile(FIRST, LEVELS, method="inverted_cdf")


def scoringrules_normal() -> Callable[[], np.ndarray]:
    """Return scoringrules' CRPS of normal forecasts."""
    from scoringrules import crps_normal

    return lambda: crps_normal(OUTCOME, CENTRE, SPREAD)


def scoringrules_ranked() -> Callable[[], np.ndarray]:
    """Return scoringrules' ranked probability score of ordered options."""
    from scoringrules import rps_score

    return lambda: rps_score(CHOSEN + 1, STATED)


def properscoring_normal() -> Callable[[], np.ndarray]:
    """Return properscoring's CRPS of normal forecasts."""
    from properscoring import crps_gaussian

    return lambda: crps_gaussian(OUTCOME, CENTRE, SPREAD)


def toolbox_normal() -> Callable[[], np.ndarray]:
    """Return uncertainty-toolbox's mean CRPS of normal forecasts."""
    from uncertainty_toolbox.metrics_scoring_rule import crps_gaussian

    return lambda: crps_gaussian(CENTRE, SPREAD, OUTCOME)


def our_diagram() -> Reliability:
    """Return fidelity's reliability diagram, with intervals."""
    return fidelity.reliability(CONFIDENCE, HIT, fidelity.equal_width_edges(BINS))


def our_error() -> np.ndarray:
    """Return fidelity's expected calibration error, from the stated probabilities."""
    diagram = fidelity.reliability(
        *fidelity.top_label(STATED, CHOSEN), fidelity.equal_width_edges(BINS)
    )
    return fidelity.expected_calibration_error(diagram)


def our_curve() -> np.ndarray:
    """Return shares and stated means of the bins that are not empty."""
    diagram = our_diagram()
    filled = diagram.people > 0
    return np.array([diagram.frequency[filled], diagram.confidence[filled]])


def our_paired() -> np.ndarray:
    """Return fidelity's interval of a mean paired difference."""
    bar = fidelity.paired_error_bar(FIRST, SECOND)
    return np.array([bar.lower, bar.upper])


def our_ranked() -> np.ndarray:
    """Return fidelity's CRPS of forecasts over ordered options."""
    return crps_by_scenario(STATED, np.eye(OPTIONS)[CHOSEN], np.arange(OPTIONS))


def our_normal() -> np.ndarray:
    """Return fidelity's CRPS of normal forecasts."""
    return normal_crps(CENTRE, SPREAD, OUTCOME)


JOBS = [
    Job("calibration error (ECE)", "netcal", netcal_error, our_error),
    Job("reliability diagram", "scikit-learn", sklearn_curve, our_curve),
    Job(
        "Brier score",
        "scikit-learn",
        sklearn_brier,
        lambda: fidelity.brier_score(STATED, CHOSEN),
    ),
    Job("log score", "scikit-learn", sklearn_log, lambda: fidelity.log_score(STATED, CHOSEN)),
    Job(
        "clustered error of a mean",
        "statsmodels",
        statsmodels_error,
        lambda: cr1_standard_error(FIRST, TOPIC),
    ),
    Job("paired difference", "scipy", scipy_paired, our_paired),
    Job(
        "99 quantiles",
        "numpy",
        numpy_quantiles,
        lambda: fidelity.empirical_quantile(FIRST, LEVELS),
    ),
    Job("CRPS of normal forecasts", "scoringrules", scoringrules_normal, our_normal),
    Job("CRPS of normal forecasts", "properscoring", properscoring_normal, our_normal),
    Job(
        "mean CRPS of normal forecasts",
        "uncertainty-toolbox",
        toolbox_normal,
        lambda: our_normal().mean(),
    ),
    Job("ranked probability score", "scoringrules", scoringrules_ranked, our_ranked),
]


def measured(job: Job) -> Result:
    """Do a job by turns in both ways for some seconds; the first runs only warm up."""
    rival = job.rival()
    apart = float(np.max(np.abs(np.asarray(rival()) - np.asarray(job.ours()))))
    times = []
    end = perf_counter() + SECONDS
    while len(times) < 5 or perf_counter() < end:
        ways = (rival, job.ours) if len(times) % 2 else (job.ours, rival)
        taken = [seconds(way) for way in ways]
        times.append(taken[::-1] if len(times) % 2 else taken)
    ours, theirs = np.array(times).T
    return Result(job, apart, float(np.median(ours)), np.quantile(theirs / ours, [0.25, 0.5, 0.75]))


def seconds(work: Callable[[], np.ndarray]) -> float:
    """Return how long some work takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def held(people: int) -> tuple[np.ndarray, np.ndarray]:
    """Return in which share of studies intervals hold the true mean, and their mean widths.

    Each study asks so many people 300 questions with 5 options. The simulator states probabilities
    that are 0.05 away from people's in total variation. First fidelity's 95 % interval, then the
    mean of the observed distances with SciPy's bootstrap (BCa) over questions.
    """
    intervals = []
    for seed in range(STUDIES):
        generator = np.random.default_rng([20261124, people, seed])
        p = 0.1 + 0.5 * generator.dirichlet(np.full(OPTIONS, 2.0), ASKED)
        stated = p + TRUTH * np.eye(OPTIONS)[0] - TRUTH * np.eye(OPTIONS)[1]
        counts = generator.multinomial(people, p)
        ours = fidelity.mean_discrepancy(counts, stated, discrepancy="tv")
        observed = 0.5 * np.abs(counts / people - stated).sum(1)
        theirs = bootstrap((observed,), np.mean, n_resamples=RESAMPLES, rng=generator)
        intervals.append([[ours.ci_lower, ours.ci_upper], theirs.confidence_interval])
    lower, upper = np.moveaxis(np.array(intervals), 2, 0)
    return ((lower <= TRUTH) & (upper >= TRUTH)).mean(0), (upper - lower).mean(0)


def draw(results: list[Result], path: Path) -> None:
    """Draw the ratios as points with quartiles on a logarithmic axis."""
    figure, axes = plt.subplots(figsize=(7.5, 0.42 * len(results) + 1.4), layout="constrained")
    rows = np.arange(len(results))[::-1]
    low, middle, high = np.array([each.ratio for each in results]).T
    axes.axvline(1.0, color="0.6", linewidth=1)
    axes.errorbar(middle, rows, xerr=[middle - low, high - middle], fmt="o", color="#0072b2")
    for row, value in zip(rows, middle, strict=True):
        axes.annotate(f"{value:.2g}", (value, row), (0, 6), textcoords="offset points", ha="center")
    axes.set(
        xscale="log",
        xticks=TICKS,
        xticklabels=TICKS,
        yticks=rows,
        yticklabels=[f"{each.job.name}, {each.job.package}" for each in results],
        xlabel="time of the other package / time of fidelity\n(right of 1: fidelity is faster)",
    )
    axes.minorticks_off()
    axes.margins(y=0.06)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def main() -> None:
    """Print the tables, and draw the ratios if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios into this file")
    plot = parser.parse_args().plot
    warnings.simplefilter("ignore", UserWarning)
    print(f"{'job':30} {'package':28} {'largest difference':>18} {'fidelity':>10} {'ratio':>10}")
    results = []
    for job in JOBS:
        try:
            package = f"{job.package} {version(job.package)}"
        except PackageNotFoundError:
            print(f"{job.name:30} {job.package} is not installed: pip install {job.package}")
            continue
        result = measured(job)
        results.append(result)
        low, middle, high = result.ratio
        print(
            f"{job.name:30} {package:28} {result.apart:18.1e} {1e3 * result.ours:7.2f} ms "
            f"{middle:7.2f} ({low:.2f} to {high:.2f})",
            flush=True,
        )
    if plot:
        draw(results, plot)
    for people in SIZES:
        print(f"{STUDIES} studies of {people} people: the true mean is held, mean width")
        for name, share, width in zip(("fidelity", "bootstrap"), *held(people), strict=True):
            print(f"  {name:10} {share:.3f} {width:.3f}", flush=True)


if __name__ == "__main__":
    main()
