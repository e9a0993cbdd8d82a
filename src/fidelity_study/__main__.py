"""The commands: start a study from files, run it, resume it, draw a figure of it, compare two runs
of it, check it against conditions, verify it.

Each imports its modules when it runs, so that ``--help`` is quick.
"""

import gc
import os
import sys
from pathlib import Path
from typing import Any

import click

from fidelity_study.app.start.command import Command, start
from fidelity_study.errors import shortened

INTERRUPTED = 130
MOST_OBJECTS = 100_000
EXAMPLES = """\b
Examples:
  fidelity-curves start human.csv simulated.csv
  fidelity-curves run my_study.yaml --cores 2
  fidelity-curves figure results/example ranking --width 89

\b
Each command has its own help: fidelity-curves start --help
"""
USAGE, FIRST = 2, "CONFIG comes first"
OPTIONS = "[SNAKEMAKE OPTIONS]..."
PATH: Any = click.Path(path_type=Path)


def _number(name: str, variable: str, low: float, high: float, default: float, text: str):
    """Return an option that is a number between two limits."""
    kind = click.FloatRange(low, high)
    help_ = f"{text}  [default: {default:g}]"
    return click.option(name, variable, type=kind, metavar="NUMBER", default=default, help=help_)


class HandsOn(Command):
    """A command that hands all options but ``--help`` on to Snakemake."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take every argument as it is."""
        if {"-h", "--help"}.intersection(args):
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, ["--", *args])


class Group(click.Group):
    """The commands."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which a study needs them."""
        return list(self.commands)


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXAMPLES)
@click.version_option(None, package_name="fidelity-curves", message="%(package)s %(version)s")
def commands() -> None:
    """Compare what simulators answer with what people answer, from files to a report."""


commands.add_command(start)


@commands.command(
    cls=HandsOn,
    short_help="Run the study of a config file.",
    examples=["my_study.yaml --cores 2", "my_study.yaml --dry-run"],
)
@click.argument("given", nargs=-1, type=click.UNPROCESSED, metavar=f"CONFIG {OPTIONS}")
def run(given: tuple[str, ...]) -> int:
    """Run the study of CONFIG, a YAML file; config/README.md lists its keys.

    All other options go to Snakemake, for example --cores 4 or --dry-run.
    """
    config = next((each for each in given if not each.startswith("-")), None)
    if config is None:
        raise click.UsageError("CONFIG is missing; name a YAML file, as config/README.md explains")
    if not Path(config).is_file():
        is_begun = Path(config).with_name(f"{Path(config).stem}_codebook").is_dir()
        way = "start writes it when all is decided: run that again" if is_begun else FIRST
        raise click.UsageError(f"{config} is no file, seen from {Path.cwd()}; {way}")
    options = [each for each in given if each != "--"]
    options.remove(config)
    if any(each.partition("=")[0] in ("--configfile", "--configfiles") for each in options):
        raise click.UsageError("--configfile: a study has one config file, named without an option")
    from fidelity_study.app.run.command import run as run_study

    return run_study(config, options)


@commands.command(
    short_help="Embed texts by a language model, to compare their meanings.",
    examples=["people.csv models.csv --model nomic-embed-text --url http://localhost:11434/v1"],
)
@click.argument("files", nargs=-1, required=True)
@click.option("--model", required=True, help="The model's name at the endpoint.")
@click.option("--url", required=True, help="The base URL of an OpenAI-compatible endpoint.")
@click.option("--key-variable", help="The environment variable that holds the key.")
@click.option("--value", default="value", show_default=True, help="The column of texts.")
@click.option("--tokens", type=click.IntRange(1), help="The most tokens to use.  [default: any]")
@click.option("--cost", type=click.FloatRange(0.0), help="The most that it may cost, by --price.")
@click.option("--price", type=click.FloatRange(0.0), help="The price of a million tokens.")
@click.option("--concurrency", type=click.IntRange(1, 1000), help="Texts at a time.  [default: 4]")
@click.option("--force", is_flag=True, help="Write over files of vectors that are there.")
def embed(files: tuple[str, ...], value: str, force: bool, **asked: Any) -> int:
    """Write the vectors of texts beside their tables: people.npy beside people.csv.

    FILES are tables with a column of texts. Vectors are kept in the folder asked, so that no text
    is asked twice. A row without a text gets NaN, and counts as no answer.
    """
    if not asked["url"].startswith(("http://", "https://")):
        raise click.UsageError("--url: takes an address that begins with http:// or https://")
    if asked["cost"] is not None and asked["price"] is None:
        raise click.UsageError("--cost: needs --price, the price of a million tokens")
    from fidelity_study.ask.embed import embed as embedded
    from fidelity_study.config.keys import Model

    limits = {name: asked[name] for name in ("tokens", "cost") if asked[name] is not None}
    runs = {**Model.defaults(), "endpoint": asked["url"], "budget": limits}
    runs |= {name: asked[name] for name in ("model", "key_variable")}
    runs |= {"concurrency": asked["concurrency"]} if asked["concurrency"] else {}
    runs |= {"price": {"prompt": asked["price"]}} if asked["price"] is not None else {}
    print(*embedded(files, value, runs, force=force), sep="\n")
    print(f"Compare them: fidelity-curves start {' '.join(files)} --kind vector")
    return 0


