"""Endpoints that ask to wait for long, and endpoints that claim to have used nothing."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from itertools import count
from math import log
from types import SimpleNamespace

import pytest
from chat_server import asked_of, planned, serving

from fidelity_study.app.run.forecast import forecast, in_words
from fidelity_study.ask.budget import is_told, most_tokens, tokens_used
from fidelity_study.ask.client import ask, asked_wait
from fidelity_study.ask.collect import asked_table, check_usable, is_cut
from fidelity_study.ask.completion import NoLogProbabilitiesError, parts_of
from fidelity_study.ask.prompts import Scenario
from fidelity_study.ask.store import Store
from fidelity_study.errors import DataError

SCENARIOS = [Scenario(f"q{i}", f"Is it {i}?", [0.0, 1.0], ["No", "Yes"], {}) for i in range(6)]


@pytest.fixture
def prompts():
    return planned(SCENARIOS)


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
    said = iter(["A", (429, {"Retry-After": header}, "")])
    server.answer = lambda body: next(said)
    asks_to_wait = rf"5 of 6 .*the endpoint asks to wait for {words} \(Retry-After\), and a run"
    with pytest.raises(DataError, match=asks_to_wait + ".*start it again when that is over.*kept"):
        ask(prompts, store, runs, 1)
    assert len(server.requests) == 2
    server.answer = lambda body: "B"
    ask(prompts, Store(store.folder), runs, 1)
    assert len(server.requests) == 2 + 5


def test_a_short_wait_is_waited_for(prompts, store, runs, server):
    said = iter([(503, {"Retry-After": "1"}, ""), *("A" * 6)])
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
    more = planned(SCENARIOS, personas=2)
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
    return {
        "request": json.dumps(planned(SCENARIOS)[0].request),
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


PROMPT = SimpleNamespace(
    key="k", request={"model": "served", "messages": [{"role": "user", "content": "private"}]}
)


PROMPTS = planned(
    [Scenario("cats", "Do you like cats?", [0.0, 1.0], ["No", "Yes"], {})],
    **{"personas": 12, "max_tokens": 16, "prompt": "{question} {options}"},
)
CUT = partial(is_cut, "answers")


def cut(server, store, **asking) -> str:
    """Ask an endpoint all of whose answers end at the limit of their tokens; return what is said.

    That is nothing where all are answered.
    """
    server.finish_reason = "length"
    try:
        ask(PROMPTS, store, asked_of(server) | asking, 1, is_cut=CUT)
    except DataError as error:
        return str(error)
    return ""


def test_asking_ends_where_the_first_five_answers_were_cut(tmp_path):
    with serving(lambda body: "Let me think about") as server:
        told = cut(server, Store(tmp_path))
        assert "7 of 12 prompts have no answer: the first 5 answers were cut at 16 tokens" in told
        assert "max_tokens: 2000" in told
        assert "the first 5" in cut(server, Store(tmp_path))
        assert len(server.requests) == 5  # nor is anything asked the second time


def test_an_answer_that_was_cut_behind_its_option_is_whole(tmp_path):
    answers = count()
    with serving(lambda body: "I think" if next(answers) < 4 else "A. Because") as server:
        assert cut(server, Store(tmp_path / "one")) == ""
    with serving(lambda body: "I think") as server:
        ask(PROMPTS, Store(tmp_path / "two"), asked_of(server), 1, is_cut=CUT)  # stopped by itself
        assert len(server.requests) == 12


def test_a_model_of_which_nothing_is_usable_is_told_by_its_own_words(tmp_path):
    store = Store(tmp_path)
    with serving(lambda body: "As a model I cannot") as server:
        ask(PROMPTS, store, asked_of(server), 1)
        server.finish_reason = "length"
    table = asked_table(PROMPTS, store.answers, "answers")
    assert {*table["finish_reason"].to_pylist()} == {"stop"}
    with pytest.raises(DataError, match=r"most often it said 'As a model I cannot'; .* its prompt"):
        check_usable("served", table)
    kept = {key: row | {"finish_reason": "length"} for key, row in store.answers.items()}
    with pytest.raises(DataError, match=r"12 of them cut at the limit of .* raise max_tokens or"):
        check_usable("served", asked_table(PROMPTS, kept, "answers"))


def test_a_body_that_is_no_json_is_asked_for_again(tmp_path):
    answers = count()
    with serving(lambda body: b"upstream reset" if next(answers) < 2 else "A") as server:
        ask([PROMPT], Store(tmp_path / "one"), asked_of(server), 1)
        assert len(server.requests) == 3
    with serving(lambda body: b"upstream reset") as server:
        few = asked_of(server) | {"retries": 1}
        with pytest.raises(DataError, match="not with a chat completion, but with 'upstream reset"):
            ask([PROMPT], Store(tmp_path / "two"), few, 1)


def redirected(target: str, tmp_path) -> tuple[list[dict], list[dict], str]:
    """Ask an endpoint that redirects to a host; return what came to both, and what is said."""
    with serving(lambda body: "yes") as other:
        address = other.url.replace("127.0.0.1", target) + "/chat/completions"
        with serving(lambda body: (307, {"Location": address}, "")) as first:
            told = ""
            try:
                ask([PROMPT], Store(tmp_path / "store"), asked_of(first) | {"retries": 0}, 1)
            except DataError as error:
                told = str(error)
            return first.requests, other.requests, told


def test_prompts_go_to_no_other_host_than_that_of_the_config(tmp_path):
    sent, elsewhere, told = redirected("localhost", tmp_path)
    assert (len(sent), elsewhere) == (1, [])
    assert "redirects to the host localhost" in told
    assert "as endpoint" in told


def test_a_redirect_on_the_same_host_is_followed(tmp_path):
    _, elsewhere, told = redirected("127.0.0.1", tmp_path)
    assert (len(elsewhere), told) == (1, "")


def response(*probabilities: float) -> SimpleNamespace:
    """Return a completion with the log-probabilities of its first token."""
    top = [SimpleNamespace(token=chr(65 + i), logprob=log(p)) for i, p in enumerate(probabilities)]
    logprobs = SimpleNamespace(content=[SimpleNamespace(top_logprobs=top)])
    message = SimpleNamespace(content="A", refusal=None)
    return SimpleNamespace(choices=[SimpleNamespace(message=message, logprobs=logprobs)])


def test_log_probabilities_that_sum_to_more_than_one_are_refused():
    with pytest.raises(NoLogProbabilitiesError, match="sum to 2"):
        parts_of(response(1.0, 1.0), with_logprobs=True)
    parts = parts_of(response(0.7, 0.2, 0.1001), with_logprobs=True)  # rounded by the endpoint
    assert len(parts["logprobs"]) == 3
