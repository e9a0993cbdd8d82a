"""What an answer says: the option it chooses, or why it chooses none."""

import re

from fidelity_study.ask.prompts import LETTERS

# White space, and the marks that tokenisers write for it
AROUND_TOKENS = " \t\n▁Ġ"
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
# What somebody says who names a letter and then takes it back: "A. I cannot answer that."
TAKEN_BACK = re.compile(
    r"""\bas\ an?\ (?:ai|language\ model)\b
      | \b(?:cannot|can't|unable\ to|(?:not|n't)\ able\ to|will\ not|won't|not\ to|decline\ to
            |rather\ not)
        \ (?:\w+\ )?(?:answer|say|choose|select|pick|help|assist|respond|comment|provide|give|share
            |express|take\ part|participate)\b""",
    re.VERBOSE | re.IGNORECASE,
)
# "B", "(B)", "B) Yes", "**B**: Yes", "b." and "Answer: B", but neither "A woman" nor "I think"
CHOICE = re.compile(
    r"""^[\s"'`*_(\[]*                                     # quotes and markup
        (?:(?:the\ |my\ )?(?:answer|option|choice)(?:\ is)?[\s:*("]+)?
        (?P<letter>[A-Z])
        (?: (?P<mark>[\s"'`*_]*[.):\],\-–—]+[\s"'`*_]*) (?P<said>.*) | (?P<plain>[\s"'`*_]*) )$""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
WEAK_MARK = re.compile(r"[^.):\]]+")
# A letter by itself; "A" and "I" are words if another word follows
ALONE = re.compile(r"(?<![\w'])(?:[B-HJ-Z]|[AI](?!\s+\w))(?![\w'])")


def parse(text: str, shown: list[str]) -> tuple[int | None, str | None]:
    """Return the position of the option that an answer chooses, or None and the reason.

    Chosen is the option whose text the answer is, or whose letter it begins with. Unless the answer
    goes on with the text or the letter of another option, or with a refusal: then nobody knows
    what it chose. A single letter is a letter, even if an option reads so.

    Args:
        text: the raw answer.
        shown: the options' texts as shown, the first one as A.
    """
    plain = text.replace("’", "'").strip()
    texts = [_folded(option) for option in shown]
    whole = _folded(plain)
    if texts.count(whole) == 1 and not re.fullmatch("[a-z]?", whole):
        return texts.index(whole), None
    chosen = _letter(plain, texts)
    if chosen is not None:
        return chosen, None
    refused = any(phrase in plain.lower() for phrase in REFUSALS)
    return None, REFUSED if refused else UNPARSABLE


def _letter(plain: str, texts: list[str]) -> int | None:
    found = CHOICE.match(plain) or _letter_and_text(plain, texts)
    position = LETTERS.find(found["letter"].upper()) if found else -1
    if not 0 <= position < len(texts):
        return None
    said, _, more = (found["said"] or "").partition("\n")
    if _folded(said) == texts[position]:
        said = ""
    elif _folded(said) in texts or (said and _may_be_a_word(found)):
        return None
    rest = f"{said}\n{more}"
    others = ALONE.findall(rest.upper() if found["letter"].islower() else rest)
    named = {LETTERS.find(letter) for letter in others} - {position}
    if not named.isdisjoint(range(len(texts))) or TAKEN_BACK.search(rest):
        return None
    return position


def _may_be_a_word(found: re.Match) -> bool:
    """Return whether what looks like a letter may begin a word or a sentence: E-mail, I - hm."""
    mark = found["mark"]
    glued = not mark[-1].isspace() and mark[-1] not in "\"'`*_"
    return glued or (found["letter"] in "Ii" and WEAK_MARK.fullmatch(mark) is not None)


def _letter_and_text(plain: str, texts: list[str]) -> re.Match | None:
    """Match an answer such as ``B Yes``."""
    found = re.match(r"(?P<letter>[A-Z])(?P<mark>\s+)(?P<said>.+)", plain, re.DOTALL)
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
        letter = token.strip(AROUND_TOKENS)
        position = LETTERS.find(letter) if len(letter) == 1 else -1
        if 0 <= position < d:
            shares[position] += probability
    total = sum(shares)
    elsewhere = max(0.0, 1.0 - total)
    return ([share / total for share in shares] if total > 0 else None), elsewhere
