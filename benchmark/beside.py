"""The same number by fidelity and by the packages that a user would take instead: how fast.

Each job is done for 1,000, 100,000 and 1,000,000 cases, in one thread, five times in turn by every
way. The time is the processor's, so that other work on the machine counts less, and the median of
five. A cell of the table has the time of the fastest other package over that of fidelity. NumPy
stands for the few lines that a user would write, with the same checks of the numbers. Packages that
are not installed are named and left out.

The last job has a known truth: how often does an interval for the mean discrepancy hold it? Run it
with ``make benchmark``. ``--plot FILE`` draws the ratios.
"""

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import process_time
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import scipy as sp
from threadpoolctl import threadpool_limits

import fidelity
from fidelity.calibration import (
    PredictionKernel,
    StatedProbabilities,
    density_log_score,
    normal_crps,
)
from fidelity.comparison import score_error_bar
from fidelity.comparison.error_bars import cr1_standard_error
from fidelity.comparison.proper_scores import crps_by_scenario

CASES, TURNS, SHORTEST = (1_000, 100_000, 1_000_000), 5, 0.01
TOPICS, OPTIONS, BINS = 100, 5, 10
STUDIES, ASKED, RESAMPLES = 200, 300, 1000
TRUTH, SIZES = 0.05, (30, 300, 3000)
TICKS = (0.5, 1, 2, 5, 10, 50, 1000)
COLOURS = ("#0072b2", "#d55e00", "#009e73")
QUANTILES = np.arange(1, 100) / 100
Work = Callable[[], Any]


class Data:
    """Stated probabilities and answers, two scores, and predictions by location and scale."""

    def __init__(self, cases: int) -> None:
        """Draw so many cases."""
        generator = np.random.default_rng(20261124)
        self.cases = cases
        self.stated = generator.dirichlet(np.full(OPTIONS, 0.7), cases)
        true = 0.7 * self.stated + 0.3 / OPTIONS
        self.chosen = (true.cumsum(1) < generator.random(cases)[:, None]).sum(1)
        self.confidence, self.hit = fidelity.top_label(self.stated, self.chosen)
        self.topic = generator.integers(TOPICS, size=cases)
        of_topic = 0.1 * generator.random((2, TOPICS))[:, self.topic]
        self.first, self.second = of_topic + generator.random((2, cases))
        self.centre, self.outcome = generator.normal(size=(2, cases))
        self.spread = generator.uniform(0.5, 2.0, cases)
        self.p_values = generator.random(cases) ** 2


@dataclass(frozen=True)
class Job:
    """A number, and its ways: each takes the data, imports its package and returns what does it."""

    name: str
    ours: Callable[[Data], Work]
    rivals: dict[str, Callable[[Data], Work]]
    cases: tuple[int, ...] = CASES


@dataclass
class Cell:
    """A job at one size: our time, and every other package's time as a multiple of it."""

    ours: float
    apart: float
    ratios: dict[str, float] = field(default_factory=dict)

    @property
    def fastest(self) -> str:
        """The name of the fastest other package."""
        return min(self.ratios, key=self.ratios.__getitem__)


def check(stated: np.ndarray, chosen: np.ndarray) -> None:
    """Check stated probabilities and answers as fidelity does."""
    assert stated.ndim == 2
    assert np.isfinite(stated).all()
    assert (stated >= 0).all()
    assert (np.abs(stated.sum(1) - 1) < 1e-6).all()
    assert np.isin(chosen, np.arange(stated.shape[1])).all()


def numpy_brier(data: Data) -> Work:
    """Return NumPy's Brier score."""

    def score() -> float:
        check(data.stated, data.chosen)
        return ((data.stated - np.eye(OPTIONS)[data.chosen]) ** 2).sum(1).mean()

    return score


def sklearn_brier(data: Data) -> Work:
    """Return scikit-learn's Brier score of all options."""
    from sklearn.metrics import brier_score_loss

    return lambda: brier_score_loss(data.chosen, data.stated, scale_by_half=False)


def numpy_log(data: Data) -> Work:
    """Return NumPy's log score."""

    def score() -> float:
        check(data.stated, data.chosen)
        return -np.log(data.stated[np.arange(data.cases), data.chosen]).mean()

    return score


