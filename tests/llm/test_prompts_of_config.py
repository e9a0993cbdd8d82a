"""Several prompts, and shares, in a config: the simulators they become, and faults."""

from copy import deepcopy

import pytest
from test_config_of_models import ASKING, faults_of

from fidelity_study.app.run.forecast import foreseen
from fidelity_study.ask.prompts import Scenario, plan
from fidelity_study.config.params import simulate_step
from fidelity_study.config.params import step as step_of
from fidelity_study.config.prompts import ANYBODY
from fidelity_study.config.study import Study

PROMPTS = {
    "plain": "{question}\n{options}",
    "role": {"prompt": "You are {persona}.\n{question}\n{options}", "system": "Be brief."},
}
SCENARIO = Scenario("pets", "Best pet?", [1.0, 2.0], ["Cats", "Dogs"], {"a man": 3.0})


@pytest.fixture
def config():
    found = deepcopy(ASKING)
    found["prompts"] = deepcopy(PROMPTS)
    found["datasets"]["items"]["simulate"] = {
        "small": {"model": "here", "mode": "answers", "prompts": ["plain", "role"]},
        "large": {"model": "there", "mode": "probabilities"},
    }
    return found


def items(config):
    return Study(config).datasets["items"]


def small(config):
    return config["datasets"]["items"]["simulate"]["small"]


def keys(config, simulator):
    step = simulate_step(Study(config), "items", simulator)
    return {prompt.key for prompt in plan(step, [SCENARIO])}


def test_each_prompt_is_a_simulator_with_its_own_words(config):
    study = Study(config)
    assert study.asked() == ["small-plain", "small-role", "large"]
    assert items(config)["simulators"] == ["uniform", "small-plain", "small-role", "large"]
    assert items(config)["prompted"] == {"small": ["small-plain", "small-role"]}
    plain, role = (simulate_step(study, "items", f"small-{name}")["asks"] for name in PROMPTS)
    assert plain["prompt"] == PROMPTS["plain"]
    assert plain["system"].startswith("Take part in a survey.")
    assert (role["prompt"], role["system"]) == tuple(PROMPTS["role"].values())
    assert {**plain, "prompt": 0, "system": 0} == {**role, "prompt": 0, "system": 0}
    assert step_of(study, "ingest", "items")["simulators"] == ["uniform"]
    asked = [f"small-{name}" for name in PROMPTS] + ["large"]
    assert study.runs("simulate") == [{"dataset": "items", "asked": name} for name in asked]
    assert study.runs("prompts") == [{"dataset": "items"}]


def test_one_prompt_has_nothing_to_be_compared_with(config):
    small(config)["prompts"] = ["role"]
    assert items(config)["prompted"] == {}
    assert Study(config).runs("prompts") == []
    assert Study(config).asked() == ["small-role", "large"]


def test_a_prompt_alone_is_asked_as_the_same_words_without_a_name(config):
    named = keys(config, "small-plain")
    del small(config)["prompts"]
    small(config)["prompt"] = PROMPTS["plain"]
    assert keys(config, "small") == named


def test_a_changed_text_asks_that_prompt_again_alone(config):
    before = {name: keys(config, f"small-{name}") for name in PROMPTS}
    config["prompts"]["plain"] += "\nLetter:"
    after = {name: keys(config, f"small-{name}") for name in PROMPTS}
    assert before["role"] == after["role"]
    assert not before["plain"] & after["plain"]


def test_a_config_without_the_new_keys_is_as_it_was(config):
    del small(config)["prompts"]
    study = Study(config)
    step = simulate_step(study, "items", "small")
    assert set(step["asks"]) == {
        *("mode", "personas", "draws", "temperature", "max_tokens", "system", "prompt"),
        *("model", "extra"),
    }
    assert study.runs("prompts") == []


def test_labels_are_plain(config):
    names = items(config)["names"]
    assert names["small-role"]["label"] == "here, sampled answers, prompt role"
    small(config).update({"label": "Small LM", "describe": "A model.", "population": True})
    names = items(config)["names"]
    assert names["small-plain"] == {"label": "Small LM, prompt plain", "describe": "A model."}
    assert names["small-population"] == {"label": "Small LM, stated shares", "describe": ""}
    config["datasets"]["items"]["simulators"] = {"small": {"label": "S"}, "uniform": None}
    found = items(config)
    assert found["simulators"] == [
        *("small-plain", "small-role", "small-population", "uniform", "large")
    ]
    assert found["names"]["small-role"]["label"] == "S, prompt role"


def test_a_name_in_the_list_stands_for_all_its_prompts(config):
    config["datasets"]["items"]["simulators"] = ["large", "small", "uniform"]
    assert items(config)["simulators"] == ["large", "small-plain", "small-role", "uniform"]


def test_a_budget_is_for_all_together(config):
    config["models"]["here"]["price"] = {"prompt": 1, "completion": 1}
    small(config)["budget"] = {"tokens": 100, "cost": 5}
    small(config)["population"] = "adults"
    study = Study(config)
    for name in ("plain", "role", "population"):
        budget = simulate_step(study, "items", f"small-{name}")["runs"]["budget"]
        assert budget == {"tokens": 33, "cost": pytest.approx(5 / 3)}


