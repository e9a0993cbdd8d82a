"""Whether what simulators state comes true: scores, calibration errors and reliability diagrams."""

import numpy as np

from fidelity import calibration as measures
from fidelity.kernel_calibration import PredictionKernel, StatedProbabilities, asymptotic_test
from fidelity.stream import stream
from fidelity_study import tables
from fidelity_study.arrays import Scenarios, among, human
from fidelity_study.errors import DataError
from fidelity_study.events import Events, Groups, answers_of, events_of, groups_of
from fidelity_study.script import run

THIN = 30
KEYS = ("simulator", "value", "bin")
KERNEL = PredictionKernel("exponential", "tv")
MOST_TESTED = 4000
RESAMPLES, FEWEST_RESAMPLES, MOST_DRAWN = 1000, 20, 20_000_000


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    scenarios = Scenarios.from_table(tables.read(files.scenarios, tables.SCENARIOS))
    people = human(tables.read_all(files.outcomes, tables.OUTCOMES))
    personas = tables.read(files.personas, tables.PERSONAS)
    stated = tables.read_all(files.stated, tables.STATED)
    by_persona = tables.read_all(files.stated_by_persona, tables.STATED_BY_PERSONA)
    scores, bins = [], []
    for simulator in step["simulators"]:
        said, of_each = (
            table.filter(among(table["source"], [simulator])) for table in (stated, by_persona)
        )
        groups = groups_of(scenarios, people, personas, said, of_each)
        if len(groups.scenario) == 0:
            continue
        generator = stream(step["seed"], step["dataset"], simulator, "calibration")
        wanted = {key: step["calibration"][key] for key in ("bins", "rule", "closed")}
        found, diagrams = measured(groups, scenarios, wanted, generator)
        scores.append({"simulator": simulator, **found})
        for value, diagram in diagrams.items():
            bins += [{"simulator": simulator, "value": value, **row} for row in rows_of(diagram)]
    if not scores:
        raise DataError(
            f"dataset {step['dataset']}, calibration: none of its simulators states probabilities "
            f"({', '.join(step['simulators'])}); take the key calibration away"
        )
    for name, rows, schema in (
        ("scores", scores, tables.CALIBRATION),
        ("reliability", bins, tables.RELIABILITY),
    ):
        tables.write_rows(snakemake.output[name], rows, schema, step)
    tables.write_csv(snakemake.output.csv, scores, tables.CALIBRATION.names)


def measured(groups: Groups, scenarios: Scenarios, wanted: dict, generator) -> tuple[dict, dict]:
    """Return the scores of one simulator, and its reliability diagrams.

    The diagram of None takes every option as an event; if all scenarios have the same options, and
    more than two, each has one of its own, by its code.
    """
    events, closed = events_of(groups), wanted["closed"]
    edges = edges_of(events, wanted)
    diagram = measures.reliability(events.confidence, events.outcome, edges, closed, **events.mass)
    found = {
        "stated_for": groups.stated_for,
        "m": len(np.unique(groups.scenario)),
        "people": float(groups.sizes.sum()),
        "brier": brier_score(groups),
        **of_events(events, diagram, edges, closed, generator),
    }
    diagrams = {None: diagram}
    options = {tuple(scenarios.values[j]) for j in np.unique(groups.scenario)}
    if len(options) == 1:
        rows = answers_of(groups)
        each = measures.classwise_reliability(**rows, **wanted)
        found["classwise_ece"] = measures.classwise_calibration_error(each)
        found |= kernel_test(rows, generator)
        if len(each) > 2:
            diagrams |= dict(zip(*options, each, strict=True))
    return found, diagrams


def edges_of(events: Events, wanted: dict) -> np.ndarray:
    """Return the edges of the bins as the config wants them."""
    if wanted["rule"] == "equal_width":
        return measures.equal_width_edges(wanted["bins"])
    return measures.equal_mass_edges(
        events.confidence, wanted["bins"], wanted["closed"], **events.mass
    )


def brier_score(groups: Groups) -> float:
    """Return the mean over people of the squared distance of what is stated from the answer."""
    parts = groups.of_options()
    mass = np.array([part.sizes.sum() for part in parts])
    return float(mass @ [measures.brier_score(**answers_of(part)) for part in parts] / mass.sum())


def kernel_test(rows: dict, generator: np.random.Generator) -> dict:
    """Return the squared kernel calibration error and its test; nothing where people are weighted.

    Its time grows with the square of the rows: of many, so many people are drawn.
    """
    if not (rows["weights"] == 1).all():
        return {}
    counts = rows["counts"]
    if len(counts) > MOST_TESTED:
        counts = generator.multivariate_hypergeometric(counts, min(MOST_TESTED, counts.sum()))
    there = counts > 0
    predictions = StatedProbabilities(
        rows["probability"][there], rows["truth"][there], KERNEL, counts=counts[there]
    )
    test = asymptotic_test(predictions, generator)
    return {"skce": test.estimate, "skce_p_value": test.p_value, "skce_people": int(counts.sum())}


def of_events(events: Events, diagram, edges, closed: str, generator) -> dict:
    """Return the calibration errors; resampled are whole scenarios."""
    binned = {"edges": edges, "closed": closed, **events.mass}
    lower, upper = measures.calibration_error_interval(
        events.confidence, events.outcome, generator=generator, clusters=events.scenario, **binned
    )
    many = min(RESAMPLES, max(FEWEST_RESAMPLES, MOST_DRAWN // len(events.confidence)))
    calibrated = measures.calibrated_error_replicates(
        events.confidence, generator=generator, resamples=many, **binned
    )
    return {
        "ece": measures.expected_calibration_error(diagram),
        "ece_lower": lower,
        "ece_upper": upper,
        "ece_if_calibrated": float(calibrated.mean()),
        "mce": measures.maximum_calibration_error(diagram),
        "bins": len(diagram.people),
        "empty_bins": int(diagram.empty.sum()),
        "thin_bins": int(diagram.thin(THIN).sum()),
    }


def rows_of(diagram) -> list[dict]:
    """Return a row for each bin; NaN where nobody is in it."""
    names = [name for name in tables.RELIABILITY.names if name not in KEYS]
    columns = [getattr(diagram, name).tolist() for name in names]
    return [
        {"bin": i, **dict(zip(names, row, strict=True))}
        for i, row in enumerate(zip(*columns, strict=True))
    ]


run(main, snakemake)
