"""Whether regressions fitted to simulators' answers say what those fitted to people's say.

Tables:
    SLOPES: a row per simulator, `regression` and `column` of its design matrix (and the `term` that
        it belongs to): the slope of `people`, the simulator's `slope`, their `difference` in the
        question's scores, and it `standardised` (times the spread of people's column over that of
        their answers), each with ends (`people_lower`, `people_upper`, ...) that hold for all
        slopes of the simulator at once; `sign` (`same`, `opposite`: both slopes are clear of 0;
        `only in people`: theirs is beyond 0.1 and the simulator's within; `only in the simulator`;
        `open`), `size` (of the standardised difference: `within` 0.1, `beyond`, `open`)
    REGRESSIONS: a row per simulator and regression (`question`, `formula`, `model`: linear, or
        logit with average marginal effects), and one of all together (`regression` empty): how many
        `people`, `runs` and `slopes`; `same_persons` (runs are twins of these very people); the
        `root_mean_square` of standardised differences over terms, without noise, and the `slope` of
        the simulator's slopes on people's, each with its ends; how many slopes have the `same` or
        `opposite` sign, are there `only_people` or `only_simulator`, are `within` or `beyond` 0.1;
        what as many `others` as the simulator has runs would reach, other people: their root mean
        square, and `others_same_signs`; what is `lacking` where nothing could be fitted, and a
        `warning`
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.regression import FormulaOnBoth, Persons, Regressions, formula_on_both
from fidelity.structure import TooFewError
from fidelity.uses import USES
from fidelity_study.errors import DataError, refusal, there_are
from fidelity_study.reading.settings import Regression, regression_of
from fidelity_study.steps.arrays import intervals, row_of
from fidelity_study.steps.structure import unknown
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import FACTS, HUMAN, RESPONDENTS, RUNS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import MEASURED, limit_of, measured

SLOPES = pa.schema(
    [
        *columns(LABEL, "simulator", "regression", "question", "term", "column"),
        *intervals("people", "slope", "difference", "standardised"),
        ("scale", pa.float64()),
        *columns(LABEL, "sign", "size"),
    ]
)
REGRESSIONS = pa.schema(
    [
        *columns(LABEL, "simulator", "regression", "question", "formula", "model"),
        *columns(pa.int32(), "people", "runs", "slopes"),
        ("same_persons", pa.bool_()),
        *intervals("root_mean_square", "slope"),
        *columns(pa.int32(), "same", "opposite", "only_people", "only_simulator", "within"),
        ("beyond", pa.int32()),
        *columns(pa.float64(), "others", "others_same_signs"),
        *columns(LABEL, "lacking", "warning"),
    ]
)


@dataclass(frozen=True)
class Study:
    """The tables that regressions are made of."""

    scenarios: pa.Table
    respondents: pd.DataFrame
    runs: pd.DataFrame
    facts: pd.DataFrame
    dataset: str

    @cached_property
    def scores(self) -> dict[str, dict[float, float] | None]:
        """The score of each value by scenario; None where options have no order."""
        columns = (self.scenarios[name].to_pylist() for name in ("scenario", "value", "score"))
        return {
            name: score and dict(zip(values, score, strict=True))
            for name, values, score in zip(*columns, strict=True)
        }

    def facts_of(self, source: str, persons: np.ndarray, names: list[str]) -> pd.DataFrame:
        """Return the facts on persons of a source; None where they are not known."""
        here = self.facts[self.facts["source"] == source]
        wide = here.pivot(index="person", columns="fact", values="text")
        return wide.reindex(index=persons, columns=names).astype(object).reset_index(drop=True)

    def people(self, regression: Regression) -> Persons:
        """Return the people who answered a question."""
        rows = self.respondents[self.respondents["scenario"] == regression.question]
        numbers, design = rows["respondent"].to_numpy(), []
        if rows["psu"].notna().any():
            design = [rows[name].to_numpy(float).astype(int) for name in ("psu", "stratum")]
            design.append(str(rows["lonely_psu"].iloc[0]))
        return Persons(
            self.facts_of(HUMAN, numbers, regression.facts),
            self._scored(regression, rows["value"]),
            rows["weight"].to_numpy(float),
            numbers,
            numbers,
            *design,
        )

    def simulated(self, regression: Regression, name: str) -> Persons:
        """Return a simulator's runs; a twin has the facts of its person where its file has none."""
        of_source = self.runs[self.runs["source"] == name]
        rows = of_source[of_source["scenario"] == regression.question]
        persons, numbers = rows["respondent"].fillna(-1).to_numpy(int), rows["run"].to_numpy(int)
        theirs = self.facts_of(HUMAN, persons, regression.facts)
        personas = rows["psu"].to_numpy(float)
        return Persons(
            self.facts_of(name, numbers, regression.facts).fillna(theirs),
            self._scored(regression, rows["value"]),
            np.ones(len(rows)),
            persons,
            numbers,
            None if np.isnan(personas).any() else personas.astype(int),
        )

    def fitted(self, regression: Regression, name: str) -> FormulaOnBoth:
        """Return a regression of people and a simulator.

        Raises:
            ValueError: if what a regression needs is not known, or too little of it.
        """
        if not (len(self.respondents) and (self.runs["source"] == name).any()):
            raise TooFewError(unknown(self.scenarios, len(self.respondents)))
        people, runs = self.people(regression), self.simulated(regression, name)
        if runs.facts.isna().all().any():
            raise TooFewError("the facts of the formula")
        how = {"outcome": regression.name, "model": regression.model}
        return formula_on_both(regression.right, people, runs, **how)

    def _scored(self, regression: Regression, values: pd.Series) -> np.ndarray:
        scores = self.scores.get(regression.question)
        if scores is None:
            asked = [name for name, known in self.scores.items() if known is not None]
            raise refusal(
                "no-such-outcome",
                f"no question {regression.question!r} has answers with an order or numbers; "
                + (there_are(regression.question, asked) if asked else "call its kind ordinal"),
                key=f"datasets.{self.dataset}.regressions.{regression.name}",
            )
        return values.map(scores).to_numpy(float)


