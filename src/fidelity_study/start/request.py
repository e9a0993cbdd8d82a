"""What the user asks of ``start``: which files, how to read them, and where the config goes."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

from fidelity_study.errors import ErrorList, Remedy, fault, refusal
from fidelity_study.start.syntax import COMMAND_LINE, OptionSyntax
from fidelity_study.tabular.spreadsheet import split

KINDS = "csv|tsv|tab|parquet|sav|zsav|dta|xlsx|xlsm|xlsb|xls|ods|json|jsonl|ndjson"
SUFFIXES = re.compile(rf"(\.({KINDS}))?(\.gz)?$", re.IGNORECASE)
MOST_CHARACTERS = 60


@dataclass(frozen=True)
class Request:
    """The command line.

    Attributes:
        human: the file of people's answers.
        simulated: the files of simulators.
        own: the file of each simulator by its name, if they are named so.
        scenarios: the file that describes the scenarios, or None.
        name: what the study is called.
        out: the config to write.
        columns: the user's column, or columns for ``simulator``, by role.
        design: how people were sampled, as in the config; empty if at random.
        groups: columns of the groups of people to whom questions are put.
        ignore: columns that are not read.
        questions: the columns of wide files that are questions, or patterns of them.
        missing: cells that stand for no answer.
        missing_in: pairs of a question, or a pattern, and a cell that stands for no answer there.
        unlisted: why a simulator's text that is no listed option is no answer, or None.
        recode: pairs of an answer and the one that it is read as.
        stated: simulators of a cell table whose shares are probabilities.
        levels: the options in order.
        bounds: the range of numbers, or None.
        why_kind: what says the kind, if it is not the option.
        kind, cluster, form, separator, sheet, custom_id, weighting_effect, family, probabilities:
            as in the config, or None.
        codes: whether the answers are a survey file's codes, not the labels of these.
        respondents_repeat: whether somebody answered several questions, or None as files tell.
        predict: whether questions that only simulators answered are predicted.
        tolerance: how far off is still good enough, or None.
        discrepancy: how far off is measured, or None for the usual way.
        command: how this program is called.
        syntax: how options are written.
    """

    human: str
    simulated: tuple[str, ...] = ()
    own: Mapping[str, str] = field(default_factory=dict)
    scenarios: str | None = None
    name: str = ""
    out: Path = Path()
    columns: Mapping[str, str | list[str]] = field(default_factory=dict)
    design: Mapping[str, object] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    missing_in: tuple[tuple[str, str], ...] = ()
    unlisted: str | None = None
    recode: tuple[tuple[str, str], ...] = ()
    stated: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    bounds: tuple[float, float] | None = None
    kind: str | None = None
    why_kind: str = ""
    cluster: str | None = None
    form: str | None = None
    separator: str | None = None
    sheet: str | None = None
    custom_id: str | None = None
    codes: bool = False
    weighting_effect: float | None = None
    family: str | None = None
    probabilities: str | None = None
    respondents_repeat: bool | None = None
    predict: bool = False
    tolerance: float | None = None
    discrepancy: str | None = None
    command: str = "fidelity-curves"
    syntax: OptionSyntax = COMMAND_LINE

    @property
    def files(self) -> list[str]:
        """Return all files, each once."""
        described = [self.scenarios] if self.scenarios else []
        return list(dict.fromkeys([self.human, *self.simulated, *described]))

    @property
    def dataset(self) -> str:
        """Return the name as that of a dataset may be."""
        return plain_name(self.name)

    def with_fixes(self, remedies: Iterable[Remedy]) -> "Request":
        """Return the same with columns ignored or named, and cells read as remedies propose.

        What is named already stays, and so do the separator and how probabilities are read.
        """
        sure = [each for each in remedies if each.is_sure]
        fixes: dict[str, list[Any]] = {}
        for each in sure:
            for key, value in each.settings.items():
                fixes.setdefault(key, []).append(value)
        ignore, missing = (
            [str(each) for some in fixes.get(key, ()) for each in some]
            for key in ("ignore", "missing")
        )
        recode = (pair for some in fixes.get("recode", ()) for pair in some.items())
        pairs = ((str(old), str(new)) for old, new in recode)
        separator, probabilities = (
            getattr(self, key) or next(iter(fixes.get(key, ())), None)
            for key in ("separator", "probabilities")
        )
        return replace(
            self,
            ignore=tuple(dict.fromkeys([*self.ignore, *ignore])),
            missing=tuple(dict.fromkeys([*self.missing, *missing])),
            columns={**proposed_columns(sure), **self.columns},
            recode=tuple(dict.fromkeys([*self.recode, *pairs])),
            separator=separator,
            probabilities=probabilities,
            predict=self.predict or "predict" in fixes,
        )


def proposed_columns(remedies: Iterable[Remedy]) -> dict[str, str]:
    """Return the columns that remedies propose, by role, as far as they propose one way."""
    pairs = {
        (role, name)
        for remedy in remedies
        for key, name in remedy.settings.items()
        for columns, _, role in [key.partition("columns.")]
        if role and not columns and isinstance(name, str)
    }
    roles, names = ([pair[i] for pair in pairs] for i in (0, 1))
    return {
        role: name
        for role, name in sorted(pairs)
        if roles.count(role) == 1 and names.count(name) == 1
    }


def design_of(given: Mapping[str, object]) -> dict[str, object]:
    """Return the design as a config has it, without what is not given; one rscale is a number."""
    found = {
        key: list(each) if isinstance(each, tuple) else each
        for key, each in given.items()
        if each is not None and each is not False and each != ()
    }
    match found.get("rscales"):
        case [only]:
            found["rscales"] = only
    return found


def plain_name(title: str) -> str:
    """Return the name of a study in ASCII letters, digits and _, as keys of a config may be."""
    plain = normalize("NFKD", title).encode("ascii", "ignore").decode()
    found = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")
    if not re.match(r"[A-Za-z]", found):
        found = f"study_{found}".rstrip("_")
    return found[:MOST_CHARACTERS]


def file_name(title: str) -> str:
    """Return the name of a study as a file may have it."""
    return re.sub(r"[^\w.-]+", "_", title)


def seen_from_here(path: str) -> str:
    """Return a path relative to this folder."""
    return os.path.relpath(path)


def stem(path: str) -> str:
    """Return a file's name without what says its kind, or that of its sheet if it is named."""
    path, sheet = split(path)
    return sheet or SUFFIXES.sub("", Path(path).name)


