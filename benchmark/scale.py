"""What a study's workflow costs beside its computations, how it grows, and how big it may be.

Three tables. The default study on one core, and what its steps take of that, all being forks of one
process. How the time of a study's steps, without ingest, figures and report, grows with
scenarios, simulators, cells and people. And big studies on one core: how
long Snakemake takes to find out what is to be done, the study, and the memory of its largest job.

Run it with ``make benchmark``.
"""

import csv
import resource
import subprocess
import sys
from collections.abc import Iterable
from math import log
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from generated import write

ROOT = Path(__file__).parents[1]
GOAL, MOST_MEMORY, MOST_PLANNING = 2.0, 2000, 10.0
ROUNDS = 3
BESIDE = {"ingest_tabular", "figure_generated", "report"}
MANY = list(range(100, 2100, 200))
GROWTH: dict[tuple[int, str], dict] = {
    (1, "times 1,000 scenarios, 2 simulators, 2 cells, 50 to 500 people"): {},
    (10, "times the scenarios"): {"m": 10_000},
    (10, "times the simulators"): {"simulators": 20},
    (10, "times the cells"): {"grid": {"gamma": [round(0.3 + 0.03 * i, 2) for i in range(20)]}},
    (1000, "times the people"): {"n": (50_000, 500_000)},
}
BIG = {
    "100 simulators, 50 scenarios": {"m": 50, "simulators": 100, "grid": {"gamma": [0.5]}},
    "5,000 scenarios, 20 simulators, n = 50 and all": {
        "m": 5000,
        "simulators": 20,
        "grid": {"gamma": [0.5], "n": [50, "all"]},
    },
    "20,000 scenarios, 5 simulators": {"m": 20_000, "simulators": 5, "grid": {"gamma": [0.5]}},
    "100,000 scenarios, 10 simulators": {"m": 100_000, "simulators": 10},
    "5,000 cells, 100 scenarios, 2 simulators": {
        "m": 100,
        "simulators": 2,
        "n": (2000, 3000),
        "grid": {
            "n": MANY,
            "k": [20, 40, 60, 80, 100],
            "gamma": [round(0.5 + 0.045 * i, 3) for i in range(10)],
            "discrepancy": ["squared", "absolute", "tv", "w1"],
            "confidence_set": {
                "squared": ["hoeffding", "multinomial_kl", "witness"],
                "absolute": ["hoeffding", "multinomial_kl", "witness"],
                "tv": ["multinomial_kl", "witness"],
                "w1": ["multinomial_kl", "witness"],
            },
        },
    },
}


def run(folder: Path, *arguments: str | Path) -> float:
    """Run snakemake on one core in ``folder``, steps as forks; return how long it took."""
    command = [sys.executable, "-m", "snakemake", *arguments, "--benchmark-extended"]
    command += ["--cores", "1", "--executor", "fidelity", "--snakefile", ROOT / "Snakefile"]
    start = perf_counter()
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return perf_counter() - start


def steps(folder: Path, beside: Iterable[str] = ()) -> float:
    """Return the seconds of all steps of a study that was run, but those of ``beside``."""
    took = 0.0
    for path in folder.glob("benchmarks/**/*.tsv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            took += sum(float(row["s"]) for row in rows if row["rule_name"] not in beside)
    return took


def computed(folder: Path, *arguments: str | Path) -> float:
    """Run a study; return the seconds of its steps, but those of :data:`BESIDE`."""
    run(folder, *arguments)
    return steps(folder, BESIDE)


def study(folder: Path, m=1000, simulators=2, n=(50, 500), grid=None) -> list[str | Path]:
    """Write a study; return snakemake's arguments."""
    cells = {"gamma": [0.5, 0.9], **(grid or {})}
    return ["--configfile", write(folder, m, simulators, n, cells)]


def in_own_process(function, *arguments):
    """Call a function in a process of its own, whose children's memory is then theirs alone."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def big(folder: Path, settings: dict) -> tuple[float, float, float]:
    """Run a big study; return the seconds to plan it, and to run it, and the peak in MB."""
    arguments = study(folder, **settings)
    planning = run(folder, "--dry-run", "--quiet", "all", *arguments)
    running = run(folder, *arguments)
    return planning, running, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    """Print the tables."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "default").mkdir()
        took = run(folder / "default", "--configfile", ROOT / "config" / "config.yaml")
        alone = steps(folder / "default")
        print(f"the default study on one core: {took:.0f} s; its steps {alone:.0f} s;")
        print(f"ratio {took / alone:.2f} (goal {GOAL})\n", flush=True)
        base = None
        print("seconds of all steps but ingest, figures and report; shortest of three")
        for i, ((times, what), settings) in enumerate(GROWTH.items()):
            places = [folder / f"growth{i}.{each}" for each in range(ROUNDS)]
            seconds = min(computed(at, *study(at, **settings)) for at in places)
            base = base or seconds
            exponent = f"{log(seconds / base, times):8.2f} as exponent" if times > 1 else ""
            print(f"{times:5} {what:60}{seconds:8.2f}{exponent}", flush=True)
        print(
            f"\n{'big studies on one core':48}{'planned in':>12}{'run in':>10}{'largest job':>14}"
        )
        for i, (what, settings) in enumerate(BIG.items()):
            planning, running, peak = in_own_process(big, folder / f"big{i}", settings)
            print(f"{what:48}{planning:10.1f} s{running:8.0f} s{peak:11.0f} MB", flush=True)
        print(f"{'goals':48}{MOST_PLANNING:10.1f} s{'':10}{MOST_MEMORY:11} MB")


if __name__ == "__main__":
    main()
