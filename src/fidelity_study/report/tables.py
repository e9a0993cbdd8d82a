"""The finished tables of a dataset: their rows and curves, and the settings they were made with."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fidelity.sets.gamma import parse_sides
from fidelity_study.steps.arrays import cell_slices, numbers
from fidelity_study.steps.cases import DRAWN, TRUE
from fidelity_study.steps.corrections import CORRECTIONS
from fidelity_study.steps.draws import STATED_FORM
from fidelity_study.steps.effects import EFFECT_PLAN, EFFECT_SUMMARY, EFFECTS
from fidelity_study.steps.envelope import ENVELOPE, ENVELOPE_SHARES
from fidelity_study.steps.groups import BETWEEN_GROUPS, BY_GROUP
from fidelity_study.steps.hybrids import HYBRIDS
from fidelity_study.steps.intervals import INTERVALS
from fidelity_study.steps.limits import LIMITS, LISTS
from fidelity_study.steps.mean_discrepancy import BY_CLUSTER, MEAN_DIFFERENCES, MEAN_DISCREPANCY
from fidelity_study.steps.new_questions import QUESTIONS
from fidelity_study.steps.people_reference import PEOPLE_REFERENCE
from fidelity_study.steps.plan import ISO_WIDTH, MEAN_PLANS, PLANS
from fidelity_study.steps.predict import HELD_OUT, NEAREST, PREDICTIONS
from fidelity_study.steps.prompts import PROMPTS
from fidelity_study.steps.quantile import QUANTILE, SUMMARY
from fidelity_study.steps.sequence import DRIFT, SEQUENCE
from fidelity_study.steps.structure import (
    ASSOCIATIONS,
    DISPERSION,
    GROUP_DIFFERENCES,
    SCALES,
    STRUCTURE,
)
from fidelity_study.steps.target import MEANS as TARGET_MEANS
from fidelity_study.steps.twins import TWINS
from fidelity_study.steps.vectors import DISTANCES, EXAMPLES, FEATURES, PATHS, PROJECTION, TOLD
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, read_csv

CELL = ["simulator", "k", "confidence_set", "gamma", "discrepancy", "replicate"]
CURVES = ["tau", "lower", "plugin", "upper", "certified_upper", "oracle"]


def having(rows: list[dict], cell: dict) -> list[dict]:
    """Return the rows that have a cell's values."""
    return [row for row in rows if row.items() >= cell.items()]


def first(rows: list[dict], **cell) -> dict:
    """Return the first row that has a cell's values; empty if there is none."""
    return next(iter(having(rows, cell)), {})


def grouped(rows: Iterable[dict], *keys: str) -> dict:
    """Return rows by the values of a column, or of several, the first ones first."""
    groups: dict[Any, list[dict]] = {}
    for row in rows:
        values = tuple(row[key] for key in keys)
        groups.setdefault(values if len(keys) > 1 else values[0], []).append(row)
    return groups


def rows(
    schema: pa.Schema,
    file: str,
    stem: str | None = None,
    keep: Callable[[dict], bool] | None = None,
) -> cached_property:
    """Return a property with the rows of a table; none where the config doesn't ask for it.

    Args:
        schema: of the table.
        file: what its paths are called among :attr:`Tables.files`.
        stem: the file's name, where these are paths of several tables.
        keep: which rows are wanted; None for all.
    """

    def read_rows(results: "Tables") -> list[dict]:
        paths = results.files.get(file, [])
        return [
            row
            for path in (paths if isinstance(paths, list) else [paths])
            if stem in (None, Path(path).stem)
            for row in read(path, schema).to_pylist()
            if keep is None or keep(row)
        ]

    return cached_property(read_rows)


def is_as_answered(row: dict) -> bool:
    """Return whether a row is about what a simulator states, or about the answers that it drew."""
    return row["k"] == STATED_FORM or row["answers"] == DRAWN


def is_behind_draws(row: dict) -> bool:
    """Return whether a row is about the probabilities that a simulator draws its answers from."""
    return row["k"] != STATED_FORM and row["answers"] == TRUE


def curves_of(
    table: pa.Table, keys: list[str], columns: Iterable[str]
) -> dict[tuple, dict[str, np.ndarray]]:
    """Return the curves of each cell of a table: its columns, (tau,), by the values of its keys."""
    ordered, slices = cell_slices(table, keys)
    values = {name: numbers(ordered[name]) for name in columns}
    return {
        tuple(cell.values()): {name: value[rows] for name, value in values.items()}
        for cell, rows in slices
    }


