"""Whether simulators' answers to different questions go together as people's do.

Tables:
    STRUCTURE: how a simulator's answers to different questions go together, a row per simulator
        over all pairs of questions (`topic` empty), one per `topic`, and one between topics:
        numbers of `people`, `runs`, `pairs`, and `unknown` pairs without a correlation on both
        sides; `slope` through the origin of the simulator's correlations on people's, `congruence`,
        `mean_squared` difference (may be negative by chance), `people_square` and
        `simulator_square` (mean squares of correlations), `same_sign` (of the `clear` pairs, whose
        r is not 0 among people at that confidence), all without the noise of few answers; the ends
        of their intervals, which hold with a probability of about 1 - alpha, are `slope_lower`,
        `slope_upper`, `congruence_lower`, `congruence_upper`, `mean_squared_lower`,
        `mean_squared_upper`, `people_square_lower`, `people_square_upper`,
        `simulator_square_lower`, `simulator_square_upper`, `same_sign_lower`, `same_sign_upper`;
        [`slope_familywise_lower`, `slope_familywise_upper`] hold for all simulators at once. An end
        is empty where it is infinite. `people_alike`, `alike`: the share of people, and of runs,
        who give the same answer to every question. `lacking`: what is lacking to measure it
        (`people by person`, `answers by run`, `a study without replicate weights`,
        `a second question`, `common answers` of 30 people and 30 runs, `scores`). `warning`:
        what makes errors rough
    ASSOCIATIONS: `simulator`, the questions `one` and `other`, their correlation among people
        (`people_r`, `people_se`) and among the simulator's runs (`r`, `se`); at most 5,000 pairs,
        drawn by the seed
    PAIR_TABLES: the mean `l2` distance of tables of pairs from people's, as in `mean_discrepancy`:
        of the `source` `simulator`, of `independent` (its own margins multiplied;
        [`difference_ci_lower`, `difference_ci_upper`] is the simulator less that: below 0, its
        structure helps), and of `people_independent` (margins of one half of people multiplied,
        judged by the other). At most 2,000 pairs; not of outcomes that are numbers
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.baselines.base import BASELINES
from fidelity.structure import (
    Interval,
    compare_associations,
    if_enough,
    pair_distances,
    pair_tables,
    straightlining,
)
from fidelity.structure.pairs import MOST_PAIRS as MOST_TABLES
from fidelity.uses import USES
from fidelity_study.reading.settings import NUMBERS
from fidelity_study.steps import spread
from fidelity_study.steps.answer_tables import Columns, People, write_from_persons_and_runs
from fidelity_study.steps.arrays import intervals, only, row_of
from fidelity_study.steps.spread import Compared
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.uses import MEASURED, limit_of, measured

PEOPLE_UNKNOWN, RUNS_UNKNOWN, ONE_QUESTION, FEW_COMMON, NO_SCORES = (
    *("people by person", "answers by run", "a second question", "common answers", "scores"),
)
REPLICATES = "a study without replicate weights"
OF_SAME = "answers of {} are people's own, row by row, so that nothing is compared"
OWN, INDEPENDENT, PEOPLE_INDEPENDENT = "simulator", "independent", "people_independent"

STRUCTURE = pa.schema(
    [
        *columns(LABEL, "simulator", "topic"),
        *columns(pa.int32(), "people", "runs", "pairs", "unknown"),
        *intervals("slope", "congruence", "mean_squared", "people_square", "simulator_square"),
        ("clear", pa.int32()),
        *intervals("same_sign"),
        *columns(pa.float64(), "slope_familywise_lower", "slope_familywise_upper"),
        *columns(pa.float64(), "people_alike", "alike"),
        *columns(LABEL, "lacking", "warning"),
    ]
)
ASSOCIATIONS = pa.schema(
    [
        *columns(LABEL, "simulator", "one", "other"),
        *columns(pa.float64(), "people_r", "people_se", "r", "se"),
    ]
)
PAIR_TABLES = pa.schema(
    [
        *columns(LABEL, "simulator", "source"),
        ("pairs", pa.int32()),
        *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper"),
        *columns(pa.float64(), "difference_ci_lower", "difference_ci_upper"),
    ]
)


def main(snakemake):
    """Compare how answers go together, where both sides' answers are known by person."""
    write_from_persons_and_runs(snakemake, structure_tables)


