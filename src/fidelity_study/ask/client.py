"""Asking: many prompts at a time, each answer kept before its place is free for the next.

So a kill loses at most the prompts under way, ``concurrency`` of them.
"""

import asyncio
import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any, Protocol

from tqdm import tqdm

from fidelity_study.ask.budget import Budget, is_told, longest_answer, most_tokens, tokens_used
from fidelity_study.ask.completion import NoCompletionError, NoLogProbabilitiesError, parts_of
from fidelity_study.ask.embedded import EMBEDDED, server
from fidelity_study.ask.reach import ready
from fidelity_study.ask.store import LONGEST_SAMPLE, Store
from fidelity_study.errors import DataError
from fidelity_study.progress import bar, duration

FAILURES_IN_A_ROW = 5
SHORTEST_SECRET = 8
LONGEST_LINE = 500
WITHOUT_CAUSE = {"Connection error.", "Request timed out."}
LONGEST_WAIT = 120.0  # what the library openai waits for at most
MOST_BYTES = 16_000_000  # an answer of 4,096 tokens with 20 log-probabilities of each has 8
# What an answer may be packed by, and how zlib calls it: a header of gzip's or of zlib's.
UNPACKED = {
    "identity": 0,
    "": 0,
    **dict.fromkeys(("gzip", "x-gzip", "deflate"), 32 + zlib.MAX_WBITS),
}
HOPELESS = {400, 401, 403, 404, 405, 413, 422}
NO_JSON = 599  # a status that is asked again, as 502 is
FIRST = 5

TOKENS_NOT_TOLD = (
    "the endpoint does not report the tokens that it used, or reports 0 though text was sent;"
    " the most that it can have used are counted"
)


class Wanted(Protocol):
    """What is asked: a request, and a hash of all that determines its answer."""

    @property
    def request(self) -> dict:
        """The parameters that are sent."""

    @property
    def key(self) -> str:
        """The hash."""


class HopelessError(Exception):
    """No prompt would get an answer, so that asking ends."""


def ask(
    prompts: Sequence[Wanted],
    store: Store,
    runs: dict,
    threads: int,
    asks: "type[Asking] | None" = None,
    is_cut: "Callable[[Any, dict], bool] | None" = None,
) -> list[str]:
    """Ask what ``store`` does not hold yet, and keep every answer there; return notes on it.

    Args:
        prompts: what to ask; prompts with the same key are asked once.
        store: where answers are kept.
        runs: where and how fast: ``endpoint, model, key_variable, concurrency, timeout, retries,
            price, budget``.
        threads: for the embedded model.
        asks: how a prompt is sent, and its answer read; None for chat completions.
        is_cut: whether an answer to a prompt ended before it said anything that can be read.
            Asking ends where the first five all did.

    Raises:
        DataError: if an answer is still missing in the end; those that came are kept.
    """
    wanted = {prompt.key: prompt for prompt in prompts}
    missing = [prompt for key, prompt in wanted.items() if key not in store.answers]
    if not missing:
        return []
    limits = runs["budget"]
    budget = Budget(limits.get("tokens"), limits.get("cost"), runs["price"], *store.used())
    key = ready(runs)
    with _address(runs["endpoint"], runs["model"], threads) as base_url:
        asking = (asks or Asking)(store, budget, runs, base_url, key)
        there = {key: store.answers[key] for key in wanted if key in store.answers}
        kept = len(there)
        if is_cut is not None:
            asking.is_cut = is_cut
            for name, row in there.items():
                asking.look_at(wanted[name], row)
        with bar(_name(store), total=len(wanted), initial=kept, unit="prompt") as asked:
            asyncio.run(asking.all(missing, asked))
    left = sum(prompt.key not in store.answers for prompt in missing)
    if left:
        raise DataError(
            f"{left} of {len(wanted)} prompts have no answer: {asking.reason}. Those that came are "
            f"kept in {store.folder}; run again to ask only what is missing"
            + "".join(f". Note: {note}" for note in asking.notes)
        )
    return asking.notes


