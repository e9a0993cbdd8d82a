"""Tables of scores among files: which columns have questions, models and scores, by their names."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, compress
from os.path import relpath
from pathlib import Path
from statistics import fmean

from fidelity_study.errors import DataError, there_are
from fidelity_study.reading.codebook.tables import EPOCH, IGNORE, QUESTION, SCORE, SIMULATOR
from fidelity_study.reading.evals.direction import (
    HIGHER,
    LOWER,
    RANKS,
    has_no_end,
    of_table,
    suggests_lower,
)
from fidelity_study.reading.evals.files import TABLE, kind_of
from fidelity_study.reading.evals.samples import Run
from fidelity_study.reading.evals.score_tables import TRUTHS as TRUE_OR_FALSE
from fidelity_study.reading.evals.score_tables import (
    are_grades,
    is_summary,
    numbers_of,
    range_of,
    texts_of,
    unknown_words,
    words_of,
)
from fidelity_study.reading.tabular.columns import as_number
from fidelity_study.reading.tabular.doubtful import are_times
from fidelity_study.reading.tabular.exports.row_numbers import FIRST, INDEX, with_index
from fidelity_study.reading.tabular.files import Sheet
from fidelity_study.reading.tabular.opening import opened
from fidelity_study.reading.tabular.questions import names_persons
from fidelity_study.reading.tabular.remedies import in_pandas
from fidelity_study.reading.tabular.spreadsheet import split, stem
from fidelity_study.reading.tabular.unread import FORECASTS
from fidelity_study.reading.tabular.words import (
    COSTS,
    MODEL,
    OF_MODELS,
    PEOPLE,
    RATER,
    SCENARIO_LIKE,
    is_measure,
)

MODELS = OF_MODELS | {"model_id", "model_version", "model_name_or_path", "system", "agent"}
MODELS |= {"checkpoint", "engine", "forecaster", "bot"}
VARIANTS = {"variant", "version", "config", "candidate"}
ITEMS = ("id", "idx", "index", "task", "doc", "prompt", "sample", "example", "problem", "instance")
ASKED = {*ITEMS, *(f"{item}_id" for item in ITEMS), "case", "test_case", "questions", "items"}
OF_EVALS = {"inputs", "user_input", "utt_id", "utterance", "utterance_id", "audio_id", "segment_id"}
OF_EVALS |= {"conversation_id", "chat_id", "dialogue_id", "ticket_id", "instance_id", "input"}
ASKED |= SCENARIO_LIKE | OF_EVALS
NO_PERSONS = SCENARIO_LIKE | OF_EVALS | {"task", "task_id", "problem", "problem_id", "prompt_id"}
TOPICS = {"topic", "category", "cluster", "domain"}
EPOCHS = {"epoch", "run", "trial", "attempt", "repeat", "repetition", "iteration", "try", "seed"}
JUDGES = {"judge", "rater", "grader", "evaluator", "annotator", "judge_model"}
FOLDS = {"fold", "folds", "cv_fold", "fold_id"}
EVALS = {"dataset", "task", "benchmark", "suite", "eval", "task_name", "eval_name"}
PARTS = {*EVALS, "subset", "category", "split"}
METRICS = {"metric", "metrics", "metric_name", "measure"}
TURNED = {"lower_is_better"}
DIRECTED = {"direction", "better", "higher_is_better"} | TURNED
DIRECTIONS = dict.fromkeys((HIGHER, "true", "yes", "1", "1.0", "\u2191"), HIGHER)
DIRECTIONS |= dict.fromkeys((LOWER, "false", "no", "0", "0.0", "\u2193"), LOWER)
OPPOSITE = {HIGHER: LOWER, LOWER: HIGHER}
ID = re.compile(r"(.*_)?(id|nr|no|number)")
OF_PERSON = re.compile(r"user|worker|rater|annotator|voter|judge", re.IGNORECASE)
BESIDE_SCORE = re.compile(rf"(.*[ _/.:-])?({'|'.join(COSTS)})([ _-](s|ms|usd))?", re.IGNORECASE)
ARENA = re.compile(r"(model|system|assistant|response|answer)[ _-]?(a|1|left)", re.IGNORECASE)
NUMBERED = re.compile(r"(system|assistant|agent|checkpoint)[ _-]?([a-z]|\d+)", re.IGNORECASE)
OF_JUDGE = re.compile(r"(judge|rater|grader|evaluator|annotator)[ _-]?([a-z]|\d+)", re.IGNORECASE)
WON = re.compile(
    r"(.*[ _-])?(winner|preference|preferred|choice|chosen|vote|verdict|better)([ _-].*)?",
    re.IGNORECASE,
)
NO_MODELS = {"mean", "average", "avg", "median", "overall", "total", "sum", "count", "best"}
NO_MODELS |= {"difference", "diff", "delta", "gap", "std", "sd", "se", "min", "max", "difficulty"}
NO_MODELS |= {"answer", "label", "target", "gold", "truth", "level", "weight", "fold", "year", "n"}
MARKS = {"grade", "grades", "rating", "points", "mark", "marks", "verdict", "judgement", "judgment"}
QUANTILE = re.compile(r"(?:(?:q|p|quantile|percentile)[ _.-]?)?(\d?\.\d+|\d\d)", re.IGNORECASE)
LEVELS = {"output_type_id", "quantile", "quantile_level", "tau"}
STATED = {"value", "predicted", "prediction", "predicted_value", "forecast"}
WORD = re.compile(r"[^\W\d_]+")
PART, VERSION = re.compile(r"(.+)[_/.:](.*)"), re.compile(r"\d")
OF_SCORES = {"score", "scores", "rating", "grade", "points", "judge", "geval", "eval", "metric"}
"""Words of columns that are scores on whatever scale."""
NO_METRICS = NO_MODELS | {"confidence", "certainty", "temperature", "threshold", "baseline", "rank"}
NO_METRICS |= {"p", "prob", "probability", "logprob", "prediction", "predicted", "pred", "output"}
NO_METRICS |= {"response", "choice", "expected", "cached", "truncated", "parsed", "stderr", "ci"}
"""Words for what a table says of an answer, or of a call, beside its scores."""
Names = Sequence[str]
FEWEST_STEPS, MOST_WORDS, MOST_TIMES = 3, 12, 10


class Texts(dict[str, list[str]]):
    """The cells of a sheet by column, each read when it is first asked for."""

    def __init__(self, sheet: Sheet):
        """Take the sheet."""
        super().__init__()
        self._sheet = sheet

    def __missing__(self, name: str) -> list[str]:
        """Read a column."""
        self[name] = texts_of(self._sheet, name)
        return self[name]


@dataclass(frozen=True)
class Table:
    """A table of scores.

    Attributes:
        sheet: as it was read.
        uses: of columns, as a codebook calls them, but for those that are not read.
        doubts: columns that nobody has decided, with the use that is proposed.
        evals: columns among these that may name several evals.
        run: the log that it is; None of others.
    """

    sheet: Sheet
    uses: Mapping[str, str] = field(default_factory=dict)
    doubts: Mapping[str, str] = field(default_factory=dict)
    evals: Sequence[str] = ()
    run: Run | None = None

    @property
    def usual(self) -> dict[str, str]:
        """The column of each part of a sample, as a log has it, and of its score if that is one."""
        one = {"score": self.run.scores[0]} if self.run and not self.run.scores[1:] else {}
        return {**self.run.columns, **one} if self.run else {}

    @cached_property
    def texts(self) -> "Texts":
        """The cells by column."""
        return Texts(self.sheet)

    @property
    def path(self) -> str:
        """The file, seen from here."""
        return relpath(self.sheet.path)

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return self.sheet.columns

    @property
    def scores(self) -> list[str]:
        """Its columns of scores."""
        return self.of(SCORE) or [name for name, use in self.doubts.items() if use == SCORE]

    @property
    def are_rivals(self) -> bool:
        """Whether one column of scores counts, among those that nobody has decided."""
        return len(self.scores) < 2 and not self.of(SCORE)

    @property
    def is_of_one(self) -> bool:
        """Whether all its rows are of the model that the file is called by."""
        return not self.of(SIMULATOR) and len(self.scores) <= 1

    def better(self, score: str) -> str | None:
        """Return which one of a score is better, if that is said; empty if it isn't clear."""
        if self.run:
            return "" if score in self.run.doubts else self.run.better.get(score)
        for name in _called(self.sheet, DIRECTED):
            if said := " or ".join({*self.texts[name]} - {""}):
                known = DIRECTIONS.get(_spelled(said).removesuffix("_is_better"), "")
                return OPPOSITE.get(known, "") if _spelled(name) in TURNED else known
        return None

    def of_all(self, usual: Iterable[str]) -> str:
        """Return what a column of a usual name has in all rows; an empty text if there is none."""
        several = ({*self.texts[name]} for name in _called(self.sheet, usual))
        return next((text for texts in several if len(texts) == 1 for text in texts), "")

    @property
    def models(self) -> set[str]:
        """The models that a column names."""
        return {text for name in self.of(SIMULATOR) for text in self.texts[name]}

    def given(self, scores: Iterable[str]) -> set[str]:
        """Return the different scores, but for those of rows that are called means or totals."""
        columns = [self.texts[name] for name in scores if name in self.columns]
        for lead in self.of(QUESTION)[:1]:
            are_read = [not is_summary(name) for name in self.texts[lead]]
            columns = [[*compress(column, are_read)] for column in columns]
        return {text for column in columns for text in column}

    @property
    def topic(self) -> str | None:
        """The column called as topics are that nobody decided, if it groups the questions."""
        free = [name for name in _called(self.sheet, TOPICS) if name not in self.uses]
        lead = self.of(QUESTION) or [name for name, use in self.doubts.items() if use == QUESTION]
        questions = len({*zip(*(self.texts[name] for name in lead), strict=True)})
        sizes = {name: len({*self.texts[name]}) for name in free if name not in self.doubts}
        return next((name for name, size in sizes.items() if 1 < size < questions), None)

    def of(self, use: str) -> list[str]:
        """Return the columns of a use."""
        return [name for name in self.columns if self.uses.get(name) == use]


