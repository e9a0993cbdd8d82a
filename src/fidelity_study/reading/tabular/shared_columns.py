"""Columns that both sides have, and that nobody named: groups, persons, settings of models.

Their cells say what they are, whatever their names.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from fidelity_study.errors import DataError, Fault, Remedy
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.batch_output import FEWEST_IDS, OF_PEOPLE
from fidelity_study.reading.tabular.columns import as_number, squashed
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.questions import (
    MANY,
    as_condition,
    as_wave,
    asks_of_facts,
    is_fact,
    is_setting,
    named_in_wave,
    names_persons,
)
from fidelity_study.reading.tabular.remedies import groups_named, ignoring
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.vector_columns import AS_PATHS, TIME
from fidelity_study.reading.tabular.words import COUNTRIES

FEW = 0.5
FEWEST_NUMBERS, MOST_DENSE = 20, 0.1
FEWEST_WORDS = 3


def undeclared(
    people: Answers, simulated: Iterable[Answers], layout: Layout
) -> tuple[list[Fault], set[str]]:
    """Return what is to be asked of columns that nobody named, and the names of these columns."""
    faults, names = list[Fault](), set[str]()
    simulated = list(simulated)
    for part in simulated:
        ours, theirs = _left(people, simulated, layout), _left(part, [people], layout)
        for error, columns in (
            *_persons(people, part, layout, ours, theirs),
            *_groups(people, part, layout, ours, theirs, simulated),
            *_settings(people, part, layout, theirs),
        ):
            if names.isdisjoint(columns):
                names.update(columns)
                faults += error.faults
    return faults, names


def _left(answers: Answers, others: Collection[Answers], layout: Layout) -> list[str]:
    """Return the columns of a file that no role reads, and that are no questions of the others.

    Of several others, one may call persons as the file does, and another call them otherwise.
    """
    several = Counter(name for part in others for name in part.questions)
    theirs = {name for name in several if several[name] == len(others) or not names_persons(name)}
    asked = answers.questions if answers.column is None else ()
    names = dict.fromkeys([*answers.unread, *(name for name in asked if name not in theirs)])
    sure = {*layout.coded.get("columns", ()), *layout.attributes, layout.cluster, layout.order}
    there = {*layout.in_file(answers.sheet.path).columns_of(answers.sheet)} - sure
    return [name for name in names if name in there]


def _persons(
    people: Answers, part: Answers, layout: Layout, ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[DataError, set[str]]]:
    """Yield a fault for the column of a simulator's file whose cells are ids of people."""
    named = layout.column(people.sheet, "respondent")
    if (by_name := layout.column(part.sheet, "respondent")) is not None:
        if named or "respondent" not in part.sheet.roles:
            return
        theirs = [by_name]
    whose, both = [named] if named else ours, list[str]()
    if not named:  # what both have may seem to be a question of both
        there = {name for name in _left(part, (), layout) if not names_persons(name)}
        both = [name for name in _left(people, (), layout) if name in there]
        are_more = len({*both, *{*people.questions}.intersection(part.questions)}) > 1
        rows = {} if are_more else values_of(people.sheet, both)  # else the only question
        both = [name for name in both if are_more or _number(rows[name], people.sheet.size)]
    ids = values_of(people.sheet, [*dict.fromkeys([*whose, *both])])
    several = values_of(part.sheet, [*dict.fromkeys([*theirs, *both])])
    for name in filter(lambda name: _are_ids(ids[name]), ids):
        may_be_rows = _may_be_rows(ids[name])
        for other, values in several.items():
            is_pair = name in whose and other in theirs and not may_be_rows
            shared = {*values} & {*ids[name]} if is_pair or name == other else ()
            if len(shared) < max(FEWEST_IDS, OF_PEOPLE * len(values)):
                continue
            if named or _is_alone(people, name, layout, may_be_rows=may_be_rows):
                columns = {part.sheet.path: other, people.sheet.path: name}
                person, nobody, aside = _asked("a_person", columns, known=named)
                error = part.sheet.fault(
                    "ids-of-people",
                    f"has ids that people have in {name!r}: does it name the persons who are "
                    f"simulated? If so, put respondent in the rows of {other} and {name} in "
                    "columns.csv, otherwise ignore",
                    column=other,
                    also=[nobody, person, aside] if may_be_rows else [person, nobody, aside],
                )
                yield error, {name, other}
                return


