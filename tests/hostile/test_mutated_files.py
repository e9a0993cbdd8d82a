"""No file of a user is misread silently.

Valid files, however they are spelled, give exactly the true tables, and no note. Damaged ones are
refused with one short message, or give the true tables, or notes name in quotes what makes the
tables others: the label, the column, the scenario or the simulator.

A failure begins with the number of the study. ``mutated(number, SEED)[2].write(folder)`` writes
its files and returns the params of the ingest step; ``variant(number, SEED)[1]`` is for valid ones.
"""

import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from mutated_files import DAMAGES, mutated
from survey_files import Study, variant
from true_survey import differences, tables_of

from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.assemble import responses

SEED = 20_260
VARIANTS, MUTATED, AT_ONCE = 99, 99, 33
SECONDS, LONGEST_MESSAGE = 10, 600
REFUSED, AS_MEANT, TOLD, MISREAD = "refused", "accepted as meant", "told in notes", "misread"

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Outcome:
    """What came of a study: one of the four above, and what there is to say about it."""

    kind: str
    text: str = ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("files")
        patch.chdir(folder)
        yield folder


def read(given: Study) -> Outcome:
    """Return what comes of a study; notes count if they have a word of each damage."""
    for path in Path().iterdir():
        path.unlink()
    step = given.write(Path())
    start = time.perf_counter()
    try:
        found = responses(step)
    except DataError as error:
        faults = unlike_a_message(str(error), given)
        return Outcome(MISREAD if faults else REFUSED, f"{error} {faults}".strip())
    except Exception as error:
        return Outcome(MISREAD, f"{type(error).__name__}: {error}")
    if time.perf_counter() - start > SECONDS:
        return Outcome(MISREAD, f"takes more than {SECONDS} s")
    wrong = differences(given.true, tables_of(found, given.survey.ordered))
    if not wrong:
        return Outcome(AS_MEANT, "\n".join(map(str, found.notes)))
    if tells(list(map(str, found.notes)), given.words):
        return Outcome(TOLD, "\n".join(map(str, found.notes)))
    return Outcome(MISREAD, f"{len(wrong)} differences: {'; '.join(wrong[:3])}")


def unlike_a_message(message: str, given: Study) -> str:
    """Say what is wrong with a message; nothing if it is short and names a file."""
    faults = []
    if not any(name in message for name in given.files().values()):
        faults.append("names no file")
    if "Traceback" in message:
        faults.append("has a traceback")
    if max(map(len, message.splitlines())) > LONGEST_MESSAGE:
        faults.append(f"has {len(message)} characters")
    return ", ".join(faults)


def tells(notes, words: list[str]) -> bool:
    """Return whether a note has one of the words in quotes."""
    quoted = [f"{mark}{word}{mark}" for word in words for mark in "'\"`"]
    quoted += [repr(word) for word in words]
    return any(each in note for note in notes for each in quoted)


@cache
def judged(number: int) -> Outcome:
    """Return what came of a damaged study."""
    name, _, given = mutated(number, SEED)
    outcome = read(given)
    return Outcome(outcome.kind, f"{number} ({name}): {outcome.text}")


def chunks(size: int) -> list[range]:
    return [range(start, start + AT_ONCE) for start in range(0, size, AT_ONCE)]


@pytest.mark.parametrize("numbers", chunks(VARIANTS), ids=str)
def test_valid_files_give_the_true_tables_and_no_note(folder, numbers):
    wrong = []
    for number in numbers:
        what, given = variant(number, SEED)
        outcome = read(given)
        if outcome.kind != AS_MEANT or outcome.text:
            wrong.append(f"{number} ({what}) is {outcome.kind}: {outcome.text}")
    assert not wrong, "\n".join(["", *wrong])


@pytest.mark.parametrize("numbers", chunks(MUTATED), ids=str)
def test_no_damaged_file_is_misread_silently(folder, numbers):
    misread = [each.text for number in numbers if (each := judged(number)).kind == MISREAD]
    assert not misread, "\n".join(["", *misread])


def test_damaged_files_by_outcome(folder):
    kinds = Counter(judged(number).kind for number in range(MUTATED))
    names = ", ".join(f"{kinds[kind]} {kind}" for kind in (REFUSED, AS_MEANT, TOLD, MISREAD))
    print(f"\n{MUTATED} mutated files: {names}")
    assert kinds[REFUSED] > MUTATED / 3
    assert kinds[AS_MEANT] > 0


def test_every_damage_is_done_to_files_that_are_sound(folder):
    assert len(DAMAGES) <= MUTATED
    for number, damage in enumerate(DAMAGES):
        name, sound, given = mutated(number, SEED)
        assert name == damage.name
        assert read(sound).kind == AS_MEANT, name
        again = mutated(number, SEED)[2]
        assert (again.files(), again.settings) == (given.files(), given.settings)
