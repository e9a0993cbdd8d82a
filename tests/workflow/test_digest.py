"""What a step depends on: neither more nor less than its script, its modules and its settings."""

import ast
import json
import re
from copy import deepcopy
from functools import cache
from pathlib import Path
from types import NoneType

import pytest
import yaml
from small_study import STUDY

from fidelity_study import digest as module
from fidelity_study import user_cache
from fidelity_study.config.params import code, figure_step, report_step, schemas
from fidelity_study.config.params import step as step_of
from fidelity_study.config.params import used as used_by
from fidelity_study.config.study import Study
from fidelity_study.digest import SOURCE, digest, used
from fidelity_study.root import ROOT
from fidelity_study.steps.registry import STEPS, code_of, main_of

BUILTIN = (dict, list, str, int, float, bool, NoneType)
STEP_NAMES = ({*STEPS} - {"ingest_tabular_given"}) | {"report"}
INGESTS = sorted(ROOT.glob("workflow/datasets/*/ingest.py"))
COMPARE = SOURCE / "fidelity_study" / "app" / "notebook" / "compare.py"  # no step's
PAGES = SOURCE / "fidelity_study" / "config" / "table.py"  # nor does any
READERS = {
    COMPARE,
    PAGES,
    *(SOURCE / "fidelity_study" / each for each in ("config/project.py", "digest.py")),
}
OF_EVALUATIONS = ("evaluation_scores", "evaluation", "evaluation_findings")
SCRIPTS = sorted({path for name in (*STEP_NAMES, *OF_EVALUATIONS) for path in code_of(name)})
OF_MODELS = ("answers", "simulate", "prompts")
OF_PREDICTIONS = ("new_questions", "predict")
ON_REQUEST = ("correct", "effects", "groups", "hybrids", "regressions", "target", "vectors")
GRID_STEPS = ["bootstrap", "confidence_set", "pseudo_discrepancy", "quantile", "guarantee"]
TREE = {
    "script.py": "from pack import near\nimport pack.sub.deep as other\nfrom lazy import shown\n",
    "src/pack/__init__.py": "",
    "src/pack/near.py": "from pack.far import number\n",
    "src/pack/far.py": "def number():\n    return 1\n",
    "src/pack/unrelated.py": "number = 2\n",
    "src/pack/sub/__init__.py": "",
    "src/pack/sub/deep.py": "import pack.near\nfrom lazy.inner import third\n",
    "src/lazy/__init__.py": "",
    "src/lazy/__init__.pyi": (
        "from . import inner as inner\n"
        "from .inner import other as other, second as shown\n"
        "from .hidden import hidden as hidden\n"
    ),
    "src/lazy/hidden.py": "hidden = 1\n",
    "src/lazy/inner/__init__.py": "",
    "src/lazy/inner/__init__.pyi": (
        "from ..beside import other as other\n"
        "from .one import second as second\n"
        "from .third import third as third\n"
    ),
    "src/lazy/inner/one.py": "def second():\n    return 1\n",
    "src/lazy/inner/third.py": "third = 1\n",
    "src/lazy/beside.py": "other = 1\n",
}
UNUSED = {"src/pack/unrelated.py", "src/lazy/hidden.py", "src/lazy/beside.py"}
STUBS = {name for name in TREE if name.endswith(".pyi")}


def forget():
    for each in vars(module).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


@pytest.fixture
def at(monkeypatch):
    """Return a function that digests a script as a project in another place would."""

    def digest_at(source, script, *modules):
        monkeypatch.setattr(module, "SOURCE", source)
        monkeypatch.setattr(module, "PACKAGES", module.PACKAGES | {"pack", "lazy"})
        forget()
        return digest(script, *modules)

    yield digest_at
    forget()


def plant(folder, tree=TREE):
    for name, text in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.sampled
