"""Kinds of files that survey researchers have: what is asked, and what is counted."""

import io
import json
import shlex
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyreadstat
import pytest
from cells import CELL, start_with

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


def table(columns, rows, separator=","):
    """Return rows as CSV; ``rows`` has a list for each."""
    return "".join(separator.join(map(str, row)) + "\n" for row in [columns.split(","), *rows])


def column(name, cells):
    return table(name, ([cell] for cell in cells))


def quoted(text):
    return '"{}"'.format(text.replace('"', '""'))


def lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def in_parquet(records):
    content = io.BytesIO()
    pd.DataFrame(list(records)).to_parquet(content)
    return content.getvalue()


def in_sav(columns, labels, **more):
    with tempfile.NamedTemporaryFile(suffix=".sav") as file:
        pyreadstat.write_sav(pd.DataFrame(columns), file.name, column_labels=labels, **more)
        return file.read()


def turn(options, number, step=1):
    return [options[(i * step) % len(options)] for i in range(number)]


def counted(cells):
    """Return how often each cell comes, as text."""
    return dict(Counter(map(str, cells)))


def of_gemini(text):
    """Return a response of Gemini that thinks first."""
    content = {"parts": [{"text": "Low?", "thought": True}, {"text": text}], "role": "model"}
    candidate = {"content": content, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "modelVersion": "gemini-2.5-pro"}


class Case(NamedTuple):
    """Files, and what ``start`` makes of them.

    Attributes:
        people: a text or bytes in p.csv, or a pair of a name and them.
        simulated: likewise in m.csv; None if people's file has all.
        told: texts of what is told at last, or one text.
        asked: what is told of the cells that are asked about; none if nothing is.
        counts: of people's answers to a question.
        options: of the command.
        way: options without which the files are refused, and that the refusal offers.
        more: another file, which ``options`` names.
    """

    people: str | bytes | tuple
    simulated: str | bytes | tuple | None
    told: str | tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    counts: dict | None = None
    options: str = ""
    way: str = ""
    more: tuple = ()


A, B = turn(SCALE, 60), turn(SCALE, 60, 2)
WIDE, OF_TEXTS = list(zip(A, B, strict=True)), turn(WORDS, 60)
NUMBERED = list(enumerate(WIDE))
PEOPLE = table("a,b", WIDE)
MODEL = table("a,b", zip(turn(SCALE, 30), turn(SCALE, 30, 3), strict=True))
OF_FIVE = dict(zip(SCALE, ["Never", "Rarely", "Sometimes", "Often", "Always"], strict=True))
HOW_OFTEN, YES_OR_NO = [*OF_FIVE.values(), "Don't know"], ["Yes", "No", "Don't know"]
BRANDS = ["BMW", "Ford", "Seat", "Don't know"]
MODELS = list(enumerate(A))
RESOLVED = [(f"1{i:02}-0", "ab"[i % 2], ("Yes", "No", "No")[i % 3]) for i in range(20)]
RUN_IDS = [
    (f"{i:02}f", f"{i:02}f5d", *answer)
    for i, row in NUMBERED
    for answer in zip("ab", row, strict=True)
]
AGREED, AGREE = table("id,a", enumerate(OF_TEXTS)), {"a": dict.fromkeys(WORDS, 20)}
YES_NO, LIST = ["Yes", "No"], "Which ones?"
OF_YES_NO = dict(enumerate(["[1] Yes", "[2] No"], 1))
IN_BRACKETS = {"variable_value_labels": {"a": OF_YES_NO}}
DIFFERENT = {"variable_value_labels": {"a": OF_YES_NO, "b": {1: "1. No", 2: "2. Yes"}}}
BY, NOT_OFFERED = (
    ["Bus;Walk", "Bus", "Walk"],
    ["Bus;By sledge", *["Bus;Other (please specify):"] * 2],
)
BY_TICKS = [
    ("Bus" if i % 2 else "", "Walk" if i % 3 == 1 else "", "" if i % 7 else f"sledge {i}", a)
    for i, a in MODELS
]
OF_TICKS, BOTH = list(zip(*BY_TICKS, strict=True))[:2], [["Bus", "Walk"], ["Walk"]]
OF_KEY = [
    (f"q5r{i}", *row)
    for i, one in enumerate(("Bus", "Walk"), 1)
    for row in ((0, "Unchecked"), (1, one))
] + [("a", step, step) for step in SCALE]
OF_EACH = [
    (run, *row)
    for run in (1, 2, 3)
    for row in (*(("a", step, 20) for step in SCALE), ("Q5", "Bus", 70 + run), ("Q5", "Walk", 60))
]
JOINED = ["bus", "bus tram walk", "tram"]
OF_JOINED = [turn([int(code in cell) for cell in JOINED], 60) for code in ("bus", "tram", "walk")]
OF_IDS = [(i, *row) for i, row in enumerate(BY_TICKS)]
OF_BOXES = [("by", LIST, "Bus | Walk"), ("a", "a", "1 | 2 | 3 | 4 | 5")]
TOPLINE = [
    *(("a", *pair) for pair in (*zip(WORDS, (30, 20, 9), strict=True), ("No answer", 4))),
    *(("b", *pair) for pair in (("Cat", 31), ("Dog", 22), ("No answer", 10))),
]
OPTIONS = ["Bus", "Car, as driver", "Car, as guest"]
CHOSEN = [[OPTIONS[i % 3], *(["Walk"] if i % 2 else [])] for i in range(40)]
SEEN = ["theft", "lie", "loan"]
REDCAP = [
    (i, event, round(5.5 + (i + j) % 7 / 2, 1), "UNK" if (i, j) == (4, 1) else 5 * (i % 9), 2)
    for i in range(40)
    for j, event in enumerate(["start_arm_1", "end_arm_1"])
]
IDS = ["startDate", "finished", "_recordId", "QID1", "QID2_1", "QID2_2"]
QUALTRICS = (
    "StartDate,Finished,ResponseId,birth,a,b\nStart Date,Finished,Response ID,Year?,A?,B?\n"
    + ",".join(f'"{{""ImportId"":""{name}""}}"' for name in IDS)
    + "".join(
        f"\n2024-05-01,1,R_{i},{1940 + i % 59},{-99 if i == 7 else a},{b}" for i, (a, b) in NUMBERED
    )
)
RANKED = ((i, text, 1 + i % 2, 2 - i % 2) for i, text in enumerate(OF_TEXTS))
MONKEY = table("Respondent ID,Agreed?,Please rank,", [(",Response", "Price", "Size"), *RANKED])
LIME = table(
    "id,submitdate,startlanguage,a,b",
    ((i, "2024-01-01", "en", a, "N/A" if i % 2 else b) for i, (a, b) in NUMBERED),
)
SOSCI = table(
    "CASE,QUESTNNR,MODE,STARTED,a,b,TIME001,FINISHED,TIME_RSI",
    (
        (i, "base", "interview", "2024-05-02 09:41:00", *r, 60 + i, 0 + (i < 57), 1 + i % 9 / 10)
        for i, r in NUMBERED
    ),
    ";",
)
RANKS = [turn([1, 2, 3], 3 + i)[i % 3 :][:3] for i in range(6)] + [[1, 3, 2], [2, 1, 3], [3, 2, 1]]
ITEMS = ("fun", "Gewicht", "cost")
WITH_RANKS = [(WORDS[i % 3], *ranks) for i, ranks in enumerate(RANKS * 2)]
ORDERS = [sorted(ITEMS, key=dict(zip(ITEMS, ranks, strict=True)).get) for ranks in RANKS * 2]
IN_ORDER = [(WORDS[i % 3], " > ".join(order)) for i, order in enumerate(ORDERS)]
IN_OBJECTS = [f'```json\n{{"a": "{one}", "b": "{two}"}}\n```' for one, two in WIDE[:30]]
OFTEN = ["\u6bcf\u5929", "\u4ece\u4e0d", "\u6bcf\u5468\u51e0\u6b21"]
SEEN_BY_ALL = [(f"S{i}", ad, 1 + (i + j) % 7) for i in range(40) for j, ad in enumerate("ABC")]
PANEL = [
    (100 + 7 * i, w, A[(i * w) % 60], B[i]) for i in range(40) for w in (1, 2) if i % 5 or w < 2
]
RATED = [(i, "AB"[i % 2], SEEN[(i + j) % 3], WORDS[i * j % 3]) for i in range(60) for j in (1, 2)]
POLISH = ["Tak", "Trudno powiedzie\u0107"]
POLL = [("a", "Say?", word, "33%", "30%") for word in WORDS]
POLL += [("a", "Say?", "Unweighted base", 90, 50)]
FROM_1_OR_0 = turn([1, *[2, 3, 4, 5, 6] * 4, 7], 220), turn(range(11), 220, 3)
OWN = [("human", True, ""), ("gpt", "", "{1}"), ("ai", "", "{2}")]
POLL_NAMES = ["Question", "Question text", "Response", "Total", "18-34"]
EVENTS = {f"e{i}": ("yes", "no", "no")[i % 3] for i in range(12)} | {"e12": "void"}
OUTCOMES = table("scenario,value", EVENTS.items())
HAPPENED = {name: {text: 1} for name, text in EVENTS.items() if text != "void"}
FORECASTS = [(name, "anna", (1 + i) / 20) for i, name in enumerate(EVENTS)]
PLACES = ["Europe | Urban", "Asia|Rural"]
IN_PLACES = [(PLACES[i % 2], OF_TEXTS[i]) for i in range(60)]
SHARES = [("a", text, share) for text, share in zip(WORDS, (41, 33, 27), strict=True)]
OF_SHARES = {"a": {text: pytest.approx(share / 1.01 * 5) for _, text, share in SHARES}}
THOUSANDS = [
    (f"q{i}", option, count, f"{i + at},{i % 10}")
    for i in range(20)
    for at, (option, count) in enumerate((("ja", f"1.{230 + i}"), ("nein", "1.987")))
]
SOME_THOUSANDS = [
    (name, option, count if option == "ja" else "987", delta)
    for name, option, count, delta in THOUSANDS
]

