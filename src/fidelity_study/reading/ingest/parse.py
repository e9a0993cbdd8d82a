"""What an answer says: the option it chooses or the shares it states, or why it says none.

To count a choice that was not made is worse than to lose one: where an answer contradicts itself,
nobody knows what it chose, and it is counted as missing.
"""

import json
import re
import unicodedata
import warnings
from ast import literal_eval
from collections.abc import Iterable, Sequence
from functools import partial
from string import ascii_uppercase

MOST_OPTIONS = 20
FEWEST_PAIRS = 2
LETTERS = ascii_uppercase[:MOST_OPTIONS]
REFUSED, UNPARSABLE = "refused", "unparsable"
# White space, and the marks that tokenisers write for it
AROUND_TOKENS = " \t\n▁Ġ"
AROUND_TEXTS = " \t\n\"'`*_.!,:;()[]{}。"
# What models write before and after their answers
NOT_SAID = re.compile(r"^\s*<think>.*?</think>|</s>|<\|[^|]*\|>", re.DOTALL)
REFUSAL = re.compile(
    r"""\b(?:an?\ ai|language\ model|artificial\ intelligence|i\ can\ ?not|i\ can't|unable|not\ able
            |i\ will\ not|i\ won't|rather\ not|prefer\ not|don't\ want\ to|refuse|decline
            |(?:not|n't\ feel)\ comfortable|sorry|apologi[sz]e
            |personal\ (?:opinion|belief|view|preference)s?)\b""",
    re.VERBOSE,
)
# What one calls oneself, and denies, in languages that models answer in
MODEL = (
    r"(?:(?<![^\W_])(?:ki|ia|ai|ии)(?![a-zа-я])|k[üu]nstliche intelligen|sprachmodell|språkmodell"
    r"|taalmodel|kunstmatige intelligen|intelligence artificielle|inteligencia artificial"
    r"|inteligência artificial|intelligenza artificiale|mod[eè]l+[eo] (?:d[ei] )?l[aei]ng"
    r"|model język|sztuczna inteligen|искусственн|языков\w+ модел|人工知能|言語モデル|人工智能"
    r"|语言模型|語言模型|인공지능|언어 ?모델|ass?istent|assistant)"
)
AS_MODEL = re.compile(
    r"(?:\b(?:als|bin|en tant que?|je suis|je ne suis|como|soy|sou|come|in quanto|sono|ben|som|är"
    rf"|jako|jestem|как|я)\b|私は|作为|作為|我是|저는)[^.,!?。，、]{{0,30}}?{MODEL}"
    rf"|{MODEL}[^.!?。]{{0,15}}(?:\bbin\b|\bben\b|として|なので|ですので|であ|로서|이므로)"
)
OWN_OPINION = re.compile(
    r"(?:persönliche|personnelle|personale?s?|pessoa[li]s?|pessoais|persoonlijke|personliga?"
    r"|osobist\w+) (?:meinung|ansicht|opini|mening|vorlieb|preferen)|opini\w+ (?:personn?|pessoa)"
    r"|個人的な?(?:意見|見解)|个人(?:的)?(?:观点|意见|看法)|개인적인 의견"
)
DENIED = re.compile(
    r"\b(?:nicht|kein\w*|pas|aucun\w*|no|non|não|nessun\w*|niet|geen|inte|ing(?:en|a)|nie|не|нет)\b"
    r"|ない|ません|没有|沒有|[无無不]|없|않"
)
# Who chooses no option refuses so, too
NO_ROLE = re.compile(
    r"""(?:\bnot|n't|\bcannot|\bunable|\brefuse|\bdecline)\b[^.!?\n]{0,30}
        \b(?:role[-\ ]?play|pretend|(?:answer|respond|act|speak)\w*\ (?:\w+\ ){0,2}as\b
          |(?:take\ part|taking\ part|participat\w+)\ in\ (?:\w+\ )?(?:survey|poll|stud|question)
          |comfortable\ (?:\w+\ ){0,2}(?:answer|respond|shar|giv|express|provid|tak|participat))""",
    re.VERBOSE,
)
# Behind an option only these refuse: what else one cannot do is a reason
DECLINED = re.compile(
    r"""\b(?:as|am|i'm)\ (?:just\ |only\ )?an?\ (?:large\ )?
            (?:ai|artificial\ intelligence|language\ model)
            (?!\ (?!(?:language|model|assistant|system|and|so|i|it)\b)\w)
      | \bno\ (?:opinion|personal\ (?:opinion|view|preference|belief))s?\b
      | \bi\b[^.!?\n]{0,20}(?:not|n't|unable|refuse|decline|no)\b
        (?:\ (?:to|be|able|want|comfortable|\w+ly))*\ (?:(?:answer|respond|reply|rate)\b(?!\ for)
          | (?:have|hold)\ (?:\w+\ ){0,2}(?:opinion|preference)s?\b
          | (?:give|provide|offer|state|express|share|choose|pick)\ (?:\w+\ ){0,2}
            (?:answer|option|response|number|rating|score|opinion|view|preference)s?\b(?!\ of))""",
    re.VERBOSE,
)
# Behind a letter, what one cannot do is a reason, too, if it says of what in several words
REASONED = re.compile(
    r"""\b(?:can\ ?not|can't|unable|not\ able|will\ not|won't|rather\ not|don't\ want\ to|refuse)\b
        (?!\ (?:to\ )?(?:help|assist|comply|discuss|engage|take\ part|participate|comment|fulfil))
        (?:[^\w.!?\n]+[\w']+){4}""",
    re.VERBOSE,
)
HEDGE = re.compile(
    r"""\b(?:not\ sure|unsure|undecided|depends|both|neither|either|maybe|perhaps|wait|don't\ know
            |no\ (?:opinion|comment|answer|preference)|none\ of|incorrect|the\ question)\b
      | ^(?:is|are|was|were|would|seems|means|says)\b""",
    re.VERBOSE,
)
NEGATION = re.compile(r"\b(?:not|never)\b|n't\b")
WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
COMMON = set(
    WORD.findall("a an the i it is be to of in on and or my so as at for with that this are was")
)
# "B", "(B)", "B) Yes", "**B**: Yes", "b." and "Answer: B", but neither "A woman" nor "I think"
CHOICE = re.compile(
    r"""^[\s"'`*_(\[{\\•-]*
        (?: (?:(?:the|my|la|die)\ )?(?:(?:final|correct|best)\ )?
            (?:answer|option|choice|letter|response|boxed|antwort|respuesta|réponse|答案|选)
            (?:\ of\ my\ answer)?(?:\ (?:is|would\ be|ist|es))?[\s:*_("'{]*(?:option\ )?
          | i(?:\ would|'d|\ will|'ll)?\ (?:choose|pick|select|go\ with)\ (?:option\ )?[*("]* )?
        (?P<letter>[A-Z])(?![^\W_])
        (?P<mark>[\s"'`*_().:\]},!、。\-–—]*)
        (?P<rest>.*)$""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# A number in words, what may stand behind it, and words that make something else of it
MOST_WORDS = 12
NUMBER = re.compile(r"(?<![\w.,<>≤≥#])(?<!-[$€£])[-+]?\d+(?:\.\d+)?(?![\w/]|[.,:]\d)", re.ASCII)
BEHIND_NUMBER = re.compile(
    r"""\s*(?:$|[.,;:!)"'*\n%°]|(?:degrees?|percent|points?|on|in|for|to|because|as|overall
            |wählen|geben|vergeben|nehmen|sagen|ankreuzen|auf|weil|porque|parce|car|perché|kiezen)\b)
        |\s+[-–—]\s""",
    re.VERBOSE | re.IGNORECASE,
)
BEYOND = re.compile(
    r"""[<>≤≥]|\b(?:over|above|under|below|more|less|fewer|greater|higher|lower|least|most|up\ to
            |beyond|between|half|plus|minus|hundred|thousand|million
            |(?:twen|thir|for|fif|six|seven|eigh|nine)ty
            |question|item|statement|aged?|born|since)\b""",
    re.VERBOSE,
)
ANY_UNIT, NO_UNIT = r"[^\W\d_]+", "(?!)"
# What an object calls its answer, and the lines that say it: "Answer: 3", "**Answer:** Agree"
KEYS = (
    *("answer", "final_answer", "choice", "response", "option", "selection", "rating", "score"),
    *("value", "label", "antwort", "respuesta", "réponse", "reponse", "risposta", "resposta"),
)
OBJECT = re.compile(r"\{[^{}]*\}", re.DOTALL)
SAID = re.compile(
    r"""^[\s*_#>"'-]*
        (?: (?:(?:my|the|meine|mi|ma)\ )?(?:final\ )?
            (?:answer|choice|response|rating|antwort|respuesta|réponse|risposta|resposta
                |antwoord|svar|odpowiedź|回答|答え|答案|대답|답변)
            [\s*_]*(?::|：|は|\ is\b|\ ist\b|\ es\b|\ est\b)
          | i(?:\ would|'d|\ will|'ll)\ (?:say|answer|choose|pick|select)\b )
        [\s*_:"'(\[「『]*(?P<said>[^\n]+?)[\s*_"')\].」』。]*$""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
# What is no part of an option: a bullet before it, and emphasis
BULLET = re.compile(
    r"^[^\S\n]*(?:[-*+\u2022\u2013]|#{1,6}|[\[(]?\d{1,2}\s?[.):=\]\u2013-]+)\s+", re.MULTILINE
)
NUMBERED = re.compile(r"[-+]?\d")
EMPHASIS = re.compile(r"(?<![^\W_])[\"`*_']+|[\"`*_']+(?![^\W_])")
REASON = re.compile(
    r"\W*\s[-\u2013\u2014]+\s+\w+|\s*[.:;!]\s+(\w+\W+){2}\w|(?:\W*\sbecause|,\s+(?:as|since))\b",
    re.IGNORECASE,
)
# A reason on the next line, in brackets, or of two words, which may limit an option instead
NEXT = re.compile(
    r"""[^\w\n?]*\n\W*(\w+\W+){2}\w | \.\s+\w+\W+\w+\W*$
      | \s+\((?:i|we|you|it|they|this|that|my|our)\b[^()]*\)\W*$""",
    re.VERBOSE | re.IGNORECASE,
)
FIRST_WORDS, FEW_WORDS = 3, 4
LIMITED = re.compile(
    r"""\b(?:not|never|hardly|barely|only|just|some(?:what|times)?|sort|kind|part\w*|most\w*
            |slightly|rather|quite|very|more|less|lean\w*|usually|probably|possibly|guess|suppose
            |degree|extent)\b
      | n't\b""",
    re.VERBOSE | re.IGNORECASE,
)
CONTRAST = r"\W*(?:but|however|though|although|or|yet)\b"
CHANGED = (
    r"\b(?:actually|i\ mean|i\ meant|on\ second\ thoughts?|make\ (?:that|it)|correction"
    r"|final\ answer|changed?\ my)\b[^.!?\n]*?"
)
DOUBT = re.compile(
    r"\W*(?:(?:but|or|i'm|i am)\W+)*(?:not (?:sure|really)|maybe|perhaps|wait|no(?=[,.!]|$))"
)
# What makes one word or number of an option and what follows, and where a part of a text ends
JOINED = re.compile(r"[^\W_]|[.,:/\u2013-]\d")
RANGE = re.compile(r"\s*[-\u2013\u2014]\s*\d")
PART = re.compile(r"\s*\n[\s*+\u2022\u2013-]*|[.!?;:()]+(?!\d)\s*|\s+[-\u2013\u2014]+\s+")
STRONG = set(".:)]}!*\n、。")
# A letter by itself; "A" and "I" are words if another word follows, and "e.g." has none
ALONE = re.compile(r"(?<![\w'])(?:[b-hj-z]|[ai](?!\s+\w))(?![\w']|\.\w)")


def stated_answer(text: str) -> str:
    """Return the part of a text that it calls its answer; the whole if it calls none so.

    The one that an object has under a key such as ``answer``, or that all lines such as
    ``Answer: 3`` say.

    Examples:
        >>> stated_answer("I have thought about it, and it matters.\\n\\n**Answer:** Agree")
        'Agree'
        >>> stated_answer('Sure: {"answer": "Agree", "confidence": 0.8}')
        'Agree'
        >>> stated_answer("{'answer': None, 'reason': 'Some agree'}")
        ''
        >>> stated_answer("I agree with the answer of others")
        'I agree with the answer of others'
    """
    plain = NOT_SAID.sub("", text)
    parts = [plain] if pairs_within(plain) else []
    stated = [value for part in parts + OBJECT.findall(plain) for value in _under_keys(part)]
    stated = stated or [match["said"] for match in SAID.finditer(plain)]
    return stated[0] if len({*map(_folded, stated)}) == 1 else text


def pairs_within(text: str) -> Sequence[tuple[object, object]]:
    """Return the pairs of an object within a text, in JSON or as Python writes it.

    Empty without one, or where more than one is.

    >>> pairs_within("So: {'answer': None, 'reason': 'Hard'}")
    (('answer', None), ('reason', 'Hard'))
    """
    text = text[text.find("{") : text.rfind("}") + 1]
    for read in (partial(json.loads, object_pairs_hook=tuple), literal_eval) if text else ():
        try:
            with warnings.catch_warnings(action="ignore"):  # of signs that Python escapes
                pairs = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        return tuple(pairs.items()) if isinstance(pairs, dict) else tuple(pairs)
    return ()


def _under_keys(text: str) -> list[str]:
    """Return what an object says under the first key that names an answer; of null, no words."""
    said = {str(key).casefold(): value for key, value in pairs_within(text)}
    values = [said[key] for key in KEYS if isinstance(said.get(key), str | int | float)]
    values += [""] * any(said.get(key, key) is None for key in KEYS)
    return [str(value) for value in values[:1] if not isinstance(value, bool)]


def option_named(text: str, options: Iterable[str]) -> str | None:
    """Return the one option that a text names at its start and then gives a reason for, if any.

    The reason stands behind a dash or a full stop, in brackets, or on the next line. It may say
    anything else, such as what one cannot do. None if another option is chosen, too, or if the text
    goes on in doubt or refuses to answer, denies or only limits the option.

    Examples:
        >>> option_named("Agree - as I have read so much of it", ["Agree", "Disagree"])
        'Agree'
        >>> option_named("**Agree**\\n\\nReason: They save me time.", ["Agree", "Disagree"])
        'Agree'
        >>> option_named("Agree\\n\\nSome of us work at night.", ["Agree", "Disagree"])
        'Agree'
        >>> option_named("- Agree (it saves me time)", ["Agree", "Disagree"])
        'Agree'
        >>> option_named("My answer is: Too much", ["Too much", "Too little"])
        'Too much'
        >>> option_named("I'd say: Agree. At my place it depends on the boss", ["Agree", "Other"])
        'Agree'

    Args:
        text: an answer that is no option.
        options: the options.
    """
    option, rest = option_begun(text, options)
    is_whole = (stated_answer(text) != text or BULLET.match(text)) and not rest.strip(AROUND_TEXTS)
    words = WORD.findall(rest)
    line = rf"\W*((\*\*|__){re.escape(option)}\W?\2\s*\n|{re.escape(option)}\W?\s*\n\s*\n)"
    is_apart = re.match(line, _said(text), re.I)
    is_sentence = is_apart and len(words) > FEW_WORDS and not re.match(CONTRAST, rest, re.I)
    is_limited = not is_sentence and LIMITED.search(" ".join(words[:FIRST_WORDS]))
    is_reason = REASON.match(rest) or (NEXT.match(rest) and not is_limited)
    if not option or not (is_whole or is_reason):
        return None
    own = rf"(?:{re.escape(option)}|my\ (?:final\ )?(?:answer|choice)|what\ i\ (?:would|mean\w*))\b"
    is_denied = re.search(rf"(?:\b(?:not|never)|n't)\s+{own}", rest, re.I)
    is_undone = DOUBT.match(rest.casefold()) or DECLINED.search(rest.casefold()) or is_denied
    return None if is_undone else option


def option_begun(text: str, options: Iterable[str]) -> tuple[str, str]:
    """Return the option that a text, or what it calls its answer, begins with; and the rest.

    Nothing if it begins with none, or chooses another one, too; a reason may name others. A bullet
    is no part of it, nor is its number, as ``2.``, unless options are numbers, nor is emphasis.

    Examples:
        >>> option_begun("2. **Agree**, as it helps", ["Disagree", "Agree"])
        ('Agree', ', as it helps')
        >>> option_begun("Agree or disagree?", ["Agree", "Disagree"])
        ('', '')
        >>> option_begun("Agree. Few here disagree.", ["Agree", "Disagree"])
        ('Agree', '. Few here disagree.')

    Args:
        text: an answer that is no option.
        options: the options.
    """
    known = sorted(options, key=len, reverse=True)
    said = _said(text)
    if BULLET.match(said) and not any(map(NUMBERED.match, known)):
        said, bullets = BULLET.subn("", said)
        known = known if bullets == 1 else []  # else a list of several
    said = EMPHASIS.sub("", said).strip()
    option = next((one for one in known if said.casefold().startswith(one.casefold())), "")
    rest = said[len(option) :]
    others = [one for one in known if one != option]
    is_part = JOINED.match(rest) or (NUMBERED.match(option) and RANGE.match(rest))
    if not option or is_part or any(_is_of_choice(one, rest) for one in others):
        return "", ""
    return option, rest


def _is_of_choice(other: str, rest: str) -> bool:
    """Return whether what follows an option chooses another one, too.

    Beside it, by itself, in its place, or as the next one of a list.
    """
    first, *parts = PART.split(rest)
    word = rf"\b{re.escape(other)}\b"
    is_next = bool(parts) and re.match(rf"(?:{CONTRAST}.*)?{word}", parts[0], re.I)
    listed = rf"(?:[,;.%\d\n]|\band)\s*{word}\s*(?:[:=\d]|[-\u2013\u2014]\s)"
    is_beside = is_next or re.search(word, first, re.I)
    is_later = re.search(rf"{CHANGED}(?!no\ \w){word}|{listed}", rest, re.I)
    return bool(is_beside or is_later) or _folded(other) in map(_folded, parts)


def _said(text: str) -> str:
    return NOT_SAID.sub("", stated_answer(text)).strip()


def parse(text: str, shown: list[str]) -> tuple[int | None, str | None]:
    """Return the position of the option that an answer chooses, or None and the reason.

    Chosen is the option whose text the answer is, or begins with before a reason. Or it is the one
    whose letter the answer begins with, unless that goes on with another option's letter or words,
    with a refusal, or in doubt. A single letter is a letter, even if an option reads so. Where a
    text calls a part of it its answer, this counts, and of several lines the last, if it alone is
    an option.

    Args:
        text: the raw answer.
        shown: the options' texts as shown, the first one as A.
    """
    whole, text = text, stated_answer(text)
    plain, options = _plain(NOT_SAID.sub("", text)), [_folded(option) for option in shown]
    for said in (_folded(plain), _folded(plain).removeprefix("i ")):
        if options.count(said) == 1 and not re.fullmatch("[a-z]?", said):
            return options.index(said), None
    chosen = _letter(plain, options)
    if chosen is not None:
        return chosen, None
    before, _, last = plain.rpartition("\n")
    if before.strip() and options.count(_folded(last)) == 1:
        position = options.index(_folded(last))
        if not _names_another(before.casefold(), options, position):
            return position, None
    names = [_plain(option) for option in shown]
    words = [name for name in names if not re.fullmatch("[A-Za-z]?", name)]
    said_first = _plain(NOT_SAID.sub("", whole))
    is_first = text == whole or SAID.match(said_first)
    named = option_named(said_first, words) if is_first else None
    if named and options.count(_folded(named)) == 1:
        return names.index(named), None
    begun, rest = option_begun(said_first, words)
    may_refuse = PART.split(rest)[0] if begun else said_first  # behind a choice one only explains
    is_refused = is_refusal(may_refuse) or DECLINED.search(rest.casefold())
    return None, REFUSED if is_refused else UNPARSABLE


def is_refusal(text: str) -> bool:
    """Return whether a text refuses to answer, as a person or as a model."""
    said = _plain(text).casefold()
    return any(sign.search(said) for sign in (REFUSAL, NO_ROLE)) or refuses_as_model(text)


def refuses_as_model(text: str) -> bool:
    """Return whether a text denies something as a model, or an opinion of its own.

    >>> refuses_as_model("Als KI habe ich keine Meinung"), refuses_as_model("Ich mag KI nicht")
    (True, False)
    """
    said = text.casefold()
    return bool((AS_MODEL.search(said) or OWN_OPINION.search(said)) and DENIED.search(said))


def in_order_of_letters(texts: Iterable[str], options: Sequence[str]) -> list[str]:
    """Return the options in the order of the letters that stand before their words.

    The order is that of ``options`` unless texts tell another one: each letter has one option
    behind it, each option one letter, and all options but one have theirs.

    >>> in_order_of_letters(["A) Yes", "Answer: B) No", "A) Yes", "B"], ["No", "Yes"])
    ['Yes', 'No']

    Args:
        texts: raw answers to questions with these options.
        options: their texts.
    """
    folded = [_folded(_plain(option)) for option in options]
    pairs = set()
    for text in texts:
        choice = CHOICE.match(_plain(NOT_SAID.sub("", stated_answer(text))))
        said = _folded(choice["rest"].partition("\n")[0]) if choice else ""
        if choice and folded.count(said) == 1:
            pairs.add((LETTERS.find(choice["letter"].upper()), folded.index(said)))
    placed = dict(pairs)
    is_one_to_one = len(placed) == len(pairs) == len({option for _, option in pairs})
    if not is_one_to_one or len(pairs) < len(options) - 1 or len(pairs) < FEWEST_PAIRS:
        return [*options]
    if max(placed) >= len(options) or min(placed) < 0:
        return [*options]
    left = iter(sorted({*range(len(options))}.difference(placed.values())))
    return [options[placed[i] if i in placed else next(left)] for i in range(len(options))]


def _letter(plain: str, options: list[str]) -> int | None:
    choice = CHOICE.match(plain)
    position = LETTERS.find(choice["letter"].upper()) if choice else -1
    if choice is None or not 0 <= position < len(options):
        return None
    said, _, more = choice["rest"].partition("\n")
    if _folded(said) == options[position]:
        return None if _takes_back(more, options, position) else position
    if option_named(choice["rest"], options) == options[position]:
        _, reason = option_begun(choice["rest"], options)
        return None if _takes_back(reason, options, position, DECLINED) else position
    rest = choice["rest"].casefold()
    if rest and (_may_be_a_word(choice) or _names_another(rest, options, position)):
        return None
    return None if _takes_back(rest, options, position) else position


def _may_be_a_word(choice: re.Match) -> bool:
    """Return whether what looks like a letter may begin a word: A woman, A.I., E-mail, I - hm.

    Then only the option's own text after it tells that it is one.
    """
    mark = choice["mark"]
    if not mark.strip() or mark[-1] in ".,'-–—":
        return "\n" not in mark
    return choice["letter"] in "Ii" and STRONG.isdisjoint(mark)


def _names_another(rest: str, options: list[str], position: int) -> bool:
    """Return whether words of other options are said, or the own one is denied, or in doubt."""
    words = set(WORD.findall(rest))
    of_own = set(WORD.findall(options[position]))
    others = [option for i, option in enumerate(options) if i != position]
    of_others = {word for option in others for word in WORD.findall(option)} - of_own - COMMON
    hedge = HEDGE.search(rest)
    return (
        bool(words & of_others)
        or any(_within(rest, other, options[position]) for other in others)
        or (hedge is not None and hedge[0] not in options[position])
        or (NEGATION.search(rest) is not None and bool(words & (of_own - COMMON)))
    )


def _within(rest: str, other: str, chosen: str) -> bool:
    """Return whether another option's text is said, in a language that does not part words."""
    if not other or other.isascii():
        return False
    return other in (rest if chosen in other else rest.replace(chosen, " "))


def _takes_back(
    rest: str, options: list[str], position: int, refusal: re.Pattern[str] = REFUSAL
) -> bool:
    """Return whether an answer goes on with another letter or option, or with a refusal."""
    letters = {LETTERS.find(letter.upper()) for letter in ALONE.findall(rest.casefold())} - {
        position
    }
    lines = {_folded(line) for line in rest.split("\n")} - {options[position]}
    return (
        not letters.isdisjoint(range(len(options)))
        or not lines.isdisjoint(options)
        or DECLINED.search(rest.casefold()) is not None
        or refusal.search(REASONED.sub("", rest.casefold())) is not None
    )


def number_within(text: str, low: float, high: float, unit: str = NO_UNIT) -> str | None:
    """Return the only number in a few words of an answer, if it is within a range; or None.

    The upper end may stand behind it, or what begins as a unit. What is more or less than a number
    is none, and neither is a number of years or other things, unless these are its unit.

    Examples:
        >>> number_within("My rating would be 47 out of 100.", 0, 100)
        '47'
        >>> number_within("About 60 degrees", 0, 100), number_within("60/100", 0, 100)
        ('60', '60')
        >>> number_within("Between 40 and 60", 0, 100), number_within("4 out of 5", 0, 100)
        (None, None)
        >>> number_within("about $3.00", 0, 100), number_within("-$3.00", 0, 100)
        ('3.00', None)
        >>> number_within("I have known them for 20 years", 0, 100)
        >>> number_within("I've lived here for 20 years", 0, 100, "year")
        '20'

    Args:
        text: the answer.
        low: the lower end of the range.
        high: its upper end.
        unit: a pattern of what the number may be of; none by default.
    """
    plain = _plain(stated_answer(text)).strip(AROUND_TEXTS)
    is_short = len(plain.split()) <= MOST_WORDS
    is_in_doubt = any(sign.search(plain.casefold()) for sign in (REFUSAL, HEDGE, NEGATION, BEYOND))
    behind = re.compile(rf"{BEHIND_NUMBER.pattern}|\s*{unit}", BEHIND_NUMBER.flags)
    of_upper = re.compile(rf"(?<=\d)(?:\s*/\s*|\s+(?:out\s+)?of\s+){high:g}(?!\d|[.,]\d)", re.I)
    rest = of_upper.sub("", plain)
    numbers = [match for match in NUMBER.finditer(rest) if is_short and not is_in_doubt]
    if len({match[0] for match in numbers}) != 1 or not all(
        behind.match(rest, match.end()) for match in numbers
    ):
        return None
    is_plain = not any(sign.isdigit() for sign in NUMBER.sub("", rest))
    return numbers[0][0] if is_plain and low <= float(numbers[0][0]) <= high else None


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text.replace("’", "'")).strip()


def _folded(text: str) -> str:
    return " ".join(_plain(text).strip(AROUND_TEXTS).casefold().split())


HUNDRED, ROUNDED_BY, EXACT = 100.0, 1.0, 1e-9
FENCE = re.compile(r"^\s*```\w*\s*\n(.*?)\n?\s*```\s*$", re.DOTALL)
# "A: 40", "- A. Yes: 40 %", "**A** = 40 people" and "Yes: 40 out of 100"
STATED = re.compile(
    r"""^[\s*_•-]*(?P<label>.+?)[\s*_]*[:=][\s*_]*
        (?P<share>\d+(?:\.\d+)?)\s*(?:%|percent|people|(?:out\ )?of\ 100)?[\s*_.,;]*$""",
    re.VERBOSE | re.IGNORECASE,
)
LETTER = re.compile(r"^\(?([A-Z])[.)]*(?:$|[\s*_:–-]+(?P<text>.*)$)", re.DOTALL)
BETWEEN = re.compile(r"\n|[,;]\s+(?=[A-Z]\s*[:=])")


def stated_shares(text: str, shown: list[str]) -> tuple[list[float] | None, float, str | None]:
    """Return the shares that an answer states, what they sum to, and the reason if none.

    A line for each option, or JSON, and nothing else: each option once, by its letter, its text or
    both, with how many of 100 choose it. The sum is 100, or 99 to 101, as rounded numbers sum to;
    the shares are divided by it.

    Args:
        text: the raw answer.
        shown: the options' texts as shown, the first one as A.
    """
    plain = _plain(NOT_SAID.sub("", text))
    fenced = FENCE.match(plain)
    pairs = _pairs(fenced[1].strip() if fenced else plain)
    options = [_folded(option) for option in shown]
    shares = {_position(label, options): share for label, share in pairs}
    total = sum(shares.values())
    is_whole = len(pairs) == len(shares) and shares.keys() == set(range(len(options)))
    if not is_whole or abs(total - HUNDRED) > ROUNDED_BY + EXACT:
        return None, total, REFUSED if is_refusal(plain) else UNPARSABLE
    return [shares[i] / total for i in range(len(options))], total, None


def is_rescaled(total: float) -> bool:
    """Return whether shares that sum to ``total`` were divided by more than the 100 they are of."""
    return abs(total - HUNDRED) > EXACT


def _pairs(plain: str) -> list[tuple[str, float]]:
    """Return the percentage that a text states for each option; empty if it says anything else."""
    if plain.startswith("{"):
        return _checked(_of_json(plain))
    lines = [STATED.match(line) for line in BETWEEN.split(plain) if line.strip()]
    return _checked((line["label"], line["share"]) if line else ("", None) for line in lines)


def _of_json(plain: str) -> Iterable[tuple[str, object]]:
    try:
        parsed = json.loads(plain, object_pairs_hook=tuple)
    except (ValueError, RecursionError):
        return []
    return [
        (name, share.rstrip(" %") if isinstance(share, str) else share) for name, share in parsed
    ]


def _checked(pairs: Iterable[tuple[str, object]]) -> list[tuple[str, float]]:
    """Return pairs whose numbers are from 0 to 100; none of them if one isn't."""
    shares = []
    for name, amount in pairs:
        if isinstance(amount, bool) or not isinstance(amount, int | float | str):
            return []
        try:
            share = float(amount)
        except (ValueError, OverflowError):
            return []
        if not 0.0 <= share <= HUNDRED:
            return []
        shares.append((name, share))
    return shares


def _position(label: str, options: list[str]) -> int:
    """Return which option a label names; -1 if none, or two."""
    named = LETTER.match(label.strip(" *_"))
    if named:
        position = LETTERS.find(named[1])
        said = _folded(named["text"] or "")
        if 0 <= position < len(options) and said in ("", options[position]):
            return position
    folded = _folded(label)
    return options.index(folded) if options.count(folded) == 1 else -1


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
