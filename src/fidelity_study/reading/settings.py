"""What a dataset's own settings say of its answers, before defaults are filled in."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fidelity_study.errors import refusal
from fidelity_study.tables.ingest import BETWEEN

REVERSED = "-"
ATTRIBUTE, LEVEL, PERSON = "attribute", "level", "person"
"""The columns of a conjoint, whose rows are the levels that a person saw."""
NUMBERS = ("bounded", "real")
"""The outcomes that are numbers, without options."""
TEXT, VECTOR = POINTS = ("text", "vector")
"""The outcomes that are points, compared as such: without options, and without shares of them."""
WITHOUT_OPTIONS = (*NUMBERS, *POINTS)


def has_curves(settings: dict) -> bool:
    """Return whether a dataset has curves: not of points, nor of stated distributions of numbers.

    Args:
        settings: the dataset's own.
    """
    if settings["outcome"]["kind"] in POINTS:
        return False
    of_numbers = settings["outcome"]["kind"] in NUMBERS
    states = "family" in settings or "family" in settings.get("columns", {})
    return settings.get("curves", not (of_numbers and states))


def has_own_unasked(settings: dict) -> bool:
    """Return whether questions of the dataset's own files that people did not answer are predicted.

    Args:
        settings: the dataset's own.
    """
    return "predict" in settings and "questions" not in settings["predict"]


def with_levels(settings: Mapping) -> dict:
    """Return a dataset's settings with what those of an experiment, or of regressions, imply.

    A respondent may be in several conditions, or waves. Of a conjoint the levels of all attributes
    are groups, and profiles are sampled by respondent.

    Args:
        settings: the dataset's own.

    Examples:
        >>> complete = with_levels({"effects": {"attributes": ["price"]}})
        >>> complete["groups"], complete["design"]
        (['attribute', 'level'], {'psu': 'person'})
    """
    if settings.get("regressions"):
        named = [*settings.get("facts", []), *facts_of(settings["regressions"])]
        settings = {**settings, "facts": [*dict.fromkeys(named)]}
    effects = settings.get("effects") or {}
    attributes = effects.get("attributes")
    if not attributes:
        within = {"condition": effects["condition"]} if "condition" in effects else {}
        if "wave" in settings:
            named = [*settings.get("groups", []), settings["wave"]]
            within = {"condition": settings["wave"], **within, "groups": [*dict.fromkeys(named)]}
        return {**settings, **within}
    design = settings.get("design", {})
    return {
        "cluster": ATTRIBUTE,
        "noun": LEVEL,
        **settings,
        "attributes": list(attributes),
        "groups": [ATTRIBUTE, LEVEL],
        "design": design if "replicate_weights" in design else {"psu": PERSON, **design},
    }


class Regression(NamedTuple):
    """A regression of a question on facts about persons.

    Attributes:
        name: what it is called.
        question: whose scores are regressed.
        model: ``linear``, or ``logit`` with average marginal effects.
        right: the right side of its formula.
        facts: the columns that it names, in this order.
    """

    name: str
    question: str
    model: str
    right: str
    facts: list[str]

    @property
    def about(self) -> dict[str, str]:
        """The columns of tables that say which it is."""
        return {
            "regression": self.name,
            "question": self.question,
            "formula": f"{self.question} ~ {self.right}",
            "model": self.model,
        }


def regression_of(name: str, formula: str) -> Regression:
    """Return a regression by its formula.

    Raises:
        DataError: if it can't be read, or isn't about one question.

    Examples:
        >>> regression_of("trust", "`trust in courts` ~ age * party")[1:]
        ('trust in courts', 'linear', 'age * party', ['age', 'party'])
        >>> regression_of("vote", "logit(vote) ~ age")[1:]
        ('vote', 'logit', 'age', ['age'])
    """
    left, _, right = formula.partition("~")
    question, right = left.strip(), right.strip()
    model = "linear"
    if question.startswith("logit(") and question.endswith(")"):
        model, question = "logit", question[len("logit(") : -1].strip()
    question = question.strip("`")
    try:
        from formulaic import Formula  # of those who fit regressions only

        names = map(str, Formula(right).required_variables) if right else ()
        facts = sorted(names, key=right.find)
    except Exception:  # whatever a parser makes of a text
        facts = []
    if not (question and facts):
        raise refusal(
            "no-formula",
            f"{formula!r} is no formula of a regression; write a question, ~, and columns of facts "
            "on persons, as in trust ~ age + party; a name with spaces stands between backticks",
            key=f"regressions.{name}",
        )
    return Regression(name, question, model, right, facts)


def facts_of(regressions: Mapping[str, str]) -> list[str]:
    """Return the columns of facts on persons that formulas of regressions name.

    Examples:
        >>> facts_of({"trust": "trust ~ age + party", "econ": "econ ~ age:party"})
        ['age', 'party']
    """
    named = (regression_of(*one).facts for one in regressions.items())
    return list(dict.fromkeys(name for facts in named for name in facts))


def questions_of(scenarios: Iterable[str], groups: Sequence[str]) -> list[str]:
    """Return the question of each scenario, which may be put to one of several groups.

    Args:
        scenarios: names.
        groups: the columns of groups; none if scenarios are questions.

    Examples:
        >>> questions_of(["trust | female | 18-34", "trust | male | 18-34"], ["sex", "age"])
        ['trust', 'trust']
    """
    return [name.rsplit(BETWEEN, len(groups))[0] if groups else name for name in scenarios]


def parts_of(scenarios: Iterable[str], groups: Sequence[str]) -> list[list[str]]:
    """Return the question of each scenario, and the value of each column of groups.

    Examples:
        >>> parts_of(["trust | female | placebo"], ["sex", "arm"])
        [['trust', 'female', 'placebo']]
    """
    return [name.rsplit(BETWEEN, len(groups)) for name in scenarios]


def check_control(
    effects: dict | None, groups: Sequence[str], scenarios: Iterable[str], dataset: str
) -> None:
    """Raise DataError if the control is none of the conditions, or a base none of the levels.

    Args:
        effects: the settings, or None.
        groups: the columns of groups, among them the condition.
        scenarios: names.
        dataset: its name.
    """
    if effects is not None and effects.get("attributes"):
        bases_of(effects, scenarios, dataset)
    if effects is None or effects.get("condition") not in groups:
        return
    at = 1 + list(groups).index(effects["condition"])
    there = list(dict.fromkeys(parts[at] for parts in parts_of(scenarios, groups)))
    if str(effects["control"]) not in there:
        raise refusal(
            "no-such-condition",
            f"no two people answered in a condition {effects['control']!r}; there are: "
            f"{', '.join(there)}",
            key=f"datasets.{dataset}.effects.control",
        )


def bases_of(effects: Mapping, scenarios: Iterable[str], dataset: str) -> dict[str, str]:
    """Return the level of each attribute of a conjoint that the others are against.

    By default the lowest number, or the first in alphabetical order.

    Args:
        effects: the settings.
        scenarios: names, such as ``chosen | price | 500``.
        dataset: its name.

    Raises:
        DataError: if the settings name a level that nobody saw.

    Examples:
        >>> bases_of({"attributes": ["price"]}, ["q | price | 90", "q | price | 100"], "town")
        {'price': '90'}
    """
    bases = {}
    parts = parts_of(scenarios, [ATTRIBUTE, LEVEL])
    for name in effects["attributes"]:
        levels = sorted({level for _, named, level in parts if named == name}, key=in_order)
        if not levels:
            continue
        bases[name] = str(effects.get("bases", {}).get(name, levels[0]))
        if bases[name] not in levels:
            raise refusal(
                "no-such-level",
                f"there is no level {bases[name]!r}; there are: {', '.join(levels)}",
                key=f"datasets.{dataset}.effects.bases.{name}",
            )
    return bases


def in_order(level: str) -> tuple[bool, float, str]:
    """Return what sorts levels or conditions: numbers by size, before others.

    Examples:
        >>> sorted(["high", "12.99", "9.99"], key=in_order)
        ['9.99', '12.99', 'high']
    """
    try:
        return False, float(level), level
    except ValueError:
        return True, 0.0, level


def scale_places(
    scales: dict[str, list[str]], questions: Sequence[str], dataset: str
) -> dict[str, list[tuple[int, bool]]]:
    """Return the place of each question of scales, and whether it is reversed.

    Args:
        scales: name -> questions, with a - before those that are reversed.
        questions: that there are.
        dataset: its name.

    Raises:
        DataError: if there is no such question.

    Examples:
        >>> scale_places({"trust": ["q2", "-q1"]}, ["q1", "q2"], "town")
        {'trust': [(1, False), (0, True)]}
    """
    at = {name: (place, False) for place, name in enumerate(questions)}
    at = {f"{REVERSED}{name}": (place, True) for name, (place, _) in at.items()} | at
    for scale, names in scales.items():
        for name in names:
            if name not in at:
                raise refusal(
                    "no-such-question",
                    f"there is no question {name!r}; there are: {', '.join(questions)}",
                    key=f"datasets.{dataset}.scales.{scale}",
                )
    return {scale: [at[name] for name in names] for scale, names in scales.items()}
