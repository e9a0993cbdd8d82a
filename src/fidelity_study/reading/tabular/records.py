"""JSON Lines, and JSON lists of records: a record is a row, its keys are columns.

Keys of an object within a record are named with dots, as in ``answer.text``.
"""

import json
import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from fidelity_study.errors import refusal
from fidelity_study.reading.tabular.batch_output import COUNTED, without_envelope
from fidelity_study.reading.tabular.exports import OF_OBJECTS
from fidelity_study.reading.tabular.kept import as_cells, written
from fidelity_study.reading.tabular.lists import LISTED, ListError, joined, spare
from fidelity_study.reading.tabular.remedies import in_pandas
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.words import NAME_OF_MODEL

HALF_SIGN = re.compile("[\ud800-\udfff]")
ID, MODEL = "id", "model"
ANSWER = "answer"  # of a chat, in the place of its messages


class _TwiceError(ValueError):
    """A key that an object has twice."""


class _SignError(ValueError):
    """A text has half of a sign in it."""


class Records:
    """A file of records that has been read as a whole.

    Attributes:
        names: the keys, in order of appearance.
        notes: what is said of the file.
    """

    def __init__(self, records: Iterator[tuple[int, dict]]):
        """Take the records, each with the number of its row from 1."""
        self._rows = 0
        self._columns: dict[str, list[str | None]] = {}
        self._unreadable: dict[str, tuple[int, str]] = {}
        same: dict[str | None, str | None] = {}
        for self._rows, (number, record) in enumerate(records, start=1):
            for name, value in _flat(record):
                column = self._columns.setdefault(name, [])
                if len(column) == self._rows:
                    raise refusal("key-twice", f"has {name!r} twice; rename one", row=number)
                text = self._text(name, value, number) or None
                column += [None] * (self._rows - 1 - len(column))
                column.append(same.setdefault(text, text))
        nested = (name for name in self._unreadable if {*self._columns[name]} <= {None, "[]"})
        self.names, self.notes = spare(nested, [*self._columns])
        if not self._rows:
            raise refusal("empty-file", "is empty; it needs a record for each row")

    def columns(self, wanted: Sequence[int]) -> list[pa.DictionaryArray]:
        """Return columns at positions; null where a cell is empty."""
        names = [self.names[position] for position in wanted]
        for name in (name for name in names if name in self._unreadable):
            row, what = self._unreadable[name]
            raise refusal("list-in-cell", what, row=row, column=name)
        columns = [self._columns[name] for name in names]
        return [as_cells([*texts, *[None] * (self._rows - len(texts))]) for texts in columns]

    def _text(self, name: str, value: object, number: int) -> str | None:
        try:
            return _text(name, value)
        except _SignError as error:
            raise refusal(
                "half-sign",
                f"holds {error}, half of a sign, which no text has; write the whole sign, or "
                "delete it",
                row=number,
                column=repr(name)[1:-1],
            ) from None
        except ListError as error:
            self._unreadable.setdefault(name, (number, str(error)))
            return None


def of_lines(text: str) -> Iterator[tuple[int, dict]]:
    """Yield the records of JSON Lines; raise DataError at a line that is none."""
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        yield number, _record(number, line)


def of_list(text: str) -> Iterator[tuple[int, dict]]:
    """Yield the records of a JSON list; raise DataError if it is something else."""
    try:
        records = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        hint = "; JSON Lines are called .jsonl" if "Extra data" in str(error) else ""
        raise refusal("not-json", f"is no JSON ({error}){hint}; write it again") from None
    if isinstance(records, dict):
        records = _within(records)
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise refusal(
            "no-list-of-records",
            "is no list of records; write one, [{...}, ...], or JSON Lines (pandas: "
            "orient='records')",
        )
    yield from enumerate(records, start=1)


def _of_columns(whole: dict) -> list[dict] | None:
    """Return the records of a list of columns and one of rows; None of another object."""
    names, rows, index = (whole.get(key) for key in ("columns", "data", "index"))
    if not (isinstance(names, list) and isinstance(rows, list) and names and rows):
        return None
    if isinstance(index, list) and len(index) == len(rows) and isinstance(rows[0], list):
        names, rows = ["", *names], [[name, *row] for name, row in zip(index, rows, strict=True)]
    are_rows = all(isinstance(row, list) and len(row) == len(names) for row in rows)
    return [dict(zip(map(str, names), row, strict=True)) for row in rows] if are_rows else None


