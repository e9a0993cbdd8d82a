"""The prompts in which a simulator was asked: the worst, the average, and how much they differ.

Tables:
    PROMPTS: if a language model is asked in several prompts, a row per `simulator` of the config, k
        and discrepancy, on the m scenarios that all `prompts` answered: `worst`, the prompt that is
        farthest from people; `worst_lower`, `worst_upper` hold for all simulators of the study at
        once and so for the truly farthest prompt, `worst_is_settled` if it is certainly farther
        than each other prompt. `average_lower`, `average_upper` bound the mean over prompts,
        `average_ci_lower` and `average_ci_upper` are its interval. `between` is the variance over
        prompts of a scenario's discrepancy, the mean over `m_variance` scenarios, without the
        chance in the answers (by halves of these; no bias, may be negative), with an interval
        `between_lower`, `between_upper` for new scenarios and these prompts; `total` the variance
        observed in half of the answers, `chance` the rest; `of_means` the variance of the prompts'
        means. `reason` says why cells are empty
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.comparison.between_variance import variance_between
from fidelity.comparison.few_clusters import grouped
from fidelity.comparison.halves import Halves, halved_answers
from fidelity.means import average as means
from fidelity.means.estimates import Estimate
from fidelity.pseudo_discrepancies import between
from fidelity.resampling import smoothed
from fidelity.stream import stream
from fidelity_study.ask.collect import read_asked
from fidelity_study.ask.prompts import ANSWERS
from fidelity_study.steps.arrays import Scale, Scenarios, codes, finite
from fidelity_study.steps.bootstrap import HUMAN_SAMPLE
from fidelity_study.steps.cases import Case, cases, people_and_simulators
from fidelity_study.steps.cluster_warning import warning
from fidelity_study.steps.mean_discrepancy import MEAN_DIFFERENCES
from fidelity_study.steps.samples import first_samples
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

PROMPTS = pa.schema(
    [
        ("simulator", LABEL),
        ("prompts", pa.int32()),
        *columns(LABEL, "k", "discrepancy"),
        ("m", pa.int32()),
        ("worst", LABEL),
        *columns(pa.float64(), "worst_lower", "worst_upper"),
        ("worst_is_settled", pa.bool_()),
        *columns(pa.float64(), "average_lower", "average_upper", "average_ci_lower"),
        ("average_ci_upper", pa.float64()),
        ("m_variance", pa.int32()),
        *columns(pa.float64(), "total", "chance", "between", "between_lower", "between_upper"),
        ("of_means", pa.float64()),
        *columns(LABEL, "reason", "warning"),
    ]
)

SPLITS = 50
FEWEST = 3
TOO_FEW = (
    "fewer than 3 questions have usable answers to every prompt that can be halved; more personas"
    " (at least twice as many as options), or more draws of each, give some"
)
INFINITE = "infinite where people chose what a prompt's answers give no share"


def prompt_rows(
    cases: list[Case], splits: dict[str, "Splits"], differences: list[dict], step: dict
) -> Iterator[dict]:
    """Yield a row of ``PROMPTS`` for each simulator, number of draws and discrepancy.

    Args:
        cases: of all simulators.
        splits: of each simulator that is asked in several prompts: its answers in halves.
        differences: rows of differences between simulators' means.
        step: what the step depends on.
    """
    alpha, many = step["test"]["alpha"], len(step["simulators"])
    for stem, names in step["prompted"].items():
        of_stem = [case for case in cases if case.own.simulator in names]
        for k, discrepancy in dict.fromkeys((case.own.k, case.discrepancy) for case in of_stem):
            alike = [case for case in of_stem if (case.own.k, case.discrepancy) == (k, discrepancy)]
            if len(alike) < len(names):
                continue
            form = {"simulator": stem, "prompts": len(names), "k": k, "discrepancy": discrepancy}
            known = [row for row in differences if row["k"] == k]
            known = [row for row in known if row["discrepancy"] == discrepancy]
            is_smoothed = any(case.is_smoothed for case in alike)
            yield {
                **form,
                **means_of(alike, known, alpha, many),
                **variance_of(splits[stem], discrepancy, is_smoothed, alpha),
            }


def means_of(cases: list[Case], differences: list[dict], alpha: float, many: int) -> dict:
    """Return the worst and the average prompt, on the scenarios that all prompts answered.

    The interval of the worst holds for all ``many`` simulators at once. So it also holds the
    largest of the prompts' mean discrepancies, for any prompt.
    """
    answers, rows = cases[0].answers[0], _common(cases)
    if not len(rows):
        return {"m": 0}
    bounds = [_bounds(case, answers, rows) for case in cases]
    people = cases[0].people.responses.only(rows)
    intervals = [
        Estimate(people, bound).interval(means.ASKED, 1.0 - alpha / many) for bound in bounds
    ]
    together = [(limits.ci_lower, limits.ci_upper) for limits in intervals]
    average = means.average_bounds(bounds)
    mean = Estimate(people, average).interval(means.ASKED, 1.0 - alpha)
    columns = {
        "m": len(rows),
        "average_lower": mean.lower,
        "average_upper": mean.upper,
        "average_ci_lower": finite(mean.ci_lower),
        "average_ci_upper": finite(mean.ci_upper),
    }
    if not np.isfinite(together).all():
        return columns
    worst = cases[int(np.argmax(np.mean(together, axis=1)))].own.simulator
    closer = {row["closer"] for row in _pairs(differences, worst, cases)}
    return columns | {
        "worst": worst,
        "worst_lower": max(lower for lower, _ in together),
        "worst_upper": max(upper for _, upper in together),
        "worst_is_settled": bool(closer) and not closer & {None, worst},
    }


def _common(cases: list[Case]) -> np.ndarray:
    rows = cases[0].own.rows
    for case in cases[1:]:
        rows = np.intersect1d(rows, case.own.rows)
    return np.sort(rows)


def _bounds(case: Case, answers: str, rows: np.ndarray) -> means.DiscrepancyBounds:
    at = case.own.places(rows)
    people, simulator = case.responses.only(at).alike(), case.simulator(answers).only(at)
    return means.discrepancy_bounds(people, simulator, discrepancy=case.discrepancy)


def _pairs(differences: list[dict], worst: str, cases: list[Case]) -> Iterator[dict]:
    """Yield the difference between the worst prompt and each other one, over these scenarios."""
    others = {case.own.simulator for case in cases} - {worst}
    for row in differences:
        pair = {row["simulator"], row["other"]}
        is_pair = worst in pair and pair - {worst} <= others
        if is_pair and row["target"] == means.ASKED:
            yield row


def variance_of(splits: "Splits", discrepancy: str, is_smoothed: bool, alpha: float) -> dict:
    """Return how much the prompt moves the discrepancy of a scenario, beyond chance."""
    rows = splits.rows
    if len(rows) < FEWEST:
        return {"m_variance": len(rows), "reason": TOO_FEW}
    scores = splits.scores(discrepancy, is_smoothed)
    if not np.isfinite(scores).all():
        return {"m_variance": len(rows), "reason": INFINITE}
    clusters = grouped(splits.clusters[rows])
    variance = variance_between(*scores, clusters=clusters, level=1.0 - alpha)
    return {
        "m_variance": variance.m,
        "total": variance.total,
        "chance": variance.chance,
        "between": variance.between,
        "between_lower": finite(variance.lower),
        "between_upper": finite(variance.upper),
        "of_means": variance.of_means,
        "warning": None if clusters is None else warning(variance.effective_clusters),
    }


class Splits:
    """The answers of all prompts of one simulator, halved at random in many ways.

    Whole rounds of the options' orders are halved; in a round each option stands once at each
    place. Halves of other respondents would differ by the places of the options, in opposite ways.
    Where there is one round only, the draws of each respondent are halved. All prompts are halved
    alike.

    Attributes:
        rows: positions of the scenarios that can be halved.
        clusters: of all scenarios.
    """

    def __init__(
        self, scenarios: Scenarios, people: list[np.ndarray], clusters: np.ndarray, key: tuple
    ):
        """Take over the scenarios, people's shares in each, and the key of the random stream."""
        self._scenarios, self._people, self.clusters, self._key = scenarios, people, clusters, key
        self._halves: dict[int, Halves] = {}

    @property
    def rows(self) -> np.ndarray:
        """Positions of the scenarios that can be halved."""
        return np.array(sorted(self._halves), np.int64)

    def add(self, asked: list[pa.Table]) -> "Splits":
        """Halve the answers to each prompt; return this object."""
        given = [_by_scenario(table, self._scenarios.names) for table in asked]
        for j, values in enumerate(self._scenarios.values):
            answers = [by_scenario.get(j, []) for by_scenario in given]
            if all(answers):
                generator = stream(*self._key, self._scenarios.names[j])
                if halves := halved_answers(_sums(answers, values), generator, splits=SPLITS):
                    self._halves[j] = halves
        return self

    def scores(self, discrepancy: str, is_smoothed: bool) -> np.ndarray:
        """Return the discrepancies of both halves, (2, S, P, m), in the scenarios at ``rows``."""
        scales: dict[int, Scale] = {
            j: scale for members, scale in self._scenarios.groups() for j in members
        }
        scores = []
        for j in self.rows:
            q, many = self._halves[j]
            flat, p = q.reshape(-1, q.shape[-1]), self._people[j]
            if is_smoothed:
                flat = smoothed(flat, many.ravel())
            people = np.broadcast_to(p, flat.shape)
            score = between(people, flat, discrepancy=discrepancy, scores=scales[j].scores)
            scores.append(score.reshape(q.shape[:-1]))
        return np.stack(scores, axis=-1)


