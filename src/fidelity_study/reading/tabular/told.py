"""Notes on sound files: columns that were not read, and labels that may be misread."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from difflib import get_close_matches
from itertools import chain

import pandas as pd

from fidelity_study.errors import File, Key, Note, Place, Remedy
from fidelity_study.reading.ingest.parse import option_begun
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import CODE, as_label, as_number, plain
from fidelity_study.reading.tabular.doubtful import (
    MOST_LEVELS,
    MOST_WORDS,
    NEGATED,
    codes_of_nothing,
    is_no_answer,
    labelled_ends,
    likely_meaning,
    option_said,
    options_within,
    reason_of,
    says_no_answer,
    strays,
)
from fidelity_study.reading.tabular.layout import values_of
from fidelity_study.reading.tabular.matched import LOST
from fidelity_study.reading.tabular.multiple_choice import NOT_OFFERED
from fidelity_study.reading.tabular.one_vs_rest import CUT_OFF
from fidelity_study.reading.tabular.options import have_order, labels_seen, recoding, touched
from fidelity_study.reading.tabular.remedies import (
    LEVELS,
    an_option,
    leaving_out,
    meanings_in,
    no_answer,
)
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.word_scales import in_steps, is_step
from fidelity_study.reading.tabular.words import FALSE_CELLS, TRUE_CELLS
from fidelity_study.tables.ingest import EVERY, REFUSED, UNDECIDED, UNPARSABLE

TIMES, MOST, UNIT = 5, 0.9, "other-unit"
MOST_PAIRS = 20_000
NOT_READ, NOT_ANSWERED, STRAY = "not-read", "not-answered", "stray-option"
NOT_OF_PEOPLE, MAY_BE_NONE = "not-of-people", "may-be-no-answer"
ARTICLES = {"of", "the", "a", "an", "de", "du", "des", "la", "le", "les", "el", "los", "las"}
ARTICLES |= {"der", "die", "das", "von", "vom", "di", "del", "della", "do", "da", "dos", "van"}
MANY_OPTIONS, ALIKE, ROUGHLY = 12, 0.9, 0.6
ANOTHER_RANGE, FEW_NAMED, FEW_NUMBERS = "another-range", 3, 3
ASKED = (STRAY, NOT_OF_PEOPLE, MAY_BE_NONE, ANOTHER_RANGE, LOST, CUT_OFF, NOT_OFFERED)
"""Notes that are to be settled before a study is drafted."""
NAMED = "option-in-text"
Sure = Mapping[str, Collection[str]]
"""Texts that are options, each with the questions in which it is one, ``*`` for all."""


def notes(
    people: Answers,
    simulated: list[Answers],
    studied: Iterable[str] | None,
    free: Set[str],
    of_words: Mapping[str, bool],
    sure: Sure,
) -> list[Note]:
    """Return notes for the user on the files.

    Args:
        people: people's answers.
        simulated: simulators' answers.
        studied: the simulators that the config names; None for all.
        free: the scenarios whose options are the labels that were chosen.
        of_words: all scenarios with options, and whether a file of questions lists these.
        sure: texts that are options, whatever they look like.

    Raises:
        DataError: a column has several spellings of a number that may be codes.
    """
    return [
        *_strays([people, *simulated], free, sure.keys()),
        *_unread([people, *simulated]),
        *_not_studied(simulated, studied),
        *_not_answered(people, simulated),
        *_unlisted(simulated),
        *_rewritten([people, *simulated], free),
        *_copies(simulated),
        *_no_answers(people, simulated, of_words, sure),
        *_one_sided(people, simulated, free, sure.keys()),
        *_labelled_ends(people, free),
    ]


def _unread(all_answers: list[Answers]) -> Iterator[Note]:
    for answers in all_answers:
        if answers.unread:
            what = f"not read: {shown(answers.unread, most=len(answers.unread))}; "
            yield answers.sheet.note(NOT_READ, what, Key("ignore"), " makes this note go away")


def _rewritten(all_answers: list[Answers], free: Set[str]) -> Iterator[Note]:
    """Yield notes on texts with leading zeros or an exponent, which are read as numbers.

    Raise DataError where the number is there in another spelling, too, which may be another code.
    """
    for answers in all_answers:
        names = [answers.column] if answers.column else answers.rows["scenario"].cat.categories
        columns = {*answers.sheet.columns}
        cells = values_of(answers.sheet, [name for name in names if name in columns])
        codes = {text: as_label(text) for text in chain(*cells.values()) if CODE.fullmatch(text)}
        numbers = {*codes.values()}
        for name in cells if answers.column and free else free & {*cells}:
            same = sorted({text for text in cells[name] if codes and as_label(text) in numbers})
            # Where there are spellings such as +1 and 1.0, too, all are numbers.
            may_be = all(CODE.fullmatch(text) or text in numbers for text in same)
            if may_be and len({*map(as_label, same)}) < len(same):
                raise answers.sheet.fault(
                    "number-in-two-spellings",
                    f"{shown(same)} would be {shown(sorted({*map(as_label, same)}))}; if these are "
                    "codes, write a letter before each one; if they are numbers, write each in one "
                    "way, or list all options under ",
                    LEVELS,
                    column=name,
                )
        if texts := [f"{text!r} is read as {label}" for text, label in codes.items()]:
            what = f"{shown(texts, how=str)}; if these are codes, write a letter before each one"
            yield answers.sheet.note("read-as-number", what)


def _not_studied(simulated: list[Answers], studied: Iterable[str] | None) -> Iterator[Note]:
    if studied is None:
        return
    known = set(studied)
    for answers in simulated:
        others = [name for name in answers.rows["source"].unique() if name not in known]
        if others:
            what = f"not studied, as the config does not name them: {shown(others)}"
            yield answers.sheet.note("not-studied", what)


def _copies(simulated: list[Answers]) -> Iterator[Note]:
    """Yield notes on simulators that give exactly the same answers everywhere.

    Forecasts are the same if their distributions are: the same location says nothing of the scale.
    """
    alike: dict[int, list[str]] = {}
    for answers in simulated:
        sums = _hashed(answers.rows[["source", "scenario", "label", "number"]])
        if answers.given is not None:
            sums = sums + _hashed(answers.given).reindex(sums.index, fill_value=0)
        for name, key in sums.items():
            alike.setdefault(int(key), []).append(str(name))
    for names in alike.values():
        if len(names) > 1:
            what = f"{shown(names)} have the very same answers everywhere; is one a copy?"
            yield Note("copy", Place(), (what,))


def _hashed(rows: pd.DataFrame) -> pd.Series:
    """Return a number for each source that is the same, in any order, for the same rows."""
    source = rows["source"].astype(str)
    others = rows.drop(columns="source")
    texts = [name for name in others if name in ("scenario", "label", "family")]
    hashes = pd.util.hash_pandas_object(others.astype(dict.fromkeys(texts, str)), index=False)
    return hashes.groupby(source).sum()


def unit_notes(people: Answers, simulated: Iterable[Answers]) -> Iterator[Note]:
    """Yield notes on simulators whose numbers seem to be in another unit than people's.

    Most of their numbers reach less than a fifth of people's, or more than five times as far.
    """
    theirs = _reach(people.rows).max()
    for answers in simulated:
        for name, reach in _reach(answers.rows).items():
            if 0 < TIMES * reach <= theirs or reach >= TIMES * theirs > 0:
                yield answers.sheet.note(
                    UNIT,
                    f"most numbers of {str(name)!r} are within {reach:g} of 0, and those of people "
                    f"reach {theirs:g}: are they in another unit, such as shares beside percent?",
                )


def two_ranges(people: Answers, sure: Set[str]) -> tuple[list[str], list[str]]:
    """Return questions of few whole numbers within a fifth of others' reach, and those others.

    Both are empty where all have one range.

    Args:
        people: their answers.
        sure: questions that are compared, whatever their numbers are.
    """
    reach: dict[str, float] = {}
    steps: set[str] = set()
    for name, labels in labels_seen([people]).items():
        numbers = {*labels}.difference(codes_of_nothing(labels))
        sizes = [abs(size) for size in map(as_number, numbers) if size is not None]
        reach |= {name: max(sizes)} if len(sizes) > 1 else {}  # else one outcome
        if len(sizes) <= MOST_LEVELS and not any(size % 1 for size in sizes):
            steps.add(name)
    most = max(reach.values(), default=0.0)
    small = [name for name in reach if TIMES * reach[name] <= most and name in steps - sure]
    far = TIMES * max((reach[name] for name in small), default=float("inf"))
    return small, [name for name in reach if name not in sure and reach[name] >= far]


def range_notes(people: Answers, sure: Set[str]) -> Iterator[Note]:
    """Yield a note on questions whose steps would be averaged with amounts, on one tolerance."""
    small, amounts = two_ranges(people, sure)
    if small:
        yield people.sheet.note(
            ANOTHER_RANGE,
            f"{shown(small, FEW_NAMED)}: few steps, where {shown(amounts, FEW_NAMED)} reach much "
            "farther; on one scale these would hardly ever differ, so compare them in a study of "
            "their own",
            also=[leaving_out(*small)],
        )


def _reach(rows: pd.DataFrame) -> pd.Series:
    """Return the size that most numbers of each source don't go beyond."""
    rows = rows[rows["reason"] < 0].drop_duplicates(["source", "label"])
    sizes = [abs(as_number(str(label)) or 0.0) for label in rows["label"]]
    size = pd.Series(sizes, rows.index, dtype=float)
    return size.groupby(rows["source"], observed=True).quantile(MOST)


