"""Which settings of a config, each sound by itself, don't fit each other, or what there is."""

import json
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fidelity.baselines.base import BASELINES
from fidelity.discrepancies.base import DISCREPANCIES, discrepancies_with
from fidelity.prediction.conformal import allowed_miss
from fidelity.sets.base import CONFIDENCE_SETS
from fidelity.sets.bounds import meaningful
from fidelity.sets.gamma import parse_sides
from fidelity_study.ask.prompts import POPULATION
from fidelity_study.config.defaults import predicted_by, sides, without_repeats
from fidelity_study.config.project import TABULAR, room_words, rooms
from fidelity_study.config.texts import said
from fidelity_study.config.tolerances import tolerance_fault
from fidelity_study.errors import Fault, there_are
from fidelity_study.reading.evals.files import files_of, missing_patterns
from fidelity_study.reading.settings import NUMBERS, POINTS, has_curves
from fidelity_study.reading.tabular.files import missing_files
from fidelity_study.tables.ingest import NO_CLUSTER

RESTS_ON = {
    "datasets.*.comparison.n": ("grid.n", "comparison.n"),
    "datasets.*.comparison.gamma": ("grid.gamma", "comparison.gamma"),
    "datasets.*.comparison.replicates": ("grid.replicates", "comparison.replicates"),
    "datasets.*.comparison.power": ("comparison.alpha", "comparison.power"),
    "datasets.*.comparison.tolerance.*": ("comparison.tolerance", "grid.discrepancy", "outcome"),
    "datasets.*.grid.confidence_set": ("grid.discrepancy", "grid.confidence_set"),
    "datasets.*.grid.k": ("draws", "grid.k"),
    "datasets.*.outcome.sigma": ("outcome", "grid"),
    "datasets.*.plan": ("grid", "plan"),
    "datasets.*.sequential": ("grid", "curves", "outcome"),
    "datasets.*.predict": ("grid", "predict"),
    "datasets.*.hybrids": ("grid.discrepancy", "hybrids"),
    "datasets.*.simulate.*": ("models", "prompts"),
}
LOG_PROBABILITIES = {"logprobs", "top_logprobs"}


def faults_between(
    datasets: dict,
    models: dict,
    figures: list[str],
    refused: frozenset[str] = frozenset(),
    evaluations: Mapping[str, dict] = MappingProxyType({}),
    of_prompts: Iterable[Fault] = (),
) -> list[Fault]:
    """Return the faults.

    Args:
        datasets: name -> settings, complete.
        models: name -> how a language model is reached, complete.
        figures: the names of all figures that there are.
        refused: where settings were refused before; faults that rest on these are left out.
        evaluations: name -> settings, complete.
        of_prompts: faults of prompts, which were found before.
    """
    faults = [*of_prompts]
    for name, settings in datasets.items():
        faults += _Dataset(name, settings).faults(models, figures)
    faults += [*_of_names(datasets, evaluations), *_of_models(models)]
    faults += _of_evaluations(evaluations)
    return [fault for fault in faults if not _rests_on(fault.place.key, refused)]


def _rests_on(place: str, refused: frozenset[str]) -> bool:
    """Return whether a fault at a key may come from a default in place of what was refused."""
    dataset = ".".join(place.split(".")[:2])
    others = (keys for pattern, keys in RESTS_ON.items() if fnmatchcase(place, pattern))
    places = [
        f"{prefix}{key}." for keys in others for key in keys for prefix in ("", f"{dataset}.")
    ]
    return any(
        f"{key}.".startswith(place) or place.startswith(f"{key}.")
        for key in refused
        for place in places
    )


def _first(key: str, codes: Mapping[str, object], **values: Any) -> Iterator[Fault]:
    """Yield the first fault, by its code, that there is."""
    yield from (said(code, key, **values) for code in [code for code in codes if codes[code]][:1])


