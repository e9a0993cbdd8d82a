"""Two runs of a study: one simulator is worse by a known amount, another is as it was."""

import shutil

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import town
import yaml

import fidelity
from fidelity.comparison import compare_versions
from fidelity.means import DiscrepancyBounds, mean_interval
from fidelity_study.__main__ import main
from fidelity_study.app.run import versions
from fidelity_study.app.run.versions import Options
from fidelity_study.errors import DataError
from fidelity_study.steps import versions as steps
from fidelity_study.steps.same_questions import Version, same_questions
from fidelity_study.tables.ingest import RESPONDENTS

pytestmark = pytest.mark.slow

RUNS = ("results/model_1", "results/model_2")
SAMPLED = "sampled"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Both runs of the how-to, with sampled answers of one model beside the other."""
    folder = tmp_path_factory.mktemp("versions")
    town.write(folder)
    first, *changes = town.BLOCK.findall(town.guide("versions"))
    config = yaml.safe_load(first)
    change = {**yaml.safe_load(changes[0]), **yaml.safe_load(changes[1])}
    for version, own in ((1, {}), (2, change)):
        config["study"] = own.get("study", config["study"])
        dataset = config["datasets"]["town"]
        dataset["simulated"] = {
            **own.get("simulated", dataset["simulated"]),
            SAMPLED: f"sampled_{version}.csv",
        }
        dataset |= {"simulators": ["model", SAMPLED, "uniform"], "figures": []}
        dataset["grid"] = {"discrepancy": ["tv", "kl"], "k": ["all"]}
        text = yaml.safe_dump(config, sort_keys=False)
        (folder / f"model_{version}.yaml").write_text(text, encoding="utf-8")
    for command in town.commands(town.guide("versions")):
        if command[0] == "run":
            town.run(folder, *command, "--cores", "1")
    return folder


@pytest.fixture
def there(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def compared(*runs, **options):
    return versions.versions(*map(versions.Path, runs or RUNS), Options(**options))


def verdicts(found):
    return {row["simulator"]: row["verdict"] for row in found.rows["differences"][::2]}


def arrays():
    """Return people's counts and what both versions state, from the files.

    Options are in the study's order, by name: answers are drawn anew option by option.
    """
    tables = (pd.read_csv(f"{name}.csv") for name in ("people", "model_1", "model_2"))
    return [
        table.pivot_table(index="scenario", columns="value", values=table.columns[-1]).to_numpy()
        for table in tables
    ]


def test_the_commands_of_the_how_to_end_as_it_says(folder):
    *_, gate, shown = town.commands(town.guide("versions"))
    printed = town.run(folder, *gate, status=1)
    assert "town, model: worse by more than 0.02 (total variation)" in printed
    assert "1 of 2 certainly worse by more than 0.02" in printed
    assert sorted(path.name for path in (folder / "versions").iterdir()) == [
        *("by_cluster.csv", "differences.csv", "questions.csv", "versions.md")
    ]
    told = (folder / "versions" / "versions.md").read_text(encoding="utf-8")
    assert "town, model: worse by more than 0.02" in told
    printed = town.run(folder, *shown, "--simulator", "model")
    assert "town, model: no worse by more than 0.1" in printed


def test_the_true_rise_lies_in_the_interval_which_is_that_of_the_library(there):
    found = compared(simulator="model")
    (asked, new) = found.rows["differences"]
    assert asked["ci_lower"] < town.RISE < asked["ci_upper"]
    counts, old, now = arrays()
    changed = [name in town.WORSE for name in town.NAMES]
    expected = fidelity.mean_difference(
        counts[changed], now[changed], old[changed], discrepancy="tv"
    )
    # The other half states the very same, so that nothing of it is uncertain.
    assert asked["lower"] == pytest.approx(expected.lower / 2)
    assert asked["ci_lower"] == pytest.approx(expected.ci_lower / 2)
    assert asked["ci_upper"] == pytest.approx(expected.ci_upper / 2)
    assert new["target"] == "new"
    assert new["method"] == "CR2"


def test_the_change_as_measured_is_that_of_the_shares(there):
    counts, old, new = arrays()
    share = counts / counts.sum(1, keepdims=True)
    measured = (abs(share - new).sum(1) - abs(share - old).sum(1)).mean() / 2
    found = compared(simulator="model")
    assert found.rows["differences"][0]["measured"] == pytest.approx(measured)
    assert f"; {measured:+.4f} as measured" in "\n".join(versions.text(found))


def test_lists_have_the_questions_that_got_worse_and_no_other(there):
    rows = compared(simulator="model").rows["questions"]
    assert {row["scenario"] for row in rows if row["verdict"] == "worse"} == set(town.WORSE)
    assert not any(row["verdict"] == "better" for row in rows)
    counts, old, new = arrays()
    expected = compare_versions(counts, old, new, discrepancy="tv")
    np.testing.assert_allclose([row["p_worse"] for row in rows], expected.worse_p)
    np.testing.assert_allclose([row["p_better"] for row in rows], expected.better_p)
    back = compared(*RUNS[::-1], simulator="model")
    assert {r["scenario"] for r in back.rows["questions"] if r["verdict"] == "better"} == set(
        town.WORSE
    )
    assert verdicts(back) == {"model": "better"}


def test_topics_rise_or_stay_and_hold_together(there):
    rows = compared(simulator="model").rows["by_cluster"]
    worse = {f"topic {town.NAMES.index(name) // town.EACH}" for name in town.WORSE}
    assert len(rows) == town.TOPICS
    for row in rows:
        rise = town.NEW_OFF - town.OLD_OFF if row["cluster"] in worse else 0.0
        assert row["ci_lower"] <= rise <= row["ci_upper"]
        assert (row["ci_lower"] > 0.0) == (row["cluster"] in worse)


@pytest.mark.parametrize(
    ("margin", "unless_shown", "said"),
    [
        (0.02, False, "Exit status 1: model on town is certainly worse by more than 0.02."),
        (0.075, False, "Exit status 0: none is certainly worse by more than 0.075."),
        (
            0.075,
            True,
            "Exit status 1: the condition of --unless-shown is not met, as model on town is not"
            " shown to be no worse by more than 0.075.",
        ),
        (
            0.15,
            True,
            "Exit status 0: the condition of --unless-shown is met, as each is shown to be no worse"
            " by more than 0.15.",
        ),
    ],
)
def test_the_last_line_says_the_exit_status_and_why(there, capsys, margin, unless_shown, said):
    options = Options(simulator="model", margin=margin)
    ended = versions.main(*map(versions.Path, RUNS), options, None, unless_shown)
    *_, last = capsys.readouterr().out.splitlines()
    assert last == said and said.startswith(f"Exit status {ended}:")


def test_equal_versions_pass_both_gates(there, capsys):
    for unless_shown in (False, True):
        options = Options(simulator="model")
        paths = [versions.Path(RUNS[0])] * 2
        assert versions.main(*paths, options, None, unless_shown) == 0
    assert "no interval (all changes are equal" in capsys.readouterr().out


def test_two_samples_of_one_model_are_not_worse(there):
    for runs in (RUNS, RUNS[::-1]):
        found = compared(*runs, simulator=SAMPLED)
        (asked, _) = found.rows["differences"]
        assert asked["k_old"] == asked["k_new"] == str(town.DRAWS)
        assert asked["ci_lower"] < 0.0 < asked["ci_upper"]
        assert versions.status(found, unless_shown=False) == 0
        assert {row.get("verdict") for row in found.rows["questions"]} == {None}
        assert any("known of sampled answers" in line for line in versions.text(found))


def test_all_simulators_are_judged_at_once_and_baselines_only_if_named(there):
    both, alone = compared(), compared(simulator="model")
    assert list(verdicts(both)) == ["model", SAMPLED]
    wide, narrow = both.rows["differences"][0], alone.rows["differences"][0]
    assert wide["ci_lower"] < narrow["ci_lower"] < narrow["ci_upper"] < wide["ci_upper"]
    assert list(verdicts(compared(simulator="uniform"))) == ["uniform"]


def test_a_simulator_of_another_name_is_paired(there):
    found = compared(renamed=(("model", SAMPLED),), simulator="model")
    (change,) = found.changes
    assert (change.simulator, change.new_name) == ("model", SAMPLED)
    whole = compared(renamed=(("model", SAMPLED),))
    assert [change.simulator for change in whole.changes] == ["model"]
    assert any("left out 1 simulator" in note and "model" in note for note in whole.notes)
    assert any("left out 1 simulator" in note and SAMPLED in note for note in whole.notes)


@pytest.fixture
def pair(there):
    (one,), (two,) = (versions._datasets(versions.Path(run)).values() for run in RUNS)
    return one, two


def with_column(table, name, change):
    values = [change(each) if at == 0 else each for at, each in enumerate(table[name].to_pylist())]
    at = table.schema.get_field_index(name)
    return table.set_column(at, name, pa.array(values, table.schema.field(name).type))


def answered_by_the_same(version):
    """Return a version as if the same known persons had answered all questions."""
    m = len(version.scenarios)
    codes = {row["scenario"]: row["value"] for row in version.scenarios.to_pylist()}
    told = [
        {"scenario": row["scenario"], "respondent": who, "value": value, "weight": 1.0}
        for row in version.human.to_pylist()
        if row["replicate"] == 0
        for who, value in enumerate(np.repeat(codes[row["scenario"]], np.int64(row["count"])))
    ]
    table = version.scenarios
    for name, value in (("people", "all"), ("respondents_repeat", True)):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, pa.array([value] * m, table.schema.field(name).type))
    respondents = pa.Table.from_pylist(told, RESPONDENTS)
    return Version(**{**vars(version), "scenarios": table, "respondents": respondents})


def test_known_persons_add_no_error_where_nothing_changed(pair):
    old, new = map(answered_by_the_same, pair)
    people = old.people
    assert people.responses.answers is not None
    for later, ends in ((old, (0.0, 0.0)), (new, None)):
        change = steps.change(old, later, people, ("model", "model"), "tv")
        row = next(steps.change_rows(change, 0.02, 0.05))
        if ends is None:
            both, half = change.both, np.flatnonzero(~change.of_models.is_same)
            assert len(half) == len(town.WORSE)
            part = DiscrepancyBounds(*(each[half] for each in change.of_models.bounds))
            found = mean_interval(part, errors=both.estimate("true", half).errors)
            ends = found.ci_lower / 2, found.ci_upper / 2
            assert row["method"].endswith("whole persons left out")
            assert row["ci_upper"] - row["ci_lower"] > 0.0
        assert (row["ci_lower"], row["ci_upper"]) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("column", "change", "said"),
    [
        ("question", lambda was: "Else?", "the wording differs: "),
        ("option", lambda was: [*was[:-1], "else"], "the options differs: "),
        ("cluster", lambda was: "else", "the cluster differs: "),
        ("kind", lambda was: "ordinal", "the kind of outcome differs: "),
    ],
)
def test_a_question_that_differs_is_refused(pair, column, change, said):
    one, two = pair
    changed = Version(**{**vars(two), "scenarios": with_column(two.scenarios, column, change)})
    with pytest.raises(DataError, match=f"^town, q00: {said}.*results/model_2.*") as error:
        same_questions(one, changed)
    assert "\n" not in str(error.value)


def test_other_people_are_refused(pair):
    one, two = pair
    human = with_column(two.human, "count", lambda was: [was[0] + 1.0, *was[1:]])
    with pytest.raises(DataError, match=r"town, q00: people's answers differ: 1000 in .*, 1001 in"):
        same_questions(one, Version(**{**vars(two), "human": human}))


def test_questions_of_one_run_only_are_left_out(pair):
    one, two = pair
    fewer = two.on(town.NAMES[5:])
    assert same_questions(one, fewer) == town.NAMES[5:]
    with pytest.raises(DataError, match="no question in common"):
        same_questions(one.on(town.NAMES[:5]), fewer)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dataset": "twon"}, "--dataset: results/model_1 has no twon; did you mean town?"),
        ({"simulator": "modle"}, "--simulator: the old run has no modle; did you mean model?"),
        ({"renamed": (("modle", "model"),)}, "--rename: the old run has no modle; did you mean"),
        ({"renamed": (("model", "modle"),)}, "--rename: the new run has no modle; did you mean"),
        (
            {"discrepancy": "vt"},
            "--discrepancy: town of results/model_1 has no vt; there are: tv",
        ),
        (
            {"discrepancy": "w1"},
            "--discrepancy: w1 cannot compare versions on categorical answers; town of"
            " results/model_1 has tv, kl",
        ),
        (
            {"discrepancy": "l2"},
            "--discrepancy: town of results/model_1 has no l2, only tv, kl; in the config of each"
            " run that lacks it, write under datasets, town, grid: {discrepancy: [tv, kl, l2]}, and"
            " run it again",
        ),
        (
            {"discrepancy": "kl", "simulator": SAMPLED},
            "town: sampled gave sampled answers, of which kl cannot tell another model from another"
            " sample; choose another --discrepancy, such as tv",
        ),
    ],
)
def test_options_that_name_nothing_are_refused_in_a_line(there, options, said):
    with pytest.raises(DataError) as told:
        versions.versions(*map(versions.Path, RUNS), Options(**options))
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_runs_without_a_dataset_in_common_are_refused():
    with pytest.raises(DataError, match="no dataset in common: old has town, new has city; run"):
        versions._both("dataset", ["town"], ["city"], None, ("old", "new"))


@pytest.mark.parametrize("lacking", ["provenance.json", f"town/{versions.MADE}"])
def test_runs_that_are_not_finished_are_refused(there, tmp_path, capsys, lacking):
    other = tmp_path / "other"
    shutil.copytree(RUNS[1], other)
    (other / lacking).unlink()
    assert main(["versions", RUNS[0], str(other)]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"{other / lacking}: is missing; run the study to its end")
    assert told.count("\n") == 2
    assert told.endswith("\nSee docs/howto/versions.md\n")
