"""Scales in words that surveys use most, in ten languages: from their words to their order."""

import re
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import alike, number_of, says_no_answer
from fidelity_study.reading.tabular.frequencies import by_frequency

FEWEST = 3
BIPOLAR = (  # a negative and a positive pole, with the same adverbs; others differ by a prefix
    "disagree/agree, dissatisfied/satisfied, unlikely/likely, disapprove/approve, "
    "oppose/support, oppose/favor, oppose/favour, negative/positive, bad/good, poor/good, "
    "worse/better, below average/above average, "
    "unzufrieden/zufrieden, schlecht/gut, schlechter/besser, mécontent/satisfait, peor/mejor, "
    "pior/melhor, peggio/meglio, slechter/beter, too little/too much, too few/too many, "
    "too thin/too thick, too weak/too strong, too low/too high, too small/too large, "
    "too small/too big, too short/too long, too soft/too hard, too light/too dark, "
    "less/more, low/high, difficult/easy, false/true, reduced/increased, decreased/increased, "
    "reduce/increase, decrease/increase, weniger/mehr, niedrig/hoch"
)
OPPOSITE = re.compile("(?:dis|i[mnr]|miss?|nie|[uo]n)(.+)")
ADVERBS = (  # from the strongest; an adverb may stand behind the pole, too
    "extremely, äußerst, extrêmement, extremadamente, extremamente, estremamente, uiterst",
    "strongly, very, very much, completely, totally, fully, definitely, entirely, much, far, "
    "a lot, a great deal, sehr, viel, très, muy, mucho, muito, molto, zeer, heel, veel, mycket, "
    "bardzo",
    ", mostly, generally, moderately, a moderate amount",
    "somewhat, slightly, rather, fairly, tend to, a little, a bit, partly, mildly, probably, eher, "
    "etwas, plutôt, algo, piuttosto, abbastanza, um pouco, enigszins, iets, ganska, raczej",
)
MIDDLE = re.compile(
    "neutral|neutre|neutro|neutrale|neutraal|indiferente|(neither|weder|ni|nem|né|varken|ani)( .+)?"
    "|teils teils|just (about )?right|about right|(\\w+ )?(about )?the same( as .+)?|medium"
    "|no change|average|gleich|unverändert|igual|(não|niet) .+ (nem|niet) .+"
    "|uguale|(might or might|may or may) not( .+)?|vielleicht|peut être|tal vez|quizás"
    "|puede que sí o no|どちらとも[い言]えない|中立|一般|不确定"
)
UNSURE = re.compile(
    "undecided|uncertain|(it )?depends|not sure|unsure|unsicher|unentschieden|unentschlossen"
    "|kommt (dr|d)arauf an|nicht sicher|indécise?|incertaine?|ça dépend|pas sûre?|indecis[oa]"
    "|inciert[oa]|incert[oa]|depende|no estoy segur[oa]|dipende"
    "|não tenho certeza|non sono sicur[oa]|onbeslist|onzeker|weet niet zeker|hangt ervan af"
)
"""The middle, too, but only between as many steps on both sides."""
MAYBE_NONE = re.compile(".*\\b(sure|unsure|sicher|sûre?|segur[oa]|certeza|sicur[oa]|zeker)")
NOT = re.compile(r"\b(?:do|did) not\b|\bdoes not (\w+)")
POLES = "非常不{0}, 完全不{0}; 不{0}; 有点不{0}, 比较不{0}; 有点{0}, 比较{0}; {0}; 非常{0}, 完全{0}"
HOW_MUCH = "完全不{0}, 一点也不{0}; 不{0}; 不太{0}; 有点{0}; 有些{0}; {0}, 比较{0}; 非常{0}, 很{0}"
IN_FULL = (  # from one end to the other, but for the middle; commas between words of one step
    "stimme überhaupt nicht zu, stimme gar nicht zu, lehne stark ab; stimme nicht zu, lehne ab; "
    "stimme eher nicht zu; stimme eher zu; "
    "stimme zu; stimme voll zu, stimme voll und ganz zu, stimme völlig zu, stimme stark zu",
    "trifft überhaupt nicht zu, trifft gar nicht zu; trifft nicht zu; trifft eher nicht zu; "
    "trifft eher zu; trifft zu; trifft voll zu, trifft voll und ganz zu",
    "definitely not; probably not; probably, probably yes; definitely, definitely yes",
    "not at all enough, not nearly enough; not enough, not quite enough; "  # sweet
    "too, somewhat too, slightly too, a little too, a bit too; much too, far too",
    "bestimmt nicht, auf keinen fall; wahrscheinlich nicht, eher nicht; "
    "wahrscheinlich, eher ja, wahrscheinlich ja; bestimmt, auf jeden fall, ja bestimmt",
    "certainement pas; probablement pas; probablement, probablement oui; "
    "certainement, certainement oui",
    "definitivamente no, seguro que no; probablemente no; "
    "probablemente sí; definitivamente sí, seguro que sí",
    "pas du tout d accord, tout à fait en désaccord, pas d accord du tout; pas d accord, "
    "en désaccord; plutôt pas d accord, plutôt en désaccord; plutôt d accord; d accord; "
    "tout à fait d accord, entièrement d accord",
    "totalmente en desacuerdo, muy en desacuerdo; en desacuerdo; algo en desacuerdo; "
    "algo de acuerdo; de acuerdo; totalmente de acuerdo, muy de acuerdo",
    "discordo totalmente, discordo completamente; discordo; discordo parcialmente, "
    "discordo em parte; concordo parcialmente, concordo em parte; concordo; "
    "concordo totalmente, concordo completamente",
    "per niente d accordo, totalmente in disaccordo, completamente in disaccordo; in disaccordo; "
    "poco d accordo; abbastanza d accordo; d accordo; "
    "molto d accordo, totalmente d accordo, completamente d accordo",
    "helemaal mee oneens, zeer mee oneens, volledig mee oneens, helemaal niet mee eens; "
    "mee oneens, oneens, niet mee eens; beetje mee oneens, enigszins mee oneens; beetje mee eens, "
    "enigszins mee eens; mee eens, eens; helemaal mee eens, zeer mee eens, volledig mee eens",
    "instämmer inte alls, tar helt avstånd; instämmer inte, tar delvis avstånd; "
    "instämmer, instämmer delvis; instämmer helt",
    "zdecydowanie się nie zgadzam, zdecydowanie nie zgadzam się; nie zgadzam się, "
    "raczej się nie zgadzam, raczej nie zgadzam się; "
    "zgadzam się, raczej się zgadzam, raczej zgadzam się; zdecydowanie się zgadzam, "
    "zdecydowanie zgadzam się",
    "全くそう思わない, まったくそう思わない; そう思わない; あまりそう思わない, "
    "どちらかといえばそう思わない; ややそう思う, "
    "どちらかといえばそう思う; そう思う; とてもそう思う, 非常にそう思う, 強くそう思う",
    *map(POLES.format, ("同意", "满意", "愿意", "赞成", "支持")),
)
FROM_NOTHING = (  # from nothing to most
    "never; almost never, hardly ever, very rarely; rarely, seldom; sometimes, occasionally; "
    "often, frequently; usually, very often, most of the time; almost always, nearly always; "
    "always, all of the time, all the time",
    "never; some of the time, sometimes; about half the time, half the time; most of the time; "
    "always",
    "finding it very difficult, very difficult; finding it quite difficult, finding it difficult, "
    "difficult; just about getting by, getting by; doing alright, doing all right, coping; "
    "living comfortably",
    "从不, 从来不; 很少, 几乎不; 每年几次; 每月一次; 每月几次; 每周一次; 每周几次; 每天, 每天一次; "
    "每天多次, 每天几次",
    "从不, 从来不; 很少, 几乎不; 偶尔, 有时; 经常; 总是",
    "nie, niemals; fast nie, sehr selten; selten; manchmal, gelegentlich; oft, häufig; meistens, "
    "sehr oft, sehr häufig; fast immer; immer",
    "jamais; presque jamais, très rarement; rarement; parfois, de temps en temps, quelquefois; "
    "souvent; très souvent, la plupart du temps; presque toujours; toujours",
    "nunca; casi nunca; rara vez, raramente; a veces, algunas veces; a menudo, frecuentemente; "
    "muy a menudo, muy frecuentemente; casi siempre; siempre",
    "nunca; quase nunca; raramente; às vezes, algumas vezes; frequentemente, muitas vezes; "
    "muito frequentemente; quase sempre; sempre",
    "mai; quasi mai; raramente; a volte, qualche volta; spesso; molto spesso; quasi sempre; sempre",
    "nooit; bijna nooit; zelden; soms, af en toe; vaak, regelmatig; heel vaak, meestal; "
    "bijna altijd; altijd",
    "aldrig; nästan aldrig; sällan; ibland; ofta; mycket ofta; nästan alltid; alltid",
    "nigdy; prawie nigdy; rzadko; czasami, czasem; często; bardzo często; prawie zawsze; zawsze",
    "not at all; several days; more than half the days; nearly every day",
    "not at all, none, none at all, nothing at all, no at all; "
    "hardly any, a little, very little, not very much, not much; "
    "only some, some, a fair amount, a moderate amount; a lot, quite a lot, quite a bit; "
    "a great deal, a great deal of; complete",
)
QUALITY = (  # from the worst, which may be missing
    "very poor, very bad, terrible; poor, bad; fair, average, only fair; good; very good; "
    "excellent",
    "sehr schlecht; schlecht; weniger gut; mittelmäßig, mittel, befriedigend, zufriedenstellend; "
    "gut; sehr gut; ausgezeichnet, hervorragend",
    "très mauvais, très mauvaise; mauvais, mauvaise; passable, moyen, moyenne, assez bon, "
    "assez bonne; bon, bonne; très bon, très bonne; excellent, excellente",
    "pésimo, pésima, muy malo, muy mala; malo, mala; regular; bueno, buena; muy bueno, muy buena; "
    "óptimo, óptima, excelente",
    "péssimo, péssima, muito ruim, muito mau, muito má; ruim, mau, má; regular, razoável; "
    "bom, boa; muito bom, muito boa; ótimo, ótima, óptimo, óptima; excelente",
    "pessimo, pessima, molto scarso, molto scarsa; scarso, scarsa, cattivo, cattiva; "
    "mediocre, sufficiente; discreto, discreta; buono, buona; molto buono, molto buona; "
    "ottimo, ottima, eccellente",
    "zeer slecht, heel slecht, erg slecht; slecht; matig; redelijk, voldoende; goed; "
    "zeer goed, heel goed, erg goed; uitstekend",
)
DEGREES = (  # of one adjective or verb, three of them negated
    "not at all, not well at all, not in the least, no at all; not; not very, not very well, "
    "not too, not very much, not much, hardly; "
    "slightly, slightly well, a little, a bit, only a little; "
    "somewhat, somewhat well, moderately, moderately well, fairly, partly, to some extent; "
    ", quite, well, mostly, quite a bit, quite a lot of; very, very well, very much, a lot, "
    "a great deal, a great deal of; extremely, extremely well, strongly, completely, totally, "
    "fully, entirely, absolutely, certainly",
    "überhaupt nicht, gar nicht; nicht; eher nicht, nicht sehr, wenig, kaum; etwas, ein wenig; "
    "mäßig, mittelmäßig, teilweise, eher; , ziemlich; sehr, stark; äußerst, voll, voll und ganz, "
    "völlig, vollkommen",
    "pas du tout; pas; pas très, peu, plutôt pas; un peu; moyennement, assez, plutôt; ; "
    "très, beaucoup; extrêmement, tout à fait, complètement, totalement, entièrement",
    "nada, para nada; no; no muy, poco; un poco; algo, moderadamente; bastante, ; muy, mucho; "
    "extremadamente, totalmente, completamente",
    "nada; não; não muito, pouco; um pouco; algo, moderadamente; bastante, ; muito; "
    "extremamente, totalmente, completamente",
    "per niente, per nulla; non; non molto, poco; un po; abbastanza, moderatamente; ; molto; "
    "estremamente, totalmente, completamente, del tutto",
    *map(HOW_MUCH.format, ("担心", "关心", "了解", "信任", "重要")),
    "helemaal niet; niet; niet erg, weinig; een beetje, enigszins; redelijk, tamelijk; ; "
    "erg, zeer, heel; uiterst, helemaal, volledig",
)
NEGATED, PLAIN = 3, 5


