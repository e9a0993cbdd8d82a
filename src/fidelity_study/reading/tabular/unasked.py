"""Questions that simulators answered and people did not, separated from the questions asked."""

from dataclasses import dataclass, replace

from fidelity_study.errors import Note, Place, refusal
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.scenarios import Described
from fidelity_study.reading.tabular.shown import shown


@dataclass(frozen=True)
class Parted:
    """A dataset's files, some of whose questions people did not answer.

    Attributes:
        unasked: the names of these questions, in the order of the simulators' files.
        people: people's answers.
        own: the information in the file of scenarios, if there is one.
        simulated: simulators' answers.
    """

    unasked: list[str]
    people: Answers
    own: Described | None
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
        own = self.own
        if own is not None:
            own = replace(own, rows=own.rows[own.rows.index.isin(self.unasked) == unasked])
        return own, [_only(each, self.unasked, among=unasked) for each in self.simulated]


def parted(people: Answers, own: Described | None, simulated: list[Answers]) -> Parted:
    """Find the questions that simulators answered and people did not.

    Raises:
        DataError: if there are none.
    """
    answered = set(people.rows["scenario"][people.rows["reason"] < 0])
    names = dict.fromkeys(name for each in simulated for name in each.rows["scenario"].unique())
    unasked = [name for name in names if name not in answered]
    if not unasked:
        raise refusal(
            "no-new-questions",
            "people answered every question that simulators did, so there is none to "
            "predict; add simulators' answers to new ones, name a file of such under "
            "predict, questions, or take predict out",
            file=people.sheet.path,
        )
    return Parted(unasked, people, own, simulated)


def _only(each: Answers, names: list[str], *, among: bool) -> Answers:
    rows = each.rows[each.rows["scenario"].isin(names) == among]
    rows = rows.assign(scenario=rows["scenario"].cat.remove_unused_categories())
    given = each.given
    if given is not None:
        given = given[given["scenario"].isin(names) == among]
    return replace(each, rows=rows, given=given)
