"""Labels that may be misread: two spellings of one option, or codes for no answer.

Where nobody listed the options of a scenario, every answer becomes an option. So a second spelling,
or a 99 for "no answer", would become an option that nobody was offered. Labels of this kind are
refused, or reported where they may well be options.
"""

import html
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Set
from functools import lru_cache
from math import inf

from fidelity_study.reading.ingest.parse import (
    ANY_UNIT,
    is_refusal,
    number_within,
    option_begun,
    refuses_as_model,
)
from fidelity_study.reading.tabular.columns import OF_FORMULAS, as_label, as_number, squashed
from fidelity_study.reading.tabular.words import NO, YES
from fidelity_study.tables.ingest import FAILED, NOT_ASKED, REASONS, REFUSED, UNDECIDED

SAME_SIGN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad", "-"),
        "_": " ",
    }
)
AROUND = " '\"*()[]{}.,;:!"
HEADING = re.compile(r"^\s*#+\s+")
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
DATE = re.compile(
    rf"\d{{1,2}}[-. ](?!maybe)(?:{MONTHS})[a-z]*(?:[-. ]\d{{2,4}})?"
    rf"|(?:{MONTHS})[a-z]*[-. ]\d{{1,4}}"
    r"|(?:19|20)\d\d-\d\d-\d\d(?:[ t]\d\d:\d\d(?::\d\d)?)?|\d{1,2}/\d{1,2}/(?:19|20)?\d\d"
    r"|\d{1,2}\.\d{1,2}\.(?:19|20)\d\d",
    re.IGNORECASE,
)
TIMES = re.compile(
    r"(.*[ _-])?(time|timestamp|date|datetime)|(created|updated|submitted)([ _-]at)?", re.IGNORECASE
)
CODES = {66, 77, 88, 777, 888, 7777, 8888, *range(96, 100), *range(997, 1000), *range(9997, 10000)}
CODES |= {10**digits - 1 for digits in range(5, 11)}
CODES |= {*(-code for code in CODES), -(2**31), 2**31 - 1, -(2**15), 2**15 - 1}
TOTALS = {"total", "totals", "grand total", "sum", "overall", "gesamt", "summe", "insgesamt"}
TOTALS |= {"mean score", "average score", "std dev", "standard deviation", "mittelwert", "base"}
TOTALS |= {"unweighted base", "weighted base", "sample size", "subtotal", "basis", "ensemble"}
TOTALS |= {"totaal", "totale", "razem", "ogółem", "celkem", "spolu", "yhteensä", "suma", "soma"}
TOTALS |= {"összesen", "toplam", "итого", "всего", "合計", "合计", "总计", "합계"}
NET = re.compile(
    r"(?i)(nets?|netto|saldo|sous-total)\b.*|(?-i:ST) .*|(sub-?)?total .*"
    r"|(top|bottom)[ -]?[23]([ -]?box(es)?)?|[tb][23]b"
    r"|.*(\(|, |: | [-\u2013] )(sub-?)?(nets?|netto|sum|summe|total|gesamt|[tb][23]b)\)?"
)
MARKS = {"1", "x", "y", "j", "true", "checked", "selected", "ticked", "on", "\u2713", "\u2714"}
MARKS |= {"quoted", "genannt", *YES}
MOST_WORDS, SAID_LAST = 3, re.compile(r":\s|\s[-\u2013\u2014]\s|\bsay\b", re.IGNORECASE)
NEGATED = re.compile(
    r"\W*(?:no|not|never|neither|nor|none|nicht|kein|keine|keinen|nie|non|pas|ne|nunca|n\u00e3o"
    r"|\w+n[\u2019']t)\W*",
    re.IGNORECASE,
)
NOT_MARKS = {"0", "n", "false", "off", "unchecked", "unselected", "unticked", "not selected"}
NOT_MARKS |= {"not quoted", "not mentioned", "nicht genannt", *NO}
LABELLED = re.compile(
    r"[(\[]?(-?\d+|[A-Za-z](?=[.:)]))(?:\s*[-\u2013\u2014=:.()\]]+\s*|\s+)([^\W\d].*?)\)?"
)
DAY_OF_MONTH = re.compile(rf"(\d{{1,2}})[-. ]({MONTHS})[a-z]*", re.IGNORECASE)
SMALL_CODES = {8, 9, *range(-9, 0)}
SEVEN = 7
"""A code like 8 and 9, where one of these is there, too."""
NOTHING = CODES | SMALL_CODES
FAR, FARTHER = 3, 10
MOST_LEVELS = 11
"""So many whole numbers are steps of a scale."""
STRAY_ANSWERS, STRAY_SHARE, MANY_STRAYS = 3, 0.005, 10
TEN, SIX, USUAL_TOPS = 10, 6, (5, 7)
LEAST_GAP, FEWEST_STEPS, MOST_BELOW = 2, 3, 5
LONGEST_SHORT = 4
"""So many letters may be an abbreviation of something else, such as NC."""
MOST_KEPT = 1 << 16
SURELY_REFUSED = {"refused", "refusal", "declined", "verweigert", "antwort verweigert", "refus"}
SURELY_REFUSED |= {"recusa", "recusou", "odmowa", "odmowa odpowiedzi", "weigert", "vill ej svara"}
SURELY_REFUSED |= {"refuză", "отказ от ответа", "拒绝回答"}
MAYBE_REFUSED = {"refuse", "refused to answer", "declined to answer", "prefer not to say"}
REFUSALS = SURELY_REFUSED | MAYBE_REFUSED
UNANSWERED = {*SURELY_REFUSED, "no answer", "no response", "not answered", "unanswered"}
UNANSWERED |= {"no reply", "skip", "skipped", "missing", "blank", "error", "invalid"}
UNANSWERED |= {"inapplicable", "inap", "iap", "na", "n/a", "n.a.", "nr", "not ascertained"}
UNANSWERED |= {"n.v.t.", "nvt", "s.o.", "nonresponse", "non-response", "item nonresponse"}
UNANSWERED |= {"system missing", "n.c.", "s.r.", "not stated", "nicht beantwortet", "keine angaben"}
UNANSWERED |= {"non répondu", "sin respuesta", "sem resposta", "keine angabe", "k.a.", "k. a."}
UNANSWERED |= {"keine antwort", "sans réponse", "pas de réponse", "no contesta", "no responde"}
UNANSWERED |= {"inaplicable", "non risponde", "não respondeu", "não responde", "brak odpowiedzi"}
UNANSWERED |= {"nie dotyczy", "geen antwoord", "ej svar", "inget svar", "intet svar"}
UNANSWERED |= {"ønsker ikke at svare", "ikke svar", "ei vastausta", "bez odpovědi", "bez odpovede"}
UNANSWERED |= {"neuvedeno", "nincs válasz", "nem válaszolt", "nu răspunde", "cevap yok"}
UNANSWERED |= {"нет ответа", "відмова", "無回答", "未回答", "무응답", "trifft nicht zu", "entfällt"}
UNANSWERED |= {"ungültig", "mehrfachnennung", "mehrfachantwort", "invalide", "non valide", "nulo"}
UNANSWERED |= {"空", "未填", "未作答", "not available"}
UNANSWERED |= {"ongeldig", "ogiltig", "ugyldig", "nieważne", "multiple response"}
UNANSWERED |= {"multiple answers", "sans objet", "no aplica", "não se aplica", "nicht erhoben"}
NOT_PUT = {"not asked", "was not asked", "not presented", "not administered", "not in split"}
NOT_PUT |= {"nicht gefragt", "nicht gestellt", "no preguntado", "no preguntada", "no se preguntó"}
NOT_PUT |= {"non posée", "question non posée", "non demandé", "non chiesto", "niet gevraagd"}
NOT_PUT |= {"não perguntado", "não perguntada", "nie pytano", "ej frågad", "filtered out"}
NOT_PUT |= {"in fragebogenversion nicht enthalten", "nicht im fragebogen", "跳过"}
NOT_PUT |= {"frage in diesem jahr nicht teil des frageprogramms"}
NOT_PUT |= {"not asked in split", "question not asked", "frage nicht gestellt", "filter missing"}
UNANSWERED |= NOT_PUT
INAPPLICABLE = {"inapplicable", "inap", "iap", "not applicable", "valid skip", "legitimate skip"}
INAPPLICABLE |= {"item legitimate skip", "proxy", "proxy interview", "proxy respondent", "n.v.t."}
INAPPLICABLE |= {"nvt", "inaplicable", "no aplica", "não se aplica", "nie dotyczy", "nicht erhoben"}
INAPPLICABLE |= {"entfällt", "does not apply", "sans objet"}
"""Labels of codes which say that the question was not put, besides those of ``NOT_PUT``."""
ABBREVIATED = {"rf", "ref", "rfsd"}
"""Refusals, as labels of codes of no answer have them."""
SKIPPED = {"skip", "skipped", "trifft nicht zu"}
"""Not by a filter, but where a code below 0 stands before it, which means that it was not put."""
DONT_KNOW = {"n.s.", "n.s./n.r.", "sans opinion", "kan inte ta ställning", "dk", "d.k.", "unk"}
DONT_KNOW |= {"don't know", "do not know", "i don't know", "weiß nicht", "nsp", "ne sait pas"}
DONT_KNOW |= {"no sabe", "non so", "não sabe", "no sé", "no lo sé", "não sei", "ne sais pas"}
DONT_KNOW |= {"je ne sais pas", "non saprei", "nie wiem", "trudno powiedzieć", "weet niet"}
DONT_KNOW |= {"weet ik niet", "vet ej", "vet inte", "vet ikke", "ved ikke", "ne se prononce pas"}
DONT_KNOW |= {"en osaa sanoa", "nevím", "neviem", "nem tudja", "nem tudom", "nu știu", "bilmiyorum"}
DONT_KNOW |= {"не знаю", "трудно сказать", "важко сказати", "δεν γνωρίζω", "わからない", "不知道"}
DONT_KNOW |= {"모름", "kann ich nicht sagen", "can't say", "cannot say", "can't choose"}
DONT_KNOW |= {"cannot choose", "no opinion"}
NO_ANSWER = {*DONT_KNOW, *MAYBE_REFUSED, "ns/nc", "ns/nr", "not applicable", "dk/ref", "unknown"}
PREFER_NOT = "prefer not to say"
SAY = r"(say|answer|respond|disclose|tell)( (this|the|that) question| (this|that))?"
UNWILLING = re.compile(
    rf".*(\b(not|rather not|prefer not)|(?<!ca)n't)( (wish|want|like|care))? (to )?{SAY}"
    r"|.*\bno (quier|dese)\w* (contestar|responder|decir)(lo)?"
    r"|.*\bprefier\w+ no (contestar|responder|decir)(lo)?"
    r"|.*\bne (souhait|veu|désir)\w+ pas (y )?(répondre|le dire)"
    r"|.*\bpréf[èeé]r\w+ ne pas (y )?(répondre|(le )?dire)"
    r"|.*\b(möchte|will|wollte)\b.* nicht (sagen|beantworten|antworten|angeben)"
    r"|.*\bprefiro não (responder|dizer)|.*\bpreferisco non (rispondere|dire(lo)?)"
    r"|.*\b(zeg|wil).* liever niet( zeggen)?|.*\b(wolę|chcę) nie (odpowiadać|mówić)",
)
OF_ONESELF = re.compile(r"\b(i|as an? ai|language model)\b", re.IGNORECASE)
BRACKET = re.compile(r"(?<=\w)\s*\([^()]*\)\W*$")
BEFORE = re.compile(r"^(\W*\d+\W+|\.[a-z][^\w.]+)+(?=\D)", re.IGNORECASE)
BESIDE = re.compile(r"\W*((vol|spontan|do not read)\w*\W*)?", re.IGNORECASE)


