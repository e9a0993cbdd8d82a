"""A config's settings, complete: with the defaults of keys, and those that depend on others."""

from collections.abc import Iterable

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.levels import rational
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful
from fidelity_study.ask.embedded import EMBEDDED, PACKAGED
from fidelity_study.config import keys
from fidelity_study.config.names import names_of, noun_of
from fidelity_study.config.prompts import prompts_of
from fidelity_study.reading.settings import NUMBERS, POINTS, has_curves, has_own_unasked
from fidelity_study.tables.common import KINDS, headline_set
from fidelity_study.tables.ingest import NO_CLUSTER

BESIDE_ENVELOPE = [0.5]
OF_TESTS = ("alpha", "power", "effect")
OWN_KEYS = (*OF_TESTS, "tolerance")
PREFERRED_SETS = [
    ["bernoulli_kl", "clopper_pearson", "witness"],
    ["hoeffding", "witness"],
    ["multinomial_kl_paper", "witness"],
    ["multinomial_kl_paper", "multinomial_kl"],
    ["empirical_bernstein"],
    ["bootstrap_percentile", "bootstrap_bca"],
    ["w1"],
    ["w1_sigma"],
]


def complete_dataset(
    config: dict, settings: dict, name: str, figures: list[str], words: dict
) -> dict:
    """Return a dataset's settings: its own, before those of the whole config, before defaults.

    ``settings`` have a cluster and simulators; ``figures`` are those to draw by default; ``words``
    those of the dataset's room.
    """
    kind, common = settings["outcome"]["kind"], keys.Dataset.schema["properties"]
    grid = _grid({**config.get("grid", {}), **settings.get("grid", {})}, kind)
    comparison = {
        "n": grid["n"][-1:],
        "gamma": sides(grid["gamma"][0])[:1],
        "alpha": grid["eta"],
        **keys.Comparison.defaults(),
        **config.get("comparison", {}),
        **settings.get("comparison", {}),
    }
    return {
        "title": name,
        "weighting_effect": None,
        "figures": figures,
        "unasked": has_own_unasked(settings),
        **keys.Dataset.defaults(),
        **settings,
        "curves": has_curves(settings),
        "groups": list(settings.get("groups", [])),
        "by_respondent": bool(settings.get("correct") or settings.get("regressions"))
        or "hybrids" in settings,
        **_cluster(settings, words),
        **_asked(settings, words),
        "noun": noun_of(settings, words),
        "about": {**words.get("about", {}), **settings.get("about", {})},
        **_target(settings.get("target")),
        "effects": _complete(keys.Effects, settings.get("effects")),
        "calibration": _complete(keys.Calibration, settings.get("calibration")),
        "uses": _uses(settings.get("uses", [])),
        "plan": _plan(settings, grid),
        "sequential": _sequential(settings),
        "predict": _predict(settings, grid),
        "correct": _corrections(settings),
        "hybrids": _hybrids(settings),
        "options": {key: value for key, value in settings.items() if key not in common},
        "grid": grid,
        "comparison": {key: value for key, value in comparison.items() if key not in OWN_KEYS},
        "test": {key: comparison[key] for key in OF_TESTS},
        "tolerance": _tolerance(settings, comparison),
    }


def _uses(chosen: list | dict) -> dict:
    """Return which uses are declared, and the limits of those that have one."""
    limits = chosen if isinstance(chosen, dict) else {}
    return {
        "declared": list(chosen),
        "limits": {name: limit for name, limit in limits.items() if limit is not None},
    }


def _tolerance(settings: dict, comparison: dict) -> dict[str, list[float]]:
    """Return the tolerances that are named, and that a conjoint has none where none is.

    Shares of a conjoint's levels lie near those of a coin, so that a usual tolerance tells nothing.
    """
    is_conjoint = bool((settings.get("effects") or {}).get("attributes"))
    return {key: [] for key in (DISCREPANCIES if is_conjoint else ())} | {
        name: tolerance if isinstance(tolerance, list) else [tolerance]
        for name, tolerance in comparison["tolerance"].items()
    }


def complete_evaluation(settings: dict, name: str) -> dict:
    """Return an evaluation's settings, before defaults."""
    chosen = {**keys.Evaluation.defaults(), **settings}
    named = dict.fromkeys(keys.Eval.schema["properties"])
    return {
        "title": name,
        "baseline": None,
        "margin": None,
        **chosen,
        "test": {"effect": None, **keys.Power.defaults(), **chosen["power"]},
        "evals": {
            eval_name: {**named, **keys.Eval.defaults(), **eval_settings}
            for eval_name, eval_settings in chosen["evals"].items()
        },
    }


def complete_model(settings: dict) -> dict:
    """Return how a language model is reached; the embedded one has a name by default."""
    embedded = {"model": PACKAGED} if settings["endpoint"] == EMBEDDED else {}
    return {**embedded, **keys.Model.defaults(), **settings}


def _complete(mapping: type[keys.Keys], settings: dict | None) -> dict | None:
    """Return settings before defaults; nothing where there are none."""
    return None if settings is None else {**mapping.defaults(), **settings}