def _asked(key: str, columns: dict[str, str], known: str | None = None) -> list[Remedy]:
    """Return that columns are of a use, or nothing that is read, as which others are looked for.

    The one that is known to be of this use stays so then.
    """
    left = [name for name in dict.fromkeys(columns.values()) if name != known]
    aside = Remedy({"ignore": left}, is_offered=False)
    return [Remedy({key: columns}), Remedy({"no_person": columns}), aside]


def _are_ids(values: Collection[str]) -> bool:
    """Return whether cells may be ids: those of many; numbers only if whole, and of very many.

    Those of fewer are far from each other.
    """
    numbers = [number for text in values if (number := as_number(text)) is not None]
    if len(values) < FEWEST_IDS or any(number % 1 for number in numbers):
        return False
    is_dense = len(numbers) == len(values) >= MOST_DENSE * (max(numbers) - min(numbers))
    return len(values) >= FEWEST_NUMBERS or not is_dense


def ids_of(people: Sheet) -> dict[str, set[str]]:
    """Return the cells of the columns that tell people apart, and number no rows, by name."""
    return {
        name: {*values}
        for name, values in values_of(people, people.columns).items()
        if (len(values) == people.size or names_persons(name))
        and _are_ids(values)
        and not _may_be_rows(values)
    }


def _may_be_rows(values: Collection[str]) -> bool:
    """Return whether cells may number rows from 0 or 1 on, of which some are left out."""
    numbers = [number for text in values if (number := as_number(text)) is not None]
    return len(numbers) == len(values) and max(numbers) < 2 * len(numbers)


def _number(values: Collection[str], size: int) -> bool:
    """Return whether cells number all rows, in their order."""
    if not (len(values) == size and _are_ids(values) and _may_be_rows(values)):
        return False
    return sorted(values, key=lambda text: as_number(text) or 0.0) == [*values]


def _is_alone(people: Answers, name: str, layout: Layout, *, may_be_rows: bool) -> bool:
    """Return whether no cell of a column stands twice, or twice in a question.

    Of numbers of rows, it has to stand in several questions.
    """
    asked = _asked_in(people, layout)
    cells = people.sheet.frame([*asked, name]).dropna()
    is_one = not (may_be_rows and asked) or cells[name].duplicated().any()
    return is_one and not cells.duplicated().any()


