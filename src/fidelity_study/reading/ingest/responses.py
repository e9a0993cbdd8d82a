"""What a dataset's ingest hands over: answers, scenarios, and what baselines may learn from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from fidelity.stream import stream
from fidelity_study.errors import Note


def _nothing(*columns: str) -> Callable[[], pd.DataFrame]:
    return partial(pd.DataFrame, columns=columns)


@dataclass(frozen=True)
class Respondents:
    """Who answered what: P kinds of people and their answers.

    Attributes:
        text: each kind in words, such as "a woman aged 18 to 29", (P,).
        features: their covariates, (P, f).
        counts: their answers in each scenario, in the order of the options, (m, P, d).
    """

    text: np.ndarray
    features: np.ndarray
    counts: np.ndarray

    def rows(self, scenarios: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of ``personas``."""
        values = np.array(scenarios["value"].iloc[0], float)
        j, p, i = np.nonzero(self.counts)
        return pd.DataFrame(
            {
                "scenario": scenarios["scenario"].to_numpy()[j],
                "persona": self.text[p],
                "value": values[i],
                "count": self.counts[j, p, i],
            }
        )


@dataclass(frozen=True)
class Responses:
    """What a dataset's ingest hands over.

    ``outcomes``: one row per distinct (scenario, source, value), columns ``scenario, source,
    value, count``; ``source`` is ``human`` or a simulator's name; only values that occur need a
    row. ``scenarios``: one row per scenario, columns ``scenario, cluster, description, value,
    option`` (``value``: list of the option codes in order, ``option``: list of their texts) and,
    for weighted people, ``n_effective``; an own ``score`` list overrides the default scores. For
    ``bounded`` and ``real`` outcomes ``value`` lists the distinct values that occur, and
    ``bounded`` ones need ``lower`` and ``upper``, the range they could have. A column
    ``respondents_repeat`` says whether the same people answer several scenarios; None, as without
    the column, is unknown. A column ``people`` in its place says more: scenarios with different
    labels have nobody in common. ``n_effective`` is the number of people over the config's design
    effect, or without one Kish's effective number of weights that are at hand, or the number of
    people; or what a sampling design makes of them, whose degrees of freedom are in ``df``.
    ``square`` lists, in the order of the options, the sums of squared weights of those who chose
    each, weights having the mean 1; ``replicates`` lists for each option its share by each set of
    replicate weights, spread around the share so that the squared differences add up to the
    variance.
    ``question`` is the wording to put to a language model, if it is not the description.
    ``stated``: columns ``scenario, source, value, probability`` of simulators that state
    probabilities, a row for each option. ``missing``: columns ``scenario, source, reason, count``,
    how many answers were asked for and not got, and why, one of ``REASONS``; for a simulator that
    refuses is not the same as one that answers. ``personas``: columns ``scenario, persona, value,
    count``, the real respondents of a scenario in words, such as "a 34-year-old woman, some
    college", and how many of them gave which answer. ``stated_by_persona``: columns ``scenario,
    source, persona, value, probability`` of simulators that state probabilities for each persona.
    In place of ``personas`` the ``respondents`` of scenarios with the same options can be handed
    over, from whom baselines learn, too; they also learn from the columns ``alike`` (label of the
    scenarios that are asked alike, the cluster if there is none), ``series`` (label of those that
    follow each other), ``time`` and ``wording`` (the ``question`` if there is none) of
    ``scenarios``. ``given``: columns ``scenario, source, family, loc, scale, total``, of simulators
    that gave the location and scale of a distribution, or one-vs-rest probabilities with their sum.
    ``by_respondent``: columns ``scenario, respondent, value``, what each of the people answered, a
    number for each who is the same one in all scenarios, and ``weight`` where they don't count
    alike, with the mean 1 in each scenario; where people were drawn by primary sampling units, also
    ``psu`` and ``stratum`` (numbers), ``psus_in_stratum`` (how many there are, with those where
    nobody answered) and ``lonely_psu`` (what a single one adds); None where that is not known.
    ``runs``: columns ``scenario, source, run, value, respondent``, what each run of a simulator
    answered, a number for each that is the same run in all scenarios, and the number of the
    respondent whose twin it is, None where it is nobody's.
    ``facts``: columns ``source, person, fact, text``, what is known of a respondent, or of whom a
    run speaks for, by their numbers.
    ``origin`` names the file in error messages; ``notes`` are told to the user.
    """

    origin: str
    outcomes: pd.DataFrame
    scenarios: pd.DataFrame
    stated: pd.DataFrame = field(
        default_factory=_nothing("scenario", "source", "value", "probability")
    )
    missing: pd.DataFrame = field(default_factory=_nothing("scenario", "source", "reason", "count"))
    personas: pd.DataFrame = field(
        default_factory=_nothing("scenario", "persona", "value", "count")
    )
    stated_by_persona: pd.DataFrame = field(
        default_factory=_nothing("scenario", "source", "persona", "value", "probability")
    )
    respondents: Respondents | None = None
    given: pd.DataFrame = field(
        default_factory=_nothing("scenario", "source", "family", "loc", "scale", "total")
    )
    by_respondent: pd.DataFrame | None = None
    runs: pd.DataFrame = field(
        default_factory=_nothing("scenario", "source", "run", "value", "respondent")
    )
    facts: pd.DataFrame = field(default_factory=_nothing("source", "person", "fact", "text"))
    notes: Sequence[Note] = ()


def drawn_answers(step: dict, stated: pd.DataFrame) -> pd.DataFrame:
    """Let simulators that state probabilities answer as often as the config says, by scenario.

    Returns columns ``scenario, source, value, count``. Each (scenario, source) has its own
    random stream, so that draws don't change when another scenario or simulator is added.
    """
    count = np.empty(len(stated))
    probability = stated["probability"].to_numpy(float)
    groups = stated.reset_index(drop=True).groupby(["scenario", "source"], sort=False)
    for (scenario, source), rows in groups.indices.items():
        share = probability[rows]
        generator = stream(step["seed"], step["dataset"], scenario, source, "draws")
        count[rows] = generator.multinomial(step["draws"], share / share.sum())
    return stated[["scenario", "source", "value"]].assign(count=count)