def structure_tables(
    scenarios: pa.Table, respondents: pa.Table, runs: pa.Table, step: dict
) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of the tables, with their schemas."""
    tested = [name for name in step["simulators"] if name not in BASELINES]
    answering = [name for name in tested if pc.any(pc.equal(runs["source"], name)).as_py()]
    made = {name: (list[dict](), schema) for name, (_, schema) in TABLES.items()}
    uses: list[dict] = []
    lacking, people = unknown(scenarios, len(respondents)), None
    if len(Columns.of(scenarios, step).names) < 2:
        lacking = ONE_QUESTION
    elif len(respondents):
        people = People.of(scenarios, respondents, step)
    for name in tested:
        if people is None or name not in answering:
            made["structure"][0].append({"simulator": name, "pairs": 0, "lacking": lacking})
            continue
        both = Compared(people, name, people.runs(only(runs, source=name)), len(answering))
        for table, (rows_of, _) in TABLES.items():
            made[table][0].extend(row | {"simulator": name} for row in rows_of(both))
        uses += [*relation_use(both), *spread.group_use(both)]
    return made | {"of_relations": (uses, MEASURED)}


def unknown(scenarios: pa.Table, respondents: int) -> str:
    """Return whose answers are not known by person, and whether it is for replicate weights."""
    if respondents:
        return RUNS_UNKNOWN
    has_none = scenarios["replicates"].null_count == len(scenarios)
    return PEOPLE_UNKNOWN if has_none else REPLICATES


def structure_rows(both: Compared) -> Iterator[dict]:
    """Yield how correlations compare: over all pairs, and by topic; or what is lacking."""
    known: dict[str, Any] = {
        "people": both.people.table.size,
        "runs": int((~np.isnan(both.runs.table.values).all(1)).sum()),
        "people_alike": straightlining(both.people.table),
        "alike": straightlining(both.runs.table),
        "warning": both.people.warning or None,
    }
    if both.associations is None:
        lacking = FEW_COMMON if both.people.has_scores else NO_SCORES
        yield row_of(STRUCTURE, pairs=0, lacking=lacking, **known)
        return
    topics, alpha = both.people.asked.topics, both.people.step["test"]["alpha"]
    comparisons = compare_associations(*both.associations, topics=topics, **both.how)
    familywise = both.how | {"level": 1.0 - alpha / both.many}
    (together,) = compare_associations(*both.associations, **familywise)
    if together.same_answers:
        notes = [both.people.warning, OF_SAME.format(both.name)]
        known["warning"] = "; ".join(filter(None, notes))
    of_all = {"slope_familywise": together.slope}
    for one in comparisons:
        known |= {"people_square": one.people, "simulator_square": one.simulator}
        known |= {"clear": one.signs.clear, "same_sign": Interval(*one.signs[1:])}
        yield row_of(STRUCTURE, one, **known, **of_all)
        of_all = {}


def association_rows(both: Compared) -> Iterator[dict]:
    """Yield the correlations of each pair."""
    if both.associations is not None:
        names = np.array(both.people.asked.names)[both.associations[0].pairs.T]
        sides = [part for side in both.associations for part in (side.r, np.sqrt(side.noise))]
        for values in zip(*names, *sides, strict=True):
            known = dict(zip(ASSOCIATIONS.names[1:], values, strict=True))
            yield row_of(ASSOCIATIONS, **known)


def pair_table_rows(both: Compared) -> Iterator[dict]:
    """Yield the distance of tables of pairs, and that of independent questions."""
    if both.people.step["outcome"]["kind"] in NUMBERS or both.people.table.in_psus:
        return
    generator = both.people.generator("tables", both.name)
    how = {"generator": generator, "most": MOST_TABLES, "persons": False}
    made = if_enough(pair_tables, *both.tables, **how)
    if made is None:
        return
    *distances, gain = pair_distances(made, level=both.people.level)
    for source, far in zip((OWN, INDEPENDENT, PEOPLE_INDEPENDENT), distances, strict=True):
        known = {"source": source, "pairs": len(made.pairs)}
        if source == INDEPENDENT:
            known |= {f"difference_{end}": getattr(gain, end) for end in ("ci_lower", "ci_upper")}
        yield row_of(PAIR_TABLES, far, **known)


def relation_use(both: Compared) -> Iterator[dict]:
    """Yield how answers go together, as a use of the simulator."""
    if both.associations is not None:
        limit, same = limit_of(both.people.step["uses"], "relations"), both.runs.are_twins
        measure = USES["relations"].measure
        use = if_enough(measure, *both.associations, same_persons=same, limit=limit)
        if use is not None and np.isfinite(use.error):
            yield measured(both.name, use)


TABLES: dict[str, tuple[Callable[[Compared], Iterator[dict]], pa.Schema]] = {
    "structure": (structure_rows, STRUCTURE),
    "associations": (association_rows, ASSOCIATIONS),
    "pair_tables": (pair_table_rows, PAIR_TABLES),
    **spread.TABLES,
}
