"""Words of statistics that the page explains where a reader points at them."""

import re

from markupsafe import Markup, escape

TERMS = {
    "γ": "The probability with which a confidence set holds people's true shares.",
    "confidence set": "All shares that people may truly have, given how this sample answered.",
    "envelope": "The lowest of the curves of eleven coverages γ, so that none has to be chosen.",
    "asymptotic": "Holds as questions become many.",
    "jackknife": "The standard error comes from leaving out one person's answer at a time.",
    "betting": "An exact interval for the mean of numbers with known limits.",
    "CLT": "By the central limit theorem: holds as questions become many.",
    "CR2": "A standard error over clusters, corrected for how few they are.",
    "effective clusters": "As many clusters of equal size would tell as much.",
    "design effect": "How many times alike questions of a cluster raise the variance.",
    "Dvoretzky-Kiefer-Wolfowitz inequality": "Bounds all points of a distribution at once.",
    "Theorem 3.1": "Of Model-Free Assessment of Simulator Fidelity via Quantile Curves (arXiv"
    " 2512.05024).",
    "multinomial_kl": "Shares whose Kullback-Leibler divergence from the sample is small enough,"
    " with the smallest radius that is proven.",
    "multinomial_kl_paper": "The same with the larger radius of the paper (arXiv 2512.05024).",
    "bernoulli_kl": "Shares of yes whose Kullback-Leibler divergence from the sample is small"
    " enough.",
    "clopper_pearson": "The exact interval of a share.",
    "witness": "A lower and an upper bound of the discrepancy, each by itself.",
    "witness_betting": "The witness by bets, narrower where answers vary little.",
    "hoeffding": "Means that Hoeffding's inequality allows.",
    "empirical_bernstein": "Means that a bound with the sample's variance allows.",
    "w1": "Distributions within a Wasserstein distance of the sample.",
    "w1_subgaussian": "The same with the paper's radius.",
    "bootstrap_percentile": "Quantiles of resampled answers.",
    "bootstrap_bca": "Quantiles of resampled answers, corrected for bias.",
}
WORD = re.compile(
    r"(?<!\w)(" + "|".join(map(re.escape, sorted(TERMS, key=len, reverse=True))) + r")(?!\w)"
)


def explained(text: str) -> Markup:
    """Return a text as HTML in which each term shows its meaning on hover."""
    return Markup(
        WORD.sub(
            lambda found: f'<span class="term" title="{escape(TERMS[found[0]])}">{found[0]}</span>',
            str(escape(text)),
        )
    )
