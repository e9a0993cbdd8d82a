"""A synthetic population whose truth is known: the whole curve can be compared with it."""

from dataclasses import replace

import numpy as np
import pandas as pd
from synthetic.populations import Population, population_named

from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.answers import check_known, long_rows, survey_responses
from fidelity_study.reading.ingest.responses import drawn_answers

PEOPLE = 1_000_000
SCENARIOS = 200


def responses(step, files):
    name = step["options"]["population"]
    scenarios = drawn_scenarios(step, name, step["options"].get("scenarios", SCENARIOS))
    first = scenarios[0]
    check_known(step, first.simulators)
    if step["outcome"]["kind"] != first.kind:
        raise DataError(
            f"dataset {step['dataset']}, outcome: the population {name} is {first.kind}, "
            f"not {step['outcome']['kind']}"
        )
    number = np.arange(1, len(scenarios) + 1).astype(str)
    table = pd.DataFrame({"scenario": "s" + pd.Series(number)})
    table["description"] = f"Scenario {name} " + table["scenario"]
    if first.scores is not None:
        table["score"] = [first.scores.tolist()] * len(table)
    if first.limits is not None:
        table["lower"], table["upper"] = first.limits
    people = np.concatenate([scenario.p for scenario in scenarios])
    options = options_of(first)
    answered = survey_responses(
        step,
        table.assign(people=table["scenario"]),
        np.rint(people * PEOPLE),
        options,
        origin=f"population {name}",
    )
    known = [
        long_rows(
            table["scenario"],
            list(options),
            np.concatenate([scenario.simulators[simulator] for scenario in scenarios]),
            simulator,
            "probability",
        )
        for simulator in step["simulators"]
        if simulator in first.simulators
    ]
    stated = pd.concat(known, ignore_index=True)
    outcomes = pd.concat([answered.outcomes, drawn_answers(step, stated)], ignore_index=True)
    return replace(answered, outcomes=outcomes, stated=stated)


def drawn_scenarios(step: dict, name: str, m: int) -> list[Population]:
    """Draw each scenario from a stream of its own, so that more of them change none."""
    draw = population_named(name).draw
    key = step["seed"], step["dataset"], "population", name
    return [draw(stream(*key, j), m=1) for j in range(m)]


def options_of(population: Population) -> dict[float, str]:
    """Return code and text of each option: of ``bounded`` outcomes the value, else a number."""
    if population.kind == "bounded":
        return {float(value): f"{value:g}" for value in population.scores}
    first = 0 if population.kind == "binary" else 1
    codes = range(first, first + population.p.shape[1])
    return {float(code): f"option {code}" for code in codes}
