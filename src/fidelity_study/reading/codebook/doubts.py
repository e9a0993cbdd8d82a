"""Cells that nobody has decided: a fault becomes a row with ?, a remedy its proposal."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from fidelity_study.errors import BLANK, Fault, Remedy, Syntax, shortened
from fidelity_study.reading.codebook.decided import is_of_file
from fidelity_study.reading.codebook.tables import (
    AND,
    BOOK_KEEPING,
    BY,
    COLUMNS,
    IGNORE,
    LABELS,
    MEANS,
    MISSING,
    NO_OPTION,
    OF_CONFIG,
    OF_SCALE,
    OPEN,
    ORDER,
    PROPOSAL,
    QUESTION,
    QUESTIONS,
    REMARK,
    TRIED,
    USE,
    USES,
    Codebook,
    Edit,
    Row,
    key_of,
    keyed,
    open_in,
    proposals,
)
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import NOTHING, as_label, as_number
from fidelity_study.reading.tabular.doubtful import number_of, says_no_answer, why_none
from fidelity_study.reading.tabular.matched import LOST
from fidelity_study.reading.tabular.options import have_order
from fidelity_study.tables.ingest import EVERY, LEAVE_OUT, TOTAL

AS_FIRST = ", for the reason of "
EVERY_QUESTION, GROUP, OR = ((QUESTION, EVERY),), "group", "; or: "
ENDS = ("lower", "upper")
OF_KEYS = {key: use for use, (key, _) in USES.items()}
OF_KEYS |= {"weight": "weight", "a_question": QUESTION, "a_simulator": "simulator"}
OF_KEYS |= {"a_column": ""}  # nobody's to propose
OF_QUESTIONS = {"multiple": ("several", "yes"), "leave_out": (USE, LEAVE_OUT)}
OF_QUESTIONS |= {"a_question_or_none": (USE, "")}  # nobody's to propose
OF_ONE_FILE = {"a_person": "respondent", "no_person": IGNORE, "a_group": GROUP, "a_wave": "wave"}
OF_ONE_FILE |= {"a_percent": "percent", "a_condition": "condition"}

IN_TABLES = {"questions": "a_question"}
"""Settings that users alone write, by how remedies propose the same cells."""
OF_COLUMNS = {"doubtful-columns", "unknown-scenario"}
CONTRADICTIONS = {
    *("number-in-two-spellings", "too-many-for-binary"),
    *("people-state-probabilities", "two-weights", "answer-twice", "unlisted-without-levels"),
}
"""Faults of the data themselves, or of other proposals, which no cell settles."""


class Cell(NamedTuple):
    """A cell, and what a remedy writes into it."""

    table: str
    row: tuple[tuple[str, str], ...]
    field: str
    value: str


@dataclass
class Doubt:
    """A cell that is not decided.

    Attributes:
        cell: with its proposal.
        also: what else may be written there.
        remark: why it is asked.
        code: of the fault.
        file: the file that it is found in.
        column: of the file; empty if it isn't of one.
    """

    cell: Cell
    also: list[str] = field(default_factory=list)
    remark: str = ""
    code: str = ""
    file: str = ""
    column: str = ""


def cells_of(
    remedy: Remedy, scales: Mapping[str, Sequence[Any]] = MappingProxyType({})
) -> list[Cell]:
    """Return the cells that a remedy writes; none if it is no matter of cells.

    Args:
        remedy: of a fault.
        scales: the likely options of each question, or under ``*`` of all, where it leaves these to
            the user.

    Examples:
        >>> [(cell.row, cell.value) for cell in cells_of(Remedy({"groups": ["country"]}))]
        [((('column', 'country'),), 'group')]
        >>> cells_of(Remedy({"decimal": ","}))
        []
    """
    cells: list[Cell] = []
    for key, value in remedy.settings.items():
        if value in (BLANK, [BLANK]):
            value = remedy.likely
        several = list(value) if isinstance(value, list | tuple) else [value]
        if key == "outcome.levels":
            more = list(_ranges(scales if BLANK in several else {EVERY: several}))
        else:
            more = [] if BLANK in several else list(_cells(key, value, several, remedy))
        if not more:
            return []
        cells += more
    return cells


def _ranges(scales: Mapping[str, Sequence[Any]]) -> Iterator[Cell]:
    """Yield the ends of scales of numbers."""
    for name, levels in scales.items():
        if levels and all(as_number(str(level)) is not None for level in levels):
            for end, level in zip(ENDS, (levels[0], levels[-1]), strict=True):
                yield Cell(QUESTIONS, ((QUESTION, name),), end, str(level))


def _cells(key: str, value: Any, several: Sequence[Any], remedy: Remedy) -> Iterator[Cell]:
    """Yield the cells that a setting of a remedy is written into."""
    if key in OF_KEYS and key != "cluster":
        for name in several:
            if "*" not in str(name):  # else a pattern
                yield Cell(COLUMNS, (("column", str(name)),), USE, OF_KEYS[key])
    elif key == "missing" and not isinstance(value, Mapping):
        yield from (_label("", mark, _why(mark, remedy)) for mark in several)
    elif key == "missing_in":
        scales = remedy.settings.get("scales", {})
        for name, marks in value.items():
            codes = marks if isinstance(marks, list) else [marks]
            yield from (_label(scales.get(name, name), m, _why(m, remedy)) for m in codes)
    elif key == "scales":
        for name, scale in value.items():
            yield Cell(QUESTIONS, ((QUESTION, name),), "scale", scale)
    elif key == "recode":
        yield from (_label("", old, str(new)) for old, new in value.items())
    elif key == "meanings":
        for (scale, file), texts in value.items():
            yield from (_label(scale, text, means, file) for text, means in texts.items())
    elif key == "totals":
        yield from (_label("", label, TOTAL) for label in several)
    elif key in OF_QUESTIONS:
        cell = OF_QUESTIONS[key]
        yield from (Cell(QUESTIONS, ((QUESTION, str(name)),), *cell) for name in several)
    elif key == "called":
        for name, question in value.items():
            yield Cell(QUESTIONS, ((QUESTION, name),), MEANS, question)
    elif key == "unlisted":
        yield _label("", EVERY, str(value))
    elif key in OF_ONE_FILE:
        for path, name in value.items():
            yield Cell(COLUMNS, (("file", path), ("column", name)), USE, OF_ONE_FILE[key])
    elif key == "ends":
        yield from _ranges(value)
    elif key == "orders":
        yield from _orders(value)
    elif key == "outcome.bounds":
        for end, limit in zip(ENDS, several, strict=True):
            yield Cell(QUESTIONS, EVERY_QUESTION, end, str(limit))
    elif key == "outcome.kind":
        yield Cell(QUESTIONS, EVERY_QUESTION, "kind", str(value))


def _why(mark: object, remedy: Remedy) -> str:
    """Return why a mark is no answer, as the remedy or the mark itself says."""
    return remedy.reasons.get(str(mark), why_none(str(mark)))


def _orders(options: Mapping[str, Sequence[str]]) -> Iterator[Cell]:
    """Yield the order of each option of each scale: as they stand, if numbers or words tell it."""
    scales: dict[tuple, str] = {}
    for name, several in options.items():
        scale = scales.setdefault(tuple(several), name)
        if scale == name:
            is_told = len(several) == 2 or have_order(several)
            for place, text in enumerate(several, 1):
                proposal = str(place) if is_told else ""
                yield _label(name, text, proposal)._replace(field=ORDER)
        yield Cell(QUESTIONS, ((QUESTION, name),), "scale", scale)


def _label(scale: str, text: object, means: str, file: str = "") -> Cell:
    where = (("scale", scale), ("file", file), ("text", str(text)))
    return Cell(LABELS, where, MEANS, means)


def contradicted(flat: Mapping[str, Any], codebook: Codebook) -> Iterator[tuple[Edit, str]]:
    """Yield the changed cells that settings contradict, each with a key that does so.

    Of those that nobody decided, also the ones that settings say the same of.

    A cell that was drafted from a setting was changed after it, and contradicts nothing. Nor does
    one of a column that has its role in another file.

    Args:
        flat: settings by key, as ``columns.weight``.
        codebook: the three tables.
    """
    said = [
        (cell, key)
        for key, value in flat.items()
        for cell in cells_of(Remedy({IN_TABLES.get(key, key): value}))
    ]
    drafts = keyed(codebook.drafted)
    there = {(row["file"], row["column"]) for row in codebook.tables[COLUMNS]}
    for edit in codebook.edits():
        drafted = drafts.get((edit.table, key_of(edit.table, edit.row)), {})
        if drafted.get(BY) == OF_CONFIG or is_of_file(edit, codebook, flat):
            continue
        same = {cell.value: key for cell, key in said if _is_of(cell, edit)}
        is_same = edit.value in same or {edit.value, *same} <= {*NO_OPTION}
        if same and (edit.by == TRIED or not is_same):
            yield edit, next(iter(same.values()))
        key = USES[edit.value][0] if edit.table == COLUMNS else ""
        other = flat.get(key)
        if isinstance(other, str) and other != edit.row["column"]:
            yield from [(edit, key)] if (edit.row["file"], other) in there else []


def _is_of(cell: Cell, edit: Edit) -> bool:
    """Return whether a remedy's cell is the one that a user changed."""
    is_field = (cell.table, cell.field) == (edit.table, edit.field)
    known = ((name, text) for name, text in cell.row if text or name != "file")
    return is_field and all(edit.row.get(name, "") == text for name, text in known)


