"""The method's pages: statements are whole, names exist, formulas are those of the functions."""

import re
from importlib import import_module
from itertools import combinations, pairwise, product
from math import ceil, comb, factorial, floor, log, perm, pi, prod, sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq
from small_study import REPOSITORY
from test_readme import LONGEST, sentences

import fidelity
from fidelity import calibration, comparison, hybrids, prediction
from fidelity.correction import correction_gain
from fidelity.curves.guarantee import exact_miss
from fidelity.extrema.kernel_norm import bounded_difference_minimum
from fidelity.responses import Responses, Simulator
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


def chernoff_upper(mean: float, bound: float) -> float:
    """Return u ≥ mean with KL(mean ‖ u) = bound."""

    def excess(u):
        return stats.entropy([mean, 1 - mean], [u, 1 - u]) - bound

    return brentq(excess, mean, 1 - 1e-15, xtol=1e-15)


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
def test_sentences_are_short(page):
    found = sentences(page.read_text(encoding="utf-8"))
    assert not [each for each in found if len(each.split()) > LONGEST]


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


def test_clopper_and_pearsons_limit():
    says(2, "P(Bin(n, u) ≤ x) = δ")
    found = fidelity.pseudo_discrepancy(
        [[12, 8]], [[1.0, 0.0]], confidence_set="clopper_pearson", discrepancy="absolute", gamma=0.9
    )
    assert stats.binom.cdf(8, 20, found.upper[0]) == pytest.approx(0.05)
    assert stats.binom.sf(7, 20, found.lower[0]) == pytest.approx(0.05)


def test_the_empirical_bernstein_interval():
    says(6, "sqrt(2s²·log(4/δ)/n) + 7(b - a)·log(4/δ)/(3(n - 1))")
    n, x = 400, 40
    v = x * (n - x) / n / (n - 1)
    radius = sqrt(2 * v * log(4 / 0.1) / n) + 7 * log(4 / 0.1) / (3 * (n - 1))
    found = fidelity.pseudo_discrepancy(
        [[n - x, x]],
        [[1.0, 0.0]],
        confidence_set="empirical_bernstein",
        discrepancy="absolute",
        gamma=0.9,
        limits=(0, 1),
    )
    assert found.upper[0] == pytest.approx(x / n + radius)


def test_the_witness_of_total_variation():
    says(11, "over option subsets A of [upper limit of p(A)] - q̂(A)")
    counts, q, gamma = np.array([3, 0, 9, 5]), np.array([0.4, 0.1, 0.2, 0.3]), 0.7
    n = counts.sum()
    most = 0.0
    for size in (1, 2, 3):
        for chosen in combinations(range(4), size):
            x = counts[list(chosen)].sum()
            limit = 1.0 if x == n else stats.beta.ppf(gamma, x + 1, n - x)
            most = max(most, limit - q[list(chosen)].sum())
    found = fidelity.pseudo_discrepancy(
        [counts], [q], confidence_set="witness", discrepancy="tv", gamma=gamma
    )
    assert found.upper[0] == pytest.approx(most)


def test_the_witness_from_below():
    counts, q, gamma = np.array([70, 20, 10]), np.array([0.3, 0.3, 0.4]), 0.7
    explains(bounded_difference_minimum, "e = max(0, ‖p̂ - q‖_K - R·sqrt(radius/2))")
    explains(bounded_difference_minimum, "sqrt(max(0, e² - V/n))")
    e = np.linalg.norm(counts / 100 - q) - sqrt(2) * sqrt(log(1 / (1 - gamma)) / 200)
    v = (2 / 3) ** 2 + 2 / 9
    found = fidelity.pseudo_discrepancy(
        [counts], [q], confidence_set="witness", discrepancy="mmd_delta", gamma=gamma
    )
    assert found.lower[0] == pytest.approx(sqrt(e**2 - v / 100))
    says(59, "an interval whose limits have δ/2 each")
    found = fidelity.pseudo_discrepancy(
        [[12, 28]], [[0.7, 0.3]], confidence_set="witness", discrepancy="absolute", gamma=gamma
    )
    limit = stats.beta.ppf((1 - gamma) / 2, 28, 13)
    assert found.lower[0] == pytest.approx(limit - 0.3)


