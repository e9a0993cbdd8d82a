"""How often something is done, as texts say: from their words and numbers to times a year."""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from math import inf

from fidelity_study.reading.tabular.doubtful import alike

Range = tuple[float, float]
NEVER = {"never", "not at all", "nie", "niemals", "jamais", "nunca"}
RARELY = re.compile("less (often|frequently)|rarely|seldom|selten(er)?|rarement|rara vez")
DAILY = "daily( or (almost|nearly) daily)?"
SIGNS = (  # for words of several languages; those that hold others come first
    (" + ", r"(or|oder|ou|o) (more|mehr|öfter|häufiger|plus|más)( often)?|\+"),
    (" _ ", "(or|oder|ou|o) (less|weniger|seltener|moins|menos)( often)?"),
    (" < ", "(less|fewer)( often)? than|(weniger|seltener) als|moins d(e|'une fois)|menos de"),
    (" > ", "more( often)? than|(mehr|öfter|häufiger) als|plus d(e|'une fois)|más de|over"),
    (r" /\1 ", f"{DAILY}|weekly|monthly|yearly|täglich|wöchentlich|monatlich|jährlich"),
    (" / ", "every|each|jede[nrs]?|chaque|to[ud][ao]?s l[eao]s|cada"),
    (" 3-4 ", "several|a few|mehrere|mehrmals|ein paar|plusieurs|quelques|varias|algunas"),
    (" 1 ", "once|einmal|une fois|una vez"),
    (" 2 ", "twice|two|other|zweimal|zwei|zweite[nr]?|deux|dos"),
    (" 3 ", "three|drei|trois|tres"),
    (" @260 ", "(week|work)days?|working days?|(werk|arbeits)tage?"),
    (" @365 ", f"{DAILY}|days?|täglich|tage?|jours?|d[ií]as?"),
    (" @52 ", "week(s|ly)?|wochen?|wöchentlich|semaines?|semanas?"),
    (" @12 ", "month(s|ly)?|monate?|monatlich|mois|mes(es)?"),
    (" @1 ", "year(s|ly)?|jahre?|jährlich|ans?|année|años?"),
    ("* ", "times?|x|mal|fois|ve(z|ces)"),
    (" % ", "al?( la)?|per|pro|in (a|the|der)|die|am|im|par|por"),
    (" ~ ", "almost|nearly|fast|presque|casi"),
    ("-", "or|to|bis|oder|ou"),
    (" ", "about|approximately|around|etwa|ungefähr|at least|mindestens|environ"),
)
WORDS = [(sign, re.compile(rf"(?<![^\W\d_])({words})(?![^\W\d_])")) for sign, words in SIGNS]
RATE = re.compile(
    r"([<>~])?(?:(\d+)\*?(?:-(\d+)\*?)?([+_])?(?:\*|@365|@260)?(?=[%/]))?(?:%(?<!^%)|/(\d)?)@(\d+)([+_])?"
)
UNITS, OFTEN, LEAST = (0.0, 1.0, 12.0, 52.0, 365.0, 8760.0, inf), 24.0, 0.01


def by_frequency(labels: Iterable[str]) -> tuple[list[str], bool] | None:
    """Return texts from the rarest, and whether they begin with nothing; None if that is unclear.

    >>> by_frequency(["daily", "never", "less than once a week", "1-2 times a week"])
    (['never', 'less than once a week', '1-2 times a week', 'daily'], True)
    >>> by_frequency(["several times a week", "3-5 times a week", "never"])
    """
    ranges: dict[str, Range] = {}
    for label in labels:
        if (times := _times_a_year(alike(label))) is None:
            return None
        ranges[label] = times
    order = sorted(ranges, key=ranges.__getitem__)
    is_whole = ranges[order[0]][0] < 1 and ranges[order[-1]][1] >= OFTEN
    are_apart = all(ranges[one][1] < ranges[other][0] for one, other in pairwise(order))
    return (order, is_whole) if are_apart else None


@cache
def _times_a_year(text: str) -> Range | None:
    """Return between how many times a year a text says; beyond its number, up to another unit."""
    if text in NEVER or RARELY.fullmatch(text):
        return (0.0, 0.0) if text in NEVER else (LEAST, 1 - LEAST)
    for sign, words in WORDS:
        text = words.sub(sign, text)
    form = RATE.fullmatch(re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", text.strip()))
    if form is None:
        return None
    sign, number, most, more, period, unit, often = form.groups()
    low = float(number or 1) * float(unit) / float(period or 1)
    high = low * float(most or number or 1) / float(number or 1)
    below = max(part for part in UNITS if part < low) + LEAST
    above = min(part for part in UNITS if part > high) - LEAST
    ends = {"<": (below, low - LEAST), ">": (high + LEAST, above), "~": (low * 6 / 7, low - LEAST)}
    ends |= {"+": (low, above), "_": (below, high)}
    return ends.get(sign or more or often or "", (low, high))