def doubts_of(
    faults: Iterable[Fault],
    scales: Mapping[str, Sequence[Any]],
    options: Container[str],
    shared: Container[str],
) -> list[Doubt]:
    """Return the cells that settle faults, as far as these are a matter of cells.

    What a text means is not asked where the proposal for another fault makes answers of it.

    Args:
        faults: what is wrong.
        scales: the likely options of each question, or under ``*`` of all.
        options: texts that are likely options, though they may stand for no answer.
        shared: texts of several files, which mean the same in all.
    """
    doubts: dict[tuple, Doubt] = {}
    for fault in (fault for fault in faults if fault.code not in CONTRADICTIONS):
        ways = [
            [_with_scope(cell, shared, fault.code) for cell in cells]
            for remedy in fault.remedies
            if remedy.is_offered
            if (cells := cells_of(remedy, scales))
        ]
        # That all other texts are no answers is nobody's to propose.
        ways = [cells for cells in ways if dict(cells[0].row).get("text") != EVERY]
        ways.sort(key=lambda cells: cells[0].field in ENDS)
        if fault.code == "no-answer-text":  # or an option
            ways.sort(key=lambda cells: cells[0].value not in options)
        if not ways:
            continue
        ways.sort(key=lambda cells: any(map(_is_answer, cells)))
        if fault.code != "no-outcome" and any(map(_is_answer, ways[0])):
            ways.insert(0, [cell._replace(value="") for cell in ways[0]])
        first, *others = ways
        remark = Syntax().reason(fault)
        reasons = {
            cell[:3]: remedy.why
            for remedy in fault.remedies
            if not (remedy.is_offered or remedy.is_clear)
            for cell in cells_of(remedy)
        }
        rows = {cell[:3] for cell in first}
        aside = [
            cell for cell in chain(*others) if cell.table != QUESTIONS and cell[:3] not in rows
        ]
        for cell in [*first, *aside]:
            why = reasons.get(cell[:3]) or _of_row(cell, remark, first[0])
            place = ("".join(fault.place.files[:1]), fault.place.column or "")
            doubt = doubts.setdefault(cell[:3], Doubt(cell, [], why, fault.code, *place))
            for other in chain(*others):
                if other[:3] == cell[:3] and other.value not in (cell.value, *doubt.also):
                    doubt.also.append(other.value)
    made = {one.cell.value: one.code for one in doubts.values() if one.cell.field == MEANS}
    texts = {cell: dict(cell[1]).get("text", "") for cell in doubts}
    is_first = {at: made.get(texts[at], one.code) == one.code for at, one in doubts.items()}
    return [
        _preferred(doubt)
        for cell, doubt in doubts.items()
        if is_first[cell] or doubt.cell.field != MEANS or says_no_answer(texts[cell])
    ]


