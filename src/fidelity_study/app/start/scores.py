"""Tables of scores: which files are some, and what their cells mean, as the codebook says it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import compress
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from fidelity_study.app.start.cells import (
    UNDECIDED,
    ask,
    decisions_in_words,
    is_terminal,
    to_decide,
)
from fidelity_study.app.start.logs import LogRequest, for_task, models_of_files
from fidelity_study.app.start.look import codebook_of
from fidelity_study.app.start.request import seen_from_here, stem
from fidelity_study.app.start.syntax import COMMAND_LINE
from fidelity_study.errors import DataError, Fault, fault, refusal
from fidelity_study.reading.codebook.draft import (
    OF_CONFIG,
    OF_NAME,
    drafted,
    facts_of,
)
from fidelity_study.reading.codebook.tables import (
    AND,
    BY,
    COLUMNS,
    COMPARE,
    DIRECTION,
    EPOCH,
    IGNORE,
    LABELS,
    MEANS,
    MISSING,
    NO_OPTION,
    OF_RULE,
    OPEN,
    PROPOSAL,
    QUESTION,
    QUESTIONS,
    REMARK,
    SCORE,
    USE,
    USES,
    Codebook,
    Row,
    key_of,
    read,
    save,
    with_edits,
)
from fidelity_study.reading.evals.direction import HIGHER, LOWER, of_table, suggests_lower
from fidelity_study.reading.evals.files import TABLE, kind_of
from fidelity_study.reading.evals.score_tables import (
    are_grades,
    are_percent,
    is_summary,
    numbers_of,
    unknown_words,
    words_of,
)
from fidelity_study.reading.tabular.columns import as_number, plain
from fidelity_study.reading.tabular.exports.table import columns_of
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.unread import FORECASTS
from fidelity_study.reading.tabular.words import MODEL, OF_MODELS, PEOPLE, SCENARIO_LIKE

SIMULATOR, TOPIC, LOW, HIGH = "simulator", "topic", "lower", "upper"
MODELS = OF_MODELS | {"model_id", "model_version", "model_name_or_path", "system", "agent"}
MODELS |= {"checkpoint", "engine"}
ITEMS = ("id", "idx", "index", "task", "doc", "prompt", "sample", "example", "problem", "instance")
ASKED = {*ITEMS, *(f"{item}_id" for item in ITEMS), "case", "test_case", "questions", "items"}
ASKED |= SCENARIO_LIKE
EPOCHS = {"epoch", "run", "trial", "attempt", "repeat", "repetition", "iteration", "try", "seed"}
MARKS = {"grade", "grades", "rating", "points", "mark", "marks", "verdict", "judgement", "judgment"}
PART_OF = {"question": QUESTION, "model": SIMULATOR, "epoch": EPOCH, "cluster": TOPIC}
VERSION = re.compile(r"\d")
MOST_WORDS, MOST_TIMES, ENDS, HUNDRED = 12, 10, (1, 5, 10, 100), 100
WHICH = f"say which score is better: --better {HIGHER} or --better {LOWER}"


@dataclass(frozen=True)
class Table:
    """A table of scores.

    Attributes:
        sheet: as it was read.
        texts: the cells by column.
        uses: of columns, but for those that are not read.
        doubts: columns that may be scores, too, with what is proposed.
    """

    sheet: Sheet
    texts: Mapping[str, list[str]]
    uses: Mapping[str, str]
    doubts: Mapping[str, str] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """The file, seen from here."""
        return seen_from_here(self.sheet.path)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self.sheet.columns

    @property
    def scores(self) -> list[str]:
        """Its columns of scores."""
        return self.of(SCORE) or [name for name, use in self.doubts.items() if use == SCORE]

    @property
    def is_of_one(self) -> bool:
        """Whether all its rows are of the model that the file is called by."""
        return not self.of(SIMULATOR) and len(self.scores) == 1

    @property
    def models(self) -> set[str]:
        """The models that a column names."""
        return {text for name in self.of(SIMULATOR) for text in self.texts[name]}

    def given(self, scores: Iterable[str]) -> set[str]:
        """Return the different scores, but for those of rows that are called means or totals."""
        names = [self.texts[lead] for lead in self.of(QUESTION)[:1]]
        are_read = [not is_summary(name) for name in (names[0] if names else ())]
        rows = are_read or [True] * len(next(iter(self.texts.values())))
        return {text for score in scores for text in compress(self.texts[score], rows)}

    def of(self, use: str) -> list[str]:
        """Return the columns of a use."""
        return [name for name in self.columns if self.uses.get(name) == use]

    def said(self, old: Codebook) -> "Table":
        """Return the same with the uses that the user gave columns."""
        changed = [edit.row for edit in old.edits() if edit.table == COLUMNS]
        rows = changed if self.uses else old.tables[COLUMNS]
        edits = {row["column"]: row[USE] for row in rows if row["file"] == self.path}
        doubts = {name: use for name, use in self.doubts.items() if name not in edits}
        return replace(self, uses={**self.uses, **edits}, doubts=doubts)


class UndecidedScoresError(DataError):
    """Cells of the codebook are to be decided before scores are read."""

    status = UNDECIDED

    def __init__(self, faults: Iterable[Fault], lines: Iterable[str]):
        """Take what is asked, and the lines on the cells that settle it."""
        super().__init__(*faults)
        self._lines = lines

    def __str__(self) -> str:
        """Return the faults, and the cells that settle them."""
        return "\n".join([super().__str__(), "", *self._lines])


def tables_of(paths: Sequence[str], named: Sequence[str], folder: str) -> list[str] | None:
    """Return files that are tables of scores, each once; None unless all are.

    Args:
        paths: the files.
        named: the columns of scores that the user names.
        folder: of the codebook, where the user may say that columns are scores.
    """
    return (
        [*dict.fromkeys(map(seen_from_here, paths))]
        if _says_scores(folder) or _tables(paths, named)
        else None
    )


def _says_scores(folder: str) -> bool:
    with suppress(DataError):
        return any(row.get(USE) == SCORE for row in read(folder).tables[COLUMNS])
    return False


def _tables(paths: Sequence[str], named: Sequence[str]) -> list[Table]:
    """Return the tables of scores that files are; none unless all are of the same form."""
    tables: list[Table] = []
    for path in paths:
        if kind_of(path) != TABLE or not Path(path).is_file():
            return []
        with suppress(DataError):
            tables += filter(None, [_table(opened(path), named, alone=len(paths) == 1)])
    of_one = [table.is_of_one for table in tables]
    same = all(table.columns == tables[0].columns for table in tables)
    is_whole = len(tables) == len(paths) and (not any(of_one) or (all(of_one) and same))
    return tables if is_whole else []


def _table(sheet: Sheet, named: Sequence[str], *, alone: bool) -> Table | None:
    """Return the table of scores that a sheet is; None if it is none, or may be one of answers."""
    who, asked, epochs = (
        [name for name in sheet.columns if name.casefold() in usual]
        for usual in (MODELS, ASKED, EPOCHS)
    )
    likely = [name for name in sheet.columns if name in named or (not named and _is_usual(name))]
    called = [] if who or named else [name for name in sheet.columns if _may_be_model(name)]
    asked = asked or (sheet.columns[:1] if called[1:] else [])
    if not (asked and (likely or called[1:])) or (not named and _states(sheet)):
        return None
    texts = _texts(sheet, dict.fromkeys([*asked, *who, *epochs, *likely, *called]))
    keys = [*who[:1], *epochs[:1]]
    lead = min(asked, key=lambda name: _rank(texts, name, keys))
    uses = {lead: QUESTION, **dict.fromkeys(who[:1], SIMULATOR), **dict.fromkeys(epochs[:1], EPOCH)}
    free = {name: column for name, column in texts.items() if name not in uses}
    scores = [name for name in likely if name in free and _are_mostly(free[name])]
    scores = scores or [name for name in likely if name in free and _are_few(free[name])]
    is_sure = bool(named) or lead.casefold() in SCENARIO_LIKE
    doubts: dict[str, str] = {}
    if called[1:] or (named[1:] and not who):
        people = any(PEOPLE.match(name.replace("_", " ")) for name in sheet.columns)
        scores = scores if named else _of_models(free, called, is_sure=is_sure)
        if people or not scores:
            return None
        doubts = {} if named else dict.fromkeys(_beside(_texts(sheet), [*uses, *scores]), IGNORE)
    elif who:
        values = {*texts[who[0]]}
        are_models = any(map(MODEL.search, values))
        scores = [name for name in scores if are_models or name in named or of_table(name)]
        if any(map(PEOPLE.fullmatch, values)):
            return None
    elif not (named or (not alone and _is_of_one(sheet, scores, is_sure=is_sure))):
        return None
    if not scores or (not who and not _is_key(texts, [lead, *epochs[:1]])):
        return None
    if scores[1:] and not (called[1:] or named[1:]):
        doubts = dict.fromkeys(scores, IGNORE) | {scores[0]: SCORE}
    uses |= {name: SCORE for name in scores if name not in doubts}
    return Table(sheet, _texts(sheet), uses, doubts)


def _states(sheet: Sheet) -> bool:
    """Return whether a column called as forecasts are has fractions, so that events are stated."""
    columns = _texts(sheet, [name for name in sheet.columns if name.casefold() in FORECASTS])
    numbers = ([as_number(text) for text in texts if text] for texts in columns.values())
    return any(None not in given and any((n or 0.0) % 1 for n in given) for given in numbers)


def _texts(sheet: Sheet, names: Iterable[str] | None = None) -> dict[str, list[str]]:
    """Return the cells of some columns, or of all."""
    wanted = list(sheet.columns if names is None else names)
    cells = columns_of(sheet, [sheet.columns.index(name) for name in wanted])
    stripped = [[(text or "").strip() for text in column] for column in cells]
    return dict(zip(wanted, stripped, strict=True))


def _is_usual(name: str) -> bool:
    return bool(of_table(name)) or suggests_lower(name) or name.casefold() in MARKS


def _may_be_model(name: str) -> bool:
    return bool(MODEL.search(name.replace("_", " ")))


def _is_version(name: str) -> bool:
    name = name.rpartition("/")[2]
    return bool(MODEL.match(name) and VERSION.search(name))


def _rank(texts: Mapping[str, list[str]], name: str, keys: Sequence[str]) -> tuple[bool, int]:
    """Return how well a column names questions: each once for a model, and shared by models."""
    return not _is_key(texts, [name, *keys]), len({*texts[name]})


def _is_key(texts: Mapping[str, list[str]], names: Sequence[str]) -> bool:
    """Return whether each row has other cells in some columns."""
    rows = [*zip(*(texts[name] for name in names), strict=True)]
    return len({*rows}) == len(rows)


def _of_models(free: Mapping[str, list[str]], called: Sequence[str], *, is_sure: bool) -> list[str]:
    """Return the columns of scores that are called after models; none if they may be others.

    Beside ids, which may be persons', models have a version. Scores and other numbers of the same
    models, as ``gpt-4o_correct`` and ``gpt-4o_tokens``, are told apart by their names alone.
    """
    scores = [name for name in called if name in free and _are_mostly(free[name])]
    if not is_sure and not all(map(_is_version, scores)):
        return []
    parts = {name: name.rpartition("_") for name in scores}
    stems = [stem for stem, _, _ in parts.values() if stem]
    if any(stems.count(stem) > 1 for stem in stems):
        by_name = [name for name, (_, _, end) in parts.items() if of_table(end)]
        scores = by_name or scores
    tops = [max(map(abs, numbers_of(free[name])), default=0) for name in scores]
    are_alike = bool(tops) and max(tops) <= MOST_TIMES * max(min(tops), 1)
    return scores if scores[1:] and are_alike else []


def _beside(texts: Mapping[str, list[str]], used: Sequence[str]) -> list[str]:
    """Return columns besides those that are used whose numbers are such as the last one's."""
    known = numbers_of(texts[used[-1]])
    others = {name: numbers_of(column) for name, column in texts.items() if name not in used}
    return [
        name
        for name, numbers in others.items()
        if known and numbers and not unknown_words(texts[name])
        if min(known) <= min(numbers) and max(numbers) <= max(known)
    ]


