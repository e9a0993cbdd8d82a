"""A ranking whose neighbours may be tied: rank ranges, and groups that nothing tells apart."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from fidelity_study.report.formats import rank_range

SIMULATOR, BASELINE, PEOPLE = "simulator", "baseline", "people"


@dataclass(frozen=True)
class TopicMean:
    """The mean distance on one topic's questions, with its interval; None if unknown."""

    name: str
    questions: int
    estimate: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class Entry:
    """A simulator, a baseline, or other people, in one ranking.

    Attributes:
        name: what it is called, in all rankings.
        label: what readers see; empty if that is its name.
        kind: ``SIMULATOR``, ``BASELINE`` or ``PEOPLE``.
        estimate, lower, upper: its mean distance from people, with its interval; None if unknown.
        questions: how many it answered.
        unanswered: the share of them that is missing, or that failed.
        link: where its report is; may be empty.
        topics: its mean on each topic; intervals hold for all topics at once.
        flag: why it has no rank; empty if it has one.
        first_rank, last_rank: the ranks that the data allow; None without a rank.
        group: counts the groups from the closest; entries of one are not all told apart.
        leads_next: whether it is settled to be closer than the next entry.
    """

    name: str
    kind: str
    estimate: float | None
    lower: float | None
    upper: float | None
    questions: int
    unanswered: float = 0.0
    label: str = ""
    link: str = ""
    topics: tuple[TopicMean, ...] = ()
    flag: str = ""
    first_rank: int | None = None
    last_rank: int | None = None
    group: int | None = None
    leads_next: bool | None = None

    @property
    def ranks(self) -> str:
        """The ranks in words: "2" or "1–3"; empty without one."""
        if self.first_rank is None or self.last_rank is None:
            return ""
        return rank_range(self.first_rank, self.last_rank)


@dataclass(frozen=True)
class Ranking:
    """Entries on one dataset, or over several.

    Attributes:
        name: of the dataset, or what it is over.
        measure: what the distance is called.
        how: what intervals and comparisons rest on, in a sentence.
        listed: the entries in the order of their distance, without ranks yet.
        closer: pairs (closer, farther) that are settled; of scores (better, worse).
        of_scores: whether models are ranked by their scores, and not by distances from people.
    """

    name: str
    measure: str
    how: str
    listed: tuple[Entry, ...]
    closer: frozenset[tuple[str, str]]
    of_scores: bool = False

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries that have a rank, the closest first; other people in their place."""
        order = [entry for entry in self.listed if not entry.flag]
        names = [entry.name for entry in order if entry.kind != PEOPLE]
        groups = groups_of(names, self.closer)
        following = dict(pairwise(names))
        return [
            entry
            if entry.kind == PEOPLE
            else replace(
                entry,
                first_rank=1 + sum((other, entry.name) in self.closer for other in names),
                last_rank=len(names) - sum((entry.name, other) in self.closer for other in names),
                group=groups[entry.name],
                leads_next=(entry.name, following[entry.name]) in self.closer
                if entry.name in following
                else None,
            )
            for entry in order
        ]

    @property
    def unranked(self) -> list[Entry]:
        """The entries without a rank."""
        return [entry for entry in self.listed if entry.flag]

    @property
    def open_neighbours(self) -> tuple[int, int]:
        """Of how many neighbours the order is not settled, and how many neighbours there are."""
        leads = [entry.leads_next for entry in self.entries if entry.leads_next is not None]
        return leads.count(False), len(leads)

    @property
    def topics(self) -> list[str]:
        """The topics on which some entry's mean is known."""
        names = (topic.name for entry in self.listed for topic in entry.topics)
        return list(dict.fromkeys(names))

    @property
    def largest(self) -> float:
        """The end of the farthest interval."""
        return max((entry.upper or 0.0 for entry in self.listed), default=0.0) or 1.0

    @property
    def smallest(self) -> float:
        """The beginning of the scale: 0, unless scores are below."""
        return min((entry.lower or 0.0 for entry in self.listed), default=0.0)


def groups_of(names: list[str], closer: Collection[tuple[str, str]]) -> dict[str, int]:
    """Return the group of each name: a new one begins where all before are closer than all after.

    Examples:
        >>> groups_of(["a", "b", "c"], {("a", "c"), ("b", "c")})
        {'a': 1, 'b': 1, 'c': 2}
    """
    groups, group = {}, 1
    for i, name in enumerate(names):
        if i and all((one, two) in closer for one in names[:i] for two in names[i:]):
            group += 1
        groups[name] = group
    return groups


def by_estimate(entries: Iterable[Entry], *, largest_first: bool = False) -> tuple[Entry, ...]:
    """Return entries in the order of their estimate, those without one last, then by name."""
    sign = -1.0 if largest_first else 1.0
    return tuple(
        sorted(
            entries,
            key=lambda entry: (
                entry.estimate is None,
                0.0 if entry.estimate is None else sign * entry.estimate,
                entry.name,
            ),
        )
    )
