"""What answers are taken to say."""

import gzip
import json
import re
import tracemalloc

import pytest
from chat_server import asked_of, planned, serving
from hypothesis import given
from hypothesis import strategies as st

from fidelity_study.ask.client import ask
from fidelity_study.ask.prompts import LETTERS, Scenario
from fidelity_study.ask.store import Store
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.parse import letter_shares, number_within, parse

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
            "B, because of Ann",
            "B.No",
            "b)no",
            "B. It is wrong",
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
        "Als KI-Sprachmodell kann ich keine persönliche Meinung äußern.",
        "Da ich eine KI bin, kann ich das nicht beantworten.",
        "Ich habe dazu keine persönliche Meinung.",
        "En tant qu'intelligence artificielle, je n'ai pas d'avis.",
        "Je suis une IA et je ne peux pas répondre.",
        "Como modelo de lenguaje, no tengo opiniones.",
        "Soy una IA, no puedo opinar.",
        "Come assistente IA non ho opinioni.",
        "Como uma IA, não tenho opiniões.",
        "Als AI-taalmodel heb ik geen mening.",
        "Jako model językowy nie mam opinii.",
        "Som en AI har jag inga åsikter.",
        "Как ИИ, я не имею мнения.",
        "AIとして、意見は持っていません。",
        "作为一个人工智能助手,我没有观点。",
        "저는 AI이므로 의견이 없습니다.",
        "I cannot say.",
        "I would rather not answer",
        "I prefer not to say",
        "I am not able to take part",
        "I don't feel comfortable role-playing a survey respondent here.",
        "It would not be right to pretend that I vote",
        "I don’t participate in such surveys",
        "I must decline to respond to this as a farmer",
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
        *("I don't feel comfortable in crowds", "They don't participate in protests"),
        *("A.I. models hold no opinion", "a.m.", "I, as a woman aged 30, choose B", "I - hmm"),
        *("B, because I think so", "As a voter", "A vote for B", "A) is incorrect"),
        *("E-mail", "B. Yes\nC", "B: it is either this or I", "B.\nA: No", "B. Not to say C"),
    ],
)
def test_what_cannot_be_told_is_unparsable(text):
    assert parse(text, SHOWN) == (None, "unparsable")


YES_NO = ["Yes", "No"]
SCALE = ["Strongly agree", "Agree", "Neither agree nor disagree", "Disagree", "Strongly disagree"]
MODELS_ANSWERS = [
    *("B\n\nI chose this because", "**B**\n\nIt fits", "B\n\nReason: it fits", "Final answer: B"),
    *("Answer: B\n\nExplanation: it fits", "**Final Answer:** B", "The correct answer is B."),
    *("My answer would be B.", "I would choose B.", "Letter: B", "The letter of my answer: B"),
    *("Response: B", "<think>\n\n</think>\n\nB", "<think>Yes? A!</think>B", "\\boxed{B}"),
    *('{"answer": "B"}', "B</s>", "B<|eot_id|>", "B<|im_end|>", "B (No)", "B\nB\nB", "- B", "B!"),
    *(
        "B. I can't say for sure that it harms everyone, but it seems so",
        "B\n\nI am unable to see any harm in it",
    ),
    *("B) No\nI won't say that it never helps", "B. I'd rather not pay for all of this"),
    *("Ｂ", "（B）", "B。", "B：No", "B、No", "答案：B", "选B", "Antwort: B", "La respuesta es B"),
    *("Réponse : B", "I'd choose B", "B. because it is wrong", "B - it isn't a vitamin"),
    *("B)**No**", "B:No", "**B. No**", "B) No, as I said", "I choose option B: No"),
]
CONTRADICTIONS = {
    ("Yes", "No"): [
        *(
            "A. No, I don't think so.",
            "A. No.  Abortion should be",
            "A: I think no",
            "A. Yes or No",
        ),
        *("A.\n\nI would say No because", "A. Yes/No", "A. Yes? No!", "A. Wait, no. No."),
        *("A) yes b) no", "A, maybe b", "A) is incorrect", "A. Yes. But others would say No"),
        *("A) The question asks about", "A. It depends", "A. Both", "B. Don't know", "A. Yes\nNo"),
    ],
    tuple(SCALE): [
        *("A. Disagree because it is wrong", "A. I strongly disagree with this statement."),
        *("D. Agree, because", "D: I agree", "B. I do not agree"),
    ],
    ("Kamala Harris", "Donald Trump", "Other"): [
        *("A. I would vote for Donald Trump.", "A. Trump", "A: Donald Trump is my choice"),
    ],
    ("Likely", "Unlikely"): ["A. Unlikely, given my age", "A. Not likely"],
    ("Yes", "No", "Don't know"): ["A. I'm not sure", "A. I don't know"],
    ("同意", "不同意"): ["A. 不同意，因为", "A. 不同意。", "B. 同意"],
    ("Ja", "Nein"): ["A. Nein, weil"],
}
REFUSALS_AFTER_A_LETTER = [
    *("B. I'm sorry, but I cannot", "A. Sorry, I cannot", "A. I apologize, but I can't"),
    *("B. As a large language model, I", "B. As an artificial intelligence, I", "A. I'm an AI"),
    *("A. I'm just an AI, so I have no vote", "B. I do not have personal opinions"),
    *(
        "B. I don't want to answer",
        "B. I refuse to answer",
        "B. I decline.",
        "A. I'd prefer not to",
    ),
    *("B. I can not answer", "B. I won't be able to answer", "B. I can't see why"),
    *("B. I cannot help with such questions on politics", "B. I'd rather not say"),
]


