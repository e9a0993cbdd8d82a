"""The statement for an appendix: simulators, people, questions, results and their assumptions.

The items on surveys are those that AAPOR's Code of Ethics (2021, section III.A) asks researchers to
disclose. The items on models are those that a reader needs to ask the models again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fidelity.baselines.base import BASELINES
from fidelity_study.ask.prompts import ANSWERS, POPULATION
from fidelity_study.page.certainty import Assumption, statements
from fidelity_study.page.certainty import Statement as Certain
from fidelity_study.page.dataset import Dataset
from fidelity_study.page.words import listed, percent, plain
from fidelity_study.report.results import Results
from fidelity_study.tables.ingest import HUMAN, REASONS, UNDECIDED

NOT_STATED = "not stated"
MOST_QUESTIONS = 100
PEOPLE = {
    "sponsor": "Sponsor",
    "conducted": "Conducted by",
    "population": "Population",
    "sampling": "Sampling",
    "mode": "Mode",
    "fieldwork": "Dates",
    "weighting": "Weighting",
    "processing": "Processing",
    "source": "Source",
}
SAID = {UNDECIDED: "don't know", "missing": "no reason told"}
MODES = {
    "answers": "sampled answers, which are counted",
    "probabilities": "probabilities of the options' letters as the next token, averaged over"
    " personas",
    "population": "the shares of all people, as the model states them without personas",
}
OUTCOMES = {
    "binary": "one of two options",
    "ordinal": "one of several options that have an order",
    "categorical": "one of several options",
    "bounded": "a number in a known range",
    "real": "any number",
}


@dataclass(frozen=True)
class Simulator:
    """One simulator under test.

    Attributes:
        name: in the config.
        label: its plain name.
        facts: (what, how) pairs.
        texts: (what, text) pairs, to be shown as they are.
    """

    name: str
    label: str
    facts: list[tuple[str, str]]
    texts: list[tuple[str, str]]


@dataclass(frozen=True)
class Statement:
    """All that is said of one dataset.

    Attributes:
        dataset: with its tables.
        served: names of models as endpoints reported them, by simulator.
        made: software, commit, config and seed in one line.
    """

    dataset: Dataset
    served: dict[str, list[str]]
    made: str

    @property
    def results(self) -> Results:
        """The tables."""
        return self.dataset.results

    @property
    def _about(self) -> dict[str, str]:
        about: dict[str, str] = self.results.step["about"]
        return about

    def about(self, key: str) -> str:
        """Return the config's entry, or that there is none."""
        said = plain(self._about.get(key, NOT_STATED))
        if key != "weighting" or not self.results.weighted:
            return said
        return f"each person counts with the weight that the data give; how it was made: {said}"

    @property
    def people(self) -> list[tuple[str, str]]:
        """What is known of the people."""
        results = self.results
        repeat = {True: "yes", False: "no", None: NOT_STATED}[results.respondents_repeat]
        return [
            *((what, self.about(key)) for key, what in PEOPLE.items()),
            ("Number of people", self._number),
            ("Answers missing", self._missing(HUMAN)),
            (f"The same people answered several {results.nouns}", repeat),
        ]

    @property
    def _number(self) -> str:
        """Say how many people answered each scenario, and how many in all, or at least in all."""
        results = self.results
        each_has = f"{self.dataset.people} for each {results.noun}"
        if results.persons is not None:
            return f"{each_has}, {results.persons:,} in all"
        least = "" if results.respondents_repeat is False else "at least "
        return f"{each_has}, {least}{results.people_in_all:,.0f} in all"

    @cached_property
    def simulators(self) -> list[Simulator]:
        """The simulators under test."""
        names = [name for name in self.results.simulators if name not in BASELINES]
        return [self._simulator(name) for name in names]

    @property
    def baselines(self) -> list[tuple[str, str]]:
        """The baselines, which this study made for comparison, with their descriptions."""
        return [
            (plain(self.results.named(name)), plain(self.results.described(name)))
            for name in self.results.simulators
            if name in BASELINES
        ]

    def _simulator(self, name: str) -> Simulator:
        asked = self.results.step["asked"].get(name)
        described = plain(self.results.described(name))
        facts = [("Description", described)] if described else []
        facts += self._asked(name, asked) if asked else self._given(described)
        facts += [
            *self._form(name),
            ("Dates of asking", self.about("asked")),
            ("Answers missing", self._missing(name)),
        ]
        texts = []
        if asked:
            system = [("System message", asked["system"])] if asked["system"] else []
            texts = [*system, ("Prompt", asked["prompt"])]
        return Simulator(name, plain(self.results.named(name)), facts, texts)

    def _form(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the form in which its answers were compared, where there are curves."""
        if self.dataset.views:
            own = self.dataset.views[0].of.named(name)
            what = (
                f"{own.draws} answers to each" if own.draws else "the probabilities that it stated"
            )
            yield "Compared", f"{what}, on {own.m} {self.results.nouns}"

    def _given(self, described: str) -> list[tuple[str, str]]:
        told = "the study received its answers" + (", see the description" if described else "")
        missing = "" if described else f"; model, prompt and settings {NOT_STATED}"
        return [("How it was asked", told + missing)]

    def _asked(self, name: str, asked: dict) -> list[tuple[str, str]]:
        where = "run on the machine of the study" if asked["is_embedded"] else "asked over an API"
        served = [each for each in self.served[name] if each != asked["model"]]
        known = f", reported as {listed(served)}" if served else ""
        facts = [
            ("Model", f"{asked['model']}{known}; {where}"),
            ("What was asked for", MODES[asked["mode"]]),
        ]
        if asked["mode"] == POPULATION:
            facts.append(("Population in the prompt", str(asked["population"])))
        else:
            facts.append(
                (
                    "Personas",
                    f"{asked['personas']} for each {self.results.noun}, of real respondents",
                )
            )
        if asked["mode"] in (ANSWERS, POPULATION):
            times = "times for each question" if asked["mode"] == POPULATION else "for each persona"
            facts += [
                ("Answers", f"{asked['draws']} {times}"),
                ("Temperature", f"{asked['temperature']:g}"),
                ("Maximum tokens of an answer", f"{asked['max_tokens']}"),
            ]
        if asked["extra"]:
            facts.append(("Further parameters", json.dumps(asked["extra"], sort_keys=True)))
        return [(what, plain(how)) for what, how in facts]

    def _missing(self, source: str) -> str:
        """Say how many answers are missing, and why, as far as that was counted."""
        row = next((row for row in self.results.nonresponse if row["source"] == source), None)
        if row is None or not float(row["asked"]):
            return "not counted"
        asked, answered = float(row["asked"]), float(row["answered"])
        if asked <= answered:
            return f"none of {asked:,.0f}"
        why = [
            f"{SAID.get(each, each)} {float(row[each]):,.0f}"
            for each in REASONS
            if float(row[each] or 0.0)
        ]
        told = f" ({', '.join(why)})" if why else ""
        lost = asked - answered
        return f"{lost:,.0f} of {asked:,.0f}, {percent(lost / asked)}{told}; shares leave them out"

    @property
    def limits(self) -> str:
        """What the study cannot tell, as its authors say."""
        told = self._about.get("limits")
        return (
            f"As the authors state them: {plain(told).rstrip('.')}."
            if told
            else "Not stated by the authors."
        )

    @property
    def outcome(self) -> str:
        """What an answer is."""
        return OUTCOMES[self.results.kind]

    @property
    def questions(self) -> list[tuple[str, str, str]]:
        """Name, wording and options of each question; none where there are too many for a page."""
        table = self.results.scenarios
        if len(table) > MOST_QUESTIONS:
            return []
        columns = (table[name].to_pylist() for name in ("scenario", "question", "option"))
        return [
            (plain(name), _worded(name, wording), "; ".join(map(plain, options or [])))
            for name, wording, options in zip(*columns, strict=True)
        ]

    @property
    def assumptions(self) -> list[Assumption]:
        """What the numbers assume."""
        return (self.dataset.forecast or self.dataset).assumptions

    @property
    def certain(self) -> Iterator[tuple[str, str, list[Certain]]]:
        """For each distance and simulator under test: what is known, and what that assumes."""
        by_distance = {view.of.discrepancy: view for view in reversed(self.dataset.views)}
        for view in reversed(by_distance.values()):
            for own in view.of.tested:
                yield view.of.distance, own.label, statements(view.of, own)


def _worded(name: str, wording: str | None) -> str:
    """Return a question's wording, unless all that is known of it is its name."""
    return NOT_STATED if not wording or wording == name else plain(wording)
