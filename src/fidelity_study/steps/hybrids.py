"""A few people and a simulator together: how near they come, and how many interviews they save.

People who are seen must not judge (:mod:`fidelity_study.steps.interviewed`).

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
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.correction.mixture import tempered_mixture
from fidelity.curves.clusters import effective_clusters
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.hybrids.curve import (
    Guesses,
    HybridBounds,
    HybridCurve,
    MeanDiscrepancies,
    guess_hybrids,
    hybrid_bounds,
)
from fidelity.hybrids.people import FEWEST, PeopleAlone, taking_part
from fidelity.means.average import NEW, TARGETS
from fidelity.uses import USES, Use
from fidelity_study.steps.arrays import ENDS, finite, keys_of
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.cluster_warning import warning
from fidelity_study.steps.draws import STATED_FORM, is_from_people
from fidelity_study.steps.interviewed import BY_SCENARIO, SPLITS, Asked
from fidelity_study.steps.unanswered import Answered, answered
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

ALONE, SIMULATOR, HYBRID, CORRECTED = ("people", "simulator", "hybrid", "corrected")
SAVED = ("kappa", *(f"{name}{end}" for name in ("saved", "beyond") for end in ENDS))
CORRECTION = partial(tempered_mixture, starts=[1.0])


def hybrid_rows(
    asked: Asked, answered: list[Answered], step: dict, uses: dict[str, Use] | None = None
) -> Iterator[dict]:
    """Yield rows of ``HYBRIDS`` for each simulator, number of draws and discrepancy.

    Where the scenarios change with n₀, people alone have rows at each n₀ for those that take part.
    ``uses`` takes what each simulator saves of the most interviews, by the first discrepancy.
    """
    first = next(iter(step["pairs"]))
    for discrepancy in discrepancies(step["pairs"]):
        parts = [
            Part(asked, rows, sizes, asked.alone(rows, discrepancy, sizes))
            for rows, sizes in taking_part(asked.counts, step["hybrids"]["sizes"])
        ]
        for answers in answered:
            if asked.split != BY_SCENARIO and is_from_people(answers.simulator):
                continue
            q = answers.measured(answers.is_smoothed(discrepancy, step["smoothed"]))
            before = 0
            for part in parts:
                until = part.alone.people_sizes[-1] if part is parts[-1] else part.sizes[-1]
                bounds = part.bounds(answers, q)
                rows = () if bounds is None else bounds_rows(bounds, answers, asked.split, step)
                for row in rows:
                    if before < row["n0"] <= until:
                        yield keys_of(answers, discrepancy) | row
                if uses is not None and bounds is not None and discrepancy == first:
                    limit = limit_of(step["uses"], "interviews")
                    most = int(bounds.people.sizes[-1])
                    use = USES["interviews"].measure(bounds, most, limit=limit)
                    uses |= {answers.simulator: use} if np.isfinite(use.error) else {}
                before = part.sizes[-1]


def discrepancies(pairs: dict) -> list[str]:
    """Return the discrepancies that a few people can be judged by."""
    known = {name: DISCREPANCIES[name] for name in pairs}
    return [
        name
        for name, measure in known.items()
        if not (measure.is_parameter or measure.infinite_at_zero)
    ]


@dataclass(frozen=True)
class Part:
    """The scenarios that take part at some sizes.

    Attributes:
        asked: people's answers to all scenarios.
        rows: positions of those that take part.
        sizes: n₀.
        alone: people split, and those seen alone.
        guesses: people and guesses together, the same for all simulators that answer the same
            scenarios.
    """

    asked: Asked
    rows: np.ndarray
    sizes: list[int]
    alone: PeopleAlone
    guesses: dict[bytes, Guesses] = field(default_factory=dict)

    def bounds(self, answers: Answered, q: np.ndarray) -> HybridBounds | None:
        """Return the bounds of a simulator with shares q; None where it answers too little."""
        order = np.argsort(answers.rows)
        there, at, place = np.intersect1d(self.rows, answers.rows[order], return_indices=True)
        clusters, mine, key = self.asked.clusters[there], order[place], there.tobytes()
        if len(there) < FEWEST or len(np.unique(clusters)) < 2:
            return None
        people, labels = self.alone.at(at), grouped(clusters)
        if key not in self.guesses:
            self.guesses[key] = guess_hybrids(people, labels)
        return hybrid_bounds(
            people,
            q[mine],
            clusters=labels,
            draws=None if answers.k == STATED_FORM else answers.draws[mine],
            correction=CORRECTION if self.asked.is_apart else None,
            guesses=self.guesses[key],
        )


def bounds_rows(bounds: HybridBounds, answers: Answered, split: str, step: dict) -> Iterator[dict]:
    """Yield the rows of one simulator, at sizes at which the same scenarios take part."""
    m, labels = bounds.people.rest.shape[1], bounds.clusters
    common = {"m": m, "left_out": len(answers.rows) - m, "splits": SPLITS}
    for target in TARGETS:
        known = {"target": target, "method": split, "warning": None}
        if target == NEW:
            known["method"] = f"{'CLT' if labels is None else 'CR2'}, {split}"
            known["warning"] = None if labels is None else warning(effective_clusters(labels))
        for row in _of_sources(bounds.curve(target, 1.0 - step["test"]["alpha"])):
            yield row | known | common


def _of_sources(curve: HybridCurve) -> Iterator[dict]:
    sizes, most = curve.sizes.tolist(), int(curve.people_sizes[-1])
    alone = MeanDiscrepancies(*(np.repeat(column, len(sizes)) for column in curve.simulator))
    yield from _mean_rows(ALONE, curve.people_sizes.tolist(), curve.people)
    yield from _mean_rows(SIMULATOR, sizes, alone)
    for source, part in ((HYBRID, curve.hybrid), (CORRECTED, curve.corrected)):
        if part is not None:
            for i, row in enumerate(_mean_rows(source, sizes, part.means)):
                saved = {name: float(getattr(part, name)[i]) for name in SAVED}
                yield {**row, **saved, "verdict": part.verdict[i], "most": most}


def _mean_rows(source: str, sizes: list[int], means: MeanDiscrepancies) -> Iterator[dict]:
    for i, n0 in enumerate(sizes):
        values = {name: finite(column[i]) for name, column in means._asdict().items()}
        yield {"n0": n0, "source": source, **values}


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
