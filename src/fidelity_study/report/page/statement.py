"""The statement for an appendix: simulators, people, questions, results and their assumptions.

The items on surveys are those that AAPOR's Code of Ethics (2021, section III.A) asks researchers to
disclose. The items on models are those that a reader needs to ask the models again.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import pyarrow.compute as pc

from fidelity.baselines.base import BASELINES
from fidelity.uses.base import WITHIN
from fidelity_study.ask.prompts import ANSWERS, POPULATION, PROBABILITIES
from fidelity_study.reading.settings import PERSON
from fidelity_study.report.formats import DASH, Table, number, percent, range_text, share, span
from fidelity_study.report.page.certainty import FAILS, UNKNOWN, Assumption
from fidelity_study.report.page.dataset import Dataset, View
from fidelity_study.report.page.words import listed, plain
from fidelity_study.report.results import Results
from fidelity_study.report.sample import fewest_people
from fidelity_study.report.summaries import interval_of
from fidelity_study.steps.arrays import numbers
from fidelity_study.steps.cluster_warning import FEW
from fidelity_study.tables.ingest import HUMAN, REASONS, RESPONDENTS, UNDECIDED
from fidelity_study.tables.read_write import read

NOT_STATED = "not stated"
MOST_QUESTIONS = 100
MOST_WORDS = 1000
MOST_RECODED = 8
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
SAID = {UNDECIDED: "don't know", "missing": "no or another reason"}
CODED = {
    ANSWERS: "a text counts as the option whose words it is or begins with, before a reason, or"
    " whose letter it begins with. If it also chooses another option, doubts or takes back, it"
    " counts as unparsable; if it declines to answer, as refused",
    PROBABILITIES: "probabilities of the letters are divided by their sum",
    POPULATION: "a text counts if it has a number for every option, on a line each or as JSON, and"
    " these sum to 99 to 101; they are divided by their sum. Others count as unparsable or refused",
}
MODES = {
    "answers": "sampled answers, which are counted",
    "probabilities": "probabilities of the options' letters as the next token, averaged over"
    " personas",
    "population": "the shares of all people, as the model states them without personas",
}
QUANTILE_CURVES = (
    "Distances, curves and bounds: Iyengar, Lin, Wang (2025). Model-Free Assessment of Simulator"
    " Fidelity via Quantile Curves. arXiv 2512.05024; means between two bounds, and all statements:"
    " docs/method/statements.md of fidelity-curves."
)
LISTS = (
    "Lists: Benjamini, Hochberg (1995). Journal of the Royal Statistical Society B 57; Benjamini,"
    " Yekutieli (2001). Annals of Statistics 29."
)
DESIGNS = (
    "Designs: Korn, Graubard (1998). Survey Methodology 24; Wolter (2007). Introduction to Variance"
    " Estimation. Springer."
)
CLUSTERS = "Clusters: Bell, McCaffrey (2002). Survey Methodology 28."
OUTCOMES = {
    "binary": "one of two options",
    "ordinal": "one of several options that have an order",
    "text": "a text in one's own words",
    "vector": "a vector",
    "categorical": "one of several options",
    "bounded": "a number in a known range",
    "real": "any number",
}


@dataclass(frozen=True)
class Simulator:
    """One simulator under test.

    Attributes:
        label: its plain name.
        facts: (what, how) pairs.
        texts: (what, text) pairs, to be shown as they are.
    """

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

    def about(self, key: str) -> str:
        """Return the config's entry, or that there is none."""
        said = plain(self.results.step["about"].get(key, NOT_STATED))
        if key != "weighting" or not self.results.has_weights:
            return said
        return f"each person counts with the weight that the data give; how it was made: {said}"

    @property
    def told(self) -> list[tuple[str, str]]:
        """What is known of the people, and last what is not."""
        known = [(what, answer) for what, answer in self.people if answer != NOT_STATED]
        lacking = [what for what, answer in self.people if answer == NOT_STATED]
        return [*known, *([(NOT_STATED.capitalize(), listed(lacking))] if lacking else [])]

    @property
    def people(self) -> list[tuple[str, str]]:
        """What is known of the people."""
        results = self.results
        repeat = {True: "yes", False: "no", None: NOT_STATED}[results.respondents_repeat]
        return [
            *((what, self.about(key)) for key, what in PEOPLE.items()),
            *self._design(),
            ("Number of people", self._number),
            ("Answers missing", self._missing(HUMAN)),
            (f"The same people answered several {results.nouns}", repeat),
        ]

    @property
    def _number(self) -> str:
        """Say how many people answered each scenario, and how many in all, or at least in all."""
        results = self.results
        if results.is_conjoint:
            shown = f"{span(numbers(results.scenarios['n_human']))} profiles with each level"
            return f"{results.persons:,}; {shown}" if results.persons else shown
        each_has = f"{self.dataset.people} for each {results.noun}"
        if results.persons is not None:
            return f"{each_has}, {results.persons:,} in all"
        least_people = fewest_people(results.scenarios.select(["people", "n_human"]).to_pylist())
        least = "" if results.respondents_repeat is False else "at least "
        return f"{each_has}, {least}{least_people:,.0f} in all"

    def _design(self) -> Iterator[tuple[str, str]]:
        """Yield how people were sampled, as the config and the data have it."""
        design = self.results.step.get("design", {})
        if self.results.is_conjoint and design == {"psu": PERSON}:
            yield "Errors", "by person, since each saw several profiles"
            return
        if "strata" in design or "psu" in design:
            many = self._units
            for what, key in (("Strata", "strata"), ("Primary sampling units (PSUs)", "psu")):
                known = f"{many[key]:,}, " if key in many else ""
                yield what, f"{known}column {plain(design[key])}" if key in design else "none"
        if "replicate_weights" in design:
            columns = listed([plain(column) for column in design["replicate_weights"]])
            yield "Replicate weights", f"columns {columns}, {design.get('method', NOT_STATED)}"

    @property
    def _units(self) -> dict[str, int]:
        """The number of strata and of PSUs, where respondents are kept with theirs."""
        path = self.results.files["respondents"][-1]
        columns = {"strata": "stratum", "psu": "psu"}
        table = read(path, RESPONDENTS, list(columns.values()))
        counts = {key: pc.count_distinct(table[name]).as_py() for key, name in columns.items()}
        return {key: many for key, many in counts.items() if many}

    @cached_property
    def simulators(self) -> list[Simulator]:
        """The simulators under test."""
        names = [name for name in self.results.simulators if name not in BASELINES]
        return [self._simulator(name) for name in names]

    @property
    def common(self) -> list[tuple[str, str]]:
        """The facts that hold for every one of several simulators."""
        first, *others = [simulator.facts for simulator in self.simulators] or [[]]
        return [fact for fact in first if others and all(fact in facts for facts in others)]

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
        texts = [("System message", "system"), ("Prompt", "prompt")] if asked else []
        shown = [(what, asked[key]) for what, key in texts if asked[key]]
        return Simulator(plain(self.results.named(name)), facts, shown)

    def _form(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the form in which its answers were compared, where there are curves."""
        if self.dataset.views:
            summary = self.dataset.views[0].of.named(name)
            draws = f"{summary.draws} answers to each"
            what = draws if summary.draws else "the probabilities that it stated"
            some = f", on {summary.m} {self.results.nouns} only"
            yield "Compared", what if summary.m == self.results.m else what + some

    def _given(self, described: str) -> list[tuple[str, str]]:
        more = f"; model, prompt and settings {NOT_STATED}"
        more = ", see the description" if described else more
        return [("How it was asked", f"the study received its answers{more}")]

    def _asked(self, name: str, asked: dict) -> list[tuple[str, str]]:
        where = "run on the machine of the study" if asked["is_embedded"] else "asked over an API"
        served = [model for model in self.served[name] if model != asked["model"]]
        known = f", reported as {listed(served)}" if served else ""
        facts = [
            ("Model", f"{asked['model']}{known}; {where}"),
            ("What was asked for", MODES[asked["mode"]]),
        ]
        if asked["mode"] == POPULATION:
            facts.append(("Population in the prompt", str(asked["population"])))
        else:
            who = f"{asked['personas']} for each {self.results.noun}, of real respondents"
            facts.append(("Personas", who))
        facts.append(("Coding of its answers", CODED[asked["mode"]]))
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
        levels = self.results.levels_shown
        asked, answered = float(row["asked"]) / levels, float(row["answered"]) / levels
        of_none = ""
        if others := int(row.get("others", 0)):
            of_none = f"; no answer at all to {others} of {self.results.m} {self.results.nouns}"
        if asked <= answered:
            return f"none of {asked:,.0f}{of_none}"
        why = [
            f"{SAID.get(reason, reason)} {float(row[reason]) / levels:,.0f}"
            for reason in REASONS
            if float(row[reason] or 0.0)
        ]
        lost = asked - answered
        if len(why) == 1 and why[0].endswith(f" {lost:,.0f}"):
            why = [f"all {why[0].removesuffix(f' {lost:,.0f}')}"]
        reasons = f" ({', '.join(why)})" if why else ""
        return (
            f"{lost:,.0f} of {asked:,.0f}, {percent(lost / asked)}{reasons}; shares leave them out"
            f"{of_none}"
        )

    @property
    def limits(self) -> str:
        """What the study cannot tell, as its authors say."""
        if limits := self.results.step["about"].get("limits"):
            return f"As the authors state them: {plain(limits).rstrip('.')}."
        return "Not stated by the authors."

    @property
    def outcome(self) -> str:
        """What an answer is."""
        return OUTCOMES[self.results.kind]

    @property
    def questions(self) -> Table | None:
        """Name, wording and options of each question; None where there are too many for a page.

        Options that all have in common are :attr:`common_options`.
        """
        table = self.results.scenarios
        if len(table) > MOST_QUESTIONS:
            return None
        names, wordings = (table[column].to_pylist() for column in ("scenario", "question"))
        rows = [
            [plain(name), plain(wording) if wording and wording != name else NOT_STATED, options]
            for name, wording, options in zip(names, wordings, self._options, strict=True)
        ]
        many = 2 if self.common_options or self.dataset.telling else 3
        return Table(["name", "wording", "options"][:many], [row[:many] for row in rows])

    @property
    def _options(self) -> list[str]:
        listed_options = self.results.scenarios["option"].to_pylist()
        if self.dataset.telling:
            return [""] * len(listed_options)
        return ["; ".join(map(plain, options or [])) for options in listed_options]

    @property
    def common_options(self) -> str:
        """The options, where all of several questions have the same; else nothing."""
        options = set(self._options)
        return options.pop() if len(options) == 1 and self.results.m > 1 else ""

    @property
    def coding(self) -> Iterator[str]:
        """How texts of the files were read, as far as the config says so."""
        coding = self.results.step.get("coding", {})
        recode = [
            f"{plain(str(a))} as {plain(str(b))}" for a, b in coding.get("recode", {}).items()
        ]
        marks = coding.get("missing", [])
        if isinstance(marks, dict):
            marks = [mark for texts in marks.values() for mark in texts]
        if "custom_id" in coding:
            yield f"Replies to the batch: {CODED[ANSWERS]}."
        if recode:
            yield f"Read as another answer: {listed(recode, most=MOST_RECODED)}."
        if "unlisted" in coding:
            yield f"Texts that are none of the options count as {coding['unlisted']}."
        none = [plain(str(mark)) for mark in marks]
        if coding.get("missing_in"):
            none.append("what missing_in of the config names")
        if none:
            yield f"Counted as no answer: {listed(none, most=MOST_RECODED)}."

    @property
    def assumptions(self) -> list[Assumption]:
        """What the numbers assume and was not allowed for; the report has all."""
        return [one for one in self.dataset.assumptions if one.state in (UNKNOWN, FAILS)]

    @property
    def distances(self) -> list[View]:
        """A view by every distance, of the first tolerance."""
        firsts: dict[str, View] = {}
        for view in self.dataset.views:
            firsts.setdefault(view.of.discrepancy, view)
        return list(firsts.values())

    def table(self, view: View) -> Table:
        """Return what is known of the simulators by a distance."""
        columns = self._columns(view)
        rows = [
            [plain(summary.label), *(entries.get(summary.name, DASH) for _, entries in columns)]
            for summary in view.of.every
        ]
        return Table(["simulator", *(what for what, _ in columns)], rows)

    def _columns(self, view: View) -> list[tuple[str, dict[str, str]]]:
        """Return the columns that have an entry: heading, and simulator -> entry."""
        table, results = view.of, self.results
        few = results.clustered and results.n_clusters < FEW
        new = f"{results.level} interval, new {results.nouns}"
        columns: dict[str, dict[str, str]] = {}
        for summary in table.every:
            cells = {
                "estimate": summary.estimate is not None and number(summary.estimate),
                f"{results.level} interval": summary.interval and range_text(summary.interval),
                new: not few and (ends := interval_of(summary.new)) and range_text(ends),
                f"90 % of {results.nouns} within": summary.sure is not None
                and number(summary.sure),
                "share within tolerance, at least": table.tolerance is not None
                and summary.share_within is not None
                and share(summary.share_within),
                "listed as within": bool(table.lists[summary.name])
                and str(len(table.surely(WITHIN, summary.name))),
            }
            for what, cell in cells.items():
                if cell:
                    columns.setdefault(what, {})[summary.name] = cell
        return list(columns.items())

    @property
    def definitions(self) -> list[tuple[str, str]]:
        """What the headings of the tables mean."""
        results, views = self.results, self.distances
        if not views:
            return []
        shown = {what for view in views for what in self.table(view).header[1:]}
        means = [summary.mean for view in views for summary in view.of.every if summary.mean]
        methods = "; or ".join(dict.fromkeys(row["method"] for row in means))
        every = [
            *((view.of.distance, view.of.meaning) for view in views if view.of.meaning),
            (
                "estimate",
                f"of the mean distance over these {results.nouns}: without bias for squared"
                " distances; for others the middle of two means, of which one is never too high on"
                " average and the other, as measured, never too low.",
            ),
            (
                f"{results.level} interval",
                "holds the mean distance with that confidence, for one simulator by itself. Method:"
                f" {methods}.",
            ),
            (
                f"90 % of {results.nouns} within",
                f"on at least so many of all {results.nouns}{results.of_clusters} the distance is"
                f" at most this, with {results.bound_level} confidence for all simulators at once,"
                " whatever missing answers were.",
            ),
            (
                "share within",
                f"the least share of all {results.nouns}{results.of_clusters} within the tolerance,"
                " as sure.",
            ),
            (
                "listed as within",
                f"the number of these {results.nouns} on which the distance is within the"
                f" tolerance; at most {percent(results.step['test']['alpha'])} of them are expected"
                " to be wrong.",
            ),
        ]
        meanings = {view.of.distance for view in views}
        return [
            (what, text)
            for what, text in every
            if what in meanings or any(heading.startswith(what) for heading in shown)
        ]

    @property
    def references(self) -> list[str]:
        """The publications that the methods are from."""
        results = self.results
        used = {
            QUANTILE_CURVES: True,
            LISTS: any(view.has_lists for view in self.distances),
            DESIGNS: results.has_design,
            CLUSTERS: results.clustered and results.n_clusters >= FEW,
        }
        return [publication for publication, is_used in used.items() if is_used]
