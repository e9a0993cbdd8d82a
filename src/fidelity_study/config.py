"""The config: checked against its schema, completed with defaults, and cut up for the rules."""

import fnmatch
import json
import sys
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from urllib.parse import quote

import jsonschema
import yaml

from fidelity.confidence_set import CONFIDENCE_SETS, meaningful
from fidelity.coverage import parse_sides
from fidelity.pilot import PLANNED
from fidelity.populations import POPULATIONS
from fidelity_study.ask.embedded import EMBEDDED, EXTRA, PACKAGED
from fidelity_study.config_content import content_faults, shortened
from fidelity_study.digest import digest
from fidelity_study.errors import DataError

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "workflow" / "schemas" / "config.schema.yaml"
CAPTIONS = ROOT / "workflow" / "report" / "captions.yaml"
FIGURES = ROOT / "src" / "fidelity_study" / "figures"
ROOMS = ROOT / "workflow" / "datasets"

DEFAULT_DISCREPANCY = {
    "binary": "absolute",
    "ordinal": "squared",
    "categorical": "tv",
    "bounded": "absolute",
    "real": "absolute",
}
PREFERRED_SETS = [
    ["bernoulli_kl", "clopper_pearson", "witness"],
    ["hoeffding", "witness"],
    ["multinomial_kl_paper", "witness"],
    ["multinomial_kl_paper", "multinomial_kl"],
    ["empirical_bernstein"],
    ["bootstrap_percentile", "bootstrap_bca"],
    ["w1"],
]
NEEDS = {
    "ingest": "seed outcome cluster simulators draws design_effect options",
    "answers": "asked",
    "bootstrap": "seed n replicates",
    "bootstrap_simulators": "seed simulators k replicates",
    "confidence_set": "seed n gamma pairs",
    "pseudo_discrepancy": "pairs smoothed",
    "quantile": "n gamma index",
    "guarantee": "seed n gamma index target",
    "sample_size": "seed simulators",
    "nonresponse": "simulators asked",
    "summary": "n",
    "pairwise": "simulators compared comparison smoothed",
    "comparison": "comparison index",
    "error_bars": "seed",
    "variance": "seed pairs smoothed",
    "calibration": "seed simulators calibration",
    "intervals": "simulators calibration",
    "plan": "simulators plan",
    "findings": "title cluster simulators n gamma pairs comparison design_effect smoothed plan",
    "figure": "title simulators n gamma pairs comparison design_effect smoothed plan",
}
ASKS = ["mode", "personas", "draws", "temperature", "max_tokens", "system", "prompt"]
LOG_PROBABILITIES = {"logprobs", "top_logprobs"}
RUNS = ["endpoint", "model", "key_variable", "concurrency", "timeout", "retries", "price"]

EACH_DATASET = [
    "outcomes.parquet",
    "scenarios.parquet",
    "stated.parquet",
    "stated_by_persona.parquet",
    "missing.parquet",
    "personas.parquet",
    "nonresponse.csv",
    "bootstrap/simulators.parquet",
    "comparison/curves.parquet",
    "comparison/means.parquet",
    "comparison/differences.parquet",
    "comparison/ranks.parquet",
    "comparison/variance.parquet",
    "sample_size.parquet",
]
EACH_N = [
    "bootstrap/n{n}.parquet",
    "confidence_set/n{n}.parquet",
    "pseudo_discrepancy/n{n}.parquet",
    "quantile/n{n}.parquet",
    "quantile/summary_n{n}.parquet",
]

OF_OPTIONS, OF_NUMBERS = "options", "numbers"
CALIBRATED = {OF_OPTIONS: ["scores", "reliability"], OF_NUMBERS: ["intervals"]}
OF_PLAN = ["plans", "iso_width"]
LAST_N = ["guarantee/n{n}.parquet", "guarantee/levels_n{n}.parquet"]

LARGEST = sys.float_info.max


def _unique_items(validator, unique: bool, items: object, schema: dict) -> Iterator:
    """Say that a list holds something twice; in a time that grows with it, not with its square."""
    if unique and isinstance(items, list):
        distinct = {
            (isinstance(each, bool), each) if isinstance(each, (str, int, float)) else repr(each)
            for each in items
        }
        if len(distinct) < len(items):
            yield jsonschema.ValidationError("something is there twice")


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"uniqueItems": _unique_items},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: type(value) is int and abs(value) <= LARGEST,
            "number": lambda _, value: type(value) in (int, float) and abs(value) <= LARGEST,
        }
    ),
)


