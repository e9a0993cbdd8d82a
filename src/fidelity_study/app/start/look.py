"""What the files hold, read by the reader of the study itself."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from fidelity.discrepancies.base import DISCREPANCIES
from fidelity.extrema.functionals import ENUMERATED, MOST_OPTIONS
from fidelity_study.app.start.files import Files, cluster, read
from fidelity_study.app.start.kind import Kind, kind_of, of_hundred
from fidelity_study.app.start.languages import in_languages
from fidelity_study.app.start.request import Request, StudyRequest, seen_from_here
from fidelity_study.app.start.scales import (
    FEWEST,
    known_order,
    middles_in_doubt,
    scales_of,
    texts_apart,
    zeros_in_doubt,
)
from fidelity_study.config.defaults import default_discrepancy
from fidelity_study.config.params import step
from fidelity_study.config.study import Study
from fidelity_study.config.tolerances import tolerance_fault
from fidelity_study.errors import (
    BLANK,
    DataError,
    ErrorList,
    Fault,
    Note,
    Part,
    Remedy,
    refusal,
)
from fidelity_study.reading.codebook.decided import CODED, nested_of
from fidelity_study.reading.ingest.baselines import USUAL, allowed
from fidelity_study.reading.ingest.responses import Responses
from fidelity_study.reading.settings import (
    NUMBERS,
    POINTS,
    WITHOUT_OPTIONS,
    questions_of,
    regression_of,
)
from fidelity_study.reading.tabular.answers import Answers
from fidelity_study.reading.tabular.assemble import answers_of, check_scales, responses
from fidelity_study.reading.tabular.batch_output import NO_WORDS
from fidelity_study.reading.tabular.codebook import beside, of_survey, with_codebook
from fidelity_study.reading.tabular.coded import decided_on, with_facts
from fidelity_study.reading.tabular.columns import CellError, Cells, as_label, as_number, plain
from fidelity_study.reading.tabular.design import design_faults
from fidelity_study.reading.tabular.doubtful import MOST_LEVELS, is_no_answer
from fidelity_study.reading.tabular.exports.free_text import are_own_words
from fidelity_study.reading.tabular.in_several_files import called_alike
from fidelity_study.reading.tabular.layout import QUESTION, Layout
from fidelity_study.reading.tabular.multiple_choice import listed_questions, with_options_apart
from fidelity_study.reading.tabular.options import are_clear, have_order, labels_seen
from fidelity_study.reading.tabular.question_names import refuse_unlinked
from fidelity_study.reading.tabular.questions import (
    check_patterns,
    refuse_attention_checks,
    refuse_no_questions,
)
from fidelity_study.reading.tabular.rankings import likely_rankings
from fidelity_study.reading.tabular.reading_options import OF_OTHERS, OPTIONS, Option
from fidelity_study.reading.tabular.remedies import SCENARIOS, ignoring, leaving_out
from fidelity_study.reading.tabular.same_persons import strangers
from fidelity_study.reading.tabular.scenarios import (
    Described,
    Survey,
    described,
    notes_of_files,
    of_questions,
    sure_questions,
)
from fidelity_study.reading.tabular.shared_columns import undeclared
from fidelity_study.reading.tabular.shown import shown
from fidelity_study.reading.tabular.told import ANOTHER_RANGE, ASKED, two_ranges
from fidelity_study.reading.tabular.unasked import asked, refuse_split, without
from fidelity_study.reading.tabular.vector_columns import TIME
from fidelity_study.reading.tabular.word_scales import in_steps
from fidelity_study.tables.ingest import HUMAN, NO_CLUSTER, REASONS, UNPARSABLE

INGEST = "workflow/datasets/tabular/ingest.py"
EMPTY, FEW = "empty", 5
Order = tuple[str, ...]
Orders = Mapping[str, Order]
OF_ONE_SCALE = {"order-unknown", "one-scale-for-several"}
CLUSTER = "cluster"
OF_OUTCOMES = tuple(option.key for option in OPTIONS if option.key.startswith(OF_OTHERS))


@dataclass(frozen=True)
class Look:
    """What was understood.

    Attributes:
        request: what the user asked for.
        files: the files, and what form each has.
        people: the answers of people.
        simulated: those of simulators, by file.
        codes: the cells that stand for no answer, by file.
        kind: what an answer is, and why.
        step: the params of the study's ingest.
        responses: what the study will take from the files.
        notes: what the files say of themselves.
    """

    request: Request
    files: Files
    people: Answers
    simulated: list[Answers]
    codes: dict[str, list[str]]
    kind: Kind
    step: dict
    responses: Responses
    notes: list[Note]

    @cached_property
    def baselines(self) -> list[str]:
        """The usual baselines that have something to learn from."""
        return allowed(self.step, self.responses)

    @property
    def cluster(self) -> str:
        """Return the column of the clusters, or ``none``."""
        return self.step["cluster"]

    @property
    def listed(self) -> dict[str, str]:
        """The file that says what the codes of a question are, by question."""
        codebooks = (sheet.codebook for sheet in self.files.sheets.values() if sheet.codebook)
        return {
            name: codebook.path
            for codebook in codebooks
            for name, question in codebook.questions.items()
            if question.labels
        }

    @property
    def by_file(self) -> set[str]:
        """The questions whose options a file lists."""
        known = self.people.said.rows
        return {*self.listed, *(known["known"].dropna().index if "known" in known else ())}

    def is_in_order(self, name: str, options: Sequence[str]) -> bool:
        """Return whether a question's options have an order: by their words, or as listed."""
        is_given = self.kind.name != "categorical" or self.request["levels"]
        is_listed = self.request["scenarios"] or name in self.by_file
        return bool(is_given or is_listed) or have_order(options)

    @property
    def is_forecast(self) -> bool:
        """Return whether simulators forecast single outcomes, so that no curve is made."""
        are_forecasts = "forecasts" in self.files.forms.values()
        if not (are_forecasts or (self.simulated and all(one.stated for one in self.simulated))):
            return False
        human = self.responses.outcomes[self.responses.outcomes["source"] == HUMAN]
        many = human.groupby("scenario", observed=True)["count"].sum().median()
        return bool(many < FEW or self.kind.name in NUMBERS) if are_forecasts else bool(many == 1)

    @property
    def are_points(self) -> bool:
        """Return whether answers are texts or vectors, so that no curve of shares is made."""
        return self.kind.name in POINTS

    @property
    def simulators(self) -> list[str]:
        """Return the names of the simulators that the files have, as they come."""
        return names_of(self.simulated)


