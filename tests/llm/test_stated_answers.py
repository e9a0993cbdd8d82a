"""The part of a model's text that it calls its answer."""

import json
from itertools import permutations

import numpy as np
import pytest
from chat_server import asked_of, planned, serving

from fidelity_study.ask.client import ask
from fidelity_study.ask.collect import asked_table, missing, stated
from fidelity_study.ask.prompts import Scenario, messages
from fidelity_study.ask.store import Store
from fidelity_study.reading.ingest.parse import (
    is_rescaled,
    option_begun,
    option_named,
    parse,
    stated_answer,
    stated_shares,
)
from fidelity_study.steps.nonresponse import rescaled

SCALE = ["Strongly disagree", "Disagree", "Agree", "Strongly agree"]
TEXTS = {
    "Thinking of my 2 children, I strongly agree with many.\n\nAnswer: Disagree": "Disagree",
    "**Answer: Agree**\n\nReason: I see both sides.": "Agree",
    '```json\n{"answer": "Strongly agree", "reason": "I strongly disagree with others."}\n```': (
        "Strongly agree"
    ),
    'Sure! {"Choice": "disagree", "confidence": 0.8}': "Disagree",
    "My final answer is: Agree.": "Agree",
    "I would say Strongly disagree.": "Strongly disagree",
    "Meine Antwort ist: Agree": "Agree",
    "<think>Answer: Agree</think>\nAnswer: Disagree": "Disagree",
}
CONTRARY = [
    "Answer: Agree\nAnswer: Disagree",
    '{"answer": "Agree"} or rather {"answer": "Disagree"}',
    "Answer: I cannot say whether I agree or disagree",
    "The answer of others matters to me",
    '{"confidence": 0.8}',
]


@pytest.mark.parametrize(("text", "option"), TEXTS.items())
def test_what_a_text_calls_its_answer_counts(text, option):
    assert parse(text, SCALE) == (SCALE.index(option), None)


@pytest.mark.parametrize("text", CONTRARY)
def test_a_text_that_calls_two_things_or_none_its_answer_chooses_nothing(text):
    assert parse(text, SCALE)[0] is None


def test_a_number_is_an_answer_too():
    assert stated_answer('{"rating": 4, "reason": "2 children"}') == "4"
    assert parse("I have 2 children.\nAnswer: 4", ["1", "2", "3", "4", "5"]) == (3, None)


FORMS = [
    *("{}\nReason: they save me time.", "{}\n\nReason: they save me time.", "{}.\n\nI like them."),
    *("**{}**\n\nThey save me time.", "**{}.** They save me time.", "**{}**: because they help."),
    *("{} (they save me time)", "{} (I like it)", "{}. Transparency matters.", "Answer: - {}"),
    *("- {}", "* {}", "\u2022 {}", "- **{}**", "1. {}", "1) {}.", "- {} (it saves me time)"),
    *("2. {}", "4) {} (it saves me time)", "[2] {}", "(2) {}.", "2 - {}", "2: {}"),
    *("{}\n\nReason: others disagree.", "{}\n\nReason: it depends on the week."),
    *("{}. I cannot choose my doctor any more.", "{}. I can't afford it.", "{}, as it helps"),
    *("{}\nI cannot say more.", "{}. As an AI engineer I see it.", "**{}** - I'm sorry for"),
    *("{}. Most here would strongly agree or disagree, I'm not so sure.", "## {}\n\nIt is fair"),
    *("{}. Others would agree.\nThey refuse to see it.", "{}! It is not the question."),
    *("{}. I don't know anyone else.", "{}. It depends on the week."),
    *("{}. I am unable to work", "{}. I can't answer for others.", "{}. Actually it helps."),
    *("{}. In my personal opinion it helps.", "{}. I do not share the view of my boss."),
    *("{}. Violence is not the answer.", "{}. I use a language model at work."),
    *("**{}**\n\nSome weeks I hardly speak to anybody.", "__{}__\nRents only went up here, too."),
    *("{}. They cannot answer my questions.", "{}. I could not have a better answer"),
]
NO_FORMS = [
    *("{}\nDisagree", "- {}\n- Disagree", "{} (or disagree)", "{}\n- Disagree", "{}\n2. Disagree"),
    *("{}. Disagree, that is.", "{} - but I disagree as well", "{}. No, wait. It is", "{} or not?"),
    *("{}. I'm not sure about it.", "{}\n\nI'm not sure"),
    *("{} (somewhat)", "{} (to some extent)", "{} (only in part)", "{} (it sort of helps)"),
    *("{}. Sort of.", "{}. Somewhat strongly.", "{}. Not really.", "{}\nNot really, it costs time"),
    *("**{}**\n\nOnly in part.", "**{}**\n\nBut only where it helps me", "**{}** only sometimes"),
    *("{}\n\nIn fact I do not {}", "{} to some extent", "- {}\n- Something else"),
    *(
        "{}\nSomewhat",
        "{}\nSomething else",
        "{}?\n\nWho can tell that?",
        "{}/Disagree\n\nI like them",
    ),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("option", ["Agree", "Strongly disagree"])
def test_an_option_before_a_reason_counts(form, option):
    text = form.format(option)
    assert parse(text, SCALE) == (SCALE.index(option), None)
    assert option_named(text, SCALE) == option


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("4. I cannot trust them after the scandals.", 4), ("**4** - I have 3 children", 4)),
        *(("4 - 5, as it depends", None), ("4/5 in my view", None), ("4.5. I am sure", None)),
        *(("1. Think of it first.\n2. Then say it.", None), ("1. Trust: 4\n2. Vote: 3", None)),
    ],
)
def test_a_number_before_a_reason_is_the_option(text, number):
    assert parse(text, ["1", "2", "3", "4", "5"])[0] == (None if number is None else number - 1)


