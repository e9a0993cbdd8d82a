"""Correlations between questions, each with its error, from answers by respondent.

The correlation r of two questions rests on the persons who answered both. What person i does to it
is the difference that leaving i out makes, in closed form. With z the two answers in units of the
pair's own standard deviations and g = w/(W - w), w the person's weight and W that of all who
answered both,

    r without i = (r - g z_a z_b) / sqrt((1 - g z_a²)(1 - g z_b²)).

To first order the difference is gψ with ψ = z_a z_b - r (z_a² + z_b²)/2, the influence function of
r (Devlin, Gnanadesikan and Kettenring 1975). Persons are the units. So smooth functions of all
correlations need no resampling: a function's error is the sum over persons of what each of them
does to it, however correlations depend on each other. Person by person the exact difference is
used, that of the jackknife, which errs on the safe side.

The *noise* of r, its own variance, is estimated by Σ gψ·(r - r without i), between Σ(gψ)², which is
too small (by 4 % with 100 persons, by 8 % where answers are skew), and the jackknife, which is too
large by 2 to 5 %; the product is right within 2 %. Functions such as Σr² are too large by the
noise.
"""

from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import helmert

from fidelity import inputs
from fidelity.arrays import ArrayLike, FloatArray, IntArray
from fidelity.blocks import blocks
from fidelity.designs.linearised import Units, deviations_in_strata, units_of

POSITIVE = inputs.FINITE_POSITIVE
FEWEST, BY_CHANCE, TOGETHER = 30, 20, 3.0
LONG, FEWEST_ALIKE = 100, 3
AT_ONCE = 2**17
ROUNDING = 1e-9
ANSWERS = inputs.Domain(
    "a finite number, NaN where it is missing",
    "finite numbers, NaN where an answer is missing",
    lambda x: (x != x) | (abs(x) < np.inf),
)


class Sampling(NamedTuple):
    """How respondents were drawn: by PSUs within strata, which are then the units.

    Attributes:
        units: the PSU of each respondent, (n,), and the stratum of each PSU.
        lonely_psu: as :func:`fidelity.designs.linearised_mean`.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import AnswerTable, Sampling, associations
        >>> town = np.arange(200) // 10
        >>> rng = np.random.default_rng(0)
        >>> answers = rng.normal(size=(20, 2))[town] + 0.5 * rng.normal(size=(200, 2))
        >>> in_towns = AnswerTable(answers, sampling=Sampling.of(town, None, "refused"))
        >>> [np.sqrt(associations(table).noise).round(2).item() for table in (answers, in_towns)]
        [0.05, 0.09]
    """

    units: Units
    lonely_psu: str

    @classmethod
    def of(cls, psu: ArrayLike, strata: ArrayLike | None, lonely_psu: str) -> "Sampling":
        """Take labels, (n,) each."""
        return cls(units_of(psu, strata, len(np.asarray(psu))), lonely_psu)

    def of_units(self, effects: FloatArray) -> FloatArray:
        """Return the effects of units, (U, ...), from those of respondents, (n, ...).

        The effects of all respondents of a PSU together, less the mean of the stratum. A stratum of
        few PSUs has as many rows as degrees of freedom.
        """
        of_person, strata = self.units
        totals = np.zeros((len(strata), *effects.shape[1:]))
        np.add.at(totals, of_person, effects)
        flat = totals.reshape(len(totals), -1)
        flat = deviations_in_strata(flat, strata, self.lonely_psu, np.unique(strata))
        rows = [flat[strata == stratum] for stratum in np.unique(strata)]
        rows = [helmert(len(part)) @ part if 1 < len(part) < LONG else part for part in rows]
        return np.concatenate(rows).reshape(-1, *effects.shape[1:])


