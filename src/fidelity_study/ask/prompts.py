"""What to ask: one prompt for each scenario, respondent and draw, planned before anything is asked.

A prompt depends on its own scenario, respondent and draw only, so that more respondents, draws or
scenarios leave the others' prompts, and the answers to them, as they are.
"""

import hashlib
import json
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from fidelity.stream import stream
from fidelity_study.errors import DataError
from fidelity_study.reading.ingest.parse import LETTERS, MOST_OPTIONS

ANSWERS, PROBABILITIES, POPULATION = "answers", "probabilities", "population"
PLACEHOLDERS = ("{question}", "{options}", "{persona}", "{population}")


@dataclass(frozen=True)
class Scenario:
    """A question, its options' codes and texts, and who its real respondents are.

    ``personas`` maps each persona to how many respondents it describes; it may be empty.
    """

    name: str
    question: str
    values: list[float]
    options: list[str]
    personas: dict[str, float]


@dataclass(frozen=True)
class Prompt:
    """A request to a model, and what its answer will stand for.

    Attributes:
        order: the options' codes as shown, the first one as A.
        request: the parameters of a chat completion.
        key: a hash of all that determines the answer.
    """

    scenario: str
    respondent: int
    persona: str
    draw: int
    order: list[float]
    shown: list[str]
    request: dict
    key: str


def plan(step: dict, scenarios: list[Scenario]) -> list[Prompt]:
    """Return every prompt of a simulator, see :func:`each_prompt`."""
    return list(each_prompt(step, scenarios))


def each_prompt(step: dict, scenarios: list[Scenario]) -> Iterator[Prompt]:
    """Yield every prompt of a simulator, in the order of scenarios, respondents and draws.

    Args:
        step: ``seed``, ``dataset`` and ``asks``, how to ask.
        scenarios: what to ask.

    Raises:
        DataError: if a scenario has more options than there are letters.
    """
    for scenario in scenarios:
        yield from _prompts(step, scenario)


def _prompts(step: dict, scenario: Scenario) -> Iterator[Prompt]:
    asks, key = step["asks"], (step["seed"], step["dataset"], scenario.name)
    if len(scenario.values) > MOST_OPTIONS:
        raise DataError(
            f"dataset {step['dataset']}, scenario {scenario.name!r} has {len(scenario.values)} "
            f"options; a model can be asked for at most {MOST_OPTIONS}: drop the scenario, or the "
            "simulators under simulate"
        )
    many, draws = turns(asks)
    personas = {} if asks["mode"] == POPULATION else scenario.personas
    people = respondents(personas, many, *key)
    orders = option_orders(len(scenario.values), many, *key)
    for respondent, (persona, order) in enumerate(zip(people, orders, strict=True)):
        shown = [scenario.options[i] for i in order]
        texts = (scenario.question, shown, persona, asks.get("population"))
        sent = messages(asks["system"], asks["prompt"], *texts)
        for draw in range(draws):
            seed = int(stream(*key, respondent, draw, "answer").integers(2**31))
            request = request_for(asks, sent, seed)
            yield Prompt(
                scenario=scenario.name,
                respondent=respondent,
                persona=persona,
                draw=draw,
                order=[scenario.values[i] for i in order],
                shown=shown,
                request=request,
                key=content_key(request, None if asks["mode"] == PROBABILITIES else seed),
            )


def turns(asks: dict) -> tuple[int, int]:
    """Return how many respondents there are in a scenario, and how often each of them is asked.

    Each time that a population's shares are asked for is a respondent, with its own order.
    """
    if asks["mode"] == POPULATION:
        return asks["draws"], 1
    return asks["personas"], asks["draws"]


def respondents(personas: dict[str, float], many: int, *key: str | int) -> list[str]:
    """Draw personas, with replacement, as often as they occur among the real respondents.

    The first ones stay when more are drawn. Without personas all are empty texts.
    """
    if not personas:
        return [""] * many
    names = sorted(personas)
    ends = list(accumulate(personas[name] for name in names))
    places = stream(*key, "personas").random(many) * ends[-1]
    return [names[min(bisect_right(ends, place), len(names) - 1)] for place in places]


def option_orders(d: int, many: int, *key: str | int) -> list[list[int]]:
    """Return an order of ``d`` options for each of ``many`` respondents.

    Of every ``d`` respondents in a row, each option stands at each place once: a random order is
    rotated, so that a liking for a place cancels. The first orders stay when there are more.
    """
    orders = []
    for first in range(0, many, d):
        base = stream(*key, "order", first // d).permutation(d).tolist()
        orders += [base[turn:] + base[:turn] for turn in range(d)]
    return orders[:many]


def messages(
    system: str,
    template: str,
    question: str,
    shown: list[str],
    persona: str,
    population: str | None = None,
) -> list[dict[str, str]]:
    """Fill the template in; a line that speaks of the persona is left out if there is none.

    Where no population is known, ``{population}`` stays as it is.
    """
    if not persona:
        template = "\n".join(line for line in template.split("\n") if "{persona}" not in line)
    options = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, shown, strict=False))
    filled = {"{question}": question, "{options}": options, "{persona}": persona}
    if population is not None:
        filled["{population}"] = population
    user = re.sub("|".join(map(re.escape, filled)), lambda match: filled[match[0]], template)
    instructions = [{"role": "system", "content": system}] if system else []
    return [*instructions, {"role": "user", "content": user}]


def request_for(asks: dict, sent: list[dict], seed: int) -> dict:
    """Return the parameters of a chat completion; ``extra`` overrides, and null leaves one out."""
    sampled = {
        "temperature": asks["temperature"],
        "max_tokens": asks["max_tokens"],
        "seed": seed,
    }
    next_token = {"temperature": 0.0, "max_tokens": 1, "logprobs": True, "top_logprobs": 20}
    sampling = next_token if asks["mode"] == PROBABILITIES else sampled
    request = {"model": asks["model"], "messages": sent, **sampling, **asks["extra"]}
    return {name: value for name, value in request.items() if value is not None}


def content_key(request: dict, seed: int | None) -> str:
    """Return a hash of all that determines an answer; the endpoint's address is not part of it.

    The seed is, even where the endpoint is not told it: it tells draws apart. Next-token
    probabilities have none, so that the same prompt is asked once.
    """
    content = json.dumps([request, seed], sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()


def scenarios_from(scenarios, personas) -> list[Scenario]:
    """Return what to ask from the tables ``scenarios`` and ``personas``."""
    people: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    who = (personas[name].to_pylist() for name in ("scenario", "persona", "count"))
    for scenario, persona, count in zip(*who, strict=True):
        people[scenario][persona] += count
    columns = ("scenario", "question", "value", "option")
    rows = zip(*(scenarios[name].to_pylist() for name in columns), strict=True)
    return [
        Scenario(name, question, values, options, people[name])
        for name, question, values, options in rows
    ]