def _unlisted(simulated: list[Answers]) -> Iterator[Note]:
    for answers in simulated:
        if answers.unlisted:
            what = f"taken for no answer, as unlisted: {shown(answers.unlisted)}"
            yield answers.sheet.note("unlisted", what)
        named = {text: option for text, option in answers.unlisted.items() if option}
        if named:
            text, option = next(iter(named.items()))
            what = f"{text!r} seems to answer {option!r} and counts as no answer, as do "
            what += f"{len(named)} such texts; if it is that option, put "
            yield answers.sheet.note(NAMED, what, *recoding(named))


def _not_answered(people: Answers, simulated: list[Answers]) -> Iterator[Note]:
    if not simulated:
        return
    answered = {name for answers in simulated for name in answers.questions}
    left = [name for name in people.questions if name not in answered]
    if left:
        yield people.sheet.note(NOT_ANSWERED, f"no simulator answers {shown(left)}")


OTHER = re.compile(
    r"((something|someone|any) )?(other|else)\b.{0,30}$|(etwas )?andere?[nrs]?\b.{0,30}$"
    r"|sonstig\w*$|(un )?autres?\b.{0,30}$|otr[ao]s?\b.{0,30}$|altr[aio]\b.{0,30}$|outr[ao]s?$",
    re.IGNORECASE,
)
"""The option beside which people may write another answer."""