def sklearn_log(data: Data) -> Work:
    """Return scikit-learn's log loss."""
    from sklearn.metrics import log_loss

    return lambda: log_loss(data.chosen, data.stated)


def numpy_top(data: Data) -> Work:
    """Return NumPy's top label."""

    def top() -> np.ndarray:
        check(data.stated, data.chosen)
        return np.array([data.stated.max(1), data.stated.argmax(1) == data.chosen])

    return top


def binned(data: Data) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how many cases, hits and stated hits are in each bin, by NumPy."""
    assert ((data.confidence >= 0) & (data.confidence <= 1)).all()
    assert ((data.hit == 0) | (data.hit == 1)).all()
    place = np.digitize(data.confidence, np.arange(1, BINS) / BINS, right=True)
    counted = (None, data.hit, data.confidence)
    return tuple(np.bincount(place, values, minlength=BINS) for values in counted)


def our_diagram(data: Data) -> fidelity.calibration.Reliability:
    """Return fidelity's reliability diagram, with intervals."""
    return fidelity.reliability(data.confidence, data.hit, fidelity.equal_width_edges(BINS))


def our_curve(data: Data) -> Work:
    """Return what gives fidelity's shares and stated means of bins that are not empty."""

    def curve() -> np.ndarray:
        diagram = our_diagram(data)
        return np.array([diagram.frequency, diagram.confidence])[:, diagram.people > 0]

    return curve


def sklearn_curve(data: Data) -> Work:
    """Return scikit-learn's reliability diagram, which has no intervals."""
    from sklearn.calibration import calibration_curve

    return lambda: np.array(calibration_curve(data.hit, data.confidence, n_bins=BINS))


def our_intervals(data: Data) -> Work:
    """Return what gives the ends of fidelity's intervals in bins."""

    def ends() -> np.ndarray:
        diagram = our_diagram(data)
        filled = diagram.people > 0
        return np.array([diagram.frequency_lower[filled], diagram.frequency_upper[filled]])

    return ends


def numpy_intervals(data: Data) -> Work:
    """Return Clopper and Pearson's intervals in bins by SciPy's beta distribution."""

    def ends() -> np.ndarray:
        sums = np.array(binned(data))
        people, hits, _ = sums[:, sums[0] > 0]
        low = sp.stats.beta.ppf(0.025, hits, people - hits + 1)
        high = sp.stats.beta.ppf(0.975, hits + 1, people - hits)
        return np.array([np.where(hits > 0, low, 0.0), np.where(hits < people, high, 1.0)])

    return ends


def our_error(data: Data) -> Work:
    """Return what gives fidelity's expected calibration error."""
    return lambda: fidelity.expected_calibration_error(our_diagram(data))


def netcal_error(data: Data) -> Work:
    """Return netcal's expected calibration error of the same events."""
    from netcal.metrics import ECE

    return lambda: ECE(BINS).measure(data.confidence, data.hit)


def sklearn_error(data: Data) -> Work:
    """Return the error by scikit-learn's diagram and NumPy's shares of the bins."""
    curve = sklearn_curve(data)

    def error() -> float:
        frequency, stated = curve()
        place = np.digitize(data.confidence, np.arange(1, BINS) / BINS, right=True)
        people = np.bincount(place, minlength=BINS)
        return np.abs(frequency - stated) @ people[people > 0] / data.cases

    return error


def scoringrules_normal(data: Data) -> Work:
    """Return scoringrules' CRPS of normal forecasts."""
    from scoringrules import crps_normal

    return lambda: crps_normal(data.outcome, data.centre, data.spread)


def properscoring_normal(data: Data) -> Work:
    """Return properscoring's CRPS of normal forecasts."""
    from properscoring import crps_gaussian

    return lambda: crps_gaussian(data.outcome, data.centre, data.spread)


def toolbox_normal(data: Data) -> Work:
    """Return uncertainty-toolbox's mean CRPS of normal forecasts."""
    from uncertainty_toolbox.metrics_scoring_rule import crps_gaussian

    return lambda: crps_gaussian(data.centre, data.spread, data.outcome)