class AnswerTable:
    """Answers by respondent: a row is a person, or a run of a simulator; a column is a question.

    Args:
        answers: numbers, (n, Q), NaN where one is missing. Those who leave a question out are taken
            to be like the others.
        weights: of respondents, (n,); None if all count alike.
        sampling: how they were drawn; None if each by itself.

    Attributes:
        values: as given, (n, Q).
        weights: with mean 1, (n,).
        questions: the labels of the columns; None if they have none, and go by position.

    Raises:
        ValueError: on malformed arguments.

    Examples:
        >>> from fidelity.structure import AnswerTable
        >>> AnswerTable([[1, 2], [2, float("nan")], [4, 5]]).size
        3
    """

    def __init__(
        self,
        answers: ArrayLike,
        weights: ArrayLike | None = None,
        name: str = "answers",
        sampling: Sampling | None = None,
    ):
        """Check the arguments."""
        self.sampling = sampling
        self.values = inputs.table(name, answers, ANSWERS, ("respondents", "questions"))
        self.size = len(self.values)
        heads = getattr(answers, "columns", None)
        self.questions = None if heads is None else list(heads)
        given = inputs.each("weights", 1.0 if weights is None else weights, POSITIVE, self.size)
        self.weights: FloatArray = given / given.mean()

    @classmethod
    def of(cls, answers: "AnswerTable | ArrayLike", name: str = "answers") -> "AnswerTable":
        """Return a table of answers, made of an array if it is none."""
        return answers if isinstance(answers, AnswerTable) else cls(answers, name=name)

    @property
    def in_psus(self) -> bool:
        """Whether several respondents were drawn together."""
        return self.sampling is not None and len(self.sampling.units.strata) < self.size

    @property
    def effective(self) -> float:
        """The effective number of respondents, (Σw)²/Σw² (Kish 1965)."""
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

    def take(self, rows: IntArray) -> "AnswerTable":
        """Return some respondents."""
        sampling = self.sampling
        if sampling is not None:
            of_person, strata = sampling.units
            sampling = Sampling.of(of_person[rows], strata[of_person[rows]], sampling.lonely_psu)
        return AnswerTable(self.values[rows], self.weights[rows], sampling=sampling)

    def of_units(self, effects: FloatArray) -> FloatArray:
        """Return the effects of the units that were drawn, (U, ...), from respondents'."""
        return effects if self.sampling is None else self.sampling.of_units(effects)

    def with_values(self, values: FloatArray) -> Self:
        """Return the same respondents with other values, (n, Q')."""
        changed = object.__new__(type(self))
        changed.__dict__.update(vars(self), values=values)
        return changed

    def has_rows_of(self, other: "AnswerTable") -> bool:
        """Return whether both have the same rows of answers and weights, in the same order.

        Or in any order, if there are too many different ones to be the same by chance.
        """
        if self.values.shape != other.values.shape:
            return False
        both = [np.column_stack([table.values, table.weights]) for table in (self, other)]
        if np.array_equal(both[0], both[1], equal_nan=True):
            return True
        one, two = (rows[np.lexsort(rows.T)] for rows in np.nan_to_num(both, nan=np.inf))
        different = 1 + (one[1:] != one[:-1]).any(1).sum()
        return np.array_equal(one, two) and bool(different >= BY_CHANCE)

    def check_same_questions(self, other: "AnswerTable") -> None:
        """Refuse tables with other columns."""
        one, two = self.values.shape[1], other.values.shape[1]
        labelled = None not in (self.questions, other.questions)
        if one != two or (labelled and self.questions != other.questions):
            raise ValueError(
                "both tables must have the same questions in the same order; they have "
                f"{one} and {two}" + (", or other labels" if one == two else "")
            )


def all_pairs(questions: int) -> IntArray:
    """Return the pairs of so many questions, (Q(Q-1)/2, 2), in lexicographic order.

    Examples:
        >>> from fidelity.structure import all_pairs
        >>> all_pairs(3).tolist()
        [[0, 1], [0, 2], [1, 2]]
    """
    return np.stack(np.triu_indices(questions, 1), 1)


def answered_pairs(
    answers: AnswerTable | ArrayLike,
    *,
    fewest: int = FEWEST,
    most: int | None = None,
    generator: np.random.Generator,
) -> IntArray:
    """Return the pairs of questions that enough respondents answered, (P, 2).

    Args:
        answers: an :class:`AnswerTable`, or numbers, (n, Q), NaN where an answer is missing.
        fewest: respondents who answered both, counted without weights.
        most: pairs, drawn at random if there are more; all if None.
        generator: of the drawing.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import answered_pairs
        >>> answers = [[1, 2, np.nan], [2, 2, 1], [3, 1, np.nan]]
        >>> answered_pairs(answers, fewest=3, generator=np.random.default_rng(0)).tolist()
        [[0, 1]]
    """
    answered = (~np.isnan(AnswerTable.of(answers).values)).astype(float)
    pairs = all_pairs(answered.shape[1])
    pairs = pairs[(answered.T @ answered)[tuple(pairs.T)] >= fewest]
    return pairs if most is None else at_most(pairs, most, generator)


def at_most(pairs: IntArray, most: int, generator: np.random.Generator) -> IntArray:
    """Return so many of the pairs, (P, 2), drawn at random, in their order; all if they are few."""
    if len(pairs) <= most:
        return pairs
    return pairs[np.sort(generator.choice(len(pairs), most, replace=False))]