def _strays(all_answers: list[Answers], free: Set[str], sure: Set[str]) -> Iterator[Note]:
    """Yield notes on texts that hardly anybody answers, where answers are the options."""
    counting = (part for part in all_answers if not part.stated)
    chosen = pd.concat({part.sheet.path: _chosen(part, free) for part in counting})
    number = chosen.groupby(["scenario", "label"], as_index=False)["number"].sum()
    number["answers"] = number.groupby("scenario")["number"].transform("sum")
    stated = {label for part in all_answers if part.stated for label in _labels(part, free)}
    sums = number[~number["label"].isin(stated)].groupby("label")[["number", "answers"]].sum()
    counted = {str(row.Index): (row.number, row.answers) for row in sums.itertuples()}
    rare = strays(counted)
    common = {name: {*some["label"]}.difference(rare) for name, some in number.groupby("scenario")}
    pairs = zip(number["scenario"], number["label"], strict=True)
    steps = {label for name, label in pairs if label in rare and is_step(label, common[name])}
    rare = [label for label in rare if label not in steps]
    options = [*_labels(all_answers[0], free)]  # people's, which a text may say with more words
    # What a model says in more words is asked about as an option, or as none: see _meanings.
    said = {one for one in rare if len(one.split()) > MOST_WORDS or option_said(one, options)}
    labels = [{*_labels(part, free)} for part in all_answers]
    asked_in: dict[str, set[str]] = {}
    for name, label in zip(chosen["scenario"], chosen["label"], strict=True):
        if label in rare or OTHER.match(str(label)):
            asked_in.setdefault(label, set()).add(name)
    remaining = [label for label in asked_in if OTHER.match(label)]
    for label in (one for one in rare if one not in sure | said.difference(options)):
        where = [part for part, there in zip(all_answers, labels, strict=True) if label in there]
        many = " and ".join(filter(None, (touched(part, [label]) for part in where)))
        others = counted.keys() - {*rare} if len(rare) * len(counted) <= MOST_PAIRS else ()
        near = get_close_matches(label, others, n=1)
        if not near and label in options:
            near = [one for one in remaining if asked_in[one] & asked_in[label]]
        near = [] if label in remaining else near
        same = Remedy({"recode": {label: near[0]}}) if near else None
        parts = (
            f"{shown([label])} counts as an option that hardly anybody gives ({many}), and a "
            "uniform guess gives it as much as any other; if it is no answer, put ",
            no_answer(label),
            *(("; if it is another spelling, put ", same) if same else ()),
        )
        is_option = label in options or label in remaining
        also = (an_option(label),) if is_option and not same else ()
        yield Note(STRAY, Place(files=tuple(part.sheet.path for part in where)), parts, also)


