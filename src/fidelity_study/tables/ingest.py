"""Answers of people and simulators, and the scenarios that they answered."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL, NUMBERS, columns

HUMAN = "human"
NO_CLUSTER = "none"
UNSCORED = (-1.0, 1.0)
"""The scores of the first and the last step of a scale for which nobody gave scores."""
BETWEEN = " | "  # a question and the group that it is put to
REFUSED, UNPARSABLE, FAILED, UNDECIDED = "refused", "unparsable", "failed", "undecided"
NOT_ASKED, TOTAL = "not asked", "total"
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
    [*columns(LABEL, "scenario", "source"), *columns(pa.float64(), "value", "probability")]
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