def tables_of_scores(
    paths: Names, options: Mapping, taken: Collection[tuple[str, str]] = ()
) -> list[Table]:
    """Return the tables of scores that files are; none unless all are of the same form.

    Args:
        paths: the files.
        options: the user's: columns of scores, models and clusters, and what scores there can be.
        taken: files and their columns that the user said are of no sample, as those of clusters.

    Raises:
        DataError: a file alone has scores in a form that has none for single questions.
    """
    if not all(kind_of(path) == TABLE and Path(split(path)[0]).is_file() for path in paths):
        return []
    named, whose, alone = options["score"], options["simulator"], len(paths) == 1
    tables: list[Table] = []
    sheets: list[Sheet] = []
    for path in paths:
        with suppress(DataError):
            sheets.append(sheet := opened(path))
            others = {options["cluster"], *(name for file, name in taken if file == relpath(path))}
            left = [name for name in sheet.columns if name not in others - {*named, *whose}]
            views = [sheet.of_columns(sheet.cells(left))] if sheet.columns != left else []
            read = partial(_table, named=named, whose=whose, alone=alone)
            table = next(filter(None, map(read, [*views, sheet])), None)
            if table is None and (named or not alone) and INDEX in sheet.aside:
                sheet = with_index(sheet)
                table = read(sheet)
                if table:
                    sure = {name: use for name, use in table.uses.items() if name in named}
                    asked = {name: use for name, use in table.uses.items() if name not in sure}
                    table = replace(table, uses=sure, doubts={**asked, **table.doubts})
            tables += [replace(table, sheet=sheet)] if table else []
    if not tables:
        _refuse_quantiles(sheets)
    if not tables and len(paths) == len(sheets) == 1:
        _refuse_other_tables(sheets[0], named, whose)
    of_one = [table.is_of_one for table in tables]
    same = all(table.columns == tables[0].columns for table in tables)
    is_whole = len(tables) == len(paths) and (not any(of_one) or (all(of_one) and same))
    return tables if is_whole else []


