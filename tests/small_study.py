"""Small studies for tests, in a copy of the project: one dataset of its own, others of a user."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from fidelity_study.config import project as study_project
from fidelity_study.config.params import figure_step, findings_step
from fidelity_study.config.shown import report_files
from fidelity_study.config.study import Study
from fidelity_study.report.figures import BY_DEFAULT
from fidelity_study.report.results import Results

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDERS = ["workflow", "scripts", "profiles", "config", "src"]
FILES = ["Snakefile", "pyproject.toml"]
# of studies; config/audit.yaml is that of ``make audit``
CONFIGS = sorted({*(REPOSITORY / "config").glob("*.yaml")} - {REPOSITORY / "config/audit.yaml"})

# Names as users may write them: markup of every kind, and as long as those of real models.
TWIN = "<b>twin</b> {{ 6 * 7 }} *x* `y`_ $a_b$"
ECHO = "_echo"
QUESTION = "<script>document.title = 'oops'</script> {% raw %} **Q{}** |x| 5 $ or 6 $?"
ASKED_FOR = {"reliability", "hybrids"}
SIDED = {"upper": 0.5, "lower": 0.9}
STUDY = {
    "seed": 50,
    "grid": {
        "n": [40, "all"],
        "k": [20, 30],
        "gamma": ["envelope", 0.5, {"schedule": "1/3"}],
        "replicates": 2,
    },
    "comparison": {"n": [40, "all"], "effect": {"tv": 0.05}, "tolerance": {"tv": [0.1, 0.3]}},
    "datasets": {
        "personality": {
            "title": "Personality items",
            "ingest": "bfi",
            "outcome": {"kind": "ordinal"},
            "cluster": "trait",
            "simulators": ["uniform", "pooled"],
            "draws": 60,
            "by": ["gender"],
            "calibration": {"bins": 5},
            "grid": {"discrepancy": ["squared", "tv"]},
        },
        "survey": {
            "title": "Own <i>survey</i> {{ 6 * 7 }}",
            "ingest": "survey",
            "outcome": {"kind": "categorical"},
            "cluster": "topic",
            "simulators": [TWIN, ECHO],
            "draws": 60,
            "grid": {"k": [20, "all"], "discrepancy": ["tv", "kl"]},
            "plan": {"width": [0.3, 0.02], "probability": 0.8, "costs": {"scenario": 5}},
            "sequential": {"at_random": True},
        },
        "ratings": {
            "title": "Ratings",
            "ingest": "survey",
            "outcome": {"kind": "bounded"},
            "cluster": "page",
            "simulators": ["rule", "model"],
            "calibration": {"levels": [0.5, 0.9]},
            "grid": {
                "n": ["all"],
                "k": [20],
                "gamma": [SIDED, 0.5, 0.9],
                "discrepancy": ["absolute", "w1"],
                "confidence_set": {"absolute": ["betting", "witness"], "w1": ["w1"]},
            },
            "comparison": {"n": ["all"]},
        },
    },
}
OTHER_KINDS = {
    "seed": 50,
    "grid": {"n": ["all"], "k": [20], "gamma": [0.5], "replicates": 1},
    "datasets": {
        "delays": {
            "ingest": "survey",
            "outcome": {"kind": "real"},
            "cluster": "page",
            "simulators": ["rule", "model"],
            "target": {"page 0": 5, "page 1": 1, "page 2": 1, "page 3": 0},
            "grid": {"discrepancy": ["absolute", "variance", "median"]},
        },
        "grades": {
            "ingest": "survey",
            "outcome": {"kind": "ordinal"},
            "cluster": "page",
            "simulators": [TWIN, ECHO],
            "draws": 60,
            "grid": {
                "discrepancy": ["w1", "kl", "mmd_laplace"],
                "confidence_set": {
                    "w1": ["witness", "w1"],
                    "kl": ["multinomial_kl"],
                    "mmd_laplace": ["witness"],
                },
            },
        },
    },
}


@dataclass(frozen=True)
class Project:
    """A copy of the project, and a folder in which its workflow runs.

    ``root`` holds the copy, which tests may change for a while; ``folder`` the study.
    """

    root: Path
    folder: Path

    def run(
        self, *arguments: str | Path, cores: int = 2, status: int = 0, traces: Path | None = None
    ) -> str:
        """Run ``snakemake`` in the study's folder, check its exit status, return what it prints.

        In ``traces``, if given, each step leaves the names of the files that it executed.
        """
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        command += ["--executor", "fidelity"]
        if self.root != self.folder:
            command += ["--snakefile", self.root / "Snakefile"]
        done = subprocess.run(
            [*map(str, command), *map(str, arguments)],
            cwd=self.folder,
            env={**os.environ, **self._environment(traces)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    def _environment(self, traces: Path | None) -> dict[str, str]:
        source = str(self.root / "src")
        if traces is None:
            return {"PYTHONPATH": source}
        path = os.pathsep.join([source, str(REPOSITORY / "tests" / "traced")])
        return {"PYTHONPATH": path, "FIDELITY_TRACES": str(traces)}

    def planned(self, *arguments: str | Path) -> dict[str, int]:
        """Return how many jobs of each rule a dry-run would start."""
        stats = re.findall(r"^(\w+) +(\d+)$", self.run("--dry-run", *arguments), re.MULTILINE)
        return {rule: int(jobs) for rule, jobs in stats if rule != "total"}

    @contextmanager
    def edited(self, path: str, addition: str = "EDITED = True") -> Iterator[None]:
        """Append a line to a file of the copy, and take it back in the end."""
        file = self.root / path
        text, times = file.read_text(encoding="utf-8"), file.stat()
        file.write_text(f"{text}\n{addition}\n", encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(text, encoding="utf-8")
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def elsewhere(self, folder: Path, config: dict, scenarios: int = 12) -> "Project":
        """Return the same copy, to run another study in another folder with plain ``snakemake``."""
        prepare(folder, config, scenarios)
        return Project(self.root, folder)

    def finished(self, folder: Path) -> "Project":
        """Return the same copy, with what it made so far in another folder, to be changed there."""
        for name in ("config", "data", "results", ".snakemake"):
            shutil.copytree(self.folder / name, folder / name)
        return Project(self.root, folder)

    def results(self, config: dict, dataset: str) -> Results:
        """Return a dataset's results as figures and findings would see them with this config."""
        study = self.study(config)
        folder = self.folder / study.folder
        files = report_files(study, dataset, folder)
        return Results(findings_step(study, dataset) | figure_step(study, dataset), files)

    def study(self, config: dict) -> Study:
        """Return the checked config; the copy's rooms are there."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(study_project, "ROOMS", self.root / "workflow" / "datasets")
            return Study(config, "results/default")

    def report(self) -> Path:
        """Return where its page is."""
        return self.folder / "results" / "default" / "report.html"

    def table(self, path: str, study: str = "default") -> pd.DataFrame:
        """Read a table of the results; labels are strings."""
        file = self.folder / "results" / study / path
        if file.suffix == ".csv":
            return pd.read_csv(file, dtype={"n": str, "k": str, "gamma": str})
        table = pd.read_parquet(file)
        return table.astype(
            {name: str for name, kind in table.dtypes.items() if kind == "category"}
        )


def tables_below(folder: Path) -> list[str]:
    """Return the paths of all tables in a folder, as seen from it."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".parquet", ".csv") and not path.name.startswith(".")
    )


