"""The pages of the documentation that help with a command, or with the keys of a config."""

import re

COMMANDS = {
    "start": "docs/howto/own_data.md",
    "run": "docs/howto/config.md",
    "resume": "docs/howto/resume.md",
    "figure": "docs/howto/figure.md",
    "versions": "docs/howto/versions.md",
    "verify": "docs/howto/resume.md",
}
FILES = "docs/reference/tabular.md"
EACH_KEY = "config/README.md"
KEYS = {
    "about": "docs/howto/statement.md",
    "calibration": "docs/howto/calibration.md",
    "correct": "docs/howto/correct.md",
    "design": "docs/howto/survey_design.md",
    "evaluations": "docs/howto/evaluations.md",
    "extensions": "docs/howto/extensions.md",
    "groups": "docs/howto/survey_design.md",
    "hybrids": "docs/howto/hybrid.md",
    "models": "docs/howto/language_models.md",
    "plan": "docs/howto/plan.md",
    "predict": "docs/howto/predict.md",
    "prompts": "docs/howto/language_models.md",
    "sequential": "docs/howto/looking_early.md",
    "simulate": "docs/howto/language_models.md",
}
IN_CONFIG = ("config", "study", "seed", "extensions", "grid", "comparison", "data_mirror")
PLACE = re.compile(r"(?:datasets\.[^.:]+\.?)?(\w*)[^ ]*: ")


def with_page(refusal: object, about: str) -> str:
    """Return why a command refuses, and below it the page on the command, or on a key."""
    return f"{refusal}\nSee {(COMMANDS | KEYS)[about]}"


def with_pages(faults: object) -> str:
    """Return the faults of a config, one a line, and below them the pages on what they name."""
    found = dict.fromkeys(_page(fault) for fault in str(faults).splitlines())
    return f"{faults}\nSee {', '.join(found)}"


def _page(fault: str) -> str:
    """Return the page on the key that a fault begins with, or on files where it names one."""
    place = PLACE.match(fault)
    key = place[1] if place else ""
    named = fault.startswith("datasets") or key in IN_CONFIG
    is_key = named or fault.partition(":")[0].partition(",")[0].endswith((".yaml", ".yml"))
    return KEYS.get(key, EACH_KEY if is_key else FILES)
