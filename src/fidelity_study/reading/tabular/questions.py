"""The columns of a wide file that are questions: by the config's patterns, or all without a role.

Without patterns, some columns are refused until the config names them: a column that looks like an
id, a weight or a fact about people. It may do so by its name, by its cells, or because no simulator
answers it.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Set
from itertools import chain
from pathlib import Path
from types import EllipsisType

import numpy as np
import pandas as pd
from scipy.special import gammaln

from fidelity_study.errors import BLANK, DataError, ErrorList, Part, Remedy, fault, refusal
from fidelity_study.reading.settings import questions_of
from fidelity_study.reading.tabular.answers import Answers, is_people
from fidelity_study.reading.tabular.columns import (
    COMMA,
    Cells,
    as_number,
    first_part,
    key_within,
    squashed,
)
from fidelity_study.reading.tabular.doubtful import DATE, MARKS, NOT_MARKS, is_no_answer
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.layout import Layout, listed, values_of
from fidelity_study.reading.tabular.reading import common_start, fits
from fidelity_study.reading.tabular.remedies import groups_named, ignoring, of_columns
from fidelity_study.reading.tabular.respondents import begin_anew
from fidelity_study.reading.tabular.shown import MOST_SHOWN, meant, shown
from fidelity_study.reading.tabular.unread import (
    COUNTS,
    SHARES,
    expands,
    is_weight,
    refuse_forecasts,
)
from fidelity_study.reading.tabular.words import CONTROL, COUNTRIES, FIRST, MODEL, WAVE_LIKE

PERSONS = {"id", "ids", "uuid", "identifier", "index", "serial", "respondent", "participant", "pid"}
PERSONS |= {"twin", "pessoa", "persoon", "osoba", "personne", "pidp", "xwaveid", "idauniq"}
PERSONS |= {"mergeid", "idpers", "hhidpn", "pnr", "psid", "caseid", "userid", "workerid"}
PERSONS |= {"sessionid", "responseid", "user", "respid", "respondentid", "participantid", "subject"}
PERSONS |= {"subjectid", "personid", "person", "hhid", "recordid", "panelist", "panelistid", "resp"}
PERSONS |= {"persnr", "befragter", "idnr", "nr", "idno", "idnum", "lfdn", "lfdnr", "teilnehmer"}
PERSONS |= {"participante", "lopnr", "löpnr", "lopenr", "løpenr", "lbnr", "encuestado"}
PERSONS |= {"entrevistado", "répondant", "rispondente", "intervistato", "respondente", "deelnemer"}
PERSONS |= {"uczestnik", "katilimci", "katılımcı", "респондент", "参加者", "回答者", "被験者"}
PERSONS |= {"序号", "编号", "受访者", "被试", "응답자", "참가자"}
PLACES = {"region", "state", "country", "county", "city", "zip", "zipcode", "postcode", "ip"}
PLACES |= {"latitude", "longitude", "ipaddress", "land", "bundesland", "pays", "provincia", "pais"}
PLACES |= {"kraj", "regione", "provincie", "plz", "kreis", "canton", "kanton", "departement"}
PLACES |= {"commune", "comune", "municipio", "comunidad", "localidad", "distrito", "wojewodztwo"}
PLACES |= {"location", "standort", "email", "cntry", "ctry", "ctr", "nuts", "estado", "town"}
PLACES |= {"village", "street", "postal", "stadt", "wohnort", "ort", "ville", "ciudad", "cidade"}
PLACES |= {"lat", "lon", "lng", "gps"}
FACTS = {"age", "birthyear", "yob", "dob", "born", "birth", "sex", "gender", "male", "female"}
FACTS |= {"race", "ethnicity", "ethnic", "hispanic", "education", "educ", "edu", "degree", "income"}
FACTS |= {"language", "marital", "married", "nationality", "occupation", "employment", "urban"}
FACTS |= {"date", "time", "timestamp", "duration", "year", "month", "interviewer", "comment"}
FACTS |= {"comments", "notes", "device", "browser", "progress", "finished", "consent", "startdate"}
FACTS |= {"enddate", "recordeddate", "persona", "temperature", "seed", "prompt", "tokens", "rt"}
FACTS |= {"latency", "rep", "replicate", "replication", "iteration", "draw", "lauf", "mode"}
FACTS |= {"source", "agent", "provider", "system", "geschlecht", "alter", "jahr", "sexe", "sexo"}
FACTS |= {"edad", "genero", "eta", "naissance", "annee", "plec", "wiek", "rok", "sesso", "idade"}
FACTS |= {"leeftijd", "geslacht", "bildung", "schulabschluss", "beruf", "einkommen", "gndr", "agea"}
FACTS |= {"yrbrn", "yrbirth", "eisced", "edulvla", "eduyrs", "hinctnta", "domicil", "marsts"}
FACTS |= {"emplrel", "ctzcntr", "brncntr", "hhmmb", "isco", "mnactic", "urbrural", "hompop"}
FACTS |= {"wrkst", "wrkstat", "inc", "realinc", "conrinc", "cohort", "ur", "etid", "ocupoit"}
FACTS |= {"gebjahr", "gebmonat", "famstand", "pgfamstd", "isced", "estciv", "ocupacion"}
FACTS |= {"escolaridad", "escolaridade", "renda", "ingreso", "ingresos", "diplome", "profession"}
FACTS |= {"wyksztalcenie", "department", "dept", "division", "team", "tenure", "seniority"}
FACTS |= {"faculty", "office", "abteilung", "departamento", "jobtitle", "userlanguage", "lang"}
FACTS |= {"sprache", "langue", "idioma", "lingua", "run", "profil", "perfil", "cinsiyet", "yaş"}
FACTS |= {"yas", "年齢", "性別"} | PLACES
VERSIONS = {"ballot", "form", "split", "version", "arm", "condition", "treatment", "group"}
VERSIONS |= WAVE_LIKE | {"variant", "cell"}
COUNTRY = re.compile(rf"({'|'.join(COUNTRIES)})\b(?! (of|de|di)\b)")
"""How the label of a column of countries begins, but for those of birth."""
TIMES_TAKEN = {"time", "times", "duration", "latency", "seconds", "zeit", "dauer", "duree", "durée"}
TIMES_TAKEN |= {"tiempo", "tempo", "durata", "duración"}
SETTINGS = {"prompt", "temperature", "temp", "version", "variant", "setting", "engine"}
MEASURED = {"token", "tokens", "usage", "cost", "length", "chars", "count", "ms", "request"}
MEASURED |= {"costs", "price", "prices", "usd", "eur", "euro", "euros", "gbp", "dollars", "cents"}
BESIDE = {"in", "ms", "sec", "secs", "min", "minutes", "seconds", "years", "yrs"}
BESIDE |= {"taken", "group", "grp", "level", "cat", "category", "start"}
BESIDE |= {"end", "recorded", "address", "case", "session", "worker", "response", "survey"}
BESIDE |= {"household", "interview", "status", "recipient", "user", "of", "the", "no", "nr"}
BESIDE |= {"number", "num", "sys", "prolific", "mturk", "panel", "external", "random", "anon"}
BESIDE |= {"usage", "completion", "input", "output", "total", "public", "private"}
BESIDE |= {"message", "experiment", "experimental", "assigned", "assignment"}
BESIDE |= {"h", "hid", "hidden", "concept", "shown", "band", "bracket", "range"}
OF_DESIGN = {
    "strata": {
        *("strata", "stratum", "strat", "stratumid", "vstrat", "vstrata", "sdmvstra", "stratify"),
        *("anesstratum", "estrato", "estratos", "estratopri", "schicht", "schichtung", "strate"),
        *("strates", "strato", "strati", "warstwa", "ststr", "estdis"),
    },
    "psu": {
        *("psu", "psus", "psuid", "vpsu", "sdmvpsu", "primarysamplingunit", "clusterid", "upm"),
        *("upms", "usm", "upe", "conglomerado", "aglomerado", "klumpen", "samplepoint"),
        *("samplingpoint", "grappe", "grappolo", "klaster", "upmdis"),
    },
}
SAMPLING = "sampl|design|variance|stichprobe|muestr|dise\u00f1o|sondage"
STRATUM = r"strat(um|a\b|ific)|schicht|estrato"
LABELS_OF_DESIGN = {
    "strata": re.compile(rf"({SAMPLING}).*({STRATUM})|({STRATUM}).*({SAMPLING})", re.IGNORECASE),
    "psu": re.compile(
        r"\bpsu\b|primary sampling|sampling (error )?(unit|cluster|point)|unidad primaria",
        re.IGNORECASE,
    ),
}
PERSONAL = {"ip", "ipaddress", "email", "emailaddress", "mail", "recipientemail", "firstname"}
PERSONAL |= {"lastname", "surname", "fullname", "recipientfirstname", "recipientlastname", "phone"}
PERSONAL |= {"phonenumber", "latitude", "longitude", "locationlatitude", "locationlongitude"}
PERSONAL |= {"telephone", "mobile", "urn", "urnvalue"}
SEXES = {"male", "female", "m", "f", "w", "man", "woman", "men", "women", "mann", "frau", "divers"}
SEXES |= {"männlich", "weiblich", "homme", "femme", "hombre", "mujer", "masculino", "femenino"}
SEXES |= {"feminino", "kobieta", "mężczyzna", "uomo", "donna", "vrouw", "non-binary"}
BODY = re.compile(r"\bkg\b|kilo|pound|\blbs?\b|body|birth|k\u00f6rper|corp|\bbaby|child|kind")
PARTIAL = re.compile(
    r"be combined|combined? with|^(design|base|selection|population)\b|^[dp]weight", re.IGNORECASE
)
ANALYSIS = re.compile(r"anweight|analy[st]|combi|final", re.IGNORECASE)
FINAL = re.compile(r"psp?w|post|full|rake|raking|calib|total", re.IGNORECASE)
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[\u3040-\u9fff\uac00-\ud7a3])(?=[A-Za-z])")
WORD = re.compile(r"[^\W\d_]+")
PART = re.compile(r"[^\W\d_]*\d+|[^\W\d_]+")
PRODUCT = re.compile(rf"{MODEL.pattern}|[^\W\d].*\d\.\d", re.IGNORECASE)
FACTS_ASKED = FACTS | {"old", "live", "alt", "wohnen", "identify"}
ASKING = {"what", "which", "where", "when", "how", "is", "are", "were", "do", "you", "your", "the"}
ASKING |= {"a", "of", "in", "or", "to", "please", "select", "indicate", "enter", "tell", "us"}
ASKING |= {"best", "describes", "group", "wie", "wo", "sind", "sie", "ihr"}
CHECK = re.compile(
    r"(q\d*)?((attn|attention|att)(check|chk|test|filter|trap|item|pass|fail|ed)+|attn|imc"
    r"|instructedresponse"
    r"|(trap|bogus|catch)(question|item|trial)|aufmerksamkeits?(check|test|frage))\d*[a-c]?"
)
WANTED = re.compile(
    r"\b(?:please|bitte)\b[^.?!]*?\b(?:select|choose|click|mark|pick|tick|answer|w\u00e4hlen)\b"
    r"(?: (?:on|with|sie|the|die|option|answer|response|number|antwort|zahl))*[^\w.?!]*([^.?!]*)"
)
MANY, TIMES, MOST, FEW = 20, 4, 0.5, 2
PROSE = "prose"
SENTENCES = re.compile(r"(\S+\s+){7,}\S*[.!?\u2026]|.{25,}[\u3002\uff01\uff1f]", re.DOTALL)
AMOUNT = re.compile(r"\d+ (\w{3})")
FEWEST_PERSONAS = 5
BY_CHANCE, LEAST_EQUAL = 1e-4, 5
BY_DESIGN = 10  # so many pairs of rows would be alike by chance
LOOKED_AT = 5_000


def asked(sheet: Sheet, layout: Layout, aside: Container[str | None]) -> list[str]:
    """Return the columns of a wide file that are questions; raise DataError if none is left."""
    left = [name for name in sheet.columns if name not in aside]
    if layout.questions is not None:
        left = [name for name in left if layout.asks(name, sheet.columns)]
    elif sheet.questions is not None:
        sure = layout.coded.get("columns", ())
        left = [name for name in left if name in sheet.questions or name in sure]
    if not left:
        raise sheet.fault(
            "no-questions",
            "no column is left that could be a question; see ignore and questions"
            f"; there are: {listed(sheet)}",
        )
    return left


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name is one of these, where * stands for any signs."""
    return any(fits(name, pattern) for pattern in patterns)


