"""The steps of a dataset and of an evaluation: what each depends on, and the tables that it makes.

What a step's rule makes, which tables report and figures read, and where their schemas stand, is
said here and nowhere else.
"""

import re
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path, PurePath
from pkgutil import resolve_name
from typing import NamedTuple

import pyarrow as pa

from fidelity_study.digest import SOURCE
from fidelity_study.reading.settings import NUMBERS, POINTS
from fidelity_study.root import ROOT
from fidelity_study.tables.ingest import INGESTED

Settings = dict


def _once(settings: Settings) -> list[dict]:
    return [{}]


def _every_n(settings: Settings) -> list[dict]:
    return [{"n": str(n)} for n in settings["grid"]["n"]]


def _last_n(settings: Settings) -> list[dict]:
    return _every_n(settings)[-1:]


def _compared_n(settings: Settings) -> list[dict]:
    return [{"n": str(n)} for n in settings["comparison"]["n"]]


def _asked(settings: Settings) -> list[dict]:
    return [{"asked": name} for name in settings["asked"]]


def _always(settings: Settings) -> bool:
    return True


def _envelope(settings: Settings) -> bool:
    return settings["grid"]["envelope"]


def calibrated_as(settings: Settings) -> str:
    """Return what calibration of a dataset's outcomes is about: options or numbers."""
    return "numbers" if settings["outcome"]["kind"] in NUMBERS else "options"


def _calibration(settings: Settings) -> bool:
    return settings["calibration"] is not None and calibrated_as(settings) == "options"


def _intervals(settings: Settings) -> bool:
    return settings["calibration"] is not None and calibrated_as(settings) == "numbers"


def _points(settings: Settings) -> bool:
    return settings["outcome"]["kind"] in POINTS


def _shares(settings: Settings) -> bool:
    return not _points(settings)


def _distributions(settings: Settings) -> bool:
    """Return whether simulators may state distributions, or one-vs-rest probabilities."""
    options = settings["options"]
    return bool({"family", "probabilities"} & {*options, *options.get("columns", {})})


class Step(NamedTuple):
    """A step of a dataset.

    Attributes:
        depends_on: the names of the settings that determine its tables, besides its input files.
        wanted: whether a dataset of some settings has it.
        at: the wildcards that it runs for, besides the dataset's.
        needs_curves: whether there is no such step without curves.
    """

    depends_on: str = ""
    wanted: Callable[[Settings], object] = _always
    at: Callable[[Settings], list[dict]] = _once
    needs_curves: bool = True

    def runs(self, settings: Settings) -> list[dict]:
        """Return the wildcards that it runs for with these settings: [] not at all."""
        is_made = self.wanted(settings) and (settings["curves"] or not self.needs_curves)
        return self.at(settings) if is_made else []


def _without_curves(depends_on: str, wanted: Callable[[Settings], object] = _always) -> Step:
    return Step(depends_on, wanted, needs_curves=False)


