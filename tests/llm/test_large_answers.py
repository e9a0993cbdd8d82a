"""An endpoint that answers with gigabytes fills no memory."""

import gzip
import json
import threading
import tracemalloc
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fidelity_study.ask.client import ask
from fidelity_study.ask.prompts import Scenario, plan
from fidelity_study.ask.store import Store
from fidelity_study.errors import DataError

SCENARIOS = [Scenario("cats", "Do you like cats?", [0.0, 1.0], ["No", "Yes"], {})]
CHOICE = {"index": 0, "message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"}
COMPLETION = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
SOUND = json.dumps({**COMPLETION, "choices": [CHOICE]}).encode()
LARGE = 300_000_000


@pytest.fixture
def asked(asks, tmp_path):
    """Ask an endpoint whose answer has this body and encoding; return the store and the peak."""
    pytest.importorskip("openai")

    def asking(body: bytes, encoding: str) -> tuple[Store, int, str]:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Encoding", encoding)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=http.serve_forever, args=[0.01], daemon=True).start()
        runs = {
            "endpoint": f"http://127.0.0.1:{http.server_port}/v1",
            "model": "m",
            "key_variable": None,
            "concurrency": 1,
            "timeout": 60,
            "retries": 0,
            "price": {},
            "budget": {},
        }
        store, said = Store(tmp_path / "survey" / "model"), ""
        prompts = plan({"seed": 1, "dataset": "survey", "asks": asks}, SCENARIOS)[:1]
        tracemalloc.start()
        try:
            ask(prompts, store, runs, 1)
        except DataError as error:
            said = str(error)
        finally:
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            http.shutdown()
            http.server_close()
        return store, peak, said

    return asking


@pytest.mark.slow
def test_an_answer_that_unpacks_to_gigabytes_is_refused_before_it_fills_memory(asked):
    store, peak, said = asked(gzip.compress(bytes(LARGE), 1), "gzip")
    assert "the answer has more than 16 MB" in said
    assert peak < 120_000_000
    assert not store.answers


def test_an_answer_packed_in_another_way_is_refused(asked):
    _, _, said = asked(SOUND, "br")
    assert "the answer is packed by br, and gzip was asked for" in said


@pytest.mark.parametrize("encoding", ["gzip", "identity"])
def test_a_sound_answer_is_kept_however_it_is_packed(asked, encoding):
    store, _, said = asked(gzip.compress(SOUND) if encoding == "gzip" else SOUND, encoding)
    assert not said
    ((row),) = store.answers.values()
    assert row["text"] == "A"