def table_of_log(run: Run, named: Names) -> Table:
    """Return a log as a table of scores, of which one counts."""
    scores = [name for name in run.scores if name in named] or [*run.scores]
    doubts = _one_of(scores) if scores[1:] else {}
    parts = {"question": QUESTION, "epoch": EPOCH}
    uses = {run.columns[part]: use for part, use in parts.items() if part in run.columns}
    uses |= {name: SCORE for name in scores if name not in doubts}
    return Table(run.sheet, uses, doubts, run=run)


def may_have_scores(path: str) -> bool:
    """Return whether a file has columns of questions, models and numbers, but no people.

    Or whether it is called after a loss, as by the word error rate, or columns after models.
    """
    with suppress(DataError):
        sheet = opened(path)
        if has_no_end(stem(path)):
            return True
        texts = Texts(sheet)
        who, asked = _called(sheet, MODELS)[:1], _called(sheet, ASKED)
        people = any(PEOPLE.fullmatch(text) for name in who for text in texts[name])
        if any(numbers_of(texts[name]) for name in filter(may_be_model, sheet.columns)):
            return True
        others = [texts[name] for name in sheet.columns if name not in {*who, *asked}]
        return bool(who and asked) and not people and any(map(numbers_of, others))
    return False


def _table(sheet: Sheet, named: Names, whose: Names, *, alone: bool) -> Table | None:
    """Return the table of scores that a sheet is; None if it is none, or may be one of answers."""
    if not {*named, *whose} <= {*sheet.columns}:
        return None
    texts = Texts(sheet)
    who, by = [*whose] or _called(sheet, MODELS)[:1], _called(sheet, EPOCHS | JUDGES)
    epochs = [name for name in by if _spelled(name) in EPOCHS or len({*texts[name]}) > 1][:1]
    if who and named[1:]:
        return None
    variants = [] if who or named[1:] or not alone else _variants(texts, sheet, named)
    who = who or variants
    metrics = _called(sheet, METRICS) or _called(sheet, DIRECTED)
    usual = _usual(texts, sheet.columns) or (_called(sheet, {"value"}) if metrics else [])
    likely = [*named] or [name for name in usual if not BESIDE_SCORE.fullmatch(name)]
    likely = likely or (_graded(sheet) or _ranks(texts, sheet) if who and alone else []) or usual
    called = [] if who or named else _columns_of_models(sheet, alone=alone)
    judged = [] if (alone and not who) or likely or called[1:] else _judged(texts, sheet)
    likely = likely or judged
    keys = [*who, *epochs]
    free = [name for name in sheet.columns if name not in {*keys, *likely, *called}]
    if not (likely or called[1:]) or (not named and _states(sheet)):
        return None
    lead = _lead(texts, free, keys, any_column=bool(named or called[1:]))
    if not lead:
        return None
    uses = {**dict.fromkeys(lead, QUESTION), **dict.fromkeys(who, SIMULATOR)}
    uses |= dict.fromkeys(epochs, EPOCH)
    is_usual = {*lead} <= {*sheet.columns[:1], *_called(sheet, ASKED)}
    doubts = {} if is_usual else dict.fromkeys(lead, QUESTION)
    doubts |= dict.fromkeys({*epochs} & {*_called(sheet, JUDGES)}, EPOCH)
    doubts |= dict.fromkeys(variants, SIMULATOR)
    evals = [
        name
        for name in [*_called(sheet, EVALS), *metrics]
        if name != lead[-1] and len({*texts[name]}) > 1 and not _is_key(texts, [name, *keys])
    ]
    doubts |= {name: "" if name in metrics else uses.get(name, IGNORE) for name in evals}
    scores = [name for name in likely if name in named or _are_mostly(texts[name])]
    scores = scores or [name for name in likely if _are_few(texts[name])]
    is_sure = bool(named) or _spelled(lead[0]) in NO_PERSONS
    if called[1:] or (named[1:] and not who):
        people = not named and any(
            PEOPLE.match(name.replace("_", " ")) and numbers_of(texts[name])
            for name in sheet.columns
        )
        of_questions = (_is_key(texts, [name]) for name in _called(sheet, NO_PERSONS))
        are_shares = bool(called) and _are_shares(texts, called)
        people |= are_shares and names_persons(lead[-1]) and not all(map(_is_version, called))
        are_sure = is_sure or are_shares or any(of_questions)
        metrics_of = by_metric(named or called)
        if not (named or len(metrics_of) > 1):
            scores = _of_models(texts, called, is_sure=are_sure)
        if people or not scores:
            return None
        graded = [] if named or all(map(may_be_model, scores)) else scores
        others = [] if named else [name for name in sheet.columns if name not in {*uses, *scores}]
        doubts |= dict.fromkeys([*_beside(texts, others, scores), *graded], SCORE)
        rivals = [*chain(*metrics_of.values())] if len(metrics_of) > 1 else []
        doubts |= dict.fromkeys([*filter(RATER.fullmatch, named), *rivals], "")
        doubts |= dict.fromkeys({*graded}.difference(_alike(texts, graded)), "")
    elif who:
        values = {*texts[who[0]]}
        if any(map(PEOPLE.fullmatch, values)):
            return None
        are_models = any(map(MODEL.search, values))
        known = [name for name in scores if are_models or name in named or of_table(name)]
        doubts |= {} if known or not alone else dict.fromkeys(scores, SCORE)
        known = known or judged
        doubts |= dict.fromkeys(judged, SCORE)
        scores = scores if alone and not known else known
    elif named and alone and not _is_usual(named[0]):
        others = [name for name in sheet.columns if name not in {*uses, *named}]
        fractions = _fractions(texts, sheet)
        like = _alike(texts, fractions) if named[0] in fractions else []
        like = [name for name in [*_beside(texts, others, scores), *like] if name in others]
        doubts |= {name: "" for name in like if not is_measure(name)}
    elif judged:
        is_nameless = any(line.startswith(FIRST) for line in sheet.recognised)
        is_of_people = PEOPLE.match(stem(sheet.path).replace("_", " "))
        if is_of_people or (names_persons(lead[-1]) and not is_nameless):
            return None
        doubts[judged[0]] = SCORE
    elif not (named or (not alone and _is_of_one(sheet, scores, is_sure=is_sure))):
        return None
    if not scores or ((variants or judged or not who) and not _is_key(texts, [*lead, *keys])):
        return None
    if not (called[1:] or named):
        others = [name for name in free if name not in uses]
        scores = _with_criteria(texts, others, scores)
        scores += _other_metrics(texts, [n for n in others if n not in scores], lead, who)
    if scores[1:] and not (called[1:] or named[1:]):
        doubts |= _one_of(scores)
    uses |= dict.fromkeys(scores, SCORE)
    sure = {name: use for name, use in uses.items() if name not in doubts}
    return Table(sheet, sure, doubts, evals)


