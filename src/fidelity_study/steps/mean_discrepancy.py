"""Mean discrepancies between bounds that need no confidence set, their differences, and lists.

Tables:
    MEAN_DISCREPANCY: at the last n, first replicate: a simulator's mean discrepancy between two
        bounds that need no confidence set: the expectation of `lower` is at most the mean, that of
        `upper` is at least the mean. The mean lies in [`ci_lower`, `ci_upper`] with a probability
        of about 1 - alpha, exactly where `method` is `betting`. The interval ends at 0, which
        `lower` can fall below. `answers`: of its answers as `drawn`, or of the `true` shares that
        they are drawn from. `target`: `asked`, the mean over these m scenarios, where only people
        are random, or `new`, that of the population that they, or their clusters, come from.
        `tail`: 1 for all scenarios, 0.1 for the worst tenth. `effective_clusters`: of `new`
        scenarios in clusters, how many of equal size would tell as much; with fewer than 4 no
        simulator is called closer. `warning`: why there is no interval (fewer than three people, or
        draws, in a scenario), or what makes it rough: few clusters, or options that hardly anybody
        chose. `method`: `jackknife` (of `tv`, `w1`, `absolute` and `mmd_delta` and its kin with
        `lower end by resampling`, except where primary sampling units or replicate weights give the
        error, and for the worst tenth), `CR2` over clusters, `betting` (exact) or `CLT` over
        independent scenarios, and what makes it approximate (`fitted to the same people elsewhere`:
        a baseline made from people's answers to other scenarios, of which the interval takes what
        it states as given). `unanswered`: the mean share of questions without an answer; with these
        assigned for and against the simulator the mean lies, in expectation, between
        `missing_lower` and `missing_upper` (`tv`, `w1`, `absolute`, `mmd_delta` and its kin). With
        a probability of about 1 - alpha the means of all simulators in one `k`, `discrepancy` and
        `target` lie in their [`familywise_lower`, `familywise_upper`] at once, whatever the missing
        answers were, those of scenarios without any answer too; empty for the worst tenth, and
        where answers are missing for `true` answers of draws and for `kl` and `chi2`
    MEAN_DIFFERENCES: the mean discrepancy of `simulator` less that of `other`, on the m scenarios
        that both answer: columns as above. Intervals hold at once for all pairs of a discrepancy,
        k, answers and target. `method` is `resampling` for the same discrepancies, unless it is
        known who answered what. For `asked`, `ci_lower` and `ci_upper` end where no people could
        differ more. Simulators that draw are compared by what they draw from (`answers` `true`);
        with `kl` and `chi2`, where no bounds on that are known, by the answers themselves
        (`drawn`). `closer`: the closer simulator, where the interval does not hold 0; empty where
        answers as drawn are compared. `draws_to_settle`: about how many draws for each question
        would show who is closer, if their shares stay as they are; empty where it is settled, or
        more draws would not show it
    BY_CLUSTER: the columns of `mean_discrepancy` for the scenarios of each `cluster`; intervals
        hold at once for all clusters with the same other keys
"""

from collections.abc import Iterator
from itertools import chain
from math import comb

import numpy as np
import pyarrow as pa

from fidelity.comparison.few_clusters import grouped
from fidelity.means.average import ASKED, TARGETS, DiscrepancyInterval
from fidelity.means.estimates import Estimate
from fidelity.means.tail import tail_discrepancy
from fidelity.means.together import difference_of, hides_persons
from fidelity.uses import USES
from fidelity.uses.shares import ends_of
from fidelity_study.steps.arrays import row_of, scale_of
from fidelity_study.steps.cases import DRAWN, Both, Case, cases_of, shown, together
from fidelity_study.steps.draws import pairs
from fidelity_study.steps.limits import LIMITS, LISTS, limit_rows, list_rows, tolerances_of
from fidelity_study.steps.mean_intervals import FORM, INTERVAL, JACKKNIFE, mean_columns, method
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import SCENARIOS
from fidelity_study.tables.read_write import read, write_tables
from fidelity_study.tables.uses import MEASURED, measured