@dataclass(frozen=True)
class Scale:
    """The step of each text, from the lowest.

    Attributes:
        step: by text, as :func:`_plain` writes it.
        middle: between what is negated and what is not, None if the scale begins with nothing.
        least: the highest step of a whole scale is at least this; None if both sides are alike.
    """

    step: dict[str, int]
    middle: float | None
    least: int | None = None

    def is_whole(self, steps: set[float]) -> bool:
        """Return whether some steps may be a scale, of which nothing is missing at its ends."""
        low, high = min(steps), max(steps)
        if self.least is None:
            return self.middle is not None and steps == {2 * self.middle - at for at in steps}
        is_denied = self.middle is not None and (low, high) == (1, self.least)
        return (low == 0 and high >= self.least) or is_denied


def in_steps(labels: Iterable[str]) -> tuple[list[str], bool] | None:
    """Return texts of one scale from the lowest, and whether it is whole; None if it is unknown."""
    texts = {label: _plain(label) for label in labels}
    if numbered := _in_numbers([*texts]):
        return numbered
    middle = [label for label, text in texts.items() if _is_middle(text)]
    rest = {label: text for label, text in texts.items() if label not in middle}
    if len(texts) >= FEWEST and (by_number := by_frequency(texts)):
        return by_number
    if len(texts) < FEWEST or len(middle) > 1 or not 0 < len(rest) <= _most_steps():
        return None
    is_unsure = any(UNSURE.fullmatch(texts[label]) for label in middle)
    parts, articles = _without_shared(rest), _without_shared(rest, {"a"})
    last = dict.fromkeys((text.split() or [""])[-1] for text in rest.values())
    bare = [{label: text.removesuffix(f" {word}") for label, text in rest.items()} for word in last]
    for scale in [*_known(), *_of_prefixes(parts.values())]:
        for forms in (rest, parts, articles, *bare):  # some may leave out a word that others end on
            steps: dict[str, float | None] = {label: scale.step.get(forms[label]) for label in rest}
            known = [step for step in steps.values() if step is not None]
            at = scale.middle or 0.0
            has_middle = scale.middle is not None and (
                scale.least is None or min(known, default=at) < at
            )
            if len({*known}) < len(rest) or (middle and not has_middle):
                continue
            is_even = 2 * sum(step < at for step in known) == len(rest)
            is_whole = scale.is_whole({*known})
            if is_unsure and not (is_even and is_whole):
                continue
            placed = {**dict(zip(rest, known, strict=True)), **dict.fromkeys(middle, at)}
            return sorted(placed, key=placed.__getitem__), is_whole
    return None