def check_patterns(layout: Layout, sheets: list[Sheet], dataset: str) -> None:
    """Raise DataError if a pattern of ``questions`` fits no column of a wide file."""
    if layout.questions is None:
        return
    place = f"datasets.{dataset}.questions"
    wide = [sheet for sheet in sheets if layout.form_of(sheet) == "wide"]
    described = [pattern for pattern in layout.questions if Path(pattern).is_file()]
    if described:
        problem = "names columns, and this is a file; take it out, and put "
        raise refusal("no-such-column", problem, Remedy({"scenarios": described[0]}), key=place)
    if not wide:
        problem = "names columns of wide files, and no file is wide; take it out, or put "
        raise refusal("no-wide-file", problem, Remedy({"form": "wide"}), key=place)
    columns = (sheet.columns for sheet in wide)
    names = list(dict.fromkeys(chain(*columns, layout.names_of.values())))
    faults = []
    for pattern in layout.questions:
        if not any(fits(name, pattern) for name in names):
            hint = meant(pattern, names, f"there are: {listed(wide[0])}")
            faults.append(fault("no-such-column", f"no column fits {pattern!r}; {hint}", key=place))
    if faults:
        raise DataError(*faults)


def doubts(sheet: Sheet, names: list[str]) -> dict[str, str]:
    """Return the columns of a wide file that may be no questions, each with its likely meaning."""
    by_name = _by_name(sheet, names)
    return {**_by_cells(sheet, names, by_name), **by_name}