def float_or_int(number: float) -> float | int:
    """Return a number, without a point if it is whole."""
    return int(number) if number % 1 == 0 else number


def discrepancy_of(request: Request, kind: str) -> str:
    """Return how distance is measured: as asked for, or as usual for this kind of outcome."""
    return request["discrepancy"] or default_discrepancy(kind)


def settings_of(request: Request, files: Files | None, kind: str, simulators: list) -> dict:
    """Return the settings of the dataset by key; without ``files`` not those of their answers."""
    codebook = codebook_of(request)
    return {
        "ingest": "tabular",
        "human": seen_from_here(request.human),
        **({"simulated": files.simulated} if files and files.simulated else {}),
        **({"codebook": codebook} if Path(codebook).is_dir() else {}),
        **{
            option.key: in_config(option, request[option.name])
            for option in OPTIONS
            if option.name in request.options and option.key not in (CLUSTER, *OF_OUTCOMES)
        },
        "outcome.kind": kind,
        **{
            f"outcome.{name}": [*map(written, request[name])]
            for name, written in (("levels", plain), ("bounds", float_or_int))
            if request[name]
        },
        "cluster": cluster(request, files),
        "simulators": simulators,
    }


def in_config(option: Option, value: Any) -> Any:
    """Return the value of an option as the config has it."""
    match option.name:
        case "scenarios":
            return seen_from_here(value)
        case "codes":
            return False
        case "predict":
            return {}
        case "recode":
            return {plain(old): plain(new) for old, new in value.items()}
        case "regression":
            return {regression_of("", formula).question: formula for formula in value}
        case "missing" if not isinstance(value, Mapping):
            return [plain(code) for code in value]
        case "missing_in":
            return {name: [plain(str(code)) for code in codes] for name, codes in value.items()}
    return value


