"""What an endpoint sends as a chat completion, looked at before it is believed.

The library openai hands on whatever came, of any shape; a proxy or a server of one's own may send
anything.
"""

from math import exp, isnan
from typing import Any

MOST_TOKENS = 2**40
MOST_LETTERS = 2**20
ROUNDING, MOST_PROBABILITY = 1e-3, 1.01


class NoCompletionError(ValueError):
    """What came is no chat completion."""


class NoLogProbabilitiesError(ValueError):
    """A chat completion lacks the log-probabilities that were asked for; the text says so."""


def parts_of(response: Any, *, with_logprobs: bool) -> dict:
    """Return ``text, refused, finish_reason, tokens, logprobs, usage, model`` of a response.

    ``usage`` is (tokens of the prompt, tokens of the answer), None where they are not told.

    Raises:
        NoCompletionError: if it has another shape.
        NoLogProbabilitiesError: if they are wanted and missing.
    """
    try:
        choice = response.choices[0]
        content, refusal = choice.message.content, getattr(choice.message, "refusal", None)
        tokens, logprobs = _top(choice) if with_logprobs else (None, None)
    except (AttributeError, LookupError, TypeError):
        raise NoCompletionError from None
    finish_reason, model = getattr(choice, "finish_reason", None), getattr(response, "model", None)
    texts = (content, refusal, finish_reason, model)
    if not (
        all(text is None or (type(text) is str and len(text) < MOST_LETTERS) for text in texts)
        and all(type(token) is str for token in tokens or [])
        and all(_is_log_probability(logprob) for logprob in logprobs or [])
    ):
        raise NoCompletionError
    if (total := sum(map(exp, logprobs or []))) > MOST_PROBABILITY:
        raise NoLogProbabilitiesError(
            f"gives log-probabilities of tokens whose probabilities sum to {total:.3g}, which none"
            " do"
        )
    return {
        "text": content or refusal or "",
        "refused": bool(refusal),
        "finish_reason": finish_reason,
        "tokens": tokens,
        "logprobs": logprobs,
        "usage": usage_of(response, "prompt_tokens", "completion_tokens"),
        "model": model or "",
    }


def _top(choice) -> tuple[list, list]:
    """Return the likeliest first tokens and their log-probabilities."""
    content = choice.logprobs.content if choice.logprobs else None
    if not content or not content[0].top_logprobs:
        raise NoLogProbabilitiesError("gives no log-probabilities")
    top = content[0].top_logprobs
    return [token.token for token in top], [token.logprob for token in top]


def _is_log_probability(value: Any) -> bool:
    return type(value) in (int, float) and not isnan(value) and value < ROUNDING


def usage_of(response: Any, *names: str) -> tuple[int, int] | tuple[None, None]:
    """Return two numbers of tokens that a response tells by name, both None if one is missing."""
    usage = getattr(response, "usage", None)
    prompt, answer = (getattr(usage, name, None) for name in names)
    sound = all(type(count) is int and 0 <= count < MOST_TOKENS for count in (prompt, answer))
    return (prompt, answer) if sound else (None, None)
