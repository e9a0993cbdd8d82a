"""Words of statistics that the page explains where a reader points at them."""

import re

from markupsafe import Markup, escape

TERMS = {
    "γ": "The probability with which a confidence set holds people's true shares.",
    "confidence set": "All shares that people may truly have, given how this sample answered.",
    "envelope": "The lowest of the curves of eleven coverages γ, so that none has to be chosen.",
    "asymptotic": "Holds in the limit of many questions.",
    "jackknife": "A standard error found by leaving out one person's answer at a time.",
    "resampling": "A standard error found by drawing as many answers again from those given, many"
    " times.",
    "fitted to the same people elsewhere": "The baseline was made from people's answers to other"
    " questions. The interval takes what it states as given.",
    "betting": "An exact confidence interval for the mean of numbers that lie between known"
    " limits. It holds at any number of questions, and is wider than an approximate one.",
    "CLT": "By the central limit theorem, which holds in the limit of many questions.",
    "CR2": "A cluster-robust standard error, corrected for a small number of clusters.",
    "effective clusters": "The number of equally large clusters that would tell as much.",
    "design effect": "The factor by which the variance grows because questions of one cluster are"
    " alike.",
    "Dvoretzky-Kiefer-Wolfowitz inequality": "An inequality that bounds all points of a"
    " distribution function at once.",
    "Theorem 3.1": "A theorem of Model-Free Assessment of Simulator Fidelity via Quantile Curves"
    " (arXiv 2512.05024).",
    "multinomial_kl": "All shares within a Kullback-Leibler radius of the sample's: the smallest"
    " radius whose coverage is proven.",
    "multinomial_kl_paper": "As multinomial_kl, with the larger radius of the paper (arXiv"
    " 2512.05024).",
    "bernoulli_kl": "All shares of yes within a Kullback-Leibler radius of the sample's.",
    "clopper_pearson": "The exact confidence interval of a share.",
    "witness": "Bounds of the discrepancy itself, instead of a set of shares that bounds it.",
    "witness_betting": "As witness, with bounds by betting: narrower where answers vary little.",
    "hoeffding": "All means that Hoeffding's inequality allows, given the sample.",
    "empirical_bernstein": "All means that the empirical Bernstein inequality allows, given the"
    " sample and its variance.",
    "w1": "All distributions within a Wasserstein distance of the sample.",
    "w1_subgaussian": "As w1, with the radius of the paper (arXiv 2512.05024).",
    "bootstrap_percentile": "An interval between quantiles of resampled answers.",
    "bootstrap_bca": "An interval between quantiles of resampled answers, corrected for bias.",
}
WORD = re.compile(
    r"(?<!\w)(" + "|".join(map(re.escape, sorted(TERMS, key=len, reverse=True))) + r")(?!\w)"
)


def explained(text: str) -> Markup:
    """Return a text as HTML in which each term shows its meaning on hover."""
    return Markup(
        WORD.sub(
            lambda term: f'<span class="term" title="{escape(TERMS[term[0]])}">{term[0]}</span>',
            str(escape(text)),
        )
    )
