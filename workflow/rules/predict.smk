"""Needs the users' files of new questions; people's samples at the last n, and simulators' answers.

Predicts people's answers to questions that they were not asked, with a promised coverage, and checks
that coverage on questions left out. Corrected simulators (see correct.smk) predict, too: corrections
are fitted to one half of the persons, and the other half bounds the distances.
"""

from fidelity_study.run.provenance import checksum


rule new_questions:
    """Read questions that people were not asked, and simulators' answers to them."""
    input:
        lambda wildcards: map(local, study.new_question_files(wildcards.dataset)),
        scenarios="<results>/{dataset}/scenarios.parquet",
    output:
        questions="<results>/{dataset}/predict/questions.parquet",
        outcomes="<results>/{dataset}/predict/outcomes.parquet",
        stated="<results>/{dataset}/predict/stated.parquet",
        features="<results>/{dataset}/predict/features.parquet",
    log:
        "<logs>/{dataset}/new_questions.log",
    benchmark:
        "<benchmarks>/{dataset}/new_questions.tsv"
    params:
        step=lambda wildcards: study.step("scripts/new_questions.py", wildcards.dataset),
        checksums=lambda wildcards: [
            checksum(file) for file in study.new_question_files(wildcards.dataset)
        ],
    script:
        "../../scripts/new_questions.py"


rule predict:
    """Predict people's answers to new questions, and check such predictions by leaving out."""
    input:
        scenarios="<results>/{dataset}/scenarios.parquet",
        outcomes="<results>/{dataset}/outcomes.parquet",
        human=lambda wildcards: study.last_path(wildcards.dataset, "bootstrap/n{n}.parquet"),
        simulated="<results>/{dataset}/bootstrap/simulators.parquet",
        questions="<results>/{dataset}/predict/questions.parquet",
        features="<results>/{dataset}/predict/features.parquet",
        new_outcomes=["<results>/{dataset}/predict/outcomes.parquet"],
        new_stated=["<results>/{dataset}/predict/stated.parquet"],
        respondents="<results>/{dataset}/respondents.parquet",
    output:
        predictions="<results>/{dataset}/predict/predictions.parquet",
        held_out="<results>/{dataset}/predict/held_out.parquet",
        nearest="<results>/{dataset}/predict/nearest.parquet",
        predictions_csv=report(
            "<results>/{dataset}/predict/predictions.csv",
            caption="../report/predictions.rst",
            category=title,
            labels={"result": "questions nobody has asked (table, {dataset})"},
        ),
        held_out_csv=report(
            "<results>/{dataset}/predict/held_out.csv",
            caption="../report/held_out.rst",
            category=title,
            labels={"result": "predictions of questions left out (table, {dataset})"},
        ),
        nearest_csv="<results>/{dataset}/predict/nearest.csv",
    log:
        "<logs>/{dataset}/predict.log",
    benchmark:
        "<benchmarks>/{dataset}/predict.tsv"
    params:
        step=lambda wildcards: study.step("scripts/predict.py", wildcards.dataset),
    script:
        "../../scripts/predict.py"
