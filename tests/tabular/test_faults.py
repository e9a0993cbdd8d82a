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
SCENARIOS = "scenario,topic,n_options\ns1,a,2\ns2,b,2\n"
PERSONS = "scenario,value,respondent\n"
WEIGHTED = "scenario,value,weight\n"
RATED_4_5 = "scenario,simulator,value\ns1,model,4\ns2,model,5\n"
PACKED = gzip.compress(HUMAN.encode())
ANSWERS = parquet(scenario=["s1", "s1", "s2", "s2"] * 50, value=["yes", "no"] * 100)
LEVELS = ["no", "yes"]


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


def fault(
    wanted,
    *,
    human=HUMAN,
    simulated=SIMULATED,
    scenarios=None,
    kind=None,
    paths=None,
    more=None,
    **settings,
):
    """Return the fault in short, the files and the settings.

    A file is a text or bytes, or a pair of another name and them; ``kind`` may be the outcome,
    ``paths`` say what the config names instead, and ``more`` are further files.
    """
    contents = {"human": human, "simulated": simulated, "scenarios": scenarios}
    files = dict(more or {})
    for key, content in contents.items():
        if content is not None:
            name, content = content if isinstance(content, tuple) else (f"{key}.csv", content)
            files[name], settings[key] = content, name
    if kind is not None:
        settings["outcome"] = kind if isinstance(kind, dict) else {"kind": kind}
    return wanted, files, settings | (paths or {})


def people(wanted, old, new, **more):
    return fault(wanted, human=changed(HUMAN, old, new), **more)


def model(wanted, old, new, **more):
    return fault(wanted, simulated=changed(SIMULATED, old, new), **more)


def stated(wanted, old, new, **more):
    return fault(wanted, simulated=changed(STATED, old, new), **more)


def rated(wanted, old, new, kind="real", **more):
    return fault(wanted, human=changed(RATINGS, old, new), simulated=RATED, kind=kind, **more)


def packed(wanted, content):
    return fault(wanted, human=("human.csv.gz", content))


def in_parquet(wanted, content=None, kind=None, **columns):
    return fault(wanted, human=("human.parquet", content or parquet(**columns)), kind=kind)


def described(wanted, columns, first, second, human=HUMAN, simulated=SIMULATED, **more):
    text = f"scenario,{columns}\ns1,{first}\ns2,{second}\n"
    return fault(wanted, scenarios=text, human=human, simulated=simulated, **more)


def config(kind, remedy="", **more):
    return fault(f"outcome at datasets.town.outcome{remedy}", kind={"kind": kind, **more})


