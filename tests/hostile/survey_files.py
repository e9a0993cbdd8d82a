"""Files of a :class:`~true_survey.Survey`, in every form and spelling that the reader takes."""

import gzip
import io
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
from true_survey import SAMPLED, STATING, Survey, Tables, survey, truth

PEOPLE_FORMS, SIMULATED_FORMS = ("rows", "counts", "wide"), ("rows", "counts", "wide", "each")
SUFFIXES = (".csv", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
VALUES = ("value", "option")


@dataclass
class Writing:
    """How a table becomes bytes.

    Attributes:
        suffix: of the file's name.
        separator: between cells.
        newline: at the end of a line.
        start: bytes before the header, a byte order mark.
        end: what is below the last line.
        quoted: every how many cells one is in quotes though it need not be; 0 for none.
        padded: every how many cells one has spaces around it; 0 for none.
        held: how Parquet holds columns: ``string``, ``dictionary``, or where all cells are
            numbers ``int``, ``float``, ``nan`` (as pandas does: float, NaN for an empty cell) or
            ``decimal``.
    """

    suffix: str = ".csv"
    separator: str = ","
    newline: str = "\n"
    start: bytes = b""
    end: str = "\n"
    quoted: int = 0
    padded: int = 0
    held: str = "string"


@dataclass
class Table:
    """The cells of a file, as text, and how they are written."""

    columns: list[str]
    rows: list[list[str]]
    writing: Writing = field(default_factory=Writing)
    types: dict[str, pa.DataType] = field(default_factory=dict)

    def column(self, *names: str) -> int | None:
        """Return the position of the first of these columns, None if there is none."""
        return next((self.columns.index(name) for name in names if name in self.columns), None)

    def add(self, at: int, name: str, cells: Iterable[str]) -> None:
        """Put a column before position ``at``."""
        self.columns.insert(at, name)
        for row, cell in zip(self.rows, cells, strict=True):
            row.insert(at, cell)

    def reorder(self, order: list[int]) -> None:
        """Put the columns into another order."""
        self.columns = [self.columns[position] for position in order]
        self.rows = [[row[position] for position in order] for row in self.rows]

    def content(self) -> bytes:
        """Return the bytes of the file."""
        how = self.writing
        if how.suffix == ".parquet":
            content = self._parquet()
        else:
            lines = [self.columns, *self.rows] if self.columns else self.rows
            joined = [
                how.separator.join(self._cell(cell, i + j) for j, cell in enumerate(line))
                for i, line in enumerate(lines)
            ]
            text = how.newline.join(joined) + how.end.replace("\n", how.newline)
            content = how.start + text.encode()
            if how.suffix.endswith(".gz"):
                content = gzip.compress(content, mtime=0)
        return content

    def _cell(self, text: str, number: int) -> str:
        how = self.writing
        if how.padded and number % how.padded == 0:
            text = f" {text}  "
        needed = any(each in text for each in (how.separator, '"', "\n", "\r"))
        if needed or (how.quoted and number % how.quoted == 0):
            text = '"' + text.replace('"', '""') + '"'
        return text

    def _parquet(self) -> bytes:
        arrays = []
        for position, name in enumerate(self.columns):
            cells = [row[position] or None for row in self.rows]
            arrays.append(self._held(cells, self.types.get(name)))
        buffer = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(arrays, names=self.columns), buffer, row_group_size=50)
        return buffer.getvalue()

    def _held(self, cells: list[str | None], wanted: pa.DataType | None) -> pa.Array:
        if wanted is not None:
            return pa.array([None] * len(cells), wanted)
        held = self.writing.held
        try:
            numbers = [None if cell is None else Decimal(cell) for cell in cells]
        except ArithmeticError:
            held = "string" if held != "dictionary" else held
        if held == "decimal":
            return pa.array(numbers, pa.decimal128(20, 6))
        if held == "int" and any(each is not None and float(each) % 1 != 0 for each in numbers):
            held = "float"
        if held == "nan":
            return pa.array([float("nan") if each is None else float(each) for each in numbers])
        if held in ("int", "float"):
            kind = pa.int64() if held == "int" else pa.float64()
            whole = int if held == "int" else float
            return pa.array([None if each is None else whole(each) for each in numbers], kind)
        column = pa.array(cells, pa.string())
        return column.dictionary_encode() if held == "dictionary" else column


