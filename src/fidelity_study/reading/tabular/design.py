"""The sampling design of a people's file: strata and PSUs, or replicate weights."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fidelity.designs.linearised import DesignMean, mean_of_totals, mean_without_psus
from fidelity.designs.replicates import degrees_of_freedom, mean_of_replicates, replicate_factors
from fidelity.designs.sizes import effective_size
from fidelity_study.errors import ErrorList, Fault, Note, Remedy, fault, refusal
from fidelity_study.reading.tabular.columns import (
    MISSING,
    amounts,
    as_label,
    as_name,
    as_number,
    coded,
)
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.groups import Grouping
from fidelity_study.reading.tabular.reading import fits
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.tally import Coded, Groups
from fidelity_study.tables.ingest import REASONS

REFUSED, DESIGN = "refused", "sampling-design"
OF_REPLICATES = ("method", "fay", "scale", "rscales")
HEAVY = 0.25  # of the weight, in one PSU: then its linearised variance says too little
MOST_AWAY = 0.5
WITHOUT_MORE = ("jk1", "brr", "bootstrap")
OF_PSUS = ("strata", "psu", "nested", "lonely_psu")


@dataclass(frozen=True)
class Design:
    """The key ``design`` of a dataset.

    Attributes:
        strata, psu: columns, None if there are none.
        nested: whether PSU numbers begin anew in each stratum.
        lonely_psu: the contribution of a stratum with a single PSU to variances, or ``refused``.
        replicate_weights: columns, or patterns of them; none with strata or PSUs.
        factors: arguments of :func:`fidelity.designs.replicate_factors`.
    """

    factors: Mapping[str, Any]
    strata: str | None = None
    psu: str | None = None
    nested: bool = False
    lonely_psu: str = REFUSED
    replicate_weights: Sequence[str] = ()

    @classmethod
    def of(cls, settings: Mapping[str, Any] | None) -> "Design | None":
        """Take the design from a dataset's settings; None if they have none."""
        if settings is None:
            return None
        factors = {key: value for key, value in settings.items() if key in OF_REPLICATES}
        others = {key: value for key, value in settings.items() if key not in OF_REPLICATES}
        return cls(**others, factors=factors)

    @property
    def named(self) -> dict[str, Any]:
        """The settings of the columns of strata and PSUs."""
        named = {"design.strata": self.strata, "design.psu": self.psu}
        return {key: name for key, name in named.items() if name}

    def columns(self, sheet: Sheet) -> list[str]:
        """Return the columns of a sheet that the design names."""
        named = [self.strata, self.psu, *self.replicates(sheet)]
        return [name for name in dict.fromkeys(named) if name in sheet.columns]

    def replicates(self, sheet: Sheet) -> list[str]:
        """Return the columns of replicate weights."""
        return [
            name
            for name in sheet.columns
            if any(fits(name, pattern, sheet.columns) for pattern in self.replicate_weights)
        ]


def design_faults(settings: Mapping[str, Any], place: str) -> list[Fault]:
    """Return the faults of the key ``design``."""
    design = settings.get("design", {})
    of_psus, of_replicates = (
        [key for key in keys if key in design]
        for keys in (OF_PSUS, ("replicate_weights", *OF_REPLICATES))
    )
    faults = []
    if of_psus and of_replicates:
        faults.append(
            f"has {of_psus[0]} and {of_replicates[0]}; variances come from strata and PSUs, or "
            "from replicate weights, not both; take one out"
        )
    elif of_replicates and "replicate_weights" not in design:
        faults.append(f"has {of_replicates[0]}, but no replicate_weights; name their columns")
    elif "replicate_weights" in design:
        faults += _faults_of_replicates(design)
    elif design and not {"strata", "psu"} & set(design):
        faults.append("names neither strata, nor psu, nor replicate_weights; name their columns")
    elif design.get("nested") and not {"strata", "psu"} <= set(design):
        faults.append(
            "says nested, that PSU numbers begin anew in each stratum; name the columns of both, "
            "strata and psu, or take it out"
        )
    if design and settings.get("weighting_effect") is not None:
        faults.append(
            "says what weights are worth, and so does weighting_effect; take one of them out"
        )
    refused = [fault("design", what, key=f"{place}.design") for what in faults]
    if "replicate_weights" in design and "method" not in design:
        what = "replicate_weights need a method, which the data's documentation names; put "
        jk1, brr, bootstrap = (Remedy({"design.method": name}) for name in WITHOUT_MORE)
        which = (jk1, ", ", brr, " or ", bootstrap, ", or jkn or fay with what these need")
        refused.append(fault("design", what, *which, key=f"{place}.design"))
    return refused


