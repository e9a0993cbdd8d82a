"""CONTRIBUTING.md: its example of a discrepancy, its links and the files that it names."""

import re
from textwrap import dedent
from types import SimpleNamespace

import numpy as np
from scipy.stats import power_divergence
from small_study import REPOSITORY

from fidelity.arrays import FloatArray
from fidelity.discrepancies.divergences import Divergence

PAGE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")


def example() -> Divergence:
    """Return the discrepancy of the page, which stays out of the library's registry."""
    (code,) = re.findall(r"^   ```python\n(.*?)^   ```", PAGE, re.MULTILINE | re.DOTALL)
    registry = SimpleNamespace(add=lambda each: each)
    names = {"np": np, "FloatArray": FloatArray, "Divergence": Divergence}
    exec(dedent(code), names | (own := {"DISCREPANCIES": registry}), own)
    return own["PowerDivergence"]()


def test_the_example_is_scipys_power_divergence():
    p, q = np.random.default_rng(1).dirichlet(np.full(4, 0.7), (2, 50))
    expected, _ = power_divergence(p, q, axis=1, lambda_="cressie-read")
    np.testing.assert_allclose(example().between(p, q, None), expected, rtol=1e-10)


def test_the_example_is_defined_at_zeros():
    p, q = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 1.0]])
    assert example().between(p, q, None).tolist() == [0.0, np.inf]


def test_links_and_named_files_are_there():
    links = re.findall(r"\]\((?!http)([^)#]+)", PAGE)
    named = re.findall(r"`((?:src|tests|workflow|scripts|config|docs|results)/[\w/.]+)`", PAGE)
    assert links and named
    made = {"docs/_build/html"}
    paths = [each for each in {*links, *named} - made if "STEP" not in each]
    assert not [each for each in paths if not (REPOSITORY / each).exists()]
