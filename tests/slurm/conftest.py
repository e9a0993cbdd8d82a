"""A real Slurm for the tests that need one."""

from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec

import pytest
from single_host_slurm import Slurm, running, why_not


@pytest.fixture(scope="module")
def slurm(tmp_path_factory) -> Iterator[Slurm]:
    """A running Slurm; skipped where none can be started, or one is there already."""
    reason = why_not()
    if find_spec("snakemake_executor_plugin_slurm") is None:
        reason = "snakemake-executor-plugin-slurm is not installed: make install-slurm"
    if reason:
        pytest.skip(f"no Slurm: {reason}")
    with ExitStack() as stack:
        try:
            started = stack.enter_context(running(tmp_path_factory.mktemp("slurm")))
        except FileExistsError as error:
            pytest.skip(f"no Slurm: another test has just started one: {error}")
        yield started
