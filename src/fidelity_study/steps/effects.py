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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.baselines.base import BASELINES
from fidelity.effects import (
    Effects,
    arm_effects,
    compare_effects,
    directions,
    effect_distances,
    effect_set,
    expected_clear,
    lesser_square,
    marginal_effects,
    mean_distance,
    picks,
    stated_effects,
    without_simulator,
)
from fidelity.effects.comparison import EffectComparison
from fidelity.effects.distances import EffectDistances
from fidelity.effects.estimates import Label, paired
from fidelity.structure.estimates import Interval
from fidelity.structure.weights import person_weights
from fidelity.uses import USES
from fidelity_study.reading.settings import bases_of, check_control, in_order, parts_of
from fidelity_study.steps.arrays import codes, intervals, numbers, only, row_of
from fidelity_study.steps.structure import NO_SCORES, Columns
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import (
    BETWEEN,
    HUMAN,
    OUTCOMES,
    RESPONDENTS,
    RUNS,
    SCENARIOS,
    STATED,
)
from fidelity_study.tables.read_write import read, write_tables
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


class Side(NamedTuple):
    """Answers of people or a simulator, a row each; values are shares of the range of answers.

    Attributes:
        scenario: the place of each row's scenario, (N,).
        value: (N,).
        unit: who answered, (N,).
        weight: (N,), or None.
        profile: of a conjoint, whose levels are in a row each, (N,); else None.
    """

    scenario: np.ndarray
    value: np.ndarray
    unit: np.ndarray
    weight: np.ndarray | None = None
    profile: np.ndarray | None = None

    def among(self, rows: np.ndarray) -> "Side":
        """Return some rows."""
        return Side._make(None if part is None else part[rows] for part in self)


