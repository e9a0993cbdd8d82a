"""People's responses and a simulator's, as the library's functions take them; checked once.

A function that compares a simulator with people takes ``responses`` and a ``simulator``. Tables are
enough where nothing else is known: counts of answers, and shares, with a row per scenario and a
column per option. :class:`Responses` and :class:`Simulator` hold what else is known, such as the
options' scores, weights, who answered what, or from how many draws shares come.

Labelled tables are put in order by their labels, those of the simulator in the order of people's
(:mod:`fidelity.inputs`).
"""

from copy import copy
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from fidelity import inputs
from fidelity.arrays import AnyArray, ArrayLike, FloatArray, IntArray

PER_SCENARIO = (
    *("raw", "exists", "counts", "sizes", "times"),
    *("clusters", "_respondents", "replicates", "_df", "limits"),
)
MOST_NUMBERED = 2**24  # persons by number, of whom some may have no answer; others are numbered


class Answers(NamedTuple):
    """Who answered what, (N,) each, and how persons were drawn.

    Attributes:
        person: who gave each answer: a label, or with strata or PSUs a number from 0.
        scenario: the row of the counts that the answer belongs to.
        option: which option was chosen, a column of the counts.
        weight: of each answer; None if all count alike.
        strata: the stratum of each person by number, (persons,); None for one stratum. Persons
            without an answer count, too: their PSUs were drawn.
        psu: the PSU of each person, (persons,); labels may be used again in another stratum. None
            where each person is one.
        lonely_psu: what a stratum with a single PSU contributes. ``refused``: it is an error.
            ``certainty``: nothing. ``average``: the mean of the other strata. ``adjust``: the
            square of its distance from the mean of all.

    Examples:
        >>> from fidelity.responses import Answers
        >>> Answers(person=[0, 0, 1], scenario=[0, 1, 0], option=[1, 1, 0]).lonely_psu
        'refused'
    """

    person: ArrayLike
    scenario: ArrayLike
    option: ArrayLike
    weight: ArrayLike | None = None
    strata: ArrayLike | None = None
    psu: ArrayLike | None = None
    lonely_psu: str = "refused"


class KnownAnswers(NamedTuple):
    """Answers that are checked, (N,) each.

    Attributes:
        who: each answer's person.
        scenario: its row.
        cell: its place in a table of all.
        weight: of each.
        kish: effective number of answers to each scenario, (Σw)²/Σw², (m,).
        strata, psu: a label for each person by number, (persons,); or None.
        lonely_psu: as in :class:`Answers`.
    """

    who: IntArray
    scenario: IntArray
    cell: IntArray
    weight: FloatArray
    kish: FloatArray
    strata: AnyArray | None
    psu: AnyArray | None
    lonely_psu: str

    @classmethod
    def of(cls, answers: Answers, counts: FloatArray) -> "KnownAnswers":
        """Return the answers; ValueError if they are not those that were counted, (m, d)."""
        strata, psu = (
            None if label is None else np.asarray(label) for label in (answers.strata, answers.psu)
        )
        who = inputs.labels("person", answers.person)
        size = len(who)
        labels = [label for label in (strata, psu) if label is not None]
        if labels:
            _check_numbers(labels, who)
        elif not _are_numbers(who) or who.max() >= MOST_NUMBERED:
            who = np.unique(who, return_inverse=True)[1]
        row = _places("scenario", answers.scenario, size, len(counts))
        option = _places("option", answers.option, size, counts.shape[1])
        cell = np.ravel_multi_index((row, option), counts.shape)
        weight = 1.0 if answers.weight is None else answers.weight
        w = inputs.each("weight", weight, inputs.FINITE_NOT_NEGATIVE, len(cell))
        recounted = np.bincount(cell, w, counts.size).reshape(counts.shape)
        if not np.allclose(recounted, np.nan_to_num(counts), atol=0.0):
            raise ValueError(
                "person, scenario and option must be the answers that counts counts, with their"
                " weights"
            )
        kish = recounted.sum(1) ** 2 / np.bincount(row, w**2, len(counts))
        return cls(who.astype(int), row, cell, w, kish, strata, psu, answers.lonely_psu)

    def only(self, rows: IntArray, options: int) -> "KnownAnswers":
        """Return the answers to the scenarios at ``rows``, which are numbered anew."""
        place = np.full(len(self.kish), -1)
        place[rows] = np.arange(len(rows))
        kept = place[self.scenario] >= 0
        scenario = place[self.scenario[kept]]
        return self._replace(
            who=self.who[kept],
            scenario=scenario,
            cell=scenario * options + self.cell[kept] % options,
            weight=self.weight[kept],
            kish=self.kish[rows],
        )

    @property
    def respondents(self) -> IntArray | None:
        """Equal labels of scenarios, (m,), that share a person; None if none do.

        With PSUs all scenarios have the same label, since persons of a PSU may be in any of them.
        """
        many = len(self.kish)
        if self.psu is not None:
            return np.zeros(many, int)
        links = np.unique(np.stack([self.who, self.scenario]), axis=1)
        persons, who = np.unique(links[0], return_inverse=True)
        if len(persons) == links.shape[1]:
            return None
        size = len(persons) + many
        graph = coo_array((np.ones(len(who)), (who, len(persons) + links[1])), (size, size))
        return connected_components(graph, directed=False)[1][len(persons) :]


