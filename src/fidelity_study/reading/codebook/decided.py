"""From the cells that a user changed to the settings by which files are read."""

from collections.abc import Iterable, Mapping
from itertools import chain
from shlex import quote
from typing import Any

from fidelity.baselines.base import BASELINES
from fidelity_study.errors import refusal
from fidelity_study.reading.codebook.tables import (
    ACCEPTED,
    BY,
    COLUMNS,
    COMPARE,
    EPOCH,
    IGNORE,
    LABELS,
    MEANS,
    MISSING,
    NO_OPTION,
    OPEN,
    ORDER,
    PROPOSAL,
    QUESTION,
    QUESTIONS,
    SCORE,
    SIMULATOR,
    TABLES,
    TRIED,
    USE,
    USER,
    USES,
    Codebook,
    Edit,
    Row,
    key_of,
    keyed,
    proposals,
    read,
    refuse_open,
)
from fidelity_study.reading.tabular.columns import (
    MOST_STEPS,
    as_number,
    plain,
    squashed,
    steps_between,
)
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.tables.ingest import EVERY, LEAVE_OUT, NO_CLUSTER, NOT_ASKED, TOTAL

CODED = "coded"
"""The key of a dataset's settings that holds what a codebook says of single questions."""
CONTAINERS = ("columns", "design", "effects", "outcome")
LONG = {"answer", "count", "probability", "percent"}
SEVERAL = (
    "columns.simulator",
    "groups",
    "effects.moderators",
    "effects.attributes",
    "personas",
    "facts",
)
LISTS = ("ignore", "ranking", "multiple", "design.replicate_weights", *SEVERAL)
TOPIC, YES, ENDS = "topic", "yes", ("lower", "upper")
OF_GROUPS = {"group", "wave", "condition", YES}
FACTS = ("wording", TOPIC, *ENDS)


def with_codebook(flat: Mapping[str, Any], codebook: Codebook) -> dict[str, Any]:
    """Return settings with what the changed cells of a codebook say.

    Args:
        flat: settings by key, as ``columns.weight``; their values are left as they are.
        codebook: the three tables.

    Raises:
        DataError: if cells contradict each other.
    """
    edits = [*codebook.said()]
    columns, questions, labels = ([edit for edit in edits if edit.table == name] for name in TABLES)
    settings = _with_columns(dict(flat), columns, codebook)
    _refuse_kinds(edits, codebook)
    settings = _with_questions(settings, questions)
    condition = settings.get("effects.condition")
    if condition:
        named = (*settings.get("groups", ()), *settings.get("effects.moderators", ()), condition)
        settings["groups"] = tuple(dict.fromkeys(named))
    apart = any(edit.value in OF_GROUPS for edit in [*columns, *questions])
    if apart and settings.get("cluster") == NO_CLUSTER:
        settings["cluster"] = QUESTION  # what is asked of several groups is not independent
    return _with_labels(settings, labels, codebook)


def without_codebook(flat: Mapping[str, Any], codebook: Codebook) -> dict[str, Any]:
    """Return settings without what the changed cells of a codebook say already."""
    theirs = with_codebook({}, codebook)
    left: dict[str, Any] = {}
    for key, value in flat.items():
        said = theirs.get(key)
        if isinstance(value, list | tuple) and isinstance(said, list | tuple):
            known = {str(part) for part in said if not _is_of_rule(key, part, codebook)}
            value = [part for part in value if str(part) not in known]
        elif isinstance(value, Mapping) and isinstance(said, Mapping):
            value = {name: part for name, part in value.items() if said.get(name) != part}
        elif value == said and key != "outcome.kind" and not _is_of_rule(key, value, codebook):
            continue
        if value or said is None:
            left[key] = value
    return left


def _is_of_rule(key: str, column: Any, codebook: Codebook) -> bool:
    """Return whether a file's column has a use that nobody decided, as another file's has."""
    return any(
        row["column"] == column
        and row[BY] not in (ACCEPTED, TRIED, USER)
        and USES[row[USE]][0] == key
        for row in codebook.tables[COLUMNS]
        if row[USE] in USES
    )