def test_the_sum_behind_the_polynomial_radius_is_free_of_p():
    n, d, t = 5, 3, 0.4
    p = np.random.default_rng(7).dirichlet(np.ones(d))
    total = sum(
        factorial(n) / prod(map(factorial, c)) * prod((t * np.array(c) / n + (1 - t) * p) ** c)
        for c in product(range(n + 1), repeat=d)
        if sum(c) == n
    )
    explains(polynomial_radius, "M(t) = Σ_k C(k+d-2, d-2)·[n]_k/n^k·t^k")
    assert total == pytest.approx(
        sum(comb(k + d - 2, d - 2) * perm(n, k) / n**k * t**k for k in range(n + 1))
    )


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


def test_curves_areas_and_tails():
    upper = np.random.default_rng(1).random(40)
    ordered = np.sort(upper)
    says(13, "1 - γ(1 - τ)")
    rank = ceil(40 * (1 - 0.6 * (1 - 0.85)) - 1e-9)
    assert fidelity.quantile_curve(upper, 0.6, [0.85])[0] == ordered[rank - 1]
    says(13, "lower pseudo-discrepancies at γτ")
    assert fidelity.lower_quantile_curve(upper, 0.6, [0.85])[0] == ordered[ceil(40 * 0.51) - 1]
    says(14, "S(t) = (1/m) Σ_j 1{U_j > t}/γ_j")
    gamma = np.where(np.arange(40) % 2, 0.5, 0.9)

    def beyond(t):
        return (1 / gamma)[upper > t].sum() / 40

    smallest = min(t for t in [0.0, *ordered] if beyond(t) <= 0.3)
    assert fidelity.quantile_curve(upper, gamma, [0.7])[0] == smallest
    says(15, "AUC = ∫ min(1, S(t)) dt")
    says(15, "(1/α)·∫ min(α, S(t)) dt")
    steps = np.diff([0.0, *ordered])
    heights = np.array([beyond(t) for t in [0.0, *ordered[:-1]]])
    assert fidelity.area_under_curve(upper, gamma) == pytest.approx(steps @ np.minimum(1, heights))
    assert fidelity.tail_mean(upper, gamma, 0.1) == pytest.approx(
        steps @ np.minimum(0.1, heights) / 0.1
    )
    says(15, "AUC is the mean of the largest γ-fraction of the U_j")
    assert fidelity.area_under_curve(upper, 0.5) == pytest.approx(ordered[20:].mean())


def test_what_holds_at_this_number_of_scenarios():
    m, eta, gamma, rank = 235, 0.05, 0.5, 224
    explains(
        fidelity.paper_level,
        "ε = sqrt(2αℓ + (ℓ² + 4ℓ)/m) + (ℓ + 2)/√m + sqrt(log(4/η)/2) with ℓ = log(2m/η)",
    )
    big = log(2 * m / eta)
    epsilon = sqrt(2 * 0.1 * big + (big**2 + 4 * big) / m) + (big + 2) / sqrt(m)
    epsilon += sqrt(log(4 / eta) / 2)
    assert fidelity.paper_level(0.1, m, eta) == pytest.approx(0.9 - epsilon / sqrt(m))
    says(17, "P(Δ > U_(r)) ≤ ū/γ, with ū the (1 - η)-quantile of Beta(m - r + 1, r)")
    exact = 1 - stats.beta.ppf(1 - eta, m - rank + 1, rank) / gamma
    assert fidelity.exact_level(m, gamma, rank, eta) == pytest.approx(exact)
    says(18, "KL((m - r)/m ‖ ū) = c·log(1/η)/m")
    shared = 1 - chernoff_upper((m - rank) / m, 3 * log(1 / eta) / m) / gamma
    assert fidelity.exact_level(m, gamma, rank, eta, shared=3) == pytest.approx(shared)
    says(21, "r = ceil((m + 1)(1 - γα))")
    assert fidelity.marginal_rank(m, gamma, 0.1) == ceil(236 * 0.95)
    upper = np.random.default_rng(2).random(m)
    says(34, "1 - ū(K; m, η)/γ")
    limit = 1 - stats.beta.ppf(1 - eta, 31, m - 30) / gamma
    assert fidelity.certified_closer_share(30, m, gamma, eta) == pytest.approx(limit)
    says(34, "P(Bin(m, γ(1 - s)) ≤ K)")
    assert fidelity.closer_share_p_value(30, m, gamma, 0.6) == pytest.approx(
        stats.binom.cdf(30, m, gamma * 0.4)
    )
    says(32, "min over γ of P(U^γ > t)/γ, so the lowest of the curves")
    bounds = np.stack([upper, upper + 0.1], 1)
    lowest = np.minimum(
        fidelity.quantile_curve(upper, 0.5, [0.8]), fidelity.quantile_curve(upper + 0.1, 0.9, [0.8])
    )
    np.testing.assert_array_equal(fidelity.envelope_curve(bounds, [0.8], (0.5, 0.9)), lowest)


