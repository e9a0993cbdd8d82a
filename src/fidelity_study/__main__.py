"""The commands: start a study from files, run it, resume it, draw a figure of it, verify it.

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
