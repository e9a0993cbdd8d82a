"""The configs and data of the corpus without Snakemake, which takes most of a run's time."""

import re
import sys
from pathlib import Path

import corpus
import pytest
import yaml
from sound_files import HUMAN, SIMULATED

from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

OF_FILES = ("twice", "files of people")
OF_VALUES = {
    name: each
    for name, each in corpus.CONFIGS.items()
    if each.header == "the config has faults; nothing was run"
    and not any(part in name for part in OF_FILES)
}


@pytest.mark.sampled
@pytest.mark.parametrize("case", OF_VALUES)
def test_a_fault_of_a_value_is_one_short_line(case):
    refused = OF_VALUES[case]
    with pytest.raises(DataError) as refusal:
        Study(yaml.full_load(refused.text))
    lines = str(refusal.value).splitlines()
    for start, words in refused.lines.items():
        (line,) = [line for line in lines if line.startswith(start)]
        assert all(word in line for word in words), line
        assert len(line) < 1000
    assert len(lines) == len(refused.lines), lines


@pytest.mark.parametrize("case", [name for name in corpus.CONFIGS if "twice" in name])
def test_a_key_that_is_there_twice_is_told_with_both_lines(tmp_path, case):
    path = tmp_path / "config.yaml"
    path.write_text(corpus.CONFIGS[case].text, encoding="utf-8")
    with pytest.raises(DataError) as refusal:
        refuse_unreadable([path])
    assert re.fullmatch(
        r".*config.yaml, line \d+: .* twice, first in line \d+; keep one", str(refusal.value)
    )


@pytest.mark.parametrize(
    "text",
    [
        "a: {x: 1}\nb: {x: 2}\n",
        "a: &a {x: 1}\nb: {<<: *a, x: 2}\nc: *a\n",
        '{"a": 1,\n\t"b": 2}',
        "1: a\n'1': b\n",
    ],
    ids=["in two mappings", "merged", "JSON that is no YAML", "a number and a text"],
)
def test_keys_that_are_there_once_are_no_fault(tmp_path, text):
    path = tmp_path / "config.yaml"
    path.write_text(text, encoding="utf-8")
    refuse_unreadable([path, tmp_path / "gone.yaml"])


def write(folder: Path) -> None:
    """Write sound files, and a link to a program."""
    (folder / "human.csv").write_text(HUMAN, encoding="utf-8")
    (folder / "simulated.csv").write_text(SIMULATED, encoding="utf-8")
    (folder / "linked.csv").symlink_to(sys.executable)


@pytest.mark.parametrize("text", ["010", "0777", "1:30", "1:30:00", "-010", "2:05.5", "0_17"])
@pytest.mark.parametrize("key", ["missing: [{}]", "recode: {{{}: 1}}", "target: {{a: {}}}"])
def test_a_number_to_another_base_is_refused(tmp_path, text, key):
    path = tmp_path / "config.yaml"
    path.write_text(f"datasets:\n  w:\n    {key.format(text)}\n", encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(text)):
        refuse_unreadable([path])
    path.write_text(f"datasets:\n  w:\n    {key.format(repr(text))}\n", encoding="utf-8")
    refuse_unreadable([path])