def straightlining(answers: AnswerTable | ArrayLike, *, fewest: int = FEWEST_ALIKE) -> float:
    """Return the share of respondents who give the same answer to every question.

    Args:
        answers: an :class:`AnswerTable`, or numbers, (n, Q), NaN where an answer is missing.
        fewest: answers that a respondent must have given to count.

    Returns:
        The share, without weights; NaN where nobody counts.

    Examples:
        >>> from fidelity.structure import straightlining
        >>> straightlining([[1, 1, 1], [1, 2, 1], [2, float("nan"), 2]])
        0.5
    """
    values = AnswerTable.of(answers).values
    some = values[(~np.isnan(values)).sum(1) >= fewest]
    if not len(some):
        return np.nan
    return float((np.nanmax(some, axis=1) == np.nanmin(some, axis=1)).mean())


Deviations = tuple[FloatArray, FloatArray, FloatArray]
"""Of some respondents and all pairs: g, and both answers less their means, (rows, P) each."""


class PairMoments:
    """Weighted first and second moments of pairs of questions, among those who answered both.

    Args:
        table: answers.
        pairs: (P, 2); both may be the same question.

    Attributes:
        mass: the weight of those who answered both, (P,).
        effective: their effective number, (P,).
        mean: of both, (2, P).
        variance: of both, (2, P), with denominator ``mass``.
        covariance: (P,).
    """

    def __init__(self, table: AnswerTable, pairs: IntArray):
        """Compute the moments by products of matrices."""
        self.table, self.pairs = table, pairs
        x, w, (a, b) = table.values, table.weights, pairs.T
        there = ~np.isnan(x)
        self._m = there.astype(float)
        total = np.maximum(w @ self._m, np.finfo(float).tiny)
        centre = (w @ np.where(there, x, 0.0)) / total
        varies = np.nanmax(x, axis=0, initial=-np.inf) > np.nanmin(x, axis=0, initial=np.inf)
        self._x = np.where(there & varies, x - centre, 0.0)
        wm, wx = w[:, None] * self._m, w[:, None] * self._x
        self.mass = (wm.T @ self._m)[a, b]
        squares = (((w**2)[:, None] * self._m).T @ self._m)[a, b]
        first, second = wx.T @ self._m, (wx * self._x).T @ self._m
        with np.errstate(invalid="ignore", divide="ignore"):
            self.effective = self.mass**2 / squares
            self._mean = np.stack([first[a, b], first[b, a]]) / self.mass
            power = np.stack([second[a, b], second[b, a]]) / self.mass
            self.covariance = (wx.T @ self._x)[a, b] / self.mass - self._mean.prod(0)
        self.mean = self._mean + centre[pairs.T]
        self.variance = power - self._mean**2
        self.variance[self.variance < ROUNDING * power] = 0.0

    def by_person(self) -> Iterator[tuple[slice, Deviations]]:
        """Yield slices of respondents with what they answered to all pairs."""
        a, b = self.pairs.T
        w = self.table.weights
        mean = np.nan_to_num(self._mean)
        for rows in blocks(self.table.size, len(a), AT_ONCE):
            pair_weight = w[rows, None] * (self._m[rows][:, a] * self._m[rows][:, b])
            with np.errstate(divide="ignore", invalid="ignore"):
                g = pair_weight / (self.mass - pair_weight)
            one, two = self._x[rows][:, a] - mean[0], self._x[rows][:, b] - mean[1]
            yield rows, (g, one, two)


