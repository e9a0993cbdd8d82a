"""Needs the curves, summaries and pairwise shares of a dataset.

Makes its figures, all in one job, which reads the tables once: each figure is a file in
src/fidelity_study/figures. Its caption is written beside it, because Snakemake's report renders one
text for all files of a job.
"""

for dataset in study.datasets:

    if study.figures(dataset):

        rule:
            """Draw a dataset's figures."""
            name:
                f"figure_{dataset}"
            input:
                **study.figure_files(dataset),
            output:
                png=[
                    report(
                        f"<results>/{dataset}/figures/{name}.png",
                        caption=os.path.abspath(
                            resolved(f"<results>/{dataset}/figures/{name}.rst")
                        ),
                        category=study.report_title(dataset),
                        labels={"result": f"{title} (figure, {dataset})"},
                    )
                    for name, title in study.report_titles(dataset).items()
                ],
                pdf=study.drawings(dataset, "pdf"),
                caption=study.drawings(dataset, "rst"),
            log:
                f"<logs>/{dataset}/figure.log",
            benchmark:
                f"<benchmarks>/{dataset}/figure.tsv"
            params:
                step=study.figure_step(dataset),
            script:
                "../../scripts/figure.py"