def _no_answers(
    people: Answers, simulated: list[Answers], of_words: Mapping[str, bool], sure: Sure
) -> Iterator[Note]:
    """Yield a note on each option of a scale whose words may say that there is no answer.

    All are likely none. But what says that one doesn't know is an option, and told, where both
    sides give it, or a file of questions lists it, beside options in no order other than yes and no
    and stated shares don't lack it.
    """
    theirs, shares = labels_seen([people]), labels_seen(part for part in simulated if part.stated)
    scales: dict[frozenset[str], list[str]] = {}
    doubtful: dict[str, dict[frozenset[str], list[str]]] = {}
    for name, seen in labels_seen([people, *simulated]).items():
        labels = [*filter(pd.notna, seen)] if name in of_words else []  # forecasts have none
        scale = frozenset(one for one in theirs.get(name, labels) if not says_no_answer(one))
        scales.setdefault(scale, []).append(name)
        for label in filter(is_no_answer, labels):
            if name not in sure.get(label, ()) and EVERY not in sure.get(label, ()):
                doubtful.setdefault(label, {}).setdefault(scale, []).append(name)
    pairs = [(label, *pair) for label, several in doubtful.items() for pair in several.items()]
    for label, scale, names in pairs:
        asked = people.answered[people.answered["scenario"].isin(names)]
        number, whole = asked.loc[asked["label"] == label, "number"].sum(), asked["number"].sum()
        is_scale = have_order(scale) or _is_yes_or_no(scale)
        is_listed = all(label in shares.get(name, (label,)) for name in names)
        is_option = number and is_listed and reason_of(label) == UNDECIDED and not is_scale
        if is_option and all(of_words[name] for name in names):
            continue
        none, option = no_answer(label), an_option(label)
        if len(doubtful[label]) > 1:  # it may be an option of one, and none of another
            first, *_ = alike = scales[scale]
            of_scale = {"scales": dict.fromkeys(alike, first)}
            none = Remedy({"missing_in": {name: [plain(label)] for name in alike}, **of_scale})
            option = Remedy({"meanings": {first: {label: label}}, **of_scale})
        given = f"{number:,.0f} of {whole:,.0f} answers" if number else "none of the answers"
        there = [part for part in (people, *simulated) if label in _labels(part, {*names})]
        place = Place(files=tuple(part.sheet.path for part in there))
        of_people = f"({given} of people to {shown(names, FEW_NAMED)})"
        if is_option and there[1:]:  # both sides give it beside options in no order
            what = f"{shown([label])} counts as an option {of_people}; if it is no answer, put "
            yield Note("counts-as-option", place, (what, none))
            continue
        what = f"{shown([label])} may be no answer, or an option {of_people}"
        yield Note(MAY_BE_NONE, place, (what,), (none, option))


def _is_yes_or_no(answers: Collection[str]) -> bool:
    cells = {*map(str.casefold, answers)}
    return len(cells) == 2 and not (cells.isdisjoint(TRUE_CELLS) or cells.isdisjoint(FALSE_CELLS))


def _one_sided(
    people: Answers, simulated: list[Answers], free: Set[str], sure: Set[str]
) -> Iterator[Note]:
    """Yield notes on texts that only people, or only one file of simulators, use."""
    theirs = _labels(people, free)
    are_listed = people.column is not None and people.rows["number"].sum() > people.sheet.size
    everybody: dict[str, None] = {}
    for answers in simulated:
        labels = _labels(answers, free)
        everybody |= labels
        used = (label for name, label, _ in answers.first_uses if name in free)
        unused = [
            label for label in dict.fromkeys(used) if not (label in labels or label in theirs)
        ]
        labels |= {label: None for label in unused if option_begun(label, theirs)[0]}
        alone = [one for one in labels if not (one in theirs or one in sure or is_no_answer(one))]
        words = [label for label in alone if as_number(label) is None]
        if alone:
            yield answers.sheet.note(
                NOT_OF_PEOPLE if words and not answers.stated else "one-sided",
                "nobody in ",
                File(people.sheet.path),
                f" answers {shown(alone)}; {_mend(alone)}",
                also=_meanings(answers.sheet.path, words, [*theirs], are_listed=are_listed),
            )
    alone = [label for label in theirs if label not in everybody and not is_no_answer(label)]
    if simulated and alone:
        what = f"no simulator gives the answers {shown(alone)}; {_mend(alone)}"
        yield people.sheet.note("one-sided", what)
    texts = [label for label in theirs if as_number(label) is None]
    is_lone = len(texts) == 1 and len(theirs) > FEW_NUMBERS
    if simulated and is_lone and texts[0] in alone and texts[0] not in sure:
        what = f"{shown(texts)} stands among numbers, and no simulator gives it; if it is no answer"
        yield people.sheet.note(MAY_BE_NONE, f"{what}, put ", no_answer(*texts))