@dataclass(frozen=True)
class Experiment:
    """The scenarios of an experiment.

    Attributes:
        names: of the scenarios, m.
        parts: question, group of people, and condition of each scenario, (m, 3); of a conjoint
            question, attribute and level.
        asked: the scenarios' questions, with scores.
        step: the settings.
    """

    names: list[str]
    parts: np.ndarray
    asked: Columns
    step: dict

    @classmethod
    def of(cls, scenarios: pa.Table, step: dict) -> "Experiment":
        """Take the scenarios apart."""
        names, groups = scenarios["scenario"].to_pylist(), step["groups"]
        check_control(step["effects"], groups, names, step["dataset"])
        asked = Columns.of(scenarios, step)
        if step["effects"]["attributes"]:
            return cls(names, np.array(parts_of(names, groups), object), asked, step)
        at = groups.index(step["effects"]["condition"])
        parts = [
            (question, BETWEEN.join([*values[:at], *values[at + 1 :]]), values[at])
            for question, *values in parts_of(names, groups)
        ]
        return cls(names, np.array(parts, object), asked, step)

    @property
    def level(self) -> float:
        """The confidence of intervals."""
        return 1.0 - self.step["test"]["alpha"]

    @property
    def control(self) -> str:
        """The condition that effects are against."""
        return str(self.step["effects"]["control"])

    def against(self, label: Label) -> Label:
        """Return the label of what an effect is against: the control, or the attribute's base."""
        return self.levels[label] if self.is_conjoint else (*label[:2], self.control)

    @property
    def is_conjoint(self) -> bool:
        """Whether conditions are levels of several attributes."""
        return bool(self.step["effects"]["attributes"])

    @cached_property
    def is_grouped(self) -> bool:
        """Whether effects may differ between groups."""
        return not self.is_conjoint and len(set(self.parts[:, 1])) > 1

    @cached_property
    def levels(self) -> dict[Label, Label]:
        """The label of each scenario of a conjoint, and of that with the attribute's base."""
        return {
            (question, ALL, f"{attribute}: {level}"): (
                *(question, ALL),
                f"{attribute}: {self.bases[attribute]}",
            )
            for question, attribute, level in self.parts
        }

    @cached_property
    def bases(self) -> dict[str, str]:
        """The level of each attribute that the others are against."""
        return bases_of(self.step["effects"], self.names, self.step["dataset"])

    @cached_property
    def is_bounded(self) -> bool:
        """Whether answers have a range."""
        return bool(np.isfinite(self.asked.ends).all())

    def shares(self, place: np.ndarray, values: Sequence[float]) -> np.ndarray:
        """Return the scores of answers as shares of their range; as they are where it has none."""
        scores = np.array(
            [self.asked.scores[j][value] for j, value in zip(place.tolist(), values, strict=True)]
            if self.asked.scores[0]
            else values
        )
        if not self.is_bounded:
            return scores
        low, high = self.asked.ends[self.asked.of_scenario[place]].T
        return (scores - low) / np.where(high > low, high - low, 1.0)

    def ordered(self, effects: Effects) -> Effects:
        """Return effects with conditions that are numbers in their order; attributes as named."""
        names = [*self.step["effects"]["attributes"]]
        places: dict[Label, tuple] = {
            (question, ALL, f"{attribute}: {level}"): (names.index(attribute), in_order(level))
            for question, attribute, level in (self.parts if self.is_conjoint else [])
        }

        def place(row: int) -> tuple:
            question, group, condition = label = effects.labels[row]
            return question, group, places.get(label, in_order(condition))

        return effects.take(sorted(range(len(effects.labels)), key=place))

    def by_unit(self, rows: pa.Table, profile: str, unit: np.ndarray | None = None) -> Side:
        """Return answers of named units, by default PSUs or else what the column ``profile`` names.

        That is also what profiles of a conjoint are named by.
        """
        if unit is None:
            psu = numbers(rows["psu"])
            unit = np.where(np.isnan(psu), numbers(rows[profile]), -1.0 - psu)
        place = codes(rows["scenario"], self.names)
        values = self.shares(place, rows["value"].to_pylist())
        weight = numbers(rows["weight"]) if "weight" in rows.column_names else None
        shown = numbers(rows[profile]) if self.is_conjoint else None
        return Side(place, values, unit, weight, shown)

    def counted(self, outcomes: pa.Table) -> Side:
        """Return answers of nobody in particular, each of somebody else."""
        place = codes(outcomes["scenario"], self.names)
        times = np.round(numbers(outcomes["count"])).astype(int)
        values = self.shares(place, outcomes["value"].to_pylist())
        return Side(np.repeat(place, times), np.repeat(values, times), np.arange(int(times.sum())))

    def effects(self, side: Side, *, by_group: bool) -> Effects:
        """Return effects labelled (question, group, condition)."""
        if self.is_conjoint:
            return self._of_levels(side)
        question, group, condition = self.parts[side.scenario].T
        return arm_effects(
            side.value,
            condition,
            control=self.control,
            outcomes=question,
            groups=group if by_group else np.full(len(group), ALL),
            respondents=side.unit,
            weights=side.weight,
            bounds=(0.0, 1.0) if self.is_bounded else None,
        )

    def _of_levels(self, side: Side) -> Effects:
        """Return the AMCE of levels, labelled (question, "", "attribute: level")."""
        if side.profile is None:
            raise ValueError("answers are not known by profile")
        names = self.step["effects"]["attributes"]
        question, attribute, level = self.parts[side.scenario].T
        weight = None
        if side.weight is not None:
            unit = np.unique(side.profile, return_inverse=True)[1]
            weight = person_weights(unit, side.scenario, side.weight, persons=unit.max() + 1)[unit]
        keys = np.stack([np.unique(question, return_inverse=True)[1], side.profile], 1)
        first, profile = np.unique(keys, axis=0, return_index=True, return_inverse=True)[1:]
        shown = np.full((len(first), len(names)), None, object)
        shown[profile.ravel(), [names.index(name) for name in attribute]] = level
        there = np.array([None not in row for row in shown.tolist()])
        if weight is not None:
            there &= weight[first] > 0.0
        whole, levels = first[there], shown[there].T
        effects = marginal_effects(
            side.value[whole],
            {name: of_row.astype(str) for name, of_row in zip(names, levels, strict=True)},
            outcomes=question[whole].astype(str),
            respondents=side.unit[whole],
            weights=None if weight is None else weight[whole],
            bases=self.bases,
        )
        return replace(
            effects,
            labels=[(asked, ALL, f"{name}: {level}") for asked, name, level in effects.labels],
        )

    def stated(
        self, rows: pa.Table, people: Effects, *, by_group: bool, sizes: np.ndarray
    ) -> Effects:
        """Return effects of stated probabilities; groups count as their people do, (m,)."""
        place = codes(rows["scenario"], self.names)
        values = self.shares(place, rows["value"].to_pylist())
        mean = np.bincount(place, values * numbers(rows["probability"]), len(self.names))
        there = np.bincount(place, minlength=len(self.names)) > 0
        asked = np.flatnonzero(there & (sizes > 0))
        cells = [(one, group if by_group else ALL, two) for one, group, two in self.parts[asked]]
        names = list(dict.fromkeys(cells))
        cell = np.array([names.index(label) for label in cells], int)
        whole = np.bincount(cell, mean[asked] * sizes[asked]) / np.bincount(cell, sizes[asked])
        means: dict[Label, float] = dict(zip(names, whole.tolist(), strict=True))
        pairs = {label: self.against(label) for label in people.labels}
        known = [label for label, base in pairs.items() if label in means and base in means]
        return stated_effects([means[label] - means[pairs[label]] for label in known], known)


