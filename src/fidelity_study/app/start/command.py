"""The command ``start``: from files to a config, and on to the study."""

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from math import isinf, isnan
from pathlib import Path
from shlex import quote
from typing import Any

import click
from click.core import ParameterSource

from fidelity_study.app.start import examples, log_options
from fidelity_study.app.start.syntax import COMMAND_LINE
from fidelity_study.errors import DataError, printable, refusal
from fidelity_study.guides import COMMANDS, KEYS
from fidelity_study.reading.tabular import reading_options
from fidelity_study.reading.tabular.reading_options import (
    CHOICE,
    FLAG,
    LEVELS,
    NUMBER,
    NUMBERS,
    PAIR,
    PAIRS,
    TRUTH,
    Option,
)
from fidelity_study.reading.tabular.spreadsheet import in_sheet, split

ANY = {"human", "simulated", "name", "out", "cluster", "force", "yes", "accept", "decimal"}
OF_LOGS = {option.name for option in log_options.OPTIONS}
MODELS, SHEET, HANDED_ON, PAGE, OF_SCORES = (
    "simulator",
    "sheet",
    "handed_on",
    "page",
    KEYS["evaluations"],
)
COMMANDLINE = ParameterSource.COMMANDLINE
TAKES: dict[str, dict] = {
    FLAG: {"is_flag": True},
    TRUTH: {"type": click.BOOL, "metavar": "true|false"},
    NUMBER: {"type": float},
    NUMBERS: {"type": float},
    PAIR: {"type": float, "nargs": 2},
    PAIRS: {"nargs": 2},
}


class Command(click.Command):
    """A command; below its help, and below a refusal, stands the page on it."""

    def __init__(self, *args, examples: Iterable[str], refused: int = 1, **settings):
        """Take examples of arguments, and the exit status of a refusal."""
        super().__init__(*args, **settings)
        self.refused, self.page = refused, COMMANDS[str(self.name)]
        lines = [f"  fidelity-curves {self.name} {example}".rstrip() for example in examples]
        head = "Examples:" if lines[1:] else "Example:"
        self.epilog = "\n".join(["\b", head, *lines, "", f"See {self.page}"])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments; refuse an option that has one value and is given two."""
        for param in self.params:
            is_one = isinstance(param, click.Option) and not (param.multiple or param.is_flag)
            values = {
                (*filter(None, [value]), *args[at + 1 : at + 1 + (0 if value else param.nargs)])
                for at, argument in enumerate(args)
                for name, _, value in [argument.partition("=")]
                if is_one and name in param.opts
            }
            if len(values) > 1:
                raise click.BadParameter("is given twice; take one out", ctx, param)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> int:
        """Run the command; return its exit status."""
        for param in self.params:
            value = ctx.params.get(param.name or "")
            for number in value if isinstance(value, tuple) else (value,):
                is_float, has_ends = isinstance(number, float), param.name != "range"
                if is_float and (isnan(number) or (has_ends and isinf(number))):
                    raise click.BadParameter(f"{number:g} is no number", ctx, param)
        try:
            return super().invoke(ctx)
        except DataError as error:
            click.echo(f"{printable(str(error))}\nSee {ctx.meta.get(PAGE, self.page)}", err=True)
            return getattr(error, "status", self.refused)


class WithSnakemakes(Command):
    """A command that hands the arguments after ``--`` on to Snakemake."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments before ``--``; refuse options that are cells of the codebook."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[HANDED_ON] = args[at + 1 :]
        for option in (option for option in reading_options.OPTIONS if option.is_cell):
            if (name := COMMAND_LINE.name(option.name)) in args[:at]:
                cell = COMMAND_LINE.key(option.key)
                what = f"no such option: {name}; a cell of the codebook says it, {cell}"
                raise click.UsageError(what, ctx)
        return super().parse_args(ctx, args[:at])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the usage line after the command's name."""
        return [*super().collect_usage_pieces(ctx), "[-- SNAKEMAKE OPTIONS]"]


def with_options(options: Iterable[Option], before: str = "") -> Callable[[Callable], Callable]:
    """Return a decorator that adds options to a command; their help begins with a word."""

    def add(command: Callable) -> Callable:
        for option in reversed([*options]):
            is_repeatable = option.is_several and option.takes != LEVELS
            several = "Repeatable." if is_repeatable else ""
            texts = filter(None, [before, option.help, option.on_command_line, several])
            settings: dict[str, Any] = {"metavar": option.metavar or None, "help": " ".join(texts)}
            settings |= {"multiple": is_repeatable, **TAKES.get(option.takes, {})}
            if option.takes == CHOICE:
                settings |= {"type": click.Choice(option.values), "metavar": None}
            name = f"--{option.name.replace('_', '-')}"
            command = click.option(name, option.name, **settings)(command)
        return command

    return add


def _example(ctx: click.Context, _param: click.Parameter, name: str | None) -> None:
    """Write the files of an example, say how to go on, and end."""
    if name:
        files = " ".join(examples.write(name))
        click.echo(f"wrote {files}\nTry: {_called(ctx.find_root().command_path)} start {files}")
        ctx.exit()


