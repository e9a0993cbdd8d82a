"""What is wrong in the files of scores that evaluations name, told before anything runs."""

from collections.abc import Mapping, Set

from fidelity_study.config.kept import kept_or_read
from fidelity_study.config.texts import said
from fidelity_study.errors import ErrorList, Fault, there_are
from fidelity_study.reading.evals.files import files_of, missing_patterns
from fidelity_study.root import ROOT

SCRIPT = ROOT / "scripts" / "evaluation_scores.py"
KEPT = "fidelity_models"


def score_faults(evaluations: Mapping[str, dict], refused: Set[str]) -> list[Fault]:
    """Return what is wrong.

    Args:
        evaluations: name -> settings, complete.
        refused: where settings were refused; evals that are read by these are not read.
    """
    faults = ErrorList()
    for name, settings in evaluations.items():
        models: set[str] = set()
        for each, own in settings["evals"].items():
            place = f"evaluations.{name}.evals.{each}"
            known = not any(f"{refusal}.".startswith(f"{place}.") for refusal in refused)
            if known and not missing_patterns(own) and own["range"][0] < own["range"][1]:
                with faults.collected():
                    models |= set(_models(each, own))
        baseline = settings["baseline"]
        if models and not faults.faults and baseline not in {None, *models}:
            place, there = f"evaluations.{name}.baseline", there_are(baseline, sorted(models))
            faults.faults.append(said("no-such-model", place, name=baseline, there=there))
    return faults.faults


def _models(name: str, settings: dict) -> list[str]:
    """Return the models of an eval's files."""

    def read() -> dict:
        from fidelity_study.reading.evals.read import read_eval

        logs = read_eval(name, settings)
        return {"models": sorted({each.model for log in logs for each in log.samples})}

    found: list[str] = kept_or_read(KEPT, SCRIPT, files_of(settings), settings, read)["models"]
    return found
