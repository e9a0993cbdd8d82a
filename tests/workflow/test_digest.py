"""What a step depends on: neither more nor less than its script, its modules and its settings."""

import ast
import shutil
from copy import deepcopy
from types import NoneType

import pytest
import yaml

from fidelity_study.config.project import ROOT
from fidelity_study.config.study import NEEDS, Study
from fidelity_study.run import digest as module
from fidelity_study.run.digest import SOURCE, digest

BUILTIN = (dict, list, str, int, float, bool, NoneType)
SCRIPTS = sorted(ROOT.glob("scripts/*.py"))
INGESTS = sorted(ROOT.glob("workflow/datasets/*/ingest.py"))
SEEDED = {"guarantee", "sample_size", "variance", "calibration"}
GRID_STEPS = ["bootstrap", "confidence_set", "pseudo_discrepancy", "quantile", "guarantee"]
TREE = {
    "script.py": "from pack import near\nimport pack.sub.deep as other\n",
    "src/pack/__init__.py": "",
    "src/pack/near.py": "from pack.far import number\n",
    "src/pack/far.py": "number = 1\n",
    "src/pack/unrelated.py": "number = 2\n",
    "src/pack/sub/__init__.py": "# runs when pack.sub.deep is imported\n",
    "src/pack/sub/deep.py": "import pack.near\nimport pack.sub.deep\n",
}


@pytest.fixture
def at(monkeypatch):
    """Return a function that digests a script as a project in another place would."""

    def digest_at(source, script):
        monkeypatch.setattr(module, "SOURCE", source)
        digest.cache_clear()
        module._imported.cache_clear()
        return digest(script)

    yield digest_at
    digest.cache_clear()
    module._imported.cache_clear()


def plant(folder):
    for name, text in TREE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("changed", TREE)
def test_a_digest_changes_with_what_the_script_imports_and_nothing_else(tmp_path, at, changed):
    folder = plant(tmp_path)
    before = at(folder / "src", folder / "script.py")
    (folder / changed).write_text(TREE[changed] + "# edited\n", encoding="utf-8")
    after = at(folder / "src", folder / "script.py")
    assert (before == after) == (changed == "src/pack/unrelated.py")


def test_a_digest_is_the_same_in_another_place(tmp_path, at):
    copy = tmp_path / "copy"
    for name in ("src", "scripts", "workflow"):
        shutil.copytree(ROOT / name, copy / name)
    for script in [*SCRIPTS, *INGESTS]:
        there = copy / script.relative_to(ROOT)
        assert at(copy / "src", there) == at(SOURCE, script)


def test_scripts_with_different_content_have_different_digests():
    digests = {digest(script) for script in [*SCRIPTS, *INGESTS]}
    assert len(digests) == len(SCRIPTS) + len(INGESTS)


