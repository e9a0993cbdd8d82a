"""EEDI: 412 multiple-choice questions of mathematics, answered right or wrong; seven models.

Reads the files that the paper's authors released. Writes outcomes, scenarios and what is missing.
"""

import numpy as np
import pandas as pd

from fidelity_study.ingest import release
from fidelity_study.ingest.answers import check_step
from fidelity_study.ingest.save import save
from fidelity_study.run.script import run


def question_table(names, wording):
    """Return one row per question."""
    texts = [wording.get(name, f"Question {name}") for name in names]
    return pd.DataFrame(
        {
            "scenario": names,
            "cluster": names,
            "description": texts,
            "question": texts,
            "value": [[0, 1]] * len(names),
            "option": [["wrong", "right"]] * len(names),
            "score": [[0.0, 1.0]] * len(names),
        }
    )


def main(snakemake):
    step, files = snakemake.params.step, snakemake.input
    simulators = release.simulators(files.sources)
    check_step(step, simulators=simulators)
    names = [str(name) for name in np.load(files.questions).tolist()]
    surveys = release.read_answers(files.people, files.sources)
    people = release.columns(
        {name: surveys[name] for name in names if name in surveys}, "IsCorrect", files.people
    )
    questions = question_table(names, release.read_json(files.wording))
    responses = release.verified_survey(questions, people, files)
    save(snakemake, responses)


run(main, snakemake)
