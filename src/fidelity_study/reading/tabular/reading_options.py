"""The options by which files of answers are read, each said once.

From this list come the options of ``start``, the arguments of ``compare``, the JSON schema of the
settings, the comments of written configs and the table of ``workflow/datasets/tabular/README.md``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

FLAG, TRUTH, CHOICE, TEXT, NUMBER, NUMBERS, PAIR, MANY, MARKS, PAIRS, LEVELS, LISTS = (
    *("flag", "truth", "choice", "text", "number", "numbers", "pair"),
    *("many", "marks", "pairs", "levels", "lists"),
)
NAME = {"type": "string", "minLength": 1}
NAMES = {"type": "array", "minItems": 1, "uniqueItems": True, "items": NAME}
CELLS = {"type": "array", "items": {"type": ["string", "number"]}}
FAMILIES = ("normal", "cauchy")
ABOVE_ZERO = {"type": "number", "exclusiveMinimum": 0}
SCHEMAS: dict[str, dict] = {
    FLAG: {"type": "boolean"},
    TRUTH: {"type": "boolean"},
    TEXT: NAME,
    NUMBER: ABOVE_ZERO,
    MANY: NAMES,
}
ALLOWED = {FLAG: "true or false", TRUTH: "true or false", NUMBER: "a number above 0"}
CONTAINERS = {
    "columns": ("your names of columns", "a mapping from the names of this README to yours"),
    "design": (
        "how people were sampled: strata and PSUs (primary sampling units), or replicate weights; "
        "by default at random, and weights count by Kish's formula",
        "a mapping such as {strata: stratum, psu: psu}",
    ),
    "effects": (
        "an experiment: which column of groups is its condition, and against what effects count; "
        "or a conjoint: which columns are attributes of a row's profile",
        "a mapping such as {condition: arm, control: placebo}, or {attributes: [price, brand]}",
    ),
}
OF_OTHERS = ("outcome.", "comparison.", "grid.")
ELSEWHERE = (
    *("cluster", "weighting_effect", "predict", "scales", "regressions"),
    *("effects.condition", "effects.control", "effects.moderators"),
    *("effects.attributes", "effects.bases"),
)


@dataclass(frozen=True)
class Option:
    """An option of ``start``, an argument of ``compare``, and a key of a dataset's settings.

    Attributes:
        name: of the option and the argument; empty of what only a config says.
        key: of the settings, as ``columns.weight``.
        takes: what kind of value.
        help: what it is.
        metavar: what stands for a value.
        values: that there are to choose from.
        more: what a reader of the config's documentation should know besides.
        allowed: values in words, where ``takes`` and ``values`` don't tell.
        schema: JSON schema, where that of ``takes`` is not it.
        in_config: further values that only a config has.
        on_command_line: what is told there besides.
        is_alone: whether one of several is written without a list.
        is_cell: whether a cell of the codebook says it, so that it is a key of a config alone.
    """

    name: str
    key: str
    takes: str
    help: str
    metavar: str = ""
    values: tuple[str, ...] = ()
    more: str = ""
    allowed: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)
    in_config: tuple[str, ...] = ()
    on_command_line: str = ""
    is_alone: bool = False
    is_cell: bool = False

    @property
    def is_several(self) -> bool:
        """Whether it may have several values."""
        return self.takes in (NUMBERS, MANY, MARKS, PAIRS, LEVELS, LISTS)

    def is_given(self, value: Any) -> bool:
        """Return whether a value says anything."""
        return (
            bool(value) if self.takes == FLAG else value is not None and value not in ("", (), {})
        )

    @property
    def comment(self) -> str:
        """What a written config says of its key."""
        return self.help[0].lower() + self.help[1:].removesuffix(".")

    @property
    def choice(self) -> str:
        """The values in words."""
        return self.allowed or either(self.values) or ALLOWED[self.takes]

    @property
    def json_schema(self) -> dict:
        """The JSON schema of its value in a config."""
        enum = {"enum": [*self.in_config, *self.values]} if self.values else {}
        description = self.help + (f" {self.more}" if self.more else "")
        return {
            "description": description,
            **(self.schema or enum or SCHEMAS[self.takes]),
            "allowed": self.allowed or either(enum.get("enum", ())) or ALLOWED[self.takes],
        }


def _own(name: str, takes: str, text: str, metavar: str = "", **more: Any) -> Option:
    """Return an option that is called as its key."""
    return Option(name, name, takes, text, metavar, **more)


def _columns(name: str, text: str, key: str = "", **more: Any) -> Option:
    return Option(name, key or name, MANY, text, "COL", allowed="a list of columns", **more)


def _column(name: str, text: str, key: str = "", **more: Any) -> Option:
    key = key or f"columns.{name}"
    return Option(name, key, TEXT, text, "COL", allowed="the name of a column", **more)


BY_SIMULATOR = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"minLength": 1, "not": {"const": "human"}},
    "additionalProperties": NAME,
}
OPTIONS = (
    Option("", "human", TEXT, "The file of people's answers.", allowed="the path of a file"),
    Option(
        "",
        "simulated",
        TEXT,
        "The file of simulators' answers or stated probabilities, a list of files, or a file for "
        "each simulator.",
        allowed="the path of a file, {simulator: path}, or a list of these",
        schema={"anyOf": [NAME, {**NAMES, "items": {"anyOf": [NAME, BY_SIMULATOR]}}, BY_SIMULATOR]},
    ),
    _own(
        "scenarios",
        TEXT,
        "Describes the questions.",
        "FILE",
        more="A table, or the survey of Qualtrics that people answered (.qsf).",
        allowed="the path of a file",
    ),
    Option(
        "",
        "codebook",
        TEXT,
        "The folder of the three tables that say what columns, questions and answers mean.",
        more="Their cells that were changed precede the other keys; see docs/howto/own_data.md.",
        allowed="the path of a folder",
    ),
    _own(
        "form",
        CHOICE,
        "The form of the files of answers; told by their columns if they can.",
        values=("long", "wide"),
    ),
    _own(
        "separator",
        TEXT,
        "Between the columns of text files.",
        "CHAR",
        more="By default what the files say. Of several, some may have a comma, or in .tsv a tab.",
        allowed="',', ';', '|' or a tab",
        schema={"enum": [",", ";", "|", "\t"]},
    ),
    _own("decimal", CHOICE, "Between a number's whole and its fraction.", values=(".", ",")),
    _column("scenario", "Says which question a row answers.", is_cell=True),
    _column("value", "Holds the answer.", is_cell=True),
    _column("count", "Says how many answers a row stands for.", is_cell=True),
    _column(
        "percent",
        "Holds the percentage of those who gave the answer.",
        more="Of people it needs base; of simulators it is a stated probability.",
        is_cell=True,
    ),
    _own(
        "base",
        TEXT,
        "How many people percentages are of: a number, or a column.",
        "NUMBER",
        allowed="a number above 0, or the name of a column",
        schema={"anyOf": [ABOVE_ZERO, NAME]},
    ),
    _column("probability", "Holds stated probabilities.", is_cell=True),
    _column("weight", "Weights the person of a row."),
    _column("respondent", "Names the person of a row."),
    _column("question", "Has the wording, in the file of questions.", is_cell=True),
    _column("loc", "Holds the location of a stated distribution.", is_cell=True),
    _column("scale", "Holds its scale.", is_cell=True),
    _column("", "Names its family.", "columns.family"),
    Option(
        "simulator",
        "columns.simulator",
        MANY,
        "Names the simulator; several columns do so together.",
        "COL",
        allowed="the name of a column, or a list of columns that make the name together",
        schema={"anyOf": [NAME, NAMES]},
        is_alone=True,
    ),
    _column("strata", "Names the stratum of a row's person.", "design.strata"),
    _column(
        "psu",
        "Names the PSU (primary sampling unit).",
        "design.psu",
        more="By default each person is one.",
    ),
    Option("nested", "design.nested", FLAG, "Whether PSU numbers begin anew in each stratum."),
    Option(
        "lonely_psu",
        "design.lonely_psu",
        CHOICE,
        "What a stratum with one PSU adds.",
        values=("certainty", "average", "adjust"),
        in_config=("refused",),
        more="By default it is refused; certainty, nothing; average, the mean of the others; "
        "adjust, its squared distance from the mean of all.",
    ),
    Option(
        "replicate_weights",
        "design.replicate_weights",
        MANY,
        "Columns of replicate weights, as in 'rep*'.",
        "PATTERN",
        more="They are whole weights, not factors of one.",
        allowed='a list of columns or patterns, such as ["rep*"]',
    ),
    Option(
        "replicate_method",
        "design.method",
        CHOICE,
        "How these were made.",
        values=("jk1", "jkn", "brr", "fay", "bootstrap"),
    ),
    Option(
        "fay",
        "design.fay",
        NUMBER,
        "The coefficient of Fay's method.",
        "NUMBER",
        allowed="a number from 0, below 1",
        schema={"type": "number", "minimum": 0, "exclusiveMaximum": 1},
    ),
    Option(
        "replicate_scale",
        "design.scale",
        NUMBER,
        "Of all replicates' squares.",
        "NUMBER",
        more="By default jk1 (R-1)/R, bootstrap 1/(R-1), jkn 1, with R replicate weights.",
    ),
    Option(
        "rscales",
        "design.rscales",
        NUMBERS,
        "Of each replicate.",
        "NUMBER",
        more="One for all, or a list; jkn needs them.",
        allowed="a number above 0, or a list of numbers",
        schema={
            "anyOf": [
                ABOVE_ZERO,
                {"type": "array", "minItems": 2, "items": {"type": "number", "minimum": 0}},
            ]
        },
        is_alone=True,
    ),
    _columns(
        "groups",
        "Each question put to each group of people is a scenario.",
        more="As trust | female | 18-34; questions are the clusters by default, and cluster may be "
        "one of these columns, too.",
    ),
    _own(
        "wave",
        TEXT,
        "A person answers once in each of its values: a wave, a stimulus or a task.",
        "COL",
        more="Each of them is a group; errors allow for what a person's answers have in common.",
        allowed="the name of a column",
        is_cell=True,
    ),
    _column(
        "condition",
        "The condition of an experiment that a row belongs to; effects are compared.",
        "effects.condition",
        more="One of groups; see docs/howto/experiments.md.",
    ),
    Option(
        "control",
        "effects.control",
        TEXT,
        "The condition that effects are against, such as placebo.",
        "NAME",
        allowed="one of the conditions",
    ),
    _columns(
        "moderator",
        "What effects may differ by, such as age.",
        "effects.moderators",
        more="One of groups.",
    ),
    _columns(
        "attribute",
        "An attribute of a conjoint, whose rows are profiles, such as price.",
        "effects.attributes",
        more="Effects are those of each level; see docs/howto/experiments.md.",
    ),
    Option(
        "base_level",
        "effects.bases",
        PAIRS,
        "The level of an attribute that the others are against, as in price 500.",
        "ATTRIBUTE LEVEL",
        more="By default the lowest number, or the first in alphabetical order.",
        allowed="a mapping such as {price: '500'}",
    ),
    _own(
        "ignore",
        MANY,
        "A column that is not read.",
        "COL",
        allowed="a list of columns",
        schema={"type": "array", "uniqueItems": True, "items": {"type": "string"}},
        is_cell=True,
    ),
    _own(
        "questions",
        MANY,
        "Columns of wide files that are questions, as in 'q*'.",
        "PATTERN",
        more="By default all that are nothing else.",
        allowed="a list of columns or patterns, such as [age_first_job, q*]",
    ),
    _own(
        "multiple",
        MANY,
        "Questions of which one may choose several options, as in 'q5*'.",
        "PATTERN",
        more="Each option becomes a question, 1 if chosen and 0 if not, in one cluster. They stand "
        "in one cell, with a sign between them or as a list; or in a column each, whose empty "
        "cells are options not chosen.",
        allowed="a list of questions or patterns, such as [q5, media*]",
    ),
    _own(
        "ranking",
        MANY,
        "Columns of ranks, or of items in their order, as in 'q7*'.",
        "PATTERN",
        more="They become the first choice, and for each pair of items a question, 1 if the first "
        "is preferred. Ranks stand in a column for each item, or items in one cell.",
        allowed="a list of columns or patterns, such as [q7*]",
        is_cell=True,
    ),
    _own(
        "people",
        TEXT,
        "What the column of simulators calls people, where one file has both.",
        "NAME",
        allowed="a name such as human",
    ),
    _own(
        "missing",
        MARKS,
        "A cell that stands for no answer, besides empty ones.",
        "CODE",
        more='In a list, spellings of "don\'t know" count as undecided, and "refused" and its '
        "like as refused.",
        allowed="a list such as [NA, -9], or lists by reason: {refused: [-1], missing: [-9]}",
        schema={
            "anyOf": [
                CELLS,
                {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": dict.fromkeys(
                        ("missing", "refused", "unparsable", "failed", "undecided"), CELLS
                    ),
                },
            ]
        },
    ),
    _own(
        "missing_in",
        PAIRS,
        "A cell that stands for no answer to some questions, as in 'q1*' 99.",
        "QUESTION CODE",
        allowed="a mapping such as {household_size: [99], q1*: [8, 9]}",
        schema={"type": "object", "minProperties": 1, "additionalProperties": CELLS},
        is_cell=True,
    ),
    _own(
        "unlisted",
        CHOICE,
        "Why a simulator's text that is none of the levels is no answer.",
        values=("refused", "unparsable", "missing"),
        more="It is counted as such; of several lines the last counts if it is listed. By default "
        "such a text is refused, as it may be a second spelling.",
        is_cell=True,
    ),
    _own(
        "recode",
        PAIRS,
        "Reads one answer as another.",
        "OLD NEW",
        allowed="a mapping such as {Never: never, 5+: 5}",
        schema={
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": ["string", "number"]},
        },
        is_cell=True,
    ),
    _own(
        "totals",
        MARKS,
        "An answer that is the sum of others, such as a total, and not read.",
        "LABEL",
        allowed="a list such as [Total, Net agree]",
        schema=CELLS,
        is_cell=True,
    ),
    _own(
        "cluster",
        TEXT,
        "The column that groups the questions, or one of groups.",
        "COL",
        more="In the file of scenarios or the long file of people. By default none: each scenario "
        "stands for itself.",
        allowed="the name of a column, or none",
        on_command_line="Of logs a key of metadata, or a field.  [default: cluster or topic; of "
        "logs none]",
    ),
    Option(
        "kind",
        "outcome.kind",
        CHOICE,
        "What an answer is.",
        values=("binary", "ordinal", "categorical", "bounded", "real", "text", "vector"),
    ),
    Option(
        "levels",
        "outcome.levels",
        LEVELS,
        "The options in order.",
        "TEXT",
        more="In a config outcome.scores may give each a number; by default they are equally "
        "spaced from -1 to 1.",
        allowed="a list of answers",
        on_command_line='As in "never | often | always".',
    ),
    Option(
        "bounds",
        "outcome.bounds",
        PAIR,
        "The range of numbers.",
        "LOWER UPPER",
        allowed="two numbers, the lower first",
    ),
    _own("weighting_effect", NUMBER, "Design effect of weights.", "NUMBER"),
    _own(
        "respondents_repeat",
        TRUTH,
        "Whether the same people answered several questions, where no column names them.",
        more="Unknown by default; then intervals of means allow for it.",
    ),
    _own(
        "family",
        CHOICE,
        "Of the distributions whose location and scale are stated.",
        values=FAMILIES,
        allowed=f"{', '.join(FAMILIES)}, or {{simulator: family}}",
        schema={
            "anyOf": [
                {"enum": [*FAMILIES]},
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": {"enum": [*FAMILIES]},
                },
            ]
        },
    ),
    _own(
        "probabilities",
        CHOICE,
        "Divided by their sum: each option has one of its own, or they are rounded.",
        values=("one_vs_rest", "rounded"),
        more="Log and report say so. Rounded ones have two to five decimals; their sum may differ "
        "from one by half a unit of the last decimal for each option, and by at most 0.05. By "
        "default probabilities have to sum to one.",
    ),
    _own(
        "predict",
        FLAG,
        "Questions that simulators answered and people did not are new ones, to be predicted.",
        allowed="a mapping, {} for the usual",
    ),
    _own(
        "scales",
        LISTS,
        "A scale: questions whose sum measures one thing.",
        "NAME=Q1,Q2",
        more="A - before a question reverses it.",
        allowed="a mapping such as {trust: [q1, q2, -q3]}",
        on_command_line="As in trust=q1,q2,-q3; a - reverses a question.",
    ),
    Option(
        "regression",
        "regressions",
        MANY,
        "A regression of a question on facts about persons, as in 'trust ~ age + party'.",
        "FORMULA",
        allowed="a mapping such as {trust: trust ~ age + party}",
    ),
    Option("tolerance", "comparison.tolerance", NUMBER, "How far off is still good enough.", "T"),
    Option(
        "discrepancy",
        "grid.discrepancy",
        TEXT,
        "How distance is measured: tv, absolute, squared, w1, ...",
        "NAME",
        allowed="a discrepancy, or a list",
        on_command_line=" [default: by the kind]",
    ),
    _own("sheet", TEXT, "Of spreadsheets with several.", "NAME", allowed="the name of a sheet"),
    Option(
        "codes",
        "value_labels",
        FLAG,
        "Answers of .sav and .dta are codes, not labels.",
        more="In a config value_labels, which is true by default, for bounded and real outcomes "
        "false.",
    ),
    _own(
        "custom_id",
        TEXT,
        'What the ids of a batch are made of: "{scenario}|{simulator}".',
        "TEXT",
        allowed="a text such as {scenario}|{simulator}|{replicate}",
        schema={"type": "string", "pattern": r"\{[^{}]+\}"},
    ),
    _column("", "The column of people's weights; the same as weight under columns.", "weight"),
    Option(
        "",
        "personas",
        MANY,
        "Columns that describe a respondent, or a text with them in braces.",
        allowed="a list of columns, or a text such as a {age}-year-old {sex}",
        schema={"anyOf": [NAMES, {"type": "string", "pattern": r"\{[^{}]+\}"}]},
    ),
    _column(
        "",
        "The column of the file of scenarios that numbers them in the order in which they were "
        "asked.",
        "order",
        more="By default the order of the file; see docs/howto/looking_early.md.",
    ),
)
BY_KEY = {option.key: option for option in OPTIONS if option.name}
BY_NAME = {option.name: option for option in OPTIONS if option.name}
SAID = [option for option in BY_NAME.values() if not option.is_cell]
"""What may be said in a command or a call."""


def either(values: Iterable[str]) -> str:
    """Return values in words: ``binary, ordinal or real``."""
    *others, last = [*values, ""][:-1] or [""]
    return f"{', '.join(others)} or {last}" if others else last


def table() -> str:
    """Return the options as a table in Markdown: keys, options and arguments, meaning, values."""
    rows = [
        (
            f"`{option.key}`",
            f"`{option.name}`" if option.name and not option.is_cell else "",
            f"{option.help} {option.more}".strip(),
            option.choice,
        )
        for option in OPTIONS
    ]
    head = [("key", "option, argument", "meaning", "values"), ("---",) * 4]
    return "".join(f"| {' | '.join(map(_cell, row))} |\n" for row in [*head, *rows])


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def schema() -> dict:
    """Return the JSON schema of the settings that only files of answers have."""
    properties: dict[str, dict] = {}
    for option in OPTIONS:
        above, _, last = option.key.rpartition(".")
        if option.key in ELSEWHERE or option.key.startswith(OF_OTHERS):
            continue
        inside = properties
        if above:
            description, allowed = CONTAINERS[above]
            container = properties.setdefault(
                above,
                {
                    "description": description,
                    "type": "object",
                    "additionalProperties": False,
                    "allowed": allowed,
                    "properties": {},
                },
            )
            inside = container["properties"]
        inside[last] = option.json_schema
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["human"],
        "allowed": "a mapping with at least human",
        "properties": properties,
    }