def names_persons(name: str) -> bool:
    """Return whether a column's name is a usual one of those that name persons; not ``pid3``."""
    if re.search(r"[^\W\d_]\d+$", name):
        return False
    words = {word.casefold() for word in WORD.findall(CAMEL.sub(" ", name).replace("_", " "))}
    return bool(words & PERSONS) and words <= PERSONS | BESIDE | {"persona"}


def is_personal(name: str) -> bool:
    """Return whether a column's name says that it tells who somebody is, or where."""
    return squashed(name) in PERSONAL


def is_place(name: str) -> bool:
    """Return whether a word of a column's name is one of places, or of addresses.

    >>> is_place("State/Region"), is_place("IP Address"), is_place("geoip_city"), is_place("trust")
    (True, True, True, False)
    """
    return not PLACES.isdisjoint(WORD.findall(CAMEL.sub(" ", name).casefold().replace("_", " ")))


def _is_time(name: str) -> bool:
    """Return whether a word of a column's name is one of times, as in ``TIME_RSI``: no weight."""
    words = {*WORD.findall(CAMEL.sub(" ", name).casefold().replace("_", " "))}
    return bool(words & TIMES_TAKEN) and not is_weight(name)


def as_condition(sheet: Sheet, name: str) -> str:
    """Return the words that a column's values are those of an experiment; empty if not so."""
    usual = filter(CONTROL.match, values_of(sheet, [name])[name])
    words = ", with {!r} as in an experiment, whose effects the use condition compares"
    return next(map(words.format, usual), "")


def as_wave(name: str, person: str) -> tuple[Part, ...]:
    """Return the words that each person answers once in each value of a column; none without."""
    wave = Remedy({"wave": name, "columns.respondent": person})
    return (f"; each of {person!r} answers once in each; if so, put ", wave) if person else ()


def named_in_wave(
    sheet: Sheet,
    name: str,
    scenario: Collection[str],
    named: str | None,
    likely: Iterable[str] = (),
) -> str:
    """Return the column of those who answer once in each value of another; empty if none does.

    Its name is a usual one of persons, or it has many values that stand once there not by chance.

    Args:
        sheet: people's file.
        name: the other column.
        scenario: the column of questions, where a row is an answer.
        named: the column that names persons, where it is known.
        likely: those that may do so; none for all.
    """
    if not scenario and not sheet.columns[2:]:  # no question would be left
        return ""
    others = [named] if named else [*likely] or sheet.columns
    others = [other for other in others if other not in (name, *scenario)]
    cells = values_of(sheet, others)
    waves = sheet.frame([name])[name].value_counts(normalize=True)
    for person in sorted(others, key=lambda other: not names_persons(other)):
        is_usual = person == named or names_persons(person)
        are_few = len(cells[person]) <= MANY or any((as_number(t) or 0) % 1 for t in cells[person])
        rows = sheet.frame([person, *scenario, name]).dropna()
        if not is_usual and (are_few or 2 * len(rows) < len(cells[person]) * len(waves)):
            continue
        of_each = rows.groupby([person, *scenario]).size()
        expected = (of_each * (of_each - 1) / 2).sum() * (waves**2).sum()
        is_wave = expected > (0 if is_usual else BY_DESIGN) and not rows.duplicated().any()
        if is_wave and not begin_anew(sheet, person, name):
            return person
    return ""


def checks_attention(name: str, wording: str, options: Iterable[str] | None) -> bool:
    """Return whether a question is a check of attention, as its name says, or its wording.

    Such a wording asks for one of its options, and names no other.

    >>> checks_attention("player.attn", "", None), checks_attention("pol_attn", "", None)
    (True, False)
    >>> steps = ["1", "2", "Agree", "Strongly agree"]
    >>> checks_attention("q7", "To show that you read this, please select 'Strongly agree'.", steps)
    True
    >>> checks_attention("q8", "Please select 1 or 2.", steps)
    False
    """
    if CHECK.fullmatch(squashed(key_within(name))):
        return True
    asked = WANTED.search(wording.casefold())
    texts = sorted((text.casefold() for text in options or ()), key=len, reverse=True)
    if not (asked and texts):
        return False
    any_of = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, texts))})(?!\w)")
    return any_of.match(asked[1]) is not None and len({*any_of.findall(asked[1])}) == 1


def refuse_attention_checks(sheet: Sheet, scenarios: pd.DataFrame, layout: Layout) -> None:
    """Raise DataError if some questions are checks of attention, and nobody says what to do.

    Args:
        sheet: people's file.
        scenarios: the questions, with their wording and options as far as they are known.
        layout: names those that users decided on.
    """
    said = (layout.coded.get("questions", ()), layout.coded.get("columns", ()))
    sure, names = {*chain(*said, layout.questions or ())}, scenarios["scenario"].astype(str)
    texts = scenarios.reindex(columns=["question", "option"]).astype(object)
    rows = zip(questions_of(names, layout.groups), *map(texts.get, texts), strict=True)
    checks = {name: checks_attention(name, str(text), options) for name, text, options in rows}
    open_ones = [name for name in checks if checks[name] and name not in sure]
    if 0 < len(open_ones) < len(checks):
        what = f"{shown(open_ones)}: by name or wording a check of attention, with a right answer"
        raise sheet.fault("attention-checks", what, also=[Remedy({"leave_out": open_ones})])