def _faults_of_replicates(design: Mapping[str, Any]) -> Iterator[str]:
    method = design.get("method")
    if (method == "fay") != ("fay" in design):
        yield "method: fay and its coefficient, fay: 0.3, belong together; give both"
    if method == "jkn" and "rscales" not in design:
        yield "method: jkn needs rscales, (n_h - 1)/n_h for each replicate weight, or one for all"
    if method in ("brr", "fay") and "scale" in design:
        yield f"method: {method} has its own scale; take scale out"


@dataclass(frozen=True)
class Sampled:
    """The sampling design of a file's people, with a row for each person.

    Attributes:
        design: as the config says.
        sheet: the file.
        psu: the number of each row's PSU, (N,); all 0 with replicate weights.
        strata: the stratum of each PSU, (P,).
        replicates: the replicate weights, (N, R), or None.
    """

    design: Design
    sheet: Sheet
    psu: np.ndarray
    strata: np.ndarray
    replicates: np.ndarray | None

    @classmethod
    def of(
        cls, sheet: Sheet, design: Design, weight: str | None, respondent: str | None
    ) -> "Sampled":
        """Read the design of all rows; without PSUs, respondents are PSUs, or rows if unnamed.

        Raises:
            DataError: with all faults, one line each.
        """
        _check_there(sheet, design)
        faults, names = ErrorList(), design.replicates(sheet)
        unit_column = None if names else design.psu or respondent
        read: dict[str, Coded] = {}
        numbers: list[np.ndarray] = []
        for name in filter(None, (design.strata, unit_column)):
            with faults.collected():
                read[name] = coded(sheet, name, meaning=_label)
        for name in [*([weight] if weight else []), *names]:
            with faults.collected():
                numbers.append(amounts(sheet, name))
                if name in names and not numbers[-1].any():
                    what = "is 0 in all rows; leave the column out"
                    faults.faults += sheet.fault("weights-all-zero", what, column=name).faults
        faults.refuse()
        if names:
            replicates = np.stack(numbers[-len(names) :], axis=1)
            people = len(replicates)
            return cls(design, sheet, np.zeros(people, int), np.zeros(1, int), replicates)
        codes = {name: cells.of_row for name, cells in read.items()}
        people = len(next(iter(codes.values())))
        stratum = codes.get(design.strata or "", np.zeros(people, int))
        unit = codes.get(unit_column or "", np.arange(people))
        if design.psu and _begin_anew(stratum, unit):
            design = replace(design, nested=True)
        if design.psu and not design.nested:
            _refuse_in_two(sheet, design, read)
        pairs = stratum * (int(unit.max()) + 1) + unit
        first, psu = np.unique(pairs, return_index=True, return_inverse=True)[1:]
        sampled = cls(design, sheet, psu, stratum[first], None)
        strata = read[design.strata].entries if design.strata else [""]
        sampled._refuse_few(strata)
        return sampled

    def _refuse_few(self, strata: Sequence[str]) -> None:
        """Raise DataError if a stratum has a single PSU, so that variances are not known."""
        if len(self.strata) < 2:
            raise self.sheet.fault(
                "single-psu",
                "has a single PSU; a variance needs two or more; name another column under "
                "design.psu, or take design out",
                column=self.design.psu,
            )
        units = np.bincount(self.strata)
        alone = [strata[code] for code in np.flatnonzero(units == 1).tolist()]
        if alone and (self.design.lonely_psu == REFUSED or (units == 1).all()):
            raise self.sheet.fault(
                "lonely-psu",
                f"{shown(alone)}: strata with a single PSU ({len(alone)} of {len(strata)}), whose "
                "variance cannot be estimated; merge them with others, or choose what they count "
                "by ",
                Remedy({**self.design.named, "design.lonely_psu": "adjust"}),
                " (the careful choice), average or certainty",
                column=self.design.strata,
            )

    def columns(self, psu: pd.Series) -> dict[str, Any]:
        """Return the columns of ``by_respondent`` on the design, given the number of each PSU."""
        stratum = self.strata[psu]
        return {
            "stratum": stratum,
            "psus_in_stratum": np.bincount(self.strata)[stratum],
            "lonely_psu": self.design.lonely_psu,
        }

    @property
    def people(self) -> str:
        """Return a description of the sample."""
        n = len(self.psu)
        if self.replicates is not None:
            return f"{n:,} rows, {self.replicates.shape[1]} replicate weights"
        strata = len(np.unique(self.strata))
        word = "stratum" if strata == 1 else "strata"
        anew = ", numbered anew in each stratum" if self.design.nested else ""
        return f"{n:,} rows, {strata:,} {word}, {len(self.strata):,} PSUs{anew}"


def span(numbers: pd.Series) -> str:
    """Return the smallest and largest of whole numbers."""
    low, high = f"{numbers.min():.0f}", f"{numbers.max():.0f}"
    return low if low == high else f"{low} to {high}"