@dataclass
class Study:
    """Files of a survey, the config that goes with them, and the true tables.

    Attributes:
        survey: what is meant.
        forms: of people's and simulators' files.
        tables: the files, by the names that ``settings`` has for them.
        settings: the keys of the dataset.
        true: the tables that have to come out.
        words: what a note has to name so that the damage counts as told.
    """

    survey: Survey
    forms: tuple[str, str]
    tables: dict[str, Table]
    settings: dict
    true: Tables
    words: list[str] = field(default_factory=list)

    def answers_of(self, name: str) -> list[int]:
        """Return the columns of a table that hold answers."""
        columns = self.tables[name].columns
        wanted = {*VALUES, *self.survey.questions}
        return [position for position, each in enumerate(columns) if each in wanted]

    def simulated(self) -> list[str]:
        """Return the tables of simulators that answer."""
        return [name for name in self.tables if name not in ("human", "scenarios", "stated")]

    def files(self) -> dict[str, str]:
        """Return the name of each table's file."""
        return {name: name + table.writing.suffix for name, table in self.tables.items()}

    def write(self, folder: Path) -> dict:
        """Write the files, and return the params of the ingest step."""
        files = self.files()
        for name, table in self.tables.items():
            (folder / files[name]).write_bytes(table.content())
        settings = dict(self.settings)
        common = {key: settings.pop(key) for key in ("outcome", "cluster")}
        for key in ("human", "scenarios", "simulated"):
            if key in settings:
                settings[key] = _filled(settings[key], files)
        return {
            "seed": 1,
            "dataset": "town",
            "simulators": [*SAMPLED, STATING],
            "draws": 20,
            "weighting_effect": None,
            **common,
            "options": settings,
        }


def _filled(value, files: dict[str, str]):
    if isinstance(value, dict):
        return {key: files[name] for key, name in value.items()}
    return [files[name] for name in value] if isinstance(value, list) else files[value]


def study(random: Random, **wanted) -> Study:
    """Return plain CSV files of a new survey.

    ``wanted`` may have ``people`` and ``simulators``, the forms to choose from, ``named`` (whether
    persons have a name), ``described`` (whether there is a file of scenarios), and what
    :func:`~true_survey.survey` takes.
    """
    people = random.choice(wanted.pop("people", PEOPLE_FORMS))
    simulators = random.choice(wanted.pop("simulators", SIMULATED_FORMS))
    named, described = wanted.pop("named", None), wanted.pop("described", None)
    made = survey(random, **wanted)
    named = random.random() < 0.4 if named is None else named
    tables = {"human": _people(made, people, named)}
    settings: dict = {"human": "human"}
    if simulators == "each":
        forms = {name: random.choice(["rows", "counts", "wide"]) for name in SAMPLED}
        tables |= {name.split()[0]: _simulated(made, forms[name], [name]) for name in SAMPLED}
        settings["simulated"] = {name: name.split()[0] for name in SAMPLED} | {STATING: "stated"}
    else:
        tables["answers"] = _simulated(made, simulators, SAMPLED)
        settings["simulated"] = ["answers", "stated"]
    tables["stated"] = _stated(random, made, simulators == "each")
    settings |= _settings(random, made)
    if people == "counts" and made.weights:
        settings["weight"] = "weight"
    if settings["cluster"] == "topic" or made.knows == "options" or described:
        tables["scenarios"] = _scenarios(made)
        settings["scenarios"] = "scenarios"
        if made.kind == "bounded" and made.knows == "options":
            settings["outcome"] = {"kind": "bounded"}
    return Study(made, (people, simulators), tables, settings, truth(made))


def _settings(random: Random, made: Survey) -> dict:
    outcome: dict = {"kind": made.kind}
    if made.bounds:
        outcome["bounds"] = list(made.bounds)
    elif made.knows == "levels":
        outcome["levels"] = list(made.options[made.questions[0]])
    cluster = "none" if made.clusters == {k: k for k in made.questions} else "topic"
    settings = {"outcome": outcome, "cluster": cluster}
    if made.missing:
        marks = {reason: [*map(_as_yaml, each)] for reason, each in made.missing.items()}
        alone = list(marks) == ["missing"] and random.random() < 0.5
        settings["missing"] = marks["missing"] if alone else marks
    return settings


def _as_yaml(mark: str) -> str | int:
    return int(mark) if mark.lstrip("-").isdigit() else mark


