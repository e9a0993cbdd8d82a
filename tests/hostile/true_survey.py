"""A small survey made from a seed, and the tables it has to give: by plain counting, in dicts.

Nothing here uses the reader. ``truth`` counts what people and simulators of a ``Survey`` said;
``differences`` compares that with what the reader handed over.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from random import Random

QUESTIONS = [
    *("Bus fares", "Parks, more of them", 'The "new" school', "L\u00e4rm am Abend"),
    *("Caf\u00e9s", "q_07", "Night trains", "Housing (rents)", "Taxes", "Can't sleep"),
    *("Zoning", "Water"),
]
LABELS = {
    "categorical": [
        ["agree", "disagree", "can't agree"],
        ["f\u00fcr", "gegen", "egal"],
        ["bus", "tram", "v\u00e9lo", "\u00e0 pied"],
        ["1-2", "3-4", "5-6", "more"],
        ["1", "2", "3", "4"],
        ["less than $1,000", "$1,000 to $5,000", "more than that"],
    ],
    "ordinal": [
        ["1", "2", "3", "4", "5"],
        ["never", "seldom", "often", "always"],
        ["1-2", "3-4", "5-6", "very often"],
    ],
    "binary": [["no", "yes"], ["0", "1"], ["dagegen", "daf\u00fcr"]],
}
BOUNDS = [(0.0, 10.0), (-3.0, 3.0), (1.0, 7.0)]
MARKS: list[dict[str, list[str]]] = [
    {},
    {"missing": ["-9"]},
    {"missing": ["NA"]},
    {"refused": ["-8"], "missing": ["-9"]},
    {"refused": ["no answer"], "unparsable": ["?"]},
]
SAMPLED, STATING = ("gpt warm", "llama cold"), "oracle flat"
STRATA = ("0.7", "1", "1.3", "2.1")
TWENTIETHS = 20


@dataclass(frozen=True)
class Survey:
    """What people and simulators said, cell by cell.

    Attributes:
        kind: of the outcome.
        questions: the scenarios.
        options: the labels of each scenario in order; of bounded numbers nothing.
        bounds: the range of bounded numbers.
        knows: where the options stand: ``levels``, ``options`` (of the file of scenarios) or
            nowhere, ``seen``.
        clusters: of each scenario.
        people: the cells of each person, by scenario.
        weights: of the people, as they are written; None if they have none.
        runs: the cells of each run of the simulators that answer.
        stated: the probabilities, as they are written, by simulator, scenario and label.
        missing: the marks of no answer besides empty cells, by reason.
    """

    kind: str
    questions: list[str]
    options: dict[str, list[str]]
    bounds: tuple[float, float] | None
    knows: str
    clusters: dict[str, str]
    people: list[dict[str, str]]
    weights: list[str] | None
    runs: dict[str, list[dict[str, str]]]
    stated: dict[str, dict[str, dict[str, str]]]
    missing: dict[str, list[str]]

    @property
    def listed(self) -> bool:
        """Whether the config or the file of scenarios lists the options."""
        return self.knows != "seen" and self.kind != "bounded"

    @property
    def ordered(self) -> bool:
        """Whether the order of the options matters."""
        return self.listed and self.kind != "categorical"

    def reason(self, cell: str) -> str | None:
        """Return why a cell is no answer, None if it is one."""
        if not cell:
            return "missing"
        return next((name for name, marks in self.missing.items() if cell in marks), None)


@dataclass
class Tables:
    """The tables of a survey; numbers that are 0 are left out, texts are in one spelling."""

    counts: dict[tuple, float] = field(default_factory=dict)
    missing: dict[tuple, float] = field(default_factory=dict)
    stated: dict[tuple, float] = field(default_factory=dict)
    n_effective: dict[str, float] = field(default_factory=dict)
    clusters: dict[str, str] = field(default_factory=dict)
    options: dict[str, list[str]] = field(default_factory=dict)


def survey(random: Random, **wanted) -> Survey:
    """Return a survey of 60 people, 12 questions and 3 simulators.

    Args:
        random: where all of it comes from.
        wanted: ``kind``, ``knows``, ``labels`` (a condition on the options of a scenario),
            ``mixed`` (whether options differ between scenarios), ``weighted``, ``clustered``,
            ``marks``, and ``both`` (whether empty cells stand beside marks).
    """
    kind = wanted.get("kind") or random.choice(["categorical", "categorical", *LABELS, "bounded"])
    questions = random.sample(QUESTIONS, 12)
    bounds, options = None, {}
    if kind == "bounded":
        bounds, knows = random.choice(BOUNDS), random.choice(["levels", "options"])
        knows = {"seen": "levels", None: knows}.get(wanted.get("knows"), wanted.get("knows"))
    else:
        options, knows = _options(random, kind, questions, wanted)
    codes = {label for labels in options.values() for label in labels}
    marks = wanted.get("marks")
    if marks is None:
        marks = random.choice([each for each in MARKS if codes.isdisjoint(chain(*each.values()))])
    weighted = wanted.get("weighted", random.random() < 0.35)
    both = wanted.get("both", random.random() < 0.2)
    nothing = _cells_of(marks, both)
    answering = _Answering(random, questions, options, bounds, nothing)
    stated = {
        name: {label: f"{part / TWENTIETHS:g}" for label, part in answering.shares(name).items()}
        for name in questions
    }
    topics = ["home", "way", "caf\u00e9 & bar"]
    clusters = {name: random.choice(topics) for name in questions}
    if not wanted.get("clustered", random.random() < 0.5):
        clusters = {name: name for name in questions}
    return Survey(
        kind=kind,
        questions=questions,
        options=options,
        bounds=bounds,
        knows=knows,
        clusters=clusters,
        people=answering.rows(60),
        weights=random.choices(STRATA, k=60) if weighted else None,
        runs={name: answering.rows(25) for name in SAMPLED},
        stated={STATING: stated},
        missing=marks,
    )


def _options(
    random: Random, kind: str, questions: list[str], wanted: Mapping
) -> tuple[dict[str, list[str]], str]:
    """Return the options of each question, and where they stand."""
    fits = wanted.get("labels", lambda labels: True)
    sets = [labels for labels in LABELS[kind] if fits(labels)]
    mixed = wanted.get("mixed", kind == "categorical" and random.random() < 0.3)
    common = random.choice(sets)
    options = dict.fromkeys(questions, common)
    if mixed:
        options = {
            name: sets[j % len(sets)] if j < len(sets) else random.choice(sets)
            for j, name in enumerate(questions)
        }
    named = kind == "ordinal" and not common[0].isdigit()
    places = ["levels", "options"] if named else ["seen", "seen", "levels", "options"]
    knows = wanted.get("knows") or random.choice(places)
    return options, "options" if knows == "levels" and mixed else knows


def _cells_of(marks: Mapping[str, list[str]], both: bool) -> list[str]:
    """Return the cells that are no answers: empty ones, or marks, or both."""
    marked = [mark for each in marks.values() for mark in each]
    return ["", "", *marked] if both else marked or [""]


@dataclass(frozen=True)
class _Answering:
    """Draws answers: each option of a question is chosen, some cells are none."""

    random: Random
    questions: list[str]
    options: dict[str, list[str]]
    bounds: tuple[float, float] | None
    nothing: list[str]

    def rows(self, size: int) -> list[dict[str, str]]:
        """Return the cells of ``size`` people or runs."""
        columns = {name: self._column(name, size) for name in self.questions}
        return [{name: columns[name][row] for name in self.questions} for row in range(size)]

    def shares(self, name: str) -> dict[str, int]:
        """Return the twentieths of a probability that each option of a question has."""
        labels = self.options.get(name) or self._numbers(3)
        cuts = sorted(self.random.choices(range(TWENTIETHS + 1), k=len(labels) - 1))
        ends = zip([0, *cuts], [*cuts, TWENTIETHS], strict=True)
        return {label: end - start for label, (start, end) in zip(labels, ends, strict=True)}

    def _column(self, name: str, size: int) -> list[str]:
        labels = self.options.get(name) or self._numbers(9)
        liked = [self.random.random() + 0.1 for _ in labels]
        chosen = [*labels, *self.random.choices(labels, liked, k=size - len(labels))]
        if self.nothing:
            chosen[len(labels) :] = [
                self.random.choice(self.nothing) if self.random.random() < 0.1 else label
                for label in chosen[len(labels) :]
            ]
        self.random.shuffle(chosen)
        return chosen

    def _numbers(self, size: int) -> list[str]:
        lower, upper = self.bounds
        halves = range(int(2 * lower), int(2 * upper) + 1)
        return [f"{half / 2:g}" for half in self.random.sample(halves, size)]


@cache
def canonical(text: str) -> str:
    """Return the one spelling of a text that people mean alike.

    Composed or not, curly or straight, with what nobody sees or a full stop at the end.
    """
    text = unicodedata.normalize("NFKC", text)
    text = "".join(each for each in text if unicodedata.category(each) != "Cf")
    for curly, straight in ("\u2019'", "\u2018'", '\u201c"', '\u201d"', "\u2013-", "\u2010-"):
        text = text.replace(curly, straight)
    return " ".join(text.split()).rstrip(".").casefold()


def truth(survey: Survey) -> Tables:
    """Return the tables that a survey has to give."""
    tables = Tables(
        clusters={
            canonical(k): canonical("none" if v == k else v) for k, v in survey.clusters.items()
        }
    )
    seen: dict[str, dict[str, None]] = {name: {} for name in survey.questions}
    everybody = {"human": survey.people, **survey.runs}
    weights = [1.0] * len(survey.people)
    if survey.weights is not None:
        weights = [float(each) for each in survey.weights]
    for source, rows in everybody.items():
        for name in survey.questions:
            _count(tables, survey, source, rows, name, weights if source == "human" else None)
            for row in rows:
                if survey.reason(row.get(name, "")) is None:
                    seen[name][row[name]] = None
    for source, by_scenario in survey.stated.items():
        for name, shares in by_scenario.items():
            for label, share in shares.items():
                seen[name][label] = None
                if float(share):
                    tables.stated[canonical(name), source, canonical(label)] = float(share)
    for name in survey.questions:
        labels = [
            canonical(each) for each in (survey.options[name] if survey.listed else seen[name])
        ]
        tables.options[canonical(name)] = labels if survey.ordered else sorted(labels)
    return tables


def _count(
    tables: Tables,
    survey: Survey,
    source: str,
    rows: list[dict[str, str]],
    name: str,
    weights: list[float] | None,
) -> None:
    """Add the answers of one source to one question."""
    scenario, sums = canonical(name), Counter()
    n = total = squares = 0.0
    for row, weight in zip(rows, weights or [1.0] * len(rows), strict=True):
        if name not in row:
            continue
        reason = survey.reason(row[name])
        if reason is not None:
            key = scenario, source, reason
            tables.missing[key] = tables.missing.get(key, 0) + 1
            continue
        sums[canonical(row[name])] += weight
        n, total, squares = n + 1, total + weight, squares + weight**2
    for label, sum_of_weights in sums.items():
        tables.counts[scenario, source, label] = sum_of_weights * n / total
    if source == "human" and survey.weights is not None:
        tables.n_effective[scenario] = total**2 / squares


def tables_of(found, ordered: bool) -> Tables:
    """Return the tables that the reader handed over, for comparison with those of ``truth``.

    Args:
        found: the responses.
        ordered: whether the order of options matters.
    """
    tables, options = Tables(), {}
    for row in found.scenarios.to_dict("records"):
        name, labels = canonical(row["scenario"]), [canonical(each) for each in row["option"]]
        name += " (in a second spelling)" if name in tables.options else ""
        options[row["scenario"]] = dict(zip(row["value"], labels, strict=True))
        tables.options[name] = labels if ordered else sorted(labels)
        tables.clusters[name] = canonical(row["cluster"])
        if "n_effective" in row:
            tables.n_effective[name] = float(row["n_effective"])
    for rows, number, into in (
        (found.outcomes, "count", tables.counts),
        (found.stated, "probability", tables.stated),
    ):
        for row in rows.to_dict("records"):
            label = options[row["scenario"]][row["value"]]
            _add(into, (canonical(row["scenario"]), row["source"], label), row[number])
    for row in found.missing.to_dict("records"):
        key = canonical(row["scenario"]), row["source"], row["reason"]
        _add(tables.missing, key, row["count"])
    return tables


def _add(into: dict, key: tuple, number: float) -> None:
    if number:
        into[key] = into.get(key, 0) + float(number)


def differences(true: Tables, found: Tables) -> list[str]:
    """Return what differs between the true tables and those that were found, in words."""
    told = []
    for name in Tables.__dataclass_fields__:
        meant, read = getattr(true, name), getattr(found, name)
        for key in [*meant, *(key for key in read if key not in meant)]:
            if not _same(meant.get(key), read.get(key)):
                told.append(f"{name} {key}: {meant.get(key)} was meant, {read.get(key)} read")
    return told


def _same(meant, read) -> bool:
    if isinstance(meant, float | int) and isinstance(read, float | int):
        return math.isclose(meant, read, rel_tol=1e-9)
    return meant == read
