"""Studies in every form that people export, each with a random change; pandas says what is true.

``study(number, seed)`` draws answers, changes some of them, writes them in a form for people and
one for simulators, and changes how the files are spelled. Truth is counted by pandas from the
answers as they were written.
"""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

SCALES = [
    ["Strongly disagree", "Disagree", "Agree", "Strongly agree"],
    ["Yes", "No", "Not sure"],
    ["1", "2", "3", "4", "5"],
    ["nie", "selten", "oft"],
    ["\u00e0 pied", "en v\u00e9lo", "en train"],
    ["red, or pink", "blue", 'so-called "green"'],
]
MODELS = ["gpt-4o", "llama-3.1-8b", "claude"]
Truth = dict[tuple[str, str], dict[str, float]]
Rows = list[list[str]]


@dataclass
class Export:
    """Files of a study, and what is true.

    Attributes:
        what: the forms and changes, in words.
        files: their content by name.
        arguments: what the user types behind ``start``.
        truth: how often each source gives each answer to each question, or its probability.
        is_sound: whether nothing is wrong with the files, so that they must be read.
    """

    what: str
    files: dict[str, bytes]
    arguments: list[str]
    truth: Truth
    is_sound: bool = True


@dataclass
class Draw:
    """Answers, a row for each person or run; the columns are questions."""

    generator: np.random.Generator
    people: pd.DataFrame
    models: dict[str, pd.DataFrame]
    stated: bool = False


def drawn(generator: np.random.Generator) -> Draw:
    """Return answers to some questions that have one scale."""
    scale = SCALES[generator.integers(len(SCALES))]
    names = [f"{generator.choice(['Q', 'item', 'v'])}{j}" for j in range(generator.integers(2, 6))]
    shares = generator.dirichlet([2.0] * len(scale), len(names))

    def sample(size: int, missing: float) -> pd.DataFrame:
        columns = {
            name: generator.choice(scale, size, p=p) for name, p in zip(names, shares, strict=True)
        }
        frame = pd.DataFrame(columns)
        return frame.mask(generator.random(frame.shape) < missing, "")

    models = generator.choice(MODELS, generator.integers(1, 4), replace=False)
    people = sample(generator.integers(30, 90), 0.05)
    return Draw(generator, people, {str(m): sample(generator.integers(25, 50), 0) for m in models})


def counted(draw: Draw) -> Truth:
    """Count the answers."""
    truth: Truth = {}
    for source, frame in (("human", draw.people), *draw.models.items()):
        for name in frame:
            counts = frame[name].str.strip().replace("", np.nan).dropna().value_counts()
            total = counts.sum() if draw.stated and source != "human" else 1.0
            truth[(name, source)] = {str(label): n / total for label, n in counts.items()}
    return truth


# ---------------------------------------------------------------------- changes of the answers


def _cell(draw: Draw, text: Callable[[str], str]) -> str:
    frames = [draw.people, *draw.models.values()]
    frame = frames[draw.generator.integers(len(frames))]
    row, column = (int(draw.generator.integers(size)) for size in frame.shape)
    frame.iat[row, column] = text(str(frame.iat[row, column]))
    return str(frame.iat[row, column])


def _column(draw: Draw) -> None:
    draw.people[draw.people.columns[0]] = ""


def _again(draw: Draw) -> None:
    draw.people = pd.concat([draw.people, draw.people.iloc[:3]], ignore_index=True)


CHANGES: dict[str, Callable[[Draw], object]] = {
    "nothing": lambda draw: None,
    "a typing error": lambda draw: _cell(draw, lambda text: f"{text}x"),
    "another case": lambda draw: _cell(draw, lambda text: text.swapcase()),
    "a code": lambda draw: _cell(draw, lambda text: "99"),
    "a negative code": lambda draw: _cell(draw, lambda text: "-9"),
    "not applicable": lambda draw: _cell(draw, lambda text: "N/A"),
    "a test": lambda draw: _cell(draw, lambda text: "test"),
    "an empty cell": lambda draw: _cell(draw, lambda text: ""),
    "white space": lambda draw: _cell(draw, lambda text: f" {text} "),
    "don't know": lambda draw: _cell(draw, lambda text: "Don't know"),
    "a sentence": lambda draw: _cell(draw, lambda text: f"I would say: {text}.\nReally."),
    "a question without answers": _column,
    "people twice": _again,
}


# ------------------------------------------------------------------------------------- forms


def rows_of(frame: pd.DataFrame) -> Rows:
    return [list(map(str, frame.columns)), *frame.astype(str).to_numpy().tolist()]


