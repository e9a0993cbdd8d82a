"""Wrong files and settings: one message each, with the place and the remedy; nothing written."""

import gzip
import re
import runpy
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
from fidelity_study.tables.ingest import INGESTED, OUTCOMES
from fidelity_study.tables.read_write import read

ROOM = Path(__file__).parents[2] / "workflow" / "datasets" / "tabular"
SCENARIOS = "scenario,topic,n_options\ns1,a,2\ns2,b,2\n"


def binary(kind="binary", **more):
    return {"outcome": {"kind": kind, **more}}


def human(old, new):
    return {"human.csv": changed(HUMAN, old, new)}


def more_human(rows):
    return {"human.csv": HUMAN + rows}


def simulated(old, new):
    return {"simulated.csv": changed(SIMULATED, old, new)}


def stated(old, new):
    return {"simulated.csv": changed(STATED, old, new)}


def ratings(old, new):
    return {"human.csv": changed(RATINGS, old, new)}


OF_GZIP, OF_PARQUET = {"human": "human.csv.gz"}, {"human": "human.parquet"}
DESCRIBED = {"scenarios": "scenarios.csv"}
# name: (the fault in short, files that differ from the sound ones, settings that differ)
FILES = {
    "empty": ("empty-file", {"human.csv": ""}),
    "only blank lines": ("empty-file", {"human.csv": "\n\n \n"}),
    "header only": ("no-rows", {"human.csv": "scenario,value\n"}),
    "a byte order mark and no more": ("empty-file", {"human.csv": b"\xef\xbb\xbf"}),
    "no encoding": (
        "not-utf8 at line 2",
        {"human.csv": HUMAN.replace("yes", "oui\u0081").encode("latin-1")},
    ),
    "half of UTF-16": ("unreadable", {"human.csv": HUMAN.encode("utf-16")[:-1]}),
    "zero bytes": ("zero-byte at line 3", human("no", "n\0")),
    "ragged, short": ("ragged-row at row 3", human("no,6", "no")),
    "ragged, long": ("ragged-row at row 3", human("no,6", "no, never,6")),
    "a column twice": ("column-twice at value", human("count", "value")),
    "a column twice but for white space": ("column-twice at value", human("count", " value ")),
    "a column without a name": (
        "column-without-name",
        {"human.csv": "," + HUMAN.replace("\n", "\n0,")[:-2]},
    ),
    "a quote that is not closed": ("open-quote", human("no,6", '"no,6')),
    "quotes that swallow a row": (
        "answer-over-lines at row 2, value; unlisted",
        {"human.csv": changed(changed(HUMAN, "yes,4", '"yes,4'), "no,6", 'no",6')},
    ),
    "gz that is none": ("no-gzip", {"human.csv.gz": HUMAN}, OF_GZIP),
    "gz that is cut": ("no-gzip", {"human.csv.gz": gzip.compress(HUMAN.encode())[:-12]}, OF_GZIP),
    "gz without its suffix": ("other-kind-of-file", {"human.csv": gzip.compress(HUMAN.encode())}),
    "Parquet that is none": ("unreadable", {"human.parquet": HUMAN}, OF_PARQUET),
    "Parquet that is cut": (
        "unreadable",
        {"human.parquet": parquet(scenario=["s1"], value=["yes"])[:-9]},
        OF_PARQUET,
    ),
    "Parquet called CSV": (
        "other-kind-of-file",
        {"human.csv": parquet(scenario=["s1"], value=["yes"])},
    ),
    "Parquet of bytes": (
        "not-text-or-number at value",
        {"human.parquet": parquet(scenario=["s1"], value=[b"yes"])},
        OF_PARQUET,
    ),
    "Parquet of lists": (
        "not-text-or-number at value",
        {"human.parquet": parquet(scenario=["s1"], value=[["yes"]])},
        OF_PARQUET,
    ),
    "Parquet with infinity": (
        "no-answer-text at row 2, value; missing",
        {"human.parquet": parquet(scenario=["s1", "s1"], value=[1.0, float("inf")])},
        {"human": "human.parquet", **binary("real")},
    ),
    "a spreadsheet that nothing reads": (
        "unknown-suffix",
        {"human.numbers": b"PK\x03\x04"},
        {"human": "human.numbers"},
    ),
    "Excel called CSV": ("other-kind-of-file", {"human.csv": b"PK\x03\x04rest"}),
    "another kind of file": ("unknown-suffix", {"human.por": "x"}, {"human": "human.por"}),
    "a folder": ("file-not-there", {"human.d/x": "x"}, {"human": "human.d"}),
    "no file": ("file-not-there", {}, {"human": "people.csv"}),
}
ANSWERS = {
    "no scenario column": ("unclear-form; form, columns.scenario", human("scenario", "thing")),
    "no value column": ("unclear-form; form, columns.value", human("value", "thing")),
    "a column with a typo": ("likely-typo at cuont; columns.count", human("count", "cuont")),
    "a column in capitals": ("likely-typo at Count; columns.count", human("count", "Count")),
    "a mapped column that is not there": (
        "no-such-column at datasets.town.columns.value",
        {},
        {"columns": {"value": "answer"}, "form": "long"},
    ),
    "an empty scenario": ("empty-cell at row 4, scenario", human("s2,yes", ",yes")),
    "a control character": ("control-character at row 4, scenario", human("s2,yes", "s\x072,yes")),
    "a count that is text": ("not-a-number at row 3, count", human("no,6", "no,six")),
    "a count with a comma": ("not-a-number at row 3, count; decimal", human("no,6", 'no,"6,5"')),
    "a count that is empty": ("not-a-number at row 3, count", human("no,6", "no,")),
    "a count that is infinite": ("not-a-number at row 3, count", human("no,6", "no,inf")),
    "a count that is huge": ("not-a-number at row 3, count", human("no,6", "no,1e400")),
    "a count of billions": ("wrong-rows", human("no,6", "no,6e9")),
    "a count that is negative": ("negative at row 3, count", human("no,6", "no,-6")),
    "a count of people that is a fraction": (
        "count-not-whole at row 3, count; weighting_effect, columns.percent, base",
        human("no,6", "no,6.5"),
    ),
    "a count of a simulator that is a fraction": (
        "count-not-whole at row 3, count",
        simulated("no,8", "no,.8"),
        {"weighting_effect": 1.5},
    ),
    "an answer twice": ("answer-twice at row 6, value", more_human("s1,yes,3\n")),
    "an answer of a simulator twice": (
        "answer-twice at row 5, value",
        {"simulated.csv": SIMULATED + "s1,model,no,3\n"},
    ),
    "NaN for no answer": ("no-answer-text at row 5, value; missing", human("s2,no", "s2,NaN")),
    "NA for no answer": ("no-answer-text at row 5, value; missing", human("s2,no", "s2,NA")),
    "an answer written in two ways": (
        "doubtful-answer at row 4, value; recode",
        simulated("s2,model,no", "s2,model,No"),
    ),
    "a coding of its own": (
        "nothing-in-common at row 2, value; meanings",
        {"simulated.csv": SIMULATED.replace("yes", "10").replace("no", "20")},
    ),
    "numbers for yes and no": (
        "other-label at row 2, value; recode",
        {"simulated.csv": SIMULATED.replace("yes", "1").replace("no", "0")},
    ),
    "everybody answers the same": (
        "options-unknown at s1; outcome.levels",
        {
            "human.csv": "scenario,value\ns1,no\ns2,yes\ns2,no\n",
            "simulated.csv": changed(SIMULATED, "s1,model,yes,2\n", ""),
        },
    ),
    "binary with three answers": (
        "too-many-for-binary at s1; outcome.kind, outcome.kind",
        more_human("s1,maybe,3\n"),
        binary(),
    ),
    "binary with an unknown second answer": (
        "other-option-unknown at s1; outcome.kind, outcome.levels",
        {
            "human.csv": "scenario,value\ns1,yes\ns2,yes\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,yes\n",
        },
        binary(),
    ),
    "not among the levels": (
        "no-option at row 6, value; missing",
        more_human("s1,maybe,3\n"),
        binary("categorical", levels=["yes", "no"]),
    ),
    "a simulator's answer not among the levels": (
        "no-option at row 4, value; unlisted, missing",
        simulated("s2,model,no", "s2,model,I refuse"),
        binary("categorical", levels=["yes", "no"]),
    ),
    "ordinal texts without an order": (
        "order-unknown; outcome.kind, outcome.levels",
        {},
        binary("ordinal"),
    ),
    "ordinal numbers of which some are not used": (
        "option-unclear at s1; outcome.levels, scenarios",
        {
            "human.csv": RATINGS,
            "simulated.csv": "scenario,simulator,value\ns1,model,4\ns2,model,5\n",
        },
        binary("ordinal"),
    ),
    "a number with a comma": (
        "not-a-number at row 5, value; decimal",
        ratings("s2,5", 's2,"1,5"'),
        binary("real"),
    ),
    "a date for a number": (
        "not-a-number at row 5, value",
        ratings("s2,5", "s2,2024-05-01"),
        binary("real"),
    ),
    "a truth value for a number": (
        "not-a-number at row 5, value",
        ratings("s2,5", "s2,TRUE"),
        binary("bounded", bounds=[0, 10]),
    ),
    "outside the bounds": (
        "outside-range at row 2, value; outcome.bounds",
        {"human.csv": RATINGS, "simulated.csv": "scenario,simulator,value\ns1,model,11\n"},
        binary("bounded", bounds=[0, 10]),
    ),
    "bounded without bounds": (
        "range-unknown at row 2, value; outcome.bounds, scenarios",
        {"human.csv": RATINGS},
        binary("bounded"),
    ),
    "numbers that are all the same": (
        "one-number-only at s1",
        {
            "human.csv": "scenario,value\ns1,3\ns1,3\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,3\n",
        },
        binary("real"),
    ),
    "nobody answers": ("nobody-answered", {"human.csv": "scenario,value,count\ns3,,4\n"}),
    "simulators among the people": (
        "human-with-simulator at simulator; people",
        {"human.csv": SIMULATED},
    ),
    "probabilities of people": (
        "people-state-probabilities at probability",
        human("count", "probability"),
    ),
}
SIMULATORS = {
    "a simulator called human": (
        "simulator-called-human at row 4, simulator",
        simulated("s2,model", "s2,human"),
    ),
    "no simulator column": (
        "no-simulator-column; columns.simulator",
        simulated("simulator", "thing"),
    ),
    "a simulator of the config that is not in the file": (
        "simulator-not-there",
        {},
        {"simulators": ["model", "twin"]},
    ),
    "an unknown scenario": (
        "unknown-scenario at row 5; predict",
        {"simulated.csv": SIMULATED + "s22,model,no,3\n"},
    ),
    "a scenario with a zero in front, which is no new one": (
        "unknown-scenario at row 5",
        {"simulated.csv": SIMULATED + "s02,model,no,3\n"},
    ),
    "weights of simulators": ("simulator-weighted at weight; ignore", simulated("count", "weight")),
    "probabilities that do not sum to one": (
        "shares-not-one at row 2, value; probabilities",
        stated(".75", ".7"),
    ),
    "percentages": (
        "shares-not-one at row 2, value; columns.percent",
        {"simulated.csv": STATED.replace(".25", "25").replace(".75", "75")},
    ),
    "a negative probability": ("negative at row 2, probability", stated(".25", "-.25")),
    "a probability of an answer twice": (
        "answer-twice at row 3, value",
        stated("yes,.25", "no,.25"),
    ),
    "a probability of nothing": (
        "probability-without-option at row 2, value",
        stated("yes,.25", ",.25"),
    ),
    "counts and probabilities": (
        "counts-and-probabilities at probability",
        {
            "simulated.csv": changed(SIMULATED, "value", "value,probability")
            .replace("yes", "yes,1")
            .replace("no", "no,1")
        },
    ),
    "a simulator in two files": (
        "simulator-in-two-files at row 2",
        {"more.csv": SIMULATED},
        {"simulated": ["simulated.csv", "more.csv"]},
    ),
    "a file of one simulator that names others": (
        "human-with-simulator at simulator; people",
        {},
        {"simulated": {"model": "simulated.csv"}},
    ),
}
OTHERS = {
    "a scenario described twice": (
        "scenario-twice at row 4, scenario",
        {"scenarios.csv": SCENARIOS + "s1,b,2\n"},
        DESCRIBED,
    ),
    "a scenario that is not described": (
        "unknown-scenario at row 4",
        {"scenarios.csv": changed(SCENARIOS, "s2,b,2\n", "")},
        DESCRIBED,
    ),
    "a cluster that is no column": (
        "no-cluster-column; cluster",
        {"scenarios.csv": SCENARIOS},
        {"scenarios": "scenarios.csv", "cluster": "theme"},
    ),
    "an empty cluster": (
        "empty-cell at row 3, topic",
        {"scenarios.csv": changed(SCENARIOS, "s2,b", "s2,")},
        {"scenarios": "scenarios.csv", "cluster": "topic"},
    ),
    "a scenario in two clusters": (
        "scenario-in-two-clusters at row 3, topic",
        {"human.csv": "scenario,value,topic\ns1,yes,a\ns1,no,b\n"},
        {"cluster": "topic"},
    ),
    "one option": (
        "n-options at row 3, n_options",
        {"scenarios.csv": changed(SCENARIOS, "s2,b,2", "s2,b,1")},
        DESCRIBED,
    ),
    "more answers than options": (
        "more-than-n-options at s2",
        {"scenarios.csv": SCENARIOS, "human.csv": HUMAN + "s2,maybe,4\n"},
        DESCRIBED,
    ),
    "fewer numbers than options": (
        "options-unknown at s1; outcome.levels",
        {
            "scenarios.csv": changed(SCENARIOS, "s1,a,2", "s1,a,3").replace("s2,b,2\n", ""),
            "human.csv": "scenario,value\ns1,10\ns1,20\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,10\n",
        },
        DESCRIBED,
    ),
    "options that are no list": (
        "malformed-options at row 2, options",
        {"scenarios.csv": "scenario,options\ns1,yes; no\ns2,yes | no\n"},
        DESCRIBED,
    ),
    "a range upside down": (
        "upper-not-above-lower at row 3, upper",
        {"scenarios.csv": "scenario,lower,upper\ns1,0,10\ns2,10,0\n", "human.csv": RATINGS},
        {"scenarios": "scenarios.csv", **binary("bounded")},
    ),
    "a respondent twice": (
        "respondent-twice at row 4, respondent",
        {"human.csv": "scenario,value,respondent\ns1,yes,7\ns2,no,7\ns1,no,7\n"},
    ),
    "weights that are negative": (
        "negative at row 3, weight",
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns1,no,-1\n"},
    ),
    "weights that are empty": (
        "not-a-number at row 3, weight",
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns1,no,\n"},
    ),
    "weights that are empty beside answers of a wide file": (
        "not-a-number at row 3, weight; ignore",
        {"human.csv": "s1,s2,weight\nyes,no,1\nyes,,NA\n,,\n"},
    ),
    "weights that are all 0": (
        "weights-all-zero at row 3, weight",
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns2,no,0\ns2,yes,0\n"},
    ),
    "a persona column that is not there": ("no-column", {}, {"personas": "a {age}-year-old"}),
    "a wide file without scenarios": (
        "no-questions",
        {"human.csv": "id\n1\n"},
        {"columns": {"respondent": "id"}},
    ),
    "a wide file with a column that is no scenario": (
        "doubtful-columns; groups, ignore, questions, ignore",
        {
            "human.csv": "age,s1\n33,yes\n44,no\n",
            "simulated.csv": "simulator,s1\nmodel,no\n",
            "scenarios.csv": "scenario\ns1\n",
        },
        {"scenarios": "scenarios.csv", "form": "wide"},
    ),
    "a cell table": ("cell-table", {"human.csv": CELLS}),
}
CONFIG = {
    "levels of numbers": ("outcome at datasets.town.outcome", {}, binary("real", levels=[1, 2])),
    "bounds of options": ("outcome at datasets.town.outcome", {}, binary("ordinal", bounds=[0, 1])),
    "bounds upside down": (
        "outcome at datasets.town.outcome",
        {},
        binary("bounded", bounds=[1, 0]),
    ),
    "scores of categories": (
        "outcome at datasets.town.outcome; outcome.kind",
        {},
        binary("categorical", levels=["a", "b"], scores=[1, 2]),
    ),
    "too few scores": (
        "outcome at datasets.town.outcome",
        {},
        binary("ordinal", levels=["a", "b"], scores=[1, 2, 3]),
    ),
    "a level twice": ("outcome at datasets.town.outcome", {}, binary("ordinal", levels=["1", 1.0])),
    "three levels of two": (
        "outcome at datasets.town.outcome; outcome.kind",
        {},
        binary("binary", levels=[1, 2, 3]),
    ),
}
CASES = {**FILES, **ANSWERS, **SIMULATORS, **OTHERS, **CONFIG}