def asks_of_facts(wording: str) -> bool:
    """Return whether all words of a question ask for a fact about the person.

    >>> asks_of_facts("Are you..."), asks_of_facts("In which region do you live?")
    (True, True)
    >>> asks_of_facts("Are you happy?"), asks_of_facts("How important is your age to you?")
    (False, False)
    """
    words = {*WORD.findall(wording.casefold())}
    return words == {"are", "you"} or bool(words & FACTS_ASKED and words <= FACTS_ASKED | ASKING)


def is_fact(name: str) -> bool:
    """Return whether a column's name is a usual one of facts about a person."""
    return kind_by_name(name) == "fact"


def is_setting(name: str) -> bool:
    """Return whether a column's name says how a model was asked, as ``prompt_version`` does.

    What was counted or measured of a request, such as ``prompt_tokens``, was no setting.
    """
    words = {*WORD.findall(CAMEL.sub(" ", name).casefold())}
    return bool(words & SETTINGS) and not is_measured(name)


def is_measured(name: str) -> bool:
    """Return whether a column's name says what a request cost, or how long it was or took."""
    words = {*WORD.findall(CAMEL.sub(" ", name).casefold())}
    return bool(words & (MEASURED | TIMES_TAKEN))


def refuse_unread_weights(sheet: Sheet, names: Iterable[str]) -> None:
    """Raise DataError if a column with a usual name of weights would not be read."""
    if unread := [name for name, why in _by_name(sheet, names).items() if why == "weight"]:
        raise sheet.fault(
            "unread-weight",
            f"{shown(unread)}: the name suggests people's weights, but it is not used; put ",
            of_columns(weight=unread[0]),
            ", or ",
            ignoring(*unread),
        )


def _of_design(people: Answers, described: Set[str], layout: Layout) -> dict[str, list[str]]:
    """Return the columns with a usual name or label of strata or PSUs that are not read, by key."""
    design = layout.design
    if design is not None and design.replicate_weights:
        return {}
    asked = people.questions if people.doubts is not None else ()
    names = [*people.unread, *(name for name in asked if name not in described)]
    names = [name for name in names if name in people.sheet.columns]  # no options of a cell
    words = {name: re.split(r"[^a-z]+", name.casefold()) for name in names}
    labels = {name: entry.wording or "" for name, entry in people.sheet.about(names).items()}
    several: dict[str, list[str]] = {}
    for name in names:
        usual, label = {"".join(words[name]), words[name][-1]}, labels.get(name, "")
        for key, pattern in {} if is_weight(label) else LABELS_OF_DESIGN.items():
            is_read = design is not None and f"design.{key}" in design.named
            if not is_read and (usual & OF_DESIGN[key] or pattern.search(label)):
                several.setdefault(key, []).append(name)
    return several


def _refuse_unread_design(sheet: Sheet, unread: Mapping[str, list[str]], layout: Layout) -> None:
    """Raise DataError if there are such columns; of several of one key the last is proposed."""
    if unread:
        settings: dict = layout.design.named if layout.design else {}
        settings |= {f"design.{key}": some[-1] for key, some in unread.items()}
        names = [*dict.fromkeys(chain(*unread.values()))]
        spare = [name for name in names if name not in settings.values()]
        settings |= {"ignore": spare} if spare else {}
        raise sheet.fault(
            "unread-design",
            f"{shown(names)}: the name or label suggests a sampling design, but it is not used, "
            "and people would count as a simple random sample; put ",
            Remedy(settings),
            " (or ",
            Remedy({**settings, "design.nested": True}),
            " if PSU numbers begin anew in each stratum), or ",
            ignoring(*names),
        )


def kind_by_name(name: str) -> str:
    """Return what a column is by its name alone, of those that may be no question; else ``""``.

    >>> kind_by_name("player.age"), kind_by_name("trust")
    ('fact', '')
    """
    name = name if " " in name else name.rpartition(".")[2]
    if is_weight(name) and not re.match(r"(?!w\d+_)[a-z]{1,3}\d", name.casefold()):  # w2: a wave
        return "weight"
    if re.search(r"\d", name):
        return ""
    words = {word.casefold() for word in WORD.findall(CAMEL.sub(" ", name))}
    for kind, what in (
        (PERSONS, "person"),
        (COUNTS | SHARES, "amount"),
        (FACTS, "fact"),
        (VERSIONS, "version"),
    ):
        if words & kind and words <= kind | BESIDE:
            return what
    return ""


def _by_name(sheet: Sheet, names: Iterable[str]) -> dict[str, str]:
    """Return the columns that may be no questions by their names.

    An item of a battery or ranking is no weight, whatever it is called: others of the same
    beginning, called otherwise, have all of its cells.
    """
    kinds = {name: why for name in names if (why := kind_by_name(name))}
    for name in [name for name, why in kinds.items() if why == "weight"]:
        alike = [other for other in sheet.columns if first_part(other) == first_part(name)]
        cells = {other: {*texts} for other, texts in values_of(sheet, alike).items()}
        others = [n for n in alike if kinds.get(n) != "weight" and cells[n] >= cells[name]]
        if name in sheet.options or (len(cells[name]) > 1 and len(others) >= FEW):
            kinds[name] = ""
    return {name: why for name, why in kinds.items() if why}