def flat_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dataset's settings by key, as ``columns.weight``."""
    flat: dict[str, Any] = {}
    for key, value in settings.items():
        inside = value.items() if key in CONTAINERS else ()
        flat |= {f"{key}.{inner}": content for inner, content in inside}
        flat |= {} if key in CONTAINERS else {key: value}
    return flat


def nested_of(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by key as a config has them."""
    nested: dict[str, Any] = {}
    for key, value in flat.items():
        above, _, last = key.rpartition(".")
        inside = nested.setdefault(above, {}) if above else nested
        inside[last] = list(value) if isinstance(value, tuple) else value
    return nested


def in_config(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dataset's settings, as a config has them, with what its codebook says.

    Args:
        settings: with the folder of the codebook under ``codebook``.

    Raises:
        DataError: if a cell is not decided, or says nothing that is known.
    """
    folder = settings["codebook"]
    codebook = read(folder)
    refuse_open(codebook, folder)
    by, flat = decisions(codebook), flat_of(settings)
    if {*flat.get("simulators", ())} - {*BASELINES} and _names_others(codebook):
        del flat["simulators"]  # they are called otherwise now: take those that there are
    return nested_of(with_codebook(flat, codebook)) | ({"decided": by} if by else {})


def _names_others(codebook: Codebook) -> bool:
    """Return whether other columns say who answers than when the config was drafted."""
    drafts = keyed(codebook.drafted)
    for edit in (edit for edit in codebook.edits() if edit.table == COLUMNS):
        draft = drafts.get((COLUMNS, key_of(COLUMNS, edit.row)), {})
        before = {draft.get(USE), draft.get(PROPOSAL)}
        is_new = edit.row.get(BY) != USER and edit.by == USER
        if is_new and SIMULATOR in {edit.value, *before}:
            return True
    return False


def decisions(codebook: Codebook) -> dict[str, list[str]]:
    """Return the cells that were decided otherwise than by rules and files, by who did so."""
    by: dict[str, list[str]] = {}
    for edit in codebook.edits():
        which = ", ".join(filter(None, key_of(edit.table, edit.row)))
        cell = f"{which}: {edit.value}"
        by.setdefault(edit.by, []).append(cell)
    return by


def _with_columns(settings: dict, edits: list[Edit], codebook: Codebook) -> dict:
    """Return settings with the uses of columns."""
    aside = [edit for edit in edits if is_of_file(edit, codebook, settings)]
    edits = [edit for edit in edits if edit not in aside]
    uses: dict[str, set[str]] = {}
    for edit in edits:
        uses.setdefault(edit.row["column"], set()).add(edit.value)
    for name, several in uses.items():
        if len(several) > 1:
            raise refusal(
                "uses-differ",
                f"column {name!r} is {' in one file and '.join(sorted(several))} in another; a "
                "name has one use, so rename the column in one of them",
                column=name,
            )
        settings = {key: _without(value, name) for key, value in settings.items()}
        settings = {key: value for key, value in settings.items() if value not in (None, ())}
    edits = _with_questions_of_rows(edits, codebook)
    _refuse_twice(edits, codebook)
    edits, aliases = _with_one_name(edits, settings.get("groups", ()), codebook)
    sure: list[str] = []
    roles: dict[str, dict[str, list[str]]] = {}
    for edit in edits:
        key, name = USES[edit.value][0], edit.row["column"]
        if edit.value in (SCORE, EPOCH):
            what = f"is of tables of scores, and {edit.row['file']} has answers; give another use"
            raise refusal("use-of-scores", what, column=name)
        of_file = [row for row in codebook.tables[COLUMNS] if row["file"] == edit.row["file"]]
        if edit.value == QUESTION and not LONG & {row[USE] for row in of_file}:
            sure.append(name)
            continue
        above, _, role = key.rpartition(".")
        if above == "columns" and key not in LISTS:
            for row in codebook.tables[COLUMNS]:
                if row["column"] == name and {edit.value, row[USE]} <= LONG:  # other files' stay
                    of_row = USES[row[USE]][0].rpartition(".")[2]
                    roles.setdefault(row["file"], {}).setdefault(of_row, [name])
            roles.setdefault(edit.row["file"], {})[role] = [name]
            settings.setdefault(key, name)
            continue
        renamed = aliases.get(edit.row["file"], {}).values()
        is_list = key in LISTS and edit.value != IGNORE  # what a rule reads not is no decision
        others = [row["column"] for row in of_file if row[USE] == edit.value and is_list]
        others = [column for column in others if column not in renamed]
        if edit.value == SIMULATOR:  # each file's alone
            roles.setdefault(edit.row["file"], {})[SIMULATOR] = others or [name]
        for column in others or [name]:  # the columns of this use together
            settings[key] = _added(settings.get(key), column, several=key in LISTS)
    if sure and "questions" in settings:
        settings["questions"] = tuple(dict.fromkeys([*settings["questions"], *sure]))
    settings = _with_coded(settings, "columns", list(dict.fromkeys(sure)))
    settings = _with_coded(settings, "roles", roles)
    settings = _with_coded(settings, "groups", aliases)
    ignored: dict[str, list[str]] = {}
    for edit in aside:
        ignored.setdefault(edit.row["file"], []).append(edit.row["column"])
    return _with_coded(settings, "ignored", ignored)


def is_of_file(edit: Edit, codebook: Codebook, settings: Mapping[str, Any]) -> bool:
    """Return whether a column is not read in one file only, as it has a role in another.

    Settings that give it a role are about people's file, the first. What that doesn't read, no
    file does, unless it names a simulator's persons. Who answers is told alike in all files.
    """
    if (edit.table, edit.value) != (COLUMNS, IGNORE):
        return False
    rows, name = codebook.tables[COLUMNS], edit.row["column"]
    others = [row for row in rows if row["column"] == name and row["file"] != edit.row["file"]]
    uses = {proposals(COLUMNS, row).get(USE, row[USE]) for row in others}
    if edit.row["file"] == rows[0]["file"]:
        return "respondent" in uses
    named = {use for use, (key, _) in USES.items() if settings.get(key) == name}
    return not uses | named <= {IGNORE, QUESTION, SIMULATOR, OPEN, ""}


def _with_questions_of_rows(edits: list[Edit], codebook: Codebook) -> list[Edit]:
    """Return edits with the column of questions of each file that now has one of answers.

    It may have been drafted as a question, as all columns were.
    """
    of_rows = {edit.row["file"] for edit in edits if edit.value in LONG}
    asked = [
        Edit(COLUMNS, row, USE, QUESTION)
        for row in codebook.tables[COLUMNS]
        if row["file"] in of_rows and row[USE] == QUESTION
    ]
    return [*edits, *asked]


def _refuse_twice(edits: Iterable[Edit], codebook: Codebook) -> None:
    """Raise DataError if several columns of a file have a changed use that one column has.

    Where a row is an answer, one column names its question.
    """
    changed = {(edit.row["file"], edit.value) for edit in edits}
    of_rows = {file for file, use in changed if use in LONG}
    for file, use in sorted(changed):
        rows = codebook.tables[COLUMNS]
        names = [row["column"] for row in rows if (row["file"], row[USE]) == (file, use)]
        is_single = file in of_rows if use == QUESTION else USES[use][0] not in LISTS
        if is_single and names[1:]:
            raise refusal(
                "use-twice",
                f"{shown(names)} are {use} in {COLUMNS}.csv, and one column of a file is; write "
                f"another use, such as {IGNORE!r}, for the others",
                file=file,
            )


def _with_one_name(
    edits: list[Edit], named: Iterable[str], codebook: Codebook
) -> tuple[list[Edit], dict[str, dict[str, str]]]:
    """Return edits without groups that people's file has by another name, and these by file."""
    columns: dict[str, list[str]] = {}
    for row in codebook.tables[COLUMNS]:
        columns.setdefault(row["file"], []).append(row["column"])
    first = next(iter(columns), "")
    groups = [edit for edit in edits if edit.value == "group"]
    ours = [edit.row["column"] for edit in groups if edit.row["file"] == first]
    ours = [*dict.fromkeys([*named, *ours])]
    aliases: dict[str, dict[str, str]] = {}
    for file, there in columns.items():
        left = [name for name in ours if name not in there]
        others = [edit for edit in groups if edit.row["file"] == file]
        others = [edit for edit in others if edit.row["column"] not in ours]
        theirs = {squashed(edit.row["column"]): edit for edit in others}
        same = {one: theirs.pop(squashed(one)) for one in left if squashed(one) in theirs}
        rest = [one for one in left if one not in same]
        same |= zip(rest, theirs.values(), strict=True) if len(rest) == len(theirs) == 1 else ()
        if same and file != first:
            aliases[file] = {one: edit.row["column"] for one, edit in same.items()}
            edits = [one for one in edits if one not in same.values()]
    return edits, aliases


def _without(value: Any, name: str) -> Any:
    """Return a setting without a column that it names; None where nothing is left."""
    if isinstance(value, list | tuple):
        return tuple(part for part in value if part != name)
    return None if value == name else value


def _added(value: Any, name: str, *, several: bool) -> Any:
    """Return a setting that names one more column."""
    if not several:
        return name
    before = (value,) if isinstance(value, str) else tuple(value or ())
    return tuple(dict.fromkeys([*before, name]))


def _refuse_kinds(edits: Iterable[Edit], codebook: Codebook) -> None:
    """Raise DataError if changed cells give some questions another kind than others."""
    changed = {edit.row[QUESTION]: edit.value for edit in edits if edit.field == "kind"}
    rows = codebook.tables[QUESTIONS]
    kinds = {row.get("kind", "") for row in rows if row.get(USE) != LEAVE_OUT} - {"", OPEN}
    if changed.keys() - {EVERY} and len(kinds) > 1:
        name, kind = next(pair for pair in changed.items() if pair[0] != EVERY)
        raise refusal(
            "kinds-differ",
            f"questions are {' and '.join(sorted(kinds))} in {QUESTIONS}.csv; a study has one "
            f"kind, so give all the same, or leave out {name!r} with an empty kind, and compare it "
            f"by itself: the same command with --questions {quote(name)} --kind {kind}",
        )


def _with_questions(settings: dict, edits: list[Edit]) -> dict:
    """Return settings with what is said of questions; of single ones under ``coded``."""
    facts: dict[str, dict[str, Any]] = {}
    called: dict[str, str] = {}
    for kind in (edit.value for edit in edits if edit.field == "kind"):
        settings["outcome.kind"] = kind
    for edit in edits:
        name = edit.row[QUESTION]
        if edit.field in ENDS and name == EVERY and settings.get("outcome.kind") == "bounded":
            ends = [as_number(edit.row.get(end, "")) for end in ENDS]
            if None not in ends:
                settings["outcome.bounds"] = tuple(ends)
        elif edit.field in ENDS:
            _refuse_ends(edit)
            both = {end: edit.row.get(end, "") for end in ENDS}  # one needs the other
            if known := {end: plain(text) for end, text in both.items() if text not in ("", OPEN)}:
                facts.setdefault(name, {}).update(known)
        elif edit.field in FACTS and edit.value:
            facts.setdefault(name, {})[edit.field] = edit.value
        elif edit.field == "topic":
            facts.setdefault(name, {})["topic"] = NO_CLUSTER
        elif edit.field == "several":
            settings = _with_several(settings, name, is_several=edit.value == YES)
        elif edit.field == USE and edit.value in (LEAVE_OUT, COMPARE):
            facts.setdefault(name, {})["is_left_out"] = edit.value == LEAVE_OUT
        elif edit.field == MEANS and edit.value:
            called[name] = edit.value
    has_topics = any(TOPIC in fact for fact in facts.values())
    if has_topics and settings.get("cluster", NO_CLUSTER) == NO_CLUSTER:
        settings["cluster"] = TOPIC
    return _with_coded(_with_coded(settings, "questions", facts), "called", called)


def _refuse_ends(edit: Edit) -> None:
    """Raise DataError if the user gives ends to options that are no few whole numbers."""
    row = edit.row
    low, high = (as_number(row.get(end, "")) for end in ENDS)
    are_steps = low is not None and high is not None and bool(steps_between(low, high))
    is_of_steps = row.get("kind") in ("ordinal", "categorical") and edit.by == USER
    if is_of_steps and (row.get("scale") or not are_steps):
        raise refusal(
            "ends-of-steps",
            f"{row[QUESTION]!r} has {edit.value!r} as {edit.field} in {QUESTIONS}.csv; both ends "
            f"must be whole numbers, at most {MOST_STEPS} steps; words are numbered in "
            f"{LABELS}.csv, under {ORDER}",
        )


def _with_several(settings: dict, name: str, *, is_several: bool) -> dict:
    several = tuple(settings.get("multiple", ()))
    changed = (*several, name) if is_several else tuple(one for one in several if one != name)
    if not is_several:
        single = settings.get(CODED, {}).get("single", ())
        settings = _with_coded(settings, "single", [*single, name])
    return {**settings, "multiple": tuple(dict.fromkeys(changed))} if changed else settings


def _with_labels(settings: dict, edits: list[Edit], codebook: Codebook) -> dict:
    """Return settings with what texts mean, and with the options of scales in their order."""
    recoded: list[dict[str, Any]] = []
    options, silent = dict[str, list[str]](), list[str]()
    reasons: dict[str, dict[str, str]] = {}
    meant = [edit for edit in edits if edit.field == MEANS and edit.value]
    fewest: dict[tuple[str, str], int] = {}  # questions of a text's scale: its own row counts
    for edit in meant:
        names = _questions(edit.row, codebook) or []
        several = [(edit.row["text"], name) for name in names]
        fewest |= {key: min(len(names), fewest.get(key, len(names))) for key in several}
    texts = {text for text, _ in fewest}
    for edit in meant:
        text, means = edit.row["text"], edit.value
        questions, file = _questions(edit.row, codebook), edit.row.get("file", "")
        if questions is None and means in NO_OPTION and text in texts:
            names = [row[QUESTION] for row in codebook.tables[QUESTIONS]]
            questions = [name for name in names if (text, name) not in fewest]
        elif questions is not None:
            questions = [one for one in questions if len(questions) <= fewest[text, one]]
        _refuse_contrary(settings, edit.row, means)
        if text == EVERY and not file:  # all texts that are no listed option
            settings["unlisted"] = means
        elif means in NO_OPTION and not file and means not in (NOT_ASKED, TOTAL):
            if questions is None:
                settings["missing"] = _marked(settings.get("missing", ()), text, means)
            else:
                within = dict(settings.get("missing_in", {}))
                for name in questions:
                    within[name] = [*dict.fromkeys([*within.get(name, []), plain(text)])]
                    reasons.setdefault(name, {})[text] = means
                settings |= {"missing_in": within} if within else {}
        elif means == TOTAL and not (file or questions):
            settings["totals"] = _added(settings.get("totals"), text, several=True)
        elif means != text:
            silent += [file] if text == EVERY and edit.by == USER else []
            recoded.append({"questions": questions, "file": file, "text": text, "means": means})
        if means not in NO_OPTION:
            options.setdefault(means, []).extend([EVERY] if questions is None else questions)
    coded = {"means": recoded, "options": options, "reasons": reasons, "silent": silent}
    for name, content in coded.items():
        settings = _with_coded(settings, name, content)
    return _with_coded(settings, "orders", _orders(edits, codebook))


def _marked(missing: Any, text: str, means: str) -> Any:
    """Return the marks of no answer, by reason where a reason isn't plain from the text."""
    if means == MISSING and not isinstance(missing, Mapping):
        return _added(missing, text, several=True)
    by_reason = dict(missing) if isinstance(missing, Mapping) else {MISSING: list(missing)}
    by_reason[means] = [*dict.fromkeys([*by_reason.get(means, []), plain(text)])]
    return {reason: marks for reason, marks in by_reason.items() if marks}


def _refuse_contrary(settings: Mapping, row: Row, means: str) -> None:
    """Raise DataError if the settings say that a text is no answer, and the table that it is."""
    missing = settings.get("missing", ())
    marks = chain(*missing.values()) if isinstance(missing, Mapping) else missing
    if means not in NO_OPTION and row["text"] in map(str, marks):
        raise refusal(
            "missing-and-answer",
            f"{row['text']!r} is {means!r} in {LABELS}.csv, and no answer by the settings; take it "
            "out of missing",
        )


def _questions(row: Row, codebook: Codebook) -> list[str] | None:
    """Return the questions of a scale; None for all. An empty cell is of the question named."""
    scale = row.get("scale", "")
    if not scale:
        return None
    rows = codebook.tables[QUESTIONS] if row.get("text") != "" else ()
    return [one[QUESTION] for one in rows if one.get("scale") == scale] or [scale]


def _orders(edits: Iterable[Edit], codebook: Codebook) -> dict[str, list[str]]:
    """Return the options in order of each question whose scale has changed numbers of order.

    An option has the number of its own row, not of other texts that mean it, or the one that is
    given for all scales. Of a scale without numbers of order, or with an option that lacks one, the
    files tell the options.
    """
    orders: dict[str, list[str]] = {}
    orders_of = [edit for edit in edits if edit.field == ORDER]
    rows = [edit.row for edit in orders_of]
    by_user = {edit.row.get("scale", "") for edit in orders_of if edit.by == USER and edit.value}
    changed = {(row.get("scale", ""), row[MEANS]): row for row in rows if row["text"] == row[MEANS]}
    of_all = {means: row for (scale, means), row in changed.items() if not scale}
    shared = [row for row in codebook.tables[LABELS] if row[MEANS] in of_all]
    scales = {row.get("scale", "") for row in [*rows, *shared]}
    before = {row[QUESTION]: row.get("scale", "") for row in codebook.drafted[QUESTIONS]}
    now = {row[QUESTION]: row.get("scale", "") for row in codebook.tables[QUESTIONS]}
    moved = {scale for name, scale in now.items() if scale != before.get(name, scale)}
    for scale in sorted(scales | moved):
        rows = [row for row in codebook.tables[LABELS] if row.get("scale", "") == scale]
        numbers: dict[str, float | None] = {}
        for row in sorted(rows, key=lambda row: row["text"] != row[MEANS]):
            means = row[MEANS]
            if means not in ("", *NO_OPTION):
                row = changed.get((scale, means)) or of_all.get(means, row)
                numbers.setdefault(means, as_number(row.get(ORDER, "")))
        placed = [(number, means) for means, number in numbers.items() if number is not None]
        left = [means for means, number in numbers.items() if number is None]
        if placed and left and scale in by_user and OPEN not in {row.get(ORDER) for row in rows}:
            raise refusal(
                "order-lacks",
                f"{shown(left)} of {scale!r} in {LABELS}.csv lack a number of order, which other "
                "options have; number all, lowest first",
            )
        if left and (placed or scale not in moved):
            continue
        options = [means for _, means in sorted(placed)] or left
        names = _questions({"scale": scale}, codebook) or [EVERY]
        orders |= dict.fromkeys(names, options) if len(options) > 1 else {}
    return orders


def _with_coded(settings: dict, name: str, content: Any) -> dict:
    if not content:
        return settings
    return {**settings, CODED: {**settings.get(CODED, {}), name: content}}