def _grid(chosen: dict, kind: str) -> dict:
    """Return a dataset's grid, with the sets of each discrepancy, and those that pairs have."""
    usual = [] if kind in POINTS else [default_discrepancy(kind)]
    grid = {"discrepancy": usual, **keys.Grid.defaults(), **chosen}
    gamma = [keys.ENVELOPE] if grid["gamma"] == keys.ENVELOPE else grid["gamma"]
    fixed = [coverage for coverage in gamma if coverage != keys.ENVELOPE]
    pairs = _pairs(grid, kind)
    return grid | {
        "gamma": fixed or BESIDE_ENVELOPE,
        "envelope": keys.ENVELOPE in gamma,
        "pairs": pairs,
        "compared": {discrepancy: _compared(sets) for discrepancy, sets in pairs.items()},
    }


def _cluster(settings: dict, words: dict) -> dict:
    """Return what groups the scenarios, and whether it makes them clusters.

    Without clusters, baselines still learn from the scenarios that the room's first cluster groups.
    """
    chosen, first = settings["cluster"], [*words.get("clusters", []), NO_CLUSTER][0]
    return {"cluster": first if chosen == NO_CLUSTER else chosen, "clustered": chosen != NO_CLUSTER}


def _asked(settings: dict, words: dict) -> dict:
    """Return a dataset's simulators, complete with those that are asked, their names, and how."""
    simulate, usual = settings.get("simulate", {}), keys.Asking.defaults()
    simulators = without_repeats([*settings["simulators"], *simulate])
    return {
        "simulators": simulators,
        "names": names_of(settings, simulators, words.get("simulators", {})),
        "asked": list(simulate),
        "simulate": {name: {**usual, **asking} for name, asking in simulate.items()},
        "prompted": prompts_of(simulate),
    }


def _plan(settings: dict, grid: dict) -> dict | None:
    """Return what is planned, complete, for the part of the grid that plans can be made for.

    That are coverages which are the same everywhere, and sets that bound the discrepancies that are
    planned, without drawing.
    """
    if (plan := _complete(keys.Plan, settings.get("plan"))) is None:
        return None
    sets = {name: _not_drawing(grid, name) for name in discrepancies_with("is_planned")}
    upper = (sides(gamma)[0] for gamma in grid["gamma"])
    return plan | {
        "costs": {**keys.Costs.defaults(), **plan["costs"]},
        "pairs": {name: sets[name] for name in grid["pairs"] if sets.get(name)},
        "gamma": without_repeats(coverage for coverage in upper if not isinstance(coverage, dict)),
    }


def _sequential(settings: dict) -> dict | None:
    """Return what is known of the order; nothing if the study isn't looked at while data come in.

    The column of the order is the room's key, where the room has one.
    """
    if "sequential" not in settings:
        return None
    return {"at_random": None, "order": settings.get("order"), **settings["sequential"]}


def _target(target: dict | None) -> dict:
    """Return the shares of clusters, or the questions, that a study is about."""
    is_file = isinstance((target or {}).get("questions"), str)
    return {"target": None if is_file else target, "target_questions": target if is_file else None}


def _predict(settings: dict, grid: dict) -> dict | None:
    """Return how questions that nobody was asked are predicted, complete.

    By the discrepancies that turn into ranges of shares or means, and one set of each.
    """
    if (predict := _complete(keys.Predict, settings.get("predict"))) is None:
        return None
    usual = dict.fromkeys(keys.Predict.schema["properties"])
    sets = {
        name: headline_set(_not_drawing(grid, name))
        for name in grid["pairs"]
        if name in predicted_by(settings["outcome"]["kind"])
    }
    return {
        **usual,
        "gamma": float(1 - rational(predict["alpha"]) / 2),
        **predict,
        "pairs": {name: [set_name] for name, set_name in sets.items() if set_name},
    }


def default_discrepancy(kind: str) -> str:
    """Return the discrepancy that an outcome kind is measured by where a config names none."""
    return next(
        name for name, discrepancy in DISCREPANCIES.items() if kind in discrepancy.default_for
    )


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


def _hybrids(settings: dict) -> dict | None:
    """Return how many people hybrids see, in growing order; nothing if there are to be none."""
    hybrids = _complete(keys.Hybrids, settings.get("hybrids"))
    return hybrids and {"sizes": sorted(hybrids["sizes"])}


def _not_drawing(grid: dict, discrepancy: str) -> list[str]:
    """Return the confidence sets of a discrepancy that don't draw random numbers."""
    return [
        set_name
        for set_name in grid["pairs"].get(discrepancy, [])
        if not CONFIDENCE_SETS[set_name].draws
    ]


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
    smaller = [set_name for set_name in sets if set_name in ("multinomial_kl", "witness")]
    return (
        [set_name for set_name in sets if set_name != "multinomial_kl_paper"] if smaller else sets
    )


def _default_sets(discrepancy: str, kind: str) -> list[str]:
    """Return the first preferred sets that all bound the discrepancy for the outcome kind."""
    for sets in PREFERRED_SETS:
        if all(meaningful(set_name, discrepancy, kind) for set_name in sets):
            return sets
    return ["witness"]


def sides(gamma: float | dict) -> list:
    """Return the coverage of the upper and of the lower side, or the one of both."""
    if isinstance(gamma, dict) and "upper" in gamma:
        return [gamma["upper"], gamma["lower"]]
    return [gamma]


def without_repeats(entries: Iterable) -> list:
    """Return entries of builtin types, each once, in their first order."""
    distinct = []
    for entry in entries:
        if entry not in distinct:
            distinct.append(entry)
    return distinct
