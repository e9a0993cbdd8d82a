"""Small studies drawn from a seed, made by the product's own steps in this process.

Each has few questions and people, so that all that its page says takes a second.
"""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from fidelity_study.config.params import figure_step, findings_step, step
from fidelity_study.config.shown import report_files
from fidelity_study.config.study import Study
from fidelity_study.reading.ingest.save import save
from fidelity_study.reading.tabular.assemble import responses
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.results import Results
from fidelity_study.steps import (
    bootstrap,
    bootstrap_simulators,
    confidence_set,
    effects,
    envelope,
    groups,
    mean_discrepancy,
    nonresponse,
    people_reference,
    pseudo_discrepancy,
    quantile,
    structure,
    uses,
)
from fidelity_study.steps.registry import STEPS as STUDY_STEPS
from fidelity_study.steps.registry import TABLES

NAME = "drawn"
TOLERANCES = 0.1, 0.2, 0.3
NO_PROVENANCE = {"provenance": {"inputs": {}}}
LISTED = "nonresponse", "bootstrap_simulators"  # they read lists of files
HUMAN, SIMULATED = "bootstrap/nall", "bootstrap/simulators"
# step -> what it reads besides the scenarios: name -> path
STEPS = {
    nonresponse: {name: name for name in ("outcomes", "stated", "missing")},
    bootstrap: {"outcomes": "outcomes"},
    bootstrap_simulators: {"outcomes": "outcomes", "stated": "stated"},
    confidence_set: {"human": HUMAN},
    pseudo_discrepancy: {
        "outcomes": "outcomes",
        "confidence_set": "confidence_set/nall",
        "simulated": SIMULATED,
    },
    quantile: {"pseudo_discrepancy": "pseudo_discrepancy/nall"},
    envelope: {
        "outcomes": "outcomes",
        "human": HUMAN,
        "simulated": SIMULATED,
        "nonresponse": "nonresponse",
    },
    mean_discrepancy: {
        "human": HUMAN,
        "respondents": "respondents",
        "simulated": SIMULATED,
        "nonresponse": "nonresponse",
    },
    people_reference: {"human": HUMAN, "respondents": "respondents"},
    groups: {
        "human": HUMAN,
        "respondents": "respondents",
        "simulated": SIMULATED,
        "nonresponse": "nonresponse",
    },
    structure: {"respondents": "respondents", "runs": "runs"},
    effects: {name: name for name in ("outcomes", "stated", "respondents", "runs")},
}


class Files(dict):
    """The paths of a step's files, by name, or the first by 0."""

    def __getitem__(self, key):
        """Return a path."""
        return next(iter(self.values())) if key == 0 else super().__getitem__(key)

    def __getattr__(self, name):
        """Return a path."""
        if name not in self:
            raise AttributeError(name)
        return self[name]


def outputs(folder: Path, name: str) -> Files:
    """Return where a step writes its tables."""
    files = Files(
        (key, folder / path.format(n="all"))
        for table in TABLES
        if table.step == name
        for key, path in table.files.items()
    )
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    return files


