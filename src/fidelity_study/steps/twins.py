"""What simulators' twins know of their persons, beyond the twins of others."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from fidelity.structure import twin_agreement
from fidelity.structure.twins import HITS, MEASURES
from fidelity_study.reading.settings import questions_of
from fidelity_study.steps.arrays import codes, numbers, only
from fidelity_study.steps.mean_discrepancy import or_none
from fidelity_study.steps.structure import (
    Columns,
    People,
    Structure,
    ends_of,
    intervals,
    write_from_persons_and_runs,
)
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import BETWEEN

TWINS = pa.schema(
    [
        *columns(LABEL, "simulator", "measure"),
        *columns(pa.int32(), "persons", "questions", "groups"),
        *columns(pa.float64(), "own", "others"),
        *intervals("excess"),
        ("p_value", pa.float64()),
        *intervals("most_frequent", "correlation"),
        ("few_hits", pa.bool_()),
    ]
)
TWINS_BY = pa.schema(
    [
        *columns(LABEL, "simulator", "of", "name"),
        ("answers", pa.int32()),
        ("excess", pa.float64()),
    ]
)
QUESTION, GROUP, PERSON = "question", "group", "person"
WORST, MOST_CELLS = 20, 100_000_000


def twin_tables(
    scenarios: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of both tables; none where no run has the name of a person."""
    rows, by_rows = list[dict](), list[dict]()
    runs = runs.filter(runs["respondent"].is_valid())
    if len(respondents) and len(runs):
        names = scenarios["scenario"].to_pylist()
        asked, place = Columns.of(scenarios, step), codes(respondents["scenario"], names)
        people = Structure(asked, People.of(respondents, asked, place), step)
        groups = _groups(respondents, names, place, people, step)
        for name in dict.fromkeys(runs["source"].to_pylist()):
            answered = only(runs, source=name)
            twins, are_twins = people.of(answered, codes(answered["scenario"], names))
            if are_twins:
                made, made_by = _agreement(name, people, twins.values, groups)
                rows += made
                by_rows += made_by
    return {"twins": (rows, TWINS), "twins_by": (by_rows, TWINS_BY)}


def _groups(
    respondents: pa.Table, names: list[str], place: np.ndarray, people: Structure, step: dict
) -> np.ndarray:
    """Return the group that each person's questions were put to, (n,); one for all without any."""
    groups = np.zeros(people.people.table.size, object)
    if step["groups"]:
        questions = questions_of(names, step["groups"])
        labels = np.array(
            [name[len(question) :] for name, question in zip(names, questions, strict=True)], object
        )
        person = people.people.place[numbers(respondents["respondent"]).astype(int)]
        groups[person[person >= 0]] = labels[place[person >= 0]]
    return groups.astype(str)


def _agreement(
    name: str, people: Structure, twins: np.ndarray, groups: np.ndarray
) -> tuple[list[dict], list[dict]]:
    """Return a simulator's rows of both tables; none where answers have too many values."""
    answers = people.people.table.values
    there = ~np.isnan(answers) & ~np.isnan(twins)
    together = np.concatenate([answers[there], twins[there]])
    if len(np.unique(together)) * answers.size > MOST_CELLS:
        return [], []
    rows: list[dict] = []
    by_rows: list[dict] = []
    for measure in MEASURES:
        try:
            agreement = twin_agreement(
                answers,
                twins,
                generator=people.generator("twins", name, measure),
                strata=groups,
                measure=measure,
                level=people.level,
            )
        except ValueError:  # no group has two persons with answers on both sides
            return [], []
        rows.append(
            {
                "simulator": name,
                "measure": measure,
                "persons": int(there.any(1).sum()),
                "questions": int(there.any(0).sum()),
                "groups": len(np.unique(groups[there.any(1)])),
                "own": or_none(agreement.own),
                "others": or_none(agreement.others),
                **ends_of("excess", agreement.excess),
                "p_value": agreement.p_value,
                **ends_of("most_frequent", agreement.most_frequent),
                **ends_of("correlation", agreement.correlation),
                "few_hits": agreement.few_hits,
            }
        )
        if measure == HITS:
            by = zip(people.asked.names, there.sum(0), agreement.by_question, strict=True)
            by_rows += [_row(name, QUESTION, *cells) for cells in by]
            by_rows += _by_person(name, agreement.by_person, there.sum(1), groups, people)
    return rows, by_rows


def _by_person(
    name: str, excess: np.ndarray, answers: np.ndarray, groups: np.ndarray, people: Structure
) -> Iterator[dict]:
    """Yield the rows of each group, where there are several, and of the worst persons."""
    labels = np.unique(groups)
    for label in labels if len(labels) > 1 else ():
        here = (groups == label) & (answers > 0)
        if here.any():
            mean = float(np.average(excess[here], weights=answers[here]))
            yield _row(name, GROUP, label.removeprefix(BETWEEN), answers[here].sum(), mean)
    number = np.flatnonzero(people.people.place >= 0)
    for at in np.argsort(np.where(answers > 0, excess, np.inf), kind="stable")[:WORST]:
        if answers[at]:
            yield _row(name, PERSON, str(number[at]), answers[at], excess[at])


def _row(simulator: str, of_what: str, name: str, answers: int, excess: float) -> dict:
    about = {"simulator": simulator, "of": of_what, "name": name}
    return {**about, "answers": int(answers), "excess": or_none(float(excess))}


def main(snakemake):
    """Compare twins with their persons, where simulators' runs have names of persons."""
    write_from_persons_and_runs(snakemake, twin_tables)
