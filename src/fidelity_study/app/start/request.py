"""What the user asks of ``start``: which files, how to read them, and where the config goes."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import join
from typing import Any
from unicodedata import normalize

from fidelity_study.app.start.syntax import COMMAND_LINE, OptionSyntax, several
from fidelity_study.errors import ErrorList, Remedy, fault, refusal
from fidelity_study.reading.tabular.reading_options import BY_KEY, BY_NAME, LEVELS, LISTS, Option
from fidelity_study.reading.tabular.spreadsheet import split, stem

MOST_CHARACTERS = 60
FIXED = {"ignore", "missing", "missing_in", "recode", "multiple", "totals", "predict"}
FIXED_UNLESS_NAMED = {"probabilities", "decimal", "unlisted", "wave"}
TAB = "tab"


@dataclass(frozen=True, kw_only=True)
class StudyRequest:
    """What the user asks for, whatever the files are.

    Attributes:
        name: what the study is called.
        out: the config to write, if it is said.
        options: what is said of the files, by the names of options.
        command: how this program is called.
        syntax: how options are written.
    """

    name: str = ""
    out: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    command: str = "fidelity-curves"
    syntax: OptionSyntax = COMMAND_LINE

    def __getitem__(self, name: str) -> Any:
        """Return the value of an option."""
        return self.options[name]

    @property
    def config(self) -> Path:
        """Return the config to write."""
        return self.out or Path(f"{file_name(self.name)}.yaml")

    @property
    def dataset(self) -> str:
        """Return the name as that of a dataset may be."""
        return plain_name(self.name)

    @property
    def files(self) -> Sequence[str]:
        """Return all files, each once."""
        raise NotImplementedError

    def run(self, *snakemakes: str) -> str:
        """Return the command that runs the study, with options for Snakemake."""
        return join([*self.command.split(), "run", str(self.config), *snakemakes])


@dataclass(frozen=True)
class Request(StudyRequest):
    """A study of files of answers.

    Attributes:
        human: the file of people's answers.
        simulated: the files of simulators.
        own: the file of each simulator by its name, if they are named so.
        why_kind: what says the kind, if it is not the option.
        orders: the options of questions in their order, where words or numbers tell it.
    """

    human: str
    simulated: tuple[str, ...] = ()
    own: Mapping[str, str] = field(default_factory=dict)
    why_kind: str = ""
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, human: str, simulated: tuple[str, ...], *, options: Mapping, **more) -> "Request":
        """Return the request of a command line."""
        asked = cls(human, simulated, options=normalized(options, _from_shell), **more)
        return asked if asked.name else replace(asked, name=usual_name(asked.files))

    def __getitem__(self, name: str) -> Any:
        """Return the value of an option: none, or nothing, if it is not given."""
        return self.options.get(name, () if BY_NAME[name].is_several else None)

    @property
    def files(self) -> list[str]:
        """Return all files, each once."""
        return list(dict.fromkeys(self.named))

    @property
    def named(self) -> list[str]:
        """Return all files as they are named."""
        return [*filter(None, [self.human, *self.simulated, self["scenarios"]])]

    def with_fixes(self, remedies: Iterable[Remedy]) -> "Request":
        """Return the same with columns ignored or named, and cells read as remedies propose.

        What is named already stays, and so does how probabilities are read.
        """
        sure = [remedy for remedy in remedies if remedy.is_sure]
        fixed = self
        for key, value in (pair for remedy in sure for pair in remedy.settings.items()):
            if key in FIXED or (key in FIXED_UNLESS_NAMED and key not in fixed.options):
                fixed = fixed.with_remedy({key: value})
        return replace(fixed, options={**proposed_columns(sure), **fixed.options})

    def with_remedy(self, settings: Mapping[str, Any]) -> "Request":
        """Return the same with the options that settings stand for, by keys of the config."""
        options = {**self.options}
        if options.get("simulator") in settings.get("ignore", ()):
            del options["simulator"]
        for key, value in settings.items():
            option = BY_KEY[key]
            old = options.get(option.name, ())
            match option.takes:
                case "pairs":
                    more = ((str(one), cell) for one in value for cell in several(value[one]))
                    options[option.name] = _of_pairs(option, more, dict(old))
                case "many" | "marks" | "numbers" if not option.is_alone:
                    options[option.name] = tuple(dict.fromkeys([*old, *map(str, several(value))]))
                case "levels":
                    options[option.name] = tuple(map(str, value))
                case "flag":
                    options[option.name] = True
                case "pair":
                    options[option.name] = tuple(value)
                case _:
                    options[option.name] = value
        return replace(self, options=options)


def normalized(options: Mapping[str, Any], value: Callable[[Option, Any], Any]) -> dict[str, Any]:
    """Return the options that say something, as a request has them.

    Args:
        options: by name; those of others are left out.
        value: makes a value of what is given for an option.
    """
    stated = {}
    for name, argument in options.items():
        if name in BY_NAME and argument is not None:
            option, content = BY_NAME[name], value(BY_NAME[name], argument)
            if option.takes == "pairs":
                content = _of_pairs(option, content, {})
            elif option.is_alone and len(content) == 1:
                (content,) = content
            stated[name] = content
    stated = {name: content for name, content in stated.items() if BY_NAME[name].is_given(content)}
    return with_groups(stated)


def with_groups(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options in which the columns of conditions and waves are groups, too."""
    more = [options[name] for name in ("condition", "wave") if options.get(name)]
    named = (*options.get("groups", ()), *(options.get("moderator", ()) if more else ()), *more)
    return {**options, "groups": tuple(dict.fromkeys(named))} if more else dict(options)


