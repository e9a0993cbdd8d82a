"""The examples in the library's docstrings give what they say."""

import ast
import doctest
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import fidelity

PACKAGE = Path(fidelity.__file__).parent
WITH_EXAMPLES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text("utf-8")
]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "path", WITH_EXAMPLES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_examples_give_what_they_say(path):
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    found = doctest.testmod(
        import_module(name.removesuffix(".__init__")),
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert found.attempted
    assert not found.failed


ROOT = PACKAGE.parents[1]
STUBS = sorted(PACKAGE.rglob("__init__.pyi"))
EVERY_MODULE = """
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder

class Only(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {refused}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Only())
for module in {modules}:
    import_module(module)
import fidelity
for name in fidelity.__all__:
    getattr(fidelity, name)
"""


def modules():
    """Return the full names of the library's modules."""
    paths = [path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py")]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]


@pytest.mark.slow
def test_the_library_needs_numpy_scipy_and_lazy_loader_alone():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [each.partition(">")[0] for each in project["dependencies"]] == [
        *("numpy", "scipy", "lazy-loader")
    ]
    refused = {"pandas", "pyarrow", "matplotlib", "sklearn", "yaml", "requests", "snakemake"}
    code = EVERY_MODULE.format(refused=refused, modules=modules())
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.parent.name)
def test_a_stub_names_what_its_modules_define(stub):
    """Type checkers read the stub, the lazy loader too: they see the same names."""
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    names = [a.name for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names]
    place = ".".join(stub.parent.relative_to(PACKAGE.parent).parts)
    package = import_module(place)
    assert sorted(names) == sorted(package.__all__)
    assert all(getattr(package, name) is not None for name in names)


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.parent.name)
def test_every_public_name_has_an_example_with_its_imports(stub):
    """test_examples.py runs them."""
    package = import_module(".".join(stub.parent.relative_to(PACKAGE.parent).parts))
    names = [name for name in package.__all__ if name != "__version__"]
    examples = {name: getattr(package, name).__doc__.partition(" Examples:\n")[2] for name in names}
    assert [name for name in names if ">>> from fidelity" not in examples[name]] == []
    using = [name for name in names if "np." in examples[name]]
    assert [name for name in using if ">>> import numpy as np\n" not in examples[name]] == []


def test_every_short_name_of_a_source_is_defined():
    cited = {
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"\[([A-Z]{2,})\]", path.read_text(encoding="utf-8"))
    }
    page = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    assert cited == set(re.findall(r"^- \[(\w+)\]", fidelity.__doc__, re.MULTILINE))
    assert cited == set(re.findall(r"^\[(\w+)\]$", page, re.MULTILINE))


def test_the_version_is_the_projects():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert fidelity.__version__ == project["version"]


def test_ten_functions_and_all_modules_are_described_in_help_and_reference():
    index = (ROOT / "docs" / "reference" / "index.md").read_text(encoding="utf-8")
    functions = re.findall(r"^:func:`(\w+)` +(.+\?)$", fidelity.__doc__, re.MULTILINE)
    assert len(functions) == 10 and {name for name, _ in functions} <= {*fidelity.__all__}
    rows = re.findall(r"^\| (.+\?) \| \{func\}`fidelity\.(\w+)` \|$", index, re.MULTILINE)
    assert [(name, asks) for asks, name in rows] == functions
    packages = sorted(stub.parent.name for stub in STUBS if stub.parent != PACKAGE)
    assert re.findall(r"^- :mod:`fidelity\.(\w+)`: ", fidelity.__doc__, re.MULTILINE) == packages
    assert re.findall(r"^\| \{mod\}`fidelity\.(\w+)` \| ", index, re.MULTILINE) == packages


def test_help_begins_with_words_not_with_a_formula():
    for name in {*fidelity.__all__} - {"__version__"}:
        first = (getattr(fidelity, name).__doc__ or "").partition("\n")[0]
        assert not re.search(r"[=∫Σ√≤≥{}]|\b[A-Z]{2,}[_(]", first), f"{name}: {first}"


def test_parameters_are_spelled_where_they_are_read():
    for name in {*fidelity.__all__} - {"__version__"}:
        lines = (getattr(fidelity, name).__doc__ or "").splitlines()
        parameters = [line for line in lines if re.match(r" +[\w, ]+: ", line)]
        lent = r": (each )?as (in )?(:func:|there\b)"
        assert not [line for line in parameters if re.search(lent, line)], name
        assert not [line for line in lines if re.search("Arguments.* as |Arguments as", line)], name