def assert_same_tables(project: Project, other: Project, below: str = "") -> None:
    """Fail unless both studies have the same tables, value for value, below a folder of results."""
    place = Path("results", "default", below)
    names = tables_below(project.folder / place)
    assert names and tables_below(other.folder / place) == names
    for name in names:
        found, expected = (each.table(str(Path(below, name))) for each in (other, project))
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


def figures_of(dataset: str) -> list[str]:
    """Return the figures of a dataset of the small study: the default ones that it can have."""
    settings = STUDY["datasets"][dataset]
    has_options = settings["outcome"]["kind"] != "bounded"
    own = ["reliability"] if "calibration" in settings and has_options else []
    return [name for name in BY_DEFAULT if name not in ASKED_FOR or name in own]


def prepare(folder: Path, config: dict, scenarios: int) -> None:
    """Write a study's config and the data of its users' datasets."""
    for name in ("config", "data"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(config, allow_unicode=True, sort_keys=False)
    (folder / "config" / "config.yaml").write_text(text, encoding="utf-8")
    for name in set(DATA) & set(config["datasets"]):
        DATA[name](scenarios).to_csv(folder / "data" / f"{name}.csv", index=False)


def survey(scenarios: int) -> pd.DataFrame:
    """Return answers to questions with three or four options.

    Names run backwards from ``q99``, so that a further one stands before the others. 25 people or
    more answer; one simulator states probabilities, and one gives 30 answers but none in ``q99``.
    In ``q97`` the first one states 0, and the second never chooses, the last option. Nobody answers
    several questions.
    """
    rows = []
    for j in range(scenarios):
        d = 3 + j % 2
        generator = np.random.default_rng(j)
        people = generator.multinomial(25 + 3 * j, generator.dirichlet(np.full(d, 3.0)))
        probability = generator.dirichlet(np.full(d, 3.0))
        liked = generator.dirichlet(np.full(d, 3.0))
        if j == 2:
            for share in (probability, liked):
                share[-1] = 0.0
                share /= share.sum()
        echo = generator.multinomial(30, liked)
        columns = {"human": (people, None), TWIN: (None, probability), ECHO: (echo, None)}
        for source, (counts, stated) in columns.items():
            rows += [
                {
                    "scenario": f"q{99 - j}",
                    "cluster": "only",
                    "description": QUESTION.replace("Q{}", f"Q{j}"),
                    "source": source,
                    "value": option + 1,
                    "count": None if counts is None else counts[option],
                    "probability": None if stated is None else stated[option],
                }
                for option in range(d)
                if (source, j) != (ECHO, 0)
            ]
    return pd.DataFrame(rows).assign(respondents_repeat=False)


def ratings(scenarios: int) -> pd.DataFrame:
    """Return numbers from 0 to 10 or from 0 to 100, of which 2, 5 or up to 41 values occur.

    The same people rate everything on a page.
    """
    parts = []
    for j in range(scenarios):
        generator = np.random.default_rng(j)
        highest = 10.0 * 10 ** (j % 2)
        possible = np.linspace(0.0, highest, (2, 5, 41)[j % 3])
        for source, size in (("human", 25 + 3 * j), ("rule", 30), ("model", 30)):
            place = generator.beta(*generator.uniform(1.0, 3.0, 2), size) * (len(possible) - 1)
            part = counted(f"q{99 - j}", source, possible[np.rint(place).astype(int)])
            parts.append(part.assign(cluster=f"page {j % 4}", lower=0.0, upper=highest))
    return pd.concat(parts).assign(respondents_repeat=True, probability=None)


def delays(scenarios: int) -> pd.DataFrame:
    """Return numbers, below and above 0, that have no bounds."""
    parts = []
    for j in range(scenarios):
        generator = np.random.default_rng(j)
        for source, size in (("human", 25 + 3 * j), ("rule", 30), ("model", 30)):
            drawn = generator.normal(generator.normal(), 2.0, size).round(1)
            parts.append(counted(f"q{99 - j}", source, drawn).assign(cluster=f"page {j % 4}"))
    return pd.concat(parts).assign(probability=None)


def counted(scenario: str, source: str, drawn: np.ndarray) -> pd.DataFrame:
    """Return the numbers that a source gives in a scenario, each with its count."""
    value, count = np.unique(drawn, return_counts=True)
    named = {"scenario": scenario, "description": f"Item {scenario}", "source": source}
    return pd.DataFrame({**named, "value": value, "count": count})


DATA = {"survey": survey, "ratings": ratings, "delays": delays, "grades": survey}


def vouch_for(rooms: Path, mirror: Path, checks: dict[str, dict | None]) -> None:
    """Replace the checksums and check values in the rooms' sources.yaml by those of small files."""
    for room, printed in checks.items():
        path = rooms / room / "sources.yaml"
        sources = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name, source in sources["files"].items():
            content = (mirror / room / name).read_bytes()
            checksum = hashlib.sha256(content).hexdigest()
            sources["files"][name] = (
                checksum if isinstance(source, str) else {**source, "sha256": checksum}
            )
        sources |= {"checks": printed} if printed else {}
        text = yaml.safe_dump(sources, allow_unicode=True, sort_keys=False)
        path.write_text(text, encoding="utf-8")


def copy_project(root: Path) -> Project:
    """Copy the project to a folder, put the survey's room and data into it, and set the study."""
    skipped = shutil.ignore_patterns("*.egg-info")  # byte code stays valid, as files keep times
    for name in FOLDERS:
        shutil.copytree(REPOSITORY / name, root / name, ignore=skipped)
    for name in FILES:
        shutil.copy(REPOSITORY / name, root / name)
    room = root / "workflow" / "datasets" / "survey"
    shutil.copytree(REPOSITORY / "tests" / "rooms" / "survey", room, ignore=skipped)
    prepare(root, STUDY, scenarios=12)
    return Project(root, root)
