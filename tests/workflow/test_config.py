"""The config: what it may say, what it leaves out, and that all its faults are told at once."""

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import pytest
import two_questions
import yaml
from small_study import ASKED_FOR, CONFIGS, REPOSITORY

from fidelity import DISCREPANCIES
from fidelity.baselines.base import BASELINES
from fidelity_study.app.run import origin
from fidelity_study.app.run.verify import verify
from fidelity_study.config import keys, project, schema
from fidelity_study.config import study as study_module
from fidelity_study.config import table as config_table
from fidelity_study.config.names import names_of
from fidelity_study.config.params import code, step
from fidelity_study.config.project import Figure, figures, input_files, room_words, rooms, sources
from fidelity_study.config.study import Study
from fidelity_study.digest import SOURCE
from fidelity_study.errors import DataError
from fidelity_study.provenance import VARIABLE
from fidelity_study.report.results import Results
from fidelity_study.root import ROOT
from fidelity_study.steps.registry import OF_EVALUATIONS, STEPS

INFINITE = {name for name, each in DISCREPANCIES.items() if each.infinite_at_zero}
SCHEDULE = {"schedule": "1/3"}
SIDED = {"upper": 0.5, "lower": 0.9}
COVERAGE = "a number between 0 and 1, or {schedule: 1/3}"


def with_dataset(kind="ordinal", **settings):
    """Return the smallest config, with settings of its only dataset added."""
    dataset = {
        "ingest": "bfi",
        "outcome": {"kind": kind},
        "cluster": "item",
        "simulators": ["uniform"],
    }
    return {"datasets": {"items": dataset | settings}}


def grid_of(config):
    return Study(config).datasets["items"]["grid"]


def faults_of(config):
    with pytest.raises(DataError) as refusal:
        Study(config)
    return str(refusal.value).splitlines()


@pytest.mark.parametrize("file", CONFIGS, ids=lambda file: file.stem)
def test_the_shipped_configs_are_sound_and_tell_what_each_simulator_is(file, monkeypatch):
    monkeypatch.chdir(ROOT)  # where their files are seen from
    study = Study(yaml.safe_load(file.read_text(encoding="utf-8")))
    assert study.datasets or study.evaluations
    assert set(study.rooms()) <= {
        room.parent.name for room in ROOT.glob("workflow/datasets/*/ingest.py")
    }
    for settings in study.datasets.values():
        silent = {name for name, each in settings["names"].items() if not each["describe"]}
        assert silent <= {"language_model", *settings["asked"]}


def schemas(value):
    """Yield the schema of every key, nested ones too, with the key."""
    for key, inner in value.get("properties", {}).items():
        yield key, inner
        yield from schemas(inner)
    for inner in (value.get("additionalProperties"), value.get("items")):
        if isinstance(inner, dict) and inner:
            yield "", inner
            yield from schemas(inner)


def test_what_is_allowed_is_known_of_every_key():
    found = list(schemas(keys.Study.schema))
    assert {"n", "sponsor", "max_tokens", "range"} <= {key for key, _ in found}
    assert [key for key, inner in found if key and not schema.allowed(inner)] == []


def test_a_study_has_defaults_of_its_own():
    grid_of(with_dataset())["n"].append(7)
    assert 7 not in grid_of(with_dataset())["n"]


def test_an_extension_that_no_file_can_be_called_is_told():
    (line,) = faults_of({**with_dataset(), "extensions": ["x" * 3000]})
    assert re.match(r"extensions: x{200}\.\.\. is not there, seen from ", line)


