"""Endpoints that send prompts elsewhere, cut answers, or send no JSON or no probabilities."""

from functools import partial
from itertools import count
from math import log
from types import SimpleNamespace

import pytest
from chat_server import asked_of, serving

from fidelity_study.ask.client import ask
from fidelity_study.ask.collect import asked_table, check_usable, is_cut
from fidelity_study.ask.completion import NoLogProbabilitiesError, parts_of
from fidelity_study.ask.prompts import Scenario, plan
from fidelity_study.ask.store import Store
from fidelity_study.errors import DataError

PROMPT = SimpleNamespace(
    key="k", request={"model": "served", "messages": [{"role": "user", "content": "private"}]}
)


ASKS = {
    **{"mode": "answers", "personas": 12, "draws": 1, "temperature": 1.0, "max_tokens": 16},
    **{"system": "", "prompt": "{question} {options}", "model": "served", "extra": {}},
}
PROMPTS = plan(
    {"seed": 1, "dataset": "survey", "asks": ASKS},
    [Scenario("cats", "Do you like cats?", [0.0, 1.0], ["No", "Yes"], {})],
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
        with serving(lambda body: (307, {"Location": address})) as first:
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
