"""Multiple choice: each option becomes a question of its own, 1 if it was chosen and 0 if not.

Chosen options stand in one cell (``Bus, Train``, ``["Bus", "Train"]``), or each in a column of its
own (tick boxes), where an empty cell means that the box was not ticked.
"""

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from fidelity_study.errors import IN_CONFIG, DataError, ErrorList, Note, Remedy
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import COMMA, MISSING, as_label, as_number
from fidelity_study.reading.tabular.layout import Layout
from fidelity_study.reading.tabular.questions import matches
from fidelity_study.reading.tabular.scenarios import Described
from fidelity_study.reading.tabular.shown import shown

CHOSEN, NOT_CHOSEN = "1", "0"
SEPARATORS = (";", "|", ",", "/", "+", "\uff1b", "\uff0c", "\u3001")
MARKS = {"1", "x", "y", "yes", "true", "checked", "selected", "ticked", "on", "\u2713", "\u2714"}
MARKS |= {"ja", "j", "s\u00ed", "si", "oui", "sim", "quoted", "genannt"}
STEM = re.compile(r"(.*?)\s*(?:[_.#:\-]+\s*\d+|\[[^\]]*\]|\([^)]*\)|[:\-]\s+.*|_[A-Za-z]|[a-z])$")
RECURRING = 0.8
ALSO_TICKED = "tick-boxes"


@dataclass(frozen=True)
class Files:
    """A dataset's answers, and what is known of its questions.

    Attributes:
        people: their answers.
        own: the information in the file of scenarios, if there is one.
        simulated: simulators' answers, by file.
        notes: what is to be told.
        apart: the questions that are an option of another.
    """

    people: Answers
    own: Described | None
    simulated: list[Answers]
    notes: tuple[Note, ...] = ()
    apart: tuple[str, ...] = ()

    @property
    def answers(self) -> list[Answers]:
        """All answers, people's first."""
        return [self.people, *self.simulated]


def with_options_apart(files: Files, layout: Layout, fixed: Iterable[str]) -> Files:
    """Return answers in which each option of a multiple choice is a question.

    Args:
        files: the answers as they stand in the files.
        layout: names the questions of multiple choice; tick boxes are recognised where it is clear.
        fixed: the questions whose options are listed, so that several in one cell are one option.

    Raises:
        DataError: if answers seem to be several options in one cell, and nobody says so.
    """
    labels = _labels(files)
    boxes = _tick_boxes(files, labels, layout)
    joined = [name for name in labels if name not in boxes and matches(name, layout.multiple or ())]
    _refuse_joined(files, {name: labels[name] for name in labels if name not in {*joined, *fixed}})
    found = _ticked(files, boxes) if boxes else files
    for name in joined:
        found = _apart(found, name, labels[name])
    return found


def _labels(files: Files) -> dict[str, list[str]]:
    """Return the different answers to each question, also if there are none."""
    found: dict[str, dict[str, None]] = {}
    for each in files.answers:
        rows = each.rows[~each.rows.duplicated(["scenario", "label"])]
        for name, label, reason in zip(
            rows["scenario"], rows["label"], rows["reason"], strict=True
        ):
            known = found.setdefault(name, {})
            if reason < 0 and label is not None and label == label and not each.stated:
                known[str(label)] = None
    return {name: list(labels) for name, labels in found.items()}


# ------------------------------------------------------------------------------- tick boxes


