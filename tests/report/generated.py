"""A survey of any size, drawn from a seed, with as many simulators as are wanted."""

from pathlib import Path

import numpy as np
import pandas as pd

OPTIONS = [f"option {letter}" for letter in "ABCDE"]
TOPICS = ["tax", "school", "bus", "crime", "health", "work", "family", "church", "water", "border"]


def write(folder: Path, questions: int, simulators: int) -> dict:
    """Write the survey's files into a folder, and return the config of a study of it."""
    generator = np.random.default_rng(5)
    names = [f"q{j:04}" for j in range(questions)]
    topics = [TOPICS[j % len(TOPICS)] for j in range(questions)]
    models = [f"model-{i:02} (prompt {i % 3})" for i in range(simulators)]
    share = generator.dirichlet(np.full(len(OPTIONS), 1.2), questions)
    people = [generator.multinomial(generator.integers(150, 600), p) for p in share]
    long(names, people).to_csv(folder / "human.csv", index=False)
    answers = []
    for i, model in enumerate(models):
        weight = (i + 1) / (simulators + 4)
        other = generator.dirichlet(np.full(len(OPTIONS), 1.2), questions)
        draws = [generator.multinomial(200, p) for p in (1 - weight) * share + weight * other]
        answers.append(long(names, draws).assign(simulator=model))
    pd.concat(answers).to_csv(folder / "simulated.csv", index=False)
    wording = [
        f"Question {j}: should the {topic} policy be changed within the next five years?"
        for j, topic in enumerate(topics)
    ]
    scenarios = {"scenario": names, "topic": topics, "question": wording}
    pd.DataFrame({**scenarios, "options": " | ".join(OPTIONS)}).to_csv(
        folder / "scenarios.csv", index=False
    )
    return {
        "grid": {"n": [200, "all"], "k": [200], "gamma": ["envelope", 0.5], "replicates": 1},
        "comparison": {"tolerance": {"tv": 0.2}},
        "datasets": {
            "generated": {
                "title": f"{questions} questions, {simulators} simulators",
                "ingest": "tabular",
                **{name: f"data/{name}.csv" for name in ("human", "simulated", "scenarios")},
                "outcome": {"kind": "categorical"},
                "cluster": "topic",
                "respondents_repeat": False,
                "figures": ["curve"],
                "simulators": [*models, "uniform", "pooled"],
            }
        },
    }


def long(names: list[str], counts: list[np.ndarray]) -> pd.DataFrame:
    """Return counts as rows ``scenario, value, count``."""
    return pd.DataFrame(
        {
            "scenario": np.repeat(names, len(OPTIONS)),
            "value": np.tile(OPTIONS, len(names)),
            "count": np.concatenate(counts),
        }
    )
