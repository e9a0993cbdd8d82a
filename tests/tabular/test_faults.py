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
from fidelity_study.ingest.save import save
from fidelity_study.tables import ingest
from fidelity_study.tables.ingest import INGESTED, OUTCOMES
from fidelity_study.tables.read_write import read
from fidelity_study.tabular import text
from fidelity_study.tabular.assemble import responses
from fidelity_study.tabular.files import missing_files

ROOM = Path(__file__).parents[2] / "workflow" / "datasets" / "tabular"
SCENARIOS = "scenario,topic,n_options\ns1,a,2\ns2,b,2\n"
MODES = (
    "cell_id,question,option,share,n,source,mode,replicate\n"
    "A,q,yes,.4,5,m,model,1\nA,q,no,.6,5,m,model,1\nB,q,yes,.2,5,m,model,1\nB,q,no,.8,5,m,model,1\n"
)


def binary(kind="binary", **more):
    return {"outcome": {"kind": kind, **more}}


# name: (files that differ from the sound ones, settings that differ, words of the message)
FILES = {
    "empty": ({"human.csv": ""}, {}, ["is empty", "header"]),
    "only blank lines": ({"human.csv": "\n\n \n"}, {}, ["is empty"]),
    "header only": ({"human.csv": "scenario,value\n"}, {}, ["no rows", "add"]),
    "a byte order mark and no more": ({"human.csv": b"\xef\xbb\xbf"}, {}, ["is empty"]),
    "latin-1": (
        {"human.csv": HUMAN.replace("yes", "oui, d\u00e9j\u00e0").encode("latin-1")},
        {},
        ["line 2", "0xe9", "UTF-8"],
    ),
    "utf-16": ({"human.csv": HUMAN.encode("utf-16")}, {}, ["UTF-16", "save it as UTF-8"]),
    "zero bytes": (
        {"human.csv": changed(HUMAN, "no", "n\0")},
        {},
        ["line 3", "zero byte", "save"],
    ),
    "ragged, short": (
        {"human.csv": changed(HUMAN, "no,6", "no")},
        {},
        ["row 3", "'s1,no'", "ends after 2 of 3 cells", "fill it up"],
    ),
    "ragged, long": (
        {"human.csv": changed(HUMAN, "no,6", "no, never,6")},
        {},
        ["row 3", "4 cells in 3 columns", "'s1,no, never,6'", "double quotes"],
    ),
    "a column twice": (
        {"human.csv": changed(HUMAN, "count", "value")},
        {},
        ["'value'", "twice", "own name"],
    ),
    "a column twice but for white space": (
        {"human.csv": changed(HUMAN, "count", " value ")},
        {},
        ["'value'", "twice"],
    ),
    "a column without a name": (
        {"human.csv": "," + HUMAN.replace("\n", "\n0,")[:-2]},
        {},
        ["column 1 has no name", "index=False"],
    ),
    "a quote that is not closed": (
        {"human.csv": changed(HUMAN, "no,6", '"no,6')},
        {},
        ["double quote", "line 3", "close it"],
    ),
    "quotes that swallow a row": (
        {"human.csv": changed(changed(HUMAN, "yes,4", '"yes,4'), "no,6", 'no",6')},
        {},
        ["row 2", "'value'", "several lines", "double quote"],
    ),
    "semicolons": (
        {"human.csv": HUMAN.replace(",", ";")},
        {},
        ["row 1", "semicolons", "separator: ';'"],
    ),
    "tabs": ({"human.csv": HUMAN.replace(",", "\t")}, {}, ["tabs", "separator: '\\t'"]),
    "gz that is none": (
        {"human.csv.gz": HUMAN},
        {"human": "human.csv.gz"},
        ["human.csv.gz", "no whole gzip file", "compress it again"],
    ),
    "gz that is cut": (
        {"human.csv.gz": gzip.compress(HUMAN.encode())[:-12]},
        {"human": "human.csv.gz"},
        ["no whole gzip file"],
    ),
    "gz without its suffix": (
        {"human.csv": gzip.compress(HUMAN.encode())},
        {},
        ["is a gzip file", "rename"],
    ),
    "Parquet that is none": (
        {"human.parquet": HUMAN},
        {"human": "human.parquet"},
        ["cannot be read as Parquet", "write it again"],
    ),
    "Parquet that is cut": (
        {"human.parquet": parquet(scenario=["s1"], value=["yes"])[:-9]},
        {"human": "human.parquet"},
        ["cannot be read as Parquet"],
    ),
    "Parquet called CSV": (
        {"human.csv": parquet(scenario=["s1"], value=["yes"])},
        {},
        ["is a Parquet file", "rename"],
    ),
    "Parquet of dates": (
        {"human.parquet": parquet(scenario=["s1"], value=pd.to_datetime(["2024-01-01"]))},
        {"human": "human.parquet"},
        ["'value'", "timestamp", "write it as"],
    ),
    "Parquet of lists": (
        {"human.parquet": parquet(scenario=["s1"], value=[["yes"]])},
        {"human": "human.parquet"},
        ["'value'", "list", "write it as"],
    ),
    "Parquet with infinity": (
        {"human.parquet": parquet(scenario=["s1", "s1"], value=[1.0, float("inf")])},
        {"human": "human.parquet", **binary("real")},
        ["row 2", "'value'", "inf"],
    ),
    "a spreadsheet that nothing reads": (
        {"human.numbers": b"PK\x03\x04"},
        {"human": "human.numbers"},
        ["human.numbers", "Excel (.xlsx", "save it as"],
    ),
    "Excel called CSV": ({"human.csv": b"PK\x03\x04rest"}, {}, ["spreadsheet", "CSV UTF-8"]),
    "another kind of file": (
        {"human.por": "x"},
        {"human": "human.por"},
        ["human.por", "CSV", "Parquet", "save it as"],
    ),
    "a folder": ({"human.d/x": "x"}, {"human": "human.d"}, ["human.d", "folder", "name the file"]),
    "no file": ({}, {"human": "people.csv"}, ["people.csv", "not there", "name the file"]),
}
ANSWERS = {
    "no scenario column": (
        {"human.csv": changed(HUMAN, "scenario", "item")},
        {},
        ["item, value, count", "scenario and value", "columns"],
    ),
    "no value column": (
        {"human.csv": changed(HUMAN, "value", "answer")},
        {},
        ["scenario, answer, count", "columns"],
    ),
    "a column with a typo": (
        {"human.csv": changed(HUMAN, "count", "cuont")},
        {},
        ["'cuont'", "did you mean 'count'", "ignore"],
    ),
    "a column in capitals": (
        {"human.csv": changed(HUMAN, "count", "Count")},
        {},
        ["'Count'", "did you mean 'count'"],
    ),
    "a mapped column that is not there": (
        {},
        {"columns": {"value": "answer"}, "form": "long"},
        ["'answer'", "scenario, value, count", "columns"],
    ),
    "an empty scenario": (
        {"human.csv": changed(HUMAN, "s2,yes", ",yes")},
        {},
        ["row 4", "'scenario'", "is empty", "fill it"],
    ),
    "a control character": (
        {"human.csv": changed(HUMAN, "s2,yes", "s\x072,yes")},
        {},
        ["row 4", "'scenario'", "control character"],
    ),
    "a count that is text": (
        {"human.csv": changed(HUMAN, "no,6", "no,six")},
        {},
        ["row 3", "'count'", "'six'", "mend it"],
    ),
    "a count with a comma": (
        {"human.csv": changed(HUMAN, "no,6", 'no,"6,5"')},
        {},
        ["row 3", "'count'", "with a point: 6.5"],
    ),
    "a count that is empty": (
        {"human.csv": changed(HUMAN, "no,6", "no,")},
        {},
        ["row 3", "'count'", "is empty"],
    ),
    "a count that is infinite": (
        {"human.csv": changed(HUMAN, "no,6", "no,inf")},
        {},
        ["row 3", "'count'", "'inf'", "finite"],
    ),
    "a count that is huge": (
        {"human.csv": changed(HUMAN, "no,6", "no,1e400")},
        {},
        ["row 3", "'count'", "finite"],
    ),
    "a count of billions": (
        {"human.csv": changed(HUMAN, "no,6", "no,6e9")},
        {},
        ["human.csv", "'count'", "billion", "unit"],
    ),
    "a count that is negative": (
        {"human.csv": changed(HUMAN, "no,6", "no,-6")},
        {},
        ["row 3", "'count'", "negative (-6)", "mend it"],
    ),
    "a count of people that is a fraction": (
        {"human.csv": changed(HUMAN, "no,6", "no,6.5")},
        {},
        ["row 3", "'count'", "6.5", "weighting_effect"],
    ),
    "a count of a simulator that is a fraction": (
        {"simulated.csv": changed(SIMULATED, "no,8", "no,.8")},
        {"weighting_effect": 1.5},
        ["row 3", "'count'", "0.8", "probability"],
    ),
    "an answer twice": (
        {"human.csv": HUMAN + "s1,yes,3\n"},
        {},
        ["row 6", "'yes'", "'human'", "'s1'", "second time", "add up"],
    ),
    "an answer of a simulator twice": (
        {"simulated.csv": SIMULATED + "s1,model,no,3\n"},
        {},
        ["row 5", "'no'", "'model'", "second time"],
    ),
    "NaN for no answer": (
        {"human.csv": changed(HUMAN, "s2,no", "s2,NaN")},
        {},
        ["row 5", "'value'", "'NaN'", "leave the cell empty", "missing: ['NaN']"],
    ),
    "NA for no answer": (
        {"human.csv": changed(HUMAN, "s2,no", "s2,NA")},
        {},
        ["row 5", "'NA'", "missing: ['NA']"],
    ),
    "an answer written in two ways": (
        {"simulated.csv": changed(SIMULATED, "s2,model,no", "s2,model,No")},
        {},
        ["row 4", "'No' and 'no'", "capitals", "if they are one option"],
    ),
    "a coding of its own": (
        {"simulated.csv": SIMULATED.replace("yes", "1").replace("no", "0")},
        {},
        ["row 2", "'0', '1'", "'no', 'yes'", "nothing in common", "recode"],
    ),
    "everybody answers the same": (
        {
            "human.csv": "scenario,value\ns1,no\ns2,yes\ns2,no\n",
            "simulated.csv": changed(SIMULATED, "s1,model,yes,2\n", ""),
        },
        {},
        ["human.csv", "'s1'", "same answer", "outcome.levels"],
    ),
    "binary with three answers": (
        {"human.csv": HUMAN + "s1,maybe,3\n"},
        binary(),
        ["'s1'", "binary", "'maybe', 'no', 'yes'", "ordinal"],
    ),
    "binary with an unknown second answer": (
        {
            "human.csv": "scenario,value\ns1,yes\ns2,yes\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,yes\n",
        },
        binary(),
        ["'s1'", "'yes'", "the other option", "levels"],
    ),
    "not among the levels": (
        {"human.csv": HUMAN + "s1,maybe,3\n"},
        binary("categorical", levels=["yes", "no"]),
        ["row 6", "'value'", "'maybe'", "yes, no", "recode"],
    ),
    "a simulator's answer not among the levels": (
        {"simulated.csv": changed(SIMULATED, "s2,model,no", "s2,model,I refuse")},
        binary("categorical", levels=["yes", "no"]),
        ["simulated.csv, row 4", "'I refuse'", "missing"],
    ),
    "ordinal texts without an order": (
        {},
        binary("ordinal"),
        ["'no', 'yes'", "order is unknown", "levels"],
    ),
    "ordinal numbers of which some are not used": (
        {
            "human.csv": RATINGS,
            "simulated.csv": "scenario,simulator,value\ns1,model,4\ns2,model,5\n",
        },
        binary("ordinal"),
        ["'s1'", "'2'", "not clear whether it is an option", "levels"],
    ),
    "a number with a comma": (
        {"human.csv": changed(RATINGS, "s2,5", 's2,"1,5"')},
        binary("real"),
        ["row 5", "'value'", "with a point: 1.5"],
    ),
    "a date for a number": (
        {"human.csv": changed(RATINGS, "s2,5", "s2,2024-05-01")},
        binary("real"),
        ["row 5", "'2024-05-01'", "not a finite number"],
    ),
    "a truth value for a number": (
        {"human.csv": changed(RATINGS, "s2,5", "s2,TRUE")},
        binary("bounded", bounds=[0, 10]),
        ["row 5", "'TRUE'", "not a finite number"],
    ),
    "outside the bounds": (
        {"human.csv": RATINGS, "simulated.csv": "scenario,simulator,value\ns1,model,11\n"},
        binary("bounded", bounds=[0, 10]),
        ["simulated.csv, row 2", "11 is outside", "from 0 to 10", "widen"],
    ),
    "bounded without bounds": (
        {"human.csv": RATINGS},
        binary("bounded"),
        ["row 2", "range of scenario 's1'", "outcome.bounds"],
    ),
    "numbers that are all the same": (
        {
            "human.csv": "scenario,value\ns1,3\ns1,3\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,3\n",
        },
        binary("real"),
        ["'s1'", "everybody answers 3", "drop"],
    ),
    "nobody answers": (
        {"human.csv": HUMAN + "s3,,4\n"},
        {},
        ["human.csv", "'s3'", "nobody", "delete the scenario"],
    ),
    "simulators among the people": (
        {"human.csv": SIMULATED},
        {},
        ["human.csv", "'simulator'", "under simulated"],
    ),
    "probabilities of people": (
        {"human.csv": changed(HUMAN, "count", "probability")},
        {},
        ["human.csv", "'probability'", "give counts"],
    ),
}
SIMULATORS = {
    "a simulator called human": (
        {"simulated.csv": changed(SIMULATED, "s2,model", "s2,human")},
        {},
        ["simulated.csv, row 4", "'simulator'", "cannot be called 'human'", "rename"],
    ),
    "no simulator column": (
        {"simulated.csv": changed(SIMULATED, "simulator", "source")},
        {},
        ["simulated.csv", "'simulator'", "who answers", "columns: {simulator: ...}"],
    ),
    "a simulator of the config that is not in the file": (
        {},
        {"simulators": ["model", "twin"]},
        ["simulated.csv", "'twin'", "there are: model"],
    ),
    "an unknown scenario": (
        {"simulated.csv": SIMULATED + "s22,model,no,3\n"},
        {},
        ["simulated.csv, row 5", "'s22'", "human.csv", "did you mean 's2'?"],
    ),
    "weights of simulators": (
        {"simulated.csv": changed(SIMULATED, "count", "weight")},
        {},
        ["'weight'", "only people", "ignore"],
    ),
    "probabilities that do not sum to one": (
        {"simulated.csv": changed(STATED, ".75", ".7")},
        {},
        ["row 2", "'model'", "'s1'", "sum to 0.95", "divide by the sum"],
    ),
    "percentages": (
        {"simulated.csv": STATED.replace(".25", "25").replace(".75", "75")},
        {},
        ["sum to 100", "divided by 100"],
    ),
    "a negative probability": (
        {"simulated.csv": changed(STATED, ".25", "-.25")},
        {},
        ["row 2", "'probability'", "negative (-0.25)"],
    ),
    "a probability of an answer twice": (
        {"simulated.csv": changed(STATED, "yes,.25", "no,.25")},
        {},
        ["row 3", "'no'", "second time"],
    ),
    "a probability of nothing": (
        {"simulated.csv": changed(STATED, "yes,.25", ",.25")},
        {},
        ["row 2", "'value'", "probability", "option"],
    ),
    "counts and probabilities": (
        {
            "simulated.csv": changed(SIMULATED, "value", "value,probability")
            .replace("yes", "yes,1")
            .replace("no", "no,1")
        },
        {},
        ["'probability'", "not both", "two files"],
    ),
    "a simulator in two files": (
        {"more.csv": SIMULATED},
        {"simulated": ["simulated.csv", "more.csv"]},
        ["more.csv, row 2", "'model'", "'s1'", "simulated.csv", "keep one"],
    ),
    "a file of one simulator that names others": (
        {},
        {"simulated": {"model": "simulated.csv"}},
        ["simulated.csv", "'simulator'", "'model'"],
    ),
}
OTHERS = {
    "a scenario described twice": (
        {"scenarios.csv": SCENARIOS + "s1,b,2\n"},
        {"scenarios": "scenarios.csv"},
        ["scenarios.csv, row 4", "'s1'", "twice", "one row"],
    ),
    "a scenario that nobody answers": (
        {"scenarios.csv": SCENARIOS + "s3,b,2\n"},
        {"scenarios": "scenarios.csv"},
        ["scenarios.csv, row 4", "'s3'", "human.csv", "delete the row"],
    ),
    "a scenario that is not described": (
        {"scenarios.csv": changed(SCENARIOS, "s2,b,2\n", "")},
        {"scenarios": "scenarios.csv"},
        ["human.csv, row 4", "'s2'", "scenarios.csv"],
    ),
    "a cluster that is no column": (
        {"scenarios.csv": SCENARIOS},
        {"scenarios": "scenarios.csv", "cluster": "theme"},
        ["scenarios.csv", "'theme'", "scenario, topic, n_options", "cluster: none"],
    ),
    "an empty cluster": (
        {"scenarios.csv": changed(SCENARIOS, "s2,b", "s2,")},
        {"scenarios": "scenarios.csv", "cluster": "topic"},
        ["scenarios.csv, row 3", "'topic'", "is empty"],
    ),
    "a scenario in two clusters": (
        {"human.csv": "scenario,value,topic\ns1,yes,a\ns1,no,b\n"},
        {"cluster": "topic"},
        ["human.csv, row 3", "'topic'", "'s1'", "second cluster"],
    ),
    "one option": (
        {"scenarios.csv": changed(SCENARIOS, "s2,b,2", "s2,b,1")},
        {"scenarios": "scenarios.csv"},
        ["scenarios.csv, row 3", "'n_options'", "is 1", "from 2"],
    ),
    "more answers than options": (
        {"scenarios.csv": SCENARIOS, "human.csv": HUMAN + "s2,maybe,4\n"},
        {"scenarios": "scenarios.csv"},
        ["'s2'", "3 different answers", "n_options, 2"],
    ),
    "fewer numbers than options": (
        {
            "scenarios.csv": changed(SCENARIOS, "s1,a,2", "s1,a,3").replace("s2,b,2\n", ""),
            "human.csv": "scenario,value\ns1,10\ns1,20\n",
            "simulated.csv": "scenario,simulator,value\ns1,model,10\n",
        },
        {"scenarios": "scenarios.csv"},
        ["'s1'", "n_options 3", "'10', '20'", "levels"],
    ),
    "options that are no list": (
        {"scenarios.csv": "scenario,options\ns1,yes; no\ns2,yes | no\n"},
        {"scenarios": "scenarios.csv"},
        ["scenarios.csv, row 2", "'options'", "yes; no", "no | yes"],
    ),
    "a range upside down": (
        {"scenarios.csv": "scenario,lower,upper\ns1,0,10\ns2,10,0\n", "human.csv": RATINGS},
        {"scenarios": "scenarios.csv", **binary("bounded")},
        ["scenarios.csv, row 3", "'upper'", "swap"],
    ),
    "a respondent twice": (
        {"human.csv": "scenario,value,respondent\ns1,yes,7\ns2,no,7\ns1,no,7\n"},
        {},
        ["human.csv, row 4", "second time", "a scenario once"],
    ),
    "weights that are negative": (
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns1,no,-1\n"},
        {},
        ["human.csv, row 3", "'weight'", "negative"],
    ),
    "weights that are empty": (
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns1,no,\n"},
        {},
        ["human.csv, row 3", "'weight'", "is empty"],
    ),
    "weights that are all 0": (
        {"human.csv": "scenario,value,weight\ns1,yes,1\ns2,no,0\ns2,yes,0\n"},
        {},
        ["human.csv, row 3", "'weight'", "'s2'", "all 0"],
    ),
    "a persona column that is not there": (
        {},
        {"personas": "a {age}-year-old"},
        ["human.csv", "'age'", "personas", "scenario, value, count"],
    ),
    "a wide file without scenarios": (
        {"human.csv": "id\n1\n"},
        {"columns": {"respondent": "id"}},
        ["human.csv", "no column is left", "ignore"],
    ),
    "a wide file with a column that is no scenario": (
        {
            "human.csv": "age,s1\n33,yes\n44,no\n",
            "simulated.csv": "simulator,s1\nmodel,no\n",
            "scenarios.csv": "scenario\ns1\n",
        },
        {"scenarios": "scenarios.csv", "form": "wide"},
        ["human.csv", "'age'", "ignore"],
    ),
    "cells without n": (
        {"human.csv": CELLS.replace(",8", "").replace("share,n", "share")},
        {},
        ["human.csv", "'n'", "columns"],
    ),
    "cells whose n differs": (
        {"human.csv": changed(CELLS, ".75,8", ".75,9")},
        {},
        ["human.csv, row 2", "'n'", "differs", "the same"],
    ),
    "cells whose n is 0": (
        {"human.csv": CELLS.replace(",8", ",0")},
        {},
        ["human.csv, row 2", "'n'", "below 1"],
    ),
    "shares that do not sum to one": (
        {"human.csv": changed(CELLS, ".75", ".7")},
        {},
        ["human.csv, row 2", "'q|A'", "sum to 0.95"],
    ),
    "sampled shares that are no counts": (
        {"human.csv": CELLS, "simulated.csv": changed(changed(MODES, ".4", ".45"), ".6", ".55")},
        {},
        ["simulated.csv, row 2", "'model'", "2.25", "stated: [model]"],
    ),
    "a cell twice": (
        {
            "human.csv": CELLS,
            "simulated.csv": MODES + MODES.split("\n", 1)[1].replace(",m,", ",p,"),
        },
        {},
        ["simulated.csv, row 6", "'yes'", "second time", "columns"],
    ),
}
CONFIG = {
    "levels of numbers": (binary("real", levels=[1, 2]), ["datasets.town.outcome", "no levels"]),
    "bounds of options": (binary("ordinal", bounds=[0, 1]), ["bounds are for bounded"]),
    "bounds upside down": (binary("bounded", bounds=[1, 0]), ["[1, 0]", "smaller number first"]),
    "scores of categories": (
        binary("categorical", levels=["a", "b"], scores=[1, 2]),
        ["no scores", "ordinal"],
    ),
    "too few scores": (
        binary("ordinal", levels=["a", "b"], scores=[1, 2, 3]),
        ["3 scores for 2 levels"],
    ),
    "a level twice": (binary("ordinal", levels=["1", 1.0]), ["same option twice"]),
    "three levels of two": (binary("binary", levels=[1, 2, 3]), ["2 levels, not 3"]),
}
CASES = {**FILES, **ANSWERS, **SIMULATORS, **OTHERS, **{k: ({}, *v) for k, v in CONFIG.items()}}


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
    )


