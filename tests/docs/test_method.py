"""The method's pages: statements are whole, names exist, formulas are those of the functions."""

import re
from importlib import import_module
from itertools import pairwise
from math import ceil, comb, floor, log, pi, sqrt

import numpy as np
import pytest
from scipy import stats
from small_study import REPOSITORY

import fidelity
from fidelity.curves.guarantee import exact_miss
from fidelity.responses import Responses
from fidelity.sets.multinomial_radii import polynomial_radius

METHOD = REPOSITORY / "docs" / "method"
PAGES = [
    *sorted(each for each in METHOD.glob("*.md") if each.stem != "benchmarks"),
    REPOSITORY / "docs" / "glossary.md",
    REPOSITORY / "docs" / "references.md",
]
TEXT = (METHOD / "statements.md").read_text(encoding="utf-8")
PARTS = ["States", "Assumes", "Fails", "Computed by"]
ROLE = re.compile(r"\{(?:func|class|mod|data)\}`([\w.]+)`")


def statements() -> dict[int, dict[str, str]]:
    """Return the parts of each statement by its number."""
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", TEXT, flags=re.MULTILINE)
    return {
        int(number): dict(zip(PARTS, re.split(r"(?<!\\) \| ", cells), strict=True))
        for number, cells in rows
    }


