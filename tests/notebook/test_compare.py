"""A study in one call: what tables in memory mean, what is refused, and what a notebook shows."""

import doctest
import inspect
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import yaml
from browsers import requests, severe_errors
from parameters import quick
from small_study import REPOSITORY

import fidelity_study
from fidelity_study import compare
from fidelity_study.app.notebook import running
from fidelity_study.app.start.command import OF_LOGS, start
from fidelity_study.app.start.look import INGEST
from fidelity_study.config.params import step
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.reading.tabular.assemble import responses

EXAMPLE = REPOSITORY / "config" / "example"
HUMAN, SIMULATED = (pd.read_csv(EXAMPLE / f"{name}.csv") for name in ("human", "simulated"))
TABLES = ("outcomes", "scenarios", "stated", "missing")
SCALE = ["never", "sometimes", "always"]
ANSWERS = np.random.default_rng(5).integers(0, 3, (40, 4))
RATINGS = pd.DataFrame(ANSWERS + 1, columns=[f"q{i}" for i in range(4)])


@pytest.fixture
def looked(here, monkeypatch):
    """Return what a study would take from the tables, without running it."""
    monkeypatch.setattr(running, "run", lambda *_, **__: [])

    def taken(*tables, **arguments):
        study = compare(*tables, quiet=True, **arguments)
        with chdir(study.folder):
            (config,) = Path().glob("*.yaml")
            settings = yaml.safe_load(config.read_text(encoding="utf-8"))
            (dataset,) = settings["datasets"]
            return study, responses(step(Study(settings), INGEST, dataset))

    return taken


def assert_same(found, wanted):
    for name in TABLES:
        pd.testing.assert_frame_equal(getattr(found, name), getattr(wanted, name))


def kind_of(study) -> str:
    (settings,) = study._study.datasets.values()
    return settings["outcome"]["kind"]


def wide(**changed) -> pd.DataFrame:
    return RATINGS.assign(**changed)


def message(*tables, **arguments) -> str:
    """Return what is refused; nothing is left."""
    before = sorted(Path().rglob("*"))
    with pytest.raises(DataError) as error:
        compare(*tables, **arguments)
    assert sorted(Path().rglob("*")) == before
    assert "--" not in str(error.value)
    return str(error.value)


# --------------------------------------------------------------------------- what tables mean


def test_importing_the_package_imports_nothing_heavy():
    code = "import fidelity_study, sys; print({'pandas', 'numpy', 'pyarrow'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr
    assert fidelity_study.__all__ == ["compare"]


@pytest.mark.slow
def test_frames_are_read_as_their_files_are(looked):
    _, from_frames = looked(HUMAN, SIMULATED)
    _, from_files = looked(EXAMPLE / "human.csv", str(EXAMPLE / "simulated.csv"))
    assert_same(from_frames, from_files)


@pytest.mark.slow
@pytest.mark.parametrize(
    "column",
    [
        RATINGS["q0"].astype(float),
        RATINGS["q0"].astype("Int64"),
        RATINGS["q0"].astype(str),
        RATINGS["q0"].astype("category"),
        RATINGS["q0"].astype(float).astype("category"),
        RATINGS["q0"].astype("int64[pyarrow]"),
        pd.Series([str(each) if each % 2 else each for each in RATINGS["q0"]]),
        *(
            pytest.param(RATINGS["q0"].astype(dtype), marks=pytest.mark.minutes)
            for dtype in ("Float64", "float32", "string", object)
        ),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_number_is_the_same_answer_in_every_dtype(looked, column):
    _, wanted = looked(wide(), wide(), name="ints")
    _, found = looked(wide(q0=column), wide(), name="other")
    assert_same(found, wanted)


@pytest.mark.slow
@pytest.mark.parametrize(
    "dtype", quick([object, "Int64", "float64", "category", "string"], only=[object, "Int64"])
)
@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT], ids=str)
def test_whatever_is_missing_is_no_answer(looked, nothing, dtype):
    column = RATINGS["q0"].astype(object)
    column[3] = nothing if dtype in (object, "category", "string") else np.nan
    found = looked(wide(q0=column.astype(dtype)), wide())[1].missing
    assert found[["scenario", "source", "count"]].to_numpy().tolist() == [["q0", "human", 1]]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [bool, "boolean", object, "category"])
def test_truth_values_are_two_options(looked, dtype):
    people = (RATINGS > 2).astype(dtype)
    assert looked(people, RATINGS > 1)[1].scenarios["option"].iloc[0] == ["false", "true"]


