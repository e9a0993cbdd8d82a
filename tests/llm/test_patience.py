"""Endpoints that ask to wait for long, and endpoints that claim to have used nothing."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from chat_server import asked_of, serving

from fidelity_study.app.run.forecast import forecast, in_words
from fidelity_study.ask.budget import is_told, most_tokens, tokens_used
from fidelity_study.ask.client import ask, asked_wait
from fidelity_study.ask.prompts import Scenario, plan
from fidelity_study.ask.store import Store
from fidelity_study.errors import DataError

SCENARIOS = [Scenario(f"q{i}", f"Is it {i}?", [0.0, 1.0], ["No", "Yes"], {}) for i in range(6)]
ASKS = {
    "mode": "answers",
    "personas": 1,
    "draws": 1,
    "temperature": 1.0,
    "max_tokens": 3,
    "system": "",
    "prompt": "{question}\n{options}\nLetter:",
    "model": "served",
    "extra": {},
}


@pytest.fixture
def prompts():
    return plan({"seed": 1, "dataset": "survey", "asks": ASKS}, SCENARIOS)


@pytest.fixture
def server():
    with serving(lambda body: "A") as running:
        yield running


@pytest.fixture
def runs(server):
    return asked_of(server)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "survey" / "model")


def date_in(hours):
    return format_datetime(datetime.now(UTC) + timedelta(hours=hours), usegmt=True)


@pytest.mark.parametrize(
    ("header", "words"),
    [("7500", "2 h 05 min"), ("121", "2 min 01 s"), (3, r"(2 h 5\d|3 h 00) min")],
)
def test_a_long_wait_is_told_and_nothing_more_is_asked(prompts, store, runs, server, header, words):
    header = date_in(header) if isinstance(header, int) else header
    said = iter(["A", (429, {"Retry-After": header})])
    server.answer = lambda body: next(said)
    asks_to_wait = rf"5 of 6 .*the endpoint asks to wait for {words} \(Retry-After\), and a run"
    with pytest.raises(DataError, match=asks_to_wait + ".*start it again when that is over.*kept"):
        ask(prompts, store, runs, 1)
    assert len(server.requests) == 2
    server.answer = lambda body: "B"
    ask(prompts, Store(store.folder), runs, 1)
    assert len(server.requests) == 2 + 5


def test_a_short_wait_is_waited_for(prompts, store, runs, server):
    said = iter([(503, {"Retry-After": "1"}), *("A" * 6)])
    server.answer = lambda body: next(said)
    assert ask(prompts, store, runs, 1) == []


@pytest.mark.parametrize("header", ["", "soon", "nan", "inf", "Thu, 99 Foo 2020"])
def test_what_is_no_time_is_no_wait(header):
    assert asked_wait({"retry-after": header}) == 0.0
    assert asked_wait({}) == 0.0


@pytest.mark.sampled
@pytest.mark.parametrize(
    "usage",
    [
        None,
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    ],
)
def test_a_claim_to_have_used_nothing_does_not_unlock_the_budget(
    prompts, store, runs, server, usage
):
    server.usage = usage
    bounds = [sum(most_tokens(prompt.request)) for prompt in prompts]
    tight = runs | {"budget": {"tokens": sum(bounds[:2])}}
    for _ in range(2):
        with pytest.raises(DataError, match="the budget is used up") as told:
            ask(prompts, Store(store.folder), tight, 1)
        assert len(server.requests) == 2
    assert str(told.value).count("does not report the tokens") == 0
    kept = Store(store.folder)
    assert sum(kept.used()) == sum(bounds[:2])
    notes = ask(prompts, kept, runs, 1)
    assert len(notes) == 1
    assert "reports 0 though text was sent" in notes[0]
    found = forecast(prompts, Store(store.folder).answers, runs)
    assert (found.kept, found.is_told) == (6, False)
    more = plan({"seed": 1, "dataset": "survey", "asks": {**ASKS, "personas": 2}}, SCENARIOS)
    words = in_words(forecast(more, Store(store.folder).answers, runs), {})
    assert words.endswith(
        "reported no tokens for kept answers, which count as the most there can be"
    )


def test_the_note_comes_with_what_ends_the_asking(prompts, store, runs, server):
    server.usage = {"prompt_tokens": 0, "completion_tokens": 0}
    bounds = [sum(most_tokens(prompt.request)) for prompt in prompts]
    with pytest.raises(DataError, match=r"budget is used up.*Note: the endpoint does not report"):
        ask(prompts, store, runs | {"budget": {"tokens": bounds[0]}}, 1)


def row(prompt, answer, text="A", **changed):
    (planned, *_) = plan({"seed": 1, "dataset": "survey", "asks": ASKS}, SCENARIOS)
    return {
        "request": json.dumps(planned.request),
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "text": text,
        "model": "served",
        "refused": False,
        **changed,
    }


def test_each_part_that_is_not_told_counts_as_its_most():
    most, _ = tokens_used(row(None, None))
    assert most > 20
    assert tokens_used(row(None, None)) == (most, 3)
    assert tokens_used(row(0, 2)) == (most, 2)
    assert tokens_used(row(40, 0)) == (40, 3)
    assert tokens_used(row(40, 0, text="")) == (40, 0)
    assert tokens_used(row(40, 2)) == (40, 2)
    filtered = row(0, 0, text="", model="", refused=True)
    assert tokens_used(filtered) == (0, 0)
    assert is_told(filtered) and is_told(row(40, 2)) and not is_told(row(40, 0))