def test_shares_are_asked_for_where_the_config_says_so_only(config):
    assert "small-population" not in Study(config).asked()
    small(config)["population"] = False
    assert "small-population" not in Study(config).asked()
    for said, who in ((True, ANYBODY), ("adults in France", "adults in France")):
        small(config)["population"] = said
        asks = simulate_step(Study(config), "items", "small-population")["asks"]
        assert asks["population"] == who
        assert (asks["mode"], asks["draws"]) == ("population", 5)
        prompts = plan({"seed": 1, "dataset": "items", "asks": asks}, [SCENARIO])
        assert len(prompts) == 5
        assert all(who in prompt.request["messages"][1]["content"] for prompt in prompts)


def test_a_population_may_be_asked_about_by_itself(config):
    simulate = config["datasets"]["items"]["simulate"]
    simulate["large"] = {"model": "there", "mode": "population", "draws": 2, "max_tokens": 99}
    asks = simulate_step(Study(config), "items", "large")["asks"]
    assert (asks["draws"], asks["max_tokens"], asks["population"]) == (2, 99, ANYBODY)
    config["prompts"] = {"one": "{question} {options} {population}", "two": "{options} {question}"}
    simulate["large"]["prompts"] = ["one", "two"]
    simulate.pop("small")
    assert items(config)["prompted"] == {"large": ["large-one", "large-two"]}


def test_a_forecast_counts_prompts_personas_and_times(config, here):
    small(config).update({"personas": 4, "draws": 2, "population": True})
    study = Study(config)
    made = {f"items/simulate/{name}.parquet": "simulate" for name in study.asked()}
    made |= {f"items/{name}.parquet": "ingest_bfi" for name in ("scenarios", "personas")}
    told = {each.simulator: each.words for each in foreseen(study, "results", made)}
    assert ": 8 prompts for each question" in told["small-plain"]
    assert ": 8 prompts for each question" in told["small-role"]
    assert ": 5 prompts for each question" in told["small-population"]


def change(**keys):
    return lambda config: small(config).update(keys)


def prompts(**texts):
    return lambda config: config["prompts"].update(texts)


def twins(config):
    config["datasets"]["items"]["simulate"]["small-role"] = {"model": "here", "mode": "answers"}


def same_words(config):
    config["prompts"]["role"] = {"prompt": PROMPTS["plain"]}


def other_system(config):
    small(config)["system"] = ""
    config["prompts"]["role"] = {"prompt": PROMPTS["plain"], "system": ""}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (change(prompts=["plain", "rolle"]), ["small.prompts: 'rolle'", "did you mean role?"]),
        (change(prompts=["plain", "plain"]), ["small.prompts", "a list of different names"]),
        (change(prompts=[]), ["small.prompts", "a list of different names"]),
        (change(prompts="plain"), ["small.prompts: 'plain' is not a list"]),
        (change(prompt="{question} {options}"), ["small.prompt: prompts stand in its place"]),
        (prompts(plain="{options}"), ["prompts.plain: does not say where {question} goes"]),
        (prompts(role={"prompt": "{question}"}), ["prompts.role", "{options}"]),
        (prompts(role={"prompt": ""}), ["prompts.role.prompt"]),
        (prompts(role={"system": "x"}), ["prompts.role: 'prompt' is missing"]),
        (prompts(role=5), ["prompts.role: 5 is not a text"]),
        (prompts(role={"prompt": "{question}{options}", "sytem": ""}), ["did you mean system?"]),
        (prompts(plain="{question}{options}{personas}"), ["{personas}", "mean {persona}?"]),
        (prompts(**{"a b": "{question}{options}"}), ["prompts", "'a b' is not letters"]),
        (prompts(plain="{question}{options}{population}"), ["small.prompts: 'plain'", "only mode"]),
        (same_words, ["small.prompts: 'plain' and 'role' ask in the same words"]),
        (other_system, ["small.prompts: 'plain' and 'role' ask in the same words"]),
        (twins, ["simulate.small: with prompt 'role'", "'small-role'", "rename one"]),
        (change(population=""), ["small.population: '' is not true, false"]),
        (change(population=3), ["small.population: 3 is not true, false"]),
        (change(mode="population", personas=3), ["small.personas", "take personas away"]),
    ],
)
def test_a_fault_is_told_in_one_line(config, fault, words):
    fault(config)
    (line,) = faults_of(config)
    assert all(word in line for word in words), line


def test_a_name_that_becomes_too_long_is_told(config):
    simulate = config["datasets"]["items"]["simulate"]
    simulate["x" * 57] = simulate.pop("small")
    found = faults_of(config)
    assert len(found) == 2
    assert all("more than 60 characters; shorten a name" in line for line in found)


def test_a_population_without_a_mode_for_it_is_told(config):
    del small(config)["prompts"]
    small(config)["prompt"] = "{question} {options} {population}"
    (line,) = faults_of(config)
    assert "simulate.small.prompt: has {population}, which only mode: population" in line