def main(snakemake):
    """Compare slopes, where both sides' answers, and facts on them, are known by person."""
    step, files = snakemake.params.step, snakemake.input
    study = Study(
        read(files.scenarios, SCENARIOS),
        read(files.respondents, RESPONDENTS).to_pandas(),
        read(files.runs, RUNS).to_pandas(),
        read(files.facts, FACTS).to_pandas().astype({"fact": object, "text": object}),
        step["dataset"],
    )
    write_tables(snakemake.output, regression_tables(study, step), step)


def regression_tables(study: Study, step: dict) -> dict[str, tuple[list[dict], pa.Schema]]:
    """Return the rows of both tables, with their schemas."""
    slopes, rows, uses = list[dict](), list[dict](), list[dict]()
    level = 1.0 - step["test"]["alpha"]
    for simulator in (name for name in step["simulators"] if name not in BASELINES):
        fitted, of_slopes = list[FormulaOnBoth](), list[dict]()
        for one in step["regressions"].items():
            regression = regression_of(*one)
            about = regression.about | {"simulator": simulator}
            try:
                both = study.fitted(regression, simulator)
                rows.append(summary(Regressions([both]), level, **about))
            except DataError:
                raise
            except ValueError as error:
                rows.append(row_of(REGRESSIONS, **about, lacking=str(error)))
                continue
            fitted.append(both)
            of_slopes += [about | {"term": term} for _, term in both.sides[0].terms]
        if fitted:
            together = Regressions(fitted)
            compared = together.compare(level).by_slope(), together.sides[0].scale
            for one, scale, about in zip(*compared, of_slopes, strict=True):
                slopes.append(row_of(SLOPES, one, **about, scale=scale))
            rows += [summary(together, level, simulator=simulator)] if len(fitted) > 1 else []
            twins, limit = together.same_persons, limit_of(step["uses"], "regressions")
            use = USES["regressions"].measure(*together.sides, same_persons=twins, limit=limit)
            uses.append(measured(simulator, use, others=together.of_others.root_mean_square))
    return {
        "slopes": (slopes, SLOPES),
        "regressions": (rows, REGRESSIONS),
        "of_regressions": (uses, MEASURED),
    }


def summary(fitted: Regressions, level: float, **about: str) -> dict:
    """Return the row on one regression, or on several together."""
    compared, others = fitted.compare(level), fitted.of_others
    known = compared.counts | {"others": others.root_mean_square, "slopes": len(compared.labels)}
    known["others_same_signs"] = others.same_signs
    return row_of(REGRESSIONS, compared, fitted, **about, **known)
