"""The remedies that faults of files name most."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from fidelity_study.errors import BLANK, Key, Remedy
from fidelity_study.reading.settings import TEXT, VECTOR
from fidelity_study.reading.tabular.columns import plain
from fidelity_study.reading.tabular.doubtful import likely_meaning
from fidelity_study.tables.ingest import EVERY

Likely = Callable[[str], str]

AMONG_LEVELS = Key("outcome.levels")
LEVELS = Remedy({"outcome.levels": BLANK}, is_key=True)
BOUNDS = Remedy({"outcome.bounds": BLANK}, is_key=True)
SCENARIOS = Remedy({"scenarios": BLANK})
UNPARSABLE = Remedy({"unlisted": "unparsable"})
UNLISTED = (
    "if none of such texts is an answer, ",
    UNPARSABLE,
    " counts them all as answers that choose no option (refused: as refusals)",
)
PREDICTED = Remedy({"predict": {}})
TEXTS, VECTORS = (Remedy({"outcome.kind": kind}) for kind in (TEXT, VECTOR))


def in_pandas(line: str) -> str:
    """Return how a table is turned into one that is read."""
    return f"in pandas, `{line}`"


def ignoring(*names: str) -> Remedy:
    """Return that columns are not read."""
    return Remedy({"ignore": list(names)})


def leaving_out(*questions: str) -> Remedy:
    """Return that questions are not compared, which a codebook says."""
    return Remedy({"leave_out": list(questions)})


def unclear(*questions: str) -> Remedy:
    """Return that questions are compared or not, which is nobody's to propose."""
    return Remedy({"a_question_or_none": list(questions)})


def said(texts: Mapping[str, str], *, question: str = "", file: str = "") -> Remedy:
    """Return that a codebook says what texts mean, of all questions and files, or of one."""
    return Remedy({"meanings": {(question, file): dict(texts)}})


def an_option(*labels: str) -> Remedy:
    """Return that texts are options, which a codebook says."""
    return said(dict(zip(labels, labels, strict=True)))


def meanings(texts: Mapping[str, Iterable[str]], likely: Likely = likely_meaning) -> Remedy:
    """Return that a codebook says what texts mean, by question; ``*`` are all."""
    meant = {
        ("" if name == EVERY else name, ""): {text: likely(text) for text in several}
        for name, several in texts.items()
    }
    return Remedy({"meanings": meant})


def no_answer(*labels: str) -> Remedy:
    """Return that cells stand for no answer."""
    return Remedy({"missing": [plain(label) for label in labels]})


def of_columns(*, likely: Sequence[str] = (), **roles: object) -> Remedy:
    """Return which column has a role; of ``likely`` ones the first is offered for ``...``."""
    offered = next(iter(likely), BLANK)
    return Remedy({f"columns.{role}": name for role, name in roles.items()}, likely=offered)


def groups_named(*names: str) -> Remedy:
    """Return the columns of groups to whom questions are put."""
    return Remedy({"groups": list(names)})
