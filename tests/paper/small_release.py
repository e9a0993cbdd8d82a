"""The files of the paper's release, small: the same layouts, answers that can be counted by hand.

Every writer returns what it wrote as plain counts, taken before anything is pickled or converted.
"""

import csv
import json
import pickle
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd

MODELS = [
    "gpt-3.5-turbo",
    "gpt-4o",
    "gpt-4o-mini",
    "claude-3-5-haiku",
    "Llama-3.3-70B",
    "Mistral-7B",
    "DeepSeek-V3",
    "random",
]
VALUES_MODELS = ["gpt4o", "gpt-5-mini", "llama-3.3", "Qwen3-235B", "uniform"]
CATEGORIES = ["Social Values, Norms, Stereotypes", "Happiness and Wellbeing"]
OPINIONS = {"A lot": 1.0, "Some": 1 - 2 / 3, "Not much": -1 / 3, "Not at all": -1.0, "Refused": 0.0}
HOURS = range(9, 13)


def texts(names):
    """Column names as they were before pandas 3."""
    return pd.Index(list(names), dtype=object)


def dump(path: Path, thing, protocol=4) -> None:
    """Pickle a thing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(thing, protocol))


def dump_json(path: Path, thing) -> None:
    """Write JSON as the authors do."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(thing, indent=2), encoding="utf-8")


def scale(codes: list[int], falling: bool) -> dict[str, float]:
    """Return scores from -1 to 1, rounded to 12 places as in the release."""
    scores = np.linspace(1, -1, len(codes)) if falling else np.linspace(-1, 1, len(codes))
    return {str(code): round(float(s), 12) for code, s in zip(codes, scores, strict=True)}


def worldvaluesbench(folder: Path) -> dict:
    """Write questions with 2, 3, 4 and 10 options; some people's answers are missing."""
    codes = {
        f"Q{i}": [[1, 2], [0, 1, 2], [1, 2, 3, 4], [*range(1, 11)]][i % 4] for i in range(1, 9)
    }
    scores = {name: scale(each, falling=name != "Q3") for name, each in codes.items()}
    people, counts, missing = {}, {}, {}
    answers = {model: {} for model in VALUES_MODELS}
    for j, (name, each) in enumerate(codes.items()):
        generator = np.random.default_rng(j)
        given = [each[i] for i in generator.integers(0, len(each), 60 + j).tolist()]
        counts[name, "human"] = Counter(given)
        missing[name, "human"] = j % 3
        series = [scores[name][str(code)] for code in given] + [np.nan] * (j % 3)
        interviews = 68070001 + np.arange(len(series))
        people[name] = pd.Series(series, index=interviews, name=name)
        for model in VALUES_MODELS:
            drawn = [each[i] for i in generator.integers(0, len(each), 50).tolist()]
            counts[name, model] = Counter(drawn)
            answers[model][name] = np.array([scores[name][str(code)] for code in drawn])
    people["Q42"] = pd.Series([0.25], index=[1], name="Q42")  # no question of the study
    dump(folder / "people.pkl", people)
    for protocol, (model, each) in zip([2, 3, 4, 5, 5], answers.items(), strict=True):
        dump(folder / "simulators" / f"{model}.pkl", each, protocol)
    dump_json(folder / "questions.json", list(codes))
    dump_json(folder / "scores.json", scores)
    wording = {
        name: {"question": f"On a scale, {name}?", "category": CATEGORIES[j % 2]}
        for j, name in enumerate(codes)
    }
    dump_json(folder / "wording.json", {**wording, "A_YEAR": {"question": "", "category": ""}})
    n, mean = len(people["Q1"].dropna()), sum(people["Q1"].dropna()) / 60
    checks = {"scenarios": 8, "Q1 n": n, "Q1 mean": round(mean, 6)}
    return {"counts": counts, "missing": missing, "codes": codes, "scores": scores} | {
        "checks": checks
    }


def eedi(folder: Path) -> dict:
    """Write questions whose ids are numbers; lists of 0 and 1, and one model's in arrays."""
    ids = [0, 2, 3, 5, 6, 8, 11, 12]
    surveys, counts, answers = {}, {}, {model: {} for model in MODELS}
    for j, question in enumerate(ids):
        generator = np.random.default_rng(100 + j)
        right = generator.integers(0, 2, 40 + j).tolist()
        counts[str(question), "human"] = Counter(right)
        table = pd.DataFrame({"UserId": range(len(right)), "IsCorrect": right})
        table["DateAnswered"] = pd.Timestamp("2020-01-01")
        table["Answer"] = pd.Series(["A", "B"] * len(right), dtype=object)[: len(right)]
        table.columns = texts(table.columns)
        surveys[question] = table
        for model in MODELS:
            drawn = generator.integers(0, 2, 50)
            counts[str(question), model] = Counter(drawn.tolist())
            answers[model][question] = drawn if model == "random" else drawn.tolist()
    surveys[7] = surveys[0]
    dump(folder / "people.pkl", surveys)
    for model, each in answers.items():
        dump(folder / "simulators" / f"{model}.pkl", each)
    np.save(folder / "questions.npy", np.array(ids))
    dump_json(folder / "wording.json", {str(each): f"What is {each}?" for each in ids})
    return {"counts": counts, "checks": {"scenarios": 8}}


