"""What other packages give for the people and the language model of one survey, beside fidelity.

The survey is the Cooperative Election Study 2024 of the package popfidelity: 3 questions, each put
to 96 groups. The simulator is qwen3-vl-2b by its next-token probabilities. Packages that are not
installed are named and left out; none of them is needed by this project. They need Python 3.12:

    uv venv --python 3.12 peers
    uv pip install --python peers/bin/python -e . popfidelity synthbench-eval evalsig evalstats \
        glide-py ppi-python truescore netcal inspect-ai
    peers/bin/python benchmark/peers.py

``--silicon R/functions/statistics.R`` adds the silicon sample benchmark, by R, from a clone of
github.com/janpfander/llm_predictions_megastudy. ``--board`` has SynthBench judge which runs of its
board failed.
"""

import argparse
import gzip
import io
import json
import subprocess
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from popfidelity import examples
from popfidelity.io import read_cells
from popfidelity.questions import read_questions

import fidelity
from fidelity.hybrids import prediction_powered_mean

BINS, INTERVIEWS, DRAWS, ALIKE = 10, 200, 100_000, 1.5e-4
QUESTION = "ideo5"


@dataclass(frozen=True)
class Row:
    """One number by both: the name of it, what the other package gives, what fidelity gives."""

    name: str
    theirs: float | tuple[float, ...]
    ours: float | tuple[float, ...]


