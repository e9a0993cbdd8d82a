"""Answers of people and simulators, and the scenarios that they answered.

Tables:
    SCENARIOS: a row per scenario: `scenario`, `cluster`, `kind`, `n_options`, `lower`, `upper`
        (range of the scores; for bounded outcomes the range they can have), `description`,
        `question` (what a language model is asked), `value`, `option`, `score` (lists over the
        options, or over the distinct numbers that occur), `n_human`, `n_effective`, `df` (degrees
        of freedom of a sampling design; empty without one), `square` (list over the options: the
        sum of the squared weights, with mean 1, of those who chose it; empty without weights, with
        a design, and with a `weighting_effect`), `replicates` (list over the options of lists over
        the replicate weights: shares, spread around people's share so that squared differences add
        up to its variance; empty without replicate weights), `weighted`, `respondents_repeat`
        (whether the same people answer several scenarios; empty if unknown), `people` (scenarios
        with different labels have nobody in common; empty if unknown)
    RESPONDENTS: `scenario`, `respondent` (a number, the same for one person in all scenarios),
        `value`, `weight` (mean 1 in each scenario), and of a design with strata or PSUs `psu`,
        `stratum` (numbers), `psus_in_stratum` (with those where nobody answered), `lonely_psu`
        (what a single one adds): each person's answers, up to 2 million of them (more only with
        `correct` or `hybrids`), where the files tell; no rows with replicate weights
    GIVEN: of tabular datasets with `family` or `probabilities`: what simulators gave in another
        form than probabilities that sum to one: the `family`, `loc` and `scale` of a distribution,
        or the `total` by which one-vs-rest probabilities were divided
    OUTCOMES: a row per distinct answer: `scenario`, `source` (`human` or a simulator), `value`
        (option code), `count` (fractional if people are weighted); below `simulate` those of
        language models, below `predict` those to questions that people were not asked
    STATED: `scenario`, `source`, `value`, `probability`: what simulators state, if they do, and
        `statements`, of how many that is the mean (empty where it is not known);
        below `simulate` and `predict` likewise
    STATED_BY_PERSONA: `scenario`, `source`, `persona`, `value`, `probability`, of simulators that
        state probabilities for each persona; `simulate/stated_by_persona.parquet` the same of
        language models
    MISSING: `scenario`, `source`, `reason` (`missing`, `refused`, `unparsable`, `failed`, or
        `undecided` of "don't know"), `count`: answers that were asked for and not given
    PERSONAS: `scenario`, `persona`, `value`, `count`: the real respondents in words, and their
        answers, where the dataset has them
    RUNS: `scenario`, `source`, `run` (a number, the same for one run in all scenarios), `value`,
        `respondent`, the number of the person of the same name, if there is one, and `psu`, who saw
        a profile of a conjoint: the answers of each run of a simulator, up to 2 million of a file,
        where the files tell
    FACTS: `source` (human or a simulator), `person` (the number in `respondents.parquet`, or the
        `run` in `runs.parquet`), `fact`, `text`: what is known of persons that a regression needs;
        no rows without `regressions`
"""

import pyarrow as pa

from fidelity_study.tables.common import LABEL, NUMBERS, columns

HUMAN = "human"
NO_CLUSTER = "none"
UNSCORED = (-1.0, 1.0)
"""The scores of the first and the last step of a scale for which nobody gave scores."""
BETWEEN = " | "  # a question and the group that it is put to
REFUSED, UNPARSABLE, FAILED, UNDECIDED = "refused", "unparsable", "failed", "undecided"
NOT_ASKED, TOTAL, LEAVE_OUT = "not asked", "total", "leave out"
"""What texts mean that count for nothing."""
EVERY = "*"
"""All questions, or all texts that are no listed option."""
OF_PERSON = "fact: "
"""Before the name of a column of facts on persons, beside their answers."""
REASONS = ["missing", REFUSED, UNPARSABLE, FAILED, UNDECIDED]
OUTCOMES = pa.schema(
    [*columns(LABEL, "scenario", "source"), *columns(pa.float64(), "value", "count")]
)
NAMED = columns(pa.string(), "scenario", "cluster", "kind")
WORDED = [
    *columns(pa.float64(), "lower", "upper"),
    *columns(pa.string(), "description", "question"),
    ("value", NUMBERS),
    ("option", pa.list_(pa.string())),
    ("score", NUMBERS),
]
SCENARIOS = pa.schema(
    [
        *NAMED,
        ("n_options", pa.int32()),
        *WORDED,
        *columns(pa.float64(), "n_human", "n_effective", "df"),
        ("square", NUMBERS),
        ("replicates", pa.list_(NUMBERS)),
        *columns(pa.bool_(), "weighted", "respondents_repeat"),
        ("people", pa.string()),
    ]
)
STATED = pa.schema(
    [
        *columns(LABEL, "scenario", "source"),
        *columns(pa.float64(), "value", "probability", "statements"),
    ]
)
MISSING = pa.schema([*columns(LABEL, "scenario", "source", "reason"), ("count", pa.float64())])
PERSONAS = pa.schema(
    [*columns(LABEL, "scenario", "persona"), *columns(pa.float64(), "value", "count")]
)
RESPONDENTS = pa.schema(
    [
        ("scenario", LABEL),
        ("respondent", pa.int32()),
        *columns(pa.float64(), "value", "weight"),
        *columns(pa.int32(), "psu", "stratum", "psus_in_stratum"),
        ("lonely_psu", LABEL),
    ]
)
RUNS = pa.schema(
    [
        *columns(LABEL, "scenario", "source"),
        ("run", pa.int32()),
        ("value", pa.float64()),
        *columns(pa.int32(), "respondent", "psu"),
    ]
)
GIVEN = pa.schema(
    [
        *columns(LABEL, "scenario", "source", "family"),
        *columns(pa.float64(), "loc", "scale", "total"),
    ]
)
STATED_BY_PERSONA = pa.schema(
    [
        *columns(LABEL, "scenario", "source", "persona"),
        *columns(pa.float64(), "value", "probability"),
    ]
)
FACTS = pa.schema([("source", LABEL), ("person", pa.int32()), ("fact", LABEL), ("text", LABEL)])
INGESTED = {
    "outcomes": OUTCOMES,
    "scenarios": SCENARIOS,
    "stated": STATED,
    "stated_by_persona": STATED_BY_PERSONA,
    "missing": MISSING,
    "personas": PERSONAS,
    "respondents": RESPONDENTS,
    "runs": RUNS,
    "facts": FACTS,
}
