"""What could be answered in each scenario: its options, or the range of its numbers."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import pandas as pd

from fidelity_study.errors import DataError
from fidelity_study.tables.ingest import HUMAN
from fidelity_study.tabular.answers import Answers
from fidelity_study.tabular.columns import as_label, as_number, not_a_number

NUMBERS = ("bounded", "real")
BETWEEN = "|"


@dataclass(frozen=True)
class Options:
    """The options of one scenario: their codes in order, and the label of each."""

    values: list[float]
    labels: list[str]

    @classmethod
    def of(cls, labels: Iterable[str], kind: str) -> "Options":
        """Give options their codes: numbers are their own, texts are numbered in order."""
        labels = list(labels)
        numbers = [number for label in labels if (number := as_number(label)) is not None]
        if len(numbers) < len(labels):
            first = 0 if kind == "binary" else 1
            numbers = [float(i) for i in range(first, first + len(labels))]
        return cls(numbers, labels)


def outcome_faults(outcome: dict, place: str) -> list[str]:
    """Say where the keys of ``outcome`` do not fit its kind or each other."""
    kind, levels, scores = (outcome.get(key) for key in ("kind", "levels", "scores"))
    bounds = outcome.get("bounds")
    faults = []
    if kind in NUMBERS and (levels or scores):
        faults.append(f"{kind} outcomes are numbers and have no levels or scores; take them out")
    if kind != "bounded" and bounds:
        faults.append(f"bounds are for bounded outcomes, not for {kind} ones; take them out")
    if bounds and not bounds[0] < bounds[1]:
        faults.append(f"bounds {bounds} are no range; put the smaller number first")
    if kind == "categorical" and scores:
        faults.append("categorical options have no scores; call the kind ordinal, or take them out")
    if scores and len(scores) != len(levels or []):
        faults.append(f"has {len(scores)} scores for {len(levels or [])} levels; give one for each")
    if levels and len({as_label(level) for level in levels}) < len(levels):
        faults.append(f"levels {levels} has the same option twice; list each once")
    if kind == "binary" and levels and len(levels) != 2:
        faults.append(f"binary outcomes have 2 levels, not {len(levels)}; call the kind ordinal")
    return [f"{place}.outcome: {fault}" for fault in faults]


def listed_options(text: str) -> list[str]:
    """Return the labels in a cell of the scenarios' column ``options``, as in ``no | yes``."""
    return [as_label(part) for part in text.split(BETWEEN)]


def ranges(outcome: dict, found: list[Answers], described: pd.DataFrame) -> pd.DataFrame:
    """Return lower and upper of each scenario, the range that its numbers may have.

    Raise DataError at the first answer that is no number, or not within its range.
    """
    limits = outcome.get("bounds", [np.nan, np.nan])
    table = pd.DataFrame(index=described.index)
    for column, limit in zip(("lower", "upper"), limits, strict=True):
        own = described[column] if column in described else pd.Series(np.nan, described.index)
        table[column] = own.fillna(limit)
    for each in found:
        rows = each.rows[each.rows["reason"] < 0]
        number = pd.Series(
            [as_number(label) for label in rows["label"].cat.categories], dtype=float
        ).to_numpy()[rows["label"].cat.codes]
        if np.isnan(number).any():
            row = rows[np.isnan(number)].iloc[0]
            raise each.fault(not_a_number(row["label"]), row)
        if outcome["kind"] != "bounded":
            continue
        within = rows["scenario"].cat.categories
        lower, upper = (table[name].reindex(within).to_numpy() for name in ("lower", "upper"))
        place = rows["scenario"].cat.codes.to_numpy()
        outside = ~((lower[place] <= number) & (number <= upper[place]))
        if outside.any():
            row, at = rows[outside].iloc[0], place[outside][0]
            known = f"from {lower[at]:g} to {upper[at]:g}"
            raise each.fault(
                f"{row['label']} cannot be judged, the range of scenario {row['scenario']!r} is "
                "unknown; put outcome.bounds into the config, or columns lower and upper into the "
                "file of scenarios"
                if np.isnan(lower[at] + upper[at])
                else f"{row['label']} is outside the range of scenario {row['scenario']!r}, "
                f"{known}; mend it, or widen outcome.bounds or the scenario's lower and upper",
                row,
            )
    return table