def step_of(request: Request, files: Files | None, kind: str, simulators: list[str]) -> dict:
    """Return the params of the study's ingest; raise DataError with the faults of the settings."""
    settings = settings_of(request, files, kind, simulators or [USUAL[0]])
    study = Study({"datasets": {request.dataset: nested_of(settings)}})
    params = step(study, INGEST, request.dataset)
    if request.orders:
        coded = params["options"].get(CODED, {})
        orders = {name: list(order) for name, order in request.orders.items()}
        coded = {**coded, "orders": {**orders, **coded.get("orders", {})}}
        params["options"] = {**params["options"], CODED: coded}
    return params


def layout_of(request: Request, files: Files | None = None) -> Layout:
    """Return how the files are to be read, as far as it is known.

    The kind that files are read with before it is known changes no answer.

    Raises:
        DataError: with the faults of the sampling design.
    """
    kind = request["kind"] or ("bounded" if request["bounds"] else "categorical")
    step = step_of(request, files, kind, [])
    design = {**step["options"], "weighting_effect": step["weighting_effect"]}
    ErrorList(design_faults(design, f"datasets.{request.dataset}")).refuse()
    return Layout.of(step)


def with_questions(request: Request, files: Files) -> tuple[Layout, Described | None]:
    """Return how the files are to be read, and what the file of questions says, if there is one."""
    layout = layout_of(request, files)
    if not request["scenarios"]:
        return layout, None
    scenarios = described(files.sheets[seen_from_here(request["scenarios"])], layout)
    return with_codebook(layout, scenarios), scenarios