def scoringrules_density(data: Data) -> Work:
    """Return scoringrules' log score of normal forecasts."""
    from scoringrules import logs_normal

    return lambda: logs_normal(data.outcome, data.centre, data.spread)


def scoringrules_ranked(data: Data) -> Work:
    """Return scoringrules' ranked probability score of ordered options."""
    from scoringrules import rps_score

    return lambda: rps_score(data.chosen + 1, data.stated)


def ends(bar: fidelity.comparison.ErrorBar) -> np.ndarray:
    """Return the ends of an interval."""
    return np.array([bar.lower, bar.upper])


def numpy_mean(data: Data) -> Work:
    """Return the interval of a mean by NumPy and SciPy's t."""

    def interval() -> np.ndarray:
        assert np.isfinite(data.first).all()
        mean, se = data.first.mean(), data.first.std(ddof=1) / np.sqrt(data.cases)
        return mean + np.array([-1, 1]) * sp.stats.t.ppf(0.975, data.cases - 1) * se

    return interval


def statsmodels_mean(data: Data) -> Work:
    """Return statsmodels' interval of a mean."""
    from statsmodels.stats.weightstats import DescrStatsW

    return lambda: np.array(DescrStatsW(data.first).tconfint_mean())


def scipy_mean(data: Data) -> Work:
    """Return SciPy's interval of a mean."""
    return lambda: np.array(sp.stats.ttest_1samp(data.first, 0.0).confidence_interval(0.95))


def scipy_paired(data: Data) -> Work:
    """Return SciPy's interval of a mean paired difference."""
    pair = data.first, data.second
    return lambda: np.array(sp.stats.ttest_rel(*pair).confidence_interval(0.95))


def scipy_unpaired(data: Data) -> Work:
    """Return SciPy's interval of the difference of two means, by Welch."""
    pair = data.first, data.second
    return lambda: np.array(sp.stats.ttest_ind(*pair, equal_var=False).confidence_interval(0.95))


def statsmodels_unpaired(data: Data) -> Work:
    """Return statsmodels' interval of the difference of two means, by Welch."""
    from statsmodels.stats.weightstats import CompareMeans

    return lambda: np.array(
        CompareMeans.from_data(data.first, data.second).tconfint_diff(usevar="unequal")
    )


def statsmodels_error(data: Data) -> Work:
    """Return statsmodels' error of a mean over clusters, by least squares on a constant."""
    from statsmodels.api import OLS

    def error() -> float:
        fitted = OLS(data.first, np.ones(data.cases)).fit(
            cov_type="cluster", cov_kwds={"groups": data.topic}
        )
        return fitted.bse[0]

    return error


def numpy_clusters(data: Data) -> Work:
    """Return NumPy's error of a mean over clusters."""

    def error() -> float:
        assert np.isfinite(data.first).all()
        _, member = np.unique(data.topic, return_inverse=True)
        sums = np.bincount(member, data.first - data.first.mean())
        return np.sqrt(len(sums) / (len(sums) - 1) * (sums @ sums)) / data.cases

    return error


def statsmodels_interval(data: Data) -> Work:
    """Return statsmodels' interval of a mean over clusters, by Student's t."""
    from statsmodels.api import OLS

    def interval() -> np.ndarray:
        fitted = OLS(data.first, np.ones(data.cases)).fit(
            cov_type="cluster", cov_kwds={"groups": data.topic}, use_t=True
        )
        return fitted.conf_int()[0]

    return interval


def statsmodels_holm(data: Data) -> Work:
    """Return statsmodels' p-values by Holm."""
    from statsmodels.stats.multitest import multipletests

    return lambda: multipletests(data.p_values, method="holm")[1]


def our_kernel(data: Data) -> Work:
    """Return what gives fidelity's unbiased kernel calibration error."""
    return lambda: fidelity.skce_unbiased(
        StatedProbabilities(data.stated, data.chosen, PredictionKernel())
    )


