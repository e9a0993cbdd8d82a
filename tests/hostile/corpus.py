"""What a hostile or unlucky user hands over, each with words of the one message it must give."""

import json
from copy import deepcopy
from dataclasses import dataclass, field

import yaml

SOUND = {
    "ingest": "tabular",
    "human": "human.csv",
    "simulated": "simulated.csv",
    "outcome": {"kind": "categorical"},
    "cluster": "none",
    "simulators": ["model"],
    "draws": 100,
    "grid": {"n": ["all"], "k": [20]},
}
NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True)
class Refused:
    """A config, and the lines that refuse it.

    Attributes:
        text: the file.
        lines: how each line begins, and words that it holds. Every one is a case.
        header: what stands above them.
    """

    text: str | bytes
    lines: dict[str, list[str]] = field(default_factory=dict)
    header: str = "the config has faults; nothing was run"


def study(**own) -> dict:
    """Return a sound study with own top-level keys."""
    return {"datasets": {"town": deepcopy(SOUND)}, **own}


def datasets(settings: dict) -> str:
    """Return a study of several datasets, each sound but for its own settings."""
    return dumped({"datasets": {name: {**SOUND, **own} for name, own in settings.items()}})


def dumped(config: object) -> str:
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def together(faults: dict[str, tuple[dict, list[str]]]) -> Refused:
    """Return one config with a dataset for each of the faults; the place is the key's end."""
    named = {f"d{i}": each for i, each in enumerate(faults.items())}
    return Refused(
        datasets({name: own for name, (_, (own, _)) in named.items()}),
        {
            f"datasets.{name}{place.partition(' ')[0]}:": words
            for name, (place, (_, words)) in named.items()
        },
    )


def in_grid(**own) -> dict:
    return {"grid": {**SOUND["grid"], **own}}