def numbers_seen(found: list[Answers], scenarios: Iterable[str], origin: str) -> dict[str, Options]:
    """Return the distinct numbers that occur in each scenario; raise DataError if it is but one."""
    seen = _seen(found)
    for name in scenarios:
        if len(seen[name]) < 2:
            raise DataError(
                f"{origin}, scenario {name!r}: everybody answers {seen[name][0]}, so nothing can "
                "differ; drop the scenario"
            )
    return {name: Options.of(_sorted(seen[name]), "real") for name in scenarios}


def options(
    outcome: dict, found: list[Answers], described: pd.DataFrame, origin: str
) -> dict[str, Options]:
    """Return the options of each scenario.

    In order of preference: the scenario's own ``options``, ``outcome.levels``, as many as its
    ``n_options`` says, or those that somebody chose. Raise DataError at the first answer that is
    none of the first two, and where what was chosen does not tell the options.

    Args:
        outcome: kind, levels, scores.
        found: everybody's answers.
        described: the scenarios, with columns ``options`` and ``n_options`` if they have them.
        origin: what is named where the fault is in no single row.
    """
    kind = outcome["kind"]
    fixed = _fixed(outcome, described)
    for each in found:
        _check_known(each, fixed)
    free = [name for name in described.index if name not in fixed]
    if not free:
        return fixed
    seen = _seen(found)
    _check_spelling(found, set(free))
    ordered = all(each.ordered for each in found if _is_people(each))
    chosen = {name: seen.get(name, []) if ordered else _sorted(seen.get(name, [])) for name in free}
    chosen = _completed(chosen, described, kind, ordered, origin)
    return {**fixed, **{name: Options.of(labels, kind) for name, labels in chosen.items()}}


def _fixed(outcome: dict, described: pd.DataFrame) -> dict[str, Options]:
    """Return the options that the config or the file of scenarios lists."""
    levels, kind = outcome.get("levels"), outcome["kind"]
    fixed = {}
    if levels:
        common = Options.of([as_label(level) for level in levels], kind)
        fixed = dict.fromkeys(described.index, common)
    if "options" in described:
        own = described["options"].dropna()
        fixed |= {name: Options.of(listed_options(text), kind) for name, text in own.items()}
    return fixed


def _is_people(each: Answers) -> bool:
    return HUMAN in each.rows["source"].cat.categories


def _firsts(each: Answers) -> Iterator[tuple[str, str, int]]:
    """Yield scenario, label and position in ``rows`` of every answer's first time in a scenario."""
    rows = each.rows[["scenario", "label"]]
    first = np.flatnonzero((each.rows["reason"] < 0) & ~rows.duplicated())
    rows = rows.iloc[first]
    yield from zip(rows["scenario"], rows["label"], first.tolist(), strict=True)


def _check_known(each: Answers, fixed: Mapping[str, Options]) -> None:
    for name, label, at in _firsts(each):
        if name in fixed and label not in fixed[name].labels:
            raise each.fault(
                f"{label!r} is no option of scenario {name!r} ({', '.join(fixed[name].labels)}); "
                "recode it, add it to the levels, or list it in the config under missing",
                each.rows.iloc[at],
            )


def _people_first(found: list[Answers]) -> list[Answers]:
    return sorted(found, key=_is_people, reverse=True)


def _seen(found: list[Answers]) -> dict[str, list[str]]:
    """Return the distinct labels of each scenario, in order of appearance, people first."""
    seen: dict[str, dict[str, None]] = {}
    for each in _people_first(found):
        for name, label, _ in _firsts(each):
            seen.setdefault(name, {})[label] = None
    return {name: list(labels) for name, labels in seen.items()}


def _sorted(labels: list[str]) -> list[str]:
    numbers = [number for label in labels if (number := as_number(label)) is not None]
    if len(numbers) < len(labels):
        return sorted(labels)
    return [label for _, label in sorted(zip(numbers, labels, strict=True), key=itemgetter(0))]