def _facts(size: int, **facts: object) -> pd.DataFrame:
    return pd.DataFrame({name: [value] * size for name, value in facts.items()})


def plain(draw: Draw) -> tuple[Rows, int]:
    """Return a column for each question."""
    return rows_of(draw.people), 1


def qualtrics(draw: Draw) -> tuple[Rows, int]:
    people, size = draw.people, len(draw.people)
    facts = _facts(size, StartDate="2025-01-01 10:00", Finished="True", IPAddress="192.0.2.1")
    facts.insert(2, "ResponseId", [f"R_{i:03}" for i in range(size)])
    facts.loc[:1, "Finished"] = "False"
    frame = pd.concat([facts, people], axis=1)
    wording = [*facts.columns, *(f"What of {name}?" for name in people)]
    ids = [*(f'{{"ImportId":"{n[:1].lower()}{n[1:]}"}}' for n in facts)]
    ids += [f'{{"ImportId":"QID{j}"}}' for j, _ in enumerate(people)]
    draw.people = people.iloc[2:]
    head, *rest = rows_of(frame)
    return [head, wording, ids, *rest], 3


def google_forms(draw: Draw) -> tuple[Rows, int]:
    stamps = _facts(len(draw.people), Timestamp="1/2/2025 10:11:12", Email="a@example.org")
    stamps = stamps.rename(columns={"Email": "Email Address"})
    return rows_of(pd.concat([stamps, draw.people], axis=1)), 1


def limesurvey(draw: Draw) -> tuple[Rows, int]:
    size = len(draw.people)
    facts = _facts(size, submitdate="2025-01-02 10:00:00", lastpage=4, startlanguage="en", seed=7)
    facts.insert(0, "id", range(1, size + 1))
    facts.loc[:1, "submitdate"] = ""
    frame = pd.concat([facts, draw.people], axis=1)
    draw.people = draw.people.iloc[2:]
    return rows_of(frame), 1


def surveymonkey(draw: Draw) -> tuple[Rows, int]:
    facts = _facts(len(draw.people), **{"Collector ID": 5, "IP Address": "192.0.2.1"})
    facts.insert(0, "Respondent ID", range(100, 100 + len(draw.people)))
    head, *rest = rows_of(pd.concat([facts, draw.people], axis=1))
    return [head, ["", "", "", *["Response"] * len(draw.people.columns)], *rest], 2


def numbered(draw: Draw) -> tuple[Rows, int]:
    """Return rows with the numbers that pandas writes."""
    return rows_of(draw.people.reset_index().rename(columns={"index": ""})), 1


def long(draw: Draw) -> tuple[Rows, int]:
    frame = draw.people.melt(var_name="scenario")
    return rows_of(
        frame.assign(respondent=[*range(len(draw.people))] * len(draw.people.columns))
    ), 1


def counts(draw: Draw) -> tuple[Rows, int]:
    given = draw.people.melt(var_name="scenario").query("value != ''")
    given = given.assign(value=given["value"].str.strip())
    return rows_of(given.groupby(["scenario", "value"]).size().reset_index(name="count")), 1


def percentages(draw: Draw) -> tuple[Rows, int]:
    """Return a pollster's table of percentages with the number of people."""
    table = _table(draw.people)
    base = table.sum(axis=1)
    shares = table.div(base, axis=0).mul(100).round(9).astype(str)
    return rows_of(shares.assign(n=base.astype(int)).reset_index(names="question")), 1


