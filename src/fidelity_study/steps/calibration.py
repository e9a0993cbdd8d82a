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
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.binomial import clustered_proportion_interval
from fidelity.calibration.calibration_error import FEW_CLUSTERS, NO_VARIATION, calibration_error_bar
from fidelity.calibration.kernel import PredictionKernel, StatedProbabilities
from fidelity.calibration.kernel_error import (
    FEW_SURPRISES,
    asymptotic_test,
    clustered_test,
    consistency_test,
)
from fidelity.calibration.reliability import (
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
from fidelity.comparison.error_bars import Limits, bounded_error_bar, enough_differ, mean_error_bar
from fidelity.comparison.weighted_means import (
    ClusterErrors,
    cluster_errors,
    weighted_mean_error_bar,
)
from fidelity.stream import stream
from fidelity.structure import TooFewError
from fidelity.uses import USES
from fidelity.uses.ends import Ends
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import (
    Scenarios,
    clusters_of,
    human,
    intervals,
    may_answer_several,
    only,
)
from fidelity_study.steps.draws import is_from_people
from fidelity_study.steps.events import Answers, Groups, answers_of, groups_of
from fidelity_study.steps.proper_scores import OF_OPTIONS, by_option, limits_of
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
KEYS = ("simulator", "value", "bin")
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
MOST_TESTED = 4000
EVENT = 1


def calibrated(
    described: pa.Table, people: pa.Table, personas: pa.Table, stated: list[pa.Table], step: dict
) -> tuple[list[dict], list[dict], list[dict]]:
    """Return the rows of CALIBRATION, RELIABILITY and uses, of simulators that state probabilities.

    Stated probabilities are in two tables: of scenarios, and of personas.
    """
    scenarios = Scenarios.from_table(described)
    together = partial(dependence, clusters_of(described), may_answer_several(described))
    is_event = set(described["kind"].to_pylist()) == {"binary"}
    wanted = {key: step["calibration"][key] for key in ("bins", "rule", "closed")}
    level = 1.0 - step["test"]["alpha"]
    scores, bins, uses = [], [], []
    limit = limit_of(step["uses"], "probabilities")
    for simulator in step["simulators"]:
        said = (only(table, source=simulator) for table in stated)
        groups = groups_of(scenarios, people, personas, *said)
        if len(groups.scenario) == 0:
            continue
        generator = stream(step["seed"], step["dataset"], simulator, "calibration")
        of_kernel = partial(kernel_test, step["calibration"], generator)
        measures, diagrams, ends = measures_of(
            groups, scenarios, wanted, together, generator, is_event, of_kernel, level
        )
        if is_from_people(simulator):
            measures, diagrams = without_adaptive_bins(measures, diagrams, wanted["rule"])
        scores.append({"simulator": simulator, **measures})
        if ends is not None:
            uses.append(measured(simulator, USES["probabilities"].judged(ends, limit)))
        for value, diagram in diagrams.items():
            bins += [{"simulator": simulator, "value": value, **row} for row in rows_of(diagram)]
    if not scores:
        raise DataError(
            f"dataset {step['dataset']}, calibration: none of its simulators states probabilities "
            f"({', '.join(step['simulators'])}); take the key calibration away"
        )
    return scores, bins, uses


def dependence(clusters: np.ndarray, several: bool, answers: Answers) -> dict:
    """Return the arguments that tell the library which rows belong together."""
    samples = answers.scenario if several else None
    return {"clusters": clusters[answers.scenario], "samples": samples}


def measures_of(
    groups: Groups,
    scenarios: Scenarios,
    wanted: dict,
    together,
    generator,
    is_event: bool,
    of_kernel,
    level: float,
):
    """Return the scores of one simulator with the reasons for empty ones, and its diagrams.

    The diagram with key None is that of the event, the second of two options, or else of the most
    likely option. If all scenarios have the same options, each option has a diagram, too, by its
    code.
    """
    answers = answers_of(groups)
    confidence, right = top_label(**answers.rows)
    errors = {**answers.mass, **together(answers)}
    accuracy = cluster_errors(right, **errors)
    brier, log = brier_scores(**answers.rows), log_scores(**answers.rows)
    zero, likeliest = np.isinf(log), (confidence - 1.0, confidence)
    limits = {score: limits_of(by_option(score, answers.probability)) for score in OF_OPTIONS}
    reasons = []
    if np.isnan(accuracy.df):
        reasons.append(f"intervals: {FEW_CLUSTERS}")
    if zero.any():
        reasons.append("log_score_lower, log_score_upper: somebody chose an option stated as 0")
    scored = {
        "stated_for": groups.stated_for,
        "m": len(np.unique(groups.scenario)),
        "n_clusters": accuracy.n_clusters,
        "effective_clusters": accuracy.effective_clusters,
        "people": float(groups.sizes.sum()),
        **of_mean("brier", brier, errors, level, limits["brier"]),
        **(
            {"log_score": np.inf}
            if zero.any()
            else of_mean("log_score", log, errors, level, limits["log"])
        ),
        "stated_zero": float(cluster_errors(zero, **answers.mass).estimate[0]),
        **of_share("accuracy", accuracy, answers, level),
        **of_mean("overconfidence", confidence - right, errors, level, likeliest),
    }
    stated, came, ends = confidence, right, None
    if is_event:
        stated, came = answers.probability[:, EVENT], (answers.truth == EVENT).astype(float)
        scored |= of_mean("event_excess", stated - came, errors, level, (stated - 1.0, stated))
        scored["event_share"] = float(cluster_errors(came, **answers.mass).estimate[0])
        ends = probability_ends(stated, came, errors)
    top, diagrams = of_one_option(stated, came, wanted, errors, generator, reasons, level)
    options, option_diagrams = of_options(
        groups, scenarios, wanted, together, of_kernel, reasons, level
    )
    scored = {**scored, **top, **options}
    means = [name for name in MEANS if name in scored]
    same = [
        name for name in means if np.isfinite(scored[name]) and np.isnan(scored[f"{name}_lower"])
    ]
    if same and np.isfinite(accuracy.df):
        reasons.append(f"intervals of {', '.join(same)}: {NO_VARIATION}")
    scored = {
        name: None if isinstance(value, float) and np.isnan(value) else value
        for name, value in scored.items()
    }
    return {**scored, "reason": "; ".join(reasons)}, {**diagrams, **option_diagrams}, ends


def probability_ends(stated: np.ndarray, came: np.ndarray, errors: dict) -> Ends | None:
    """Return the interval of how far probabilities of events are from frequencies.

    None of too few events.
    """
    mass = errors["counts"] * errors["weights"]
    there = mass > 0.0
    how = {"clusters": errors["clusters"][there], "weights": mass[there]}
    try:
        return USES["probabilities"].ends(stated[there], came[there], **how)
    except TooFewError:
        return None


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


def of_mean(name: str, values: np.ndarray, errors: dict, level: float, limits: Limits) -> dict:
    """Return the mean of a score over people, with its interval for new clusters."""
    if few_differ(values, errors, limits):
        bar_of = partial(mean_error_bar, level=level)
        bar = bounded_error_bar(bar_of, values, errors["clusters"], limits)
    else:
        bar = weighted_mean_error_bar(values, **errors, level=level)
    lower = np.maximum(bar.lower, np.floor(np.min(limits[0])))  # of scores 0, of differences -1
    return {name: bar.estimate, f"{name}_lower": lower, f"{name}_upper": bar.upper}


def few_differ(values: np.ndarray, errors: dict, limits: Limits) -> bool:
    """Return whether rows are one person each, of whom too few differ to show how much varies."""
    clusters, single = errors["clusters"], (errors["counts"] * errors["weights"] == 1.0).all()
    return bool(single) and len(set(clusters)) > 1 and not enough_differ(values, clusters, limits)


def of_share(name: str, errors: ClusterErrors, answers: Answers, level: float) -> dict:
    """Return a share of people, with its interval for new clusters."""
    mass = answers.counts * answers.weights
    lower, upper = clustered_proportion_interval(
        errors.estimate,
        errors.se(),
        errors.df_at(level),
        errors.effective_clusters,
        errors.largest_share,
        mass.sum() ** 2 / (mass @ answers.weights),
        level,
    )
    ends = {f"{name}_lower": float(lower[0]), f"{name}_upper": float(upper[0])}
    return {name: float(errors.estimate[0]), **ends}


def of_one_option(
    confidence, right, wanted: dict, errors: dict, generator, reasons: list, level: float
):
    """Return the calibration errors of the event or most likely option, and its diagram."""
    mass = {name: errors[name] for name in ("counts", "weights")}
    edges = {
        rule: edges_by(confidence, wanted["bins"], rule, wanted["closed"], **mass)
        for rule in ("equal_width", ADAPTIVE)
    }
    by_rule = {
        rule: expected_calibration_error(
            reliability(confidence, right, edge, wanted["closed"], **mass)
        )
        for rule, edge in edges.items()
    }
    binned = {"edges": edges[wanted["rule"]], "closed": wanted["closed"], "level": level, **errors}
    diagram = reliability(confidence, right, **binned)
    bar = calibration_error_bar(confidence, right, generator=generator, **binned)
    if bar.reason:
        reasons.append(f"ece_if_calibrated: {bar.reason}")
    if bar.interval_reason == FEW_SURPRISES:
        reasons.append(f"ece_lower, ece_upper: {FEW_SURPRISES}")
    return {
        "ece": bar.estimate,
        "ece_lower": bar.lower,
        "ece_upper": bar.upper,
        "ece_if_calibrated": bar.if_calibrated,
        "ece_equal_width": by_rule["equal_width"],
        "ece_adaptive": by_rule[ADAPTIVE],
        "mce": maximum_calibration_error(diagram),
        "bins": len(diagram.people),
        "empty_bins": int(diagram.empty.sum()),
        "thin_bins": int(diagram.thin(THIN).sum()),
    }, {None: diagram}


def of_options(
    groups: Groups, scenarios: Scenarios, wanted, together, of_kernel, reasons: list, level: float
):
    """Return the scores of single options, and their diagrams if all scenarios have the same.

    Scenarios with the same options are taken together; with several such sets the result is the
    mean over people.
    """
    options = [tuple(scenarios.values[j]) for j in groups.scenario.tolist()]
    sets = Counter(dict(zip(groups.scenario.tolist(), options, strict=True)).values())
    if len(sets) > 1 and min(sets.values()) == 1:
        reasons.append("classwise_ece, parts of brier: some scenario has options of its own")
        reasons.append("skce: scenarios have different options")
        return {}, {}
    scores: dict[str, Any] = defaultdict(float)
    diagrams: dict = {}
    for option_set in sets:
        alike = groups.only(np.array([labels == option_set for labels in options]))
        answers, share = answers_of(alike), alike.sizes.sum() / groups.sizes.sum()
        errors: dict[str, Any] = {**answers.mass, **together(answers)}
        parts = brier_decomposition(**answers.rows, **wanted, **answers.mass)
        classes = classwise_reliability(**answers.rows, **wanted, **errors, level=level)
        scores["classwise_ece"] += share * classwise_calibration_error(classes)
        for name, part in parts._asdict().items():
            scores[f"brier_{name}"] += share * part
        diagrams = dict(zip(option_set, classes, strict=True))
    if len(sets) > 1:
        reasons.append("skce: scenarios have different options")
        return dict(scores), {}
    return {**scores, **of_kernel(answers, errors, reasons)}, diagrams


def kernel_test(chosen: dict, generator, answers: Answers, errors: dict, reasons: list) -> dict:
    """Return the squared kernel calibration error and its test, over clusters unless ``chosen``.

    Where each event stands alone, the exact test takes the place of that over clusters.

    Its time grows with the square of the rows. If there are many, a sample of people is drawn.
    """
    counts = answers.counts
    if len(counts) > MOST_TESTED:
        counts = generator.multivariate_hypergeometric(counts, min(MOST_TESTED, counts.sum()))
    there = counts > 0
    weights, clusters = errors["weights"][there], errors["clusters"][there]
    samples = None if errors["samples"] is None else errors["samples"][there]
    is_clustered = chosen["kernel_test"] == "clustered"
    if is_clustered and len(np.unique(clusters)) < 2:
        reasons.append("skce: one cluster tells nothing about others")
        return {}
    kernel = PredictionKernel(
        chosen["kernel"], chosen["kernel_distance"], float(chosen["kernel_scale"])
    )
    predictions = StatedProbabilities(
        answers.probability[there], answers.truth[there], kernel, counts=counts[there]
    )
    if is_clustered and len(np.unique(clusters)) == counts.sum():
        test = consistency_test(predictions, generator)
    elif is_clustered:
        test = clustered_test(predictions, clusters, generator, weights=weights, samples=samples)
    else:
        reasons.append("skce_p_value: asymptotic, as if all answers were independent")
        test = asymptotic_test(predictions, generator)
    if test.reason:
        reasons.append(f"skce_p_value: {test.reason}")
    tested = int(np.round(counts[there] @ weights))
    return {"skce": test.estimate, "skce_p_value": test.p_value, "skce_people": tested}


def rows_of(diagram) -> list[dict]:
    """Return a row for each bin; NaN where nobody is in it."""
    names = [name for name in RELIABILITY.names if name not in KEYS]
    columns = [getattr(diagram, name).tolist() for name in names]
    return [
        {"bin": i, **dict(zip(names, row, strict=True))}
        for i, row in enumerate(zip(*columns, strict=True))
    ]


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
