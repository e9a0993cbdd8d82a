"""Shares of a population that a model states: which answers are read, and which are not."""

import json
from itertools import permutations

import numpy as np
import pytest
from chat_server import asked_of, serving

from fidelity_study.ask.client import ask
from fidelity_study.ask.collect import asked_table, missing, stated
from fidelity_study.ask.prompts import Scenario, messages, plan
from fidelity_study.ask.store import Store
from fidelity_study.reading.ingest.parse import is_rescaled, stated_shares
from fidelity_study.steps.nonresponse import rescaled

SHOWN = ["No", "Yes, in any case", "Do not know"]
READ = [
    "A: 40\nB: 50\nC: 10",
    "A. No: 40%\nB. Yes, in any case: 50%\nC. Do not know: 10%",
    "A): 40\n(B): 50\nC: 10",
    "- **A**: 40\n- **B**: 50\n- **C**: 10",
    "A: 40, B: 50, C: 10",
    "C: 10\nA: 40.0\n\nB: 50",
    "No: 40\nYes, in any case: 50\nDo not know: 10",
    "A = 40 people\nB = 50 of 100\nC = 10 out of 100.",
    '{"A": 40, "B": 50, "C": 10}',
    '```json\n{"No": 40, "yes, in any case": "50%", "Do not know": 10.0}\n```',
    "<think>A: 1</think>\nA: 40\nB: 50\nC: 10",
]
UNREAD = [
    "",
    "A: 40\nB: 50",
    "A: 40\nB: 50\nC: 10\nA: 0",
    "A: 40\nB: 50\nC: 10\nD: 0",
    "A: 40\nB: 40\nC: 10",
    "A: 0.4\nB: 0.5\nC: 0.1",
    "A: 140\nB: -50\nC: 10",
    "A: 33,3\nB: 33,3\nC: 33,4",
    "A. Yes, in any case: 40\nB: 50\nC: 10",
    "Here you are:\nA: 40\nB: 50\nC: 10",
    "A: 40 to 50\nB: 40\nC: 10",
    '{"A": 40, "A": 50, "B": 5, "C": 5}',
    '{"A": 40, "B": 50, "C": NaN}',
    '{"A": [40], "B": 50, "C": 10}',
    '{"A": {"B": 50}, "C": 10}',
    '{"A": true, "B": 89, "C": 10}',
    '{"A": 1e999, "B": 50, "C": 10}',
    "[40, 50, 10]",
    '{"A": 40',
    "{" * 100_000,
]


@pytest.mark.parametrize("text", READ)
def test_shares_are_read(text):
    share, total, reason = stated_shares(text, SHOWN)
    assert reason is None
    assert total == pytest.approx(100)
    assert share == pytest.approx([0.4, 0.5, 0.1])


@pytest.mark.parametrize("text", UNREAD)
def test_what_states_no_shares_is_unparsable(text):
    assert stated_shares(text, SHOWN)[::2] == (None, "unparsable")


def test_a_refusal_is_one():
    assert stated_shares("I'm sorry, I cannot tell.", SHOWN)[2] == "refused"


@pytest.mark.parametrize(("total", "is_read"), [(98.9, False), (99, True), (101, True), (102, 0)])
def test_only_sums_of_rounded_shares_are_divided(total, is_read):
    share, told, _ = stated_shares(f"A: 40\nB: 50\nC: {total - 90:g}", SHOWN)
    assert told == pytest.approx(total)
    assert is_rescaled(told)
    assert (share is not None) == is_read
    if is_read:
        assert sum(share) == pytest.approx(1)
        assert share[0] == pytest.approx(40 / total)


def test_whatever_the_order_each_option_gets_its_own_share():
    own = {"No": 40, "Yes, in any case": 50, "Do not know": 10}
    for shown in permutations(own):
        lines = [f"{letter}: {own[text]}" for letter, text in zip("ABC", shown, strict=True)]
        share, _, _ = stated_shares("\n".join(lines[::-1]), list(shown))
        assert share == pytest.approx([own[text] / 100 for text in shown])
        assert share == stated_shares(json.dumps(own), list(shown))[0]


SCENARIO = Scenario("pets", "Best pet?", [1.0, 2.0, 5.0], ["Cats", "Dogs", "No"], {"a man": 3.0})
OWN = {"Cats": 20, "Dogs": 30, "No": 50}


def asks(**changed):
    return {
        "mode": "population",
        "personas": 1,
        "draws": 5,
        "temperature": 1.0,
        "max_tokens": 50,
        "system": "",
        "prompt": "{question}\n{options}\nYou are {persona}.\nOf 100 of {population}?",
        "population": "adults here",
        "model": "served",
        "extra": {},
        **changed,
    }


def planned(**changed):
    return plan({"seed": 1, "dataset": "survey", "asks": asks(**changed)}, [SCENARIO])


def test_a_population_is_asked_about_without_personas_in_several_orders():
    prompts = planned()
    assert len(prompts) == len({prompt.key for prompt in prompts}) == 5
    for prompt in prompts:
        (message,) = prompt.request["messages"]
        lines = message["content"].split("\n")
        assert lines[0] == "Best pet?"
        assert lines[-1] == "Of 100 of adults here?"
        assert len(lines) == 5
        assert prompt.persona == ""
    assert len({tuple(prompt.order) for prompt in prompts}) >= 3
    assert planned(draws=3) == prompts[:3]


def test_a_population_that_is_not_known_is_left_as_it_is():
    (message,) = messages("", "{question} {options} {population}", "Q", ["x"], "")
    assert message["content"].endswith("{population}")


def lines_of(body):
    shown = [line.split(". ", 1) for line in body["messages"][-1]["content"].split("\n")[1:4]]
    return [(letter, OWN[text]) for letter, text in shown]


def test_answers_become_stated_probabilities_and_what_is_malformed_is_counted(tmp_path):
    said = iter(
        [
            lambda lines: "\n".join(f"{letter}: {share}" for letter, share in lines),
            lambda lines: json.dumps(dict(lines)),
            lambda lines: "Cats, mostly.",
            lambda lines: "\n".join(
                f"{letter}: {share - (share == 50)}" for letter, share in lines
            ),
            lambda lines: "I cannot tell, sorry.",
        ]
    )
    prompts, store = planned(), Store(tmp_path / "survey" / "model")
    with serving(lambda body: next(said)(lines_of(body))) as server:
        assert ask(prompts, store, asked_of(server), 1) == []
        assert len(server.requests) == 5
    table = asked_table(prompts, store.answers, "population")
    assert table["reason"].to_pylist() == [None, None, "unparsable", None, "refused"]
    assert table["total"].to_pylist() == [100, 100, None, 99, None]
    assert rescaled(table) == pytest.approx(1 / 3)
    rows = stated("model", table)
    assert [row["value"] for row in rows] == SCENARIO.values
    exact, rounded = np.array([20, 30, 50]) / 100, np.array([20, 30, 49]) / 99
    of = [row["probability"] for row in rows]
    assert of == pytest.approx((2 * exact + rounded) / 3)
    assert {row["reason"]: row["count"] for row in missing("model", table)} == {
        "unparsable": 1,
        "refused": 1,
    }