def numpy_kernel(data: Data) -> Work:
    """Return NumPy's kernel calibration error, by SciPy's distances."""

    def error() -> float:
        check(data.stated, data.chosen)
        rest = np.eye(OPTIONS)[data.chosen] - data.stated
        h = np.exp(-sp.spatial.distance.cdist(data.stated, data.stated)) * (rest @ rest.T)
        return (h.sum() - h.trace()) / (data.cases * (data.cases - 1))

    return error


JOBS = [
    Job(
        "Brier score",
        lambda data: lambda: fidelity.brier_score(data.stated, data.chosen),
        {"scikit-learn": sklearn_brier, "numpy": numpy_brier},
    ),
    Job(
        "log score",
        lambda data: lambda: fidelity.log_score(data.stated, data.chosen),
        {"scikit-learn": sklearn_log, "numpy": numpy_log},
    ),
    Job(
        "top label",
        lambda data: lambda: np.array(fidelity.top_label(data.stated, data.chosen)),
        {"numpy": numpy_top},
    ),
    Job("reliability diagram", our_curve, {"scikit-learn": sklearn_curve}),
    Job("its intervals", our_intervals, {"numpy": numpy_intervals}),
    Job("calibration error", our_error, {"netcal": netcal_error, "scikit-learn": sklearn_error}),
    Job("kernel calibration error", our_kernel, {"numpy": numpy_kernel}, CASES[:1]),
    Job(
        "CRPS of normal forecasts",
        lambda data: lambda: normal_crps(data.centre, data.spread, data.outcome),
        {"scoringrules": scoringrules_normal, "properscoring": properscoring_normal},
    ),
    Job(
        "mean CRPS of normal forecasts",
        lambda data: lambda: normal_crps(data.centre, data.spread, data.outcome).mean(),
        {"uncertainty-toolbox": toolbox_normal},
    ),
    Job(
        "log score of normal forecasts",
        lambda data: lambda: density_log_score(data.centre, data.spread, data.outcome),
        {"scoringrules": scoringrules_density},
    ),
    Job(
        "ranked probability score",
        lambda data: (
            lambda: crps_by_scenario(data.stated, np.eye(OPTIONS)[data.chosen], np.arange(OPTIONS))
        ),
        {"scoringrules": scoringrules_ranked},
    ),
    Job(
        "interval of a mean",
        lambda data: lambda: ends(fidelity.mean_error_bar(data.first)),
        {"scipy": scipy_mean, "statsmodels": statsmodels_mean, "numpy": numpy_mean},
    ),
    Job(
        "interval of a paired difference",
        lambda data: lambda: ends(fidelity.paired_error_bar(data.first, data.second)),
        {"scipy": scipy_paired},
    ),
    Job(
        "interval of an unpaired difference",
        lambda data: lambda: ends(fidelity.unpaired_error_bar(data.first, data.second)),
        {"scipy": scipy_unpaired, "statsmodels": statsmodels_unpaired},
    ),
    Job(
        "clustered error of a mean",
        lambda data: lambda: cr1_standard_error(data.first, data.topic),
        {"statsmodels": statsmodels_error, "numpy": numpy_clusters},
    ),
    Job(
        "interval of a clustered mean",
        lambda data: lambda: ends(score_error_bar(data.first, data.topic, estimator="cr1")),
        {"statsmodels": statsmodels_interval},
    ),
    Job(
        "Holm's p-values",
        lambda data: lambda: fidelity.holm(data.p_values),
        {"statsmodels": statsmodels_holm},
    ),
    Job(
        "99 quantiles",
        lambda data: lambda: fidelity.empirical_quantile(data.first, QUANTILES),
        {"numpy": lambda data: lambda: np.quantile(data.first, QUANTILES, method="inverted_cdf")},
    ),
]


def measured(job: Job, data: Data) -> Cell | None:
    """Do a job five times by turns in every way that is installed; None if in ours alone."""
    rivals = {}
    for package, rival in job.rivals.items():
        try:
            rivals[package] = rival(data)
        except ImportError as missing:
            print(f"{job.name}: {package} is left out ({missing})")
    if not rivals:
        return None
    ways = [job.ours(data), *rivals.values()]
    numbers = [np.asarray(way(), float) for way in ways]
    repeats = [max(1, int(SHORTEST / max(seconds(way, 1), 1e-6))) for way in ways]
    times = [[seconds(way, n) for way, n in zip(ways, repeats, strict=True)] for _ in range(TURNS)]
    ours, *others = np.median(times, axis=0)
    apart = max(float(np.abs(number - numbers[0]).max()) for number in numbers[1:])
    return Cell(ours, apart, {name: t / ours for name, t in zip(rivals, others, strict=True)})