@pytest.mark.parametrize("text", MODELS_ANSWERS)
def test_what_models_write_around_their_answer_is_no_part_of_it(text):
    assert parse(text, YES_NO) == (1, None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [(text, shown) for shown, all_of in CONTRADICTIONS.items() for text in all_of],
)
def test_a_letter_that_the_words_contradict_chooses_nothing(text, shown):
    assert parse(text, list(shown)) == (None, "unparsable")


@pytest.mark.parametrize("text", REFUSALS_AFTER_A_LETTER)
def test_a_letter_before_a_refusal_chooses_nothing(text):
    assert parse(text, YES_NO) == (None, "refused")


@pytest.mark.parametrize(
    ("text", "shown", "position"),
    [
        *(("I agree", SCALE, 1), ("I strongly disagree.", SCALE, 4), ("B. Agree", SCALE, 1)),
        *(("B. Agree, because it is right", SCALE, 1), ("A. Strongly agree because", SCALE, 0)),
        *(
            ("I don't know", ["Yes", "No", "Don't know"], 2),
            ("A. 同意，因为", ["同意", "不同意"], 0),
        ),
        *(("B. 不同意，因为", ["同意", "不同意"], 1), ("B：不同意", ["同意", "不同意"], 1)),
        *(("I prefer not to say.", ["Yes", "Prefer not to say"], 1),),
        *(("B. Agree. I cannot afford it.", SCALE, 1), ("B. Agree. Few disagree.", SCALE, 1)),
        *(("B. Prefer not to say", ["Yes", "Prefer not to say"], 1),),
    ],
)
def test_an_options_own_words_go_with_its_letter(text, shown, position):
    assert parse(text, shown) == (position, None)


def test_a_text_that_two_options_share_is_none():
    assert parse("other", ["Other", "other", "No"]) == (None, "unparsable")


@pytest.mark.slow
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


OF_100 = """60|about 60|About 60.|60 degrees|60 out of 100|60/100|60 / 100|60%|60°|**60** points
My rating would be 60 out of 100.|I'd say around 60.|60, yes, 60|60 - because they try
I would rate them 60 on the thermometer|{"answer": "about 60"}|roughly 60 of 100|60 to them"""
OTHERS = """between 40 and 60|40-60|40 to 60|60 to seventy|50 or 60|4 out of 5|3/5|101|about 130|-5
6,5|1,000|60+|over 60|at least 60|<60|~6.5.1|60 years|I am 60 years old|a 60-year-old|item 6|#6|60th
GPT4|Q6: 60|60:40|not 60|I'm not sure, 60|As an AI, I cannot rate 60|it depends: 60|a hundred||warm
60 people|60 million|half of 60|very very very very very very very very very very very warm: 60"""


@pytest.mark.parametrize("text", re.split(r"[|\n]", OF_100))
def test_the_only_number_in_some_words_is_what_they_say(text):
    assert number_within(text, 0, 100) == "60"


@pytest.mark.parametrize("text", ["60 Jahre", "I have lived here for 60 years, in 2 flats", "a"])
def test_a_number_of_a_unit_is_one_where_that_is_its_unit(text):
    assert number_within(text, 0, 100) is None
    assert number_within(text, 0, 100, "jah") == ("60" if text == "60 Jahre" else None)


@pytest.mark.parametrize("text", re.split(r"[|\n]", OTHERS))
def test_what_may_be_another_number_is_none(text):
    assert number_within(text, 0, 100) is None


SCENARIOS = [Scenario("cats", "Do you like cats?", [0.0, 1.0], ["No", "Yes"], {})]
CHOICE = {"index": 0, "message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"}
COMPLETION = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
SOUND = json.dumps({**COMPLETION, "choices": [CHOICE]}).encode()
LARGE = 300_000_000


def asked(folder, body: bytes, encoding: str) -> tuple[Store, int, str]:
    """Ask an endpoint whose answer has this body and encoding; return store, peak, what is said."""
    pytest.importorskip("openai")
    store, said = Store(folder / "survey" / "model"), ""
    with serving(lambda _: (200, {"Content-Encoding": encoding}, body)) as server:
        tracemalloc.start()
        try:
            ask(planned(SCENARIOS), store, asked_of(server, retries=0), 1)
        except DataError as error:
            said = str(error)
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
    return store, peak, said


@pytest.mark.slow
def test_an_answer_that_unpacks_to_gigabytes_is_refused_before_it_fills_memory(tmp_path):
    store, peak, said = asked(tmp_path, gzip.compress(bytes(LARGE), 1), "gzip")
    assert "the answer has more than 16 MB" in said
    assert peak < 120_000_000
    assert not store.answers


def test_an_answer_packed_in_another_way_is_refused(tmp_path):
    _, _, said = asked(tmp_path, SOUND, "br")
    assert "the answer is packed by br, and gzip was asked for" in said


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_sound_answer_is_kept_however_it_is_packed(tmp_path, encoding):
    store, _, said = asked(
        tmp_path, gzip.compress(SOUND) if encoding == "gzip" else SOUND, encoding
    )
    assert not said
    ((row),) = store.answers.values()
    assert row["text"] == "A"
