"""The command ``start``: from files to a config, and on to the study."""

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from fidelity_study.errors import DataError
from fidelity_study.start.request import (
    Request,
    design_of,
    file_name,
    plain_name,
    usual_name,
)

if TYPE_CHECKING:
    from fidelity_study.start.logs import LogRequest

ROLES = (
    *("scenario", "value", "count", "probability", "weight", "respondent", "question"),
    *("loc", "scale"),
)
LONELY = ("certainty", "average", "adjust")
METHODS = ("jk1", "jkn", "brr", "fay", "bootstrap")
KINDS = ("binary", "ordinal", "categorical", "bounded", "real")
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
DESIGN = {
    **{key: key for key in ("strata", "psu", "nested", "lonely_psu", "replicate_weights")},
    "method": "replicate_method",
    "fay": "fay",
    "scale": "replicate_scale",
    "rscales": "rscales",
}
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


@click.command(
    cls=WithSnakemakes,
    short_help="Read files of answers, write the config of a study, run it.",
    epilog=EXAMPLE,
)
@click.argument("human", metavar="HUMAN")
@click.argument("simulated", nargs=-1, metavar="[SIMULATED]...")
@click.option("--scenarios", metavar="FILE", help="Describes the questions.")
@click.option("--name", help="Of the study.  [default: the files' folder, or HUMAN's name]")
@click.option("--out", metavar="FILE", help="The config to write.  [default: NAME.yaml]")
@click.option("--scenario", metavar="COL", help="Says which question a row answers.")
@click.option("--value", metavar="COL", help="Holds the answer.")
@click.option("--count", metavar="COL", help="Says how many answers a row stands for.")
@click.option("--probability", metavar="COL", help="Holds stated probabilities.")
@click.option("--weight", metavar="COL", help="Weights the person of a row.")
@click.option("--respondent", metavar="COL", help="Names the person of a row.")
@click.option("--question", metavar="COL", help="Has the wording, in the file of questions.")
@click.option("--loc", metavar="COL", help="Holds the location of a stated distribution.")
@click.option("--scale", metavar="COL", help="Holds its scale.")
@_many("--simulator", "COL", "Names the simulator; several columns do so together.")
@click.option("--strata", metavar="COL", help="Names the stratum of a row's person.")
@click.option("--psu", metavar="COL", help="Names the PSU (primary sampling unit).")
@click.option("--nested", is_flag=True, help="PSU numbers begin anew in each stratum.")
@click.option("--lonely-psu", type=click.Choice(LONELY), help="What a stratum with one PSU adds.")
@_many("--replicate-weights", "PATTERN", "Columns of replicate weights, as in 'rep*'.")
@click.option("--replicate-method", type=click.Choice(METHODS), help="How these were made.")
@click.option("--fay", type=float, metavar="NUMBER", help="Fay's coefficient.")
@click.option("--replicate-scale", type=float, metavar="NUMBER", help="Of all replicates' squares.")
@click.option("--rscales", multiple=True, type=float, metavar="NUMBER", help="Of each replicate.")
@_many("--groups", "COL", "Each question put to each group of people is a scenario.")
@_many("--ignore", "COL", "A column that is not read.")
@_many("--questions", "PATTERN", "Columns of wide files that are questions, as in 'q*'.")
@_many("--missing", "CODE", "A cell that stands for no answer, besides empty ones.")
@click.option(
    "--missing-in",
    multiple=True,
    nargs=2,
    metavar="QUESTION CODE",
    help="A cell that stands for no answer to some questions, as in 'q1*' 99. Repeatable.",
)
@click.option(
    "--recode",
    multiple=True,
    nargs=2,
    metavar="OLD NEW",
    help="Reads one answer as another. Repeatable.",
)
@click.option(
    "--unlisted",
    type=click.Choice(("refused", "unparsable", "missing")),
    help="Why a simulator's text that is none of the levels is no answer.",
)
@_many("--stated", "NAME", "A simulator of a cell table whose shares are probabilities.")
@click.option(
    "--cluster",
    metavar="COL",
    help="Groups the questions, or is one of --groups; of logs a key of metadata, or a field.  "
    "[default: cluster or topic; of logs none]",
)
@click.option("--kind", type=click.Choice(KINDS), help="What an answer is.")
@click.option("--levels", metavar="TEXT", help='The options in order: "never | often | always".')
@click.option("--bounds", nargs=2, type=float, metavar="LOWER UPPER", help="The range of numbers.")
@click.option("--weighting-effect", type=float, metavar="NUMBER", help="Design effect of weights.")
@click.option(
    "--respondents-repeat",
    type=click.BOOL,
    metavar="true|false",
    help="Whether the same people answered several questions, where no column names them.",
)
@click.option(
    "--family",
    type=click.Choice(("normal", "cauchy")),
    help="Of the distributions whose location and scale are stated.",
)
@click.option(
    "--probabilities",
    type=click.Choice(("one_vs_rest", "rounded")),
    help="Divided by their sum: each option has one of its own, or they are rounded.",
)
@click.option(
    "--predict",
    is_flag=True,
    help="Questions that simulators answered and people did not are new ones, to be predicted.",
)
@click.option("--tolerance", type=float, metavar="T", help="How far off is still good enough.")
@click.option(
    "--discrepancy",
    metavar="NAME",
    help="How distance is measured: tv, absolute, squared, w1, ...  [default: by the kind]",
)
@click.option("--form", type=click.Choice(("long", "wide", "cells")), help="Of all files.")
@click.option("--separator", metavar="CHAR", help='Of text files: ",", ";", "|" or tab.')
@click.option("--sheet", metavar="NAME", help="Of spreadsheets with several.")
@click.option("--codes", is_flag=True, help="Answers of .sav and .dta are codes, not labels.")
@click.option("--custom-id", metavar="TEXT", help='Of batches: "{scenario}|{simulator}".')
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
    from fidelity_study.start.flow import fail, main
    from fidelity_study.start.logs import logs_of

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
    from fidelity_study.start.logs import LogRequest

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
    given = {name: value for name, value in given.items() if name not in OF_LOGS}
    named = {role: given.pop(role) for role in ROLES}
    columns = {role: name for role, name in named.items() if name}
    design = {key: given.pop(option) for key, option in DESIGN.items()}
    by = given.pop("simulator")
    if by:
        columns["simulator"] = by[0] if len(by) == 1 else list(by)
    described = [given["scenarios"]] if given["scenarios"] else []
    title = given.pop("name") or usual_name([given["human"], *given["simulated"], *described])
    levels = [level.strip() for level in (given.pop("levels") or "").split("|")]
    separator = given.pop("separator")
    out = given.pop("out") or f"{file_name(title)}.yaml"
    return Request(
        **given,
        name=title,
        out=Path(out),
        columns=columns,
        design=design_of(design),
        levels=tuple(level for level in levels if level),
        separator="\t" if separator == TAB else separator,
    )
