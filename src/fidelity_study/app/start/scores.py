"""Tables of scores: which files are some, and what their cells mean, as the codebook says it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from shlex import quote
from typing import Any

from fidelity_study.app.start import logs
from fidelity_study.app.start.cells import settled
from fidelity_study.app.start.logs import (
    LogRequest,
    models_of_files,
)
from fidelity_study.app.start.look import codebook_of
from fidelity_study.app.start.request import seen_from_here
from fidelity_study.errors import DataError, ErrorList, refusal, there_are
from fidelity_study.reading.codebook.draft import OF_CONFIG, OF_NAME, facts_of
from fidelity_study.reading.codebook.tables import (
    AND,
    BY,
    COLUMNS,
    COMPARE,
    DIRECTION,
    ENDLESS,
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
    SIMULATOR,
    USE,
    USES,
    Codebook,
    Row,
    read,
)
from fidelity_study.reading.evals.direction import (
    HIGHER,
    LOWER,
    RANKS,
    has_no_end,
    is_share,
    is_turned,
    of_table,
    suggests_lower,
)
from fidelity_study.reading.evals.recognised import (
    METRICS,
    Table,
    by_metric,
    may_be_model,
    table_of_log,
    tables_of_scores,
)
from fidelity_study.reading.evals.runs import run_of
from fidelity_study.reading.evals.samples import Log, Run
from fidelity_study.reading.evals.score_tables import (
    are_grades,
    numbers_of,
    range_of,
    sentinels,
    unknown_words,
    words_of,
)
from fidelity_study.reading.tabular.columns import as_number, plain
from fidelity_study.reading.tabular.exports.promptfoo import ERROR
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.spreadsheet import stem
from fidelity_study.reading.tabular.words import MODEL, RATER

TOPIC, LOW, HIGH = "topic", "lower", "upper"
TIME = re.compile(r"\d[\d_.T:-]{5,}")
PART_OF = {"question": QUESTION, "model": SIMULATOR, "epoch": EPOCH, "cluster": TOPIC}
WHY = {
    QUESTION: "may be what names the question of a score",
    SIMULATOR: "may name the model of a score",
    TOPIC: "may group the questions: those of one are alike; ignore, if not",
    EPOCH: "may say which of several scores of the same answer it is",
}
SEVERAL_EVALS = (
    "may name several evals, which are one together here; for one each, make a file each, in "
    "pandas, `for name, rows in table.groupby({0!r}): rows.to_csv(f'{{name}}.csv', index=False)`"
)
BY_PERSON = "may be ratings by a person, who is no model: say score if it shall be compared as one"
WHICH = f"say which score is better: --better {HIGHER} or --better {LOWER}"


def tables_of(paths: Sequence[str], options: Mapping, folder: str) -> list[str] | None:
    """Return files that are tables of scores, each once; None unless all are.

    Args:
        paths: the files.
        options: the user's, as the columns of scores, and that of models.
        folder: of the codebook, where the user may say that columns are scores.
    """
    uses: dict[tuple[str, str], str] = {}
    with suppress(DataError):
        uses = {(row["file"], row["column"]): row[USE] for row in read(folder).tables[COLUMNS]}
    is_said = SCORE in uses.values()
    tables = [] if is_said else tables_of_scores(paths, options)
    asked = [(table.path, name) for table in tables for name in table.scores if not table.of(SCORE)]
    are_scores = is_said or (tables and QUESTION not in map(uses.get, asked))
    return [*dict.fromkeys(map(seen_from_here, paths))] if are_scores else None


def understood(
    request: LogRequest, say: Callable[[Iterable[str]], None]
) -> tuple[dict[str, list[Log]], str]:
    """Say what logs, or tables of scores, and their codebook hold; return it, and the config.

    Raises:
        UndecidedError: cells are to be decided.
        DataError: what else is wrong, with the options that mend it.
    """
    return logs.understood(_with_evals(request, read(codebook_of(request)), say), say)


def _with_evals(
    request: LogRequest, old: Codebook, say: Callable[[Iterable[str]], None]
) -> LogRequest:
    """Return a request with the settings of its evals, as the codebook says them."""
    models = models_of_files(request)
    evals = _evals(
        request, [_said(table, old) for table in _logs(request) or _tables(request, old)]
    )
    codebook = settled(request, _drafted(request, evals), old, say)
    settings = {
        name: _settings(request, name, tables, codebook, models) for name, tables in evals.items()
    }
    return replace(request, evals=settings)


def _logs(request: LogRequest) -> list[Table]:
    """Return logs as tables of scores; none of tables."""
    faults, runs = ErrorList(), list[Run]()
    for path in request.files:
        with faults.collected():
            runs += filter(None, [run_of(path)])
    faults.refuse()
    there = dict.fromkeys(name for run in runs for name in run.scores)
    for name in request["score"] if runs else ():
        if name not in there:
            what = f"is no score of the logs; {there_are(name, there)}"
            raise refusal("unknown-score", what, key=f"--score {name}")
    return [table_of_log(run, request["score"]) for run in runs]


def _tables(request: LogRequest, old: Codebook) -> list[Table]:
    """Return files as tables of scores, by the options and by what the user changed."""
    edits = [edit.row for edit in old.edits() if edit.table == COLUMNS]
    taken = [(row["file"], row["column"]) for row in edits if row[USE] in (IGNORE, TOPIC)]
    as_cells = {
        part: request[part] or [*dict.fromkeys(row["column"] for row in edits if row[USE] == use)]
        for part, use in (("score", SCORE), ("simulator", SIMULATOR))
    }
    ways = (request.options, {**request.options, **as_cells})
    recognised = (tables_of_scores(request.files, options, taken) for options in ways)
    return next(filter(None, recognised), [Table(opened(path)) for path in request.files])


def _said(table: Table, old: Codebook) -> Table:
    """Return a table with the uses that the user gave columns."""
    changed = [edit.row for edit in old.edits() if edit.table == COLUMNS]
    edits = {row["column"]: row[USE] for row in changed if row["file"] == table.path}
    of_scores = {name: use for name, use in table.doubts.items() if use in ("", IGNORE, SCORE)}
    is_settled = SCORE in edits.values() and table.are_rivals
    known = {*edits, *({*of_scores}.difference(table.evals) if is_settled else ())}
    doubts = {name: use for name, use in table.doubts.items() if name not in known}
    return replace(table, uses={**table.uses, **edits}, doubts=doubts)


def _evals(request: LogRequest, tables: Sequence[Table]) -> dict[str, list[Table]]:
    """Return the tables of each eval: all of them, where each is of another model, or one.

    Logs of one task are an eval.
    """
    by_task: dict[str, list[Table]] = {}
    for table in tables:
        if table.run and not table.run.task:
            what = "does not say which task it is of; lm_eval calls such files "
            raise refusal("no-task", f"{what}samples_TASK_TIME.jsonl", file=table.path)
        if table.run:
            by_task.setdefault(table.run.task, []).append(table)
    if by_task:
        return by_task
    for table in tables:
        scores = table.of(SCORE) if not table.of(SIMULATOR) else []
        others = [name for name in scores if not may_be_model(name)]
        metrics = others if tables[1:] else [name for name in others if of_table(name)]
        if scores[1:] and (metrics or len(by_metric(scores)) > 1):
            what = (
                f"{shown(scores)}: columns of scores are of models, and these may be several "
                "metrics; name the scores of one alone, and compare others in studies of their "
                "own: --score COL --name NAME"
            )
            raise refusal("several-metrics", what, file=table.path)
    same = len({(*table.columns, table.of_all(METRICS)) for table in tables}) == 1
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
        texts = {text for table in tables for text in table.given(tables[0].scores)}
        questions.append(_question(request, name, tables, texts))
        labels += _labels(texts, [row["text"] for row in labels])
    return Codebook.of(columns, questions, labels)


def _columns(request: LogRequest, table: Table) -> Iterator[Row]:
    """Yield a row for each column of a table."""
    facts = facts_of(table.sheet)
    topic = None if request["cluster"] or table.of(TOPIC) else table.topic
    for name in table.columns:
        unnamed = TOPIC if name == request["cluster"] else IGNORE
        use, by, more = table.uses.get(name, unnamed), OF_NAME, {}
        if name in table.doubts:
            use, by, proposal = OPEN, OPEN, table.doubts[name]
            of_score = "may be scores, too" if table.scores != [name] else "may be scores"
            of_people = "" if table.of(SCORE) else f"; {QUESTION}, if people answered it"
            of_score += f"; name the columns that are: --score COL{of_people}"
            remark = WHY.get(proposal, of_score)
            if not proposal and name not in table.evals and table.are_rivals:
                same = next((s for s in by_metric(table.doubts).values() if name in s), [name])
                line = " ".join(f"--score {quote(column)}" for column in same)
                remark = f"one of several metrics; name the one that counts: {line}"
            remark = SEVERAL_EVALS.format(name) if name in table.evals else remark
            remark = BY_PERSON if name in request["score"] and RATER.fullmatch(name) else remark
            more = {PROPOSAL: proposal, REMARK: remark}
        elif name in {*request["score"], *request["simulator"], request["cluster"]}:
            by = OF_CONFIG
        elif name == topic:
            use, by, more = OPEN, OPEN, {PROPOSAL: TOPIC, REMARK: WHY[TOPIC]}
        elif use == IGNORE:
            by, more = OF_RULE, {REMARK: "not read"}
        yield {"file": table.path, "column": name, USE: use, **facts.get(name, {}), BY: by, **more}


def _question(request: LogRequest, name: str, tables: Sequence[Table], texts: set[str]) -> Row:
    """Return the row of an eval: which score is better, and which scores there can be."""
    table, scores = tables[0], tables[0].scores
    file = name if table.run else stem(table.path)
    is_named = len(scores) == 1 or {*map(suggests_lower, scores)} == {True}
    is_named &= not (scores[0].casefold() in {SCORE, "value"} and suggests_lower(file))
    is_named |= (metric := table.of_all(METRICS)) != ""
    shared = [*by_metric(scores)] if scores[1:] else []
    title = metric or (shared[0] if shared else scores[0] if is_named else file)
    row = {QUESTION: name, USE: COMPARE, BY: OF_RULE}
    open_cells: dict[str, str] = {}
    remarks = []
    better = request["better"]
    numbers = numbers_of(texts - sentinels(texts))
    said = {one.better(scores[0]) for one in tables}
    known = said.pop() if len(said) == 1 else ""
    is_unclear = known == ""
    if known is None and (is_named or shared or suggests_lower(file)):
        known = of_table(title, numbers)
    if are_grades(texts) and known != LOWER and not is_unclear:
        known = HIGHER
    if better or known:
        row |= {DIRECTION: better or known or "", BY: OF_CONFIG if better else OF_NAME}
    low, high, is_open, is_near = range_of(texts - sentinels(texts), title, known)
    if request["range"]:
        (low, high), is_open = request["range"], False
    is_endless = (known == LOWER or suggests_lower(title)) and not (is_share(title) and high <= 1)
    is_endless &= not has_no_end(title)
    ends = {LOW: f"{low:g}", HIGH: f"{high:g}"}
    if is_open and (is_endless or not is_near):
        open_cells |= {LOW: "" if is_endless else ends[LOW], HIGH: ""}
        remarks.append("say which scores there can be: --range LOWEST HIGHEST (inf: no end)")
    elif is_open:
        open_cells |= ends
        remarks.append(f"say which scores there can be, such as --range {low:g} {high:g}")
    else:
        row |= ends
    if not (better or known):
        is_loss = suggests_lower(title) and (is_named or not numbers <= {0, 1})
        is_loss |= not (is_named or is_open) and high == inf and max(numbers, default=0) > 1
        is_loss = title.casefold() in RANKS or (is_loss and not is_turned(title, numbers))
        is_open_to_all = is_unclear or (metric and not is_loss)
        open_cells[DIRECTION] = "" if is_open_to_all else LOWER if is_loss else HIGHER
        why = table.run.doubts.get(scores[0]) if table.run else ""
        remarks.append(f"{WHICH} ({why})" if why else WHICH)
    if open_cells:
        row |= dict.fromkeys(open_cells, OPEN) | {BY: OPEN, REMARK: "; ".join(remarks)}
        row[PROPOSAL] = AND.join(open_cells.values()) if any(open_cells.values()) else ""
    return row


def _labels(texts: set[str], there: Sequence[str]) -> Iterator[Row]:
    """Yield a row for each word, and for each number that may stand for none, with its meaning."""
    known, unknown, far = words_of(texts), unknown_words(texts), sentinels(texts)
    for text in sorted(texts - {*there}):
        if text in unknown:
            remark = "say what score it stands for, or missing"
            proposal = MISSING if text.lower() == ERROR else ""
            yield {"text": text, MEANS: OPEN, BY: OPEN, PROPOSAL: proposal, REMARK: remark}
        elif text.lower() in known:
            yield {"text": text, MEANS: f"{known[text.lower()]:g}", BY: OF_NAME}
        elif text in far:
            remark = "far from the other scores: say whether it is one, or stands for none"
            yield {"text": text, MEANS: OPEN, BY: OPEN, PROPOSAL: MISSING, REMARK: remark}


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
    for use in USES:
        if by_use[use] and use not in (*PART_OF.values(), SCORE, IGNORE):
            what = f"{use!r} in {COLUMNS}.csv is of columns of answers; write {IGNORE}"
            raise refusal("wrong-uses", what, file=first.path, within=by_use[use][0])
    columns: dict[str, Any] = {}
    for part, use in PART_OF.items():
        several = by_use[use]
        if (len(several) > 1) if part != "question" else not several:
            raise _wrong_uses(first.path, "one column is", use)
        columns |= {part: several if several[1:] else several[0]} if several else {}
    is_one = first.run or "model" in columns
    if not by_use[SCORE] or (is_one and by_use[SCORE][1:]):
        raise _wrong_uses(
            first.path, "one column is, or, without one of models, that of each,", SCORE
        )
    are_models = "model" not in columns and len(by_use[SCORE]) > 1
    columns["score"] = by_use[SCORE] if are_models else by_use[SCORE][0]
    cluster = columns.pop("cluster", request["cluster"])
    (row,) = (row for row in codebook.tables[QUESTIONS] if row[QUESTION] == name)
    cells = [row.get(end, "") for end in (LOW, HIGH)]
    limits = list(request["range"] or _limits(cells))
    named = {} if "model" in columns or are_models else _named_by_files(paths) | dict(models)
    if first.run:
        columns = {part: name for part, name in columns.items() if name != first.usual.get(part)}
        named = {path: name for path, name in models.items() if path in paths}
    settings = {
        "files": paths,
        "columns": columns,
        "cluster": cluster,
        "better": request["better"] or row[DIRECTION],
        "range": limits if limits not in ([0, 1], ["", ""]) else None,
        "recode": _recoded(codebook),
        "models": named,
    }
    return {key: value for key, value in settings.items() if value}


def _limits(cells: Iterable[str]) -> list:
    return [float(end) if end in ENDLESS else plain(end) for end in cells]


def _named_by_files(paths: Sequence[str]) -> dict[str, str]:
    """Return the models that files, or else the folders of files called alike, are called by.

    The time of a run is no name.
    """
    names = {path: stem(path) for path in paths}
    folders = {path: Path(path).resolve().parent.name for path in paths}
    kinds = {name if MODEL.search(name) else TIME.sub("", name) for name in names.values()}
    are_alike = len(kinds) < len(paths) == len({*folders.values()})
    return folders if are_alike else names


def _wrong_uses(path: str, which: str, use: str) -> DataError:
    what = f"{which} {use!r} in {COLUMNS}.csv; write so in its cell {USE!r}"
    return refusal("wrong-uses", what, file=path)


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