class Study:
    """A checked config with every default filled in.

    Attributes:
        seed: of all random draws.
        data_mirror: a local folder of files that would else be downloaded, or None.
        audit: what is audited: populations, their size, replicates, studies, tests.
        datasets: name -> settings, where ``grid`` and ``comparison`` are the dataset's own and
            complete, and ``grid.pairs`` maps each discrepancy to its confidence sets.
    """

    def __init__(self, config: dict):
        """Check ``config``; raise DataError with all its faults, one line each."""
        schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
        faults = list(content_faults(config))
        if not faults:
            faults = _without_repeats(_schema_faults(config, _with_room_keys(schema, config)))
        if not faults:
            self.seed = config.get("seed", schema["properties"]["seed"]["default"])
            self.data_mirror = config.get("data_mirror")
            self.audit = _audit(config, schema)
            self.models = {
                name: {"model": PACKAGED, **_defaults(schema["$defs"]["model"]), **settings}
                for name, settings in config.get("models", {}).items()
            }
            self.datasets = {
                name: _complete(config, settings, name, schema)
                for name, settings in config["datasets"].items()
            }
            for name, settings in self.datasets.items():
                faults += _dataset_faults(name, settings)
                faults += _simulate_faults(name, settings, self.models)
                faults += _plan_faults(name, settings)
            faults += _name_faults(self.datasets)
            faults += _model_faults(config.get("models", {}))
            faults += _audit_faults(self.audit)
        if faults:
            raise DataError("\n".join(faults))

    def rooms(self) -> list[str]:
        """Return the folders below workflow/datasets that this study reads with."""
        return sorted({settings["ingest"] for settings in self.datasets.values()})

    def datasets_of(self, room: str) -> str:
        """Return a pattern that matches the datasets which a room reads."""
        return "|".join(name for name, each in self.datasets.items() if each["ingest"] == room)

    def resources(self, dataset: str, pattern: str = "*") -> list[str]:
        """Return the paths of the files from elsewhere whose name in sources.yaml fits."""
        room = self.datasets[dataset]["ingest"]
        return [
            f"resources/{room}/{name}" for name in fnmatch.filter(_sources(room)["files"], pattern)
        ]

    def fetch_step(self, room: str, file: str) -> dict:
        """Return where a file from elsewhere is, and the checksum, which alone says what it is.

        So that no edit of a script fetches it again.
        """
        sources = _sources(room)
        if file not in sources["files"]:
            raise DataError(f"{file} is not in {ROOMS / room / 'sources.yaml'}")
        source = sources["files"][file]
        return {
            "room": room,
            "file": file,
            "url": sources["url"] + quote(source["path"]),
            "sha256": source["sha256"],
        }

    def paths(self, dataset: str, name: str) -> list[str]:
        """Return the paths of a table that is made for each n of the grid."""
        return _paths(dataset, name, self.datasets[dataset]["grid"]["n"])

    def last_path(self, dataset: str, name: str) -> str:
        """Return the path of a table that is made for the last n of the grid only."""
        return self.paths(dataset, name)[-1]

    def tables(self) -> list[str]:
        """Return the paths of every table between the steps.

        A study asks for all of them: a table that a failed or interrupted job left missing is then
        made again, even if what follows from it is still there.
        """
        found = []
        for dataset in self.datasets:
            found += [f"results/{dataset}/{name}" for name in EACH_DATASET]
            for name in EACH_N:
                found += self.paths(dataset, name)
            found += self.asked_paths(dataset)
            for name in ("outcomes", "stated", "stated_by_persona", "missing"):
                found += self.answers(dataset, name)[1:]
            found += self.calibration_paths(dataset)
            found += self.plan_paths(dataset)
            found += self.compared_paths(dataset, "pairwise/n{n}.parquet")
            found += [self.last_path(dataset, name) for name in LAST_N]
        return found

    def audited(self) -> list[str]:
        """Return the populations that are audited: those of an outcome kind in use, if not told."""
        if self.audit["populations"] is not None:
            return self.audit["populations"]
        kinds = {settings["outcome"]["kind"] for settings in self.datasets.values()}
        return [name for name, each in POPULATIONS.items() if each.kind in kinds]

    def audit_step(self, script: str, population: str | None = None) -> dict:
        """Return what an audit depends on; see :meth:`step`.

        Audited are the confidence sets, discrepancies and coverages that the datasets use, as far
        as they make sense for the population's outcome kind.
        """
        grids = [settings["grid"] for settings in self.datasets.values()]
        step = {
            "digest": digest(ROOT / script),
            "seed": self.seed,
            **{key: self.audit[key] for key in ("scenarios", "replicates", "studies")},
            "gamma": _without_repeats(gamma for grid in grids for gamma in grid["gamma"]),
        }
        if population is not None:
            kind = POPULATIONS[population].kind
            used = _without_repeats(
                [chosen, discrepancy]
                for grid in grids
                for discrepancy, sets in grid["pairs"].items()
                for chosen in sets
            )
            pairs = [pair for pair in used if meaningful(*pair, kind)]
            step |= {"population": population, "pairs": pairs}
        return step

    def calibration_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of calibration, none if the config doesn't want them."""
        names = CALIBRATED.get(_calibrated(self.datasets[dataset]), [])
        return [f"results/{dataset}/calibration/{name}.parquet" for name in names]

    def calibration_reports(self) -> list[str]:
        """Return the paths of the tables of calibration that the report shows."""
        found = (self.calibration_paths(dataset)[:1] for dataset in self.datasets)
        return [str(Path(path).with_suffix(".csv")) for paths in found for path in paths]

    def plan_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of a plan, none if the config doesn't want one."""
        if self.datasets[dataset]["plan"] is None:
            return []
        return [f"results/{dataset}/plan/{name}.parquet" for name in OF_PLAN]

    def answers(self, dataset: str, table: str) -> list[str]:
        """Return the paths of a table of answers: ingest's and, if models are asked, theirs."""
        asked = [f"results/{dataset}/simulate/{table}.parquet"]
        return [f"results/{dataset}/{table}.parquet", *(asked if self._asks(dataset) else [])]

    def asked(self) -> list[str]:
        """Return the simulators that are language models to ask, over all datasets."""
        return _without_repeats(name for dataset in self.datasets for name in self._asks(dataset))

    def asked_paths(self, dataset: str) -> list[str]:
        """Return the paths of the tables of raw answers of a dataset."""
        return [f"results/{dataset}/simulate/{name}.parquet" for name in self._asks(dataset)]

    def _asks(self, dataset: str) -> list[str]:
        return self.datasets[dataset]["asked"]

    def simulate_step(self, dataset: str, simulator: str) -> dict:
        """Return what asking a model depends on besides its input files; see :meth:`step`.

        ``asks`` determines the answers, ``runs`` only how they are got.
        """
        settings = self.datasets[dataset]["simulate"][simulator]
        model = self.models[settings["model"]]
        is_embedded = model["endpoint"] == EMBEDDED
        asks = {key: settings[key] for key in ASKS}
        runs = {key: model[key] for key in RUNS}
        return {
            "digest": digest(ROOT / "scripts/simulate.py"),
            "seed": self.seed,
            "dataset": dataset,
            "simulator": simulator,
            "asks": {
                **asks,
                "model": model["model"],
                "extra": {**(EXTRA if is_embedded else {}), **model["extra"]},
            },
            "runs": {**runs, "budget": settings["budget"]},
        }

    def compared_paths(self, dataset: str, name: str) -> list[str]:
        """Return the paths of a table that is made for each n in which pairs are compared."""
        return _paths(dataset, name, self.datasets[dataset]["comparison"]["n"])

    def figure_step(self, dataset: str, figure: str) -> dict:
        """Return what a figure depends on besides its input files; see :meth:`step`."""
        return {
            **self.step("scripts/figure.py", dataset),
            "figure": figure,
            "figure_digest": digest(FIGURES / f"{figure}.py"),
            "places": self.places(dataset),
            **figures()[figure],
        }

    def places(self, dataset: str) -> dict[str, int]:
        """Return where each simulator of a dataset first stands in the study, counted from 0.

        It decides on its colour, so that one simulator has one colour in all datasets.
        """
        named = [name for settings in self.datasets.values() for name in settings["simulators"]]
        place = {name: i for i, name in enumerate(dict.fromkeys(named))}
        return {name: place[name] for name in self.datasets[dataset]["simulators"]}

    def drawings(self) -> list[str]:
        """Return the paths of the figures that are wanted and have simulators enough."""
        return [
            f"results/{dataset}/figures/{figure}.{suffix}"
            for dataset, settings in self.datasets.items()
            for figure, described in _described_figures().items()
            if figure in settings["figures"]
            and described.get("calibration") in (None, _calibrated(settings))
            and (settings["plan"] or not described.get("plan"))
            and len(settings["simulators"]) >= described.get("simulators", 1)
            for suffix in ("png", "pdf")
        ]

    def report_title(self, dataset: str) -> str:
        """Return the dataset's title for the report's menu, where ``{name}`` would be a wildcard.

        An invisible word joiner after each brace keeps Snakemake from reading it as one.
        """
        return self.datasets[dataset]["title"].replace("{", "{\u2060")

    def report_step(self, config: dict, snakefile: str) -> dict:
        """Return what the report depends on besides its input files; see :meth:`step`."""
        return {
            "digest": digest(ROOT / "scripts/report.py"),
            "config": json.loads(json.dumps(config)),
            "snakefile": str(snakefile),
            "published": self.published(),
        }

    def published(self) -> dict[str, str]:
        """Return the address of each file from elsewhere that a room of this study may read."""
        return {
            f"resources/{room}/{file}": self.fetch_step(room, file)["url"]
            for room in self.rooms()
            if (ROOMS / room / "sources.yaml").exists()
            for file in _sources(room)["files"]
        }

    def step(self, script: str, dataset: str, n: str | None = None) -> dict:
        """Return all that a step depends on besides its input files.

        One dict of builtin types per rule, since Snakemake compares single params as a set; it
        holds the digest of the script and of every module that the script uses. ``n`` is the
        wildcard, for steps that run once for each n.
        """
        settings = self.datasets[dataset]
        known = {"seed": self.seed, **settings, **settings["grid"]}
        if Path(script).stem == "ingest":
            known["simulators"] = [
                name for name in settings["simulators"] if name not in settings["asked"]
            ]
        if n is not None:
            known["n"] = n if n == "all" else int(n)
        return {
            "digest": digest(ROOT / script),
            "dataset": dataset,
            **{key: known[key] for key in NEEDS[Path(script).stem].split()},
        }