@lru_cache(MOST_KEPT)
def alike(label: str) -> str:
    """Return a form of a label that is equal for labels that look alike."""
    text = html.unescape(label).replace("\u00c3 ", "\u00c3\u00a0 ")  # an à whose space was cleaned
    for encoding in ("cp1252", "latin-1"):
        try:
            text = text.encode(encoding).decode()
        except UnicodeError:
            continue
        break
    text = HEADING.sub("", unicodedata.normalize("NFKC", text).translate(SAME_SIGN))
    text = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    text = re.sub(r"\s*-\s*", "-", " ".join(text.split())).casefold()
    return text.strip(AROUND) or text or label


def difference(one: str, two: str) -> str:
    """Return a message on the signs in which two labels differ that look alike."""
    if one.casefold() == two.casefold():
        return "differ in capitals only"
    signs = [
        f"U+{ord(sign):04X} {unicodedata.name(sign, 'a control character').lower()}"
        for sign in dict.fromkeys(one + two)
        if (sign in one) != (sign in two)
    ]
    return f"look alike, but differ in {', '.join(signs[:3])}" if signs else "look alike"


def are_times(name: str, texts: Iterable[str | None]) -> bool:
    """Return whether a column has dates or times, by its name or its cells."""
    filled = [text for text in texts if text]
    return bool(TIMES.fullmatch(name)) or (bool(filled) and all(map(DATE.match, filled)))


