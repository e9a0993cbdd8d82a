"""Whether effects of conditions against a control are people's in direction, size and order.

Tables:
    EFFECTS: where the config names an experiment: a row per simulator, question (`outcome`),
        `group` (empty: all people) and `condition`, with the effect against the control: `people`
        and the simulator's (`effect`), each a difference of means as a share of the range of
        answers, with the ends of 1 - alpha intervals `people_lower`, `people_upper`,
        `effect_lower`, `effect_upper` (Welch; by persons where these are in several arms). `n`,
        `n_control`: people in both arms; `draws`, `draws_control`: answers of a simulator that
        draws. [`set_lower`, `set_upper`]: Hoeffding's set of people's effect, where each person has
        one answer. Of the distance of both effects: expectations of `distance_lower` and
        `distance_upper` lie on either side of it, [`distance_ci_lower`, `distance_ci_upper`] holds
        it, `squared` is unbiased and may be negative. `agrees`: the same sign of both estimates;
        `people_certain`: people's sign is on the list of certain ones; `direction`: `same` and
        `opposite` are lists of which at most alpha is wrong on average, else `open`
    EFFECT_SUMMARY: a row per simulator over all effects (`group` empty), with `target` `these` or
        `new` conditions, and one on `differences between groups` (effects less the mean over
        groups); and rows of `no_effect` and of `other_interventions` (the mean effect of the other
        conditions). Numbers of `effects`, and of those that `agree`, are `certain` among people,
        `same`, `opposite` and `open`; `slope` of people's effects on the simulator's,
        `correlation`, `spread_ratio` (the simulator's SD over people's), `mean_squared` difference
        (may be negative by chance), all without the noise of few answers, with the ends of their
        intervals `slope_lower`, `slope_upper`, `correlation_lower`, `correlation_upper`,
        `spread_ratio_lower`, `spread_ratio_upper`, `mean_squared_lower`, `mean_squared_upper`;
        empty where it cannot be told, as ends are of too few `new` conditions. `shift`
        (`shift_lower`, `shift_upper`): the mean of the simulator's effects less people's, empty of
        a conjoint. The mean distance of effects lies in [`mean_ci_lower`, `mean_ci_upper`],
        expectations of `mean_lower` and `mean_upper` on either side of it. `over_no_effect`
        (`over_no_effect_lower`, `over_no_effect_upper`): its mean square less that of effects of 0.
        `picked`: of people's two largest effects of a question, the share that are its two largest,
        too (`picked_by_chance`); `gain` (`gain_lower`, `gain_upper`): people's mean effect of its
        two largest less that of all. `lacking`, `warning`: what is lacking, or makes errors rough,
        and in how many effects a condition has fewer than 5 answers of the rarer of two kinds
    EFFECT_PLAN: with so many `times` as many people, `people` in a condition, the share of people's
        effects whose intervals are expected to exclude 0 (`certain`)
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.effects import (
    Effects,
    compare_effects,
    directions,
    effect_pairs,
    expected_clear,
    lesser_square,
    mean_distance,
    picks,
    without_simulator,
)
from fidelity.effects.comparison import EffectComparison
from fidelity.structure import Interval, if_enough
from fidelity.uses import USES
from fidelity_study.steps.arrays import intervals, row_of
from fidelity_study.steps.experiment import Answered, Experiment
from fidelity_study.steps.structure import NO_SCORES
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.read_write import write_tables
from fidelity_study.tables.uses import MEASURED, limit_of, measured

NO_EFFECTS = "two answers in the control and in a condition"
OF_WEIGHTS = "Weights count within each subgroup only"
OF_FEW = "In {} of {} effects a condition has fewer than 5 answers of the rarer kind"
NO_EFFECT, OTHERS = "no_effect", "other_interventions"
HALF = "half_of_people"
TIMES, BEST, FEWEST = (1, 2, 4, 8), 2, 3
RATIOS, UNKNOWN = ("slope", "correlation", "spread_ratio"), Interval(np.nan, np.nan, np.nan)

EFFECTS = pa.schema(
    [
        *columns(LABEL, "simulator", "outcome", "group", "condition", "control"),
        *columns(pa.int32(), "n", "n_control", "draws", "draws_control"),
        *intervals("people", "effect"),
        *columns(pa.float64(), "set_lower", "set_upper"),
        *columns(pa.float64(), "distance_lower", "distance_upper", "squared"),
        *columns(pa.float64(), "distance_ci_lower", "distance_ci_upper"),
        *columns(pa.bool_(), "agrees", "people_certain"),
        ("direction", LABEL),
    ]
)
EFFECT_SUMMARY = pa.schema(
    [
        *columns(LABEL, "simulator", "group", "target"),
        *columns(pa.int32(), "effects", "agree", "certain", "same", "opposite", "open"),
        *intervals("slope", "correlation", "spread_ratio", "mean_squared", "shift"),
        *columns(pa.float64(), "mean_lower", "mean_upper", "mean_ci_lower", "mean_ci_upper"),
        *intervals("over_no_effect"),
        *columns(pa.float64(), "picked", "picked_by_chance"),
        *intervals("gain"),
        *columns(LABEL, "lacking", "warning"),
    ]
)
EFFECT_PLAN = pa.schema([("times", pa.int32()), *columns(pa.float64(), "people", "certain")])
ALL = ""
DIFFERENCES = "differences between groups"
THESE, NEW = "these", "new"


def effect_tables(answered: Answered) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of the tables, with their schemas."""
    rows, summary, uses = list[dict](), list[dict](), list[dict]()
    experiment, people = answered.experiment, None
    has_scores = experiment.step["outcome"]["kind"] != "categorical"
    for name in (name for name in experiment.step["simulators"] if name not in BASELINES):
        sides = answered.effects(name, experiment.cells.of_everybody) if has_scores else None
        if sides is None:
            summary.append({"simulator": name, "lacking": NO_EFFECTS if has_scores else NO_SCORES})
            continue
        people = sides[0]
        rows += _rows(answered, name, *sides)
        summary += _summaries(answered, name, *sides)
        uses += _uses(answered, name, *sides)
        by_group = answered.effects(name, experiment.cells) if experiment.is_grouped else None
        if by_group is not None:
            rows += _rows(answered, name, *by_group)
            # differences of effects between groups: is it right who responds?
            apart = [side.deviations(1) for side in by_group]
            if apart[0].labels:
                compared = compare_effects(*apart, level=experiment.level)
                summary.append(_summary(compared, simulator=name, group=DIFFERENCES, target=THESE))
    summary += [] if people is None else _baselines(experiment, people)
    return {
        "effects": (rows, EFFECTS),
        "effect_summary": (summary, EFFECT_SUMMARY),
        "effect_plan": ([] if people is None else [*_plan(answered, people)], EFFECT_PLAN),
        "of_effects": (uses, MEASURED),
    }