SIDES = "a number between 0 and 1, {schedule: 1/3}"
WHOLE = "a whole number"
TYPES = together(
    {
        ".ingest type": ({"ingest": ["tabular"]}, ["['tabular']", "a folder below"]),
        ".outcome text": ({"outcome": "binary"}, ["'binary'", "{kind: binary}"]),
        ".outcome nothing": ({"outcome": None}, ["None"]),
        ".outcome.kind list": ({"outcome": {"kind": ["binary"]}}, ["['binary']", "ordinal"]),
        ".cluster date": ({"cluster": 20240101}, ["20240101", "a name"]),
        ".simulators text": ({"simulators": "model"}, ["'model'", "a list"]),
        ".simulators none": ({"simulators": []}, ["[]", "a list"]),
        ".simulators twice": ({"simulators": ["model", "model"]}, ["different names"]),
        ".simulators nothing": ({"simulators": {}}, ["{}", "a mapping from them to label"]),
        ".simulators.model text": ({"simulators": {"model": "Mine"}}, ["'Mine'", "label and"]),
        ".simulators.model typo": ({"simulators": {"model": {"lable": "x"}}}, ["mean label?"]),
        ".simulators.model.label empty": ({"simulators": {"model": {"label": " "}}}, ["one line"]),
        ".simulators.model.label long": (
            {"simulators": {"model": {"label": "x" * 10_000}}},
            ["xxx...", "at most 100 characters"],
        ),
        ".simulators.model.label script": (
            {"simulators": {"model": {"label": "</Script>"}}},
            ["without </script"],
        ),
        ".simulators.model.describe list": (
            {"simulators": {"model": {"describe": []}}},
            ["[]", "a text"],
        ),
        ".noun three": ({"noun": ["a", "b", "c"]}, ["['a', 'b', 'c']", "[story, stories]"]),
        ".noun[1] lines": ({"noun": ["a", "b\nc"]}, ["one line"]),
        ".draws huge": ({"draws": 2**63}, ["9223372036854775808", "to a billion"]),
        ".draws true": ({"draws": True}, ["True", WHOLE]),
        ".weighting_effect nan": ({"weighting_effect": NAN}, ["nan", "from 0.001"]),
        ".weighting_effect text": ({"weighting_effect": "2,5"}, ["'2,5'", "from 0.001"]),
        ".human list": ({"human": ["a.csv"]}, ["['a.csv']", "the path of a file"]),
        ".simulated number": ({"simulated": 7}, ["7", "a list of these"]),
        ".missing nested": ({"missing": [["NA"]]}, ["[['NA']]", "a list such as"]),
        ".personas number": ({"personas": 3}, ["3", "a list of columns"]),
        ".respondents_repeat text": ({"respondents_repeat": "no"}, ["'no'", "true or false"]),
        ".separator long": ({"separator": ", "}, ["', '", "';'"]),
        ".target list": ({"target": []}, ["[]", "a mapping"]),
        ".target.a nan": ({"target": {"a": NAN}}, ["nan", "0 to a billion"]),
        ".figures text": ({"figures": "curve"}, ["'curve'", "a list"]),
        ".calibration.bins huge": ({"calibration": {"bins": 10**400}}, ["1000000", "..."]),
        ".plan.width[0] inf": ({"plan": {"width": [INF]}}, ["inf", "above 0"]),
        ".plan.tail tiny": ({"plan": {"tail": 5e-324}}, ["5e-324", "from 0.000001"]),
        ".plan.probability one": ({"plan": {"probability": 1 - 1e-16}}, ["0.9999999999999999"]),
        ".grid.n empty": (in_grid(n=[]), ["[]", "whole numbers or all"]),
        ".grid.n[0] huge": (in_grid(n=[10**400]), ["1000000", "to a billion"]),
        ".grid.n many": (in_grid(n=list(range(1, 10_001))), ["[1, 2, 3,", "...", "at most 1000"]),
        ".grid.k mixed": (in_grid(k=["all", *range(1, 5001)]), ["['all', 1, ", "at most 1000"]),
        ".grid.gamma[0] zero": (in_grid(gamma=[0]), ["0 is not", SIDES]),
        ".grid.gamma[0] one": (in_grid(gamma=[1]), ["1 is not", SIDES]),
        ".grid.gamma[0] text": (in_grid(gamma=["NaN"]), ["'NaN' is not", SIDES]),
        ".grid.gamma[0] side": (in_grid(gamma=[{"upper": 0.5}]), ["{'upper': 0.5}", SIDES]),
        ".grid.replicates many": (in_grid(replicates=10**9), ["1000000000", "1 to 30000"]),
        ".grid.discrepancy typo": (in_grid(discrepancy=[]), ["[]"]),
        ".grid.index text": (in_grid(index="median"), ["'median'", "weights, mean or min"]),
        ".grid.smoothed[0] unknown": (in_grid(smoothed=["entropy"]), ["'entropy'", "one of"]),
        ".grid typo of a key": (in_grid(disrepancy=[]), ["did you mean discrepancy?"]),
        ".comparison.power one": ({"comparison": {"power": 1}}, ["between alpha and 1"]),
        ".comparison.effect.tv zero": ({"comparison": {"effect": {"tv": 0}}}, ["above 0"]),
        ".comparison.effect unknown": ({"comparison": {"effect": {"x": 1}}}, ["'x'", "one of"]),
        ".grid.confidence_set none": (in_grid(confidence_set={}), ["{}"]),
        " typo of a key": ({"simulatros": ["model"]}, ["'simulatros'", "did you mean simul"]),
        " long key": ({"x" * 100_000: 1}, ["unknown key", "..."]),
    }
)
MEANING = together(
    {
        ".ingest path": ({"ingest": "../../etc"}, ["'../../etc'", "there are: bfi"]),
        ".ingest absolute": ({"ingest": "/etc"}, ["'/etc'", "there are: bfi"]),
        ".ingest folder": ({"ingest": "."}, ["'.'", "there are: bfi"]),
        ".ingest again": ({"ingest": "tabular/../tabular"}, ["there are: bfi"]),
        ".ingest end": ({"ingest": "tabular\n"}, [r"'tabular\n'", "did you mean tabular"]),
        ".ingest typo": ({"ingest": "tabluar"}, ["'tabluar'", "did you mean tabular"]),
        ".grid.gamma tiny": (in_grid(gamma=[1e-320]), ["1e-320", "between 1e-9"]),
        ".grid.gamma near": (in_grid(gamma=[1 - 1e-16]), ["0.9999999999999999", "1 - 1e-9"]),
        ".grid.gamma twice": (in_grid(gamma=[0.5, {"upper": 0.5, "lower": 0.5}]), ["twice"]),
        ".grid.gamma schedules": (
            in_grid(gamma=[{"schedule": "1/3"}, {"schedule": "2/6"}]),
            ["1-n^-1/3 appears twice"],
        ),
        ".grid.k draws": ({"draws": 5}, ["20 is more than draws, 5"]),
        ".comparison.n other": ({"comparison": {"n": [7]}}, ["7 is not in grid.n"]),
        ".comparison.gamma other": ({"comparison": {"gamma": [0.7]}}, ["0.7 is not in grid.gamma"]),
        ".comparison.replicates": ({"comparison": {"replicates": 2**62}}, ["more than"]),
        ".grid.confidence_set sets": (
            in_grid(discrepancy=["kl"], confidence_set=["hoeffding"]),
            ["hoeffding does not bound kl"],
        ),
        ".simulators same": (
            {"simulators": {"model": {"label": "guess"}, "uniform": {"label": "guess"}}},
            ["'model' and 'uniform' have the same label, 'guess'", "give one of them another"],
        ),
        ".target": ({"target": {"s1": 0, "s2": 0}}, ["all shares are 0"]),
        ".figures unknown": ({"figures": ["../curve"]}, ["'../curve'", "did you mean curve"]),
        ".plan.costs": ({"plan": {"costs": {"answer": 0, "draw": 0}}}, ["all are 0", "price"]),
        ".plan numbers": ({"plan": {}, "outcome": {"kind": "real"}}, ["plans are for options"]),
        ".simulate.gpt.model": (
            {"simulate": {"gpt": {"model": "gpt", "mode": "answers"}}},
            ["'gpt' is not among models", "none"],
        ),
    }
)
CONTROL = together(
    {
        ".human zero": ({"human": "a\0.csv"}, ["is not"]),
        ".human surrogate": ({"human": "a\ud800.csv"}, ["is not"]),
        ".title escape": ({"title": "\x1b[2J"}, ["is not"]),
        ".simulators[0]": ({"simulators": ["a\x07"]}, ["is not"]),
        ".title script": ({"title": "a </SCRIPT> b"}, ["without </script or <!--"]),
        ".simulators[0] script": ({"simulators": ["<!-- b"]}, ["without </script or <!--"]),
        ".columns.value": ({"columns": {"value": "\x7f"}}, ["is not"]),
    }
)
NAMES = ["../x", "/abs", "a/b", ".", "..", "-x", "a.", "a ", "a\n", "{n}", "", "2nd", "x" * 300]
NAMES += ["\u202ea", "\u200b", "\u0430", "\U0001f600", "__init__", "a b", "~", "*"]
PATHS = {
    "a device": ("/dev/zero", ["is a device or a pipe", "name a file"]),
    "what is typed": ("/dev/stdin", ["name a file"]),
    "a pipe": ("pipe", ["is a device or a pipe", "name a file"]),
    "a folder": ("folder", ["is a folder", "name a file"]),
    "above": ("../gone.csv", ["is not there", "name a file"]),
    "the home folder": ("~", ["is not there", "name a file"]),
    "an address": ("https://example.org/human.csv", ["is not there", "name a file"]),
    "links in a circle": ("circle.csv", ["is not there", "name a file"]),
    "a link to nothing": ("dangling.csv", ["is not there", "name a file"]),
    "a file as a folder": ("human.csv/human.csv", ["is not there", "name a file"]),
    "a wildcard": ("{dataset}.csv", ["brace", "rename the file"]),
    "a long name": ("x" * 5000 + ".csv", ["xxx...", "is not there"]),
    "a deep folder": ("a/" * 3000 + "x.csv", ["a/...", "is not there"]),
}
TOP = {
    "seed": [WHOLE],
    "grid": ["a mapping with any of n"],
    "comparison": ["a mapping with any of n"],
    "data_mirror": ["the path of a folder"],
    "models": ["a mapping from names"],
}


