"""Keys of codes: a row for each code or letter of each question, and the option that it is.

Or a file of each question, called after it, with two columns: its codes, and what these are. Or
blocks below each other: a question alone in its row, and its codes and labels in two other columns.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from fidelity_study.reading.tabular.columns import as_label, as_number
from fidelity_study.reading.tabular.exports.table import columns_of, first_rows
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.qsf import Codebook, Question
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.spreadsheet import stem
from fidelity_study.reading.tabular.unread import is_share, is_usual_amount
from fidelity_study.reading.tabular.words import (
    NAMES_OF_QUESTIONS,
    SCENARIO_LIKE,
    SIMULATOR_LIKE,
    WORDINGS,
)

QUESTIONS = [*NAMES_OF_QUESTIONS, "zmienna"]
QUESTIONS += sorted(name.replace("_", " ") for name in SCENARIO_LIKE)
CODES = ["code", "codes", "value", "values", "letter", "key", "option code", "answer code"]
CODES += ["response", "lettre", "buchstabe", "letra", "lettera", "valeur", "wert", "valor"]
CODES += ["codigo", "código", "kod", "response code"]
LABELS = ["label", "labels", "meaning", "value label", "option", "text", "answer", "description"]
LABELS += ["libelle", "libellé", "bezeichnung", "bedeutung", "etiqueta", "etichetta", "etykieta"]
LABELS += ["descrip", "descripcion", "descripción", "descrição"]
LABELS += ["answer text", "answer label", "option text", "option label", "response text"]
AMOUNTS, OPTIONS = {"value", "values", "valeur", "wert", "valor"}, {"option", "answer"}
WORDED = [*WORDINGS, "question", "description", "text", "opis"]
HEADING, RANGE = re.compile(r"\[?([\w.]+)\]?\s*:\s*(\S.*)"), re.compile(r"-?\d+\s*-\s*-?\d+")
LANGUAGE = re.compile(
    r"\b(ar|bg|ca|cs|da|de|el|en|es|et|eu|fi|fr|ga|gl|he|hr|hu|is|it|ja|ko|lb|lt|lv|mk|mt|nb|nl|nn|pl"
    r"|pt|rm|ro|ru|sk|sl|sq|sr|sv|tr|uk|vi|zh|deutsch|english|français|francais|french|german|italian"
    r"|italiano|español|espanol|nederlands|dutch|polski|portuguese|português|spanish)\b"
)
SPACE, OF_CODES, MOST_CODES = re.compile(r"[\W_]+"), re.compile("[ck][oó]d").search, 100


def recognised(sheet: Sheet) -> Sheet | None:
    """Return a key as the codebook that it is: no code stands twice in a question.

    Of labels in several languages the first are the options, and the others are read as these.
    """
    if len(sheet.columns) > 2 and not any(sheet.columns[1:]):
        return _in_blocks(sheet)
    names = {SPACE.sub(" ", name.casefold()): at for at, name in enumerate(sheet.columns)}
    translated: dict[str, list[int]] = {}
    for name, place in names.items():
        if (bare := " ".join(LANGUAGE.sub("", name).split())) != name:
            translated.setdefault(bare or LABELS[0], []).append(place)
    names = {name: first for name, (first, *_) in translated.items()} | names
    places: list[int] = []
    of_file = stem(sheet.path) if len(sheet.columns) == len(names) == 2 else ""
    codes_of_file = [*filter(OF_CODES, CODES), SPACE.sub(" ", of_file.casefold())]
    for usual in (codes_of_file, LABELS) if of_file else (CODES, LABELS, QUESTIONS):
        there = (names[name] for name in usual if name in names and names[name] not in places)
        if (at := next(there, None)) is None:
            return None
        places.append(at)
    may_be_shares = AMOUNTS & names.keys() and OPTIONS & names.keys()
    no_codes = [name for name in sheet.columns if name.casefold() not in CODES]
    if SIMULATOR_LIKE & names.keys() or may_be_shares:
        return None  # answers, or their number
    if any(is_usual_amount(name) or is_share(name) for name in no_codes):
        return None
    left = [names[name] for name in WORDED if name in names and names[name] not in places]
    languages = [at for several in translated.values() if places[1] in several for at in several]
    others = [at for at in languages if at != places[1]]
    codes, labels, *named = columns_of(sheet, [*places, *left[:1]])
    questions, *wordings = named or [[of_file] * len(codes)]
    options: dict[str, dict[str, str]] = {}
    spelled: dict[str, dict[str, str]] = {}
    question = ""
    rows = zip(questions, codes, labels, *columns_of(sheet, others), strict=True)
    for name, code, label, *in_others in rows:
        question = " ".join((name or question).split())  # some write it once
        of_name = options.setdefault(question, {})
        if code and label:
            if as_label(code) in of_name:
                return None
            of_name[as_label(code)] = as_label(label)
            of_label = dict.fromkeys(map(as_label, filter(None, in_others)), as_label(label))
            spelled[question] = of_label | spelled.get(question, {})
    coded = [of_name for of_name in options.values() if of_name]
    several = [of_name for of_name in coded if len(of_name) > 1]  # others are scales, but a code
    texts = {label for of_name in coded for label in of_name.values()}
    are_words = any(as_number(text) is None for text in texts)
    may_be_counts = SPACE.sub(" ", sheet.columns[places[0]].casefold()) in AMOUNTS
    are_codes = all(_are_codes(of_name, may_be_counts=may_be_counts) for of_name in several)
    are_codes &= 2 * len(several) >= len(coded)
    if of_file:
        are_codes &= places == [0, 1] and None not in {*map(as_number, options.get(of_file, ()))}
        are_codes &= len(texts) == len(codes) <= MOST_CODES
    if "" in options or not are_words or not are_codes:
        return None
    wording = dict(zip(questions, *wordings or [questions], strict=True))
    known = {
        name: Question.of_key(wording.get(name) or name, of_name, spelled.get(name, {}))
        for name, of_name in options.items()
    }
    code, label, *more = (sheet.columns[at] for at in [*places[:2], *others])
    what = f"a key of {len(coded)} questions' options: codes in {code!r}, their labels in {label!r}"
    what += f", and in other languages in {shown(more)}" if more else ""
    return of_questions(sheet, known, what)


def _in_blocks(sheet: Sheet) -> Sheet | None:
    """Return a key in blocks; rows of a matrix, in brackets, stand below the codes that they share.

    What else stands alone in its row says which numbers may be answered.
    """
    blocks: list[tuple[str, str, dict[str, str], dict[str, str]]] = []
    for name, code, label, *_ in [sheet.columns, *first_rows(sheet, sheet.size)]:
        named = HEADING.fullmatch(name)
        if code and label and blocks and not name:
            *_, labels, items = blocks[-1]
            (items if code[0] == "[" else labels)[as_label(code.strip("[]"))] = as_label(label)
        elif code or label or not name:
            return None
        elif named and not RANGE.fullmatch(named[2]):
            blocks.append((named[1], named[2], {}, {}))
    known: dict[str, Question] = {}
    for name, wording, labels, items in blocks:
        worded = {item: f"{wording}: {text}" for item, text in items.items()} or {name: wording}
        known |= {item: Question.of_key(text, labels) for item, text in worded.items()}
    coded = sum(bool(question.labels) for question in known.values())
    what = f"a key of {coded} questions' options, in blocks below each question"
    return of_questions(sheet, known, what) if coded else None


def of_questions(
    sheet: Sheet, known: Mapping[str, Question], what: str, *, is_survey: bool = False
) -> Sheet:
    """Return a file that describes questions only; ``what`` was recognised."""
    codebook = Codebook(sheet.path, known, is_survey)
    return replace(sheet, columns=[], codebook=codebook, recognised=(*sheet.recognised, what))


def _are_codes(texts: Collection[str], *, may_be_counts: bool) -> bool:
    """Return whether several texts may be codes: words, or numbers; from 0 or 1, as no counts.

    Numbers below 0 are codes of no answer.
    """
    numbers = [as_number(text) for text in texts]
    known = [number for number in numbers if number is not None and number >= 0]
    return not (may_be_counts and known) or min(known) in (0, 1)