def _meanings(
    path: str, texts: Iterable[str], options: Sequence[str], *, are_listed: bool
) -> list[Remedy]:
    """Return what texts may mean that only simulators give: an option of people, none, or one.

    Of many options, such as places, some are nearly written alike, and some nobody gives. Where
    people's file has how often each was given, all ``are_listed``.
    """
    remedies, cutoff = [], ALIKE if len(options) > MANY_OPTIONS else ROUGHLY
    for text in texts:
        means = likely_meaning(text, options)
        if means == REFUSED:
            remedies.append(no_answer(text))
            continue
        near, names_one = option_said(text, options), bool(options_within(text, options))
        near = near or _of_same_words(text, options)
        if not (near or names_one or any(NEGATED.fullmatch(word) for word in text.split())):
            near = next(iter(get_close_matches(text, options, n=1, cutoff=cutoff)), "")
        if near:
            remedies.append(Remedy({"recode": {text: near}}))
        elif means or are_listed or names_one or len(text.split()) > MOST_WORDS:
            remedies.append(meanings_in(path, {text: means or UNPARSABLE}))
        else:
            remedies.append(an_option(text))
    return remedies


def _of_same_words(text: str, options: Sequence[str]) -> str:
    """Return the option of a text's words but for articles and apostrophes; or nothing.

    >>> _of_same_words("Parents' advice", ["Advice of friends", "Advice of parents"])
    'Advice of parents'
    """
    plain = {one: re.sub(r"['\u2019]", "", one.casefold()) for one in (text, *options)}
    words = {one: {*re.findall(r"\w+", plain[one])} for one in plain}
    same = [one for one in options if words[one] - ARTICLES == words[text] - ARTICLES]
    return next((one for one in same if words[one] != words[text]), "")


def _labelled_ends(people: Answers, free: Set[str]) -> Iterator[Note]:
    """Yield a note on scales of numbers whose ends are texts, whose order nothing tells."""
    seen = labels_seen([people])
    open_scales = [name for name in seen if name in free and not in_steps(seen[name])]
    ends = {name: found for name in open_scales if (found := labelled_ends(seen[name]))}
    if ends:
        scales = shown((f"{shown(some)} of {name!r}" for name, some in ends.items()), how=str)
        what = f"count as the ends of scales of numbers, in no order: {scales}"
        yield people.sheet.note("labelled-ends", what)


def _mend(labels: list[str]) -> str:
    """Return what to do about answers that one side alone gives."""
    if all(as_number(label) is not None for label in labels):
        return "if one side's codes are others, or stand for no answer, mend them"
    return "if this is another spelling, mend it"


def unchosen(known: Mapping[str, Sequence[str]], all_answers: Iterable[Answers]) -> Iterator[Note]:
    """Yield notes on known options that nobody chose.

    Args:
        known: the options of the questions whose options are listed, or told by others.
        all_answers: everybody's answers.
    """
    chosen = {pair for answers in all_answers for pair in answers.chosen}
    texts = [
        f"{shown(left)} of {name!r}"
        for name, labels in known.items()
        if (left := [label for label in labels if (name, label) not in chosen])
    ]
    if texts:
        what = f"options, and nobody chose them: {shown(texts, how=str)}"
        yield Note("unchosen", Place(), (what,))


def _labels(answers: Answers, free: Set[str]) -> dict[str, None]:
    """Return the labels of a file in the free scenarios, in order of appearance."""
    return dict.fromkeys(label for name, label in answers.chosen if name in free)


def _chosen(answers: Answers, free: Set[str]) -> pd.DataFrame:
    """Return the rows of a file that are answers in the free scenarios."""
    rows = answers.answered[["scenario", "label", "number"]]
    rows = rows[(rows["number"] > 0) & rows["scenario"].isin(free)]
    return rows.astype({"scenario": str, "label": str})
