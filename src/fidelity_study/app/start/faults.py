"""Faults of files: as many as can be found at once, each with the options that mend it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from fidelity_study.app.start.files import Files, read
from fidelity_study.app.start.look import Look, answers, labels_of, layout_of, look
from fidelity_study.app.start.request import Request, StudyRequest
from fidelity_study.app.start.scales import in_whole_steps
from fidelity_study.app.start.sources import refuse_no_control, with_key, with_source
from fidelity_study.app.start.summary import of_files
from fidelity_study.errors import BLANK, DataError, Fault, Note
from fidelity_study.reading.codebook.doubts import OF_COLUMNS
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.columns import MOST_STEPS, as_label, as_number
from fidelity_study.reading.tabular.doubtful import codes_of_nothing, is_no_answer
from fidelity_study.reading.tabular.options import in_order
from fidelity_study.reading.tabular.reading_options import BY_KEY

MOST, MOST_TEXTS = 30, 5
LISTS, SPELLINGS = ("ignore", "missing"), "recode"
TAKE_AWAY = ("missing", "missing_in", "totals")
OF_LABELS = (*TAKE_AWAY, "recode", "multiple", "respondent")
FOLLOWING = ("unlisted-without-levels",)


class FaultsError(DataError):
    """Faults, and the options of a request that mend them."""

    def __init__(
        self,
        faults: Iterable[Fault],
        request: StudyRequest,
        seen: tuple[str, ...] = (),
        everybody: Sequence[Answers] = (),
        files: Files | None = None,
    ):
        """Keep all.

        Args:
            faults: what is wrong.
            request: what was asked.
            seen: the different answers, as far as they are known.
            everybody: their answers, as far as they could be read.
            files: with their headers, if these could be read.
        """
        super().__init__(*faults)
        self.request, self.seen = request, seen
        self.everybody, self.files = everybody, files

    def __str__(self) -> str:
        """Return the faults as the user can mend them."""
        return "\n".join(self.request.syntax.together(self.faults))


def understood(request: Request, say: Callable[[Iterable[str]], None]) -> Look:
    """Read the files; where a fault has a remedy, go on with it to find the others.

    Args:
        request: which files, and how to read them.
        say: takes what is said of the files' forms.

    Raises:
        FaultsError: what is wrong. What is found after a fault without a remedy may be its
            consequence, and is not told.
    """
    refuse_no_control(request)
    request = with_source(with_key(request), say)
    arose: list[Fault] = []
    tried, files, is_said = request, None, False
    while True:
        try:
            layout = layout_of(tried)
            files = read(tried, layout)
            if not is_said:
                say(of_files(request, files, layout))
            is_said = True
            known = look(tried, files)
        except DataError as error:
            are_same = all(
                tried[name] == request[name] or name in OF_LABELS for name in tried.options
            )
            clear = _with_clear(error.faults, request, say, are_same=are_same)
            if clear != request:
                tried, arose = (request := clear), []
                continue
            if are_same and OF_COLUMNS.intersection(fault.code for fault in error.faults):
                tried, arose = request, []  # what answers mean is asked of questions only
            more = error.faults
        except Exception:
            if not arose:
                raise
            break  # a remedy that breaks tells nothing more
        else:
            if not arose:
                return known
            break
        fixed = tried.with_fixes([remedy for fault in more for remedy in fault.remedies])
        if fixed == tried:
            arose += [fault for fault in more if not arose or fault.code in FOLLOWING]
            break
        arose += more
        tried = fixed
        if len(arose) >= MOST:
            break
    people, simulated = _answers(tried, files)
    is_silent = tried["unlisted"] is not None
    labels = tuple(labels_of([*people, *([] if is_silent else simulated)]))
    raise FaultsError(arose, request, labels, [*people, *simulated], files)


def _with_clear(
    faults: Iterable[Fault],
    request: Request,
    say: Callable[[Iterable[str]], None],
    *,
    are_same: bool,
) -> Request:
    """Return the request with remedies that are taken unasked, where the user says nothing else.

    Only spellings are where columns were read as remedies propose, so that not all ``are_same``.
    """
    for fault in faults:
        for remedy in (remedy for remedy in fault.remedies if remedy.is_clear):
            fixed = request.with_remedy(remedy.settings)
            is_new = all(
                key == SPELLINGS or (are_same and (key in LISTS or not request[BY_KEY[key].name]))
                for key in remedy.settings
            )
            if is_new and fixed != request:
                texts = remedy.settings.get(SPELLINGS, ())
                where = f"{len(texts)} spellings; see {request.syntax.table.format('labels')}"
                parts = (f"{remedy.why}: ", where if len(texts) > MOST_TEXTS else remedy)
                say([request.syntax.message(Note(fault.code, fault.place, parts))])
                request = fixed
    return request


def levels_of(labels: Sequence[str], *, ordered: bool = False) -> Any:
    """Return the likely options: those that were chosen, and what is between.

    ``...`` where that is the user's to say: the order of words, or words beside numbers.

    Args:
        labels: the different answers.
        ordered: whether the order matters.
    """
    labels = in_order({label for label in labels if not is_no_answer(label)})
    are_numbers = {as_number(label) is not None for label in labels}
    codes = codes_of_nothing(labels) if are_numbers == {True} else []
    labels = [label for label in labels if label not in codes]
    steps = in_whole_steps(labels) if are_numbers == {True} else []
    is_clear = len(are_numbers) == 1 and not (ordered and are_numbers == {False})
    labels = steps or labels
    return labels if is_clear and 2 <= len(labels) <= MOST_STEPS else BLANK


def _answers(request: Request, files: Files | None) -> tuple[list[Answers], list[Answers]]:
    """Return people's answers and those of simulators, none if they cannot be read.

    Codes that the request takes for no answer are answers here: what they take away is told.
    """
    if files is None:
        return [], []
    options = {key: value for key, value in request.options.items() if key not in TAKE_AWAY}
    for plain in (replace(request, options=options), request):
        try:
            layout = layout_of(plain).knowing(map(as_label, map(str, request["missing"] or ())))
            people, simulated = answers(plain, files, layout)
        except Exception:  # also of a remedy that breaks
            continue
        return [people], simulated
    return [], []