def _by_cells(sheet: Sheet, names: list[str], known: Container[str]) -> dict[str, str]:
    """Return the columns whose cells in the first rows are unlike the other columns' cells."""
    others = [name for name in names if name not in known]
    if not others:
        return {}
    cells = Cells.of(sheet, *others)
    place = cells.place.reshape(len(others), -1)[:, :LOOKED_AT]
    texts = [(text or "").strip() for text in cells.texts]
    numbers = np.array([as_number(text) for text in texts], float)[place]
    filled = np.array([bool(text) for text in texts])[place]
    is_date = np.array([DATE.match(text) is not None for text in texts])[place]
    is_sex = np.array([text.casefold() in SEXES for text in texts])[place]
    different = pd.DataFrame(place).where(filled).nunique(axis=1).to_numpy()
    is_prose = np.array([SENTENCES.fullmatch(text) is not None for text in texts])[place]
    fractions, dates = _share(numbers % 1 > 0, ~np.isnan(numbers)), _share(is_date, filled)
    prose = _share(is_prose, filled)
    unlike = {
        "many": different > max(MANY, TIMES * np.median(different)),
        "fractions": (fractions > MOST) & (different > FEW) & (np.median(fractions) == 0),
        "date": (dates > MOST) & (np.median(dates) < MOST),
        PROSE: (prose > MOST) & (np.median(prose) <= MOST) & (different > FEW),
        "fact": (_share(is_sex, filled) == 1) & (different >= FEW),
    }
    return {
        others[at]: why for why, is_unlike in unlike.items() for at in np.flatnonzero(is_unlike)
    }


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Return ``part`` as a share of the cells in ``whole``, in each row; 0 if there are none."""
    return (part & whole).sum(axis=1) / np.maximum(whole.sum(axis=1), 1)


WHY = {
    "person": "a name of persons",
    "weight": "a name of weights",
    "amount": "a name of counts or shares; a long file can have them",
    "fact": "a name of facts about the person or the interview",
    "repeated": "the same for a person each time, as facts that simulators are told",
    "version": "a name of versions, groups or waves",
    "date": "dates",
    "fractions": "numbers with decimals, as weights are",
    "labelled": "labelled as weights are",
    "many": "many more different cells than elsewhere",
    PROSE: "sentences, as reasons are",
    "unanswered": "no simulator answers",
}
LEFT_OUT = {"person", "fact", "repeated", "version", "date", "many", PROSE, "unanswered"}
BY_CELLS = {"fractions", PROSE}
"""The reasons that hold only where the other side has no such column."""
OF_WEIGHTS = {"weight": 3, "labelled": 2, "fractions": 1}
"""The reasons that columns may be weights, the surest the highest."""
WHY_THIS = ("its name says so", "the final one by name or label", "named as the questions are")
NEAR = 0.1
"""So near to 1 is the mean of weights that sum to the number of people."""


def refuse_no_questions(
    people: Answers,
    simulated: Iterable[Answers],
    layout: Layout,
    described: Set[str],
    no_versions: Set[str],
    facts_asked: Set[str],
) -> None:
    """Raise DataError with all columns of wide files that may be no questions, and of designs.

    Args:
        people: their answers.
        simulated: those of simulators.
        layout: how the files are read.
        described: columns that surely are questions.
        no_versions: those that surely don't say which version a row is of.
        facts_asked: columns whose wording in a key asks for a fact on people.
    """
    simulated = list(simulated)
    answered = {name for answers in simulated for name in answers.questions}
    asked = people.questions
    alone = [name for name in asked if name not in answered]
    if simulated and answered.isdisjoint(asked):
        sides = [(people, answered), *((answers, {*asked}) for answers in simulated)]
        named = [
            (part, name) for part, others in sides for name in columns_of_names(part.sheet, others)
        ]
        ways: tuple[Part, ...] = (
            "take files of the same questions, or write the names of questions alike",
        )
        cells: list[Remedy] = []
        for part, name in named[:1]:
            what = f"the cells of {name!r} are the other side's questions; if each row is the "
            value = {} if part.column else {"columns.value": BLANK}
            way = Remedy({"columns.scenario": name, **value})
            ways = (f"{what}answer to that question, put ", way)
            ways += (" with the column of the answers",) if value else ()
            left = [other for other in part.sheet.columns if other != name] if value else []
            cells = [Remedy({"columns.scenario": name}), Remedy({"a_column": left})]
        by_key: dict[str, list[str]] = {}
        for name in sorted(answered):
            by_key.setdefault(key_within(name), []).append(name)
        again = {key: several for key, several in by_key.items() if key in asked and several[1:]}
        if again:
            key, several = next(iter(again.items()))
            ways = (
                f"{shown(several)} are answers to {key!r} of one row; for the first alone, put ",
            )
            ways += (ignoring(*(name for names in again.values() for name in names[1:])),)
        raise people.sheet.fault(
            "no-question-in-common",
            f"has no question in common with simulators: people were asked {shown(asked)}, and "
            f"they answer {shown(sorted(answered))}; ",
            *ways,
            also=cells,
        )
    many = people.answered.query("number > 1")["scenario"]
    repeated = {*many}  # who has several rows, is no one's name in a wide file
    if people.doubts is not None and not simulated:
        refuse_forecasts(people)
    faults, both = ErrorList(), {*asked} & answered
    of_design = _of_design(people, described, layout)
    aside = {*chain(*of_design.values())}
    with faults.collected():
        _refuse_unread_design(people.sheet, of_design, layout)
    alike = chain(*((*_of_personas(p, both), *_of_persons(people, p, both)) for p in simulated))
    facts = dict.fromkeys(facts_asked, "fact") | dict.fromkeys(alike, "repeated")
    labels = _labels(people)
    countries = [name for name in facts if name in both and COUNTRY.match(labels.get(name, ""))]
    likely = dict.fromkeys([*_versions(people, simulated, both), *countries])
    versions = [name for name in likely if name not in no_versions]
    wave, person = _wave(people, [*versions, *(name for name in asked if name in both)], repeated)
    for name in dict.fromkeys([*versions, *filter(None, [wave])]):
        with faults.collected():
            _refuse_version(people, name, person if name == wave else "")
    for answers in [people, *simulated]:
        if answers.doubts is not None:
            unanswered = alone if answers is people and simulated else []
            doubtful = {name: _unanswered(answers, name) for name in unanswered}
            doubtful |= {name: why for name, why in facts.items() if name in answers.questions}
            doubtful |= answers.doubts
            doubtful |= _weights_by_label(answers, doubtful, unanswered)
            clear = {*versions, *described, *(n for n in both if doubtful.get(n) in BY_CELLS)}
            clear |= {*aside, wave, person, *layout.coded.get("questions", ())}
            doubtful = {name: why for name, why in doubtful.items() if name not in clear}
            theirs = [people] if answers is not people else simulated
            elsewhere = {name for part in theirs for name in part.sheet.columns}
            persons = {squashed(name) for name in elsewhere if kind_by_name(name) == "person"}
            apart = {*doubtful} - elsewhere if theirs else set()
            apart -= {name for name in apart if squashed(name) in persons}
            with faults.collected():
                _refuse(answers, doubtful, aside, apart, repeated, both)
    faults.refuse()


def columns_of_names(sheet: Sheet, questions: Set[str]) -> Iterator[str]:
    """Yield the columns of a file most of whose cells are questions of the other side."""
    for name, cells in values_of(sheet, sheet.columns).items():
        if len(questions & {*cells}) > MOST * len(cells):
            yield name


def _of_personas(part: Answers, both: Set[str]) -> list[str]:
    """Return the questions of a wide file that each persona answers alike each time: facts on it.

    Others of the questions are not.
    """
    usual = {"persona", "profile"}
    personas = [name for name in part.sheet.columns if {*WORD.findall(name.casefold())} & usual]
    names = [name for name in part.questions if name in both and name in part.sheet.columns]
    if part.doubts is None or len(personas) != 1 or not names:
        return []
    rows = part.sheet.frame([*personas, *names])
    of_each = rows.groupby(personas)
    if of_each.ngroups < FEWEST_PERSONAS or of_each.size().min() < FEW:
        return []
    most, different = of_each.nunique().max(), rows.nunique()
    same = [name for name in names if most[name] == 1 < different[name]]
    return same if len(same) < len(names) else []


def _of_persons(people: Answers, part: Answers, both: Set[str]) -> Iterator[str]:
    """Yield the questions that each simulated person answers as the person does: facts on them.

    Not by chance, and others of the questions are not. Persons are known by their ids or facts.
    """
    there = [name for name in people.sheet.columns if name in part.sheet.columns]
    for kind in ("person", "fact") if people.doubts is not None else ():
        key = [name for name in there if kind_by_name(name) == kind]
        names = [name for name in there if name in both and not kind_by_name(name)]
        if not (key and names):
            continue
        ours, theirs = (
            answers.sheet.frame([*key, *names]).astype(object).dropna(subset=key).fillna("")
            for answers in (people, part)
        )
        alone = ours[~ours.duplicated(key, keep=False)][:LOOKED_AT]
        pairs = theirs.merge(alone, on=key)
        n = len(pairs.drop_duplicates(key))
        same = [name for name in names if (pairs[f"{name}_x"] == pairs[f"{name}_y"]).all()]
        for name in same if len(same) < len(names) else ():
            shares = alone[name].value_counts(normalize=True)
            yield from [name] if float((shares**2).sum()) ** n < BY_CHANCE else []


def _versions(people: Answers, simulated: Iterable[Answers], both: Container[str]) -> Iterator[str]:
    """Yield the columns of wide files that say which version of the questions a row is of.

    They do so by their names, or as words that no other question has, see :func:`_apart`, or
    each simulator has their values in equal parts: more often than by chance, or its rows stand
    together by them, or take turns where people's don't, or another question is put for some of
    them only.
    """
    wide_files = [part for part in simulated if part.doubts is not None]
    if people.doubts is None or not wide_files:
        return
    rows = pd.concat([part.rows for part in wide_files])
    rows = rows[rows["reason"] < 0]
    everybody = pd.concat([people.answered, rows])
    counts = rows.groupby(["scenario", "source", "label"], observed=True)["number"].sum()
    names = [str(name) for name in people.questions if name in both]
    given = [name for name in names if not name.endswith(FIRST)]  # else made of ranks
    plain = [name for name in given if name not in people.doubts and name in counts]
    chances = {name: _chance_of_equal(counts[name].unstack()) for name in plain}
    equal = {name for name, chance in chances.items() if chance < 1}
    few = equal if 2 * len(equal) < len(names) else ()
    empty = {*people.rows.loc[people.rows["reason"] >= 0, "scenario"].astype(str)}
    apart = {*_apart(everybody, {name: name in empty for name in plain})}
    for name in names:
        is_fixed = name in few and (
            chances[name] < BY_CHANCE
            or any(_has_own_questions(part.sheet, name, names) for part in wide_files)
            or all(_is_in_blocks(part, name) for part in wide_files)
            or (not _take_turns(people, name) and all(_take_turns(p, name) for p in wide_files))
        )
        is_named = people.doubts.get(name) == "version" or squashed(name) in COUNTRIES
        is_asked = name.rstrip().endswith(("?", "\uff1f"))
        if is_named or ((is_fixed or name in apart) and not is_asked):
            yield name


def _wave(people: Answers, names: Iterable[str], repeated: Container[str]) -> tuple[str, str]:
    """Return the first column in each of whose few values persons answer once, and theirs."""
    why = people.doubts or {}
    persons = [name for name in why if why[name] in ("person", "many") and name in repeated]
    cells = values_of(people.sheet, {*people.sheet.columns}.intersection(names) if persons else ())
    few = (name for name in names if 1 < len(cells.get(name, ())) <= MANY)
    pairs = ((name, named_in_wave(people.sheet, name, (), None, persons)) for name in few)
    return next((pair for pair in pairs if pair[1]), ("", ""))


def _apart(rows: pd.DataFrame, is_empty: Mapping[str, bool]) -> Iterator[str]:
    """Yield the questions of words that have all answers, as some of several others have not.

    No other question has one of these words, and the others have numbers or share a scale.
    """
    rows = rows[rows["scenario"].isin([*is_empty])]
    given = rows.astype({"scenario": str}).groupby("scenario")["label"]
    words = {
        str(name): {text for text in labels if as_number(text) is None and not is_no_answer(text)}
        for name, labels in given
        if labels.nunique() > 1  # else a tick box
    }
    different = given.nunique()
    has_gaps = len(words) > FEW + 1 and any(is_empty[name] for name in words)
    for name, texts in words.items() if has_gaps else ():
        others = [some for other, some in words.items() if other != name and some]
        shared = set.intersection(*others) if others else set()
        is_one_scale = not others or (len(others) > 1 and len(shared) >= FEW)
        is_new = texts.isdisjoint({*MARKS, *NOT_MARKS}.union(*others))
        are_words = FEW <= len(texts) == different[name] <= MANY
        units = [match[1] for text in texts if (match := AMOUNT.match(text))]
        are_words &= len({*units}) != 1 or len(units) < FEW  # else "1 day", "2 days"
        if are_words and is_new and is_one_scale and not is_empty[name]:
            yield name


def _chance_of_equal(counts: pd.DataFrame) -> float:
    """Return how likely it is that each simulator gives all values equally often, 1 if not so."""
    one, values = counts.to_numpy()[:, :1], counts.shape[1]
    are_equal = bool((counts.to_numpy() == one).all() and (one % 1 == 0).all())
    if not 1 < values <= MANY or not are_equal or one.min() < LEAST_EQUAL:
        return 1.0
    n = values * one
    return float(np.exp((gammaln(n + 1) - values * gammaln(one + 1) - n * np.log(values)).sum()))


def _has_own_questions(sheet: Sheet, name: str, names: Iterable[str]) -> bool:
    """Return whether some values of a column alone have answers to another question."""
    others = [other for other in names if other != name]
    if not {name, *others} <= {*sheet.columns}:
        return False
    rows = sheet.frame([name, *others])
    shares = rows[others].notna().groupby(rows[name]).mean()
    return bool(((shares == 0).any() & (shares.max() > MOST)).any())


def _is_in_blocks(part: Answers, name: str) -> bool:
    """Return whether all rows of a simulator with one value of a column stand together."""
    if name not in part.sheet.columns:
        return False
    cells = part.sheet.frame([name])[name]
    blocks = int((cells != cells.shift()).sum())
    return blocks <= cells.nunique() * part.rows["source"].nunique()


def _take_turns(part: Answers, name: str) -> bool:
    """Return whether the values of a column take turns in the rows of a file."""
    cells = part.sheet.frame([name])[name] if name in part.sheet.columns else pd.Series()
    turn = cells.nunique()
    return turn > 1 and bool((cells[turn:].to_numpy() == cells[:-turn].to_numpy()).all())


def _refuse_version(people: Answers, name: str, person: str) -> None:
    """Raise DataError as a column of both sides says which version a row is of.

    A column of persons may name those who answer once in each.
    """
    in_words = as_condition(people.sheet, name)
    conditions = [Remedy({"effects.condition": name})] if in_words else []
    raise people.sheet.fault(
        "version-column",
        "stands in both files, and seems to say which version, group or wave a row is of, and to "
        f"be no question{in_words}",
        *as_wave(name, person),
        "; to compare within each value, put ",
        groups_named(name),
        "; if it does not matter, put ",
        ignoring(name),
        "; or name the questions, ",
        Remedy({"questions": [BLANK]}),
        column=name,
        also=[Remedy({"a_question": [name]}), *conditions],
    )


def _labels(answers: Answers) -> dict[str, str]:
    """Return the label of each column that has another one than its name."""
    labels = answers.wordings.to_dict()
    return {name: text.casefold() for name, text in labels.items() if text != name}


def _weights_by_label(
    answers: Answers, doubtful: Mapping[str, str], unanswered: Iterable[str]
) -> dict[str, str]:
    """Return the doubtful columns that their label calls weights, and not those of bodies.

    So are factors of expansion, whole as they may be. Beside a weight, fractions that no simulator
    answers are none where their label says otherwise.
    """
    labels, kinds = _labels(answers), dict[str, str]()
    cells = answers.answered.groupby("scenario", observed=True)["label"].unique()
    for name in (name for name, why in doubtful.items() if why != "weight"):
        label, given = labels.get(name, ""), cells.get(name, ())
        if expands(name) and len(given) > MANY and _may_weigh(given):
            kinds[name] = "weight"
        elif is_weight(label) and not BODY.search(label):
            kinds[name] = "labelled"
    if kinds or "weight" in {*answers.rows, *doubtful.values()}:
        others = labels.keys() & {*unanswered} - kinds.keys()
        kinds |= {name: "unanswered" for name in others if doubtful.get(name) == "fractions"}
    return kinds


def _unanswered(answers: Answers, name: str) -> str:
    """Return what a column may be that no simulator answers: numbers from 0 on may be weights."""
    rows = answers.answered[answers.answered["scenario"] == name]
    numbers = [as_number(label) for label in rows["label"].unique()]
    are_amounts = all(number is not None and number >= 0 for number in numbers)
    return "fractions" if are_amounts and any((n or 0) % 1 for n in numbers) else "unanswered"


def _refuse(
    answers: Answers,
    doubtful: dict[str, str],
    aside: Container[str],
    apart: Container[str],
    repeated: Container[str],
    shared: Container[str],
) -> None:
    words = _with_words(answers, [name for name, why in doubtful.items() if why == "weight"])
    doubtful = {name: why for name, why in doubtful.items() if name not in words}
    if not doubtful:
        return
    of_weights = [  # those that simulators answer, too, weigh nobody
        name for name, why in doubtful.items() if why in OF_WEIGHTS and name not in shared
    ]
    weights = [name for name in of_weights if name[-1].isdigit()]
    replicates = weights if len(weights) > FEW else []
    kept = [name for name in answers.questions if name not in doubtful and name not in aside]
    may_weigh = [
        name
        for name in of_weights
        if name not in replicates
        and not _is_time(name)
        and "weight" not in answers.rows  # the user's precedes
        and (replicates or doubtful[name] != "fractions")  # numbers alone are no weights
    ]
    persons = [
        name
        for name, why in doubtful.items()
        if why == "person" and name not in repeated and not answers.names_respondents
    ]
    if not (may_weigh or replicates or "weight" in answers.rows):
        may_weigh = [name for name in of_weights if _is_about_one(answers, name)][:1]
    roles: dict[str, str] = {}
    labels, chosen = _labels(answers), ""
    if persons:
        roles["respondent"] = persons[0]
    if may_weigh:
        ranks = {
            name: (
                OF_WEIGHTS[doubtful[name]],
                _finality(name, labels.get(name, "")),
                _in_common(name, kept),
            )
            for name in may_weigh
        }
        roles["weight"] = max(may_weigh, key=ranks.__getitem__)
        chosen = _why_this(roles["weight"], ranks)
    ways: list[Part] = [of_columns(**roles), " where that is right, or "] if roles else []
    if replicates:
        others = [name for name in (*kept, *doubtful) if name not in replicates]
        pattern = Remedy({"design.replicate_weights": _patterns(replicates, others)})
        ways += [pattern, " if these are replicates, or "]
    if groups := _groups(answers, doubtful):
        ways += [groups_named(*groups)]
        ways += [" if simulators answer for each such group of people, or "]
    if kept:
        ways += [ignoring(*columns_of(answers, doubtful)), " if they are not needed; or "]
    ways_of_each = [  # as the reasons of single columns
        Remedy(
            {"ignore": columns_of(answers, [name])},
            why=WHY[why] + (chosen if name == roles.get("weight") else ""),
            is_offered=False,
        )
        for name, why in doubtful.items()
    ]
    raise answers.sheet.fault(
        "doubtful-columns",
        "a wide file has a column for each question, but some columns seem to be something else: "
        f"{_reasons(doubtful)}; put ",
        *ways,
        "name the questions, ",
        Remedy({"questions": _patterns(kept, doubtful) or [*doubtful]}),
        also=[
            *([Remedy({"design.replicate_weights": replicates})] if replicates else ()),
            *(_clear(answers, doubtful, apart) if kept else ()),
            *(ways_of_each if chosen or len({*doubtful.values()}) > 1 else ()),
            *of_simulators(answers, doubtful),
        ],
    )


def _finality(name: str, label: str) -> int:
    """Return how final a weight is by its name and label, least the part of another one.

    >>> _finality("pweight", "population size weight (must be combined with dweight)")
    -1
    >>> _finality("anweight", "analysis weight"), _finality("pspwght", "post-stratification")
    (2, 1)
    """
    text = f"{name} {label}"
    if PARTIAL.search(label) or PARTIAL.search(name):
        return -1
    return 2 if ANALYSIS.search(text) else int(FINAL.search(text) is not None)


def _in_common(name: str, others: Iterable[str]) -> int:
    """Return how often the parts of a name, as of ``w2_weight`` or ``r15wt``, are in others."""
    parts = {*PART.findall(name)}
    return sum(len(parts.intersection(PART.findall(other))) for other in others)


def _why_this(name: str, ranks: Mapping[str, tuple[int, ...]]) -> str:
    """Return why a column is proposed as the weight, and no other that may be one."""
    others = [rank for other, rank in ranks.items() if other != name]
    ways = (why for at, why in enumerate(WHY_THIS) if all(ranks[name][at] > o[at] for o in others))
    alone = ", of mean 1" if ranks[name][0] == OF_WEIGHTS["fractions"] else ""
    return f"; {next(ways, 'the first of several')}" if others else alone


def _is_about_one(answers: Answers, name: str) -> bool:
    """Return whether a column of people's has numbers of a mean of about 1, none below 0."""
    rows = answers.answered[answers.answered["scenario"] == name]
    if not is_people(answers) or _is_time(name) or rows.empty:
        return False
    numbers = rows["label"].map(as_number).to_numpy(float)
    return bool(numbers.min() >= 0 and abs(np.average(numbers, weights=rows["number"]) - 1) < NEAR)