def of_compared(doubts: Sequence[Doubt], everybody: Iterable[Answers]) -> list[Doubt]:
    """Return doubts without those on questions to be left out, and on texts that only these have.

    Args:
        doubts: those questions are proposed to be left out among them.
        everybody: all answers.
    """
    aside = [dict(doubt.cell.row) for doubt in doubts if doubt.cell.value in (LEAVE_OUT, IGNORE)]
    left = {row.get(QUESTION, row.get("column")) for row in aside}
    texts: dict[bool, set[str]] = {True: set(), False: {""}}
    for name, label, _ in chain.from_iterable(part.first_uses for part in everybody):
        texts[name in left].add(as_label(label))
    alone = texts[True] - texts[False]
    kept = [
        doubt
        for doubt in doubts
        if (text := dict(doubt.cell.row).get("text")) not in alone
        and not (text and doubt.column in left and text not in texts[False])
        and not (doubt.cell.field == "several" and dict(doubt.cell.row)[QUESTION] in left)
    ]
    codes = {doubt.code for doubt in kept if dict(doubt.cell.row).get("text") != EVERY}
    return [doubt for doubt in kept if doubt.code in codes]


def _with_scope(cell: Cell, shared: Container[str], code: str) -> Cell:
    """Return a cell whose text is that of all files where several have it.

    A number may be another code in another file, unless it is no option in any.
    """
    row = dict(cell.row)
    is_shared = cell.table == LABELS and row["text"] in shared
    is_shared = is_shared and (code == LOST or as_number(row["text"]) is None)
    return cell._replace(row=tuple((row | {"file": ""}).items())) if is_shared else cell


