"""Questions that were put in several languages: which options are the same, is asked."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set

from fidelity_study.errors import Fault, Remedy, fault
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.codebook import meanings_of_codes
from fidelity_study.reading.tabular.columns import as_label, as_number, without_stop
from fidelity_study.reading.tabular.doubtful import MARKS, NOT_MARKS, says_no_answer
from fidelity_study.reading.tabular.layout import Layout, values_of
from fidelity_study.reading.tabular.remedies import an_option, meanings
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.word_scales import in_steps
from fidelity_study.tables.ingest import EVERY

LANGUAGES = {"language", "lang", "userlanguage", "locale", "sprache", "langue", "idioma", "lingua"}
LANGUAGES |= {"taal", "country", "land", "pays", "pais", "paese"}
MOST, FEWEST, LIKE = 10, 2, 0.5
WORD = re.compile(r"[^\W\d_]+")
Texts = Counter[str]
"""How often each text was given."""


def in_languages(
    people: Answers, simulated: Iterable[Answers], layout: Layout, means: Mapping[str, str]
) -> Iterator[Fault]:
    """Yield faults of texts that are options in another language than that of most people.

    Args:
        people: their answers.
        simulated: those of simulators.
        layout: tells what the codebook says of texts.
        means: what the options of a request say that texts mean.
    """
    coded = layout.coded.get("means", ())
    means = {**means, **{entry["text"]: entry["means"] for entry in coded}}
    for name in people.questions:  # a key says what its codes are, and what its labels
        of_codes = meanings_of_codes(name, layout)
        means |= {label: label for label in of_codes.values()} | of_codes
    sure = layout.coded.get("options", ())
    known, unknown, columns = dict[str, str](), dict[str, None](), dict[str, None]()
    most: dict[str, Texts] = {}
    for part in (people, *simulated):
        if part is not people:
            most = _of_people(people) | most
            known |= _of_letters(part, most)
        for column in _columns(part, layout):
            sets: dict[str, dict[str, Texts]] = {}
            for language, question, cell, number in _given(part, column, layout):
                if not says_no_answer(means.get(cell, cell)):
                    sets.setdefault(question, {}).setdefault(language, Counter())[cell] += number
            apart = {name: _apart([*of_language.values()]) for name, of_language in sets.items()}
            if 2 * sum(map(bool, apart.values())) < len(apart):
                continue
            for question, several in apart.items():
                for one, other in _beside_most(several, most, question):
                    columns[column] = None
                    ordered = [_order(one), _order(other)]
                    if all(ordered) and len(one) == len(other):
                        known |= dict(zip(*ordered[::-1], strict=True))
                    else:
                        unknown |= dict.fromkeys(other)
    known = {text: option for text, option in known.items() if text not in {option, *means, *sure}}
    left = [text for text in unknown if text not in {*known, *means, *sure}]
    for texts, way in ((known, Remedy({"recode": known})), (left, meanings({EVERY: left}))):
        if texts:
            yield fault(
                "options-in-languages",
                f"{shown(texts)}: options in another language, as "
                f"{f'{shown(columns)} says' if columns else 'letters say'}, beside "
                "those of most people; say which of these each is",
                file=people.sheet.path,
                also=[way, an_option(*texts)],
            )


def _beside_most(
    several: list[Texts], most: dict[str, Texts], question: str
) -> Iterator[tuple[Set[str], Texts]]:
    """Yield the options of most people with those of each other language.

    Args:
        several: the options of each language.
        most: by question the options of the language of most people, as far as they are known.
        question: its name.
    """
    before = most.get(question, Counter())
    first = max(several, key=lambda texts: (len(before & texts), texts.total()), default=before)
    for other in several:
        if other is not first:
            yield most.setdefault(question, first).keys(), other


def _of_people(people: Answers) -> dict[str, Texts]:
    """Return the options of each question that people gave."""
    most: dict[str, Texts] = {}
    for question, text, _ in people.first_uses:
        most.setdefault(question, Counter())[text] = 0 if says_no_answer(text) else 1
    return {question: +texts for question, texts in most.items()}


def _of_letters(part: Answers, options: Mapping[str, Texts]) -> dict[str, str]:
    """Return the options of people that have the letters of those in another language."""
    pairs = [
        (text, options[name].keys() & part.sheet.same[text] - {text})
        for name, text, _ in part.first_uses
        if text in part.sheet.same and name in options
    ]
    return {text: min(same) for text, same in pairs if len(same) == 1}


def _columns(part: Answers, layout: Layout) -> list[str]:
    """Return the columns of a file that may say in which language a row was asked."""
    others = [name for name in part.sheet.columns if name != layout.column(part.sheet, "scenario")]
    named = [name for name in others if {*WORD.findall(name.casefold())} & LANGUAGES]
    cells = values_of(part.sheet, [] if part.sheet.raw else named)
    return [name for name in named if FEWEST <= len(cells.get(name, ())) <= MOST]


def _given(part: Answers, column: str, layout: Layout) -> Iterator[tuple[str, str, str, int]]:
    """Yield language, question, text and number of a file's answers."""
    if part.column is None:
        there = {*part.sheet.columns} - {column}
        asked = [str(name) for name in part.questions if name in there]
        rows = part.sheet.frame([column, *asked]).melt(column)
    else:
        names = [column, layout.needed(part.sheet, "scenario"), part.column]
        rows = part.sheet.frame(names)[names]
    for (language, question, text), number in rows.dropna().value_counts().items():
        yield language, question, without_stop(as_label(text)), int(number)


def _apart(sets: list[Texts]) -> list[Texts]:
    """Return the sets of options that share none, in words, if there are several of like size.

    Or those of no and yes, which may share a word.
    """
    if all(map(_no_and_yes, sets)) and any(texts.keys() != sets[0].keys() for texts in sets):
        return sets
    apart: list[Texts] = []
    for texts in sets:
        same = [other for other in apart if other.keys() & texts.keys()]
        apart = [other for other in apart if other not in same]
        apart.append(sum(same, texts))
    sizes = sorted(map(len, apart))
    are_words = all(as_number(text) is None for texts in apart for text in texts)
    are_like = are_words and sizes[0] >= max(FEWEST, LIKE * sizes[-1])
    return apart if len(apart) > 1 and are_like else []


def _order(texts: Iterable[str]) -> list[str]:
    """Return options in their order where words tell it; nothing if they don't."""
    several = [*texts]
    steps, is_whole = in_steps(several) or ([], False)
    return _no_and_yes(several) or (steps if is_whole else [])


def _no_and_yes(texts: Iterable[str]) -> list[str]:
    """Return the words for no and for yes, if texts are one of each."""
    several = [*texts]
    no, yes = (
        [text for text in several if text.casefold() in marks] for marks in (NOT_MARKS, MARKS)
    )
    return [*no, *yes] if len(no) == len(yes) == 1 and len(several) == FEWEST else []