@commands.command(
    cls=HandsOn,
    short_help="Go on with a study that was stopped.",
    examples=["", "my_study.yaml"],
)
@click.argument("given", nargs=-1, type=click.UNPROCESSED, metavar=f"[CONFIG or RESULTS] {OPTIONS}")
def resume(given: tuple[str, ...]) -> int:
    """Go on with a study after any stop: of a config, of a folder of results, or the last one here.

    All other options go to Snakemake, for example --cores 4.
    """
    from fidelity_study.app.run import resume

    if given and given[0].endswith((".yaml", ".yml")):
        given = (*given[1:], "--configfile", given[0])
    return resume.main(list(given))


@commands.command(
    short_help="Draw one figure of a finished study.",
    examples=["results/example ranking --width 89 --output figures/ranking.pdf"],
)
@click.argument("results", type=PATH)
@click.argument("kind")
@click.option(
    "--width",
    type=click.Choice(["89", "183"]),
    default="183",
    show_default=True,
    help="How wide it is, in mm: one column of a journal, or two.",
)
@click.option(
    "--format",
    "suffix",
    type=click.Choice(["pdf", "svg", "png"]),
    default="pdf",
    show_default=True,
    help="The format, unless --output ends in one.",
)
@click.option("--output", type=PATH, help="The file.  [default: DATASET_KIND in this folder]")
@click.option("--distance", help="A discrepancy of the config.  [default: its first]")
@click.option("--simulator", help="Whom it is about.  [default: the closest]")
def figure(
    results: Path,
    kind: str,
    width: str,
    suffix: str,
    output: Path | None,
    distance: str | None,
    simulator: str | None,
) -> int:
    """Draw one figure of a finished study for a journal, with its caption as text beside it.

    RESULTS is the folder of a study, as results/example, or of one of its datasets. KIND is
    ranking, curve, scatter, cards, heat_map, pairs, or another of docs/howto/figure.md.
    """
    from fidelity_study.app.run import figure

    return figure.main(results, kind, int(width), suffix, output, distance, simulator)


@commands.command(
    short_help="Write one table of a finished study.",
    examples=["results/example ranking --format latex --output paper/ranking.tex"],
)
@click.argument("results", type=PATH)
@click.argument("kind", type=click.Choice(["ranking", "pairs", "questions", "curve"]))
@click.option(
    "--format",
    "suffix",
    type=click.Choice(["latex", "html", "docx", "csv"]),
    default="latex",
    show_default=True,
    help="The format, unless --output ends in one.",
)
@click.option("--output", type=PATH, help="The file.  [default: DATASET_KIND in this folder]")
@click.option("--simulator", help="Whose questions.  [default: the closest]")
def table(results: Path, kind: str, suffix: str, output: Path | None, simulator: str | None) -> int:
    """Write one table of a finished study for a paper, and print its caption.

    RESULTS is the folder of a study, as results/example, or of one of its datasets.
    """
    from fidelity_study.app.run import table

    return table.main(results, kind, suffix.replace("latex", "tex"), output, simulator)


@commands.command(
    short_help="Compare two runs of a study: is a simulator worse now?",
    refused=2,
    examples=["results/model_1 results/model_2 --worse-than 0.02 --out versions"],
)
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
@_number(
    "--worse-than", "margin", 0.0, 1e9, 0.0, "Allowed rise of the mean discrepancy, in its unit."
)
@click.option(
    "--unless-shown",
    is_flag=True,
    help="Fail unless every simulator is shown to be worse by no more than the margin.",
)
@click.option("--dataset", help="The only dataset to compare.  [default: all in both]")
@click.option("--simulator", help="The only simulator, by its old name.  [default: all in both]")
@click.option("--discrepancy", help="Such as tv.  [default: the first of the old run]")
@click.option(
    "--rename",
    "renamed",
    multiple=True,
    metavar="OLD=NEW",
    help="A simulator with another name in the new run. Repeatable.",
)
@_number("--confidence", "level", 0.5, 0.999999, 0.95, "The confidence of all intervals together.")
@click.option(
    "--out",
    type=PATH,
    help="A folder for the tables (CSV) and the findings (Markdown).  [default: none]",
)
def versions(
    old: Path,
    new: Path,
    unless_shown: bool,
    renamed: tuple[str, ...],
    out: Path | None,
    **asked: Any,
) -> int:
    """Compare two finished runs of a study, on the same questions and people.

    OLD and NEW are folders of results, of two models or of two versions of one model.

    The exit status is 1 if a simulator is certainly worse by more than the margin, and 0 otherwise.
    A simulator whose verdict is not settled passes. If no simulator is worse, at most about 1 run
    in 40 fails. A small study may miss a simulator that is worse.

    With --unless-shown the status is 0 only if each simulator is certainly worse by no more than
    the margin. A simulator whose verdict is not settled fails. A worse simulator passes in at most
    about 1 run in 40. A small study may fail a simulator that is as good.

    The status is 2 if the runs cannot be compared.
    """
    pairs = [each.partition("=") for each in renamed]
    if not all(was and now for was, _, now in pairs):
        raise click.UsageError("--rename: takes OLD=NEW, two names of simulators")
    from fidelity_study.app.run import versions

    options = versions.Options(renamed=tuple((was, now) for was, _, now in pairs), **asked)
    return versions.main(old, new, options, out, unless_shown)