def _is_answer(cell: Cell) -> bool:
    """Return whether a text that may be missing is a word, and none for no answer."""
    text = dict(cell.row).get("text", "")
    are_words = bool(text) and as_number(number_of(text) or text) is None
    is_none = says_no_answer(text) or text.casefold() in NOTHING
    return cell.value == MISSING and are_words and not is_none


def _of_row(cell: Cell, remark: str, first: Cell) -> str:
    """Return a remark as that of a row: of texts the first has it, and others name that one."""
    text, of_first = (dict(one.row).get("text", "") for one in (cell, first))
    if text in ("", of_first, EVERY) or not of_first:
        return remark
    return f"{f'may be {cell.value!r}' if cell.value else 'is asked'}{AS_FIRST}{of_first!r}"


def _preferred(doubt: Doubt) -> Doubt:
    """Return a doubt whose proposal is no group that only the user can want."""
    several = [doubt.cell.value, *doubt.also]
    if doubt.code not in OF_COLUMNS or not several[1:]:
        return doubt
    first, *others = sorted(several, key=lambda use: (use == GROUP, use == IGNORE))
    return replace(doubt, cell=doubt.cell._replace(value=first), also=others)


def with_doubts(codebook: Codebook, doubts: Iterable[Doubt], files: Sequence[str]) -> Codebook:
    """Return a codebook in which the cells of doubts are open.

    Args:
        codebook: as drafted.
        doubts: the cells.
        files: those of answers, people's first; a column is asked about in the first that has it.
    """
    proposed: dict[tuple, dict[str, str]] = {}
    indices: dict[tuple, dict[tuple, int]] = {}
    for doubt in doubts:
        cell, identity = doubt.cell, dict(doubt.cell.row)
        rows = codebook.tables[cell.table]
        of_table = (cell.table, *identity)
        if of_table not in indices:
            indices[of_table] = _index(rows, [*identity], files)
        place = indices[of_table].setdefault((*identity.values(),), len(rows))
        if place == len(rows):
            rows.append(({"file": doubt.file} if cell.table == COLUMNS else {}) | identity)
        if cell.field == "scale":  # which questions share their texts is known
            rows[place] = rows[place] | {cell.field: cell.value, BY: OF_SCALE}
            continue
        remark = OR.join(filter(None, [doubt.remark, ", ".join(doubt.also)]))
        row = rows[place] | {cell.field: OPEN, BY: OPEN, REMARK: remark}
        if cell.field == ORDER:
            row[MEANS] = row.get(MEANS) or row["text"]
        values = proposed.setdefault((cell.table, place), {})
        values[cell.field] = cell.value
        several = [values[name] for name in open_in(cell.table, row)]
        rows[place] = row | {PROPOSAL: AND.join(several)}
    return Codebook.of(*codebook.tables.values())


def _index(rows: Sequence[Row], names: Sequence[str], files: Sequence[str]) -> dict[tuple, int]:
    """Return the first row by some of its cells; of a column that in the first of several files.

    Of files in which it is no book-keeping, if there are any.
    """
    order = {path: place for place, path in enumerate(files)}
    ranks = [(r.get(REMARK) == BOOK_KEEPING, order.get(r.get("file", ""), 0)) for r in rows]
    places = sorted(range(len(rows)), key=ranks.__getitem__)
    return {tuple(rows[at].get(name, "") for name in names): at for at in reversed(places)}


def lines_of(codebook: Codebook, syntax: Syntax) -> list[str]:
    """Return a line for each open cell, or for several of one proposal, with the first of them.

    Columns and questions that are asked about for another reason have a line of their own.

    Args:
        codebook: with open cells.
        syntax: knows how files are called.
    """
    together: dict[tuple, list[str]] = {}
    for name, row, cell in codebook.open_cells():
        file = {"file": syntax.file(row["file"])} if row.get("file") else {}
        which = ", ".join(map(shortened, filter(None, key_of(name, row | file))))
        end = f" {cell}" if cell not in (USE, MEANS) else ""
        proposal = proposals(name, row).get(cell, "")
        reason = row[REMARK].partition(OR)[0] if name != LABELS else ""
        together.setdefault((name, proposal, end, reason), []).append(which)
    return [
        f"{name}.csv: {which[0]}{f' and {len(which) - 1} more' if which[1:] else ''}{end}: "
        f"{(proposal or ('a number' if ORDER in end else '...')).removesuffix('?')}?"
        for (name, proposal, end, _), which in together.items()
    ]