@dataclass(frozen=True)
class Answered:
    """All answers, from which the sides are taken."""

    experiment: Experiment
    outcomes: pa.Table
    stated: pa.Table
    respondents: pa.Table
    runs: pa.Table

    @cached_property
    def people(self) -> Side:
        """People's answers."""
        if len(self.respondents):
            is_weighted = pc.any(pc.not_equal(self.respondents["weight"], 1.0)).as_py()
            rows = self.respondents if is_weighted else self.respondents.drop_columns(["weight"])
            return self.experiment.by_unit(rows, "respondent")
        return self.experiment.counted(only(self.outcomes, source=HUMAN))

    @cached_property
    def sizes(self) -> np.ndarray:
        """People's answers in each scenario, (m,)."""
        return np.bincount(self.people.scenario, minlength=len(self.experiment.names))

    def simulated(self, name: str) -> Side | None:
        """Return a simulator's answers; None where it states probabilities."""
        runs = only(self.runs, source=name)
        if len(only(self.stated, source=name)):
            return None
        if len(runs):
            return self.experiment.by_unit(runs, "run")
        return self.experiment.counted(only(self.outcomes, source=name))

    def effects(self, name: str, *, by_group: bool) -> tuple[Effects, Effects] | None:
        """Return people's effects and a simulator's; None if none is on both sides."""
        side = self.simulated(name)
        try:
            people = self.experiment.effects(self.people, by_group=by_group)
            people = self.experiment.ordered(people)
            if side is None:
                rows = only(self.stated, source=name)
                simulator = self.experiment.stated(
                    rows, people, by_group=by_group, sizes=self.sizes
                )
            else:
                simulator = self.experiment.effects(side, by_group=by_group)
            return paired(people, simulator)
        except ValueError:
            return None

    def twins(self, name: str) -> tuple[Effects, Effects] | None:
        """Return the effects of persons who have a twin, and of the twins; None without twins."""
        runs = only(self.runs, source=name)
        if not len(runs) or runs["respondent"].null_count or not len(self.respondents):
            return None
        person = numbers(runs["respondent"])
        both = np.intersect1d(person, self.people.unit)
        twin = self.experiment.by_unit(runs, "run", person)
        try:
            people, simulator = (
                self.experiment.effects(side.among(np.isin(side.unit, both)), by_group=False)
                for side in (self.people, twin)
            )
        except ValueError:  # too few persons have twins, or people's units are PSUs
            return None
        alike = people.influence.shape == simulator.influence.shape
        return (people, simulator) if alike else None


