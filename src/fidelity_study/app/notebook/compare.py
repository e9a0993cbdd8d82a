"""The call that compares simulators with people, from tables in memory to the finished study."""

import hashlib
import inspect
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from fidelity import inputs
from fidelity_study.app.notebook import frames, running
from fidelity_study.app.notebook.comparison import Comparison
from fidelity_study.app.start.flow import decided
from fidelity_study.app.start.request import Request, file_name, normalized, refuse_missing
from fidelity_study.app.start.syntax import Python
from fidelity_study.config.read import study_of
from fidelity_study.errors import DataError, ErrorList, refusal, there_are
from fidelity_study.reading.codebook.tables import COLUMNS, LABELS, QUESTIONS, rows_of
from fidelity_study.reading.tabular.columns import as_label
from fidelity_study.reading.tabular.questions import matches
from fidelity_study.reading.tabular.reading_options import BY_NAME, MANY, SAID, Option
from fidelity_study.tables.read_write import complete

FOLDER, NAME, SCENARIOS = "compared", "comparison", "scenarios"
MOST_BINARY = 2
ROLES = ("columns.", "groups", "design.strata", "design.psu")
ARGUMENTS = [option.name for option in SAID if option.name != "scenarios"]


class Given(NamedTuple):
    """A table that the user gives.

    Attributes:
        shown: what messages call it.
        path: the file that it is, or that it becomes in the folder of the study.
        content: of that file; None of a file that is there.
        orders: of the ordered categories among its answers.
        notes: what is to be told of it.
    """

    shown: str
    path: str
    content: bytes | None = None
    orders: frozenset[tuple[str, ...]] = frozenset()
    notes: tuple[str, ...] = ()


