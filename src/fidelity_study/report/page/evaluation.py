"""All that the page shows of one evaluation: which models score better, and how certain it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from operator import itemgetter

from markupsafe import Markup

from fidelity.comparison.models import EVAL, FEW_DIFFER, MACRO, POOLED, UNPAIRED
from fidelity.uses.base import OPEN as UNSETTLED
from fidelity_study.reading.evals.direction import LOWER
from fidelity_study.report.formats import DASH, Table, number, rounded, upper_first, with_sign
from fidelity_study.report.page.forest import Mark, forest
from fidelity_study.report.page.uses import HEADINGS, settles, texts
from fidelity_study.report.page.words import listed, named, plain
from fidelity_study.report.summaries import interval_of
from fidelity_study.report.tables import grouped
from fidelity_study.steps.registry import TABLES_OF_EVALUATIONS
from fidelity_study.tables.read_write import read

SCHEMAS = {
    table.name: table.read_schema() for table in TABLES_OF_EVALUATIONS if table.name != "scores"
}
OPEN = "not settled"
MOST_NAMED, MOST_AHEAD, MOST_DRAWN = 6, 3, 60
DIGITS, ENDS = range(1, 5), ("lower", "upper")
ESTIMATORS = {
    "cr2": "CR2 over clusters, with Student's t and the degrees of freedom of Bell and McCaffrey;"
    " without clusters the CLT's, with t",
    "cr1": "CR1 over clusters, as in inspect_ai and statsmodels, with Student's t and one degree of"
    " freedom fewer than there are clusters; without clusters the CLT's, with t",
    "cr0": "CR0 over clusters, with the normal distribution",
    "miller": "those of Miller (2024), with the normal distribution",
}
OVER = {POOLED: " over all questions", MACRO: " in the mean over evals"}


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of the study.

    Attributes:
        name: in the config.
        step: its settings.
        tables: name of each table -> its rows.
        means: a row for each model and eval, then for several evals.
        differences: a row for each pair and eval, then for several evals.
        uses: a row for each model and eval: how far it is behind the best.
    """

    name: str
    step: dict
    tables: dict[str, list[dict]]

    means = property(lambda evaluation: evaluation.tables["means"])
    differences = property(lambda evaluation: evaluation.tables["differences"])
    uses = property(lambda evaluation: evaluation.tables["uses"])

    @property
    def title(self) -> str:
        """As in the config."""
        return plain(self.step["title"])

    @property
    def level(self) -> str:
        """The level of the intervals."""
        return f"{100 * (1 - self.step['test']['alpha']):g} %"

    @property
    def power(self) -> str:
        """With what probability a detectable effect is found."""
        return f"{100 * self.step['test']['power']:g} %"

    @property
    def in_points(self) -> bool:
        """Whether all scores are between 0 and 1, and so shown in hundredths."""
        return all(settings["range"] == [0, 1] for settings in self.step["evals"].values())

    @property
    def unit(self) -> str:
        """The unit of differences."""
        return "points" if self.in_points else "in the unit of the score"

    @property
    def best(self) -> str:
        """What models are compared with, as the card of uses has it."""
        return "the best" if self.step["baseline"] is None else named(self.step["baseline"])

    @property
    def card(self) -> Table:
        """How far models are behind the best, with the verdicts at one error rate."""
        headings = HEADINGS | {"error": f"behind by, {self.unit}"}
        header = ["Eval", "Model", *map(upper_first, headings.values()), "Next"]
        return Table(header, [self._use(row) for row in self.uses])

    @property
    def limit(self) -> str:
        """Say what the limit of the card is, and where it rests on the scores that were seen."""
        if self.step["margin"] is not None:
            return "The limit is the margin of the config."
        ranges = {name: one["range"] for name, one in self.step["evals"].items()}
        endless = listed([named(name) for name in ranges if not all(map(isfinite, ranges[name]))])
        seen = f" that was seen on {endless}, where scores have no end" if endless else ""
        what = f"The limit is a twentieth of the range of scores{seen}"
        return f"{what}; it may be more than what matters: state that by --margin."

    def _use(self, row: dict) -> list[str]:
        ends = self.ends([row[end] for end in ENDS]) if isfinite(row["upper"]) else DASH
        more = row["detail"] or (settles(row) if row["verdict"] == UNSETTLED else "")
        shown = texts(row, ends, self.score(row["limit"]))
        return [row["eval"], row["simulator"], *shown.values(), more]

    @property
    def models(self) -> list[str]:
        """All models."""
        return list(dict.fromkeys(row["model"] for row in self.means))

    @property
    def evals(self) -> list[str]:
        """All evals."""
        return list(self.step["evals"])

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of models that are compared."""
        return list(dict.fromkeys((row["model"], row["baseline"]) for row in self.differences))

    @property
    def is_over_evals(self) -> bool:
        """Whether there are means over several evals."""
        return any(row["of"] != EVAL for row in self.means)

    def _comparisons(self, name: str) -> int:
        """Return how many comparisons of an eval, or over evals, p-values allow for."""
        return sum(row["eval"] == name and row["p_holm"] is not None for row in self.differences)

    def is_settled(self, row: dict) -> bool:
        """Whether a difference is known to be above or below 0, all of its eval at once."""
        p = row["p_holm"]
        return p is not None and bool(p <= self.step["test"]["alpha"]) and _excludes_0(row)

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        rows = [row for row in self.differences if row["of"] == EVAL]
        if not rows:
            return self._of_mean(self.means[0]) if self.means else "No model has a score."
        if len(rows) == 1:
            return self._of_difference(rows[0])
        if len(self.pairs) == 1:
            return self._of_pair(rows)
        sure = [row for row in rows if self.is_settled(row)]
        are = "is" if len(sure) == 1 else "are"
        on_one = " on one evaluation" if len({row["eval"] for row in rows}) > 1 else ""
        if self.compares_all:
            means = (row for row in self.differences if row["of"] == MACRO)
            where = rows[0] if not on_one else next(means, None)
            return (
                f"{len(sure)} of {len(rows)} differences between models{on_one} {are} settled."
                f"{self._leaders(where)}"
            )
        over = self._over_all
        if not sure:
            return f"Not one of {len(rows)} differences between models{on_one} is settled.{over}"
        apart = [f"{_apart(row)}{self._on(row)}" for row in sure]
        return (
            f"Of {len(rows)} differences between models{on_one} {len(sure)} {are} settled: "
            f"{listed(apart, most=MOST_NAMED)}.{over}"
        )

    @property
    def compares_all(self) -> bool:
        """Whether every two of several models are compared."""
        return len(self.pairs) > 1 and self.step["baseline"] is None

    def _leaders(self, row: dict | None) -> str:
        """Say in a sentence who is ahead where a row is; empty if nothing is settled there."""
        if not row or not (ahead := self._ahead(row["eval"])):
            return ""
        return f" Ahead{self._on(row)}: {listed(list(map(named, ahead)), 'or', MOST_NAMED)}."

    def _ahead(self, name: str) -> list[str]:
        """Return the models that no other is settled to be better than; none if these are all."""
        rows = [row for row in self.differences if row["eval"] == name]
        behind = {_order(row)[1] for row in rows if self.is_settled(row)}
        models = [row["model"] for row in self.means if row["eval"] == name]
        return [model for model in models if model not in behind] if behind else []

    @property
    def overview(self) -> list[tuple[dict, dict[str, dict], list[dict]]]:
        """Of each eval, and over evals: a row of means, all by model, and its differences."""
        differences = grouped(self.differences, "eval")
        return [
            (rows[0], {row["model"]: row for row in rows}, differences.get(name, []))
            for name, rows in grouped(self.means, "eval").items()
        ]

    def settled(self, rows: list[dict]) -> str:
        """Return in few words what the differences on one eval settle."""
        if not rows:
            return DASH
        if self.compares_all:
            return listed(self._ahead(rows[0]["eval"]), "or", MOST_AHEAD) or OPEN
        if all(self.standing(row) == OPEN for row in rows):
            return OPEN
        return "; ".join(f"{row['model']} {self.standing(row)}" for row in rows)

    def standing(self, row: dict) -> str:
        """Return how a row's model stands to the other one: better, or worse, or not settled."""
        if row["lower"] is None:
            return "not compared" if row["estimate"] is None else "without an interval"
        is_settled = self.is_settled(row)
        if is_settled and _order(row)[0] == row["model"]:
            return "better"
        p = row["p_non_inferior"]
        if p is not None and p < self.step["test"]["alpha"]:
            margin = self.score(row["margin"])
            return (
                f"worse by less than {margin}"
                if is_settled
                else f"at most {margin} worse, the margin; which is better is {OPEN}"
            )
        return "worse" if is_settled else OPEN

    @property
    def _over_all(self) -> str:
        """Say what is settled over all evals together; empty if nothing is."""
        rows = [row for row in self.differences if row["of"] != EVAL and self.is_settled(row)]
        settled = list(dict.fromkeys(map(_apart, rows)))
        return f" Over all evaluations: {listed(settled, most=MOST_NAMED)}." if settled else ""

    def _of_pair(self, rows: list[dict]) -> str:
        """Say on which evals one model scores higher than the other."""
        model, baseline = map(named, self.pairs[0])
        said = [
            f"scores {way} than {baseline} on {_evals(part)}"
            for way, sign in (("higher", 1), ("lower", -1))
            if (part := [row for row in rows if self.is_settled(row) and _sign(row) == sign])
        ]
        left = _evals([row for row in rows if not self.is_settled(row)])
        if not said:
            return f"Whether {model} or {baseline} scores higher is not settled on {left}."
        end = f"; on {left} it is not settled" if left else ""
        return f"{model} {', and '.join(said)}{end}."

    @property
    def todo(self) -> str:
        """What to do next: on how many questions a difference that is open would show."""
        compared = [row for row in self.differences if row["of"] == EVAL]
        pair = itemgetter("eval", "model", "baseline")
        open_ = [pair(row) for row in compared if not self.is_settled(row)]
        if not open_:
            return "compare again when a model changes." if compared else ""
        powers = grouped([row for row in self.powers if pair(row) in open_], "eval")
        said = [text for name, rows in powers.items() if (text := self._shows(name, rows))]
        if not said:
            return "ask more questions."
        said = said[-MOST_AHEAD:]
        if self.step["test"]["effect"] is None:
            said.append("state the difference that matters, as --effect, to plan for it")
        return f"{'; '.join(said)}."

    def _shows(self, name: str, rows: list[dict]) -> str:
        """Say what difference the questions of an eval show, or how many show the stated one."""
        if self.step["test"]["effect"] is None:
            largest = [row["minimum_detectable_effect"] for row in rows]
            if None in largest:
                return ""
            least = self.score(max(largest))
            return (
                f"{rows[0]['questions']:,} questions on {named(name)} find differences of {least}"
            )
        needed = [row["questions_needed"] or row["questions_in_clusters"] or 0 for row in rows]
        many = max(needed)
        if not many:
            return ""
        row = rows[needed.index(many)]
        clusters = row["clusters_needed"]
        where = "" if clusters is None else f" in {clusters:,} clusters"
        effect = self.score(row["stated_effect"])
        return (
            f"to find a difference of {effect} on {named(name)} takes {many:,} questions{where}"
            f" in all, {row['questions']:,} so far"
        )

    @property
    def cautions(self) -> list[str]:
        """What limits the answer: incomplete logs, few clusters."""
        rows = [row for row in self.differences if row["lower"] is not None] or self.means
        cautions = self.unfinished
        warned = (row for row in rows if row["warning"] not in (None, UNPAIRED))
        few = {row["eval"]: row for row in warned if row["of"] == EVAL}
        if few:
            on = [f"{named(name)} ({_rests_on(row)})" for name, row in few.items()]
            cautions.append(
                f"Intervals on {listed(on)} rest on little; the section on certainty says what "
                "that means."
            )
        if all(row["samples_most"] == 1 for row in self.means if row["of"] == EVAL):
            cautions.append(
                "There is one score of each model on a question; how much scores vary from run"
                " to run was not measured."
            )
        return cautions

    @property
    def unfinished(self) -> list[str]:
        """Say which logs lack questions of their dataset, or did not finish."""
        sentences = [
            f"A log of {named(log['models'])} on {named(log['eval'])} {plain(log['unfinished'])}."
            for log in self.tables["logs"]
            if log["unfinished"]
        ]
        if len(sentences) <= MOST_NAMED:
            return sentences
        return [
            *sentences[:MOST_NAMED],
            f"The same holds for {len(sentences) - MOST_NAMED} more logs: see the list of files"
            " read.",
        ]

    @property
    def incomparable(self) -> list[str]:
        """Say on which evals the models have scores on different questions."""
        uneven = dict.fromkeys(
            row["eval"]
            for row in self.differences
            if row["of"] == EVAL and UNPAIRED not in (row["warning"] or "")
            if row["unmatched"] + row["unmatched_baseline"]
        )
        return [
            f"On {named(name)} the models have scores on different questions, so that their means"
            " cannot be compared. Differences use only the questions on which both models have a"
            " score."
            for name in uneven
        ]

    def needed(self, row: dict) -> str:
        """Return how many questions show the stated effect."""
        if row["questions_needed"] is not None:
            return f"{row['questions_needed']:,}"
        if row["clusters_needed"] is None:
            return DASH
        return f"{row['questions_in_clusters']:,} in {row['clusters_needed']:,} clusters"

    def _on(self, row: dict) -> str:
        return _where(row) if len(self.evals) > 1 else ""

    def _of_mean(self, row: dict) -> str:
        where = _where(row)
        text = f"{named(row['model'])} scores {self.score(row['estimate'])}{where}"
        if ends := self.mean_ends(row):
            return f"{text} ({self.level}: {self.ends(ends)})."
        return f"{text}. This mean has no interval: {_why(row)}."

    def _of_difference(self, row: dict) -> str:
        first, other = named(row["model"]), named(row["baseline"])
        where = _where(row)
        if row["estimate"] is None:
            return f"{first} and {other} cannot be compared{where}: {row['warning']}."
        far = f"{self.score(abs(row['estimate']), row)} {self.unit}"
        if row["lower"] is None:
            return (
                f"{first} and {other} are {far} apart{where}. This difference has no"
                f" interval: {_why(row)}."
            )
        sign = _sign(row)
        if self.is_settled(row):
            how = "higher" if sign > 0 else "lower"
            if row["better"] == LOWER:
                how += ", and so better," if sign < 0 else ", and so worse,"
            ends = self.ends(sorted(sign * row[end] for end in ENDS))
            return f"{first} scores {far} {how} than {other}{where} ({self.level}: {ends})."
        many = self._comparisons(row["eval"])
        because = f" once all {many} comparisons are allowed for" if _excludes_0(row) else ""
        return (
            f"Whether {first} or {other} scores higher{where} is not settled{because}: the"
            f" difference {first} − {other} is {self.ends([row[end] for end in ENDS])} {self.unit}"
            f" ({self.level})."
        )

    def label(self, row: dict) -> str:
        """Return the name of a row's eval, with which score is better if it is the lower one."""
        return f"{row['eval']}{_which_is_better(row)}"

    def mean_ends(self, row: dict) -> tuple[float, float] | None:
        """Return the interval of a mean: Wilson's where there is one, as it fits 0 and 1."""
        return interval_of(row, "wilson_") or interval_of(row, "")

    def score(self, value: float | None, row: dict | None = None) -> str:
        """Return a score, in hundredths if all scores are between 0 and 1."""
        if value is None:
            return DASH
        if not self.in_points:
            return number(value)
        small = row is not None and row["se"] is not None and row["se"] < 0.001
        digits = 2 if small else 1
        return f"{rounded(100 * value, digits):.{digits}f}"

    def correlation(self, row: dict) -> str:
        """Return the correlation of a difference, with a minus as other numbers have it."""
        known = row["correlation"] is not None
        return f"{row['correlation']:.2f}".replace("-", "−") if known else DASH

    def signed(self, value: float | None) -> str:
        """Return a difference with its sign."""
        return DASH if value is None else with_sign(*self._told([value]))

    def ends(self, ends: Sequence[float]) -> str:
        """Return an interval with enough digits that no end looks like 0 unless it is."""
        return " to ".join(self._told(ends)).replace("-", "−")

    def _told(self, ends: Sequence[float]) -> list[str]:
        texts = [number(end) for end in ends]
        for digits in DIGITS if self.in_points else ():
            texts = [f"{rounded(100 * end, digits):.{digits}f}" for end in ends]
            if all(float(text) or abs(end) < 1e-9 for text, end in zip(texts, ends, strict=True)):
                break
        return texts

    def interval(self, row: dict) -> str:
        """Return the interval of a difference with signs, as tables have it."""
        if row["lower"] is None:
            return DASH
        return f"({', '.join(map(with_sign, self._told([row[end] for end in ENDS])))})"

    @property
    def chart_of_differences(self) -> Markup:
        """Dots and intervals of the differences, around 0."""
        times = 100 if self.in_points else 1
        lines = []
        for row in [row for row in self.differences if row["lower"] is not None][:MOST_DRAWN]:
            kind = "filled" if self.is_settled(row) else ""
            mark = Mark(kind, *(times * row[name] for name in ("estimate", *ENDS)))
            lines.append((f"{self.label(row)}: {row['model']} − {row['baseline']}", "", [mark]))
        return forest(lines, f"difference, {self.unit}")

    def of_questions(self, row: dict) -> str:
        """Say of a mean that it is of some questions only; empty if it is of all."""
        return f" ({self.questions(row)} questions)" if row["missing"] else ""

    def questions(self, row: dict) -> str:
        """Return of how many questions a mean is, and of how many if there are more."""
        of_all = f" of {row['asked']}" if row["missing"] else ""
        return f"{row['questions']}{of_all}"

    def undrawn(self, rows: list[dict]) -> str:
        """Say that a figure has the first rows only; empty if it has all."""
        return f" The first {MOST_DRAWN} of {len(rows)}." if len(rows) > MOST_DRAWN else ""

    @property
    def powers(self) -> list[dict]:
        """The difference that the questions can show, for each pair and eval."""
        return [row for row in self.tables["power"] if row["baseline"] is not None]

    @property
    def parts(self) -> list[dict]:
        """Where the variance comes from, where questions were sampled several times."""
        return [row for row in self.tables["power"] if row["noise"] is not None]

    @property
    def missing(self) -> list[str]:
        """Say which questions or samples of each model have no score, and why."""
        there = {(row["eval"], row["model"]) for row in self.means}
        out = "; rows over several evals leave this model out" if self.is_over_evals else ""
        sentences = [
            f"{named(model)} has no score on {listed(lacking)}{out}."
            for model in self.models
            if (lacking := [named(name) for name in self.evals if (name, model) not in there])
        ]
        lost = [{**row, "is_part": row["scored"] > 0} for row in self.tables["missing"]]
        parts = grouped(lost, "eval", "model", "reason", "is_part")
        return sentences + [
            f"{named(model)} has no score on {_lost(rows, is_part)} of {named(name)}:"
            f" {plain(reason)}"
            f" ({listed([plain(row['question']) for row in rows], most=MOST_NAMED)})."
            for (name, model, reason, is_part), rows in parts.items()
        ]

    @property
    def warnings(self) -> list[str]:
        """The warnings about error bars, each once, with the means or differences it is about.

        Wilson's interval of a mean allows for scores that are nearly all equal by itself.
        """
        warned = [
            {**row, "where": _where(row)}
            for row in [*self.means, *self.differences]
            if row["warning"]
            and not (row["warning"] == FEW_DIFFER and row.get("wilson_lower") is not None)
        ]
        return [
            f"{listed(list(map(_who, rows)), most=MOST_NAMED)}{where}: {warning}."
            for (where, warning), rows in grouped(warned, "where", "warning").items()
        ]

    @property
    def assumptions(self) -> Iterator[str]:
        """What the numbers assume."""
        clustered = [
            eval_name
            for eval_name, settings in self.step["evals"].items()
            if settings["cluster"] or settings["columns"].get("cluster")
        ]
        alpha = f"{self.step['test']['alpha']:g}"
        yield (
            "The questions are a random sample of those that could be asked. All intervals and"
            " tests are about new questions like these."
        )
        yield self._directions
        if alone := [eval_name for eval_name in self.evals if eval_name not in clustered]:
            yield (
                f"Questions of {listed(alone)} are independent of each other. If some share a"
                " passage or a topic, name its column as cluster in the config: true standard"
                " errors may be several times as large."
            )
        if clustered:
            yield (
                f"Clusters of {listed(clustered)} are independent of each other; questions of one"
                " cluster need not be."
            )
        yield (
            f"Standard errors are {ESTIMATORS[self.step['standard_error']]}. Each interval by"
            f" itself holds with {self.level} confidence, because means over many questions or"
            " clusters are about normally distributed."
        )
        or_apart = ", or without any as two samples of questions" if self.step["unpaired"] else ""
        yield (
            f"Two models are compared on the questions on which both have a score{or_apart}. A"
            " question without a score is in no mean: if it is missing because it was hard, the"
            " means are too high."
        )
        comparisons = {name: self._comparisons(name) for name in self.evals}
        if max(comparisons.values()) > 1:
            counts = ", ".join(f"{many} on {name}" for name, many in comparisons.items() if many)
            yield (
                f"A difference is settled if its p-value is at most {alpha}, adjusted by Holm's"
                f" method for all comparisons of one eval ({counts})."
            )
        if any(row["p_non_inferior"] is not None for row in self.differences):
            yield (
                f"That a model is at most so much worse is a one-sided test at level {alpha}. It"
                f" asks less than that the {self.level} interval of the difference ends there."
            )
        if self.is_over_evals:
            yield (
                "Rows over several evals are about these very evals. Pooled means weigh each eval"
                " by its number of questions; the mean over evals weighs all evals alike. "
                "Clusters of the same name in two evals are taken for the same one; other questions"
                " of different evals are independent."
            )
        if self.parts:
            yield "Several samples of a question are independent draws of the model."

    @property
    def _directions(self) -> str:
        """Say which scores are better."""
        ways = {row["eval"]: row["better"] == LOWER for row in self.means if row["of"] == EVAL}
        if len(set(ways.values())) < 2:
            return f"A {'lower' if any(ways.values()) else 'higher'} score is better."
        lower = [name for name, is_lower in ways.items() if is_lower]
        return (
            f"A lower score is better on {listed(lower)}, a higher one on all others. So no"
            " mean is taken over these evals."
        )


