"""The command ``start``, called in an empty folder of a user's."""

import pytest
from cells import start_with

from fidelity_study.app.start.cells import UNDECIDED


def kept(folder):
    """Return the files of a folder but those of codebooks, which are drafted to be decided."""
    return sorted(path for path in folder.rglob("*") if "_codebook" not in str(path))


@pytest.fixture
def start(here, capsys):
    """Write files, start a study from them, return what is printed; check the exit status.

    Status 1 is a refusal; its faults may all be a matter of cells that are to be decided. Arguments
    such as ``columns.csv: age: ignore`` are cells that are changed before the last call.
    """

    def started(files, *arguments, status=0):
        for name, text in files.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(text, encoding="utf-8")
        before = kept(here)
        ended = start_with([*map(str, arguments)])
        assert ended in ((status, UNDECIDED) if status == 1 else (status,))
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        if status:
            assert kept(here) == before
            assert told.err
            return told.err
        return told.out

    return started