def _is_of_one(sheet: Sheet, scores: Sequence[str], *, is_sure: bool) -> bool:
    """Return whether a file may be of one model, by its name and that of its scores."""
    name = stem(sheet.path).replace("_", " ")
    is_clear = is_sure and any(of_table(score) and score != SCORE for score in scores)
    return not PEOPLE.match(name) and (is_clear or bool(MODEL.search(name)))


def _are_mostly(texts: Sequence[str]) -> bool:
    """Return whether most cells are scores: others may be errors, which the user is asked about."""
    unknown = unknown_words(texts)
    filled = [text for text in texts if text]
    return _are_few(texts) and 2 * sum(text in unknown for text in filled) < len(filled)


def _are_few(texts: Sequence[str]) -> bool:
    return len(unknown_words(texts)) <= MOST_WORDS


def decided(
    request: LogRequest, say: Callable[[Iterable[str]], None], *, accept: bool
) -> LogRequest:
    """Return a request with the settings of its tables of scores, as its codebook says them.

    Args:
        request: of logs, which is returned as it is, or of tables of scores.
        say: takes what the codebook says.
        accept: whether to take what is proposed.

    Raises:
        UndecidedScoresError: cells are to be decided, and nobody is there who can be asked.
    """
    if any(kind_of(path) != TABLE for path in request.files):
        return request
    folder = codebook_of(request)
    old, models = read(folder), models_of_files(request)
    read_tables = _tables(request.files, request["score"]) or [
        Table(sheet, _texts(sheet), {}) for sheet in map(opened, request.files)
    ]
    while True:
        evals = _evals(request, [table.said(old) for table in read_tables])
        codebook, gone = with_edits(_drafted(request, evals), old)
        save(folder, codebook)
        if not codebook.open_cells():
            break
        if not (accept and codebook.accept()):
            if not is_terminal():
                faults = {row[REMARK]: _asking(name, row) for name, row, _ in codebook.open_cells()}
                lines = to_decide(codebook, folder, COMMAND_LINE)
                raise UndecidedScoresError(faults.values(), lines)
            ask(codebook, say)
        old = codebook
    say([*gone, *decisions_in_words(codebook, folder, COMMAND_LINE)])
    settings = {
        name: _settings(request, name, tables, codebook, models) for name, tables in evals.items()
    }
    return replace(request, tables=settings)