def loaded(name: str, step: dict, paths: Sequence[str]) -> Evaluation:
    """Return an evaluation with its tables, which have the names of their files."""
    files = {str(path).rpartition("/")[2].removesuffix(".parquet"): path for path in paths}
    tables = {key: read(files[key], schema).to_pylist() for key, schema in SCHEMAS.items()}
    return Evaluation(name, step, tables)


def _why(row: dict) -> str:
    """Return why a row has no interval."""
    reason: str = row["warning"]
    return reason.removeprefix("no interval: ")


def _who(row: dict) -> str:
    """Return the model, or both, that a row is about."""
    return " − ".join(map(named, filter(None, (row["model"], row.get("baseline")))))


def _where(row: dict) -> str:
    return OVER.get(row["of"]) or f" on {named(row['eval'])}"


def _lost(rows: list[dict], is_part: bool) -> str:
    """Say how many questions have no score, or how many samples of questions with a score."""
    many = len(rows)
    questions = f"{many} question{'s' if many > 1 else ''}"
    if not is_part:
        return questions
    samples = sum(row["unscored"] for row in rows)
    return f"{samples} sample{'s' if samples > 1 else ''} of {questions}"


def _rests_on(row: dict) -> str:
    """Say of how many questions a mean or a difference is, and in how many clusters they are."""
    clusters = row["n_clusters"]
    questions = row["questions"] or row["unmatched"] + row["unmatched_baseline"]
    where = f" in {clusters} clusters" if clusters and clusters < questions else ""
    return f"{questions} questions{where}"


def _evals(rows: list[dict]) -> str:
    return listed([f"{named(row['eval'])}{_which_is_better(row)}" for row in rows])


def _which_is_better(row: dict) -> str:
    return " (lower is better)" if row["better"] == LOWER else ""


def _apart(row: dict) -> str:
    """Say which of two models scores better."""
    first, other = map(named, _order(row))
    way = "below" if row["better"] == LOWER else "above"
    return f"{first} {way} {other}{_which_is_better(row)}"


def _order(row: dict) -> tuple[str, str]:
    """Return both models, the one with the better mean first."""
    pair = row["model"], row["baseline"]
    return pair if (_sign(row) > 0) == (row["better"] != LOWER) else (pair[1], pair[0])


def _excludes_0(row: dict) -> bool:
    return row["lower"] is not None and (row["lower"] > 0 or row["upper"] < 0)


def _sign(row: dict) -> int:
    return -1 if row["estimate"] is not None and row["estimate"] < 0 else 1
