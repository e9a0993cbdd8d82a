"""OpinionQA: 385 questions of the American Trends Panel, five options each; seven models."""

import pandas as pd
import paper_release as release

SCORES = [-1.0, -1 / 3, 0.0, 1 / 3, 1.0]
NOT_OFFERED = "not offered"


def option_texts(scored):
    """Return the texts of a question's five options; ``scored`` gives a score to each text."""
    texts = dict.fromkeys(SCORES, NOT_OFFERED)
    for text, score in scored.items():
        nearest = min(SCORES, key=lambda known: abs(known - score))
        texts[nearest] = text
    return list(texts.values())


def question_table(names, scores, step):
    """Return one row per question; its wave is the end of its name."""
    options = [option_texts(scores[name]) for name in names]
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


def responses(step, files):
    names, scores = release.question_names(files), release.read_json(files.scores)
    people = release.people_column(files, "RESPONSE_NUMERIC")
    return release.survey(question_table(names, scores, step), people, files)