class Asking:
    """Workers that take the next prompt as soon as their last answer is kept.

    Attributes:
        reason: why prompts are left without an answer.
        notes: what the user should know besides.
        is_cut: whether an answer to a prompt ended before it said anything that can be read.
    """

    is_cut: Callable[[Any, dict], bool] | None = None

    def __init__(self, store: Store, budget: Budget, runs: dict, base_url: str, key: str | None):
        """Take over where answers go, what may be used, and the endpoint."""
        self.store, self.budget, self.runs = store, budget, runs
        self.base_url, self.key = base_url, key
        self.reason = ""
        self.notes: list[str] = []
        self._ended = False
        self._failures = 0
        self._cut: int | None = 0  # None once an answer was whole
        self._arrived: list[dict] = []
        self._writing, self._returned = asyncio.Lock(), asyncio.Condition()

    async def all(self, prompts: Sequence[Wanted], bar: tqdm) -> None:
        """Ask all prompts, or stop early and say so in ``reason``."""
        waiting = iter(prompts)
        async with self._client() as client, asyncio.TaskGroup() as group:
            for _ in range(min(self.runs["concurrency"], len(prompts))):
                group.create_task(self._work(client, waiting, bar))

    async def _work(self, client, waiting: Iterator[Wanted], bar: tqdm) -> None:
        import openai

        for prompt in waiting:
            bound = most_tokens(prompt.request)
            if not await self._may_send(bound):
                return
            used = (0, 0)
            try:
                row = await self._answer(client, prompt)
                used = tokens_used(row)
                self._note_tokens(row)
                self._failures = 0
                await self.keep(row)
                self.look_at(prompt, row)
                bar.update()
                bar.set_postfix_str(self.budget.used(), refresh=False)
            except HopelessError as error:
                self._end(str(error))
            except (openai.OpenAIError, ValueError, RecursionError) as error:
                self._fail(self._told(error))
            except OSError as error:
                self._end(f"they cannot be kept ({error})")
            finally:
                self.budget.back(bound, *used)
                async with self._returned:
                    self._returned.notify_all()

    async def _may_send(self, bound: tuple[int, int]) -> bool:
        """Wait until the prompts under way leave room in the budget; False if they never will."""
        async with self._returned:
            while not self._ended and not self.budget.fits(bound) and any(self.budget.flying):
                await self._returned.wait()
        if not self._ended and not self.budget.fits(bound):
            self._end(f"the budget is used up, {self.budget.used()}; a larger budget goes on")
        if not self._ended:
            self.budget.send(bound)
        return not self._ended

    def _note_tokens(self, row: dict) -> None:
        if not self.notes and not is_told(row):
            self.notes.append(TOKENS_NOT_TOLD)

    def look_at(self, prompt: Wanted, row: dict) -> None:
        """End asking where the first answers were all cut: the others would be, too."""
        if self._cut is None or self.is_cut is None:
            return
        self._cut = self._cut + 1 if self.is_cut(prompt, row) else None
        if self._cut == FIRST:
            limit, most = longest_answer(prompt.request)
            self._end(
                f"the first {FIRST} answers were cut at {most} tokens, before they named an option;"
                f" models that reason first need more, such as {limit}: 2000"
            )

    def _fail(self, message: str) -> None:
        self.reason = self.reason or message
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW:
            self._end(f"{self._failures} failed in a row, the last with: {message}")

    def _end(self, reason: str) -> None:
        if not self._ended:
            self._ended, self.reason = True, reason

    async def keep(self, row: dict) -> None:
        """Return when the answer is on disk; answers that came while others were written go as one.

        Written in a thread, so that the other answers can come in meanwhile.
        """
        self._arrived.append(row)
        async with self._writing:
            if row in self._arrived:
                rows, self._arrived = self._arrived, []
                await asyncio.to_thread(self.store.add, rows)

    def _client(self):
        import openai

        from_environment = {} if self.runs["endpoint"] != EMBEDDED else {"trust_env": False}
        return openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self.key or "none",
            timeout=self.runs["timeout"],
            max_retries=self.runs["retries"],
            http_client=_patient_client(self.runs["timeout"])(
                event_hooks={"response": [_read]}, **from_environment
            ),
        )

    async def _answer(self, client, prompt: Wanted) -> dict:
        """Return a row of the store; raise OpenAIError if the endpoint gives no answer."""
        import openai

        try:
            response = await self._sent(client, prompt.request)
        except openai.APIStatusError as error:
            if error.code == "content_filter":
                return self._row(prompt, refused=True, finish_reason=error.code)
            if error.status_code == NO_JSON:
                raise openai.OpenAIError(self._no_completion(error.response.text)) from None
            if error.status_code in HOPELESS:
                raise HopelessError(self._told(error)) from None
            if (wait := asked_wait(error.response.headers)) > LONGEST_WAIT:
                raise HopelessError(
                    f"the endpoint asks to wait for {duration(wait)} (Retry-After), and a run waits"
                    f" for {duration(LONGEST_WAIT)} at most; start it again when that is over"
                ) from None
            raise
        except openai.APIConnectionError as error:
            if isinstance(error.__cause__, HopelessError):
                raise error.__cause__ from None
            raise
        return self._row(prompt, **self._parts(prompt, response))

    async def _sent(self, client, request: dict):
        """Return what the endpoint answers to a request."""
        known = {name: value for name, value in request.items() if name in KNOWN}
        extra = {name: value for name, value in request.items() if name not in KNOWN}
        return await client.chat.completions.create(**known, extra_body=extra)

    def _parts(self, prompt: Wanted, response) -> dict:
        """Return what is kept of an answer."""
        import openai

        try:
            parts = parts_of(response, with_logprobs=bool(prompt.request.get("logprobs")))
        except NoLogProbabilitiesError as error:
            raise HopelessError(f"the endpoint {error}; use mode: answers") from None
        except NoCompletionError:
            raise openai.OpenAIError(self._no_completion()) from None
        prompt_tokens, completion_tokens = parts.pop("usage")
        return {
            **{name: self._clean(value) for name, value in parts.items()},
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
        }

    def _no_completion(self, said: str = "") -> str:
        sample = f", but with {said.strip()[:LONGEST_SAMPLE]!r}" if said.strip() else ""
        return f"{self.base_url} answers, but not with a chat completion{sample}"

    def _row(self, prompt: Wanted, **parts) -> dict:
        request = json.dumps(prompt.request, ensure_ascii=False)
        nothing = dict.fromkeys(self.store.schema.names) | {"text": "", "model": ""}
        unused = {"prompt_tokens": 0, "completion_tokens": 0}
        return {**nothing, "key": prompt.key, "request": request, **unused, **parts}

    def _clean(self, part):
        """Return a part of an answer as it can be kept: without the key, as text that is UTF-8."""
        if isinstance(part, list):
            return [self._clean(entry) for entry in part]
        if not isinstance(part, str):
            return part
        return self._hidden(part.encode("utf-8", "replace").decode("utf-8"))

    def _hidden(self, text: str) -> str:
        """Return ``text`` without the key, which an endpoint may send back.

        A few letters are no secret: local servers take any, and answers may hold them.
        """
        if self.key is None or len(self.key) < SHORTEST_SECRET:
            return text
        return text.replace(self.key, "***")

    def _told(self, error: Exception) -> str:
        """Return the first line of what an error says; the key goes before the line is cut."""
        cause = f" ({error.__cause__})" if str(error) in WITHOUT_CAUSE else ""
        return self._hidden(f"{error}{cause}").strip().split("\n")[0][:LONGEST_LINE]


