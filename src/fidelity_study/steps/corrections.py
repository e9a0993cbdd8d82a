"""Whether simulators corrected by people's answers to other scenarios are nearer to people.

A correction is fitted to scenarios of other clusters only. It is measured as one more simulator.
The meaning of its intervals, and the ways in which they are approximate:

- **Who judges.** Where the same persons answer several scenarios, a correction learns the
  peculiarities of these persons. It looks better than it is if they judge it. So persons are split
  in halves, once: it is fitted to one half and judged by the other, then the reverse, and both are
  averaged. Where each scenario has people of its own, they are split scenario by scenario. Given
  the half that it is fitted to, a corrected simulator is fixed. The bounds and jackknife errors of
  the judging half then hold as for any simulator. The error of an average is at most the mean of
  both errors. The bounded number is the mean discrepancy of corrections fitted to half of the
  people.
- **Errors.** Where it is known who answered what, the jackknife leaves out whole persons. So it
  allows for the dependence between their answers.
- **Nobody split.** Weighted counts cannot be split. Nor can people who may have answered several
  scenarios, if it isn't known who answered what. Then corrections are fitted to all people, who
  also judge. A scenario's own people still don't enter its own correction. So its bounds hold if
  different people answered each cluster. Errors take the corrections as fixed, which is
  approximate.
- **Asked**: these very scenarios, each corrected by people's answers to other clusters. **New**:
  scenarios of new clusters. The corrections of two clusters are fitted to mostly the same answers.
  So their scores are not quite independent, as errors by clusters assume: approximate.
- **All at once.** The differences of one discrepancy and target hold together for all corrections
  (Bonferroni), so any of them may be picked as the best. Single means have an interval each.

Tables:
    CORRECTIONS: if the config has `correct`, a row per `correction` (`tempered`, of one
        `simulator`; `ridge` and `stacked`, of all `simulators` under test together, without a
        name), `discrepancy` and `target` (`asked`, these scenarios; `new`, of new clusters), on the
        `m` scenarios that 2 or more people judge; `k` is that of the simulators, `mixed` if they
        differ. `split`: the units split into a half that corrections are fitted to and a half that
        judges: `persons`, `each question's people`, or `nobody`, where different people are assumed
        to have answered each cluster. `corrected`, `uncorrected` and `from_people` (the best
        prediction from the same people's answers without a simulator) are mean discrepancies
        between `_lower` and `_upper` in expectation, with an interval `_ci_lower`, `_ci_upper`
        each. `over_simulator` and `over_people` are the corrected mean minus these; their intervals
        hold for all corrections of a discrepancy and target at once. Of several simulators or
        predictions the hardest to beat is shown: the one with the largest upper end (`nearest`, the
        simulator). `verdict`: `gain` if the corrected one is certainly nearer than every simulator
        it is made of and every such prediction; `loss` if certainly farther than one of these
        simulators; else `no gain`. Fitted to all people: `temperature`, `penalty` (medians over
        folds), `weight` of simulators together, `weight_uniform`, `weight_pooled` (means). `method`
        and `warning`, also why there is no interval
    CORRECTED: the corrected simulators' probabilities, fitted to all people: `simulator`, `k`,
        `correction` as above, `scenario`, `value`, `probability`. The answers in a scenario's own
        cluster are not used
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa

from fidelity.correction.folds import Corrected
from fidelity.correction.gain import CorrectionMeans, correction_means, hardest_to_beat
from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.means import average as means
from fidelity_study.steps.arrays import row_of
from fidelity_study.steps.bootstrap_simulators import SIMULATED_SAMPLE
from fidelity_study.steps.correct import Correction, Questions, from_people, parameters, wanted
from fidelity_study.steps.judges import FEWEST, NOBODY, Judges
from fidelity_study.steps.mean_intervals import method, said
from fidelity_study.steps.people import People
from fidelity_study.steps.persons import OF_PERSONS
from fidelity_study.steps.unanswered import answered
from fidelity_study.tables.common import LABEL, columns
from fidelity_study.tables.ingest import OUTCOMES, RESPONDENTS, SCENARIOS
from fidelity_study.tables.read_write import read, write_tables

ENDS = ("lower", "upper", "ci_lower", "ci_upper")
FORM = columns(LABEL, "simulator", "k", "correction")
CORRECTED = pa.schema([*FORM, ("scenario", LABEL), *columns(pa.float64(), "value", "probability")])
MEANS = ("corrected", "uncorrected", "from_people")
DIFFERENCES = ("over_simulator", "over_people")
CORRECTIONS = pa.schema(
    [
        *FORM,
        *columns(LABEL, "discrepancy", "target"),
        *columns(pa.int32(), "simulators", "m"),
        *columns(LABEL, "split", "nearest"),
        *((f"{name}_{end}", pa.float64()) for name in (*MEANS, *DIFFERENCES) for end in ENDS),
        ("verdict", LABEL),
        *columns(pa.float64(), "temperature", "weight", "weight_uniform", "weight_pooled"),
        ("penalty", pa.float64()),
        *columns(LABEL, "method", "warning"),
    ]
)

ASSUMED = "people assumed different, corrections taken as fixed"
TOO_FEW = (
    "no interval: fewer than 2 clusters have 2 people or more to teach and 2 to judge; a correction"
    " needs people's answers to other clusters"
)


class Corrections:
    """All corrections of a dataset: fitted to everybody, and fitted to one half of the people.

    Attributes:
        people: everybody.
        judges: the split into people who are fitted to and people who judge.
        wanted: the corrections that can be made.
        impossible: the corrections that cannot be made, since there are too few clusters.
    """

    def __init__(
        self, people: People, judges: Judges, questions: Questions, asked: list[Correction]
    ):
        """Take over who answered what; nothing is fitted yet."""
        self.people, self.judges, self._questions = people, judges, questions
        self.wanted = [
            correction
            for correction in asked
            if len({*questions.clusters[np.intersect1d(correction.rows, judges.known)]}) >= FEWEST
        ]
        self.impossible = [correction for correction in asked if correction not in self.wanted]

    @cached_property
    def kept(self) -> list[Corrected]:
        """Each of ``wanted``, fitted to everybody."""
        counts = self.people.responses.counts
        return [correction.fitted(counts, self._questions) for correction in self.wanted]

    @cached_property
    def _fitted(self) -> list[list[np.ndarray]]:
        """Each of ``wanted``, fitted in each direction."""
        if self.judges.split == NOBODY:
            return [[fitted.probabilities] for fitted in self.kept]
        return [
            [
                correction.fitted(counts, self._questions).probabilities
                for counts in self.judges.teaching
            ]
            for correction in self.wanted
        ]

    @cached_property
    def _guesses(self) -> list[dict[str, list[np.ndarray]]]:
        """In each direction, kind -> forecasts from people without a simulator."""
        kinds = [correction.kind for correction in self.wanted]
        return [from_people(kinds, counts, self._questions) for counts in self.judges.teaching]

    def stated_rows(self, described: pa.Table) -> Iterator[dict]:
        """Yield rows of ``CORRECTED``."""
        names, values = (described[name].to_pylist() for name in ("scenario", "value"))
        for correction, fitted in zip(self.wanted, self.kept, strict=True):
            for row, stated in zip(correction.rows, fitted.probabilities.tolist(), strict=True):
                for cells in zip(values[row], stated, strict=False):
                    known = dict(zip(("value", "probability"), cells, strict=True))
                    yield {**correction.form, "scenario": names[row], **known}

    def rows(self, step: dict) -> Iterator[dict]:
        """Yield rows of ``CORRECTIONS``, for each discrepancy that is convex, and each target."""
        alpha = step["test"]["alpha"]
        for discrepancy in step["pairs"]:
            if DISCREPANCIES[discrepancy].is_parameter:
                continue
            how = discrepancy, step["smoothed"]
            judged = [self._judged(place, *how) for place in range(len(self.wanted))]
            many = sum(len(one.over_simulators) + len(one.over_people) for one in judged)
            for correction, bounds, fitted in zip(self.wanted, judged, self.kept, strict=True):
                known = {**self._form(correction, discrepancy), **parameters(fitted)}
                for row in self._compared(correction, bounds, alpha, many):
                    yield row_of(CORRECTIONS, **known, **row)
            for correction in self.impossible:
                yield row_of(CORRECTIONS, **self._form(correction, discrepancy), warning=TOO_FEW)

    def _form(self, correction: Correction, discrepancy: str) -> dict:
        known = {"discrepancy": discrepancy, "simulators": len(correction.simulators)}
        return {**correction.form, **known, "split": self.judges.split}

    def _judged(self, place: int, discrepancy: str, smoothed: list[str]) -> CorrectionMeans:
        """Return one correction's means by one discrepancy."""
        correction, halves = self.wanted[place], range(len(self.judges.judging))
        rows = np.intersect1d(correction.rows, self.judges.known)
        at = np.searchsorted(correction.rows, rows)
        made_of = [(one, one.is_smoothed(discrepancy, smoothed)) for one in correction.simulators]
        return correction_means(
            [self.judges.responses(self.people.responses, half, rows) for half in halves],
            [fitted[at] for fitted in self._fitted[place]],
            [one.measured(is_smoothed)[one.places(rows)] for one, is_smoothed in made_of],
            [[forecast[rows] for forecast in half[correction.kind]] for half in self._guesses],
            discrepancy=discrepancy,
        )

    def _compared(
        self, correction: Correction, judged: CorrectionMeans, alpha: float, many: int
    ) -> Iterator[dict]:
        """Yield the columns of one correction for each target; none where there is one cluster."""
        clusters = judged.corrected.clusters
        for target in filter(judged.corrected.exists, means.TARGETS):
            gain = judged.gain(target, 1.0 - alpha / many)
            nearest, best = map(hardest_to_beat, (gain.over_simulators, gain.over_people))
            shown = judged.corrected, judged.simulators[nearest], judged.from_people[best]
            limits = [mean.interval(target, 1.0 - alpha) for mean in shown]
            limits += [gain.over_simulators[nearest], gain.over_people[best]]
            named = zip((*MEANS, *DIFFERENCES), limits, strict=True)
            yield {
                "target": target,
                "m": len(judged.corrected.bounds.lower),
                "nearest": correction.simulators[nearest].simulator,
                **{f"{name}_{end}": getattr(one, end) for name, one in named for end in ENDS},
                "verdict": gain.verdict,
                "method": self._method(target, clusters),
                "warning": said(gain.over_simulators[nearest], target, clusters),
            }

    def _method(self, target: str, clusters: np.ndarray | None) -> str:
        methods = [method(self.people, [], target, clusters=clusters)]
        methods += [OF_PERSONS] if any(self.judges.answers) else []
        return ", ".join(methods + ([ASSUMED] if self.judges.split == NOBODY else []))


def main(snakemake):
    """Correct simulators by people's answers to other scenarios, and judge what that gains."""
    step, files = snakemake.params.step, snakemake.input
    described = read(files.scenarios, SCENARIOS)
    judges = Judges.of(
        described, read(files.outcomes, OUTCOMES), read(files.respondents, RESPONDENTS), step
    )
    people = People.who_gave(judges.everybody, described, step)
    simulated, options = read(files.simulated, SIMULATED_SAMPLE), judges.everybody.shape[1]
    given = answered(simulated, people.names, options)
    asked = list(wanted(given, step["correct"]))
    corrections = Corrections(people, judges, Questions.of(described), asked)
    made = {
        "corrections": (corrections.rows(step), CORRECTIONS),
        "stated": (corrections.stated_rows(described), CORRECTED),
    }
    write_tables(snakemake.output, made, step)