def files_of(folder, **settings):
    """Write a small survey, and return a config of it whose datasets share ``settings``."""
    people = [
        "scenario,topic,value,count",
        *(f"q{j},t{j % 2},{v},{j + 2}" for j in range(4) for v in "ab"),
    ]
    model = [
        "scenario,simulator,value,count",
        *(f"q{j},model,{v},5" for j in range(4) for v in "ab"),
    ]
    for name, lines in (("human", people), ("model", model)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    survey = {"ingest": "tabular", "human": str(folder / "human.csv")}
    survey |= {"simulated": str(folder / "model.csv"), "outcome": {"kind": "categorical"}}
    return {"datasets": {"survey": {**survey, **settings}}}


@pytest.mark.slow
def test_faults_of_every_kind_are_told_in_one_answer(tmp_path):
    config = files_of(tmp_path, simulators=["modle"], cluster="topics")
    survey = config["datasets"]["survey"]
    config["grid"] = {"n": [0], "k": [5]}
    config["comparison"] = {"tolerence": {"tv": 0.1}}
    other = tmp_path / "other.csv"
    other.write_text("scenario,value,count\nq1,a,-3\nq1,b,2\n", encoding="utf-8")
    config["datasets"] |= {
        "bounds": {**survey, "outcome": {"kind": "bounded", "bounds": [1, 0]}},
        "scores": {
            **survey,
            "outcome": {"kind": "ordinal", "levels": ["a", "b"], "scores": [1, 2, 3]},
        },
        "column": {**survey, "columns": {"count": "cout"}},
        "room": {**survey, "ingest": "tabluar"},
        "gone": {**survey, "human": "gone.csv"},
        "counts": {**survey, "human": str(other)},
        "figures": {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "figures": ["curves"]},
        "folder": {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "cluster": "trayt"},
    }
    with pytest.raises(DataError) as refusal:
        Study(config, looks=True)
    told = str(refusal.value).splitlines()
    expected = [
        ("grid.n[0]: 0", "a whole number from 1"),
        ("comparison: unknown key 'tolerence'", "did you mean tolerance?"),
        ("datasets.bounds.outcome: bounds [1, 0]", "the smaller number first"),
        ("datasets.scores.outcome: has 3 scores for 2 levels", "one for each"),
        ("datasets.column.columns.count: no file has a column 'cout'", "did you mean 'count'?"),
        ("datasets.room.ingest: 'tabluar'", "did you mean tabular?"),
        ("datasets.gone: gone.csv is not there", "name a file"),
        (f"{other}, row 2, column 'count': is negative", "mend it"),
        ("datasets.figures.figures: 'curves'", "did you mean curve?"),
        ("datasets.folder.cluster: 'trayt'", "did you mean trait?"),
        (f"{tmp_path}/human.csv: has the columns", "no 'topics'"),
        (f"{tmp_path}/human.csv and {tmp_path}/model.csv: simulator 'modle'", "'model'?"),
    ]
    for start, end in expected:
        assert any(line.startswith(start) and end in line for line in told), (start, told)
    assert len(told) <= len(expected) + 1


def test_cluster_and_simulators_have_defaults(tmp_path):
    study = Study(files_of(tmp_path))
    survey = study.datasets["survey"]
    assert survey["simulators"] == ["model", "uniform", "pooled"]
    assert (survey["cluster"], survey["clustered"]) == ("none", False)
    items = {"ingest": "bfi", "outcome": {"kind": "ordinal"}}
    items = Study({"datasets": {"items": items}}).datasets["items"]
    assert items["simulators"] == ["pooled", "uniform"]
    assert (items["cluster"], items["clustered"]) == ("trait", True)


def test_without_clusters_baselines_still_learn_within_those_of_the_folder():
    settings = {"ingest": "bfi", "outcome": {"kind": "ordinal"}, "cluster": "none"}
    items = Study({"datasets": {"items": settings}}).datasets["items"]
    assert (items["cluster"], items["clustered"]) == ("trait", False)


WORKING = """
ordinal | tv | hoeffding | multinomial_kl multinomial_kl_paper w1 w1_subgaussian witness
ordinal | squared | clopper_pearson | hoeffding multinomial_kl multinomial_kl_paper w1 \
  w1_subgaussian empirical_bernstein betting witness witness_betting
ordinal | kl | witness | multinomial_kl multinomial_kl_paper
categorical | tv | bernoulli_kl | multinomial_kl multinomial_kl_paper witness
bounded | w1 | witness | w1 w1_subgaussian
real | absolute | witness | bootstrap_percentile bootstrap_bca
"""


@pytest.mark.parametrize("line", WORKING.strip().splitlines())
def test_sets_that_do_not_fit_are_refused_with_those_that_do(line):
    kind, discrepancy, confidence_set, working = line.split(" | ")
    grid = {"discrepancy": [discrepancy], "confidence_set": [confidence_set]}
    (line,) = faults_of(with_dataset(kind, grid=grid))
    assert line.startswith(f"datasets.items.grid.confidence_set: {confidence_set} does not bound")
    head, _, named = line.rpartition("; use ")
    assert f"{discrepancy} of {kind} outcomes" in head
    assert sorted(named.split(", ")) == sorted(working.split())


@pytest.mark.parametrize(
    ("kind", "pairs"),
    [
        ("binary", {"absolute": ["bernoulli_kl", "clopper_pearson", "witness"]}),
        ("ordinal", {"squared": ["hoeffding", "witness"]}),
        ("categorical", {"tv": ["multinomial_kl_paper", "witness"]}),
        ("bounded", {"absolute": ["hoeffding", "witness"]}),
        ("real", {"absolute": ["bootstrap_percentile", "bootstrap_bca"]}),
    ],
)
def test_defaults_follow_the_outcome_kind(kind, pairs):
    study = Study(with_dataset(kind))
    settings = study.datasets["items"]
    assert study.seed == 20251205
    assert settings["grid"]["pairs"] == pairs
    assert settings["grid"]["discrepancy"] == list(pairs)
    assert settings["grid"]["n"] == [50, 200, 500, "all"]
    assert settings["grid"]["index"] == "weights"
    assert set(settings["grid"]["smoothed"]) == INFINITE
    assert settings["comparison"] == {"n": ["all"], "gamma": [0.5], "replicates": 1}
    assert settings["test"] == {"alpha": 0.05, "power": 0.8, "effect": {}}
    assert settings["grid"]["eta"] == 0.05
    assert (settings["title"], settings["draws"]) == ("items", 1000)
    assert settings["weighting_effect"] is None


SETS = """
binary | kl | bernoulli_kl clopper_pearson witness
ordinal | w1 | multinomial_kl_paper witness
ordinal | js | multinomial_kl_paper multinomial_kl
categorical | kl | multinomial_kl_paper multinomial_kl
categorical | mmd_delta | witness
ordinal | mmd_gaussian | witness
binary | mmd_laplace | bernoulli_kl clopper_pearson witness
bounded | w1 | w1
real | median | bootstrap_percentile bootstrap_bca
"""


@pytest.mark.parametrize("line", SETS.strip().splitlines())
def test_defaults_follow_the_discrepancy(line):
    kind, discrepancy, sets = line.split(" | ")
    grid = grid_of(with_dataset(kind, grid={"discrepancy": [discrepancy]}))
    assert grid["pairs"] == {discrepancy: sets.split()}


def test_w1_of_numbers_without_bounds_needs_their_sigma():
    config = with_dataset("real", grid={"discrepancy": ["w1"]})
    with pytest.raises(DataError, match=r"items\.outcome\.sigma: must be given for w1_sigma"):
        Study(config)
    config["datasets"]["items"]["outcome"]["sigma"] = 2.0
    assert grid_of(config)["pairs"] == {"w1": ["w1_sigma"]}
    config["datasets"]["items"]["outcome"]["kind"] = "ordinal"
    with pytest.raises(DataError, match="of real outcomes only, not of ordinal"):
        Study(config)


def test_a_datasets_grid_overrides_the_studys_key_by_key():
    config = with_dataset(grid={"k": [5]}) | {"grid": {"k": [7], "n": [9, "all"]}}
    config["datasets"]["other"] = with_dataset()["datasets"]["items"]
    grids = {name: each["grid"] for name, each in Study(config).datasets.items()}
    assert (grids["items"]["k"], grids["items"]["n"]) == ([5], [9, "all"])
    assert (grids["other"]["k"], grids["other"]["n"]) == ([7], [9, "all"])


def test_level_power_and_effect_of_tests_are_keys_of_the_config():
    config = with_dataset(comparison={"effect": {"tv": 0.1}})
    config |= {"comparison": {"alpha": 0.01, "power": 0.9, "effect": {"tv": 0.03}}}
    settings = Study(config).datasets["items"]
    assert settings["test"] == {"alpha": 0.01, "power": 0.9, "effect": {"tv": 0.1}}
    (line,) = faults_of(with_dataset(comparison={"alpha": 0.2, "power": 0.1}))
    assert line == "datasets.items.comparison.power: 0.1 is not above comparison.alpha, 0.2"


def test_sets_for_other_discrepancies_than_the_grids_are_refused():
    grid = {"discrepancy": ["squared", "tv"], "confidence_set": {"squared": ["witness"]}}
    (line,) = faults_of(with_dataset(grid=grid))
    assert line.startswith("datasets.items.grid.confidence_set: has lists for squared")
    assert "squared, tv" in line


def test_pairs_are_compared_at_one_coverage():
    study = Study(with_dataset(grid={"gamma": [SIDED]}))
    assert study.datasets["items"]["comparison"]["gamma"] == [0.5]
    config = with_dataset(grid={"gamma": [0.7, SIDED]}, comparison={"gamma": [0.9, 0.5]})
    assert Study(config).datasets["items"]["comparison"]["gamma"] == [0.9, 0.5]
    (line,) = faults_of(with_dataset(grid={"gamma": [SIDED]}, comparison={"gamma": [SIDED]}))
    assert line.startswith(f"datasets.items.comparison.gamma[0]: {SIDED} is not {COVERAGE}")


@pytest.mark.parametrize("schedule", ["1/0", "0/3", "-1/3", "third", 0, True])
def test_a_schedule_that_is_no_positive_number_is_refused(schedule):
    (line,) = faults_of(with_dataset(grid={"gamma": [{"schedule": schedule}]}))
    assert line.startswith("datasets.items.grid.gamma[0]: ")


def test_coverages_have_labels():
    gammas = [0.5, SCHEDULE, {"schedule": 0.5, "floor": 0.8}, {"upper": SCHEDULE, "lower": 0.9}]
    settings = Study(with_dataset(grid={"gamma": gammas})).datasets["items"]
    results = Results({"gamma": settings["grid"]["gamma"]}, {})
    *same, sided = results.gammas
    assert same == ["0.5", "1-n^-1/3", "1-n^-1/2,floor=0.8"]
    assert sided == "1-n^-1/3, lower 0.9"


def test_a_room_may_know_keys_of_its_own():
    study = Study(with_dataset(by=["gender", "education"]))
    assert study.datasets["items"]["options"] == {"by": ["gender", "education"]}


@pytest.mark.parametrize(
    ("room", "keys", "place", "words"),
    [
        ("bfi", {"buy": ["gender"]}, "datasets.items:", ["'buy'", "did you mean by?"]),
        ("bfi", {"by": ["age"]}, "datasets.items.by[0]", ["'age'", "gender", "education"]),
        (
            *("wvs_bribe", {"by": ["gender"], "cluster": "wave"}),
            *("datasets.items:", ["'by'", "there are"]),
        ),
        ("synthetic", {}, "datasets.items:", ["'population'", "missing"]),
    ],
)
def test_keys_that_a_room_does_not_know_are_refused(room, keys, place, words):
    (line,) = faults_of(with_dataset(ingest=room, **keys))
    assert line.startswith(place)
    assert all(word in line for word in words), line


FOR_ALL = ["ranking", "curve", "scatter", "cards", "heat_map"]


def test_figures_can_be_chosen(tmp_path):
    study = Study(with_dataset(figures=["uses"]))
    assert list(study.figures("items")) == ["uses"]
    assert list(Study(with_dataset()).figures("items")) == FOR_ALL
    two = with_dataset(simulators=["uniform", "pooled"])
    assert list(Study(two).figures("items")) == [*FOR_ALL, "pairs"]
    everything = with_dataset(simulators=["uniform", "pooled"], figures=list(figures()))
    everything = Study(everything).figures("items")
    assert set(everything) == set(figures()) - ASKED_FOR
    for kind, there in (("binary", {"reliability"}), ("real", set())):
        asked = with_dataset(simulators=["uniform"], calibration={}, outcome={"kind": kind})
        assert set(Study(asked).figures("items")) & ASKED_FOR == there
    own = tmp_path / "shares.py"
    own.write_text(FIGURE, encoding="utf-8")
    extended = Study({**two, "extensions": [str(own)]})
    assert list(extended.figures("items")) == [*FOR_ALL, "pairs", "shares"]
    (line,) = faults_of(with_dataset(figures=["curves"]))
    assert line.startswith("datasets.items.figures: 'curves' is unknown; did you mean curve?")
    (line,) = faults_of(with_dataset(figures=["nothing"]))
    assert line.startswith("datasets.items.figures: 'nothing' is unknown; there are: ranking,")


def planned(kind="binary", plan=None, **grid):
    return with_dataset(kind, plan=plan or {}, grid=grid)


def test_a_plan_has_defaults_and_takes_what_it_can_of_the_grid():
    grid = {
        "discrepancy": ["squared", "tv", "w1"],
        "gamma": [SCHEDULE, SIDED, 0.5, 0.9],
        "confidence_set": {
            "squared": ["witness"],
            "tv": ["multinomial_kl", "witness"],
            "w1": ["witness_betting", "witness"],
        },
    }
    study = Study(planned("ordinal", **grid))
    assert study.datasets["items"]["plan"] == {
        "width": [0.1, 0.05],
        "probability": 0.9,
        "tail": 1,
        "costs": {"scenario": 0, "answer": 1, "draw": 0.01},
        "pairs": {"tv": ["multinomial_kl", "witness"], "w1": ["witness"]},
        "gamma": [0.5, 0.9],
    }
    assert study.runs("plan") == [{"dataset": "items"}]
    some = Study(planned(plan={"tail": 0.1, "costs": {"draw": 2}})).datasets["items"]["plan"]
    assert (some["tail"], some["costs"]) == (0.1, {"scenario": 0, "answer": 1, "draw": 2})
    without = Study(with_dataset())
    assert without.datasets["items"]["plan"] is None
    assert without.runs("plan") == []


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (planned("bounded"), ": bounded outcomes are numbers, and plans are for options; take"),
        (planned("ordinal"), ": plans are for absolute, tv, w1, and grid.discrepancy is squared;"),
        (
            planned("ordinal", discrepancy=["absolute"], confidence_set=["betting"]),
            ": every confidence set of absolute in the grid draws random numbers; add one that",
        ),
        (planned(gamma=[SCHEDULE]), ": plans are for a coverage that is the same everywhere; add"),
        (planned(plan={"width": []}), ".width: [] is not a list of different numbers above 0"),
        (planned(plan={"cost": {}}), ": unknown key 'cost'; did you mean costs?"),
    ],
)
def test_plans_that_cannot_be_made_are_refused_in_one_line(config, message):
    (line,) = faults_of(config)
    assert line.startswith(f"datasets.items.plan{message}")