@cache
def figures() -> dict[str, dict]:
    """Return the figures by name, each with the title and caption that the report shows.

    A figure is a module in ``fidelity_study.figures`` with an entry in captions.yaml; the entries
    are in the order of the report, which sorts titles as texts: so the numbers are aligned.
    """
    return {
        name: {"figure_title": f"{i:>2}. {each['title']}", "caption": each["caption"]}
        for i, (name, each) in enumerate(_described_figures().items(), start=1)
    }


@cache
def _described_figures() -> dict[str, dict]:
    return yaml.safe_load(CAPTIONS.read_text(encoding="utf-8"))


def _without_repeats(entries: Iterable) -> list:
    """Return entries of builtin types, each once, in their first order."""
    found = []
    for each in entries:
        if each not in found:
            found.append(each)
    return found


def _audit(config: dict, schema: dict) -> dict:
    properties = schema["properties"]["audit"]["properties"]
    defaults = {key: each["default"] for key, each in properties.items() if "default" in each}
    return {"populations": None, **defaults, **config.get("audit", {})}


def _audit_faults(audit: dict) -> Iterator[str]:
    for name in audit["populations"] or []:
        if name not in POPULATIONS:
            yield f"audit.populations: {name!r} is unknown; there are: {', '.join(POPULATIONS)}"


