"""Configs that ask language models: what is filled in, and what is refused."""

from copy import deepcopy
from datetime import date
from math import inf, nan

import pytest

from fidelity_study.config.params import simulate_step
from fidelity_study.config.params import step as step_of
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

ASKING = {
    "models": {
        "here": {"endpoint": "embedded"},
        "there": {
            "endpoint": "https://example.org/v1",
            "model": "large",
            "key_variable": "LARGE_KEY",
            "extra": {"seed": None},
        },
    },
    "datasets": {
        "items": {
            "ingest": "bfi",
            "outcome": {"kind": "ordinal"},
            "cluster": "trait",
            "simulators": ["uniform"],
            "simulate": {
                "small-1.5": {"model": "here", "mode": "probabilities"},
                "large": {"model": "there", "mode": "answers", "draws": 2},
            },
        }
    },
}


@pytest.fixture
def config():
    return deepcopy(ASKING)


def faults_of(config):
    with pytest.raises(DataError) as refusal:
        Study(config)
    return str(refusal.value).splitlines()


def test_models_are_simulators_beside_the_others_and_ingest_does_not_know(config):
    study = Study(config)
    assert study.datasets["items"]["simulators"] == ["uniform", "small-1.5", "large"]
    assert study.asked() == ["small-1.5", "large"]
    assert study.runs("answers") == [{"dataset": "items"}]
    ingest = step_of(study, "ingest", "items")
    assert ingest["simulators"] == ["uniform"]
    assert step_of(study, "quantile", "items", "all") is not None
    assert step_of(study, "bootstrap_simulators", "items")["simulators"][1] == "small-1.5"
    config["datasets"]["items"].pop("simulate")
    without = Study(config)
    assert without.runs("answers") == []
    assert step_of(without, "ingest", "items") == ingest


def labels(config):
    return {name: each["label"] for name, each in Study(config).datasets["items"]["names"].items()}


def test_a_model_is_called_by_its_own_name_and_how_it_is_asked(config):
    items = config["datasets"]["items"]
    assert labels(config) == {
        "uniform": "uniform guess",
        "small-1.5": "here, next-token probabilities",
        "large": "there, sampled answers",
    }
    items["simulate"]["again"] = {"model": "there", "mode": "answers", "temperature": 0.5}
    assert labels(config)["large"] == "there, sampled answers (large)"
    assert labels(config)["again"] == "there, sampled answers (again)"
    items["simulate"]["large"] |= {"label": "large model", "describe": "As it comes."}
    assert labels(config)["large"] == "large model"
    assert labels(config)["again"] == "there, sampled answers"
    items["simulators"] = {"large": {"label": "LM"}, "uniform": None}
    large = Study(config).datasets["items"]["names"]["large"]
    assert large == {"label": "LM", "describe": "As it comes."}


def test_words_change_no_answer(config):
    step = simulate_step(Study(config), "items", "large")
    config["datasets"]["items"]["simulate"]["large"] |= {"label": "LM", "describe": "A model."}
    assert simulate_step(Study(config), "items", "large") == step


def test_a_simulator_that_is_asked_may_be_listed_to_stand_where_it_should(config):
    config["datasets"]["items"]["simulators"] = ["large", "uniform"]
    study = Study(config)
    assert study.datasets["items"]["simulators"] == ["large", "uniform", "small-1.5"]
    assert step_of(study, "ingest", "items")["simulators"] == ["uniform"]


def test_a_step_holds_what_determines_answers_apart_from_how_they_are_got(config):
    step = simulate_step(Study(config), "items", "large")
    assert step["asks"]["model"] == "large"
    assert step["asks"]["extra"] == {"seed": None}
    assert step["asks"]["draws"] == 2
    assert step["runs"]["key_variable"] == "LARGE_KEY"
    config["models"]["there"] |= {"concurrency": 9, "endpoint": "https://mirror.example.org/v1"}
    moved = simulate_step(Study(config), "items", "large")
    assert moved["asks"] == step["asks"]
    assert moved["runs"]["concurrency"] == 9


def test_the_embedded_model_answers_without_a_cache(config):
    step = simulate_step(Study(config), "items", "small-1.5")
    assert step["asks"]["extra"]["cache_prompt"] is False
    assert step["asks"]["model"] == "SmolLM2-135M-Instruct.Q4_1.gguf"
    config["models"]["here"] |= {"model": "/data/other.gguf", "extra": {"top_k": 40}}
    step = simulate_step(Study(config), "items", "small-1.5")
    assert step["asks"]["extra"]["top_k"] == 40
    assert step["asks"]["model"] == step["runs"]["model"] == "/data/other.gguf"


def in_model(**keys):
    return lambda config: config["models"]["there"].update(keys)


def in_asking(**keys):
    return lambda config: config["datasets"]["items"]["simulate"]["large"].update(keys)


def unlimited(**keys):
    def change(config):
        in_model(**keys)(config)
        in_asking(budget={"tokens": 9})(config)

    return change