RUN = {
    "people_reference": ({"curves": True}, {"curves": False}),
    "structure": ({"curves": True}, {"curves": False}),
    "twins": ({"curves": True}, {"curves": False}),
    "groups": ({"curves": True, "groups": ["sex"]}, {"curves": True, "groups": []}),
    "effects": (
        {"effects": {"condition": "arm"}, "curves": False},
        {"effects": None, "curves": True},
    ),
}


@pytest.mark.parametrize("name", RUN)
def test_a_step_runs_where_its_dataset_has_what_it_is_of(name):
    there, lacking = RUN[name]
    assert STEPS[name].runs(there) and not STEPS[name].runs(lacking)
    assert name not in OF_EVALUATIONS


def test_the_configs_page_is_made_from_the_schema():
    assert config_table.README.read_text(encoding="utf-8") == config_table.table()


FIGURE = '"""Title\n\nCaption,\nlong.\n"""\nNEEDS = {"simulators": 2}\ndef draw(results): ...\n'


def test_a_figure_is_a_file_that_draws(tmp_path):
    modules = {path.stem for path in SOURCE.glob("fidelity_study/report/figures/*.py")}
    assert set(figures()) == modules - {"__init__", "source", "style"}
    path, other = tmp_path / "shares.py", tmp_path / "another.py"
    path.write_text(FIGURE, encoding="utf-8")
    other.write_text("number = 1\n", encoding="utf-8")
    found = figures([path, other])
    assert list(found) == [*figures(), "shares"]
    assert found["shares"] == Figure(path, "Title", "Caption,\nlong.", simulators=2)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("shares.py", "def draw(", "cannot be read as Python"),
        ("shares.py", '"""Title"""\n' + "def draw(results): ...\n", "a docstring"),
        ("{shares}.py", FIGURE, "a name of letters"),
        ("shares.py", FIGURE.replace("simulators", "people"), "NEEDS is not"),
        ("curve.py", FIGURE, "there is a figure curve already"),
    ],
)
def test_a_figure_that_lacks_something_is_refused(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=f"^{re.escape(str(path))}: .*{message}"):
        figures([path])