# Sentences as users read them: a change of one is to be read as they would.
SENTENCES = {
    "empty": "human.csv: is empty; it needs a header and rows of answers",
    "a byte order mark and no more": "human.csv: is empty; it needs a header and rows of answers",
    "zero bytes": "human.csv, line 3: holds a zero byte; save the file as CSV UTF-8",
    "a column twice": "human.csv, column 'value': appears twice; give each column its own name",
    "a quote that is not closed": (
        "human.csv: a double quote is opened and never closed, the last one is in line 3; "
        "close it, and write a quote inside text twice"
    ),
    "tabs": (
        "human.csv, row 1: its columns seem to be separated by tabs; save it with commas, or "
        'put separator: "\\t" in the config'
    ),
    "gz without its suffix": (
        "human.csv: is a gzip file, not text; save it as CSV UTF-8, or rename it"
    ),
    "Parquet called CSV": (
        "human.csv: is a Parquet file, not text; save it as CSV UTF-8, or rename it"
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
    "a column in capitals": (
        "human.csv, column 'Count': did you mean 'count'? rename it, or list it under columns"
    ),
    "a control character": (
        "human.csv, row 4, column 'scenario': holds an invisible control character; delete it"
    ),
    "a count that is empty": (
        "human.csv, row 3, column 'count': is empty; it needs a number, or delete the row"
    ),
    "a count of billions": (
        "human.csv and simulated.csv, row 1, scenario 's1', source 'human': column 'count' "
        "adds up to a billion or more, beyond what can be subsampled; check the unit, or "
        "lower draws (1 more like it)"
    ),
    "a count of a simulator that is a fraction": (
        "simulated.csv, row 3, column 'count': is 0.8, not a whole number; mend it; if the "
        "simulator states probabilities, call the column probability"
    ),
    "NaN for no answer": (
        "human.csv, row 5, column 'value': is 'NaN'; leave the cell empty where there is no "
        "answer, or put missing: [NaN] in the config, or list it among outcome.levels"
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
    "a date for a number": (
        "human.csv, row 5, column 'value': is '2024-05-01', not a finite number; mend it or "
        "delete the row"
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
    "weights of simulators": (
        "simulated.csv, column 'weight': only people are weighted; drop the column, or list "
        "it under ignore"
    ),
    "a negative probability": (
        "simulated.csv, row 2, column 'probability': is negative (-0.25); mend it or delete the row"
    ),
    "counts and probabilities": (
        "simulated.csv, column 'probability': a file has counts or stated probabilities, not "
        "both; make two files of it, simulated: [counts.csv, stated.csv]"
    ),
    "a scenario described twice": (
        "scenarios.csv, row 4, column 'scenario': scenario 's1' appears twice; give each one row"
    ),
    "a cluster that is no column": (
        "human.csv: has the columns scenario, value, count and scenario, topic, n_options in "
        "scenarios.csv, but no 'theme', the cluster; add it, name another, or put cluster: none "
        "in the config"
    ),
    "one option": (
        "scenarios.csv, row 3, column 'n_options': is 1; it needs a whole number from 2 to 10000"
    ),
    "options that are no list": (
        "scenarios.csv, row 2, column 'options': is 'yes; no'; list two or more different "
        "options, as in: no | yes"
    ),
    "weights that are negative": (
        "human.csv, row 3, column 'weight': is negative (-1); mend it or delete the row"
    ),
    "a persona column that is not there": (
        "human.csv: has no column 'age', named under personas; there are: scenario, value, count"
    ),
    "probabilities that do not sum to one": (
        "simulated.csv, row 2, column 'value': the shares of 'model' in scenario 's1' sum to "
        "0.95, not to one; list every option once, and divide by the sum; or if each option "
        "has a probability of its own, put probabilities: one_vs_rest in the config, and each"
        " is divided by their sum"
    ),
    "levels of numbers": (
        "datasets.town.outcome: real outcomes are numbers and have no levels or scores; take "
        "them out"
    ),
    "scores of categories": (
        "datasets.town.outcome: categorical options have no scores; call the kind ordinal, or"
        " take them out"
    ),
    "three levels of two": (
        "datasets.town.outcome: binary outcomes have 2 levels, not 3; call the kind ordinal"
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


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, files):
    for name, content in {"human.csv": HUMAN, "simulated.csv": SIMULATED, **files}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def fake(folder, settings):
    named = {"human": "human.csv", "simulated": "simulated.csv", **settings}
    return SimpleNamespace(
        params=SimpleNamespace(step=step(**named)),
        input=[],
        output=OutputFiles(fromdict={name: str(folder / f"{name}.parquet") for name in INGESTED}),
        log=[str(folder / "log")],
        rule="ingest_tabular",
        wildcards={},
    )


@pytest.mark.slow
def test_the_sound_files_are_sound(folder):
    write(folder, {"scenarios.csv": SCENARIOS})
    snakemake = fake(folder, {"scenarios": "scenarios.csv", "cluster": "topic"})
    save(snakemake, responses(snakemake.params.step))
    assert read("outcomes.parquet", OUTCOMES).num_rows == 7
    write(folder, {"human.csv": HUMAN, "simulated.csv": STATED})
    save(fake(folder, {}), responses(fake(folder, {}).params.step))


@pytest.mark.sampled
@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_told_once_with_its_place_and_remedy(folder, case):
    wanted, files, settings = (*CASES[case], {})[:3]
    write(folder, files)
    before = sorted(folder.iterdir())
    snakemake = fake(folder, settings)
    with pytest.raises(DataError) as refusal:
        save(snakemake, responses(snakemake.params.step))
    message = str(refusal.value)
    assert in_short(refusal.value) == wanted, message
    assert message == SENTENCES.get(case, message)
    assert case in CONFIG or re.search(r"\b\w+\.(csv|parquet|numbers|por|d)\b", message)
    assert "\n" not in message
    assert sorted(folder.iterdir()) == before


def test_there_are_enough_broken_files():
    assert sum(bool(case[1]) for case in CASES.values()) >= 40


def test_the_script_prints_the_message_without_a_traceback(folder, capsys):
    write(folder, FILES["no encoding"][1])
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(ROOM / "ingest.py"), init_globals={"snakemake": fake(folder, {})})
    assert stop.value.code == 1
    message = (folder / "log").read_text(encoding="utf-8")
    assert message == capsys.readouterr().err
    assert message.startswith("ingest_tabular: human.csv, line 2: ")
    assert message.count("\n") == 1


def test_all_absent_files_are_named_at_once(folder):
    (folder / "here.csv").touch()
    (folder / "data").mkdir()
    first, second = map(str, missing_files("datasets.a", ["here.csv", "gone.csv", "data"]))
    assert first.startswith("datasets.a: gone.csv is not there; ")
    assert second.startswith("datasets.a: data is a folder; ")
    assert str(folder) in first


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
    (RATINGS, RATED, RANGES, {"kind": "bounded", "bounds": [0, 10]}),
    (RATINGS, RATED, RANGES, {"kind": "real"}),
]
NAMES = ("human.csv", "simulated.csv", "scenarios.csv")


def own_settings(human, described):
    """Return what the config says of a sound study's files."""
    own = {"columns": {"respondent": "id"}} if human.startswith("id,") else {}
    return {**own, "scenarios": "scenarios.csv"} if described else own


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("case", "described"),
    [
        (case, described)
        for case, (*_, outcome) in enumerate(SOUND)
        for described in (False, True)
        if described or outcome != {"kind": "bounded"}
    ],
)
def test_sound_files_of_every_form_are_served(folder, case, described):
    *texts, outcome = SOUND[case]
    write(folder, dict(zip(NAMES, texts, strict=True)))
    own = own_settings(texts[0], described)
    snakemake = fake(folder, {"outcome": outcome, **own})
    save(snakemake, responses(snakemake.params.step))
    assert read("scenarios.parquet", ingest.SCENARIOS).num_rows == 2
