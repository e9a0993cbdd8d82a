"""The call that compares simulators with people, from tables in memory to the finished study."""

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from fidelity_study.errors import DataError, Faults
from fidelity_study.notebook import frames, running
from fidelity_study.notebook.comparison import Comparison
from fidelity_study.run.figure import study_of
from fidelity_study.start.flow import write
from fidelity_study.start.remedies import Known, in_place
from fidelity_study.start.request import Request, file_name, refuse_missing
from fidelity_study.start.spelling import PYTHON
from fidelity_study.tables.read_write import complete
from fidelity_study.tabular.columns import as_label

FOLDER, NAME = "compared", "comparison"
MOST_BINARY = 2


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
    name: str | None = None,
    folder: str | os.PathLike | None = None,
    scenario: Any = None,
    value: Any = None,
    count: Any = None,
    probability: Any = None,
    weight: Any = None,
    respondent: Any = None,
    simulator: Any = None,
    ignore: Any = (),
    missing: Any = (),
    stated: Any = (),
    cluster: Any = None,
    kind: str | None = None,
    levels: Iterable = (),
    bounds: tuple[float, float] | None = None,
    weighting_effect: float | None = None,
    tolerance: float | None = None,
    form: str | None = None,
    separator: str | None = None,
    quiet: bool = False,
) -> Comparison:
    """Compare simulators with people: ``fidelity-curves start`` and ``run`` in one call.

    Tables are DataFrames (of pandas, or anything with ``to_pandas()``), which are left as they
    are, or paths of files. They are long, wide or cell tables, as
    ``workflow/datasets/tabular/README.md`` explains; a named index is a column. Ordered categories
    of answers are their levels, unless ``levels`` or ``kind`` says otherwise.

    Args:
        human: what people answered.
        simulated: what simulators answered, or the probabilities they state; a list of such
            tables, or ``{name: table}`` where each is one simulator's.
        scenarios: describes the questions.
        name: what the comparison is called. Called again with it, only what depends on changed
            tables or arguments is computed again.
        folder: where it is kept, with its tables, its config and all results; by default
            ``compared/<name>``, or without a name a folder for just these tables and arguments.
        scenario, value, count, probability, weight, respondent: the column that has this role, if
            it isn't called so.
        simulator: the column that names the simulator, or a list of columns that do so together.
        ignore: columns that are not read.
        missing: cells that are no answer, besides empty ones.
        stated: simulators of a cell table whose shares are probabilities.
        cluster: the column that groups the questions.
        kind: what an answer is: binary, ordinal, categorical, bounded or real.
        levels: the options in order.
        bounds: the range of numbers.
        weighting_effect: people over the number of unweighted people they are worth.
        tolerance: how far off is still good enough; then the page says who can stand in for people.
        form: of all tables: long, wide or cells.
        separator: of text files, if it isn't the usual one.
        quiet: whether to print nothing.

    Returns:
        The finished comparison: Jupyter shows its page, and it has the tables as DataFrames.

    Raises:
        DataError: with all that is wrong with the tables or arguments, and what to do.

    Example:
        >>> import pandas as pd
        >>> from fidelity_study import compare
        >>> human = pd.read_csv("config/example/human.csv")
        >>> simulated = pd.read_csv("config/example/simulated.csv")
        >>> study = compare(human, simulated, name="town", quiet=True)
        >>> means = study.means.query("target == 'asked' and answers == 'drawn' and tail == 1")
        >>> means[["simulator", "ci_lower", "ci_upper"]].round(3)
                simulator  ci_lower  ci_upper
        0  language_model     0.000     0.229
        6         uniform     0.017     0.299
        14         pooled     0.000     0.229
    """
    columns = _columns(locals(), simulator)
    unread = tuple(map(str, _each(ignore)))
    codes = tuple(as_label(str(each)) for each in _each(missing))
    people, simulators, described = _given(human, simulated, scenarios, columns, unread)
    tables = [*people, *simulators, *described]
    known = _levels([*people, *simulators], tuple(map(as_label, map(str, levels))), kind, codes)
    asked = Request(
        human="",
        name=name or (Path(folder).resolve().name if folder else NAME),
        columns=columns,
        ignore=unread,
        missing=codes,
        stated=tuple(map(str, _each(stated))),
        levels=known,
        bounds=bounds and (float(bounds[0]), float(bounds[1])),
        kind="ordinal"
        if kind is None and known and not levels and len(known) > MOST_BINARY
        else kind,
        cluster=None if cluster is None else str(cluster),
        form=form,
        separator=separator,
        weighting_effect=weighting_effect,
        tolerance=tolerance,
        spelling=PYTHON,
    )
    place = _folder(folder, name, asked, tables, simulated)
    paths = [each.path if each.content else os.path.relpath(each.path, place) for each in tables]
    last = len(paths) - len(described)
    asked = replace(
        asked,
        human=paths[0],
        simulated=tuple(paths[1:last]),
        own=dict(zip(map(str, simulated), paths[1:last], strict=True))
        if isinstance(simulated, Mapping)
        else {},
        scenarios=paths[last] if described else None,
        out=Path(f"{file_name(asked.name)}.yaml"),
    )
    return _compared(place, asked, tables, quiet=quiet)