@pytest.mark.parametrize("changed", sorted(TREE.keys() - STUBS))
def test_a_digest_changes_with_what_the_script_imports_and_nothing_else(tmp_path, at, changed):
    folder = plant(tmp_path)
    before = at(folder / "src", folder / "script.py")
    (folder / changed).write_text(TREE[changed] + "edited = 1\n", encoding="utf-8")
    after = at(folder / "src", folder / "script.py")
    assert (before == after) == (changed in UNUSED)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "text", ["import lazy", "from lazy import inner, hidden", "import lazy.inner"]
)
def test_a_package_by_itself_stands_for_all_that_it_hands_on(tmp_path, at, text):
    folder = plant(tmp_path, TREE | {"script.py": text})
    at(folder / "src", folder / "script.py")
    found = {path.stem for path in used(folder / "script.py")}
    assert {"one", "third", "beside", "hidden"} <= found


@pytest.mark.slow
def test_a_formula_counts_and_words_do_not(tmp_path, at):
    folder = plant(tmp_path)
    path, digests = folder / "src/pack/far.py", []
    for text in (
        "def number():\n    return 1\n",
        "# told\n\ndef number():\n\n    return (1)  # told\n",
        '"""Told."""\ndef number():\n    """Return it."""\n    return 1\n',
        "def number():\n    return 2\n",
        'def number():\n    """Return it."""\n    return "Return it."\n',
    ):
        path.write_text(text, encoding="utf-8")
        digests.append(at(folder / "src", folder / "script.py"))
    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests)) == 3


def test_what_was_parsed_is_kept_by_content(tmp_path, at, monkeypatch):
    monkeypatch.setattr(user_cache, "FOLDER", tmp_path / "cache")
    folder = plant(tmp_path)
    script = folder / "script.py"
    before = at(folder / "src", script)
    with monkeypatch.context() as patch:
        patch.setattr(module, "_parse", lambda text: pytest.fail("parsed again"))
        assert at(folder / "src", script) == before
    script.write_text(script.read_text() + "edited = 1\n")
    after = at(folder / "src", script)
    assert after != before
    user_cache.keep(module.KEPT, b"{")
    assert at(folder / "src", script) == after


def test_nothing_is_kept_where_nothing_can_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(user_cache, "FOLDER", tmp_path / "file" / "cache")
    user_cache.keep("name", b"text")
    assert user_cache.kept("name") is None


@pytest.mark.slow
def test_further_modules_count_with_what_they_import(tmp_path, at):
    folder = plant(tmp_path, TREE | {"own.py": "import lazy.hidden\n"})
    given = folder / "src", folder / "script.py", folder / "own.py"
    before = at(*given)
    assert before != at(*given[:2])
    (folder / "src/lazy/hidden.py").write_text("hidden = 2\n", encoding="utf-8")
    assert at(*given) != before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "steps", "others"),
    [
        ("fidelity/curves/quantile.py", "quantile comparison guarantee", "bootstrap pairwise"),
        ("fidelity/comparison/equivalent_sample_size.py", "sample_size", "quantile comparison"),
        ("fidelity/planning/plan.py", "plan", "quantile guarantee sample_size calibration"),
        ("fidelity_study/steps/quantile.py", "quantile", "guarantee pairwise comparison plan"),
    ],
)
def test_a_module_counts_where_it_is_imported_alone(path, steps, others):
    reached = [SOURCE / path in used(*code_of(each)) for each in steps.split()]
    spared = [SOURCE / path in used(*code_of(each)) for each in others.split()]
    assert all(reached) and not any(spared)


FILES = [*SCRIPTS, *INGESTS, *sorted(SOURCE.rglob("*.py"))]


@pytest.mark.slow
def test_an_imported_name_leads_to_a_file_that_has_it():
    """Else a package made it up when asked, and a digest would not see where it is from."""
    checked, wrong = 0, []
    for path in FILES:
        for imported in module._parsed(path)[1]:
            if imported.module is None:
                continue
            origin, name = module._module(imported, path), imported.name
            handed_on = {bound for bound, *_ in module._stub(origin)}
            is_module = module._files(f"{origin}.{name}") > module._files(origin)
            if module._files(origin) and name not in handed_on and not is_module:
                (file,) = (each for each in module._files(origin) if fits(each, origin))
                wrong += [] if name in bound_in(file) else [f"{path}: {origin}.{name}"]
                checked += 1
    assert not wrong
    assert checked > len(FILES)


