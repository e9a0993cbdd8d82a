"""The codebook that ``start`` drafts, asks about, and reads again."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from itertools import chain
from typing import Any, cast

import click
import pandas as pd

from fidelity_study.app.start.faults import FaultsError, levels_of
from fidelity_study.app.start.files import Files, with_headers
from fidelity_study.app.start.look import Look, codebook_of, layout_of, with_questions
from fidelity_study.app.start.request import Request, StudyRequest, with_groups
from fidelity_study.app.start.scales import scales_of
from fidelity_study.app.start.syntax import OptionSyntax
from fidelity_study.errors import BLANK, DataError, ErrorList, fault, printable
from fidelity_study.reading.codebook.decided import decisions, with_codebook
from fidelity_study.reading.codebook.doubts import (
    AS_FIRST,
    OR,
    cells_of,
    contradicted,
    doubts_of,
    lines_of,
    of_compared,
    with_doubts,
)
from fidelity_study.reading.codebook.draft import columns_of, questions_and_labels, with_counts
from fidelity_study.reading.codebook.tables import (
    ACCEPTED,
    ALLOWED,
    BY,
    COLUMNS,
    LABELS,
    LED_TO,
    MEANS,
    OF_RULE,
    OPEN,
    QUESTIONS,
    REMARK,
    TRIED,
    USER,
    Codebook,
    Row,
    frame_of,
    key_of,
    proposals,
    save,
    with_edits,
)
from fidelity_study.reading.tabular.options import likely_options, texts_of_several
from fidelity_study.reading.tabular.reading_options import BY_KEY, BY_NAME
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import EVERY

UNDECIDED = 3
"""The exit status where cells are to be decided first."""
MOST_CELLS = 12


class UndecidedError(FaultsError):
    """Cells of the codebook are to be decided before a study runs.

    Attributes:
        codebook: with these cells open.
        cells: these cells, with their tables and rows.
        folder: where it is.
        gone: a line for each changed row that the data have no longer.
        status: of the command.
    """

    status = UNDECIDED

    def __init__(self, error: FaultsError, codebook: Codebook, folder: str, gone: list[str]):
        """Take the faults that the cells stand for."""
        known = (error.seen, error.everybody, error.files)
        super().__init__(error.faults, error.request, *known)
        self.codebook, self.folder, self.gone = codebook, folder, gone
        self.cells = deepcopy(codebook.open_cells())

    def together(self, later: Sequence["UndecidedError"], codebook: Codebook) -> "UndecidedError":
        """Return one error for these cells and later ones, open in the codebook as last drafted."""
        errors = [self, *later]
        for _, row, _ in chain.from_iterable(error.cells for error in later):
            row[REMARK] = LED_TO + row[REMARK].removeprefix(LED_TO)
        cells = chain.from_iterable(error.cells for error in errors)
        last = FaultsError(
            chain.from_iterable(error.faults for error in errors),
            self.request,
            errors[-1].seen,
            errors[-1].everybody,
            errors[-1].files,
        )
        return UndecidedError(last, codebook.with_open(cells), self.folder, self.gone)

    @property
    def columns(self) -> pd.DataFrame:
        """What columns are used for."""
        return frame_of(COLUMNS, self.codebook)

    @property
    def questions(self) -> pd.DataFrame:
        """What is known of questions."""
        return frame_of(QUESTIONS, self.codebook)

    @property
    def labels(self) -> pd.DataFrame:
        """What texts of answers mean."""
        return frame_of(LABELS, self.codebook)

    def __str__(self) -> str:
        """Return why cells are open, and which."""
        syntax = self.request.syntax
        lines = [
            syntax.message(replace(fault, parts=(syntax.reason(fault),)))
            if fault.remedies and all(map(cells_of, fault.remedies))
            else syntax.message(fault)
            for fault in self.faults
        ]
        cells = to_decide(self.codebook, self.folder, syntax)
        return "\n".join([*dict.fromkeys(lines), "", *cells])


def asked_before(codebook: Codebook, request: StudyRequest, *, accept: bool) -> list:
    """Take what was proposed beside the cells that the user changed; return what stays to decide.

    Files are read with it, as rules may make something else of these cells now. What stays is an
    UndecidedError, none where the user accepts.
    """
    if not (cells := deepcopy(codebook.asked_beside_edits())):
        return []
    keys: dict[str, list[str]] = {}
    for name, row, _ in cells:
        keys.setdefault(row[REMARK].partition(OR)[0], []).append(key_of(name, row)[-1])
    faults = [fault("asked-before", f"{shown(some)}: {why}") for why, some in keys.items()]
    error = FaultsError(faults, request)
    again = UndecidedError(error, deepcopy(codebook), codebook_of(request), [])
    again.cells = cells
    codebook.accept(ACCEPTED if accept else TRIED)
    return [] if accept else [again]


def to_decide(codebook: Codebook, folder: str, syntax: OptionSyntax) -> list[str]:
    """Return a line on the tables that have open cells, and one on each of these."""
    cells = codebook.open_cells()
    number = f"{len(cells)} cells" if cells[1:] else "1 cell"
    proposed = any(proposals(name, row) for name, row, _ in cells)
    accept = f"; {syntax.accept} takes what is proposed here" if proposed else ""
    head = f"{syntax.decide.format(number=number, folder=folder)}{accept}:"
    return [head, *(f"  {line}" for line in lines_of(codebook, syntax))]


def with_cells(request: Request, codebook: Codebook) -> Request:
    """Return a request with what the changed cells of its codebook say."""
    settings = with_codebook(by_key(request), codebook)
    options = {BY_KEY[key].name: value for key, value in settings.items() if key in BY_KEY}
    return replace(request, options=with_groups(options))


def without_overruled(request: StudyRequest, codebook: Codebook) -> Codebook:
    """Return a codebook without accepted rows that an option of the request contradicts.

    Raises:
        FaultsError: if the user changed such a cell, and did not see the option when doing so.
    """
    faults, overruled = ErrorList(), set()
    for edit, key in contradicted(by_key(request), codebook):
        which = key_of(edit.table, edit.row)
        if edit.by == ACCEPTED:
            overruled.add((edit.table, which))
            continue
        what = f"{', '.join(filter(None, which))} is {edit.value!r} in {edit.table}.csv, and the "
        faults.faults.append(
            fault(
                "cell-and-option",
                what,
                "option says otherwise; take it out, or change the cell",
                key=key,
            )
        )
    if faults.faults:
        raise FaultsError(faults.faults, request)
    return codebook.without(overruled)


def without_said(request: StudyRequest, codebook: Codebook) -> Codebook:
    """Return a codebook without open rows of which an option of the request says what they are."""
    tried = deepcopy(codebook)
    tried.accept(TRIED)
    edits = [edit for edit, _ in contradicted(by_key(request), tried)]
    return codebook.without(
        {(edit.table, key_of(edit.table, edit.row)) for edit in edits if edit.by == TRIED}
    )


def by_key(request: StudyRequest) -> dict[str, Any]:
    """Return what a request says of files of answers, by the keys of a config."""
    said = request.options.items() if isinstance(request, Request) else ()
    return {BY_NAME[name].key: value for name, value in said}


def codebook_of_look(look: Look, request: Request) -> Codebook:
    """Return a draft of what was understood; ``request`` is what the user asked for."""
    questions, labels = questions_and_labels(
        look.responses,
        look.people,
        look.simulated,
        look.kind.name,
        groups=look.step["options"].get("groups", ()),
        codes=look.codes,
        given=by_key(request),
        ordered=look.request.orders,
        listed=look.listed,
        by_file=look.by_file,
        is_in_order=look.is_in_order,
    )
    read_as = dict(look.request["recode"]).items() - dict(request["recode"]).items()
    is_by = {BY: OF_RULE, REMARK: "another spelling"}
    labels += [{"text": text, MEANS: option, **is_by} for text, option in sorted(read_as)]
    return Codebook.of(_columns(look.files, look.request, request), questions, labels)


def refuse_undecided(error: FaultsError, request: Request, old: Codebook) -> None:
    """Raise UndecidedError if all that is wrong is a matter of cells; their tables are written.

    Args:
        error: what is wrong.
        request: what the user asked for, by options.
        old: the codebook as it was.
    """
    options = {*likely_options([*error.everybody])}
    shared = texts_of_several(error.everybody)
    every = doubts_of(error.faults, _scales(error), options, shared)
    doubts = of_compared(every, error.everybody)
    needless = {doubt.code for doubt in every} - {doubt.code for doubt in doubts}
    error.faults = tuple(fault for fault in error.faults if fault.code not in needless)
    decided = {(edit.table, key_of(edit.table, edit.row)) for edit in old.edits()}
    if not doubts:
        return
    tried = cast(Request, error.request)
    files = error.files or with_headers(tried, layout_of(tried).reading)
    columns = _columns(files, tried, request) if files else old.drafted[COLUMNS]
    scales = [row for row in old.drafted[QUESTIONS] if row.get("scale")]
    codebook = Codebook.of(columns, scales, [])
    codebook = with_doubts(codebook, doubts, [*files.forms] if files else [])
    codebook.tables[LABELS] = with_counts(codebook.tables[LABELS], error.everybody)
    codebook, gone = with_edits(codebook, old)
    again = {(name, key_of(name, row)) for name, row, _ in codebook.open_cells()}
    if not again or again & decided:
        return
    folder = codebook_of(request)
    save(folder, codebook)
    raise UndecidedError(error, codebook, folder, gone)


def _scales(error: FaultsError) -> Mapping[str, Sequence[Any]]:
    """Return the likely options of each question if they differ, or else under ``*`` of all."""
    levels = levels_of(error.seen, ordered=True)
    return scales_of(error.everybody, ()) or ({} if levels is BLANK else {EVERY: levels})


def _columns(files: Files, tried: Request, request: Request) -> list[Row]:
    layout, given = layout_of(tried, files), (by_key(tried), by_key(request))
    with suppress(DataError):
        layout, _ = with_questions(tried, files)
    return [*columns_of(files.sheets, files.forms, layout, *given)]


def ask(codebook: Codebook, say: Callable[[Iterable[str]], None]) -> None:
    """Ask for each open cell; Enter takes what is proposed, for texts of one meaning at once."""
    together: dict[tuple, list[tuple[str, Row]]] = {}
    for name, row, cell in codebook.open_cells():
        reason = row[REMARK].partition(OR)[0]
        first = reason.partition(AS_FIRST)[2] or repr(row.get("text")) if name == LABELS else reason
        key = (name, cell, proposals(name, row).get(cell) or None, first)
        which = ", ".join(filter(None, key_of(name, row)))
        together.setdefault(key if key[2] else (*key, which), []).append((which, row))
    for (name, cell, proposal, *_), rows_of in together.items():
        which = shown([which for which, _ in rows_of], 3, str)
        say(["", f"{which}: {rows_of[0][1][REMARK]}"])
        allowed = [value for value in ALLOWED[name].get(cell, ()) if value not in ("", OPEN)]
        kind = click.Choice(allowed) if allowed else str
        answer = click.prompt(
            printable(f"{cell} of {which}"),
            default=proposal,
            type=kind,
            show_choices=proposal is None,  # Enter takes nothing
        )
        for _, row in rows_of:
            row[cell], row[BY] = str(answer), USER


def is_terminal() -> bool:
    """Return whether somebody is there who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def settled(
    request: StudyRequest, drafted: Codebook, old: Codebook, say: Callable[[Iterable[str]], None]
) -> Codebook:
    """Write a draft with what the user changed, say who decided what, and return it.

    Raises:
        UndecidedError: cells are open.
    """
    folder = codebook_of(request)
    codebook, gone = with_edits(drafted, old)
    save(folder, codebook)
    if open_cells := codebook.open_cells():
        asked = {
            row[REMARK]: (row.get("file", ()), key_of(name, row)) for name, row, _ in open_cells
        }
        faults = [
            fault("undecided-scores", remark, file=file, within=key[-1])
            for remark, (file, key) in asked.items()
        ]
        raise UndecidedError(FaultsError(faults, request), codebook, folder, gone)
    by = decisions(codebook)
    words = {USER: "decided by you", ACCEPTED: "taken as proposed"}
    lines = [
        f"  {who} ({len(by[name])}): {shown(by[name], MOST_CELLS, str)}"
        for name, who in words.items()
        if by.get(name)
    ]
    say([*gone, f"codebook: {request.syntax.codebook.format(folder=folder)}", *lines])
    return codebook