def effect_tables(answered: Answered) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of the tables, with their schemas."""
    rows, summary, uses = list[dict](), list[dict](), list[dict]()
    experiment = answered.experiment
    has_scores = experiment.step["outcome"]["kind"] != "categorical"
    people: Effects | None = None
    for name in (name for name in experiment.step["simulators"] if name not in BASELINES):
        sides = answered.effects(name, by_group=False) if has_scores else None
        if sides is None:
            summary.append({"simulator": name, "lacking": NO_EFFECTS if has_scores else NO_SCORES})
            continue
        people = sides[0]
        rows += _rows(answered, name, *sides)
        summary += _summaries(answered, name, *sides)
        uses += _uses(answered, name, *sides)
        by_group = answered.effects(name, by_group=True) if experiment.is_grouped else None
        if by_group is not None:
            rows += _rows(answered, name, *by_group)
            summary += _heterogeneity(experiment, name, *by_group)
    summary += [] if people is None else _baselines(experiment, people)
    plan = [] if people is None else [*_plan(answered, people)]
    return {
        "effects": (rows, EFFECTS),
        "effect_summary": (summary, EFFECT_SUMMARY),
        "effect_plan": (plan, EFFECT_PLAN),
        "of_effects": (uses, MEASURED),
    }


def _sizes(experiment: Experiment, side: Side | None, effects: Effects) -> np.ndarray:
    """Return how many units the arms of effects have, (E, 2); of a conjoint how many profiles."""
    if side is None or not experiment.is_conjoint:
        return effects.sizes
    there = np.bincount(side.scenario, minlength=len(experiment.names)).tolist()
    n = dict(zip(experiment.levels, there, strict=True))
    return np.array([(n[label], n[experiment.against(label)]) for label in effects.labels])


def _rows(answered: Answered, name: str, people: Effects, simulator: Effects) -> Iterator[dict]:
    """Yield a row for each effect that both sides have."""
    experiment, level = answered.experiment, answered.experiment.level
    distances = effect_distances(people, simulator, level=level)
    signs = directions(people, simulator, level=1.0 - level)
    ends, drawn_ends = people.intervals(level), simulator.intervals(level)
    sets = _sets(experiment, people)
    sizes = _sizes(experiment, answered.people, people)
    draws = _sizes(experiment, answered.simulated(name), simulator)
    known_draws = np.full(draws.shape, np.nan) if simulator.is_stated else draws
    for row, label in enumerate(people.labels):
        distance = EffectDistances._make(column[row] for column in distances)
        yield row_of(
            EFFECTS,
            simulator=name,
            **dict(zip(("outcome", "group", "condition"), label, strict=True)),
            control=experiment.against(label)[2],
            **dict(zip(("n", "n_control"), sizes[row], strict=True)),
            **dict(zip(("draws", "draws_control"), known_draws[row], strict=True)),
            people=Interval(people.estimate[row], *ends[row]),
            effect=Interval(simulator.estimate[row], *drawn_ends[row]),
            **dict(zip(("set_lower", "set_upper"), sets[row], strict=True)),
            distance=distance,
            squared=distance.squared,
            agrees=signs.agree[row],
            people_certain=signs.people[row],
            direction=signs.verdicts[row],
        )


def _sets(experiment: Experiment, people: Effects) -> np.ndarray:
    """Return Hoeffding's set of each effect, (E, 2); NaN where it does not hold."""
    nothing = np.full((len(people.labels), 2), np.nan)
    if not experiment.is_bounded:
        return nothing
    try:
        return effect_set(people, bounds=(0.0, 1.0), level=experiment.level)
    except ValueError:
        return nothing


def _summaries(
    answered: Answered, name: str, people: Effects, simulator: Effects
) -> Iterator[dict]:
    """Yield a simulator's row over these effects, and one over new interventions."""
    experiment, level = answered.experiment, answered.experiment.level
    counts = directions(people, simulator, level=1.0 - level).counts
    twins = answered.twins(name)
    same_persons, has_arms = twins is not None, not experiment.is_conjoint
    zero = stated_effects(np.zeros(len(people.labels)), people.labels)
    for target in (THESE, NEW) if has_arms else (THESE,):
        known: dict[str, Any] = {"simulator": name, "group": ALL, "target": target, **counts}
        known["mean"] = mean_distance(people, simulator, target=target, level=level)
        if target == THESE:
            known["over_no_effect"] = lesser_square(people, simulator, zero, level=level)
            known |= _picked(people, simulator, level) if has_arms else {}
            few = int((people.is_few | simulator.is_few).sum())
            is_weighted = answered.people.weight is not None and experiment.is_grouped
            warnings = [OF_WEIGHTS] if is_weighted else []
            warnings += [OF_FEW.format(few, len(people.labels))] if few else []
            known["warning"] = ". ".join(warnings) or None
        compared = compare_effects(
            *(twins or (people, simulator)), target=target, same_persons=same_persons, level=level
        )
        # of a conjoint the shift depends on the attributes' bases
        yield _summary(compared, has_shift=has_arms, **known)