class Associations:
    """Correlations of pairs of questions among one side's respondents, with what each person does.

    Made by :func:`associations`.

    Attributes:
        table: the answers, or their ranks.
        pairs: (P, 2).
        r: correlations, (P,); NaN where there is none.
        noise: the variance of each, (P,); NaN where there is none.
        effective: the effective number of respondents who answered both, (P,).
        few: how many pairs have too few common answers.
        constant: how many of the others have no r, since all, or nearly all, give the same answer
            to a question: fewer than three persons with rarer answers to both, those that are not
            the most frequent, are expected by chance. Whether there are any decides r then, and
            its error can't be told.
    """

    def __init__(self, table: AnswerTable, pairs: IntArray, fewest: float):
        """Compute correlations and their noise."""
        self.table, self.pairs = table, pairs
        self._moments = moments = PairMoments(table, pairs)
        self.effective = moments.effective
        enough = np.nan_to_num(self.effective) >= fewest * (1.0 - ROUNDING)
        with np.errstate(invalid="ignore", divide="ignore"):
            self._scale = 1.0 / np.sqrt(moments.variance)
            self.r = np.clip(moments.covariance * self._scale.prod(0), -1.0, 1.0)
        by_chance = self.effective * rarer_shares(table)[pairs].prod(1)
        varied = np.isfinite(self._scale).all(0) & (np.nan_to_num(by_chance) >= TOGETHER)
        self.r[~enough | ~varied] = np.nan
        self.noise = self._noise_with(self)
        self.r[np.isnan(self.noise)] = np.nan
        self.noise[np.isnan(self.r)] = np.nan
        self.few = int((~enough).sum())
        self.constant = int((enough & np.isnan(self.r)).sum())

    def _by_person(self) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
        """Yield what respondents do to each r: to first order, and exactly, (rows, P) each."""
        for rows, (g, a, b) in self._moments.by_person():
            with np.errstate(invalid="ignore"):
                a, b = a * self._scale[0], b * self._scale[1]
                product, a, b = a * b, a * a, b * b
                linear = g * (product - self.r * (a + b) / 2.0)
                a, b = 1.0 - g * a, 1.0 - g * b
                rest = np.where((a > ROUNDING) & (b > ROUNDING), a * b, np.nan)
                exact = self.r - (self.r - g * product) / np.sqrt(rest)
            yield rows, linear, exact

    def _noise_with(self, other: "Associations") -> FloatArray:
        """Return the covariance of each r with that of the same respondents elsewhere, (P,)."""
        both = zip(self._by_person(), other._by_person(), strict=True)
        sampling = self.table.sampling
        if sampling is None:
            products = ((one[1] * two[2] + one[2] * two[1]).sum(0) / 2.0 for one, two in both)
            return sum(products, np.zeros(len(self.pairs)))
        psus = np.zeros((4, len(sampling.units.strata), len(self.pairs)))
        for one, two in both:
            for part, values in zip(psus, (*one[1:], *two[1:]), strict=True):
                np.add.at(part, sampling.units.of_person[one[0]], values)
        whole = sampling._replace(units=sampling.units._replace(of_person=np.arange(len(psus[0]))))
        linear, exact, other_linear, other_exact = (whole.of_units(part) for part in psus)
        return (linear * other_exact + exact * other_linear).sum(0) / 2.0

    def person_effects(self, coefficients: FloatArray) -> FloatArray:
        """Return what each unit, a respondent or a PSU, does to sums of correlations, (U, K).

        Args:
            coefficients: of the correlations, (P, K), 0 where there is none.
        """
        effects = np.zeros((self.table.size, coefficients.shape[1]))
        for rows, _, exact in self._by_person():
            effects[rows] = np.nan_to_num(exact) @ coefficients
        return self.table.of_units(effects)

    def common_noise(self, other: "Associations") -> FloatArray:
        """Return the covariance of each r with that of the same respondents elsewhere, (P,)."""
        if other.table.size != self.table.size:
            raise ValueError(
                "the same respondents must have a row each in both tables, not "
                f"{self.table.size} and {other.table.size} rows"
            )
        return self._noise_with(other)


def associations(
    answers: AnswerTable | ArrayLike,
    *,
    pairs: ArrayLike | None = None,
    fewest: float = FEWEST,
) -> Associations:
    """Return the correlations between questions, with what each respondent does to them.

    Respondents must be drawn independently. Errors are right to first order.

    Args:
        answers: an :class:`AnswerTable`, or numbers, (n, Q), NaN where an answer is missing.
        pairs: of columns, (P, 2); all if None.
        fewest: common answers that a pair needs, as an effective number.

    Raises:
        ValueError: on malformed arguments, or fewer than two questions.

    Examples:
        >>> import numpy as np
        >>> from fidelity.structure import associations
        >>> rng = np.random.default_rng(0)
        >>> mood = rng.normal(size=(200, 1))
        >>> found = associations(mood + rng.normal(size=(200, 3)))
        >>> found.r.round(2), np.sqrt(found.noise).round(2)
        (array([0.46, 0.53, 0.55]), array([0.06, 0.05, 0.05]))
    """
    table = AnswerTable.of(answers)
    questions = table.values.shape[1]
    if questions < 2:
        raise ValueError("answers must have at least two questions")
    if pairs is None:
        return Associations(table, all_pairs(questions), fewest)
    chosen = inputs.table("pairs", pairs, inputs.FINITE_NOT_NEGATIVE, ("pairs", 2))
    if (chosen % 1.0 != 0.0).any() or chosen.max() >= questions:
        raise ValueError(f"pairs must be columns of answers, whole numbers below {questions}")
    return Associations(table, chosen.astype(int), fewest)


def rarer_shares(table: AnswerTable) -> FloatArray:
    """Return the share of answers that are not the most frequent one of a question, (Q,)."""
    shares = np.zeros(table.values.shape[1])
    for question, column in enumerate(table.values.T):
        there = ~np.isnan(column)
        if there.any():
            place = np.unique(column[there], return_inverse=True)[1]
            mass = np.bincount(place, table.weights[there])
            shares[question] = 1.0 - mass.max() / mass.sum()
    return shares
