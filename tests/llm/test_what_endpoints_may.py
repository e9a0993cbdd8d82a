"""Endpoints that send prompts elsewhere, or probabilities that are none."""

from math import log
from types import SimpleNamespace

import pytest
from chat_server import asked_of, serving

from fidelity_study.ask.client import ask
from fidelity_study.ask.completion import NoLogProbabilitiesError, parts_of
from fidelity_study.ask.store import Store
from fidelity_study.errors import DataError

PROMPT = SimpleNamespace(
    key="k", request={"model": "served", "messages": [{"role": "user", "content": "private"}]}
)


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
