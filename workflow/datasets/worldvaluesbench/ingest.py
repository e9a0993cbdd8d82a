"""WorldValuesBench: 235 questions of the World Values Survey, wave 7, and four language models.

Questions have 2 to 10 options with scores in [-1, 1].
"""

import pandas as pd
import paper_release as release


def question_table(questions, scores, wording, step):
    """Return one row per question, its options by rising score."""
    rows = []
    for name in questions:
        options = sorted(scores[name].items(), key=lambda option: (option[1], int(option[0])))
        text, category = wording[name]["question"], wording[name]["category"]
        rows.append(
            {
                "scenario": name,
                "cluster": {"question": name, "category": category}[step["cluster"]],
                "description": text,
                "question": text,
                "value": [int(code) for code, _ in options],
                "option": [code for code, _ in options],
                "score": [float(score) for _, score in options],
            }
        )
    return pd.DataFrame(rows)


def responses(step, files):
    questions = release.read_json(files.questions)
    table = question_table(
        questions, release.read_json(files.scores), release.read_json(files.wording), step
    )
    people = release.read_answers(files.people, files.sources)
    return release.survey(table, people, files)
