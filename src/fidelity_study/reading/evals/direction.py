"""Whether a higher score is better, as far as files say it."""

import re
from collections.abc import Sequence

from fidelity_study.errors import IN_CONFIG, Fault, Remedy, fault

HIGHER, LOWER = "higher", "lower"
KNOWN_HIGHER = {
    *("acc", "accuracy", "exact_match", "em", "f1", "precision", "recall", "correct"),
    *("acc_norm", "acc_mutual_info", "acc_all", "mcc", "bleu", "chrf", "rouge"),
    *("right", "passed", "solved", "score"),
}
WORDS_OF_LOSSES = {
    *("error", "errors", "err", "loss", "nll", "perplexity", "ppl", "bits", "surprisal"),
    *("brier", "mae", "mse", "rmse", "wer", "cer", "ter", "ece", "distance", "edit"),
    *("toxic", "toxicity", "hallucination", "hallucinations", "refusal", "refusals", "refused"),
    *("latency", "cost", "violation", "violations", "failure", "failures", "wrong", "incorrect"),
    *("logloss", "mistake", "mistakes", "crps", "rps", "mape", "deviance", "divergence"),
    *("hallucinated", "hallucinates", "harm", "harmful", "failed", "misses", "regret", "penalty"),
}


WHICH = (IN_CONFIG, ": ", Remedy({"better": HIGHER}), " or ", Remedy({"better": LOWER}))


def suggests_lower(name: str) -> bool:
    """Return whether a score's name may be that of errors, of which fewer are better."""
    words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return not WORDS_OF_LOSSES.isdisjoint(words)


def by_name(name: str) -> str | None:
    """Return that higher is better for scores of well-known names; None of others.

    A column of a table that is called score has scores of which higher are better.
    """
    return HIGHER if name.lower() in KNOWN_HIGHER else None


def unknown(paths: Sequence[str], score: str, why: str) -> Fault:
    """Return the fault that asks which score of some files is better."""
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    what = f"does not say whether a higher or a lower {score} is better{why}; say it"
    return fault("direction-unknown", what, *WHICH, file=f"{paths[0]}{more}")
