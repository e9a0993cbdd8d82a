"""What is asked: planned from the scenarios, before any model is there."""

from collections import Counter

import pytest
from chat_server import planned

from fidelity_study.ask.prompts import (
    Scenario,
    content_key,
    messages,
    option_orders,
    respondents,
)
from fidelity_study.errors import DataError

PEOPLE = {"a young man": 30.0, "an old woman": 70.0}
PETS = Scenario("pets", "Do you like {options}?", [1.0, 2.0, 5.0], ["Cats", "Dogs", "No"], PEOPLE)
KEY = (1, "survey", "pets")


def of_four(*scenarios, **how):
    """Return the prompts of four personas, each asked twice."""
    return planned(scenarios, **{"personas": 4, "draws": 2, "system": "Answer.", **how})


def test_there_is_a_prompt_for_each_scenario_respondent_and_draw():
    prompts = of_four(PETS, Scenario("more", "?", [0.0, 1.0], ["No", "Yes"], {}))
    asked = [(prompt.scenario, prompt.respondent, prompt.draw) for prompt in prompts]
    assert asked == [(s, i, k) for s in ("pets", "more") for i in range(4) for k in range(2)]
    assert len({prompt.key for prompt in prompts}) == len(prompts)


def test_a_prompt_says_the_question_first_and_the_persona_last():
    (prompt, *_) = of_four(PETS)
    system, user = prompt.request["messages"]
    assert system == {"role": "system", "content": "Answer."}
    lines = user["content"].split("\n")
    assert lines[0] == PETS.question
    shown = dict(zip(PETS.values, PETS.options, strict=True))
    named = [f"{letter}. {shown[v]}" for letter, v in zip("ABC", prompt.order, strict=True)]
    assert lines[1:4] == named
    assert lines[4:] == [f"You are {prompt.persona}.", "Letter:"]


def test_braces_and_backslashes_in_a_question_stay_as_they_are():
    (sent,) = messages("", "{question} {options}", r"{persona} \1 {options}", ["x"], "me")
    assert sent["content"] == r"{persona} \1 {options} A. x"


def test_without_personas_nobody_is_spoken_of():
    (prompt, *_) = of_four(Scenario("more", "?", [0.0, 1.0], ["No", "Yes"], {}))
    assert "You are" not in prompt.request["messages"][1]["content"]


def test_personas_come_as_often_as_among_the_respondents():
    drawn = Counter(respondents(PEOPLE, 4000, *KEY))
    assert drawn["an old woman"] / 4000 == pytest.approx(0.7, abs=0.03)
    assert respondents({"nobody": 0.0, "all": 3.0}, 50, *KEY) == ["all"] * 50


def test_more_respondents_leave_the_first_ones_as_they_are():
    few, many = of_four(PETS), of_four(PETS, personas=9)
    assert few == many[: len(few)]


def test_other_scenarios_and_more_draws_leave_prompts_as_they_are():
    keys = {prompt.key for prompt in of_four(PETS)}
    others = of_four(Scenario("first", "?", [0.0, 1.0], ["a", "b"], {}), PETS, draws=3)
    assert keys < {prompt.key for prompt in others}


def test_each_option_stands_at_each_place_equally_often():
    orders = option_orders(5, 20, *KEY)
    assert Counter(enumerate_all(orders)) == {(i, v): 4 for i in range(5) for v in range(5)}
    assert option_orders(5, 7, *KEY) == orders[:7]
    assert len({tuple(order) for order in orders}) > 5


def enumerate_all(orders):
    return [pair for order in orders for pair in enumerate(order)]


def test_the_key_is_of_all_that_determines_the_answer():
    base = of_four(PETS)[0]
    for change in (
        {"temperature": 0.5},
        {"max_tokens": 4},
        {"system": "Do."},
        {"model": "large"},
        {"extra": {"top_p": 0.9}},
        {"extra": {"max_tokens": None}},
    ):
        assert of_four(PETS, **change)[0].key != base.key
    assert content_key({"a": 1, "b": 2}, 3) == content_key({"b": 2, "a": 1}, 3)
    assert of_four(PETS, seed=2)[0].key != base.key


def test_draws_are_told_apart_even_if_the_endpoint_knows_no_seed():
    prompts = of_four(PETS, extra={"seed": None})
    assert all("seed" not in prompt.request for prompt in prompts)
    assert len({prompt.key for prompt in prompts}) == len(prompts)


def test_the_same_probabilities_are_asked_for_once():
    prompts = of_four(PETS, mode="probabilities", personas=60, draws=1)
    messages_of = {str(prompt.request["messages"]) for prompt in prompts}
    assert len({prompt.key for prompt in prompts}) == len(messages_of) < len(prompts)
    assert all(prompt.request["top_logprobs"] == 20 for prompt in prompts)


def test_more_options_than_letters_are_refused():
    values = [float(i) for i in range(21)]
    with pytest.raises(DataError, match=r"scenario 'many' has 21 options; .* at most 20"):
        of_four(Scenario("many", "?", values, [str(v) for v in values], {}))