MEAN_DISCREPANCY = pa.schema(
    [
        ("simulator", LABEL),
        *FORM,
        ("tail", pa.float64()),
        *INTERVAL,
        *columns(pa.float64(), "unanswered", "missing_lower", "missing_upper", "familywise_lower"),
        ("familywise_upper", pa.float64()),
    ]
)
BY_CLUSTER = pa.schema([*columns(LABEL, "cluster", "simulator"), *FORM, *INTERVAL])
MEAN_DIFFERENCES = pa.schema(
    [
        *columns(LABEL, "simulator", "other"),
        *FORM,
        *INTERVAL,
        ("closer", LABEL),
        ("draws_to_settle", pa.int64()),
    ]
)

TAIL = 0.1
IntervalsOfMeans = dict[tuple[str, str], DiscrepancyInterval]  # by simulator and answers


def mean_rows(case: Case, alpha: float, many: int) -> Iterator[dict]:
    """Yield the mean discrepancy and that of the worst tenth, for each kind of answers and target.

    There are also intervals that hold for ``many`` simulators at once.
    """
    for answers in case.answers:
        mean, form = case.estimate(answers), case.form(answers)
        worst_case = missing_columns(case, mean)
        for target in filter(mean.exists, TARGETS):
            row = mean_columns([case], mean, target, mean.interval(target, 1.0 - alpha))
            row |= worst_case | familywise_columns(case, answers, mean, target, alpha / many)
            yield row_of(MEAN_DISCREPANCY, tail=1.0, **form | row)
        if answers == case.answers[0]:
            how: dict = {"discrepancy": case.discrepancy, "alpha": TAIL, "level": 1.0 - alpha}
            worst = tail_discrepancy(case.responses, case.q, **how)
            form |= {"target": ASKED, "method": method(case.people, [case], ASKED, error=JACKKNIFE)}
            yield row_of(MEAN_DISCREPANCY, worst, tail=TAIL, **form)


def missing_columns(case: Case, mean: Estimate) -> dict:
    """Return the share of missing answers, and bounds with these counted for and against.

    Where the discrepancy itself is a metric; see :mod:`fidelity.means.unanswered`.
    """
    missing, some = case.missing, case.missing.answering
    left = missing.left[some]
    columns = {"unanswered": left.mean()}
    if not (left.any() and missing.is_bounded and missing.root == 1):
        return columns
    counts = case.responses.counts
    share = counts / np.nansum(counts, axis=1, keepdims=True)
    return columns | {
        "missing_lower": (mean.bounds.smooth_lower - missing.shift).mean(),
        "missing_upper": missing.farthest(share, some).mean(),
    }


def familywise_columns(case: Case, answers: str, mean: Estimate, target: str, alpha: float) -> dict:
    """Return the interval at ``alpha`` that allows for any answers to unanswered questions.

    Empty where it isn't known how much they change the mean, as for the probabilities behind draws.
    """
    if not case.missing.is_none and case.draws(answers) is not None:
        return {}
    limits = case.limits(mean)(target, 1.0 - alpha)
    return {"familywise_lower": limits.ci_lower, "familywise_upper": limits.ci_upper}


def cluster_rows(case: Case, alpha: float) -> Iterator[dict]:
    """Yield the mean discrepancy of the scenarios of each cluster; all intervals hold together."""
    clusters = case.people.clusters[case.own.rows]
    if grouped(clusters) is None:
        return
    names = np.unique(clusters)
    for answers in case.answers:
        for name in names:
            mean = case.estimate(answers, np.flatnonzero(clusters == name))
            limits = mean.interval(ASKED, 1.0 - alpha / len(names))
            columns = mean_columns([case], mean, ASKED, limits)
            yield {"cluster": name, **case.form(answers), **columns}


