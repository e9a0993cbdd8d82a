"""Scales in words that surveys use most, in ten languages: from their words to their order."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from fidelity_study.reading.tabular.doubtful import alike

FEWEST = 3
BIPOLAR = (  # a negative and a positive pole, with the same adverbs
    "disagree/agree, dissatisfied/satisfied, unlikely/likely, unimportant/important, "
    "oppose/support, oppose/favor, oppose/favour, unfavorable/favorable, unfavourable/favourable, "
    "uncomfortable/comfortable, unhappy/happy, negative/positive, bad/good, disapprove/approve, "
    "unlikely to recommend/likely to recommend, unlikely to buy/likely to buy, worse/better, "
    "unzufrieden/zufrieden, unwahrscheinlich/wahrscheinlich, schlecht/gut, schlechter/besser, "
    "insatisfait/satisfait, insatisfaite/satisfaite, mécontent/satisfait, improbable/probable, "
    "insatisfecho/satisfecho, insatisfecha/satisfecha, peor/mejor, insatisfeito/satisfeito, "
    "insatisfeita/satisfeita, pior/melhor, insoddisfatto/soddisfatto, insoddisfatta/soddisfatta, "
    "peggio/meglio, improbabile/probabile, ontevreden/tevreden, slechter/beter, missnöjd/nöjd, "
    "niezadowolony/zadowolony, niezadowolona/zadowolona"
)
ADVERBS = (  # from the strongest; an adverb may stand behind the pole, too
    "extremely, äußerst, extrêmement, extremadamente, extremamente, estremamente, uiterst",
    "strongly, very, completely, totally, fully, definitely, entirely, much, sehr, viel, très, "
    "muy, mucho, muito, molto, zeer, heel, veel, mycket, bardzo",
    ", mostly, generally, moderately",
    "somewhat, slightly, rather, fairly, tend to, a little, partly, mildly, eher, etwas, plutôt, "
    "algo, piuttosto, abbastanza, um pouco, enigszins, iets, ganska, raczej",
)
MIDDLE = (
    "neutral, neither, neither {0} nor {1}, neither {1} nor {0}, teils teils, weder noch, neutre, "
    "weder {0} noch {1}, weder {1} noch {0}, ni {0} ni {1}, ni {1} ni {0}, neutro, neutrale, "
    "nem {0} nem {1}, nem {1} nem {0}, né {0} né {1}, né {1} né {0}, neutraal, "
    "niet {0} niet {1}, niet {1} niet {0}, varken {0} eller {1}, varken {1} eller {0}, "
    "the same, about the same, no change, gleich, unverändert, igual, uguale"
)
IN_FULL = (  # from one end to the other; commas between words of one step
    "stimme überhaupt nicht zu, stimme gar nicht zu, lehne stark ab; stimme nicht zu, lehne ab; "
    "stimme eher nicht zu; teils teils, weder noch, neutral; stimme eher zu; "
    "stimme zu; stimme voll zu, stimme voll und ganz zu, stimme völlig zu, stimme stark zu",
    "trifft überhaupt nicht zu, trifft gar nicht zu; trifft nicht zu; trifft eher nicht zu; "
    "teils teils, neutral; trifft eher zu; trifft zu; trifft voll zu, trifft voll und ganz zu",
    "bestimmt nicht, auf keinen fall; wahrscheinlich nicht, eher nicht; vielleicht; "
    "wahrscheinlich, eher ja, wahrscheinlich ja; bestimmt, auf jeden fall, ja bestimmt",
    "certainement pas; probablement pas; peut être; probablement, probablement oui; "
    "certainement, certainement oui",
    "definitivamente no, seguro que no; probablemente no; tal vez, quizás, puede que sí o no; "
    "probablemente sí; definitivamente sí, seguro que sí",
    "pas du tout d accord, tout à fait en désaccord, pas d accord du tout; pas d accord, "
    "en désaccord; plutôt pas d accord, plutôt en désaccord; neutre, ni d accord ni pas d accord, "
    "ni d accord ni en désaccord, ni en accord ni en désaccord; plutôt d accord; d accord; "
    "tout à fait d accord, entièrement d accord",
    "totalmente en desacuerdo, muy en desacuerdo; en desacuerdo; algo en desacuerdo; neutral, "
    "ni de acuerdo ni en desacuerdo; algo de acuerdo; de acuerdo; "
    "totalmente de acuerdo, muy de acuerdo",
    "discordo totalmente, discordo completamente; discordo; discordo parcialmente, "
    "discordo em parte; neutro, indiferente, nem concordo nem discordo, "
    "não concordo nem discordo; concordo parcialmente, concordo em parte; concordo; "
    "concordo totalmente, concordo completamente",
    "per niente d accordo, totalmente in disaccordo, completamente in disaccordo; in disaccordo; "
    "poco d accordo; neutrale, né d accordo né in disaccordo; abbastanza d accordo; d accordo; "
    "molto d accordo, totalmente d accordo, completamente d accordo",
    "helemaal mee oneens, zeer mee oneens, volledig mee oneens, helemaal niet mee eens; "
    "mee oneens, oneens, niet mee eens; beetje mee oneens, enigszins mee oneens; neutraal, "
    "niet mee eens niet mee oneens, niet mee eens en niet mee oneens; beetje mee eens, "
    "enigszins mee eens; mee eens, eens; helemaal mee eens, zeer mee eens, volledig mee eens",
    "instämmer inte alls, tar helt avstånd; instämmer inte, tar delvis avstånd; neutral, "
    "varken eller; instämmer, instämmer delvis; instämmer helt",
    "zdecydowanie się nie zgadzam, zdecydowanie nie zgadzam się; nie zgadzam się, "
    "raczej się nie zgadzam, raczej nie zgadzam się; ani się zgadzam ani się nie zgadzam; "
    "zgadzam się, raczej się zgadzam, raczej zgadzam się; zdecydowanie się zgadzam, "
    "zdecydowanie zgadzam się",
    "全くそう思わない, まったくそう思わない; そう思わない; あまりそう思わない, "
    "どちらかといえばそう思わない; どちらともいえない, どちらとも言えない; ややそう思う, "
    "どちらかといえばそう思う; そう思う; とてもそう思う, 非常にそう思う, 強くそう思う",
    "非常不同意, 完全不同意; 不同意; 有点不同意, 比较不同意; 中立, 一般, 不确定; "
    "有点同意, 比较同意; 同意; 非常同意, 完全同意",
)
HOW_OFTEN = (
    "less than once a year, less often, less frequently; once a year, every year; "
    "several times a year, a few times a year, less than once a month; once a month, "
    "about once a month, every month, monthly; several times a month, a few times a month, "
    "less than once a week; once a week, about once a week, every week, weekly, weekly or more; "
    "several times a week, a few times a week; every day, daily, once a day; "
    "several times a day, more than once a day"
)
FROM_NOTHING = (  # from nothing to most
    "never; almost never, hardly ever, very rarely; rarely, seldom; sometimes, occasionally; "
    "often, frequently; usually, very often, most of the time; almost always, nearly always; "
    "always, all of the time, all the time",
    HOW_OFTEN,
    f"never; {HOW_OFTEN}",
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
    "poor; fair, average, only fair; good; very good; excellent",
    "not at all, none at all, nothing at all; hardly any, not very much, not much; only some, "
    "some, a fair amount; a great deal, a lot",
    "very poor; poor; fair, average; good; very good; excellent",
    "schlecht; weniger gut, mittelmäßig; gut; sehr gut; ausgezeichnet, hervorragend",
    "mauvais, mauvaise; passable, moyen, moyenne; bon, bonne; très bon, très bonne; "
    "excellent, excellente",
    "malo, mala; regular; bueno, buena; muy bueno, muy buena; excelente",
)
OF_ANYTHING = {  # of one adjective or verb, as in "not at all important"; or of none
    "not at all": "not at all {0}; not very {0}, not too {0}, slightly {0}, a little {0}; "
    "somewhat {0}, moderately {0}, fairly {0}; {0}, quite {0}; very {0}, very much {0}; "
    "extremely {0}, completely {0}",
    **{
        f"definitely{would} not": f"definitely{would} not {{0}}; probably{would} not {{0}}; "
        "might or might not {0}, may or may not {0}, might or might not; "
        f"probably{would} {{0}}, probably yes; definitely{would} {{0}}, definitely yes"
        for would in ("", " would", " will")
    },
}


@dataclass(frozen=True)
class Scale:
    """The step of each text, from the lowest.

    Attributes:
        step: by text, as :func:`_plain` writes it.
        middle: the step in the middle, None if the scale begins with nothing.
        last: the highest step.
    """

    step: dict[str, int]
    middle: int | None
    last: int

    def is_whole(self, steps: set[int]) -> bool:
        """Return whether some steps may be a scale, of which nothing is missing at its ends."""
        if self.middle is None:
            return min(steps) == 0 and 2 * max(steps) >= self.last
        return steps == {2 * self.middle - step for step in steps}


def in_steps(labels: Iterable[str]) -> tuple[list[str], bool] | None:
    """Return texts of one scale from the lowest, and whether it is whole; None if it is unknown."""
    texts = {label: _plain(label) for label in labels}
    if len(texts) < FEWEST:
        return None
    for scale in [*_known(), *_of_words(texts.values())]:
        steps = [scale.step.get(text) for text in texts.values()]
        if None not in steps and len({*steps}) == len(steps):
            whole = scale.is_whole({step for step in steps if step is not None})
            return sorted(texts, key=lambda label: scale.step[texts[label]]), whole
    return None


def _plain(label: str) -> str:
    return " ".join(re.findall(r"\w+", alike(label)))


@cache
def _known() -> tuple[Scale, ...]:
    bipolar = [_bipolar(*pair.split("/")) for pair in BIPOLAR.split(", ")]
    full = [_steps(text, is_bipolar=True) for text in IN_FULL]
    return (*bipolar, *full, *(_steps(text, is_bipolar=False) for text in FROM_NOTHING))


def _bipolar(negative: str, positive: str) -> Scale:
    middle = len(ADVERBS)
    step = dict.fromkeys(MIDDLE.format(negative, positive).split(", "), middle)
    for strength, adverbs in enumerate(ADVERBS):
        for adverb in adverbs.split(", "):
            for pole, at in ((negative, strength), (positive, 2 * middle - strength)):
                step |= {f"{adverb} {pole}".strip(): at, f"{pole} {adverb}".strip(): at}
    return Scale(step, middle, 2 * middle)


def _steps(text: str, *, is_bipolar: bool) -> Scale:
    parts = text.split("; ")
    step = {word.strip(): at for at, words in enumerate(parts) for word in words.split(", ")}
    return Scale(step, len(parts) // 2 if is_bipolar else None, len(parts) - 1)


def _of_words(texts: Iterable[str]) -> Iterator[Scale]:
    """Yield the scales of the adjective or verb of which some text says "not at all"."""
    for text in texts:
        for start, steps in OF_ANYTHING.items():
            if text.startswith(start):
                rest = text.removeprefix(start).strip()
                yield _steps(steps.format(rest), is_bipolar=start != "not at all")