def _summary(compared: EffectComparison, *, has_shift: bool = False, **known: Any) -> dict:
    """Return a row on effects, without ratios of fewer than three."""
    hidden = [*(RATIOS if compared.effects < FEWEST else ()), *(() if has_shift else ("shift",))]
    return row_of(EFFECT_SUMMARY, compared, **(known | dict.fromkeys(hidden, UNKNOWN)))


def _picked(people: Effects, simulator: Effects, level: float) -> dict:
    """Return what becomes of the best two as columns; none where there are no more than two.

    The gain is that of the simulator's picks, if they are settled; the share that is people's best
    takes those to be settled, too.
    """
    try:
        picked = picks(people, simulator, best=BEST, level=level)
    except ValueError:
        return {}
    is_best = picked.settled and picked.best_settled
    gain = {"gain": picked.gain} if picked.settled else {}
    return {"picked_by_chance": picked.chance, "picked": picked.shared if is_best else None, **gain}


def _uses(answered: Answered, name: str, people: Effects, simulator: Effects) -> Iterator[dict]:
    """Yield how well sizes of effects, and choices of conditions, may rest on a simulator."""
    limits, twins = answered.experiment.step["uses"], answered.twins(name)
    for use in ("effects",) if answered.experiment.is_conjoint else ("effects", "choices"):
        how = {"same_persons": twins is not None, "limit": limit_of(limits, use)}
        yield measured(name, USES[use].measure(*(twins or (people, simulator)), **how))


def _heterogeneity(
    experiment: Experiment, name: str, people: Effects, simulator: Effects
) -> Iterator[dict]:
    """Yield a row on differences of effects between groups: is it right who responds?"""
    people, simulator = people.deviations(1), simulator.deviations(1)
    if people.labels:
        compared = compare_effects(people, simulator, level=experiment.level)
        yield _summary(compared, simulator=name, group=DIFFERENCES, target=THESE)


def _baselines(experiment: Experiment, people: Effects) -> Iterator[dict]:
    """Yield what would have been reached without a simulator."""
    level, many = experiment.level, len(people.labels)
    reached = without_simulator(people, level=level)
    mean = mean_distance(people, stated_effects(np.zeros(many), people.labels), level=level)
    rows: list[dict] = [
        {"simulator": NO_EFFECT, "mean_squared": reached.no_effect, "mean": mean},
        {"simulator": HALF, "mean_squared": reached.half_of_people},
    ]
    if not (experiment.is_conjoint or reached.others is None):
        of_others = {"effects": reached.others_of, "mean_squared": reached.others}
        rows.append({"simulator": OTHERS, **of_others})
    for row in rows:
        yield row_of(EFFECT_SUMMARY, group=ALL, target=THESE, **{"effects": many, **row})


def _plan(answered: Answered, people: Effects) -> Iterator[dict]:
    """Yield how many of people's effects would be certain with more people."""
    size = float(np.median(_sizes(answered.experiment, answered.people, people)[:, 0]))
    if answered.experiment.is_conjoint:
        size = float(len(np.unique(answered.people.unit)))
    for times in TIMES:
        share = expected_clear(people, times, level=answered.experiment.level)
        yield {"times": times, "people": times * size, "certain": share}


def main(snakemake):
    """Compare effects, where the config names the conditions of an experiment."""
    step, files = snakemake.params.step, snakemake.input
    scenarios = read(files.scenarios, SCENARIOS)
    answered = Answered(
        Experiment.of(scenarios, step),
        read(files.outcomes, OUTCOMES),
        read(files.stated, STATED),
        read(files.respondents, RESPONDENTS),
        read(files.runs, RUNS),
    )
    write_tables(snakemake.output, effect_tables(answered), step)