@commands.command(
    short_help="Rank simulators over finished studies, on one page.",
    examples=["results/*", "results/gpt results/llama --out docs/board"],
)
@click.argument("results", nargs=-1, required=True, type=PATH)
@click.option(
    "--out", type=PATH, default=Path("board"), show_default=True, help="The folder to write."
)
def board(results: tuple[Path, ...], out: Path) -> int:
    """Write a board of finished studies: who is closest to people, and what is not settled.

    Of evaluations: which models score best.

    RESULTS are folders of studies. The board is board.html, board.csv and board.json, the same for
    the same results.
    """
    from fidelity_study.app.board import board

    return board.main(list(results), out)


class Share(click.ParamType):
    """A share of the questions, as 80% or 0.8."""

    name = "share"

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Return it as a number from 0 to 1."""
        text = str(value).strip()
        try:
            share = float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
        except ValueError:
            share = -1.0
        if not 0.0 <= share <= 1.0:
            self.fail(f"{value} is no share; write 80% or 0.8", param, ctx)
        return share


CONDITIONS = "use", "mean_at_most", "within", "closer_than"


@commands.command(
    short_help="Check whether a finished study meets conditions.",
    refused=USAGE,
    examples=["results/example --use shares", "results/example --mean-at-most 0.1 --within 80%"],
)
@click.argument("results", type=PATH)
@click.option(
    "--mean-at-most",
    type=click.FloatRange(0.0),
    metavar="NUMBER",
    help="The mean discrepancy over these questions, in its unit.",
)
@click.option(
    "--within",
    type=Share(),
    metavar="SHARE",
    help="Of these questions, within the tolerance of the config: 80% or 0.8.",
)
@click.option("--closer-than", metavar="NAME", help="Who has to be farther, such as uniform.")
@click.option(
    "--use",
    multiple=True,
    metavar="USE",
    help="Has to be within its limit on the card: shares, regressions, scores, ... Repeatable.",
)
@click.option("--dataset", help="The only dataset or evaluation to check.  [default: all]")
@click.option("--simulator", help="The only simulator or model.  [default: all under test]")
@click.option("--discrepancy", help="Such as tv.  [default: the first of each dataset]")
@click.option(
    "--tolerance",
    type=float,
    metavar="NUMBER",
    help="One of the config's, where it has several.  [default: the first]",
)
@click.option("--out", type=PATH, help="A file for the same as Markdown, with tables.")
def check(results: Path, out: Path | None, **asked: Any) -> int:
    """Check whether the simulators of a finished study meet conditions set before.

    RESULTS is the folder of a study, as results/example, or its verdict.json.

    The exit status is 0 if every condition is shown to hold, and 1 if one is shown not to hold.
    It is 2 if one cannot be told, or if there is nothing to check.

    A use is decided by its verdict on the card, at one error rate for all of them. A mean is
    decided by the ends of its interval for all simulators at once, not by its estimate.
    A share is decided by the lists of questions, of which on average at most 5 % are wrong.
    """
    if not any(asked[name] not in (None, ()) for name in CONDITIONS):
        raise click.UsageError("name a condition: --use, --mean-at-most, --within or --closer-than")
    from fidelity_study.app.run import check

    return check.main(results, check.Conditions(**asked), out)


@commands.command(
    short_help="Check by checksums that tables were made from the files that are there.",
    examples=["", "results/my_study"],
)
@click.argument("results", type=PATH, default=Path("results"))
def verify(results: Path) -> int:
    """Check by SHA-256 that a study's tables were made from the files that are there.

    RESULTS is a study's folder of results, a folder of several such folders, or a config. The
    default is results.
    """
    from fidelity_study.app.run import verify

    return verify.main(results)


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    gc.set_threshold(MOST_OBJECTS)  # what is imported stays: looking through it takes .4 s
    try:
        status: int | None = commands.main(arguments, standalone_mode=False)
    except click.Abort:
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except OSError as error:
        if error.filename is None:
            raise
        click.echo(f"{shortened(os.fsdecode(error.filename))}: {error.strerror}", err=True)
        return 1
    return status or 0


if __name__ == "__main__":
    sys.exit(main())
