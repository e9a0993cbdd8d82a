"""What asking language models will take, from the real prompts, before any of them is sent."""

import json
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from snakemake_interface_logger_plugins.common import LogEvent

from fidelity_study.ask.budget import (
    LIKELY_BYTES,
    LIKELY_PER_MESSAGE,
    Budget,
    is_told,
    likely_tokens,
    most_tokens,
    text_bytes,
    tokens_of,
)
from fidelity_study.ask.prompts import PROBABILITIES, Prompt, each_prompt, scenarios_from, turns
from fidelity_study.ask.store import KEPT, is_kept, kept
from fidelity_study.config.params import simulate_step
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError
from fidelity_study.tables.ingest import PERSONAS, SCENARIOS
from fidelity_study.tables.read_write import read

TABLES = {"scenarios.parquet": SCENARIOS, "personas.parquet": PERSONAS}
MOST_PROMPTS = 100_000
BY_KEPT = "as in the answers that are kept"
BY_BYTES = f"1 for each {LIKELY_BYTES} bytes, {LIKELY_PER_MESSAGE} for each message"


@dataclass(frozen=True)
class Forecast:
    """What asking a simulator will take.

    Attributes:
        prompts: how many different ones there are.
        kept: how many of them have an answer already.
        prompt: about how many tokens the others have.
        completion: about how many their answers have; None if these have no limit.
        is_measured: whether tokens are as in kept answers to such prompts. If not, prompts have
            those of English text, and answers as many as they may.
        cost: of these tokens; None if it is not known.
        used: what all answers that are kept have cost.
        suffices: whether the budget is enough.
        is_told: whether the endpoint reported the tokens of all answers that are kept.
    """

    prompts: int
    kept: int
    prompt: int = 0
    completion: int | None = 0
    is_measured: bool = False
    cost: float | None = None
    used: float = 0.0
    suffices: bool = True
    is_told: bool = True


@dataclass(frozen=True)
class Asked:
    """A simulator that a run asks.

    Attributes:
        words: what asking it will take, in a line.
        needs_model: False if all that is asked may be answered already.
    """

    dataset: str
    simulator: str
    words: str
    needs_model: bool


class Announcement(logging.Handler):
    """Prints forecasts as soon as Snakemake knows its jobs; after a dry run, below their list."""

    def __init__(self, foreseen: Callable[[], list[Asked]], is_dry: bool):
        """Take what returns the simulators that the run asks, once its jobs are known."""
        super().__init__()
        self._foreseen, self._is_dry = foreseen, is_dry
        self._lines: list[str] | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Take in one message of Snakemake's."""
        if getattr(record, "event", None) == LogEvent.RUN_INFO and self._lines is None:
            self._lines = [asked.words for asked in self._foreseen()]
            if not self._is_dry:
                self._print()

    def close(self) -> None:
        """End with the run."""
        if self._is_dry:
            self._print()
        super().close()

    def _print(self) -> None:
        for line in self._lines or ():
            print(line, file=sys.stderr)


def foreseen(study: Study, folder: str | Path, made: Mapping[str, str]) -> list[Asked]:
    """Return the simulators that a run asks.

    Args:
        study: with the models.
        folder: of its results.
        made: the files in this folder that the run makes, each with its rule.
    """
    return [
        _asked(study, Path(folder), made, dataset, simulator)
        for dataset, settings in study.datasets.items()
        for simulator in settings["asked"]
        if f"{dataset}/simulate/{simulator}.parquet" in made
    ]


def _asked(
    study: Study, folder: Path, made: Mapping[str, str], dataset: str, simulator: str
) -> Asked:
    asking = study.datasets[dataset]["simulate"][simulator]
    tables = [f"{dataset}/{name}" for name in TABLES]
    is_remade = any(table in made for table in tables)
    needs_model = not is_kept(KEPT / dataset / simulator)
    try:
        if gone := [table for table in tables if not (folder / table).exists()]:
            words = (
                f"{'at most ' if asking['mode'] == PROBABILITIES else ''}"
                f"{prod(turns(asking)):,} prompts for each question; how many "
                f"questions there are is known after a run with --until {made[gone[0]]}"
            )
        else:
            estimate = _from_tables(study, folder, dataset, simulator)
            words = in_words(estimate, asking["budget"])
            words += "; its tables are made anew before, which may change it" if is_remade else ""
            needs_model = needs_model if is_remade else estimate.kept < estimate.prompts
    except DataError as error:
        words = f"there is none, {error}"
    line = f"forecast of {dataset}, {simulator} (model {asking['model']}): {words}"
    return Asked(dataset, simulator, line, needs_model)