def _people(made: Survey, form: str, named: bool) -> Table:
    weights = made.weights
    extra = [[each] for each in weights] if weights else [[] for _ in made.people]
    columns = ["weight"] if weights else []
    if form == "counts":
        rows = Counter(
            (name, row[name], *more)
            for name in made.questions
            for row, more in zip(made.people, extra, strict=True)
        )
        counted = [[*key, str(count)] for key, count in rows.items()]
        return Table(["scenario", "value", *columns, "count"], counted)
    if named:
        columns.append("respondent")
        for number, more in enumerate(extra):
            more.append(f"p{number:03}")
    if form == "wide":
        rows = [[row[name] for name in made.questions] for row in made.people]
        return Table(
            [*made.questions, *columns], [row + more for row, more in zip(rows, extra, strict=True)]
        )
    rows = [
        [name, row[name], *more]
        for name in made.questions
        for row, more in zip(made.people, extra, strict=True)
    ]
    return Table(["scenario", "value", *columns], rows)


def _simulated(made: Survey, form: str, names: Iterable[str]) -> Table:
    """Return answers of simulators; without their name where it is one."""
    names = list(names)
    alone = len(names) == 1
    if form == "wide":
        rows = [
            [*([] if alone else [name]), *(run[each] for each in made.questions)]
            for name in names
            for run in made.runs[name]
        ]
        return Table([*([] if alone else ["simulator"]), *made.questions], rows)
    rows = [
        [*([] if alone else [name]), each, run[each]]
        for name in names
        for each in made.questions
        for run in made.runs[name]
    ]
    columns = [*([] if alone else ["simulator"]), "scenario", "value"]
    if form == "counts":
        counted = Counter(map(tuple, rows))
        return Table([*columns, "count"], [[*key, str(n)] for key, n in counted.items()])
    return Table(columns, rows)


def _stated(random: Random, made: Survey, alone: bool) -> Table:
    rows = [
        [*([] if alone else [name]), scenario, label, probability]
        for name, by_scenario in made.stated.items()
        for scenario, shares in by_scenario.items()
        for label, probability in shares.items()
    ]
    columns = [*([] if alone else ["simulator"]), "scenario", random.choice(VALUES), "probability"]
    return Table(columns, rows)


def _scenarios(made: Survey) -> Table:
    table = Table(["scenario", "topic"], [[name, made.clusters[name]] for name in made.questions])
    if made.bounds:
        for name, bound in zip(("lower", "upper"), made.bounds, strict=True):
            table.add(2, name, [f"{bound:g}"] * len(table.rows))
    elif made.knows == "options":
        options = [" | ".join(made.options[name]) for name in made.questions]
        table.add(1, "options", options)
    return table


# Variants: each changes spelling and order of a study's files, and nothing that is meant.


def shuffled_rows(random: Random, given: Study) -> None:
    """Put rows of files into another order."""
    for table in given.tables.values():
        random.shuffle(table.rows)


def shuffled_columns(random: Random, given: Study) -> None:
    """Put columns of all files into another order."""
    for table in given.tables.values():
        table.reorder(random.sample(range(len(table.columns)), len(table.columns)))


def bytes_of_texts(random: Random, given: Study) -> None:
    """Change byte order mark, line ends, quotes and what is below the last line."""
    for table in given.tables.values():
        how = table.writing
        how.start = random.choice([b"", b"\xef\xbb\xbf"])
        how.newline = random.choice(["\n", "\r\n", "\r"])
        how.quoted = random.choice([0, 1, 3])
        how.end = random.choice(["", "\n", "\n\n\n"])


def padded_cells(random: Random, given: Study) -> None:
    """Put spaces around cells."""
    for table in given.tables.values():
        table.writing.padded = random.choice([0, 1, 2, 5])


def spelled_numbers(random: Random, given: Study) -> None:
    """Write some numbers as 2.0, 2. or +2 in place of 2; no names of persons."""

    def spelled(cell: str) -> str:
        if not cell.isdigit() or random.random() < 0.5:
            return cell
        return random.choice([f"{cell}.0", f"{cell}.", f"+{cell}"])

    for name, table in given.tables.items():
        columns = given.answers_of(name)
        columns += [at for at, each in enumerate(table.columns) if each in ("count", "weight", "n")]
        for row in table.rows if name != "scenarios" else []:
            for column in columns:
                row[column] = spelled(row[column])


def kinds_of_files(random: Random, given: Study) -> None:
    """Write files as .csv, .csv.gz, .tsv, .tsv.gz or Parquet with columns of any kind."""
    for table in given.tables.values():
        how = table.writing
        how.suffix = random.choice(SUFFIXES)
        how.separator = "\t" if how.suffix.startswith(".tsv") else ","
        how.held = random.choice(["string", "dictionary", "int", "float", "decimal"])


