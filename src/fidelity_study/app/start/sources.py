"""A file with people and simulators in its rows: both sides are read from it."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from fidelity_study.app.start.look import layout_of
from fidelity_study.app.start.request import Request, seen_from_here
from fidelity_study.errors import BLANK, DataError, Remedy, refusal
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import values_of
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.question_file import describes_questions
from fidelity_study.reading.tabular.remedies import in_pandas
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.sources import source_of
from fidelity_study.reading.tabular.spreadsheet import others, split
from fidelity_study.reading.tabular.words import CONTROL, TRUTH

CONTROLS = {"baseline", "none", "no", "0"}


def refuse_no_control(request: Request) -> None:
    """Raise DataError if conditions are named, and not the one that effects are against."""
    column = request["condition"]
    if column is None or request["control"] is not None:
        return
    any_control = replace(request, options={**request.options, "control": "?"})
    reading = layout_of(any_control).reading
    sheet = opened(seen_from_here(request.human), reading)
    if column in sheet.columns:
        there = sorted(values_of(sheet, [column])[column])
        usual = [name for name in there if CONTROL.match(name)]
        usual += [name for name in there if name.casefold() in CONTROLS]
        raise sheet.fault(
            "no-control",
            f"says the condition of a row; which of {shown(there)} effects are against is to be "
            "said, ",
            Remedy({"effects.control": BLANK}, likely=next(iter([*usual, *there]), BLANK)),
            column=column,
        )


def with_key(request: Request) -> Request:
    """Return the request with a file, or a sheet beside people's, that only describes questions."""
    layout = layout_of(request)
    keys: dict[str, Sheet] = {}
    sheets = () if request["scenarios"] else [*request.simulated, *others(request.human)]
    for path in sheets:
        with suppress(DataError):  # told when the files are read
            sheet = opened(seen_from_here(path), layout.reading)
            is_named = path in request.simulated and describes_questions(sheet)
            if sheet.codebook is not None or is_named:
                keys[path] = sheet
    files = {
        name: path
        for path, sheet in keys.items()
        if sheet.codebook
        for name in sheet.codebook.questions
    }
    if len(files) == len(keys) > 1:
        line = 'pd.concat([pd.read_csv(path, dtype=str).set_axis(["code", "label"], axis=1)'
        line += f".assign(question=name) for name, path in {files}.items()])"
        line = in_pandas(line + '.to_csv("key.csv", index=False)')
        raise refusal(
            "several-keys",
            "each has the codes of a question, and one file describes all questions; put them "
            f"together, {line}, and name that file instead, ",
            Remedy({"scenarios": "key.csv"}, is_offered=False),
            file=[*keys],
        )
    for path in [*keys][:1]:
        left = tuple(file for file in request.simulated if file != path)
        options = {**request.options, "scenarios": path}
        return replace(request, simulated=left, options=options)
    return request


def with_source(request: Request, say: Callable[[Iterable[str]], None]) -> Request:
    """Return the request for both sides of a file that has people and simulators in its rows.

    So have several files of forecasters, each with what came true.

    Args:
        request: what the user asks.
        say: takes a line on what was recognised."""
    paths = (request.human, *request.simulated)
    if request.human in request.simulated or not all(Path(split(p)[0]).is_file() for p in paths):
        return request
    layout = layout_of(request)
    try:
        sheet, *more = (opened(seen_from_here(path), layout.reading) for path in paths)
        if request["people"]:
            column = next(iter(layout.simulators), "")
            is_one = more and len(values_of(sheet, {column} & {*sheet.columns}).get(column, ())) < 2
            return request if is_one else replace(request, simulated=paths)
        sources = [source_of(one, layout) for one in (sheet, *more)]
    except DataError:
        return request  # told when the files are read
    source, grouping = sources[0], {*request["groups"], request["cluster"]}
    if source is None or source.people is None or source.column in grouping:
        return request  # refused when the answers are read, if people's name isn't clear
    if more and any(one is None or one.people != TRUTH for one in sources):
        return request
    others = shown([name for one in sources if one for name in one.others], 5)
    whose = f"rows whose {source.column!r} is {source.people!r} are people's, the others"
    if source.people == TRUTH:
        whose = "what came true stands for people's answers, and the forecasts"
    files = ", ".join(request.syntax.file(one.path) for one in (sheet, *more))
    say([f"{files}: {whose} are of simulators: {others}"])
    names = [source.column, *source.also] if source.also else source.column
    columns = {"simulator": names, "people": source.people}
    return replace(request, simulated=paths, options={**columns, **request.options})