def _rows(answered: Answered, name: str, people: Effects, simulator: Effects) -> Iterator[dict]:
    """Yield a row for each effect that both sides have."""
    experiment, bounds = answered.experiment, answered.experiment.cells.bounds
    sizes, draws = answered.sizes(people), answered.sizes(simulator, name)
    pairs = effect_pairs(people, simulator, bounds=bounds, level=experiment.level)
    for pair, n, k in zip(pairs, sizes, draws, strict=True):
        known = dict(zip(("n", "n_control", "draws", "draws_control"), (*n, *k), strict=True))
        known |= experiment.keys(pair.label) | {"distance": pair.distance, "set": pair.set}
        yield row_of(EFFECTS, pair.distance, pair, simulator=name, **known)


def _summaries(
    answered: Answered, name: str, people: Effects, simulator: Effects
) -> Iterator[dict]:
    """Yield a simulator's row over these effects, and one over new interventions."""
    experiment, level = answered.experiment, answered.experiment.level
    has_arms, twins = not experiment.is_conjoint, answered.twins(name)
    few = int((people.is_few | simulator.is_few).sum())
    is_weighted = answered.people.weight is not None and experiment.is_grouped
    warnings = {OF_WEIGHTS: is_weighted, OF_FEW.format(few, len(people.labels)): few}
    of_these: dict[str, Any] = {
        "over_no_effect": lesser_square(people, simulator, people.nothing, level=level),
        "warning": ". ".join(note for note, is_so in warnings.items() if is_so) or None,
    }
    picked = if_enough(picks, people, simulator, best=BEST, level=level) if has_arms else None
    if picked is not None:  # the gain is of picks that are settled, the share of settled bests, too
        of_these["picked_by_chance"] = picked.chance
        of_these["picked"] = picked.shared if picked.settled and picked.best_settled else None
        of_these |= {"gain": picked.gain} if picked.settled else {}
    counts = directions(people, simulator, level=1.0 - level).counts
    for target in (THESE, NEW) if has_arms else (THESE,):
        sides, same_persons = twins or (people, simulator), twins is not None
        compared = compare_effects(*sides, target=target, same_persons=same_persons, level=level)
        mean = mean_distance(people, simulator, target=target, level=level)
        known: dict[str, Any] = {"simulator": name, "group": ALL, "target": target, **counts}
        known |= {"mean": mean} | (of_these if target == THESE else {})
        # of a conjoint the shift depends on the attributes' bases
        yield _summary(compared, has_shift=has_arms, **known)