def survey(**settings):
    """Return a study of a voters' survey with a model's answers, with own settings added."""
    dataset = {
        "ingest": "ces_2024",
        "outcome": {"kind": "categorical"},
        "cluster": "question",
        "simulators": ["fa", "uniform"],
    }
    return Study({"datasets": {"voters": dataset | settings}})


def labels(study, dataset="voters"):
    return {name: each["label"] for name, each in study.datasets[dataset]["names"].items()}


def test_names_are_a_list_whatever_the_config_says_of_them():
    plain, mapped = survey(), survey(simulators={"fa": {"label": "the model"}, "uniform": None})
    assert mapped.datasets["voters"]["simulators"] == ["fa", "uniform"]
    assert labels(mapped) == {"fa": "the model", "uniform": "uniform guess"}
    described = plain.datasets["voters"]["names"]["fa"]["describe"]
    assert mapped.datasets["voters"]["names"]["fa"]["describe"] == described
    emptied = survey(simulators={"fa": {"describe": ""}}).datasets["voters"]["names"]["fa"]
    assert emptied == {"label": labels(plain)["fa"], "describe": ""}


def test_a_label_reruns_words_and_pictures_only():
    plain, named = survey(), survey(simulators={"fa": {"label": "x"}, "uniform": {}}, noun="cell")
    changed = {
        name
        for name, known in STEPS.items()
        if known.depends_on and step(plain, name, "voters") != step(named, name, "voters")
    }
    assert changed == {"findings", "figure", "statement"}


