"""The commands: run a study, resume one, draw a figure of it, verify what is there."""

import subprocess
import sys
from argparse import SUPPRESS, ArgumentParser
from pathlib import Path

from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.errors import DataError
from fidelity_study.run import figure, resume, verify
from fidelity_study.run.command import WORKFLOW, snakemake

HANDED_ON = "All other options are handed on to Snakemake, --cores 4 or --dry-run for example."


def run(config: str, options: list[str]) -> int:
    """Run the study of a config file in this folder; return Snakemake's exit status."""
    named = ["--snakefile", WORKFLOW, "--configfile", config]
    return subprocess.run(snakemake([*named, *options])).returncode


def main(arguments: list[str]) -> int:
    """Do what the command line says; return the exit status."""
    parser = ArgumentParser("python -m fidelity_study", description=__doc__, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    told = "run the study of a config file"
    running = commands.add_parser("run", help=told, description=told, epilog=HANDED_ON)
    running.add_argument("config", metavar="CONFIG", help="a YAML file; see config/README.md")
    running.add_argument("--configfile", "--configfiles", nargs="+", help=SUPPRESS)
    told = "go on with the study that ran last in this folder"
    commands.add_parser("resume", help=told, description=told, epilog=HANDED_ON)
    told = "draw one figure of a finished study for a paper, as PDF and PNG, and say its caption"
    drawing = commands.add_parser("figure", help=told, description=told)
    drawing.add_argument("name", metavar="FIGURE", help="such as curves; see config/README.md")
    drawing.add_argument("--dataset", help="a dataset of the config; it may have one only")
    drawing.add_argument(
        "--config",
        type=Path,
        default=Path("config/config.yaml"),
        help="the study's config; default: config/config.yaml",
    )
    drawing.add_argument(
        "--out", type=Path, default=Path(), help="folder for the files; default: this one"
    )
    told = "say whether studies' tables were made from the files that are there"
    verifying = commands.add_parser("verify", help=told, description=f"{told}, by SHA-256")
    verifying.add_argument(
        "results",
        nargs="?",
        type=Path,
        default=Path("results"),
        help="a study's folder of results, or a folder of several; default: results",
    )
    chosen, options = parser.parse_known_args(arguments)
    if chosen.command == "run":
        if not Path(chosen.config).is_file():
            running.error(f"{chosen.config} is no file, seen from {Path.cwd()}; CONFIG comes first")
        if chosen.configfile:
            running.error("--configfile: a study has one config file, named without an option")
        try:
            refuse_unreadable([chosen.config])
        except DataError as error:
            print(f"the config cannot be read; nothing was run\n{error}", file=sys.stderr)
            return 1
        return run(chosen.config, options)
    if chosen.command == "resume":
        return resume.main(options)
    if options:
        commands.choices[chosen.command].error(f"unrecognized arguments: {' '.join(options)}")
    if chosen.command == "figure":
        if not chosen.config.is_file():
            drawing.error(f"--config: {chosen.config} is no file, seen from {Path.cwd()}")
        return figure.main(chosen.name, chosen.dataset, chosen.config, chosen.out)
    return verify.main(chosen.results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
