"""What `make install-slurm` installs, and what the profile says, as far as no Slurm is needed."""

import re
import tomllib
from importlib.util import find_spec

import pytest
import yaml
from packaging.requirements import Requirement
from small_study import copy_project

from fidelity_study.root import ROOT

PIN = re.compile(r"^([\w.-]+)==([\w.+!-]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def lock() -> str:
    """The lock of the extra slurm."""
    return (ROOT / "requirements-slurm.lock").read_text(encoding="utf-8")


def test_the_lock_has_the_extra(lock):
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    pins = dict(PIN.findall(lock))
    for wanted in map(
        Requirement, tomllib.loads(text)["project"]["optional-dependencies"]["slurm"]
    ):
        assert pins[wanted.name] in wanted.specifier


def test_it_adds_to_the_other_lock_and_changes_nothing(lock):
    base = dict(PIN.findall((ROOT / "requirements.lock").read_text(encoding="utf-8")))
    own = dict(PIN.findall(lock))
    assert {name: own[name] for name in own.keys() & base.keys()}.items() <= base.items()
    assert sorted(own.keys() - base.keys()) == [
        "snakemake-executor-plugin-slurm",
        "snakemake-executor-plugin-slurm-jobstep",
    ]


def test_every_pin_has_a_hash_and_no_address(lock):
    assert "://" not in lock
    pins = [pin for pin in re.split(r"^(?=[\w-])", lock, flags=re.MULTILINE) if pin.strip()]
    assert pins
    assert all("--hash=sha256:" in pin for pin in pins)


def test_the_profile_names_rules_that_there_are():
    text = (ROOT / "profiles" / "slurm" / "config.yaml").read_text(encoding="utf-8")
    files = [*ROOT.glob("workflow/rules/*.smk"), *ROOT.glob("workflow/datasets/*/ingest.smk")]
    workflow = "".join(file.read_text(encoding="utf-8") for file in files)
    rules = re.findall(r"^rule (\w+):", workflow, re.MULTILINE)
    assert set(yaml.safe_load(text)["set-resources"]) <= set(rules)


@pytest.mark.slow
def test_a_job_is_given_what_the_profile_says(tmp_path):
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("snakemake-executor-plugin-slurm is not installed: make install-slurm")
    planned = copy_project(tmp_path / "project").run("--profile", "profiles/slurm", "--dry-run")
    job = re.compile(r"^rule (\w+):\n(?: .+\n)*?    resources: (.+)$", re.MULTILINE)
    told = dict(job.findall(planned))
    assert "mem_mb=1000," in told["ingest_bfi"]
    assert "mem_mb=2000," in told["calibration"]
    assert told["ingest_bfi"].endswith("runtime=30")
    assert told["pseudo_discrepancy"].endswith("runtime=120")