def _paths(dataset: str, name: str, ns: list) -> list[str]:
    return [f"results/{dataset}/{name.format(n=n)}" for n in ns]


def _with_room_keys(schema: dict, config: dict) -> dict:
    """Return the config's schema where each dataset may have the keys of its room, too.

    Those of a room that is not there may be any: that it is not there is what is told.
    """
    datasets = config.get("datasets") if isinstance(config, dict) else None
    own = {}
    for name, settings in datasets.items() if isinstance(datasets, dict) else ():
        room = settings.get("ingest") if isinstance(settings, dict) else None
        own[name] = schema["$defs"]["dataset"]
        if room in _rooms():
            own[name] = _merged(own[name], _room_keys(room))
        elif room is not None:
            own[name] = {**own[name], "additionalProperties": True}
    extended = {**schema["properties"]["datasets"], "properties": own}
    return {**schema, "properties": {**schema["properties"], "datasets": extended}}


def _rooms() -> list[str]:
    return sorted(folder.parent.name for folder in ROOMS.glob("*/ingest.smk"))


def _room_keys(room: str) -> dict:
    """Return the schema of the settings that only this room's ingest knows."""
    path = ROOMS / room / "options.schema.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


@cache
def _sources(room: str) -> dict:
    """Return where the files of a room come from: ``url``, and ``path`` and ``sha256`` of each."""
    return yaml.safe_load((ROOMS / room / "sources.yaml").read_text(encoding="utf-8"))