def test_the_sound_files_are_sound(folder):
    write(folder, {"scenarios.csv": SCENARIOS})
    snakemake = fake(folder, {"scenarios": "scenarios.csv", "cluster": "topic"})
    save(snakemake, responses(snakemake.params.step))
    assert read("outcomes.parquet", OUTCOMES).num_rows == 7
    for human, simulated in ((HUMAN, STATED), (CELLS, MODES)):
        write(folder, {"human.csv": human, "simulated.csv": simulated})
        save(fake(folder, {}), responses(fake(folder, {}).params.step))


@pytest.mark.parametrize("block", [text.BLOCK, 8])
@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_told_once_with_its_place_and_remedy(folder, monkeypatch, case, block):
    monkeypatch.setattr(text, "BLOCK", block)
    files, settings, words = CASES[case]
    write(folder, files)
    before = sorted(folder.iterdir())
    snakemake = fake(folder, settings)
    with pytest.raises(DataError) as refusal:
        save(snakemake, responses(snakemake.params.step))
    message = str(refusal.value)
    assert all(word in message for word in words), message
    assert case in CONFIG or re.search(r"\b\w+\.(csv|parquet|numbers|por|d)\b", message)
    assert "\n" not in message
    assert sorted(folder.iterdir()) == before


def test_there_are_enough_broken_files():
    assert sum(bool(files) for files, _, _ in CASES.values()) >= 40


def test_the_script_prints_the_message_without_a_traceback(folder, capsys):
    write(folder, FILES["latin-1"][0])
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
    first, second = missing_files("a", ["here.csv", "gone.csv", "data"])
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
    (CELLS, MODES, "scenario,description\nq|A,a\nq|B,b\n", CATEGORICAL),
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
