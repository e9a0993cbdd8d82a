"""EEDI: 412 multiple-choice questions of mathematics, answered right or wrong; seven models."""

import pandas as pd
import paper_release as release


def question_table(names, wording):
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


def responses(step, files):
    questions = question_table(release.question_names(files), release.read_json(files.wording))
    people = release.people_column(files, "IsCorrect")
    return release.survey(questions, people, files)