def slug(title: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


STATEMENTS = statements()


def named(path: str):
    """Return what a role names: the object at the path, its modules imported."""
    parts = path.split(".")
    for i in range(len(parts) - 1, 0, -1):
        try:
            found = import_module(".".join(parts[:i]))
        except ModuleNotFoundError:
            continue
        for name in parts[i:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(path)


def says(number: int, formula: str) -> None:
    """Check that a statement has the formula that a test computes."""
    assert formula in STATEMENTS[number]["States"]


def explains(function, formula: str) -> None:
    """Check that a docstring has the formula that a test computes."""
    assert formula in " ".join(function.__doc__.split())


def test_statements_are_numbered_in_order():
    assert len(STATEMENTS) > 50
    assert list(STATEMENTS) == list(range(1, len(STATEMENTS) + 1))


@pytest.mark.parametrize("number", STATEMENTS)
def test_a_statement_has_assumptions_where_it_fails_and_a_function_with_a_docstring(number):
    parts = STATEMENTS[number]
    assert all(parts.values())
    assert len(parts["States"]) > 10 and parts["States"].endswith(".")
    assert ROLE.search(parts["Computed by"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_exists(page):
    for path in ROLE.findall(page.read_text(encoding="utf-8")):
        assert named(path).__doc__, path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_numbers_of_statements_lead_to_their_section(page):
    sections = {slug(part.split("\n")[0]): part for part in TEXT.split("\n## ")[1:]}
    text = " ".join(page.read_text(encoding="utf-8").split())
    for number, section in re.findall(
        r"\[[Ss]tatements? (\d+)[^]]*\]\(statements\.md#([^)]+)\)", text
    ):
        assert f"\n| {number} | " in sections[section]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_formula_is_taken_for_a_list(page):
    """A line that begins with a minus of a formula would be an item of a list."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for before, line in pairwise(lines):
        if re.match(r"\s*[-+>] ", line) and before.strip():
            assert before.endswith((".", ":", "?")) or (before[0] == line[0] == "-"), line


def test_sources_that_pages_cite_are_listed():
    listed = " ".join((REPOSITORY / "docs" / "references.md").read_text(encoding="utf-8").split())
    name = r"[A-Z][\w-]+"
    cited = {
        (first, year)
        for page in METHOD.glob("*.md")
        for first, year in re.findall(
            rf"\b({name})(?:(?:,| and| et) (?:{name}|others|al\.))*,? \(?((?:19|20)\d\d)\b",
            " ".join(page.read_text(encoding="utf-8").split()),
        )
    }
    assert len(cited) > 15
    assert not [
        (first, year)
        for first, year in cited
        if not re.search(rf"[-:] {first}\b[^(]*\({year}\)", listed)
    ]


def test_every_set_has_a_statement():
    shown = {named(path) for path in ROLE.findall(TEXT)}
    assert not [name for name, each in fidelity.CONFIDENCE_SETS.items() if type(each) not in shown]


def test_tests_named_on_the_paper_page_exist():
    text = (METHOD / "paper.md").read_text(encoding="utf-8")
    files = set(re.findall(r"`(\w+/test_\w+\.py)`", text))
    assert len(files) > 5
    assert not [each for each in files if not (REPOSITORY / "tests" / each).is_file()]


# The formulas, written from the page


@pytest.mark.sampled
@pytest.mark.parametrize(("n", "gamma"), [(7, 0.5), (200, 0.95)])
def test_radii(n, gamma):
    delta, d = 1 - gamma, 5
    says(1, "(b - a)·sqrt(log(2/δ)/(2n))")
    hoeffding = 2 * sqrt(log(2 / delta) / (2 * n))
    assert fidelity.confidence_radius(n, d, gamma, "hoeffding", span=2) == pytest.approx(hoeffding)
    says(5, "(b - a)·sqrt(log(2/δ)/(2n))")
    assert fidelity.confidence_radius(n, d, gamma, "w1", span=2) == pytest.approx(hoeffding)
    says(3, "log(2/δ)/n")
    assert fidelity.confidence_radius(n, 2, gamma, "bernoulli_kl") == pytest.approx(
        log(2 / delta) / n
    )
    says(4, "(d - 1)·log(2(d - 1)/δ)")
    paper = (d - 1) * log(2 * (d - 1) / delta) / n
    assert fidelity.confidence_radius(n, d, gamma, "multinomial_kl_paper") == pytest.approx(paper)
    says(4, "log C(n+d-1, d-1) + log(1/δ)")
    explains(polynomial_radius, "(log M(t) + log(1/δ))/t")
    types = (log(comb(n + d - 1, d - 1)) + log(1 / delta)) / n

    def polynomial(t):
        falling = np.cumprod([1, *(1 - np.arange(n) / n)])
        return log(sum(comb(k + d - 2, d - 2) * falling[k] * t**k for k in range(n + 1)))

    best = min((polynomial(t) + log(1 / delta)) / t for t in np.linspace(0.001, 1, 4000)) / n
    smallest = fidelity.confidence_radius(n, d, gamma, "multinomial_kl")
    assert smallest <= min(paper, types, best) * (1 + 1e-9)
    if n < 10:
        assert smallest == pytest.approx(min(paper, types, best), rel=1e-6)


def at_most(k: int, chances: np.ndarray) -> float:
    """Return the probability of k or fewer among independent events of these chances."""
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return law[: k + 1].sum()


def test_a_binomial_falls_short_of_its_mean_in_a_quarter_of_samples():
    explains(exact_miss, "≥ ¼ for i < m")
    m = np.arange(2, 300)[:, None]
    i = np.arange(1, 299)
    short = np.where(i < m, stats.binom.cdf(i - 1, m, np.minimum(i / m, 1)), 1.0)
    assert short.min() == pytest.approx(0.25)
    assert (short[1:] > 0.25).all()


def test_scenarios_unlike_each_other_fall_short_no_more_often():
    """But at rank 1 they do: statement 17 leaves it out."""
    says(17, "P(Bin(m, ū) ≤ m - r) = η")
    m, eta, generator = 12, 0.25, np.random.default_rng(8)
    for rank in range(1, m + 1):
        limit = stats.beta.ppf(1 - eta, m - rank + 1, rank)
        assert at_most(m - rank, np.full(m, limit)) == pytest.approx(eta)
        certain = floor(m * limit)
        unlike = np.r_[np.ones(certain), m * limit - certain, np.zeros(m - certain - 1)]
        short = [
            at_most(m - rank, share * unlike + (1 - share) * limit)
            for share in [*generator.random(20), 1.0]
        ]
        assert max(short) > eta + 0.03 if rank == 1 else max(short) <= eta + 1e-12


def test_cut_lower_bounds_are_none():
    """p = q = ½ and n = 2: both answers alike, or one of each, with probability ½ each."""
    assert "n = 2 the cut mean is 0.25" in STATEMENTS[26]["Fails"]
    samples = [[2, 0], [1, 1], [1, 1], [0, 2]]
    lower = fidelity.discrepancy_bounds(samples, [[0.5, 0.5]] * 4, discrepancy="tv").lower
    assert lower.mean() <= 0
    assert np.maximum(lower, 0).mean() == pytest.approx(0.25)


def test_intervals_hold_for_options_that_few_choose():
    """Over two scenarios that the same people answer alike, by a simulator that rules it out."""
    expected = "at least 0.92 of samples for 0.1 to 30 people expected to choose it"
    assert expected in " ".join(TEXT.split())
    n, most = 500, 60
    found = [
        fidelity.mean_discrepancy(
            Responses([[n - x, x]] * 2, respondents=[0, 0]), [[1.0, 0.0]] * 2, discrepancy="tv"
        )
        for x in range(most)
    ]

    def held(many):
        inside = [each.ci_lower <= many / n <= each.ci_upper for each in found]
        return stats.binom.pmf(np.arange(most), n, many / n) @ inside

    assert all(held(many) >= 0.92 for many in np.linspace(0.1, 30, 150))


def test_the_price_of_not_knowing_the_sample_size_of_a_simulator():
    """∫ P(L > α + x) dx ≤ ∫ exp(-2mγ²x²) dx, what an average miss may exceed α by."""
    says(38, "α + sqrt(π/(8m))/γ")
    x = np.linspace(0, 2, 200_001)
    integral = np.trapezoid(np.exp(-2 * 50 * 0.6**2 * x**2), x)
    assert integral == pytest.approx(sqrt(pi / (8 * 50)) / 0.6)


def test_numbers_of_the_paper_page():
    text = " ".join((METHOD / "paper.md").read_text(encoding="utf-8").split())
    radius = sqrt(log(2 / 0.95) / 400)
    shares = np.arange(201) / 200
    covered = stats.binom.pmf(np.arange(201), 200, 0.5)[abs(shares - 0.5) <= radius].sum()
    for said, found in [
        ("with probability {:.2f}", covered),
        ("says nothing: {:.1f}", fidelity.confidence_radius(500, 5, 0.5, "w1_subgaussian", span=2)),
        ("= {:.3f}", fidelity.confidence_radius(500, 5, 0.5, "w1", span=2)),
        ("promises {:.3f} at m = 235", fidelity.paper_level(0.1, 235, 0.05)),
        ("promises {:.3f}.", fidelity.exact_level(235, 0.5, ceil(235 * 0.95), 0.05)),
        ("alone are {:.3f} away", stats.entropy([0.6, 0.25, 0.15], [0.2, 0.3, 0.5])),
    ]:
        assert said.format(float(found)) in text
    found = fidelity.pseudo_discrepancy(
        [[12, 5, 3]],
        [[0.2, 0.3, 0.5]],
        confidence_set="multinomial_kl_paper",
        discrepancy="kl",
        gamma=0.5,
    )
    assert f"largest is {found.upper[0]:.3f}" in text