def test_clusters_and_new_ones():
    says(23, "KL(s ‖ ū) = log(1/η)/G")
    clusters = np.repeat(np.arange(30), 4)
    miss = chernoff_upper(3 / 30, log(1 / 0.05) / 30) / 0.5
    assert fidelity.new_cluster_exact_miss(clusters, 0.5, 120 - 12, 0.05) == pytest.approx(miss)
    says(36, "SE² = Σ_c S_c²/(1 - m_c/m)/m²")
    scores = np.random.default_rng(3).random(12)
    of = np.array([0] * 6 + [1] * 4 + [2] * 2)
    sums = np.array([(scores - scores.mean())[of == c].sum() for c in range(3)])
    se = sqrt((sums**2 / (1 - np.array([6, 4, 2]) / 12)).sum()) / 12
    assert fidelity.mean_error_bar(scores, of).se == pytest.approx(se)
    says(35, "η/(S(S - 1))")
    assert comparison.bonferroni_level(0.06, 4) == pytest.approx(0.005)


def test_bounds_of_means():
    counts, q = np.array([6, 3, 1]), np.array([0.35, 0.4, 0.25])
    n = counts.sum()
    says(26, "Λ = Σ_i (x_i/n)·f⁽ⁱ⁾(i)")
    says(26, "f⁽ⁱ⁾(i) = 1{i ∈ A⁽ⁱ⁾} - q̂(A⁽ⁱ⁾)")
    total = 0.0
    for i in range(3):
        above = (counts - np.eye(3)[i]) / (n - 1) > q
        total += counts[i] / n * (above[i] - q[above].sum())
    found = fidelity.discrepancy_bounds([counts], [q], discrepancy="tv")
    assert found.lower[0] == pytest.approx(total)
    says(25, "E L(p̂_j, q̂_j)")
    assert found.upper[0] == pytest.approx(np.abs(counts / n - q).sum() / 2)
    says(27, "(p̂ - q̂)² - s²/n")
    says(27, "s_q²/k is taken away, too")
    scores = np.array([-1.0, 0.0, 1.0])
    people = np.repeat(scores, counts)
    squared = (people.mean() - q @ scores) ** 2 - people.var(ddof=1) / n
    found = fidelity.discrepancy_bounds(
        Responses([counts], scores=scores), [q], discrepancy="squared"
    )
    assert found.lower[0] == pytest.approx(squared)
    assert found.upper[0] == pytest.approx((people.mean() - q @ scores) ** 2)
    draws = np.repeat(scores, [7, 8, 5])
    found = fidelity.discrepancy_bounds(
        Responses([counts], scores=scores), Simulator([q], draws=20), discrepancy="squared"
    )
    assert found.lower[0] == pytest.approx(squared - draws.var(ddof=1) / 20)


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


def test_the_kernel_error_of_calibration():
    says(40, "h = k((μ,y),(μ',y')) - E k((μ,Z),(μ',y')) - E k((μ,y),(μ',Z')) + E k((μ,Z),(μ',Z'))")
    stated = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2], [0.2, 0.2, 0.6]])
    truth = np.array([0, 1, 2, 2])

    def h(i, j):
        of = np.exp(-np.abs(stated[i] - stated[j]).sum() / 2)
        first = float(truth[i] == truth[j])
        return of * (first - stated[i][truth[j]] - stated[j][truth[i]] + stated[i] @ stated[j])

    pairs = [h(i, j) for i in range(4) for j in range(4) if i != j]
    predictions = calibration.StatedProbabilities(
        stated, truth, calibration.PredictionKernel(distance="tv")
    )
    assert fidelity.skce_unbiased(predictions) == pytest.approx(np.mean(pairs))
    assert fidelity.skce_biased(predictions) == pytest.approx(
        np.mean([h(i, j) for i in range(4) for j in range(4)])
    )


def weighted_quantile(values, weights, level) -> float:
    """Return the smallest value up to which the weights add up to the level."""
    order = np.argsort(values)
    return np.asarray(values)[order][
        np.searchsorted(np.cumsum(np.asarray(weights)[order]), level - 1e-12)
    ]