def look(
    request: Request, files: Files, as_read: tuple[Answers, list[Answers]] | None = None
) -> Look:
    """Read the files.

    Args:
        request: what the user asks.
        files: with their headers.
        as_read: the answers of people and simulators, where they were read already.

    Raises:
        DataError: as the study would, or if it isn't clear what an answer is.
    """
    layout, scenarios = with_questions(request, files)
    listed: list[str] = []
    refuse_unknown(request, files, layout)
    people, simulated = as_read = as_read or answers(request, files, layout)
    if scenarios is not None:
        scenarios = of_survey(scenarios, [people, *simulated], layout)
    apart = as_given = Survey(people, scenarios, simulated)
    if request["predict"]:
        apart = as_given = asked(as_given)
        people, scenarios, simulated = apart.people, apart.described, apart.simulated
    else:
        refuse_unlinked(people, simulated, layout.coded.get("called", {}))
    if request["kind"] not in WITHOUT_OPTIONS and not request["bounds"]:
        fixed = listed_questions({"levels": request["levels"]}, people, scenarios)
        apart = with_options_apart(as_given, layout, fixed)
        people, scenarios, simulated = apart.people, apart.described, apart.simulated
    free = request["cluster"] is None and cluster(request, files) == NO_CLUSTER
    if free and (apart.apart or people.sheet.topics):
        request = replace(request, options={**request.options, "cluster": QUESTION})
    if scenarios is not None:
        scenarios = of_questions(scenarios, people.rows["scenario"].cat.categories, layout.groups)
        compared = scenarios.rows[scenarios.rows.index.isin(people.questions)]
        listed = replace(scenarios, rows=compared).labels
    scenarios = with_facts(scenarios, people, layout.coded)
    # Simulators' texts are no options where unlisted ones are no answers.
    plainly = [part for part in simulated if not (request["unlisted"] or part.sheet.raw)]
    labels = list(dict.fromkeys([*listed, *labels_of([people, *plainly], people)]))
    undecided, columns = undeclared(people, simulated, layout)
    faults = ErrorList(undecided)
    with faults.collected():
        sure_columns = {*layout.coded.get("columns", ()), *columns}
        left, *others = (without(part, columns) for part in (people, *simulated))
        refuse_no_questions(left, others, layout, *sure_questions(scenarios, sure_columns))
    faults.refuse()
    ErrorList(in_languages(people, simulated, layout, dict(request["recode"]))).refuse()
    _refuse_unanswered(as_given.people, as_given.simulated, layout, unanswered(people, simulated))
    _refuse_constant(people, layout)
    if request["kind"] is None:
        _refuse_ranks(people, layout)
    said, sure = people.said, frozenset(layout.coded.get("options", ()))
    known_options = listed_questions({}, people, scenarios, apart.apart)
    is_open = not (request["levels"] or request["bounds"] or request.why_kind)
    is_open &= request["kind"] == "ordinal" or (request.syntax.may_order and not request["kind"])
    if is_open:
        everybody = [people, *plainly]
        orders = known_order(everybody, known_options, whole=request["kind"] is None)
        in_doubt = {name: [*{*orders[name]} - sure] for name in orders}
        ErrorList(middles_in_doubt(people, plainly, in_doubt)).refuse()
        several = list(dict.fromkeys(map(tuple, orders.values())))
        if len(several) == 1 or (several and are_clear(everybody, sure)):
            of_each = {name: tuple(orders[name]) for name in orders if name not in known_options}
            are_levels = len(several) == 1 and not known_options
            by_file = said.is_ordinal and bool(known_options)
            request = _ordered(request, several, None if are_levels else of_each, by_file=by_file)
            return look(request, read(request, layout_of(request)), as_read)
    if request.syntax.may_order and not (request["kind"] or request["bounds"]):
        levels = [*(request["levels"] or ())]
        steps, _ = in_steps(levels) or ([], False)
        if levels and levels in (steps, steps[::-1]):
            request = _ordered(request, [tuple(levels)], None)
    if not (request["kind"] or request["bounds"]):
        _refuse_amounts(people, layout)
    kind = kind_of(
        request,
        labels,
        stated=any(part.stated for part in simulated),
        ordered=said.is_ordinal,
        known="known" in said.rows and bool(said.rows["known"].notna().all()),
        own_words=_in_own_words(people),
        none=layout.reading.missing,
        timed=TIME in {*people.sheet.columns} - layout.ignored - {*request["groups"]},
    )
    if request["condition"] and kind.name == "categorical" and not request["kind"]:
        nominal = _nominal(texts_apart([people, *plainly], known_options), layout)
        if nominal or sure.issuperset(
            label for label in labels if is_no_answer(label)
        ):  # else this is asked first
            raise _without_effects(people, nominal)
    if kind.name == "ordinal" and not request["levels"]:
        scales = scales_of([people, *plainly], known_options)
        scales = {name: steps for name, steps in scales.items() if steps[1:]}
        if scales and scales != request.orders and are_clear([people, *plainly], sure):
            request = replace(request, orders=scales)
            return look(request, read(request, layout_of(request)), as_read)
    if kind.name in WITHOUT_OPTIONS and not simulated:
        raise people.sheet.fault(
            "numbers-without-simulator",
            f"{'numbers' if kind.name in NUMBERS else f'{kind.name}s'} are compared with those of "
            "a simulator only, and no file of one is named; "
            "add it",
        )
    faults = ErrorList()
    with faults.collected():
        _refuse_tolerance(request, kind.name)
    with faults.collected():
        step = step_of(request, files, kind.name, names_of(simulated))
        ingested = responses(step)
        settings = settings_of(request, files, kind.name, [])
        check_scales(ingested, nested_of(settings), request.dataset)
        faults.faults += _door_faults(request, kind.name, ingested, people, layout)
        if kind.name not in WITHOUT_OPTIONS and not request["levels"]:
            names = questions_of(ingested.scenarios["scenario"], layout.groups)
            decided = known_options.keys() - request.orders.keys()
            faults.faults += zeros_in_doubt(people, ingested.scenarios, [*names], decided)
        with faults.collected():
            refuse_split(people, layout)
        for part in simulated:
            if error := strangers(people, part, layout):
                faults.faults += error.faults
        refuse_attention_checks(people.sheet, ingested.scenarios, layout)
    is_one = OF_ONE_SCALE.intersection(fault.code for fault in faults.faults)
    if is_one and layout.codebook is None:
        options = texts_apart([people, *simulated], known_options)
        if options:
            nominal = _nominal(options, layout) if request["condition"] else []
            raise _without_effects(people, nominal) if nominal else _in_no_order(people, options)
    faults.refuse()
    return Look(
        request=request,
        files=files,
        people=people,
        simulated=simulated,
        codes={part.sheet.path: codes_of(part, layout) for part in [people, *simulated]},
        kind=kind,
        step=step,
        responses=ingested,
        notes=notes_of_files([people, *simulated], scenarios),
    )


