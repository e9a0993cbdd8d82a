"""Verdicts as a finished study leaves them, invented."""

from itertools import combinations
from pathlib import Path

from fidelity_study.verdict_file import (
    Dataset,
    Evaluation,
    Pair,
    Score,
    ScoreDifference,
    Simulator,
    Verdict,
    View,
)


def simulator(name="model", lower=0.04, upper=0.08, **known):
    """Return a simulator; its interval for all at once is .01 wider on both sides."""
    values = {
        "name": name,
        "label": name,
        "kind": "simulator",
        "answers": "",
        "questions": 10,
        "unanswered": 0.0,
        "estimate": (lower + upper) / 2,
        "lower": lower,
        "upper": upper,
        "familywise_lower": lower - 0.01,
        "familywise_upper": upper + 0.01,
        "at_most_on_90_percent": None,
        "share_within": None,
        "first_rank": 1,
        "last_rank": 2,
        "within": [f"q{i}" for i in range(8)],
        "beyond": ["q9"],
        "topics": [],
    }
    return Simulator(**{**values, **known})


GUESS = simulator("uniform", 0.2, 0.3, kind="baseline")


def verdict(*simulators, study="town", dataset="survey", pairs=(), uses=(), **view):
    """Return the verdict of a study of one dataset, with a uniform guess behind the simulators."""
    made = View(
        **{
            "discrepancy": "tv",
            "tolerance": 0.1,
            "confidence": 0.95,
            "headline": "Not settled.",
            "sentences": [],
            "open": [],
            "simulators": [*simulators, GUESS],
            "other_people": [],
            "pairs": [
                Pair(simulator=one, other=two, lower=low, upper=high, closer=closer)
                for one, two, low, high, closer in pairs
            ],
            **view,
        }
    )
    data = Dataset(
        name=dataset,
        title="Survey",
        questions=10,
        clusters=10,
        people="100",
        headline=made.headline,
        uses=list(uses),
        views=[made],
        assumptions=[],
    )
    return Verdict(schema_version=2, software="0", study=study, datasets=[data], evaluations=[])


def left(folder: Path, made: Verdict | None = None) -> Path:
    """Write a verdict into a folder, as a finished study leaves it; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    text = (made or verdict(simulator())).text()
    (folder / "verdict.json").write_text(text, encoding="utf-8")
    return folder


def evaluation(name="maths", scores=(), settled=(), uses=(), better="higher"):
    """Return an evaluation on the eval x: (model, estimate) and (better model, other one)."""
    by_model = dict(scores)
    ends = {"lower": None, "upper": None}
    return Evaluation(
        name=name,
        title=name.capitalize(),
        headline="",
        confidence=0.95,
        scores=[
            Score(
                model=model,
                eval="x",
                better=better,
                questions=9,
                asked=10,
                estimate=estimate,
                lower=estimate - 0.1,
                upper=estimate + 0.1,
            )
            for model, estimate in scores
        ],
        differences=[
            ScoreDifference(
                model=one,
                baseline=two,
                eval="x",
                better=better,
                estimate=by_model[one] - by_model[two],
                settled={(one, two), (two, one)} & set(settled) != set(),
                **ends,
            )
            for one, two in combinations(by_model, 2)
        ],
        uses=list(uses),
        assumptions=[],
    )
