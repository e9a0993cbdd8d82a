"""The cells of an experiment, and the answers in them, from the tables of answers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from fidelity.effects import CellAnswers, Cells, Effects
from fidelity.effects.estimates import Label, paired
from fidelity.structure import TooFewError, if_enough
from fidelity_study.reading.settings import bases_of, check_control, in_order, parts_of
from fidelity_study.steps.answer_tables import Columns
from fidelity_study.steps.arrays import numbers, only
from fidelity_study.tables.ingest import (
    BETWEEN,
    HUMAN,
    OUTCOMES,
    RESPONDENTS,
    RUNS,
    SCENARIOS,
    STATED,
)
from fidelity_study.tables.read_write import read


@dataclass(frozen=True)
class Experiment:
    """The scenarios of an experiment.

    Attributes:
        cells: of the scenarios, m.
        asked: the scenarios' questions, with scores.
        step: the settings.
    """

    cells: Cells
    asked: Columns
    step: dict

    @classmethod
    def of(cls, scenarios: pa.Table, step: dict) -> "Experiment":
        """Take the scenarios apart."""
        names, groups = scenarios["scenario"].to_pylist(), step["groups"]
        effects, dataset = step["effects"], step["dataset"]
        check_control(effects, groups, names, dataset)
        asked, parts, bases = Columns.of(scenarios, step), parts_of(names, groups), {}
        if effects["attributes"]:
            bases = bases_of(effects, names, dataset)
        else:
            at = 1 + groups.index(effects["condition"])
            parts = [[row[0], BETWEEN.join(row[1:at] + row[at + 1 :]), row[at]] for row in parts]
        bounds = (0.0, 1.0) if np.isfinite(asked.ends).all() else None
        cells = Cells(np.array(parts, object), str(effects.get("control")), bases, bounds)
        return cls(cells, asked, step)

    @property
    def level(self) -> float:
        """The confidence of intervals."""
        return 1.0 - self.step["test"]["alpha"]

    @property
    def is_conjoint(self) -> bool:
        """Whether conditions are levels of several attributes."""
        return bool(self.cells.bases)

    @property
    def is_grouped(self) -> bool:
        """Whether effects may differ between groups."""
        return not self.is_conjoint and len(set(self.cells.labels[:, 1])) > 1

    def keys(self, label: Label) -> dict[str, str]:
        """Return the columns that identify an effect, and what it is against."""
        outcome, group, condition = label
        control = self.cells.against(label)[2]
        if self.is_conjoint:
            group, condition, control = "", f"{group}: {condition}", f"{group}: {control}"
        keys = outcome, group, condition, control
        return dict(zip(("outcome", "group", "condition", "control"), keys, strict=True))

    def placed(self, rows: pa.Table) -> tuple[np.ndarray, np.ndarray]:
        """Return the cell of each row, and its answer as a share of the range if it has one."""
        place, scores = self.asked.scored(rows)
        if self.cells.bounds is None:
            return place, scores
        low, high = self.asked.ends[self.asked.of_scenario[place]].T
        return place, (scores - low) / np.where(high > low, high - low, 1.0)

    def by_unit(self, rows: pa.Table, profile: str, unit: np.ndarray | None = None) -> CellAnswers:
        """Return answers of named units, by default PSUs or else what the column ``profile`` names.

        That is also what profiles of a conjoint are named by.
        """
        if unit is None:
            psu = numbers(rows["psu"])
            unit = np.where(np.isnan(psu), numbers(rows[profile]), -1.0 - psu)
        weight = numbers(rows["weight"]) if "weight" in rows.column_names else np.ones(1)
        shown = numbers(rows[profile]) if self.is_conjoint else None
        weights = None if (np.isnan(weight) | (weight == 1.0)).all() else weight
        return CellAnswers(*self.placed(rows), unit, weights, shown)

    def counted(self, outcomes: pa.Table) -> CellAnswers:
        """Return answers of nobody in particular, each of somebody else."""
        times = np.round(numbers(outcomes["count"])).astype(int)
        place, values = (np.repeat(part, times) for part in self.placed(outcomes))
        return CellAnswers(place, values, np.arange(len(place)))

    def ordered(self, effects: Effects) -> Effects:
        """Return effects with conditions that are numbers in their order; attributes as named."""
        names = [*self.cells.bases]

        def place(row: int) -> tuple:
            outcome, group, condition = effects.labels[row]
            return outcome, names.index(group) if names else group, in_order(condition)

        return effects.take(sorted(range(len(effects.labels)), key=place))


@dataclass(frozen=True)
class Answered:
    """All answers, from which the sides are taken."""

    experiment: Experiment
    outcomes: pa.Table
    stated: pa.Table
    respondents: pa.Table
    runs: pa.Table

    @classmethod
    def read(cls, files, step: dict) -> "Answered":
        """Read a step's input files."""
        return cls(
            Experiment.of(read(files.scenarios, SCENARIOS), step),
            read(files.outcomes, OUTCOMES),
            read(files.stated, STATED),
            read(files.respondents, RESPONDENTS),
            read(files.runs, RUNS),
        )

    @cached_property
    def people(self) -> CellAnswers:
        """People's answers."""
        if len(self.respondents):
            return self.experiment.by_unit(self.respondents, "respondent")
        return self.experiment.counted(only(self.outcomes, source=HUMAN))

    def simulated(self, name: str) -> CellAnswers | None:
        """Return a simulator's answers; None where it states probabilities."""
        runs = only(self.runs, source=name)
        if len(only(self.stated, source=name)):
            return None
        if len(runs):
            return self.experiment.by_unit(runs, "run")
        return self.experiment.counted(only(self.outcomes, source=name))

    def effects(self, name: str, cells: Cells) -> tuple[Effects, Effects] | None:
        """Return people's effects and a simulator's; None if none is on both sides."""
        side = self.simulated(name)
        try:
            people = self.experiment.ordered(cells.effects(self.people))
            if side is None:
                return paired(people, cells.stated(*self._stated(name), people.labels))
            return paired(people, cells.effects(side))
        except TooFewError:
            return None

    def sizes(self, effects: Effects, name: str | None = None) -> np.ndarray:
        """Return how much answered in the arms of effects, of people or a simulator, (E, 2)."""
        given = self.people if name is None else self.simulated(name)
        if given is None:
            return np.full((len(effects.labels), 2), np.nan)
        return self.experiment.cells.sizes(effects, given)

    def _stated(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean that a simulator states in each cell, and how many people answered."""
        rows, many = only(self.stated, source=name), len(self.experiment.cells.labels)
        place, values = self.experiment.placed(rows)
        mean = np.bincount(place, values * numbers(rows["probability"]), many)
        mean[np.bincount(place, minlength=many) == 0] = np.nan
        return mean, np.bincount(self.people.cell, minlength=many)

    def twins(self, name: str) -> tuple[Effects, Effects] | None:
        """Return the effects of persons who have a twin, and of the twins; None without twins."""
        runs = only(self.runs, source=name)
        if not len(runs) or runs["respondent"].null_count or not len(self.respondents):
            return None
        twins = self.experiment.by_unit(runs, "run", numbers(runs["respondent"]))
        return if_enough(self.experiment.cells.of_everybody.of_twins, self.people, twins)
