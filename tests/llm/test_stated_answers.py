"""The part of a model's text that it calls its answer."""

import pytest

from fidelity_study.reading.ingest.parse import parse, stated_answer

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