def _label(text: str | None) -> str:
    return as_label(as_name(text))


def _check_there(sheet: Sheet, design: Design) -> None:
    """Raise DataError if columns of the design are not there."""
    faults = ErrorList()
    for key, name in {"strata": design.strata, "psu": design.psu}.items():
        with faults.collected():
            sheet.refuse_absent([] if name is None else [name], f"design.{key}")
    for pattern in design.replicate_weights:
        if not any(fits(name, pattern) for name in sheet.columns):
            with faults.collected():
                sheet.refuse_absent([pattern], "design.replicate_weights")
    if design.replicate_weights and not faults.faults:
        names = design.replicates(sheet)
        try:
            replicate_factors(replicates=len(names), **design.factors)
        except ValueError as error:
            what = f"design: {error}; found: {shown(names)}"
            faults.faults.append(fault("replicate-method", what, file=sheet.path))
    faults.refuse()


def _begin_anew(stratum: np.ndarray, unit: np.ndarray) -> bool:
    """Return whether most PSU numbers are in several strata, as where each begins with 1."""
    homes = np.unique(np.stack([unit, stratum]), axis=1)[0]
    return bool((np.bincount(homes) > 1).mean() > MOST_AWAY)


def _refuse_in_two(sheet: Sheet, design: Design, read: Mapping[str, Coded]) -> None:
    """Raise DataError if a PSU is in two strata."""
    if not (design.strata and design.psu):
        return
    stratum, unit = read[design.strata], read[design.psu]
    home = np.full(len(unit.entries), -1)
    home[unit.of_row[::-1]] = stratum.of_row[::-1]
    away = home[unit.of_row] != stratum.of_row
    if away.any():
        at = int(away.argmax())
        one, other = home[unit.of_row[at]], stratum.of_row[at]
        raise sheet.fault(
            "psu-in-two-strata",
            f"PSU {unit.entries[unit.of_row[at]]!r} is in stratum {stratum.entries[one]!r} and in "
            f"{stratum.entries[other]!r}; if PSU numbers begin anew in each stratum, put ",
            Remedy({**design.named, "design.nested": True}),
            "; else mend them",
            at=at,
            column=design.psu,
        )


def totals(
    sampled: Sampled, asked: Coded, answer: Coded, weight: np.ndarray | None
) -> pd.DataFrame:
    """Add up the weights of people with the same answer, by PSU, or by each replicate's weights.

    Args:
        sampled: the sampling design.
        asked, answer: codes of rows' scenarios (and groups) and answers.
        weight: of each row's person; None without.

    Returns:
        Columns ``scenario`` (a code), ``psu, label, people, 0, 1, ...``; the label is None where
        cells are empty.
    """
    size = len(sampled.psu)
    groups = Groups(asked, Coded(np.arange(len(sampled.strata)), sampled.psu), answer)
    mass = np.ones(size) if weight is None else weight
    columns = () if sampled.replicates is None else sampled.replicates.T
    amounts: dict[Any, np.ndarray] = dict(enumerate((mass, *columns)))
    amounts["people"] = (mass > 0).astype(float)
    times = len(groups.of_row) // size
    tiled = {name: np.tile(amount, times) for name, amount in amounts.items()}
    table = groups.sums(("scenario", "psu", "answer"), size, tiled)
    table = table[(table["answer"] >= len(REASONS)) | (table["answer"] == MISSING)]
    labels = [None if one == MISSING else answer.entries[one] for one in table["answer"]]
    return table.drop(columns=["at", "answer"]).assign(label=np.array(labels, object))


