"""A simulator in several files: its answers count together where no answer may be in two."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from fidelity_study.errors import File, Note, Remedy
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.coded import coded
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.matched import in_numbers
from fidelity_study.reading.tabular.question_names import as_people_call
from fidelity_study.reading.tabular.questions import is_setting, names_persons
from fidelity_study.reading.tabular.remedies import ignoring
from fidelity_study.reading.tabular.spreadsheet import stem
from fidelity_study.reading.tabular.words import RUNS


def called_alike(people: Answers, simulated: Iterable[Answers], layout: Layout) -> list[Answers]:
    """Return simulators' answers with questions, numbers and simulators called as in the study.

    A number that several files call a simulator is no name of one: each stands behind its file's.
    What is said of a question's texts holds for those who call it otherwise, too. A file with
    answers only to columns of people's file that are not compared is left out, if another has more.
    """
    parts = [
        in_numbers(people, coded(as_people_call(people, part), layout, part.questions))
        for part in simulated
    ]
    aside = {*people.sheet.columns}.difference(people.questions)
    left, kept = list[Answers](), list[Answers]()
    for part in parts:
        (left if part.questions and aside.issuperset(part.questions) else kept).append(part)
    if kept and left:
        what = "left out, as none of its questions is compared"
        said, notes = kept[0].said, (part.sheet.note("none-compared", what) for part in left)
        parts = [replace(kept[0], said=replace(said, notes=(*said.notes, *notes))), *kept[1:]]
    several = Counter(chain.from_iterable({*part.rows["source"].unique()} for part in parts))
    twice = {name for name, files in several.items() if files > 1 and as_number(name) is not None}
    return [
        part.of_names({name: f"{stem(part.sheet.path)} {name}" for name in several})
        if twice & {*part.rows["source"].unique()}
        else part
        for part in parts
    ]


def notes_of_several(simulated: Iterable[Answers], layout: Layout) -> Iterator[Note]:
    """Yield a note on each simulator that answers a question in two files.

    Raises:
        DataError: if these may be the same answers, and nobody says that they count together.
    """
    before: dict[tuple, list[Answers]] = {}
    seen = set()
    for answers in simulated:
        rows = answers.rows.drop_duplicates(["scenario", "source"])
        for name, source, at in zip(rows["scenario"], rows["source"], rows["at"], strict=True):
            others = before.setdefault((name, source, answers.stated), [])
            for other in others:
                pair = (source, other.sheet.path, answers.sheet.path)
                if pair in seen or pair[1] == pair[2]:
                    continue
                seen.add(pair)
                names = layout.simulators_of(answers.sheet)
                are_together = {*names} <= {*chain(*layout.simulators_in_cells.values())}
                what = f"simulator {source!r} answers scenario {name!r} in "
                if not (are_together or _are_others(other, answers, layout)):
                    parts = (other, answers)
                    are_one = all(part.rows["source"].nunique() == 1 for part in parts)
                    are_named = all({*names} <= {*part.sheet.columns} for part in parts)
                    raise answers.sheet.fault(
                        "simulator-in-two-files",
                        what,
                        File(other.sheet.path),
                        ", too, and no ids tell that these are other answers; if they are, put "
                        "simulator in columns.csv, and they count together; if not, leave out one "
                        "file, or give the simulators different names",
                        at=int(at),
                        also=[
                            *([ignoring(*names)] if are_one and are_named else []),
                            *([Remedy({"a_simulator": names})] if are_named else []),
                        ],
                    )
                yield answers.sheet.note(
                    "simulator-in-two-files",
                    what,
                    File(other.sheet.path),
                    ", too: they count together",
                )
            others.append(answers)


def _are_others(one: Answers, two: Answers, layout: Layout) -> bool:
    """Return whether the ids of two files show that no answer is in both, and none contradicts.

    They do if files have different ids of requests, or no respondent of a simulator answers a
    question in both; runs are ids where no respondents are named.
    """
    sheets = (one.sheet, two.sheet)
    if one.stated or all(sheet.ids for sheet in sheets):
        return not one.stated and sheets[0].ids.isdisjoint(sheets[1].ids)
    there = [name for name in sheets[0].columns if name in sheets[1].columns]
    settings = [name for name in there if is_setting(name)]
    ids = [*filter(names_persons, there)] or [*filter(RUNS.search, there)]
    of_both = [
        {name: {*some} for name, some in values_of(sheet, settings).items()} for sheet in sheets
    ]
    if not ids or of_both[0] != of_both[1]:
        return False
    roles = {layout.column(sheets[0], "scenario"), *layout.simulators_of(sheets[0])}
    keys = [name for name in there if name in roles]
    for name in ids:
        first, second = (sheet.distinct([*keys, name]) for sheet in sheets)
        if first.empty or second.empty or not first.merge(second).empty:
            return False
    return True