def _door_faults(
    request: Request, kind: str, ingested: Responses, people: Answers, layout: Layout
) -> list[Fault]:
    """Return what is to be decided before a study is drafted, though it could be made."""
    faults = ErrorList()
    with faults.collected():
        _refuse_many_options(request, kind, ingested, people, layout)
    with faults.collected():
        _refuse_real_weights(kind, ingested, people)
    with faults.collected():
        _refuse_lost(layout, ingested)
    with faults.collected():
        _refuse_silent(ingested)
    notes = [note for note in ingested.notes if note.code in ASKED]
    return [*faults.faults, *(Fault(n.code, n.place, n.parts, n.also) for n in notes)]


def _refuse_lost(layout: Layout, ingested: Responses) -> None:
    """Raise DataError if most texts of a simulator are no options, and the user didn't say so."""
    if layout.unlisted or layout.coded.get("silent"):
        return
    rows = ingested.missing[ingested.missing["reason"].astype(str) == UNPARSABLE]
    lost = rows.groupby("source", observed=True)["count"].sum()
    answers = ingested.outcomes.groupby("source", observed=True)["count"].sum()
    stated = ingested.stated.drop_duplicates(["scenario", "source"])
    statements = stated.groupby("source", observed=True)["statements"].sum()
    for source, number in lost.items():
        given = answers.get(source, 0.0) + statements.get(source, 0.0)
        if number > given and number >= FEW:
            raise refusal(
                "mostly-unparsable",
                f"{number:,.0f} of {number + given:,.0f} answers of {source} are no option, as "
                "they are read; write into labels.csv which option each text means, or if they "
                "are none, put ",
                Remedy({"unlisted": UNPARSABLE}, is_offered=False),
            )


def _refuse_silent(ingested: Responses) -> None:
    """Raise DataError if no answer of a simulator is left."""
    answered = {HUMAN, *ingested.outcomes["source"], *ingested.stated["source"]}
    if silent := [name for name in ingested.missing["source"].unique() if name not in answered]:
        raise refusal(
            "no-answer-left",
            f"all answers of {shown(silent)} are missing, as they are read; write into labels.csv "
            "what their texts mean, or take out their rows",
        )


def _refuse_real_weights(kind: str, ingested: Responses, people: Answers) -> None:
    """Raise DataError if people have weights and answers are numbers without a range."""
    outcomes = ingested.outcomes
    weighted = outcomes["source"].eq(HUMAN) & outcomes["count"].mod(1).ne(0)
    if kind == "real" and weighted.any():
        ends = [float_or_int(float(outcomes["value"].agg(end))) for end in ("min", "max")]
        raise people.sheet.fault(
            "real-with-weights",
            "people have weights, and answers are numbers without a known range (kind real), "
            "whose intervals are resampled from people without weights; say between which numbers "
            "answers are, ",
            Remedy({"outcome.kind": "bounded", "outcome.bounds": ends}),
        )


def _ordered(
    request: Request, scales: Iterable[Order], orders: Orders | None, *, by_file: bool = False
) -> Request:
    """Return a request with the order of scales in words.

    Args:
        request: what the user asks.
        scales: the different ones.
        orders: by question, where no file lists its options; None if there is one for all.
        by_file: whether a file says that options have an order.
    """
    one = next(scale for scale in scales if len(scale) > 2 and as_number(scale[0]) is None)
    why = f"as answers are steps of a scale in words, from {one[0]} to {one[-1]}"
    order: dict[str, Any] = {"levels": one} if orders is None else {}
    if request["kind"] is None and not by_file:  # how far apart two steps are, words don't tell
        order["discrepancy"] = request["discrepancy"] or default_discrepancy("categorical")
    options = {**request.options, **order, "kind": "ordinal"}
    return replace(request, options=options, why_kind=why, orders=orders or {})


def _in_own_words(people: Answers) -> bool:
    """Return whether people answer most questions in their own words."""
    rows = people.answered.groupby("scenario", observed=True)
    counts = (dict(zip(part["label"], part["number"], strict=True)) for _, part in rows)
    return 2 * sum(map(are_own_words, counts)) > rows.ngroups


def _nominal(options: Mapping[str, list[str]], layout: Layout) -> list[str]:
    """Return the questions of no order that nobody says are compared; none if all are so."""
    names = [name for name, some in options.items() if some[FEWEST:] and not have_order(some)]
    decided = decided_on(layout.coded)
    left = [name for name in names if name not in decided]
    return left if options.keys() - names else []


