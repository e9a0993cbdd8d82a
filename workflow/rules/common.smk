"""The study, checked before anything runs, and functions that the rules ask about it."""

import os
import sys

from snakemake.exceptions import WorkflowError

try:
    from fidelity_study.config import params as params_of
    from fidelity_study.config.readable import refuse_unreadable
    from fidelity_study.config.shown import report_files
    from fidelity_study.config.study import Study, named
    from fidelity_study.errors import DataError
    from fidelity_study.guides import with_pages
    from fidelity_study.app.run import origin, resume
    from fidelity_study.root import ROOT
    from fidelity_study.steps.registry import MEASURING, OF_TABLES, STEPS, TABLES
    from fidelity_study.steps.registry import TABLES_OF_EVALUATIONS
except ModuleNotFoundError as error:
    raise WorkflowError(
        f"{error.name.partition('.')[0]} is not installed where Snakemake runs, and every step of this workflow needs"
        " it; in the folder of the workflow: python -m pip install '.[study]'"
    ) from None

if workflow.deployment_settings.deployment_method:
    raise WorkflowError(
        "jobs run in the environment that Snakemake runs in; leave --software-deployment-method out"
    )

is_named = "study" in config
config |= {"study": named(config, workflow.configfiles)}


pathvars:
    results=f"results/{config['study']}",
    logs=f"logs/{config['study']}",
    benchmarks=f"benchmarks/{config['study']}",


resolved = lambda path: os.path.relpath(
    workflow.modifier.modify_path(workflow.pathvars.apply(path))
)
results_folder = resolved("<results>")

try:
    refuse_unreadable(workflow.configfiles)
    if not is_named and workflow.is_main_process:
        resume.refuse_anothers(results_folder, workflow.configfiles)
    study = Study(config, workflow.pathvars.apply("<results>"), looks=workflow.is_main_process)
except DataError as error:
    faults = with_pages(error)
    raise WorkflowError(f"the config has faults; nothing was run\n{faults}") from None

for note in study.notes if workflow.is_main_process else ():
    print(f"note: {note}", file=sys.stderr)

called = (workflow.main_snakefile, workflow.configfiles, workflow.config_settings.config_args)
origin.tell(config, workflow.configfiles, f"{results_folder}/config.yaml", study.seed)


wildcard_constraints:
    dataset="|".join(study.datasets) or "none",
    evaluation="|".join(study.evaluations) or "none",
    n="[1-9][0-9]*|all",


tables = lambda files: [file for file in files if file.endswith(".parquet")]
rule_files = [name for name in STEPS if (ROOT / f"workflow/rules/{name}.smk").is_file()]
has_figures = [dataset for dataset in study.datasets if study.figures(dataset)]


def files_of(step, folder="{dataset}"):
    """Return the paths that a step's rule makes, by name; steps/registry.py has them."""
    return {
        name: f"<results>/{folder}/{path}"
        for table in (*TABLES, *TABLES_OF_EVALUATIONS)
        if table.step == step
        for name, path in table.files.items()
    }


ingested = files_of("ingest")


def step(name):
    """Return a params function: what a step depends on for the job's dataset, and n.

    A dataset's folder with an ingest.smk names the script of its rule instead.
    """
    return lambda wildcards: params_of.step(study, name, wildcards.dataset, wildcards.get("n"))


def made_by(rule, *outputs, **wildcards):
    """Return the files that a rule makes, of some of its outputs and wildcards only."""
    return [
        file.apply_wildcards(run)
        for run in study.runs(rule)
        if wildcards.items() <= run.items()
        for file in (
            [getattr(getattr(rules, rule).output, name) for name in outputs]
            or getattr(rules, rule).output
        )
    ]


def of_dataset(rule, *outputs):
    """Return an input function: the files that a rule makes for the job's dataset."""
    return lambda wildcards: made_by(rule, *outputs, dataset=wildcards.dataset)


def last_of(rule):
    """Return an input function: the file that a rule makes for the dataset's last n."""
    return lambda wildcards: made_by(rule, dataset=wildcards.dataset)[-1]


def answers_of(table):
    """Return an input function: a table of answers from ingest and, if any are asked, models."""
    return lambda wildcards: [
        ingested[table].format(dataset=wildcards.dataset),
        *made_by("answers", table, dataset=wildcards.dataset),
    ]


def made_by_all():
    """Return every file that the report rests on or shows.

    A study asks for all of them: a table that a failed or interrupted job left missing is then made
    again, even if what follows from it is still there.
    """
    return [
        *(path.format(dataset=name) for name in study.datasets for path in ingested.values()),
        *made_by("ingest_tabular_given", "given"),
        *(file for rule in OF_TABLES for file in made_by(rule)),
        *(file for name in has_figures for file in getattr(rules, f"figure_{name}").output),
        *(file for rule in ("evaluation_scores", "evaluation") for file in made_by(rule)),
    ]
