"""A server that speaks the protocol of chat completions, with answers that a test knows."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from small_study import TWIN

from fidelity_study.ask.prompts import plan

USAGE = {"prompt_tokens": 40, "completion_tokens": 2}


class ChatServer:
    """Answers each request by a function of its body.

    Attributes:
        requests: the bodies of all requests, in the order they came.
        answer: what is said to a body; or bytes; or a status, headers, and what is said.
        finish_reason: why answers ended.
        usage: the tokens that are reported.
        pause: how long each answer takes, in seconds.
    """

    def __init__(self, answer: Callable[[dict], str | bytes | tuple[int, dict, str | bytes]]):
        """Listen on a free port."""
        self.answer, self.usage, self.pause = answer, USAGE, 0.0
        self.finish_reason = "stop"
        self.requests: list[dict] = []
        own = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                own.requests.append(body)
                time.sleep(own.pause)
                said = own.answer(body)
                status, headers, said = said if isinstance(said, tuple) else (200, {}, said)
                is_raw = isinstance(said, bytes)
                content = said if is_raw else json.dumps(own.completion(said)).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=[0.01], daemon=True).start()

    def completion(self, said) -> dict:
        """Return what is sent."""
        if not said:
            return {"error": {"message": "too many requests"}}
        message = {"role": "assistant", "content": said}
        choice = {"index": 0, "message": message, "finish_reason": self.finish_reason}
        return {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "served",
            "choices": [choice],
            **({} if self.usage is None else {"usage": self.usage}),
        }


@contextmanager
def serving(answer) -> Iterator[ChatServer]:
    """Serve while the context lasts."""
    server = ChatServer(answer)
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()


def asked_survey(model, **how) -> dict:
    """Return the config of small_study.py's survey, all questions of which a model is asked."""
    survey = {"ingest": "survey", "outcome": {"kind": "categorical"}, "cluster": "topic"}
    asked = {"model": "small", "mode": "answers", "system": "", **how}
    return {
        "seed": 7,
        "grid": {"n": ["all"], "k": ["all"], "gamma": [0.5], "replicates": 1},
        "models": {"small": model},
        "datasets": {"survey": {**survey, "simulators": [TWIN], "simulate": {"asked": asked}}},
    }


def asked_of(server, **how) -> dict:
    """Return where and how fast to ask: a server of these tests."""
    return {
        "endpoint": server.url,
        "model": "served",
        "key_variable": None,
        "concurrency": 1,
        "timeout": 60,
        "retries": 4,
        "price": {},
        "budget": {},
        **how,
    }


def asking(**how) -> dict:
    """Return how to ask: a few tokens of one persona, sampled."""
    return {
        "mode": "answers",
        "personas": 1,
        "draws": 1,
        "temperature": 1.0,
        "max_tokens": 3,
        "system": "",
        "prompt": "{question}\n{options}\nYou are {persona}.\nLetter:",
        "model": "served",
        "extra": {},
        **how,
    }


def planned(scenarios, seed=1, **how) -> list:
    """Return the prompts of a survey's scenarios."""
    return plan({"seed": seed, "dataset": "survey", "asks": asking(**how)}, scenarios)