def _within(whole: dict) -> object:
    """Return the one list of records in an object, its other values in each; else the object.

    Or the records that are its values, each with its key; or a table of columns and data, as those
    of Weights & Biases, and of pandas that are split.
    """
    for export in OF_OBJECTS:
        if (known := export.records(whole)) is not None:
            return known
    if (of_models := _of_models(whole)) is not None:
        return of_models
    if (table := _of_columns(whole)) is not None:
        return table
    inside = [value for value in whole.values() if value not in (None, [], {})]
    parts = inside[0].values() if len(inside) == 1 and isinstance(inside[0], dict) else ()
    if parts and all(isinstance(row, dict) for row in parts):
        return _within(inside[0])
    keys = [key for key, value in whole.items() if isinstance(value, list)]
    rows = [row for row in whole.values() if isinstance(row, dict)]
    names = {*rows[0]} if len(rows) == len(whole) > 1 else set()
    is_named = all(names == {*row} for row in rows) and ID not in names
    if names and is_named and not any(map(str.isdecimal, names)):
        return [{ID: key, **row} for key, row in whole.items()]
    if len(keys) != 1 or not all(isinstance(record, dict) for record in whole[keys[0]]):
        return whole
    others = {name: value for name, value in whole.items() if name != keys[0]}
    return [{**others, **record} for record in whole[keys[0]]]


def _of_models(whole: dict) -> list[dict] | None:
    """Return a record for each persona of each model, whichever is within the other, or None.

    Raise DataError if personas are within what no name says is a model.

    >>> _of_models({"p1": {"gpt-4": {"q1": "Yes"}}, "p2": {"gpt-4": {"q1": "No"}}})
    [{'model': 'gpt-4', 'id': 'p1', 'q1': 'Yes'}, {'model': 'gpt-4', 'id': 'p2', 'q1': 'No'}]
    """
    parts = [(one, part) for one, part in whole.items() if isinstance(part, dict)]
    rows = [(one, two, row) for one, part in parts for two, row in part.items()]
    are_rows = len(parts) == len(whole) and all(isinstance(row, dict) for *_, row in rows)
    values = [value for *_, row in rows if are_rows for value in row.values()]
    if not any(isinstance(value, str | dict) for value in values):  # else shares of options
        return None
    for model, person in ((0, 1), (1, 0)):
        names = {row[model] for row in rows}
        if all(map(NAME_OF_MODEL.search, names)) and len(names) < len(rows):
            return [{MODEL: row[model], ID: row[person], **row[2]} for row in rows]
    if len(parts) > 1 and all(COUNTED.fullmatch(two) for _, two, _ in rows):
        one, two, row = rows[0]
        line = "pd.json_normalize([{'model': one, 'id': two, **row} for one, part in data.items() "
        line += "for two, row in part.items()]).to_json('FILE.jsonl', orient='records', lines=True)"
        what = f"is of objects in objects: {one!r} has {two!r} and others, which have {shown(row)}"
        how = f"; if {one!r} is a simulator, write a record for each persona: with data the file"
        raise refusal("objects-in-objects", f"{what}{how}'s object, {in_pandas(line)}")
    return None


def _record(number: int, line: str) -> dict:
    what = "an empty line; delete it" if not line.strip() else "is no JSON object"
    try:
        record = json.loads(line, object_pairs_hook=_object)
    except _TwiceError as error:
        raise refusal("key-twice", f"has {error} twice; rename one", row=number) from None
    except (ValueError, RecursionError) as error:
        end = "" if not line.strip() else f" ({error}); write one record on each line"
        raise refusal("not-json", f"{what}{end}", row=number) from None
    if not isinstance(record, dict):
        raise refusal("not-json", f"{what}; write one record on each line", row=number)
    return without_envelope(record)


def _object(pairs: list[tuple[str, object]]) -> dict:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(repr(next(name for name in names if names.count(name) > 1)))
    return record


def _flat(record: dict, before: str = "") -> Iterator[tuple[str, object]]:
    """Yield the values of a record by name, those of objects within it with dots."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        elif (said := _of_chat(value)) is not None:
            yield from [(f"{before}{ANSWER}", said)] if said else ()
        else:
            yield f"{before}{name}", value


def _of_chat(value: object) -> str | None:
    """Return what an assistant says last in a list of messages; None if it is no such list.

    Nothing where only others speak, as in a prompt.
    """
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        return None
    said = [part.get("content") for part in value if part.get("role") in ("assistant", "model")]
    is_prompt = bool(value) and not said and all({"role", "content"} <= {*part} for part in value)
    return "" if is_prompt else said[-1] if said and isinstance(said[-1], str) else None


def _text(name: str, value: object) -> str | None:
    """Return a value as text, None for an empty one; raise ListError if it is a list."""
    if isinstance(value, list):
        if name not in (LISTED, "") and all(isinstance(x, str | int | float) for x in value):
            return json.dumps(value, ensure_ascii=False)  # several options were chosen
        if name != LISTED:
            raise ListError(
                "holds a list of other things than texts or numbers; write a record for each of "
                "its answers"
            )
        return joined([_text("", option) for option in value])
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value - value == 0:
        return written(value)
    text = None if value is None else str(value)
    if half := HALF_SIGN.search(f"{name}{text or ''}"):
        raise _SignError(repr(half[0]))
    return text
