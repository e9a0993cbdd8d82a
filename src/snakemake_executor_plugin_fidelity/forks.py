"""A process that has imported what scripts import, and is forked for each script.

It is itself a fork of Snakemake's process, made before any job runs, and has one thread: a fork of
a process with several threads may wait for ever for a lock that another thread held. What a script
changes is gone with its fork.
"""

import atexit
import ctypes
import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn, TextIO

import pyarrow
from threadpoolctl import threadpool_limits

IMPORTED = (
    "pyarrow.compute", "pyarrow.parquet", "pandas", "fidelity_study.app.run.script",
    "scipy.optimize", "fidelity_study.app.run.report",
    "matplotlib.figure", "matplotlib.backends.backend_agg",
)  # fmt: skip
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LIBRARIES = ("OMP", "GOTO", "OPENBLAS", "MKL", "VECLIB", "NUMEXPR")
FOLDERS = ("TMPDIR", "TMP", "TEMPDIR", "TEMP")
PR_SET_PDEATHSIG = 1
LONGEST = 65_536
PATIENCE = 1
GO = b"go"


class Fork:
    """A process that is to run a script.

    Attributes:
        pid: its number.
    """

    def __init__(self, channel: socket.socket):
        """Wait until it is there; raise ChildProcessError if it cannot be."""
        self._channel = channel
        pid = channel.recv(LONGEST)
        if not pid:
            raise ChildProcessError("no process can be forked")
        self.pid = int(pid)

    def run(self) -> int | None:
        """Run the script; return its exit status, None if a signal killed it."""
        self._channel.send(GO)
        status = self._channel.recv(LONGEST)
        return int(status) if status else None


class Forks:
    """Forks a process for each script, whichever thread asks for it."""

    def __init__(self, path: list[str], modules: Iterable[str] = ()) -> None:
        """Start the process that is forked; it ends at the latest when this process does.

        Args:
            path: where scripts find modules, besides their folder.
            modules: what scripts import, besides what most do; there may be no such module.
        """
        self._requests, theirs = _channel()
        handlers = {number: _as_started(number) for number in ENDING}
        self._pid = os.fork()
        if not self._pid:
            self._requests.close()
            sys.path[:] = ["", *path]
            _serve(theirs, handlers, [*modules, *IMPORTED])
        theirs.close()

    @contextmanager
    def fork(self, script: str, threads: int, folder: str | None) -> Iterator[Fork]:
        """Yield a process for a script.

        Args:
            script: its file.
            threads: that it may use.
            folder: for temporary files; None for the usual one.
        """
        ours, theirs = _channel()
        request = json.dumps([script, threads, folder]).encode()
        with ours:
            with theirs:
                socket.send_fds(self._requests, [request], [theirs.fileno()])
            yield Fork(ours)

    def close(self) -> None:
        """End the process that is forked."""
        self._requests.close()
        with suppress(ChildProcessError):  # if it is closed again
            os.waitpid(self._pid, 0)


def _channel() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _as_started(number: int) -> Any:
    """Return how a program that is started handles a signal: as usual, unless it is ignored."""
    if signal.getsignal(number) == signal.SIG_IGN:
        return signal.SIG_IGN
    return signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL


def _serve(
    requests: socket.socket, handlers: dict[signal.Signals, Any], waiting: list[str]
) -> NoReturn:
    """Fork this process for each request, until nobody is left to ask."""
    try:
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)
        # A thread of Snakemake may have held the lock of a stream when this process began.
        sys.stdout, sys.stderr = _like(sys.stdout, 1), _like(sys.stderr, 2)
        atexit._clear()
        _use(threads=1)
        while True:
            while waiting and not select.select([requests], [], [], 0)[0]:
                with suppress(ImportError):  # a step that needs it says what is missing
                    import_module(waiting.pop(0))
            gc.freeze()
            request, channels, *_ = socket.recv_fds(requests, LONGEST, 1)
            _reap(os.WNOHANG)
            if not request:
                break
            with socket.socket(fileno=channels[0]) as channel:
                if not _forked():
                    requests.close()
                    script, threads, folder = json.loads(request)
                    _run(script, threads, folder, channel, handlers)
        signal.alarm(PATIENCE)  # if Snakemake was killed, scripts still run, and end with this
        _reap(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _like(stream: TextIO, descriptor: int) -> TextIOWrapper:
    """Return a new stream like another."""
    encoding, errors = stream.encoding, stream.errors
    return open(descriptor, "w", buffering=1, encoding=encoding, errors=errors, closefd=False)


def _use(threads: int) -> None:
    """Let libraries use threads, those that are imported and those that will be."""
    os.environ.update({f"{name}_NUM_THREADS": str(threads) for name in LIBRARIES})
    threadpool_limits(threads)
    pyarrow.set_cpu_count(threads)


def _forked() -> int:
    """Fork this process; return what ``os.fork`` does, or -1 if the system has no room for it."""
    try:
        return os.fork()
    except OSError:
        traceback.print_exc()
        return -1


def _reap(options: int) -> None:
    """Let the system forget forks that ended, so that their time counts as this process's."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, options)[0]:
            pass


def _run(
    script: str,
    threads: int,
    folder: str | None,
    channel: socket.socket,
    handlers: dict[signal.Signals, Any],
) -> NoReturn:
    """Run a script as Python does that has just been started, and tell its exit status."""
    status: Any = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        channel.send(str(os.getpid()).encode())
        if not channel.recv(LONGEST):
            os._exit(1)
        _set_up(script, threads, folder)
        runpy.run_path(script, run_name="__main__")
        status = 0
    except SystemExit as ended:
        status = ended.code or 0
        if not isinstance(status, int):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            atexit._run_exitfuncs()
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            channel.send(str(status).encode())
            os._exit(status)


def _set_up(script: str, threads: int, folder: str | None) -> None:
    if threads != 1:
        _use(threads)
    if folder:
        os.environ.update(dict.fromkeys(FOLDERS, folder))
        tempfile.tempdir = None
    sys.argv = [script]
    sys.path[0] = str(Path(script).parent)