class Survey:
    """Counts of people and stated probabilities, a row for each group and question, NaN-padded."""

    def __init__(self) -> None:
        """Read the cells that come with popfidelity."""
        folder = examples.path("ces")
        questions = read_questions(folder / "questions.yaml")
        self.people = read_cells(folder / "survey_cells.csv", questions)
        self.model = read_cells(folder / "model_cells.csv", questions, mode="ntp")
        width = max(len(cells.options) for cells in self.people.values())
        counts, stated, self.question, self.group = [], [], [], []
        for name, cells in self.people.items():
            model = self.model[name].subset(cells.labels)
            missing = ((0, 0), (0, width - len(cells.options)))
            whole = np.rint(cells.shares * cells.counts[:, None])
            counts.append(np.pad(whole, missing, constant_values=np.nan))
            stated.append(np.pad(model.shares, missing, constant_values=np.nan))
            self.question += [name] * len(cells.labels)
            self.group += list(cells.labels)
        self.counts, self.stated = np.vstack(counts), np.vstack(stated)
        self.shares = self.counts / np.nansum(self.counts, axis=1, keepdims=True)
        exists = np.isfinite(self.counts)
        self.uniform = np.where(exists, 1.0 / exists.sum(1, keepdims=True), np.nan)
        positions = np.arange(width) / (exists.sum(1, keepdims=True) - 1)
        self.responses = fidelity.Responses(
            self.counts,
            scores=np.where(exists, positions, np.nan),
            clusters=self.group,
            respondents=self.group,
        )

    def by_option(self, shares: np.ndarray) -> list[dict[str, float]]:
        """Return each row as options and shares, without options that it doesn't have."""
        return [
            {str(option): float(share) for option, share in enumerate(row) if np.isfinite(share)}
            for row in shares
        ]

    def mean(self, stated: np.ndarray, discrepancy: str) -> tuple[float, float]:
        """Return the 95 % interval of fidelity for a mean distance."""
        interval = fidelity.mean_discrepancy(self.responses, stated, discrepancy=discrepancy)
        return interval.ci_lower, interval.ci_upper

    def persons(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the answer of each person to one question, the model's mean, and its guess."""
        rows = np.array(self.question) == QUESTION
        counts, stated = self.counts[rows][:, :5].astype(int), self.stated[rows][:, :5]
        answer = np.concatenate([np.repeat(np.arange(5), row) for row in counts])
        sizes = counts.sum(1)
        return answer, np.repeat(stated @ np.arange(5), sizes), np.repeat(stated, sizes, axis=0)


def popfidelity_distances(survey: Survey) -> Iterator[Row]:
    """Mean total variation of the model and of a uniform guess; earth mover's with intervals."""
    from popfidelity.dispersion import sd_ratio
    from popfidelity.metrics import distance
    from popfidelity.uncertainty import bootstrap

    for name, stated in (("model", survey.stated), ("uniform guess", survey.uniform)):
        shares, guess = np.nan_to_num(survey.shares), np.nan_to_num(stated)
        theirs = float(distance(shares, guess, "total_variation").mean())
        yield Row(f"mean total variation, {name}", theirs, survey.mean(stated, "tv"))
    for name, people in survey.people.items():
        rows = np.array(survey.question) == name
        found = bootstrap(people, survey.model[name]).set_index("metric").loc["e_mean_nemd"]
        mean = fidelity.mean_discrepancy(
            fidelity.Responses(survey.counts[rows], scores=survey.responses.scores[rows]),
            survey.stated[rows],
            discrepancy="w1",
        )
        interval = (found["ci_low"], found["ci_high"])
        yield Row(f"earth mover's distance, {name}", interval, (mean.ci_lower, mean.ci_upper))
        ratio = sd_ratio(people, survey.model[name])
        yield Row(f"ratio of standard deviations, {name}", ratio, spread(survey, rows))


def spread(survey: Survey, rows: np.ndarray) -> float:
    """Return the model's standard deviation over people's, of all people of a question."""
    sizes = np.nansum(survey.counts[rows], axis=1)
    scores = np.nan_to_num(survey.responses.scores[rows][0])

    def deviation(shares: np.ndarray) -> float:
        pooled = np.nan_to_num(shares[rows]).T @ sizes / sizes.sum()
        return float(np.sqrt(pooled @ scores**2 - (pooled @ scores) ** 2))

    return deviation(survey.stated) / deviation(survey.shares)


def divergences(survey: Survey) -> tuple[np.ndarray, np.ndarray]:
    """Return the observed Jensen-Shannon divergences, in bits, of the model and of the guess."""
    from synthbench.metrics.distributional import jensen_shannon_divergence as divergence

    people = survey.by_option(survey.shares)
    both = [survey.by_option(stated) for stated in (survey.stated, survey.uniform)]
    values = [[divergence(*pair) for pair in zip(people, side, strict=True)] for side in both]
    return np.array(values[0]), np.array(values[1])


def synthbench_scores(survey: Survey) -> Iterator[Row]:
    """SynthBench's divergence, and its paired bootstrap of model and guess."""
    from synthbench.stats import bootstrap_ci, paired_bootstrap_test

    model, guess = divergences(survey)
    bits = np.log(2)
    for name, values, stated in (
        ("model", model, survey.stated),
        ("uniform guess", guess, survey.uniform),
    ):
        theirs = bootstrap_ci(list(values), lambda data: sum(data) / len(data), seed=1)
        low, high = survey.mean(stated, "js")
        interval = (theirs.ci_lower, theirs.ci_upper)
        yield Row(f"Jensen-Shannon divergence, {name}", interval, (low / bits, high / bits))
    _, p, _ = paired_bootstrap_test(list(model), list(guess), seed=1)
    bar = fidelity.paired_error_bar(model, guess, survey.group)
    yield Row("p-value of model against guess", p, float(bar.p_value))


def evalsig_difference(survey: Survey) -> Iterator[Row]:
    """The paired difference of model and guess, questions of a group as one cluster."""
    from evalsig import ItemResult, RunFrame, compare

    def run(name: str, values: np.ndarray) -> RunFrame:
        items = [
            ItemResult(str(item), float(value), group)
            for item, (value, group) in enumerate(zip(values, survey.group, strict=True))
        ]
        return RunFrame(name, name, "ces", "js", items)

    model, guess = divergences(survey)
    found = compare(run("guess", guess), run("model", model), cluster="group")
    bar = fidelity.paired_error_bar(model, guess, survey.group)
    yield Row("difference of divergences", found.ci, (bar.lower, bar.upper))


def evalstats_mean(survey: Survey) -> Iterator[Row]:
    """The mean divergence with its interval, rows as independent."""
    import evalstats

    model, _ = divergences(survey)
    found = evalstats.mean_ci(model, score_range=(0.0, 1.0), rng=1)
    bar = fidelity.mean_error_bar(model)
    interval = (found.ci_low, found.ci_high)
    yield Row("mean observed divergence", interval, (bar.lower, bar.upper))
    answer, guess, _ = survey.persons()
    with redirect_stdout(io.StringIO()):
        debiased = evalstats.judge_debias_mean_ci(guess, labelled(answer), rng=1)
    yield Row("mean answer, 200 interviews", (debiased.ci_low, debiased.ci_high), powered(survey))


def inspect_errors(survey: Survey) -> Iterator[Row]:
    """The standard error of a mean over clusters."""
    from inspect_ai.scorer import SampleScore, Score, stderr

    model, _ = divergences(survey)
    scores = [
        SampleScore(score=Score(value=float(value)), sample_metadata={"group": group})
        for value, group in zip(model, survey.group, strict=True)
    ]
    theirs = (stderr()(scores), stderr(cluster="group")(scores))
    bars = fidelity.mean_error_bar(model), fidelity.mean_error_bar(model, survey.group)
    ours = tuple(float(bar.se) for bar in bars)
    yield Row("standard error, without and with clusters", theirs, ours)


def labelled(answer: np.ndarray) -> np.ndarray:
    """Return answers of the few who are interviewed, NaN for all others."""
    chosen = np.random.default_rng(1).choice(len(answer), INTERVIEWS, replace=False)
    known = np.full(len(answer), np.nan)
    known[chosen] = answer[chosen]
    return known


def powered(survey: Survey) -> tuple[float, float]:
    """Return fidelity's interval of the mean answer, from few interviews and all guesses."""
    answer, guess, _ = survey.persons()
    known = labelled(answer)
    asked = np.isfinite(known)
    found = prediction_powered_mean(known[asked], guess[asked], guess[~asked])
    return found.lower, found.upper


def glide_mean(survey: Survey) -> Iterator[Row]:
    """PPI++ of the mean answer."""
    from glide.estimators import PPIMeanEstimator

    answer, guess, _ = survey.persons()
    interval = PPIMeanEstimator().estimate(labelled(answer), guess).confidence_interval
    theirs = (interval.lower_bound, interval.upper_bound)
    yield Row("mean answer, 200 interviews", theirs, powered(survey))


def ppi_mean(survey: Survey) -> Iterator[Row]:
    """PPI++ of the mean answer, by its authors."""
    from ppi_py import ppi_mean_ci

    answer, guess, _ = survey.persons()
    known = labelled(answer)
    asked = np.isfinite(known)
    ends = ppi_mean_ci(known[asked], guess[asked], guess[~asked], alpha=0.05)
    theirs = tuple(float(np.squeeze(end)) for end in ends)
    yield Row("mean answer, 200 interviews", theirs, powered(survey))


def truescore_mean(survey: Survey) -> Iterator[Row]:
    """PPI++ of the mean answer, as of a judge and gold labels."""
    from truescore import ppi_estimate

    answer, guess, _ = survey.persons()
    known = labelled(answer)
    (asked,) = np.isfinite(known).nonzero()
    found = ppi_estimate(guess, known[asked], asked)
    yield Row("mean answer, 200 interviews", (found.low, found.high), powered(survey))


def netcal_error(survey: Survey) -> Iterator[Row]:
    """The calibration error of the most likely option, a case for each person."""
    from netcal.metrics import ECE

    answer, _, stated = survey.persons()
    diagram = fidelity.reliability(
        *fidelity.top_label(stated, answer), fidelity.equal_width_edges(BINS)
    )
    ours = fidelity.expected_calibration_error(diagram)
    yield Row("calibration error", float(ECE(BINS).measure(stated, answer)), float(ours))


def silicon_distance(survey: Survey, script: Path) -> Iterator[Row]:
    """The benchmark's Wasserstein distance of two samples, on a grid of 512 points."""
    answer, _, stated = survey.persons()
    people = np.bincount(answer)
    model = np.rint(DRAWS * stated.mean(0)).astype(int)
    samples = [f"rep(0:4, c({','.join(map(str, side))}))" for side in (people, model)]
    code = f'source("{script}"); cat(compute_w1({", ".join(samples)}, from = 0, to = 4))'
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    shares = (side[None] / side.sum() for side in (people, model))
    ours = fidelity.DISCREPANCIES["w1"].between(*shares, scores=np.arange(5.0))
    yield Row(f"Wasserstein distance, {QUESTION}", float(done.stdout), float(ours[0]))


def synthbench_failures(folder: Path) -> Iterator[tuple[str, float, bool]]:
    """Yield runs of its board with exactly uniform answers: file, their share, if it says so."""
    from synthbench.run_validity import is_invalid_run

    for path in sorted(folder.rglob("*.json.gz")):
        run = json.loads(gzip.decompress(path.read_bytes()))
        for row in run["per_question"]:
            shares = row["model_distribution"]
            row["model_distribution"] = {str(i): share for i, share in enumerate(shares)}
        values = [[*row["model_distribution"].values()] for row in run["per_question"]]
        uniform = np.mean([any(shares) and np.ptp(shares) < ALIKE for shares in values])
        if uniform > 0.1:
            yield path.name, float(uniform), is_invalid_run(run)[0]


PEERS: dict[str, Callable[[Survey], Iterator[Row]]] = {
    "popfidelity": popfidelity_distances,
    "synthbench-eval": synthbench_scores,
    "evalsig": evalsig_difference,
    "evalstats": evalstats_mean,
    "inspect-ai": inspect_errors,
    "glide-py": glide_mean,
    "ppi-python": ppi_mean,
    "truescore": truescore_mean,
    "netcal": netcal_error,
}


def text(value: float | tuple[float, ...]) -> str:
    """Return a number, or the two ends of an interval, with four digits."""
    values = value if isinstance(value, tuple) else (value,)
    return " to ".join(f"{number:.4g}" for number in values)


def main() -> None:
    """Print a row of a Markdown table for each number."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--silicon", type=Path, metavar="FILE", help="its statistics.R")
    parser.add_argument("--board", type=Path, metavar="FOLDER", help="files of SynthBench's board")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    survey = Survey()
    answer, guess, _ = survey.persons()
    print(
        f"{datetime.now(UTC):%Y-%m-%d}; mean answer {answer.mean():.4f}, guess {guess.mean():.4f}"
    )
    print("| package | what | it gives | fidelity gives |\n|---|---|---|---|")
    for name, rows in PEERS.items():
        try:
            package = f"{name} {version(name)}"
        except PackageNotFoundError:
            print(f"| {name} | not installed | | |")
            continue
        for row in rows(survey):
            print(f"| {package} | {row.name} | {text(row.theirs)} | {text(row.ours)} |", flush=True)
    if chosen.silicon:
        for row in silicon_distance(survey, chosen.silicon):
            print(
                f"| silicon sample benchmark | {row.name} | {text(row.theirs)} | {text(row.ours)} |"
            )
    if chosen.board:
        print("\n| run | exactly uniform | SynthBench leaves it out |\n|---|---|---|")
        for name, share, is_invalid in synthbench_failures(chosen.board):
            print(f"| {name} | {share:.0%} | {'yes' if is_invalid else 'no'} |")


if __name__ == "__main__":
    main()