def _compared(place: Path, asked: Request, tables: list[Given], *, quiet: bool) -> Comparison:
    """Run the study in its folder."""
    shown = dict(zip(asked.files, tables, strict=True))
    is_new = not place.exists()
    understood = [note for each in tables for note in each.notes]
    try:
        place.mkdir(parents=True, exist_ok=True)
        running.refuse_running(place)
        for each in tables:
            if each.content is not None:
                _save(place / each.path, each.content)
        with chdir(place):
            write(asked, lambda lines: understood.extend(_in_python(line, shown) for line in lines))
    except DataError as error:
        if is_new:
            shutil.rmtree(place, ignore_errors=True)
        raise DataError(_in_python(str(error), shown)) from None
    except OSError as error:
        raise DataError(
            f"{place}: cannot be written ({error.strerror}); name another, folder='...'"
        ) from None
    if not quiet:
        print(*understood, sep="\n", flush=True)
    told = [
        _in_python(in_place(line, Known(spelling=PYTHON)), shown)
        for line in running.run(place, str(asked.out), quiet=quiet)
    ]
    if told and not quiet:
        print(*told, sep="\n", flush=True)
    with chdir(place):
        study = study_of(asked.out)
    return Comparison(place, study, [*understood, *told])


def _columns(given: Mapping[str, Any], simulator: Any) -> dict[str, str | list[str]]:
    """Return the user's columns by role."""
    roles = ("scenario", "value", "count", "probability", "weight", "respondent")
    columns: dict[str, str | list[str]] = {
        role: str(given[role]) for role in roles if given[role] is not None
    }
    by = [str(each) for each in _each(simulator)]
    if by:
        columns["simulator"] = by[0] if len(by) == 1 else by
    return columns


def _each(given: Any) -> list:
    """Return one thing, or several, as a list."""
    if given is None:
        return []
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


def _given(
    human: Any, simulated: Any, scenarios: Any, columns: Mapping, ignore: tuple[str, ...]
) -> tuple[list[Given], list[Given], list[Given]]:
    """Return the tables: people's, simulators' and that of the scenarios.

    Raises:
        DataError: with the faults of all of them.
    """
    if isinstance(simulated, Mapping):
        named = [(f"simulated[{name!r}]", each) for name, each in simulated.items()]
    elif isinstance(simulated, list | tuple):
        named = [(f"simulated[{i}]", each) for i, each in enumerate(simulated)]
    else:
        named = [] if simulated is None else [("simulated", simulated)]
    stems = ["simulated"] if len(named) == 1 else [f"simulated_{i + 1}" for i in range(len(named))]
    faults = Faults()

    def tables(pairs, stems, roles) -> list[Given]:
        found = []
        for (shown, each), stem in zip(pairs, stems, strict=True):
            with faults.collected():
                found.append(_table(each, shown, f"{stem}.parquet", roles, ignore))
        return found

    people = tables([("human", human)], ["human"], columns)
    simulators = tables(named, stems, columns)
    described = [] if scenarios is None else [("scenarios", scenarios)]
    found = people, simulators, tables(described, ["scenarios"][: len(described)], None)
    faults.refuse()
    return found


def _table(
    given: Any, shown: str, path: str, columns: Mapping | None, ignore: tuple[str, ...]
) -> Given:
    """Return a table; ``columns`` are those of the roles in tables of answers."""
    if isinstance(given, str | os.PathLike):
        refuse_missing([os.fspath(given)])
        return Given(os.fspath(given), os.path.abspath(given))
    frame = frames.frame_of(given, shown)
    content = frames.parquet(frame, shown, ignore)
    orders: set[tuple[str, ...]] = set()
    if columns is not None:
        answers = {columns.get("value", "value"), "option"} & set(frame)
        roles = {name for each in columns.values() for name in _each(each)} | set(ignore)
        orders = frames.orders(frame, answers or set(frame) - roles)
    notes = tuple(frames.unread_index(frame, shown))
    return Given(shown, path, content, frozenset(orders), notes)


def _levels(
    tables: list[Given], levels: tuple[str, ...], kind: str | None, missing: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the levels that the user lists, else those of ordered categories; none if of none.

    Raises:
        DataError: if categories are in several orders, and the user says nothing of it.
    """
    if levels or kind not in (None, "binary", "ordinal"):
        return levels
    of = {
        tuple(each for each in order if each not in missing): table.shown
        for table in tables
        for order in table.orders
    }
    if len(of) > 1 and kind is None:
        told = "; ".join(f"{shown} has {' < '.join(order)}" for order, shown in of.items())
        raise DataError(
            f"ordered categories differ: {told}; give them one order, or levels=[...], or, with "
            "options of its own for each question in scenarios, kind='ordinal'; kind='categorical' "
            "takes no order"
        )
    return next(iter(of)) if len(of) == 1 else ()


def _folder(
    folder: str | os.PathLike | None,
    name: str | None,
    asked: Request,
    tables: list[Given],
    simulated: Any,
) -> Path:
    """Return the folder of the study: without a name one for these tables and arguments."""
    if folder is not None or name is not None:
        return Path(folder or Path(FOLDER, file_name(asked.name))).resolve()
    content = hashlib.blake2b(repr(asked).encode(), digest_size=4)
    content.update(repr(list(simulated) if isinstance(simulated, Mapping) else None).encode())
    for each in tables:
        content.update(f"\n{each.path}\n".encode() + (each.content or b""))
    return Path(FOLDER, f"{NAME}_{content.hexdigest()}").resolve()


def _save(path: Path, content: bytes) -> None:
    """Write a file, unless it is there already: Snakemake looks at its time."""
    if not path.is_file() or path.read_bytes() != content:
        with complete(path) as partial:
            partial.write_bytes(content)


def _in_python(text: str, tables: Mapping[str, Given]) -> str:
    """Return what is said of files as it is said of the tables that the user gave."""
    for path, table in tables.items():
        start = rf"(?<![\w./-]){re.escape(path)}(?![\w/])"
        if table.content is not None:
            for row in set(re.findall(rf"{start}, row (\d+)", text)):
                place = f"{table.shown}.iloc[{int(row) - 1}]"
                text = text.replace(f"{path}, row {row}", place)
        text = re.sub(start, table.shown.replace("\\", r"\\"), text)
    return text
