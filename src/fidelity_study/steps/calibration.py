"""Calibration of stated probabilities: scores, calibration errors and reliability diagrams.

Tables:
    CALIBRATION: if the config has `calibration`, a row per simulator that states probabilities,
        `stated_for` each persona or for each scenario, in m scenarios of `n_clusters` (they tell as
        much as `effective_clusters` equally large ones) answered by so many `people`. Means over
        people: `brier` (summed over options), `log_score` (nats; inf if a person chose an option of
        stated probability 0; `stated_zero` is the share who did), `accuracy` of the most likely
        option (of equals the first), `overconfidence` (its stated probability minus that), of
        outcomes with two options `event_excess` (mean stated probability of the event, the second
        option, minus `event_share`, the share in which it came), `ece` of the event, or else of the
        most likely option, in `bins` (`empty_bins`; `thin_bins` have fewer than 30 people), each
        with a 1 - α interval `_lower`, `_upper` for new clusters; `ece_if_calibrated` (what a
        calibrated simulator would get; the interval of `accuracy` counts each cluster as one answer
        where fewer than 40 tell, and is wide then), `ece_equal_width` and `ece_adaptive` (in bins
        of equal width, and with equally many), `mce`; where scenarios share their options,
        `classwise_ece` and the parts `brier_reliability` - `brier_resolution` + `brier_uncertainty`
        + `brier_within_variance` - `brier_within_covariance` of `brier`; where all have the same,
        `skce` and `skce_p_value` (kernel test over clusters; exact where each event stands alone,
        on `skce_people`). `reason`: why cells are empty
    RELIABILITY: the reliability diagrams: a row per `bin` with its edges `lower` and `upper`,
        `people`, `share` of the mass, mean stated `confidence`, observed `frequency` with its
        interval for new clusters. `value` is empty for the event, of outcomes with two options, or
        else the most likely option, whose diagram belongs to `ece`; where all scenarios have the
        same options, each option has one too
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.calibration import Choices, PredictionKernel
from fidelity.calibration.calibration_error import FEW_CLUSTERS, NO_VARIATION, calibration_error_bar
from fidelity.calibration.kernel_error import FEW_SURPRISES
from fidelity.calibration.reliability import (
    Reliability,
    classwise_calibration_error,
    classwise_reliability,
    edges_by,
    expected_calibration_error,
    maximum_calibration_error,
    reliability,
    top_label,
)
from fidelity.calibration.scores import (
    BrierDecomposition,
    brier_decomposition,
    brier_scores,
    log_scores,
)
from fidelity.comparison.weighted_means import cluster_errors
from fidelity.stream import stream
from fidelity.structure import if_enough
from fidelity.uses import USES
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import (
    Scenarios,
    clusters_of,
    ends_of,
    human,
    intervals,
    may_answer_several,
    only,
)
from fidelity_study.steps.draws import is_from_people
from fidelity_study.steps.events import Groups, choices_of, groups_of
from fidelity_study.steps.proper_scores import by_option, limits_of
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, PERSONAS, SCENARIOS, STATED, STATED_BY_PERSONA
from fidelity_study.tables.read_write import read, read_all, write_tables
from fidelity_study.tables.uses import MEASURED, limit_of, measured

CALIBRATION = pa.schema(
    [
        *columns(LABEL, "simulator", "stated_for"),
        *columns(pa.int32(), "m", "n_clusters"),
        *columns(pa.float64(), "effective_clusters", "people"),
        *intervals("brier", "log_score", "accuracy", "overconfidence", "event_excess", "ece"),
        *columns(pa.float64(), "event_share", "stated_zero", "ece_if_calibrated"),
        *columns(pa.float64(), "ece_equal_width", "ece_adaptive", "mce"),
        *columns(pa.int32(), "bins", "empty_bins", "thin_bins"),
        ("classwise_ece", pa.float64()),
        *columns(pa.float64(), *(f"brier_{part}" for part in BrierDecomposition._fields)),
        *columns(pa.float64(), "skce", "skce_p_value"),
        ("skce_people", pa.int64()),
        ("reason", pa.string()),
    ]
)
RELIABILITY = pa.schema(
    [
        ("simulator", LABEL),
        ("value", pa.float64()),
        ("bin", pa.int32()),
        *columns(pa.float64(), "lower", "upper", "people", "share", "confidence", "frequency"),
        *columns(pa.float64(), "frequency_lower", "frequency_upper"),
    ]
)

THIN = 30
MEANS = ("brier", "log_score", "overconfidence", "event_excess", "ece")
ADAPTIVE = "equal_mass"
OF_BINS = (
    *("ece", "ece_lower", "ece_upper", "ece_if_calibrated", "mce", "bins", "empty_bins"),
    *("thin_bins", "classwise_ece", "brier_reliability", "brier_resolution", "brier_uncertainty"),
    *("brier_within_variance", "brier_within_covariance"),
)
LEFT_OUT = (
    "it learns from the answers to all other scenarios, so that its smallest statements are those "
    "where people's shares are largest, and bins with equally many people would part by these"
)
EVENT = 1


def calibrated(
    described: pa.Table, people: pa.Table, personas: pa.Table, stated: list[pa.Table], step: dict
) -> tuple[list[dict], list[dict], list[dict]]:
    """Return the rows of CALIBRATION, RELIABILITY and uses, of simulators that state probabilities.

    Stated probabilities are in two tables: of scenarios, and of personas.
    """
    scenarios = Scenarios.from_table(described)
    scores, bins, uses = [], [], []
    limit = limit_of(step["uses"], "probabilities")
    for simulator in step["simulators"]:
        said = (only(table, source=simulator) for table in stated)
        groups = groups_of(scenarios, people, personas, *said)
        if len(groups.scenario) == 0:
            continue
        forecasts = Forecasts(described, scenarios, groups, simulator, step)
        measures, diagrams = forecasts.measures(), forecasts.diagrams
        if is_from_people(simulator):
            measures, diagrams = without_adaptive_bins(measures, diagrams, forecasts.wanted["rule"])
        scores.append({"simulator": simulator, **measures})
        for value, diagram in diagrams.items():
            bins += [{"simulator": simulator, "value": value, **row} for row in rows_of(diagram)]
        if forecasts.is_event:
            choices = forecasts.choices
            how = {"clusters": choices.clusters, "weights": choices.counts * choices.weights}
            ends = if_enough(USES["probabilities"].ends, *forecasts.events, **how)
            if ends is not None:
                uses.append(measured(simulator, USES["probabilities"].judged(ends, limit)))
    if not scores:
        raise DataError(
            f"dataset {step['dataset']}, calibration: none of its simulators states probabilities "
            f"({', '.join(step['simulators'])}); take the key calibration away"
        )
    return scores, bins, uses


class Forecasts:
    """What one simulator states, beside people's choices.

    Attributes:
        groups: of people whom probabilities are stated for.
        choices: of them.
        wanted: the bins.
        is_event: whether all scenarios are events, the second of two options.
        events: the probability stated of the event, or of the most likely option, and whether it
            came, (N,) each.
        diagrams: the one with key None is that of ``events``. If all scenarios have the same
            options, each option has a diagram, too, by its code.
        reasons: for what is empty.
    """

    def __init__(
        self, described: pa.Table, scenarios: Scenarios, groups: Groups, simulator: str, step: dict
    ):
        """Line up what was stated and chosen."""
        self.scenarios, self.groups, self.chosen = scenarios, groups, step["calibration"]
        self.wanted = {key: self.chosen[key] for key in ("bins", "rule", "closed")}
        self.level = 1.0 - step["test"]["alpha"]
        self.generator = stream(step["seed"], step["dataset"], simulator, "calibration")
        self.dependence = clusters_of(described), may_answer_several(described)
        self.choices = choices_of(groups, *self.dependence)
        self.is_event = set(described["kind"].to_pylist()) == {"binary"}
        self.events = top_label(**self.choices.rows)
        if self.is_event:
            came = (self.choices.truth == EVENT).astype(float)
            self.events = self.choices.probability[:, EVENT], came
        self.diagrams: dict[float | None, Reliability] = {}
        self.reasons: list[str] = []

    def measures(self) -> dict:
        """Return the scores, with the reasons for empty ones."""
        choices, level = self.choices, self.level
        confidence, right = top_label(**choices.rows)
        accuracy = cluster_errors(right, **choices.errors)
        brier, log = brier_scores(**choices.rows), log_scores(**choices.rows)
        zero = np.isinf(log)

        def mean(name: str, scores: np.ndarray, limits: tuple[Any, Any]) -> dict:
            return ends_of(name, choices.mean(scores, limits, level=level))

        if np.isnan(accuracy.df):
            self.reasons.append(f"intervals: {FEW_CLUSTERS}")
        log_score: dict = {"log_score": np.inf}
        if zero.any():
            reason = "log_score_lower, log_score_upper: somebody chose an option stated as 0"
            self.reasons.append(reason)
        else:
            log_score = mean("log_score", log, limits_of(by_option("log", choices.probability)))
        scored = {
            "stated_for": self.groups.stated_for,
            "m": len(np.unique(self.groups.scenario)),
            "n_clusters": accuracy.n_clusters,
            "effective_clusters": accuracy.effective_clusters,
            "people": float(self.groups.sizes.sum()),
            **mean("brier", brier, limits_of(by_option("brier", choices.probability))),
            **log_score,
            "stated_zero": float(cluster_errors(zero, **choices.mass).estimate[0]),
            **ends_of("accuracy", choices.share(right, level=level)),
            **mean("overconfidence", confidence - right, (confidence - 1.0, confidence)),
        }
        if self.is_event:
            stated, came = self.events
            scored |= mean("event_excess", stated - came, (stated - 1.0, stated))
            scored["event_share"] = float(cluster_errors(came, **choices.mass).estimate[0])
        scored |= self.of_events() | self.of_options()
        means = [name for name in MEANS if np.isfinite(scored.get(name) or 0.0)]
        same = [name for name in means if name in scored and scored[f"{name}_lower"] is None]
        if same and np.isfinite(accuracy.df):
            self.reasons.append(f"intervals of {', '.join(same)}: {NO_VARIATION}")
        known = {
            name: None if isinstance(value, float) and np.isnan(value) else value
            for name, value in scored.items()
        }
        return {**known, "reason": "; ".join(self.reasons)}

    def of_events(self) -> dict:
        """Return the calibration errors of the event or most likely option; keep its diagram."""
        mass, closed = self.choices.mass, self.wanted["closed"]
        edges = {
            rule: edges_by(self.events[0], self.wanted["bins"], rule, closed, **mass)
            for rule in ("equal_width", ADAPTIVE)
        }
        by_rule = {
            rule: expected_calibration_error(reliability(*self.events, edge, closed, **mass))
            for rule, edge in edges.items()
        }
        binned = {"edges": edges[self.wanted["rule"]], "closed": closed, "level": self.level}
        binned |= self.choices.errors
        self.diagrams[None] = diagram = reliability(*self.events, **binned)
        bar = calibration_error_bar(*self.events, generator=self.generator, **binned)
        if bar.reason:
            self.reasons.append(f"ece_if_calibrated: {bar.reason}")
        if bar.interval_reason == FEW_SURPRISES:
            self.reasons.append(f"ece_lower, ece_upper: {FEW_SURPRISES}")
        return {
            **ends_of("ece", bar[:3]),
            "ece_if_calibrated": bar.if_calibrated,
            "ece_equal_width": by_rule["equal_width"],
            "ece_adaptive": by_rule[ADAPTIVE],
            "mce": maximum_calibration_error(diagram),
            "bins": len(diagram.people),
            "empty_bins": int(diagram.empty.sum()),
            "thin_bins": int(diagram.thin(THIN).sum()),
        }

    def of_options(self) -> dict:
        """Return the scores of single options; keep their diagrams if all scenarios have the same.

        Scenarios with the same options are taken together; with several such sets the result is the
        mean over people.
        """
        groups, different = self.groups, "skce: scenarios have different options"
        options = [tuple(self.scenarios.values[j]) for j in groups.scenario.tolist()]
        sets = Counter(dict(zip(groups.scenario.tolist(), options, strict=True)).values())
        if len(sets) > 1 and min(sets.values()) == 1:
            lone = "classwise_ece, parts of brier: some scenario has options of its own"
            self.reasons += [lone, different]
            return {}
        scores: dict[str, float] = defaultdict(float)
        for option_set in sets:
            alike = groups.only(np.array([labels == option_set for labels in options]))
            choices = choices_of(alike, *self.dependence)
            share = alike.sizes.sum() / groups.sizes.sum()
            parts = brier_decomposition(**choices.rows, **self.wanted, **choices.mass)
            classes = classwise_reliability(
                **choices.rows, **self.wanted, **choices.errors, level=self.level
            )
            scores["classwise_ece"] += share * classwise_calibration_error(classes)
            for name, part in parts._asdict().items():
                scores[f"brier_{name}"] += share * part
        if len(sets) > 1:
            self.reasons.append(different)
            return dict(scores)
        self.diagrams |= dict(zip(option_set, classes, strict=True))
        return {**scores, **self.of_kernel(choices)}

    def of_kernel(self, choices: Choices) -> dict:
        """Return the squared kernel calibration error and its test, over clusters unless chosen."""
        clustered = self.chosen["kernel_test"] == "clustered"
        scale = float(self.chosen["kernel_scale"])
        kernel = PredictionKernel(self.chosen["kernel"], self.chosen["kernel_distance"], scale)
        made = if_enough(choices.kernel_test, kernel, self.generator, clustered=clustered)
        if made is None:
            self.reasons.append("skce: one cluster tells nothing about others")
            return {}
        test, people = made
        if not clustered:
            self.reasons.append("skce_p_value: asymptotic, as if all answers were independent")
        if test.reason:
            self.reasons.append(f"skce_p_value: {test.reason}")
        return {"skce": test.estimate, "skce_p_value": test.p_value, "skce_people": people}


def without_adaptive_bins(measures: dict, diagrams: dict, rule: str) -> tuple[dict, dict]:
    """Return scores and diagrams without adaptive bins where these mislead for learned baselines.

    A baseline that learns from all scenarios but one states almost the same everywhere. It states a
    little less where more people chose the option in the scenario left out. Adaptive bins sort
    scenarios by this trace. Even for the best constant forecast of single outcomes their error is
    about .5.
    """
    names = ("ece_adaptive", *(OF_BINS if rule == ADAPTIVE else ()))
    reason = {"reason": "; ".join(filter(None, [measures["reason"], f"ece_adaptive: {LEFT_OUT}"]))}
    return measures | dict.fromkeys(names) | reason, {} if rule == ADAPTIVE else diagrams


def rows_of(diagram: Reliability) -> Iterator[dict]:
    """Yield a row for each bin; NaN where nobody is in it."""
    names = RELIABILITY.names[3:]
    cells = zip(*(getattr(diagram, name).tolist() for name in names), strict=True)
    for place, row in enumerate(cells):
        yield {"bin": place, **dict(zip(names, row, strict=True))}


def main(snakemake):
    """Measure whether the probabilities that simulators state come true."""
    step, files = snakemake.params.step, snakemake.input
    scenarios, personas = read(files.scenarios, SCENARIOS), read(files.personas, PERSONAS)
    people = human(read_all(files.outcomes, OUTCOMES))
    stated = [read_all(files.stated, STATED), read_all(files.stated_by_persona, STATED_BY_PERSONA)]
    scores, bins, uses = calibrated(scenarios, people, personas, stated, step)
    made = {
        "scores": (scores, CALIBRATION),
        "reliability": (bins, RELIABILITY),
        "of_probabilities": (uses, MEASURED),
    }
    write_tables(snakemake.output, made, step)