def _merged(common: dict, own: dict) -> dict:
    return {
        **common,
        "properties": {**own.get("properties", {}), **common["properties"]},
        "required": [*common["required"], *own.get("required", [])],
    }


def _schema_faults(config: dict, schema: dict) -> Iterator[str]:
    validator = Validator(schema)
    for error in sorted(validator.iter_errors(config), key=lambda error: str(error.json_path)):
        place = error.json_path.removeprefix("$").removeprefix(".") or "config"
        if error.validator == "additionalProperties":
            known = list(error.schema["properties"])
            for key in sorted(set(error.instance) - set(known), key=str):
                guess = get_close_matches(str(key), known, n=1)
                hint = (
                    f"; did you mean {guess[0]}?"
                    if guess
                    else f"; there are: {', '.join(known) or 'none'}"
                )
                yield f"{place}: unknown key {shortened(repr(key))}{hint}"
        elif error.validator == "required":
            yield f"{place}: {error.message.replace('is a required property', 'is missing')}"
        else:
            allowed = error.schema.get("allowed")
            told = "" if error.schema.get("writeOnly") else f"{shortened(repr(error.instance))} "
            fault = f"{told}is not {allowed}" if allowed else shortened(error.message)
            yield f"{place}: {fault}"


def _complete(config: dict, settings: dict, name: str, schema: dict) -> dict:
    definitions = schema["$defs"]
    common = definitions["dataset"]["properties"]
    defaults = {key: each["default"] for key, each in common.items() if "default" in each}
    grid_defaults = {
        key: each["default"]
        for key, each in definitions["grid"]["properties"].items()
        if "default" in each
    }
    kind = settings["outcome"]["kind"]
    grid = {
        "discrepancy": [DEFAULT_DISCREPANCY[kind]],
        **grid_defaults,
        **config.get("grid", {}),
        **settings.get("grid", {}),
    }
    grid["pairs"] = _pairs(grid, kind)
    grid["compared"] = {each: _compared(sets) for each, sets in grid["pairs"].items()}
    comparison = {
        "n": grid["n"][-1:],
        "gamma": _sides(grid["gamma"][0])[:1],
        "replicates": 1,
        **config.get("comparison", {}),
        **settings.get("comparison", {}),
    }
    return {
        "title": name,
        "design_effect": None,
        "target": None,
        "figures": list(figures()),
        "calibration": None,
        "plan": None,
        **defaults,
        **settings,
        **_asked(settings, definitions["asking"]),
        **_calibration(settings, common["calibration"]),
        **_plan(settings, grid, common["plan"]),
        "options": {key: value for key, value in settings.items() if key not in common},
        "grid": grid,
        "comparison": comparison,
    }


def _defaults(definition: dict) -> dict:
    """Return the defaults of a part of the schema."""
    properties = definition["properties"]
    return {key: each["default"] for key, each in properties.items() if "default" in each}