def _places(name: str, values: ArrayLike, size: int, many: int) -> IntArray:
    """Return places below ``many``, one for each of ``size`` answers."""
    places = inputs.vector(name, values, inputs.FINITE_NOT_NEGATIVE, size)
    if (places % 1.0 != 0.0).any() or places.max(initial=0.0) >= many:
        raise ValueError(f"{name} must be places in counts, whole numbers below {many}")
    return places.astype(int)


def _are_numbers(who: AnyArray) -> bool:
    return who.dtype.kind in "iu" and bool(who.min(initial=0) >= 0)


def _check_numbers(labels: list[AnyArray], who: AnyArray) -> None:
    """Refuse persons that are no numbers of those who have a stratum or PSU."""
    shape = (len(labels[0]),)
    if (
        not _are_numbers(who)
        or any(label.shape != shape for label in labels)
        or who.max(initial=0) >= shape[0]
    ):
        raise ValueError("strata and psu must have a label for each person by number")


class Responses:
    """People's answers to m scenarios.

    Args:
        counts: answers per option, (m, d); NaN where a scenario has no such option. Sums of
            weights, where there are ``sizes``.
        scores: of the options, (d,) or (m, d).
        sizes: how many people answered, one or (m,), where ``counts`` are shares or weighted: with
            weights w the effective number (Σw)²/Σw². Without sizes counts must be whole.
        squares: of weighted people, sums of the squared weights of those who chose each option,
            (m, d), where ``counts`` are sums of weights. Give them if weights may depend on the
            answers. Without them the effective number of people in ``sizes`` is taken to be that of
            each option, and standard errors may be too small.
        options: which options each scenario has, (m, d); None for those that are not NaN.
        clusters: one label per scenario, (m,); None for independent scenarios.
        respondents: one label per scenario, (m,), equal where the same people may have answered
            both. None if all scenarios have people of their own; if they don't, intervals without
            labels are far too short. If the same people answered all: ``np.zeros(m)``.
        answers: who answered what, see :class:`Answers`, if known. Then ``sizes`` default to
            (Σw)²/Σw², and ``respondents`` to what they show.
        replicates: sums by each set of replicate weights, (m, d, R), with their factors in them;
            NaN where there is no such option.
        df: degrees of freedom of a design's variance, one or (m,); NaN without a design.
        limits: the smallest and the largest answer, (2,) or (m, 2), where any number between them
            can be given, not only those among ``scores``; infinite where any number can.

    Attributes:
        counts: whole numbers of answers, or effective numbers of them, (m, d).
        raw: as given, (m, d).
        sizes: their sums, (m,).
        times: by how much weights multiply the part of a variance that comes from each option,
            (m, d), beside weights that don't depend on the answers; None without ``squares``.
        exists: which options each scenario has, (m, d).

    Raises:
        ValueError: on malformed or contradicting arguments, and where nobody answered.

    Examples:
        >>> from fidelity import Responses
        >>> people = Responses([[12, 5, 3], [46, 29, 25]], scores=[-1, 0, 1])
        >>> people.counts.sum(1)
        array([ 20., 100.])
    """

    def __init__(
        self,
        counts: ArrayLike,
        *,
        scores: ArrayLike | None = None,
        sizes: ArrayLike | None = None,
        squares: ArrayLike | None = None,
        options: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        respondents: ArrayLike | None = None,
        answers: Answers | None = None,
        replicates: ArrayLike | None = None,
        df: ArrayLike | None = None,
        limits: ArrayLike | None = None,
    ):
        """Line the arguments up, and check them."""
        self.lineup = inputs.Lineup()
        counts, scores, sizes, squares, options, clusters, respondents = self.lineup.add(
            across=("scores",),
            counts=counts,
            scores=scores,
            sizes=sizes,
            squares=squares,
            options=options,
            clusters=clusters,
            respondents=respondents,
        )
        self.raw = inputs.table("counts", counts, inputs.COUNTS, ("scenarios", "options"))
        self.exists = inputs.existing(options, self.raw, {})
        self._has_options = options is not None
        self.scores = inputs.scores_of(scores, self.raw.shape)
        answered = np.nan_to_num(self.raw).sum(axis=1) > 0.0
        if not answered.all():
            raise ValueError(
                f"counts must have an answer in each row; row {answered.argmin()} has none"
            )
        self.answers = None if answers is None else KnownAnswers.of(answers, self.raw)
        if sizes is None and self.answers is not None:
            sizes = self.answers.kish
        self.counts = inputs.sized("counts", self.raw, "sizes", sizes)
        m = len(self.counts)
        self.sizes: FloatArray = np.nansum(self.counts, axis=1)
        if sizes is not None:
            self.sizes = inputs.each("sizes", sizes, inputs.FINITE_POSITIVE, m)
        self.times = None if squares is None else _times(squares, self.raw, self.counts)
        self.clusters = inputs.optional_labels("clusters", clusters, m)
        self._respondents = inputs.optional_labels("respondents", respondents, m)
        self.replicates = None if replicates is None else np.asarray(replicates, float)
        if self.replicates is not None and (
            self.replicates.ndim != 3 or len(self.replicates) != m or not self.replicates.size
        ):
            raise ValueError(f"replicates must have the shape ({m}, d, R), R sets of weights")
        self._df = np.broadcast_to(np.nan if df is None else np.asarray(df, float), m)
        if (self._df <= 0.0).any():
            raise ValueError("df must be positive")
        self.limits = None if limits is None else _limits(limits, m)

    @cached_property
    def respondents(self) -> AnyArray | None:
        """Labels of scenarios, (m,), equal where the same people may have answered; or None."""
        if self._respondents is None and self.answers is not None:
            return self.answers.respondents
        return self._respondents

    @property
    def df(self) -> float:
        """The degrees of freedom of the design in these scenarios; infinite without one."""
        return np.inf if np.isnan(self._df).all() else float(np.nanmax(self._df))

    @property
    def is_open(self) -> bool:
        """Whether an answer may be any number."""
        return self.limits is not None and bool(np.isinf(self.limits).any())

    def only(self, rows: ArrayLike) -> "Responses":
        """Return the responses to the scenarios at some positions, without labels of rows."""
        part, rows = copy(self), np.asarray(rows)
        part.__dict__.pop("respondents", None)
        part.lineup = self.lineup.copy()
        part.lineup.rows.first = None
        for name in PER_SCENARIO:
            values = getattr(self, name)
            if values is not None:
                setattr(part, name, values[rows])
        if self.scores is not None and self.scores.ndim == 2:
            part.scores = self.scores[rows]
        if self.answers is not None:
            part.answers = self.answers.only(rows, self.raw.shape[1])
        return part

    def alike(self) -> "Responses":
        """Return the same people as if their weights didn't depend on the answers."""
        part = copy(self)
        part.times = None
        return part

    @classmethod
    def of(cls, responses: "Responses | ArrayLike") -> "Responses":
        """Return responses, made of a table of counts if they are none."""
        return responses if isinstance(responses, Responses) else cls(responses)

    def check_options(self, name: str, shares: FloatArray) -> None:
        """Refuse shares, (m, d), of other options than these have."""
        if self._has_options:
            inputs.only_where(name, shares, self.exists)
        else:
            inputs.options_of("counts", self.raw, {name: shares})


