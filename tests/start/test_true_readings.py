"""What `start` asks about instead of guessing, and that each remedy it prints leads on."""

import random
import re
import shlex
import time
from itertools import takewhile
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

import pandas as pd
import pyreadstat
import pytest
from cells import CELL

from fidelity_study.app.start import faults
from fidelity_study.reading.ingest.parse import option_named


@pytest.fixture
def start(start):
    """Start a study of files that are there; return what is printed, and check the status."""
    return lambda *arguments, **checked: start({}, *arguments, "--force", **checked)


WAY = re.compile(r"""--[a-z-]+(?: (?:'[^']*'|"[^"]*"|,|[^\s;,:()'"-][^\s;,:()]*|-\d+))?(?: \d+)?""")


def ways(told: str) -> list[str]:
    """Return the options that a refusal offers, each in its plainest spelling."""
    offered = (
        way
        for line in told.splitlines()
        if line[:2] != "  "
        for way in WAY.findall(line.partition("; --accept")[0])
    )
    return [*dict.fromkeys(map(plain, offered))]


def plain(options: str) -> str:
    return shlex.join(shlex.split(options))


class Asked(NamedTuple):
    """What is refused.

    Attributes:
        ways: the options that are offered: all of them, or where ``more`` says so some; and cells.
        told: texts of the refusal.
        never: how no way that is offered begins.
    """

    ways: tuple[str, ...]
    told: tuple[str, ...] = ()
    never: str = "none"
    more: bool = False


def asked(*options: str, **more) -> Asked:
    return Asked(options, **more)


def among(*options: str, **other) -> Asked:
    return Asked(options, more=True, **other)


def write(path: str, content) -> str:
    """Write a table, a text, or what a function writes; return the name."""
    if callable(content):
        content(path)
    elif isinstance(content, str):
        Path(path).write_text(content)
    else:
        how = {"xlsx": content.to_excel, "csv": content.to_csv}
        how.get(path.partition(".")[2], lambda name, index: content.to_parquet(name))(
            path, index=False
        )
    return path


def long(rows, *columns: str) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns or ["scenario", "value", "count"])


def answers(rows, who: str | None = None) -> pd.DataFrame:
    """Return a row for each answer: of people, or of the simulator m."""
    table = long(rows, "scenario", "value")
    return table if who is None else table.assign(simulator=who)


def wide(**columns) -> pd.DataFrame:
    return pd.DataFrame({"simulator": "m", **columns})


def q(cells) -> pd.DataFrame:
    return pd.DataFrame({"q": list(cells)})


def labelled(columns: dict, labels: dict, measure: dict | None = None):
    """Return what writes a file of SPSS or Stata by its suffix."""
    frame = pd.DataFrame({name: pd.Series(cells, dtype=float) for name, cells in columns.items()})
    if measure:
        more = {"variable_measure": measure}
        return lambda path: pyreadstat.write_sav(frame, path, variable_value_labels=labels, **more)
    return lambda path: (pyreadstat.write_dta if path.endswith("dta") else pyreadstat.write_sav)(
        frame, path, variable_value_labels=labels
    )