def test_bounds_for_a_new_question():
    upper = np.random.default_rng(4).random(60)
    sizes = [30, 18, 12]
    clusters = np.repeat([0, 1, 2], sizes)
    says(43, "β = α - (1 - γ)")
    assert float(prediction.allowed_miss(alpha="0.2", gamma="0.9", same_people=True)) == (
        pytest.approx(0.1)
    )
    says(44, "equal weights 1/(m + 1)")
    expected = weighted_quantile([*upper, np.inf], np.full(61, 1 / 61), 1 - 0.5 * 0.2)
    assert fidelity.conformal_bound(upper, alpha=0.2, gamma=0.5) == expected
    says(44, "v_j = 1/((G + 1)·m_c) and v_new = 1/(G + 1)")
    weights = [*(1 / (4 * np.repeat(sizes, sizes))), 1 / 4]
    expected = weighted_quantile([*upper, np.inf], weights, 1 - 0.5 * 0.6)
    assert np.isfinite(expected)
    assert fidelity.conformal_bound(upper, alpha=0.6, gamma=0.5, clusters=clusters) == expected
    says(45, "Σ_c (m_c/m)·(Σ_{j in c} δ(U_j) + δ(∞))/(m_c + 1)")
    each = np.repeat([n / 60 / (n + 1) for n in sizes], sizes)
    expected = weighted_quantile([*upper, np.inf], [*each, 1 - each.sum()], 1 - 0.5 * 0.3)
    assert (
        prediction.same_clusters_bound(upper, clusters, alpha=0.3, gamma=0.5) == expected < np.inf
    )
    says(47, "[q̂_i - V, q̂_i + V] cut to [0, 1]")
    found = fidelity.prediction_intervals([0.1, 0.6, 0.3], 0.2, discrepancy="tv")
    np.testing.assert_allclose(found.lower, [0.0, 0.4, 0.1])
    np.testing.assert_allclose(found.upper, [0.3, 0.8, 0.5])


def test_hybrids_and_twins():
    says(50, "p̃ = (x⁰ + κ q̂)/(n₀ + κ)")
    found = hybrids.hybrid([[3, 1, 1]], [[0.2, 0.3, 0.5]], 5.0)
    np.testing.assert_allclose(found, [[0.4, 0.25, 0.35]])
    says(53, "θ̂ = λ·mean(f') + mean(y - λf)")
    says(53, "λ = Cov(y, f)/((1 + n/N)·Var(f))")
    says(53, "variance is Var(y - λf)/n + λ²·Var(f)/N")
    generator = np.random.default_rng(5)
    f, others = generator.normal(size=30), generator.normal(size=90)
    y = 0.5 * f + generator.normal(size=30)
    found = hybrids.prediction_powered_mean(y, f, others)
    spread = np.var([*f, *others], ddof=1)
    weight = np.cov(y, f)[0, 1] / ((1 + 30 / 90) * spread)
    assert found.weight == pytest.approx(weight)
    assert found.estimate == pytest.approx(
        found.weight * others.mean() + (y - found.weight * f).mean()
    )


def test_variances_and_sizes_of_studies():
    says(56, "Σ_i (a_ij - ā_j)(b_ij - b̄_j)/(P - 1)")
    a, b = np.random.default_rng(6).random((2, 3, 8))
    product = ((a - a.mean(0)) * (b - b.mean(0))).sum(0) / 2
    assert comparison.variance_between(a, b).between == pytest.approx(product.mean())
    says(57, "n = (z_{α/2} + z_β)²·(ω² + σ_A²/k_A + σ_B²/k_B)/δ²")
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert comparison.questions_by_formula(0.03, 0.1) == pytest.approx(z**2 * 0.1 / 0.03**2)


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


@pytest.mark.parametrize("inside", [[18, 15, 11], [20, 20, 20]])
def test_intervals_hold_as_statement_42_says_in_clusters(inside):
    """Of 20 people in each of three clusters some are inside: one observation a cluster."""
    says(42, "{u : KL(p ‖ u) ≤ log(2/δ)·w}")
    outcome = np.concatenate([np.repeat([0.0, 9.0], [many, 20 - many]) for many in inside])
    place = np.zeros(60), np.ones(60), outcome
    found = fidelity.interval_coverage(*place, [0.9], clusters=np.repeat([0, 1, 2], 20))
    share, bound = sum(inside) / 60, np.log(2 / 0.05) / 3
    upper = chernoff_upper(share, bound) if share < 1 else 1.0
    lower = 1 - chernoff_upper(1 - share, bound)
    assert (found.lower[0], found.upper[0]) == pytest.approx((lower, upper), abs=1e-6)