@pytest.mark.parametrize("path", [*SCRIPTS, *INGESTS, *sorted(SOURCE.rglob("*.py"))], ids=str)
def test_imports_are_written_so_that_a_digest_sees_them(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            if node.module == "fidelity":
                modules = {file.stem for file in SOURCE.glob("fidelity/*.py")}
                assert {alias.name for alias in node.names} <= modules
        elif isinstance(node, ast.Import):
            assert "fidelity" not in {alias.name for alias in node.names}


@pytest.fixture
def study():
    return Study(yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8")))


def steps_of(study):
    """Return all steps of a study by (dataset, script or figure, n)."""
    steps = {}
    for dataset, settings in study.datasets.items():
        for name in NEEDS:
            room = f"workflow/datasets/{settings['ingest']}/ingest.py"
            script = room if name == "ingest" else f"scripts/{name}.py"
            for n in settings["grid"]["n"] if name in GRID_STEPS else [None]:
                label = None if n is None else str(n)
                steps[dataset, name, label] = study.step(script, dataset, label)
        steps[dataset, "figure", None] = study.figure_step(dataset)
    return steps


def parts(value):
    yield value
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list):
        for each in value:
            yield from parts(each)


def test_steps_are_made_of_builtin_types_only(study):
    for key, step in steps_of(study).items():
        strangers = [each for each in parts(step) if type(each) not in BUILTIN]
        assert strangers == [], key


def test_the_reports_step_is_made_of_builtin_types_only(study):
    config = {"datasets": {"a": {"simulators": ("x",)}}, "seed": 1}
    step = study.report_step(config, ROOT / "Snakefile")
    assert [each for each in parts(step) if type(each) not in BUILTIN] == []


SMALL = {
    "seed": 20,
    "grid": {"n": [30, 40], "k": [10, 20], "gamma": [0.5, 0.9], "replicates": 3},
    "datasets": {
        "items": {
            "ingest": "bfi",
            "outcome": {"kind": "ordinal"},
            "cluster": "item",
            "simulators": ["uniform", "pooled"],
            "draws": 60,
        }
    },
}


def changed(path, value):
    config = deepcopy(SMALL)
    *folders, key = path
    place = config
    for folder in folders:
        place = place[folder]
    place[key] = value
    return config


def differing(config):
    """Return the steps, n among them, whose settings are not those of SMALL."""
    before, after = (
        {key[1:]: repr(step) for key, step in steps_of(Study(each)).items()}
        for each in (SMALL, config)
    )
    return {key for key in after if before.get(key) != after[key]}


def names_of(steps):
    return {name for name, _ in steps}


def test_the_same_config_gives_the_same_steps():
    assert differing(deepcopy(SMALL)) == set()


def test_settings_that_swap_their_values_change_the_steps_that_use_them():
    swapped = changed(["seed"], 60)
    swapped["datasets"]["items"]["draws"] = 20
    drawing = {"ingest", "bootstrap", "bootstrap_simulators", "confidence_set"}
    assert names_of(differing(swapped)) == drawing | SEEDED


def test_numbers_of_people_and_of_draws_that_swap_change_the_steps_that_use_them():
    swapped = changed(["grid", "n"], SMALL["grid"]["k"])
    swapped["grid"]["k"] = SMALL["grid"]["n"]
    assert {"bootstrap_simulators", "summary", "findings", "figure"} <= names_of(differing(swapped))


@pytest.mark.parametrize(
    ("path", "value", "unchanged"),
    [
        (["grid", "k"], [20, 10], {"ingest", "bootstrap", "confidence_set", "quantile"}),
        (["grid", "gamma"], [0.9, 0.5], {"ingest", "bootstrap", "bootstrap_simulators"}),
        (["grid", "n"], [40, 30], {"ingest", "bootstrap", "confidence_set", "quantile"}),
        (["grid", "replicates"], 4, {"ingest", "confidence_set", "quantile", "summary"}),
        (["datasets", "items", "title"], "Items", {"ingest", "bootstrap", "summary", "pairwise"}),
        (["datasets", "items", "simulators"], ["pooled", "uniform"], {"bootstrap", "quantile"}),
        (["comparison"], {"gamma": [0.9]}, {"ingest", "bootstrap", "confidence_set", "summary"}),
        (["comparison"], {"alpha": 0.01}, {"quantile", "pairwise", "comparison"}),
        (["comparison"], {"effect": {"tv": 0.1}}, {"quantile", "pairwise", "comparison"}),
    ],
)
def test_a_change_reaches_only_steps_that_need_it(path, value, unchanged):
    steps = names_of(differing(changed(path, value)))
    assert steps
    assert not steps & unchanged


@pytest.mark.parametrize(
    ("path", "value", "reached"),
    [
        (["grid", "index"], "mean", {"quantile", "guarantee", "comparison"}),
        (
            ["grid", "smoothed"],
            [],
            {"pseudo_discrepancy", "pairwise", "variance", "findings", "figure"},
        ),
    ],
)
def test_a_change_reaches_all_steps_that_need_it(path, value, reached):
    steps = names_of(differing(changed(path, value)))
    assert {name.split()[0] for name in steps} == reached


def test_another_number_of_people_leaves_the_others_alone():
    grown = changed(["grid", "n"], [30, 40, "all"])
    assert {n for name, n in differing(grown) if name in GRID_STEPS} == {"all"}


def test_another_dataset_leaves_the_first_ones_steps_alone():
    config = deepcopy(SMALL)
    config["datasets"] = {"another": SMALL["datasets"]["items"], **config["datasets"]}
    before, after = (steps_of(Study(each)) for each in (SMALL, config))
    assert {key: repr(step) for key, step in after.items() if key[0] == "items"} == {
        key: repr(step) for key, step in before.items()
    }