def _asking(table: str, row: Row) -> Fault:
    which = key_of(table, row)[-1]
    return fault("undecided-scores", row[REMARK], file=row.get("file", ()), within=which)


def _evals(request: LogRequest, tables: Sequence[Table]) -> dict[str, list[Table]]:
    """Return the tables of each eval: all of them, where each is of another model, or one."""
    same = all(table.columns == tables[0].columns for table in tables)
    is_whole = all(table.is_of_one or len(table.models) == 1 for table in tables)
    if same and is_whole and len(tables) > 1:
        return {request.name: [*tables]}
    return {stem(table.path): [table] for table in tables}


def _drafted(request: LogRequest, evals: Mapping[str, Sequence[Table]]) -> Codebook:
    """Return a draft; what scores are is asked when it is known which columns they are in."""
    columns = [row for tables in evals.values() for row in _columns(request, tables[0])]
    questions, labels = list[Row](), list[Row]()
    is_open = any(row[USE] == OPEN for row in columns)
    for name, tables in () if is_open else evals.items():
        scores = tables[0].scores
        texts = {text for table in tables for text in table.given(scores)}
        questions.append(_question(request, name, tables[0], scores, texts))
        labels += _labels(texts, [row["text"] for row in labels])
    return drafted(columns, questions, labels)