def _tick_boxes(
    files: Files, labels: Mapping[str, Sequence[str]], layout: Layout
) -> dict[str, tuple[str, str]]:
    """Return the columns that are tick boxes, each with the question it belongs to, and its option.

    Such a column has one answer only and empty cells. It has others beside it with the same
    beginning of their names, or its answer is no other question's.
    """
    people = files.people
    if people.column is not None or any(each.column is not None for each in files.simulated):
        return {}
    empty = {
        name
        for each in files.answers
        for name in each.rows.loc[each.rows["reason"] == MISSING, "scenario"].unique()
    }
    told = people.sheet.file is not None and people.sheet.file.says_missing
    single = {name: own for name, own in labels.items() if len(own) <= 1 and name in empty}
    others = {label for name, own in labels.items() if name not in single for label in own}
    stems: dict[str, list[str]] = {}
    for name in labels:
        found = STEM.fullmatch(name)
        stems.setdefault(found[1] if found and found[1] else name, []).append(name)
    boxes: dict[str, tuple[str, str]] = {}
    for stem, names in stems.items():
        own = [label for name in names for label in labels[name]]
        named = all(matches(name, layout.multiple or ()) for name in names)
        whole = all(len(labels[name]) <= 1 for name in names) and any(
            name in single for name in names
        )
        is_mark = len({*own}) == 1 and own[0].casefold() in MARKS
        differ = len({*own}) == len(own) and not others.intersection(own)
        several = not told and len(names) > 1 and len(own) > 0 and (is_mark or differ)
        one = not told and len(names) == 1 and differ and own and as_number(own[0]) is None
        if whole and own and (named or several or (one and own[0].casefold() not in MARKS)):
            for name in names:
                text = next(iter(labels[name]), "")
                boxes[name] = stem, "" if text.casefold() in MARKS else text
    return boxes


def _ticked(files: Files, boxes: Mapping[str, tuple[str, str]]) -> Files:
    """Return answers in which an empty tick box is a 0, and a ticked one a 1."""
    if files.people.worth is not None:
        raise files.people.sheet.fault(
            "tick-boxes-with-design",
            f"{shown(boxes)} seem to be tick boxes; with a design, write 1 and 0 into them",
        )

    def ticked(rows: pd.DataFrame | None) -> pd.DataFrame | None:
        if rows is None:
            return None
        here = rows["scenario"].isin(list(boxes))
        empty = here & (rows["reason"] == MISSING)
        label = rows["label"].astype(object)
        label = label.mask(here & (rows["reason"] < 0), CHOSEN).mask(empty, NOT_CHOSEN)
        return rows.assign(
            label=pd.Categorical(label, categories=pd.unique(label.dropna())),
            reason=rows["reason"].mask(empty, -1),
        )

    def of(each: Answers) -> Answers:
        rows, doubts = ticked(each.rows), each.doubts
        assert rows is not None
        if doubts is not None:
            doubts = {name: why for name, why in doubts.items() if name not in boxes}
        apart = ticked(each.by_persona)
        return replace(each, rows=rows, by_persona=apart, by_respondent=None, doubts=doubts)

    people = replace(of(files.people), respondents_repeat=True)
    simulated = [of(each) for each in files.simulated]
    what = (
        f"{shown(boxes)}: tick boxes, as each has one answer only; an empty cell is a box that "
        "was not ticked (0), also of who ticked none"
    )
    note = files.people.sheet.note(ALSO_TICKED, what)
    described = _described(people, {name: (stem, text) for name, (stem, text) in boxes.items()})
    people = replace(people, described=described)
    notes, apart = (*files.notes, note), (*files.apart, *boxes)
    return Files(people, files.own, simulated, notes, apart)


