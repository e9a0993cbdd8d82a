"""How people and a model like their coffee."""

import pandas as pd

from fidelity_study.reading.ingest.responses import Responses

OPTIONS = {1.0: "black", 2.0: "with milk"}


def responses(step, files):
    outcomes = pd.read_csv(files.answers)
    scenarios = outcomes[["scenario"]].drop_duplicates(ignore_index=True)
    return Responses(
        origin=files.answers,
        outcomes=outcomes,
        scenarios=scenarios.assign(
            cluster=scenarios["scenario"],
            description="Coffee in the " + scenarios["scenario"],
            value=[list(OPTIONS)] * len(scenarios),
            option=[list(OPTIONS.values())] * len(scenarios),
        ),
    )