def _table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the number of each answer to each question."""
    given = frame.melt(var_name="question").query("value != ''")
    return pd.crosstab(given["question"], given["value"].str.strip())


PEOPLE = [
    percentages,
    plain,
    qualtrics,
    google_forms,
    limesurvey,
    surveymonkey,
    numbered,
    long,
    counts,
]


def _joined(draw: Draw, column: str = "simulator") -> pd.DataFrame:
    return pd.concat([f.assign(**{column: name}) for name, f in draw.models.items()])


def models_wide(draw: Draw) -> Rows:
    return rows_of(_joined(draw))


def models_long(draw: Draw) -> Rows:
    return rows_of(_joined(draw).melt(id_vars="simulator", var_name="scenario"))


def models_counts(draw: Draw) -> Rows:
    given = _joined(draw).melt(id_vars="simulator", var_name="scenario").query("value != ''")
    given = given.assign(value=given["value"].str.strip())
    keys = ["scenario", "simulator", "value"]
    return rows_of(given.groupby(keys).size().reset_index(name="count"))


def edsl(draw: Draw) -> Rows:
    frame = _joined(draw, "model.model").reset_index(names="agent.agent_index")
    names = {name: f"answer.{name}" for name in draw.people}
    frame = frame.rename(columns=names).assign(**{"iteration.iteration": 0})
    return rows_of(frame.assign(**{f"comment.{name}_comment": "So, yes" for name in names}))


def stated(draw: Draw) -> Rows:
    """Return probabilities of options, as they follow from the answers."""
    tables = {name: _table(frame) for name, frame in draw.models.items()}
    shares = [t.div(t.sum(axis=1), axis=0).stack() for t in tables.values()]
    frame = pd.concat(shares, keys=tables, names=["simulator", "scenario", "value"])
    draw.stated = True
    return rows_of(frame.rename("probability").reset_index())


SIMULATORS = [stated, models_wide, models_long, models_counts, edsl]


# -------------------------------------------------------------------------- spelling of files


def text_of(rows: Rows, **how) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", **how).writerows(rows)
    return out.getvalue()


SPELLINGS: dict[str, Callable[[Rows], bytes]] = {
    "plain": lambda rows: text_of(rows).encode(),
    "a byte order mark": lambda rows: text_of(rows).encode("utf-8-sig"),
    "Windows lines": lambda rows: text_of(rows).replace("\n", "\r\n").encode(),
    "quotes everywhere": lambda rows: text_of(rows, quoting=csv.QUOTE_ALL).encode(),
    "no last line end": lambda rows: text_of(rows).rstrip("\n").encode(),
    "a semicolon": lambda rows: text_of(rows, delimiter=";").encode(),
    "Latin 1": lambda rows: text_of(rows).encode("latin-1", "replace"),
    "a cut line": lambda rows: text_of(rows, quoting=csv.QUOTE_ALL)[:-2].encode(),
    "an empty line": lambda rows: (text_of(rows) + "\n").encode(),
    "a short row": lambda rows: text_of([*rows[:-1], rows[-1][:-1]]).encode(),
    "a long row": lambda rows: text_of([*rows[:-1], [*rows[-1], "x"]]).encode(),
    "an empty column": lambda rows: text_of([[*row, ""] for row in rows]).encode(),
    "a name twice": lambda rows: text_of([[*row, row[-1]] for row in rows]).encode(),
}
SOUND = {"plain", "a byte order mark", "Windows lines", "quotes everywhere", "no last line end"}
SOUND_CHANGES = {"nothing", "an empty cell", "white space"}


def study(number: int, seed: int) -> Export:
    """Return one study in random forms with random changes."""
    generator = np.random.default_rng([seed, number])
    special = generator.integers(12)
    if special < 4:
        return [metaculus, forecastbench, boxes, cells][special](generator)
    draw = drawn(generator)
    change = generator.choice(list(CHANGES)) if generator.random() < 0.6 else "nothing"
    CHANGES[change](draw)
    people, simulators = (forms[generator.integers(len(forms))] for forms in (PEOPLE, SIMULATORS))
    rows, _ = people(draw)
    theirs = simulators(draw)
    one, two = (
        generator.choice(list(SPELLINGS)) if generator.random() < 0.3 else "plain" for _ in range(2)
    )
    what = f"{people.__name__} ({one}), {simulators.__name__} ({two}), {change}"
    files = {"people.csv": SPELLINGS[one](rows), "models.csv": SPELLINGS[two](theirs)}
    is_sound = {one, two} <= SOUND and change in SOUND_CHANGES
    if people is plain and simulators is models_wide and one == "plain":
        both = pd.concat([draw.people.assign(source="human"), _joined(draw, "source")])
        files, what = {"both.csv": SPELLINGS[two](rows_of(both))}, f"one file ({two}), {change}"
    return Export(what, files, [*files], counted(draw), is_sound)


def boxes(generator: np.random.Generator) -> Export:
    """Return tick boxes of people and models, beside another question.

    Their names have something in common, or come twice, or only the models' "no" tells them.
    """
    mark, options = generator.choice(["1", "x", "Yes"]), generator.integers(2, 6)
    names, style = [f"media_{i}" for i in range(options)], generator.choice([*"abc"])
    if style == "b":
        names += [f"{name}.1" for name in names]
    elif style == "c":
        names = ["car", "bike", "tram", "foot", "ship"][:options]
    no = {"1": "0", "x": "no", "Yes": "No"}[mark] if style == "c" else ""
    truth: Truth = {}

    def frame(source: str, size: int) -> pd.DataFrame:
        ticks = pd.DataFrame(generator.random((size, len(names))) < 0.4, columns=names)
        ticks.iloc[0] = True
        for name in names:
            ones = float(ticks[name].sum())
            truth[(name, source)] = {"1": ones, "0": size - ones}
        texts = ticks.astype(object).where(ticks, "" if source == "human" else no)
        texts = texts.replace(True, mark)
        other = generator.choice(["a", "b", "c"], size)
        labels, numbers = np.unique(other, return_counts=True)
        truth[("other", source)] = dict(zip(labels.tolist(), numbers.astype(float), strict=True))
        return texts.assign(other=other)

    files = {
        "people.csv": text_of(rows_of(frame("human", 60))).encode(),
        "models.csv": text_of(rows_of(frame("m", 40).assign(simulator="m"))).encode(),
    }
    return Export(f"tick boxes, {mark!r}", files, [*files], truth)


def cells(generator: np.random.Generator) -> Export:
    """Return several options in one cell, with one of the usual signs or as a list."""
    options = ["bus", "train", "car", "bike"][: generator.integers(2, 5)]
    joins = [";".join, ", ".join, "|".join, json.dumps, str]
    truth: Truth = {}

    def frame(source: str, size: int) -> pd.DataFrame:
        chosen = generator.random((size, len(options))) < 0.5
        chosen[~chosen.any(axis=1), 0] = True
        for option, ticks in zip(options, chosen.T, strict=True):
            ones = float(ticks.sum())
            truth[(f"how: {option}", source)] = {"1": ones, "0": size - ones}
        join = joins[generator.integers(len(joins))]
        texts = [join([o for o, c in zip(options, row, strict=True) if c]) for row in chosen]
        return pd.DataFrame({"how": texts})

    files = {
        "people.csv": text_of(rows_of(frame("human", 60))).encode(),
        "models.csv": text_of(rows_of(frame("m", 40).assign(simulator="m"))).encode(),
    }
    return Export("several in a cell", files, [*files, "--multiple", "how"], truth)


def metaculus(generator: np.random.Generator) -> Export:
    """Return questions of which some are open, and several forecasts of each."""
    truth: Truth = {}
    asked, rows = [], []
    for number in range(100, 100 + generator.integers(10, 30)):
        kind = generator.choice(["binary", "numeric"], p=[0.8, 0.2])
        resolution = generator.choice(["yes", "no", "annulled", ""], p=[0.4, 0.4, 0.1, 0.1])
        asked.append([str(number), "Will it, or not?", kind, resolution])
        known = kind == "binary" and resolution in ("yes", "no")
        if known:
            truth[(str(number), "human")] = {"1" if resolution == "yes" else "0": 1.0}
        for name in ("unweighted", "a bot"):
            for day in range(1, 4):
                p = round(float(generator.random()), 4)
                last = f"{p:g}" if kind == "binary" else ""
                rows.append([str(number), name, f"2025-01-{day:02} 09:00:00+00:00", last])
            if known:
                truth[(str(number), name)] = {"1": p, "0": 1 - p}
    generator.shuffle(rows)
    head = ["Question ID", "Forecaster Username", "Start Time", "Probability Yes"]
    columns = ["Question ID", "Question Title", "Question Type", "Resolution"]
    files = {
        "question_data.csv": text_of([columns, *asked]).encode(),
        "forecast_data.csv": text_of([head, *rows]).encode(),
    }
    return Export("metaculus", files, [*files], truth)


def forecastbench(generator: np.random.Generator) -> Export:
    """Return resolutions, some of them not known, and the forecasts of a model."""
    truth: Truth = {}
    resolved, forecasts = [], []
    for number in range(generator.integers(8, 25)):
        source = generator.choice(["fred", "manifold", "acled", "polymarket"])
        dates = ["2025-12-28", "2026-01-20"] if source in ("fred", "acled") else ["2026-03-01"]
        for date in dates:
            value = float(generator.choice([0.0, 1.0, 0.37], p=[0.5, 0.4, 0.1]))
            p = round(float(generator.random()), 3)
            key = {"id": f"q{number}", "source": source, "resolution_date": date}
            resolved.append({**key, "resolved_to": value, "resolved": value in (0, 1)})
            forecasts.append({**key, "forecast": p, "reasoning": None})
            if source in ("manifold", "polymarket"):
                forecasts[-1]["resolution_date"] = None
            name = f"q{number} {date}" if len(dates) > 1 else f"q{number}"
            if value in (0, 1):
                truth[(name, "human")] = {f"{value:g}": 1.0}
                truth[(name, "m")] = {"1": p, "0": 1 - p}
    files = {
        "resolved.json": json.dumps({"resolutions": resolved}).encode(),
        "m.json": json.dumps({"model": "m", "forecasts": forecasts}).encode(),
    }
    return Export("forecastbench", files, [*files], truth)
