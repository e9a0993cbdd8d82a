"""Embed texts by a language model: a vector for each row of a table, in a .npy file beside it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fidelity_study.ask.client import Asking, Wanted, ask
from fidelity_study.ask.completion import usage_of
from fidelity_study.ask.prompts import content_key
from fidelity_study.ask.store import KEPT, Store
from fidelity_study.errors import DataError, refusal
from fidelity_study.reading.tabular.vector_columns import beside_of
from fidelity_study.reading.tabular.vectors import texts_of
from fidelity_study.tables.read_write import complete

FOLDER = KEPT / "embeddings"

EMBEDDED = pa.schema(
    [
        *((name, pa.string()) for name in ("key", "request", "text", "model")),
        ("refused", pa.bool_()),
        ("vector", pa.list_(pa.float32())),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
    ]
)


class Text(NamedTuple):
    """A text to embed.

    Attributes:
        request: the parameters of an embedding.
        key: a hash of them.
    """

    request: dict
    key: str

    @classmethod
    def of(cls, model: str, text: str) -> "Text":
        """Return what is asked for a text."""
        request = {"model": model, "input": text}
        return cls(request, content_key(request, None))


class Embeddings(Asking):
    """Asks for embeddings, one text at a time."""

    async def _sent(self, client, request: dict):
        return await client.embeddings.create(**request, encoding_format="float")

    def _parts(self, prompt: Wanted, response) -> dict:
        import openai

        vector = vector_of(response)
        if vector is None:
            raise openai.OpenAIError(f"{self.base_url} answers, but not with an embedding")
        prompt_tokens, _ = usage_of(response, "prompt_tokens", "total_tokens")
        unused = {"completion_tokens": 0, "refused": False}
        return {"vector": vector, "prompt_tokens": prompt_tokens, **unused}


def vector_of(response: Any) -> list[float] | None:
    """Return the vector of a response; None if it has another shape, or no finite numbers."""
    try:
        vector = np.array(response.data[0].embedding, np.float32)
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
    sound = vector.ndim == 1 and vector.size and np.isfinite(vector).all()
    return vector.tolist() if sound else None


def embed(files: Sequence[str], value: str, runs: dict, *, force: bool) -> list[str]:
    """Write the vectors of texts beside their tables; rows without a text are NaN.

    Args:
        files: tables.
        value: their column of texts.
        runs: where and how fast, as :func:`fidelity_study.ask.client.ask` takes it.
        force: whether files of vectors that are there are written over.

    Returns:
        What was done, and notes.

    Raises:
        DataError: if a file can't be read or written, or a text got no vector.
    """
    beside = {path: Path(beside_of(path)) for path in files}
    for path, there in beside.items():
        if there.exists() and not force:
            what = f"{there} is there already; to write over it: --force"
            raise refusal("vectors-there", what, file=path)
    texts = {path: texts_of(path, value) for path in files}
    model = runs["model"]
    wanted = {text: Text.of(model, text) for column in texts.values() for text in column if text}
    if not wanted:
        raise refusal("no-texts", f"has no texts in column {value!r}", file=files[0])
    store = Store(FOLDER / re.sub(r"[^\w.-]", "_", model), EMBEDDED)
    notes = ask(list(wanted.values()), store, runs, 1, Embeddings)
    vectors = {text: store.answers[one.key]["vector"] for text, one in wanted.items()}
    refused = [text for text, vector in vectors.items() if vector is None]
    if refused:
        what = f"{len(refused)} texts were refused by a filter of the endpoint, such as"
        raise DataError(f"{what} {refused[0][:60]!r}; leave their rows out")
    sizes = {len(vector) for vector in vectors.values()}
    if len(sizes) > 1:
        said = " and ".join(map(str, sorted(sizes)))
        raise DataError(f"the endpoint gave vectors of {said} numbers; name one model")
    nothing, lines = np.full(sizes.pop(), np.nan), []
    for path, listed in texts.items():
        rows = np.array([vectors[text] if text else nothing for text in listed], np.float32)
        with complete(beside[path]) as partial:
            np.save(partial, rows)
        many = sum(map(bool, listed))
        lines.append(f"{beside[path]}: {many} vectors of {rows.shape[1]} numbers")
    return [*lines, *notes]
