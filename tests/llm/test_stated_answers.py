"""The part of a model's text that it calls its answer."""

import pytest

from fidelity_study.reading.ingest.parse import option_begun, option_named, parse, stated_answer

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
    *("{}\n\nReason: others disagree.", "{}\n\nReason: it depends on the week."),
    *("{}. I cannot choose my doctor any more.", "{}. I can't afford it.", "{}, as it helps"),
    *("{}\nI cannot say more.", "{}. As an AI engineer I see it.", "**{}** - I'm sorry for"),
    *("{}. Most here would strongly agree or disagree, I'm not so sure.", "## {}\n\nIt is fair"),
    *("{}. Others would agree.\nThey refuse to see it.", "{}! It is not the question."),
    *("{}. I don't know anyone else.", "{}. It depends on the week."),
    *("{}. I am unable to work", "{}. I can't answer for others.", "{}. Actually it helps."),
    *("{}. In my personal opinion it helps.", "{}. I do not share the view of my boss."),
    *("{}. Violence is not the answer.", "{}. I use a language model at work."),
    *("{}. They cannot answer my questions.", "{}. I could not have a better answer"),
]
NO_FORMS = [
    *("{}\nDisagree", "- {}\n- Disagree", "{} (or disagree)", "{}\n- Disagree", "{}\n2. Disagree"),
    *("{}. Disagree, that is.", "{} - but I disagree as well", "{}. No, wait. It is", "{} or not?"),
    *("{}. I'm not sure about it.", "{}\n\nI'm not sure"),
    *("{} (somewhat)", "{} (to some extent)", "{} (only in part)", "{} (it sort of helps)"),
    *("{}. Sort of.", "{}. Somewhat strongly.", "{}. Not really.", "{}\nNot really, it costs time"),
    *("{}\n\nIn fact I do not {}", "{} to some extent", "2. {}", "- {}\n- Something else"),
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