def is_date(label: str, others: Iterable[str]) -> bool:
    """Return whether a label is a date and no other one is, as when spreadsheets read 1-2."""
    return bool(DATE.fullmatch(label)) and not any(DATE.fullmatch(other) for other in others)


def counterparts(people: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Return labels that only one side gives and that may be a label that only the other gives.

    >>> counterparts(["1 - never", "2", "3 - often"], ["1", "2", "3"])
    {'1 - never': '1', '3 - often': '3'}
    >>> counterparts(["Yes", "No"], ["Y", "N"]), counterparts(["Yes", "No"], ["True", "False"])
    ({'Y': 'Yes', 'N': 'No'}, {'True': 'Yes', 'False': 'No'})
    >>> counterparts(["Yes", "No", "Refused"], ["1", "2"])
    {'Yes': '1', 'No': '2'}
    >>> counterparts(["02-Jan", "05-Mar", "6+"], ["1-2", "3-5", "6+"])
    {'02-Jan': '1-2', '05-Mar': '3-5'}

    Args:
        people: people's labels.
        others: a simulator's.
    """
    people, others = list(people), list(others)
    ours = [label for label in people if label not in others]
    theirs = [label for label in others if label not in people]
    pairs: dict[str, str] = {}
    for old, new in ((theirs, ours), (ours, theirs)):
        for label in old:
            spellings = _spellings(label)
            same = [other for other in new if alike(other) in spellings and other not in pairs]
            is_new = label not in pairs.values() and as_number(label) is None
            if is_new and len(same) == 1 and same[0] not in pairs.values():
                pairs[label] = same[0]
    left, right = (
        [label for label in labels if not (says_no_answer(label) or as_number(label) in NOTHING)]
        for labels in (ours, theirs)
    )
    if len(pairs) == 1 and len(left) == len(right) == 2:  # of two options the other is the other
        (one,) = pairs
        old, new = (left, right) if one in left else (right, left)
        pairs |= {
            label: other for label in old for other in new if label != one and other != pairs[one]
        }
    initials = {label[:1].casefold(): label for label in ours}
    are_letters = all(label.isalpha() for label in theirs) and len(theirs) == len(ours)
    if are_letters and {label.casefold() for label in theirs} == {*initials}:
        pairs |= {label: initials[label.casefold()] for label in theirs}
    return pairs


def number_of(label: str) -> str:
    """Return the number or letter before a label's words; empty without.

    >>> number_of("1 - never"), number_of("7 Completely"), number_of("[2] No"), number_of("never")
    ('1', '7', '2', '')
    """
    match = LABELLED.fullmatch(label)
    return match[1] if match else ""


def words_behind(label: str) -> str:
    """Return a label's words behind a number and a sign; the label itself without these.

    >>> words_behind("[2] No"), words_behind("2 days")
    ('No', '2 days')
    """
    match = LABELLED.fullmatch(label)
    is_signed = match and label[match.end(1) : match.start(2)].strip()
    return match[2] if match and is_signed else label


def have_same_words(one: str, other: str) -> bool:
    """Return whether labels look alike, but for a number that one of them has before its words.

    >>> have_same_words("2. Oppose", "oppose"), have_same_words("2. Oppose", "1. Oppose")
    (True, False)
    """
    first, second = words_behind(one), words_behind(other)
    is_one_bare = first == one or second == other
    return alike(first) == alike(second) and (is_one_bare or number_of(one) == number_of(other))


def _spellings(label: str) -> set[str]:
    """Return what else a label may be: its number or its words, 1 or 0, or the range of a date."""
    spellings = set()
    if match := LABELLED.fullmatch(label):
        spellings |= {match[1], alike(match[2])}
    if match := DAY_OF_MONTH.fullmatch(label):
        day, month = int(match[1]), MONTHS.split("|").index(match[2].casefold()) + 1
        spellings |= {f"{day}-{month}", f"{month}-{day}"}
    for marks in (MARKS, NOT_MARKS):
        spellings |= marks if label.casefold() in marks else set()
    return spellings - {alike(label)}


def codes_of_nothing(labels: Iterable[str]) -> list[str]:
    """Return the numbers that stand apart from the other labels, as codes for no answer do.

    A number may have words behind it, where all labels have one and answers follow each other, or
    where one of these says that there is no answer, or is below 0 and no end of a scale around 0.

    >>> codes_of_nothing(["1", "2", "3", "99"]), codes_of_nothing(["1 yes", "2 no", "-9 refus"])
    (['99'], ['-9 refus'])
    >>> codes_of_nothing(["-7. No interview", "1. Yes", "2. No", "Yes", "No"])
    ['-7. No interview']
    >>> codes_of_nothing(["-1. Worse", "0. Same", "1. Better", "Worse", "Better"])
    []
    >>> codes_of_nothing(["0", "15", "50", "85", "100", "-9", "-8", "998"])
    ['-9', '-8', '998']
    >>> codes_of_nothing(["1", "2", "3", "4", "-42", "-9"])
    ['-42', '-9']
    >>> codes_of_nothing(["1", "2", "3", "7", "8"]), codes_of_nothing(["1", "2", "3", "6", "7"])
    (['7', '8'], [])
    """
    labels = list(labels)
    numbers = {label: number for label in labels if (number := as_number(label)) is not None}
    coded = {
        label: number
        for label in labels
        if (number := as_number(number_of(label) or label)) is not None
    }
    is_labelled = len(numbers) < len(coded) == len(labels)
    numbers = coded if is_labelled else numbers
    if 2 * len(numbers) < len(labels):
        values = {*coded.values()}
        is_bipolar = 0 in values or values == {-number for number in values}
        negative = [label for label, number in coded.items() if number < 0]
        codes = [label for label, number in coded.items() if number in NOTHING]
        codes = codes if any(map(is_unanswered, codes)) else [] if is_bipolar else negative
        return list(dict.fromkeys([*numbers, *codes]))
    if 2 * len(numbers) == len(labels):
        return []
    small, below_seven = SMALL_CODES, [number for number in numbers.values() if 0 <= number < SEVEN]
    if below_seven and max(below_seven) <= SEVEN - FAR and {8, 9}.intersection(numbers.values()):
        small = SMALL_CODES | {SEVEN}
    below = [number for number in numbers.values() if number < 0]
    are_codes = len(below) <= MOST_BELOW and all(n < -1 and n % 1 == 0 for n in below)
    are_codes &= len(numbers) - len(below) >= FEWEST_STEPS
    no_others = {*CODES, *small, *(below if are_codes else ())}
    others = [number for number in numbers.values() if number not in no_others]
    if len(others) < 2 or {-number for number in numbers.values()} == set(numbers.values()):
        return []
    *rest, top = sorted(others)
    least_far = rest[-1] + max(FARTHER, FAR * (rest[-1] - rest[0]))
    if len(rest) >= FAR and _dense(rest) and top > least_far:
        far_off = [label for label, number in numbers.items() if number == top]
        return [*codes_of_nothing(label for label in labels if label not in far_off), *far_off]
    low, high = min(others), max(others)
    inner = [number for number in numbers.values() if low <= number <= high]
    is_dense, apart = _dense(inner), set[float]()
    for number in sorted(numbers.values()):
        is_far = number > high + FARTHER or number < low - FARTHER
        is_small = is_dense and (number >= high + FAR or number < min(low, 0))
        is_small |= number < 0 < low and is_far
        is_code = number in CODES and is_far
        is_code |= (number in small and is_small) or (are_codes and number < 0)
        if is_code:
            apart.add(number)
        elif number in small and number > high:
            high = number  # what follows an answer is one
    if is_labelled and not _dense([*{*numbers.values()} - apart]):
        return []
    return [label for label, number in numbers.items() if number in apart]


def beyond_a_gap(labels: Iterable[str], simulated: Collection[str] | None = None) -> list[str]:
    """Return the few last numbers, below 10, that follow a gap behind the steps of a scale.

    They do behind a wide gap where a file has labels for its codes; and where simulators answer, if
    none gives these numbers, and they are 7, 8, 9, or the one that lacks only one before it.

    >>> beyond_a_gap("123479"), beyond_a_gap("12346"), beyond_a_gap(["-9", "-8", "-7", "1", "2"])
    (['7', '9'], [], [])
    >>> beyond_a_gap("12346", "124"), beyond_a_gap("1234579", "1345"), beyond_a_gap("123479", "17")
    (['6'], ['7', '9'], [])

    Args:
        labels: everybody's.
        simulated: simulators' labels; None if a file says that its codes have labels.
    """
    numbers = {label: number for label in labels if (number := as_number(label)) is not None}
    order = sorted((one for one in numbers if numbers[one] >= 0), key=lambda one: numbers[one])
    gaps = (i for i in range(1, len(order)) if numbers[order[i]] > numbers[order[i - 1]] + 1)
    steps = next(gaps, len(order))
    rest = order[steps:]
    if not steps >= FAR or not 0 < len(rest) <= steps or numbers[rest[-1]] >= TEN:
        return []
    gap = numbers[rest[0]] - numbers[order[steps - 1]]
    if simulated is None:
        return rest if gap > LEAST_GAP else []
    are_usual = {numbers[label] for label in rest} <= {SEVEN, *SMALL_CODES}
    is_next = len(rest) == 1 and gap == LEAST_GAP
    return rest if simulated and (are_usual or is_next) and not {*rest} & {*simulated} else []


def rare_ends(labels: Collection[str], simulated: Iterable[str]) -> list[str]:
    """Return what no simulator gives beside 1 to 5 or 7: 0, or the next number.

    >>> rare_ends("0123456", "2345"), rare_ends("0123456", "3456"), rare_ends("0123456789", "8")
    (['0', '6'], ['0'], [])

    Args:
        labels: everybody's.
        simulated: simulators' labels.
    """
    numbers = {label: number for label in labels if (number := as_number(label)) is not None}
    top = max((numbers.get(label, 0.0) for label in simulated), default=0.0)
    ends = sorted(label for label in numbers if not 0 < numbers[label] <= top)
    beside = {0.0, top + 1} if top in USUAL_TOPS else {0.0} if top == SIX else set()
    if not ends or len(numbers) < len(labels) or not {*map(numbers.get, ends)} <= beside:
        return []
    return ends if {*range(1, int(top) + 1)} <= {*numbers.values()} else []


def are_ends(labelled: Collection[float], others: Collection[float]) -> bool:
    """Return whether only the ends of a scale have labels, and perhaps what is exactly its middle.

    >>> are_ends([0, 10], [3, 7, 8]), are_ends([1, 2, 3, 4], [5]), are_ends([1, 5], [])
    (True, False, False)
    >>> are_ends([1, 4, 7], [2, 3]), are_ends([1, 2, 4], [3]), are_ends([1, 2, 9], [3])
    (True, False, False)

    Args:
        labelled: the codes with a label.
        others: the codes that were answered and have none.
    """
    low, high = min(labelled, default=0.0), max(labelled, default=0.0)
    are_known = {*labelled} <= {low, (low + high) / 2, high}
    return are_known and bool(others) and low < min(others) <= max(others) < high


def are_one_apart(labels: Collection[str], others: Collection[str]) -> bool:
    """Return whether labels are codes from 0 to a number, and others from 1 to one more."""
    both = [{as_number(label) for label in side} for side in (labels, others)]
    scales = [{float(start + step) for step in range(len(labels))} for start in (0, 1)]
    return len(labels) > 1 and both in (scales, scales[::-1])


def texts_among_numbers(labels: Iterable[str], people: Iterable[str]) -> list[str]:
    """Return the texts where answers are numbers; these texts may stand for no answer.

    Answers count as numbers if people gave several and all are numbers, or else if most are.

    Args:
        labels: everybody's labels.
        people: people's labels.
    """
    labels, people = list(labels), list(people)
    ends = labelled_ends(people)
    texts = [label for label in labels if as_number(label) is None and label not in ends]
    of_people = {*people}.difference(texts)
    are_numbers = len(of_people) == len(people) > 1 or 2 * len(texts) < len(labels)
    return [
        label for label in texts if are_numbers and not (label[0].isdigit() or number_of(label))
    ]


def labelled_ends(people: Iterable[str]) -> list[str]:
    """Return the two texts that stand for the ends of a scale whose other steps are numbers.

    The numbers follow each other and lack both ends: 2 to 4 and above, or 1 to 9.
    """
    labels = list(people)
    ends = [label for label in labels if as_number(label) is None]
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    if len(ends) != 2 or len(numbers) < FEWEST_STEPS or any(map(says_no_answer, ends)):
        return []
    low, high = min(numbers), max(numbers)
    is_scale = low == 2 or (low, high) == (1, 9)
    return ends if is_scale and _dense(numbers) else []


def strays(counted: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return texts that hardly anybody answers, which may be typing errors and no options.

    None where ten or more, and a tenth of all texts, are so rare: of brands or places many are.

    Args:
        counted: label -> how often it was answered, and the number of answers to the questions in
            which somebody gave it.
    """
    rare = [
        label
        for label, (given, answers) in counted.items()
        if 0 < given <= min(STRAY_ANSWERS, STRAY_SHARE * answers)
        and as_number(label) is None
        and not is_no_answer(label)
    ]
    return [] if len(rare) >= max(MANY_STRAYS, len(counted) / 10) else rare


def _dense(numbers: list[float]) -> bool:
    """Return whether whole numbers follow each other."""
    return max(numbers) - min(numbers) + 1 == len(numbers)


def is_total(label: str) -> bool:
    """Return whether a label is a usual name of totals."""
    return alike(label) in TOTALS


def is_net(label: str) -> bool:
    """Return whether a label is a usual name of the sum of some options, or of all.

    >>> is_net("Approve (NET)"), is_net("Top 2 box"), is_net("Total"), is_net("Internet")
    (True, True, True, False)
    """
    return is_total(label) or bool(NET.fullmatch(label))


def is_unanswered(label: str) -> bool:
    """Return whether a label's words are hardly ever an answer."""
    return _consists_of(label, KEYS_OF_UNANSWERED)


def is_no_answer(label: str) -> bool:
    """Return whether a label's words may be an option, or say that somebody did not answer."""
    return not is_unanswered(label) and says_no_answer(label)


def says_no_answer(label: str) -> bool:
    """Return whether a label's words say that somebody did not answer, whatever else they may be.

    >>> says_no_answer("-9. Refused"), says_no_answer("(VOL.) Don't know/No answer")
    (True, True)
    >>> says_no_answer("Não sabe (NS)"), reason_of("Recusa (ESPONTÂNEO)")
    (True, 'refused')
    """
    return _consists_of(label, KEYS_OF_UNANSWERED | KEYS_OF_NO_ANSWER)


def _consists_of(label: str, keys: Set[str]) -> bool:
    """Return whether a label, or each part of it, is one of these.

    But for a code before it, and a bracket behind it.
    """
    text = BRACKET.sub("", BEFORE.sub("", label))
    parts = [part for part in re.split(r"[/,;()]|\bor\b", text) if not BESIDE.fullmatch(part)]
    return _key(text) in keys or (bool(parts) and all(_key(part) in keys for part in parts))


def _key(text: str) -> str:
    """Return a form of a text in which all ways to say that one rather says nothing are one.

    Of words that are no abbreviation their letters count: don_t_know, DontKnow and "Don't know".
    """
    key = alike(text)
    letters = squashed(key)
    if UNWILLING.fullmatch(key):
        return squashed(PREFER_NOT)
    return letters if len(letters) > LONGEST_SHORT else key


def reason_of(label: str) -> str:
    """Return why a label that is no answer is none, as far as it says so.

    >>> reason_of("Don't know"), reason_of("Refused"), reason_of("n/a")
    ('undecided', 'refused', 'missing')
    >>> reason_of("I'm not able to take a personal position on this.")
    'refused'
    """
    if _consists_of(label, KEYS_OF_DONT_KNOW):
        return UNDECIDED
    refuses = refuses_as_model(label) or (OF_ONESELF.search(label) and is_refusal(label))
    return REFUSED if refuses or _consists_of(label, KEYS_OF_REFUSALS) else REASONS[0]


def likely_meaning(
    label: str, options: Collection[str] | None = (), ends: tuple[float, float] = (-inf, inf)
) -> str:
    """Return what a text may mean: an option that it says, or the only number in it, or a refusal.

    Empty for others.

    >>> likely_meaning("12 Jahre", ["10", "12"]), likely_meaning("12 Jahre", ["10"])
    ('12', '')
    >>> likely_meaning("I cannot say"), likely_meaning("for about 12 years", None, (0, 100))
    ('refused', '12')

    Args:
        label: the text.
        options: those that the number is one of; None if it is any.
        ends: of the range that it is within.
    """
    if reason_of(label) == REFUSED:
        return REFUSED
    if option := option_said(label, options or ()):
        return option
    number = as_label(number_within(label, *ends, ANY_UNIT) or "")
    if number and (options is None or number in options):
        return number
    return ""


def option_said(text: str, options: Collection[str]) -> str:
    """Return the only option that a text says in a few more words, or at its end; or nothing.

    >>> option_said("Ich bin daf\u00fcr.", ["daf\u00fcr"]), option_said("Not for it", ["for it"])
    ('daf\u00fcr', '')
    >>> option_said("As a man of 30 who lives in Leeds, I'd say: 7", ["7", "30"])
    '7'
    >>> option_said("Agree or Disagree", ["Agree", "Disagree"])
    ''
    """
    begun, rest = option_begun(text, options)
    if begun and not (len(begun) <= len("no") and re.match(r"\s+[^\W\d_]", rest)):  # no in Spanish
        return begun
    within = options_within(text, options)
    longest = max(within, key=len, default="")
    more = re.sub(re.escape(longest), " ", text, flags=re.I)
    if any(NEGATED.fullmatch(word) for word in more.split()):
        return ""
    last = alike(SAID_LAST.split(text)[-1])
    at_end = len(more.split()) <= MOST_WORDS or squashed(text).endswith(squashed(longest))
    only = [longest] if at_end and not options_within(more, within) else []
    return next(iter([one for one in options if alike(one) == last] + only), "")


def options_within(text: str, options: Iterable[str]) -> list[str]:
    """Return the options that a text has as whole words."""
    around = r"(?<![\w-])(?<!\d[.,/]){}(?!\w|[.,/]\d|-\w)"
    return [one for one in options if re.search(around.format(re.escape(one)), text, re.I)]


def why_none(label: str) -> str:
    """Return what a label that is no answer means: that it was not asked, or why there is none.

    >>> why_none("nicht gefragt (Filter)"), why_none("trifft nicht zu (Filter)"), why_none("n/a")
    ('not asked', 'not asked', 'missing')
    >>> why_none("#NAME?"), why_none("Loading...")
    ('failed', 'failed')
    >>> why_none("Inapplicable"), why_none("-2 [-2] trifft nicht zu"), why_none("8 Skipped")
    ('not asked', 'not asked', 'missing')
    >>> why_none("-8 [-8] Frage in diesem Jahr nicht Teil des Frageprogramms")
    'not asked'
    >>> why_none(".r .R=RF"), why_none(".D=DK")
    ('refused', 'undecided')
    """
    if label.casefold() in OF_FORMULAS:
        return FAILED
    parts = {*map(_key, re.split(r"[()\[\]/,;]", BEFORE.sub("", label)))}
    is_below = label.startswith("-") and not parts.isdisjoint(map(_key, SKIPPED))
    if is_below or parts & KEYS_OF_NOT_PUT:
        return NOT_ASKED
    return REFUSED if parts & ABBREVIATED else reason_of(label)


KEYS_OF_NOT_PUT = {_key(phrase) for phrase in NOT_PUT | INAPPLICABLE | {"filter", "filtered"}}
KEYS_OF_DONT_KNOW = {_key(phrase) for phrase in DONT_KNOW}
KEYS_OF_REFUSALS = {_key(phrase) for phrase in REFUSALS}
KEYS_OF_UNANSWERED = {_key(phrase) for phrase in UNANSWERED}
KEYS_OF_NO_ANSWER = {_key(phrase) for phrase in NO_ANSWER}


def far(numbers: Iterable[float]) -> list[str]:
    """Return the numbers that stand far from most others, as codes of missing answers do."""
    inner = sorted(numbers)
    width, at = max(((inner[i] - inner[i - 1], i) for i in range(1, len(inner))), default=(0, 0))
    most, rest = sorted((inner[:at], inner[at:]), key=len, reverse=True)
    if len(most) < 2 or width <= max(LEAST_GAP, most[-1] - most[0]):
        return []
    return [f"{number:g}" for number in rest]
