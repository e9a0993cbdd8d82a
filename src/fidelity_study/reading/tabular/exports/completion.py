"""A column that says of each row whether the survey was completed: only complete rows count.

It has a usual name. Where some cells say neither, or where the column may be a question of yes and
no, it is asked about. Rows of models are answers that failed, and stay.
"""

import re

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import cells_of, in_states
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.words import IS_NOT, IS_SO, OF_MODELS

OF_WHAT = "(survey|response|interview|questionnaire|submission|completion|record|case|final|resp"
OF_WHAT += "|participant)?"
STATUS = re.compile(
    rf"{OF_WHAT}(status|state|disp|dispo|dispstatus|disposition|statut|estado|estatus|stato)"
    "|(bearbeitungs|umfrage|interview)status|(response|submission)type"
)
FINISHED = re.compile(r"(is)?(survey|interview|questionnaire)?(finished|beendet)")
MAY_BE_ASKED = re.compile(rf"{OF_WHAT}(is)?(complete|completed|submitted|abgeschlossen|termine)")
COMPLETE = re.compile(
    r"(fully)?(complet\w{0,3}|complète|finished|submitted|qualified|abgeschlossen|beendet"
    r"|vollständig|komplett|terminée?|terminad[oa]|finalizad[oa]|concluíd[oa]|voltooid"
    r"|compleet|volledig|afgerond|ukończon[yae]|zakończon[yae]|kompletn[yae]|завершено?"
    r"|завершён|完了|完成|완료)(interview|survey|response)?"
)
INCOMPLETE = re.compile(
    r"(partial|incomplet|unfinish|not(complet|finish|submit|qualified|start)|disqualif|terminate"
    r"|screen|overquota|quota|inprogress|started|abandon|drop|break|timed?out|expired|suspend|live"
    r"|ineligible|invited|no[nt]?respon|teilweise|unvollst|abgebroch|abbruch|nicht(abgeschl|beendet)"
    r"|quote|inbearbeitung|partiel|exclu|encours|parcial|descalific|desqualific|cuota|encurso"
    r"|emandamento|cota|parzial|squalific|incorso|gedeeltelijk|onvolledig|gediskwal|afgebroken"
    r"|częściow|nieukoń|niezakoń|niekompl|wtoku|przerwan|частич|незаверш|неполн|未完|途中|미완료)"
)


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the complete rows, where a column tells them from others."""
    kinds = [squashed(name) for name in sheet.columns]
    if OF_MODELS & {*kinds}:
        return None
    for place, kind in enumerate(kinds):
        if not any(name.fullmatch(kind) for name in (STATUS, FINISHED, MAY_BE_ASKED)):
            continue
        states = [squashed(text or "") for text in cells_of(sheet, place)]
        in_words = any(COMPLETE.fullmatch(state) for state in states)
        of_words = in_words or STATUS.fullmatch(kind)
        good, bad = (COMPLETE, INCOMPLETE) if of_words else (IS_SO, IS_NOT)
        kept = [bool(good.fullmatch(state)) for state in states]
        left = {state: bool(bad.match(state)) for state in {*states} if not good.fullmatch(state)}
        if not (any(kept) and any(left.values())):
            continue
        may_be_asked = good is IS_SO and bool(MAY_BE_ASKED.fullmatch(kind))
        is_open = may_be_asked or not all(left.values())
        what = f"{sheet.columns[place]!r} says which rows are complete: {sum(kept)} are"
        return in_states(sheet, place, kept, what, is_open=is_open)
    return None
