"""Curves and means for questions that will be asked next, of which only features are known.

Tables:
    MEANS: if `target` names questions that will be asked: the mean discrepancy of a population with
        their features, a row per simulator, k, discrepancy and `answers`, as in `mean_discrepancy`:
        `lower` and `upper` enclose it in expectation, [`ci_lower`, `ci_upper`] with a probability
        of about 1 - alpha. `m` questions asked, which weigh as much as `effective_scenarios` equal
        ones; `method`: which features were balanced; `reason`: why there is no number, where the
        questions are too unlike
    CURVES: the upper curve of each cell at `tau` for these questions (asymptotic); no rows where
        they are too unlike
    BALANCE: the mean of each `feature` over the questions `asked`, over the `target`, and over
        those asked as `weighted` (empty where the target is refused)
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import effective_clusters, grouped
from fidelity.curves.target import weighted_quantile_curve
from fidelity.means.balanced import Moments, balanced_mean, balanced_weights, feature_moments
from fidelity_study.reading.tabular.target import target_features
from fidelity_study.steps.arrays import first_replicate, row_of
from fidelity_study.steps.cases import Case, cases_of
from fidelity_study.steps.cells import cells_by_sides
from fidelity_study.steps.curves import TAU, curve_rows
from fidelity_study.steps.pseudo_discrepancy import PSEUDO_DISCREPANCY
from fidelity_study.tables.common import CELL, LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

OF_SIMULATOR = columns(LABEL, "simulator", "k", "discrepancy", "answers")
ENDS = columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper")
MEANS = pa.schema(
    [
        *OF_SIMULATOR,
        ("m", pa.int32()),
        ("effective_scenarios", pa.float64()),
        *ENDS,
        *columns(LABEL, "method", "reason"),
    ]
)
CURVES = pa.schema([("simulator", LABEL), *CELL, *columns(pa.float64(), "tau", "upper")])
BALANCE = pa.schema([("feature", LABEL), *columns(pa.float64(), "asked", "target", "weighted")])


class Asked(NamedTuple):
    """The questions asked, as means for the target see them.

    Attributes:
        moments: of all features; what is balanced.
        clusters: a label for each, (m,), if these group them and are no feature; else None.
        method: says what was balanced.
    """

    moments: Moments
    clusters: np.ndarray | None
    method: str

    @classmethod
    def of(cls, scenarios: pa.Table, step: dict) -> "Asked":
        """Read the features.

        Where a feature tells the cluster, its share is balanced: clusters are those of the target,
        and not drawn.
        """
        here, there = target_features(step, scenarios.to_pandas())
        clusters = grouped(np.array(scenarios["cluster"].to_pylist()))
        if clusters is not None and any(
            len({*zip(column, clusters, strict=True)}) == len({*column})
            for column in here.values()
            if isinstance(column[0], str)
        ):
            clusters = None
        method = f"approximate; balanced: {', '.join(here)}"
        return cls(feature_moments(here, there), clusters, method)

    def weights(self, rows: np.ndarray) -> tuple[np.ndarray, Moments]:
        """Return the weights of some questions, and their moments; ValueError if refused."""
        moments = self.moments._replace(
            scenarios=self.moments.scenarios[rows], possible=self.moments.possible[rows]
        )
        return balanced_weights(moments, self._labels(rows)), moments

    def mean(self, case: Case, answers: str, alpha: float) -> dict:
        """Return a row of ``MEANS``."""
        rows = case.own.rows
        known = {**case.form(answers), "m": len(rows), "method": self.method}
        try:
            weights, moments = self.weights(rows)
        except ValueError as error:
            return row_of(MEANS, reason=str(error), **known)
        limits = balanced_mean(
            case.bounds[answers],
            weights,
            moments,
            clusters=self._labels(rows),
            respondents=case.responses.respondents,
            level=1.0 - alpha,
        )
        return row_of(MEANS, limits, effective_scenarios=effective_clusters(weights), **known)

    def balance(self) -> Iterator[dict]:
        """Yield rows of ``BALANCE``; weighted means are null where the target is refused."""
        every = np.arange(len(self.moments.possible))
        weighted: list[float | None] = [None] * len(self.moments.names)
        with suppress(ValueError):
            weighted = (self.weights(every)[0] @ self.moments.scenarios).tolist()
        means = self.moments.scenarios.mean(0), self.moments.target, weighted
        for name, *values in zip(self.moments.names, *means, strict=True):
            yield {"feature": name, **dict(zip(BALANCE.names[1:], values, strict=True))}

    def curves(self, table: pa.Table, scenarios: pa.Table, gamma: list) -> pa.Table:
        """Return ``CURVES`` of pseudo-discrepancies; no rows where the target is refused."""
        drawn = []
        for cell, arrays in cells_by_sides(table, scenarios, gamma):
            try:
                weights, _ = self.weights(arrays["scenario"])
            except ValueError:
                continue
            upper = weighted_quantile_curve(arrays["upper"], arrays["gamma_j"], TAU, weights)
            drawn.append((cell, {"upper": upper}))
        return curve_rows(drawn, CURVES)

    def _labels(self, rows: np.ndarray) -> np.ndarray | None:
        return None if self.clusters is None else self.clusters[rows]


def main(snakemake):
    """Estimate curves and means for the questions that will be asked next."""
    step, files = snakemake.params.step, snakemake.input
    scenarios = read(files.scenarios, SCENARIOS)
    judged = cases_of(files, step)
    table = first_replicate(read(files.pseudo_discrepancy, PSEUDO_DISCREPANCY))
    asked = Asked.of(scenarios, step)
    alpha = step["test"]["alpha"]
    means = [asked.mean(case, answers, alpha) for case in judged for answers in case.answers]
    made = {
        "means": (means, MEANS),
        "curves": (asked.curves(table, scenarios, step["gamma"]), CURVES),
        "balance": (asked.balance(), BALANCE),
    }
    write_tables(snakemake.output, made, step)
