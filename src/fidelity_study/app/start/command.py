"""The command ``start``: from files to a config, and on to the study."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fidelity_study.app.start.request import (
    Request,
    file_name,
    plain_name,
    usual_name,
)
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.reading_options import (
    CHOICE,
    FLAG,
    LEVELS,
    MANY,
    MARKS,
    NUMBER,
    NUMBERS,
    OPTIONS,
    PAIR,
    PAIRS,
    TRUTH,
    Option,
)

if TYPE_CHECKING:
    from fidelity_study.app.start.logs import LogRequest

ANY = ("human", "simulated", "name", "out", "cluster", "force", "yes")
OF_LOGS = (
    *("score", "filter", "reducer", "better", "model", "range", "baseline", "margin", "effect"),
)
EXAMPLE = """\b
Examples:
  fidelity-curves start human.csv simulated.csv
  fidelity-curves start people.csv llm.csv --scenario item --value answer --count n
  fidelity-curves start human.csv simulated.csv --yes -- --cores 2
  fidelity-curves start logs/ --baseline gpt-5

See docs/howto/own_data.md, and of logs docs/howto/evaluations.md"""
HANDED_ON = "handed_on"
COMMANDLINE = ParameterSource.COMMANDLINE
LOGS, EVALS = "logs", "evals"
TAB = "tab"


class Formatter(click.HelpFormatter):
    """Writes ``usage:`` as Snakemake does."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line that says how a command is called."""
        super().write_usage(prog, args, prefix or "usage: ")


class Context(click.Context):
    """A command that runs; its help is written by :class:`Formatter`."""

    formatter_class = Formatter


class Command(click.Command):
    """A command of this program."""

    context_class = Context


class WithSnakemakes(Command):
    """A command that hands the arguments after ``--`` on to Snakemake."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the arguments before ``--``."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[HANDED_ON] = args[at + 1 :]
        return super().parse_args(ctx, args[:at])

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the pieces of the usage line after the command's name."""
        return [*super().collect_usage_pieces(ctx), "[-- SNAKEMAKE OPTIONS]"]


def _many(name: str, metavar: str, text: str):
    """Return an option that may be given several times."""
    return click.option(name, multiple=True, metavar=metavar, help=f"{text} Repeatable.")


TAKES: dict[str, dict] = {
    FLAG: {"is_flag": True},
    TRUTH: {"type": click.BOOL, "metavar": "true|false"},
    NUMBER: {"type": float},
    NUMBERS: {"type": float, "multiple": True},
    PAIR: {"type": float, "nargs": 2},
    MANY: {"multiple": True},
    MARKS: {"multiple": True},
    PAIRS: {"multiple": True, "nargs": 2},
}


def of_reading(command: Callable) -> Callable:
    """Add the options by which files are read."""
    for option in reversed(OPTIONS):
        if option.name:
            takes = TAKES.get(option.takes, {})
            several = "Repeatable." if "multiple" in takes else ""
            texts = filter(None, [option.help, option.on_command_line, several])
            settings = {"metavar": option.metavar or None, "help": " ".join(texts), **takes}
            if option.takes == CHOICE:
                settings |= {"type": click.Choice(option.values), "metavar": None}
            name = f"--{option.name.replace('_', '-')}"
            command = click.option(name, option.name, **settings)(command)
    return command


