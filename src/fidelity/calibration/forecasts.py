"""Stated probabilities beside groups of people: all that tells whether they come true."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from fidelity.arrays import AnyArray, BoolArray, FloatArray, IntArray
from fidelity.calibration.calibration_error import FEW_CLUSTERS, NO_VARIATION, calibration_error_bar
from fidelity.calibration.choices import Choices
from fidelity.calibration.kernel import PredictionKernel
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
from fidelity.calibration.scores import brier_decomposition, brier_scores, log_scores
from fidelity.comparison.error_bars import Limits
from fidelity.comparison.proper_scores import limits_of, score_by_option
from fidelity.comparison.weighted_means import cluster_errors
from fidelity.structure.estimates import Interval, if_enough

THIN, EVENT = 30, 1
MEANS = ("brier", "log_score", "overconfidence", "event_excess", "ece")
EQUAL_WIDTH, ADAPTIVE = "equal_width", "equal_mass"


@dataclass(frozen=True)
class Groups:
    """A simulator's probabilities for groups of people, and the groups' answers; G groups.

    Attributes:
        stated_for: what a statement is about, such as a ``persona`` or a ``scenario``.
        scenario: position of each group's scenario, (G,).
        people: counts of the scenario's options, fractional if weighted; a vector each.
        stated: probabilities of the same options.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import Groups
        >>> people, stated = [np.array([6.0, 4.0])], [np.array([0.7, 0.3])]
        >>> groups = Groups("scenario", np.arange(1), people, stated)
        >>> choices = groups.choices(np.arange(1), several=False)
        >>> choices.truth.tolist(), choices.counts.tolist()
        ([0, 1], [6, 4])
    """

    stated_for: str
    scenario: IntArray
    people: list[FloatArray]
    stated: list[FloatArray]

    @property
    def sizes(self) -> FloatArray:
        """People in each group, (G,)."""
        return np.array([counts.sum() for counts in self.people])

    def only(self, kept: BoolArray) -> "Groups":
        """Return the groups in a mask, (G,)."""
        places = np.flatnonzero(kept)
        people, stated = ([parts[g] for g in places] for parts in (self.people, self.stated))
        return Groups(self.stated_for, self.scenario[places], people, stated)

    def choices(self, clusters: AnyArray, *, several: bool) -> Choices:
        """Return a row for each option that somebody of a group chose.

        Groups with fewer options than others get columns of zeros: nobody chose these, and 0 is
        stated of them. They change neither a proper score nor the most likely option.

        Args:
            clusters: of all scenarios, (m,).
            several: whether the same people may have answered several scenarios.
        """
        options = [len(counts) for counts in self.people]
        there = np.arange(max(options, default=0)) < np.array(options)[:, None]
        chosen, stated = np.zeros((2, *there.shape))
        chosen[there], stated[there] = np.concatenate(self.people), np.concatenate(self.stated)
        group, truth = np.nonzero(chosen)
        mass, scenario = chosen[group, truth], self.scenario[group]
        counts = np.ceil(mass - 1e-9).astype(np.int64)
        samples = scenario if several else None
        return Choices(stated[group], truth, counts, mass / counts, clusters[scenario], samples)


@dataclass(eq=False)
class Forecasts:
    """What one simulator states, beside people's choices, and whether it comes true.

    Attributes:
        groups: of people whom probabilities are stated for.
        options: the codes of each scenario's options, m.
        clusters: of the scenarios, (m,).
        several: whether the same people may have answered several scenarios.
        is_event: whether all scenarios are events, the second of two options.
        bins, rule, closed: of diagrams (:func:`fidelity.calibration.reliability.edges_by`).
        kernel: of the kernel calibration error.
        generator: of the kernel's test and of what a calibrated simulator would get.
        clustered: whether the kernel's test is over clusters.
        level: of intervals.
        diagrams: filled by :meth:`measures`. The one with key None is that of the event, or the
            most likely option. If all scenarios have the same options, each option has a diagram,
            too, by its code.
        reasons: for what is empty, filled likewise.

    Examples:
        >>> import numpy as np
        >>> from fidelity.calibration import Forecasts, Groups, PredictionKernel
        >>> rng = np.random.default_rng(0)
        >>> stated = rng.dirichlet(np.ones(3), 30)
        >>> people = [rng.multinomial(40, row).astype(float) for row in stated]
        >>> groups = Groups("scenario", np.arange(30), people, list(stated))
        >>> kernel = PredictionKernel("exponential", "tv")
        >>> forecasts = Forecasts(
        ...     groups, [(1.0, 2.0, 3.0)] * 30, np.arange(30), kernel=kernel, generator=rng
        ... )
        >>> measures = forecasts.measures()
        >>> round(measures["brier"].estimate, 2), len(forecasts.diagrams)
        (0.53, 4)
    """

    groups: Groups
    options: Sequence[tuple[float, ...]]
    clusters: AnyArray
    several: bool = False
    is_event: bool = False
    bins: int = 10
    rule: str = EQUAL_WIDTH
    closed: str = "right"
    kernel: PredictionKernel = field(kw_only=True)
    generator: np.random.Generator = field(kw_only=True)
    clustered: bool = True
    level: float = 0.95
    diagrams: dict[float | None, Reliability] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    @cached_property
    def choices(self) -> Choices:
        """Of all groups."""
        return self.groups.choices(self.clusters, several=self.several)

    @cached_property
    def events(self) -> tuple[FloatArray, FloatArray]:
        """The probability of the event, or of the most likely option, and whether it came, (N,)."""
        if not self.is_event:
            return top_label(**self.choices.rows)
        return self.choices.probability[:, EVENT], (self.choices.truth == EVENT).astype(float)

    def measures(self) -> dict[str, Any]:
        """Return the scores and calibration errors by name, with the reasons for empty ones.

        Means over people and their intervals for new clusters: ``brier``, ``log_score`` (infinite
        where somebody chose what was stated as 0, ``stated_zero`` of people), ``accuracy``,
        ``overconfidence``, of events ``event_excess`` and ``event_share``, ``ece``; the number of
        scenarios ``m``, ``n_clusters``, ``effective_clusters`` and ``people``; the others as
        :meth:`of_events` and :meth:`of_options` return them.
        """
        self.reasons.clear()
        choices, level = self.choices, self.level
        confidence, right = top_label(**choices.rows)
        accuracy = cluster_errors(right, **choices.errors)
        log = log_scores(**choices.rows)
        zero = np.isinf(log)

        def mean(scores: FloatArray, limits: Limits) -> Interval:
            return choices.mean(scores, limits, level=level)

        def limits(score: str) -> Limits:
            return limits_of(score_by_option(score, choices.probability))

        if np.isnan(accuracy.df):
            self.reasons.append(f"intervals: {FEW_CLUSTERS}")
        if zero.any():
            reason = "log_score_lower, log_score_upper: somebody chose an option stated as 0"
            self.reasons.append(reason)
        scored: dict[str, Any] = {
            "m": len(np.unique(self.groups.scenario)),
            "n_clusters": accuracy.n_clusters,
            "effective_clusters": accuracy.effective_clusters,
            "people": float(self.groups.sizes.sum()),
            "brier": mean(brier_scores(**choices.rows), limits("brier")),
            "log_score": np.inf if zero.any() else mean(log, limits("log")),
            "stated_zero": float(cluster_errors(zero, **choices.mass).estimate[0]),
            "accuracy": choices.share(right, level=level),
            "overconfidence": mean(confidence - right, (confidence - 1.0, confidence)),
        }
        if self.is_event:
            stated, came = self.events
            scored["event_excess"] = mean(stated - came, (stated - 1.0, stated))
            scored["event_share"] = float(cluster_errors(came, **choices.mass).estimate[0])
        scored |= self.of_events() | self.of_options()
        bars = {name: bar for name in MEANS if isinstance(bar := scored.get(name), Interval)}
        same = [name for name, bar in bars.items() if not np.isfinite(bar.lower)]
        if same and np.isfinite(accuracy.df):
            self.reasons.append(f"intervals of {', '.join(same)}: {NO_VARIATION}")
        return {**scored, "reason": "; ".join(self.reasons)}

    def of_events(self) -> dict[str, Any]:
        """Return the calibration errors of the event or most likely option; keep its diagram."""
        how = {"closed": self.closed, "level": self.level, **self.choices.errors}
        edges = {
            rule: edges_by(self.events[0], self.bins, rule, self.closed, **self.choices.mass)
            for rule in (EQUAL_WIDTH, ADAPTIVE)
        }
        by_rule = {rule: reliability(*self.events, edge, **how) for rule, edge in edges.items()}
        self.diagrams[None] = diagram = by_rule[self.rule]
        bar = calibration_error_bar(*self.events, edges[self.rule], self.generator, **how)
        if bar.reason:
            self.reasons.append(f"ece_if_calibrated: {bar.reason}")
        if bar.interval_reason == FEW_SURPRISES:
            self.reasons.append(f"ece_lower, ece_upper: {FEW_SURPRISES}")
        return {
            "ece": Interval(*bar[:3]),
            "ece_if_calibrated": bar.if_calibrated,
            "ece_equal_width": expected_calibration_error(by_rule["equal_width"]),
            "ece_adaptive": expected_calibration_error(by_rule["equal_mass"]),
            "mce": maximum_calibration_error(diagram),
            "bins": len(diagram.people),
            "empty_bins": int(diagram.empty.sum()),
            "thin_bins": int(diagram.thin(THIN).sum()),
        }

    def of_options(self) -> dict[str, Any]:
        """Return the scores of single options; keep their diagrams if all scenarios have the same.

        Scenarios with the same options are taken together; with several such sets the result is the
        mean over people.
        """
        groups, different = self.groups, "skce: scenarios have different options"
        options = [self.options[j] for j in groups.scenario.tolist()]
        sets = Counter(dict(zip(groups.scenario.tolist(), options, strict=True)).values())
        if len(sets) > 1 and min(sets.values()) == 1:
            lone = "classwise_ece, parts of brier: some scenario has options of its own"
            self.reasons += [lone, different]
            return {}
        scores: dict[str, float] = defaultdict(float)
        binned: dict[str, Any] = {"bins": self.bins, "rule": self.rule, "closed": self.closed}
        for option_set in sets:
            alike = groups.only(np.array([labels == option_set for labels in options]))
            choices = alike.choices(self.clusters, several=self.several)
            share = alike.sizes.sum() / groups.sizes.sum()
            parts = brier_decomposition(**choices.rows, **binned, **choices.mass)
            classes = classwise_reliability(
                **choices.rows, **binned, **choices.errors, level=self.level
            )
            scores["classwise_ece"] += share * classwise_calibration_error(classes)
            for name, part in parts._asdict().items():
                scores[f"brier_{name}"] += share * part
        if len(sets) > 1:
            self.reasons.append(different)
            return dict(scores)
        self.diagrams |= dict(zip(option_set, classes, strict=True))
        return {**scores, **self.of_kernel(choices)}

    def of_kernel(self, choices: Choices) -> dict[str, Any]:
        """Return the squared kernel calibration error and its test."""
        made = if_enough(choices.kernel_test, self.kernel, self.generator, clustered=self.clustered)
        if made is None:
            self.reasons.append("skce: one cluster tells nothing about others")
            return {}
        test, people = made
        if not self.clustered:
            self.reasons.append("skce_p_value: asymptotic, as if all answers were independent")
        if test.reason:
            self.reasons.append(f"skce_p_value: {test.reason}")
        return {"skce": test.estimate, "skce_p_value": test.p_value, "skce_people": people}