class _Dataset:
    """The settings of a dataset, complete, and what doesn't fit."""

    def __init__(self, name: str, settings: dict):
        self.place, self.settings = f"datasets.{name}", settings
        self.grid, self.kind = settings["grid"], settings["outcome"]["kind"]
        self.pairs: dict[str, list[str]] = self.grid["pairs"]
        self.is_number, self.is_flat = self.kind in NUMBERS, not settings["curves"]
        self.used, self.named = ", ".join(self.pairs), ", ".join(self.grid["discrepancy"])

    def faults(self, models: dict, figures: list[str]) -> Iterator[Fault]:
        """Yield the faults of a dataset."""
        yield from self._names(figures)
        yield from self._curves()
        yield from self._grid()
        yield from self._coverages()
        yield from self._comparison()
        yield from self._asked(models)
        yield from self._plan()
        yield from self._sequential()
        yield from self._predict()
        yield from self._correct()
        yield from self._hybrids()
        yield from self._effects()

    def _say(self, code: str, key: str, /, **values: Any) -> Fault:
        return said(code, f"{self.place}.{key}", kind=self.kind, **values)

    def _first_of(self, key: str, codes: Mapping[str, object], **values: Any) -> Iterator[Fault]:
        yield from _first(f"{self.place}.{key}", codes, kind=self.kind, used=self.used, **values)

    def _names(self, figures: list[str]) -> Iterator[Fault]:
        """Say which names are not known, and which simulators a reader could not tell apart."""
        settings, words = self.settings, room_words(self.settings["ingest"])
        clusters = [*words.get("clusters", []), NO_CLUSTER]
        simulators = without_repeats([*words.get("simulators", []), *BASELINES])
        listed = [name for name in settings["simulators"] if name not in settings["asked"]]
        for code, key, names, known in (
            ("unknown-room", "ingest", [settings["ingest"]], rooms()),
            ("unknown-figure", "figures", settings["figures"], figures),
            ("unknown-cluster", "cluster", [settings["cluster"]] * ("clusters" in words), clusters),
            ("unknown-simulator", "simulators", listed * ("simulators" in words), simulators),
        ):
            for name in names:
                if name not in known:
                    yield self._say(code, key, name=name, there=there_are(name, known))
        first: dict[str, str] = {}
        for name, naming in settings["names"].items():
            other, label = first.setdefault(naming["label"], name), naming["label"]
            if other != name:
                yield self._say("label-twice", "simulators", other=other, name=name, label=label)

    def _curves(self) -> Iterator[Fault]:
        settings = self.settings
        options = {**settings["options"], "outcome": settings["outcome"]}
        if settings["curves"] and not has_curves(options):
            yield self._say("curves-of-numbers", "curves")
        if self.kind in POINTS:
            for key in ("simulate", "calibration"):
                if settings[key]:
                    yield self._say("points-have-no-options", key, key=key)
        if settings["plan"] is not None and self.is_flat:
            yield self._say("plan-without-curves", "plan")
        if settings["target"] and not any(settings["target"].values()):
            yield self._say("shares-all-zero", "target")
        if asked := settings["target_questions"]:
            yield from missing_files(f"{self.place}.target", [asked["questions"]])
            if settings["groups"]:
                yield self._say("target-groups", "target")

    def _grid(self) -> Iterator[Fault]:
        grid, draws = self.grid, self.settings["draws"]
        if {*self.pairs} != {*grid["discrepancy"]}:
            values = {"used": self.used, "named": self.named}
            yield self._say("sets-of-other-discrepancies", "grid.confidence_set", **values)
        for name, sets in self.pairs.items():
            working = [
                set_name for set_name in CONFIDENCE_SETS if meaningful(set_name, name, self.kind)
            ]
            works = f"use {', '.join(working)}" if working else "use another discrepancy"
            for set_name in sets:
                if set_name not in working:
                    values = {"name": set_name, "discrepancy": name, "works": works}
                    yield self._say("set-does-not-bound", "grid.confidence_set", **values)
        sigma = self.settings["outcome"].get("sigma")
        used = {name for sets in self.pairs.values() for name in sets if name in CONFIDENCE_SETS}
        balls = [name for name in sorted(used) if CONFIDENCE_SETS[name].ball == "w1"]
        if self.kind == "real" and balls and sigma is None:
            yield self._say("sigma-missing", "outcome.sigma", sets=", ".join(balls))
        if self.kind != "real" and sigma is not None:
            yield self._say("sigma-of-others", "outcome.sigma", outcome=self.kind)
        if self.kind == "real" and 1 in grid["n"]:
            yield self._say("n-too-small", "grid.n")
        for k in grid["k"]:
            if k != "all" and k > draws:
                yield self._say("k-above-draws", "grid.k", k=k, draws=draws)

    def _coverages(self) -> Iterator[Fault]:
        labels = []
        for gamma in self.grid["gamma"]:
            try:
                labels.append(parse_sides(gamma).label)
            except ValueError as error:
                yield self._say("malformed-gamma", "grid.gamma", why=error)
        for label in sorted({label for label in labels if labels.count(label) > 1}):
            yield self._say("gamma-twice", "grid.gamma", label=label)

    def _comparison(self) -> Iterator[Fault]:
        settings, grid = self.settings, self.grid
        comparison = settings["comparison"]
        gamma = [side for coverage in grid["gamma"] for side in sides(coverage)]
        for key, known in (("n", grid["n"]), ("gamma", gamma)):
            for value in comparison[key]:
                if value not in known:
                    values = {"value": value, "key": key, "known": grid[key]}
                    yield self._say("not-in-grid", f"comparison.{key}", **values)
        wanted, replicates = comparison["replicates"], grid["replicates"]
        if wanted > replicates:
            yield self._say(
                "more-replicates", "comparison.replicates", wanted=wanted, known=replicates
            )
        yield from _of_power(settings["test"], self.place, "comparison")
        usual = settings["ingest"] == TABULAR
        for name in [name for name in settings["tolerance"] if name in self.pairs]:
            for tolerance in settings["tolerance"][name]:
                if why := tolerance_fault(name, tolerance, settings["outcome"], usual=usual):
                    yield self._say("vacuous-tolerance", f"comparison.tolerance.{name}", why=why)

    def _asked(self, models: dict) -> Iterator[Fault]:
        if self.settings["asked"] and self.is_number:
            yield self._say("simulate-numbers", "simulate")
        for name, asking in self.settings["simulate"].items():
            place = f"{self.place}.simulate.{asking.get('stem', name)}"
            yield from _of_model(place, asking, models)
            if name in BASELINES:
                yield said("model-called-baseline", place, name=name)
            if "wording" not in asking:
                yield from _of_template(f"{place}.prompt", asking)
            if asking["mode"] == "probabilities" and asking["draws"] > 1:
                yield said("draws-of-probabilities", f"{place}.draws")

    def _sequential(self) -> Iterator[Fault]:
        limited = [
            name
            for name, discrepancy in DISCREPANCIES.items()
            if discrepancy.has_limits and discrepancy.is_for(self.kind)
        ]
        if self.settings["sequential"] is not None:
            yield from self._first_of(
                "sequential",
                {
                    "sequential-without-curves": self.is_flat,
                    "sequential-real": self.kind == "real",
                    "sequential-unlimited": not {*limited} & self.pairs.keys(),
                },
                limited=", ".join(limited),
            )

    def _correct(self) -> Iterator[Fault]:
        chosen = self.settings["correct"]
        tested = [name for name in self.settings["simulators"] if name not in BASELINES]
        if chosen:
            yield from self._first_of(
                "correct",
                {
                    "correct-numbers": self.is_number,
                    "correct-without-curves": self.is_flat,
                    "correct-baselines": not tested,
                    "stacked-alone": "stacked" in chosen and len(tested) == 1,
                },
                alone=tested[:1] and tested[0],
            )

    def _effects(self) -> Iterator[Fault]:
        effects = self.settings["effects"]
        if effects is None:
            return
        of_conditions = [key for key in ("condition", "control", "moderators") if effects.get(key)]
        unknown = [name for name in effects["bases"] if name not in effects["attributes"]]
        yield from self._first_of(
            "effects",
            {
                "effects-two-designs": effects["attributes"] and of_conditions,
                "effects-of-files": effects["attributes"] and self.settings["ingest"] != TABULAR,
                "effects-bases": unknown,
                "effects-nothing": not effects["attributes"]
                and not {"condition", "control"} <= {*of_conditions},
            },
            other=of_conditions and of_conditions[0],
            name=unknown and unknown[0],
        )
        if effects["attributes"] or "condition" not in effects:
            return
        for key, names in (
            ("condition", [effects["condition"]]),
            ("moderators", effects["moderators"]),
        ):
            for name in names:
                if name not in self.settings["groups"]:
                    yield self._say("effects-groups", f"effects.{key}", name=name)

    def _hybrids(self) -> Iterator[Fault]:
        measures = [DISCREPANCIES[name] for name in self.pairs]
        if self.settings["hybrids"] is not None:
            yield from self._first_of(
                "hybrids",
                {
                    "hybrids-numbers": self.is_number,
                    "hybrids-without-curves": self.is_flat,
                    "hybrids-infinite": all(
                        measure.is_parameter or measure.infinite_at_zero for measure in measures
                    ),
                },
            )

    def _plan(self) -> Iterator[Fault]:
        plan, planned = self.settings["plan"], discrepancies_with("is_planned")
        if plan is None:
            return
        chosen = [name for name in self.pairs if name in planned]
        others = {
            "plan-numbers": self.is_number,
            "plan-discrepancies": not chosen,
            "plan-sets": not plan["pairs"],
            "plan-gamma": not plan["gamma"],
        }
        yield from self._first_of(
            "plan", others, planned=", ".join(planned), named=self.named, chosen=", ".join(chosen)
        )
        if not any([*others.values(), *plan["costs"].values()]):
            yield self._say("plan-costs", "plan.costs")

    def _predict(self) -> Iterator[Fault]:
        predict, ingest = self.settings["predict"], self.settings["ingest"]
        if predict is None:
            return
        yield from self._first_of(
            "predict",
            {
                "predict-real": self.kind == "real",
                "predict-without-curves": self.is_flat,
                "predict-nothing": not predict["pairs"],
            },
            predicted=", ".join(predicted_by(self.kind)),
        )
        if predict["questions"] is None and ingest != TABULAR:
            yield self._say("predict-files", "predict", ingest=ingest)
        if self.settings["options"].get("groups"):
            yield self._say("predict-groups", "predict")
        files = [predict[key] for key in ("questions", "scenarios") if predict[key] is not None]
        yield from missing_files(f"{self.place}.predict", files)
        alpha, gamma = predict["alpha"], predict["gamma"]
        if allowed_miss(alpha=alpha, gamma=gamma, same_people=True) <= 0:
            yield self._say("predict-gamma", "predict.gamma", gamma=gamma, least=1 - alpha)
        if "weighted" in (predict["statement"] or []) and predict["weights"] is None:
            yield self._say("predict-weights", "predict.statement")


