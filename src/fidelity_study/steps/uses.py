"""What simulators may be used for: all uses measured, judged at one error rate."""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.uses import USES, judged_together
from fidelity.uses.base import NOT_ASKED, NOT_MEASURED, of_answers
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import CARD, MEASURED, limit_of


def main(snakemake):
    """Put the uses together that other steps measured."""
    step = snakemake.params.step
    parts = [read(path, MEASURED).to_pylist() for path in snakemake.input]
    write_tables(snakemake.output, use_tables(parts, step), step)


def use_tables(
    parts: Iterable[list[dict]], step: dict
) -> dict[str, tuple[Iterable[dict], pa.Schema]]:
    """Return the table of all uses of all simulators under test.

    Args:
        parts: rows of the tables that steps made.
        step: the settings.
    """
    rows = {
        (row["simulator"], row["use"]): row
        for part in parts
        for row in part
        if row["simulator"] in step["simulators"] and row["simulator"] not in BASELINES
    }
    return {"uses": (_judged(rows, step), CARD)}


def _judged(rows: dict[tuple[str, str], dict], step: dict) -> Iterator[dict]:
    """Yield each use of each simulator with its verdict.

    Those that the config declares count, or where it declares none all that are measured.
    """
    declared = step["uses"]["declared"]
    simulators = [name for name in step["simulators"] if name not in BASELINES]
    counting = [key for key in rows if not declared or key[1] in declared]
    tests = None if not declared else len(declared) * len(simulators)
    level = 1.0 - step["test"]["alpha"]
    verdicts = verdicts_of([rows[key] for key in counting], level, tests)
    settled = dict(zip(counting, verdicts, strict=True))
    for simulator in simulators:
        for name in [*declared, *(use for use in of_answers() if use not in declared)]:
            row = rows.get((simulator, name))
            is_chosen = not declared or name in declared
            about = {"simulator": simulator, "use": name, "is_chosen": is_chosen}
            kind = USES[name]
            if row is None:
                lacking = {"verdict": NOT_MEASURED, "needs": kind.brings, "unit": kind.unit}
                yield {**about, **lacking, "limit": limit_of(step["uses"], name)}
                continue
            verdict = settled.get((simulator, name), NOT_ASKED)
            (alone,) = verdicts_of([row], level)
            yield {**row, **about, "verdict": verdict, "alone": alone}


def verdicts_of(rows: list[dict], level: float, tests: int | None = None) -> list[str]:
    """Return the verdict of each measured use, so that none is wrong with a level."""
    within, beyond = ([row[p] for row in rows] for p in ("p_within", "p_beyond"))
    return judged_together(within, beyond, level=level, tests=tests)
