"""Download a file that a dataset needs, or take it from the local mirror."""

from pathlib import Path

from fidelity_study.run.fetch import copy, download
from fidelity_study.run.mirror import mirror
from fidelity_study.run.script import run


def main(snakemake):
    step, target = snakemake.params.step, Path(snakemake.output[0])
    folder = mirror()
    if folder:
        copy(folder / step["room"] / step["file"], target, step["sha256"])
    else:
        download(step["url"], target, step["sha256"])


run(main, snakemake)
