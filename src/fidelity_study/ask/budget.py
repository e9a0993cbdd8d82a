"""What asking may use: tokens and money, counted before a prompt is sent."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

PER_MESSAGE = 16
LIKELY_BYTES, LIKELY_PER_MESSAGE = 4, 8
MILLION = 1e6


@dataclass
class Budget:
    """Tokens used so far, and how many more a prompt may use at most.

    Attributes:
        tokens: the most tokens, of prompts and answers, or None.
        cost: the most money, or None.
        price: of a million tokens: ``prompt`` and ``completion``.
        prompt, completion: tokens used.
        flying: what the prompts under way may use at most, (prompt, completion).
    """

    tokens: int | None
    cost: float | None
    price: dict[str, float]
    prompt: int
    completion: int
    flying: tuple[int, int] = (0, 0)

    def fits(self, bound: tuple[int, int]) -> bool:
        """Return whether nothing can be exceeded if one more prompt is sent."""
        prompt = self.prompt + self.flying[0] + bound[0]
        completion = self.completion + self.flying[1] + bound[1]
        within_tokens = self.tokens is None or prompt + completion <= self.tokens
        return within_tokens and (
            self.cost is None or self.cost_of(prompt, completion) <= self.cost
        )

    def send(self, bound: tuple[int, int]) -> None:
        """Count a prompt as under way."""
        self.flying = (self.flying[0] + bound[0], self.flying[1] + bound[1])

    def back(self, bound: tuple[int, int], prompt: int, completion: int) -> None:
        """Count a prompt as answered, and the tokens that it used."""
        self.flying = (self.flying[0] - bound[0], self.flying[1] - bound[1])
        self.prompt += prompt
        self.completion += completion

    def used(self) -> str:
        """Say how many tokens were used, and their cost."""
        money = f", cost {self.cost_of(self.prompt, self.completion):.4g}" if self.price else ""
        return f"{self.prompt + self.completion:,} tokens{money}"

    def cost_of(self, prompt: int, completion: int) -> float:
        """Return what tokens of prompts and answers cost."""
        price = self.price
        return (prompt * price.get("prompt", 0) + completion * price.get("completion", 0)) / MILLION


def most_tokens(request: dict) -> tuple[int, int]:
    """Return the most tokens a request can use for its prompt and its answer.

    No token is shorter than a byte; each message has a few tokens around it.
    """
    prompt = text_bytes(request) + PER_MESSAGE * len(_texts(request))
    return prompt, longest_answer(request)[1]


def longest_answer(request: dict) -> tuple[str, int]:
    """Return the parameter that limits an answer, and how many tokens it allows."""
    limits = {name: request.get(name, 0) for name in ("max_tokens", "max_completion_tokens")}
    return max(limits.items(), key=lambda item: item[1])


def likely_tokens(request: dict) -> int:
    """Return about how many tokens a prompt has: English text has one for each 4 bytes."""
    return text_bytes(request) // LIKELY_BYTES + LIKELY_PER_MESSAGE * len(_texts(request))


def text_bytes(request: dict) -> int:
    """Return how long the texts of a request are."""
    return sum(len(text.encode()) for text in _texts(request))


def _texts(request: dict) -> list[str]:
    """Return the messages of a request, or the one text to embed."""
    if "input" in request:
        return [request["input"]]
    return [message["content"] for message in request["messages"]]


def tokens_used(row: dict) -> tuple[int, int]:
    """Return the tokens of a kept prompt and its answer: the most there can be, if not told.

    Nor is it told by 0 where text was sent; a request that a filter refused has used none.
    """
    prompt, answer = row["prompt_tokens"], row["completion_tokens"]
    if row["refused"] and not (row["text"] or row["model"]):
        return prompt or 0, answer or 0
    if prompt and (answer or not row["text"]):
        return prompt, answer
    most_prompt, most_answer = most_tokens(json.loads(row["request"]))
    if answer is None or row["text"]:
        answer = answer or most_answer or len(row["text"].encode())
    return prompt or most_prompt, answer


def is_told(row: dict) -> bool:
    """Return whether the endpoint reported the tokens of a kept prompt."""
    return tokens_used(row) == (row["prompt_tokens"], row["completion_tokens"])


def tokens_of(rows: Iterable[dict]) -> tuple[int, int]:
    """Return the tokens of all kept prompts, and of all their answers."""
    prompts, answers = map(sum, zip((0, 0), *map(tokens_used, rows), strict=True))
    return prompts, answers