@dataclass(frozen=True)
class Tables:
    """The tables of a study on one dataset.

    ``step`` holds the part of the config that figures need; ``files`` the paths: ``curves`` and
    ``summaries`` (one for each n), and ``scenarios``; ``plan`` (paths, or none).
    Single numbers are those of the first replicate, of which the guarantees speak.

    Attributes:
        plans, mean_plans, iso_width: of curves, of means, and points of the lines of equal width.
        prompts: on the prompts of each model together.
        looks, drift: intervals after every unit, and whether simulators' later halves differ.
        predictions, held_out_predictions, nearest_asked, new_questions: on questions that people
            were not asked: ranges, their coverage where questions are left out, the nearest ones.
        target_means: mean discrepancies of questions that will be asked.
        corrections, hybrids: what correcting gains, and a few people and a simulator together.
        intervals: the coverage of intervals.
        mean_discrepancies, cluster_means: between bounds, of the answers that were drawn where they
            are drawn; over these scenarios, over new ones, and over the worst tenth of these.
        means_behind: those of the probabilities that simulators draw from.
        mean_differences: of every two simulators.
        lists: the scenarios on the lists of each tolerance.
        limits: the steps at which scenarios enter and leave them.
        structure, associations, scales: how answers to several scenarios go together.
        dispersion, group_differences: how far answers, and groups of people, lie apart.
        by_group, between_groups: mean discrepancies by group of people, and their differences.
        twins: what simulators' twins know of their persons.
        effects, effect_summary, effect_plan: effects of an experiment's conditions, how
            simulators' compare with people's, and how many people would make them certain.
        told_shares, distances, telling_features, examples, projection, paths: of answers that are
            points.
        nonresponse: rows of nonresponse.csv.
    """

    step: dict
    files: dict

    plans = rows(PLANS, "plan", "plans")
    mean_plans = rows(MEAN_PLANS, "plan", "means")
    iso_width = rows(ISO_WIDTH, "plan", "iso_width")
    prompts = rows(PROMPTS, "prompts")
    looks = rows(SEQUENCE, "sequence")
    drift = rows(DRIFT, "drift")
    predictions = rows(PREDICTIONS, "predictions", "predictions")
    held_out_predictions = rows(HELD_OUT, "predictions", "held_out")
    nearest_asked = rows(NEAREST, "predictions", "nearest")
    new_questions = rows(QUESTIONS, "new_questions")
    target_means = rows(TARGET_MEANS, "target", keep=is_as_answered)
    corrections = rows(CORRECTIONS, "corrections")
    hybrids = rows(HYBRIDS, "hybrids")
    intervals = rows(INTERVALS, "calibration", "intervals")
    mean_discrepancies = rows(MEAN_DISCREPANCY, "mean_discrepancy", keep=is_as_answered)
    means_behind = rows(MEAN_DISCREPANCY, "mean_discrepancy", keep=is_behind_draws)
    cluster_means = rows(BY_CLUSTER, "by_cluster", keep=is_as_answered)
    mean_differences = rows(MEAN_DIFFERENCES, "mean_differences")
    lists = rows(LISTS, "lists")
    limits = rows(LIMITS, "limits")
    _certified = rows(ENVELOPE_SHARES, "envelope_shares")
    nonresponse = cached_property(lambda results: read_csv(results.files["nonresponse"]))
    people_reference = rows(PEOPLE_REFERENCE, "people_reference")
    structure = rows(STRUCTURE, "structure")
    associations = rows(ASSOCIATIONS, "associations")
    scales = rows(SCALES, "scales")
    dispersion = rows(DISPERSION, "dispersion")
    group_differences = rows(GROUP_DIFFERENCES, "group_differences")
    by_group = rows(BY_GROUP, "by_group")
    between_groups = rows(BETWEEN_GROUPS, "between_groups")
    twins = rows(TWINS, "twins")
    effects = rows(EFFECTS, "effects", "effects")
    effect_summary = rows(EFFECT_SUMMARY, "effect_summary", "effect_summary")
    effect_plan = rows(EFFECT_PLAN, "effect_plan", "effect_plan")
    told_shares = rows(TOLD, "told")
    distances = rows(DISTANCES, "distances")
    telling_features = rows(FEATURES, "features")
    examples = rows(EXAMPLES, "examples")
    projection = rows(PROJECTION, "projection")
    paths = rows(PATHS, "paths")

    @property
    def level(self) -> str:
        """The confidence of intervals, in per cent."""
        return f"{100 * (1 - self.step['test']['alpha']):g} %"

    @property
    def bound_level(self) -> str:
        """The confidence of bounds that are certain at this number of scenarios, in per cent."""
        return f"{100 * (1 - self.step['eta']):g} %"

    @property
    def noun(self) -> str:
        """The word for a scenario."""
        return self.step["noun"][0]

    @property
    def nouns(self) -> str:
        """The word for several scenarios."""
        return self.step["noun"][1]

    @property
    def ns(self) -> list[str]:
        """Labels of the n of the grid, in the order of the config."""
        return [str(n) for n in self.step["n"]]

    @property
    def gammas(self) -> list[str]:
        """Labels of the coverages."""
        return [self.label(gamma) for gamma in self.step["gamma"]]

    def label(self, gamma: float | dict) -> str:
        """Return the name of a coverage in tables."""
        return parse_sides(gamma).label

    @property
    def pairs(self) -> dict[str, list[str]]:
        """Confidence sets of each discrepancy."""
        return self.step["pairs"]

    @cached_property
    def _curves(self) -> dict[tuple, np.ndarray]:
        """(n, simulator, k, set, γ, discrepancy) -> the curves (R, 5, tau) of R replicates."""
        by_replicate: dict[tuple, dict[int, list[np.ndarray]]] = defaultdict(dict)
        paths = self.files["curves"]
        for n, path in zip(self.ns if paths else [], paths, strict=True):
            for (*cell, replicate), curves in curves_of(read(path, QUANTILE), CELL, CURVES).items():
                by_replicate[n, *cell][replicate] = list(curves.values())
        return {
            cell: np.array([replicates[i] for i in sorted(replicates)])
            for cell, replicates in by_replicate.items()
        }

    @property
    def replicates(self) -> int:
        """How many replicates there are."""
        return max(map(len, self._curves.values()), default=1)

    def curve(self, *cell: str) -> dict | None:
        """Return the curves of one cell, each (tau,), means over the replicates.

        ``cell``: n, simulator, k, set, γ and discrepancy. None where the simulator has no such k.
        """
        return self._named(cell, lambda curves: curves.mean(axis=0))

    def first_curve(self, *cell: str) -> dict | None:
        """Return :meth:`curve` of the first replicate, of which finite-sample guarantees speak."""
        return self._named(cell, lambda curves: curves[0])

    def _named(self, cell: tuple, which) -> dict | None:
        if cell not in self._curves:
            return None
        return dict(zip(CURVES, which(self._curves[cell]), strict=True))

    @cached_property
    def summary(self) -> list[dict]:
        """Rows of the summaries of the first replicate, with their n; none without curves."""
        paths = self.files["summaries"]
        return [
            {"n": n, **row}
            for n, path in zip(self.ns if paths else [], paths, strict=True)
            for row in read(path, SUMMARY).to_pylist()
            if row["replicate"] == 0
        ]

    def summary_rows(self, **cell) -> list[dict]:
        """Return the rows of the summary that have these values."""
        return having(self.summary, cell)

    @cached_property
    def scenarios(self) -> pa.Table:
        """The scenarios, as their table has them."""
        return read(self.files["scenarios"], SCENARIOS)

    @cached_property
    def envelope(self) -> dict[tuple, dict[str, np.ndarray]]:
        """(simulator, k, set, discrepancy) -> the curves over all scenarios, at the last n.

        Each has tau, lower, upper, certified_upper, familywise_upper, (tau,); none if the config
        wants no envelope.
        """
        columns = ("tau", "lower", "upper", "certified_upper", "familywise_upper")
        curves: dict[tuple, dict[str, np.ndarray]] = {}
        for path in self.files["envelope"]:
            table = read(path, ENVELOPE)
            table = table.filter(pc.is_null(table["cluster"]))
            curves |= curves_of(table, ["simulator", "k", "confidence_set", "discrepancy"], columns)
        return curves

    @cached_property
    def sequence(self) -> list[dict]:
        """What was known of each simulator after the last unit; none without ``sequential``."""
        keys = ("simulator", "other", "k", "discrepancy")
        return list({tuple(row[key] for key in keys): row for row in self.looks}.values())

    def certified(self, **cell) -> dict:
        """Return the row of the envelope's certified bounds of a simulator; empty without one."""
        return first(self._certified, cluster=None, **cell)