def test_results_know_the_words():
    study = survey(simulators={"fa": {"label": "the model", "describe": "25 answers."}, "ntp": {}})
    results = Results(step(study, "findings", "voters"), {})
    assert results.named("fa") == "the model"
    assert results.described("fa") == "25 answers."
    assert results.named("ntp") == "qwen3-vl-2b, next-token probabilities"
    assert (results.noun, results.nouns) == ("question in a group", "questions in groups")


@pytest.mark.parametrize(
    ("noun", "words"),
    [("vignette", ["vignette", "vignettes"]), (["story", "stories"], ["story", "stories"])],
)
def test_the_word_for_a_scenario(noun, words):
    assert survey(noun=noun).datasets["voters"]["noun"] == words


def test_where_nobody_says_anything_names_and_questions_remain(tmp_path):
    settings, grouped = (
        Study(two_questions.config("town", simulators=["my_model", "pooled"], **groups))
        for groups in ({}, {"groups": ["sex"]})
    )
    settings, grouped = settings.datasets["town"], grouped.datasets["town"]
    assert settings["noun"] == ["question", "questions"]
    assert grouped["noun"] == ["question in a group", "questions in groups"]
    assert settings["names"]["my_model"] == {"label": "my_model", "describe": ""}
    pooled = BASELINES["pooled"]
    assert settings["names"]["pooled"] == {"label": pooled.label, "describe": pooled.describe}


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_has_words_that_differ_from_all_others(name):
    baseline = BASELINES[name]
    assert [each.label for each in BASELINES.values()].count(baseline.label or name) == 1
    assert bool(baseline.label) == bool(baseline.describe)