def _of_power(test: dict, place: str, where: str) -> Iterator[Fault]:
    if test["power"] <= test["alpha"]:
        yield said("power-below-alpha", f"{place}.{where}.power", where=where, **test)


def _of_model(place: str, asking: dict, models: dict) -> Iterator[Fault]:
    """Say what the model of a simulator lacks."""
    name = asking["model"]
    if name not in models:
        yield said("unknown-model", f"{place}.model", name=name, there=there_are(name, models))
    elif "cost" in asking["budget"] and not models[name]["price"]:
        yield said("no-price", f"{place}.budget.cost", model=name)
    extra = models.get(name, {}).get("extra", {})
    limits = {"max_tokens": 1, **extra}
    if asking["budget"] and not (limits["max_tokens"] or limits.get("max_completion_tokens")):
        yield said("no-token-limit", f"models.{name}.extra.max_tokens", where=place)
    for key in extra.keys() & LOG_PROBABILITIES:
        if asking["mode"] == "probabilities" and not extra[key]:
            yield said("no-logprobs", f"models.{name}.extra.{key}", where=place, key=key)


def _of_template(place: str, asking: dict) -> Iterator[Fault]:
    for part in ("{question}", "{options}"):
        if part not in asking["prompt"]:
            yield said("no-placeholder", place, part=part)
    if "{population}" in asking["prompt"] and asking["mode"] != POPULATION:
        yield said("population-in-other-mode", place, who="")


