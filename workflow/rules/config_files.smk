"""The files of the config, before what is in them is looked at."""

from snakemake.exceptions import WorkflowError

from fidelity_study.config_content import refuse_repeated_keys
from fidelity_study.errors import DataError

try:
    refuse_repeated_keys(workflow.configfiles)
except DataError as error:
    raise WorkflowError(f"the config has faults; nothing was run\n{error}") from None