def test_error_bars_are_as_statement_36_says_in_few_clusters():
    says(36, "With fewer than 4 effective clusters, m²/Σ m_c², there is no p-value")
    for sizes in ([40, 40, 1, 1], [5, 5, 5, 5]):
        clusters, m = np.repeat(np.arange(4), sizes), sum(sizes)
        bar = fidelity.mean_error_bar(np.sin(np.arange(m)), clusters)
        effective = m**2 / np.square(sizes).sum()
        assert bar.effective_clusters == pytest.approx(effective)
        assert np.isnan(bar.p_value) == (effective < 4)


def test_bounds_are_smooth_within_one_standard_error_as_statement_26_says():
    """Of two options both bounds are the same beyond it; a standard error is .05."""
    says(26, "turns steadily from one side of it to the other within one standard error")
    yes = np.arange(40, 61)
    q = np.tile([0.5, 0.5], (len(yes), 1))
    found = fidelity.discrepancy_bounds(np.stack([100 - yes, yes], 1), q, discrepancy="tv")
    smooth = np.abs(found.smooth_lower - found.lower) > 1e-12
    assert smooth[np.isin(yes, [46, 47, 48, 52, 53, 54])].all()
    assert not smooth[np.abs(yes - 50) > 6].any()


@pytest.mark.parametrize(("gamma", "alpha", "fewest"), [("1", "0.1", 9), ("0.5", "0.2", 9)])
def test_too_few_questions_are_refused_or_say_nothing_as_statement_46_says(gamma, alpha, fewest):
    """From 1/(γα) - 1 on: as many by the formula."""
    said = "V is infinite where too few questions resemble the new one, and below 1/(γα) - 1"
    assert said in STATEMENTS[46]["Fails"]
    assert fewest == 1 / (float(gamma) * float(alpha)) - 1

    def bound(m, similarity):
        given = {"alpha": alpha, "gamma": gamma}
        return fidelity.localised_bound(np.arange(m) / m, similarity, **given).bound

    with pytest.raises(ValueError, match="question"):
        bound(fewest - 1, np.ones((fewest, fewest)))
    assert np.isfinite(bound(fewest, np.ones((fewest + 1, fewest + 1))))
    assert np.isinf(bound(fewest, np.eye(fewest + 1)))


def test_no_gain_is_claimed_of_few_clusters_as_statement_49_says():
    """The corrected simulator is what people say, and a uniform guess is far from it."""
    said = "for new scenarios of fewer than 4 effective clusters no gain is claimed"
    assert said in STATEMENTS[49]["Fails"]
    people, guess = np.tile([900, 50, 50], (24, 1)), np.full((24, 3), 1 / 3)
    given = {"simulators": [guess], "from_people": [guess], "discrepancy": "tv"}
    claimed = [
        correction_gain(
            Responses(people + np.arange(24)[:, None] % 5, clusters=clusters),
            people / 1000,
            **given,
        ).claimed
        for clusters in (np.repeat(np.arange(3), 8), np.repeat(np.arange(8), 3))
    ]
    assert claimed == [False, True]


def test_differences_are_as_statement_30_says_where_they_are_linear():
    """(p - q)² - (p - q')² of means, and what is possible: at the least and the largest score."""
    added = "Where the difference is linear in p (`squared`, `l2`, `kl`), both are one unbiased"
    assert added in STATEMENTS[30]["States"]
    people, q, other, scores = np.array([30, 50, 20]), [0.2, 0.3, 0.5], [0.5, 0.3, 0.2], [0, 1, 2]
    given = {"simulator": [q], "other": [other], "discrepancy": "squared"}
    found = fidelity.mean_difference(Responses([people], scores=scores), **given)
    expected = (0.9 - 1.3) ** 2 - (0.9 - 0.7) ** 2
    assert (found.lower, found.upper) == pytest.approx((expected, expected))
    few = fidelity.mean_difference(Responses([[2, 0, 2]], scores=scores), **given)
    ends = [(x - 1.3) ** 2 - (x - 0.7) ** 2 for x in (2, 0)]
    assert (few.ci_lower, few.ci_upper) == pytest.approx(ends)
