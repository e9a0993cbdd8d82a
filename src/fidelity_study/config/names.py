"""What reports call the simulators and scenarios of a dataset: plain words."""

from collections import Counter

from fidelity.baselines.base import BASELINES

QUESTION = "question"
IN_GROUPS = ["question in a group", "questions in groups"]
IN_CONDITIONS = ["question in a condition", "questions in conditions"]
LABEL, DESCRIBE = "label", "describe"
MODES = {
    "answers": "sampled answers",
    "probabilities": "next-token probabilities",
    "population": "stated shares",
}


def names_of(settings: dict, simulators: list[str], room: dict) -> dict[str, dict[str, str]]:
    """Return the label of each simulator, and what it is and how it answered, empty if unknown.

    Each of the two comes from the first that has it: the config, what the folder of the dataset
    says, the baseline of this name, how a model is asked. Without a label a simulator keeps its
    name; it is added to one that was found for several.

    Args:
        settings: of the dataset, as the config has them.
        simulators: their names.
        room: what the folder says, see :func:`fidelity_study.config.project.room_words`.
    """
    asked = settings.get("simulate", {})
    listed = settings["simulators"] if isinstance(settings["simulators"], dict) else {}
    from_config = {
        name: {**_asked_names(asked, name), **(listed.get(name) or {})} for name in simulators
    }
    names = {
        name: {**_defaults(name, asked.get(name)), **_room_words(room, name), **from_config[name]}
        for name in simulators
    }
    often = Counter(naming[LABEL] for naming in names.values())
    for name, naming in names.items():
        if often[naming[LABEL]] > 1 and LABEL not in from_config[name]:
            naming[LABEL] += f" ({name})"
    return names


def noun_of(settings: dict, room: dict) -> list[str]:
    """Return what one scenario is called, and several: the config's word, the folder's, ours."""
    effects = settings.get("effects") or {}
    by = settings.get("groups") or []
    ours = (
        IN_CONDITIONS if by and by == [effects.get("condition")] else IN_GROUPS if by else QUESTION
    )
    noun = settings.get("noun", room.get("noun", ours))
    return [noun, f"{noun}s"] if isinstance(noun, str) else noun


def _room_words(room: dict, name: str) -> dict[str, str]:
    """Return what the folder says of a simulator; braces stand for its name without brackets."""
    model = name.partition(" (")[0]
    return {key: text.replace("{}", model) for key, text in (room.get(name) or {}).items()}


def _asked_names(asked: dict, name: str) -> dict[str, str]:
    return {key: asked[name][key] for key in (LABEL, DESCRIBE) if key in asked.get(name, {})}


def _defaults(name: str, asking: dict | None) -> dict[str, str]:
    if asking is not None:
        wording = f", prompt {asking['wording']}" if "wording" in asking else ""
        return {LABEL: f"{asking['model']}, {MODES[asking['mode']]}{wording}", DESCRIBE: ""}
    if name in BASELINES:
        baseline = BASELINES[name]
        return {LABEL: baseline.label or name, DESCRIBE: baseline.describe}
    return {LABEL: name, DESCRIBE: ""}
