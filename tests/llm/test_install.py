"""What `make study-llm` installs."""

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from fidelity_study.root import ROOT

PIN = re.compile(r"^([\w.-]+)==([\w.+!-]+)(?: ; ([^\\]+))?", re.MULTILINE)


@pytest.fixture(scope="module")
def lock():
    return (ROOT / "requirements-llm.lock").read_text(encoding="utf-8")


def test_the_lock_has_the_extras_and_no_model_server_to_build(lock):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    pins = {name: version for name, version, _ in PIN.findall(lock)}
    for wanted in map(Requirement, extras["llm"] + extras["smollm2"]):
        assert pins[wanted.name] in wanted.specifier
    assert "llama-cpp-python" not in pins


def test_both_locks_pin_the_same_versions(lock):
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    base, own = ({pin[:2] for pin in PIN.findall(each)} for each in (text, lock))
    names = {name for name, _ in base}
    assert {pin for pin in own if pin[0] in names} <= base


def test_every_pin_has_a_hash_and_no_address(lock):
    assert "://" not in lock
    pins = [pin for pin in re.split(r"^(?=[\w-])", lock, flags=re.MULTILINE) if pin.strip()]
    assert pins
    assert all("--hash=sha256:" in pin for pin in pins)
