"""Whether what simulators state comes true: scores, calibration errors and reliability diagrams."""

import numpy as np

from fidelity import calibration
from fidelity.kernel_calibration import PredictionKernel, StatedProbabilities, asymptotic_test
from fidelity.stream import stream
from fidelity_study import tables
from fidelity_study.arrays import Scenarios, among, human
from fidelity_study.events import Events, answers_of, events_of
from fidelity_study.script import run

THIN = 30
KERNEL = PredictionKernel("exponential", "tv")


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    scenarios = Scenarios.from_table(tables.read(files.scenarios, tables.SCENARIOS))
    outcomes = tables.read_all(files.outcomes, tables.OUTCOMES)
    stated = tables.read_all(files.stated, tables.STATED)
    people = scenarios.counts(human(outcomes), "count")
    scores, bins = [], []
    for simulator in step["simulators"]:
        own = stated.filter(among(stated["source"], [simulator]))
        vectors = scenarios.counts(own, "probability")
        there = [j for j, vector in enumerate(vectors) if vector.any()]
        if not there:
            continue
        answered, said = [people[j] for j in there], [vectors[j] for j in there]
        events = events_of(answered, said)
        edges = edges_of(events, step["calibration"])
        diagram = calibration.reliability(
            events.confidence, events.outcome, edges, step["calibration"]["closed"], **events.mass
        )
        generator = stream(step["seed"], step["dataset"], simulator, "calibration")
        row = {"simulator": simulator, "m": len(there), "people": sum(map(np.sum, answered))}
        row |= of_answers(answered, said, step["calibration"], generator)
        row |= of_events(events, diagram, edges, step["calibration"]["closed"], generator)
        scores.append(row)
        bins += bin_rows(simulator, diagram)
    for name, rows, schema in (
        ("scores", scores, tables.CALIBRATION),
        ("reliability", bins, tables.RELIABILITY),
    ):
        tables.write_rows(snakemake.output[name], rows, schema, step)
    tables.write_csv(snakemake.output.csv, scores, tables.CALIBRATION.names)


def edges_of(events: Events, wanted: dict) -> np.ndarray:
    """Return the edges of the bins as the config wants them."""
    if wanted["rule"] == "equal_width":
        return calibration.equal_width_edges(wanted["bins"])
    return calibration.equal_mass_edges(
        events.confidence, wanted["bins"], wanted["closed"], **events.mass
    )


def of_answers(people: list, stated: list, wanted: dict, generator) -> dict:
    """Return the scores of whole stated vectors; all but Brier's need one number of options."""
    parts = [answers_of([each], [vector]) for each, vector in zip(people, stated, strict=True)]
    mass = np.array([each.sum() for each in people])
    brier = np.array([calibration.brier_score(**part) for part in parts])
    found = {"brier": float(mass @ brier / mass.sum())}
    if len({len(each) for each in people}) == 1:
        rows = answers_of(people, stated)
        diagrams = calibration.classwise_reliability(**rows, **wanted)
        found["classwise_ece"] = calibration.classwise_calibration_error(diagrams)
        if (rows["weights"] == 1).all():
            predictions = StatedProbabilities(
                rows["probability"], rows["truth"], KERNEL, counts=rows["counts"]
            )
            test = asymptotic_test(predictions, generator)
            found |= {"skce": test.estimate, "skce_p_value": test.p_value}
    return found


def of_events(events: Events, diagram, edges, closed: str, generator) -> dict:
    """Return the calibration errors; resampled are whole scenarios."""
    binned = {"edges": edges, "closed": closed, **events.mass}
    lower, upper = calibration.calibration_error_interval(
        events.confidence, events.outcome, generator=generator, clusters=events.scenario, **binned
    )
    calibrated = calibration.calibrated_error_replicates(
        events.confidence, generator=generator, **binned
    )
    return {
        "ece": calibration.expected_calibration_error(diagram),
        "ece_lower": lower,
        "ece_upper": upper,
        "ece_if_calibrated": float(calibrated.mean()),
        "mce": calibration.maximum_calibration_error(diagram),
        "bins": len(diagram.people),
        "empty_bins": int(diagram.empty.sum()),
        "thin_bins": int(diagram.thin(THIN).sum()),
    }


def bin_rows(simulator: str, diagram) -> list[dict]:
    """Return a row for each bin; NaN where nobody is in it."""
    names = [name for name in tables.RELIABILITY.names if name not in ("simulator", "bin")]
    columns = [getattr(diagram, name).tolist() for name in names]
    return [
        {"simulator": simulator, "bin": i, **dict(zip(names, row, strict=True))}
        for i, row in enumerate(zip(*columns, strict=True))
    ]


run(main, snakemake)