def test_what_a_folder_says_comes_before_the_baselines_own_words(monkeypatch):
    words = {"simulators": {"uniform": {"label": "coin flip"}, "fa": None}}
    monkeypatch.setattr(study_module, "room_words", lambda room: words)
    study = survey(simulators=["fa", "uniform", "pooled"])
    assert labels(study) == {
        "fa": "fa",
        "uniform": "coin flip",
        "pooled": "guess from other answers",
    }
    described = study.datasets["voters"]["names"]["uniform"]["describe"]
    assert described == BASELINES["uniform"].describe


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ({"nouns": "cell"}, "unknown key 'nouns'; did you mean noun?"),
        ({"simulators": {"fa": {"labels": "x"}}}, "unknown key 'labels'; did you mean label?"),
        (None, "None is not a mapping with any of noun, clusters, simulators and about"),
    ],
)
def test_a_folder_with_wrong_words_is_refused_by_its_file(monkeypatch, words, fault):
    monkeypatch.setattr(study_module, "room_words", lambda room: words)
    with pytest.raises(DataError, match=re.escape(f"ces_2024/words.yaml: {fault}")):
        survey()


def known_in(room):
    """Return the names that a room's README has in code, a model's mode apart from the model."""
    readme = ROOT / "workflow" / "datasets" / room / "README.md"
    return set(re.findall(r"`([^`\n]+)`", readme.read_text(encoding="utf-8")))