def _with_words(answers: Answers, names: Collection[str]) -> set[str]:
    """Return the columns some of whose cells are words."""
    given = answers.answered.drop_duplicates(["scenario", "label"])
    return {
        str(name)
        for name, label in zip(given["scenario"], given["label"], strict=True)
        if name in names and as_number(label) is None and not COMMA.fullmatch(label)
    }


def of_simulators(answers: Answers, doubtful: Iterable[str]) -> list[Remedy]:
    """Return that columns of prompts, settings, models and versions tell simulators apart."""
    if is_people(answers) or answers.column is not None:
        return []
    labels = answers.answered.groupby("scenario", observed=True)["label"].unique()
    few = {name: labels[name] for name in doubtful if 1 < len(labels.get(name, ())) <= MANY}
    names = [name for name in few if is_setting(name) or all(map(PRODUCT.search, few[name]))]
    return [Remedy({"a_simulator": names})] if names else []


def _clear(answers: Answers, doubtful: Mapping[str, str], alone: Container[str]) -> list[Remedy]:
    """Return what is clear of doubtful columns, nothing if nothing is.

    Facts on people, and names of persons, are left out where only this side has them. Those that
    simulators' files have, too, say who is meant.

    Args:
        answers: of one file.
        doubtful: its columns that may be no questions.
        alone: the columns that the other side has not.
    """
    given = answers.answered.groupby("scenario", observed=True)
    labels, most = given["label"].unique(), given["number"].max()
    persons = [name for name, why in doubtful.items() if why == "person"]
    both = [name for name in persons if name not in alone]
    left = [
        name
        for name, why in doubtful.items()
        if why in LEFT_OUT and name in alone and not (why == "person" and most.get(name, 0) > 1)
    ]
    if is_people(answers):
        left = [  # numbers of a person may weigh
            name
            for name in left
            if doubtful[name] != "many" or _is_time(name) or not _may_weigh(labels.get(name, ()))
        ]
    else:
        left = [name for name in left if not (is_setting(name) and len(labels[name]) > 1)]
    settings: dict = {"ignore": columns_of(answers, left)} if left else {}
    if len(both) == 1 and most.get(both[0], 0) <= 1:
        settings["columns.respondent"] = both[0]
    why = f"not compared: {_reasons({name: doubtful[name] for name in left or both})}"
    return [Remedy(settings, why=why, is_clear=True, is_offered=False)] if settings else []