@click.command(
    cls=WithSnakemakes,
    short_help="Read files of answers, write the config of a study, run it.",
    epilog=EXAMPLE,
)
@click.argument("human", metavar="HUMAN")
@click.argument("simulated", nargs=-1, metavar="[SIMULATED]...")
@click.option("--name", help="Of the study.  [default: the files' folder, or HUMAN's name]")
@click.option("--out", metavar="FILE", help="The config to write.  [default: NAME.yaml]")
@of_reading
@click.option("--baseline", metavar="MODEL", help="Of logs: each model is compared with it.")
@_many("--score", "NAME", "Of logs: which score counts, or EVAL=NAME.")
@_many("--filter", "NAME", "Of logs of lm_eval: which filter counts, or EVAL=NAME.")
@_many("--reducer", "NAME", "Of logs of inspect_ai: by which epochs count, or EVAL=NAME.")
@_many("--better", "WHICH", "Of logs: which score is better, higher or lower, or EVAL=WHICH.")
@click.option(
    "--model",
    multiple=True,
    nargs=2,
    metavar="FILE NAME",
    help="Of logs: what the model of a file, or of a pattern's files, is called. Repeatable.",
)
@click.option("--range", nargs=2, type=float, metavar="LOW HIGH", help="Of logs: of scores.")
@click.option("--margin", type=float, metavar="M", help="Of logs: how much worse is no worse.")
@click.option("--effect", type=float, metavar="D", help="Of logs: what ought to be found.")
@click.option("--force", is_flag=True, help="Write over a config that is there.")
@click.option("--yes", is_flag=True, help="Run the study without asking.")
@click.pass_context
def start(ctx: click.Context, **given) -> int:
    """Read files of answers, say what they hold, write the config of a study, and run it.

    HUMAN has people's answers and each SIMULATED those of simulators, or their stated
    probabilities: CSV, Parquet, SPSS, Stata, Excel or JSON Lines, with a row for each answer
    (columns scenario, value, and simulator) or a column for each question. Arguments after -- go
    to Snakemake.

    Or logs of evaluations, or folders of them, of inspect_ai or lm-evaluation-harness: their
    models are compared by their scores.
    """
    force, yes = given.pop("force"), given.pop("yes")
    given["command"] = _called(ctx.find_root().command_path)
    from fidelity_study.app.start.flow import fail, main
    from fidelity_study.app.start.logs import logs_of

    files = [given["human"], *given["simulated"]]
    try:
        logs = logs_of(files)
        _refuse_options(ctx, of_logs=logs is not None)
        request = _request(given) if logs is None else _log_request(given, files, logs)
    except DataError as error:
        return fail(str(error))
    return main(request, ctx.meta[HANDED_ON], force=force, yes=yes)


def _called(name: str) -> str:
    """Return how this program is called again: by its path, where a shell doesn't find its name."""
    program = Path(sys.argv[0])
    is_script = program.name == name and program.is_file()
    return os.path.relpath(program) if is_script and shutil.which(name) is None else name


def _refuse_options(ctx: click.Context, *, of_logs: bool) -> None:
    """Raise DataError if there are options that only files of another kind have."""
    named = {name for name in ctx.params if ctx.get_parameter_source(name) is COMMANDLINE}
    others = named - {*ANY, *OF_LOGS} if of_logs else named & {*OF_LOGS} - {*ANY}
    if others:
        kinds = ("logs of evaluations", "files of answers")
        here, there = kinds if of_logs else reversed(kinds)
        options = ", ".join(f"--{name.replace('_', '-')}" for name in sorted(others))
        tables = "" if of_logs else "; a table of scores needs a config: docs/howto/evaluations.md"
        raise DataError(f"{options}: of {there}, and these are {here}; leave it out{tables}")


def _log_request(given: dict, files: list[str], logs: list[str]) -> "LogRequest":
    """Return what the options say of logs."""
    from fidelity_study.app.start.logs import LogRequest

    (folder, *others) = files
    is_folder = not others and Path(folder).is_dir()
    usual = Path(folder).resolve().name if is_folder else usual_name(logs)
    title = given["name"] or (EVALS if usual == LOGS else usual)
    return LogRequest(
        files=tuple(logs),
        name=title,
        out=Path(given["out"] or f"{file_name(title)}.yaml"),
        dataset=plain_name(title),
        command=given["command"],
        cluster=given["cluster"],
        models=dict(given["model"]),
        **{name: given[name] for name in OF_LOGS if name != "model"},
    )


def _request(given: dict) -> Request:
    """Return what the options say of files of answers."""
    options = {
        option.name: _value(option, given[option.name])
        for option in OPTIONS
        if option.name and option.is_given(given[option.name])
    }
    described = [options["scenarios"]] if "scenarios" in options else []
    title = given["name"] or usual_name([given["human"], *given["simulated"], *described])
    return Request(
        given["human"],
        given["simulated"],
        name=title,
        out=Path(given["out"] or f"{file_name(title)}.yaml"),
        options=options,
        command=given["command"],
    )


def _value(option: Option, given: Any) -> Any:
    """Return the value of an option as a request has it."""
    if option.takes == LEVELS:
        return tuple(filter(None, (level.strip() for level in given.split("|"))))
    if option.name == "separator" and given == TAB:
        return "\t"
    if option.is_alone:
        return given[0] if len(given) == 1 else given
    return given
