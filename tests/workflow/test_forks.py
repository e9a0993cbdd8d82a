"""A step that is a fork runs as a process that Python starts: nothing leaks, all is told."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, contextmanager
from pathlib import Path

import psutil
import pytest
from matplotlib import rcParams

from fidelity_study.app.run.command import with_profile
from snakemake_executor_plugin_fidelity.forks import Forks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="steps are forks on Linux only")

SERVING = """
import sys, time
from snakemake_executor_plugin_fidelity.forks import Forks
with Forks(sys.path[1:]).fork(sys.argv[1], 1, None) as fork:
    fork.run()
"""


@contextmanager
def forks():
    """Yield the forks of this process, whose output is this one's when they begin."""
    started = Forks(sys.path[1:])
    try:
        yield started
    finally:
        started.close()


@pytest.fixture
def run(tmp_path):
    """Run code as scripts, one after the other; return their exit statuses."""

    def run(*codes: str, threads: int = 1, folder: str | None = None) -> list[int | None]:
        script, statuses = tmp_path / "script.py", []
        with forks() as started:
            for code in codes:
                script.write_text(code)
                with started.fork(str(script), threads, folder) as fork:
                    statuses.append(fork.run())
        return statuses

    return run


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("code", "status", "told"),
    [
        ("", 0, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit(3)", 3, ""),
        ("raise SystemExit('no such file')", 1, "no such file\n"),
        ("raise ValueError('below 0')", 1, "ValueError: below 0\n"),
        ("import os; os.kill(os.getpid(), 9)", None, ""),
        ("import atexit; atexit.register(print, 'at the end')", 0, "at the end\n"),
        ("print(__name__, __file__ == __import__('sys').argv[0])", 0, "__main__ True\n"),
    ],
)
def test_a_script_ends_as_python_does(run, capfd, code, status, told):
    assert run(code) == [status]
    printed = "".join(capfd.readouterr())
    assert printed == told or (told and printed.endswith(told) and "Traceback" in printed)


def test_what_a_script_changes_is_gone_with_it(run, capfd):
    changed = (
        "import os, matplotlib, sys\n"
        "print(os.environ.get('CHANGED'), matplotlib.rcParams['font.size'], 'own' in sys.modules)\n"
        "os.environ['CHANGED'] = 'yes'\n"
        "matplotlib.rcParams['font.size'] = 30.0\n"
        "sys.modules['own'] = sys\n"
        "os.chdir('/')\n"
    )
    here = os.getcwd()
    assert run(changed, changed) == [0, 0]
    assert capfd.readouterr().out == f"None {rcParams['font.size']} False\n" * 2
    assert os.getcwd() == here and "CHANGED" not in os.environ


@pytest.mark.parametrize("threads", [1, 2])
def test_libraries_use_the_threads_of_the_step(run, capfd, tmp_path, threads):
    code = (
        "import os, tempfile, threadpoolctl, numpy, scipy.linalg, pyarrow\n"
        "used = {each['num_threads'] for each in threadpoolctl.threadpool_info()}\n"
        "used |= {pyarrow.cpu_count(), int(os.environ['OMP_NUM_THREADS'])}\n"
        "print(*used, tempfile.gettempdir())\n"
    )
    assert run(code, threads=threads, folder=str(tmp_path)) == [0]
    assert capfd.readouterr().out == f"{threads} {tmp_path}\n"


def test_scripts_of_several_threads_run_at_once(tmp_path):
    waits, ends = tmp_path / "waits.py", tmp_path / "ends.py"
    waits.write_text("import os, time\nwhile not os.path.exists('there'): time.sleep(0.01)")
    ends.write_text("open('there', 'w'); raise SystemExit(4)")

    def status(script: Path) -> int | None:
        with started.fork(str(script), 1, None) as fork:
            return fork.run()

    with chdir(tmp_path), forks() as started, ThreadPoolExecutor() as threads:
        assert list(threads.map(status, [waits, ends])) == [0, 4]


@pytest.mark.sampled
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, None), (signal.SIGINT, 1)])
@pytest.mark.usefixtures("usual_signals")
def test_a_signal_ends_a_script_and_not_the_process_that_is_forked(run, number, status):
    """All get it, as from a terminal."""
    code = f"import os\nfor pid in (os.getppid(), os.getpid()): os.kill(pid, {int(number)})"
    assert run(code, "raise SystemExit(5)") == [status, 5]


@pytest.mark.slow
def test_scripts_end_with_a_process_that_is_killed(tmp_path):
    script = tmp_path / "waits.py"
    script.write_text("import time; open('there', 'w'); time.sleep(60)")
    process = subprocess.Popen([sys.executable, "-c", SERVING, script], cwd=tmp_path)
    while not (tmp_path / "there").exists():
        assert process.poll() is None
        time.sleep(0.01)
    below = psutil.Process(process.pid).children(recursive=True)
    assert len(below) == 2
    process.kill()
    process.wait()
    assert psutil.wait_procs(below, timeout=5)[1] == []


def test_a_profile_and_options_choose_the_executor(monkeypatch):
    monkeypatch.delenv("SNAKEMAKE_PROFILE", raising=False)
    ours = ["--executor", "fidelity"]
    command = with_profile(["--executor", "local"])
    assert command.index("fidelity", command.index("--executor")) < command.index("local")
    assert with_profile(["--cores", "2"])[-4:] == [*ours, "--cores", "2"]
    for options in (["--profile", "mine"], ["--profile=mine"]):
        assert "--executor" not in with_profile(options)
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "mine")
    assert "--executor" not in with_profile([])
