"""What tests share is built by one worker only, and never handed on half made."""

import time
from multiprocessing import get_context
from types import SimpleNamespace

import pytest
from once import once_for_all_workers


def factory(root, worker):
    """Return what pytest gives each worker: a folder of its own in one that all share."""
    folder = root / worker
    folder.mkdir(exist_ok=True)
    return SimpleNamespace(getbasetemp=lambda: folder)


def use(root, worker, barrier, used):
    def build(folder):
        time.sleep(0.1)
        (folder / "built").write_text(worker)

    barrier.wait()
    folder = once_for_all_workers(factory(root, worker), "study", build)
    used.put((str(folder), (folder / "built").read_text()))


def test_workers_that_need_a_study_at_once_share_one(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    context = get_context("fork")
    barrier, used = context.Barrier(3), context.Queue()
    workers = [
        context.Process(target=use, args=(tmp_path, f"gw{i}", barrier, used)) for i in range(3)
    ]
    for worker in workers:
        worker.start()
    found = {used.get(timeout=20) for _ in workers}
    for worker in workers:
        worker.join()
    ((folder, _),) = found
    assert folder == str(tmp_path / "study")


def test_a_study_that_failed_half_way_is_built_anew(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    base = factory(tmp_path, "base")

    def fail(folder):
        (folder / "half").touch()
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        once_for_all_workers(base, "study", fail)
    folder = once_for_all_workers(base, "study", lambda folder: (folder / "whole").touch())
    assert [path.name for path in folder.iterdir()] == ["whole"]