def usual_name(files: list[str]) -> str:
    """Return the name of the folder that all files lie in if it is not this one, else the first's.

    The first is the file of the people.
    """
    folders = {Path(os.path.realpath(path)).parent for path in files}
    (folder, *others) = folders
    return stem(files[0]) if others or folder in (Path.cwd(), Path("/")) else folder.name


def refuse_missing(files: Iterable[str]) -> None:
    """Raise DataError unless all files are there; names every one that is not."""
    files = [split(path)[0] for path in files]
    faults = ErrorList()
    for path in files:
        if not os.path.isfile(path):
            what = "a folder" if os.path.isdir(path) else "not there"
            text = f"{path} is {what}; name a file, seen from {Path.cwd()}"
            faults.faults.append(fault("file-not-there", text))
    for path in files:
        if set("{}").intersection(seen_from_here(path)):
            text = f"{path} has a brace, which Snakemake takes for a wildcard; rename the file"
            faults.faults.append(fault("brace-in-path", text))
    faults.refuse()


def refuse_twice(request: Request) -> None:
    """Raise DataError if a file is named twice."""
    described = [request.scenarios] if request.scenarios else []
    named = [seen_from_here(path) for path in (request.human, *request.simulated, *described)]
    again = [path for path in dict.fromkeys(named) if named.count(path) > 1]
    if again:
        raise refusal(
            "file-twice",
            "named twice; people, each simulator and the description of the questions are in files "
            "of their own",
            file=again,
        )
