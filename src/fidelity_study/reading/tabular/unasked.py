"""Questions that people did not answer: left out, or separated to be predicted."""

from collections.abc import Container
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fidelity_study.errors import Note, Part, Place, refusal
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.remedies import PREDICTED
from fidelity_study.reading.tabular.scenarios import Described
from fidelity_study.reading.tabular.shown import shown


@dataclass(frozen=True)
class Parted:
    """A dataset's files, some of whose questions people did not answer.

    Attributes:
        unasked: the names of these questions, in the order of the simulators' files.
        people: people's answers.
        scenario_file: the information in the file of scenarios, if there is one.
        simulated: simulators' answers.
    """

    unasked: list[str]
    people: Answers
    scenario_file: Described | None
    simulated: list[Answers]

    @property
    def note(self) -> Note:
        """A note for the user."""
        what = f"to be predicted, as people did not answer: {shown(self.unasked)}"
        return Note("to-be-predicted", Place(), (what,))

    def asked(self) -> tuple[Answers, Described | None, list[Answers]]:
        """Return all without these questions."""
        return _only(self.people, self.unasked, among=False), *self._of(unasked=False)

    def new(self) -> tuple[Described | None, list[Answers]]:
        """Return the rows of these questions only, of the file of scenarios and of simulators."""
        return self._of(unasked=True)

    def _of(self, *, unasked: bool) -> tuple[Described | None, list[Answers]]:
        described = self.scenario_file
        if described is not None:
            kept = described.rows.index.isin(self.unasked) == unasked
            places = [described.place(at) for at in np.flatnonzero(kept).tolist()]
            described = replace(described, rows=described.rows[kept], places=places)
        return described, [
            _only(answers, self.unasked, among=unasked) for answers in self.simulated
        ]


def parted(people: Answers, scenario_file: Described | None, simulated: list[Answers]) -> Parted:
    """Find the questions that simulators answered and people did not.

    Raises:
        DataError: if there are none.
    """
    answered = set(people.rows["scenario"][people.rows["reason"] < 0])
    names = dict.fromkeys(
        name for answers in simulated for name in answers.rows["scenario"].unique()
    )
    unasked = [name for name in names if name not in answered]
    if not unasked:
        raise refusal(
            "no-new-questions",
            "people answered every question that simulators did, so there is none to "
            "predict; add simulators' answers to new ones, name a file of such under "
            "predict, questions, or take predict out",
            file=people.sheet.path,
        )
    return Parted(unasked, people, scenario_file, simulated)


def without_unanswered(
    people: Answers, described: Described | None, simulated: list[Answers]
) -> tuple[Answers, Described | None, list[Answers], list[Note]]:
    """Leave out the questions that nobody answered, and say so in a note.

    Those are questions of people's file whose answers are all missing, and questions that only the
    file of scenarios has.

    Raises:
        DataError: if people answered nothing.
    """
    answered = set(
        people.rows["scenario"][(people.rows["reason"] < 0) & (people.rows["number"] > 0)]
    )
    asked = [
        *people.rows["scenario"].unique(),
        *(described.rows.index if described is not None else ()),
    ]
    silent = [name for name in dict.fromkeys(asked) if name not in answered]
    if not silent:
        return people, described, simulated, []
    if not answered:
        raise people.sheet.fault("nobody-answered", "holds no answer of people; add the answers")
    kept = Parted(silent, people, described, simulated).asked()
    stated = {name for answers in simulated for name in answers.rows["scenario"].unique()}
    new = [name for name in silent if name in stated]
    ways: tuple[Part, ...] = ()
    if new:
        ways = (f"; simulators answered {shown(new)}: to have them predicted, put ", PREDICTED)
    note = people.sheet.note(
        "nobody-answered", f"left out, as nobody answers: {shown(silent)}", *ways
    )
    return *kept, [note]


def without_spare(answers: Answers, names: Container[str]) -> tuple[Answers, list[Note]]:
    """Leave out forecasts of questions that are not among ``names``, where the file has some."""
    there = answers.rows["scenario"].unique() if answers.sheet.spare else []
    spare = [name for name in there if name not in names]
    if not spare or len(spare) == len(there):
        return answers, []
    what = f"left out, as people's file lacks them: forecasts of {len(spare)} questions"
    note = answers.sheet.note("nobody-answered", what)
    return _only(answers, spare, among=False), [note]


def without(answers: Answers, names: Container[str]) -> Answers:
    """Return answers to other questions than these, unless nothing would be left."""
    there = answers.rows["scenario"].unique()
    left = [name for name in there if name in names]
    return _only(answers, left, among=False) if 0 < len(left) < len(there) else answers


def _only(answers: Answers, names: list[str], *, among: bool) -> Answers:
    def part(rows: pd.DataFrame) -> pd.DataFrame:
        rows = rows[rows["scenario"].isin(names) == among]
        if isinstance(rows["scenario"].dtype, pd.CategoricalDtype):
            rows = rows.assign(scenario=rows["scenario"].cat.remove_unused_categories())
        return rows

    return answers.with_tables(part, "given")