def seconds(work: Work, repeats: int) -> float:
    """Return how much of the processor's time some work takes."""
    start = process_time()
    for _ in range(repeats):
        work()
    return (process_time() - start) / repeats


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
        theirs = sp.stats.bootstrap((observed,), np.mean, n_resamples=RESAMPLES, rng=generator)
        intervals.append([[ours.ci_lower, ours.ci_upper], theirs.confidence_interval])
    lower, upper = np.moveaxis(np.array(intervals), 2, 0)
    return ((lower <= TRUTH) & (upper >= TRUTH)).mean(0), (upper - lower).mean(0)


def draw(table: dict[str, dict[int, Cell]], path: Path) -> None:
    """Draw the ratios to the fastest other package as points on a logarithmic axis."""
    figure, axes = plt.subplots(figsize=(7.5, 0.3 * len(table) + 1.6), layout="constrained")
    rows = np.arange(len(table))[::-1]
    axes.axvline(1.0, color="0.6", linewidth=1)
    for cases, colour, marker in zip(CASES, COLOURS, "os^", strict=True):
        points = [
            (cells[cases].ratios[cells[cases].fastest], row)
            for row, cells in zip(rows, table.values(), strict=True)
            if cases in cells
        ]
        axes.plot(*zip(*points, strict=True), marker, color=colour, label=f"{cases:,} cases")
    axes.set(
        xscale="log",
        xticks=TICKS,
        xticklabels=TICKS,
        yticks=rows,
        yticklabels=table,
        xlabel="time of the fastest other package / time of fidelity",
    )
    axes.minorticks_off()
    axes.margins(y=0.04)
    axes.grid(axis="y", color="0.93")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="upper right")
    figure.savefig(path, dpi=130)


def print_table(table: dict[str, dict[int, Cell]]) -> None:
    """Print the table in Markdown, with the smallest ratio and the median of all cells."""
    print(f"| number | largest difference | {' | '.join(f'{cases:,}' for cases in CASES)} |")
    print("|---|---|" + "---|" * len(CASES))
    for name, cells in table.items():
        shown = [
            f"{digits(cell.ratios[cell.fastest])} {cell.fastest}"
            if (cell := cells.get(cases))
            else ""
            for cases in CASES
        ]
        apart = max(cell.apart for cell in cells.values())
        print(f"| {name} | {apart:.1e} | {' | '.join(shown)} |")
    least = [min(cell.ratios.values()) for cells in table.values() for cell in cells.values()]
    print(f"{len(least)} cells: smallest {min(least):.2f}, median {np.median(least):.2f}")


def digits(ratio: float) -> str:
    """Return a ratio as text."""
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"


def main() -> None:
    """Print the tables, and draw the ratios if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the ratios into this file")
    parser.add_argument("--only", default="", metavar="WORD", help="jobs with a word in their name")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    packages = sorted({package for job in JOBS for package in job.rivals})
    print(", ".join(f"{name} {installed(name)}" for name in packages))
    table: dict[str, dict[int, Cell]] = {}
    with threadpool_limits(1):
        for cases in CASES:
            data = Data(cases)
            for job in JOBS:
                wanted = cases in job.cases and chosen.only in job.name
                if wanted and (cell := measured(job, data)):
                    table.setdefault(job.name, {})[cases] = cell
    print_table(table)
    if chosen.plot:
        draw(table, chosen.plot)
    for people in () if chosen.only else SIZES:
        print(f"{STUDIES} studies of {people} people: the true mean is held, mean width")
        for name, share, width in zip(("fidelity", "bootstrap"), *held(people), strict=True):
            print(f"  {name:10} {share:.3f} {width:.3f}", flush=True)


def installed(package: str) -> str:
    """Return a package's version, if it is there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


if __name__ == "__main__":
    main()
