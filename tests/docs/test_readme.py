"""The README: its commands, numbers and links; its sentences, and those of all pages."""

import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from small_study import REPOSITORY, copy_project

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
DOCS = REPOSITORY / "docs"
GUIDES = [*DOCS.glob("tutorials/*.md"), *DOCS.glob("howto/*.md")]
PAGES = [REPOSITORY / "README.md", *sorted(GUIDES)]
OTHERS = [page for folder in (".", "method", "results") for page in DOCS.glob(f"{folder}/*.md")]
LONGEST = 35
ROWS = {
    "Cooperative Election Study 2024": ("ces_2024", "tv", "ntp"),
    "General Social Survey, abortion": ("gss_abortion", "absolute", "persistence"),
    "Election study 2016, racial attitudes": ("tv16_racial_attitudes", "tv", "demographic"),
    "World Values Survey, bribery": ("wvs_bribe", "squared", "persistence"),
}


def sentences(text: str) -> list[str]:
    """Return the sentences of a page; colons and semicolons don't end one, cells and items do."""
    text = re.sub(r"^---\n.*?\n---\n|^ *```.*?^ *```", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^    .*$|^#.*$", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"(?<=\])\([^)]*\)", "", text)
    parts = re.split(r"\n\s*\n|\n *[-*|] |\|", text)
    return [
        sentence.replace("`", "")
        for part in parts
        for sentence in re.split(r"(?<=[.?!])[)*]*\s+(?=[\[*`A-Z0-9])", " ".join(part.split()))
    ]


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted(OTHERS)], ids=lambda page: f"{page.parent.name}-{page.stem}"
)
def test_sentences_are_short(page):
    found = sentences(page.read_text(encoding="utf-8"))
    assert not [each for each in found if len(each.split()) > LONGEST]


def test_the_readme_is_short_and_its_links_lead_somewhere():
    assert len(README.splitlines()) <= 150
    links = re.findall(r"\]\((?!http)([^)#]+)", README)
    assert links
    assert not [each for each in links if not (REPOSITORY / each).is_file()]


def made(target: str) -> set[str]:
    """Return all that ``make TARGET`` would run in a fresh clone; of tests, all those it has."""
    alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    command = ["make", "--dry-run", "--always-make", target]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=alone, capture_output=True, text=True, check=True
    )
    chosen = r' -m "not [\w ]+"( --hypothesis-profile quick)?'
    return set(re.sub(chosen, "", done.stdout).splitlines())


def test_ci_runs_every_make_of_the_readme_and_the_tutorials_in_a_fresh_clone():
    ci = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    runs = set().union(*map(made, re.findall(r"^make (\S+)$", ci, re.MULTILINE)))
    texts = [page.read_text(encoding="utf-8") for page in PAGES if page.parent.name != "howto"]
    targets = set(re.findall(r"(?:^    |`)make ([\w-]+)", "\n".join(texts), re.MULTILINE))
    assert targets >= {"study", "test", "install", "install-llm", "install-slurm"}
    assert not [each for each in targets - {"help"} if not made(each) <= runs]


def test_make_help_of_the_readme_lists_all_commands():
    assert "`make help` lists all commands" in README
    shown = subprocess.run(
        ["make", "help"], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    listed = re.findall(r"^make (\S+) +\S", shown.stdout, re.MULTILINE)
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    (targets,) = re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert sorted(listed) == sorted(targets.split())


def code_of_the_readme() -> str:
    """Return the library in eight lines, and a line that prints what they find."""
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    return code + "print(mean.upper, found.upper, curve)"


@pytest.mark.slow
def test_the_code_of_the_readme_runs():
    shown = subprocess.run(
        [sys.executable, "-c", code_of_the_readme()], capture_output=True, text=True, check=True
    )
    assert shown.stdout.count("[") == 2


def link(package: str, folder: Path) -> None:
    """Link the folders of a package that is installed here, as if it were installed there."""
    found = distribution(package)
    for top in {each.parts[0] for each in found.files or []} - {".."}:
        (folder / top).symlink_to(found.locate_file(top))


@pytest.mark.slow
def test_pip_install_of_the_readme_needs_three_packages_only(tmp_path):
    (command,) = re.findall(r"`pip (install \.)` installs the library", README)
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--target", str(tmp_path)]
    subprocess.run(
        [sys.executable, "-m", "pip", *command.split(), *offline],
        cwd=REPOSITORY,
        capture_output=True,
        check=True,
    )
    (installed,) = distributions(path=[str(tmp_path)])
    requires = [each for each in installed.requires or [] if "extra ==" not in each]
    needed = {re.split(r"[<>=!~ ;]", each)[0] for each in requires}
    assert needed == {"numpy", "scipy", "lazy-loader"}
    for package in needed:
        link(package, tmp_path)
    alone = f"import sys; sys.path.append({str(tmp_path)!r})\n{code_of_the_readme()}"
    shown = subprocess.run(
        [sys.executable, "-I", "-S", "-c", alone + "\nprint(fidelity.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout.count("[") == 2
    assert shown.stdout.splitlines()[-1].startswith(str(tmp_path))


@pytest.mark.slow
def test_the_command_of_the_readme_makes_a_report(tmp_path):
    copy_project(tmp_path)
    (command,) = re.findall(r"^    \.venv/bin/fidelity-curves (start .*)$", README, re.MULTILINE)
    subprocess.run(
        [sys.executable, "-m", "fidelity_study", *shlex.split(command)],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert "What may these simulators" in (tmp_path / "results/example/findings.md").read_text(
        "utf-8"
    )


@pytest.mark.minutes
def test_the_table_of_the_readme_has_the_numbers_of_the_default_study(default_study):
    rows = dict(re.findall(r"^\| (.*?) \| .*? \| .*? \| (.*? \| .*?) \|$", README, re.MULTILINE))
    for name, (dataset, discrepancy, closest) in ROWS.items():
        table = default_study.table(f"{dataset}/comparison/mean_discrepancy.parquet")
        cell = {"k": "stated", "discrepancy": discrepancy, "target": "asked", "tail": 1.0}
        for key, value in cell.items():
            table = table[table[key] == value]
        of = table.set_index("simulator")
        shown = [
            f"{of.loc[each, 'ci_lower']:.3f} to {of.loc[each, 'ci_upper']:.3f}"
            for each in (closest, "uniform")
        ]
        assert rows[name] == " | ".join(shown)
