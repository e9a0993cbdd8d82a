"""Language models that are asked in several ways: one simulator for each prompt, one for shares."""

import re
from collections.abc import Iterator

from fidelity_study.ask.prompts import PLACEHOLDERS, POPULATION
from fidelity_study.config.texts import said
from fidelity_study.errors import Fault, there_are
from fidelity_study.reading.ingest.parse import MOST_OPTIONS

ASKED_FOR_SHARES = {
    "personas": 1,
    "draws": 5,
    "max_tokens": 15 * MOST_OPTIONS,
    "system": "Estimate how a population answers a survey. Reply with one line for each option, its"
    " letter and how many of 100 people choose it, such as A: 40, and nothing else. The numbers sum"
    " to 100.",
    "prompt": "{question}\n\n{options}\n\nOf 100 people from this population ({population}), how"
    " many choose each option?",
}
ANYBODY = "the people who took part in this survey"
LONGEST_NAME = 60
OF_PANELS = ("personas", "draws", "max_tokens", "system", "prompt", "prompts")
PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


def with_each_prompt(config: dict) -> dict:
    """Return a config in which each prompt of a simulator is a simulator, ``<name>-<prompt>``.

    And its baseline that states the population's shares, ``<name>-population``. How these are asked
    tells by ``stem`` and ``wording`` where they come from. Lists of simulators name them, too.
    """
    if "datasets" not in config:
        return config
    wordings = config.get("prompts", {})
    split = {name: _split(settings, wordings) for name, settings in config["datasets"].items()}
    return {**config, "datasets": split}


def _split(settings: dict, wordings: dict) -> dict:
    """Return a dataset's settings with the simulators that each of those asked becomes."""
    if "simulate" not in settings:
        return settings
    several = {name: _each(name, asking, wordings) for name, asking in settings["simulate"].items()}
    asked = {name: asking for parts in several.values() for name, asking in parts.items()}
    new_settings = {**settings, "simulate": asked}
    if "simulators" in settings:
        new_settings["simulators"] = _listed(settings["simulators"], several)
    return new_settings


def _listed(simulators: list | dict, several: dict[str, dict]) -> list | dict:
    """Return a list of simulators, or what they are called, with those that each becomes."""
    if isinstance(simulators, list):
        name_lists = (several.get(name, [name]) for name in simulators)
        return list(dict.fromkeys(name for names in name_lists for name in names))
    labelled: dict = {}
    for name, words in simulators.items():
        for part, asking in several.get(name, {name: {}}).items():
            labelled[part] = {**(words or {}), **_label(words or {}, asking)} if words else words
    return labelled


def _each(name: str, asking: dict, wordings: dict) -> dict[str, dict]:
    """Return how each simulator is asked that one simulator of the config becomes."""
    if asking["mode"] == POPULATION:
        who = asking.get("population")
        asking = {**ASKED_FOR_SHARES, **asking, "population": _population(who)}
    askings = {
        f"{name}-{prompt}": _worded(name, asking, prompt, wordings) for prompt in _prompts(asking)
    }
    if not askings:
        askings[name] = {key: value for key, value in asking.items() if key != "prompts"}
    if asks_shares(asking):
        askings = {simulator: _without(asked, "population") for simulator, asked in askings.items()}
        askings[f"{name}-{POPULATION}"] = _beside(name, asking)
    if len(askings) > 1 and "budget" in asking:
        part = {limit: most / len(askings) for limit, most in asking["budget"].items()}
        if "tokens" in part:
            part["tokens"] = max(1, int(part["tokens"]))
        askings = {simulator: {**asked, "budget": part} for simulator, asked in askings.items()}
    return askings


def asks_shares(asking: dict) -> bool:
    """Return whether the population's shares are asked for beside a panel of personas."""
    return asking["mode"] != POPULATION and bool(asking.get("population"))


def _prompts(asking: dict) -> list[str]:
    return asking.get("prompts", [])


def _worded(name: str, asking: dict, prompt: str, wordings: dict) -> dict:
    wording = _wording(wordings.get(prompt, {}))
    worded = {**_without(asking, "prompts"), **wording, "stem": name, "wording": prompt}
    return {**worded, **_label(asking, worded)}


