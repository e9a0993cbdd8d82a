"""Changed configs: each is refused in plain lines, or means what its author means.

Sound configs are damaged at a random place, from a seed. Where what was done cannot be sound, the
config has to be refused; where it changes nothing that YAML or the study knows, the study has to be
the same as before.
"""

import copy
import random
import re
import time

import pytest
import yaml
from small_study import REPOSITORY

from fidelity_study.config.readable import refuse_unreadable
from fidelity_study.config.study import Study
from fidelity_study.errors import DataError

SOURCES = ["config/config.yaml", "config/llm.yaml", "config/smollm2.yaml", "config/paper.yaml"]
EACH = 5
SECONDS = 5.0
LONGEST_LINE = 700


def text_of(random_: random.Random) -> str:
    return (REPOSITORY / random_.choice(SOURCES)).read_text("utf-8")


def lines_with_keys(text: str) -> list[int]:
    lines = text.splitlines()
    return [i for i, line in enumerate(lines) if re.match(r"^\s*[\w-]+: *\S", line)]


def at_a_line(change):
    """Return a damage that changes one line with a key and a value."""

    def damage(text, random_):
        lines = text.splitlines()
        i = random_.choice(lines_with_keys(text))
        lines[i] = change(lines[i], random_)
        return "\n".join(lines) + "\n"

    return damage


def somewhere(value):
    """Return a damage that puts a value in place of a random one of the tree."""

    def damage(text, random_):
        config = copy.deepcopy(yaml.safe_load(text))
        places = list(leaves(config))
        at, key = random_.choice(places)
        at[key] = value(random_) if callable(value) else value
        return yaml.safe_dump(config, allow_unicode=True)

    return damage


def leaves(value):
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in pairs:
        if isinstance(each, (dict, list)) and each:
            yield from leaves(each)
        else:
            yield value, key


def latin(text, random_):
    return text.replace("datasets:", "study: caf\u00e9\ndatasets:").encode("latin-1", "replace")


REFUSED = {
    "a huge integer": somewhere(lambda r: int("9" * r.randrange(320, 3000))),
    "a huge integer that Python refuses": lambda text, r: (
        f"seed: {'9' * r.randrange(4400, 9000)}\n" + text.replace("\nseed:", "\nseed_:")
    ),
    "deep nesting": lambda text, r: text + f"x: {'[' * (n := r.randrange(60, 3000))}{']' * n}\n",
    "not UTF-8": latin,
    "UTF-16": lambda text, _: text.encode("utf-16"),
    "two spellings of one key": lambda text, r: (
        text + f"x: {{yes: 1, {r.choice(['true', 'on'])}: 2}}\n"
    ),
    "an unknown tag": at_a_line(lambda line, r: line.replace(": ", ": !!python/tuple ", 1)),
    "a tab": lambda text, r: text + "\nx:\n\ty: 1\n",
    "an open bracket": lambda text, r: text + "\nx: [1, 2\n",
    "an undefined anchor": at_a_line(lambda line, r: line.split(": ")[0] + ": *nowhere"),
    "a date": lambda text, r: f"study: 2024-0{r.randrange(1, 9)}-11\n" + text,
    "two documents": lambda text, r: text + "---\n" + text,
    "a zero byte": lambda text, r: text[: (i := r.randrange(len(text)))] + "\0" + text[i:],
    "a list": lambda text, r: "- " + text.replace("\n", "\n  "),
    "nothing": lambda text, r: r.choice(["", "# only a comment\n", "~\n", "42\n", "text\n"]),
    "a mapping as a key": lambda text, r: text + "? {a: 1}\n: 2\n",
}
THE_SAME = {
    "a byte order mark": lambda text, r: "\ufeff" + text,
    "Windows line ends": lambda text, r: text.replace("\n", "\r\n"),
    "comments": at_a_line(lambda line, r: line if "#" in line or '"' in line else line + "  # it"),
    "another order": lambda text, r: shuffled(text, r),
    "JSON": lambda text, r: __import__("json").dumps(yaml.safe_load(text)),
}


def shuffled(text, random_):
    config = yaml.safe_load(text)
    keys = list(config)
    random_.shuffle(keys)
    return yaml.safe_dump({key: config[key] for key in keys}, sort_keys=False)


def studied(path) -> Study:
    """Return the study of a config's file, as the workflow reads it."""
    refuse_unreadable([path])
    return Study(yaml.safe_load(path.read_text("utf-8-sig")))


def known_of(study: Study) -> tuple:
    return study.seed, study.datasets, study.models


def damaged(path, damage, seed):
    random_ = random.Random(seed)
    text = damage(text_of(random_), random_)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return text


def assert_told(refusal, started):
    assert time.process_time() - started < SECONDS
    lines = str(refusal.value).splitlines()
    assert lines
    assert all(0 < len(line) < LONGEST_LINE for line in lines), lines
    assert "Traceback" not in str(refusal.value)


@pytest.mark.sampled
@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_sound_is_refused(kind, tmp_path):
    for seed in range(EACH):
        damaged(path := tmp_path / "study.yaml", REFUSED[kind], f"{kind} {seed}")
        started = time.process_time()
        with pytest.raises(DataError) as refusal:
            studied(path)
        assert_told(refusal, started)


@pytest.mark.parametrize("kind", THE_SAME)
def test_what_means_the_same_is_studied_alike(kind, tmp_path):
    for seed in range(EACH):
        random_ = random.Random(f"{kind} {seed}")
        before = text_of(random_)
        (tmp_path / "before.yaml").write_text(before, "utf-8")
        damaged(path := tmp_path / "study.yaml", THE_SAME[kind], f"{kind} {seed}")
        assert known_of(studied(path)) == known_of(studied(tmp_path / "before.yaml"))
