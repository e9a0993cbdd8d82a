"""Needs the tables of a dataset that the report shows.

Makes its figures, all in one job, which reads the tables once: each figure is a file in
src/fidelity_study/report/figures. Its caption is written beside it.
"""

for dataset in has_figures:

    rule:
        """Draw a dataset's figures."""
        name:
            f"figure_{dataset}"
        input:
            **report_files(study, dataset, "<results>"),
        output:
            png=[f"<results>/{dataset}/figures/{name}.png" for name in study.figures(dataset)],
            pdf=[f"<results>/{dataset}/figures/{name}.pdf" for name in study.figures(dataset)],
            caption=[f"<results>/{dataset}/figures/{name}.txt" for name in study.figures(dataset)],
        log:
            f"<logs>/{dataset}/figure.log",
        benchmark:
            f"<benchmarks>/{dataset}/figure.tsv"
        params:
            step=params_of.figure_step(study, dataset),
        script:
            "../../scripts/step.py"