def _asked(settings: dict, definition: dict) -> dict:
    """Return a dataset's simulators, complete with those that are asked, and how they are."""
    simulate = settings.get("simulate", {})
    return {
        "simulators": _without_repeats([*settings["simulators"], *simulate]),
        "asked": list(simulate),
        "simulate": {
            name: {**_defaults(definition), **asking} for name, asking in simulate.items()
        },
    }


def _sides(gamma: float | dict) -> list:
    """Return the coverage of the upper and of the lower side, or the one of both."""
    sided = isinstance(gamma, dict) and "upper" in gamma
    return [gamma["upper"], gamma["lower"]] if sided else [gamma]


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


def _calibrated(settings: dict) -> str | None:
    """Return what calibration is measured of; None if the dataset doesn't want it."""
    if settings["calibration"] is None:
        return None
    return OF_NUMBERS if settings["outcome"]["kind"] in ("bounded", "real") else OF_OPTIONS


def _calibration(settings: dict, definition: dict) -> dict:
    """Return how calibration is measured, complete; nothing if the dataset doesn't want it."""
    if "calibration" not in settings:
        return {}
    return {"calibration": {**_defaults(definition), **settings["calibration"]}}


def _plan(settings: dict, grid: dict, definition: dict) -> dict:
    """Return what is planned, complete, for the part of the grid that plans can be made for.

    That are coverages which are the same everywhere, and sets that bound ``PLANNED`` discrepancies
    without drawing.
    """
    if "plan" not in settings:
        return {}
    plan = {**_defaults(definition), **settings["plan"]}
    sets = {
        discrepancy: [each for each in grid["pairs"][discrepancy] if not _draws(each)]
        for discrepancy in grid["pairs"]
        if discrepancy in PLANNED
    }
    return {
        "plan": {
            **plan,
            "costs": {**_defaults(definition["properties"]["costs"]), **plan["costs"]},
            "pairs": {discrepancy: each for discrepancy, each in sets.items() if each},
            "gamma": _without_repeats(
                upper for upper, *_ in map(_sides, grid["gamma"]) if not isinstance(upper, dict)
            ),
        }
    }


def _draws(confidence_set: str) -> bool:
    return CONFIDENCE_SETS[confidence_set].draws


def _plan_faults(dataset: str, settings: dict) -> Iterator[str]:
    """Say what keeps a plan from being made, the first thing only."""
    plan, grid, kind = settings["plan"], settings["grid"], settings["outcome"]["kind"]
    if plan is None:
        return
    place, planned = f"datasets.{dataset}.plan", [each for each in grid["pairs"] if each in PLANNED]
    if kind in ("bounded", "real"):
        yield f"{place}: {kind} outcomes are numbers, and plans are for options; take plan away"
    elif not planned:
        yield (
            f"{place}: plans are for {', '.join(PLANNED)}, and grid.discrepancy is "
            f"{', '.join(grid['discrepancy'])}; add one of them there, or take plan away"
        )
    elif not plan["pairs"]:
        yield (
            f"{place}: every confidence set of {', '.join(planned)} in the grid draws random "
            "numbers; add one that does not, such as witness, to grid.confidence_set"
        )
    elif not plan["gamma"]:
        yield (
            f"{place}: plans are for a coverage that is the same everywhere; add a number, such as "
            "0.9, to grid.gamma"
        )
    elif not any(plan["costs"].values()):
        yield f"{place}.costs: all are 0; give at least one a price"


def _name_faults(datasets: dict) -> Iterator[str]:
    """Say which names are the same to some file systems."""
    folders = {}
    for name in datasets:
        other = folders.setdefault(name.casefold(), name)
        if other != name:
            yield (
                f"datasets: {other!r} and {name!r} differ in capitals only, and so are one folder "
                "on some systems; rename one of them"
            )


def _model_faults(models: dict) -> Iterator[str]:
    for name, model in models.items():
        if model["endpoint"] != EMBEDDED and "model" not in model:
            yield f"models.{name}: 'model' is missing; name it as the endpoint does"
        try:
            json.dumps(model.get("extra", {}), allow_nan=False)
        except (TypeError, ValueError) as error:
            yield f"models.{name}.extra: cannot be sent as JSON ({error}); put texts in quotes"


