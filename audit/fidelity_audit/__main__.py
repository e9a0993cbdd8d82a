"""The audit of the library: python -m fidelity_audit config/audit.yaml

Measures how often confidence sets, curves and tests keep their promises, on populations whose truth
is known. The folder then has ``coverage`` and ``tests``, each as a table (.csv) and words (.txt).
The exit status is 1 if a promise is refuted, or a wrong formula or test passes.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import yaml

from fidelity_audit.plan import Plan
from fidelity_audit.report import coverage, hypothesis_tests
from fidelity_study.app.run import origin
from fidelity_study.tables.read_write import complete, write_csv


def main(arguments: Iterable[str] | None = None) -> int:
    """Run the audit of a config; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("--folder", type=Path, default=Path("build/audit"))
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="default: all")
    how = parser.parse_args(None if arguments is None else list(arguments))
    settings = yaml.safe_load(how.config.read_text(encoding="utf-8"))
    plan = Plan(**settings)
    how.folder.mkdir(parents=True, exist_ok=True)
    origin.tell(settings, [how.config], str(how.config), plan.seed)
    passed = True
    with ProcessPoolExecutor(how.cores) as pool:
        for name, part in (("coverage", coverage), ("tests", hypothesis_tests)):
            run = pool.map if how.cores > 1 else map
            measured = run(_called, part.jobs(plan))
            rows = part.judged([row for rows in measured for row in rows])
            path = how.folder / name
            write_csv(
                f"{path}.csv",
                [{key: row.get(key) for key in part.TABLE} for row in rows],
                list(part.TABLE),
            )
            with complete(f"{path}.txt") as partial:
                partial.write_text(f"{part.findings(rows)}\n", encoding="utf-8")
            print(part.findings(rows), flush=True)
            passed = passed and not part.broken(rows) and not part.missed(rows)
    return 0 if passed else 1


def _called(job: Callable[[], list[dict]]) -> list[dict]:
    return job()


if __name__ == "__main__":
    sys.exit(main())
