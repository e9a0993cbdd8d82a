"""What answers are taken to say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fidelity_study.ask.parse import letter_shares, parse
from fidelity_study.ask.prompts import LETTERS

SHOWN = ["Yes", "No", "I think so", "A woman's choice", "Don't know", "Maybe", "Never", "I", "Ja"]


@pytest.mark.parametrize(
    "text",
    [
        *("B", "b", " B ", "B.", "b.", "(B)", "[B]", "B)", "B:", "**B**", "**B.**", '"B"', "`B`"),
        *("B) No", "B. No", "B: no", "(B) No.", "**B**: No", "B - No", "B, No", "B No", "B no."),
        *("Answer: B", "The answer is B", "answer is (B)", "My answer is: B.", "Option B"),
        *("No", "no.", " NO ", "'No'", "B. because it is wrong", "B. No\n\nWhy?"),
        *(
            "B. A woman should decide",
            "B, because I think so",
            "B.No",
            "b)no",
            "B. I can't see why",
        ),
        *("B. No\nI can help with more", "B) **No**", "Option B.", "B - it isn't a vitamin"),
    ],
)
def test_an_answer_chooses_an_option(text):
    assert parse(text, SHOWN) == (1, None)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        *(("I", 8), ("I think so", 2), ("I. Ja", 8), ("A woman's choice", 3), ("don’t know", 4)),
        *(("A. Yes", 0), ("I. Never", None), ("H. I", 7), ("C. I think so!", 2)),
    ],
)
def test_an_option_may_look_like_a_letter_or_a_refusal(text, position):
    assert parse(text, SHOWN)[0] == position


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't answer that.",
        "I’m sorry, I can’t help with this",
        "As an AI language model, I have no opinions.",
        "I cannot say.",
        "I would rather not answer",
        "I prefer not to say",
        "I am not able to take part",
        "A. I cannot answer that.",
        "B. As an AI language model, I have no opinion",
        "B.\nI'm sorry, I cannot help with that",
    ],
)
def test_refusals_are_told_apart(text):
    assert parse(text, SHOWN) == (None, "refused")


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ".", "A woman should decide", "I do not think so", "Z", "J", "2", "Yes and no"),
        *(
            "A. No",
            "B) Yes.",
            "A. Yes\nB. No",
            "A) Yes\nB) No\nC) I think so",
            "AB",
            "Because",
            "É",
        ),
        *("A, B", "A, B and C", "A) or B)", "(A), (B)", "a, b, c", "A. B.", "A.B", "Answer: A, B"),
        *(
            "A: or maybe B",
            "A - no, B",
            "A) Yes B) No",
            "A. Yes. B. No",
            "B] or A]",
            "A/B",
            "B or C",
        ),
        *("A.I. models hold no opinion", "a.m.", "I, as a woman aged 30, choose B", "I - hmm"),
        *("E-mail", "B. Yes\nC", "B: it is either this or I", "B.\nA: No", "B. Not to say C"),
    ],
)
def test_what_cannot_be_told_is_unparsable(text):
    assert parse(text, SHOWN) == (None, "unparsable")


def test_a_text_that_two_options_share_is_none():
    assert parse("other", ["Other", "other", "No"]) == (None, "unparsable")


@given(st.text(max_size=60), st.lists(st.text(max_size=20), min_size=2, max_size=20))
def test_any_text_is_read(text, shown):
    position, reason = parse(text, shown)
    assert (position is None) == (reason is not None)
    assert position is None or 0 <= position < len(shown)


@given(st.integers(2, 20), st.data())
def test_every_letter_with_its_text_is_its_option(d, data):
    shown = [f"option number {i}" for i in range(d)]
    i = data.draw(st.integers(0, d - 1))
    for text in (LETTERS[i], f"{LETTERS[i]}. {shown[i]}", f"({LETTERS[i]}) {shown[i]}", shown[i]):
        assert parse(text, shown) == (i, None)


def test_numbers_may_be_options():
    assert [parse(text, ["3", "1", "10"])[0] for text in ("1", "10", "3.", "B", "2")] == [
        1,
        2,
        0,
        1,
        None,
    ]


def test_an_options_text_may_name_other_letters():
    shown = ["Vitamin C", "Vitamin B", "Plan A or B"]
    for i, text in enumerate(shown):
        assert parse(f"{LETTERS[i]}. {text}", shown) == (i, None)


def test_letters_in_all_their_tokens_are_added_up():
    top = [("A", 0.3), (" A", 0.1), ("▁A", 0.06), ("ĠA", 0.04), ("Yes", 0.2), ("B", 0.25)]
    top += [("C", 0.01), ("AB", 0.01)]
    share, elsewhere = letter_shares(top, 2)
    assert share == pytest.approx([0.5 / 0.75, 0.25 / 0.75])
    assert elsewhere == pytest.approx(0.25)


def test_a_letter_that_is_not_shown_has_nothing():
    share, elsewhere = letter_shares([("B", 0.9), ("a", 0.05)], 3)
    assert share == [0.0, 1.0, 0.0]
    assert elsewhere == pytest.approx(0.1)


def test_no_letter_at_all_states_nothing():
    assert letter_shares([("The", 0.9), ("C", 0.1)], 2) == (None, 1.0)