WHYS = [f'"As a {who}, I find this, all in all, {how}."' for who in WORDS for how in "ab"]
REASONED = [(text, WHYS[i % 6]) for i, text in enumerate(OF_TEXTS)]
STEPS = turn(["Fine", "Dear"], 600)
MESSAGE = {"role": "assistant", "content": [{"type": "text", "text": "4"}]}
SAID = {"type": "succeeded", "message": MESSAGE}
FAILED = {"type": "errored", "error": {"type": "error"}}
PROMPT = {"parts": [{"text": "How good?"}], "role": "user"}
FILTERED = {"candidates": [{"finishReason": "SAFETY"}], "modelVersion": "gemini-2.5-pro"}
BLOCKED = {"promptFeedback": {"blockReason": "OTHER"}, "modelVersion": "gemini-2.5-pro"}

REQUESTS = "a,b,prompt_tokens,usage.completion_tokens,prompt_request_id,prompt_cost"
ASKED = [(i, *WIDE[i], 300 + i % 9, 90 + i % 7, f"r{i % 5}", f"0.0{1 + i % 3}") for i in range(60)]
TICKED = [(int(i % 2), int(i % 3 == 0)) for i in range(60)]
TICKS = [(" ".join(["tv"] * tv + ["radio"] * radio), tv, radio) for tv, radio in TICKED]
PARTIES, RUNS = ["Left", "Mid", "Right"], range(5)
IN_PARTIES = [
    (party, age, "a", one, 20) for party in PARTIES for age in ("18-34", "35+") for one in SCALE
]
OF_RUNS = [
    ("m", run, name, one, f"Step {one}", 0.4 if one == 1 + run % 5 else 0.15)
    for run in RUNS
    for name in "ab"
    for one in SCALE
]
IMAGES = [f"images/{i}.png" for i in range(6)]
TRIALS = [
    (f"s{i}", "main", images, float(1 + (i * j) % 7))
    for i in range(30)
    for j, images in enumerate(IMAGES)
]
BREAKS = [(f"s{i}", "break", "", "") for i in range(30)]
RATINGS = [("m", image, 1 + (i + j) % 7) for i in range(20) for j, image in enumerate(IMAGES)]
KEYS = ["BEGIN", "a", "a-quantised", "b"]
GORILLA = [
    (f"u{i}", f"v{i}", key, {"BEGIN": "", "a-quantised": 2}.get(key, WORDS[i % 3]))
    for i in range(60)
    for key in KEYS
]
OF_POLL = list(zip(WORDS, (38.5, 28.1, 33.4), strict=True))
IN_SEVEN = [(i, turn(SCALE, 7, 1 + i % 3)[i % 5 :] + turn(SCALE, 7)[: i % 5]) for i in range(60)]
OF_THREE = [(1 + i % 3, ranks) for i, ranks in enumerate(RANKS * 8)]
KEY_OF_RANKS = [
    *((name, i, f"Rank {i}", "Rank them") for name in ("r_1", "r_2", "r_3") for i in (1, 2, 3)),
    *(("a", i, word, "Well?") for i, word in enumerate(WORDS, 1)),
    *(("q0", i, word, "Are you...") for i, word in enumerate(["Male", "Female"], 1)),
]
SHOPS, PANELS = ["Aldi", "Lidl", "Rewe"], ["North", "South", "West"]
IN_SHOPS = [(SHOPS[i % 3], a) for i, a in enumerate(A)]
IN_GROUPS = [(PANELS[i % 3], f"W{1 + i % 2}", a) for i, a in enumerate(A)]
FORM = "record_id,a,by___1,by___2,notes,survey_complete"
BEGUN = [(i, 1 + i % 3, i % 2, 0, "" if i % 3 else "called", 2) for i in range(0, 60, 2)]
BEGUN += [(i, "", 0, 0, "no reply" if i % 3 else "", 0) for i in range(1, 60, 2)]
FIELDS = [
    ("record_id", "text", "Record ID", ""),
    ("a", "radio", "Agreed?", " | ".join(f"{i}, {text}" for i, text in enumerate(WORDS, 1))),
    ("by", "checkbox", LIST, "1, Bus | 2, Walk"),
    ("notes", "notes", "Notes", ""),
]
OF_FIELDS = '"Variable / Field Name","Field Type","Field Label",'
OF_FIELDS += '"Choices, Calculations, OR Slider Labels"\n'
OF_FIELDS += "".join(",".join(map(quoted, row)) + "\n" for row in FIELDS)
CODES = table("question,code,label", (("a", one, f"Step {one}") for one in SCALE))
STATEMENT = '"{""Agree"": 20, ""Neither"": 30, ""Disagree"": 50}"'
ORDERED = "steps of a scale in words, from Agree to Disagree"
QUESTIONS, MEANT = ("q1", "q2"), [*enumerate(WORDS, 1), (-1, "Inapplicable")]

WORRIED = {"Nada preocupado/a": "Calm", "Muy preocupado/a": "Worried", "Algo": "A bit worried"}
IN_TWO = [
    (
        ("en", "es")[i % 2],
        (en, es)[i % 2] + "." * (i % 5 == 0),
        (("No", "Yes"), ("No", "S\u00ed"))[i % 2][i % 3 % 2],
    )
    for i, (es, en) in enumerate([*WORRIED.items()] * 20)
]
WORDED = table("language,a,b", IN_TWO)
IN_GERMAN = [
    ("a", "Say?", *row) for row in zip("123", WORDS, ("Ja", "Weder noch", "Nein"), strict=True)
]
NOTES = [("ours", "I agree"), ("theirs", "fun")]

