"""The command ``start``, called in an empty folder of a user's."""

import pytest

from fidelity_study.__main__ import main


@pytest.fixture
def start(here, capsys):
    """Write files, start a study from them, return what is printed; check the exit status."""

    def started(files, *arguments, status=0):
        for name, text in files.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(text, encoding="utf-8")
        before = sorted(here.rglob("*"))
        assert main(["start", *map(str, arguments)]) == status
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        if status:
            assert sorted(here.rglob("*")) == before
            assert told.err
            return told.err
        return told.out

    return started
