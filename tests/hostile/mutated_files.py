"""Files of a survey with a damage that happens to users' files, made from a seed.

``mutated`` gives the damaged files, the tables that the user means, and the words that a note has
to name if the reader takes the file and the tables are others. Damages that no reader could see are
left out: answers shifted by a row, a count that lost its last digit.
"""

import re
import unicodedata
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from html import escape
from random import Random

import pyarrow as pa
from survey_files import VALUES, Study, Table, study
from true_survey import SAMPLED, STATING, truth

COUNT_NAMES = [
    *("n", "N.", "ct", "antal", "effectif", "H\u00e4ufigkeit", "# answers", "count_2", "Value2"),
    *("V3", "Unnamed: 3", "x", "sum(n)", "\u4eba\u6570", "COUNT", "n_total"),
]
ID_NAMES = ["ID", "Unnamed: 0", "row", "nr", "lfdnr", "CASEID", "index", "ResponseId", "#", "pid"]
WEIGHT_NAMES = ["wt", "Weight", "wtssall", "gewicht", "design_weight", "pond", "rake wgt", "w_1"]
ABOUT_PEOPLE = {
    "age": [str(age) for age in range(18, 90)],
    "sex": ["f", "m"],
    "Gender": ["1", "2"],
    "region": ["north", "south", "west"],
    "education": ["1", "2", "3", "4", "5"],
    "Duration (in seconds)": [str(time) for time in range(60, 999, 7)],
    "StartDate": [f"2024-05-{day} 10:{day}" for day in range(10, 31)],
    "comment": ["", "", "", "good survey", "too long"],
    "group": ["no", "yes", "1", "agree"],
}
NO_ANSWERS = [
    *("NA", "N/A", ".", "-9", "99", "999", "-1", "don't know", "DK", "refused", "#N/A", "<NA>"),
    *("NaT", "\\N", "-", "--", "/", "?", "#DIV/0!", "#REF!", "NULL", "None", "nan", "*", "n.a."),
    *("missing", "(blank)", "SYSMIS", "_", "\u2014", "x", "-99.0", "[]", "''"),
]
INVISIBLE = ["\u200b", "\u200c", "\u200d", "\u2060", "\u00ad", "\ufeff", "\u200e", "\u202c"]
SPACES = ["\u00a0", "\u202f", "\u2009", "  ", "\t", "\u3000"]
MONTHS = {"1-2": "2-Jan", "3-4": "4-Mar", "5-6": "6-May"}


class NothingToDamageError(Exception):
    """The study has nothing that this damage could do."""


@dataclass(frozen=True)
class Damage:
    """What happens to a file.

    Attributes:
        name: in words.
        act: damages a study in place; returns the words that would tell it.
        wanted: what the study needs; as :func:`~survey_files.study` takes it.
    """

    name: str
    act: Callable[[Random, Study], list[str]]
    wanted: dict


DAMAGES: list[Damage] = []


def damage(name: str, **wanted):
    """Add a function to the damages."""

    def added(act):
        DAMAGES.append(Damage(name, act, wanted))
        return act

    return added


def mutated(number: int, seed: int) -> tuple[str, Study, Study]:
    """Return the name of the damage, the sound study and the damaged one; each takes its turn."""
    chosen = DAMAGES[number % len(DAMAGES)]
    for attempt in range(200):
        random = Random(f"mutated {seed} {number} {attempt}")
        sound = study(random, **_wanted(random, chosen))
        _written_otherwise(random, sound, chosen)
        given = deepcopy(sound)
        try:
            given.words = chosen.act(Random(f"damage {seed} {number} {chosen.name}"), given)
        except NothingToDamageError:
            continue
        if _written(given) != _written(sound):
            return chosen.name, sound, given
    raise RuntimeError(f"nothing to damage: {chosen.name}")


def _wanted(random: Random, first: Damage) -> dict:
    """Return what a study needs for a damage; every other one lists its options nowhere."""
    nowhere = {"kind": "categorical", "knows": "seen", "clustered": False}
    listed = "knows" in first.wanted or random.random() < 0.5
    return {"both": False, **({} if listed else nowhere), **first.wanted}


def _written(given: Study) -> list:
    contents = [table.content() for table in given.tables.values()]
    return [given.files(), contents, str(given.settings)]


