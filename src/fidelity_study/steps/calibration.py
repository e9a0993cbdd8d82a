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

from collections.abc import Iterator

import pyarrow as pa

from fidelity.calibration import Forecasts, PredictionKernel, Reliability
from fidelity.calibration.forecasts import ADAPTIVE
from fidelity.calibration.scores import BrierDecomposition
from fidelity.stream import stream
from fidelity.structure import if_enough
from fidelity.uses import USES
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import (
    Scenarios,
    clusters_of,
    human,
    intervals,
    may_answer_several,
    only,
    row_of,
)
from fidelity_study.steps.draws import is_from_people
from fidelity_study.steps.events import groups_of
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

OF_BINS = (
    *("ece", "ece_lower", "ece_upper", "ece_if_calibrated", "mce", "bins", "empty_bins"),
    *("thin_bins", "classwise_ece", "brier_reliability", "brier_resolution", "brier_uncertainty"),
    *("brier_within_variance", "brier_within_covariance"),
)
KERNEL = ("kernel", "kernel_distance", "kernel_scale")
LEFT_OUT = (
    "it learns from the answers to all other scenarios, so that its smallest statements are those "
    "where people's shares are largest, and bins with equally many people would part by these"
)


def calibrated(
    described: pa.Table, people: pa.Table, personas: pa.Table, stated: list[pa.Table], step: dict
) -> tuple[list[dict], list[dict], list[dict]]:
    """Return the rows of CALIBRATION, RELIABILITY and uses, of simulators that state probabilities.

    Stated probabilities are in two tables: of scenarios, and of personas.
    """
    scenarios, chosen = Scenarios.from_table(described), step["calibration"]
    how = {key: chosen[key] for key in ("bins", "rule", "closed")}
    how |= {
        "kernel": PredictionKernel(*(chosen[name] for name in KERNEL)),
        "clustered": chosen["kernel_test"] == "clustered",
        "level": 1.0 - step["test"]["alpha"],
        "several": may_answer_several(described),
        "is_event": set(described["kind"].to_pylist()) == {"binary"},
    }
    options, clusters = list(map(tuple, scenarios.values)), clusters_of(described)
    scores, bins, uses = [], [], []
    limit = limit_of(step["uses"], "probabilities")
    for simulator in step["simulators"]:
        said = (only(table, source=simulator) for table in stated)
        groups = groups_of(scenarios, people, personas, *said)
        if len(groups.scenario) == 0:
            continue
        generator = stream(step["seed"], step["dataset"], simulator, "calibration")
        forecasts = Forecasts(groups, options, clusters, generator=generator, **how)
        measures, diagrams = forecasts.measures(), forecasts.diagrams
        if is_from_people(simulator):
            measures, diagrams = without_adaptive_bins(measures, diagrams, chosen["rule"])
        about = {"simulator": simulator, "stated_for": groups.stated_for}
        scores.append(row_of(CALIBRATION, **about, **measures))
        for value, diagram in diagrams.items():
            bins += [{"simulator": simulator, "value": value, **row} for row in rows_of(diagram)]
        if forecasts.is_event:
            choices = forecasts.choices
            mass = {"clusters": choices.clusters, "weights": choices.counts * choices.weights}
            ends = if_enough(USES["probabilities"].ends, *forecasts.events, **mass)
            if ends is not None:
                uses.append(measured(simulator, USES["probabilities"].judged(ends, limit)))
    if not scores:
        raise DataError(
            f"dataset {step['dataset']}, calibration: none of its simulators states probabilities "
            f"({', '.join(step['simulators'])}); take the key calibration away"
        )
    return scores, bins, uses


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
