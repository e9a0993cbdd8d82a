"""What every script of a rule shares: its provenance, its log, and errors a user can read."""

import os
import sys
import traceback
from collections.abc import Callable, Iterable
from importlib.abc import MetaPathFinder
from pathlib import Path

from fidelity_study.errors import DataError
from fidelity_study.extensions import load
from fidelity_study.progress import FOLDER
from fidelity_study.provenance import record


class WithoutPandas(MetaPathFinder):
    """Keeps pyarrow from importing pandas, which it does the first time it meets an array.

    A script that has not imported pandas when it runs does not need it, and takes 0.2 s less.
    """

    def find_spec(self, name, path, target=None):
        """Say that there is no pandas; leave all else to the other finders."""
        if name == "pandas":
            raise ModuleNotFoundError("this step does without pandas", name="pandas")


def run(main: Callable, snakemake) -> None:
    """Call ``main(snakemake)``; on failure leave the reason in the rule's log.

    What it returns, if anything, are notes for the user, one line each.
    Its step has one key more than the rule's params: ``provenance``, for what it writes.
    A :class:`DataError` is the user's to mend: its message alone is printed. Anything else is
    ours, and comes with its traceback.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, WithoutPandas())
    try:
        load(snakemake.params.step.get("extensions", []))
        snakemake.params.step["provenance"] = record(snakemake.input)
        notes = main(snakemake)
        tell(snakemake, notes or ())
    except DataError as error:
        message = f"{snakemake.rule}: {error}"
    except KeyboardInterrupt:
        message = f"{snakemake.rule}: interrupted"
    except Exception:
        message = traceback.format_exc()
    else:
        return
    _leave(snakemake, message)
    sys.exit(1)


def tell(snakemake, notes: Iterable[object]) -> None:
    """Leave notes for the user on a step that succeeds, one line each."""
    if message := "\n".join(f"{snakemake.rule}: {note}" for note in notes):
        _leave(snakemake, message)


def _leave(snakemake, message: str) -> None:
    Path(snakemake.log[0]).write_text(message + "\n", encoding="utf-8")
    if FOLDER not in os.environ:  # else a bar is drawn here, which shows the log
        print(message, file=sys.stderr)