def made(folder: Path, settings: dict) -> Dataset:
    """Return a dataset whose files lie in a folder, after all steps that its page reads."""
    files = {side: str(folder / f"{side}.csv") for side in ("human", "simulated")}
    config = {
        "study": "drawn",
        "grid": {"n": ["all"], "k": ["all"], "gamma": settings.pop("gamma"), "replicates": 1},
        "comparison": {"tolerance": settings.pop("tolerance", {})},
        "datasets": {NAME: {"ingest": "tabular", "figures": [], **files, **settings}},
    }
    study = Study(config, str(folder))

    def place(name: str) -> Path:
        return folder / NAME / f"{name}.parquet"

    ingest = {**step(study, "ingest", NAME), **NO_PROVENANCE}
    params = SimpleNamespace(step=ingest)
    written = outputs(folder / NAME, "ingest")
    save(SimpleNamespace(params=params, output=written), responses(ingest))
    for module, reads in STEPS.items():
        name = module.__name__.rpartition(".")[2]
        if not (runs := STUDY_STEPS[name].runs(study.datasets[NAME])):
            continue
        inputs = Files(
            scenarios=place("scenarios"), **{key: place(path) for key, path in reads.items()}
        )
        if name in LISTED:
            inputs |= {key: [inputs[key]] for key in reads}
        known = step(study, name, NAME, *runs[0].values())
        module.main(
            SimpleNamespace(
                params=SimpleNamespace(step={**known, **NO_PROVENANCE}),
                input=Files(inputs, asked=[]),
                output=outputs(folder / NAME, name),
            )
        )
    known = step(study, "uses", NAME)
    uses.main(
        SimpleNamespace(
            params=SimpleNamespace(step={**known, **NO_PROVENANCE}),
            input=sorted((folder / NAME / "uses").glob("of_*.parquet")),
            output=outputs(folder / NAME, "uses"),
        )
    )
    words = findings_step(study, NAME) | figure_step(study, NAME)
    return Dataset(NAME, Results(words, report_files(study, NAME, folder)))


def drawn(
    folder: Path, seed: int, tolerances: tuple[float, ...] = TOLERANCES
) -> tuple[Dataset, float]:
    """Return a small dataset: people and 1 to 5 simulators, on 1 to 60 questions.

    It has a view by each of ``tolerances``, and by one of its own, which is returned, too.

    Simulators are right, flat, sharp, shifted or know nothing. They state shares, or give few or
    many answers, leave up to 30 % out, or have no answer to some questions at all. Answers of
    persons are known in some studies, and in some these were put into conditions.
    """
    rng = np.random.default_rng([49, seed])
    many = int(rng.choice([1, 1, 2, 2, 2, 3, 5]))
    names = [f"model {letter}" for letter in "abcde"[:many]]
    guess = ["uniform"] if rng.random() < 0.8 else []
    own = float(rng.choice([0.03, 0.1, 0.2, 0.3]))
    settings = {
        "missing": ["NA"],
        "simulators": [*names, *guess],
        "tolerance": {"tv": sorted({own, *tolerances})},
        "gamma": "envelope" if rng.random() < 0.3 else [0.5],
    }
    by_person = rng.random() < 0.35
    write = by_persons if by_person else by_counts
    people, simulated, known = write(rng, names)
    if len(people) > len(set(people.get("value", []))) + 1 and rng.random() < 0.4:
        settings["simulators"].append("pooled")
    folder.mkdir(parents=True, exist_ok=True)
    people.to_csv(folder / "human.csv", index=False)
    simulated.to_csv(folder / "simulated.csv", index=False)
    if topics := known.pop("topics", None):
        pd.DataFrame(topics).to_csv(folder / "scenarios.csv", index=False)
        known |= {"scenarios": str(folder / "scenarios.csv"), "cluster": "topic"}
    return made(folder, settings | known), own


def kinds(rng: np.random.Generator, names: list[str]) -> Iterator[tuple[str, float, float]]:
    """Yield of each simulator what it does to shares, how much, and how much it leaves out."""
    left = rng.random() < 0.5
    for _ in names:
        out = float(rng.choice([0.0, 0.02, 0.09, 0.12, 0.3])) if left else 0.0
        what = str(rng.choice(["right", "flat", "sharp", "noise", "shift"]))
        yield what, float(rng.uniform(0.05, 0.9)), out


def changed(rng: np.random.Generator, share: np.ndarray, what: str, how: float) -> np.ndarray:
    """Return the shares of a simulator, of people's."""
    if what == "flat":
        return (1 - how) * share + how / len(share)
    if what == "sharp":
        return share ** (1 + how) / (share ** (1 + how)).sum()
    if what == "noise":
        return (1 - how) * share + how * rng.dirichlet(np.ones(len(share)))
    if what == "shift":
        return (1 - how / 2) * share + how / 2 * np.eye(len(share))[-1]
    return share


