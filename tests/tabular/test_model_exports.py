"""Files of models' answers and forecasts as EDSL, Metaculus and ForecastBench write them.

Columns are those of public sources: EDSL's of ``Results.columns`` in docs/en/latest/results.mdx of
github.com/expectedparrot/edsl, Metaculus' of ``generate_data`` in github.com/Metaculus/metaculus,
ForecastBench's of the resolution sets in
github.com/forecastingresearch/forecastbench-datasets. The answers are invented.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tabular_step import answers, looked

from fidelity_study.app.start.faults import FaultsError

OPTIONS = ["Yes", "No", "Not sure"]


def edsl(topics=("",)):
    """Return the results of a survey of two models, and write them."""
    generator = np.random.default_rng(1)
    frame = pd.DataFrame(
        [(agent, model, topic) for agent in range(60) for model in ("a", "b") for topic in topics],
        columns=["agent.agent_index", "model.model", "scenario.topic"],
    )
    n = len(frame)
    frame = frame.assign(
        **{
            "agent.agent_instruction": "You are answering a survey,\nfor people.",
            "agent.email": "somebody@example.org",
            "answer.read": generator.choice(OPTIONS, n),
            "answer.important": generator.choice(["1", "2", ""], n),
            "answer.why": 'Because, "well"',
            "comment.read_comment": "As said, yes",
            "iteration.iteration": 0,
            "model.temperature": np.where(frame["agent.agent_index"] < 5, 0.5, 1),
            "prompt.read_user_prompt": "Read?\nYes, no",
            "question_options.read_question_options": str(OPTIONS),
            "question_text.read_question_text": "Have you read about {{ topic }}?",
            "question_text.important_question_text": "How much do you care?",
            "question_type.why_question_type": "free_text",
            "raw_model_response.read_cost": generator.random(n),
            "scenario.scenario_index": 0,
        }
    )
    frame.sort_index(axis=1).to_csv("results.csv", index=False)
    return frame


def people(columns=("read", "important"), **more):
    generator = np.random.default_rng(2)
    frame = pd.DataFrame({name: generator.choice(OPTIONS, 90) for name in columns}).assign(**more)
    if "important" in frame:
        frame["important"] = generator.choice(["1", "2"], 90)
    frame.to_csv("people.csv", index=False)
    return frame


def test_results_of_edsl_are_recognised_and_read_as_pandas_counts_them():
    frame = edsl()
    people()
    known, told = looked("people.csv", "results.csv")
    assert "results.csv: results of EDSL: 2 questions" in told
    assert "left out, as texts: 'why'; model.temperature of a model differ and are pooled" in told
    for model, rows in frame.groupby("model.model"):
        counts = answers(known.responses, model)
        for name in ("read", "important"):
            expected = rows[f"answer.{name}"].replace("", np.nan).dropna().value_counts()
            assert counts[name] == {str(label): n for label, n in expected.items()}
    assert "example.org" not in told + str(known.responses.notes)
    assert not any("email" in column for column in known.files.sheets["results.csv"].columns)


def test_people_may_have_the_wordings_that_edsl_tells():
    frame = edsl()
    people().rename(columns={"important": "How much do you care?"}).to_csv(
        "people.csv", index=False
    )
    known, _ = looked("people.csv", "results.csv")
    expected = frame.loc[frame["model.model"] == "a", "answer.important"].replace("", np.nan)
    counts = answers(known.responses, "a")["How much do you care?"]
    assert counts == expected.value_counts().to_dict()


@pytest.mark.slow
def test_answers_alone_are_recognised_by_the_model():
    edsl()[["model.model", "answer.read"]].to_csv("results.csv", index=False)
    people(["read"])
    known, _ = looked("people.csv", "results.csv")
    assert known.simulators == ["a", "b"]


@pytest.mark.slow
def test_questions_of_several_scenarios_are_refused_until_groups_say_what_is_meant():
    topics = ("climate", "housing")
    frame = edsl(topics)
    generator = np.random.default_rng(3)
    people(["read"], topic=generator.choice(topics, 90))
    with pytest.raises(FaultsError) as error:
        looked("people.csv", "results.csv", ignore=("important",))
    assert "--groups topic" in str(error.value) or "topic: group?" in str(error.value)
    known, _ = looked("people.csv", "results.csv", groups=("topic",), ignore=("important",))
    for (model, topic), rows in frame.groupby(["model.model", "scenario.topic"]):
        expected = rows["answer.read"].value_counts().to_dict()
        assert answers(known.responses, model)[f"read | {topic}"] == expected


def metaculus():
    """Write what Metaculus exports; return outcomes and the last forecasts."""
    generator = np.random.default_rng(4)
    questions, forecasts = [], []
    for number in range(40):
        chance = generator.random()
        kind = "numeric" if number % 10 == 0 else "binary"
        resolution = {7: "annulled", 8: ""}.get(number % 20, "yes" if chance > 0.5 else "no")
        questions.append((number, "Will it, or not?", number // 2, kind, resolution))
        for name, bot in (("recency_weighted", ""), ("a-bot", "True"), ("jane", "False")):
            for day in range(1, 4):
                p = round(float(np.clip(chance + generator.normal(0, 0.1), 0, 1)), 3)
                when = f"2025-01-{day:02} 10:00:00+00:00"
                row = (number, name, bot, when, p if kind == "binary" else "", "[0.1, 0.2]")
                forecasts.append(row)
    columns = ["Question ID", "Question Title", "Post ID", "Question Type", "Resolution"]
    asked = pd.DataFrame(questions, columns=columns)
    asked.to_csv("question_data.csv", index=False)
    columns = ["Question ID", "Forecaster Username", "Is Bot", "Start Time", "Probability Yes"]
    frame = pd.DataFrame(forecasts, columns=[*columns, "Continuous CDF"]).sample(frac=1)
    frame.to_csv("forecast_data.csv", index=False)
    return asked, frame


def stated(responses, value=1.0):
    """Return the probabilities of an option, by scenario and simulator."""
    rows = responses.stated[responses.stated["value"] == value]
    return {(row.scenario, row.source): row.probability for row in rows.itertuples()}


@pytest.mark.slow
def test_metaculus_is_read_with_the_last_forecasts_of_binary_questions():
    asked, frame = metaculus()
    known, told = looked("question_data.csv", "forecast_data.csv")
    assert "32 that resolved to yes (1) or no (0); left out: 4 annulled or open, 4 not bi" in told
    assert "the last one of each forecaster for a question; left out: 108 forecasts of 1" in told
    resolved = asked[(asked["Question Type"] == "binary") & asked["Resolution"].isin(["yes", "no"])]
    last = frame.sort_values("Start Time").groupby(["Question ID", "Forecaster Username"]).last()
    assert stated(known.responses) == {
        (str(number), name): pytest.approx(float(last.loc[(number, name), "Probability Yes"]))
        for number in resolved["Question ID"]
        for name in ("recency_weighted", "a-bot")
    }
    labels = {"yes": "1", "no": "0"}
    counts = answers(known.responses, "human")
    for number, resolution in zip(resolved["Question ID"], resolved["Resolution"], strict=True):
        assert counts[str(number)] == {labels[resolution]: 1}
    assert known.kind.name == "binary"
    assert known.responses.scenarios["cluster"].nunique() == resolved["Post ID"].nunique()
    assert known.cluster == "Post ID"
    asked.assign(**{"Post ID": asked["Question ID"]}).to_csv("question_data.csv", index=False)
    assert looked("question_data.csv", "forecast_data.csv")[0].cluster == "none"


def test_forecasts_of_one_person_are_read():
    _, frame = metaculus()
    frame[frame["Forecaster Username"] == "jane"].to_csv("forecast_data.csv", index=False)
    known, _ = looked("question_data.csv", "forecast_data.csv")
    assert known.simulators == ["jane"]


def test_forecastbench_is_read_by_question_and_date():
    dates = ["2025-12-28", "2026-01-20"]
    kinds = [("x1", "fred", None), (["x2", "x3"], "acled", [1, -1]), ("m1", "manifold", None)]
    kinds += [("m2", "polymarket", None)]
    outcomes = {"x1": [0.0, 1.0], "m1": [1.0], "m2": [0.4]}
    resolutions, forecasts = [], []
    for place, (name, source, direction) in enumerate(kinds):
        of_dates = dates if source in ("fred", "acled") else dates[:1]
        for at, date in enumerate(of_dates):
            value = outcomes.get(name if isinstance(name, str) else "", [1.0, 0.0])[at]
            question = {"id": name, "source": source, "direction": direction}
            resolved = {"resolved_to": value, "resolved": value in (0.0, 1.0)}
            resolutions.append({**question, "resolution_date": date, **resolved})
            when = date if len(of_dates) > 1 else None
            p = round(0.1 + 0.2 * place + 0.05 * at, 3)
            forecasts.append({**question, "forecast": p, "resolution_date": when, "reasoning": "A"})
    forecasts.append({**forecasts[0], "resolution_date": "2035-12-21"})
    head = {"question_set": "2025-12-21-llm.json", "forecast_due_date": "2025-12-21"}
    Path("resolved.json").write_text(json.dumps({**head, "resolutions": resolutions}))
    Path("m.json").write_text(json.dumps({**head, "model": "m-1", "forecasts": forecasts}))
    known, told = looked("resolved.json", "m.json")
    assert "5 are known; left out: 1 that are not" in told
    pair = '["x2", "x3"] [1, -1]'
    assert {name: p for (name, _), p in stated(known.responses).items()} == pytest.approx(
        {
            "x1 2025-12-28": 0.1,
            "x1 2026-01-20": 0.15,
            f"{pair} 2025-12-28": 0.3,
            f"{pair} 2026-01-20": 0.35,
            "m1": 0.5,
        }
    )
    assert answers(known.responses, "human")["x1 2026-01-20"] == {"1": 1}
    assert known.simulators == ["m-1"]
    assert known.responses.scenarios["cluster"].nunique() == 3
