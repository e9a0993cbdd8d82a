"""Tutorials and how-tos, followed as a reader would: their files, and their commands in order."""

import os
import re
import subprocess
import sys
from pathlib import Path

from small_study import REPOSITORY, copy_project

BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`(\w+\.(?:yaml|py|csv))`:\n\n```\w+\n(.*?)```", re.DOTALL)
OUTPUT = re.compile(r"^```text\n(.*?)```$", re.MULTILINE | re.DOTALL)
INSTALLS = ("make ", "pip ")


def page(name: str) -> str:
    """Return the text of ``tutorials/NAME`` or ``howto/NAME``."""
    return (REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8")


def commands(text: str) -> list[str]:
    """Return the commands of a page: its indented lines outside of blocks, without comments."""
    lines = re.findall(r"^    (.*)$", BLOCK.sub("", text), re.MULTILINE)
    return [line.partition("  #")[0].strip() for line in lines]


def clone(folder: Path) -> Path:
    """Copy the project to a folder, with its environment where ``make install`` puts it."""
    copy_project(folder)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def write_files(text: str, folder: Path) -> None:
    """Write the files that a page shows, by the names that stand before them."""
    for name, content in FILE.findall(text):
        (folder / name).write_text(content, encoding="utf-8")


def call(command: str, folder: Path) -> str:
    """Run a command as in a terminal; return what it prints."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def follow(text: str, folder: Path) -> dict[str, str]:
    """Write a page's files, run its commands but those that install; return what each printed."""
    write_files(text, folder)
    return {each: call(each, folder) for each in commands(text) if not each.startswith(INSTALLS)}
