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

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from fidelity.baselines.base import BASELINES
from fidelity.regression import (
    Covariates,
    Slopes,
    average_marginal_effects,
    common_columns,
    compare_slopes,
    joined_slopes,
    linear_slopes,
    slopes_of_others,
)
from fidelity.regression.comparison import RegressionComparison
from fidelity.regression.formulas import CommonColumns
from fidelity.structure import Interval, TooFewError
from fidelity.uses import USES
from fidelity_study.errors import DataError, refusal, there_are
from fidelity_study.reading.settings import Regression, regression_of
from fidelity_study.steps.arrays import finite, intervals, row_of
from fidelity_study.steps.structure import PEOPLE_UNKNOWN, RUNS_UNKNOWN
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
NO_FACTS = "the facts of the formula"


class Persons(NamedTuple):
    """The answers of persons, or of runs, to one question, with facts on them.

    Attributes:
        facts: a row a person, the columns of the formula as texts, None where not known.
        table: a row a person: the score of the ``answer``, the ``weight``, the number of the
            respondent, ``person``, whose twin a run is (-1 of nobody's), and the ``number`` of the
            respondent, or run, itself; and if there are any, what persons were drawn by, or the
            persona of a run, ``cluster``, and the ``stratum``.
        lonely_psu: what a stratum with one PSU adds.
    """

    facts: pd.DataFrame
    table: pd.DataFrame
    lonely_psu: str = "refused"

    def column(self, name: str) -> Any:
        """Return a column of the table, (n,); None if it has none of that name."""
        return self.table[name].to_numpy() if name in self.table else None

    def take(self, rows: np.ndarray) -> "Persons":
        """Return some persons."""
        return self._replace(facts=self.facts.iloc[rows], table=self.table.iloc[rows])

    def in_order_of(self, persons: np.ndarray) -> "Persons":
        """Return the mean of each respondent's runs, in the order of respondents."""
        place = pd.Index(persons).get_indexer(self.table["person"])
        means = np.bincount(place, self.table["answer"]) / np.bincount(place)
        first = pd.Series(np.arange(len(place))).groupby(place).first().to_numpy()
        once = self.take(first)
        kept = {"answer": means, "weight": once.column("weight")}
        return once._replace(
            table=pd.DataFrame(kept | dict.fromkeys(("person", "number"), persons))
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
        rows = zip(
            *(self.scenarios[name].to_pylist() for name in ("scenario", "value", "score")),
            strict=True,
        )
        return {
            name: None if score is None else dict(zip(values, score, strict=True))
            for name, values, score in rows
        }

    def facts_of(self, source: str, persons: np.ndarray, names: list[str]) -> pd.DataFrame:
        """Return the facts on persons of a source; None where they are not known."""
        here = self.facts[self.facts["source"] == source]
        wide = here.pivot(index="person", columns="fact", values="text")
        return wide.reindex(index=persons, columns=names).astype(object)

    def people(self, regression: Regression) -> Persons:
        """Return the people who answered a question."""
        rows = self.respondents[self.respondents["scenario"] == regression.question]
        persons = rows["respondent"].to_numpy()
        table = {
            "answer": self._scored(regression, rows["value"]),
            "weight": rows["weight"].to_numpy(float),
            **dict.fromkeys(("person", "number"), persons),
        }
        facts = self.facts_of(HUMAN, persons, regression.facts)
        if not rows["psu"].notna().any():
            return Persons(facts, pd.DataFrame(table))
        for column, name in (("cluster", "psu"), ("stratum", "stratum")):
            table[column] = rows[name].to_numpy(float).astype(int)
        return Persons(facts, pd.DataFrame(table), str(rows["lonely_psu"].iloc[0]))

    def simulated(self, regression: Regression, name: str) -> Persons:
        """Return a simulator's runs; a twin has the facts of its person where its file has none."""
        rows = self.runs[
            (self.runs["source"] == name) & (self.runs["scenario"] == regression.question)
        ]
        persons = rows["respondent"].fillna(-1).to_numpy(int)
        facts = self.facts_of(name, rows["run"].to_numpy(), regression.facts)
        theirs = self.facts_of(HUMAN, persons, regression.facts)
        facts = facts.reset_index(drop=True).fillna(theirs.reset_index(drop=True))
        personas = rows["psu"].to_numpy(float)
        table = {
            "answer": self._scored(regression, rows["value"]),
            "weight": np.ones(len(rows)),
            "person": persons,
            "number": rows["run"].to_numpy(int),
        }
        if not np.isnan(personas).any():
            table["cluster"] = personas.astype(int)
        return Persons(facts, pd.DataFrame(table))

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
    limit = limit_of(step["uses"], "regressions")
    level = 1.0 - step["test"]["alpha"]
    regressions = [regression_of(*one) for one in step["regressions"].items()]
    for simulator in (name for name in step["simulators"] if name not in BASELINES):
        fitted: list[Both] = []
        for regression in regressions:
            about = regression.about | {"simulator": simulator}
            try:
                both = Both.of(study, regression, simulator)
                twins = both.same_persons
                compared = compare_slopes(*joined([both]), same_persons=twins, level=level)
            except DataError:
                raise
            except ValueError as error:
                rows.append(row_of(REGRESSIONS, **about, lacking=str(error)))
                continue
            fitted.append(both)
            rows.append(summary(compared, [both], **about))
        if not fitted:
            continue
        sides, twins = joined(fitted), fitted[0].same_persons
        together = compare_slopes(*sides, same_persons=twins, level=level)
        slopes += _slopes(together, fitted, simulator=simulator)
        over_all = summary(together, fitted, simulator=simulator)
        rows += [over_all] if len(fitted) > 1 else []
        use = USES["regressions"].measure(*sides, same_persons=twins, limit=limit)
        uses.append(measured(simulator, use, others=over_all["others"]))
    return {
        "slopes": (slopes, SLOPES),
        "regressions": (rows, REGRESSIONS),
        "of_regressions": (uses, MEASURED),
    }


@dataclass(frozen=True)
class Both:
    """A regression on both sides, with one design matrix.

    Attributes:
        people, simulator: persons without unknown facts, in levels that both sides have.
        columns: of the design matrix.
        same_persons: whether each run is the twin of the person in people's row.
        regression: what is fitted.
    """

    people: Persons
    simulator: Persons
    columns: CommonColumns
    same_persons: bool
    regression: Regression

    @classmethod
    def of(cls, study: Study, regression: Regression, name: str) -> "Both":
        """Put both sides' persons into one design matrix.

        Raises:
            ValueError: if what a regression needs is not known, or too little of it.
        """
        if not len(study.respondents):
            raise TooFewError(PEOPLE_UNKNOWN)
        if not (study.runs["source"] == name).any():
            raise TooFewError(RUNS_UNKNOWN)
        people, simulator = study.people(regression), study.simulated(regression, name)
        if simulator.facts.isna().all().any():
            raise TooFewError(NO_FACTS)
        persons, twins = people.column("person"), simulator.column("person")
        are_twins = len(twins) > 0 and bool((twins >= 0).all())
        if are_twins:
            common = np.intersect1d(persons, twins)
            people = people.take(pd.Index(persons).get_indexer(common))
            known = np.isin(twins, common)
            simulator = simulator.take(np.flatnonzero(known)).in_order_of(common)
        facts = people.facts, simulator.facts
        columns = common_columns(regression.right, *facts, same_persons=are_twins)
        people, simulator = (
            side.take(np.flatnonzero(rows))
            for side, rows in zip((people, simulator), columns.kept, strict=True)
        )
        return cls(people, simulator, columns, are_twins, regression)

    @property
    def warnings(self) -> list[str]:
        """What the reader should know."""
        return [*self.columns.left_out, *self.columns.means_apart(self.people.column("weight"))]

    @property
    def units(self) -> list[np.ndarray]:
        """A label for each unit of people, and of the simulator."""
        one = [units_of(self.people)]
        return [*one, *(one if self.same_persons else [units_of(self.simulator)])]

    @cached_property
    def slopes(self) -> tuple[Slopes, Slopes]:
        """The slopes of both sides."""
        sides, name = [], self.regression.name
        values = self.columns.people, self.columns.simulator
        for facts, persons in zip(values, (self.people, self.simulator), strict=True):
            source = self.people if self.same_persons else persons
            covariates = Covariates(
                facts,
                names=self.columns.names,
                terms=self.columns.terms,
                weights=source.column("weight"),
                clusters=source.column("cluster"),
                strata=source.column("stratum"),
                lonely_psu=source.lonely_psu,
            )
            sides.append((covariates, persons.column("answer")))
        if self.regression.model == "logit":
            of_people = sides[0][0]
            one, two = (average_marginal_effects(*side, over=of_people) for side in sides)
            return one, two
        one, two = (linear_slopes(*side, outcomes=[name]) for side in sides)
        return one, two


def units_of(persons: Persons) -> np.ndarray:
    """Return the labels of the units that persons were drawn by, in the order of influences."""
    clusters, strata = persons.column("cluster"), persons.column("stratum")
    if clusters is None:
        return persons.column("number")
    return np.unique(clusters) if strata is None else np.unique([strata, clusters], axis=1)[1]


def joined(fitted: list[Both]) -> tuple[Slopes, Slopes]:
    """Return the slopes of several regressions of one simulator, with one covariance."""
    one, two = (
        joined_slopes([both.slopes[side] for both in fitted], [both.units[side] for both in fitted])
        for side in (0, 1)
    )
    return one, two


def summary(compared: RegressionComparison, fitted: list[Both], **about: str) -> dict:
    """Return the row on one regression, or on several together."""
    runs = min(len(both.simulator.table) for both in fitted)
    others = slopes_of_others(joined(fitted)[0], runs)
    warnings = dict.fromkeys(warning for both in fitted for warning in both.warnings)
    return row_of(
        REGRESSIONS,
        compared,
        **about,
        people=min(len(both.people.table) for both in fitted),
        runs=runs,
        slopes=len(compared.labels),
        same_persons=all(both.same_persons for both in fitted),
        **compared.counts,
        others=finite(others.root_mean_square),
        others_same_signs=finite(others.same_signs),
        warning="; ".join(warnings) or None,
    )


def _slopes(compared: RegressionComparison, fitted: list[Both], **about: str) -> Iterator[dict]:
    """Yield the rows of slopes, whose intervals hold together over all regressions."""
    of_slope = [(both.regression, term) for both in fitted for term in both.columns.terms]
    groups = {
        "people": compared.people,
        "slope": compared.simulator,
        "difference": compared.difference,
        "standardised": compared.standardised,
    }
    scale = joined(fitted)[0].scale
    for at, ((_, column), (regression, term)) in enumerate(
        zip(compared.labels, of_slope, strict=True)
    ):
        known = {name: Interval(*(part[at] for part in ends)) for name, ends in groups.items()}
        yield row_of(
            SLOPES,
            **(about | regression.about),
            **known,
            column=column,
            term=term,
            sign=compared.signs[at],
            size=compared.sizes[at],
            scale=scale[at],
        )
