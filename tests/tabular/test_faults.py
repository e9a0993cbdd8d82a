"""Wrong files and settings: one message each, with the place and the remedy; nothing written."""

import gzip
import os
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snakemake.iocontainers import OutputFiles
from sound_files import CELLS, HUMAN, RATED, RATINGS, SIMULATED, STATED, changed, parquet
from tabular_step import step

from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.save import save
from fidelity_study.reading.tabular import text
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.reading.tabular.files import missing_files
from fidelity_study.tables import ingest
from fidelity_study.tables.ingest import INGESTED, OUTCOMES
from fidelity_study.tables.read_write import read

ROOM = Path(__file__).parents[2] / "workflow" / "datasets" / "tabular"
SCENARIOS = "scenario,topic,n_options\ns1,a,2\ns2,b,2\n"


def binary(kind="binary", **more):
    return {"outcome": {"kind": kind, **more}}


# name: (files that differ from the sound ones, settings that differ, the fault in short)
FILES = {
    "empty": ({"human.csv": ""}, {}, "empty-file"),
    "only blank lines": ({"human.csv": "\n\n \n"}, {}, "empty-file"),
    "header only": ({"human.csv": "scenario,value\n"}, {}, "no-rows"),
    "a byte order mark and no more": ({"human.csv": b"\xef\xbb\xbf"}, {}, "empty-file"),
    "no encoding": (
        {"human.csv": HUMAN.replace("yes", "oui\u0081").encode("latin-1")},
        {},
        "not-utf8 at line 2",
    ),
    "half of UTF-16": ({"human.csv": HUMAN.encode("utf-16")[:-1]}, {}, "unreadable"),
    "zero bytes": ({"human.csv": changed(HUMAN, "no", "n\0")}, {}, "zero-byte at line 3"),
    "ragged, short": ({"human.csv": changed(HUMAN, "no,6", "no")}, {}, "ragged-row at row 3"),
    "ragged, long": (
        {"human.csv": changed(HUMAN, "no,6", "no, never,6")},
        {},
        "ragged-row at row 3",
    ),
    "a column twice": (
        {"human.csv": changed(HUMAN, "count", "value")},
        {},
        "column-twice at value",
    ),
    "a column twice but for white space": (
        {"human.csv": changed(HUMAN, "count", " value ")},
        {},
        "column-twice at value",
    ),
    "a column without a name": (
        {"human.csv": "," + HUMAN.replace("\n", "\n0,")[:-2]},
        {},
        "column-without-name",
    ),
    "a quote that is not closed": (
        {"human.csv": changed(HUMAN, "no,6", '"no,6')},
        {},
        "open-quote",
    ),
    "quotes that swallow a row": (
        {"human.csv": changed(changed(HUMAN, "yes,4", '"yes,4'), "no,6", 'no",6')},
        {},
        "answer-over-lines at row 2, value; unlisted",
    ),
    "gz that is none": ({"human.csv.gz": HUMAN}, {"human": "human.csv.gz"}, "no-gzip"),
    "gz that is cut": (
        {"human.csv.gz": gzip.compress(HUMAN.encode())[:-12]},
        {"human": "human.csv.gz"},
        "no-gzip",
    ),
    "gz without its suffix": (
        {"human.csv": gzip.compress(HUMAN.encode())},
        {},
        "other-kind-of-file",
    ),
    "Parquet that is none": ({"human.parquet": HUMAN}, {"human": "human.parquet"}, "unreadable"),
    "Parquet that is cut": (
        {"human.parquet": parquet(scenario=["s1"], value=["yes"])[:-9]},
        {"human": "human.parquet"},
        "unreadable",
    ),
    "Parquet called CSV": (
        {"human.csv": parquet(scenario=["s1"], value=["yes"])},
        {},
        "other-kind-of-file",
    ),
    "Parquet of dates": (
        {"human.parquet": parquet(scenario=["s1"], value=pd.to_datetime(["2024-01-01"]))},
        {"human": "human.parquet"},
        "not-text-or-number at value",
    ),
    "Parquet of lists": (
        {"human.parquet": parquet(scenario=["s1"], value=[["yes"]])},
        {"human": "human.parquet"},
        "not-text-or-number at value",
    ),
    "Parquet with infinity": (
        {"human.parquet": parquet(scenario=["s1", "s1"], value=[1.0, float("inf")])},
        {"human": "human.parquet", **binary("real")},
        "no-answer-text at row 2, value; missing",
    ),
    "a spreadsheet that nothing reads": (
        {"human.numbers": b"PK\x03\x04"},
        {"human": "human.numbers"},
        "unknown-suffix",
    ),
    "Excel called CSV": ({"human.csv": b"PK\x03\x04rest"}, {}, "other-kind-of-file"),
    "another kind of file": ({"human.por": "x"}, {"human": "human.por"}, "unknown-suffix"),
    "a folder": ({"human.d/x": "x"}, {"human": "human.d"}, "file-not-there"),
    "no file": ({}, {"human": "people.csv"}, "file-not-there"),
}
ANSWERS = {
    "no scenario column": (
        {"human.csv": changed(HUMAN, "scenario", "thing")},
        {},
        "unclear-form; form, columns.scenario",
    ),
    "no value column": (
        {"human.csv": changed(HUMAN, "value", "thing")},
        {},
        "unclear-form; form, columns.value",
    ),
    "a column with a typo": (
        {"human.csv": changed(HUMAN, "count", "cuont")},
        {},
        "likely-typo at cuont; columns.count",
    ),
    "a column in capitals": (
        {"human.csv": changed(HUMAN, "count", "Count")},
        {},
        "likely-typo at Count; columns.count",
    ),
    "a mapped column that is not there": (
        {},
        {"columns": {"value": "answer"}, "form": "long"},
        "no-such-column at datasets.town.columns.value",
    ),
    "an empty scenario": (
        {"human.csv": changed(HUMAN, "s2,yes", ",yes")},
        {},
        "empty-cell at row 4, scenario",
    ),
    "a control character": (
        {"human.csv": changed(HUMAN, "s2,yes", "s\x072,yes")},
        {},
        "control-character at row 4, scenario",
    ),
    "a count that is text": (
        {"human.csv": changed(HUMAN, "no,6", "no,six")},
        {},
        "not-a-number at row 3, count",
    ),
    "a count with a comma": (
        {"human.csv": changed(HUMAN, "no,6", 'no,"6,5"')},
        {},
        "not-a-number at row 3, count; decimal",
    ),
    "a count that is empty": (
        {"human.csv": changed(HUMAN, "no,6", "no,")},
        {},
        "not-a-number at row 3, count",
    ),
    "a count that is infinite": (
        {"human.csv": changed(HUMAN, "no,6", "no,inf")},
        {},
        "not-a-number at row 3, count",
    ),
    "a count that is huge": (
        {"human.csv": changed(HUMAN, "no,6", "no,1e400")},
        {},
        "not-a-number at row 3, count",
    ),
    "a count of billions": ({"human.csv": changed(HUMAN, "no,6", "no,6e9")}, {}, "wrong-rows"),
    "a count that is negative": (
        {"human.csv": changed(HUMAN, "no,6", "no,-6")},
        {},
        "negative at row 3, count",
    ),
    "a count of people that is a fraction": (
        {"human.csv": changed(HUMAN, "no,6", "no,6.5")},
        {},
        "count-not-whole at row 3, count; weighting_effect, columns.percent, base",
    ),
    "a count of a simulator that is a fraction": (
        {"simulated.csv": changed(SIMULATED, "no,8", "no,.8")},
        {"weighting_effect": 1.5},
        "count-not-whole at row 3, count",
    ),
    "an answer twice": ({"human.csv": HUMAN + "s1,yes,3\n"}, {}, "answer-twice at row 6, value"),
    "an answer of a simulator twice": (
        {"simulated.csv": SIMULATED + "s1,model,no,3\n"},
        {},
        "answer-twice at row 5, value",
    ),
    "NaN for no answer": (
        {"human.csv": changed(HUMAN, "s2,no", "s2,NaN")},
        {},
        "no-answer-text at row 5, value; missing",
    ),
    "NA for no answer": (
        {"human.csv": changed(HUMAN, "s2,no", "s2,NA")},
        {},
        "no-answer-text at row 5, value; missing",
    ),
    "an answer written in two ways": (
        {"simulated.csv": changed(SIMULATED, "s2,model,no", "s2,model,No")},
        {},
        "doubtful-answer at row 4, value; recode",
    ),
    "a coding of its own": (
        {"simulated.csv": SIMULATED.replace("yes", "10").replace("no", "20")},
        {},
        "nothing-in-common at row 2, value",
    ),
    "numbers for yes and no": (
        {"simulated.csv": SIMULATED.replace("yes", "1").replace("no", "0")},
        {},
        "other-label at row 2, value; recode",
    ),
    "everybody answers the same": (
        {
            "human.csv": "scenario,value\ns1,no\ns2,yes\ns2,no\n",
            "simulated.csv": changed(SIMULATED, "s1,model,yes,2\n", ""),
        },
        {},
        "options-unknown at s1; outcome.levels",
    ),
    "binary with three answers": (
        {"human.csv": HUMAN + "s1,maybe,3\n"},
        binary(),
        "too-many-for-binary at s1; outcome.kind, outcome.kind",
    ),
    "binary with an unknown second answer": (
        {
            "human.csv": "scenario,value\ns1,yes\ns2,yes\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,yes\n",
        },
        binary(),
        "other-option-unknown at s1; outcome.kind, outcome.levels",
    ),
    "not among the levels": (
        {"human.csv": HUMAN + "s1,maybe,3\n"},
        binary("categorical", levels=["yes", "no"]),
        "no-option at row 6, value; missing",
    ),
    "a simulator's answer not among the levels": (
        {"simulated.csv": changed(SIMULATED, "s2,model,no", "s2,model,I refuse")},
        binary("categorical", levels=["yes", "no"]),
        "no-option at row 4, value; unlisted, missing",
    ),
    "ordinal texts without an order": (
        {},
        binary("ordinal"),
        "order-unknown; outcome.kind, outcome.levels",
    ),
    "ordinal numbers of which some are not used": (
        {
            "human.csv": RATINGS,
            "simulated.csv": "scenario,simulator,value\ns1,model,4\ns2,model,5\n",
        },
        binary("ordinal"),
        "option-unclear at s1; outcome.levels, scenarios",
    ),
    "a number with a comma": (
        {"human.csv": changed(RATINGS, "s2,5", 's2,"1,5"')},
        binary("real"),
        "not-a-number at row 5, value; decimal",
    ),
    "a date for a number": (
        {"human.csv": changed(RATINGS, "s2,5", "s2,2024-05-01")},
        binary("real"),
        "not-a-number at row 5, value",
    ),
    "a truth value for a number": (
        {"human.csv": changed(RATINGS, "s2,5", "s2,TRUE")},
        binary("bounded", bounds=[0, 10]),
        "not-a-number at row 5, value",
    ),
    "outside the bounds": (
        {"human.csv": RATINGS, "simulated.csv": "scenario,simulator,value\ns1,model,11\n"},
        binary("bounded", bounds=[0, 10]),
        "outside-range at row 2, value; outcome.bounds",
    ),
    "bounded without bounds": (
        {"human.csv": RATINGS},
        binary("bounded"),
        "range-unknown at row 2, value; outcome.bounds, scenarios",
    ),
    "numbers that are all the same": (
        {
            "human.csv": "scenario,value\ns1,3\ns1,3\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,3\n",
        },
        binary("real"),
        "one-number-only at s1",
    ),
    "nobody answers": ({"human.csv": "scenario,value,count\ns3,,4\n"}, {}, "nobody-answered"),
    "simulators among the people": (
        {"human.csv": SIMULATED},
        {},
        "human-with-simulator at simulator; people",
    ),
    "probabilities of people": (
        {"human.csv": changed(HUMAN, "count", "probability")},
        {},
        "people-state-probabilities at probability",
    ),
}
SIMULATORS = {
    "a simulator called human": (
        {"simulated.csv": changed(SIMULATED, "s2,model", "s2,human")},
        {},
        "simulator-called-human at row 4, simulator",
    ),
    "no simulator column": (
        {"simulated.csv": changed(SIMULATED, "simulator", "thing")},
        {},
        "no-simulator-column; columns.simulator",
    ),
    "a simulator of the config that is not in the file": (
        {},
        {"simulators": ["model", "twin"]},
        "simulator-not-there",
    ),
    "an unknown scenario": (
        {"simulated.csv": SIMULATED + "s22,model,no,3\n"},
        {},
        "unknown-scenario at row 5; predict",
    ),
    "a scenario with a zero in front, which is no new one": (
        {"simulated.csv": SIMULATED + "s02,model,no,3\n"},
        {},
        "unknown-scenario at row 5",
    ),
    "weights of simulators": (
        {"simulated.csv": changed(SIMULATED, "count", "weight")},
        {},
        "simulator-weighted at weight; ignore",
    ),
    "probabilities that do not sum to one": (
        {"simulated.csv": changed(STATED, ".75", ".7")},
        {},
        "shares-not-one at row 2, value; probabilities",
    ),
    "percentages": (
        {"simulated.csv": STATED.replace(".25", "25").replace(".75", "75")},
        {},
        "shares-not-one at row 2, value; columns.percent",
    ),
    "a negative probability": (
        {"simulated.csv": changed(STATED, ".25", "-.25")},
        {},
        "negative at row 2, probability",
    ),
    "a probability of an answer twice": (
        {"simulated.csv": changed(STATED, "yes,.25", "no,.25")},
        {},
        "answer-twice at row 3, value",
    ),
    "a probability of nothing": (
        {"simulated.csv": changed(STATED, "yes,.25", ",.25")},
        {},
        "probability-without-option at row 2, value",
    ),
    "counts and probabilities": (
        {
            "simulated.csv": changed(SIMULATED, "value", "value,probability")
            .replace("yes", "yes,1")
            .replace("no", "no,1")
        },
        {},
        "counts-and-probabilities at probability",
    ),
    "a simulator in two files": (
        {"more.csv": SIMULATED},
        {"simulated": ["simulated.csv", "more.csv"]},
        "simulator-in-two-files at row 2",
    ),
    "a file of one simulator that names others": (
        {},
        {"simulated": {"model": "simulated.csv"}},
        "human-with-simulator at simulator; people",
    ),
}
OTHERS = {
    "a scenario described twice": (
        {"scenarios.csv": SCENARIOS + "s1,b,2\n"},
        {"scenarios": "scenarios.csv"},
        "scenario-twice at row 4, scenario",
    ),
    "a scenario that is not described": (
        {"scenarios.csv": changed(SCENARIOS, "s2,b,2\n", "")},
        {"scenarios": "scenarios.csv"},
        "unknown-scenario at row 4",
    ),
    "a cluster that is no column": (
        {"scenarios.csv": SCENARIOS},
        {"scenarios": "scenarios.csv", "cluster": "theme"},
        "no-cluster-column; cluster",
    ),
    "an empty cluster": (
        {"scenarios.csv": changed(SCENARIOS, "s2,b", "s2,")},
        {"scenarios": "scenarios.csv", "cluster": "topic"},
        "empty-cell at row 3, topic",
    ),
    "a scenario in two clusters": (
        {"human.csv": "scenario,value,topic\ns1,yes,a\ns1,no,b\n"},
        {"cluster": "topic"},
        "scenario-in-two-clusters at row 3, topic",
    ),
    "one option": (
        {"scenarios.csv": changed(SCENARIOS, "s2,b,2", "s2,b,1")},
        {"scenarios": "scenarios.csv"},
        "n-options at row 3, n_options",
    ),
    "more answers than options": (
        {"scenarios.csv": SCENARIOS, "human.csv": HUMAN + "s2,maybe,4\n"},
        {"scenarios": "scenarios.csv"},
        "more-than-n-options at s2",
    ),
    "fewer numbers than options": (
        {
            "scenarios.csv": changed(SCENARIOS, "s1,a,2", "s1,a,3").replace("s2,b,2\n", ""),
            "human.csv": "scenario,value\ns1,10\ns1,20\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,10\n",
        },
        {"scenarios": "scenarios.csv"},
        "options-unknown at s1; outcome.levels",
    ),
    "options that are no list": (
        {"scenarios.csv": "scenario,options\ns1,yes; no\ns2,yes | no\n"},
        {"scenarios": "scenarios.csv"},
        "malformed-options at row 2, options",
    ),
    "a range upside down": (
        {"scenarios.csv": "scenario,lower,upper\ns1,0,10\ns2,10,0\n", "human.csv": RATINGS},
        {"scenarios": "scenarios.csv", **binary("bounded")},
        "upper-not-above-lower at row 3, upper",
    ),
    "a respondent twice": (
        {"human.csv": "scenario,value,respondent\ns1,yes,7\ns2,no,7\ns1,no,7\n"},
        {},
        "respondent-twice at row 4, respondent",
    ),
    "weights that are negative": (
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns1,no,-1\n"},
        {},
        "negative at row 3, weight",
    ),
    "weights that are empty": (
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns1,no,\n"},
        {},
        "not-a-number at row 3, weight",
    ),
    "weights that are all 0": (
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns2,no,0\ns2,yes,0\n"},
        {},
        "weights-all-zero at row 3, weight",
    ),
    "a persona column that is not there": ({}, {"personas": "a {age}-year-old"}, "no-column"),
    "a wide file without scenarios": (
        {"human.csv": "id\n1\n"},
        {"columns": {"respondent": "id"}},
        "no-questions",
    ),
    "a wide file with a column that is no scenario": (
        {
            "human.csv": "age,s1\n33,yes\n44,no\n",
            "simulated.csv": "simulator,s1\nmodel,no\n",
            "scenarios.csv": "scenario\ns1\n",
        },
        {"scenarios": "scenarios.csv", "form": "wide"},
        "doubtful-columns; groups, ignore, questions, ignore",
    ),
    "a cell table": ({"human.csv": CELLS}, {}, "cell-table"),
}
CONFIG = {
    "levels of numbers": (binary("real", levels=[1, 2]), "outcome at datasets.town.outcome"),
    "bounds of options": (binary("ordinal", bounds=[0, 1]), "outcome at datasets.town.outcome"),
    "bounds upside down": (binary("bounded", bounds=[1, 0]), "outcome at datasets.town.outcome"),
    "scores of categories": (
        binary("categorical", levels=["a", "b"], scores=[1, 2]),
        "outcome at datasets.town.outcome; outcome.kind",
    ),
    "too few scores": (
        binary("ordinal", levels=["a", "b"], scores=[1, 2, 3]),
        "outcome at datasets.town.outcome",
    ),
    "a level twice": (binary("ordinal", levels=["1", 1.0]), "outcome at datasets.town.outcome"),
    "three levels of two": (
        binary("binary", levels=[1, 2, 3]),
        "outcome at datasets.town.outcome; outcome.kind",
    ),
}
CASES = {**FILES, **ANSWERS, **SIMULATORS, **OTHERS, **{k: ({}, *v) for k, v in CONFIG.items()}}


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
        "value, count): long files have scenario and value; rename them, name yours in the config "
        "under columns, or put form: wide if each column is a scenario"
    ),
    "a column in capitals": (
        "human.csv, column 'Count': did you mean 'count'? rename it, or list it in the config"
        " under columns"
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
        "option is unknown; list both in the config, outcome: {kind: binary, levels: [...]}"
    ),
    "ordinal texts without an order": (
        "human.csv and simulated.csv: the answers are texts ('no', 'yes'), so their order is "
        "unknown; list them in order in the config, outcome: {kind: ordinal, levels: [...]}"
    ),
    "a date for a number": (
        "human.csv, row 5, column 'value': is '2024-05-01', not a finite number; mend it or "
        "delete the row"
    ),
    "bounded without bounds": (
        "human.csv, row 2, column 'value': 1 cannot be checked, as the range of scenario 's1'"
        " is unknown; put outcome.bounds in the config, or columns lower and upper into the"
        " file of scenarios"
    ),
    "simulators among the people": (
        "human.csv, column 'simulator': says who answers, but 'human' is named for "
        "the whole file; if some of its rows are people's, name the file under simulated, too, and "
        "say what it calls people, people: ... in the config; if all are, list the column under "
        "ignore; scores of models go into a config, as in docs/howto/evaluations.md"
    ),
    "no simulator column": (
        "simulated.csv: has no column 'simulator' that says who answers; there are: scenario,"
        " thing, value, count; add it, name yours in the config, columns: {simulator: ...}, "
        "or give each simulator a file of its own, simulated: {name: file}"
    ),
    "weights of simulators": (
        "simulated.csv, column 'weight': only people are weighted; drop the column, or list "
        "it in the config under ignore"
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
        "scenarios.csv, but no 'theme', the cluster in the config; add it, name another, or "
        "put cluster: none"
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


def test_the_sound_files_are_sound(folder):
    write(folder, {"scenarios.csv": SCENARIOS})
    snakemake = fake(folder, {"scenarios": "scenarios.csv", "cluster": "topic"})
    save(snakemake, responses(snakemake.params.step))
    assert read("outcomes.parquet", OUTCOMES).num_rows == 7
    write(folder, {"human.csv": HUMAN, "simulated.csv": STATED})
    save(fake(folder, {}), responses(fake(folder, {}).params.step))


@pytest.mark.parametrize("block", [text.BLOCK, 8])
@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_told_once_with_its_place_and_remedy(folder, monkeypatch, case, block):
    monkeypatch.setattr(text, "BLOCK", block)
    files, settings, wanted = CASES[case]
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
    assert sum(bool(files) for files, _, _ in CASES.values()) >= 40


def test_the_script_prints_the_message_without_a_traceback(folder, capsys):
    write(folder, FILES["no encoding"][0])
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


NASTY = [
    *("", ",", '"', "\n", "\r", "\t", "\0", ";", "|", " ", "\u00a0", "\ufeff", "\u2028", "\x07"),
    *("nan", "NA", "-1", "1e999", "0.5", "9" * 400, "=1", "{a}", "\ud7ff", "\u00df"),
    *("human", "model", "s1", "s3", "yes", "count", "value", "0"),
]
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


@st.composite
def broken(draw):
    """Draw a sound study with pieces of a file replaced by what it should not hold."""
    *texts, outcome = draw(st.sampled_from(SOUND))
    files = dict(zip(NAMES, texts, strict=True))
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2)):
        text = files[name]
        start = draw(st.integers(0, len(text)))
        stop = start + draw(st.integers(0, 6))
        files[name] = text[:start] + draw(st.sampled_from(NASTY)) + text[stop:]
    return files, outcome


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


@pytest.mark.slow
@settings(max_examples=300)
@given(broken(), st.booleans())
def test_whatever_is_in_the_files_the_user_is_told_or_served(tmp_path_factory, study, described):
    files, outcome = study
    folder = tmp_path_factory.mktemp("broken", numbered=True)
    os.chdir(folder)
    write(folder, files)
    own = own_settings(files["human.csv"], described)
    snakemake = fake(folder, {"outcome": outcome, **own})
    try:
        save(snakemake, responses(snakemake.params.step))
    except DataError as fault:
        lines = str(fault).splitlines()
        files = {line.split(":")[0].split(",")[0] for line in lines}
        assert len(files) == len(lines) <= 2
        assert not list(folder.glob("*.parquet"))