class Simulator:
    """A simulator's answers to m scenarios: the probabilities of options, stated or of its draws.

    Args:
        shares: probabilities of the options, (m, d); NaN where a scenario has no such option.
        draws: if they are the shares of draws, how many there were, one or (m,). Results are then
            about the probabilities drawn from; without ``draws``, about the shares themselves.
        runs: one label per scenario, (m,), equal where one run of the simulator (a persona, a
            conversation) may have answered both, so that its draws depend on each other. None if
            draws are independent between scenarios.
        unanswered: the share of its answers that it left out, one or (m,); 0 by default. Where it
            left out all, its shares don't count: any will do.
        name: of ``shares`` in messages.

    Raises:
        ValueError: on malformed arguments.

    Examples:
        >>> from fidelity import Simulator
        >>> Simulator([[0.2, 0.3, 0.5], [0.4, 0.4, 0.2]], draws=50).draws
        array([50., 50.])
    """

    def __init__(
        self,
        shares: ArrayLike,
        *,
        draws: ArrayLike | None = None,
        runs: ArrayLike | None = None,
        unanswered: ArrayLike | None = None,
        name: str = "shares",
    ):
        """Line the arguments up, and check them."""
        self.name = name
        self._given: dict[str, Any] = {
            name: shares,
            "draws": draws,
            "runs": runs,
            "unanswered": unanswered,
        }
        self._line_up(inputs.Lineup())

    def _line_up(self, lineup: inputs.Lineup) -> None:
        """Take the arguments over in the order of labels that there are already."""
        self.lineup = lineup
        shares, draws, runs, unanswered = lineup.add(**self._given)
        shares = inputs.table(self.name, shares, inputs.SHARE_OR_NOTHING, ("scenarios", "options"))
        self.shares = inputs.sums_to_one(self.name, np.minimum(shares, 1.0))
        m = len(self.shares)
        self.draws: FloatArray | None = None
        if draws is not None:
            self.draws = inputs.each("draws", draws, inputs.FINITE_POSITIVE, m)
        self.runs = inputs.optional_labels("runs", runs, m)
        unanswered = 0.0 if unanswered is None else unanswered
        self.unanswered = inputs.each("unanswered", unanswered, inputs.UNIT, m)

    @classmethod
    def of(cls, simulator: "Simulator | ArrayLike", name: str = "simulator") -> "Simulator":
        """Return a simulator, made of a table of shares if it is none; ``name`` is the argument."""
        return simulator if isinstance(simulator, Simulator) else cls(simulator, name=name)

    def as_stated(self) -> Self:
        """Return the shares as if they were stated, not those of draws."""
        stated = copy(self)
        stated.draws, stated._given = None, {**self._given, "draws": None}
        return stated

    def only(self, rows: ArrayLike) -> "Simulator":
        """Return the answers to the scenarios at some positions, without labels of rows."""
        rows = np.asarray(rows)
        given = {"draws": self.draws, "runs": self.runs, "unanswered": self.unanswered}
        known = {name: values[rows] for name, values in given.items() if values is not None}
        return Simulator(self.shares[rows], **known, name=self.name)

    def in_order(self, lineup: inputs.Lineup) -> Self:
        """Return the same with rows and columns in the order of labels that there are already."""
        ordered = copy(self)
        ordered._line_up(lineup)
        return ordered


