"""The study, checked before anything runs, and what the rules ask of it."""

import os

from snakemake.exceptions import WorkflowError

from fidelity_study.run import origin, replaced, resume
from fidelity_study.config.study import Study
from fidelity_study.config.content import refuse_repeated_keys
from fidelity_study.errors import DataError

try:
    refuse_repeated_keys(workflow.configfiles)
    study = Study(config)
except DataError as error:
    raise WorkflowError(f"the config has faults; nothing was run\n{error}") from None

origin.tell(config, workflow.configfiles, study.seed)


report: os.path.abspath("results/findings.rst")


wildcard_constraints:
    dataset="|".join(study.datasets),
    n="[1-9][0-9]*|all",
    population="|".join(study.audited()) or "none",


title = lambda wildcards: study.report_title(wildcards.dataset)
ingested = {
    table: f"results/{{dataset}}/{table}.parquet"
    for table in ("outcomes", "scenarios", "stated", "stated_by_persona", "missing", "personas")
}
introduction = workflow.source_path("../report/introduction.rst")
summaries = [f"results/{dataset}/summary.csv" for dataset in study.datasets]
nonresponses = [f"results/{dataset}/nonresponse.csv" for dataset in study.datasets]
comparisons = [
    f"results/{dataset}/comparison/{table}.csv"
    for dataset in study.datasets
    for table in ("shares", "differences", "variance", "proper_scores")
]
findings = [f"results/{dataset}/findings.rst" for dataset in study.datasets]
audits = [f"results/audit/sets_{name}.parquet" for name in study.audited()]
audit_tables = audits + ["results/audit/curves.parquet", "results/audit/known_wrong.parquet"]
audit_report = [f"results/audit/audit.{suffix}" for suffix in ("csv", "png", "pdf")]
audit_findings = ["results/audit/findings.rst"]
if study.audit["tests"]:
    audit_tables.append("results/audit/tests.parquet")
    audit_report += [f"results/audit/tests.{suffix}" for suffix in ("csv", "png", "pdf")]
    audit_findings.append("results/audit/tests.rst")
calibrations = study.calibration_reports()
plans = [
    f"results/{dataset}/plan/plans.csv" for dataset in study.datasets if study.plan_paths(dataset)
]
drawings = [
    path
    for dataset in study.datasets
    for suffix in ("png", "pdf", "rst")
    for path in study.drawings(dataset, suffix)
]