def test_a_budget_with_any_limit_is_sound(config):
    for extra in ({}, {"max_tokens": None, "max_completion_tokens": 9}, {"max_tokens": 5}):
        unlimited(extra=extra)(config)
        assert Study(config)
    in_model(extra={"max_tokens": None})(config)
    in_asking(budget={})(config)
    assert Study(config)


def named(name):
    def rename(config):
        simulate = config["datasets"]["items"]["simulate"]
        simulate[name] = simulate.pop("large")

    return rename


NO_ADDRESSES = [
    *("https://user:pass@example.org", "https://example.org/v1?key=3", "http:///v1"),
    *("http://[::1", "http://x:port", "http://127.0.0.1:99999/v1", "http://a b/v1"),
    *("file:///etc/passwd", "javascript:alert(1)", "unix:///run/x.sock", "localhost:8000"),
]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (in_asking(model="her"), ["simulate.large.model: 'her'", "did you mean here?"]),
        (in_asking(model="x"), ["simulate.large.model: 'x'", "there are: here, there"]),
        (in_asking(mode="chat"), ["simulate.large.mode: 'chat' is not answers, probabilities or"]),
        (in_asking(mode="probabilities"), ["simulate.large.draws", "take draws away"]),
        (in_asking(prompt="{question}?"), ["simulate.large.prompt", "{options}"]),
        (in_asking(budget={"cost": 3}), ["budget.cost: needs models.there.price"]),
        (in_asking(budget={"token": 3}), ["unknown key 'token'; did you mean tokens?"]),
        (in_asking(personas=0), ["simulate.large.personas: 0"]),
        (in_asking(temperatur=1), ["'temperatur'; did you mean temperature?"]),
        (in_model(key="sk-1"), ["models.there: unknown key 'key'"]),
        (in_model(key_variable="sk-1"), ["models.there.key_variable", "environment variable"]),
        *((in_model(endpoint=wrong), ["models.there.endpoint"]) for wrong in NO_ADDRESSES),
        (in_model(timeout=10**400), ["models.there.timeout", "a number of seconds"]),
        (in_asking(personas=10**400), ["simulate.large.personas", "a whole number"]),
        (in_model(extra={"max_tokens": "9"}), ["extra.max_tokens: '9'", "a whole number"]),
        (
            unlimited(extra={"max_tokens": None}),
            ["there.extra.max_tokens: is null", "needs a limit"],
        ),
        (
            unlimited(extra={"max_tokens": None, "max_completion_tokens": None}),
            ["put max_completion_tokens beside it"],
        ),
        (in_model(extra={5: 1}), ["models.there.extra: 5 is not"]),
        (in_model(extra={"day": date(2020, 1, 1)}), ["models.there.extra", "put texts in quotes"]),
        (in_model(extra={"x": nan}), ["models.there.extra", "cannot be sent as JSON"]),
        (
            lambda config: config["models"]["here"].update(extra={"logprobs": None}),
            ["models.here.extra.logprobs", "simulate.small-1.5 asks for probabilities"],
        ),
        (in_model(endpoint="example.org"), ["models.there.endpoint", "embedded"]),
        (in_model(extra={"messages": []}), ["extra", "other than messages"]),
        (in_model(retries=inf), ["models.there.retries: inf", "0 to 100"]),
        (in_model(concurrency=0), ["models.there.concurrency: 0"]),
        (lambda config: config["models"]["there"].pop("model"), ["models.there: 'model'"]),
        (named("../up"), ["simulate", "'../up' is not letters"]),
        (named("stated"), ["simulate", "'stated' is not letters"]),
        (named("a b"), ["simulate", "'a b' is not letters"]),
        (named("x\n"), ["simulate", "is not letters"]),
    ],
)
def test_a_fault_is_told_in_one_line(config, change, words):
    change(config)
    (line,) = faults_of(config)
    assert all(word in line for word in words), line


@pytest.mark.parametrize(
    "endpoint",
    ["http://localhost:11434/v1", "http://[::1]:8080/v1", "https://a.example", "http://h/"],
)
def test_addresses_that_are_taken(config, endpoint):
    config["models"]["there"]["endpoint"] = endpoint
    assert Study(config).models["there"]["endpoint"] == endpoint


@pytest.mark.parametrize(
    "keys", [{"endpoint": "https://user:sk-1@example.org"}, {"key_variable": "sk-1"}]
)
def test_a_key_in_a_wrong_place_is_not_repeated(config, keys):
    config["models"]["there"] |= keys
    assert "sk-1" not in "".join(faults_of(config))


def test_numbers_cannot_be_asked_for(config):
    items = config["datasets"]["items"]
    items |= {"outcome": {"kind": "bounded"}, "grid": {"discrepancy": ["absolute"]}}
    assert any("simulate: bounded outcomes are numbers" in line for line in faults_of(config))