def opinionqa(folder: Path) -> dict:
    """Write questions whose names end in a wave; scores in tables beside texts."""
    names = [f"TOPIC{j}_W{[26, 54, 92][j % 3]}" for j in range(9)]
    surveys, counts, answers = {}, {}, {model: {} for model in MODELS}
    order = sorted(OPINIONS.values())
    for j, name in enumerate(names):
        generator = np.random.default_rng(200 + j)
        given = generator.integers(0, 5, 50 + j).tolist()
        counts[name, "human"] = Counter(each + 1 for each in given)
        table = pd.DataFrame({"RESPONSE_NUMERIC": [order[each] for each in given] + [np.nan]})
        table["CREGION"] = pd.Series(["South"] * len(table), dtype=object)
        table.columns = texts(table.columns)
        surveys[name] = table
        for model in MODELS:
            drawn = generator.integers(0, 5, 100).tolist()
            counts[name, model] = Counter(each + 1 for each in drawn)
            answers[model][name] = [order[each] for each in drawn]
    dump(folder / "people.pkl", surveys)
    for model, each in answers.items():
        dump(folder / "simulators" / f"{model}.pkl", each)
    np.save(folder / "questions.npy", np.array(names))
    dump_json(folder / "scores.json", dict.fromkeys(names, OPINIONS))
    return {"counts": counts, "checks": {"scenarios": 9}}


def umar(folder: Path) -> dict:
    """Write two readings in each half hour of some hours of 24 days, in four years.

    One day has readings above 30 °C, one lacks the set point, one the outdoor temperature.
    """
    means = {}
    for year in range(2019, 2023):
        generator = np.random.default_rng(year)
        rows = []
        for day in range(24):
            for minute in range(0, 60 * len(HOURS), 15):
                time = datetime(year, 7, 1) + timedelta(days=day, hours=HOURS[0], minutes=minute)
                outdoors = 5.0 * (day % 4) + generator.integers(0, 40) / 10
                room = 21 + 0.1 * outdoors + generator.integers(-10, 11) / 10
                if (year, day) == (2020, 3) and minute == 60:
                    room = 70.0
                row = [room, outdoors, 26.0 - day % 2, 100.0]
                if (year, day) == (2021, 5):
                    row[2] = None
                if (year, day) == (2022, 7):
                    row[1] = None
                rows.append((time, row))
                window = time.replace(minute=30 * (time.minute // 30))
                means.setdefault(window, []).append(row)
        folder.joinpath("raw").mkdir(parents=True, exist_ok=True)
        with (folder / "raw" / f"{year}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(
                ["", "time", "cooling_power", "irrad", "setp_275", "temp_275", "temp_amb"]
            )
            for i, (time, (room, outdoors, setpoint, sun)) in enumerate(rows):
                writer.writerow([i + 1, time, "NA", sun, setpoint, room, outdoors])
    return by_hand(means)


def by_hand(readings: dict) -> dict:
    """Return the temperatures of each scenario and the check values, window by window."""
    mean = {
        window: [
            None if None in column else sum(column) / len(column)
            for column in zip(*rows, strict=True)
        ]
        for window, rows in readings.items()
    }
    half = timedelta(minutes=30)
    outdoors = [each[1] for each in mean.values() if each[1] is not None]
    quartiles = np.quantile(outdoors, [0.25, 0.5, 0.75])
    scenarios, windows, hot = {}, 0, 0
    for time, (room, outside, setpoint, _) in mean.items():
        before, after = mean.get(time - half), mean.get(time + half)
        if before is None or after is None or outside is None:
            continue
        windows += 1
        if max(room, before[0], after[0]) > 30:
            hot += 1
        elif setpoint is not None:
            days = "weekend" if time.weekday() >= 5 else "weekday"
            level = 1 + sum(outside > each for each in quartiles)
            scenarios.setdefault(f"{time.hour:02d}h|{days}|{level}", []).append(after[0])
    sizes = [len(each) for each in scenarios.values()]
    checks = {
        "windows": windows,
        "windows above 30 °C": hot,
        "scenarios": len(scenarios),
        "windows of scenarios": sum(sizes),
        "fewest in a scenario": min(sizes),
        "most in a scenario": max(sizes),
        "mean variance": float(np.mean([np.var(each, ddof=1) for each in scenarios.values()])),
    }
    return {"temperatures": scenarios, "checks": checks}


ROOMS = {"worldvaluesbench": worldvaluesbench, "eedi": eedi, "opinionqa": opinionqa, "umar": umar}


def write_release(mirror: Path) -> dict[str, dict]:
    """Write all files; return what is in them, by room."""
    return {room: write(mirror / room) for room, write in ROOMS.items()}