def _columns(request: LogRequest, table: Table) -> Iterator[Row]:
    """Yield a row for each column of a table."""
    facts = facts_of(table.sheet)
    for name in table.columns:
        use, by, more = table.uses.get(name, IGNORE), OF_NAME, {}
        if name in table.doubts:
            several = "several columns may be scores" if table.uses else ""
            remark = "may be a model's scores, too" if table.of(SCORE) else several
            use, by = OPEN, OPEN
            more = {PROPOSAL: table.doubts[name], REMARK: f"{remark}; name them: --score {name}"}
        elif name in request["score"]:
            by = OF_CONFIG
        elif use == IGNORE:
            by, more = OF_RULE, {REMARK: "not read"}
        yield {"file": table.path, "column": name, USE: use, **facts.get(name, {}), BY: by, **more}


def _question(
    request: LogRequest, name: str, table: Table, scores: Sequence[str], texts: set[str]
) -> Row:
    """Return the row of an eval: which score is better, and which scores there can be."""
    title = scores[0] if len(scores) == 1 else stem(table.path)
    row = {QUESTION: name, USE: COMPARE, BY: OF_RULE}
    open_cells: dict[str, str] = {}
    remarks = []
    better = for_task(request["better"], name, only=False)
    known = of_table(scores[0]) if len(scores) == 1 else None
    if are_grades(texts) and known != LOWER:
        known = HIGHER
    if better or known:
        row |= {DIRECTION: better or known or "", BY: OF_CONFIG if better else OF_NAME}
    low, high = request["range"] or _range(texts, title, known)
    if _is_open(texts, title, known) and not request["range"]:
        open_cells |= {LOW: f"{low:g}", HIGH: f"{high:g}"}
        remarks.append(f"say which scores there can be, such as --range {low:g} {high:g}")
    else:
        row |= {LOW: f"{low:g}", HIGH: f"{high:g}"}
    if not (better or known):
        open_cells[DIRECTION] = LOWER if suggests_lower(title) else HIGHER
        remarks.append(WHICH)
    if open_cells:
        row |= dict.fromkeys(open_cells, OPEN) | {BY: OPEN, REMARK: "; ".join(remarks)}
        row[PROPOSAL] = AND.join(open_cells.values())
    return row