FILES = {
    "empty": fault("empty-file", human=""),
    "only blank lines": fault("empty-file", human="\n\n \n"),
    "header only": fault("no-rows", human="scenario,value\n"),
    "a byte order mark and no more": fault("empty-file", human=b"\xef\xbb\xbf"),
    "no encoding": fault(
        "not-utf8 at line 2", human=HUMAN.replace("yes", "oui\u0081").encode("latin-1")
    ),
    "half of UTF-16": fault("unreadable", human=HUMAN.encode("utf-16")[:-1]),
    "UTF-16 without a mark": fault("zero-byte at line 1", human=HUMAN.encode("utf-16-le")),
    "zero bytes": people("zero-byte at line 3", "no", "n\0"),
    "ragged, short": people("ragged-row at row 3", "no,6", "no"),
    "ragged, long": people("ragged-row at row 3", "no,6", "no, never,6"),
    "a column twice": people("column-twice at value", "count", "value"),
    "a column twice but for white space": people("column-twice at value", "count", " value "),
    "a column without a name": fault(
        "column-without-name", human="," + HUMAN.replace("\n", "\n0,")[:-2]
    ),
    "a quote that is not closed": people("open-quote", "no,6", '"no,6'),
    "quotes that swallow a row": fault(
        "answer-over-lines at row 2, value; unlisted",
        human=changed(changed(HUMAN, "yes,4", '"yes,4'), "no,6", 'no",6'),
    ),
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
    "Parquet of lists": in_parquet("not-text-or-number at value", scenario=["s1"], value=[["yes"]]),
    "Parquet with infinity": in_parquet(
        "no-answer-text at row 2, value; missing",
        scenario=["s1", "s1"],
        value=[1.0, float("inf")],
        kind="real",
    ),
    "a pickle called Parquet": in_parquet("unreadable", pickle.dumps(Touch())),
    "a pickle called CSV": fault("zero-byte at line 1", human=pickle.dumps(Touch())),
    "a spreadsheet that nothing reads": fault(
        "unknown-suffix", human=("human.numbers", b"PK\x03\x04")
    ),
    "a ZIP file called CSV": fault("other-kind-of-file", human=zipped(HUMAN)),
    "Excel called CSV": fault("other-kind-of-file", human=b"PK\x03\x04rest"),
    "another kind of file": fault("unknown-suffix", human=("human.por", "x")),
    "a web page called CSV": fault("web-page", human="<html>\n<body>\n<td>scenario</td>\n"),
    "JSON Lines called CSV": fault(
        "unreadable at row 1", human='{"scenario":"s1","value":"yes"}\n' * 4
    ),
    "a folder": fault("file-not-there", human=("human.d/x", "x"), paths={"human": "human.d"}),
    "no file": fault("file-not-there", paths={"human": "people.csv"}),
    "a link to a program": fault("not-utf8 at line 1", paths={"human": "linked.csv"}),
}
NO_NUMBERS = ["six", "", "inf", "1e400", "=2+4", "0x10", "1_0", "\u0661\u0662"]
ANSWERED = {
    "no scenario column": people("unclear-form; form, columns.scenario", "scenario", "thing"),
    "no value column": people("unclear-form; form, columns.value", "value", "thing"),
    "a column with a typo": people("likely-typo at cuont; columns.count", "count", "cuont"),
    "a column in capitals": people("likely-typo at Count; columns.count", "count", "Count"),
    "a mapped column that is not there": fault(
        "no-such-column at datasets.town.columns.value", columns={"value": "answer"}, form="long"
    ),
    "an empty scenario": people("empty-cell at row 4, scenario", "s2,yes", ",yes"),
    "a control character": people("control-character at row 4, scenario", "s2,yes", "s\x072,yes"),
    "a mark of byte order": people("control-character at row 4, scenario", "s2", "\ufeffs2"),
    "an invisible space": people("control-character at row 2, value", "yes", "y\u200bes"),
    **{
        f"a count that is {cell!r}": people("not-a-number at row 3, count", "no,6", f"no,{cell}")
        for cell in NO_NUMBERS
    },
    "a count with a comma": people("not-a-number at row 3, count; decimal", "no,6", 'no,"6,5"'),
    "a count of billions": people("wrong-rows", "no,6", "no,6e9"),
    "a count beyond exact numbers": people("wrong-rows", "no,6", f"no,{2**53 + 1}"),
    "counts whose sum is beyond": fault(
        "wrong-rows", human=HUMAN.replace(",4", ",6e8").replace(",6\n", ",6e8\n")
    ),
    "a count that is negative": people("negative at row 3, count", "no,6", "no,-6"),
    "a count of people that is a fraction": people(
        "count-not-whole at row 3, count; weighting_effect, columns.percent, base", "no,6", "no,6.5"
    ),
    "a count of a simulator that is a fraction": model(
        "count-not-whole at row 3, count", "no,8", "no,.8", weighting_effect=1.5
    ),
    "a design effect that is huge": fault("wrong-rows", weighting_effect=1e5),
    "an answer twice": fault("answer-twice at row 6, value", human=HUMAN + "s1,yes,3\n"),
    "an answer of a simulator twice": fault(
        "answer-twice at row 5, value", simulated=SIMULATED + "s1,model,no,3\n"
    ),
    "NaN for no answer": people("no-answer-text at row 5, value; missing", "s2,no", "s2,NaN"),
    "NA for no answer": people("no-answer-text at row 5, value; missing", "s2,no", "s2,NA"),
    "an answer written in two ways": model(
        "doubtful-answer at row 4, value; recode", "s2,model,no", "s2,model,No"
    ),
    "a coding of its own": fault(
        "nothing-in-common at row 2, value; meanings",
        simulated=SIMULATED.replace("yes", "10").replace("no", "20"),
    ),
    "numbers for yes and no": fault(
        "other-label at row 2, value; recode",
        simulated=SIMULATED.replace("yes", "1").replace("no", "0"),
    ),
    "everybody answers the same": fault(
        "options-unknown at s1; outcome.levels",
        human="scenario,value\ns1,no\ns2,yes\ns2,no\n",
        simulated=changed(SIMULATED, "s1,model,yes,2\n", ""),
    ),
    "binary with three answers": fault(
        "too-many-for-binary at s1; outcome.kind, outcome.kind",
        human=HUMAN + "s1,maybe,3\n",
        kind="binary",
    ),
    "binary with an unknown second answer": fault(
        "other-option-unknown at s1; outcome.kind, outcome.levels",
        human="scenario,value\ns1,yes\ns2,yes\n",
        simulated="scenario,simulator,value\ns1,model,yes\n",
        kind="binary",
    ),
    "not among the levels": fault(
        "no-option at row 6, value; missing",
        human=HUMAN + "s1,maybe,3\n",
        kind={"kind": "categorical", "levels": LEVELS},
    ),
    "a simulator's answer not among the levels": model(
        "no-option at row 4, value; unlisted, missing",
        "s2,model,no",
        "s2,model,I refuse",
        kind={"kind": "categorical", "levels": LEVELS},
    ),
    "ordinal texts without an order": fault(
        "order-unknown; outcome.kind, outcome.levels", kind="ordinal"
    ),
    "ordinal numbers of which some are not used": fault(
        "option-unclear at s1; outcome.levels, scenarios",
        human=RATINGS,
        simulated=RATED_4_5,
        kind="ordinal",
    ),
    "a number with a comma": rated("not-a-number at row 5, value; decimal", "s2,5", 's2,"1,5"'),
    "a date for a number": rated("not-a-number at row 5, value", "s2,5", "s2,2024-05-01"),
    "a truth value for a number": rated(
        "not-a-number at row 5, value", "s2,5", "s2,TRUE", {"kind": "bounded", "bounds": [0, 10]}
    ),
    "a number that is infinite": rated("no-answer-text at row 3, value; missing", "4", "-inf"),
    "a number that is huge": rated("wrong-rows", "4", "-1e308"),
    "outside the bounds": fault(
        "outside-range at row 2, value; outcome.bounds",
        human=RATINGS,
        simulated="scenario,simulator,value\ns1,model,11\n",
        kind={"kind": "bounded", "bounds": [0, 10]},
    ),
    "bounded without bounds": fault(
        "range-unknown at row 2, value; outcome.bounds, scenarios", human=RATINGS, kind="bounded"
    ),
    "bounds that are huge": fault(
        "wrong-rows",
        human=RATINGS,
        simulated=RATED,
        kind={"kind": "bounded", "bounds": [-1e308, 1e308]},
    ),
    "numbers that are all the same": fault(
        "one-number-only at s1",
        human="scenario,value\ns1,3\ns1,3\n",
        simulated="scenario,simulator,value\ns1,model,3\n",
        kind="real",
    ),
    "nobody answers": fault("nobody-answered", human="scenario,value,count\ns3,,4\n"),
    "simulators among the people": fault(
        "human-with-simulator at simulator; people", human=SIMULATED
    ),
    "probabilities of people": people(
        "people-state-probabilities at probability", "count", "probability"
    ),
}
SIMULATORS = {
    "a simulator called human": model(
        "simulator-called-human at row 4, simulator", "s2,model", "s2,human"
    ),
    "no simulator column": model("no-simulator-column; columns.simulator", "simulator", "thing"),
    "a simulator of the config that is not in the file": fault(
        "simulator-not-there", simulators=["model", "twin"]
    ),
    "an unknown scenario": fault(
        "unknown-scenario at row 5; predict", simulated=SIMULATED + "s22,model,no,3\n"
    ),
    "a scenario with a zero in front, which is no new one": fault(
        "unknown-scenario at row 5", simulated=SIMULATED + "s02,model,no,3\n"
    ),
    "weights of simulators": model("simulator-weighted at weight; ignore", "count", "weight"),
    "probabilities that do not sum to one": stated(
        "shares-not-one at row 2, value; probabilities", ".75", ".7"
    ),
    "percentages": fault(
        "shares-not-one at row 2, value; columns.percent",
        simulated=STATED.replace(".25", "25").replace(".75", "75"),
    ),
    "a negative probability": stated("negative at row 2, probability", ".25", "-.25"),
    "a probability that is no number": stated("not-a-number at row 2, probability", ".25", "nan"),
    "a probability of an answer twice": stated("answer-twice at row 3, value", "yes,.25", "no,.25"),
    "a probability of nothing": stated(
        "probability-without-option at row 2, value", "yes,.25", ",.25"
    ),
    "counts and probabilities": fault(
        "counts-and-probabilities at probability",
        simulated=changed(SIMULATED, "value", "value,probability")
        .replace("yes", "yes,1")
        .replace("no", "no,1"),
    ),
    "a simulator in two files": fault(
        "simulator-in-two-files at row 2",
        more={"more.csv": SIMULATED},
        paths={"simulated": ["simulated.csv", "more.csv"]},
    ),
    "a file of one simulator that names others": fault(
        "human-with-simulator at simulator; people", paths={"simulated": {"model": "simulated.csv"}}
    ),
    "draws that are too many": fault("wrong-rows", draws=10**9, simulators=["uniform"]),
}
OTHERS = {
    "a scenario described twice": fault(
        "scenario-twice at row 4, scenario", scenarios=SCENARIOS + "s1,b,2\n"
    ),
    "a scenario that is not described": fault(
        "unknown-scenario at row 4", scenarios=changed(SCENARIOS, "s2,b,2\n", "")
    ),
    "a cluster that is no column": fault(
        "no-cluster-column; cluster", scenarios=SCENARIOS, cluster="theme"
    ),
    "an empty cluster": fault(
        "empty-cell at row 3, topic", scenarios=changed(SCENARIOS, "s2,b", "s2,"), cluster="topic"
    ),
    "a scenario in two clusters": fault(
        "scenario-in-two-clusters at row 3, topic",
        human="scenario,value,topic\ns1,yes,a\ns1,no,b\n",
        cluster="topic",
    ),
    "a cluster of answers": fault("scenario-in-two-clusters at row 3, value", cluster="value"),
    **{
        f"{number} options": described("n-options at row 3, n_options", "n_options", "2", number)
        for number in ("1", "1000000000", "-3", "2.5")
    },
    "more answers than options": fault(
        "more-than-n-options at s2", scenarios=SCENARIOS, human=HUMAN + "s2,maybe,4\n"
    ),
    "fewer numbers than options": fault(
        "options-unknown at s1; outcome.levels",
        scenarios=changed(SCENARIOS, "s1,a,2", "s1,a,3").replace("s2,b,2\n", ""),
        human="scenario,value\ns1,10\ns1,20\n",
        simulated="scenario,simulator,value\ns1,model,10\n",
    ),
    "options that are no list": described(
        "malformed-options at row 2, options", "options", "yes; no", "yes | no"
    ),
    "a range upside down": described(
        "upper-not-above-lower at row 3, upper",
        "lower,upper",
        "0,10",
        "10,0",
        RATINGS,
        kind="bounded",
    ),
    "a range without end": described(
        "not-a-number at row 2, lower",
        "lower,upper",
        "-inf,inf",
        "0,9",
        RATINGS,
        RATED,
        kind="bounded",
    ),
    "a respondent twice": fault(
        "respondent-twice at row 4, respondent", human=PERSONS + "s1,yes,7\ns2,no,7\ns1,no,7\n"
    ),
    **{
        f"a weight of {weight!r}": fault(
            f"{code} at row 3, weight", human=WEIGHTED + f"s1,yes,1\ns1,no,{weight}\ns2,yes,1\n"
        )
        for weight, code in {
            "-1": "negative",
            "": "not-a-number",
            "NaN": "not-a-number",
            "1e308": "weight-too-large",
            "5e-324": "weight-too-large",
        }.items()
    },
    "weights that are empty beside answers of a wide file": fault(
        "not-a-number at row 3, weight; ignore", human="s1,s2,weight\nyes,no,1\nyes,,NA\n,,\n"
    ),
    "weights that are all 0": fault(
        "weights-all-zero at row 3, weight", human=WEIGHTED + "s1,yes,1\ns2,no,0\ns2,yes,0\n"
    ),
    "a persona column that is not there": fault("no-column", personas="a {age}-year-old"),
    "attributes in personas": fault("no-column", personas="{scenario.__class__}"),
    "a wide file without scenarios": fault(
        "no-questions", human="id\n1\n", columns={"respondent": "id"}
    ),
    "a wide file with a column that is no scenario": fault(
        "doubtful-columns; groups, ignore, questions, ignore",
        human="age,s1\n33,yes\n44,no\n",
        simulated="simulator,s1\nmodel,no\n",
        scenarios="scenario\ns1\n",
        form="wide",
    ),
    "a cell table": fault("cell-table", human=CELLS),
}
CONFIG = {
    "levels of numbers": config("real", levels=[1, 2]),
    "bounds of options": config("ordinal", bounds=[0, 1]),
    "bounds upside down": config("bounded", bounds=[1, 0]),
    "bounds that are equal": config("bounded", bounds=[1, 1]),
    "scores of categories": config(
        "categorical", "; outcome.kind", levels=["a", "b"], scores=[1, 2]
    ),
    "too few scores": config("ordinal", levels=["a", "b"], scores=[1, 2, 3]),
    "a level twice": config("ordinal", levels=["1", 1.0]),
    "a level twice but for white space": config("categorical", levels=["no", " no"]),
    "three levels of two": config("binary", "; outcome.kind", levels=[1, 2, 3]),
    **{
        f"scores of {scores}": fault(
            "wrong-rows", kind={"kind": "ordinal", "levels": LEVELS, "scores": scores}
        )
        for scores in ([-1e308, 1e308], [0, 5e-324], [1, 1])
    },
}
CASES = {**FILES, **ANSWERED, **SIMULATORS, **OTHERS, **CONFIG}