CATEGORICAL, ORDINAL = "--kind categorical", "--kind ordinal"
SUMS = long(
    (name, o, n) for name in ("a", "b", "c") for o, n in zip("xyz", (31, 44, 75), strict=True)
)
MANY = {"a": (420, 460, 120), "b": (250, 610, 140), "c": (333, 400, 267)}
OF_MANY = [(name, o, n) for name, some in MANY.items() for o, n in zip("xyz", some, strict=True)]
MEANS = [(name, "Mean score", 2) for name in MANY]
RATHER = ["Strongly approve", "Somewhat approve", "Disapprove"]
APPROVED = {"a": (31, 22, 40), "b": (28, 35, 29)}
OF_APPROVED = [
    (name, o, n) for name, some in APPROVED.items() for o, n in zip(RATHER, some, strict=True)
]
NET = [(name, "Net approve", one + other) for name, (one, other, _) in APPROVED.items()]
SPENDING = ["Too much", "About right", "Too little"]
STEPS = {1: "inte alls", 2: "lite", 3: "mycket"}
APART = {**STEPS, 97: "Other", 98: "Don't know", 99: "Refused"}
SORGE = {-5: "nicht enthalten", -2: "trifft nicht zu", 1: "viel", 2: "wenig", 3: "keine"}
BETTER = {-2: "worse", -1: "bit worse", 0: "same", 1: "bit better", 2: "better"}
OFTEN = ["never", "often", "always", "Don't know"]
FRENCH = ["77 Refus", "88 Ne sait pas", "-9 Sans objet"]
ELEVEN = [*range(11)]
FACTS = [(i, "FR" if i % 3 else "BE", "ab"[i % 2], "ab"[i // 2 % 2]) for i in range(60)]
OF_FACTS = long([row[1:] for row in FACTS], "pays", "q1", "q2")
AB = {"a": ["x", "y"] * 15, "b": ["y", "y", "x"] * 10}
OF_AB = wide(a=["x", "y"] * 9, b=["y", "x"] * 9)
REPLICATES = {f"w_rep{i}": [1 + (i + j) % 3 / 2 for j in range(30)] for i in range(6)}
DESIGN = "--weight w --replicate-weights 'w_rep*'"
AMOUNTS = {
    **dict.fromkeys("abc", [1, 2, 3, 4] * 10),
    "warm": [100, *range(0, 60, 3), *range(0, 95, 5)],
}
PARTIES = [("vote", f"party {i:02}", 10 + i) for i in range(15)]
CENSUS = {11: "wy\u017csze", 12: "\u015brednie", 13: "podstawowe", 99: "brak odpowiedzi"}
NAMED = "'columns.csv: zmienna: question' 'columns.csv: text: answer'"
SOLD = {"ST Favorable": 42.1, "Oui": 14.2, "Assez": 27.9, "Non": 57.9, "Ensemble": 100}
ODD = ["Not Agree", "I agree with neither", "Agree or Disagree", "Agree, but Neutral"]
AGREE = ["Agree", "Neutral", "Disagree"]
# name: (people's file, the simulators', a key, (options, what is asked or told)...)
CASES = {
    "an option of half the people": (
        long([("vote", "Yes", 5000), ("vote", "No", 3000), ("vote", "Undecided", 2000)]),
        (CATEGORICAL, "No, Undecided, Yes"),
    ),
    "the sum of all others in each of several questions": (
        SUMS,
        (CATEGORICAL, among("labels.csv: z: total")),
        (f"{CATEGORICAL} 'labels.csv: z: total'", "options: x, y (3 "),
        (f"{CATEGORICAL} --levels 'x | y | z'", "options: x, y, z (3 of the questions)"),
    ),
    "a row that is no option of many people": (
        long(OF_MANY + MEANS),
        (CATEGORICAL, among("labels.csv: Mean score: total")),
        (
            f"{CATEGORICAL} 'labels.csv: Mean score: total'",
            "options: x, y, z (3 ",
            "people: 1,000 for",
        ),
        (f"{CATEGORICAL} --levels 'x | y | z | Mean score'", "options: x, y, z, Mean score (3 "),
    ),
    "the sum of some others, as in 4 of 300 random tables of 3 questions with 10 options": (
        long(
            (
                (f"q{at}", f"o{o}", n)
                for at, row in enumerate([(31, 20, 11, 48), (25, 5, 20, 60), (40, 22, 18, 30)])
                for o, n in enumerate(row)
            )
        ),
        (CATEGORICAL, "options: o0, o1, o2, o3 (3 of the questions)"),
    ),
    "an option that is named as a net": (
        long(OF_APPROVED + NET),
        long(OF_APPROVED),
        (CATEGORICAL, among("labels.csv: Net approve: total")),
        (
            f"{CATEGORICAL} 'labels.csv: Net approve: total'",
            "(2 of the questions)\npeople: 92 to 93",
        ),
        (f"{CATEGORICAL} --levels '{' | '.join(RATHER)} | Net approve'", "Net approve"),
    ),
    "words that begin or end as nets do": (
        long(((name, o, n) for name in "ab" for o, n in (("Internet", 9), ("Totally", 5)))),
        (CATEGORICAL, "Internet"),
    ),
    "labelled codes of no answer beside a scale": (
        (
            "p.sav",
            labelled(
                {"trust": [*ELEVEN * 6, *[77] * 4, *[88] * 5]},
                {"trust": {0: "not at all", 10: "completely", 77: "No contesta", 88: "No sabe"}},
                {"trust": "ordinal"},
            ),
        ),
        wide(trust=ELEVEN * 4),
        ("", asked("labels.csv: 77: missing", "labels.csv: 88: undecided")),
        (
            "--missing 77 --missing 88",
            "options: 0, 1, 2, 3, 4, 5 and 5 more (1 of the questions)",
            "missing answers: people 9",
        ),
    ),
    "codes that stand apart": (
        (
            "p.sav",
            labelled({"q": [1, 2, 3] * 20 + [97, 98, 99] * 2}, {"q": APART}, {"q": "ordinal"}),
        ),
        wide(q=[*STEPS.values()] * 9),
        (
            "",
            asked(
                "labels.csv: 97: missing",
                "labels.csv: Don't know: undecided",
                "labels.csv: Refused: refused",
            ),
        ),
        ("--missing 97 --missing 98 --missing 99", "options: inte alls, lite, mycket (1 of"),
        (f'''--levels "{" | ".join(APART.values())}" {CATEGORICAL}''', "missing answers: none"),
    ),
    "a label of an end of a scale": (
        ("p.sav", labelled({"q": [1, 2, 3, 4, 5] * 9}, {"q": {1: "inte alls", 5: "helt"}})),
        wide(q=["inte alls", 2, 3, 4, "helt"] * 6),
        (
            "",
            "labels of 'q' are read as their codes in",
            "missing answers: none",
            "options: 1, 2, 3",
        ),
    ),
    "a code that is an answer elsewhere": (
        (
            "p.sav",
            labelled(
                {"a": ELEVEN * 6, "b": [1, 2, 8] * 22},
                {"a": {0: "low", 10: "high"}, "b": {1: "yes", 2: "no", 8: "Don't know"}},
            ),
        ),
        wide(a=ELEVEN * 2, b=[1, 2] * 11),
        (f"--codes {ORDINAL}", asked("labels.csv: b, 8: undecided")),
        (
            f"--codes {ORDINAL} 'labels.csv: b, 8: undecided'",
            "options: 1, 2 (1 of the questions)",
            "people 22",
        ),
    ),
    "negative codes beside labelled answers": (
        (
            "p.dta",
            labelled(
                {"sorge": [*[1, 2, 3, -2, -5] * 9, -1], "lage": [*[1, 3, 2, 2, 1] * 9, 3]},
                {
                    "sorge": {**SORGE, -1: "keine Angabe"},
                    "lage": {code: SORGE[code] for code in (1, 2, 3)},
                },
            ),
        ),
        wide(sorge=["viel", "wenig", "keine"] * 5, lage=["wenig", "keine", "viel"] * 5),
        (
            ORDINAL,
            asked("labels.csv: -5 and 1 more: missing", "labels.csv: trifft nicht zu: not asked"),
        ),
        (
            f"{ORDINAL} --missing -1",
            asked("labels.csv: -5: missing", "labels.csv: trifft nicht zu: not asked"),
        ),
        (
            f"{ORDINAL} --missing -1 --missing -5 --missing -2",
            "options: viel, wenig, keine (2 of the questions)",
        ),
    ),
    "labelled scales around zero": (
        (
            "p.dta",
            labelled({"q": [*BETTER] * 9, "r": [*BETTER][::-1] * 9}, {"q": BETTER, "r": BETTER}),
        ),
        (ORDINAL, "worse, bit worse, same"),
    ),
    "an ordered category that says no answer": (
        ("p.parquet", q(pd.Categorical(OFTEN * 10, categories=OFTEN, ordered=True))),
        wide(q=OFTEN[:3] * 8),
        ("", asked("labels.csv: Don't know: undecided")),
        ('--missing "Don\'t know"', "options: never, often, always (1 of"),
    ),
    **{
        f"the text {word}": (
            q(["yes", "no", "no", word] * 10),
            wide(q=["yes", "no"] * 20),
            ("", asked(f"labels.csv: {word}: {means}")),
            (f"--missing {shlex.quote(word)}", "options: no, yes (1 of"),
        )
        for word, means in (("NR", "missing"), ("IAP", "not asked"), ("-9. Refused", "refused"))
    },
    "steps of scales that are no words of no answer": (
        q(["trifft nicht zu", "teils teils", "trifft zu"] * 10),
        ("", "missing answers: none"),
    ),
    "a number beyond a gap that only people give": (
        q("1234" * 9 + "6"),
        wide(q=[*"1234"] * 4),
        ("", asked("labels.csv: 6: missing")),
        ("--missing 6", "missing answers: people 1"),
        ("--levels '1 | 2 | 3 | 4 | 6'", "missing answers: none"),
    ),
    "a number beyond a gap that simulators give, too": (
        q("1234" * 9 + "6"),
        wide(q=[*"12346"] * 4),
        ("", "missing answers: none"),
    ),
    "codes of one scale from 0 and from 1": (
        q("01" * 9),
        wide(q=[*"12"] * 4),
        (
            "",
            asked(
                "labels.csv: s.csv, 1: 0",
                "labels.csv: s.csv, 2: 1",
                "--levels",
                told=("codes of one scale from 0", "If so, mend one"),
            ),
        ),
        (f"--levels '0 | 1 | 2' {ORDINAL}", "(1 of the questions)"),
    ),
    "codes of one scale from 0 and from 1 beside another one": (
        long(zip("1234" * 11, ELEVEN * 4, strict=True), "q", "other"),
        wide(q=[*"0123"] * 11, other=ELEVEN * 4),
        ("", among(told=("If so, mend one file",))),
    ),
    "labelled codes of no answer among texts": (
        q(["1 Pas du tout", "2", "3", "4", "5 Beaucoup"] * 3 + FRENCH),
        wide(q=["1 Pas du tout", "2", "3", "4", "5 Beaucoup"] * 4),
        ("", asked("labels.csv: 77 Refus: refused", "labels.csv: 88 Ne sait pas: undecided")),
        (
            "--missing '77 Refus' --missing '88 Ne sait pas' --missing '-9 Sans objet'",
            "1\nmissing answers, refused: people 1\nmissing answers, undecided: people 1\n",
        ),
    ),
    **{
        f"options that begin with a number of no code, as {some[0]}": (
            q(some * 9),
            wide(q=some * 4),
            ("", "missing answers: none"),
        )
        for some in (
            ["18 to 44", "45 to 65", "66 or more"],
            ["2 people", "Alone", "Family"],
            ["1. Left", "2. Right", "3. Centre", "8. Other"],
        )
    },
    "brackets in a name": (
        pd.DataFrame({"q1": [1, 2, 3, 4, 5] * 6, "rate[SQ1]": ["", 1] * 15}),
        wide(**{"q1": [1, 2, 3, 4, 5] * 6, "rate[SQ1]": ["", 1] * 15}),
        (ORDINAL, among("questions.csv: rate[SQ1] several: yes")),
        (f"{ORDINAL} --multiple 'rate[SQ1]'", "options: 0, 1 (1 of the questions)"),
    ),
    "a pattern that is the name of a column": (
        pd.DataFrame({"Q1a": [1, 2] * 9, "Q1[ab]": [1, 2, 3] * 6}),
        ("--questions 'Q1[ab]'", "questions: 1\n", "options: 1, 2, 3 (1 of"),
    ),
    "TRUE of spreadsheets and of JSON": (
        ("p.xlsx", pd.DataFrame({"q1": [True, False] * 5, "q2": [False, True] * 5})),
        (
            "s.jsonl",
            "\n".join(
                f'{{"scenario": "q{1 + i % 2}", "simulator": "m", "value": {value}}}'
                for i in range(8)
                for value in ("true", "false")
            ),
        ),
        ("", "options: FALSE, TRUE (2 of the questions)"),
    ),
    "the only question, whose name is that of a fact": (
        pd.DataFrame({"age": [20 + 7 * i % 40 for i in range(40)]}),
        wide(age=[20 + 7 * i % 40 for i in range(40)]),
        ("--kind bounded --bounds 0 120", asked("--questions age")),
        ("--kind bounded --bounds 0 120 --questions age", "questions: 1"),
    ),
    "questions that all have one answer": (
        long([(1, 5), (1, 5)], "a", "b"),
        (ORDINAL, among(never="columns.csv")),
    ),
    "a name with several rows": (
        pd.DataFrame({"ResponseId": [f"R{i // 2}" for i in range(20)], "q1": [1, 2] * 10}),
        wide(q1=[1, 2] * 10),
        ("", among(never="--respondent")),
    ),
    "options within texts": (
        q(SPENDING * 9),
        wide(q=[*SPENDING, *(f"{label}. I read it there." for label in SPENDING)] * 5),
        ("", among(*(f"labels.csv: {label}. I read it there.: {label}" for label in SPENDING))),
        (
            " ".join(f"'labels.csv: {label}. I read it there.: {label}'" for label in SPENDING),
            "simulator m: answers all 1 questions, 30 times each",
            "missing answers: none",
        ),
    ),
    "texts that negate an option or name two": (
        answers(("q", text) for text in AGREE * 9),
        answers(("q", text) for text in [*ODD, *AGREE * 9]),
        (
            " ".join(f"--missing '{text}'" for text in ODD),
            "options: Disagree, Neutral, Agree (1 of the questions)",
            "simulator s: answers all 1 questions, 27 times each",
        ),
    ),
    "questions left out of people": (
        pd.DataFrame({"a": [1, 2] * 9, "b": [1, 2] * 9}),
        answers([(name, v) for name in "ab" for v in (1, 2)], "m"),
        ("--questions a", "questions: 1"),
    ),
    "codes that would be one number": (
        answers((name, v) for name in "ab" for v in ("007", "7", "010")),
        (
            CATEGORICAL,
            among(told=("'007', '010', '7' would be '10', '7'", "a letter before each one")),
        ),
        (f"{CATEGORICAL} --levels '7 | 10'", "options: 7, 10 (2 of the questions)"),
    ),
    "codes that stay different numbers": (
        answers((name, v) for name in "ab" for v in ("007", "010")),
        (CATEGORICAL, "read as 7"),
    ),
    "numbers that a spreadsheet cuts": (
        ("p.xlsx", pd.DataFrame({"q": ["a", "b"] * 9, "ean": [2**53, 2**53 + 1] * 9})),
        (
            CATEGORICAL,
            asked("columns.csv: p.xlsx, ean: ignore", told=("more digits than spreadsheets keep",)),
        ),
        (f"{CATEGORICAL} 'columns.csv: ean: ignore'", "questions: 1"),
    ),
    "numbers of more digits than a number holds": (
        answers(("start", 1732700000000000000 + i) for i in range(30)),
        answers(("start", 1732700000000000000 + i) for i in range(10, 30)),
        ("--kind real", among(told=("have more digits than a number holds",))),
    ),
    "facts on persons in another language": (
        long(FACTS, "pid", "pays", "q1", "q2"),
        OF_FACTS,
        ("--respondent pid", among("--groups pays")),
        ("--respondent pid --groups pays", "scenarios: 4"),
        ("--respondent pid 'columns.csv: pays: ignore'", "questions: 2"),
    ),
    "replicate weights": (
        pd.DataFrame({"w": [1.0, 1.5, 2.0] * 10, **REPLICATES, **AB}),
        OF_AB,
        (
            "",
            among("columns.csv: p.csv, w: weight", told=("p.csv, w_rep0 and 5 more: replicate",)),
        ),
        ("--weight w", among(told=("p.csv, w_rep0 and 5 more: replicate",))),
        (DESIGN, among("--replicate-method brr")),
        (f"{DESIGN} --replicate-method brr", "6 replicate weights"),
    ),
    "a thermometer beside more questions of few steps": (
        pd.DataFrame(AMOUNTS),
        wide(**AMOUNTS),
        (
            "",
            asked(
                "columns.csv: p.csv, warm: ignore",
                *("--questions a", "--questions b", "--questions c"),
            ),
        ),
        ("--accept", "questions: 3"),
    ),
    "fractions that no simulator answers": (
        pd.DataFrame({"factor": [0.4, 1.0, 1.6] * 10, **AB}),
        OF_AB,
        ("", among("columns.csv: p.csv, factor: weight")),
        ("--weight factor", "as there is a column of weights"),
    ),
    "more options than a distance takes": (
        long(PARTIES),
        long(PARTIES[::-1]),
        (
            CATEGORICAL,
            among("--discrepancy mmd_delta", told=("up to 15 options, and tv takes at most",)),
        ),
    ),
    "a census file in Polish, whose code 99 is no answer, with decimal commas and a key": (
        "WYKSZT;WAGA\n"
        + "".join(f"{[*CENSUS][i % 4]};{28 + i % 3},{500 + i}\n" for i in range(80)),
        long((("WYKSZT", [*CENSUS.values()][i % 3]) for i in range(30)), "zmienna", "text"),
        long((("WYKSZT", *pair) for pair in CENSUS.items()), "zmienna", "kod", "etykieta"),
        ("", among("columns.csv: s.csv, zmienna: question")),
        (NAMED, among(told=("p.csv, WAGA: weight?",))),
        (f"{NAMED} --weight WAGA", among(told=("--decimal ,",))),
        (f"{NAMED} --weight WAGA --decimal ,", asked("labels.csv: brak odpowiedzi: missing")),
        (
            f"{NAMED} --weight WAGA --decimal , --missing 'brak odpowiedzi'",
            "people: 60 for each question",
            "a column of weights",
        ),
    ),
    "columns of people's table that a simulator's has, too, by other names": (
        long([("q1", "yes", 61, 90), ("q1", "no", 39, 90)], "Question", "Option", "All", "Asked"),
        long([("m", "q1", "yes", 9), ("m", "q1", "no", 5)], "model", "qid", "option", "n"),
        (
            "'columns.csv: p.csv, Question: question' 'columns.csv: p.csv, Option: option' "
            "'columns.csv: p.csv, All: percent' 'columns.csv: p.csv, Asked: base'",
            "simulator m: answers all 1 questions, 14 times each",
        ),
    ),
    "totals and nets of a published table": (
        long(
            ((name, *row, 583) for name in ("le prix", "le vote") for row in SOLD.items()),
            *("Question", "Modalité", "Pourcentage", "Base"),
        ),
        long(
            [(name, o) for name in ("le prix", "le vote") for o in ("Oui", "Non", "Assez")] * 9,
            *("question", "reponse"),
        ),
        (
            "--accept",
            "ST Favorable: total, Ensemble: total",
            "options: Assez, Non, Oui (2 of the questions)",
        ),
    ),
    "one text among the numbers of people alone": (
        answers(("q", step) for step in [1, 2, 3, 4, 5, "zz"] * 9),
        answers(("q", step) for step in [1, 2, 3, 4, 5] * 9),
        ("", asked(told=("is a text, where answers are", "  labels.csv: zz: ...?"))),
        ("--missing zz", "people: 45 for each question", "kind of outcome: ordinal"),
    ),
}


def is_step(part) -> bool:
    return isinstance(part, tuple) and part[0][:2] in ("", "--", "'c", "'l")


@pytest.mark.sampled
@pytest.mark.parametrize("name", CASES)
def test_what_is_asked_is_settled_by_the_options_that_are_offered(start, name):
    files = [*takewhile(lambda part: not is_step(part), CASES[name])]
    named = [
        write(*(file if isinstance(file, tuple) else (path, file)))
        for path, file in zip(("p.csv", "s.csv", "k.csv"), files, strict=False)
    ]
    for options, *wanted in CASES[name][len(files) :]:
        (refused,) = wanted if isinstance(wanted[0], Asked) else (None,)
        told = start(*named, *shlex.split(options), status=int(refused is not None))
        if refused is None:
            assert all(text in told for text in wanted), told
            continue
        cells = [way for way in refused.ways if CELL.fullmatch(way)]
        assert all(f"  {cell}?" in told for cell in cells), told
        ways_wanted = [plain(way) for way in refused.ways if way not in cells]
        offered = ways(told)
        assert {*ways_wanted} <= {*offered} if refused.more else ways_wanted == offered, told
        assert all(text in told for text in refused.told), told
        assert not any(way.startswith(refused.never) for way in offered)
        assert "delete the row" not in told and " " * 70 not in told


@pytest.mark.slow
def test_several_files_of_simulators_read_as_one_does(start):
    random.seed(0)
    scales = {"parks": range(1, 4), "trains": range(1, 6), "news": range(1, 4), "art": range(1, 6)}
    people = [(name, s, random.randint(20, 40)) for name, steps in scales.items() for s in steps]
    given = [
        (name, f"m{i}", random.choice(steps)) for name, steps in scales.items() for i in "abc" * 20
    ]
    human, table = write("p.csv", long(people)), long(given, "scenario", "simulator", "value")
    both = write("both.csv", table)
    apart = [write(f"{name}.csv", rows) for name, rows in table.groupby("simulator")]

    def facts(told: str) -> list[str]:
        return [line for line in told.splitlines() if line.startswith(("options", "simulator m"))]

    whole = facts(start(human, both))
    assert "options: 1, 2, 3 (2 of the questions)" in whole
    assert "options: 1, 2, 3, 4, 5 (2 of the questions)" in whole
    assert facts(start(human, *apart)) == whole


def many(questions: int, options: int) -> list[str]:
    """Write questions with options of their own."""
    random.seed(1)
    labels = [
        (f"q{at}", f"text {at} {o} {at * 7 % 13}")
        for at in range(questions)
        for o in range(options)
    ]
    human = write("h.csv", long((*pair, random.randint(5, 60)) for pair in labels))
    given = long((*pair, random.randint(2, 30)) for pair in labels).assign(simulator="m0")
    return [human, write("s.csv", given)]


def cpu(start, files: list[str]) -> float:
    begun = time.process_time()
    start(*files)
    return time.process_time() - begun


@pytest.mark.slow
def test_the_time_grows_with_the_number_of_options_not_with_its_square(start):
    start(*many(2, 4))  # imports
    small, large = cpu(start, many(60, 4)), cpu(start, many(240, 4))
    assert large < 6 * small + 0.5
    assert cpu(start, [*many(6, 500), "--discrepancy", "mmd_delta"]) < 10


@pytest.mark.slow
def test_what_is_told_does_not_depend_on_the_clock(start, monkeypatch):
    files = [write("h.csv", pd.concat([SUMS, long([("a", "NR", 3)])])), "--kind", "categorical"]
    fast = start(*files, status=1)
    clock = iter(range(0, 10**9, 1000))
    monkeypatch.setattr(faults, "monotonic", lambda: float(next(clock)), raising=False)
    assert start(*files, status=1) == fast


@pytest.mark.slow
def test_codes_of_labelled_ends_are_answers_and_those_of_no_answer_none(start):
    given = [("q1", step) for step in (1, 2, 3, 1, 2, 3)]
    write("p.csv", answers([*given, ("q1", 88)]))
    write("s.csv", answers(given, "m"))
    whole = "1 Not at all | 2 | 3 Very | 88 Don't know"
    write("q.csv", long([("q1", whole)], "scenario", "options"))
    labelled = ["p.csv", "s.csv", "--scenarios", "q.csv"]
    told = start(*labelled, status=1)
    recoded = ["labels.csv: 1: 1 Not at all", "labels.csv: 3: 3 Very"]
    assert all(f"{cell}?" in told for cell in recoded)
    assert "labels.csv: 88: undecided?" in told
    settled = [*recoded, "--missing", "88"]
    read = start(*labelled, *settled)
    assert "missing answers: people 1\n" in read and "1 Not at all, 2" in read
    write("q.csv", long([("q1", "1 Not at all | 3 Very | 88 Don't know")], "scenario", "options"))
    rmtree("p_codebook")
    told = start(*labelled, status=1)
    assert all(f"{cell}?" in told for cell in recoded) and "labels.csv: 88: undecided?" in told
    told = start(*labelled, *settled, status=1)
    assert "list it among" in told
    write("q.csv", long([("q1", whole), ("q2", "1 | 2 | 3")], "scenario", "options"))
    for path in ("p.csv", "s.csv"):
        table = pd.read_csv(path)
        write(path, pd.concat([table, table.assign(scenario="q2").iloc[:6]]))
    rmtree("p_codebook")
    told = start(*labelled, status=1)
    assert "labels.csv: q1, 1: 1 Not at all?" in told and "labels.csv: 88: undecided?" in told


@pytest.mark.parametrize("text", ["Agree somewhat", "Agree - but I also disagree", "Agreeable"])
def test_a_text_that_names_several_options_or_another_is_no_option(text):
    assert option_named(text, ["Agree", "Disagree"]) is None