def _is_open(texts: set[str], name: str, better: str | None) -> bool:
    """Return whether scores may go beyond 0 and 1, or are losses, which may have no end."""
    numbers = numbers_of(texts)
    beyond = any(not 0 <= number <= 1 for number in numbers)
    is_loss = better == LOWER or suggests_lower(name)
    return beyond or (is_loss and not {*numbers} <= {0, 1} and not are_percent(texts))


def _range(texts: set[str], name: str, better: str | None) -> tuple[float, float]:
    """Return the smallest and the largest score that there may be."""
    numbers = numbers_of(texts)
    if not _is_open(texts, name, better):
        return 0, 1
    low, high = min(numbers), max(numbers)
    beyond = 10 ** floor(log10(high)) if high > HUNDRED else 1
    top = next((end for end in ENDS if high <= end), ceil(high / beyond) * beyond)
    return min(0, floor(low)), top


def _labels(texts: set[str], there: Sequence[str]) -> Iterator[Row]:
    """Yield a row for each word among scores, with the number that it stands for."""
    known, unknown = words_of(texts), unknown_words(texts)
    for text in sorted(texts - {*there}):
        if text in unknown:
            remark = "say what score it stands for, or missing"
            yield {"text": text, MEANS: OPEN, BY: OPEN, REMARK: remark}
        elif text.lower() in known:
            yield {"text": text, MEANS: f"{known[text.lower()]:g}", BY: OF_NAME}


def _settings(
    request: LogRequest,
    name: str,
    tables: Sequence[Table],
    codebook: Codebook,
    models: Mapping[str, str],
) -> dict[str, Any]:
    """Return an eval's settings, as the config has them."""
    first, paths = tables[0], [table.path for table in tables]
    rows = [row for row in codebook.tables[COLUMNS] if row["file"] == first.path]
    by_use: dict[str, list[str]] = {use: [] for use in USES}
    for row in rows:
        by_use[row[USE]].append(row["column"])
    columns: dict[str, Any] = {}
    for part, use in PART_OF.items():
        if len(by_use[use]) > 1 or (part == "question" and not by_use[use]):
            raise _wrong_uses(first, "one column is", use)
        columns |= dict.fromkeys([part][: len(by_use[use])], *by_use[use])
    if not by_use[SCORE] or ("model" in columns and by_use[SCORE][1:]):
        raise _wrong_uses(first, "one column is, or, without one of models, that of each,", SCORE)
    are_models = "model" not in columns and len(by_use[SCORE]) > 1
    columns["score"] = by_use[SCORE] if are_models else by_use[SCORE][0]
    cluster = request["cluster"] or columns.pop("cluster", None)
    (row,) = (row for row in codebook.tables[QUESTIONS] if row[QUESTION] == name)
    limits = list(request["range"] or [plain(row.get(end, "")) for end in (LOW, HIGH)])
    is_of_one = "model" not in columns and not are_models
    named = {path: models.get(path, stem(path)) for path in paths} if is_of_one else {}
    settings = {
        "files": paths,
        "columns": columns,
        "cluster": cluster,
        "better": for_task(request["better"], name, only=False) or row[DIRECTION],
        "range": limits if limits not in ([0, 1], ["", ""]) else None,
        "recode": _recoded(codebook),
        "models": named,
    }
    return {key: value for key, value in settings.items() if value}


def _wrong_uses(table: Table, which: str, use: str) -> DataError:
    what = f"{which} {use!r} in {COLUMNS}.csv; write so in its cell {USE!r}"
    return refusal("wrong-uses", what, file=table.path)


def _recoded(codebook: Codebook) -> dict[str, float | str]:
    """Return what changed words stand for."""
    recoded: dict[str, float | str] = {}
    for edit in (edit for edit in codebook.edits() if edit.table == LABELS and edit.field == MEANS):
        number = as_number(edit.value)
        if number is None and edit.value not in NO_OPTION:
            what = f"{edit.value!r} is no score; write a number, or {MISSING}"
            raise refusal("codebook-cell", what, file=f"{LABELS}.csv", within=edit.row["text"])
        recoded[edit.row["text"]] = MISSING if number is None else number
    return recoded
