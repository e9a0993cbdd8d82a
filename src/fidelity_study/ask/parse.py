"""What an answer says: the option it chooses, or why it chooses none."""

import re

from fidelity_study.ask.prompts import LETTERS

REFUSED, UNPARSABLE = "refused", "unparsable"
REFUSALS = (
    "as an ai",
    "language model",
    "i cannot",
    "i can't",
    "i am unable",
    "i'm unable",
    "unable to answer",
    "i am not able",
    "i'm not able",
    "i am sorry",
    "i'm sorry",
    "i will not",
    "i won't",
    "i would rather not",
    "i'd rather not",
    "i refuse",
    "i decline",
    "prefer not to",
    "not comfortable",
)
# "B", "(B)", "B) Yes", "**B**: Yes", "b." and "Answer: B", but neither "A woman" nor "I think"
CHOICE = re.compile(
    r"""^[\s"'`*_(\[]*                                     # quotes and markup
        (?:(?:the\ |my\ )?(?:answer|option|choice)(?:\ is)?[\s:*("]+)?
        (?P<letter>[A-Z])
        (?: (?P<mark>[\s"'`*_]*[.):\],\-–—]+[\s"'`*_]*) (?P<said>.*) | (?P<plain>[\s"'`*_]*) )$""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
LISTED = re.compile(r"^[\s*(]*([A-Z])[.):]", re.MULTILINE)


def parse(text: str, shown: list[str]) -> tuple[int | None, str | None]:
    """Return the position of the option that an answer chooses, or None and the reason.

    Chosen is the option whose text the answer is, or whose letter it begins with, unless it goes on
    with the text of another option or lists several letters: then nobody knows what it chose. A
    single letter is a letter, even if an option reads so.

    Args:
        text: the raw answer.
        shown: the options' texts as shown, the first one as A.
    """
    plain = text.replace("’", "'").strip()
    texts = [_folded(option) for option in shown]
    if len(_folded(plain)) > 1 and texts.count(_folded(plain)) == 1:
        return texts.index(_folded(plain)), None
    chosen = _letter(plain, texts)
    if chosen is not None:
        return chosen, None
    refused = any(phrase in plain.lower() for phrase in REFUSALS)
    return None, REFUSED if refused else UNPARSABLE


def _letter(plain: str, texts: list[str]) -> int | None:
    found = CHOICE.match(plain) or _letter_and_text(plain, texts)
    if found is None or len(set(LISTED.findall(plain))) > 1:
        return None
    position = LETTERS.find(found["letter"].upper())
    if not 0 <= position < len(texts):
        return None
    said = _folded((found["said"] or "").split("\n")[0])
    named = {i for i, option in enumerate(texts) if said == option}
    return position if not named or position in named else None


def _letter_and_text(plain: str, texts: list[str]) -> re.Match | None:
    """Match an answer such as ``B Yes``."""
    found = re.match(r"(?P<letter>[A-Z])\s+(?P<said>.+)", plain, re.DOTALL)
    return found if found and _folded(found["said"]) in texts else None


def _folded(text: str) -> str:
    return text.strip(" \t\n\"'`*_.!").casefold()


def letter_shares(top: list[tuple[str, float]], d: int) -> tuple[list[float] | None, float]:
    """Return the probability of each of the first ``d`` letters, and what went elsewhere.

    The letters' probabilities are normalised; None if all are 0. A letter among none of the tokens
    that the endpoint shows counts as 0, and its true probability is part of what went elsewhere.

    Args:
        top: the likeliest next tokens and their probabilities.
        d: how many options there are.
    """
    shares = [0.0] * d
    for token, probability in top:
        position = LETTERS.find(token.strip()) if len(token.strip()) == 1 else -1
        if 0 <= position < d:
            shares[position] += probability
    total = sum(shares)
    elsewhere = max(0.0, 1.0 - total)
    return ([share / total for share in shares] if total > 0 else None), elsewhere
