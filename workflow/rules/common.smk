"""The study, checked before anything runs, and what the rules ask of it."""

from snakemake.exceptions import WorkflowError

from fidelity_study.config import Study, figures
from fidelity_study.errors import DataError

try:
    study = Study(config)
except DataError as error:
    raise WorkflowError(f"the config has faults; nothing was run\n{error}") from None


wildcard_constraints:
    dataset="|".join(study.datasets),
    n="[1-9][0-9]*|all",
    figure="|".join(figures()),


title = lambda wildcards: study.datasets[wildcards.dataset]["title"]

summaries = [f"results/{dataset}/summary.csv" for dataset in study.datasets]
comparisons = [f"results/{dataset}/comparison/shares.csv" for dataset in study.datasets]
drawings = [
    f"results/{dataset}/figures/{figure}.png" for dataset in study.datasets for figure in figures()
]
