"""What asking will take, forecast and then measured on a real model."""

import re

import pytest
from test_config_of_models import ASKING

from fidelity_study.app.run import forecast as forecasts
from fidelity_study.app.run.forecast import Forecast, forecast, foreseen, in_words
from fidelity_study.ask.client import ask
from fidelity_study.ask.prompts import Scenario, plan
from fidelity_study.ask.store import Store
from fidelity_study.config.study import Study
from fidelity_study.tables.ingest import PERSONAS, SCENARIOS
from fidelity_study.tables.read_write import write_rows

PEOPLE = {
    "a woman of 34 who lives in a small town and has three children": 3.0,
    "a man of 71 who has retired from a steel mill": 7.0,
}
QUESTIONS = {
    "abortion": "Should a woman be able to get a legal abortion if she is married and does not "
    "want any more children?",
    "trust": "Would you say that most people can be trusted, or that you can't be too careful in "
    "dealing with people?",
    "taxes": "Do you consider the amount of federal income tax which you have to pay as too high, "
    "about right, or too low?",
}
OPTIONS = ["Yes, in any case", "It depends", "No, never"]
PRICE = {"prompt": 2e5, "completion": 6e5}


@pytest.fixture
def step(asks):
    system = "Take part in a survey. Reply with the letter of one option and nothing else."
    return {"seed": 1, "dataset": "survey", "asks": asks | {"personas": 4, "system": system}}


def planned(step, **asks):
    scenarios = [
        Scenario(name, text, [1.0, 2.0, 3.0], OPTIONS, PEOPLE) for name, text in QUESTIONS.items()
    ]
    return plan(step | {"asks": step["asks"] | asks}, scenarios)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "survey" / "model")


def used(store, prompts):
    rows = [store.answers[key] for key in {prompt.key for prompt in prompts}]
    return tuple(sum(row[f"{name}_tokens"] for row in rows) for name in ("prompt", "completion"))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["answers", "probabilities"])
def test_what_was_forecast_is_asked(step, store, runs, proxy, mode):
    prompts = planned(step, mode=mode)
    found = forecast(prompts, store.answers, runs)
    ask(prompts, store, runs, 1)
    assert len(proxy.requests) == found.prompts
    assert found.prompts == len(prompts) if mode == "answers" else found.prompts <= 3 * 2 * 3
    assert (found.kept, found.is_measured, found.cost) == (0, False, None)
    prompt, completion = used(store, prompts)
    assert found.prompt == pytest.approx(prompt, rel=0.1)
    assert completion <= found.completion <= 3 * completion
    assert forecast(prompts, store.answers, runs).kept == found.prompts


@pytest.mark.slow
def test_tokens_are_as_in_the_answers_that_are_kept(step, store, runs, proxy):
    prompts = planned(step, personas=10)
    ask(prompts[::3], store, runs, 1)
    before = len(proxy.requests)
    found = forecast(prompts, store.answers, runs | {"price": PRICE})
    whole = sum(used(store, prompts[::3])) + found.prompt + found.completion
    for share, is_enough in ((0.9, False), (1.3, True)):
        budget = {"budget": {"tokens": round(share * whole)}}
        assert forecast(prompts, store.answers, runs | budget).suffices == is_enough
    ask(prompts, store, runs, 1)
    assert len(proxy.requests) - before == found.prompts - found.kept == 20
    prompt, completion = used(store, [each for each in prompts if each not in prompts[::3]])
    assert found.is_measured
    assert found.prompt == pytest.approx(prompt, rel=0.03)
    assert found.completion == pytest.approx(completion, rel=0.15)
    assert found.cost == pytest.approx(found.prompt * 0.2 + found.completion * 0.6)
    prompt, completion = used(store, prompts[::3])
    assert found.used == pytest.approx(prompt * 0.2 + completion * 0.6)


def test_answers_to_other_prompts_tell_nothing_of_tokens(step, store, runs):
    ask(planned(step, mode="probabilities")[:1], store, runs, 1)
    found = forecast(planned(step), store.answers, runs)
    assert (found.kept, found.is_measured) == (0, False)


def test_answers_without_a_limit_have_no_number(step, runs):
    prompts = planned(step, extra={"max_tokens": None})
    found = forecast(prompts, {}, runs | {"price": PRICE})
    assert (found.completion, found.cost) == (None, None)
    assert "and completion tokens without a limit" in in_words(found, {})


@pytest.mark.parametrize(
    ("found", "budget", "words"),
    [
        (Forecast(50, 50, used=3.0), {"cost": 5}, "50 prompts, all of them answered already"),
        (
            Forecast(1350, 120, 41234, 2345, True, 0.00812, 0.004),
            {"cost": 5},
            "1,350 prompts, 120 of them answered already; about 41,000 prompt tokens and 2,300 "
            "completion tokens (as in the answers that are kept); cost about 0.0081, and 0.004 "
            "before; the budget, cost 5, is enough",
        ),
        (
            Forecast(350, 0, 41234, 2345, suffices=False),
            {"tokens": 10_000},
            "350 prompts; about 41,000 prompt tokens (1 for each 4 bytes, 8 for each message) and "
            "at most 2,345 completion tokens; the budget, 10,000 tokens, is not enough: asking "
            "ends at it",
        ),
    ],
)
def test_words(found, budget, words):
    assert in_words(found, budget) == words


@pytest.fixture
def study(here):
    return Study(ASKING)


MADE = {f"items/simulate/{name}.parquet": "simulate" for name in ("small-1.5", "large")}
TABLES = {f"items/{name}.parquet": "ingest_bfi" for name in ("scenarios", "personas")}


def told(study, **made):
    return [each.words for each in foreseen(study, "results", MADE | made)]


def test_before_the_questions_are_read_their_number_is_not_known(study):
    assert told(study, **TABLES) == [
        f"forecast of items, {name}: {many} prompts for each question; how many questions there "
        "are is known after a run with --until ingest_bfi"
        for name, many in (("small-1.5 (model here)", "at most 25"), ("large (model there)", 50))
    ]


def tables(folder, many):
    (folder / "results/items").mkdir(parents=True)
    each = {"question": "Really?", "value": [1.0, 2.0], "option": ["No", "Yes"]}
    rows = [{"scenario": f"q{i}", **each} for i in range(many)]
    write_rows("results/items/scenarios.parquet", rows, SCENARIOS, {})
    write_rows("results/items/personas.parquet", [], PERSONAS, {})


def test_only_what_the_run_asks_is_forecast(study, tmp_path):
    tables(tmp_path, 4)
    stated, sampled = told(study)
    assert "100 prompts; about" not in stated
    assert "items, large (model there): 200 prompts; about " in sampled
    remade = "; its tables are made anew before, which may change it"
    assert told(study, **TABLES) == [stated + remade, sampled + remade]
    assert foreseen(study, "results", TABLES) == []
    assert not (tmp_path / "asked").exists()


def test_prompts_without_number_are_not_looked_at(study, tmp_path, monkeypatch):
    monkeypatch.setattr(forecasts, "MOST_PROMPTS", 150)
    tables(tmp_path, 4)
    stated, sampled = told(study)
    assert re.search(r"model here\): \d+ prompts; about", stated)
    words = "since up to 200 prompts are more than the 150 that are looked at before a run"
    assert sampled.endswith(f"(model there): there is none, {words}")
