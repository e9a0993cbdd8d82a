"""A study's config, read outside of Snakemake."""

from pathlib import Path

import yaml

from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.config.study import Study, named
from fidelity_study.errors import DataError


def study_of(config: Path) -> Study:
    """Read a config as Snakemake would."""
    from snakemake.common.configfile import load_configfile
    from snakemake.exceptions import WorkflowError

    try:
        refuse_unreadable([config])
        settings = dict(load_configfile(config))
        settings["study"] = named(settings, [config])
        return Study(settings, f"results/{settings['study']}")
    except (DataError, WorkflowError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise DataError(f"{config}: the config has faults\n{error}") from None