def _without_effects(people: Answers, nominal: Sequence[str]) -> DataError:
    """Return the error that options without an order have no effects of conditions.

    Args:
        people: their answers.
        nominal: the questions of such options, if others have an order.
    """
    if nominal:
        return people.sheet.fault(
            "effects-without-order",
            "effects of conditions are differences of mean scores, and the options of "
            f"{shown(nominal)} have no known order",
            also=[leaving_out(*nominal)],
        )
    return people.sheet.fault(
        "effects-without-order",
        "effects of conditions are differences of mean scores, and options without an order have "
        "none; if they have an order, put ",
        Remedy({"outcome.kind": "ordinal"}),
        "; if not, shares are compared in each condition, and no effects, ",
        Remedy({"outcome.kind": "categorical"}),
    )


def _in_no_order(people: Answers, options: Mapping[str, list[str]]) -> DataError:
    """Return the error that the order of scales in words is to be said.

    Args:
        people: their answers.
        options: of each question.
    """
    is_whole = {*people.answered["scenario"]} <= {*options}
    is_one = is_whole and len({*map(tuple, options.values())}) == 1
    levels = Remedy({"outcome.kind": "ordinal", "outcome.levels": [BLANK]})
    what = "the answers are texts, so their order is unknown"
    several = "questions have different scales, so that levels for all would be wrong"
    return people.sheet.fault(
        "order-unknown" if is_one else "order-of-scales",
        f"{what if is_one else several}; number the options of {shown(options)}, lowest first, or "
        f"list them {'in order' if is_one else 'in a file of scenarios'}, ",
        levels if is_one else SCENARIOS,
        also=[Remedy({"orders": options})],
    )


def codebook_of(request: StudyRequest) -> str:
    """Return the folder of the tables that say what files mean."""
    return str(request.config.with_name(f"{request.config.stem}_codebook"))


def _refuse_tolerance(request: Request, kind: str) -> None:
    """Raise DataError if a tolerance is unclear, or if every simulator would be within it."""
    limit, option = request["tolerance"], request.syntax.option
    if limit is None:
        return
    if kind == "ordinal" and request["discrepancy"] is None:
        raise refusal(
            "tolerance-unclear",
            f"{limit:g} of what? Of the shares of the options "
            f"(total variation): {option('discrepancy', 'tv')}; of mean scores, which go from -1 "
            f"to 1: {option('discrepancy', 'absolute')}; of the square of their difference, as in "
            f"the paper: {option('discrepancy', 'squared')}",
            key="comparison.tolerance",
        )
    discrepancy = discrepancy_of(request, kind)
    outcome = {"kind": kind, "bounds": request["bounds"]}
    if discrepancy in DISCREPANCIES and (what := tolerance_fault(discrepancy, limit, outcome)):
        raise refusal("vacuous-tolerance", what, key="comparison.tolerance")


def _refuse_unanswered(
    people: Answers, simulated: list[Answers], layout: Layout, still: Sequence[str]
) -> None:
    """Raise DataError if no simulator answers a question, and nobody says that it is compared.

    It is clear that columns are left out where simulators answer none but people's questions.

    Args:
        people: their answers, as they stand in the file.
        simulated: those of simulators.
        layout: names the questions that are known.
        still: the questions without an answer of simulators when options are questions.
    """
    there = {*people.questions}
    known = {*layout.coded.get("questions", {}), *there.difference(still)}
    alone = [name for name in unanswered(people, simulated) if name not in known]
    if not simulated or not 0 < len(alone) < len(there):
        return
    are_columns = {*alone} <= {*people.sheet.columns}
    theirs = {name for part in simulated for name in part.questions}
    why = f"not compared, as no simulator answers {shown(alone)}"
    way = Remedy({"ignore": alone}, why=why, is_clear=theirs <= there)
    raise people.sheet.fault(
        "no-simulator-answers",
        f"no simulator answers {shown(alone)}; if that is not to be compared, ",
        *(("put ", way) if are_columns else ("leave out its rows",)),
        also=[leaving_out(*alone)],
    )