def _limits(limits: ArrayLike, m: int) -> FloatArray:
    """Return the ends of what can be answered, (m, 2)."""
    ends = np.asarray(limits, float)
    if ends.shape not in ((2,), (m, 2)) or not (ends[..., 0] < ends[..., 1]).all():
        raise ValueError("limits must be the smallest and the largest answer, in this order")
    return np.broadcast_to(ends, (m, 2))


def common_runs(simulators: list[Simulator]) -> AnyArray | None:
    """Return the labels of runs that simulators' draws depend on, (m,), or None.

    Errors of both add up as if one run had made both, which is cautious.

    Raises:
        ValueError: if two simulators have different runs.
    """
    known = [simulator.runs for simulator in simulators if simulator.runs is not None]
    partitions = {tuple(np.unique(runs, return_inverse=True)[1].tolist()) for runs in known}
    if len(partitions) > 1:
        raise ValueError("runs must be the same scenarios of both simulators")
    return known[0] if known else None


def side_by_side(responses: Any, **simulators: Any) -> tuple[Responses, list[Simulator]]:
    """Return people's responses, and simulators of the same scenarios and options, in one order.

    Args:
        responses: :class:`Responses` or counts.
        simulators: :class:`Simulator` or shares each, by the name of the argument.

    Raises:
        ValueError: if scenarios, options or labels differ.
    """
    people = Responses.of(responses)
    lineup, lined_up = people.lineup.copy(), []
    for name, simulator in simulators.items():
        stated = Simulator.of(simulator, name)
        if stated.shares.shape != people.raw.shape:
            shape = " x ".join(map(str, people.raw.shape))
            raise ValueError(
                f"{stated.name} must be a table of the scenarios and options of counts, {shape}, "
                f"not of shape {stated.shares.shape}"
            )
        stated = stated.in_order(lineup)
        people.check_options(stated.name, stated.shares)
        lined_up.append(stated)
    return people, lined_up


def _times(squares: Any, raw: FloatArray, counts: FloatArray) -> FloatArray:
    """Return ``times`` of :class:`Responses`, (m, d), given sums of weights and effective numbers.

    An answer of an option is worth g of n effective ones, g their mean weight. Leaving it out moves
    the mean of f by g(f - mean)/(n - g), and one effective answer by (f - mean)/(n - 1).
    """
    squares = np.nan_to_num(inputs.table("squares", squares, inputs.COUNTS, raw.shape))
    if ((squares > 0.0) != (np.nan_to_num(raw) > 0.0)).any():
        raise ValueError("squares must be above 0 where counts are, and 0 elsewhere")
    n = np.nansum(counts, axis=1, keepdims=True)
    worth: FloatArray = np.ones(raw.shape)
    unit = n / np.nansum(raw, axis=1, keepdims=True)
    np.divide(unit * squares, raw, out=worth, where=squares > 0.0)
    left = np.where(worth < n, n - worth, np.nan)
    return worth * ((n - 1.0) / left) ** 2