def asked_wait(headers: Mapping[str, str]) -> float:
    """Return how many seconds an answer asks to wait, by a number or a date; 0 if it doesn't."""
    said = headers.get("retry-after", "")
    try:
        seconds = float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (TypeError, ValueError, OverflowError):
            return 0.0
    return seconds if isfinite(seconds) else 0.0


def _patient_client(seconds: float) -> type:
    """Return a kind of client that ends a request after ``seconds``, even if its answer drips in.

    The library's own timeout starts anew at each byte.
    """
    import httpx2
    import openai

    class Patient(openai.DefaultAsyncHttpxClient):
        async def send(self, request, **options):
            request.headers["Accept-Encoding"] = "gzip"
            try:
                async with asyncio.timeout(seconds):
                    return await super().send(request, **options)
            except TimeoutError:
                message = f"no whole answer within {seconds} seconds"
                raise httpx2.ReadTimeout(message, request=request) from None

    return Patient


async def _read(response) -> None:
    """Read an endpoint's answer, unpacked, at most :data:`MOST_BYTES`.

    The library would unpack a whole answer: 2 MB may stand for 2 GB. And it would follow a redirect
    with the prompts and the key's header, to whatever host.
    """
    if response.has_redirect_location:
        target = response.url.join(response.headers["location"])
        if target.host != response.url.host:
            raise HopelessError(
                f"the endpoint redirects to the host {target.host}, which would get the prompts; if"
                " it may have them, give its address as endpoint"
            )
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in UNPACKED:
        raise ValueError(f"the answer is packed by {packed}, and gzip was asked for")
    unpack = zlib.decompressobj(UNPACKED[packed]) if UNPACKED[packed] else None
    content = bytearray()
    async for piece in response.aiter_raw():
        left = MOST_BYTES + 1 - len(content)
        content += unpack.decompress(piece, left) if unpack else piece
        if len(content) > MOST_BYTES:
            raise ValueError(f"the answer has more than {MOST_BYTES / 1e6:g} MB")
    response._content = bytes(content)  # what is there is not read again
    if response.is_success and not _is_json(content):
        response.status_code = NO_JSON


def _is_json(content: bytearray) -> bool:
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


KNOWN = {
    "model",
    "messages",
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "seed",
    "logprobs",
    "top_logprobs",
}


@contextmanager
def _address(endpoint: str, model: str, threads: int) -> Iterator[str]:
    """Give the base URL of the endpoint; the embedded one lives while the context lasts."""
    if endpoint == EMBEDDED:
        with server(model, threads) as base_url:
            yield base_url
    else:
        yield endpoint


def _name(store: Store) -> str:
    return "/".join(store.folder.parts[-2:])
