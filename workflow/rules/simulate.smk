"""Needs the scenarios' questions and who their respondents are; the endpoint's key in the
environment, and a network unless the model is embedded.

Makes a table of every prompt and raw answer, and from these answers the tables that ingest makes of
other simulators' answers.
Raw answers are kept in asked/ as they come: an answer kept there is not asked for again. What
asking will take is printed when the jobs are known, in a dry run, too.
"""

to_ask = list
if study.asked() and workflow.is_main_process:
    from functools import cache

    from snakemake.logging import logger

    from fidelity_study.app.run.forecast import Announcement, foreseen

    made_inside = lambda: {
        os.path.relpath(file, results_folder): job.rule.name
        for job in workflow.dag.needrun_jobs()
        for file in job.output
    }
    to_ask = cache(lambda: [] if workflow.touch else foreseen(study, results_folder, made_inside()))
    logger.addHandler(Announcement(to_ask, workflow.output_settings.dryrun))


rule simulate:
    """Ask a language model."""
    input:
        scenarios=ingested["scenarios"],
        personas=ingested["personas"],
    output:
        **files_of("simulate"),
    log:
        "<logs>/{dataset}/simulate/{asked}.log",
    benchmark:
        "<benchmarks>/{dataset}/simulate/{asked}.tsv"
    wildcard_constraints:
        asked="|".join(study.asked()) or "none",
    params:
        step=lambda wildcards: params_of.simulate_step(study, wildcards.dataset, wildcards.asked),
    script:
        "../../scripts/step.py"


rule answers:
    """Count the answers of all language models asked."""
    input:
        of_dataset("simulate"),
    output:
        **files_of("answers"),
    log:
        "<logs>/{dataset}/answers.log",
    benchmark:
        "<benchmarks>/{dataset}/answers.tsv"
    params:
        step=step("answers"),
    script:
        "../../scripts/step.py"