WORDS = (
    "title outcome cluster simulators names noun n gamma pairs comparison weighting_effect "
    "smoothed plan calibration test eta tolerance curves sequential predict groups "
    "scales effects regressions uses"
)
STEPS = {
    "ingest": _without_curves(
        "ingest seed outcome cluster clustered simulators draws weighting_effect options curves "
        "by_respondent unasked"
    ),
    "ingest_tabular_given": _without_curves("", _distributions),
    "simulate": Step("", at=_asked, needs_curves=False),
    "answers": _without_curves("asked", itemgetter("asked")),
    "nonresponse": _without_curves("simulators asked"),
    "bootstrap": Step("seed n replicates", at=_every_n),
    "bootstrap_simulators": Step("seed simulators k replicates"),
    "confidence_set": Step("seed outcome n gamma pairs", at=_every_n),
    "pseudo_discrepancy": Step("pairs smoothed", at=_every_n),
    "quantile": Step("n gamma index eta", at=_every_n),
    "summary": Step("n eta"),
    "guarantee": Step("seed n gamma index eta target", at=_last_n),
    "target": Step(
        "seed ingest outcome cluster weighting_effect options simulators gamma pairs smoothed test "
        "target_questions",
        itemgetter("target_questions"),
    ),
    "sample_size": Step("seed simulators eta"),
    "envelope": Step(
        "seed outcome n simulators pairs compared smoothed tolerance eta uses", _envelope
    ),
    "pairwise": Step("simulators compared comparison smoothed", at=_compared_n),
    "comparison": Step("n comparison index eta"),
    "mean_discrepancy": Step("seed simulators pairs smoothed test tolerance uses"),
    "people_reference": Step("pairs smoothed test"),
    "groups": Step("seed simulators pairs smoothed test groups", itemgetter("groups")),
    "structure": Step("seed outcome simulators clustered groups scales test uses"),
    "twins": Step("seed clustered groups test uses"),
    "effects": _without_curves(
        "outcome simulators clustered groups effects test uses", itemgetter("effects")
    ),
    "regressions": _without_curves("simulators regressions test uses", itemgetter("regressions")),
    "hybrids": Step("seed pairs smoothed test hybrids uses", itemgetter("hybrids")),
    "error_bars": Step("test"),
    "variance": Step("seed pairs smoothed test"),
    "vectors": _without_curves("seed outcome simulators options test", _points),
    "proper_scores": _without_curves("simulators test", _shares),
    "prompts": Step("seed simulators pairs smoothed test prompted", itemgetter("prompted")),
    "sequence": Step("seed simulators pairs smoothed test sequential", itemgetter("sequential")),
    "new_questions": Step(
        "ingest outcome cluster weighting_effect options simulators predict unasked",
        itemgetter("predict"),
    ),
    "predict": Step(
        "seed outcome simulators smoothed predict correct eta test", itemgetter("predict")
    ),
    "correct": Step("seed simulators pairs smoothed test correct", itemgetter("correct")),
    "calibration": _without_curves("seed simulators calibration test uses", _calibration),
    "intervals": _without_curves("simulators calibration test", _intervals),
    "plan": Step("seed simulators pairs smoothed test plan", itemgetter("plan")),
    "uses": _without_curves("simulators test uses"),
    "figure": _without_curves(WORDS),
    "findings": _without_curves(WORDS),
    "statement": _without_curves(f"{WORDS} about"),
}
OF_EVALUATIONS = {
    "evaluation_scores": "evals",
    "evaluation": "evals baseline margin standard_error unpaired test",
    "evaluation_findings": "title evals baseline margin standard_error unpaired test",
}
MAINS = {
    "ingest": "reading.ingest.folder:main",
    "simulate": "ask.simulate:main",
    "answers": "ask.collect:main",
    "correct": "steps.corrections:main",
    "figure": "app.run.figures:main",
    "findings": "app.run.report:findings",
    "statement": "app.run.report:statement",
    "report": "app.run.report:report",
    "evaluation_scores": "reading.evals.scores:main",
    "evaluation_findings": "app.run.report:evaluation_findings",
}
"""The functions of steps that are not ``main`` of the step's module."""
WITH_OTHERS = {"ingest", "ingest_tabular_given", "figure", "findings", "statement"}
OF_TABLES = [name for name in STEPS if name not in WITH_OTHERS]


def main_of(step: str) -> str:
    """Return where the function of a step stands, as ``module:name``.

    Examples:
        >>> main_of("quantile")
        'fidelity_study.steps.quantile:main'
    """
    return f"fidelity_study.{MAINS.get(step, f'steps.{step}:main')}"


def file_of(place: str) -> Path:
    """Return the file of a place ``module:name``."""
    return SOURCE.joinpath(*place.partition(":")[0].split(".")).with_suffix(".py")


def code_of(step: str) -> list[Path]:
    """Return the script that runs all steps, and the file where a step's function stands."""
    return [ROOT / "scripts/step.py", file_of(main_of(step))]


