"""A few people and a simulator together: how near they come, and how many interviews they save.

People who are seen must not judge. Where it is known who answered what, persons are split, each
once for all scenarios that have people in common. Where scenarios have people of their own, each
scenario's people are split. Where the same people may have answered several scenarios and it is not
known who, each scenario's people are split, too. Those who judge a scenario are then independent of
those seen in it, so the hybrid's x⁰ is judged rightly. But κ̂ is one number from many other
scenarios, and may depend on some who judge. Also, intervals can't allow for the error that the same
people add to all scenarios. So the rows say that they are as if different people answered each.

A correction learns from the answers to which side people lean. It would seem to fit the people who
lean that way, and is left out there. So are baselines fitted to people's other answers, where those
who judge may have given them.

A scenario takes part at n₀ if it has three times as many people: n₀ are seen, people alone are
measured at up to half of all, and the others judge.

Tables:
    HYBRIDS: if the config has `hybrids`, how near a few people, a simulator and both together come
        to all other people: a row per simulator, k, discrepancy, `n0` people interviewed in each
        scenario, `source` (`people` alone, which are measured at more n0; `simulator` alone;
        `hybrid`, (x + κq)/(n0 + κ); `corrected`, the same with the simulator corrected by the n0 of
        other clusters) and `target` (`asked`, these very scenarios; `new`, those they or their
        clusters are drawn from). `lower`, `upper` enclose the mean discrepancy in expectation,
        `ci_lower`, `ci_upper` are its interval. `kappa`: how many people the simulator counts as,
        fitted on other clusters, its median. `saved`: how many more people alone come as near, with
        an interval `saved_lower`, `saved_upper`; "or more" where it is `most` less n0, the most
        people measured alone. `beyond`, `beyond_lower`, `beyond_upper`: the same against the hybrid
        of people with a uniform guess, which knows nothing of people. `verdict`: `gain` where
        people alone, their hybrid with a uniform guess, and that with what was answered to other
        scenarios are all certainly farther than the hybrid; `loss` where people alone are certainly
        nearer, else `no gain`; of `new` scenarios of fewer than 4 effective clusters always `no
        gain`. `m` scenarios, `left_out` with fewer than three times n0 people, `splits` of people
        at random, `method`: how people are split and what the interval is of, `warning`. Empty
        where fewer than 10 scenarios or one cluster remain
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.correction.mixture import tempered_mixture
from fidelity.curves.clusters import effective_clusters
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.hybrids.curve import (
    Guesses,
    HybridCurve,
    MeanDiscrepancies,
    Together,
    guess_hybrids,
    hybrid_bounds,
)
from fidelity.hybrids.people import PeopleAlone, people_alone
from fidelity.means.average import NEW, TARGETS
from fidelity.stream import stream
from fidelity.uses import USES, Use
from fidelity_study.errors import DataError
from fidelity_study.steps.arrays import (
    ENDS,
    Scenarios,
    finite,
    human,
    keys_of,
    may_answer_several,
    numbers,
)
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.cluster_warning import warning
from fidelity_study.steps.draws import STATED_FORM, is_from_people
from fidelity_study.steps.people import options_of
from fidelity_study.steps.unanswered import Answered, answered, padded
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import MEASURED, limit_of, measured

HYBRIDS = pa.schema(
    [
        *columns(LABEL, "simulator", "k", "discrepancy"),
        ("n0", pa.int32()),
        *columns(LABEL, "source", "target"),
        *columns(pa.float64(), "lower", "upper", "ci_lower", "ci_upper", "kappa", "saved"),
        *columns(pa.float64(), "saved_lower", "saved_upper", "beyond", "beyond_lower"),
        ("beyond_upper", pa.float64()),
        ("most", pa.int32()),
        ("verdict", LABEL),
        *columns(pa.int32(), "m", "left_out", "splits"),
        *columns(LABEL, "method", "warning"),
    ]
)

SPLITS = 10
FEWEST = 10
TIMES = 3
ALONE, SIMULATOR, HYBRID, CORRECTED = ("people", "simulator", "hybrid", "corrected")
BY_PERSON, BY_SCENARIO, UNKNOWN = (
    "persons split",
    "each scenario's people split",
    "each scenario's people split, as if different people answered each",
)
SAVED = ("kappa", *(f"{name}{end}" for name in ("saved", "beyond") for end in ENDS))
CORRECTION = partial(tempered_mixture, starts=[1.0])


@dataclass(frozen=True)
class Asked:
    """People's answers, (m, ...).

    Attributes:
        names: of the scenarios.
        counts: answers per option, NaN where there is no such option, (m, d).
        scores: of the options, NaN where there is none, (m, d), or None.
        clusters: a label each, (m,).
        people: a label each, (m,), where persons are known: equal where they may be the same.
        answers: the option that each person chose, (persons, m), NaN where none; None where
            persons are not known.
        is_apart: whether it is known that those who judge a scenario were not seen in another.
        key: of the dataset's random streams.
    """

    names: list[str]
    counts: np.ndarray
    scores: np.ndarray | None
    clusters: np.ndarray
    people: np.ndarray
    answers: np.ndarray | None
    is_apart: bool
    key: tuple

    @classmethod
    def of(
        cls, scenarios: pa.Table, outcomes: pa.Table, respondents: pa.Table, step: dict
    ) -> "Asked":
        """Take over the columns of the tables; DataError where people are weighted."""
        if any(scenarios["weighted"].to_pylist()):
            raise DataError(
                f"datasets.{step['dataset']}.hybrids: people are weighted, and a few of them can't "
                "be drawn from weighted counts; take hybrids away, or give people without weights"
            )
        known = Scenarios.from_table(scenarios)
        answers = _answers(known, respondents) if len(respondents) else None
        several = may_answer_several(scenarios)
        return cls(
            known.names,
            padded([count.tolist() for count in known.counts(human(outcomes), "count")]),
            options_of(scenarios)["scores"],
            np.array(scenarios["cluster"].to_pylist()),
            np.array([str(label) for label in scenarios["people"].to_pylist()]),
            answers if several else None,
            not several or answers is not None,
            (step["seed"], step["dataset"], "hybrids"),
        )

    @property
    def split(self) -> str:
        """How people are split."""
        if self.answers is not None:
            return BY_PERSON
        return BY_SCENARIO if self.is_apart else UNKNOWN

    def alone(self, rows: np.ndarray, discrepancy: str, sizes: list[int]) -> PeopleAlone:
        """Return people split, and those seen alone, in the scenarios at ``rows``."""
        scores = self.scores
        how: dict = {"discrepancy": discrepancy, "sizes": sizes, "splits": SPLITS}
        names = [self.names[row] for row in rows]
        if self.answers is not None:
            groups = self.people[rows]
            names = np.unique(groups).tolist()
            how |= {"answers": self.answers[:, rows], "groups": groups}
        return people_alone(
            self.counts[rows],
            scores=None if scores is None else scores[rows],
            generator=[stream(*self.key, name) for name in names],
            **how,
        )


def _answers(known: Scenarios, respondents: pa.Table) -> np.ndarray:
    scenario, option = known.places(respondents)
    person = numbers(respondents["respondent"]).astype(np.int64)
    answers = np.full((person.max() + 1, len(known.names)), np.nan)
    answers[person, scenario] = option
    return answers


def hybrid_rows(
    asked: Asked, answered: list[Answered], step: dict, uses: dict[str, Use] | None = None
) -> Iterator[dict]:
    """Yield rows of ``HYBRIDS`` for each simulator, number of draws and discrepancy.

    Where the scenarios change with n₀, people alone have rows at each n₀ for those that take part.
    ``uses`` takes what each simulator saves of the most interviews, by the first discrepancy.
    """
    may_be_fitted = asked.split == BY_SCENARIO
    judged = [
        answers for answers in answered if may_be_fitted or not is_from_people(answers.simulator)
    ]
    for discrepancy in discrepancies(step["pairs"]):
        parts = [
            (rows, sizes, asked.alone(rows, discrepancy, sizes))
            for rows, sizes in taking_part(asked.counts, step["hybrids"]["sizes"])
        ]
        guesses: dict[bytes, Guesses] = {}
        for answers in judged:
            form = keys_of(answers, discrepancy)
            for i, (rows, sizes, alone) in enumerate(parts):
                before = parts[i - 1][1][-1] if i else 0
                until = sizes[-1] if i + 1 < len(parts) else alone.people_sizes[-1]
                is_first = uses is not None and discrepancy == next(iter(step["pairs"]))
                of_part = uses if is_first else None
                for row in part_rows(
                    asked, answers, rows, alone, discrepancy, step, guesses, of_part
                ):
                    if before < row["n0"] <= until:
                        yield form | row


def discrepancies(pairs: dict) -> list[str]:
    """Return the discrepancies that a few people can be judged by."""
    known = {name: DISCREPANCIES[name] for name in pairs}
    return [
        name
        for name, measure in known.items()
        if not (measure.is_parameter or measure.infinite_at_zero)
    ]


def taking_part(counts: np.ndarray, sizes: list[int]) -> Iterator[tuple[np.ndarray, list[int]]]:
    """Yield groups of scenarios with enough people, with the sizes at which they have enough."""
    people = np.nansum(counts, axis=1)
    for _, alike in groupby(sizes, lambda n: int((people >= TIMES * n).sum())):
        sizes_alike = list(alike)
        rows = np.flatnonzero(people >= TIMES * sizes_alike[0])
        if len(rows) >= FEWEST:
            yield rows, sizes_alike


def part_rows(
    asked: Asked,
    answers: Answered,
    rows: np.ndarray,
    alone: PeopleAlone,
    discrepancy: str,
    step: dict,
    guesses: dict[bytes, Guesses],
    uses: dict[str, Use] | None,
) -> Iterator[dict]:
    """Yield the rows of one simulator, at sizes at which the same scenarios take part.

    ``guesses`` keeps what is the same for all simulators that answer the same scenarios. ``uses``
    takes what it saves.
    """
    order = np.argsort(answers.rows)
    there, at, place = np.intersect1d(rows, answers.rows[order], return_indices=True)
    clusters = asked.clusters[there]
    if len(there) < FEWEST or len(np.unique(clusters)) < 2:
        return
    mine = order[place]
    labels = grouped(clusters)
    people = alone.at(at)
    key = there.tobytes()
    if key not in guesses:
        guesses[key] = guess_hybrids(people, labels)
    bounds = hybrid_bounds(
        people,
        answers.measured(answers.is_smoothed(discrepancy, step["smoothed"]))[mine],
        clusters=labels,
        draws=None if answers.k == STATED_FORM else answers.draws[mine],
        correction=CORRECTION if asked.is_apart else None,
        guesses=guesses[key],
    )
    if uses is not None:
        limit = limit_of(step["uses"], "interviews")
        use = USES["interviews"].measure(bounds, int(people.sizes[-1]), limit=limit)
        uses |= {answers.simulator: use} if np.isfinite(use.error) else {}
    common = {"m": len(there), "left_out": len(answers.rows) - len(there), "splits": SPLITS}
    for target in TARGETS:
        known = {"target": target, "method": asked.split, "warning": None}
        if target == NEW:
            known["method"] = f"{'CLT' if labels is None else 'CR2'}, {asked.split}"
            known["warning"] = None if labels is None else warning(effective_clusters(labels))
        for row in _of_sources(bounds.curve(target, 1.0 - step["test"]["alpha"])):
            yield row | known | common


def _of_sources(curve: HybridCurve) -> Iterator[dict]:
    sizes = curve.sizes.tolist()
    alone = MeanDiscrepancies(*(np.repeat(column, len(sizes)) for column in curve.simulator))
    yield from _mean_rows(ALONE, curve.people_sizes.tolist(), curve.people)
    yield from _mean_rows(SIMULATOR, sizes, alone)
    for source, part in ((HYBRID, curve.hybrid), (CORRECTED, curve.corrected)):
        if part is not None:
            for row, saved in zip(
                _mean_rows(source, sizes, part.means), _saved_columns(part), strict=True
            ):
                yield row | saved | {"most": int(curve.people_sizes[-1])}


def _mean_rows(source: str, sizes: list[int], means: MeanDiscrepancies) -> Iterator[dict]:
    for i, n0 in enumerate(sizes):
        values = {name: finite(column[i]) for name, column in means._asdict().items()}
        yield {"n0": n0, "source": source, **values}


def _saved_columns(together: Together) -> Iterator[dict]:
    for i, verdict in enumerate(together.verdict):
        yield {"verdict": verdict, **{name: float(getattr(together, name)[i]) for name in SAVED}}


def main(snakemake):
    """Measure a few people, each simulator, and both together."""
    step, files = snakemake.params.step, snakemake.input
    asked = Asked.of(
        read(files.scenarios, SCENARIOS),
        read(files.outcomes, OUTCOMES),
        read(files.respondents, RESPONDENTS),
        step,
    )
    given = answered(read(files.simulated, SIMULATED_SAMPLE), asked.names, asked.counts.shape[1])
    uses: dict[str, Use] = {}
    rows = [*hybrid_rows(asked, given, step, uses)]
    made = {
        "hybrids": (rows, HYBRIDS),
        "of_interviews": ([measured(name, use) for name, use in uses.items()], MEASURED),
    }
    write_tables(snakemake.output, made, step)