CASES = {
    "a key of texts in another language, with endings behind a slash and full stops": Case(
        WORDED,
        WORDED,
        more=(
            "k.csv",
            table("question,code,label", (("a", *pair) for pair in WORRIED.items()))
            + "b,No,No\nb,S\u00ed,Yes\n",
        ),
        options="k.csv 'columns.csv: language: ignore'",
        counts={"a": dict.fromkeys(WORRIED.values(), 20), "b": {"No": 40, "Yes": 20}},
    ),
    **{
        f"a key of labels in {columns}": Case(
            AGREED,
            table("simulator,scenario,value", (("m", "a", text) for text in ("Ja", *WORDS) * 9)),
            "key.csv: a key of 1 questions' options",
            counts=AGREE,
            options="key.csv",
            more=("key.csv", table(f"variable,question_en,code,{columns}", IN_GERMAN)),
        )
        for columns in ("label_en,label_de", "English label,German label", "en,de")
    },
    "a dictionary of REDCap, and records never begun with notes on them": Case(
        table(FORM, BEGUN),
        table("persona_id,a,by___1,by___2", ((i, WORDS[i % 3], i % 2, 1) for i in range(40))),
        ("boxes of 30 records are empty", "key.csv: a data dictionary of REDCap"),
        options="key.csv",
        more=("key.csv", OF_FIELDS),
        counts={"a": dict.fromkeys(WORDS, 10), "by___1": {"0": 30}, "by___2": {"0": 30}},
    ),
    "yes in another language": Case(
        table("language,b", ((language, b) for language, _, b in IN_TWO)),
        table("language,b", ((language, b) for language, _, b in IN_TWO)),
        asked=("labels.csv: S\u00ed: Yes?",),
        options="'columns.csv: language: ignore'",
        counts={"b": {"No": 40, "Yes": 20}},
    ),
    "one model's answers in two files": Case(
        PEOPLE,
        table("model,a,b", (("gpt-4o", *row) for row in WIDE)),
        ("simulator m: answers", "simulator n: answers"),
        ("columns.csv: m.csv, model: ignore?",),
        options="n.csv",
        more=("n.csv", table("model,a,b", (("gpt-4o", *row) for row in WIDE[:40]))),
    ),
    "a question called share, beside fractions": Case(
        table("Q_RecaptchaScore,share", ((0.7 + i % 4 / 5, a) for i, a in MODELS)),
        column("share", A),
        "weights of people: none",
        options="--questions share",
        counts={"share": counted(A)},
    ),
    "texts of both sides beside the questions that are named": Case(
        table("a,note", ((a, NOTES[0][i % 2]) for i, a in MODELS)),
        table("a,note", ((a, NOTES[1][i % 2]) for i, a in MODELS)),
        asked=("columns.csv: p.csv, note: ignore?",),
        options="--questions a",
    ),
    "what requests measured is no setting of a model": Case(
        PEOPLE,
        table("persona," + REQUESTS, ASKED),
        "'prompt_tokens'",
        tuple(f"columns.csv: m.csv, prompt_{name}: ignore?" for name in ("request_id", "cost")),
    ),
    "a label that says weight, in thousands": Case(
        (
            "p.sav",
            in_sav(
                {"a": A, "b": B, "hf": [1500.25 + i % 40 for i in range(60)]},
                ["A?", "B?", "Hochrechnungsfaktor"],
            ),
        ),
        MODEL,
        asked=("columns.csv: p.sav, hf: weight?",),
        counts={},
    ),
    "a label that says country, of what simulators are told": Case(
        (
            "p.sav",
            in_sav(
                {"id": [*range(60)], "alpha": turn(["DE", "JP", "SE"], 60), "a": A, "b": B},
                ["Id", "Country prefix", "A?", "B?"],
            ),
        ),
        table("id,alpha,a,b", ((i, ("DE", "JP", "SE")[i % 3], b, a) for i, (a, b) in NUMBERED)),
        asked=("columns.csv: p.sav, alpha: group?",),
        counts={"a | DE": counted(A[::3])},
    ),
    "weights of 0": Case(
        table("a,weight", ((a, i % 4 / 2) for i, a in MODELS)),
        column("a", A),
        "15 of 60 rows have the weight 0 in 'weight'",
    ),
    "a label that says weight of a body": Case(
        (
            "p.sav",
            in_sav({"a": A, "kg": [60.5 + i % 40 for i in range(60)]}, ["A?", "Weight in kg"]),
        ),
        column("a", A),
        asked=("columns.csv: p.sav, kg: ignore?",),
    ),
    "a list of boxes beside the boxes": Case(
        table("a,x,x/tv,x/radio", ((one, *ticks) for one, ticks in zip(A, TICKS, strict=True))),
        table("a,x,x/tv,x/radio", ((one, *ticks) for one, ticks in zip(A, TICKS, strict=True))),
        "list which boxes are ticked: 'x'",
        counts={"a": counted(A), "x/tv": {"0": 30, "1": 30}},
    ),
    "parties are no persons": Case(
        table(
            "caseid,pid3,age_group,a",
            ((1000 + 7 * i, PARTIES[i % 3], ("18-34", "35+")[i % 2], a) for i, a in MODELS),
        ),
        table("pid3,age_group,question,answer,pct", IN_PARTIES),
        asked=("columns.csv: p.csv, pid3 and 1 more: group?", "columns.csv: m.csv, pct: percent?"),
        counts={},
    ),
    "runs of probabilities, with codes and labels": Case(
        PEOPLE,
        table("model,run,variable,code,label,prob", OF_RUNS),
        "states probabilities",
        (
            "columns.csv: m.csv, run: respondent?",
            "columns.csv: m.csv, code: answer?",
            "columns.csv: m.csv, prob: probability?",
        ),
    ),
    "trials with pictures, and breaks between them": Case(
        table("participant,block,image_file,rating.response", [*BREAKS, *TRIALS]),
        table("model,image_file,rating", RATINGS),
        "30 rows have neither 'image_file' nor 'rating.response'",
        (
            "columns.csv: p.csv, image_file: question?",
            "columns.csv: p.csv, rating.response: answer?",
            "columns.csv: p.csv, participant: respondent?",
        ),
        {"images/0.png": {"1": 30}},
    ),
    "questions in rows, and marks of pages": Case(
        table("Participant Public ID,Participant Private ID,Question Key,Response", GORILLA),
        table("question,model,answer", ((key, "m", word) for key in "ab" for word in OF_TEXTS)),
        asked=(
            "columns.csv: p.csv, Participant Public ID: respondent?",
            "columns.csv: p.csv, Question Key: question?",
            "columns.csv: p.csv, Response: answer?",
        ),
        counts=AGREE,
    ),
    "a question that the key doesn't list": Case(
        PEOPLE,
        MODEL,
        counts={"b": counted(B)},
        options="--scenarios k.csv",
        more=("k.csv", CODES),
    ),
    "a birth year that no simulator answers is no reason for a kind": Case(
        QUALTRICS,
        MODEL,
        "kind of outcome: ordinal",
        ("labels.csv: -99: missing?",),
        {"a": counted(a for i, a in MODELS if i != 7)},
    ),
    "facts on persons in both files": Case(
        table("gndr,agea,a,b", ((1 + i % 2, 20 + i % 50, *r) for i, r in NUMBERED)),
        table("gndr,agea,a,b", ((1 + i % 2, 30 + i % 9, *r) for i, r in NUMBERED)),
        asked=("columns.csv: p.csv, gndr and 1 more: ignore?",),
    ),
    "a column of men and women, whatever it is called": Case(
        table("v1,a,b", (("MW"[i % 2], *r) for i, r in NUMBERED)),
        table("v1,a,b", (("MW"[i % 3 % 2], *r) for i, r in NUMBERED)),
        asked=("columns.csv: p.csv, v1: ignore?",),
    ),
    "a closing row of means": Case(
        table("Nr.,a,b", [*((i + 1, *r) for i, r in NUMBERED), ("Mittelwert", 3.1, 2.9)]),
        MODEL,
        "'Mittelwert': below its rows, and no person",
    ),
    "lists tell the options of cells that are joined by their signs": Case(
        table(f"{LIST},a", ((f'"{", ".join(c)}"', WORDS[i % 3]) for i, c in enumerate(CHOSEN))),
        ("m.jsonl", lines({LIST: c, "a": WORDS[i % 3]} for i, c in enumerate(CHOSEN))),
        "each of its 4 options is a question",
        counts={f"{LIST}: {OPTIONS[1]}": {"1": 13, "0": 27}, f"{LIST}: Walk": {"1": 20, "0": 20}},
    ),
    "a simulator's file as SurveyMonkey's": Case(
        MONKEY,
        MONKEY.replace("Respondent ID", "persona").replace("Agree\n", "agree.\n"),
        counts={"Agreed?": dict.fromkeys(WORDS, 20), "Please rank: Size": {"1": 30, "2": 30}},
    ),
    "a setting that is the same in all rows": Case(
        PEOPLE,
        table("model,temperature,a,b", (("x", 0.7, *r) for r in WIDE)),
        "not read in m.csv: temperature",
    ),
    "rows of one person by a method, in words, that nothing names": Case(
        table("id,a", ((100 + 7 * i, a) for i, a in enumerate(A))),
        table("id,how,a", ((100 + 7 * i, how, i % 5 + 1) for how in "xy" for i in range(60))),
        asked=("m.csv, how: simulator?",),
    ),
    "don't know beside steps, beside yes and no, and beside brands": Case(
        table(
            "a,b,c", zip(turn(HOW_OFTEN, 60), turn(YES_OR_NO, 60), turn(BRANDS, 60), strict=True)
        ),
        table(
            "a,b,c", zip(turn(HOW_OFTEN, 60), turn(YES_OR_NO, 60), turn(BRANDS, 60), strict=True)
        ),
        asked=("Decide 2 cells of", "labels.csv: a, Don't know and 1 more: undecided?"),
        counts={"a": dict.fromkeys(OF_FIVE.values(), 10), "c": dict.fromkeys(BRANDS, 15)},
    ),
    "don't know as it was decided, of a question that simulators call by its wording": Case(
        table("Often?,Which?", zip(turn(HOW_OFTEN, 60), turn(BRANDS, 60), strict=True)),
        table(
            "model,id,question_id,question,answer",
            [
                *(("x", i, "Q1", "Often?", answer) for i, answer in enumerate(turn(HOW_OFTEN, 30))),
                *(("x", i, "Q2", "Which?", answer) for i, answer in enumerate(turn(BRANDS, 30))),
            ],
        ),
        way='"labels.csv: Often?, Don\'t know: undecided"',
        counts={"Often?": dict.fromkeys(OF_FIVE.values(), 10)},
    ),
    "stated shares, whose don't know was decided, of a question called by its wording": Case(
        table("Q1. Often?,Q2. Which?", zip(turn(HOW_OFTEN, 60), turn(BRANDS, 60), strict=True)),
        (
            "m.jsonl",
            lines(
                {"model": "x", "question_id": f"Q{at}", "question": name, "distribution": shares}
                for at, name, shares in (
                    (1, "Often?", dict.fromkeys(HOW_OFTEN, 100 / len(HOW_OFTEN))),
                    (2, "Which?", dict.fromkeys(BRANDS, 100 / len(BRANDS))),
                )
            ),
        ),
        asked=("labels.csv: Q1. Often?, Don't know: undecided?",),
        counts={"Q1. Often?": dict.fromkeys(OF_FIVE.values(), 10)},
    ),
    "shares without what people answer that is none": Case(
        column("a", turn([*OF_FIVE.values(), "Can't choose"], 60)),
        table("question,option,logprob", (("a", word, -1.7) for word in OF_FIVE.values())),
        asked=("Decide 1 cell of", "labels.csv: Can't choose: undecided?"),
        counts={"a": dict.fromkeys(OF_FIVE.values(), 10)},
    ),
    "don't know beside steps and beside a text of no answer": Case(
        column("a", turn([*OF_FIVE.values(), "Don't know", "No answer"], 70)),
        column("a", turn([*OF_FIVE.values(), "Don't know"], 30)),
        asked=("labels.csv: Don't know: undecided?", "labels.csv: No answer: missing?"),
        counts={"a": dict.fromkeys(OF_FIVE.values(), 10)},
    ),
    "numbers beside options, to be compared by themselves": Case(
        table("a,b", ((WORDS[i % 3], 5 * (i % 21)) for i in range(60))),
        table("a,b", ((WORDS[i % 3], 5 * (i % 21)) for i in range(40))),
        asked=("questions.csv: b: leave out?", "--questions b --kind bounded --bounds 0 100"),
        counts=AGREE,
    ),
    "ranks in a grid beside lists in order": Case(
        table(
            "a,Rank [fun],Rank [Gewicht],Rank [cost]",
            [
                (word, *(f"{n}{('st', 'nd', 'rd')[n - 1]}" for n in ranks))
                for word, *ranks in WITH_RANKS * 4
            ],
        ),
        (
            "m.jsonl",
            lines(
                {"model": "m", "question": name, "answer": answer, "id": i}
                for i, (word, *_) in enumerate(WITH_RANKS)
                for name, answer in (("a", word), ("Rank", ORDERS[i % 18]))
            ),
        ),
        "'Rank': a ranking of 3 items",
        ("columns.csv: p.csv, Rank [fun] and 2 more: ranking?",),
        {"Rank: first": {"fun": 24, "Gewicht": 24, "cost": 24}},
    ),
    "items in order, joined by people and listed by simulators": Case(
        table("a,prio", IN_ORDER * 4),
        ("m.jsonl", lines({"a": word, "prio": text.split(" > ")} for word, text in IN_ORDER * 2)),
        "'prio': a ranking of 3 items",
        ("columns.csv: p.csv, prio: ranking?",),
        {"prio: first": {"fun": 24, "Gewicht": 24, "cost": 24}},
    ),
    "questions that LimeSurvey did not show": Case(
        LIME,
        MODEL,
        "N/A is no answer, as a question was not shown",
        counts={"b": counted(B[::2])},
    ),
    "events of REDCap, and numbers that simulators answer, too": Case(
        table("record_id,redcap_event_name,sleep,walk,daily_complete", REDCAP),
        table(
            "model,redcap_event_name,sleep,walk",
            (("m", *row[1:3], 5 * (row[0] % 7)) for row in REDCAP),
        ),
        "kind of outcome: real",
        ("p.csv, record_id: respondent?", "p.csv, redcap_event_name: wave?"),
        {},
    ),
    "boxes of records of REDCap that were invited and never answered": Case(
        table(
            "record_id,sleep,b___1,b___2,walk,day_complete",
            [(i, 1 + i % 2, i % 2, 0, 1 + i % 2, 0 if i % 4 else 2) for i in range(40)]
            + [(i, "", 0, 0, "", 0) for i in range(40, 46)],
        ),
        table("sleep,b___1,b___2,walk", [(1 + i % 2, i % 2, i % 2, 1 + i % 2) for i in range(30)]),
        "boxes of 6 records are empty",
        counts={"b___1": {"0": 20, "1": 20}},
        options="--kind categorical",
    ),
    "Windows-1250": Case(
        table("id,a", ((f"m\u0119\u017cczyzna {i}", POLISH[i % 2]) for i in range(40))).encode(
            "cp1250"
        ),
        column("a", turn(POLISH, 40)),
        "read as Windows-1250",
        counts={"a": dict.fromkeys(POLISH, 20)},
    ),
    "a stimulus and its place in the order": Case(
        table(
            "participant,order,vignette,blame",
            (
                (f"s{i}", 1 + j, SEEN[(i + j) % 3], 1 + (i * j) % 7)
                for i in range(60)
                for j in range(2)
            ),
        ),
        table(
            "model,rep,vignette,blame",
            (("m", 1 + i // 3, SEEN[i % 3], 1 + i % 7) for i in range(90)),
        ),
        "each put to groups of people by vignette",
        ("p.csv, participant: respondent?", "p.csv, vignette: wave?"),
        {},
    ),
    "TRUE and FALSE, and R's NA": Case(
        column("a", ("NA" if i == 3 else "TRUE" if i % 2 else "FALSE" for i in range(40))),
        column("a", turn([0, 1], 40)),
        counts={"a": {"0": 20, "1": 19}},
    ),
    "SoSci Survey, whose times are no weights": Case(
        SOSCI,
        MODEL,
        "57 people, 2 questions; left out: 3 unfinished",
        counts={"a": counted(A[:57])},
    ),
    "persons and stimuli by their cells, whatever they are called": Case(
        table("x,y,z", SEEN_BY_ALL),
        table("x,y,z", SEEN_BY_ALL),
        "each put to groups of people by y",
        ("p.csv, x: respondent?", "p.csv, y: wave?"),
        {},
    ),
    "people of numbers who see all stimuli, beside simulators' rows of answers": Case(
        table("who,ad,a", ((who[1:], ad, n) for who, ad, n in SEEN_BY_ALL)),
        table("model,ad,question,answer", (("m", ad, "a", n) for _, ad, n in SEEN_BY_ALL)),
        "each put to groups of people by ad",
        ("p.csv, who: respondent?", "p.csv, ad and 1 more: wave?"),
        {},
    ),
    "events of a tournament, and two files of forecasters under other names": Case(
        table("ifp_id,topic,outcome", ((*pair, what) for *pair, what in RESOLVED)),
        table(
            "ifp_id,model,draw,p_yes",
            ((name, "m", i, 20 + i) for name, *_ in RESOLVED for i in (1, 2)),
        ),
        ("simulator m: states probabilities for all 20", "simulator crowd: states"),
        ("p.csv, ifp_id: question?", "p.csv, outcome: answer?", "m.csv, p_yes: percent?"),
        {name: {what: 1} for name, _, what in RESOLVED},
        options="k.csv",
        more=(
            "k.csv",
            table("ifp_id,forecaster,p_yes", ((name, "crowd", 50) for name, *_ in RESOLVED)),
        ),
    ),
    "ids of a run beside those of persons, which simulators call otherwise": Case(
        table("run,PROLIFIC_PID,scenario,value", RUN_IDS),
        table("participant,scenario,value", (row[1:] for row in RUN_IDS)),
        "simulator m: answers all 2 questions, 60 times each; as 60 of the persons, by their ids",
        ("p.csv, PROLIFIC_PID and 1 more: respondent?", "Decide 2 cells"),
    ),
    "persons whom one of two files of simulators calls otherwise": Case(
        table("lfdn,a,b", ((1000 + 7 * i, *row) for i, row in NUMBERED)),
        table("pid,a,b", ((1000 + 7 * i, *row) for i, row in NUMBERED)),
        ("simulator m: answers all 2 questions, 60 times each; as 60 of the persons, by their ids"),
        ("p.csv, lfdn and 1 more: respondent?", "Decide 2 cells"),
        options="k.csv",
        more=("k.csv", table("lfdn,a,b", ((1000 + 7 * i, *row) for i, row in NUMBERED))),
    ),
    "games of oTree, in several rounds, that a script calls otherwise": Case(
        table(
            "player.risk,bids.1.player.give,bids.1.group.all_give,bids.2.player.give",
            ((a, b, a + b, a + 2) for a, b in WIDE),
        ),
        table("risk,bids_give_r1,bids_give_r2", ((a, b, a + 2) for a, b in WIDE)),
        "not read in p.csv: bids.1.group.all_give",
        tuple(f"bids_give_r{turn}: bids.{turn}.player.give?" for turn in (1, 2)),
        {"bids.2.player.give": counted(a + 2 for a in A)},
    ),
    "a panel some of whose persons drop out, called otherwise, one question left out": Case(
        table("nomem,welle,a,b", PANEL),
        table("nomem,welle,a,b", PANEL),
        ("each put to groups of people by welle", "scenarios: 3, such as"),
        ("p.csv, nomem: respondent?", "p.csv, welle: wave?"),
        {},
        options="'questions.csv: b | 2: leave out'",
    ),
    "the control of an experiment": Case(
        table("arm,a,b", ((("control", "ad")[i % 4 // 2], *row) for i, row in NUMBERED)),
        table("arm,a,b", ((("control", "ad")[i % 2], *row) for i, row in NUMBERED)),
        "each put to groups of people by arm",
        ("with 'control' as in an experiment", "p.csv, arm: group?"),
        {},
    ),
    "forecasts in per cent, of whom some are forecast again, beside others": Case(
        table(
            "scenario,value,topic", ((*pair, "xyz"[i % 3]) for i, pair in enumerate(EVENTS.items()))
        ),
        table(
            "forecast_id,user_id,scenario,created_at,probability",
            (
                (i, f"u{i % 40}", f"e{i % 13}", f"2024-01-{1 + i % 28:02} 10:00", 10 + i % 80)
                for i in range(13 * 40 + 100)
            ),
        ),
        ("m.csv: the last of 620 forecasts by 'created_at': 520", "column topic; those of one"),
        ("columns.csv: m.csv, user_id: respondent?", "columns.csv: m.csv, probability: percent?"),
        HAPPENED,
        options="k.csv",
        more=("k.csv", table("scenario,simulator,probability", FORECASTS)),
    ),
    "ranks of items, one of which is called as weights are, beside a file of questions": Case(
        table("a,prio[fun],prio[weight],prio[cost]", WITH_RANKS * 4),
        table("a,prio[fun],prio[weight],prio[cost]", WITH_RANKS * 2),
        "'prio': a ranking of 3 items",
        ("columns.csv: p.csv, prio[fun] and 2 more: ranking?",),
        {"prio: fun over weight": {"0": 32, "1": 40}},
        options="--scenarios book.csv",
        more=("book.csv", table("scenario,question", [("a", "Agreed?")])),
    ),
    "items in columns by their rank, some of them empty": Case(
        table(
            "prio 2,prio 3,prio 1", [*[(o[1], o[2], o[0]) for o in ORDERS * 4], ("fun", "", "cost")]
        ),
        table("prio 2,prio 3,prio 1", [(o[1], o[2], o[0]) for o in ORDERS]),
        "'prio': a ranking of 3 items",
        ("columns.csv: p.csv, prio 2 and 2 more: ranking?",),
        {"prio: first": {"fun": 24, "Gewicht": 24, "cost": 25}},
    ),
    "facts on persons whose names differ in capitals": Case(
        table("Age,a,b", ((20 + i % 50, *r) for i, r in NUMBERED)),
        table("age,a,b", ((30 + i % 9, *r) for i, r in NUMBERED)),
        "not read in m.csv: age",
    ),
    "a choice, and what it depends on": Case(
        column("a", OF_TEXTS),
        (
            "m.jsonl",
            lines(
                {"model": "m", "question": "a", "response": f"I'd say: {text}. It depends on rain."}
                for text in WORDS * 5
            ),
        ),
        "simulator m: answers all 1 questions, 15 times each",
        counts=AGREE,
    ),
    "a text of no answer that a questionnaire lists, and no simulator gives": Case(
        column("a", turn([*WORDS, "Don't know"], 80)),
        column("a", OF_TEXTS),
        asked=("labels.csv: Don't know: undecided?",),
        counts=AGREE,
        options="--scenarios book.csv",
        more=("book.csv", table("scenario,options", [("a", " | ".join([*WORDS, "Don't know"]))])),
    ),
    "many spellings, and the personas who give them, below titles": Case(
        table("Spring,,,,", [[""] * 5, POLL_NAMES, *POLL[:3], [""] * 5, *POLL[3:]]),
        table(
            "persona_id,model,question,response",
            (
                (f"p{i}", "m", name, (word, word.lower(), f"**{word}**")[i % 3])
                for i in range(60)
                for name, word in (("a", WORDS[i % 7 % 3]),)
            ),
        ),
        ("numbers: 6 spellings; see labels.csv", "the person in 'persona_id'", "wording of 1 q"),
        counts={"a": dict.fromkeys(WORDS, pytest.approx(30))},
    ),
    "checks of attention": Case(
        table("a,b,attn_check", ((*r, 2) for r in WIDE)),
        table("a,b,attn_check", ((*r, 2 + (i == 3)) for i, r in NUMBERED)),
        asked=("questions.csv: attn_check: leave out?",),
    ),
    "people and models in one file, facts that models are told, and columns of one side": Case(
        table(
            "source,id,age,party,a,attn_pass,raw",
            (
                (who, f"{who}{i}", i + 20, WORDS[i % 7 % 3], (i + n) % 8 % 5, *own)
                for n, (who, *own) in enumerate(OWN)
                for i in range(60)
            ),
        ),
        None,
        "not compared: 'attn_pass' (no simulator answers)",
        tuple(f"columns.csv: p.csv, {name}: ignore?" for name in ("age", "party", "raw")),
        counts={"a": counted(i % 8 % 5 for i in range(60))},
    ),
    "a check of attention by its wording": Case(
        ("p.sav", in_sav({"a": A, "b": B, "c": [4] * 60}, ["Good?", "Often?", "Please select 4."])),
        table("a,b,c", ((*r, 4 - (i == 3)) for i, r in NUMBERED)),
        asked=("questions.csv: c: leave out?",),
    ),
    "options that some say in a few more words": Case(
        column("a", turn(["for it", "against it"], 600)),
        column("a", [*turn(["for it", "against it"], 596), "I am for it.", "I'm for it"]),
        asked=("labels.csv: I am for it. and 1 more: for it?",),
        counts={"a": {"for it": 300, "against it": 300}},
    ),
    "a score that is no weight, beside a weight": Case(
        table("a,b,wt,score", ((*r, [0.8, 1.2][i % 2], i % 30 / 100) for i, r in NUMBERED)),
        MODEL,
        "as there is a column of weights",
        ("columns.csv: p.csv, score: ignore?",),
        options="--weight wt",
    ),
    "a code of no answer among decimal commas": Case(
        table("a,b", ((i % 17 / 10, i % 13 / 10 + 3) for i in range(60))),
        table(
            "a,b",
            ((f"{i % 17},{i % 10}" if i else -999, f"{3 + i % 13},{i % 7}") for i in range(60)),
            ";",
        ),
        ("numbers in 'a', 'b' have a decimal comma", "missing answers: m 1"),
        counts={},
        options="--kind real --missing -999",
    ),
    "a panel whose second wave alone is weighted and answered by a simulator": Case(
        table(
            "pid,w1_a,w1_weight,w2_a,w2_weight",
            (
                (
                    i,
                    a,
                    1 + i % 2,
                    *((b if i % 12 == 1 else "", "") if i % 6 == 1 else (b, 0.5 + i % 4 / 2)),
                )
                for i, (a, b) in NUMBERED
            ),
        ),
        table("pid,w2_a", MODELS),
        "p.csv: 10 of 60 rows have no weight in 'w2_weight' and do not count",
        ("columns.csv: p.csv, w2_weight: weight?", "columns.csv: p.csv, w1_weight: ignore?"),
        {"w2_a": counted(b for i, b in enumerate(B) if i % 6 != 1)},
    ),
    "names of questions beside their wording, and labels whose codes simulators leave out": Case(
        ("p.sav", in_sav({"a": turn([1, 2], 60), "b": A}, ["A?", "B?"], **IN_BRACKETS)),
        table(
            "question,variable,answer",
            (row for i in range(9) for row in (("Eh", "a", YES_NO[i % 2]), ("Be", "b", A[i]))),
        ),
        ("which 'question' has not: variable: question", "Yes: [1] Yes and No: [2] No"),
        counts={"a": {"[1] Yes": 30, "[2] No": 30}},
    ),
    "labels whose codes simulators leave out, and differ between questions": Case(
        ("p.sav", in_sav({"a": turn([1, 2], 60), "b": turn([1, 2], 60)}, None, **DIFFERENT)),
        table("a,b", zip(YES_NO * 9, YES_NO * 9, strict=True)),
        asked=("labels.csv: a, No: [2] No?", "labels.csv: b, No: 1. No?"),
        counts={"a": {"[1] Yes": 30, "[2] No": 30}},
    ),
    "numbers before a simulator's words": Case(
        column("a", OF_TEXTS),
        column("a", [f"{1 + i % 3}. {text.upper()}" for i, text in enumerate(OF_TEXTS)]),
        "people's capitals, signs and numbers",
        counts=AGREE,
    ),
    "a simulator whose questions are none of those that are named": Case(
        PEOPLE,
        table("a", zip(A, strict=True)),
        "n.csv: left out, as none of its questions is compared",
        options="n.csv --questions a",
        more=("n.csv", table("scenario,value", (("b", one) for one in B))),
    ),
    "a pollster's blocks below titles, each with its header": Case(
        "Omnibus,,\nFigures in %,,\n,,\n"
        + "".join(
            f"{name}. Say {name}?,,\nBase: all,,\n,Total,18-34\nUnweighted base,80,50\n"
            "Agree,40,30\nNeither,25,30\nDisagree,35,40\n,,\n"
            for name in ("Q1", "Q2")
        ),
        table("question,answer", zip(turn(["Q1", "Q2"], 60), OF_TEXTS, strict=True)),
        "blocks of 2 questions, each below its header",
        counts={"Q2. Say Q2?": {"Agree": 32, "Neither": 20, "Disagree": 28}},
    ),
    "a pollster's blocks below titles of one cell, and percentages of a model": Case(
        "Omnibus\n\n"
        + "".join(
            f"Table {name}\nQ{name}. Say it?\nBase: all\n,Total,Male,18-34\n"
            "Unweighted base,80,40,50\n"
            "Agree,40%,31%,30%\nNeither,25%,34%,30%\nDisagree,35%,35%,40%\n\n"
            for name in (1, 2)
        ),
        table(
            "model,question,answer,pct",
            (("m", f"Q{name}. Say it?", *row) for name in (1, 2) for row in OF_POLL),
        ),
        "simulator m: states probabilities for all 2 questions",
        ("columns.csv: m.csv, pct: percent?",),
        {"Q2. Say it?": {"Agree": 32, "Neither": 20, "Disagree": 28}},
    ),
    "a question called as a column of long files": Case(
        table("id,value,b,c,d,e,f,g", ((f"p{i}", *row) for i, row in IN_SEVEN)),
        table("value,b,c,d,e,f,g", (row for _, row in IN_SEVEN)),
        "wide, as no column",
        ("columns.csv: p.csv, value: question?",),
        {"value": dict.fromkeys(map(str, SCALE), 12)},
    ),
    "ranks in words, and a key of them and of facts on people": Case(
        table("a,q0,r_1,r_2,r_3", ((i, 1 + i % 2, *ranks) for i, ranks in OF_THREE)),
        table("a,q0,r_1,r_2,r_3", ((i, 2, *map("Rank {}".format, ranks)) for i, ranks in OF_THREE)),
        "answers all 5 questions",
        ("p.csv, r_1 and 2 more: ranking?", "p.csv, q0: ignore?"),
        {"r: first": {"r_1": 24, "r_2": 24, "r_3": 24}},
        "--scenarios key.csv",
        more=("key.csv", table("var,code,label,question", KEY_OF_RANKS)),
    ),
    "the wording of a question, and groups made of its answers": Case(
        (
            "p.sav",
            in_sav({"q_group": OF_TEXTS, "q": A, "b": OF_TEXTS}, ["Well? - Group", "Well?", "B?"]),
        ),
        table("Well?,b", zip(A, OF_TEXTS, strict=True)),
        "not read in p.sav: q_group",
        ("questions.csv: Well?: q?",),
        {"q": counted(A)},
    ),
    "a key within a wording that another key fits less well": Case(
        table("Which is your main shop?,Would you recommend that main shop? (0 = no)", IN_SHOPS),
        table("main_shop,recommendation", IN_SHOPS),
        "answers all 2 questions",
        ("recommendation: Would you recommend that main shop? (0 = no)?",),
        {"Would you recommend that main shop? (0 = no)": counted(A)},
    ),
    "two groups, one called otherwise by a simulator": Case(
        table("Panel,Wave,a", IN_GROUPS),
        table("sample,wave,a", IN_GROUPS),
        "questions: 1, each put to groups of people by Panel, Wave",
        ("p.csv, Panel and 1 more: group?", "p.csv, Wave and 1 more: group?"),
        {},
    ),
    "groups that another simulator's file lacks": Case(
        table("Panel,a", ((panel, a) for panel, _, a in IN_GROUPS)),
        table("sample,a", ((panel, a) for panel, _, a in IN_GROUPS)),
        "questions: 1",
        ("p.csv, Panel and 1 more: ignore?",),
        options="n.csv",
        more=("n.csv", table("a,b", WIDE)),
    ),
    "an age by another name": Case(
        table("S1,a", ((panel, a) for panel, _, a in IN_GROUPS)),
        table("age_band,a", ((panel, a) for panel, _, a in IN_GROUPS)),
        "questions: 1",
        ("p.csv, S1 and 1 more: ignore?",),
    ),
    "labels of tick boxes, lists, and a pattern of both": Case(
        (
            "p.sav",
            in_sav(
                {"by_1": turn(["Yes", "No"], 60), "by_2": turn(["No", "Yes"], 60), "a": A},
                ["by: TV", "by: Radio", None],
            ),
        ),
        ("m.jsonl", lines({"by": [["TV", "Radio"], []][i % 2], "a": a} for i, a in MODELS)),
        "'by_1', 'by_2': people's tick boxes of 'by'",
        counts={"by_1": {"0": 30, "1": 30}},
        options="--multiple 'by*'",
    ),
    "an option that only a simulator spells so, and one that it never chooses": Case(
        table("by_tv,by_radio,by_web,a", ((i % 2, i % 3 % 2, 1 - i % 2, a) for i, a in MODELS)),
        ("m.jsonl", lines({"by": [["TV", "Radios"], ["tv"]][i % 2], "a": a} for i, a in MODELS)),
        "taken as proposed (2): p.csv, by_web: question, Radios: radio",
        ("labels.csv: Radios: radio?",),
        {"by_radio": {"0": 40, "1": 20}},
    ),
    "options of lists that nobody offered: own words, and another one": Case(
        table("by,a", zip([*turn(BY, 54), *NOT_OFFERED, *BY], A, strict=True)),
        table("by,a", zip(turn(BY, 60), A, strict=True)),
        "'by': multiple choice, each of its 2 options is a question",
        ("questions.csv: by: By sledge and 1 more: leave out?",),
        {"by: Bus": {"0": 19, "1": 41}},
        "--multiple by",
    ),
    "options of lists that nobody offered, and an option for them": Case(
        table("by,a", zip([*turn(BY, 57), *NOT_OFFERED], A, strict=True)),
        table("by,a", zip(turn([*BY, "Bus;Others"], 60), A, strict=True)),
        "'by': multiple choice, each of its 3 options is a question",
        ("labels.csv: By sledge and 1 more: Others?",),
        {"by: Others": {"0": 57, "1": 3}},
        "--multiple by",
    ),
    **{
        f"a text in lists that means another option, {option}, {scale or 'everywhere'}": Case(
            table("by,a", zip(turn(["Bus;Tram", "Tram;Walk", "Walk;"], 60), OF_TEXTS, strict=True)),
            table("by,a", zip(turn(BY, 60), OF_TEXTS, strict=True)),
            f"'by': multiple choice, each of its {number} options is a question",
            counts={f"by: {option}": {"0": 20, "1": 40}},
            options=f"--multiple by 'labels.csv: {scale}Tram: {option}'",
        )
        for scale, option, number in (("", "Bus", 2), ("by, ", "Bus", 2), ("by, ", "Other", 3))
    },
    "a text in lists that means no answer": Case(
        table("by,a", zip(turn(["Bus;Walk", "Bus", "Not saying;"], 60), OF_TEXTS, strict=True)),
        table("by,a", zip(turn(BY, 60), OF_TEXTS, strict=True)),
        "missing answers, refused: people 40",
        counts={"by: Bus": {"1": 40}},
        options="--multiple by 'labels.csv: Not saying: refused'",
    ),
    "a tick box that is left out, and lists that choose it": Case(
        table("by_tv,by_radio,a", ((i % 2, i % 3 % 2, a) for i, a in MODELS)),
        ("m.jsonl", lines({"by": [["tv", "Radio"], ["TV"]][i % 2], "a": a} for i, a in MODELS)),
        "'by': multiple choice, each of its 1 options is a question",
        counts={"by_radio": {"0": 40, "1": 20}},
        options="'questions.csv: by_tv: leave out'",
    ),
    **{
        f"tick boxes called by a wording, and lists by its name, {what}": Case(
            people,
            (
                "m.jsonl",
                lines({"by": [["Bus", "Walk"], ["Walk"]][i % 2], "a": a} for i, a in MODELS),
            ),
            f"'{LIST}: Bus', '{LIST}: Walk': people's tick boxes of 'by', which simulators answer",
            asked,
            {f"{LIST}: Bus": {"0": 30, "1": 30}, f"{LIST}: Walk": {"0": 40, "1": 20}},
            "--scenarios k.csv",
            more=("k.csv", table("name,question_text,options", OF_BOXES)),
        )
        for what, asked, people in (
            ("in 1 row", (), table(f"{LIST}: Bus,{LIST}: Walk,{LIST}: Other,a", BY_TICKS)),
            (
                "in 2 rows",
                (f"columns.csv: p.csv, {LIST}: Other: ignore?",),
                table(
                    f"Respondent ID,{LIST},,,a", [(",Bus", "Walk", "Other", "Response"), *OF_IDS]
                ),
            ),
        )
    },
    "lists of a simulator that no tick box is called after": Case(
        table("seen_tv,seen_web,a", ((i % 2 or "", i % 3 % 2 or "", a) for i, a in MODELS)),
        ("m.jsonl", lines({"by": [["Bus", "Walk"], ["Walk"]][i % 2], "a": a} for i, a in MODELS)),
        "kind of outcome: ordinal, as the answers are 1, 2, 3, 4, 5",
        ("questions.csv: by: leave out?",),
        options="--scenarios k.csv",
        more=("k.csv", table("name,question_text,options", OF_BOXES)),
    ),
    "codes with spaces between them beside a column for each, and lists of a simulator": Case(
        table("by,by/bus,by/tram,by/walk,a", zip(turn(JOINED, 60), *OF_JOINED, A, strict=True)),
        ("m.jsonl", lines({"by": ["bus", "bus, tram", "tram"][i % 3], "a": a} for i, a in MODELS)),
        "'by': multiple choice, each of its 3 options is a question",
        ("questions.csv: by several: yes?",),
        {"by: bus": {"0": 20, "1": 40}, "by: walk": {"0": 40, "1": 20}},
    ),
    "codes with spaces between them, each of which stands alone, too": Case(
        table("by,a", zip(turn(["bus", "bus tram", "tram", "tram bus"], 60), A, strict=True)),
        table("by,a", zip(turn(["bus", "tram"], 60), A, strict=True)),
        asked=("questions.csv: by several: yes?",),
        counts={"by: bus": {"0": 15, "1": 45}},
    ),
    "boxes whose label for no repeats the option, and none of these beside lists": Case(
        (
            "p.sav",
            in_sav(
                {"Q1r1": turn([0, 1], 60), "Q1r2": turn([1, 1, 0], 60), "Q4": turn([1, 2, 98], 60)},
                ["Bus - Q1: Which?", "Walk - Q1: Which?", "Q4: Most?"],
                variable_value_labels={
                    "Q1r1": {0: "NO TO: Bus", 1: "Bus"},
                    "Q1r2": {0: "NO TO: Walk", 1: "Walk"},
                    "Q4": {1: "Bus", 2: "Walk", 98: "None of these"},
                },
            ),
        ),
        table("Q1,Q4", zip(turn(BY, 60), turn(["Walk", "None of these"], 60), strict=True)),
        "'Q1r1', 'Q1r2': people's tick boxes of 'Q1', which simulators answer by lists",
        ("Decide 1 cell", "labels.csv: None of these: None of these?"),
        {"Q1r1": {"0": 30, "1": 30}, "Q4": dict.fromkeys(["Bus", "Walk", "None of these"], 20)},
        options="--cluster none",
    ),
    "boxes called by their options alone, and lists of which some have one option": Case(
        table("Bus,Walk,a", ((*row[:2], row[3]) for row in BY_TICKS)),
        table("by,a", zip(turn(["Walk", "Bus;Walk", "Walk;Bus"], 60), A, strict=True)),
        asked=("questions.csv: by several: yes?",),
        counts={"Bus": {"0": 30, "1": 30}, "Walk": {"0": 40, "1": 20}},
    ),
    "boxes that a key labels, and lists in an object": Case(
        table("q5r1,q5r2,a", ((i % 2, int(i % 3 == 1), a) for i, a in MODELS)),
        ("m.jsonl", lines({"out": {"q5": BOTH[i % 2], "a": a}} for i, a in MODELS)),
        "'q5r1', 'q5r2': people's tick boxes of 'q5'",
        counts={"q5r1": {"0": 30, "1": 30}},
        options="--multiple out.q5 --scenarios k.csv",
        more=("k.csv", table("question,code,label", OF_KEY)),
    ),
    **{
        f"boxes with a label each, and percentages of options in {runs} runs, {what}": Case(
            (
                "p.sav",
                in_sav(
                    {"Q5_1": turn([1, None], 60), "Q5_2": turn([None, 1, None], 60), "a": A},
                    ["Which? - Bus", "Which? - Walk", None],
                    variable_value_labels={"Q5_1": {1: "Bus"}, "Q5_2": {1: "Walk"}},
                ),
            ),
            table("run,question_id,option,percent", OF_EACH[: 7 * runs]),
            "m: states probabilities for all",
            asked,
            {"a": counted(A)} | ({} if options else {"Q5_1": {"0": 30, "1": 30}}),
            options,
        )
        for runs, what, asked, options in (
            (1, "compared", ("percent: percent?", "Q5 several: yes?"), ""),
            (3, "compared", ("percent: percent?", "Q5 several: yes?", "run: respondent?"), ""),
            (3, "left out", ("run: respondent?",), "'questions.csv: Q5: leave out'"),
        )
    },
    "boxes behind their question, and lists that a simulator calls by a number": Case(
        table("Bus:Which?,Walk:Which?,Agreed?", zip(*OF_TICKS, OF_TEXTS, strict=True)),
        ("m.jsonl", lines({"Q3": BOTH[i % 2], "Q1": text} for i, text in enumerate(OF_TEXTS))),
        "'Which?: Bus', 'Which?: Walk': people's tick boxes of 'Which?', which simulators answer",
        ("questions.csv: Q3: Which?", "questions.csv: Q1: Agreed?"),
        {"Which?: Bus": {"0": 30, "1": 30}, "Which?: Walk": {"0": 40, "1": 20}},
    ),
    "lists of a simulator to what people are not asked": Case(
        table("a", zip(A, strict=True)),
        table("a,by", zip(A, turn(BY, 60), strict=True)),
        "not read in m.csv: by",
        ("Decide 1 cell", "columns.csv: m.csv, by: ignore?"),
    ),
    "the options of a question that is left out": Case(
        table("by,a", zip(turn(["Bus", "Walk"], 60), A, strict=True)),
        table("by,a", zip(turn(["Bus", "Walk"], 60), A, strict=True)),
        "kind of outcome: ordinal, as the answers are 1, 2, 3, 4, 5",
        options="--scenarios k.csv 'questions.csv: by: leave out'",
        more=(
            "k.csv",
            table("scenario,options", [("by", "Bus | Walk"), ("a", "1 | 2 | 3 | 4 | 5")]),
        ),
    ),
    "several options in one cell that no simulator is asked": Case(
        table("by,a", ((f"x;{'yz'[i % 2]}", a) for i, a in MODELS)),
        column("a", A),
        "not read in p.csv: by",
        options="--multiple by",
    ),
    "a run of a simulator": Case(
        PEOPLE,
        table("persona,run,a,b", ((i // 5, i % 5, *r) for i, r in NUMBERED)),
        "not read in m.csv: persona, run",
    ),
    "prompts beside answers that are objects": Case(
        table("a,b", ((i * 5 % 105, 998 if i == 4 else 10 * (i % 11)) for i in range(63))),
        (
            "m.jsonl",
            lines(
                {
                    "model": "m",
                    "question": "ab"[i % 2],
                    "messages": [{"role": "user", "content": "Rate it"}],
                    "response": json.dumps({"rating": 10 * (i % 11), "reason": "so"}),
                }
                for i in range(44)
            ),
        ),
        "kind of outcome: bounded",
        ("labels.csv: 998: missing?",),
        {},
    ),
    "a row of people for each stimulus, whose options a simulator states": Case(
        table("subject,party,headline_id,rated", RATED),
        (
            "m.jsonl",
            lines(
                {
                    "model": "m",
                    "headline_id": name,
                    "prompt": f"How true is {name}?",
                    "probs": dict(zip(WORDS, (0.2, 0.3, 0.5), strict=True)),
                }
                for name in SEEN
            ),
        ),
        "questions: 3",
        ("columns.csv: p.csv, headline_id: question?", "columns.csv: p.csv, rated: answer?"),
        {name: counted(text for *_, seen, text in RATED if seen == name) for name in SEEN},
    ),
    "a code that stands apart, of a column that no simulator answers": Case(
        (
            "p.sav",
            in_sav(
                {"a": A, "school": turn([1, 2, 3, 55], 60), "prob": turn([0.2, 0.3], 60)},
                None,
                variable_value_labels={
                    "school": {1: "Primary", 2: "Secondary", 3: "Tertiary", 55: "Other"}
                },
            ),
        ),
        column("a", A),
        ("not read in p.sav: school, prob", "taken as proposed (1): p.sav, prob: ignore\n"),
        ("Decide 1 cell", "columns.csv: p.sav, prob: ignore?"),
        {"a": counted(A)},
    ),
    "a key of one question's codes, in a file that is called so": Case(
        table("id,A", ((i, 1 + i % 3) for i in range(60))),
        table("simulator,scenario,value", (("m", "A", WORDS[i * i % 3]) for i in range(30))),
        "a.csv: a key of 1 questions' options",
        counts={"A": dict.fromkeys(WORDS, 20)},
        options="a.csv",
        more=("a.csv", table("a,descrip", enumerate(WORDS, 1))),
    ),
    "a key of the letters that a simulator answers": Case(
        AGREED,
        table("simulator,scenario,value", (("m", "a", "ABC"[i * i % 3]) for i in range(30))),
        "key.csv: a key of 1 questions' options",
        counts=AGREE,
        options="key.csv",
        more=("key.csv", table("question,letter,label", zip("aaa", "ABC", WORDS, strict=True))),
    ),
    **{
        f"a key of codes beside shares that simulators state in {form}": Case(
            table("id,q1,q2", ((i, code, code) for i, code in enumerate([*(1, 2, 3) * 20, -1]))),
            table(
                f"model,variable,{columns}",
                (
                    (model, name, *row)
                    for model in "mn"
                    for name in QUESTIONS
                    for row in rows(model, name)
                ),
            ),
            ("key.csv: a key of 2 questions' options", told),
            ("labels.csv: Inapplicable: not asked?",),
            dict.fromkeys(QUESTIONS, dict.fromkeys(WORDS, 20)),
            options="key.csv",
            more=(
                "key.csv",
                table(
                    "variable,question,code,label",
                    ((name, "Is it?", *pair) for name in QUESTIONS for pair in MEANT),
                ),
            ),
        )
        for form, columns, rows, told in (
            ("rows", "label,percent", lambda *_: zip(WORDS, (20, 30, 50), strict=True), ORDERED),
            (
                "objects",
                "stated",
                lambda *which: [("" if which == ("n", "q2") else STATEMENT,)],
                "missing answers: n 1",
            ),
        )
    },
    "tables of pandas that were put together": Case(
        PEOPLE,
        table(",model,a,b", ((i, model, *r) for model in "mn" for i, r in NUMBERED[:30])),
        "m.csv: its first column numbers the rows and is not read",
    ),
    "answers in an object of each row of Parquet, beside times": Case(
        PEOPLE,
        (
            "m.parquet",
            in_parquet(
                {
                    "created_at": pd.Timestamp("2026-01-01") + pd.Timedelta(i, "min"),
                    "prompt_tokens": 300 + i,
                    "answers": {"a": a, "b": b},
                }
                for i, (a, b) in NUMBERED
            ),
        ),
        "m.parquet: the columns answers.* are its questions",
    ),
    "amounts in dollars": Case(
        table(
            "worker_id,wtp_milk,wtp_house",
            (
                (f"A{i}F{i * i}", f"${2 + i % 31}.50", f'"${1 + i % 9},{100 + i}.00"')
                for i in range(60)
            ),
        ),
        table("wtp_milk,wtp_house", ((f"${3 + i % 9}.00", f'"$1,{200 + i}"') for i in range(40))),
        "p.csv: numbers in 'wtp_milk', 'wtp_house' are amounts in $",
        counts={
            "wtp_house": {f"{1000 * (1 + i % 9) + 100 + i:g}": 1 for i in range(60)},
            "wtp_milk": counted(f"{2.5 + i % 31:g}" for i in range(60)),
        },
        options="--kind real",
    ),
    "a message batch, and the numbers of questions": Case(
        table("Q1. How good is it?,Q2: How dear is it?", WIDE),
        (
            "m.jsonl",
            lines(
                {"custom_id": f"persona-00{i}_Q{q}", "result": SAID if i else FAILED}
                for i in range(9)
                for q in (1, 2)
            ),
        ),
        "missing answers, failed: m 2",
        counts={"Q1. How good is it?": counted(A)},
    ),
    "how many people gave each option, and a batch whose texts answer all questions": Case(
        table("question,option,n", TOPLINE),
        (
            "m.jsonl",
            lines(
                {"key": f"persona-0{i}_r1", "response": of_gemini(f"```json\n{text}\n```")}
                for i, text in enumerate(
                    [
                        *(
                            json.dumps({"a": WORDS[i % 3], "b": "Cat" if i > 2 else "Dog"})
                            for i in A
                        ),
                        json.dumps({"a": None, "b": "Eel"}),
                        '{"a": "Agree"',
                    ]
                )
            ),
        ),
        (
            "how many gave it in 'n'",
            "'value' has an object with answers to 'a', 'b'; without one, and unparsable: 1 of 62",
            "missing answers: people 14, gemini-2.5-pro 1",
            "missing answers, unparsable: gemini-2.5-pro 3",
        ),
        ("labels.csv: No answer: missing?", "labels.csv: Eel: unparsable?"),
        {"a": {"Agree": 30, "Neither": 20, "Disagree": 9}, "b": {"Cat": 31, "Dog": 22}},
    ),
    "people who answer several questions in rows, by a name that is none of persons": Case(
        table(
            "befragten_id,item,response",
            ((f"P{i}", q, WORDS[(i + j) % 3]) for i in range(30) for j, q in enumerate("abc")),
        ),
        table("model,item,response", (("m", "abc"[i % 3], WORDS[i % 3]) for i in range(60))),
        "same people in several questions: yes",
        ("columns.csv: p.csv, befragten_id: respondent?",),
        {"a": dict.fromkeys(WORDS, 10)},
    ),
    "several models' answers in two files": Case(
        PEOPLE,
        table("model,a,b", ((model, *row) for row in WIDE for model in "mn")),
        "simulator n: answers all 2 questions, 100 times each",
        ("columns.csv: m.csv, model: simulator?",),
        options="k.csv",
        more=("k.csv", table("model,a,b", ((model, *row) for row in WIDE[:40] for model in "mn"))),
    ),
    "a batch of AWS with ids that fill up people's numbers, and a failed request": Case(
        table("Response ID,a,b", ((i + 3, *row) for i, row in NUMBERED)),
        (
            "m.jsonl.out",
            lines(
                {
                    "modelInput": {"messages": []},
                    "recordId": f"RESP{i + 3:06}",
                    **(
                        {"modelOutput": {**MESSAGE, "model": "haiku", "content": [{"text": text}]}}
                        if i
                        else {"error": {"errorCode": 500}}
                    ),
                }
                for i, text in enumerate(IN_OBJECTS)
            ),
        ),
        (
            "what its ids are made of: --custom-id 'RESP0{Response ID}'",
            "missing answers, failed: haiku 2",
            "simulator haiku: answers all 2 questions, 29 times each",
        ),
    ),
    "personas within models, with telephone numbers": Case(
        table("urn,a,b", ((f"+23480{i:08}", *row) for i, row in NUMBERED)),
        (
            "m.json",
            json.dumps(
                {
                    model: {
                        f"persona_{i}": {"answers": dict(zip("ab", r, strict=True))}
                        for i, r in NUMBERED
                    }
                    for model in ("gpt-4", "gpt-4 with story")
                }
            ),
        ),
        ("answers.* are its questions", "gpt-4 with story: answers all 2 questions, 60 times"),
        counts={"a": counted(row[0] for row in WIDE)},
    ),
    "rows that both files number, and answers in objects of any column": Case(
        table("Row,a,b", ((i + 1, *row) for i, row in NUMBERED[:30])),
        table("Row,\u7ed3\u679c", ((i, quoted(text)) for i, text in enumerate(IN_OBJECTS, 1))),
        "'\u7ed3\u679c' has an object with answers to 'a', 'b'",
        ("columns.csv: p.csv, Row and 1 more: ignore?",),
        {"a": counted(A[:30])},
    ),
    "lists of options that were skipped, in Chinese": Case(
        table(
            "a,b",
            (
                (OFTEN[i % 3], "(\u8df3\u8fc7)" if i % 3 == 0 else "x\u250by" if i % 2 else "y")
                for i in range(60)
            ),
        ),
        table("model,a,b", (("m", OFTEN[i % 3], "x\u250by" if i % 2 else "x") for i in range(60))),
        "from \u4ece\u4e0d to \u6bcf\u5929",
        ("questions.csv: b several: yes?", "labels.csv: (\u8df3\u8fc7): not asked?"),
        {"a": dict.fromkeys(OFTEN, 20)},
    ),
    "a batch of Gemini, with its requests, a thought and a filtered answer": Case(
        table("a_1,b_1", zip(OF_TEXTS, OF_TEXTS, strict=True)),
        (
            "m.jsonl",
            lines(
                {"key": f"p{i}_{name}", "request": {"contents": [PROMPT]}, "response": response}
                for name in ("a_1", "b_1")
                for i, response in enumerate([BLOCKED, FILTERED, *map(of_gemini, OF_TEXTS)])
            ),
        ),
        ("what its ids are made of: --custom-id", "missing answers, refused: gemini-2.5-pro 4"),
        counts={"a_1": dict.fromkeys(WORDS, 20)},
    ),
    "completions whose structured output stands beside no text": Case(
        column("a", OF_TEXTS),
        (
            "m.jsonl",
            lines(
                {
                    "question": "a",
                    "model": "m",
                    "choices": [{"message": {"content": None, "parsed": {"answer": text}}}],
                }
                for text in OF_TEXTS
            ),
        ),
        "simulator m: answers all 1 questions",
        counts=AGREE,
    ),
    "sentences of a simulator, which are no lists of options": Case(
        AGREED, table("a,why", REASONED), "not compared: 'why' (sentences", counts=AGREE
    ),
    "an end of a scale that two people give": Case(
        column("a", [*STEPS, "Too cheap", "Too cheap"]),
        column("a", turn(["Fine", "Dear"], 60)),
        asked=("2 of 602 answers to 'a'", "Too cheap: Too cheap?"),
        counts={"a": counted([*STEPS, "Too cheap", "Too cheap"])},
    ),
    "a question that everybody's code leaves without an answer": Case(
        table("a,b", ((a, "void") for a in A)), MODEL, "'b'", options="--missing void"
    ),
    "outcomes and forecasts, one of an event that was annulled": Case(
        OUTCOMES,
        table("scenario,simulator,probability", FORECASTS),
        "'e12'",
        counts=HAPPENED,
        options="--levels 'no | yes' --missing void",
    ),
    "runs of forecasts that the crowd has none of, and events without an outcome": Case(
        OUTCOMES.replace("void", "n/a"),
        table(
            "scenario,simulator,run,probability",
            [
                (name, who, run, p)
                for name, _, p in FORECASTS
                for who, run in (("m", 1), ("m", 2), ("crowd", ""))
            ],
        ),
        ("simulator m: states probabilities for all", "simulator crowd: states"),
        ("columns.csv: m.csv, run: respondent?", "labels.csv: n/a: missing?"),
        counts=HAPPENED,
    ),
    "shares of numbers up to 100": Case(
        column("a", [0, 100, *turn(range(0, 100, 7), 40)]),
        column("a", (i / 20 for i in range(1, 20))),
        "are they in another unit, such as shares beside percent?",
        counts={},
        options="--kind bounded --bounds 0 100",
    ),
    "codes that no simulator gives": Case(
        column("a", turn([1, 2, 3, 4, 5, 6, 7], 70)),
        column("a", turn([1, 2, 3, 4, 5], 40)),
        "no simulator gives the answers '6', '7'",
        counts={"a": {str(step): 10 for step in range(1, 8)}},
    ),
    "groups that a simulator spells otherwise, and steps from 1 beside others from 0": Case(
        table("arm,a,b", zip(turn(["control", "social_proof"], 220), *FROM_1_OR_0, strict=True)),
        table("arm,a,b", zip(turn(["Control", "Social proof"], 220), *FROM_1_OR_0, strict=True)),
        ("'Social proof' is 'social_proof'", "options: 1, 2, 3, 4, 5, 6 and 1 more (2 of"),
        counts={},
        options="--groups arm",
    ),
    "groups whose names have a bar": Case(
        table("cell,a", IN_PLACES),
        table("simulator,cell,a", (("m", *row) for row in IN_PLACES)),
        "scenarios: 2",
        counts={
            f"a | {place}": counted(text for at, text in IN_PLACES if at == cell)
            for cell, place in zip(PLACES, ("Europe \u00a6 Urban", "Asia\u00a6Rural"), strict=True)
        },
        options="--groups cell",
    ),
    "a title above and a source below, semicolons, and UTF-16": Case(
        ("Wave 3 of adults;\n" + PEOPLE.replace(",", ";") + "\nSource: Ipsos\n").encode("utf-16"),
        MODEL,
        (
            "what is above is not read",
            "below its rows, not read",
            "are separated by",
            "its text is",
        ),
    ),
    "facts that no simulator has, and a model that is named in its file": Case(
        table("age,fecha,a,b", ((20 + i, f"{i % 27 + 1:02}/03/2024", *r) for i, r in NUMBERED)),
        table("llm,a,b", (("gemini", *r) for r in WIDE)),
        ("not compared", "its column of those who answer", "simulator gemini:"),
    ),
    "percentages in a column of counts": Case(
        table("scenario,value,count", SHARES),
        column("a", OF_TEXTS),
        counts=OF_SHARES,
        way="'columns.csv: count: percent' --base 500",
    ),
    "a file of questions with one that nobody answers": Case(
        PEOPLE,
        MODEL,
        "'c'",
        options="--scenarios book.csv",
        more=("book.csv", table("scenario,question", (("a", "A?"), ("c", "C?"), ("b", "B?")))),
    ),
    "labels with the numbers of options": Case(
        column("a", A),
        column("a", turn(["1 - low", 2, 3, 4, "5 - high"], 30)),
        way="'labels.csv: 1 - low: 1' 'labels.csv: 5 - high: 5'",
    ),
    "ranges that a spreadsheet took for dates": Case(
        column("a", turn(["1-2", "3-5", "6+"], 60)),
        column("a", turn(["02-Jan", "05-Mar", "6+"], 30)),
        counts={"a": {"1-2": 20, "3-5": 20, "6+": 20}},
        way="'labels.csv: 02-Jan: 1-2' 'labels.csv: 05-Mar: 3-5'",
    ),
    "a code for boxes that are not ticked": Case(
        table("by_tv,by_radio", ((i % 2, i % 3 % 2) for i in range(60))).replace("0", "-99"),
        table("by_tv,by_radio", ((i % 2, i % 3 % 2) for i in range(60))),
        counts={"by_tv": {"0": 30, "1": 30}, "by_radio": {"0": 40, "1": 20}},
        way="'labels.csv: -99: 0'",
    ),
    "a text and a number that mean another one": Case(
        column("a", ["ja" if a == 2 else a for a in A]),
        column("a", A),
        counts={"a": {"1": 12, "2": 24, "4": 12, "5": 12}},
        options="'labels.csv: 3: 2' 'labels.csv: ja: 2' --kind categorical",
    ),
    "points between thousands beside another column's decimal commas": Case(
        table("scenario;value;count;delta", SOME_THOUSANDS, ";"),
        table("scenario,simulator,value", ((f"q{i}", "m", "ja") for i in range(20))),
        counts={f"q{i}": {"ja": 1230 + i, "nein": 987} for i in range(20)},
    ),
    "texts in place of Other, which models choose": Case(
        column("a", ["Price", "Taste"] * 150 + ["It was a gift", "Mum said so"]),
        column("a", ["Price", "Taste"] * 99 + ["Other"]),
        asked=("and 2 more: Other?",),
        counts={"a": {"Price": 150, "Taste": 150, "Other": 2}},
    ),
    "codes of labels beside a refusal": Case(
        ("p.sav", in_sav({"a": A, "b": B}, ["A?", "B?"], variable_value_labels={"a": OF_FIVE})),
        (
            "m.jsonl",
            lines(
                {"simulator": "m", "scenario": "a", "value": value}
                for value in [*SCALE * 6, "I'm sorry, but as an AI I can't answer that."]
            ),
        ),
        asked=("can't answer that.: ",),
        counts={"a": counted(OF_FIVE[step] for step in A)},
        options="--questions a",
    ),
    "what a tool extracts of agents, in one object beside an empty one": Case(
        PEOPLE,
        (
            "m.json",
            json.dumps(
                {"agents": {f"Ann {i}": {"a": a, "b": b} for i, (a, b) in NUMBERED}, "world": {}}
            ),
        ),
    ),
}


def read():
    """Return how often people gave each answer to each question; stated shares sum to one."""
    study = study_of(Path("s.yaml"))
    (name,) = study.datasets
    ingested = responses(step(study, INGEST, name))
    stated = ingested.stated.groupby(["scenario", "source"], observed=True)["probability"]
    assert stated.sum().round(9).isin([1.0]).all()
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


def write(content, name):
    """Write a file, of its own name if it has one; return its name in a list."""
    if content is None or content == ():
        return []
    name, content = content if isinstance(content, tuple) else (name, content)
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [name]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_asked_of_a_kind_of_file_and_what_is_counted(here, capsys, name):
    case = CASES[name]
    files = [*write(case.people, "p.csv"), *write(case.simulated, "m.csv")]
    write(case.more, "")
    command = [*files, *shlex.split(case.options), "--out", "s.yaml"]
    if case.way:
        assert start_with(command) in (1, UNDECIDED)
        offered = capsys.readouterr().err
        first = shlex.split(case.way)[0]
        is_cell = CELL.fullmatch(first)
        assert (first.partition(": ")[2] if is_cell else case.way.partition(" --")[0]) in offered
        command += shlex.split(case.way)
    assert start_with(command) == (UNDECIDED if case.asked else 0)
    first = capsys.readouterr()
    assert all(cell in first.err for cell in case.asked)
    if case.asked:
        assert start_with([*command, "--accept"]) == 0
    said = first.out + first.err + capsys.readouterr().out
    told = (case.told,) if isinstance(case.told, str) else case.told
    assert all(text in said for text in told), said
    given = read()
    counts = {"a": counted(A)} if case.counts is None else case.counts
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


LONG = "simulator,scenario,value"


@pytest.mark.slow
def test_a_sheet_beside_peoples_is_a_key_of_their_codes(here, capsys):
    codes = {"a": {**dict(enumerate(WORDS, 1)), -8: "Don't know"}, "sex": {1: "m", 2: "f"}}
    key = [(name, f"{name}?", code, text) for name in codes for code, text in codes[name].items()]
    given = [(i, 1 + i % 2, -8 if i == 7 else 1 + i % 3) for i in range(60)]
    sheets = {
        "Data": pd.DataFrame(given, columns=["id", "sex", "a"]),
        "Codebook": pd.DataFrame(key, columns=["Variable", "Question text", "Code", "Label"]),
    }
    with pd.ExcelWriter("p.xlsx") as book:
        for name, content in sheets.items():
            content.to_excel(book, sheet_name=name, index=False)
    write(table(LONG, (("m", "a", text) for text in OF_TEXTS)), "m.csv")
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
    labels = {**dict(enumerate(WORDS, 1)), 8: "Don't know", 9: "No answer"}
    given = pd.DataFrame({"a": [float(1 + i % 3) if i else 8.0 for i in range(60)]})
    ranges = {"a": [{"lo": 8, "hi": 9}]}
    variables = {"variable_value_labels": {"a": labels}, "missing_ranges": ranges}
    pyreadstat.write_sav(given, "p.sav", **variables)
    write(table(LONG, (("m", "a", {1: 9, 2: 8}.get(i, 1 + i % 3)) for i in range(30))), "m.csv")
    assert main(["start", "p.sav", "m.csv", "--out", "s.yaml"]) == 0
    said = capsys.readouterr().out
    assert "'8' (Don't know), '9' (No answer) is no answer, as in p.sav" in said
    assert "missing answers, undecided: people 1, m 1" in said
    assert read()["a"] == {"Agree": 19, "Neither": 20, "Disagree": 20}


def test_files_without_a_common_question_are_refused_at_once(here, capsys):
    write(table("taste,price", WIDE), "p.csv")
    write(table("vote,party", WIDE), "m.csv")
    assert main(["start", "p.csv", "m.csv", "--out", "s.yaml"]) == 1
    told = capsys.readouterr().err
    assert "people were asked 'taste', 'price', and they answer 'party', 'vote'" in told
    assert "Decide " not in told


@pytest.mark.slow
def test_what_is_proposed_for_files_that_name_columns_otherwise_is_read(here, capsys):
    rows = [(i, question, WORDS[(i + j) % 3]) for i in range(30) for j, question in enumerate("ab")]
    write(table("respondent_id,item,response", rows), "p.csv")
    for model in "mn":
        write(table("persona_id,question_id,parsed_answer", rows), f"{model}.csv")
    command = ["start", "p.csv", "m.csv", "n.csv", "--out", "s.yaml"]
    assert main(command) == UNDECIDED
    assert "question_id: question?" in capsys.readouterr().err
    assert main([*command, "--accept"]) == 0
    assert "answers all 2 questions, 30 times each" in capsys.readouterr().out
    assert read() == {name: dict.fromkeys(WORDS, 10) for name in "ab"}