@pytest.mark.slow
def test_tables_of_other_packages_are_taken(looked):
    class Table:
        def to_pandas(self):
            return SIMULATED

    found = looked(pa.Table.from_pandas(HUMAN), Table(), name="arrow")
    assert_same(found[1], looked(HUMAN, SIMULATED, name="pandas")[1])


@pytest.mark.slow
def test_frames_are_left_as_they_are(looked):
    people, simulated = HUMAN.set_index(["scenario", "value"]), SIMULATED.copy()
    before = people.copy(), simulated.copy()
    looked(people, simulated)
    pd.testing.assert_frame_equal(people, before[0])
    pd.testing.assert_frame_equal(simulated, before[1])


@pytest.mark.slow
def test_a_named_index_is_a_column_and_another_one_is_told(looked):
    wanted = looked(HUMAN, SIMULATED, name="columns")
    study, found = looked(HUMAN.set_index("scenario"), SIMULATED, name="index")
    assert_same(found, wanted[1])
    assert study.understood == wanted[0].understood
    odd = HUMAN.set_axis([f"row {i}" for i in range(len(HUMAN))])
    study, found = looked(odd, SIMULATED, name="odd")
    assert study.understood[0].startswith("human: its index has no name and is not read")


@pytest.mark.slow
def test_names_of_columns_need_not_be_texts(looked):
    found = looked(RATINGS.set_axis(range(4), axis=1), RATINGS.set_axis(range(4), axis=1))[1]
    assert found.scenarios["scenario"].tolist() == ["0", "1", "2", "3"]


@pytest.mark.slow
def test_simulators_may_each_have_a_table(looked):
    study, found = looked(
        RATINGS, {"gpt": RATINGS[::-1], "a b": EXAMPLE / "none"} | {"a b": RATINGS}
    )
    assert set(found.outcomes["source"]) == {"human", "gpt", "a b"}
    assert "simulated['a b']: all of it is the simulator a b" in "\n".join(study.understood)
    found = looked(RATINGS, [RATINGS, RATINGS])[1]
    assert set(found.outcomes["source"]) == {"human", "simulated_1", "simulated_2"}


@pytest.mark.slow
def test_options_of_a_question_may_be_a_list(looked):
    names = HUMAN["scenario"].unique()
    listed = [["agree", "disagree", "don't know"]] * len(names)
    found = looked(HUMAN, SIMULATED, pd.DataFrame({"scenario": names, "options": listed}))[1]
    assert set(found.scenarios["option"].map(tuple)) == {tuple(listed[0])}


@pytest.mark.slow
def test_people_of_several_questions_may_be_said_to_be_others(looked):
    study, found = looked(HUMAN, SIMULATED, respondents_repeat=False)
    assert "same people in several questions: no" in study.understood
    assert not found.scenarios["respondents_repeat"].any()


# ------------------------------------------------------------------------------------- kinds


def scaled(order=SCALE, ordered=True) -> pd.DataFrame:
    dtype = pd.CategoricalDtype(order, ordered=ordered)
    return pd.DataFrame(np.array(SCALE)[ANSWERS]).astype(dtype)


@pytest.mark.slow
def test_ordered_categories_are_levels_in_their_order(looked):
    study, found = looked(scaled(), scaled(ordered=False))
    assert kind_of(study) == "ordinal"
    assert found.scenarios["option"].iloc[0] == SCALE
    told = "\n".join(study.understood)
    assert "ordinal, as its categories are ordered: never < sometimes < always" in told
    kinds = {"kind": "categorical"}, {"levels": SCALE[::-1], "kind": "ordinal"}
    for each, wanted in zip(kinds, (SCALE, SCALE[::-1]), strict=True):
        assert looked(scaled(), scaled(), **each)[1].scenarios["option"].iloc[0] == wanted


def test_categories_in_two_orders_are_refused(here):
    told = message(scaled(), scaled(SCALE[::-1]))
    assert "human has never < sometimes < always; simulated has always < sometimes" in told
    assert "levels=[...]" in told


# ------------------------------------------------------------------------------------ faults