def _refuse_other_tables(sheet: Sheet, named: Names, whose: Names) -> None:
    """Raise DataError if a file has scores, but none of single questions."""
    if absent := [name for name in (*named, *whose) if name not in sheet.columns]:
        what = f"has no column {absent[0]!r}; {there_are(absent[0], sheet.columns)}"
        raise sheet.fault("no-column", what)
    who = [*whose] or _called(sheet, MODELS)[:1]
    folds = _called(sheet, FOLDS)
    if folds and not _called(sheet, ASKED) and _is_key(Texts(sheet), [*folds, *who]):
        what = (
            "has scores of folds, which share what models are trained on; give the score of each "
            "item that is predicted, as by cross_val_predict of scikit-learn"
        )
        raise sheet.fault("means-only", what)
    several = named if named[1:] else [*filter(OF_JUDGE.fullmatch, sheet.columns)]
    if who and several[1:]:
        kept = [name for name in sheet.columns if name not in several]
        by = next(name for name in ("judge", "grader", "epoch") if name not in kept)
        line = in_pandas(f"table.melt({kept}, {[*several]}, {by!r}, 'rating')")
        what = (
            f"has several scores of each answer; name one, such as --score {several[0]}, or if "
            f"each is another judge's, give each a row, {line}, and name the new file"
        )
        raise sheet.fault("several-scores", what)
    if who and not _called(sheet, ASKED) and (means := _means(sheet, who)):
        line = in_pandas(f"table.melt({who}, {means}, 'question', 'score')")
        what = (
            "has a row for each model, with its means; what is due to chance is known from scores "
            "of single questions: give a row for each model and question"
            f"; if its columns are such questions, {line}, and name the new file"
        )
        raise sheet.fault("means-only", what)
    is_pair = any(map(ARENA.fullmatch, sheet.columns)) and any(map(WON.fullmatch, sheet.columns))
    if is_pair and not who:
        what = (
            "compares two models in each row, and such choices are not read; give each model's "
            "score for each question"
        )
        raise sheet.fault("pairs-of-models", what)
    lead = [name for name in _called(sheet, ASKED) if _spelled(name) in NO_PERSONS]
    if lead and (table := _table(sheet, named, (), alone=False)) and table.is_of_one:
        what = "has scores of one model, as no column names it; name files of others beside it"
        raise sheet.fault("one-model", what)
    if named and not who and _called(sheet, ASKED):
        what = "has several scores of a question, and no column names the model of each; "
        what += "name it: --simulator COL"
        raise sheet.fault("no-model", what)
    if named:
        what = (
            "has no column that names the question of each score: none, alone or with the model, "
            "differs in each row; add one"
        )
        raise sheet.fault("no-question", what)