def _described(people: Answers, options: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Return the cluster and description of each question; an option's cluster is its question."""
    names = people.rows["scenario"].unique()
    known = people.described
    cluster = known["cluster"].to_dict() if "cluster" in known else {}
    told = known["description"].to_dict() if "description" in known else {}
    rows = {
        name: (
            options[name][0] if name in options else cluster.get(name, name),
            f"{options[name][0]}: {options[name][1]}"
            if name in options and options[name][1]
            else told.get(name),
        )
        for name in names
    }
    found = pd.DataFrame.from_dict(rows, "index", columns=["cluster", "description"])
    return found.astype(object).where(found.notna(), None)


# ------------------------------------------------------------------- several options in one cell


def parts_of(label: str, separator: str) -> list[str]:
    """Return the options in a cell."""
    if separator == "[":
        found = _listed(label)
        return [label] if found is None else found
    return [as_label(part) for part in label.split(separator) if part.strip()]


def _listed(label: str) -> list[str] | None:
    """Return the options of a list as Python or JSON writes it; None if it is none."""
    if not (label.startswith("[") and label.endswith("]")):
        return None
    try:
        found = ast.literal_eval(label)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    is_list = isinstance(found, list) and all(isinstance(each, str | int | float) for each in found)
    return [as_label(each) for each in found] if is_list else None


def separator_of(labels: Sequence[str]) -> str | None:
    """Return the sign between several options in one cell; None if cells seem to hold one each.

    Options recur, alone and beside each other, in cells of different lengths.
    """
    if labels and any(_listed(label) is not None for label in labels):
        return "["
    for separator in SEPARATORS:
        cells = [parts_of(label, separator) for label in labels]
        several = [cell for cell in cells if len(cell) > 1]
        if not several or any(len({*cell}) < len(cell) for cell in several):
            continue
        times: dict[str, int] = {}
        for cell in cells:
            for part in cell:
                times[part] = times.get(part, 0) + 1
        alone = {cell[0] for cell in cells if len(cell) == 1}
        recurring = [all(times[part] > 1 for part in cell) for cell in several]
        is_mixed = len({len(cell) for cell in cells}) > 1
        is_clear = len(several) > 1 or {*several[0]} <= alone
        are_numbers = all(as_number(part) is not None for part in times)
        if are_numbers and not _are_codes(labels, several, alone, separator):
            continue
        if is_mixed and is_clear and sum(recurring) >= RECURRING * len(several):
            return separator
    return None


def _are_codes(
    labels: Sequence[str], several: Sequence[Sequence[str]], alone: set[str], separator: str
) -> bool:
    """Return whether cells such as ``1,3`` list codes, and are neither fractions nor dates."""
    if separator in "/+":
        return False
    long = any(len(cell) > 2 for cell in several)
    are_fractions = all(COMMA.fullmatch(label) or as_number(label) is not None for label in labels)
    return long or not are_fractions or all({*cell} <= alone for cell in several)


def _refuse_joined(files: Files, labels: Mapping[str, Sequence[str]]) -> None:
    """Raise DataError if answers seem to be several options in one cell."""
    joined = {name: sign for name, own in labels.items() if (sign := separator_of(own))}
    if not joined:
        return
    faults = ErrorList()
    for each in files.answers:
        rows = each.rows[each.rows["scenario"].isin(list(joined)) & (each.rows["reason"] < 0)]
        for name, label, at in zip(rows["scenario"], rows["label"], rows["at"], strict=True):
            if len(parts_of(str(label), joined[name])) > 1 or joined[name] == "[":
                with faults.collected():
                    raise _several(each, name, str(label), int(at), list(joined))
                break
        if faults.faults:
            break
    faults.refuse()


def _several(each: Answers, name: str, label: str, at: int, names: list[str]) -> DataError:
    return each.sheet.fault(
        "several-in-cell",
        f"{label!r} seems to be several options in one cell, as of a question where one may choose "
        f"several; if so, put ",
        Remedy({"multiple": names}),
        IN_CONFIG,
        f", and each option of {shown(names)} is a question; if it is one option, list the options "
        "in the file of scenarios",
        at=at,
        column=each.column or name,
    )


def _apart(files: Files, name: str, labels: Sequence[str]) -> Files:
    """Return answers in which each option of a question is one: 1 if it was chosen, 0 if not."""
    own = files.own
    listed: tuple[str, ...] = ()
    if own is not None and "options" in own.rows and name in own.rows.index:
        cell = own.rows.at[name, "options"]
        listed = cell if isinstance(cell, tuple) else ()
    separator = separator_of(labels) or next(
        (s for s in SEPARATORS if any(s in x for x in labels)), ";"
    )
    chosen = {label: _chosen(label, separator, listed) for label in labels}
    options = list(dict.fromkeys([*listed, *(part for own in chosen.values() for part in own)]))
    names = {option: f"{name}: {option}" for option in options}

    def apart(rows: pd.DataFrame | None) -> pd.DataFrame | None:
        if rows is None:
            return None
        here = rows["scenario"] == name
        if not here.any():
            return rows
        theirs = rows[here]
        text = theirs["label"].astype(object)
        parts = []
        for option, scenario in names.items():
            label = text.map(lambda cell, option=option: _label(chosen.get(cell), option))
            parts.append(theirs.assign(scenario=scenario, label=label))
        found = pd.concat([rows[~here].astype({"scenario": object, "label": object}), *parts])
        sums = [each for each in ("number", "weight", "square") if each in found]
        keys = [each for each in found if each not in (*sums, "at")]
        how = {**({"at": "min"} if "at" in found else {}), **dict.fromkeys(sums, "sum")}
        if "respondent" in found:  # a row for each person: nothing to add up
            return _categorical(found.reset_index(drop=True))
        grouped = found.groupby(keys, sort=False, dropna=False, observed=True)
        return _categorical(grouped.agg(how).reset_index()[list(rows.columns)])

    def of(each: Answers) -> Answers:
        return replace(
            each,
            rows=apart(each.rows),
            by_persona=apart(each.by_persona),
            by_respondent=apart(each.by_respondent),
        )

    people = replace(of(files.people), respondents_repeat=True)
    described = _described(people, {names[option]: (name, option) for option in options})
    people = replace(people, described=described)
    none = (files.people.rows["scenario"] == name) & (files.people.rows["reason"] == MISSING)
    left = files.people.rows.loc[none, "number"].sum()
    what = f"{name!r}: multiple choice, each of its {len(options)} options is a question"
    empty = f"; {left:,.0f} empty cells count as not asked" if left else ""
    note = files.people.sheet.note("multiple-choice", f"{what}{empty}")
    if own is not None and name in own.rows.index:
        own = _own_apart(own, name, names)
    simulated = [of(each) for each in files.simulated]
    return Files(people, own, simulated, (*files.notes, note), (*files.apart, *names.values()))


def _chosen(label: str, separator: str, listed: Sequence[str]) -> list[str]:
    """Return the options in a cell; of listed ones, also those with the separator in them."""
    found, rest = [], label
    for option in sorted(listed, key=len, reverse=True):
        if separator in option and option in rest:
            found.append(option)
            rest = rest.replace(option, "")
    return [*found, *parts_of(rest, separator)] if rest.strip(f" {separator}") else found


def _label(chosen: Sequence[str] | None, option: str) -> str | None:
    if chosen is None:
        return None
    return CHOSEN if option in chosen else NOT_CHOSEN


def _categorical(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with categories of their texts, in order of appearance."""
    texts = [each for each in ("scenario", "source", "label", "persona", "group") if each in rows]
    return rows.assign(
        **{
            each: pd.Categorical(
                rows[each], categories=pd.unique(rows[each].dropna().astype(object))
            )
            for each in texts
        }
    )


def _own_apart(own: Described, name: str, names: Mapping[str, str]) -> Described:
    """Return a file's information with a row for each option instead of the question's."""
    at = own.rows.index.get_loc(name)
    row = own.rows.iloc[[at] * len(names)].set_axis(list(names.values()))
    for column in ("options", "n_options"):
        if column in row:
            row[column] = None
    for column in ("question", "description"):
        if column in row:
            texts = [None if pd.isna(cell) else cell for cell in row[column]]
            row[column] = [
                None if text is None else f"{text}: {option}"
                for text, option in zip(texts, names, strict=True)
            ]
    rows = pd.concat([own.rows.iloc[:at], row, own.rows.iloc[at + 1 :]])
    places = [own.place(i) for i in range(len(own.rows))]
    return replace(own, rows=rows, places=[*places[:at], *[at] * len(names), *places[at + 1 :]])


def listed_questions(outcome: dict, people: Answers, own: Described | None) -> set[str]:
    """Return the questions whose options the config or a file lists."""
    names = set(people.rows["scenario"].unique())
    if outcome.get("levels"):
        return names
    tables = [people.said.rows, *([own.rows] if own is not None else [])]
    columns = [
        table[each].dropna() for table in tables for each in ("known", "options") if each in table
    ]
    return {name for column in columns for name in column.index}


def with_both_options(table: pd.DataFrame, apart: Sequence[str]) -> pd.DataFrame:
    """Return scenarios with both options of the questions that are options of others."""
    here = [name for name in apart if name in table.index]
    if not here:
        return table
    known = table["options"] if "options" in table else pd.Series(None, table.index, dtype=object)
    both = (NOT_CHOSEN, CHOSEN)
    return table.assign(options=[both if name in here else known[name] for name in table.index])