def tops(value: object) -> Refused:
    """Return a config whose top-level keys all have this wrong value."""
    return Refused(
        dumped(study(**dict.fromkeys(TOP, value))),
        {f"{key}:": [repr(value), *words] for key, words in TOP.items()},
    )


CONFIGS = {
    "wrong types and values": TYPES,
    "wrong meanings": MEANING,
    "control characters": CONTROL,
    "names of datasets": Refused(
        json.dumps({"datasets": dict.fromkeys(NAMES, SOUND)}, ensure_ascii=False),
        {f"datasets: {shown!r}"[:150]: ["letters, digits and _"] for shown in NAMES},
    ),
    "names in capitals": Refused(
        datasets({"Town": {}, "town": {}}), {"datasets: 'Town' and 'town'": ["capitals", "rename"]}
    ),
    "names that are no texts": Refused(
        dumped({"datasets": dict.fromkeys([1, 2.5, None], SOUND)}),
        {f"datasets: {key!r}": ["letters, digits and _"] for key in (1, 2.5, None)},
    ),
    "files of people": Refused(
        datasets({f"d{i}": {"human": path} for i, (path, _) in enumerate(PATHS.values())}),
        {f"datasets.d{i}: {path[:150]}": words for i, (path, words) in enumerate(PATHS.values())},
        "the config has faults; nothing was run",
    ),
    "lists for all keys": tops([]),
    "a date for all keys": Refused(
        dumped(study()) + "".join(f"{key}: 2024-01-01\n" for key in TOP),
        {f"{key}:": ["datetime.date(2024, 1, 1)", *words] for key, words in TOP.items()},
    ),
    "a negative seed": Refused(dumped(study(seed=-1)), {"seed:": ["-1", "0 or more"]}),
    "a huge seed": Refused(dumped(study(seed=10**400)), {"seed:": ["1000", "...", "0 or more"]}),
    "a typo": Refused(dumped(study(sede=1)), {"config:": ["'sede'", "did you mean seed?"]}),
    "a set in a list": Refused(
        dumped(study()).replace("- model", "- !!set {model}"),
        {"datasets.town.simulators[0]:": ["{'model'}", "a simulator's name"]},
    ),
    "a key twice": Refused(
        f"seed: 1\n{dumped(study())}seed: 2\n", {"config.yaml, line": ["'seed'", "twice", "line 1"]}
    ),
    "keys twice in one line": Refused(
        f"{dumped(study())}grid: {{n: [5], k: [6], n: [7]}}\n",
        {"config.yaml, line": ["'n'", "twice"]},
    ),
    "a dataset twice": Refused(
        dumped(study()) + dumped(study()).removeprefix("datasets:\n"),
        {"config.yaml, line": ["'town'", "twice", "line 2"]},
    ),
    "a key twice in JSON": Refused(
        json.dumps(study())[:-1] + ', "seed": 1, "seed": 2}',
        {"config.yaml, line 1": ["'seed'", "twice"]},
    ),
    "no datasets": Refused("seed: 1\n", {"config:": ["'datasets'", "missing"]}),
    "an empty mapping": Refused("{}\n", {"config:": ["'datasets'", "missing"]}),
}
# Snakemake reads the file, before anything of ours does.
UNREADABLE = {
    "an empty file": "",
    "a tag that would run a command": dumped(study())
    + "seed: !!python/object/apply:os.system ['touch ran']\n",
}
