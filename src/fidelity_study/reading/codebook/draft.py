"""A draft of the three tables: what was understood of files, and who or what decided it."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from fidelity_study.errors import DataError, shortened
from fidelity_study.reading.codebook.tables import (
    BOOK_KEEPING,
    BY,
    COMPARE,
    IGNORE,
    MEANS,
    MISSING,
    OF_CONFIG,
    OF_RULE,
    OF_SCALE,
    ORDER,
    QUESTION,
    REMARK,
    USE,
    USES,
    Row,
)
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.reading.settings import ATTRIBUTE, NUMBERS, questions_of
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.columns import as_label, as_number
from fidelity_study.reading.tabular.doubtful import reason_of, why_none
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import ROLES, Layout
from fidelity_study.reading.tabular.profiles import NUMBERING
from fidelity_study.reading.tabular.questions import is_personal, is_place
from fidelity_study.tables.ingest import BETWEEN, HUMAN, LEAVE_OUT, NO_CLUSTER

OF_FILE, OF_NAME = "file", "name"
SHOWN, LONGEST, EMPTY = 3, 40, "empty"
USE_OF_ROLE = {key.removeprefix("columns."): use for use, (key, _) in USES.items()}
TELEPHONE = r"((tel|sms|whatsapp):)?\+?\d([ ()-]{0,2}\d){9,14}"
OF_NET = r"\d{1,3}(\.\d{1,3}){3}|[\da-f]*(:[\da-f]*){4,7}|\S+@\S+\.\w+"
ADDRESS = re.compile(rf"\s*({OF_NET}|{TELEPHONE})\s*", re.IGNORECASE)
"""Of the internet, or an e-mail address, or a telephone number."""
IN_WIDE = ("simulator", "weight", "respondent", "count")


def columns_of(
    sheets: Mapping[str, Sheet],
    forms: Mapping[str, str],
    layout: Layout,
    given: Mapping[str, Any],
    named: Mapping[str, Any],
) -> Iterator[Row]:
    """Yield a row for each column of the files of answers.

    Args:
        sheets: by path, people's first.
        forms: long or wide, or of forecasts, by path.
        layout: how the files are read.
        given: the settings by which they are read, by key.
        named: those that the user gives.
    """
    of_all, by_user = _named(given), _named(named)
    columns = {*chain.from_iterable(sheets[path].columns for path in forms)}
    in_rows = [name for name in layout.ranking if name not in columns and "*" not in name]
    for path, form in forms.items():
        sheet = sheets[path]
        roles, facts = _roles(sheet, form, layout), facts_of(sheet, layout.ignored)
        asked = sheet.columns if sheet.questions is None else sheet.questions
        of_file = layout.coded.get("roles", {}).get(path, {}).items()
        uses = of_all | {name: USE_OF_ROLE[role] for role, names in of_file for name in names}
        ranked, in_rows = (in_rows, []) if form == "long" else ([], in_rows)
        for name in (*sheet.columns, *sheet.lost, *ranked):
            is_base = "percent" in roles.values() and name == (layout.base or "base")
            use, by, remark = IGNORE, OF_RULE, "base of percentages" if is_base else "not read"
            if name in uses:
                use, by, remark = uses[name], OF_CONFIG if name in by_user else OF_RULE, ""
            elif name in layout.facts:
                use, by, remark = "fact", OF_CONFIG, ""
            elif name in layout.ignored:
                by, remark = OF_CONFIG, ""
            elif layout.attributes and name.casefold() in NUMBERING:
                remark = "numbers tasks or profiles"
            elif name in roles:
                is_told = name in sheet.roles.values() or name == sheet.weight
                use, by, remark = roles[name], OF_FILE if is_told else OF_NAME, ""
            elif form == "wide" and name in asked and layout.asks(name, sheet.columns):
                use, by = QUESTION, OF_RULE if layout.questions is None else OF_CONFIG
                of_box = "a tick box of {}: {}"
                remark = of_box.format(*sheet.boxes[name]) if name in sheet.boxes else ""
            row = {"file": sheet.path, "column": name, USE: use, **facts.get(name, {})}
            if use == IGNORE and (is_personal(name) or is_place(name)):
                row["examples"] = ""
            yield {**row, BY: by, REMARK: remark}
        for name in sheet.aside:  # without examples, which may say who somebody is
            row = {"file": sheet.path, "column": name, USE: IGNORE, **facts.get(name, {})}
            yield {**row, "examples": "", BY: OF_RULE, REMARK: BOOK_KEEPING}


def _named(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the use of each column that the settings name."""
    uses: dict[str, str] = {}
    for use, (key, _) in USES.items():
        value = given.get(key)
        if key not in ("columns.question", "order", "cluster") and value is not None:
            names = value if isinstance(value, list | tuple) else [str(value)]
            uses |= dict.fromkeys(names, use)
    return uses


