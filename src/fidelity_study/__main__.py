"""The commands: start a study from files, run it, resume it, draw a figure of it, compare two runs
of it, verify it.

Each imports what it needs when it runs, so that ``--help`` is quick.
"""

import sys
from pathlib import Path

import click

from fidelity_study.start.command import Command, Context, start

INTERRUPTED = 130
OPTIONS = "[SNAKEMAKE OPTIONS]..."


class HandsOn(Command):
    """A command that leaves all options but ``--help`` to Snakemake."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take every argument as it is."""
        if {"-h", "--help"}.intersection(args):
            click.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, ["--", *args])


class Group(click.Group):
    """The commands."""

    context_class = Context
    command_class = Command


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def commands() -> None:
    """Compare what simulators answer with what people answer, from files to a report."""


commands.add_command(start)


@commands.command(
    cls=HandsOn,
    short_help="Run the study of a config file.",
    epilog="\b\nExample:\n  fidelity-curves run my_study.yaml --cores 2",
)
@click.argument("given", nargs=-1, type=click.UNPROCESSED, metavar=f"CONFIG {OPTIONS}")
def run(given: tuple[str, ...]) -> int:
    """Run the study of a config file: YAML, as config/README.md explains it.

    All other options are handed on to Snakemake, --cores 4 or --dry-run for example.
    """
    config = next((each for each in given if not each.startswith("-")), None)
    if config is None:
        raise click.UsageError("CONFIG is missing; name a YAML file, as config/README.md explains")
    if not Path(config).is_file():
        raise click.UsageError(f"{config} is no file, seen from {Path.cwd()}; CONFIG comes first")
    options = list(given)
    options.remove(config)
    if any(each.partition("=")[0] in ("--configfile", "--configfiles") for each in options):
        raise click.UsageError("--configfile: a study has one config file, named without an option")
    from fidelity_study.run.command import run as run_study

    return run_study(config, options)


@commands.command(
    cls=HandsOn,
    short_help="Go on with a study that was stopped.",
    epilog="\b\nExamples:\n  fidelity-curves resume\n  fidelity-curves resume my_study.yaml",
)
@click.argument("given", nargs=-1, type=click.UNPROCESSED, metavar=f"[CONFIG] {OPTIONS}")
def resume(given: tuple[str, ...]) -> int:
    """Go on with a study, whatever stopped it: that of CONFIG, or the one that ran last here.

    All other options are handed on to Snakemake.
    """
    from fidelity_study.run import resume

    if given and given[0].endswith((".yaml", ".yml")):
        given = (*given[1:], "--configfile", given[0])
    return resume.main(list(given))


@commands.command(
    short_help="Draw one figure of a finished study.",
    epilog="\b\nExample:\n  fidelity-curves figure curves --dataset town_survey --out figures",
)
@click.argument("name", metavar="FIGURE")
@click.option("--dataset", help="A dataset of the config, which may have one only.")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="The study's config.  [default: of the study that ran last here]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The folder for the files.  [default: this one]",
)
def figure(name: str, dataset: str | None, config: Path | None, out: Path) -> int:
    """Draw one figure of a finished study for a paper, as PDF and PNG, and say its caption.

    FIGURE is a name such as curves; config/README.md lists them.
    """
    from fidelity_study.run import figure, resume

    config = config or resume.last_config() or Path("config/config.yaml")
    if not config.is_file():
        raise click.UsageError(f"--config: {config} is no file, seen from {Path.cwd()}")

    return figure.main(name, dataset, config, out)


@commands.command(
    short_help="Compare two runs of a study: is a simulator worse now?",
    epilog="\b\nExample:\n  fidelity-curves versions results/model_1 results/model_2"
    " --worse-than 0.02 --out versions",
)
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option(
    "--worse-than",
    "margin",
    type=click.FloatRange(min=0.0, max=1e9),
    default=0.0,
    help="By how much the mean discrepancy may rise, in its unit.  [default: 0]",
)
@click.option(
    "--unless-shown",
    is_flag=True,
    help="Fail unless each simulator is shown to be worse by no more than the margin.",
)
@click.option("--dataset", help="The only dataset to compare.  [default: all in both]")
@click.option("--simulator", help="The only simulator, by its old name.  [default: all in both]")
@click.option("--discrepancy", help="By which, such as tv.  [default: the first of the old run]")
@click.option(
    "--rename",
    "renamed",
    multiple=True,
    metavar="OLD=NEW",
    help="A simulator that has another name in the new run; may be repeated.",
)
@click.option(
    "--confidence",
    "level",
    type=click.FloatRange(min=0.5, max=0.999999),
    default=0.95,
    help="Of all intervals together.  [default: 0.95]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="A folder for the tables (CSV) and what was found (Markdown).  [default: none]",
)
def versions(
    old: Path,
    new: Path,
    margin: float,
    unless_shown: bool,
    dataset: str | None,
    simulator: str | None,
    discrepancy: str | None,
    renamed: tuple[str, ...],
    level: float,
    out: Path | None,
) -> int:
    """Compare two finished runs of a study, on the same questions and people.

    OLD and NEW are folders of results, of two models or of two versions of one.

    The exit status is 1 if a simulator is certainly worse by more than the margin, else 0. What is
    not settled passes: where none is worse at most about 1 run in 40 fails, but a small study may
    miss what is worse.

    With --unless-shown the status is 0 only if each simulator is certainly worse by no more than
    the margin. What is not settled fails: a worse simulator passes in at most about 1 run in 40,
    but a small study may fail what is as good.

    Runs that cannot be compared end with status 2.
    """
    pairs = [each.partition("=") for each in renamed]
    if not all(was and now for was, _, now in pairs):
        raise click.UsageError("--rename: takes OLD=NEW, two names of simulators")
    from fidelity_study.run import versions

    options = versions.Options(
        dataset, simulator, discrepancy, tuple((was, now) for was, _, now in pairs), margin, level
    )
    return versions.main(old, new, options, out, unless_shown)


@commands.command(
    short_help="Say whether studies' tables were made from the files that are there.",
    epilog="\b\nExample:\n  fidelity-curves verify results/my_study",
)
@click.argument("results", type=click.Path(path_type=Path), default=Path("results"))
def verify(results: Path) -> int:
    """Say whether studies' tables were made from the files that are there, by SHA-256.

    RESULTS is a study's folder of results, a folder of several, or a config; default: results.
    """
    from fidelity_study.run import verify

    return verify.main(results)


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    try:
        status: int | None = commands.main(arguments, standalone_mode=False)
    except click.Abort:
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return status or 0


if __name__ == "__main__":
    sys.exit(main())
