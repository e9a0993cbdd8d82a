"""A survey of a user's own: a CSV of answers, or of probabilities where a simulator states them."""

import pandas as pd

from fidelity_study.app.run.script import run
from fidelity_study.reading.ingest.responses import Responses, drawn_answers
from fidelity_study.reading.ingest.save import save


def main(snakemake):
    step = snakemake.params.step
    answers = pd.read_csv(snakemake.input[0])
    described = {
        name: (name, "first")
        for name in ("cluster", "description", "lower", "upper", "respondents_repeat")
        if name in answers
    }
    questions = answers.groupby("scenario", as_index=False).agg(
        value=("value", lambda each: sorted(set(each))), **described
    )
    keys = ["scenario", "source", "value"]
    answers = answers[answers["source"].isin(["human", *step["simulators"]])]
    stated = answers.dropna(subset="probability")[[*keys, "probability"]]
    counted = answers.dropna(subset="count")[[*keys, "count"]]
    save(
        snakemake,
        Responses(
            origin=snakemake.input[0],
            outcomes=pd.concat([counted, drawn_answers(step, stated)], ignore_index=True),
            scenarios=questions.assign(
                option=[[f"option {v}" for v in row] for row in questions["value"]]
            ),
            stated=stated,
        ),
    )


run(main, snakemake)  # noqa: F821