def difference_rows(cases: list[Case], alpha: float, many: int) -> Iterator[dict]:
    """Yield the mean difference of every two of ``many`` simulators.

    Simulators that draw are compared by what they draw from: of two equal models neither is closer.
    Where no bounds on that are known (``kl``, ``chi2``), the answers are compared as they are, and
    neither simulator is called closer.

    Those of one discrepancy and one number of draws hold together, with those of simulators that
    both state probabilities; see :func:`fidelity.mean_differences`.
    """
    for k, able in together(cases):
        of_means = intervals_of_means(able, alpha / 2.0 / many)
        paired = (alpha / 2.0 if of_means else alpha) / max(comb(many, 2), 1)
        by_name = {case.own.simulator: case for case in able}
        plugin = {name: case.bounds[case.answers[0]].upper for name, case in by_name.items()}
        for one, two in pairs(by_name, plugin.__getitem__):
            both = Both.of(by_name[one], by_name[two])
            if both.is_compared_at(k):
                yield from pair_rows(both, of_means, 1.0 - paired)


def pair_rows(both: Both, of_means: IntervalsOfMeans, level: float) -> Iterator[dict]:
    """Yield the difference of two simulators, for each target."""
    answers, pair = both.answers, [both.one, both.two]
    mean = both.estimate(answers)
    names = [case.own.simulator for case in pair]
    form = {**both.drawing.form(answers), "simulator": names[0], "other": names[1]}
    how: dict = {"means": [of_means.get((name, answers)) for name in names]}
    if both.draw and answers != DRAWN:
        how |= {"given": lambda: both.as_given, "draws": float(both.drawing.own.k)}
    for target in filter(mean.exists, TARGETS):
        difference = difference_of(mean, names, target, level, **how)
        row = mean_columns(pair, mean, target, difference.interval)
        if difference.by_means:
            row["method"] += ", and both means"
        nearer = difference.closer if both.is_about_models else None
        yield {**form, **row, "closer": nearer, "draws_to_settle": difference.draws_to_settle}


def intervals_of_means(able: list[Case], alpha: float) -> IntervalsOfMeans:
    """Return the intervals of single means at ``alpha`` each, which bound differences, too.

    All simulators must answer the same scenarios, so that each has one interval.
    """
    first = able[0]
    alike = all(np.array_equal(case.own.rows, first.own.rows) for case in able)
    if not (alike and hides_persons(first.people.responses)):
        return {}
    return {
        (case.own.simulator, answers): case.estimate(answers).interval(ASKED, 1.0 - alpha)
        for case in able
        for answers in case.answers
    }


def share_uses(judged: list[Case], step: dict, scale: tuple[float, float]) -> Iterator[dict]:
    """Yield how well each simulator's answers stand for people's shares in these questions.

    By the first discrepancy, of the answers that each is shown by, as they are given, with any
    answers to questions that it left unanswered. The limit is the tolerance.
    """
    discrepancy = next(iter(step["pairs"]))
    usual = tolerances_of(step["tolerance"], discrepancy, scale)
    limit = step["uses"]["limits"].get("shares", usual[0] if usual else None)
    if limit is None:
        return
    for case in shown(judged):
        if case.discrepancy == discrepancy:
            ends = ends_of(case.limits(case.estimate(case.answers[0])))
            if np.isfinite(ends.observed(1.0 - step["test"]["alpha"])).all():
                yield measured(case.own.simulator, USES["shares"].judged(ends, limit))


def main(snakemake):
    """Bound mean discrepancies and their differences; list scenarios within tolerances."""
    step = snakemake.params.step
    alpha, tolerance, many = step["test"]["alpha"], step["tolerance"], len(step["simulators"])
    judged = cases_of(snakemake.input, step)
    scale = scale_of(read(snakemake.input.scenarios, SCENARIOS))
    lists = (
        list_rows(case, tolerances_of(tolerance, case.discrepancy, scale), alpha) for case in judged
    )
    means = chain(*(mean_rows(case, alpha, many) for case in judged))
    made = {
        "mean_discrepancy": (means, MEAN_DISCREPANCY),
        "by_cluster": (chain(*(cluster_rows(case, alpha) for case in judged)), BY_CLUSTER),
        "mean_differences": (difference_rows(judged, alpha, many), MEAN_DIFFERENCES),
        "lists": (chain(*lists), LISTS),
        "limits": (limit_rows(judged, scale, alpha, many), LIMITS),
        "of_shares": (share_uses(judged, step, scale), MEASURED),
    }
    write_tables(snakemake.output, made, step)
