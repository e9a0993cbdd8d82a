"""The steps of a dataset and of an evaluation: which there are, and what each depends on."""

from collections.abc import Callable
from operator import itemgetter
from typing import NamedTuple

from fidelity_study.reading.settings import NUMBERS, POINTS

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
    "smoothed plan calibration test eta tolerance stand_in_share curves sequential predict groups "
    "scales effects"
)
STEPS = {
    "ingest": _without_curves(
        "ingest seed outcome cluster clustered simulators draws weighting_effect options curves "
        "by_respondent unasked"
    ),
    "ingest_tabular_given": _without_curves("", _distributions),
    "simulate": Step("", at=_asked, needs_curves=False),
    "answers": _without_curves("asked", itemgetter("asked")),
    "summary": Step("n eta"),
    "nonresponse": _without_curves("simulators asked"),
    "bootstrap": Step("seed n replicates", at=_every_n),
    "bootstrap_simulators": Step("seed simulators k replicates"),
    "confidence_set": Step("seed outcome n gamma pairs", at=_every_n),
    "pseudo_discrepancy": Step("pairs smoothed", at=_every_n),
    "quantile": Step("n gamma index eta", at=_every_n),
    "guarantee": Step("seed n gamma index eta target", at=_last_n),
    "target": Step(
        "seed ingest outcome cluster weighting_effect options simulators gamma pairs smoothed test "
        "target_questions",
        itemgetter("target_questions"),
    ),
    "sample_size": Step("seed simulators eta"),
    "envelope": Step("seed outcome n simulators pairs compared smoothed tolerance eta", _envelope),
    "pairwise": Step("simulators compared comparison smoothed", at=_compared_n),
    "comparison": Step("n comparison index eta"),
    "mean_discrepancy": Step("seed simulators pairs smoothed test tolerance"),
    "people_reference": Step("pairs smoothed test"),
    "groups": Step("seed simulators pairs smoothed test groups", itemgetter("groups")),
    "structure": Step("seed outcome simulators clustered groups scales test"),
    "twins": Step("seed clustered groups test"),
    "effects": _without_curves(
        "outcome simulators clustered groups effects test", itemgetter("effects")
    ),
    "hybrids": Step("seed pairs smoothed test hybrids", itemgetter("hybrids")),
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
    "calibration": _without_curves("seed simulators calibration test", _calibration),
    "intervals": _without_curves("simulators calibration test", _intervals),
    "plan": Step("seed simulators pairs smoothed test plan", itemgetter("plan")),
    "figure": _without_curves(WORDS),
    "findings": _without_curves(WORDS),
    "statement": _without_curves(f"{WORDS} about"),
}
OF_EVALUATIONS = {
    "evaluation_scores": "evals",
    "evaluation": "evals baseline margin standard_error unpaired test",
    "evaluation_findings": "title evals baseline margin standard_error test",
}
WITH_OTHERS = {"ingest", "ingest_tabular_given", "figure", "findings", "statement"}
OF_TABLES = [name for name in STEPS if name not in WITH_OTHERS]