def _groups(
    people: Answers,
    part: Answers,
    layout: Layout,
    ours: Sequence[str],
    theirs: Sequence[str],
    simulated: Sequence[Answers],
) -> Iterator[tuple[DataError, set[str]]]:
    """Yield a fault for each pair of columns of groups that both files have.

    Facts, and what not all of ``simulated`` have, are proposed to be no groups.
    """
    of_facts = {name for name, text in people.wordings.items() if asks_of_facts(text)}
    named = [name for name in layout.groups if layout.group_of(part.sheet, name) is None]
    one = values_of(
        people.sheet, [*(name for name in named if name in people.sheet.columns), *ours]
    )
    two = {name: {*some} for name, some in values_of(part.sheet, theirs).items()}
    for name, values in one.items():
        same = [other for other, some in two.items() if _are_same(name, {*values}, other, some)]
        if not same:
            yield from _spelt_otherwise(people, part, layout, name, {*values}, two)
        if len(same) != 1 or not (_parts(people, name, layout) and _parts(part, same[0], layout)):
            continue
        other = same[0]
        are_long = people.column is not None and part.column is not None
        is_named = other == name or other in layout.names_of.values()
        if (other == name and are_long) or (is_named and layout.questions is not None):
            continue  # is asked about by :func:`refuse_pooled`, or is named as no question
        columns = {part.sheet.path: other} | ({} if name in named else {people.sheet.path: name})
        group, nothing, aside = _asked("a_group", columns)
        is_wide = other == name and people.column is None
        person = {people.sheet.path: named_in_wave(people.sheet, name, (), None)} if is_wide else {}
        waves = [Remedy({"a_wave": columns, "a_person": person})] if any(person.values()) else []
        in_words = as_condition(people.sheet, name) if other == name else ""
        conditions = [Remedy({"a_condition": columns})] if in_words else []
        is_about = name in of_facts or is_fact(name) or is_fact(other)
        is_about &= squashed(name) not in COUNTRIES
        is_about |= not all(_has(one.sheet, name, {*values}) for one in simulated)
        error = people.sheet.fault(
            "groups-on-both-sides",
            f"has the values of {other!r} in the file of simulators{in_words}; to compare within "
            "each, put ",
            Remedy({"groups": [name]}, is_offered=False),
            "; if all may count together, put ",
            aside,
            column=name,
            also=[
                *waves,
                *([nothing, group] if name not in named and is_about else [group, nothing]),
                *conditions,
            ],
        )
        yield error, {name, other}


def _spelt_otherwise(
    people: Answers,
    part: Answers,
    layout: Layout,
    name: str,
    values: set[str],
    others: dict[str, set[str]],
) -> Iterator[tuple[DataError, set[str]]]:
    """Yield a fault for a column of groups that both files have, with other values in each."""
    for other, some in others.items():
        is_group = squashed(name) == squashed(other) and not (is_fact(name) or is_fact(other))
        if not (is_group and 1 < len(values) <= MANY and 1 < len(some) <= MANY):
            continue
        if _parts(people, name, layout) and _parts(part, other, layout):
            error = people.sheet.fault(
                "groups-spelled-otherwise",
                f"has {shown(sorted(values), 4)}, and {other!r} in the file of simulators has "
                f"{shown(sorted(some), 4)}; to compare within each, write them alike in both "
                "files; if all may count together, put ignore in columns.csv",
                column=name,
                also=[Remedy({"a_column": [name]}) if layout.questions is None else ignoring(name)],
            )
            yield error, {name, other}


def _are_same(name: str, values: set[str], other: str, others: set[str]) -> bool:
    """Return whether two columns are one: by their names, or as the same several words."""
    if not 1 < len(others) <= MANY:
        return False
    if squashed(name) == squashed(other):
        return len(values & others) > 1
    words = [text for text in values if as_number(text) is None]
    return values == others and len(words) >= FEWEST_WORDS


def _has(sheet: Sheet, name: str, values: set[str]) -> bool:
    """Return whether a file has a column of groups, see :func:`_are_same`."""
    cells = values_of(sheet, sheet.columns)
    return any(_are_same(name, values, other, {*some}) for other, some in cells.items())


def _settings(
    people: Answers, part: Answers, layout: Layout, theirs: Sequence[str]
) -> Iterator[tuple[DataError, set[str]]]:
    """Yield a fault for each column that parts the answers of a model: of settings, or of words.

    Words do where each row of a person, and of a question, has others.
    """
    there = {*part.sheet.columns}
    who = [name for name in layout.simulators_of(part.sheet) if name in there]
    by = [*_asked_in(part, layout), *who]
    person = layout.column(part.sheet, "respondent")
    for name in (name for name in theirs if name not in people.sheet.columns):
        keys = by if person is None else [*by, person]
        cells = part.sheet.frame([*keys, name]).dropna()
        values = cells[name].unique()
        if not 1 < len(values) <= MANY:
            continue
        if is_setting(name):
            is_part = not by or cells.groupby(by)[name].nunique().max() > 1
        else:
            are_words = all(as_number(text) is None for text in values)
            may_part = are_words and person is not None and not part.stated
            is_part = may_part and not cells.duplicated().any() and cells.duplicated(keys).any()
        if is_part:
            error = part.sheet.fault(
                "settings-of-models",
                f"has several values for one model ({shown(values, 5)}), whose "
                "answers would count together; if each is another simulator, put ",
                Remedy({"columns.simulator": [*who, name]}, is_offered=False),
                "; if they may count together, put ",
                Remedy({"ignore": [name]}, is_offered=False),
                column=name,
                also=[Remedy({"a_simulator": [name]}), ignoring(name)],
            )
            yield error, {name}


