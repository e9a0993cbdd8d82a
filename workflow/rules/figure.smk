"""Needs the tables of a dataset that the report shows.

Makes its figures, all in one job, which reads the tables once: each figure is a file in
src/fidelity_study/report/figures. Its caption is written beside it, because Snakemake's report renders one
text for all files of a job.
"""

for dataset in has_figures:

    rule:
        """Draw a dataset's figures."""
        name:
            f"figure_{dataset}"
        input:
            **report_files(study, dataset, "<results>"),
        output:
            png=[
                report(
                    f"<results>/{dataset}/figures/{name}.png",
                    caption=os.path.abspath(resolved(f"<results>/{dataset}/figures/{name}.rst")),
                    category=params_of.report_title(study, dataset),
                    labels={"result": f"{title} (figure, {dataset})"},
                )
                for name, title in params_of.report_titles(study, dataset).items()
            ],
            pdf=[f"<results>/{dataset}/figures/{name}.pdf" for name in study.figures(dataset)],
            caption=[f"<results>/{dataset}/figures/{name}.rst" for name in study.figures(dataset)],
        log:
            f"<logs>/{dataset}/figure.log",
        benchmark:
            f"<benchmarks>/{dataset}/figure.tsv"
        params:
            step=params_of.figure_step(study, dataset),
        script:
            "../../scripts/figure.py"
