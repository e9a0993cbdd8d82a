"""Exports with random changes are read as pandas counts them, or refused, or told in quotes.

``python tests/hostile/test_export_mutations.py 600`` judges more of them and prints the numbers.
"""

import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import chdir
from pathlib import Path

import pytest
from export_mutations import Export, Truth, study
from parameters import quick
from test_case_variants import answers, differences, read

from fidelity_study.app.start.summary import of_look

SEED, FEW, SECONDS = 20_261, 24, 30
REFUSED, EQUAL, TOLD = "refused", "equal to pandas", "told in notes"
MISREAD, CRASHED, SLOW, UNREAD = "misread silently", "traceback", "slow", "sound, but refused"
WRONG = (MISREAD, CRASHED, SLOW, UNREAD)


def judged(case: Export) -> tuple[str, str]:
    """Write and read a study in this folder; return what comes of it."""
    for path in Path().iterdir():
        path.unlink()
    for name, content in case.files.items():
        Path(name).write_bytes(content)
    begun = time.monotonic()
    try:
        reading = read(case.arguments)
    except Exception:
        return CRASHED, traceback.format_exc(limit=-3)
    if time.monotonic() - begun > SECONDS:
        return SLOW, ""
    if reading.look is None:
        is_unread = case.is_sound and not reading.error.options
        return (UNREAD if is_unread else REFUSED), str(reading.error)
    found = answers(reading.look)
    wrong = differences(found, case.truth)
    if not wrong:
        return EQUAL, ""
    said = "\n".join([*reading.told, *of_look(reading.look)])
    is_told = all(tells(said, key, found, case.truth) for key in {*found, *case.truth})
    return (TOLD if is_told else MISREAD), "; ".join(wrong[:3])


def tells(said: str, key: tuple[str, str], found: Truth, truth: Truth) -> bool:
    """Return whether what is said names the question, source or answers that differ from pandas."""
    one, two = ({str(k): n for k, n in t.get(key, {}).items()} for t in (found, truth))
    if not differences({key: one}, {key: two}):
        return True
    labels = [label for label in {*one, *two} if (label in one) != (label in two)]
    is_new = all(source != key[1] for _, source in truth)
    names = [repr(key[0]), *map(repr, labels), *([f"simulator {key[1]}:"] if is_new else [])]
    return any(name in said for name in names)


@pytest.mark.parametrize("number", quick(range(FEW), only=range(0, FEW, 2)))
def test_an_export_is_read_as_pandas_counts_it_or_refused(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = study(number, SEED)
    kind, text = judged(case)
    assert kind not in WRONG, f"{number}: {case.what}: {text}"


def main(many: int, seed: int) -> None:
    """Judge many studies and print what came of them."""
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for number in range(many):
            case = study(number, seed)
            kind, text = judged(case)
            kinds[kind] += 1
            if kind in WRONG:
                print(f"{number}: {case.what}: {kind}: {text[-700:]}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else SEED)
