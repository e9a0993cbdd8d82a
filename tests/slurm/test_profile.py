"""What the profile says, as far as no Slurm is needed."""

import re
from importlib.util import find_spec

import pytest
import yaml
from small_study import copy_project

from fidelity_study.root import ROOT


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