def _refuse_quantiles(sheets: Sequence[Sheet]) -> None:
    """Raise DataError if sheets have quantiles of forecasts, which are no scores yet."""
    for sheet in sheets:
        if _has_quantiles(sheet, alone=len(sheets) == 1):
            what = (
                "has quantiles of forecasts; score each forecast by the pinball loss over all its "
                "levels (mean_pinball_loss of scikit-learn), and name a table with the columns "
                "question, model and pinball_loss, a row for each forecast"
            )
            raise sheet.fault("quantiles", what)


def _has_quantiles(sheet: Sheet, *, alone: bool) -> bool:
    """Return whether a sheet has quantiles of forecasts, in columns or in rows.

    They are columns such as q0.1, p50 or 0.9, the median among them and as many on each side, or a
    column of levels beside one of values, as in forecast hubs. Beside another file columns may have
    means and spreads, too, which are read.
    """
    matches = filter(None, map(QUANTILE.fullmatch, sheet.columns))
    columns = {float(name[1]) / (1 if "." in name[1] else 100) for name in matches}
    sides = {round(1 - level, 9) for level in columns}
    if len(columns) >= 3 and 0.5 in columns and columns == sides:
        return alone
    texts, level = Texts(sheet), _called(sheet, LEVELS)[:1]
    numbers = numbers_of(texts[level[0]]) if level and _called(sheet, STATED) else set[float]()
    return len([number for number in numbers if number < 1]) >= 3 and 0.5 in numbers