@pytest.mark.parametrize("room", rooms())
def test_a_folders_words_are_of_simulators_that_its_readme_names(room):
    for name in room_words(room).get("simulators", {}):
        parts = re.fullmatch(r"(.+) \((.+)\)", name)
        assert set(parts.groups() if parts else [name]) <= known_in(room)


@pytest.fixture
def room(tmp_path, monkeypatch):
    """Return a function that makes the folder of a dataset of some files."""
    monkeypatch.setattr(project, "ROOMS", tmp_path)
    for cached in (project.sources, project.room_words, project.room_keys):
        cached.cache_clear()

    def make(**texts):
        folder = tmp_path / "cafe"
        folder.mkdir()
        for name, text in texts.items():
            (folder / f"{name.replace('_', '.')}.yaml").write_text(text, encoding="utf-8")
        return "cafe"

    yield make
    for cached in (project.sources, project.room_words, project.room_keys):
        cached.cache_clear()


def settings(ingest, simulators=("model",), **options):
    return {"ingest": ingest, "simulators": list(simulators), "options": options}


def test_a_folder_without_sources_and_keys_reads_nothing(room):
    assert input_files(settings(room())) == {}


def test_patterns_stand_for_several_files_and_simulators_for_those_of_the_config(room):
    cafe = room(
        sources="""
url: "https://host/"
inputs:
  people: "{town}/people.csv"
  years: "{town}/years/*"
  simulators: "simulators/{simulator}.csv"
files:
  a/people.csv: {path: p, sha256: x}
  b/people.csv: {path: p, sha256: x}
  b/years/1.csv: {path: p, sha256: x}
  b/years/2.csv: {path: p, sha256: x}
  simulators/small.csv: {path: p, sha256: x}
  simulators/large.csv: {path: p, sha256: x}
  simulators/other.csv: {path: p, sha256: x}
"""
    )
    assert input_files(settings(cafe, ["large", "uniform", "small"], town="b")) == {
        "people": "resources/cafe/b/people.csv",
        "years": ["resources/cafe/b/years/1.csv", "resources/cafe/b/years/2.csv"],
        "simulators": [
            "resources/cafe/simulators/large.csv",
            "resources/cafe/simulators/small.csv",
        ],
    }


