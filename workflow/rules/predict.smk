"""Needs the users' files of new questions; people's samples at the last n, and simulators' answers.

Predicts people's answers to questions that they were not asked, with a promised coverage, and checks
that coverage on questions left out. Corrected simulators (see correct.smk) predict, too: corrections
are fitted to one half of the persons, and the other half bounds the distances.
"""

from fidelity_study.config.user_files import new_question_files
from fidelity_study.provenance import checksum


rule new_questions:
    """Read questions that people were not asked, and simulators' answers to them."""
    input:
        lambda wildcards: map(local, new_question_files(study.datasets[wildcards.dataset])),
        scenarios=ingested["scenarios"],
    output:
        **files_of("new_questions"),
    log:
        "<logs>/{dataset}/new_questions.log",
    benchmark:
        "<benchmarks>/{dataset}/new_questions.tsv"
    params:
        step=step("new_questions"),
        checksums=lambda wildcards: [
            checksum(file) for file in new_question_files(study.datasets[wildcards.dataset])
        ],
    script:
        "../../scripts/step.py"


rule predict:
    """Predict people's answers to new questions, and check such predictions by leaving out."""
    input:
        scenarios=ingested["scenarios"],
        outcomes=ingested["outcomes"],
        human=last_of("bootstrap"),
        simulated=rules.bootstrap_simulators.output[0],
        questions=rules.new_questions.output.questions,
        features=rules.new_questions.output.features,
        new_outcomes=[rules.new_questions.output.outcomes],
        new_stated=[rules.new_questions.output.stated],
        respondents=ingested["respondents"],
    output:
        **files_of("predict"),
    log:
        "<logs>/{dataset}/predict.log",
    benchmark:
        "<benchmarks>/{dataset}/predict.tsv"
    params:
        step=step("predict"),
    script:
        "../../scripts/step.py"
