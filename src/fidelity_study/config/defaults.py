"""A config's settings, complete: with the schema's defaults, and those that depend on others."""

from collections.abc import Iterable

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.levels import rational
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful
from fidelity_study.ask.embedded import EMBEDDED, PACKAGED
from fidelity_study.config.names import names_of, noun_of
from fidelity_study.config.prompts import prompts_of
from fidelity_study.reading.settings import NUMBERS, has_curves, has_own_unasked
from fidelity_study.tables.common import KINDS, headline_set
from fidelity_study.tables.ingest import NO_CLUSTER

ENVELOPE = "envelope"
BESIDE_ENVELOPE = [0.5]
OF_TESTS = ("alpha", "power", "effect")
OWN_KEYS = (*OF_TESTS, "tolerance", "stand_in_share")
PREFERRED_SETS = [
    ["bernoulli_kl", "clopper_pearson", "witness"],
    ["hoeffding", "witness"],
    ["multinomial_kl_paper", "witness"],
    ["multinomial_kl_paper", "multinomial_kl"],
    ["empirical_bernstein"],
    ["bootstrap_percentile", "bootstrap_bca"],
    ["w1"],
]


def complete_dataset(
    config: dict, settings: dict, name: str, schema: dict, figures: list[str], words: dict
) -> dict:
    """Return a dataset's settings: its own, before those of the whole config, before defaults.

    ``settings`` have a cluster and simulators; ``figures`` are those to draw by default; ``words``
    those of the dataset's room.
    """
    definitions = schema["$defs"]
    common = definitions["dataset"]["properties"]
    kind = settings["outcome"]["kind"]
    grid = {
        "discrepancy": [default_discrepancy(kind)],
        **defaults_of(definitions["grid"]),
        **config.get("grid", {}),
        **settings.get("grid", {}),
    }
    grid |= _coverages(grid["gamma"])
    grid["pairs"] = _pairs(grid, kind)
    grid["compared"] = {each: _compared(sets) for each, sets in grid["pairs"].items()}
    comparison = {
        "n": grid["n"][-1:],
        "gamma": sides(grid["gamma"][0])[:1],
        **defaults_of(definitions["comparison"]),
        **config.get("comparison", {}),
        **settings.get("comparison", {}),
    }
    return {
        "title": name,
        "weighting_effect": None,
        "target": None,
        "figures": figures,
        "calibration": None,
        "plan": None,
        "sequential": None,
        "predict": None,
        "unasked": has_own_unasked(settings),
        "hybrids": None,
        **defaults_of(definitions["dataset"]),
        **settings,
        "curves": has_curves(settings),
        "groups": list(settings.get("groups", [])),
        "by_respondent": bool(settings.get("correct")) or "hybrids" in settings,
        **_cluster(settings, words),
        **_asked(settings, definitions["asking"], words),
        "noun": noun_of(settings, words),
        "about": {**words.get("about", {}), **settings.get("about", {})},
        **_calibration(settings, common["calibration"]),
        **_plan(settings, grid, common["plan"]),
        **_sequential(settings),
        **_predict(settings, grid, common["predict"]),
        "correct": _corrections(settings),
        **_hybrids(settings, common["hybrids"]),
        "options": {key: value for key, value in settings.items() if key not in common},
        "grid": grid,
        "comparison": {key: value for key, value in comparison.items() if key not in OWN_KEYS},
        "test": {key: comparison[key] for key in OF_TESTS},
        "tolerance": {
            name: each if isinstance(each, list) else [each]
            for name, each in comparison["tolerance"].items()
        },
        "stand_in_share": comparison["stand_in_share"],
    }


def complete_evaluation(settings: dict, name: str, schema: dict) -> dict:
    """Return an evaluation's settings, before defaults."""
    definitions = schema["$defs"]
    definition = definitions["evaluation"]
    chosen = {**defaults_of(definition), **settings}
    power = {"effect": None, **defaults_of(definition["properties"]["power"]), **chosen["power"]}
    named = dict.fromkeys(definitions["eval"]["properties"])
    return {
        "title": name,
        "baseline": None,
        "margin": None,
        **chosen,
        "test": power,
        "evals": {
            each: {**named, **defaults_of(definitions["eval"]), **own}
            for each, own in chosen["evals"].items()
        },
    }


def complete_model(settings: dict, schema: dict) -> dict:
    """Return how a language model is reached; the embedded one has a name by default."""
    embedded = {"model": PACKAGED} if settings["endpoint"] == EMBEDDED else {}
    return {**embedded, **defaults_of(schema["$defs"]["model"]), **settings}


def _cluster(settings: dict, words: dict) -> dict:
    """Return what groups the scenarios, and whether it makes them clusters.

    Without clusters, baselines still learn from the scenarios that the room's first cluster groups.
    """
    chosen, first = settings["cluster"], [*words.get("clusters", []), NO_CLUSTER][0]
    return {"cluster": first if chosen == NO_CLUSTER else chosen, "clustered": chosen != NO_CLUSTER}


def _asked(settings: dict, definition: dict, words: dict) -> dict:
    """Return a dataset's simulators, complete with those that are asked, their names, and how."""
    simulate = settings.get("simulate", {})
    simulators = without_repeats([*settings["simulators"], *simulate])
    return {
        "simulators": simulators,
        "names": names_of(settings, simulators, words.get("simulators", {})),
        "asked": list(simulate),
        "simulate": {
            name: {**defaults_of(definition), **asking} for name, asking in simulate.items()
        },
        "prompted": prompts_of(simulate),
    }


