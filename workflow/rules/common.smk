"""The study, checked before anything runs, and functions that the rules ask about it."""

import os
import sys

from snakemake.exceptions import WorkflowError

try:
    from fidelity_study.config.readable import refuse_unreadable
    from fidelity_study.config.study import Study, named
    from fidelity_study.errors import DataError
    from fidelity_study.guides import with_pages
    from fidelity_study.run import origin, replaced, resume
    from fidelity_study.tables.ingest import INGESTED
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

made = lambda: {
    str(file): job.rule.name for job in workflow.dag.needrun_jobs() for file in job.output
}


report: workflow.source_path("../report/introduction.rst")


wildcard_constraints:
    dataset="|".join(study.datasets) or "none",
    evaluation="|".join(study.evaluations) or "none",
    n="[1-9][0-9]*|all",


title = lambda wildcards: study.report_title(wildcards.dataset)
ingested = {table: f"<results>/{{dataset}}/{table}.parquet" for table in INGESTED}
findings = [f"<results>/{name}/findings.md" for name in (*study.datasets, *study.evaluations)]
read_by_report = lambda dataset: {
    name: (
        [f"<results>/{path}" for path in paths] if isinstance(paths, list) else f"<results>/{paths}"
    )
    for name, paths in study.shown_files(dataset).items()
}
shown = [
    *(path for dataset in study.datasets for path in study.shown_tables(dataset)),
    *(
        path.replace(".parquet", ".csv")
        for dataset in study.datasets
        for path in [
            *study.envelope_paths(dataset, "envelope/shares"),
            *study.prompts_paths(dataset),
            *study.correct_paths(dataset)[:1],
            *study.sequence_paths(dataset),
            *study.prediction_paths(dataset),
            *study.hybrids_paths(dataset),
        ]
    ),
    *study.calibration_reports(),
    *(
        f"<results>/{name}/plan/{table}.csv"
        for name in study.datasets
        if study.plan_paths(name)
        for table in ("plans", "means")
    ),
    *(
        path
        for dataset in study.datasets
        for suffix in ("png", "pdf", "rst")
        for path in study.drawings(dataset, suffix)
    ),
    *(path for name in study.evaluations for path in study.evaluation_paths(name, "csv")),
]
