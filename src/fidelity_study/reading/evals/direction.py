"""Whether a higher score is better, as far as files say it."""

import re
from collections.abc import Collection, Sequence

from fidelity_study.errors import Fault, Part, Remedy, fault
from fidelity_study.reading.tabular.words import GAINS, KNOWN_HIGHER, LOSSES, WORDS_OF_LOSSES

HIGHER, LOWER = "higher", "lower"
SHARES = {
    *("error", "errors", "err", "brier", "ece", "rps", "toxic", "toxicity", "rate"),
    *("hallucination", "hallucinations", "refusal", "refusals"),
}
"""Words of losses that are from 0 to 1."""
ENDLESS = {"wer", "cer", "ter", "mae", "mse", "rmse", "mape", "crps", "perplexity", "ppl"}
ENDLESS |= {"pinball", "nll", "logloss"}
UNITS = {"word", "character", "char", "phoneme", "token", "translation"}
RANKS = {"rank", "position", "place"}
BESIDE = {"is", "was", "mean", "avg", "rate", "test", "eval"}
BESIDE_LOSSES = BESIDE | {"log", "cross", "entropy", "squared", "absolute", "token", "word"}
BESIDE_LOSSES |= {"pinball", "quantile"}
BESIDE_GAINS = BESIDE | {"exact", "match", "judge", "at", "answer", "response", "context"}
BESIDE_GAINS |= {"entity", "factual", "semantic", "geval", "conversational", "dag"}
"""Words that change no direction."""


def suggests_lower(name: str) -> bool:
    """Return whether a score's name may be that of errors, of which fewer are better."""
    return not WORDS_OF_LOSSES.isdisjoint(_words(name))


def is_turned(name: str, numbers: Collection[float]) -> bool:
    """Return whether scores called after a loss may grow as it shrinks: so called, or none above 0.

    Examples:
        >>> is_turned("neg_log_loss", []), is_turned("error_free", [0, 1]), is_turned("loss", [-2])
        (True, True, True)
    """
    words = _words(name)
    are_negative = max(numbers, default=0) <= 0 and any(numbers)
    return words[0] in {"neg", "negative"} or words[-1] == "free" or are_negative


def is_share(name: str) -> bool:
    """Return whether a loss is from 0 to 1 by its name."""
    return not SHARES.isdisjoint(_words(name))


def has_no_end(name: str) -> bool:
    """Return whether a loss is 0 or more by its name, and may be of any size.

    >>> has_no_end("WER"), has_no_end("Word Error Rate (%)"), has_no_end("error_rate")
    (True, True, False)
    """
    words = {*_words(name)}
    return bool(words & ENDLESS or ({"error", "rate"} <= words and words & UNITS))


def of_table(name: str, numbers: Collection[float] = ()) -> str | None:
    """Return which score is better by the name of a table's column; None where it doesn't say.

    Of a loss without numbers above 0 it doesn't.

    Examples:
        >>> of_table("is_correct"), of_table("brier_score"), of_table("toxicity_score")
        ('higher', 'lower', None)
    """
    words = {word for word in _words(name) if word}
    if words & LOSSES and words <= LOSSES | BESIDE_LOSSES | {"score"}:
        return None if is_turned(name, numbers) else LOWER
    is_gain = words & GAINS and words <= GAINS | BESIDE_GAINS
    return HIGHER if is_gain else by_name(name)


def _words(name: str) -> list[str]:
    return re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def by_name(name: str) -> str | None:
    """Return that higher is better for scores of well-known names; None of others.

    A column of a table that is called score has scores of which higher are better.
    """
    return HIGHER if name.lower() in KNOWN_HIGHER else None


def unknown(paths: Sequence[str], score: str, why: str) -> Fault:
    """Return the fault that asks which score of some files is better."""
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    because = f": {why}" if why else ""
    what = f"does not say whether a higher or a lower {score} is better{because}; say it"
    likely = "" if why else LOWER if suggests_lower(score) else HIGHER
    return fault("direction-unknown", what, *which(likely), file=f"{paths[0]}{more}")


def which(likely: str = "") -> tuple[Part, ...]:
    """Return the end of a question for the better score; none is proposed unless one is likely."""
    first, second = (
        Remedy({"better": name}, is_sure=bool(likely))
        for name in sorted((HIGHER, LOWER), key=lambda name: name != likely)
    )
    return ": ", first, " or ", second
