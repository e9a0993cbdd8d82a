"""Answers of people and simulators, and the scenarios that they answered."""

import pyarrow as pa

from fidelity_study.tables.common import LABEL, NUMBERS

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
    [("scenario", LABEL), ("source", LABEL), ("value", pa.float64()), ("count", pa.float64())]
)
NAMED = [("scenario", pa.string()), ("cluster", pa.string()), ("kind", pa.string())]
WORDED = [
    ("lower", pa.float64()),
    ("upper", pa.float64()),
    ("description", pa.string()),
    ("question", pa.string()),
    ("value", NUMBERS),
    ("option", pa.list_(pa.string())),
    ("score", NUMBERS),
]
SCENARIOS = pa.schema(
    [
        *NAMED,
        ("n_options", pa.int32()),
        *WORDED,
        ("n_human", pa.float64()),
        ("n_effective", pa.float64()),
        ("df", pa.float64()),
        ("square", NUMBERS),
        ("replicates", pa.list_(NUMBERS)),
        ("weighted", pa.bool_()),
        ("respondents_repeat", pa.bool_()),
        ("people", pa.string()),
    ]
)
STATED = pa.schema(
    [("scenario", LABEL), ("source", LABEL), ("value", pa.float64()), ("probability", pa.float64())]
)
MISSING = pa.schema(
    [("scenario", LABEL), ("source", LABEL), ("reason", LABEL), ("count", pa.float64())]
)
PERSONAS = pa.schema(
    [("scenario", LABEL), ("persona", LABEL), ("value", pa.float64()), ("count", pa.float64())]
)
RESPONDENTS = pa.schema(
    [
        ("scenario", LABEL),
        ("respondent", pa.int32()),
        ("value", pa.float64()),
        ("weight", pa.float64()),
        ("psu", pa.int32()),
        ("stratum", pa.int32()),
        ("psus_in_stratum", pa.int32()),
        ("lonely_psu", LABEL),
    ]
)
RUNS = pa.schema(
    [
        ("scenario", LABEL),
        ("source", LABEL),
        ("run", pa.int32()),
        ("value", pa.float64()),
        ("respondent", pa.int32()),
        ("psu", pa.int32()),
    ]
)
GIVEN = pa.schema(
    [
        ("scenario", LABEL),
        ("source", LABEL),
        ("family", LABEL),
        ("loc", pa.float64()),
        ("scale", pa.float64()),
        ("total", pa.float64()),
    ]
)
STATED_BY_PERSONA = pa.schema(
    [
        ("scenario", LABEL),
        ("source", LABEL),
        ("persona", LABEL),
        ("value", pa.float64()),
        ("probability", pa.float64()),
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
