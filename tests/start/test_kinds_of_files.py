"""Kinds of files that survey researchers have: what is asked, and what is counted."""

import io
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyreadstat
import pytest

from fidelity_study.__main__ import main
from fidelity_study.app.start.look import INGEST
from fidelity_study.config.params import step
from fidelity_study.config.read import study_of
from fidelity_study.reading.codebook import tables
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.tables.ingest import HUMAN

UNDECIDED = 3
SCALE, WORDS = [1, 2, 3, 4, 5], ["Agree", "Neither", "Disagree"]


def table(rows, *columns, separator=","):
    """Return rows as CSV; ``rows`` has a list for each."""
    lines = [columns, *rows]
    return "".join(separator.join(map(str, line)) + "\n" for line in lines)


def lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def in_parquet(records):
    content = io.BytesIO()
    pd.DataFrame(list(records)).to_parquet(content)
    return content.getvalue()


def in_sav(columns, labels):
    with tempfile.NamedTemporaryFile(suffix=".sav") as file:
        pyreadstat.write_sav(pd.DataFrame(columns), file.name, column_labels=labels)
        return file.read()


def turn(options, number, step=1):
    return [options[(i * step) % len(options)] for i in range(number)]


A, B = turn(SCALE, 60), turn(SCALE, 60, 2)
MODEL = table(zip(turn(SCALE, 30), turn(SCALE, 30, 3), strict=True), "a", "b")
MODELS, BOXES = list(enumerate(A)), ("by_tv", "by_radio")
WIDE = list(zip(A, B, strict=True))
OF_TEXTS = turn(WORDS, 60)
LONG = ("simulator", "scenario", "value")
STATED = [("m", "a", "Agree", 50), ("m", "a", "Neither", 25), ("m", "a", "Disagree", 25)]
AGREED = table(enumerate(OF_TEXTS), "id", "a")
LIST = "Which ones?"
OPTIONS = ["Bus", "Car, as driver", "Car, as guest"]
CHOSEN = [[OPTIONS[i % 3], *(["Walk"] if i % 2 else [])] for i in range(40)]
EVENTS = ["start_arm_1", "end_arm_1"]
SEEN = ["theft", "lie", "loan"]
REDCAP = [
    (i, event, round(5.5 + (i + j) % 7 / 2, 1), "UNK" if (i, j) == (4, 1) else 5 * (i % 9), 2)
    for i in range(40)
    for j, event in enumerate(EVENTS)
]
QUALTRICS = (
    "StartDate,Finished,ResponseId,birth,a,b\nStart Date,Finished,Response ID,Year?,A?,B?\n"
    + "".join(
        f'"{{""ImportId"":""{name}""}}"{sign}'
        for name, sign in zip(
            ("startDate", "finished", "_recordId", "QID1", "QID2_1", "QID2_2"),
            ",,,,,\n",
            strict=True,
        )
    )
    + "".join(
        f"2024-05-01,1,R_{i},{1940 + i % 59},{-99 if i == 7 else a},{b}\n"
        for i, (a, b) in enumerate(WIDE)
    )
)
MONKEY = table(
    [
        ("", "Response", "Price", "Size"),
        *((i, text, 1 + i % 2, 2 - i % 2) for i, text in enumerate(OF_TEXTS)),
    ],
    *("Respondent ID", "Agreed?", "Please rank", ""),
)
LIME = table(
    ((i, "2024-01-01", "en", a, "N/A" if i % 2 else b) for i, (a, b) in enumerate(WIDE)),
    *("id", "submitdate", "startlanguage", "a", "b"),
)
SOSCI = table(
    (
        (i, "base", "interview", "2024-05-02 09:41:00", a, b, 60 + i, 0 + (i < 57), 1 + i % 9 / 10)
        for i, (a, b) in enumerate(WIDE)
    ),
    *("CASE", "QUESTNNR", "MODE", "STARTED", "a", "b", "TIME001", "FINISHED", "TIME_RSI"),
    separator=";",
)
RANKS = [turn([1, 2, 3], 3 + i)[i % 3 :][:3] for i in range(6)] + [[1, 3, 2], [2, 1, 3], [3, 2, 1]]
IN_OBJECTS = [f'```json\n{{"a": "{one}", "b": "{two}"}}\n```' for one, two in WIDE[:30]]
JAPANESE = ("\u53c2\u52a0\u8005ID", "\u523a\u6fc0", "\u597d\u304d")
SEEN_BY_ALL = [(f"S{i}", ad, 1 + (i + j) % 7) for i in range(40) for j, ad in enumerate("ABC")]
PROLIFIC = [
    (f"s{i}", f"p{i}", "RETURNED" if i >= 57 else "APPROVED", 20 + i % 40, a, b)
    for i, (a, b) in enumerate(WIDE)
]