@dataclass(frozen=True)
class Worth:
    """The numbers of independent people that the people of each scenario are worth.

    Attributes:
        sampled: their sampling design.
        rows: as :func:`totals` gives them, with the names of scenarios, and perhaps groups;
            ``df`` are degrees of freedom of the group's replicate weights.
    """

    sampled: Sampled
    rows: pd.DataFrame

    @classmethod
    def of(cls, sampled: Sampled, rows: pd.DataFrame, groups: Grouping | None) -> "Worth":
        """Take rows with the names of scenarios and groups."""
        replicates = sampled.replicates
        if replicates is None:
            return cls(sampled, rows)
        if groups is None:
            return cls(sampled, rows.assign(df=degrees_of_freedom(replicates)))
        degrees = {
            name: degrees_of_freedom(replicates[groups.of_row == place])
            for place, name in enumerate(groups.entries)
            if place
        }
        return cls(sampled, rows.assign(df=rows["group"].map(degrees).astype(float)))

    def sizes(self, kish: pd.Series, *, are_numbers: bool) -> pd.DataFrame:
        """Return ``n_effective`` and ``df`` of each scenario, which is the index.

        Args:
            kish: their effective number by the weights alone.
            are_numbers: whether answers are numbers, so that the variance of a mean is needed.
        """
        size_of = partial(self._size, are_numbers=are_numbers)
        by_scenario = dict(list(self.rows.groupby("scenario", observed=True)))
        sizes = {name: size_of(by_scenario[name], float(kish[name])) for name in kish.index}
        return pd.DataFrame.from_dict(sizes, orient="index", columns=["n_effective", "df"])

    def note(self, scenarios: pd.DataFrame) -> Note:
        """Return a note on the design; ``scenarios`` have the columns of :meth:`sizes`."""
        n = self.rows.groupby("scenario", observed=True)["people"].sum().reindex(scenarios.index)
        effect, df = n / scenarios["n_effective"], scenarios["df"]
        what = (
            f"sampling design: {self.sampled.people}; {span(df)} degrees of freedom; design "
            f"effects {effect.min():.2g} to {effect.max():.2g} (median {effect.median():.2g})"
        )
        return self.sampled.sheet.note(DESIGN, what)

    def replicates(self, options: Mapping[str, Sequence[Any]]) -> "pd.Series[Any] | None":
        """Return ``replicates`` of each scenario, whose options' labels are given; None without.

        They are the shares by each replicate's weights, with differences from the share multiplied
        by the root of the replicate's factor.
        """
        if self.sampled.replicates is None:
            return None
        many = self.sampled.replicates.shape[1]
        root = np.sqrt(replicate_factors(replicates=many, **self.sampled.design.factors))
        by_scenario = {}
        for name, rows in self.rows.groupby("scenario", observed=True):
            sums = rows.groupby("label")[list(range(1 + many))].sum()
            shares = sums.reindex(options[name], fill_value=0.0).to_numpy()
            shares = shares / shares.sum(0)
            full = shares[:, :1]
            by_scenario[name] = (full + (shares[:, 1:] - full) * root).tolist()
        return pd.Series(by_scenario, dtype=object)

    def _size(self, rows: pd.DataFrame, kish: float, *, are_numbers: bool) -> tuple[float, float]:
        n = float(rows["people"].sum())
        value = self._values(rows, are_numbers)
        mean = self._mean(rows, value)
        # No variance is known of what lies in one PSU, or in strata whose variance is that of
        # others that are not there, nor where all answer alike.
        few = min(kish, mean.df + 1)
        unknown = bool(np.isnan(mean.covariance).any())
        one = self.sampled.replicates is None and rows.loc[rows[0] > 0, "psu"].nunique() < 2
        if unknown or one:
            return 1.0, mean.df
        if not are_numbers:
            return effective_size(mean.estimate, mean.covariance, n, if_unanimous=few), mean.df
        mass = rows[0].to_numpy()
        spread = float(mass @ (value[:, 0] - mean.estimate[0]) ** 2 / mass.sum())
        if spread <= 0:
            return max(few, 1.0), mean.df
        variance = max(float(mean.covariance[0, 0]), spread / n)
        return max(spread / variance, 1.0), mean.df

    def _values(self, rows: pd.DataFrame, are_numbers: bool) -> np.ndarray:
        """Return the numbers, a column; or a column of 0 and 1 for each answer."""
        if are_numbers:
            return np.array([[as_number(label)] for label in rows["label"]], float)
        code, options = pd.factorize(rows["label"])
        return np.eye(len(options))[code]

    def _mean(self, rows: pd.DataFrame, value: np.ndarray) -> DesignMean:
        sampled = self.sampled
        if sampled.replicates is None:
            size, mass = len(sampled.strata), rows[0].to_numpy()
            unit = rows["psu"].to_numpy()
            totals = [np.bincount(unit, mass * column, size).astype(float) for column in value.T]
            sizes = np.bincount(unit, mass, size).astype(float)
            lonely = sampled.design.lonely_psu
            of_psus = np.stack(totals, axis=1), sizes, sampled.strata, lonely
            mean = mean_of_totals(*of_psus)
            if sizes.max() <= HEAVY * sizes.sum():
                return mean
            return mean._replace(covariance=mean_without_psus(*of_psus))
        replicates = sampled.replicates.shape[1]
        mass = rows[list(range(1 + replicates))].to_numpy()
        factors = replicate_factors(replicates=replicates, **sampled.design.factors)
        try:
            estimate, covariance = mean_of_replicates(value.T @ mass, mass.sum(axis=0), factors)
        except ValueError:
            raise refusal(
                "replicate-all-zero",
                f"scenario {rows['scenario'].iloc[0]!r}: a replicate weight is 0 for everybody "
                "who answers it, so that its variance is not known; merge groups, or leave the "
                "question out",
                file=sampled.sheet.path,
            ) from None
        return DesignMean(estimate, covariance, float(rows["df"].iloc[0]))