def _beside(name: str, asking: dict) -> dict:
    """Return how the population's shares are asked for, by the model of a panel."""
    kept = {key: value for key, value in asking.items() if key not in (*OF_PANELS, "describe")}
    of_population = {
        **ASKED_FOR_SHARES,
        **kept,
        "mode": POPULATION,
        "population": _population(asking["population"]),
        "stem": name,
    }
    return {**of_population, **_label(asking, of_population)}


def _label(words: dict, asking: dict) -> dict[str, str]:
    """Return the label of one of several simulators, from the one that the config gives to all."""
    if "label" not in words or "stem" not in asking:
        return {}
    wording = asking.get("wording")
    what = "stated shares" if wording is None else f"prompt {wording}"
    return {"label": f"{words['label']}, {what}"}


def _population(who: str | bool | None) -> str:
    return who if isinstance(who, str) else ANYBODY


def _without(asking: dict, name: str) -> dict:
    return {key: value for key, value in asking.items() if key != name}


def prompts_of(asking: dict[str, dict]) -> dict[str, list[str]]:
    """Return the simulators of each that is asked in two prompts or more."""
    by_stem: dict[str, list[str]] = {}
    for name, settings in asking.items():
        if "wording" in settings:
            by_stem.setdefault(settings["stem"], []).append(name)
    return {stem: names for stem, names in by_stem.items() if len(names) > 1}


def prompt_faults(config: dict, defaults: dict) -> Iterator[Fault]:
    """Say what is wrong with a config's prompts, and where they are asked.

    Args:
        config: as its schema wants it; no simulator is split yet.
        defaults: of how to ask.
    """
    wordings = config.get("prompts", {})
    for name, wording in wordings.items():
        yield from _of_template(f"prompts.{name}", _wording(wording)["prompt"])
    for dataset, settings in config.get("datasets", {}).items():
        simulate = settings.get("simulate", {})
        for name, asking in simulate.items():
            place = f"datasets.{dataset}.simulate.{name}"
            yield from _of_asking(place, asking, {**defaults, **asking}, wordings)
            for part, asked in _each(name, asking, wordings).items():
                yield from _of_name(place, name, part, asked, simulate)


def _of_template(place: str, text: str) -> Iterator[Fault]:
    for part in PLACEHOLDERS[:2]:
        if part not in text:
            yield said("no-placeholder", place, part=part)
    for part in dict.fromkeys(PLACEHOLDER.findall(text)):
        if part not in PLACEHOLDERS:
            yield said("unknown-placeholder", place, part=part, there=there_are(part, PLACEHOLDERS))


def _of_asking(place: str, asking: dict, complete: dict, wordings: dict) -> Iterator[Fault]:
    is_population = asking["mode"] == POPULATION
    first: dict[tuple, str] = {}
    for name in _prompts(asking):
        if name not in wordings:
            there = there_are(name, wordings)
            yield said("unknown-prompt", f"{place}.prompts", name=name, there=there)
            continue
        wording = _wording(wordings[name])
        words = (wording["prompt"], wording.get("system", complete["system"]))
        other = first.setdefault(words, name)
        if other != name:
            yield said("prompt-twice", f"{place}.prompts", other=other, name=name)
        if "{population}" in wording["prompt"] and not is_population:
            yield said("population-in-other-mode", f"{place}.prompts", who=f"{name!r} ")
    if _prompts(asking) and "prompt" in asking:
        yield said("prompt-and-prompts", f"{place}.prompt")
    if is_population and "personas" in asking:
        yield said("personas-of-population", f"{place}.personas")


def _of_name(place: str, name: str, part: str, asked: dict, simulate: dict) -> Iterator[Fault]:
    if part == name:
        return
    way = f"prompt {asked['wording']!r}" if "wording" in asked else POPULATION
    what = f"with {way} it is the simulator {part!r}"
    if part in simulate:
        dataset = place.rpartition(".")[0]
        yield said("same-name", place, what=f"{what}, and {dataset} has one of that name, too")
    if len(part) > LONGEST_NAME:
        yield said("name-too-long", place, what=what, most=LONGEST_NAME)


def _wording(wording: str | dict) -> dict:
    return {"prompt": wording} if isinstance(wording, str) else wording