def _by_scenario(asked: pa.Table, names: list[str]) -> dict[int, list[dict]]:
    """Return the usable answers of one prompt, by the position of the scenario."""
    usable: dict[int, list[dict]] = {}
    columns = ["respondent", "draw", "mode", "order", "value", "share", "reason"]
    place = codes(asked["scenario"], names)
    for j, row in zip(place.tolist(), asked.select(columns).to_pylist(), strict=True):
        if row["reason"] is None:
            usable.setdefault(j, []).append(row)
    return usable


def _sums(given: list[list[dict]], values: list[float]) -> np.ndarray:
    """Return how often each option was chosen in each unit of each prompt, (P, U, d)."""
    d = len(values)
    every = [row for rows in given for row in rows]
    unit = "round" if max(row["respondent"] for row in every) >= d else "draw"
    unit_of = {"round": lambda row: row["respondent"] // d, "draw": lambda row: row["draw"]}[unit]
    sums = np.zeros((len(given), 1 + max(map(unit_of, every)), d))
    place = {value: option for option, value in enumerate(values)}
    for i, rows in enumerate(given):
        for row in rows:
            if row["mode"] == ANSWERS:
                sums[i, unit_of(row), place[row["value"]]] += 1.0
            else:
                sums[i, unit_of(row), [place[value] for value in row["order"]]] += row["share"]
    return sums


def splits_of(
    described: pa.Table, people: list[np.ndarray], asked: dict[str, pa.Table], step: dict
) -> dict[str, Splits]:
    """Return the halved answers of each simulator that is asked in several prompts."""
    scenarios = Scenarios.from_table(described)
    clusters = np.array(described["cluster"].to_pylist())
    return {
        stem: Splits(
            scenarios, people, clusters, (step["seed"], step["dataset"], stem, "prompts")
        ).add([asked[name] for name in names])
        for stem, names in step["prompted"].items()
    }


def main(snakemake):
    """Compare the prompts in which each language model was asked."""
    step, files = snakemake.params.step, snakemake.input
    described, human = read(files.scenarios, SCENARIOS), read(files.human, HUMAN_SAMPLE)
    people, given = people_and_simulators(files, step)
    names = [name for several in step["prompted"].values() for name in several]
    prompted = [simulator for simulator in given if simulator.simulator in names]
    asked = read_asked(names, files.asked)
    shares = first_samples(human, Scenarios.from_table(described))
    rows = prompt_rows(
        list(cases(people, prompted, step)),
        splits_of(described, shares, asked, step),
        read(files.differences, MEAN_DIFFERENCES).to_pylist(),
        step,
    )
    write_tables(snakemake.output, {"prompts": (rows, PROMPTS)}, step)
