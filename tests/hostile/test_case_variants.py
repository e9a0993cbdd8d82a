"""Files as people export them are read right, or refused with options that settle it.

No option that is offered takes valid answers away without saying how many, merges simulators, or
invents people; none is offered a second time.
"""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pytest
import yaml
from case_variants import HUMAN, KINDS, Truth, Variant, variant
from parameters import quick

from fidelity_study.app.start.command import start
from fidelity_study.app.start.faults import FaultsError, understood
from fidelity_study.app.start.look import Look
from fidelity_study.app.start.request import Request
from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.config.tolerances import tolerance_fault
from fidelity_study.errors import DataError

FIRST, SOME, REST, MOST_ROUNDS = range(1), range(1, 3), range(3, 8), 5
SAME = 1e-6


@dataclass
class Reading:
    """What came of a call of ``start``.

    Attributes:
        look: what was understood, None if it was refused.
        told: all that was said.
        error: the refusal, if there is one.
    """

    look: Look | None = None
    told: list[str] = field(default_factory=list)
    error: FaultsError | None = None


def request(arguments: list[str]) -> Request:
    """Return what the command line asks."""
    options = dict(start.make_context("start", [*arguments]).params)
    human, simulated, _ = (options.pop(name) for name in ("human", "simulated", "out"))
    for name in ("name", "force", "yes"):
        options.pop(name)
    return Request.of(human, simulated, options=options)


def read(arguments: list[str]) -> Reading:
    """Read files as ``start`` does."""
    told: list[str] = []
    try:
        look = understood(request(arguments), told.extend)
    except FaultsError as error:
        return Reading(None, [*told, str(error)], error)
    told += map(str, [*look.notes, *look.responses.notes])
    return Reading(look, told)


def answers(look: Look) -> Truth:
    """Return how often each source gives each answer to each question, or its probability."""
    found = look.responses
    options = {
        row["scenario"]: dict(zip(row["value"], row["option"], strict=True))
        for _, row in found.scenarios.iterrows()
    }
    tables = [found.outcomes, found.stated.rename(columns={"probability": "count"})]
    known: Truth = {}
    for row in pd.concat(tables).itertuples():
        label = options[row.scenario][row.value]
        own = known.setdefault((str(row.scenario), str(row.source)), {})
        own[label] = own.get(label, 0.0) + row.count
    return known


def differences(found: Truth, truth: Truth) -> list[str]:
    """Return how answers differ from the truth, those that nobody gave left out."""
    wrong = []
    for key in {*found, *truth}:
        one, two = (
            {plain(label): n for label, n in table.get(key, {}).items() if n > SAME}
            for table in (found, truth)
        )
        if one.keys() != two.keys() or any(abs(one[x] - two[x]) > SAME for x in one):
            wrong.append(f"{key}: {one}, not {two}")
    return wrong


def plain(label: str) -> str:
    """Return a number's text without a point if it is whole."""
    return f"{float(label):g}" if re.fullmatch(r"-?\d+(\.\d+)?", label) else label


def offered(reading: Reading) -> list[tuple[list[str], str]]:
    """Return the options that a refusal offers, and what it says of each."""
    pairs = reading.error.options if reading.error else []
    return [(shlex.split(option), purpose) for option, purpose in pairs]


def is_open(words: list[str]) -> bool:
    """Return whether an option leaves its value to the user."""
    return any(re.fullmatch(r"[A-Z]{3,}|.*\.\.\..*", word) for word in words)


def wanted(case: Variant, reading: Reading) -> list[str]:
    """Return the options that a user who knows the files takes of those offered."""
    taken = []
    for words, _ in offered(reading):
        for own in map(shlex.split, case.wanted):
            is_own = words[: len(own)] == own or (is_open(words) and words[0] == own[0])
            if is_own and (not is_open(words) or len(own) > 1):
                taken += own if is_open(words) else words
    return taken


def finished(case: Variant, arguments: list[str]) -> Reading:
    """Read files, and take the right ones of the options that are offered."""
    reading = read(arguments)
    for _ in range(MOST_ROUNDS):
        if reading.look is not None or case.refused:
            return reading
        taken = wanted(case, reading)
        if not taken:
            return reading
        arguments = [*arguments, *taken]
        reading = read(arguments)
    return reading


