"""Needs a network, or a local mirror: config key data_mirror, or FIDELITY_DATA_MIRROR.

Makes the files that a dataset's sources.yaml names, each with its checksum verified.
"""

# Jobs see it in the environment, not among params: where a file with a known checksum came from
# changes no result, so that another mirror makes nothing run again.
if study.data_mirror:
    os.environ.update(FIDELITY_DATA_MIRROR=study.data_mirror)


rule fetch:
    """Download a file that a dataset needs, or take it from the local mirror."""
    output:
        "resources/{room}/{file}",
    log:
        "logs/resources/{room}/{file}.log",
    benchmark:
        "benchmarks/resources/{room}/{file}.tsv"
    wildcard_constraints:
        room="|".join(study.rooms()),
        file=".+",
    localrule: True
    params:
        step=lambda wildcards: params_of.fetch_step(wildcards.room, wildcards.file),
    script:
        "../../scripts/fetch.py"