def columns_of(answers: Answers, names: Iterable[str]) -> list[str]:
    """Return the columns of questions, some of which are options of one column."""
    known = answers.described.get("cluster", pd.Series(dtype=object)).to_dict()
    there = {*answers.sheet.columns}
    for name in names:
        parted = (column for column in there if name.startswith(f"{column}: "))
        known.setdefault(name, max(parted, key=len, default=name))
    columns = (name if name in there else known[name] for name in names)
    return list(dict.fromkeys(columns))


def _may_weigh(labels: Collection[str]) -> bool:
    """Return whether all cells are numbers, and these don't number the rows."""
    numbers = {number for label in labels if (number := as_number(label)) is not None}
    are_numbers = len(numbers) == len(labels) > 0
    return are_numbers and numbers != {min(numbers) + step for step in range(len(numbers))}


def _groups(answers: Answers, doubtful: Mapping[str, str]) -> list[str]:
    """Return the columns of facts by which people may be parted: those with a few values."""
    if not is_people(answers):
        return []
    rows = answers.answered
    values = rows.groupby("scenario", observed=True)["label"].nunique()
    return [
        name
        for name, why in doubtful.items()
        if why in ("fact", "repeated") and 1 < values.get(name, 0) <= MANY
    ]


def _reasons(doubtful: dict[str, str]) -> str:
    by_reason: dict[str, list[str]] = {}
    for name, why in doubtful.items():
        by_reason.setdefault(why, []).append(name)
    return "; ".join(f"{shown(names)} ({WHY[why]})" for why, names in by_reason.items())


def _patterns(kept: list[str], others: Iterable[str]) -> list[str | EllipsisType]:
    """Return patterns that fit the columns to keep and no others."""
    start = common_start(kept).rstrip("0123456789")
    if start and not any(name.startswith(start) for name in others):
        return [f"{start}*"]
    return [*kept] if len(kept) <= MOST_SHOWN else [BLANK]
