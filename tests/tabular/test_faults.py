"""Wrong files and settings: one message each, with the place and the remedy; nothing written."""

import gzip
import io
import pickle
import re
import runpy
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from snakemake.iocontainers import OutputFiles
from sound_files import CELLS, HUMAN, RATED, RATINGS, SIMULATED, STATED, changed, parquet
from tabular_step import step

from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.save import save
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.reading.tabular.files import missing_files
from fidelity_study.tables import ingest
from fidelity_study.tables.ingest import INGESTED
from fidelity_study.tables.read_write import read

ROOM = Path(__file__).parents[2] / "workflow" / "datasets" / "tabular"
SCENARIOS = "scenario,topic\ns1,a\ns2,b\n"
PACKED = gzip.compress(HUMAN.encode())
ANSWERS = parquet(scenario=["s1", "s1", "s2", "s2"] * 50, value=["yes", "no"] * 100)


class Touch:
    """What creates a file when it is unpickled."""

    def __reduce__(self):
        """Return the call."""
        return (open, ("ran", "w"))


def zipped(content: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as file:
        file.writestr("human.csv", content)
    return written.getvalue()


def fault(wanted, *, more=None, paths=None, outcome=None, **contents):
    """Return the fault in short, the files and the settings.

    A file is a text or bytes, or a pair of another name and them; ``more`` are further files, and
    ``paths`` what the config names instead, beside its other keys.
    """
    files, settings = dict(more or {}), {"outcome": outcome} if outcome else {}
    for key, content in {"human": HUMAN, "simulated": SIMULATED, **contents}.items():
        name, content = content if isinstance(content, tuple) else (f"{key}.csv", content)
        files[name], settings[key] = content, name
    return wanted, files, settings | (paths or {})


def packed(wanted, content):
    return fault(wanted, human=("human.csv.gz", content))


def in_parquet(wanted, content=None, outcome=None, **columns):
    return fault(wanted, human=("human.parquet", content or parquet(**columns)), outcome=outcome)


BASES = {
    **{"people": ("human", HUMAN), "rated": ("human", RATINGS), "topics": ("scenarios", SCENARIOS)},
    **{"model": ("simulated", SIMULATED), "stated": ("simulated", STATED)},
}
OF_OUTCOME = ("kind", "levels", "bounds", "scores")


def edited(edits):
    """Return files by the keys of a config, from edits of sound ones.

    Edits have ``&`` between them: ``people OLD -> NEW`` for the first OLD in people's file, ``=>``
    for all, ``people + MORE``, ``people = WHOLE``, or a file's name, if it stays as it is.
    People's ratings have ratings of a simulator beside them.
    """
    texts = {name: text for name, (_, text) in BASES.items()}
    files = {"human": HUMAN, "simulated": RATED if "rated" in edits else SIMULATED}
    for edit in filter(None, edits.split(" & ")):
        name, old, sign, new = EDIT.fullmatch(edit).groups(default="")
        new = new.encode().decode("unicode_escape")
        old = old.encode().decode("unicode_escape")
        match sign:
            case "->":
                texts[name] = changed(texts[name], old, new)
            case "=>":
                texts[name] = texts[name].replace(old, new)
            case "+" | "=":
                texts[name] = texts[name] * (sign == "+") + new
        files[BASES[name][0]] = texts[name]
    return files


EDIT = re.compile(r"(\w+)(?:(?: (.+?))? (->|=>|=|\+) ?(.*))?")


def in_table(table):
    """Return the cases of a table: name | fault in short | edits of files | settings."""
    cases = {}
    for row in re.sub(r"\n +", " ", table).strip().splitlines():
        name, wanted, edits, settings, *_ = [part.strip(" ") for part in f"{row}| | ".split("| ")]
        given = yaml.safe_load(f"{{{settings}}}")
        outcome = {key: given.pop(key) for key in OF_OUTCOME if key in given}
        cases[name] = fault(wanted, paths=given, outcome=outcome, **edited(edits))
    return cases


NO_NUMBERS = ["six", "", "inf", "1e400", "=2+4", "0x10", "1_0", r"\u0661\u0662"]
WEIGHTS = {
    **{"-1": "negative", "1e308": "weight-too-large", "5e-324": "weight-too-large"},
}
TABLE = r"""
empty | empty-file | people =
only blank lines | empty-file | people = \n\n \n
header only | no-rows | people = scenario,value\n
zero bytes | zero-byte at line 3 | people no -> n\x00
ragged, short | ragged-row at row 3 | people no,6 -> no
ragged, long | ragged-row at row 3 | people no,6 -> no, never,6
a column twice | column-twice at value | people count -> value
a column twice but for white space | column-twice at value |
  people = scenario,value, value \ns1,yes,4\ns1,no,6\ns2,yes,5\ns2,no,5\n
a column without a name | column-without-name |
  people = ,scenario,value,count\n0,s1,yes,4\n0,s1,no,6\n0,s2,yes,5\n0,s2,no,5\n
a quote that is not closed | open-quote | people 4\ns1,no -> 4\ns1,"no
quotes that swallow a row | answer-over-lines at row 2, value; unlisted |
  people yes,4\ns1,no -> "yes,4\ns1,no"
a web page called CSV | web-page | people = <html>\n<body>\n<td>scenario</td>\n
no file | file-not-there | | human: people.csv
a link to a program | not-utf8 at line 1 | | human: linked.csv
no scenario column | unclear-form; form, columns.scenario, a_column | people scenario -> thing
no value column | unclear-form; form, columns.value, a_column | people value -> thing
a column with a typo | likely-typo at cuont; columns.count | people count -> cuont
a column in capitals | likely-typo at Count; columns.count | people count => Count
a mapped column that is not there | no-such-column at datasets.town.columns.value | |
  columns: {value: answer}, form: long
an empty scenario | empty-cell at row 4, scenario | people s2 -> 
a control character | control-character at row 4, scenario | people 6\ns2 -> 6\ns\x072
a mark of byte order | control-character at row 4, scenario | people 6\ns2 -> 6\n\ufeffs2
an invisible space | control-character at row 2, value | people yes -> y\u200bes
a count with a comma | not-a-number at row 3, count; decimal | people 6 -> "6,5"
a count of billions | wrong-rows | people 6 -> 6e9
a count beyond exact numbers | wrong-rows | people 6 -> 9007199254740993
counts whose sum is beyond | wrong-rows | people ,4 => ,6e8 & people ,6\n => ,6e8\n
a count that is negative | negative at row 3, count | people no,6 -> no,-6
a count of people that is a fraction |
  count-not-whole at row 3, count; weighting_effect, columns.percent, base | people 6 -> 6.5
a count of a simulator that is a fraction | count-not-whole at row 3, count | model 8 => .8 |
  weighting_effect: 1.5
a design effect that is huge | wrong-rows | | weighting_effect: 100000.0
an answer twice | answer-twice at row 6, value | people + s1,yes,3\n
an answer of a simulator twice | answer-twice at row 5, value | model + s1,model,no,3\n
NaN for no answer | no-answer-text at row 5, value; missing | people s2,no -> s2,NaN
NA for no answer | no-answer-text at row 5, value; missing | people s2,no -> s2,NA
an answer written in two ways | no-option at row 4, value; recode |
  model s2,model,no -> s2,model,No
a coding of its own | nothing-in-common at row 2, value; meanings | model yes => 10 & model no => 20
numbers for yes and no | other-label at row 3, value; recode | model yes => 1 & model no => 0
everybody answers the same | options-unknown at s1; outcome.levels, leave_out |
  people = scenario,value\ns1,no\ns2,yes\ns2,no\n & model yes,2\ns1,model,no -> no
binary with three answers | too-many-for-binary at s1; outcome.kind, outcome.kind |
  people + s1,maybe,3\n | kind: binary
binary with an unknown second answer | other-option-unknown at s1; outcome.kind, outcome.levels |
  people = scenario,value\ns1,yes\ns2,yes\n & model = scenario,simulator,value\ns1,model,yes\n |
  kind: binary
not among the levels | no-option at row 6, value; missing, meanings | people + s1,maybe,3\n |
  kind: categorical, levels: ['no', 'yes']
a simulator's answer not among the levels | no-option at row 4, value; missing, unlisted |
  model s2,model,no -> s2,model,I refuse | kind: categorical, levels: ['no', 'yes']
ordinal texts without an order | order-unknown; outcome.kind, outcome.levels | | kind: ordinal
ordinal numbers of which some are not used | option-unclear at s1; outcome.levels, scenarios | rated
  & model = scenario,simulator,value\ns1,model,4\ns2,model,5\n | kind: ordinal
a number with a comma | not-a-number at row 5, value; decimal | rated 5 -> "1,5" | kind: real
a date for a number | not-a-number at row 5, value | rated 5 -> 2024-05-01 | kind: real
a truth value for a number | not-a-number at row 5, value; meanings | rated 5 -> TRUE |
  kind: bounded, bounds: [0, 10]
a number that is infinite | no-answer-text at row 3, value; missing | rated 4 -> -inf | kind: real
a number that is huge | wrong-rows | rated 4 -> -1e308 | kind: real
outside the bounds | outside-range at row 2, value; outcome.bounds | rated
  & model = scenario,simulator,value\ns1,model,11\n | kind: bounded, bounds: [0, 10]
bounded without bounds | range-unknown at row 2, value; outcome.bounds, scenarios | rated & model |
  kind: bounded
bounds that are huge | wrong-rows | rated | kind: bounded, bounds: [-1.0e+308, 1.0e+308]
numbers that are all the same | one-number-only at s1 | people = scenario,value\ns1,3\ns1,3\n
  & model = scenario,simulator,value\ns1,model,3\n | kind: real
nobody answers | nobody-answered | people = scenario,value,count\ns3,,4\n
simulators among the people | human-with-simulator at simulator; people |
  people = scenario,simulator,value,count\ns1,model,yes,2\ns1,model,no,8\ns2,model,no,10\n
probabilities of people | people-state-probabilities at probability | people count -> probability
a simulator called human | simulator-called-human at row 4, simulator | model s2,model -> s2,human
no simulator column | no-simulator-column; columns.simulator | model simulator -> thing
a simulator of the config that is not in the file | simulator-not-there | |
  simulators: [model, twin]
an unknown scenario | unknown-scenario at row 5; predict | model + s22,model,no,3\n
a scenario with a zero in front, which is no new one | unknown-scenario at row 5 |
  model + s02,model,no,3\n
weights of simulators | simulator-weighted at weight; ignore | model count -> weight
probabilities that do not sum to one | shares-not-one at row 2, value; probabilities |
  stated .75 -> .7
percentages | shares-not-one at row 2, value; columns.percent | stated .25 => 25 & stated .75 => 75
a negative probability | negative at row 2, probability | stated yes,.25 -> yes,-.25
a probability that is no number | not-a-number at row 2, probability | stated .25 -> nan
a probability of an answer twice | answer-twice at row 3, value | stated yes -> no
a probability of nothing | probability-without-option at row 2, value | stated yes -> 
a file of one simulator that names others | human-with-simulator at simulator; people | |
  simulated: {model: simulated.csv}
draws that are too many | wrong-rows | | draws: 1000000000, simulators: [uniform]
a scenario described twice | scenario-twice at row 4, scenario | topics + s1,b\n
a scenario that is not described | unknown-scenario at row 4 | topics s2,b\n -> 
a cluster that is no column | no-cluster-column; cluster | topics | cluster: theme
an empty cluster | empty-cell at row 3, topic | topics b ->  | cluster: topic
a scenario in two clusters | scenario-in-two-clusters at row 3, topic |
  people = scenario,value,topic\ns1,yes,a\ns1,no,b\n | cluster: topic
a cluster of answers | scenario-in-two-clusters at row 3, value | | cluster: value
a range upside down | upper-not-above-lower at row 3, upper | rated & model
  & topics = scenario,lower,upper\ns1,0,10\ns2,10,0\n | kind: bounded
a range without end | not-a-number at row 2, lower | rated
  & topics = scenario,lower,upper\ns1,-inf,inf\ns2,0,9\n | kind: bounded
a respondent twice | respondent-twice at row 4, respondent |
  people = scenario,value,respondent\ns1,yes,7\ns2,no,7\ns1,no,7\n
weights that are empty in all rows | not-a-number at row 2, weight |
  people = s1,s2,weight\nyes,no,NA\nyes,,\n
weights that are all 0 | weights-all-zero at row 3, weight |
  people = scenario,value,weight\ns1,yes,1\ns2,no,0\ns2,yes,0\n
a persona column that is not there | no-column | | personas: 'a {age}-year-old'
attributes in personas | no-column | | personas: '{scenario.__class__}'
a wide file without scenarios | no-questions | people = id\n1\n | columns: {respondent: id}
a wide file with a column that is no scenario |
  doubtful-columns; groups, ignore, questions, ignore | people = age,s1\n33,yes\n44,no\n
  & model = simulator,s1\nmodel,no\n & topics = scenario\ns1\n | form: wide
levels of numbers | outcome at datasets.town.outcome | | kind: real, levels: [1, 2]
bounds of options | outcome at datasets.town.outcome | | kind: ordinal, bounds: [0, 1]
bounds upside down | outcome at datasets.town.outcome | | kind: bounded, bounds: [1, 0]
bounds that are equal | outcome at datasets.town.outcome | | kind: bounded, bounds: [1, 1]
scores of categories | outcome at datasets.town.outcome; outcome.kind | |
  kind: categorical, levels: [a, b], scores: [1, 2]
too few scores | outcome at datasets.town.outcome | |
  kind: ordinal, levels: [a, b], scores: [1, 2, 3]
a level twice | outcome at datasets.town.outcome | | kind: ordinal, levels: ['1', 1.0]
a level twice but for white space | outcome at datasets.town.outcome | |
  kind: categorical, levels: ['no', ' no']
three levels of two | outcome at datasets.town.outcome; outcome.kind | |
  kind: binary, levels: [1, 2, 3]
"""
FILES = {
    "a byte order mark and no more": fault("empty-file", human=b"\xef\xbb\xbf"),
    "no encoding": fault(
        "not-utf8 at line 2", human=HUMAN.replace("yes", "oui\u0081").encode("latin-1")
    ),
    "half of UTF-16": fault("unreadable", human=HUMAN.encode("utf-16")[:-1]),
    "UTF-16 without a mark": fault("zero-byte at line 1", human=HUMAN.encode("utf-16-le")),
    "gz that is none": packed("no-gzip", HUMAN),
    "gz that is cut": packed("no-gzip", PACKED[:-12]),
    "gz with a wrong sum": packed("no-gzip", PACKED[:-8] + bytes(8)),
    "gz and more": packed("no-gzip", PACKED + b"more"),
    "gz of nothing": packed("empty-file", b""),
    "gz in gz": packed("other-kind-of-file", gzip.compress(PACKED)),
    "gz without its suffix": fault("other-kind-of-file", human=PACKED),
    "Parquet that is none": in_parquet("unreadable", HUMAN),
    "Parquet that is cut": in_parquet("unreadable", ANSWERS[:-9]),
    "Parquet whose footer is absurd": in_parquet(
        "unreadable", ANSWERS[:-8] + b"\xff\xff\xff\x7fPAR1"
    ),
    "Parquet whose pages are broken": in_parquet(
        "unreadable", ANSWERS[:10] + b"\xff" * 60 + ANSWERS[70:]
    ),
    "Parquet that is encrypted": in_parquet("unreadable", ANSWERS[:-4] + b"PARE"),
    "Parquet without columns": in_parquet("no-questions"),
    "Parquet with a zero byte": in_parquet(
        "control-character at row 1, scenario", scenario=["s\0", "s1"], value=["yes", "no"]
    ),
    "Parquet called CSV": fault("other-kind-of-file", human=ANSWERS),
    "Parquet of bytes": in_parquet("not-text-or-number at value", scenario=["s1"], value=[b"yes"]),
    "Parquet of lists": in_parquet("not-text-or-number at value", scenario=["s1"], value=[[["a"]]]),
    "Parquet with infinity": in_parquet(
        "no-answer-text at row 2, value; missing",
        scenario=["s1", "s1"],
        value=[1.0, float("inf")],
        outcome={"kind": "real"},
    ),
    "a pickle called Parquet": in_parquet("unreadable", pickle.dumps(Touch())),
    "a pickle called CSV": fault("zero-byte at line 1", human=pickle.dumps(Touch())),
    "a spreadsheet that nothing reads": fault(
        "unknown-suffix", human=("human.numbers", b"PK\x03\x04")
    ),
    "a ZIP file called CSV": fault("other-kind-of-file", human=zipped(HUMAN)),
    "Excel called CSV": fault("other-kind-of-file", human=b"PK\x03\x04rest"),
    "another kind of file": fault("unknown-suffix", human=("human.por", "x")),
    "JSON Lines called CSV": fault(
        "unreadable at row 1", human='{"scenario":"s1","value":"yes"}\n' * 4
    ),
    "a folder": fault("file-not-there", human=("human.d/x", "x"), paths={"human": "human.d"}),
    "a cell table": fault(
        "unclear-form; form, columns.scenario, columns.value, a_column", human=CELLS
    ),
    "counts and probabilities": fault(
        "counts-and-probabilities at probability",
        simulated=changed(SIMULATED, "value", "value,probability")
        .replace("yes", "yes,1")
        .replace("no", "no,1"),
    ),
    "a simulator in two files": fault(
        "simulator-in-two-files at row 2; ignore, a_simulator",
        more={"more.csv": SIMULATED},
        paths={"simulated": ["simulated.csv", "more.csv"]},
    ),
    "options that are no list": fault(
        "malformed-options at row 2, options",
        scenarios="scenario,options\ns1,yes\ns2,yes | no\n",
    ),
}
MANY = [
    *(
        f"a count that is {c!r} | not-a-number at row 3, count | people no,6 -> no,{c}"
        for c in NO_NUMBERS
    ),
    *(
        f"a weight of {weight!r} | {code} at row 3, weight | "
        f"people = scenario,value,weight\\ns1,yes,1\\ns1,no,{weight}\\ns2,yes,1\\n"
        for weight, code in WEIGHTS.items()
    ),
    r"a number of options | likely-typo at n_options; ignore | "
    r"topics = scenario,n_options\ns1,2\ns2,3\n",
    *(
        f"scores of {scores} | wrong-rows | | "
        f"kind: ordinal, levels: ['no', 'yes'], scores: {scores}"
        for scores in ("[-1.0e+308, 1.0e+308]", "[0, 5.0e-324]", "[1, 1]")
    ),
]
CASES = in_table(TABLE) | in_table("\n".join(MANY)) | FILES


# Sentences as users read them: a change of one is to be read as they would.
SENTENCES = {
    "a quote that is not closed": (
        "human.csv: a double quote is opened and never closed, the last one is in line 3; "
        "close it, and write a quote inside text twice"
    ),
    "Parquet with infinity": (
        "human.parquet, row 2, column 'value': is 'inf'; leave the cell empty where there is "
        "no answer, or put missing: [inf] in the config, or list it among outcome.levels"
    ),
    "a count of billions": (
        "human.csv and simulated.csv, row 1, scenario 's1', source 'human': column 'count' "
        "adds up to a billion or more, beyond what can be subsampled; check the unit, or "
        "lower draws (1 more like it)"
    ),
    "no simulator column": (
        "simulated.csv: has no column 'simulator' that says who answers; there are: scenario,"
        " thing, value, count; add it, name yours, columns: {simulator: ...} in the config, "
        "or give each simulator a file of its own, simulated: {name: file}"
    ),
    "probabilities that do not sum to one": (
        "simulated.csv, row 2, column 'value': the shares of 'model' in scenario 's1' sum to "
        "0.95, not to one; list every option once, and divide by the sum; or if each option "
        "has a probability of its own, put probabilities: one_vs_rest in the config, and each"
        " is divided by their sum"
    ),
    "scores of categories": (
        "datasets.town.outcome: categorical options have no scores; call the kind ordinal, or"
        " take them out"
    ),
}


def in_short(error: DataError) -> str:
    """Return the code of each fault, its place but for the file, and the keys of its remedies."""
    told = []
    for each in error.faults:
        place = each.place
        row = f"row {place.row}" if place.row else f"line {place.line}" if place.line else None
        where = ", ".join(filter(None, [row, place.column, place.scenario, place.key]))
        keys = ", ".join(key for remedy in each.remedies for key in remedy.settings)
        told.append(each.code + (f" at {where}" if where else "") + (f"; {keys}" if keys else ""))
    return " and ".join(told)


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (folder / "linked.csv").symlink_to(sys.executable)


def fake(folder, settings):
    return SimpleNamespace(
        params=SimpleNamespace(step=step(**settings)),
        input=[],
        output=OutputFiles(fromdict={name: str(folder / f"{name}.parquet") for name in INGESTED}),
        log=[str(folder / "log")],
        rule="ingest_tabular",
        wildcards={},
    )


@pytest.mark.sampled
@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_told_once_with_its_place_and_remedy(here, case):
    wanted, files, settings = CASES[case]
    write(here, files)
    before = sorted(here.iterdir())
    snakemake = fake(here, settings)
    with pytest.raises(DataError) as refusal:
        save(snakemake, responses(snakemake.params.step))
    message = str(refusal.value)
    assert in_short(refusal.value) == wanted, message
    assert message == SENTENCES.get(case, message)
    assert "outcome" in message or re.search(r"\b\w+\.(csv|parquet|numbers|por|d)\b", message)
    assert re.fullmatch(r"[^\n]{1,600}", message)
    assert sorted(here.iterdir()) == before


def test_the_script_prints_the_message_without_a_traceback(here, capsys):
    _, files, settings = FILES["no encoding"]
    write(here, files)
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(ROOM / "ingest.py"), init_globals={"snakemake": fake(here, settings)})
    assert stop.value.code == 1
    message = (here / "log").read_text(encoding="utf-8")
    assert message == capsys.readouterr().err
    assert message.startswith("ingest_tabular: human.csv, line 2: ")
    assert message.count("\n") == 1


