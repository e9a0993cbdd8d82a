"""The options by which files are read: what they are called, their keys, and what they take."""

from collections.abc import Iterable
from dataclasses import dataclass

FLAG, TRUTH, CHOICE, TEXT, NUMBER, PAIR, MANY, MARKS, PAIRS, LEVELS = (
    *("flag", "truth", "choice", "text", "number", "pair"),
    *("many", "marks", "pairs", "levels"),
)


@dataclass(frozen=True)
class Option:
    """An option of ``start``, an argument of ``compare``, and a key of a dataset's settings.

    Attributes:
        name: of the argument.
        key: of the settings, as ``columns.weight``.
        takes: what kind of value.
        metavar: what stands for a value.
    """

    name: str
    key: str
    takes: str
    metavar: str = ""


def _columns(names: str, under: str = "columns") -> Iterable[Option]:
    return (Option(name, f"{under}.{name}", TEXT, "COL") for name in names.split())


OPTIONS = (
    Option("scenarios", "scenarios", TEXT, "FILE"),
    *_columns("scenario value count probability weight respondent question loc scale"),
    Option("simulator", "columns.simulator", MANY, "COL"),
    *_columns("strata psu", "design"),
    Option("nested", "design.nested", FLAG),
    Option("lonely_psu", "design.lonely_psu", CHOICE),
    Option("groups", "groups", MANY, "COL"),
    Option("ignore", "ignore", MANY, "COL"),
    Option("questions", "questions", MANY, "PATTERN"),
    Option("missing", "missing", MARKS, "CODE"),
    Option("missing_in", "missing_in", PAIRS, "QUESTION CODE"),
    Option("unlisted", "unlisted", CHOICE),
    Option("recode", "recode", PAIRS, "OLD NEW"),
    Option("stated", "stated", MANY, "NAME"),
    Option("cluster", "cluster", TEXT, "COL"),
    Option("kind", "outcome.kind", CHOICE),
    Option("levels", "outcome.levels", LEVELS, "LOWEST | ... | HIGHEST"),
    Option("bounds", "outcome.bounds", PAIR, "LOWER UPPER"),
    Option("weighting_effect", "weighting_effect", NUMBER, "NUMBER"),
    Option("respondents_repeat", "respondents_repeat", TRUTH),
    Option("family", "family", CHOICE),
    Option("probabilities", "probabilities", CHOICE),
    Option("predict", "predict", FLAG),
    Option("tolerance", "comparison.tolerance", NUMBER, "T"),
    Option("discrepancy", "grid.discrepancy", TEXT, "NAME"),
    Option("form", "form", CHOICE),
    Option("separator", "separator", TEXT, "CHAR"),
    Option("sheet", "sheet", TEXT, "NAME"),
    Option("codes", "value_labels", FLAG),
    Option("custom_id", "custom_id", TEXT, "TEXT"),
)
BY_KEY = {option.key: option for option in OPTIONS}
BY_NAME = {option.name: option for option in OPTIONS}