def test_a_file_that_the_config_names_takes_the_place_of_a_published_one(room):
    cafe = room(
        sources="inputs: {people: a.csv}\nfiles: {a.csv: {path: p, sha256: x}}",
        options_schema="properties: {people: {type: string, file: true}}",
    )
    assert input_files(settings(cafe)) == {"people": "resources/cafe/a.csv"}
    assert input_files(settings(cafe, people="data/own.csv")) == {"people": "data/own.csv"}


def test_options_that_are_no_files_are_not_read():
    assert input_files(settings("bfi", by=["gender"])) == {}


def test_a_checksum_alone_is_of_a_file_with_the_same_name_there(room):
    cafe = room(
        sources="folders: {here: there/too}\nfiles: {here/a.csv: abc, b: {path: c, sha256: d}}"
    )
    assert sources(cafe)["files"] == {
        "here/a.csv": {"path": "there/too/a.csv", "sha256": "abc"},
        "b": {"path": "c", "sha256": "d"},
    }


def test_braces_in_a_folders_words_stand_for_the_model():
    words = {"large (fast)": {"label": "{}, at once", "describe": "Answers."}, "other": None}
    config = {"simulators": ["large (fast)", "other"]}
    assert names_of(config, config["simulators"], words) == {
        "large (fast)": {"label": "large, at once", "describe": "Answers."},
        "other": {"label": "other", "describe": ""},
    }


def test_the_folders_code_counts_in_the_digest_of_the_step():
    dataset = {"outcome": {"kind": "ordinal"}, "cluster": "item", "simulators": ["uniform"]}
    study = Study({"datasets": {"items": {"ingest": "bfi", **dataset}}})
    assert ROOT / "workflow/datasets/bfi/ingest.py" in code(study, "ingest", "items")


def finished(config: Path) -> Path:
    """Return the results of a study with this config, which ended just now."""
    origin.tell({"seed": 1}, [config], "results/town/config.yaml", 1)
    results = Path("results/town")
    results.mkdir(parents=True, exist_ok=True)
    (results / "findings.md").write_text("all is well")
    files = {"results/town/findings.md": hashlib.sha256(b"all is well").hexdigest()}
    told = {**json.loads(os.environ[VARIABLE]), "folder": "results/town", "files": files}
    (results / "provenance.json").write_text(json.dumps(told))
    return results


def test_verify_sees_a_changed_config_and_not_its_comments(here, monkeypatch):
    monkeypatch.setenv(VARIABLE, "null")
    config = here / "town.yaml"
    shutil.copy(REPOSITORY / "config" / "example.yaml", config)
    results = finished(config)
    text = config.read_text()
    assert verify(results)[1] == []
    config.write_text(f"# another comment\n{text}\n")
    assert verify(results)[1] == []
    config.write_text(text.replace("k: [40]", "k: [41]"))
    (fault,) = verify(results)[1]
    assert fault.startswith("town.yaml: says something else than when the study was run")
    config.unlink()
    assert verify(results)[1] == []