def test_all_absent_files_are_named_at_once(here):
    (here / "here.csv").touch()
    (here / "data").mkdir()
    first, second = map(str, missing_files("datasets.a", ["here.csv", "gone.csv", "data"]))
    assert first.startswith("datasets.a: gone.csv is not there; ")
    assert second.startswith("datasets.a: data is a folder; ")
    assert str(here) in first


CATEGORICAL, BINARY = {"kind": "categorical"}, {"kind": "binary", "levels": ["no", "yes"]}
ORDINAL = {"kind": "ordinal", "levels": [1, 2, 4, 5], "scores": [0, 1, 2, 10]}
RANGES = "scenario,options,lower,upper\ns1,1 | 2 | 4,0,5\ns2,2 | 5,0,6\n"
SOUND = [
    (HUMAN, SIMULATED, SCENARIOS, CATEGORICAL),
    (HUMAN, STATED, SCENARIOS, BINARY),
    ("id,s1,s2,weight\n1,yes,no,1\n2,no,yes,.5\n", SIMULATED, SCENARIOS, CATEGORICAL),
    ("id,s1,s2\n1,yes,no\n2,no,yes\n", "simulator,s1,s2\nmodel,no,no\n", SCENARIOS, BINARY),
    (RATINGS, RATED, "scenario,options\ns1,1 | 2 | 4 | 5\ns2,\n", ORDINAL),
    (RATINGS, RATED, RANGES, {"kind": "bounded"}),
    (RATINGS, RATED, None, {"kind": "bounded", "bounds": [0, 10]}),
    (RATINGS, RATED, None, {"kind": "real"}),
]


@pytest.mark.sampled
@pytest.mark.parametrize("case", range(len(SOUND)))
def test_sound_files_of_every_form_are_served(here, case):
    human, simulated, scenarios, outcome = SOUND[case]
    own = {"columns": {"respondent": "id"}} if human.startswith("id,") else {}
    contents = {"human": human, "simulated": simulated, "scenarios": scenarios}
    contents = {key: text for key, text in contents.items() if text is not None}
    _, files, settings = fault("", paths=own, outcome=outcome, **contents)
    write(here, files)
    snakemake = fake(here, settings)
    save(snakemake, responses(snakemake.params.step))
    assert read("scenarios.parquet", ingest.SCENARIOS).num_rows == 2