def _calibration(settings: dict, definition: dict) -> dict:
    """Return how calibration is measured, complete; nothing if the dataset doesn't want it."""
    if "calibration" not in settings:
        return {}
    return {"calibration": {**defaults_of(definition), **settings["calibration"]}}


def _plan(settings: dict, grid: dict, definition: dict) -> dict:
    """Return what is planned, complete, for the part of the grid that plans can be made for.

    That are coverages which are the same everywhere, and sets that bound the discrepancies that are
    planned, without drawing.
    """
    if "plan" not in settings:
        return {}
    plan = {**defaults_of(definition), **settings["plan"]}
    sets = {
        discrepancy: [each for each in grid["pairs"][discrepancy] if not _draws(each)]
        for discrepancy in grid["pairs"]
        if DISCREPANCIES[discrepancy].is_planned
    }
    return {
        "plan": {
            **plan,
            "costs": {**defaults_of(definition["properties"]["costs"]), **plan["costs"]},
            "pairs": {discrepancy: each for discrepancy, each in sets.items() if each},
            "gamma": without_repeats(
                upper for upper, *_ in map(sides, grid["gamma"]) if not isinstance(upper, dict)
            ),
        }
    }


def _sequential(settings: dict) -> dict:
    """Return what is known of the order; nothing if the study isn't looked at while data come in.

    The column of the order is the room's key, where the room has one.
    """
    if "sequential" not in settings:
        return {}
    order = settings.get("order")
    return {"sequential": {"at_random": None, "order": order, **settings["sequential"]}}


def _predict(settings: dict, grid: dict, definition: dict) -> dict:
    """Return how questions that nobody was asked are predicted, complete.

    By the discrepancies that turn into ranges of shares or means, and one set of each.
    """
    if "predict" not in settings:
        return {}
    own = {**defaults_of(definition), **settings["predict"]}
    sets = {
        discrepancy: headline_set([each for each in grid["pairs"][discrepancy] if not _draws(each)])
        for discrepancy in grid["pairs"]
        if discrepancy in predicted_by(settings["outcome"]["kind"])
    }
    return {
        "predict": {
            "questions": None,
            "scenarios": None,
            "statement": None,
            "features": None,
            "weights": None,
            "gamma": float(1 - rational(own["alpha"]) / 2),
            **own,
            "pairs": {discrepancy: [each] for discrepancy, each in sets.items() if each},
        }
    }


def default_discrepancy(kind: str) -> str:
    """Return the discrepancy that an outcome kind is measured by where a config names none."""
    return next(name for name, each in DISCREPANCIES.items() if kind in each.default_for)


def predicted_by(kind: str) -> list[str]:
    """Return the discrepancies that turn into ranges of what people answer."""
    return discrepancies_with("bounds_means" if kind in NUMBERS else "has_option_ranges")


def _corrections(settings: dict) -> list[str]:
    """Return which corrections are made: those named, or all that make sense; or none.

    To stack simulators takes two that are no baselines.
    """
    chosen = settings.get("correct", False)
    if isinstance(chosen, list):
        return chosen
    every = {*settings["simulators"], *settings.get("simulate", {})}
    few = len(every - {*BASELINES}) < 2
    return [kind for kind in KINDS if not (few and kind == "stacked")] if chosen else []


def _hybrids(settings: dict, definition: dict) -> dict:
    """Return how many people hybrids see, in growing order; nothing if there are to be none."""
    if "hybrids" not in settings:
        return {}
    chosen = {**defaults_of(definition), **settings["hybrids"]}
    return {"hybrids": {"sizes": sorted(chosen["sizes"])}}


def _draws(confidence_set: str) -> bool:
    return CONFIDENCE_SETS[confidence_set].draws


def _coverages(gamma: str | list) -> dict:
    """Return the coverages that are fixed in advance, and whether the envelope is drawn, too."""
    wanted = [gamma] if gamma == ENVELOPE else gamma
    fixed = [each for each in wanted if each != ENVELOPE]
    return {"gamma": fixed or BESIDE_ENVELOPE, "envelope": len(fixed) < len(wanted)}


def _pairs(grid: dict, kind: str) -> dict[str, list[str]]:
    """Return the confidence sets of each discrepancy."""
    chosen = grid.get("confidence_set")
    if isinstance(chosen, dict):
        return chosen
    return {
        discrepancy: chosen or _default_sets(discrepancy, kind)
        for discrepancy in grid["discrepancy"]
    }


def _compared(sets: list[str]) -> list[str]:
    """Return the sets that pairs are compared with: without the paper's ball where a smaller is."""
    smaller = [each for each in sets if each in ("multinomial_kl", "witness")]
    return [each for each in sets if each != "multinomial_kl_paper"] if smaller else sets


def _default_sets(discrepancy: str, kind: str) -> list[str]:
    """Return the first preferred sets that all bound the discrepancy for the outcome kind."""
    for sets in PREFERRED_SETS:
        if all(meaningful(each, discrepancy, kind) for each in sets):
            return sets
    return ["witness"]


def sides(gamma: float | dict) -> list:
    """Return the coverage of the upper and of the lower side, or the one of both."""
    if isinstance(gamma, dict) and "upper" in gamma:
        return [gamma["upper"], gamma["lower"]]
    return [gamma]


def defaults_of(definition: dict) -> dict:
    """Return the defaults of a part of the schema."""
    properties = definition["properties"]
    return {key: each["default"] for key, each in properties.items() if "default" in each}


def without_repeats(entries: Iterable) -> list:
    """Return entries of builtin types, each once, in their first order."""
    found = []
    for each in entries:
        if each not in found:
            found.append(each)
    return found
