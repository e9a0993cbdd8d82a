"""The examples in the library's docstrings give what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import fidelity

PACKAGE = Path(fidelity.__file__).parent
WITH_EXAMPLES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if ">>> " in path.read_text("utf-8")
]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "path", WITH_EXAMPLES, ids=lambda path: path.relative_to(PACKAGE).as_posix()
)
def test_examples_give_what_they_say(path):
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    found = doctest.testmod(
        import_module(name.removesuffix(".__init__")),
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert found.attempted
    assert not found.failed