def _means(sheet: Sheet, who: Sequence[str]) -> list[str]:
    """Return the columns of numbers, where there are several, and each row is another model's."""
    texts, others = Texts(sheet), [name for name in sheet.columns if name not in who]
    numeric = [name for name in others if numbers_of(texts[name]) and _are_few(texts[name])]
    return numeric if numeric[1:] and _is_key(texts, who) else []


def _called(sheet: Sheet, usual: Iterable[str]) -> list[str]:
    """Return the columns that have one of some usual names."""
    return [name for name in sheet.columns if _spelled(name) in usual]


def _spelled(name: str) -> str:
    return re.sub(r"[ -]+", "_", name.strip().casefold())


def _lead(
    texts: Mapping[str, list[str]], free: Sequence[str], keys: Sequence[str], *, any_column: bool
) -> list[str]:
    """Return the columns that name the question of a row: one, or the part of a set and an id."""
    asked = [name for name in free if _spelled(name) in ASKED]
    ids = [name for name in free if ID.fullmatch(_spelled(name))]
    persons = [n for n in ids if PEOPLE.match(n.replace("_", " ")) or OF_PERSON.match(n)]
    others = [name for name in ids if name not in persons]
    parted = [n for n in others if _is_key(texts, [n, *keys]) and not _is_key(texts, [n])]
    asked = asked or others
    others = [name for name in free if any_column and not are_times(name, texts[name])]
    asked = asked or [name for name in others if _is_key(texts, [name, *keys])][:1]
    if not asked:
        return []
    by_number = sorted(asked, key=lambda name: len({*texts[name]}))
    lead = next((name for name in by_number if _is_key(texts, [name, *keys])), by_number[-1])
    parts = [name for name in free if name != lead and _spelled(name) in PARTS]
    for part in () if _is_key(texts, [lead, *keys]) else parts:
        if _is_key(texts, [part, lead, *keys]):
            return [part, lead]
    return [lead] if _is_key(texts, [lead, *keys]) else parted[:1] or [lead]


def _columns_of_models(sheet: Sheet, *, alone: bool) -> list[str]:
    """Return the columns that are called after models, or else those of pass and fail."""
    names = [name for name in sheet.columns if not BESIDE_SCORE.fullmatch(name)]
    called = [name for name in names if may_be_model(name)]
    if called[1:] or not alone:
        return called
    return _graded(sheet) or _of_metrics(sheet) or _of_fractions(sheet)


def _of_metrics(sheet: Sheet) -> list[str]:
    """Return columns ``MODEL_METRIC``, beside a column that names no persons."""
    is_beside = _called(sheet, ASKED - {"id", "idx", "index", "case"})
    return [*chain(*by_metric(sheet.columns).values())] if is_beside else []


def by_metric(names: Iterable[str]) -> dict[str, list[str]]:
    """Return columns ``MODEL/METRIC``, or ``MODEL_METRIC``, by metric, if all have the same models.

    >>> by_metric(["a/nll", "b/nll", "a/brier", "b/brier"])
    {'nll': ['a/nll', 'b/nll'], 'brier': ['a/brier', 'b/brier']}
    """
    names = [*names]
    for parts in ([n.rpartition("/") for n in names], [n.partition("_") for n in names]):
        metrics: dict[str, dict[str, str]] = {}
        for model, sign, metric in parts:
            if model and _is_usual(metric):
                metrics.setdefault(metric, {})[model] = f"{model}{sign}{metric}"
        models = [{*columns} for columns in metrics.values()]
        if models and all(some == models[0] for some in models):
            return {metric: [*columns.values()] for metric, columns in metrics.items()}
    return {}


def _of_fractions(sheet: Sheet) -> list[str]:
    """Return columns of fractions beside test items, or in a file that is called after a loss."""
    of_items = _called(sheet, NO_PERSONS - SCENARIO_LIKE)
    texts = Texts(sheet)
    names = _fractions(texts, sheet)
    are_of_models = any(map(may_be_model, names)) and _are_shares(texts, names)
    if not (has_no_end(stem(sheet.path)) or of_items or are_of_models):
        return []
    are_some = bool(_alike(texts, names)[1:]) and not any(map(is_measure, names))
    return names if are_some else []


def _fractions(texts: Texts, sheet: Sheet) -> list[str]:
    """Return the columns of numbers that are not whole, but for what is no score by its name."""
    return [
        name
        for name in sheet.columns
        if any(number % 1 for number in numbers_of(texts[name])) and not unknown_words(texts[name])
        if not BESIDE_SCORE.fullmatch(name) and NO_MODELS.isdisjoint(_spelled(name).split("_"))
    ]


def _are_shares(texts: Texts, names: Names) -> bool:
    """Return whether numbers are from 0 to 1, in each column some between, as hardly answers are.

    People answer in steps of a scale, or choose options.
    """
    numbers = [numbers_of(texts[name]) for name in names]
    return all(max(some, default=2) <= 1 and any(0 < one < 1 for one in some) for some in numbers)