def _summary(compared: EffectComparison, *, has_shift: bool = False, **known: Any) -> dict:
    """Return a row on effects, without ratios of fewer than three."""
    hidden = [*(RATIOS if compared.effects < FEWEST else ()), *(() if has_shift else ("shift",))]
    return row_of(EFFECT_SUMMARY, compared, **(known | dict.fromkeys(hidden, UNKNOWN)))


def _uses(answered: Answered, name: str, people: Effects, simulator: Effects) -> Iterator[dict]:
    """Yield how well sizes of effects, and choices of conditions, may rest on a simulator."""
    limits, twins = answered.experiment.step["uses"], answered.twins(name)
    for use in ("effects",) if answered.experiment.is_conjoint else ("effects", "choices"):
        how = {"same_persons": twins is not None, "limit": limit_of(limits, use)}
        yield measured(name, USES[use].measure(*(twins or (people, simulator)), **how))


def _baselines(experiment: Experiment, people: Effects) -> Iterator[dict]:
    """Yield what would have been reached without a simulator."""
    reached = without_simulator(people, level=experiment.level)
    mean = mean_distance(people, people.nothing, level=experiment.level)
    rows: dict[str, dict] = {
        NO_EFFECT: {"mean_squared": reached.no_effect, "mean": mean},
        HALF: {"mean_squared": reached.half_of_people},
    }
    if not (experiment.is_conjoint or reached.others is None):
        rows[OTHERS] = {"mean_squared": reached.others, "effects": reached.others_of}
    for name, row in rows.items():
        known = {"group": ALL, "target": THESE, "effects": len(people.labels), **row}
        yield row_of(EFFECT_SUMMARY, simulator=name, **known)


def _plan(answered: Answered, people: Effects) -> Iterator[dict]:
    """Yield how many of people's effects would be certain with more people."""
    size = float(np.median(people.sizes[:, 0]))
    if answered.experiment.is_conjoint:
        size = float(len(np.unique(answered.people.unit)))
    for times in TIMES:
        share = expected_clear(people, times, level=answered.experiment.level)
        yield {"times": times, "people": times * size, "certain": share}


def main(snakemake):
    """Compare effects, where the config names the conditions of an experiment."""
    step = snakemake.params.step
    write_tables(snakemake.output, effect_tables(Answered.read(snakemake.input, step)), step)
