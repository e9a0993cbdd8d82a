"""What a dataset's own settings say of its answers, before defaults are filled in."""

NUMBERS = ("bounded", "real")
"""The outcomes that are numbers, without options."""


def has_curves(settings: dict) -> bool:
    """Return whether a dataset has curves: not where its simulators state numbers' distributions.

    Args:
        settings: the dataset's own.
    """
    of_numbers = settings["outcome"]["kind"] in NUMBERS
    states = "family" in settings or "family" in settings.get("columns", {})
    return settings.get("curves", not (of_numbers and states))


def has_own_unasked(settings: dict) -> bool:
    """Return whether questions of the dataset's own files that people did not answer are predicted.

    Args:
        settings: the dataset's own.
    """
    return "predict" in settings and "questions" not in settings["predict"]