def _alike(texts: Texts, names: Names) -> list[str]:
    """Return the columns whose numbers are about as large as the smallest, as seconds are not."""
    sizes = {name: fmean(map(abs, numbers_of(texts[name]) or {0})) for name in names}
    smallest = min(filter(None, sizes.values()), default=0)
    return [name for name, size in sizes.items() if size <= MOST_TIMES * smallest]


def _judged(texts: Texts, sheet: Sheet) -> list[str]:
    """Return the one column whose cells are all true and false, or shares up to 1 or 100 %."""
    judged = [
        name
        for name in sheet.columns
        if {text.casefold() for text in texts[name] if text} == {*TRUE_OR_FALSE}
        or (not unknown_words(texts[name]) and _are_shares(texts, [name]))
        if NO_METRICS.isdisjoint(_spelled(name).split("_"))
    ]
    return [] if sheet.tells_all or judged[1:] else judged


def _graded(sheet: Sheet) -> list[str]:
    """Return the columns of words such as pass and fail."""
    columns = zip(sheet.columns, sheet.read(range(len(sheet.columns))), strict=True)
    graded = [(name, cells) for name, cells in columns if are_grades(cells.dictionary.to_pylist())]
    return [name for name, cells in graded if _are_mostly(cells.drop_null().to_pylist())]


def _variants(texts: Texts, sheet: Sheet, named: Names) -> list[str]:
    """Return the column of variants, which are models where questions have several of them.

    And where they have one each, as conversations have; persons may be in one arm each, too.
    """
    asked = [texts[name] for name in _called(sheet, ASKED)]
    by_number = [name for name in sheet.columns if ID.fullmatch(_spelled(name))] if named else []
    are_apart = any(_is_key(texts, [name]) for name in [*_called(sheet, NO_PERSONS), *by_number])
    return [
        name
        for name in _called(sheet, VARIANTS)
        if any(len({*zip(ids, texts[name], strict=True)}) > len({*ids}) for ids in asked)
        or (are_apart and 1 < len({*texts[name]}) <= len(texts[name]) / 2)
        if not _columns_of_models(sheet, alone=False)[1:]
    ][:1]


def _ranks(texts: Texts, sheet: Sheet) -> list[str]:
    """Return the columns of ranks, which are scores where there are no others."""
    return [name for name in _called(sheet, RANKS) if not unknown_words(texts[name])]


def _states(sheet: Sheet) -> bool:
    """Return whether a column called as forecasts are has fractions, so that events are stated."""
    texts = Texts(sheet)
    columns = (texts[name] for name in sheet.columns if name.casefold() in FORECASTS)
    numbers = ([as_number(text) for text in column if text] for column in columns)
    return any(None not in given and any((n or 0.0) % 1 for n in given) for given in numbers)


def _usual(texts: Texts, columns: Sequence[str]) -> list[str]:
    """Return the columns that are called as scores are, and have some; error messages are none."""
    return [
        name
        for name in columns
        if _is_usual(name)
        if (numbers_of(texts[name]) if suggests_lower(name) else any(texts[name]))
    ]


def _is_usual(name: str) -> bool:
    is_marked = _spelled(name) in MARKS or _spelled(name).startswith("score_")
    is_marked |= _spelled(name).endswith("/score")
    return is_marked or bool(of_table(name)) or suggests_lower(name)


def may_be_model(name: str) -> bool:
    """Return whether a column is called after a model."""
    return bool(MODEL.search(name.replace("_", " ")) or NUMBERED.fullmatch(name))


def _is_version(name: str) -> bool:
    name = name.rpartition("/")[2]
    return bool(MODEL.match(name) and VERSION.search(name))


def _is_key(texts: Mapping[str, list[str]], names: Sequence[str]) -> bool:
    """Return whether each row has other cells in some columns."""
    rows = [*zip(*(texts[name] for name in names), strict=True)]
    return len({*rows}) == len(rows)


def _of_models(free: Mapping[str, list[str]], called: Sequence[str], *, is_sure: bool) -> list[str]:
    """Return the columns of scores that are called after models; none if they may be others.

    Beside ids, which may be persons', models have a version. Scores and other numbers of the same
    models, as ``gpt-4o_correct`` and ``gpt-4o_tokens``, are told apart by their names alone.
    """
    scores = [name for name in called if _are_mostly(free[name])]
    graded = not all(map(may_be_model, scores))
    if not is_sure and not graded and not all(map(_is_version, scores)):
        return []
    parts = {name: PART.fullmatch(name) for name in scores}
    stems = [part[1] for part in parts.values() if part]
    if any(stems.count(stem) > 1 for stem in stems):
        by_name = [name for name, part in parts.items() if part and of_table(part[2])]
        scores = by_name or scores
    tops = [max(map(abs, numbers_of(free[name])), default=0) for name in scores]
    are_alike = graded or (bool(tops) and max(tops) <= MOST_TIMES * max(min(tops), 1))
    return scores if scores[1:] and are_alike else []


