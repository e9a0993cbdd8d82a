"""The params of a tabular ingest step, and its answers as plain dicts, for tests."""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from fidelity_study.app.start.faults import understood
from fidelity_study.app.start.look import INGEST
from fidelity_study.app.start.request import Request
from fidelity_study.config.params import step as study_step
from fidelity_study.config.read import study_of
from fidelity_study.reading.ingest.save import completed
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.tables.ingest import FACTS, OUTCOMES, RESPONDENTS, RUNS, SCENARIOS, STATED

COMMON = {
    "seed": 1,
    "dataset": "town",
    "outcome": {"kind": "categorical"},
    "cluster": "none",
    "clustered": False,
    "simulators": ["model"],
    "draws": 20,
    "weighting_effect": None,
    "by_respondent": False,
}


def step(**settings) -> dict:
    """Return the params of the ingest step; what is not common to all datasets is its own."""
    own = {key: value for key, value in settings.items() if key not in COMMON}
    return {**COMMON, **{key: settings[key] for key in COMMON if key in settings}, "options": own}


def folder_step(room: str, kind: str, cluster: str, simulators, **changes) -> dict:
    """Return the params of the ingest step of a dataset's folder, clustered and with defaults."""
    known = {"dataset": room, "outcome": {"kind": kind}, "cluster": cluster, "clustered": True}
    own = {"ingest": room, "simulators": [*simulators], "options": {}}
    return {**COMMON, **known, **own, **changes}


def read(**settings):
    """Return the responses that the settings lead to."""
    return responses(step(**settings))


def what_is_read(config="s.yaml"):
    """Return the responses of the only dataset of a config that ``start`` wrote."""
    study = study_of(Path(config))
    (name,) = study.datasets
    return responses(study_step(study, INGEST, name))


def looked(human, *simulated, **options):
    """Return what ``start`` understands of files, and what it says."""
    told = []
    asked = Request.of(human, simulated, options=options)
    return understood(asked, told.extend), "\n".join(told)


def tables_of(found, kind: str) -> dict[str, pa.Table]:
    """Return the tables that the ingest step writes of responses, of outcomes of a kind."""
    frames = {
        "scenarios": (completed(found.scenarios, found.outcomes, kind), SCENARIOS),
        "outcomes": (found.outcomes, OUTCOMES),
        "stated": (found.stated, STATED),
        "respondents": (found.by_respondent, RESPONDENTS),
        "runs": (found.runs, RUNS),
        "facts": (found.facts, FACTS),
    }
    return {
        name: pa.Table.from_pandas(
            frame.assign(**dict.fromkeys({*schema.names} - {*frame}))[schema.names],
            schema,
            preserve_index=False,
        )
        for name, (frame, schema) in frames.items()
    }


def by(frame: pd.DataFrame, number: str) -> dict:
    """Return a table's column of numbers by its keys, as tuples."""
    keys = [name for name in frame.columns if name not in (number, "statements")]
    return {tuple(row[:-1]): row[-1] for row in frame[[*keys, number]].itertuples(index=False)}


def answers(found, source: str) -> dict:
    """Return {scenario: {option: count}} of one source."""
    options = {
        row.scenario: dict(zip(row.value, row.option, strict=True))
        for row in found.scenarios.itertuples()
    }
    counts: dict = {}
    for row in found.outcomes[found.outcomes["source"] == source].itertuples():
        counts.setdefault(row.scenario, {})[options[row.scenario][row.value]] = float(
            row._asdict()["count"]
        )
    return counts