class Table(NamedTuple):
    """A table of a step.

    Attributes:
        step: that makes it.
        path: below its dataset's folder, with wildcards in braces; Parquet unless it says CSV.
        schema: its name in the step's module, or ``module:NAME`` below ``fidelity_study``; that of
            the table in capitals where it is empty.
        shown: what report and figures call its rows, if not as the table is called.
        csv: whether it is written as CSV, too.
    """

    step: str
    path: str
    schema: str = ""
    shown: str = ""
    csv: bool = False

    @property
    def name(self) -> str:
        """What its file is called without the wildcard, else its folder; so it is among outputs."""
        path = PurePath(self.path)
        return re.sub(r"_?n?{\w+}", "", path.stem) or path.parent.name

    @property
    def files(self) -> dict[str, str]:
        """Its paths, by their names among the outputs of the step's rule."""
        if self.path.endswith(".csv"):
            return {self.name: self.path}
        beside = {f"{self.name}_csv": f"{self.path}.csv"} if self.csv else {}
        return {self.name: f"{self.path}.parquet"} | beside

    @property
    def place(self) -> str:
        """Where its schema stands: ``module:NAME``."""
        schema = self.schema or self.name.upper()
        return f"fidelity_study.{'' if ':' in schema else f'steps.{self.step}:'}{schema}"

    def read_schema(self) -> pa.Schema:
        """Return its schema; the module where it stands is imported only now."""
        return resolve_name(self.place)


MEASURING = {
    "mean_discrepancy": "of_shares",
    "envelope": "of_new_questions",
    "structure": "of_relations",
    "regressions": "of_regressions",
    "effects": "of_effects",
    "twins": "of_persons",
    "hybrids": "of_interviews",
    "calibration": "of_probabilities",
}
"""The steps that measure a use of simulators, and the table that each writes."""

_READ = [
    Table("ingest", "scenarios", "tables.ingest:SCENARIOS"),
    Table("ingest", "respondents", "tables.ingest:RESPONDENTS"),
    Table("ingest_tabular_given", "given", "tables.ingest:GIVEN"),
    Table("nonresponse", "nonresponse", csv=True),
    Table("proper_scores", "comparison/proper_scores", csv=True),
    Table("bootstrap", "bootstrap/n{n}", "HUMAN_SAMPLE", "people"),
    Table("bootstrap_simulators", "bootstrap/simulators", "SIMULATED_SAMPLE", "simulated"),
    Table("quantile", "quantile/n{n}", shown="curves"),
    Table("quantile", "quantile/summary_n{n}", shown="summaries"),
    Table("envelope", "envelope/curves", "ENVELOPE", "envelope"),
    Table("envelope", "envelope/shares", "ENVELOPE_SHARES", "envelope_shares", csv=True),
    Table("mean_discrepancy", "comparison/mean_discrepancy", csv=True),
    Table("mean_discrepancy", "comparison/mean_differences", csv=True),
    Table("mean_discrepancy", "comparison/by_cluster", csv=True),
    Table("mean_discrepancy", "comparison/lists", "steps.limits:LISTS", csv=True),
    Table("mean_discrepancy", "comparison/limits", "steps.limits:LIMITS"),
    Table("people_reference", "comparison/people_reference", csv=True),
    Table("groups", "comparison/by_group", csv=True),
    Table("groups", "comparison/between_groups", csv=True),
    Table("structure", "structure/structure", csv=True),
    Table("structure", "structure/associations", csv=True),
    Table("structure", "structure/scales", "steps.spread:SCALES", csv=True),
    Table("structure", "structure/dispersion", "steps.spread:DISPERSION", csv=True),
    Table("structure", "structure/group_differences", "steps.spread:GROUP_DIFFERENCES", csv=True),
    Table("twins", "structure/twins", csv=True),
    Table("effects", "effects/effects", csv=True),
    Table("effects", "effects/effect_summary", csv=True),
    Table("effects", "effects/effect_plan", csv=True),
    Table("regressions", "regressions/slopes", csv=True),
    Table("regressions", "regressions/regressions", csv=True),
    Table("uses", "uses/uses", "tables.uses:CARD", csv=True),
    Table("vectors", "vectors/told", shown="told_shares", csv=True),
    Table("vectors", "vectors/distances", csv=True),
    Table("vectors", "vectors/features", "steps.points_shown:FEATURES", "telling_features", True),
    Table("vectors", "vectors/examples", "steps.points_shown:EXAMPLES", csv=True),
    Table("vectors", "vectors/projection", "steps.points_shown:PROJECTION"),
    Table("vectors", "vectors/paths", "steps.points_shown:PATHS"),
    Table("calibration", "calibration/scores", "CALIBRATION", "calibration_scores", csv=True),
    Table("calibration", "calibration/reliability"),
    Table("intervals", "calibration/intervals", csv=True),
    Table("plan", "plan/means", "MEAN_PLANS", "mean_plans", csv=True),
    Table("plan", "plan/plans", csv=True),
    Table("plan", "plan/iso_width"),
    Table("prompts", "comparison/prompts", csv=True),
    Table("sequence", "comparison/sequence", shown="looks", csv=True),
    Table("sequence", "comparison/drift", csv=True),
    Table("new_questions", "predict/questions", shown="new_questions"),
    Table("target", "target/means", shown="target", csv=True),
    Table("predict", "predict/predictions", csv=True),
    Table(
        "predict",
        "predict/held_out",
        "steps.held_out:HELD_OUT",
        shown="held_out_predictions",
        csv=True,
    ),
    Table("predict", "predict/nearest", "steps.likeness:NEAREST", shown="nearest_asked", csv=True),
    Table("correct", "comparison/corrections", "steps.corrections:CORRECTIONS", csv=True),
    Table("hybrids", "comparison/hybrids", csv=True),
]
SHOWN = {table.shown or table.name: table for table in _READ}
"""The tables that report and figures read, by what they are called there."""

