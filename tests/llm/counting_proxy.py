"""A proxy in front of a model, which counts requests and disturbs them."""

import functools
import json
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Proxy:
    """Hands requests on to the model, unless it is told to disturb.

    Attributes:
        requests: the bodies of all requests, in the order they came.
        delivered: the bodies of those whose answers were sent.
        keys: the Authorization headers.
        faults: what to do with the next requests, one each: a status, ``cut`` the connection in
            mid-answer, ``garbled``, ``hang``, ``drip``, ``html``, ``deep``, or a function of the
            answer; then all pass.
        always: what to do with all requests when there are no faults left.
        ask: how the model is asked; by default once for each request, whatever test sends it, as
            its answer depends on the request alone.
    """

    def __init__(self, target: str):
        """Listen on a free port; ``target`` is the model's base URL."""
        self.requests, self.delivered, self.keys, self.times = [], [], [], []
        self.faults, self.always = [], None
        self.ask = answer_once
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with proxy.lock:
                    proxy.requests.append(body)
                    proxy.times.append(time.monotonic())
                    proxy.keys.append(self.headers["Authorization"])
                    fault = proxy.faults.pop(0) if proxy.faults else proxy.always
                try:
                    self.answer(body, fault)
                except ConnectionError:
                    self.close_connection = True

            def answer(self, body, fault):
                if isinstance(fault, int):
                    said = {"error": {"message": f"you sent {self.headers['Authorization']}"}}
                    return self.send(fault, json.dumps(said).encode())
                if fault == "html":
                    return self.send(200, b"<p>a portal</p>", "text/html")
                if fault == "deep":
                    return self.send(200, b'{"choices": ' + b"[" * 200_000)
                if fault == "hang":
                    time.sleep(5)
                answer = proxy.ask(target, json.dumps(body))
                if fault == "cut":
                    return self.send(200, answer[: len(answer) // 2], length=len(answer))
                if fault == "garbled":
                    answer = answer[: len(answer) // 2]
                if callable(fault):
                    answer = json.dumps(fault(json.loads(answer), self.headers)).encode()
                self.send(200, answer, pause=0.02 if fault == "drip" else 0)
                with proxy.lock:
                    proxy.delivered.append(body)

            def send(self, status, content, kind="application/json", length=None, pause=0):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(length or len(content)))
                if status == 429:
                    self.send_header("Retry-After", "1")
                self.end_headers()
                for i in range(len(content)) if pause else ():
                    self.wfile.write(content[i : i + 1])
                    time.sleep(pause)
                self.wfile.write(b"" if pause else content)
                self.close_connection = length is not None

            def log_message(self, *args):
                pass

        self.lock = threading.Lock()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, args=[0.01], daemon=True).start()


def hand_on(target: str, body: str) -> bytes:
    """Return the model's answer."""
    request = urllib.request.Request(
        f"{target}/chat/completions", body.encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return answer.read()


answer_once = functools.cache(hand_on)
