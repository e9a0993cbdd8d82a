"""A fault is one object; a config, the command line and Python each write its remedy their way."""

import pickle

import pytest

from fidelity_study.app.start.faults import FaultsError
from fidelity_study.app.start.logs import LogOptions
from fidelity_study.app.start.request import Request
from fidelity_study.app.start.syntax import COMMAND_LINE, Python
from fidelity_study.errors import (
    BLANK,
    CONFIG,
    DataError,
    ErrorList,
    File,
    Key,
    Remedy,
    fault,
    refusal,
)
from fidelity_study.reading.tabular.reading_options import OPTIONS, schema
from fidelity_study.reading.tabular.remedies import LEVELS, ignoring, no_answer, of_columns

PYTHON = Python({"human.parquet": ("human", True), "model.csv": ("model.csv", False)})
WRITTEN = {
    "columns": (
        of_columns(scenario="item", value="the answer"),
        "columns: {scenario: item, value: the answer}",
        "item: question and the answer: answer in columns.csv",
        "item: question and the answer: answer in its table columns",
    ),
    "codes": (
        no_answer("-9", "NA", "don't know"),
        "missing: [-9, NA, don't know]",
        '--missing -9 --missing NA --missing "don\'t know"',
        "missing=[-9, 'NA', \"don't know\"]",
    ),
    "two spellings": (
        Remedy({"recode": {"Never": "never"}}),
        "recode: {Never: never}",
        "Never: never in labels.csv",
        "Never: never in its table labels",
    ),
    "a range": (
        Remedy({"outcome.kind": "bounded", "outcome.bounds": [BLANK]}),
        "outcome: {kind: bounded, bounds: [...]}",
        "--kind bounded --bounds LOWER UPPER",
        "kind='bounded', bounds=(LOWER, UPPER)",
    ),
    "levels": (
        Remedy({"outcome.levels": ["no", "yes"]}),
        "outcome: {levels: ['no', 'yes']}",
        "--levels 'no | yes'",
        "levels=['no', 'yes']",
    ),
    "levels in an order that is the user's": (
        Remedy({"outcome.levels": [BLANK]}),
        "outcome: {levels: [...]}",
        "--levels 'LOWEST | ... | HIGHEST'",
        "levels=['LOWEST', ..., 'HIGHEST']",
    ),
    "a tab": (
        Remedy({"separator": "\t"}),
        'separator: "\\t"',
        "--separator tab",
        "separator='tab'",
    ),
    "a design": (
        Remedy({"design.strata": "s", "design.psu": "p"}),
        "design: {strata: s, psu: p}",
        "--strata s --psu p",
        "strata='s', psu='p'",
    ),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_each_front_end_writes_a_remedy_its_way(case):
    remedy, config, command, python = WRITTEN[case]
    found = CONFIG.settings(remedy), COMMAND_LINE.remedy(remedy), PYTHON.remedy(remedy)
    assert found == (config, command, python)


AMONG = fault(
    "text-among-numbers",
    "'x' is a text; if it is no answer, put ",
    no_answer("x"),
    "; or list all options under ",
    LEVELS,
    "; see ",
    File("model.csv"),
    file="human.parquet",
    row=3,
    column="q1",
)


def test_a_fault_is_told_in_keys_of_a_config_options_of_the_command_or_arguments_of_python():
    told = {
        str(AMONG): ("parquet, row 3", "missing: [x] in the config", "outcome.levels"),
        COMMAND_LINE.message(AMONG): ("parquet, row 3", "--missing x", "--levels"),
        PYTHON.message(AMONG): ("iloc[2]", "missing=['x']", "levels"),
    }
    for message, (place, remedy, levels) in told.items():
        assert message == (
            f"human.{place}, column 'q1': 'x' is a text; if it is no answer, put {remedy}; or list "
            f"all options under {levels}; see model.csv"
        )


def test_a_fault_at_an_options_key_is_told_at_the_option():
    refused = fault("no-such-column", "no file has it", key="datasets.town.columns.weight")
    assert COMMAND_LINE.message(refused) == "--weight: no file has it"
    assert PYTHON.message(refused) == "weight: no file has it"
    assert str(refused) == "datasets.town.columns.weight: no file has it"


def test_cells_of_one_table_are_together_and_the_same_of_two_files_is_said_once():
    faults = [
        fault("unread", "put ", of_columns(count="n"), " or ", ignoring("n", "age"), file=path)
        for path in ("a.csv", "b.csv")
    ]
    assert str(FaultsError(faults, Request("a.csv"))) == (
        "a.csv, b.csv: put n: count in columns.csv or n: ignore and age: ignore in columns.csv"
    )


def test_a_request_goes_on_with_sure_remedies_and_keeps_what_it_has():
    asked = Request("h.csv", options={"count": "c", "missing": ("-1",)})
    fixed = asked.with_fixes(
        [
            of_columns(count="n", value=BLANK, likely=["v"]),
            of_columns(weight="w"),
            no_answer("-9"),
            Remedy({"missing": [99]}, is_sure=False),
            Remedy({"predict": {}}),
            Remedy({"groups": ["g"]}),
        ]
    )
    assert fixed.options == {"count": "c", "weight": "w", "missing": ("-1", "-9"), "predict": True}


def test_logs_have_options_of_start():
    refused = fault("several", "name one", ": ", Remedy({"columns.score": "acc"}), file="a.eval")
    assert LogOptions().message(refused) == "a.eval: name one: --score acc"
    assert str(refused) == "a.eval: name one: columns: {score: acc} in the config"
    apart = fault("twice", "tell apart", also=[Remedy({"models": {BLANK: BLANK}})])
    assert LogOptions().message(apart) == "tell apart; --model FILE NAME"
    margin = fault("margin", "needs a baseline", key="evaluations.e.margin")
    assert LogOptions().message(margin) == "--margin: needs a baseline"


def test_several_checks_are_told_in_one_answer():
    errors = ErrorList()
    for code in ("one", "two", "one"):
        with errors.collected():
            raise refusal(code, f"is {code}", key="grid.n")
    with pytest.raises(DataError) as refused:
        errors.refuse()
    assert [each.code for each in refused.value.faults] == ["one", "two"]
    assert str(refused.value) == "grid.n: is one\ngrid.n: is two"
    assert pickle.loads(pickle.dumps(refused.value)).faults == refused.value.faults
    ErrorList().refuse()


def test_a_text_that_mentions_a_key_has_its_argument_in_python():
    assert PYTHON.text(fault("x", "see ", Key("outcome.bounds"))) == "see bounds"


def test_every_option_is_in_the_schema_or_of_all_datasets():
    properties = schema()["properties"]
    inside = {
        f"{key}.{name}" for key in ("columns", "design") for name in properties[key]["properties"]
    }
    others = ("outcome.", "comparison.", "grid.", "cluster", "weighting_effect", "predict")
    others += ("scales", "regressions", "effects.")
    for option in OPTIONS:
        assert option.key in {*properties, *inside} or option.key.startswith(others)
        assert option.help.endswith(".")