def _refuse_ranks(people: Answers, layout: Layout) -> None:
    """Raise DataError if columns of people's file are ranks, and nobody says that they are."""
    if people.column is not None:
        return
    sure = layout.coded.get("columns", ())
    names = [str(name) for name in people.questions if name not in sure]
    if ranks := likely_rankings(people.sheet, layout, names):
        says_missing = people.sheet.says_missing
        raise people.sheet.fault(
            "ranks",
            f"{shown(ranks)}: in each row other ranks from 1 on, or other items; ",
            *(
                (
                    "rankings are read from text files only: save it as CSV, or put ",
                    ignoring(*ranks),
                )
                if says_missing
                else ("if so, put ", Remedy({"ranking": ranks}))
            ),
            "; to compare mean ranks, put ",
            Remedy({"outcome.kind": "ordinal"}),
        )


def _refuse_constant(people: Answers, layout: Layout) -> None:
    """Raise DataError if a column tells no more than the group: all of a group have the same."""
    rows = people.answered
    if "group" not in rows or people.column is not None or layout.attributes:
        return
    labels = rows.groupby("scenario", observed=True)["label"].nunique()
    within = rows.groupby(["scenario", "group"], observed=True)["label"].nunique()
    most = within.groupby("scenario", observed=True).max()
    sure = layout.coded.get("columns", ())
    same = [str(name) for name in labels.index if most[name] == 1 < labels[name]]
    same = [name for name in same if name not in sure]
    if same and len(same) < len(labels):
        raise people.sheet.fault(
            "same-in-each-group",
            f"{shown(same)}: the same for all of a group, so that it says what the group is, and "
            "is no answer; put ",
            ignoring(*same),
        )


def _as_numbers(numbers: Iterable[float], layout: Layout) -> dict[str, Any]:
    """Return the kind of numbers, with their ends if these are known."""
    ends = of_hundred(numbers, layout.reading.missing)
    return {"outcome.kind": "bounded", "outcome.bounds": ends} if ends else {"outcome.kind": "real"}


def _alone(
    people: Answers, layout: Layout, names: Collection[str], way: Mapping[str, Any]
) -> list[Part]:
    """Return how questions of numbers are compared in a study of their own, by the same weights."""
    if not {*names} <= {*people.sheet.columns}:
        return []
    weight = layout.column(people.sheet, "weight")
    by_weight = {"columns.weight": weight} if weight else {}
    these = Remedy({"questions": [*names], **way, **by_weight}, is_offered=False)
    return ["; a study has one kind of answers, and these numbers alone are ", these]


def _refuse_amounts(people: Answers, layout: Layout) -> None:
    """Raise DataError if few questions are numbers that reach far, and most have few steps."""
    steps, far = two_ranges(people, decided_on(layout.coded))
    seen = labels_seen([people])
    amounts = [name for name in far if len(seen[name]) > MOST_LEVELS]
    if not amounts or len(steps) <= len(far):
        return
    numbers = [
        number for name in amounts for x in seen[name] if (number := as_number(x)) is not None
    ]
    raise people.sheet.fault(
        ANOTHER_RANGE,
        f"{shown(amounts)}: numbers that reach far, beside {len(steps)} questions of few steps",
        *_alone(people, layout, amounts, _as_numbers(numbers, layout)),
        also=[leaving_out(*amounts)],
    )


def _refuse_many_options(
    request: Request, kind: str, ingested: Responses, people: Answers, layout: Layout
) -> None:
    """Raise DataError if questions have more options than the distance can enumerate.

    A study has one kind of answers: where most questions are numbers, it is proposed to compare
    these alone, else to leave them out.
    """
    if kind in WITHOUT_OPTIONS or request["bounds"]:
        return
    distance = discrepancy_of(request, kind)
    texts = ingested.scenarios.set_index("scenario")["option"]
    options = texts.map(len)
    many = list(options.index[options > MOST_OPTIONS])
    numbers = {name: [x for x in map(as_number, texts[name]) if x is not None] for name in many}
    numbers = {name: some for name, some in numbers.items() if len(some) == options[name]}
    others = [name for name in options.index if name not in numbers]
    way = _as_numbers(chain(*numbers.values()), layout)
    alone = _alone(people, layout, numbers, way) if others else []
    if others and 2 * len(numbers) > len(options) and not request["kind"]:
        raise people.sheet.fault(
            "too-many-options",
            f"{shown(numbers)} are numbers, up to {options.max()} different ones; compare "
            f"{shown(others)} in another study",
            *alone,
            also=[Remedy({**way, "leave_out": others})],
        )
    asked = questions_of(many, layout.groups)
    if many and distance in DISCREPANCIES and DISCREPANCIES[distance].on in ENUMERATED:
        is_rare = not alone or len(numbers) < len(many)
        raise people.sheet.fault(
            "too-many-options",
            f"{shown(many)}: up to {options.max()} options, and {distance} takes at most "
            f"{MOST_OPTIONS}{'; put the rarer ones together in labels.csv' if is_rare else ''}",
            *(alone if numbers else []),
            "; or put ",
            Remedy({"grid.discrepancy": "mmd_delta"}),
            ", the root of the squared differences of shares, for any number of options",
            also=[leaving_out(*dict.fromkeys(asked))] if len(many) < len(options) else [],
        )