def _simulate_faults(dataset: str, settings: dict, models: dict) -> Iterator[str]:
    kind = settings["outcome"]["kind"]
    if settings["asked"] and kind in ("bounded", "real"):
        yield (
            f"datasets.{dataset}.simulate: {kind} outcomes are numbers, and models can be asked to "
            "choose an option only; take simulate away, or use binary, ordinal or categorical"
        )
    for name, asking in settings["simulate"].items():
        place = f"datasets.{dataset}.simulate.{name}"
        if asking["model"] not in models:
            there = f"there are: {', '.join(models) or 'none'}"
            yield f"{place}.model: {asking['model']!r} is not among models; {there}"
        elif "cost" in asking["budget"] and not models[asking["model"]]["price"]:
            yield f"{place}.budget.cost: needs models.{asking['model']}.price"
        for part in ("{question}", "{options}"):
            if part not in asking["prompt"]:
                yield f"{place}.prompt: does not say where {part} goes"
        if asking["mode"] == "probabilities" and asking["draws"] > 1:
            yield f"{place}.draws: probabilities are stated once for each persona; take draws away"
        extra = models.get(asking["model"], {}).get("extra", {})
        limits = {"max_tokens": 1, **extra}
        if asking["budget"] and not (limits["max_tokens"] or limits.get("max_completion_tokens")):
            yield (
                f"models.{asking['model']}.extra.max_tokens: is null, but {place}.budget needs a "
                "limit; put max_completion_tokens beside it"
            )
        for name in extra.keys() & LOG_PROBABILITIES:
            if asking["mode"] == "probabilities" and not extra[name]:
                yield (
                    f"models.{asking['model']}.extra.{name}: {place} asks for probabilities, which "
                    f"need it; take {name} away, or use mode: answers"
                )


def _dataset_faults(name: str, settings: dict) -> Iterator[str]:
    place, grid, kind = f"datasets.{name}", settings["grid"], settings["outcome"]["kind"]
    if settings["ingest"] not in _rooms():
        there = f"there are: {', '.join(_rooms())}"
        yield f"{place}.ingest: {settings['ingest']!r} is not a folder; {there}"
    for figure in settings["figures"]:
        if figure not in figures():
            yield f"{place}.figures: {figure!r} is unknown; there are: {', '.join(figures())}"
    if settings["target"] and not any(settings["target"].values()):
        yield f"{place}.target: all shares are 0; give at least one cluster a share"
    if set(grid["pairs"]) != set(grid["discrepancy"]):
        yield (
            f"{place}.grid.confidence_set: has lists for {', '.join(grid['pairs'])}, but "
            f"grid.discrepancy is {', '.join(grid['discrepancy'])}; name the same ones"
        )
    for discrepancy, sets in grid["pairs"].items():
        working = [each for each in CONFIDENCE_SETS if meaningful(each, discrepancy, kind)]
        for chosen in sets:
            if chosen not in working:
                works = f"use {', '.join(working)}" if working else "use another discrepancy"
                yield (
                    f"{place}.grid.confidence_set: {chosen} does not bound {discrepancy} of "
                    f"{kind} outcomes; {works}"
                )
    known = {"n": grid["n"], "gamma": [each for gamma in grid["gamma"] for each in _sides(gamma)]}
    for key in ("n", "gamma"):
        for value in settings["comparison"][key]:
            if value not in known[key]:
                yield f"{place}.comparison.{key}: {value!r} is not in grid.{key}, {grid[key]}"
    if kind == "real" and 1 in grid["n"]:
        yield f"{place}.grid.n: 1 is too few for real outcomes, whose sets are resampled; use 2"
    for k in grid["k"]:
        if k != "all" and k > settings["draws"]:
            yield f"{place}.grid.k: {k} is more than draws, {settings['draws']}; raise draws"
    if settings["comparison"]["replicates"] > grid["replicates"]:
        yield (
            f"{place}.comparison.replicates: {settings['comparison']['replicates']} is more than "
            f"grid.replicates, {grid['replicates']}"
        )
    labels = []
    for gamma in grid["gamma"]:
        try:
            labels.append(parse_sides(gamma).label)
        except ValueError as error:
            yield f"{place}.grid.gamma: {error}"
    for label in sorted({label for label in labels if labels.count(label) > 1}):
        yield f"{place}.grid.gamma: {label} appears twice"