def _check_spelling(found: list[Answers], free: set[str]) -> None:
    """Raise DataError if the same option seems to be written in two ways."""
    spelling: dict[tuple[str, str], str] = {}
    by_people: set[str] = set()
    for each in _people_first(found):
        labels: dict[str, int] = {}
        for name, label, at in _firsts(each):
            if name not in free:
                continue
            labels.setdefault(label, at)
            first = spelling.setdefault((name, label.casefold()), label)
            if first != label:
                raise each.fault(
                    f"{label!r} and {first!r} differ in capitals only; write an option one way",
                    each.rows.iloc[at],
                )
        if _is_people(each):
            by_people |= set(labels)
        elif labels and by_people.isdisjoint(labels):
            raise each.fault(
                f"simulators answer {_few(labels)}, people {_few(by_people)}: nothing in common; "
                "recode one of them",
                each.rows.iloc[min(labels.values())],
            )


def _few(labels: Iterable[str]) -> str:
    labels = _sorted(list(labels))
    return ", ".join(repr(label) for label in labels[:3]) + (", ..." if len(labels) > 3 else "")


def _completed(
    chosen: dict[str, list[str]], described: pd.DataFrame, kind: str, ordered: bool, origin: str
) -> dict[str, list[str]]:
    """Return the options of each scenario, those that nobody chose too where they can be told."""
    n_options = described.get("n_options")
    everything = _sorted(list({label for labels in chosen.values() for label in labels}))
    numeric = all(as_number(label) is not None for label in everything)
    if kind == "ordinal" and not (numeric or ordered):
        raise DataError(
            f"{origin}: the answers are texts ({_few(everything)}), so their order is unknown; "
            "list them in order in the config, outcome: {kind: ordinal, levels: [...]}"
        )
    completed = {}
    for name, labels in chosen.items():
        d = None if n_options is None or np.isnan(n_options[name]) else int(n_options[name])
        if kind == "binary" and d is None and len(labels) == 1:
            completed[name] = _binary(name, labels, everything, origin)
        elif d is not None:
            completed[name] = _of_number(name, labels, d, kind, origin)
        elif kind == "ordinal" and not ordered and labels != everything:
            unused = next(label for label in everything if label not in labels)
            raise DataError(
                f"{origin}, scenario {name!r}: nobody answered {unused!r} there, so it is not "
                "clear whether it is an option; list all options in order in the config, "
                "outcome.levels, or put n_options or options into the file of scenarios"
            )
        else:
            completed[name] = labels
        if kind == "binary" and len(completed[name]) > 2:
            raise DataError(
                f"{origin}, scenario {name!r}: is declared binary but has the answers "
                f"{_few(labels)}; mend them, or call the kind ordinal or categorical"
            )
        if len(completed[name]) < 2:
            raise DataError(
                f"{origin}, scenario {name!r}: everybody gives the same answer "
                f"{_few(labels)}, so its options are unknown; list them in the config, "
                "outcome.levels, or in the file of scenarios, or drop the scenario"
            )
    return completed


def _binary(name: str, labels: list[str], everything: list[str], origin: str) -> list[str]:
    """Return both options of a scenario in which only one was chosen."""
    for both in (everything, ["0", "1"]):
        if len(both) == 2 and labels[0] in both:
            return both
    raise DataError(
        f"{origin}, scenario {name!r}: everybody answers {labels[0]!r}, so the other option is "
        "unknown; list both in the config, outcome: {kind: binary, levels: [...]}"
    )


def _of_number(name: str, labels: list[str], d: int, kind: str, origin: str) -> list[str]:
    """Return the d options of a scenario in which some may never have been chosen."""
    if len(labels) > d:
        raise DataError(
            f"{origin}, scenario {name!r}: has {len(labels)} different answers "
            f"({_few(labels)}), more than its n_options, {d}; mend one of them"
        )
    for first in (1, 0):
        whole = [str(i) for i in range(first, first + d)]
        if set(labels) <= set(whole):
            return whole
    if len(labels) == d:
        return labels
    if kind == "categorical" and any(as_number(label) is None for label in labels):
        return [*labels, *(f"(never chosen {i})" for i in range(1, d - len(labels) + 1))]
    raise DataError(
        f"{origin}, scenario {name!r}: has n_options {d} but only {len(labels)} different answers "
        f"({_few(labels)}), so the others are unknown; list all in the config, outcome.levels, or "
        "in the column options of the file of scenarios"
    )