def refuse_unknown(request: Request, files: Files, layout: Layout) -> None:
    """Raise DataError if the user names columns that no file has; it names all of them."""
    faults, sheets = ErrorList(), list(files.sheets.values())
    with faults.collected():
        layout.check_columns(sheets, request.dataset)
    with faults.collected():
        check_patterns(layout, [files.sheets[path] for path in files.forms], request.dataset)
    faults.refuse()


def answers(request: Request, files: Files, layout: Layout) -> tuple[Answers, list[Answers]]:
    """Return people's answers, and those of simulators by file.

    Raises:
        DataError: with the first fault of each file.
    """
    simulator = {path: name for name, path in files.own.items()}
    forms, first = files.forms, seen_from_here(request.human)
    faults, people, simulated = ErrorList(), list[Answers](), list[Answers]()
    with faults.collected():
        people += answers_of(files.sheets[first], forms[first], layout, HUMAN)
        layout = beside(layout, people[0])
    for path in dict.fromkeys(map(seen_from_here, request.simulated)):
        with faults.collected():
            simulated += answers_of(files.sheets[path], forms[path], layout, simulator.get(path))
    faults.refuse()
    return people[0], called_alike(people[0], simulated, layout)


def unanswered(people: Answers, simulated: list[Answers]) -> list[str]:
    """Return the questions that people answer and no simulator, in their order."""
    answered = {name for part in simulated for name in part.questions}
    return [name for name in people.questions if name not in answered]


def labels_of(answers: Iterable[Answers], people: Answers | None = None) -> list[str]:
    """Return the different answers in order of appearance, to questions that people were asked."""
    seen = labels_seen(answers)
    asked_of = seen if people is None else people.questions
    labels = chain(*(seen.get(name, ()) for name in asked_of))
    return [label for label in dict.fromkeys(labels) if label == label]  # forecasts have none


def names_of(answers: Iterable[Answers]) -> list[str]:
    """Return who answers, in order of appearance."""
    return list(dict.fromkeys(name for part in answers for name in part.rows["source"].unique()))


def codes_of(answers: Answers, layout: Layout) -> list[str]:
    """Return the cells of a file that stand for no answer, ``empty`` for empty ones.

    Those that a survey file calls missing have their labels, after ``NO_WORDS``. None are of
    questions that are an option among several in one cell.
    """
    says_missing = answers.sheet.says_missing
    if not (says_missing or (answers.rows["reason"] >= 0).any()):
        return []
    meaning = layout.meaning
    asked = answers.rows["scenario"].cat.categories
    there = {*answers.sheet.columns}
    columns = tuple(name for name in asked if name in there)
    if answers.column is not None:
        columns = (answers.column,)
    codes: dict[str, None] = {}
    if not columns:
        return []
    cells = Cells.of(answers.sheet, *columns)
    for place in sorted(set(cells.place.tolist())):
        text = cells.texts[place] or ""
        if text.startswith(NO_WORDS):
            codes |= {text: None} if text[1:] not in REASONS else {}
        elif _is_none(text, meaning) and (text or not says_missing):
            codes[as_label(text) or EMPTY] = None
    return list(codes)


def _is_none(text: str | None, meaning: Callable[[str | None], str | int]) -> bool:
    try:
        return meaning(text) in range(len(REASONS))
    except CellError:
        return False
