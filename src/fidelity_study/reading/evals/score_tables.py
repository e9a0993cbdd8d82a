"""Scores in a table: a row for each sample, or for each question with a column for each model."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor, inf, isclose, isnan
from statistics import fmean
from typing import Any

from fidelity_study.errors import BLANK, ErrorList, Remedy, refusal, there_are
from fidelity_study.reading.evals.direction import (
    HIGHER,
    LOWER,
    RANKS,
    has_no_end,
    of_table,
    suggests_lower,
)
from fidelity_study.reading.evals.files import TABLE
from fidelity_study.reading.evals.samples import (
    NO_SCORE,
    Log,
    Run,
    Sample,
    is_mean,
    mean_score,
)
from fidelity_study.reading.tabular.columns import THOUSANDS, as_number
from fidelity_study.reading.tabular.doubtful import alike, is_total
from fidelity_study.reading.tabular.exports.closing_rows import is_statistic
from fidelity_study.reading.tabular.exports.decimal_comma import COMMA, POINT
from fidelity_study.reading.tabular.exports.long_names import OF_ROWS
from fidelity_study.reading.tabular.exports.row_numbers import INDEX, with_index
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import NO, YES

PARTS = ("question", "model")
OPTIONAL = ("epoch", "cluster")
TRUTHS = {"true": 1.0, "false": 0.0}
GRADES = {"correct": 1.0, "right": 1.0, "partially correct": 0.5, "partial": 0.5}
GRADES |= {"incorrect": 0.0, "wrong": 0.0}
YES_OR_NO = dict.fromkeys(("y", *YES), 1.0) | dict.fromkeys(("n", *NO), 0.0)
LETTERS = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}
PASSES = {"pass": 1.0, "passed": 1.0, "fail": 0.0, "failed": 0.0}
WORDS = (GRADES, LETTERS, {**PASSES, "p": 1.0, "f": 0.0}, YES_OR_NO)
"""Words for scores; the words of a table are all of one list, or have others beside them."""
CODES_OF_NONE = {f"-{code}{end}" for code in (1, 9, 99, 999) for end in ("", ".0")}
NOTHING = {"", "nan", "na", "n/a", "null", "none"}
MEANS = {"mean", "average", "avg", "overall", "accuracy"}
ONCE, PERCENT = "1", "%"
MOST_TOLD, ROUNDING = 5, 6e-3
OF_NAME = re.compile(r"[(\[](\d+) *(?:-|\u2013|to) *(\d+)[)\]]")
NEAR, ENDS = 0.9, (1, 5, 10, 100)


def read_table(path: str, settings: dict, run: Run | None = None) -> Log:
    """Return what a table has.

    Args:
        path: of a CSV or Parquet file, or of a spreadsheet; or of a log.
        settings: of the eval: ``columns``, which column is which, and ``cluster``, another name of
            the column of clusters; ``recode``, what words stand for; ``model``, that of the file.
        run: the log as a table; None where the file is no log.

    Raises:
        DataError: with what is wrong, one line each.
    """
    sheet = run.sheet if run else opened(path)
    sheet = with_index(sheet) if settings["columns"].get("question") == INDEX else sheet
    columns, scores = _columns(sheet, settings, run)
    are_models = isinstance(settings["columns"].get("score"), list)
    log = Log(path, run.kind if run else TABLE, score="score" if are_models else scores[0])
    named = [name for names in columns.values() for name in names]
    texts = {column: texts_of(sheet, column) for column in scores}
    every = {text for column in scores for text in texts[column]}
    numbers = numbers_of(every - sentinels(every))
    log.better = None if are_models else of_table(scores[0], numbers)
    words = {**words_of(every), **settings["recode"]}
    if are_grades(every) and not {*every} & {*settings["recode"]}:
        log.better = HIGHER if log.better in (None, HIGHER) else None
    as_read = [line for line in sheet.recognised if not line.startswith(OF_ROWS)]
    log.notes += [f"is read so: {line}" for line in as_read]
    if are_percent(every):
        log.notes.append("has scores with a per cent sign, divided by 100")
    of_file = settings["model"] or (run.model if run else "")
    whose = {"model": of_file} if of_file and "model" not in columns else {}
    about = run.about if run else None
    log.samples += _samples(sheet, columns, texts, words, whose, log.notes, about)
    unread = [name for name in sheet.columns if name not in {*named, *scores}]
    if run:
        _add_run(log, run)
    elif unread:
        log.notes.append(f"has columns that were not read: {', '.join(unread)}")
    return log


def _add_run(log: Log, run: Run) -> None:
    """Add what a log says of its score, and of itself as a whole."""
    log.task, log.unfinished, mean = run.task, run.unfinished, mean_score(log.samples)
    log.better = None if log.score in run.doubts else run.better.get(log.score, log.better)
    log.why_unknown = run.doubts.get(log.score, "")
    log.notes += [f"is of the task {run.task}, and its score is {log.score}", *run.notes]
    stated = [
        f"{metric} {value:.3f}{f' by {by}' if by else ''}"
        for metric, by, value in run.figures.get(log.score, ())
        if mean is not None and not is_mean(value, mean)
    ]
    if stated:
        whole = f"and the mean of its scores is {mean:.3f}"
        log.notes.append(f"states {', '.join(stated)}, {whole}")


def words_of(texts: Iterable[str]) -> dict[str, float]:
    """Return what words of right and wrong stand for; nothing unless that is clear.

    Beside other words, such as ``timeout``, letters and yes and no may mean something else.

    Examples:
        >>> words_of(["Correct", "0.5", "incorrect"])
        {'correct': 1.0, 'incorrect': 0.0}
        >>> words_of(["pass", "fail", "timeout"])
        {'fail': 0.0, 'pass': 1.0}
        >>> words_of(["P", "N"])  # partially correct and no answer, or positive and negative?
        {}
    """
    words = sorted(word for word in {text.lower() for text in texts} if _is_word(word))
    of_lists = [known for known in WORDS if {*words} <= {*known}]
    if of_lists == [LETTERS] and not {"c", "i"} & {*words}:
        return {}
    meanings = [{word: known[word] for word in words} for known in of_lists]
    if meanings:
        return meanings[0] if all(one == meanings[0] for one in meanings) else {}
    known = {word: {**GRADES, **PASSES}[word] for word in words if word in {*GRADES, *PASSES}}
    return known if {0.0, 1.0} <= {*known.values()} else {}


def are_grades(texts: Iterable[str]) -> bool:
    """Return whether scores are words of right and wrong, of which right is better."""
    words = {text for text in map(str.lower, texts) if _is_word(text)}
    return bool(words_of(words)) and words - {*YES_OR_NO} != set()


def _is_word(text: str) -> bool:
    is_known = text in NOTHING or text in TRUTHS
    return not is_known and _number(text) is None


def _number(text: str) -> float | None:
    """Return a number, of a percentage its share of one."""
    number = as_number(text.removesuffix(PERCENT).strip())
    return number / 100 if number is not None and text.endswith(PERCENT) else number


def unknown_words(texts: Iterable[str]) -> set[str]:
    """Return the texts that are neither numbers nor words that are known, nor mean no score."""
    words = {text for text in texts if _is_word(text.lower())}
    known = words_of(words)
    return {text for text in words if text.lower() not in known}


def numbers_of(texts: Iterable[str]) -> set[float]:
    """Return the scores that texts stand for, as far as that is known."""
    several = {text.lower() for text in texts}
    known = {**TRUTHS, **words_of(several)}
    numbers = {known[text] if text in known else _number(text) for text in several}
    return {number for number in numbers if number is not None}


def range_of(texts: set[str], name: str, better: str | None) -> tuple[float, float, bool, bool]:
    """Return the smallest and largest score that there may be, and whether that is a guess.

    And whether it is a near one, as some score is almost the largest, or there is none.
    Its name may say both, as ``Coherence (1-10)``. It is a guess where scores go beyond 0 and 1, or
    are losses, which may have no end. The largest is infinite where nobody knows it, and where
    there is none.
    """
    numbers = numbers_of(texts)
    for low, high in ((float(ends[1]), float(ends[2])) for ends in OF_NAME.finditer(name)):
        if low < high and numbers and low <= min(numbers) and max(numbers) <= high:
            return low, high, False, True
    is_loss = better == LOWER or suggests_lower(name)
    if has_no_end(name):
        return min(0, floor(min(numbers, default=0))), inf, True, True
    beyond = any(not 0 <= number <= 1 for number in numbers)
    if not (beyond or (is_loss and not {*numbers} <= {0, 1} and not are_percent(texts))):
        return 0, 1, False, max(numbers, default=0) >= NEAR
    low, high = min(numbers), max(numbers)
    are_whole = all(number % 1 == 0 for number in numbers)
    if low == 1 and are_whole and (high in ENDS or name.strip().casefold() in RANKS):
        return 1, high, True, True
    end = next((end for end in ENDS if high <= end), inf)
    return min(0, floor(low)), end, True, high >= NEAR * end


def sentinels(texts: Iterable[str]) -> set[str]:
    """Return numbers below 0 that may stand for no score: whole ones, where no others are below 0.

    Examples:
        >>> sorted(sentinels(["0", "0.5", "1", "-1"])), sorted(sentinels(["-1", "-0.5", "2"]))
        (['-1'], [])
    """
    below = {text for text in texts if (as_number(text) or 0.0) < 0.0}
    return below if len(below) == 1 and below <= CODES_OF_NONE else set()


def are_percent(texts: Iterable[str]) -> bool:
    """Return whether scores have a per cent sign."""
    return any(text.endswith(PERCENT) for text in texts)


def _columns(
    sheet: Sheet, settings: dict, run: Run | None
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the columns of each part of a sample, and those of scores."""
    given: dict[str, Any] = {**(run.columns if run else {}), **settings["columns"]}
    if settings["cluster"] is not None:
        given.setdefault("cluster", settings["cluster"])
    scores: str | list[str] = given.pop("score", None) or (_only_score(run) if run else "score")
    several = scores if isinstance(scores, list) else [scores]
    are_models = isinstance(scores, list)
    is_named = settings["model"] and "model" not in {*given, *sheet.columns}
    silent = are_models or run or is_named
    columns = {part: given.get(part, part) for part in PARTS if part != "model" or not silent}
    columns |= {part: given.get(part, part) for part in OPTIONAL if part in given}
    if "epoch" in sheet.columns:
        columns.setdefault("epoch", "epoch")
    faults = ErrorList()
    named = {part: [one] if isinstance(one, str) else one for part, one in columns.items()}
    places = ((part, name) for part, names in {**named, "score": several}.items() for name in names)
    for part, name in places:
        with faults.collected():
            if name not in sheet.columns:
                raise sheet.fault(
                    "no-column",
                    f"has no column {name!r} for the {part}; "
                    f"{there_are(name, sheet.columns)}; name it: ",
                    Remedy({f"columns.{part}": BLANK}),
                )
    faults.refuse()
    return named, several