class Case(NamedTuple):
    """Files, and what ``start`` makes of them.

    Attributes:
        files: people's first; texts in UTF-8, or bytes.
        asked: what is told of the cells that are asked about; none if nothing is.
        counts: of people's answers to a question.
        told: a text of what is told at last.
        options: of the command.
    """

    files: dict
    asked: tuple[str, ...]
    counts: dict
    told: str = ""
    options: tuple[str, ...] = ()


CASES = {
    "a birth year that no simulator answers is no reason for a kind": Case(
        {"p.csv": QUALTRICS, "m.csv": MODEL},
        ("labels.csv: -99: missing?",),
        {"a": dict(Counter([str(a) for i, a in enumerate(A) if i != 7]))},
        "kind of outcome: ordinal",
    ),
    "facts on persons in both files": Case(
        {
            "p.csv": table(
                ((1 + i % 2, 20 + i % 50, *r) for i, r in enumerate(WIDE)), *"ghab"
            ).replace("g,h", "gndr,agea", 1),
            "m.csv": table(
                ((1 + i % 2, 30 + i % 9, a, b) for i, (a, b) in enumerate(WIDE)), *"ghab"
            ).replace("g,h", "gndr,agea", 1),
        },
        ("columns.csv: p.csv, gndr and 1 more: ignore?",),
        {"a": dict(Counter(map(str, A)))},
    ),
    "a column of men and women, whatever it is called": Case(
        {
            "p.csv": table(
                (("MW"[i % 2], a, b) for i, (a, b) in enumerate(WIDE)), *("v1", "a", "b")
            ),
            "m.csv": table((("MW"[i % 3 % 2], *r) for i, r in enumerate(WIDE)), *("v1", "a", "b")),
        },
        ("columns.csv: p.csv, v1: ignore?",),
        {"a": dict(Counter(map(str, A)))},
    ),
    "strata and PSUs in Spanish, numbered anew in each stratum": Case(
        {
            "p.csv": table(
                ((1 + i // 20, 1 + i // 5 % 4, a, b) for i, (a, b) in enumerate(WIDE)),
                *("estrato", "upm", "a", "b"),
            ),
            "m.csv": MODEL,
        },
        ("columns.csv: p.csv, estrato: stratum?", "columns.csv: p.csv, upm: psu?"),
        {"a": dict(Counter(map(str, A)))},
        "12 PSUs, numbered anew in each stratum",
    ),
    "a closing row of means": Case(
        {
            "p.csv": table(
                [*((i, *r) for i, r in enumerate(WIDE, 1)), ("Mittelwert", 3.1, 2.9)]
            ).replace("\n", "Nr.,a,b\n", 1),
            "m.csv": MODEL,
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "'Mittelwert': below its rows, and no person",
    ),
    "lists tell the options of cells that are joined by their signs": Case(
        {
            "p.csv": table(
                (f'"{", ".join(c)}"', WORDS[i % 3]) for i, c in enumerate(CHOSEN)
            ).replace("\n", f"{LIST},a\n", 1),
            "m.jsonl": lines({LIST: c, "a": WORDS[i % 3]} for i, c in enumerate(CHOSEN)),
        },
        (),
        {f"{LIST}: {OPTIONS[1]}": {"1": 13, "0": 27}, f"{LIST}: Walk": {"1": 20, "0": 20}},
        "each of its 4 options is a question",
    ),
    "a simulator's file as SurveyMonkey's": Case(
        {
            "p.csv": MONKEY,
            "m.csv": MONKEY.replace("Respondent ID", "persona").replace("Agree\n", "agree.\n"),
        },
        (),
        {"Agreed?": dict.fromkeys(WORDS, 20), "Please rank: Size": {"1": 30, "2": 30}},
    ),
    "a setting that is the same in all rows": Case(
        {
            "p.csv": table(WIDE, "a", "b"),
            "m.csv": table((("x", 0.7, *r) for r in WIDE), "model", "temperature", "a", "b"),
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "not read in m.csv: temperature",
    ),
    "questions that LimeSurvey did not show": Case(
        {"p.csv": LIME, "m.csv": MODEL},
        (),
        {"b": dict(Counter(str(b) for i, b in enumerate(B) if i % 2 == 0))},
        "N/A is no answer, as a question was not shown",
    ),
    "events of REDCap, and numbers that simulators answer, too": Case(
        {
            "p.csv": table(
                REDCAP, *("record_id", "redcap_event_name", "sleep", "walk", "daily_complete")
            ),
            "m.csv": table(
                (("m", *row[1:3], 5 * (row[0] % 7)) for row in REDCAP),
                *("model", "redcap_event_name", "sleep", "walk"),
            ),
        },
        ("p.csv, record_id: respondent?", "p.csv, redcap_event_name: wave?"),
        {},
        "kind of outcome: real",
    ),
    "submissions that Prolific's researcher approved": Case(
        {
            "p.csv": table(
                PROLIFIC, *("Submission id", "Participant id", "Status", "Age", "a", "b")
            ),
            "m.csv": table(
                (("m", who, a, b) for _, who, status, _, a, b in PROLIFIC if status == "APPROVED"),
                *("model", "Participant id", "a", "b"),
            ),
        },
        (),
        {"a": dict(Counter(map(str, A[:57])))},
        "57 approved; left out: 3 RETURNED",
    ),
    "Windows-1250": Case(
        {
            "p.csv": table(
                (
                    (f"m\u0119\u017cczyzna {i}", ["Tak", "Trudno powiedzie\u0107"][i % 2])
                    for i in range(40)
                ),
                *("id", "a"),
            ).encode("cp1250"),
            "m.csv": table(([["Tak", "Trudno powiedzie\u0107"][i % 2]] for i in range(40)), "a"),
        },
        (),
        {"a": {"Tak": 20, "Trudno powiedzie\u0107": 20}},
        "read as Windows-1250",
    ),
    "a stimulus and its place in the order": Case(
        {
            "p.csv": table(
                (
                    (f"s{i}", 1 + j, SEEN[(i + j) % 3], 1 + (i * j) % 7)
                    for i in range(60)
                    for j in range(2)
                ),
                *("participant", "order", "vignette", "blame"),
            ),
            "m.csv": table(
                (("m", 1 + i // 3, SEEN[i % 3], 1 + i % 7) for i in range(90)),
                *("model", "rep", "vignette", "blame"),
            ),
        },
        ("p.csv, participant: respondent?", "p.csv, vignette: wave?"),
        {},
        "each put to groups of people by vignette",
    ),
    "TRUE and FALSE, and R's NA": Case(
        {
            "p.csv": table(
                ["NA" if i == 3 else "TRUE" if i % 2 else "FALSE"] for i in range(40)
            ).replace("\n", "a\n", 1),
            "m.csv": table([i % 2] for i in range(40)).replace("\n", "a\n", 1),
        },
        (),
        {"a": {"0": 20, "1": 19}},
    ),
    "percentages in an object": Case(
        {
            "p.csv": AGREED,
            "m.jsonl": lines(
                [{"model": "m", "question": "a", "distribution": {t: n for *_, t, n in STATED}}]
            ),
        },
        (),
        {"a": dict.fromkeys(WORDS, 20)},
        "their cells are percentages",
    ),
    "logarithms of probabilities": Case(
        {
            "p.csv": AGREED,
            "m.csv": table(
                zip("mmm", "aaa", WORDS, (-0.7, -1.5, -1.6), strict=True),
                *("model", "question", "option", "logprob"),
            ),
        },
        (),
        {"a": dict.fromkeys(WORDS, 20)},
        "'logprob' has logarithms of probabilities, which are divided by their sum",
    ),
    "probabilities with a sign": Case(
        {
            "p.csv": table(
                ((f"e{i}", "yes" if i % 3 else "no") for i in range(20)), "scenario", "value"
            ),
            "m.csv": table(
                ((f"e{i}", "m", f"{10 + i}%") for i in range(20)),
                *("scenario", "simulator", "probability"),
            ),
        },
        (),
        {},
        "'probability' has probabilities with a per cent sign, divided by 100",
    ),
    "SoSci Survey, whose times are no weights": Case(
        {"p.csv": SOSCI, "m.csv": MODEL},
        (),
        {"a": dict(Counter(map(str, A[:57])))},
        "57 people, 2 questions; left out: 3 unfinished",
    ),
    "persons and stimuli in Japanese": Case(
        {"p.csv": table(SEEN_BY_ALL, *JAPANESE), "m.csv": table(SEEN_BY_ALL, *JAPANESE)},
        (f"p.csv, {JAPANESE[0]}: respondent?", f"p.csv, {JAPANESE[1]}: wave?"),
        {},
        f"each put to groups of people by {JAPANESE[1]}",
    ),
    "persons and stimuli by their cells, whatever they are called": Case(
        {"p.csv": table(SEEN_BY_ALL, *"xyz"), "m.csv": table(SEEN_BY_ALL, *"xyz")},
        ("p.csv, x: respondent?", "p.csv, y: wave?"),
        {},
        "each put to groups of people by y",
    ),
    "ranks, a column for each item": Case(
        {
            "p.csv": table(RANKS * 8, "rank_a", "rank_b", "rank_c"),
            "m.csv": table(RANKS * 4, "rank_a", "rank_b", "rank_c"),
        },
        ("columns.csv: p.csv, rank_a and 2 more: ranking?",),
        {"rank: first": {"rank_a": 24, "rank_b": 24, "rank_c": 24}},
        "a ranking of 3 items",
    ),
    "facts on persons whose names differ in capitals": Case(
        {
            "p.csv": table(((20 + i % 50, *r) for i, r in enumerate(WIDE)), "Age", "a", "b"),
            "m.csv": table(((30 + i % 9, *r) for i, r in enumerate(WIDE)), "age", "a", "b"),
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "not read in m.csv: age",
    ),
    "names of questions that differ in their signs": Case(
        {
            "p.csv": table(WIDE, "Size: Big", "Size: Small"),
            "m.csv": table(WIDE[:30], "Size - big", "size_small"),
        },
        (),
        {"Size: Big": dict(Counter(map(str, A)))},
        "questions by people's names: 'Size - big' is 'Size: Big', 'size_small' is 'Size: Small'",
    ),
    "a choice, and what it depends on": Case(
        {
            "p.csv": table(zip(OF_TEXTS, strict=True), "a"),
            "m.jsonl": lines(
                {"model": "m", "question": "a", "response": f"I'd say: {text}. It depends on rain."}
                for text in WORDS * 5
            ),
        },
        (),
        {"a": dict.fromkeys(WORDS, 20)},
        "simulator m: answers all 1 questions, 15 times each",
    ),
    "no answers that no simulator can state": Case(
        {
            "p.csv": table(
                zip(turn([*WORDS, "Don't know", "Prefer not to say"], 100), strict=True), "a"
            ),
            "m.csv": table(STATED, "simulator", "scenario", "value", "percent"),
        },
        ("labels.csv: Don't know: undecided?", "labels.csv: Prefer not to say: refused?"),
        {"a": dict.fromkeys(WORDS, 20)},
    ),
    "options that some say in a few more words": Case(
        {
            "p.csv": table(zip(turn(["for it", "against it"], 600), strict=True), "a"),
            "m.csv": table(
                zip(
                    [*turn(["for it", "against it"], 596), "I am for it.", "I'm for it"],
                    strict=True,
                ),
                "a",
            ),
        },
        ("labels.csv: I am for it. and 1 more: for it?",),
        {"a": {"for it": 300, "against it": 300}},
    ),
    "a score that is no weight, beside a weight": Case(
        {
            "p.csv": table(
                ((*r, [0.8, 1.2][i % 2], i % 30 / 100) for i, r in enumerate(WIDE)),
                *("a", "b", "wt", "score"),
            ),
            "m.csv": MODEL,
        },
        ("columns.csv: p.csv, score: ignore?",),
        {"a": dict(Counter(map(str, A)))},
        "as there is a column of weights",
        ("--weight", "wt"),
    ),
    "objects that answer several questions, and one that is cut off": Case(
        {
            "p.csv": table(((f"P{i}", *r) for i, r in enumerate(WIDE)), "id", "a", "b"),
            "m.jsonl": lines(
                {"id": f"P{i}", "model": "m", "response": text}
                for i, text in enumerate([*IN_OBJECTS, IN_OBJECTS[0][:20]])
            ),
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "missing answers, unparsable: m 2",
    ),
    "a decimal comma in one file only": Case(
        {
            "p.csv": table((i % 17 / 10, i % 13 / 10 + 3) for i in range(60)).replace(
                "\n", "a,b\n", 1
            ),
            "m.csv": table(
                ((f"{i % 17},{i % 10}", f"{3 + i % 13},{i % 7}") for i in range(60)),
                *"ab",
                separator=";",
            ),
        },
        ("kind: real?",),
        {},
        "numbers in 'a', 'b' have a decimal comma",
    ),
    "ids of a batch whose parts are questions, models and numbers": Case(
        {
            "p.csv": table(zip(OF_TEXTS, OF_TEXTS, strict=True), "a_1", "b_1"),
            "m.jsonl": lines(
                {
                    "custom_id": f"{name}|gpt-4|{i}",
                    "response": {"body": {"choices": [{"message": {"content": WORDS[i % 3]}}]}},
                }
                for name in ("a_1", "b_1")
                for i in range(15)
            ),
        },
        (),
        {"a_1": dict.fromkeys(WORDS, 20)},
        "what its ids are made of: --custom-id '{scenario}|{simulator}|{replicate}'",
    ),
    "a panel whose second wave alone is weighted and answered by a simulator": Case(
        {
            "p.csv": table(
                (
                    (i, a, 1 + i % 2, *(("", "") if i % 6 == 1 else (b, 0.5 + i % 4 / 2)))
                    for i, (a, b) in enumerate(WIDE)
                ),
                *("pid", "w1_a", "w1_weight", "w2_a", "w2_weight"),
            ),
            "m.csv": table(((i, a) for i, a in enumerate(A)), "pid", "w2_a"),
        },
        ("columns.csv: p.csv, w2_weight: weight?", "columns.csv: p.csv, w1_weight: ignore?"),
        {"w2_a": dict(Counter(str(b) for i, b in enumerate(B) if i % 6 != 1))},
        "p.csv: 10 rows without a weight in 'w2_weight' have no answer; not read",
    ),
    "tick boxes of people, and lists of a simulator": Case(
        {
            "p.csv": table(((i % 2, i % 3 % 2, a) for i, a in enumerate(A)), *BOXES, "a"),
            "m.jsonl": lines({"by": [["tv", "Radio"], ["TV"]][i % 2], "a": a} for i, a in MODELS),
        },
        (),
        {name: {"0": 30 + 10 * at, "1": 30 - 10 * at} for at, name in enumerate(BOXES)},
        "'by_tv', 'by_radio': people's tick boxes of 'by', which simulators answer by lists",
    ),
    "labels of tick boxes, lists, and a pattern of both": Case(
        {
            "p.sav": in_sav(
                {"by_1": turn(["Yes", "No"], 60), "by_2": turn(["No", "Yes"], 60), "a": A},
                ["by: TV", "by: Radio", None],
            ),
            "m.jsonl": lines({"by": [["TV", "Radio"], []][i % 2], "a": a} for i, a in MODELS),
        },
        (),
        {"by_1": {"0": 30, "1": 30}},
        "'by_1', 'by_2': people's tick boxes of 'by'",
        ("--multiple", "by*"),
    ),
    "an option that only a simulator spells so, and one that it never chooses": Case(
        {
            "p.csv": table(
                ((i % 2, i % 3 % 2, 1 - i % 2, a) for i, a in enumerate(A)), *BOXES, "by_web", "a"
            ),
            "m.jsonl": lines({"by": [["TV", "Radios"], ["tv"]][i % 2], "a": a} for i, a in MODELS),
        },
        ("labels.csv: Radios: radio?",),
        {"by_radio": {"0": 40, "1": 20}},
        "taken as proposed (2): p.csv, by_web: question, Radios: radio",
    ),
    "several options in one cell that no simulator is asked": Case(
        {
            "p.csv": table(((f"x;{'yz'[i % 2]}", a) for i, a in enumerate(A)), "by", "a"),
            "m.csv": table(((a,) for a in A), "a"),
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "not read in p.csv: by",
        ("--multiple", "by"),
    ),
    "a run of a simulator": Case(
        {
            "p.csv": table(WIDE, "a", "b"),
            "m.csv": table(
                ((i // 5, i % 5, *r) for i, r in enumerate(WIDE)), *"pr", "a", "b"
            ).replace("p,r", "persona,run", 1),
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "not read in m.csv: persona, run",
    ),
    "prompts beside answers that are objects": Case(
        {
            "p.csv": table(
                (((i * 5) % 105, 998 if i == 4 else 10 * (i % 11)) for i in range(63)), "a", "b"
            ),
            "m.jsonl": lines(
                {
                    "model": "m",
                    "question": "ab"[i % 2],
                    "messages": [{"role": "user", "content": "Rate it"}],
                    "response": json.dumps({"rating": 10 * (i % 11), "reason": "so"}),
                }
                for i in range(44)
            ),
        },
        ("labels.csv: 998: missing?",),
        {},
        "kind of outcome: bounded",
    ),
    "a row of people for each stimulus, whose options a simulator states": Case(
        {
            "p.csv": table(
                (
                    (i, "AB"[i % 2], SEEN[(i + j) % 3], WORDS[i * j % 3])
                    for i in range(60)
                    for j in (1, 2)
                ),
                *("subject", "party", "headline_id", "rated"),
            ),
            "m.jsonl": lines(
                {
                    "model": "m",
                    "headline_id": name,
                    "prompt": f"How true is {name}?",
                    "probs": dict(zip(WORDS, (0.2, 0.3, 0.5), strict=True)),
                }
                for name in SEEN
            ),
        },
        ("columns.csv: p.csv, headline_id: question?", "columns.csv: p.csv, rated: answer?"),
        {
            name: dict(
                Counter(
                    WORDS[i * j % 3] for i in range(60) for j in (1, 2) if SEEN[(i + j) % 3] == name
                )
            )
            for name in SEEN
        },
        "questions: 3",
    ),
    "a key of the letters that a simulator answers": Case(
        {
            "p.csv": table(enumerate(OF_TEXTS), "id", "a"),
            "m.csv": table((("m", "a", "ABC"[i * i % 3]) for i in range(30)), *LONG),
            "key.csv": table(
                (("a", letter, text) for letter, text in zip("ABC", WORDS, strict=True)),
                *("question", "letter", "label"),
            ),
        },
        (),
        {"a": dict.fromkeys(WORDS, 20)},
        "key.csv: a key of 1 questions' options",
    ),
    "tables of pandas that were put together": Case(
        {
            "p.csv": table(WIDE, "a", "b"),
            "m.csv": table(
                ((i, model, *WIDE[i]) for model in "mn" for i in range(30)), "", "model", "a", "b"
            ),
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "m.csv: its first column numbers the rows and is not read",
    ),
    "answers in an object of each row of Parquet, beside times": Case(
        {
            "p.csv": table(WIDE, "a", "b"),
            "m.parquet": in_parquet(
                {
                    "created_at": pd.Timestamp("2026-01-01") + pd.Timedelta(i, "min"),
                    "prompt_tokens": 300 + i,
                    "answers": {"a": row[0], "b": row[1]},
                }
                for i, row in enumerate(WIDE)
            ),
        },
        (),
        {"a": dict(Counter(map(str, A)))},
        "m.parquet: the columns answers.* are its questions",
    ),
    "amounts in dollars, and JSON by persona": Case(
        {
            "p.csv": table(
                (
                    (f"A{i}F{i * i}", f"${2 + i % 31}.50", f'"${1 + i % 9},{100 + i}.00"')
                    for i in range(60)
                ),
                *("worker_id", "wtp_milk", "wtp_house"),
            ),
            "m.json": json.dumps(
                {
                    f"persona_{i}": {
                        "profile": {"age": 20 + i},
                        "answers": {"wtp_milk": f"${3 + i % 9}.00", "wtp_house": f"$1,{200 + i}"},
                    }
                    for i in range(40)
                }
            ),
        },
        (),
        {
            "wtp_house": {f"{1000 * (1 + i % 9) + 100 + i:g}": 1 for i in range(60)},
            "wtp_milk": dict(Counter(f"{2.5 + i % 31:g}" for i in range(60))),
        },
        "p.csv: numbers in 'wtp_milk', 'wtp_house' are amounts in $",
        ("--kind", "real"),
    ),
    "a message batch, and the numbers of questions": Case(
        {
            "p.csv": table(WIDE, "Q1. How good is it?", "Q2: How dear is it?"),
            "m.jsonl": lines(
                {
                    "custom_id": f"persona-00{i}_Q{q}",
                    "result": {
                        "type": "succeeded",
                        "message": {
                            "role": "assistant",
                            "content": [{"type": "text", "text": "4"}],
                        },
                    }
                    if i
                    else {"type": "errored", "error": {"type": "error"}},
                }
                for i in range(9)
                for q in (1, 2)
            ),
        },
        (),
        {"Q1. How good is it?": dict(Counter(map(str, A)))},
        "missing answers, failed: m 2",
    ),
}


def read():
    """Return how often people gave each answer to each question."""
    study = study_of(Path("s.yaml"))
    (name,) = study.datasets
    ingested = responses(step(study, INGEST, name))
    options = {
        row["scenario"]: dict(
            zip(row["value"], row["option"] or map("{:g}".format, row["value"]), strict=True)
        )
        for _, row in ingested.scenarios.iterrows()
        if "option" in row
    }
    given: dict[str, Counter] = {}
    rows = ingested.outcomes[ingested.outcomes["source"] == HUMAN]
    for name, value, count in zip(rows["scenario"], rows["value"], rows["count"], strict=True):
        label = options.get(name, {}).get(value, f"{value:g}")
        given.setdefault(str(name), Counter())[str(label)] += count
    return given


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_asked_of_a_kind_of_file_and_what_is_counted(here, capsys, name):
    files, asked, counts, told, options = CASES[name]
    for path, content in files.items():
        Path(path).write_bytes(content if isinstance(content, bytes) else content.encode())
    command = ["start", *files, *options, "--out", "s.yaml"]
    assert main(command) == (UNDECIDED if asked else 0)
    first = capsys.readouterr()
    for cell in asked:
        assert cell in first.err
    if asked:
        assert main([*command, "--accept"]) == 0
    said = first.out + first.err + capsys.readouterr().out
    assert told in said
    given = read()
    for question, expected in counts.items():
        assert {label: n for label, n in given[question].items() if n} == expected


@pytest.mark.parametrize(
    ("header", "is_key"),
    [
        ("Variable,Code,Label,Notes", True),
        ("question,letter,option,x", True),
        ("Variable,Code,Label,N", False),
        ("Variable,Code,Label,%", False),
        ("question,value,option,x", False),
        ("question,code,label,model", False),
    ],
)
def test_a_table_of_numbers_of_answers_is_no_key(here, header, is_key):
    Path("k.csv").write_text(f"{header}\nq1,1,Yes,10\nq1,2,No,20\n", encoding="utf-8")
    assert (opened("k.csv").codebook is not None) == is_key


@pytest.mark.slow
def test_a_sheet_beside_peoples_is_a_key_of_their_codes(here, capsys):
    codes = {
        "a": {1: "Agree", 2: "Neither", 3: "Disagree", -8: "Don't know"},
        "sex": {1: "m", 2: "f"},
    }
    key = [(name, f"{name}?", code, text) for name in codes for code, text in codes[name].items()]
    given = [(i, 1 + i % 2, -8 if i == 7 else 1 + i % 3) for i in range(60)]
    sheets = {
        "Data": pd.DataFrame(given, columns=["id", "sex", "a"]),
        "Codebook": pd.DataFrame(key, columns=["Variable", "Question text", "Code", "Label"]),
    }
    with pd.ExcelWriter("p.xlsx") as book:
        for name, content in sheets.items():
            content.to_excel(book, sheet_name=name, index=False)
    Path("m.csv").write_text(
        table((("m", "a", text) for text in OF_TEXTS), *LONG), encoding="utf-8"
    )
    command = ["start", "p.xlsx#Data", "m.csv", "--out", "s.yaml"]
    assert main(command) == UNDECIDED
    assert "Don't know: undecided?" in capsys.readouterr().err
    assert main([*command, "--accept"]) == 0
    counts = {"Agree": 20, "Neither": 19, "Disagree": 20}
    assert {label: n for label, n in read()["a"].items() if n} == counts
    labels = tables.read("s_codebook").tables[tables.LABELS]
    (row,) = (row for row in labels if row["text"] == "Agree")
    assert (row["decided by"], row["remark"]) == ("file", "as p.xlsx#Codebook says")


@pytest.mark.slow
def test_codes_that_peoples_file_calls_no_answer_are_none_of_a_simulators(here, capsys):
    labels = {1: "Agree", 2: "Neither", 3: "Disagree", 8: "Don't know", 9: "No answer"}
    given = pd.DataFrame({"a": [float(1 + i % 3) if i else 8.0 for i in range(60)]})
    ranges = {"a": [{"lo": 8, "hi": 9}]}
    variables = {"variable_value_labels": {"a": labels}, "missing_ranges": ranges}
    pyreadstat.write_sav(given, "p.sav", **variables)
    answers = [("m", "a", 9 if i == 1 else 8 if i == 2 else 1 + i % 3) for i in range(30)]
    Path("m.csv").write_text(table(answers, *LONG), encoding="utf-8")
    assert main(["start", "p.sav", "m.csv", "--out", "s.yaml"]) == 0
    said = capsys.readouterr().out
    assert "'8' (Don't know), '9' (No answer) is no answer, as in p.sav" in said
    assert "missing answers, undecided: people 1, m 1" in said
    assert read()["a"] == {"Agree": 19, "Neither": 20, "Disagree": 20}


def test_files_without_a_common_question_are_refused_at_once(here, capsys):
    Path("p.csv").write_text(table(WIDE, "taste", "price"), encoding="utf-8")
    Path("m.csv").write_text(table(WIDE, "vote", "party"), encoding="utf-8")
    assert main(["start", "p.csv", "m.csv", "--out", "s.yaml"]) == 1
    told = capsys.readouterr().err
    assert "people were asked 'taste', 'price', and they answer 'party', 'vote'" in told
    assert "Decide " not in told


@pytest.mark.slow
def test_what_is_proposed_for_files_that_name_columns_otherwise_is_read(here, capsys):
    rows = [(i, question, WORDS[(i + j) % 3]) for i in range(30) for j, question in enumerate("ab")]
    Path("p.csv").write_text(table(rows, "respondent_id", "item", "response"), encoding="utf-8")
    for model in "mn":
        content = table(rows, "persona_id", "question_id", "parsed_answer")
        Path(f"{model}.csv").write_text(content, encoding="utf-8")
    command = ["start", "p.csv", "m.csv", "n.csv", "--out", "s.yaml"]
    assert main(command) == UNDECIDED
    assert "--scenario question_id" in capsys.readouterr().err
    assert main([*command, "--accept"]) == 0
    assert "answers all 2 questions, 30 times each" in capsys.readouterr().out
    assert read() == {name: dict.fromkeys(WORDS, 10) for name in "ab"}