def _of_names(datasets: dict, evaluations: Mapping[str, dict]) -> Iterator[Fault]:
    """Say which names are the same to some file systems."""
    folders: dict[str, tuple[str, str]] = {}
    kinds = {"datasets": datasets, "evaluations": evaluations}
    for key, name in [(key, name) for key, names in kinds.items() for name in names]:
        other, kind = folders.setdefault(name.casefold(), (name, key))
        if other != name:
            yield said("same-name-but-capitals", key, other=other, name=name)
        elif kind != key:
            what = f"{kind} have this name, too, and so one folder"
            yield said("same-name", f"{key}.{name}", what=what)


def _of_models(models: dict) -> Iterator[Fault]:
    for name, model in models.items():
        if "model" not in model:
            yield said("model-missing", f"models.{name}")
        try:
            json.dumps(model.get("extra", {}), allow_nan=False)
        except (TypeError, ValueError) as error:
            yield said("extra-not-json", f"models.{name}.extra", error=error)


def _of_evaluations(evaluations: Mapping[str, dict]) -> Iterator[Fault]:
    for name, settings in evaluations.items():
        place, effect = f"evaluations.{name}", settings["test"]["effect"]
        yield from _of_power(settings["test"], place, "power")
        if settings["margin"] is not None and settings["baseline"] is None:
            yield said("margin-without-baseline", f"{place}.margin")
        most = max(
            abs(eval_settings["range"][1] - eval_settings["range"][0])
            for eval_settings in settings["evals"].values()
        )
        if effect is not None and effect > most:
            yield said("effect-too-large", f"{place}.power.effect", effect=effect, most=most)
        for key, eval_settings in settings["evals"].items():
            yield from _of_eval(f"{place}.evals.{key}", eval_settings)


def _of_eval(place: str, eval_settings: dict) -> Iterator[Fault]:
    for pattern in missing_patterns(eval_settings):
        yield said("no-file", f"{place}.files", pattern=pattern, folder=Path.cwd())
    for path in [path for path in files_of(eval_settings) if "{" in path or "}" in path][:1]:
        yield said("brace-in-path", f"{place}.files", path=path)
    if eval_settings["range"][0] >= eval_settings["range"][1]:
        yield said("range-not-ascending", f"{place}.range", range=eval_settings["range"])
