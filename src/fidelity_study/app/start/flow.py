"""What ``start`` does, one thing after the other."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import yaml

from fidelity_study.app.run.command import refuse_read_only, run
from fidelity_study.app.start import scores
from fidelity_study.app.start.cells import (
    UndecidedError,
    ask,
    asked_before,
    codebook_of_look,
    is_terminal,
    refuse_undecided,
    settled,
    with_cells,
    without_overruled,
    without_said,
)
from fidelity_study.app.start.config import written
from fidelity_study.app.start.faults import FaultsError, understood
from fidelity_study.app.start.files import save
from fidelity_study.app.start.logs import LogRequest
from fidelity_study.app.start.look import Look, codebook_of
from fidelity_study.app.start.request import Request, StudyRequest, refuse_missing, refuse_twice
from fidelity_study.app.start.summary import of_look
from fidelity_study.errors import DataError, printable, refusal
from fidelity_study.reading.codebook import tables
from fidelity_study.reading.codebook.tables import Codebook, Row, read


def main(
    request: Request | LogRequest,
    snakemakes: list[str],
    *,
    force: bool,
    yes: bool,
    accept: bool = False,
) -> int:
    """Write the config of a study, and run it if that is wanted; return the exit status.

    Args:
        request: which files, and how to read them.
        snakemakes: options for Snakemake, if the study runs.
        force: whether to write over a config that is there.
        yes: whether to run without asking.
        accept: whether to take what is proposed where nothing is decided.
    """
    refuse_missing(request.files)
    refuse_read_only()
    if os.path.lexists(request.config):
        _refuse_others(request)
    if os.path.lexists(request.config) and not force:
        raise refusal(
            "config-there",
            f"is there already; to run it: {request.run()}; to write over it: --force; to write "
            "another: --out FILE",
            file=request.config,
        )
    lines: list[str] = []
    try:
        with _set_aside(request.config.resolve(), codebook_of(request)):
            decided(request, lines, accept=accept)
    finally:
        _say(lines)
    _say(["", f"wrote {request.config}"])
    if not yes and not (is_terminal() and click.confirm("Run it now?", default=True)):
        print(f"Run it: {request.run(*snakemakes)}")
        return 0
    sys.stdout.flush()
    return run(str(request.config), snakemakes)


def _read(request: Request, say: Callable[[Iterable[str]], None]) -> tuple[Look, str]:
    """Say what the files hold, write their codebook, return what was understood, and the config.

    Raises:
        DataError: what is wrong, with the options that mend it; nothing is written.
    """
    folder = codebook_of(request)
    old = read(folder)
    if Path(folder).is_dir():
        old = old.without_open()
        tables.save(folder, old)
    typed = request
    request = with_cells(request, old)
    try:
        refuse_twice(request)
        look = understood(request, say)
        say(of_look(look))
        codebook = settled(look.request, codebook_of_look(look, typed), old, say)
        return look, written(look, codebook)
    except DataError as error:
        if isinstance(error, FaultsError):
            refuse_undecided(error, typed, old)
            raise
        raise FaultsError(error.faults, request) from None


def decided(
    request: Request | LogRequest,
    lines: list[str],
    *,
    accept: bool = False,
    cells: Mapping[str, list[Row]] | None = None,
) -> Any:
    """Write the config, with what is proposed, or what the user is asked for, in open cells.

    Where nobody can be asked, files are read on with what is proposed, so that all cells are listed
    at once that ``accept`` would take.

    Args:
        request: which files, and how to read them.
        lines: takes what is said of the files, of the last time that they are read.
        accept: whether to take what is proposed.
        cells: rows of the codebook as the user wants them, by table; none of what is on disk then.

    Raises:
        UndecidedError: cells are to be decided, and nobody is there who can be asked.
    """
    gone: list[str] = []
    first, wanted = [*lines], dict(cells or {})
    rounds: list[UndecidedError] = []
    at_first: list[str] | None = None
    study: tuple[Any, str] | None = None
    may_ask = request.syntax.may_ask and is_terminal() and not accept
    folder = codebook_of(request)
    if Path(folder).is_dir():
        if cells is not None:  # nothing else is changed
            tables.save(folder, Codebook.unchanged(folder))
        else:
            codebook = without_said(request, read(folder).without_tried())
            if isinstance(request, Request):  # else what is asked is drafted anew
                if may_ask and codebook.asked_beside_edits():
                    ask(codebook, _say)
                rounds += asked_before(codebook, request, accept=accept)
            tables.save(folder, without_overruled(request, codebook))
    while True:
        lines[:] = [*first, *gone]
        ready = set(wanted)
        try:
            read_on: tuple[Any, str]
            if isinstance(request, LogRequest):
                read_on = scores.understood(request, lines.extend)
            else:
                read_on = _read(request, lines.extend)
            codebook = read(folder)
            if not wanted:
                study = read_on
                break
        except UndecidedError as error:
            gone += error.gone
            codebook = error.codebook
            ready = {name for name in wanted if codebook.drafted[name]}
            if not ready and may_ask:
                _say([*lines, *error.gone])
                first.clear()
                ask(codebook, _say)
            elif not ready:
                is_new = error.cells not in [before.cells for before in rounds]
                at_first = [*lines, *error.gone] if at_first is None else at_first
                rounds.append(error)
                by = tables.ACCEPTED if accept else tables.TRIED
                if not (is_new and codebook.accept(by)):  # else what was accepted undid itself
                    break
        except Exception:  # also of a proposal that breaks, which tells nothing more
            if accept or at_first is None:
                raise
            break
        codebook.tables |= {name: wanted.pop(name) for name in ready}
        if ready:
            codebook = without_said(request, codebook.without_tried())
            rounds += asked_before(codebook, request, accept=accept)
        tables.save(folder, codebook)
    if study is None or (rounds and not accept):
        lines[:] = lines if at_first is None else at_first
        undecided = rounds[-1] if accept else rounds[0].together(rounds[1:], codebook)
        tables.save(folder, undecided.codebook)
        raise undecided
    save(request.config, study[1])
    return study[0]


@contextmanager
def _set_aside(config: Path, folder: str) -> Iterator[None]:
    """Take a config away while its codebook changes: one that is older than its tables never runs.

    Where nothing new is written, config and tables are as before, or the tables have open cells.
    """
    files = [*Path(folder).rglob("*.csv"), *([config] if config.is_file() else [])]
    before = {path: path.read_bytes() for path in files}
    with suppress(OSError):  # what cannot be written is refused later
        config.unlink()
    try:
        yield
    except BaseException as error:
        for path, content in before.items():
            if path == config or not isinstance(error, UndecidedError):
                path.write_bytes(content)
        raise


def _refuse_others(request: StudyRequest) -> None:
    """Raise DataError if the file to write is there and is no config, whatever the user says."""
    content, is_yaml = None, request.config.suffix in (".yaml", ".yml")
    with suppress(OSError, UnicodeError, yaml.YAMLError):
        content = yaml.safe_load(request.config.read_text(encoding="utf-8")) if is_yaml else None
    if not (isinstance(content, dict) and {"datasets", "evaluations"}.intersection(content)):
        what = "is no config of a study, and isn't written over; name another: --out FILE"
        raise refusal("no-config-there", what, file=str(request.config))


def _say(lines: Iterable[str]) -> None:
    if text := "\n".join(lines):
        print(printable(text), flush=True)