def _written_otherwise(random: Random, sound: Study, first: Damage) -> None:
    """Give a study rows in disorder, Parquet files, or semicolons with the key."""
    for table in sound.tables.values():
        if "share" not in table.columns and random.random() < 0.5:
            random.shuffle(table.rows)
    kind = first.wanted.get("suffix") or random.choice([".csv"] * 4 + [".parquet", ".tsv", ";"])
    for table in sound.tables.values():
        if kind == ";":
            table.writing.separator = ";"
            sound.settings["separator"] = ";"
        else:
            table.writing.suffix = kind
            table.writing.separator = "\t" if kind == ".tsv" else ","
            table.writing.held = random.choice(["string", "dictionary", "int", "float"])


# What several damages do.


def _pick(random: Random, given: list):
    if not given:
        raise NothingToDamageError
    return random.choice(given)


def _text_table(random: Random, given: Study, names: list[str] | None = None) -> Table:
    """Return a table that is written as plain text."""
    tables = [given.tables[name] for name in names or [*given.tables]]
    return _pick(random, [each for each in tables if each.writing.suffix in (".csv", ".tsv")])


def _table(given: Study, name: str) -> Table:
    if name not in given.tables:
        raise NothingToDamageError
    return given.tables[name]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise NothingToDamageError from None


def _column(table: Table, *names: str) -> int:
    at = table.column(*names)
    if at is None:
        raise NothingToDamageError
    return at


def _with_column(random: Random, given: Study, *columns: str) -> tuple[Table, int]:
    """Return a table that has one of some columns, and where that is."""
    pairs = [
        (table, table.columns.index(each))
        for table in given.tables.values()
        for each in columns
        if each in table.columns
    ]
    return _pick(random, pairs)


@dataclass(frozen=True)
class Cell:
    """A cell with an answer: the table, the place of the row and column, and the scenario."""

    table: Table
    row: int
    column: int
    scenario: str

    @property
    def text(self) -> str:
        """What stands there."""
        return self.table.rows[self.row][self.column]

    def write(self, text: str) -> None:
        """Put something else there."""
        self.table.rows[self.row][self.column] = text


def _cells(given: Study, name: str, simulator: str | None = None) -> list[Cell]:
    """Return the cells of a table that are for answers, of one simulator or all."""
    table = given.tables[name]
    who = table.column("simulator")
    scenario = table.column("scenario")
    cells = []
    for column in given.answers_of(name):
        for row, cells_of_row in enumerate(table.rows):
            if simulator is not None and who is not None and cells_of_row[who] != simulator:
                continue
            place = table.columns[column] if scenario is None else cells_of_row[scenario]
            cells.append(Cell(table, row, column, place))
    return cells


def _side(random: Random, given: Study) -> list[Cell]:
    """Return the cells for answers of one side: people, one simulator, or a file."""
    sides = [("human", None), ("human", None)]
    sides += [(name, each) for name in given.simulated() for each in SAMPLED]
    sides += [("stated", STATING)]
    name, simulator = random.choice(sides)
    table = given.tables[name]
    alone = table.column("simulator") is None and simulator is not None
    if alone and simulator.split()[0] != name and name != "stated":
        name = simulator.split()[0]
    return _cells(given, name, simulator)


def _respell(random: Random, given: Study, spelling: Callable[[str], str]) -> list[str]:
    """Write one label otherwise, on one side; in all scenarios, in one, or in one cell."""
    cells = _side(random, given)
    labels = sorted({each.text for each in cells if given.survey.reason(each.text) is None})
    label = _pick(random, [each for each in labels if spelling(each) != each])
    cells = [each for each in cells if each.text == label]
    reach = random.choice(["all", "one scenario", "one cell"])
    if reach == "one scenario":
        name = random.choice(cells).scenario
        cells = [each for each in cells if each.scenario == name]
    if reach == "one cell" and "count" not in cells[0].table.columns:
        cells = [random.choice(cells)]
    written = spelling(label)
    for each in cells:
        each.write(written)
    return [written]


def _misspelled(random: Random, text: str) -> str:
    """Return a text with a typo, a full stop, other letters or something that nobody sees."""
    at = random.randrange(len(text) - 1)
    ways = [
        text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        text[: at + 1] + text[at:],
        text + ".",
        text.upper(),
        unicodedata.normalize("NFD", text),
        text + random.choice(INVISIBLE),
        text.replace(" ", "_"),
    ]
    return _pick(random, [way for way in ways if way != text])


