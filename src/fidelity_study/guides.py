"""The pages of the documentation that help with a command, or with the keys of a config."""

from fidelity_study.errors import DataError, Place

COMMANDS = {
    "start": "docs/howto/own_data.md",
    "embed": "docs/howto/vectors.md",
    "run": "docs/howto/config.md",
    "resume": "docs/howto/resume.md",
    "figure": "docs/howto/figure.md",
    "table": "docs/howto/figure.md",
    "versions": "docs/howto/versions.md",
    "board": "docs/howto/board.md",
    "check": "docs/howto/gates.md",
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


def with_pages(error: DataError) -> str:
    """Return the faults of a config, one a line, and below them the pages on what they name."""
    pages = dict.fromkeys(_page(each.place) for each in error.faults)
    return f"{error}\nSee {', '.join(pages)}"


def _page(place: Place) -> str:
    """Return the page on the key of a fault, or on files where it is in one."""
    first, *inner = place.key.split(".")
    key = "".join(inner[1:2]) if first == "datasets" else first
    is_config = first or any(path.endswith((".yaml", ".yml")) for path in place.files)
    return KEYS.get(key.partition("[")[0], EACH_KEY if is_config else FILES)