def _in_numbers(labels: Collection[str]) -> tuple[list[str], bool] | None:
    """Return whole numbers, some of which have words behind them, and whether both ends have.

    >>> _in_numbers(["7 - Very much", "1 - Not at all", *"23456"])
    (['1 - Not at all', '2', '3', '4', '5', '6', '7 - Very much'], True)
    """
    worded = [label for label in labels if number_of(label) and not says_no_answer(label)]
    numbers = {label: as_number(number_of(label) if label in worded else label) for label in labels}
    known = sorted(number for number in numbers.values() if number is not None)
    if not 0 < len(worded) < len(labels) == len(known) or len(labels) < FEWEST:
        return None
    if known != [known[0] + step for step in range(len(known))]:
        return None
    steps = sorted(labels, key=lambda label: numbers[label] or 0.0)
    return steps, {steps[0], steps[-1]} <= {*worded}


def is_step(text: str, others: Collection[str]) -> bool:
    """Return whether a text is a step of the known scale of others, and none of these."""
    return text not in others and in_steps([*others, text]) is not None


def may_be_no_answer(label: str) -> bool:
    """Return whether a text that may be the middle of a scale may as well be no answer."""
    return bool(UNSURE.fullmatch(_plain(label)) and MAYBE_NONE.match(_plain(label)))


