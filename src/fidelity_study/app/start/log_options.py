"""The options by which logs of evaluations are read, each said once."""

from fidelity_study.reading.tabular.reading_options import MANY, NUMBER, PAIR, PAIRS, TEXT, Option


def _option(
    name: str, takes: str, metavar: str, text: str, more: str = "", key: str = ""
) -> Option:
    return Option(name, key or name, takes, text, metavar, on_command_line=more)


OPTIONS = (
    _option("baseline", TEXT, "MODEL", "The model that others are compared with."),
    _option("score", MANY, "NAME", "Which scores count; of each log one."),
    _option("better", TEXT, "WHICH", "Which score is better, higher or lower."),
    _option("model", PAIRS, "FILE NAME", "How models of files are called.", key="models"),
    _option(
        "range", PAIR, "LOW HIGH", "The smallest and the largest score there can be, inf: no end."
    ),
    _option("margin", NUMBER, "M", "How much worse than the baseline is still no worse."),
    _option("effect", NUMBER, "D", "What ought to be found, stated before looking.", key="power"),
)
COMMENTS = {
    "files": "logs, or tables of scores",
    "columns": "which column is which",
    "recode": "what words stand for",
    "unpaired": "models without a common question are compared as independent samples",
    "cluster": "what groups the questions, such as a passage",
    **{option.key: option.comment for option in OPTIONS},
}