def _beside(texts: Mapping[str, list[str]], others: Sequence[str], scores: list[str]) -> list[str]:
    """Return columns among others whose cells are such as those of scores."""
    every = {text for name in scores for text in texts[name]}
    known, words = numbers_of(every), unknown_words(every) | {*words_of(every)}
    low, high, *_ = range_of(every, "", None)
    return [
        name
        for name in others
        if NO_MODELS.isdisjoint(_spelled(name).split("_")) and not BESIDE_SCORE.fullmatch(name)
        if (numbers := numbers_of(texts[name])) and low <= min(numbers) and max(numbers) <= high
        if all(number % 1 == 0 for number in numbers) or any(number % 1 for number in known)
        if unknown_words(texts[name]) | {*words_of(texts[name])} <= words
    ]


def _with_criteria(texts: Texts, others: Sequence[str], scores: list[str]) -> list[str]:
    """Return columns that may be the score: also criteria beside one, and first their total."""
    beside = [scores[0], *_beside(texts, others, scores)]
    totals = [name for name in others if is_summary(name) and numbers_of(texts[name])]
    numbers = {name: numbers_of(texts[name]) for name in beside}
    whole = [name for name in beside if not any(number % 1 for number in numbers[name])]
    steps = [name for name in whole if len(numbers[name]) >= FEWEST_STEPS]
    criteria = beside if totals else steps
    if scores[0] not in criteria or _spelled(scores[0]) in {*MARKS, SCORE}:
        return scores
    return [*(totals if criteria[1:] else ()), *scores, *criteria[1:]]


def _other_metrics(texts: Texts, others: Names, lead: Names, who: Names) -> list[str]:
    """Return columns of any name that may be the score: what differs from answer to answer.

    They are called as scores are, or have shares, or, beside a column of models, true and false.
    Where all rows of a question have the same, or all of a model, a column tells what that is like.
    """
    metrics: list[str] = []
    for name in others:
        words, numbers = {*WORD.findall(name.casefold())}, numbers_of(texts[name])
        is_other = BESIDE_SCORE.fullmatch(name) or words & NO_METRICS or unknown_words(texts[name])
        is_fact = len(numbers) < 2 or any(
            _follows(texts, name, keys) for keys in (lead, who) if who
        )
        are_shares = all(0 <= number <= 1 for number in numbers)
        is_score = words & OF_SCORES or (are_shares and (who or {*numbers} - {0, 1}))
        metrics += [name] if is_score and not (is_other or is_fact) else []
    return metrics


def _follows(texts: Texts, name: str, keys: Names) -> bool:
    """Return whether a column has one cell for all rows of the same keys, where there are some."""
    rows = [*zip(*(texts[key] for key in keys), strict=True)]
    pairs = {*zip(rows, texts[name], strict=True)}
    return len(pairs) == len({*rows}) < len(rows)


def _one_of(scores: Sequence[str]) -> dict[str, str]:
    """Return what is proposed of columns of which one is the score: the total, or one called so.

    Nothing of several metrics, which nobody can choose among.
    """
    totals = [name for name in scores if is_summary(name) and not _is_usual(name)][:1]
    called = totals or [
        name for name in scores if SCORE in _spelled(name).split("_") and of_table(name)
    ]
    if len(called) != 1:
        return dict.fromkeys(scores, "")
    return dict.fromkeys(scores, IGNORE) | {called[0]: SCORE}


def _is_of_one(sheet: Sheet, scores: Sequence[str], *, is_sure: bool) -> bool:
    """Return whether a file may be of one model, by its name and that of its scores."""
    name = stem(sheet.path).replace("_", " ")
    known = [score for score in scores if of_table(score) and score != SCORE]
    is_clear = bool(known) and (is_sure or not {*known} <= {"correct", "right"})
    return not PEOPLE.match(name) and (is_clear or bool(MODEL.search(name)))


def _are_mostly(texts: Sequence[str]) -> bool:
    """Return whether most cells are scores: others may be errors, which the user is asked about."""
    unknown = unknown_words(texts)
    filled = [text for text in texts if text]
    return _are_few(texts) and 2 * sum(text in unknown for text in filled) < len(filled)


def _are_few(texts: Sequence[str]) -> bool:
    return len(unknown_words(texts)) <= MOST_WORDS
