"""Answers to questions, some of which people were not asked, in files as a user has them."""

from pathlib import Path

import numpy as np
import pandas as pd

TOPICS = ("culture", "traffic", "money", "school", "sport")


def names(first: int, last: int) -> list[str]:
    """Return the names of questions."""
    return [f"q{j:02}" for j in range(first, last + 1)]


def write(
    folder: Path,
    asked: int = 60,
    new: int = 10,
    options: tuple[str, ...] = ("no", "yes"),
    people: int = 150,
    draws: int | None = None,
) -> None:
    """Write people.csv, model.csv and questions.csv.

    The model is farther off on long questions. It states probabilities, or gives ``draws`` answers.
    The last new question is of a topic of its own.
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
        given = q if draws is None else generator.multinomial(draws, q)
        number = "probability" if draws is None else "count"
        for option, many, own in zip(options, counts, given, strict=True):
            if j < asked:
                human.append({"scenario": name, "value": option, "count": many})
            model.append({"scenario": name, "simulator": "model", "value": option, number: own})
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
    for table, file in ((human, "people"), (model, "model"), (questions, "questions")):
        pd.DataFrame(table).to_csv(folder / f"{file}.csv", index=False)
