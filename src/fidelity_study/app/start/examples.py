"""Small files to try ``start`` with, invented, in forms that surveys and models have."""

import csv
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

from fidelity_study.errors import refusal

SCALE = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"]
ITEMS = {
    "trust_council": "I trust the town council.",
    "more_trees": "The town should plant more trees.",
    "bus_fares": "Bus fares are too high.",
    "safe_at_night": "I feel safe in the town at night.",
}
PEOPLE, RUNS, SEED = 60, 40, 1
Files = dict[str, str]


def qualtrics() -> Files:
    """An export of Qualtrics with three rows of header, and a model's answers in columns."""
    random = Random(SEED)
    names = ["ResponseId", "Finished", "wt", *ITEMS]
    ids = [f'{{"ImportId":"QID{place}"}}' for place, _ in enumerate(names)]
    head = [names, ["Response ID", "Finished", "Weight", *ITEMS.values()], ids]
    people = [
        [f"R_{person:03}", "True", random.choice([0.8, 1, 1.3]), *_answers(random, 0.6)]
        for person in range(PEOPLE)
    ]
    model = [_answers(random, 0.7) for _ in range(RUNS)]
    return {"people.csv": _csv([*head, *people]), "model.csv": _csv([[*ITEMS], *model])}


def panel() -> Files:
    """A panel whose people answer in two waves, one row each, with codes of no answer."""
    random = Random(SEED)
    head = ["person", "wave", *ITEMS]
    people = [
        [f"p{person}", wave, *_codes(random, 0.55 + 0.1 * wave, none=0.06)]
        for person in range(PEOPLE)
        for wave in (1, 2)
    ]
    model = [[wave, *_codes(random, 0.6)] for _ in range(RUNS) for wave in (1, 2)]
    return {"people.csv": _csv([head, *people]), "model.csv": _csv([head[1:], *model])}


def poll() -> Files:
    """A pollster's table with a row for each option, and a model's counts in a long file."""
    random = Random(SEED)
    rows: list[list[object]] = [["Question", "Response", "Total"]]
    for wording in ITEMS.values():
        shares = [random.randint(8, 25) for _ in SCALE[1:]]
        percentages = zip(SCALE, [100 - sum(shares), *shares], strict=True)
        rows += [[wording, option, f"{share}%"] for option, share in percentages]
        rows.append([wording, "Base", 1043])
    counts = [
        [wording, "model", option, random.randint(5, 30)]
        for wording in ITEMS.values()
        for option in SCALE
    ]
    head = ["scenario", "simulator", "value", "count"]
    return {"people.csv": _csv(rows), "model.csv": _csv([head, *counts])}


def chats() -> Files:
    """People in columns, and what language models wrote, a JSON object a line."""
    random = Random(SEED)
    people = [[f"p{person}", *_answers(random, 0.6)] for person in range(PEOPLE)]
    wrote = ["{}", "{}.", "{} - this is what I have seen.", "I cannot answer this."]
    lines = [
        json.dumps(
            {
                "simulator": model,
                "scenario": item,
                "value": random.choices(wrote, [6, 2, 1, 1])[0].format(answer),
            }
        )
        for model in ("model_a", "model_b")
        for _ in range(RUNS // 2)
        for item, answer in zip(ITEMS, _answers(random, 0.7), strict=True)
    ]
    return {"people.csv": _csv([["id", *ITEMS], *people]), "models.jsonl": "\n".join(lines) + "\n"}


def forecasts() -> Files:
    """Events that came true or not, and two forecasters' probabilities."""
    random = Random(SEED)
    chances = {f"event_{place}": random.random() for place in range(PEOPLE)}
    outcomes = [[event, int(random.random() < chance)] for event, chance in chances.items()]
    stated = [
        [event, who, round(min(0.97, max(0.03, chance + random.uniform(-noise, noise))), 2)]
        for event, chance in chances.items()
        for who, noise in (("careful", 0.1), ("careless", 0.4))
    ]
    return {
        "outcomes.csv": _csv([["scenario", "value"], *outcomes]),
        "forecasts.csv": _csv([["scenario", "simulator", "probability"], *stated]),
    }


EXAMPLES: dict[str, Callable[[], Files]] = {
    made.__name__: made for made in (qualtrics, panel, poll, chats, forecasts)
}


def write(name: str) -> list[str]:
    """Write an example's files into a folder of its name; return their paths, people's first.

    Raises:
        DataError: the folder is there already.
    """
    folder = Path(f"example_{name}")
    try:
        folder.mkdir()
    except OSError as error:
        what = f"cannot be made ({error.strerror}); go to another folder"
        raise refusal("not-writable", what, file=str(folder)) from None
    files = EXAMPLES[name]()
    for path, text in files.items():
        Path(folder, path).write_text(text, encoding="utf-8")
    return [str(Path(folder, path)) for path in files]


def _answers(random: Random, agreement: float) -> list[str]:
    return [SCALE[sum(random.random() < agreement for _ in SCALE[1:])] for _ in ITEMS]


def _codes(random: Random, agreement: float, none: float = 0) -> list[int]:
    codes = [1 + SCALE.index(answer) for answer in _answers(random, agreement)]
    return [99 if random.random() < none else code for code in codes]


def _csv(rows: Iterable[Iterable[object]]) -> str:
    with io.StringIO(newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
        return file.getvalue()