TABLES = [
    *_READ,
    *(
        Table("ingest", name, f"tables.ingest:{name.upper()}")
        for name in INGESTED
        if name not in SHOWN
    ),
    Table("simulate", "simulate/{asked}", "ask.collect:ASKED"),
    Table("answers", "simulate/outcomes", "tables.ingest:OUTCOMES"),
    Table("answers", "simulate/stated", "tables.ingest:STATED"),
    Table("answers", "simulate/stated_by_persona", "tables.ingest:STATED_BY_PERSONA"),
    Table("answers", "simulate/missing", "tables.ingest:MISSING"),
    Table("summary", "summary.csv"),
    Table("confidence_set", "confidence_set/n{n}"),
    Table("pseudo_discrepancy", "pseudo_discrepancy/n{n}"),
    Table("guarantee", "guarantee/n{n}"),
    Table("guarantee", "guarantee/levels_n{n}", "LEVEL"),
    Table("sample_size", "sample_size"),
    Table("envelope", "envelope/pairs", "steps.pairwise:PAIRWISE"),
    Table("pairwise", "pairwise/n{n}"),
    Table("comparison", "comparison/curves", "COMPARISON"),
    Table("comparison", "comparison/shares.csv"),
    Table("structure", "structure/pair_tables", csv=True),
    *(Table(step, f"uses/{name}", "tables.uses:MEASURED") for step, name in MEASURING.items()),
    Table("twins", "structure/twins_by", csv=True),
    Table("error_bars", "comparison/means"),
    Table("error_bars", "comparison/differences", csv=True),
    Table("error_bars", "comparison/ranks"),
    Table("variance", "comparison/variance", csv=True),
    Table("vectors", "vectors/curves", csv=True),
    Table("new_questions", "predict/outcomes", "tables.ingest:OUTCOMES"),
    Table("new_questions", "predict/stated", "tables.ingest:STATED"),
    Table("new_questions", "predict/features"),
    Table("target", "target/curves"),
    Table("target", "target/balance", csv=True),
    Table("correct", "correct/stated", "steps.corrections:CORRECTED"),
]
TABLES_OF_EVALUATIONS = [
    Table("evaluation_scores", "scores", "reading.evals.rows:SCORES"),
    Table("evaluation_scores", "logs", "reading.evals.rows:LOGS", csv=True),
    *(Table("evaluation", name, csv=True) for name in ("missing", "means", "differences", "power")),
    Table("evaluation", "uses", "tables.uses:OF_SCORES", csv=True),
]