def _roles(sheet: Sheet, form: str, layout: Layout) -> dict[str, str]:
    """Return the use of each column that has a role by its usual name, or by its file."""
    wanted = IN_WIDE if form == "wide" else [role for role in ROLES if role != "question"]
    roles = {
        column: USE_OF_ROLE[role]
        for role in wanted
        if role != "simulator" and (column := layout.column(sheet, role)) is not None
    }
    there = set(sheet.columns)
    roles |= {name: "simulator" for name in layout.simulators_of(sheet) if name in there}
    if sheet.weight in there and sheet.weight is not None:
        roles[sheet.weight] = "weight"
    design = layout.design
    if design is not None:
        of_design = {"stratum": design.strata, "psu": design.psu}
        roles |= {name: use for use, name in of_design.items() if name in there}
    roles |= {name: "group" for name in layout.groups_of(sheet) if name in there}
    if layout.cluster in there:
        roles.setdefault(layout.cluster, "topic")
    roles |= dict.fromkeys(layout.wordings(sheet) if form == "long" else (), "wording")
    return roles


def facts_of(sheet: Sheet, unread: Container[str] = ()) -> dict[str, Row]:
    """Return how filled each column is, and what it holds.

    A column that cannot be read has none: whoever uses it refuses it.
    """
    facts: dict[str, Row] = {}
    read = [name for name in sheet.columns if name not in unread]
    for names in (read, [name for name in sheet.columns if name in unread], sheet.aside):
        with suppress(DataError):
            for name, cells in sheet.cells(names).items():
                facts[name] = _facts_of(cells)
    return facts


def _facts_of(cells: pa.DictionaryArray) -> Row:
    used = cells.indices.drop_null().unique()
    texts = cells.dictionary.take(used)
    texts = texts.filter(pc.invert(pc.starts_with(texts, NO_WORDS)))
    some = ["" if ADDRESS.fullmatch(text) else text for text in texts[:SHOWN].to_pylist()]
    some = [shortened(" ".join(text.split()), LONGEST) for text in some]
    return {
        "filled": f"{100 * (1 - cells.null_count / len(cells)):.0f}",
        "distinct": str(len(texts)),
        "examples": " | ".join(filter(None, some)),
    }


def questions_and_labels(
    responses: Responses,
    people: Answers,
    simulated: Sequence[Answers],
    kind: str,
    *,
    groups: Sequence[str],
    codes: Mapping[str, Sequence[str]],
    given: Mapping[str, Any],
    ordered: Container[str],
    listed: Mapping[str, str],
    by_file: Container[str],
    is_in_order: Callable[[str, Sequence[str]], bool],
) -> tuple[list[Row], list[Row]]:
    """Return a row for each question, and for each text of a scale that isn't a plain number.

    Args:
        responses: what the study takes from the files.
        people: their answers.
        simulated: those of simulators, by file.
        kind: what an answer is.
        groups: the columns of the groups that questions are put to.
        codes: the cells that stand for no answer, by file.
        given: the settings that the user gives, by key.
        ordered: the questions whose words or numbers tell the order of their options.
        listed: the file that says what the codes of a question are, by question.
        by_file: the questions whose options a file lists.
        is_in_order: whether a question's options have an order.
    """
    table = responses.scenarios.assign(name=questions_of(responses.scenarios["scenario"], groups))
    counts = pd.concat(
        [responses.outcomes, responses.stated.rename(columns={"probability": "count"})]
    )
    counts = counts.assign(name=questions_of(counts["scenario"].astype(str), groups))
    asked = counts.groupby(["name", "source"], observed=True)["count"].sum()
    sources = list(dict.fromkeys(counts["source"].astype(str)))
    first = table.drop_duplicates("name").set_index("name")
    scales: dict[tuple, str] = {}
    rows = []
    multiple = set(given.get("multiple", ()))
    for name, facts in first.iterrows():
        options = (
            tuple(facts["option"]) if "option" in facts and facts["option"] is not None else ()
        )
        ends = _ends(facts, options)
        called = people.column if people.sheet.tells_all and not scales else None
        are_plain = ends or not options or kind in NUMBERS
        scale = "" if are_plain else scales.setdefault(options, called or str(name))
        topic = str(facts["cluster"])
        rows.append(
            {
                QUESTION: str(name),
                "wording": _wording(facts, str(name)),
                USE: COMPARE,
                "kind": kind,
                "scale": scale,
                "topic": "" if topic in (NO_CLUSTER, str(name)) else topic,
                "several": "yes" if name in multiple else "",
                **ends,
                **{_heading(who): _whole(asked.get((name, who), 0)) for who in sources},
                BY: OF_SCALE if name in ordered else OF_RULE,
            }
        )
    left = dict.fromkeys(
        str(name)
        for answers in (people, *simulated)
        for name in answers.questions
        if name not in first.index and ATTRIBUTE not in groups
    )
    there, absent = {*people.questions}, "people's file has no such question"
    rows += [
        {
            QUESTION: name,
            USE: LEAVE_OUT,
            "kind": kind,
            BY: OF_RULE,
            REMARK: "nobody of the people answered" if name in there else absent,
        }
        for name in left
    ]
    texts = table[["scenario", "value", "option"]].explode(["value", "option"])
    given_of = counts.merge(texts.astype({"value": float}), on=["scenario", "value"])
    given_of["scale"] = given_of["name"].map({row[QUESTION]: row.get("scale", "") for row in rows})
    number = given_of.groupby(["scale", "option", "source"], observed=True)["count"].sum()
    by = OF_CONFIG if given.get("outcome.levels") else OF_RULE
    are_told = {scale: is_in_order(scale, options) for options, scale in scales.items()}
    labels = [
        {
            "scale": scale,
            "text": option,
            MEANS: option,
            ORDER: str(place) if are_told[scale] else "",
            **{_heading(who): _whole(number.get((scale, option, who), 0)) for who in sources},
            BY: OF_SCALE if scale in ordered else OF_FILE if scale in by_file else by,
            REMARK: f"as {listed[scale]} says" if scale in listed else "",
        }
        for options, scale in scales.items()
        for place, option in enumerate(options, 1)
    ]
    return rows, [*labels, *_no_answers(codes, given)]