LONG = HUMAN, SIMULATED
FAULTS = {
    "a code": (
        ["human.iloc[0], column 'q0'", "labels.csv: -9: missing?"],
        (wide(q0=[-9, *RATINGS["q0"][1:]]), wide()),
    ),
    "no such columns": (
        ["weight: no file", "respondent: no file"],
        LONG,
        {"weight": "wt", "respondent": "cuont"},
    ),
    "numbers": (
        ["kind='bounded', bounds=(LOWER, UPPER)", "kind='real'"],
        (RATINGS + 0.5 * ANSWERS, RATINGS / 7),
    ),
    "spans of time": (
        ["human['when']", "drop(columns=['when'])"],
        (HUMAN.assign(when=pd.Timedelta(0)), SIMULATED),
    ),
    "lists": (
        ["human.explode('value')"],
        (HUMAN.assign(value=[["a", {"b": 1}]] * len(HUMAN)), SIMULATED),
    ),
    "two of a name": (
        ["several columns 'scenario'"],
        (pd.concat([HUMAN, HUMAN], axis=1), SIMULATED),
    ),
    "1 and '1'": (["several columns '1'"], (RATINGS.set_axis([1, "1", 2, 3], axis=1), RATINGS)),
    "levels of columns": (
        ["human.columns = ['_'.join"],
        (RATINGS.set_axis(pd.MultiIndex.from_product([["a"], range(4)]), axis=1), RATINGS),
    ),
    "empty": (["human: is empty", "simulated: is empty"], (HUMAN[:0], SIMULATED[[]])),
    "a series": (["human.reset_index()"], (HUMAN.set_index("scenario")["value"], SIMULATED)),
    "no table": (["simulated['gpt']: is an int"], (HUMAN, {"gpt": 3})),
    "no file": (["none.csv is not there"], ("none.csv", SIMULATED)),
    "no number": (["tolerance: 'x' is no number"], LONG, {"tolerance": "x"}),
    "no bounds": (["bounds=(0, 10)"], LONG, {"bounds": (1,)}),
    "no kind": (["kind: 'nominal' is not one of binary, ordinal"], LONG, {"kind": "nominal"}),
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", FAULTS)
def test_faults_are_told_with_the_arguments_that_mend_them(here, case):
    wanted, tables, *arguments = FAULTS[case]
    told = message(*tables, **dict(*arguments))
    for each in wanted:
        assert each in told, told
    assert ".parquet" not in told and "in the config" not in told


@pytest.mark.slow
def test_the_argument_that_is_told_mends_the_fault(looked):
    _, (people, simulated) = FAULTS["a code"]
    assert "labels.csv: -9: missing?" in message(people, simulated)
    looked(people, simulated, missing=[-9])


# ----------------------------------------------------------------------------- a real study


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a user who has compared the example, and what came of it."""
    folder = tmp_path_factory.mktemp("user")
    with chdir(folder):
        return folder, compare(HUMAN, SIMULATED, name="town", tolerance=0.1, quiet=True)


@pytest.mark.slow
def test_a_comparison_has_its_tables(finished):
    _, study = finished
    keys = ["simulator", "k", "discrepancy", "answers", "target", "tail"]
    assert not study.means.duplicated(keys).any()
    assert set(study.differences["other"]) == {"uniform", "pooled"}
    assert not study.questions.duplicated(["scenario", "simulator", "k", "discrepancy"]).any()
    assert study.questions["scenario"].nunique() == 8
    answers = study.answers.query("scenario == 'bus_fares'").set_index(["source", "form"])
    agree = answers[answers["option"] == "agree"]["share"]
    assert agree["human", "given"] == pytest.approx(41 / 104)
    assert agree["uniform", "stated"] == 0.5
    assert study.nonresponse.set_index("source").loc["human", "missing"] == 4
    assert study.curves["tau"].max() == 1 and len(study.shares) and len(study.lists)
    assert study.table("sample_size").columns[0] == "simulator"
    assert not any(str(dtype) == "category" for dtype in study.curves.dtypes)
    with pytest.raises(DataError, match=r"'curves' is no table .* envelope/curves"):
        study.table("curves")


@pytest.mark.slow
def test_the_example_of_the_docstring_is_right(here):
    shutil.copytree(EXAMPLE, here / "config" / "example")
    module = import_module("fidelity_study.app.notebook.compare")
    assert doctest.testmod(module).failed == 0


@pytest.mark.slow
def test_a_comparison_says_what_it_understood_and_the_verdict(finished):
    _, study = finished
    assert str(study).startswith("human: long, as it has columns")
    assert "What language_model may be used for is not settled." in str(study)
    assert "may be used for is not settled" in study.findings
    assert str(study).count("don't know\" counts as an option") == 1
    assert repr(study).startswith("<comparison town: ") and study.page.is_file()


@pytest.mark.slow
def test_a_figure_comes_with_its_caption_and_leaves_the_users_settings(finished, tmp_path):
    _, study = finished
    before = dict(matplotlib.rcParams)
    drawing = study.figure("curve")
    assert drawing.caption.startswith("Curves: how far")
    assert "<img" in drawing._repr_html_() and "<figcaption>" in drawing._repr_html_()
    drawing.savefig(tmp_path / "curve.pdf")
    assert dict(matplotlib.rcParams) == before
    with pytest.raises(DataError, match="did you mean curve"):
        study.figure("curves")


@pytest.mark.slow
def test_a_second_call_reads_what_is_there_and_another_one_is_told(finished, monkeypatch):
    folder, study = finished
    monkeypatch.chdir(folder)
    made = study.page.stat().st_mtime_ns
    again = compare(HUMAN, SIMULATED, name="town", tolerance=0.1, quiet=True)
    assert again.page.stat().st_mtime_ns == made
    pd.testing.assert_frame_equal(again.means, study.means)
    record = study.page.with_name("provenance.json")
    was = record.read_text(encoding="utf-8")
    record.write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="a later comparison"):
        _ = again.means
    record.write_text(was, encoding="utf-8")


@pytest.mark.slow
def test_the_page_works_within_a_notebook(finished, browser, tmp_path):
    _, study = finished
    path = tmp_path / "notebook.html"
    shown = study._repr_html_()
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><h1>cell</h1>{shown}", encoding="utf-8")
    requests(browser)
    browser.get(path.as_uri())
    top = browser.current_url
    browser.switch_to.frame(browser.find_element("tag name", "iframe"))
    text = browser.find_element("tag name", "main").text
    assert "may be used for is not settled" in text
    deadline = time.monotonic() + 30
    while not browser.find_elements("css selector", "svg, canvas"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    for link in browser.find_elements("css selector", "a[href^='#']"):
        browser.execute_script("arguments[0].click()", link)
    time.sleep(1)
    assert "may be used for is not settled" in browser.find_element("tag name", "main").text
    browser.switch_to.default_content()
    assert browser.current_url == top
    assert severe_errors(browser) == []
    assert requests(browser) == []


@pytest.fixture
def calling(here):
    """A process that compares, as soon as Snakemake runs; and the process of Snakemake."""
    code = (
        "import pandas as pd; from fidelity_study import compare\n"
        f"compare(*(pd.read_csv(f'{EXAMPLE}/{{name}}.csv') for name in ('human', 'simulated')), "
        "name='town')"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    while not (here / "compared/town/.snakemake/fidelity_study.json").exists():
        assert process.poll() is None
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    time.sleep(1)
    yield process, int(children)
    process.kill()
    process.wait()


@pytest.mark.slow
def test_an_interrupt_ends_the_run(here, usual_signals, calling):
    process, snakemake = calling
    os.killpg(snakemake, signal.SIGSTOP)  # so that it isn't finished before it is interrupted
    with pytest.raises(DataError, match="another call computes"):
        compare(HUMAN, SIMULATED, name="town")
    process.send_signal(signal.SIGINT)
    os.killpg(snakemake, signal.SIGCONT)
    assert process.wait(120) != 0
    assert b"KeyboardInterrupt" in process.stderr.read()
    with pytest.raises(ProcessLookupError):  # its killed steps are gone as soon as init knows
        for _ in range(200):
            os.killpg(snakemake, 0)
            time.sleep(0.05)


def test_a_run_is_asked_to_end_where_interrupts_are_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        sleeps = [sys.executable, "-c", "import time; time.sleep(60)"]
        process = subprocess.Popen(sleeps, start_new_session=True)
    finally:
        signal.signal(signal.SIGINT, before)
    running._end(process)
    assert process.wait() == -signal.SIGTERM


@pytest.mark.slow
def test_a_killed_run_is_taken_up_by_the_next_call(here, calling):
    process, snakemake = calling
    process.kill()
    os.killpg(snakemake, signal.SIGKILL)
    process.wait()
    time.sleep(1)
    assert compare(HUMAN, SIMULATED, name="town", quiet=True).page.is_file()


OF_COMMANDS = {"example", "out", "force", "yes"}


def test_every_option_of_start_is_an_argument_of_compare():
    options = {each.name for each in start.params}
    assert options - OF_COMMANDS - {*OF_LOGS} <= set(inspect.signature(compare).parameters)
