"""The call that compares simulators with people, from tables in memory to the finished study."""

import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from fidelity_study.config.read import study_of
from fidelity_study.errors import DataError, ErrorList, refusal
from fidelity_study.notebook import frames, running
from fidelity_study.notebook.comparison import Comparison
from fidelity_study.start.flow import write
from fidelity_study.start.request import Request, design_of, file_name, refuse_missing
from fidelity_study.start.syntax import Python
from fidelity_study.tables.read_write import complete
from fidelity_study.tabular.columns import as_label
from fidelity_study.tabular.questions import matches

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
    question: Any = None,
    loc: Any = None,
    scale: Any = None,
    simulator: Any = None,
    strata: Any = None,
    psu: Any = None,
    nested: bool = False,
    lonely_psu: str | None = None,
    replicate_weights: Any = (),
    replicate_method: str | None = None,
    fay: float | None = None,
    replicate_scale: float | None = None,
    rscales: Any = (),
    groups: Any = (),
    ignore: Any = (),
    questions: Any = (),
    missing: Any = (),
    missing_in: Mapping[str, Any] | None = None,
    unlisted: str | None = None,
    recode: Mapping[Any, Any] | None = None,
    stated: Any = (),
    cluster: Any = None,
    kind: str | None = None,
    levels: Iterable = (),
    bounds: tuple[float, float] | None = None,
    weighting_effect: float | None = None,
    respondents_repeat: bool | None = None,
    predict: bool = False,
    family: str | None = None,
    probabilities: str | None = None,
    tolerance: float | None = None,
    discrepancy: str | None = None,
    form: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
    codes: bool = False,
    custom_id: str | None = None,
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
        scenario, value, count, probability, weight, respondent, question, loc, scale: the column
            that has this role, if it isn't called so; the question's wording is in ``scenarios``.
        simulator: the column that names the simulator, or a list of columns that do so together.
        strata, psu: the columns of strata and primary sampling units.
        nested: whether PSU numbers begin anew in each stratum.
        lonely_psu: what a stratum with one PSU adds: adjust, average or certainty.
        replicate_weights: columns of replicate weights, or patterns such as ``"rep*"``.
        replicate_method: how they were made: jk1, jkn, brr, fay or bootstrap.
        fay, replicate_scale, rscales: what the method needs besides.
        groups: the columns of groups of people; each question put to each group is a scenario.
        ignore: columns that are not read.
        questions: the columns of wide tables that are questions, or patterns such as ``"q*"``.
        missing: cells that are no answer, besides empty ones.
        missing_in: such cells for some questions only, ``{"q1*": [99]}``.
        unlisted: why a simulator's text that is none of the levels is no answer: refused,
            unparsable or missing.
        recode: answers that are read as others, ``{"Never": "never"}``.
        stated: simulators of a cell table whose shares are probabilities.
        cluster: the column that groups the questions.
        kind: what an answer is: binary, ordinal, categorical, bounded or real.
        levels: the options in order.
        bounds: the range of numbers.
        weighting_effect: people over the number of unweighted people they are worth.
        respondents_repeat: whether the same people answered several questions, where no column
            ``respondent`` says so, as in tables of counts. False narrows the intervals of means,
            which allow for the same people as long as it is unknown.
        predict: whether the questions that simulators answered and people did not are new ones, of
            which the page predicts what people would answer.
        family: normal or cauchy, of the distributions whose ``loc`` and ``scale`` are stated.
        probabilities: one_vs_rest, if each option has one of its own, or rounded, if they sum to
            one but for rounding; they are divided by their sum.
        tolerance: how far off is still good enough; then the page says who can stand in for people.
        discrepancy: how distance is measured, as ``"tv"``; by default by the kind of answer.
        form: of all tables: long, wide or cells.
        separator: of text files, if it isn't the usual one.
        sheet: of spreadsheets with several.
        codes: whether the answers of SPSS and Stata files are codes, not the labels of these.
        custom_id: what the ids of a batch are made of, ``"{scenario}|{simulator}|{replicate}"``.
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
        >>> print(study)  # doctest: +ELLIPSIS
        human: long, as it has columns for the question (scenario) and the answer (value)...
        language_model is 0.031 to 0.229 from people on average over these 8 questions...
    """
    roles = {
        "scenario": scenario,
        "value": value,
        "count": count,
        "probability": probability,
        "weight": weight,
        "respondent": respondent,
        "question": question,
        "loc": loc,
        "scale": scale,
        "simulator": simulator,
    }
    columns = {role: _column(each) for role, each in roles.items() if each is not None}
    put_to = tuple(map(str, _each(groups)))
    sampled = design_of(
        {
            "strata": strata,
            "psu": psu,
            "nested": nested,
            "lonely_psu": lonely_psu,
            "replicate_weights": tuple(map(str, _each(replicate_weights))),
            "method": replicate_method,
            "fay": _number("fay", fay),
            "scale": _number("replicate_scale", replicate_scale),
            "rscales": tuple(_each(rscales)),
        }
    )
    unread, marks = tuple(map(str, _each(ignore))), tuple(map(_label, _each(missing)))
    patterns = tuple(map(str, _each(questions)))
    beside = {**columns, "groups": put_to, "design": [*map(sampled.get, ("strata", "psu"))]}
    people, simulators, described = _given(human, simulated, scenarios, beside, unread, patterns)
    asked = Request(
        human="",
        name=name or (Path(folder).resolve().name if folder else NAME),
        columns=columns,
        design=sampled,
        groups=put_to,
        ignore=unread,
        questions=patterns,
        missing=marks,
        missing_in=tuple(
            (str(each), _label(code))
            for each, own in (missing_in or {}).items()
            for code in _each(own)
        ),
        unlisted=unlisted,
        recode=tuple((_label(old), _label(new)) for old, new in (recode or {}).items()),
        stated=tuple(map(str, _each(stated))),
        levels=tuple(map(_label, levels)),
        bounds=_bounds(bounds),
        kind=kind,
        cluster=None if cluster is None else str(cluster),
        form=form,
        separator=separator,
        sheet=sheet,
        codes=codes,
        custom_id=custom_id,
        weighting_effect=_number("weighting_effect", weighting_effect),
        respondents_repeat=respondents_repeat,
        predict=predict,
        family=family,
        probabilities=probabilities,
        tolerance=_number("tolerance", tolerance),
        discrepancy=discrepancy,
    )
    asked = _with_order(asked, [*people, *simulators])
    tables = [*people, *simulators, *described]
    names = tuple(map(str, simulated)) if isinstance(simulated, Mapping) else ()
    if folder is not None or name is not None:
        place = Path(folder or Path(FOLDER, file_name(asked.name))).resolve()
    else:
        place = Path(FOLDER, f"{NAME}_{_digest(asked, names, tables)}").resolve()
    paths = [each.path if each.content else os.path.relpath(each.path, place) for each in tables]
    theirs = tuple(paths[1 : 1 + len(simulators)])
    asked = replace(
        asked,
        human=paths[0],
        simulated=theirs,
        own=dict(zip(names, theirs, strict=True)) if names else {},
        scenarios=paths[-1] if described else None,
        out=Path(f"{file_name(asked.name)}.yaml"),
    )
    known = dict(zip(paths, tables, strict=True))
    shown = {path: (each.shown, each.content is not None) for path, each in known.items()}
    return _compared(place, replace(asked, syntax=Python(shown)), known, quiet=quiet)


def _compared(
    place: Path, asked: Request, tables: Mapping[str, Given], *, quiet: bool
) -> Comparison:
    """Run the study in its folder; ``tables`` by their paths as seen from there."""
    told = [note for each in tables.values() for note in each.notes]
    new = next((each for each in [*reversed(place.parents), place] if not each.exists()), None)
    try:
        place.mkdir(parents=True, exist_ok=True)
        running.refuse_running(place, str(asked.out))
        for path, table in tables.items():
            if table.content is not None:
                _save(place / path, table.content)
        with chdir(place):
            look = write(asked, told.extend)
    except OSError as error:
        what = f"cannot be written ({error.strerror}); name another, folder='...'"
        raise refusal("not-writable", what, file=str(place)) from None
    except DataError:
        if new:
            shutil.rmtree(new, ignore_errors=True)
        raise
    if not quiet:
        print(*told, sep="\n", flush=True)
    known = {str(note) for note in look.responses.notes}
    notes = [note for note in running.run(place, str(asked.out), quiet=quiet) if note not in known]
    if notes and not quiet:
        print(*notes, sep="\n", flush=True)
    with chdir(place):
        return Comparison(place, study_of(asked.out), [*told, *notes])


def _column(given: Any) -> str | list[str]:
    """Return the name of a column, or of several."""
    names = [str(each) for each in _each(given)]
    return names[0] if len(names) == 1 else names


def _label(given: Any) -> str:
    """Return an answer as the study spells it."""
    return as_label("true" if given is True else "false" if given is False else str(given))


def _number(option: str, given: Any) -> float | None:
    try:
        return None if given is None else float(given)
    except (TypeError, ValueError):
        raise refusal("not-a-number", f"{given!r} is no number; give one", key=option) from None


def _bounds(given: Any) -> tuple[float, float] | None:
    try:
        return None if given is None else (float(given[0]), float(given[1]))
    except (TypeError, ValueError, IndexError):
        what = f"{given!r} are not two numbers; give bounds=(0, 10)"
        raise refusal("not-two-numbers", what, key="bounds") from None


def _each(given: Any) -> list:
    """Return one thing, or several, as a list."""
    if given is None:
        return []
    return [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)


def _given(
    human: Any,
    simulated: Any,
    scenarios: Any,
    columns: Mapping,
    ignore: tuple[str, ...],
    questions: tuple[str, ...],
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
    faults = ErrorList()

    def tables(pairs, stems, roles) -> list[Given]:
        found = []
        for (shown, each), stem in zip(pairs, stems, strict=True):
            with faults.collected():
                found.append(_table(each, shown, f"{stem}.parquet", roles, ignore, questions))
        return found

    people = tables([("human", human)], ["human"], columns)
    simulators = tables(named, stems, columns)
    described = [] if scenarios is None else [("scenarios", scenarios)]
    found = people, simulators, tables(described, ["scenarios"][: len(described)], None)
    faults.refuse()
    return found


def _table(
    given: Any,
    shown: str,
    path: str,
    columns: Mapping | None,
    ignore: tuple[str, ...],
    questions: tuple[str, ...],
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
        asked = {name for name in set(frame) - roles if matches(name, questions or ["*"])}
        orders = frames.orders(frame, answers or asked)
    notes = tuple(frames.unread_index(frame, shown))
    return Given(shown, path, content, frozenset(orders), notes)


def _with_order(asked: Request, tables: list[Given]) -> Request:
    """Return the request with the order of ordered categories, unless it says what answers are.

    Raises:
        DataError: if categories are in several orders.
    """
    if asked.levels or asked.kind not in (None, "binary", "ordinal"):
        return asked
    found = {
        tuple(each for each in order if each not in asked.missing): table.shown
        for table in tables
        for order in table.orders
    }
    if len(found) > 1 and asked.kind is None:
        told = "; ".join(f"{shown} has {' < '.join(order)}" for order, shown in found.items())
        raise refusal(
            "orders-differ",
            f"ordered categories differ: {told}; give them one order, or levels=[...], or, with "
            "options of its own for each question in scenarios, kind='ordinal'; kind='categorical' "
            "takes no order",
        )
    if len(found) != 1:
        return asked
    ((levels, _),) = found.items()
    if asked.kind or len(levels) <= MOST_BINARY:
        return replace(asked, levels=levels)
    why = f"as its categories are ordered: {' < '.join(levels)}"
    return replace(asked, levels=levels, kind="ordinal", why_kind=why)


def _digest(asked: Request, names: tuple[str, ...], tables: list[Given]) -> str:
    """Return a short hash of a call, of tables in memory by their content."""
    settings = [each for each in vars(asked).items() if each[0] != "syntax"]
    content = hashlib.blake2b(repr((settings, names)).encode(), digest_size=4)
    for each in tables:
        content.update(f"\n{each.path}\n".encode() + (each.content or b""))
    return content.hexdigest()


def _save(path: Path, content: bytes) -> None:
    """Write a file, unless it is there already: Snakemake looks at its time."""
    if not path.is_file() or path.read_bytes() != content:
        with complete(path) as partial:
            partial.write_bytes(content)
