"""Answers to questions, some of which people were not asked, in files as a user has them."""

from pathlib import Path

import numpy as np
import pandas as pd

BASE = {
    "seed": 3,
    "grid": {"n": ["all"], "k": [25], "gamma": [0.5], "replicates": 1},
    "comparison": {"n": ["all"], "gamma": [0.5]},
}
TOWN = {
    "ingest": "tabular",
    "outcome": {"kind": "binary", "levels": ["no", "yes"]},
    "cluster": "none",
    "respondents_repeat": False,
    "simulators": ["model", "uniform", "pooled"],
    "predict": {},
}
TOPICS = ("culture", "traffic", "money", "school", "sport")


def names(first: int, last: int) -> list[str]:
    """Return the names of questions."""
    return [f"q{j:02}" for j in range(first, last + 1)]


def files_of(name: str) -> dict[str, str]:
    """Return the settings that name the files of a town, in a folder of its own."""
    files = {"human": "people", "simulated": "model", "scenarios": "questions"}
    return {key: f"data/{name}/{file}.csv" for key, file in files.items()}


def write(
    folder: Path,
    asked: int = 60,
    new: int = 10,
    options: tuple[str, ...] = ("no", "yes"),
    people: int = 150,
) -> None:
    """Write people.csv, model.csv and questions.csv.

    The model is farther off on long questions. The last new question is of a topic of its own.
    """
    generator = np.random.default_rng(asked + new)
    human, model, questions = [], [], []
    for j, name in enumerate(names(1, asked + new)):
        length = int(generator.integers(4, 20))
        q = generator.dirichlet(np.full(len(options), 3.0)).round(4)
        q[-1] = 1.0 - q[:-1].sum()
        p = generator.dirichlet(4.0 * q * (30 - length) + 0.1)
        words = " ".join(f"w{word}" for word in generator.integers(0, 40, length))
        counts = generator.multinomial(people + 5 * j, p)
        for option, many, own in zip(options, counts, q, strict=True):
            if j < asked:
                human.append({"scenario": name, "value": option, "count": many})
            stated = {"simulator": "model", "value": option, "probability": own}
            model.append({"scenario": name, **stated})
        last = j == asked + new - 1
        questions.append(
            {
                "scenario": name,
                "question": f"Should {words}?",
                "topic": "cooking" if last else TOPICS[j % len(TOPICS)],
                "length": length,
                "same": 1,
                "ratio": round(float(generator.uniform(0.5, 2.0)), 3),
            }
        )
    folder.mkdir(parents=True, exist_ok=True)
    for table, file in ((human, "people"), (model, "model"), (questions, "questions")):
        pd.DataFrame(table).to_csv(folder / f"{file}.csv", index=False)


def persons(folder: Path) -> None:
    """Write people.csv anew: 150 persons, who all answered the 60 questions."""
    generator = np.random.default_rng(4)
    shares = pd.read_csv(folder / "people.csv").query("value == 'yes'").set_index("scenario")
    p = shares["count"].to_numpy() / (150 + 5 * np.arange(60))
    chosen = (generator.random((150, 60)) + generator.normal(0.0, 0.1, (150, 1))) < p
    table = pd.DataFrame(np.where(chosen, "yes", "no"), columns=shares.index)
    table.to_csv(folder / "people.csv", index=False)