YES_NO, TO_5 = ["Yes", "No", "None"], ["1", "2", "3", "4", "5"]
DECLINED = {
    **dict.fromkeys(
        [
            *("No. I cannot answer this question.", "No. As an AI I have no opinion on this."),
            *("No, as I am an AI I can't answer.", "Yes - as a language model, I cannot say."),
            *("None. I am an AI and have no personal opinion.", "No. I decline to respond."),
            *(
                "Yes. I prefer not to answer.",
                "Yes? I cannot answer that.",
                "A. Yes. I can't answer",
            ),
        ],
        YES_NO,
    ),
    **dict.fromkeys(
        [
            *("5: I cannot give a number, as an AI", "4. I do not have personal opinions."),
            *("4. I am unable to provide a rating.", "3. I won't rate this."),
        ],
        TO_5,
    ),
}
CHANGED = {
    **dict.fromkeys(
        [
            *("A) Yes. Final answer: B", "A) Yes. But I think B is right.", "A) Yes. Or B."),
            *("Yes. On second thought, no.", "Yes. Actually I say no.", "Yes. I meant to say no."),
            *("Yes: 40% No: 60%", "Yes: 30, No: 70", "A) Yes: 50%. B: 50%."),
            *("Yes. That is not my answer.", "Yes. That isn't what I would choose."),
        ],
        YES_NO,
    ),
    **dict.fromkeys(
        [
            *("5! I mean 4, sorry", "1: strongly disagree, 5: strongly agree. I cannot rate"),
            *("5 - 10 would be my range", "1 - disagree, 2 - neutral, 3 - agree", "4. Make it 3."),
        ],
        TO_5,
    ),
    "Agree. Sorry, I meant disagree.": SCALE,
}


@pytest.mark.parametrize(("text", "options"), DECLINED.items())
def test_an_option_before_a_refusal_to_answer_is_refused(text, options):
    assert parse(text, options) == (None, "refused")


def test_a_no_before_a_noun_takes_nothing_back():
    assert parse("Yes. I actually have no problem with it.", YES_NO) == (0, None)


@pytest.mark.parametrize(("text", "options"), CHANGED.items())
def test_an_option_that_another_one_follows_in_its_place_or_in_a_list_does_not_count(text, options):
    assert parse(text, options)[0] is None


@pytest.mark.parametrize("form", NO_FORMS)
def test_an_option_that_is_doubted_or_limited_or_one_of_several_does_not(form):
    assert parse(form.replace("{}", "Agree"), SCALE)[0] is None


def test_a_number_before_an_option_may_be_the_option():
    assert parse("1. 2 days", ["1 day", "2 days"])[0] is None
    assert parse("10 days - as ever", ["1 day", "10 days"]) == (1, None)
    assert parse("2. Agree - as ever", ["1. No", "2. Agree"]) == (1, None)
    assert parse("- 2", ["-2", "0", "2", "4"])[0] is None
    assert parse("- other", ["Other", "other", "No"])[0] is None


@pytest.mark.parametrize(
    ("text", "option"),
    [
        *(("Agree. It depends on the week.", "Agree"), ("- Agree, in part", "Agree")),
        *(("Agreeable", ""), ("I agree", ""), ("Agree and disagree", ""), ("", "")),
    ],
)
def test_the_option_that_a_text_begins_with(text, option):
    assert option_begun(text, SCALE)[0] == option


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


def of_population(**changed):
    """Return the prompts on shares of a population."""
    prompt = "{question}\n{options}\nYou are {persona}.\nOf 100 of {population}?"
    how = {"mode": "population", "draws": 5, "prompt": prompt, "population": "adults here"}
    return planned([SCENARIO], **{**how, **changed})


def test_a_population_is_asked_about_without_personas_in_several_orders():
    prompts = of_population()
    assert len(prompts) == len({prompt.key for prompt in prompts}) == 5
    for prompt in prompts:
        (message,) = prompt.request["messages"]
        lines = message["content"].split("\n")
        assert lines[0] == "Best pet?"
        assert lines[-1] == "Of 100 of adults here?"
        assert len(lines) == 5
        assert prompt.persona == ""
    assert len({tuple(prompt.order) for prompt in prompts}) >= 3
    assert of_population(draws=3) == prompts[:3]


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
    prompts, store = of_population(), Store(tmp_path / "survey" / "model")
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