def _from_tables(study: Study, folder: Path, dataset: str, simulator: str) -> Forecast:
    """Return the forecast by what ingest made; DataError where that is not possible."""
    step = simulate_step(study, dataset, simulator)
    scenarios, personas = (read(folder / dataset / name, schema) for name, schema in TABLES.items())
    many = len(scenarios) * prod(turns(step["asks"]))
    if many > MOST_PROMPTS:
        raise DataError(
            f"since up to {many:,} prompts are more than the {MOST_PROMPTS:,} that are looked at "
            "before a run"
        )
    prompts = each_prompt(step, scenarios_from(scenarios, personas))
    return forecast(prompts, kept(KEPT / dataset / simulator)[1], step["runs"])


def forecast(prompts: Iterable[Prompt], answers: Mapping[str, dict], runs: dict) -> Forecast:
    """Return what asking a simulator takes.

    Args:
        prompts: all of the simulator.
        answers: those that are kept, by key.
        runs: ``price`` and ``budget``.
    """
    wanted = {prompt.key: prompt.request for prompt in prompts}
    left = [request for key, request in wanted.items() if key not in answers]
    limits, price = runs["budget"], runs["price"]
    used = tokens_of(answers.values())
    budget = Budget(limits.get("tokens"), limits.get("cost"), price, *used)
    estimate = Forecast(
        len(wanted),
        len(wanted) - len(left),
        used=budget.cost_of(*used),
        is_told=all(map(is_told, answers.values())),
    )
    if not left:
        return estimate
    alike = [row for row in answers.values() if _manner(_request(row)) == _manner(left[0])]
    prompt, completion = _measured(left, alike) if alike else _likely(left)
    estimate = replace(estimate, prompt=prompt, completion=completion, is_measured=bool(alike))
    if completion is None:
        return estimate
    return replace(
        estimate,
        cost=budget.cost_of(prompt, completion) if price else None,
        suffices=budget.fits(_bound(left, prompt, completion)),
    )


def in_words(estimate: Forecast, budget: dict) -> str:
    """Return a forecast in words; ``budget`` is the simulator's."""
    words = f"{estimate.prompts:,} prompts"
    if estimate.kept == estimate.prompts:
        return f"{words}, all of them answered already"
    words += f", {estimate.kept:,} of them answered already" if estimate.kept else ""
    prompt = f"about {_rounded(estimate.prompt)} prompt tokens"
    if estimate.completion is None:
        words += f"; {prompt} ({BY_BYTES}) and completion tokens without a limit"
    elif estimate.is_measured:
        words += f"; {prompt} and {_rounded(estimate.completion)} completion tokens ({BY_KEPT})"
    else:
        words += f"; {prompt} ({BY_BYTES}) and at most {estimate.completion:,} completion tokens"
    if estimate.cost is not None:
        words += f"; cost about {estimate.cost:.2g}"
        words += f", and {estimate.used:.2g} before" if estimate.used else ""
    if not estimate.is_told:
        words += "; the endpoint reported no tokens for kept answers, which count as the most there"
        words += " can be"
    if budget:
        is_enough = "is enough" if estimate.suffices else "is not enough: asking ends at it"
        words += f"; the budget, {_limits(budget)}, {is_enough}"
    return words


def _limits(budget: dict) -> str:
    tokens = [f"{budget['tokens']:,} tokens"] if "tokens" in budget else []
    return " and ".join([*tokens, *([f"cost {budget['cost']:g}"] if "cost" in budget else [])])


def _rounded(number: float) -> str:
    return f"{float(f'{number:.2g}'):,.0f}"


def _request(row: dict) -> dict:
    return json.loads(row["request"])


def _manner(request: dict) -> dict:
    """Return how a prompt is asked, whatever it says."""
    return {key: value for key, value in request.items() if key not in ("messages", "seed")}


def _measured(left: list[dict], alike: list[dict]) -> tuple[int, int]:
    """Return the tokens of prompts, and of their answers, as those of others were counted."""
    prompt, completion = tokens_of(alike)
    per_byte = prompt / sum(text_bytes(_request(row)) for row in alike)
    asked = sum(map(text_bytes, left))
    return round(per_byte * asked), round(completion / len(alike) * len(left))


def _likely(left: list[dict]) -> tuple[int, int | None]:
    """Return the tokens of prompts, if they are English, and the most that answers may have."""
    most = sum(most_tokens(request)[1] for request in left)
    return sum(map(likely_tokens, left)), most or None


def _bound(left: list[dict], prompt: int, completion: int) -> tuple[int, int]:
    """Return the tokens of prompts and of answers that a budget must hold.

    The last prompt counts with its upper bound.
    """
    others = (len(left) - 1) / len(left)
    last = [max(bounds) for bounds in zip(*map(most_tokens, left), strict=True)]
    return round(others * prompt) + last[0], round(others * completion) + last[1]