def _wording(facts: pd.Series, name: str) -> str:
    text = facts.get("question")
    if pd.isna(text) or text == name:
        return ""
    group = facts["scenario"].removeprefix(name).removeprefix(BETWEEN)
    return str(text).removesuffix(f" ({group})" if group else "")


def _ends(facts: pd.Series, options: Sequence[str]) -> Row:
    """Return the range that is used, or of all numbers; nothing if options leave one out."""
    low, high = facts.get("lower"), facts.get("upper")
    if pd.notna(low) and pd.notna(high):
        return {"lower": f"{low:g}", "upper": f"{high:g}"}
    numbers = [number for option in options if (number := as_number(option)) is not None]
    if options and len(numbers) == len(options):
        whole = range(int(min(numbers)), int(max(numbers)) + 1)
        if [*whole] == sorted(numbers):
            return {"lower": str(whole[0]), "upper": str(whole[-1])}
    return {}


def _no_answers(codes: Mapping[str, Sequence[str]], given: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each text that stands for no answer."""
    marks = set(map(str, given.get("missing", ())))
    for path, texts in codes.items():
        for text in (text[1:] for text in texts if text.startswith(NO_WORDS)):
            means, remark = why_none(text), "no answer, as the file says"
            yield {"file": path, "text": text, MEANS: means, BY: OF_FILE, REMARK: remark}
    for text in dict.fromkeys(chain(*codes.values())):
        if text != EMPTY and not text.startswith(NO_WORDS):
            by, means = OF_CONFIG if text in marks else OF_FILE, reason_of(text) or MISSING
            yield {"text": text, MEANS: means, BY: by, REMARK: "no answer"}


def with_counts(labels: Iterable[Row], everybody: Iterable[Answers]) -> list[Row]:
    """Return rows of texts with how often each was given.

    Args:
        labels: the rows.
        everybody: the answers of people and simulators, as far as they could be read.
    """
    rows = [answers.answered for answers in everybody]
    rows = [part.assign(label=[as_label(text) for text in part["label"]]) for part in rows]
    given = [part.groupby(["source", "label"], observed=True)["number"].sum() for part in rows]
    counts = {key: number for part in given for key, number in part.items()}
    sources = dict.fromkeys(source for source, _ in counts)
    return [
        row
        | {
            _heading(who): _whole(counts[who, row["text"]])
            for who in sources
            if (who, row["text"]) in counts and not row.get("scale")
        }
        for row in labels
    ]


def _heading(source: str) -> str:
    return "people" if source == HUMAN else f"{source} (n)"


def _whole(number: float) -> str:
    return f"{number:.0f}" if number % 1 == 0 else f"{number:.2f}"