def _of_pairs(option: Option, pairs: Iterable, before: Mapping) -> dict[str, Any]:
    """Return pairs as a mapping, whose values are lists where a name may have several."""
    value: dict[str, Any] = {**before}
    for name, cell in pairs:
        several = [*dict.fromkeys([*value.get(name, ()), str(cell)])]
        value[name] = several if option.name == "missing_in" else str(cell)
    return value


def _from_shell(option: Option, given: Any) -> Any:
    """Return the value of an option of a command line."""
    if option.takes == LEVELS:
        return tuple(filter(None, (level.strip() for level in given.split("|"))))
    if option.takes == LISTS:
        return dict(_named_list(text, option) for text in given)
    return "\t" if option.name == "separator" and given == TAB else given


def _named_list(text: str, option: Option) -> tuple[str, list[str]]:
    """Return the name and the list in ``trust=q1,q2``."""
    name, is_there, names = text.partition("=")
    if not (name.strip() and is_there):
        raise refusal("not-a-list", f"{text!r} is not {option.metavar}", key=f"--{option.name}")
    return name.strip(), [part.strip() for part in names.split(",")]


def proposed_columns(remedies: Iterable[Remedy]) -> dict[str, str]:
    """Return the columns that remedies propose, by role, as far as they propose one way."""
    pairs = {
        (role, name)
        for remedy in remedies
        for key, name in remedy.settings.items()
        for columns, _, role in [key.partition("columns.")]
        if role in BY_NAME and not columns and isinstance(name, str)
    }
    roles, names = ([pair[i] for pair in pairs] for i in (0, 1))
    return {
        role: name
        for role, name in sorted(pairs)
        if roles.count(role) == 1 and names.count(name) == 1
    }


def plain_name(title: str) -> str:
    """Return the name of a study in ASCII letters, digits and _, as keys of a config may be."""
    plain = normalize("NFKD", title).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")
    if not re.match(r"[A-Za-z]", name):
        name = f"study_{name}".rstrip("_")
    return name[:MOST_CHARACTERS]


def file_name(title: str) -> str:
    """Return the name of a study as a file may have it."""
    return re.sub(r"[^\w.-]+", "_", title)[:MOST_CHARACTERS]


def seen_from_here(path: str) -> str:
    """Return a path relative to this folder."""
    return os.path.relpath(path)


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
    named = [seen_from_here(path) for path in request.named]
    again = [path for path in dict.fromkeys(named) if named.count(path) > 1]
    if again and not request["people"]:
        raise refusal(
            "file-twice",
            "named twice; people, each simulator and the description of the questions are in files "
            "of their own",
            file=again,
        )
