"""OpinionQA: 385 questions of the American Trends Panel with five options; seven language models.

Reads the files that the paper's authors released. Writes outcomes, scenarios and what is missing.
"""

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError
from fidelity_study.ingest import release
from fidelity_study.ingest.answers import check_step
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run

SCORES = [-1.0, -1 / 3, 0.0, 1 / 3, 1.0]
NOT_OFFERED = "not offered"


def option_texts(name, scored):
    """Return the texts of a question's five options; ``scored`` gives a score to each text."""
    texts = dict.fromkeys(SCORES, NOT_OFFERED)
    for text, score in scored.items():
        nearest = min(SCORES, key=lambda known: abs(known - score))
        if abs(nearest - score) > release.SAME_SCORE or texts[nearest] != NOT_OFFERED:
            raise DataError(f"scores.json, question {name}: {text!r} has the score {score}")
        texts[nearest] = text
    return list(texts.values())


def question_table(names, scores, step):
    """Return one row per question; its wave is the end of its name."""
    absent = [name for name in names if name not in scores]
    if absent:
        raise DataError(f"scores.json: has no question {absent[0]}")
    options = [option_texts(name, scores[name]) for name in names]
    return pd.DataFrame(
        {
            "scenario": names,
            "cluster": [
                {"question": name, "wave": name.rpartition("_")[2]}[step["cluster"]]
                for name in names
            ],
            "description": [
                f"{name}: {', '.join(text for text in reversed(texts) if text != NOT_OFFERED)}"
                for name, texts in zip(names, options, strict=True)
            ],
            "value": [list(range(1, len(SCORES) + 1))] * len(names),
            "option": options,
            "score": [SCORES] * len(names),
        }
    )


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    simulators = release.simulators(files.sources)
    check_step(step, simulators=simulators)
    names = [str(name) for name in np.load(files.questions).tolist()]
    surveys = release.read_answers(files.people, files.sources)
    people = release.columns(
        {name: surveys[name] for name in names if name in surveys},
        "RESPONSE_NUMERIC",
        files.people,
    )
    questions = question_table(names, release.read_json(files.scores), step)
    responses = release.verified_survey(questions, people, files)
    save(snakemake, responses)


run(main, snakemake)