# Sentences as users read them: a change of one is to be read as they would.
SENTENCES = {
    "empty": "human.csv: is empty; it needs a header and rows of answers",
    "a quote that is not closed": (
        "human.csv: a double quote is opened and never closed, the last one is in line 3; "
        "close it, and write a quote inside text twice"
    ),
    "gz without its suffix": (
        "human.csv: is a gzip file, not text; save it as CSV UTF-8, or rename it"
    ),
    "Parquet with infinity": (
        "human.parquet, row 2, column 'value': is 'inf'; leave the cell empty where there is "
        "no answer, or put missing: [inf] in the config, or list it among outcome.levels"
    ),
    "another kind of file": (
        "human.por: its name does not end as that of CSV (.csv, .csv.gz), tab-separated text "
        "(.tsv), Parquet (.parquet), SPSS (.sav, .zsav), Stata (.dta), Excel (.xlsx, .xls, "
        ".ods) or JSON Lines (.jsonl); save it as one of them"
    ),
    "no scenario column": (
        "human.csv: has a column 'value', but the form is not clear from its columns (thing, "
        "value, count): long files have scenario and value; rename them, name yours under columns, "
        "or put form: wide in the config if each column is a scenario"
    ),
    "a count of billions": (
        "human.csv and simulated.csv, row 1, scenario 's1', source 'human': column 'count' "
        "adds up to a billion or more, beyond what can be subsampled; check the unit, or "
        "lower draws (1 more like it)"
    ),
    "a coding of its own": (
        "simulated.csv, row 2, column 'value': 'model' answers '10', '20', people 'no', 'yes': "
        "nothing in common; recode one of them"
    ),
    "binary with an unknown second answer": (
        "human.csv and simulated.csv, scenario 's1': everybody answers 'yes', so the other "
        "option is unknown; list both, outcome: {kind: binary, levels: [...]} in the config"
    ),
    "ordinal texts without an order": (
        "human.csv and simulated.csv: the answers are texts ('no', 'yes'), so their order is "
        "unknown; list them in order, outcome: {kind: ordinal, levels: [...]} in the config"
    ),
    "bounded without bounds": (
        "human.csv, row 2, column 'value': 1 cannot be checked, as the range of scenario 's1'"
        " is unknown; put outcome.bounds, or columns lower and upper into the file of scenarios"
    ),
    "simulators among the people": (
        "human.csv, column 'simulator': says who answers, but 'human' is named for "
        "the whole file; if some of its rows are people's, name the file under simulated, too, and "
        "say what it calls people, people: ... in the config; if all are, list the column under "
        "ignore; scores of models go into a config, as in docs/howto/evaluations.md"
    ),
    "no simulator column": (
        "simulated.csv: has no column 'simulator' that says who answers; there are: scenario,"
        " thing, value, count; add it, name yours, columns: {simulator: ...} in the config, "
        "or give each simulator a file of its own, simulated: {name: file}"
    ),
    "counts and probabilities": (
        "simulated.csv, column 'probability': a file has counts or stated probabilities, not "
        "both; make two files of it, simulated: [counts.csv, stated.csv]"
    ),
    "a cluster that is no column": (
        "human.csv: has the columns scenario, value, count and scenario, topic, n_options in "
        "scenarios.csv, but no 'theme', the cluster; add it, name another, or put cluster: none "
        "in the config"
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
    assert case in CONFIG or re.search(r"\b\w+\.(csv|parquet|numbers|por|d)\b", message)
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
    (RATINGS, RATED, "scenario,n_options\ns1,4\ns2,\n", ORDINAL),
    (RATINGS, RATED, RANGES, {"kind": "bounded"}),
    (RATINGS, RATED, None, {"kind": "bounded", "bounds": [0, 10]}),
    (RATINGS, RATED, None, {"kind": "real"}),
]


@pytest.mark.sampled
@pytest.mark.parametrize("case", range(len(SOUND)))
def test_sound_files_of_every_form_are_served(here, case):
    human, simulated, scenarios, outcome = SOUND[case]
    own = {"columns": {"respondent": "id"}} if human.startswith("id,") else {}
    _, files, settings = fault(
        "", human=human, simulated=simulated, scenarios=scenarios, kind=outcome, **own
    )
    write(here, files)
    snakemake = fake(here, settings)
    save(snakemake, responses(snakemake.params.step))
    assert read("scenarios.parquet", ingest.SCENARIOS).num_rows == 2