@click.command(
    cls=WithSnakemakes,
    short_help="Read files of answers, write the config of a study, run it.",
    examples=[
        "human.csv simulated.csv",
        "people.csv llm.csv --respondent id --weight wt",
        "human.csv simulated.csv --yes -- --cores 2",
        "logs/ --baseline gpt-5",
    ],
)
@click.argument("human", metavar="HUMAN")
@click.argument("simulated", nargs=-1, metavar="[SIMULATED]...")
@click.option("--name", help="Of the study.  [default: the files' folder, or HUMAN's name]")
@click.option("--out", metavar="FILE", help="The config to write.  [default: NAME.yaml]")
@with_options(reading_options.SAID)
@with_options(log_options.OPTIONS, "Of logs:")
@click.option(
    "--example",
    type=click.Choice([*examples.EXAMPLES]),
    is_eager=True,
    expose_value=False,
    callback=_example,
    help="Write small files of this form to try, and end.",
)
@click.option("--force", is_flag=True, help="Write over a config that is there.")
@click.option("--yes", is_flag=True, help="Run the study without asking.")
@click.option("--accept", is_flag=True, help="Take what is proposed where nothing is decided.")
@click.pass_context
def start(
    ctx: click.Context,
    human: str,
    simulated: tuple[str, ...],
    name: str | None,
    out: str | None,
    force: bool,
    yes: bool,
    accept: bool,
    **options,
) -> int:
    """Read files of answers, say what they hold, write the config of a study, and run it.

    HUMAN has people's answers and each SIMULATED those of simulators, or their stated
    probabilities: CSV, Parquet, SPSS, Stata, Excel or JSON Lines, with a row for each answer
    (columns scenario, value, and simulator) or a column for each question. Arguments after -- go
    to Snakemake.

    Or tables of models' scores, or logs of evaluations, or folders of them, of inspect_ai or
    lm-evaluation-harness: models are compared by their scores. See docs/howto/evaluations.md.
    """
    from fidelity_study.app.start import flow
    from fidelity_study.app.start.logs import LogRequest, in_folders, logs_of
    from fidelity_study.app.start.look import codebook_of
    from fidelity_study.app.start.request import Request
    from fidelity_study.app.start.scores import tables_of
    from fidelity_study.reading.evals.recognised import may_have_scores

    files = [human, *simulated]
    _refuse_columns(ctx, files)
    human, *others = paths = in_folders(files)
    simulated = (*others,)
    logs = logs_of(paths)
    may_be = ANY if logs else {*ANY, MODELS, SHEET}
    if logs is None and (options["score"] or not _named(ctx) - may_be - OF_LOGS):
        usual = LogRequest.of(files, files, name=name or "", out=out and Path(out), options={})
        ctx.meta[PAGE] = OF_SCORES
        logs = tables_of(
            [in_sheet(path, options[SHEET]) for path in paths], options, codebook_of(usual)
        )
    ctx.meta[PAGE] = COMMANDS["start"] if logs is None else OF_SCORES
    _refuse_options(ctx, may_be, is_logs=logs is not None)
    more: dict[str, Any] = {
        "name": name or "",
        "out": out and Path(out),
        "options": options,
        "command": _called(ctx.find_root().command_path),
    }
    request = (
        Request.of(human, simulated, **more) if logs is None else LogRequest.of(files, logs, **more)
    )
    try:
        return flow.main(request, ctx.meta[HANDED_ON], force=force, yes=yes, accept=accept)
    except DataError as error:
        if logs is None and not simulated and may_have_scores(human):
            if any(problem.code == "unclear-form" for problem in error.faults):
                what = "is of models alone; name their scores: --score COL, or people's file first"
                raise refusal("models-alone", what, file=human) from None
            of_scores = f"if these are models' scores, name them: --score COL, as in {OF_SCORES}"
            ctx.meta[PAGE] = f"{COMMANDS['start']}, or, {of_scores}"
        raise


def _called(name: str) -> str:
    """Return how this program is called again: by its path, where a shell doesn't find its name."""
    program = Path(sys.argv[0])
    is_script = program.name == name and program.is_file()
    return os.path.relpath(program) if is_script and shutil.which(name) is None else name


def _named(ctx: click.Context) -> set[str]:
    """Return the options that are on the command line."""
    return {name for name in ctx.params if ctx.get_parameter_source(name) is COMMANDLINE}


def _refuse_options(ctx: click.Context, may_be: Collection[str], *, is_logs: bool) -> None:
    """Raise DataError if there are options that only files of another kind have."""
    named = _named(ctx)
    others = named.difference(may_be, OF_LOGS) if is_logs else named & OF_LOGS
    if others:
        options = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(others))
        if is_logs:
            what = "of files of answers, and these are scores or logs of evaluations; leave it out"
        else:
            what = "of models' scores, and no column is known to have some; name their columns, "
            what += f"each by a --score COL, as in {OF_SCORES}"
        raise DataError(f"{options}: {what}")


def _refuse_columns(ctx: click.Context, paths: Collection[str]) -> None:
    """Raise DataError if columns stand where files do, as behind an option that takes one."""
    from fidelity_study.reading.tabular.opening import opened

    there = [path for path in paths if Path(split(path)[0]).exists()]
    absent, columns = [path for path in paths if path not in there], list[str]()
    with suppress(DataError):
        columns += opened(there[0]).columns if absent and there else []
    for name in sorted(_named(ctx)) if columns and {*absent} <= {*columns} else ():
        value = ctx.params[name]
        if isinstance(value, tuple) and value and {*value} <= {*columns}:
            option = f"--{name.replace('_', '-')}"
            line = " ".join(f"{option} {quote(column)}" for column in (*value, *absent))
            what = f"no files, but columns of {there[0]}; name {option} once for each: {line}"
            raise DataError(f"{', '.join(absent)}: {what}")