def refuse_pooled(people: Answers, simulated: Iterable[Answers], layout: Layout) -> None:
    """Raise DataError if long files share a column that nobody named, and that parts a question.

    Where somebody answers once in each of its values, it is a wave.

    Its values, such as countries or waves, would be pooled, or one compared with another. A column
    parts a question if it has several values there, most of them in several rows: so ids and texts
    of each row are none.
    """
    for answers in simulated:
        theirs = _left(answers, [people], layout)
        for error, _ in _groups(people, answers, layout, (), theirs, [answers]):
            raise error  # a group by another name, which would seem to be absent
        if not (people.column and answers.column):
            continue
        who = layout.likely_simulators_of(answers.sheet)
        left = {*people.unread} & {*answers.unread, who}
        others = {squashed(name): name for name in answers.unread}
        for name in people.unread:
            spelt = others.get(squashed(name), name)
            if spelt != name and _parts(people, name, layout):
                raise people.sheet.fault(
                    "pooled-column",
                    f"is {spelt!r} in the file of simulators, and neither is read, so that all its "
                    "values count together; to compare within each value, put ",
                    groups_named(name),
                    "; if it does not matter, put ",
                    ignoring(name, spelt),
                    column=name,
                )
        for name in sorted(left):
            sheets = (people.sheet, answers.sheet)
            one, other = ({*sheet.frame([name])[name].dropna()} for sheet in sheets)
            if name == who and one.isdisjoint(other):
                continue
            if len(one) == len(other) == 1 and one != other:
                raise people.sheet.fault(
                    "another-value",
                    f"is {shown(one)} for all people and {shown(other)} for simulators; mend one, "
                    "or if these are to be compared with each other, write ignore in columns.csv",
                    column=name,
                    also=[Remedy({"a_column": [name]})],
                )
            if any(_parts(part, name, layout) for part in (people, answers)):
                in_words = as_condition(people.sheet, name)
                what = f"and is not read, so that all its values count together{in_words}"
                if name == who:
                    what = (
                        "with the same values, so that these may be no simulators; if they are, "
                        "give the column here another name"
                    )
                asked, named = _asked_in(people, layout), layout.column(people.sheet, "respondent")
                person = named_in_wave(people.sheet, name, asked, named)
                raise people.sheet.fault(
                    "pooled-column",
                    f"stands in the file of simulators, too, {what}",
                    *as_wave(name, person),
                    "; to compare within each value, put ",
                    groups_named(name),
                    "; if it is a part of the question, write it into the column of questions in "
                    "both files; if it does not matter, put ",
                    ignoring(name),
                    *(AS_PATHS if name == TIME else ()),
                    column=name,
                    also=[Remedy({"effects.condition": name})] if in_words else [],
                )


def _asked_in(answers: Answers, layout: Layout) -> list[str]:
    """Return the column of the questions, if a row is an answer."""
    return [] if answers.column is None else [layout.needed(answers.sheet, "scenario")]


def _parts(answers: Answers, column: str, layout: Layout) -> bool:
    """Return whether a column has several values in a question, most of them in several rows."""
    scenario = _asked_in(answers, layout)
    cells = answers.sheet.frame([*scenario, column]).dropna()
    asked = cells[scenario[0]].nunique() if scenario else 1
    return asked < len(cells.drop_duplicates()) <= FEW * len(cells)