def by_counts(rng: np.random.Generator, names: list[str]):
    """Return counts of people and of simulators, and what a config says of them."""
    questions = int(np.exp(rng.uniform(0, np.log(60))).round())
    options = [f"option {i}" for i in range(int(rng.integers(2, 6)))]
    n = int(np.exp(rng.uniform(np.log(20), np.log(3000))))
    truth = rng.dirichlet(np.full(len(options), 2.0), questions)
    people = [
        {"question": f"q{j}", "value": option, "count": count}
        for j, share in enumerate(truth)
        for option, count in zip(options, rng.multinomial(n, share), strict=True)
    ]
    rows = []
    for name, (what, how, out) in zip(names, kinds(rng, names), strict=True):
        draws = int(rng.choice([5, 50, 2000]))
        lacks = rng.random() < 0.2
        for j, share in enumerate(truth):
            if lacks and 0 < j < 3:
                continue
            given = round(draws * (1 - out))
            counts = rng.multinomial(given, changed(rng, share, what, how))
            for value, count in [*zip(options, counts, strict=True), ("NA", draws - given)]:
                rows.append({"question": f"q{j}", "model": name, "value": value, "count": count})
    kind = "binary" if len(options) == 2 else "categorical"
    known = {"outcome": {"kind": kind}, "cluster": "none"}
    if questions >= 4 and rng.random() < 0.5:
        topics = [f"topic {j % int(rng.integers(2, 5))}" for j in range(questions)]
        known["topics"] = {"scenario": [f"q{j}" for j in range(questions)], "topic": topics}
    if (repeat := rng.integers(3)) < 2:
        known["respondents_repeat"] = bool(repeat)
    known["columns"] = {"simulator": "model", "count": "count"}
    return pd.DataFrame(people), pd.DataFrame(rows), known


def by_persons(rng: np.random.Generator, names: list[str]):
    """Return answers of persons and of simulated ones, whose answers go together or do not."""
    questions, n, options = int(rng.integers(2, 12)), int(rng.integers(30, 400)), 5
    has_effects = rng.random() < 0.3
    arms = rng.choice(["none", "a", "b", "c"][: int(rng.integers(2, 5))], n)
    at = rng.normal(0, 0.7, questions)
    gains = {"none": 0.0, **dict(zip("abc", rng.normal(0, 0.4, 3), strict=True))}

    def answers(loading: float, times: float, shift: float) -> pd.DataFrame:
        trait = rng.normal(size=(n, 1))
        noise = rng.normal(size=(n, questions))
        gain = np.array([gains[arm] for arm in arms])[:, None] if has_effects else 0.0
        latent = at + loading * trait + np.sqrt(1 - loading**2) * noise + times * gain + shift
        cut = np.digitize(latent, np.linspace(-1.2, 1.2, options - 1)) + 1
        table = pd.DataFrame(cut, columns=[f"q{j}" for j in range(questions)])
        return table.assign(arm=arms) if has_effects else table

    people = answers(0.6, 1.0, 0.0)
    parts = []
    for name, (what, how, out) in zip(names, kinds(rng, names), strict=True):
        loading = 0.6 if what == "right" else 0.0 if what == "noise" else 0.9
        shift = how if what == "shift" else 0.0
        part = answers(loading, 0.0 if what == "flat" else 1.0 + how, shift).astype(object)
        part[part.columns[:questions]] = part.iloc[:, :questions].mask(
            rng.random((n, questions)) < out, "NA"
        )
        parts.append(part.assign(model=name))
    known = {
        "outcome": {"kind": "ordinal", "levels": [*range(1, options + 1)]},
        "columns": {"simulator": "model"},
        "respondents_repeat": True,
        "cluster": "none",
    }
    if has_effects:
        known |= {"groups": ["arm"], "effects": {"condition": "arm", "control": "none"}}
        del known["cluster"]
    return people, pd.concat(parts), known
