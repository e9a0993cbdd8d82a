"""The embedded model's server: a process that ends with who started it."""

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from fidelity_study.ask.embedded import PACKAGED, server
from fidelity_study.errors import DataError

PARENT = """
import time
from fidelity_study.ask.embedded import PACKAGED, server
with server(PACKAGED, 1) as url:
    print(url, flush=True)
    time.sleep(600)
"""


def answers(url):
    """Return whether somebody answers at ``url``."""
    try:
        urllib.request.urlopen(f"{url}/models", timeout=5)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


@pytest.mark.minutes
def test_servers_start_and_end_beside_another(model):
    for _ in range(5):
        with server(PACKAGED, threads=1) as url:
            assert answers(url)
        assert not answers(url)
    assert answers(model)


def test_a_server_does_not_outlive_a_killed_parent(model):
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    url = parent.stdout.readline().strip()
    assert answers(url)
    os.kill(parent.pid, signal.SIGKILL)
    parent.communicate()
    end = time.monotonic() + 30
    while answers(url):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_file_that_is_no_model_is_told(model, tmp_path):
    file = tmp_path / "model.gguf"
    file.write_text("nothing")
    with pytest.raises(DataError, match=r"model\.gguf cannot be served"), server(str(file), 1):
        pass