def compare(
    human: Any,
    simulated: Any = None,
    scenarios: Any = None,
    *,
    columns: pd.DataFrame | None = None,
    questions: pd.DataFrame | list[str] | None = None,
    labels: pd.DataFrame | None = None,
    accept: bool = False,
    name: str | None = None,
    folder: str | os.PathLike | None = None,
    quiet: bool = False,
    **options: Any,
) -> Comparison:
    """Compare simulators with people: ``fidelity-curves start`` and ``run`` in one call.

    Tables are DataFrames (of pandas, or anything with ``to_pandas()``), which are left as they
    are, or paths of files. They are long or wide, as
    ``workflow/datasets/tabular/README.md`` explains; a named index is a column. Ordered categories
    of answers are their levels, unless ``levels`` or ``kind`` says otherwise.

    Args:
        human: what people answered.
        simulated: what simulators answered, or the probabilities they state; a list of such
            tables, or ``{name: table}`` where each is one simulator's.
        scenarios: describes the questions.
        columns: what columns are used for: the codebook's table ``columns`` of a comparison, or of
            the error that asked, with cells changed.
        questions: its table ``questions``, in the same way; or a list of the columns of wide tables
            that are questions, or of patterns such as ``q*``.
        labels: its table ``labels``.
        accept: whether to take what is proposed where nothing is decided.
        name: what the comparison is called. Called again with it, only what depends on changed
            tables or arguments is computed again.
        folder: where it is kept, with its tables, its config and all results; by default
            ``compared/<name>``, or without a name a folder for just these tables and arguments.
        quiet: whether to print nothing.
        options: as those of ``fidelity-curves start``, by which the tables are read:

    Returns:
        The finished comparison: Jupyter shows its page, and it has the tables as DataFrames.

    Raises:
        UndecidedError: cells of the codebook are to be decided first; its ``columns``,
            ``questions`` and ``labels`` have them, with what is proposed.
        DataError: with all that is wrong with the tables or arguments, and what to do.

    Example:
        >>> import pandas as pd
        >>> from fidelity_study import compare
        >>> human = pd.read_csv("config/example/human.csv")
        >>> simulated = pd.read_csv("config/example/simulated.csv")
        >>> study = compare(human, simulated, name="town", quiet=True)
        >>> print(study)  # doctest: +ELLIPSIS
        human: long, as it has columns for the question (scenario) and the answer (value)...
        language_model is 0.031 to 0.229 from people on average over these 8 questions...
    """
    changed: dict[str, Any] = {COLUMNS: columns, LABELS: labels}
    if isinstance(questions, pd.DataFrame):
        changed[QUESTIONS] = questions
    else:
        options[QUESTIONS] = questions
    given = _options(options)
    tables = _tables(human, simulated, scenarios, given)
    title = name or (Path(folder).resolve().name if folder else NAME)
    asked = _with_order(Request("", name=title, options=given), tables)
    names = tuple(map(str, simulated)) if isinstance(simulated, Mapping) else ()
    if folder is not None or name is not None:
        place = Path(folder or Path(FOLDER, file_name(asked.name))).resolve()
    else:
        place = Path(FOLDER, f"{NAME}_{_digest(asked, names, tables)}").resolve()
    paths = [
        table.path if table.content else os.path.relpath(table.path, place) for table in tables
    ]
    people, *theirs = paths
    described = {} if scenarios is None else {"scenarios": theirs.pop()}
    asked = replace(
        asked,
        human=people,
        simulated=tuple(theirs),
        own=dict(zip(names, theirs, strict=True)) if names else {},
        options={**asked.options, **described},
    )
    files = dict(zip(paths, tables, strict=True))
    shown = {path: (table.shown, table.content is not None) for path, table in files.items()}
    cells = {name: rows_of(frame) for name, frame in changed.items() if frame is not None}
    asked = replace(asked, syntax=Python(shown))
    understood = [note for table in tables for note in table.notes]
    new = next((path for path in [*reversed(place.parents), place] if not path.exists()), None)
    try:
        place.mkdir(parents=True, exist_ok=True)
        running.refuse_running(place, str(asked.config))
        for path, table in files.items():
            if table.content is not None:
                _save(place / path, table.content)
        with chdir(place):
            look = decided(asked, understood, accept=accept, cells=cells)
    except OSError as error:
        what = f"cannot be written ({error.strerror}); name another, folder='...'"
        raise refusal("not-writable", what, file=str(place)) from None
    except DataError:
        if new:
            shutil.rmtree(new, ignore_errors=True)
        raise
    if not quiet:
        print(*understood, sep="\n", flush=True)
    known = {str(note) for note in look.responses.notes}
    notes = [
        note for note in running.run(place, str(asked.config), quiet=quiet) if note not in known
    ]
    if notes and not quiet:
        print(*notes, sep="\n", flush=True)
    with chdir(place):
        return Comparison(place, study_of(asked.config), [*understood, *notes])


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments as a request has them, without those that say nothing.

    Raises:
        TypeError: there is no such argument.
    """
    if unknown := [name for name in given if name not in ARGUMENTS]:
        there = there_are(unknown[0], ARGUMENTS)
        raise TypeError(f"compare() has no argument {unknown[0]!r}; {there}")
    return normalized(given, _value)


def _value(option: Option, given: Any) -> Any:
    """Return an argument as a request has it."""
    match option.takes:
        case "text":
            return str(given)
        case "many" | "numbers":
            return tuple(map(str if option.takes == MANY else float, _each(given)))
        case "marks" | "levels":
            return tuple(map(_label, _each(given)))
        case "lists":
            return {str(name): list(map(str, questions)) for name, questions in given.items()}
        case "pairs":
            return tuple(
                (str(key), _label(cell)) for key, cells in given.items() for cell in _each(cells)
            )
        case "number":
            return _number(option.name, given)
        case "pair":
            return _bounds(given)
    return given


def _label(given: Any) -> str:
    """Return an answer as the study spells it."""
    return as_label("true" if given is True else "false" if given is False else str(given))


def _number(option: str, given: Any) -> float:
    try:
        return inputs.number(option, float(given), inputs.FINITE)
    except (TypeError, ValueError):
        raise refusal("not-a-number", f"{given!r} is no number; give one", key=option) from None


def _bounds(given: Any) -> tuple[float, float]:
    try:
        lower, upper = (inputs.number("bounds", float(end), inputs.FINITE) for end in given)
        return lower, upper
    except (TypeError, ValueError, IndexError):
        what = f"{given!r} are not two numbers; give bounds=(0, 10)"
        raise refusal("not-two-numbers", what, key="bounds") from None


def _each(given: Any) -> list:
    """Return one thing, or several, as a list."""
    if given is None:
        return []
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


def _tables(human: Any, simulated: Any, scenarios: Any, options: Mapping) -> list[Given]:
    """Return the tables: people's, those of simulators, and that of the scenarios, if there is one.

    Raises:
        DataError: with the faults of all of them.
    """
    if isinstance(simulated, Mapping):
        named = [(f"simulated[{name!r}]", table) for name, table in simulated.items()]
    elif isinstance(simulated, list | tuple):
        named = [(f"simulated[{i}]", table) for i, table in enumerate(simulated)]
    else:
        named = [] if simulated is None else [("simulated", simulated)]
    stems = ["simulated"] if len(named) == 1 else [f"simulated_{i + 1}" for i in range(len(named))]
    faults, tables = ErrorList(), list[Given]()
    for shown, stem, table in (
        ("human", "human", human),
        *((shown, stem, table) for stem, (shown, table) in zip(stems, named, strict=True)),
        *([] if scenarios is None else [(SCENARIOS, SCENARIOS, scenarios)]),
    ):
        with faults.collected():
            tables.append(_table(table, shown, f"{stem}.parquet", options))
    faults.refuse()
    return tables


def _table(given: Any, shown: str, path: str, options: Mapping) -> Given:
    """Return a table, with the orders of the categories among its answers."""
    if isinstance(given, str | os.PathLike):
        refuse_missing([os.fspath(given)])
        return Given(os.fspath(given), os.path.abspath(given))
    frame = frames.frame_of(given, shown)
    content = frames.parquet(frame, shown)
    orders: set[tuple[str, ...]] = set()
    if shown != SCENARIOS:
        columns = [
            column for name, column in options.items() if BY_NAME[name].key.startswith(ROLES)
        ]
        roles = {name for column in columns for name in _each(column)}
        patterns = options.get("questions", ["*"])
        asked = {column for column in set(frame) - roles if matches(column, patterns)}
        answers = {"value", "option"} & set(frame)
        orders = frames.orders(frame, answers or asked)
    return Given(shown, path, content, frozenset(orders), tuple(frames.unread_index(frame, shown)))


def _with_order(asked: Request, tables: list[Given]) -> Request:
    """Return the request with the order of ordered categories, unless it says what answers are.

    Raises:
        DataError: if categories are in several orders.
    """
    if asked["levels"] or asked["kind"] not in (None, "binary", "ordinal"):
        return asked
    orders = {
        tuple(category for category in order if category not in asked["missing"]): table.shown
        for table in tables
        for order in table.orders
    }
    if len(orders) > 1 and asked["kind"] is None:
        listed = "; ".join(f"{shown} has {' < '.join(order)}" for order, shown in orders.items())
        raise refusal(
            "orders-differ",
            f"ordered categories differ: {listed}; give them one order, or levels=[...], or, with "
            "options of its own for each question in scenarios, kind='ordinal'; kind='categorical' "
            "takes no order",
        )
    if len(orders) != 1:
        return asked
    ((levels, _),) = orders.items()
    if asked["kind"] or len(levels) <= MOST_BINARY:
        return replace(asked, options={**asked.options, "levels": levels})
    why = f"as its categories are ordered: {' < '.join(levels)}"
    ordered = {"levels": levels, "kind": "ordinal"}
    return replace(asked, options={**asked.options, **ordered}, why_kind=why)


def _digest(asked: Request, names: tuple[str, ...], tables: list[Given]) -> str:
    """Return a short hash of a call, of tables in memory by their content."""
    settings = [setting for setting in vars(asked).items() if setting[0] != "syntax"]
    content = hashlib.blake2b(repr((settings, names)).encode(), digest_size=4)
    for table in tables:
        content.update(f"\n{table.path}\n".encode() + (table.content or b""))
    return content.hexdigest()


def _save(path: Path, content: bytes) -> None:
    """Write a file, unless it is there already: Snakemake looks at its time."""
    if not path.is_file() or path.read_bytes() != content:
        with complete(path) as partial:
            partial.write_bytes(content)


def _documented() -> None:
    """Give the call the arguments that there are, so that notebooks complete and explain them."""
    signature = inspect.signature(compare)
    *known, _ = signature.parameters.values()
    names = [name for name in ARGUMENTS if name not in signature.parameters]
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
    compare.__signature__ = signature.replace(parameters=[*known, *more])  # type: ignore[attr-defined]
    lines = "".join(
        f"            {name}: {option.comment}: {option.choice}.\n"
        for name, option in ((name, BY_NAME[name]) for name in names)
    )
    text = compare.__doc__ or ""
    start, mark, end = text.partition("the tables are read:\n")
    compare.__doc__ = f"{start}{mark}{lines}{end}"


_documented()