def fits(file, module_name):
    path = file.parent if file.stem == "__init__" else file.with_suffix("")
    return path.as_posix().endswith("/" + module_name.replace(".", "/"))


@cache
def bound_in(file):
    """Return the names that a file binds anywhere."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def test_no_step_reads_a_docstring_or_source():
    """They don't count in digests; a command's help is no step's result."""
    texts = {path: path.read_text(encoding="utf-8") for path in FILES}
    reads = r"(?:import|from) inspect\b|\binspect\.|getdoc|get_docstring|getsource"
    assert {path for path, text in texts.items() if re.search(reads, text)} <= READERS
    of_docstrings = {
        path for path, text in texts.items() if "__doc__" in text.replace("description=__doc__", "")
    }
    assert of_docstrings <= {COMPARE}


def test_no_step_is_made_of_the_call_that_documents_itself():
    assert not {COMPARE, PAGES} & {*used(*SCRIPTS, *INGESTS)}


@pytest.mark.slow
def test_all_that_a_step_executes_counts_in_its_digest(small_study, traces):
    study, root = small_study.study(STUDY), small_study.root.resolve()
    told = [json.loads(path.read_text(encoding="utf-8")) for path in traces.glob("*.json")]
    scripts = {Path(each["script"]).relative_to(root).as_posix() for each in told}
    own = {path.parent.relative_to(root) for path in root.glob("workflow/datasets/*/ingest.smk")}
    rooms = {(room / "ingest.py").as_posix() for room in own if room.name in study.rooms()}
    elsewhere = (*OF_EVALUATIONS, *OF_MODELS, *OF_PREDICTIONS, *ON_REQUEST, "fetch")
    assert scripts == rooms | {"scripts/step.py"}
    steps = {main_of(name): name for name in STEP_NAMES - {*elsewhere}}
    assert {each["main"] for each in told} == {None, *steps}
    for each in told:
        name = steps.get(each["main"], Path(each["script"]).relative_to(root).as_posix())
        if name == "report":  # its step has those of all findings
            of_datasets = (path for name in study.datasets for path in used_by(study, name))
            counts(each, root, *code_of(name), *schemas(), *of_datasets)
        else:
            first, *modules = code(study, name, each["dataset"])
            counts(each, root, root / first.relative_to(ROOT), *modules)


def counts(told: dict, root: Path, *files: Path) -> None:
    """Check that all files of ours that a step executed count in a digest of others."""
    counted = used(*files)
    counted = {path.relative_to(SOURCE) for path in counted if path.is_relative_to(SOURCE)}
    ours = (Path(file) for file in told["files"])
    ours = {path.relative_to(root / "src") for path in ours if path.is_relative_to(root / "src")}
    # what the page is made of besides code has a digest of its own
    ours = {path for path in ours if path.parent.name not in ("assets", "templates")}
    assert len(ours) > 3
    assert ours <= counted, told["script"]


@pytest.fixture
def study():
    return Study(yaml.safe_load((ROOT / "config" / "config.yaml").read_text(encoding="utf-8")))


def steps_of(study):
    """Return all steps of a study by (dataset, script or figure, n)."""
    steps = {}
    for dataset, settings in study.datasets.items():
        for name in [name for name, known in STEPS.items() if known.depends_on]:
            for n in settings["grid"]["n"] if name in GRID_STEPS else [None]:
                label = None if n is None else str(n)
                steps[dataset, name, label] = step_of(study, name, dataset, label)
        steps[dataset, "figure", None] = figure_step(study, dataset)
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
    step = report_step(study, config)
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


OF_ALPHA = {
    *("mean_discrepancy", "people_reference", "groups", "structure", "twins", "effects"),
    *("hybrids", "error_bars", "variance", "vectors", "proper_scores", "prompts", "sequence"),
    *("predict", "correct", "calibration", "intervals", "plan", "target", "regressions"),
    "uses",
    *("figure", "findings", "statement"),
}
OF_ETA = {"quantile", "guarantee", "sample_size", "envelope", "comparison", "summary"}


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
        (["comparison"], {"alpha": 0.01}, OF_ALPHA),
        (["grid", "eta"], 0.01, OF_ALPHA | OF_ETA),
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