def harm(case: Variant, words: list[str], purpose: str, before: Reading) -> list[str]:
    """Return what is wrong with an option that a refusal offers."""
    after = read([*case.arguments, *words])
    wrong = []
    again = [option for option, _ in offered(after)]
    if words in again:
        wrong.append("is offered again")
    old = {(each.code, each.place) for each in before.error.faults} if before.error else set()
    new = {(each.code, each.place) for each in after.error.faults} if after.error else set()
    if len(old) == 1 and old & new:
        wrong.append("does not settle its fault")
    if after.look is None or case.truth is None:
        return wrong
    found = answers(after.look)
    for (scenario, source), truth in case.truth.items():
        number, whole = sum(found.get((scenario, source), {}).values()), sum(truth.values())
        if source == HUMAN and number > whole + SAME:
            wrong.append(f"invents {number - whole:g} people in {scenario!r}")
        if number < whole - SAME and "removes" not in purpose:
            wrong.append(f"removes {whole - number:g} answers of {source} to {scenario!r}")
    sources = {source for _, source in found} - {source for _, source in case.truth}
    if sources:
        wrong.append(f"makes simulators {sources}")
    return wrong


def write(case: Variant) -> None:
    for path in Path().iterdir():
        path.unlink()
    for name, content in case.files.items():
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        Path(name).write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("kind", quick(KINDS, only=[*KINDS][::3]))
@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(FIRST, id="one"),
        pytest.param(SOME, id="some", marks=pytest.mark.slow),
        pytest.param(REST, id="rest", marks=pytest.mark.release),
    ],
)
def test_files_as_exported_are_read_right_or_refused_with_what_settles_it(here, kind, numbers):
    faults, harms = [], []
    for number in numbers:
        case = variant(kind, number)
        write(case)
        first = read(case.arguments)
        last = finished(case, case.arguments)
        told = "\n".join([*first.told, *last.told])
        words = [*case.told, *case.refused]
        faults += [f"{number}: nothing says {word!r}" for word in words if word not in told]
        if case.refused:
            if first.error is None:
                faults.append(f"{number}: is read")
            continue
        if last.look is None:
            faults.append(f"{number}: refused: {last.error}")
            continue
        if case.truth is not None:
            faults += [f"{number}: {each}" for each in differences(answers(last.look), case.truth)]
        scenarios = last.look.responses.scenarios.set_index("scenario")["option"]
        for name, options in case.options.items():
            if list(scenarios[name]) != options:
                faults.append(f"{number}: {name!r} has {list(scenarios[name])}, not {options}")
        for option, purpose in offered(first):
            if not is_open(option) and shlex.join(option) not in case.others:
                harms += [
                    f"{number}: {option} {each}" for each in harm(case, option, purpose, first)
                ]
    assert not faults, "\n".join(faults[:8])
    assert not harms, "\n".join(harms[:8])


@pytest.mark.parametrize(
    "text", ["010", "030", "0777", "1:30", "1:30:00", "-010", "2:05.5", "0_17"]
)
@pytest.mark.parametrize("key", ["missing: [{}]", "recode: {{{}: 1}}", "target: {{a: {}}}"])
def test_a_number_to_another_base_is_refused(here, text, key):
    Path("config.yaml").write_text(f"datasets:\n  w:\n    {key.format(text)}\n", encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(text)):
        refuse_unreadable(["config.yaml"])
    quoted = key.format(f'"{text}"')
    Path("config.yaml").write_text(f"datasets:\n  w:\n    {quoted}\n", encoding="utf-8")
    refuse_unreadable(["config.yaml"])
    assert yaml.safe_load(Path("config.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("percent", [2, 3, 5, 7.5, 10, 15, 20])
@pytest.mark.parametrize("kind", ["categorical", "binary", "ordinal"])
def test_a_tolerance_in_percent_is_refused(percent, kind):
    assert f"did you mean {percent / 100:g}?" in tolerance_fault("tv", percent, {"kind": kind})
    assert not tolerance_fault("tv", percent / 100, {"kind": kind})