def _respell_rows(random: Random, table: Table, at: int) -> list[str]:
    """Misspell one name in a column, in all its rows or in some."""
    name = _pick(random, sorted({row[at] for row in table.rows}))
    rows = [row for row in table.rows if row[at] == name]
    if random.random() < 0.7:
        rows = rows[: random.randrange(1, max(2, len(rows) // 2))]
    written = _misspelled(random, name)
    for row in rows:
        row[at] = written
    return [written]


# Columns.


@damage("a count column renamed", people=["counts"], simulators=["counts", "each"])
def renamed_counts(random, given):
    table, at = _with_column(random, given, "count")
    table.columns[at] = _pick(random, COUNT_NAMES)
    return [table.columns[at]]


@damage("a number of the row in a wide file", people=["wide"], named=False)
def row_numbers(random, given):
    table, name = given.tables["human"], random.choice(ID_NAMES)
    start = random.choice([0, 1, 1000, 51_203_007])
    cells = [str(start + number) for number in range(len(table.rows))]
    if name == "ResponseId":
        cells = [f"R_{random.getrandbits(40):x}" for _ in cells]
    table.add(random.choice([0, len(table.columns)]), name, cells)
    return [name]


@damage("a weight column renamed", people=["wide", "rows"], weighted=True)
def renamed_weights(random, given):
    table = given.tables["human"]
    table.columns[_column(table, "weight")] = name = random.choice(WEIGHT_NAMES)
    return [name]


@damage("a column about the people in a wide file", people=["wide"], described=False)
def about_people(random, given):
    table = given.tables["human"]
    name = random.choice(list(ABOUT_PEOPLE))
    at = random.randrange(len(table.columns) + 1)
    table.add(at, name, [random.choice(ABOUT_PEOPLE[name]) for _ in table.rows])
    return [name]


@damage("a column about the runs in a simulators' wide file", simulators=["wide"])
def about_runs(random, given):
    table = _table(given, "answers")
    name = random.choice(["temperature", "prompt_id", "timestamp", "run", "seed", "cost"])
    cells = [random.choice(["0", "0.7", "1", "2024-05-01"]) for _ in table.rows]
    table.add(random.randrange(len(table.columns) + 1), name, cells)
    return [name]


@damage("a column twice")
def column_twice(random, given):
    name = _pick(random, [name for name in given.tables if name != "scenarios"])
    table = given.tables[name]
    at = random.randrange(len(table.columns))
    again = table.columns[at] + random.choice(["", "", ".1", "_1", "_x", " "])
    table.add(random.choice([at + 1, len(table.columns)]), again, [row[at] for row in table.rows])
    return [again]


@damage("two columns swapped in the header")
def swapped_header(random, given):
    name = _pick(random, [name for name in given.tables if name not in ("scenarios",)])
    table = given.tables[name]
    long = [
        at
        for at, each in enumerate(table.columns)
        if each not in (*given.survey.questions, "respondent")
    ]
    if len(long) < 2:
        raise NothingToDamageError
    first, second = random.sample(long, 2)
    names = table.columns
    names[first], names[second] = names[second], names[first]
    return []


@damage(
    "two questions swapped in the header of a wide file",
    people=["wide"],
    simulators=["wide"],
    kind="categorical",
    mixed=True,
)
def swapped_questions(random, given):
    table = random.choice([given.tables["human"], _table(given, "answers")])
    options = given.survey.options
    first, second = random.sample(given.survey.questions, 2)
    if set(options[first]) & set(options[second]):
        raise NothingToDamageError
    one, other = table.columns.index(first), table.columns.index(second)
    table.columns[one], table.columns[other] = second, first
    return [first, second]


@damage("no header")
def no_header(random, given):
    table = _text_table(random, given)
    table.columns = []
    return []


# Cells that are no answers.


def _no_answers(random: Random, cells: list[Cell], given: Study) -> list[str]:
    survey = given.survey
    empty = [each for each in cells if not each.text]
    marks = [each for each in NO_ANSWERS if each not in _labels(survey.options)]
    if survey.bounds:
        lower, upper = survey.bounds
        marks = [each for each in marks if not _within(each, lower, upper)]
    mark = _pick(random, marks)
    if not empty:
        raise NothingToDamageError
    for each in empty:
        each.write(mark)
    return [mark, mark.strip("'")]


def _labels(options: dict[str, list[str]]) -> set[str]:
    return {label for labels in options.values() for label in labels}


def _within(mark: str, lower: float, upper: float) -> bool:
    return re.fullmatch(r"-?[\d.]*\d", mark) is not None and lower <= float(mark) <= upper


@damage("a mark of no answer among people, nothing listed", marks={}, knows="seen", both=True)
def marks_of_people_seen(random, given):
    return _no_answers(random, _cells(given, "human"), given)


@damage("a mark of no answer among simulators", marks={}, knows="seen", both=True)
def marks_of_simulators(random, given):
    name = random.choice(given.simulated())
    return _no_answers(random, _cells(given, name), given)


# Labels that one side spells otherwise.


def _has(pattern: str):
    return lambda labels: any(re.search(pattern, label) for label in labels)


def _spelled(name: str, pattern: str, spelling: Callable[[Random, str], str], **wanted) -> None:
    """Add a damage that spells a label of one side otherwise, where there is such a label."""

    def act(random: Random, given: Study) -> list[str]:
        style = random.getrandbits(32)
        return _respell(random, given, lambda label: spelling(Random(style), label))

    kind = wanted.pop("kind", "categorical")
    DAMAGES.append(Damage(name, act, {"kind": kind, "labels": _has(pattern), **wanted}))


def _mojibake(random: Random, label: str) -> str:
    return label.encode().decode("latin-1").replace("\xad", "-")


_spelled("curly quotes on one side", "'", lambda r, label: label.replace("'", "\u2019"))
_spelled(
    "accents as two characters on one side",
    "[^\x00-\x7f]",
    lambda r, label: unicodedata.normalize("NFD", label),
)
_spelled(
    "an invisible character on one side",
    "[a-z]",
    lambda r, label: r.choice(["{1}{0}", "{0}{1}"]).format(label, r.choice(INVISIBLE)),
)
_spelled(
    "another kind of space on one side", " ", lambda r, label: label.replace(" ", r.choice(SPACES))
)
_spelled(
    "a full stop on one side",
    "[a-z]",
    lambda r, label: label + r.choice([".", ".", "!", ","]),
    knows="seen",
)
_spelled(
    "capitals on one side",
    "[a-z]",
    lambda r, label: r.choice([label.upper(), label.capitalize(), label.title()]),
    knows="seen",
)
_spelled("letters of another encoding on one side", "[^\x00-\x7f]", _mojibake)
_spelled(
    "a dash on one side", "-", lambda r, label: label.replace("-", r.choice(["\u2013", "\u2011"]))
)
_spelled("entities of HTML on one side", "'", lambda r, label: escape(label))
_spelled(
    "quotes or an apostrophe around a label on one side",
    "[a-z]",
    lambda r, label: r.choice(['"{}"', "'{}", "\u201c{}\u201d", "**{}**", "({})"]).format(label),
    knows="seen",
)
_spelled("a date in place of a label on one side", "1-2", lambda r, x: MONTHS.get(x, x))
_spelled(
    "a label cut off on one side", "[a-z ]{6}", lambda r, label: label[: max(4, len(label) - 3)]
)
_spelled(
    "a typo in a label of one side",
    "[a-z]{4}",
    lambda r, label: label[:2] + label[3] + label[2] + label[4:] if len(label) > 3 else label,
    knows="seen",
)
_spelled(
    "a sentence around a label on one side",
    "[a-z]",
    lambda r, label: r.choice(["I would say {}", "Answer: {}", "{} (sure)", "1 - {}"]).format(
        label
    ),
    knows="seen",
)


@damage("one simulator answers in codes", knows="seen", simulators=["rows", "counts", "each"])
def codes_of_a_simulator(random, given):
    survey, name = given.survey, random.choice(SAMPLED)
    table = name.split()[0] if name.split()[0] in given.tables else "answers"
    if all(label.isdigit() for label in _labels(survey.options)):
        raise NothingToDamageError
    truths = random.random() < 0.5 and survey.kind == "binary"
    codes = ["FALSE", "TRUE"] if truths else list("123456789")
    for each in _cells(given, table, name):
        if survey.reason(each.text) is None:
            each.write(codes[survey.options[each.scenario].index(each.text)])
    return codes


# Names.


@damage("a scenario misspelled", knows="seen", described=False, clustered=False)
def misspelled_scenario(random, given):
    name = random.choice([each for each in given.tables if each != "scenarios"])
    table = given.tables[name]
    at = table.column("scenario")
    if at is not None:
        return _respell_rows(random, table, at)
    place = table.columns.index(_pick(random, [*set(table.columns) & set(given.survey.questions)]))
    table.columns[place] = _misspelled(random, table.columns[place])
    return [table.columns[place]]


@damage("a scenario misspelled, scenarios listed", knows="options")
def misspelled_scenario_listed(random, given):
    return misspelled_scenario(random, given)


@damage("a scenario misspelled in some rows of people", people=["rows", "counts"], knows="seen")
def misspelled_among_people(random, given):
    table = given.tables["human"]
    return _respell_rows(random, table, _column(table, "scenario"))


@damage("a simulator misspelled in some rows", simulators=["rows", "counts", "wide"])
def misspelled_simulator(random, given):
    table, at = _with_column(random, given, "simulator")
    return _respell_rows(random, table, at)


@damage("a scenario missing in one file")
def missing_scenario(random, given):
    name = random.choice(
        ["human", *given.simulated(), *["scenarios"] * ("scenarios" in given.tables)]
    )
    if given.true != truth(given.survey):
        raise NothingToDamageError
    table, gone = given.tables[name], random.choice(given.survey.questions)
    at = table.column("scenario")
    if at is not None:
        table.rows = [row for row in table.rows if row[at] != gone]
    else:
        place = _column(table, gone)
        table.reorder([other for other in range(len(table.columns)) if other != place])
    for simulator in SAMPLED if name in given.simulated() else ():
        if name in ("answers", simulator.split()[0]):
            for run in given.survey.runs[simulator]:
                run.pop(gone)
    given.true = truth(given.survey)
    return [gone]


@damage("merged cells", people=["rows", "counts"])
def merged_cells(random, given):
    tables = [each for each in given.tables.values() if "scenario" in each.columns]
    table = _pick(random, [each for each in tables if "topic" not in each.columns])
    at = random.choice([table.column("scenario"), table.column("simulator", "scenario")])
    table.rows.sort(key=lambda row: row[at])
    above = [None, *(row[at] for row in table.rows)]
    for row, before in zip(table.rows, above, strict=False):
        row[at] = "" if row[at] == before else row[at]
    return []


# Numbers.


@damage("a decimal comma", weighted=True)
def decimal_comma(random, given):
    table, at = _with_column(random, given, "weight", "probability", "share", *VALUES)
    if all("." not in row[at] for row in table.rows) or not re.search(r"\d", table.rows[0][at]):
        raise NothingToDamageError
    for row in table.rows:
        row[at] = re.sub(r"^(-?\d+)\.(\d+)$", r"\1,\2", row[at])
    return []


def _in_thousands(given: Study, times: int, mark: str) -> None:
    """Multiply people's counts, and separate thousands."""
    table = given.tables["human"]
    at = _column(table, "count")
    for row in table.rows:
        row[at] = f"{times * int(_number(row[at])):,}".replace(",", mark)
    for counts in (given.true.counts, given.true.missing):
        counts |= {key: times * number for key, number in counts.items() if key[1] == "human"}
    given.true.n_effective = {key: times * n for key, n in given.true.n_effective.items()}


@damage("thousands separated", people=["counts"], weighted=False)
def thousands(random, given):
    mark = random.choice([",", ".", " ", "'", "\u00a0", "\u202f"])
    _in_thousands(given, random.choice([250, 500]), mark)
    return []


@damage("whole thousands with a point", people=["counts"], weighted=False)
def whole_thousands(random, given):
    _in_thousands(given, 1000, ".")
    return ["count"]


@damage("counts in scientific notation", people=["counts"])
def scientific(random, given):
    table, at = _with_column(random, given, "count")
    style = random.choice(["{:.2e}", "{:.3E}"])
    for row in table.rows:
        row[at] = style.format(int(_number(row[at])))
    return []


# Rows.


@damage("a total below a wide file", people=["wide"])
def total_of_wide(random, given):
    table = given.tables["human"]
    answered = given.survey.reason
    totals = [
        str(sum(answered(row[at]) is None for row in table.rows))
        for at in range(len(table.columns))
    ]
    if "respondent" in table.columns:
        totals[table.columns.index("respondent")] = "Total"
    table.rows.append(totals)
    return totals


@damage("totals in a long file", people=["counts"], simulators=["counts"])
def totals_of_long(random, given):
    tables = [each for each in given.tables.values() if "count" in each.columns]
    table = _pick(random, tables)
    word = random.choice(["Total", "total", "All", "Sum", "Gesamt", "N"])
    at, amount = _column(table, *VALUES), _column(table, "count")
    fixed = [place for place, each in enumerate(table.columns) if each in ("scenario", "simulator")]
    sums: dict[tuple, float] = {}
    for row in table.rows:
        key = tuple(row[place] for place in fixed)
        sums[key] = sums.get(key, 0) + _number(row[amount])
    for key, number in sums.items():
        row = [""] * len(table.columns)
        for place, text in zip([*fixed, at, amount], [*key, word, f"{number:g}"], strict=True):
            row[place] = text
        if "weight" in table.columns:
            row[table.columns.index("weight")] = "1"
        table.rows.append(row)
    return [word]


@damage("a footnote below the table")
def footnote(random, given):
    name = random.choice(["human", *given.simulated()])
    table = given.tables[name]
    note = random.choice(["Source: own survey", "* weighted", "n = 60", "Exported 2024-05-01"])
    row = [""] * len(table.columns)
    last = len(row) - 1 if len(row) - 1 in given.answers_of(name) else 0
    row[random.choice([0, 0, last])] = note
    if table.column("weight") is not None and not row[_column(table, "weight")]:
        row[_column(table, "weight")] = "1"
    table.rows.append(row)
    return [note]


@damage("the questions' wording below the header", people=["wide"], simulators=["wide", "each"])
def wording_below(random, given):
    names = [
        name
        for name in ("human", *given.simulated())
        if given.tables[name].column("scenario") is None
    ]
    table = given.tables[_pick(random, names)]
    words = [
        f"What do you think of {each}?" if each in given.survey.questions else each
        for each in table.columns
    ]
    if "weight" in table.columns:
        words[table.columns.index("weight")] = "1"
    table.rows.insert(0, words)
    return words


@damage("people in the simulators' file", simulators=["rows", "counts", "wide"])
def people_among_simulators(random, given):
    table = _table(given, "answers")
    at = _column(table, "simulator")
    again = [list(row) for row in table.rows if row[at] == SAMPLED[0]]
    for row in again:
        row[at] = random.choice(["human", "human", "people", "Human"])
    name = again[0][at]
    for row in again:
        row[at] = name
    table.rows += again
    return [name]


# Files.


@damage(
    "the last label cut off",
    suffix=".csv",
    people=["rows"],
    named=False,
    weighted=False,
    kind="categorical",
    knows="seen",
    labels=_has("[a-z]{4}"),
)
def cut_label(random, given):
    table = _text_table(random, given, ["human", *given.simulated()])
    at = _column(table, "value")
    if at != len(table.columns) - 1:
        raise NothingToDamageError
    table.writing.end = ""
    last = _pick(random, [row for row in table.rows if re.search("[a-z]{4}", row[at])])
    table.rows = [row for row in table.rows if row is not last]
    last[at] = last[at][: random.randrange(1, len(last[at]) - 1)]
    table.rows.append(last)
    return [last[at]]


@damage("people's and simulators' files swapped", simulators=["rows", "counts", "wide"])
def swapped_files(random, given):
    _table(given, "answers")
    given.settings["human"] = "answers"
    given.settings["simulated"] = ["human", "stated"]
    return []


@damage("a column of dates added to Parquet", suffix=".parquet")
def dates_beside(random, given):
    table = given.tables[random.choice(["human", *given.simulated()])]
    table.add(random.randrange(len(table.columns)), "StartDate", [""] * len(table.rows))
    table.types["StartDate"] = random.choice([pa.timestamp("us"), pa.date32(), pa.null()])
    return ["StartDate"]


@damage("NaN in Parquet", suffix=".parquet", kind="bounded", marks={}, both=True)
def not_a_number(random, given):
    random.choice(
        [given.tables["human"], *map(given.tables.get, given.simulated())]
    ).writing.held = "nan"
    return []