def _only_score(run: Run) -> str:
    """Return the score of a log that has one."""
    if run.scores[1:]:
        raise refusal(
            "several-choices",
            f"has several scores: {', '.join(run.scores)}; name the one that counts, such as ",
            Remedy({"columns.score": run.scores[0]}, is_sure=False),
            file=run.sheet.path,
        )
    return run.scores[0]


def texts_of(sheet: Sheet, column: str) -> list[str]:
    """Return cells; numbers have a point, also where a comma can be no sign between thousands."""
    texts = [(text or "").strip() for text in sheet.cells([column])[column].to_pylist()]
    commas = filter(COMMA.match, texts)
    is_sure = sheet.separator == ";" or any(not THOUSANDS.fullmatch(text) for text in commas)
    return [COMMA.sub(POINT, text) for text in texts] if is_sure else texts


def _joined(sheet: Sheet, names: Sequence[str]) -> list[str]:
    """Return the cells of a row as one text; an empty one if one of them is."""
    rows = zip(*(texts_of(sheet, name) for name in names), strict=True)
    return [" ".join(row) if all(row) else "" for row in rows]


def _samples(
    sheet: Sheet,
    columns: Mapping[str, Sequence[str]],
    texts: Mapping[str, Sequence[str]],
    words: Mapping[str, float | str],
    whose: Mapping[str, str],
    notes: list[str],
    about: Sequence[tuple[str, str, Mapping[str, str]]] | None,
) -> Iterator[Sample]:
    """Yield the samples of a table.

    Args:
        sheet: the table.
        columns: by part of a sample; the cells of several are joined.
        texts: of each column of scores.
        words: what they stand for.
        whose: the model, if all of the file is of one.
        notes: takes what is left out.
        about: of each row of a log its place, content and reasons, as :class:`Run` has them.
    """
    cells = {part: _joined(sheet, names) for part, names in columns.items()}
    are_models = "model" not in {*cells, *whose}
    rows, faults = list[tuple[int, Sample]](), ErrorList()
    of_sign = are_percent(text for column in texts.values() for text in column)
    for at in range(sheet.size):
        row = f"row {at + sheet.first_row}"
        place, content, reasons = about[at] if about else (row, "", {})
        parts = {**whose, **{part: values[at] for part, values in cells.items()}}
        for column, scores in texts.items():
            with faults.collected():
                score = _score(sheet, at, scores[at], column, words, of_sign=of_sign)
                sample = Sample(
                    column if are_models else parts["model"],
                    parts["question"],
                    parts.get("epoch", ONCE),
                    parts.get("cluster"),
                    score,
                    "" if score is not None else reasons.get(column, NO_SCORE),
                    place,
                    content,
                )
                rows.append((at, sample))
        if len(faults.faults) >= MOST_TOLD:
            break
    summaries = [] if faults.faults else _summaries([sample for _, sample in rows])
    if summaries:
        notes.append(f"has means of its rows: {shown(summaries)}; not read")
    for at, sample in rows:
        if sample.question in summaries:
            continue
        with faults.collected():
            for part, names in columns.items():
                if not getattr(sample, part):
                    empty = next(name for name in names if not texts_of(sheet, name)[at])
                    what = "is empty; fill it in, or name another column"
                    raise sheet.fault("empty-cell", what, at=at, column=empty)
            yield sample
        if len(faults.faults) >= MOST_TOLD:
            break
    faults.refuse()


