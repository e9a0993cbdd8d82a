"""The fixture ``fidelity_study`` for pytest: a test that passes if a simulator is close enough.

It imports nothing of the study until a test uses it.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

OPTION, INI = "--fidelity-study", "fidelity_study"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option, and the same as a line of the configuration file."""
    text = "Folder of results of a finished study, which the fixture fidelity_study checks."
    parser.getgroup("fidelity-curves").addoption(OPTION, metavar="FOLDER", help=text)
    parser.addini(INI, text)


@dataclass(frozen=True)
class FinishedStudy:
    """A finished study.

    Attributes:
        results: its folder of results.
    """

    results: Path

    def check(self, *, undecided: str = "fail", **conditions) -> None:
        """Let the test pass if every condition is shown to hold, and fail if not.

        Args:
            undecided: what happens where a condition cannot be told: ``fail`` or ``skip``.
            conditions: as of the command ``check``: ``mean_at_most``, ``within`` (a share),
                ``closer_than``, ``dataset``, ``simulator``, ``discrepancy``, ``tolerance``.
        """
        from fidelity_study.app.run.check import OPEN, Conditions, check, lines, status_of
        from fidelity_study.errors import DataError
        from fidelity_study.verdict_file import Verdict

        if undecided not in ("fail", "skip"):
            raise ValueError(f"undecided is 'fail' or 'skip', not {undecided!r}")
        try:
            findings = check(Verdict.read(self.results), Conditions(**conditions))
        except DataError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        status, text = status_of(findings), "\n".join(lines(findings))
        if status == OPEN and undecided == "skip":
            pytest.skip(text)
        if status:
            pytest.fail(text, pytrace=False)

    def of(self, results: str | Path) -> "FinishedStudy":
        """Return another study, by its folder of results."""
        return FinishedStudy(Path(results))


@pytest.fixture(scope="session")
def fidelity_study(request: pytest.FixtureRequest) -> FinishedStudy:
    """The study that the option or the configuration file names; the current folder's by default.

    A path in the configuration file is seen from there.
    """
    config = request.config
    if named := config.getoption(OPTION):
        return FinishedStudy(Path(named))
    return FinishedStudy(config.rootpath / (config.getini(INI) or "results"))