def _is_middle(text: str) -> bool:
    return bool(MIDDLE.fullmatch(text) or UNSURE.fullmatch(text))


def _without_shared(texts: dict[str, str], but: Set[str] = frozenset()) -> dict[str, str]:
    """Return texts without the words that all of them have, but some."""
    words = [{*text.split()} for text in texts.values()]
    shared = set.intersection(*words) - but
    return {
        label: " ".join(word for word in text.split() if word not in shared)
        for label, text in texts.items()
    }


def _plain(label: str) -> str:
    text = re.sub(r"n t\b", " not", " ".join(re.findall(r"\w+", alike(label))))
    return NOT.sub(lambda match: f"not {match[1]}s" if match[1] else "not", text)


@cache
def _known() -> tuple[Scale, ...]:
    bipolar = [_bipolar(*pair.split("/")) for pair in BIPOLAR.split(", ")]
    full = [_steps(text, is_bipolar=True) for text in IN_FULL]
    of_degree = [
        replace(_steps(text, is_bipolar=False), middle=NEGATED - 0.5, least=PLAIN)
        for text in DEGREES
    ]
    quality = chain.from_iterable((text.partition("; ")[2], text) for text in QUALITY)
    from_nothing = (_steps(text, is_bipolar=False) for text in (*FROM_NOTHING, *quality))
    return (*bipolar, *full, *from_nothing, *of_degree)


@cache
def _most_steps() -> int:
    return max(len({*scale.step.values()}) for scale in _known())


def _bipolar(negative: str, positive: str) -> Scale:
    middle, step = len(ADVERBS), dict[str, int]()
    for strength, adverbs in enumerate(ADVERBS):
        for adverb in adverbs.casefold().split(", "):
            for pole, at in ((negative, strength), (positive, 2 * middle - strength)):
                step |= {f"{adverb} {pole}".strip(): at, f"{pole} {adverb}".strip(): at}
    return Scale(step, middle)


def _steps(text: str, *, is_bipolar: bool) -> Scale:
    parts = text.casefold().split(";")
    step = {word.strip(): at for at, words in enumerate(parts) for word in words.split(",")}
    last = len(parts) - 1
    return Scale(step, last / 2) if is_bipolar else Scale(step, None, (last + 1) // 2)


def _of_prefixes(texts: Iterable[str]) -> Iterator[Scale]:
    """Yield the scales of two poles one of which is the other with a prefix, as in "unlikely"."""
    words = dict.fromkeys(word for text in texts for word in text.split())
    for word in words:
        if (match := OPPOSITE.fullmatch(word)) and match[1] in words:
            yield _bipolar(word, match[1])
