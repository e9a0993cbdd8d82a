"""Google Forms: a time stamp, perhaps an e-mail address, and a column for each question."""

import re

from fidelity_study.reading.tabular.columns import squashed
from fidelity_study.reading.tabular.exports.table import Table, bracketed, cells_of, matrices
from fidelity_study.reading.tabular.files import Sheet

STAMP = {"timestamp", "zeitstempel", "horodateur", "marcatemporal", "informazionicronologiche"}
STAMP |= {"carimbodedatahora", "tijdstempel", "\u0432\u0440\u0435\u043c\u044f"}
PERSONAL = {"emailaddress", "username", "emailadresse", "nomdutilisateur", "adressemail", "email"}
PERSONAL |= {"direcci\u00f3ndecorreoelectr\u00f3nico", "indirizzoemail", "endere\u00e7odeemail"}
TIME = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d\d:\d\d.*")
LOOKED_AT = 20


def recognised(sheet: Sheet) -> Sheet | None:
    """Return the questions of an export of Google Forms."""
    kinds = [squashed(name) for name in sheet.columns]
    if kinds[0] not in STAMP:
        return None
    stamps = cells_of(sheet, 0, LOOKED_AT)
    if not stamps or not all(TIME.fullmatch((text or "").strip()) for text in stamps):
        return None
    places = [place for place in range(1, len(kinds)) if kinds[place] not in PERSONAL]
    what = f"an export of Google Forms: {len(places)} questions"
    names = [sheet.columns[place] for place in places]
    topics = matrices(bracketed(names))
    return Table(sheet, places, questions=names, topics=topics).sheet(what) if places else None
