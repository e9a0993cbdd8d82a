"""From raw answers to tables: what each prompt got, and what a simulator says of each scenario.

Tables:
    ASKED: a row per prompt to a language model and draw: `scenario`, `respondent` (a number),
        `persona`, `draw`, `mode`, `order` (option codes as shown, the first as A), `key` and
        `request` (all that determines the answer), `text` (raw answer), `tokens` and `logprobs`
        (the likeliest first tokens), `value` (option chosen), `share` (probability of each option
        shown, given that a letter comes next), `elsewhere` (probability of all else), `total` (of a
        population's shares, what they summed to as stated), `reason` (`refused` or `unparsable`,
        else empty), `finish_reason` (how the answer ended, as the endpoint reports it),
        `prompt_tokens`, `completion_tokens` (empty if the endpoint does not tell), `model` (as the
        endpoint reports it)
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import exp

import pyarrow as pa

from fidelity_study.ask.prompts import ANSWERS, POPULATION, PROBABILITIES, Prompt
from fidelity_study.ask.store import LONGEST_SAMPLE
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.parse import (
    REFUSED,
    UNPARSABLE,
    letter_shares,
    parse,
    stated_shares,
)
from fidelity_study.tables.common import LABEL, NUMBERS, columns
from fidelity_study.tables.ingest import MISSING, OUTCOMES, STATED, STATED_BY_PERSONA
from fidelity_study.tables.read_write import read, write_rows

CUT = "length"
"""What endpoints call the end of an answer that met the limit of its tokens."""
ASKED = pa.schema(
    [
        ("scenario", LABEL),
        ("respondent", pa.int32()),
        ("persona", LABEL),
        ("draw", pa.int32()),
        ("mode", LABEL),
        ("order", NUMBERS),
        *columns(pa.string(), "key", "request", "text"),
        ("tokens", pa.list_(pa.string())),
        ("logprobs", NUMBERS),
        ("value", pa.float64()),
        ("share", NUMBERS),
        *columns(pa.float64(), "elsewhere", "total"),
        *columns(LABEL, "reason", "finish_reason"),
        *columns(pa.int64(), "prompt_tokens", "completion_tokens"),
        ("model", LABEL),
    ]
)


def read_asked(simulators: list[str], paths: Iterable[str]) -> dict[str, pa.Table]:
    """Return what each prompt of each simulator got."""
    return {name: read(path, ASKED) for name, path in zip(simulators, paths, strict=True)}


def asked_table(prompts: list[Prompt], answers: dict[str, dict], mode: str) -> pa.Table:
    """Return a row of ``ASKED`` for each prompt; ``answers`` holds the raw answer by its key."""
    rows = [_row(prompt, answers[prompt.key], mode) for prompt in prompts]
    return pa.Table.from_pylist(rows, ASKED)


def _row(prompt: Prompt, answer: dict, mode: str) -> dict:
    return {
        "scenario": prompt.scenario,
        "respondent": prompt.respondent,
        "persona": prompt.persona,
        "draw": prompt.draw,
        "mode": mode,
        "order": prompt.order,
        "key": prompt.key,
        "request": answer["request"],
        "text": answer["text"],
        "tokens": answer["tokens"],
        "logprobs": answer["logprobs"],
        "value": None,
        "share": None,
        "elsewhere": None,
        "reason": None,
        "total": None,
        **_read(prompt, answer, mode),
        "finish_reason": answer["finish_reason"],
        "prompt_tokens": answer["prompt_tokens"],
        "completion_tokens": answer["completion_tokens"],
        "model": answer["model"],
    }


def _read(prompt: Prompt, answer: dict, mode: str) -> dict:
    return {"reason": REFUSED} if answer["refused"] else READ[mode](prompt, answer)


def is_cut(mode: str, prompt: Prompt, answer: dict) -> bool:
    """Return whether an answer met the limit of its tokens before it said anything readable."""
    ended = mode != PROBABILITIES and answer["finish_reason"] == CUT
    return ended and _read(prompt, answer, mode)["reason"] is not None


def _chosen(prompt: Prompt, answer: dict) -> dict:
    position, reason = parse(answer["text"], prompt.shown)
    return {"value": None if position is None else prompt.order[position], "reason": reason}


def _stated(prompt: Prompt, answer: dict) -> dict:
    top = zip(answer["tokens"], map(exp, answer["logprobs"]), strict=True)
    share, elsewhere = letter_shares(list(top), len(prompt.order))
    return {
        "share": share,
        "elsewhere": elsewhere,
        "reason": UNPARSABLE if share is None else None,
    }


def _of_all(prompt: Prompt, answer: dict) -> dict:
    share, total, reason = stated_shares(answer["text"], prompt.shown)
    return {"share": share, "total": None if reason else total, "reason": reason}


READ = {ANSWERS: _chosen, PROBABILITIES: _stated, POPULATION: _of_all}


def outcomes(simulator: str, asked: pa.Table) -> list[dict]:
    """Count the options chosen, as rows of ``OUTCOMES``."""
    columns = (asked[name].to_pylist() for name in ("scenario", "value"))
    chosen = Counter(pair for pair in zip(*columns, strict=True) if pair[1] is not None)
    return [
        {"scenario": scenario, "source": simulator, "value": value, "count": float(count)}
        for (scenario, value), count in sorted(chosen.items())
    ]


def stated(simulator: str, asked: pa.Table) -> list[dict]:
    """Average the stated probabilities over respondents, as rows of ``STATED``."""
    return _averaged(simulator, asked, ["scenario"])


def stated_by_persona(simulator: str, asked: pa.Table) -> list[dict]:
    """Average them over the respondents of each persona, as rows of ``STATED_BY_PERSONA``."""
    return _averaged(simulator, asked, ["scenario", "persona"])


def _averaged(simulator: str, asked: pa.Table, keys: list[str]) -> list[dict]:
    total: dict[tuple, float] = defaultdict(float)
    people: Counter[tuple] = Counter()
    columns = (asked[name].to_pylist() for name in ("order", "share", *keys))
    for order, share, *who in zip(*columns, strict=True):
        if share is not None:
            people[*who] += 1
            for value, probability in zip(order, share, strict=True):
                total[*who, value] += probability
    return [
        {
            **dict(zip(keys, who, strict=True)),
            "source": simulator,
            "value": value,
            "probability": probability / people[*who],
            "statements": float(people[*who]),
        }
        for (*who, value), probability in sorted(total.items())
    ]


def missing(simulator: str, asked: pa.Table) -> list[dict]:
    """Count refusals and unparsable answers, as rows of ``MISSING``."""
    columns = (asked[name].to_pylist() for name in ("scenario", "reason"))
    lost = Counter(pair for pair in zip(*columns, strict=True) if pair[1] is not None)
    return [
        {"scenario": scenario, "source": simulator, "reason": reason, "count": float(count)}
        for (scenario, reason), count in sorted(lost.items())
    ]


def check_usable(simulator: str, asked: pa.Table) -> None:
    """Raise :class:`DataError` if a simulator has no usable answer in any scenario."""
    reasons = Counter(asked["reason"].to_pylist())
    if None not in reasons:
        beside = POPULATION in asked["mode"].to_pylist()
        said = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        text, _ = Counter(asked["text"].to_pylist()).most_common(1)[0]
        ends = zip(*(asked[name].to_pylist() for name in ("mode", "finish_reason")), strict=True)
        cut = sum(mode != PROBABILITIES and end == CUT for mode, end in ends)
        longer = f", {cut} of them cut at the limit of their tokens" if cut else ""
        way = "raise max_tokens or change its prompt" if cut else "change its prompt"
        raise DataError(
            f"simulator {simulator!r} gave no usable answer in any scenario ({said}{longer}); most "
            f"often it said {text[:LONGEST_SAMPLE] or 'nothing'!r}; all its answers are in "
            f"results/<dataset>/simulate/{simulator}.parquet; {way}, or "
            f"take it away from simulate{' (its key population)' if beside else ''}"
        )


def main(snakemake):
    """Count the answers of all language models asked."""
    step = snakemake.params.step
    asked = read_asked(step["asked"], snakemake.input)
    for simulator, table in asked.items():
        check_usable(simulator, table)
    made = {
        "outcomes": (outcomes, OUTCOMES),
        "stated": (stated, STATED),
        "stated_by_persona": (stated_by_persona, STATED_BY_PERSONA),
        "missing": (missing, MISSING),
    }
    for name, (rows_of, schema) in made.items():
        rows = [row for simulator, table in asked.items() for row in rows_of(simulator, table)]
        write_rows(snakemake.output[name], rows, schema, step)