def _summaries(samples: Sequence[Sample]) -> list[str]:
    """Return the last questions, if they are called means or totals of the others, and are."""
    questions = list(dict.fromkeys(sample.question for sample in samples))
    for at, name in enumerate(questions):
        if is_summary(name) and at > 1 and all(map(is_statistic, questions[at + 1 :])):
            above = {*questions[:at]}
            if _sums_up([one for one in samples if one.question == name], samples, above):
                return questions[at:]
    return []


def is_summary(name: str) -> bool:
    """Return whether what should be a question is called a mean or a total."""
    return alike(name) in MEANS or is_total(name)


def _sums_up(summaries: Sequence[Sample], samples: Sequence[Sample], above: set[str]) -> bool:
    """Return whether scores are the mean, or the sum, of those above, but for rounding."""
    for one in summaries:
        of_model = (other for other in samples if other.model == one.model)
        scores = [other.score for other in of_model if other.question in above]
        known = [score for score in scores if score is not None]
        wholes = (fmean(known), sum(known)) if known else ()
        fits = [isclose(one.score or 0, whole, rel_tol=ROUNDING) for whole in wholes]
        if one.score is not None and not any(fits):
            return False
    return True


def _score(
    sheet: Sheet,
    at: int,
    text: str,
    column: str,
    words: Mapping[str, float | str],
    *,
    of_sign: bool,
) -> float | None:
    lowered = text.lower()
    meant = words.get(text, words.get(lowered))
    if isinstance(meant, str) or (meant is None and lowered in NOTHING):
        return None
    number = TRUTHS.get(lowered, _number(text)) if meant is None else float(meant)
    if number is None or isnan(number):
        raise sheet.fault(
            "not-a-number",
            f"is {text!r}, not a number; a score is a number, true or false, or nothing where "
            "there is none; say what a word stands for: ",
            Remedy({"recode": {text: BLANK}}),
            at=at,
            column=column,
        )
    is_plain = not text.endswith(PERCENT) and lowered not in TRUTHS
    if of_sign and is_plain and number and meant is None:
        raise sheet.fault(
            "percent-and-number",
            f"is {text!r}, and other scores have a per cent sign; write all alike",
            at=at,
            column=column,
        )
    return number
