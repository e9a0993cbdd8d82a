"""Seven experiments in which people and their digital twins saw the same condition.

A table a study has all answers of both; people's survey exports tell who was in which condition.
"""

from pathlib import Path

import pandas as pd

from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.answers import check_known
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.tables.ingest import BETWEEN, HUMAN

TWIN, PERSON, CONTROL = "twin", "TWIN_ID", "control"
DECIMALS, ALL = 9, ""
TASKS = ((2, "s"), (3, "absurd"))
STUDIES: dict[str, dict[str, str]] = {  # outcome (or all): the column of its conditions
    "accuracy_nudges": {ALL: "Condition"},
    "affective_priming": {ALL: "cond"},
    "default_eric": {
        "target_behavior_green": "OPTIN_Green",
        "target_behavior_organ": "OPTIN_Organ",
    },
    "digital_certification": {ALL: "item"},
    "obedient_twins": {
        f"task {task} - S{i}": f"{name}_{i}" for task, name in TASKS for i in (1, 2, 3)
    },
    "privacy": {ALL: "Group"},
    "targeting_fairness": {ALL: "target"},
}
CONTROLS = {"Condition": "1", "item": "0", "Group": "NANT", "target": "broad"}
CONTROLS |= {"absurd_1": "A", "absurd_2": "A", "absurd_3": "A"}


def answers_of(answers: str, people: str) -> pd.DataFrame:
    """Return who answered which outcome of a study in which condition, a row each."""
    study = Path(answers).parent.name
    columns = STUDIES[study]
    rows = pd.read_csv(answers).rename(columns={"variable_name": "outcome"})
    rows["factor"] = rows["outcome"].map(lambda name: columns.get(name, columns.get(ALL)))
    who = pd.read_csv(people, dtype=str)
    who[PERSON] = pd.to_numeric(who[PERSON], errors="coerce")
    who = who.dropna(subset=PERSON).drop_duplicates(PERSON).set_index(PERSON)
    arms = who[sorted({*columns.values()})]
    if study == "default_eric":  # choices of those who had to opt in; all others are blank
        arms = arms.where(arms.isna(), CONTROL).fillna("opt-out")
    for name in CONTROLS.keys() & {*arms}:
        arms = arms.replace({name: {CONTROLS[name]: CONTROL}})
    long = arms.melt(ignore_index=False, var_name="factor", value_name="arm")
    rows = rows.merge(long.reset_index(), on=[PERSON, "factor"])
    return rows.dropna(subset=["value", "arm"]).assign(study=study)


def responses(step, files):
    if step["outcome"]["kind"] != "bounded":
        raise DataError(f"dataset {step['dataset']}, outcome: the kind is bounded here")
    check_known(step, [TWIN])
    pairs = zip(sorted(files.answers), sorted(files.people), strict=True)
    rows = pd.concat([answers_of(*pair) for pair in pairs], ignore_index=True)
    ends = rows.groupby("outcome")["value"].agg(["min", "max"]).loc[rows["outcome"]].to_numpy().T
    rows["value"] = ((rows["value"] - ends[0]) / (ends[1] - ends[0])).round(DECIMALS)
    rows["scenario"] = rows["outcome"] + BETWEEN + rows["arm"]
    rows["source"] = rows["respondent_type"].map({"human": HUMAN, TWIN: TWIN})
    rows["respondent"] = pd.factorize(rows[PERSON])[0]
    scenarios = rows.groupby("scenario").agg(
        study=("study", "first"),
        question=("outcome", "first"),
        arm=("arm", "first"),
        value=("value", lambda values: sorted({*values})),
    )
    scenarios = scenarios.reset_index().assign(
        cluster=lambda table: table[step["cluster"]],
        description=lambda table: table["study"] + ": " + table["scenario"],
        option=lambda table: table["value"].map(lambda values: [f"{x:g}" for x in values]),
        lower=0.0,
        upper=1.0,
        respondents_repeat=True,
    )
    by = dict(list(rows.groupby("source")))
    given = ["scenario", "respondent", "value"]
    return Responses(
        origin="Twin-2K-500 experiments",
        outcomes=rows.value_counts(["scenario", "source", "value"], sort=False).reset_index(),
        scenarios=scenarios,
        by_respondent=by[HUMAN][given],
        runs=by[TWIN][["source", *given]].assign(run=by[TWIN]["respondent"]),
    )