def own_separator(random: Random, given: Study) -> None:
    """Separate cells by something else, and say so."""
    separator = random.choice([";", "|", "\t"])
    given.settings["separator"] = separator
    for table in given.tables.values():
        table.writing.separator = separator


def own_columns(random: Random, given: Study) -> None:
    """Give columns other names, and say so; the simulator's may be two columns."""
    names = {
        "scenario": ["item", "Frage"],
        "value": ["answer", "V2"],
        "count": ["n_obs", "Anzahl"],
        "weight": ["wtssall", "pond."],
        "respondent": ["ID", "case id"],
        "probability": ["p", "Wahrscheinlichkeit"],
        "simulator": ["model", "LLM"],
    }
    there = [role for role in names if any(role in each.columns for each in given.tables.values())]
    columns: dict = {role: random.choice(names[role]) for role in there if random.random() < 0.6}
    # A file's option is its value only where the config does not name the value.
    for table in given.tables.values():
        if "value" in columns and "option" in table.columns and "share" not in table.columns:
            table.columns[table.columns.index("option")] = "value"
        if "simulator" in columns and "mode" in table.columns:
            table.columns[table.columns.index("mode")] = "simulator"
        table.columns = [columns.get(each, each) for each in table.columns]
    if "simulator" in columns and random.random() < 0.5:
        both = [columns["simulator"], "prompt"]
        for table in given.tables.values():
            at = table.column(columns["simulator"])
            if at is not None:
                parts = [row[at].split() for row in table.rows]
                table.add(at + 1, "prompt", [part[1] for part in parts])
                for row, part in zip(table.rows, parts, strict=True):
                    row[at] = part[0]
        columns["simulator"] = both
    if columns:
        given.settings["columns"] = columns


def ignored_columns(random: Random, given: Study) -> None:
    """Add columns that the config ignores."""
    extra = {
        "remark": lambda: random.choice(["", "late", "a, b", 'so "so"']),
        "n_children": lambda: str(random.randrange(4)),
        "StartDate": lambda: f"2024-05-{random.randrange(10, 30)} 10:00",
        "id": lambda: str(random.randrange(10**6)),
    }
    chosen = random.sample(list(extra), 2)
    for name, table in given.tables.items():
        for column in chosen if name != "scenarios" else []:
            at = random.randrange(len(table.columns) + 1)
            table.add(at, column, [extra[column]() for _ in table.rows])
    given.settings["ignore"] = chosen


def described_people(random: Random, given: Study) -> None:
    """Add columns that describe people, and say so."""
    table = given.tables["human"]
    if given.forms[0] in ("rows", "wide"):
        table.add(0, "age", [str(random.randrange(18, 90)) for _ in table.rows])
        table.add(0, "sex", [random.choice(["f", "m", ""]) for _ in table.rows])
        given.settings["personas"] = random.choice([["age", "sex"], "a {age}-year-old ({sex})"])


TRAITS = [
    *(shuffled_rows, shuffled_columns, bytes_of_texts, padded_cells, spelled_numbers),
    *(kinds_of_files, own_separator, own_columns, ignored_columns, described_people),
]
FORMS = [(people, each) for people in PEOPLE_FORMS for each in SIMULATED_FORMS]


def variant(number: int, seed: int) -> tuple[str, Study]:
    """Return a valid study, and what is special about it; every form and trait takes its turn."""
    random = Random(f"variant {seed} {number}")
    people, simulators = FORMS[number % len(FORMS)]
    given = study(random, people=[people], simulators=[simulators])
    traits = dict.fromkeys([TRAITS[number % len(TRAITS)], *random.sample(TRAITS, 3)])
    chosen = [each for each in TRAITS if each in traits]
    if own_separator in chosen and kinds_of_files in chosen:
        chosen.remove(own_separator if number % 2 else kinds_of_files)
    for trait in chosen:
        trait(random, given)
    form = random.choice(["NFC", "NFC", "NFD"])
    if form == "NFD":
        decompose(given)
    return f"{people}, {simulators}, {form}: {', '.join(each.__name__ for each in chosen)}", given


def decompose(given: Study) -> None:
    """Spell letters with accents as two characters in all files, and in the config."""

    def spelling(text: str) -> str:
        return unicodedata.normalize("NFD", text)

    for table in given.tables.values():
        table.columns = [spelling(each) for each in table.columns]
        table.rows = [[spelling(cell) for cell in row] for row in table.rows]
    outcome = given.settings["outcome"]
    if "levels" in outcome:
        given.settings["outcome"] = {**outcome, "levels": [*map(spelling, outcome["levels"])]}
