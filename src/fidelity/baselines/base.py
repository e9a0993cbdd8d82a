"""Baseline simulators: guesses made from people's answers elsewhere, or from no answers.

A new one is a subclass of :class:`Baseline` with a name, decorated with ``BASELINES.add``.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from fidelity.arrays import AnyArray, FloatArray
from fidelity.registry import Registry


@dataclass(frozen=True)
class Asked:
    """People's answers to m scenarios with the same d options, and data on people and scenarios.

    Attributes:
        counts: people's answers, (m, d).
        alike: one label per scenario, equal where they are asked alike: mostly the cluster, (m,).
        series: label of the scenarios that follow each other in time, (m,), or None.
        time: when each was asked, (m,), or None.
        wording: of each scenario's question, (m,), or None.
        features: covariates of P kinds of people, (P, f), or None.
        by_person: answers of each kind of people, (m, P, d), or None.

    Examples:
        >>> import numpy as np
        >>> from fidelity import BASELINES
        >>> from fidelity.baselines import Asked
        >>> counts = np.array([[30, 70], [50, 50], [20, 80]])
        >>> asked = Asked(counts, alike=np.array(["tax", "tax", "law"]))
        >>> BASELINES["pooled"].state(asked)  # no other question is asked like the third
        array([[0.5, 0.5],
               [0.3, 0.7],
               [nan, nan]])
    """

    counts: FloatArray
    alike: AnyArray
    series: AnyArray | None = None
    time: AnyArray | None = None
    wording: list[str] | None = None
    features: FloatArray | None = None
    by_person: FloatArray | None = None

    def averaged(self, by_person: FloatArray) -> FloatArray:
        """Return the mean over a scenario's people of the probabilities of each kind, (m, d)."""
        assert self.by_person is not None
        people = self.by_person.sum(axis=2)
        total = people.sum(axis=1, keepdims=True)
        shares = np.divide(people, total, out=np.full(people.shape, np.nan), where=total > 0)
        return np.einsum("jp,jpd->jd", shares, by_person)

    @property
    def earlier(self) -> AnyArray | None:
        """The time, (m,), where scenarios that are asked alike are a series; None otherwise."""
        if self.series is None or (self.alike != self.series).any():
            return None
        return self.time


class Baseline(ABC):
    """A simulator that is fitted to people's answers, or needs nothing.

    Attributes:
        name: as in configs and tables.
        label: in plain words, for reports; without one they show the name.
        describe: what it is and how it answers, in one sentence.
        needs: the fields of :class:`Asked` that it requires.
        from_people: whether an answer in one scenario depends on people's answers in others.
        no_teacher: for messages: a reason why it may have nothing to learn from.

    Examples:
        >>> import numpy as np
        >>> from fidelity import BASELINES
        >>> from fidelity.baselines import Asked
        >>> asked = Asked(counts=np.array([[30, 50, 20]]), alike=np.array(["tax"]))
        >>> BASELINES["uniform"].state(asked).round(2)
        array([[0.33, 0.33, 0.33]])
    """

    name: str
    label: str = ""
    describe: str = ""
    needs: tuple[str, ...] = ()
    from_people = True
    no_teacher = "no two scenarios of a cluster have the same options"

    @abstractmethod
    def state(self, asked: Asked) -> FloatArray:
        """Return probabilities, (m, d), or probabilities of each kind of people, (m, P, d).

        NaN where nothing is known.
        """


BASELINES: Registry[Baseline] = Registry("baseline", Baseline, "fidelity.baselines")
