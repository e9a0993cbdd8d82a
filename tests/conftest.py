"""Fixtures that every test may use: a small study run for real."""

import shutil
import signal
from collections import Counter
from copy import deepcopy
from pathlib import Path

import pytest
from browsers import opened_browser
from hypothesis import settings
from once import once_for_all_workers
from small_study import OTHER_KINDS, REPOSITORY, STUDY, Project, copy_project

settings.register_profile("reproducible", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("quick", settings.get_profile("reproducible"), max_examples=15)
settings.load_profile("reproducible")

EVERY = 6


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Of a test with the mark ``sampled``, mark as slow all cases but the first, seventh, ..."""
    cases: Counter = Counter()
    for item in items:
        if item.get_closest_marker("sampled"):
            test = item.nodeid.partition("[")[0]
            if cases[test] % EVERY:
                item.add_marker("slow")
            cases[test] += 1


@pytest.fixture
def usual_signals():
    """Signals as a program from a terminal has them, also where who starts tests ignores them."""
    usual = dict.fromkeys((signal.SIGTERM, signal.SIGHUP), signal.SIG_DFL)
    usual |= {signal.SIGINT: signal.default_int_handler}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def built_small_study(tmp_path_factory) -> Path:
    """A folder with a small study that ran once for all workers, and its traces."""

    def build(folder: Path) -> None:
        (folder / "traces").mkdir()
        (folder / "project").mkdir()
        copy_project(folder / "project").run(traces=folder / "traces")

    return once_for_all_workers(tmp_path_factory, "small_study", build)


@pytest.fixture(scope="session")
def small_study(built_small_study, tmp_path_factory) -> Project:
    """A small study that ran from beginning to end; tests leave it as it is.

    It is this worker's, as some tests change a file of the copy for a while.
    """
    folder = tmp_path_factory.mktemp("small") / "project"
    shutil.copytree(built_small_study / "project", folder, symlinks=True)
    return Project(folder, folder)


@pytest.fixture(scope="session")
def traces(built_small_study, small_study, tmp_path_factory) -> Path:
    """A folder with the files that each step of the small study executed, as if in its copy."""
    folder = tmp_path_factory.mktemp("traces")
    built = (built_small_study / "project").resolve()
    for path in (built_small_study / "traces").iterdir():
        text = path.read_text(encoding="utf-8").replace(
            f"{built}/", f"{small_study.root.resolve()}/"
        )
        (folder / path.name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def other_kinds(small_study, tmp_path_factory) -> Project:
    """Datasets of other outcome kinds, from raw data to findings in words; no figures."""

    def build(folder: Path) -> None:
        made = ("findings.md", "comparison/means.parquet", "sample_size.parquet")
        small_study.elsewhere(folder / "study", OTHER_KINDS).run(
            *(
                f"results/default/{name}/{each}"
                for name in OTHER_KINDS["datasets"]
                for each in made
            ),
            "results/default/delays/guarantee/nall.parquet",
        )

    built = once_for_all_workers(tmp_path_factory, "other_kinds", build)
    return Project(small_study.root, built / "study")


@pytest.fixture(scope="session")
def default_study(tmp_path_factory) -> Project:
    """The study of config/config.yaml, with its page; tests leave it as it is.

    Where ``make study`` has run, what has changed since then is made again, and nothing else.
    """

    def build(folder: Path) -> None:
        project = copy_project(folder)
        shutil.copy(REPOSITORY / "config" / "config.yaml", folder / "config")
        left = ["results/default", ".snakemake/metadata"]
        if all((REPOSITORY / name).is_dir() for name in left):
            for name in left:
                shutil.copytree(REPOSITORY / name, folder / name)
        project.run()

    folder = once_for_all_workers(tmp_path_factory, "default_study", build)
    return Project(folder, folder)


@pytest.fixture(scope="session")
def downloads(tmp_path_factory) -> Path:
    """Where the browser saves what is downloaded."""
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def browser(downloads):
    """A browser without a window."""
    with opened_browser(downloads) as driver:
        driver.set_script_timeout(120)
        yield driver


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder of a user's, where the test is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def config() -> dict:
    """The small study's config, to be changed."""
    return deepcopy(STUDY)
