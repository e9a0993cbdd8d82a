"""Warnings where error bars rest on few clusters, or can't be given."""

from math import isnan

from fidelity.comparison.error_bars import ErrorBar
from fidelity.comparison.few_clusters import FEW, FEWEST, has_test


def warning_of(bar: ErrorBar) -> str | None:
    """Return why an error bar has no interval, or else the warning of few effective clusters."""
    if isnan(bar.df):
        return "no interval: one cluster has nearly all scenarios and tells nothing about others"
    if isnan(bar.lower):
        return (
            "no interval: all scores, or the means of all clusters, are equal, which does not show "
            "how much they vary"
        )
    return warning(bar.effective_clusters)


def warning(effective_clusters: float) -> str | None:
    """Return a warning below 10 effective clusters, a stronger one below 4."""
    if not has_test(effective_clusters):
        return (
            f"{effective_clusters:.3g} effective clusters, fewer than {FEWEST:g}: too few for a "
            "p-value, and the interval may be far too short"
        )
    if effective_clusters < FEW:
        return (
            f"{effective_clusters:.3g} effective clusters, fewer than {FEW:g}: the interval holds "
            "if the clusters' means are about normally distributed, which so few cannot show"
        )
    return None
